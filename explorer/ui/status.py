"""The status bar: run state, frames/s, policy, allocator, selection; at the right what is under the cursor, units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QStatusBar, QWidget

from explorer.core.units import format_bytes, format_exact
from explorer.ui.controls import ElidedLabel, label, set_property

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot
    from explorer.ui.workspace import Workspace


class _StateDot(QWidget):
    """A dot beside the word, never instead of it."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.token = "text3"
        self.setFixedSize(14, 14)
        workspace.theme.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._workspace.theme.colour(self.token))
        painter.setBrush(self._workspace.theme.colour(self.token))
        painter.drawEllipse(QRectF(5, 4, 6, 6))


class StatusLine(QStatusBar):
    """The status bar of the window."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.setSizeGripEnabled(False)
        self.setContentsMargins(0, 0, 8, 0)
        self._dot = _StateDot(workspace)
        self._run = label("Stopped", name="run_state")
        self._rate = label("", name="status_rate")
        self._policy = label("", name="status_policy")
        self._allocator = label("", name="status_allocator")
        self._selected = label("", name="status_selected")
        self._hover = ElidedLabel("", "mono2", Qt.TextElideMode.ElideMiddle, name="status_hover")
        # As wide as its text while there is room: a long name must not push out what stands beside it.
        self._hover.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._units = label("", name="status_units")
        self._note = self._make_note()
        for part in (self._dot, self._run, self._rate, self._policy, self._allocator, self._selected):
            self.addWidget(part)
        for part in (self._hover, self._units, self._note):
            self.addPermanentWidget(part)
        workspace.selection_changed.connect(self._show_selection)
        workspace.units_changed.connect(self._show_units)
        self._show_units()

    def _make_note(self) -> QPushButton:
        note = QPushButton("Times are estimates")
        note.setObjectName("status_note")
        note.setToolTip("How a frame's time is estimated: the formulae, each with its source")
        note.setFlat(True)
        note.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        note.setCursor(Qt.CursorShape.PointingHandCursor)
        set_property(note, "flat_link", True)
        note.clicked.connect(self._show_costs)
        return note

    @Slot()
    def _show_costs(self) -> None:
        self._workspace.rule_requested.emit("cost.frame")

    @Slot()
    def show_state(self) -> None:
        """Show how the loop stands."""
        state, workspace = self._workspace.run_state, self._workspace
        if workspace.document.kind == "file":
            word, token = "Imported", "text3"
        elif not workspace.controller.is_running:
            word, token = "Stopped", "error"
        elif workspace.is_loading:
            word, token = "Loading", "info"
        elif state is not None and state.playing:
            word, token = "Running", "ok"
        elif state is not None and state.frames and state.frame >= state.frames:
            word, token = "At the end", "text3"
        else:
            word, token = "Paused", "text3"
        self._run.setText(word)
        if token != self._dot.token:
            self._dot.token = token
            self._dot.update()
        rate = state.frames_per_second if state is not None and state.playing else 0.0
        self._rate.setText(f"{rate:,.1f} frames/s" if rate else "")

    @Slot(object)
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the options in force."""
        options = snapshot.provenance.options
        for part, name in ((self._policy, "policy"), (self._allocator, "allocator")):
            text = f"{name.capitalize()} {options[name]}" if name in options else ""
            if text != part.text():
                part.setText(text)
        self._show_selection()

    @Slot(object)
    def show_hover(self, text: object) -> None:
        """Show what is under the cursor on the map."""
        self._hover.setText(str(text) if text else "")

    @Slot()
    def _show_selection(self) -> None:
        snapshot, chosen = self._workspace.snapshot, self._workspace.selection
        text = ""
        if snapshot is not None and chosen:
            total = int(snapshot.resources.size[np.asarray(chosen, np.int64)].sum())
            size = format_exact(total) if self._workspace.units == "bytes" else format_bytes(total, 2)
            text = f"Selected {len(chosen):,} · {size}"
        if text != self._selected.text():
            self._selected.setText(text)

    @Slot()
    def _show_units(self) -> None:
        self._units.setText("Units bytes" if self._workspace.units == "bytes" else "Units KiB, MiB")
        self._show_selection()
