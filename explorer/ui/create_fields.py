"""Editors for the parameters of a call, chosen by the annotations of its input dataclass."""

from __future__ import annotations

import enum
import json
import types
import typing
from typing import TYPE_CHECKING, Annotated, Any

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QCompleter,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from explorer.core.schema import OneOf, constants_of, decode, describe
from explorer.core.units import parse_size
from explorer.errors import InputError
from explorer.ui.controls import set_property

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.ui.theme import Theme

_SEARCHABLE_FROM = 14
ABSENT = object()
"""Value of an editor whose parameter stays out of the call."""


class Field(QWidget):
    """An editor of one parameter.

    Signals:
        changed: The value may have changed.
    """

    changed = Signal()

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.kind = kind
        self._error = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)

    def editor(self) -> QWidget:
        """Return the widget that has the focus and the error border."""
        return self

    def value(self) -> object:
        """Return the value as plain data, what was typed where it cannot be read, or ``ABSENT``."""
        return ABSENT

    def set_value(self, value: object) -> None:
        """Show a value of plain data, without a signal."""

    def set_meaning(self, text: str) -> None:
        """Show what the value stands for behind it; empty for nothing."""

    def set_placeholder(self, text: str) -> None:
        """Show a text while the field is empty."""

    def problem(self) -> str:
        """Return why the value cannot be used; empty if it can."""
        value = self.value()
        if value is ABSENT:
            return ""
        try:
            decode(value, self.kind)
        except InputError as error:
            return str(error)
        return ""

    def show_state(self, state: str, tip: str = "") -> None:
        """Show the border of ``refused``, ``costly`` or nothing, and why."""
        set_property(self.editor(), "state", state)
        self.editor().setToolTip(tip or describe_kind(self.kind))


class _MeaningEdit(QLineEdit):
    """A line edit that says behind the entered value what it means."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.meaning = ""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.meaning:
            return
        painter = QPainter(self)
        painter.setPen(self._theme.colour("text3"))
        left = self.fontMetrics().horizontalAdvance(self.text()) + 18
        room = QRectF(left, 0, self.width() - left - 6, self.height())
        if painter.fontMetrics().horizontalAdvance(self.meaning) <= room.width():
            painter.drawText(room, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), self.meaning)


class NumberField(Field):
    """A whole number; takes thousands separators, hexadecimal, and sizes such as 64KiB.

    Args:
        kind: Annotation.
        theme: The theme.
        automatic: Whether empty means that the product chooses.
    """

    def __init__(self, kind: Any, theme: Theme, *, automatic: bool = False) -> None:
        super().__init__(kind)
        self._automatic = automatic
        self._edit = _MeaningEdit(theme)
        self._edit.setPlaceholderText("automatic" if automatic else "")
        self._edit.setMaxLength(64)
        self._layout.addWidget(self._edit)
        self._edit.textEdited.connect(self.changed)
        self._edit.editingFinished.connect(self._tidy)

    def editor(self) -> QWidget:
        """Return the line edit."""
        return self._edit

    def value(self) -> object:
        """Return the number, the text where it is none, or ``ABSENT`` where the product chooses."""
        if self._automatic and not self._edit.text().strip():
            return ABSENT
        return read_number(self._edit.text())

    def set_placeholder(self, text: str) -> None:
        """Say what is chosen while the field is empty."""
        self._edit.setPlaceholderText(text)

    def set_value(self, value: object) -> None:
        """Show a number."""
        self._edit.setText(f"{value:,}" if isinstance(value, int) else "" if value is ABSENT else str(value))
        self._edit.setCursorPosition(0)

    def set_meaning(self, text: str) -> None:
        """Show what the number stands for."""
        if text != self._edit.meaning:
            self._edit.meaning = text
            self._edit.update()

    def _tidy(self) -> None:
        value = self.value()
        if isinstance(value, int) and "0x" not in self._edit.text().lower():
            self._edit.setText(f"{value:,}")


class _EndCombo(QComboBox):
    """A combo box that cuts long constants on the left: their ends tell them apart."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("mono", True)
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
        """Paint the current constant with its end."""
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
        text = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideLeft, room.width() - 4)
        option.currentText = text  # pyright: ignore[reportAttributeAccessIssue] - the stub lacks the member
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


class ChoiceField(Field):
    """One of some constants or words; many can be searched; a number too where the kind takes one."""

    def __init__(
        self, kind: Any, words: Sequence[str], *, takes_number: bool, absent: str = "", typed: bool = False
    ) -> None:
        super().__init__(kind)
        self._words, self._takes_number, self._absent = tuple(words), takes_number, absent
        self._combo = _EndCombo()
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


