"""The allocator ``buddy``: powers of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.units import is_power_of_two
from explorer.errors import InputError
from explorer.memory.allocators.buddy_reference import BuddyReference, order_for, top_blocks
from explorer.memory.allocators.ranges import RangeAllocator, check_range

if TYPE_CHECKING:
    from explorer.memory.allocators.core import Core, HeldColumns

DEFAULT_LEAST_BYTES = 256


class BuddyAllocator(RangeAllocator):
    """Buddy system.

    Args:
        size: Bytes of the range.
        least: Bytes of the smallest block, a power of two; None takes 256 bytes, or less for tiny ranges.
        granularity: Page that blocks of different kinds never share: no block is smaller.
    """

    def __init__(self, size: int, *, least: int | None = None, granularity: int = 1) -> None:
        check_range(size, granularity)
        if least is None:
            least = min(DEFAULT_LEAST_BYTES, 1 << size.bit_length() - 1)
        if not is_power_of_two(least):
            raise InputError("the smallest block must be a power of two", where="least", found=least)
        self.least = max(least, granularity)
        core = BuddyReference(size, self.least)
        super().__init__("buddy", size, core, compile_core=_compile, granularity=granularity)

    @property
    def tail_bytes(self) -> int:
        """Bytes behind the last whole block."""
        return self.size % self.least

    def _padding(self, live: HeldColumns) -> tuple[int, int, int]:
        # What the size alone would have taken is rounding; the rest was asked for by alignment.
        sizes = np.maximum(live.size, self.least)
        alone = np.array([1 << (size - 1).bit_length() for size in sizes.tolist()], dtype=np.int64)
        return int((live.kept - alone).sum()), 0, int((alone - live.size).sum())

    def _count(self, live: HeldColumns, size: int, alignment: int, kind: int) -> int:
        order = order_for(size, alignment, self.least)
        taken = {(start, kept) for start, kept in zip(live.start.tolist(), live.kept.tolist(), strict=True)}
        return sum(_room(offset, have, order, taken, live) for offset, have in top_blocks(self.size, self.least))


def _room(offset: int, have: int, order: int, taken: set[tuple[int, int]], live: HeldColumns) -> int:
    """Return how many blocks of ``order`` are free in the block of order ``have`` at ``offset``."""
    if have < order or (offset, 1 << have) in taken:
        return 0
    first, last = np.searchsorted(live.start, [offset, offset + (1 << have)])
    if first == last:
        return 1 << have - order
    half = 1 << have - 1
    return _room(offset, have - 1, order, taken, live) + _room(offset + half, have - 1, order, taken, live)


def _compile(core: Core) -> Core:
    from explorer.memory.allocators.buddy_compiled import BuddyCompiled

    assert isinstance(core, BuddyReference)
    return BuddyCompiled(core)
