"""Command lists, root signatures and descriptors over time (CHECKLIST 66 to 79)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from explorer.errors import CallError, CommandError
from tests.sim.test_d3d12_device import Rig

if TYPE_CHECKING:
    from explorer.device.outcome import Outcome

VISIBLE = ["D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE"]
TYPES = "D3D12_DESCRIPTOR_HEAP_TYPE_"
VIEWS = f"{TYPES}CBV_SRV_UAV"
TEXTURE = {
    "pHeapProperties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"},
    "pDesc": {
        "Dimension": "D3D12_RESOURCE_DIMENSION_TEXTURE2D", "Width": 64, "Height": 64,
        "Format": "DXGI_FORMAT_R8G8B8A8_UNORM", "Flags": ["D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET"],
    },
}  # fmt: skip


def descriptors(rig: Rig, name: str, kind: str, count: int = 16, *, visible: bool = False) -> Outcome:
    desc = {"Type": TYPES + kind, "NumDescriptors": count, "Flags": VISIBLE if visible else []}
    return rig.call("CreateDescriptorHeap", {"pDescriptorHeapDesc": desc}, name)


def table_signature(rig: Rig, *flags: str, count: int = 4, version: str = "D3D_ROOT_SIGNATURE_VERSION_1_1") -> None:
    names = [f"D3D12_DESCRIPTOR_RANGE_FLAG_{flag}" for flag in flags]
    one = {"RangeType": "D3D12_DESCRIPTOR_RANGE_TYPE_SRV", "NumDescriptors": count, "Flags": names}
    parameter = {
        "ParameterType": "D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE", "DescriptorTable": {"pDescriptorRanges": [one]},
    }  # fmt: skip
    made = rig.call(
        "CreateRootSignature", {"pRootSignature": {"pParameters": [parameter]}, "Version": version}, "Signature"
    )
    assert made.succeeded


def make(**options: str) -> Rig:
    rig = Rig(**options)
    for name in ("A", "B"):
        assert rig.call("CreateCommittedResource", TEXTURE, name).succeeded
    descriptors(rig, "RTV", "RTV", 1)
    descriptors(rig, "Views", "CBV_SRV_UAV", visible=True)
    descriptors(rig, "Staging", "CBV_SRV_UAV")
    rig.call("CreateCommandList", {}, "List")
    return rig


def view(rig: Rig, slot: int | str, resource: str = "A", heap: str = "Views") -> Outcome:
    return rig.call(
        "CreateShaderResourceView", {"DestDescriptor": {"heap": heap, "index": slot}, "pResource": resource}
    )


def target(rig: Rig, resource: str) -> None:
    rig.call("CreateRenderTargetView", {"DestDescriptor": {"heap": "RTV"}, "pResource": resource})
    on(rig, "OMSetRenderTargets", pRenderTargetDescriptors=[{"heap": "RTV"}])


def on(rig: Rig, name: str, **inputs: Any) -> Outcome:
    return rig.call(name, {"pCommandList": "List", **inputs})


def table(rig: Rig, first: int = 0, **more: Any) -> Outcome:
    on(rig, "SetDescriptorHeaps", ppDescriptorHeaps=["Views"])
    on(rig, "SetGraphicsRootSignature", pRootSignature="Signature")
    handle = {"heap": "Views", "index": first}
    return on(rig, "SetGraphicsRootDescriptorTable", RootParameterIndex=0, BaseDescriptor=handle, **more)


def run(rig: Rig) -> Outcome:
    on(rig, "Close")
    return rig.call("ExecuteCommandLists", {"ppCommandLists": ["List"]})


def hazards(*outcomes: Outcome) -> list[str]:
    return [event.rule for outcome in outcomes for event in outcome.events if event.kind == "hazard"]


def used_in_frame(rig: Rig, frame: int = 0) -> set[str]:
    state = rig.state
    return {state.resource_names[row] for row in state.resources if state.resources["used_frame"][row] == frame}


@pytest.mark.parametrize(
    ("kind", "hidden", "shown"),
    [("CBV_SRV_UAV", True, True), ("SAMPLER", True, True), ("RTV", True, False), ("DSV", True, False)],
)
def test_that_only_view_and_sampler_heaps_may_be_visible(kind: str, hidden: bool, shown: bool) -> None:
    rig = Rig()
    assert descriptors(rig, "Hidden", kind).succeeded == hidden
    outcome = descriptors(rig, "Shown", kind, visible=True)
    assert outcome.succeeded == shown
    assert shown or outcome.reasons[0].rule == "d3d12.7.1a"


def test_that_tables_cannot_reach_a_heap_that_shaders_do_not_see() -> None:
    rig = make()
    assert on(rig, "SetDescriptorHeaps", ppDescriptorHeaps=["Staging"]).reasons[0].rule == "d3d12.7.6a"
    refused = rig.call("ExecuteCommandLists", {"descriptor_heaps": ["Staging"]})
    assert refused.hr == "E_INVALIDARG"


def test_that_at_most_one_heap_of_a_type_is_set() -> None:
    rig = make()
    descriptors(rig, "More views", "CBV_SRV_UAV", visible=True)
    descriptors(rig, "Samplers", "SAMPLER", visible=True)
    assert on(rig, "SetDescriptorHeaps", ppDescriptorHeaps=["Views", "Samplers"]).succeeded
    assert not on(rig, "SetDescriptorHeaps", ppDescriptorHeaps=["Views", "More views"]).succeeded


def test_that_one_rtv_slot_serves_many_targets_of_one_recording() -> None:
    rig = make()
    target(rig, "A")
    target(rig, "B")
    outcome = run(rig)
    assert outcome.succeeded
    assert not hazards(outcome)
    assert used_in_frame(rig) == {"A", "B"}


def test_that_a_target_slot_may_be_overwritten_before_the_list_runs() -> None:
    rig = make()
    target(rig, "A")
    on(rig, "Close")
    after = rig.call("CreateRenderTargetView", {"DestDescriptor": {"heap": "RTV"}, "pResource": "B"})
    assert not hazards(after)
    assert rig.call("ExecuteCommandLists", {"ppCommandLists": ["List"]}).succeeded
    assert used_in_frame(rig) == {"A"}


def test_that_buffer_views_go_into_the_list_without_any_heap() -> None:
    rig = make()
    for name in ("Vertices", "Indices", "Output"):
        rig.committed(name, 65536)
    on(rig, "IASetVertexBuffers", pViews=[{"resource": "Vertices"}])
    on(rig, "IASetIndexBuffer", pView={"resource": "Indices"})
    on(rig, "SOSetTargets", pViews=[{"resource": "Output"}])
    assert run(rig).succeeded
    assert used_in_frame(rig) == {"Vertices", "Indices", "Output"}


def test_that_overwriting_a_table_too_early_is_a_hazard_until_the_gpu_is_done() -> None:
    rig = make()
    table_signature(rig, "DESCRIPTORS_VOLATILE")
    view(rig, 2)
    assert table(rig).succeeded
    run(rig)
    assert hazards(view(rig, 3)) == ["device.table-read"]
    assert hazards(view(rig, 4)) == []
    rig.call("Present", {})
    assert hazards(view(rig, 0)) == ["device.table-read"]
    rig.call("Present", {})
    assert hazards(view(rig, 3)) == []


def test_that_a_copy_over_a_pending_table_is_the_same_hazard() -> None:
    rig = make()
    table_signature(rig, "DESCRIPTORS_VOLATILE")
    table(rig, 8)
    run(rig)
    copied = {
        "NumDescriptors": 4, "DestDescriptorRangeStart": {"heap": "Views", "index": 6},
        "SrcDescriptorRangeStart": {"heap": "Staging"}, "DescriptorHeapsType": VIEWS,
    }  # fmt: skip
    assert hazards(rig.call("CopyDescriptorsSimple", copied)) == ["device.table-read"]


def test_that_tables_may_be_captured_when_they_are_recorded() -> None:
    rig = make(tables="recording")
    table_signature(rig, "DESCRIPTORS_VOLATILE")
    assert table(rig).reasons[0].rule == "device.table-captured"
    run(rig)
    assert hazards(view(rig, 0)) == []


@pytest.mark.parametrize(
    ("flags", "version", "found"),
    [
        ((), "D3D_ROOT_SIGNATURE_VERSION_1_1", ["device.static-range"]),
        (("DESCRIPTORS_VOLATILE",), "D3D_ROOT_SIGNATURE_VERSION_1_1", []),
        ((), "D3D_ROOT_SIGNATURE_VERSION_1_0", []),
    ],
)
def test_that_static_descriptors_stay_from_the_recording_on(
    flags: tuple[str, ...], version: str, found: list[str]
) -> None:
    rig = make()
    table_signature(rig, *flags, version=version)
    table(rig)
    assert hazards(view(rig, 1)) == found


def test_that_a_stale_descriptor_in_a_table_is_a_hazard() -> None:
    rig = make()
    table_signature(rig, "DESCRIPTORS_VOLATILE")
    view(rig, 1, "B")
    rig.call("Release", {"pObject": "B"})
    table(rig)
    assert hazards(run(rig)) == ["device.table-read"]


def test_that_an_unbounded_table_may_hold_anything() -> None:
    rig = make()
    table_signature(rig, "DESCRIPTORS_VOLATILE", count=0xFFFFFFFF)
    view(rig, 1, "B")
    rig.call("Release", {"pObject": "B"})
    table(rig, NumDescriptors=16)
    assert hazards(run(rig)) == []
    assert hazards(view(rig, 15)) == ["device.table-read"]


def test_that_a_table_needs_its_heap_set_and_ends_within_it() -> None:
    rig = make()
    table_signature(rig)
    on(rig, "SetGraphicsRootSignature", pRootSignature="Signature")
    handle = {"heap": "Views", "index": 0}
    refused = on(rig, "SetGraphicsRootDescriptorTable", RootParameterIndex=0, BaseDescriptor=handle)
    assert refused.reasons[0].rule == "d3d12.7.6a"
    assert table(rig, 13).reasons[0].rule == "d3d12.7.5d"
    with pytest.raises(CallError, match="leaves its heap"):
        rig.call("ExecuteCommandLists", {"tables": [{"heap": "Views", "first": 10, "count": 7}]})


def test_that_a_list_that_still_records_removes_the_device() -> None:
    rig = make()
    outcome = rig.call("ExecuteCommandLists", {"ppCommandLists": ["List"]})
    assert outcome.hr == "DXGI_ERROR_DEVICE_REMOVED"
    assert rig.call("GetDeviceRemovedReason", {}).hr == "DXGI_ERROR_INVALID_CALL"
    assert rig.heap("Later", 65536).hr == "DXGI_ERROR_DEVICE_REMOVED"


def test_that_a_device_that_works_has_no_removal_reason() -> None:
    assert Rig().call("GetDeviceRemovedReason", {}).hr == "S_OK"


def test_that_a_closed_list_takes_nothing_until_it_is_reset() -> None:
    rig = make()
    on(rig, "Close")
    assert on(rig, "Close").hr == "E_FAIL"
    with pytest.raises(CommandError, match="closed"):
        target(rig, "A")
    assert on(rig, "Reset").succeeded
    assert on(rig, "DrawInstanced", references=["A"]).succeeded
    assert run(rig).succeeded


def test_that_a_released_resource_of_a_recording_is_a_hazard() -> None:
    rig = make()
    on(rig, "DrawInstanced", references=["A", "B"])
    rig.call("Release", {"pObject": "B"})
    outcome = run(rig)
    assert hazards(outcome) == ["d3d12.8.7"]
    assert outcome.succeeded


def test_that_a_root_signature_costs_what_its_parameters_take() -> None:
    rig = Rig()
    constants = {"ParameterType": "D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS", "Constants": {"Num32BitValues": 63}}
    inside = {"ParameterType": "D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE", "DescriptorTable": {}}
    fits = rig.call("CreateRootSignature", {"pRootSignature": {"pParameters": [constants, inside]}}, "Fits")
    assert fits.values["Cost"] == 64
    descriptor = {"ParameterType": "D3D12_ROOT_PARAMETER_TYPE_CBV", "Descriptor": {"ShaderRegister": 9}}
    over = rig.call("CreateRootSignature", {"pRootSignature": {"pParameters": [constants, descriptor]}}, "Over")
    assert over.hr == "E_INVALIDARG"
    assert over.reasons[0].rule == "d3d12.7.8a"
    assert "Over" not in rig.state.objects


def test_that_a_visible_heap_is_written_and_never_read_by_the_cpu() -> None:
    rig = make()
    assert view(rig, 0).succeeded
    assert rig.device.descriptors["Views"].kind[0], "filled directly, without any staging"
    copied = {
        "NumDescriptors": 1, "DestDescriptorRangeStart": {"heap": "Staging"},
        "SrcDescriptorRangeStart": {"heap": "Views"}, "DescriptorHeapsType": VIEWS,
    }  # fmt: skip
    assert rig.call("CopyDescriptorsSimple", copied).reasons[0].rule == "d3d12.7.5a"
    swapped = {
        **copied, "DestDescriptorRangeStart": {"heap": "Views", "index": 5},
        "SrcDescriptorRangeStart": {"heap": "Staging"},
    }  # fmt: skip
    assert rig.call("CopyDescriptorsSimple", swapped).succeeded


def test_that_the_staging_flow_ends_in_the_table_that_the_gpu_reads() -> None:
    rig = make()
    table_signature(rig, "DESCRIPTORS_VOLATILE")
    view(rig, 7, "B", "Staging")
    copied = {
        "NumDescriptors": 1, "DestDescriptorRangeStart": {"heap": "Views", "index": 1},
        "SrcDescriptorRangeStart": {"heap": "Staging", "index": 7}, "DescriptorHeapsType": VIEWS,
    }  # fmt: skip
    rig.call("CopyDescriptorsSimple", copied)
    table(rig)
    run(rig)
    heap = rig.device.descriptors["Views"]
    assert rig.state.resource_names[int(heap.resource[1])] == "B"
    assert hazards(view(rig, 9, "A", "Staging")) == []
    assert hazards(view(rig, 1, "A")) == ["device.table-read"], "the GPU reads it from the execution on"


def test_that_a_ring_gives_the_next_slots_and_never_those_in_flight() -> None:
    rig = make()
    copied: dict[str, Any] = {
        "NumDescriptors": 6, "DestDescriptorRangeStart": {"heap": "Views", "index": "ring"},
        "SrcDescriptorRangeStart": {"heap": "Staging"}, "DescriptorHeapsType": VIEWS,
    }  # fmt: skip
    firsts = [rig.call("CopyDescriptorsSimple", copied) for _ in range(3)]
    placed = [one.record.inputs["DestDescriptorRangeStart"]["index"] for one in firsts[:2]]
    assert placed == [0, 6]
    assert firsts[2].hr == "E_OUTOFMEMORY"
    assert firsts[2].reasons[0].rule == "device.ring-full"
    for _ in range(2):
        rig.call("Present", {})
    again = rig.call("CopyDescriptorsSimple", copied)
    assert again.record.inputs["DestDescriptorRangeStart"] == {"heap": "Views", "index": 0}


def test_that_a_free_list_gives_a_slot_back_when_the_gpu_is_done() -> None:
    rig = make()
    slots = [view(rig, "free-list", name).record.inputs["DestDescriptor"] for name in ("A", "B")]
    assert slots == [{"heap": "Views", "index": 0}, {"heap": "Views", "index": 1}]
    rig.call("Release", {"pObject": "A"})
    assert view(rig, "free-list", "B").record.inputs["DestDescriptor"] == {"heap": "Views", "index": 2}
    for _ in range(2):
        rig.call("Present", {})
    assert view(rig, "free-list", "B").record.inputs["DestDescriptor"] == {"heap": "Views", "index": 0}


def test_that_a_full_free_list_says_so() -> None:
    rig = make()
    for _ in range(16):
        assert view(rig, "free-list").succeeded
    assert view(rig, "free-list").hr == "E_OUTOFMEMORY"


def test_that_a_checkpoint_keeps_slots_and_lists() -> None:
    rig = make()
    view(rig, 0)
    target(rig, "A")
    kept: Any = rig.device.copy()
    view(rig, 1)
    on(rig, "Close")
    assert kept.descriptors["Views"].kind[1] == 0
    assert kept.lists["List"].is_open
    device: Any = rig.device
    assert device.descriptors["Views"].kind[:2].all()
