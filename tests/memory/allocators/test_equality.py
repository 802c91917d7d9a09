from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.errors import LayoutError
from explorer.memory.allocators.protocol import OP_FREE, Operations, Placement
from explorer.memory.kernels import is_jit_disabled
from tests.memory.allocators.variants import VARIANTS, Variant, random_operations

pytestmark = pytest.mark.skipif(is_jit_disabled(), reason="kernels are not compiled here")


def _part(operations: Operations, first: int, last: int) -> Operations:
    part = slice(first, last)
    kind = None if operations.kind is None else operations.kind[part]
    columns = (operations.op, operations.slot, operations.size, operations.alignment)
    return Operations(*(column[part] for column in columns), kind)


@pytest.mark.parametrize("granularity", [1, 4096])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_that_kernel_and_reference_answer_many_operations_alike(variant: Variant, granularity: int) -> None:
    operations = random_operations(7, 5_000, 150, 1 << 21, kinds=3 if granularity > 1 else 1)
    plain = variant.make(10 << 20, granularity=granularity)
    compiled = variant.make(10 << 20, granularity=granularity, compiled=True)
    assert compiled.compiled
    assert not plain.compiled
    refused = 0
    for first in range(0, len(operations), 500):
        part = _part(operations, first, first + 500)
        expected, got = plain.replay(part, events=True), compiled.replay(part, events=True)
        assert np.array_equal(expected.offsets, got.offsets)
        assert np.array_equal(expected.starts, got.starts)
        assert expected.events is not None
        assert got.events is not None
        for column in ("event", "start", "kept"):
            assert np.array_equal(getattr(expected.events, column), getattr(got.events, column))
        assert plain.spans() == compiled.spans()
        assert plain.report() == compiled.report()
        compiled.validate()
        refused += got.refused
    plain.validate()
    assert refused > 0


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_that_the_kernel_takes_over_in_the_middle(variant: Variant) -> None:
    operations = random_operations(11, 1_200, 60, 1 << 20)
    plain = variant.make(12 << 20)
    plain.replay(_part(operations, 0, 600))
    taken = plain.copy()
    taken.use_kernels()
    taken.validate()
    rest = _part(operations, 600, 1_200)
    assert np.array_equal(plain.replay(rest).offsets, taken.replay(rest).offsets)
    assert plain.spans() == taken.spans()


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32), kinds=st.sampled_from([1, 3]))
def test_that_single_calls_and_batches_agree(variant: Variant, seed: int, kinds: int) -> None:
    operations = random_operations(seed, 150, 25, 1 << 16, kinds=kinds)
    batch = variant.make(300_000, granularity=1024, compiled=True)
    offsets = batch.replay(operations).offsets
    single = variant.make(300_000, granularity=1024, compiled=True)
    place: dict[int, int] = {}
    kind = operations.kind if operations.kind is not None else np.zeros(len(operations), dtype=np.int64)
    for row in range(len(operations)):
        slot = int(operations.slot[row])
        if operations.op[row]:
            if slot in place:
                single.free(place.pop(slot))
            continue
        answer = single.take(int(operations.size[row]), int(operations.alignment[row]), kind=int(kind[row]))
        assert (answer.offset if isinstance(answer, Placement) else -1) == offsets[row]
        if isinstance(answer, Placement):
            place[slot] = answer.offset
    assert batch.spans() == single.spans()


def test_that_single_frees_empty_the_slot_of_a_batch() -> None:
    operations = random_operations(3, 40, 1_000_000, 1 << 12)
    for variant in VARIANTS:
        allocator = variant.make(1 << 20, compiled=True)
        result = allocator.replay(operations)
        row = int(np.flatnonzero(result.offsets >= 0)[0])
        allocator.free(int(result.offsets[row]))
        again = Operations(*(column[row : row + 1] for column in (
            operations.op, operations.slot, operations.size, operations.alignment,
        )))  # fmt: skip
        assert allocator.replay(again).refused == 0
        allocator.validate()


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("compiled", [False, True])
def test_that_what_a_slot_names_can_leave_singly_or_in_a_batch(variant: Variant, compiled: bool) -> None:
    allocator = variant.make(1 << 20, compiled=compiled)
    offsets: list[int] = []
    for slot in range(12):
        taken = allocator.take(1000 + 300 * slot, 256)
        assert isinstance(taken, Placement)
        allocator.assign(taken.offset, slot)
        offsets.append(taken.offset)
    with pytest.raises(LayoutError):
        allocator.assign(offsets[0], 3)
    with pytest.raises(LayoutError):
        allocator.assign((1 << 20) - 1, 40)
    for slot in (11, 4):
        allocator.free_slot(slot)
        with pytest.raises(LayoutError):
            allocator.free_slot(slot)
    allocator.free(offsets[7])
    allocator.validate()
    assert allocator.live_count == 9
    slots = np.arange(12, dtype=np.int64)
    ones = np.ones(12, np.int64)
    allocator.replay(Operations(ones * OP_FREE, slots, ones, ones))
    assert allocator.live_count == 0
    assert not allocator.spans()
    allocator.validate()
