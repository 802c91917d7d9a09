from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.units import GIB, MIB
from explorer.errors import InputError, LayoutError
from explorer.memory.allocators import Refusal
from explorer.memory.pools import Pool, PoolPlacement, PoolPolicy, preferred_block_bytes

if TYPE_CHECKING:
    import random


def _take(pool: Pool, size: int, alignment: int = 1) -> PoolPlacement:
    answer = pool.take(size, alignment)
    assert isinstance(answer, PoolPlacement)
    return answer


def test_that_small_heaps_prefer_an_eighth() -> None:
    assert preferred_block_bytes(8 * GIB) == 256 * MIB
    assert preferred_block_bytes(512 * MIB) == 64 * MIB


def test_that_first_blocks_grow_from_an_eighth_to_the_preferred_size() -> None:
    pool = Pool(PoolPolicy(block_bytes=256 * MIB))
    created = []
    for _ in range(40):
        created.append(_take(pool, 15 * MIB).created_bytes)
    assert [size // MIB for size in created if size][:5] == [32, 64, 128, 256, 256]


def test_that_a_request_above_half_a_block_gets_its_own_heap() -> None:
    pool = Pool(PoolPolicy(block_bytes=64 * MIB))
    placed = _take(pool, 32 * MIB + 1)
    assert placed.dedicated
    assert placed.created_bytes == 32 * MIB + 1
    assert not _take(pool, 32 * MIB).dedicated
    assert pool.report().dedicated == 1
    assert pool.free(placed.block, placed.placement.offset) == 32 * MIB + 1
    with pytest.raises(LayoutError):
        pool.free(placed.block, placed.placement.offset)


def test_that_smaller_blocks_are_tried_when_the_reservation_is_refused() -> None:
    asked: list[int] = []

    def reserve(size: int) -> bool:
        asked.append(size)
        return size <= 64 * MIB

    pool = Pool(PoolPolicy(block_bytes=256 * MIB, dedicated=False), reserve=reserve)
    assert _take(pool, 40 * MIB).created_bytes == 64 * MIB
    assert [size // MIB for size in asked] == [128, 64]
    assert isinstance(pool.take(100 * MIB), Refusal)


def test_that_one_empty_block_is_kept_and_the_next_is_given_back() -> None:
    released: list[int] = []
    pool = Pool(PoolPolicy(block_bytes=MIB, explicit_size=True, dedicated=False), release=released.append)
    placed = [_take(pool, 600_000) for _ in range(3)]
    assert pool.free(placed[1].block, placed[1].placement.offset) == 0
    assert pool.free(placed[0].block, placed[0].placement.offset) == MIB
    assert list(pool.blocks) == [placed[1].block, placed[2].block]
    assert released == [MIB]
    assert _take(pool, 700_000).created_bytes == 0


def test_that_minimum_and_maximum_blocks_hold() -> None:
    policy = PoolPolicy(block_bytes=MIB, explicit_size=True, min_blocks=2, max_blocks=3, dedicated=False)
    pool = Pool(policy)
    assert pool.report().blocks == 2
    placed = [_take(pool, 900_000) for _ in range(3)]
    refusal = pool.take(900_000)
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "alloc.too-few-bytes"
    assert refusal.free_bytes == 3 * (MIB - 900_000)
    fragmented = pool.take(200_000)
    assert isinstance(fragmented, Refusal)
    assert fragmented.reason == "alloc.fragmented"
    for item in placed:
        pool.free(item.block, item.placement.offset)
    assert pool.report().blocks == 2
    pool.validate()


def test_that_fuller_blocks_are_tried_first() -> None:
    pool = Pool(PoolPolicy(block_bytes=MIB, explicit_size=True, dedicated=False))
    first = _take(pool, 500_000)
    second = _take(pool, 800_000)
    assert second.block != first.block
    assert _take(pool, 100_000).block == second.block


def test_that_contradicting_limits_are_refused() -> None:
    with pytest.raises(InputError):
        PoolPolicy(min_blocks=3, max_blocks=2)


@settings(max_examples=30, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 3 * MIB), min_size=1, max_size=25),
    order=st.randoms(use_true_random=False),
    allocator=st.sampled_from(["tlsf", "best-fit", "buddy", "offset-bins", "linear"]),
    keep=st.integers(0, 2),
)
def test_that_reserved_bytes_are_the_bytes_of_the_heaps(
    sizes: list[int], order: random.Random, allocator: str, keep: int
) -> None:
    held = [0]

    def reserve(size: int) -> bool:
        held[0] += size
        return True

    def release(size: int) -> None:
        held[0] -= size

    policy = PoolPolicy(block_bytes=4 * MIB, allocator=allocator, keep_empty_blocks=keep, min_alignment=256)
    pool = Pool(policy, reserve=reserve, release=release)
    placed = [_take(pool, size, 256) for size in sizes]
    assert all(item.placement.offset % 256 == 0 for item in placed)
    report = pool.report()
    assert report.block_bytes == held[0] == report.used + report.free + report.padding
    pool.validate()
    twin = pool.copy()
    order.shuffle(placed)
    for item in placed:
        pool.free(item.block, item.placement.offset)
        pool.validate()
        assert pool.report().block_bytes == held[0]
    assert pool.report().used == 0
    assert pool.report().blocks <= keep
    assert twin.report() == report
