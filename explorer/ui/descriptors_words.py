"""What the Descriptors view says about a heap, and why it is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.units import format_address, format_bytes
from explorer.render.slot_texts import allocator_text

if TYPE_CHECKING:
    from explorer.core.columns import DescriptorHeapPicture
    from explorer.render.slot_uses import HeapUses, UseCounts
    from explorer.render.slots import SlotCounts
    from explorer.sim.snapshot import Snapshot


def heap_line(heap: DescriptorHeapPicture) -> str:
    """Return type, visibility, increment, bytes and handles of a heap."""
    visible = "shader visible" if heap.shader_visible else "not shader visible"
    handles = f"CPU {format_address(heap.cpu_start)}"
    if heap.shader_visible:
        handles += f", GPU {format_address(heap.gpu_start)}"
    size = format_bytes(len(heap.kind) * heap.increment)
    return f"{heap.heap_type} · {visible} · increment {heap.increment} B · {size} · {handles}"


def heap_figures(uses: HeapUses, counts: SlotCounts, used: UseCounts) -> str:
    """Return how many slots are used, read by tables and given out."""
    parts = [f"{counts.used:,} of {counts.slots:,} used"]
    if used.in_tables:
        parts.append(f"{used.in_tables:,} in tables")
    parts.append(allocator_text(uses) or f"longest empty run {counts.longest_empty:,}")
    return " · ".join(parts)


def empty_words(snapshot: Snapshot | None) -> tuple[str, str, str]:
    """Return what is missing, why, and the word of an action or nothing."""
    if snapshot is None:
        return "Nothing is open", "Open a Direct3D 12 scenario to see its descriptor heaps.", ""
    if snapshot.origin == "imported":
        why = "The file lists memory, not the descriptors that point to it."
        return "No descriptor heap is known", why, ""
    if snapshot.api != "d3d12":
        api = snapshot.api.upper().replace("D3D", "Direct3D ")
        why = f"{api} binds resources and views one by one; descriptor heaps came with Direct3D 12."
        return "This API has no descriptor heaps", why, ""
    return "No descriptor heap exists", "Nothing has called CreateDescriptorHeap up to this frame.", "Show Create"
