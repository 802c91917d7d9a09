"""The foot of Create: Create, Create × n, and whether the map shows a ghost; and the names that n objects get."""

from __future__ import annotations

import re

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPushButton, QWidget

from explorer.ui.controls import set_property
from explorer.ui.create_fields import read_number

_MOST = 10_000
"""Create × n makes at most so many in one go."""

_FIRST_NAME = "New 1"
_NUMBERED = re.compile(r"^(.*?)[ _]?(\d+)$")


class CreateFoot(QWidget):
    """Buttons under the verdict.

    Signals:
        wanted: How many to create.
        ghost_toggled: Whether the map shows where it would lie.
    """

    wanted = Signal(int)
    ghost_toggled = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._create, self._many, self._count = QPushButton("Create"), QPushButton("Create × 16"), QLineEdit("16")
        self._ghost = QCheckBox("Ghost on map")
        self._create.setProperty("primary", True)
        for button, name in ((self._create, "create_button"), (self._many, "create_many")):
            button.setObjectName(name)
        self._count.setObjectName("create_count")
        self._count.setAccessibleName("How many")
        self._count.setFixedWidth(52)
        self._count.setToolTip(f"How many Create × n makes, 1 … {_MOST:,}")
        self._ghost.setObjectName("create_ghost")
        self._ghost.setChecked(True)
        line = QHBoxLayout(self)
        line.setContentsMargins(10, 0, 10, 0)
        line.setSpacing(6)
        for part in (self._create, self._many, self._count):
            line.addWidget(part)
        line.addStretch(1)
        line.addWidget(self._ghost)
        self._create.clicked.connect(self._on_create)
        self._many.clicked.connect(self._on_many)
        self._count.textChanged.connect(self._on_count)
        self._ghost.toggled.connect(self.ghost_toggled)

    def shows_ghost(self) -> bool:
        """Return whether the map shows where it would lie."""
        return self._ghost.isChecked()

    def set_primary(self, is_primary: bool) -> None:
        """Say whether Create is the one primary button; a repair of what would be refused takes its place."""
        set_property(self._create, "primary", is_primary)

    def _times(self) -> int:
        found = read_number(self._count.text())
        times = found if isinstance(found, int) else 0
        good = 1 <= times <= _MOST
        set_property(self._count, "state", "" if good else "refused")
        return times if good else 0

    @Slot()
    def _on_create(self) -> None:
        self.wanted.emit(1)

    @Slot()
    def _on_many(self) -> None:
        times = self._times()
        if times:
            self.wanted.emit(times)

    @Slot()
    def _on_count(self) -> None:
        times = self._times()
        self._many.setEnabled(bool(times))
        self._many.setText(f"Create × {times:,}" if times else "Create × n")


def numbered_names(typed: str, times: int) -> tuple[str, ...]:
    """Return so many names: the typed one, then its number counted on."""
    names = [typed.strip() or _FIRST_NAME]
    for _ in range(times - 1):
        names.append(next_name(names[-1]))
    return tuple(names)


def next_name(name: str) -> str:
    """Return a name with its number counted on by one; a name without one gets a 2."""
    match = _NUMBERED.match(name)
    if match is None:
        return f"{name} 2"
    digits = match[2]
    return f"{name[: -len(digits)]}{int(digits) + 1:0{len(digits)}d}"
