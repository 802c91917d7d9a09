"""Where headers, rows and strips of a map stand for a view: heights in logical pixels, bytes on the map axis."""

from __future__ import annotations

import bisect
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from explorer.render.lanes import Lane, MapScene
from explorer.render.raster import ROW, THIN, TRACK
from explorer.render.rows import Measures, Rows, default_measures, fold_rows


class Mode(enum.StrEnum):
    """How a lane is shown."""

    LINEAR = "linear"
    """One row for each lane, all on one scale."""
    ROWS = "rows"
    """Folded into rows of equal bytes."""


@dataclass(frozen=True, slots=True)
class View:
    """What a map shows, apart from how far it is scrolled.

    Attributes:
        mode: Linear or rows.
        row_bytes: Bytes of a row, a power of two, in ``ROWS``.
        origin: First byte of every lane that is shown, in ``LINEAR``.
        span: Bytes from the left end to the right end, in ``LINEAR``.
        width: Logical pixels from the gutter to the right end.
        folded: Lane key → whether it is folded, where the user chose.
        kept: Ranges of the map axis whose rows stay even if they are empty.
        measures: Heights.
    """

    mode: Mode
    row_bytes: int
    origin: int
    span: int
    width: int
    folded: Mapping[str, bool] = field(default_factory=dict[str, bool])
    kept: tuple[tuple[int, int], ...] = ()
    measures: Measures = field(default_factory=default_measures)


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """A segment header, or a lane with its header.

    Attributes:
        y: Top in logical pixels.
        height: With everything below the header.
        segment: Index of the segment.
        lane: The lane; None for the header of a segment.
        rows: Its rows; None where it is folded, or where its children follow.
        is_folded: Whether it shows a strip only.
        depth: 1 for a lane of a run of like heaps.
    """

    y: int
    height: int
    segment: int
    lane: Lane | None = None
    rows: Rows | None = None
    is_folded: bool = False
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Strip:
    """A horizontal range of pixels that shows a range of bytes.

    Attributes:
        box: Index of the box.
        row: Row of the lane; 0 in linear mode and for strips.
        first: First byte on the map axis.
        end: Byte after the last one.
        x0: Left end, logical pixels, from the left end of the rows.
        x1: Right end.
        y0: Top, logical pixels, from the top of the map.
        y1: Bottom.
        kind: ``ROW``, ``TRACK`` or ``THIN``.
        pixels_per_byte: Scale.
    """

    box: int
    row: int
    first: int
    end: int
    x0: float
    x1: float
    y0: int
    y1: int
    kind: int
    pixels_per_byte: float


@dataclass(frozen=True, slots=True)
class Fold:
    """A line that stands for empty rows.

    Attributes:
        box: Index of the box.
        offset: First byte, within the lane.
        size: Bytes.
        y: Top, logical pixels from the top of the map.
        height: Logical pixels.
    """

    box: int
    offset: int
    size: int
    y: int
    height: int


