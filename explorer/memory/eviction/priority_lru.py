"""Priority, then least recently used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.memory.eviction.policy import Counts, EvictionPolicy
from explorer.memory.eviction.recency import PriorityOrder
from explorer.memory.eviction.replay import replay

if TYPE_CHECKING:
    from explorer.memory.eviction.stream import ReferenceStream


class PriorityLruOrder(PriorityOrder):
    """The lowest priority leaves first; within it the object that was not used for longest."""

    __slots__ = ()
    policy = "priority-lru"


def plain(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream in plain Python."""
    return replay(PriorityLruOrder, stream, budget_bytes)


def compiled(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream with the kernel."""
    from explorer.memory.eviction import levels_kernels

    return levels_kernels.run_levels(stream, budget_bytes, turns=False)


POLICY = EvictionPolicy(
    id="priority-lru",
    name="Priority, then LRU",
    description="The lowest priority leaves first, and among equals the object whose latest use lies furthest back.",
    source="IDirect3DResource9::SetPriority and ID3D12Device1::SetResidencyPriority (Microsoft documentation)",
    order=PriorityLruOrder,
    plain=plain,
    compiled=compiled,
)
