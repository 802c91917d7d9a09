"""Views get snapshots one by one while a scenario plays, and all at once while it stands."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from explorer.ui.pacing import ViewPacer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot


class _Source(QObject):
    """A workspace as the pacer sees it."""

    snapshot_changed = Signal(object)
    run_state_changed = Signal(object)
    selection_changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.snapshot: object = None
        self.run_state: object = None
        self.way: list[str] = []
        self.controller = SimpleNamespace(
            claim_way=lambda: self.way.append("claimed"), release_way=lambda: self.way.append("free")
        )

    def play(self, playing: bool) -> None:
        self.run_state = SimpleNamespace(playing=playing)
        self.run_state_changed.emit(self.run_state)

    def show(self, snapshot: object) -> None:
        self.snapshot = snapshot
        self.snapshot_changed.emit(snapshot)


class _View(QWidget):
    """Notes what it was shown, and in which turn of the event loop."""

    turns: list[int]

    def __init__(self, turn: list[int]) -> None:
        super().__init__()
        self.shown: list[object] = []
        self.turns, self._turn = [], turn

    def show_snapshot(self, snapshot: object) -> None:
        self.shown.append(snapshot)
        self.turns.append(self._turn[0])
        QTimer.singleShot(0, self, self._next)

    def _next(self) -> None:
        self._turn[0] += 1


@pytest.fixture
def source() -> _Source:
    return _Source()


@pytest.fixture
def views(qtbot: QtBot) -> list[_View]:
    turn = [0]
    made = [_View(turn) for _ in range(3)]
    for view in made:
        qtbot.addWidget(view)
        view.show()
    return made


@pytest.fixture
def pacer(source: _Source, views: list[_View]) -> Iterator[ViewPacer]:
    made = ViewPacer(source, source)  # pyright: ignore[reportArgumentType] - the part of a workspace that it uses
    for view in views:
        made.add(view, 1)
    yield made
    made.close()


@pytest.mark.usefixtures("pacer")
def test_that_every_view_gets_a_snapshot_at_once_while_nothing_plays(source: _Source, views: list[_View]) -> None:
    source.show("imported")
    source.play(False)
    source.show("stepped")
    assert [view.shown for view in views] == [["imported", "stepped"]] * 3


@pytest.mark.usefixtures("pacer")
def test_that_no_two_views_share_a_slot_while_a_scenario_plays(
    source: _Source, views: list[_View], qtbot: QtBot
) -> None:
    source.play(True)
    source.show("frame 1")
    assert not any(view.shown for view in views)
    qtbot.waitUntil(lambda: all(view.shown for view in views), timeout=5000)
    turns = [turn for view in views for turn in view.turns]
    assert len(set(turns)) == len(turns)


@pytest.mark.usefixtures("pacer")
def test_that_the_simulation_waits_during_each_slot(source: _Source, views: list[_View], qtbot: QtBot) -> None:
    source.play(True)
    source.show("frame 1")
    qtbot.waitUntil(lambda: len(source.way) == 2 * len(views), timeout=5000)
    assert source.way == ["claimed", "free"] * len(views)


@pytest.mark.usefixtures("pacer")
def test_that_a_busy_window_leaves_snapshots_out_and_ends_with_the_newest(
    source: _Source, views: list[_View], qtbot: QtBot
) -> None:
    source.play(True)
    for frame in range(20):
        source.show(frame)
    qtbot.waitUntil(lambda: all(view.shown for view in views), timeout=5000)
    assert {tuple(view.shown) for view in views} == {(19,)}


@pytest.mark.parametrize("cause", ["pause", "selection"])
def test_that_a_pause_or_a_selection_brings_every_view_up_to_date(
    source: _Source, views: list[_View], pacer: ViewPacer, cause: str
) -> None:
    source.play(True)
    source.show("newest")
    if cause == "pause":
        source.play(False)
    else:
        source.selection_changed.emit(())
    assert [view.shown for view in views] == [["newest"]] * 3
    assert all(pacer.shown_by(view) == "newest" for view in views)


def test_that_a_slow_rhythm_is_kept_beside_a_fast_one(
    source: _Source, views: list[_View], pacer: ViewPacer, qtbot: QtBot
) -> None:
    slow = _View([0])
    qtbot.addWidget(slow)
    slow.show()
    pacer.add(slow, 60_000)
    source.play(True)
    for frame in range(3):
        source.show(frame)
        qtbot.waitUntil(lambda frame=frame: views[0].shown[-1:] == [frame], timeout=5000)
    assert len(slow.shown) == 1


def _named(names: str, born: list[int]) -> SimpleNamespace:
    return SimpleNamespace(resources=SimpleNamespace(names=tuple(names), created_frame=born))


def test_that_a_pick_in_an_older_snapshot_means_the_same_resources_in_the_newest(
    source: _Source, views: list[_View], pacer: ViewPacer
) -> None:
    source.show(_named("abcd", [0, 0, 0, 0]))
    source.play(True)
    # a was released, c too and its name given again.
    source.show(_named("bcd", [0, 7, 0]))
    assert pacer.found_again(views[0], [0, 1, 2, 3]) == [0, 2]
    pacer.flush()
    assert pacer.found_again(views[0], [0, 1]) == [0, 1]
