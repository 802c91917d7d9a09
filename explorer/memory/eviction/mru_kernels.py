"""MRU over columns, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.memory.eviction.columns import tiny
from explorer.memory.kernels import kernel

if TYPE_CHECKING:
    from explorer.memory.eviction.columns import Counts, Ids, Sizes


@kernel
def run(ids: Ids, sizes: Sizes, capacity: int) -> Counts:
    """Return ``(misses, fetched bytes, evictions)`` of a stream; see ``columns``.

    A stack of uses: an entry counts if it is its object's latest use, others are dropped when they come to the top.
    """
    latest = np.full(sizes.size, -1, np.int32)
    stack = np.empty(ids.size, np.uint32)
    height = 0
    misses = fetched = evictions = used = 0
    for now in range(ids.size):
        wanted = ids[now]
        if latest[wanted] < 0:
            size = sizes[wanted]
            misses += 1
            fetched += size
            if size > capacity:
                continue
            while used + size > capacity:
                height -= 1
                use = stack[height]
                victim = ids[use]
                if latest[victim] == use:
                    latest[victim] = -1
                    used -= sizes[victim]
                    evictions += 1
            used += size
        latest[wanted] = now
        stack[height] = now
        height += 1
    return misses, fetched, evictions


def warm_up() -> None:
    """Call the kernel once, so that it is compiled and in the cache."""
    run(*tiny())
