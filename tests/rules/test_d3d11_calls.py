from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.core import d3d11 as calls
from explorer.core.d3d11_enums import (
    LEVEL_10_0,
    BindFlag,
    BufferUavFlag,
    CpuAccessFlag,
    DsvFlag,
    FeatureLevel,
    MapFlag,
    MapFlag10,
    MapType,
    MapType10,
    MiscFlag,
    RtvDimension,
    SrvDimension,
    UavDimension,
    Usage,
)
from explorer.core.d3d11_views import (
    D3D11_DEPTH_STENCIL_VIEW_DESC,
    D3D11_RENDER_TARGET_VIEW_DESC,
    D3D11_SHADER_RESOURCE_VIEW_DESC,
    D3D11_UNORDERED_ACCESS_VIEW_DESC,
    BufferRange,
    BufferUavRange,
    MipArrayRange,
    MipDepthRange,
    MipRange,
)
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.schema import decode, encode
from explorer.errors import LayoutError
from explorer.rules.d3d11 import (
    NO_STATE,
    MapState,
    Resource,
    Runtime11,
    State11,
    Use,
    default_view,
    for_api,
    judge,
    resource_of,
    subresources_of,
    view_of,
)
from tests.rules.d3d11_strategies import carried_out, create_calls, runtimes

RGBA = DXGI_FORMAT.R8G8B8A8_UNORM
DEVICE = Runtime11()
STAGING = Resource("d3d11", "texture2d", 5, 3, mips=2, slices=2, format=RGBA, usage=3, cpu=0x30000)
DYNAMIC = Resource("d3d11", "buffer", 256, usage=2, bind=1, cpu=0x10000)
DEFAULT = Resource("d3d11", "texture2d", 16, 16, mips=5, slices=4, format=RGBA, bind=0xA8)
CONSTANTS = Resource("d3d11", "buffer", 256, bind=4)
BC = Resource("d3d11", "texture2d", 16, 16, format=DXGI_FORMAT.BC1_UNORM, bind=8)
DEPTH = Resource("d3d11", "texture2d", 16, 16, format=DXGI_FORMAT.D24_UNORM_S8_UINT, bind=0x40)
STRUCTURED = Resource("d3d11", "buffer", 1024, bind=0x88, misc=0x40, stride=16)
RAW = Resource("d3d11", "buffer", 1024, bind=0x88, misc=0x20)


def first(verdict: Any) -> str:
    return verdict.reasons[0].rule.removeprefix("d3d11.")


def map_of(
    resource: Resource, kind: MapType, device: Runtime11 = DEVICE, sub: int = 0, flags: int = 0, **past: bool
) -> Any:
    state = State11(resource, mapping=MapState(**past))
    return judge(calls.Map("r", sub, kind, MapFlag(flags)), state, device)


@pytest.mark.parametrize(
    ("verdict", "hr", "rule"),
    [
        (map_of(STAGING, MapType.READ), "S_OK", "M4.14"),
        (map_of(STAGING, MapType.READ, sub=4), "E_INVALIDARG", "M4.5"),
        (map_of(STAGING, MapType.WRITE_DISCARD), "E_INVALIDARG", "M4.2.discard"),
        (map_of(STAGING, MapType.READ, mapped=True), "E_INVALIDARG", "M4.13"),
        (map_of(DYNAMIC, MapType.WRITE), "E_INVALIDARG", "M4.3"),
        (map_of(DYNAMIC, MapType.READ), "E_INVALIDARG", "M4.2.read"),
        (map_of(DYNAMIC, MapType.WRITE_NO_OVERWRITE), "S_OK", "M4.14"),
        (map_of(DEFAULT, MapType.READ), "E_INVALIDARG", "M4.2.read"),
        (map_of(DYNAMIC, MapType.WRITE_NO_OVERWRITE, deferred=True),
         "D3D11_ERROR_DEFERRED_CONTEXT_MAP_WITHOUT_INITIAL_DISCARD", "M4.8.first"),
        (map_of(DYNAMIC, MapType.WRITE_NO_OVERWRITE, deferred=True, discarded=True), "S_OK", "M4.14"),
        (map_of(STAGING, MapType.READ, deferred=True), "E_INVALIDARG", "M4.8"),
        (map_of(STAGING, MapType.READ, flags=0x100000, busy=True), "DXGI_ERROR_WAS_STILL_DRAWING", "M4.7.wait"),
        (map_of(STAGING, MapType.READ, busy=True), "S_OK", "M4.14"),
        (map_of(DYNAMIC, MapType.WRITE_DISCARD, flags=0x100000), "E_INVALIDARG", "M4.7.flags"),
        (map_of(STAGING, MapType.READ, removed=True), "DXGI_ERROR_DEVICE_REMOVED", "M4.7.removed"),
    ],
)  # fmt: skip
def test_that_maps_are_judged(verdict: Any, hr: str, rule: str) -> None:
    assert (verdict.hr, first(verdict)) == (hr, rule)


