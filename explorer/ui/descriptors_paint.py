"""What the slot canvas paints: the rows in view as one picture, numbers left, what begins in a row right of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPen

from explorer.core.units import format_address
from explorer.render.slot_marks import SlotStamps, cover_rows
from explorer.render.slot_texts import row_labels
from explorer.render.slots import ACROSS, paint_slots, slot_colours
from explorer.render.tokens import palette

if TYPE_CHECKING:
    from explorer.render.slot_texts import RowLabel
    from explorer.render.slot_uses import HeapUses
    from explorer.render.slots import SlotGrid
    from explorer.ui.descriptors_grid import SlotCanvas
    from explorer.ui.theme import Theme

_LABEL_EVERY = 4
_MOST_MARKS = 4096
_SPACE = 8
_INKS = {"hazard": ("error", "colour"), "copy": ("link", "colour"), "plain": ("text2", "colour")}


class GridPictures:
    """Makes the picture of the rows in view; cells that were painted once are kept while theme and size stay."""

    def __init__(self) -> None:
        self._key: tuple[object, ...] = ()
        self._stamps: SlotStamps | None = None

    def picture(
        self, grid: SlotGrid, uses: HeapUses | None, rows: tuple[int, int], theme: str, cell: int, gap: int
    ) -> tuple[QImage, np.ndarray]:
        """Return the picture of rows of a grid and the pixels behind it.

        Args:
            grid: The grid.
            uses: What happens in the heap; None paints only what the slots hold.
            rows: First row and number of rows, > 0.
            theme: ``light`` or ``dark``.
            cell: Side of a cell in device pixels.
            gap: Device pixels between cells.
        """
        looks = grid.looks(*rows)
        if uses is None:
            pixels = paint_slots(looks, slot_colours(palette(theme), faded=grid.stale_only), cell, gap)
        else:
            staged = not grid.heap.shader_visible and grid.heap.heap_type in ("CBV_SRV_UAV", "SAMPLER")
            key = (theme, cell, gap, grid.stale_only, staged)
            if self._stamps is None or self._key != key:
                self._key = key
                self._stamps = SlotStamps(palette(theme), cell, gap, faded=grid.stale_only, staged=staged)
            pixels = self._stamps.paint(looks, cover_rows(uses, grid, *rows))
        height, width = pixels.shape
        return QImage(pixels.data, width, height, pixels.strides[0], QImage.Format.Format_RGB32), pixels


def paint_numbers(canvas: SlotCanvas, painter: QPainter, grid: SlotGrid, rows: int, theme: Theme) -> None:
    """Paint the columns' numbers above and the rows' slots or handles to the left."""
    painter.setFont(theme.fixed_font(theme.caption_px))
    painter.setPen(theme.colour("axis", "map"))
    for column in range(0, ACROSS, 8):
        x = canvas.gutter + column * canvas.pitch
        rect = QRectF(x, 0, 8 * canvas.pitch, canvas.head - 4)
        painter.drawText(rect, Qt.AlignmentFlag.AlignBottom, f"+{column}")
    line = QFontMetricsF(painter.font()).height()
    every = 1 if grid.stale_only and canvas.pitch >= line else _LABEL_EVERY
    for row in range(rows):
        first = grid.first_slot(canvas.top + row)
        if (row % 2) if grid.stale_only else (canvas.top + row) % every:
            continue
        text = f"{first:,}"
        if canvas.by_handle:
            text = format_address(grid.heap.cpu_start + first * grid.heap.increment)
        y = canvas.head + row * canvas.pitch + canvas.cell / 2 - line / 2
        painter.drawText(QRectF(0, y, canvas.gutter - 10, line), Qt.AlignmentFlag.AlignRight, text)


def paint_labels(canvas: SlotCanvas, painter: QPainter, grid: SlotGrid, rows: int, theme: Theme) -> list[RowLabel]:
    """Paint what begins in each row to the right of the cells; return what was painted."""
    uses = canvas.uses
    left = canvas.gutter + ACROSS * canvas.pitch + _SPACE
    room = canvas.width() - left - _SPACE
    if uses is None or room < _SPACE * 5:
        return []
    painter.setFont(theme.font(theme.small_px))
    metrics = QFontMetricsF(painter.font())
    painted: list[RowLabel] = []
    # Rows are lower than a line of text: of labels that would cover each other the one that matters more stays.
    apart = max(math.ceil((metrics.height() - 1) / canvas.pitch), 1)
    for label in sorted(row_labels(uses, grid, canvas.top, rows), key=lambda one: (one.rank, one.row)):
        if any(abs(label.row - other.row) < apart for other in painted):
            continue
        y = canvas.head + (label.row - canvas.top) * canvas.pitch + (canvas.cell - metrics.height()) / 2
        painter.setPen(theme.colour(*_INKS[label.look]))
        text = metrics.elidedText(label.text, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QPointF(left, y + metrics.ascent()), text)
        painted.append(label)
    return painted


def paint_selected(canvas: SlotCanvas, painter: QPainter, grid: SlotGrid, rows: int, theme: Theme) -> None:
    """Outline the slots that view a selected resource."""
    if not canvas.selected or rows <= 0:
        return
    slots = grid.slots_of(canvas.top, rows)
    chosen = np.fromiter(canvas.selected, np.int32, len(canvas.selected))
    found = slots[np.isin(grid.heap.resource[slots], chosen)][:_MOST_MARKS]
    halo, select = theme.colour("halo", "map"), theme.colour("select", "map")
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for slot in found.tolist():
        rect = canvas.cell_rect(slot)
        painter.setPen(QPen(halo, 3))
        painter.drawRect(rect.adjusted(-0.5, -0.5, 0.5, 0.5))
        painter.setPen(QPen(select, 2))
        painter.drawRect(rect)
