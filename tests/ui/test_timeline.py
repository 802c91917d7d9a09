"""The Timeline on real and on made-up histories."""

from __future__ import annotations

import functools
import itertools
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from explorer.core.events import EventKind
from explorer.core.units import format_bytes
from explorer.sim.scenarios import load_simulation
from explorer.sim.snapshot import FrameHistory
from explorer.ui.timeline_overlay import GUTTER
from explorer.ui.timeline_view import TimelineView
from explorer.ui.workspace import Document

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from explorer.sim.snapshot import Snapshot
    from explorer.ui.theme import Theme
    from explorer.ui.timeline_plot import TimelinePlot
    from explorer.ui.workspace import Workspace

SCENARIO = "d3d9-shooter-2003-agp-64mb"


@functools.cache
def shooter() -> Snapshot:
    simulation = load_simulation(SCENARIO)
    simulation.step(100)
    return simulation.snapshot()


def with_marks(*marks: tuple[int, EventKind]) -> Snapshot:
    history = shooter().history
    assert history is not None
    return replace(shooter(), history=replace(history, marks=tuple((row, kind.value) for row, kind in marks)))


@pytest.fixture
def view(qtbot: QtBot, workspace: Workspace) -> TimelineView:
    made = TimelineView(workspace)
    qtbot.addWidget(made)
    made.resize(1000, 260)
    made.show()
    qtbot.waitUntil(lambda: made.plot is not None, timeout=5000)
    return made


def show(qtbot: QtBot, view: TimelineView, snapshot: Snapshot) -> TimelinePlot:
    view.hide()
    view.show_snapshot(snapshot)
    view.show()
    plot = view.plot
    count = len(snapshot.history.groups) + 2 if snapshot.history is not None else 0

    def is_laid_out() -> bool:
        plots = plot.plots
        at_size = plot.width() == view.width()
        return at_size and plots.tracks == count and (not count or abs(plots.track_rect(0).right() - plot.width()) < 20)

    qtbot.waitUntil(is_laid_out, timeout=2000)
    return plot


def at_frame(plot: TimelinePlot, frame: int) -> QPoint:
    """Return a point inside the column of a frame."""
    rect = plot.plots.track_rect(0)
    return QPoint(round(plot.plots.x_to_px(frame - 0.5)), round(rect.center().y()))


def move(plot: TimelinePlot, at: QPoint, buttons: Qt.MouseButton = Qt.MouseButton.NoButton) -> None:
    point = QPointF(at)
    event = QMouseEvent(
        QEvent.Type.MouseMove, point, plot.mapToGlobal(point), Qt.MouseButton.NoButton, buttons,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(plot, event)


def wheel(plot: TimelinePlot, at: QPoint, steps: int) -> None:
    point = QPointF(at)
    event = QWheelEvent(
        point, plot.mapToGlobal(point), QPoint(), QPoint(0, 120 * steps), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(plot, event)


def test_that_pyqtgraph_is_not_loaded_with_the_view() -> None:
    code = "import sys, explorer.ui.timeline_view, explorer.ui.timeline_plot; sys.exit('pyqtgraph' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_that_the_last_frame_is_under_the_cursor_with_its_numbers(qtbot: QtBot, view: TimelineView) -> None:
    plot = show(qtbot, view, shooter())
    history = shooter().history
    assert view.legend.title == "Frame 100"
    assert plot.overlay.state.cursor == 100
    by_label = {entry.label: entry.value for entry in view.legend.entries}
    local = next(one for one in shooter().segments if one.group == "LOCAL")
    assert by_label["LOCAL"] == f"{format_bytes(int(history.used[99, 0]))} of {format_bytes(local.size_bytes)}"
    assert by_label["moved in"] == format_bytes(int(history.uploaded_bytes[99]))
    assert by_label["evicted"] == format_bytes(int(history.evicted_bytes[99]))
    assert by_label["frame time"].endswith("est.")
    assert "Frame 100" in plot.accessibleDescription()
    assert [label.name for label in plot.overlay.state.labels] == ["LOCAL", "NON_LOCAL", "moved", "time"]


def test_that_a_click_asks_for_the_frame_under_it(qtbot: QtBot, view: TimelineView) -> None:
    plot = show(qtbot, view, shooter())
    with qtbot.waitSignal(view.seek_requested, timeout=1000) as caught:
        qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=at_frame(plot, 37))
    assert caught.args == [37]


def test_that_dragging_scrubs_and_ends_at_the_last_frame(qtbot: QtBot, view: TimelineView) -> None:
    plot = show(qtbot, view, shooter())
    asked: list[int] = []
    view.seek_requested.connect(asked.append)
    qtbot.mousePress(plot, Qt.MouseButton.LeftButton, pos=at_frame(plot, 10))
    for frame in range(11, 60):
        move(plot, at_frame(plot, frame), Qt.MouseButton.LeftButton)
    qtbot.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=at_frame(plot, 59))
    assert asked[0] == 10
    assert asked[-1] == 59
    # Not one for each move: seeking replays frames.
    assert len(asked) < 25