def test_that_a_map_shows_packed_rows() -> None:
    values = map_of(STAGING, MapType.READ_WRITE).values
    assert (values["RowPitch"], values["DepthPitch"], values["Alignment"]) == (20, 60, 16)
    assert map_of(STAGING, MapType.READ, sub=1).values["RowPitch"] == 8
    oldest = Runtime11(feature_level=min(FeatureLevel))
    assert map_of(STAGING, MapType.READ, oldest).values["Alignment"] == 4


def test_that_no_overwrite_of_constants_needs_the_option() -> None:
    constants = replace(DYNAMIC, bind=4)
    assert map_of(constants, MapType.WRITE_NO_OVERWRITE).succeeded
    assert first(map_of(constants, MapType.WRITE_NO_OVERWRITE, Runtime11(runtime=(11, 0)))) == "X3.1"
    assert map_of(replace(DYNAMIC, bind=3), MapType.WRITE_NO_OVERWRITE, Runtime11(runtime=(11, 0))).succeeded


def test_that_a_d3d10_map_is_helped_in_d3d10_words() -> None:
    state = State11(replace(DYNAMIC, api="d3d10"))
    reason = judge(calls.Map10("r", 0, MapType10.READ), state, for_api(DEVICE, "d3d10")).reasons[0]
    assert reason.remedy is not None
    assert reason.remedy.changes == {"MapType": "D3D10_MAP_WRITE_DISCARD"}


def copy(destination: Resource, source: Resource, device: Runtime11 = DEVICE, **more: Any) -> Any:
    return judge(calls.CopyResource("d", "s"), State11(destination, source, **more), device)


def region(destination: Resource, source: Resource, device: Runtime11 = DEVICE, same: bool = False, **call: Any) -> Any:
    return judge(calls.CopySubresourceRegion("d", "s", **call), State11(destination, source, same), device)


def box(*edges: int) -> calls.D3D11_BOX:
    return calls.D3D11_BOX(*edges)


IMMUTABLE = replace(DEFAULT, usage=1, bind=8)


