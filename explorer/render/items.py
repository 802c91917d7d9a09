"""Where every block and every wasted range lies on the map: sorted columns on one common axis.

The lanes of a map follow each other on one axis of bytes, the *map axis*; a lane is a range of it. So a scan, a hit
test or a sum over any lane, or over a group of lanes, is a slice of the same sorted columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.columns import Bools, Int32, Int64
from explorer.core.kinds import BlockState
from explorer.render.overlaps import split_overlaps

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """What lies on the map's axis, sorted by start.

    Attributes:
        start: First byte on the map axis.
        end: Byte after the last one.
        reach: Largest ``end`` up to and including each row: sorted, for binary search.
        block: Index of the block, −1 for a wasted range.
        waste: Index of the wasted range, −1 for a block.
        evicted: True where the GPU cannot use the bytes in their own place, or where they have left it.
        away: True where the bytes are counted in another lane (the look of an evicted heap at its home).
    """

    start: Int64
    end: Int64
    reach: Int64
    block: Int32
    waste: Int32
    evicted: Bools
    away: Bools

    def __len__(self) -> int:
        return len(self.start)

    def between(self, first: int, end: int) -> slice:
        """Return the rows that touch ``[first, end)``; rows of overlapping items may include some that do not."""
        low = int(self.reach.searchsorted(first, "right"))
        high = int(self.start.searchsorted(end, "left"))
        return slice(low, max(low, high))


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where the lanes put heaps and segments on the map axis; −1 where they have no place.

    Attributes:
        home: Start of each heap in the segment where it belongs, shape (heaps,).
        current: Start of each heap that is away from home, where it is now, shape (heaps,).
        direct: Start of the lane of blocks that lie directly in a segment, shape (segments,).
        unknown: Start of the lane of blocks without a known offset, shape (segments,).
        direct_end: End of the direct lane, shape (segments,).
        heap_bytes: Drawn bytes of each heap, shape (heaps,).
    """

    home: Int64
    current: Int64
    direct: Int64
    unknown: Int64
    direct_end: Int64
    heap_bytes: Int64


def demoted(snapshot: Snapshot) -> Bools:
    """Return which heaps are away from the segment where they belong, shape (heaps,)."""
    return snapshot.heaps.segment != snapshot.heaps.home


def _demoted_blocks(snapshot: Snapshot) -> Bools:
    heap = snapshot.blocks.heap
    if not len(snapshot.heaps):
        return np.zeros(len(heap), np.bool_)
    return (heap >= 0) & demoted(snapshot)[heap]


def evicted_blocks(snapshot: Snapshot) -> Bools:
    """Return which blocks the GPU cannot use now although it once could, shape (blocks,).

    The system-memory copy of a managed resource is no evicted block: it lives where it belongs.
    """
    state = snapshot.blocks.state
    return ((state & (BlockState.RESIDENT | BlockState.MASTER_COPY)) == 0) | _demoted_blocks(snapshot)


def evicted_in_place(snapshot: Snapshot) -> Bools:
    """Return which blocks the GPU cannot use although they lie where they belong, shape (blocks,)."""
    return evicted_blocks(snapshot) & ~_demoted_blocks(snapshot)


def build_items(snapshot: Snapshot, places: Places) -> tuple[Items, Items, int]:
    """Return the items of the rows, which do not overlap, the aliases over them, which may, and shared bytes.

    Of blocks that share bytes, those own the row that begin first and do not overlap one another: active ones before
    inactive ones, and of two with the same start the larger. Every other one is an alias: it keeps its whole range in
    the second table, and bytes that no owner covers are its own in the first. Shared bytes lie under at least two
    blocks and count once.
    """
    start, end, block, away = _placed_blocks(snapshot, places)
    inactive = (snapshot.blocks.state[block] & BlockState.INACTIVE) != 0
    # In most layouts nothing overlaps, and blocks come in order: then all of this is skipped.
    overlapping = bool(np.any(end[:-1] > start[1:]))
    if overlapping:
        order = np.lexsort((block, start - end, inactive, start))
        start, end, block, away, inactive = start[order], end[order], block[order], away[order], inactive[order]
    evicted = evicted_in_place(snapshot)[block] | away
    waste = _placed_wastes(snapshot, places)
    own = split_overlaps(start, end, inactive) if overlapping else None
    if own is None:
        rows = _merge((start, end, block, evicted, away), waste)
        nothing = np.zeros(0, np.int64)
        empty = _table(nothing, nothing, block[:0], block[:0], evicted[:0], away[:0])
        return rows, empty, 0
    which, own_start, own_end, alias = own
    rows = _merge((own_start, own_end, block[which], evicted[which], away[which]), waste)
    no_waste = np.full(int(alias.sum()), -1, np.int32)
    aliases = _table(start[alias], end[alias], block[alias], no_waste, evicted[alias], away[alias])
    before = np.zeros_like(end)
    before[1:] = np.maximum.accumulate(end)[:-1]
    shared = (start < before) & ~away
    return rows, aliases, _union(start[shared], np.minimum(end, before)[shared])


