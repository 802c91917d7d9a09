"""The three answers, and what a refused allocation is told."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.calls import CallRecord
from explorer.core.columns import BlockColumns, HeapColumns, ResourceColumns, WasteColumns, make_columns
from explorer.core.events import Event, EventKind
from explorer.memory.allocators import make_allocator
from explorer.memory.allocators.protocol import Placement, Refusal
from explorer.sim.resource_history import RECENT, ResourceHistory
from explorer.sim.scenarios import load_simulation
from explorer.sim.snapshot import (
    FrameTimes,
    MovedBytes,
    Provenance,
    SegmentPicture,
    Snapshot,
    Totals,
)
from explorer.sim.why_failure import failure_report
from explorer.sim.why_rules import rule_reason

if TYPE_CHECKING:
    from explorer.memory.allocators.protocol import Allocator
    from explorer.sim.simulation import Simulation

PAGING = "d3d9-shooter-2003-agp-64mb"


def make_snapshot(spans: list[tuple[int, int]], size: int, placement: str = "contiguous") -> Snapshot:
    """Return a layout of one segment with blocks at (start, end)."""
    count = len(spans)
    starts = np.array([start for start, _ in spans], np.int64)
    sizes = np.array([end - start for start, end in spans], np.int64)
    none = np.full(count, -1)
    resources = ResourceColumns(
        names=tuple(f"R{i}" for i in range(count)),
        records=(None,) * count,
        dimensions=("BUFFER",),
        formats=("",),
        places=("DEFAULT",),
        **make_columns(ResourceColumns, count, {"size": sizes, "asked": sizes, "resident": np.ones(count)}),
    )
    columns = {"heap": none, "offset": starts, "size": sizes, "asked": sizes, "alignment": np.ones(count),
               "state": np.ones(count), "resource": np.arange(count)}  # fmt: skip
    used = int(sizes.sum())
    return Snapshot(
        origin="simulated",
        api="d3d9",
        adapter=None,
        adapter_name="test",
        provenance=Provenance(frame=1),
        time_ns=0,
        segments=(SegmentPicture("local", "LOCAL", 0, placement, size, used, {}, size - used, 0, size - used),),
        groups=(),
        heaps=HeapColumns(names=(), **make_columns(HeapColumns, 0, {})),
        blocks=BlockColumns(**make_columns(BlockColumns, count, columns)),
        wastes=WasteColumns(**make_columns(WasteColumns, 0, {})),
        resources=resources,
        descriptor_heaps=(),
        totals=Totals(count, 0, count, used, used, 0, used, 0),
        events=(),
        event_counts={},
        moved=MovedBytes(),
        times=FrameTimes(),
    )


def paging(frames: int) -> Simulation:
    simulation = load_simulation(PAGING)
    simulation.step(frames)
    return simulation


def fill(moves: list[tuple[int, int]], size: int) -> Allocator:
    allocator = make_allocator("first-fit", size)
    placed: list[int] = []
    for asked, gone in moves:
        if placed and gone % 3 == 0:
            allocator.free(placed.pop(gone % len(placed)))
        answer = allocator.take(asked, 1)
        if isinstance(answer, Placement):
            placed.append(answer.offset)
    return allocator


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(0, 1000)), min_size=3, max_size=40),
    st.integers(20, 200),
    st.sampled_from([1, 4, 16]),
)
def test_that_the_report_agrees_with_what_the_refusal_itself_would_gain(
    moves: list[tuple[int, int]], asked: int, alignment: int
) -> None:
    allocator = fill(moves, 256)
    refusal = allocator.plan(asked, alignment)
    spans = sorted((span.start, span.end) for span in allocator.spans())
    report = failure_report(make_snapshot(spans, 256), "local", asked, alignment)
    assert report is not None
    if isinstance(refusal, Placement):
        assert report.fits_now
        return
    assert isinstance(refusal, Refusal)
    assert not report.fits_now
    assert report.free_bytes == refusal.free_bytes
    assert report.largest_hole_bytes == refusal.largest_hole_bytes
    assert report.holes_too_small == refusal.holes_too_small
    assert report.packed_fits == refusal.gain(allocator).fits
    gains = [refusal.gain(allocator, start) for start, _ in spans]
    assert report.best_fits == any(gain.fits for gain in gains)
    if report.best_fits:
        assert refusal.gain(allocator, spans[report.best_resource][0]).fits


def test_that_a_report_names_the_blocker_and_what_would_help() -> None:
    snapshot = make_snapshot([(0, 10), (40, 50), (60, 100)], 100)
    report = failure_report(snapshot, "LOCAL", 38, 1)
    assert report is not None
    assert (report.free_bytes, report.largest_hole_bytes, report.holes, report.holes_too_small) == (40, 30, 2, 2)
    assert (report.blocker, report.best, report.best_hole_bytes, report.best_fits) == ("R1", "R0", 40, True)
    assert report.packed_fits
    assert "R0" in " ".join(report.lines())
    larger = failure_report(snapshot, "local", 60, 1)
    assert larger is not None
    assert not larger.packed_fits
    assert not larger.best_fits
    assert "still too small" in " ".join(larger.lines())


def test_that_a_paged_segment_lacks_bytes_and_not_a_hole() -> None:
    report = failure_report(make_snapshot([(0, 10), (40, 50)], 100, "paged"), "local", 90, 1)
    assert report is not None
    assert report.is_paged
    assert report.free_bytes == report.largest_hole_bytes == 80
    assert "pages" in " ".join(report.lines())


def test_that_an_unknown_place_has_no_report() -> None:
    assert failure_report(make_snapshot([(0, 10)], 100), "nowhere", 90, 1) is None


def test_that_an_upload_says_that_a_use_brought_it() -> None:
    simulation = paging(60)
    snapshot = simulation.snapshot()
    event = next(e for e in reversed(snapshot.events) if e.kind == EventKind.UPLOADED)
    answer = simulation.why(event.subject)
    assert answer.here.happened
    assert answer.here.event == event
    assert f"{event.size_bytes:,} B" in answer.here.text
    assert answer.here.reason is not None
    assert answer.here.reason.rule == "d3d9.R5.3"
    assert answer.here.reason.source
    assert "device copy" in answer.here.text


def test_that_an_eviction_names_who_it_made_way_for() -> None:
    simulation = paging(60)
    event = next(e for e in simulation.snapshot().events if e.kind == EventKind.EVICTED)
    answer = simulation.why(event.subject)
    assert answer.evicted.happened
    assert answer.evicted.event is not None
    assert answer.evicted.cause is not None
    assert answer.evicted.cause.kind == EventKind.UPLOADED
    assert answer.evicted.cause.number > answer.evicted.event.number
    assert answer.evicted.cause.subject in answer.evicted.text
    assert answer.evicted.reason is not None
    assert answer.evicted.reason.rule == answer.evicted.event.rule
    assert answer.evicted.reason.rule in ("d3d9.R5.5", "d3d9.R5.7"), "its age, or the same hole as the one before"
    assert "LOCAL held" in answer.evicted.text


def test_that_a_demotion_under_a_budget_names_the_budget() -> None:
    simulation = load_simulation("d3d12-budget-drop")
    simulation.step_event(frozenset({EventKind.DEMOTED.value}))
    event = next(e for e in reversed(simulation.snapshot().events) if e.kind == EventKind.DEMOTED)
    answer = simulation.why(event.subject)
    assert answer.evicted.cause is not None
    assert answer.evicted.cause.kind in (EventKind.OVER_BUDGET, EventKind.BUDGET_CHANGED)


def test_that_nothing_is_made_up_where_nothing_happened() -> None:
    answer = paging(2).why("Depth buffer")
    assert not answer.evicted.happened
    assert not answer.failed.happened
    assert "never evicted" in answer.evicted.text
    assert answer.here.happened
    nobody = paging(2).why("nobody")
    assert not nobody.here.happened
    assert nobody.count == 0


def test_that_a_refused_creation_says_why_and_what_would_help() -> None:
    simulation = paging(20)
    inputs = {"Width": 2048, "Height": 2048, "Levels": 1, "Usage": ["D3DUSAGE_RENDERTARGET"],
              "Format": "D3DFMT_X8R8G8B8", "Pool": "D3DPOOL_DEFAULT"}  # fmt: skip
    for index in range(4):
        simulation.apply(CallRecord("d3d9", "CreateTexture", inputs, f"Huge {index}"))
    answers = [simulation.why(f"Huge {index}") for index in range(4)]
    failed = [answer for answer in answers if answer.failed.happened]
    assert failed
    refused = failed[-1]
    assert refused.failed.reason is not None
    assert refused.failed.reason.rule.startswith(("alloc.", "d3d9."))
    assert "does not live" in refused.here.text
    assert refused.failure is not None
    assert refused.failure.requested_bytes >= 16 << 20
    assert refused.failure.free_bytes < refused.failure.size_bytes


def test_that_a_released_resource_still_has_its_story() -> None:
    simulation = paging(20)
    simulation.apply(CallRecord("d3d9", "Release", {"object": "Wall 003"}))
    answer = simulation.why("Wall 003")
    assert "does not live" in answer.here.text
    assert answer.events[0].kind == EventKind.CREATED
    assert answer.events[-1].kind == EventKind.RELEASED


def test_that_answers_are_the_same_after_going_there_and_back() -> None:
    straight, detour = paging(80), paging(200)
    detour.seek(30)
    detour.seek(80)
    names = straight.snapshot().resources.names[::17]
    for name in names:
        assert straight.why(name) == detour.why(name)


def test_that_asking_changes_nothing() -> None:
    asked, silent = paging(30), paging(30)
    for name in asked.snapshot().resources.names[:20]:
        asked.why(name)
    asked.step(10)
    silent.step(10)
    assert asked.snapshot().events == silent.snapshot().events


def note_many(history: ResourceHistory, count: int, name: str = "A", kind: EventKind = EventKind.RENAMED) -> None:
    for number in range(count):
        history.note((Event(history.number, number, 0, kind, name, "local", 1),))


def test_that_a_story_is_bounded_and_still_counts_everything() -> None:
    history = ResourceHistory()
    note_many(history, 1, kind=EventKind.CREATED)
    note_many(history, 1, kind=EventKind.EVICTED)
    note_many(history, 1000)
    story = history.story("A")
    assert story is not None
    assert story.count == 1002
    assert len(story.recent) == RECENT
    assert len(story.events) == RECENT + 2, "the first one and the last eviction outlive the tail"
    assert story.events[0].kind == EventKind.CREATED
    assert story.gone is not None


def test_that_names_of_released_objects_are_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.sim.resource_history.MAX_NAMES", 640)
    history = ResourceHistory()
    note_many(history, 1, "stays", EventKind.CREATED)
    for index in range(3000):
        name = f"gone {index}"
        note_many(history, 1, name, EventKind.CREATED)
        note_many(history, 1, name, EventKind.RELEASED)
    kept = sum(history.story(f"gone {index}") is not None for index in range(3000))
    assert kept <= 700
    assert history.story("stays") is not None


def test_that_the_cause_that_a_device_states_wins() -> None:
    history = ResourceHistory()
    first = Event(0, 0, 0, EventKind.BUDGET_CHANGED, "LOCAL")
    second = Event(1, 0, 0, EventKind.EVICTED, "A", rule="d3d12.8.2a", cause=0)
    third = dataclasses.replace(second, number=2, subject="B", cause=-1)
    history.note((first, second, third))
    stories = [history.story(name) for name in "AB"]
    assert [story.gone.because if story and story.gone else None for story in stories] == [first, None]


@pytest.mark.parametrize(
    "rule", ["d3d9.R5.5", "d3d11.M4.9", "d3d12.8.2a", "kernel.paging", "product.no-hole", "alloc.fragmented"]
)
def test_that_a_rule_of_any_table_has_text_and_source(rule: str) -> None:
    reason = rule_reason(rule)
    assert reason is not None
    assert reason.rule == rule
    assert reason.text.endswith(".")
    assert reason.source


def test_that_an_unknown_rule_is_none() -> None:
    assert rule_reason("d3d9.R99.1") is None
    assert rule_reason("") is None


@pytest.mark.parametrize("scenario", [PAGING, "d3d12-budget-drop", "d3d12-aliasing-render-graph"])
def test_that_every_resource_of_a_run_has_an_answer(scenario: str) -> None:
    simulation = load_simulation(scenario)
    simulation.step(40)
    for name in simulation.snapshot().resources.names[::9]:
        answer = simulation.why(name)
        assert answer.here.happened, name
        assert name in answer.here.text
        assert answer.events


def test_that_a_lost_resource_says_when_and_by_which_rule_its_contents_went() -> None:
    simulation = load_simulation("d3d9-device-loss")
    simulation.step_event(frozenset({EventKind.DEVICE_LOST.value}))
    lost = simulation.snapshot().events[-1].frame
    simulation.step(4)
    here = simulation.why("Glow target").here
    assert f"lost since frame {lost:,}" in here.text
    assert here.reason is not None
    assert here.reason.rule == "d3d9.R9.1"
    assert here.event is not None
    assert here.event.kind is EventKind.DEVICE_LOST
    simulation.seek(lost)
    assert "lost since" not in simulation.why("Glow target").here.text
