"""Residency counts, what starts evicted, and calls that keep to the budget (CHECKLIST 44; issue 6, points 3 and 4)."""

from __future__ import annotations

import dataclasses

import pytest

from explorer.device import make_device
from explorer.device.memory_state import MemoryState
from explorer.tables.adapters import adapter
from tests.sim.test_d3d12_device import MIB, Rig

EVICTED = ("ALLOW_ONLY_BUFFERS", "CREATE_NOT_RESIDENT")
VIEWS = {
    "Type": "D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV", "NumDescriptors": 2048,
    "Flags": ["D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE"],
}  # fmt: skip


def group_of(rig: Rig, name: str) -> str:
    state = rig.state
    return state.segments[int(state.heaps["segment"][state.objects[name][1]])].group


def count(rig: Rig, name: str) -> int:
    return int(rig.state.heaps["resident_count"][rig.state.objects[name][1]])


def full(rig: Rig, size: int = 64 * MIB) -> None:
    """Fill video memory but for less than ``size`` bytes."""
    free = rig.state.segments[rig.state.segments_in("LOCAL")[0]].free_bytes
    rig.heap("Filler", free - size + 65536)
    rig.call("Present", {})


def test_that_a_heap_created_not_resident_moves_nothing() -> None:
    rig = Rig()
    made = rig.heap("H", 64 * MIB, flags=EVICTED)
    assert [event.kind for event in made.events] == ["allocated"]
    assert (rig.state.times.transfer, rig.usage(), count(rig, "H"), group_of(rig, "H")) == (0, 0, 0, "SYSTEM")
    back = rig.call("MakeResident", {"ppObjects": ["H"]})
    assert back.succeeded
    assert (rig.usage(), count(rig, "H"), group_of(rig, "H")) == (64 * MIB, 1, "LOCAL")


def test_that_a_heap_created_not_resident_needs_no_video_memory() -> None:
    rig = Rig()
    full(rig)
    assert rig.heap("H", 64 * MIB, flags=EVICTED).succeeded
    assert rig.state.log.counts["demoted"] == 0
    assert not rig.heap("Huge", 1 << 60, flags=EVICTED).succeeded
    assert rig.call("ExecuteCommandLists", {"references": ["H"]}).hr == "DXGI_ERROR_DEVICE_REMOVED"


def test_that_make_resident_brings_in_all_objects_or_none() -> None:
    rig = Rig()
    size = rig.state.segments[rig.state.segments_in("LOCAL")[0]].size
    rig.heap("Small", MIB, flags=EVICTED)
    rig.heap("Large", size + MIB, flags=EVICTED)
    failed = rig.call("MakeResident", {"ppObjects": ["Small", "Large"]})
    assert failed.hr == "E_OUTOFMEMORY"
    assert (count(rig, "Small"), count(rig, "Large"), rig.usage()) == (0, 0, 0)
    assert group_of(rig, "Small") == "SYSTEM"


@pytest.mark.parametrize(("flags", "hr", "demoted"), [("NONE", "S_OK", 1), ("DENY_OVERBUDGET", "E_OUTOFMEMORY", 0)])
def test_that_deny_overbudget_demotes_nobody_and_no_group_passes_its_budget(flags: str, hr: str, demoted: int) -> None:
    rig = Rig()
    rig.device.set_option("budget", "LOCAL=1TiB")
    rig.device.set_option("budget", "NON_LOCAL=1MiB")
    full(rig)
    rig.heap("H", 64 * MIB, flags=EVICTED)
    inputs: dict[str, object] = {"ppObjects": ["H"], "Flags": f"D3D12_RESIDENCY_FLAG_{flags}"}
    assert rig.call("EnqueueMakeResident", inputs).hr == hr
    assert rig.state.log.counts["demoted"] == demoted
    assert rig.state.log.counts["over_budget"] == demoted


def test_that_an_evicted_descriptor_heap_removes_the_device_when_a_table_reads_it() -> None:
    rig = Rig()
    rig.call("CreateDescriptorHeap", {"pDescriptorHeapDesc": VIEWS}, "Views")
    tables: dict[str, object] = {"tables": [{"heap": "Views", "first": 0, "count": 4}]}
    assert rig.call("ExecuteCommandLists", tables).succeeded
    rig.call("Evict", {"ppObjects": ["Views"]})
    assert rig.call("ExecuteCommandLists", tables).hr == "DXGI_ERROR_DEVICE_REMOVED"


def test_that_descriptors_in_use_are_not_the_first_to_be_demoted() -> None:
    rig = Rig()
    rig.call("CreateDescriptorHeap", {"pDescriptorHeapDesc": VIEWS}, "Views")
    for i in range(2):
        rig.heap(f"H{i}", MIB)
    rig.call("ExecuteCommandLists", {"references": ["H0", "H1"]})
    rig.call("Present", {})
    rig.device.set_option("budget", "LOCAL=1100KiB")
    outcome = rig.call("ExecuteCommandLists", {"references": ["H1"], "descriptor_heaps": ["Views"]})
    assert {event.subject for event in outcome.events if event.kind == "demoted"} == {"H0"}


