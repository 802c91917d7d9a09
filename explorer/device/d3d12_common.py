"""Small questions that the parts of the D3D12 device share."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from explorer.core import d3d12 as api
from explorer.core.kinds import ResourceKind
from explorer.rules import d3d12 as rules

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.core.layouts import ResourceLayout
    from explorer.core.verdicts import Reason, Verdict
    from explorer.device.d3d12 import D3D12Device
    from explorer.memory.allocators.protocol import Refusal


@functools.cache
def reason(rule: str) -> Reason:
    """Return the row of a rule (``d3d12.8.7``) as a reason."""
    return rules.reason(rule.removeprefix("d3d12."))


def group_of_heap(device: D3D12Device, properties: api.HeapProperties) -> tuple[str, int]:
    """Return the segment group and node that a heap's bytes count to (rules 1.3)."""
    _, pool = rules.effective_properties(properties, device.runtime)
    mask = properties.CreationNodeMask or 1
    return rules.segment_group(pool, device.runtime), mask.bit_length() - 1


def size_of(device: D3D12Device, desc: api.ResourceDesc) -> ResourceLayout:
    """Return size and alignment of an accepted description by the adapter's model."""
    return rules.layout(desc, device.runtime)


def unit_of(device: D3D12Device) -> int:
    """Return the smallest placement alignment: a shorter rest of a heap is its tail (rules 4.3, 4.7)."""
    return 256 if device.runtime.tight_alignment_tier else 4096


def kind_of(
    desc: api.ResourceDesc,
    heap_type: api.HeapType,
    arguments: api.CreateCommittedResource | api.CreatePlacedResource,
) -> ResourceKind:
    """Return what views colour a resource by."""
    if heap_type is api.HeapType.UPLOAD or heap_type is api.HeapType.GPU_UPLOAD:
        return ResourceKind.UPLOAD
    if heap_type is api.HeapType.READBACK:
        return ResourceKind.READBACK
    state = getattr(arguments, "InitialResourceState", None) or getattr(arguments, "InitialState", None)
    if state is not None and state & api.ResourceStates.RAYTRACING_ACCELERATION_STRUCTURE:
        return ResourceKind.ACCELERATION
    if desc.Flags & api.ResourceFlags.ALLOW_DEPTH_STENCIL:
        return ResourceKind.DEPTH_STENCIL
    if desc.Flags & api.ResourceFlags.ALLOW_RENDER_TARGET:
        return ResourceKind.RENDER_TARGET
    return ResourceKind.BUFFER if desc.Dimension is api.ResourceDimension.BUFFER else ResourceKind.TEXTURE


def no_memory(device: D3D12Device, record: CallRecord, group: str, refusal: Refusal) -> Verdict:
    """Return E_OUTOFMEMORY with asked, free and largest hole."""
    why = reason("d3d12.8.6")
    return device.no_room(record, "E_OUTOFMEMORY", group, refusal, why.rule, why.source)
