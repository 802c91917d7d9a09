"""Paints the cells of Resources: swatch and name, residency as a pill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QRectF, Qt
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from explorer.ui.controls import paint_pill
from explorer.ui.resource_model import KIND_ROLE
from explorer.ui.resource_rows import COLUMNS

if TYPE_CHECKING:
    from PySide6.QtCore import QPersistentModelIndex
    from PySide6.QtGui import QPainter

    from explorer.ui.theme import Theme


_ELIDES = {
    "name": Qt.TextElideMode.ElideMiddle, "heap": Qt.TextElideMode.ElideMiddle, "place": Qt.TextElideMode.ElideLeft,
}  # fmt: skip


class ResourceDelegate(QStyledItemDelegate):
    """Paints the kind's swatch in front of the name, and residency as a pill."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Long names keep both ends; of long constants the ends tell them apart."""
        super().initStyleOption(option, index)
        mode = _ELIDES.get(COLUMNS[index.column()].id)
        if mode is not None:
            option.textElideMode = mode

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint a cell."""
        column = COLUMNS[index.column()].id
        # The line under the row is not part of where the other cells centre their text.
        rect = QRectF(option.rect).adjusted(0, 0, 0, -1)  # pyright: ignore[reportAttributeAccessIssue] - stub gap
        if column == "residency":
            text = str(index.data())
            blank = QStyleOptionViewItem(option)
            self.initStyleOption(blank, index)
            blank.text = ""  # pyright: ignore[reportAttributeAccessIssue] - stub gap
            self._draw(painter, blank)
            font = self._theme.font(self._theme.caption_px, strong=True)
            painter.save()
            painter.setFont(font)
            width = painter.fontMetrics().horizontalAdvance(text) + 12
            height = painter.fontMetrics().height() + 2
            plate = QRectF(rect.left() + 6, rect.center().y() - height / 2, width, height)
            paint_pill(painter, self._theme, plate, text, "ok" if text == "resident" else "plain")
            painter.restore()
            return
        if column != "name":
            super().paint(painter, option, index)
            return
        shifted = QStyleOptionViewItem(option)
        self.initStyleOption(shifted, index)
        blank = QStyleOptionViewItem(shifted)
        blank.text = ""  # pyright: ignore[reportAttributeAccessIssue] - stub gap
        self._draw(painter, blank)
        painter.save()
        swatch = self._theme.size("swatch")
        kind = index.data(KIND_ROLE)
        box = QRectF(rect.left() + 8, rect.center().y() - swatch / 2 + 0.5, swatch, swatch)
        painter.fillRect(box, self._theme.kind_colour(kind))
        painter.setPen(self._theme.colour("text"))
        room = rect.adjusted(8 + swatch + 8, 0, -6, 0)
        text = painter.fontMetrics().elidedText(shifted.text, Qt.TextElideMode.ElideMiddle, int(room.width()))  # pyright: ignore[reportAttributeAccessIssue] - stub gap
        painter.drawText(room, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), text)
        painter.restore()

    def _draw(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        widget = option.widget  # pyright: ignore[reportAttributeAccessIssue] - stub gap
        style = widget.style()
        style.drawControl(style.ControlElement.CE_ItemViewItem, option, painter, widget)
