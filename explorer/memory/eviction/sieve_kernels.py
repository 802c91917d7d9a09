"""SIEVE over columns, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.memory.eviction.columns import tiny
from explorer.memory.kernels import kernel

if TYPE_CHECKING:
    from explorer.memory.eviction.columns import Counts, Ids, Sizes

ABSENT, RESIDENT, USED = 0, 1, 2


@kernel
def run(ids: Ids, sizes: Sizes, capacity: int) -> Counts:
    """Return ``(misses, fetched bytes, evictions)`` of a stream; see ``columns``.

    SIEVE's queue is never reordered, so two arrays replace the linked list: ``ahead`` (a ring) holds the objects that
    the hand has still to pass, oldest first, ``passed`` those that survived it. When nothing is ahead, the hand is
    back at the oldest object, and the two change places.
    """
    room = 1
    while room < sizes.size:
        room *= 2
    mask = np.uint32(room - 1)
    # Both in one array, told apart by a base: swapping array variables costs a reference count for each request.
    queue = np.empty(2 * room, np.uint32)
    ahead = np.uint32(0)
    passed = np.uint32(room)
    state = np.zeros(sizes.size, np.uint8)
    misses = fetched = evictions = used = 0
    head = np.uint32(0)
    tail = np.uint32(0)
    survivors = np.uint32(0)
    for now in range(ids.size):
        wanted = ids[now]
        if state[wanted] != ABSENT:
            state[wanted] = USED
            continue
        size = sizes[wanted]
        misses += 1
        fetched += size
        if size > capacity:
            continue
        while used + size > capacity:
            victim = queue[ahead + (head & mask)]
            head += np.uint32(1)
            if state[victim] == USED:
                state[victim] = RESIDENT
                queue[passed + survivors] = victim
                survivors += np.uint32(1)
            else:
                state[victim] = ABSENT
                used -= sizes[victim]
                evictions += 1
            if head == tail:
                ahead, passed = passed, ahead
                head = np.uint32(0)
                tail = survivors
                survivors = np.uint32(0)
        used += size
        state[wanted] = RESIDENT
        queue[ahead + (tail & mask)] = wanted
        tail += np.uint32(1)
    return misses, fetched, evictions


def warm_up() -> None:
    """Call the kernel once, so that it is compiled and in the cache."""
    run(*tiny())
