"""Creation and release of D3D12 heaps, committed and placed resources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core import d3d12 as api
from explorer.core.d3d12_enums import HeapFlags, HeapType, ResourceDimension, ResourceFlags
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState, HeapKind
from explorer.core.layouts import ResourceLayout
from explorer.core.verdicts import Verdict
from explorer.device import (
    d3d12_activation,
    d3d12_descriptors,
    d3d12_lists,
    d3d12_query_heaps,
    d3d12_slots,
    d3d12_tiles,
)
from explorer.device.d3d12_common import group_of_heap, kind_of, no_memory, size_of, unit_of
from explorer.device.heap_places import HeapPlaces
from explorer.device.memory_state import NewResource
from explorer.memory.allocators.protocol import Refusal
from explorer.rules.d3d12_access import default_priority
from explorer.rules.d3d12_create import HeapState, judge_committed, judge_placed
from explorer.rules.d3d12_desc import mips_of
from explorer.rules.d3d12_heaps import DENY_ALL, heap_alignment, judge_create_heap
from explorer.rules.d3d12_runtime import D3d12Runtime

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.device.d3d12 import D3D12Device
    from explorer.memory.segments import Taken

_ALIASED = int(BlockState.ALIASED)
_INACTIVE = int(BlockState.INACTIVE)
_RESIDENT = int(BlockState.RESIDENT)
_RELEASABLE = (
    "resource", "heap", "descriptor_heap", "command_list", "root_signature", "notification", "command_queue", "fence",
    "query_heap",
)  # fmt: skip


def create_heap(device: D3D12Device, arguments: api.CreateHeap, record: CallRecord) -> Verdict:
    """Create an explicit heap."""
    verdict = judge_create_heap(arguments, device.runtime)
    if not verdict.succeeded:
        return device.refuse(record, verdict)
    if not arguments.ppvHeap:
        return verdict
    desc = arguments.pDesc
    # A heap for render targets and depth-stencils starts as they do (reference residency.json, default priority).
    targets_only = desc.Flags & DENY_ALL == HeapFlags.ALLOW_ONLY_RT_DS_TEXTURES
    written = ResourceFlags.ALLOW_RENDER_TARGET if targets_only else ResourceFlags.NONE
    priority = default_priority(written, desc.SizeInBytes)
    row = _take_heap(device, record, desc, priority, committed=False)
    if isinstance(row, Verdict):
        return row
    device.places[row] = HeapPlaces.of(desc.SizeInBytes, device.state.allocator_id)
    name = record.out or record.call
    device.state.bind(name, "heap", row)
    return verdict


def create_committed(device: D3D12Device, arguments: api.CreateCommittedResource, record: CallRecord) -> Verdict:
    """Create a resource with a heap of its own."""
    judged = _judged(device, arguments)
    if judged.accepted is None:
        return judged.verdict if judged.verdict.succeeded else device.refuse(record, judged.verdict)
    layout, desc, priority = judged.accepted
    row = _take_heap(device, record, desc, priority, committed=True)
    if isinstance(row, Verdict):
        return row
    resource = _add_resource(device, arguments.pDesc, record, layout, desc.Properties.Type, arguments)
    _add_block(device, resource, row, 0, layout, _RESIDENT if device.state.heaps["resident"][row] else 0)
    return judged.verdict


@dataclass(frozen=True, slots=True)
class _Judged:
    """What the rules say of a committed resource; it depends on nothing that a device holds.

    Attributes:
        arguments: The call.
        runtime: The runtime that judged it.
        verdict: The answer.
        accepted: Layout, heap and priority; None where it is refused or only asked.
    """

    arguments: api.CreateCommittedResource
    runtime: D3d12Runtime
    verdict: Verdict
    accepted: tuple[ResourceLayout, api.HeapDesc, int] | None


_KNOWN: dict[int, _Judged] = {}
_MOST_KNOWN = 4096


def _judged(device: D3D12Device, arguments: api.CreateCommittedResource) -> _Judged:
    """Return the judgement of a call; decoded inputs that come again are the same object (``decoded_calls``)."""
    known = _KNOWN.get(id(arguments))
    if known is not None and known.arguments is arguments and known.runtime is device.runtime:
        return known
    verdict = judge_committed(arguments, device.runtime)
    accepted = None
    if verdict.succeeded and arguments.ppvResource:
        layout = size_of(device, arguments)
        desc = api.HeapDesc(layout.size_bytes, arguments.pHeapProperties, layout.alignment, arguments.HeapFlags)
        accepted = layout, desc, default_priority(arguments.pDesc.Flags, layout.size_bytes)
    if len(_KNOWN) >= _MOST_KNOWN:
        _KNOWN.clear()
    # Kept with its key alive: no other object can have the same identity meanwhile.
    known = _KNOWN[id(arguments)] = _Judged(arguments, device.runtime, verdict, accepted)
    return known


def create_placed(device: D3D12Device, arguments: api.CreatePlacedResource, record: CallRecord) -> Verdict:
    """Create a resource at an offset of a heap; overlap is legal and marked."""
    state = device.state
    _, heap = state.find(arguments.pHeap, "heap", where="input.pHeap")
    verdict = judge_placed(arguments, HeapState(device.heap_descs[heap]), device.runtime)
    if not verdict.succeeded:
        return device.refuse(record, verdict)
    if not arguments.ppvResource:
        return verdict
    layout = size_of(device, arguments)
    desc = device.heap_descs[heap]
    resource = _add_resource(device, arguments.pDesc, record, layout, desc.Properties.Type, arguments)
    kind = int(state.resources["kind"][resource])
    shared = device.places[heap].add(resource, arguments.HeapOffset, layout.size_bytes, layout.alignment, kind)
    marks = _RESIDENT if state.heaps["resident"][heap] else 0
    block = _add_block(device, resource, heap, arguments.HeapOffset, layout, marks)
    d3d12_activation.note_created(device, resource)
    if shared:
        _mark_shared(device, resource, block, shared)
    if device.places[heap].tiles:
        d3d12_tiles.mark_shared(device, heap)
    return verdict


def release(device: D3D12Device, name: str) -> None:
    """Release an object; a heap's bytes stay held until the last resource placed in it is released."""
    state = device.state
    kind, row = state.find(name, *_RELEASABLE, where="input.pObject")
    if kind == "descriptor_heap":
        d3d12_descriptors.release(device, name)
        return
    if kind == "query_heap":
        d3d12_query_heaps.release(device, name)
        return
    if kind not in ("resource", "heap"):
        d3d12_lists.release(device, name, kind)
        return
    state.log.add(EventKind.RELEASED, name, text=f"{name} was released.")
    if kind == "heap":
        state.objects.pop(name)
        state.heaps["released"][row] = True
        _free_heap_if_unused(device, row)
        return
    for heap_name, descriptors in device.descriptors.items():
        d3d12_slots.give_back(device, heap_name, descriptors.forget(row))
    device.resource_descs.pop(row)
    device.in_place.discard(row)
    device.uninitialised.discard(row)
    if row in device.tiled:
        d3d12_tiles.release(device, row)
        state.remove_resource(row)
        return
    _release_block(device, row)