@pytest.mark.parametrize(
    ("verdict", "rule"),
    [
        (copy(DEFAULT, IMMUTABLE), "P5.12"),
        (copy(IMMUTABLE, DEFAULT), "P5.1"),
        (copy(DEFAULT, CONSTANTS), "P5.2"),
        (copy(DEFAULT, replace(DEFAULT, width=8)), "P5.2.size"),
        (copy(replace(DEFAULT, mips=1, slices=1), replace(DEFAULT, mips=1, slices=1, samples=4)), "P5.2.samples"),
        (copy(DEFAULT, replace(DEFAULT, format=DXGI_FORMAT.B8G8R8A8_UNORM)), "P5.2.format"),
        (copy(DEFAULT, replace(DEFAULT, format=DXGI_FORMAT.R8G8B8A8_UINT)), "P5.12"),
        (copy(DEFAULT, DEFAULT, same=True), "P5.10"),
        (copy(DEFAULT, IMMUTABLE, source_mapped=True), "P5.4"),
        (copy(DEPTH, DEPTH, Runtime11(feature_level=LEVEL_10_0)), "P5.3"),
        (copy(replace(STRUCTURED, stride=32), STRUCTURED), "P5.8"),
        (region(DEFAULT, IMMUTABLE, pSrcBox=box(0, 0, 0, 4, 4, 1), DstX=12), "P5.12"),
        (region(DEFAULT, IMMUTABLE, pSrcBox=box(0, 0, 0, 4, 4, 1), DstX=13), "P5.5.range"),
        (region(DEFAULT, IMMUTABLE, pSrcBox=box(0, 0, 0, 17, 4, 1)), "P5.5.range"),
        (region(DEFAULT, IMMUTABLE, pSrcBox=box(4, 0, 0, 4, 4, 1)), "P5.5"),
        (region(DEFAULT, IMMUTABLE, SrcSubresource=20), "P5.11"),
        (region(DEPTH, DEPTH, pSrcBox=box(0, 0, 0, 4, 4, 1)), "P5.3.whole"),
        (region(BC, BC, pSrcBox=box(0, 0, 0, 4, 4, 1), DstX=4), "P5.12"),
        (region(BC, BC, pSrcBox=box(1, 0, 0, 4, 4, 1)), "P5.5.blocks"),
        (region(DEFAULT, DEFAULT, same=True), "P5.12"),
        (region(DEFAULT, DEFAULT, Runtime11(runtime=(11, 0)), same=True), "P5.10"),
        (region(DEFAULT, DEFAULT, Runtime11(runtime=(11, 0)), same=True, DstSubresource=5), "P5.12"),
    ],
)
def test_that_copies_are_judged(verdict: Any, rule: str) -> None:
    assert first(verdict) == rule
    assert verdict.values["destination_changes"] is (rule == "P5.12")


@pytest.mark.parametrize(
    ("resource", "where", "device", "rule"),
    [
        (DEFAULT, None, DEVICE, "P5.12"),
        (DEFAULT, box(0, 0, 0, 16, 16, 1), DEVICE, "P5.12"),
        (DEFAULT, box(0, 0, 0, 16, 16, 2), DEVICE, "P5.5.range"),
        (DEFAULT, box(0, 0, 0, 4, 4, 0), DEVICE, "P5.5"),
        (STAGING, None, DEVICE, "P5.6"),
        (DYNAMIC, None, DEVICE, "P5.6"),
        (DEPTH, None, DEVICE, "P5.6.depth"),
        (CONSTANTS, box(0, 0, 0, 32, 1, 1), DEVICE, "P5.12"),
        (CONSTANTS, box(0, 0, 0, 20, 1, 1), DEVICE, "X3.2.update"),
        (CONSTANTS, box(0, 0, 0, 32, 1, 1), Runtime11(runtime=(11, 0)), "P5.6.constants"),
        (CONSTANTS, None, Runtime11(runtime=(11, 0)), "P5.12"),
    ],
)
def test_that_updates_are_judged(resource: Resource, where: Any, device: Runtime11, rule: str) -> None:
    verdict = judge(calls.UpdateSubresource("d", 0, where), State11(resource), device)
    assert first(verdict) == rule


def test_that_resolve_and_generate_mips_are_judged() -> None:
    single = Resource("d3d11", "texture2d", 8, 8, format=RGBA, bind=0x28)
    resolve = calls.ResolveSubresource("d", "s", RGBA)
    assert judge(resolve, State11(single, replace(single, samples=4)), DEVICE).succeeded
    assert first(judge(resolve, State11(single, single), DEVICE)) == "P5.13"
    mips = replace(single, mips=0, misc=1)
    assert judge(calls.GenerateMips("v"), State11(mips), DEVICE).values["destination_changes"] is True
    assert first(judge(calls.GenerateMips("v"), State11(single), DEVICE)) == "P5.14"


