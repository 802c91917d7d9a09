"""Priority, then least recently used."""

from __future__ import annotations

from explorer.memory.eviction.policy import EvictionPolicy
from explorer.memory.eviction.recency import PriorityOrder


class PriorityLruOrder(PriorityOrder):
    """The lowest priority leaves first; within it the object that was not used for longest."""

    __slots__ = ()
    policy = "priority-lru"


POLICY = EvictionPolicy(
    id="priority-lru",
    name="Priority, then LRU",
    description="The lowest priority leaves first, and among equals the object whose latest use lies furthest back.",
    source="IDirect3DResource9::SetPriority and ID3D12Device1::SetResidencyPriority (Microsoft documentation)",
    order=PriorityLruOrder,
)
