"""The rules of Direct3D 9 and 9Ex: what each call answers, and why.

Read in this order: ``d3d9_runtime`` (the device), ``d3d9_resource`` (what a create call makes), ``d3d9_create`` (one
check for each rule), ``d3d9_sizes``, ``d3d9_locks``, ``d3d9_copies``, ``d3d9_life``, ``d3d9_device``. Rule texts,
formats, usage flags, placement and limits are rows of ``tables/d3d9_*.json``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from explorer.core.d3d9 import CALLS, CreateInput
from explorer.core.verdicts import Verdict
from explorer.errors import CallError
from explorer.rules import d3d9_copies as copies
from explorer.rules import d3d9_device as device
from explorer.rules import d3d9_life as life
from explorer.rules import d3d9_locks as locks
from explorer.rules.d3d9_copies import CopyState, TextureCopyState
from explorer.rules.d3d9_create import judge_create
from explorer.rules.d3d9_device import DeviceState
from explorer.rules.d3d9_life import LifeState
from explorer.rules.d3d9_locks import BufferState, is_lockable
from explorer.rules.d3d9_resource import Resource, Surface, back_buffer, describe
from explorer.rules.d3d9_runtime import DEFAULT, DEFAULT_EX, OPTION_KEYS, Runtime, runtime_of
from explorer.rules.d3d9_sizes import device_layout, layout, overflow_placement, placement
from explorer.rules.d3d9_verdicts import granted
from explorer.tables.d3d9_tables import RuleRow, rules

__all__ = [
    "DEFAULT", "DEFAULT_EX", "OPTION_KEYS", "RULES", "STATES", "BufferState", "CopyState", "DeviceState", "LifeState",
    "Resource", "Runtime", "Surface", "TextureCopyState", "back_buffer", "describe", "device_layout", "is_lockable",
    "judge", "layout", "overflow_placement", "placement", "runtime_of",
]  # fmt: skip

RULES: tuple[RuleRow, ...] = tuple(rules().values())
"""Every rule of D3D9 and 9Ex, in the order of the table."""

_Judge = Callable[[Any, Any, Runtime], Verdict]


def _create(arguments: CreateInput, state: object, runtime: Runtime) -> Verdict:
    return judge_create(arguments, runtime)


def _harmless(rule: str) -> _Judge:
    def answer(arguments: object, state: object, runtime: Runtime) -> Verdict:
        return granted(rule)

    return answer


_JUDGES: Mapping[str, _Judge] = {
    **{spec.call: _create for spec in CALLS if issubclass(spec.input_type, CreateInput)},
    "CreateDevice": device.judge_create_device,
    "CreateDeviceEx": device.judge_create_device,
    "CreateAdditionalSwapChain": device.judge_swap_chain,
    "CreateStateBlock": _harmless("ok.call"),
    "CreateVertexShader": _harmless("shader"),
    "CreatePixelShader": _harmless("shader"),
    "ValidateDevice": device.judge_validate,
    "CreateQuery": device.judge_query,
    "Reset": device.judge_reset,
    "ResetEx": device.judge_reset,
    "TestCooperativeLevel": device.judge_cooperative_level,
    "Present": device.judge_present,
    "PresentEx": device.judge_present,
    "CheckDeviceState": device.judge_device_state,
    "BeginScene": device.judge_begin_scene,
    "EndScene": device.judge_end_scene,
    "DrawPrimitive": device.judge_plain,
    "DrawIndexedPrimitive": device.judge_plain,
    "DrawRectPatch": device.judge_plain,
    "SetRenderState": device.judge_plain,
    "SetNPatchMode": device.judge_plain,
    "Issue": device.judge_plain,
    "GetData": device.judge_get_data,
    "EvictManagedResources": device.judge_evict,
    "GetAvailableTextureMem": device.judge_texture_memory,
    "CheckResourceResidency": device.judge_residency,
    "CheckDeviceFormat": device.judge_check_format,
    "GetSurfaceLevel": life.judge_part,
    "GetCubeMapSurface": life.judge_part,
    "GetVolumeLevel": life.judge_part,
    "GetBackBuffer": _harmless("sub.level"),
    "GetRenderTarget": _harmless("bind.target"),
    "LockRect": locks.judge_lock_rect,
    "UnlockRect": locks.judge_unlock_surface,
    "LockBox": locks.judge_lock_box,
    "UnlockBox": locks.judge_unlock_surface,
    "Lock": locks.judge_lock,
    "Unlock": locks.judge_unlock,
    "AddDirtyRect": _harmless("R7.11"),
    "AddDirtyBox": _harmless("R7.11"),
    "UpdateSurface": copies.judge_update_surface,
    "UpdateTexture": copies.judge_update_texture,
    "StretchRect": copies.judge_stretch_rect,
    "GetRenderTargetData": copies.judge_get_render_target_data,
    "GetFrontBufferData": copies.judge_get_front_buffer_data,
    "ColorFill": copies.judge_color_fill,
    "SetPriority": life.judge_set_priority,
    "GetPriority": life.judge_get_priority,
    "PreLoad": life.judge_preload,
    "SetLOD": life.judge_set_lod,
    "GetLOD": life.judge_get_lod,
    "GetLevelCount": life.judge_level_count,
    "GetType": life.judge_get_type,
    "SetAutoGenFilterType": _harmless("R2.10"),
    "GenerateMipSubLevels": _harmless("R2.10"),
    "Release": life.judge_release,
    "SetTexture": life.judge_set_texture,
    "SetStreamSource": life.judge_set_stream,
    "SetIndices": life.judge_set_indices,
    "SetRenderTarget": life.judge_set_render_target,
    "SetDepthStencilSurface": life.judge_set_depth,
}

_SURFACE_CALLS = ("LockRect", "UnlockRect", "LockBox", "UnlockBox", "ColorFill")
_COPY_CALLS = ("UpdateSurface", "StretchRect", "GetRenderTargetData", "GetFrontBufferData")
_LIFE_CALLS = ("SetPriority", "GetPriority", "PreLoad", "SetLOD", "GetLOD", "GetLevelCount", "GetType", "Release")
_PART_CALLS = ("GetSurfaceLevel", "GetCubeMapSurface", "GetVolumeLevel")
_RESOURCE_CALLS = ("SetTexture", "SetStreamSource", "SetIndices", *_PART_CALLS)
_MIP_CALLS = ("SetAutoGenFilterType", "GenerateMipSubLevels")
_SHADER_CALLS = ("CreateVertexShader", "CreatePixelShader")
_STATELESS = (
    "CreateStateBlock",
    *_SHADER_CALLS,
    "GetBackBuffer",
    "GetRenderTarget",
    "AddDirtyRect",
    "AddDirtyBox",
    *_MIP_CALLS,
)

_STATE_OF: Mapping[str, type] = {
    **dict.fromkeys((*_SURFACE_CALLS, "SetRenderTarget", "SetDepthStencilSurface"), Surface),
    **dict.fromkeys(_COPY_CALLS, CopyState),
    **dict.fromkeys(_LIFE_CALLS, LifeState),
    **dict.fromkeys(_RESOURCE_CALLS, Resource),
    **dict.fromkeys(_STATELESS, type(None)),
    "UpdateTexture": TextureCopyState,
    "Lock": BufferState,
    "Unlock": BufferState,
}

STATES: Mapping[str, type] = {
    name: type(None) if rule is _create else _STATE_OF.get(name, DeviceState) for name, rule in _JUDGES.items()
}
"""The type of state that ``judge`` takes for each call; that of None where earlier calls do not matter."""


def judge(arguments: Any, state: Any = None, runtime: Runtime = DEFAULT, call: str | None = None) -> Verdict:
    """Return what Direct3D 9 answers to a call.

    Args:
        arguments: The input dataclass of the call.
        state: What matters of earlier calls, of the type in ``STATES``.
        runtime: The device.
        call: Name of the call; may be left out where the input has the name of its call.

    Raises:
        CallError: No call of that name.
    """
    name = call if call is not None else type(arguments).__name__
    rule = _JUDGES.get(name)
    if rule is None:
        raise CallError("unknown call", where="call", found=name, accepted=tuple(_JUDGES))
    return rule(arguments, state, runtime)
