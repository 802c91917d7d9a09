"""The Policies view: bars and curves over a real recording, progress, cancel, and what a click asks for."""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt

from explorer.errors import InputError
from explorer.memory.eviction import EVICTION_POLICIES, reference_stream
from explorer.memory.lab import run_lab
from explorer.sim.scenarios import load_simulation
from explorer.ui import policies_report
from explorer.ui.policies_curves import nice_ticks
from explorer.ui.policies_report import LabQuestion, LabReport, answer, lesson, question_of
from explorer.ui.policies_view import PoliciesView
from explorer.ui.workspace import Document
from tests.ui.builders import make_snapshot
from tests.ui.conftest import SCENARIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytestqt.qtbot import QtBot

    from explorer.sim.snapshot import Snapshot
    from explorer.ui.main_window import MainWindow
    from explorer.ui.workspace import Workspace

IDS = tuple(policy.id for policy in EVICTION_POLICIES)
FRAMES = 8


def quiet(_share: float) -> None:
    """Take progress and do nothing."""


@cache
def snapshot() -> Snapshot:
    simulation = load_simulation(SCENARIO)
    simulation.step(FRAMES)
    return simulation.snapshot()


@cache
def loop_report(objects: int = 11, budget: int = 10) -> LabReport:
    """Objects of 1 MiB used one after the other, over and over."""
    stream = reference_stream(list(range(objects)) * 20, [1 << 20] * objects)
    budgets = [n << 20 for n in range(2, objects + 1)]
    result = run_lab(stream, IDS, budgets, use_kernels=False)
    return LabReport(LabQuestion("loop", None, None, 0, 0, 20, budget << 20), result, budget << 20)


@pytest.fixture
def view(qtbot: QtBot, workspace: Workspace) -> Iterator[PoliciesView]:
    made = PoliciesView(workspace)
    qtbot.addWidget(made)
    workspace.snapshot_changed.connect(made.show_snapshot)
    made.resize(420, 900)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.work.close()


@pytest.fixture
def loaded(qtbot: QtBot, workspace: Workspace, view: PoliciesView) -> PoliciesView:
    def make() -> object:
        simulation = load_simulation(SCENARIO)
        simulation.step(FRAMES)
        return simulation

    workspace.load(Document("scenario", SCENARIO, SCENARIO), make, play=False)
    qtbot.waitUntil(lambda: workspace.snapshot is not None and view.run_button.isEnabled(), timeout=9000)
    return view


