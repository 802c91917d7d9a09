"""How many hazards a heap has, and the way from one to the next."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from explorer.ui.controls import label, set_property


class HazardSteps(QWidget):
    """A count between two buttons.

    Signals:
        wanted: 1 for the next hazard, −1 for the one before.
    """

    wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.text = label("", "second", name="hazard_count")
        self.back, self.on = QPushButton("‹"), QPushButton("›")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        for button, step, name, tip in (
            (self.back, -1, "hazard_back", "Go to the hazard before (Shift+H)"),
            (self.on, 1, "hazard_next", "Go to the next hazard (H)"),
        ):
            button.setObjectName(name)
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setFixedWidth(24)
            button.clicked.connect(self._on_back if step < 0 else self._on_next)
        for part in (self.text, self.back, self.on):
            layout.addWidget(part)
        self.show_counts(0, 0)

    def show_counts(self, pending: int, over: int) -> None:
        """Show hazards that lists still suffer from, and those that are over."""
        now = f"{pending:,} hazard{'s' * (pending != 1)}" if pending else ""
        past = f"{over:,} over" if over else ""
        self.text.setText(
            ", ".join(part for part in (now, past if now else past and f"Hazards: {past}") if part) or "No hazard"
        )
        set_property(self.text, "role", "error" if pending else "second")
        for button in (self.back, self.on):
            button.setEnabled(pending + over > 0)

    def _on_back(self) -> None:
        self.wanted.emit(-1)

    def _on_next(self) -> None:
        self.wanted.emit(1)
