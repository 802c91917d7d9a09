"""The rules of D3D12: from a call, what matters of earlier calls, and the device, to a verdict with reasons.

``judge`` answers every call that has a rule; ``RULES`` lists the rules. The parts:

- ``d3d12_desc``: which descriptions are valid, ``d3d12_castable``: lists of castable formats
- ``d3d12_allocation``: alignment, size, footprints, tiling; ``size_models``: how big textures are
- ``d3d12_heaps``: heap properties and heaps; ``d3d12_create``: committed, placed and reserved resources
- ``d3d12_descriptors`` and ``d3d12_views``: descriptor heaps, copies, root signatures, views
- ``d3d12_tile_mappings``; ``d3d12_access``: Map, residency, feature queries
- ``d3d12_runtime``: the device's capabilities
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.core import d3d12
from explorer.rules.d3d12_access import BudgetState, ResourceState, judge_feature, judge_make_resident, judge_map
from explorer.rules.d3d12_allocation import judge_allocation_info, judge_footprints, judge_tiling
from explorer.rules.d3d12_create import HeapState, judge_committed, judge_placed, judge_reserved
from explorer.rules.d3d12_descriptors import (
    CopyState,
    judge_copy_descriptors,
    judge_descriptor_heap,
    judge_increment,
    judge_root_signature,
)
from explorer.rules.d3d12_heaps import judge_create_heap, judge_custom_heap_properties
from explorer.rules.d3d12_runtime import DEFAULT, D3d12Runtime, runtime_of
from explorer.rules.d3d12_tile_mappings import MappingState, judge_copy_mappings, judge_update_mappings
from explorer.rules.d3d12_views import ViewState, judge_view
from explorer.tables.d3d12_tables import rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.core.verdicts import Verdict

__all__ = [
    "DEFAULT", "RULES", "BudgetState", "CopyState", "D3d12Runtime", "HeapState", "MappingState", "ResourceState",
    "State", "ViewState", "has_rules", "judge", "runtime_of",
]  # fmt: skip

RULES = rules()
"""Every rule of D3D12, in the order of the collection."""

State = HeapState | ViewState | CopyState | ResourceState | BudgetState | MappingState
"""What matters of earlier calls; which one a call needs is in ``NEEDS``."""

_STATELESS: Mapping[type, Callable[[Any, D3d12Runtime], Verdict]] = {
    d3d12.CheckFeatureSupport: judge_feature,
    d3d12.GetCustomHeapProperties: judge_custom_heap_properties,
    d3d12.GetResourceAllocationInfo: judge_allocation_info,
    d3d12.GetResourceAllocationInfo3: judge_allocation_info,
    d3d12.GetCopyableFootprints: judge_footprints,
    d3d12.CreateHeap: judge_create_heap,
    d3d12.CreateCommittedResource: judge_committed,
    d3d12.CreateCommittedResource3: judge_committed,
    d3d12.CreateReservedResource: judge_reserved,
    d3d12.CreateReservedResource2: judge_reserved,
    d3d12.CreateDescriptorHeap: judge_descriptor_heap,
    d3d12.GetDescriptorHandleIncrementSize: judge_increment,
    d3d12.CreateRootSignature: judge_root_signature,
}
_STATEFUL: Mapping[type, tuple[type, Callable[[Any, Any, D3d12Runtime], Verdict]]] = {
    d3d12.CreatePlacedResource: (HeapState, judge_placed),
    d3d12.CreatePlacedResource2: (HeapState, judge_placed),
    d3d12.GetResourceTiling: (ResourceState, lambda a, s, _: judge_tiling(a, s.desc)),
    d3d12.Map: (ResourceState, judge_map),
    d3d12.UpdateTileMappings: (MappingState, lambda a, s, _: judge_update_mappings(a, s)),
    d3d12.CopyTileMappings: (MappingState, lambda a, s, _: judge_copy_mappings(a, s)),
    d3d12.CopyDescriptors: (CopyState, lambda a, s, _: judge_copy_descriptors(a, s)),
    d3d12.CopyDescriptorsSimple: (CopyState, lambda a, s, _: judge_copy_descriptors(a, s)),
    d3d12.CreateConstantBufferView: (ViewState, judge_view),
    d3d12.CreateShaderResourceView: (ViewState, judge_view),
    d3d12.CreateUnorderedAccessView: (ViewState, judge_view),
    d3d12.CreateRenderTargetView: (ViewState, judge_view),
    d3d12.CreateDepthStencilView: (ViewState, judge_view),
    d3d12.CreateSampler: (ViewState, judge_view),
    d3d12.MakeResident: (BudgetState, lambda a, s, _: judge_make_resident(a, s)),
    d3d12.EnqueueMakeResident: (BudgetState, lambda a, s, _: judge_make_resident(a, s)),
}
NEEDS: Mapping[type, type] = {kind: state for kind, (state, _) in _STATEFUL.items()}
"""Input type → the state that ``judge`` needs for it."""


def has_rules(arguments: object) -> bool:
    """Return whether ``judge`` answers a call."""
    return type(arguments) in _STATELESS or type(arguments) in _STATEFUL


def judge(arguments: object, state: State | None = None, runtime: D3d12Runtime = DEFAULT) -> Verdict:
    """Return what D3D12 would answer to a call.

    Args:
        arguments: The call's input (a dataclass of ``core.d3d12``).
        state: What matters of earlier calls, as ``NEEDS`` says; None for the others.
        runtime: The device.

    Raises:
        TypeError: The call has no rules, or its state is missing.
    """
    stateless = _STATELESS.get(type(arguments))
    if stateless is not None:
        return stateless(arguments, runtime)
    needed = _STATEFUL.get(type(arguments))
    if needed is None:
        raise TypeError(f"{type(arguments).__name__} has no rules")
    if not isinstance(state, needed[0]):
        raise TypeError(f"{type(arguments).__name__} needs a {needed[0].__name__}")
    return needed[1](arguments, state, runtime)
