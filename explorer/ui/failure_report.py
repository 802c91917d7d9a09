"""What a refused allocation is told: asked, free, largest hole, who stands in the way, what would help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from explorer.core.units import format_bytes, format_exact
from explorer.ui.controls import label
from explorer.ui.facts import Fact, FactsGrid

if TYPE_CHECKING:
    from explorer.device.outcome import Outcome
    from explorer.sim.commands import Answer
    from explorer.sim.snapshot import Snapshot
    from explorer.sim.why import WhyAnswer
    from explorer.sim.why_failure import FailureReport
    from explorer.ui.workspace import Workspace

_REQUEST = -2
"""Number of this module's questions; the controller's own numbers are above 0."""

_WIDTH_PX = 460


def report_facts(report: FailureReport) -> list[Fact]:
    """Return the report as lines."""
    alignment = f"aligned to {format_exact(report.alignment)}" if report.alignment > 1 else ""
    missing = max(report.requested_bytes - report.free_bytes, 0)
    holes = "any free pages do" if report.is_paged else f"{report.holes:,} holes, {report.holes_too_small:,} too small"
    facts = [
        Fact("Asked", format_bytes(report.requested_bytes), note=alignment, tip=format_exact(report.requested_bytes)),
        Fact("In", report.place, note=format_bytes(report.size_bytes)),
        Fact("Free", format_bytes(report.free_bytes), note=f"{format_bytes(missing)} missing" if missing else "enough",
             tip=format_exact(report.free_bytes)),
        Fact("Largest hole", format_bytes(report.largest_hole_bytes), note=holes,
             tip=format_exact(report.largest_hole_bytes)),
        Fact("First blocker", report.blocker or "none", note="behind the largest hole" if report.blocker else ""),
    ]  # fmt: skip
    if report.fits_now:
        return [*facts, Fact("Now", "it would fit as things stand")]
    verdict = "it fits" if report.best_fits else "not enough"
    one = (
        f"{report.best} leaves {format_bytes(report.best_hole_bytes)}: {verdict}"
        if report.best
        else "nothing can leave"
    )
    facts.append(Fact("One eviction", one, tip=f"{report.best} holds {format_exact(report.best_bytes)}"))
    if report.is_paged:
        facts.append(Fact("Defragmentation", "gains nothing", note="pages need not be neighbours"))
    else:
        verdict = "it fits" if report.packed_fits else "not enough"
        facts.append(Fact("Defragmentation", f"one hole of {format_bytes(report.packed_hole_bytes)}: {verdict}"))
    return facts


class FailureDialog(QDialog):
    """The report of one refused request."""

    def __init__(self, workspace: Workspace, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("failure_report")
        self.setWindowTitle("No room")
        self._workspace = workspace
        self._blocker = self._best = ""
        self.headline = label("", "title", wrap=True, name="failure_title")
        self.sentence = label("", "second", wrap=True, name="failure_text")
        self.grid = FactsGrid(104)
        self.grid.link_wanted.connect(workspace.rule_requested)
        self.note = label("", "small", wrap=True, name="failure_note")
        self._show_blocker = QPushButton("Select the blocker")
        self._show_blocker.setObjectName("failure_blocker")
        self._show_best = QPushButton("Select what could leave")
        self._show_best.setObjectName("failure_best")
        close = QPushButton("Close")
        close.setObjectName("failure_close")
        close.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(10)
        for part in (self.headline, self.sentence, self.grid, self.note):
            layout.addWidget(part)
        layout.addStretch(1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self._show_blocker)
        buttons.addWidget(self._show_best)
        buttons.addStretch(1)
        buttons.addWidget(close)
        layout.addLayout(buttons)
        self.resize(workspace.theme.scaled(_WIDTH_PX), workspace.theme.scaled(320))
        self._show_blocker.clicked.connect(self._select_blocker)
        self._show_best.clicked.connect(self._select_best)
        close.clicked.connect(self.close)

    def show_why(self, why: WhyAnswer) -> None:
        """Show an answer that has a failure report."""
        report, failed = why.failure, why.failed
        self.headline.setText(f"{why.name} found no room")
        self.sentence.setText(failed.text)
        facts = report_facts(report) if report is not None else [Fact("Range", "unknown")]
        if failed.reason is not None:
            facts.append(Fact("Rule", failed.reason.rule, mono=True, tip=failed.reason.source, link=failed.reason.rule))
        self.grid.show_facts(facts)
        self.note.setText(f"The range is looked at as it is in frame {why.frame:,}.")
        self._blocker = report.blocker if report is not None and report.blocker_resource >= 0 else ""
        self._best = report.best if report is not None and report.best_resource >= 0 else ""
        self._show_blocker.setVisible(bool(self._blocker))
        self._show_best.setVisible(bool(self._best) and self._best != self._blocker)

    @Slot()
    def _select_blocker(self) -> None:
        self._select(self._blocker)

    @Slot()
    def _select_best(self) -> None:
        self._select(self._best)

    def _select(self, name: str) -> None:
        snapshot = self._workspace.snapshot
        if snapshot is not None and name in snapshot.resources.names:
            self._workspace.select((snapshot.resources.names.index(name),))


class FailureReporter(QObject):
    """Opens the report when an allocation of the user is refused for lack of room.

    Args:
        view: The widget whose window the dialog belongs to.
        workspace: State of the window.
    """

    def __init__(self, view: QWidget, workspace: Workspace) -> None:
        super().__init__(view)
        self._view, self._workspace = view, workspace
        self.dialog: FailureDialog | None = None
        workspace.answered.connect(self._on_answered)

    def report(self, name: str, outcome: Outcome | None = None) -> None:
        """Ask for the report of a refused name.

        Args:
            name: Name of what was to be made, or of what a draw needed.
            outcome: The refused call, for its alignment.
        """
        from explorer.sim.commands import AskWhy

        if self._workspace.is_live:
            record = outcome.record if outcome is not None else None
            self._workspace.controller.post(AskWhy(name, _REQUEST, record))

    def report_last(self, snapshot: Snapshot) -> None:
        """Ask for the report of the last refusal among a snapshot's events."""
        for event in reversed(snapshot.events):
            if event.kind.value == "refused" and event.rule.startswith("alloc."):
                self.report(event.subject)
                return

    @Slot(object)
    def _on_answered(self, answer: Answer) -> None:
        if answer.request == _REQUEST and answer.why is not None:
            self._show(answer.why)
            return
        for outcome in answer.outcomes:
            refused = next((e for e in outcome.events if e.kind.value == "refused"), None)
            if not outcome.succeeded and refused is not None and refused.rule.startswith("alloc."):
                self.report(refused.subject, outcome)
                return

    def _show(self, why: WhyAnswer) -> None:
        if why.failure is None:
            # Its range is gone, or the run went back to before it was asked for.
            self._workspace.tell("info", f"{why.name}: nothing of this name was refused up to frame {why.frame:,}.")
            return
        if self.dialog is None:
            self.dialog = FailureDialog(self._workspace, self._view.window())
            self.dialog.setWindowModality(Qt.WindowModality.NonModal)
        self.dialog.show_why(why)
        self.dialog.show()
        self.dialog.raise_()
