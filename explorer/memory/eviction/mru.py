"""Most recently used."""

from __future__ import annotations

from explorer.memory.eviction.policy import EvictionPolicy
from explorer.memory.eviction.recency import RecencyOrder


class MruOrder(RecencyOrder):
    """The object that was used last leaves."""

    __slots__ = ()
    policy = "mru"
    newest_leaves = True


POLICY = EvictionPolicy(
    id="mru",
    name="MRU",
    description="The object that was used last leaves first, so that part of a loop larger than memory stays.",
    source="H.-T. Chou, D. J. DeWitt: An evaluation of buffer management strategies for relational databases, 1985",
    order=MruOrder,
)
