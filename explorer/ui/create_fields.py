"""Editors for the parameters of a call, chosen by the annotations of its input dataclass."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QWidget,
)

from explorer.core.schema import decode, describe
from explorer.core.units import parse_size, without_commas
from explorer.errors import InputError
from explorer.ui.controls import set_property

if TYPE_CHECKING:
    from explorer.ui.theme import Theme

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
    try:
        plain = without_commas(text.strip())
    except InputError:
        return text
    plain = plain.replace("_", "").replace("\N{NO-BREAK SPACE}", "").replace(" ", "")
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
