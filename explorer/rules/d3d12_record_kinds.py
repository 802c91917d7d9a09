"""Answers to D3D12 records that create or map something."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from explorer.core import d3d12
from explorer.core.d3d12_enums import BarrierLayout, HeapFlags, HeapType, ResourceFlags, ResourceStates
from explorer.core.d3d12_structs import DescriptorHeapDesc, HeapDesc, HeapProperties, ResourceDesc
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.verdicts import Reason, Verdict
from explorer.rules.d3d12_access import ResourceState, judge_map
from explorer.rules.d3d12_allocation import DEFAULT_ALIGNMENT, check_allocation, judge_allocation_info
from explorer.rules.d3d12_create import HeapState, judge_committed, judge_placed, judge_reserved
from explorer.rules.d3d12_desc import mips_of
from explorer.rules.d3d12_descriptors import judge_descriptor_heap
from explorer.rules.d3d12_findings import reason
from explorer.rules.d3d12_heaps import judge_create_heap, judge_custom_heap_properties
from explorer.rules.d3d12_record_input import (
    Device,
    NotUnderstoodError,
    RecordInput,
    clear_value,
    decode_value,
    description,
    heap_description,
    heap_properties,
    wants_object,
)

if TYPE_CHECKING:
    from explorer.rules.d3d12_runtime import D3d12Runtime

Answer = tuple[dict[str, object], Sequence[Reason]]
Handler = Callable[[str, RecordInput, Device, Mapping[str, object]], Answer]
_UINT64_MAX = "UINT64_MAX"
_TERM = re.compile(r"\s*(GetResourceAllocationInfo\(desc\)\.(?:SizeInBytes|Alignment)|\d+)\s*([+*]|$)")


def formats(source: RecordInput, key: str) -> tuple[DXGI_FORMAT, ...]:
    """Return a list of formats."""
    value = source.raw(key, [])
    if not isinstance(value, list):
        raise NotUnderstoodError(f"{source.path}.{key} is no list")
    path = f"{source.path}.{key}"
    return tuple(decode_value(item, DXGI_FORMAT, f"{path}[{i}]") for i, item in enumerate(cast("list[object]", value)))


def _castable(source: RecordInput, requires: Mapping[str, object]) -> tuple[DXGI_FORMAT, ...]:
    """Return the castable formats.

    A creation that states relaxed casting and names no list stands for one with every castable format on it: the
    older calls have no such parameter.
    """
    if "castable_formats" in source:
        return formats(source, "castable_formats")
    if requires.get("relaxed_format_casting") is True:
        return (DXGI_FORMAT.UNKNOWN,)
    return ()


_SAME_SIZE = {8: DXGI_FORMAT.R32G32_UINT, 16: DXGI_FORMAT.R32G32B32A32_UINT}


def _implied_list(desc: ResourceDesc, castable: tuple[DXGI_FORMAT, ...]) -> tuple[DXGI_FORMAT, ...]:
    from explorer.tables.dxgi_formats import format_info

    if castable != (DXGI_FORMAT.UNKNOWN,) or desc.Format is DXGI_FORMAT.UNKNOWN:
        return castable
    info = format_info(desc.Format)
    return (_SAME_SIZE[info.bytes_per_block],) if info.is_compressed else ()


def _committed(
    desc: ResourceDesc, source: RecordInput, castable: tuple[DXGI_FORMAT, ...], call: str
) -> d3d12.CreateCommittedResource | d3d12.CreateCommittedResource3:
    default = {"Type": "DEFAULT"}
    heap = (
        heap_properties(source)
        if "heap_properties" in source
        else decode_value(default, HeapProperties, "heap_properties")
    )
    flags = source.get("heap_flags", HeapFlags, HeapFlags.NONE)
    clear, wanted = clear_value(source), wants_object(source)
    if castable or "initial_layout" in source or call.endswith("3"):
        layout = source.get("initial_layout", BarrierLayout, BarrierLayout.UNDEFINED)
        return d3d12.CreateCommittedResource3(heap, desc, layout, flags, clear, castable, wanted)
    state = source.get("initial_state", ResourceStates, ResourceStates.COMMON)
    return d3d12.CreateCommittedResource(heap, desc, state, flags, clear, wanted)


def _reserved(
    desc: ResourceDesc, source: RecordInput, castable: tuple[DXGI_FORMAT, ...]
) -> d3d12.CreateReservedResource | d3d12.CreateReservedResource2:
    clear, wanted = clear_value(source), wants_object(source)
    state = source.get("initial_state", ResourceStates, ResourceStates.COMMON)
    if castable or "initial_layout" in source:
        layout = source.get("initial_layout", BarrierLayout, BarrierLayout.COMMON)
        return d3d12.CreateReservedResource2(desc, layout, clear, castable, wanted)
    return d3d12.CreateReservedResource(desc, state, clear, wanted)


def _heap_of(source: RecordInput, desc: ResourceDesc, runtime: D3d12Runtime) -> HeapDesc:
    heap = source.part("heap")
    data = dict(heap.data)
    rule = data.pop("SizeInBytes_rule", None)
    if rule is not None:
        data["SizeInBytes"] = _size_rule(rule, desc, runtime, f"{heap.path}.SizeInBytes_rule")
    return heap_description(data, heap.path)


def _size_rule(rule: object, desc: ResourceDesc, runtime: D3d12Runtime, path: str) -> int:
    """Return a size written as a sum of products of numbers and of what the allocation query answers."""
    text, at, total, product = str(rule), 0, 0, 1
    while True:
        term = _TERM.match(text, at)
        if term is None:
            raise NotUnderstoodError(f"{path}: {rule}")
        product *= _term(term[1], desc, runtime)
        if term[2] != "*":
            total, product = total + product, 1
        if not term[2]:
            return total
        at = term.end()


def _term(text: str, desc: ResourceDesc, runtime: D3d12Runtime) -> int:
    if text.isdigit():
        return int(text)
    allocation = check_allocation(desc, runtime)
    return allocation.alignment if text.endswith("Alignment") else allocation.size_bytes


def _created(desc: ResourceDesc, verdict: Verdict) -> dict[str, object]:
    if not verdict.succeeded:
        return {"hr": verdict.hr, "out_pointer": None}
    alignment = verdict.values["Alignment"]
    return {
        "hr": verdict.hr,
        "gpu_virtual_address_is_zero": not verdict.values["HasGPUVirtualAddress"],
        "desc": {
            "Dimension": desc.Dimension.name, "Alignment": alignment, "Width": desc.Width, "Height": desc.Height,
            "DepthOrArraySize": desc.DepthOrArraySize, "MipLevels": mips_of(desc), "Format": desc.Format.constant,
            "SampleDesc": {"Count": desc.SampleDesc.Count, "Quality": desc.SampleDesc.Quality},
            "Layout": bare(desc.Layout.constant, desc.Layout.prefix()),
            "Flags": [bare(str(flag), ResourceFlags.prefix()) for flag in desc.Flags.constants if flag],
        },
    }  # fmt: skip


def bare(constant: str, prefix: str) -> str:
    """Return a constant as records spell it, without the common prefix."""
    return constant.removeprefix(prefix)


def resource_creation(call: str, source: RecordInput, device: Device, requires: Mapping[str, object]) -> Answer:
    """Answer CreateCommittedResource, CreatePlacedResource and CreateReservedResource."""
    desc, runtime = description(source), device.runtime
    castable = _implied_list(desc, _castable(source, requires))
    if call.startswith("CreateCommittedResource"):
        verdict = judge_committed(_committed(desc, source, castable, call), runtime)
        return _created(desc, verdict), verdict.reasons
    if call.startswith("CreateReservedResource"):
        verdict = judge_reserved(_reserved(desc, source, castable), runtime)
        result = _created(desc, verdict)
        if verdict.succeeded:
            result |= {"GetHeapProperties_hr": "E_INVALIDARG", "Map_hr": "E_INVALIDARG"}
        return result, verdict.reasons
    heap = _heap_of(source, desc, runtime)
    offset = source.uint("heap_offset", 0)
    clear, wanted = clear_value(source), wants_object(source)
    state = source.get("initial_state", ResourceStates, ResourceStates.COMMON)
    if castable or "initial_layout" in source:
        layout = source.get("initial_layout", BarrierLayout, BarrierLayout.UNDEFINED)
        arguments = d3d12.CreatePlacedResource2("heap", offset, desc, layout, clear, castable, wanted)
    else:
        arguments = d3d12.CreatePlacedResource("heap", offset, desc, state, clear, wanted)
    made = judge_create_heap(d3d12.CreateHeap(heap), runtime)
    if not made.succeeded:
        return {"hr": None}, made.reasons
    verdict = judge_placed(arguments, HeapState(heap), runtime)
    return _created(desc, verdict), verdict.reasons


def castable_formats(call: str, source: RecordInput, device: Device, requires: Mapping[str, object]) -> Answer:
    """Answer CreateCommittedResource3 and GetResourceAllocationInfo3 with a list of castable formats."""
    del requires
    desc, castable = description(source), formats(source, "castable_formats")
    result: dict[str, object] = {}
    reasons: Sequence[Reason] = ()
    if "GetResourceAllocationInfo3" in call:
        arguments = d3d12.GetResourceAllocationInfo3((desc,), (castable,))
        verdict = judge_allocation_info(arguments, device.runtime)
        result["allocation_size_is_uint64_max"] = not verdict.succeeded
        reasons = verdict.reasons
    if "CreateCommittedResource3" in call:
        created = judge_committed(_committed(desc, source, castable, "CreateCommittedResource3"), device.runtime)
        result["hr"], reasons = created.hr, created.reasons
    return result, reasons


def heap_creation(call: str, source: RecordInput, device: Device, requires: Mapping[str, object]) -> Answer:
    """Answer CreateHeap."""
    del call, requires
    data = {key: source.raw(key) for key in source.data if key not in ("architecture", "gpu_upload_heap_supported")}
    verdict = judge_create_heap(d3d12.CreateHeap(heap_description(data, source.path)), device.runtime)
    result: dict[str, object] = {"hr": verdict.hr}
    if verdict.succeeded:
        result["get_desc"] = {key: verdict.values[key] for key in ("SizeInBytes", "Alignment")}
    return result, verdict.reasons


def custom_heap_properties(call: str, source: RecordInput, device: Device, requires: Mapping[str, object]) -> Answer:
    """Answer GetCustomHeapProperties, and CreateHeap with CUSTOM properties."""
    source.raw("architecture", None)
    source.raw("gpu_upload_heap_supported", None)
    if call == "CreateHeap":
        return heap_creation(call, source, device, requires)
    kind = source.get("heap_type", HeapType)
    verdict = judge_custom_heap_properties(d3d12.GetCustomHeapProperties(kind), device.runtime)
    if not verdict.succeeded:
        return {"hr": verdict.hr}, verdict.reasons
    prefixes = {
        "Type": "D3D12_HEAP_TYPE_",
        "CPUPageProperty": "D3D12_CPU_PAGE_PROPERTY_",
        "MemoryPoolPreference": "D3D12_MEMORY_POOL_",
    }
    return {key: bare(str(verdict.values[key]), prefix) for key, prefix in prefixes.items()}, verdict.reasons


def descriptor_heap_creation(call: str, source: RecordInput, device: Device, requires: Mapping[str, object]) -> Answer:
    """Answer CreateDescriptorHeap; ``caps`` states the adapter's limits."""
    del call, requires
    fields = {
        "MaxViewDescriptorHeapSize": "max_view_heap",
        "MaxSamplerDescriptorHeapSize": "max_sampler_heap",
        "ResourceBindingTier": "binding_tier",
    }
    if "caps" in source:
        caps = source.part("caps")
        for key, field in fields.items():
            if key in caps:
                device = device.state(field, caps.uint(key), f"{caps.path}.{key}")
        caps.finish()
    data = {key: source.raw(key) for key in source.data if key != "caps"}
    desc = decode_value(data, DescriptorHeapDesc, source.path)
    verdict = judge_descriptor_heap(d3d12.CreateDescriptorHeap(desc), device.runtime)
    return {"hr": verdict.hr}, verdict.reasons


