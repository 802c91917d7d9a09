"""VMA 2.x dumps, layouts A (2.0) and B (2.1 and later) (reference dump_schemas, section 2.3)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from explorer.core.kinds import HeapKind
from explorer.interchange.importers.dump_layout import DumpLayout, DumpSegment
from explorer.interchange.importers.dump_model import (
    Budget,
    Bytes,
    OldStats,
    Pool,
    Range,
    first_character,
    optional_part,
    parts_of,
    read_part,
)
from explorer.interchange.importers.dumps import add_dedicated, add_pool, opened_dump, read_pools
from explorer.interchange.importers.kinds import vulkan_kinds
from explorer.interchange.importers.memory_types import MemoryTypes
from explorer.interchange.importers.vma_c import heap_group

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.interchange.importers.source import Source
    from explorer.interchange.opened import OpenedFile

_HEAP = re.compile(r"Heap \d+")
_TYPE = re.compile(r"Type \d+")
_POINTER = re.compile(r"(?:0x)?[0-9A-Fa-f]{8,16}")


class _Heap(msgspec.Struct, rename="pascal"):
    size: Bytes = 0
    flags: list[str | int] = []
    budget: Budget | None = None
    stats: OldStats | None = None


class _VmaOld:
    """What both layouts share."""

    id = ""
    is_list = False

    def recognises(self, source: Source) -> bool:
        """Return whether the file has a total and numbered heaps, and blocks in a list (A) or by id (B)."""
        members = source.members
        if members is None or "Total" not in members or not any(map(_HEAP.fullmatch, members)):
            return False
        return _has_lists(members) == self.is_list

    def read(self, source: Source) -> OpenedFile:
        """Read the dump."""
        members = source.members or {}
        layout = DumpLayout("vulkan", "", self.id, vulkan_kinds, name_of=_name, has_frames=True)
        types = MemoryTypes(layout, source)
        for name in filter(_HEAP.fullmatch, members):
            heap = optional_part(source, members[name], _Heap, name) or _Heap()
            segment = DumpSegment(name, heap_group(heap.flags), heap.size, heap.budget)
            type_names = [key for key in parts_of(source, members[name], name) if _TYPE.fullmatch(key)]
            types.add_heap(segment, type_names, heap.stats.layout() if heap.stats else None)

        for key, pool in read_pools(source, members.get("DefaultPools"), "DefaultPools").items():
            add_pool(layout, pool, types.segment_of(key), key, HeapKind.NONE, f"DefaultPools.{key}", key)
        for key, body in parts_of(source, members.get("DedicatedAllocations"), "DedicatedAllocations").items():
            rows = read_part(source, body, list[Range], f"DedicatedAllocations.{key}")
            add_dedicated(layout, rows, types.segment_of(key), key, HeapKind.NONE, f"DedicatedAllocations.{key}", key)
        for key, pool in _custom_pools(source, members.get("Pools")).items():
            place = f"Type {pool.memory_type_index}"
            title = f"{place} pool {source.name(pool.name) or key}"
            add_pool(layout, pool, types.segment_of(place), place, HeapKind.NONE, f"Pools.{key}", title)
        total = optional_part(source, members.get("Total"), OldStats, "Total")
        detail = any(key in members for key in ("DefaultPools", "Pools", "DedicatedAllocations"))
        return opened_dump(
            source,
            layout,
            version=_version(source, self.is_list),
            stated=total.layout() if total else None,
            stated_heaps=types.stated,
            detail=detail,
        )


class VmaA(_VmaOld):
    """The layout of VMA 2.0."""

    id = "vma-a"
    title = "Vulkan Memory Allocator 2.0 dump"
    is_list = True


class VmaB(_VmaOld):
    """The layout of VMA 2.1 to 2.3."""

    id = "vma-b"
    title = "Vulkan Memory Allocator 2.1 to 2.3 dump"


def _has_lists(members: Mapping[str, msgspec.Raw]) -> bool:
    text = b"".join(bytes(raw) for key, raw in members.items() if key in ("DefaultPools", "Pools"))
    return re.search(rb'"Blocks"\s*:\s*\[', text) is not None


def _version(source: Source, is_list: bool) -> str:
    if is_list:
        return "2.0"
    if b'"Budget"' in source.text[: 1 << 16]:
        return "2.3"
    return "2.2" if b'"Algorithm"' in source.text else "2.1"


def _name(row: Range) -> str:
    # User data that is no text was printed as a pointer.
    data = row.user_data
    return data if isinstance(data, str) and not _POINTER.fullmatch(data) else row.name


def _custom_pools(source: Source, raw: msgspec.Raw | None) -> dict[str, Pool]:
    if raw is not None and first_character(raw) == b"[":
        bodies = read_part(source, raw, list[msgspec.Raw], "Pools")
        return {str(i): read_part(source, body, Pool, f"Pools[{i}]") for i, body in enumerate(bodies)}
    return read_pools(source, raw, "Pools")
