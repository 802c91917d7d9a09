"""Walking over the map with the keyboard: from one block or hole to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.kinds import BlockState
from explorer.render.layout import MapLayout, Mode

if TYPE_CHECKING:
    from explorer.render.lanes import Lane, MapScene


@dataclass(frozen=True, slots=True)
class Focus:
    """What the keyboard stands on.

    Attributes:
        first: First byte on the map axis.
        end: Byte after the last one.
        block: Index of the block, −1 for a hole or wasted range.
        waste: Index of the wasted range, −1 for none.
    """

    first: int
    end: int
    block: int = -1
    waste: int = -1


def focus_on_item(scene: MapScene, item: int) -> Focus:
    """Return the focus on an item of the rows."""
    items = scene.items
    return Focus(items.start.item(item), items.end.item(item), items.block.item(item), items.waste.item(item))


def lane_at(scene: MapScene, byte: int) -> Lane | None:
    """Return the smallest lane that holds a byte of the map axis."""
    for lane in scene.lanes:
        if lane.base <= byte < lane.end:
            return next((child for child in lane.children if child.base <= byte < child.end), lane)
    return None


def next_block(scene: MapScene, focus: Focus | None, step: int) -> Focus | None:
    """Return the next (step 1) or previous (−1) block from a focus; the first one without a focus."""
    blocks = np.flatnonzero(scene.items.block >= 0)
    if not len(blocks):
        return None
    if focus is None:
        return focus_on_item(scene, int(blocks[0]))
    starts = scene.items.start[blocks]
    at = int(starts.searchsorted(focus.first, "right" if step > 0 else "left"))
    at = at if step > 0 else at - 1
    return focus_on_item(scene, int(blocks[at])) if 0 <= at < len(blocks) else focus


def next_hole(scene: MapScene, focus: Focus | None, step: int) -> Focus | None:
    """Return the next or previous hole of a lane; the first one without a focus."""
    first, end = holes(scene)
    if not len(first):
        return focus
    if focus is None:
        return Focus(int(first[0]), int(end[0]))
    at = int(first.searchsorted(focus.first, "right" if step > 0 else "left"))
    at = at if step > 0 else at - 1
    return Focus(int(first[at]), int(end[at])) if 0 <= at < len(first) else focus


def next_changed(scene: MapScene, focus: Focus | None) -> Focus | None:
    """Return the next block that was uploaded, paged in or moved in this frame, around the end if need be."""
    items = scene.items
    if not len(scene.snapshot.blocks):
        return None
    moved = (scene.snapshot.blocks.state & BlockState.MOVED_THIS_FRAME) != 0
    changed = np.flatnonzero((items.block >= 0) & moved[items.block])
    if not len(changed):
        return None
    after = int(items.start[changed].searchsorted(focus.first if focus is not None else -1, "right"))
    return focus_on_item(scene, int(changed[after % len(changed)]))


def block_beside(layout: MapLayout, focus: Focus | None, rows: int) -> Focus | None:
    """Return the block a number of rows below (or above, < 0) the focus, at about the same x."""
    scene = layout.scene
    if focus is None:
        return next_block(scene, None, 1)
    lane = lane_at(scene, focus.first)
    if lane is None:
        return focus
    if layout.view.mode is Mode.ROWS:
        target = focus.first + rows * layout.view.row_bytes
        if lane.base <= target < lane.end:
            found = nearest_block(scene, target, lane)
            return found if found is not None and found != focus else next_block(scene, focus, 1 if rows > 0 else -1)
    lanes = [box.lane for box in layout.boxes if box.lane is not None and not box.lane.children]
    place = next((index for index, one in enumerate(lanes) if one.base <= focus.first < one.end), 0)
    place = place + (1 if rows > 0 else -1)
    if not 0 <= place < len(lanes):
        return focus
    other = lanes[place]
    return nearest_block(scene, other.base + min(focus.first - lane.base, max(other.extent - 1, 0)), other) or focus


def nearest_block(scene: MapScene, byte: int, lane: Lane) -> Focus | None:
    """Return the block of a lane that holds a byte or starts nearest to it."""
    part = scene.items.between(lane.base, lane.end)
    blocks = np.flatnonzero(scene.items.block[part] >= 0) + part.start
    if not len(blocks):
        return None
    at = int(scene.items.start[blocks].searchsorted(byte, "right")) - 1
    return focus_on_item(scene, int(blocks[max(at, 0)]))


def lane_end(scene: MapScene, focus: Focus | None, *, last: bool) -> Focus | None:
    """Return the first or last block of the lane of the focus."""
    if focus is None:
        return next_block(scene, None, 1)
    lane = lane_at(scene, focus.first)
    if lane is None:
        return focus
    return nearest_block(scene, lane.end - 1 if last else lane.base, lane) or focus


def holes(scene: MapScene) -> tuple[np.ndarray, np.ndarray]:
    """Return first bytes and ends of the free ranges of all lanes, int64, sorted."""
    first: list[np.ndarray] = []
    end: list[np.ndarray] = []
    for lane in scene.lanes:
        for one in lane.children or (lane,):
            part = scene.items.between(one.base, one.end)
            first.append(np.append(one.base, scene.items.end[part]))
            end.append(np.append(scene.items.start[part], one.end))
    if not first:
        none = np.zeros(0, np.int64)
        return none, none
    starts, ends = np.concatenate(first), np.concatenate(end)
    keep = ends > starts
    return starts[keep], ends[keep]
