"""Tile mappings of a file: every run lies within its resource and its heap, and none names a tile twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.core.columns import HEAP_GONE
from explorer.core.tiles import TILE_BYTES
from explorer.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    from explorer.core.columns import Bools
    from explorer.sim.snapshot import Snapshot


def check_tiles(snapshot: Snapshot) -> None:
    """Refuse mappings that no device could have made.

    Raises:
        InputError: Names the column and the row.
    """
    tiles = snapshot.tiles
    if not len(tiles):
        return
    _refuse("resource", tiles.resource, (tiles.resource < 0) | (tiles.resource >= len(snapshot.resources)),
            "no such row of resources")  # fmt: skip
    _refuse("heap", tiles.heap, (tiles.heap < HEAP_GONE) | (tiles.heap >= len(snapshot.heaps)), "no such row of heaps")
    _refuse("step", tiles.step, tiles.step > 1, "neither 0 nor 1")
    _refuse("count", tiles.count, tiles.count < 1, "a run without tiles")
    first, count = tiles.first.astype(np.int64), tiles.count.astype(np.int64)
    end = first + count
    sizes = snapshot.resources.size[tiles.resource] // TILE_BYTES
    _refuse("first", tiles.first, (first < 0) | (end > sizes), "beyond the tiles of the resource")
    follows = tiles.resource[1:] == tiles.resource[:-1]
    back = (np.diff(tiles.resource) < 0) | (follows & (first[1:] < end[:-1]))
    _refuse("first", tiles.first, np.append(False, back), "runs out of order, or two of the same tile")
    last = tiles.tile + (count - 1) * tiles.step
    room = np.full(len(tiles), np.iinfo(np.int64).max)
    mapped = tiles.heap >= 0
    room[mapped] = snapshot.heaps.size[tiles.heap[mapped]] // TILE_BYTES
    _refuse("tile", tiles.tile, (tiles.tile < 0) | (last >= room), "beyond the tiles of the heap")


def _refuse(column: str, values: npt.NDArray[Any], is_bad: Bools, message: str) -> None:
    bad = np.flatnonzero(is_bad)
    if len(bad):
        row = int(bad[0])
        raise InputError(message, where=f"tiles.{column}[{row}]", found=int(values[row]))
