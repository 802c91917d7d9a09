"""Updates, copies, resolves and mip generation of D3D11: which bytes move, and which part of the frame they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from explorer.device import cost
from explorer.device.d3d11 import D3D11Device
from tests.device.test_d3d11_usages import MIB, buffer_desc, rules, texture
from tests.sim.test_d3d11_device import Rig

if TYPE_CHECKING:
    from explorer.device.outcome import Outcome

TEXEL = 4


def box(left: int, top: int, right: int, bottom: int) -> dict[str, int]:
    return {"left": left, "top": top, "front": 0, "right": right, "bottom": bottom, "back": 1}


def spent(rig: Rig, call: str, inputs: dict[str, Any]) -> tuple[Outcome, dict[str, int]]:
    times = rig.state.times
    before = (times.gpu, times.transfer, times.cpu, times.stall)
    outcome = rig.call(call, inputs)
    after = (times.gpu, times.transfer, times.cpu, times.stall)
    parts = zip(("gpu", "transfer", "cpu", "stall"), before, after, strict=True)
    return outcome, {name: now - then for name, then, now in parts}


def moved(outcome: Outcome, rule: str) -> list[int]:
    return [event.size_bytes for event in outcome.events if event.rule == rule]


def rate(rig: Rig, group: str) -> int:
    return rig.state.segments[rig.state.segments_in(group)[0]].bandwidth


def test_that_a_region_moves_its_own_bytes_and_no_more() -> None:
    rig = Rig()
    for name in ("A", "B"):
        assert texture(rig, name, "DEFAULT", "RENDER_TARGET", MipLevels=2).succeeded
    inputs = {"pDstResource": "B", "pSrcResource": "A"}
    whole = rig.call("CopyResource", inputs)
    level = rig.call("CopySubresourceRegion", {**inputs, "SrcSubresource": 1, "DstSubresource": 1})
    part = rig.call("CopySubresourceRegion", {**inputs, "pSrcBox": box(0, 0, 16, 8)})
    found = [moved(outcome, "d3d11.P5.12") for outcome in (whole, level, part)]
    assert found == [[(64 * 64 + 32 * 32) * TEXEL], [32 * 32 * TEXEL], [16 * 8 * TEXEL]]


def test_that_an_empty_box_and_an_ignored_copy_move_nothing() -> None:
    rig = Rig()
    for name, form in (("A", "R8G8B8A8_UNORM"), ("B", "R8G8B8A8_UNORM"), ("C", "R16G16_FLOAT")):
        assert texture(rig, name, "DEFAULT", "RENDER_TARGET", Format=f"DXGI_FORMAT_{form}").succeeded
    empty, times = spent(rig, "CopySubresourceRegion",
                         {"pDstResource": "B", "pSrcResource": "A", "pSrcBox": box(8, 8, 8, 8)})  # fmt: skip
    assert empty.succeeded
    assert not empty.events
    ignored, more = spent(rig, "CopyResource", {"pDstResource": "C", "pSrcResource": "A"})
    assert ignored.reasons[0].rule == "d3d11.P5.2.format"
    assert {*times.values(), *more.values()} == {0}


def test_that_a_copy_costs_the_gpu_locally_and_the_bus_across_it() -> None:
    rig = Rig()
    for name, usage in (("A", "DEFAULT"), ("B", "DEFAULT"), ("Back", "STAGING"), ("Up", "STAGING")):
        rig.buffer(name, usage, size=MIB)
    bus = rig.state.adapter.bus
    local = cost.transfer_ns(MIB, rate(rig, "LOCAL"))
    _, inside = spent(rig, "CopyResource", {"pDstResource": "B", "pSrcResource": "A"})
    assert inside == {"gpu": 2 * local, "transfer": 0, "cpu": 0, "stall": 0}
    back, out = spent(rig, "CopyResource", {"pDstResource": "Back", "pSrcResource": "A"})
    assert out == {"gpu": local, "transfer": cost.transfer_ns(MIB, bus.from_gpu_bytes_per_s), "cpu": 0, "stall": 0}
    assert moved(back, "d3d11.P5.9") == [MIB]
    _, into = spent(rig, "CopyResource", {"pDstResource": "A", "pSrcResource": "Up"})
    assert into == {"gpu": local, "transfer": cost.transfer_ns(MIB, bus.to_gpu_bytes_per_s), "cpu": 0, "stall": 0}


def test_that_updating_a_busy_destination_costs_a_copy_more() -> None:
    rig = Rig()
    rig.buffer("B", "DEFAULT", size=MIB)
    idle, first = spent(rig, "UpdateSubresource", {"pDstResource": "B"})
    rig.call("Draw", {"references": ["B"]})
    busy, second = spent(rig, "UpdateSubresource", {"pDstResource": "B"})
    assert "one copy" in idle.events[0].text
    assert "command storage" in busy.events[0].text
    assert moved(idle, "d3d11.P5.7") == moved(busy, "d3d11.P5.7") == [MIB]
    assert (first["cpu"], second["cpu"]) == (0, cost.cpu_ns(MIB, "WC", reads=False))
    assert first["transfer"] == second["transfer"] > 0
    assert first["stall"] == second["stall"] == 0


def test_that_a_part_of_a_texture_is_updated_by_its_box() -> None:
    rig = Rig()
    assert texture(rig, "T", "DEFAULT", "SHADER_RESOURCE", Format="DXGI_FORMAT_BC1_UNORM").succeeded
    outcome = rig.call("UpdateSubresource", {"pDstResource": "T", "pDstBox": box(0, 0, 8, 4)})
    assert moved(outcome, "d3d11.P5.7") == [2 * 8]


@pytest.mark.parametrize("usage", ["STAGING", "DYNAMIC", "IMMUTABLE"])
def test_that_only_default_resources_are_updated(usage: str) -> None:
    rig = Rig()
    rig.buffer("B", usage, data=usage == "IMMUTABLE")
    outcome, times = spent(rig, "UpdateSubresource", {"pDstResource": "B"})
    assert outcome.reasons[0].rule == "d3d11.P5.6"
    assert not set(times.values()) - {0}


def test_that_generated_mips_read_the_levels_above_those_they_write() -> None:
    rig = Rig()
    flags = {"MipLevels": 0, "MiscFlags": ["D3D11_RESOURCE_MISC_GENERATE_MIPS"]}
    assert texture(rig, "T", "DEFAULT", "RENDER_TARGET", "SHADER_RESOURCE", **flags).succeeded
    rig.call("CreateShaderResourceView", {"pResource": "T"}, "View")
    outcome, times = spent(rig, "GenerateMips", {"pShaderResourceView": "View"})
    below = sum((64 >> mip) ** 2 for mip in range(1, 7)) * TEXEL
    above = sum((64 >> mip) ** 2 for mip in range(6)) * TEXEL
    assert moved(outcome, "d3d11.P5.14") == [below]
    local = rate(rig, "LOCAL")
    assert times["gpu"] == cost.transfer_ns(above, local) + cost.transfer_ns(below, local)


def test_that_a_view_limits_the_levels_that_are_generated() -> None:
    rig = Rig()
    flags = {"MipLevels": 0, "MiscFlags": ["D3D11_RESOURCE_MISC_GENERATE_MIPS"]}
    assert texture(rig, "T", "DEFAULT", "RENDER_TARGET", "SHADER_RESOURCE", **flags).succeeded
    desc = {"ViewDimension": "D3D11_SRV_DIMENSION_TEXTURE2D", "Texture2D": {"MostDetailedMip": 2, "MipLevels": 2},
            "Format": "DXGI_FORMAT_R8G8B8A8_UNORM"}  # fmt: skip
    assert rig.call("CreateShaderResourceView", {"pResource": "T", "pDesc": desc}, "View").succeeded
    assert moved(rig.call("GenerateMips", {"pShaderResourceView": "View"}), "d3d11.P5.14") == [8 * 8 * TEXEL]


def test_that_a_resolve_reads_every_sample_and_writes_one_texel() -> None:
    rig = Rig()
    assert texture(rig, "Samples", "DEFAULT", "RENDER_TARGET", SampleDesc={"Count": 4}).succeeded
    assert texture(rig, "Plain", "DEFAULT", "RENDER_TARGET").succeeded
    inputs = {"pDstResource": "Plain", "pSrcResource": "Samples", "Format": "DXGI_FORMAT_R8G8B8A8_UNORM"}
    outcome, times = spent(rig, "ResolveSubresource", inputs)
    one, local = 64 * 64 * TEXEL, rate(rig, "LOCAL")
    assert moved(outcome, "d3d11.P5.13") == [one]
    assert times["gpu"] == cost.transfer_ns(4 * one, local) + cost.transfer_ns(one, local)


def test_that_a_mapped_side_takes_no_part_in_a_copy() -> None:
    rig = Rig()
    rig.buffer("A", "DEFAULT")
    rig.buffer("S", "STAGING")
    rig.call("Map", {"pResource": "S", "MapType": "D3D11_MAP_READ"})
    for inputs in ({"pDstResource": "S", "pSrcResource": "A"}, {"pDstResource": "A", "pSrcResource": "S"}):
        assert rig.call("CopyResource", inputs).reasons[0].rule == "d3d11.P5.4"


def test_that_only_the_named_subresource_has_to_be_unmapped() -> None:
    rig = Rig()
    for name in ("A", "S"):
        usage = "STAGING" if name == "S" else "DEFAULT"
        assert texture(rig, name, usage, *([] if name == "S" else ["RENDER_TARGET"]), MipLevels=2).succeeded
    rig.call("Map", {"pResource": "S", "Subresource": 1, "MapType": "D3D11_MAP_READ"})
    inputs = {"pDstResource": "S", "pSrcResource": "A"}
    assert rig.call("CopySubresourceRegion", inputs).succeeded
    mapped = rig.call("CopySubresourceRegion", {**inputs, "DstSubresource": 1, "SrcSubresource": 1})
    assert mapped.reasons[0].rule == "d3d11.P5.4"


def test_that_initial_data_goes_through_a_staging_block() -> None:
    rig = Rig()
    made = rig.call("CreateBuffer", {"pDesc": buffer_desc("IMMUTABLE", MIB), "pInitialData": True}, "B")
    assert moved(made, "d3d11.Q7.5") == [MIB]


def test_that_what_finds_no_room_is_left_out_and_reported() -> None:
    rig = Rig()
    rig.buffer("Here", "DEFAULT")
    rig.buffer("Out", "DEFAULT", size=MIB)
    device = rig.device
    assert isinstance(device, D3D11Device)
    heap = device.live[rig.state.objects["Out"][1]].heap
    rig.call("Present", {})
    assert device.kernel.page_out(device, heap, "kernel.paging", "for this test")
    for index in rig.state.segments_in("LOCAL"):
        segment = rig.state.segments[index]
        segment.take(segment.free_bytes, 1)
    rig.call("Draw", {"references": ["Here"]})
    outcome = rig.call("Draw", {"references": ["Here", "Out"]})
    assert outcome.succeeded
    assert rules(outcome, "refused") == ["alloc.too-few-bytes"]
    assert not rig.state.heaps["resident"][heap]
    copied = rig.call(
        "CopySubresourceRegion", {"pDstResource": "Here", "pSrcResource": "Out", "pSrcBox": box(0, 0, 64, 1)}
    )
    assert rules(copied, "refused") == ["alloc.too-few-bytes"]
    assert moved(copied, "d3d11.P5.12") == []
