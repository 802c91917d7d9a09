"""Calls on a resource that copy nothing: priorities, PreLoad, LOD, parts, bindings, release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.d3d9 import (
    GetCubeMapSurface,
    GetSurfaceLevel,
    GetVolumeLevel,
    ObjectCall,
    Pool,
    ResourceType,
    SetDepthStencilSurface,
    SetIndices,
    SetLOD,
    SetPriority,
    SetRenderTarget,
    SetStreamSource,
    SetTexture,
    Usage,
)
from explorer.rules.d3d9_resource import Resource, Surface
from explorer.rules.d3d9_runtime import DEFAULT, Runtime
from explorer.rules.d3d9_verdicts import fault, granted, refused

if TYPE_CHECKING:
    from explorer.core.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class LifeState:
    """A resource between calls.

    Attributes:
        resource: The resource.
        priority: As SetPriority left it.
        lod: As SetLOD left it.
        part: True for a surface or volume of a texture, which has no priority of its own.
        thrashing: The manager is in its most-recently-used mode.
    """

    resource: Resource
    priority: int = 0
    lod: int = 0
    part: bool = False
    thrashing: bool = False


def has_priority(state: LifeState, runtime: Runtime = DEFAULT) -> bool:
    """Return whether a priority means anything for the resource (rules d3d9.R5.10, d3d9.R10.4)."""
    if state.part:
        return False
    return state.resource.pool == (Pool.DEFAULT if runtime.ex else Pool.MANAGED)


def judge_set_priority(arguments: SetPriority, state: LifeState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what SetPriority answers: values ``returns`` (the old one) and ``priority`` (the new one)."""
    rule = "R10.4" if runtime.ex else "R5.10"
    if not has_priority(state, runtime):
        return granted(rule, values={"returns": 0, "priority": 0})
    return granted(rule, "R5.6", values={"returns": state.priority, "priority": arguments.PriorityNew})


def judge_get_priority(arguments: ObjectCall, state: LifeState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what GetPriority answers: value ``returns``."""
    value = state.priority if has_priority(state, runtime) else 0
    return granted("R10.4" if runtime.ex else "R5.10", values={"returns": value})


def judge_preload(arguments: ObjectCall, state: LifeState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what PreLoad does: value ``uploads``."""
    uploads = state.resource.pool == Pool.MANAGED and not state.thrashing
    return granted(*(("R5.3",) if uploads else ("R5.11",)), values={"uploads": uploads})


def judge_set_lod(arguments: SetLOD, state: LifeState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what SetLOD answers: values ``returns`` (the old level) and ``lod`` (the new one)."""
    if state.resource.pool != Pool.MANAGED or not state.resource.is_texture:
        return granted("lod", values={"returns": 0, "lod": 0})
    lod = min(arguments.LODNew, state.resource.levels - 1)
    return granted("lod", values={"returns": state.lod, "lod": lod})


def judge_get_lod(arguments: ObjectCall, state: LifeState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what GetLOD answers: value ``returns``."""
    return granted("lod", values={"returns": state.lod if state.resource.pool == Pool.MANAGED else 0})


def judge_level_count(arguments: ObjectCall, state: LifeState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what GetLevelCount answers: value ``returns``."""
    rule = "R2.10" if state.resource.usage & Usage.AUTOGENMIPMAP else "R11.1"
    return granted(rule, values={"returns": state.resource.levels})


def judge_get_type(arguments: ObjectCall, state: LifeState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what GetType answers: value ``returns``; a part of a texture has a type of its own."""
    kind = state.resource.type
    if state.part:
        kind = ResourceType.VOLUME if kind is ResourceType.VOLUMETEXTURE else ResourceType.SURFACE
    return granted("R1.4", *(("R1.5",) if state.part else ()), values={"returns": kind.constant})


def judge_release(arguments: ObjectCall, state: LifeState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what Release does."""
    return granted("release", "R6.7")


def judge_part(
    arguments: GetSurfaceLevel | GetCubeMapSurface | GetVolumeLevel, state: Resource, runtime: Runtime = DEFAULT
) -> Verdict:
    """Return what GetSurfaceLevel, GetCubeMapSurface and GetVolumeLevel answer."""
    kinds = {GetSurfaceLevel: "texture", GetCubeMapSurface: "cube_texture", GetVolumeLevel: "volume_texture"}
    if state.kind != kinds[type(arguments)]:
        return refused([fault("sub.level", "ask a texture of the right kind")])
    if arguments.Level >= state.levels:
        return refused([fault("sub.level", "name a level that exists", {"Level": state.levels - 1})])
    return granted("sub.level", "R1.5", "R1.3")


def judge_set_texture(arguments: SetTexture, state: Resource | None, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what SetTexture answers: value ``drawable``, False for a texture that cannot be sampled."""
    if state is None:
        return granted("ok.bind", values={"drawable": True})
    if not state.is_texture:
        return refused([fault("bind.type", "bind a texture")])
    drawable = state.pool in (Pool.DEFAULT, Pool.MANAGED)
    return granted(*(("ok.bind",) if drawable else ("R2.17",)), values={"drawable": drawable})


def judge_set_stream(arguments: SetStreamSource, state: Resource | None, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what SetStreamSource answers."""
    if state is None or state.kind == "vertex_buffer":
        return granted("ok.bind", "R2.18") if state and state.pool == Pool.SYSTEMMEM else granted("ok.bind")
    return refused([fault("bind.type", "bind a vertex buffer")])


def judge_set_indices(arguments: SetIndices, state: Resource | None, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what SetIndices answers."""
    if state is None or state.kind == "index_buffer":
        return granted("ok.bind")
    return refused([fault("bind.type", "bind an index buffer")])


def judge_set_render_target(arguments: SetRenderTarget, state: Surface | None, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what SetRenderTarget answers."""
    slot = arguments.RenderTargetIndex
    if slot >= runtime.render_targets:
        return refused([fault("bind.target", "use a slot of the device", {"RenderTargetIndex": 0})])
    if state is None:
        return granted("ok.bind") if slot else refused([fault("bind.target", "name a surface for slot 0")])
    if not state.resource.is_target:
        return refused([fault("bind.target", "create the surface as a render target")])
    return granted("ok.bind", "bind.target")


def judge_set_depth(arguments: SetDepthStencilSurface, state: Surface | None, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what SetDepthStencilSurface answers."""
    if state is not None and not state.resource.is_depth:
        return refused([fault("bind.depth", "create the surface with CreateDepthStencilSurface")])
    return granted("ok.bind", "bind.depth")
