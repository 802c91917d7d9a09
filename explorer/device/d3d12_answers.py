"""Answers to D3D12 conformance records that need a device with a past: each is played on a device of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from explorer.core import d3d12
from explorer.core.calls import CallRecord
from explorer.core.d3d12_enums import HeapFlags, ResourceFlags
from explorer.core.d3d12_structs import ResourceDesc
from explorer.core.d3d12_view_enums import DescriptorHeapType
from explorer.core.schema import encode
from explorer.core.tiles import PACKED_TILE, TILE_BYTES
from explorer.device import make_device
from explorer.device.app_residency import SECOND_NS, grace_ns
from explorer.device.d3d12_common import reason
from explorer.device.d3d12_tiling_answer import tiling_result
from explorer.device.memory_state import MemoryState
from explorer.errors import CommandError, InputError
from explorer.rules.d3d12_access import available_for_reservation, default_priority
from explorer.rules.d3d12_create import judge_reserved
from explorer.rules.d3d12_record_input import NotUnderstoodError, RecordInput, SkippedError, device_of
from explorer.rules.records import CheckOptions, RecordAnswer, VectorRecord
from explorer.tables.adapters import adapter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from explorer.core.verdicts import Reason
    from explorer.device.d3d12 import D3D12Device
    from explorer.device.outcome import Outcome
    from explorer.rules.d3d12_runtime import D3d12Runtime

_DEFAULT_ADAPTER = "rtx5090"
"""A discrete adapter with room for every record; what decides an answer is the record's own device."""
_MOST = 1 << 16
"""Tiles and slots that an answer lists; more of them are not simulated."""
_MOST_TILES = 1 << 24
"""Tiles of a resource that is only asked how it divides: a terabyte of address space."""

Answer = tuple["Mapping[str, object]", "Sequence[Reason]"]


class _NotSimulatedError(Exception):
    """What a record is about cannot exist on its device, or is too large to be listed."""


class _Rig:
    """A device and a short way to call it."""

    def __init__(self, runtime: D3d12Runtime, options: CheckOptions, **device: str) -> None:
        chosen = options.adapter if options.adapter is not None else adapter(_DEFAULT_ADAPTER)
        self.state = MemoryState(chosen, "tlsf")
        self.device = cast("D3D12Device", make_device("d3d12", self.state, device))
        self.device.runtime = runtime

    def call(self, name: str, inputs: Mapping[str, object], out: str | None = None) -> Outcome:
        outcome = self.device.apply(CallRecord("d3d12", name, dict(inputs), out))
        if outcome.hr in ("NOT_SIMULATED", "E_FAIL"):
            raise _NotSimulatedError(f"{name}: {outcome.reasons[0].text}")
        return outcome

    def heap(self, name: str, size: int, *flags: str) -> Outcome:
        """Create a heap for buffers."""
        names = ["ALLOW_ONLY_BUFFERS", *flags]
        desc = {
            "SizeInBytes": size,
            "Properties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"},
            "Flags": [f"D3D12_HEAP_FLAG_{flag}" for flag in names],
        }
        outcome = self.call("CreateHeap", {"pDesc": desc}, name)
        if not outcome.succeeded:
            raise _NotSimulatedError(f"{name}: {outcome.reasons[0].text}")
        return outcome

    def row(self, name: str) -> int:
        return self.state.objects[name][1]


def answer(record: VectorRecord, options: CheckOptions) -> RecordAnswer | None:
    """Return the answer to a record, or None if its kind needs no device.

    Kinds: ``residency``, ``residency_policy``, ``resource_tiling``, ``tile_mappings``, ``copy_descriptors``.
    """
    handler = _HANDLERS.get(_kind_of(record))
    if handler is None or record.api != "d3d12":
        return None
    try:
        source = RecordInput(record.input)
        result, reasons = handler(record.call, source, device_of(record, options).runtime, options)
        source.finish()
    except NotUnderstoodError as error:
        return RecordAnswer("not_understood", {}, (), str(error))
    except SkippedError as error:
        return RecordAnswer("skipped", {}, (), str(error))
    except _NotSimulatedError as error:
        return RecordAnswer("not_simulated", {}, (), str(error))
    except (InputError, CommandError) as error:
        return RecordAnswer("not_understood", {}, (), str(error))
    return RecordAnswer("answered", result, tuple(reasons))


def _kind_of(record: VectorRecord) -> str:
    """Return a record's kind; one without is known by its call or by the keys that only this language has."""
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
        raise _NotSimulatedError(f"{where}: {count} are too many to list")
    return count


