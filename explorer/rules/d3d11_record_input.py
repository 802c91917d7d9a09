"""Conformance records of Direct3D 10, 11 and XG: from their spelling to a device and a resource description."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from explorer.core.d3d11_enums import BindFlag, CpuAccessFlag, FeatureLevel, MiscFlag, Usage
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.units import MIB
from explorer.errors import CommandError
from explorer.rules.d3d11_phrases import Clause, NotUnderstood, clauses
from explorer.rules.d3d11_resource import GOOD_DATA, NO_DATA, NULL_DATA, Resource, misc_to_d3d11
from explorer.rules.d3d11_runtime import LEVELS, RUNTIMES, Runtime11, option_key, runtime_of
from explorer.tables.d3d11_tables import constant

if TYPE_CHECKING:
    import enum

    from explorer.rules.records import CheckOptions, VectorRecord
    from explorer.tables.adapters import Adapter

Input = Mapping[str, object]

DEVICE_KEYS = frozenset({"architecture", "feature_level", "runtime", "cache_coherent"})
RESOURCE_KEYS = frozenset({
    "kind", "usage", "usage_value", "bind", "bind_value", "cpu_access", "cpu_access_value", "misc", "byte_width",
    "width", "height", "depth", "edge", "mip_levels", "array_size", "format", "samples", "quality",
    "structure_byte_stride", "initial_data",
})  # fmt: skip
NULL_STRUCTURE = "structure with a NULL memory pointer"
AT_THE_LIMIT = "equal to the number of quality levels reported"
DEFAULT_BYTES = 1024
"""Size of a buffer whose record states none: legal for every use."""


class Contradiction(Exception):  # noqa: N818 - an answer of its own, not an error
    """A record needs a device that the chosen adapter or options are not."""


def only_keys(given: Input, known: frozenset[str]) -> None:
    """Refuse a key that no rule of the spelling knows.

    Raises:
        NotUnderstood: Names the key.
    """
    for key in given:
        if key not in known:
            raise NotUnderstood(f"input key: {key}")


_devices: dict[tuple[int, tuple[tuple[str, str], ...], str], tuple[Adapter | None, Runtime11 | str]] = {}


def _base_device(options: CheckOptions, api: str) -> Runtime11:
    """Return the device that adapter and options make; made once for each."""
    key = (id(options.adapter), tuple(sorted(options.options.items())), api)
    found = _devices.get(key)
    # The adapter is held beside the device, so its id is not given to another one.
    if found is None or found[0] is not options.adapter:
        try:
            made: Runtime11 | str = runtime_of(options.adapter, options.options, api)
        except CommandError as error:
            made = str(error)
        found = _devices[key] = (options.adapter, made)
    if isinstance(found[1], str):
        raise Contradiction(found[1])
    return found[1]


def _is_fixed(options: CheckOptions, key: str) -> bool:
    return any(option_key(stated) in (key, f"d3d11.{key}") for stated in options.options)


def device_of(record: VectorRecord, options: CheckOptions) -> Runtime11:
    """Return the device of a record: defaults, adapter, options, then what the record states.

    Raises:
        NotUnderstood: A precondition or requirement is unknown.
        Contradiction: The record needs another device than adapter and options allow.
    """
    device = _base_device(options, record.api)
    for sentence in record.preconditions:
        for clause in clauses(sentence):
            device = _with_clause(device, clause, options)
    for source in (record.requires, record.input):
        for key in source:
            if key in DEVICE_KEYS or source is record.requires:
                device = _with_statement(device, key, source[key], options)
    return device


def _with_clause(device: Runtime11, clause: Clause, options: CheckOptions) -> Runtime11:
    if clause.subject == "level":
        return _with_level(device, clause.operator, cast("FeatureLevel", clause.value), options)
    if clause.subject == "runtime":
        return _with_runtime(device, clause.operator, cast("tuple[int, int]", clause.value), options)
    if clause.subject == "samples":
        levels, count = dict(device.sample_levels), cast("int", clause.value)
        levels[count] = 0 if clause.operator == "<" else max(1, levels.get(count, 1))
        return replace(device, sample_levels=tuple(sorted(levels.items())))
    return device


_HOLDS: Mapping[str, Callable[[object, object], bool]] = {
    ">=": lambda a, b: cast("int", a) >= cast("int", b),
    "<=": lambda a, b: cast("int", a) <= cast("int", b),
    ">": lambda a, b: cast("int", a) > cast("int", b),
    "<": lambda a, b: cast("int", a) < cast("int", b),
    "==": lambda a, b: a == b,
}


def _with_level(device: Runtime11, operator: str, level: FeatureLevel, options: CheckOptions) -> Runtime11:
    if _HOLDS[operator](device.feature_level, level):
        return device
    fitting = [candidate for candidate in FeatureLevel if _HOLDS[operator](candidate, level)]
    # Nearest to what the device has: the highest below it, or the lowest above it.
    lower = [candidate for candidate in fitting if candidate <= device.feature_level]
    wanted = max(lower) if lower else min(fitting, default=None)
    if wanted is None:
        raise NotUnderstood(f"precondition: feature level {operator} {level.name[1:]}")
    raised = wanted > device.feature_level
    # A device may be made at a lower level than its adapter's, never at a higher one.
    if _is_fixed(options, "feature_level") or (raised and (options.adapter is not None or device.is_d3d10)):
        raise Contradiction(f"feature level {operator} {level.name[1:]}")
    return replace(device, feature_level=wanted)


def _with_runtime(device: Runtime11, operator: str, wanted: tuple[int, int], options: CheckOptions) -> Runtime11:
    if _HOLDS[operator](device.runtime, wanted):
        return device
    if _is_fixed(options, "runtime"):
        raise Contradiction(f"runtime {operator} {wanted[0]}.{wanted[1]}")
    fitting = [candidate for candidate in RUNTIMES.values() if _HOLDS[operator](candidate, wanted)]
    if not fitting:
        raise NotUnderstood(f"precondition: runtime {operator} {wanted[0]}.{wanted[1]}")
    lower = [candidate for candidate in fitting if candidate <= device.runtime]
    return replace(device, runtime=max(lower) if lower else min(fitting))


def _with_statement(device: Runtime11, key: str, value: object, options: CheckOptions) -> Runtime11:
    name, operator = key, "=="
    for ending, meaning in (("_min", ">="), ("_max", "<=")):
        if key.endswith(ending):
            name, operator = key.removesuffix(ending), meaning
    if name == "feature_level":
        level = LEVELS.get(str(value).removeprefix("D3D_FEATURE_LEVEL_").replace(".", "_"))
        if level is not None:
            return _with_level(device, operator, level, options)
    if name == "runtime":
        runtime = RUNTIMES.get(str(value).removeprefix("D3D"))
        if runtime is not None:
            return _with_runtime(device, operator, runtime, options)
    if key == "architecture" and value in ("discrete", "uma"):
        return _with_field(device, "adapter_class", value, "architecture", options)
    if key == "cache_coherent" and isinstance(value, bool):
        return _with_field(device, "cache_coherent", value, key, options)
    if key == "dedicated_video_memory_mb" and isinstance(value, int):
        return _with_field(device, "dedicated_bytes", value * MIB, key, options)
    raise NotUnderstood(f"requirement: {key} {value!r}")


def _with_field(device: Runtime11, name: str, value: object, key: str, options: CheckOptions) -> Runtime11:
    changed = getattr(device, name) != value
    if changed and (options.adapter is not None or _is_fixed(options, key)):
        raise Contradiction(f"{key} {value!r}")
    return replace(device, **{name: value})


_PREFIXES = ("D3D11_", "D3D10_1_", "D3D10_", "XG_")


@functools.lru_cache(maxsize=1 << 10)
def _constant(text: str, kind: type[enum.IntEnum | enum.IntFlag], stem: str) -> int:
    """Return the value of a constant spelt with or without its prefix."""
    name = text
    for prefix in _PREFIXES:
        if text.startswith(prefix + stem):
            name = text[len(prefix + stem) :]
    found = kind.__members__.get(name)
    if found is None:
        raise NotUnderstood(f"constant: {text}")
    return int(found)


def constant_of(value: object, kind: type[enum.IntEnum], stem: str) -> int:
    """Return an enumeration's value from its name or number.

    Raises:
        NotUnderstood: Neither.
    """
    if isinstance(value, str):
        return _constant(value, kind, stem)
    return whole(value, stem.rstrip("_").lower())


def flags_of(value: object, kind: type[enum.IntFlag], stem: str) -> int:
    """Return a flag set from a list of names, one name, or a number.

    Raises:
        NotUnderstood: A name is unknown.
    """
    if isinstance(value, str):
        return _constant(value, kind, stem)
    if isinstance(value, list | tuple):
        bits = 0
        for item in cast("Sequence[object]", value):
            bits |= _constant(item, kind, stem) if isinstance(item, str) else whole(item, stem)
        return bits
    return 0 if value is None else whole(value, stem.rstrip("_").lower())


def whole(value: object, key: str) -> int:
    """Return a 32-bit unsigned number.

    Raises:
        NotUnderstood: Not one.
    """
    number = value
    if isinstance(value, str):
        try:
            number = int(value, 0)
        except ValueError:
            raise NotUnderstood(f"{key}: {value}") from None
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 1 << 32:
        raise NotUnderstood(f"{key}: {value!r}")
    return number


def _agreeing(given: Input, key: str, value: int) -> int:
    """Return the value, provided that the number stated beside the names is the same."""
    stated = given.get(f"{key}_value")
    if stated is not None and whole(stated, f"{key}_value") != value:
        raise NotUnderstood(f"{key} and {key}_value differ")
    return value


def usage_of(given: Input, default: int = 0) -> int:
    """Return the usage that an input states."""
    if "usage" in given:
        return _agreeing(given, "usage", constant_of(given["usage"], Usage, "USAGE_"))
    return whole(given["usage_value"], "usage_value") if "usage_value" in given else default


def _flag_field(given: Input, key: str, kind: type[enum.IntFlag], stem: str) -> int:
    if key in given:
        return _agreeing(given, key, flags_of(given[key], kind, stem))
    return whole(given[f"{key}_value"], f"{key}_value") if f"{key}_value" in given else 0


@functools.lru_cache(maxsize=1 << 10)
def _format(text: str) -> DXGI_FORMAT:
    name = text.removeprefix("DXGI_FORMAT_")
    found = DXGI_FORMAT.__members__.get(f"_{name}" if name[:1].isdigit() else name)
    if found is None:
        raise NotUnderstood(f"format: {text}")
    return found


@functools.cache
def _formats_by_value() -> Mapping[int, DXGI_FORMAT]:
    return {int(member): member for member in DXGI_FORMAT}


def format_of(value: object) -> DXGI_FORMAT:
    """Return a format from its name or number.

    Raises:
        NotUnderstood: Neither.
    """
    if isinstance(value, str):
        return _format(value)
    number = whole(value, "format")
    found = _formats_by_value().get(number)
    if found is None:
        raise NotUnderstood(f"format: {value}")
    return found


def data_of(given: Input) -> str:
    """Return what a record says about initial data; nothing said is a null pointer.

    Raises:
        NotUnderstood: Other words than are known.
    """
    value = given.get("initial_data", False)
    if isinstance(value, bool) or value is None:
        return GOOD_DATA if value else NO_DATA
    if value == NULL_STRUCTURE:
        return NULL_DATA
    raise NotUnderstood(f"initial_data: {value!r}")


def _quality(given: Input, samples: int, device: Runtime11) -> int:
    value = given.get("quality", 0)
    return device.quality_levels(samples) if value == AT_THE_LIMIT else whole(value, "quality")


def resource_from(given: Input, dimension: str, api: str, device: Runtime11) -> Resource:
    """Return the description that a record's input states; what it leaves out is legal.

    Args:
        given: The input.
        dimension: ``buffer`` … ``texture3d``.
        api: Whose names a remedy would use.
        device: For phrases about what the device reports.

    Raises:
        NotUnderstood: A value is unknown.
    """
    usage = usage_of(given)
    bind = _flag_field(given, "bind", BindFlag, "BIND_")
    cpu = _flag_field(given, "cpu_access", CpuAccessFlag, "CPU_ACCESS_")
    stated = given.get("misc")
    misc = flags_of(stated, MiscFlag, "RESOURCE_MISC_")
    if isinstance(stated, int) and api.startswith("d3d10"):
        misc = misc_to_d3d11(misc)
    number = functools.partial(_number, given)
    if dimension == "buffer":
        return Resource(
            api, "buffer", number("byte_width", DEFAULT_BYTES), usage=usage, bind=bind, cpu=cpu, misc=misc,
            stride=number("structure_byte_stride", 0),
        )  # fmt: skip
    edge = number("edge", 1)
    samples = number("samples", 1)
    slices = constant("cube_faces") if misc & MiscFlag.TEXTURECUBE else 1
    return Resource(
        api, dimension,
        number("width", edge),
        number("height", edge) if dimension != "texture1d" else 1,
        number("depth", 1) if dimension == "texture3d" else 1,
        number("mip_levels", 1),
        number("array_size", slices) if dimension != "texture3d" else 1,
        format_of(given.get("format", "R8G8B8A8_UNORM")),
        samples, _quality(given, samples, device), usage, bind, cpu, misc,
    )  # fmt: skip


def _number(given: Input, key: str, default: int) -> int:
    return whole(given[key], key) if key in given else default
