"""Buddy system in plain Python: blocks are powers of two, halved on the way down and joined on the way up.

A range that is no power of two is cut into falling powers of two, each at a multiple of its own size. A free list is
tried newest first; of two halves the lower one is cut further.

Source: D. Knuth, The Art of Computer Programming 1, 2.5.
"""

from __future__ import annotations

from explorer.errors import LayoutError
from explorer.memory.allocators.core import Held, ReferenceCore


def order_for(size: int, alignment: int, least: int) -> int:
    """Return log2 of the block that holds a request: a block is aligned to its own size."""
    return (max(size, alignment, least) - 1).bit_length()


def top_blocks(size: int, least: int) -> list[tuple[int, int]]:
    """Return (offset, order) of the blocks that a range of ``size`` bytes starts with."""
    found: list[tuple[int, int]] = []
    offset = 0
    while size - offset >= least:
        order = (size - offset).bit_length() - 1
        found.append((offset, order))
        offset += 1 << order
    return found


class BuddyReference(ReferenceCore):
    """Free blocks by order, newest last.

    Args:
        size: Bytes of the range; what is left behind the last whole block is never used.
        least: Bytes of the smallest block, a power of two.
    """

    def __init__(self, size: int, least: int) -> None:
        super().__init__()
        self.size = size
        self.least = least
        self.lists: list[dict[int, None]] = [{} for _ in range(size.bit_length() + 1)]
        for offset, order in top_blocks(size, least):
            self.lists[order][offset] = None

    def _find(self, size: int, alignment: int) -> tuple[int, int] | None:
        order = order_for(size, alignment, self.least)
        for found in range(order, len(self.lists)):
            if self.lists[found]:
                return found, order
        return None

    def plan(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the lower end of the newest block of the smallest order that is large enough."""
        found = self._find(size, alignment)
        if found is None:
            return None
        offset = next(reversed(self.lists[found[0]]))
        return Held(offset, 1 << found[1], offset, size, kind)

    def _take(self, size: int, alignment: int, kind: int) -> Held | None:
        found = self._find(size, alignment)
        if found is None:
            return None
        have, order = found
        offset, _ = self.lists[have].popitem()
        while have > order:
            have -= 1
            self.lists[have][offset + (1 << have)] = None
        return Held(offset, 1 << order, offset, size, kind)

    def _free(self, held: Held) -> None:
        offset, order = held.start, held.kept.bit_length() - 1
        while order < len(self.lists) - 1 and offset ^ 1 << order in self.lists[order]:
            del self.lists[order][offset ^ 1 << order]
            offset &= ~(1 << order)
            order += 1
        self.lists[order][offset] = None

    def validate(self) -> None:
        """Raise LayoutError unless free and live blocks tile the range and no two buddies are free."""
        blocks = [(held.start, held.kept) for held in self.held.values()]
        for order, offsets in enumerate(self.lists):
            if any(offset ^ 1 << order in offsets for offset in offsets):
                raise LayoutError("two free buddies were not joined", where="order", found=order)
            blocks += [(offset, 1 << order) for offset in offsets]
        end = 0
        for offset, size in sorted(blocks):
            if offset != end or offset % size:
                raise LayoutError("blocks do not tile the range", where="offset", found=offset)
            end = offset + size
        if not 0 <= self.size - end < self.least:
            raise LayoutError("blocks do not reach the end of the range", where="offset", found=end)

    def copy(self) -> BuddyReference:
        """Return an independent copy, lists in the same order."""
        twin = BuddyReference(self.size, self.least)
        self._copy_held_to(twin)
        twin.lists = [dict(entries) for entries in self.lists]
        return twin
