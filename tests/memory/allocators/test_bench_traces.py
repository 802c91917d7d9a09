from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from explorer.memory.allocators.bench_traces import bench_trace, chunks, packing_failures, random_words, time_allocator
from explorer.memory.kernels import is_jit_disabled


def test_that_the_words_are_those_of_splitmix64() -> None:
    assert [int(word) for word in random_words(1234567, 3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_that_the_same_seed_gives_the_same_trace() -> None:
    one, other = bench_trace(50, 60, mixed=True), bench_trace(50, 60, mixed=True)
    assert one.capacity_bytes == other.capacity_bytes
    assert np.array_equal(one.churn.size, other.churn.size)
    assert not np.array_equal(one.churn.size, bench_trace(50, 60, mixed=True, seed=2).churn.size)
    sizes = one.fill.size
    assert sizes.min() >= 256
    assert sizes.max() <= 16 << 20
    assert not np.any(sizes % 256)
    assert set(one.churn.alignment.tolist()) == {256, 65536}


def test_that_chunks_are_the_whole_trace() -> None:
    trace = bench_trace(20, 30)
    assert np.concatenate([part.slot for part in chunks(trace.churn, 7)]).tolist() == trace.churn.slot.tolist()


@pytest.mark.skipif(is_jit_disabled(), reason="kernels are not compiled here")
def test_that_a_timed_replay_counts_operations_and_failures() -> None:
    ticks = count(0, 1000)
    time = time_allocator("offset-bins", 200, lambda: next(ticks), pairs=500)
    assert time.operations == 1000
    assert time.ns_per_operation == 1.0


@pytest.mark.skipif(is_jit_disabled(), reason="kernels are not compiled here")
def test_that_best_fit_packs_no_worse_than_tlsf_and_tlsf_than_bins() -> None:
    failures = [packing_failures(name, live=2000, pairs=20_000) for name in ("best-fit", "tlsf", "offset-bins")]
    assert failures == sorted(failures)
    assert failures[0] < failures[2]
