"""Where bytes were, frame by frame: the same as the state says, after every detour, at the price of what moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.calls import CallRecord
from explorer.core.events import Event, EventKind
from explorer.core.kinds import BlockState, ResidencyPlace
from explorer.sim import residency_places
from explorer.sim.residency_history import (
    ALSO,
    CAUSE,
    FRAME,
    HOLDER,
    KIND,
    KINDS,
    NAME,
    PLACE,
    RULE,
    ResidencyHistory,
    ResidencyRecorder,
)
from explorer.sim.residency_places import Whereabouts
from explorer.sim.resource_history import ResourceHistory
from explorer.sim.scenarios import load_simulation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.sim.simulation import Simulation
    from explorer.sim.snapshot import Snapshot

PAGING = "d3d9-shooter-2003-agp-64mb"
GROUPS = {
    ResidencyPlace.LOCAL: {"LOCAL"},
    ResidencyPlace.NON_LOCAL: {"NON_LOCAL"},
    ResidencyPlace.SYSTEM: {"SYSTEM"},
    ResidencyPlace.EVICTED: {"SYSTEM"},
    ResidencyPlace.PAGE_FILE: {"PAGE_FILE"},
    ResidencyPlace.LOST: {"LOCAL", "NON_LOCAL"},
}


def residency(simulation: Simulation) -> ResidencyHistory:
    history = simulation.snapshot().history
    assert history is not None
    return history.residency


def told(history: ResidencyHistory) -> list[tuple[Any, ...]]:
    """Return the rows in words: numbers of words depend on what was met on the way."""
    words = [*history.words.words, ""]
    return [
        (words[row[NAME]], row[FRAME], row[PLACE], words[row[HOLDER]], KINDS[row[KIND]], words[row[RULE]],
         words[row[CAUSE]], row[ALSO])
        for part in history.parts
        for row in part.tolist()
    ]  # fmt: skip


def last_places(history: ResidencyHistory) -> dict[str, list[int]]:
    return {history.words.words[row[NAME]]: row for part in history.parts for row in part.tolist()}


def place_of(name: str, rows: dict[str, list[int]], words: list[str]) -> ResidencyPlace:
    row = rows[name]
    if row[PLACE] == ResidencyPlace.IN_HEAP:
        row = rows[words[row[HOLDER]]]
    return ResidencyPlace(row[PLACE])


def disagreements(snapshot: Snapshot) -> list[str]:
    """Return what the history says otherwise than the tables of the same snapshot."""
    assert snapshot.history is not None
    history, blocks = snapshot.history.residency, snapshot.blocks
    last, words = last_places(history), history.words.words
    bad: list[str] = []
    for row, name in enumerate(snapshot.resources.names):
        own = np.flatnonzero(blocks.resource == row)
        copies = own[(blocks.state[own] & int(BlockState.DEVICE_COPY)) != 0]
        groups = {snapshot.segments[int(blocks.segment[at])].group for at in (copies if len(copies) else own).tolist()}
        place = place_of(name, last, words)
        if (not groups) != (place is ResidencyPlace.NO_MEMORY) or (groups and not GROUPS[place] & groups):
            bad.append(f"{name}: {place.name}, lies in {groups}")
        if (place in (ResidencyPlace.LOCAL, ResidencyPlace.NON_LOCAL)) > bool(snapshot.resources.resident[row]):
            bad.append(f"{name}: {place.name}, not resident")
    alive = {*snapshot.resources.names, *snapshot.heaps.names}
    ghosts = [name for name, row in last.items() if row[PLACE] and name not in alive]
    return bad + [f"{name} does not live" for name in ghosts]


@pytest.mark.parametrize(
    ("scenario", "frames"),
    [
        (PAGING, 12), ("d3d9-device-loss", 200), ("d3d9-ex-virtual-memory", 20), ("d3d9-mixed-pools", 20),
        ("d3d9-hints-in-software", 10), ("d3d11-game-hd7970", 2), ("d3d12-residency-library", 30),
        ("d3d12-one-budget-and-two", 60), ("d3d12-background-trim", 200), ("d3d12-streaming-reserved-resources", 30),
        ("d3d12-bindless-staging-descriptors", 4), ("d3d12-gtx970-slow-half-gigabyte", 30),
    ],
)  # fmt: skip
def test_that_the_last_change_of_everything_is_where_it_lies(scenario: str, frames: int) -> None:
    simulation = load_simulation(scenario)
    assert disagreements(simulation.snapshot()) == []
    steps = max(frames // 6, 1)
    for _ in range(0, frames, steps):
        simulation.step(steps)
        assert disagreements(simulation.snapshot()) == [], simulation.frame


def test_that_rows_are_in_order_and_only_changes() -> None:
    simulation = load_simulation(PAGING)
    simulation.step(120)
    seen: dict[str, tuple[Any, ...]] = {}
    frames: list[int] = []
    for name, frame, place, holder, *_, also in told(residency(simulation)):
        assert seen.get(name) != (place, holder, also)
        seen[name] = (place, holder, also)
        frames.append(frame)
    assert frames == sorted(frames)
    assert {row[2] for row in told(residency(simulation))} >= {1, 3, 4}


@pytest.mark.parametrize("scenario", [PAGING, "d3d12-residency-library", "d3d9-device-loss"])
def test_that_a_detour_records_what_a_straight_run_records(scenario: str) -> None:
    straight, detour = load_simulation(scenario), load_simulation(scenario)
    straight.step(80)
    for frame in (80, 30, 50, 0, 80):
        detour.seek(frame)
    assert told(residency(detour)) == told(residency(straight))


def test_that_going_back_shows_what_was_known_then() -> None:
    simulation = load_simulation(PAGING)
    simulation.step(40)
    early = told(residency(simulation))
    simulation.step(60)
    later = told(residency(simulation))
    assert later[: len(early)] == early
    assert len(later) > len(early)
    simulation.seek(40)
    assert told(residency(simulation)) == early


def test_that_an_undone_edit_leaves_no_row() -> None:
    simulation, silent = load_simulation(PAGING), load_simulation(PAGING)
    for run in (simulation, silent):
        run.step(30)
    shown = residency(simulation)
    before = told(shown)
    simulation.apply(CallRecord("d3d9", "EvictManagedResources", {}))
    simulation.step(10)
    edited = told(residency(simulation))
    assert edited != told(residency(silent))
    simulation.undo()
    silent.step(10)
    assert told(residency(simulation)) == told(residency(silent))
    assert told(shown) == before
    simulation.redo()
    assert told(residency(simulation)) == edited


def test_that_a_change_names_its_rule_and_who_it_made_way_for() -> None:
    simulation = load_simulation(PAGING)
    simulation.step(60)
    gone = [row for row in told(residency(simulation)) if row[2] == ResidencyPlace.EVICTED]
    assert gone
    assert {row[4] for row in gone} == {EventKind.EVICTED}
    assert {row[5] for row in gone} <= {"d3d9.R5.5", "d3d9.R5.7"}
    assert all(row[6] not in ("", row[0]) for row in gone)


def test_that_a_loss_is_told_of_everything_in_video_memory() -> None:
    simulation = load_simulation("d3d9-device-loss")
    simulation.step_event(frozenset({EventKind.DEVICE_LOST.value}))
    simulation.step()
    lost = [row for row in told(residency(simulation)) if row[2] == ResidencyPlace.LOST]
    assert lost
    assert {(row[4], row[5]) for row in lost} == {(EventKind.DEVICE_LOST, "d3d9.R9.1")}


def test_that_what_comes_and_goes_within_a_frame_is_one_change_and_its_end_another() -> None:
    simulation = load_simulation("d3d9-thrash")
    simulation.step(140)
    restless = {name for event in simulation.snapshot().events if event.frame == 130 and (name := event.subject)
                if event.kind is EventKind.EVICTED}  # fmt: skip
    rows = [row for row in told(residency(simulation)) if row[0] in restless and row[1] > 0]
    assert restless
    assert {row[0] for row in rows if row[7]} == restless
    assert len(rows) <= 3 * len(restless), "not one for each frame"
    simulation.step(20)
    last = {row[0]: row for row in told(residency(simulation)) if row[0] in restless}
    assert {row[7] for row in last.values()} == {0}, "the working set fits from frame 150 on"
    assert {row[1] for row in last.values()} <= {150, 151, 152}


def test_that_a_demotion_with_return_in_one_frame_names_non_local_memory() -> None:
    simulation = load_simulation("d3d9-ex-virtual-memory")
    simulation.step(60)
    also = {(row[2], row[7]) for row in told(residency(simulation)) if row[7]}
    assert also <= {
        (ResidencyPlace.LOCAL, ResidencyPlace.NON_LOCAL), (ResidencyPlace.NON_LOCAL, ResidencyPlace.LOCAL),
    }  # fmt: skip


def test_that_a_released_heap_lives_on_under_what_lies_in_it() -> None:
    simulation = load_simulation("d3d12-one-budget-and-two")
    simulation.step(3)
    simulation.apply(CallRecord("d3d12", "Release", {"pObject": "Textures 00"}))
    simulation.step(30)
    assert disagreements(simulation.snapshot()) == []


def test_that_the_versions_of_a_renamed_resource_are_told_under_its_name() -> None:
    simulation = load_simulation("d3d11-dynamic-ring")
    simulation.step(4)
    assert any(" (version " in name for name in simulation.snapshot().heaps.names)
    simulation.set_option("budget", "NON_LOCAL=1MiB")
    seen: set[ResidencyPlace] = set()
    for _ in range(3):
        simulation.step()
        snapshot = simulation.snapshot()
        assert disagreements(snapshot) == []
        last = last_places(residency(simulation))
        seen |= {ResidencyPlace(last[name][PLACE]) for name in snapshot.resources.names}
    assert ResidencyPlace.EVICTED in seen


def test_that_only_names_in_events_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = load_simulation("d3d12-residency-library")
    simulation.step()
    asked: list[str] = []
    found = residency_places.find_places

    def counted(state: object, names: Iterable[str], holders: frozenset[str]) -> dict[str, Whereabouts]:
        asked.extend(names)
        return found(state, names, holders)  # pyright: ignore[reportArgumentType] - passed on as it came

    monkeypatch.setattr(residency_places, "find_places", counted)
    simulation.step(40)
    told_of = {(event.frame, event.subject) for event in simulation.snapshot().events if event.frame > 0}
    # Once when something happened, and once more where it came and went within the frame before.
    assert 0 < len(asked) <= 2 * len(told_of)


class FakePlaces:
    """Places that a test sets, in the place of a device's tables."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now: dict[str, ResidencyPlace] = {}
        monkeypatch.setattr(residency_places, "find_places", self.find)

    def find(self, _state: object, names: Iterable[str], _holders: frozenset[str]) -> dict[str, Whereabouts]:
        return {name: Whereabouts(self.now.get(name, ResidencyPlace.ABSENT), 0) for name in names}

    def move(self, recorder: ResidencyRecorder, name: str, place: ResidencyPlace, frame: int) -> None:
        self.now[name] = place
        recorder.note((Event(frame, frame, 0, EventKind.UPLOADED, name, "local"),))
        recorder.add(None, ResourceHistory(), frame)  # pyright: ignore[reportArgumentType] - the fake looks at no state


