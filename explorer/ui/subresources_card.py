"""The arithmetic of a subresource: formula left, result right, and below it how the whole became so large."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from explorer.core.units import format_address, format_bytes, format_exact
from explorer.sim.layout_steps import arithmetic
from explorer.ui.controls import label
from explorer.ui.steps_grid import StepsGrid

if TYPE_CHECKING:
    from explorer.sim.layout_steps import Step
    from explorer.sim.layouts import Form

_MOST_STEPS = 24


class ArithmeticCard(QFrame):
    """Five lines for the selected subresource."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", True)
        self.setObjectName("arithmetic_card")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 10)
        layout.setSpacing(6)
        head = QHBoxLayout()
        head.setSpacing(8)
        self.title = label("", "strong", name="subresource_title")
        self.place = label("", "small")
        self.formula = label("", "mono2", name="index_formula")
        head.addWidget(self.title)
        head.addWidget(self.place)
        head.addStretch(1)
        head.addWidget(self.formula)
        layout.addLayout(head)
        self._grid = StepsGrid()
        layout.addLayout(self._grid)
        self.rules = label("", "small", wrap=True, name="subresource_rules")
        layout.addWidget(self.rules)
        self._form: Form | None = None
        self._index = 0
        layout.addLayout(self._texel_row())
        self.steps: tuple[Step, ...] = ()

    def show_part(self, form: Form, index: int) -> None:
        """Show how a subresource's figures come about."""
        part = form.layout.subresources[index]
        self.title.setText(f"Subresource {index:,}")
        plane = form.planes[min(part.plane, len(form.planes) - 1)] or f"plane {part.plane}"
        self.place.setText(f"mip {part.mip}, slice {part.slice:,}, {plane}")
        planes = f" + {part.plane} × {form.mips} × {form.slices}" if part.plane else ""
        self.formula.setText(f"{part.mip} + {part.slice} × {form.mips}{planes}")
        self.formula.setToolTip("index = mip + slice × mips + plane × mips × slices")
        self.steps = arithmetic(form, index)
        self._grid.show_steps(self.steps)
        self._form, self._index = form, index
        for box, extent in ((self.texel_x, part.width), (self.texel_y, part.height)):
            box.setRange(0, min(max(extent - 1, 0), (1 << 31) - 1))
        self._show_texel()
        rules = ", ".join(form.rules)
        texel = form.formats[min(part.plane, len(form.formats) - 1)]
        of = f"Format {texel}. " if texel else ""
        self.rules.setText(f"{of}Rules {rules}." if rules else f"{of}A modelling choice: no rule fixes it.")

    def _texel_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(label("Texel", "second"))
        self.texel_x, self.texel_y = QSpinBox(), QSpinBox()
        for box, name, axis in ((self.texel_x, "texel_x", "across"), (self.texel_y, "texel_y", "down")):
            box.setObjectName(name)
            box.setAccessibleName(f"Texels {axis}")
            box.setFixedWidth(72)
            box.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
            box.valueChanged.connect(self._show_texel)
            row.addWidget(box)
        self.texel = label("", "mono", name="texel_offset")
        row.addWidget(self.texel, 1, Qt.AlignmentFlag.AlignRight)
        return row

    def _show_texel(self) -> None:
        if self._form is None:
            return
        # The models load with the first resource that is shown, not with the window.
        from explorer.sim.texel_place import texel_place

        place = texel_place(self._form, self._index, self.texel_x.value(), self.texel_y.value())
        self.texel.setText("unknown" if place.offset is None else format_address(place.offset))
        self.texel.setToolTip(place.text)

    def results(self) -> dict[str, str]:
        """Return the shown results by name."""
        return self._grid.results()


class WholeCard(QWidget):
    """How large the whole is, by which model, and the steps of the model."""

    def __init__(self) -> None:
        super().__init__()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        self.title = label("The whole", "strong")
        self.figures = label("", "", wrap=True, name="whole_figures")
        self.steps = label("", "small", wrap=True, name="whole_steps")
        self.steps.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        for part in (self.title, self.figures, self.steps):
            layout.addWidget(part)

    def show_form(self, form: Form) -> None:
        """Show a form's sums."""
        layout = form.layout
        self.figures.setText(
            f"{format_bytes(layout.size_bytes)} ({format_exact(layout.size_bytes)}), aligned to {layout.alignment:,} B"
        )
        steps = list(layout.steps[:_MOST_STEPS])
        if len(layout.steps) > _MOST_STEPS:
            steps.append(f"and {len(layout.steps) - _MOST_STEPS} more")
        self.steps.setText("\n".join(steps))
