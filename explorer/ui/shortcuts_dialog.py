"""Every key of the window in one place: actions by menu, views, and what keys do inside views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from explorer.ui.actions import MENUS
from explorer.ui.controls import SidePanel, label
from explorer.ui.views import VIEWS

if TYPE_CHECKING:
    from explorer.ui.actions import ActionSet
    from explorer.ui.theme import Theme

Keys = tuple[tuple[str, str], ...]
"""(keys, what they do), in the order of a list."""

IN_VIEWS: tuple[tuple[str, Keys], ...] = (
    ("On the memory map", (
        ("Arrows", "Walk blocks"), ("Shift+Arrows", "Walk holes"), ("Return", "Select the block"),
        ("[  ]", "Zoom out, in"), ("Home, End", "Ends of the heap"),
        ("Page up, down", "Scroll"), ("F2", "Type a range"), ("N", "Next block that moved"), ("Esc", "Select nothing"),
    )),
    ("On the Timeline", (
        ("Left, Right", "One frame back, on"), ("Page up, down", "Ten frames back, on"),
        ("Home, End", "First, last frame"), ("N, Shift+N", "Next, last mark"), ("[  ]", "Zoom out, in"),
        ("F", "Show all frames"),
    )),
    ("On tiles of a resource or a heap", (
        ("Arrows", "Walk tiles"), ("Page up, down", "Next level"), ("Home, End", "First, last tile"),
        ("Return", "Show the tile's arithmetic"), ("[  ]", "Zoom out, in"), ("F", "Show all tiles"),
        ("N, Shift+N", "Next, last tile mapped in this frame"),
    )),
    ("In Descriptors", (
        ("Arrows", "Walk slots"), ("Home, End", "First, last slot"), ("Return", "Select the resource"),
    )),
)  # fmt: skip
"""Keys that belong to a view while it has the focus."""


def key_lists(actions: ActionSet) -> list[tuple[str, Keys]]:
    """Return every list of keys with its title."""
    found: list[tuple[str, Keys]] = []
    for menu in MENUS:
        lines: list[tuple[str, str]] = []
        for spec, action in actions.all():
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            if spec.menu == menu and keys:
                lines.append((keys, spec.text.replace("&", "").rstrip("…")))
        if lines:
            found.append((menu.replace("&", ""), tuple(lines)))
    found.append(("Views", tuple((view.shortcut, f"Show {view.title}") for view in VIEWS)))
    return [*found, *IN_VIEWS]


class ShortcutsDialog(QDialog):
    """The lists in two columns.

    Args:
        actions: Actions of the window.
        theme: The theme.
        parent: The window.
    """

    def __init__(self, actions: ActionSet, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shortcuts_dialog")
        self.setWindowTitle("Keyboard shortcuts")
        self.lists = key_lists(actions)
        self._columns: list[QVBoxLayout] = []
        body = QWidget()
        columns = QHBoxLayout(body)
        columns.setContentsMargins(4, 4, 12, 4)
        columns.setSpacing(32)
        whole = sum(len(keys) + 2 for _, keys in self.lists)
        column, height = self._column(columns), 0
        for title, keys in self.lists:
            if height and 2 * height >= whole:
                column, height = self._column(columns), -whole
            self._add(column, title, keys)
            height += len(keys) + 2
        for one in self._columns:
            one.addStretch(1)
        close = QPushButton("Close")
        close.setObjectName("shortcuts_close")
        close.setDefault(True)
        close.clicked.connect(self.close)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 12, 12)
        layout.setSpacing(10)
        layout.addWidget(SidePanel(body, 12), 1)
        layout.addLayout(foot)
        self.resize(min(theme.scaled(720), parent.width() - 40), min(theme.scaled(640), parent.height() - 40))

    def texts(self) -> dict[str, str]:
        """Return every key sequence that is listed, with what it does; keys inside views included."""
        return {keys: what for _, lines in self.lists for keys, what in lines}

    def _column(self, columns: QHBoxLayout) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(4)
        self._columns.append(column)
        columns.addLayout(column, 1)
        return column

    def _add(self, column: QVBoxLayout, title: str, keys: Keys) -> None:
        column.addWidget(label(title, "strong"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        for row, (sequence, what) in enumerate(keys):
            text = label(sequence, "mono")
            text.setMinimumWidth(text.fontMetrics().horizontalAdvance("Ctrl+Shift+Right") + 24)
            grid.addWidget(text, row, 0, Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(label(what, "second"), row, 1)
        column.addLayout(grid)
        column.addSpacing(10)
