"""CLOCK: FIFO with a second chance."""

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


class ClockOrder(RecencyOrder):
    """A queue by entry; who was used since the last look goes to its end instead of leaving.

    The hand of the clock is the old end of the queue: the same victims, without gaps in a circle.
    """

    __slots__ = ("_used",)
    policy = "clock"
    renews_on_use = False

    def __init__(self, capacity_bytes: int | None = None) -> None:
        super().__init__(capacity_bytes)
        self._used: set[int] = set()

    def touch(self, object_id: int, frame: int, time: int = 0) -> None:
        """Say that a resident object is used."""
        super().touch(object_id, frame, time)
        self._used.add(object_id)

    def victims(
        self, bytes_needed: int | None, pinned: Container[int] = NOBODY, *, incoming: int | None = None
    ) -> Iterator[int]:
        """Yield who leaves: the oldest that was not used since the hand passed; pinned ones keep place and mark."""
        left = self._resident_bytes if bytes_needed is None else bytes_needed
        object_id = self._queue.oldest
        while object_id != END and left > 0:
            following = self._queue.newer(object_id)
            if object_id not in pinned:
                if object_id in self._used:
                    self._used.discard(object_id)
                    self._queue.renew(object_id)
                    # The last of the queue stays where it is, and is looked at again without its mark.
                    following = object_id if following == END else following
                else:
                    left -= self._size[object_id]
                    yield object_id
            object_id = following

    def remove(self, object_id: int) -> None:
        """Take out an object that is destroyed."""
        super().remove(object_id)
        self._used.discard(object_id)

    def copy(self) -> Self:
        """Return an independent copy with the same future."""
        twin = super().copy()
        twin._used = self._used.copy()
        return twin


def plain(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream in plain Python."""
    return replay(ClockOrder, stream, budget_bytes)


def compiled(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream with the kernel."""
    from explorer.memory.eviction import clock_kernels

    return clock_kernels.run(stream.ids, stream.sizes, budget_bytes)


POLICY = EvictionPolicy(
    id="clock",
    name="CLOCK",
    description="The object that came first leaves, but one that was used meanwhile gets a second round.",
    source="F. J. Corbató: A paging experiment with the Multics system, 1968; one bit for each object, 0 at entry",
    order=ClockOrder,
    plain=plain,
    compiled=compiled,
)
