"""The Advisor view: two lines for each piece of advice, a click selects, a link opens the rule."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from explorer.sim.advisor_habits import habits
from explorer.sim.scenarios import load_simulation
from explorer.ui.advisor_view import AdvisorView
from tests.ui.builders import make_snapshot

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from explorer.sim.snapshot import Snapshot
    from explorer.ui.main_window import MainWindow
    from explorer.ui.workspace import Workspace

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
PAGING = "d3d9-shooter-2003-agp-64mb"


@pytest.fixture(scope="module")
def paging() -> Snapshot:
    simulation = load_simulation(PAGING)
    simulation.step(120)
    return simulation.snapshot()


@pytest.fixture
def view(qtbot: QtBot, workspace: Workspace) -> AdvisorView:
    made = AdvisorView(workspace)
    qtbot.addWidget(made)
    made.resize(380, 300)
    made.show()
    qtbot.waitExposed(made)
    return made


def show(view: AdvisorView, snapshot: Snapshot) -> None:
    """Show a snapshot on the view as the window would."""
    view._workspace.show_file(dataclasses.replace(view._workspace.document, kind="file", name="x"), snapshot)
    view.show_snapshot(snapshot)
    view._show_waiting()


def test_that_advice_has_a_pill_a_claim_and_its_numbers(view: AdvisorView, paging: Snapshot) -> None:
    show(view, paging)
    row = next(row for row in view.rows() if row.advice is not None and row.advice.id == "no-priorities")
    name = row.accessibleName()
    assert name.startswith("priority: ")
    assert "evictions" in name
    assert row.height() <= 3 * row.fontMetrics().height() + 24, "two lines and no more"


def test_that_what_asks_for_attention_is_counted(view: AdvisorView, paging: Snapshot, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.count_changed, timeout=2000) as caught:
        show(view, paging)
    assert caught.args == [sum(advice.look in ("error", "warn") for advice in view.advice)]
    assert caught.args[0] >= 1


def test_that_a_click_selects_the_items(view: AdvisorView, paging: Snapshot, qtbot: QtBot) -> None:
    show(view, paging)
    row = next(row for row in view.rows() if row.advice is not None and row.advice.id == "no-priorities")
    qtbot.mouseClick(row, Qt.MouseButton.LeftButton)
    assert row.advice is not None
    assert view._workspace.selection == row.advice.resources
    view._workspace.select(())
    qtbot.keyClick(row, Qt.Key.Key_Return)
    assert view._workspace.selection == row.advice.resources


def test_that_the_link_asks_for_the_rule(view: AdvisorView, paging: Snapshot, qtbot: QtBot) -> None:
    show(view, paging)
    row = next(row for row in view.rows() if row.advice is not None and row.advice.rule)
    link = row.findChild(QLabel, "advice_link")
    with qtbot.waitSignal(view._workspace.rule_requested, timeout=2000) as caught:
        link.linkActivated.emit(row.advice.rule)
    assert caught.args == [row.advice.rule]
    assert row.advice.source.split(";")[0] in link.toolTip()


def test_that_the_habits_of_an_api_come_last(view: AdvisorView, paging: Snapshot) -> None:
    show(view, paging)
    looks = [advice.look for advice in view.advice]
    assert looks[-len(habits("d3d9")) :] == ["plain"] * len(habits("d3d9"))
    claims = " ".join(advice.claim for advice in habits("d3d9"))
    for word in ("Prepare", "Unbind", "driver"):
        assert word in claims
    assert all(habit.rule for habit in habits("d3d9"))
    assert {habit.rule for habit in habits("d3d12")} == {"d3d12.7.7", "cost.order"}
    assert habits("") == ()


def test_that_an_imported_layout_without_findings_says_so(view: AdvisorView) -> None:
    show(view, make_snapshot(3))
    assert view.rows() == ()
    title = view.findChild(QLabel, "empty_title")
    assert title.text() == "No advice"


def test_that_a_refusal_in_the_window_opens_the_report(qtbot: QtBot, live: MainWindow) -> None:
    from explorer.core.calls import CallRecord

    inputs = {"Width": 2048, "Height": 2048, "Levels": 1, "Usage": ["D3DUSAGE_RENDERTARGET"],
              "Format": "D3DFMT_X8R8G8B8", "Pool": "D3DPOOL_DEFAULT"}  # fmt: skip
    records = [CallRecord("d3d9", "CreateTexture", inputs, f"Huge {i}") for i in range(5)]
    live.show_view("advisor")
    live.workspace.controller.apply(*records)
    reporter: Any = live.views["advisor"].reporter
    qtbot.waitUntil(lambda: reporter.dialog is not None, timeout=9000)
    dialog = reporter.dialog
    facts = {fact.name: fact.value for fact in dialog.grid.facts}
    assert "found no room" in dialog.headline.text()
    assert {"Asked", "Free", "Largest hole", "First blocker", "One eviction", "Defragmentation", "Rule"} <= set(facts)
    assert facts["Asked"] == "16.0 MiB"
    dialog.close()