def test_that_hover_shows_the_numbers_of_another_frame(qtbot: QtBot, view: TimelineView) -> None:
    plot = show(qtbot, view, shooter())
    move(plot, at_frame(plot, 20))
    assert view.legend.title == "Frame 20"
    assert plot.overlay.state.hover == 20
    used = format_bytes(int(shooter().history.used[19, 0]))
    assert view.legend.entries[0].value.startswith(used)
    QApplication.sendEvent(plot, QEvent(QEvent.Type.Leave))
    assert view.legend.title == "Frame 100"


def test_that_clicking_in_a_running_window_moves_the_simulation(
    qtbot: QtBot, view: TimelineView, workspace: Workspace
) -> None:
    workspace.snapshot_changed.connect(view.show_snapshot)

    def make() -> object:
        simulation = load_simulation(SCENARIO)
        simulation.step(60)
        return simulation

    workspace.load(Document("scenario", SCENARIO, SCENARIO), make, play=False)
    qtbot.waitUntil(lambda: view.data.cursor == 60 and workspace.is_live, timeout=9000)
    plot = view.plot
    qtbot.waitUntil(lambda: plot.plots.tracks == 4 and view.span()[1] > 1, timeout=2000)
    qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=at_frame(plot, 25))
    qtbot.waitUntil(lambda: workspace.snapshot.provenance.frame == 25, timeout=9000)
    qtbot.waitUntil(lambda: view.data.cursor == 25, timeout=2000)
    # What was seen stays, faded.
    assert view.data.frames == 60
    assert plot.overlay.state.known == 60
    assert view.legend.title == "Frame 25"
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: workspace.snapshot.provenance.frame == 26, timeout=9000)


def test_that_marks_have_bands_flags_and_keys(qtbot: QtBot, view: TimelineView) -> None:
    marks = [(row, EventKind.LRU_TO_MRU) for row in range(20, 30)]
    marks += [(45, EventKind.DEVICE_LOST), (65, EventKind.BUDGET_CHANGED)]
    plot = show(qtbot, view, with_marks(*marks))
    view.grab()
    assert {text for text, _ in plot.overlay.flags} == {"thrash", "device lost", "budget changed"}
    asked: list[int] = []
    view.seek_requested.connect(asked.append)
    plot.setFocus()
    qtbot.keyClick(plot, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: asked == [66], timeout=1000)
    move(plot, at_frame(plot, 25))
    assert view.data.numbers(25).marks == ("thrash",)


def test_that_flags_never_overlap(qtbot: QtBot, view: TimelineView) -> None:
    plot = show(qtbot, view, with_marks(*((row, EventKind.OVER_BUDGET) for row in range(0, 100, 2))))
    view.grab()
    plates = [plate for _, plate in plot.overlay.flags]
    assert plates
    assert not any(one.intersects(other) for i, one in enumerate(plates) for other in plates[i + 1 :])


