"""Answers to D3D12 conformance records."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from explorer.core.calls import call_spec, call_specs
from explorer.core.schema import keys_of
from explorer.rules.d3d12 import NEEDS, has_rules, judge
from explorer.rules.d3d12_record_device import feature_queries, needs_device
from explorer.rules.d3d12_record_input import (
    Device,
    NotSimulatedError,
    NotUnderstoodError,
    OutsideEnumerationError,
    RecordInput,
    SkippedError,
    decode_value,
    device_of,
)
from explorer.rules.d3d12_record_kinds import (
    OUTSIDE,
    Answer,
    Handler,
    castable_formats,
    custom_heap_properties,
    descriptor_heap_creation,
    heap_creation,
    map_calls,
    refused,
    resource_creation,
)
from explorer.rules.d3d12_record_queries import (
    allocation_info,
    copyable_footprints,
    number,
    root_signature,
)
from explorer.rules.records import CheckOptions, RecordAnswer, VectorRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.rules.d3d12_runtime import D3d12Runtime

_CREATE = ("CreateCommittedResource", "CreatePlacedResource", "CreateReservedResource")
_ALLOCATION = tuple(f"GetResourceAllocationInfo{n}" for n in ("", "1", "2", "3"))
_CREATE_CALLS = tuple(f"{name}{n}" for name in _CREATE for n in ("", "1", "2", "3"))

KINDS: Mapping[str, tuple[Handler, tuple[str, ...]]] = {
    "allocation_info": (allocation_info, _ALLOCATION),
    "castable_formats": (
        castable_formats,
        (
            "CreateCommittedResource3",
            "GetResourceAllocationInfo3",
            "GetResourceAllocationInfo3 + CreateCommittedResource3",
        ),
    ),
    "copy_descriptors": (needs_device, ("CopyDescriptors",)),
    "copyable_footprints": (
        copyable_footprints,
        ("GetCopyableFootprints", "GetCopyableFootprints1", "D3D12CalcSubresource"),
    ),
    "custom_heap_properties": (custom_heap_properties, ("GetCustomHeapProperties", "CreateHeap")),
    "descriptor_heap_creation": (descriptor_heap_creation, ("CreateDescriptorHeap",)),
    "feature_queries": (feature_queries, ()),
    "heap_creation": (heap_creation, ("CreateHeap", "CreateHeap1")),
    "map": (map_calls, ("Map", "CreateHeap+CreatePlacedResource+CreateCommittedResource+Map")),
    "residency": (needs_device, ()),
    "residency_policy": (needs_device, ()),
    "resource_creation": (resource_creation, _CREATE_CALLS),
    "resource_tiling": (needs_device, ("GetResourceTiling",)),
    "root_signature": (root_signature, ("CreateRootSignature",)),
    "tile_mappings": (needs_device, ("UpdateTileMappings", "UpdateTileMappings+CopyTileMappings")),
}
"""Kind → how it is answered, and the calls that it knows (empty: the handler decides)."""


def _kind_of(record: VectorRecord) -> str:
    """Return a record's kind; a free record has that of its call.

    Raises:
        NotUnderstoodError: Nobody knows the kind or the call.
    """
    if record.kind is not None:
        if record.kind not in KINDS:
            raise NotUnderstoodError(f"kind: {record.kind}")
        return record.kind
    named = [kind for kind, (_, calls) in KINDS.items() if record.call in calls]
    if record.call == "CreateHeap":
        return "custom_heap_properties"
    if named:
        return named[0]
    if record.call.startswith("CheckFeatureSupport("):
        return "feature_queries"
    raise NotUnderstoodError(f"call: {record.call}")


def _is_official(record: VectorRecord) -> bool:
    """Return whether a free record is spelled as calls of a scenario are, with the API's own parameter names."""
    spec = call_specs().get(("d3d12", record.call))
    return spec is not None and any(key in keys_of(spec.input_type) for key in record.input)


def _official(record: VectorRecord, runtime: D3d12Runtime) -> RecordAnswer:
    kind = cast("type[object]", call_spec("d3d12", record.call).input_type)
    try:
        arguments = decode_value(dict(record.input), kind, "input")
    except OutsideEnumerationError as error:
        if record.call.startswith("Get") or str(error).endswith("Format"):
            raise NotUnderstoodError(str(error)) from error
        return RecordAnswer("answered", {"hr": "E_INVALIDARG"}, (OUTSIDE,))
    if not has_rules(arguments) or kind in NEEDS:
        raise NotSimulatedError(f"{record.call} needs the objects that it names")
    verdict = judge(arguments, None, runtime)
    # The calls that begin with Get return no HRESULT.
    result: dict[str, object] = {} if record.call.startswith("Get") else {"hr": verdict.hr}
    for key, value in verdict.values.items():
        result[key] = number(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not result:
        result["hr"] = verdict.hr
    return RecordAnswer("answered", result, verdict.reasons)


def answer(record: VectorRecord, options: CheckOptions) -> RecordAnswer:
    """Return the answer to a record.

    It depends on the record's API, kind, call, input, requirements and preconditions and on the options only.
    """
    try:
        if record.kind is None and _is_official(record):
            return _official(record, device_of(record, options).runtime)
        kind = _kind_of(record)
        handler, calls = KINDS[kind]
        if calls and record.call not in calls:
            raise NotUnderstoodError(f"call: {record.call}")
        device = device_of(record, options)
        source = RecordInput(record.input)
        result, reasons = _answer(handler, kind, record, source, device)
    except NotUnderstoodError as error:
        return RecordAnswer("not_understood", {}, (), str(error))
    except SkippedError as error:
        return RecordAnswer("skipped", {}, (), str(error))
    except NotSimulatedError as error:
        return RecordAnswer("not_simulated", {}, (), str(error))
    return RecordAnswer("answered", result, tuple(reasons))


def _answer(handler: Handler, kind: str, record: VectorRecord, source: RecordInput, device: Device) -> Answer:
    try:
        found = handler(record.call, source, device, record.requires)
        source.finish()
        return found
    except OutsideEnumerationError as error:
        result = refused(kind, record.call)
        if result is None or str(error).endswith("Format"):
            raise NotUnderstoodError(str(error)) from error
        return result, (OUTSIDE,)
