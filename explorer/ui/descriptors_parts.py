"""Under the slot grid: the whole heap on one line, and the legend with counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.render.slot_marks import mark_swatch, strip_marks
from explorer.render.slot_uses import union
from explorer.render.slots import EMPTY, LOOKS, NULL, STALE, look_label, slot_colours, slot_pixels, strip
from explorer.render.tokens import load_tokens, palette

if TYPE_CHECKING:
    from explorer.core.columns import DescriptorHeapPicture
    from explorer.render.slot_marks import StripMarks
    from explorer.render.slot_uses import HeapUses, UseCounts
    from explorer.render.slots import SlotCounts
    from explorer.ui.theme import Theme

_EDGE = 12
_DIMMED = 0.55
_ENTRY_PX = 168


class HeapStrip(QWidget):
    """The whole heap on one line, with a frame round what the grid shows; marks stay visible at a million slots.

    Above the line: hazards, full while a list suffers from them. Below it: what tables read, and copies.

    Signals:
        slot_picked: The slot that was clicked.
    """

    slot_picked = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._heap: DescriptorHeapPicture | None = None
        self._uses: HeapUses | None = None
        self._marks: tuple[tuple[object, ...], StripMarks] | None = None
        self._window: tuple[int, int] | None = None
        self._image: tuple[tuple[object, ...], QImage, np.ndarray] | None = None
        self.setObjectName("slot_strip")
        self.setAccessibleName("Whole descriptor heap")
        self.setFixedHeight(load_tokens().size["minimap"] + 10)
        theme.changed.connect(self.update)

    def show_heap(self, heap: DescriptorHeapPicture, uses: HeapUses | None = None) -> None:
        """Show a heap and what happens to its slots."""
        if heap is not self._heap or uses is not self._uses:
            self._heap, self._uses = heap, uses
            self.update()

    @property
    def marks(self) -> StripMarks | None:
        """The marks that were painted last."""
        return self._marks[1] if self._marks is not None else None

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
        bar = QRectF(_EDGE, 11, self.width() - 2 * _EDGE, self.height() - 20)
        painter.drawImage(bar, self._image[1])
        self._paint_marks(painter, bar, width)
        if self._window is None or not len(heap.kind):
            return
        scale = bar.width() / len(heap.kind)
        left = bar.left() + self._window[0] * scale
        frame = QRectF(left, bar.top() - 2, max((self._window[1] - self._window[0]) * scale, 6), bar.height() + 4)
        painter.setPen(QPen(theme.colour("halo", "map"), 4))
        painter.drawRect(frame)
        painter.setPen(QPen(theme.colour("select", "map"), 2))
        painter.drawRect(frame)

    def _paint_marks(self, painter: QPainter, bar: QRectF, width: int) -> None:
        uses, theme = self._uses, self._theme
        if uses is None:
            return
        if self._marks is None or self._marks[0] != (uses, width):
            self._marks = ((uses, width), strip_marks(uses, width))
        marks, scale = self._marks[1], bar.width() / width
        faded = theme.colour("base", "map")
        faded.setAlphaF(0.6)
        for where, top, height, colour in (
            (marks.pale, bar.top(), bar.height(), faded),
            (marks.tables, bar.bottom() + 3, 2.0, theme.colour("referenced", "descriptor")),
            (marks.copies, bar.bottom() + 6, 2.0, theme.colour("accent")),
        ):
            for begin, end in _runs(where):
                painter.fillRect(QRectF(bar.left() + begin * scale, top, (end - begin) * scale, height), colour)
        hazard = theme.colour("hazard", "descriptor")
        for where, is_full in ((marks.earlier, False), (marks.pending, True)):
            for begin, end in _runs(where):
                rect = QRectF(bar.left() + begin * scale, 1, max((end - begin) * scale, 5.0), 7)
                if is_full:
                    painter.fillRect(rect, hazard)
                else:
                    painter.setPen(QPen(hazard, 1))
                    painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))


def _runs(where: np.ndarray) -> list[tuple[int, int]]:
    """Return begin and end of each run of true pixels."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], where, [False]))))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


_MARKS = {
    "staged": "Staged",
    "static": "Static in a table",
    "volatile": "Volatile in a table",
    "hazard": "Hazard",
    "earlier": "Hazard, over",
    "copied": "Copied",
    "captured": "Held by a list",
    "pale": "Not given out",
}