def srv(resource: Resource, desc: D3D11_SHADER_RESOURCE_VIEW_DESC | None, device: Runtime11 = DEVICE) -> Any:
    return judge(calls.CreateShaderResourceView("r", desc), State11(resource), device)


def uav(resource: Resource, desc: D3D11_UNORDERED_ACCESS_VIEW_DESC | None) -> Any:
    return judge(calls.CreateUnorderedAccessView("r", desc), State11(resource), DEVICE)


SRV, UAV = D3D11_SHADER_RESOURCE_VIEW_DESC, D3D11_UNORDERED_ACCESS_VIEW_DESC
BUFFER_SRV = SRV(DXGI_FORMAT.R32_FLOAT, SrvDimension.BUFFER, Buffer=BufferRange(0, 256))
TYPELESS = replace(DEFAULT, format=DXGI_FORMAT.R8G8B8A8_TYPELESS)


@pytest.mark.parametrize(
    ("verdict", "rule"),
    [
        (srv(DEFAULT, None), "V8.10"),
        (srv(replace(DEFAULT, bind=0x20), None), "V8.1"),
        (srv(DEFAULT, SRV(RGBA, SrvDimension.TEXTURE3D)), "V8.2"),
        (srv(DEFAULT, SRV(RGBA, SrvDimension.TEXTURECUBE)), "V8.2"),
        (srv(DEFAULT, SRV(DXGI_FORMAT.R8G8B8A8_UINT, SrvDimension.TEXTURE2D)), "V8.3"),
        (srv(TYPELESS, SRV(DXGI_FORMAT.R8G8B8A8_UINT, SrvDimension.TEXTURE2D)), "V8.10"),
        (srv(TYPELESS, None), "V8.3"),
        (srv(DEFAULT, SRV(RGBA, SrvDimension.TEXTURE2D, Texture2D=MipRange(4, 2))), "V8.4"),
        (srv(DEFAULT, SRV(RGBA, SrvDimension.TEXTURE2DARRAY, Texture2DArray=MipArrayRange(0, 1, 3, 2))), "V8.5"),
        (srv(RAW, None), "V8.7.desc"),
        (srv(STRUCTURED, None), "V8.10"),
        (srv(RAW, BUFFER_SRV), "V8.10"),
        (srv(RAW, replace(BUFFER_SRV, Buffer=BufferRange(1, 256))), "V8.7"),
        (srv(RAW, replace(BUFFER_SRV, Buffer=None)), "V8.10"),
        (srv(RAW, replace(BUFFER_SRV, Format=DXGI_FORMAT.BC1_UNORM)), "V8.3.kind"),
        (uav(RAW, UAV(DXGI_FORMAT.R32_TYPELESS, UavDimension.BUFFER, Buffer=BufferUavRange(0, 256, BufferUavFlag.RAW))),
         "V8.10"),
        (uav(RAW, UAV(DXGI_FORMAT.R32_UINT, UavDimension.BUFFER, Buffer=BufferUavRange(0, 256, BufferUavFlag.RAW))),
         "V8.8"),
        (uav(STRUCTURED, UAV(DXGI_FORMAT.UNKNOWN, UavDimension.BUFFER,
                             Buffer=BufferUavRange(0, 64, BufferUavFlag.COUNTER))), "V8.10"),
        (uav(RAW, UAV(DXGI_FORMAT.R32_UINT, UavDimension.BUFFER,
                      Buffer=BufferUavRange(0, 64, BufferUavFlag.APPEND))), "V8.8"),
        (judge(calls.CreateDepthStencilView("r", None), State11(DEPTH), DEVICE), "V8.10"),
        (judge(calls.CreateDepthStencilView("r", D3D11_DEPTH_STENCIL_VIEW_DESC(Flags=DsvFlag.READ_ONLY_DEPTH)),
               State11(DEPTH), DEVICE), "V8.2"),
        (judge(calls.CreateRenderTargetView("r", None), State11(DEPTH), DEVICE), "V8.1"),
    ],
)  # fmt: skip
def test_that_views_are_judged(verdict: Any, rule: str) -> None:
    assert first(verdict) == rule
    assert verdict.succeeded is (rule == "V8.10")


