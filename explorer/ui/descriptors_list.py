"""The list of descriptor heaps: name, type, visibility, use and increment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.core.columns import DescriptorHeapPicture
    from explorer.render.slots import SlotCounts
    from explorer.ui.theme import Theme

_MOST_ROWS = 12
_BAR = 4


class HeapList(QWidget):
    """Two lines for each heap and a bar of its used slots; the shown one is marked.

    Signals:
        heap_chosen: Name of the heap that was clicked or walked to.
    """

    heap_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._heaps: tuple[tuple[DescriptorHeapPicture, SlotCounts], ...] = ()
        self._current = ""
        self._hover = -1
        self._first = 0
        self.setObjectName("heap_list")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_heaps(self, heaps: Sequence[tuple[DescriptorHeapPicture, SlotCounts]], current: str) -> None:
        """Show heaps; more than twelve scroll with the current one."""
        before = len(self._heaps)
        self._heaps, self._current = tuple(heaps), current
        at = self._index()
        self._first = min(max(self._first, at - _MOST_ROWS + 1), at)
        self._first = max(min(self._first, len(heaps) - _MOST_ROWS), 0)
        if before != len(heaps):
            self.updateGeometry()
        told = "; ".join(f"{heap.name}, {counts.used:,} of {counts.slots:,} used" for heap, counts in self._shown())
        self.setAccessibleName(f"Descriptor heaps: {told}")
        self.update()

    def lines(self) -> list[tuple[str, str, str]]:
        """Return what each row says: name, slots and the second line."""
        return [(heap.name, f"{counts.used:,} / {counts.slots:,}", _second(heap)) for heap, counts in self._shown()]

    def sizeHint(self) -> QSize:
        """All heaps up to twelve."""
        return QSize(200, int(min(max(len(self._heaps), 1), _MOST_ROWS) * self._row()))

    def minimumSizeHint(self) -> QSize:
        """The height does not shrink."""
        return QSize(120, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the rows."""
        painter, theme = QPainter(self), self._theme
        line = QFontMetricsF(theme.font()).height()
        for index, (heap, counts) in enumerate(self._shown()):
            rect = QRectF(0, index * self._row(), self.width(), self._row())
            is_current = heap.name == self._current
            if is_current or index == self._hover:
                painter.fillRect(rect.adjusted(0, 0, 0, -1), theme.colour("sel" if is_current else "hover"))
            inner = rect.adjusted(8, 5, -8, -6)
            slots = f"{counts.used:,} / {counts.slots:,}"
            painter.setFont(theme.font(strong=is_current))
            metrics = QFontMetricsF(painter.font())
            room = inner.width() - metrics.horizontalAdvance(slots) - 12
            painter.setPen(theme.colour("text"))
            painter.drawText(QPointF(inner.left(), inner.top() + metrics.ascent()),
                             metrics.elidedText(heap.name, Qt.TextElideMode.ElideMiddle, room))  # fmt: skip
            painter.drawText(QRectF(inner.left(), inner.top(), inner.width(), line), Qt.AlignmentFlag.AlignRight, slots)
            painter.setFont(theme.font(theme.small_px))
            painter.setPen(theme.colour("text2"))
            second = QRectF(inner.left(), inner.top() + line, inner.width(), line)
            painter.drawText(second, Qt.AlignmentFlag.AlignLeft, _second(heap))
            track = QRectF(inner.left(), inner.bottom() - _BAR, inner.width(), _BAR)
            painter.fillRect(track, theme.colour("track"))
            share = counts.used / max(counts.slots, 1)
            track.setWidth(max(share * track.width(), 1.0 if counts.used else 0.0))
            painter.fillRect(track, theme.colour("text2"))
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the heap under the cursor."""
        self._choose(self._first + int(event.position().y() // self._row()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show which heap would be chosen."""
        self._hover = int(event.position().y() // self._row())
        shown = self._shown()
        self.setToolTip(shown[self._hover][0].name if 0 <= self._hover < len(shown) else "")
        self.update()

    def leaveEvent(self, event: object) -> None:
        """Take the hover look away."""
        self._hover = -1
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk with the arrows."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self._choose(self._index() + step)

    def _choose(self, index: int) -> None:
        if 0 <= index < len(self._heaps):
            self.heap_chosen.emit(self._heaps[index][0].name)

    def _index(self) -> int:
        return next((i for i, (heap, _) in enumerate(self._heaps) if heap.name == self._current), 0)

    def _shown(self) -> tuple[tuple[DescriptorHeapPicture, SlotCounts], ...]:
        return self._heaps[self._first : self._first + _MOST_ROWS]

    def _row(self) -> float:
        return 2 * QFontMetricsF(self._theme.font()).height() + _BAR + 16


def _second(heap: DescriptorHeapPicture) -> str:
    visible = "shader visible" if heap.shader_visible else "not shader visible"
    return f"{heap.heap_type} · {visible} · {heap.increment} B each"
