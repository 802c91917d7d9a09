"""Video memory of Direct3D 9Ex: virtual, so that DEFAULT resources come and go by priority and age (rule R10.4).

On 9Ex there is no MANAGED pool; the system's memory manager moves DEFAULT resources from local to non-local memory and
on to the page file, and back on use. Priority first, then age, is the order of the kernel (``kernel.order``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.d3d9 import Pool
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState
from explorer.device import cost, system_memory
from explorer.memory.allocators.protocol import Refusal
from explorer.memory.eviction import make_order

if TYPE_CHECKING:
    from explorer.core.layouts import ResourceLayout
    from explorer.device.d3d9 import D3D9Device
    from explorer.memory.segments import Taken

DEFAULT_POLICY = "priority-lru"
_MOVED = int(BlockState.MOVED_THIS_FRAME)
_RESIDENT = int(BlockState.RESIDENT)


class VirtualMemory:
    """Moves the blocks of DEFAULT resources between segments.

    Args:
        policy: Id of the policy that chooses who leaves.

    Attributes:
        evicted_bytes: Bytes that had to leave local memory so far.
    """

    def __init__(self, policy: str) -> None:
        self._order = make_order(policy)
        self._home: dict[int, str] = {}
        self.evicted_bytes = 0

    def admit(self, device: D3D9Device, row: int, block: int) -> None:
        """Take in a new DEFAULT resource."""
        state = device.state
        self._home[row] = device.segment_of(block).group
        if self._home[row] == "LOCAL":
            size, priority = int(state.blocks["size"][block]), int(state.resources["priority"][row])
            self._order.insert(row, size, priority)

    def forget(self, row: int) -> None:
        """Drop a resource that is destroyed."""
        self._home.pop(row, None)
        if row in self._order:
            self._order.remove(row)

    def set_priority(self, row: int, priority: int) -> None:
        """Change a priority."""
        if row in self._order:
            self._order.set_priority(row, priority)

    def set_policy(self, device: D3D9Device, policy: str) -> None:
        """Go on with another policy; what is at home is taken over in the present order."""
        fresh = make_order(policy)
        for row in self._order.copy().victims(None):
            size = int(device.state.blocks["size"][device.blocks_of[row][0]])
            fresh.insert(row, size, self._order.priority_of(row))
        self._order = fresh

    def place_of(self, device: D3D9Device, row: int) -> str:
        """Return ``device``, ``shared`` or ``disk``, as CheckResourceResidency tells them apart."""
        group = device.segment_of(device.blocks_of[row][0]).group
        if group == "PAGE_FILE":
            return "disk"
        home = self._home.get(row, group)
        return "device" if group == home else "shared"

    def at_home(self, device: D3D9Device) -> tuple[int, int]:
        """Return the bytes that lie where they should, and those that do not."""
        sums = [0, 0]
        for row in self._home:
            size = int(device.state.blocks["size"][device.blocks_of[row][0]])
            sums[self.place_of(device, row) != "device"] += size
        return sums[0], sums[1]

    def make_room(
        self, device: D3D9Device, needs: ResourceLayout, kind: int, refusal: Refusal, newcomer: str, incoming: int = -1
    ) -> tuple[int, Taken] | Refusal:
        """Send resources out of LOCAL memory until there is a hole; those that this scene used stay."""
        state = device.state
        why = f"to make room for {needs.size_bytes:,} B of {newcomer}"
        for row in self._order.copy().victims(None):
            if row == incoming or row in device.used_in_scene or device.things.held.get(row):
                continue
            if not self._send_away(device, row, why):
                break
            taken = state.take("LOCAL", needs.size_bytes, needs.alignment, kind)
            if not isinstance(taken, Refusal):
                return taken
            refusal = taken
        return refusal

    def touch(self, device: D3D9Device, row: int, block: int) -> bool:
        """Use a resource; one that was sent away comes home. False when the device cannot reach it at all."""
        if row in self._order:
            self._order.touch(row, max(device.state.log.frame, 0), device.state.log.time_ns)
            return True
        if self._home.get(row) != "LOCAL":
            return True
        return self._come_home(device, row, block)

    def copy(self) -> VirtualMemory:
        """Return an independent copy."""
        other = VirtualMemory.__new__(VirtualMemory)
        other._order, other._home, other.evicted_bytes = self._order.copy(), dict(self._home), self.evicted_bytes
        return other

    def _send_away(self, device: D3D9Device, row: int, why: str) -> bool:
        state = device.state
        block = device.blocks_of[row][0]
        size, alignment = int(state.blocks["size"][block]), int(state.blocks["alignment"][block])
        source = device.segment_of(block).name
        taken, kind = state.take("NON_LOCAL", size, alignment), EventKind.DEMOTED
        rate = state.adapter.bus.from_gpu_bytes_per_s
        if isinstance(taken, Refusal):
            taken, kind, rate = (
                state.take("PAGE_FILE", size, 1),
                EventKind.PAGED_OUT,
                system_memory.page_file_rate(state),
            )
        if isinstance(taken, Refusal):
            return False
        self._order.evict(row)
        system_memory.move_block(state, block, *taken)
        marks = int(state.blocks["state"][block]) | _MOVED
        reachable = kind is EventKind.DEMOTED
        state.blocks["state"][block] = marks | _RESIDENT if reachable else marks & ~_RESIDENT
        state.resources["resident"][row] = reachable
        self.evicted_bytes += size
        name, where = device.name(row), state.segments[taken[0]].name
        level = int(state.resources["priority"][row])
        text = f"{name}: {size:,} B left {source} for {where} {why}; priority 0x{level:08X}."
        state.log.add(kind, name, where, size, rule="d3d9.R10.4", text=text)
        device.spend(transfer=cost.transfer_ns(size, rate))
        return True

    def _come_home(self, device: D3D9Device, row: int, block: int) -> bool:
        state = device.state
        size, alignment = int(state.blocks["size"][block]), int(state.blocks["alignment"][block])
        kind, before = int(state.blocks["kind"][block]), device.segment_of(block)
        taken = state.take("LOCAL", size, alignment, kind)
        if isinstance(taken, Refusal):
            needs = device.things.of[row].layout
            taken = self.make_room(device, needs, kind, taken, device.name(row), incoming=row)
        if isinstance(taken, Refusal):
            # From non-local memory the GPU reads over the bus; out of the page file it cannot.
            return before.group == "NON_LOCAL"
        system_memory.move_block(state, block, *taken)
        state.blocks["state"][block] |= _MOVED | _RESIDENT
        state.resources["resident"][row] = True
        self._order.insert(row, size, int(state.resources["priority"][row]))
        name, where = device.name(row), state.segments[taken[0]].name
        from_disk = before.group == "PAGE_FILE"
        rate = system_memory.page_file_rate(state) if from_disk else state.adapter.bus.to_gpu_bytes_per_s
        text = f"{name}: {size:,} B came back to {where} from {before.name} on use."
        state.log.add(EventKind.PAGED_IN, name, where, size, rule="d3d9.R10.4", text=text)
        device.spend(transfer=cost.transfer_ns(size, rate))
        return True


def is_virtual(device: D3D9Device, row: int) -> bool:
    """Return whether the system moves a resource: DEFAULT ones of a 9Ex device."""
    return device.runtime.ex and device.things.of[row].resource.pool == Pool.DEFAULT
