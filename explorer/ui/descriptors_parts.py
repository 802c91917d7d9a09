"""Under the slot grid: the whole heap on one line, and the legend with counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.render.slots import EMPTY, LOOKS, NULL, STALE, look_label, slot_colours, slot_pixels, strip
from explorer.render.tokens import load_tokens, palette

if TYPE_CHECKING:
    from explorer.core.columns import DescriptorHeapPicture
    from explorer.render.slots import SlotCounts
    from explorer.ui.theme import Theme

_EDGE = 12
_DIMMED = 0.55
_ENTRY_PX = 168


class HeapStrip(QWidget):
    """The whole heap on one line, with a frame round what the grid shows.

    Signals:
        slot_picked: The slot that was clicked.
    """

    slot_picked = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._heap: DescriptorHeapPicture | None = None
        self._window: tuple[int, int] | None = None
        self._image: tuple[tuple[object, ...], QImage, np.ndarray] | None = None
        self.setObjectName("slot_strip")
        self.setAccessibleName("Whole descriptor heap")
        self.setFixedHeight(load_tokens().size["minimap"])
        theme.changed.connect(self.update)

    def show_heap(self, heap: DescriptorHeapPicture) -> None:
        """Show a heap."""
        if heap is not self._heap:
            self._heap = heap
            self.update()

    def show_window(self, slots: tuple[int, int] | None) -> None:
        """Frame the slots from one to another; None frames nothing."""
        if slots != self._window:
            self._window = slots
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the slot under the cursor."""
        if self._heap is not None:
            share = (event.position().x() - _EDGE) / max(self.width() - 2 * _EDGE, 1)
            last = max(len(self._heap.kind) - 1, 0)
            self.slot_picked.emit(min(max(int(share * len(self._heap.kind)), 0), last))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on while the button is held."""
        self.mousePressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the heap and the frame."""
        painter, theme, heap = QPainter(self), self._theme, self._heap
        painter.fillRect(self.rect(), theme.colour("base", "map"))
        if heap is None:
            return
        ratio = self.devicePixelRatioF()
        width = max(round((self.width() - 2 * _EDGE) * ratio), 1)
        key = (heap, width, theme.name)
        if self._image is None or self._image[0][1:] != key[1:] or self._image[0][0] is not heap:
            line = np.ascontiguousarray(strip(heap, slot_colours(palette(theme.name)), width)[None, :])
            image = QImage(line.data, width, 1, line.strides[0], QImage.Format.Format_RGB32)
            self._image = (key, image, line)
        bar = QRectF(_EDGE, 5, self.width() - 2 * _EDGE, self.height() - 10)
        painter.drawImage(bar, self._image[1])
        if self._window is None or not len(heap.kind):
            return
        scale = bar.width() / len(heap.kind)
        left = bar.left() + self._window[0] * scale
        frame = QRectF(left, 3, max((self._window[1] - self._window[0]) * scale, 6), self.height() - 6)
        painter.setPen(QPen(theme.colour("halo", "map"), 4))
        painter.drawRect(frame)
        painter.setPen(QPen(theme.colour("select", "map"), 2))
        painter.drawRect(frame)


class SlotLegend(QWidget):
    """What the colours mean, with counts; entries keep their places."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._entries: tuple[tuple[int, str, int], ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setObjectName("slot_legend")
        theme.changed.connect(self.update)

    @property
    def entries(self) -> tuple[tuple[int, str, int], ...]:
        """Look, label and count of each entry."""
        return self._entries

    def show_counts(self, counts: SlotCounts, heap_type: str) -> None:
        """Show the counts of a heap. Kinds that a heap of its type cannot hold are left out."""
        kinds = [look for look in range(1, NULL) if _may_hold(heap_type, look) or counts.by_look[look]]
        looks = [*kinds, NULL, STALE, EMPTY]
        entries = tuple((look, look_label(look, heap_type), counts.by_look[look]) for look in looks)
        if entries == self._entries:
            return
        before = len(self._entries)
        self._entries = entries
        if before != len(entries):
            self.updateGeometry()
        told = ", ".join(f"{name} {count:,}" for _, name, count in entries)
        self.setAccessibleName(f"Legend: {told}")
        self.update()

    def sizeHint(self) -> QSize:
        """As high as its width asks for."""
        return QSize(640, self.heightForWidth(self.width() or 640))

    def hasHeightForWidth(self) -> bool:
        """Entries wrap."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height that all entries take."""
        columns = max((width - 2 * _EDGE) // _ENTRY_PX, 1)
        rows = -(-max(len(self._entries), 1) // columns)
        return int(rows * self._line() + 10)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint swatch, label and count of each entry."""
        painter, theme = QPainter(self), self._theme
        painter.fillRect(self.rect(), theme.colour("base", "map"))
        painter.setFont(theme.font(theme.small_px))
        metrics = QFontMetricsF(painter.font())
        columns = max((self.width() - 2 * _EDGE) // _ENTRY_PX, 1)
        side, ratio = theme.size("swatch"), self.devicePixelRatioF()
        for index, (look, name, count) in enumerate(self._entries):
            x = _EDGE + index % columns * _ENTRY_PX
            rect = QRectF(x, 5 + index // columns * self._line(), _ENTRY_PX - 16, self._line())
            painter.setOpacity(1 if count else _DIMMED)
            pixels = slot_pixels(palette(theme.name), look, round(side * ratio))
            height, width = pixels.shape
            image = QImage(pixels.data, width, height, pixels.strides[0], QImage.Format.Format_RGB32)
            box = QRectF(rect.x(), rect.center().y() - side / 2, side, side)
            painter.drawImage(box, image)
            if look == EMPTY:
                painter.setPen(QPen(theme.colour("line2"), 1))
                painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
            text = f"{count:,}"
            painter.setPen(theme.colour("text"))
            painter.drawText(rect, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
            painter.setPen(theme.colour("text2"))
            room = rect.width() - side - 12 - metrics.horizontalAdvance(text)
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
            at = rect.adjusted(side + 6, 0, 0, 0)
            painter.drawText(at, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def _line(self) -> float:
        return QFontMetricsF(self._theme.font(self._theme.small_px)).height() + 4


def _may_hold(heap_type: str, look: int) -> bool:
    """Return whether descriptors of a kind can stand in a heap of a type."""
    if not 0 < look < LOOKS:
        return False
    kinds = {"SAMPLER": (9,), "RTV": (2,), "DSV": (3,)}
    # CBV_SRV_UAV heaps hold all but descriptor heaps themselves.
    return look in kinds.get(heap_type, (1, 2, 3, 4, 5, 6, 8, 9))
