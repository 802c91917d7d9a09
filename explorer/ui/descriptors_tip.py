"""A frameless tool tip beside the cursor: a swatch, a title, a state and rows of facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from explorer.ui.controls import paint_pill

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.ui.theme import Theme

_PAD = 10
_LEAST, _MOST = 240, 340
_NAMES = 96
VALUES_PX = _MOST - 2 * _PAD - _NAMES
"""Logical pixels of the widest value that is shown whole."""

_SWATCH = 10


class FactsTip(QWidget):
    """Shows facts over its parent; never takes the mouse or the focus."""

    def __init__(self, theme: Theme, parent: QWidget, *, name: str) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._theme, self._around, self._host = theme, parent, parent
        self._title = self._state = ""
        self._rows: tuple[tuple[str, str], ...] = ()
        self._swatch: QImage | None = None
        self.hide()

    def float_over(self, host: QWidget) -> None:
        """Be drawn over a larger widget, so that a low or scrolled parent cuts nothing off."""
        self._host = host
        self.setParent(host)
        self.hide()

    @property
    def title(self) -> str:
        """What it is about; empty while hidden."""
        return self._title if not self.isHidden() else ""

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """What it says."""
        return self._rows

    def show_facts(
        self,
        title: str,
        rows: Sequence[tuple[str, str]],
        around: QRect,
        *,
        state: str = "",
        swatch: QImage | None = None,
    ) -> None:
        """Show facts below a place of the parent, above it where there is no room.

        Args:
            title: What it is about.
            rows: Names and values.
            around: The place, in the parent's coordinates.
            state: A word for the plate, or empty.
            swatch: Picture in front of the title.
        """
        self._title, self._rows, self._state, self._swatch = title, tuple(rows), state, swatch
        around = QRect(self._around.mapTo(self._host, around.topLeft()), around.size())
        size, room = self.sizeHint(), self._host.rect()
        x = min(around.right() + 8, room.right() - size.width() - 4)
        y = around.bottom() + 8
        if y + size.height() > room.bottom():
            y = around.top() - size.height() - 8
        if y < 0:
            y = max(min(around.bottom() + 8, room.bottom() - size.height()), 0)
        self.setGeometry(QRect(QPoint(max(x, 4), y), size))
        self.setAccessibleName(title)
        self.show()
        self.raise_()
        self.update()

    def sizeHint(self) -> QSize:
        """Room for the longest row, within the limits of the visual language."""
        metrics = QFontMetricsF(self._theme.font())
        mono = QFontMetricsF(self._theme.fixed_font())
        widest = max((mono.horizontalAdvance(value) for _, value in self._rows), default=0)
        title = QFontMetricsF(self._theme.font(strong=True)).horizontalAdvance(self._title)
        state = metrics.horizontalAdvance(self._state) + 24 if self._state else 0
        need = max(widest + _NAMES, title + state + _SWATCH + 8) + 2 * _PAD
        return QSize(int(min(max(need, _LEAST), _MOST)), (1 + len(self._rows)) * self._line() + 2 * _PAD)

    def _line(self) -> int:
        return QFontMetricsF(self._theme.font()).height().__ceil__() + 3

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint ground, swatch, title, state and rows."""
        painter, theme = QPainter(self), self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("line2"), 1))
        painter.setBrush(theme.colour("pop"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        line, width = self._line(), self.width() - 2 * _PAD
        x = float(_PAD)
        if self._swatch is not None:
            painter.drawImage(QRectF(x, _PAD + (line - _SWATCH) / 2, _SWATCH, _SWATCH), self._swatch)
            x += _SWATCH + 6
        plate = 0.0
        if self._state:
            font = theme.font(theme.caption_px, strong=True)
            metrics = QFontMetricsF(font)
            plate = metrics.horizontalAdvance(self._state) + 12
            rect = QRectF(self.width() - _PAD - plate, _PAD + 1, plate, metrics.height() + 2)
            paint_pill(painter, theme, rect, self._state, "warn" if self._state == "stale" else "plain")
        self._text(painter, QRectF(x, _PAD, _PAD + width - x - plate - 4, line), self._title, theme.font(strong=True))
        y = float(_PAD + line)
        for name, value in self._rows:
            self._text(painter, QRectF(_PAD, y, _NAMES - 6, line), name, theme.font(), "text2")
            mono = value.startswith("0x")
            font = theme.fixed_font() if mono else theme.font()
            self._text(painter, QRectF(_PAD + _NAMES, y, width - _NAMES, line), value, font)
            y += line

    def _text(self, painter: QPainter, rect: QRectF, text: str, font: QFont, token: str = "text") -> None:
        painter.setFont(font)
        painter.setPen(self._theme.colour(token))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, int(rect.width()) + 1)
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), shown)
