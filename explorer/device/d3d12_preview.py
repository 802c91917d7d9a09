"""What a D3D12 creation call would do now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.core import d3d12 as api
from explorer.core.d3d12_enums import CpuPageProperty
from explorer.core.kinds import ResourceKind
from explorer.core.layouts import ResourceLayout
from explorer.core.verdicts import Verdict
from explorer.device import preview_texts
from explorer.device.d3d12_common import group_of_heap, kind_of, size_of
from explorer.device.device import NOT_SIMULATED, not_simulated_reason
from explorer.device.outcome import AccessRow, Ghost, Preview
from explorer.memory.allocators.protocol import Refusal
from explorer.rules.d3d12_create import HeapState, judge_committed, judge_placed, judge_reserved
from explorer.rules.d3d12_heaps import heap_alignment, heap_place, judge_create_heap

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.device.d3d12 import D3D12Device


def preview(device: D3D12Device, record: CallRecord, arguments: Any) -> Preview:
    """Return the verdict, size, place and cost of a creation call; nothing is changed."""
    if isinstance(arguments, api.CreateHeap):
        return _heap(device, record, arguments)
    if isinstance(arguments, api.CreateCommittedResource | api.CreateCommittedResource3):
        return _committed(device, record, arguments)
    if isinstance(arguments, api.CreatePlacedResource | api.CreatePlacedResource2):
        return _placed(device, record, arguments)
    if isinstance(arguments, api.CreateReservedResource | api.CreateReservedResource2):
        return _reserved(device, record, arguments)
    if record.call in device.queries():
        return Preview(record, device.query(arguments, record))
    return Preview(record, Verdict(NOT_SIMULATED, (not_simulated_reason(record.call),)))


def _heap(device: D3D12Device, record: CallRecord, arguments: api.CreateHeap) -> Preview:
    verdict = judge_create_heap(arguments, device.runtime)
    if not verdict.succeeded:
        return Preview(record, verdict)
    desc = arguments.pDesc
    layout = ResourceLayout("buffer", desc.SizeInBytes, heap_alignment(desc), desc.SizeInBytes, ())
    return _in_group(device, record, verdict, layout, desc, int(ResourceKind.OTHER))


def _committed(
    device: D3D12Device, record: CallRecord, arguments: api.CreateCommittedResource | api.CreateCommittedResource3
) -> Preview:
    verdict = judge_committed(arguments, device.runtime)
    if not verdict.succeeded:
        return Preview(record, verdict)
    layout = size_of(device, arguments)
    kind = kind_of(arguments.pDesc, arguments.pHeapProperties.Type, arguments)
    desc = api.HeapDesc(layout.size_bytes, arguments.pHeapProperties, layout.alignment, arguments.HeapFlags)
    return _in_group(device, record, verdict, layout, desc, int(kind))


def _in_group(
    device: D3D12Device,
    record: CallRecord,
    verdict: Verdict,
    layout: ResourceLayout,
    desc: api.HeapDesc,
    kind: int,
) -> Preview:
    state = device.state
    group, node = group_of_heap(device, desc.Properties, desc.Flags)
    page, pool = heap_place(desc.Properties, desc.Flags, device.runtime)
    why = f"{desc.Properties.Type.constant} is {page.constant} in {pool.constant}: segment group {group}."
    access = _access(device, page, layout.size_bytes, group, node)
    refusal: Refusal | None = None
    for index in state.segments_in(group, node):
        planned = state.segments[index].plan(layout.size_bytes, layout.alignment)
        if isinstance(planned, Refusal):
            refusal = planned
            continue
        segment = state.segments[index]
        after = preview_texts.after_taking(state, segment, planned.held)
        ghost = Ghost(index, -1, planned.address, layout.size_bytes, kind)
        return Preview(record, verdict, layout, segment.name, why, ghost, "", after, access)
    text = refusal.text() if refusal else f"This adapter has no {group} memory on node {node}."
    return Preview(record, verdict, layout, group, why, None, text, "", access)


def _reserved(
    device: D3D12Device, record: CallRecord, arguments: api.CreateReservedResource | api.CreateReservedResource2
) -> Preview:
    verdict = judge_reserved(arguments, device.runtime)
    if not verdict.succeeded:
        return Preview(record, verdict)
    tiles = verdict.values["NumTiles"]
    why = f"A reserved resource is address space of {tiles:,} tiles of 64 KiB; UpdateTileMappings gives them memory."
    return Preview(record, verdict, size_of(device, arguments), "", why, None, "", "No memory changes hands.")


def _placed(
    device: D3D12Device, record: CallRecord, arguments: api.CreatePlacedResource | api.CreatePlacedResource2
) -> Preview:
    state = device.state
    _, heap = state.find(arguments.pHeap, "heap", where="input.pHeap")
    desc = device.heap_descs[heap]
    verdict = judge_placed(arguments, HeapState(desc), device.runtime)
    if not verdict.succeeded:
        return Preview(record, verdict)
    layout = size_of(device, arguments)
    kind = kind_of(arguments.pDesc, desc.Properties.Type, arguments)
    segment = int(state.heaps["segment"][heap])
    at = device.heap_positions()[heap]
    ghost = Ghost(segment, at, arguments.HeapOffset, layout.size_bytes, int(kind))
    home = state.segments[segment]
    why = f"In heap {arguments.pHeap} at {arguments.HeapOffset:,}; the heap's bytes are already committed."
    after = f"{home.name} unchanged (inside a heap)."
    page, _ = heap_place(desc.Properties, desc.Flags, device.runtime)
    access = _access(device, page, layout.size_bytes, home.group, home.node)
    return Preview(record, verdict, layout, home.name, why, ghost, "", after, access)


def _access(device: D3D12Device, page: CpuPageProperty, size: int, group: str, node: int) -> tuple[AccessRow, ...]:
    state = device.state
    words = {
        CpuPageProperty.NOT_AVAILABLE: ("no", "no"),
        CpuPageProperty.WRITE_COMBINE: ("slow (write-combined)", "yes (in order)"),
        CpuPageProperty.WRITE_BACK: ("yes (cached)", "yes (cached)"),
    }
    read, write = words.get(page, ("no", "no"))
    rows = [AccessRow("CPU", read, write), preview_texts.bus_row(state, size)]
    for index in state.segments_in(group, node)[:1]:
        rows.insert(0, preview_texts.gpu_row(state.segments[index], size, writes=True))
    return tuple(rows)
