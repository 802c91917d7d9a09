"""Most recently used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.memory.eviction.policy import Counts, EvictionPolicy
from explorer.memory.eviction.recency import RecencyOrder
from explorer.memory.eviction.replay import replay

if TYPE_CHECKING:
    from explorer.memory.eviction.stream import ReferenceStream


class MruOrder(RecencyOrder):
    """The object that was used last leaves."""

    __slots__ = ()
    policy = "mru"
    newest_leaves = True


def plain(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream in plain Python."""
    return replay(MruOrder, stream, budget_bytes)


def compiled(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream with the kernel."""
    from explorer.memory.eviction import mru_kernels

    return mru_kernels.run(stream.ids, stream.sizes, budget_bytes)


POLICY = EvictionPolicy(
    id="mru",
    name="MRU",
    description="The object that was used last leaves first, so that part of a loop larger than memory stays.",
    source="H.-T. Chou, D. J. DeWitt: An evaluation of buffer management strategies for relational databases, 1985",
    order=MruOrder,
    plain=plain,
    compiled=compiled,
)
