"""The Tour: steps with their frames, selections and questions; terms with a glossary entry; what scenarios teach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton

from explorer.sim.scenarios import load_scenario, scenario_ids
from explorer.ui.tour_glossary import glossary, linked, terms_in

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from explorer.ui.main_window import MainWindow

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def _frame(window: MainWindow) -> int:
    snapshot = window.workspace.snapshot
    return -1 if snapshot is None else snapshot.provenance.frame


def test_that_a_window_without_a_scenario_offers_the_list(qtbot: QtBot, window: MainWindow) -> None:
    window.show_view("tour")
    view: Any = window.views["tour"]
    assert view.steps() == ()
    button = view.findChild(QPushButton, "empty_action")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert view.scenarios.isVisible()
    for name in scenario_ids():
        assert view.findChild(QLabel, f"tour_open_{name}") is not None


def test_that_each_step_goes_to_its_frame(qtbot: QtBot, live: MainWindow) -> None:
    live.show_view("tour")
    view: Any = live.views["tour"]
    steps = view.steps()
    assert len(steps) >= 2
    assert view.heading.text() == load_scenario(live.workspace.document.scenario).title
    qtbot.mouseClick(view.go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: _frame(live) == steps[0].frame, timeout=9000)
    for index in range(1, len(steps)):
        qtbot.mouseClick(view.next, Qt.MouseButton.LeftButton)
        wanted = steps[index].frame
        qtbot.waitUntil(lambda frame=wanted: _frame(live) == frame, timeout=9000)
        assert f"frame {wanted:,}" in view.count.text()
    assert not view.next.isEnabled()
    qtbot.mouseClick(view.back, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: _frame(live) == steps[-2].frame, timeout=9000)


def test_that_a_step_selects_what_it_speaks_of(qtbot: QtBot, window: MainWindow) -> None:
    window.opener.open_scenario("d3d9-thrash", play=False)
    view: Any = window.views["tour"]
    qtbot.waitUntil(lambda: bool(view.steps()) and window.workspace.snapshot is not None, timeout=9000)
    view._wanted = (0, "Wall 03")
    view.show_snapshot(window.workspace.snapshot)
    chosen = window.workspace.selection
    assert [window.workspace.snapshot.resources.names[row] for row in chosen] == ["Wall 03"]


def test_that_a_term_shows_its_entry(qtbot: QtBot, live: MainWindow) -> None:
    view: Any = live.views["tour"]
    view._on_term("term:LRU")
    assert "Least recently used" in view.entry.text()
    view.show_step(1, go=False)
    assert view.entry.text() == ""


def test_that_terms_are_found_as_whole_words_the_longest_first() -> None:
    text = "Upload heaps & a heap: heapster evicts by LRU, LRU again."
    assert [term.term for term in terms_in(text)] == ["upload heap", "heap", "evicted", "LRU"]
    rich = linked(text)
    assert rich.count('href="term:LRU"') == 1
    assert "heaps</a> &amp; a" in rich
    assert "heapster" in rich
    assert linked("<b>") == "&lt;b&gt;"


def test_that_every_entry_of_the_glossary_explains_in_a_sentence() -> None:
    assert len(glossary()) >= 30
    for term in glossary().values():
        assert term.text.endswith(".")
        assert len(term.text) > 20


@pytest.mark.parametrize("scenario", scenario_ids())
def test_that_every_scenario_has_a_tour_within_its_length(scenario: str) -> None:
    found = load_scenario(scenario)
    assert found.teaches.endswith(".")
    assert found.tour
    frames = [step.frame for step in found.tour]
    assert frames == sorted(frames)
    assert frames[-1] <= found.frames


def test_that_a_title_of_the_list_opens_its_scenario(qtbot: QtBot, window: MainWindow) -> None:
    window.show_view("tour")
    view: Any = window.views["tour"]
    view.pages.set_current(1)
    view._show_page()
    view.findChild(QLabel, "tour_open_d3d9-thrash").linkActivated.emit("d3d9-thrash")
    qtbot.waitUntil(lambda: window.workspace.document.scenario == "d3d9-thrash", timeout=9000)
    assert view.heading.text() == load_scenario("d3d9-thrash").title
    qtbot.waitUntil(lambda: window.workspace.snapshot is not None, timeout=9000)
