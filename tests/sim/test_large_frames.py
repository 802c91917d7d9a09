"""Frames that name thousands: columns and kernels end in the bytes and the stories of names and plain rules."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from explorer.core import random
from explorer.core.events import EventKind
from explorer.core.names import NameRuns
from explorer.device import kernel_batch
from explorer.interchange.snapshot_encode import snapshot_sha256
from explorer.memory.kernels import is_jit_disabled, warm_up
from explorer.sim import residency_history, resource_history, script
from explorer.sim.residency_history import ALSO, FRAME, PLACE, SEGMENT
from explorer.sim.resource_history import GONE, PLACED
from explorer.sim.scenario import Draws, scenario_from_mapping
from explorer.sim.scenarios import load_scenario, load_simulation, make_simulation
from explorer.sim.story_rows import StoryRows
from explorer.tables.adapters import adapter
from explorer.tables.locations import presets_folder
from explorer.tables.toml_reader import parse_toml

if TYPE_CHECKING:
    from explorer.device.event_rows import EventRows
    from explorer.sim.simulation import Simulation

SCENARIO = "d3d12-hundred-thousand"
COUNT = 1_200
BUDGETS = ["LOCAL=48MiB", "NON_LOCAL=24MiB"]
MIB = 1 << 20
SIZES = {"LOCAL": 64 * MIB, "NON_LOCAL": 24 * MIB, "SYSTEM": 6 * MIB, "PAGE_FILE": 256 * MIB}


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    if is_jit_disabled():
        pytest.skip("kernels are switched off")
    warm_up()


def small_run() -> Simulation:
    """Return the preset with few resources, whose budgets change as much as there; some come and go."""
    path = presets_folder() / "scenarios" / f"{SCENARIO}.toml"
    data: dict[str, Any] = parse_toml(path.read_bytes(), path.name)
    group = data["objects"][0]
    group["count"], group["live"] = COUNT, COUNT - 20
    data["stream"] = [{"group": group["id"], "count": 2}]
    data["pass"][0]["draws"][0].update(count=400, step=40)
    data["pass"][1]["draws"][0].update(count=600)
    for moment, frame, size in zip(data["at"], (6, 20), ("LOCAL=32MiB", "LOCAL=48MiB"), strict=True):
        moment.update(frame=frame, value=size)
    own = adapter("rtx3060-laptop")
    little = dataclasses.replace(
        own, segments=tuple(dataclasses.replace(one, size_bytes=SIZES[one.group]) for one in own.segments)
    )
    return make_simulation(scenario_from_mapping(data, path.name, SCENARIO), little, budget=BUDGETS)


def plainly(patch: pytest.MonkeyPatch) -> None:
    """Have names, plain rules and single events everywhere."""
    patch.setattr(script, "MANY_NAMES", 1 << 60)
    patch.setattr(kernel_batch, "FEWEST", 1 << 60)


def test_that_columns_and_names_end_in_the_same_bytes_stories_and_history(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource_history, "MANY", 1)
    monkeypatch.setattr(residency_history, "MANY", 1)
    columns = small_run()
    columns.step(30)
    with pytest.MonkeyPatch.context() as patch:
        plainly(patch)
        names = small_run()
        names.step(30)
    one, other = columns.snapshot(), names.snapshot()
    assert snapshot_sha256(one) == snapshot_sha256(other)
    assert min(one.event_counts[kind] for kind in ("demoted", "paged_in", "evicted", "over_budget", "released")) > 0
    assert one.history is not None
    assert other.history is not None
    assert one.history.marks == other.history.marks
    moved = sorted({event.subject for event in one.events if event.kind.value in ("demoted", "paged_in", "evicted")})
    for name in moved[:: max(1, len(moved) // 25)]:
        mine, theirs = columns.why(name), names.why(name)
        assert (mine.here.text, mine.evicted.text) == (theirs.here.text, theirs.evicted.text), name
        first, second = (history.residency.last_row(name) for history in (one.history, other.history))
        assert first is not None
        assert second is not None
        assert first[[FRAME, PLACE, SEGMENT, ALSO]].tolist() == second[[FRAME, PLACE, SEGMENT, ALSO]].tolist(), name


def test_that_going_back_ends_in_the_same_bytes() -> None:
    run = small_run()
    run.step(26)
    straight = snapshot_sha256(run.snapshot())
    for frame in (9, 3, 21, 26):
        run.seek(frame)
    assert snapshot_sha256(run.snapshot()) == straight
    assert run.snapshot().history is not None


def test_that_references_of_large_frames_stay_columns() -> None:
    run = small_run()
    calls = run._script.frame(0, run._device.state.objects, {"parts": COUNT - 20})
    named = [call.arguments.references for call in calls if call.record and call.record.call == "ExecuteCommandLists"]
    assert [type(names) for names in named] == [NameRuns, NameRuns]
    assert len(set(named[0])) == len(named[0]) == 400


def plain_picks(draws: Draws, frame: int, stream: int, alive: list[int]) -> list[int]:
    """Return what a pass refers to, one reference after the other."""
    size = len(alive)
    if not size:
        return []
    count = min(draws.count or size, size) if draws.pattern != "random" else draws.count or size
    if draws.pattern == "all":
        return alive[:count]
    if draws.pattern in ("window", "loop"):
        start = frame * draws.step
        start = start % size if draws.pattern == "loop" else script._there_and_back(start, size - count)
        return [alive[(start + i) % size] for i in range(count)]
    picked: list[int] = []
    for i in range(count):
        at = random.below(stream, i, size)
        for power in range(draws.skew):
            at = at * (random.below(stream, (power + 1) * 1_000_003 + i, size) + 1) // size
        picked.append(alive[at])
    return list(dict.fromkeys(picked))


@pytest.mark.parametrize("pattern", ["all", "window", "loop", "random"])
@pytest.mark.parametrize(("count", "size"), [(0, 0), (0, 7), (3, 7), (9, 7), (40, 300)])
@pytest.mark.parametrize("skew", [0, 1, 4])
def test_that_picks_are_those_of_single_references(pattern: str, count: int, size: int, skew: int) -> None:
    draws = Draws("g", pattern, count, step=5, skew=skew)
    alive = [3 * i for i in range(size)]
    for frame in (0, 1, 13, 400):
        key = random.stream(7, f"{frame}")
        assert script._picks(draws, frame, key, np.array(alive, np.int64)).tolist() == plain_picks(
            draws, frame, key, alive
        )


def rows_of(run: Simulation) -> list[EventRows]:
    """Return the rows that the run's kernels wrote down, in order."""
    return [part.rows for part in run._events._rows._parts]


