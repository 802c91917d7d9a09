"""May this resource be created? Cases, and laws over random descriptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core import d3d9
from explorer.core.d3d9 import Format, Pool, Usage
from explorer.core.schema import decode, encode
from explorer.rules.d3d9 import DEFAULT, DEFAULT_EX, Runtime, judge
from tests.rules.d3d9_strategies import EX_CREATES, PLAIN_CREATES, RUNTIMES

if TYPE_CHECKING:
    from explorer.core.verdicts import Reason, Verdict

NONE = Usage(0)
A8 = Format.A8R8G8B8


def texture(**changes: Any) -> d3d9.CreateTexture:
    given = {"Width": 64, "Height": 64, "Levels": 1, "Usage": NONE, "Format": A8, "Pool": Pool.DEFAULT, **changes}
    return d3d9.CreateTexture(**given)


def rules_of(verdict: Verdict) -> list[str]:
    return [reason.rule.removeprefix("d3d9.") for reason in verdict.reasons]


CASES = [
    (texture(), "D3D_OK", "ok.create"),
    (texture(Pool=7), "D3DERR_INVALIDCALL", "R2.1"),
    (texture(Width=0), "D3DERR_INVALIDCALL", "R2.20"),
    (texture(Format=Format.UNKNOWN), "D3DERR_INVALIDCALL", "R2.20"),
    (texture(Usage=Usage.RENDERTARGET, Pool=Pool.MANAGED), "D3DERR_INVALIDCALL", "R2.7"),
    (texture(Usage=Usage.DYNAMIC, Pool=Pool.MANAGED), "D3DERR_INVALIDCALL", "R2.8"),
    (texture(Usage=Usage.DYNAMIC | Usage.RENDERTARGET), "D3DERR_INVALIDCALL", "R2.9"),
    (texture(Usage=Usage.AUTOGENMIPMAP, Levels=2), "D3DERR_INVALIDCALL", "R2.10"),
    (texture(Usage=Usage.WRITEONLY), "D3DERR_INVALIDCALL", "R2.15"),
    (texture(Usage=Usage.QUERY_FILTER), "D3DERR_INVALIDCALL", "usage.query"),
    (texture(Usage=Usage(0x40000000)), "D3DERR_INVALIDCALL", "usage.unknown"),
    (texture(Usage=Usage.RESTRICTED_CONTENT), "D3DERR_INVALIDCALL", "usage.ex"),
    (texture(Usage=Usage.RENDERTARGET | Usage.DEPTHSTENCIL), "D3DERR_INVALIDCALL", "usage.excludes"),
    (texture(Format=Format.D24S8, Pool=Pool.SYSTEMMEM), "D3DERR_INVALIDCALL", "R2.12"),
    (texture(Levels=8), "D3DERR_INVALIDCALL", "R11.1"),
    (texture(Format=Format.DXT1, Width=62), "D3DERR_INVALIDCALL", "R11.3"),
    (texture(Width=16385), "D3DERR_INVALIDCALL", "limit.size"),
    (texture(Width=16385, Pool=Pool.SCRATCH), "D3D_OK", "ok.create"),
    (texture(Format=Format.DXT1, Usage=Usage.RENDERTARGET), "D3DERR_INVALIDCALL", "format.support"),
    (texture(Format=Format.A2B10G10R10_XR_BIAS), "D3DERR_INVALIDCALL", "format.ex"),
    (texture(Format=0x12345678, Pool=Pool.SCRATCH), "D3DERR_INVALIDCALL", "format.known"),
    (texture(pSharedHandle="shared"), "D3DERR_INVALIDCALL", "R10.6"),
    (d3d9.CreateVolumeTexture(4, 4, 4, 1, Usage.RENDERTARGET, A8, Pool.DEFAULT), "D3DERR_INVALIDCALL", "R2.16"),
    (d3d9.CreateVolumeTexture(4, 4, 4, 1, NONE, Format.D16, Pool.DEFAULT), "D3DERR_INVALIDCALL", "format.volume"),
    (d3d9.CreateVertexBuffer(64, NONE, 0, Pool.SCRATCH), "D3DERR_INVALIDCALL", "R2.6"),
    (d3d9.CreateVertexBuffer(0, NONE, 0, Pool.DEFAULT), "D3DERR_INVALIDCALL", "buffer.length"),
    (d3d9.CreateVertexBuffer(64, Usage.AUTOGENMIPMAP, 0, Pool.DEFAULT), "D3DERR_INVALIDCALL", "usage.kind"),
    (d3d9.CreateVertexBuffer(64, NONE, 0, Pool.SYSTEMMEM, "shared"), "D3DERR_NOTAVAILABLE", "R10.6"),
    (d3d9.CreateIndexBuffer(64, NONE, A8, Pool.DEFAULT), "D3DERR_INVALIDCALL", "format.index"),
    (d3d9.CreateRenderTarget(16, 16, Format.D16), "D3DERR_INVALIDCALL", "R2.14"),
    (d3d9.CreateDepthStencilSurface(16, 16, A8), "D3DERR_INVALIDCALL", "R2.14"),
    (d3d9.CreateOffscreenPlainSurface(16, 16, A8, Pool.MANAGED), "D3DERR_INVALIDCALL", "R2.13"),
    (d3d9.CreateOffscreenPlainSurface(16, 16, Format.ATI2, Pool.DEFAULT), "D3DERR_INVALIDCALL", "format.support"),
    (d3d9.CreateOffscreenPlainSurface(16, 16, Format.ATI2, Pool.SCRATCH), "D3D_OK", "ok.create"),
]


@pytest.mark.parametrize(("arguments", "hr", "rule"), CASES, ids=lambda value: str(value)[:60])
def test_that_a_description_is_judged_by_its_rule(arguments: d3d9.CreateInput, hr: str, rule: str) -> None:
    verdict = judge(arguments)
    assert verdict.hr == hr
    assert rule in rules_of(verdict)


EX_CASES = [
    (texture(Pool=Pool.MANAGED), "D3DERR_INVALIDCALL", "R10.1"),
    (texture(pSharedHandle="shared"), "D3D_OK", "ok.create"),
    (texture(pSharedHandle="shared", Pool=Pool.SCRATCH), "D3DERR_INVALIDCALL", "R10.6"),
    (texture(pSharedHandle="user_memory", Pool=Pool.SYSTEMMEM), "D3D_OK", "ok.create"),
    (texture(pSharedHandle="user_memory", Pool=Pool.SYSTEMMEM, Levels=0), "D3DERR_INVALIDCALL", "R10.5"),
    (texture(pSharedHandle="user_memory"), "D3DERR_INVALIDCALL", "handle.user"),
    (d3d9.CreateIndexBuffer(4, NONE, 101, Pool.SYSTEMMEM, "user_memory"), "D3DERR_NOTAVAILABLE", "R10.5"),
    (d3d9.CreateRenderTargetEx(8, 8, A8, Usage=Usage.RENDERTARGET), "D3DERR_INVALIDCALL", "R10.8"),
    (d3d9.CreateRenderTargetEx(8, 8, A8, Usage=Usage.RESTRICTED_CONTENT), "D3D_OK", "ok.create"),
    (texture(Format=Format.A2B10G10R10_XR_BIAS), "D3D_OK", "ok.create"),
]


@pytest.mark.parametrize(("arguments", "hr", "rule"), EX_CASES, ids=lambda value: str(value)[:60])
def test_that_9ex_has_rules_of_its_own(arguments: d3d9.CreateInput, hr: str, rule: str) -> None:
    verdict = judge(arguments, None, DEFAULT_EX)
    assert verdict.hr == hr
    assert rule in rules_of(verdict)


DEVICES = [
    (texture(Width=10), Runtime(pow2=True), "R2.21"),
    (d3d9.CreateCubeTexture(8, 1, NONE, A8, Pool.MANAGED), Runtime(cube_maps=False), "caps.cube"),
    (d3d9.CreateVolumeTexture(8, 8, 8, 1, NONE, A8, Pool.MANAGED), Runtime(volume_maps=False), "caps.volume"),
    (d3d9.CreateCubeTexture(8, 2, NONE, A8, Pool.MANAGED), Runtime(mip_cube_maps=False), "caps.mipcube"),
    (texture(Levels=2), Runtime(mip_maps=False), "caps.mip"),
    (texture(Usage=Usage.DYNAMIC), Runtime(dynamic_textures=False), "R3.8"),
    (texture(Width=64, Height=4), Runtime(max_aspect=8), "limit.aspect"),
    (
        d3d9.CreateRenderTarget(8, 8, A8, d3d9.MultisampleType._4_SAMPLES),
        Runtime(multisample_types=frozenset({0})),
        "multisample",
    ),
    (d3d9.CreateRenderTarget(8, 8, A8, d3d9.MultisampleType._4_SAMPLES, 1), DEFAULT, "multisample"),
    (
        d3d9.CreateVertexBuffer(64, Usage.SOFTWAREPROCESSING, 0, Pool.DEFAULT),
        Runtime(vertex_processing="hardware"),
        "R3.4",
    ),
]


@pytest.mark.parametrize(("arguments", "runtime", "rule"), DEVICES, ids=lambda value: str(value)[:60])
def test_that_the_device_counts(arguments: d3d9.CreateInput, runtime: Runtime, rule: str) -> None:
    assert rule in rules_of(judge(arguments, None, runtime))


def test_that_all_violated_rules_are_reported_and_the_first_decides() -> None:
    verdict = judge(texture(Width=3, Usage=Usage.DYNAMIC | Usage.WRITEONLY, Pool=Pool.MANAGED, Format=Format.DXT1))
    assert {"R2.8", "R2.15", "R11.3"} <= set(rules_of(verdict))
    shared = judge(texture(Pool=9, pSharedHandle="shared"), None, Runtime(windows="xp"))
    assert shared.hr == "E_NOTIMPL"
    assert rules_of(shared) == ["R10.6", "R2.1"]


def test_that_a_success_names_the_rules_that_permit() -> None:
    verdict = judge(texture(Usage=Usage.DYNAMIC, Levels=0))
    assert rules_of(verdict) == ["ok.create", "R2.2", "R4.6", "layout.device", "R11.1"]
    assert verdict.values == {"Type": "D3DRTYPE_TEXTURE", "Levels": 7, "Usage": 512, "Pool": "D3DPOOL_DEFAULT"}


def test_that_a_chain_has_one_level_where_the_device_has_no_mipmaps() -> None:
    flat = Runtime(mip_maps=False)
    assert judge(texture(Levels=0), None, flat).values["Levels"] == 1
    assert judge(texture(Levels=0, Pool=Pool.SCRATCH), None, flat).values["Levels"] == 7


def test_that_generated_levels_are_hidden() -> None:
    verdict = judge(texture(Usage=Usage.AUTOGENMIPMAP, Levels=0))
    assert verdict.values["Levels"] == 1


def is_sound(verdict: Verdict) -> bool:
    return bool(verdict.reasons) and all(r.text and r.source for r in verdict.reasons)


@given(arguments=EX_CREATES, runtime=RUNTIMES)
@settings(max_examples=200, deadline=None)
def test_that_random_descriptions_get_a_verdict_with_reasons(arguments: d3d9.CreateInput, runtime: Runtime) -> None:
    verdict = judge(arguments, None, runtime)
    assert is_sound(verdict)
    if verdict.succeeded:
        assert all(reason.remedy is None for reason in verdict.reasons)
    else:
        assert all(reason.remedy is not None for reason in verdict.reasons)


def applied(arguments: d3d9.CreateInput, reason: Reason) -> d3d9.CreateInput:
    assert reason.remedy is not None
    data = dict(encode(arguments))  # type: ignore[call-overload]  # an object of plain data
    data.update(reason.remedy.changes)
    return decode(data, type(arguments))


@given(arguments=st.one_of(PLAIN_CREATES, EX_CREATES), runtime=RUNTIMES)
@settings(max_examples=300, deadline=None)
def test_that_the_suggested_change_removes_its_reason(arguments: d3d9.CreateInput, runtime: Runtime) -> None:
    for reason in judge(arguments, None, runtime).reasons:
        if reason.remedy is None or not reason.remedy.changes:
            continue
        after = judge(applied(arguments, reason), None, runtime)
        left = [(r.rule, r.remedy.text) for r in after.reasons if r.remedy]
        assert (reason.rule, reason.remedy.text) not in left
