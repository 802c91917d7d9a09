"""Lines of arithmetic: name, formula, result, and below the formula where its constant comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel

from explorer.core.units import format_address, format_exact
from explorer.ui.controls import ElidedLabel, label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.sim.layout_steps import Step


class StepsGrid(QGridLayout):
    """Shows steps; rows are made once and used again.

    Args:
        addresses: Names of the steps whose results are offsets.
    """

    def __init__(self, addresses: Sequence[str] = ("Offset",)) -> None:
        super().__init__()
        self.setHorizontalSpacing(10)
        self.setVerticalSpacing(3)
        self.setColumnStretch(1, 1)
        self._addresses = frozenset(addresses)
        self._rows: list[tuple[QLabel, ElidedLabel, QLabel, ElidedLabel]] = []
        self._shown = 0

    def show_steps(self, steps: Sequence[Step]) -> None:
        """Show lines of arithmetic in place of those before."""
        while len(self._rows) < len(steps):
            self._add_row()
        self._shown = len(steps)
        for at, row in enumerate(self._rows):
            for widget in row:
                widget.setVisible(at < len(steps))
            if at < len(steps):
                self._fill(row, steps[at])

    def results(self) -> dict[str, str]:
        """Return the shown results by name."""
        return {row[0].text(): row[2].text() for row in self._rows[: self._shown]}

    def _fill(self, row: tuple[QLabel, ElidedLabel, QLabel, ElidedLabel], step: Step) -> None:
        name, formula, result, note = row
        name.setText(step.name)
        formula.setText(step.formula)
        is_offset = step.name in self._addresses
        result.setText(format_address(step.result) if is_offset else format_exact(step.result))
        if not step.unit:
            result.setText(f"{step.result:,}")
        result.setToolTip(format_exact(step.result) if is_offset else "")
        note.setText(step.note)
        note.setVisible(bool(step.note))

    def _add_row(self) -> None:
        at = 2 * len(self._rows)
        name, result = label("", "second"), label("", "mono")
        formula, note = ElidedLabel("", "mono"), ElidedLabel("", "caption")
        result.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.addWidget(name, at, 0)
        self.addWidget(formula, at, 1)
        self.addWidget(result, at, 2)
        self.addWidget(note, at + 1, 1, 1, 2)
        self._rows.append((name, formula, result, note))