def _union(start: Int64, end: Int64) -> int:
    """Return the bytes under at least one of the ranges, which are sorted by start."""
    if not len(start):
        return 0
    reach = np.maximum.accumulate(end)
    floor = np.append(start[0], reach[:-1])
    return int(np.maximum(end - np.maximum(start, floor), 0).sum())


def _placed_blocks(snapshot: Snapshot, places: Places) -> tuple[Int64, Int64, Int32, Bools]:
    blocks = snapshot.blocks
    heap, offset, size = blocks.heap, blocks.offset, blocks.size
    parts: list[tuple[Int64, Int64, Int32, bool]] = []
    known = offset >= 0
    in_heap = np.flatnonzero((heap >= 0) & known).astype(np.int32)
    if len(in_heap):
        away = demoted(snapshot)
        for base, elsewhere in ((places.home, True), (places.current, False)):
            use = in_heap[base[heap[in_heap]] >= 0]
            first = base[heap[use]]
            gone = away[heap[use]] if elsewhere else np.zeros(len(use), np.bool_)
            stop = np.minimum(first + offset[use] + size[use], first + places.heap_bytes[heap[use]])
            for flag in (False, True):
                part = gone == flag
                if part.any():
                    chosen = use[part]
                    parts.append(((first + offset[use])[part], stop[part], chosen, flag))
    direct = np.flatnonzero((heap < 0) & known).astype(np.int32)
    direct = direct[places.direct[blocks.segment[direct]] >= 0]
    if len(direct):
        first = places.direct[blocks.segment[direct]] + offset[direct]
        stop = np.minimum(first + size[direct], places.direct_end[blocks.segment[direct]])
        parts.append((first, stop, direct, False))
    for segment in np.unique(blocks.segment[~known]):
        lost = np.flatnonzero(~known & (blocks.segment == segment)).astype(np.int32)
        stop = places.unknown[segment] + np.cumsum(size[lost])
        parts.append((stop - size[lost], stop, lost, False))
    if not parts:
        none = np.zeros(0, np.int64)
        return none, none, none.astype(np.int32), none.astype(np.bool_)
    start = np.concatenate([part[0] for part in parts])
    end = np.concatenate([part[1] for part in parts])
    block = np.concatenate([part[2] for part in parts])
    gone = np.concatenate([np.full(len(part[2]), part[3]) for part in parts])
    keep = end > start
    if not keep.all():
        start, end, block, gone = start[keep], end[keep], block[keep], gone[keep]
    if len(start) > 1 and not bool(np.all(start[:-1] <= start[1:])):
        order = np.argsort(start, kind="stable")
        start, end, block, gone = start[order], end[order], block[order], gone[order]
    return start, end, block, gone


def _placed_wastes(snapshot: Snapshot, places: Places) -> tuple[Int64, Int64, Int32]:
    wastes = snapshot.wastes
    first = np.full(len(wastes), -1, np.int64)
    known = wastes.offset >= 0
    direct = (wastes.heap < 0) & known
    first[direct] = places.direct[wastes.segment[direct]]
    held = (wastes.heap >= 0) & known
    if held.any():
        heap = wastes.heap[held]
        first[held] = np.where(places.current[heap] >= 0, places.current[heap], places.home[heap])
    use = np.flatnonzero(first >= 0).astype(np.int32)
    start = first[use] + wastes.offset[use]
    order = np.argsort(start, kind="stable")
    use, start = use[order], start[order]
    return start, start + wastes.size[use], use


def _merge(held: tuple[Int64, Int64, Int32, Bools, Bools], wasted: tuple[Int64, Int64, Int32]) -> Items:
    start, end, block, evicted, away = held
    waste = np.full(len(start), -1, np.int32)
    waste_start, waste_end, waste_index = wasted
    if not len(waste_start):
        return _table(start, end, block, waste, evicted, away)
    none = np.zeros(len(waste_start), np.bool_)
    start = np.concatenate([start, waste_start])
    # Blocks come first among equal starts: a wasted range that a block covers is cut away, never the block.
    order = np.argsort(start, kind="stable")
    start = start[order]
    end = np.concatenate([end, waste_end])[order]
    block = np.concatenate([block, np.full(len(none), -1, np.int32)])[order]
    waste = np.concatenate([waste, waste_index])[order]
    evicted = np.concatenate([evicted, none])[order]
    away = np.concatenate([away, none])[order]
    is_waste = waste >= 0
    reach = np.maximum.accumulate(np.where(is_waste, 0, end))
    start = np.where(is_waste, np.maximum(start, reach), start)
    following = np.append(start[1:], np.iinfo(np.int64).max)
    end = np.where(is_waste, np.minimum(end, following), end)
    keep = end > start
    return _table(start[keep], end[keep], block[keep], waste[keep], evicted[keep], away[keep])


def _table(start: Int64, end: Int64, block: Int32, waste: Int32, evicted: Bools, away: Bools) -> Items:
    reach = np.maximum.accumulate(end) if len(end) else end.copy()
    arrays = (start, end, reach, block, waste, evicted, away)
    for array in arrays:
        array.flags.writeable = False
    return Items(*arrays)
