"""The advisor: each rule speaks where its numbers say so, and is silent where they do not."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from explorer.core.calls import CallRecord
from explorer.core.events import Event, EventKind
from explorer.sim.advisor import ADVICE, LOOKS, Advice, Advisor, advise
from explorer.sim.scenarios import load_simulation, scenario_ids
from explorer.sim.snapshot import GroupPicture, Snapshot
from explorer.sim.why_rules import rule_reason
from tests.sim.test_why import make_snapshot

LAPTOP = "d3d12-game-rtx3060-laptop"
PAGING = "d3d9-shooter-2003-agp-64mb"


def snapshot_of(scenario: str, frames: int) -> Snapshot:
    simulation = load_simulation(scenario)
    simulation.step(frames)
    return simulation.snapshot()


def found(snapshot: Snapshot) -> dict[str, Advice]:
    return {advice.id: advice for advice in advise(snapshot)}


def make_events(*rows: tuple[EventKind, str, int, str, int]) -> tuple[Event, ...]:
    """Return events of (kind, subject, frame, rule, bytes)."""
    return tuple(
        Event(number, frame, 0, kind, subject, "local", size, rule, "It happened.")
        for number, (kind, subject, frame, rule, size) in enumerate(rows)
    )


def with_events(api: str, *rows: tuple[EventKind, str, int, str, int], frame: int = 60) -> Snapshot:
    plain = make_snapshot([(0, 10), (10, 20)], 100)
    provenance = dataclasses.replace(plain.provenance, frame=frame)
    return dataclasses.replace(plain, api=api, events=make_events(*rows), provenance=provenance)


BY_SCENARIO: list[tuple[str, int, str, dict[str, Any]]] = [
    ("d3d9-mixed-pools", 150, "fragmented", {}),
    ("d3d9-thrash", 60, "thrash", {}),
    (PAGING, 120, "no-priorities", {"priority": 0}),
    ("d3d9-ignored-advice", 40, "write-only", {"buffers": 12}),
    ("d3d9-write-only", 40, "read-back", {}),
    ("d3d9-agp-random-writes", 40, "random-writes", {}),
    ("d3d9-vertex-ring-plain", 40, "stalls", {}),
    ("d3d9-video-updatetexture", 60, "wrong-usage", {}),
    ("d3d9-level-load", 10, "not-indexed", {}),
    ("d3d11-dynamic-ring", 60, "versions", {}),
    ("d3d12-upload-heaps-discrete", 5, "upload-doubles", {}),
    ("d3d12-upload-heaps-uma", 5, "needless-copies", {}),
    ("d3d12-upload-heaps-uma", 5, "coherent-heap", {}),
    ("d3d12-gtx970-slow-half-gigabyte", 5, "misplaced", {}),
    ("d3d12-oversubscribed-plain", 30, "demoted-in-use", {}),
    ("d3d12-oversubscribed-plain", 30, "over-budget", {}),
    ("d3d12-oversubscribed-plain", 30, "no-residency-priorities", {}),
    ("d3d9-ignored-advice", 40, "no-mipmaps", {"textures": 49}),
    ("d3d9-ignored-advice", 40, "no-atlas", {"textures": 72}),
    ("d3d9-ignored-advice", 40, "uncompressed", {}),
    ("d3d9-write-only", 40, "lockable-targets", {"targets": 1}),
    ("d3d11-command-lists", 40, "wrong-d3d11-usage", {"resources": 1}),
    ("d3d12-msaa-alignment", 5, "msaa-alignment", {"small": 4}),
    ("d3d12-descriptor-ring", 30, "stale-descriptors", {}),
    (LAPTOP, 5, "small-in-pages", {"resources": 88}),
]


@pytest.mark.parametrize(("scenario", "frames", "advice", "figures"), BY_SCENARIO)
def test_that_a_scenario_gets_the_advice_that_it_teaches(
    scenario: str, frames: int, advice: str, figures: dict[str, int]
) -> None:
    assert scenario in scenario_ids()
    given = found(snapshot_of(scenario, frames)).get(advice)
    assert given is not None
    assert all(value >= 0 for value in given.figures.values())
    assert {name: given.figures[name] for name in figures} == figures
    assert any(character.isdigit() for character in given.claim + given.evidence)


def test_that_a_working_set_that_fits_gets_no_advice_about_room() -> None:
    given = found(snapshot_of("d3d9-shooter-2003-agp-128mb", 60))
    assert not {"thrash", "no-priorities", "fragmented", "refused", "misplaced"} & set(given)


def test_that_stated_priorities_end_the_advice_to_state_them() -> None:
    assert "no-residency-priorities" not in found(snapshot_of("d3d12-oversubscribed-priorities", 30))


def test_that_a_default_resource_updated_in_every_frame_should_be_dynamic() -> None:
    uploads = [(EventKind.UPLOADED, "R0", frame, "d3d11.U1.5", 64) for frame in range(12)]
    plain = with_events("d3d11", *uploads)
    snapshot = dataclasses.replace(
        plain, resources=dataclasses.replace(plain.resources, places=("D3D11_USAGE_DEFAULT",))
    )
    assert found(snapshot)["wrong-d3d11-usage"].resources == (0,)
    dynamic = dataclasses.replace(
        plain, resources=dataclasses.replace(plain.resources, places=("D3D11_USAGE_DYNAMIC",))
    )
    assert "wrong-d3d11-usage" not in found(dynamic)


def test_that_the_same_calls_get_the_advice_of_their_adapter() -> None:
    discrete = found(snapshot_of("d3d12-upload-heaps-discrete", 5))
    unified = found(snapshot_of("d3d12-upload-heaps-uma", 5))
    assert "upload-doubles" in discrete
    assert "upload-doubles" not in unified
    assert not {"needless-copies", "coherent-heap"} & set(discrete)


BY_EVENT: list[tuple[str, list[tuple[EventKind, str, int, str, int]], str]] = [
    ("d3d12", [(EventKind.HAZARD, "Views", 3, "device.table-read", 0)], "descriptor-overwritten"),
    ("d3d12", [(EventKind.HAZARD, "R0", 3, "d3d12.8.7", 0)], "not-resident"),
    ("d3d12", [(EventKind.HAZARD, "R0", 3, "d3d12.3.18d", 0)], "aliasing"),
    ("d3d12", [(EventKind.STALLED, "R0", 3, "device.wc-read", 64)], "write-combined-read"),
    ("d3d11", [(EventKind.HAZARD, "R0", 3, "device.stale-read", 64)], "write-combined-read"),
    ("d3d9", [(EventKind.REFUSED, "R9", 3, "alloc.fragmented", 64)], "refused"),
    ("d3d9", [(EventKind.MISPLACED, "R0", 3, "d3d9.R6.8", 64)], "misplaced"),
    ("d3d9", [(EventKind.STALLED, "R1", n, "d3d9.R6.2", 0) for n in range(3)], "stalls"),
    ("d3d11", [(EventKind.STALLED, "R1", n, "d3d11.M4.7.wait", 0) for n in range(3)], "map-stalls"),
    ("d3d9", [(EventKind.CREATED, "R1", 30, "", 0)] * 40, "creations"),
]


@pytest.mark.parametrize(("api", "events", "advice"), BY_EVENT)
def test_that_events_bring_the_advice_and_without_them_it_is_gone(
    api: str, events: list[tuple[EventKind, str, int, str, int]], advice: str
) -> None:
    given = found(with_events(api, *events))
    assert advice in given
    assert advice not in found(with_events(api))
    row = {"R0": 0, "R1": 1}.get(events[0][1])
    if row is not None:
        assert given[advice].resources == (row,)


def test_that_nine_tenths_of_a_budget_are_the_limit() -> None:
    plain = make_snapshot([(0, 10)], 100)
    for usage, speaks in ((899, False), (900, True), (1200, True)):
        snapshot = dataclasses.replace(plain, groups=(GroupPicture(0, "LOCAL", 1000, usage, max(usage - 1000, 0)),))
        given = found(snapshot).get("near-budget")
        assert (given is not None) is speaks
        if given is not None:
            assert given.figures["percent"] == usage // 10
    unlimited = dataclasses.replace(plain, groups=(GroupPicture(0, "LOCAL", None, 10**12, 0),))
    assert "near-budget" not in found(unlimited)


def test_that_multisampled_resources_waste_what_alignment_takes() -> None:
    page = 4 << 20
    plain = make_snapshot([(page, page + page // 2), (2 * page, 3 * page)], 4 * page)
    record = CallRecord("d3d12", "CreateCommittedResource", {"pDesc": {"SampleDesc": {"Count": 4, "Quality": 0}}}, "R0")
    alignment = np.array([page, page], np.int64)
    size = plain.resources.size.copy()
    size[0] = page
    snapshot = dataclasses.replace(
        plain,
        api="d3d12",
        blocks=dataclasses.replace(plain.blocks, alignment=alignment),
        resources=dataclasses.replace(plain.resources, records=(record, None), size=size),
    )
    given = found(snapshot)["msaa-alignment"]
    assert given.figures == {"resources": 1, "small": 1, "padding_bytes": 0, "rounding_bytes": page // 2}
    assert given.resources == (0,)
    one = CallRecord("d3d12", "CreateCommittedResource", {"pDesc": {"SampleDesc": {"Count": 1, "Quality": 0}}}, "R0")
    single = dataclasses.replace(snapshot, resources=dataclasses.replace(snapshot.resources, records=(one, None)))
    assert "msaa-alignment" not in found(single)


def test_that_plain_textures_without_mipmaps_are_told_apart() -> None:
    count = 80
    spans = [(i * 65536, (i + 1) * 65536) for i in range(count)]
    plain = make_snapshot(spans, count * 65536)
    table = plain.resources
    small = dataclasses.replace(table, width=np.full(count, 32), height=np.full(count, 32), formats=("A8R8G8B8",))
    large = dataclasses.replace(
        table, width=np.full(count, 256), height=np.full(count, 256), mips=np.ones(count), formats=("A8R8G8B8",)
    )
    of_small = found(dataclasses.replace(plain, resources=small))
    of_large = found(dataclasses.replace(plain, resources=large))
    assert "no-atlas" in of_small
    assert not {"no-mipmaps", "uncompressed"} & set(of_small)
    assert {"no-mipmaps", "uncompressed"} <= set(of_large)
    packed = dataclasses.replace(large, formats=("DXT1",), mips=np.full(count, 9))
    assert not {"no-mipmaps", "uncompressed", "no-atlas"} & set(found(dataclasses.replace(plain, resources=packed)))


@pytest.mark.parametrize("scenario", [PAGING, LAPTOP, "d3d11-dynamic-ring"])
def test_that_advice_is_deterministic_and_points_to_what_lives(scenario: str) -> None:
    snapshot = snapshot_of(scenario, 60)
    advisor = Advisor()
    first = advisor.advise(snapshot)
    assert first == advisor.advise(snapshot) == advise(snapshot)
    looks = [LOOKS.index(advice.look) for advice in first]
    assert looks == sorted(looks)
    for advice in first:
        assert all(0 <= row < len(snapshot.resources.names) for row in advice.resources)
        assert len(set(advice.resources)) == len(advice.resources)
        assert not advice.claim.endswith(".")
        assert advice.evidence.endswith(".")
        assert advice.source
        assert bool(advice.rule) == bool(advice.text)


def test_that_every_rule_of_the_advisor_has_a_source() -> None:
    ids = [rule.id for rule in ADVICE]
    assert len(set(ids)) == len(ids)
    for rule in ADVICE:
        assert rule.look in LOOKS
        assert rule_reason(rule.rule) is not None if rule.rule else rule.source


def test_that_an_imported_or_empty_layout_gets_no_made_up_advice() -> None:
    empty = make_snapshot([], 100)
    assert advise(empty) == ()
    assert advise(dataclasses.replace(empty, origin="imported", api="")) == ()


@pytest.mark.parametrize(
    ("usage", "speaks"), [([], True), (["D3DUSAGE_POINTS"], False), (["D3DUSAGE_NPATCHES"], False)]
)
def test_that_points_and_patches_need_no_indices(usage: list[str], speaks: bool) -> None:
    plain = make_snapshot([(i << 20, (i + 1) << 20) for i in range(4)], 4 << 20)
    record = CallRecord("d3d9", "CreateVertexBuffer", {"Length": 1 << 20, "Usage": usage, "Pool": "D3DPOOL_DEFAULT"})
    table = dataclasses.replace(plain.resources, records=(record,) * 4)
    given = found(dataclasses.replace(plain, api="d3d9", resources=table))
    assert ("not-indexed" in given) is speaks


@pytest.mark.parametrize(("uploads", "speaks"), [(1, True), (12, False)])
def test_that_pictures_that_change_all_the_time_need_no_compression(uploads: int, speaks: bool) -> None:
    spans = [(i << 20, (i + 1) << 20) for i in range(8)]
    plain = make_snapshot(spans, 8 << 20)
    events = [(EventKind.UPLOADED, f"R{i}", frame, "d3d9.R7.11", 64) for i in range(8) for frame in range(uploads)]
    table = dataclasses.replace(plain.resources, width=np.full(8, 512), height=np.full(8, 512), formats=("A8R8G8B8",))
    snapshot = dataclasses.replace(plain, api="d3d9", events=make_events(*events), resources=table)
    assert ("uncompressed" in found(snapshot)) is speaks


@pytest.mark.parametrize(("ms", "speaks"), [(10, True), (1000, False)])
def test_that_waits_count_from_a_hundredth_of_the_time_on(ms: int, speaks: bool) -> None:
    plain = with_events("d3d9", *[(EventKind.STALLED, "R1", at, "d3d9.R6.2", 0) for at in range(3)])
    events = tuple(dataclasses.replace(one, time_ns=one.frame * ms * 500_000) for one in plain.events)
    assert ("stalls" in found(dataclasses.replace(plain, events=events, history=None))) is speaks
