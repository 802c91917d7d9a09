"""The allocator ``offset-bins``: floating-point size bins as in OffsetAllocator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.units import is_power_of_two
from explorer.errors import InputError
from explorer.memory.allocators.bins_reference import BinsReference, bin_above, bin_floor, granules_wanted
from explorer.memory.allocators.ranges import RangeAllocator, check_range

if TYPE_CHECKING:
    from explorer.memory.allocators.core import Core, HeldColumns

DEFAULT_GRANULE = 256
"""Bytes; constant-buffer alignment, the smallest placement that D3D12 engines count in."""


class OffsetBinsAllocator(RangeAllocator):
    """Bins by a 3-bit mantissa and a 5-bit exponent, over granules counted in 32 bits.

    Args:
        size: Bytes of the range.
        granule: Bytes that are counted as one, a power of two; None takes 256 bytes, 1 for ranges below 64 KiB, and
            more where the range would not stay below 2^32 granules.
        granularity: Page that blocks of different kinds never share.
    """

    def __init__(self, size: int, *, granule: int | None = None, granularity: int = 1) -> None:
        check_range(size, granularity)
        if granule is None:
            granule = DEFAULT_GRANULE if size >= 65536 else 1
            while size // granule >= 0xFFFFFFFE:
                granule *= 2
        if not is_power_of_two(granule) or not 1 <= size // granule < 0xFFFFFFFE:
            raise InputError("the range must have 1 to 2^32 - 3 granules", where="granule", found=granule)
        if granularity >= 1 << 31:
            raise InputError("pages must be smaller than 2 GiB", where="granularity", found=granularity)
        self.granule = granule
        core = BinsReference(size, granule, granularity)
        super().__init__("offset-bins", size, core, compile_core=_compile, granularity=granularity)

    @property
    def tail_bytes(self) -> int:
        """Bytes at the end that do not fill a granule."""
        return self.size % self.granule

    def _padding(self, live: HeldColumns) -> tuple[int, int, int]:
        page = max(self.granule, self.granularity)
        rounding = int(((-live.size) & (self.granule - 1)).sum())
        kinds = int(((-live.size) & (page - 1)).sum()) - rounding
        return int((live.kept - live.size).sum()) - rounding - kinds, kinds, rounding

    def _count(self, live: HeldColumns, size: int, alignment: int, kind: int) -> int:
        # Free ranges do not join while blocks are taken, so each is cut until its bin is too low.
        granules, _ = granules_wanted(size, alignment, self.granule, self.granularity)
        least = bin_floor(bin_above(granules))
        starts, ends = self._hole_columns(live)
        sizes = (ends - starts) // self.granule
        return int(((sizes[sizes >= least] - least) // granules + 1).sum())


def _compile(core: Core) -> Core:
    from explorer.memory.allocators.bins_compiled import BinsCompiled

    assert isinstance(core, BinsReference)
    return BinsCompiled(core)