@dataclass(frozen=True, slots=True, eq=False)
class MapLayout:
    """A scene in boxes from top to bottom.

    Attributes:
        scene: What is shown.
        view: How.
        boxes: From top to bottom.
        tops: ``y`` of each box, for binary search.
        height: Logical pixels of the whole map.
    """

    scene: MapScene
    view: View
    boxes: tuple[Box, ...]
    tops: tuple[int, ...]
    height: int

    def box_at(self, y: float) -> int:
        """Return the index of the box at a height, −1 above the first one."""
        return bisect.bisect_right(self.tops, y) - 1

    def header_height(self, box: Box) -> int:
        """Return the height of a box's header."""
        return self.view.measures.segment if box.lane is None else self.view.measures.header

    def strips(self, top: float, bottom: float) -> list[Strip]:
        """Return the strips between two heights, from top to bottom."""
        found: list[Strip] = []
        for index in range(max(self.box_at(top), 0), len(self.boxes)):
            box = self.boxes[index]
            if box.y >= bottom:
                break
            if box.lane is None:
                continue
            body = box.y + self.view.measures.header
            if box.is_folded:
                found.append(self._thin(index, box.lane, body))
            elif box.rows is not None and self.view.mode is Mode.LINEAR:
                found += self._linear(index, box.lane, box.rows, body)
            elif box.rows is not None:
                found += self._folded_rows(index, box.lane, box.rows, body, top - body, bottom - body)
        return found

    def folds(self, top: float, bottom: float) -> list[Fold]:
        """Return the dashed lines for empty rows between two heights, from top to bottom."""
        found: list[Fold] = []
        for index in range(max(self.box_at(top), 0), len(self.boxes)):
            box = self.boxes[index]
            if box.y >= bottom:
                break
            if box.lane is None or box.rows is None:
                continue
            rows, body = box.rows, box.y + self.view.measures.header
            for run in range(rows.run_at(top - body), len(rows.first)):
                y = body + int(rows.y[run])
                if y >= bottom:
                    break
                if rows.folded[run]:
                    first = int(rows.first[run]) * rows.row_bytes
                    end = min((rows.last_of(run) + 1) * rows.row_bytes, box.lane.extent)
                    found.append(Fold(index, first, end - first, y, self.view.measures.fold))
        return found

    def locate(self, byte: int) -> tuple[int, int, float] | None:
        """Return box, y and x of a byte of the map axis, or None where it stands in no row.

        The y is the top of the row in logical pixels, the x counts from the left end of the rows.
        """
        for index, box in enumerate(self.boxes):
            if box.lane is None or not box.lane.base <= byte < box.lane.end:
                continue
            body = box.y + self.view.measures.header
            if box.is_folded:
                return index, body, self.view.width * (byte - box.lane.base) / max(box.lane.extent, 1)
            if box.rows is None:
                continue
            offset = byte - box.lane.base
            if self.view.mode is Mode.LINEAR:
                return index, body, self.view.width * (offset - self.view.origin) / self.view.span
            row = offset // box.rows.row_bytes
            left = offset - row * box.rows.row_bytes
            return index, body + box.rows.top_of(row), self.view.width * left / box.rows.row_bytes
        return None

    def _thin(self, index: int, lane: Lane, body: int) -> Strip:
        width = self.view.width
        height = self.view.measures.strip
        return Strip(index, 0, lane.base, lane.end, 0, width, body, body + height, THIN, width / max(lane.extent, 1))

    def _linear(self, index: int, lane: Lane, rows: Rows, body: int) -> list[Strip]:
        view = self.view
        first, end = lane.base + view.origin, min(lane.base + view.origin + view.span, lane.end)
        if first >= end:
            return []
        scale = view.width / view.span
        track = view.measures.track if bool(rows.track[0]) else 0
        x1, y0 = (end - first) * scale, body + track
        strip = Strip(index, 0, first, end, 0, x1, y0, y0 + view.measures.row, ROW, scale)
        return [replace(strip, y0=body, y1=y0, kind=TRACK), strip] if track else [strip]

    def _folded_rows(self, index: int, lane: Lane, rows: Rows, body: int, top: float, bottom: float) -> list[Strip]:
        measures, width = self.view.measures, self.view.width
        scale = width / rows.row_bytes
        found: list[Strip] = []
        for run in range(rows.run_at(top), len(rows.first)):
            pitch, origin, first_row = rows.pitch.item(run), rows.y.item(run), rows.first.item(run)
            if origin >= bottom:
                break
            if rows.folded.item(run):
                continue
            track = measures.track if rows.track.item(run) else 0
            start = max(first_row, first_row + int((top - origin) // pitch))
            stop = min(rows.last_of(run), first_row + int((bottom - origin) // pitch))
            for row in range(start, stop + 1):
                y = body + origin + (row - first_row) * pitch
                first = lane.base + row * rows.row_bytes
                end = min(first + rows.row_bytes, lane.end)
                x1 = float(width) if end - first == rows.row_bytes else (end - first) * scale
                strip = Strip(index, row, first, end, 0, x1, y + track, y + track + measures.row, ROW, scale)
                if track:
                    found.append(replace(strip, y0=y, y1=y + track, kind=TRACK))
                found.append(strip)
        return found


def is_folded(view: View, lane: Lane) -> bool:
    """Return whether a lane shows one line and a strip."""
    return view.folded.get(lane.key, lane.folded)


def build_layout(scene: MapScene, view: View) -> MapLayout:
    """Return the boxes of a scene."""
    boxes: list[Box] = []
    y = 0
    for segment in range(len(scene.snapshot.segments)):
        boxes.append(Box(y, view.measures.segment, segment))
        y += view.measures.segment
        for lane in scene.lanes:
            if lane.segment != segment:
                continue
            folded = is_folded(view, lane)
            y = _add(scene, view, boxes, lane, y, folded, 0)
            if lane.children and not folded:
                for child in lane.children:
                    y = _add(scene, view, boxes, child, y, is_folded(view, child), 1)
    return MapLayout(scene, view, tuple(boxes), tuple(box.y for box in boxes), y)


def _add(scene: MapScene, view: View, boxes: list[Box], lane: Lane, y: int, folded: bool, depth: int) -> int:
    measures = view.measures
    rows = None
    height = measures.header
    if folded:
        height += measures.strip + measures.lane_gap
    elif not lane.children:
        row_bytes = max(lane.extent, 1) if view.mode is Mode.LINEAR else view.row_bytes
        rows = fold_rows(lane.base, max(lane.extent, 1), row_bytes, scene.items, scene.aliases, measures,
                         fold=view.mode is Mode.ROWS, kept=view.kept)  # fmt: skip
        height += rows.height - measures.gap + measures.lane_gap
    boxes.append(Box(y, height, lane.segment, lane, rows, folded, depth))
    return y + height


def longest_lane(scene: MapScene) -> int:
    """Return the bytes of the longest lane that can show rows (a run of like heaps itself has none)."""
    return max((leaf.extent for lane in scene.lanes for leaf in lane.children or (lane,)), default=1)


def fitting_row_bytes(scene: MapScene, view: View, height: int) -> int:
    """Return the smallest row size with which the whole map is at most ``height`` logical pixels high.

    Where no row size does that, longer rows only leave the width empty: then the smallest one with which the map is
    at most a seventh higher than it has to be.

    Args:
        scene: What is shown.
        view: How; its own row size does not matter.
        height: Logical pixels.
    """
    most = max(1 << max(longest_lane(scene) - 1, 1).bit_length(), 16)
    sizes = [max(most // 64, 16)]
    while sizes[-1] < most:
        sizes.append(sizes[-1] * 2)
    heights: list[float] = []
    for row_bytes in sizes:
        heights.append(build_layout(scene, replace(view, mode=Mode.ROWS, row_bytes=row_bytes)).height)
        if heights[-1] <= height:
            return row_bytes
    least = heights[-1] * 8 / 7
    return next(row_bytes for row_bytes, high in zip(sizes, heights, strict=True) if high <= least)
