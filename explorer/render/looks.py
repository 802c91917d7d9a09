"""How each category of item is painted: fill, pattern and edge as tables that kernels index by one byte."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from explorer.core.columns import Bytes8, Int64
from explorer.core.kinds import WasteCause
from explorer.render.tokens import Category, Palette, Rgba, mix, pack

if TYPE_CHECKING:
    from explorer.render.items import Items
    from explorer.sim.snapshot import Snapshot

Pixels: TypeAlias = npt.NDArray[np.uint32]

MAX_COLOURS = 32
"""Most colours that one "colour by" mode may use."""

EVICTED = 32
ALIAS = 64
WASTE = 96
LOOKS = 128
"""A look is a colour, colour + EVICTED, colour + ALIAS, or WASTE + cause."""

TILE = 24
"""Side of a pattern tile in logical pixels: holds patterns of period 4, 6 and 8."""

_NONE, _PADDING, _GAP, _TAIL, _ROUNDING, _EVICT, _ALIAS, _FIRST_KIND = range(8)
_WASTES: dict[WasteCause, tuple[str, int]] = {
    WasteCause.ALIGNMENT: ("padding", _PADDING),
    WasteCause.GRANULARITY: ("gap", _GAP),
    WasteCause.ROUNDING: ("padding", _ROUNDING),
    WasteCause.TAIL: ("tail", _TAIL),
}


@dataclass(frozen=True, slots=True, eq=False)
class LookTable:
    """What the painting of rows needs to know about each look, shape (LOOKS,) each.

    Attributes:
        fill: Pixel of the ground.
        line: Pixel of the pattern's lines.
        edge: Pixel of the outline; equal to ``fill`` for none.
        small: Red, green, blue of a block too narrow for ground and outline, int64, shape (LOOKS, 3).
        style: Row of ``tiles``, 0 plain.
        tiles: Pattern masks, shape (styles, side, side).
        free: Pixel of free memory.
        base: Pixel of the map's ground.
    """

    fill: Pixels
    line: Pixels
    edge: Pixels
    small: Int64
    style: Bytes8
    tiles: Bytes8
    free: int
    base: int


def build_looks(
    palette: Palette, colours: tuple[Category, ...], *, device_pixel_ratio: float = 1.0, patterns: bool = False
) -> LookTable:
    """Return the looks for the colours of a mode.

    Args:
        palette: Theme.
        colours: At most ``MAX_COLOURS``; with patterns on, colour i has the pattern of kind i modulo 9.
        device_pixel_ratio: Device pixels for each logical one.
        patterns: Whether kinds have patterns besides their colours.
    """
    free = palette.map["free"]
    fill, line, edge, small = ([free] * LOOKS for _ in range(4))
    style = np.zeros(LOOKS, np.uint8)
    for index, colour in enumerate(colours[:MAX_COLOURS]):
        pattern = _FIRST_KIND + index % 9 if patterns and index % 9 else _NONE
        faint = mix(colour.fill, free, 0.16)
        alias = mix(colour.fill, free, 0.55)
        rows: tuple[tuple[int, Rgba, Rgba, Rgba, Rgba, int], ...] = (
            (0, colour.fill, mix(colour.ink, colour.fill, 0.38), colour.edge, colour.fill, pattern),
            (EVICTED, faint, mix(palette.map["evictline"], mix(colour.fill, free, 0.3)), colour.fill,
             mix(colour.fill, free, 0.5), _EVICT),
            (ALIAS, alias, mix(palette.map["aliasline"], alias), colour.edge, alias, _ALIAS),
        )  # fmt: skip
        for offset, *values, kind in rows:
            at = index + offset
            fill[at], line[at], edge[at], small[at] = values
            style[at] = kind
    for cause, (name, kind) in _WASTES.items():
        at = WASTE + cause
        ground, stroke = palette.waste_ground[name], palette.waste_line[name]
        fill[at], line[at], edge[at], small[at] = ground, stroke, ground, mix(stroke, ground, 0.4)
        style[at] = kind
    return LookTable(
        *(np.array([pack(value) for value in table], np.uint32) for table in (fill, line, edge)),
        small=np.array([value[:3] for value in small], np.int64),
        style=style,
        tiles=pattern_tiles(device_pixel_ratio),
        free=pack(free),
        base=pack(palette.map["base"]),
    )


def item_looks(snapshot: Snapshot, items: Items, colour: Bytes8, *, alias: bool = False) -> Bytes8:
    """Return the look of each item.

    Args:
        snapshot: What the items point into.
        items: Rows or aliases of a scene.
        colour: Colour index of each block, shape (blocks,).
        alias: Whether they lie in the track above their owners.
    """
    looks = np.empty(len(items), np.uint8)
    held = items.block >= 0
    if held.all():
        looks[:] = colour[items.block] if len(items) else 0
    else:
        looks[held] = colour[items.block[held]]
        looks[~held] = WASTE + snapshot.wastes.cause[items.waste[~held]]
    if alias:
        looks += ALIAS
    else:
        looks[held & items.evicted] += EVICTED
    return looks


def swatch(table: LookTable, look: int, width: int, height: int) -> Pixels:
    """Return a sample of a look for legends, uint32, shape (height, width); ``look`` −1 is free memory."""
    if look < 0:
        return np.full((height, width), table.free, np.uint32)
    side = table.tiles.shape[1]
    rows, columns = np.arange(height)[:, None] % side, np.arange(width)[None, :] % side
    mask = table.tiles[table.style[look]][rows, columns] != 0
    pixels = np.full((height, width), table.fill[look], np.uint32)
    pixels[mask] = table.line[look]
    if table.edge[look] != table.fill[look]:
        pixels[[0, -1], :] = table.edge[look]
        pixels[:, [0, -1]] = table.edge[look]
    return pixels


def pattern_tiles(device_pixel_ratio: float) -> Bytes8:
    """Return the masks of all patterns, uint8 0 or 1, shape (styles, side, side).

    A stroke is about 1.3 logical pixels wide; its period is a whole number of device pixels that divides the side.
    """
    side = max(TILE, round(TILE * device_pixel_ratio))
    at = np.arange(side, dtype=np.int64) / device_pixel_ratio
    x, y = at[None, :], at[:, None]
    stroke = 1.3 if device_pixel_ratio > 1 else 1.0

    def lines(value: npt.NDArray[np.float64], period: float, width: float = stroke) -> npt.NDArray[np.bool_]:
        return np.broadcast_to(np.mod(value + 1e-6, period) < width, (side, side))

    def dots(period: float) -> npt.NDArray[np.bool_]:
        width = stroke + 0.2
        return lines(x + 0 * y - period / 2, period, width) & lines(y + 0 * x - period / 2, period, width)

    up, down = x + y, x - y + TILE
    broken = lines(y + 0 * x - 2, 6) & (np.mod(x + 6 * np.floor(y / 6), 6) < 4)
    masks = [
        np.zeros((side, side), np.bool_),
        lines(up, 4),
        dots(6),
        lines(y + 0 * x - 3, 6),
        lines(down, 4),
        lines(down, 6),
        lines(up, 6, stroke * 1.6),
        np.zeros((side, side), np.bool_),
        lines(up, 6),
        lines(down, 6),
        lines(x + 0 * y - 3, 6),
        lines(y + 0 * x - 3, 6),
        broken,
        dots(6),
        lines(up, 6) | lines(down, 6),
        lines(x + 0 * y - 3, 6) | lines(y + 0 * x - 3, 6),
    ]
    return np.stack(masks).astype(np.uint8)
