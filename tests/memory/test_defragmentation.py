from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.spans import Span
from explorer.errors import CommandError, InputError
from explorer.memory.allocators import ALLOCATORS, Allocator, AllocatorEntry, Placement, make_allocator
from explorer.memory.defragmentation import DEFRAGMENTATION_MODES, Defragmentation, Move


def _swiss_cheese(allocator_id: str, size: int = 1 << 20, block: int = 4096, every: int = 2) -> Allocator:
    allocator = make_allocator(allocator_id, size)
    offsets: list[int] = []
    while isinstance(answer := allocator.take(block, 256), Placement):
        offsets.append(answer.offset)
    for offset in offsets[::every]:
        allocator.free(offset)
    return allocator


def _run(run: Defragmentation, max_bytes: int = 1 << 30, max_moves: int = 7) -> list[Move]:
    moves: list[Move] = []
    while not run.done:
        step = run.step(max_bytes, max_moves)
        assert len(step.moves) <= max_moves
        assert step.moved_bytes == sum(move.size for move in step.moves) <= max_bytes
        assert step.moves or step.done
        moves += step.moves
    return moves


@pytest.mark.parametrize("allocator_id", ["tlsf", "best-fit", "first-fit", "worst-fit", "offset-bins", "buddy"])
def test_that_full_makes_one_hole_of_equal_blocks(allocator_id: str) -> None:
    allocator = _swiss_cheese(allocator_id)
    before = allocator.report()
    moves = _run(Defragmentation({0: allocator}, "full"))
    after = allocator.report()
    assert (after.live, after.used, after.free) == (before.live, before.used, before.free)
    assert all(move.to_offset < move.from_offset for move in moves)
    if allocator_id in ("tlsf", "best-fit", "first-fit", "worst-fit"):
        assert after.holes == 1
    assert after.largest_free >= before.largest_free
    allocator.validate()


@pytest.mark.parametrize("mode", DEFRAGMENTATION_MODES)
def test_that_heaps_are_emptied_into_earlier_ones(mode: str) -> None:
    heaps = {index: _swiss_cheese("tlsf", every=3 if index < 2 else 2) for index in (0, 1, 2)}
    for block in heaps[2].spans()[8:]:
        heaps[2].free(block.offset)
    run = Defragmentation(heaps, mode)
    emptied: list[int] = []
    while not run.done:
        emptied += run.step(1 << 20, 3).emptied
    assert 2 in emptied
    assert heaps[2].report().live == 0


def test_that_pinned_ranges_stay_untouched() -> None:
    allocator = _swiss_cheese("first-fit")
    pinned = Span(300_000, 200_000)
    kept = [block for block in allocator.spans() if block.offset < pinned.end and pinned.offset < block.end]
    moves = _run(Defragmentation({5: allocator}, "full", pinned=[(5, pinned)]))
    assert moves
    now = [block for block in allocator.spans() if block.offset < pinned.end and pinned.offset < block.end]
    assert now == kept


@settings(max_examples=25, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 5000), min_size=5, max_size=40),
    freed=st.sets(st.integers(0, 39)),
    exponent=st.integers(0, 9),
    mode=st.sampled_from(DEFRAGMENTATION_MODES),
    bytes_a_step=st.integers(1, 20_000),
    entry=st.sampled_from(ALLOCATORS),
)
def test_that_steps_keep_every_block_and_its_alignment(
    sizes: list[int], freed: set[int], exponent: int, mode: str, bytes_a_step: int, entry: AllocatorEntry
) -> None:
    heaps = {index: make_allocator(entry.id, 60_000) for index in (3, 1)}
    place: dict[tuple[int, int], int] = {}
    for number, size in enumerate(sizes):
        heap = 3 if number % 2 else 1
        answer = heaps[heap].take(size, 1 << exponent)
        if isinstance(answer, Placement):
            place[heap, answer.offset] = size
    for number, key in enumerate(list(place)):
        if number in freed:
            heaps[key[0]].free(key[1])
            del place[key]
    run = Defragmentation(heaps, mode, alignment_of=lambda heap, offset: 1 << exponent)
    for move in _run(run, bytes_a_step):
        assert place.pop((move.from_heap, move.from_offset)) == move.size
        place[move.to_heap, move.to_offset] = move.size
        assert move.to_offset % (1 << exponent) == 0
    found = {(heap, block.offset): block.size for heap, allocator in heaps.items() for block in allocator.spans()}
    assert found == place
    for allocator in heaps.values():
        allocator.validate()


def test_that_a_run_goes_on_after_blocks_came_and_went() -> None:
    allocator = _swiss_cheese("tlsf")
    run = Defragmentation({0: allocator}, "full")
    run.step(1 << 20, 2)
    gone = allocator.spans()[3]
    allocator.free(gone.offset)
    allocator.take(100)
    _run(run)
    allocator.validate()
    assert allocator.report().holes <= 2


def test_that_wrong_modes_and_bounds_are_refused() -> None:
    allocator = make_allocator("tlsf", 100)
    with pytest.raises(CommandError):
        Defragmentation({0: allocator}, "slow")
    with pytest.raises(InputError):
        Defragmentation({0: allocator}).step(0, 1)
