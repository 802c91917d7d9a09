"""The first row of the window: menus, what is open and its state, the field of the command palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QMenuBar, QPushButton, QSizePolicy, QWidget

from explorer.ui.controls import ElidedLabel, label

if TYPE_CHECKING:
    from explorer.ui.workspace import Workspace

_PALETTE_PX = 300


class MenuRow(QWidget):
    """Menus and document.

    Signals:
        palette_wanted: The palette's field was clicked.
    """

    palette_wanted = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("menu_row")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._workspace = workspace
        self.bar = QMenuBar()
        self.bar.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.document_name = ElidedLabel("", name="document_name")
        # As wide as its text while there is room; the first to give way.
        self.document_name.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.document_state = label("", name="document_state")
        self.palette_field = QPushButton("Commands, resources, scenarios")
        self.palette_field.setObjectName("palette_field")
        self.palette_field.setProperty("field", True)
        self.palette_field.setFixedWidth(_PALETTE_PX)
        self.palette_field.setToolTip("Command palette (Ctrl+K)")
        self.palette_field.clicked.connect(self.palette_wanted)
        line = QHBoxLayout(self)
        line.setContentsMargins(6, 0, 8, 0)
        line.setSpacing(8)
        line.addWidget(self.bar)
        line.addSpacing(16)
        line.addWidget(self.document_name)
        line.addWidget(self.document_state)
        line.addStretch(1)
        line.addWidget(self.palette_field)
        workspace.theme.changed.connect(self._tint)
        self._tint()

    def show_document(self) -> None:
        """Name what is open; where it comes from and what it teaches is in the tool tip."""
        document, scenario = self._workspace.document, self._workspace.scenario
        parts = [document.path or document.scenario or document.name, scenario.teaches if scenario is not None else ""]
        self.document_name.setText(self._workspace.title)
        self.document_name.set_tip("\n".join(part for part in parts if part))

    def show_state(self) -> None:
        """Say what kind of document it is, and whether it was edited."""
        document, state = self._workspace.document, self._workspace.run_state
        if document.kind == "scenario":
            text = "scenario, edited" if state is not None and state.journal else "scenario"
        else:
            text = "imported layout" if document.kind == "file" else ""
        if text != self.document_state.text():
            self.document_state.setText(text)

    def give_menus_room(self) -> None:
        """Give the menus their width: a menu bar that is a pixel short hides them all."""
        self.bar.setMinimumWidth(self.bar.sizeHint().width() + 12)

    @Slot()
    def _tint(self) -> None:
        self.palette_field.setIcon(self._workspace.theme.icon("search"))
