"""The rules and facts of Direct3D 10, 11 and XG, read from ``d3d11_*.json``; each file names its sources."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import TypeVar

import msgspec

from explorer.core.d3d11_enums import BindFlag, CpuAccessFlag, MapType, MiscFlag, Usage
from explorer.core.dxgi import DXGI_FORMAT

T = TypeVar("T")

DIMENSIONS = ("buffer", "texture1d", "texture2d", "texture3d")
"""Resource types, as the tables spell them."""


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule.

    Attributes:
        id: For example ``d3d11.C2.6``.
        apis: The APIs that it belongs to.
        topic: One word to group by.
        text: One plain sentence.
        source: Citation.
        checked: Date of the last check against the source, ISO.
    """

    id: str
    apis: tuple[str, ...]
    topic: str
    text: str
    source: str
    checked: str


@dataclass(frozen=True, slots=True)
class UsageFacts:
    """What a usage permits.

    Attributes:
        access: ``gpu_read``, ``gpu_write``, ``cpu_read``, ``cpu_write`` → ``yes``, ``no`` or ``copies only``.
        is_input: Can be read by the pipeline.
        is_output: Can be written by the pipeline.
        cpu_access: The CPU access flags that may be set.
        map_types: The map types that a resource of it takes.
        needs_data: Initial data is mandatory.
    """

    usage: Usage
    access: Mapping[str, str]
    is_input: bool
    is_output: bool
    cpu_access: CpuAccessFlag
    map_types: tuple[MapType, ...]
    needs_data: bool


@dataclass(frozen=True, slots=True)
class FlagFacts:
    """Where a bind or miscellaneous flag belongs.

    Attributes:
        value: The bit, in D3D11's numbering.
        direction: ``input``, ``output``, ``input+output``; empty for miscellaneous flags.
        dimensions: Resource types it may stand on.
        d3d10_value: The bit in D3D10, None where D3D10 lacks it.
        runtime: First runtime that knows it, as (11, minor).
        excludes: Bits that may not stand beside it.
    """

    name: str
    value: int
    direction: str
    dimensions: frozenset[str]
    d3d10_value: int | None
    runtime: tuple[int, int]
    excludes: int


@dataclass(frozen=True, slots=True)
class FormatClass:
    """What resources of a format may be.

    Attributes:
        name: The class, for example ``block-compressed``.
        bind: Allowed bind flags (the ones that a format decides).
        dimensions: Resource types.
        multisample: Whether more than one sample is possible.
        runtime: First runtime that knows it.
    """

    name: str
    bind: BindFlag
    dimensions: frozenset[str]
    multisample: bool
    runtime: tuple[int, int]


@dataclass(frozen=True, slots=True)
class PlacementRow:
    """Where the simulator puts a resource, and what access costs there.

    Attributes:
        adapter: ``discrete`` or ``uma``.
        usage: The kind of resource, in words.
        memory: The memory, in words.
        cpu_mapping: How the CPU sees it, in words.
        gpu_read: Ordinal cost, 0 fastest to 4 slowest; None where impossible. The other three alike.
        segment: Segment group, ``LOCAL`` or ``NON_LOCAL``.
        caching: ``none`` (not mapped), ``WC`` or ``WB``.
        rule: Id of the rule.
        source: Citation.
    """

    adapter: str
    usage: str
    memory: str
    cpu_mapping: str
    gpu_read: int | None
    gpu_write: int | None
    cpu_read: int | None
    cpu_write: int | None
    segment: str
    caching: str
    rule: str
    source: str


@dataclass(frozen=True, slots=True)
class FeatureRow:
    """One query of CheckFeatureSupport.

    Attributes:
        size: Bytes of its structure.
        runtime: First runtime that has it, as (11, minor).
    """

    size: int
    runtime: tuple[int, int]


@dataclass(frozen=True, slots=True)
class LevelLimits:
    """Limits of one feature level; extents in texels."""

    texture1d: int
    texture2d: int
    texture3d: int
    cube: int
    slices: int
    arrays: bool
    cube_arrays: bool
    npot_mips: bool
    render_targets: int


class _Rules(msgspec.Struct):
    checked: str
    apis: tuple[str, ...]
    sources: dict[str, str]
    rows: list[tuple[str, str, str, list[str]]]


class _Flags(msgspec.Struct):
    usages: list[tuple[str, int, dict[str, str], bool, bool, list[str], list[str], bool]]
    binds: list[tuple[str, int, str, list[str], bool, str]]
    miscs: list[tuple[str, int, int | None, list[str], str, list[str]]]
    maps: list[tuple[str, int, list[str], bool]]
    codes: list[tuple[str, str]]


class _Limits(msgspec.Struct):
    feature_levels: list[str]
    by_feature_level: dict[str, list[int | bool]]
    constants: dict[str, int]


_Cost = tuple[int | None, int | None, int | None, int | None]


class _Placement(msgspec.Struct):
    rows: list[tuple[str, str, str, str, _Cost, str, str, str, list[str]]]


class _Features(msgspec.Struct):
    rows: list[tuple[str, int, str]]


