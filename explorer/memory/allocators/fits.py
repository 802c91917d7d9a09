"""The allocators ``best-fit``, ``first-fit`` and ``worst-fit``: one hole is picked by size or address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.memory.allocators.holes_reference import (
    HolesReference,
    Order,
    by_address,
    largest_first,
    smallest_first,
)
from explorer.memory.allocators.ranges import RangeAllocator, check_range

if TYPE_CHECKING:
    from explorer.memory.allocators.core import Core


class _FitAllocator(RangeAllocator):
    def __init__(self, allocator_id: str, size: int, order: Order, granularity: int, least: int) -> None:
        check_range(size, granularity)
        core = HolesReference(size, order, granularity)
        super().__init__(allocator_id, size, core, compile_core=_compile, granularity=granularity, least=least)


def _compile(core: Core) -> Core:
    from explorer.memory.allocators.fits_compiled import FitsCompiled

    assert isinstance(core, HolesReference)
    return FitsCompiled(core)


class BestFitAllocator(_FitAllocator):
    """The smallest hole that can hold the block; of equal ones the lowest offset."""

    def __init__(self, size: int, *, granularity: int = 1, least: int = 1) -> None:
        super().__init__("best-fit", size, smallest_first, granularity, least)


class FirstFitAllocator(_FitAllocator):
    """The hole at the lowest offset that can hold the block."""

    def __init__(self, size: int, *, granularity: int = 1, least: int = 1) -> None:
        super().__init__("first-fit", size, by_address, granularity, least)


class WorstFitAllocator(_FitAllocator):
    """The largest hole that can hold the block; of equal ones the lowest offset."""

    def __init__(self, size: int, *, granularity: int = 1, least: int = 1) -> None:
        super().__init__("worst-fit", size, largest_first, granularity, least)