def test_that_a_view_shows_the_subresources_that_it_names() -> None:
    assert subresources_of(None, "srv", DEFAULT) == tuple(range(20))
    assert subresources_of(None, "rtv", DEFAULT) == (0, 5, 10, 15)
    part = SRV(RGBA, SrvDimension.TEXTURE2DARRAY, Texture2DArray=MipArrayRange(1, 2, 2, 1))
    assert subresources_of(view_of(part), "srv", DEFAULT) == (11, 12)
    cube = replace(DEFAULT, slices=6, mips=1, misc=4)
    assert subresources_of(default_view("srv", cube), "srv", cube) == (0, 1, 2, 3, 4, 5)
    volume = Resource("d3d11", "texture3d", 8, 8, 8, 4, format=RGBA, bind=0x28)
    target = D3D11_RENDER_TARGET_VIEW_DESC(RGBA, RtvDimension.TEXTURE3D, Texture3D=MipDepthRange(1, 0, 4))
    assert subresources_of(view_of(target), "rtv", volume) == (1,)
    assert subresources_of(None, "srv", RAW) == (0,)


@pytest.mark.parametrize(
    ("stem", "dimension", "rule"),
    [
        ("D3D10", "TEXTURE2DARRAY", "V8.10"),
        ("D3D10_1", "TEXTURE2DARRAY", "V8.10"),
        ("D3D11", "TEXTURE2DARRAY", "V8.10"),
        ("D3D10", "TEXTURE3D", "V8.2"),
    ],
)
def test_that_each_generation_spells_its_views(stem: str, dimension: str, rule: str) -> None:
    plain = {"pResource": "r", "pDesc": {"ViewDimension": f"{stem}_SRV_DIMENSION_{dimension}"}}
    call = decode(plain, calls.CreateShaderResourceView)
    assert encode(call) == plain
    state = State11(replace(DEFAULT, api="d3d10"))
    verdict = judge(call, state, for_api(DEVICE, "d3d10.1"))
    assert first(verdict) == rule
    if verdict.succeeded:
        assert verdict.values["ViewDimension"] == f"{stem}_SRV_DIMENSION_{dimension}"
        return
    remedy = verdict.reasons[0].remedy
    assert remedy is not None
    assert judge(carried_out(call, remedy.changes), state, DEVICE).succeeded


def test_that_a_d3d10_target_view_without_description_is_named_so() -> None:
    verdict = judge(calls.CreateRenderTargetView("r"), State11(replace(DEFAULT, api="d3d10")), for_api(DEVICE, "d3d10"))
    assert verdict.values["ViewDimension"] == "D3D10_RTV_DIMENSION_TEXTURE2DARRAY"


def test_that_an_input_that_is_also_an_output_is_unbound() -> None:
    reads = (Use("texture", "texture", (0, 1)), Use("other", "other", (0,)))
    verdict = judge(calls.Draw(), State11(reads=reads, writes=(Use("target", "texture", (1,)),)), DEVICE)
    assert verdict.values["unbound"] == ("texture",)
    apart = judge(calls.Draw(), State11(reads=reads, writes=(Use("target", "texture", (2,)),)), DEVICE)
    assert apart.values["unbound"] == ()


def test_that_mapped_memory_cannot_be_drawn_with() -> None:
    verdict = judge(calls.Dispatch(), State11(reads=(Use("b", "b", (0,), mapped=True),)), DEVICE)
    assert (verdict.succeeded, first(verdict)) == (False, "D10.2")


