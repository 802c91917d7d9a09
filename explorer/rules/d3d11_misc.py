"""Miscellaneous flags: where each belongs, what it needs and what it excludes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from explorer.core.d3d11_enums import BindFlag, CpuAccessFlag, MiscFlag, Usage
from explorer.core.dxgi import DXGI_FORMAT
from explorer.rules.d3d11_resource import Resource, misc_names, refusal, words
from explorer.tables.d3d11_tables import constant, misc_flags
from explorer.tables.dxgi_formats import format_info

if TYPE_CHECKING:
    from explorer.core.verdicts import Reason
    from explorer.rules.d3d11_runtime import Runtime11

_TILED_BINDS = BindFlag.SHADER_RESOURCE | BindFlag.RENDER_TARGET | BindFlag.DEPTH_STENCIL | BindFlag.UNORDERED_ACCESS
_TILED_3D_RUNTIME = (11, 3)


def _without(resource: Resource, flags: int) -> dict[str, object]:
    return {"pDesc.MiscFlags": misc_names(resource.api, resource.misc & ~flags)}


def _flags_belong(resource: Resource, _data: str, runtime: Runtime11) -> Reason | None:
    if not resource.misc:
        return None
    belongs = 0
    for row in misc_flags():
        known = row.d3d10_value is not None if runtime.is_d3d10 else runtime.runtime >= row.runtime
        if known and resource.dimension in row.dimensions:
            belongs |= row.value
    if resource.dimension == "texture3d" and runtime.runtime < _TILED_3D_RUNTIME:
        belongs &= ~MiscFlag.TILED
    wrong = resource.misc & ~belongs
    if not wrong:
        return None
    detail = f"{words(misc_names('d3d11', wrong))} on a {resource.dimension}"
    return refusal("d3d11.C2.23", detail, "remove it", _without(resource, wrong))


def _sharing(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    both = MiscFlag.SHARED | MiscFlag.SHARED_KEYEDMUTEX
    if resource.misc & both != both:
        return None
    return refusal("d3d11.C2.16", "", "remove SHARED", _without(resource, MiscFlag.SHARED))


def _excludes(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    handled = (
        MiscFlag.SHARED | MiscFlag.SHARED_KEYEDMUTEX,
        MiscFlag.BUFFER_STRUCTURED | MiscFlag.BUFFER_ALLOW_RAW_VIEWS,
    )
    wrong = 0
    for row in misc_flags():
        if resource.misc & row.value and resource.misc & row.excludes:
            pair = row.value | (resource.misc & row.excludes)
            # Pairs that have a rule of their own are named there.
            if not any(pair & ~both == 0 for both in handled):
                wrong |= row.value
    if not wrong:
        return None
    return refusal("d3d11.C2.23.excludes", words(misc_names(resource.api, wrong)), "remove them",
                   _without(resource, wrong))  # fmt: skip


def _generate_mips(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    wanted = BindFlag.RENDER_TARGET | BindFlag.SHADER_RESOURCE
    if resource.is_buffer or not resource.misc & MiscFlag.GENERATE_MIPS or resource.bind & wanted == wanted:
        return None
    changes = _without(resource, MiscFlag.GENERATE_MIPS)
    return refusal("d3d11.C2.19", "", "remove the flag, or bind it as both", changes)


def _gdi(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if not resource.misc & MiscFlag.GDI_COMPATIBLE or resource.dimension != "texture2d":
        return None
    family = format_info(DXGI_FORMAT.B8G8R8A8_UNORM).family
    fits = (
        resource.usage == Usage.DEFAULT
        and resource.bind & BindFlag.RENDER_TARGET
        and resource.levels == 1
        and resource.samples == 1
        and resource.info.family is family
    )
    if fits:
        return None
    return refusal("d3d11.C2.20", "", "remove the flag", _without(resource, MiscFlag.GDI_COMPATIBLE))


def _tiled(resource: Resource, _data: str, _runtime: Runtime11 | None) -> Reason | None:
    if not resource.misc & MiscFlag.TILED:
        return None
    stencil = not resource.is_buffer and resource.info.has_stencil
    if resource.usage == Usage.DEFAULT and not resource.cpu and not resource.bind & ~_TILED_BINDS and not stencil:
        return None
    return refusal("d3d11.C2.21", "", "remove the flag", _without(resource, MiscFlag.TILED))


def tiled_refusal(resource: Resource) -> Reason | None:
    """Return why a resource could not be a tiled one; None if it could."""
    found = _tiled(dataclasses.replace(resource, misc=resource.misc | MiscFlag.TILED), "", None)
    return None if found is None else dataclasses.replace(found, remedy=None)


def _tile_pool(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if not resource.misc & MiscFlag.TILE_POOL or not resource.is_buffer:
        return None
    whole = resource.width % constant("tile_bytes") == 0
    if whole and resource.usage == Usage.DEFAULT and not resource.cpu and not resource.bind:
        return None
    return refusal("d3d11.C2.21.pool", "", "remove the flag", _without(resource, MiscFlag.TILE_POOL))


def _protected(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if not resource.misc & MiscFlag.HW_PROTECTED:
        return None
    fits = (
        resource.usage not in (Usage.DYNAMIC, Usage.STAGING)
        and not resource.bind & (BindFlag.VERTEX_BUFFER | BindFlag.INDEX_BUFFER)
        and not resource.cpu & (CpuAccessFlag.READ | CpuAccessFlag.WRITE)
    )
    if fits:
        return None
    return refusal("d3d11.C2.23.protected", "", "remove the flag", _without(resource, MiscFlag.HW_PROTECTED))


MISC_RULES = (_flags_belong, _sharing, _excludes, _generate_mips, _gdi, _tiled, _tile_pool, _protected)
"""Rules of miscellaneous flags, for buffers and textures."""
