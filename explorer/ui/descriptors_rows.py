"""A list of two-line rows (tables, hazards, copies, root parameters): a few at a time, the wheel walks through them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.render.slot_texts import UseRow
    from explorer.ui.theme import Theme

_PAD = 4
_BAR = 3


class UseList(QWidget):
    """Shows rows that are made when they are looked at.

    Signals:
        row_chosen: The ``UseRow`` that was clicked or entered.
    """

    row_chosen = Signal(object)

    def __init__(self, theme: Theme, *, name: str, most: int = 6) -> None:
        super().__init__()
        self._theme, self._most = theme, most
        self._count = 0
        self._make: Callable[[int], UseRow] | None = None
        self._first = 0
        self._hover = self._current = -1
        self.setObjectName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_rows(self, count: int, make: Callable[[int], UseRow]) -> None:
        """Show rows.

        Args:
            count: How many there are.
            make: Returns a row by its number.
        """
        before = self._shown_count()
        self._count, self._make = count, make
        self._first = max(min(self._first, count - self._most), 0)
        self._current = min(self._current, count - 1)
        if before != self._shown_count():
            self.updateGeometry()
        self.setVisible(count > 0)
        self._say()
        self.update()

    def rows(self) -> list[UseRow]:
        """Return the rows in view."""
        if self._make is None:
            return []
        return [self._make(index) for index in range(self._first, self._first + self._shown_count())]

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self._count

    def sizeHint(self) -> QSize:
        """All rows up to the most."""
        return QSize(200, int(max(self._shown_count(), 1) * self._row()))

    def minimumSizeHint(self) -> QSize:
        """The height does not shrink."""
        return QSize(120, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the rows in view, and where they are among all."""
        painter, theme = QPainter(self), self._theme
        line = QFontMetricsF(theme.font()).height()
        more = self._count > self._most
        width = self.width() - (_BAR + 5 if more else 0)
        for index, row in enumerate(self.rows()):
            rect = QRectF(0, index * self._row(), width, self._row())
            if self._first + index == self._current and self.hasFocus():
                painter.fillRect(rect.adjusted(0, 0, 0, -1), theme.colour("sel"))
            elif index == self._hover:
                painter.fillRect(rect.adjusted(0, 0, 0, -1), theme.colour("hover"))
            self._paint_row(painter, rect.adjusted(6, _PAD, -6, -_PAD), row, line)
            painter.setPen(QPen(theme.colour("linesoft"), 1))
            painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        if more:
            track = QRectF(self.width() - _BAR, 0, _BAR, self.height())
            painter.fillRect(track, theme.colour("track"))
            share = track.height() / self._count
            height = max(self._most * share, 8.0)
            top = self._first / max(self._count - self._most, 1) * (track.height() - height)
            painter.fillRect(QRectF(track.left(), top, _BAR, height), theme.colour("text3"))
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def _paint_row(self, painter: QPainter, rect: QRectF, row: UseRow, line: float) -> None:
        theme = self._theme
        left = rect.left()
        if row.look in ("hazard", "earlier"):
            # Full while a list still suffers from it, an outline when it is over: not by the colour alone.
            mark = QRectF(left, rect.top() + line / 2 - 4, 8, 8)
            painter.setPen(QPen(theme.colour("hazard", "descriptor"), 1.5))
            painter.setBrush(theme.colour("hazard", "descriptor") if row.look == "hazard" else Qt.BrushStyle.NoBrush)
            painter.drawRect(mark)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            left += 14
        painter.setFont(theme.font())
        metrics = QFontMetricsF(painter.font())
        right = metrics.horizontalAdvance(row.right)
        painter.setPen(theme.colour("error" if row.look == "hazard" else "text"))
        room = rect.right() - left - right - 12
        title = metrics.elidedText(row.title, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(QPointF(left, rect.top() + metrics.ascent()), title)
        painter.setPen(theme.colour("text2"))
        top = QRectF(rect.left(), rect.top(), rect.width(), line)
        painter.drawText(top, Qt.AlignmentFlag.AlignRight, row.right)
        painter.setFont(theme.font(theme.small_px))
        metrics = QFontMetricsF(painter.font())
        second = metrics.elidedText(row.second, Qt.TextElideMode.ElideRight, rect.right() - left)
        painter.drawText(QPointF(left, rect.top() + line + metrics.ascent()), second)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the row under the cursor."""
        self._choose(self._first + int(event.position().y() // self._row()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show which row would be chosen, with all of its text."""
        self._hover = int(event.position().y() // self._row())
        rows = self.rows()
        inside = 0 <= self._hover < len(rows)
        self.setToolTip(f"{rows[self._hover].title}\n{rows[self._hover].second}" if inside else "")
        self.update()

    def leaveEvent(self, event: object) -> None:
        """Take the hover look away."""
        self._hover = -1
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Walk through more rows than fit; at the ends the panel scrolls."""
        steps = -1 if event.angleDelta().y() > 0 else 1
        first = max(min(self._first + steps, self._count - self._most), 0)
        if first == self._first or not event.angleDelta().y():
            event.ignore()
            return
        self._first = first
        self.update()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk with the arrows, choose with Enter."""
        key = Qt.Key(event.key())
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(key)
        if step is not None:
            self._walk(self._current + step)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose(self._current)
        else:
            super().keyPressEvent(event)

    def _walk(self, index: int) -> None:
        self._current = min(max(index, 0), self._count - 1)
        self._first = max(min(self._first, self._current), self._current - self._most + 1, 0)
        self._say()
        self.update()

    def _choose(self, index: int) -> None:
        if 0 <= index < self._count and self._make is not None:
            self._current = index
            self._say()
            self.update()
            self.row_chosen.emit(self._make(index))

    def _say(self) -> None:
        rows = self.rows()
        told = "; ".join(f"{row.title}, {row.right}, {row.second}" for row in rows) or "none"
        self.setAccessibleName(told)

    def _shown_count(self) -> int:
        return min(self._count, self._most)

    def _row(self) -> float:
        small = QFontMetricsF(self._theme.font(self._theme.small_px)).height()
        return QFontMetricsF(self._theme.font()).height() + small + 2 * _PAD
