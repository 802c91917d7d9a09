"""Where the tiles of a resource or of a heap are drawn; no Qt.

Levels stand beside and below one another, a label over each grid; the packed tail of a slice is a strip of its own.
Slices flow like words. All measures are device pixels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.tiles import ResourceTiling, SubresourceTiling, TileShape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from explorer.core.columns import Int64

PITCHES = (1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64)
"""Logical pixels of the longer side of a tile, from far to near."""

FIT_MOST = 64
"""Largest pitch that is chosen without being asked for."""

_ROW_LEAST, _ROW_MOST = 16, 256
"""Tiles in a row of a buffer or a heap: a power of two."""


@dataclass(frozen=True, slots=True)
class TileMeasures:
    """Sizes in device pixels.

    Attributes:
        pitch: Longer side of a tile.
        label: Height of the line over a grid.
        gap: Between grids.
        letter: Width of a letter of a label.
    """

    pitch: int
    label: int
    gap: int
    letter: float


@dataclass(frozen=True, slots=True)
class TileGrid:
    """Tiles that lie in rows; places count from the corner of the slice.

    Attributes:
        label: What stands over it.
        first: Number of its first tile within the slice.
        count: Tiles.
        across: Tiles in a row.
        x: Left edge of the first tile.
        y: Upper edge of the first tile.
        is_packed: Whether it is the packed tail.
    """

    label: str
    first: int
    count: int
    across: int
    x: int
    y: int
    is_packed: bool = False

    @property
    def down(self) -> int:
        """Rows; the last one may be short."""
        return -(-self.count // self.across)


@dataclass(frozen=True, slots=True)
class SeenGrid:
    """A grid of a slice in view.

    Attributes:
        grid: The grid.
        slice: Array slice.
        x: Left edge of its first tile in the picture.
        y: Upper edge of its first tile in the picture.
    """

    grid: TileGrid
    slice: int
    x: int
    y: int


def heap_tiling(tiles: int) -> ResourceTiling:
    """Return the tiles of a heap as a tiling: they lie in a row."""
    return ResourceTiling(TileShape(1 << 16, 1, 1), 1, (SubresourceTiling(tiles, 1, 1, 0),), 0, 0, 0, tiles)


class TilePicture:
    """The tiles of a tiling at one pitch.

    Args:
        tiling: Of a resource or a heap.
        measures: Sizes.
        room: Device pixels that rows of slices and of a buffer may take.
        is_row: Whether the tiles lie in a row, as those of a buffer or a heap.
    """

    def __init__(self, tiling: ResourceTiling, measures: TileMeasures, room: int, *, is_row: bool) -> None:
        self.tiling, self.measures = tiling, measures
        long = max(tiling.shape.width, tiling.shape.height)
        is_square = is_row or measures.pitch < 2
        self.cell_width = measures.pitch if is_square else max(measures.pitch * tiling.shape.width // long, 1)
        self.cell_height = measures.pitch if is_square else max(measures.pitch * tiling.shape.height // long, 1)
        self.grids = self._flow(self._row(room) if is_row else self._levels())
        self._starts = np.array([grid.first for grid in self.grids], np.int64)
        right = max((self._right(grid) for grid in self.grids), default=0)
        bottom = max((grid.y + grid.down * self.cell_height for grid in self.grids), default=0)
        self.head = measures.label if tiling.slices > 1 else 0
        self.slice_width, self.slice_height = right, bottom + self.head
        pitch = right + 2 * measures.gap
        self.slices_across = min(max((room + 2 * measures.gap) // max(pitch, 1), 1), tiling.slices)
        rows = -(-tiling.slices // self.slices_across)
        self.width = self.slices_across * pitch - 2 * measures.gap
        self.height = rows * (self.slice_height + 2 * measures.gap) - 2 * measures.gap

    def corner(self, array_slice: int) -> tuple[int, int]:
        """Return the upper left corner of a slice, its heading included."""
        row, column = divmod(array_slice, self.slices_across)
        gap = 2 * self.measures.gap
        return column * (self.slice_width + gap), row * (self.slice_height + gap)

    def seen(self, left: int, top: int, right: int, bottom: int) -> Iterator[SeenGrid]:
        """Yield the grids that a window touches, their labels included."""
        gap = 2 * self.measures.gap
        wide, high = self.slice_width + gap, self.slice_height + gap
        rows = range(max(top // high, 0), min(bottom // high + 1, -(-self.tiling.slices // self.slices_across)))
        columns = range(max(left // wide, 0), min(right // wide + 1, self.slices_across))
        for array_slice in (row * self.slices_across + column for row in rows for column in columns):
            if array_slice >= self.tiling.slices:
                return
            x, y = self.corner(array_slice)
            for grid in self.grids:
                at_x, at_y = x + grid.x, y + self.head + grid.y
                is_in = at_x < right and x + self._right(grid) > left
                if is_in and at_y - self.measures.label < bottom and at_y + grid.down * self.cell_height > top:
                    yield SeenGrid(grid, array_slice, at_x, at_y)

    def grid_of(self, tile: int) -> tuple[int, TileGrid]:
        """Return the slice of a tile and its grid."""
        array_slice, inside = divmod(tile, self.tiling.slice_tiles)
        return array_slice, self.grids[int(np.searchsorted(self._starts, inside, "right")) - 1]

    def rect(self, tile: int) -> tuple[int, int, int, int]:
        """Return x, y, width and height of a tile."""
        array_slice, grid = self.grid_of(tile)
        row, column = divmod(tile % self.tiling.slice_tiles - grid.first, grid.across)
        x, y = self.corner(array_slice)
        return (
            x + grid.x + column * self.cell_width,
            y + self.head + grid.y + row * self.cell_height,
            self.cell_width,
            self.cell_height,
        )

    def hit(self, x: int, y: int) -> int | None:
        """Return the tile at a point, or None."""
        for seen in self.seen(x, y, x + 1, y + 1):
            column, row = (x - seen.x) // self.cell_width, (y - seen.y) // self.cell_height
            at = row * seen.grid.across + column
            if 0 <= column < seen.grid.across and row >= 0 and at < seen.grid.count:
                return seen.slice * self.tiling.slice_tiles + seen.grid.first + at
        return None

    def walk(self, tile: int, across: int, down: int) -> int | None:
        """Return the neighbour of a tile: along the tiles' numbers, or a row on, past an edge in the next grid."""
        last = self.tiling.total_tiles - 1
        if across:
            return tile + across if 0 <= tile + across <= last else None
        array_slice, grid = self.grid_of(tile)
        row, column = divmod(tile % self.tiling.slice_tiles - grid.first, grid.across)
        target = row + down
        if 0 <= target < grid.down:
            return tile - (row - target) * grid.across if target * grid.across + column < grid.count else (
                array_slice * self.tiling.slice_tiles + grid.first + grid.count - 1
            )  # fmt: skip
        return self.next_grid(tile, 1 if down > 0 else -1, column)

    def next_grid(self, tile: int, step: int, column: int = 0) -> int | None:
        """Return a tile of the grid before (−1: its last row) or behind (1: its first row), near a column."""
        array_slice, grid = self.grid_of(tile)
        at = array_slice * len(self.grids) + self.grids.index(grid) + step
        if not 0 <= at < self.tiling.slices * len(self.grids):
            return None
        array_slice, place = divmod(at, len(self.grids))
        other = self.grids[place]
        row = 0 if step > 0 else other.down - 1
        inside = min(row * other.across + min(column, other.across - 1), other.count - 1)
        return array_slice * self.tiling.slice_tiles + other.first + inside

    def cells(self, seen: SeenGrid, left: int, top: int, right: int, bottom: int) -> tuple[Int64, int, int]:
        """Return the tiles of a grid that a window touches, with the first column and row of them.

        Returns:
            int64, shape (rows, columns), −1 behind the last tile of a short row; column; row.
        """
        grid = seen.grid
        first_column = max((left - seen.x) // self.cell_width, 0)
        first_row = max((top - seen.y) // self.cell_height, 0)
        end_column = min(-(-(right - seen.x) // self.cell_width), grid.across)
        end_row = min(-(-(bottom - seen.y) // self.cell_height), grid.down)
        rows = np.arange(first_row, max(end_row, first_row), dtype=np.int64)
        columns = np.arange(first_column, max(end_column, first_column), dtype=np.int64)
        at = rows[:, None] * grid.across + columns[None, :]
        base = seen.slice * self.tiling.slice_tiles + grid.first
        return np.where(at < grid.count, base + at, -1), first_column, first_row

    # -- inside

    def _right(self, grid: TileGrid) -> int:
        return grid.x + max(grid.across * self.cell_width, math.ceil(len(grid.label) * self.measures.letter))

    def _row(self, room: int) -> list[TileGrid]:
        across = 1 << max(int(room // self.cell_width), 1).bit_length() - 1
        across = min(max(across, _ROW_LEAST), _ROW_MOST)
        count = self.tiling.slice_tiles
        return [TileGrid(f"tiles 0 – {count - 1:,}, {across} in a row", 0, count, min(across, max(count, 1)), 0, 0)]

    def _levels(self) -> list[TileGrid]:
        grids: list[TileGrid] = []
        tiling = self.tiling
        # Many slices show their extents alike: short labels leave room for the tiles.
        is_array = tiling.slices > 1
        for mip, part in enumerate(tiling.mips[: tiling.standard_mips]):
            wide, high = part.WidthInTiles, part.HeightInTiles
            for z in range(part.DepthInTiles):
                deep = f" · z {z}" if part.DepthInTiles > 1 else ""
                first = part.StartTileIndexInOverallResource + z * wide * high
                extent = "" if is_array else f" · {wide} × {high}"
                grids.append(TileGrid(f"mip {mip}{deep}{extent}", first, wide * high, wide, 0, 0))
        if tiling.packed_mips:
            last, first = len(tiling.mips) - 1, len(tiling.mips) - tiling.packed_mips
            levels = f"mips {first} – {last}" if last > first else f"mip {last}"
            count = tiling.packed_tiles
            tail = f"packed {levels} · {count:,} tile" + "s" * (count != 1)
            text = "packed" if is_array else tail
            across = min(count, max(_ROW_LEAST, grids[0].across if grids else 0))
            grids.append(TileGrid(text, tiling.packed_start, count, across, 0, 0, True))
        return grids

    def _flow(self, grids: list[TileGrid]) -> tuple[TileGrid, ...]:
        """Put grids below one another as long as they are no higher than the first column, then beside."""
        if not grids:
            return ()
        measures = self.measures
        layers = self.tiling.mips[0].DepthInTiles if self.tiling.standard_mips else 1
        each = measures.label + grids[0].down * self.cell_height + measures.gap
        limit = max(each * math.ceil(math.sqrt(layers)), 6 * measures.label)
        placed: list[TileGrid] = []
        x = y = column = 0
        for grid in grids:
            height = measures.label + grid.down * self.cell_height + measures.gap
            if y and y + height > limit:
                x, y, column = x + column + 2 * measures.gap, 0, 0
            put = TileGrid(grid.label, grid.first, grid.count, grid.across, x, y + measures.label, grid.is_packed)
            placed.append(put)
            column = max(column, self._right(put) - x)
            y += height
        return tuple(placed)


def fitting_pitch(
    tiling: ResourceTiling, measures: TileMeasures, room: tuple[int, int], scale: float, *, is_row: bool
) -> int:
    """Return the largest pitch in logical pixels at which all fits, or at least its width.

    Args:
        tiling: Of a resource or a heap.
        measures: Sizes; the pitch in it does not matter.
        room: Width and height in device pixels.
        scale: Device pixels for each logical one.
        is_row: As in ``TilePicture``.
    """
    wide = PITCHES[0]
    for pitch in reversed([pitch for pitch in PITCHES if pitch <= FIT_MOST]):
        sized = TileMeasures(max(round(pitch * scale), 1), measures.label, measures.gap, measures.letter)
        picture = TilePicture(tiling, sized, room[0], is_row=is_row)
        if picture.width > room[0]:
            continue
        if picture.height <= room[1]:
            return pitch
        wide = max(wide, min(pitch, 8))
    return wide
