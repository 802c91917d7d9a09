"""Who reads descriptor slots, and what a snapshot tells of it (CHECKLIST 66 to 79)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.columns import column_dtypes
from explorer.core.descriptor_uses import AllocatorKind, HazardKind
from explorer.device.d3d12_slot_uses import HAZARDS_KEPT, RangeUse, RangeUses, SlotCopy, SlotHazard, SlotLog
from explorer.device.d3d12_slots import SlotAllocator
from explorer.sim.scenarios import load_simulation
from tests.device.test_d3d12_lists import VIEWS, make, on, run, table, table_signature, target, view

if TYPE_CHECKING:
    from explorer.core.columns import Table
    from explorer.core.descriptor_uses import DescriptorUses
    from tests.sim.test_d3d12_device import Rig

NAMES = ("RTV", "Views", "Staging")


def uses(rig: Rig) -> DescriptorUses:
    return rig.device.descriptor_uses(rig.state.resources.positions())


def rows(table: Table) -> list[dict[str, int]]:
    columns = table.arrays()
    return [{name: int(column[row]) for name, column in columns.items()} for row in range(len(table))]


def two_ranges(rig: Rig) -> None:
    """A root signature of which parameter 1 is a table of a static range of 3 and a volatile one of 2."""
    volatile = ["D3D12_DESCRIPTOR_RANGE_FLAG_DESCRIPTORS_VOLATILE"]
    ranges = [
        {"RangeType": "D3D12_DESCRIPTOR_RANGE_TYPE_SRV", "NumDescriptors": 3},
        {"RangeType": "D3D12_DESCRIPTOR_RANGE_TYPE_UAV", "NumDescriptors": 2, "Flags": volatile},
    ]
    constants = {"ParameterType": "D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS", "Constants": {"Num32BitValues": 9}}
    parameter = {
        "ParameterType": "D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE", "DescriptorTable": {"pDescriptorRanges": ranges},
    }  # fmt: skip
    made = rig.call("CreateRootSignature", {"pRootSignature": {"pParameters": [constants, parameter]}}, "Signature")
    assert made.succeeded


def second_table(rig: Rig, first: int) -> None:
    on(rig, "SetDescriptorHeaps", ppDescriptorHeaps=["Views"])
    on(rig, "SetGraphicsRootSignature", pRootSignature="Signature")
    handle = {"heap": "Views", "index": first}
    assert on(rig, "SetGraphicsRootDescriptorTable", RootParameterIndex=1, BaseDescriptor=handle).succeeded


def test_that_each_range_of_a_table_is_told_with_its_own_flags() -> None:
    rig = make()
    two_ranges(rig)
    second_table(rig, 4)
    told = uses(rig)
    assert told.lists == ("List",)
    common = {"heap": 1, "command_list": 0, "signature": 0, "parameter": 1, "is_bounded": 1, "done_frame": -1}
    assert rows(told.ranges) == [
        {**common, "first": 4, "count": 3, "part": 0, "is_static": 1},
        {**common, "first": 7, "count": 2, "part": 1, "is_static": 0},
    ]
    run(rig)
    assert uses(rig).ranges.done_frame.tolist() == [2, 2]


def test_that_only_the_static_range_of_a_table_is_needed_from_the_recording_on() -> None:
    rig = make()
    two_ranges(rig)
    second_table(rig, 4)
    view(rig, 8)
    assert len(uses(rig).hazards) == 0
    view(rig, 6)
    assert rows(uses(rig).hazards) == [
        {"heap": 1, "first": 6, "count": 1, "kind": int(HazardKind.STATIC_CHANGED), "command_list": 0, "since": 0,
         "frame": 0, "times": 1, "is_pending": 1, "rule": 0}
    ]  # fmt: skip
    assert uses(rig).rules == ("device.static-range",)
    on(rig, "Close")
    on(rig, "Reset")
    assert uses(rig).hazards.is_pending.tolist() == [False]


def test_that_the_same_table_of_many_draws_is_one_and_is_forgotten_when_it_is_done() -> None:
    rig = make()
    table_signature(rig)
    for _ in range(5):
        table(rig, 2)
    run(rig)
    assert len(uses(rig).ranges) == 1
    on(rig, "Reset")
    for left in (1, 0):
        rig.call("Present", {})
        assert len(uses(rig).ranges) == left


def test_that_a_root_signature_is_told_with_its_cost_and_whether_it_is_in_force() -> None:
    rig = make()
    two_ranges(rig)
    assert [(one.name, one.dwords, one.in_force) for one in uses(rig).root_signatures] == [("Signature", 10, False)]
    second_table(rig, 0)
    assert uses(rig).root_signatures[0].in_force
    run(rig)
    on(rig, "Reset")
    assert uses(rig).root_signatures[0].in_force
    for _ in range(2):
        rig.call("Present", {})
    assert not uses(rig).root_signatures[0].in_force
    assert uses(rig).root_signatures[0].record.call == "CreateRootSignature"


def test_that_drawing_and_dispatching_have_root_signatures_of_their_own() -> None:
    rig = make()
    two_ranges(rig)
    table_signature(rig)  # The same name: replaced, with a table as parameter 0.
    on(rig, "SetDescriptorHeaps", ppDescriptorHeaps=["Views"])
    on(rig, "SetComputeRootSignature", pRootSignature="Signature")
    handle = {"heap": "Views", "index": 0}
    assert on(rig, "SetComputeRootDescriptorTable", RootParameterIndex=0, BaseDescriptor=handle).succeeded
    refused = on(rig, "SetGraphicsRootDescriptorTable", RootParameterIndex=0, BaseDescriptor=handle)
    assert refused.reasons[0].rule == "d3d12.7.8e"


def test_that_an_overwritten_range_is_told_with_its_frames_and_how_often() -> None:
    rig = make()
    table_signature(rig, "DESCRIPTORS_VOLATILE")
    table(rig, 8)
    run(rig)
    copied = {
        "NumDescriptors": 4, "DestDescriptorRangeStart": {"heap": "Views", "index": 6},
        "SrcDescriptorRangeStart": {"heap": "Staging"}, "DescriptorHeapsType": VIEWS,
    }  # fmt: skip
    rig.call("CopyDescriptorsSimple", copied)
    rig.call("Present", {})
    rig.call("CopyDescriptorsSimple", copied)
    hazard = {
        "heap": 1, "first": 8, "count": 2, "kind": int(HazardKind.OVERWRITTEN), "command_list": 0, "since": 0,
        "frame": 1, "times": 2, "is_pending": 1, "rule": 0,
    }  # fmt: skip
    assert rows(uses(rig).hazards) == [hazard]
    rig.call("Present", {})
    rig.call("CopyDescriptorsSimple", copied)
    assert rows(uses(rig).hazards) == [{**hazard, "is_pending": 0}]


def test_that_slots_are_free_as_soon_as_the_application_waited_for_the_gpu() -> None:
    rig = make()
    rig.call("CreateCommandQueue", {}, "Queue")
    rig.call("CreateFence", {}, "Fence")
    table_signature(rig, "DESCRIPTORS_VOLATILE")
    table(rig)
    on(rig, "Close")
    rig.call("ExecuteCommandLists", {"ppCommandLists": ["List"], "pCommandQueue": "Queue"})
    rig.call("Signal", {"pCommandQueue": "Queue", "pFence": "Fence", "Value": 1})
    on(rig, "Reset")
    view(rig, 0)
    assert uses(rig).hazards.is_pending.tolist() == [True]
    rig.call("SetEventOnCompletion", {"pFence": "Fence", "Value": 1})
    assert len(uses(rig).ranges) == 0
    assert uses(rig).hazards.is_pending.tolist() == [False]
    view(rig, 1)
    assert len(uses(rig).hazards) == 1


def test_that_runs_of_stale_slots_in_a_table_are_hazards_of_their_own() -> None:
    rig = make()
    table_signature(rig, "DESCRIPTORS_VOLATILE", count=8)
    for slot in (1, 2, 5, 9):
        view(rig, slot, "B")
    rig.call("Release", {"pObject": "B"})
    table(rig)
    run(rig)
    found = uses(rig).hazards
    assert list(zip(found.first.tolist(), found.count.tolist(), strict=True)) == [(1, 2), (5, 1)]
    assert set(found.kind.tolist()) == {int(HazardKind.STALE_READ)}


def test_that_captured_tables_and_targets_are_told_and_their_slots_are_free() -> None:
    rig = make(tables="recording")
    table_signature(rig)
    target(rig, "A")
    target(rig, "B")
    table(rig, 3)
    told = uses(rig)
    assert [(row["heap"], row["first"], row["count"], row["is_table"]) for row in rows(told.captures)] == [
        (0, 0, 1, 0), (0, 0, 1, 0), (1, 3, 4, 1)
    ]  # fmt: skip
    names = rig.state.resource_names
    order = {int(at): names[row] for row, at in enumerate(rig.state.resources.positions()) if at >= 0}
    assert [order.get(index) for index in told.captures.resource.tolist()] == ["A", "B", None]
    assert len(told.ranges) == 0
    view(rig, 3)
    assert len(uses(rig).hazards) == 0
    for left in (3, 0):
        rig.call("Present", {})
        assert len(uses(rig).captures) == left


def test_that_copies_are_told_from_where_to_where_cut_at_the_ends_of_both_sides() -> None:
    rig = make()
    inputs = {
        "pDestDescriptorRangeStarts": [{"heap": "Views", "index": 0}, {"heap": "Views", "index": 9}],
        "pDestDescriptorRangeSizes": [3, 2],
        "pSrcDescriptorRangeStarts": [{"heap": "Staging", "index": 4}, {"heap": "Staging", "index": 12}],
        "pSrcDescriptorRangeSizes": [4, 1],
        "DescriptorHeapsType": VIEWS,
    }
    assert rig.call("CopyDescriptors", inputs).succeeded
    told = [(r["source_heap"], r["source_first"], r["heap"], r["first"], r["count"]) for r in rows(uses(rig).copies)]
    assert told == [(2, 4, 1, 0, 3), (2, 7, 1, 9, 1), (2, 12, 1, 10, 1)]
    for left in (3, 0):
        rig.call("Present", {})
        assert len(uses(rig).copies) == left


def test_that_copies_that_go_on_are_one() -> None:
    log = SlotLog()
    for at in range(10):
        log.note_copy(SlotCopy("S", at, "V", 40 + at, 1, 3))
    log.note_copy(SlotCopy("S", 10, "V", 51, 1, 3))
    assert log.copies == [SlotCopy("S", 0, "V", 40, 10, 3), SlotCopy("S", 10, "V", 51, 1, 3)]


def test_that_only_so_many_hazards_are_remembered_and_the_one_longest_ago_goes() -> None:
    log = SlotLog()
    for at in range(HAZARDS_KEPT + 2):
        log.note_hazard(SlotHazard(HazardKind.OVERWRITTEN, "V", at, 1, "L", "device.table-read"), at)
        log.note_hazard(SlotHazard(HazardKind.OVERWRITTEN, "V", 0, 1, "L", "device.table-read"), at)
    assert len(log.hazards) == HAZARDS_KEPT
    firsts = [hazard.first for hazard in log.hazards]
    assert firsts[-1] == 0
    assert 1 not in firsts


def test_that_what_happened_in_a_heap_goes_with_it() -> None:
    rig = make()
    table_signature(rig)
    table(rig)
    run(rig)
    view(rig, 1)
    view(rig, "ring")
    rig.call(
        "CopyDescriptorsSimple",
        {"NumDescriptors": 1, "DestDescriptorRangeStart": {"heap": "Views", "index": 12},
         "SrcDescriptorRangeStart": {"heap": "Staging"}, "DescriptorHeapsType": VIEWS},
    )  # fmt: skip
    rig.call("Release", {"pObject": "Views"})
    told = uses(rig)
    assert [len(table) for table in (told.ranges, told.hazards, told.copies, told.allocators, told.given_out)] == [
        0
    ] * 5


def test_that_a_ring_tells_head_tail_and_when_its_parts_come_back() -> None:
    rig = make()
    copied: dict[str, Any] = {
        "NumDescriptors": 6, "DestDescriptorRangeStart": {"heap": "Views", "index": "ring"},
        "SrcDescriptorRangeStart": {"heap": "Staging"}, "DescriptorHeapsType": VIEWS,
    }  # fmt: skip
    rig.call("CopyDescriptorsSimple", copied)
    rig.call("Present", {})
    rig.call("CopyDescriptorsSimple", copied)
    assert not rig.call("CopyDescriptorsSimple", copied).succeeded
    ring = {"heap": 1, "kind": int(AllocatorKind.RING), "coming_back": 0, "refused": 1}
    assert rows(uses(rig).allocators) == [{**ring, "head": 12, "tail": 0, "given_out": 12}]
    assert [(r["first"], r["count"], r["back_frame"]) for r in rows(uses(rig).given_out)] == [(0, 6, 2), (6, 6, 3)]
    rig.call("Present", {})
    assert rows(uses(rig).allocators) == [{**ring, "head": 12, "tail": 6, "given_out": 6}]


def test_that_after_a_refusal_there_is_no_latest_slot_to_point_a_table_at() -> None:
    rig = make()
    table_signature(rig)
    copied: dict[str, Any] = {
        "NumDescriptors": 10, "DestDescriptorRangeStart": {"heap": "Views", "index": "ring"},
        "SrcDescriptorRangeStart": {"heap": "Staging"}, "DescriptorHeapsType": VIEWS,
    }  # fmt: skip
    on(rig, "SetDescriptorHeaps", ppDescriptorHeaps=["Views"])
    on(rig, "SetGraphicsRootSignature", pRootSignature="Signature")
    latest = {"heap": "Views", "index": "latest"}
    hrs = []
    for _ in range(2):
        rig.call("CopyDescriptorsSimple", copied)
        set_table = on(rig, "SetGraphicsRootDescriptorTable", RootParameterIndex=0, BaseDescriptor=latest)
        hrs.append((set_table.hr, set_table.reasons[0].rule))
    assert hrs == [("S_OK", "device.table-read"), ("E_OUTOFMEMORY", "device.ring-full")]


def test_that_a_free_list_tells_what_is_out_and_what_comes_back() -> None:
    rig = make()
    for name in ("A", "B", "A"):
        view(rig, "free-list", name)
    rig.call("Release", {"pObject": "A"})
    told = rows(uses(rig).allocators)[0]
    assert (told["kind"], told["head"], told["given_out"], told["coming_back"]) == (AllocatorKind.FREE_LIST, 3, 3, 2)
    assert [(r["first"], r["count"], r["back_frame"]) for r in rows(uses(rig).given_out)] == [
        (0, 1, 2), (1, 1, -1), (2, 1, 2)
    ]  # fmt: skip
    for _ in range(2):
        rig.call("Present", {})
    told = rows(uses(rig).allocators)[0]
    assert (told["head"], told["given_out"], told["coming_back"]) == (0, 1, 0)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 40), st.integers(0, 12)), max_size=40), st.data())
def test_that_the_ranges_a_write_touches_are_those_that_share_slots(
    spans: list[tuple[str, int, int]], data: st.DataObject
) -> None:
    held = RangeUses()
    for heap, first, count in spans:
        held.add(RangeUse(heap, first, count, is_static=True, is_bounded=True, list_name="L"), first, first + 2)
    heap, first, count = data.draw(st.sampled_from("abd")), data.draw(st.integers(0, 50)), data.draw(st.integers(1, 9))
    wanted = [use for use in held if use.heap == heap and use.overlap(first, count)[1]]
    assert list(held.touched(heap, first, count)) == wanted
    held.drop_done(set(range(21, 99)))
    assert all(use.first > 20 for use in held)
    assert list(held.touched(heap, first, count)) == [use for use in wanted if use.first > 20]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 19)), max_size=120))
def test_that_a_free_list_gives_the_lowest_free_slot_and_copies_do_not_follow(steps: list[tuple[bool, int]]) -> None:
    one, frame, free, coming = SlotAllocator(20), 0, set(range(20)), dict[int, int]()
    for takes, slot in steps:
        if takes:
            kept = one.copy()
            before = None if not kept.used else kept.bytes_in(frame).tolist()
            assert one.from_free_list(frame) == (min(free) if free else None)
            free -= {min(free)} if free else set()
            assert before is None or kept.bytes_in(frame).tolist() == before
        elif slot not in free and slot not in coming and one.used:
            one.give_back(slot, frame)
            coming[slot] = frame + 2
        else:
            frame += 1
            free |= {slot for slot, when in coming.items() if when <= frame}
            coming = {slot: when for slot, when in coming.items() if when > frame}
        if one.used:
            assert np.flatnonzero(one.bytes_in(frame) == 0).tolist() == sorted(free)


@pytest.mark.parametrize(
    ("scenario", "frames", "counts"),
    [
        ("d3d12-descriptor-ring", 20, {"ranges": 10, "hazards": 0, "copies": 1, "allocators": 2}),
        ("d3d12-bindless-staging-descriptors", 20, {"ranges": 1, "hazards": 0, "copies": 1, "allocators": 1}),
        ("d3d12-bindless-million", 30, {"ranges": 1, "hazards": 0, "copies": 1, "allocators": 2}),
        ("d3d12-rtv-slot-reuse", 210, {"ranges": 4, "hazards": 1, "captures": 8, "allocators": 0}),
        ("d3d12-rtv-slot-reuse", 410, {"ranges": 0, "captures": 12}),
    ],
)
def test_that_the_scenarios_show_tables_copies_hazards_and_allocators(
    scenario: str, frames: int, counts: dict[str, int]
) -> None:
    simulation = load_simulation(scenario)
    simulation.step(frames)
    told = simulation.snapshot().descriptor_uses
    assert {name: len(getattr(told, name)) for name in counts} == counts


def test_that_what_is_told_is_never_written_again() -> None:
    simulation = load_simulation("d3d12-rtv-slot-reuse")
    simulation.step(210)
    told = simulation.snapshot().descriptor_uses
    assert set(told.tables()) == {"ranges", "hazards", "copies", "captures", "allocators", "given_out"}
    for one in told.tables().values():
        assert not any(column.flags.writeable for column in one.arrays().values())
        assert list(one.arrays()) == list(column_dtypes(type(one)))
    before = rows(told.ranges)
    simulation.step(3)
    assert rows(told.ranges) == before


def test_that_going_back_tells_the_same_as_before() -> None:
    simulation = load_simulation("d3d12-descriptor-ring")
    simulation.step(40)
    before = simulation.snapshot().descriptor_uses
    simulation.step(60)
    later = simulation.snapshot().descriptor_uses
    simulation.seek(40)
    assert simulation.snapshot().descriptor_uses == before != later
