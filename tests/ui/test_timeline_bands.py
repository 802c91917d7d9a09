"""Bands, marks and the parts of a frame's time in the Timeline, in the real window and alone."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from explorer.core.events import EventKind
from explorer.core.kinds import ResidencyPlace
from explorer.core.units import format_ns
from explorer.render.residency_bands import PLACE_WORDS
from explorer.render.timeline import BUDGET, LOSS, MARK_KINDS, OVER, PARTS, THRASH, TRIM
from explorer.sim.commands import Step
from explorer.sim.scenarios import load_simulation
from explorer.ui.timeline_bands import MOST
from explorer.ui.timeline_overlay import GUTTER
from explorer.ui.timeline_view import TimelineView

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from explorer.sim.snapshot import Snapshot
    from explorer.ui.main_window import MainWindow
    from explorer.ui.timeline_plot import TimelinePlot
    from explorer.ui.workspace import Workspace

PAGING = "d3d9-shooter-2003-agp-64mb"


@functools.cache
def shot(scenario: str = PAGING, frames: int = 100) -> Snapshot:
    simulation = load_simulation(scenario)
    simulation.step(frames)
    return simulation.snapshot()


@pytest.fixture
def view(qtbot: QtBot, workspace: Workspace) -> TimelineView:
    made = TimelineView(workspace)
    qtbot.addWidget(made)
    made.resize(1000, 420)
    made.show()
    qtbot.waitUntil(lambda: made.plot is not None, timeout=5000)
    return made


def show(qtbot: QtBot, view: TimelineView, snapshot: Snapshot) -> TimelinePlot:
    view.hide()
    view.show_snapshot(snapshot)
    view.show()
    plot = view.plot
    qtbot.waitUntil(lambda: plot.width() == view.width() and plot.plots.tracks > 0, timeout=2000)
    settle(qtbot, view)
    return plot


def settle(qtbot: QtBot, view: TimelineView) -> None:
    """Wait until tracks and bands have their places, and paint them."""
    plots = view.plot.plots

    def is_laid_out() -> bool:
        area = view.plot.overlay.area()
        return area.bottom() <= view.plot.height() and plots.track_rect(0).height() > 8

    qtbot.waitUntil(is_laid_out, timeout=2000)
    view.grab()


def move(plot: TimelinePlot, at: QPointF) -> None:
    event = QMouseEvent(
        QEvent.Type.MouseMove, at, plot.mapToGlobal(at), Qt.MouseButton.NoButton, Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(plot, event)


def on_band(plot: TimelinePlot, band: int, frame: int) -> QPointF:
    return QPointF(plot.plots.x_to_px(frame - 0.5), plot.overlay.bands.rects[band].center().y())


def find_run(view: TimelineView, place: ResidencyPlace) -> tuple[int, int]:
    """Return a band and a frame where its resource was somewhere."""
    return next(
        (band, frame)
        for band in range(len(view.bands.names))
        for frame in range(1, view.data.frames + 1)
        if (run := view.bands.run_at(band, frame)) is not None and run.place is place
    )


def test_that_the_largest_resources_have_bands_as_many_as_fit(qtbot: QtBot, view: TimelineView) -> None:
    plot = show(qtbot, view, shot())
    names = plot.overlay.bands.names
    sizes = shot().resources.size
    least = min(int(sizes[shot().resources.names.index(name)]) for name in names)
    assert 4 <= len(names) <= MOST
    assert sum(int(size) > least for size in sizes) < len(names)
    assert plot.overlay.bands.rects[-1].bottom() < plot.height() - plot.overlay.bottom_room() + 2
    view.resize(1000, 1200)
    qtbot.waitUntil(lambda: len(plot.overlay.bands.names) == MOST, timeout=2000)
    lowest = plot.overlay.bands.rects[0].center().y()
    assert plot.overlay.bands.band_at(lowest) == 0
    view.resize(1000, 150)
    qtbot.waitUntil(lambda: not plot.overlay.bands.names, timeout=2000)
    assert plot.overlay.bands.band_at(lowest) == -1
    settle(qtbot, view)


def test_that_a_band_tells_place_why_and_rule_of_the_frame_under_the_mouse(qtbot: QtBot, view: TimelineView) -> None:
    plot = show(qtbot, view, shot())
    band, frame = find_run(view, ResidencyPlace.EVICTED)
    move(plot, on_band(plot, band, frame))
    assert view.tip.title == plot.overlay.bands.names[band]
    rows = dict(view.tip.rows)
    run = view.bands.run_at(band, frame)
    assert rows["Frame"] == f"{frame:,}, so from {run.first:,} to {run.last:,}"
    assert rows["Why"].startswith("Evicted to make room for")
    assert rows["Rule"] == run.rule
    assert rows["Rule"].startswith("d3d9.R5.")
    assert view.legend.title == f"Frame {frame}"
    QApplication.sendEvent(plot, QEvent(QEvent.Type.Leave))
    assert view.tip.title == ""


def test_that_a_click_on_a_band_goes_to_the_frame_and_selects_the_resource(qtbot: QtBot, live: MainWindow) -> None:
    workspace = live.workspace
    workspace.controller.post(Step(60))
    view = live.views["timeline"]
    live.show_view("timeline")
    qtbot.waitUntil(lambda: view.plot is not None and view.data.cursor == 60 and bool(view.bands.names), timeout=9000)
    settle(qtbot, view)
    plot = view.plot
    name = plot.overlay.bands.names[0]
    qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=on_band(plot, 0, 20).toPoint())
    qtbot.waitUntil(lambda: workspace.snapshot.provenance.frame == 20 and bool(workspace.selection), timeout=9000)
    assert [workspace.snapshot.resources.names[at] for at in workspace.selection] == [name]
    assert plot.overlay.bands.names[0] == name
    assert plot.overlay.bands.chosen == {name}


def test_that_a_selected_resource_has_a_band_and_keeps_it_before_its_birth(qtbot: QtBot, live: MainWindow) -> None:
    workspace, view = live.workspace, live.views["timeline"]
    live.show_view("timeline")
    workspace.controller.post(Step(5))
    qtbot.waitUntil(lambda: workspace.snapshot.provenance.frame == 5 and view.data.cursor == 5, timeout=9000)
    qtbot.waitUntil(lambda: view.plot is not None, timeout=9000)
    smallest = int(workspace.snapshot.resources.size.argmin())
    name = workspace.snapshot.resources.names[smallest]
    workspace.select([smallest])
    qtbot.waitUntil(lambda: view.bands.names[:1] == (name,), timeout=2000)
    workspace.select(())
    qtbot.waitUntil(lambda: name not in view.bands.names, timeout=2000)
    # One that the sought frame does not know yet stays in sight.
    view._pinned = ("not born",)
    view.select_resources(())
    assert view._pinned == ("not born",)


def test_that_the_gutter_beside_a_band_selects_and_stays_at_the_frame(qtbot: QtBot, view: TimelineView) -> None:
    plot = show(qtbot, view, shot())
    asked: list[int] = []
    view.seek_requested.connect(asked.append)
    with qtbot.waitSignal(view.resources_selected, timeout=1000) as caught:
        qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=QPoint(30, int(on_band(plot, 1, 1).y())))
    assert [shot().resources.names[at] for at in caught.args[0]] == [plot.overlay.bands.names[1]]
    assert asked == []


def test_that_every_place_has_a_swatch_of_its_own(view: TimelineView) -> None:
    bands = view.plot.overlay.bands
    pictures = {place: bands.swatch(place, 1.0) for place in PLACE_WORDS}
    kept = list(pictures.values())
    assert all(one != other for i, one in enumerate(kept) for other in kept[i + 1 :])
    assert bands.swatch(ResidencyPlace.ABSENT, 1.0) is None


def with_marks(*marks: tuple[int, EventKind, str]) -> Snapshot:
    history = shot().history
    return replace(
        shot(),
        history=replace(
            history,
            marks=tuple((row, kind.value) for row, kind, _ in marks),
            mark_notes=tuple((rule, f"It happened in row {row}.") for row, _, rule in marks),
        ),
    )


MARKS = (
    (10, EventKind.LRU_TO_MRU, "d3d9.R5.8"), (22, EventKind.BUDGET_CHANGED, "d3d12.8.5b"),
    (36, EventKind.OVER_BUDGET, "kernel.over-budget"), (50, EventKind.TRIMMED, "kernel.periodic-trim"),
    (60, EventKind.DEVICE_LOST, "d3d9.R9.1"), (76, EventKind.DEVICE_REMOVED, "d3d12.8.7"),
)  # fmt: skip


def test_that_every_kind_of_mark_has_a_sign_and_a_flag_of_its_own() -> None:
    from explorer.ui import timeline_overlay

    groups = {THRASH, BUDGET, OVER, TRIM, LOSS}
    assert {group for group, _ in MARK_KINDS.values()} == groups
    signs = timeline_overlay._SIGNS
    assert set(signs) == set(timeline_overlay._TOKENS) == groups
    assert len(set(signs.values())) == len(groups), "none needs a colour to be told apart"
    words = [word for _, word in MARK_KINDS.values()]
    assert len(set(words)) == len(words)


def test_that_a_flag_tells_what_happened_with_its_rule_and_leads_to_its_frame(qtbot: QtBot, view: TimelineView) -> None:
    plot = show(qtbot, view, with_marks(*MARKS))
    flags = dict(plot.overlay.flags)
    assert set(flags) == {"thrash", "budget changed", "over budget", "trim", "device lost", "device removed"}
    asked: list[int] = []
    view.seek_requested.connect(asked.append)
    for row, kind, rule in MARKS:
        word = MARK_KINDS[kind.value][1]
        move(plot, flags[word].center())
        assert view.tip.title == word
        rows = dict(view.tip.rows)
        assert rows["What"] == f"It happened in row {row}."
        assert rows["Rule"] == rule
        assert rows["Frame"] == f"{row + 1}"
        qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=flags[word].center().toPoint())
        qtbot.waitUntil(lambda wanted=row + 1: asked[-1:] == [wanted], timeout=1000)


def test_that_marks_of_one_frame_are_told_together(qtbot: QtBot, view: TimelineView) -> None:
    plot = show(
        qtbot, view,
        with_marks((40, EventKind.BUDGET_CHANGED, "d3d12.8.5b"), (40, EventKind.OVER_BUDGET, "kernel.over-budget")),
    )  # fmt: skip
    move(plot, QPointF(plot.plots.x_to_px(40), plot.plots.track_rect(0).top() - 2))
    assert set(view.tip.title.split(", ")) == {"budget changed", "over budget"}
    assert [value for name, value in view.tip.rows if name == "Rule"] != []


def test_that_keys_and_actions_walk_marks_and_say_what_they_are(qtbot: QtBot, view: TimelineView) -> None:
    plot = show(qtbot, view, with_marks(*MARKS))
    plot.setFocus()
    asked: list[int] = []
    view.seek_requested.connect(asked.append)
    qtbot.keyClick(plot, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: asked == [77], timeout=1000)
    assert view.tip.title == "device removed"
    assert dict(view.tip.rows)["Rule"] == "d3d12.8.7"
    assert view.go_to_mark(1) is False


def test_that_the_window_has_actions_for_marks(qtbot: QtBot, live: MainWindow) -> None:
    live.opener.open_scenario("d3d12-budget-drop", play=False)
    qtbot.waitUntil(lambda: live.workspace.snapshot.provenance.scenario == "d3d12-budget-drop", timeout=9000)
    live.workspace.controller.post(Step(190))
    qtbot.waitUntil(lambda: live.workspace.snapshot.provenance.frame == 190, timeout=9000)
    live.actions_set["previous_mark"].trigger()
    qtbot.waitUntil(lambda: live.workspace.snapshot.provenance.frame == 181, timeout=9000)
    live.actions_set["previous_mark"].trigger()
    qtbot.waitUntil(lambda: live.workspace.snapshot.provenance.frame == 121, timeout=9000)
    live.actions_set["next_mark"].trigger()
    qtbot.waitUntil(lambda: live.workspace.snapshot.provenance.frame == 181, timeout=9000)


def test_that_the_parts_of_a_frame_add_up_in_legend_tip_and_track(qtbot: QtBot, view: TimelineView) -> None:
    plot = show(qtbot, view, shot())
    numbers = view.data.numbers(100)
    split = shot().history.split_ns[99]
    assert numbers.parts_ns == tuple(int(part) for part in split)
    assert sum(numbers.parts_ns) == numbers.frame_ns == int(shot().history.frame_ns[99])
    by_label = {entry.label: entry.value for entry in view.legend.entries}
    assert [by_label[part] for part in PARTS] == [format_ns(part) for part in numbers.parts_ns]
    track = plot.plots.track_rect(plot.plots.tracks - 1)
    move(plot, QPointF(plot.plots.x_to_px(49.5), track.center().y()))
    there = view.data.numbers(50)
    assert view.tip.title == "Frame 50"
    assert dict(view.tip.rows) == {
        **{part: format_ns(ns) for part, ns in zip(PARTS, there.parts_ns, strict=True)},
        "Frame": f"{format_ns(there.frame_ns)} est.",
    }
    stacked = view.data.buckets(0, 100, 10).stacked_ns
    assert (stacked[:, :-1] <= stacked[:, 1:]).all()
    assert (stacked[:, -1] == view.data.buckets(0, 100, 10).frame_ns).all()


def test_that_top_bar_and_timeline_say_one_frame_time(qtbot: QtBot, live: MainWindow) -> None:
    view = live.views["timeline"]
    live.show_view("timeline")
    for frames in (60, 7):
        live.workspace.controller.post(Step(frames))
        total = live.workspace.snapshot.provenance.frame + frames
        qtbot.waitUntil(lambda wanted=total: live.workspace.snapshot.provenance.frame == wanted, timeout=9000)
        qtbot.waitUntil(lambda wanted=total: view.data.cursor == wanted, timeout=2000)
        told = next(entry.value for entry in view.legend.entries if entry.label == "frame time")
        right = live.top_bar.scrubber.right_text()
        assert right.split(" · ")[0] == told


def test_that_a_narrow_head_leaves_out_the_parts_first(qtbot: QtBot, view: TimelineView) -> None:
    plot = show(qtbot, view, shot())
    wide = [entry.label for entry, *_ in view.legend._placed(1600)]
    narrow = [entry.label for entry, *_ in view.legend._placed(520)]
    assert set(PARTS) <= set(wide)
    assert not set(PARTS) & set(narrow)
    assert set(wide) - set(narrow) == set(PARTS)
    assert plot.plots.track_rect(0).left() == GUTTER


def test_that_the_time_of_a_60_hz_frame_is_drawn_where_the_scale_reaches_it(qtbot: QtBot, view: TimelineView) -> None:
    plot = show(qtbot, view, shot())
    assert "16.7 ms, 60 frames/s" in plot.overlay.state.labels[-1].note
    show(qtbot, view, shot("d3d12-gpu-upload-heaps", 20))
    assert plot.overlay.state.labels[-1].note == ""
