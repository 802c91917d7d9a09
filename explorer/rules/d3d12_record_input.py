"""Reads the input of D3D12 conformance records: their spelling, and the device that they state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from explorer.core.d3d12_structs import ClearValue, HeapDesc, HeapProperties, ResourceDesc
from explorer.core.schema import decode
from explorer.errors import CallError
from explorer.rules.d3d12_runtime import D3d12Runtime, fixed_runtime

if TYPE_CHECKING:
    from explorer.rules.records import CheckOptions, VectorRecord

T = TypeVar("T")
_MISSING: Any = object()


class NotUnderstoodError(Exception):
    """A call, key or phrase that the records' language does not have; the text names it."""


class NotSimulatedError(Exception):
    """What a record is about cannot exist on the device, is too large to be listed, or needs a device with a past."""


class SkippedError(Exception):
    """The record states a device that the chosen adapter or option is not."""


class OutsideEnumerationError(Exception):
    """A number names no member of its enumeration; the text is its key path."""


class RecordInput:
    """A record's input, read key by key; ``finish`` refuses what nobody read.

    Args:
        data: The input.
        path: Where it stands, for messages.
    """

    def __init__(self, data: Mapping[str, object], path: str = "input") -> None:
        self.data = data
        self.path = path
        self._read: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def raw(self, key: str, default: object = _MISSING) -> object:
        """Return a value as it stands; without a default a missing key is not understood."""
        self._read.add(key)
        value = self.data.get(key, default)
        if value is _MISSING:
            raise NotUnderstoodError(f"{self.path}.{key} is missing")
        return value

    def get(self, key: str, kind: type[T], default: object = _MISSING) -> T:
        """Return a value decoded as ``kind`` (a dataclass, an enumeration, bool, int, str)."""
        value = self.raw(key, default)
        if value is default and key not in self.data:
            return cast("T", value)
        return decode_value(value, kind, f"{self.path}.{key}")

    def uint(self, key: str, default: object = _MISSING) -> int:
        """Return a number from 0 to 2^64 − 1."""
        value = self.get(key, int, default)
        if not 0 <= value < 1 << 64:
            raise NotUnderstoodError(f"{self.path}.{key}: {value}")
        return value

    def items(self, key: str) -> Iterator[RecordInput]:
        """Yield the objects of a list."""
        value = self.raw(key)
        if not isinstance(value, list):
            raise NotUnderstoodError(f"{self.path}.{key} is no list")
        for index, item in enumerate(cast("list[object]", value)):
            yield self._object(item, f"{key}[{index}]")

    def part(self, key: str) -> RecordInput:
        """Return an object below a key."""
        return self._object(self.raw(key), key)

    def _object(self, value: object, key: str) -> RecordInput:
        if not isinstance(value, Mapping):
            raise NotUnderstoodError(f"{self.path}.{key} is no object")
        return RecordInput(cast("Mapping[str, object]", value), f"{self.path}.{key}")

    def finish(self) -> None:
        """Refuse keys that nobody read."""
        for key in self.data:
            if key not in self._read:
                raise NotUnderstoodError(f"{self.path}.{key}")


def decode_value(value: object, kind: type[T], path: str) -> T:
    """Return a value of a record as ``kind``.

    Raises:
        OutsideEnumerationError: A number that names no constant.
        NotUnderstoodError: Anything else that does not fit; names the path.
    """
    try:
        return decode(value, kind, path)
    except CallError as error:
        complaint = error.complaint
        if complaint.message == "unknown constant" and re.fullmatch(r"-?\d+", complaint.found or ""):
            raise OutsideEnumerationError(complaint.where or path) from error
        found = "" if complaint.found is None else f" ({complaint.found})"
        raise NotUnderstoodError(f"{complaint.where or path}: {complaint.message}{found}") from error


_cache: dict[tuple[type, bytes], object] = {}
_CACHED = 8192


def decode_cached(value: object, kind: type[T], path: str) -> T:
    """Return the same as ``decode_value``; equal inputs are decoded once."""
    key = kind, msgspec.json.encode(value)
    found = _cache.get(key)
    if found is None:
        found = decode_value(value, kind, path)
        if len(_cache) >= _CACHED:
            _cache.clear()
        _cache[key] = found
    return cast("T", found)


def description(source: RecordInput, key: str = "desc") -> ResourceDesc:
    """Return a resource description."""
    return decode_cached(source.raw(key), ResourceDesc, f"{source.path}.{key}")


def heap_properties(source: RecordInput, key: str = "heap_properties") -> HeapProperties:
    """Return heap properties."""
    return decode_cached(source.raw(key), HeapProperties, f"{source.path}.{key}")


def heap_description(data: Mapping[str, object], path: str) -> HeapDesc:
    """Return a heap description."""
    return decode_cached(data, HeapDesc, path)


