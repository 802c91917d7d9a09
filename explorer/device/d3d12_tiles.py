"""Reserved resources of the D3D12 device: which heap tile lies behind each of their tiles."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from explorer.core.calls import CallRecord, decode_input
from explorer.core.columns import NO_TILES, TileColumns, make_columns
from explorer.core.d3d12_enums import HeapType, ResourceDimension
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState
from explorer.core.spans import Span
from explorer.core.tiles import TILE_BYTES
from explorer.device import cost
from explorer.device.d3d12_common import kind_of, reason, size_of
from explorer.device.d3d12_tiled import DANGLING, NULL, TiledResource
from explorer.device.memory_state import NewResource
from explorer.errors import LayoutError
from explorer.memory.allocators.protocol import Refusal
from explorer.rules.d3d12_allocation import judge_tiling, tiling_of
from explorer.rules.d3d12_create import judge_reserved
from explorer.rules.d3d12_desc import mips_of
from explorer.rules.d3d12_tile_mappings import MappingState, judge_copy_mappings, judge_update_mappings
from explorer.rules.d3d12_tiled_tiers import NULL_TIER

if TYPE_CHECKING:
    from explorer.core import d3d12 as api
    from explorer.core.verdicts import Verdict
    from explorer.device.d3d12 import D3D12Device

_ALIASED = np.uint8(int(BlockState.ALIASED))
_RESIDENT = int(BlockState.RESIDENT)
_USED = np.uint8(int(BlockState.USED_THIS_FRAME))


def create(
    device: D3D12Device, arguments: api.CreateReservedResource | api.CreateReservedResource2, record: CallRecord
) -> Verdict:
    """Create a reserved resource: an address range, no memory."""
    verdict = judge_reserved(arguments, device.runtime)
    if not verdict.succeeded:
        return device.refuse(record, verdict)
    if not arguments.ppvResource:
        return verdict
    desc = arguments.pDesc
    tiling = tiling_of(desc)
    if tiling is None:
        raise LayoutError("an accepted reserved resource has no tiles")
    is_buffer = desc.Dimension is ResourceDimension.BUFFER
    name = record.out or record.call
    size = tiling.total_tiles * TILE_BYTES
    row = device.state.add_resource(
        NewResource(
            name=name,
            record=record,
            kind=kind_of(desc, HeapType.DEFAULT, arguments),
            dimension=desc.Dimension.name,
            format="" if is_buffer else desc.Format.name.lstrip("_"),
            place="RESERVED",
            width=desc.Width,
            height=desc.Height,
            depth=desc.DepthOrArraySize,
            mips=1 if is_buffer else mips_of(desc),
            size=size,
            asked=size_of(device, arguments).texel_bytes,
        )
    )
    device.resource_descs[row] = desc
    device.tiled[row] = TiledResource.of(tiling)
    text = f"{name}: {tiling.total_tiles:,} tiles of address space ({size:,} B), none with memory."
    device.state.log.add(EventKind.CREATED, name, size=size, rule="d3d12.6.3", text=text)
    return verdict


def release(device: D3D12Device, row: int) -> None:
    """Forget the mapping of a reserved resource; the tiles of the heaps are free again."""
    tiled = device.tiled.pop(row)
    heaps = sorted({run[0] for run in tiled.runs})
    for run, block in tiled.runs.items():
        _drop_block(device, run[0], block)
    for heap in heaps:
        mark_shared(device, heap)


def forget_heap(device: D3D12Device, heap: int) -> None:
    """Leave the tiles of a heap that is destroyed dangling."""
    state = device.state
    for row, tiled in device.tiled.items():
        if all(run[0] != heap for run in tiled.runs):
            continue
        at = np.flatnonzero(tiled.heap == heap)
        tiled.put(at, DANGLING, tiled.tile[at])
        _rebuild(device, row, tiled)
        name, pool = state.resource_names[row], state.heap_names[heap]
        text = f"{name}: {len(at):,} tiles still point to {pool}, which is gone: their use removes the device."
        size = len(at) * TILE_BYTES
        tiled.stamp(at, state.log.add(EventKind.CHANGED, name, pool, size, rule="device.dangling-tile", text=text))


def update(device: D3D12Device, arguments: api.UpdateTileMappings, record: CallRecord) -> Verdict:
    """UpdateTileMappings: tiles get memory, lose it, or get other memory; nothing is moved."""
    row = device.state.find(arguments.pResource, "resource", where="input.pResource")[1]
    tiled = device.tiled.get(row)
    heap = _heap_of(device, arguments.pHeap)
    tiles = int(device.state.heaps["size"][heap]) // TILE_BYTES if heap >= 0 else None
    state = MappingState(tiled.tiling if tiled is not None else None, tiles)
    verdict = judge_update_mappings(arguments, state)
    if not verdict.succeeded or tiled is None:
        return device.refuse(record, verdict)
    changed = cast("dict[int, int | None]", verdict.values["Changed"])
    at = np.fromiter(changed.keys(), np.int64, len(changed))
    to = np.fromiter((NULL if one is None else one for one in changed.values()), np.int64, len(changed))
    tiled.put(at, np.where(to == NULL, NULL, heap), np.maximum(to, 0))
    taken = int((to == NULL).sum())
    what = f"UpdateTileMappings put memory behind {len(at) - taken:,} tiles and took it from {taken:,}"
    _changed(device, row, tiled, at, what, arguments.pHeap or "")
    return verdict


def copy_mappings(device: D3D12Device, arguments: api.CopyTileMappings, record: CallRecord) -> Verdict:
    """CopyTileMappings: the destination's tiles get the source's memory; no data moves."""
    find = device.state.find
    row = find(arguments.pDstResource, "resource", where="input.pDstResource")[1]
    source_row = find(arguments.pSrcResource, "resource", where="input.pSrcResource")[1]
    target, source = device.tiled.get(row), device.tiled.get(source_row)
    tilings = (target.tiling if target is not None else None, source.tiling if source is not None else None)
    verdict = judge_copy_mappings(arguments, MappingState(tilings[0], None, tilings[1]))
    if not verdict.succeeded or target is None or source is None:
        return device.refuse(record, verdict)
    pairs = cast("list[tuple[int, int]]", verdict.values["Copied"])
    to = np.fromiter((one for one, _ in pairs), np.int64, len(pairs))
    of = np.fromiter((one for _, one in pairs), np.int64, len(pairs))
    # Read before writing: source and destination may be one resource.
    target.put(to, source.heap[of].copy(), source.tile[of].copy())
    what = f"CopyTileMappings gave {len(pairs):,} tiles the memory of tiles of {arguments.pSrcResource}"
    _changed(device, row, target, to, what, "", "d3d12.6.6g")
    return verdict


def query_tiling(device: D3D12Device, arguments: api.GetResourceTiling, record: CallRecord) -> Verdict:
    """GetResourceTiling of a live resource."""
    del record
    row = device.state.find(arguments.pTiledResource, "resource", where="input.pTiledResource")[1]
    return judge_tiling(arguments, device.resource_desc(row))


def complete(device: D3D12Device, record: CallRecord) -> CallRecord | Refusal:
    """Return the record with free tiles of the named heap filled in; the lowest ones first.

    A record without the key ``pHeapRangeStartOffsets`` leaves the tiles to the product, as a streaming engine leaves
    them to its tile pool.
    """
    arguments = cast("api.UpdateTileMappings", decode_input(record))
    row = device.state.find(arguments.pResource, "resource", where="input.pResource")[1]
    heap = _heap_of(device, arguments.pHeap)
    tiled = device.tiled.get(row)
    if tiled is None or heap < 0 or arguments.pRangeFlags is not None:
        return record
    count = int(device.state.heaps["size"][heap]) // TILE_BYTES
    probe = judge_update_mappings(arguments, MappingState(tiled.tiling, 1 << 40))
    if not probe.succeeded:
        return record
    wanted = len(cast("dict[int, int | None]", probe.values["Changed"]))
    free = np.flatnonzero(~_used_tiles(device, heap, count))
    if len(free) < wanted:
        left = len(free) * TILE_BYTES
        return Refusal(wanted * TILE_BYTES, TILE_BYTES, left, left, 0, 0, "alloc.too-few-bytes")
    chosen = free[:wanted]
    breaks = np.flatnonzero(np.diff(chosen) != 1) + 1
    parts = np.split(chosen, breaks) if wanted else []
    inputs = {
        **record.inputs,
        "NumRanges": len(parts),
        "pHeapRangeStartOffsets": [int(part[0]) for part in parts],
        "pRangeTileCounts": [len(part) for part in parts],
    }
    return CallRecord(record.api, record.call, inputs, record.out)


def use(device: D3D12Device, row: int, tiled: TiledResource) -> tuple[int, ...]:
    """Note the use of a reserved resource and return the heaps behind it; tiles without memory are a hazard."""
    state = device.state
    name = state.resource_names[row]
    if device.runtime.tiled_tier < NULL_TIER and (tiled.heap == NULL).any():
        missing = int((tiled.heap == NULL).sum())
        text = f"{name}: {missing:,} of its tiles have no memory, and on tier 1 their access is undefined."
        state.log.add(EventKind.HAZARD, name, rule="device.null-tile", text=text)
    state.resources["used_frame"][row] = state.log.frame
    blocks = np.fromiter(tiled.runs.values(), np.int64, len(tiled.runs))
    if len(blocks):
        state.blocks["used_frame"][blocks] = state.log.frame
        state.blocks["state"][blocks] |= _USED
    return tuple(sorted({run[0] for run in tiled.runs}))


def spend_use(device: D3D12Device, row: int, tiled: TiledResource) -> None:
    """Let the GPU touch what is mapped, each byte in the segment where it lies."""
    state = device.state
    kind = int(state.resources["kind"][row])
    sizes: dict[int, int] = {}
    for heap, _, count in tiled.runs:
        sizes[heap] = sizes.get(heap, 0) + count * TILE_BYTES
    for heap, size in sizes.items():
        segment = state.segments[int(state.heaps["segment"][heap])]
        device.spend(gpu=cost.touch_ns(kind, size, segment.bandwidth))


def columns(device: D3D12Device, heap_at: npt.NDArray[np.int32], resource_at: npt.NDArray[np.int32]) -> TileColumns:
    """Return what snapshots hold of all mappings.

    Args:
        device: The device.
        heap_at: Heap row → index in the snapshot.
        resource_at: Resource row → index in the snapshot.
    """
    parts = [(int(resource_at[row]), tiled.mapped_runs()) for row, tiled in device.tiled.items()]
    parts = sorted((part for part in parts if len(part[1].first)), key=itemgetter(0))
    if not parts:
        return NO_TILES
    made: dict[str, npt.NDArray[np.int64]] = {
        name: np.concatenate([getattr(runs, name) for _, runs in parts])
        for name in ("first", "count", "heap", "tile", "step", "frame", "event")
    }
    made["resource"] = np.repeat([at for at, _ in parts], [len(runs.first) for _, runs in parts])
    heap = made["heap"]
    made["heap"] = np.where(heap >= 0, heap_at[np.maximum(heap, 0)], heap)
    return TileColumns(**make_columns(TileColumns, len(heap), made))


def mark_shared(device: D3D12Device, heap: int) -> None:
    """Mark exactly the blocks of a heap that share bytes with another one."""
    blocks = device.state.blocks
    rows = np.flatnonzero(blocks.live & (blocks["heap"] == heap))
    if not len(rows):
        return
    start = blocks["offset"][rows]
    end = start + blocks["size"][rows]
    order = np.lexsort((end, start))
    reach = np.maximum.accumulate(end[order])
    shared = np.zeros(len(rows), np.bool_)
    shared[1:] = start[order][1:] < reach[:-1]
    # The one that reaches into a later block is shared as well.
    shared[:-1] |= end[order][:-1] > start[order][1:]
    marks = blocks["state"]
    marks[rows] &= ~_ALIASED
    marks[rows[order][shared]] |= _ALIASED


def _heap_of(device: D3D12Device, name: str | None) -> int:
    return device.state.find(name, "heap", where="input.pHeap")[1] if name is not None else -1


def _used_tiles(device: D3D12Device, heap: int, count: int) -> npt.NDArray[np.bool_]:
    used = np.zeros(count, np.bool_)
    blocks = device.state.blocks
    for block in np.flatnonzero(blocks.live & (blocks["heap"] == heap)).tolist():
        first = int(blocks["offset"][block]) // TILE_BYTES
        end = int(blocks["offset"][block] + blocks["size"][block] + blocks["rounding"][block])
        used[first : (end + TILE_BYTES - 1) // TILE_BYTES] = True
    return used


def _changed(
    device: D3D12Device,
    row: int,
    tiled: TiledResource,
    at: npt.NDArray[np.int64],
    what: str,
    heap: str,
    rule: str = "d3d12.6.6a",
) -> None:
    state = device.state
    before = set(tiled.runs)
    _rebuild(device, row, tiled)
    fresh = sum(run[2] for run in tiled.runs if run not in before)
    name = state.resource_names[row]
    text = f"{name}: {what}; {tiled.mapped_tiles:,} of {len(tiled.heap):,} have memory."
    tiled.stamp(at, state.log.add(EventKind.CHANGED, name, heap, fresh * TILE_BYTES, rule=rule, text=text))
    device.spend(cpu=cost.CPU_CALL_NS)


def _rebuild(device: D3D12Device, row: int, tiled: TiledResource) -> None:
    state = device.state
    wanted = tiled.wanted_runs()
    kept = set(wanted)
    touched = {run[0] for run in kept.symmetric_difference(tiled.runs)}
    for run in [run for run in tiled.runs if run not in kept]:
        _drop_block(device, run[0], tiled.drop_run(run))
    for run in wanted:
        if run in tiled.runs:
            continue
        heap, first, count = run
        offset, size = first * TILE_BYTES, count * TILE_BYTES
        block = state.add_block(
            int(state.heaps["segment"][heap]),
            heap,
            offset,
            size,
            asked=size,
            alignment=TILE_BYTES,
            kind=int(state.resources["kind"][row]),
            state=_RESIDENT if state.heaps["resident"][heap] else 0,
            resource=row,
        )
        tiled.set_run(run, block)
        device.places[heap].tiles[block] = Span(offset, size)
    for heap in sorted(touched):
        mark_shared(device, heap)
    resident = all(bool(state.heaps["resident"][run[0]]) for run in tiled.runs)
    state.resources["resident"][row] = resident and bool(tiled.runs)


def _drop_block(device: D3D12Device, heap: int, block: int) -> None:
    places = device.places.get(heap)
    if places is not None:
        places.tiles.pop(block, None)
    device.state.remove_block(block)


def no_tiles(device: D3D12Device, record: CallRecord, heap: str, refusal: Refusal) -> Verdict:
    """Report that a tile pool has too few free tiles."""
    why = reason("product.no-hole")
    return device.no_room(record, "E_OUTOFMEMORY", heap, refusal, why.rule, why.source)