def map_calls(call: str, source: RecordInput, device: Device, requires: Mapping[str, object]) -> Answer:
    """Answer Map alone, or the sequence that creates what is mapped."""
    del requires
    if call == "Map":
        return _map(source, device.runtime)
    desc, heap = description(source), heap_properties(source)
    own_flags = source.get("heap_flags_committed", HeapFlags, HeapFlags.NONE)
    heap_flags = source.get("heap_flags_heap", HeapFlags, HeapFlags.NONE)
    state = source.get("initial_state", ResourceStates, ResourceStates.COMMON)
    runtime = device.runtime
    allocation = check_allocation(desc, runtime)
    size = allocation.size_bytes if allocation.ok else DEFAULT_ALIGNMENT
    alignment = allocation.alignment if allocation.alignment > DEFAULT_ALIGNMENT else 0
    made = judge_create_heap(d3d12.CreateHeap(HeapDesc(size, heap, alignment, heap_flags)), runtime)
    arguments = d3d12.CreateCommittedResource(heap, desc, state, own_flags)
    created = judge_committed(arguments, runtime)
    result: dict[str, object] = {
        "heap_hr": made.hr, "create_hr": created.hr, "map_with_pointer_hr": None, "map_null_pointer_hr": None,
    }  # fmt: skip
    reasons = [*made.reasons, *created.reasons]
    if created.succeeded:
        live = ResourceState(replace(desc, MipLevels=mips_of(desc)), heap)
        for key, pointer in (("map_with_pointer_hr", True), ("map_null_pointer_hr", False)):
            mapped = judge_map(d3d12.Map("resource", 0, None, pointer), live, runtime)
            result[key] = mapped.hr
            reasons.extend(mapped.reasons)
    return result, tuple({one.rule: one for one in reasons}.values())


