"""May this subresource be mapped, and what does the caller see? Rules ``d3d11.M4.x``."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.d3d11_enums import LEVEL_10_0, BindFlag, CpuAccessFlag, MapFlag, MapType, MapType10, MiscFlag, Usage
from explorer.core.verdicts import Reason, Verdict
from explorer.rules.d3d11_create import relaxed_default
from explorer.rules.d3d11_resource import Resource, permission, refusal
from explorer.rules.d3d11_sizes import mapped_subresource
from explorer.tables.d3d11_tables import constant, map_access, map_waits

if TYPE_CHECKING:
    from explorer.rules.d3d11_runtime import Runtime11

_REWRITES = (MapType.WRITE_DISCARD, MapType.WRITE_NO_OVERWRITE)
_ALWAYS_APPENDED = BindFlag.VERTEX_BUFFER | BindFlag.INDEX_BUFFER


@dataclass(frozen=True, slots=True)
class MapState:
    """What of earlier calls decides about a map.

    Attributes:
        mapped: The subresource is mapped already.
        busy: The GPU still uses the resource.
        deferred: The call is recorded on a deferred context.
        discarded: That context has mapped the resource with WRITE_DISCARD before.
        removed: The device has been removed.
    """

    mapped: bool = False
    busy: bool = False
    deferred: bool = False
    discarded: bool = False
    removed: bool = False


def effective_access(resource: Resource, runtime: Runtime11) -> int:
    """Return the CPU access flags that count: on a default resource only where the runtime honours them."""
    if resource.usage == Usage.DEFAULT and not relaxed_default(resource, runtime):
        return 0
    return resource.cpu


def _kind_rule(resource: Resource, map_type: int, runtime: Runtime11) -> str:
    """Return the rule that forbids this kind of map for the resource, or an empty text."""
    dynamic = resource.usage == Usage.DYNAMIC
    if map_type == MapType.WRITE_DISCARD:
        return "" if dynamic else "d3d11.M4.2.discard"
    if map_type == MapType.WRITE_NO_OVERWRITE:
        if not (dynamic and resource.is_buffer):
            return "d3d11.M4.2.nooverwrite"
        return _append_rule(resource, runtime)
    if dynamic and map_type == MapType.WRITE:
        return "d3d11.M4.3"
    mappable = resource.usage in (Usage.STAGING, Usage.DEFAULT) and effective_access(resource, runtime)
    return "" if mappable else "d3d11.M4.2.read"


def _append_rule(resource: Resource, runtime: Runtime11) -> str:
    modern = runtime.runtime >= (11, 1)
    constants = resource.bind & BindFlag.CONSTANT_BUFFER
    if constants and not (modern and runtime.map_no_overwrite_constants):
        return "d3d11.X3.1"
    viewed = resource.bind & ~(_ALWAYS_APPENDED | BindFlag.CONSTANT_BUFFER)
    return "d3d11.X3.1" if viewed and not (modern and runtime.map_no_overwrite_resources) else ""


@functools.lru_cache(maxsize=1 << 14)
def _violations(resource: Resource, map_type: int, runtime: Runtime11) -> tuple[str, ...]:
    """Return the rules that a map of this type breaks, whatever the state."""
    needed = map_access().get(map_type)
    if needed is None:
        return ("d3d11.M4.1",)
    found: list[str] = []
    kind = _kind_rule(resource, map_type, runtime)
    if kind:
        found.append(kind)
    if needed & ~effective_access(resource, runtime):
        found.append("d3d11.M4.2.access")
    if resource.samples > 1 or resource.misc & (MiscFlag.TILED | MiscFlag.TILE_POOL):
        found.append("d3d11.M4.15")
    return tuple(found)


def _helpful_type(resource: Resource, state: MapState, runtime: Runtime11) -> MapType | None:
    """Return a map type that is legal for the resource, or None."""
    for candidate in MapType:
        if state.deferred and candidate not in _REWRITES:
            continue
        if candidate is MapType.WRITE_NO_OVERWRITE and state.deferred and not state.discarded:
            continue
        if not _violations(resource, candidate, runtime):
            return candidate
    return None


def _type_reasons(resource: Resource, map_type: int, state: MapState, runtime: Runtime11) -> list[Reason]:
    rules = list(_violations(resource, map_type, runtime))
    if state.deferred and map_type not in _REWRITES and "d3d11.M4.1" not in rules:
        rules.append("d3d11.M4.8")
    if not rules:
        return []
    helpful = _helpful_type(resource, state, runtime)
    if helpful is None:
        return [refusal(rule) for rule in rules]
    name = (MapType10 if runtime.is_d3d10 else MapType)(helpful).constant
    return [refusal(rule, "", f"map it with {name}", {"MapType": name}) for rule in rules]


def _state_reason(map_type: int, flags: int, state: MapState, runtime: Runtime11) -> tuple[str, Reason] | None:
    """Return the refusal of an otherwise legal map that only this moment forbids, with its HRESULT."""
    if state.deferred:
        if map_type == MapType.WRITE_NO_OVERWRITE and not state.discarded:
            name = MapType.WRITE_DISCARD.constant
            code = "D3D11_ERROR_DEFERRED_CONTEXT_MAP_WITHOUT_INITIAL_DISCARD"
            return code, refusal("d3d11.M4.8.first", "", f"map it with {name} first", {"MapType": name})
        return None
    if state.removed and map_type in (MapType.READ, MapType.READ_WRITE):
        return "DXGI_ERROR_DEVICE_REMOVED", refusal("d3d11.M4.7.removed")
    if state.busy and flags & MapFlag.DO_NOT_WAIT and map_waits()[map_type]:
        help_ = refusal("d3d11.M4.7.wait", "", "wait for the GPU", {"MapFlags": []})
        return "DXGI_ERROR_WAS_STILL_DRAWING", help_
    return None


def judge_map(
    resource: Resource, subresource: int, map_type: int, flags: int, state: MapState, runtime: Runtime11
) -> Verdict:
    """Return what Map answers.

    Args:
        resource: The resource as it was created.
        subresource: Its number.
        map_type: A value of D3D11_MAP; others are refused.
        flags: D3D11_MAP_FLAG bits.
        state: What of earlier calls matters.
        runtime: The device.

    Returns:
        On success ``RowPitch`` and ``DepthPitch`` in bytes, and the alignment of ``pData``.
    """
    reasons: list[Reason] = []
    if subresource >= resource.subresources:
        detail = f"{subresource} of {resource.subresources}"
        reasons.append(refusal("d3d11.M4.5", detail, "map subresource 0", {"Subresource": 0}))
    reasons += _type_reasons(resource, map_type, state, runtime)
    if flags & MapFlag.DO_NOT_WAIT and map_type in _REWRITES:
        reasons.append(refusal("d3d11.M4.7.flags", "", "remove the flag", {"MapFlags": []}))
    if state.mapped:
        reasons.append(refusal("d3d11.M4.13"))
    if reasons:
        return Verdict("E_INVALIDARG", tuple(reasons))
    moment = _state_reason(map_type, flags, state, runtime)
    if moment is not None:
        return Verdict(moment[0], (moment[1],))
    row, depth = mapped_subresource(resource, subresource)
    level = "level10" if runtime.feature_level >= LEVEL_10_0 else "level9"
    values = {"RowPitch": row, "DepthPitch": depth, "Alignment": constant(f"pointer_alignment_{level}")}
    return Verdict("S_OK", _permits(resource, map_type), values)


def _permits(resource: Resource, map_type: int) -> tuple[Reason, ...]:
    found = [permission("d3d11.M4.14"), permission("d3d11.M4.6")]
    if map_type == MapType.WRITE_DISCARD:
        found.append(permission("d3d11.M4.11"))
    if map_type == MapType.WRITE_NO_OVERWRITE and resource.bind & ~_ALWAYS_APPENDED:
        found.append(permission("d3d11.X3.1"))
    if resource.usage == Usage.DEFAULT:
        found.append(permission("d3d11.X3.3" if resource.is_buffer else "d3d11.X3.4"))
    if map_access()[map_type] & CpuAccessFlag.WRITE:
        found.append(permission("d3d11.M4.9"))
    return tuple(found)
