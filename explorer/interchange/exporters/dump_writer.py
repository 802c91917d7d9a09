"""A snapshot sorted into the pools of an allocator dump (reference dump_schemas, section 3).

What the format cannot say is left out and counted: ranges that share bytes (only the first of them is written, clipped
to what no earlier one covers) and ranges whose offset is unknown and that lie in no heap of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.core.d3d12_enums import ResourceFlags
from explorer.core.kinds import HeapKind, ResourceKind

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot

PREFERRED_BLOCK_BYTES = 64 << 20
CUSTOM = "CUSTOM"
"""Heap type whose pools are listed apart."""

_D3D12_USAGE = {
    ResourceKind.RENDER_TARGET: int(ResourceFlags.ALLOW_RENDER_TARGET),
    ResourceKind.DEPTH_STENCIL: int(ResourceFlags.ALLOW_DEPTH_STENCIL),
    ResourceKind.ACCELERATION: int(ResourceFlags.RAYTRACING_ACCELERATION_STRUCTURE),
}
# Values of VkBufferUsageFlagBits and VkImageUsageFlagBits (Vulkan specification): the flag that tells the kind.
_VULKAN_USAGE = {
    ResourceKind.TEXTURE: 0x4,
    ResourceKind.RENDER_TARGET: 0x10,
    ResourceKind.DEPTH_STENCIL: 0x20,
    ResourceKind.BUFFER: 0x80,
    ResourceKind.UPLOAD: 0x1,
    ResourceKind.READBACK: 0x2,
    ResourceKind.DESCRIPTOR_HEAP: 0x0040_0000,
    ResourceKind.ACCELERATION: 0x0010_0000,
}
_IMAGES = (ResourceKind.TEXTURE, ResourceKind.RENDER_TARGET, ResourceKind.DEPTH_STENCIL)


@dataclass(slots=True)
class DumpSums:
    """Sums of blocks, and the sizes of their used and free ranges (bytes)."""

    blocks: int = 0
    block_bytes: int = 0
    sizes: list[int] = field(default_factory=list[int])
    holes: list[int] = field(default_factory=list[int])

    def add(self, other: DumpSums) -> None:
        """Add the sums of other blocks."""
        self.blocks += other.blocks
        self.block_bytes += other.block_bytes
        self.sizes += other.sizes
        self.holes += other.holes

    def shown(self) -> dict[str, int]:
        """Return the statistics with the keys of the libraries: extremes only where there are two or more."""
        stats = {
            "BlockCount": self.blocks,
            "BlockBytes": self.block_bytes,
            "AllocationCount": len(self.sizes),
            "AllocationBytes": sum(self.sizes),
            "UnusedRangeCount": len(self.holes),
        }
        if len(self.sizes) > 1:
            stats |= {"AllocationSizeMin": min(self.sizes), "AllocationSizeMax": max(self.sizes)}
        if len(self.holes) > 1:
            stats |= {"UnusedRangeSizeMin": min(self.holes), "UnusedRangeSizeMax": max(self.holes)}
        return stats


@dataclass(slots=True)
class DumpPool:
    """A pool: what the libraries keep for a memory type.

    Attributes:
        blocks: Blocks by id.
        dedicated: Dedicated allocations.
        flags: D3D12_HEAP_FLAGS of its heaps.
        sums: Sums of both.
    """

    blocks: dict[str, Any] = field(default_factory=dict[str, Any])
    dedicated: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    flags: int = 0
    sums: DumpSums = field(default_factory=DumpSums)

    def shown(self) -> dict[str, Any]:
        """Return the pool with the keys of the libraries."""
        return {
            "PreferredBlockSize": PREFERRED_BLOCK_BYTES,
            "Blocks": self.blocks,
            "DedicatedAllocations": self.dedicated,
        }


class DumpWriter:
    """Sorts a snapshot's heaps and ranges into pools.

    Args:
        snapshot: What is written.
        is_d3d12: Whether words and flags are Direct3D's.

    Attributes:
        pools: Memory type or heap type → pool.
        sums: ``Heap N``, ``L0`` or ``L1`` → sums.
        left_out: Ranges that were cut or left out because they share bytes with earlier ones.
    """

    def __init__(self, snapshot: Snapshot, is_d3d12: bool) -> None:
        self.snapshot = snapshot
        self.is_d3d12 = is_d3d12
        self.is_uma = all(segment.group != "NON_LOCAL" for segment in snapshot.segments)
        self.pools: dict[str, DumpPool] = {}
        self.sums: dict[str, DumpSums] = {}
        self.left_out = 0
        blocks = snapshot.blocks
        order = np.lexsort((-blocks.size, blocks.offset, blocks.heap, blocks.segment))
        rows: dict[tuple[int, int], list[int]] = {}
        for index in order.tolist():
            heap = int(blocks.heap[index])
            rows.setdefault((-1, heap) if heap >= 0 else (int(blocks.segment[index]), -1), []).append(index)
        for heap in range(len(snapshot.heaps)):
            self._heap(heap, rows.get((-1, heap), []))
        for (segment, heap), found in rows.items():
            if heap < 0:
                self._direct(segment, found)

    def _heap(self, heap: int, rows: list[int]) -> None:
        heaps = self.snapshot.heaps
        segment = int(heaps.home[heap])
        kind = HeapKind(int(heaps.kind[heap]))
        pool = self._pool(segment, kind)
        pool.flags |= int(heaps.flags[heap])
        if bool(heaps.committed[heap]) and len(rows) == 1:
            self._dedicated(pool, segment, rows[0])
        else:
            self._block(pool, segment, rows, int(heaps.size[heap]))

    def _direct(self, segment: int, rows: list[int]) -> None:
        """Write what lies directly in a segment: in one block with true offsets, or as dedicated allocations."""
        pool = self._pool(segment, HeapKind.NONE)
        offsets = self.snapshot.blocks.offset
        known = [row for row in rows if int(offsets[row]) >= 0]
        picture = self.snapshot.segments[segment]
        if known and picture.placement == "contiguous":
            self._block(pool, segment, known, picture.size_bytes)
            rows = [row for row in rows if int(offsets[row]) < 0]
        for row in rows:
            self._dedicated(pool, segment, row)

    def _pool(self, segment: int, kind: HeapKind) -> DumpPool:
        if not self.is_d3d12:
            return self.pools.setdefault(f"Type {segment}", DumpPool())
        if kind in (HeapKind.NONE, HeapKind.OTHER):
            # Memory that is no D3D12 heap takes the heap type that lies in the same memory group.
            kind = HeapKind.DEFAULT if self._is_local(segment) else HeapKind.UPLOAD
        if kind == HeapKind.CUSTOM:
            # Such heaps lie in either memory: one pool for each, as the library keeps them.
            return self.pools.setdefault(f"{CUSTOM} {self.memory(segment)}", DumpPool())
        return self.pools.setdefault(kind.name, DumpPool())

    def _is_local(self, segment: int) -> bool:
        return self.snapshot.segments[segment].group in ("LOCAL", "")

    def memory(self, segment: int) -> str:
        """Return the key of the memory in which a segment lies."""
        if not self.is_d3d12:
            return f"Heap {segment}"
        return "L1" if self._is_local(segment) and not self.is_uma else "L0"

    def _count(self, pool: DumpPool, segment: int, sums: DumpSums) -> None:
        pool.sums.add(sums)
        self.sums.setdefault(self.memory(segment), DumpSums()).add(sums)

    def _dedicated(self, pool: DumpPool, segment: int, row: int) -> None:
        size = int(self.snapshot.blocks.size[row])
        pool.dedicated.append(self._allocation(row, size))
        self._count(pool, segment, DumpSums(1, size, [size], []))

    def _block(self, pool: DumpPool, segment: int, rows: list[int], total: int) -> None:
        blocks = self.snapshot.blocks
        listed: list[dict[str, Any]] = []
        sums = DumpSums(1, total, [], [])
        end = 0
        for row in rows:
            first, last = int(blocks.offset[row]), int(blocks.offset[row] + blocks.size[row])
            if first < end:
                self.left_out += 1
                first = end
            if last <= first or first >= total:
                continue
            if first > end:
                listed.append({"Offset": end, "Type": "FREE", "Size": first - end})
                sums.holes.append(first - end)
            end = min(last, total)
            listed.append({"Offset": first, **self._allocation(row, end - first)})
            sums.sizes.append(end - first)
        if end < total:
            listed.append({"Offset": end, "Type": "FREE", "Size": total - end})
            sums.holes.append(total - end)
        pool.blocks[str(len(pool.blocks))] = {
            **({} if self.is_d3d12 else {"MapRefCount": 0}),
            "TotalBytes": total,
            "UnusedBytes": sum(sums.holes),
            "Allocations": len(sums.sizes),
            "UnusedRanges": len(sums.holes),
            "Suballocations": listed,
        }
        self._count(pool, segment, sums)

    def _allocation(self, row: int, size: int) -> dict[str, Any]:
        blocks, resources = self.snapshot.blocks, self.snapshot.resources
        kind = ResourceKind(int(blocks.kind[row]))
        resource = int(blocks.resource[row])
        shown: dict[str, Any] = {
            "Type": self._type(kind, resource),
            "Size": size,
            "Usage": (_D3D12_USAGE if self.is_d3d12 else _VULKAN_USAGE).get(kind, 0),
        }
        name = resources.names[resource] if resource >= 0 else ""
        if name:
            shown["Name"] = name
        return shown

    def _type(self, kind: ResourceKind, resource: int) -> str:
        if kind == ResourceKind.OTHER:
            return "UNKNOWN"
        if kind not in _IMAGES:
            return "BUFFER"
        if not self.is_d3d12:
            return "IMAGE_OPTIMAL"
        table = self.snapshot.resources
        word = table.dimensions[int(table.dimension[resource])] if resource >= 0 else ""
        return word if word in ("TEXTURE1D", "TEXTURE2D", "TEXTURE3D") else "TEXTURE2D"