def _map(source: RecordInput, runtime: D3d12Runtime) -> Answer:
    desc = description(source)
    heap: HeapProperties | None = None
    if source.raw("resource", "committed") == "reserved":
        source.raw("heap_properties", None)
    else:
        heap = heap_properties(source)
    pointer = source.get("data_pointer_requested", bool, True)
    arguments = d3d12.Map("resource", source.uint("subresource", 0), None, pointer)
    verdict = judge_map(arguments, ResourceState(replace(desc, MipLevels=mips_of(desc)), heap), runtime)
    return {"hr": verdict.hr, "out_pointer_untouched": not verdict.succeeded}, verdict.reasons


def refused(kind: str, call: str) -> dict[str, object] | None:
    """Return the answer of a kind to a parameter that names no member of its enumeration."""
    if kind == "allocation_info":
        return {"SizeInBytes": _UINT64_MAX, "Alignment": DEFAULT_ALIGNMENT, "valid": False}
    if kind == "copyable_footprints":
        return {"error": True, "every_field_all_ones": True, "total_bytes": _UINT64_MAX}
    if kind == "castable_formats":
        sizes = {"allocation_size_is_uint64_max": True} if "GetResourceAllocationInfo3" in call else {}
        return {"hr": "E_INVALIDARG", **sizes}
    if kind in ("heap_creation", "custom_heap_properties", "descriptor_heap_creation", "resource_creation"):
        return {"hr": "E_INVALIDARG"}
    return None


OUTSIDE = reason("11.9")
