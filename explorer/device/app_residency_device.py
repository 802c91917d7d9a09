"""How a D3D12 device runs an application's residency policy: budgets, evictions, waits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.core.d3d12_enums import HeapFlags, HeapType
from explorer.core.events import EventKind
from explorer.device import cost, d3d12_fences
from explorer.device.app_residency import MODES, POLICIES, SECOND_NS, Budgets, ResidencyManager, Submission
from explorer.errors import CommandError

if TYPE_CHECKING:
    from explorer.core.d3d12_structs import HeapDesc
    from explorer.device.d3d12 import D3D12Device
    from explorer.memory.allocators.protocol import Refusal

_CLOCK_NS = 3600 * SECOND_NS
"""What a performance counter shows when the application starts: objects that were never used count as used at 0."""

_ONE, _LOCAL, _NON_LOCAL = "", "LOCAL", "NON_LOCAL"


@dataclass(slots=True)
class AppResidency:
    """The residency manager of an application, or two of them.

    One list is kept where one budget is watched (modes ``library`` and ``simple``: heaps of type DEFAULT), one for each
    segment group in the mode ``advanced`` (all heaps).

    Attributes:
        policy: One of ``POLICIES``.
        mode: One of ``MODES``.
        managers: Segment group → manager; the empty name where there is one list.
        running: (submission of the policy, submission of the device) of what is in flight.
        last: What the last submission did, by list.
        clock_ns: What the clock of the application shows when simulated time is 0.
    """

    policy: str = "none"
    mode: str = "library"
    managers: dict[str, ResidencyManager] = field(default_factory=dict[str, ResidencyManager])
    running: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    last: dict[str, Submission] = field(default_factory=dict[str, Submission])
    clock_ns: int = _CLOCK_NS

    @classmethod
    def of(cls, policy: str, mode: str) -> AppResidency:
        """Return the residency of an application.

        Raises:
            CommandError: Unknown policy or mode.
        """
        if policy not in POLICIES:
            raise CommandError("unknown policy", where="app_policy", found=policy, accepted=POLICIES)
        if mode not in MODES:
            raise CommandError("unknown mode", where="residency_mode", found=mode, accepted=MODES)
        made = cls(policy, mode)
        if policy != "none":
            groups = (_LOCAL, _NON_LOCAL) if mode == "advanced" else (_ONE,)
            made.managers = {group: ResidencyManager(policy) for group in groups}
        return made

    @property
    def is_active(self) -> bool:
        """Whether the application manages residency at all."""
        return bool(self.managers)

    def track(self, device: D3D12Device, row: int, desc: HeapDesc) -> None:
        """Take in a new heap, if the application manages its kind."""
        manager = self._manager(device, row, desc)
        if manager is None or not device.state.heaps["resident"][row]:
            return
        manager.track(row)
        if desc.Flags & HeapFlags.ALLOW_DISPLAY:
            manager.pinned.add(row)

    def forget(self, row: int) -> None:
        """Forget a heap that is destroyed."""
        for manager in self.managers.values():
            manager.forget(row)

    def submit(self, device: D3D12Device, rows: list[int]) -> Refusal | None:
        """Make the heaps of a submission resident; the refusal if memory ran out."""
        state = device.state
        self._complete(device)
        refusal: Refusal | None = None
        generation = -1
        for group, manager in self.managers.items():
            self._note_calls_of_the_application(device, manager, group, rows)
            used = [row for row in rows if manager.is_tracked(row)]
            generation = manager.generation
            now_ns = self.clock_ns + state.log.time_ns
            done = self.last[group] = manager.submit(_DeviceMemory(device, self.mode, group), used, now_ns)
            refusal = refusal or done.refusal
        self.running.append((generation, device.timeline.submitted))
        return refusal

    @property
    def splits(self) -> bool:
        """Whether the library cuts submissions of several lists that are larger than the budgets."""
        return self.policy == "d3dx12"

    def parts(self, device: D3D12Device, used: list[list[int]]) -> list[range]:
        """Return the runs of lists that are submitted each for itself (rules 8.8).

        Args:
            device: The device.
            used: The heaps of each list.
        """
        groups = list(self.managers)
        budget = sum(_DeviceMemory(device, self.mode, group).budgets().budget for group in groups)
        sizes = device.state.heaps["size"]
        tracked = [{row for row in rows if self._is_tracked(device, row)} for rows in used]

        def cut(first: int, end: int) -> list[range]:
            total = sum(int(sizes[row]) for row in set[int]().union(*tracked[first:end]))
            if end - first == 1 or total <= budget:
                return [range(first, end)]
            middle = first + (end - first) // 2
            return [*cut(first, middle), *cut(middle, end)]

        found = cut(0, len(used))
        if len(found) > 1:
            text = f"{len(used):,} lists use more than {budget:,} B: they are submitted in {len(found):,} parts."
            device.state.log.add(EventKind.CHANGED, rule="d3d12.8.8f", text=text)
        return found

    def grace_ns(self, device: D3D12Device) -> int | None:
        """Return the age from which the first list evicts now; None where nothing is evicted for its age."""
        for group, manager in self.managers.items():
            now_ns = self.clock_ns + device.state.log.time_ns
            return manager.grace_ns(_DeviceMemory(device, self.mode, group), now_ns)
        return None

    def copy(self) -> AppResidency:
        """Return an independent copy."""
        managers = {group: manager.copy() for group, manager in self.managers.items()}
        return AppResidency(self.policy, self.mode, managers, list(self.running), dict(self.last), self.clock_ns)

    def _is_tracked(self, device: D3D12Device, row: int) -> bool:
        desc = device.heap_descs.get(row)
        return desc is not None and self._manager(device, row, desc) is not None

    def _manager(self, device: D3D12Device, row: int, desc: HeapDesc) -> ResidencyManager | None:
        if self.mode == "advanced":
            state = device.state
            return self.managers.get(state.segments[int(state.heaps["home"][row])].group)
        return self.managers.get(_ONE) if desc.Properties.Type is HeapType.DEFAULT else None

    def _complete(self, device: D3D12Device) -> None:
        """Tell the managers what the GPU has finished, in the order of the submissions."""
        d3d12_fences.advance(device)
        while self.running and self.running[0][1] not in device.timeline.running:
            generation, _ = self.running.pop(0)
            for manager in self.managers.values():
                manager.complete(generation)

    def _note_calls_of_the_application(
        self, device: D3D12Device, manager: ResidencyManager, group: str, rows: list[int]
    ) -> None:
        """Take notice of heaps that were created evicted, or that MakeResident or Evict moved past the manager."""
        counts = device.state.heaps["resident_count"]
        for row in rows:
            desc = device.heap_descs.get(row)
            if desc is None:
                continue
            if not manager.is_tracked(row) and self._manager(device, row, desc) is self.managers[group]:
                manager.track(row)
            if row in manager.order and not counts[row]:
                del manager.order[row]


class _DeviceMemory:
    """A device as a policy sees it."""

    def __init__(self, device: D3D12Device, mode: str, group: str) -> None:
        self.device, self.mode, self.group = device, mode, group

    def budgets(self) -> Budgets:
        """Return usage and budgets by the mode."""
        local, other = self._sums(_LOCAL), self._sums(_NON_LOCAL)
        both = (local[0] + other[0], local[1] + other[1])
        if self.mode == "simple":
            # One budget is watched, and everything is held against it.
            return Budgets(both[0], local[1], both[0], local[1])
        if self.mode == "advanced":
            own = local if self.group == _LOCAL else other
            return Budgets(*own, *own)
        pressure = both if self.device.app.policy == "translation-layer" else local
        return Budgets(*pressure, *both)

    def size_of(self, row: int) -> int:
        """Return the bytes of a heap."""
        return int(self.device.state.heaps["size"][row])

    def evict(self, row: int, rule: str) -> None:
        """Evict a heap: its count falls to 0 and its bytes leave."""
        self.device.state.heaps["resident_count"][row] = 0
        why = "because it is old" if rule == "app.age-trim" else "because a submission needs the room"
        self.device.kernel.page_out(self.device, row, rule, why)

    def make_resident(self, row: int, rule: str) -> Refusal | None:
        """Make a heap resident."""
        device, heaps = self.device, self.device.state.heaps
        if not heaps["resident"][row]:
            refusal = device.kernel.page_in(device, row, rule)
            if refusal is not None:
                return refusal
        heaps["resident_count"][row] = 1
        name = device.state.heap_names[row]
        device.state.log.add(
            EventKind.MADE_RESIDENT, name, size=self.size_of(row), rule=rule, text=f"{name} is resident."
        )
        return None

    def wait(self, generation: int) -> None:
        """Wait for a submission."""
        text = f"The application waited for submission {generation} before it evicted."
        self.device.state.log.add(EventKind.STALLED, rule="app.pressure-trim", text=text)
        self.device.spend(stall=cost.FLUSH_NS)
        for own, number in self.device.app.running:
            if own <= generation:
                self.device.timeline.finish_submission(number)

    def _sums(self, name: str) -> tuple[int, int]:
        groups = [group for (_, of), group in self.device.state.groups.items() if of == name]
        return sum(group.usage for group in groups), sum(group.budget or 0 for group in groups)
