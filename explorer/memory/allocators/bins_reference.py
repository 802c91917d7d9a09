"""OffsetAllocator-style bins in plain Python: free ranges in bins whose number is a small floating-point value.

A bin's number has a 5-bit exponent and a 3-bit mantissa. A request is rounded up to the next bin and takes the
newest range of the first bin from there that holds one; a free range is filed by its size rounded down. Sizes are
counted in granules, below 2^32 of them. It knows no alignment: above the granule, ``alignment - granule`` bytes are
added to the request, as a user of such an allocator has to do.

Source: S. Aaltonen, OffsetAllocator (published description); checked against recorded answers.
"""

from __future__ import annotations

from explorer.core.units import align_up, ceil_div
from explorer.memory.allocators.chain_reference import ChainReference, Node
from explorer.memory.allocators.core import Held

MANTISSA_BITS = 3


def bin_below(size: int) -> int:
    """Return the bin of a free range of ``size`` granules: rounded down."""
    if size < 1 << MANTISSA_BITS:
        return size
    shift = size.bit_length() - 1 - MANTISSA_BITS
    return (shift + 1 << MANTISSA_BITS) + (size >> shift) - (1 << MANTISSA_BITS)


def bin_above(size: int) -> int:
    """Return the first bin whose ranges all hold ``size`` granules: rounded up."""
    number = bin_below(size)
    return number if bin_floor(number) == size else number + 1


def bin_floor(number: int) -> int:
    """Return the smallest size, in granules, that is filed in a bin."""
    if number < 1 << MANTISSA_BITS:
        return number
    exponent, mantissa = number >> MANTISSA_BITS, number & (1 << MANTISSA_BITS) - 1
    return (1 << MANTISSA_BITS) + mantissa << exponent - 1


class BinsReference(ChainReference):
    """Bins over granules.

    Args:
        size: Bytes of the range; what does not fill a granule is left out.
        granule: Bytes of a granule, a power of two.
        granularity: Page that kinds do not share; above 1 every block gets pages of its own.
    """

    def __init__(self, size: int, granule: int, granularity: int = 1) -> None:
        super().__init__(size // granule)
        self.bytes = size
        self.granule = granule
        self.granularity = granularity
        self._insert(self.first)

    def list_of(self, size: int) -> int:
        """Return the bin of a free range in granules."""
        return bin_below(size)

    def is_listed(self, node: Node) -> bool:
        """Return whether a node belongs in a bin: free."""
        return not node.live

    def _empty_twin(self) -> BinsReference:
        return BinsReference(self.bytes, self.granule, self.granularity)

    def _find(self, size: int, alignment: int) -> tuple[Node, int, int] | None:
        """Return the node, the granules wanted and the alignment in force."""
        granules, alignment = granules_wanted(size, alignment, self.granule, self.granularity)
        number = self._first_filled(bin_above(granules))
        return None if number is None else (next(reversed(self.lists[number])), granules, alignment)

    def _held(self, start: int, granules: int, size: int, alignment: int, kind: int) -> Held:
        start *= self.granule
        return Held(start, granules * self.granule, align_up(start, alignment), size, kind)

    def plan(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the front of the newest range in the first bin that is large enough."""
        found = self._find(size, alignment)
        return None if found is None else self._held(found[0].offset, found[1], size, found[2], kind)

    def _take(self, size: int, alignment: int, kind: int) -> Held | None:
        found = self._find(size, alignment)
        if found is None:
            return None
        node, granules, alignment = found
        self._remove(node)
        if node.size > granules:
            taken = self._split_front(node, granules)
            self._insert(node)
        else:
            taken = node
        taken.live = True
        taken.kind = kind
        self.node_at[taken.offset] = taken
        return self._held(taken.offset, granules, size, alignment, kind)

    def _free(self, held: Held) -> None:
        node = self.node_at.pop(held.start // self.granule)
        node.live = False
        if node.before is not None and not node.before.live:
            self._remove(node.before)
            self._absorb_front(node)
        after = node.after
        if after is not None and not after.live:
            self._remove(after)
            self._absorb_front(after)
            node = after
        self._insert(node)


def granules_wanted(size: int, alignment: int, granule: int, granularity: int) -> tuple[int, int]:
    """Return how many granules a request takes, and the alignment in force."""
    if granularity > 1:
        size, alignment = align_up(size, granularity), max(alignment, granularity)
    return ceil_div(size + max(alignment, granule) - granule, granule), alignment
