"""The slot grid itself: one picture over the rows in view, with mouse and keyboard."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QScrollBar, QWidget

from explorer.core.units import format_address
from explorer.render.slot_texts import slot_facts
from explorer.render.slots import ACROSS, SlotGrid, describe_slot, slot_pixels
from explorer.render.tokens import load_tokens, palette
from explorer.ui.descriptors_paint import GridPictures, paint_labels, paint_numbers, paint_selected
from explorer.ui.descriptors_tip import FactsTip

if TYPE_CHECKING:
    import numpy as np

    from explorer.core.columns import DescriptorHeapPicture
    from explorer.render.slot_texts import RowLabel
    from explorer.render.slot_uses import HeapUses
    from explorer.render.slots import SlotTold
    from explorer.sim.snapshot import Snapshot
    from explorer.ui.theme import Theme

_HEAD = 20
_EDGE = 12
_WHEEL_ROWS = 4
_LARGEST_CELL = 20
LABELS_PX = 176
"""Room for the names of tables beside the cells."""


class SlotCanvas(QWidget):
    """Paints the rows in view.

    Signals:
        slot_picked: Index of the slot that was clicked or entered.
        slot_moved: Index of the slot under the keyboard's place.
        scrolled: The first row changed.
    """

    slot_picked = Signal(object)
    slot_moved = Signal(object)
    scrolled = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("slot_canvas")
        self.setAccessibleName("Descriptor slots")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.snapshot: Snapshot | None = None
        self.grid: SlotGrid | None = None
        self.uses: HeapUses | None = None
        self.labels: list[RowLabel] = []
        self.top = 0
        self.focus = 0
        self.by_handle = False
        self.selected: frozenset[int] = frozenset()
        self.hover: int | None = None
        sizes = load_tokens().size
        self._least_cell = self.cell = sizes["slot_cell"]
        self.gap = sizes["slot_gap"]
        self._image: tuple[tuple[object, ...], QImage, np.ndarray] | None = None
        self._pictures = GridPictures()
        self.tip = FactsTip(theme, self, name="slot_tip")
        self._tip_timer = QTimer(self)
        self._tip_timer.setSingleShot(True)
        self._tip_timer.setInterval(load_tokens().motion_ms["tooltip_delay_ms"])
        self._tip_timer.timeout.connect(self._show_tip)
        theme.changed.connect(self._on_theme)

    # -- geometry

    @property
    def pitch(self) -> float:
        """Logical pixels from one cell to the next: whole device pixels."""
        ratio = self.devicePixelRatioF()
        return round((self.cell + self.gap) * ratio) / ratio

    @property
    def gutter(self) -> int:
        """Logical pixels left of the cells: the longest address or index."""
        grid = self.grid
        text = "1,048,576"
        if grid is not None and self.by_handle:
            text = format_address(grid.heap.cpu_start + grid.slots * grid.heap.increment)
        width = QFontMetricsF(self._theme.fixed_font(self._theme.caption_px)).horizontalAdvance(text)
        # Even, so that cells begin on whole device pixels at 1.5 too.
        return 2 * round((width + _EDGE + 10) / 2)

    @property
    def head(self) -> int:
        """Logical pixels above the cells."""
        return max(_HEAD, 2 * (self._theme.caption_px // 2) + 10)

    def visible_rows(self) -> int:
        """Return the rows that fit, a cut one counts."""
        return max(math.ceil((self.height() - self.head) / self.pitch), 1)

    def whole_rows(self) -> int:
        """Return the rows that fit whole."""
        return max(int((self.height() - self.head) / self.pitch), 1)

    def sizeHint(self) -> QSize:
        """Room for 64 slots across."""
        return QSize(self._grid_width(), self.head + math.ceil(24 * self.pitch))

    def minimumSizeHint(self) -> QSize:
        """The width of the grid does not shrink."""
        return QSize(self._grid_width(), self.head + math.ceil(6 * self.pitch))

    def _grid_width(self) -> int:
        return self.gutter + math.ceil(ACROSS * (self._least_cell + self.gap)) + _EDGE

    def roomy_width(self) -> int:
        """Return the width that the smallest cells take with names beside them."""
        return self._grid_width() + LABELS_PX

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Let cells grow where the window is wide."""
        room = (self.width() - self.gutter - LABELS_PX) // ACROSS - self.gap
        self.cell = min(max(room, self._least_cell), _LARGEST_CELL)
        self.set_top(self.top)

    def cell_rect(self, slot: int) -> QRectF:
        """Return where a slot is drawn, in the widget's coordinates."""
        grid = self.grid
        row = grid.row_of(slot) if grid is not None else 0
        x = self.gutter + slot % ACROSS * self.pitch
        side = self.pitch - self.gap
        return QRectF(x, self.head + (row - self.top) * self.pitch, side, side)

    def slot_under(self, at: QPointF) -> int | None:
        """Return the slot under a point."""
        grid = self.grid
        column = int((at.x() - self.gutter) // self.pitch)
        row = int((at.y() - self.head) // self.pitch)
        if grid is None or row < 0:
            return None
        return grid.slot_at(self.top + row, column)

    def _label_under(self, at: QPointF) -> str:
        """Return the whole text of the names beside the cells at a point; empty where there are none."""
        row = self.top + int((at.y() - self.head) // self.pitch)
        inside = at.x() > self.gutter + ACROSS * self.pitch
        return next((label.text for label in self.labels if label.row == row), "") if inside else ""

    # -- what the view calls

    def show_grid(self, snapshot: Snapshot, grid: SlotGrid | None, uses: HeapUses | None = None) -> None:
        """Show a heap's grid and what happens to its slots."""
        self.snapshot, self.grid, self.uses = snapshot, grid, uses
        if grid is not None:
            self.focus = grid.nearest(min(self.focus, max(grid.slots - 1, 0)))
            self.set_top(self.top)
        if not self.tip.isHidden():
            self._show_tip()
        self.update()

    def set_top(self, row: int) -> None:
        """Scroll so that a row is the first one."""
        rows = len(self.grid) if self.grid is not None else 0
        self.top = min(max(row, 0), max(rows - self.whole_rows(), 0))
        self.update()
        self.scrolled.emit()

    def go_to(self, slot: int) -> None:
        """Put the keyboard's place on a slot and bring it into view."""
        grid = self.grid
        if grid is None or not 0 <= slot < grid.slots:
            return
        self.focus = slot = grid.nearest(slot)
        row = grid.row_of(slot)
        if not self.top <= row < self.top + self.whole_rows():
            self.set_top(row - self.whole_rows() // 3)
        self._say(slot)
        self.update()

    def next_hazard(self, step: int) -> None:
        """Go to the next hazard in a direction (1 or −1), around the ends of the heap."""
        if self.uses is not None:
            self._go_if(self.uses.next_hazard(self.focus, step))

    def next_selected(self, step: int) -> None:
        """Go to the next slot that views a selected resource."""
        if self.grid is not None:
            self._go_if(self.grid.next_of(self.selected, self.focus, step))

    def _go_if(self, slot: int | None) -> None:
        if slot is not None:
            self.go_to(slot)

    def told(self, slot: int) -> SlotTold | None:
        """Return what is known about a slot."""
        if self.grid is None or self.snapshot is None or not 0 <= slot < self.grid.slots:
            return None
        told = describe_slot(self.snapshot, self.grid.heap, slot)
        if self.uses is None:
            return told
        return replace(told, uses=tuple((one.name, one.value, one.rule) for one in slot_facts(self.uses, slot)))

    def _say(self, slot: int) -> None:
        told = self.told(slot)
        if told is None:
            return
        rows = (*((name, value) for name, value, _ in told.uses), *told.rows)
        text = ", ".join((told.title, *(f"{name} {value}" for name, value in rows)))
        self.setAccessibleDescription(text)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))
        self.slot_moved.emit(slot)

    # -- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the rows in view, their numbers and the marks."""
        painter = QPainter(self)
        theme, grid = self._theme, self.grid
        painter.fillRect(self.rect(), theme.colour("base", "map"))
        if grid is None:
            return
        rows = min(self.visible_rows(), len(grid) - self.top)
        image = self._painted(grid, rows)
        if image is not None:
            painter.drawImage(QPointF(self.gutter, self.head), image)
        paint_numbers(self, painter, grid, rows, theme)
        self.labels = paint_labels(self, painter, grid, rows, theme)
        paint_selected(self, painter, grid, rows, theme)
        if self.hover is not None:
            painter.setPen(QPen(theme.colour("select", "map"), 1))
            painter.drawRect(self.cell_rect(self.hover).adjusted(-0.5, -0.5, 0.5, 0.5))
        if grid.slots and self.hasFocus():
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.cell_rect(self.focus).adjusted(-1, -1, 1, 1))

    def _painted(self, grid: SlotGrid, rows: int) -> QImage | None:
        if rows <= 0:
            return None
        ratio = self.devicePixelRatioF()
        key = (grid, self.uses, self.top, rows, ratio, self.cell, self._theme.name)
        if self._image is None or self._image[0] != key:
            pitch = round(self.pitch * ratio)
            gap = max(round(self.gap * ratio), 1)
            image, pixels = self._pictures.picture(
                grid, self.uses, (self.top, rows), self._theme.name, pitch - gap, gap
            )
            image.setDevicePixelRatio(ratio)
            self._image = (key, image, pixels)
        return self._image[1]

    @Slot()
    def _on_theme(self) -> None:
        self._image = None
        self.update()

    # -- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the slot under the cursor."""
        slot = self.slot_under(event.position())
        if slot is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self.focus = slot
        self._say(slot)
        self.update()
        self.slot_picked.emit(slot)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Hover a slot; its facts come after a moment."""
        slot = self.slot_under(event.position())
        self.setToolTip(self._label_under(event.position()) if slot is None else "")
        if slot == self.hover:
            return
        self.hover = slot
        self.tip.hide()
        self.update()
        if slot is None:
            self._tip_timer.stop()
        else:
            self._tip_timer.start()

    def leaveEvent(self, _event: QEvent) -> None:
        """Take hover and facts away."""
        self.hover = None
        self._tip_timer.stop()
        self.tip.hide()
        self.update()

    def hideEvent(self, event: object) -> None:
        """Leave no timer behind."""
        self._tip_timer.stop()
        self.tip.hide()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll by rows."""
        steps = event.angleDelta().y()
        if steps:
            self.tip.hide()
            self.set_top(self.top - steps * _WHEEL_ROWS // 120)
        event.accept()

    @Slot()
    def _show_tip(self) -> None:
        told = self.told(self.hover) if self.hover is not None else None
        if told is None:
            self.tip.hide()
            return
        pixels = slot_pixels(palette(self._theme.name), told.look, 20)
        swatch = QImage(pixels.data, 20, 20, pixels.strides[0], QImage.Format.Format_RGB32).copy()
        rect = self.cell_rect(told.slot).toRect()
        uses: list[tuple[str, str]] = []
        for name, value, rule in told.uses:
            uses += [(name, value), ("Rule", rule)] if name.startswith("Hazard") else [(name, value)]
        self.tip.show_facts(told.title, (*uses, *told.rows), rect, state=told.state, swatch=swatch)

    # -- keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk with arrows, pages and ends; Enter picks; N finds stale slots, H hazards, S selected ones."""
        grid = self.grid
        if grid is None or not grid.slots:
            super().keyPressEvent(event)
            return
        page = ACROSS * max(self.whole_rows() - 1, 1)
        steps = {
            Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: -ACROSS, Qt.Key.Key_Down: ACROSS,
            Qt.Key.Key_PageUp: -page, Qt.Key.Key_PageDown: page,
        }  # fmt: skip
        key = Qt.Key(event.key())
        if key in steps:
            target = grid.walk(self.focus, steps[key])
            if target is not None:
                self.go_to(target)
            elif abs(steps[key]) == page:
                self.go_to(0 if steps[key] < 0 else grid.slots - 1)
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.go_to(0 if key == Qt.Key.Key_Home else grid.slots - 1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.slot_picked.emit(self.focus)
        elif key in (Qt.Key.Key_N, Qt.Key.Key_H, Qt.Key.Key_S):
            step = -1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
            if key == Qt.Key.Key_N:
                self._go_if(grid.next_stale(self.focus, step))
            elif key == Qt.Key.Key_H:
                self.next_hazard(step)
            else:
                self.next_selected(step)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: object) -> None:
        """Show and say the keyboard's place."""
        self._say(self.focus)
        self.update()

    def focusOutEvent(self, event: object) -> None:
        """Take the ring away."""
        self.update()


class SlotGridView(QWidget):
    """The canvas with its scroll bar, which counts rows: a million slots are 15,625."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.canvas = SlotCanvas(theme)
        self.bar = QScrollBar(Qt.Orientation.Vertical)
        self.bar.setObjectName("slot_bar")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        # A window narrower than 64 slots scrolls them sideways; the rows scroll by number.
        self.across = QScrollArea()
        self.across.setWidgetResizable(True)
        self.across.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.across.setWidget(self.canvas)
        self.across.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout.addWidget(self.across, 1)
        layout.addWidget(self.bar)
        self.setFocusProxy(self.canvas)
        self.bar.valueChanged.connect(self._on_bar)
        self.canvas.scrolled.connect(self._on_scrolled)

    def show_grid(self, snapshot: Snapshot, grid: SlotGrid | None, uses: HeapUses | None = None) -> None:
        """Show a heap's grid and what happens to its slots."""
        self.canvas.show_grid(snapshot, grid, uses)
        self._on_scrolled()

    def heap(self) -> DescriptorHeapPicture | None:
        """Return the shown heap."""
        return self.canvas.grid.heap if self.canvas.grid is not None else None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the scroll range right."""
        super().resizeEvent(event)
        self.canvas.set_top(self.canvas.top)

    @Slot(int)
    def _on_bar(self, row: int) -> None:
        if row != self.canvas.top:
            self.canvas.set_top(row)

    @Slot()
    def _on_scrolled(self) -> None:
        canvas = self.canvas
        rows = len(canvas.grid) if canvas.grid is not None else 0
        whole = canvas.whole_rows()
        self.bar.blockSignals(True)
        self.bar.setRange(0, max(rows - whole, 0))
        self.bar.setPageStep(whole)
        self.bar.setValue(canvas.top)
        self.bar.blockSignals(False)
        self.bar.setVisible(rows > whole)
