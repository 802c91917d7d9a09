"""What lies behind the tiles of reserved resources, and who shows a tile of a heap; from the runs of a snapshot.

Nothing is spread out tile by tile: a question about some tiles takes the time of these tiles and of the runs.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from explorer.core.columns import HEAP_GONE, Bytes8, Int64
from explorer.core.tiles import TILE_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.sim.snapshot import Snapshot

RESERVED = "RESERVED"
"""The word of ``ResourceColumns.places`` for reserved resources."""


class TileState(enum.IntEnum):
    """What is behind a tile of a resource; the order is that of legends."""

    MAPPED = 0
    FRESH = 1
    """Mapped in the frame that is shown."""
    SHARED = 2
    """Its heap tile is also behind another tile or under a placed resource."""
    NONE = 3
    """NULL: no memory."""
    GONE = 4
    """Its heap was destroyed."""


class PoolState(enum.IntEnum):
    """What shows a tile of a heap; the order is that of legends."""

    OWN = 0
    """Only the selected resource."""
    OTHER = 1
    """Only another resource."""
    SHARED = 2
    """More than one tile or resource."""
    FREE = 3


@dataclass(frozen=True, slots=True)
class Mapper:
    """Something that shows a tile of a heap.

    Attributes:
        resource: Index of the resource.
        tile: First tile of the resource that shows it; −1 for a placed resource.
        tiles: How many of its tiles in a row show it.
    """

    resource: int
    tile: int
    tiles: int


@dataclass(frozen=True, slots=True)
class TileFacts:
    """What is known about one tile of a reserved resource.

    Attributes:
        tile: Tile of the resource.
        state: What is behind it.
        is_fresh: Whether a call of the frame that is shown put it into this state.
        heap: Index of the heap, −1 for none.
        heap_tile: Tile of the heap, or of the one that is gone.
        run_first: First tile of the run that the same call mapped; −1 where no call named the tile.
        run_tile: Heap tile behind that one.
        step: Heap tiles from one tile of the run to the next.
        frame: Frame of the call, −1 for none.
        event: Number of its event, −1 for none.
        shown_by: How many tiles and placed resources show the heap tile, this one included.
    """

    tile: int
    state: TileState
    is_fresh: bool
    heap: int
    heap_tile: int
    run_first: int
    run_tile: int
    step: int
    frame: int
    event: int
    shown_by: int


_LISTED = 1 << 22
"""Heaps of up to so many tiles (256 GiB) have a list of what lies in each; an absurd file has none."""

_COLUMNS = ("_first", "_count", "_heap", "_tile", "_step", "_frame", "_event")


def _same_places(one: Snapshot, two: Snapshot) -> bool:
    """Return whether nothing came, went or moved between two snapshots of the same run."""
    return one.origin == two.origin == "simulated" and one.generation == two.generation


class _Depths:
    """How many tiles and placed resources show each tile of one heap, as steps.

    Args:
        start: First tiles of ranges.
        end: Tiles behind the last ones.
        weight: How often each range shows its tiles.
    """

    def __init__(self, start: Int64, end: Int64, weight: Int64) -> None:
        at = np.concatenate((start, end))
        self._listed: Int64 | None = None
        self._at, inverse = np.unique(at, return_inverse=True)
        # Whole numbers far below 2^53: sums of doubles are exact.
        change = np.bincount(inverse, np.concatenate((weight, -weight)), len(self._at))
        self._depth = np.cumsum(change.astype(np.int64))
        widths = np.diff(self._at)
        self._many = np.append(0, np.cumsum(widths * (self._depth[:-1] > 1))) if len(at) else np.zeros(0, np.int64)
        self._any = np.append(0, np.cumsum(widths * (self._depth[:-1] > 0))) if len(at) else np.zeros(0, np.int64)

    def at(self, tiles: Int64) -> Int64:
        """Return how often tiles are shown."""
        if not len(self._at):
            return np.zeros(len(tiles), np.int64)
        place = self._place(tiles)
        return np.where(place >= 0, self._depth[np.maximum(place, 0)], 0)

    def shared(self, start: Int64, end: Int64) -> Int64:
        """Return how many tiles of each range are shown more than once."""
        return self._measure(self._many, 1, end) - self._measure(self._many, 1, start)

    def shown(self, start: int, end: int) -> int:
        """Return how many tiles of a range are shown at all."""
        both = self._measure(self._any, 0, np.array([start, end], np.int64))
        return int(both[1] - both[0])

    def _place(self, tiles: Int64) -> Int64:
        """Return the step that each tile lies in, −1 before the first one."""
        last = int(self._at[-1])
        if last > _LISTED:
            return np.searchsorted(self._at, tiles, "right") - 1
        if self._listed is None:
            # Scattered tiles are found in a list twenty times sooner than by halving.
            marks = np.zeros(last + 1, np.int64)
            marks[self._at] = 1
            self._listed = np.cumsum(marks) - 1
        return self._listed[np.minimum(tiles, last)]

    def _measure(self, below: Int64, over: int, tiles: Int64) -> Int64:
        """Return the tiles before some tiles that are shown more often than ``over``."""
        if not len(self._at):
            return np.zeros(len(tiles), np.int64)
        place = np.maximum(self._place(tiles), 0)
        inside = np.maximum(tiles - self._at[place], 0) * (self._depth[place] > over)
        return below[place] + inside


class TileMap:
    """Answers about the tiles of one snapshot; what is asked for once is kept.

    Args:
        snapshot: Simulated or opened.
        before: What answered about an older snapshot: what did not change since is taken over.
    """

    def __init__(self, snapshot: Snapshot, before: TileMap | None = None) -> None:
        self.snapshot = snapshot
        self._owned: tuple[tuple[int, int], _Depths] | None = None
        self._now = max(snapshot.provenance.frame - 1, 0)
        """First frame whose calls count as those of the frame that is shown."""
        if before is not None and before.snapshot.tiles is snapshot.tiles and _same_places(before.snapshot, snapshot):
            for name in (*_COLUMNS, "_depths", "_heaps"):
                setattr(self, name, getattr(before, name))
            return
        tiles = snapshot.tiles
        columns: Sequence[npt.NDArray[Any]] = (
            tiles.first, tiles.count, tiles.heap, tiles.tile, tiles.step, tiles.frame, tiles.event,
        )  # fmt: skip
        self._first, self._count, self._heap, self._tile, self._step, self._frame, self._event = (
            column.astype(np.int64) for column in columns
        )
        self._depths: dict[int, _Depths] = {}
        self._heaps: dict[int, tuple[int, ...]] = {}

    def pools(self) -> tuple[int, ...]:
        """Return the heaps whose tiles are shown by reserved resources, in the order of the snapshot."""
        heaps = np.unique(self._heap)
        return tuple(int(heap) for heap in heaps if heap >= 0)

    def pools_of(self, resource: int) -> tuple[int, ...]:
        """Return the heaps behind a resource, the one with most tiles first."""
        if resource not in self._heaps:
            low, high = self._rows(resource)
            here = np.flatnonzero(self._heap[low:high] >= 0) + low
            tiles = np.bincount(self._heap[here], self._count[here])
            order = np.lexsort((np.arange(len(tiles)), -tiles))
            self._heaps[resource] = tuple(int(heap) for heap in order if tiles[heap])
        return self._heaps[resource]

    def behind(self, resource: int, tiles: Int64) -> Int64:
        """Return the heap tiles behind tiles of a resource, −1 where there is no memory."""
        row = self._row_at(resource, tiles)
        at = np.maximum(row, 0)
        if not len(self._first):
            return np.full(len(tiles), -1, np.int64)
        found = self._tile[at] + (tiles - self._first[at]) * self._step[at]
        return np.where((row >= 0) & (self._heap[at] >= 0), found, -1)

    def states(self, resource: int, tiles: Int64) -> Bytes8:
        """Return the ``TileState`` of tiles of a resource, uint8."""
        row = self._row_at(resource, tiles)
        known = row >= 0
        at = np.maximum(row, 0)
        found = np.full(len(tiles), TileState.NONE, np.uint8)
        if not known.any():
            return found
        heap = np.where(known, self._heap[at], -1)
        behind = self._tile[at] + (tiles - self._first[at]) * self._step[at]
        mapped = heap >= 0
        found[mapped] = np.where(self._frame[at] >= self._now, TileState.FRESH, TileState.MAPPED)[mapped]
        for one in self.pools_of(resource):
            here = heap == one
            found[np.flatnonzero(here)[self._depth(one).at(behind[here]) > 1]] = TileState.SHARED
        found[heap == HEAP_GONE] = TileState.GONE
        return found

    def counts(self, resource: int, total: int) -> tuple[int, ...]:
        """Return how many tiles of a resource are in each ``TileState``.

        Args:
            resource: Index of the resource.
            total: Tiles of the resource.
        """
        low, high = self._rows(resource)
        count, heap = self._count[low:high], self._heap[low:high]
        found = [0] * len(TileState)
        found[TileState.GONE] = int(count[heap == HEAP_GONE].sum())
        for one in self.pools_of(resource):
            here = np.flatnonzero(heap == one) + low
            size, step, start = self._count[here], self._step[here], self._tile[here]
            along = self._depth(one).shared(start, start + size)
            # A heap tile that is behind a whole run is shared by the tiles of the run already.
            shared = np.where(step == 1, along, np.where(size > 1, size, along))
            fresh = self._frame[here] >= self._now
            found[TileState.SHARED] += int(shared.sum())
            found[TileState.FRESH] += int((size - shared)[fresh].sum())
            found[TileState.MAPPED] += int((size - shared)[~fresh].sum())
        found[TileState.NONE] = total - sum(found)
        return tuple(found)

    def facts(self, resource: int, tile: int) -> TileFacts:
        """Return what is known about one tile of a resource."""
        row = int(self._row_at(resource, np.array([tile], np.int64))[0])
        state = TileState(int(self.states(resource, np.array([tile], np.int64))[0]))
        if row < 0:
            return TileFacts(tile, state, False, -1, 0, -1, 0, 1, -1, -1, 0)
        heap, first, step = int(self._heap[row]), int(self._first[row]), int(self._step[row])
        start = int(self._tile[row])
        behind = start + (tile - first) * step
        shown_by = int(self._depth(heap).at(np.array([behind], np.int64))[0]) if heap >= 0 else 0
        frame, event = int(self._frame[row]), int(self._event[row])
        return TileFacts(
            tile, state, frame >= self._now, heap, behind, first, start, step, frame, event, shown_by
        )  # fmt: skip

    def next_fresh(self, resource: int, tile: int, step: int) -> int | None:
        """Return the next tile in a direction that a call of the shown frame named, around the ends.

        Args:
            resource: Index of the resource.
            tile: Where to start.
            step: 1 or −1.
        """
        low, high = self._rows(resource)
        return _next_of(self._first[low:high][self._frame[low:high] >= self._now], tile, step)

    # -- heaps

    def pool_tiles(self, heap: int) -> int:
        """Return the tiles of a heap."""
        return int(self.snapshot.heaps.size[heap]) // TILE_BYTES

    def pool_states(self, heap: int, tiles: Int64, resource: int) -> Bytes8:
        """Return the ``PoolState`` of tiles of a heap, uint8.

        Args:
            heap: Index of the heap.
            tiles: Its tiles.
            resource: Index of the selected resource, −1 for none.
        """
        depth = self._depth(heap).at(tiles)
        found = np.full(len(tiles), PoolState.FREE, np.uint8)
        found[depth > 0] = PoolState.OTHER
        found[(depth > 0) & (self._own(heap, resource).at(tiles) > 0)] = PoolState.OWN
        found[depth > 1] = PoolState.SHARED
        return found

    def pool_counts(self, heap: int, resource: int) -> tuple[int, ...]:
        """Return how many tiles of a heap are in each ``PoolState``."""
        end = self.pool_tiles(heap)
        whole = np.array([0], np.int64), np.array([end], np.int64)
        depths, own = self._depth(heap), self._own(heap, resource)
        shared = int(depths.shared(*whole)[0])
        start, stop, _ = self._ranges(heap, resource) if resource >= 0 else (np.zeros(0, np.int64),) * 3
        # Each heap tile once: those that only this resource shows, and no other tile of it.
        parts = _union(start, stop)
        mine = own.shown(0, end) - int(depths.shared(*parts).sum())
        used = depths.shown(0, end)
        return mine, used - shared - mine, shared, end - used

    def mappers(self, heap: int, tile: int, most: int = 64) -> tuple[tuple[Mapper, ...], int]:
        """Return who shows a tile of a heap, reserved resources first, and how many there are.

        Args:
            heap: Index of the heap.
            tile: Its tile.
            most: Most that are listed.
        """
        length = np.where(self._step == 1, self._count, 1)
        rows = np.flatnonzero((self._heap == heap) & (self._tile <= tile) & (tile < self._tile + length))
        found = [
            Mapper(
                int(self.snapshot.tiles.resource[row]),
                int(self._first[row] + (tile - self._tile[row]) * self._step[row]),
                1 if self._step[row] else int(self._count[row]),
            )
            for row in rows[:most].tolist()
        ]
        start, end, resources = self._placed(heap)
        under = np.flatnonzero((start <= tile) & (tile < end))
        found += [Mapper(int(resources[at]), -1, 1) for at in under[: max(most - len(found), 0)].tolist()]
        return tuple(found), len(rows) + len(under)

    def next_fresh_in_pool(self, heap: int, tile: int, step: int) -> int | None:
        """Return the next tile of a heap in a direction that a call of the shown frame gave out, around the ends."""
        here = (self._heap == heap) & (self._frame >= self._now)
        return _next_of(np.unique(self._tile[here]), tile, step)

    # -- inside

    def _rows(self, resource: int) -> tuple[int, int]:
        of = self.snapshot.tiles.resource
        return int(np.searchsorted(of, resource, "left")), int(np.searchsorted(of, resource, "right"))

    def _row_at(self, resource: int, tiles: Int64) -> Int64:
        low, high = self._rows(resource)
        if low == high:
            return np.full(len(tiles), -1, np.int64)
        row = np.searchsorted(self._first[low:high], tiles, "right") - 1 + low
        at = np.maximum(row, low)
        return np.where((row >= low) & (tiles < self._first[at] + self._count[at]), row, -1)

    def _depth(self, heap: int) -> _Depths:
        if heap not in self._depths:
            start, end, weight = self._ranges(heap, -1)
            first, last, _ = self._placed(heap)
            self._depths[heap] = _Depths(
                np.concatenate((start, first)),
                np.concatenate((end, last)),
                np.concatenate((weight, np.ones(len(first), np.int64))),
            )
        return self._depths[heap]

    def _own(self, heap: int, resource: int) -> _Depths:
        key = heap, resource
        if self._owned is None or self._owned[0] != key:
            nothing = np.zeros(0, np.int64)
            self._owned = key, _Depths(*(self._ranges(heap, resource) if resource >= 0 else (nothing,) * 3))
        return self._owned[1]

    def _ranges(self, heap: int, resource: int) -> tuple[Int64, Int64, Int64]:
        """Return start, end and weight of what reserved resources (one, or all: −1) show of a heap."""
        here = self._heap == heap
        if resource >= 0:
            here &= self.snapshot.tiles.resource == resource
        start, count, step = self._tile[here], self._count[here], self._step[here]
        return start, start + np.where(step == 1, count, 1), np.where(step == 1, 1, count)

    def _placed(self, heap: int) -> tuple[Int64, Int64, Int64]:
        """Return first tile, tile behind the last and resource of what is placed in a heap."""
        blocks, resources = self.snapshot.blocks, self.snapshot.resources
        reserved = resources.places.index(RESERVED) if RESERVED in resources.places else -1
        rows = np.flatnonzero(blocks.heap == heap)
        owner = blocks.resource[rows].astype(np.int64)
        is_placed = np.ones(len(rows), np.bool_)
        if len(resources):
            is_placed = (owner < 0) | (resources.place[np.maximum(owner, 0)] != reserved)
        rows, owner = rows[is_placed], owner[is_placed]
        start = blocks.offset[rows] // TILE_BYTES
        return start, -(-(blocks.offset[rows] + blocks.size[rows]) // TILE_BYTES), owner


def _union(start: Int64, end: Int64) -> tuple[Int64, Int64]:
    """Return ranges joined where they meet, in order."""
    if not len(start):
        return start, end
    order = np.argsort(start, kind="stable")
    start, reach = start[order], np.maximum.accumulate(end[order])
    is_new = np.append(True, start[1:] > reach[:-1])
    firsts = np.flatnonzero(is_new)
    return start[firsts], reach[np.append(firsts[1:], len(start)) - 1]


def _next_of(starts: Int64, tile: int, step: int) -> int | None:
    """Return the next of some sorted numbers in a direction, around the ends."""
    if not len(starts):
        return None
    at = int(np.searchsorted(starts, tile, "right" if step > 0 else "left"))
    return int(starts[(at if step > 0 else at - 1) % len(starts)])
