"""Zoom, scroll and folding of a map: state and arithmetic without any window."""

from __future__ import annotations

from dataclasses import dataclass, replace

from explorer.core.units import format_address, format_bytes, parse_size
from explorer.errors import InputError
from explorer.render.hit import byte_at, strip_at
from explorer.render.lanes import Lane, MapScene
from explorer.render.layout import Box, MapLayout, Mode, View, build_layout, fitting_row_bytes, is_folded, longest_lane

LEAST_ROW_BYTES = 16
MOST_ROW_BYTES = 1 << 50
RANGE_FORMS = ("0x0 … 0x1000_0000", "64 MiB - 128 MiB", "0x400_0000 + 64 KiB")


@dataclass(frozen=True, slots=True)
class Seen:
    """The bytes that a view shows of one lane.

    Attributes:
        lane: The lane.
        first: First byte within the lane.
        end: Byte after the last one.
    """

    lane: Lane
    first: int
    end: int


class Camera:
    """What part of a scene is shown, and how large.

    Attributes:
        scroll: Logical pixels of the map above the upper end of the view.
    """

    def __init__(self, scene: MapScene, view: View, height: int) -> None:
        self._scene = scene
        self._view = view
        self._height = max(height, 1)
        self._layout: MapLayout | None = None
        self._anchor: tuple[float, float, int, int, float] | None = None
        self.scroll = 0

    @property
    def scene(self) -> MapScene:
        """What is shown."""
        return self._scene

    @property
    def view(self) -> View:
        """How it is shown."""
        return self._view

    @property
    def height(self) -> int:
        """Logical pixels of the view."""
        return self._height

    @property
    def layout(self) -> MapLayout:
        """The boxes of the scene; made again only after a change."""
        if self._layout is None:
            self._layout = build_layout(self._scene, self._view)
        return self._layout

    @property
    def longest(self) -> int:
        """Bytes of the longest lane that can show rows."""
        return longest_lane(self._scene)

    @property
    def most_scroll(self) -> int:
        """The largest value of ``scroll``."""
        return max(self.layout.height - self._height, 0)

    def set_scene(self, scene: MapScene) -> None:
        """Show another scene at the same zoom."""
        self._scene = scene
        self._change(self._view)

    def resize(self, width: int, height: int) -> None:
        """Set the size of the view in logical pixels (without the gutter)."""
        self._height = max(height, 1)
        self._change(replace(self._view, width=max(width, 1)))

    def set_mode(self, mode: Mode) -> None:
        """Switch between one long row and folded rows; what was on top stays on top."""
        seen = self.seen()
        self._change(replace(self._view, mode=mode))
        if seen is not None:
            self.show_range(seen.lane, seen.first, seen.end)

    def set_row_bytes(self, row_bytes: int) -> None:
        """Set the bytes of a row; the first visible byte stays on top."""
        seen = self.seen()
        self._change(replace(self._view, row_bytes=min(max(row_bytes, LEAST_ROW_BYTES), MOST_ROW_BYTES)))
        if seen is not None:
            self._put(seen.lane.base + seen.first, self._head())

    def fit(self) -> None:
        """Show everything, as large as fits."""
        row_bytes = fitting_row_bytes(self._scene, self._view, self._height)
        self._change(replace(self._view, row_bytes=row_bytes, origin=0, span=max(self.longest, 1)))
        self.scroll = 0

    def toggle_fold(self, lane: Lane) -> None:
        """Fold a lane to one line, or unfold it."""
        self._change(replace(self._view, folded={**self._view.folded, lane.key: not is_folded(self._view, lane)}))

    def keep_rows(self, kept: tuple[tuple[int, int], ...]) -> None:
        """Show the rows of ranges of the map axis even where they are empty."""
        if kept != self._view.kept:
            self._change(replace(self._view, kept=kept))

    def scroll_to(self, y: float) -> None:
        """Set the scroll, within its limits."""
        self.scroll = min(max(round(y), 0), self.most_scroll)

    def pan(self, dx: float, dy: float) -> None:
        """Move what is shown by logical pixels; sideways only one long row moves."""
        self.scroll_to(self.scroll - dy)
        if self._view.mode is Mode.LINEAR and dx:
            self.set_origin(self._view.origin - round(dx * self._view.span / self._view.width))

    def set_origin(self, origin: int) -> None:
        """Set the first byte of one long row."""
        most = max(self.longest - self._view.span, 0)
        self._change(replace(self._view, origin=min(max(origin, 0), most)))

    def zoom(self, x: float, y: float, steps: int) -> None:
        """Zoom in (steps > 0) or out about a point of the view; a step halves or doubles.

        The byte under the point keeps its place in one long row. Rows keep starting at multiples of their size, so
        there the row of the byte stays at the height of the point, and further steps at the point keep to that byte.
        """
        if self._view.mode is Mode.LINEAR:
            self._zoom_linear(x, steps)
            return
        byte, within = self._anchor_at(x, y)
        size = self._view.row_bytes >> steps if steps > 0 else self._view.row_bytes << -steps
        most = 1 << max(self.longest - 1, 1).bit_length()
        size = min(max(size, LEAST_ROW_BYTES), max(most, LEAST_ROW_BYTES))
        if size == self._view.row_bytes:
            return
        self._change(replace(self._view, row_bytes=size))
        if byte is not None:
            self._put(byte, y - within)
            self._anchor = (x, y, self.scroll, byte, within)

    def show_range(self, lane: Lane, first: int, end: int) -> None:
        """Show the bytes ``[first, end)`` of a lane, as large as fits."""
        end = max(end, first + 1)
        unfolded = {**self._view.folded, lane.key: False}
        self._change(replace(self._view, folded=unfolded))
        if self._view.mode is Mode.LINEAR:
            span = min(max(end - first, 1), max(self.longest, 1))
            self._change(replace(self._view, span=span))
            self.set_origin(first)
        else:
            rows = max((self._height - self._head()) // self._view.measures.pitch, 1)
            size = LEAST_ROW_BYTES
            while size * rows < end - first // size * size and size < MOST_ROW_BYTES:
                size *= 2
            self._change(replace(self._view, row_bytes=size))
        self._put(lane.base + min(first, max(lane.extent - 1, 0)), self._head())

    def reveal(self, byte: int) -> None:
        """Scroll so that a byte of the map axis is in view; unfolds a run of like heaps that hides it."""
        for lane in self._scene.lanes:
            if lane.base <= byte < lane.end and lane.children and is_folded(self._view, lane):
                self.toggle_fold(lane)
        for box in self.layout.boxes:
            if box.lane is not None and box.lane.base <= byte < box.lane.end and box.is_folded:
                self.toggle_fold(box.lane)
                break
        place = self.layout.locate(byte)
        if place is None:
            return
        box, y, x = place
        lane = self.layout.boxes[box].lane
        if self._view.mode is Mode.LINEAR and lane is not None and not 0 <= x < self._view.width:
            self.set_origin(byte - lane.base - self._view.span // 2)
        if not self.scroll + self._head() <= y <= self.scroll + self._height - 2 * self._view.measures.pitch:
            self.scroll_to(y - self._height // 3)

    def box_on_top(self) -> Box | None:
        """Return the lane that the upper end of the view shows, None in an empty map."""
        layout = self.layout
        below = self.scroll + self._head()
        for index in range(max(layout.box_at(self.scroll), 0), len(layout.boxes)):
            box = layout.boxes[index]
            if box.lane is not None and not box.lane.children and box.y + box.height > below:
                return box
        return next((box for box in reversed(layout.boxes) if box.lane is not None), None)

    def seen(self) -> Seen | None:
        """Return which bytes of the uppermost lane are in view; None in an empty map."""
        box = self.box_on_top()
        if box is None or box.lane is None:
            return None
        lane = box.lane
        if box.rows is None:
            return Seen(lane, 0, lane.extent)
        if self._view.mode is Mode.LINEAR:
            return Seen(lane, self._view.origin, min(self._view.origin + self._view.span, max(lane.extent, 1)))
        body = box.y + self._view.measures.header
        first = box.rows.row_at(self.scroll + self._head() - body) if self.scroll + self._head() > body else 0
        last = box.rows.row_at(self.scroll + self._height - body)
        return Seen(lane, first * box.rows.row_bytes, min((last + 1) * box.rows.row_bytes, lane.extent))

    def _anchor_at(self, x: float, y: float) -> tuple[int | None, float]:
        """Return the byte to zoom about, and how far the point is below the top of its row."""
        if self._anchor is not None and self._anchor[:3] == (x, y, self.scroll):
            return self._anchor[3], self._anchor[4]
        strip = strip_at(self.layout, x, y + self.scroll)
        if strip is None:
            return None, 0
        byte = byte_at(strip, x)
        place = self.layout.locate(byte)
        return byte, y + self.scroll - (place[1] if place is not None else strip.y0)

    def _head(self) -> int:
        """Return the height of the headers that stick to the upper end."""
        return self._view.measures.segment + self._view.measures.header

    def _zoom_linear(self, x: float, steps: int) -> None:
        view = self._view
        span = view.span >> steps if steps > 0 else view.span << -steps
        span = min(max(span, 1), max(self.longest, 1))
        under = view.origin + x * view.span / view.width
        self._change(replace(view, span=span))
        self.set_origin(round(under - x * span / view.width))

    def _put(self, byte: int, y: float) -> None:
        """Scroll so that the row of a byte begins at a height of the view."""
        place = self.layout.locate(byte)
        if place is not None:
            self.scroll_to(place[1] - y)

    def _change(self, view: View) -> None:
        self._view = view
        self._layout = None
        self.scroll = min(self.scroll, self.most_scroll)


def format_range(first: int, end: int) -> str:
    """Return ``0x0000_0000 … 0x1000_0000``."""
    return f"{format_address(first)} … {format_address(end)}"


def parse_range(text: str) -> tuple[int, int]:
    """Return the range that a text says, ``[first, end)``.

    Accepts two sizes with ``…``, ``..``, ``–`` or ``-`` between, or a first byte and a length with ``+``; each as
    ``0x…``, ``64 MiB``, ``123``. A single one is a range of a page there.

    Raises:
        InputError: Not a range, or an empty one.
    """
    for mark in ("…", "...", "..", "–", "−", " to ", "-"):
        if mark in text:
            left, _, right = text.partition(mark)
            first, end = parse_size(left), parse_size(right)
            break
    else:
        left, plus, right = text.partition("+")
        first = parse_size(left)
        end = first + (parse_size(right) if plus else 4096)
    if end <= first:
        raise InputError("the range is empty", found=text, accepted=RANGE_FORMS)
    return first, end


def row_text(row_bytes: int) -> str:
    """Return ``64 MiB`` for the bytes of a row."""
    return format_bytes(row_bytes).replace(".0 ", " ")
