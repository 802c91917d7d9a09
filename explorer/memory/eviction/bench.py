"""What ``bench`` runs for eviction and frames: streams, our runs, and libCacheSim's as the yardstick.

Everything here makes a callable that does the work once and returns a count; the caller holds the clock. Setting up,
and reading columns into libCacheSim's own trace format, is not part of what is timed.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from explorer.errors import CommandError
from explorer.memory.eviction import ReferenceStream, policy_by_id, reference_stream, simulate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STREAM_IDS = ("zipf-1.0", "unit-sizes", "zipf-0.8", "loop", "oversize")
"""The streams on which miss counts are compared; the first one is the one that is timed."""

LIBCACHESIM_NAMES = {
    "lru": "LRU", "fifo": "FIFO", "clock": "Clock", "sieve": "Sieve", "s3-fifo": "S3FIFO", "arc": "ARC",
    "belady": "Belady",
}  # fmt: skip
"""Policies that libCacheSim has, and what its Python package calls them."""

_TRACE_ROW = np.dtype([("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")])
_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class BenchStream:
    """A stream and the budget it is run under.

    Attributes:
        id: One of ``STREAM_IDS``.
        stream: The references.
        budget_bytes: Bytes of memory.
    """

    id: str
    stream: ReferenceStream
    budget_bytes: int


def bench_stream(stream_id: str, requests: int = 1_000_000) -> BenchStream:
    """Return a stream of the benchmark; the same for the same arguments.

    Args:
        stream_id: ``zipf-1.0``: objects a tenth of the requests, 4 KiB to 16 MiB, budget a tenth of their bytes;
            ``unit-sizes``: the same with sizes of 1; ``zipf-0.8``: 2,000 objects, half their bytes; ``loop``: 1.1 times
            the budget, over and over; ``oversize``: as ``zipf-0.8``, but every 50th object is larger than the budget.
        requests: References of the largest streams; the others have a quarter.

    Raises:
        CommandError: No such stream.
    """
    if stream_id in ("zipf-1.0", "unit-sizes"):
        objects = max(requests // 10, 10)
        sizes = _mixed_sizes(1, objects) if stream_id == "zipf-1.0" else np.ones(objects, np.int64)
        return BenchStream(stream_id, reference_stream(_zipf(2, objects, requests, 1.0), sizes), int(sizes.sum()) // 10)
    few = max(requests // 4, 1)
    if stream_id in ("zipf-0.8", "oversize"):
        sizes = _mixed_sizes(3, 2000)
        budget = int(sizes.sum()) // 2
        if stream_id == "oversize":
            # libCacheSim's traces hold sizes in 32 bits.
            budget = min(int(sizes.sum()) // 4, 1 << 31)
            sizes[::50] = budget + 1
        return BenchStream(stream_id, reference_stream(_zipf(4, 2000, few, 0.8), sizes), budget)
    if stream_id == "loop":
        in_loop = max(few // 200, 11)
        ids = np.arange(few) % in_loop
        return BenchStream(stream_id, reference_stream(ids, np.full(in_loop, 65536)), in_loop * 10 // 11 * 65536)
    raise CommandError("no such stream", where="stream", found=stream_id, accepted=STREAM_IDS)


def our_run(policy_id: str, bench: BenchStream) -> Callable[[], int]:
    """Return a callable that runs the stream with our kernel and returns the misses."""
    policy = policy_by_id(policy_id)
    return lambda: simulate(policy, bench.stream, bench.budget_bytes).misses


def write_trace(bench: BenchStream, file: Path) -> None:
    """Write a stream as a binary trace of libCacheSim (``oracleGeneral``), next uses included."""
    ids, sizes = bench.stream.ids, bench.stream.sizes
    trace = np.zeros(ids.size, _TRACE_ROW)
    trace["id"] = ids.astype(np.uint64) + np.uint64(1)
    trace["size"] = sizes[ids]
    order = np.argsort(ids, kind="stable")
    again = ids[order][1:] == ids[order][:-1]
    following = np.full(ids.size, _NEVER, np.int64)
    following[order[:-1][again]] = order[1:][again] + 1
    trace["next"] = following
    trace.tofile(file)


def libcachesim_run(policy_id: str, bench: BenchStream, trace: Path) -> Callable[[], int] | None:
    """Return a callable that runs a written trace with libCacheSim and returns its misses.

    Args:
        policy_id: Id of a policy.
        bench: The stream that was written.
        trace: The file of ``write_trace``.

    Returns:
        None where the package ``libcachesim`` (an extra for developers) is not installed or lacks the policy. The
        callable makes a new cache each time, with the size of hash table that was measured to be the fastest (2^15
        slots, or one for each object if that is more): at its default of 2^24 it would be timed at clearing memory.
    """
    if policy_id not in LIBCACHESIM_NAMES or find_spec("libcachesim") is None:
        return None
    library: Any = import_module("libcachesim")
    make: Any = getattr(library, LIBCACHESIM_NAMES[policy_id])
    slots = max(bench.stream.sizes.size.bit_length(), 15)

    def run() -> int:
        reader = library.TraceReader(str(trace), library.TraceType.ORACLE_GENERAL_TRACE)
        ratio: float = make(bench.budget_bytes, hashpower=slots).process_trace(reader)[0]
        return round(ratio * bench.stream.requests)

    return run


def frames_run(
    resources: int = 100_000,
    references: int = 10_000,
    frames: int = 20,
    *,
    policy_id: str = "lru",
    contiguous: bool = False,
) -> Callable[[], int]:
    """Return a callable that runs frames over budget, with events, and returns how many events there were.

    A local segment holds a fifth of the resources' bytes and demotes to one for a tenth. The references of a frame are
    skewed, and their favourites wander by half a percent of the resources a frame. Each call goes on where the last
    one stopped; the memory is filled before the first.

    Args:
        resources: Number of resources, of 4 KiB to 16 MiB.
        references: References of each frame.
        frames: Frames of each call.
        policy_id: Id of a policy.
        contiguous: Whether the local segment needs unbroken ranges.
    """
    from explorer.memory.frames import SegmentSpec, frame_memory

    sizes = _mixed_sizes(5, resources)
    total = int(sizes.sum())
    segments = (
        SegmentSpec(total // 4, total // 5, demote_to=1, contiguous=contiguous),
        SegmentSpec(total // 8, total // 10),
    )
    memory = frame_memory(sizes, np.zeros(resources, np.int64), segments, policy_id)
    shuffled = np.random.default_rng(6).permutation(resources)
    favourites = _zipf(7, resources, references * 40, 0.7).reshape(40, references)
    access = np.random.default_rng(8).integers(0, 2, references).astype(np.uint8)
    columns = [shuffled[(row + number * resources // 200) % resources] for number, row in enumerate(favourites)]
    done = 0

    def run() -> int:
        nonlocal done
        events = 0
        for _ in range(frames):
            events += len(memory.run_frame(done, columns[done % len(columns)], access).events)
            done += 1
        return events

    run()
    return run


def _zipf(seed: int, objects: int, requests: int, exponent: float) -> npt.NDArray[np.int64]:
    weights = 1.0 / np.arange(1, objects + 1) ** exponent
    edges = np.cumsum(weights / weights.sum())
    drawn = np.searchsorted(edges, np.random.default_rng(seed).random(requests))
    return np.minimum(drawn, objects - 1)


def _mixed_sizes(seed: int, objects: int) -> npt.NDArray[np.int64]:
    """Return sizes from 4 KiB to 16 MiB, evenly over the powers of two."""
    return np.exp2(np.random.default_rng(seed).uniform(12, 24, objects)).astype(np.int64)
