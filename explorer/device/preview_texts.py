"""Sentences of a preview that all devices say alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.units import format_bytes
from explorer.device import cost
from explorer.device.outcome import AccessRow

if TYPE_CHECKING:
    from explorer.device.memory_state import MemoryState
    from explorer.memory.segments import MemorySegment


def after_taking(state: MemoryState, segment: MemorySegment, size: int) -> str:
    """Return what a segment and its budget look like after a block was taken."""
    free = segment.free_bytes - size
    text = f"{segment.name}: {format_bytes(max(free, 0))} free of {format_bytes(segment.size)}"
    group = state.groups.get((segment.node, segment.group))
    if group is not None and group.budget is not None:
        left = group.budget - group.usage - size
        where = "left of the budget" if left >= 0 else "over the budget"
        text += f", {format_bytes(abs(left))} {where}"
    return text + "."


def gpu_row(segment: MemorySegment, size: int, *, writes: bool) -> AccessRow:
    """Return what the GPU may do, and the time to read everything once."""
    return AccessRow("GPU", "yes", "yes" if writes else "copy only", cost.transfer_ns(size, segment.bandwidth))


def bus_row(state: MemoryState, size: int) -> AccessRow:
    """Return the time to bring everything to the GPU over the bus."""
    return AccessRow("Bus", "", "", cost.transfer_ns(size, state.adapter.bus.to_gpu_bytes_per_s))
