"""What a D3D9 creation call would do now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.core import d3d9 as api
from explorer.core.verdicts import Verdict
from explorer.device import d3d9_pools, preview_texts
from explorer.device.d3d9_presentation import is_lost
from explorer.device.device import NOT_SIMULATED, not_simulated_reason
from explorer.device.outcome import AccessRow, Ghost, Preview
from explorer.memory.allocators.protocol import Refusal
from explorer.rules.d3d9_create import judge_create
from explorer.rules.d3d9_device import ex_fault
from explorer.rules.d3d9_sizes import placement
from explorer.rules.d3d9_verdicts import refused

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.core.layouts import ResourceLayout
    from explorer.device.d3d9 import D3D9Device


def preview(device: D3D9Device, record: CallRecord, arguments: Any) -> Preview:
    """Return the verdict, size, place and cost of a creation call; nothing is changed."""
    if not isinstance(arguments, api.CreateInput):
        return Preview(record, Verdict(NOT_SIMULATED, (not_simulated_reason(record.call),)))
    verdict = judge_create(arguments, device.runtime)
    if not verdict.succeeded:
        return Preview(record, verdict)
    what = d3d9_pools.plan(device, arguments)
    gone = ex_fault(device.shown.status)
    if gone is not None and what.pool is api.Pool.DEFAULT:
        return Preview(record, refused([gone]))
    if what.pool is api.Pool.DEFAULT and is_lost(device):
        what = d3d9_pools.dummy_plan(device, what)
    row = placement(what.resource, device.state.adapter.memory_class, device.runtime)
    layout = what.device or what.system
    assert layout is not None
    group = "SYSTEM" if what.device is None else what.group
    access = _access(device, what, layout, row.cpu_view)
    base = Preview(record, verdict, layout, why=what.reason.text, access=access)
    return _with_place(device, base, what, group, layout)


def _with_place(
    device: D3D9Device, base: Preview, what: d3d9_pools.Plan, group: str, layout: ResourceLayout
) -> Preview:
    state = device.state
    refusal: Refusal | None = None
    for index in state.segments_in(group):
        planned = state.segments[index].plan(layout.size_bytes, layout.alignment, int(what.kind))
        if isinstance(planned, Refusal):
            refusal = planned
            continue
        segment = state.segments[index]
        ghost = Ghost(index, -1, planned.address, layout.size_bytes, int(what.kind))
        after = preview_texts.after_taking(state, segment, planned.held)
        if what.pool is api.Pool.MANAGED:
            after = f"The device copy comes at first use. {after}"
        return Preview(base.record, base.verdict, layout, segment.name, base.why, ghost, "", after, access=base.access)
    text = refusal.text() if refusal else f"This adapter has no {group} memory."
    after = _what_helps(device, what) if group == "LOCAL" else ""
    return Preview(base.record, base.verdict, layout, group, base.why, None, text, after, access=base.access)


def _what_helps(device: D3D9Device, what: d3d9_pools.Plan) -> str:
    """Return what the runtime would do about full local memory; empty where nothing can be done."""
    if device.runtime.ex:
        return "Other DEFAULT resources move to non-local memory first, the lowest priority and then the oldest."
    held = device.managed.resident_bytes
    told = [f"Managed copies of {held:,} B can be evicted first."] if held else []
    if what.pool is api.Pool.MANAGED and device.state.segments_in("NON_LOCAL"):
        told.append("If that makes no hole, the device copy lies in non-local memory, which the GPU reads more slowly.")
    if what.fallback:
        told.append("If that makes no hole, it lies in non-local memory, which the GPU reads more slowly.")
    return " ".join(told)


def _access(device: D3D9Device, what: d3d9_pools.Plan, layout: ResourceLayout, cpu_view: str) -> tuple[AccessRow, ...]:
    state = device.state
    rows: list[AccessRow] = []
    segments = state.segments_in(what.group)
    if what.device is not None and segments:
        segment = state.segments[segments[0]]
        rows.append(preview_texts.gpu_row(segment, layout.size_bytes, writes=what.resource.is_target))
    else:
        rows.append(AccessRow("GPU", "no", "no"))
    rows.append(AccessRow("CPU", cpu_view, cpu_view))
    rows.append(preview_texts.bus_row(state, layout.size_bytes))
    return tuple(rows)