class SlotLegend(QWidget):
    """What colours and marks mean, with counts; entries keep their places."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._entries: tuple[tuple[int, str, int], ...] = ()
        self._marks: tuple[tuple[str, str, int], ...] = ()
        self._made: tuple[str, int, dict[int | str, np.ndarray]] = ("", 0, {})
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setObjectName("slot_legend")
        theme.changed.connect(self.update)

    @property
    def entries(self) -> tuple[tuple[int, str, int], ...]:
        """Look, label and count of each entry."""
        return self._entries

    @property
    def marks(self) -> tuple[tuple[str, str, int], ...]:
        """Mark, label and count of each entry about the use of slots."""
        return self._marks

    def show_counts(self, counts: SlotCounts, heap_type: str, marks: dict[str, int] | None = None) -> None:
        """Show the counts of a heap. Kinds that a heap of its type cannot hold are left out.

        Args:
            counts: Slots by look.
            heap_type: Type of the heap.
            marks: Mark → slots, in the order in which they are shown.
        """
        kinds = [look for look in range(1, NULL) if _may_hold(heap_type, look) or counts.by_look[look]]
        looks = [*kinds, NULL, STALE, EMPTY]
        entries = tuple((look, look_label(look, heap_type), counts.by_look[look]) for look in looks)
        shown = tuple((mark, _MARKS[mark], count) for mark, count in (marks or {}).items())
        if (entries, shown) == (self._entries, self._marks):
            return
        before = len(self._entries) + len(self._marks)
        self._entries, self._marks = entries, shown
        if before != len(entries) + len(shown):
            self.updateGeometry()
        told = ", ".join(f"{name} {count:,}" for _, name, count in (*entries, *shown))
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
        rows = -(-max(len(self._entries) + len(self._marks), 1) // columns)
        return int(rows * self._line() + 10)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint swatch, label and count of each entry."""
        painter, theme = QPainter(self), self._theme
        painter.fillRect(self.rect(), theme.colour("base", "map"))
        painter.setFont(theme.font(theme.small_px))
        metrics = QFontMetricsF(painter.font())
        columns = max((self.width() - 2 * _EDGE) // _ENTRY_PX, 1)
        side, ratio = theme.size("swatch"), self.devicePixelRatioF()
        swatches = self._swatches(round(side * ratio))
        for index, (look, name, count) in enumerate((*self._entries, *self._marks)):
            x = _EDGE + index % columns * _ENTRY_PX
            rect = QRectF(x, 5 + index // columns * self._line(), _ENTRY_PX - 16, self._line())
            painter.setOpacity(1 if count else _DIMMED)
            pixels = swatches[index]
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

    def _swatches(self, side: int) -> list[np.ndarray]:
        """Return the pictures of the entries; made once for a theme and a size."""
        colours, made = palette(self._theme.name), self._made
        if made[:2] != (self._theme.name, side):
            made = self._made = (self._theme.name, side, {})
        for look, _, _ in self._entries:
            if look not in made[2]:
                made[2][look] = slot_pixels(colours, look, side)
        for mark, _, _ in self._marks:
            if mark not in made[2]:
                made[2][mark] = mark_swatch(colours, mark, side)
        return [made[2][key] for key, _, _ in (*self._entries, *self._marks)]

    def _line(self) -> float:
        return QFontMetricsF(self._theme.font(self._theme.small_px)).height() + 4


def mark_counts(counts: SlotCounts, used: UseCounts, uses: HeapUses) -> dict[str, int]:
    """Return the slots with each mark that a heap of its kind can have, in the order of the legend."""
    heap = uses.heap
    marks: dict[str, int] = {}
    if heap.shader_visible:
        marks |= _split(uses, used.in_tables)
        marks |= {"hazard": used.pending, "earlier": used.earlier}
    elif heap.heap_type in ("CBV_SRV_UAV", "SAMPLER"):
        marks["staged"] = sum(counts.by_look[1:NULL])
    if heap.heap_type in ("RTV", "DSV") or used.captured:
        marks["captured"] = used.captured
    if heap.heap_type in ("CBV_SRV_UAV", "SAMPLER") or used.copied:
        marks["copied"] = used.copied
    if uses.allocator >= 0:
        marks["pale"] = used.pale
    return marks


def _split(uses: HeapUses, in_tables: int) -> dict[str, int]:
    """Return slots of static ranges, and those that only volatile ones read."""
    ranges = uses.snapshot.descriptor_uses.ranges
    static = union(ranges.first, ranges.count, uses.ranges[ranges.is_static[uses.ranges]])
    return {"static": static, "volatile": in_tables - static}


def _may_hold(heap_type: str, look: int) -> bool:
    """Return whether descriptors of a kind can stand in a heap of a type."""
    if not 0 < look < LOOKS:
        return False
    kinds = {"SAMPLER": (9,), "RTV": (2,), "DSV": (3,)}
    # CBV_SRV_UAV heaps hold all but descriptor heaps themselves.
    return look in kinds.get(heap_type, (1, 2, 3, 4, 5, 6, 8, 9))
