"""Fragmentation figures with their formulae, exact; waste by cause; bytes under at least one span."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from explorer.core.units import align_up
from explorer.memory.kernels import kernels_ready

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.memory.allocators.protocol import Allocator

FORMULAE = {
    "largest_free_ratio": "1 − largest / free",
    "square_ratio": "1 − Σ free² / (Σ free)²",
    "would_fit": "how many more blocks of a size and alignment would fit",
}
"""Figure → formula, as shown beside it."""


@dataclass(frozen=True, slots=True)
class Fragmentation:
    """The figures of a set of holes; 0 where nothing is free.

    Attributes:
        free_bytes: Bytes in holes.
        largest_bytes: The largest hole.
        holes: How many there are.
        largest_free_ratio: 1 − largest / free, exact.
        square_ratio: 1 − Σ free² / (Σ free)², exact.
    """

    free_bytes: int
    largest_bytes: int
    holes: int
    largest_free_ratio: Fraction
    square_ratio: Fraction


def fragmentation(hole_sizes: Sequence[int] | npt.NDArray[np.int64]) -> Fragmentation:
    """Return the figures of holes with these sizes (bytes, each > 0), of one heap or of several together."""
    sizes = [int(size) for size in hole_sizes]
    free, largest = sum(sizes), max(sizes, default=0)
    if free == 0:
        return Fragmentation(0, 0, 0, Fraction(0), Fraction(0))
    squares = sum(size * size for size in sizes)
    return Fragmentation(free, largest, len(sizes), 1 - Fraction(largest, free), 1 - Fraction(squares, free * free))


@dataclass(frozen=True, slots=True)
class ExternalWaste:
    """What holes are worth for one size and alignment.

    Attributes:
        would_fit: Blocks that would still fit.
        usable_bytes: Bytes that they would take.
        wasted_bytes: Free bytes that are left then.
        ideal_fit: Blocks that would fit if all free bytes were one hole at an aligned place.
    """

    would_fit: int
    usable_bytes: int
    wasted_bytes: int
    ideal_fit: int


def external_waste(allocator: Allocator, size: int, alignment: int = 1) -> ExternalWaste:
    """Return what the holes of an allocator are worth for blocks of ``size`` bytes.

    Raises:
        InputError: Size not positive, or alignment not a power of two.
    """
    count = allocator.would_fit(size, alignment)
    free = allocator.report().free
    ideal = 0 if free < size else (free - size) // align_up(size, alignment) + 1
    return ExternalWaste(count, count * size, free - count * size, ideal)


@dataclass(frozen=True, slots=True)
class Waste:
    """Bytes of a range that serve no resource, by cause.

    Attributes:
        alignment: Held or left open in front of a block because of its alignment.
        granularity: Held to keep kinds apart.
        rounding: Held because sizes are rounded up.
        tail: At the end of the range, never handed out.
        gaps: Holes between blocks that are too small for the block behind them to have caused them.
        unused: The free end of the range.
    """

    alignment: int
    granularity: int
    rounding: int
    tail: int
    gaps: int
    unused: int

    @property
    def total(self) -> int:
        """All of them together: ``size − used``."""
        return self.alignment + self.granularity + self.rounding + self.tail + self.gaps + self.unused


def waste_by_cause(allocator: Allocator, alignment_of: dict[int, int] | None = None) -> Waste:
    """Return the bytes that serve no resource, by cause; they add up to ``size − used``.

    Args:
        allocator: Whose range.
        alignment_of: Offset of a resource → its alignment in bytes. A hole right in front of such a block, smaller
            than its alignment, counts as alignment: it may have been split off for it. None counts none so.
    """
    report = allocator.report()
    blocks = {block.start: block.offset for block in allocator.spans()}
    end = allocator.size - report.tail
    aligned = gaps = unused = 0
    for hole in allocator.holes():
        offset = blocks.get(hole.end)
        wanted = 1 if alignment_of is None or offset is None else alignment_of.get(offset, 1)
        if hole.end == end:
            unused += hole.size
        elif hole.size < wanted:
            aligned += hole.size
        else:
            gaps += hole.size
    return Waste(report.alignment + aligned, report.granularity, report.rounding, report.tail, gaps, unused)


def union_bytes_of_columns(offsets: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> int:
    """Return how many bytes lie under at least one span: aliased bytes count once.

    Args:
        offsets: Shape (n,), int64, in any order.
        sizes: Shape (n,), int64, >= 0.
    """
    order = np.argsort(offsets, kind="stable")
    starts = offsets[order]
    ends = starts + sizes[order]
    if kernels_ready():
        from explorer.memory.fragmentation_kernels import union_bytes_sorted

        return int(union_bytes_sorted(starts, ends))
    if len(starts) == 0:
        return 0
    reached = np.maximum.accumulate(ends)
    covered = np.append(starts[0], reached[:-1])
    return int(np.maximum(ends - np.maximum(starts, covered), 0).sum())


def warm_up_fragmentation() -> None:
    """Compile the kernel of this module."""
    from explorer.memory.fragmentation_kernels import union_bytes_sorted

    column = np.zeros(1, dtype=np.int64)
    union_bytes_sorted(column, column)
