"""The ring and the free list that engines take descriptor slots from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from explorer.core.calls import CallRecord
from explorer.device.cost import FRAMES_IN_FLIGHT
from explorer.device.d3d12_common import reason
from explorer.memory.allocators.protocol import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.verdicts import Verdict
    from explorer.device.d3d12 import D3D12Device

RING, FREE_LIST, LATEST = "ring", "free-list", "latest"
"""What may stand for a slot's number: the next of the ring, the lowest free one, the first of those given out last."""

_FREE, _OUT, _COMING_BACK = 0, 1, 2


@dataclass(slots=True)
class SlotAllocator:
    """Gives out the slots of one descriptor heap.

    Attributes:
        slots: Slots of the heap.
        head: Where the ring goes on.
        taken: Ranges of the ring that are out, oldest first: (first, count, frame in which they were given out).
        used: One byte for each slot of the free list; empty while nothing was taken from it.
        freed: Slots of the free list that come back: (frame, slot).
        next_free: No slot below it is free.
        latest: First slot of what was given out last; −1 where the last request was refused.
        refused: How often there was no room.
        is_shared: A checkpoint holds the same bytes: they are copied before they are written.
    """

    slots: int
    head: int = 0
    taken: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    used: bytearray = field(default_factory=bytearray)
    freed: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    next_free: int = 0
    latest: int = 0
    refused: int = 0
    is_shared: bool = False

    def from_ring(self, count: int, frame: int) -> int | None:
        """Return the first of ``count`` slots behind the last ones, or None while the GPU may read them."""
        self.taken = self.ring_parts(frame)
        start = self.head if self.head + count <= self.slots else 0
        if count > self.slots or any(first < start + count and start < first + many for first, many, _ in self.taken):
            self._refuse()
            return None
        self.taken.append((start, count, frame))
        self.head = start + count
        self.latest = start
        return start

    def from_free_list(self, frame: int) -> int | None:
        """Return the lowest free slot, or None."""
        self._own()
        if not self.used:
            self.used = bytearray(self.slots)
        self._take_back(frame)
        slot = self.used.find(_FREE, self.next_free)
        if slot < 0:
            self.next_free = self.slots
            self._refuse()
            return None
        self.used[slot] = _OUT
        self.next_free = slot + 1
        self.latest = slot
        return slot

    def give_back(self, slot: int, frame: int) -> None:
        """Let a slot come back when the GPU is done with the frames so far."""
        if slot < len(self.used) and self.used[slot] == _OUT:
            self._own()
            self.used[slot] = _COMING_BACK
            self.freed.append((frame, slot))

    def ring_parts(self, frame: int) -> list[tuple[int, int, int]]:
        """Return the parts of the ring that are still out in a frame, oldest first."""
        return [part for part in self.taken if part[2] + FRAMES_IN_FLIGHT > frame]

    def bytes_in(self, frame: int) -> npt.NDArray[np.uint8]:
        """Return what each slot of the free list is in a frame: 0 free, 1 out, 2 coming back. A copy."""
        found = np.frombuffer(self.used, np.uint8).copy()
        found[[slot for back, slot in self.freed if back + FRAMES_IN_FLIGHT <= frame]] = _FREE
        return found

    def copy(self) -> SlotAllocator:
        """Return a copy that shares the bytes until one of the two is written."""
        self.is_shared = True
        return replace(self, taken=list(self.taken), freed=list(self.freed))

    def _refuse(self) -> None:
        self.refused += 1
        self.latest = -1

    def _take_back(self, frame: int) -> None:
        done = 0
        for back, slot in self.freed:
            if back + FRAMES_IN_FLIGHT > frame:
                break
            self.used[slot] = _FREE
            self.next_free = min(self.next_free, slot)
            done += 1
        del self.freed[:done]

    def _own(self) -> None:
        if self.is_shared:
            self.used = bytearray(self.used)
            self.is_shared = False


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
        # An engine that got no slots has nothing to point a table at.
        return allocator.latest if allocator.latest >= 0 else None
    return allocator.from_ring(count, frame) if how == RING else allocator.from_free_list(frame)


def _no_slot(device: D3D12Device, record: CallRecord, name: str, how: str) -> Verdict:
    heap = device.descriptors[name]
    is_ring = how == RING or not device.slot_allocators[name].used
    why = reason("device.ring-full" if is_ring else "device.free-slot")
    refusal = Refusal(heap.increment, 1, 0, 0, 0, 0, "alloc.locked" if is_ring else "alloc.too-few-bytes")
    return device.no_room(record, "E_OUTOFMEMORY", name, refusal, why.rule, why.source)
