"""The failure report's lines, and the Inspector's answers to why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QPushButton

from explorer.sim.commands import Seek
from explorer.sim.why_failure import FailureReport
from explorer.ui.failure_report import FailureDialog, report_facts

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from explorer.ui.main_window import MainWindow

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

MIB = 1 << 20
HOLES = FailureReport(
    place="local", is_paged=False, requested_bytes=16 * MIB, alignment=4096, size_bytes=64 * MIB, free_bytes=20 * MIB,
    largest_hole_bytes=8 * MIB, holes=5, holes_too_small=5, fits_now=False, blocker="Wall 03", blocker_resource=3,
    best="Wall 04", best_resource=4, best_bytes=9 * MIB, best_hole_bytes=18 * MIB, best_fits=True,
    packed_hole_bytes=20 * MIB, packed_fits=True,
)  # fmt: skip
PAGED = FailureReport(
    place="video", is_paged=True, requested_bytes=16 * MIB, alignment=1, size_bytes=64 * MIB, free_bytes=4 * MIB,
    largest_hole_bytes=4 * MIB, holes=0, holes_too_small=0, fits_now=False,
)  # fmt: skip


def test_that_a_report_says_what_was_asked_and_what_would_help() -> None:
    facts = {fact.name: f"{fact.value} {fact.note}" for fact in report_facts(HOLES)}
    assert "16.0 MiB" in facts["Asked"]
    assert "4,096 B" in facts["Asked"]
    assert "enough" in facts["Free"]
    assert "8.0 MiB" in facts["Largest hole"]
    assert "Wall 03" in facts["First blocker"]
    assert "Wall 04" in facts["One eviction"]
    assert "it fits" in facts["One eviction"]
    assert "20.0 MiB" in facts["Defragmentation"]


def test_that_pages_gain_nothing_by_a_defragmentation() -> None:
    facts = {fact.name: f"{fact.value} {fact.note}" for fact in report_facts(PAGED)}
    assert "12.0 MiB missing" in facts["Free"]
    assert "gains nothing" in facts["Defragmentation"]
    assert "nothing can leave" in facts["One eviction"]


def test_that_the_report_selects_the_blocker(qtbot: QtBot, live: MainWindow) -> None:
    dialog = FailureDialog(live.workspace, live)
    dialog._blocker = "Wall 003"
    button = dialog.findChild(QPushButton, "failure_blocker")
    button.click()
    names = live.workspace.snapshot.resources.names
    assert [names[row] for row in live.workspace.selection] == ["Wall 003"]
    dialog.close()


def test_that_the_inspector_answers_why(qtbot: QtBot, live: MainWindow) -> None:
    live.show_view("inspector")
    live.workspace.controller.post(Seek(60))
    qtbot.waitUntil(lambda: live.workspace.snapshot.provenance.frame == 60, timeout=9000)
    snapshot = live.workspace.snapshot
    event = next(e for e in reversed(snapshot.events) if e.kind.value == "evicted")
    live.workspace.select((snapshot.resources.names.index(event.subject),))
    why: Any = live.views["inspector"].why
    qtbot.waitUntil(lambda: why.answer is not None and why.answer.name == event.subject, timeout=9000)
    facts = {fact.name: fact for fact in why.answers.facts if fact.name}
    assert {"Why here", "Why evicted", "Why failed"} == set(facts)
    assert "made way for" in facts["Why evicted"].value
    rules = [fact.link for fact in why.answers.facts if fact.link]
    assert why.answer.evicted.event.rule in rules
    assert set(rules) <= {"d3d9.R5.3", "d3d9.R5.5", "d3d9.R5.7"}
    notes = [fact.note for fact in why.answers.facts if fact.link]
    assert f"event {why.answer.evicted.event.number:,}" in notes
    assert "events" in why.right.text()
    assert why.events.facts[0].name.startswith("Frame")


def test_that_several_resources_have_no_single_answer(qtbot: QtBot, live: MainWindow) -> None:
    live.show_view("inspector")
    live.workspace.select((0, 1))
    why: Any = live.views["inspector"].why
    assert "select one resource" in why.answers.facts[0].value


def test_that_a_step_by_event_stops_where_something_happened(qtbot: QtBot, live: MainWindow) -> None:
    before = sum(live.workspace.snapshot.event_counts.values())
    live.actions_set["step_event"].trigger()
    qtbot.waitUntil(lambda: sum(live.workspace.snapshot.event_counts.values()) > before, timeout=9000)
    assert live.workspace.snapshot.events[-1].kind.value != "presented"
    assert not live.workspace.run_state.playing


def test_that_a_refused_event_opens_the_report_of_what_found_no_room(qtbot: QtBot, window: MainWindow) -> None:
    window.opener.open_scenario("d3d9-mixed-pools", play=False)
    qtbot.waitUntil(lambda: window.workspace.run_state is not None, timeout=9000)
    window.workspace.controller.post(Seek(151))
    window.show_view("events")
    view = window.views["events"]
    qtbot.waitUntil(lambda: any(e.kind.value == "refused" for e in view.model.shown), timeout=15000)
    row = next(i for i, event in enumerate(view.model.shown) if event.kind.value == "refused")
    event = view.model.shown[row]
    view.table.clicked.emit(view.model.index(row, 0))
    reporter = window.views["advisor"].reporter
    qtbot.waitUntil(lambda: reporter.dialog is not None and reporter.dialog.isVisible(), timeout=9000)
    assert reporter.dialog.headline.text() == f"{event.subject} found no room"
    facts = {fact.name: fact for fact in reporter.dialog.grid.facts}
    assert {"Asked", "Free", "Largest hole", "First blocker", "One eviction", "Defragmentation", "Rule"} <= set(facts)
    assert facts["Asked"].tip == f"{event.size_bytes:,} B"
    assert facts["Rule"].value == event.rule
    reporter.dialog.close()


def test_that_a_report_without_a_refusal_says_so(qtbot: QtBot, live: MainWindow) -> None:
    live.views["advisor"].reporter.report(live.workspace.snapshot.resources.names[0])
    qtbot.waitUntil(lambda: "nothing of this name was refused" in live.messages.text(), timeout=9000)
