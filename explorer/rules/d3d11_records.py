"""Answers to conformance records of Direct3D 10, 10.1, 11 and XG.

Each call has one function that turns the record's spelling into a question to the rules and the verdict into result
keys. Nothing here knows a record: what is not understood is said so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast

from explorer.core.calls import CallRecord, call_specs, decode_input
from explorer.core.d3d11_enums import BindFlag, CpuAccessFlag, Feature, MapType, MiscFlag, Usage
from explorer.core.verdicts import Reason, Verdict
from explorer.errors import CallError
from explorer.rules.d3d11 import NO_STATE, judge
from explorer.rules.d3d11_copy import Box, Side, judge_copy_region, judge_copy_resource, judge_update
from explorer.rules.d3d11_create import judge_create
from explorer.rules.d3d11_map import MapState, judge_map
from explorer.rules.d3d11_phrases import Described, NotUnderstood, described, stated_size
from explorer.rules.d3d11_queries import judge_feature
from explorer.rules.d3d11_record_input import (
    DEFAULT_BYTES,
    DEVICE_KEYS,
    RESOURCE_KEYS,
    Contradiction,
    Input,
    constant_of,
    data_of,
    device_of,
    format_of,
    only_keys,
    resource_from,
    usage_of,
    whole,
)
from explorer.rules.d3d11_resource import Resource, permission, resource_of
from explorer.rules.d3d11_sizes import resource_limit_mb
from explorer.rules.records import RecordAnswer
from explorer.tables.check_tables import known_kind, machine_keys, word_keys
from explorer.tables.d3d11_tables import feature_sizes, usages

if TYPE_CHECKING:
    from explorer.rules.d3d11_runtime import Runtime11
    from explorer.rules.records import CheckOptions, VectorRecord

Answer = tuple[Mapping[str, object], tuple[Reason, ...]]

_DIMENSIONS = ("buffer", "texture1d", "texture2d", "texture3d")
_EDGE = 4
"""Texels along an edge of a texture whose record states no extent."""


def answer(record: VectorRecord, options: CheckOptions) -> RecordAnswer:
    """Return the answer to a record of these APIs."""
    try:
        function = _CALLS.get(record.call)
        if function is None:
            raise NotUnderstood(f"call: {record.call}")
        device = device_of(record, options)
        if "pDesc" in record.input or "Feature" in record.input:
            result, reasons = _typed(record, device)
        else:
            result, reasons = function(record, device)
    except NotUnderstood as unknown:
        return RecordAnswer("not_understood", {}, (), str(unknown))
    except Contradiction as other:
        return RecordAnswer("skipped", {}, (), f"needs another device: {other}")
    if record.want is None and known_kind(record.api, record.kind):
        asked = machine_keys(record.api, record.kind) | word_keys(record.api, record.kind)
        result = {key: value for key, value in result.items() if key in asked}
        if not result:
            return RecordAnswer("not_understood", {}, (), f"kind: {record.kind} of a {record.call}")
    return RecordAnswer("answered", result, reasons)


def _typed(record: VectorRecord, device: Runtime11) -> Answer:
    """Answer a record whose input is spelt as a call record's."""
    if (record.api, record.call) not in call_specs():
        raise NotUnderstood(f"call: {record.call}")
    rest = {key: value for key, value in record.input.items() if key not in DEVICE_KEYS}
    try:
        arguments = decode_input(CallRecord(record.api, record.call, rest))
    except CallError as error:
        raise NotUnderstood(str(error)) from error
    if not record.call.startswith(("CreateBuffer", "CreateTexture")):
        if record.call != "CheckFeatureSupport":
            raise NotUnderstood(f"call: {record.call} with pDesc")
        verdict = judge(arguments, NO_STATE, device)
        return {"hr": verdict.hr}, verdict.reasons
    return _created(judge(arguments, NO_STATE, device), resource_of(arguments.pDesc))