@pytest.mark.parametrize("budget", [0, 1 << 30, 5 << 30])
def test_that_what_can_be_reserved_follows_a_budget_given_at_the_start(budget: int) -> None:
    rig = Rig()
    rig.state = MemoryState(adapter("rtx3060-laptop"), "tlsf", {(0, "LOCAL"): budget})
    rig.device = make_device("d3d12", rig.state, {})
    values = rig.call("QueryVideoMemoryInfo", {}).values
    assert values["AvailableForReservation"] == ((budget + (256 << 20)) // 2 if budget else 0)


def test_that_a_measured_figure_of_reservation_is_kept() -> None:
    own = next(one for one in adapter("warp").budgets if one.group == "LOCAL")
    values = Rig("warp").call("QueryVideoMemoryInfo", {}).values
    assert values["AvailableForReservation"] == own.available_for_reservation_bytes


def test_that_a_node_that_does_not_exist_reserves_nothing() -> None:
    refused = Rig().call("SetVideoMemoryReservation", {"Reservation": 0, "NodeIndex": 1})
    assert (refused.hr, refused.reasons[0].rule) == ("E_INVALIDARG", "d3d12.1.1a")


def test_that_what_fits_no_segment_pushes_nobody_out() -> None:
    rig = Rig()
    size = rig.state.segments[rig.state.segments_in("LOCAL")[0]].size
    for i in range(4):
        rig.heap(f"H{i}", 64 * MIB)
    assert rig.heap("Huge", size + 1).hr == "E_OUTOFMEMORY"
    assert (rig.state.log.counts["demoted"], rig.state.log.counts["evicted"]) == (0, 0)


@pytest.mark.parametrize("trims", [False, True])
def test_that_one_heap_too_large_to_leave_does_not_hold_the_smaller_ones(trims: bool) -> None:
    own = adapter("radeon680m")
    sizes = {"SYSTEM": 4 * MIB, "PAGE_FILE": 4 * MIB, "LOCAL": 64 * MIB}
    segments = tuple(dataclasses.replace(one, size_bytes=sizes[one.group]) for one in own.segments)
    rig = Rig()
    rig.state = MemoryState(dataclasses.replace(own, segments=segments), "tlsf")
    rig.device = make_device("d3d12", rig.state, {})
    rig.heap("Large", 60 * MIB)
    for i in range(4):
        rig.heap(f"H{i}", MIB)
    rig.call("Present", {})
    if trims:
        rig.device.set_option("budget", "LOCAL=61MiB")
        rig.call("ExecuteCommandLists", {})
    else:
        assert rig.heap("New", 2 * MIB).succeeded
    assert {name for name in ("H0", "H1", "H2", "H3") if group_of(rig, name) == "SYSTEM"} >= {"H0", "H1"}


QUERIES = {"pDesc": {"Type": "D3D12_QUERY_HEAP_TYPE_PIPELINE_STATISTICS", "Count": 1000}}


def test_that_a_query_heap_takes_gpu_memory_and_is_made_resident_like_a_heap() -> None:
    rig = Rig()
    assert rig.call("CreateQueryHeap", dict(QUERIES), "Queries").succeeded
    assert rig.usage() == 131072, "1,000 results of 88 B, in pages of 64 KiB"
    assert rig.call("ExecuteCommandLists", {"references": ["Queries"]}).succeeded
    for _ in range(2):
        rig.call("Present", {})
    assert rig.call("Evict", {"ppObjects": ["Queries"]}).succeeded
    assert rig.usage() == 0
    assert rig.call("MakeResident", {"ppObjects": ["Queries"]}).succeeded
    rig.call("Evict", {"ppObjects": ["Queries"]})
    assert rig.call("ExecuteCommandLists", {"references": ["Queries"]}).hr == "DXGI_ERROR_DEVICE_REMOVED"
    rig.call("Release", {"pObject": "Queries"})
    assert all(segment.held == 0 for segment in rig.state.segments)


def test_that_a_query_heap_lies_on_a_node_that_exists() -> None:
    desc = {**QUERIES["pDesc"], "NodeMask": 2}
    refused = Rig().call("CreateQueryHeap", {"pDesc": desc}, "Queries")
    assert (refused.hr, refused.reasons[0].rule) == ("E_INVALIDARG", "d3d12.1.6c")
    linked = Rig("linked-gtx1080x2")
    assert linked.call("CreateQueryHeap", {"pDesc": desc}, "Queries").succeeded
    assert linked.state.groups[1, "LOCAL"].usage == 131072
