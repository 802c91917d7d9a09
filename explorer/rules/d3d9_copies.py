"""Copies by the device: UpdateSurface, UpdateTexture, StretchRect, GetRenderTargetData, ColorFill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.d3d9 import (
    ColorFill,
    Format,
    GetFrontBufferData,
    GetRenderTargetData,
    Pool,
    Rect,
    StretchRect,
    TextureFilter,
    UpdateSurface,
    UpdateTexture,
)
from explorer.rules.d3d9_locks import cuts_blocks, rect_inside
from explorer.rules.d3d9_resource import Resource, Surface
from explorer.rules.d3d9_runtime import DEFAULT, Runtime
from explorer.rules.d3d9_verdicts import Fault, fault, granted, refused
from explorer.tables.d3d9_tables import copy_allowed

if TYPE_CHECKING:
    from explorer.core.verdicts import Verdict

Edges = tuple[int, int, int, int]
FILTERS = (TextureFilter.NONE, TextureFilter.POINT, TextureFilter.LINEAR)


@dataclass(frozen=True, slots=True)
class CopyState:
    """Both ends of a copy between surfaces; None is a null pointer.

    Attributes:
        source: Where it comes from.
        destination: Where it goes.
        in_scene: Between BeginScene and EndScene.
    """

    source: Surface | None
    destination: Surface | None
    in_scene: bool = False


@dataclass(frozen=True, slots=True)
class TextureCopyState:
    """Both ends of UpdateTexture."""

    source: Resource
    destination: Resource


def _edges(rect: Rect | None, surface: Surface) -> Edges:
    if rect is None:
        width, height = surface.size
        return 0, 0, width, height
    return rect.left, rect.top, rect.right, rect.bottom


def _shape(edges: Edges) -> tuple[int, int]:
    return edges[2] - edges[0], edges[3] - edges[1]


def _area(edges: Edges, surface: Surface, key: str) -> list[Fault]:
    faults: list[Fault] = []
    if not rect_inside(edges, *surface.size):
        faults.append(fault("copy.rect", "keep the rectangle inside the surface", {key: None}))
    if cuts_blocks(surface.resource, surface.level, edges):
        faults.append(fault("copy.blocks", "copy whole blocks", {key: None}))
    return faults


def _pools(source: Resource, destination: Resource) -> Fault | None:
    if source.pool == Pool.SYSTEMMEM and destination.pool == Pool.DEFAULT:
        return None
    return fault("R8.1", "copy from a D3DPOOL_SYSTEMMEM resource to a D3DPOOL_DEFAULT one")


def judge_update_surface(arguments: UpdateSurface, state: CopyState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what UpdateSurface answers."""
    source, destination = state.source, state.destination
    if source is None or destination is None:
        return refused([fault("copy.null", "name both surfaces")])
    faults: list[Fault] = []
    pools = _pools(source.resource, destination.resource)
    if pools is not None:
        faults.append(pools)
    if "ds" in (source.role, destination.role):
        faults.append(fault("copy.depth", "use StretchRect between depth surfaces"))
    if source.resource.multisample or destination.resource.multisample:
        faults.append(fault("copy.multisample", "use surfaces without multisampling"))
    if source.resource.format != destination.resource.format:
        faults.append(fault("copy.format", "use surfaces of one format"))
    if source.locked or destination.locked:
        faults.append(fault("R8.3", "unlock both surfaces first"))
    edges = _edges(arguments.pSourceRect, source)
    faults += _area(edges, source, "pSourceRect")
    width, height = _shape(edges)
    x, y = (arguments.pDestPoint.x, arguments.pDestPoint.y) if arguments.pDestPoint else (0, 0)
    target = (x, y, x + width, y + height)
    if not rect_inside(target, *destination.size):
        faults.append(fault("copy.rect", "copy no more than the destination holds"))
    if cuts_blocks(destination.resource, destination.level, target):
        faults.append(fault("copy.blocks", "copy whole blocks of the destination"))
    if faults:
        return refused(faults)
    return granted("ok.copy", "R8.1", values={"bytes_source": "system", "dirty": "destination"})