def _created(verdict: Verdict, resource: Resource) -> Answer:
    result: dict[str, object] = {"create_hr": verdict.hr}
    reasons = verdict.reasons
    if not verdict.succeeded:
        return result, reasons
    if resource.is_buffer:
        result["desc_structure_byte_stride"] = resource.stride if resource.is_structured else 0
        result["implements_ID3D10Buffer"] = not resource.is_structured
        return result, (*reasons, permission("d3d11.I11.2"))
    result["desc_mip_levels"] = resource.levels
    surface = resource.dimension in ("texture1d", "texture2d") and resource.subresources == 1
    result["implements_IDXGISurface"] = surface
    return result, (*reasons, permission("d3d11.I11.1"))


def _create(dimension: str, extra_misc: int = 0) -> Callable[[VectorRecord, Runtime11], Answer]:
    def function(record: VectorRecord, device: Runtime11) -> Answer:
        given = record.input
        only_keys(given, RESOURCE_KEYS | DEVICE_KEYS)
        if given.get("kind", dimension) != dimension:
            raise NotUnderstood(f"kind: {given['kind']!r} of a {record.call}")
        if extra_misc and "misc" not in given:
            given = {**given, "misc": extra_misc}
        resource = resource_from(given, dimension, record.api, device)
        return _created(judge_create(resource, data_of(given), True, device), resource)

    return function


_FULL_ACCESS = "vertex buffer or staging buffer with full CPU access"


def _map(record: VectorRecord, device: Runtime11) -> Answer:
    given = record.input
    only_keys(given, RESOURCE_KEYS | DEVICE_KEYS | {"subresource", "map_type", "resource", "map_flags"})
    if "map_type" not in given:
        raise NotUnderstood("input key missing: map_type")
    sized = True
    if "resource" in given:
        resource = _resource_in_words(given, record.api)
    else:
        dimension = given.get("kind", "buffer")
        if dimension not in _DIMENSIONS:
            raise NotUnderstood(f"kind: {dimension!r}")
        sized = ("byte_width" if dimension == "buffer" else "width") in given
        resource = resource_from(given, str(dimension), record.api, device)
    subresource = whole(given.get("subresource", 0), "subresource")
    map_type = constant_of(given["map_type"], MapType, "MAP_")
    flags = whole(given.get("map_flags", 0), "map_flags")
    verdict = judge_map(resource, subresource, map_type, flags, MapState(), device)
    result: dict[str, object] = {"hr": verdict.hr, "allowed": verdict.succeeded}
    if verdict.succeeded and sized:
        result |= {"row_pitch": verdict.values["RowPitch"], "depth_pitch": verdict.values["DepthPitch"]}
    return result, verdict.reasons


def _resource_in_words(given: Input, api: str) -> Resource:
    if given["resource"] != _FULL_ACCESS:
        raise NotUnderstood(f"resource: {given['resource']!r}")
    usage = usage_of(given)
    if usage == Usage.STAGING:
        access = int(CpuAccessFlag.READ | CpuAccessFlag.WRITE)
        return Resource(api, "buffer", DEFAULT_BYTES, usage=usage, cpu=access)
    access = int(CpuAccessFlag.WRITE) if usage == Usage.DYNAMIC else 0
    return Resource(api, "buffer", DEFAULT_BYTES, usage=usage, bind=int(BindFlag.VERTEX_BUFFER), cpu=access)


def _copied(verdict: Verdict) -> Answer:
    changes = verdict.values["destination_changes"]
    result = {"destination_changes": changes, "whole_subresource": verdict.values["whole_subresource"]}
    return {**result, "allowed": verdict.succeeded}, verdict.reasons


_COPY_KEYS = frozenset({"src", "dst", "type", "box_left_top_front_right_bottom_back", "texel_bytes",
                        "src_usage", "dst_usage"})  # fmt: skip


