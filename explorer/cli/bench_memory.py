"""Rows of ``bench`` about allocators, eviction policies and frames."""

from __future__ import annotations

import tempfile
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.cli.bench_model import BenchRow, CannotRunError, Contenders, Target, timed

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = {"10k": 10_000, "100k": 100_000}
CHURN = 200_000
PACKED = SIZES["10k"]
ALLOCATORS = ("tlsf", "best-fit", "first-fit", "worst-fit", "buddy", "linear", "offset-bins")
POLICIES = ("lru", "fifo", "clock", "sieve", "s3-fifo", "arc", "belady")
REQUESTS = 1_000_000
_SLOW_ALLOCATORS = ("first-fit",)
"""Allocators whose cost grows with the holes: measured with fewer operations."""


def _alloc(allocator: str, live: int, events: bool) -> Contenders:
    from explorer.memory.allocators import make_allocator
    from explorer.memory.allocators.bench_traces import bench_trace, time_replay
    from explorer.memory.allocators.ranges import RangeAllocator

    made = make_allocator(allocator, 1 << 20)
    if not isinstance(made, RangeAllocator):
        raise CannotRunError("this allocator has no batches to measure")
    trace = bench_trace(live, CHURN // (10 if allocator in _SLOW_ALLOCATORS else 1))

    def make(size: int) -> RangeAllocator:
        one = make_allocator(allocator, size)
        assert isinstance(one, RangeAllocator)
        return one

    return Contenders(lambda: time_replay(make, trace, time.perf_counter_ns, events=events).ns_per_operation)


def _packing(allocator: str, live: int) -> Contenders:
    from explorer.memory.allocators import make_allocator
    from explorer.memory.allocators.bench_traces import bench_trace
    from explorer.memory.allocators.ranges import RangeAllocator

    trace = bench_trace(live, CHURN // 10, mixed=True)

    def refused(allocator_id: str) -> float:
        one = make_allocator(allocator_id, trace.capacity_bytes)
        if not isinstance(one, RangeAllocator):
            raise CannotRunError("this allocator has no batches to measure")
        one.use_kernels()
        return float(one.replay(trace.fill).refused + one.replay(trace.churn).refused)

    return Contenders(partial(refused, allocator), partial(refused, "best-fit"))


def _need_libcachesim() -> None:
    if find_spec("libcachesim") is None:
        raise CannotRunError("it needs the package libcachesim to compare with")


def _evict(policy: str) -> Contenders:
    from explorer.memory.eviction import bench

    _need_libcachesim()
    stream = bench.bench_stream("zipf-1.0", REQUESTS)
    ours = bench.our_run(policy, stream)
    folder = tempfile.TemporaryDirectory(prefix="memory-explorer-bench-")
    trace = Path(folder.name) / "trace.bin"
    bench.write_trace(stream, trace)
    theirs = bench.libcachesim_run(policy, stream, trace)

    def rate(work: Callable[[], int]) -> float:
        # ``folder`` lives as long as the trace is read.
        assert folder.name
        return stream.stream.requests / max(timed(work, 1.0)(), 1e-9) / 1e6

    return Contenders(partial(rate, ours), None if theirs is None else partial(rate, theirs))


def _misses(policy: str) -> Contenders:
    from explorer.memory.eviction import bench

    _need_libcachesim()
    folder = tempfile.TemporaryDirectory(prefix="memory-explorer-bench-")
    ours: list[Callable[[], int]] = []
    theirs: list[Callable[[], int]] = []
    for stream_id in bench.STREAM_IDS:
        stream = bench.bench_stream(stream_id, REQUESTS // 10)
        trace = Path(folder.name) / f"{stream_id}.bin"
        bench.write_trace(stream, trace)
        ours.append(bench.our_run(policy, stream))
        run = bench.libcachesim_run(policy, stream, trace)
        if run is not None:
            theirs.append(run)

    def total(runs: list[Callable[[], int]]) -> float:
        assert folder.name
        return float(sum(run() for run in runs))

    return Contenders(partial(total, ours), partial(total, theirs) if theirs else None)


def _frames() -> Contenders:
    from explorer.memory.eviction.bench import frames_run

    work = frames_run(frames=20)
    return Contenders(lambda: 20.0 / max(timed(work, 1.0)(), 1e-9), fixed=500.0)


def _frames_of_a_device() -> Contenders:
    from explorer.sim.bench_seek import prepare_frames

    step = prepare_frames()
    return Contenders(lambda: 20.0 / max(timed(step, 1.0)(), 1e-9), fixed=500.0)


def _rows() -> tuple[BenchRow, ...]:
    rows: list[BenchRow] = []
    for allocator in ALLOCATORS:
        for label, live in SIZES.items():
            what = f"replay with {allocator}, {live:,} live blocks, one operation"
            rows.append(
                BenchRow(f"alloc.{allocator}.{label}", what, "ns", partial(_alloc, allocator, live, False), rounds=3)
            )
            rows.append(BenchRow(f"alloc.{allocator}.{label}.events", what + ", with events", "ns",
                                 partial(_alloc, allocator, live, True), rounds=3))  # fmt: skip
    for allocator in ALLOCATORS:
        what = f"refused takes of {allocator} at 90 % full, {PACKED:,} live blocks, mixed alignment"
        rows.append(
            BenchRow(f"packing.{allocator}", what, "count", partial(_packing, allocator, PACKED), "best fit", None, 1)
        )
    fast, good = Target(">=", 3.0), Target(">=", 2.0)
    targets = {"lru": fast, "fifo": fast, "clock": fast, "sieve": fast, "arc": good, "s3-fifo": good,
               "belady": Target(">=", 1.35)}  # fmt: skip
    for policy in POLICIES:
        rows.append(BenchRow(f"evict.{policy}", f"{policy} over {REQUESTS:,} requests", "million/s",
                             partial(_evict, policy), "libCacheSim", targets[policy]))  # fmt: skip
    for policy in POLICIES:
        rows.append(BenchRow(f"misses.{policy}", f"misses of {policy} over five streams", "count",
                             partial(_misses, policy), "libCacheSim", None, 1))  # fmt: skip
    rows.append(BenchRow("frames", "frames of 10,000 references over 100,000 resources, over budget, with events",
                         "frames/s", _frames, "500 frames/s", Target(">=", 1.0)))  # fmt: skip
    rows.append(BenchRow("frames.device", "frames of the preset of 100,000 resources through calls, device and history",
                         "frames/s", _frames_of_a_device, "500 frames/s", Target(">=", 1.0)))  # fmt: skip
    return tuple(rows)


ROWS: tuple[BenchRow, ...] = _rows()
