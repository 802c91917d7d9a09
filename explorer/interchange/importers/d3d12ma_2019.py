"""D3D12MA dumps of the development versions before 2.0 (reference dump_schemas, end of section 1.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from explorer.core.kinds import HeapKind
from explorer.interchange.importers.d3d12ma import add_d3d12_pool, add_d3d12_pools
from explorer.interchange.importers.dump_layout import DumpLayout, DumpSegment
from explorer.interchange.importers.dump_model import Budget, OldStats, Range, optional_part, parts_of, read_part
from explorer.interchange.importers.dumps import add_dedicated, opened_dump, read_pool_lists, read_pools
from explorer.interchange.importers.kinds import d3d12_kinds

if TYPE_CHECKING:
    from explorer.interchange.importers.source import Source
    from explorer.interchange.opened import OpenedFile


class _Budgets(msgspec.Struct, rename="pascal"):
    local: Budget | None = None
    non_local: Budget | None = None


class D3d12Ma2019:
    """The layout that D3D12MA wrote from 2019 to 2022, never in a release."""

    id = "d3d12ma-2019"
    title = "D3D12 Memory Allocator dump, development version"

    def recognises(self, source: Source) -> bool:
        """Return whether the file has a total, and a budget of the two groups or a detailed map."""
        members = source.members
        return members is not None and "Total" in members and ("DetailedMap" in members or "Budget" in members)

    def read(self, source: Source) -> OpenedFile:
        """Read the dump. It names no memory groups: UPLOAD and READBACK count as NON_LOCAL."""
        members = source.members or {}
        budgets = optional_part(source, members.get("Budget"), _Budgets, "Budget") or _Budgets()
        layout = DumpLayout("d3d12", "", self.id, d3d12_kinds)
        layout.segments += [
            DumpSegment("L1", "LOCAL", 0, budgets.local),
            DumpSegment("L0", "NON_LOCAL", 0, budgets.non_local),
        ]
        details = parts_of(source, members.get("DetailedMap"), "DetailedMap")
        where = "DetailedMap.DefaultPools"
        add_d3d12_pools(layout, source, read_pools(source, details.get("DefaultPools"), where), is_uma=False)
        for key, index, pool in read_pool_lists(source, details.get("Pools"), "DetailedMap.Pools"):
            title = f"{key} pool {pool.name or index}"
            add_d3d12_pool(layout, pool, key, is_uma=False, where=f"DetailedMap.Pools.{key}[{index}]", title=title)
        where = "DetailedMap.CommittedAllocations"
        for key, body in parts_of(source, details.get("CommittedAllocations"), where).items():
            rows = read_part(source, body, list[Range], f"{where}.{key}")
            kind = HeapKind[key] if key in HeapKind.__members__ else HeapKind.OTHER
            segment = 1 if key in ("UPLOAD", "READBACK") else 0
            add_dedicated(layout, rows, segment, key, kind, f"{where}.{key}", key)
        total = optional_part(source, members.get("Total"), OldStats, "Total")
        return opened_dump(source, layout, version=None, stated=total.layout() if total else None,
                           stated_heaps=[None, None], detail="DetailedMap" in members)  # fmt: skip
