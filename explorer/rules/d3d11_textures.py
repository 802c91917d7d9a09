"""What only textures are asked: formats, extents, levels, slices, cubes and samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.d3d11_enums import LEVEL_10_0, BindFlag, MiscFlag, Usage
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.units import align_up, is_power_of_two
from explorer.rules.d3d11_resource import (
    NO_DATA,
    Resource,
    bind_names,
    refusal,
    usage_name,
    words,
)
from explorer.tables.d3d11_tables import LevelLimits, constant, format_classes, level_limits

if TYPE_CHECKING:
    from explorer.core.verdicts import Reason
    from explorer.rules.d3d11_runtime import Runtime11

_BY_FORMAT = (
    BindFlag.SHADER_RESOURCE
    | BindFlag.RENDER_TARGET
    | BindFlag.DEPTH_STENCIL
    | BindFlag.UNORDERED_ACCESS
    | BindFlag.DECODER
    | BindFlag.VIDEO_ENCODER
)
_PLAIN = DXGI_FORMAT.R8G8B8A8_UNORM


def _has_format(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if resource.is_buffer or resource.format is not DXGI_FORMAT.UNKNOWN:
        return None
    return refusal("d3d11.C2.24", "", f"use {_PLAIN.constant}", {"pDesc.Format": _PLAIN.constant})


def _format_fits_the_type(resource: Resource, _data: str, runtime: Runtime11) -> Reason | None:
    if resource.is_buffer or resource.format is DXGI_FORMAT.UNKNOWN:
        return None
    row = format_classes().get(resource.format)
    if row is not None and resource.dimension in row.dimensions and runtime.runtime >= row.runtime:
        return None
    detail = f"{resource.format.constant} as a {resource.dimension}"
    return refusal("d3d11.C2.26", detail, f"use {_PLAIN.constant}", {"pDesc.Format": _PLAIN.constant})


def _format_allows_binds(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    row = None if resource.is_buffer else format_classes().get(resource.format)
    if row is None:
        return None
    wanted = resource.bind & _BY_FORMAT
    wrong = wanted & ~row.bind
    if not wrong:
        return None
    detail = f"{resource.format.constant} as {words(bind_names(resource.api, wrong))}"
    family = resource.info.typeless_parent
    typeless = format_classes().get(family) if family is not None else None
    if family is not None and typeless is not None and not wanted & ~typeless.bind:
        return refusal("d3d11.C2.9", detail, f"use {family.constant}", {"pDesc.Format": family.constant})
    names = bind_names(resource.api, resource.bind & ~wrong)
    return refusal("d3d11.C2.9", detail, f"bind it as {words(names)}", {"pDesc.BindFlags": names})


def _extent_limits(resource: Resource, limits: LevelLimits) -> tuple[tuple[str, int, int], ...]:
    """Return (parameter, value, largest value) of each extent."""
    if resource.dimension == "texture1d":
        return (("Width", resource.width, limits.texture1d),)
    if resource.dimension == "texture3d":
        most = limits.texture3d
        return (("Width", resource.width, most), ("Height", resource.height, most), ("Depth", resource.depth, most))
    most = limits.cube if resource.is_cube else limits.texture2d
    return (("Width", resource.width, most), ("Height", resource.height, most))


def _extents(resource: Resource, _data: str, runtime: Runtime11) -> Reason | None:
    if resource.is_buffer:
        return None
    limits = level_limits()[runtime.level]
    wanted = list(_extent_limits(resource, limits))
    if resource.slices:
        most = max(limits.slices, constant("cube_faces")) if resource.is_cube else limits.slices
        wanted.append(("ArraySize", resource.slices, most))
    wrong = [(key, value, most) for key, value, most in wanted if not 1 <= value <= most]
    if not wrong:
        return None
    detail = ", ".join(f"{key} {value} of at most {most}" for key, value, most in wrong)
    changes: dict[str, object] = {f"pDesc.{key}": min(max(value, 1), most) for key, value, most in wrong}
    return refusal("d3d11.L6.1", f"{detail} at feature level {runtime.level}", "stay within the limit", changes)


def _has_slices(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if resource.is_buffer or resource.slices:
        return None
    return refusal("d3d11.C2.10", "ArraySize 0", "use one slice", {"pDesc.ArraySize": 1})


def _levels_exist(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if resource.is_buffer or resource.mips <= resource.chain:
        return None
    detail = f"MipLevels {resource.mips} of at most {resource.chain}"
    return refusal("d3d11.C2.10.mips", detail, "ask for the full chain", {"pDesc.MipLevels": 0})


def _cube_slices(resource: Resource, _data: str, runtime: Runtime11) -> Reason | None:
    if resource.dimension != "texture2d" or not resource.is_cube:
        return None
    faces = constant("cube_faces")
    arrays = level_limits()[runtime.level].cube_arrays
    if resource.slices == faces or (arrays and resource.slices > faces):
        return None
    detail = f"ArraySize {resource.slices}"
    return refusal("d3d11.C2.11", detail, f"use {faces} slices", {"pDesc.ArraySize": faces})


def _cube_is_square(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if resource.dimension != "texture2d" or not resource.is_cube or resource.width == resource.height:
        return None
    edge = max(resource.width, resource.height)
    changes: dict[str, object] = {"pDesc.Width": edge, "pDesc.Height": edge}
    return refusal("d3d11.C2.11.square", "", f"use {edge} × {edge}", changes)


def _one_sample() -> dict[str, object]:
    return {"pDesc.SampleDesc.Count": 1, "pDesc.SampleDesc.Quality": 0}


def _samples_are_supported(resource: Resource, _data: str, runtime: Runtime11) -> Reason | None:
    if resource.dimension != "texture2d":
        return None
    row = format_classes().get(resource.format)
    levels = runtime.quality_levels(resource.samples)
    if resource.samples > 1 and row is not None and not row.multisample:
        levels = 0
    if resource.quality < levels:
        return None
    detail = f"count {resource.samples}, quality {resource.quality}, {levels} quality levels reported"
    return refusal("d3d11.C2.13", detail, "use one sample", _one_sample())


def _multisampled(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if resource.samples <= 1:
        return None
    targets = BindFlag.RENDER_TARGET | BindFlag.DEPTH_STENCIL
    fits = (
        resource.levels == 1
        and resource.usage == Usage.DEFAULT
        and resource.bind & targets
        and not resource.bind & BindFlag.UNORDERED_ACCESS
        and not resource.is_cube
        and not resource.misc & MiscFlag.GENERATE_MIPS
    )
    return None if fits else refusal("d3d11.C2.13.ms", "", "use one sample", _one_sample())


def _multisampled_data(resource: Resource, data: str, _runtime: Runtime11) -> Reason | None:
    if resource.samples <= 1 or data == NO_DATA:
        return None
    return refusal("d3d11.C2.12.ms", "", "give no initial data", {"pInitialData": None})


def _staging_is_plain(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if resource.usage != Usage.STAGING or not (resource.samples > 1 or resource.bind & BindFlag.DEPTH_STENCIL):
        return None
    names = bind_names(resource.api, resource.bind & ~BindFlag.DEPTH_STENCIL)
    changes: dict[str, object] = {"pDesc.BindFlags": names}
    if resource.samples > 1:
        changes |= _one_sample()
    return refusal("d3d11.U1.7", "", "use one sample and no depth-stencil binding", changes)


def _dynamic_is_one_subresource(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if resource.is_buffer or resource.usage != Usage.DYNAMIC or resource.subresources <= 1:
        return None
    changes: dict[str, object] = {"pDesc.MipLevels": 1}
    if resource.slices > 1:
        changes["pDesc.ArraySize"] = 1
    detail = f"{resource.subresources} subresources"
    return refusal("d3d11.U1.9", detail, f"use one, or {usage_name(resource.api, Usage.DEFAULT)}", changes)


def _whole(extent: int, unit: int) -> int:
    """Return the extent in whole units, the next one that is a UINT."""
    whole = align_up(extent, unit)
    return whole if whole < 1 << 32 else whole - unit


def _whole_blocks(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if resource.is_buffer:
        return None
    info = resource.info
    across, down = info.width_multiple, info.height_multiple
    if resource.width % across == 0 and resource.height % down == 0:
        return None
    # One row is all that a 1D texture has, and its formats have no rows of blocks.
    if resource.dimension == "texture1d":
        return None
    width, height = _whole(resource.width, across), _whole(resource.height, down)
    rule = "d3d11.C2.25" if info.is_compressed else "d3d11.C2.25.units"
    detail = f"{resource.width} × {resource.height} in units of {across} × {down}"
    changes: dict[str, object] = {"pDesc.Width": width, "pDesc.Height": height}
    return refusal(rule, detail, f"use {width} × {height}", changes)


def _arrays_level(resource: Resource, _data: str, runtime: Runtime11) -> Reason | None:
    if resource.is_buffer or resource.slices <= 1 or resource.is_cube or level_limits()[runtime.level].arrays:
        return None
    return refusal("d3d11.L6.1.array", f"feature level {runtime.level}", "use one slice", {"pDesc.ArraySize": 1})


def _npot_levels(resource: Resource, _data: str, runtime: Runtime11) -> Reason | None:
    if resource.is_buffer or runtime.feature_level >= LEVEL_10_0 or resource.levels == 1:
        return None
    extents = (resource.width, resource.height, resource.depth)
    if all(is_power_of_two(extent) for extent in extents if extent):
        return None
    return refusal("d3d11.L6.1.npot", f"feature level {runtime.level}", "use one level", {"pDesc.MipLevels": 1})


TEXTURE_RULES = (
    _has_format,
    _format_fits_the_type,
    _format_allows_binds,
    _staging_is_plain,
    _extents,
    _has_slices,
    _arrays_level,
    _levels_exist,
    _cube_slices,
    _cube_is_square,
    _samples_are_supported,
    _multisampled,
    _multisampled_data,
    _dynamic_is_one_subresource,
    _whole_blocks,
    _npot_levels,
)
"""Rules of textures; each passes over buffers."""
