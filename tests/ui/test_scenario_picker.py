"""The picker of scenarios: what each teaches, its tour beside it, and the way into it by keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit

from explorer.sim.scenarios import load_scenario, scenario_ids
from explorer.ui.scenario_picker import ScenarioPicker

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from explorer.ui.main_window import MainWindow

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def _picker(window: MainWindow) -> ScenarioPicker:
    window.actions_set["open_scenario"].trigger()
    found = window.findChild(ScenarioPicker, "scenario_picker")
    assert found is not None
    return found


def test_that_every_scenario_is_listed_with_its_lesson_under_its_api(live: MainWindow) -> None:
    picker = _picker(live)
    assert {one.id for one in picker.model.scenarios} == set(scenario_ids())
    aloud = [picker.model.index(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(picker.model.rowCount())]
    for one in picker.model.scenarios:
        assert f"{one.title}. {one.teaches}" in aloud
    assert aloud[0] == "Direct3D 9"
    assert not picker.model.flags(picker.model.index(0)) & Qt.ItemFlag.ItemIsSelectable
    picker.reject()


def test_that_the_open_scenario_is_marked_and_told_step_by_step(live: MainWindow) -> None:
    picker = _picker(live)
    scenario = load_scenario(live.workspace.document.scenario)
    assert picker.marked() == scenario
    texts = {part.objectName(): part.text() for part in picker.findChildren(QLabel) if part.isVisibleTo(picker)}
    assert (texts["picked_title"], texts["picked_teaches"]) == (scenario.title, scenario.teaches)
    for number, step in enumerate(scenario.tour, 1):
        assert texts[f"picked_step_{number}"] == " ".join(step.text.split())
    picker.reject()


def test_that_words_and_arrows_find_a_scenario_and_return_opens_it_with_its_tour(
    qtbot: QtBot, live: MainWindow
) -> None:
    picker = _picker(live)
    qtbot.keyClicks(picker.search, "thrash lru")
    assert 1 <= len(picker.model.scenarios) < len(scenario_ids())
    while picker.marked().id != "d3d9-thrash":
        before = picker.list.currentIndex().row()
        qtbot.keyClick(picker.search, Qt.Key.Key_Down)
        assert picker.list.currentIndex().row() > before, "it is not among what was found"
    qtbot.keyClick(picker.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: live.workspace.document.scenario == "d3d9-thrash", timeout=9000)
    tour = live.views["tour"]
    qtbot.waitUntil(lambda: tour.isVisible() and not tour.visibleRegion().isEmpty(), timeout=3000)
    qtbot.waitUntil(lambda: bool(tour.text.text()), timeout=3000)
    assert tour.heading.text() == load_scenario("d3d9-thrash").title


def test_that_words_that_no_scenario_has_say_so_and_open_nothing(qtbot: QtBot, live: MainWindow) -> None:
    before = live.workspace.document
    picker = _picker(live)
    picker.search.setText("no such words")
    assert picker.none.isVisible()
    assert not picker.open_button.isEnabled()
    qtbot.keyClick(picker.search, Qt.Key.Key_Return)
    assert picker.isVisible()
    picker.search.clear()
    assert picker.open_button.isEnabled()
    qtbot.keyClick(picker, Qt.Key.Key_Escape)
    assert live.workspace.document == before


def test_that_the_palette_finds_a_scenario_by_its_title(qtbot: QtBot, live: MainWindow) -> None:
    live.actions_set["palette"].trigger()
    palette = live.palette_popup()
    palette.findChild(QLineEdit, "palette_search").setText(load_scenario("d3d12-rtv-slot-reuse").title)
    qtbot.waitUntil(lambda: any(entry.key == "d3d12-rtv-slot-reuse" for entry in palette.entries()), timeout=9000)
    palette.hide()
