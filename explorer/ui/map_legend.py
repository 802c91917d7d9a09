"""The legend and the small map of the whole segment under the memory map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from explorer.core.units import format_bytes, format_exact
from explorer.render.legend import LegendEntry, entries_in_view, legend_entries
from explorer.render.looks import swatch
from explorer.render.raster import THIN, new_buffer, paint
from explorer.render.tokens import load_tokens
from explorer.ui.map_overlay import MapFonts
from explorer.ui.map_screen import MapScreen, to_colour

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent

    from explorer.render.frame import Frame, Paint
    from explorer.render.lanes import MapScene
    from explorer.render.looks import LookTable, Pixels

_SHARES = (40, 41, 41, 40, 38)
"""Of the width: some kinds have longer names than states."""

_ROWS = 4
_ROW = 18
_APART = 12
_DIMMED = 0.55
_EDGE = 12


class MapLegend(QWidget):
    """What the colours mean, with bytes; five columns, and nothing in it jumps."""

    def __init__(self, screen: MapScreen) -> None:
        super().__init__()
        self.setObjectName("map_legend")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self._screen = screen
        self._entries: list[LegendEntry] = []
        self._of: tuple[Paint, list[LegendEntry]] | None = None
        self._seen_in: Frame | None = None
        self._swatches: dict[tuple[int, int], tuple[QImage, Pixels]] = {}
        self._swatches_of: LookTable | None = None
        self._fonts: MapFonts | None = None

    def sizeHint(self) -> QSize:
        """Four rows."""
        return QSize(480, _ROWS * _ROW + 12)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font of the window."""
        super().changeEvent(event)
        self._fonts = None

    def entries(self) -> list[LegendEntry]:
        """Return the entries for what is shown now."""
        ready, frame = self._screen.ready(), self._screen.frame()
        if ready is None or frame is None:
            return []
        if self._of is None or self._of[0] is not ready:
            self._of = (ready, legend_entries(ready.scene, ready.colouring))
            told = ", ".join(f"{entry.label} {format_bytes(entry.size)}" for entry in self._of[1])
            self.setAccessibleName(f"Legend: {told}")
        if self._seen_in is not frame:
            self._seen_in = frame
            self._entries = entries_in_view(self._of[1], ready.scene, ready.colouring, frame.strips)
        return self._entries

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell the exact bytes of the entry under the cursor."""
        for entry, rect in self._placed():
            if rect.contains(event.position()):
                QToolTip.showText(event.globalPosition().toPoint(), f"{entry.label}: {format_exact(entry.size)}", self)
                return

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint every entry where it always is."""
        painter = QPainter(self)
        colours = self._screen.palette.colour
        painter.fillRect(self.rect(), to_colour(self._screen.palette.map["base"]))
        ready = self._screen.ready()
        if ready is None:
            return
        if self._fonts is None:
            self._fonts = MapFonts(self.font(), max(self.fontInfo().pixelSize(), load_tokens().type_px["body"]))
        fonts = self._fonts
        if ready.colouring.ramp:
            self._paint_ramp(painter, ready, fonts)
        side, ratio = load_tokens().size["swatch"], self.devicePixelRatioF()
        metrics = QFontMetricsF(fonts.name)
        painter.setFont(fonts.name)
        for entry, rect in self._placed():
            painter.setOpacity(1 if entry.in_view else _DIMMED)
            image = self._swatch(ready, entry.look, round(side * ratio))
            painter.drawImage(QRectF(rect.x(), rect.center().y() - side / 2, side, side), image)
            size = format_bytes(entry.size)
            painter.setPen(to_colour(colours["text"]))
            painter.drawText(rect, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), size)
            painter.setPen(to_colour(colours["text2"]))
            room = rect.width() - side - 10 - metrics.horizontalAdvance(size)
            label = metrics.elidedText(entry.label, Qt.TextElideMode.ElideRight, room)
            at = rect.adjusted(side + 6, 0, 0, 0)
            painter.drawText(at, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), label)

    def _swatch(self, ready: Paint, look: int, side: int) -> QImage:
        if self._swatches_of is not ready.table:
            self._swatches_of = ready.table
            self._swatches.clear()
        kept = self._swatches.get((look, side))
        if kept is None:
            pixels = swatch(ready.table, look, side, side)
            image = QImage(pixels.data, side, side, pixels.strides[0], QImage.Format.Format_RGB32)
            # The picture points into the pixels: they stay as long as it.
            kept = self._swatches[look, side] = (image, pixels)
        return kept[0]

    def _placed(self) -> list[tuple[LegendEntry, QRectF]]:
        entries, ready = self.entries(), self._screen.ready()
        if ready is None:
            return []
        shades = sum(1 for label in ready.colouring.labels if label)
        lefts = self._lefts()
        placed: list[tuple[LegendEntry, QRectF]] = []
        for index, entry in enumerate(entries):
            column, row = index % 3, index // 3
            if index >= shades:
                column, row = 3 + (index - shades) // _ROWS, (index - shades) % _ROWS
            width = lefts[column + 1] - lefts[column] - _APART
            placed.append((entry, QRectF(lefts[column], 6 + row * _ROW, width, _ROW)))
        return placed

    def _lefts(self) -> list[float]:
        """Return the left ends of the columns, and where one more would begin."""
        whole = self.width() - 2 * _EDGE + _APART
        return [_EDGE + whole * sum(_SHARES[:column]) / sum(_SHARES) for column in range(len(_SHARES) + 1)]

    def _paint_ramp(self, painter: QPainter, ready: Paint, fonts: MapFonts) -> None:
        steps = ready.categories
        width = self._lefts()[3] - _EDGE - _APART
        for index, step in enumerate(steps):
            x = _EDGE + width * index / len(steps)
            painter.fillRect(QRectF(x, 12, width / len(steps) - 2, 12), to_colour(step.fill))
        painter.setFont(fonts.name)
        painter.setPen(to_colour(self._screen.palette.colour["text2"]))
        sides = (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignRight)
        for text, side in zip(ready.colouring.scale, sides, strict=True):
            painter.drawText(QRectF(_EDGE, 26, width, _ROW), int(side | Qt.AlignmentFlag.AlignVCenter), text)


