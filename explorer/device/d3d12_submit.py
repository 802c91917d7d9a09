"""Submissions of the D3D12 device: what they need resident, read, write and copy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.events import EventKind
from explorer.core.kinds import HeapKind
from explorer.core.verdicts import Verdict
from explorer.device import (
    cost,
    d3d12_activation,
    d3d12_fences,
    d3d12_lists,
    d3d12_slot_uses,
    d3d12_submit_rows,
    d3d12_tiles,
)
from explorer.device.d3d12_common import REMOVED, no_memory, ok, reason
from explorer.device.d3d12_slot_uses import RangeUse
from explorer.device.d3d12_tiled import DANGLING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.core import d3d12 as api
    from explorer.core import d3d12_commands as commands
    from explorer.core.calls import CallRecord
    from explorer.core.names import NameRuns
    from explorer.device.d3d12 import D3D12Device
    from explorer.memory.segments import MemorySegment

_NOT_RESIDENT = "{} was used while it was not resident"

_SLOTTED = ("descriptor_heap", "query_heap")
_COPIES = ("(DIRECT queue)", 0)
"""The queue and the node of copies that no list records."""


@dataclass(slots=True)
class _Work:
    """What one command list uses.

    Attributes:
        names: Objects.
        fresh: Those of them that it clears, discards or writes as a whole.
        tables: Ranges of slots that it reads.
    """

    names: dict[str, None]
    fresh: dict[str, None] = field(default_factory=dict[str, None])
    tables: list[RangeUse] = field(default_factory=list[RangeUse])


def execute(device: D3D12Device, arguments: api.ExecuteCommandLists, record: CallRecord) -> Verdict:
    """ExecuteCommandLists: everything referenced must be resident; tables are read from now on."""
    if device.removed:
        return Verdict(REMOVED, (reason("d3d12.8.7"),))
    if not d3d12_lists.heaps_can_be_set(device, arguments.descriptor_heaps):
        return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.7.6a"),)))
    if not d3d12_fences.is_node(device, arguments.NodeMask):
        return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.1.6c"),)))
    where = d3d12_fences.queue_of(arguments), d3d12_fences.node_of(device, arguments)
    runs = d3d12_submit_rows.runs_of(device, arguments)
    if runs is not None:
        return _run_columns(device, arguments, runs, where)
    inline = _Work(dict.fromkeys((*arguments.references, *arguments.writes)), dict.fromkeys(arguments.writes))
    for name in inline.names:
        device.state.find(name, "resource", "heap", "query_heap", where="input.references")
    inline.tables.extend(d3d12_lists.inline_tables(device, arguments.tables))
    inline.names.update(dict.fromkeys((*arguments.descriptor_heaps, *(table.heap for table in arguments.tables))))
    work = [inline] if inline.names or not arguments.ppCommandLists else []
    for name in arguments.ppCommandLists:
        recorded = d3d12_lists.find(device, name)
        if recorded.is_open:
            return _remove(device, name, "DXGI_ERROR_INVALID_CALL", f"{name} was executed while it records", "11.2")
        if (recorded.node_mask or 1).bit_length() - 1 != where[1]:
            return device.refuse(record, Verdict("E_INVALIDARG", (reason("device.list-node"),)))
        used = dict.fromkeys((*recorded.reads, *recorded.writes, *recorded.heaps))
        work.append(_Work(used, dict(recorded.fresh), list(recorded.tables)))
    return _run_parts(device, record, work, where)


def _run_columns(
    device: D3D12Device, arguments: api.ExecuteCommandLists, runs: NameRuns, where: tuple[str, int]
) -> Verdict:
    d3d12_activation.initialise(device, arguments.writes)
    heap = d3d12_submit_rows.use(device, runs, where)
    if heap >= 0:
        _not_here(device, list(dict.fromkeys(runs)), heap, _NOT_RESIDENT)
        return Verdict(REMOVED, (reason("d3d12.8.7"),))
    return _done(device)


def _done(device: D3D12Device) -> Verdict:
    """Close a submission: the CPU's part of it, and the trim behind it."""
    device.spend(cpu=cost.CPU_CALL_NS)
    device.kernel.trim(device)
    return ok("d3d12.8.1")


