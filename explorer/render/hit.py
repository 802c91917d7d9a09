"""What lies under a point of the map, and which bytes a box of pixels covers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from explorer.render.raster import THIN, TRACK

if TYPE_CHECKING:
    from explorer.core.columns import Int32
    from explorer.render.layout import MapLayout, Strip


class Hit(NamedTuple):
    """What is under a point. A tuple: made in 0.2 us at each move of the mouse, a frozen dataclass in 1.1.

    Attributes:
        box: Index of the box.
        byte: The byte on the map axis.
        offset: The byte within its lane.
        first: First byte of the item or hole, on the map axis.
        end: Byte after its last one.
        block: Index of the block, −1 for none.
        waste: Index of the wasted range, −1 for none; both −1 over a hole.
        alias: Whether the point is in the track of aliases.
        strip: The strip under the point.
    """

    box: int
    byte: int
    offset: int
    first: int
    end: int
    block: int
    waste: int
    alias: bool
    strip: Strip


def strip_at(layout: MapLayout, x: float, y: float) -> Strip | None:
    """Return the strip under a point; logical pixels from the left end of the rows and the top of the map."""
    for strip in layout.strips(y, y + 1e-6):
        if strip.y0 <= y < strip.y1 and strip.x0 <= x < strip.x1:
            return strip
    return None


def byte_at(strip: Strip, x: float) -> int:
    """Return the byte of the map axis under an x within a strip."""
    return min(strip.first + max(int((x - strip.x0) / strip.pixels_per_byte), 0), strip.end - 1)


def hit_test(layout: MapLayout, x: float, y: float) -> Hit | None:
    """Return what is under a point, None outside every strip.

    Args:
        layout: The map.
        x: Logical pixels from the left end of the rows.
        y: Logical pixels from the top of the map.
    """
    strip = strip_at(layout, x, y)
    if strip is None:
        return None
    lane = layout.boxes[strip.box].lane
    if lane is None:
        return None
    byte = byte_at(strip, x)
    scene = layout.scene
    if strip.kind == TRACK:
        return _hit_alias(layout, strip, byte)
    items = scene.items
    index = items.reach.searchsorted(byte, "right")
    start = items.start
    if index < start.size and (first := start.item(index)) <= byte:
        return Hit(strip.box, byte, byte - lane.base, first, items.end.item(index),
                   items.block.item(index), items.waste.item(index), False, strip)  # fmt: skip
    # A block narrower than a pixel stands beside the exact byte: take the nearest one in the pixel.
    near = _nearest(layout, strip, x)
    if near is not None:
        return Hit(strip.box, byte, byte - lane.base, int(items.start[near]), int(items.end[near]),
                   int(items.block[near]), int(items.waste[near]), False, strip)  # fmt: skip
    first = int(items.end[index - 1]) if index > 0 else lane.base
    end = int(items.start[index]) if index < len(items) else lane.end
    return Hit(strip.box, byte, byte - lane.base, max(first, lane.base), min(end, lane.end), -1, -1, False, strip)


def crowd(layout: MapLayout, strip: Strip, x: float) -> Int32:
    """Return the blocks that share the pixel under an x, the largest first; shape (blocks,)."""
    first = byte_at(strip, np.floor(x))
    end = byte_at(strip, np.floor(x) + 1) + 1
    table = layout.scene.aliases if strip.kind == TRACK else layout.scene.items
    part = table.between(first, max(end, first + 1))
    blocks = table.block[part]
    size = (table.end[part] - table.start[part])[blocks >= 0]
    return blocks[blocks >= 0][np.argsort(-size, kind="stable")]


def blocks_in_box(layout: MapLayout, x0: float, y0: float, x1: float, y1: float) -> Int32:
    """Return the blocks that a box of logical pixels touches, each once, sorted."""
    left, right = min(x0, x1), max(x0, x1)
    top, bottom = min(y0, y1), max(y0, y1)
    found: list[Int32] = []
    for strip in layout.strips(top, bottom):
        if strip.y1 <= top or strip.y0 >= bottom or strip.x1 <= left or strip.x0 >= right or strip.kind == THIN:
            continue
        first = byte_at(strip, max(left, strip.x0))
        end = byte_at(strip, min(right, strip.x1 - 1e-9)) + 1
        table = layout.scene.aliases if strip.kind == TRACK else layout.scene.items
        part = table.between(first, end)
        touched = table.block[part][table.end[part] > first]
        found.append(touched[touched >= 0])
    return np.unique(np.concatenate(found)) if found else np.zeros(0, np.int32)


def _hit_alias(layout: MapLayout, strip: Strip, byte: int) -> Hit | None:
    aliases = layout.scene.aliases
    base = layout.boxes[strip.box].lane
    part = aliases.between(byte, byte + 1)
    over = np.flatnonzero(aliases.end[part] > byte) + part.start
    if not len(over) or base is None:
        return None
    # The last one lies on top.
    top = int(over[-1])
    return Hit(strip.box, byte, byte - base.base, int(aliases.start[top]), int(aliases.end[top]),
               int(aliases.block[top]), -1, True, strip)  # fmt: skip


def _nearest(layout: MapLayout, strip: Strip, x: float) -> int | None:
    items = layout.scene.items
    cell = int(x)
    first, end = byte_at(strip, cell), byte_at(strip, cell + 1)
    part = items.between(max(first, strip.first), min(end, strip.end))
    if part.stop <= part.start or strip.pixels_per_byte > 1:
        return None
    sizes = (items.end[part] - items.start[part]) * strip.pixels_per_byte
    narrow = np.flatnonzero(sizes <= 1)
    return part.start + int(narrow[np.argmax(sizes[narrow])]) if len(narrow) else None
