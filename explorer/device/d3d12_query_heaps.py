"""Query heaps of the D3D12 device: GPU memory of their own, which is made resident and evicted like a heap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.d3d12_enums import QueryHeapType, ResourceFlags
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState, HeapKind, ResourceKind
from explorer.core.units import align_up
from explorer.core.verdicts import Verdict
from explorer.device import d3d12_fences
from explorer.device.d3d12_common import no_memory, ok, reason
from explorer.device.memory_state import NewResource
from explorer.memory.allocators.protocol import Refusal
from explorer.rules.d3d12_access import default_priority
from explorer.tables.d3d12_tables import constant

if TYPE_CHECKING:
    from explorer.core import d3d12_commands as commands
    from explorer.core.calls import CallRecord
    from explorer.device.d3d12 import D3D12Device

RESULT_BYTES = {
    QueryHeapType.OCCLUSION: 8,
    QueryHeapType.TIMESTAMP: 8,
    QueryHeapType.PIPELINE_STATISTICS: 88,
    QueryHeapType.SO_STATISTICS: 16,
    QueryHeapType.VIDEO_DECODE_STATISTICS: 32,
    QueryHeapType.COPY_QUEUE_TIMESTAMP: 8,
    QueryHeapType.PIPELINE_STATISTICS1: 112,
}
"""Bytes of a result: the sizes of the D3D12_QUERY_DATA structures (device.query-heap)."""
_PAGE = constant("DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT")


def create(device: D3D12Device, arguments: commands.CreateQueryHeap, record: CallRecord) -> Verdict:
    """CreateQueryHeap: one result for each query, in the memory of its node."""
    desc, state = arguments.pDesc, device.state
    if not d3d12_fences.is_node(device, desc.NodeMask):
        return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.1.6c"),)))
    size = max(desc.Count * RESULT_BYTES[desc.Type], 1)
    held = align_up(size, _PAGE)
    taken = device.kernel.commit(device, "LOCAL", held, _PAGE, (desc.NodeMask or 1).bit_length() - 1)
    if isinstance(taken, Refusal):
        return no_memory(device, record, "LOCAL", taken)
    segment, place = taken
    name, where = record.out or record.call, state.segments[segment].name
    row = state.add_resource(
        NewResource(
            name=name, record=record, kind=ResourceKind.OTHER, dimension="QUERY_HEAP", format="",
            place=desc.Type.constant, width=desc.Count, height=1, depth=1, mips=1, size=held, asked=size,
        )
    )  # fmt: skip
    state.bind(name, "query_heap", row)
    heap = state.add_heap(
        name, segment, place.address, held, HeapKind.OTHER, committed=True, rounding=place.rounding,
        priority=default_priority(ResourceFlags.NONE, held),
    )  # fmt: skip
    device.kernel.admit(heap)
    device.block_of[row] = state.add_block(
        segment, heap, 0, size, asked=size, alignment=_PAGE, kind=ResourceKind.OTHER, state=int(BlockState.RESIDENT),
        resource=row, rounding=held - size,
    )  # fmt: skip
    state.resources["resident"][row] = True
    text = f"{name}: {desc.Count:,} queries, {held:,} B in {where}."
    state.log.add(EventKind.CREATED, name, where, held, rule="device.query-heap", text=text)
    state.log.add(EventKind.ALLOCATED, name, where, held, rule="device.query-heap", text=text)
    return ok("device.query-heap")


def release(device: D3D12Device, name: str) -> None:
    """Release a query heap."""
    state = device.state
    row = state.objects[name][1]
    block = device.block_of.pop(row)
    heap = int(state.blocks["heap"][block])
    state.log.add(EventKind.RELEASED, name, text=f"{name} was released.")
    state.remove_block(block)
    device.free_heap(heap)
    state.remove_resource(row)
