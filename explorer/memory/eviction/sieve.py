"""SIEVE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from explorer.memory.eviction.order import NOBODY
from explorer.memory.eviction.policy import Counts, EvictionPolicy
from explorer.memory.eviction.queues import END
from explorer.memory.eviction.recency import RecencyOrder
from explorer.memory.eviction.replay import replay

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from explorer.memory.eviction.stream import ReferenceStream


class SieveOrder(RecencyOrder):
    """A queue by entry that is never reordered, and a hand that walks from old to new, clearing marks."""

    __slots__ = ("_hand", "_used")
    policy = "sieve"
    renews_on_use = False

    def __init__(self, capacity_bytes: int | None = None) -> None:
        super().__init__(capacity_bytes)
        self._used: set[int] = set()
        self._hand = END

    def touch(self, object_id: int, frame: int, time: int = 0) -> None:
        """Say that a resident object is used."""
        super().touch(object_id, frame, time)
        self._used.add(object_id)

    def victims(
        self, bytes_needed: int | None, pinned: Container[int] = NOBODY, *, incoming: int | None = None
    ) -> Iterator[int]:
        """Yield who leaves: the first unmarked one from the hand on; pinned ones are passed and keep their mark."""
        left = self._resident_bytes if bytes_needed is None else bytes_needed
        offered: set[int] = set()
        passed = 0
        # A whole round in which nothing was cleared or yielded: everybody left is pinned.
        while left > 0 and passed < len(self._queue):
            object_id = self._queue.oldest if self._hand == END else self._hand
            self._hand = self._queue.newer(object_id)
            if object_id in offered or object_id in pinned:
                passed += 1
            elif object_id in self._used:
                self._used.discard(object_id)
                passed = 0
            else:
                passed = 0
                left -= self._size[object_id]
                offered.add(object_id)
                yield object_id

    def remove(self, object_id: int) -> None:
        """Take out an object that is destroyed."""
        if object_id == self._hand:
            self._hand = self._queue.newer(object_id)
        super().remove(object_id)
        self._used.discard(object_id)

    def copy(self) -> Self:
        """Return an independent copy with the same future."""
        twin = super().copy()
        twin._used = self._used.copy()
        twin._hand = self._hand
        return twin


def plain(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream in plain Python."""
    return replay(SieveOrder, stream, budget_bytes)


def compiled(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream with the kernel."""
    from explorer.memory.eviction import sieve_kernels

    return sieve_kernels.run(stream.ids, stream.sizes, budget_bytes)


POLICY = EvictionPolicy(
    id="sieve",
    name="SIEVE",
    description="A hand walks from old to new and takes the first object that was not used since it last came by.",
    source="Y. Zhang, J. Yang, Y. Yue, Y. Vigfusson, K. V. Rashmi: SIEVE is simpler than LRU, NSDI 2024",
    order=SieveOrder,
    plain=plain,
    compiled=compiled,
)
