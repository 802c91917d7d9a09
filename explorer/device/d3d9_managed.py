"""The runtime's manager of D3D9 managed resources: masters in system memory, device copies on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.events import EventKind
from explorer.core.kinds import BlockState
from explorer.core.verdicts import Reason
from explorer.device import cost, system_memory
from explorer.memory.allocators.protocol import Refusal
from explorer.memory.eviction import make_order

if TYPE_CHECKING:
    from explorer.core.layouts import ResourceLayout
    from explorer.device.d3d9 import D3D9Device
    from explorer.device.memory_state import MemoryState
    from explorer.memory.segments import Taken

_SOURCE = "managed_policy.json; seed 004"
_MOVED = int(BlockState.MOVED_THIS_FRAME)


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
        self._scene = 0
        self._marked_scene = -1
        self.last_refusal = Reason("d3d9.R4.10", "No managed copy is left to evict.", _SOURCE)

    def __contains__(self, row: int) -> bool:
        """Return whether a resource is managed."""
        return row in self._master

    @property
    def is_thrashing(self) -> bool:
        """True while the rest of the frame evicts most recently used first."""
        return self._order.is_thrashing

    @property
    def resident_bytes(self) -> int:
        """Bytes of all device copies."""
        return self._order.resident_bytes

    def copy_of(self, row: int) -> int | None:
        """Return the block of the device copy, or None."""
        return self._copy.get(row)

    def adopt(self, row: int, master: int, needs: ResourceLayout, kind: int) -> None:
        """Take in a new managed resource; it has no device copy before its first use (R5.3)."""
        self._master[row] = master
        self._needs[row] = (needs, kind)

    def forget(self, row: int) -> None:
        """Drop a resource that is released; its device copy goes with it."""
        if row not in self._master:
            return
        if row in self._copy:
            self._order.remove(row)
            self._drop(row)
        del self._master[row], self._needs[row]

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
            fresh.insert(row, self._size(row), int(self._state.resources["priority"][row]))
            fresh.touch(row, max(int(used[row]), 0))
        self._order = fresh

    def set_priority(self, row: int, priority: int) -> None:
        """Change the priority; it outranks the time of use (R5.6)."""
        if row in self._copy:
            self._order.set_priority(row, priority)

    def use(self, device: D3D9Device, row: int) -> int | None:
        """Return the block of the device copy, uploading it if there is none; None when there is no room at all."""
        state = self._state
        master = self._master[row]
        state.blocks["used_frame"][master] = state.log.frame
        block = self._copy.get(row)
        if block is not None:
            self._order.touch(row, self._scene, state.log.time_ns)
            return block
        needs, kind = self._needs[row]
        taken = state.take("LOCAL", needs.size_bytes, needs.alignment, kind)
        if isinstance(taken, Refusal):
            taken = self.make_room(device, needs.size_bytes, needs.alignment, kind, taken, incoming=row)
        if isinstance(taken, Refusal):
            self.last_refusal = Reason("d3d9.R4.10", taken.text(), _SOURCE)
            name = state.resource_names[row]
            state.log.add(EventKind.REFUSED, name, "LOCAL", needs.size_bytes, rule=taken.reason, text=taken.text())
            return None
        if not system_memory.bring_in(device, master):
            return None
        return self._upload(device, row, needs, kind, taken)

    def make_room(
        self, device: D3D9Device, size: int, alignment: int, kind: int, refusal: Refusal, incoming: int | None = None
    ) -> tuple[int, Taken] | Refusal:
        """Evict device copies until a hole is large enough; several may have to go for one hole (R5.7)."""
        del device
        state = self._state
        name = state.resource_names[incoming] if incoming is not None else "a DEFAULT resource"
        why = f"to make room for {name} ({size:,} B)"
        for row in self._order.victims(None, incoming=incoming):
            self._mark_thrash()
            self._evict(row, "d3d9.R5.5" if incoming is not None else "d3d9.R6.8", why)
            taken = state.take("LOCAL", size, alignment, kind)
            if not isinstance(taken, Refusal):
                return taken
            refusal = taken
        return refusal

    def evict_all(self, device: D3D9Device, call: str) -> None:
        """Drop every device copy (EvictManagedResources, Reset)."""
        del device
        for row in sorted(self._copy):
            self._evict(row, "d3d9.R5.9", f"because of {call}")

    def copy(self, state: MemoryState) -> ManagedResources:
        """Return an independent copy over a copied state."""
        other = ManagedResources.__new__(ManagedResources)
        other.__dict__.update(self.__dict__)
        other._state = state
        other._order = self._order.copy()
        other._master, other._copy, other._needs = dict(self._master), dict(self._copy), dict(self._needs)
        return other

    def _size(self, row: int) -> int:
        return self._needs[row][0].size_bytes

    def _mark_thrash(self) -> None:
        if self._order.is_thrashing and self._marked_scene != self._scene:
            self._marked_scene = self._scene
            text = (
                "The oldest managed resource was already used in this frame: the frame needs more than fits, "
                "so the rest of it evicts the most recently used first."
            )
            self._state.log.add(EventKind.LRU_TO_MRU, segment="LOCAL", rule="d3d9.R5.8", text=text)

    def _evict(self, row: int, rule: str, why: str) -> None:
        self._order.evict(row)
        name, size = self._state.resource_names[row], self._size(row)
        segment = self._state.segments[int(self._state.blocks["segment"][self._copy[row]])].name
        frame = int(self._state.resources["used_frame"][row])
        text = f"{name}: its device copy left {segment} {why}; last used in frame {frame}."
        self._state.log.add(EventKind.EVICTED, name, segment, size, rule=rule, text=text)
        self._drop(row)

    def _drop(self, row: int) -> None:
        state = self._state
        block = self._copy.pop(row)
        segment = int(state.blocks["segment"][block])
        state.segments[segment].release(int(state.blocks["offset"][block]))
        state.count_usage(segment, -int(state.blocks["size"][block]))
        state.remove_block(block)
        state.resources["resident"][row] = False

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
        state.resources["resident"][row] = True
        master = self._master[row]
        state.blocks["state"][master] &= 0xFF & ~int(BlockState.DIRTY)
        text = f"{name}: {needs.size_bytes:,} B uploaded to {where} on use."
        state.log.add(EventKind.UPLOADED, name, where, needs.size_bytes, rule="d3d9.R5.3", text=text)
        rate = state.adapter.bus.to_gpu_bytes_per_s
        device.spend(transfer=cost.transfer_ns(needs.size_bytes, rate))
        return block
