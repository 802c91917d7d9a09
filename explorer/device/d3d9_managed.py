"""The manager of D3D9 managed resources: masters in system memory, device copies on demand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.core.events import EventKind
from explorer.core.kinds import BlockState
from explorer.core.verdicts import Reason
from explorer.device import cost, d3d9_driver, system_memory
from explorer.device.d3d9_things import dirty_bytes
from explorer.memory.allocators.protocol import Refusal
from explorer.memory.eviction import make_order
from explorer.memory.eviction.recency import PriorityOrder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from explorer.core.layouts import ResourceLayout
    from explorer.device.d3d9 import D3D9Device
    from explorer.device.memory_state import MemoryState
    from explorer.memory.segments import Taken

_SOURCE = "managed_policy.json; seed 004"
_MOVED = int(BlockState.MOVED_THIS_FRAME)


@dataclass(frozen=True, slots=True)
class TypeCounts:
    """What the RESOURCEMANAGER query counts over time for one type of resource (rule d3d9.R5.13).

    Attributes:
        downloaded: ApproxBytesDownloaded: bytes copied to video memory.
        evicts: NumEvicts.
        creates: NumVidCreates: device copies made.
        last_priority: LastPri: priority of the one evicted last.
        thrashed_scene: Scene in which one of the type was evicted most recently used first, −1 never.
    """

    downloaded: int = 0
    evicts: int = 0
    creates: int = 0
    last_priority: int = 0
    thrashed_scene: int = -1


class ManagedResources:
    """Knows each managed resource's master and device copy, and who leaves when room is needed.

    Args:
        state: The device's memory.
        policy: Id of the eviction policy; the runtime's own is ``lru-mru``.
    """

    def __init__(self, state: MemoryState, policy: str) -> None:
        self._state = state
        self._order = make_order(policy)
        self._master: dict[int, int] = {}
        self._copy: dict[int, int] = {}
        self._needs: dict[int, tuple[ResourceLayout, int]] = {}
        self._type: dict[int, int] = {}
        self._away: set[int] = set()
        self._scene = 0
        self._marked_scene = -1
        self.counts: dict[int, TypeCounts] = {}
        self.by_driver = False
        self.last_refusal = Reason("d3d9.R4.10", "No managed copy is left to evict.", _SOURCE)

    def __contains__(self, row: int) -> bool:
        """Return whether a resource is managed."""
        return row in self._master

    def __iter__(self) -> Iterator[int]:
        """Yield the managed resources in the order of their creation."""
        return iter(self._master)

    @property
    def is_thrashing(self) -> bool:
        """True while the rest of the frame evicts most recently used first."""
        return self._order.is_thrashing

    @property
    def resident_bytes(self) -> int:
        """Bytes of all device copies."""
        return self._order.resident_bytes

    @property
    def scene(self) -> int:
        """Number of the present or last BeginScene."""
        return self._scene

    def copy_of(self, row: int) -> int | None:
        """Return the block of the device copy, or None."""
        return self._copy.get(row)

    def master_of(self, row: int) -> int:
        """Return the block of the master."""
        return self._master[row]

    def bytes_of(self, row: int) -> int:
        """Return the bytes of a device copy, resident or not."""
        return self._needs[row][0].size_bytes

    def last_scene(self, row: int) -> int:
        """Return the scene that last used a resident copy."""
        return self._order.last_use(row)[0]

    def adopt(self, row: int, master: int, needs: ResourceLayout, kind: int, type_: int) -> None:
        """Take in a new managed resource; it has no device copy before its first use (R5.3)."""
        self._master[row] = master
        self._needs[row] = (needs, kind)
        self._type[row] = type_

    def forget(self, row: int) -> None:
        """Drop a resource that is released; its device copy goes with it."""
        if row not in self._master:
            return
        if row in self._copy:
            self._order.remove(row)
            self._drop(row)
        del self._master[row], self._needs[row], self._type[row]

    def resize(self, row: int, needs: ResourceLayout) -> None:
        """Give the device copy another layout (SetLOD): an old one goes, the next use uploads."""
        if row in self._copy:
            self._order.remove(row)
            self._drop(row)
        self._needs[row] = (needs, self._needs[row][1])

    def begin_scene(self, scene: int) -> None:
        """Begin a frame."""
        self._scene = scene
        self._order.begin_frame(scene)

    def end_scene(self) -> None:
        """End it."""
        self._order.end_frame()

    def set_policy(self, policy: str) -> None:
        """Go on with another policy; what is resident is taken over in the order of its last use."""
        fresh = make_order(policy)
        used = self._state.resources["used_frame"]
        for row in sorted(self._copy, key=lambda r: (int(used[r]), r)):
            fresh.insert(row, self.bytes_of(row), int(self._state.resources["priority"][row]))
            fresh.touch(row, max(int(used[row]), 0))
        self._order = fresh

    def set_priority(self, row: int, priority: int) -> None:
        """Change the priority; it outranks the time of use (R5.6)."""
        if row in self._copy:
            self._order.set_priority(row, priority)

    def use(self, device: D3D9Device, row: int) -> int | None:
        """Return the block of the device copy, made or brought up to date; None when there is no room at all."""
        state = self._state
        master = self._master[row]
        state.blocks["used_frame"][master] = state.log.frame
        block = self._copy.get(row)
        if block is not None:
            self._order.touch(row, self._scene, state.log.time_ns)
            if row in device.things.dirty:
                self._refresh(device, row, block)
            return block
        needs, kind = self._needs[row]
        taken = state.take("LOCAL", needs.size_bytes, needs.alignment, kind)
        if isinstance(taken, Refusal):
            newcomer = state.resource_names[row]
            taken = self.make_room(device, needs, kind, taken, newcomer, incoming=row)
        if isinstance(taken, Refusal):
            # Not even empty of managed copies would LOCAL memory hold it: they may lie in non-local memory (R4.7).
            elsewhere = state.take("NON_LOCAL", needs.size_bytes, needs.alignment, kind)
            taken = taken if isinstance(elsewhere, Refusal) else elsewhere
        if isinstance(taken, Refusal):
            self.last_refusal = Reason("d3d9.R4.10", taken.text(), _SOURCE)
            name = state.resource_names[row]
            state.log.add(EventKind.REFUSED, name, "LOCAL", needs.size_bytes, rule=taken.reason, text=taken.text())
            return None
        if not system_memory.bring_in(device, master):
            state.segments[taken[0]].release(taken[1].address)
            return None
        return self._upload(device, row, needs, kind, taken)

    def make_room(
        self,
        device: D3D9Device,
        needs: ResourceLayout,
        kind: int,
        refusal: Refusal,
        newcomer: str,
        incoming: int | None = None,
    ) -> tuple[int, Taken] | Refusal:
        """Evict device copies until a hole is large enough; several may have to go for one hole (R5.7).

        Args:
            device: The device.
            needs: What is to be placed.
            kind: ``ResourceKind`` of the block.
            refusal: Why there is no place yet.
            newcomer: Name of the resource that needs the place, for the events.
            incoming: Its row where it is managed; None for a DEFAULT allocation.

        Returns:
            The segment's index and the range, or why even that did not help.
        """
        state = self._state
        size, alignment = needs.size_bytes, needs.alignment
        why = f"to make room for {size:,} B of {newcomer}"
        if self.by_driver:
            for row in d3d9_driver.cheapest_run(device, size, alignment):
                self._evict(row, "d3d9.R5.15", f"{why}: the driver sees its heap")
            taken = state.take("LOCAL", size, alignment, kind)
            if not isinstance(taken, Refusal):
                return taken
            refusal = taken
        for gone, row in enumerate(self._order.victims(None, self._away, incoming=incoming)):
            self._mark_thrash()
            again = " as well, since no hole is large enough yet" if gone else ""
            self._evict(row, self._rule_for(row, gone, is_default=incoming is None), f"{why}{again}")
            taken = state.take("LOCAL", size, alignment, kind)
            if not isinstance(taken, Refusal):
                return taken
            refusal = taken
        return refusal

    def evict_all(self, device: D3D9Device, call: str, rule: str = "d3d9.R5.9") -> None:
        """Drop every device copy (EvictManagedResources, Reset, loss)."""
        del device
        for row in sorted(self._copy):
            self._evict(row, rule, f"because of {call}")

    def evict_one(self, row: int, rule: str, why: str) -> None:
        """Drop one device copy, if there is one."""
        if row in self._copy:
            self._evict(row, rule, why)

    def copy(self, state: MemoryState) -> ManagedResources:
        """Return an independent copy over a copied state."""
        other = ManagedResources.__new__(ManagedResources)
        other.__dict__.update(self.__dict__)
        other._state = state
        other._order = self._order.copy()
        other._master, other._copy, other._needs = dict(self._master), dict(self._copy), dict(self._needs)
        other._type, other.counts, other._away = dict(self._type), dict(self.counts), set(self._away)
        return other

    def _count(self, row: int, *, downloaded: int = 0, evicts: int = 0, creates: int = 0) -> None:
        if self.by_driver:
            return
        old = self.counts.get(self._type[row], TypeCounts())
        self.counts[self._type[row]] = replace(
            old,
            downloaded=old.downloaded + downloaded,
            evicts=old.evicts + evicts,
            creates=old.creates + creates,
            last_priority=int(self._state.resources["priority"][row]) if evicts else old.last_priority,
            thrashed_scene=self._scene if evicts and self._order.is_thrashing else old.thrashed_scene,
        )

    def _rule_for(self, row: int, gone: int, *, is_default: bool) -> str:
        """Return the rule by which a copy is the one to leave, ``gone`` having left for the same hole before it."""
        thrashing = self._order.is_thrashing
        if isinstance(self._order, PriorityOrder) and self._order.is_outranked(row, newest_leaves=thrashing):
            return "d3d9.R5.6"
        if thrashing:
            return "d3d9.R5.8"
        if gone:
            return "d3d9.R5.7"
        return "d3d9.R6.8" if is_default else "d3d9.R5.5"

    def _mark_thrash(self) -> None:
        if self._order.is_thrashing and self._marked_scene != self._scene:
            self._marked_scene = self._scene
            text = (
                "The oldest managed resource was already used in this frame: the frame needs more than fits, "
                "so the rest of it evicts the most recently used first."
            )
            self._state.log.add(EventKind.LRU_TO_MRU, segment="LOCAL", rule="d3d9.R5.8", text=text)

    def _evict(self, row: int, rule: str, why: str) -> None:
        self._count(row, evicts=1)
        self._order.evict(row)
        name, size = self._state.resource_names[row], self.bytes_of(row)
        segment = self._state.segments[int(self._state.blocks["segment"][self._copy[row]])].name
        frame = int(self._state.resources["used_frame"][row])
        used = f"last used in frame {frame}" if frame >= 0 else "not used yet"
        priority = int(self._state.resources["priority"][row])
        level = f", priority {priority:,}" if priority else ""
        text = f"{name}: its device copy left {segment} {why}; {used}{level}."
        self._state.log.add(EventKind.EVICTED, name, segment, size, rule=rule, text=text)
        self._drop(row)

    def _drop(self, row: int) -> None:
        state = self._state
        block = self._copy.pop(row)
        self._away.discard(row)
        segment = int(state.blocks["segment"][block])
        state.segments[segment].release(int(state.blocks["offset"][block]))
        state.count_usage(segment, -int(state.blocks["size"][block]))
        state.remove_block(block)
        state.resources["resident"][row] = False

    def _refresh(self, device: D3D9Device, row: int, block: int) -> None:
        """Upload what changed in the master since the last use (R5.3, R7.11)."""
        state = self._state
        thing, dirty = device.things.of[row], device.things.dirty.pop(row)
        levels = range(device.things.lod.get(row, 0), thing.resource.levels)
        size = dirty_bytes(thing.resource, dirty, levels)
        system_memory.bring_in(device, self._master[row])
        self._clean(row)
        state.blocks["state"][block] |= _MOVED
        self._count(row, downloaded=size)
        name, where = state.resource_names[row], state.segments[int(state.blocks["segment"][block])].name
        text = f"{name}: {size:,} B that had changed were uploaded to {where}, of {self.bytes_of(row):,} B."
        state.log.add(EventKind.UPLOADED, name, where, size, rule="d3d9.R5.3", text=text)
        device.spend(transfer=cost.transfer_ns(size, state.adapter.bus.to_gpu_bytes_per_s))

    def _clean(self, row: int) -> None:
        self._state.blocks["state"][self._master[row]] &= 0xFF & ~int(BlockState.DIRTY)

    def _upload(self, device: D3D9Device, row: int, needs: ResourceLayout, kind: int, taken: tuple[int, Taken]) -> int:
        state = self._state
        segment, place = taken
        name, where = state.resource_names[row], state.segments[segment].name
        block = state.add_block(
            segment,
            -1,
            place.address,
            place.size,
            asked=needs.texel_bytes,
            alignment=needs.alignment,
            kind=kind,
            state=int(BlockState.RESIDENT | BlockState.DEVICE_COPY) | _MOVED,
            resource=row,
            pad_before=place.padding_before,
            rounding=place.rounding,
        )
        state.count_usage(segment, place.size)
        self._copy[row] = block
        self._order.insert(row, needs.size_bytes, int(state.resources["priority"][row]))
        self._order.touch(row, self._scene, state.log.time_ns)
        self._count(row, downloaded=needs.size_bytes, creates=1)
        state.resources["resident"][row] = True
        device.things.dirty.pop(row, None)
        self._clean(row)
        text = f"{name}: {needs.size_bytes:,} B uploaded to {where} on use."
        state.log.add(EventKind.UPLOADED, name, where, needs.size_bytes, rule="d3d9.R5.3", text=text)
        if state.segments[segment].group != "LOCAL":
            self._away.add(row)
            text = f"{name}: local memory cannot hold its device copy, which lies in {where}; the GPU reads it slower."
            state.log.add(EventKind.MISPLACED, name, where, needs.size_bytes, rule="d3d9.R4.7", text=text)
        rate = state.adapter.bus.to_gpu_bytes_per_s
        device.spend(transfer=cost.transfer_ns(needs.size_bytes, rate))
        return block
