"""The allocators under test: every entry of the tuple, and the options that change placement."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from explorer.memory.allocators import ALLOCATORS
from explorer.memory.allocators.protocol import OP_FREE, OP_TAKE, Operations
from explorer.memory.allocators.ranges import RangeAllocator
from explorer.memory.kernels import is_jit_disabled


@dataclass(frozen=True)
class Variant:
    id: str
    options: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return ":".join([self.id, *(f"{key}={value}" for key, value in self.options.items())])

    def make(self, size: int, *, compiled: bool = False, **more: object) -> RangeAllocator:
        entry = next(entry for entry in ALLOCATORS if entry.id == self.id)
        allocator = entry.make(size, **self.options, **more)
        assert isinstance(allocator, RangeAllocator)
        allocator.may_compile = False
        if compiled:
            allocator.use_kernels()
        return allocator


VARIANTS = [Variant(entry.id) for entry in ALLOCATORS] + [
    Variant("tlsf", {"strategy": "min-memory"}),
    Variant("tlsf", {"strategy": "min-time"}),
    Variant("tlsf", {"strategy": "min-offset"}),
    Variant("tlsf", {"small_step": 64}),
    Variant("linear", {"mode": "stack"}),
    Variant("linear", {"mode": "double-stack"}),
    Variant("offset-bins", {"granule": 1}),
    Variant("buddy", {"least": 1}),
    Variant("tlsf", {"least": 4096}),
    Variant("best-fit", {"least": 512}),
]
CORES = [False] if is_jit_disabled() else [False, True]


def random_operations(seed: int, count: int, slots: int, largest: int, kinds: int = 1) -> Operations:
    """Frees and takes of random slots; sizes in octaves from 1 byte, alignments up to 128 KiB."""
    rng = np.random.default_rng(seed)
    op, slot, size, alignment = (np.zeros(count, dtype=np.int64) for _ in range(4))
    taken: set[int] = set()
    octaves = max(1, largest.bit_length() - 1)
    for row in range(count):
        chosen = int(rng.integers(slots))
        if chosen in taken:
            op[row] = OP_FREE
            taken.discard(chosen)
        else:
            op[row] = OP_TAKE
            taken.add(chosen)
        slot[row] = chosen
    exponent = rng.integers(0, octaves, count)
    size[:] = (1 << exponent) + rng.integers(0, 1 << exponent)
    alignment[:] = 1 << rng.choice([0, 0, 2, 8, 12, 16, 17], count)
    kind = rng.integers(0, kinds, count).astype(np.int64) if kinds > 1 else None
    return Operations(op, slot, size, alignment, kind)
