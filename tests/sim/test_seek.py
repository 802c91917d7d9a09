"""Going to any frame: exact, from kept states whose number and bytes are bounded, and event by event."""

from __future__ import annotations

import itertools

import pytest

from explorer.core.calls import CallRecord
from explorer.core.events import EventKind
from explorer.sim import simulation as simulation_module
from explorer.sim.bench_seek import prepare_seek, seek_targets, worst_seek
from explorer.sim.checkpoints import SPACING_WORK, Checkpoints, frame_work
from explorer.sim.commands import Answer, AskWhy, Load, RunState, StepEvent
from explorer.sim.mailbox import SnapshotMailbox
from explorer.sim.resource_history import ResourceHistory
from explorer.sim.runner import Runner
from explorer.sim.scenarios import load_simulation
from explorer.sim.simulation import Simulation
from tests.sim.test_simulation import facts

QUICK = "d3d12-budget-drop"
PAGING = "d3d9-shooter-2003-agp-64mb"


def count_frames(simulation: Simulation, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets the number of every frame that is run from now on."""
    ran: list[int] = []
    finish = Simulation._finish_frame  # pyright: ignore[reportPrivateUsage] - counted, not changed

    def counted(self: Simulation) -> None:
        ran.append(self.frame)
        finish(self)

    monkeypatch.setattr(simulation_module.Simulation, "_finish_frame", counted)
    del simulation
    return ran


def kept(simulation: Simulation) -> Checkpoints:
    return simulation._checkpoints  # pyright: ignore[reportPrivateUsage] - its bounds are what is tested


@pytest.mark.parametrize("scenario", [QUICK, PAGING, "d3d12-aliasing-render-graph"])
def test_that_every_visited_frame_looks_the_same_on_every_later_visit(scenario: str) -> None:
    simulation = load_simulation(scenario)
    seen = {0: facts(simulation.snapshot())}
    for frame in (1, 3, 40, 75, 110, 150):
        simulation.seek(frame)
        seen[frame] = facts(simulation.snapshot())
    for frame in (75, 150, 3, 110, 0, 40, 1, 150):
        simulation.seek(frame)
        assert simulation.frame == frame
        assert facts(simulation.snapshot()) == seen[frame], frame


def test_that_a_seek_runs_no_more_work_than_the_spacing(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = load_simulation(PAGING)
    simulation.step(400)
    checkpoints = kept(simulation)
    frames = checkpoints.frames
    spacing = max(b - a for a, b in itertools.pairwise(frames))
    assert 5 < len(frames) < 200
    ran = count_frames(simulation, monkeypatch)
    for frame in (399, 10, 200, 201, 390, 0, 123):
        ran.clear()
        simulation.seek(frame)
        assert len(ran) <= spacing, "forwards too it starts from a kept state"


def test_that_two_runs_keep_the_same_states() -> None:
    first, second = load_simulation(QUICK), load_simulation(QUICK)
    first.step(300)
    for _ in range(300):
        second.step()
        second.snapshot()
    assert kept(first).frames == kept(second).frames
    assert kept(first).own_bytes == pytest.approx(kept(second).own_bytes, rel=0.01)


def test_that_kept_states_stay_within_their_bytes() -> None:
    simulation = load_simulation(QUICK)
    simulation.step(20)
    parts = simulation._device, simulation._history, simulation._events  # pyright: ignore[reportPrivateUsage] - copied
    bounded = Checkpoints(memory_bytes=600_000, spacing=10)
    for frame in range(200):
        assert bounded.is_due(frame, 1_000_000 * frame)
        bounded.keep(frame, 1_000_000 * frame, *(part.copy() for part in parts))
        assert bounded.own_bytes <= 600_000 or len(bounded) <= 2
    frames = bounded.frames
    assert frames[0] == 0
    assert frames[-1] == 199
    gaps = [b - a for a, b in itertools.pairwise(frames)]
    assert max(gaps) <= 4 * (200 // len(gaps) + 1), "what is left is spread over the run"


def test_that_equal_states_share_their_columns() -> None:
    simulation = load_simulation(QUICK)
    simulation.step(20)
    parts = simulation._device, simulation._history, simulation._events  # pyright: ignore[reportPrivateUsage] - copied
    checkpoints = Checkpoints()
    for frame in range(3):
        checkpoints.keep(frame, frame, *(part.copy() for part in parts))
    first, second, third = (checkpoints.nearest(frame) for frame in range(3))
    assert second.own_bytes < first.own_bytes // 3
    assert third.own_bytes == second.own_bytes
    assert third.whole_bytes == second.whole_bytes > 5 * second.own_bytes


def test_that_an_edit_forgets_the_states_behind_it() -> None:
    simulation = load_simulation(QUICK)
    simulation.step(300)
    simulation.seek(100)
    simulation.set_option("budget", "LOCAL=300MiB")
    assert max(kept(simulation).frames) <= 100
    simulation.seek(300)
    again = load_simulation(QUICK)
    again.step(100)
    again.set_option("budget", "LOCAL=300MiB")
    again.step(200)
    assert facts(simulation.snapshot()) == facts(again.snapshot())


def test_that_an_edit_made_within_a_frame_survives_going_back_and_forth() -> None:
    first, second = load_simulation(PAGING), load_simulation(PAGING)
    for run in (first, second):
        run.step(5)
        run.step_call()
        run.apply(CallRecord("d3d9", "EvictManagedResources", {}))
        run.step(5)
    second.seek(2)
    second.seek(8)
    second.seek(10)
    assert facts(first.snapshot()) == facts(second.snapshot())


def test_that_a_step_by_event_stops_at_the_call_that_reports_it() -> None:
    by_event, by_frame = load_simulation(PAGING), load_simulation(PAGING)
    stops = 0
    while by_event.frame < 3:
        found = by_event.step_event()
        assert found
        stops += 1
        assert found[-1] == by_event.snapshot().events[-1]
    by_frame.step(3)
    assert stops >= 3
    assert facts(by_event.snapshot()) == facts(by_frame.snapshot())


def test_that_a_step_by_event_waits_for_the_wanted_kind() -> None:
    simulation = load_simulation(PAGING)
    found = simulation.step_event(frozenset({EventKind.EVICTED.value}))
    assert {event.kind for event in found} == {EventKind.EVICTED}
    assert simulation.step_event(frozenset({EventKind.DEVICE_REMOVED.value})) == ()


def test_that_work_counts_calls_references_and_events() -> None:
    assert frame_work(0, 0, 0) == 0
    assert frame_work(1, 100, 10) > frame_work(1, 100, 0) > frame_work(1, 0, 0) > 0
    assert frame_work(0, SPACING_WORK, 0) == SPACING_WORK


def test_that_stories_share_until_one_of_them_goes_on() -> None:
    simulation = load_simulation(PAGING)
    simulation.step(30)
    events = simulation.snapshot().events
    history = ResourceHistory()
    history.note(events)
    name = events[-2].subject or events[-3].subject
    before = history.story(name)
    twin = history.copy()
    twin.note(events)
    assert history.story(name) == before
    assert before is not None
    after = twin.story(name)
    assert after is not None
    assert after.count == 2 * before.count
    assert twin.number == 2 * history.number


def test_that_the_bench_goes_to_the_same_frames_every_time() -> None:
    simulation = prepare_seek(QUICK, 60)
    targets = seek_targets(60, 10)
    assert targets == seek_targets(60, 10)
    assert (targets[0], targets[1], targets[-1]) == (60, 0, 60)
    assert all(0 <= frame <= 60 for frame in targets)
    ticks = iter(range(100))
    assert worst_seek(simulation, targets, lambda: float(next(ticks))) == 1.0
    assert simulation.frame == 60


def test_that_the_window_can_ask_why_and_step_by_event() -> None:
    answers: list[Answer] = []
    states: list[RunState] = []

    def answered(answer: Answer) -> None:
        answers.append(answer)

    def changed(state: RunState) -> None:
        states.append(state)
        runner.stop()

    runner = Runner(SnapshotMailbox(), lambda: None, answered, changed)
    for command in (Load(lambda: load_simulation(PAGING), 1), StepEvent(frozenset({"evicted"})), AskWhy("Wall 003", 7)):
        assert runner.post(command)
    runner.run()
    assert [answer.request for answer in answers] == [1, 7]
    assert answers[1].why is not None
    assert answers[1].why.name == "Wall 003"
    assert not states[-1].playing
    assert states[-1].frame > 0
