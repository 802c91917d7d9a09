"""Sessions in the window, edits kept over a switch of adapters, and reports opened like any file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from explorer.core.calls import CallRecord
from explorer.interchange import open_file
from explorer.interchange.snapshot_encode import snapshot_bytes
from explorer.ui.adapter_report import AdapterReport
from tests.interchange.test_d3d12info import report_of_two_runs

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from explorer.ui.main_window import MainWindow

MINE = CallRecord("d3d9", "CreateTexture", {
    "Width": 256, "Height": 256, "Levels": 1, "Usage": 0, "Format": "D3DFMT_A8R8G8B8", "Pool": "D3DPOOL_MANAGED",
}, "Mine")  # fmt: skip


def _edit(qtbot: QtBot, window: MainWindow) -> None:
    window.commands.do_step_frame()
    window.workspace.controller.apply(MINE)
    qtbot.waitUntil(lambda: _has_mine(window), timeout=5000)


def _has_mine(window: MainWindow) -> bool:
    snapshot = window.workspace.snapshot
    return snapshot is not None and "Mine" in snapshot.resources.names


def test_that_a_saved_session_opens_live_where_it_stood_with_its_edits_and_selection(
    qtbot: QtBot, live: MainWindow, tmp_path: Path
) -> None:
    _edit(qtbot, live)
    before = live.workspace.snapshot
    assert before is not None
    live.workspace.select((before.resources.names.index("Mine"),))
    path = tmp_path / "a.session.json"
    with qtbot.waitSignal(live.adapter_desk.saved, timeout=5000):
        live.adapter_desk.save_session(str(path))
    assert "holds the scenario and its 1 edit." in live.messages.text()
    opened = open_file(path)
    assert opened.snapshot is not None
    assert snapshot_bytes(opened.snapshot) == snapshot_bytes(before)
    with qtbot.waitSignal(live.workspace.document_changed, timeout=9000):
        live.opener.open_path(str(path))
    qtbot.waitUntil(lambda: _has_mine(live) and bool(live.workspace.selection), timeout=9000)
    assert live.workspace.is_live
    shown = live.workspace.snapshot
    assert shown is not None
    assert snapshot_bytes(shown) == snapshot_bytes(before)
    assert [shown.resources.names[i] for i in live.workspace.selection] == ["Mine"]
    live.commands.do_undo()
    qtbot.waitUntil(lambda: not _has_mine(live), timeout=5000)


def test_that_another_adapter_runs_the_edits_too(qtbot: QtBot, live: MainWindow) -> None:
    _edit(qtbot, live)
    with qtbot.waitSignal(live.adapter_desk.changed, timeout=9000):
        live.adapter_desk.run_on("hd7970")
    state = live.workspace.run_state
    qtbot.waitUntil(
        lambda: live.workspace.run_state is not None and live.workspace.run_state.journal == 1, timeout=5000
    )
    assert state is not None
    live.commands.do_step_frame()
    qtbot.waitUntil(lambda: _has_mine(live), timeout=5000)


def test_that_a_report_opens_like_any_file_without_the_picker(qtbot: QtBot, live: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report_of_two_runs()), encoding="utf-8")
    live.opener.open_path(str(path))
    qtbot.waitUntil(lambda: live.findChild(AdapterReport) is not None, timeout=5000)
    dialog = live.findChild(AdapterReport)
    assert dialog is not None
    dialog.reject()
