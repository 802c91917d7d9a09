"""LRU over columns, compiled."""

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

    The stream itself is the queue: an entry is an object's place in it if it is the object's latest use. So a hit is
    one store, and the oldest end walks the stream once.
    """
    latest = np.full(sizes.size, -1, np.int32)
    misses = fetched = evictions = used = 0
    oldest = 0
    for now in range(ids.size):
        wanted = ids[now]
        if latest[wanted] < 0:
            size = sizes[wanted]
            misses += 1
            fetched += size
            if size > capacity:
                continue
            while used + size > capacity:
                victim = ids[oldest]
                use = latest[victim]
                # Without a branch: no processor can predict whether a use is the latest (a quarter of the time).
                leaves = int(use == oldest)
                latest[victim] = use - leaves * (use + 1)
                used -= sizes[victim] * leaves
                evictions += leaves
                oldest += 1
            used += size
        latest[wanted] = now
    return misses, fetched, evictions


def warm_up() -> None:
    """Call the kernel once, so that it is compiled and in the cache."""
    run(*tiny())
