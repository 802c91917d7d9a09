"""One picture of the visible part of the map: strips to device pixels, rows, aliases, and the marks on top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.columns import Bools, Bytes8, Int64
from explorer.render.colours import Colouring, ColourMode
from explorer.render.lanes import MapScene
from explorer.render.layout import MapLayout, Strip
from explorer.render.looks import LookTable, Pixels, build_looks, item_looks
from explorer.render.raster import STRIP_COLUMNS, TRACK, Floats, new_buffer, paint
from explorer.render.tokens import Category, Palette, pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.render.items import Items

MARGIN = 44
"""Logical pixels above and below the visible part: rows that are partly visible are painted whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """Blocks that must stand out.

    Attributes:
        items: Sorted rows of the scene's items.
        aliases: Sorted rows of the scene's aliases.
        colour: Name of the colour in the map's part of the palette.
        halo: Whether a halo goes around the outline.
    """

    items: Int64
    aliases: Int64
    colour: str
    halo: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Paint:
    """What a painter needs of a scene in one mode and theme; made once and used for every frame.

    Attributes:
        scene: What is painted.
        colouring: Colour of each block.
        categories: The colours.
        looks: Look of each item.
        alias_looks: Look of each alias.
        table: How looks are painted.
        palette: Theme.
        ratio: Device pixels for each logical one.
        patterns: Whether categories have patterns besides colours.
    """

    scene: MapScene
    colouring: Colouring
    categories: tuple[Category, ...]
    looks: Bytes8
    alias_looks: Bytes8
    table: LookTable
    palette: Palette
    ratio: float
    patterns: bool


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A painted part of the map.

    Attributes:
        pixels: uint32 0xFFRRGGBB; row 0 lies ``margin`` device pixels above the visible part.
        margin: Device pixels.
        strips: What was painted, from top to bottom.
    """

    pixels: Pixels
    margin: int
    strips: list[Strip]


def prepare(
    scene: MapScene,
    mode: ColourMode,
    palette: Palette,
    *,
    ratio: float = 1.0,
    patterns: bool = False,
    before: Paint | None = None,
) -> Paint:
    """Return what painting needs.

    Args:
        scene: What is painted.
        mode: Colour by.
        palette: Theme.
        ratio: Device pixels for each logical one.
        patterns: Whether categories have patterns besides colours; steps of a ramp never have.
        before: What the frame before needed; its table is kept where the looks are the same.
    """
    colouring = mode.colour(scene.snapshot)
    categories = colouring.categories(palette)
    patterns = patterns and not colouring.ramp
    if before is not None and _looks_same(before, categories, palette, ratio, patterns):
        table = before.table
    else:
        table = build_looks(palette, categories, device_pixel_ratio=ratio, patterns=patterns)
    return Paint(
        scene=scene,
        colouring=colouring,
        categories=categories,
        looks=item_looks(scene.snapshot, scene.items, colouring.index),
        alias_looks=item_looks(scene.snapshot, scene.aliases, colouring.index, alias=True),
        table=table,
        palette=palette,
        ratio=ratio,
        patterns=patterns,
    )


def _looks_same(
    before: Paint, categories: tuple[Category, ...], palette: Palette, ratio: float, patterns: bool
) -> bool:
    return (before.palette is palette and before.categories == categories
            and before.ratio == ratio and before.patterns == patterns)  # fmt: skip


def paint_frame(
    ready: Paint,
    layout: MapLayout,
    top: float,
    height: int,
    marks: Sequence[Mark] = (),
    *,
    into: Pixels | None = None,
    compiled: bool | None = None,
) -> Frame:
    """Paint the part of a map that begins ``top`` logical pixels below its upper end.

    Args:
        ready: What painting needs.
        layout: The map.
        top: Logical pixels.
        height: Logical pixels of the visible part.
        marks: What stands out; later ones lie above earlier ones.
        into: A buffer of an earlier frame to use again, if its shape still fits.
        compiled: As in ``raster.paint``.
    """
    ratio = ready.ratio
    margin = round(MARGIN * ratio)
    shape = (round(height * ratio) + 2 * margin, max(round(layout.view.width * ratio), 1))
    buffer = into if into is not None and into.shape == shape else new_buffer(shape[1], shape[0], ready.table.base)
    strips = layout.strips(top - 1, top + height + 1)
    rows, scales = strip_columns([one for one in strips if one.kind != TRACK], layout, top, ratio, shape)
    tracks, track_scales = strip_columns([one for one in strips if one.kind == TRACK], layout, top, ratio, shape)
    _clear_between(buffer, rows, tracks, ready.table.base)
    paint(buffer, rows, scales, ready.scene.items, ready.looks, ready.table, compiled=compiled)
    paint(buffer, tracks, track_scales, ready.scene.aliases, ready.alias_looks, ready.table, compiled=compiled)
    for mark in marks:
        for strip in strips:
            _mark(buffer, strip, layout, top, ready, mark, shape)
    return Frame(buffer, margin, strips)


def mark_of(scene: MapScene, blocks: Bools, colour: str, *, halo: bool = False) -> Mark:
    """Return a mark for the blocks that are flagged, shape (blocks,)."""

    def rows(items: Items) -> Int64:
        if not len(blocks):
            return np.zeros(0, np.int64)
        return np.flatnonzero((items.block >= 0) & blocks[items.block])

    return Mark(rows(scene.items), rows(scene.aliases), colour, halo)


def device_rows(strip: Strip, top: float, ratio: float) -> tuple[int, int]:
    """Return the first and the end row of pixels of a strip below the visible part's upper end."""
    first = round((strip.y0 - top) * ratio)
    return first, first + max(round((strip.y1 - strip.y0) * ratio), 1)


