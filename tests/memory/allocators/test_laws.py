from __future__ import annotations

from typing import TYPE_CHECKING

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from explorer.core.spans import Span
from explorer.errors import InputError, LayoutError
from explorer.memory.allocators import ALLOCATORS, AllocatorEntry, make_allocator
from explorer.memory.allocators.protocol import REFUSAL_RULES, Placement, Refusal
from tests.memory.allocators.variants import CORES, VARIANTS, Variant, random_operations

if TYPE_CHECKING:
    from explorer.memory.allocators.ranges import RangeAllocator

cores = pytest.mark.parametrize("compiled", CORES, ids=lambda value: "kernel" if value else "reference")
variants = pytest.mark.parametrize("variant", VARIANTS, ids=str)


def _brute_count(allocator: RangeAllocator, size: int, alignment: int, kind: int) -> int:
    trial = allocator.copy()
    count = 0
    while isinstance(trial.take(size, alignment, kind=kind), Placement):
        count += 1
    return count


def _any_hole_fits(allocator: RangeAllocator, size: int, alignment: int, kind: int) -> bool:
    """Try every aligned place of every hole, granularity kept."""
    page, blocks = allocator.granularity, allocator.spans()
    for hole in allocator.holes():
        for offset in range(-(-hole.offset // alignment) * alignment, hole.end - size + 1, alignment):
            pages = (offset // page, (offset + size - 1) // page)
            shared = any(
                b.kind != kind and b.start // page <= pages[1] and (b.end - 1) // page >= pages[0] for b in blocks
            )
            if not shared or page == 1:
                return True
    return False


@cores
@variants
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_that_the_laws_hold_after_every_operation(variant: Variant, compiled: bool, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 60_000), label="range")
    page = data.draw(st.sampled_from([1, 1, 16]), label="granularity")
    if page > size:
        page = 1
    allocator = variant.make(size, compiled=compiled, granularity=page)
    live: list[int] = []
    for _ in range(data.draw(st.integers(1, 25), label="operations")):
        if live and data.draw(st.booleans()):
            allocator.free(live.pop(data.draw(st.integers(0, len(live) - 1))))
        else:
            want = data.draw(st.integers(1, max(1, size // data.draw(st.sampled_from([1, 4, 40])))))
            alignment = 1 << data.draw(st.integers(0, 10))
            kind = data.draw(st.integers(0, 2))
            before = allocator.spans()
            count = allocator.would_fit(want, alignment, kind=kind)
            planned = allocator.plan(want, alignment, kind=kind)
            assert allocator.spans() == before
            answer = allocator.take(want, alignment, kind=kind)
            assert answer == planned
            assert (count > 0) == isinstance(answer, Placement)
            if isinstance(answer, Placement):
                assert answer.offset % alignment == 0
                assert answer.kept == answer.padding_before + want + answer.rounding
                live.append(answer.offset)
        allocator.validate()
        report = allocator.report()
        assert report.used + report.free + report.padding == size
        assert sum(hole.size for hole in allocator.holes()) == report.free
        assert [block.offset for block in allocator.spans()] == sorted(live)
    for offset in live:
        allocator.free(offset)
    report = allocator.report()
    assert allocator.holes() == [Span(0, size - report.tail)]
    assert (report.used, report.live, report.padding) == (0, 0, report.tail)


@cores
@variants
@settings(max_examples=4, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    size=st.integers(600, 9_000),
    exponent=st.integers(4, 13),
    kind=st.integers(0, 2),
    page=st.sampled_from([1, 64]),
)
def test_that_would_fit_and_refusals_are_what_brute_force_finds(
    variant: Variant, compiled: bool, seed: int, size: int, exponent: int, kind: int, page: int
) -> None:
    allocator = variant.make(60_000, compiled=compiled, granularity=page)
    allocator.replay(random_operations(seed, 60, 20, 1 << 13, kinds=3))
    alignment = 1 << exponent
    assert allocator.would_fit(size, alignment, kind=kind) == _brute_count(allocator, size, alignment, kind)
    while isinstance(answer := allocator.take(size, alignment, kind=kind), Placement):
        assert answer.size == size
    holes = allocator.holes()
    assert answer.free_bytes == sum(hole.size for hole in holes)
    assert answer.largest_hole_bytes == max((hole.size for hole in holes), default=0)
    assert answer.holes_too_small == sum(hole.size < size for hole in holes)
    lost = [hole for hole in holes if hole.size >= size and -(-hole.offset // alignment) * alignment + size > hole.end]
    assert answer.lost_to_alignment_bytes == sum(hole.size for hole in lost)
    complete = variant.id in ("tlsf", "best-fit", "first-fit", "worst-fit") and "least" not in variant.options
    fits = _any_hole_fits(allocator, size, alignment, kind)
    assert fits == (answer.reason == allocator.own_reason)
    if complete:
        assert not fits


@cores
@variants
def test_that_ten_thousand_operations_keep_the_laws(variant: Variant, compiled: bool) -> None:
    allocator = variant.make(30 << 20, compiled=compiled)
    for seed in range(10):
        operations = random_operations(seed, 1_000, 120, 1 << 21)
        allocator.replay(operations)
        allocator.validate()
        for block in allocator.spans():
            allocator.free(block.offset)
        assert len(allocator.holes()) == 1


@cores
@variants
def test_that_freeing_what_does_not_live_is_an_error(variant: Variant, compiled: bool) -> None:
    allocator = variant.make(1 << 20, compiled=compiled)
    placed = allocator.take(4096)
    assert isinstance(placed, Placement)
    with pytest.raises(LayoutError):
        allocator.free(placed.offset + 1)
    allocator.free(placed.offset)
    with pytest.raises(LayoutError):
        allocator.free(placed.offset)


@cores
@variants
def test_that_a_copy_is_independent_and_answers_the_same(variant: Variant, compiled: bool) -> None:
    allocator = variant.make(1 << 20, compiled=compiled)
    allocator.replay(random_operations(5, 100, 30, 1 << 15))
    twin = allocator.copy()
    before = allocator.spans()
    answers = [twin.take(size, 256) for size in (100, 5000, 70000, 300)]
    assert allocator.spans() == before
    assert [allocator.take(size, 256) for size in (100, 5000, 70000, 300)] == answers
    twin.validate()
    allocator.validate()


@pytest.mark.parametrize("entry", ALLOCATORS, ids=lambda entry: entry.id)
def test_that_large_ranges_and_absurd_requests_are_answered(entry: AllocatorEntry) -> None:
    allocator = make_allocator(entry.id, 64 << 30)
    assert isinstance(allocator.take(5 << 30, 4 << 20), Placement)
    assert isinstance(allocator.take(1, 1 << 62), Refusal | Placement)
    refusal = allocator.take((1 << 63) - 1)
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "alloc.too-few-bytes"
    assert "do not fit" in refusal.text()
    for size, alignment in ((0, 1), (-5, 1), (1 << 63, 1), (1, 3), (1, 0)):
        with pytest.raises(InputError):
            allocator.take(size, alignment)
    allocator.validate()


def test_that_a_refusal_says_what_freeing_or_packing_would_gain() -> None:
    allocator = make_allocator("first-fit", 100)
    for size in (20, 20, 20, 20, 20):
        allocator.take(size)
    allocator.free(0)
    allocator.free(40)
    refusal = allocator.take(30)
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "alloc.fragmented"
    freed = refusal.gain(allocator, 20)
    assert (freed.freed_bytes, freed.largest_hole_bytes, freed.fits) == (20, 60, True)
    assert not refusal.gain(allocator, 80).fits
    packed = refusal.gain(allocator)
    assert (packed.freed_bytes, packed.largest_hole_bytes, packed.fits) == (0, 40, True)
    assert [block.offset for block in allocator.spans()] == [20, 60, 80]
    assert set(REFUSAL_RULES) >= {refusal.reason}


def test_that_kinds_beyond_the_limit_are_refused() -> None:
    allocator = make_allocator("tlsf", 1000)
    for kind in (-1, 1 << 24):
        with pytest.raises(InputError):
            allocator.take(10, kind=kind)


def test_that_kernels_take_over_only_when_there_is_enough_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    ready = True
    monkeypatch.setattr("explorer.memory.allocators.ranges.kernels_ready", lambda: ready)
    calls: list[int] = []
    allocator = Variant("tlsf").make(1 << 20)
    allocator.may_compile = True
    monkeypatch.setattr(allocator, "use_kernels", lambda: calls.append(1))
    placed = allocator.take(10)
    assert isinstance(placed, Placement)
    assert not calls
    allocator.replay(random_operations(1, 5000, 10, 1 << 10))
    assert calls
    ready = False
    before = len(calls)
    allocator.take(10)
    assert len(calls) == before


def test_that_running_totals_follow_batches_and_single_calls() -> None:
    allocator = Variant("best-fit").make(1 << 20)
    allocator.take(1000)
    allocator.replay(random_operations(1, 50, 20, 1 << 10))
    allocator.take(1000)
    report = allocator.report()
    assert (allocator.free_bytes, allocator.live_count) == (report.free, report.live)
