"""Least recently used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.memory.eviction.policy import Counts, EvictionPolicy
from explorer.memory.eviction.recency import RecencyOrder
from explorer.memory.eviction.replay import replay

if TYPE_CHECKING:
    from explorer.memory.eviction.stream import ReferenceStream


class LruOrder(RecencyOrder):
    """The object that was not used for longest leaves."""

    __slots__ = ()
    policy = "lru"


def plain(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream in plain Python."""
    return replay(LruOrder, stream, budget_bytes)


def compiled(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream with the kernel."""
    from explorer.memory.eviction import lru_kernels

    return lru_kernels.run(stream.ids, stream.sizes, budget_bytes)


POLICY = EvictionPolicy(
    id="lru",
    name="LRU",
    description="The object whose latest use lies furthest back leaves first.",
    source="R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger: Evaluation techniques for storage hierarchies, 1970",
    order=LruOrder,
    plain=plain,
    compiled=compiled,
)