def strip_columns(
    strips: Sequence[Strip], layout: MapLayout, top: float, ratio: float, shape: tuple[int, int]
) -> tuple[Int64, Floats]:
    """Return strips in device pixels and their scales, as ``raster.paint`` takes them."""
    rows = np.zeros((len(strips), STRIP_COLUMNS), np.int64)
    scales = np.zeros(len(strips))
    margin = round(MARGIN * ratio)
    count = 0
    for strip in strips:
        first, end = device_rows(strip, top, ratio)
        x1 = min(round(strip.x1 * ratio), shape[1])
        if first + margin < 0 or end + margin > shape[0] or x1 <= 0:
            continue
        lane = layout.boxes[strip.box].lane
        scale = strip.pixels_per_byte * ratio
        offset = strip.first - lane.base if lane is not None else 0
        # Patterns travel with their blocks: they begin at the start of the row, or of the lane in linear mode.
        phase = int(offset * scale) if strip.row == 0 and offset else 0
        rows[count] = (strip.first, strip.end, 0, max(x1, 1), first + margin, end + margin, strip.kind, phase)
        scales[count] = scale
        count += 1
    return rows[:count], scales[:count]


def _clear_between(buffer: Pixels, rows: Int64, tracks: Int64, base: int) -> None:
    """Give the ground what no strip covers; filling all of it first costs as much as the rows themselves."""
    strips = np.concatenate([rows, tracks])
    below = 0
    for row in np.argsort(strips[:, 4], kind="stable"):
        x1, y0, y1 = (strips.item(int(row), column) for column in (3, 4, 5))
        if y0 > below:
            buffer[below:y0] = base
        if x1 < buffer.shape[1]:
            buffer[y0:y1, x1:] = base
        below = max(below, y1)
    buffer[below:] = base


def _mark(
    buffer: Pixels, strip: Strip, layout: MapLayout, top: float, ready: Paint, mark: Mark, shape: tuple[int, int]
) -> None:
    table = ready.scene.aliases if strip.kind == TRACK else ready.scene.items
    chosen = mark.aliases if strip.kind == TRACK else mark.items
    part = table.between(strip.first, strip.end)
    chosen = chosen[np.searchsorted(chosen, part.start) : np.searchsorted(chosen, part.stop)]
    chosen = chosen[table.end[chosen] > strip.first]
    if not len(chosen):
        return
    columns, scales = strip_columns([strip], layout, top, ready.ratio, shape)
    if not len(columns):
        return
    width, y0, y1 = (int(columns[0, index]) for index in (3, 4, 5))
    scale = float(scales[0])
    left = np.floor((np.maximum(table.start[chosen], strip.first) - strip.first) * scale + 0.5).astype(np.int64)
    right = np.floor((np.minimum(table.end[chosen], strip.end) - strip.first) * scale + 0.5).astype(np.int64)
    least = max(round(2 * ready.ratio), 2)
    left = np.clip(left, 0, max(width - least, 0))
    right = np.maximum(right, left + least)
    colour = pack(ready.palette.map[mark.colour])
    halo = pack(ready.palette.map["halo"])
    narrow = right - left <= 3 * least
    thin = np.unique(left[narrow])
    if mark.halo:
        for x in thin[:64].tolist():
            _fill(buffer, x - least, x + 2 * least, y0, y1, halo)
    for shift in range(least):
        buffer[y0:y1, np.minimum(thin + shift, buffer.shape[1] - 1)] = colour
    for low, high in zip(left[~narrow].tolist(), right[~narrow].tolist(), strict=True):
        if mark.halo:
            _ring(buffer, low - least, high + least, y0 - least, y1 + least, least, halo)
        _ring(buffer, low, high, y0, y1, least, colour)


def _ring(buffer: Pixels, x0: int, x1: int, y0: int, y1: int, thick: int, colour: int) -> None:
    _fill(buffer, x0, x1, y0, y0 + thick, colour)
    _fill(buffer, x0, x1, y1 - thick, y1, colour)
    _fill(buffer, x0, x0 + thick, y0, y1, colour)
    _fill(buffer, x1 - thick, x1, y0, y1, colour)


def _fill(buffer: Pixels, x0: int, x1: int, y0: int, y1: int, colour: int) -> None:
    buffer[max(y0, 0) : max(y1, 0), max(x0, 0) : max(x1, 0)] = colour
