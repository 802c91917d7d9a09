"""Descriptor slots over time: who still needs them, and the ring and the free list that engines take them from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from explorer.core.calls import CallRecord
from explorer.core.events import EventKind
from explorer.device.cost import FRAMES_IN_FLIGHT
from explorer.device.d3d12_common import reason
from explorer.memory.allocators.protocol import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.verdicts import Verdict
    from explorer.device.d3d12 import D3D12Device

RING, FREE_LIST, LATEST = "ring", "free-list", "latest"
"""What may stand for a slot's number: the next of the ring, the lowest free one, the first of those given out last."""


@dataclass(frozen=True, slots=True)
class TableUse:
    """A range of slots that a list reads.

    Attributes:
        heap: Name of the descriptor heap.
        first: First slot.
        count: Slots.
        is_static: They stay as they are from the recording on.
        is_bounded: Every slot of the range may be read.
        list_name: The list.
        done_frame: Frame in which the GPU is done; −1 while it was not executed.
    """

    heap: str
    first: int
    count: int
    is_static: bool
    is_bounded: bool
    list_name: str
    done_frame: int = -1

    def overlap(self, first: int, count: int) -> int:
        """Return how many slots are shared with a range."""
        return max(0, min(self.first + self.count, first + count) - max(self.first, first))


@dataclass(slots=True)
class SlotAllocator:
    """Gives out the slots of one descriptor heap.

    Attributes:
        slots: Slots of the heap.
        head: Where the ring goes on.
        taken: Ranges of the ring that are out, oldest first: (first, count, frame in which they were given out).
        used: Slots of the free list that are out.
        freed: Slots of the free list that come back: (frame, slot).
        latest: First slot of what was given out last.
    """

    slots: int
    head: int = 0
    taken: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    used: set[int] = field(default_factory=set[int])
    freed: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    next_free: int = 0
    latest: int = 0

    def from_ring(self, count: int, frame: int) -> int | None:
        """Return the first of ``count`` slots behind the last ones, or None while the GPU may read them."""
        while self.taken and self.taken[0][2] + FRAMES_IN_FLIGHT <= frame:
            self.taken.pop(0)
        start = self.head if self.head + count <= self.slots else 0
        if count > self.slots or any(first < start + count and start < first + many for first, many, _ in self.taken):
            return None
        self.taken.append((start, count, frame))
        self.head = start + count
        self.latest = start
        return start

    def from_free_list(self, frame: int) -> int | None:
        """Return the lowest free slot, or None."""
        while self.freed and self.freed[0][0] + FRAMES_IN_FLIGHT <= frame:
            slot = self.freed.pop(0)[1]
            self.used.discard(slot)
            self.next_free = min(self.next_free, slot)
        slot = self.next_free
        while slot in self.used:
            slot += 1
        if slot >= self.slots:
            return None
        self.used.add(slot)
        self.next_free = slot + 1
        self.latest = slot
        return slot

    def give_back(self, slot: int, frame: int) -> None:
        """Let a slot come back when the GPU is done with the frames so far."""
        if slot in self.used:
            self.freed.append((frame, slot))

    def copy(self) -> SlotAllocator:
        """Return an independent copy."""
        return SlotAllocator(
            self.slots, self.head, list(self.taken), set(self.used), list(self.freed), self.next_free, self.latest
        )


def complete(device: D3D12Device, record: CallRecord) -> CallRecord | Verdict:
    """Return the record with slot numbers in the place of ``ring``, ``free-list`` and ``latest``.

    A record that names one of these leaves the slot to the product, as an engine leaves it to its own allocator.
    """
    inputs = dict(record.inputs)
    for key in ("DestDescriptor", "DestDescriptorRangeStart", "BaseDescriptor"):
        handle = inputs.get(key)
        if not isinstance(handle, dict):
            continue
        named = cast("Mapping[str, Any]", handle)
        how = named.get("index")
        if how not in (RING, FREE_LIST, LATEST):
            continue
        name = str(named.get("heap"))
        device.state.find(name, "descriptor_heap", where=f"input.{key}.heap")
        count = inputs.get("NumDescriptors", 1) if key == "DestDescriptorRangeStart" else 1
        slot = _take(device, name, str(how), count if isinstance(count, int) else 1)
        if slot is None:
            return _no_slot(device, record, name, str(how))
        inputs[key] = {"heap": name, "index": slot}
    return CallRecord(record.api, record.call, inputs, record.out)


def wants_slots(record: CallRecord) -> bool:
    """Return whether a record leaves a slot to the product."""
    for key in ("DestDescriptor", "DestDescriptorRangeStart", "BaseDescriptor"):
        handle = record.inputs.get(key)
        if isinstance(handle, dict) and isinstance(cast("Mapping[str, Any]", handle).get("index"), str):
            return True
    return False


def check_overwrite(device: D3D12Device, heap: str, first: int, count: int) -> None:
    """Report a hazard when slots are overwritten that a list still needs."""
    frame, log = device.state.log.frame, device.state.log
    for use in device.in_flight:
        shared = use.overlap(first, count) if use.heap == heap and use.done_frame > frame else 0
        if shared:
            text = (
                f"{shared:,} slots of {heap} from {max(first, use.first):,} on were overwritten while the GPU may "
                f"still read them for {use.list_name}."
            )
            log.add(EventKind.HAZARD, heap, rule="device.table-read", text=text)
            return
    for name, recorded in device.lists.items():
        for use in recorded.tables:
            if use.is_static and use.heap == heap and use.overlap(first, count):
                text = f"{heap}: slots of a static range that {name} has recorded were overwritten."
                log.add(EventKind.HAZARD, heap, rule="device.static-range", text=text)
                return


def end_frame(device: D3D12Device) -> None:
    """Forget the reads that are done when the next frame begins."""
    frame = device.state.log.frame
    device.in_flight = [use for use in device.in_flight if use.done_frame > frame]


def give_back(device: D3D12Device, heap: str, slots: list[int]) -> None:
    """Return slots whose resource is gone to the heap's free list."""
    allocator = device.slot_allocators.get(heap)
    if allocator is not None:
        for slot in slots:
            allocator.give_back(slot, device.state.log.frame)


def _take(device: D3D12Device, name: str, how: str, count: int) -> int | None:
    allocator = device.slot_allocators.get(name)
    if allocator is None:
        allocator = device.slot_allocators[name] = SlotAllocator(device.descriptors[name].desc.NumDescriptors)
    frame = device.state.log.frame
    if how == LATEST:
        return allocator.latest
    return allocator.from_ring(count, frame) if how == RING else allocator.from_free_list(frame)


def _no_slot(device: D3D12Device, record: CallRecord, name: str, how: str) -> Verdict:
    heap = device.descriptors[name]
    why = reason("device.ring-full" if how == RING else "device.free-slot")
    refusal = Refusal(heap.increment, 1, 0, 0, 0, 0, "alloc.locked" if how == RING else "alloc.too-few-bytes")
    return device.no_room(record, "E_OUTOFMEMORY", name, refusal, why.rule, why.source)
