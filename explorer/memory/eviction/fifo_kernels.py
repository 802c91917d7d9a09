"""FIFO over columns, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.memory.eviction.columns import tiny
from explorer.memory.kernels import kernel

if TYPE_CHECKING:
    from explorer.memory.eviction.columns import Counts, Ids, Sizes


@kernel
def run(ids: Ids, sizes: Sizes, capacity: int) -> Counts:
    """Return ``(misses, fetched bytes, evictions)`` of a stream; see ``columns``."""
    room = 1
    while room < sizes.size:
        room *= 2
    mask = np.uint32(room - 1)
    # A ring is enough: each resident object stands in it once.
    queue = np.empty(room, np.uint32)
    resident = np.zeros(sizes.size, np.uint8)
    misses = fetched = evictions = used = 0
    head = np.uint32(0)
    tail = np.uint32(0)
    for now in range(ids.size):
        wanted = ids[now]
        if resident[wanted]:
            continue
        size = sizes[wanted]
        misses += 1
        fetched += size
        if size > capacity:
            continue
        while used + size > capacity:
            victim = queue[head & mask]
            head += np.uint32(1)
            resident[victim] = 0
            used -= sizes[victim]
            evictions += 1
        used += size
        resident[wanted] = 1
        queue[tail & mask] = wanted
        tail += np.uint32(1)
    return misses, fetched, evictions


def warm_up() -> None:
    """Call the kernel once, so that it is compiled and in the cache."""
    run(*tiny())
