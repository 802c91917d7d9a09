"""Resources in each doubling of size, as bars that filter by click."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.kinds import ResourceKind
from explorer.core.units import format_bytes
from explorer.ui.resource_rows import Histogram

if TYPE_CHECKING:
    from explorer.ui.theme import Theme

_NONE = Histogram(0, np.zeros(0, np.int64), np.zeros(0, np.int64))


class SizeHistogram(QWidget):
    """Log bins with counts on the bars.

    Signals:
        chosen: ``(low, high)`` bytes, both inclusive; None when the choice was cleared.
    """

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._data = _NONE
        self._by_bytes = False
        self._range: tuple[int, int] | None = None
        self._from = -1
        self._cursor = 0
        self.setObjectName("size_histogram")
        self.setAccessibleName("Size histogram")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_histogram(self, data: Histogram) -> None:
        """Show bins; the chosen sizes stay chosen."""
        self._data = data
        self.update()

    def show_bytes(self, by_bytes: bool) -> None:
        """Show bytes in each bin, or counts."""
        self._by_bytes = by_bytes
        self.update()

    def set_range(self, exponents: tuple[int, int] | None) -> None:
        """Choose the bins from one exponent of two to another, or none, without a signal."""
        self._range = exponents
        self.update()

    def sizeHint(self) -> QSize:
        """Bars of 64 px and two lines of text."""
        return QSize(400, 64 + 2 * self._line())

    def minimumSizeHint(self) -> QSize:
        """The height does not shrink."""
        return QSize(200, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint bars, counts and sizes."""
        painter = QPainter(self)
        theme, data = self._theme, self._data
        heights = data.bytes if self._by_bytes else data.counts
        if not len(heights):
            return
        top = max(int(heights.max()), 1)
        painter.setFont(theme.font(theme.caption_px))
        for index in range(len(heights)):
            rect = self._bin_rect(index)
            share = int(heights[index]) / top
            bar = QRectF(rect.left() + 2, rect.bottom() - max(share * rect.height(), 1.0 if heights[index] else 0.0),
                         rect.width() - 4, 0)  # fmt: skip
            bar.setBottom(rect.bottom())
            on = self._is_on(index)
            painter.fillRect(bar, theme.kind_colour(ResourceKind.TEXTURE) if on else theme.colour("line2"))
            if int(data.counts[index]):
                text = format_bytes(int(data.bytes[index]), 0) if self._by_bytes else f"{int(data.counts[index]):,}"
                painter.setPen(theme.colour("text2"))
                box = QRectF(rect.left() - 8, bar.top() - self._line(), rect.width() + 16, self._line())
                painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
            self._paint_edge(painter, index, rect)
        painter.setPen(QPen(theme.colour("line"), 1))
        base = self._bin_rect(0).bottom()
        painter.drawLine(QPointF(0, base), QPointF(self.width(), base))
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.drawRect(self._bin_rect(self._cursor).adjusted(1, 1, -1, -1))

    def _paint_edge(self, painter: QPainter, index: int, rect: QRectF) -> None:
        # Every second word where the bins are narrow.
        word = format_bytes(1 << (self._data.first + index), 0)
        step = 1 + int(painter.fontMetrics().horizontalAdvance("512 KiB") + 6 > rect.width())
        if index % step:
            return
        painter.setPen(self._theme.colour("text3"))
        box = QRectF(rect.left(), rect.bottom() + 2, rect.width() * step, self._line())
        painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), word)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a bin; the chosen single bin again clears the choice."""
        index = self._at(event.position())
        if index < 0:
            return
        self._from = index
        exponent = self._data.first + index
        self._choose(None if self._range == (exponent, exponent) else (exponent, exponent))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag over several bins."""
        index = self._at(event.position())
        if index < 0 or self._from < 0 or (index == self._from and self._range is None):
            return
        ends = sorted((self._from, index))
        self._choose((self._data.first + ends[0], self._data.first + ends[1]))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """End the drag."""
        self._from = -1

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk with the arrows, choose with Return or Space, clear with Escape."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and len(self._data.counts):
            step = 1 if key == Qt.Key.Key_Right else -1
            self._cursor = min(max(self._cursor + step, 0), len(self._data.counts) - 1)
            exponent = self._data.first + self._cursor
            self.setAccessibleDescription(
                f"{int(self._data.counts[self._cursor]):,} resources from {format_bytes(1 << exponent, 0)}"
            )
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            exponent = self._data.first + self._cursor
            self._choose((exponent, exponent))
        elif key == Qt.Key.Key_Escape and self._range is not None:
            self._choose(None)
        else:
            super().keyPressEvent(event)

    def _choose(self, exponents: tuple[int, int] | None) -> None:
        if exponents == self._range:
            return
        self._range = exponents
        self.update()
        self.chosen.emit(None if exponents is None else (1 << exponents[0], (1 << (exponents[1] + 1)) - 1))

    def _is_on(self, index: int) -> bool:
        exponent = self._data.first + index
        return self._range is None or self._range[0] <= exponent <= self._range[1]

    def _line(self) -> int:
        return self._theme.caption_px + 6

    def _bin_rect(self, index: int) -> QRectF:
        count = max(len(self._data.counts), 1)
        width = min(self.width() / count, 72.0)
        line = self._line()
        return QRectF(index * width, line, width, self.height() - 2 * line - 2)

    def _at(self, point: QPointF) -> int:
        for index in range(len(self._data.counts)):
            rect = self._bin_rect(index)
            if rect.left() <= point.x() < rect.right():
                return index
        return -1