def _copy(record: VectorRecord, device: Runtime11) -> Answer:
    only_keys(record.input, _COPY_KEYS | DEVICE_KEYS)
    destination, source = _copy_sides(record, device)
    if source is None:
        raise NotUnderstood("input key missing: src")
    box = _box(record.input)
    if record.call == "CopyResource":
        if box is not None:
            raise NotUnderstood("input key: box_left_top_front_right_bottom_back of a CopyResource")
        return _copied(judge_copy_resource(Side(destination), Side(source), False, device))
    at = (0, 0, 0) if box is None or destination.is_buffer else box[:3]
    depth = (destination.bind | source.bind) & BindFlag.DEPTH_STENCIL
    if record.kind == "copy_format_compat" and depth:
        # What this kind copies is a part of the subresource.
        box = (0, 0, 0, _EDGE - 1, _EDGE - 1, 1)
    return _copied(judge_copy_region(Side(destination), Side(source), False, at, box, device))


def _update(record: VectorRecord, device: Runtime11) -> Answer:
    only_keys(record.input, frozenset({"dst", "type", "box_left_top_front_right_bottom_back"}) | DEVICE_KEYS)
    destination, _ = _copy_sides(record, device)
    return _copied(judge_update(Side(destination), _box(record.input), device))


def _box(given: Input) -> Box | None:
    box = given.get("box_left_top_front_right_bottom_back")
    if box is None:
        return None
    edges = cast("list[object]", box) if isinstance(box, list | tuple) else []
    if len(edges) != 6:
        raise NotUnderstood(f"box: {box!r}")
    left, top, front, right, bottom, back = (whole(edge, "box") for edge in edges)
    return left, top, front, right, bottom, back


def _copy_sides(record: VectorRecord, device: Runtime11) -> tuple[Resource, Resource | None]:
    """Return destination and source; a side whose size is not stated has the other's."""
    given = record.input
    if "dst_usage" in given:
        return _by_usage(given, "dst_usage", record.api), _by_usage(given, "src_usage", record.api)
    sides = [_side_in_words(given[key]) if isinstance(given.get(key), str) else None for key in ("dst", "src")]
    typed = described(f"DEFAULT {given['type']}") if isinstance(given.get("type"), str) else None
    hints = [side for side in (typed, *sides) if side is not None]
    resources: list[Resource | None] = []
    for key, words in zip(("dst", "src"), sides, strict=True):
        value = given.get(key)
        if words is not None:
            resources.append(_in_words(words, hints, record.api))
        elif isinstance(value, Mapping):
            resources.append(_structured(cast("Input", value), record.api, device))
        elif value is None:
            resources.append(None)
        else:
            raise NotUnderstood(f"{key}: {value!r}")
    if resources[0] is None:
        raise NotUnderstood("input key missing: dst")
    return resources[0], resources[1]


def _side_in_words(value: object) -> Described:
    return described(str(value))


def _by_usage(given: Input, key: str, api: str) -> Resource:
    if key not in given:
        raise NotUnderstood(f"input key missing: {key}")
    usage = constant_of(given[key], Usage, "USAGE_")
    facts = usages().get(usage)
    if facts is None:
        raise NotUnderstood(f"{key}: {given[key]!r}")
    bind = int(BindFlag.VERTEX_BUFFER) if facts.is_input else 0
    return Resource(api, "buffer", DEFAULT_BYTES, usage=usage, bind=bind, cpu=int(facts.cpu_access))


def _structured(given: Input, api: str, device: Runtime11) -> Resource:
    only_keys(given, RESOURCE_KEYS)
    dimension = str(given.get("kind", "texture2d" if "format" in given else "buffer"))
    if dimension not in _DIMENSIONS:
        raise NotUnderstood(f"kind: {dimension}")
    sized = {"width": _EDGE, "height": _EDGE, **given}
    return resource_from(sized, dimension, api, device)