def test_that_a_long_run_keeps_the_last_arrival_and_departure_of_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource_history, "MANY", 1)
    run = small_run()
    run.step(30)
    whole = StoryRows(PLACED, GONE)
    thin = StoryRows(PLACED, GONE, most_rows=400)
    for rows in rows_of(run):
        whole.add(rows, None)
        thin.add(rows, None)
    assert len(thin) < len(whole)
    for name in {event.subject for rows in rows_of(run) for event in rows if event.kind in GONE}:
        count, events = whole.events_of(name)
        thin_count, kept = thin.events_of(name)
        assert thin_count == count, name
        for kinds in (PLACED, GONE):
            last = [one for one in events if one[0].kind in kinds][-1:]
            assert [one for one in kept if one[0].kind in kinds][-1:] == last, name


def test_that_what_leaves_for_room_names_who_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource_history, "MANY", 1)
    run = small_run()
    run.step(10)
    found = [
        (event, because)
        for rows in rows_of(run)
        for name in {event.subject for event in rows}
        for event, because in run._events._rows.events_of(name)[1]
        if event.kind in GONE
    ]
    assert found
    assert {because.kind for _, because in found if because is not None} <= {
        EventKind.PAGED_IN, EventKind.OVER_BUDGET, EventKind.BUDGET_CHANGED, EventKind.ALLOCATED,
    }  # fmt: skip


def test_that_the_preset_names_a_hundred_thousand_and_ten_thousand_a_frame() -> None:
    scenario = load_scenario(SCENARIO)
    assert sum(group.count for group in scenario.objects) == 100_000
    assert sum(draws.count for one in scenario.passes for draws in one.draws) == 10_000


def test_that_the_preset_plays_and_goes_back() -> None:
    run = load_simulation(SCENARIO)
    run.step(3)
    snapshot = run.snapshot()
    assert len(snapshot.resources) == 100_000
    assert all(
        segment.used_bytes + sum(segment.padding_bytes.values()) + segment.free_bytes == segment.size_bytes
        for segment in snapshot.segments
    )
    assert all(group.over_budget_bytes == 0 for group in snapshot.groups)
    straight = snapshot_sha256(snapshot)
    run.seek(1)
    run.seek(3)
    assert snapshot_sha256(run.snapshot()) == straight
