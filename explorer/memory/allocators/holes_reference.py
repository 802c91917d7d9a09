"""First, best and worst fit in plain Python: one rule picks among the holes that live blocks leave."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable

from explorer.core.units import align_up
from explorer.errors import LayoutError
from explorer.memory.allocators.core import Held, ReferenceCore

Hole = tuple[int, int]
"""(offset, size) of a free range, in bytes."""

Order = Callable[[list[Hole]], Iterable[Hole]]
"""Puts holes in the order in which they are tried."""


def by_address(holes: list[Hole]) -> Iterable[Hole]:
    """First fit: the lowest offset first."""
    return holes


def smallest_first(holes: list[Hole]) -> Iterable[Hole]:
    """Best fit: the smallest hole first, of equal ones the lowest offset."""
    return sorted(holes, key=lambda hole: (hole[1], hole[0]))


def largest_first(holes: list[Hole]) -> Iterable[Hole]:
    """Worst fit: the largest hole first, of equal ones the lowest offset."""
    return sorted(holes, key=lambda hole: (-hole[1], hole[0]))


def place_in_hole(
    start: int, end: int, size: int, alignment: int, before: bool, after: bool, granularity: int
) -> int | None:
    """Return where a block starts in the hole ``[start, end)``, or None.

    Args:
        start: First byte of the hole.
        end: The byte after its last one.
        size: Bytes of the block.
        alignment: Power of two.
        before: Whether the block in front of the hole is of another kind.
        after: Whether the block behind the hole is of another kind.
        granularity: Page that kinds do not share; a power of two.
    """
    offset = align_up(start, alignment)
    if before and (start - 1) // granularity == offset // granularity:
        offset = align_up(offset, max(alignment, granularity))
    last = end // granularity * granularity if after else end
    return offset if offset + size <= last else None


class HolesReference(ReferenceCore):
    """Holes in offset order; every search looks at all of them.

    Args:
        size: Bytes of the range.
        order: In which order holes are tried.
        granularity: Page that kinds do not share.
    """

    def __init__(self, size: int, order: Order, granularity: int = 1) -> None:
        super().__init__()
        self.size = size
        self.order = order
        self.granularity = granularity
        self.holes: list[Hole] = [(0, size)]
        self._kind_from: dict[int, int] = {}
        self._kind_to: dict[int, int] = {}

    def plan(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the place in the first hole, in order, that can hold the request."""
        found = self._find(size, alignment, kind)
        return None if found is None else Held(found[1], size, found[1], size, kind)

    def plan_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the lowest place that can hold the request."""
        usual, self.order = self.order, by_address
        held = self.plan(size, alignment, kind)
        self.order = usual
        return held

    def take_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Hold the lowest place that can hold the request."""
        usual, self.order = self.order, by_address
        held = self.take(size, alignment, kind)
        self.order = usual
        return held

    def _find(self, size: int, alignment: int, kind: int) -> tuple[Hole, int] | None:
        for hole in self.order([hole for hole in self.holes if hole[1] >= size]):
            start, end = hole[0], hole[0] + hole[1]
            before = self._kind_to.get(start, kind) != kind
            after = self._kind_from.get(end, kind) != kind
            offset = place_in_hole(start, end, size, alignment, before, after, self.granularity)
            if offset is not None:
                return hole, offset
        return None

    def _take(self, size: int, alignment: int, kind: int) -> Held | None:
        found = self._find(size, alignment, kind)
        if found is None:
            return None
        (start, length), offset = found
        at = bisect_left(self.holes, (start, length))
        rest = [(start, offset - start), (offset + size, start + length - offset - size)]
        self.holes[at : at + 1] = [hole for hole in rest if hole[1]]
        self._kind_from[offset] = self._kind_to[offset + size] = kind
        return Held(offset, size, offset, size, kind)

    def _free(self, held: Held) -> None:
        del self._kind_from[held.start], self._kind_to[held.start + held.kept]
        start, end = held.start, held.start + held.kept
        at = bisect_left(self.holes, (start, 0))
        if at < len(self.holes) and self.holes[at][0] == end:
            end += self.holes.pop(at)[1]
        if at and sum(self.holes[at - 1]) == start:
            start = self.holes.pop(at - 1)[0]
        insort(self.holes, (start, end - start))

    def validate(self) -> None:
        """Raise LayoutError unless the holes are just what the live blocks leave."""
        end, expected = 0, list[Hole]()
        for held in sorted(self.held.values()):
            if held.start > end:
                expected.append((end, held.start - end))
            end = held.start + held.kept
        if end < self.size:
            expected.append((end, self.size - end))
        if self.holes != expected:
            raise LayoutError("the list of holes is not what the live blocks leave")

    def copy(self) -> HolesReference:
        """Return an independent copy."""
        twin = HolesReference(self.size, self.order, self.granularity)
        self._copy_held_to(twin)
        twin.holes = list(self.holes)
        twin._kind_from = dict(self._kind_from)
        twin._kind_to = dict(self._kind_to)
        return twin