class MapMinimap(QWidget):
    """The whole segment on one line, its budget as a tick, and what the map shows of it as a frame.

    Signals:
        byte_picked: The byte of the map axis that was clicked.
    """

    byte_picked = Signal(object)

    def __init__(self, screen: MapScreen) -> None:
        super().__init__()
        self.setObjectName("map_minimap")
        self.setFixedHeight(load_tokens().size["minimap"])
        self.setAccessibleName("Whole segment")
        self._screen = screen
        self._image: tuple[object, QImage, np.ndarray] | None = None

    def segment(self) -> int | None:
        """Return the segment that the upper end of the map shows."""
        camera = self._screen.camera
        box = camera.box_on_top() if camera is not None else None
        return box.segment if box is not None else None

    def span(self, scene: MapScene, segment: int) -> tuple[int, int, int]:
        """Return first byte and end of a segment's lanes on the map axis, and the bytes of the whole line."""
        lanes = [lane for lane in scene.lanes if lane.segment == segment]
        first, end = lanes[0].base, lanes[-1].end
        return first, end, max(scene.snapshot.segments[segment].size_bytes, end - first, 1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the byte under the cursor."""
        scene, segment = self._screen.scene, self.segment()
        if scene is None or segment is None:
            return
        first, end, whole = self.span(scene, segment)
        self.byte_picked.emit(min(first + int(event.position().x() / max(self.width(), 1) * whole), end - 1))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on while the button is held."""
        self.mousePressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Paint anew after a change of look."""
        super().changeEvent(event)
        self._image = None

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the segment, the budget and the frame of the view."""
        painter = QPainter(self)
        colours = self._screen.palette
        painter.fillRect(self.rect(), to_colour(colours.map["base"]))
        scene, segment, ready = self._screen.scene, self.segment(), self._screen.ready()
        if scene is None or segment is None or ready is None:
            return
        first, end, whole = self.span(scene, segment)
        bar = QRectF(0, 3, self.width(), self.height() - 6)
        painter.fillRect(bar, to_colour(colours.colour["track"]))
        image = self._painted(ready, first, end, whole)
        painter.drawImage(QRectF(0, 3, image.width() / self.devicePixelRatioF(), bar.height()), image)
        picture = scene.snapshot.segments[segment]
        budget = next((group.budget_bytes for group in scene.snapshot.groups
                       if (group.node, group.group) == (picture.node, picture.group)), None)  # fmt: skip
        if budget is not None and budget <= whole:
            painter.fillRect(QRectF(self.width() * budget / whole - 1, 1, 2, self.height() - 2),
                             to_colour(colours.colour["text"]))  # fmt: skip
        self._paint_window(painter, first, whole, segment)

    def _painted(self, ready: Paint, first: int, end: int, whole: int) -> QImage:
        ratio = self.devicePixelRatioF()
        width = max(round(self.width() * (end - first) / whole * ratio), 1)
        height = max(round((self.height() - 6) * ratio), 1)
        key = (ready, width, height, first)
        if self._image is None or self._image[0] != key:
            pixels = new_buffer(width, height, ready.table.free)
            strips = np.array([[first, end, 0, width, 0, height, THIN, 0]], np.int64)
            paint(pixels, strips, np.array([width / (end - first)]), ready.scene.items, ready.looks, ready.table)
            image = QImage(pixels.data, width, height, pixels.strides[0], QImage.Format.Format_RGB32)
            self._image = (key, image, pixels)
        return self._image[1]

    def _paint_window(self, painter: QPainter, first: int, whole: int, segment: int) -> None:
        frame, camera = self._screen.frame(), self._screen.camera
        if frame is None or camera is None:
            return
        seen = [strip for strip in frame.strips if camera.layout.boxes[strip.box].segment == segment]
        if not seen:
            return
        x0 = (min(strip.first for strip in seen) - first) / whole * self.width()
        x1 = (max(strip.end for strip in seen) - first) / whole * self.width()
        rect = QRectF(x0 + 1, 1, max(x1 - x0 - 2, 6), self.height() - 2)
        painter.setPen(QPen(to_colour(self._screen.palette.map["halo"]), 4))
        painter.drawRect(rect)
        painter.setPen(QPen(to_colour(self._screen.palette.map["select"]), 2))
        painter.drawRect(rect)