def judge_update_texture(arguments: UpdateTexture, state: TextureCopyState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what UpdateTexture answers."""
    source, destination = state.source, state.destination
    faults: list[Fault] = []
    if not source.is_texture or source.kind != destination.kind:
        faults.append(fault("copy.kinds", "use two textures of one kind"))
    pools = _pools(source, destination)
    if pools is not None:
        faults.append(pools)
    if faults:
        return refused(faults)
    shape = (source.width, source.height, source.depth, source.levels, source.format)
    other = (destination.width, destination.height, destination.depth, destination.levels, destination.format)
    return granted(*(("ok.copy", "R8.1", "R7.11") if shape == other else ("R8.2", "R8.1", "R7.11")))


def judge_stretch_rect(arguments: StretchRect, state: CopyState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what StretchRect answers."""
    source, destination = state.source, state.destination
    if source is None or destination is None:
        return refused([fault("copy.null", "name both surfaces")])
    from_edges, to_edges = _edges(arguments.pSourceRect, source), _edges(arguments.pDestRect, destination)
    stretching = _shape(from_edges) != _shape(to_edges)
    faults: list[Fault] = []
    if source.resource.pool != Pool.DEFAULT or destination.resource.pool != Pool.DEFAULT:
        faults.append(fault("R8.4", "use D3DPOOL_DEFAULT on both sides"))
    if "ds" in (source.role, destination.role):
        whole = arguments.pSourceRect is None and arguments.pDestRect is None
        faults += _depth_copy(source, destination, whole and not stretching and not state.in_scene)
    else:
        faults += _pair(source, destination, stretching, runtime)
    if stretching:
        faults += _scaling(source, destination)
    if arguments.Filter not in FILTERS:
        faults.append(fault("copy.filter", "use D3DTEXF_NONE", {"Filter": "D3DTEXF_NONE"}))
    faults += _area(from_edges, source, "pSourceRect")
    faults += _area(to_edges, destination, "pDestRect")
    return refused(faults) if faults else granted("ok.copy", "R8.4")


def _depth_copy(source: Surface, destination: Surface, whole: bool) -> list[Fault]:
    a, b = source.resource, destination.resource
    plain = all(item.kind == "depth_stencil_surface" and not item.discard for item in (a, b))
    if plain and whole and a.format == b.format and source.size == destination.size:
        return []
    return [fault("copy.depth", "copy all of one depth surface to another of its size and format, outside a scene")]


def _pair(source: Surface, destination: Surface, stretching: bool, runtime: Runtime) -> list[Fault]:
    faults: list[Fault] = []
    from_texture = source.resource.is_texture
    if not copy_allowed("StretchRect", source.role, destination.role, "Direct3D 9", stretching):
        faults.append(fault("R8.4", "use a render target as destination"))
    elif not copy_allowed("StretchRect", source.role, destination.role, runtime.driver, stretching):
        faults.append(fault("copy.driver", "copy through a render target surface"))
    if from_texture and not runtime.stretch_from_textures:
        faults.append(fault("copy.driver", "draw the texture instead"))
    return faults


def _scaling(source: Surface, destination: Surface) -> list[Fault]:
    compressed = any(s.resource.info is not None and s.resource.info.kind == "block" for s in (source, destination))
    same = source.resource is destination.resource and (source.level, source.face) == (
        destination.level,
        destination.face,
    )
    if not compressed and not same:
        return []
    return [fault("copy.scale", "use rectangles of equal size")]


def judge_get_render_target_data(
    arguments: GetRenderTargetData, state: CopyState, runtime: Runtime = DEFAULT
) -> Verdict:
    """Return what GetRenderTargetData answers."""
    source, destination = state.source, state.destination
    if source is None or destination is None:
        return refused([fault("copy.null", "name both surfaces")])
    faults: list[Fault] = []
    a, b = source.resource, destination.resource
    if not a.is_target or a.multisample or source.role == "ds":
        faults.append(fault("R8.5", "read a render target without multisampling"))
    if b.pool != Pool.SYSTEMMEM:
        faults.append(fault("R8.5", "read into a D3DPOOL_SYSTEMMEM surface"))
    if source.size != destination.size or a.format != b.format:
        faults.append(fault("R8.5", "use a destination of the size and format of the target"))
    return refused(faults) if faults else granted("ok.copy", "R8.5")


def judge_get_front_buffer_data(arguments: GetFrontBufferData, state: CopyState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what GetFrontBufferData answers; only the destination counts."""
    destination = state.destination
    if destination is None:
        return refused([fault("copy.null", "name the destination")])
    resource = destination.resource
    if resource.pool != Pool.SYSTEMMEM or resource.format != Format.A8R8G8B8:
        return refused([fault("copy.frontbuffer", "read into a D3DPOOL_SYSTEMMEM surface of D3DFMT_A8R8G8B8")])
    return granted("ok.copy", "copy.frontbuffer")


def judge_color_fill(arguments: ColorFill, state: Surface, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what ColorFill answers."""
    resource = state.resource
    faults: list[Fault] = []
    if resource.pool != Pool.DEFAULT or state.role not in ("rt_surface", "rt_texture", "plain_surface"):
        faults.append(fault("R8.6", "fill a render target or a plain surface in D3DPOOL_DEFAULT"))
    edges = _edges(arguments.pRect, state)
    if not rect_inside(edges, *state.size):
        faults.append(fault("copy.rect", "keep the rectangle inside the surface", {"pRect": None}))
    if cuts_blocks(resource, state.level, edges):
        faults.append(fault("R8.6", "fill whole blocks", {"pRect": None}))
    return refused(faults) if faults else granted("ok.copy", "R8.6")