def _resource_tiling(call: str, source: RecordInput, runtime: D3d12Runtime, options: CheckOptions) -> Answer:
    """Create the reserved resource and ask the device how it divides into tiles."""
    if call != "GetResourceTiling":
        raise NotUnderstoodError(f"call: {call}")
    rig = _Rig(runtime, options)
    desc = source.get("desc", ResourceDesc)
    verdict = judge_reserved(d3d12.CreateReservedResource(desc), runtime)
    _limited(cast("int", verdict.values.get("NumTiles", 0)), "tiles", _MOST_TILES)
    made = rig.call("CreateReservedResource", {"pDesc": encode(desc)}, "resource")
    if not made.succeeded:
        raise _NotSimulatedError("the resource cannot be created: " + ", ".join(one.rule for one in made.reasons))
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
    return tiling_result(whole, rig.call("GetResourceTiling", inputs)), (*whole.reasons, reason("d3d12.6.4"))


def _tile_mappings(call: str, source: RecordInput, runtime: D3d12Runtime, options: CheckOptions) -> Answer:
    """Map the tiles of one reserved resource to one heap and look what lies behind them."""
    if call not in ("UpdateTileMappings", "UpdateTileMappings+CopyTileMappings"):
        raise NotUnderstoodError(f"call: {call}")
    rig = _Rig(runtime, options)
    desc = source.get("desc", ResourceDesc)
    source.raw("tile_order", None)
    tiles = _limited(source.uint("heap_tiles"), "heap_tiles")
    verdict = judge_reserved(d3d12.CreateReservedResource(desc), runtime)
    _limited(cast("int", verdict.values.get("NumTiles", 0)), "tiles")
    made = rig.call("CreateReservedResource", {"pDesc": encode(desc)}, "resource")
    if not made.succeeded:
        raise _NotSimulatedError("the resource cannot be created: " + ", ".join(one.rule for one in made.reasons))
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


def _tile_call(rig: _Rig, op: RecordInput) -> Outcome:
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
    rig = _Rig(runtime, options)
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


def _residency(call: str, source: RecordInput, runtime: D3d12Runtime, options: CheckOptions) -> Answer:
    """Ask a device about priorities, counts, budgets and reservations."""
    found = _RESIDENCY.get(call)
    if found is None:
        raise NotUnderstoodError(f"call: {call}")
    return found(source, runtime, options)


def _default_priority(source: RecordInput, runtime: D3d12Runtime, options: CheckOptions) -> Answer:
    """Return the priority that the device starts an object with; sizes beyond every adapter are asked for as well."""
    del runtime, options
    flags = source.get("flags", ResourceFlags, ResourceFlags.NONE)
    priority = default_priority(flags, source.uint("size_bytes"))
    return {"priority": f"0x{priority:08x}"}, (reason("d3d12.8.4b" if priority == 0x78000000 else "d3d12.8.4a"),)


def _count(source: RecordInput, runtime: D3d12Runtime, options: CheckOptions) -> Answer:
    """Create a heap, call MakeResident and Evict, and read its count."""
    flags = source.get("create_flags", HeapFlags, HeapFlags.NONE)
    starts_evicted = bool(flags & HeapFlags.CREATE_NOT_RESIDENT)
    rig = _Rig(runtime, options)
    rig.heap("heap", TILE_BYTES, *(["CREATE_NOT_RESIDENT"] if starts_evicted else []))
    ops = source.raw("ops", [])
    if not isinstance(ops, list):
        raise NotUnderstoodError(f"{source.path}.ops is no list")
    for at, name in enumerate(cast("list[object]", ops)):
        if name not in ("MakeResident", "Evict"):
            raise NotUnderstoodError(f"{source.path}.ops[{at}]: {name}")
        rig.call(str(name), {"ppObjects": ["heap"]})
    count = int(rig.state.heaps["resident_count"][rig.row("heap")])
    rules = (reason("d3d12.8.2b"), reason("d3d12.8.2a")) if starts_evicted else (reason("d3d12.8.2a"),)
    return {"count": count, "resident_required": count > 0}, rules


def _make_resident(source: RecordInput, runtime: D3d12Runtime, options: CheckOptions) -> Answer:
    """Enqueue a heap that is not resident while the group's budget and usage are as stated."""
    rig = _Rig(runtime, options)
    size = source.uint("size")
    flags = source.raw("flags", "NONE")
    group = rig.state.groups[0, "LOCAL"]
    rig.heap("heap", max(size, 1), "CREATE_NOT_RESIDENT")
    group.budget, group.usage = source.uint("budget"), source.uint("usage")
    if not source.get("physical_memory_left", bool, True):
        for segment in rig.state.segments:
            if segment.group in ("LOCAL", "NON_LOCAL"):
                segment.take(segment.free_bytes)
    outcome = rig.call("EnqueueMakeResident", {"ppObjects": ["heap"], "Flags": flags})
    return {"hr": outcome.hr}, outcome.reasons


