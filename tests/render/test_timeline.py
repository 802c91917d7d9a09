"""The timeline's pyramids, marks and scales."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.calls import CallRecord
from explorer.core.events import EventKind
from explorer.core.units import format_ns
from explorer.render.timeline import BUDGET, LOSS, THRASH, MaxPyramid, Timeline
from explorer.render.timeline_axis import frame_ticks, group_name, memory_scale, nice_end
from explorer.sim.scenarios import load_simulation
from explorer.sim.snapshot import FrameHistory

GROUPS = ((0, "LOCAL"), (0, "NON_LOCAL"))


def history_of(table: np.ndarray, marks: tuple[tuple[int, str], ...] = (), rows: int | None = None) -> FrameHistory:
    """Return views of one table, as the recorder makes them: two groups, then evicted, uploaded and time."""
    part = table[: len(table) if rows is None else rows]
    kept = tuple(mark for mark in marks if mark[0] < len(part))
    return FrameHistory(GROUPS, part[:, :2], part[:, 2:4], part[:, 4], part[:, 5], part[:, 6], kept)


def table_of(rows: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 1000, (rows, 7)).astype(np.int64)
    table[:, 2] += 5000
    table[:, 3] = -1
    return table


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 300), min_size=1, max_size=8), st.integers(0, 2**31))
def test_that_every_bucket_of_every_level_is_the_largest_of_its_rows(parts: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    pyramid, rows = MaxPyramid(2), np.zeros((0, 2), np.int64)
    for count in parts:
        more = rng.integers(-100, 100, (count, 2)).astype(np.int64)
        pyramid.append(more)
        rows = np.concatenate((rows, more))
        assert len(pyramid) == len(rows)
    for level in range(pyramid.levels if len(rows) else 0):
        size = 1 << level
        expected = [rows[at : at + size].max(axis=0) for at in range(0, len(rows), size)]
        assert np.array_equal(pyramid.read(level, 0, len(rows)), np.array(expected))


def test_that_a_bucket_never_hides_a_peak_and_a_budget_shows_its_smallest() -> None:
    table = table_of(100_000)
    table[77_777, 0], table[55_555, 4] = 1_000_000, 2_000_000
    table[33_333, 2] = 7
    timeline = Timeline()
    timeline.update(history_of(table), "run")
    buckets = timeline.buckets(0, 100_000, 800)
    assert len(buckets.used) <= 800
    assert buckets.used[:, 0].max() == 1_000_000
    assert buckets.evicted.max() == 2_000_000
    assert np.nanmin(buckets.budget[:, 0]) == 7
    assert np.isnan(buckets.budget[:, 1]).all()
    at = int(buckets.used[:, 0].argmax())
    assert buckets.edges[at] <= 77_777 < buckets.edges[at + 1]


@given(st.integers(1, 3000), st.floats(0, 1), st.floats(0, 1), st.integers(1, 400))
def test_that_buckets_cover_the_range_and_are_no_more_than_the_pixels(
    rows: int, low: float, high: float, pixels: int
) -> None:
    timeline = Timeline()
    timeline.update(history_of(table_of(rows)), 0)
    first, end = sorted((low * rows, high * rows))
    buckets = timeline.buckets(first, end, pixels)
    assert len(buckets.edges) == len(buckets.used) + 1
    assert (np.diff(buckets.edges) > 0).all()
    if end - first >= 1 and len(buckets.used):
        assert buckets.edges[0] <= first
        assert buckets.edges[-1] >= min(end, rows) - 1e-9
    assert len(buckets.used) <= pixels + 2 or timeline.level_for(end - first, pixels) == 0


def test_that_numbers_of_a_frame_are_those_of_the_row_before() -> None:
    table = table_of(10)
    marks = ((3, EventKind.LRU_TO_MRU.value), (4, EventKind.LRU_TO_MRU.value), (4, EventKind.PRESENTED.value))
    timeline = Timeline()
    timeline.update(history_of(table, marks), 0)
    numbers = timeline.numbers(4)
    assert numbers is not None
    row = [int(value) for value in table[3]]
    assert numbers.used == (row[0], row[1])
    assert numbers.budget == (row[2], None)
    assert (numbers.evicted, numbers.uploaded, numbers.frame_ns) == tuple(row[4:])
    assert numbers.marks == ("thrash",)
    assert timeline.numbers(0) is None
    assert timeline.numbers(11) is None
    assert timeline.numbers(6).marks == ()


def test_that_a_growing_history_is_read_once() -> None:
    table = table_of(1000)
    timeline, whole = Timeline(), Timeline()
    for rows in (1, 2, 3, 250, 251, 999, 1000):
        timeline.update(history_of(table, rows=rows), "run")
        assert timeline.frames == timeline.cursor == rows
    whole.update(history_of(table), "run")
    one, other = timeline.buckets(0, 1000, 100), whole.buckets(0, 1000, 100)
    assert np.array_equal(one.used, other.used)
    assert np.array_equal(one.edges, other.edges)


def test_that_seeking_back_keeps_what_was_seen_of_the_same_run() -> None:
    table = table_of(500)
    marks = ((10, EventKind.DEVICE_LOST.value), (400, EventKind.DEVICE_REMOVED.value))
    timeline = Timeline()
    timeline.update(history_of(table, marks), "run")
    # A checkpoint has a copy of the table.
    timeline.update(history_of(table.copy(), marks, rows=100), "run")
    assert (timeline.cursor, timeline.frames) == (100, 500)
    assert [run.first for run in timeline.runs(0, 500, 0)] == [11, 401]
    timeline.update(history_of(table.copy(), marks, rows=501 - 1), "run")
    assert timeline.cursor == 500
    assert len(timeline.runs(0, 500, 0)) == 2


@pytest.mark.parametrize("change", ["key", "row"])
def test_that_another_run_starts_anew(change: str) -> None:
    table = table_of(500)
    timeline = Timeline()
    timeline.update(history_of(table, ((450, EventKind.DEVICE_LOST.value),)), "run")
    other = table.copy()
    if change == "row":
        other[50, 0] += 1
    timeline.update(history_of(other, rows=100), "run" if change == "row" else "edited")
    assert (timeline.cursor, timeline.frames) == (100, 100)
    assert timeline.runs(0, 500, 0) == ()


def test_that_neighbouring_marks_are_one_run_and_near_ones_join_in_a_small_drawing() -> None:
    thrash, budget = EventKind.LRU_TO_MRU.value, EventKind.BUDGET_CHANGED.value
    marks = (*tuple((row, thrash) for row in (5, 6, 7, 20, 21)), (8, budget))
    timeline = Timeline()
    timeline.update(history_of(table_of(30), tuple(sorted(marks))), 0)
    assert [(run.group, run.first, run.last) for run in timeline.runs(0, 30, 0)] == [
        (THRASH, 6, 8), (BUDGET, 9, 9), (THRASH, 21, 22)
    ]  # fmt: skip
    assert next((run.group, run.first, run.last) for run in timeline.runs(0, 30, 15)) == (THRASH, 6, 22)
    assert [run.first for run in timeline.runs(10, 30, 0)] == [21]
    assert [timeline.next_mark(8, 1), timeline.next_mark(9, 1), timeline.next_mark(22, 1)] == [9, 21, None]
    assert [timeline.next_mark(8, -1), timeline.next_mark(6, -1)] == [6, None]


def test_that_losses_have_their_words() -> None:
    timeline = Timeline()
    timeline.update(history_of(table_of(5), ((2, EventKind.DEVICE_REMOVED.value),)), 0)
    assert [(run.group, run.text) for run in timeline.runs(0, 5, 0)] == [(LOSS, "device removed")]
    timeline.clear()
    assert timeline.frames == 0
    assert timeline.buckets(0, 10, 100).used.shape == (0, 0)


def test_that_a_limit_far_above_the_usage_is_told_and_not_drawn() -> None:
    table = table_of(50)
    table[:, 0], table[:, 2] = 100, 300
    timeline = Timeline()
    timeline.update(history_of(table), 0)
    buckets = timeline.buckets(0, 50, 50)
    near = memory_scale(buckets, 0)
    assert near.limit_fits
    assert near.told == 300
    assert near.top > 300
    table[:, 2] = 100_000
    timeline.update(history_of(table), 1)
    far = memory_scale(timeline.buckets(0, 50, 50), 0)
    assert not far.limit_fits
    assert far.limit_text == "budget 97.7 KiB"
    assert 100 < far.top < 300
    assert memory_scale(buckets, 1).limit_text == ""
    assert memory_scale(buckets, 1, size=2048).limit_text == "size 2.0 KiB"


@given(st.floats(0, 1e6), st.floats(1, 1e6), st.integers(1, 30))
def test_that_ticks_are_round_few_and_inside(first: float, span: float, most: int) -> None:
    ticks = frame_ticks(first, first + span, most)
    assert len(ticks) <= most + 1
    assert all(first <= tick <= first + span for tick in ticks)
    if len(ticks) > 1:
        step = ticks[1] - ticks[0]
        assert str(step)[0] in "125"
        assert set(np.diff(ticks).tolist()) == {step}


@given(st.integers(0, 10**7), st.sampled_from((0, 300, 600, 1200)))
def test_that_the_axis_ends_behind_the_frames_and_at_the_scenarios_end(frames: int, total: int) -> None:
    end = nice_end(frames, total)
    assert end >= frames
    assert not total or end <= max(total, frames)


def test_that_words_are_short() -> None:
    assert [format_ns(value) for value in (0, 43_000, 16_900_000, 2.5e9)] == ["0 ms", "43 µs", "16.9 ms", "2.50 s"]
    assert group_name(0, "LOCAL", GROUPS) == "LOCAL"
    assert group_name(1, "LOCAL", (*GROUPS, (1, "LOCAL"))) == "LOCAL, node 1"


def test_that_a_million_frames_are_drawn_from_no_more_buckets_than_pixels() -> None:
    timeline = Timeline()
    timeline.update(history_of(table_of(1_000_000)), 0)
    assert 750 <= len(timeline.buckets(0, 1_000_000, 1500).used) <= 1500
    assert len(timeline.buckets(500_000, 500_100, 1500).used) == 101


def test_that_residency_behind_a_frame_that_was_sought_back_stays_until_the_run_is_another_one() -> None:
    simulation = load_simulation("d3d9-shooter-2003-agp-64mb")
    timeline = Timeline()

    def show(key: str) -> int:
        history = simulation.snapshot().history
        assert history is not None
        timeline.update(history, key)
        assert timeline.residency is not None
        return len(timeline.residency)

    simulation.step(60)
    whole = show("run")
    simulation.seek(10)
    assert show("run") == whole
    simulation.seek(60)
    assert show("run") == whole
    simulation.seek(10)
    simulation.apply(CallRecord("d3d9", "EvictManagedResources", {}))
    simulation.step()
    assert show("run") < whole, "these changes are not the beginning of the others"
    simulation.undo()
    assert show("other") < whole
