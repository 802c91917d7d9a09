"""Direct3D 9's managed resources: LRU that turns to MRU while one frame needs more than fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from explorer.memory.eviction.order import NOBODY
from explorer.memory.eviction.policy import Counts, EvictionPolicy
from explorer.memory.eviction.recency import PriorityOrder
from explorer.memory.eviction.replay import replay

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from explorer.memory.eviction.stream import ReferenceStream


class LruMruOrder(PriorityOrder):
    """Lowest priority, then oldest; from the first victim of this very frame on, newest, until the frame ends.

    Source: d3d9.R5.5, d3d9.R5.6, d3d9.R5.8.
    """

    __slots__ = ("_newest_leaves",)
    policy = "lru-mru"

    def __init__(self, capacity_bytes: int | None = None) -> None:
        super().__init__(capacity_bytes)
        self._newest_leaves = False

    @property
    def is_thrashing(self) -> bool:
        """True from the switch to most-recently-used until the frame ends."""
        return self._newest_leaves

    def begin_frame(self, frame: int) -> None:
        """Begin a frame, least-recently-used again."""
        super().begin_frame(frame)
        self._newest_leaves = False

    def end_frame(self) -> None:
        """End the frame, least-recently-used again."""
        super().end_frame()
        self._newest_leaves = False

    def victims(
        self, bytes_needed: int | None, pinned: Container[int] = NOBODY, *, incoming: int | None = None
    ) -> Iterator[int]:
        """Yield who leaves: lowest priority first, then the oldest, or the newest while thrashing."""
        left = self._resident_bytes if bytes_needed is None else bytes_needed
        for level in tuple(self._levels):
            queue = self._queues[level]
            low, high = queue.oldest, queue.newest
            # Both ends close in on each other; they have met when the one passes the other.
            members = len(queue)
            while members and left > 0:
                members -= 1
                if not self._newest_leaves and low not in pinned and self._is_of_this_frame(low):
                    self._newest_leaves = True
                if self._newest_leaves:
                    object_id, high = high, queue.older(high)
                else:
                    object_id, low = low, queue.newer(low)
                if object_id not in pinned:
                    left -= self._size[object_id]
                    yield object_id

    def copy(self) -> Self:
        """Return an independent copy with the same future."""
        twin = super().copy()
        twin._newest_leaves = self._newest_leaves
        return twin

    def _is_of_this_frame(self, object_id: int) -> bool:
        return self._frame >= 0 and self._last_frame.get(object_id, -1) == self._frame


def plain(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream in plain Python."""
    return replay(LruMruOrder, stream, budget_bytes)


def compiled(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream with the kernel."""
    from explorer.memory.eviction import levels_kernels

    return levels_kernels.run_levels(stream, budget_bytes, turns=True)


POLICY = EvictionPolicy(
    id="lru-mru",
    name="LRU, MRU while thrashing",
    description=(
        "The lowest priority leaves first, then the oldest; once a victim was used in this very frame, "
        "the newest leaves until the frame ends."
    ),
    source="Direct3D 9 managed resources: reference d3d9 R5.5, R5.6, R5.8",
    order=LruMruOrder,
    plain=plain,
    compiled=compiled,
)
