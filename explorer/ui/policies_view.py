"""The Policies view: the running scenario's references under every eviction policy and a range of budgets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from explorer.core.units import format_bytes
from explorer.errors import Complaint
from explorer.ui.controls import EmptyState, Segmented, SidePanel, label
from explorer.ui.long_work import LongWork
from explorer.ui.policies_bars import BarRow, PolicyBars
from explorer.ui.policies_curves import BudgetCurves, Curve
from explorer.ui.policies_legend import SplitLegend

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent

    from explorer.sim.snapshot import Snapshot
    from explorer.ui.policies_report import LabReport
    from explorer.ui.workspace import Workspace

_RECENT_FRAMES = 100
_MEASURES = ("bytes", "misses")
_RUN = "Run all"


class PoliciesView(QWidget):
    """The policy laboratory of the window.

    Signals:
        policy_chosen: Id of the policy that the running scenario shall switch to.
    """

    policy_chosen = Signal(str)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("policies_view")
        self._workspace = workspace
        self._snapshot: Snapshot | None = None
        self._report: LabReport | None = None
        self._complaint = ""
        self._budget = 0
        self._focused = ""
        self.work = LongWork(self)
        self._make_tools()
        self._make_results()
        self._empty = EmptyState(workspace.theme, name="policies_empty")
        self._lay_out()
        self._connect()
        self._show_state()

    @property
    def report(self) -> LabReport | None:
        """What is shown; None before a run."""
        return self._report

    @property
    def budget(self) -> int:
        """The budget whose bars are shown, bytes."""
        return self._budget

    @Slot(object)
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Follow the running scenario; only its policy and its frame matter here."""
        had, self._snapshot = self._snapshot, snapshot
        self.bars.set_current(self._policy())
        if had is None or had.origin != snapshot.origin or had.provenance.scenario != snapshot.provenance.scenario:
            self._show_state()

    @Slot()
    def run(self) -> None:
        """Record the scenario and run every policy, on a thread of its own."""
        snapshot, document, state = self._snapshot, self._workspace.document, self._workspace.run_state
        if snapshot is None or document.kind != "scenario":
            return
        # Imported here: the window's first paint needs none of the laboratory.
        from explorer.ui.policies_report import answer, question_of

        question = question_of(
            snapshot, document.scenario, document.adapter, document.allocator,
            last=int(self.stream.currentData()), length=state.frames if state is not None else 0,
        )  # fmt: skip
        self._complaint = ""
        self.work.start("Comparing policies: bars and curves come here", partial(answer, question))

    def finish_for_picture(self, wait: Any) -> None:
        """Run to the end before a picture is taken.

        Args:
            wait: Waits until a function returns True.
        """
        if self._report is None:
            self.run()
            wait(lambda: not self.work.is_busy)

    def closeEvent(self, event: QCloseEvent) -> None:
        """End the worker's thread."""
        self.work.close()
        super().closeEvent(event)

    # -- parts

    def _make_tools(self) -> None:
        self.stream, self.budgets = QComboBox(), QComboBox()
        self.stream.setObjectName("policies_stream")
        self.stream.setAccessibleName("Recorded frames")
        self.stream.setToolTip("Which frames are recorded, up to the shown one")
        self.stream.addItem(f"Last {_RECENT_FRAMES}", _RECENT_FRAMES)
        self.stream.addItem("All frames", 0)
        self.budgets.setObjectName("policies_budget")
        self.budgets.setAccessibleName("Budget")
        for choice in (self.stream, self.budgets):
            # As narrow as the dock beside the map; the list that opens is wider.
            choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            choice.setMinimumContentsLength(4)
        self.run_button = QPushButton(_RUN)
        self.run_button.setObjectName("policies_run")
        self.run_button.setProperty("primary", True)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setRange(0, 1000)
        self.doing = label("", "small", name="policies_doing", wrap=True)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setObjectName("policies_cancel")
        self.working = QWidget()
        self.working.setObjectName("policies_working")

    def _make_results(self) -> None:
        theme = self._workspace.theme
        self.measure = Segmented(theme, ("Bytes moved", "Misses"), name="policies_measure")
        self.legend = SplitLegend(theme)
        self.bars, self.curves = PolicyBars(theme), BudgetCurves(theme)
        self.heading = label("", "strong", name="policies_heading", wrap=True)
        self.curves_heading = label("", "strong", name="policies_curves_heading", wrap=True)
        self.card = QFrame()
        self.card.setObjectName("policies_lesson")
        self.card.setProperty("card", True)
        self.claim = label("", "strong", name="lesson_claim", wrap=True)
        self.why = label("", "second", name="lesson_why", wrap=True)
        self.where = label("", "small", name="lesson_where", wrap=True)
        self.hint = label(
            "A click on a policy switches the running scenario to it. Edits that were made by hand are not recorded.",
            "third", name="policies_hint", wrap=True,
        )  # fmt: skip

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        tools.setContentsMargins(10, 8, 10, 8)
        tools.setSpacing(8)
        tools.addWidget(self.stream, 1)
        tools.addWidget(self.budgets, 1)
        tools.addWidget(self.run_button)
        line = QHBoxLayout()
        line.addWidget(self.progress, 1)
        line.addWidget(self.cancel_button)
        waiting = QVBoxLayout(self.working)
        waiting.setContentsMargins(10, 0, 10, 8)
        waiting.addWidget(self.doing)
        waiting.addLayout(line)
        lesson = QVBoxLayout(self.card)
        lesson.setContentsMargins(10, 8, 10, 8)
        lesson.setSpacing(4)
        for part in (self.claim, self.why, self.where):
            lesson.addWidget(part)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 4, 0, 10)
        column.setSpacing(8)
        indented = QVBoxLayout()
        indented.setContentsMargins(10, 0, 10, 0)
        for part in (self.heading, self.measure, self.legend):
            indented.addWidget(part)
        below = QVBoxLayout()
        below.setContentsMargins(10, 0, 10, 0)
        below.setSpacing(8)
        below.addWidget(self.card)
        below.addWidget(self.hint)
        title = QVBoxLayout()
        title.setContentsMargins(10, 4, 10, 0)
        title.addWidget(self.curves_heading)
        column.addLayout(indented)
        column.addWidget(self.bars)
        column.addLayout(title)
        column.addWidget(self.curves)
        column.addLayout(below)
        column.addStretch(1)
        self.results = SidePanel(content, 0)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(tools)
        outer.addWidget(self.working)
        outer.addWidget(self.results, 1)
        outer.addWidget(self._empty, 1)
        self.setFocusProxy(self.run_button)

    def _connect(self) -> None:
        self.run_button.clicked.connect(self.run)
        self.cancel_button.clicked.connect(self.work.cancel)
        self._empty.acted.connect(self.run)
        self.work.started.connect(self._on_started)
        self.work.progressed.connect(self._on_progress)
        self.work.done.connect(self._on_done)
        self.work.failed.connect(self._on_failed)
        self.work.ended.connect(self._show_state)
        self.measure.chosen.connect(self._show_report)
        self.budgets.activated.connect(self._on_budget)
        self.curves.budget_picked.connect(self.choose_budget)
        self.bars.focused.connect(self._on_focused)
        self.bars.chosen.connect(self.policy_chosen)
        self.policy_chosen.connect(self._switch)
        self._workspace.document_changed.connect(self._on_document)

    # -- showing

    @Slot()
    def _show_state(self) -> None:
        """Show results, progress or what is missing."""
        busy, has = self.work.is_busy, self._report is not None
        can_run = self._snapshot is not None and self._workspace.document.kind == "scenario"
        self.working.setVisible(busy)
        self.results.setVisible(has)
        self._empty.setVisible(not has)
        self.run_button.setEnabled(can_run and not busy)
        self.stream.setEnabled(can_run and not busy)
        self.budgets.setEnabled(has)
        if not has:
            self._say_empty(busy)

    def _say_empty(self, busy: bool) -> None:
        snapshot = self._snapshot
        if busy:
            self._empty.say("The frames are run once more to record them", "Then every policy runs over the recording.")
        elif self._complaint:
            self._empty.say("Nothing was compared", self._complaint, _RUN)
        elif snapshot is None:
            self._empty.say("Nothing is open", "Open a scenario to run its references under every policy.")
        elif self._workspace.document.kind != "scenario":
            self._empty.say("A layout from a file has no references", "Open a scenario: it uses its resources.")
        else:
            self._empty.say(
                "No policy was compared yet",
                "The frames are recorded, and every policy runs over them under a range of budgets.",
                _RUN,
            )

    @Slot()
    def _show_report(self) -> None:
        report = self._report
        if report is None:
            return
        from explorer.ui.policies_report import lesson

        measure = _MEASURES[self.measure.current]
        by_bytes = measure == "bytes"
        question = report.question
        last = question.first_frame + question.frames
        self.heading.setText(
            f"{'Moved' if by_bytes else 'Missed'} in frames {question.first_frame:,} – {last:,}, "
            f"{report.result.requests:,} references to {report.result.objects:,} objects"
        )
        self.legend.show_words(
            ("no policy can avoid", "avoidable") if by_bytes else ("Belady misses too", "only this policy misses")
        )
        self._show_bars(report, measure)
        self.curves_heading.setText("Moved against the budget" if by_bytes else "Misses against the budget")
        self._show_curves()
        found = lesson(report, self._budget, self._policy())
        self.claim.setText(found.claim)
        self.why.setText(found.why)
        self.where.setText(found.where)
        self.where.setVisible(bool(found.where))

    def _show_bars(self, report: LabReport, measure: str) -> None:
        from explorer.ui.policies_report import NAMES, SWITCHABLE

        by_bytes = measure == "bytes"
        reference = report.reference(self._budget, measure)
        first = BarRow("", "Bound" if by_bytes else "Belady", reference, self._say(reference),
                       "bound" if by_bytes else "best",
                       "The fewest bytes that any policy can fetch, objects divisible"
                       if by_bytes else "Evicts what is used again last: needs to know the future")  # fmt: skip
        rows = [first]
        for row in report.ranked(self._budget, measure):
            if row.policy == "belady" and not by_bytes:
                continue
            value = report.value(row, measure)
            can_switch = row.policy in SWITCHABLE
            stall = "" if row.stall_ns is None else f", {row.stall_ns / 1e6:,.0f} ms est."
            tip = (
                f"{NAMES[row.policy]}: {row.misses:,} misses ({row.miss_ratio:.1%}), "
                f"{format_bytes(row.fetched_bytes)} moved{stall}, {row.evictions:,} evictions"
            )
            if not can_switch:
                tip += ". It needs to know the future: it runs here only."
            ratio = f"{value / reference:.2f} ×" if reference else "none"
            rows.append(BarRow(row.policy, NAMES[row.policy], value, self._say(value), ratio, tip, can_switch))
        to = "to bound" if by_bytes else "to best"
        self.bars.show_rows(("Policy", "", "moved" if by_bytes else "misses", to), rows, reference)

    def _show_curves(self) -> None:
        """Show the reference, the policy of the scenario, the best, the worst, and the one that is looked at."""
        report = self._report
        if report is None:
            return
        from explorer.ui.policies_report import NAMES, SWITCHABLE

        measure = _MEASURES[self.measure.current]
        ranked = [row.policy for row in report.ranked(self._budget, measure) if row.policy in SWITCHABLE]
        chosen = {self._policy(): "used", ranked[0]: "page_in", ranked[-1]: "evict"}
        if self._focused:
            chosen.setdefault(self._focused, "upload")
        shown = [Curve("Bound" if measure == "bytes" else "Belady", "", report.curve(None, measure))]
        for policy, token in chosen.items():
            if policy in NAMES:
                shown.append(Curve(NAMES[policy], token, report.curve(policy, measure)))
        now = "now, " if self._budget == report.budget_bytes else ""
        self.curves.show_curves(shown, self._budget, f"{now}{format_bytes(self._budget)}", self._say)

    def _fill_budgets(self, report: LabReport) -> None:
        with QSignalBlocker(self.budgets):
            self.budgets.clear()
            for budget in report.budgets:
                self.budgets.addItem(format_bytes(budget), budget)

    def _say(self, value: int) -> str:
        return format_bytes(value) if _MEASURES[self.measure.current] == "bytes" else f"{value:,}"

    def _policy(self) -> str:
        return "" if self._snapshot is None else self._snapshot.provenance.options.get("policy", "")

    # -- reactions

    @Slot(object)
    def choose_budget(self, budget: int) -> None:
        """Show the bars of one of the report's budgets."""
        report = self._report
        if report is None or budget not in report.budgets:
            return
        self._budget = budget
        with QSignalBlocker(self.budgets):
            self.budgets.setCurrentIndex(report.budgets.index(budget))
        self._show_report()

    @Slot(int)
    def _on_budget(self, index: int) -> None:
        self.choose_budget(int(self.budgets.itemData(index)))

    @Slot(str)
    def _on_focused(self, policy: str) -> None:
        self._focused = policy
        self._show_curves()

    @Slot(str)
    def _on_started(self, text: str) -> None:
        self.doing.setText(text)
        self.progress.setValue(0)
        self._show_state()

    @Slot(float)
    def _on_progress(self, share: float) -> None:
        self.progress.setValue(round(share * 1000))

    @Slot(object)
    def _on_done(self, report: LabReport | None) -> None:
        if report is not None:
            self._report = report
            self._fill_budgets(report)
            self.choose_budget(report.budget_bytes)
        self._show_state()

    @Slot(object)
    def _on_failed(self, why: object) -> None:
        if isinstance(why, Complaint):
            self._complaint = f"{why.message[:1].upper()}{why.message[1:]}."
            self._show_state()
            return
        text = str(why).strip()
        self._complaint = "The laboratory stopped. The running scenario is not touched."
        self._show_state()
        self._workspace.tell(
            "error",
            f"The laboratory stopped: {text.splitlines()[-1] if text else 'unknown error'}. This is a bug of the "
            "product; the running scenario is not touched. Copy the details for a report.",
            detail=text,
        )

    @Slot(str)
    def _switch(self, policy: str) -> None:
        if self._workspace.is_live and policy != self._policy():
            self._workspace.controller.set_option("policy", policy)

    @Slot(object)
    def _on_document(self, _document: object) -> None:
        """Another document: what was found is about the last one."""
        self.work.cancel()
        self._report, self._complaint = None, ""
        self._snapshot = None
        self._show_state()