def _release_block(device: D3D12Device, row: int) -> None:
    state = device.state
    block = device.block_of.pop(row)
    heap = int(state.blocks["heap"][block])
    state.remove_block(block)
    if state.heaps["committed"][heap]:
        state.remove_resource(row)
        free_heap(device, heap)
        return
    others = device.places[heap].overlapping(row)
    device.places[heap].remove(row)
    state.remove_resource(row)
    for other in others:
        if not device.places[heap].overlapping(other):
            state.blocks["state"][device.block_of[other]] &= 0xFF & ~_ALIASED
    if device.places[heap].tiles:
        d3d12_tiles.mark_shared(device, heap)
    _free_heap_if_unused(device, heap)


def _take_heap(
    device: D3D12Device, record: CallRecord, desc: api.HeapDesc, priority: int, *, committed: bool
) -> int | Verdict:
    state = device.state
    group, node = group_of_heap(device, desc.Properties, desc.Flags)
    size, alignment = desc.SizeInBytes, heap_alignment(desc)
    name = record.out or record.call
    if desc.Flags & HeapFlags.CREATE_NOT_RESIDENT:
        return _take_evicted(device, record, desc, priority, (group, node), committed=committed)
    if desc.Properties.Type is HeapType.GPU_UPLOAD and group == "LOCAL" and _is_over(device, node, size):
        group = _fall_back(device, name, node, size)
    taken = device.kernel.commit(device, group, size, alignment, node)
    if isinstance(taken, Refusal):
        return no_memory(device, record, group, taken)
    row = _add_heap(device, name, desc, taken, priority, committed=committed, resident=True)
    segment = taken[0]
    where = state.segments[segment].name
    text = f"{name}: {size:,} B committed in {where}."
    state.log.add(EventKind.ALLOCATED, name, where, size, rule="d3d12.8.1", text=text)
    _note_slow_segment(device, name, segment, size)
    device.kernel.admit(row)
    device.app.track(device, row, desc)
    return row


