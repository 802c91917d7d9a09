"""The real window on the real simulation."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QKeySequence
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QToolButton, QWidget

from explorer.sim.commands import Step
from explorer.sim.scenarios import load_scenario
from explorer.ui.actions import ACTIONS, MENUS
from explorer.ui.application import make_window
from explorer.ui.export_dialog import ExportDialog
from explorer.ui.facts import FactsGrid
from explorer.ui.shortcuts_dialog import ShortcutsDialog
from explorer.ui.views import VIEWS
from tests.ui.conftest import SCENARIO

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

    from explorer.ui.main_window import MainWindow
    from explorer.ui.settings import Settings


pytestmark = pytest.mark.qt_log_ignore("This plugin does not support grabbing the keyboard", extend=True)
"""A popup asks for it; the offscreen platform has no keyboard to grab."""


def _frame(window: MainWindow) -> int:
    snapshot = window.workspace.snapshot
    return -1 if snapshot is None else snapshot.provenance.frame


def _opened(qtbot: QtBot, window: MainWindow, scenario: str) -> MainWindow:
    """Return the window with another scenario, paused at frame 0."""
    window.opener.open_scenario(scenario, play=False)
    qtbot.waitUntil(
        lambda: (
            window.workspace.snapshot is not None
            and window.workspace.run_state is not None
            and window.workspace.document.scenario == scenario
            and window.workspace.snapshot.provenance.scenario == scenario
        ),
        timeout=9000,
    )
    return window


def _press(qtbot: QtBot, window: MainWindow, action: str) -> None:
    button = window.top_bar.findChild(QToolButton, f"action_{action}")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_that_an_empty_window_says_why_its_views_are_empty(qtbot: QtBot, window: MainWindow) -> None:
    assert window.views["inspector"].title_text() == ""
    assert not window.actions_set["play"].isEnabled()
    assert "open a scenario" in window.actions_set["play"].toolTip().lower()
    window.show_view("create")
    assert window.views["create"].form() is None


def test_that_every_action_has_a_handler_a_menu_and_a_shortcut_of_its_own(window: MainWindow) -> None:
    shortcuts = [spec.shortcut for spec in ACTIONS if spec.shortcut] + [view.shortcut for view in VIEWS]
    assert len(shortcuts) == len(set(shortcuts))
    for spec, action in window.actions_set.all():
        assert spec.menu in MENUS
        assert hasattr(window.commands, f"do_{spec.id}")
        assert action.text() == spec.text


def test_that_play_runs_and_pause_stops(qtbot: QtBot, live: MainWindow) -> None:
    _press(qtbot, live, "play")
    qtbot.waitUntil(lambda: _frame(live) >= 5, timeout=9000)
    assert live.workspace.run_state.playing
    assert live.actions_set["play"].isChecked()
    _press(qtbot, live, "play")
    qtbot.waitUntil(lambda: not live.workspace.run_state.playing, timeout=9000)
    assert not live.actions_set["play"].isChecked()


def test_that_step_step_back_and_restart_move_the_frame(qtbot: QtBot, live: MainWindow) -> None:
    _press(qtbot, live, "step_frame")
    qtbot.waitUntil(lambda: _frame(live) == 1, timeout=9000)
    live.actions_set["step_ten"].trigger()
    qtbot.waitUntil(lambda: _frame(live) == 11 and live.workspace.run_state.frame == 11, timeout=9000)
    assert live.top_bar.scrubber.counter_text().startswith("11")
    _press(qtbot, live, "step_back")
    qtbot.waitUntil(lambda: _frame(live) == 10, timeout=9000)
    _press(qtbot, live, "restart")
    qtbot.waitUntil(lambda: _frame(live) == 0, timeout=9000)


def test_that_the_scrubber_seeks(qtbot: QtBot, live: MainWindow) -> None:
    live.top_bar.scrubber.sought.emit(7)
    qtbot.waitUntil(lambda: _frame(live) == 7, timeout=9000)


def test_that_the_window_names_a_scenario_by_its_title(qtbot: QtBot, window: MainWindow) -> None:
    for name in ("d3d9-thrash", "d3d12-rtv-slot-reuse"):
        _opened(qtbot, window, name)
        title = load_scenario(name).title
        assert window.menu_row.document_name.text() == title
        assert window.windowTitle().startswith(f"{title} – ")
        assert name in window.menu_row.document_name.toolTip()
    # A long title gives way to the menus and the palette, never the other way round.
    window.resize(1152, 640)
    qtbot.waitUntil(lambda: window.width() == 1152, timeout=3000)
    assert window.menu_row.palette_field.geometry().right() <= window.menu_row.width()
    assert window.menu_row.document_state.geometry().right() <= window.menu_row.palette_field.geometry().left()


def test_that_every_speed_can_be_chosen_while_it_plays(qtbot: QtBot, live: MainWindow) -> None:
    speed = live.top_bar.findChild(QComboBox, "speed")
    _press(qtbot, live, "play")
    for index in range(speed.count()):
        speed.setCurrentIndex(index)
    start = _frame(live)
    qtbot.waitUntil(lambda: _frame(live) > start, timeout=9000)


def test_that_closing_while_running_ends_the_thread(qtbot: QtBot, live: MainWindow) -> None:
    _press(qtbot, live, "play")
    qtbot.waitUntil(lambda: _frame(live) >= 2, timeout=9000)
    live.close()
    assert not live.workspace.controller.is_running


def test_that_gauges_show_each_group_and_segment_once(live: MainWindow) -> None:
    names = [gauge.reading.name for gauge in live.top_bar.gauges.gauges()]
    assert names == ["LOCAL", "NON_LOCAL", "SYSTEM", "PAGE FILE"]
    snapshot = live.workspace.snapshot
    for gauge, segment in zip(live.top_bar.gauges.gauges(), snapshot.segments, strict=True):
        assert gauge.reading.size == segment.size_bytes
        assert gauge.accessibleDescription()


def test_that_another_adapter_can_be_chosen_under_the_scenario(qtbot: QtBot, live: MainWindow) -> None:
    before = live.workspace.snapshot.adapter.id
    live.actions_set["choose_adapter"].trigger()
    picker = live.views["device"].picker()
    search = picker.findChild(QLineEdit, "adapter_search")
    qtbot.keyClicks(search, "9800")
    assert picker.model.rowCount() >= 1
    wanted = picker.model.shown[0].id
    assert wanted != before
    qtbot.keyClick(search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: live.workspace.snapshot.adapter.id == wanted, timeout=9000)
    assert live.workspace.document.scenario == SCENARIO


def test_that_a_policy_changed_while_running_enters_the_journal(qtbot: QtBot, live: MainWindow) -> None:
    policy = live.views["device"].findChild(QComboBox, "option_policy")
    policy.setCurrentIndex(policy.findData("fifo"))
    policy.activated.emit(policy.currentIndex())
    qtbot.waitUntil(lambda: live.workspace.snapshot.provenance.options["policy"] == "fifo", timeout=9000)
    qtbot.waitUntil(lambda: live.workspace.run_state.journal == 1, timeout=9000)


_D3D12_CHOICES = (
    ("policy", "lru"), ("app_policy", "d3dx12"), ("residency_mode", "advanced"), ("tables", "recording"),
)  # fmt: skip


def test_that_every_option_that_may_change_while_running_is_offered_and_enters_the_journal(
    qtbot: QtBot, window: MainWindow
) -> None:
    device = _opened(qtbot, window, "d3d12-game-rtx3060-laptop").views["device"]
    for number, (name, value) in enumerate(_D3D12_CHOICES, 1):
        combo = device.findChild(QComboBox, f"option_{name}")
        assert combo.currentData() != value
        combo.setCurrentIndex(combo.findData(value))
        combo.activated.emit(combo.currentIndex())
        qtbot.waitUntil(
            lambda name=name: window.workspace.snapshot.provenance.options.get(name) in dict(_D3D12_CHOICES).values(),
            timeout=9000,
        )
        assert window.workspace.snapshot.provenance.options[name] == value
        qtbot.waitUntil(lambda number=number: window.workspace.run_state.journal == number, timeout=9000)
    budget = device.findChild(QLineEdit, "option_budget")
    budget.setText("2GiB")
    qtbot.keyClick(budget, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.workspace.snapshot.groups[0].budget_bytes == 2 << 30, timeout=9000)


def test_that_a_device_is_lost_when_another_program_gets_the_focus(qtbot: QtBot, window: MainWindow) -> None:
    live = _opened(qtbot, window, "d3d9-thrash")
    focus = live.views["device"].findChild(QComboBox, "option_focus")
    focus.setCurrentIndex(focus.findData("lost"))
    focus.activated.emit(focus.currentIndex())
    qtbot.waitUntil(lambda: live.workspace.snapshot.provenance.options.get("focus") == "lost", timeout=9000)
    qtbot.waitUntil(lambda: live.workspace.snapshot.event_counts.get("device_lost") == 1, timeout=9000)


@pytest.mark.parametrize(
    ("scenario", "value", "event"),
    [
        ("d3d9-level-load", "power_event", "device_lost"), ("d3d9-ex-hang", "hung", "device_lost"),
        ("d3d9-ex-hang", "removed", "device_removed"),
    ],
)  # fmt: skip
def test_that_what_happens_to_the_hardware_loses_the_device(
    qtbot: QtBot, window: MainWindow, scenario: str, value: str, event: str
) -> None:
    window.opener.open_scenario(scenario, play=False)
    qtbot.waitUntil(lambda: window.workspace.run_state is not None, timeout=9000)
    hardware = window.views["device"].findChild(QComboBox, "option_hardware")
    assert hardware.currentText() == "Works"
    hardware.setCurrentIndex(hardware.findData(value))
    hardware.activated.emit(hardware.currentIndex())
    qtbot.waitUntil(lambda: window.workspace.snapshot.event_counts.get(event) == 1, timeout=9000)
    window.commands.do_undo()
    qtbot.waitUntil(lambda: window.workspace.snapshot.event_counts.get(event) == 0, timeout=9000)


def test_that_what_a_scenario_fixed_stands_in_words_apart_from_what_can_be_set(live: MainWindow) -> None:
    facts = {fact.name: fact for fact in live.views["device"].findChild(FactsGrid, "fixed_options").facts}
    assert facts["Windows"].value == "XP"
    assert "windows = xp" in facts["Windows"].tip
    assert live.views["device"].findChild(QLineEdit, "option_budget") is None


def test_that_another_allocator_moves_offsets_on_the_map_and_in_the_table(qtbot: QtBot, live: MainWindow) -> None:
    live.opener.reopen(allocator="worst-fit")
    qtbot.waitUntil(lambda: live.workspace.snapshot.provenance.options.get("allocator") == "worst-fit", timeout=9000)
    assert live.workspace.document.allocator == "worst-fit"


def test_that_a_selection_on_the_map_is_the_selection_of_table_and_inspector(qtbot: QtBot, live: MainWindow) -> None:
    live.show_view("resources")
    live.views["map"].resources_selected.emit([3])
    assert live.workspace.selection == (3,)
    name = live.workspace.snapshot.resources.names[3]
    table = live.views["resources"]
    qtbot.waitUntil(lambda: len(table.table.selectionModel().selectedRows()) == 1, timeout=2000)
    row = table.table.selectionModel().selectedRows()[0].row()
    assert int(table.model.order[row]) == 3
    live.show_view("inspector")
    assert live.views["inspector"].title_text() == name
    assert live.views["inspector"].facts("Placement")["Size"]


def test_that_the_copies_of_the_selected_resource_are_linked_on_the_map(qtbot: QtBot, window: MainWindow) -> None:
    live = _opened(qtbot, window, "d3d9-thrash")
    _press(qtbot, live, "step_frame")
    qtbot.waitUntil(lambda: _frame(live) == 1, timeout=9000)
    canvas, names = live.views["map"].canvas, live.workspace.snapshot.resources.names
    select = canvas.overlay.colour("select")

    def trunk() -> int:
        """Count the pixels of the trunk, in the gap beside the rows."""
        picture = canvas.grab().toImage()
        left = canvas.gutter - 5
        return sum(picture.pixelColor(left, y) == select for y in range(picture.height()))

    assert trunk() == 0
    live.workspace.select((names.index("Wall 00"),))
    assert [copy.what for copy in canvas.links.copies()] == ["device copy", "master copy"]
    assert trunk() > 40
    # One place, or several resources: there is nothing to link.
    live.workspace.select((names.index("Device: front buffer"),))
    assert canvas.links.copies() == ()
    assert trunk() == 0
    live.workspace.select((names.index("Wall 00"), names.index("Wall 01")))
    assert canvas.links.copies() == ()


def test_that_a_row_of_the_table_is_selected_on_the_map(qtbot: QtBot, live: MainWindow) -> None:
    live.show_view("resources")
    table = live.views["resources"].table
    table.selectRow(5)
    resource = int(live.views["resources"].model.order[5])
    assert live.workspace.selection == (resource,)
    assert live.views["map"].selected == (resource,)


def test_that_the_selection_follows_its_resource_when_others_go(qtbot: QtBot, live: MainWindow) -> None:
    names = live.workspace.snapshot.resources.names
    live.workspace.select((0,))
    live.actions_set["release_selection"].trigger()
    live.workspace.select((len(names) - 1,))
    wanted = names[-1]
    qtbot.waitUntil(lambda: len(live.workspace.snapshot.resources.names) < len(names), timeout=9000)
    chosen = [live.workspace.snapshot.resources.names[i] for i in live.workspace.selection]
    assert chosen == [wanted]


def test_that_filters_hide_rows_and_an_empty_result_says_which_filters_did_it(qtbot: QtBot, live: MainWindow) -> None:
    live.show_view("resources")
    view = live.views["resources"]
    qtbot.waitUntil(lambda: view.model.rowCount() > 0, timeout=2000)
    total = view.model.rowCount()
    field = view.header.findChild(QLineEdit, "filter_size")
    view.header.set_text("size", ">= 256KiB")
    assert 0 < view.model.rowCount() < total
    view.header.set_text("size", "nonsense")
    assert field.property("state") == "refused"
    assert view.model.rowCount() == total
    view.header.set_text("size", "> 1TiB")
    assert view.model.rowCount() == 0
    assert not view.findChild(type(view._empty), "resources_empty").isHidden()
    qtbot.mouseClick(view._empty.findChild(QPushButton, "empty_action"), Qt.MouseButton.LeftButton)
    assert view.model.rowCount() == total


def test_that_a_bar_of_the_histogram_filters_by_its_sizes(qtbot: QtBot, live: MainWindow) -> None:
    live.show_view("resources")
    view = live.views["resources"]
    qtbot.waitUntil(lambda: view.model.rowCount() > 0, timeout=2000)
    view.histogram.setFocus()
    qtbot.keyClick(view.histogram, Qt.Key.Key_Return)
    sizes = live.workspace.snapshot.resources.size[view.model.order]
    assert len(sizes)
    assert int(sizes.max()) < 2 * int(sizes.min()) * 2
    assert view.header.texts()["size"]


def test_that_the_theme_switches_without_a_restart_and_is_remembered(live: MainWindow, settings: Settings) -> None:
    assert live.workspace.theme.name == "light"
    live.actions_set["switch_theme"].trigger()
    assert live.workspace.theme.name == "dark"
    assert settings.theme() == "dark"
    assert live.actions_set["theme_dark"].isChecked()


def test_that_units_switch_everywhere_and_are_remembered(live: MainWindow, settings: Settings) -> None:
    live.workspace.select((0,))
    live.actions_set["units_bytes"].trigger()
    assert settings.units() == "bytes"
    assert live.status.findChild(type(live.status._selected), "status_selected").text().endswith(" B")


def test_that_docks_hide_come_back_and_are_restored(qtbot: QtBot, qapp: QApplication, settings: Settings) -> None:
    first = make_window(qapp, settings, "light")
    qtbot.addWidget(first)
    first.show()
    first.docks["events"].close()
    first.close()
    second = make_window(qapp, settings, "light")
    qtbot.addWidget(second)
    second.show()
    assert second.docks["events"].isHidden()
    second.show_view("events")
    assert not second.docks["events"].isHidden()
    second.actions_set["reset_layout"].trigger()
    assert settings.layout() is None


def test_that_the_palette_finds_actions_resources_scenarios_and_adapters(qtbot: QtBot, live: MainWindow) -> None:
    live.actions_set["palette"].trigger()
    palette = live.palette_popup()
    field = palette.findChild(QLineEdit, "palette_search")
    name = live.workspace.snapshot.resources.names[4]
    for text, kind in (("undo", "action"), (name, "resource"), (SCENARIO, "scenario"), ("r9800pro", "adapter")):
        field.setText(text)
        assert kind in {entry.kind for entry in palette.entries()}, text
    field.setText(name)
    entry = next(e for e in palette.entries() if e.kind == "resource" and e.text == name)
    palette.entry_chosen.emit(entry)
    palette.hide()
    assert live.workspace.selection == (4,)


def test_that_export_writes_what_is_shown(qtbot: QtBot, live: MainWindow, tmp_path: Path) -> None:
    snapshot = live.workspace.snapshot
    dialog = ExportDialog(live.workspace, live.opener, snapshot, None, live)
    qtbot.addWidget(dialog)
    for format_id, name in (("csv", "a.csv"), ("snapshot-json", "a.json"), ("png", "a.png")):
        dialog.choose_format(format_id)
        with qtbot.waitSignal(live.work.ended, timeout=9000):
            assert dialog.export_to(str(tmp_path / name))
        assert (tmp_path / name).stat().st_size > 100
        qtbot.waitUntil(lambda name=name: name in live.messages.text(), timeout=2000)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((tmp_path / "a.json").read_bytes())


def test_that_an_export_that_cannot_be_written_says_what_to_do(qtbot: QtBot, live: MainWindow, tmp_path: Path) -> None:
    dialog = ExportDialog(live.workspace, live.opener, live.workspace.snapshot, None, live)
    qtbot.addWidget(dialog)
    dialog.choose_format("csv")
    dialog.export_to(str(tmp_path / "no" / "folder" / "a.csv"))
    qtbot.waitUntil(lambda: "Not exported" in live.messages.text(), timeout=9000)
    assert live.messages.findChild(QPushButton, "message_action").text().startswith("Export")


def test_that_an_exported_snapshot_opens_again_and_is_remembered(
    qtbot: QtBot, live: MainWindow, tmp_path: Path, settings: Settings
) -> None:
    path = str(tmp_path / "again.json")
    dialog = ExportDialog(live.workspace, live.opener, live.workspace.snapshot, None, live)
    qtbot.addWidget(dialog)
    dialog.choose_format("snapshot-json")
    with qtbot.waitSignal(live.work.ended, timeout=9000):
        dialog.export_to(path)
    names = live.workspace.snapshot.resources.names
    live.opener.open_path(path)
    qtbot.waitUntil(lambda: live.workspace.document.kind == "file", timeout=9000)
    assert live.workspace.snapshot.resources.names == names
    assert not live.actions_set["play"].isEnabled()
    assert settings.recent_files() == [path]
    live.show_view("create")
    assert live.views["create"].form() is None
    live.opener.open_scenario(SCENARIO, play=False)
    qtbot.waitUntil(lambda: live.workspace.document.kind == "scenario", timeout=9000)
    qtbot.waitUntil(live.actions_set["play"].isEnabled, timeout=9000)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", b"not json"), ("b.json", b'{"General": '), ("c.json", b"[1, 2, 3]"), ("d.toml", b"x = ["),
        ("e.toml", b"nonsense = 1"), ("f.bin", bytes(range(256))), ("g.json", b""),
    ],
)  # fmt: skip
def test_that_a_broken_file_is_a_message_that_names_it_and_the_window_stays(
    qtbot: QtBot, live: MainWindow, tmp_path: Path, name: str, data: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    before = live.workspace.document
    live.opener.open_path(str(path))
    qtbot.waitUntil(lambda: "Not opened" in live.messages.text(), timeout=9000)
    assert name in live.messages.text()
    assert live.workspace.document == before
    assert live.workspace.is_live


def test_that_a_missing_file_is_a_message(qtbot: QtBot, live: MainWindow, tmp_path: Path) -> None:
    live.opener.open_path(str(tmp_path / "gone.json"))
    qtbot.waitUntil(lambda: "Not opened" in live.messages.text(), timeout=9000)


def test_that_an_unknown_adapter_is_a_message_with_the_accepted_ids(qtbot: QtBot, live: MainWindow) -> None:
    live.opener.reopen(adapter="no-such-card")
    qtbot.waitUntil(lambda: "no-such-card" in live.messages.text(), timeout=9000)
    assert "accepted" in live.messages.text()
    assert live.workspace.is_live


def test_that_a_dropped_file_is_opened(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "dropped.json"
    path.write_text("{}")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(9, 9), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    window.dropEvent(event)
    qtbot.waitUntil(lambda: "dropped.json" in window.messages.text(), timeout=9000)


def test_that_a_failure_of_the_simulation_is_told_and_restart_helps(
    qtbot: QtBot, live: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    from explorer.sim.simulation import Simulation

    def fail(_self: Simulation, _frames: int = 1) -> None:
        raise RuntimeError("a bug in the making")

    with monkeypatch.context() as patch:
        patch.setattr(Simulation, "step", fail)
        live.actions_set["step_frame"].trigger()
        qtbot.waitUntil(lambda: "a bug in the making" in live.messages.text(), timeout=9000)
    assert "Traceback" in live.messages.message.detail
    assert not live.actions_set["play"].isEnabled()
    qtbot.mouseClick(live.messages.findChild(QPushButton, "message_action"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(live.actions_set["play"].isEnabled, timeout=9000)


def test_that_events_are_listed_filtered_and_lead_to_their_subject(qtbot: QtBot, live: MainWindow) -> None:
    live.show_view("events")
    view = live.views["events"]
    live.actions_set["step_ten"].trigger()
    qtbot.waitUntil(lambda: any(e.kind == "presented" for e in view.model.shown), timeout=9000)
    kind = view.findChild(QComboBox, "event_kind")
    kind.setCurrentIndex(kind.findData("uploaded"))
    assert view.model.shown
    assert {event.kind.value for event in view.model.shown} == {"uploaded"}
    view.table.clicked.emit(view.model.index(0, 0))
    chosen = [live.workspace.snapshot.resources.names[i] for i in live.workspace.selection]
    assert chosen == [view.model.shown[0].subject]


def test_that_copied_rows_are_a_table_of_the_selection(live: MainWindow) -> None:
    live.show_view("resources")
    live.workspace.select((1, 2))
    lines = live.views["resources"].copy_rows().splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("Name\t")


def test_that_shortcuts_are_listed_in_one_place(qtbot: QtBot, live: MainWindow) -> None:
    live.actions_set["shortcuts"].trigger()
    dialog = live.findChild(ShortcutsDialog, "shortcuts_dialog")
    shown = {part.text() for part in dialog.findChildren(QLabel)}
    wanted = {spec.shortcut: spec.text.replace("&", "").rstrip("…") for spec in ACTIONS if spec.shortcut}
    wanted |= {view.shortcut: f"Show {view.title}" for view in VIEWS}
    for keys, what in wanted.items():
        native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
        assert dialog.texts()[native] == what
        assert {native, what} <= shown
    assert "Walk holes" in shown
    dialog.close()


def test_that_a_small_window_shows_whole_ranges_and_sentences(qtbot: QtBot, live: MainWindow) -> None:
    live.resize(1280, 720)
    qtbot.waitUntil(lambda: (live.width(), live.height()) == (1280, 720), timeout=3000)
    field = live.views["map"].toolbar.range
    qtbot.waitUntil(lambda: field.width() > field.fontMetrics().horizontalAdvance(field.text()) + 12, timeout=3000)
    table = live.views["events"].table
    hidden = [table.isColumnHidden(column) for column in range(5)]
    # Frame, event, what happened: the sentence begins with the subject and holds the bytes.
    assert hidden == [False, False, True, True, False]
    # Where the sentence names no subject, it is put in front.
    model = live.views["events"].model
    event = replace(live.workspace.snapshot.events[0], subject="Wall 7", text="LOCAL: nothing fits.")
    model.set_events([event])
    assert model.index(0, 4).data() == "Wall 7: LOCAL: nothing fits."
    live.docks["events"].setFloating(True)
    live.docks["events"].resize(900, 300)
    qtbot.waitUntil(lambda: not table.isColumnHidden(2), timeout=3000)
    assert model.index(0, 4).data() == "LOCAL: nothing fits."


def test_that_a_very_long_name_pushes_nothing_out_of_the_window(qtbot: QtBot, live: MainWindow) -> None:
    live.resize(1280, 720)
    note, units = (live.status.findChild(QWidget, name) for name in ("status_note", "status_units"))
    live.status.show_hover("Überlänge_" * 40 + "at 0x0000_1000")
    qtbot.waitUntil(lambda: live.width() == 1280, timeout=3000)
    live.grab()
    for part in (note, units):
        assert part.isVisible()
        assert part.mapTo(live, part.rect().topRight()).x() < live.width()
    assert live.status.findChild(QWidget, "status_hover").width() < live.width()


def test_that_the_map_has_its_ring_only_where_the_keyboard_brought_the_focus(qtbot: QtBot, window: MainWindow) -> None:
    live = _opened(qtbot, window, SCENARIO)
    canvas = live.views["map"].canvas
    accent = canvas.overlay.colour("accent")

    def has_ring() -> bool:
        return canvas.grab().toImage().pixelColor(1, canvas.height() // 2) == accent

    assert canvas.hasFocus()
    assert not has_ring()
    live.views["map"].toolbar.search.setFocus()
    canvas.setFocus(Qt.FocusReason.TabFocusReason)
    assert has_ring()


def test_that_a_small_window_keeps_its_size_with_a_scenario_open(qtbot: QtBot, live: MainWindow) -> None:
    live.resize(1280, 720)
    qtbot.waitUntil(lambda: (live.width(), live.height()) == (1280, 720), timeout=3000)
    live.workspace.controller.post(Step(2))
    qtbot.waitUntil(lambda: live.workspace.snapshot is not None and live.workspace.snapshot.provenance.frame == 2)
    assert (live.width(), live.height()) == (1280, 720)
    assert live.minimumWidth() <= 1280