def clear_value(source: RecordInput) -> ClearValue | None:
    """Return the optimized clear value, None where there is none."""
    value = source.raw("optimized_clear_value", None)
    path = f"{source.path}.optimized_clear_value"
    return None if value is None else decode_cached(value, ClearValue, path)


def wants_object(source: RecordInput) -> bool:
    """Return whether the call has an output pointer: ``out_pointer`` null says that it has none."""
    if "out_pointer" not in source:
        return True
    value = source.raw("out_pointer")
    if value is None or value == "NULL":
        return False
    if value is True or value == "non-null":
        return True
    raise NotUnderstoodError(f"{source.path}.out_pointer: {value}")


_STATED: Mapping[str, tuple[str, type]] = {
    "gpu_upload_heap_supported": ("gpu_upload_heaps", bool),
    "tiled_resources_tier": ("tiled_tier", int),
    "resource_heap_tier": ("heap_tier", int),
    "resource_binding_tier": ("binding_tier", int),
    "tight_alignment_tier": ("tight_alignment_tier", int),
    "standard_swizzle_64kb_supported": ("standard_swizzle", bool),
    "agility_sdk": ("agility_sdk", int),
    "unaligned_block_textures_supported": ("unaligned_bc", bool),
    "relaxed_format_casting": ("relaxed_casting", bool),
    "writeable_msaa_textures_supported": ("writeable_msaa", bool),
}
_ACCEPTED_PHRASE = re.compile(r"\b(supported|usable)\b")
_NEGATION = re.compile(r"\b(not|no|without|un\w+)\b")


@dataclass(frozen=True, slots=True)
class Device:
    """The device of a record.

    Attributes:
        runtime: Its capabilities.
        fixed: Fields that the adapter or an option fixed.
    """

    runtime: D3d12Runtime
    fixed: frozenset[str]

    def state(self, field: str, value: object, where: str) -> Device:
        """Return the device with a field that a record states.

        Raises:
            SkippedError: Adapter or option say otherwise.
        """
        current: object = getattr(self.runtime, field)
        if current == value:
            return self
        if field in self.fixed:
            raise SkippedError(f"{where}: {value} is stated, the chosen device has {current}")
        return Device(replace(self.runtime, **{field: value}), self.fixed)


_last: list[tuple[CheckOptions, Device]] = []


def base_device(options: CheckOptions) -> Device:
    """Return the device before a record states anything."""
    if _last and _last[0][0] is options:
        return _last[0][1]
    if options.adapter is not None and options.adapter.d3d12 is None:
        raise SkippedError(f"the adapter {options.adapter.id} does not serve D3D12")
    device = Device(*fixed_runtime(options.adapter, options.options))
    _last[:] = [(options, device)]
    return device


def device_of(record: VectorRecord, options: CheckOptions) -> Device:
    """Return the device of a record: defaults, adapter, options, then what the record states.

    Raises:
        NotUnderstoodError: An unknown requirement or precondition.
        SkippedError: A stated capability contradicts adapter or option.
    """
    device = base_device(options)
    for key, value in record.requires.items():
        device = _require(device, key, value)
    for phrase in record.preconditions:
        if not _ACCEPTED_PHRASE.search(phrase) or _NEGATION.search(phrase):
            raise NotUnderstoodError(f"preconditions: {phrase}")
    architecture = record.input.get("architecture")
    if isinstance(architecture, Mapping):
        device = _architecture(device, cast("Mapping[str, object]", architecture))
    upload = record.input.get("gpu_upload_heap_supported")
    if isinstance(upload, bool):
        device = device.state("gpu_upload_heaps", upload, "input.gpu_upload_heap_supported")
    return device


def _require(device: Device, key: str, value: object) -> Device:
    where = f"requires.{key}"
    if key == "format_supported":
        return device
    name, bound = key, ""
    for ending in ("_min", "_max"):
        if key.endswith(ending):
            name, bound = key.removesuffix(ending), ending
    if name not in _STATED:
        raise NotUnderstoodError(where)
    field, kind = _STATED[name]
    if type(value) is not kind:
        raise NotUnderstoodError(f"{where}: {value}")
    current = getattr(device.runtime, field)
    if (bound == "_min" and current >= value) or (bound == "_max" and current <= value):
        return device
    return device.state(field, value, where)


def _architecture(device: Device, stated: Mapping[str, object]) -> Device:
    fields = {"UMA": "uma", "CacheCoherentUMA": "cache_coherent_uma", "TileBasedRenderer": "tile_based"}
    for key, value in stated.items():
        where = f"input.architecture.{key}"
        if key not in fields or not isinstance(value, bool):
            raise NotUnderstoodError(where)
        device = device.state(fields[key], value, where)
    return device
