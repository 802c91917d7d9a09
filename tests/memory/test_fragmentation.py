from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.spans import Span, union_bytes
from explorer.memory.allocators import ALLOCATORS, AllocatorEntry, Placement, make_allocator
from explorer.memory.fragmentation import external_waste, fragmentation, union_bytes_of_columns, waste_by_cause


def test_that_the_figures_follow_their_formulae() -> None:
    figures = fragmentation([10, 30, 60])
    assert (figures.free_bytes, figures.largest_bytes, figures.holes) == (100, 60, 3)
    assert figures.largest_free_ratio == Fraction(40, 100)
    assert figures.square_ratio == 1 - Fraction(100 + 900 + 3600, 10_000)


def test_that_nothing_free_is_not_fragmented() -> None:
    figures = fragmentation([])
    assert figures.largest_free_ratio == figures.square_ratio == 0


@given(st.lists(st.integers(1, 2**60), min_size=1, max_size=30))
def test_that_both_ratios_lie_between_zero_and_one(sizes: list[int]) -> None:
    figures = fragmentation(sizes)
    for ratio in (figures.largest_free_ratio, figures.square_ratio):
        assert 0 <= ratio < 1
        assert (ratio == 0) == (len(sizes) == 1)
    assert figures.largest_free_ratio <= figures.square_ratio


def test_that_external_waste_counts_what_still_fits() -> None:
    allocator = make_allocator("first-fit", 1000)
    for _ in range(10):
        allocator.take(100)
    for offset in (0, 200, 300, 700):
        allocator.free(offset)
    waste = external_waste(allocator, 150)
    assert (waste.would_fit, waste.usable_bytes, waste.wasted_bytes, waste.ideal_fit) == (1, 150, 250, 2)


@pytest.mark.parametrize("entry", ALLOCATORS, ids=lambda entry: entry.id)
def test_that_waste_by_cause_adds_up(entry: AllocatorEntry) -> None:
    allocator = make_allocator(entry.id, 300_001)
    alignment: dict[int, int] = {}
    for number in range(30):
        wanted = 4096 if number % 3 == 0 else 16
        answer = allocator.take(1000 + 37 * number, wanted)
        if isinstance(answer, Placement):
            alignment[answer.offset] = wanted
    for offset in list(alignment)[::4]:
        allocator.free(offset)
        del alignment[offset]
    waste = waste_by_cause(allocator, alignment)
    assert waste.total == allocator.size - allocator.report().used
    assert waste.alignment > 0
    assert waste_by_cause(allocator).total == waste.total


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 50)), max_size=30))
def test_that_shared_bytes_count_once(rows: list[tuple[int, int]]) -> None:
    table = np.array(rows, dtype=np.int64).reshape(len(rows), 2)
    assert union_bytes_of_columns(table[:, 0], table[:, 1]) == union_bytes([Span(*row) for row in rows])


def test_that_the_kernel_counts_like_the_plain_sweep() -> None:
    kernels = pytest.importorskip("explorer.memory.fragmentation_kernels")
    rng = np.random.default_rng(1)
    starts = np.sort(rng.integers(0, 10_000, 300))
    ends = starts + rng.integers(0, 60, 300)
    spans = [Span(int(start), int(end - start)) for start, end in zip(starts, ends, strict=True)]
    assert kernels.union_bytes_sorted(starts, ends) == union_bytes(spans)
