"""Two columns of names and values, the common part of Inspector, Device and the verdict card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from explorer.ui.controls import ElidedLabel, hairline, label

if TYPE_CHECKING:
    from collections.abc import Sequence


_LONG = 20


@dataclass(frozen=True, slots=True)
class Fact:
    """A line: a name and its value.

    Attributes:
        name: What it is.
        value: What it says; never empty ("none", "unknown", "not tracked").
        mono: Whether it is an address, constant or call name.
        note: Grey text behind the value.
        tip: More words on hover.
    """

    name: str
    value: str
    mono: bool = False
    note: str = ""
    tip: str = ""


class FactsGrid(QWidget):
    """Shows facts; labels are kept and filled again, so that a running scenario does not build widgets."""

    def __init__(self, name_width: int = 96) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnMinimumWidth(0, name_width)
        self._grid.setColumnStretch(1, 1)
        self._rows: list[tuple[QLabel, QLabel]] = []
        self._shown: tuple[Fact, ...] = ()

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What is shown."""
        return self._shown

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """Show lines in place of the last ones."""
        shown = tuple(facts)
        if shown == self._shown:
            return
        while len(self._rows) < len(shown):
            self._add_row()
        for index, (name, value) in enumerate(self._rows):
            visible = index < len(shown)
            name.setVisible(visible)
            value.setVisible(visible)
            if not visible or (index < len(self._shown) and self._shown[index] == shown[index]):
                continue
            fact = shown[index]
            name.setText(fact.name)
            role = "mono" if fact.mono else "third" if fact.value in ("none", "unknown", "not tracked") else ""
            if value.property("role") != role:
                value.setProperty("role", role)
                value.style().unpolish(value)
                value.style().polish(value)
            text = f"{fact.value}  {fact.note}" if fact.note else fact.value
            # A constant may break at its underscores: else its end is cut off.
            value.setText(text.replace("_", "_\u200b") if fact.mono and len(text) > _LONG else text)
            value.setToolTip(fact.tip)
        self._shown = shown

    def _add_row(self) -> None:
        row = len(self._rows)
        name, value = label("", "second"), label("", wrap=True)
        name.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        value.setMinimumWidth(40)
        self._grid.addWidget(name, row, 0)
        self._grid.addWidget(value, row, 1)
        self._rows.append((name, value))


class Section(QWidget):
    """A titled part of a panel under a hairline."""

    def __init__(self, title: str, *, first: bool = False) -> None:
        super().__init__()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        if not first:
            layout.addWidget(hairline())
            layout.addSpacing(4)
        head = QHBoxLayout()
        head.setSpacing(6)
        self.title = label(title, "strong")
        self.right = ElidedLabel("", "small")
        self.right.setAlignment(Qt.AlignmentFlag.AlignRight)
        head.addWidget(self.title)
        head.addWidget(self.right, 1)
        layout.addLayout(head)
        self.body = QVBoxLayout()
        self.body.setSpacing(4)
        layout.addLayout(self.body)
