"""Every scenario in the real window: opened, played, sought, edited, on another adapter, closed while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from explorer.interchange.snapshot_encode import snapshot_sha256
from explorer.sim.commands import Seek
from explorer.sim.scenarios import load_scenario, load_simulation
from explorer.tables.adapters import adapter, adapter_ids
from tests.every_scenario import FRAMES, SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from explorer.sim.commands import RunState
    from explorer.ui.main_window import MainWindow

APIS = {"d3d9": ("d3d9",), "d3d11": ("d3d11", "xg"), "d3d12": ("d3d12",)}
SIZES = ((1280, 720), (1720, 980), (900, 620))


class Hand:
    """Works the window as a person does, and waits until it shows what was asked for.

    Args:
        qtbot: Presses and waits.
        window: The window.
    """

    def __init__(self, qtbot: QtBot, window: MainWindow) -> None:
        self.qtbot, self.window, self.workspace = qtbot, window, window.workspace

    def wait(self, is_there: Callable[[], bool]) -> None:
        """Wait until something holds; the simulation must not stop meanwhile."""

        def check() -> bool:
            assert "The simulation stopped" not in self.window.messages.text(), self.window.messages.text()
            return is_there()

        self.qtbot.waitUntil(check, timeout=60_000)

    def frame(self) -> int:
        """The shown frame; −1 before the first snapshot."""
        snapshot = self.workspace.snapshot
        return -1 if snapshot is None else snapshot.provenance.frame

    def press(self, action: str) -> None:
        """Click a button of the top bar."""
        button = self.window.top_bar.findChild(QToolButton, f"action_{action}")
        assert button is not None, action
        assert button.isEnabled(), action
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def open(self, scenario: str) -> None:
        """Open a scenario and wait for its first picture."""
        self.window.opener.open_scenario(scenario, play=False)
        self.wait(lambda: not self.workspace.is_loading)
        assert "Not opened" not in self.window.messages.text()
        self.wait(lambda: self.shows(scenario, 0) and self.workspace.run_state is not None)

    def shows(self, scenario: str, frame: int) -> bool:
        """Whether the window shows a frame of a scenario."""
        snapshot = self.workspace.snapshot
        return snapshot is not None and (snapshot.provenance.scenario, snapshot.provenance.frame) == (scenario, frame)

    def seek(self, *frames: int) -> None:
        """Go to frames; the last one is waited for."""
        for frame in frames:
            self.workspace.controller.post(Seek(frame))
        self.wait(lambda: self.frame() == frames[-1])

    def state(self) -> RunState:
        """How the simulation's loop stands."""
        state = self.workspace.run_state
        assert state is not None
        return state


def another_adapter(scenario: str) -> str:
    """Return the first other adapter that has the scenario's API."""
    file = load_scenario(scenario)
    api = "d3d11" if file.api == "xg" else file.api.removesuffix("ex")
    return next(one for one in adapter_ids() if one != file.adapter and api in adapter(one).apis.names)


def walk(hand: Hand, scenario: str) -> None:
    """Open a scenario, play, stop, go back, edit, take the edit back, and end at ``FRAMES``."""
    hand.open(scenario)
    hand.press("play")
    hand.wait(lambda: hand.frame() > 2)
    hand.press("play")
    hand.wait(lambda: not hand.state().playing)
    hand.window.actions_set["step_call"].trigger()
    hand.press("step_frame")
    hand.press("step_back")
    hand.seek(5)
    hand.workspace.select((0,))
    hand.window.actions_set["release_selection"].trigger()
    hand.wait(lambda: hand.state().journal == 1)
    hand.window.actions_set["undo"].trigger()
    hand.wait(lambda: hand.state().journal == 0)
    hand.seek(FRAMES // 2, 3, FRAMES)
    hand.wait(lambda: hand.state().frame == FRAMES)


@pytest.mark.parametrize("api", ["d3d9", "d3d11", "d3d12"])
def test_that_every_scenario_can_be_played_and_ends_in_the_bytes_of_the_command_line(
    qtbot: QtBot, window: MainWindow, api: str
) -> None:
    hand = Hand(qtbot, window)
    for number, scenario in enumerate(one for one in SCENARIOS if one.startswith(APIS[api])):
        window.resize(*SIZES[number % len(SIZES)])
        walk(hand, scenario)
        run = load_simulation(scenario)
        run.step(FRAMES)
        assert hand.workspace.snapshot is not None
        assert snapshot_sha256(hand.workspace.snapshot) == snapshot_sha256(run.snapshot()), scenario
        hand.window.opener.reopen(adapter=another_adapter(scenario))
        hand.wait(lambda: not hand.workspace.is_loading)
        hand.press("play")
    window.close()
    assert not window.workspace.controller.is_running
