"""Where a new D3D9 resource goes: its pool, its usage and the adapter's class decide."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.core import d3d9 as api
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState, ResourceKind
from explorer.core.layouts import ResourceLayout
from explorer.core.verdicts import Reason
from explorer.device import system_memory
from explorer.device.d3d9_things import Thing, all_dirty
from explorer.device.memory_state import NewResource
from explorer.memory.allocators.protocol import Refusal
from explorer.rules.d3d9_resource import Resource, describe
from explorer.rules.d3d9_sizes import device_layout, layout, placement, placement_key
from explorer.rules.d3d9_verdicts import reason

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.device.d3d9 import D3D9Device

USED = int(BlockState.USED_THIS_FRAME)
PRIORITY_NORMAL, PRIORITY_HIGH = 0x78000000, 0xA0000000
"""D3D9_RESOURCE_PRIORITY_NORMAL, typical of textures, and _HIGH, typical of targets.

Source: MicrosoftDocs/win32 desktop-src/direct3d9/d3d9-resource-priority.md.
"""
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

_RULE_OF = {
    "target": "R4.1", "static_texture": "R2.2", "plain_surface": "R2.2", "static_buffer": "R3.7",
    "dynamic_buffer": "R4.6", "dynamic_texture": "R4.6", "hinted_buffer": "R3.2", "cpu_buffer": "R3.2",
    "managed": "R2.3", "systemmem": "R2.4", "scratch": "R2.5",
}  # fmt: skip
"""Row of the placement table → rule that puts a resource there."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a D3D9 creation needs, before any memory is taken.

    Attributes:
        pool: The pool.
        kind: What views colour it by.
        segment: Row of the placement table.
        group: Segment group that it means.
        fallback: Segment group where it may land when that one is full, or empty.
        device: Layout of the copy that the GPU uses; None for pools without one.
        system: Layout of the system copy; None for DEFAULT.
        reason: Why that memory.
        resource: What the call makes, as the rules describe it.
    """

    resource: Resource
    pool: api.Pool
    kind: ResourceKind
    segment: str
    group: str
    fallback: str
    device: ResourceLayout | None
    system: ResourceLayout | None
    reason: Reason


def plan(device: D3D9Device, arguments: api.CreateInput) -> Plan:
    """Return what the creation of an accepted description needs."""
    return plan_of(device, describe(arguments, device.runtime))


def plan_of(device: D3D9Device, resource: Resource) -> Plan:
    """Return what a resource needs."""
    adapter = device.state.adapter
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
        segment=row.segment,
        group=group,
        fallback="NON_LOCAL" if may_move and kind in (ResourceKind.TEXTURE, ResourceKind.BUFFER) else "",
        device=device_layout(resource, device.runtime) if pool is api.Pool.MANAGED or not in_system else None,
        system=layout(resource, device.runtime) if in_system else None,
        reason=Reason(f"d3d9.{_rule_of(resource, device)}", f"{row.why[:1].upper()}{row.why[1:]}.", row.source),
    )


def _rule_of(resource: Resource, device: D3D9Device) -> str:
    if resource.is_buffer and resource.pool == api.Pool.DEFAULT and resource.usage & api.Usage.SOFTWAREPROCESSING:
        return "R3.4"
    key = placement_key(resource, device.runtime)
    if (
        key in ("target", "static_texture", "static_buffer", "plain_surface")
        and device.state.adapter.memory_class == "uma"
    ):
        return "R4.5"
    return _RULE_OF[key]


def dummy_plan(device: D3D9Device, what: Plan) -> Plan:
    """Return the plan of a creation while the device is lost: system memory that nothing uses (R9.5)."""
    system = what.system if what.system is not None else layout(what.resource, device.runtime)
    return replace(what, segment="system", group="SYSTEM", fallback="", system=system, device=None,
                   reason=reason("d3d9.R9.5"))  # fmt: skip


def place(
    device: D3D9Device, what: Plan, record: CallRecord | None, name: str, *, implicit: bool = False, dummy: bool = False
) -> tuple[Reason, ...] | tuple[str, Refusal]:
    """Create the resource in memory.

    Returns:
        The reasons of its place, or the group that had no room and why.
    """
    if what.system is not None:
        return _place_in_system(device, record, name, what, what.system, dummy=dummy)
    assert what.device is not None
    layout = what.device
    group, reasons = what.group, (what.reason,)
    more = (reason("R3.8"),) if what.resource.is_texture and what.resource.is_dynamic else ()
    taken = device.take(group, layout, what.kind, name)
    if isinstance(taken, Refusal) and what.fallback:
        group = what.fallback
        reasons = (reason("d3d9.R6.8"), what.reason)
        second = device.take(group, layout, what.kind, name)
        taken = taken if isinstance(second, Refusal) else second
    if isinstance(taken, Refusal):
        return what.group, taken
    row = device.state.add_resource(_new(record, name, what, layout, default_priority(device, what)))
    device.state.resources["resident"][row] = True
    _report(device, row, what.resource, layout)
    block = device.add_block(row, what.kind, layout, taken, int(BlockState.RESIDENT), reasons[0])
    device.blocks_of[row] = [block]
    device.things.of[row] = Thing(what.resource, layout, what.segment, implicit=implicit)
    device.admit(row, block)
    if group != what.group:
        text = f"{name} did not fit in {what.group} memory and lies in {group} memory, which the GPU reads more slowly."
        device.state.log.add(EventKind.MISPLACED, name, _segment_name(device, block), layout.size_bytes,
                             rule="d3d9.R6.8", text=text)  # fmt: skip
    return (*more, *reasons)


def default_priority(device: D3D9Device, what: Plan) -> int:
    """Return the priority of a new resource: 0, on 9Ex what the named levels are typical for (rule R10.4)."""
    if not device.runtime.ex or what.pool is not api.Pool.DEFAULT:
        return 0
    return PRIORITY_HIGH if what.resource.is_target or what.resource.is_depth else PRIORITY_NORMAL


def _place_in_system(
    device: D3D9Device, record: CallRecord | None, name: str, what: Plan, layout: ResourceLayout, *, dummy: bool
) -> tuple[Reason, ...] | tuple[str, Refusal]:
    taken = system_memory.take(device, layout.size_bytes, SYSTEM_ALIGNMENT)
    if isinstance(taken, Refusal):
        return "SYSTEM", taken
    row = device.state.add_resource(_new(record, name, what, what.device or layout, 0))
    is_managed = what.pool is api.Pool.MANAGED
    state = int(BlockState.MASTER_COPY | BlockState.DIRTY) if is_managed else 0
    _report(device, row, what.resource, layout)
    block = device.add_block(row, what.kind, layout, taken, state, what.reason)
    device.blocks_of[row] = [block]
    device.things.of[row] = Thing(what.resource, what.device or layout, what.segment, dummy=dummy)
    if dummy:
        device.things.lost |= {row}
    if what.pool is api.Pool.SYSTEMMEM and what.resource.is_texture:
        # A new texture is dirty all over: the first UpdateTexture moves it whole (R7.11).
        device.things.dirty[row] = all_dirty(what.resource)
    if is_managed and what.device is not None:
        device.managed.adopt(row, block, what.device, int(what.kind), int(what.resource.type))
    return (reason("R5.1"), what.reason) if is_managed else (what.reason,)


def _report(device: D3D9Device, row: int, resource: Resource, layout: ResourceLayout) -> None:
    """Report a creation with the four properties of the resource (R1.1)."""
    name, form = device.name(row), _format_name(resource)
    words = [f"D3DRTYPE_{resource.type.name}", *([form] if form else []), api.Pool(resource.pool).constant]
    text = f"{name} was created: {', '.join(words)}, usage {_usage_words(resource.usage)}."
    device.state.log.add(EventKind.CREATED, name, size=layout.size_bytes, rule="d3d9.R1.1", text=text)


@functools.cache
def _usage_words(usage: int) -> str:
    return " | ".join(str(name) for name in api.Usage(usage).constants) or "0"


def _format_name(resource: Resource) -> str:
    info = resource.info
    return "" if resource.is_buffer else (info.name if info else f"0x{resource.format:08X}")


def _segment_name(device: D3D9Device, block: int) -> str:
    return device.state.segments[int(device.state.blocks["segment"][block])].name


def _new(record: CallRecord | None, name: str, what: Plan, layout: ResourceLayout, priority: int) -> NewResource:
    resource = what.resource
    return NewResource(
        name=name,
        record=record,
        kind=what.kind,
        dimension=resource.type.name,
        format=_format_name(resource),
        place=what.pool.constant,
        width=resource.width,
        height=resource.height,
        depth=resource.depth * resource.faces,
        mips=resource.levels,
        size=layout.size_bytes,
        asked=layout.texel_bytes,
        priority=priority,
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