class _Formats(msgspec.Struct):
    rows: list[tuple[str, list[str], list[str], list[str], bool, str]]


def _read(name: str, kind: type[T]) -> T:
    data = resources.files("explorer.tables").joinpath(name).read_bytes()
    return msgspec.json.decode(data, type=kind, strict=False)


def version(text: str) -> tuple[int, int]:
    """Return ``11.2`` as (11, 2)."""
    major, _, minor = text.partition(".")
    return int(major), int(minor or 0)


@functools.cache
def rules() -> Mapping[str, RuleRow]:
    """Return every rule by id, in the order of the table."""
    table = _read("d3d11_rules.json", _Rules)
    return {
        key: RuleRow(key, table.apis, topic, text, "; ".join(table.sources[s] for s in sources), table.checked)
        for key, topic, text, sources in table.rows
    }


def _bits(names: list[str], kind: type[BindFlag] | type[CpuAccessFlag] | type[MiscFlag]) -> int:
    value = 0
    for name in names:
        value |= int(kind[name])
    return value


@functools.cache
def _flags() -> _Flags:
    return _read("d3d11_flags.json", _Flags)


@functools.cache
def usages() -> Mapping[int, UsageFacts]:
    """Return what each usage permits, by value."""
    return {
        value: UsageFacts(
            Usage(value), access, is_input, is_output, CpuAccessFlag(_bits(cpu, CpuAccessFlag)),
            tuple(MapType[m] for m in maps), needs_data,
        )
        for _, value, access, is_input, is_output, cpu, maps, needs_data in _flags().usages
    }  # fmt: skip


@functools.cache
def bind_flags() -> tuple[FlagFacts, ...]:
    """Return the bind flags in the order of their values."""
    return tuple(
        FlagFacts(name, value, direction, frozenset(where), value if in_10 else None, version(runtime), 0)
        for name, value, direction, where, in_10, runtime in _flags().binds
    )


@functools.cache
def misc_flags() -> tuple[FlagFacts, ...]:
    """Return the miscellaneous flags in the order of their values."""
    return tuple(
        FlagFacts(name, value, "", frozenset(where), in_10, version(runtime), _bits(excludes, MiscFlag))
        for name, value, in_10, where, runtime, excludes in _flags().miscs
    )


@functools.cache
def map_access() -> Mapping[int, CpuAccessFlag]:
    """Return the CPU access that each map type needs."""
    return {value: CpuAccessFlag(_bits(cpu, CpuAccessFlag)) for _, value, cpu, _ in _flags().maps}


@functools.cache
def map_waits() -> Mapping[int, bool]:
    """Return whether each map type waits for the GPU."""
    return {value: waits for _, value, _, waits in _flags().maps}


@functools.cache
def codes() -> Mapping[str, int]:
    """Return HRESULT name → unsigned 32-bit value."""
    return {name: int(value, 16) for name, value in _flags().codes}


@functools.cache
def _limits() -> _Limits:
    return _read("d3d11_limits.json", _Limits)


@functools.cache
def level_limits() -> Mapping[str, LevelLimits]:
    """Return the limits of each feature level (``11_0``), oldest first."""
    table = _limits()
    of = table.by_feature_level
    return {
        level: LevelLimits(
            of["texture1d_u"][i], of["texture2d_uv"][i], of["texture3d_uvw"][i], of["texture_cube"][i],
            of["array_slices"][i], bool(of["texture_arrays"][i]), bool(of["cube_arrays"][i]), bool(of["npot"][i]),
            of["render_targets"][i],
        )
        for i, level in enumerate(table.feature_levels)
    }  # fmt: skip


@functools.cache
def constant(name: str) -> int:
    """Return a limit that holds for all feature levels, for example ``structure_stride_max``."""
    return _limits().constants[name]


@functools.cache
def placements() -> tuple[PlacementRow, ...]:
    """Return the placement table."""
    table = _read("d3d11_placement.json", _Placement)
    return tuple(
        PlacementRow(adapter, usage, memory, mapping, *cost, segment, caching, rule, "; ".join(source))
        for adapter, usage, memory, mapping, cost, segment, caching, rule, source in table.rows
    )


@functools.cache
def feature_sizes() -> Mapping[str, FeatureRow]:
    """Return feature name → the size of its structure and the first runtime that has it."""
    table = _read("d3d11_features.json", _Features)
    return {name: FeatureRow(size, version(runtime)) for name, size, runtime in table.rows}


@functools.cache
def format_classes() -> Mapping[DXGI_FORMAT, FormatClass]:
    """Return the class of each format; formats that Direct3D 10 and 11 lack are absent."""
    found: dict[DXGI_FORMAT, FormatClass] = {}
    for name, formats, bind, where, multisample, runtime in _read("d3d11_formats.json", _Formats).rows:
        row = FormatClass(name, BindFlag(_bits(bind, BindFlag)), frozenset(where), multisample, version(runtime))
        for spelled in formats:
            found[DXGI_FORMAT[f"_{spelled}" if spelled[0].isdigit() else spelled]] = row
    return found
