"""Dumps as VMA and D3D12MA print them, so that the vendor's viewer opens them (reference dump_schemas, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from explorer import __version__
from explorer.core.d3d12_enums import HeapFlags
from explorer.interchange.exporters.dump_writer import CUSTOM, DumpPool, DumpSums, DumpWriter

if TYPE_CHECKING:
    from explorer.interchange.exporters.protocol import ExportOptions
    from explorer.sim.snapshot import SegmentPicture, Snapshot

_FLAG_NAMES = {"SHARED_CROSS_ADAPTER": "CROSS_ADAPTER"}
_STANDARD_POOLS = ("DEFAULT", "UPLOAD", "READBACK")


class D3d12MaJsonExporter:
    """The layout of D3D12MA 2.0 and later."""

    id = "d3d12ma-json"
    title = "D3D12 Memory Allocator dump (JSON)"
    ending = ".d3d12ma.json"
    views = ()

    def export(self, snapshot: Snapshot, options: ExportOptions) -> bytes:
        """Return the dump: UTF-8, gap-free ranges in offset order; of ranges that share bytes only the first."""
        del options
        writer = DumpWriter(snapshot, is_d3d12=True)
        general = {
            "API": "Direct3D 12",
            "GPU": snapshot.adapter_name,
            "DedicatedVideoMemory": _sizes(snapshot, "LOCAL"),
            "SharedSystemMemory": _sizes(snapshot, "NON_LOCAL"),
            "UMA": writer.is_uma,
            "Exporter": f"memory-layout-explorer {__version__}",
        }
        for name in _STANDARD_POOLS:
            writer.pools.setdefault(name, DumpPool())
        info: dict[str, Any] = {}
        for name, group in (("L0", "LOCAL"),) if writer.is_uma else (("L1", "LOCAL"), ("L0", "NON_LOCAL")):
            sums = writer.sums.get(name, DumpSums())
            own = {
                key.partition(" ")[0]: {"Stats": pool.sums.shown()}
                for key, pool in writer.pools.items()
                if _lies_in(key, name, writer)
            }
            info[name] = {"Budget": _budget(snapshot, group, sums), "Stats": sums.shown(), "MemoryPools": own}
        pools: dict[str, Any] = {}
        custom: list[dict[str, Any]] = []
        for key, pool in writer.pools.items():
            heap_type, _, memory = key.partition(" ")
            if heap_type == CUSTOM:
                flags = [*_flags(pool.flags), f"MEMORY_POOL_{memory}"]
                custom.append({"Name": f"{len(custom)} - {memory}", "Flags": flags, **pool.shown()})
            else:
                pools[key] = {"Flags": _flags(pool.flags), **pool.shown()}
        return _encoded(general, writer, info, pools, {CUSTOM: custom} if custom else None)

    def rows(self, snapshot: Snapshot, options: ExportOptions) -> int | None:
        """Return the allocations that are written."""
        del options
        return _allocations(DumpWriter(snapshot, is_d3d12=True))


class VmaJsonExporter:
    """The layout of VMA 3: one memory heap and one memory type for each segment."""

    id = "vma-json"
    title = "Vulkan Memory Allocator dump (JSON)"
    ending = ".vma.json"
    views = ()

    def export(self, snapshot: Snapshot, options: ExportOptions) -> bytes:
        """Return the dump: UTF-8, gap-free ranges in offset order; of ranges that share bytes only the first."""
        del options
        writer = DumpWriter(snapshot, is_d3d12=False)
        general = {
            "API": "Vulkan",
            "GPU": snapshot.adapter_name,
            "memoryHeapCount": len(snapshot.segments),
            "memoryTypeCount": len(snapshot.segments),
            "Exporter": f"memory-layout-explorer {__version__}",
        }
        info: dict[str, Any] = {}
        for index, segment in enumerate(snapshot.segments):
            pool = writer.pools.setdefault(f"Type {index}", DumpPool())
            flags = ["DEVICE_LOCAL"] if segment.group == "LOCAL" else []
            info[f"Heap {index}"] = {
                "Flags": flags,
                "Size": segment.size_bytes,
                "Budget": _segment_budget(snapshot, segment, pool.sums),
                "Stats": pool.sums.shown(),
                "MemoryPools": {f"Type {index}": {"Flags": flags, "Stats": pool.sums.shown()}},
            }
        return _encoded(general, writer, info, {key: pool.shown() for key, pool in writer.pools.items()})

    def rows(self, snapshot: Snapshot, options: ExportOptions) -> int | None:
        """Return the allocations that are written."""
        del options
        return _allocations(DumpWriter(snapshot, is_d3d12=False))


def _encoded(
    general: dict[str, Any],
    writer: DumpWriter,
    info: dict[str, Any],
    pools: dict[str, Any],
    custom: dict[str, Any] | None = None,
) -> bytes:
    total = DumpSums()
    for sums in writer.sums.values():
        total.add(sums)
    general["RangesLeftOut"] = writer.left_out
    document: dict[str, Any] = {"General": general, "Total": total.shown(), "MemoryInfo": info, "DefaultPools": pools}
    if custom is not None:
        document["CustomPools"] = custom
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"


def _allocations(writer: DumpWriter) -> int:
    return sum(len(sums.sizes) for sums in writer.sums.values())


def _lies_in(pool: str, memory: str, writer: DumpWriter) -> bool:
    if pool.startswith(CUSTOM):
        return pool.endswith(memory)
    return writer.is_uma or (pool in ("UPLOAD", "READBACK")) == (memory == "L0")


def _sizes(snapshot: Snapshot, group: str) -> int:
    return sum(segment.size_bytes for segment in snapshot.segments if segment.group == group)


def _budget(snapshot: Snapshot, group: str, sums: DumpSums) -> dict[str, int]:
    granted = [one.budget_bytes for one in snapshot.groups if one.group == group and one.budget_bytes is not None]
    return {"BudgetBytes": sum(granted) or _sizes(snapshot, group), "UsageBytes": sums.block_bytes}


def _segment_budget(snapshot: Snapshot, segment: SegmentPicture, sums: DumpSums) -> dict[str, int]:
    sharing = sum(one.group == segment.group and one.node == segment.node for one in snapshot.segments)
    granted = [
        one.budget_bytes
        for one in snapshot.groups
        if (one.group, one.node) == (segment.group, segment.node) and one.budget_bytes is not None
    ]
    budget = granted[0] if granted and sharing == 1 else segment.size_bytes
    return {"BudgetBytes": budget, "UsageBytes": sums.block_bytes}


def _flags(bits: int) -> list[str | int]:
    names: list[str | int] = []
    for name, flag in HeapFlags.__members__.items():
        value = int(flag)
        if value and value & (value - 1) == 0 and bits & value:
            names.append(f"HEAP_FLAG_{_FLAG_NAMES.get(name, name)}")
            bits &= ~value
    return [*names, bits] if bits else names
