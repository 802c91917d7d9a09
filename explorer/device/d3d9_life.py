"""Calls on one resource of a D3D9 device: priority, PreLoad, level of detail, release."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from explorer.core.events import EventKind
from explorer.device import d3d9_presentation
from explorer.rules.d3d9 import LifeState, device_layout, judge
from explorer.rules.d3d9_resource import SURFACES
from explorer.rules.d3d9_verdicts import fault, granted, refused

if TYPE_CHECKING:
    from explorer.core import d3d9 as api
    from explorer.core.calls import CallRecord
    from explorer.core.verdicts import Verdict
    from explorer.device.d3d9 import D3D9Device
    from explorer.rules.d3d9_resource import Resource


def _state_of(device: D3D9Device, name: str) -> tuple[int, LifeState]:
    kind, number = device.state.find(name, "resource", "surface", where="input.object")
    things = device.things
    row = things.parts[number].row if kind == "surface" else number
    resource = things.of[row].resource
    # What the system takes a 9Ex resource for is not what GetPriority answers before the first SetPriority.
    priority = int(device.state.resources["priority"][row]) if row in things.prioritised else 0
    state = LifeState(
        resource,
        priority,
        things.lod.get(row, 0),
        part=kind == "surface" or resource.kind in SURFACES,
        thrashing=device.managed.is_thrashing,
    )
    return row, state


def set_priority(device: D3D9Device, arguments: api.SetPriority, record: CallRecord) -> Verdict:
    """SetPriority: returns the old value; acts on MANAGED, on 9Ex on DEFAULT (R5.10, R10.4)."""
    del record
    row, state = _state_of(device, arguments.object)
    verdict = judge(arguments, state, device.runtime)
    new = int(str(verdict.values["priority"]))
    if new != state.priority:
        device.things.prioritised |= {row}
        device.state.resources["priority"][row] = new
        device.managed.set_priority(row, new)
        device.virtual.set_priority(row, new)
        text = f"{device.name(row)}: priority {new if new < 1 << 16 else f'0x{new:08X}'}."
        device.state.log.add(EventKind.CHANGED, device.name(row), rule="d3d9.R5.6", text=text)
    return verdict


def ask(device: D3D9Device, arguments: api.ObjectCall, record: CallRecord) -> Verdict:
    """GetPriority, GetLOD, GetLevelCount or GetType."""
    _, state = _state_of(device, arguments.object)
    return judge(arguments, state, device.runtime, record.call)


def preload(device: D3D9Device, arguments: api.ObjectCall, record: CallRecord) -> Verdict:
    """PreLoad: upload now; nothing for other pools, while thrashing, and while the device is lost."""
    row, state = _state_of(device, arguments.object)
    verdict = judge(arguments, state, device.runtime, record.call)
    if d3d9_presentation.is_lost(device):
        return granted("R9.5", values={"uploads": False})
    if verdict.values["uploads"] and row not in device.things.on_cpu:
        device.managed.use(device, row)
    return verdict


def set_lod(device: D3D9Device, arguments: api.SetLOD, record: CallRecord) -> Verdict:
    """SetLOD: the device copy of a managed texture leaves out the levels above (rule d3d9.lod)."""
    del record
    row, state = _state_of(device, arguments.object)
    verdict = judge(arguments, state, device.runtime)
    new = int(str(verdict.values["lod"]))
    if new == state.lod or row not in device.managed:
        return verdict
    device.things.lod[row] = new
    needs = device_layout(_from_level(state.resource, new), device.runtime)
    device.managed.resize(row, needs)
    text = f"{device.name(row)}: from level {new} on, {needs.size_bytes:,} B in video memory."
    device.state.log.add(EventKind.CHANGED, device.name(row), size=needs.size_bytes, rule="d3d9.lod", text=text)
    return verdict


def _from_level(resource: Resource, level: int) -> Resource:
    width, height, depth = resource.level_size(level)
    return replace(
        resource, width=width, height=height, depth=depth, levels=max(resource.levels - level, 1),
        stored_levels=max(resource.stored_levels - level, 1),
    )  # fmt: skip


def release(device: D3D9Device, arguments: api.ObjectCall, record: CallRecord) -> Verdict:
    """Release: the object goes, and its memory with it, unless it is still bound or held by a surface."""
    kind, number = device.state.find(arguments.object, where="input.object")
    name = arguments.object
    if kind == "resource":
        if device.things.of[number].implicit:
            return device.refuse(record, refused([fault("R9.2", "release the surface that GetBackBuffer gave")]))
        if device.things.is_bound(number) or device.things.parts_of(number):
            device.orphan(number)
        else:
            device.destroy(number)
    elif kind == "surface":
        device.drop_part(number)
    else:
        what, _ = device.things.others.pop(number)
        device.state.objects.pop(name)
        if what == "device":
            d3d9_presentation.drop_chain(device)
            device.shown = replace(device.shown, name="")
        for row in device.chains.pop(number, ()):
            device.destroy(row)
    device.state.log.add(EventKind.RELEASED, name, rule="d3d9.release", text=f"{name} was released.")
    return granted("release", "R6.7")
