"""First in, first out."""

from __future__ import annotations

from explorer.memory.eviction.policy import EvictionPolicy
from explorer.memory.eviction.recency import RecencyOrder


class FifoOrder(RecencyOrder):
    """The object that came first leaves, used since or not."""

    __slots__ = ()
    policy = "fifo"
    renews_on_use = False


POLICY = EvictionPolicy(
    id="fifo",
    name="FIFO",
    description="The object that became resident first leaves first, used since or not.",
    source="L. A. Belady: A study of replacement algorithms for a virtual-storage computer, 1966",
    order=FifoOrder,
)
