"""The JSON parts that VMA and D3D12MA dumps share, as typed structs (reference dump_schemas, sections 1 and 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast

import msgspec

from explorer.core.units import MAX_BYTES
from explorer.errors import InputError
from explorer.interchange.opened import Layout

if TYPE_CHECKING:
    from explorer.interchange.importers.source import Source

T = TypeVar("T")

Bytes = Annotated[int, msgspec.Meta(ge=0, le=MAX_BYTES)]
Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_BYTES)]

Frame = Annotated[int, msgspec.Meta(ge=0, le=(1 << 32) - 1)]

FREE = "FREE"
_ABSENT = msgspec.Raw(b"{}")


class Range(msgspec.Struct, rename="pascal", gc=False):
    """A used or free range of a block, or a dedicated allocation (bytes; ``offset`` −1 where left out)."""

    size: Bytes
    offset: Bytes = -1
    type: str = ""
    usage: Annotated[int, msgspec.Meta(ge=0)] = 0
    name: str = ""
    user_data: str | int | None = None
    creation_frame_index: Frame = 0
    last_use_frame_index: Frame = -1


class Block(msgspec.Struct, rename="pascal", gc=False):
    """A block of memory."""

    total_bytes: Bytes
    suballocations: list[Range] = []
    unused_bytes: Bytes | None = None
    allocations: Count | None = None
    unused_ranges: Count | None = None


class Pool(msgspec.Struct, rename="pascal"):
    """A pool: blocks by id, or in a list in the oldest layout."""

    blocks: dict[str, Block] | list[Block] = {}
    dedicated_allocations: list[Range] = []
    name: str = ""
    flags: list[str | int] = []
    memory_type_index: int = -1


class KnownRange(msgspec.Struct, rename="pascal", gc=False):
    """A range as the present libraries write it: what ``Range`` has more stays out, and the words cost no text each."""

    size: Bytes
    offset: Bytes = -1
    type: Literal["FREE", "BUFFER", "IMAGE_OPTIMAL", "IMAGE_LINEAR", "IMAGE_UNKNOWN", "UNKNOWN", "TEXTURE1D",
                  "TEXTURE2D", "TEXTURE3D", ""] = ""  # fmt: skip
    usage: Annotated[int, msgspec.Meta(ge=0)] = 0
    name: str = ""


class KnownBlock(msgspec.Struct, rename="pascal", gc=False):
    """A block of such ranges."""

    total_bytes: Bytes
    suballocations: list[KnownRange] = []


class KnownPool(msgspec.Struct, rename="pascal"):
    """A pool of such blocks."""

    blocks: dict[str, KnownBlock] = {}
    dedicated_allocations: list[KnownRange] = []
    name: str = ""
    flags: list[str | int] = []


class DumpTop(msgspec.Struct, rename="pascal"):
    """The members of a dump of VMA 3 or D3D12MA 2 and later; all but the default pools stay undecoded."""

    general: msgspec.Raw = _ABSENT
    total: msgspec.Raw = _ABSENT
    memory_info: msgspec.Raw = _ABSENT
    default_pools: dict[str, KnownPool] | msgspec.UnsetType = msgspec.UNSET
    custom_pools: msgspec.Raw = _ABSENT
    stats: msgspec.Raw = _ABSENT

    def members(self) -> dict[str, msgspec.Raw]:
        """Return the undecoded members that are there; the pools as an empty one, since they are decoded."""
        found = {
            field.encode_name: getattr(self, field.name)
            for field in msgspec.structs.fields(self)
            if field.name != "default_pools"
        }
        kept = {key: raw for key, raw in found.items() if raw is not _ABSENT}
        return kept if self.default_pools is msgspec.UNSET else {**kept, "DefaultPools": _ABSENT}


class Stats(msgspec.Struct, rename="pascal", gc=False):
    """Statistics of VMA 3 and D3D12MA 2 and later."""

    block_count: Count
    block_bytes: Bytes
    allocation_count: Count
    allocation_bytes: Bytes
    unused_range_count: Count = 0

    def layout(self) -> Layout:
        """Return the figures under the names of the contract."""
        free = self.block_bytes - self.allocation_bytes
        return Layout(self.block_count, None, self.allocation_count, self.block_bytes, self.allocation_bytes,
                      self.unused_range_count, free, None)  # fmt: skip


class OldStats(msgspec.Struct, rename="pascal", gc=False):
    """Statistics of VMA 2 and the development versions of D3D12MA."""

    blocks: Count
    allocations: Count
    used_bytes: Bytes
    unused_bytes: Bytes
    unused_ranges: Count = 0

    def layout(self) -> Layout:
        """Return the figures under the names of the contract."""
        return Layout(self.blocks, None, self.allocations, self.used_bytes + self.unused_bytes, self.used_bytes,
                      self.unused_ranges, self.unused_bytes, None)  # fmt: skip


class Budget(msgspec.Struct, gc=False):
    """What the system grants and what is used, in either spelling."""

    new_budget: Bytes | None = msgspec.field(default=None, name="BudgetBytes")
    new_usage: Bytes | None = msgspec.field(default=None, name="UsageBytes")
    old_budget: Bytes | None = msgspec.field(default=None, name="Budget")
    old_usage: Bytes | None = msgspec.field(default=None, name="Usage")

    @property
    def budget(self) -> int | None:
        """Bytes granted."""
        return self.new_budget if self.new_budget is not None else self.old_budget

    @property
    def usage(self) -> int:
        """Bytes used, by the whole process."""
        return (self.new_usage if self.new_usage is not None else self.old_usage) or 0


def sum_layouts(layouts: list[Layout]) -> Layout:
    """Return the sum; a figure that one of them does not state is not stated."""

    def total(values: list[int | None]) -> int | None:
        known = [value for value in values if value is not None]
        return sum(known) if len(known) == len(values) else None

    return Layout(
        sum(x.blocks for x in layouts),
        total([x.dedicated for x in layouts]),
        sum(x.allocations for x in layouts),
        sum(x.block_bytes for x in layouts),
        sum(x.allocation_bytes for x in layouts),
        sum(x.free_ranges for x in layouts),
        sum(x.free_bytes for x in layouts),
        total([x.overlap_bytes for x in layouts]),
    )


def read_part(source: Source, raw: msgspec.Raw, kind: type[T], where: str) -> T:
    """Return a part of the file as its struct.

    Raises:
        InputError: A value has the wrong type or is out of range; names its path and what stood there.
    """
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        raise _complaint(source, raw, kind, where, str(error)) from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"not readable: {error}", file=source.file, where=where) from None


def optional_part(source: Source, raw: msgspec.Raw | None, kind: type[T], where: str) -> T | None:
    """Return a part that the map does not need; None with a warning if it cannot be read."""
    if raw is None:
        return None
    try:
        return read_part(source, raw, kind, where)
    except InputError as error:
        source.warn("unreadable-part", error.complaint.where or where, f"left out: {error.complaint.message}")
        return None


def parts_of(source: Source, raw: msgspec.Raw | None, where: str) -> dict[str, msgspec.Raw]:
    """Return the members of an object part by key; empty, with a warning, if it is no object."""
    return optional_part(source, raw, dict[str, msgspec.Raw], where) or {}


def _complaint(source: Source, raw: msgspec.Raw, kind: Any, where: str, text: str) -> InputError:
    try:
        path, found, reason = _first_wrong(msgspec.json.decode(raw), kind, where)
    except msgspec.DecodeError:
        # A number that no type can hold: only msgspec's own path is known, without indices.
        reason, _, path = text.partition(" - at `$")
        return InputError(reason[:1].lower() + reason[1:], file=source.file, where=where + path.rstrip("`"))
    return InputError(reason, file=source.file, where=path, found=found)


def first_character(raw: msgspec.Raw) -> bytes:
    """Return the first byte of a part; an undecoded part begins without blanks."""
    return bytes(memoryview(raw)[:1])


def _first_wrong(value: Any, kind: Any, where: str) -> tuple[str, object, str]:
    """Find the smallest part that does not convert; msgspec's own path has no indices."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        reason = str(error).split(" - at `", 1)[0]
    else:
        return where, None, "wrong value"
    for key, inner, inner_kind in _children(value, kind):
        try:
            msgspec.convert(inner, inner_kind)
        except msgspec.ValidationError:
            path = f"{where}[{key}]" if isinstance(key, int) else f"{where}.{key}"
            return _first_wrong(inner, inner_kind, path)
    return where, None if isinstance(value, dict | list) else value, reason[:1].lower() + reason[1:]


def _children(value: Any, kind: Any) -> list[tuple[str | int, Any, Any]]:
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        if kind in (Pool, Block, Range, Stats, OldStats, Budget):
            inside = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
            if kind is Pool:
                blocks = members.get("Blocks")
                inside["Blocks"] = list[Block] if isinstance(blocks, list) else dict[str, Block]
            return [(key, inner, inside[key]) for key, inner in members.items() if key in inside]
        arguments = getattr(kind, "__args__", ())
        return [(key, inner, arguments[1]) for key, inner in members.items()] if len(arguments) == 2 else []
    if isinstance(value, list):
        arguments = getattr(kind, "__args__", ())
        items = cast("list[Any]", value)
        return [(index, inner, arguments[0]) for index, inner in enumerate(items)] if len(arguments) == 1 else []
    return []
