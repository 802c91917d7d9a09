"""S3-FIFO: a small probationary queue, a main queue, and a memory of ghosts."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Self

from explorer.memory.eviction.order import NOBODY
from explorer.memory.eviction.policy import Counts, EvictionPolicy
from explorer.memory.eviction.queues import END, LinkedQueue, ResidentSet
from explorer.memory.eviction.replay import replay

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from explorer.memory.eviction.stream import ReferenceStream

USES = 3
"""Uses are counted up to this."""
PROMOTED = 2
"""Uses with which an object goes from the small queue to the main queue."""


class S3FifoOrder(ResidentSet):
    """Newcomers enter a small queue of a tenth of the capacity; who is used there moves to the main queue.

    Who leaves the small queue is remembered as a ghost; a ghost that returns goes to the main queue at once. An object
    that is larger than the small queue goes to the main queue too: a device has made it resident, whatever a cache
    would do (a laboratory run does not admit it, see ``admits``).
    """

    __slots__ = (
        "_ghost_bytes",
        "_ghosts",
        "_in_main",
        "_in_small",
        "_main",
        "_returning",
        "_small",
        "_uses",
        "_was_full",
    )
    policy = "s3-fifo"

    def __init__(self, capacity_bytes: int | None = None) -> None:
        super().__init__(capacity_bytes)
        self._small = LinkedQueue()
        self._main = LinkedQueue()
        self._ghosts: OrderedDict[int, int] = OrderedDict()
        self._uses: dict[int, int] = {}
        self._in_small = self._in_main = self._ghost_bytes = 0
        self._returning = END
        self._was_full = False

    @property
    def _small_capacity(self) -> int:
        return self.capacity_bytes // 10

    @property
    def _ghost_capacity(self) -> int:
        return self.capacity_bytes * 9 // 10

    def admits(self, size: int) -> bool:
        """Return whether the object is at most as large as the small queue."""
        return size <= self._small_capacity

    def keeps(self, object_id: int, size: int) -> bool:
        """Return False for a newcomer of exactly the size of the small queue.

        libCacheSim makes room for it and then does not take it in; its counts are the yardstick.
        """
        return size < self._small_capacity or object_id == self._returning or object_id in self._ghosts

    def insert(self, object_id: int, size: int, priority: int = 0) -> None:
        """Take in an object that just became resident."""
        self._take_in(object_id, size, priority)
        returns = self._claim_ghost(object_id)
        self._returning = END
        overflows = not self._was_full and self._in_small >= self._small_capacity
        if returns or overflows or size >= self._small_capacity:
            self._main.append(object_id)
            self._in_main += size
        else:
            self._small.append(object_id)
            self._in_small += size

    def touch(self, object_id: int, frame: int, time: int = 0) -> None:
        """Say that a resident object is used."""
        self._use(object_id, frame, time)
        self._uses[object_id] = min(self._uses.get(object_id, 0) + 1, USES)

    def victims(
        self, bytes_needed: int | None, pinned: Container[int] = NOBODY, *, incoming: int | None = None
    ) -> Iterator[int]:
        """Yield who leaves: from the main queue while it is too large, else from the small one."""
        if incoming is not None and self._claim_ghost(incoming):
            self._returning = incoming
        left = self._resident_bytes if bytes_needed is None else bytes_needed
        offered: set[int] = set()
        while left > 0:
            self._was_full = True
            if self._in_main > self.capacity_bytes - self._small_capacity:
                victim = self._next_of_main(pinned, offered)
                victim = self._next_of_small(pinned, offered) if victim == END else victim
            else:
                victim = self._next_of_small(pinned, offered)
                victim = self._next_of_main(pinned, offered) if victim == END else victim
            if victim == END:
                return
            left -= self._size[victim]
            offered.add(victim)
            yield victim

    def evict(self, object_id: int) -> None:
        """Take out an object that had to leave; one of the small queue becomes a ghost."""
        was_small = object_id in self._small
        size = self._take_out(object_id)
        if was_small and size <= self._ghost_capacity:
            while self._ghost_bytes + size > self._ghost_capacity:
                self._ghost_bytes -= self._ghosts.popitem(last=False)[1]
            self._ghosts[object_id] = size
            self._ghost_bytes += size

    def remove(self, object_id: int) -> None:
        """Take out an object that is destroyed."""
        self._take_out(object_id)

    def forget(self, object_id: int) -> None:
        """Drop the ghost of an object that was destroyed."""
        self._claim_ghost(object_id)

    def copy(self) -> Self:
        """Return an independent copy with the same future."""
        twin = self._twin()
        twin._small = self._small.copy()
        twin._main = self._main.copy()
        twin._ghosts = self._ghosts.copy()
        twin._uses = self._uses.copy()
        twin._in_small, twin._in_main, twin._ghost_bytes = self._in_small, self._in_main, self._ghost_bytes
        twin._returning, twin._was_full = self._returning, self._was_full
        return twin

    def _claim_ghost(self, object_id: int) -> bool:
        if object_id == self._returning:
            return True
        size = self._ghosts.pop(object_id, None)
        if size is None:
            return False
        self._ghost_bytes -= size
        return True

    def _take_out(self, object_id: int) -> int:
        size = self._let_go(object_id)
        self._uses.pop(object_id, None)
        if object_id in self._small:
            self._small.take(object_id)
            self._in_small -= size
        else:
            self._main.take(object_id)
            self._in_main -= size
        return size

    def _next_of_small(self, pinned: Container[int], offered: set[int]) -> int:
        object_id = self._small.oldest
        while object_id != END:
            following = self._small.newer(object_id)
            if object_id not in offered and object_id not in pinned:
                if self._uses.pop(object_id, 0) < PROMOTED:
                    return object_id
                self._small.take(object_id)
                self._main.append(object_id)
                self._in_small -= self._size[object_id]
                self._in_main += self._size[object_id]
            object_id = following
        return END

    def _next_of_main(self, pinned: Container[int], offered: set[int]) -> int:
        object_id = self._main.oldest
        while object_id != END:
            following = self._main.newer(object_id)
            if object_id not in offered and object_id not in pinned:
                uses = self._uses.pop(object_id, 0)
                if uses == 0:
                    return object_id
                if uses > 1:
                    self._uses[object_id] = uses - 1
                self._main.renew(object_id)
                # The last of the queue stays where it is, and is looked at again with one use less.
                following = object_id if following == END else following
            object_id = following
        return END


def plain(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream in plain Python."""
    return replay(S3FifoOrder, stream, budget_bytes)


def compiled(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream with the kernel."""
    from explorer.memory.eviction import s3_fifo_kernels

    return s3_fifo_kernels.run(stream.ids, stream.sizes, budget_bytes)


POLICY = EvictionPolicy(
    id="s3-fifo",
    name="S3-FIFO",
    description=(
        "Newcomers leave a small queue soon unless they are used again; those move to a queue with second chances. "
        "In the laboratory an object larger than a tenth of the budget is not admitted."
    ),
    source=(
        "J. Yang, Y. Zhang, Z. Qiu, Y. Yue, K. V. Rashmi: FIFO queues are all you need for cache eviction, SOSP 2023; "
        "small queue 10 %, ghosts 90 %, two uses to move, as in libCacheSim 0.3"
    ),
    order=S3FifoOrder,
    plain=plain,
    compiled=compiled,
)