class SwitchField(Field):
    """TRUE or FALSE; or a null pointer, which stays out of the call, against valid data."""

    def __init__(self, kind: Any, *, pointer: bool = False) -> None:
        super().__init__(kind)
        self._pointer = pointer
        self._words = ("null", "valid data") if pointer else ("FALSE", "TRUE")
        self._box = QCheckBox(self._words[0])
        self._box.toggled.connect(self._on_toggled)
        self._layout.addWidget(self._box)
        self._layout.addStretch(1)

    def editor(self) -> QWidget:
        """Return the check box."""
        return self._box

    def value(self) -> object:
        """Return True or False; a null pointer is absent."""
        on = self._box.isChecked()
        return ABSENT if self._pointer and not on else on

    def set_value(self, value: object) -> None:
        """Show True or False."""
        self._box.blockSignals(True)
        self._box.setChecked(value is True)
        self._box.setText(self._words[value is True])
        self._box.blockSignals(False)

    def _on_toggled(self, on: bool) -> None:
        self._box.setText(self._words[on])
        self.changed.emit()


class TextField(Field):
    """A structure or list as JSON, or a text; empty stays out of the call where it may."""

    def __init__(self, kind: Any, *, is_text: bool, optional: bool) -> None:
        super().__init__(kind)
        self._is_text, self._optional = is_text, optional
        self._edit = QLineEdit()
        self._edit.setMaxLength(4000)
        self._edit.setProperty("mono", not is_text)
        self._edit.setPlaceholderText("null" if optional else describe_kind(kind))
        self._edit.textEdited.connect(self.changed)
        self._layout.addWidget(self._edit)

    def editor(self) -> QWidget:
        """Return the line edit."""
        return self._edit

    def value(self) -> object:
        """Return the text, the JSON's value, or what was typed where it is no JSON."""
        text = self._edit.text().strip()
        if not text and self._optional:
            return ABSENT
        if self._is_text:
            return text
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text

    def set_value(self, value: object) -> None:
        """Show a value."""
        if value is ABSENT or value is None:
            self._edit.clear()
        else:
            self._edit.setText(str(value) if self._is_text else json.dumps(value))


def read_number(text: str) -> object:
    """Return the whole number that a text says (decimal with separators, hexadecimal, SIZE), or the text."""
    plain = text.strip().replace(",", "").replace("_", "").replace("\N{NO-BREAK SPACE}", "").replace(" ", "")
    if len(plain) > 40:
        return text
    try:
        return int(plain, 0)
    except ValueError:
        pass
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        return parse_size(text)
    except InputError:
        return text


def describe_kind(kind: Any) -> str:
    """Return in words what a parameter accepts."""
    try:
        return describe(kind)
    except (TypeError, IndexError):
        return ""


def options_of(kind: Any) -> tuple[tuple[Any, ...], bool]:
    """Return the alternatives of an annotation without None, flat, and whether None is one."""
    inner = _bare(kind)
    origin = typing.get_origin(inner)
    if origin is typing.Union or origin is types.UnionType:
        arguments = typing.get_args(inner)
        options: list[Any] = []
        optional = type(None) in arguments
        for argument in arguments:
            if argument is type(None):
                continue
            nested, nested_optional = options_of(argument)
            options.extend(nested)
            optional = optional or nested_optional
        return tuple(options), optional
    return (kind,), False


def _bare(kind: Any) -> Any:
    return typing.get_args(kind)[0] if typing.get_origin(kind) is Annotated else kind


def make_field(kind: Any, theme: Theme) -> Field:
    """Return the editor for an annotation."""
    options, optional = options_of(kind)
    bares = [_bare(option) for option in options]
    absent = "null" if optional else ""
    marks = [m for option in options if typing.get_origin(option) is Annotated for m in typing.get_args(option)[1:]]
    first = bares[0]
    words = next((mark.words for mark in marks if isinstance(mark, OneOf)), None)
    if words is not None:
        return ChoiceField(kind, words, takes_number=False, absent=absent)
    if bool in bares and len(bares) > 1:
        # pInitialData and the like: a null pointer, or valid data.
        return SwitchField(bool, pointer=True)
    if isinstance(first, type):
        if issubclass(first, enum.IntFlag):
            return FlagsField(first)
        if issubclass(first, enum.IntEnum):
            return ChoiceField(kind, tuple(constants_of(first)), takes_number=int in bares, absent=absent)
        if first is bool:
            return SwitchField(kind)
        if first is int and not optional:
            return NumberField(kind, theme)
        if first is str:
            return TextField(kind, is_text=True, optional=optional)
    return TextField(kind, is_text=False, optional=optional)
