"""The facts of Direct3D 9 as rows: rules, formats, usage flags, placement, copies, codes, limits."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, TypeVar

import msgspec

from explorer.core.d3d9 import D3DFormatInfo

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")


class RuleRow(msgspec.Struct, frozen=True):
    """One rule.

    Attributes:
        id: ``d3d9.`` and the number or name of the rule.
        api: ``d3d9``; the rules of 9Ex are among them.
        topic: What it is about, one or two words.
        text: One sentence.
        source: Citation.
        checked: Date of the last check against the source, ISO.
    """

    id: str
    api: str
    topic: str
    text: str
    source: str
    checked: str


class UsageRow(msgspec.Struct, array_like=True, frozen=True):
    """One usage flag: which kinds of object take it, in which pools.

    Attributes:
        name: Official constant.
        value: Its bit.
        kinds: ``texture``, ``cube_texture``, ``volume_texture``, ``surface``, ``vertex_buffer``, ``index_buffer``;
            empty for the QUERY flags.
        pools: Names without prefix.
        ex_only: True for a flag of 9Ex.
        meaning: One clause.
    """

    name: str
    value: int
    kinds: list[str]
    pools: list[str]
    ex_only: bool
    meaning: str


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a driver puts a kind of resource.

    Attributes:
        adapter_class: ``discrete_agp``, ``discrete_pcie`` or ``uma``.
        resource: Key of the kind: ``target``, ``static_texture``, ``dynamic_buffer`` …
        segment: ``local_video``, ``agp_aperture``, ``system_gpu_visible``, ``uma_system``, ``system`` or ``fails``.
        copy_segment: Where the device copy of a managed resource goes; None for every other kind.
        alternatives: Other segments that a driver may pick.
        cpu_view: What a lock hands out.
        why: The reason, one clause.
        source: Citation.
        lost_on_device_loss: Whether the contents go with the device.
    """

    adapter_class: str
    resource: str
    segment: str
    copy_segment: str | None
    alternatives: tuple[str, ...]
    cpu_view: str
    why: str
    source: str
    lost_on_device_loss: bool


class _Rules(msgspec.Struct):
    checked: str
    rows: list[tuple[str, str, str, str]]


class _FormatRow(msgspec.Struct, array_like=True):
    name: str
    value: int
    bits: int | None
    block_width: int
    block_height: int
    block_bytes: int | None
    kind: str
    klass: str
    fourcc: str | None
    stencil_bits: int
    flags: list[str]
    uses: str


class _Formats(msgspec.Struct):
    rows: list[_FormatRow]


class _Usage(msgspec.Struct):
    rows: list[UsageRow]


class _Placements(msgspec.Struct):
    segments: list[tuple[str, str, str, bool]]
    rows: list[tuple[str, str, str, str | None, list[str], str, str, str]]


class _Copies(msgspec.Struct):
    rows: list[tuple[str, str | None, bool | None, str, str, bool]]


class _Codes(msgspec.Struct):
    rows: list[tuple[str, str, bool]]


class _Locks(msgspec.Struct):
    rows: list[tuple[str, int, list[str], str]]


class _Evidence(msgspec.Struct):
    rules: dict[str, dict[str, list[int]]]


class _Limits(msgspec.Struct):
    rows: list[tuple[str, int, str, str]]


def _read(name: str, kind: type[T]) -> T:
    data = (resources.files("explorer.tables") / f"d3d9_{name}.json").read_bytes()
    return msgspec.json.decode(data, type=kind)


@functools.cache
def rules() -> Mapping[str, RuleRow]:
    """Return the rules by id, in the order of the table."""
    table = _read("rules", _Rules)
    rows = (RuleRow(id_, "d3d9", topic, text, source, table.checked) for id_, topic, text, source in table.rows)
    return {row.id: row for row in rows}


@functools.cache
def _formats() -> Mapping[int, tuple[D3DFormatInfo, frozenset[str], frozenset[str]]]:
    found: dict[int, tuple[D3DFormatInfo, frozenset[str], frozenset[str]]] = {}
    for row in _read("formats", _Formats).rows:
        info = D3DFormatInfo(
            name=row.name,
            value=row.value,
            bits=row.bits,
            block_width=row.block_width,
            block_height=row.block_height,
            block_bytes=row.block_bytes,
            kind=row.kind,
            klass=row.klass,
            fourcc=row.fourcc,
            stencil_bits=row.stencil_bits,
            lockable="lockable" in row.flags,
            ex_only="ex" in row.flags,
            vendor="vendor" in row.flags,
        )
        found[row.value] = (info, frozenset(row.uses), frozenset(row.flags))
    return found


