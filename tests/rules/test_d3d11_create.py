from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from explorer.core import d3d11 as calls
from explorer.core.d3d11_descs import D3D11_BUFFER_DESC, D3D11_TEXTURE2D_DESC, DXGI_SAMPLE_DESC, XG_TEXTURE2D_DESC
from explorer.core.d3d11_enums import (
    LEVEL_10_0,
    BindFlag,
    CpuAccessFlag,
    MiscFlag,
    Usage,
    XgBindFlag,
    XgUsage,
)
from explorer.core.dxgi import DXGI_FORMAT
from explorer.rules.d3d11 import NO_STATE, RULES, Runtime11, for_api, judge, layout, placement, runtime_of
from explorer.tables.d3d11_tables import rules
from tests.rules.d3d11_strategies import carried_out, create_calls, runtimes

RGBA = DXGI_FORMAT.R8G8B8A8_UNORM
SRV, RTV, DSV = BindFlag.SHADER_RESOURCE, BindFlag.RENDER_TARGET, BindFlag.DEPTH_STENCIL
DEVICE = Runtime11()


def texture(**fields: Any) -> calls.CreateTexture2D:
    given: dict[str, Any] = {"Width": 64, "Height": 64, "Format": RGBA, "BindFlags": SRV}
    return calls.CreateTexture2D(D3D11_TEXTURE2D_DESC(**given | fields))


def buffer(data: Any = None, **fields: Any) -> calls.CreateBuffer:
    return calls.CreateBuffer(
        D3D11_BUFFER_DESC(**{"ByteWidth": 256, "BindFlags": BindFlag.VERTEX_BUFFER} | fields), data
    )


def rules_of(call: Any, device: Runtime11 = DEVICE) -> list[str]:
    verdict = judge(call, NO_STATE, device)
    return [] if verdict.succeeded else [reason.rule.removeprefix("d3d11.") for reason in verdict.reasons]


@pytest.mark.parametrize(
    ("call", "broken"),
    [
        (texture(), []),
        (texture(CPUAccessFlags=CpuAccessFlag.READ), ["C2.1"]),
        (texture(Usage=Usage.IMMUTABLE), ["U1.12"]),
        (texture(Usage=Usage.DYNAMIC, CPUAccessFlags=CpuAccessFlag.WRITE, MipLevels=0), ["U1.9"]),
        (texture(Usage=Usage.DYNAMIC, BindFlags=RTV, CPUAccessFlags=CpuAccessFlag.WRITE), ["C2.3"]),
        (texture(Usage=Usage.STAGING, CPUAccessFlags=CpuAccessFlag.READ), ["C2.4"]),
        (texture(BindFlags=BindFlag.VERTEX_BUFFER), ["C2.7"]),
        (texture(BindFlags=DSV | RTV, Format=DXGI_FORMAT.R32_TYPELESS), ["C2.8"]),
        (texture(BindFlags=SRV | DSV, Format=DXGI_FORMAT.D24_UNORM_S8_UINT), ["C2.9"]),
        (texture(ArraySize=0), ["C2.10"]),
        (texture(MipLevels=8), ["C2.10.mips"]),
        (texture(ArraySize=5, MiscFlags=MiscFlag.TEXTURECUBE), ["C2.11"]),
        (texture(ArraySize=6, Height=32, MiscFlags=MiscFlag.TEXTURECUBE), ["C2.11.square"]),
        (texture(BindFlags=RTV, SampleDesc=DXGI_SAMPLE_DESC(15)), ["C2.13"]),
        (texture(SampleDesc=DXGI_SAMPLE_DESC(4)), ["C2.13.ms"]),
        (texture(MiscFlags=MiscFlag.GENERATE_MIPS), ["C2.19"]),
        (texture(Format=DXGI_FORMAT.UNKNOWN), ["C2.24"]),
        (texture(Format=DXGI_FORMAT.BC1_UNORM, Width=62), ["C2.25"]),
        (texture(Width=16385), ["L6.1"]),
        (texture(Width=0), ["L6.1"]),
        (buffer(ByteWidth=0), ["L6.1.buffer"]),
        (buffer(BindFlags=BindFlag.CONSTANT_BUFFER, ByteWidth=20), ["C2.6.size"]),
        (buffer(BindFlags=BindFlag.CONSTANT_BUFFER | SRV), ["C2.6"]),
        (buffer(BindFlags=SRV, MiscFlags=MiscFlag.BUFFER_STRUCTURED, StructureByteStride=6), ["C2.15", "C2.15.size"]),
        (buffer(BindFlags=SRV, MiscFlags=MiscFlag.BUFFER_STRUCTURED, StructureByteStride=48), ["C2.15.size"]),
        (buffer(MiscFlags=MiscFlag.BUFFER_ALLOW_RAW_VIEWS), ["C2.14"]),
        (buffer(MiscFlags=MiscFlag.SHARED | MiscFlag.SHARED_KEYEDMUTEX), ["C2.16"]),
        (buffer(MiscFlags=MiscFlag.TEXTURECUBE), ["C2.23"]),
        (buffer(CPUAccessFlags=CpuAccessFlag.READ), ["C2.1"]),
        (buffer(BindFlags=SRV, CPUAccessFlags=CpuAccessFlag.READ), []),
        (buffer(BindFlags=BindFlag(0), MiscFlags=MiscFlag.TILE_POOL, ByteWidth=65536), []),
        (buffer(BindFlags=BindFlag(0), MiscFlags=MiscFlag.TILE_POOL, ByteWidth=100), ["C2.21.pool"]),
    ],
)
def test_that_each_rule_of_creation_is_named(call: Any, broken: list[str]) -> None:
    assert rules_of(call) == broken


