"""Adapters of one's own in the window: reports, copies, machines, and what a switch changed."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget

from explorer.errors import PresetError
from explorer.tables.adapters import adapter, adapter_ids, systems, user_preset_complaints
from explorer.ui.adapter_desk import AdapterDesk, desk_of
from explorer.ui.adapter_editor import AdapterEditor
from explorer.ui.adapter_model import CONFIDENCE, SOURCE, TEXT, AdapterValuesModel
from explorer.ui.adapter_report import AdapterReport
from explorer.ui.adapter_values import edited, free_id, is_own, own_path, preset_values, save_own
from tests.interchange.test_d3d12info import report_of_two_runs

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.modeltest import ModelTester
    from pytestqt.qtbot import QtBot

    from explorer.ui.adapter_picker import AdapterPicker
    from explorer.ui.main_window import MainWindow
    from explorer.ui.settings import Settings
    from explorer.ui.theme import Theme

MINE = "my-card"
T = TypeVar("T", bound=QWidget)
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support grabbing the keyboard", extend=True)


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A file with a retail and a preview run."""
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report_of_two_runs()), encoding="utf-8")
    return path


@pytest.fixture
def plain(qtbot: QtBot, settings: Settings) -> QWidget:
    """A bare window; presets of the user are in the test's own folder."""
    assert settings is not None
    made = QWidget()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def desk(live: MainWindow) -> AdapterDesk:
    """The desk of a window with a paused scenario."""
    made = desk_of(live)
    assert made is not None
    return made


def _open(qtbot: QtBot, window: MainWindow, path: Path) -> AdapterReport:
    window.opener.open_path(str(path))
    qtbot.waitUntil(lambda: window.findChild(AdapterReport) is not None, timeout=5000)
    dialog = window.findChild(AdapterReport)
    assert dialog is not None
    return dialog


def _part(parent: QWidget, kind: type[T], name: str) -> T:
    found = parent.findChild(kind, name)
    assert isinstance(found, kind)
    return found


def _click(qtbot: QtBot, parent: QWidget, name: str) -> None:
    qtbot.mouseClick(_part(parent, QPushButton, name), Qt.MouseButton.LeftButton)


def _picker(window: MainWindow) -> AdapterPicker:
    window.commands.do_choose_adapter()
    picker = window.views["device"].picker()
    assert picker is not None
    return picker


def _note(dialog: QWidget, name: str) -> str:
    return _part(dialog, QLabel, name).text()


# -- values


def test_that_every_value_of_a_preset_is_listed_with_source_and_confidence() -> None:
    rows = preset_values(adapter("rtx3080"))
    assert len({row.key for row in rows}) == len(rows)
    assert all(row.source for row in rows)
    assert {"measured", "published", "typical", "assumed", "unknown"} >= {row.confidence for row in rows}
    assert all(bool(row.rule) == (row.confidence == "assumed") for row in rows)


def test_that_an_edited_value_is_the_users_and_the_others_keep_their_source() -> None:
    original = adapter("rtx3080")
    copy = edited(original, MINE, {"segments.0.size_bytes": "12 GiB", "d3d12.DescriptorIncrement.RTV": "64"})
    assert copy.id == MINE
    assert copy.segments[0].size_bytes == 12 << 30
    assert copy.d3d12 is not None
    assert copy.d3d12.DescriptorIncrement.RTV == 64
    for key in ("segments.0.size_bytes", "d3d12.DescriptorIncrement.RTV"):
        assert (copy.origin(key).confidence, copy.origin(key).rule) == ("assumed", "user")
    for row in preset_values(original):
        if row.confidence != "unknown" and row.key not in ("segments.0.size_bytes", "d3d12.DescriptorIncrement.RTV"):
            assert copy.origin(row.key) == original.origin(row.key)


@pytest.mark.parametrize(
    ("edits", "where"),
    [
        ({"d3d12.UMA": "maybe"}, "d3d12.UMA"),
        ({"year": "soon"}, "year"),
        ({"name": " "}, "name"),
        ({"segments.0.size_bytes": "much"}, "segments.0.size_bytes"),
        ({"segments.0.size_bytes": "1GiB"}, "segments.0.cpu_visible_bytes"),
        ({"budgets.0.budget_bytes": "99GiB"}, "budgets.0.budget_bytes"),
        ({"d3d12.ResourceHeapTier": "7"}, "d3d12.ResourceHeapTier"),
        ({"bus.type": "rope"}, "bus.type"),
    ],
)
def test_that_a_wrong_value_names_its_key_and_the_reason(edits: dict[str, str], where: str) -> None:
    with pytest.raises(PresetError) as caught:
        edited(adapter("rtx3080"), MINE, edits)
    assert caught.value.complaint.where == where
    assert caught.value.complaint.message


