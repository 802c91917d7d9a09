"""Draws of a D3D9 device: what they use, and what has to come to video memory for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.events import EventKind
from explorer.core.kinds import ResourceKind
from explorer.core.verdicts import Verdict
from explorer.device import cost, d3d9_hints, d3d9_loss, d3d9_presentation, system_memory
from explorer.rules.d3d9_locks import is_lockable
from explorer.rules.d3d9_verdicts import granted, reason

if TYPE_CHECKING:
    from explorer.core import d3d9 as api
    from explorer.core.calls import CallRecord
    from explorer.device.d3d9 import D3D9Device

_TARGET = int(ResourceKind.RENDER_TARGET)


def draw(device: D3D9Device, arguments: api.Draw, record: CallRecord) -> Verdict:
    """Use resources: managed ones are uploaded if the device has no copy."""
    if d3d9_presentation.is_lost(device):
        device.spend(cpu=cost.CPU_CALL_NS)
        return d3d9_presentation.vanish()
    operation = ""
    if device.render_states or record.call == "DrawRectPatch":
        operation = d3d9_hints.software_operation(device, record.call)
    told = ["R5.3", "R5.15"] if device.hides_errors else ["R5.3"]
    for row in _rows_of(device, arguments):
        if _touch(device, row, operation, told):
            continue
        if row not in device.managed:
            return Verdict("E_OUTOFMEMORY", (reason("R4.10"),))
        if not device.hides_errors:
            return Verdict("D3DERR_OUTOFVIDEOMEMORY", (device.managed.last_refusal,))
    device.spend(cpu=cost.CPU_CALL_NS)
    return granted(*dict.fromkeys(told))


def _rows_of(device: D3D9Device, arguments: api.Draw) -> list[int]:
    """Return what a draw uses; what it leaves open is what is bound."""
    rows: list[int] = []
    for name in (*arguments.references, *arguments.writes):
        kind, number = device.state.find(name, "resource", "surface", "device", where="input.references")
        if kind == "resource":
            rows.append(number)
        elif kind == "surface":
            rows.append(device.things.parts[number].row)
        else:
            rows += [row for row in (*device.shown.back[:1], device.shown.depth) if row >= 0]
    bound = device.things.bound
    if not bound:
        return rows
    if not arguments.references:
        rows += [row for slot, row in bound.items() if not _is_target(slot)]
    if not arguments.writes:
        rows += [row for slot, row in bound.items() if _is_target(slot)]
    return list(dict.fromkeys(rows))


def _is_target(slot: str) -> bool:
    return slot == "depth" or slot.startswith("target")


def _touch(device: D3D9Device, row: int, operation: str, told: list[str]) -> bool:
    """Let a draw use a resource; False when the device cannot reach it. Adds the rules that mattered to ``told``."""
    state = device.state
    thing = device.things.of[row]
    if operation and thing.resource.kind == "vertex_buffer":
        d3d9_hints.draw_on_cpu(device, row, operation)
        told.append("R3.2")
        return True
    if row in device.managed and row not in device.things.on_cpu:
        block = device.managed.use(device, row)
        if block is None:
            return False
    else:
        block = device.managed.master_of(row) if row in device.managed else device.blocks_of[row][0]
        if thing.resource.is_texture and thing.segment == "system":
            told.append("R2.17")
            text = f"{device.name(row)}: a texture in system memory cannot be sampled; the draw leaves it out."
            state.log.add(EventKind.HAZARD, device.name(row), rule="d3d9.R2.17", text=text)
            return True
        in_system = thing.segment == "system" or row in device.things.on_cpu
        if in_system and not system_memory.bring_in(device, block):
            return False
        if device.runtime.ex and not device.virtual.touch(device, row, block):
            return False
        device.gpu.hand_over(block)
    kind = int(state.blocks["kind"][block])
    if row in device.things.lost:
        d3d9_loss.look_at_contents(device, row, kind)
    device.mark_used(row, block)
    segment = state.segments[int(state.blocks["segment"][block])]
    size = int(state.blocks["size"][block])
    if segment.group == "SYSTEM":
        # The runtime copies the vertices for every draw.
        told.append("R2.18")
        device.spend(transfer=cost.transfer_ns(size, state.adapter.bus.to_gpu_bytes_per_s))
    else:
        touched = cost.touch_ns(kind, size, segment.bandwidth)
        if kind == _TARGET and is_lockable(thing.resource, device.runtime):
            touched = cost.lockable_ns(touched)
        device.spend(gpu=touched)
    return True
