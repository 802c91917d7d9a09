"""The Advisor view: what could be better in the shown state, the gravest first, each with its numbers and rule."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.ui.advisor_rows import AdviceRow
from explorer.ui.controls import EmptyState, SidePanel
from explorer.ui.failure_report import FailureReporter

if TYPE_CHECKING:
    from explorer.sim.advisor import Advice, Advisor
    from explorer.sim.snapshot import Snapshot
    from explorer.ui.workspace import Workspace

_REFRESH_MS = 400


class AdvisorView(QWidget):
    """A list of advice.

    Signals:
        count_changed: How many pieces of advice ask for attention.
    """

    count_changed = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("advisor_view")
        self._workspace = workspace
        self._advisor: Advisor | None = None
        self._waiting: Snapshot | None = None
        self._names: tuple[str, ...] = ()
        self._rows: list[AdviceRow] = []
        self.advice: tuple[Advice, ...] = ()
        self.reporter = FailureReporter(self, workspace)
        self._empty = EmptyState(workspace.theme, name="advisor_empty")
        self._empty.say("Nothing is open", "Open a scenario or a file: what could be better in it is listed here.")
        body = QWidget()
        self._list = QVBoxLayout(body)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(0)
        self._list.addStretch(1)
        self._area = SidePanel(body, 0)
        self._area.setObjectName("advisor_list")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._empty)
        layout.addWidget(self._area)
        self._area.hide()
        self._refresh = QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(_REFRESH_MS)
        self._refresh.timeout.connect(self._show_waiting)

    @Slot(object)
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Look at a newer snapshot, a few times a second at most."""
        self._waiting = snapshot
        if self.isVisible() and not self._refresh.isActive():
            self._show_waiting()
            self._refresh.start()

    def showEvent(self, event: object) -> None:
        """Catch up with what came while hidden."""
        self._show_waiting()

    def rows(self) -> tuple[AdviceRow, ...]:
        """Return the shown rows."""
        return tuple(self._rows[: len(self.advice)])

    @Slot()
    def _show_waiting(self) -> None:
        snapshot, self._waiting = self._waiting, None
        if snapshot is None:
            return
        from explorer.sim.advisor import Advisor
        from explorer.sim.advisor_facts import Facts
        from explorer.sim.advisor_habits import habits

        if self._advisor is None:
            self._advisor = Advisor()
        found = self._advisor.advise(snapshot)
        self._names = snapshot.resources.names
        api = Facts(snapshot).api if snapshot.origin == "simulated" else ""
        self.advice = (*found, *habits(api))
        self._fill()
        count = sum(advice.look in ("error", "warn") for advice in found)
        self.count_changed.emit(count)

    def _fill(self) -> None:
        for index, advice in enumerate(self.advice):
            if index == len(self._rows):
                row = AdviceRow(self._workspace.theme)
                row.picked.connect(partial(self._pick, index))
                row.rule_wanted.connect(self._workspace.rule_requested)
                self._rows.append(row)
                self._list.insertWidget(index, row)
            self._rows[index].show_advice(advice)
            self._rows[index].show()
        for row in self._rows[len(self.advice) :]:
            row.hide()
        self._area.setVisible(bool(self.advice))
        self._empty.setVisible(not self.advice)
        if not self.advice:
            self._empty.say("No advice", "No rule of the advisor finds anything in this state.")

    def _pick(self, index: int) -> None:
        """Select what a row is about; the one about refusals opens the report of the last one."""
        advice = self.advice[index]
        snapshot = self._workspace.snapshot
        if snapshot is None:
            return
        if advice.id == "refused":
            self.reporter.report_last(snapshot)
        wanted = [self._names[row] for row in advice.resources]
        # The advice may be a few frames old: the same names may be elsewhere in the table by now.
        index_of = {name: row for row, name in enumerate(snapshot.resources.names)} if wanted else {}
        rows = [index_of[name] for name in wanted if name in index_of]
        if rows:
            self._workspace.select(rows)
