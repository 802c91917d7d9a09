"""Seeded traces for measuring allocators, and the loops that time them (the clock is handed in)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from explorer.memory.allocators import allocator_by_id
from explorer.memory.allocators.protocol import OP_FREE, OP_TAKE, Column, Operations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from explorer.memory.allocators.ranges import RangeAllocator

GRANULE_BYTES = 256
SMALLEST_EXPONENT = 8
LARGEST_EXPONENT = 23
CHUNK_OPERATIONS = 50_000


@dataclass(frozen=True, slots=True)
class BenchTrace:
    """A range that is filled, then churned.

    Attributes:
        capacity_bytes: Size of the range.
        fill: Takes into each slot.
        churn: A free and a take of a random slot, again and again.
    """

    capacity_bytes: int
    fill: Operations
    churn: Operations


def random_words(seed: int, count: int) -> npt.NDArray[np.uint64]:
    """Return ``count`` 64-bit words of the splitmix64 sequence that starts at ``seed`` (public domain, S. Vigna)."""
    step, first, second = (np.uint64(c) for c in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
    words = np.uint64(seed) + step * np.arange(1, count + 1, dtype=np.uint64)
    words = (words ^ (words >> np.uint64(30))) * first
    words = (words ^ (words >> np.uint64(27))) * second
    return words ^ (words >> np.uint64(31))


def random_sizes(seed: int, count: int) -> Column:
    """Return sizes whose octaves from 256 B to 16 MiB are equally frequent: multiples of 256, int64, shape (count,)."""
    octaves = np.uint64(LARGEST_EXPONENT - SMALLEST_EXPONENT + 1)
    exponent = np.uint64(SMALLEST_EXPONENT) + random_words(seed, count) % octaves
    size = (np.uint64(1) << exponent) + random_words(seed + 1, count) % (np.uint64(1) << exponent)
    granule = np.uint64(GRANULE_BYTES)
    return ((size + granule - np.uint64(1)) // granule * granule).astype(np.int64)


def bench_trace(live: int, pairs: int, *, fill_percent: int = 90, mixed: bool = False, seed: int = 1) -> BenchTrace:
    """Return a trace in the manner of the recorded ones.

    Args:
        live: Slots, and so live blocks.
        pairs: Frees and takes after the fill, each.
        fill_percent: Bytes of the fill as a share of the range.
        mixed: Whether half of the takes want 64 KiB; all others want 256 bytes.
        seed: Any integer of 64 bits.
    """
    sizes = random_sizes(seed, live + pairs)
    wide = random_words(seed + 2, live + pairs) % np.uint64(2) == 0
    alignment = np.where(wide & mixed, 65536, GRANULE_BYTES).astype(np.int64)
    capacity = int(sizes[:live].sum()) * 100 // fill_percent // 65536 * 65536
    slots = np.arange(live, dtype=np.int64)
    fill = Operations(np.full(live, OP_TAKE, dtype=np.int64), slots, sizes[:live].copy(), alignment[:live].copy())
    churn_slots = (random_words(seed + 3, pairs) % np.uint64(live)).astype(np.int64)
    op = np.tile(np.array([OP_FREE, OP_TAKE], dtype=np.int64), pairs)
    churn = Operations(op, np.repeat(churn_slots, 2), np.repeat(sizes[live:], 2), np.repeat(alignment[live:], 2))
    return BenchTrace(capacity, fill, churn)


def chunks(operations: Operations, length: int = CHUNK_OPERATIONS) -> Iterator[Operations]:
    """Yield the operations in batches of ``length``."""
    for first in range(0, len(operations), length):
        part = slice(first, first + length)
        kind = None if operations.kind is None else operations.kind[part]
        yield Operations(
            operations.op[part], operations.slot[part], operations.size[part], operations.alignment[part], kind
        )


@dataclass(frozen=True, slots=True)
class ReplayTime:
    """What a timed replay gave.

    Attributes:
        ns_per_operation: Wall time of the churn divided by its operations.
        failures: Refused takes of fill and churn.
        operations: Operations timed.
    """

    ns_per_operation: float
    failures: int
    operations: int


def time_replay(
    make: Callable[[int], RangeAllocator], trace: BenchTrace, clock_ns: Callable[[], int], *, events: bool = False
) -> ReplayTime:
    """Fill a new allocator, then time the churn in batches on its kernels.

    Args:
        make: Makes the allocator for a size in bytes.
        trace: What to do.
        clock_ns: A clock, ``time.perf_counter_ns``.
        events: Whether events are asked for.
    """
    allocator = make(trace.capacity_bytes)
    allocator.use_kernels()
    failures = allocator.replay(trace.fill).refused
    batches = list(chunks(trace.churn))
    began = clock_ns()
    for batch in batches:
        failures += allocator.replay(batch, events=events).refused
    spent = clock_ns() - began
    return ReplayTime(spent / len(trace.churn), failures, len(trace.churn))


BENCH_LIVE = {"10k": 10_000, "100k": 100_000}
"""Ending of a bench id → live blocks."""
PACKING_LIVE = 10_000
PACKING_FILL_PERCENT = 90


def time_allocator(
    allocator_id: str,
    live: int,
    clock_ns: Callable[[], int],
    *,
    events: bool = False,
    mixed: bool = False,
    pairs: int = 100_000,
    seed: int = 1,
) -> ReplayTime:
    """Return the time of one allocator on the bench trace: row ``alloc.<allocator>.<10k|100k>[.events]``.

    Args:
        allocator_id: Id as on the command line.
        live: Live blocks, see ``BENCH_LIVE``.
        clock_ns: A clock, ``time.perf_counter_ns``.
        events: Whether events are asked for.
        mixed: Whether half of the blocks want 64 KiB.
        pairs: Frees and takes that are timed, each.
        seed: Of the trace.
    """
    entry = allocator_by_id(allocator_id)
    trace = bench_trace(live, pairs, fill_percent=PACKING_FILL_PERCENT, mixed=mixed, seed=seed)
    return time_replay(lambda size: cast("RangeAllocator", entry.make(size)), trace, clock_ns, events=events)


def packing_failures(allocator_id: str, *, live: int = PACKING_LIVE, pairs: int = 100_000, seed: int = 1) -> int:
    """Return how many takes fail at 90 % full, mixed alignments: row ``packing.<allocator>``. Depends on no clock."""
    return time_allocator(allocator_id, live, lambda: 0, mixed=True, pairs=pairs, seed=seed).failures
