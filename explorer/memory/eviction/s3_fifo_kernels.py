"""S3-FIFO over columns, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.memory.eviction.columns import tiny
from explorer.memory.kernels import kernel

if TYPE_CHECKING:
    from explorer.memory.eviction.columns import Counts, Ids, Sizes

# An object's state: 0 absent, SMALL + n or MAIN + n, where n = 0…3 counts uses.
SMALL, MAIN, USES = 4, 8, 3


@kernel
def run(ids: Ids, sizes: Sizes, capacity: int) -> Counts:
    """Return ``(misses, fetched bytes, evictions)`` of a stream; see ``columns``.

    The ghost queue is a log: an entry counts while it is the place that its object remembers.
    """
    objects = sizes.size
    room = 1
    while room < objects:
        room *= 2
    mask = np.uint32(room - 1)
    # Both queues are rings in one array; each resident object stands in one of them once.
    queue = np.empty(2 * room, np.uint32)
    main = np.uint32(room)
    small_head = np.uint32(0)
    small_tail = np.uint32(0)
    main_head = np.uint32(0)
    main_tail = np.uint32(0)
    ghosts = np.empty(2 * objects + 1, np.uint32)
    ghost_place = np.full(objects, -1, np.int32)
    ghost_head = ghost_tail = 0
    state = np.zeros(objects, np.uint8)

    small_capacity = capacity // 10
    main_capacity = capacity - small_capacity
    ghost_capacity = capacity // 10 * 9 + capacity % 10 * 9 // 10
    misses = fetched = evictions = 0
    in_small = in_main = in_ghosts = 0
    was_full = promoting = False
    for now in range(ids.size):
        wanted = ids[now]
        if state[wanted]:
            if (state[wanted] & USES) < USES:
                state[wanted] += 1
            continue
        size = sizes[wanted]
        misses += 1
        fetched += size
        returns = ghost_place[wanted] >= 0
        if returns:
            ghost_place[wanted] = -1
            in_ghosts -= size
        if size > small_capacity or size > capacity:
            continue
        while in_small + in_main + size > capacity:
            was_full = True
            # A walk through the small queue goes on until one leaves, however full the main queue grows.
            if small_head == small_tail or (in_main > main_capacity and not promoting):
                promoting = False
                victim = queue[main + (main_head & mask)]
                main_head += np.uint32(1)
                if state[victim] & USES:
                    state[victim] -= 1
                    queue[main + (main_tail & mask)] = victim
                    main_tail += np.uint32(1)
                else:
                    state[victim] = 0
                    in_main -= sizes[victim]
                    evictions += 1
                continue
            victim = queue[small_head & mask]
            small_head += np.uint32(1)
            victim_size = sizes[victim]
            in_small -= victim_size
            if (state[victim] & USES) >= 2:
                state[victim] = MAIN
                in_main += victim_size
                queue[main + (main_tail & mask)] = victim
                main_tail += np.uint32(1)
                promoting = True
                continue
            promoting = False
            state[victim] = 0
            evictions += 1
            if victim_size > ghost_capacity:
                continue
            while in_ghosts + victim_size > ghost_capacity:
                ghost = ghosts[ghost_head]
                if ghost_place[ghost] == ghost_head:
                    ghost_place[ghost] = -1
                    in_ghosts -= sizes[ghost]
                ghost_head += 1
            if ghost_tail == ghosts.size:
                kept = 0
                for place in range(ghost_head, ghost_tail):
                    ghost = ghosts[place]
                    if ghost_place[ghost] == place:
                        ghosts[kept] = ghost
                        ghost_place[ghost] = kept
                        kept += 1
                ghost_head = 0
                ghost_tail = kept
            ghosts[ghost_tail] = victim
            ghost_place[victim] = ghost_tail
            ghost_tail += 1
            in_ghosts += victim_size
        if returns:
            state[wanted] = MAIN
        elif size >= small_capacity:
            # Made room for, and yet not taken in: as in libCacheSim, whose counts are the yardstick.
            continue
        elif not was_full and in_small >= small_capacity:
            state[wanted] = MAIN
        else:
            state[wanted] = SMALL
        if state[wanted] == MAIN:
            in_main += size
            queue[main + (main_tail & mask)] = wanted
            main_tail += np.uint32(1)
        else:
            in_small += size
            queue[small_tail & mask] = wanted
            small_tail += np.uint32(1)
    return misses, fetched, evictions


def warm_up() -> None:
    """Call the kernel once, so that it is compiled and in the cache."""
    run(*tiny())
