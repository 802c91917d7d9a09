"""Descriptor heaps of the D3D12 device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from explorer.core.calls import CallRecord
from explorer.core.kinds import ResourceKind
from explorer.errors import CallError
from explorer.sim.scenarios import load_simulation

if TYPE_CHECKING:
    from explorer.core.columns import DescriptorHeapPicture
    from explorer.device.outcome import Outcome
    from explorer.sim.simulation import Simulation


def start() -> Simulation:
    return load_simulation("d3d12-bindless-staging-descriptors")


def call(simulation: Simulation, name: str, inputs: dict[str, Any], out: str | None = None) -> Outcome:
    return simulation.apply(CallRecord("d3d12", name, inputs, out))


def heap(simulation: Simulation, name: str) -> DescriptorHeapPicture:
    return next(one for one in simulation.snapshot().descriptor_heaps if one.name == name)


def view(simulation: Simulation, slot: int, resource: str | None, of: str = "Views (staging)") -> Outcome:
    inputs: dict[str, Any] = {"DestDescriptor": {"heap": of, "index": slot}}
    if resource is not None:
        inputs["pResource"] = resource
    return call(simulation, "CreateShaderResourceView", inputs)


@pytest.mark.parametrize(
    ("adapter_id", "sizes"),
    [
        ("rtx3060-laptop", (32, 32, 32)),
        ("arc-a770", (64, 16, 32)),
        ("radeon680m", (32, 16, 32)),
        ("warp", (64, 64, 32)),
    ],
)
def test_that_increments_are_the_adapters_own(adapter_id: str, sizes: tuple[int, ...]) -> None:
    simulation = load_simulation("d3d12-bindless-staging-descriptors", adapter_id)
    names = ("Views (visible)", "Samplers (visible)", "Render target views")
    assert tuple(heap(simulation, name).increment for name in names) == sizes


def test_that_a_visible_heap_is_gpu_memory_and_a_staging_heap_is_not() -> None:
    simulation = start()
    snapshot = simulation.snapshot()
    groups = {}
    for name in ("Views (visible)", "Views (staging)", "Render target views"):
        row = snapshot.resources.names.index(name)
        block = snapshot.blocks.resource.tolist().index(row)
        groups[name] = snapshot.segments[int(snapshot.blocks.segment[block])].group
    assert groups == {"Views (visible)": "LOCAL", "Views (staging)": "SYSTEM", "Render target views": "SYSTEM"}
    assert heap(simulation, "Views (staging)").gpu_start == 0
    assert heap(simulation, "Views (visible)").gpu_start != 0


def test_that_a_view_names_its_resource_and_goes_stale_with_it() -> None:
    simulation = start()
    assert view(simulation, 7, "Texture 0005").succeeded
    picture = heap(simulation, "Views (staging)")
    assert picture.kind[7] == int(ResourceKind.TEXTURE) + 1
    assert picture.view[7] == 2
    assert simulation.snapshot().resources.names[picture.resource[7]] == "Texture 0005"
    call(simulation, "Release", {"pObject": "Texture 0005"})
    picture = heap(simulation, "Views (staging)")
    assert picture.stale[7]
    assert picture.resource[7] == -1


def test_that_a_copy_brings_the_view_along_and_leaves_other_slots() -> None:
    simulation = start()
    view(simulation, 3, "Texture 0001")
    copied = {
        "NumDescriptors": 1, "DestDescriptorRangeStart": {"heap": "Views (visible)", "index": 9},
        "SrcDescriptorRangeStart": {"heap": "Views (staging)", "index": 3},
        "DescriptorHeapsType": "D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV",
    }  # fmt: skip
    assert call(simulation, "CopyDescriptorsSimple", copied).succeeded
    picture = heap(simulation, "Views (visible)")
    assert picture.kind[9] == int(ResourceKind.TEXTURE) + 1
    assert int((picture.kind != 0).sum()) == 1


def test_that_a_visible_heap_cannot_be_a_source() -> None:
    simulation = start()
    copied = {
        "NumDescriptors": 1, "DestDescriptorRangeStart": {"heap": "Views (staging)", "index": 0},
        "SrcDescriptorRangeStart": {"heap": "Views (visible)", "index": 0},
        "DescriptorHeapsType": "D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV",
    }  # fmt: skip
    outcome = call(simulation, "CopyDescriptorsSimple", copied)
    assert not outcome.succeeded
    assert outcome.reasons[0].rule.startswith("d3d12.7.5")


def test_that_a_slot_beyond_the_heap_is_refused_and_an_unknown_heap_named() -> None:
    simulation = start()
    assert not view(simulation, 4096, "Texture 0001").succeeded
    with pytest.raises(CallError, match="Nowhere"):
        view(simulation, 0, "Texture 0001", "Nowhere")


def test_that_a_released_descriptor_heap_gives_its_bytes_back() -> None:
    simulation = start()
    before = {group.group: group.usage_bytes for group in simulation.snapshot().groups}
    inputs = {"pDescriptorHeapDesc": {"Type": "D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV", "NumDescriptors": 100_000,
                                      "Flags": ["D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE"]}}  # fmt: skip
    assert call(simulation, "CreateDescriptorHeap", inputs, "More").succeeded
    assert {g.group: g.usage_bytes for g in simulation.snapshot().groups} != before
    call(simulation, "Release", {"pObject": "More"})
    assert {g.group: g.usage_bytes for g in simulation.snapshot().groups} == before


def test_that_rtv_heaps_are_never_shader_visible() -> None:
    inputs = {"pDescriptorHeapDesc": {"Type": "D3D12_DESCRIPTOR_HEAP_TYPE_RTV", "NumDescriptors": 4,
                                      "Flags": ["D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE"]}}  # fmt: skip
    assert call(start(), "CreateDescriptorHeap", inputs, "Bad").hr == "E_INVALIDARG"
