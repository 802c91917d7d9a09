"""Least recently used."""

from __future__ import annotations

from explorer.memory.eviction.policy import EvictionPolicy
from explorer.memory.eviction.recency import RecencyOrder


class LruOrder(RecencyOrder):
    """The object that was not used for longest leaves."""

    __slots__ = ()
    policy = "lru"


POLICY = EvictionPolicy(
    id="lru",
    name="LRU",
    description="The object whose latest use lies furthest back leaves first.",
    source="R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger: Evaluation techniques for storage hierarchies, 1970",
    order=LruOrder,
)
