"""The looks of tiles and the pixels of a window of them: work for the pixels in view, however many tiles there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.render.tokens import mix, pack
from explorer.sim.tile_map import PoolState, TileState

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from explorer.core.columns import Bools, Bytes8, Int64
    from explorer.core.kinds import ResourceKind
    from explorer.render.looks import Pixels
    from explorer.render.tiles import TilePicture
    from explorer.render.tokens import Palette, Rgba

WOULD = len(TileState)
"""Look of a tile of a tiling that a resource would have."""

_DETAIL_FROM = 5
"""Below so many pixels a look is one colour."""


def tile_stamps(palette: Palette, kind: ResourceKind, width: int, height: int) -> Pixels:
    """Return one cell for each ``TileState``, for ``WOULD``, and for nothing.

    Args:
        palette: The theme's.
        kind: What the resource is.
        width: Device pixels of a cell.
        height: Device pixels of a cell.

    Returns:
        uint32, shape (looks, height, width); the last one is the ground.
    """
    fill = palette.kinds[int(kind)].fill
    base, free, found = palette.map["base"], palette.map["free"], palette.map["found"]
    hazard = palette.descriptor["hazard"]
    stripe = mix(palette.map["aliasline"], fill)
    ghost = palette.map["ghost"]
    made: dict[int, Pixels] = {
        TileState.MAPPED: _plain(fill, width, height),
        TileState.FRESH: _framed(fill, found, width, height, 2),
        TileState.SHARED: _striped(fill, stripe, width, height),
        TileState.NONE: _plain(free, width, height),
        TileState.GONE: _struck(mix(hazard, base, 0.18), hazard, width, height),
        WOULD: _framed(mix(ghost, base, 0.14), mix(ghost, base, 0.55), width, height, 1),
    }
    return _stack(made, base, width, height)


def pool_stamps(palette: Palette, kind: ResourceKind, width: int, height: int) -> Pixels:
    """Return one cell for each ``PoolState`` and for nothing, as ``tile_stamps`` does."""
    fill = palette.kinds[int(kind)].fill
    staged = palette.descriptor["staged"]
    made: dict[int, Pixels] = {
        PoolState.OWN: _plain(fill, width, height),
        PoolState.OTHER: _plain(staged, width, height),
        PoolState.SHARED: _striped(fill, mix(palette.map["aliasline"], fill), width, height),
        PoolState.FREE: _plain(palette.map["free"], width, height),
    }
    return _stack(made, palette.map["base"], width, height)


def paint_tiles(
    picture: TilePicture, stamps: Pixels, states: Callable[[Int64], Bytes8], window: tuple[int, int, int, int]
) -> Pixels:
    """Return the pixels of a window of a picture.

    Args:
        picture: Where the tiles lie.
        stamps: One cell for each look; the last one is the ground.
        states: Looks of tiles.
        window: Left, top, width and height in the picture.

    Returns:
        uint32, shape (height, width).
    """
    left, top, width, height = window
    ground = len(stamps) - 1
    pixels = np.full((height, width), stamps[ground, 0, 0], np.uint32)
    seen = list(picture.seen(left, top, left + width, top + height))
    cells = [picture.cells(one, left, top, left + width, top + height) for one in seen]
    if not cells:
        return pixels
    tiles = np.concatenate([found.ravel() for found, _, _ in cells])
    looks = np.full(len(tiles), ground, np.uint8)
    there = tiles >= 0
    looks[there] = states(tiles[there])
    start = 0
    for one, (found, column, row) in zip(seen, cells, strict=True):
        grid = looks[start : start + found.size].reshape(found.shape)
        start += found.size
        x, y = one.x - left + column * picture.cell_width, one.y - top + row * picture.cell_height
        _stamp(pixels, stamps, grid, x, y)
    return pixels


def _stamp(pixels: Pixels, stamps: Pixels, grid: npt.NDArray[np.uint8], x: int, y: int) -> None:
    """Put the cells of a grid into the picture, cut at its edges."""
    if not grid.size:
        return
    cell_height, cell_width = len(stamps[0]), len(stamps[0, 0])
    rows, columns = len(grid), len(grid[0])
    low, high = max(y, 0), min(y + rows * cell_height, pixels.shape[0])
    first, end = max(x, 0), min(x + columns * cell_width, pixels.shape[1])
    if low >= high or first >= end:
        return
    at_y, at_x = np.arange(low, high) - y, np.arange(first, end) - x
    looks = grid[(at_y // cell_height)[:, None], (at_x // cell_width)[None, :]]
    pixels[low:high, first:end] = stamps[looks, (at_y % cell_height)[:, None], (at_x % cell_width)[None, :]]


def _stack(made: dict[int, Pixels], base: Rgba, width: int, height: int) -> Pixels:
    stamps = np.full((len(made) + 1, height, width), pack(base), np.uint32)
    for look, cell in made.items():
        stamps[look] = cell
    if min(width, height) > 3:
        # One pixel of ground between tiles, as between blocks of the map.
        stamps[:, -1, :] = pack(base)
        stamps[:, :, -1] = pack(base)
    return stamps


def _plain(fill: Rgba, width: int, height: int) -> Pixels:
    return np.full((height, width), pack(fill), np.uint32)


def _framed(fill: Rgba, line: Rgba, width: int, height: int, thick: int) -> Pixels:
    if min(width, height) < _DETAIL_FROM:
        return _plain(line if thick > 1 else mix(line, fill, 0.6), width, height)
    cell = _plain(line, width, height)
    thick = max(min(thick, min(width, height) // 4), 1)
    cell[thick : height - 1 - thick, thick : width - 1 - thick] = pack(fill)
    return cell


def _striped(fill: Rgba, line: Rgba, width: int, height: int) -> Pixels:
    if min(width, height) < _DETAIL_FROM:
        return _plain(mix(line, fill, 0.6), width, height)
    cell = _plain(fill, width, height)
    cell[_diagonals(width, height, max(min(width, height) // 3, 4), 2 if min(width, height) >= 10 else 1)] = pack(line)
    return cell


def _struck(fill: Rgba, line: Rgba, width: int, height: int) -> Pixels:
    if min(width, height) < _DETAIL_FROM:
        return _plain(line, width, height)
    cell = _framed(fill, line, width, height, 2)
    y, x = np.indices((height, width))
    cell[np.abs(x * (height - 1) - (height - 1 - y) * (width - 1)) <= max(width, height)] = pack(line)
    return cell


def _diagonals(width: int, height: int, period: int, thick: int) -> Bools:
    y, x = np.indices((height, width))
    return (x + y) % period < thick
