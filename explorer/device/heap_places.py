"""What lies where inside one D3D12 heap: the engine's own allocator for automatic offsets, and explicit ones."""

from __future__ import annotations

from dataclasses import dataclass, field

from explorer.core.spans import Span, gaps
from explorer.core.units import align_up
from explorer.memory.allocators import make_allocator
from explorer.memory.allocators.protocol import Allocator, Placement, Refusal


@dataclass(slots=True)
class HeapPlaces:
    """The placed resources of one heap, by resource row.

    Overlap is legal in D3D12. An automatic offset never overlaps anything; a range that an automatic offset took stays
    taken until the last resource that shares bytes with it is gone.

    Attributes:
        size: Bytes of the heap.
        allocator: Hands out automatic offsets.
        spans: Resource row → range.
        holders: Automatic offset → rows that keep the range taken.
        tiles: Block row → range that tile mappings of reserved resources use.
    """

    size: int
    allocator: Allocator
    spans: dict[int, Span] = field(default_factory=dict[int, Span])
    holders: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    tiles: dict[int, Span] = field(default_factory=dict[int, Span])

    @classmethod
    def of(cls, size: int, allocator_id: str) -> HeapPlaces:
        """Return the places of an empty heap."""
        return cls(size, make_allocator(allocator_id, size))

    def plan(self, size: int, alignment: int, kind: int) -> Placement | Refusal:
        """Return where an automatic offset would be."""
        placed = self.allocator.plan(size, alignment, kind=kind)
        if isinstance(placed, Refusal) or not self._meets_explicit(placed):
            return placed
        # Explicit ranges are unknown to the allocator: look for the first gap between everything instead.
        holes = gaps((*self.spans.values(), *self.tiles.values()), self.size)
        for hole in holes:
            offset = align_up(hole.offset, alignment)
            if offset + size <= hole.end and self._is_free_for_allocator(offset, size):
                return Placement(offset, size, kept=size)
        free = sum(hole.size for hole in holes)
        largest = max((hole.size for hole in holes), default=0)
        return Refusal(size, alignment, free, largest, 0, 0, "alloc.fragmented", kind)

    def add(self, row: int, offset: int, size: int, alignment: int, kind: int) -> list[int]:
        """Place a resource at an offset; returns the rows that it shares bytes with, in order."""
        span = Span(offset, size)
        overlapping = sorted(other for other, there in self.spans.items() if there.overlaps(span))
        planned = self.allocator.plan(size, alignment, kind=kind)
        if isinstance(planned, Placement) and planned.offset == offset and not overlapping:
            self.allocator.take(size, alignment, kind=kind)
            self.holders[offset] = {row}
        else:
            for block in self.allocator.spans():
                if Span(block.offset, block.size).overlaps(span):
                    self.holders[block.offset].add(row)
        self.spans[row] = span
        return overlapping

    def remove(self, row: int) -> None:
        """Take a resource away; ranges that nobody shares any more become free."""
        del self.spans[row]
        for offset in sorted(self.holders):
            rows = self.holders[offset]
            rows.discard(row)
            if not rows:
                self.allocator.free(offset)
                del self.holders[offset]

    def overlapping(self, row: int) -> list[int]:
        """Return the rows that share bytes with a placed one, in order."""
        span = self.spans[row]
        return sorted(other for other, there in self.spans.items() if other != row and there.overlaps(span))

    def copy(self) -> HeapPlaces:
        """Return an independent copy."""
        holders = {offset: set(rows) for offset, rows in self.holders.items()}
        return HeapPlaces(self.size, self.allocator.copy(), dict(self.spans), holders, dict(self.tiles))

    def _meets_explicit(self, placed: Placement) -> bool:
        span = Span(placed.start, placed.kept)
        return any(there.overlaps(span) for there in (*self.spans.values(), *self.tiles.values()))

    def _is_free_for_allocator(self, offset: int, size: int) -> bool:
        span = Span(offset, size)
        return not any(Span(block.offset, block.size).overlaps(span) for block in self.allocator.spans())
