"""The mapping of one reserved resource, tile by tile, and the runs that snapshots hold of it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from explorer.core.columns import HEAP_GONE, NO_HEAP, Int64
from explorer.core.tiles import ResourceTiling

if TYPE_CHECKING:
    from explorer.core.events import Event

NULL = NO_HEAP
"""Heap row of a tile without memory."""
DANGLING = HEAP_GONE
"""Heap row of a tile whose heap was destroyed."""

Run = tuple[int, int, int]
"""Heap row, first tile, number of tiles."""


@dataclass(frozen=True, slots=True, eq=False)
class MappedRuns:
    """Tiles that one call mapped alike, as columns of int64.

    Attributes:
        first: First tile of the resource.
        count: Tiles.
        heap: Heap row, ``NULL`` or ``DANGLING``.
        tile: Heap tile behind the first one.
        step: Heap tiles from one tile to the next: 1, or 0 where one heap tile stands behind all of them.
        frame: Frame of the call.
        event: Number of the call's event.
    """

    first: Int64
    count: Int64
    heap: Int64
    tile: Int64
    step: Int64
    frame: Int64
    event: Int64


@dataclass(slots=True)
class TiledResource:
    """The mapping of one reserved resource; copies share the columns until one of them is written.

    Attributes:
        tiling: How it divides into tiles.
        heap: int32, shape (tiles,): heap row, ``NULL`` or ``DANGLING``. Written through ``put`` only.
        tile: int32, shape (tiles,): tile of the heap.
        event: int32, shape (tiles,): 1 + number of the event that put the tile into this state, 0 for none.
        frame: int32, shape (tiles,): frame of that event.
        runs: Unbroken ranges of heap tiles that it uses → block row.
        changed: Number of the last event that changed it, −1 for none.
        is_shared: Another copy holds the same columns.
        shown: The runs as of ``changed``; None if they were not asked for since.
    """

    tiling: ResourceTiling
    heap: npt.NDArray[np.int32]
    tile: npt.NDArray[np.int32]
    event: npt.NDArray[np.int32]
    frame: npt.NDArray[np.int32]
    runs: dict[Run, int] = field(default_factory=dict[Run, int])
    changed: int = -1
    is_shared: bool = False
    shown: MappedRuns | None = None

    @classmethod
    def of(cls, tiling: ResourceTiling) -> TiledResource:
        """Return a resource with nothing mapped."""
        count = tiling.total_tiles
        # Zeros take no memory until they are written: most tiles of a large resource never are.
        tile, event, frame = (np.zeros(count, np.int32) for _ in range(3))
        return cls(tiling, np.full(count, NULL, np.int32), tile, event, frame)

    @property
    def mapped_tiles(self) -> int:
        """Tiles with memory."""
        return int((self.heap >= 0).sum())

    def put(self, at: npt.NDArray[np.int64], heap: npt.ArrayLike, tile: npt.ArrayLike) -> None:
        """Put heap tiles behind tiles; ``NULL`` takes them away."""
        self._own()
        self.heap[at] = heap
        self.tile[at] = tile

    def stamp(self, at: npt.NDArray[np.int64], event: Event) -> None:
        """Note the event that put tiles into their present state."""
        self._own()
        self.event[at] = event.number + 1
        self.frame[at] = event.frame
        self.changed = event.number
        self.shown = None

    def set_run(self, run: Run, block: int) -> None:
        """Name the block row of an unbroken range of heap tiles."""
        self._own()
        self.runs[run] = block

    def drop_run(self, run: Run) -> int:
        """Forget an unbroken range of heap tiles and return its block row."""
        self._own()
        return self.runs.pop(run)

    def wanted_runs(self) -> list[Run]:
        """Return the heap tiles behind the resource as unbroken ranges, each heap tile once, in order."""
        mapped = self.heap >= 0
        if not mapped.any():
            return []
        keys = np.unique((self.heap[mapped].astype(np.int64) << 32) | self.tile[mapped])
        breaks = np.flatnonzero(np.diff(keys) != 1) + 1
        starts = np.concatenate(([0], breaks)).tolist()
        ends = np.concatenate((breaks, [len(keys)])).tolist()
        return [
            (int(keys[start]) >> 32, int(keys[start]) & 0xFFFFFFFF, end - start)
            for start, end in zip(starts, ends, strict=True)
        ]

    def mapped_runs(self) -> MappedRuns:
        """Return what every tile that a call ever named shows now, in tile order; made anew only after a change."""
        if self.shown is None:
            self.shown = self._make_runs()
        return self.shown

    def copy(self) -> TiledResource:
        """Return a copy that shares the columns until one of the two is written."""
        self.is_shared = True
        return dataclasses.replace(self)

    def _own(self) -> None:
        if self.is_shared:
            self.heap, self.tile = self.heap.copy(), self.tile.copy()
            self.event, self.frame = self.event.copy(), self.frame.copy()
            self.runs = dict(self.runs)
            self.is_shared = False

    def _make_runs(self) -> MappedRuns:
        at = np.flatnonzero(self.event)
        heap, tile, event = self.heap[at], self.tile[at], self.event[at]
        alike = (np.diff(at) == 1) & (np.diff(heap) == 0) & (np.diff(event) == 0)
        along = alike & (np.diff(tile) == 1)
        # Where a repeated tile meets a range that goes on from it, the range keeps it: one cut, always the same.
        beside = np.zeros(len(along) + 2, np.bool_)
        beside[:-2] |= along
        beside[2:] |= along
        repeated = alike & (np.diff(tile) == 0) & ~beside[1:-1]
        starts = np.flatnonzero(np.concatenate(([True], ~(along | repeated)))) if len(at) else np.zeros(0, np.int64)
        count = np.diff(np.append(starts, len(at)))
        is_repeated = (count > 1) & np.append(repeated, False)[starts]
        columns = at[starts], count, heap[starts], tile[starts], ~is_repeated, self.frame[at][starts], event[starts] - 1
        return MappedRuns(*(column.astype(np.int64) for column in columns))
