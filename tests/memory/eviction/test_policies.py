"""Counts of the policies over streams: kernel against plain Python, against libCacheSim, and against theory."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.errors import CommandError, InputError
from explorer.memory.eviction import (
    EVICTION_POLICIES,
    EvictionPolicy,
    ReferenceStream,
    fetch_bound,
    make_order,
    policy_by_id,
    reference_stream,
    simulate,
)
from explorer.memory.eviction.bench import (
    LIBCACHESIM_NAMES,
    STREAM_IDS,
    BenchStream,
    bench_stream,
    frames_run,
    libcachesim_run,
    our_run,
    write_trace,
)
from tests.memory.eviction.streams import loop

if TYPE_CHECKING:
    from pathlib import Path

each_policy = pytest.mark.parametrize("policy", EVICTION_POLICIES, ids=lambda policy: policy.id)


@st.composite
def streams(draw: st.DrawFn) -> ReferenceStream:
    sizes = draw(st.lists(st.integers(0, 40), min_size=1, max_size=12))
    ids = draw(st.lists(st.integers(0, len(sizes) - 1), max_size=120))
    steps = draw(st.lists(st.integers(0, 1), min_size=len(ids), max_size=len(ids)))
    priorities = draw(st.lists(st.integers(-2, 2), min_size=len(sizes), max_size=len(sizes)))
    return reference_stream(ids, sizes, frames=np.cumsum(np.array(steps, np.int64)), priorities=priorities)


def test_that_the_policies_are_those_of_the_command_line() -> None:
    ids = [policy.id for policy in EVICTION_POLICIES]
    assert ids == ["lru", "mru", "lru-mru", "priority-lru", "fifo", "clock", "sieve", "s3-fifo", "arc", "belady"]


@each_policy
def test_that_each_policy_is_described_and_sourced(policy: EvictionPolicy) -> None:
    assert policy.name
    assert policy.description.endswith(".")
    assert policy.source
    assert policy_by_id(policy.id) is policy


@pytest.mark.parametrize(
    "module", ["lru", "mru", "fifo", "clock", "sieve", "s3_fifo", "arc", "belady", "levels"], ids=lambda name: name
)
def test_that_a_warm_up_compiles_what_runs_need_and_runs_compile_no_more(module: str) -> None:
    kernels = import_module(f"explorer.memory.eviction.{module}_kernels")
    kernels.warm_up()
    if not hasattr(kernels.run, "signatures"):
        pytest.skip("compiling is switched off")
    for policy in EVICTION_POLICIES:
        simulate(policy, loop(5, 3), 65536 * 4)
    fetch_bound(loop(5, 3), 65536 * 4)
    assert len(kernels.run.signatures) == 1


def test_that_belady_is_refused_where_the_future_is_unknown() -> None:
    with pytest.raises(CommandError, match="future"):
        make_order("belady")


@each_policy
@given(stream=streams(), budget=st.integers(0, 150))
@settings(deadline=None, max_examples=150)
def test_that_kernel_and_plain_python_count_the_same(
    policy: EvictionPolicy, stream: ReferenceStream, budget: int
) -> None:
    assert simulate(policy, stream, budget) == simulate(policy, stream, budget, use_kernel=False)


@given(stream=streams(), budget=st.integers(0, 150))
@settings(deadline=None, max_examples=150)
def test_that_no_policy_fetches_less_than_the_bound(stream: ReferenceStream, budget: int) -> None:
    bound = fetch_bound(stream, budget)
    assert bound == fetch_bound(stream, budget, use_kernel=False)
    assert stream.unique_bytes <= bound <= stream.requested_bytes
    for policy in EVICTION_POLICIES:
        assert simulate(policy, stream, budget).fetched_bytes >= bound


@given(stream=streams(), budget=st.integers(0, 150), more=st.integers(0, 50))
@settings(deadline=None, max_examples=60)
def test_that_more_memory_never_raises_the_bound(stream: ReferenceStream, budget: int, more: int) -> None:
    assert fetch_bound(stream, budget + more) <= fetch_bound(stream, budget)


@given(ids=st.lists(st.integers(0, 9), max_size=100), slots=st.integers(1, 9))
@settings(deadline=None, max_examples=60)
def test_that_belady_misses_least_for_equal_sizes(ids: list[int], slots: int) -> None:
    stream = reference_stream(ids, [1] * 10)
    fewest = simulate(policy_by_id("belady"), stream, slots).misses
    assert all(simulate(policy, stream, slots).misses >= fewest for policy in EVICTION_POLICIES)


@given(stream=streams())
@settings(deadline=None, max_examples=60)
def test_that_a_budget_for_everything_evicts_nothing(stream: ReferenceStream) -> None:
    for policy in EVICTION_POLICIES:
        if policy.id != "s3-fifo":  # it does not admit what its small queue cannot hold
            counts = simulate(policy, stream, stream.unique_bytes)
            assert (counts.misses, counts.evictions) == (stream.objects, 0)
    assert fetch_bound(stream, stream.unique_bytes) == stream.unique_bytes


@given(stream=streams(), budget=st.integers(0, 150))
@settings(deadline=None, max_examples=60)
def test_that_priority_lru_is_lru_where_all_are_equal(stream: ReferenceStream, budget: int) -> None:
    equal = reference_stream(stream.ids, stream.sizes)
    assert simulate(policy_by_id("priority-lru"), equal, budget) == simulate(policy_by_id("lru"), equal, budget)


@pytest.mark.parametrize(
    ("policy", "misses_always"),
    [
        ("lru", True), ("fifo", True), ("clock", True), ("priority-lru", True),
        ("mru", False), ("lru-mru", False), ("belady", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("use_kernel", [True, False])
def test_that_a_loop_slightly_larger_than_memory_does_what_theory_says(
    policy: str, misses_always: bool, use_kernel: bool
) -> None:
    objects, rounds = 110, 20
    stream, budget = loop(objects, rounds), 100 * 65536
    misses = simulate(policy_by_id(policy), stream, budget, use_kernel=use_kernel).misses
    if misses_always:
        assert misses == stream.requests
    else:
        assert misses < stream.requests // 4


def test_that_belady_on_a_loop_keeps_all_but_the_overflow() -> None:
    # Each round after the first misses the objects beyond the budget, and one slot takes them in turn.
    stream = loop(11, 3, size=1)
    assert simulate(policy_by_id("belady"), stream, 10).misses == 11 + 1 + 1


def test_that_an_object_larger_than_the_budget_is_a_miss_and_evicts_nobody() -> None:
    stream = reference_stream([0, 1, 0, 1, 0], [30, 400])
    for policy in EVICTION_POLICIES:
        if policy.id != "s3-fifo":  # it does not admit what its small queue cannot hold
            counts = simulate(policy, stream, 300)
            assert (counts.misses, counts.fetched_bytes, counts.evictions) == (3, 830, 0)


def libcachesim_misses(bench: BenchStream, policy: str, folder: Path) -> int:
    """Return the misses that libCacheSim counts."""
    pytest.importorskip("libcachesim")
    file = folder / "trace.bin"
    write_trace(bench, file)
    run = libcachesim_run(policy, bench, file)
    assert run is not None
    return run()


@pytest.mark.parametrize("policy", LIBCACHESIM_NAMES)
@pytest.mark.parametrize("stream_id", STREAM_IDS)
def test_that_misses_equal_those_of_libcachesim(policy: str, stream_id: str, tmp_path: Path) -> None:
    bench = bench_stream(stream_id, 40_000)
    assert our_run(policy, bench)() == libcachesim_misses(bench, policy, tmp_path)


@pytest.mark.parametrize("policy", LIBCACHESIM_NAMES)
@pytest.mark.parametrize("seed", range(6))
def test_that_misses_equal_those_of_libcachesim_in_tight_corners(policy: str, seed: int, tmp_path: Path) -> None:
    # Objects of about the size of S3-FIFO's small queue and of the cache: where rules of admission differ.
    random = np.random.default_rng(seed)
    objects = int(random.integers(5, 40))
    stream = reference_stream(random.integers(0, objects, 600), random.integers(1, 60, objects))
    bench = BenchStream("corner", stream, int(random.integers(40, 300)))
    assert our_run(policy, bench)() == libcachesim_misses(bench, policy, tmp_path)


def test_that_a_policy_without_a_yardstick_has_none(tmp_path: Path) -> None:
    bench = bench_stream("loop", 1000)
    assert libcachesim_run("mru", bench, tmp_path / "trace.bin") is None


def test_that_bench_streams_are_the_same_each_time_and_named() -> None:
    for stream_id in STREAM_IDS:
        one, two = bench_stream(stream_id, 4000), bench_stream(stream_id, 4000)
        assert (one.stream.ids == two.stream.ids).all()
        assert (one.stream.sizes == two.stream.sizes).all()
        assert one.budget_bytes < one.stream.sizes.sum()
    assert int(bench_stream("oversize", 4000).stream.sizes.max()) > bench_stream("oversize", 4000).budget_bytes
    with pytest.raises(CommandError, match="stream"):
        bench_stream("nothing")


def test_that_the_frames_of_the_bench_run_over_budget() -> None:
    run = frames_run(resources=500, references=200, frames=3)
    assert run() > 3 * 200
    assert run() > 3 * 200


@pytest.mark.parametrize(
    ("columns", "where"),
    [
        ({"ids": [0, 2], "sizes": [1, 1]}, "ids"),
        ({"ids": [-1], "sizes": [1]}, "ids"),
        ({"ids": [0.5], "sizes": [1]}, "ids"),
        ({"ids": [[0]], "sizes": [1]}, "ids"),
        ({"ids": [0], "sizes": [-1]}, "sizes"),
        ({"ids": [0, 0, 0], "sizes": [1 << 62]}, "sizes"),
        ({"ids": [0], "sizes": [1], "frames": [0, 1]}, "frames"),
        ({"ids": [0], "sizes": [1], "frames": [-3]}, "frames"),
        ({"ids": [0], "sizes": [1], "priorities": []}, "priorities"),
    ],
)
def test_that_a_bad_column_is_named(columns: dict[str, Any], where: str) -> None:
    with pytest.raises(InputError) as caught:
        reference_stream(**columns)
    assert caught.value.complaint.where == where


def test_that_a_budget_out_of_range_is_refused() -> None:
    stream = reference_stream([0], [1])
    for budget in (-1, 1 << 63):
        with pytest.raises(InputError, match="budget"):
            simulate(policy_by_id("lru"), stream, budget)


def test_that_columns_of_a_stream_cannot_be_written() -> None:
    stream = reference_stream([0, 1], [1, 2])
    with pytest.raises(ValueError, match="read-only"):
        stream.ids[0] = 1


def test_that_an_empty_stream_costs_nothing() -> None:
    stream = reference_stream([], [])
    assert (stream.requests, stream.objects, stream.unique_bytes, stream.requested_bytes) == (0, 0, 0, 0)
    for policy in EVICTION_POLICIES:
        for use_kernel in (True, False):
            assert simulate(policy, stream, 100, use_kernel=use_kernel).misses == 0
    assert fetch_bound(stream, 100) == 0
