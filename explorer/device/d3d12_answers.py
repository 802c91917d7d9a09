"""Answers to D3D12 conformance records that need a device with a past: each is played on a device of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from explorer.core import d3d12
from explorer.core.d3d12_structs import ResourceDesc
from explorer.core.d3d12_view_enums import DescriptorHeapType
from explorer.core.schema import encode
from explorer.core.tiles import PACKED_TILE, TILE_BYTES
from explorer.device.d3d12_answer_rig import Rig
from explorer.device.d3d12_common import reason
from explorer.device.d3d12_residency_answer import POLICIES, removal, residency, residency_policy
from explorer.device.d3d12_tiling_answer import tiling_result
from explorer.errors import CommandError, InputError
from explorer.rules.d3d12_create import judge_reserved
from explorer.rules.d3d12_record_input import (
    NotSimulatedError,
    NotUnderstoodError,
    OutsideEnumerationError,
    RecordInput,
    SkippedError,
    device_of,
)
from explorer.rules.records import CheckOptions, RecordAnswer, VectorRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.device.d3d12_answer_rig import Answer
    from explorer.device.outcome import Outcome
    from explorer.rules.d3d12_runtime import D3d12Runtime

_MOST = 1 << 16
"""Tiles and slots that an answer lists; more of them are not simulated."""
_MOST_TILES = 1 << 24
"""Tiles of a resource that is only asked how it divides: a terabyte of address space."""


def answer(record: VectorRecord, options: CheckOptions) -> RecordAnswer | None:
    """Return the answer to a record, or None if its kind needs no device.

    Kinds: ``residency``, ``residency_policy``, ``resource_tiling``, ``tile_mappings``, ``copy_descriptors``, and those
    of ``feature_queries`` that tell of a device's removal.
    """
    handler = _HANDLERS.get(_kind_of(record))
    if handler is None or record.api != "d3d12":
        return None
    try:
        source = RecordInput(record.input)
        result, reasons = handler(record.call, source, device_of(record, options).runtime, options)
        source.finish()
    except (NotUnderstoodError, OutsideEnumerationError) as error:
        return RecordAnswer("not_understood", {}, (), str(error))
    except SkippedError as error:
        return RecordAnswer("skipped", {}, (), str(error))
    except NotSimulatedError as error:
        return RecordAnswer("not_simulated", {}, (), str(error))
    except (InputError, CommandError) as error:
        return RecordAnswer("not_understood", {}, (), str(error))
    return RecordAnswer("answered", result, tuple(reasons))


def _kind_of(record: VectorRecord) -> str:
    """Return a record's kind; one without is known by its call or by the keys that only this language has."""
    if record.call in _REMOVALS and record.kind in (None, "feature_queries") and "pDesc" not in record.input:
        return "removal"
    if record.kind is not None:
        return record.kind
    found = _KINDS_OF_CALLS.get(record.call)
    if found is not None:
        return found
    own_key = {
        "GetResourceTiling": "desc",
        "UpdateTileMappings": "ops",
        "CopyDescriptors": "ops",
        "EnqueueMakeResident": "physical_memory_left",
    }
    kinds = {
        "GetResourceTiling": "resource_tiling",
        "UpdateTileMappings": "tile_mappings",
        "CopyDescriptors": "copy_descriptors",
    }
    if own_key.get(record.call, "") in record.input:
        return kinds.get(record.call, "residency")
    return ""


def _limited(count: int, where: str, most: int = _MOST) -> int:
    if not 0 <= count <= most:
        raise NotSimulatedError(f"{where}: {count} are too many to list")
    return count


def _resource_tiling(call: str, source: RecordInput, runtime: D3d12Runtime, options: CheckOptions) -> Answer:
    """Create the reserved resource and ask the device how it divides into tiles."""
    if call != "GetResourceTiling":
        raise NotUnderstoodError(f"call: {call}")
    rig = Rig(runtime, options)
    desc = source.get("desc", ResourceDesc)
    verdict = judge_reserved(d3d12.CreateReservedResource(desc), runtime)
    _limited(cast("int", verdict.values.get("NumTiles", 0)), "tiles", _MOST_TILES)
    made = rig.call("CreateReservedResource", {"pDesc": encode(desc)}, "resource")
    if not made.succeeded:
        raise NotSimulatedError("the resource cannot be created: " + ", ".join(one.rule for one in made.reasons))
    first, count = 0, PACKED_TILE
    if "query" in source:
        query = source.part("query")
        first, count = query.uint("first", 0), query.uint("num_subresource_tilings", PACKED_TILE)
        query.finish()
    mips = max(1, int(rig.state.resources["mips"][rig.row("resource")]))
    whole = rig.call("GetResourceTiling", {"pTiledResource": "resource", "pNumSubresourceTilings": mips})
    inputs = {
        "pTiledResource": "resource",
        "pNumSubresourceTilings": _limited(count, "num_subresource_tilings", PACKED_TILE),
        "FirstSubresourceTilingToGet": _limited(first, "first", PACKED_TILE),
    }
    return tiling_result(whole, rig.call("GetResourceTiling", inputs)), (
        *whole.reasons,
        reason("d3d12.6.4"),
        reason("d3d12.6.7"),
    )