def _run_parts(device: D3D12Device, record: CallRecord, work: list[_Work], where: tuple[str, int]) -> Verdict:
    """Submit everything at once, or in the parts that the application's residency library makes of it."""
    parts = [range(len(work))]
    if len(work) > 1 and device.app.splits:
        parts = device.app.parts(device, [_heaps_alive(device, one.names) for one in work])
    results: list[Verdict] = []
    for part in parts:
        whole = work[part.start]
        for at in part[1:]:
            whole.names.update(work[at].names)
            whole.fresh.update(work[at].fresh)
            whole.tables.extend(work[at].tables)
        results.append(_run(device, record, whole, where))
        if device.removed:
            return results[-1]
    if len(results) > 1 and not all(one.succeeded for one in results):
        return Verdict("E_FAIL", (reason("d3d12.8.8f"),))
    return results[-1]


def _heaps_alive(device: D3D12Device, names: Iterable[str]) -> list[int]:
    alive = device.state.objects
    return list(dict.fromkeys(heap for name in names if name in alive for heap in _heaps_of(device, name)))


def _run(
    device: D3D12Device, record: CallRecord, work: _Work, where: tuple[str, int], *, copies: bool = False
) -> Verdict:
    alive = [name for name in work.names if _is_alive(device, name)]
    if device.app.is_active:
        refusal = device.app.submit(device, _heaps_alive(device, alive))
        if refusal is not None:
            return no_memory(device, record, "LOCAL", refusal)
    d3d12_activation.initialise(device, work.fresh)
    if not _use(device, alive, where, copies=copies):
        return Verdict(REMOVED, (reason("d3d12.8.7"),))
    d3d12_slot_uses.read(device, work.tables)
    return _done(device)


def barrier(device: D3D12Device, arguments: api.ResourceBarrier, record: CallRecord) -> Verdict:
    """ResourceBarrier: an aliasing barrier activates a placed resource; other barriers change no memory."""
    del record
    for one in arguments.pBarriers:
        if one.Aliasing is not None and one.Aliasing.pResourceAfter is not None:
            d3d12_activation.activate(device, one.Aliasing.pResourceAfter)
    return ok("d3d12.3.18d")


def copy_resource(device: D3D12Device, arguments: commands.CopyResource, record: CallRecord) -> Verdict:
    """CopyResource and CopyBufferRegion: bytes move from one resource to another.

    A copy out of a heap that the CPU writes is an upload; on a UMA adapter both ends are the same memory.
    """
    if device.removed:
        return Verdict(REMOVED, (reason("d3d12.8.7"),))
    state = device.state
    to = state.find(arguments.pDstResource, "resource", where="input.pDstResource")[1]
    source = state.find(arguments.pSrcResource, "resource", where="input.pSrcResource")[1]
    names = dict.fromkeys((arguments.pSrcResource, arguments.pDstResource))
    whole_copy = {arguments.pDstResource: None} if record.call == "CopyResource" else {}
    done = _run(device, record, _Work(names, whole_copy), _COPIES, copies=True)
    if not done.succeeded:
        return done
    whole = min(int(state.resources["asked"][row]) for row in (to, source))
    size = min(arguments.NumBytes or whole, whole)
    name, where = arguments.pDstResource, _segment_of(device, to)
    from_cpu = _heap_kind(device, source) in (HeapKind.UPLOAD, HeapKind.GPU_UPLOAD)
    text = f"{size:,} B were copied from {arguments.pSrcResource} to {name}."
    kind = EventKind.UPLOADED if from_cpu else EventKind.CHANGED
    state.log.add(kind, name, where, size, rule="device.copy", text=text)
    if device.runtime.uma and _heap_kind(device, source) != _heap_kind(device, to):
        spared = f"{text[:-1]}, although both lie in {where}: {reason('device.needless-copy').text}"
        state.log.add(EventKind.CHANGED, name, where, size, rule="device.needless-copy", text=spared)
    bus = state.adapter.bus
    for row, rate in ((source, bus.to_gpu_bytes_per_s), (to, bus.from_gpu_bytes_per_s)):
        gpu, transfer = cost.side_ns(size, _place_of(device, row), rate)
        device.spend(gpu=gpu, transfer=transfer)
    return ok("device.copy")


