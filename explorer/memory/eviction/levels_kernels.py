"""Priority then LRU, and Direct3D 9's LRU→MRU, over columns, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from explorer.memory.kernels import kernel

if TYPE_CHECKING:
    from explorer.memory.eviction.columns import Counts, Ids, Sizes
    from explorer.memory.eviction.stream import ReferenceStream

from explorer.memory.eviction.bitmap_kernels import drop, empty_bitmap, highest, put
from explorer.memory.eviction.columns import tiny


@kernel
def run(
    ids: Ids,
    sizes: Sizes,
    capacity: int,
    frames: npt.NDArray[np.int32],
    ranks: npt.NDArray[np.int64],
    levels: int,
    turns: bool,
) -> Counts:
    """Return ``(misses, fetched bytes, evictions)``.

    One linked list for each level, from oldest to newest; node ``objects + level`` stands at both of its ends.

    Args:
        ids: Object of each request, shape (n,), uint32.
        sizes: Bytes of each object, shape (objects,), int64.
        capacity: Bytes of the memory.
        frames: Frame of each request, shape (n,), int32; not read unless ``turns``.
        ranks: Level of each object, 0 for the highest priority, shape (objects,), int64.
        levels: Number of levels.
        turns: Whether LRU turns to MRU while a victim was used in the running frame.
    """
    objects = sizes.size
    newer = np.arange(objects + levels).astype(np.uint32)
    older = newer.copy()
    resident = np.zeros(objects, np.uint8)
    used_in = np.full(objects, -1, np.int32)
    low, mid, high, top = empty_bitmap(levels)
    misses = fetched = evictions = used = 0
    newest_leaves = False
    frame = -1
    for now in range(ids.size):
        wanted = ids[now]
        if turns and frames[now] != frame:
            frame = frames[now]
            newest_leaves = False
        rank = ranks[wanted]
        end = np.uint32(objects + rank)
        if resident[wanted]:
            newer[older[wanted]] = newer[wanted]
            older[newer[wanted]] = older[wanted]
        else:
            size = sizes[wanted]
            misses += 1
            fetched += size
            if size > capacity:
                continue
            while used + size > capacity:
                level = highest(low, mid, high, top)
                edge = np.uint32(objects + level)
                victim = newer[edge]
                if turns and not newest_leaves and used_in[victim] == frame:
                    newest_leaves = True
                if newest_leaves:
                    victim = older[edge]
                newer[older[victim]] = newer[victim]
                older[newer[victim]] = older[victim]
                if newer[edge] == edge:
                    drop(low, mid, high, top, level)
                resident[victim] = 0
                used -= sizes[victim]
                evictions += 1
            used += size
            resident[wanted] = 1
            put(low, mid, high, top, int(rank))
        newer[older[end]] = wanted
        older[wanted] = older[end]
        newer[wanted] = end
        older[end] = wanted
        used_in[wanted] = frame
    return misses, fetched, evictions


def run_levels(stream: ReferenceStream, budget_bytes: int, *, turns: bool) -> Counts:
    """Run a stream: number its priorities as levels, then call the kernel."""
    priorities, ascending = np.unique(stream.priorities, return_inverse=True)
    levels = max(priorities.size, 1)
    # The bitmap finds the highest number, and the lowest priority leaves first.
    ranks = (levels - 1 - ascending).astype(np.int64)
    return run(stream.ids, stream.sizes, budget_bytes, stream.frames, ranks, levels, turns)


def warm_up() -> None:
    """Call the kernel once, so that it is compiled and in the cache."""
    ids, sizes, capacity = tiny()
    frames = np.zeros(ids.size, np.int32)
    frames.flags.writeable = False
    run(ids, sizes, capacity, frames, np.zeros(sizes.size, np.int64), 1, False)
