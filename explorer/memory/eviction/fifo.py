"""First in, first out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.memory.eviction.policy import Counts, EvictionPolicy
from explorer.memory.eviction.recency import RecencyOrder
from explorer.memory.eviction.replay import replay

if TYPE_CHECKING:
    from explorer.memory.eviction.stream import ReferenceStream


class FifoOrder(RecencyOrder):
    """The object that came first leaves, used since or not."""

    __slots__ = ()
    policy = "fifo"
    renews_on_use = False


def plain(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream in plain Python."""
    return replay(FifoOrder, stream, budget_bytes)


def compiled(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream with the kernel."""
    from explorer.memory.eviction import fifo_kernels

    return fifo_kernels.run(stream.ids, stream.sizes, budget_bytes)


POLICY = EvictionPolicy(
    id="fifo",
    name="FIFO",
    description="The object that became resident first leaves first, used since or not.",
    source="L. A. Belady: A study of replacement algorithms for a virtual-storage computer, 1966",
    order=FifoOrder,
    plain=plain,
    compiled=compiled,
)