@pytest.mark.parametrize(
    ("call", "hr"),
    [
        (calls.CheckFormatSupport(RGBA), "S_OK"),
        (calls.CheckFormatSupport(DXGI_FORMAT.SAMPLER_FEEDBACK_MIN_MIP_OPAQUE), "E_FAIL"),
        (calls.CheckMultisampleQualityLevels(RGBA, 4), "S_OK"),
        (calls.CheckMultisampleQualityLevels(RGBA, 0), "E_FAIL"),
        (calls.Present(), "S_OK"),
        (calls.Release("r"), "S_OK"),
    ],
)
def test_that_queries_and_plain_calls_answer(call: Any, hr: str) -> None:
    verdict = judge(call, NO_STATE, DEVICE)
    assert verdict.hr == hr
    assert verdict.reasons


def test_that_a_missing_resource_is_a_bug_of_the_caller() -> None:
    with pytest.raises(LayoutError):
        judge(calls.Map("r"), NO_STATE, DEVICE)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(create_calls(), st.data())
def test_that_any_map_and_view_gets_a_verdict_and_remedies_help(made: tuple[str, Any], data: st.DataObject) -> None:
    api, create = made
    device, resource = data.draw(runtimes(api)), possible(resource_of(create.pDesc))
    state = State11(resource, resource, mapping=MapState(*(data.draw(st.booleans()) for _ in range(5))))
    number, kind = data.draw(st.integers(0, 5)), data.draw(st.sampled_from(tuple(MapType)))
    flags = data.draw(st.sampled_from((0, int(MapFlag.DO_NOT_WAIT))))
    mapped: Any = calls.Map("r", number, kind, MapFlag(flags))
    if api == "d3d10":
        mapped = calls.Map10("r", number, MapType10(kind), MapFlag10(flags))
    dimension = data.draw(st.sampled_from(tuple(SrvDimension)))
    view = calls.CreateShaderResourceView("r", SRV(data.draw(st.sampled_from(tuple(DXGI_FORMAT))), dimension,
                                                   Texture2D=MipRange(data.draw(st.integers(0, 9)), 3),
                                                   Buffer=BufferRange(data.draw(st.integers(0, 99)), 5)))  # fmt: skip
    edges = data.draw(st.tuples(*[st.integers(0, 40)] * 6))
    update = calls.UpdateSubresource("r", data.draw(st.integers(0, 9)), box(*edges))
    part = calls.CopySubresourceRegion("r", "r", pSrcBox=box(*edges), DstX=data.draw(st.integers(0, 9)))
    for call in (mapped, view, update, part):
        verdict = judge(call, state, device)
        assert verdict.reasons
        for reason in verdict.reasons:
            if verdict.succeeded or reason.remedy is None:
                continue
            left = judge(carried_out(call, reason.remedy.changes), state, device)
            assert left.succeeded or reason.rule not in [other.rule for other in left.reasons], (call, reason)


def possible(resource: Resource) -> Resource:
    """Return a description with subresources: only a resource that exists is mapped, viewed or copied."""
    extents = {name: min(max(1, getattr(resource, name)), 64) for name in ("width", "height", "depth", "slices")}
    tame = replace(resource, **extents, stride=16 if resource.is_structured else 0)
    return replace(tame, mips=min(tame.mips, tame.chain))


def test_that_usages_flags_and_access_are_what_the_tests_above_mean() -> None:
    assert STAGING.usage == Usage.STAGING
    assert DEFAULT.bind == BindFlag.SHADER_RESOURCE | BindFlag.RENDER_TARGET | BindFlag.UNORDERED_ACCESS
    assert STAGING.cpu == CpuAccessFlag.READ | CpuAccessFlag.WRITE
    assert STRUCTURED.misc == MiscFlag.BUFFER_STRUCTURED
    assert RAW.misc == MiscFlag.BUFFER_ALLOW_RAW_VIEWS
