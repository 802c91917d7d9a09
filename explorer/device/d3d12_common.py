"""Small questions that the parts of the D3D12 device share."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from explorer.core import d3d12 as api
from explorer.core.d3d12_enums import (
    HeapFlags,
    HeapType,
    ResourceDimension,
    ResourceFlags,
    ResourceStates,
)
from explorer.core.kinds import ResourceKind
from explorer.core.verdicts import Verdict
from explorer.errors import LayoutError
from explorer.rules.d3d12_allocation import allocation_layout
from explorer.rules.d3d12_findings import reason as rule_reason
from explorer.rules.d3d12_heaps import heap_place
from explorer.rules.d3d12_runtime import D3d12Runtime, segment_group
from explorer.tables.kernel_rules import kernel_reason

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.core.dxgi import DXGI_FORMAT
    from explorer.core.layouts import ResourceLayout
    from explorer.core.verdicts import Reason
    from explorer.device.d3d12 import D3D12Device
    from explorer.memory.allocators.protocol import Refusal

    Creation = (
        api.CreateCommittedResource
        | api.CreateCommittedResource3
        | api.CreatePlacedResource
        | api.CreatePlacedResource2
        | api.CreateReservedResource
        | api.CreateReservedResource2
    )


REMOVED = "DXGI_ERROR_DEVICE_REMOVED"


@functools.cache
def reason(rule: str) -> Reason:
    """Return the row of a rule (``d3d12.8.7``) as a reason."""
    return rule_reason(rule.removeprefix("d3d12.")) if rule.startswith("d3d12.") else kernel_reason(rule)


@functools.cache
def ok(rule: str) -> Verdict:
    """Return success by one rule."""
    return Verdict("S_OK", (reason(rule),))


def group_of_heap(device: D3D12Device, properties: api.HeapProperties, flags: HeapFlags) -> tuple[str, int]:
    """Return the segment group and node that a heap's bytes count to (rules 1.3)."""
    _, pool = heap_place(properties, flags, device.runtime)
    mask = properties.CreationNodeMask or 1
    return segment_group(pool, device.runtime), mask.bit_length() - 1


def size_of(device: D3D12Device, arguments: Creation) -> ResourceLayout:
    """Return size and alignment of an accepted creation by the adapter's model."""
    castable: tuple[DXGI_FORMAT, ...] = getattr(arguments, "pCastableFormats", ())
    reserved = isinstance(arguments, api.CreateReservedResource | api.CreateReservedResource2)
    return _layout(arguments.pDesc, device.runtime, castable, reserved)


@functools.lru_cache(maxsize=4096)
def _layout(
    desc: api.ResourceDesc, runtime: D3d12Runtime, castable: tuple[DXGI_FORMAT, ...], reserved: bool
) -> ResourceLayout:
    # Formats that it is cast to can make a description legal that is not without them.
    layout = allocation_layout(desc, runtime, castable, reserved=reserved)
    if layout is None:
        raise LayoutError("an accepted description has no layout")
    return layout


def unit_of(device: D3D12Device) -> int:
    """Return the smallest placement alignment: a shorter rest of a heap is its tail (rules 4.3, 4.7)."""
    return 256 if device.runtime.tight_alignment_tier else 4096


def kind_of(
    desc: api.ResourceDesc,
    heap_type: HeapType,
    arguments: object,
) -> ResourceKind:
    """Return what views colour a resource by."""
    if heap_type is HeapType.UPLOAD or heap_type is HeapType.GPU_UPLOAD:
        return ResourceKind.UPLOAD
    if heap_type is HeapType.READBACK:
        return ResourceKind.READBACK
    state = getattr(arguments, "InitialResourceState", None) or getattr(arguments, "InitialState", None)
    if state is not None and state & ResourceStates.RAYTRACING_ACCELERATION_STRUCTURE:
        return ResourceKind.ACCELERATION
    if desc.Flags & ResourceFlags.ALLOW_DEPTH_STENCIL:
        return ResourceKind.DEPTH_STENCIL
    if desc.Flags & ResourceFlags.ALLOW_RENDER_TARGET:
        return ResourceKind.RENDER_TARGET
    return ResourceKind.BUFFER if desc.Dimension is ResourceDimension.BUFFER else ResourceKind.TEXTURE


def no_memory(device: D3D12Device, record: CallRecord, group: str, refusal: Refusal) -> Verdict:
    """Return E_OUTOFMEMORY with asked, free and largest hole."""
    why = reason("kernel.over-budget")
    return device.no_room(record, "E_OUTOFMEMORY", group, refusal, why.rule, why.source)
