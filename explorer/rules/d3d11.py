"""What Direct3D 10, 10.1, 11 and XG answer to a call, and how big and where a resource would be.

The one entrance for devices and views: ``judge`` for every call, ``layout`` and ``placement`` for resources. The rules
themselves are small functions in ``d3d11_create`` (with ``_buffers``, ``_textures``, ``_misc``), ``d3d11_views``,
``d3d11_map``, ``d3d11_copy`` and ``d3d11_queries``; their texts and every figure are rows of ``tables/d3d11_*.json``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from explorer.core import d3d11 as calls
from explorer.core.verdicts import Verdict
from explorer.errors import LayoutError
from explorer.rules.d3d11_copy import (
    Box,
    Side,
    judge_copy_region,
    judge_copy_resource,
    judge_generate_mips,
    judge_resolve,
    judge_update,
)
from explorer.rules.d3d11_create import judge_create
from explorer.rules.d3d11_map import MapState, judge_map
from explorer.rules.d3d11_queries import judge_feature, judge_format_support, judge_quality_levels
from explorer.rules.d3d11_resource import Resource, data_state, permission, refusal, resource_of
from explorer.rules.d3d11_runtime import OPTION_KEYS, Runtime11, for_api, runtime_of
from explorer.rules.d3d11_sizes import layout_of, mapped_subresource, placement_of, resource_limit_mb
from explorer.rules.d3d11_views import default_view, judge_view, subresources_of, view_of
from explorer.tables.d3d11_tables import RuleRow, rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.core.layouts import ResourceLayout
    from explorer.tables.d3d11_tables import PlacementRow

__all__ = [
    "NO_STATE", "OPTION_KEYS", "RULES", "MapState", "Resource", "Runtime11", "Side", "State11", "Use", "default_view",
    "for_api", "judge", "layout", "layout_of", "mapped_subresource", "placement", "placement_of", "resource_limit_mb",
    "resource_of", "runtime_of", "subresources_of", "view_of",
]  # fmt: skip

RULES: tuple[RuleRow, ...] = tuple(rules().values())
"""Every rule of these APIs."""

CreateCall = (
    calls.CreateBuffer
    | calls.CreateTexture1D
    | calls.CreateTexture2D
    | calls.CreateTexture3D
    | calls.CreateBuffer10
    | calls.CreateTexture1D10
    | calls.CreateTexture2D10
    | calls.CreateTexture3D10
    | calls.CreateBufferXg
    | calls.CreateTexture1DXg
    | calls.CreateTexture2DXg
    | calls.CreateTexture3DXg
)
ViewCall = (
    calls.CreateShaderResourceView
    | calls.CreateRenderTargetView
    | calls.CreateDepthStencilView
    | calls.CreateUnorderedAccessView
)
DrawCall = calls.Draw | calls.DrawIndexed | calls.Dispatch
_VIEW_KINDS: Mapping[type, str] = {
    calls.CreateShaderResourceView: "srv",
    calls.CreateRenderTargetView: "rtv",
    calls.CreateDepthStencilView: "dsv",
    calls.CreateUnorderedAccessView: "uav",
}


@dataclass(frozen=True, slots=True)
class Use:
    """What a drawing call touches.

    Attributes:
        name: The name that the call gives, of a resource or of a view.
        resource: Name of the resource behind it.
        subresources: Numbers of those that are touched.
        mapped: Whether one of them is mapped.
    """

    name: str
    resource: str
    subresources: tuple[int, ...]
    mapped: bool = False


@dataclass(frozen=True, slots=True)
class State11:
    """What of earlier calls matters; a call looks only at the fields that concern it.

    Attributes:
        resource: The resource that the call names first (``pResource``, ``pDstResource``, the one behind a view).
        source: ``pSrcResource`` of a copy.
        same: Source and destination are one resource.
        mapping: For Map.
        destination_mapped: For copies: what is written is mapped.
        source_mapped: For copies: what is read is mapped.
        reads: For drawing calls.
        writes: For drawing calls.
    """

    resource: Resource | None = None
    source: Resource | None = None
    same: bool = False
    mapping: MapState = field(default=MapState())
    destination_mapped: bool = False
    source_mapped: bool = False
    reads: tuple[Use, ...] = ()
    writes: tuple[Use, ...] = ()


NO_STATE = State11()
"""Nothing happened before: enough for creations and queries."""


def _needed(resource: Resource | None) -> Resource:
    if resource is None:
        raise LayoutError("the state of the call names no resource")
    return resource


def _create(arguments: CreateCall, _state: State11, runtime: Runtime11) -> Verdict:
    pointer = next(name for name in arguments.__slots__ if name.startswith("pp"))
    has_out: bool = getattr(arguments, pointer)
    return judge_create(resource_of(arguments.pDesc), data_state(arguments.pInitialData), has_out, runtime)


def _view(arguments: ViewCall, state: State11, runtime: Runtime11) -> Verdict:
    pointer = next(name for name in arguments.__slots__ if name.startswith("pp"))
    view = None if arguments.pDesc is None else view_of(arguments.pDesc)
    kind = _VIEW_KINDS[type(arguments)]
    return judge_view(view, kind, _needed(state.resource), bool(getattr(arguments, pointer)), runtime)


def _map(arguments: calls.Map | calls.Map10, state: State11, runtime: Runtime11) -> Verdict:
    return judge_map(
        _needed(state.resource), arguments.Subresource, int(arguments.MapType), int(arguments.MapFlags),
        state.mapping, runtime,
    )  # fmt: skip


def _box(box: calls.D3D11_BOX | None) -> Box | None:
    return None if box is None else (box.left, box.top, box.front, box.right, box.bottom, box.back)


def _update(arguments: calls.UpdateSubresource, state: State11, runtime: Runtime11) -> Verdict:
    side = Side(_needed(state.resource), arguments.DstSubresource, state.destination_mapped)
    return judge_update(side, _box(arguments.pDstBox), runtime)


def _sides(state: State11, destination: int = 0, source: int = 0) -> tuple[Side, Side]:
    return (
        Side(_needed(state.resource), destination, state.destination_mapped),
        Side(_needed(state.source), source, state.source_mapped),
    )


def _copy(_arguments: calls.CopyResource, state: State11, runtime: Runtime11) -> Verdict:
    return judge_copy_resource(*_sides(state), state.same, runtime)


def _copy_region(arguments: calls.CopySubresourceRegion, state: State11, runtime: Runtime11) -> Verdict:
    sides = _sides(state, arguments.DstSubresource, arguments.SrcSubresource)
    at = (arguments.DstX, arguments.DstY, arguments.DstZ)
    return judge_copy_region(*sides, state.same, at, _box(arguments.pSrcBox), runtime)


def _resolve(arguments: calls.ResolveSubresource, state: State11, runtime: Runtime11) -> Verdict:
    sides = _sides(state, arguments.DstSubresource, arguments.SrcSubresource)
    return judge_resolve(*sides, arguments.Format, runtime)


def _generate_mips(_arguments: calls.GenerateMips, state: State11, _runtime: Runtime11) -> Verdict:
    return judge_generate_mips(_needed(state.resource))


def _draw(_arguments: DrawCall, state: State11, _runtime: Runtime11) -> Verdict:
    """A draw is dropped when it touches mapped memory; an input that is also an output is unbound."""
    mapped = [use.name for use in (*state.reads, *state.writes) if use.mapped]
    if mapped:
        return Verdict("E_INVALIDARG", (refusal("d3d11.D10.2", ", ".join(mapped)),))
    written = {(use.resource, index) for use in state.writes for index in use.subresources}
    unbound = [use.name for use in state.reads if any((use.resource, index) in written for index in use.subresources)]
    reasons = [permission("d3d11.D10.1"), permission("d3d11.D10.3")]
    if unbound:
        reasons.append(permission("d3d11.U1.8", f"{', '.join(unbound)} is unbound"))
    return Verdict("S_OK", tuple(reasons), {"unbound": tuple(unbound)})


def _plain(_arguments: object, _state: State11, _runtime: Runtime11) -> Verdict:
    return Verdict("S_OK", (permission("d3d11.D10.1"),))


def _feature(arguments: calls.CheckFeatureSupport, _state: State11, runtime: Runtime11) -> Verdict:
    size = arguments.FeatureSupportDataSize
    return judge_feature(arguments.Feature.name, size, arguments.pFeatureSupportData, runtime)


def _format_support(arguments: calls.CheckFormatSupport, _state: State11, runtime: Runtime11) -> Verdict:
    return judge_format_support(arguments.Format, runtime)


def _quality(arguments: calls.CheckMultisampleQualityLevels, _state: State11, runtime: Runtime11) -> Verdict:
    return judge_quality_levels(arguments.Format, arguments.SampleCount, runtime)


_JUDGES: Mapping[type, Callable[[Any, State11, Runtime11], Verdict]] = {
    **dict.fromkeys(CreateCall.__args__, _create),
    **dict.fromkeys(_VIEW_KINDS, _view),
    **dict.fromkeys(DrawCall.__args__, _draw),
    calls.Map: _map,
    calls.Map10: _map,
    calls.UpdateSubresource: _update,
    calls.CopyResource: _copy,
    calls.CopySubresourceRegion: _copy_region,
    calls.ResolveSubresource: _resolve,
    calls.GenerateMips: _generate_mips,
    calls.CheckFeatureSupport: _feature,
    calls.CheckFormatSupport: _format_support,
    calls.CheckMultisampleQualityLevels: _quality,
}
"""Calls that a rule can refuse; every other call of ``core.d3d11`` is always taken."""


def judge(arguments: object, state: State11, runtime: Runtime11) -> Verdict:
    """Return what the API answers to a call.

    Args:
        arguments: An input dataclass of ``core.d3d11``.
        state: What of earlier calls matters; ``NO_STATE`` for creations of resources and for queries.
        runtime: The device.

    Raises:
        LayoutError: The state lacks the resource that the call is about: a bug of the caller.
    """
    return _JUDGES.get(type(arguments), _plain)(arguments, state, runtime)


def layout(arguments: CreateCall, runtime: Runtime11) -> ResourceLayout:
    """Return the size of the resource that a create call describes, and where its subresources lie."""
    return layout_of(resource_of(arguments.pDesc), runtime)


def placement(arguments: CreateCall, adapter_class: str) -> PlacementRow:
    """Return which memory is picked for the resource that a create call describes, and why.

    Args:
        arguments: A legal create call.
        adapter_class: ``discrete`` or ``uma`` (``Runtime11.adapter_class``).
    """
    return placement_of(resource_of(arguments.pDesc), adapter_class)