def show(view: PoliciesView, report: LabReport, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    monkeypatch.setattr(policies_report, "answer", lambda *_: report)
    view.run()
    qtbot.waitUntil(lambda: view.report is report, timeout=3000)


def empty_words(view: PoliciesView) -> str:
    return view.findChild(type(view.claim), "empty_title").text()


# What is found ----------------------------------------------------------------------------------------------------


def test_that_the_answer_holds_every_policy_under_every_budget_and_respects_the_bound() -> None:
    shares: list[float] = []
    question = question_of(snapshot(), SCENARIO, None, None, last=100, length=600)
    assert (question.first_frame, question.frames) == (0, FRAMES)
    report = answer(question, lambda: False, shares.append)
    assert report is not None
    assert len(report.result.grid) == len(IDS) * len(report.budgets)
    assert report.budget_bytes in report.budgets
    for budget in report.budgets:
        ranked = [row.fetched_bytes for row in report.ranked(budget, "bytes")]
        assert ranked == sorted(ranked)
        assert ranked[0] >= report.bound(budget)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_that_a_cancelled_answer_is_none() -> None:
    question = question_of(snapshot(), SCENARIO, None, None, last=100, length=600)
    calls = iter([False] * 9 + [True] * 1000)
    assert answer(question, lambda: next(calls), quiet) is None


@pytest.mark.parametrize(
    ("frame", "last", "length", "expected"),
    [(8, 100, 600, (0, 8)), (0, 100, 600, (0, 100)), (8, 5, 600, (3, 5)), (8, 0, 600, (0, 600)), (8, 0, 0, (0, 8))],
)
def test_that_the_frames_asked_for_are_those_up_to_the_shown_one(
    frame: int, last: int, length: int, expected: tuple[int, int]
) -> None:
    shown = snapshot() if frame else load_simulation(SCENARIO).snapshot()
    question = question_of(shown, SCENARIO, None, None, last=last, length=length)
    assert (question.first_frame, question.frames) == expected


def test_that_a_loop_teaches_that_lru_throws_out_what_comes_next() -> None:
    report = loop_report()
    found = lesson(report, 10 << 20, "lru")
    assert found.claim == "LRU throws out what comes next"
    assert "MRU" in found.why
    assert "11.0 MiB" in found.where


def test_that_where_all_fits_nobody_has_to_choose() -> None:
    report = loop_report()
    assert report.equal_from() == 11 << 20
    assert lesson(report, 11 << 20, "lru").claim.startswith("Everything fits")


def test_that_a_good_policy_is_told_to_be_good() -> None:
    found = lesson(loop_report(), 10 << 20, "mru")
    assert found.claim.startswith("MRU")
    assert "bound" in found.claim


def test_that_misses_are_compared_with_belady_and_bytes_with_the_bound() -> None:
    report = loop_report()
    budget = 10 << 20
    best = next(row.misses for row in report.rows(budget) if row.policy == "belady")
    assert report.reference(budget, "misses") == best
    assert report.reference(budget, "bytes") == report.bound(budget)
    assert report.curve(None, "bytes") == tuple((one, report.bound(one)) for one in report.budgets)


@pytest.mark.parametrize(
    ("low", "high", "count"), [(0, 90 << 20, 5), (7 << 20, 90 << 20, 4), (1, 3, 2), (5 << 30, 9 << 40, 6), (4, 4, 3)]
)
def test_that_ticks_are_few_rising_and_inside(low: int, high: int, count: int) -> None:
    ticks = nice_ticks(low, high, count)
    assert 1 <= len(ticks) <= max(count, 2)
    assert list(ticks) == sorted(set(ticks))
    assert all(low <= tick <= high for tick in ticks)


# What is shown ----------------------------------------------------------------------------------------------------


def test_that_an_empty_view_says_why(qtbot: QtBot, workspace: Workspace, view: PoliciesView) -> None:
    assert empty_words(view) == "Nothing is open"
    assert not view.run_button.isEnabled()
    workspace.show_file(Document("file", "a.json"), make_snapshot(5))
    assert "from a file" in empty_words(view)
    assert not view.run_button.isEnabled()


def test_that_a_run_of_the_live_scenario_shows_bars_curves_and_a_lesson(qtbot: QtBot, loaded: PoliciesView) -> None:
    assert empty_words(loaded) == "No policy was compared yet"
    qtbot.mouseClick(loaded.run_button, Qt.MouseButton.LeftButton)
    assert loaded.working.isVisibleTo(loaded)
    qtbot.waitUntil(lambda: loaded.report is not None, timeout=20_000)
    assert not loaded.working.isVisibleTo(loaded)
    assert loaded.results.isVisibleTo(loaded)
    rows = loaded.bars.rows
    assert [row.policy for row in rows[:1]] == [""]
    assert sorted(row.policy for row in rows[1:]) == sorted(IDS)
    assert [row.value for row in rows[1:]] == sorted(row.value for row in rows[1:])
    assert loaded.bars.current == "lru-mru"
    assert loaded.curves.curves[0].token == ""
    assert loaded.claim.text()
    picture = loaded.grab()
    assert picture.width() == 420


def test_that_bars_share_one_scale_and_a_failing_policy_is_cut(
    qtbot: QtBot, loaded: PoliciesView, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(loaded, loop_report(), monkeypatch, qtbot)
    bars = loaded.bars
    reference, *others = bars.rows
    full = max(bars.bar_rect(index).width() for index in range(len(bars.rows)))
    for index, row in enumerate(others, 1):
        expected = min(row.value / (3 * reference.value), 1.0) * full
        assert bars.bar_rect(index).width() == pytest.approx(expected, abs=1.0)
        assert bars.bar_rect(index).left() == bars.bar_rect(0).left()
    assert others[-1].value > 3 * reference.value


def test_that_misses_leave_belady_to_the_first_row(
    qtbot: QtBot, loaded: PoliciesView, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(loaded, loop_report(), monkeypatch, qtbot)
    loaded.measure.setFocus()
    qtbot.keyClick(loaded.measure, Qt.Key.Key_Right)
    assert loaded.bars.rows[0].name == "Belady"
    assert [row.policy for row in loaded.bars.rows].count("belady") == 0
    assert loaded.legend.words[0] == "Belady misses too"
    assert next(row.text for row in loaded.bars.rows if row.policy == "lru") == "220"


def test_that_a_click_on_the_curves_picks_a_budget(
    qtbot: QtBot, loaded: PoliciesView, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(loaded, loop_report(), monkeypatch, qtbot)
    assert loaded.budget == 10 << 20
    at = loaded.curves.plot_rect().center().toPoint()
    at.setX(round(loaded.curves.x_of(4 << 20)))
    qtbot.mouseClick(loaded.curves, Qt.MouseButton.LeftButton, pos=at)
    assert loaded.budget == 4 << 20
    assert loaded.budgets.currentData() == 4 << 20
    loaded.budgets.setCurrentIndex(loaded.budgets.count() - 1)
    loaded.budgets.activated.emit(loaded.budgets.count() - 1)
    assert loaded.budget == 11 << 20
    assert "fits" in loaded.claim.text()


def test_that_the_view_fits_the_dock_beside_the_map(
    qtbot: QtBot, loaded: PoliciesView, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(loaded, loop_report(), monkeypatch, qtbot)
    assert loaded.minimumSizeHint().width() <= 300


# What is asked for ------------------------------------------------------------------------------------------------


def row_of(view: PoliciesView, policy: str) -> int:
    return [row.policy for row in view.bars.rows].index(policy)


def test_that_a_click_on_a_policy_switches_the_running_scenario(
    qtbot: QtBot, loaded: PoliciesView, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(loaded, loop_report(), monkeypatch, qtbot)
    place = loaded.bars.row_rect(row_of(loaded, "sieve")).center().toPoint()
    with qtbot.waitSignal(loaded.policy_chosen, timeout=1000) as caught:
        qtbot.mouseClick(loaded.bars, Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == ["sieve"]
    qtbot.waitUntil(lambda: loaded.bars.current == "sieve", timeout=5000)
    assert loaded.report is not None


def test_that_belady_and_the_bound_are_never_asked_for(
    qtbot: QtBot, loaded: PoliciesView, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(loaded, loop_report(), monkeypatch, qtbot)
    asked: list[str] = []
    loaded.policy_chosen.connect(asked.append)
    for index in (0, row_of(loaded, "belady")):
        place = loaded.bars.row_rect(index).center().toPoint()
        qtbot.mouseClick(loaded.bars, Qt.MouseButton.LeftButton, pos=place)
    assert asked == []


def test_that_the_keyboard_walks_and_asks(qtbot: QtBot, loaded: PoliciesView, monkeypatch: pytest.MonkeyPatch) -> None:
    show(loaded, loop_report(), monkeypatch, qtbot)
    asked: list[str] = []
    loaded.policy_chosen.connect(asked.append)
    bars = loaded.bars
    bars.setFocus()
    qtbot.keyClick(bars, Qt.Key.Key_End)
    assert bars.rows[-1].name in bars.accessibleDescription()
    assert any(curve.name == bars.rows[-1].name for curve in loaded.curves.curves)
    qtbot.keyClick(bars, Qt.Key.Key_Up)
    qtbot.keyClick(bars, Qt.Key.Key_Return)
    assert asked == [bars.rows[-2].policy]


# Long work --------------------------------------------------------------------------------------------------------


def until_cancelled(_question: LabQuestion, cancelled: Callable[[], bool], progress: Callable[[float], None]) -> None:
    progress(0.25)
    pause = threading.Event()
    while not cancelled():
        pause.wait(0.005)


def test_that_a_cancel_gives_the_view_back(qtbot: QtBot, loaded: PoliciesView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policies_report, "answer", until_cancelled)
    loaded.run()
    qtbot.waitUntil(lambda: loaded.progress.value() == 250, timeout=3000)
    assert not loaded.run_button.isEnabled()
    qtbot.mouseClick(loaded.cancel_button, Qt.MouseButton.LeftButton)
    assert loaded.run_button.isEnabled()
    assert loaded.report is None


def test_that_another_document_forgets_what_was_found_and_stops_the_work(
    qtbot: QtBot, loaded: PoliciesView, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(loaded, loop_report(), monkeypatch, qtbot)
    monkeypatch.setattr(policies_report, "answer", until_cancelled)
    loaded.run()
    workspace.show_file(Document("file", "a.json"), make_snapshot(5))
    assert loaded.report is None
    assert not loaded.work.is_busy
    assert "from a file" in empty_words(loaded)


def test_that_what_cannot_be_compared_is_said_in_the_view(
    qtbot: QtBot, loaded: PoliciesView, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise InputError("nothing is used in these frames: there are no references")

    monkeypatch.setattr(policies_report, "answer", refuse)
    loaded.run()
    qtbot.waitUntil(lambda: empty_words(loaded) == "Nothing was compared", timeout=3000)


def test_that_a_bug_is_reported_and_the_view_goes_on(
    qtbot: QtBot, loaded: PoliciesView, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("made for the test")

    monkeypatch.setattr(policies_report, "answer", fail)
    with qtbot.waitSignal(workspace.messaged, timeout=3000) as caught:
        loaded.run()
    message = caught.args[0]
    assert message.level == "error"
    assert "made for the test" in message.text
    assert "Traceback" in message.detail
    assert loaded.run_button.isEnabled()


def test_that_a_window_closes_while_policies_are_compared(
    qtbot: QtBot, live: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policies_report, "answer", until_cancelled)
    live.show_view("policies")
    live.views["policies"].run()
    assert live.views["policies"].work.is_busy
    live.close()
    assert not live.views["policies"].work.is_busy