def _tile_mappings(call: str, source: RecordInput, runtime: D3d12Runtime, options: CheckOptions) -> Answer:
    """Map the tiles of one reserved resource to one heap and look what lies behind them."""
    if call not in ("UpdateTileMappings", "UpdateTileMappings+CopyTileMappings"):
        raise NotUnderstoodError(f"call: {call}")
    rig = Rig(runtime, options)
    desc = source.get("desc", ResourceDesc)
    source.raw("tile_order", None)
    tiles = _limited(source.uint("heap_tiles"), "heap_tiles")
    verdict = judge_reserved(d3d12.CreateReservedResource(desc), runtime)
    _limited(cast("int", verdict.values.get("NumTiles", 0)), "tiles")
    made = rig.call("CreateReservedResource", {"pDesc": encode(desc)}, "resource")
    if not made.succeeded:
        raise NotSimulatedError("the resource cannot be created: " + ", ".join(one.rule for one in made.reasons))
    rig.heap("heap", max(tiles, 1) * TILE_BYTES)
    for op in source.items("ops"):
        outcome = _tile_call(rig, op)
        op.finish()
        if not outcome.succeeded:
            raise NotUnderstoodError(f"{op.path}: {outcome.reasons[0].text}")
    tiled = rig.device.tiled[rig.row("resource")]
    # Where the packed tail lies is the adapter's, so only tiles of standard levels are told.
    listed = [
        int(tiled.tile[tile]) if tiled.heap[tile] >= 0 else None
        for tile in range(len(tiled.heap))
        if not tiled.tiling.is_packed_tile(tile)
    ]
    return {"physical_tile": listed}, (reason("d3d12.6.6a"),)


def _tile_call(rig: Rig, op: RecordInput) -> Outcome:
    name = op.raw("op", "update")
    if name == "copy":
        inputs = {
            "pDstResource": "resource",
            "pDstRegionStartCoordinate": op.raw("dst_offset"),
            "pSrcResource": "resource",
            "pSrcRegionStartCoordinate": op.raw("src_offset"),
            "pRegionSize": op.raw("size"),
        }
        return rig.call("CopyTileMappings", inputs)
    if name != "update":
        raise NotUnderstoodError(f"{op.path}.op: {name}")
    starts, sizes = op.raw("region_offsets", None), op.raw("region_sizes", None)
    regions = cast("list[object]", starts or sizes or [None])
    inputs = {
        "pResource": "resource",
        "pHeap": "heap",
        "NumResourceRegions": len(regions),
        "pResourceRegionStartCoordinates": starts,
        "pResourceRegionSizes": sizes,
        "NumRanges": op.uint("num_ranges", 1),
        "pRangeFlags": op.raw("range_flags", None),
        "pHeapRangeStartOffsets": op.raw("range_offsets", None),
        "pRangeTileCounts": op.raw("range_counts", None),
    }
    return rig.call("UpdateTileMappings", inputs)


def _copy_descriptors(call: str, source: RecordInput, runtime: D3d12Runtime, options: CheckOptions) -> Answer:
    """Copy descriptors between two heaps and look which slots of the destination changed, and to what."""
    if call != "CopyDescriptors":
        raise NotUnderstoodError(f"call: {call}")
    rig = Rig(runtime, options)
    kind = source.get("type", DescriptorHeapType)
    source.raw("src_content", None)
    for name in ("src", "dst"):
        size = _limited(source.uint(f"{name}_heap_size"), f"{name}_heap_size")
        rig.call("CreateDescriptorHeap", {"pDescriptorHeapDesc": {"Type": kind.constant, "NumDescriptors": size}}, name)
    content = rig.device.descriptors["src"]
    # Slot i of the source holds token i: the resource column carries it.
    content.write(slice(None), 1, 2, np.arange(content.desc.NumDescriptors, dtype=np.int32))
    for op in source.items("ops"):
        inputs = {
            "pDestDescriptorRangeStarts": _handles(op, "dst"),
            "pSrcDescriptorRangeStarts": _handles(op, "src"),
            "pDestDescriptorRangeSizes": op.raw("dst_sizes", None),
            "pSrcDescriptorRangeSizes": op.raw("src_sizes", None),
            "DescriptorHeapsType": kind.constant,
        }
        op.finish()
        outcome = rig.call("CopyDescriptors", inputs)
        if not outcome.succeeded:
            raise NotUnderstoodError(f"{op.path}: {outcome.reasons[0].text}")
    target = rig.device.descriptors["dst"]
    changed = {str(slot): f"s{int(target.resource[slot])}" for slot in np.flatnonzero(target.kind).tolist()}
    return {"dst_changed": changed}, (reason("d3d12.7.5e"),)


def _handles(op: RecordInput, heap: str) -> list[dict[str, object]]:
    value = op.raw(f"{heap}_starts")
    if not isinstance(value, list):
        raise NotUnderstoodError(f"{op.path}.{heap}_starts is no list")
    return [{"heap": heap, "index": at} for at in cast("list[object]", value)]


_REMOVALS = ("GetDeviceRemovedReason", "CreateCommandQueue")
"""Calls that records of feature queries make on a device with a history."""
_HANDLERS: Mapping[str, Callable[[str, RecordInput, Any, CheckOptions], Answer]] = {
    "residency": residency,
    "residency_policy": residency_policy,
    "removal": removal,
    "resource_tiling": _resource_tiling,
    "tile_mappings": _tile_mappings,
    "copy_descriptors": _copy_descriptors,
}
_KINDS_OF_CALLS: Mapping[str, str] = {
    **dict.fromkeys(("default priority", "MakeResident/Evict count", "AvailableForReservation"), "residency"),
    "D3DX12Residency grace period": "residency",
    **dict.fromkeys(POLICIES, "residency_policy"),
    "UpdateTileMappings+CopyTileMappings": "tile_mappings",
}
"""Records without a kind, by a call that no method of the API has."""
