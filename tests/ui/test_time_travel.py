"""Scrubbing, stepping, looping and speeds with the real widgets: every view is at the frame that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QSlider, QToolButton

from explorer.core.events import EventKind
from explorer.sim.commands import Seek, SetSpeed, Step
from explorer.ui.top_bar import SPEEDS
from explorer.ui.views import VIEWS

if TYPE_CHECKING:
    import pytest
    from pytestqt.qtbot import QtBot

    from explorer.ui.main_window import MainWindow


def frame(window: MainWindow) -> int:
    snapshot = window.workspace.snapshot
    return -1 if snapshot is None else snapshot.provenance.frame


def press(qtbot: QtBot, window: MainWindow, action: str) -> None:
    button = window.top_bar.findChild(QToolButton, f"action_{action}")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def go(qtbot: QtBot, window: MainWindow, frames: int) -> None:
    """Run so many frames and wait until window and loop stand there."""
    wanted = frame(window) + frames
    window.workspace.controller.post(Step(frames))
    qtbot.waitUntil(lambda: frame(window) == wanted and window.workspace.run_state.frame == wanted, timeout=9000)


def choose(window: MainWindow, word: str) -> None:
    window.top_bar.findChild(QComboBox, "speed").setCurrentText(word)


def test_that_scrubbing_in_the_timeline_takes_every_view_along(qtbot: QtBot, live: MainWindow) -> None:
    views = {spec.id: live.views[spec.id] for spec in VIEWS}
    live.show_view("timeline")
    go(qtbot, live, 60)
    timeline = views["timeline"]
    qtbot.waitUntil(lambda: timeline.plot is not None and timeline.plot.plots.tracks > 0, timeout=9000)
    timeline.grab()
    plot = timeline.plot
    late = live.workspace.snapshot
    for wanted in (25, 48, 3):
        at = QPoint(round(plot.plots.x_to_px(wanted - 0.5)), round(plot.plots.track_rect(0).center().y()))
        qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=at)
        qtbot.waitUntil(lambda f=wanted: frame(live) == f, timeout=9000)
        for name, view in views.items():
            shown = live.pacer.shown_by(view)
            assert shown is not None, name
            assert shown.provenance.frame == wanted, name
        qtbot.waitUntil(lambda f=wanted: timeline.data.cursor == f, timeout=2000)
        assert live.top_bar.scrubber.counter_text() == f"{wanted} / 600"
        assert live.top_bar.findChild(QSlider, "scrubber").value() == wanted
        assert timeline.legend.title == f"Frame {wanted}"
        assert timeline.data.frames == 60, "what was seen stays in sight"
        assert max(event.frame for event in live.workspace.snapshot.events) == wanted - 1
    gauge = live.top_bar.gauges.gauges()[0].reading.used
    assert gauge == live.workspace.snapshot.segments[0].used_bytes != late.segments[0].used_bytes


def test_that_the_slider_seeks_by_mouse_and_by_key(qtbot: QtBot, live: MainWindow) -> None:
    slider = live.top_bar.findChild(QSlider, "scrubber")
    slider.setFocus()
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: frame(live) == 1, timeout=9000)
    qtbot.keyClick(slider, Qt.Key.Key_PageUp)
    qtbot.waitUntil(lambda: frame(live) == 11, timeout=9000)
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: frame(live) == 0, timeout=9000)


def test_that_stepping_back_undoes_frames_and_started_ones(qtbot: QtBot, live: MainWindow) -> None:
    go(qtbot, live, 5)
    press(qtbot, live, "step_call")
    live.actions_set["step_event"].trigger()
    qtbot.waitUntil(lambda: live.workspace.snapshot.events[-1].frame == 5, timeout=9000)
    assert frame(live) == 5, "a call is part of its frame"
    press(qtbot, live, "step_back")
    qtbot.waitUntil(lambda: frame(live) == 4, timeout=9000)
    assert max(event.frame for event in live.workspace.snapshot.events) == 3
    for _ in range(6):
        press(qtbot, live, "step_back")
    qtbot.waitUntil(lambda: frame(live) == 0, timeout=9000)


def test_that_a_step_by_event_ends_at_its_event_and_goes_on_from_there(qtbot: QtBot, live: MainWindow) -> None:
    numbers = []
    for _ in range(4):
        last = live.workspace.snapshot.events[-1].number if live.workspace.snapshot.events else -1
        live.actions_set["step_event"].trigger()
        qtbot.waitUntil(lambda n=last: live.workspace.snapshot.events[-1].number > n, timeout=9000)
        event = live.workspace.snapshot.events[-1]
        assert event.kind is not EventKind.PRESENTED
        numbers.append(event.number)
    assert numbers == sorted(set(numbers))
    assert not live.workspace.run_state.playing


def test_that_a_loop_begins_again_behind_the_last_frame(qtbot: QtBot, live: MainWindow) -> None:
    press(qtbot, live, "loop")
    assert live.actions_set["loop"].isChecked()
    choose(live, "Unlimited")
    live.workspace.controller.post(Seek(590))
    qtbot.waitUntil(lambda: frame(live) == 590, timeout=20_000)
    press(qtbot, live, "play")
    qtbot.waitUntil(lambda: 0 < frame(live) < 580, timeout=20_000)
    press(qtbot, live, "play")
    qtbot.waitUntil(lambda: not live.workspace.run_state.playing, timeout=9000)


def test_that_without_a_loop_the_run_stops_at_its_end_and_play_starts_it_anew(qtbot: QtBot, live: MainWindow) -> None:
    choose(live, "Unlimited")
    live.workspace.controller.post(Seek(595))
    qtbot.waitUntil(lambda: frame(live) == 595, timeout=20_000)
    press(qtbot, live, "play")
    qtbot.waitUntil(lambda: frame(live) == 600 and not live.workspace.run_state.playing, timeout=20_000)
    press(qtbot, live, "play")
    qtbot.waitUntil(lambda: 0 < frame(live) < 590, timeout=20_000)
    press(qtbot, live, "play")
    qtbot.waitUntil(lambda: not live.workspace.run_state.playing, timeout=9000)


def test_that_every_speed_reaches_the_loop(qtbot: QtBot, live: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[float | None] = []
    post = live.workspace.controller.post

    def watched(command: object) -> bool:
        if isinstance(command, SetSpeed):
            sent.append(command.frames_per_second)
        return post(command)

    monkeypatch.setattr(live.workspace.controller, "post", watched)
    for word, _ in reversed(SPEEDS):
        choose(live, word)
    assert sent == [speed for _, speed in reversed(SPEEDS)]
    assert (SPEEDS[0], SPEEDS[-1]) == (("0.1 ×", 6.0), ("Unlimited", None))


def test_that_scrubbing_while_it_plays_goes_on_from_there(qtbot: QtBot, live: MainWindow) -> None:
    choose(live, "0.1 ×")
    go(qtbot, live, 40)
    press(qtbot, live, "play")
    qtbot.waitUntil(lambda: frame(live) > 40, timeout=9000)
    live.top_bar.scrubber.sought.emit(5)
    qtbot.waitUntil(lambda: 5 <= frame(live) < 40, timeout=9000)
    assert live.workspace.run_state.playing
    press(qtbot, live, "play")
    qtbot.waitUntil(lambda: not live.workspace.run_state.playing, timeout=9000)
