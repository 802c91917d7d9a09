"""The window's own run ends in the same bytes as the command line's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from explorer.interchange.snapshot_encode import snapshot_sha256
from explorer.sim.commands import Pause, Play, Seek, SetSpeed
from explorer.sim.scenarios import load_simulation

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from explorer.ui.main_window import MainWindow

FRAMES = 90


@pytest.mark.parametrize("scenario", ["d3d9-shooter-2003-agp-64mb", "d3d12-budget-drop"])
def test_that_playing_and_seeking_in_the_window_ends_where_the_command_line_ends(
    qtbot: QtBot, window: MainWindow, scenario: str
) -> None:
    workspace = window.workspace
    window.opener.open_scenario(scenario, play=False)
    qtbot.waitUntil(lambda: workspace.run_state is not None and workspace.snapshot is not None, timeout=20_000)
    workspace.controller.post(SetSpeed(None))
    workspace.controller.post(Play())
    qtbot.waitUntil(lambda: workspace.run_state is not None and workspace.run_state.frame > 20, timeout=20_000)
    workspace.controller.post(Pause())
    workspace.controller.post(Seek(7))
    workspace.controller.post(Seek(FRAMES))
    qtbot.waitUntil(
        lambda: workspace.snapshot is not None and workspace.snapshot.provenance.frame == FRAMES, timeout=20_000
    )
    simulation = load_simulation(scenario)
    simulation.step(FRAMES)
    assert workspace.snapshot is not None
    assert snapshot_sha256(workspace.snapshot) == snapshot_sha256(simulation.snapshot())
