"""The words on the map: names in blocks, offsets in the gutter, headers; where each stands, for any painter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.units import format_address, format_bytes
from explorer.render.labels import Label, Measure, fit_continued, fit_label
from explorer.render.lane_texts import lane_right_text, segment_right_text, segment_subtitle, segment_title
from explorer.render.lanes import LaneKind, MapScene
from explorer.render.layout import Box, MapLayout, Mode, Strip
from explorer.render.raster import ROW, TRACK
from explorer.render.tokens import Rgba

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.render.frame import Paint
    from explorer.render.items import Items

LEAST_TEXT_ROW = 16
"""Rows lower than this carry no text."""

_LEAST_LABEL = 24
_BYTES_FROM_PX = 8
_END_TO_END = (LaneKind.GROUP, LaneKind.COMMITTED, LaneKind.AWAY, LaneKind.UNKNOWN)


@dataclass(frozen=True, slots=True)
class BlockText:
    """The label of one part of a block.

    Attributes:
        x: Left end of the part, logical pixels from the left end of the rows.
        y: Top, from the top of the map.
        width: Of the part.
        height: Of the part.
        label: What it says.
        ink: Colour of the text.
        plate: Whether the text stands on a plate of the map's ground (aliases).
        block: Index of the block.
    """

    x: float
    y: float
    width: float
    height: float
    label: Label
    ink: Rgba
    plate: bool
    block: int


@dataclass(frozen=True, slots=True)
class GutterText:
    """An offset left of a row.

    Attributes:
        y: Top of the row, from the top of the map.
        height: Of the row.
        text: Hexadecimal offset, or a distance where lanes lie end to end.
    """

    y: float
    height: float
    text: str


@dataclass(frozen=True, slots=True)
class HeaderText:
    """The header of a segment or lane.

    Attributes:
        box: Index of the box.
        y: Top, from the top of the map.
        height: Of the header alone.
        title: Name.
        subtitle: What it is.
        right: Sums.
        is_segment: Whether it heads a segment.
        is_folded: Whether the lane is one line.
        depth: 1 in a run of like heaps.
    """

    box: int
    y: int
    height: int
    title: str
    subtitle: str
    right: str
    is_segment: bool
    is_folded: bool
    depth: int


def block_name(scene: MapScene, block: int) -> str:
    """Return the name of the resource in a block, or what else tells it apart."""
    resource = int(scene.snapshot.blocks.resource[block])
    name = scene.snapshot.resources.names[resource] if resource >= 0 else ""
    if not name.isprintable():
        # Names of a dump may hold line feeds and other signs that would break a line of text.
        name = "".join(sign if sign.isprintable() else " " for sign in name).strip()
    return name or f"unnamed {block:,}"


def header_text(layout: MapLayout, index: int) -> HeaderText:
    """Return the header of a box."""
    box, scene = layout.boxes[index], layout.scene
    height = layout.header_height(box)
    if box.lane is None:
        title = segment_title(scene, box.segment)
        return HeaderText(index, box.y, height, title, segment_subtitle(scene, box.segment),
                          segment_right_text(scene, box.segment), True, False, 0)  # fmt: skip
    return HeaderText(index, box.y, height, box.lane.title, box.lane.subtitle, lane_right_text(scene, box.lane),
                      False, box.is_folded, box.depth)  # fmt: skip


def visible_headers(layout: MapLayout, top: float, bottom: float) -> list[int]:
    """Return the boxes whose headers stand between two heights, from top to bottom."""
    found: list[int] = []
    for index in range(max(layout.box_at(top), 0), len(layout.boxes)):
        box = layout.boxes[index]
        if box.y >= bottom:
            break
        if box.y + layout.header_height(box) > top:
            found.append(index)
    return found


def gutter_texts(layout: MapLayout, strips: Sequence[Strip]) -> list[GutterText]:
    """Return the offset of each row, and of the first one after a fold."""
    found: list[GutterText] = []
    for strip in strips:
        lane = layout.boxes[strip.box].lane
        if strip.kind != ROW or lane is None:
            continue
        offset = strip.first - lane.base
        text = f"+ {format_bytes(offset)}" if lane.kind in _END_TO_END else format_address(offset)
        found.append(GutterText(strip.y0, strip.y1 - strip.y0, text))
    return found


def block_texts(
    ready: Paint, layout: MapLayout, strips: Sequence[Strip], measure_name: Measure, measure_size: Measure
) -> list[BlockText]:
    """Return the labels that fit into the visible blocks.

    Args:
        ready: Colours.
        layout: The map.
        strips: The visible strips.
        measure_name: Width of a text in the font of names (11 px).
        measure_size: Width of a text in the font of sizes (10 px).
    """
    found: list[BlockText] = []
    for strip in strips:
        if strip.kind == ROW and strip.y1 - strip.y0 >= LEAST_TEXT_ROW:
            found += _row_texts(ready, layout, strip, measure_name, measure_size)
        elif strip.kind == TRACK:
            found += _track_texts(ready, strip, measure_size)
    return found


def _wide_items(items: Items, strip: Strip) -> list[tuple[int, float, float]]:
    """Return (item, x, width) of the items that are wide enough for a text in a strip."""
    part = items.between(strip.first, strip.end)
    start = np.maximum(items.start[part], strip.first)
    width = (np.minimum(items.end[part], strip.end) - start) * strip.pixels_per_byte
    wide = np.flatnonzero((width >= _LEAST_LABEL) & (items.block[part] >= 0))
    left = (start[wide] - strip.first) * strip.pixels_per_byte
    return [(part.start + int(at), float(x), float(w)) for at, x, w in zip(wide, left, width[wide], strict=True)]


def _row_texts(
    ready: Paint, layout: MapLayout, strip: Strip, measure_name: Measure, measure_size: Measure
) -> list[BlockText]:
    scene, items = ready.scene, ready.scene.items
    box = layout.boxes[strip.box]
    found: list[BlockText] = []
    for item, x, width in _wide_items(items, strip):
        block = int(items.block[item])
        name = block_name(scene, block)
        if layout.view.mode is Mode.LINEAR or _widest_row(box, layout.view.row_bytes, items, item) == strip.row:
            size = _size_text(scene, strip, box, item)
            label = fit_label(name, size, width - 1, measure_name, measure_size)
        else:
            label = fit_continued(name, width - 1, measure_name)
        if label is not None:
            ink = ready.palette.colour["text2"] if items.evicted[item] else _ink(ready, block)
            found.append(BlockText(x, strip.y0, width - 1, strip.y1 - strip.y0, label, ink, False, block))
    return found


def _size_text(scene: MapScene, strip: Strip, box: Box, item: int) -> str:
    """Return the size of a block, or its exact bytes where single bytes can be told apart."""
    if strip.pixels_per_byte < _BYTES_FROM_PX or box.lane is None:
        return format_bytes(int(scene.snapshot.blocks.size[scene.items.block[item]]))
    first, end = (int(value) - box.lane.base for value in (scene.items.start[item], scene.items.end[item]))
    return f"{format_address(first)} – {format_address(end - 1)}"


def _track_texts(ready: Paint, strip: Strip, measure_size: Measure) -> list[BlockText]:
    scene, aliases = ready.scene, ready.scene.aliases
    found: list[BlockText] = []
    busy = -1.0
    for item, x, width in _wide_items(aliases, strip):
        if x < busy:
            continue
        busy = x + width
        block = int(aliases.block[item])
        over = scene.items.between(int(aliases.start[item]), int(aliases.end[item]))
        beside = aliases.between(int(aliases.start[item]), int(aliases.end[item]))
        deep = int(np.count_nonzero(aliases.end[beside] > aliases.start[item])) + 1
        told = f"{deep} deep" if deep > 2 else f"aliases {over.stop - over.start}"
        for text in (f"{block_name(scene, block)} · {told}", block_name(scene, block)):
            if measure_size(text) + 12 <= width:
                ink = ready.palette.colour["text"]
                found.append(BlockText(x, strip.y0, width, strip.y1 - strip.y0, Label(text), ink, True, block))
                break
    return found


def _widest_row(box: Box, row_bytes: int, items: Items, item: int) -> int:
    """Return the row in which most of an item lies (the first of equal ones)."""
    base = box.lane.base if box.lane is not None else 0
    first, end = int(items.start[item]) - base, int(items.end[item]) - base
    row, last = first // row_bytes, (end - 1) // row_bytes
    if row == last:
        return row
    head = (row + 1) * row_bytes - first
    middle = row_bytes if last - row > 1 else 0
    tail = end - last * row_bytes
    widest = max(head, middle, tail)
    if head == widest:
        return row
    return row + 1 if middle == widest else last


def _ink(ready: Paint, block: int) -> Rgba:
    return ready.categories[int(ready.colouring.index[block])].ink