def test_that_what_is_kept_is_bounded_and_what_lives_is_never_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    places, recorder = FakePlaces(monkeypatch), ResidencyRecorder(most_rows=10_000)
    places.move(recorder, "stays", ResidencyPlace.LOCAL, 1)
    for frame in range(2, 40_000):
        place = ResidencyPlace.ABSENT if frame % 2 else ResidencyPlace.LOCAL
        places.move(recorder, f"short {frame // 2}", place, frame)
    history = recorder.show()
    assert len(history) <= 10_000 + 2 * 4096
    assert history.since > 0
    assert len(history.words.words) < len(history) + 10
    assert history.rows_of(["stays"])["stays"][:, [FRAME, PLACE]].tolist() == [[1, ResidencyPlace.LOCAL]]
    last = history.rows_of(["short 19999"])["short 19999"]
    assert last[:, PLACE].tolist() == [ResidencyPlace.LOCAL, ResidencyPlace.ABSENT]
    places.move(recorder, "stays", ResidencyPlace.LOCAL, 50_000)
    assert len(recorder.show().rows_of(["stays"])["stays"]) == 1, "what it said last is known after forgetting"


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 3)), max_size=60))
def test_that_copies_go_their_own_ways(steps: list[tuple[int, int, int]]) -> None:
    """Each step moves one of five names in one of up to four recorders; a recorder that is not there yet is a copy."""
    with pytest.MonkeyPatch.context() as patch:
        places = FakePlaces(patch)
        recorders = [ResidencyRecorder()]
        expected: list[list[tuple[str, int]]] = [[]]
        for which, name, place in steps:
            if which >= len(recorders):
                recorders.append(recorders[0].copy())
                expected.append(list(expected[0]))
                which = len(recorders) - 1
            known = dict(expected[which]).get(f"name {name}", 0)
            places.move(recorders[which], f"name {name}", ResidencyPlace(place), 1)
            if known != place:
                expected[which].append((f"name {name}", place))
        for recorder, rows in zip(recorders, expected, strict=True):
            assert [(row[0], row[2]) for row in told(recorder.show())] == rows


def test_that_a_history_knows_whether_it_is_the_beginning_of_another() -> None:
    simulation = load_simulation(PAGING)
    simulation.step(30)
    early = residency(simulation)
    simulation.step(30)
    late = residency(simulation)
    assert early.is_prefix_of(late)
    assert not late.is_prefix_of(early)
    simulation.seek(10)
    simulation.apply(CallRecord("d3d9", "EvictManagedResources", {}))
    simulation.step(20)
    assert not residency(simulation).is_prefix_of(late)
    assert not ResidencyHistory().is_prefix_of(late)


def test_that_rows_cannot_be_written() -> None:
    simulation = load_simulation(PAGING)
    simulation.step(3)
    assert all(not part.flags.writeable for part in residency(simulation).parts)