def cpu_access(device: D3D12Device, row: int, size: int, *, reads: bool) -> None:
    """Let the CPU go through mapped bytes; the heap's page property decides what that costs."""
    state = device.state
    caching = device.caching_of(row)
    name = state.resource_names[row]
    if reads and caching == "WC" and size:
        text = f"{name}: {size:,} B were read from write-combined memory."
        state.log.add(EventKind.STALLED, name, size=size, rule="device.wc-read", text=text)
    if caching == "WC" and device.runtime.cache_coherent_uma and size:
        state.log.add(
            EventKind.CHANGED, name, size=size, rule="device.coherent-wc", text=reason("device.coherent-wc").text
        )
    device.spend(cpu=cost.cpu_ns(size, caching, reads=reads))
    if not reads and _heap_kind(device, row) == HeapKind.GPU_UPLOAD and not device.runtime.uma:
        # The CPU writes video memory through the bus, with no copy afterwards.
        where = _segment_of(device, row)
        text = f"{name}: the CPU wrote {size:,} B directly into {where}."
        state.log.add(EventKind.UPLOADED, name, where, size, rule="d3d12.1.8a", text=text)
        device.spend(transfer=cost.transfer_ns(size, state.adapter.bus.to_gpu_bytes_per_s))


def _is_alive(device: D3D12Device, name: str) -> bool:
    if name in device.state.objects:
        return True
    text = f"{name} was released before the list that uses it was executed."
    device.state.log.add(EventKind.HAZARD, name, rule="d3d12.8.7", text=text)
    return False


def _heaps_of(device: D3D12Device, name: str) -> tuple[int, ...]:
    kind, row = device.state.objects[name]
    if kind == "heap":
        return (row,)
    if kind in _SLOTTED:
        return _of_slots(device, row)
    tiled = device.tiled.get(row)
    if tiled is not None:
        return tuple(dict.fromkeys(run[0] for run in tiled.runs))
    return (int(device.state.blocks["heap"][device.block_of[row]]),)


def _of_slots(device: D3D12Device, row: int) -> tuple[int, ...]:
    """Return the heap behind a descriptor or query heap; descriptors that shaders do not see have none (rules 8.1)."""
    heap = device.heap_of(row)
    return (heap,) if heap >= 0 else ()


def _use(device: D3D12Device, names: list[str], where: tuple[str, int], *, copies: bool) -> bool:
    """Use what a submission names; False when that removed the device.

    One pass over columns for placed and committed resources: a frame names thousands of them in a few heaps.
    """
    state = device.state
    objects, tiled = state.objects, device.tiled
    found = [objects[name] for name in names]
    rows = [row for kind, row in found if kind == "resource" and row not in tiled]
    reserved = [row for kind, row in found if kind == "resource" and row in tiled]
    blocks = np.fromiter((device.block_of[row] for row in rows), np.int64, len(rows))
    heaps = [*state.blocks["heap"][blocks].tolist(), *(row for kind, row in found if kind == "heap")]
    if len(heaps) + len(reserved) < len(found):
        heaps.extend(heap for kind, row in found if kind in _SLOTTED for heap in _of_slots(device, row))
    for row in reserved:
        if (tiled[row].heap == DANGLING).any():
            name = state.resource_names[row]
            _remove(device, name, REMOVED, f"{name}: {reason('device.dangling-tile').text[:-1]}", "8.7")
            return False
        heaps.extend(d3d12_tiles.use(device, row, tiled[row]))
    # In the order of the last use, as if each were touched in turn.
    unique = list(dict.fromkeys(reversed(heaps)))[::-1]
    missing = device.kernel.use(device, unique)
    if missing >= 0:
        return _not_here(device, names, unique[missing], _NOT_RESIDENT)
    if device.timeline.paging:
        for heap in unique:
            if not d3d12_fences.is_here(device, heap, where[0]):
                cause = "{} was used before the fence of its EnqueueMakeResident was waited for"
                return _not_here(device, names, heap, cause)
    device.timeline.begin(*where, state.log.frame, unique)
    if device.runtime.node_count > 1:
        for heap in unique:
            _cross_nodes(device, heap, where[1])
    d3d12_activation.mark_used(device, rows, blocks)
    if device.runtime.uma and not copies:
        d3d12_submit_rows.note_in_place(device, np.asarray(rows, np.int64), np.asarray(heaps[: len(rows)], np.int32))
    if copies:
        # A copy touches what it names, not all of both: its caller knows how much.
        return True
    for row in reserved:
        d3d12_tiles.spend_use(device, row, tiled[row])
    d3d12_submit_rows.spend_touches(device, blocks)
    return True


