"""Compiles every kernel of the allocators, by using each once with the types that the product uses."""

from __future__ import annotations

import numpy as np

from explorer.memory.allocators import ALLOCATORS
from explorer.memory.allocators.protocol import Operations, Placement
from explorer.memory.allocators.ranges import RangeAllocator

_RANGE_BYTES = 1 << 20


def warm_up_allocators() -> None:
    """Run each allocator through batch and single calls."""
    op, slot, size, alignment = np.array(
        [[0, 0, 100, 256], [0, 1, 300, 65536], [0, 2, 300, 1], [1, 1, 1, 1], [1, 0, 1, 1]], dtype=np.int64
    ).T.copy()
    for entry in ALLOCATORS:
        allocator = entry.make(_RANGE_BYTES)
        assert isinstance(allocator, RangeAllocator)
        allocator.use_kernels()
        allocator.replay(Operations(op, slot, size, alignment, np.zeros_like(op)), events=True)
        placed = allocator.take(512, 256)
        allocator.plan(512, 256)
        lowest = allocator.take_lowest(512, 256)
        allocator.spans()
        for answer in (placed, lowest):
            if isinstance(answer, Placement):
                allocator.free(answer.offset)
        allocator.validate()
