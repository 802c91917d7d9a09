"""Belady over columns, whole objects and byte by byte, compiled.

The next uses of the resident objects are a set of points in time, of which the latest is asked for. Times are unique
integers, so a bitmap is the queue. Times that have passed need not be taken out: they are never the latest while a
later one is in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.memory.eviction.bitmap_kernels import drop, empty_bitmap, highest, put
from explorer.memory.eviction.columns import tiny
from explorer.memory.kernels import kernel

if TYPE_CHECKING:
    from explorer.memory.eviction.columns import Counts, Ids, Sizes

NEVER = np.uint32(0xFFFFFFFF)
"""Next use of an object that is not used again."""


@kernel
def next_uses(ids: Ids, objects: int) -> Ids:
    """Return for each request the index of the next one for the same object, or ``NEVER``; shape (n,), uint32."""
    upcoming = np.full(objects, NEVER, np.uint32)
    following = np.empty(ids.size, np.uint32)
    for now in range(ids.size - 1, -1, -1):
        wanted = ids[now]
        following[now] = upcoming[wanted]
        upcoming[wanted] = now
    return following


@kernel
def run(ids: Ids, sizes: Sizes, capacity: int) -> Counts:
    """Return ``(misses, fetched bytes, evictions)`` of a stream; see ``columns``.

    Objects that are not used again leave first, the one that was used last before the others.
    """
    following = next_uses(ids, sizes.size)
    low, mid, high, top = empty_bitmap(ids.size)
    resident = np.zeros(sizes.size, np.uint8)
    done = np.empty(sizes.size, np.uint32)
    done_count = 0
    misses = fetched = evictions = used = 0
    for now in range(ids.size):
        wanted = ids[now]
        if not resident[wanted]:
            size = sizes[wanted]
            misses += 1
            fetched += size
            if size > capacity:
                continue
            while used + size > capacity:
                if done_count:
                    done_count -= 1
                    victim = done[done_count]
                else:
                    latest = highest(low, mid, high, top)
                    drop(low, mid, high, top, latest)
                    victim = ids[latest]
                resident[victim] = 0
                used -= sizes[victim]
                evictions += 1
            used += size
            resident[wanted] = 1
        upcoming = following[now]
        if upcoming == NEVER:
            done[done_count] = wanted
            done_count += 1
        else:
            put(low, mid, high, top, int(upcoming))
    return misses, fetched, evictions


@kernel
def fetch_bound(ids: Ids, sizes: Sizes, capacity: int) -> int:
    """Return the bytes that any policy must fetch, objects divisible and bypass allowed."""
    following = next_uses(ids, sizes.size)
    low, mid, high, top = empty_bitmap(ids.size)
    # Indexed by the time of the next use: the bytes that are kept until then.
    kept = np.zeros(ids.size, np.int64)
    fetched = used = 0
    for now in range(ids.size):
        size = sizes[ids[now]]
        fetched += size - kept[now]
        used -= kept[now]
        upcoming = following[now]
        if upcoming == NEVER or size == 0:
            continue
        kept[upcoming] = size
        used += size
        put(low, mid, high, top, int(upcoming))
        while used > capacity:
            latest = highest(low, mid, high, top)
            excess = used - capacity
            if kept[latest] > excess:
                kept[latest] -= excess
                used = capacity
            else:
                used -= kept[latest]
                kept[latest] = 0
                drop(low, mid, high, top, latest)
    return fetched


def warm_up() -> None:
    """Call the kernels once, so that they are compiled and in the cache."""
    run(*tiny())
    fetch_bound(*tiny())
