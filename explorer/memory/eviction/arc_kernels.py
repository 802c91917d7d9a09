"""ARC over columns, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.memory.eviction.columns import tiny
from explorer.memory.kernels import kernel

if TYPE_CHECKING:
    from explorer.memory.eviction.columns import Counts, Ids, Sizes

ABSENT, ONCE, OFTEN, GHOST_ONCE, GHOST_OFTEN = 0, 1, 2, 3, 4


@kernel
def run(ids: Ids, sizes: Sizes, capacity: int) -> Counts:
    """Return ``(misses, fetched bytes, evictions)`` of a stream; see ``columns``.

    Each of ARC's two lists (T1 + B1, T2 + B2) is a log of ids with two pointers: objects leave T in the order in which
    they entered the log, and so do the ghosts leave B. An entry counts while it is the place its object remembers and
    the object is still in that half. B1 is found between ``ghost_once`` and ``once``, T1 from ``once`` on.
    """
    log_once = np.empty(ids.size, np.uint32)
    log_often = np.empty(ids.size, np.uint32)
    place = np.zeros(sizes.size, np.int32)
    state = np.zeros(sizes.size, np.uint8)
    end_once = end_often = once = often = ghost_once = ghost_often = 0
    in_once = in_often = in_ghost_once = in_ghost_often = 0
    target = 0.0
    misses = fetched = evictions = 0
    for now in range(ids.size):
        wanted = ids[now]
        was = state[wanted]
        size = sizes[wanted]
        if was in (ONCE, OFTEN):
            if was == ONCE:
                in_once -= size
                in_often += size
                state[wanted] = OFTEN
            log_often[end_often] = wanted
            place[wanted] = end_often
            end_often += 1
            continue
        misses += 1
        fetched += size
        if was == GHOST_ONCE:
            target = min(target + max(in_ghost_often / max(in_ghost_once, 1), 1.0), float(capacity))
            in_ghost_once -= size
            state[wanted] = ABSENT
        elif was == GHOST_OFTEN:
            target = max(target - max(in_ghost_once / max(in_ghost_often, 1), 1.0), 0.0)
            in_ghost_often -= size
            state[wanted] = ABSENT
        if size > capacity:
            continue
        while in_once + in_often + size > capacity:
            remember = True
            if was == ABSENT:
                if in_once + in_ghost_once + size > capacity:
                    if in_ghost_once > 0:
                        while True:
                            ghost = log_once[ghost_once]
                            ghost_once += 1
                            if state[ghost] == GHOST_ONCE and place[ghost] == ghost_once - 1:
                                break
                        state[ghost] = ABSENT
                        in_ghost_once -= sizes[ghost]
                    else:
                        remember = False
                elif in_ghost_often > 0 and in_once + in_ghost_once + in_often + in_ghost_often >= 2 * capacity:
                    while True:
                        ghost = log_often[ghost_often]
                        ghost_often += 1
                        if state[ghost] == GHOST_OFTEN and place[ghost] == ghost_often - 1:
                            break
                    state[ghost] = ABSENT
                    in_ghost_often -= sizes[ghost]
            evictions += 1
            beyond = in_once > target or (in_once == target and was == GHOST_OFTEN)
            if not remember or (in_once > 0 and beyond) or in_often == 0:
                while True:
                    victim = log_once[once]
                    once += 1
                    if state[victim] == ONCE and place[victim] == once - 1:
                        break
                victim_size = sizes[victim]
                in_once -= victim_size
                if remember:
                    state[victim] = GHOST_ONCE
                    in_ghost_once += victim_size
                else:
                    state[victim] = ABSENT
            else:
                while True:
                    victim = log_often[often]
                    often += 1
                    if state[victim] == OFTEN and place[victim] == often - 1:
                        break
                victim_size = sizes[victim]
                in_often -= victim_size
                state[victim] = GHOST_OFTEN
                in_ghost_often += victim_size
        if was == ABSENT:
            state[wanted] = ONCE
            in_once += size
            log_once[end_once] = wanted
            place[wanted] = end_once
            end_once += 1
        else:
            state[wanted] = OFTEN
            in_often += size
            log_often[end_often] = wanted
            place[wanted] = end_often
            end_often += 1
    return misses, fetched, evictions


def warm_up() -> None:
    """Call the kernel once, so that it is compiled and in the cache."""
    run(*tiny())
