"""The loop that owns a simulation, driven from another thread as the window drives it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from explorer.core.calls import CallRecord
from explorer.sim.commands import (
    Answer,
    Apply,
    Load,
    Pause,
    Play,
    PreviewCall,
    Redo,
    RunState,
    Seek,
    SetLoop,
    SetOption,
    SetSpeed,
    Step,
    Undo,
)
from explorer.sim.mailbox import SnapshotMailbox
from explorer.sim.runner import QUEUE_LIMIT, Runner
from explorer.sim.scenario import scenario_from_mapping
from explorer.sim.scenarios import load_simulation, make_simulation
from tests.sim.nonsense import at, scenario, things

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from explorer.sim.simulation import Simulation
    from explorer.sim.snapshot import Snapshot

SCENARIO = "d3d9-shooter-2003-agp-64mb"
TEXTURE = {
    "Width": 64, "Height": 64, "Levels": 1, "Usage": [], "Format": "D3DFMT_A8R8G8B8", "Pool": "D3DPOOL_DEFAULT",
}  # fmt: skip


class Desk:
    """Where a test sits: posts commands and waits for what comes back."""

    def __init__(self) -> None:
        self.mailbox = SnapshotMailbox()
        self.answers: list[Answer] = []
        self.states: list[RunState] = []
        self.newest: Snapshot | None = None
        self._news = threading.Condition()
        self.runner = Runner(self.mailbox, self._snapshot, self._answer, self._state)
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.runner.run()
        except BaseException as error:
            self._failure = error

    def _snapshot(self) -> None:
        with self._news:
            self.newest = self.mailbox.take() or self.newest
            self._news.notify_all()

    def _answer(self, answer: Answer) -> None:
        with self._news:
            self.answers.append(answer)
            self._news.notify_all()

    def _state(self, state: RunState) -> None:
        with self._news:
            self.states.append(state)
            self._news.notify_all()

    def wait(self, is_there: Callable[[], bool]) -> None:
        with self._news:
            assert self._news.wait_for(is_there, timeout=20), (self._failure, self.states[-1:], self.answers[-1:])

    def frame(self) -> int:
        return self.newest.provenance.frame if self.newest else -1

    def close(self) -> None:
        self.runner.stop()
        self._thread.join(timeout=10)
        assert not self._thread.is_alive()
        if self._failure is not None:
            raise self._failure


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk()
    desk.runner.post(Load(lambda: load_simulation(SCENARIO), request=1))
    desk.wait(lambda: desk.newest is not None and any(answer.request == 1 for answer in desk.answers))
    yield desk
    desk.close()


def test_that_steps_and_seeks_arrive(desk: Desk) -> None:
    desk.runner.post(Step(3))
    desk.wait(lambda: desk.frame() == 3)
    desk.runner.post(Seek(1))
    desk.wait(lambda: desk.frame() == 1)
    assert not desk.states[-1].playing


def test_that_steps_back_in_a_row_go_back_that_far(desk: Desk) -> None:
    for frames in (9, -1, -1, -1):
        desk.runner.post(Step(frames))
    desk.wait(lambda: desk.frame() == 6)
    desk.runner.post(Step(-100))
    desk.wait(lambda: desk.frame() == 0)


def test_that_play_runs_to_the_end_and_stops_there(desk: Desk) -> None:
    desk.runner.post(SetSpeed(None))
    desk.runner.post(Play())
    desk.wait(lambda: desk.frame() == 600 and not desk.states[-1].playing)


def test_that_a_loop_starts_again(desk: Desk) -> None:
    desk.runner.post(SetLoop(True))
    desk.runner.post(Seek(598))
    desk.runner.post(SetSpeed(None))
    desk.runner.post(Play())
    desk.wait(lambda: 0 < desk.frame() < 590)
    desk.runner.post(Pause())
    desk.wait(lambda: not desk.states[-1].playing)


def test_that_a_preview_is_answered_with_its_number(desk: Desk) -> None:
    desk.runner.post(PreviewCall(CallRecord("d3d9", "CreateTexture", TEXTURE, "Mine"), request=7))
    desk.wait(lambda: any(answer.request == 7 for answer in desk.answers))
    answer = next(answer for answer in desk.answers if answer.request == 7)
    assert answer.preview is not None
    assert answer.preview.verdict.succeeded


def test_that_broken_input_is_an_answer_and_the_loop_lives(desk: Desk) -> None:
    desk.runner.post(Apply((CallRecord("d3d9", "CreateTexture", {"Width": "wide"}, "Mine"),), request=8))
    desk.runner.post(SetOption("gravity", "1", request=9))
    desk.wait(lambda: {8, 9} <= {answer.request for answer in desk.answers})
    errors = {answer.request: answer.error for answer in desk.answers}
    assert errors[8] is not None
    assert errors[8].where == "input.Width"
    assert errors[9] is not None
    desk.runner.post(Step(1))
    desk.wait(lambda: desk.frame() == 1)


def test_that_an_edit_can_be_undone_and_done_again(desk: Desk) -> None:
    desk.runner.post(Apply((CallRecord("d3d9", "CreateTexture", TEXTURE, "Mine"),), request=5))
    desk.wait(lambda: desk.newest is not None and "Mine" in desk.newest.resources.names)
    desk.runner.post(Undo())
    desk.wait(lambda: desk.newest is not None and "Mine" not in desk.newest.resources.names)
    desk.runner.post(Redo())
    desk.wait(lambda: desk.newest is not None and "Mine" in desk.newest.resources.names)


def test_that_a_failed_load_keeps_the_old_simulation(desk: Desk) -> None:
    desk.runner.post(Load(lambda: load_simulation("no-such-scenario"), request=4))
    desk.wait(lambda: any(answer.request == 4 for answer in desk.answers))
    assert next(answer for answer in desk.answers if answer.request == 4).error is not None
    desk.runner.post(Step(2))
    desk.wait(lambda: desk.frame() == 2)


def test_that_a_call_that_cannot_be_stops_the_clock_and_not_the_loop(desk: Desk) -> None:
    change = at({"frame": 2, "call": "Release", "input": {"object": "nobody"}})
    broken = scenario_from_mapping(scenario("d3d9", change), "broken.toml", "broken")
    desk.runner.post(Load(lambda: make_simulation(broken), request=4))
    desk.runner.post(Play())
    desk.wait(lambda: any(answer.error is not None for answer in desk.answers))
    error = next(answer.error for answer in desk.answers if answer.error is not None)
    assert (error.file, error.where, error.found) == ("broken.toml", "at[0].input.object", "nobody")
    desk.wait(lambda: desk.frame() == 2 and not desk.states[-1].playing)
    desk.runner.post(Seek(1))
    desk.wait(lambda: desk.frame() == 1)


def test_that_a_long_seek_ends_with_the_loop(desk: Desk) -> None:
    desk.runner.post(Seek(1_000_000))
    desk.runner.post(Step(1))
    desk.close()
    assert desk.frame() < 1_000_000


def test_that_a_large_load_ends_with_the_loop() -> None:
    desk = Desk()
    began = threading.Event()
    crowd = scenario_from_mapping(scenario("d3d9", things(count=1_000_000)), "crowd.toml", "crowd")

    def make() -> Simulation:
        began.set()
        return make_simulation(crowd)

    desk.runner.post(Load(make, request=1))
    assert began.wait(timeout=10)
    desk.close()
    assert not desk.answers


def test_that_what_is_loaded_while_another_plays_waits_at_its_first_frame(desk: Desk) -> None:
    desk.runner.post(SetLoop(True))
    desk.runner.post(Play())
    desk.wait(lambda: desk.frame() > 0)
    desk.runner.post(Load(lambda: load_simulation("d3d12-warp"), request=4))
    desk.wait(lambda: desk.newest is not None and desk.newest.provenance.scenario == "d3d12-warp")
    desk.wait(lambda: not desk.states[-1].playing)
    assert desk.frame() == 0


def test_that_a_simulation_that_is_loaded_again_plays_on(desk: Desk) -> None:
    simulation = load_simulation(SCENARIO)
    desk.runner.post(Load(lambda: simulation, request=4))
    desk.runner.post(Play())
    desk.runner.post(Load(lambda: simulation, request=5))
    desk.wait(lambda: any(answer.request == 5 for answer in desk.answers))
    desk.wait(lambda: desk.frame() > 2)


def test_that_a_full_queue_says_so_at_once() -> None:
    runner = Runner(SnapshotMailbox(), lambda: None, lambda _: None, lambda _: None)
    assert all(runner.post(Pause()) for _ in range(QUEUE_LIMIT))
    assert not runner.post(Pause())
    runner.stop()


def test_that_the_newest_snapshot_wins() -> None:
    mailbox = SnapshotMailbox()
    simulation = load_simulation(SCENARIO)
    first = simulation.snapshot()
    simulation.step(1)
    second = simulation.snapshot()
    mailbox.put(first)
    mailbox.put(second)
    assert mailbox.dropped == 1
    assert mailbox.take() is second
    assert mailbox.take() is None
    assert mailbox.is_empty


class Clock:
    """Wall time that only the test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        # A look at the clock takes a moment, or a loop that waits for it would never end.
        self.now += 1e-5
        return self.now

    def sleep(self, _seconds: float) -> None:
        """Let others in."""


