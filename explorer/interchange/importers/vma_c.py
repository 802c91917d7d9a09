"""VMA 3.x dumps (``vmaBuildStatsString``; reference dump_schemas, section 2.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from explorer.core.kinds import HeapKind
from explorer.interchange.importers.dump_layout import DumpLayout, DumpSegment
from explorer.interchange.importers.dump_model import Budget, Bytes, Stats, optional_part, parts_of
from explorer.interchange.importers.dumps import add_pool, opened_dump, read_pool_lists, read_pools
from explorer.interchange.importers.kinds import vulkan_kinds
from explorer.interchange.importers.memory_types import MemoryTypes

if TYPE_CHECKING:
    from explorer.interchange.importers.source import Source
    from explorer.interchange.opened import OpenedFile


class General(msgspec.Struct):
    """``General``, as far as it is used."""

    api: str = msgspec.field(default="", name="API")
    gpu: str = msgspec.field(default="", name="GPU")


class _Heap(msgspec.Struct, rename="pascal"):
    size: Bytes = 0
    flags: list[str | int] = []
    budget: Budget | None = None
    stats: Stats | None = None
    memory_pools: dict[str, msgspec.Raw] = {}


class VmaC:
    """The layout that VMA writes since 3.0."""

    id = "vma-c"
    title = "Vulkan Memory Allocator 3 dump"

    def recognises(self, source: Source) -> bool:
        """Return whether the file is such a dump: ``General.API`` says Vulkan, or the keys of a memory type do."""
        members = source.members
        if members is None or "MemoryInfo" not in members or "Stats" in members:
            return False
        general = bytes(members.get("General") or b"")
        return b'"Direct3D 12"' not in general and (b'"Vulkan"' in general or b'"Heap ' in bytes(members["MemoryInfo"]))

    def read(self, source: Source) -> OpenedFile:
        """Read the dump."""
        members = source.members or {}
        general = optional_part(source, members.get("General"), General, "General") or General()
        layout = DumpLayout("vulkan", source.name(general.gpu), self.id, vulkan_kinds)
        types = MemoryTypes(layout, source)
        for name, raw in parts_of(source, members.get("MemoryInfo"), "MemoryInfo").items():
            heap = optional_part(source, raw, _Heap, f"MemoryInfo.{name}") or _Heap()
            segment = DumpSegment(name, heap_group(heap.flags), heap.size, heap.budget)
            types.add_heap(segment, list(heap.memory_pools), heap.stats.layout() if heap.stats else None)
        detail = "DefaultPools" in members or "CustomPools" in members

        for key, pool in read_pools(source, members.get("DefaultPools"), "DefaultPools").items():
            add_pool(layout, pool, types.segment_of(key), key, HeapKind.NONE, f"DefaultPools.{key}", key)
        for key, index, pool in read_pool_lists(source, members.get("CustomPools"), "CustomPools"):
            title = f"{key} pool {source.name(pool.name) or index}"
            add_pool(layout, pool, types.segment_of(key), key, HeapKind.NONE, f"CustomPools.{key}[{index}]", title)
        total = optional_part(source, members.get("Total"), Stats, "Total")
        stated = total.layout() if total else None
        return opened_dump(source, layout, version="3", stated=stated, stated_heaps=types.stated, detail=detail)


def heap_group(flags: list[str | int]) -> str:
    """Return the segment group that a Vulkan memory heap's flags amount to."""
    return "LOCAL" if "DEVICE_LOCAL" in flags else "NON_LOCAL"
