"""May this view be made, and what does it show? Rules ``d3d11.V8.x``, the same for all four kinds of view."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.core.d3d10_views import (
    D3D10_DEPTH_STENCIL_VIEW_DESC,
    D3D10_RENDER_TARGET_VIEW_DESC,
    D3D10_SHADER_RESOURCE_VIEW_DESC,
    D3D10_SHADER_RESOURCE_VIEW_DESC1,
)
from explorer.core.d3d11_enums import (
    LEVEL_11_0,
    BindFlag,
    DsvDimension,
    DsvFlag,
    RtvDimension,
    SrvDimension,
    UavDimension,
)
from explorer.core.d3d11_views import (
    ALL_MIPS,
    D3D11_DEPTH_STENCIL_VIEW_DESC,
    D3D11_RENDER_TARGET_VIEW_DESC,
    D3D11_SHADER_RESOURCE_VIEW_DESC,
    D3D11_UNORDERED_ACCESS_VIEW_DESC,
)
from explorer.core.dxgi import DXGI_FORMAT, mip_extent
from explorer.core.verdicts import Reason, Verdict
from explorer.rules.d3d11_buffer_views import buffer_reasons
from explorer.rules.d3d11_resource import Resource, bind_names, permission, refusal, words
from explorer.tables.d3d11_tables import constant, format_classes
from explorer.tables.dxgi_formats import format_info

if TYPE_CHECKING:
    from enum import IntEnum

    from explorer.rules.d3d11_runtime import Runtime11

ViewStruct = (
    D3D11_SHADER_RESOURCE_VIEW_DESC
    | D3D11_RENDER_TARGET_VIEW_DESC
    | D3D11_DEPTH_STENCIL_VIEW_DESC
    | D3D11_UNORDERED_ACCESS_VIEW_DESC
    | D3D10_SHADER_RESOURCE_VIEW_DESC
    | D3D10_SHADER_RESOURCE_VIEW_DESC1
    | D3D10_RENDER_TARGET_VIEW_DESC
    | D3D10_DEPTH_STENCIL_VIEW_DESC
)

_BINDS = {
    "srv": BindFlag.SHADER_RESOURCE,
    "rtv": BindFlag.RENDER_TARGET,
    "dsv": BindFlag.DEPTH_STENCIL,
    "uav": BindFlag.UNORDERED_ACCESS,
}
_DIMENSIONS: dict[str, type[IntEnum]] = {
    "srv": SrvDimension,
    "rtv": RtvDimension,
    "dsv": DsvDimension,
    "uav": UavDimension,
}
_STRUCTS: dict[type, str] = {
    D3D11_SHADER_RESOURCE_VIEW_DESC: "srv",
    D3D11_RENDER_TARGET_VIEW_DESC: "rtv",
    D3D11_DEPTH_STENCIL_VIEW_DESC: "dsv",
    D3D11_UNORDERED_ACCESS_VIEW_DESC: "uav",
    D3D10_SHADER_RESOURCE_VIEW_DESC: "srv",
    D3D10_SHADER_RESOURCE_VIEW_DESC1: "srv",
    D3D10_RENDER_TARGET_VIEW_DESC: "rtv",
    D3D10_DEPTH_STENCIL_VIEW_DESC: "dsv",
}
_MEMBERS = {
    "BUFFER": "Buffer", "BUFFEREX": "BufferEx", "TEXTURE1D": "Texture1D", "TEXTURE1DARRAY": "Texture1DArray",
    "TEXTURE2D": "Texture2D", "TEXTURE2DARRAY": "Texture2DArray", "TEXTURE2DMS": "Texture2DMS",
    "TEXTURE2DMSARRAY": "Texture2DMSArray", "TEXTURE3D": "Texture3D", "TEXTURECUBE": "TextureCube",
    "TEXTURECUBEARRAY": "TextureCubeArray",
}  # fmt: skip
_FAMILY = {
    "BUFFER": "buffer", "BUFFEREX": "buffer", "TEXTURE1D": "texture1d", "TEXTURE1DARRAY": "texture1d",
    "TEXTURE2D": "texture2d", "TEXTURE2DARRAY": "texture2d", "TEXTURE2DMS": "texture2d",
    "TEXTURE2DMSARRAY": "texture2d", "TEXTURE3D": "texture3d", "TEXTURECUBE": "texture2d",
    "TEXTURECUBEARRAY": "texture2d",
}  # fmt: skip
_ARRAYS = frozenset({"TEXTURE1DARRAY", "TEXTURE2DARRAY", "TEXTURE2DMSARRAY"})
_MULTISAMPLED = frozenset({"TEXTURE2DMS", "TEXTURE2DMSARRAY"})


@dataclass(frozen=True, slots=True)
class View:
    """A view description in one form for all kinds.

    Attributes:
        kind: ``srv``, ``rtv``, ``dsv`` or ``uav``.
        format: UNKNOWN takes the resource's.
        dimension: The constant's name without prefix, for example ``TEXTURE2DARRAY``.
        mip: First level.
        mips: Levels; ALL_MIPS is all from the first on. Other views than ``srv`` show one.
        first: First slice, face, depth slice or buffer element.
        count: How many; ALL_MIPS is all from the first on. Cubes for a cube array.
        flags: Buffer or depth-stencil flags.
        stem: How the constants of its structure begin: ``D3D11``, ``D3D10`` or ``D3D10_1``.
    """

    kind: str
    format: DXGI_FORMAT
    dimension: str
    mip: int = 0
    mips: int = ALL_MIPS
    first: int = 0
    count: int = ALL_MIPS
    flags: int = 0
    stem: str = "D3D11"

    def dimension_constant(self, dimension: str) -> str:
        """Return a view dimension in the spelling of the structure."""
        return f"{self.stem}_{self.kind.upper()}_DIMENSION_{dimension}"


def view_of(desc: ViewStruct) -> View:
    """Return the common form of a view structure; an absent union member shows everything."""
    kind = _STRUCTS[type(desc)]
    dimension = desc.ViewDimension.name
    flags = int(desc.Flags) if isinstance(desc, D3D11_DEPTH_STENCIL_VIEW_DESC) else 0
    stem = desc.ViewDimension.prefix().partition(f"_{kind.upper()}_")[0]
    view = View(kind, desc.Format, dimension, flags=flags, mips=ALL_MIPS if kind == "srv" else 1, stem=stem)
    member = getattr(desc, _MEMBERS.get(dimension, ""), None)
    if member is None:
        return view
    known = {name: getattr(member, name) for name in member.__slots__}
    first = ("FirstElement", "FirstArraySlice", "First2DArrayFace", "FirstWSlice")
    count = ("NumElements", "ArraySize", "NumCubes", "WSize")
    return replace(
        view,
        mip=known.get("MostDetailedMip", known.get("MipSlice", 0)),
        mips=known.get("MipLevels", view.mips),
        first=next((known[name] for name in first if name in known), 0),
        count=next((known[name] for name in count if name in known), ALL_MIPS),
        flags=int(known.get("Flags", flags)),
    )


def default_view(kind: str, resource: Resource) -> View:
    """Return the view that a null description stands for: everything, or level 0 of everything."""
    mips = ALL_MIPS if kind == "srv" else 1
    stem = "D3D10" if resource.api.startswith("d3d10") else "D3D11"
    return View(kind, DXGI_FORMAT.UNKNOWN, _default_dimension(kind, resource), mips=mips, stem=stem)


def _default_dimension(kind: str, resource: Resource) -> str:
    if resource.is_buffer:
        return "BUFFER"
    if resource.dimension == "texture3d":
        return "TEXTURE3D"
    faces = constant("cube_faces")
    if kind == "srv" and resource.is_cube and resource.dimension == "texture2d":
        return "TEXTURECUBE" if resource.slices < 2 * faces else "TEXTURECUBEARRAY"
    name = resource.dimension.upper()
    if resource.samples > 1:
        name += "MS"
    return name + ("ARRAY" if resource.slices > 1 else "")


def _format_reasons(view: View, resource: Resource, has_desc: bool) -> list[Reason]:
    shown = resource.format if view.format is DXGI_FORMAT.UNKNOWN else view.format
    key = "pDesc.Format" if has_desc else "pDesc"
    own, info = resource.info, format_info(shown)
    found: list[Reason] = []
    same_family = info.family is own.family and own.is_typeless
    if info.is_typeless or not (shown is resource.format or same_family):
        detail = f"{shown.constant} of {resource.format.constant}"
        better = _typed_of(view.kind, resource)
        if better is None or not has_desc:
            found.append(refusal("d3d11.V8.3", detail))
        else:
            found.append(refusal("d3d11.V8.3", detail, f"use {better.constant}", {key: better.constant}))
    elif not _serves(view.kind, shown):
        found.append(refusal("d3d11.V8.3.kind", shown.constant))
    return found


@functools.cache
def _serves(kind: str, shown: DXGI_FORMAT) -> bool:
    """Return whether a typed format can be seen through a kind of view."""
    info = format_info(shown)
    if info.is_depth or kind == "dsv":
        return info.is_depth and kind == "dsv"
    row = format_classes().get(shown)
    if row is None or not row.bind & _BINDS[kind]:
        return False
    return not (kind == "uav" and info.is_srgb)


@functools.cache
def _typed_formats(family: DXGI_FORMAT, kind: str) -> tuple[DXGI_FORMAT, ...]:
    return tuple(
        value
        for value in format_classes()
        if format_info(value).family is family and not format_info(value).is_typeless and _serves(kind, value)
    )


def _typed_of(kind: str, resource: Resource) -> DXGI_FORMAT | None:
    own = resource.info
    if not own.is_typeless:
        return resource.format if _serves(kind, resource.format) else None
    return next(iter(_typed_formats(own.family, kind)), None)


def _dimension_fits(view: View, resource: Resource) -> bool:
    known = _DIMENSIONS[view.kind].__members__
    if view.dimension not in known or _FAMILY.get(view.dimension) != resource.dimension:
        return False
    if view.dimension in ("TEXTURECUBE", "TEXTURECUBEARRAY"):
        return resource.is_cube
    # A multisampled resource has no other view; a plain one may be seen as having one sample.
    return view.dimension in _MULTISAMPLED or resource.samples == 1


def _levels(view: View, resource: Resource) -> tuple[int, bool]:
    """Return (levels shown, whether they lie in the resource)."""
    if view.dimension in _MULTISAMPLED:
        return 1, True
    left = resource.levels - view.mip
    wanted = left if view.mips == ALL_MIPS else view.mips
    return wanted, 0 < wanted <= left


def _slices(view: View, resource: Resource) -> tuple[int, int, bool]:
    """Return (first slice, slices shown, whether they lie in the resource)."""
    if view.dimension in _ARRAYS:
        left = resource.slices - view.first
    elif view.dimension == "TEXTURECUBEARRAY":
        faces = constant("cube_faces")
        left = (resource.slices - view.first) // faces
    elif view.dimension == "TEXTURE3D" and view.kind != "srv":
        left = mip_extent(resource.depth, min(view.mip, resource.levels)) - view.first
    else:
        return 0, 1, True
    wanted = left if view.count == ALL_MIPS else view.count
    return view.first, wanted, 0 < wanted <= left


def _texture_reasons(view: View, resource: Resource) -> list[Reason]:
    found: list[Reason] = []
    member = "pDesc." + _MEMBERS[view.dimension]
    levels, levels_fit = _levels(view, resource)
    if not levels_fit:
        detail = f"levels {view.mip} to {view.mip + levels - 1} of {resource.levels}"
        found.append(refusal("d3d11.V8.4", detail, "show all levels, or the first", {member: None}))
    first, count, slices_fit = _slices(view, resource)
    if not slices_fit:
        rule = "d3d11.V8.6" if view.dimension == "TEXTURECUBEARRAY" else "d3d11.V8.5"
        detail = f"{count} from {first} on"
        found.append(refusal(rule, detail, "show all from the first on", {member: None}))
    return found


def _flag_reasons(view: View, resource: Resource, runtime: Runtime11) -> list[Reason]:
    if view.kind != "dsv" or not view.flags:
        return []
    shown = resource.format if view.format is DXGI_FORMAT.UNKNOWN else view.format
    no_stencil = view.flags & DsvFlag.READ_ONLY_STENCIL and not format_info(shown).stencil_bits
    known = int(DsvFlag.READ_ONLY_DEPTH | DsvFlag.READ_ONLY_STENCIL)
    if runtime.feature_level >= LEVEL_11_0 and not no_stencil and not view.flags & ~known:
        return []
    return [refusal("d3d11.V8.9", "", "remove the flags", {"pDesc.Flags": []})]


def _bind_reason(kind: str, resource: Resource) -> list[Reason]:
    wanted = _BINDS[kind]
    if resource.bind & wanted:
        return []
    detail = f"{words(bind_names(resource.api, wanted))} is missing"
    return [refusal("d3d11.V8.1", detail)]


@functools.lru_cache(maxsize=1 << 14)
def judge_view(view: View | None, kind: str, resource: Resource, has_out: bool, runtime: Runtime11) -> Verdict:
    """Return what a view creation answers.

    Args:
        view: The description, None for a null pointer.
        kind: ``srv``, ``rtv``, ``dsv`` or ``uav``.
        resource: The resource as it was created.
        has_out: Whether the caller gave a place for the view.
        runtime: The device.

    Returns:
        On success the description as the view holds it: ``Format``, ``ViewDimension``, first and number of levels
        and slices.
    """
    shown = view or default_view(kind, resource)
    reasons = _bind_reason(kind, resource)
    fits = _dimension_fits(shown, resource)
    if not fits:
        detail = f"{shown.dimension} of a {resource.dimension}"
        better = _default_dimension(kind, resource)
        name = shown.dimension_constant(better)
        # Direct3D 10.0's structure has no cube arrays.
        spelt = not (shown.stem == "D3D10" and better == "TEXTURECUBEARRAY")
        known = spelt and _dimension_fits(replace(shown, dimension=better), resource)
        changes: dict[str, object] = {"pDesc.ViewDimension": name}
        reasons.append(refusal("d3d11.V8.2", detail, f"use {name}" if known else "", changes if known else None))
    if resource.is_buffer:
        if fits:
            reasons += buffer_reasons(shown.kind, shown.format, shown.first, shown.count, shown.flags,
                                      shown.dimension, view is not None, resource)  # fmt: skip
    else:
        reasons += _format_reasons(shown, resource, view is not None)
        if fits:
            reasons += _texture_reasons(shown, resource)
            reasons += _flag_reasons(shown, resource, runtime)
    if reasons:
        return Verdict("E_INVALIDARG", tuple(reasons))
    values = _described(shown, resource)
    if not has_out:
        return Verdict("S_FALSE", (permission("d3d11.C2.18"), permission("d3d11.V8.10")))
    return Verdict("S_OK", (permission("d3d11.V8.10"),), values)


def _described(view: View, resource: Resource) -> dict[str, object]:
    shown = resource.format if view.format is DXGI_FORMAT.UNKNOWN else view.format
    values: dict[str, object] = {
        "Format": shown.constant,
        "ViewDimension": view.dimension_constant(view.dimension),
    }
    if resource.is_buffer:
        return values | {"FirstElement": view.first, "NumElements": _elements(view, resource)}
    first, count, _ = _slices(view, resource)
    values |= {"Mip": view.mip, "MipLevels": _levels(view, resource)[0]}
    return values | {"First": first, "Count": count}


def _elements(view: View, resource: Resource) -> int:
    if view.count != ALL_MIPS:
        return view.count
    return resource.width // resource.stride - view.first if resource.stride else 0


def subresources_of(view: View | None, kind: str, resource: Resource) -> tuple[int, ...]:
    """Return the numbers of the subresources that a legal view shows.

    Source: d3d11.U1.8 (a view for input and one for output must show different ones).
    """
    shown = view or default_view(kind, resource)
    if resource.is_buffer:
        return (0,)
    levels, _ = _levels(shown, resource)
    if shown.dimension in _MULTISAMPLED:
        levels = 1
    first, count, _ = _slices(shown, resource)
    if shown.dimension in ("TEXTURECUBE", "TEXTURECUBEARRAY"):
        count *= constant("cube_faces")
    if shown.dimension == "TEXTURE3D":
        first, count = 0, 1
    slices = range(first, first + count)
    return tuple(mip + s * resource.levels for s in slices for mip in range(shown.mip, shown.mip + levels))