class Frames:
    """A simulation that only counts; a frame is one call."""

    frame, frames, at_end = 0, 0, False

    def step_call(self) -> None:
        self.frame += 1


@pytest.mark.parametrize("speed", [6.0, 15.0, 30.0, 60.0, 120.0, 240.0])
def test_that_a_speed_is_frames_of_a_second(speed: float, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, frames = Clock(), Frames()
    monkeypatch.setattr("explorer.sim.runner.time", clock)
    runner = Runner(SnapshotMailbox(), lambda: None, lambda _answer: None, lambda _state: None)
    for command in (Load(lambda: frames), SetSpeed(speed), Play()):
        runner._execute(command)  # pyright: ignore[reportPrivateUsage] - without a thread, on the test's clock
    began = clock.now
    while clock.now < began + 5:
        runner._run_batch()  # pyright: ignore[reportPrivateUsage]
        clock.now += 0.002
    assert frames.frame == pytest.approx(5 * speed, abs=2)
    # A second in which nothing could run is not made up for.
    clock.now += 1
    before = frames.frame
    runner._run_batch()  # pyright: ignore[reportPrivateUsage]
    assert frames.frame - before <= 2


def test_that_flat_out_nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, frames = Clock(), Frames()
    monkeypatch.setattr("explorer.sim.runner.time", clock)
    runner = Runner(SnapshotMailbox(), lambda: None, lambda _answer: None, lambda _state: None)
    for command in (Load(lambda: frames), SetSpeed(None), Play()):
        runner._execute(command)  # pyright: ignore[reportPrivateUsage]
    runner._run_batch()  # pyright: ignore[reportPrivateUsage]
    assert frames.frame > 100, "as many frames as fit into one batch"
