"""A stream run over an eviction order, one reference at a time, in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from explorer.memory.eviction.order import EvictionOrder

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.memory.eviction.policy import Counts
    from explorer.memory.eviction.stream import ReferenceStream


class CacheOrder(EvictionOrder, Protocol):
    """An order that can also stand for a cache, which may refuse an object; a device cannot."""

    def admits(self, size: int) -> bool:
        """Return whether an object of this size is let in at all."""
        ...

    def keeps(self, object_id: int, size: int) -> bool:
        """Return whether the object is taken in, now that there is room."""
        ...


def replay(make_order: Callable[[int | None], CacheOrder], stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Return misses, fetched bytes and evictions of a stream under a policy.

    An object larger than the budget is a miss and not admitted; others evict until they fit; there is no warm-up.
    """
    order = make_order(budget_bytes)
    sizes: list[int] = stream.sizes.tolist()
    priorities: list[int] = stream.priorities.tolist()
    frames: list[int] = stream.frames.tolist()
    ids: list[int] = stream.ids.tolist()
    misses = fetched = evictions = 0
    running = -1
    for time, object_id in enumerate(ids):
        frame = frames[time]
        if frame != running:
            running = frame
            order.begin_frame(frame)
        if object_id in order:
            order.touch(object_id, frame, time)
            continue
        size = sizes[object_id]
        misses += 1
        fetched += size
        if size > budget_bytes or not order.admits(size):
            continue
        for victim in order.victims(order.resident_bytes + size - budget_bytes, incoming=object_id):
            order.evict(victim)
            evictions += 1
        if order.keeps(object_id, size):
            order.insert(object_id, size, priorities[object_id])
    return misses, fetched, evictions