@pytest.mark.parametrize(
    ("key", "frame"),
    [(Qt.Key.Key_Left, 99), (Qt.Key.Key_PageUp, 90), (Qt.Key.Key_Home, 0), (Qt.Key.Key_End, 100)],
)
def test_that_keys_walk_frames(qtbot: QtBot, view: TimelineView, key: Qt.Key, frame: int) -> None:
    plot = show(qtbot, view, shooter())
    plot.setFocus()
    with qtbot.waitSignal(view.seek_requested, timeout=1000) as caught:
        qtbot.keyClick(plot, key)
    assert caught.args == [frame]


def test_that_the_wheel_zooms_about_a_frame_and_a_button_shows_all(qtbot: QtBot, view: TimelineView) -> None:
    plot = show(qtbot, view, shooter())
    whole = view.span()
    at = at_frame(plot, 50)
    before = plot.plots.px_to_x(at.x())
    wheel(plot, at, 3)
    first, end = view.span()
    assert end - first < whole[1] - whole[0]
    assert plot.plots.px_to_x(at.x()) == pytest.approx(before, abs=0.5)
    assert view.fit_button.isVisible()
    qtbot.mouseClick(view.fit_button, Qt.MouseButton.LeftButton)
    assert view.span() == whole
    wheel(plot, at, 40)
    assert view.span()[1] - view.span()[0] == pytest.approx(8)


def test_that_no_history_and_no_frame_say_why(view: TimelineView) -> None:
    title = view.empty.findChild(type(view.empty._title), "empty_title")
    assert title.text() == "Nothing is open"
    empty = FrameHistory(
        ((0, "LOCAL"),), *(np.zeros((0, 1), np.int64) for _ in range(2)), *(np.zeros(0, np.int64) for _ in range(3))
    )
    for history, words in ((None, "This layout has no frames"), (empty, "No frame has run yet")):
        view.hide()
        view.show_snapshot(replace(shooter(), history=history))
        view.show()
        assert title.text() == words
        assert view.plot.isHidden()
        assert not view.empty.isHidden()


def test_that_a_long_run_is_drawn_from_few_points(qtbot: QtBot, view: TimelineView) -> None:
    rng = np.random.default_rng(3)
    rows = 300_000
    table = rng.integers(1, 1 << 26, (rows, 7)).astype(np.int64)
    table[:, 2:4] = 1 << 27
    history = FrameHistory(shooter().history.groups, table[:, :2], table[:, 2:4], table[:, 4], table[:, 5], table[:, 6])
    plot = show(qtbot, view, replace(shooter(), history=history))
    longest = max(len(curve.xData) for curves in plot.plots._curves for curve in curves)
    assert longest <= 2 * (view.width() - GUTTER) + 4
    assert view.legend.title == "Frame 300,000"


def test_that_another_theme_paints_another_ground(qtbot: QtBot, view: TimelineView, theme: Theme) -> None:
    plot = show(qtbot, view, shooter())
    light = plot.grab().toImage().pixelColor(GUTTER + 20, plot.height() - 4)
    theme.choose("dark")
    dark = plot.grab().toImage().pixelColor(GUTTER + 20, plot.height() - 4)
    assert light.lightness() > 200 > 60 > dark.lightness()


def test_that_a_low_dock_still_names_every_track(qtbot: QtBot, view: TimelineView) -> None:
    view.resize(700, 170)
    plot = show(qtbot, view, shooter())
    rects = [plot.plots.track_rect(index) for index in range(plot.plots.tracks)]
    assert all(rect.height() > 8 for rect in rects)
    assert all(one.bottom() <= other.top() + 1 for one, other in itertools.pairwise(rects))
    view.grab()
