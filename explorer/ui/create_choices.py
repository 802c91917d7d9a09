"""Editors for parameters whose values are constants: one of them, or a set of flags."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QMenu,
    QPushButton,
    QSizePolicy,
)

from explorer.core.schema import constants_of, decode
from explorer.errors import InputError
from explorer.ui.create_fields import ABSENT, Field, read_number
from explorer.ui.cut_combo import CutCombo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

_SEARCHABLE_FROM = 14


class ChoiceField(Field):
    """One of some constants or words; many can be searched; a number too where the kind takes one."""

    def __init__(
        self, kind: Any, words: Sequence[str], *, takes_number: bool, absent: str = "", typed: bool = False
    ) -> None:
        super().__init__(kind)
        self._words, self._takes_number, self._absent = tuple(words), takes_number, absent
        self._combo = CutCombo()
        if absent:
            self._combo.addItem(absent)
        self._combo.addItems(list(words))
        if len(words) >= _SEARCHABLE_FROM or takes_number or typed:
            self._make_searchable()
        self._layout.addWidget(self._combo)
        self._combo.currentTextChanged.connect(self.changed)

    def editor(self) -> QWidget:
        """Return the combo box."""
        return self._combo

    def value(self) -> object:
        """Return the constant, a number, or what was typed."""
        text = self._combo.currentText().strip()
        if self._absent and text == self._absent:
            return ABSENT
        if self._takes_number and text not in self._words:
            number = read_number(text)
            if isinstance(number, int):
                return number
        return text

    def set_value(self, value: object) -> None:
        """Show a constant, by its official name, its short name or its number."""
        self._combo.blockSignals(True)
        text = self._absent if value is ABSENT or value is None else str(value)
        if isinstance(value, int) and isinstance(self.kind, type) and issubclass(self.kind, enum.IntEnum):
            text = next((name for name, number in constants_of(self.kind).items() if number == value), text)
        index = self._combo.findText(text)
        if index < 0:
            # Records may drop the prefix of a constant.
            index = next((i for i in range(self._combo.count()) if self._combo.itemText(i).endswith("_" + text)), -1)
        if index < 0 and not text and self._words:
            index = 0
        if index >= 0:
            self._combo.setCurrentIndex(index)
        elif self._combo.isEditable():
            self._combo.setEditText(text)
        line = self._combo.lineEdit()
        if line is not None:
            line.end(False)
        self._combo.blockSignals(False)

    def set_words(self, words: Sequence[str]) -> None:
        """Offer other words; what is chosen stays."""
        if tuple(words) == self._words:
            return
        self._words = tuple(words)
        text = self._combo.currentText()
        self._combo.blockSignals(True)
        self._combo.clear()
        if self._absent:
            self._combo.addItem(self._absent)
        self._combo.addItems(list(words))
        if self._combo.isEditable():
            self._combo.setEditText(text)
        if text in self._words:
            self._combo.setCurrentText(text)
        self._combo.blockSignals(False)

    def _make_searchable(self) -> None:
        self._combo.setEditable(True)
        self._combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        completer = QCompleter(self._combo.model(), self._combo)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self._combo.setCompleter(completer)


class FlagsField(Field):
    """A set of flags: the set ones joined in a button, all of them in its menu."""

    def __init__(self, kind: Any) -> None:
        super().__init__(kind)
        self._constants = dict(constants_of(kind))
        self._value: list[str | int] = []
        self._button = QPushButton()
        self._button.setProperty("field", True)
        self._button.setProperty("mono", True)
        self._button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._menu = QMenu(self._button)
        for name, number in self._constants.items():
            if number:
                action = self._menu.addAction(name)
                action.setCheckable(True)
                action.toggled.connect(self._on_toggled)
        self._button.clicked.connect(self._on_clicked)
        self._layout.addWidget(self._button)
        self._show()

    def editor(self) -> QWidget:
        """Return the button."""
        return self._button

    def value(self) -> object:
        """Return the constants (and unknown bits as a number)."""
        return list(self._value)

    def set_value(self, value: object) -> None:
        """Show constants or a number."""
        try:
            flags = decode(0 if value is ABSENT or value is None else value, self.kind)
        except InputError:
            return
        self._value = list(flags.constants)
        for action in self._menu.actions():
            action.blockSignals(True)
            action.setChecked(action.text() in self._value)
            action.blockSignals(False)
        self._show()

    def _on_toggled(self) -> None:
        rest = [item for item in self._value if isinstance(item, int)]
        number = 0
        for action in self._menu.actions():
            if action.isChecked():
                number |= self._constants[action.text()]
        self._value = [*decode(number, self.kind).constants, *rest]
        self._show()
        self.changed.emit()

    def _on_clicked(self) -> None:
        self._menu.popup(self._button.mapToGlobal(self._button.rect().bottomLeft()))

    def _show(self) -> None:
        none = next((name for name, number in self._constants.items() if number == 0), "0")
        words = [item if isinstance(item, str) else hex(item) for item in self._value]
        text = " | ".join(words) or none
        shown = self._button.fontMetrics().elidedText(text, Qt.TextElideMode.ElideLeft, max(self.width() - 20, 150))
        self._button.setText(shown)
        self._button.setToolTip(text)
        self._button.setAccessibleName(text)

    def resizeEvent(self, event: object) -> None:
        """Cut the text anew."""
        self._show()
