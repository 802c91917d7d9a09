"""ARC: the adaptive replacement cache."""

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

NEW, ONCE, OFTEN = 0, 1, 2
"""Where the ghost of an incoming object was found."""


class GhostList:
    """Ids and sizes of objects that left, oldest first, with the sum of the sizes."""

    __slots__ = ("size_of", "total")

    def __init__(self) -> None:
        self.size_of: OrderedDict[int, int] = OrderedDict()
        self.total = 0

    def add(self, object_id: int, size: int) -> None:
        """Remember an object as the newest."""
        self.size_of[object_id] = size
        self.total += size

    def claim(self, object_id: int) -> bool:
        """Forget an object and return True, if it was remembered."""
        size = self.size_of.pop(object_id, None)
        self.total -= size or 0
        return size is not None

    def drop_oldest(self) -> None:
        """Forget the oldest."""
        self.total -= self.size_of.popitem(last=False)[1]

    def copy(self) -> GhostList:
        """Return an independent copy."""
        twin = GhostList()
        twin.size_of, twin.total = self.size_of.copy(), self.total
        return twin


class ArcOrder(ResidentSet):
    """Two LRU lists, of objects used once and used often, and a target for the first that follows the ghosts' returns.

    All lengths are bytes. The target is a float, as in libCacheSim: sums of ratios, by IEEE addition and division
    alone, so that it is the same on every machine.
    """

    __slots__ = (
        "_ghost_often",
        "_ghost_once",
        "_in_often",
        "_in_once",
        "_often",
        "_once",
        "_returning",
        "_target",
        "_unremembered",
    )
    policy = "arc"

    def __init__(self, capacity_bytes: int | None = None) -> None:
        super().__init__(capacity_bytes)
        self._once, self._often = LinkedQueue(), LinkedQueue()
        self._ghost_once, self._ghost_often = GhostList(), GhostList()
        self._in_once = self._in_often = 0
        self._target = 0.0
        self._returning = (END, NEW)
        self._unremembered = END

    def insert(self, object_id: int, size: int, priority: int = 0) -> None:
        """Take in an object that just became resident."""
        self._take_in(object_id, size, priority)
        if self._origin(object_id) == NEW:
            self._once.append(object_id)
            self._in_once += size
        else:
            self._often.append(object_id)
            self._in_often += size
        self._returning = (END, NEW)

    def touch(self, object_id: int, frame: int, time: int = 0) -> None:
        """Say that a resident object is used."""
        self._use(object_id, frame, time)
        if object_id in self._once:
            self._once.take(object_id)
            self._often.append(object_id)
            self._in_once -= self._size[object_id]
            self._in_often += self._size[object_id]
        else:
            self._often.renew(object_id)

    def victims(
        self, bytes_needed: int | None, pinned: Container[int] = NOBODY, *, incoming: int | None = None
    ) -> Iterator[int]:
        """Yield who leaves: the oldest of those used once while they exceed the target, else of those used often."""
        origin = NEW if incoming is None else self._origin(incoming)
        left = self._resident_bytes if bytes_needed is None else bytes_needed
        room = 0 if bytes_needed is None else bytes_needed + self.capacity_bytes - self._resident_bytes
        offered: set[int] = set()
        while left > 0:
            remember = origin != NEW or self._trim_ghosts(room)
            beyond = self._in_once > self._target or (self._in_once == self._target and origin == OFTEN)
            first, second = self._once, self._often
            if remember and not (self._in_once > 0 and beyond) and self._in_often > 0:
                first, second = second, first
            victim = self._oldest(first, pinned, offered)
            victim = self._oldest(second, pinned, offered) if victim == END else victim
            if victim == END:
                return
            self._unremembered = END if remember else victim
            left -= self._size[victim]
            offered.add(victim)
            yield victim

    def evict(self, object_id: int) -> None:
        """Take out an object that had to leave; mostly it becomes a ghost."""
        ghosts = self._ghost_once if object_id in self._once else self._ghost_often
        size = self._take_out(object_id)
        if object_id != self._unremembered:
            ghosts.add(object_id, size)
        self._unremembered = END

    def remove(self, object_id: int) -> None:
        """Take out an object that is destroyed."""
        self._take_out(object_id)

    def forget(self, object_id: int) -> None:
        """Drop the ghost of an object that was destroyed; the target does not learn from it."""
        if not self._ghost_once.claim(object_id):
            self._ghost_often.claim(object_id)

    def copy(self) -> Self:
        """Return an independent copy with the same future."""
        twin = self._twin()
        twin._once, twin._often = self._once.copy(), self._often.copy()
        twin._ghost_once, twin._ghost_often = self._ghost_once.copy(), self._ghost_often.copy()
        twin._in_once, twin._in_often = self._in_once, self._in_often
        twin._target, twin._returning, twin._unremembered = self._target, self._returning, self._unremembered
        return twin

    def _origin(self, object_id: int) -> int:
        """Return where the ghost of an incoming object is, and let the target learn from it, once."""
        if self._returning[0] == object_id:
            return self._returning[1]
        once, often = self._ghost_once.total, self._ghost_often.total
        origin = NEW
        if self._ghost_once.claim(object_id):
            origin = ONCE
            self._target = min(self._target + max(often / max(once, 1), 1.0), float(self.capacity_bytes))
        elif self._ghost_often.claim(object_id):
            origin = OFTEN
            self._target = max(self._target - max(once / max(often, 1), 1.0), 0.0)
        self._returning = (object_id, origin)
        return origin

    def _trim_ghosts(self, room: int) -> bool:
        """Keep the ghosts within bounds before a new object enters; return whether the victim becomes one."""
        once = self._in_once + self._ghost_once.total
        if once + room > self.capacity_bytes:
            if self._ghost_once.total == 0:
                return False
            self._ghost_once.drop_oldest()
        elif self._ghost_often.total > 0 and once + self._in_often + self._ghost_often.total >= 2 * self.capacity_bytes:
            self._ghost_often.drop_oldest()
        return True

    def _oldest(self, queue: LinkedQueue, pinned: Container[int], offered: set[int]) -> int:
        for object_id in queue:
            if object_id not in offered and object_id not in pinned:
                return object_id
        return END

    def _take_out(self, object_id: int) -> int:
        size = self._let_go(object_id)
        if object_id in self._once:
            self._once.take(object_id)
            self._in_once -= size
        else:
            self._often.take(object_id)
            self._in_often -= size
        return size


def plain(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream in plain Python."""
    return replay(ArcOrder, stream, budget_bytes)


def compiled(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream with the kernel."""
    from explorer.memory.eviction import arc_kernels

    return arc_kernels.run(stream.ids, stream.sizes, budget_bytes)


POLICY = EvictionPolicy(
    id="arc",
    name="ARC",
    description="Two LRU lists, used once and used often, share memory by which of them misses its evicted more.",
    source="N. Megiddo, D. S. Modha: ARC: a self-tuning, low overhead replacement cache, FAST 2003; target in bytes",
    order=ArcOrder,
    plain=plain,
    compiled=compiled,
)