def test_that_all_violated_rules_are_reported_the_decisive_one_first() -> None:
    broken = texture(Width=0, ArraySize=0, CPUAccessFlags=CpuAccessFlag.READ, BindFlags=BindFlag.VERTEX_BUFFER)
    assert rules_of(broken) == ["C2.1", "C2.7", "L6.1", "C2.10"]


@pytest.mark.parametrize(
    ("device", "allowed"),
    [
        (DEVICE, True),
        (Runtime11(runtime=(11, 1)), False),
        (Runtime11(map_default_buffers=False), False),
        (Runtime11(feature_level=LEVEL_10_0), False),
    ],
)
def test_that_default_buffers_take_cpu_access_from_11_2_on(device: Runtime11, allowed: bool) -> None:
    call = buffer(BindFlags=SRV, CPUAccessFlags=CpuAccessFlag.WRITE)
    assert judge(call, NO_STATE, device).succeeded is allowed


def test_that_a_null_out_pointer_only_validates() -> None:
    call = calls.CreateBuffer(D3D11_BUFFER_DESC(256, BindFlags=SRV), None, ppBuffer=False)
    verdict = judge(call, NO_STATE, DEVICE)
    assert verdict.hr == "S_FALSE"
    assert verdict.reasons[0].rule == "d3d11.C2.18"


def test_that_d3d10_numbers_its_miscellaneous_flags_its_own_way() -> None:
    shared = decode_d3d10(0x10)
    assert judge(shared, NO_STATE, for_api(DEVICE, "d3d10")).succeeded
    unknown = decode_d3d10(0x40)
    assert rules_of(unknown, for_api(DEVICE, "d3d10")) == ["C2.23"]


def decode_d3d10(misc: int) -> Any:
    from explorer.core.schema import decode

    return decode({"pDesc": {"ByteWidth": 64, "MiscFlags": misc}}, calls.CreateBuffer10)


def test_that_a_remedy_speaks_the_names_of_the_api() -> None:
    call = calls.CreateTexture2DXg(
        XG_TEXTURE2D_DESC(4, 4, Format=RGBA, Usage=XgUsage.IMMUTABLE, BindFlags=XgBindFlag.RENDER_TARGET), True
    )
    reason = judge(call, NO_STATE, for_api(DEVICE, "xg")).reasons[0]
    assert reason.remedy is not None
    assert reason.remedy.changes["pDesc.BindFlags"] == ["XG_BIND_SHADER_RESOURCE"]


def test_that_a_success_names_usage_and_placement() -> None:
    named = [reason.rule for reason in judge(texture(), NO_STATE, DEVICE).reasons]
    assert named == ["d3d11.C2.30", "d3d11.U1.5", "d3d11.Q7.2"]
    assert placement(texture(), "discrete").segment == "LOCAL"
    staging = texture(Usage=Usage.STAGING, BindFlags=BindFlag(0), CPUAccessFlags=CpuAccessFlag.READ)
    assert placement(staging, "discrete").caching == "WB"
    assert placement(staging, "uma").segment == "LOCAL"


