"""Locks, copies, bindings and the device of Direct3D 9: cases that the conformance data leave open."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core import d3d9
from explorer.core.d3d9 import Format, LockFlags, Pool, Usage
from explorer.core.schema import decode
from explorer.errors import CallError, CommandError
from explorer.rules.d3d9 import (
    DEFAULT,
    DEFAULT_EX,
    STATES,
    BufferState,
    CopyState,
    DeviceState,
    LifeState,
    Resource,
    Runtime,
    Surface,
    TextureCopyState,
    back_buffer,
    judge,
    runtime_of,
)
from explorer.tables.adapters import adapter

DYNAMIC = Resource("texture", 64, 64, 1, 7, 7, int(Usage.DYNAMIC))
BUFFER = BufferState(Resource("vertex_buffer", 256, usage=int(Usage.DYNAMIC)))
STATIC = BufferState(Resource("vertex_buffer", 256))
TARGET = Resource("render_target", 32, 32, usage=int(Usage.RENDERTARGET))
DEPTH = Resource("depth_stencil_surface", 32, 32, usage=int(Usage.DEPTHSTENCIL), format=int(Format.D24S8))
PLAIN = Resource("offscreen_plain_surface", 32, 32)
SYSTEM = replace(PLAIN, pool=int(Pool.SYSTEMMEM))


def first(verdict: object) -> str:
    return verdict.reasons[0].rule.removeprefix("d3d9.")  # type: ignore[attr-defined]


LOCKS = [
    (Surface(DYNAMIC), LockFlags.DISCARD, None, DEFAULT, "D3D_OK", "ok.lock"),
    (Surface(DYNAMIC, 1), LockFlags.DISCARD, None, DEFAULT, "D3DERR_INVALIDCALL", "lock.discard"),
    (Surface(DYNAMIC), LockFlags.DISCARD, d3d9.Rect(0, 0, 4, 4), DEFAULT, "D3DERR_INVALIDCALL", "lock.discard"),
    (Surface(DYNAMIC, 7), LockFlags(0), None, DEFAULT, "D3DERR_INVALIDCALL", "lock.level"),
    (Surface(DYNAMIC, locked=True), LockFlags(0), None, DEFAULT, "D3DERR_INVALIDCALL", "R7.7"),
    (Surface(DYNAMIC), LockFlags.NOOVERWRITE, None, DEFAULT, "D3DERR_INVALIDCALL", "lock.nooverwrite"),
    (Surface(SYSTEM), LockFlags.DISCARD, None, DEFAULT, "D3D_OK", "ok.lock"),
    (Surface(SYSTEM), LockFlags.DISCARD, None, Runtime(debug=True), "D3DERR_INVALIDCALL", "R7.3"),
    (Surface(back_buffer()), LockFlags(0), None, DEFAULT, "D3DERR_INVALIDCALL", "R7.10"),
    (Surface(back_buffer()), LockFlags(0), None, Runtime(lockable_back_buffer=True), "D3D_OK", "ok.lock"),
    (Surface(replace(TARGET, lockable=True)), LockFlags(0), None, DEFAULT, "D3D_OK", "ok.lock"),
    (
        Surface(replace(TARGET, lockable=True, multisample=4)),
        LockFlags(0),
        None,
        DEFAULT,
        "D3DERR_INVALIDCALL",
        "R7.10",
    ),
    (Surface(replace(DEPTH, format=70)), LockFlags(0), None, DEFAULT, "D3D_OK", "ok.lock"),
    (Surface(SYSTEM), LockFlags(0), d3d9.Rect(0, 0, 64, 1), DEFAULT, "D3DERR_INVALIDCALL", "R7.9"),
    (Surface(SYSTEM), LockFlags(0), d3d9.Rect(0, 0, 64, 1), Runtime(windows="xp"), "D3D_OK", "ok.lock"),
]


@pytest.mark.parametrize(("surface", "flags", "rect", "runtime", "hr", "rule"), LOCKS, ids=lambda v: str(v)[:40])
def test_that_a_lock_is_judged_by_its_rule(
    surface: Surface, flags: LockFlags, rect: d3d9.Rect | None, runtime: Runtime, hr: str, rule: str
) -> None:
    verdict = judge(d3d9.LockRect("s", pRect=rect, Flags=flags), surface, runtime)
    assert (verdict.hr, first(verdict)) == (hr, rule)


def test_that_a_buffer_lock_stays_inside_the_buffer() -> None:
    assert judge(d3d9.Lock("b", 255, 2), STATIC).hr == "D3DERR_INVALIDCALL"
    assert judge(d3d9.Lock("b", 255, 1), STATIC).values == {"offset": 255}


def test_that_hints_are_ignored_by_the_retail_runtime_alone() -> None:
    lock = d3d9.Lock("b", Flags=LockFlags.DISCARD)
    assert judge(lock, STATIC).hr == "D3D_OK"
    assert judge(lock, STATIC, Runtime(debug=True)).hr == "D3DERR_INVALIDCALL"
    assert judge(lock, BUFFER, Runtime(debug=True)).hr == "D3D_OK"


def with_flags(arguments: d3d9.LockRect, flags: object) -> d3d9.LockRect:
    data = {"object": "s", "Level": arguments.Level, "Flags": flags}
    return replace(decode(data, d3d9.LockRect), pRect=arguments.pRect)


@given(
    flags=st.integers(0, 2**32 - 1), rect=st.tuples(*[st.integers(-70, 70)] * 4), level=st.integers(0, 9),
    value=st.sampled_from(Format), pool=st.sampled_from(Pool), usage=st.sampled_from([0, 512, 1]),
    windows=st.sampled_from(["xp", "win7"]), locked=st.booleans(),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_that_random_locks_get_a_verdict_with_reasons(
    flags: int, rect: tuple[int, ...], level: int, value: Format, pool: Pool, usage: int, windows: str, locked: bool
) -> None:
    resource = Resource("texture", 64, 64, 1, 7, 7, usage, int(value), int(pool))
    surface, runtime = Surface(resource, level, locked=locked), Runtime(windows=windows)
    arguments = d3d9.LockRect("s", level, pRect=d3d9.Rect(*rect), Flags=LockFlags(flags))
    verdict = judge(arguments, surface, runtime)
    assert verdict.reasons
    for reason in verdict.reasons:
        changes = reason.remedy.changes if reason.remedy else {}
        if "Flags" in changes:
            after = judge(with_flags(arguments, changes["Flags"]), surface, runtime)
        elif "pRect" in changes:
            after = judge(replace(arguments, pRect=None), surface, runtime)
        else:
            continue
        assert (reason.rule, reason.remedy) not in [(r.rule, r.remedy) for r in after.reasons]


COPIES = [
    (d3d9.UpdateSurface("a", "b"), CopyState(Surface(SYSTEM), Surface(PLAIN)), "D3D_OK", "ok.copy"),
    (d3d9.UpdateSurface("a", "b"), CopyState(Surface(PLAIN), Surface(PLAIN)), "D3DERR_INVALIDCALL", "R8.1"),
    (
        d3d9.UpdateSurface("a", "b", None, d3d9.Point(1, 0)),
        CopyState(Surface(SYSTEM), Surface(PLAIN)),
        "D3DERR_INVALIDCALL",
        "copy.rect",
    ),
    (
        d3d9.UpdateSurface("a", "b"),
        CopyState(Surface(SYSTEM, locked=True), Surface(PLAIN)),
        "D3DERR_INVALIDCALL",
        "R8.3",
    ),
    (
        d3d9.UpdateSurface("a", "b"),
        CopyState(Surface(replace(SYSTEM, format=23)), Surface(PLAIN)),
        "D3DERR_INVALIDCALL",
        "copy.format",
    ),
    (d3d9.StretchRect("a", "b"), CopyState(Surface(DEPTH), Surface(DEPTH)), "D3D_OK", "ok.copy"),
    (d3d9.StretchRect("a", "b"), CopyState(Surface(DEPTH), Surface(DEPTH), True), "D3DERR_INVALIDCALL", "copy.depth"),
    (
        d3d9.StretchRect("a", "b", d3d9.Rect(0, 0, 8, 8)),
        CopyState(Surface(PLAIN), Surface(PLAIN)),
        "D3DERR_INVALIDCALL",
        "R8.4",
    ),
    (
        d3d9.StretchRect("a", "b", d3d9.Rect(0, 0, 8, 8)),
        CopyState(Surface(PLAIN), Surface(TARGET)),
        "D3D_OK",
        "ok.copy",
    ),
    (
        d3d9.StretchRect("a", "b", Filter=d3d9.TextureFilter.ANISOTROPIC),
        CopyState(Surface(PLAIN), Surface(TARGET)),
        "D3DERR_INVALIDCALL",
        "copy.filter",
    ),
    (d3d9.GetFrontBufferData("b"), CopyState(None, Surface(SYSTEM)), "D3DERR_INVALIDCALL", "copy.frontbuffer"),
    (
        d3d9.GetFrontBufferData("b"),
        CopyState(None, Surface(replace(SYSTEM, format=21))),
        "D3D_OK",
        "ok.copy",
    ),
    (d3d9.ColorFill("s"), Surface(DEPTH), "D3DERR_INVALIDCALL", "R8.6"),
    (d3d9.UpdateTexture("a", "b"), TextureCopyState(SYSTEM, PLAIN), "D3DERR_INVALIDCALL", "copy.kinds"),
]


@pytest.mark.parametrize(("arguments", "state", "hr", "rule"), COPIES, ids=lambda v: str(v)[:40])
def test_that_a_copy_is_judged_by_its_rule(arguments: object, state: object, hr: str, rule: str) -> None:
    verdict = judge(arguments, state)
    assert (verdict.hr, first(verdict)) == (hr, rule)


def test_that_a_mismatched_update_succeeds_with_a_warning() -> None:
    source = Resource("texture", 8, 8, pool=int(Pool.SYSTEMMEM))
    verdict = judge(d3d9.UpdateTexture("a", "b"), TextureCopyState(source, Resource("texture", 4, 4)))
    assert (verdict.hr, first(verdict)) == ("D3D_OK", "R8.2")


BINDINGS = [
    (d3d9.SetTexture(0, "t"), Resource("texture", 4, 4, pool=2), "D3D_OK", "R2.17"),
    (d3d9.SetTexture(0, "t"), TARGET, "D3DERR_INVALIDCALL", "bind.type"),
    (d3d9.SetTexture(0, None), None, "D3D_OK", "ok.bind"),
    (d3d9.SetStreamSource(0, "b"), Resource("index_buffer", 4), "D3DERR_INVALIDCALL", "bind.type"),
    (d3d9.SetIndices("b"), Resource("index_buffer", 4), "D3D_OK", "ok.bind"),
    (d3d9.SetRenderTarget(0, None), None, "D3DERR_INVALIDCALL", "bind.target"),
    (d3d9.SetRenderTarget(1, None), None, "D3D_OK", "ok.bind"),
    (d3d9.SetRenderTarget(9, "t"), Surface(TARGET), "D3DERR_INVALIDCALL", "bind.target"),
    (d3d9.SetDepthStencilSurface("d"), Surface(PLAIN), "D3DERR_INVALIDCALL", "bind.depth"),
    (d3d9.GetSurfaceLevel("t", 7), DYNAMIC, "D3DERR_INVALIDCALL", "sub.level"),
    (d3d9.GetCubeMapSurface("t"), DYNAMIC, "D3DERR_INVALIDCALL", "sub.level"),
]


@pytest.mark.parametrize(("arguments", "state", "hr", "rule"), BINDINGS, ids=lambda v: str(v)[:40])
def test_that_a_binding_is_judged_by_its_rule(arguments: object, state: object, hr: str, rule: str) -> None:
    verdict = judge(arguments, state)
    assert (verdict.hr, first(verdict)) == (hr, rule)


def test_that_lod_and_priority_act_on_managed_resources() -> None:
    managed = LifeState(replace(DYNAMIC, usage=0, pool=int(Pool.MANAGED)), priority=3, lod=2)
    assert judge(d3d9.SetLOD("t", 100), managed).values == {"returns": 2, "lod": 6}
    assert judge(d3d9.SetPriority("t", 9), managed).values == {"returns": 3, "priority": 9}
    assert judge(d3d9.ObjectCall("t"), managed, DEFAULT, "PreLoad").values == {"uploads": True}
    thrashing = replace(managed, thrashing=True)
    assert judge(d3d9.ObjectCall("t"), thrashing, DEFAULT, "PreLoad").values == {"uploads": False}


def test_that_priorities_of_9ex_act_on_default_resources() -> None:
    state = LifeState(DYNAMIC, priority=5)
    assert judge(d3d9.ObjectCall("t"), state, DEFAULT_EX, "GetPriority").values == {"returns": 5}
    assert judge(d3d9.ObjectCall("t"), state, DEFAULT, "GetPriority").values == {"returns": 0}


DEVICES = [
    ("Present", DeviceState(status="lost", windowed=False), DEFAULT, "D3DERR_DEVICELOST"),
    ("TestCooperativeLevel", DeviceState(status="not_reset"), DEFAULT, "D3DERR_DEVICENOTRESET"),
    ("TestCooperativeLevel", DeviceState(status="lost"), DEFAULT, "D3DERR_DEVICELOST"),
    ("TestCooperativeLevel", DeviceState(status="lost"), DEFAULT_EX, "D3D_OK"),
    ("Present", DeviceState(windowed=False, focused=False), DEFAULT_EX, "S_PRESENT_OCCLUDED"),
    ("Present", DeviceState(windowed=True, focused=False), DEFAULT, "D3D_OK"),
    ("Present", DeviceState(mode_changed=True), DEFAULT_EX, "S_PRESENT_MODE_CHANGED"),
    ("DrawPrimitive", DeviceState(status="lost"), DEFAULT, "D3D_OK"),
    ("EvictManagedResources", DeviceState(), DEFAULT, "D3D_OK"),
]


@pytest.mark.parametrize(("call", "state", "runtime", "hr"), DEVICES, ids=lambda v: str(v)[:40])
def test_that_the_device_answers_by_its_state(call: str, state: DeviceState, runtime: Runtime, hr: str) -> None:
    assert judge(d3d9.Empty(), state, runtime, call).hr == hr


RESETS = [
    (DeviceState(), d3d9.PresentParameters(), DEFAULT, "D3D_OK", "operational"),
    (DeviceState(held=("state_block",)), d3d9.PresentParameters(), DEFAULT, "D3DERR_INVALIDCALL", "not_reset"),
    (DeviceState(held=("default_resource",)), d3d9.PresentParameters(), DEFAULT_EX, "D3D_OK", "operational"),
    (DeviceState(status="lost"), d3d9.PresentParameters(), DEFAULT, "D3DERR_DEVICELOST", "lost"),
    (DeviceState(status="not_reset"), d3d9.PresentParameters(), DEFAULT, "D3D_OK", "operational"),
    (DeviceState(), d3d9.PresentParameters(BackBufferCount=4), DEFAULT, "D3DERR_INVALIDCALL", "operational"),
    (DeviceState(), d3d9.PresentParameters(BackBufferCount=4), DEFAULT_EX, "D3D_OK", "operational"),
    (
        DeviceState(mode_listed=False),
        d3d9.PresentParameters(Windowed=False),
        DEFAULT,
        "D3DERR_INVALIDCALL",
        "not_reset",
    ),
    (DeviceState(), d3d9.PresentParameters(BackBufferFormat=32), DEFAULT, "D3DERR_INVALIDCALL", "operational"),
]


@pytest.mark.parametrize(("state", "parameters", "runtime", "hr", "after"), RESETS, ids=lambda v: str(v)[:40])
def test_that_reset_wants_everything_released(
    state: DeviceState, parameters: d3d9.PresentParameters, runtime: Runtime, hr: str, after: str
) -> None:
    verdict = judge(d3d9.Reset(parameters), state, runtime)
    assert (verdict.hr, verdict.values["status"]) == (hr, after)


def check(usage: int, kind: d3d9.ResourceType, value: Format, runtime: Runtime = DEFAULT) -> str:
    arguments = d3d9.CheckDeviceFormat(Format.X8R8G8B8, Usage(usage), kind, value)
    return judge(arguments, DeviceState(), runtime).hr


TYPE = d3d9.ResourceType


@pytest.mark.parametrize(
    ("usage", "kind", "value", "hr"),
    [
        (0, TYPE.TEXTURE, Format.A8R8G8B8, "D3D_OK"),
        (1, TYPE.TEXTURE, Format.DXT1, "D3DERR_NOTAVAILABLE"),
        (2, TYPE.SURFACE, Format.D24S8, "D3D_OK"),
        (1, TYPE.VOLUMETEXTURE, Format.A8R8G8B8, "D3DERR_NOTAVAILABLE"),
        (512, TYPE.CUBETEXTURE, Format.A8R8G8B8, "D3D_OK"),
        (512, TYPE.SURFACE, Format.A8R8G8B8, "D3DERR_NOTAVAILABLE"),
        (1024, TYPE.TEXTURE, Format.D16, "D3D_OK"),
        (1024, TYPE.TEXTURE, Format.UYVY, "D3DOK_NOAUTOGEN"),
        (0x20000, TYPE.TEXTURE, Format.A8R8G8B8, "D3D_OK"),
        (0x100000, TYPE.TEXTURE, Format.DXT1, "D3DERR_NOTAVAILABLE"),
        (0x4000, TYPE.TEXTURE, Format.A8R8G8B8, "D3DERR_NOTAVAILABLE"),
        (0, TYPE.TEXTURE, Format.UNKNOWN, "D3DERR_NOTAVAILABLE"),
        (0, TYPE.VERTEXBUFFER, Format.VERTEXDATA, "D3DERR_INVALIDCALL"),
    ],
)
def test_that_check_device_format_answers(usage: int, kind: d3d9.ResourceType, value: Format, hr: str) -> None:
    assert check(usage, kind, value) == hr


@given(kind=st.sampled_from([TYPE.TEXTURE, TYPE.CUBETEXTURE, TYPE.VOLUMETEXTURE]), value=st.sampled_from(Format))
@settings(max_examples=80, deadline=None)
def test_that_what_check_device_format_refuses_cannot_be_created(kind: d3d9.ResourceType, value: Format) -> None:
    if check(0, kind, value) == "D3D_OK":
        return
    makers = {
        TYPE.TEXTURE: d3d9.CreateTexture(64, 64, 1, Usage(0), value, Pool.DEFAULT),
        TYPE.CUBETEXTURE: d3d9.CreateCubeTexture(64, 1, Usage(0), value, Pool.DEFAULT),
        TYPE.VOLUMETEXTURE: d3d9.CreateVolumeTexture(64, 64, 4, 1, Usage(0), value, Pool.DEFAULT),
    }
    assert not judge(makers[kind]).succeeded


def test_that_memory_is_told_in_whole_megabytes() -> None:
    state = DeviceState(free_bytes=5 * 2**20 + 7)
    assert judge(d3d9.Empty(), state, DEFAULT, "GetAvailableTextureMem").values == {"returns": 5 * 2**20}


def test_that_residency_is_the_worst_of_all() -> None:
    state = DeviceState(residency=("device", "disk", "shared"))
    assert judge(d3d9.CheckResourceResidency(("a", "b", "c")), state, DEFAULT_EX).hr == "S_NOT_RESIDENT"


def test_that_every_call_has_a_rule_and_an_unknown_one_is_refused() -> None:
    assert set(STATES) == {spec.call for spec in d3d9.CALLS}
    with pytest.raises(CallError):
        judge(d3d9.Empty(), DeviceState(), DEFAULT, "CreateUnicorn")


def test_that_a_device_follows_its_adapter_and_its_options() -> None:
    old = runtime_of(adapter("gf4mx440"))
    assert (old.windows, old.adapter_class, old.max_texture_width) == ("xp", "discrete_agp", 2048)
    changed = runtime_of(
        None, {"windows": "xp", "d3d9.runtime": "debug", "D3DPTEXTURECAPS_POW2": "true", "architecture": "uma"}
    )
    assert (changed.windows, changed.debug, changed.pow2) == ("xp", True, True)
    with pytest.raises(CommandError):
        runtime_of(None, {"windows": "95"})
