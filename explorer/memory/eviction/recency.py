"""Queues by age: the common ground of LRU, MRU and FIFO, and, with priorities above age, of two more."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from typing import TYPE_CHECKING, Self

from explorer.memory.eviction.order import NOBODY
from explorer.memory.eviction.queues import END, LinkedQueue, ResidentSet

if TYPE_CHECKING:
    from collections.abc import Container, Iterator


class RecencyOrder(ResidentSet):
    """One queue from oldest to newest; a policy says whether a use renews, and which end leaves."""

    __slots__ = ("_queue",)

    renews_on_use = True
    newest_leaves = False

    def __init__(self, capacity_bytes: int | None = None) -> None:
        super().__init__(capacity_bytes)
        self._queue = LinkedQueue()

    def insert(self, object_id: int, size: int, priority: int = 0) -> None:
        """Take in an object that just became resident, as the newest."""
        self._take_in(object_id, size, priority)
        self._queue.append(object_id)

    def touch(self, object_id: int, frame: int, time: int = 0) -> None:
        """Say that a resident object is used."""
        self._use(object_id, frame, time)
        if self.renews_on_use:
            self._queue.renew(object_id)

    def victims(
        self, bytes_needed: int | None, pinned: Container[int] = NOBODY, *, incoming: int | None = None
    ) -> Iterator[int]:
        """Yield who leaves, from one end of the queue."""
        needed = self._resident_bytes if bytes_needed is None else bytes_needed
        return self._walk(self._queue, needed, pinned, newest_first=self.newest_leaves)

    def evict(self, object_id: int) -> None:
        """Take out an object that had to leave."""
        self.remove(object_id)

    def remove(self, object_id: int) -> None:
        """Take out an object that is destroyed."""
        self._let_go(object_id)
        self._queue.take(object_id)

    def copy(self) -> Self:
        """Return an independent copy with the same future."""
        twin = self._twin()
        twin._queue = self._queue.copy()
        return twin

    def _walk(self, queue: LinkedQueue, needed: int, pinned: Container[int], *, newest_first: bool) -> Iterator[int]:
        object_id = queue.newest if newest_first else queue.oldest
        while object_id != END and needed > 0:
            # Looked up before the yield: the caller may take the yielded id out.
            following = queue.older(object_id) if newest_first else queue.newer(object_id)
            if object_id not in pinned:
                needed -= self._size[object_id]
                yield object_id
            object_id = following


class PriorityOrder(ResidentSet):
    """One queue by age for each priority; the lowest priority leaves first, within it the oldest."""

    __slots__ = ("_levels", "_queues", "_use_number", "_uses")

    def __init__(self, capacity_bytes: int | None = None) -> None:
        super().__init__(capacity_bytes)
        self._queues: dict[int, LinkedQueue] = {}
        self._levels: list[int] = []
        self._use_number: dict[int, int] = {}
        self._uses = 0

    def insert(self, object_id: int, size: int, priority: int = 0) -> None:
        """Take in an object that just became resident, as the newest of its priority."""
        self._take_in(object_id, size, priority)
        self._count_use(object_id)
        self._queue_at(priority).append(object_id)

    def touch(self, object_id: int, frame: int, time: int = 0) -> None:
        """Say that a resident object is used."""
        self._use(object_id, frame, time)
        self._count_use(object_id)
        self._queues[self._priority.get(object_id, 0)].renew(object_id)

    def set_priority(self, object_id: int, priority: int) -> None:
        """Change the priority; the object keeps its age among its new peers."""
        old = self.priority_of(object_id)
        if old == priority:
            return
        self._leave(object_id, old)
        super().set_priority(object_id, priority)
        self._place_by_age(self._queue_at(priority), object_id)

    def victims(
        self, bytes_needed: int | None, pinned: Container[int] = NOBODY, *, incoming: int | None = None
    ) -> Iterator[int]:
        """Yield who leaves: lowest priority first, then the oldest."""
        left = self._resident_bytes if bytes_needed is None else bytes_needed
        for level in tuple(self._levels):
            queue = self._queues[level]
            object_id = queue.oldest
            while object_id != END:
                if left <= 0:
                    return
                # Looked up before the yield: the caller may take the yielded id out.
                following = queue.newer(object_id)
                if object_id not in pinned:
                    left -= self._size[object_id]
                    yield object_id
                object_id = following

    def is_outranked(self, object_id: int, *, newest_leaves: bool = False) -> bool:
        """Return whether age alone would have sent another one: a higher priority keeps it."""
        number = self._use_number[object_id]
        for level in self._levels[bisect_right(self._levels, self.priority_of(object_id)) :]:
            queue = self._queues[level]
            other = self._use_number[queue.newest if newest_leaves else queue.oldest]
            if (other > number) if newest_leaves else (other < number):
                return True
        return False

    def evict(self, object_id: int) -> None:
        """Take out an object that had to leave."""
        self.remove(object_id)

    def remove(self, object_id: int) -> None:
        """Take out an object that is destroyed."""
        priority = self.priority_of(object_id)
        self._let_go(object_id)
        del self._use_number[object_id]
        self._leave(object_id, priority)

    def copy(self) -> Self:
        """Return an independent copy with the same future."""
        twin = self._twin()
        twin._queues = {level: queue.copy() for level, queue in self._queues.items()}
        twin._levels = self._levels.copy()
        twin._use_number = self._use_number.copy()
        twin._uses = self._uses
        return twin

    def _count_use(self, object_id: int) -> None:
        self._uses += 1
        self._use_number[object_id] = self._uses

    def _queue_at(self, level: int) -> LinkedQueue:
        queue = self._queues.get(level)
        if queue is None:
            queue = self._queues[level] = LinkedQueue()
            insort(self._levels, level)
        return queue

    def _leave(self, object_id: int, level: int) -> None:
        queue = self._queues[level]
        queue.take(object_id)
        if not queue:
            del self._queues[level]
            del self._levels[bisect_left(self._levels, level)]

    def _place_by_age(self, queue: LinkedQueue, object_id: int) -> None:
        """Put an id between its older and newer peers, searching from both ends at once.

        Priorities are mostly set in the order of creation or of use, forwards or backwards: then one end is next to
        the place, and a level of 100,000 objects is not walked.
        """
        number = self._use_number[object_id]
        low, high = queue.oldest, queue.newest
        while low != END and self._use_number[low] < number:
            if self._use_number[high] < number:
                queue.put_after(high, object_id)
                return
            low, high = queue.newer(low), queue.older(high)
        queue.put_after(END if low == END else queue.older(low), object_id)
