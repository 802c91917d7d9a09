"""Belady: evict the farthest next use; and the byte-granular bound that no policy can beat."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from explorer.memory.eviction.policy import Counts, EvictionPolicy

if TYPE_CHECKING:
    from explorer.memory.eviction.stream import ReferenceStream


def next_uses(ids: list[int]) -> list[int | None]:
    """Return for each reference the index of the next one to the same object, or None."""
    upcoming: dict[int, int] = {}
    following: list[int | None] = [None] * len(ids)
    for now in range(len(ids) - 1, -1, -1):
        following[now] = upcoming.get(ids[now])
        upcoming[ids[now]] = now
    return following


def plain(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream in plain Python."""
    ids: list[int] = stream.ids.tolist()
    sizes: list[int] = stream.sizes.tolist()
    following = next_uses(ids)
    resident: set[int] = set()
    by_next_use: list[int] = []
    never_again: list[int] = []
    misses = fetched = evictions = used = 0
    for now, object_id in enumerate(ids):
        if object_id not in resident:
            size = sizes[object_id]
            misses += 1
            fetched += size
            if size > budget_bytes:
                continue
            while used + size > budget_bytes:
                victim = never_again.pop() if never_again else ids[-heappop(by_next_use)]
                resident.discard(victim)
                used -= sizes[victim]
                evictions += 1
            used += size
            resident.add(object_id)
        upcoming = following[now]
        if upcoming is None:
            never_again.append(object_id)
        else:
            heappush(by_next_use, -upcoming)
    return misses, fetched, evictions


def compiled(stream: ReferenceStream, budget_bytes: int) -> Counts:
    """Run a stream with the kernel."""
    from explorer.memory.eviction import belady_kernels

    return belady_kernels.run(stream.ids, stream.sizes, budget_bytes)


def fetch_bound(stream: ReferenceStream, budget_bytes: int, *, use_kernel: bool = True) -> int:
    """Return the bytes that every policy must fetch at least, sizes equal or not.

    Each byte is treated as an object of its own, may be fetched without being kept (bypass), and the bytes with the
    farthest next use leave first. Between two uses a byte is either kept or not, and at no time are more bytes kept
    than fit: a choice of intervals of equal weight, of which at most ``budget_bytes`` may overlap, and for that the
    greedy rule is optimal. A whole-object policy is a special case of such a choice, so it cannot fetch less.

    Args:
        stream: The references.
        budget_bytes: Bytes of memory, >= 0.
        use_kernel: False answers in plain Python.

    Returns:
        Bytes, at least ``stream.unique_bytes`` and at most ``stream.requested_bytes``.

    Source: L. A. Belady 1966 for the rule; U. Faigle, W. M. Nawijn: Note on scheduling intervals on-line, 1995, for
        the optimality of dropping the interval that ends last.
    """
    if use_kernel:
        from explorer.memory.eviction import belady_kernels

        return int(belady_kernels.fetch_bound(stream.ids, stream.sizes, budget_bytes))
    ids: list[int] = stream.ids.tolist()
    sizes: list[int] = stream.sizes.tolist()
    following = next_uses(ids)
    kept: dict[int, int] = {}
    by_next_use: list[int] = []
    fetched = used = 0
    for now, object_id in enumerate(ids):
        size = sizes[object_id]
        hit = kept.pop(now, 0)
        fetched += size - hit
        used -= hit
        upcoming = following[now]
        if upcoming is None:
            continue
        kept[upcoming] = size
        used += size
        heappush(by_next_use, -upcoming)
        while used > budget_bytes:
            farthest = -by_next_use[0]
            dropped = min(kept[farthest], used - budget_bytes)
            kept[farthest] -= dropped
            used -= dropped
            if kept[farthest] == 0:
                heappop(by_next_use)
    return fetched


POLICY = EvictionPolicy(
    id="belady",
    name="Belady",
    description=(
        "The object whose next use lies farthest ahead leaves first: fewest misses for equal sizes, "
        "a good but greedy rule for unequal ones."
    ),
    source="L. A. Belady: A study of replacement algorithms for a virtual-storage computer, 1966",
    order=None,
    plain=plain,
    compiled=compiled,
)