def test_that_saving_never_takes_the_id_of_another_preset(settings: Settings) -> None:
    assert settings is not None
    copy = edited(adapter("rtx3080"), MINE, {})
    path = save_own(copy)
    assert path == own_path(MINE)
    assert is_own(MINE)
    assert not is_own("rtx3080")
    assert free_id(MINE) == f"{MINE}-2"
    for taken in (MINE, "warp"):
        with pytest.raises(PresetError, match="has this id already"):
            save_own(dataclasses.replace(copy, id=taken))
    assert save_own(dataclasses.replace(copy, year=2024), replaces=MINE) == path
    assert adapter(MINE).year == 2024


# -- the editor


def test_that_the_model_of_values_keeps_the_rules_of_models(
    qtbot: QtBot, qtmodeltester: ModelTester, theme: Theme
) -> None:
    model = AdapterValuesModel(adapter("rtx3080"), MINE, theme)
    qtmodeltester.check(model, force_py=True)


def test_that_a_wrong_value_is_said_in_its_row_and_cannot_be_saved(
    qtbot: QtBot, theme: Theme, live: MainWindow
) -> None:
    dialog = AdapterEditor(adapter("rtx3080"), theme, live)
    model = dialog.model
    row = model.row_of("segments.0.size_bytes")
    assert model.setData(model.index(row, TEXT), "1GiB")
    wrong = model.row_of("segments.0.cpu_visible_bytes")
    assert model.index(wrong, SOURCE).data().startswith("segments.0.cpu_visible_bytes: more than the segment")
    assert "more than the segment" in _note(dialog, "editor_note")
    assert not _part(dialog, QPushButton, "editor_save").isEnabled()
    assert not dialog.save(run=False)
    assert model.setData(model.index(row, TEXT), "12GiB")
    assert model.index(row, CONFIDENCE).data() == "assumed"
    assert "chosen by the user" in model.index(row, SOURCE).data()
    assert _part(dialog, QPushButton, "editor_save").isEnabled()


def test_that_a_copy_is_saved_and_the_scenario_runs_on_it(qtbot: QtBot, live: MainWindow, desk: AdapterDesk) -> None:
    shown = live.workspace.snapshot
    assert shown is not None
    assert shown.adapter is not None
    desk.edit(shown.adapter)
    dialog = live.findChild(AdapterEditor)
    assert dialog is not None
    _part(dialog, QLineEdit, "editor_id").setText(MINE)
    size = shown.adapter.segments[0].size_bytes
    dialog.model.setData(dialog.model.index(dialog.model.row_of("segments.0.size_bytes"), TEXT), str(size * 2))
    with qtbot.waitSignal(desk.changed, timeout=9000) as said:
        _click(qtbot, dialog, "editor_run")
    assert is_own(MINE)
    assert adapter(MINE).segments[0].size_bytes == size * 2
    assert said.args is not None
    assert any(line.startswith("LOCAL segments: ") for line in said.args[0])
    assert live.workspace.document.adapter == MINE


def test_that_a_taken_id_is_said_beside_it(theme: Theme, plain: QWidget) -> None:
    dialog = AdapterEditor(adapter("rtx3080"), theme, plain)
    _part(dialog, QLineEdit, "editor_id").setText("warp")
    assert not dialog.save(run=False)
    assert "a shipped preset has this id already" in _note(dialog, "editor_note")
    _part(dialog, QLineEdit, "editor_id").setText("No Id")
    assert "id" in _note(dialog, "editor_note")
    assert not _part(dialog, QPushButton, "editor_save").isEnabled()


# -- reports


def test_that_a_report_lists_the_adapters_of_all_its_runs(
    qtbot: QtBot, live: MainWindow, desk: AdapterDesk, report: Path
) -> None:
    dialog = _open(qtbot, live, report)
    items = [[dialog.table.item(row, c) for c in range(6)] for row in range(dialog.table.rowCount())]
    texts = [[item.text() for item in row if item is not None] for row in items]
    assert [row[0] for row in texts] == ["Test Card(TM) 5", "Test Card(TM) 5"]
    assert [("retail" in row[5], "preview" in row[5]) for row in texts] == [(True, False), (False, True)]
    assert "report.json describes 2 adapters." in live.messages.text()
    dialog.reject()


