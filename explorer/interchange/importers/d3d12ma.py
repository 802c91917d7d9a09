"""D3D12MA dumps of 2.0 and later (reference dump_schemas, section 1)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from explorer.core.d3d12_enums import HeapFlags
from explorer.core.kinds import HeapKind
from explorer.interchange.importers.dump_layout import DumpLayout, DumpSegment
from explorer.interchange.importers.dump_model import Budget, Bytes, Pool, Stats, optional_part, parts_of
from explorer.interchange.importers.dumps import add_pool, opened_dump, read_pool_lists, read_pools
from explorer.interchange.importers.kinds import d3d12_kinds

if TYPE_CHECKING:
    from explorer.interchange.importers.dump_model import Range
    from explorer.interchange.importers.source import Source
    from explorer.interchange.opened import Layout, OpenedFile

_TIER_1 = re.compile(r"(.+) - (?:Buffers|Textures|Textures RT/DS)")
_FLAG_NAMES = {"HEAP_FLAG_CROSS_ADAPTER": "HEAP_FLAG_SHARED_CROSS_ADAPTER"}
_SYSTEM_TYPES = ("UPLOAD", "READBACK")


class General(msgspec.Struct):
    """``General``, as far as it is used."""

    gpu: str = msgspec.field(default="", name="GPU")
    dedicated_video_memory: Bytes = msgspec.field(default=0, name="DedicatedVideoMemory")
    shared_system_memory: Bytes = msgspec.field(default=0, name="SharedSystemMemory")
    is_uma: bool = msgspec.field(default=False, name="UMA")
    has_gpu_upload: bool | None = msgspec.field(default=None, name="GPUUploadHeapSupported")
    has_tight_alignment: bool | None = msgspec.field(default=None, name="TightAlignmentSupported")

    @property
    def version(self) -> str:
        """The lowest version that writes these keys."""
        if self.has_tight_alignment is not None:
            return "3.1"
        return "2.0" if self.has_gpu_upload is None else "3.0"


class _Group(msgspec.Struct, rename="pascal"):
    budget: Budget | None = None
    stats: Stats | None = None


class D3d12Ma:
    """The layout that D3D12MA writes since 2.0."""

    id = "d3d12ma"
    title = "D3D12 Memory Allocator dump"

    def recognises(self, source: Source) -> bool:
        """Return whether the file is such a dump: ``General.API`` says so, or the memory groups do."""
        members = source.members
        if members is None or "MemoryInfo" not in members:
            return False
        return b'"Direct3D 12"' in bytes(members.get("General") or b"") or b'"L0"' in bytes(members["MemoryInfo"])

    def read(self, source: Source) -> OpenedFile:
        """Read the dump."""
        members = source.members or {}
        general = optional_part(source, members.get("General"), General, "General") or General()
        layout = DumpLayout("d3d12", general.gpu, self.id, d3d12_kinds)
        info = parts_of(source, members.get("MemoryInfo"), "MemoryInfo")
        stated_heaps: list[Layout | None] = []
        is_uma = general.is_uma or (bool(info) and "L1" not in info)
        for name in ("L0",) if is_uma else ("L1", "L0"):
            group = optional_part(source, info.get(name), _Group, f"MemoryInfo.{name}") or _Group()
            layout.segments.append(DumpSegment(name, *_group_and_size(name, is_uma, general), group.budget))
            stated_heaps.append(group.stats.layout() if group.stats else None)
        add_d3d12_pools(layout, source, read_pools(source, members.get("DefaultPools"), "DefaultPools"), is_uma)
        for key, index, pool in read_pool_lists(source, members.get("CustomPools"), "CustomPools"):
            title = f"{key} pool {pool.name or index}"
            add_d3d12_pool(layout, pool, key, is_uma, f"CustomPools.{key}[{index}]", title)
        total = optional_part(source, members.get("Total"), Stats, "Total")
        detail = "DefaultPools" in members or "CustomPools" in members
        return opened_dump(source, layout, version=general.version, stated=total.layout() if total else None,
                           stated_heaps=stated_heaps, detail=detail)  # fmt: skip


def add_d3d12_pools(layout: DumpLayout, source: Source, pools: dict[str, Pool], is_uma: bool) -> None:
    """Add the default pools; of a list that heap tier 1 prints three times, one is taken."""
    printed: dict[str, list[Range]] = {}
    repeated = 0
    for key, pool in pools.items():
        tier_1 = _TIER_1.fullmatch(key)
        heap_type = tier_1[1] if tier_1 else key
        if tier_1 and heap_type in printed:
            if printed[heap_type] == pool.dedicated_allocations:
                repeated += len(pool.dedicated_allocations)
            else:
                source.warn("unlike-lists", f"DefaultPools.{key}.DedicatedAllocations",
                            "heap tier 1 should print the same list three times; the first is taken")  # fmt: skip
            pool.dedicated_allocations = []
        printed.setdefault(heap_type, pool.dedicated_allocations)
        add_d3d12_pool(layout, pool, heap_type, is_uma, f"DefaultPools.{key}", key)
    source.repair("repeated-dedicated", repeated)


def add_d3d12_pool(layout: DumpLayout, pool: Pool, heap_type: str, is_uma: bool, where: str, title: str) -> None:
    """Add a pool to the memory group in which its heap type lies."""
    kind = HeapKind[heap_type] if heap_type in HeapKind.__members__ else HeapKind.OTHER
    in_l0 = (
        is_uma or "MEMORY_POOL_L0" in pool.flags or (heap_type in _SYSTEM_TYPES and "MEMORY_POOL_L1" not in pool.flags)
    )
    segment = next(i for i, s in enumerate(layout.segments) if s.name == ("L0" if in_l0 else "L1"))
    add_pool(layout, pool, segment, heap_type, kind, where, title, _flag_bits(pool.flags))


def _group_and_size(name: str, is_uma: bool, general: General) -> tuple[str, int]:
    if is_uma:
        return "LOCAL", general.dedicated_video_memory + general.shared_system_memory
    return ("LOCAL", general.dedicated_video_memory) if name == "L1" else ("NON_LOCAL", general.shared_system_memory)


def _flag_bits(flags: list[str | int]) -> int:
    bits = 0
    for flag in flags:
        if isinstance(flag, int):
            # Unknown bits follow as one number.
            bits |= flag & 0xFFFF_FFFF
            continue
        name = _FLAG_NAMES.get(flag, flag).removeprefix("HEAP_FLAG_")
        if name in HeapFlags.__members__:
            bits |= int(HeapFlags[name])
    return bits
