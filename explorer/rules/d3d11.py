"""What Direct3D 10, 10.1, 11 and XG answer to a call, and how big and where a resource would be.

The one entrance for devices and views: ``judge`` for every call, ``layout`` and ``placement`` for resources. The rules
themselves are small functions in ``d3d11_create`` (with ``_buffers``, ``_textures``, ``_misc``), ``d3d11_views``,
``d3d11_map``, ``d3d11_copy`` and ``d3d11_queries``; their texts and every figure are rows of ``tables/d3d11_*.json``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from explorer.core import d3d11 as calls
from explorer.rules.d3d11_create import judge_create
from explorer.rules.d3d11_resource import Resource, data_state, permission, resource_of
from explorer.rules.d3d11_runtime import OPTION_KEYS, Runtime11, for_api, runtime_of
from explorer.rules.d3d11_sizes import layout_of, mapped_subresource, placement_of, resource_limit_mb
from explorer.tables.d3d11_tables import RuleRow, rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.core.layouts import ResourceLayout
    from explorer.core.verdicts import Verdict
    from explorer.tables.d3d11_tables import PlacementRow

__all__ = [
    "OPTION_KEYS", "RULES", "Resource", "Runtime11", "for_api", "judge", "layout", "mapped_subresource", "permission",
    "placement", "resource_limit_mb", "resource_of", "runtime_of",
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


@dataclass(frozen=True, slots=True)
class State11:
    """What of earlier calls matters."""


def _create(arguments: CreateCall, _state: State11, runtime: Runtime11) -> Verdict:
    pointer = next(name for name in arguments.__slots__ if name.startswith("pp"))
    has_out: bool = getattr(arguments, pointer)
    return judge_create(resource_of(arguments.pDesc), data_state(arguments.pInitialData), has_out, runtime)


_JUDGES: Mapping[type, Callable[[Any, State11, Runtime11], Verdict]] = {
    **dict.fromkeys(CreateCall.__args__, _create),
}


def judge(arguments: object, state: State11, runtime: Runtime11) -> Verdict:
    """Return what the API answers to a call.

    Args:
        arguments: An input dataclass of ``core.d3d11``.
        state: What of earlier calls matters.
        runtime: The device.
    """
    return _JUDGES[type(arguments)](arguments, state, runtime)


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