def test_that_the_scenario_runs_on_an_adapter_of_a_report_and_says_what_changed(
    qtbot: QtBot, live: MainWindow, desk: AdapterDesk, report: Path
) -> None:
    live.opener.open_scenario("d3d12-upload-heaps-uma", play=False)
    qtbot.waitUntil(
        lambda: live.workspace.snapshot is not None and live.workspace.snapshot.api == "d3d12", timeout=9000
    )
    assert live.workspace.snapshot is not None
    seed = live.workspace.snapshot.provenance.seed
    dialog = _open(qtbot, live, report)
    dialog.table.selectRow(1)
    with qtbot.waitSignal(desk.changed, timeout=9000):
        _click(qtbot, dialog, "report_run")
    shown = live.workspace.snapshot
    assert shown is not None
    assert shown.adapter is not None
    assert shown.adapter.id == "test-card-5-preview"
    assert shown.provenance.seed == seed
    text = live.messages.text()
    assert text.startswith("Test Card(TM) 5 instead of ")
    assert "• Memory class: discrete on PCIe instead of UMA" in text
    assert not own_path("test-card-5-preview").exists()


def test_that_an_adapter_of_a_report_is_saved_as_a_preset(
    qtbot: QtBot, live: MainWindow, desk: AdapterDesk, report: Path
) -> None:
    dialog = _open(qtbot, live, report)
    with qtbot.waitSignal(desk.presets_changed):
        _click(qtbot, dialog, "report_save")
    assert "test-card-5" in adapter_ids()
    assert adapter("test-card-5").origin("segments.0.size_bytes").confidence == "measured"
    _click(qtbot, dialog, "report_save")
    assert {"test-card-5", "test-card-5-2"} <= set(adapter_ids())
    assert "was saved as the preset test-card-5-2" in _note(dialog, "report_note")
    dialog.reject()


# -- the picker


def test_that_a_machine_offers_its_adapters_and_says_what_they_share(live: MainWindow) -> None:
    picker = _picker(live)
    machine = systems()[2]
    picker._machine.setCurrentIndex(3)  # pyright: ignore[reportPrivateUsage] - the field of the popup
    assert picker.machine() == machine
    assert tuple(a.id for a in picker.model.shown) == machine.adapters
    assert "share 63.26 GiB of system memory" in _note(picker, "adapter_none")
    assert machine.notes in _note(picker, "adapter_none")
    picker.hide()


def test_that_presets_of_ones_own_are_marked_and_broken_ones_are_said(live: MainWindow) -> None:
    save_own(edited(adapter("rtx3080"), MINE, {}))
    own_path("broken").write_text("schema = 1\n", encoding="utf-8")
    assert user_preset_complaints()
    picker = _picker(live)
    _part(picker, QLineEdit, "adapter_search").setText("yours")
    assert [a.id for a in picker.model.shown] == [MINE]
    assert picker.model.index(0).data().endswith(f"yours: {MINE}")
    assert "broken.toml" in _note(picker, "adapter_left_out")
    picker.hide()


def test_that_the_picker_opens_the_editor_on_the_marked_preset(qtbot: QtBot, live: MainWindow) -> None:
    picker = _picker(live)
    _part(picker, QLineEdit, "adapter_search").setText("rtx3080ti")
    _click(qtbot, picker, "adapter_edit")
    dialog = live.findChild(AdapterEditor)
    assert dialog is not None
    assert "3080 Ti" in dialog.windowTitle()
    assert not picker.isVisible()
    dialog.reject()


def test_that_a_restart_on_the_same_adapter_says_nothing(qtbot: QtBot, live: MainWindow, desk: AdapterDesk) -> None:
    with qtbot.waitSignal(live.workspace.document_changed, timeout=9000), qtbot.assertNotEmitted(desk.changed):
        live.commands.do_restart()
    with qtbot.waitSignal(desk.changed, timeout=9000) as said:
        desk.run_on("hd7970")
    assert said.args is not None
    assert any(line.startswith("Memory class: ") for line in said.args[0])
    assert desk_of(live) is desk
