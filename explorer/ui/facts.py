"""Two columns of names and values, the common part of Inspector, Device and the verdict card."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from explorer.ui.controls import ElidedLabel, hairline, label

if TYPE_CHECKING:
    from collections.abc import Sequence


_LONG = 20

LINKED_TEXT = (
    Qt.TextInteractionFlag.TextSelectableByMouse
    | Qt.TextInteractionFlag.LinksAccessibleByMouse
    | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
)
"""How a text behaves that can be copied and may hold links."""


def set_linked(value: QLabel, linked: bool) -> None:
    """Make a label one that holds links: Tab stops only there."""
    value.setTextFormat(Qt.TextFormat.RichText if linked else Qt.TextFormat.PlainText)
    value.setTextInteractionFlags(LINKED_TEXT if linked else Qt.TextInteractionFlag.TextSelectableByMouse)


def link_text(link: str, text: str) -> str:
    """Return a link as rich text; without underline until it has the focus (VISUAL section 3)."""
    return f'<a href="{html.escape(link)}" style="text-decoration:none">{html.escape(text)}</a>'


@dataclass(frozen=True, slots=True)
class Fact:
    """A line: a name and its value.

    Attributes:
        name: What it is.
        value: What it says; never empty ("none", "unknown", "not tracked").
        mono: Whether it is an address, constant or call name.
        note: Grey text behind the value.
        tip: More words on hover.
        link: What a click on the value asks for (the id of a rule); empty where it is no link.
    """

    name: str
    value: str
    mono: bool = False
    note: str = ""
    tip: str = ""
    link: str = ""


class FactsGrid(QWidget):
    """Shows facts; labels are kept and filled again, so that a running scenario does not build widgets.

    Signals:
        link_wanted: The link of a clicked value.
    """

    link_wanted = Signal(str)

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
            # A constant or a long name may break at its underscores: else its end is cut off.
            text = text.replace("_", "_\u200b") if len(text) > _LONG else text
            if fact.link or value.textFormat() == Qt.TextFormat.RichText:
                set_linked(value, bool(fact.link))
            value.setText(link_text(fact.link, text) if fact.link else text)
            value.setToolTip(fact.tip)
        self._shown = shown

    def _add_row(self) -> None:
        row = len(self._rows)
        name, value = label("", "second"), label("", wrap=True)
        name.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        value.linkActivated.connect(self.link_wanted)
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
