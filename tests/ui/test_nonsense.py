"""Nonsense scenarios in the real window: a message, never a stopped simulation, and the window goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.sim.commands import Seek
from tests.sim.nonsense import BROKEN, STRANGE, scenario, toml
from tests.ui.conftest import SCENARIO

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from explorer.ui.main_window import MainWindow

CHOSEN = (
    "0 frames", "10^9 frames", "a name of a gigabyte", "a second object of one name", "a name taken while it runs",
    "aliases of each other", "an unknown option", "an adapter that is not here", "an adapter without D3D12",
    "an unknown parameter", "an object that is not there", "a negative budget",
)  # fmt: skip
"""One of each way to be broken: the command line goes through all."""


def test_that_a_broken_scenario_is_a_message_with_file_and_key_and_the_window_goes_on(
    qtbot: QtBot, live: MainWindow, tmp_path: Path
) -> None:
    workspace = live.workspace
    for name in CHOSEN:
        api, change, where = BROKEN[name]
        path = tmp_path / "nonsense.toml"
        path.write_text(toml(scenario(api, change)), encoding="utf-8")
        workspace.tell("info", "next")
        live.opener.open_path(str(path))

        def said(name: str = name, where: str = where) -> None:
            found = live.messages.text()
            assert f"toml: {where}: " in found, (name, found, workspace.document, workspace.run_state)

        qtbot.waitUntil(said, timeout=20_000)
        assert "nonsense.toml" in live.messages.text(), name
        assert "stopped" not in live.messages.text(), name
        qtbot.waitUntil(lambda: not workspace.run_state.playing, timeout=9000)
        assert workspace.controller.is_running, name
    live.opener.open_scenario(SCENARIO, play=False)
    qtbot.waitUntil(lambda: workspace.snapshot.provenance.scenario == SCENARIO, timeout=9000)


def test_that_a_strange_scenario_plays_to_its_end(qtbot: QtBot, live: MainWindow, tmp_path: Path) -> None:
    workspace = live.workspace
    for number, name in enumerate(STRANGE):
        api, change, _ = STRANGE[name]
        path = tmp_path / f"strange-{number}.toml"
        path.write_text(toml(scenario(api, change)), encoding="utf-8")
        live.opener.open_path(str(path))
        qtbot.waitUntil(lambda path=path: workspace.snapshot.provenance.scenario == path.stem, timeout=20_000)
        workspace.controller.post(Seek(20))
        qtbot.waitUntil(lambda: workspace.snapshot.provenance.frame == 20, timeout=20_000)
        assert workspace.controller.is_running, name
        assert "stopped" not in live.messages.text(), name