@functools.cache
def formats() -> Mapping[int, D3DFormatInfo]:
    """Return all formats by value."""
    return {value: row[0] for value, row in _formats().items()}


@functools.cache
def format_uses(value: int) -> frozenset[str]:
    """Return what a device with every optional feature supports for a format, in the letters of the table.

    An unknown code has none.
    """
    row = _formats().get(value)
    return row[1] if row else frozenset()


@functools.cache
def format_flags(value: int) -> frozenset[str]:
    """Return ``back_buffer``, ``display``, ``display_fullscreen``, ``lockable``, ``ex``, ``vendor`` as they apply."""
    row = _formats().get(value)
    return row[2] if row else frozenset()


@functools.cache
def format_named(name: str) -> D3DFormatInfo | None:
    """Return the format of a name with or without prefix, or ``FOURCC abcd``; None if the table has none."""
    bare = name.removeprefix("D3DFMT_").removeprefix("FOURCC ")
    for info in formats().values():
        if info.name.removeprefix("D3DFMT_").removeprefix("FOURCC ") == bare or info.fourcc == bare:
            return info
    return None


@functools.cache
def usage_rows() -> tuple[UsageRow, ...]:
    """Return all usage flags in the order of their values."""
    return tuple(sorted(_read("usage", _Usage).rows, key=lambda row: row.value))


@functools.cache
def placements() -> Mapping[tuple[str, str], Placement]:
    """Return the placement rows by (adapter class, kind of resource)."""
    table = _read("placement", _Placements)
    lost = {segment: gone for segment, _, _, gone in table.segments}
    return {
        (of, key): Placement(of, key, segment, copy, tuple(others), view, why, source, lost.get(segment, True))
        for of, key, segment, copy, others, view, why, source in table.rows
    }


@functools.cache
def copy_allowed(call: str, source: str, destination: str, driver: str | None, stretching: bool | None) -> bool | None:
    """Return what the copy tables say about a pair of surface kinds.

    Args:
        call: ``StretchRect`` or ``UpdateSurface``.
        source: ``texture``, ``rt_texture``, ``rt_surface`` or ``plain_surface``.
        destination: The same.
        driver: ``Direct3D 9`` or ``DirectX 8`` for StretchRect, None for UpdateSurface.
        stretching: Whether sizes differ; None for UpdateSurface.

    Returns:
        None where the tables have no such pair.
    """
    return _copies().get((call, driver, stretching, source, destination))


@functools.cache
def _copies() -> Mapping[tuple[str, str | None, bool | None, str, str], bool]:
    return {(row[0], row[1], row[2], row[3], row[4]): row[5] for row in _read("copies", _Copies).rows}


@functools.cache
def codes() -> Mapping[str, int]:
    """Return the value of every HRESULT name."""
    return {name: int(value, 16) for name, value, _ in _read("codes", _Codes).rows}


@functools.cache
def lock_flag_objects() -> Mapping[str, frozenset[str]]:
    """Return for every lock flag the kinds of object that it is made for."""
    return {name: frozenset(kinds) for name, _, kinds, _ in _read("locks", _Locks).rows}


@functools.cache
def limit(name: str) -> int:
    """Return a limit of the table by its id."""
    return _limits()[name]


@functools.cache
def _limits() -> Mapping[str, int]:
    return {name: value for name, value, _, _ in _read("limits", _Limits).rows}


@functools.cache
def evidence(rule: str) -> tuple[str, ...]:
    """Return the ids of the vectors that a rule decided, for example ``d3d9-block_locks-0003``."""
    kinds = _evidence().get(rule, {})
    return tuple(f"d3d9-{kind}-{number:04d}" for kind, numbers in kinds.items() for number in numbers)


@functools.cache
def _evidence() -> Mapping[str, Mapping[str, list[int]]]:
    return _read("evidence", _Evidence).rules
