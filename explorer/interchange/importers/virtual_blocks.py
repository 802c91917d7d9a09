"""Dumps of virtual blocks of VMA and D3D12MA: one range that an application divides on its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.kinds import HeapKind, ResourceKind
from explorer.interchange.importers.dump_layout import DumpBlock, DumpLayout, DumpSegment
from explorer.interchange.importers.dump_model import Block, Stats, optional_part, read_part
from explorer.interchange.importers.dumps import opened_dump
from explorer.interchange.opened import Layout

if TYPE_CHECKING:
    from explorer.core.columns import Bools, Bytes8, Int64
    from explorer.interchange.importers.source import Source
    from explorer.interchange.opened import OpenedFile


class VmaVirtual:
    """``vmaBuildVirtualBlockStatsString``."""

    id = "vma-virtual"
    title = "Vulkan Memory Allocator virtual block dump"

    def recognises(self, source: Source) -> bool:
        """Return whether the file has ``Stats``, perhaps ``Details``, and nothing else."""
        members = source.members
        return members is not None and "Stats" in members and set(members) <= {"Stats", "Details"}

    def read(self, source: Source) -> OpenedFile:
        """Read the dump."""
        members = source.members or {}
        stats = optional_part(source, members["Stats"], Stats, "Stats")
        stated = stats.layout() if stats else None
        details = members.get("Details")
        block = None if details is None else read_part(source, details, Block, "Details")
        return _opened(source, self.id, block, stated, "Details")


class D3d12MaVirtual:
    """``VirtualBlock::BuildStatsString``."""

    id = "d3d12ma-virtual"
    title = "D3D12 Memory Allocator virtual block dump"

    def recognises(self, source: Source) -> bool:
        """Return whether the block's own keys stand at the top."""
        members = source.members
        return members is not None and "TotalBytes" in members and "Suballocations" in members

    def read(self, source: Source) -> OpenedFile:
        """Read the dump."""
        import msgspec

        block = read_part(source, msgspec.Raw(source.text), Block, "virtual block")
        stated = None
        if block.unused_bytes is not None and block.allocations is not None and block.unused_ranges is not None:
            used = block.total_bytes - block.unused_bytes
            stated = Layout(1, None, block.allocations, block.total_bytes, used, block.unused_ranges,
                            block.unused_bytes, None)  # fmt: skip
        return _opened(source, self.id, block, stated, "virtual block")


def _opened(source: Source, format_id: str, block: Block | None, stated: Layout | None, where: str) -> OpenedFile:
    layout = DumpLayout("", "", format_id, _others, [DumpSegment("virtual block", "")])
    if block is not None:
        layout.segments[0].size = block.total_bytes
        layout.blocks.append(DumpBlock("virtual block", 0, "virtual", HeapKind.NONE, 0, block.total_bytes,
                                       block.suballocations, where))  # fmt: skip
    return opened_dump(source, layout, version=None, stated=stated, stated_heaps=[None], detail=block is not None)


def _others(is_buffer: Bools, is_texture: Bools, usage: Int64, heap: Bytes8) -> Bytes8:
    del is_texture, usage, heap
    return np.full(len(is_buffer), ResourceKind.OTHER, np.uint8)