def _add_heap(
    device: D3D12Device,
    name: str,
    desc: api.HeapDesc,
    taken: tuple[int, Taken],
    priority: int,
    *,
    committed: bool,
    resident: bool,
) -> int:
    """Add the row of a heap whose bytes are taken."""
    segment, place = taken
    row = device.state.add_heap(
        name,
        segment,
        place.address,
        desc.SizeInBytes,
        HeapKind(int(desc.Properties.Type)),
        flags=int(desc.Flags),
        alignment=heap_alignment(desc),
        committed=committed,
        resident=resident,
        priority=priority,
        rounding=place.rounding,
        unit=unit_of(device),
    )
    device.heap_descs[row] = desc
    return row


def _take_evicted(
    device: D3D12Device,
    record: CallRecord,
    desc: api.HeapDesc,
    priority: int,
    home: tuple[str, int],
    *,
    committed: bool,
) -> int | Verdict:
    """Create a heap that starts evicted: no byte of its own group is touched, and nothing is moved (rules 2.9)."""
    state, size = device.state, desc.SizeInBytes
    name = record.out or record.call
    homes = state.segments_in(*home)
    # Asked before anything is taken: bytes of a heap that never comes would stay held.
    nowhere = Refusal(size, 1, 0, 0, 0, 0, "alloc.too-few-bytes")
    taken = device.kernel.commit_evicted(device, size) if homes else nowhere
    if isinstance(taken, Refusal):
        return no_memory(device, record, "SYSTEM", taken)
    row = _add_heap(device, name, desc, taken, priority, committed=committed, resident=False)
    state.heaps["home"][row] = homes[0]
    where = state.segments[taken[0]].name
    text = f"{name}: {size:,} B committed in {where}, evicted from the start."
    state.log.add(EventKind.ALLOCATED, name, where, size, rule="d3d12.2.9", text=text)
    return row


def _is_over(device: D3D12Device, node: int, size: int) -> bool:
    group = device.state.groups.get((node, "LOCAL"))
    return group is not None and group.budget is not None and group.usage + size > group.budget


def _fall_back(device: D3D12Device, name: str, node: int, size: int) -> str:
    """Return where a GPU upload heap goes that would pass the budget of video memory (rules 1.8)."""
    others = device.state.segments_in("NON_LOCAL", node)
    if not others:
        return "LOCAL"
    where = device.state.segments[others[0]].name
    text = f"{name}: {size:,} B would pass the budget of video memory, so they lie in {where}."
    device.state.log.add(EventKind.MISPLACED, name, where, size, rule="kernel.upload-fallback", text=text)
    return "NON_LOCAL"


def _note_slow_segment(device: D3D12Device, name: str, segment: int, size: int) -> None:
    """Report a heap that landed in the slow one of a group's segments."""
    segments = device.state.segments
    place = segments[segment]
    fastest = max(segments[i].bandwidth for i in device.state.segments_in(place.group, place.node))
    if place.bandwidth < fastest:
        text = f"{name}: the fast segment has no room, {place.name} has {place.bandwidth:,} of {fastest:,} B/s."
        device.state.log.add(EventKind.MISPLACED, name, place.name, size, rule="kernel.slow-segment", text=text)


