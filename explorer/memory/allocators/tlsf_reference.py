"""Two-level segregated fit in plain Python, with the classes and the search order of VMA and D3D12MA 3.x.

Free blocks stand in lists by size: a first level for each power of two above 256 bytes, cut into 32 equal
second-level classes; sizes up to 256 bytes have small classes of their own. The last free range of the block (the
"top") stands in no list. A list is tried newest first. What the strategies try, in order:

- ``balanced``: the first list that surely fits, the top, the list of the size itself, then all larger lists.
- ``min-memory``: the list of the size itself, the top, the first list that surely fits, all larger ones.
- ``min-time``: one block of the first list that surely fits, the top, the rest of that list, the list of the size
  itself, all larger ones.
- ``min-offset``: every free block by address.

Sources: Masmano et al., "TLSF: a new dynamic memory allocator for real-time systems" (ECRTS 2004); the documentation
of VulkanMemoryAllocator and D3D12MemoryAllocator; the order within lists follows from recorded answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.memory.allocators.chain_reference import ChainReference, Node
from explorer.memory.allocators.core import Held
from explorer.memory.allocators.holes_reference import place_in_hole

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALL_BYTES = 256
SECOND_LEVEL_BITS = 5
CLASSES = 1 << SECOND_LEVEL_BITS
TLSF_STRATEGIES = ("balanced", "min-memory", "min-time", "min-offset")
"""Order of the strategy numbers of the kernel."""


def tlsf_list_of(size: int, small_step: int) -> int:
    """Return the number of the list for free blocks of ``size`` bytes.

    Args:
        size: Bytes, > 0.
        small_step: Width in bytes of the classes up to 256 bytes: 8 in virtual blocks, 64 in blocks of memory.
    """
    if size <= SMALL_BYTES:
        return (size - 1) // small_step
    top_bit = size.bit_length() - 1
    within = (size >> (top_bit - SECOND_LEVEL_BITS)) - CLASSES
    return SMALL_BYTES // small_step + (top_bit - 8) * CLASSES + within


def tlsf_sure_size(size: int, small_step: int) -> int:
    """Return a size whose list holds only blocks of at least ``size`` bytes."""
    if size > SMALL_BYTES:
        return size + (1 << (size.bit_length() - 1 - SECOND_LEVEL_BITS))
    if size > SMALL_BYTES - small_step:
        return SMALL_BYTES + 1
    return size + small_step


class TlsfReference(ChainReference):
    """Two-level segregated fit; see the module for the order of the search.

    Args:
        size: Bytes of the range.
        strategy: One of ``TLSF_STRATEGIES``.
        small_step: Width in bytes of the classes up to 256 bytes.
        granularity: Page that kinds do not share.
    """

    def __init__(self, size: int, strategy: str = "balanced", small_step: int = 8, granularity: int = 1) -> None:
        super().__init__(size)
        self.strategy = strategy
        self.small_step = small_step
        self.granularity = granularity

    def list_of(self, size: int) -> int:
        """Return the number of the list for free blocks of a size in bytes."""
        return tlsf_list_of(size, self.small_step)

    def is_listed(self, node: Node) -> bool:
        """Return whether a node belongs in a list: free, and not the top."""
        return not node.live and node is not self.last

    def _empty_twin(self) -> TlsfReference:
        return TlsfReference(self.size, self.strategy, self.small_step, self.granularity)

    def plan(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the place that the strategy finds first."""
        found = self._find(size, alignment, kind)
        return None if found is None else Held(found[1], size, found[1], size, kind)

    def plan_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the lowest place that can hold the request."""
        usual, self.strategy = self.strategy, "min-offset"
        held = self.plan(size, alignment, kind)
        self.strategy = usual
        return held

    def take_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Hold the lowest place that can hold the request."""
        usual, self.strategy = self.strategy, "min-offset"
        held = self.take(size, alignment, kind)
        self.strategy = usual
        return held

    def _candidates(self, size: int) -> Iterator[Node]:
        if self.strategy == "min-offset":
            node: Node | None = self.first
            while node is not None:
                if not node.live:
                    yield node
                node = node.after
            return
        sure = self._first_filled(tlsf_list_of(tlsf_sure_size(size, self.small_step), self.small_step))
        own = self._first_filled(tlsf_list_of(size, self.small_step))
        if self.strategy == "min-memory":
            yield from self._list(own)
        elif self.strategy == "balanced":
            yield from self._list(sure)
        elif sure is not None:
            yield next(self._list(sure))
        yield self.last
        if self.strategy != "balanced":
            yield from self._list(sure)
        if self.strategy != "min-memory":
            yield from self._list(own)
        while sure is not None:
            sure = self._first_filled(sure + 1)
            yield from self._list(sure)

    def _find(self, size: int, alignment: int, kind: int) -> tuple[Node, int] | None:
        for node in self._candidates(size):
            if node.size < size:
                continue
            before = node.before is not None and node.before.live and node.before.kind != kind
            after = node.after is not None and node.after.live and node.after.kind != kind
            end = node.offset + node.size
            offset = place_in_hole(node.offset, end, size, alignment, before, after, self.granularity)
            if offset is not None:
                return node, offset
        return None

    def _take(self, size: int, alignment: int, kind: int) -> Held | None:
        found = self._find(size, alignment, kind)
        if found is None:
            return None
        node, offset = found
        is_top = node is self.last
        if not is_top:
            self._remove(node)
        if offset > node.offset:
            # Never joined to a free block in front: free neighbours do not exist.
            self._insert(self._split_front(node, offset - node.offset))
        if is_top or node.size > size:
            taken = self._split_front(node, size)
            if not is_top:
                self._insert(node)
        else:
            taken = node
        taken.live = True
        taken.kind = kind
        self.node_at[offset] = taken
        return Held(offset, size, offset, size, kind)

    def _free(self, held: Held) -> None:
        node = self.node_at.pop(held.start)
        node.live = False
        if node.before is not None and not node.before.live:
            self._remove(node.before)
            self._absorb_front(node)
        after = node.after
        assert after is not None  # the top is behind every live block
        if after.live:
            self._insert(node)
            return
        if after is not self.last:
            self._remove(after)
        self._absorb_front(after)
        if after is not self.last:
            self._insert(after)