def _reservation(source: RecordInput, runtime: D3d12Runtime, options: CheckOptions) -> Answer:
    """Give the group a budget and ask what may be reserved."""
    rig = _Rig(runtime, options)
    source.raw("CurrentReservation", None)
    group = rig.state.groups[0, "LOCAL"]
    group.budget = source.uint("Budget")
    group.available_for_reservation = available_for_reservation(group.budget)
    outcome = rig.call("QueryVideoMemoryInfo", {})
    return {"AvailableForReservation": outcome.values["AvailableForReservation"]}, (reason("d3d12.8.5a"),)


def _grace(source: RecordInput, runtime: D3d12Runtime, options: CheckOptions) -> Answer:
    """Ask the residency manager how old an object may become."""
    del runtime, options
    grace = grace_ns(source.uint("local_usage"), source.uint("local_budget"))
    seconds = None if grace is None else grace / SECOND_NS
    rule = "d3d12.8.8a" if grace is None else "d3d12.8.8b"
    return {"age_trim": grace is not None, "grace_seconds": seconds}, (reason(rule),)


_RESIDENCY: Mapping[str, Callable[[RecordInput, Any, CheckOptions], Answer]] = {
    "default priority": _default_priority,
    "MakeResident/Evict count": _count,
    "EnqueueMakeResident": _make_resident,
    "AvailableForReservation": _reservation,
    "D3DX12Residency grace period": _grace,
}


def _residency_policy(call: str, source: RecordInput, runtime: D3d12Runtime, options: CheckOptions) -> Answer:
    """Play creations, submissions and completions on a device whose application uses a residency library."""
    policy = _POLICIES.get(call)
    if policy is None:
        raise NotUnderstoodError(f"call: {call}")
    rig = _Rig(runtime, options, app_policy=policy)
    # The records tell of the library alone: nothing is demoted behind its back.
    rig.device.kernel.demotes = False
    rig.device.app.clock_ns = 0
    groups = rig.state.groups
    groups[0, "LOCAL"].budget = source.uint("local_budget")
    if (0, "NON_LOCAL") in groups:
        groups[0, "NON_LOCAL"].budget = source.uint("non_local_budget", 0)
    submissions: list[dict[str, object]] = []
    for step in source.items("steps"):
        op = step.raw("op")
        if op == "create":
            rig.heap(str(step.raw("object")), step.uint("size"))
        elif op == "submit":
            submissions.append(_submit(rig, step))
        elif op == "gpu_completed":
            rig.device.app.managers[""].complete(step.uint("through_submission"))
        else:
            raise NotUnderstoodError(f"{step.path}.op: {op}")
        step.finish()
    rules = ("d3d12.8.8a", "d3d12.8.8b", "app.age-trim", "app.pressure-trim", "app.forced")
    return {"per_submission": submissions}, tuple(reason(rule) for rule in rules)


def _submit(rig: _Rig, step: RecordInput) -> dict[str, object]:
    objects = step.raw("objects")
    if not isinstance(objects, list):
        raise NotUnderstoodError(f"{step.path}.objects is no list")
    seconds = step.raw("time_seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise NotUnderstoodError(f"{step.path}.time_seconds: {seconds}")
    rig.state.log.time_ns = round(seconds * SECOND_NS)
    rig.call("ExecuteCommandLists", {"references": cast("list[object]", objects)})
    done, manager = rig.device.app.last[""], rig.device.app.managers[""]
    names = rig.state.heap_names
    return {
        **{key: [names[row] for row in getattr(done, key)] for key in _LISTS},
        "waited": list(done.waited),
        "usage_after": rig.state.groups[0, "LOCAL"].usage,
        "lru_after": [names[row] for row in manager.order],
    }


_LISTS = ("age_evicted", "pressure_evicted", "made_resident", "forced")
_POLICIES = {
    "D3DX12Residency submissions": "d3dx12",
    "D3D12TranslationLayer submissions": "translation-layer",
}
_HANDLERS: Mapping[str, Callable[[str, RecordInput, Any, CheckOptions], Answer]] = {
    "residency": _residency,
    "residency_policy": _residency_policy,
    "resource_tiling": _resource_tiling,
    "tile_mappings": _tile_mappings,
    "copy_descriptors": _copy_descriptors,
}
_KINDS_OF_CALLS: Mapping[str, str] = {
    **dict.fromkeys(("default priority", "MakeResident/Evict count", "AvailableForReservation"), "residency"),
    "D3DX12Residency grace period": "residency",
    **dict.fromkeys(_POLICIES, "residency_policy"),
    "UpdateTileMappings+CopyTileMappings": "tile_mappings",
}
"""Records without a kind, by a call that no method of the API has."""
