"""A combo box that may be narrower than its texts, and says so with an ellipsis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QSizePolicy, QStyle, QStyleOptionComboBox, QStylePainter

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent


class CutCombo(QComboBox):
    """A combo box that may be narrower than its texts.

    Args:
        mode: Which end is cut; constants lose their beginning, their ends tell them apart.
        mono: Whether it holds constants.
    """

    def __init__(self, mode: Qt.TextElideMode = Qt.TextElideMode.ElideLeft, *, mono: bool = True) -> None:
        super().__init__()
        self._mode = mode
        self.setProperty("mono", mono)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def wheelEvent(self, event: Any) -> None:
        """A wheel over the form scrolls the form, it does not change a parameter."""
        event.ignore()

    def showPopup(self) -> None:
        """Make the list as wide as its longest constant."""
        width = max(self.view().sizeHintForColumn(0) + 28, self.width())
        self.view().setMinimumWidth(min(width, 640))
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the current text as far as there is room."""
        if self.isEditable():
            super().paintEvent(event)
            return
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        style = self.style()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        room = style.subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        text = self.fontMetrics().elidedText(self.currentText(), self._mode, room.width() - 4)
        option.currentText = text  # pyright: ignore[reportAttributeAccessIssue] - the stub lacks the member
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
