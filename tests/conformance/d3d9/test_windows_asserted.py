"""What the conformance tests assert about Windows, as they state it (rank 1)."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from explorer.core import d3d9
from explorer.rules.d3d9 import (
    BufferState,
    CopyState,
    DeviceState,
    LifeState,
    Resource,
    Runtime,
    Surface,
    TextureCopyState,
    describe,
    judge,
)
from explorer.rules.d3d9_resource import full_chain
from tests.conformance.d3d9.data import Row, rows
from tests.conformance.d3d9.objects import expected, format_value, value_of

if TYPE_CHECKING:
    from collections.abc import Callable

FILE = "windows_asserted"
CLASS = {"colour": d3d9.Format.X8R8G8B8, "depth": d3d9.Format.D24S8, "ati2": d3d9.Format.ATI2}
Wrong = list[tuple[dict[str, str], object]]


def _access_input(row: Row) -> tuple[d3d9.CreateInput, str]:
    value, usage, pool = CLASS[row["format_class"]], d3d9.Usage(row.number("usage")), row.number("pool")
    flag = bool(usage & d3d9.Usage.DYNAMIC)
    samples = d3d9.MultisampleType.NONE
    match row["object"]:
        case "2D":
            return d3d9.CreateTexture(16, 16, 1, usage, value, pool), "SetTexture"
        case "CUBE":
            return d3d9.CreateCubeTexture(16, 1, usage, value, pool), "SetTexture"
        case "VOLUME":
            return d3d9.CreateVolumeTexture(16, 16, 1, 1, usage, value, pool), "SetTexture"
        case "VB":
            return d3d9.CreateVertexBuffer(16, usage, 0, pool), ""
        case "IB":
            return d3d9.CreateIndexBuffer(16, usage, d3d9.Format.INDEX32, pool), ""
        case "RT":
            return d3d9.CreateRenderTarget(16, 16, value, samples, 0, flag), ""
        case "DS":
            return d3d9.CreateDepthStencilSurface(16, 16, value, samples, 0, flag), ""
        case "PLAIN":
            return d3d9.CreateOffscreenPlainSurface(16, 16, value, pool), ""
        case "RT_EX":
            return d3d9.CreateRenderTargetEx(16, 16, value, samples, 0, pool != 0, None, usage), ""
        case "DS_EX":
            return d3d9.CreateDepthStencilSurfaceEx(16, 16, value, samples, 0, pool != 0, None, usage), ""
        case _:
            return d3d9.CreateOffscreenPlainSurfaceEx(16, 16, value, pool, None, usage), ""


def _access(family: str) -> Wrong:
    runtime = Runtime(ex=family.endswith("_ex"))
    wrong: Wrong = []
    for row in rows(FILE, family):
        arguments, _ = _access_input(row)
        verdict = judge(arguments, None, runtime)
        if value_of(verdict.hr) != expected(row["create_hr"]):
            wrong.append((row.fields, verdict.hr))
            continue
        if not verdict.succeeded:
            continue
        resource = describe(arguments, runtime)
        surface = Surface(resource)
        calls: list[tuple[str, object, object]] = [
            ("SetRenderTarget_hr", d3d9.SetRenderTarget(0, "o"), surface),
            ("SetDepthStencilSurface_hr", d3d9.SetDepthStencilSurface("o"), surface),
        ]
        if resource.is_buffer:
            calls.append(("lock_hr", d3d9.Lock("o"), BufferState(resource)))
        elif resource.kind == "volume_texture":
            calls.append(("lock_hr", d3d9.LockBox("o"), surface))
        else:
            calls.append(("lock_hr", d3d9.LockRect("o"), surface))
        for key, call, state in calls:
            allowed = row[key].split(" or ")
            if row[key] != "-" and value_of(judge(call, state, runtime).hr) not in [int(x, 16) for x in allowed]:
                wrong.append((row.fields, key))
    return wrong


def _end(text: str) -> Surface:
    name, _, pool = text.rpartition("_p")
    kinds = {"texture": "texture", "offscreen": "offscreen_plain_surface"}
    if not name:
        return Surface(Resource("render_target", 32, 32, usage=int(d3d9.Usage.RENDERTARGET)))
    return Surface(Resource(kinds[name], 32, 32, pool=int(pool)))


def _hr(row: Row, call: object, state: object, runtime: Runtime, key: str = "hr") -> Wrong:
    verdict = judge(call, state, runtime)
    return [] if value_of(verdict.hr) == expected(row[key]) else [(row.fields, verdict.hr)]


def _stretch(row: Row) -> Wrong:
    state = CopyState(_end(row["src"]), _end(row["dst"]))
    return _hr(row, d3d9.StretchRect("a", "b"), state, Runtime())


def _update_pool(row: Row) -> Wrong:
    wrong: Wrong = []
    for kind in ("texture", "volume_texture"):
        ends = [
            Resource(kind, 1, 1, usage=row.number(f"{side}_usage"), pool=row.number(f"{side}_pool"))
            for side in ("src", "dst")
        ]
        wrong += _hr(row, d3d9.UpdateTexture("a", "b"), TextureCopyState(*ends), Runtime())
    return wrong


_FILLED = {
    "texture level": ("texture", d3d9.Format.A8R8G8B8),
    "back buffer": ("back_buffer", d3d9.Format.A8R8G8B8),
    "render target": ("render_target", d3d9.Format.A8R8G8B8),
    "offscreen plain": ("offscreen_plain_surface", d3d9.Format.A8R8G8B8),
    "depth stencil D16": ("depth_stencil_surface", d3d9.Format.D16),
}


def _fill(row: Row) -> Wrong:
    name, _, rest = row["object"].partition(", rect ")
    whole_block = not rest or "whole" in rest
    if " DXT1" in name:
        kind, value = "offscreen_plain_surface", d3d9.Format.DXT1
    else:
        kind, value = _FILLED[name]
    rect = None if not rest else d3d9.Rect(4, 4, 8, 8) if whole_block else d3d9.Rect(5, 5, 7, 7)
    resource = Resource(kind, 32, 32, usage=row.number("usage"), format=int(value), pool=row.number("pool"))
    return _hr(row, d3d9.ColorFill("s", rect), Surface(resource), Runtime())


def _lock_rect(row: Row) -> Wrong:
    rect = d3d9.Rect(*(int(part) for part in row["rect"].split(",")))
    wrong: Wrong = []
    for kind, pool in [
        ("offscreen_plain_surface", 3),
        *((k, p) for k in ("texture", "cube_texture") for p in (1, 2, 3)),
    ]:
        surface = Surface(Resource(kind, 128, 128, pool=pool))
        for key, windows in (("hr_win7", "win7"), ("hr_xp", "xp")):
            wrong += _hr(row, d3d9.LockRect("s", pRect=rect), surface, Runtime(windows=windows), key)
    return wrong


def _lock_box(row: Row) -> Wrong:
    box = d3d9.Box(*(int(part) for part in row["box_left_top_right_bottom_front_back"].split(",")))
    surface = Surface(Resource("volume_texture", 4, 4, 2, pool=3))
    return _hr(row, d3d9.LockBox("v", 0, box), surface, Runtime())


def _buffer_flags(row: Row) -> Wrong:
    usage = d3d9.Usage.DYNAMIC | d3d9.Usage.WRITEONLY
    state = BufferState(Resource("vertex_buffer", 1024, usage=int(usage), format=int(d3d9.Format.VERTEXDATA)))
    wrong: Wrong = []
    for key, windows in (("hr_win7", "win7"), ("hr_xp", "xp")):
        call = d3d9.Lock("b", Flags=d3d9.LockFlags(row.number("flags")))
        wrong += _hr(row, call, state, Runtime(windows=windows), key)
    return wrong


def _swap_chain(row: Row) -> Wrong:
    parameters = d3d9.PresentParameters(
        BackBufferCount=row.number("backbuffer_count"),
        SwapEffect=row.number("swap_effect"),
        Windowed=row["windowed"] == "1",
    )
    wrong = _hr(row, d3d9.CreateDevice(parameters), DeviceState(), Runtime())
    return wrong + _hr(row, d3d9.Reset(parameters), DeviceState(), Runtime())


def _priority(row: Row) -> Wrong:
    wrong: Wrong = []
    for kind in ("texture", "vertex_buffer"):
        state = LifeState(Resource(kind, 16, 16, pool=row.number("pool")))
        kept = judge(d3d9.SetPriority("o", 5), state, Runtime()).values["priority"] == 5
        if kept != (row["SetPriority_is_kept"] == "1"):
            wrong.append((row.fields, kept))
    return wrong


def _blocks(row: Row) -> Wrong:
    value, pool, width, height = format_value(row["format"]), row.number("pool"), row.number("w"), row.number("h")
    if row["object"] == "surface":
        return _hr(row, d3d9.CreateOffscreenPlainSurface(width, height, value, pool), None, Runtime())
    if row["object"] == "cube":
        return _hr(row, d3d9.CreateCubeTexture(width, 1, d3d9.Usage(0), value, pool), None, Runtime())
    return _hr(row, d3d9.CreateTexture(width, height, 1, d3d9.Usage(0), value, pool), None, Runtime())


def _dxt1_levels(row: Row) -> Wrong:
    chain = full_chain(64, 64)
    ends = [
        Surface(
            Resource("texture", 64, 64, 1, chain, chain, format=int(d3d9.Format.DXT1), pool=pool), row.number(level)
        )
        for pool, level in ((2, "src_level"), (0, "dst_level"))
    ]
    rect = None if row["src_rect"] == "-" else d3d9.Rect(*(int(part) for part in row["src_rect"].split(",")))
    return _hr(row, d3d9.UpdateSurface("a", "b", rect), CopyState(*ends), Runtime())


def _mismatch(row: Row) -> Wrong:
    kinds = {"texture": "texture", "cube": "cube_texture", "volume": "volume_texture"}
    ends = []
    for side, pool in (("src", 2), ("dst", 0)):
        width, height = row.number(f"{side}_w"), row.number(f"{side}_h")
        levels = row.number(f"{side}_levels") or full_chain(width, height)
        value = format_value(row[f"{side}_format"])
        ends.append(Resource(kinds[row["object"]], width, height, 1, levels, levels, format=value, pool=pool))
    return _hr(row, d3d9.UpdateTexture("a", "b"), TextureCopyState(*ends), Runtime())


FAMILIES: dict[str, Callable[[Row], Wrong]] = {
    "stretch_rect": _stretch,
    "update_texture_pool": _update_pool,
    "color_fill": _fill,
    "lock_rect_win7": _lock_rect,
    "lock_box": _lock_box,
    "vb_lock_flags_win7": _buffer_flags,
    "swapchain_parameters": _swap_chain,
    "set_priority": _priority,
    "block_format_sizes": _blocks,
    "update_surface_dxt1_levels": _dxt1_levels,
    "update_texture_mismatch": _mismatch,
}


@pytest.mark.parametrize("family", ["resource_access", "resource_access_ex"])
def test_that_resources_can_be_made_locked_and_bound_as_on_windows(family: str) -> None:
    assert not _access(family)


@pytest.mark.parametrize("family", list(FAMILIES))
def test_that_the_rules_answer_as_windows_does(family: str) -> None:
    assert not [wrong for row in rows(FILE, family) for wrong in FAMILIES[family](row)]


def test_that_a_surface_is_locked_once_and_buffers_nest() -> None:
    surface = Surface(Resource("offscreen_plain_surface", 128, 128, pool=3), locked=True)
    assert judge(d3d9.LockRect("s", pRect=d3d9.Rect(0, 0, 4, 4)), surface).hr == "D3DERR_INVALIDCALL"
    buffer = BufferState(Resource("vertex_buffer", 64), locks=1)
    assert judge(d3d9.Lock("b"), buffer).hr == "D3D_OK"
    assert dataclasses.replace(buffer, locks=2).locks == 2