def _add_resource(
    device: D3D12Device,
    desc: api.ResourceDesc,
    record: CallRecord,
    layout: ResourceLayout,
    heap_type: HeapType,
    arguments: api.CreateCommittedResource | api.CreatePlacedResource,
) -> int:
    state = device.state
    kind = kind_of(desc, heap_type, arguments)
    is_buffer = desc.Dimension is ResourceDimension.BUFFER
    name = record.out or record.call
    row = state.add_resource(
        NewResource(
            name=name,
            record=record,
            kind=kind,
            dimension=desc.Dimension.name,
            format="" if is_buffer else desc.Format.name.lstrip("_"),
            place=heap_type.constant,
            width=desc.Width,
            height=desc.Height,
            depth=desc.DepthOrArraySize,
            mips=1 if is_buffer else mips_of(desc),
            size=layout.size_bytes,
            asked=layout.texel_bytes,
        )
    )
    device.resource_descs[row] = desc
    text = f"{name}: {layout.size_bytes:,} B by the {layout.model} model."
    state.log.add(EventKind.CREATED, name, size=layout.size_bytes, rule="d3d12.4.8b", text=text)
    return row


def _add_block(device: D3D12Device, resource: int, heap: int, offset: int, layout: ResourceLayout, marks: int) -> int:
    state = device.state
    needed = min(sum(part.size_bytes for part in layout.subresources) or layout.texel_bytes, layout.size_bytes)
    block = state.add_block(
        int(state.heaps["segment"][heap]),
        heap,
        offset,
        needed,
        asked=layout.texel_bytes,
        alignment=layout.alignment,
        kind=int(state.resources["kind"][resource]),
        state=marks,
        resource=resource,
        rounding=layout.size_bytes - needed,
    )
    device.block_of[resource] = block
    state.resources["resident"][resource] = bool(marks & _RESIDENT)
    return block


def _mark_shared(device: D3D12Device, resource: int, block: int, shared: list[int]) -> None:
    """Mark everything that shares bytes; the newcomer is inactive until an aliasing barrier (rules 3.18)."""
    state = device.state
    state.blocks["state"][block] |= _ALIASED | _INACTIVE
    start, end = int(state.blocks["offset"][block]), int(state.blocks["offset"][block] + state.blocks["size"][block])
    common = 0
    for other in shared:
        there = device.block_of[other]
        state.blocks["state"][there] |= _ALIASED
        low, high = int(state.blocks["offset"][there]), int(state.blocks["offset"][there] + state.blocks["size"][there])
        common += max(0, min(end, high) - max(start, low))
    name = state.resource_names[resource]
    names = ", ".join(state.resource_names[other] for other in shared[:4])
    text = f"{name} shares {common:,} B with {names}."
    heap = int(state.blocks["heap"][block])
    state.log.add(EventKind.ALIASED, name, state.heap_names[heap], common, rule="d3d12.3.18d", text=text)


def _free_heap_if_unused(device: D3D12Device, heap: int) -> None:
    if device.state.heaps["released"][heap] and not device.places[heap].spans:
        free_heap(device, heap)


def free_heap(device: D3D12Device, heap: int) -> None:
    """Give back the bytes of a heap and its row."""
    state = device.state
    name, size = state.heap_names[heap], int(state.heaps["size"][heap])
    where = state.segments[int(state.heaps["segment"][heap])].name
    user = device.timeline.uses(heap)
    if user is not None:
        text = f"{name} was released while the GPU may still run submission {user:,}, which uses it."
        state.log.add(EventKind.HAZARD, name, rule="device.released-in-use", text=text)
    d3d12_tiles.forget_heap(device, heap)
    device.app.forget(heap)
    device.timeline.forget(heap)
    device.kernel.drop(heap)
    device.heap_descs.pop(heap, None)
    device.places.pop(heap, None)
    state.heap_names.pop(heap)
    state.heaps.remove(heap)
    state.generation += 1
    state.log.add(EventKind.FREED, name, where, size, rule="d3d12.8.1", text=f"{name}: {size:,} B are free again.")