def test_that_every_rule_has_a_sentence_and_a_source() -> None:
    assert len(RULES) == len(rules())
    for row in RULES:
        assert row.id.startswith("d3d11.")
        assert row.text.endswith(".")
        assert row.text[0].isupper() or row.text[0] == "−"
        assert row.source
        assert row.checked


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(create_calls(), st.data())
def test_that_any_description_gets_a_verdict_with_reasons(made: tuple[str, Any], data: st.DataObject) -> None:
    api, call = made
    device = data.draw(runtimes(api))
    verdict = judge(call, NO_STATE, device)
    assert verdict.reasons
    assert len({reason.rule for reason in verdict.reasons}) == len(verdict.reasons)
    assert verdict.hr in ("S_OK", "S_FALSE", "E_INVALIDARG")
    if not verdict.succeeded:
        return
    assume(call.pDesc.__class__.__name__.endswith("BUFFER_DESC") or sum_of_subresources(call) < 500)
    found = layout(call, device)
    assert found.size_bytes % found.alignment == 0
    assert found.size_bytes >= found.texel_bytes > 0 or call.pDesc.ByteWidth == 0
    ends = [part.offset + part.size_bytes for part in found.subresources]
    starts = [part.offset for part in found.subresources]
    assert all(end <= start for end, start in zip(ends, starts[1:], strict=False))
    assert ends[-1] <= found.size_bytes


def sum_of_subresources(call: Any) -> int:
    return max(1, getattr(call.pDesc, "ArraySize", 1)) * 15


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(create_calls(), st.data())
def test_that_every_remedy_removes_its_reason(made: tuple[str, Any], data: st.DataObject) -> None:
    api, call = made
    device = data.draw(runtimes(api))
    verdict = judge(call, NO_STATE, device)
    if verdict.succeeded:
        return
    for reason in verdict.reasons:
        assert reason.remedy is not None, reason
        changed = carried_out(call, reason.remedy.changes)
        left = judge(changed, NO_STATE, device)
        assert left.succeeded or reason.rule not in [other.rule for other in left.reasons], (call, reason)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 600), st.integers(1, 600), st.integers(0, 3), st.integers(1, 4),
    st.sampled_from((RGBA, DXGI_FORMAT.BC1_UNORM, DXGI_FORMAT.R32G32B32A32_FLOAT, DXGI_FORMAT.R32G32B32_FLOAT)),
    st.sampled_from(("linear", "tiled")),
)  # fmt: skip
def test_that_sizes_grow_with_every_extent(
    width: int, height: int, mips: int, slices: int, shown: DXGI_FORMAT, model: str
) -> None:
    device = Runtime11(size_model=model)
    size = layout(texture(Width=width, Height=height, MipLevels=1, ArraySize=slices, Format=shown), device).size_bytes
    for grown in (
        texture(Width=width + 64, Height=height, MipLevels=1, ArraySize=slices, Format=shown),
        texture(Width=width, Height=height + 64, MipLevels=1, ArraySize=slices, Format=shown),
        texture(Width=width, Height=height, MipLevels=1, ArraySize=slices + 1, Format=shown),
        texture(Width=width, Height=height, MipLevels=min(1 + mips, max(width, height).bit_length()),
                ArraySize=slices, Format=shown),
    ):  # fmt: skip
        assert layout(grown, device).size_bytes >= size


def test_that_sizes_of_known_textures_are_right() -> None:
    found = layout(texture(Width=512, Height=512, MipLevels=0), DEVICE)
    # 512, 256 and 128 texels are 16, 4 and 1 tiles of 128 x 128; the seven levels below share one.
    assert (found.model, found.size_bytes, found.alignment) == ("tiled", 22 * 65536, 65536)
    assert sum(part.packed for part in found.subresources) == 7
    assert layout(texture(Width=4, Height=4), DEVICE).size_bytes == 4096
    staging = texture(Usage=Usage.STAGING, BindFlags=BindFlag(0), CPUAccessFlags=CpuAccessFlag.READ)
    assert layout(staging, DEVICE).model == "linear"
    assert layout(buffer(ByteWidth=100), DEVICE).size_bytes == 256


def test_that_options_and_adapters_make_the_device() -> None:
    assert runtime_of(None, {"feature_level": "10_1"}).level == "10_1"
    assert runtime_of(None, {"d3d11.runtime": "11.0", "runtime": "debug", "windows": "xp"}).runtime == (11, 0)
    assert runtime_of(None, {}, "d3d10").level == "10_0"