def _in_words(words: Described, hints: list[Described], api: str) -> Resource:
    dimension = words.dimension or next((hint.dimension for hint in hints if hint.dimension), "")
    if not dimension:
        raise NotUnderstood("a resource whose type is not stated")
    extent = words.extent or next((hint.extent for hint in hints if hint.extent), ())
    if dimension == "buffer":
        size = extent[0] if len(extent) == 1 else DEFAULT_BYTES
        return Resource(api, "buffer", size, usage=words.usage, bind=words.bind, cpu=words.cpu)
    axes = int(dimension[-2])
    edges = extent if len(extent) == axes else (_EDGE,) * axes
    width, height, depth = (*edges, 1, 1)[:3]
    return Resource(
        api, dimension, width, height, depth, format=format_of("R8G8B8A8_UNORM"),
        usage=words.usage, bind=words.bind, cpu=words.cpu,
    )  # fmt: skip


def _feature(record: VectorRecord, device: Runtime11) -> Answer:
    given = record.input
    only_keys(given, frozenset({"feature", "data"}) | DEVICE_KEYS)
    feature = str(given.get("feature", "")).removeprefix("D3D11_FEATURE_")
    row = feature_sizes().get(feature)
    if feature not in Feature.__members__ or row is None:
        raise NotUnderstood(f"feature: {feature}")
    size, has_data = stated_size(str(given.get("data", "exact size")), row.size)
    verdict = judge_feature(feature, size, has_data, device)
    return {"hr": verdict.hr}, verdict.reasons


def _largest(record: VectorRecord, device: Runtime11) -> Answer:
    only_keys(record.input, frozenset({"dedicated_video_memory_mb"}) | DEVICE_KEYS)
    dedicated = device.dedicated_bytes >> 20
    if "dedicated_video_memory_mb" in record.input:
        dedicated = whole(record.input["dedicated_video_memory_mb"], "dedicated_video_memory_mb")
    return {"max_resource_mb": resource_limit_mb(dedicated)}, (permission("d3d11.L6.2"),)


def _access(record: VectorRecord, _device: Runtime11) -> Answer:
    given = record.input
    only_keys(given, frozenset({"usage", "usage_value", "access"}) | DEVICE_KEYS)
    facts = usages().get(usage_of(given))
    allowed = facts.access.get(str(given.get("access"))) if facts else None
    if allowed is None:
        raise NotUnderstood(f"access: {given.get('access')!r}")
    if allowed in ("yes", "no"):
        return {"allowed": allowed == "yes"}, (permission("d3d11.U1.5"),)
    return {"allowed": {"rule": "d3d11.U1.7"}}, (permission("d3d11.U1.7"), permission("d3d11.U1.5"))


def _bind(record: VectorRecord, _device: Runtime11) -> Answer:
    given = record.input
    only_keys(given, frozenset({"usage", "usage_value", "as_", "as"}) | DEVICE_KEYS)
    facts = usages().get(usage_of(given))
    wanted = given.get("as_", given.get("as"))
    if facts is None or wanted not in ("pipeline input", "pipeline output"):
        raise NotUnderstood(f"as_: {wanted!r}")
    allowed = facts.is_input if wanted == "pipeline input" else facts.is_output
    notes = {Usage.DEFAULT: ("d3d11.U1.8",), Usage.DYNAMIC: ("d3d11.U1.9",)}.get(facts.usage, ())
    return {"allowed": allowed}, (permission("d3d11.U1.6"), *(permission(rule) for rule in notes if allowed))


_CALLS: Mapping[str, Callable[[VectorRecord, Runtime11], Answer]] = {
    "CreateBuffer": _create("buffer"),
    "CreateTexture1D": _create("texture1d"),
    "CreateTexture2D": _create("texture2d"),
    "CreateTexture3D": _create("texture3d"),
    "CreateTexture2D (TEXTURECUBE)": _create("texture2d", int(MiscFlag.TEXTURECUBE)),
    "Map": _map,
    "UpdateSubresource": _update,
    "CopyResource": _copy,
    "CopySubresourceRegion": _copy,
    "CheckFeatureSupport": _feature,
    "max resource size": _largest,
    "usage access": _access,
    "bind": _bind,
}
