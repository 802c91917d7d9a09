"""Where a new D3D9 resource goes: its pool, its usage and the adapter's class decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core import d3d9 as api
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState, ResourceKind
from explorer.core.layouts import ResourceLayout
from explorer.core.verdicts import Reason, Verdict
from explorer.device import system_memory
from explorer.device.memory_state import NewResource
from explorer.memory.allocators.protocol import Refusal
from explorer.rules.d3d9_resource import Resource, describe
from explorer.rules.d3d9_sizes import device_layout, layout, placement
from explorer.rules.d3d9_verdicts import reason

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.device.d3d9 import D3D9Device
    from explorer.memory.segments import Taken

USED = int(BlockState.USED_THIS_FRAME)
SYSTEM_ALIGNMENT = 16
"""System copies start on 16 bytes. Source: d3d9 rules R7.12."""

GROUP_OF = {
    "local_video": "LOCAL",
    "uma_system": "LOCAL",
    "agp_aperture": "NON_LOCAL",
    "system_gpu_visible": "NON_LOCAL",
    "system": "SYSTEM",
}
"""Segment of ``placement.json`` → segment group of the adapter."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a D3D9 creation needs, before any memory is taken.

    Attributes:
        pool: The pool.
        kind: What views colour it by.
        group: Segment group that the placement table asks for.
        fallback: Segment group where it may land when that one is full, or empty.
        device: Layout of the copy that the GPU uses; None for pools without one.
        system: Layout of the system copy; None for DEFAULT.
        reason: Why that memory.
        resource: What the call makes, as the rules describe it.
    """

    resource: Resource
    pool: api.Pool
    kind: ResourceKind
    group: str
    fallback: str
    device: ResourceLayout | None
    system: ResourceLayout | None
    reason: Reason


def plan(device: D3D9Device, arguments: api.CreateInput) -> Plan:
    """Return what the creation of an accepted description needs."""
    adapter = device.state.adapter
    resource = describe(arguments, device.runtime)
    pool = api.Pool(resource.pool)
    row = placement(resource, adapter.memory_class, device.runtime)
    group = "LOCAL" if pool is api.Pool.MANAGED else GROUP_OF[row.segment]
    in_system = pool is not api.Pool.DEFAULT or group == "SYSTEM"
    kind = kind_of(resource)
    # Targets must be in local memory (R4.1); on UMA there is nothing else.
    may_move = group == "LOCAL" and pool is api.Pool.DEFAULT and adapter.memory_class != "uma"
    return Plan(
        resource=resource,
        pool=pool,
        kind=kind,
        group=group,
        fallback="NON_LOCAL" if may_move and kind in (ResourceKind.TEXTURE, ResourceKind.BUFFER) else "",
        device=device_layout(resource, device.runtime) if pool is api.Pool.MANAGED or not in_system else None,
        system=layout(resource, device.runtime) if in_system else None,
        reason=Reason("d3d9.R4.1", f"{row.why[:1].upper()}{row.why[1:]}.", row.source),
    )


def place(device: D3D9Device, arguments: api.CreateInput, record: CallRecord) -> tuple[Reason, ...] | Verdict:
    """Create the resource in memory; the reasons of its place, or the verdict when there is no room."""
    what = plan(device, arguments)
    if what.system is not None:
        return _place_in_system(device, record, what, what.system)
    assert what.device is not None
    layout = what.device
    group, reasons = what.group, (what.reason,)
    taken = device.take(group, layout.size_bytes, layout.alignment, what.kind)
    if isinstance(taken, Refusal) and what.fallback:
        group = what.fallback
        reasons = (reason("d3d9.R6.8"), what.reason)
        second = device.take(group, layout.size_bytes, layout.alignment, what.kind)
        taken = taken if isinstance(second, Refusal) else second
    if isinstance(taken, Refusal):
        why = reason("d3d9.R4.10")
        return device.no_room(record, "D3DERR_OUTOFVIDEOMEMORY", what.group, taken, why.rule, why.source)
    row = device.state.add_resource(_new(record, what, layout))
    device.state.resources["resident"][row] = True
    block = _add_block(device, row, what.kind, layout, taken, int(BlockState.RESIDENT))
    device.blocks_of[row] = [block]
    name = device.state.resource_names[row]
    if group != what.group:
        text = f"{name} did not fit in {what.group} memory and lies in {group} memory, which the GPU reads more slowly."
        device.state.log.add(EventKind.MISPLACED, name, _segment_name(device, block), layout.size_bytes,
                             rule="d3d9.R6.8", text=text)  # fmt: skip
    return reasons


def _place_in_system(
    device: D3D9Device, record: CallRecord, what: Plan, layout: ResourceLayout
) -> tuple[Reason, ...] | Verdict:
    taken = system_memory.take(device, layout.size_bytes, SYSTEM_ALIGNMENT)
    if isinstance(taken, Refusal):
        why = reason("d3d9.R4.10")
        return device.no_room(record, "E_OUTOFMEMORY", "SYSTEM", taken, why.rule, why.source)
    row = device.state.add_resource(_new(record, what, what.device or layout))
    is_managed = what.pool is api.Pool.MANAGED
    state = int(BlockState.MASTER_COPY | BlockState.DIRTY) if is_managed else 0
    block = _add_block(device, row, what.kind, layout, taken, state)
    device.blocks_of[row] = [block]
    if is_managed and what.device is not None:
        device.managed.adopt(row, block, what.device, int(what.kind))
    return (what.reason,)


def _add_block(
    device: D3D9Device, row: int, kind: int, layout: ResourceLayout, taken: tuple[int, Taken], state: int
) -> int:
    memory = device.state
    segment, place = taken
    name = memory.resource_names[row]
    block = memory.add_block(
        segment,
        -1,
        place.address,
        place.size,
        asked=layout.texel_bytes,
        alignment=layout.alignment,
        kind=kind,
        state=state,
        resource=row,
        pad_before=place.padding_before,
        rounding=place.rounding,
    )
    memory.log.add(EventKind.CREATED, name, size=layout.size_bytes, rule="d3d9.R1.1", text=f"{name} was created.")
    memory.count_usage(segment, place.size)
    where = memory.segments[segment].name
    text = f"{name}: {place.size:,} B in {where}."
    memory.log.add(EventKind.ALLOCATED, name, where, place.size, rule="d3d9.R2.2", text=text)
    return block


def _segment_name(device: D3D9Device, block: int) -> str:
    return device.state.segments[int(device.state.blocks["segment"][block])].name


def _new(record: CallRecord, what: Plan, layout: ResourceLayout) -> NewResource:
    resource = what.resource
    info = resource.info
    return NewResource(
        name=record.out or record.call,
        record=record,
        kind=what.kind,
        dimension=resource.type.name,
        format="" if resource.is_buffer else (info.name if info else f"0x{resource.format:08X}"),
        place=what.pool.constant,
        width=resource.width,
        height=resource.height,
        depth=resource.depth * resource.faces,
        mips=resource.levels,
        size=layout.size_bytes,
        asked=layout.texel_bytes,
    )


def kind_of(resource: Resource) -> ResourceKind:
    """Return what views colour the resource by."""
    info = resource.info
    if resource.is_depth or (info is not None and info.kind == "depth"):
        return ResourceKind.DEPTH_STENCIL
    if resource.is_target:
        return ResourceKind.RENDER_TARGET
    if resource.is_dynamic:
        return ResourceKind.UPLOAD
    if resource.is_buffer:
        return ResourceKind.BUFFER
    if resource.kind == "offscreen_plain_surface" and resource.pool == api.Pool.SYSTEMMEM:
        return ResourceKind.READBACK
    return ResourceKind.TEXTURE
