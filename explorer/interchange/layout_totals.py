"""The sums of a layout, counted as the allocator libraries count them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.columns import Bools, Int32, Int64
from explorer.interchange.opened import HeapLayout, Layout

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class PlacedRanges:
    """Ranges of several heaps on one axis on which the heaps follow each other.

    Attributes:
        start: First byte on the axis, sorted.
        end: Byte after the last one.
        order: Row of the caller's columns for each range.
        reach: Largest end of all ranges before each one; the heap's start for the first of a heap.
    """

    start: Int64
    end: Int64
    order: Int64
    reach: Int64

    @property
    def shared(self) -> Int64:
        """Bytes of each range that lie under an earlier one too."""
        return np.clip(np.minimum(self.end, self.reach) - self.start, 0, None)

    def overlapping(self) -> Bools:
        """Return which of the caller's rows share bytes with another one."""
        mask = np.zeros(len(self.start), np.bool_)
        mask[self.order] = self.start < self.reach
        # The next start is the smallest of all later ones.
        mask[self.order[:-1][self.start[1:] < self.end[:-1]]] = True
        return mask


def place_ranges(heap: Int32, offset: Int64, size: Int64, base: Int64) -> PlacedRanges:
    """Put ranges in heaps on one axis.

    Args:
        heap: Index of the heap of each range.
        offset: First byte in the heap.
        size: Bytes.
        base: Start of each heap on the axis; heaps do not overlap.
    """
    floor = base[heap]
    start = floor + offset
    # Dumps print ranges in order: looking is much cheaper than sorting, and nothing has to be moved then.
    if len(start) < 2 or bool(np.all(start[1:] > start[:-1])):
        order = np.arange(len(start))
    else:
        order = np.lexsort((-size, start))
        start, size, floor = start[order], size[order], floor[order]
    end = start + size
    reach = np.empty_like(end)
    if len(end):
        reach[0] = floor[0]
        np.maximum.accumulate(end[:-1], out=reach[1:])
        np.maximum(reach, floor, out=reach)
    return PlacedRanges(start, end, order, reach)


def gap_counts(heap: Int32, offset: Int64, size: Int64, heap_size: Int64) -> Int64:
    """Return how many ranges of each heap lie under none of the given ranges, shape (heaps,)."""
    count = len(heap_size)
    end = offset + size
    same = heap[1:] == heap[:-1]
    in_order = bool(np.all(np.where(same, offset[1:] > offset[:-1], heap[1:] > heap[:-1])))
    if in_order and bool(np.all(end <= heap_size[heap])):
        return _gaps_in_order(heap, offset, end, heap_size)
    # One byte between the heaps, so that the end of one is not the start of the next.
    base = np.cumsum(heap_size + 1) - (heap_size + 1)
    every = np.arange(count, dtype=np.int32)
    # An empty range at the end of each heap makes its tail a gap like any other.
    placed = place_ranges(
        np.concatenate([heap, every]),
        np.concatenate([offset, heap_size]),
        np.concatenate([size, np.zeros(count, np.int64)]),
        base,
    )
    owner = np.concatenate([heap, every])[placed.order]
    return np.bincount(owner[placed.start > placed.reach], minlength=count).astype(np.int64)


def _gaps_in_order(heap: Int32, offset: Int64, end: Int64, heap_size: Int64) -> Int64:
    """Count gaps where the ranges come in order, as dumps print them: without a sort."""
    count = len(heap_size)
    base = np.cumsum(heap_size) - heap_size
    reach = np.maximum.accumulate(base[heap] + end) if len(heap) else np.zeros(0, np.int64)
    first = np.ones(len(heap), np.bool_)
    first[1:] = heap[1:] != heap[:-1]
    before = np.zeros(len(heap), np.int64)
    before[1:] = reach[:-1]
    before[first] = base[heap[first]]
    found = np.bincount(heap[base[heap] + offset > before], minlength=count)
    covered = base.copy()
    np.maximum.at(covered, heap, reach)
    return (found + (covered < base + heap_size)).astype(np.int64)


def segment_layouts(snapshot: Snapshot, free_ranges: Int64 | None = None) -> tuple[Layout, ...]:
    """Return the sums of each segment of a snapshot.

    A block that lies directly in a segment counts as a block of memory of its own, as a dedicated allocation does.

    Args:
        snapshot: The layout.
        free_ranges: Free ranges of each heap where a file lists them; else the gaps are counted, shape (heaps,).
    """
    heaps, blocks = snapshot.heaps, snapshot.blocks
    count = len(snapshot.segments)
    in_heap = np.flatnonzero((blocks.heap >= 0) & (blocks.offset >= 0))
    heap = blocks.heap[in_heap]
    base = np.cumsum(heaps.size) - heaps.size
    placed = place_ranges(heap, blocks.offset[in_heap], blocks.size[in_heap], base)
    owner = heaps.segment[heap[placed.order]]
    direct = np.flatnonzero(blocks.heap < 0)
    if free_ranges is None:
        free_ranges = gap_counts(heap, blocks.offset[in_heap], blocks.size[in_heap], heaps.size)
    layouts: list[Layout] = []
    for segment in range(count):
        here = heaps.segment == segment
        alone = direct[blocks.segment[direct] == segment]
        alone_bytes = int(blocks.size[alone].sum())
        inside = np.flatnonzero((blocks.heap >= 0) & (heaps.segment[blocks.heap] == segment) if len(heaps) else [])
        block_bytes = int(heaps.size[here].sum()) + alone_bytes
        allocation_bytes = int(blocks.size[inside].sum()) + alone_bytes
        overlap = int(placed.shared[owner == segment].sum())
        layouts.append(
            Layout(
                blocks=int(here.sum()) + len(alone),
                dedicated=int((here & heaps.committed).sum()) + len(alone),
                allocations=len(inside) + len(alone),
                block_bytes=block_bytes,
                allocation_bytes=allocation_bytes,
                free_ranges=int(free_ranges[here].sum()),
                free_bytes=block_bytes - allocation_bytes + overlap,
                overlap_bytes=overlap,
            )
        )
    return tuple(layouts)


def heap_layouts(snapshot: Snapshot, free_ranges: Int64 | None = None) -> tuple[HeapLayout, ...]:
    """Return the sums of each segment with its name; ``free_ranges`` as in ``segment_layouts``."""
    layouts = segment_layouts(snapshot, free_ranges)
    return tuple(
        HeapLayout(segment.name, segment.group or "VIRTUAL", layout)
        for segment, layout in zip(snapshot.segments, layouts, strict=True)
    )
