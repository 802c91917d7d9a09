"""The Inspector: the selected resource, always in the same order: placement, description, access, residency, call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from explorer.core.calls import encode_record
from explorer.core.kinds import BlockState
from explorer.core.units import format_bytes, format_exact
from explorer.ui import inspector_facts
from explorer.ui.controls import ElidedLabel, EmptyState, Pill, SidePanel, label
from explorer.ui.facts import Fact, FactsGrid, Section
from explorer.ui.failure_report_why import WhySection
from explorer.ui.inspector_strip import ResidencyStrip
from explorer.ui.resource_rows import KIND_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.calls import CallRecord
    from explorer.device.outcome import Preview
    from explorer.sim.snapshot import Snapshot
    from explorer.ui.workspace import Workspace

_REFRESH_MS = 100
_ASKER = "inspect"
_PROBE = "(access)"
"""Name under which a call is asked about again; no object is made."""


class InspectorView(QWidget):
    """Everything about the selection."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("inspector_view")
        self._workspace = workspace
        theme = workspace.theme
        self._empty = EmptyState(theme, name="inspector_empty")
        self._empty.say("Nothing is selected", "Click a block on the map or a row of Resources.")
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(12, 10, 12, 12)
        layout.setSpacing(10)
        self._title = ElidedLabel("", "title", Qt.TextElideMode.ElideMiddle, name="inspector_title")
        self._line = label("", "small", wrap=True, name="inspector_line")
        self._pills = [Pill(theme) for _ in range(4)]
        pills = QHBoxLayout()
        pills.setSpacing(6)
        for pill in self._pills:
            pills.addWidget(pill)
        pills.addStretch(1)
        head = QVBoxLayout()
        head.setSpacing(5)
        head.addWidget(self._title)
        head.addWidget(self._line)
        head.addLayout(pills)
        layout.addLayout(head)
        self._grids: dict[str, FactsGrid] = {}
        self._sections: dict[str, Section] = {}
        self._add_sections(layout)
        layout.addStretch(1)
        self._area = SidePanel(body, 12)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._empty)
        outer.addWidget(self._area)
        self._area.hide()
        self._refresh = QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(_REFRESH_MS)
        self._refresh.timeout.connect(self._show)
        self._access: Preview | None = None
        self._access_of: CallRecord | None = None
        workspace.selection_changed.connect(self._on_selection)
        workspace.controller.previewed.connect(self._on_previewed)

    def _add_sections(self, layout: QVBoxLayout) -> None:
        for name in ("Placement", "Description", "Access and cost", "Residency", "Created by"):
            section, grid = Section(name), FactsGrid(88)
            section.body.addWidget(grid)
            grid.link_wanted.connect(self._workspace.rule_requested)
            self._sections[name], self._grids[name] = section, grid
            layout.addWidget(section)
        self.why = WhySection(self._workspace)
        self.why.rule_wanted.connect(self._workspace.rule_requested)
        # Behind Residency, before the call that made it.
        layout.insertWidget(layout.indexOf(self._sections["Created by"]), self.why)
        self.strip = ResidencyStrip(self._workspace.theme)
        self._sections["Residency"].body.insertWidget(0, self.strip)
        self._call = label("", "mono", wrap=True, name="inspector_call")
        self._call.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._sections["Created by"].body.insertWidget(0, self._call)

    @Slot(object)
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the selection in a newer snapshot, a few times a second at most."""
        if self.isVisible() and not self._refresh.isActive():
            self._refresh.start()

    def facts(self, section: str) -> Mapping[str, str]:
        """Return the shown lines of a section by name."""
        return {fact.name: fact.value for fact in self._grids[section].facts}

    def title_text(self) -> str:
        """Return the shown title; empty while nothing is selected."""
        return self._title.text() if not self._area.isHidden() else ""

    def showEvent(self, event: object) -> None:
        """Catch up with what came while hidden."""
        self._show()

    @Slot(object)
    def _on_selection(self, _selection: object) -> None:
        if self.isVisible():
            self._show()

    @Slot()
    def _show(self) -> None:
        snapshot, chosen = self._workspace.snapshot, self._workspace.selection
        something = snapshot is not None and bool(chosen)
        self._empty.setVisible(not something)
        self._area.setVisible(something)
        if snapshot is None or not chosen:
            return
        if len(chosen) > 1:
            self._show_many(snapshot, chosen)
        else:
            self._show_one(snapshot, next(iter(chosen)))

    def _show_many(self, snapshot: Snapshot, chosen: tuple[int, ...]) -> None:
        rows = np.asarray(chosen, np.int64)
        table = snapshot.resources
        self._title.setText(f"{len(chosen):,} resources")
        total = int(table.size[rows].sum())
        self._line.setText(f"{format_bytes(total)} ({format_exact(total)})")
        resident = int(table.resident[rows].sum())
        self._show_pills([(f"{resident:,} resident", "ok"), (f"{len(chosen) - resident:,} evicted", "plain")])
        kinds = np.bincount(table.kind[rows], minlength=len(KIND_WORDS))
        largest = rows[np.argsort(-table.size[rows], kind="stable")[:6]]
        self._grids["Placement"].show_facts(
            [Fact(table.names[i], format_bytes(int(table.size[i]))) for i in largest.tolist()]
        )
        self._grids["Description"].show_facts(
            [Fact(KIND_WORDS[i], f"{int(count):,}") for i, count in enumerate(kinds) if count]
        )
        for name in ("Access and cost", "Residency", "Created by"):
            self._grids[name].show_facts([Fact("Several", "select one resource to see this")])
        self.strip.hide()
        self._sections["Residency"].right.setText("")
        self.why.show_nothing("select one resource to see this")
        self._call.setText("")

    def _show_one(self, snapshot: Snapshot, row: int) -> None:
        table = snapshot.resources
        kind = KIND_WORDS[int(table.kind[row])]
        place = table.places[int(table.place[row])] or "placed by the runtime"
        self._title.setText(table.names[row])
        created = int(table.created_frame[row])
        made = f"created in frame {created:,}" if snapshot.origin == "simulated" else "imported"
        self._line.setText(f"{kind} · {place} · {made}")
        blocks = np.flatnonzero(snapshot.blocks.resource == row)
        self._show_state(snapshot, row, blocks.tolist())
        self._grids["Placement"].show_facts(inspector_facts.placement(snapshot, row))
        self._grids["Description"].show_facts(inspector_facts.description(snapshot, row))
        record = table.records[row]
        self._ask_access(record, snapshot)
        self._grids["Residency"].show_facts(inspector_facts.residency(snapshot, row))
        self._sections["Residency"].right.setText(self.strip.show_resource(snapshot, row))
        self.why.show_name(table.names[row], snapshot.provenance.frame)
        self._show_call(record, snapshot)

    def _show_state(self, snapshot: Snapshot, row: int, blocks: list[int]) -> None:
        word = inspector_facts.residency_word(snapshot, row)
        words = [(word, {"resident": "ok", "lost": "error"}.get(word, "plain"))]
        state = 0
        for block in blocks:
            state |= int(snapshot.blocks.state[block])
        if state & BlockState.ALIASED:
            words.append(("inactive" if state & BlockState.INACTIVE else "aliased", "warn"))
        if state & BlockState.DIRTY:
            words.append(("dirty", "warn"))
        if state & BlockState.USED_THIS_FRAME:
            words.append((f"used in frame {snapshot.provenance.frame:,}", "plain"))
        self._show_pills(words)

    def _ask_access(self, record: CallRecord | None, snapshot: Snapshot) -> None:
        """Ask the device what a resource like this one may be used for; the answer holds for its description."""
        known = self._access if record is not None and record == self._access_of else None
        self._grids["Access and cost"].show_facts(inspector_facts.access(known, snapshot))
        self._sections["Access and cost"].right.setText("estimate" if known is not None and known.access else "")
        if record is None or record == self._access_of or not self._workspace.is_live:
            return
        self._access_of, self._access = record, None
        self._workspace.controller.preview(replace(record, out=_PROBE), _ASKER)

    @Slot(str, object)
    def _on_previewed(self, asker: str, preview: Preview) -> None:
        if asker == _ASKER:
            self._access = preview
            self._show()

    def _show_pills(self, words: list[tuple[str, str]]) -> None:
        for index, pill in enumerate(self._pills):
            text, look = words[index] if index < len(words) else ("", "plain")
            pill.show_text(text, look)

    def _show_call(self, record: CallRecord | None, snapshot: Snapshot) -> None:
        if record is None:
            self._call.setText("")
            name = snapshot.provenance.file or "the file"
            self._grids["Created by"].show_facts([Fact("Call", "unknown"), Fact("Why", f"{name} holds no calls")])
            return
        self._call.setText(f"{record.api} {record.call}")
        data = encode_record(record)["input"]
        self._grids["Created by"].show_facts(inspector_facts.call_facts(data if isinstance(data, dict) else {}))
