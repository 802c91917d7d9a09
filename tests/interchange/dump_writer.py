"""Writes dumps as the libraries do, from a list of allocations; totals are counted here, apart from the reader."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Pool:
    """Blocks, each a list of (type, size, usage, name), and dedicated allocations of the same form."""

    blocks: list[list[tuple[str, int, int, str]]] = field(default_factory=list)
    dedicated: list[tuple[str, int, int, str]] = field(default_factory=list)


@dataclass
class Sums:
    """Statistics of a set of blocks."""

    blocks: int = 0
    block_bytes: int = 0
    allocations: int = 0
    allocation_bytes: int = 0
    free_ranges: int = 0

    def add(self, other: Sums) -> None:
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def new_style(self) -> dict[str, int]:
        return {
            "BlockCount": self.blocks, "BlockBytes": self.block_bytes, "AllocationCount": self.allocations,
            "AllocationBytes": self.allocation_bytes, "UnusedRangeCount": self.free_ranges,
        }  # fmt: skip

    def old_style(self) -> dict[str, int]:
        return {
            "Blocks": self.blocks, "Allocations": self.allocations, "UnusedRanges": self.free_ranges,
            "UsedBytes": self.allocation_bytes, "UnusedBytes": self.block_bytes - self.allocation_bytes,
        }  # fmt: skip


def sums_of(pool: Pool) -> Sums:
    total = Sums(blocks=len(pool.blocks) + len(pool.dedicated))
    for block in pool.blocks:
        for kind, size, _, _ in block:
            total.block_bytes += size
            if kind == "FREE":
                total.free_ranges += 1
            else:
                total.allocations += 1
                total.allocation_bytes += size
    for _, size, _, _ in pool.dedicated:
        total.add(Sums(0, size, 1, size, 0))
    return total


def block_json(rows: list[tuple[str, int, int, str]], name_key: str = "Name") -> dict[str, Any]:
    offset = 0
    listed: list[dict[str, Any]] = []
    for kind, size, usage, name in rows:
        row: dict[str, Any] = {"Offset": offset, "Type": kind, "Size": size}
        if kind != "FREE":
            row["Usage"] = usage
            if name:
                row[name_key] = name
        listed.append(row)
        offset += size
    used = [row for row in listed if row["Type"] != "FREE"]
    return {
        "TotalBytes": offset,
        "UnusedBytes": offset - sum(row["Size"] for row in used),
        "Allocations": len(used),
        "UnusedRanges": len(listed) - len(used),
        "Suballocations": listed,
    }


def dedicated_json(pool: Pool, name_key: str = "Name") -> list[dict[str, Any]]:
    return [
        {"Type": kind, "Size": size, "Usage": usage, **({name_key: name} if name else {})}
        for kind, size, usage, name in pool.dedicated
    ]


def pool_json(pool: Pool) -> dict[str, Any]:
    return {
        "PreferredBlockSize": 1 << 26,
        "Blocks": {str(i): block_json(rows) for i, rows in enumerate(pool.blocks)},
        "DedicatedAllocations": dedicated_json(pool),
    }


def vma_c(types: dict[str, Pool], custom: dict[str, list[tuple[str, Pool]]] | None = None) -> dict[str, Any]:
    """A VMA 3 dump with all types in one memory heap."""
    total = Sums()
    for key, pool in types.items():
        total.add(sums_of(pool))
        for _, one in (custom or {}).get(key, []):
            total.add(sums_of(one))
    info = {
        "Heap 0": {
            "Flags": ["DEVICE_LOCAL"], "Size": 1 << 33, "Budget": {"BudgetBytes": 1 << 32, "UsageBytes": 0},
            "Stats": total.new_style(), "MemoryPools": {key: {"Flags": ["DEVICE_LOCAL"]} for key in types},
        }
    }  # fmt: skip
    document: dict[str, Any] = {
        "General": {"API": "Vulkan", "apiVersion": "1.3.0", "GPU": "made by a test"},
        "Total": total.new_style(),
        "MemoryInfo": info,
        "DefaultPools": {key: pool_json(pool) for key, pool in types.items()},
    }
    if custom:
        document["CustomPools"] = {
            key: [{"Name": name, **pool_json(pool)} for name, pool in pools] for key, pools in custom.items()
        }
    return document


def vma_old(types: dict[str, Pool], *, as_lists: bool) -> dict[str, Any]:
    """A VMA 2 dump, layout A (lists) or B."""
    total = Sums()
    for pool in types.values():
        total.add(sums_of(pool))
    key = "UserData"
    document: dict[str, Any] = {
        "Total": total.old_style(),
        "Heap 0": {"Size": 1 << 33, "Flags": [], "Stats": total.old_style(), **{k: {"Flags": []} for k in types}},
        "DedicatedAllocations": {k: dedicated_json(p, key) for k, p in types.items() if p.dedicated},
        "DefaultPools": {},
    }
    for name, pool in types.items():
        blocks = [block_json(rows, key) for rows in pool.blocks]
        shown: Any = blocks if as_lists else {str(i): block for i, block in enumerate(blocks)}
        document["DefaultPools"][name] = {"PreferredBlockSize": 1 << 26, "Blocks": shown}
    return document


def d3d12ma(types: dict[str, Pool], *, tier_1: bool = False, uma: bool = False) -> dict[str, Any]:
    """A D3D12MA dump; with heap tier 1 the list of committed resources is printed three times, as the library does."""
    groups = {"L0": Sums()} if uma else {"L1": Sums(), "L0": Sums()}
    total = Sums()
    pools: dict[str, Any] = {}
    for heap_type, pool in types.items():
        sums = sums_of(pool)
        total.add(sums)
        groups["L0" if uma or heap_type in ("UPLOAD", "READBACK") else "L1"].add(sums)
        if not tier_1:
            pools[heap_type] = {"Flags": [], **pool_json(pool)}
            continue
        for number, suffix in enumerate(("Buffers", "Textures", "Textures RT/DS")):
            part = Pool([rows for i, rows in enumerate(pool.blocks) if i % 3 == number], pool.dedicated)
            pools[f"{heap_type} - {suffix}"] = {"Flags": ["HEAP_FLAG_DENY_BUFFERS", 0x4000_0000], **pool_json(part)}
    return {
        "General": {
            "API": "Direct3D 12", "GPU": "made by a test", "DedicatedVideoMemory": 1 << 32,
            "SharedSystemMemory": 1 << 33, "ResourceHeapTier": 1 if tier_1 else 2, "UMA": uma,
        },
        "Total": total.new_style(),
        "MemoryInfo": {
            name: {"Budget": {"BudgetBytes": 1 << 31, "UsageBytes": 5}, "Stats": sums.new_style()}
            for name, sums in groups.items()
        },
        "DefaultPools": pools,
    }  # fmt: skip


def text(document: dict[str, Any]) -> bytes:
    """The JSON as the libraries print it: one key a line."""
    return json.dumps(document, indent=1, ensure_ascii=False).encode()


def utf_16(document: dict[str, Any], *, mark: bool = True) -> bytes:
    body = json.dumps(document, indent=1, ensure_ascii=False).encode("utf-16-le")
    return (b"\xff\xfe" if mark else b"") + body
