"""Single rules of D3D12, one case each."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.core import d3d12
from explorer.core.calls import call_spec
from explorer.core.d3d12_enums import (
    Feature,
    HeapFlags,
    HeapType,
    ResidencyFlags,
    ResourceDimension,
    ResourceFlags,
    ResourceStates,
    TextureLayout,
    TileRangeFlags,
)
from explorer.core.d3d12_structs import (
    ClearValue,
    DescriptorHandle,
    DescriptorHeapDesc,
    HeapDesc,
    HeapProperties,
    ResourceDesc,
    SampleDesc,
    TiledResourceCoordinate,
    TileRegionSize,
)
from explorer.core.d3d12_view_enums import (
    DescriptorHeapFlags,
    DescriptorHeapType,
    DsvDimension,
    RtvDimension,
    SrvDimension,
    UavDimension,
)
from explorer.core.d3d12_views import BufferRange, CbvDesc, DsvDesc, RtvDesc, SrvDesc, TextureRange, UavDesc
from explorer.core.dxgi import DXGI_FORMAT
from explorer.errors import CommandError
from explorer.rules.d3d12 import (
    DEFAULT,
    NEEDS,
    RULES,
    BudgetState,
    CopyState,
    HeapState,
    MappingState,
    ResourceState,
    ViewState,
    has_rules,
    judge,
)
from explorer.rules.d3d12_access import available_for_reservation, default_priority
from explorer.rules.d3d12_allocation import tiling_of
from explorer.rules.d3d12_runtime import runtime_of
from explorer.tables.adapters import adapters
from tests.rules.d3d12_strategies import with_changes

BUFFER = ResourceDesc(ResourceDimension.BUFFER, Width=1024, Layout=TextureLayout.ROW_MAJOR)
TEXTURE = ResourceDesc(
    ResourceDimension.TEXTURE2D, Width=64, Height=64, Format=DXGI_FORMAT.R8G8B8A8_UNORM, MipLevels=3
)  # fmt: skip
ON_GPU = HeapProperties(HeapType.DEFAULT)
UPLOAD = HeapProperties(HeapType.UPLOAD)
TILED = replace(TEXTURE, Layout=TextureLayout["_64KB_UNDEFINED_SWIZZLE"], Width=512, Height=512, MipLevels=1)
VIEWS = DescriptorHeapDesc(DescriptorHeapType.CBV_SRV_UAV, 8)
SLOT = DescriptorHandle("heap", 3)


def broken(arguments: Any, state: Any = None, runtime: Any = DEFAULT) -> list[str]:
    """Return the ids of the violated rules, without the API."""
    verdict = judge(arguments, state, runtime)
    return [] if verdict.succeeded else [reason.rule.removeprefix("d3d12.") for reason in verdict.reasons]


def test_that_all_broken_rules_are_reported_and_repaired_one_after_the_other() -> None:
    desc = replace(TEXTURE, Alignment=3, Flags=ResourceFlags.DENY_SHADER_RESOURCE, SampleDesc=SampleDesc(3, 0))
    call = d3d12.CreateCommittedResource(UPLOAD, desc, ResourceStates.RENDER_TARGET)
    assert {"3.7d", "3.7f", "3.7h", "3.7i", "4.1d", "3.4a", "3.5a"} <= set(broken(call))
    for _ in range(12):
        verdict = judge(call)
        if verdict.succeeded:
            break
        call = with_changes(call, dict(next(r.remedy for r in verdict.reasons if r.remedy is not None).changes))
    assert judge(call).hr == "S_OK"


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (d3d12.CreateCommittedResource(ON_GPU, BUFFER, pOptimizedClearValue=ClearValue(DXGI_FORMAT.R8_UNORM)), "3.3"),
        (d3d12.CreateCommittedResource(ON_GPU, replace(BUFFER, MipLevels=0)), "3.1e"),
        (d3d12.CreateCommittedResource(ON_GPU, BUFFER, HeapFlags=HeapFlags.DENY_BUFFERS), "2.10"),
        (d3d12.CreateCommittedResource(ON_GPU, replace(TEXTURE, Format=DXGI_FORMAT.NV12, Width=63)), "3.11a"),
        (d3d12.CreateReservedResource(TEXTURE), "3.15b"),
        (d3d12.CreateHeap(HeapDesc(1 << 20, UPLOAD, Flags=HeapFlags.SHARED)), "2.8"),
        (d3d12.CreateHeap(HeapDesc(1 << 20, ON_GPU, Flags=HeapFlags.SHARED_CROSS_ADAPTER)), "2.7a"),
        (d3d12.CreateHeap(HeapDesc(1 << 20, HeapProperties(HeapType.CUSTOM))), "1.5a"),
        (d3d12.CheckFeatureSupport(Feature.ARCHITECTURE, NodeIndex=1), "1.1a"),
        (d3d12.GetCustomHeapProperties(HeapType.CUSTOM), "1.4b"),
    ],
)  # fmt: skip
def test_that_a_broken_rule_stands_first(arguments: Any, rule: str) -> None:
    assert broken(arguments)[0] == rule


@pytest.mark.parametrize(
    ("offset", "rules"),
    [(0, []), (4096, ["3.18a"]), (65536, []), (131072, ["3.18b"]), (131073, ["3.18a", "3.18b"])],
)
def test_that_a_placed_resource_lies_in_its_heap(offset: int, rules: list[str]) -> None:
    heap = HeapState(HeapDesc(131072, ON_GPU))
    call = d3d12.CreatePlacedResource("h", offset, BUFFER)
    assert [rule for rule in broken(call, heap) if rule.startswith("3.18")] == rules


def test_that_a_cross_adapter_heap_serves_every_category_on_tier_1_too() -> None:
    tier1 = replace(DEFAULT, heap_tier=1)
    shared = HeapFlags.SHARED | HeapFlags.SHARED_CROSS_ADAPTER
    assert broken(d3d12.CreateHeap(HeapDesc(1 << 20, ON_GPU, Flags=shared)), None, tier1) == []
    assert broken(d3d12.CreateHeap(HeapDesc(1 << 20, ON_GPU)), None, tier1) == ["2.5a"]


def test_that_a_probe_answers_s_false() -> None:
    verdict = judge(d3d12.CreateCommittedResource(ON_GPU, TEXTURE, ppvResource=False))
    assert (verdict.hr, verdict.values["SegmentGroup"]) == ("S_FALSE", "LOCAL")


def test_that_the_pool_follows_the_architecture() -> None:
    uma = replace(DEFAULT, uma=True, cache_coherent_uma=True)
    call = d3d12.CreateCommittedResource(UPLOAD, BUFFER, ResourceStates.GENERIC_READ)
    assert judge(call).values["CPUPageProperty"] == "D3D12_CPU_PAGE_PROPERTY_WRITE_COMBINE"
    assert judge(call).values["SegmentGroup"] == "NON_LOCAL"
    assert judge(call, None, uma).values["CPUPageProperty"] == "D3D12_CPU_PAGE_PROPERTY_WRITE_BACK"
    assert judge(call, None, uma).values["SegmentGroup"] == "LOCAL"


@pytest.mark.parametrize(
    ("call", "resource", "rules"),
    [
        (d3d12.CreateShaderResourceView(SLOT, "r"), TEXTURE, []),
        (d3d12.CreateShaderResourceView(SLOT), None, ["7.10g"]),
        (d3d12.CreateShaderResourceView(SLOT, None, SrvDesc(SrvDimension.TEXTURE2D)), None, []),
        (d3d12.CreateShaderResourceView(SLOT, "r", SrvDesc(SrvDimension.TEXTURE3D)), TEXTURE, ["7.10h"]),
        (d3d12.CreateShaderResourceView(SLOT, "r", SrvDesc(SrvDimension.TEXTURE2DMS)), TEXTURE, ["7.10h"]),
        (
            d3d12.CreateShaderResourceView(SLOT, "r", SrvDesc(SrvDimension.TEXTURE2D, DXGI_FORMAT.R32_UINT)),
            TEXTURE, ["7.10j"],
        ),
        (
            d3d12.CreateShaderResourceView(
                SLOT, "r", SrvDesc(SrvDimension.TEXTURE2D, Texture=TextureRange(MostDetailedMip=2, MipLevels=2))
            ),
            TEXTURE, ["7.10i"],
        ),
        (
            d3d12.CreateShaderResourceView(
                SLOT, "r", SrvDesc(SrvDimension.BUFFER, Buffer=BufferRange(0, 64, StructureByteStride=16))
            ),
            BUFFER, [],
        ),
        (
            d3d12.CreateShaderResourceView(
                SLOT, "r", SrvDesc(SrvDimension.BUFFER, Buffer=BufferRange(1, 64, StructureByteStride=16))
            ),
            BUFFER, ["7.10i"],
        ),
        (d3d12.CreateUnorderedAccessView(SLOT, "r"), TEXTURE, ["7.10e"]),
        (
            d3d12.CreateUnorderedAccessView(
                SLOT, "r", "c",
                UavDesc(UavDimension.BUFFER, Buffer=BufferRange(0, 4, 4, CounterOffsetInBytes=8)),
            ),
            replace(BUFFER, Flags=ResourceFlags.ALLOW_UNORDERED_ACCESS), ["4.9c"],
        ),
        (d3d12.CreateConstantBufferView(SLOT, CbvDesc("r", 256, 128)), BUFFER, ["4.9a"]),
        (d3d12.CreateConstantBufferView(SLOT, CbvDesc("r", 1 << 17)), replace(BUFFER, Width=1 << 20), ["4.9b"]),
        (d3d12.CreateConstantBufferView(DescriptorHandle("heap", 8), CbvDesc("r", 256)), BUFFER, ["7.10b"]),
        (d3d12.CreateSampler(SLOT), None, ["7.10a"]),
        (d3d12.CreateRenderTargetView(SLOT, "r", RtvDesc(RtvDimension.TEXTURE2D)), TEXTURE, ["7.10a", "7.10c"]),
        (d3d12.CreateDepthStencilView(SLOT, "r", DsvDesc(DsvDimension.TEXTURE2D)), TEXTURE, ["7.10a", "7.10d"]),
    ],
)  # fmt: skip
def test_that_views_fit_slot_and_resource(call: Any, resource: ResourceDesc | None, rules: list[str]) -> None:
    counter = BUFFER if getattr(call, "pCounterResource", None) else None
    state = ViewState(VIEWS, resource, counter)
    assert broken(call, state) == rules
    for reason in judge(call, state).reasons:
        if reason.remedy is not None and reason.remedy.changes:
            changed = with_changes(call, dict(reason.remedy.changes))
            assert reason.rule.removeprefix("d3d12.") not in broken(changed, state)


def test_that_copies_need_a_hidden_source_of_the_same_type() -> None:
    visible = replace(VIEWS, Flags=DescriptorHeapFlags.SHADER_VISIBLE)
    state = CopyState({"to": VIEWS, "of": visible})
    call = d3d12.CopyDescriptorsSimple(
        9, DescriptorHandle("to"), DescriptorHandle("of"), DescriptorHeapType.CBV_SRV_UAV
    )
    assert broken(call, state) == ["7.5a", "7.5d"]
    other = replace(call, NumDescriptors=2, DescriptorHeapsType=DescriptorHeapType.SAMPLER)
    assert broken(other, CopyState({"to": VIEWS, "of": VIEWS})) == ["7.5c"]
    assert judge(replace(call, NumDescriptors=2), CopyState({"to": VIEWS, "of": VIEWS})).values == {"Copied": 2}


def test_that_map_needs_memory_that_the_cpu_sees() -> None:
    assert broken(d3d12.Map("r"), ResourceState(BUFFER, ON_GPU)) == ["3.17a", "3.17e"]
    assert broken(d3d12.Map("r", 1), ResourceState(BUFFER, UPLOAD)) == ["3.17b", "3.17e"]
    assert broken(d3d12.Map("r"), ResourceState(BUFFER, None)) == ["3.15g", "3.17e"]
    assert judge(d3d12.Map("r"), ResourceState(BUFFER, UPLOAD)).hr == "S_OK"


def test_that_tile_mappings_stay_in_heap_and_resource() -> None:
    tiling = tiling_of(TILED)
    call = d3d12.UpdateTileMappings("r", "h", pHeapRangeStartOffsets=(60,))
    assert broken(call, MappingState(tiling, 64)) == ["6.6c"]
    assert broken(call, MappingState(tiling)) == ["6.6b"]
    assert broken(call, MappingState(None, 64)) == ["6.6e"]
    unmapped = replace(call, pRangeFlags=(TileRangeFlags.NULL,))
    assert judge(unmapped, MappingState(tiling)).values["Changed"] == dict.fromkeys(range(16))
    size = TileRegionSize(4, True, 2, 2, 1)
    at = TiledResourceCoordinate(3, 0, 0, 0)
    outside = d3d12.CopyTileMappings("r", at, "r", TiledResourceCoordinate(), size)
    assert broken(outside, MappingState(tiling, None, tiling)) == ["6.6d"]


def test_that_the_tiling_of_a_live_resource_is_told() -> None:
    values = judge(d3d12.GetResourceTiling("r"), ResourceState(TILED, None)).values
    assert values["pNumTilesForEntireResource"] == 16
    assert values["pStandardTileShapeForNonPackedMips"] == [128, 128, 1]


@pytest.mark.parametrize(
    ("flags", "usage", "left", "hr"),
    [
        (ResidencyFlags.NONE, 2000, True, "S_OK"),
        (ResidencyFlags.DENY_OVERBUDGET, 900, True, "S_OK"),
        (ResidencyFlags.DENY_OVERBUDGET, 901, True, "E_OUTOFMEMORY"),
        (ResidencyFlags.DENY_OVERBUDGET, 2000, True, "E_OUTOFMEMORY"),
        (ResidencyFlags.NONE, 0, False, "E_OUTOFMEMORY"),
    ],
)
def test_that_the_budget_binds_only_on_demand(flags: ResidencyFlags, usage: int, left: bool, hr: str) -> None:
    assert judge(d3d12.EnqueueMakeResident(("a",), flags), BudgetState(1000, usage, 100, left)).hr == hr


def test_that_the_numbers_of_residency_are_those_of_the_documents() -> None:
    assert default_priority(ResourceFlags.ALLOW_RENDER_TARGET, 25 << 20) == 0xA0010002
    assert default_priority(ResourceFlags.NONE, 1 << 40) == 0x78000000
    assert available_for_reservation(0) == 0
    assert available_for_reservation(1 << 30) == (1 << 29) + (1 << 27)


def test_that_what_a_call_needs_is_said() -> None:
    assert NEEDS[d3d12.Map] is ResourceState
    assert has_rules(d3d12.Map("r"))
    assert not has_rules(d3d12.Present())
    with pytest.raises(TypeError, match="needs a HeapState"):
        judge(d3d12.CreatePlacedResource("h", 0, BUFFER))
    with pytest.raises(TypeError, match="has no rules"):
        judge(d3d12.Present())


def test_that_judged_calls_are_calls_of_the_api() -> None:
    for kind in NEEDS:
        assert call_spec("d3d12", kind.__name__).input_type is kind


def test_that_rules_are_told_apart_and_read_as_sentences() -> None:
    assert len({row.id for row in RULES}) == len(RULES) > 200
    for row in RULES:
        assert row.id.startswith("d3d12.")
        assert row.api == "d3d12"
        assert row.text[0].isupper() or row.text[0].isdigit()
        assert row.text.endswith(".")
        assert row.source
        assert row.checked


def test_that_an_option_that_is_none_is_refused() -> None:
    assert runtime_of(None, {"tiled_resources_tier": "2", "windows": "xp"}).tiled_tier == 2
    with pytest.raises(CommandError, match="not a value"):
        runtime_of(None, {"size_model": "guess"})


def test_that_an_adapter_gives_its_capabilities() -> None:
    served = [adapter for adapter in adapters() if adapter.d3d12 is not None]
    assert served
    for adapter in served:
        runtime = runtime_of(adapter)
        assert adapter.d3d12 is not None
        assert runtime.heap_tier == adapter.d3d12.ResourceHeapTier
        assert runtime.size_model == adapter.size_model
    with pytest.raises(CommandError, match="does not serve"):
        runtime_of(next(adapter for adapter in adapters() if adapter.d3d12 is None))


def test_that_every_rule_that_the_code_names_exists() -> None:
    known = {row.id for row in RULES}
    root = Path(explorer.__file__).parent
    files = [*root.glob("core/*.py"), *root.glob("rules/d3d12*.py"), *root.glob("rules/size_model*.py")]
    named = {found for file in files for found in re.findall(r"d3d12\.\d+\.\d+[a-z]?", file.read_text("utf-8"))}
    assert named - known == set()
