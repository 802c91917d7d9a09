"""Paints the rows of the scenario picker: a title over what it teaches; headings between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from explorer.ui.controls import paint_pill

if TYPE_CHECKING:
    from PySide6.QtCore import QPersistentModelIndex
    from PySide6.QtGui import QPainter

    from explorer.sim.scenario import Scenario
    from explorer.ui.theme import Theme

_SIDE_PX = 8


class ScenarioDelegate(QStyledItemDelegate):
    """Paints a row.

    Args:
        theme: Fonts and colours.
        role: Role of the row's scenario.
        current: Id of the open scenario, which gets a pill.
        parent: The list.
    """

    def __init__(self, theme: Theme, role: int, current: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._role, self._current = theme, role, current

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Two lines for a scenario, one for a heading."""
        line = option.fontMetrics.height()  # pyright: ignore[reportAttributeAccessIssue] - stub gap
        return QSize(0, line * 2 + 12 if index.data(self._role) is not None else line + 14)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint a row."""
        given: Any = option
        theme, box = self._theme, QRectF(given.rect)
        scenario: Scenario | None = index.data(self._role)
        painter.save()
        left = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        if scenario is None:
            painter.setFont(theme.font(theme.small_px, strong=True))
            painter.setPen(theme.colour("text2"))
            painter.drawText(box.adjusted(_SIDE_PX, 4, -_SIDE_PX, 0), left, str(index.data()))
            painter.restore()
            return
        if given.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, theme.colour("sel"))
        elif given.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, theme.colour("hover"))
        text = box.adjusted(_SIDE_PX, 4, -_SIDE_PX, -4)
        half = text.height() / 2
        if scenario.id == self._current:
            painter.setFont(theme.font(theme.caption_px, strong=True))
            width = painter.fontMetrics().horizontalAdvance("open") + 12
            height = painter.fontMetrics().height() + 2
            paint_pill(painter, theme, QRectF(text.right() - width, text.top(), width, height), "open", "plain")
            text.setRight(text.right() - width - 6)
        for place, (words, font, colour) in enumerate((
            (scenario.title, theme.font(strong=True), "text"),
            (scenario.teaches, theme.font(theme.small_px), "text2"),
        )):  # fmt: skip
            painter.setFont(font)
            painter.setPen(theme.colour(colour))
            line = QRectF(text.left(), text.top() + place * half, text.width(), half)
            cut = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(line.width()))
            painter.drawText(line, left, cut)
        painter.restore()