def _cross_nodes(device: D3D12Device, heap: int, node: int) -> None:
    """Let a node reach another node's memory: over the bus, and only where the heap shows itself to it."""
    state = device.state
    segment = state.segments[int(state.heaps["segment"][heap])]
    desc = device.heap_descs.get(heap)
    if desc is None:
        return
    name = state.heap_names[heap]
    visible = desc.Properties.VisibleNodeMask or 1
    if not visible >> node & 1:
        text = f"{name} was used on node {node}, which its VisibleNodeMask 0x{visible:x} leaves out."
        state.log.add(EventKind.HAZARD, name, rule="kernel.not-visible", text=text)
    elif segment.group == "LOCAL" and segment.node != node:
        size = int(state.heaps["size"][heap])
        text = f"Node {node} used {name} in the memory of node {segment.node}: {size:,} B over the bus."
        state.log.add(EventKind.CHANGED, name, segment.name, size, rule="kernel.cross-node", text=text)
        device.spend(gpu=cost.transfer_ns(size, state.adapter.bus.to_gpu_bytes_per_s))


def _not_here(device: D3D12Device, names: list[str], heap: int, cause: str) -> bool:
    """Remove the device because of a heap; returns False."""
    name = next((name for name in names if heap in _heaps_of(device, name)), device.state.heap_names[heap])
    _remove(device, name, REMOVED, cause.format(name), "8.7")
    return False


def _remove(device: D3D12Device, name: str, why: str, cause: str, rule: str) -> Verdict:
    device.removed = cause
    device.timeline.lose()
    device.removed_reason = why
    rule = f"d3d12.{rule}"
    text = f"{cause}: the engine is reset and the device removed ({why})."
    device.state.log.add(EventKind.HAZARD, name, rule=rule, text=text)
    device.state.log.add(EventKind.DEVICE_REMOVED, name, rule=rule, text=text)
    return Verdict(REMOVED, (reason(rule),))


def _heap_kind(device: D3D12Device, row: int) -> int:
    if row in device.tiled:
        return int(HeapKind.DEFAULT)
    heap = int(device.state.blocks["heap"][device.block_of[row]])
    return int(device.state.heaps["kind"][heap]) if heap >= 0 else int(HeapKind.NONE)


def _place_of(device: D3D12Device, row: int) -> MemorySegment:
    """Return the segment of a resource; of tiles the first one's, video memory where none is mapped."""
    state = device.state
    if row not in device.tiled:
        return state.segments[int(state.blocks["segment"][device.block_of[row]])]
    for run in device.tiled[row].runs:
        return state.segments[int(state.heaps["segment"][run[0]])]
    return state.segments[state.segments_in("LOCAL")[0]]


def _segment_of(device: D3D12Device, row: int) -> str:
    return "" if row in device.tiled and not device.tiled[row].runs else _place_of(device, row).name
