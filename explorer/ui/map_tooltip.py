"""The tooltip of the map: a frameless widget beside the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from explorer.ui.map_screen import MapScreen, to_colour

if TYPE_CHECKING:
    from explorer.render.describe import Told
    from explorer.render.tokens import Rgba
    from explorer.ui.map_overlay import MapFonts

_PAD = 10
_LINE = 18
_LEAST, _MOST = 240, 320
_LABEL = 84


class MapTooltip(QWidget):
    """Shows a ``Told``; never takes the mouse or the focus."""

    def __init__(self, screen: MapScreen, fonts: MapFonts, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("map_tooltip")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._screen, self._around = screen, parent
        self.fonts = fonts
        self._told: Told | None = None
        self._swatch: Rgba | None = None
        self.hide()

    @property
    def told(self) -> Told | None:
        """What it says while it is shown."""
        return self._told if self.isVisible() else None

    def show_told(self, told: Told, swatch: Rgba | None, cursor: QPoint, block: QRect) -> None:
        """Show beside the cursor, and not over the block if there is room.

        Args:
            told: What to say.
            swatch: Colour of the block, None for none.
            cursor: In the parent's coordinates.
            block: What it speaks of, in the parent's coordinates.
        """
        self._told, self._swatch = told, swatch
        size = self.sizeHint()
        room = self._around.rect()
        x = min(cursor.x() + 16, room.right() - size.width() - 4)
        y = block.bottom() + 6
        if y + size.height() > room.bottom():
            y = block.top() - size.height() - 6
        if y < 0:
            y = max(min(cursor.y() + 18, room.bottom() - size.height()), 0)
        self.setGeometry(QRect(QPoint(max(x, 4), y), size))
        self.setAccessibleName(told.title)
        self.show()
        self.raise_()
        self.update()

    def sizeHint(self) -> QSize:
        """Room for the longest row, within the limits of the visual language."""
        if self._told is None:
            return QSize(_LEAST, _LINE)
        metrics = QFontMetricsF(self.fonts.name)
        widest = max((metrics.horizontalAdvance(value) for _, value in self._told.rows), default=0)
        title = QFontMetricsF(self.fonts.strong).horizontalAdvance(self._told.title)
        pill = metrics.horizontalAdvance(self._told.pill)
        need = max(widest + _LABEL + 2 * _PAD, title + pill + 2 * _PAD + 44)
        lines = 1 + bool(self._told.range_text) + len(self._told.rows)
        return QSize(int(min(max(need, _LEAST), _MOST)), lines * _LINE + 2 * _PAD)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint ground, swatch, title, state and rows."""
        told = self._told
        if told is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = self._screen.palette.colour
        painter.setPen(QPen(to_colour(colours["line2"]), 1))
        painter.setBrush(to_colour(colours["pop"]))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        width, y, x = self.width() - 2 * _PAD, _PAD, _PAD
        if self._swatch is not None:
            painter.fillRect(QRectF(x, y + 4, 10, 10), to_colour(self._swatch))
            x += 16
        pill = self._draw_pill(painter, told.pill, y)
        self._text(painter, QRectF(x, y, width - (x - _PAD) - pill, _LINE), told.title, "text", self.fonts.strong)
        y += _LINE
        if told.range_text:
            self._text(painter, QRectF(_PAD, y, width, _LINE), told.range_text, "text2", self.fonts.fixed)
            y += _LINE
        for name, value in told.rows:
            self._text(painter, QRectF(_PAD, y, _LABEL - 6, _LINE), name, "text2", self.fonts.name)
            self._text(painter, QRectF(_PAD + _LABEL, y, width - _LABEL, _LINE), value, "text", self.fonts.name)
            y += _LINE

    def _draw_pill(self, painter: QPainter, text: str, y: int) -> float:
        if not text:
            return 0
        colours = self._screen.palette.colour
        name = "ok" if text == "resident" else "warn" if text.startswith("inactive") else "text2"
        painter.setFont(self.fonts.size)
        wide = QFontMetricsF(self.fonts.size).horizontalAdvance(text) + 10
        rect = QRectF(self.width() - _PAD - wide, y + 1, wide, _LINE - 3)
        painter.setPen(QPen(to_colour(colours["line2" if name == "text2" else name]), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.setPen(to_colour(colours[name]))
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), text)
        return wide + 8

    def _text(self, painter: QPainter, rect: QRectF, text: str, colour: str, font: QFont) -> None:
        painter.setFont(font)
        painter.setPen(to_colour(self._screen.palette.colour[colour]))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, int(rect.width()) + 1)
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), shown)
