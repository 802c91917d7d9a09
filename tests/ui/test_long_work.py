"""Long work: progress, cancel, errors, and threads that end."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from explorer.errors import Complaint, InputError
from explorer.ui.long_work import LongWork

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytestqt.qtbot import QtBot

    from explorer.ui.main_window import MainWindow


@pytest.fixture
def work(qtbot: QtBot) -> Iterator[LongWork]:
    made = LongWork()
    yield made
    made.close()


def test_that_the_result_comes_with_its_progress(qtbot: QtBot, work: LongWork) -> None:
    def do(_cancelled: Callable[[], bool], progress: Callable[[float], None]) -> int:
        progress(0.5)
        return 1 << 40

    seen: list[float] = []
    work.progressed.connect(seen.append)
    with qtbot.waitSignals([work.done, work.ended], timeout=3000):
        assert work.start("Counting", do)
    assert seen == [0.5]
    assert not work.is_busy


def test_that_only_one_piece_of_work_runs_at_a_time(qtbot: QtBot, work: LongWork) -> None:
    go_on = threading.Event()
    assert work.start("Waiting", lambda _cancelled, _progress: go_on.wait(5))
    assert not work.start("Another", lambda _cancelled, _progress: None)
    with qtbot.waitSignal(work.done, timeout=3000):
        go_on.set()


def test_that_cancelled_work_is_told_and_its_result_is_dropped(qtbot: QtBot, work: LongWork) -> None:
    started, told = threading.Event(), threading.Event()

    def do(cancelled: Callable[[], bool], _progress: Callable[[float], None]) -> int:
        started.set()
        while not cancelled():
            told.wait(0.005)
        return 7

    results: list[object] = []
    work.done.connect(results.append)
    work.start("Waiting", do)
    started.wait(3)
    with qtbot.waitSignal(work.ended, timeout=500):
        work.cancel()
    work.close()
    assert results == []
    assert not work.is_busy


def test_that_broken_input_and_bugs_come_apart(qtbot: QtBot, work: LongWork) -> None:
    def refuse(_cancelled: Callable[[], bool], _progress: Callable[[float], None]) -> None:
        raise InputError("no such thing", file="a.json")

    def break_down(_cancelled: Callable[[], bool], _progress: Callable[[float], None]) -> None:
        raise RuntimeError("a bug in the making")

    with qtbot.waitSignal(work.failed, timeout=3000) as told:
        work.start("Reading", refuse)
    assert isinstance(told.args[0], Complaint)
    with qtbot.waitSignal(work.failed, timeout=3000) as told:
        work.start("Reading", break_down)
    assert "a bug in the making" in str(told.args[0])


def test_that_the_window_shows_work_and_cancels_it(qtbot: QtBot, window: MainWindow) -> None:
    started, told = threading.Event(), threading.Event()

    def do(cancelled: Callable[[], bool], _progress: Callable[[float], None]) -> None:
        started.set()
        while not cancelled():
            told.wait(0.005)

    window.work.start("Opening a.json: its layout comes on the map", do)
    started.wait(3)
    assert window.working.isVisible()
    window.working.cancelled.emit()
    assert not window.working.isVisible()


def test_that_closing_the_window_ends_its_work(qtbot: QtBot, window: MainWindow) -> None:
    started, told = threading.Event(), threading.Event()

    def do(cancelled: Callable[[], bool], _progress: Callable[[float], None]) -> None:
        started.set()
        while not cancelled():
            told.wait(0.005)

    window.work.start("Opening", do)
    started.wait(3)
    window.close()
    assert not window.work.is_busy
