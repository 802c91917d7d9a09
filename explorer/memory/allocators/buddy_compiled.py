"""Buddy system on kernels; imports numba, so it is imported only where kernels are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.errors import LayoutError
from explorer.memory.allocators import buddy_kernels as kernels
from explorer.memory.allocators import chain_kernels as chain
from explorer.memory.allocators.compiled import BatchColumns, CompiledCore
from explorer.memory.allocators.core import Held, HeldColumns
from explorer.memory.allocators.slotted_rows import grown

if TYPE_CHECKING:
    from explorer.memory.allocators.buddy_reference import BuddyReference


class BuddyCompiled(CompiledCore):
    """The state of a ``BuddyReference``, order of lists included, in tables."""

    def __init__(self, reference: BuddyReference) -> None:
        slot_of = reference.slot_of
        blocks = [(h.start, h.kept, h.kind, slot_of.get(h.offset, -1)) for h in reference.held.values()]
        free = [(offset, 1 << order) for order, offsets in enumerate(reference.lists) for offset in offsets]
        blocks += [(offset, size, -1, -1) for offset, size in free]
        blocks.sort()
        super().__init__(blocks, 1, reference.size.bit_length() + 1)
        self.state[kernels.LEAST] = reference.least
        self.asked = np.zeros(len(self.rows), dtype=np.int64)
        row_at = {block[0]: row for row, block in enumerate(blocks)}
        for held in reference.held.values():
            self.asked[row_at[held.start]] = held.size
        for offset, _ in free:
            kernels.insert(*self.tables[:4], row_at[offset])

    def _find(self, size: int, alignment: int, kind: int) -> tuple[int, int]:
        row = int(kernels.find(self.heads, self.words, self.state, size, alignment))
        return row, int(self.rows[row, chain.OFFSET]) if row >= 0 else -1

    def _take(self, size: int, alignment: int, kind: int) -> int:
        return kernels.take(*self.tables[:4], self.state, self.asked, size, alignment, kind, -1)

    def _free(self, row: int) -> None:
        kernels.free(*self.tables[:4], self.state, row)

    def _replay(self, batch: BatchColumns) -> int:
        return kernels.replay(*self.tables[:4], self.state, self.asked, self.slots, *batch.columns)

    def plan(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the place that ``take`` would choose; None refuses."""
        held = super().plan(size, alignment, kind)
        order = int(kernels.order_for(size, alignment, int(self.state[kernels.LEAST])))
        return None if held is None else held._replace(kept=1 << order)

    def take(self, size: int, alignment: int, kind: int) -> Held | None:
        """Hold a place for a checked request; None refuses."""
        held = super().take(size, alignment, kind)
        order = int(kernels.order_for(size, alignment, int(self.state[kernels.LEAST])))
        return None if held is None else held._replace(kept=1 << order)

    def plan_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return what ``plan`` does: this allocator places only where it chooses."""
        return self.plan(size, alignment, kind)

    def take_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Hold what ``take`` does: this allocator places only where it chooses."""
        return self.take(size, alignment, kind)

    def columns(self) -> HeldColumns:
        """Return what is held, in offset order."""
        held = super().columns()
        return HeldColumns(held.start, held.kept, held.offset, self.asked[self._table()[:, 0]], held.kind)

    def validate(self) -> None:
        """Raise LayoutError when blocks or lists contradict themselves."""
        free = self.free_rows(joined=False)
        offsets = {int(self.rows[row, chain.OFFSET]): int(self.rows[row, chain.SIZE]) for row in free}
        if any(offsets.get(offset ^ size) == size for offset, size in offsets.items()):
            raise LayoutError("two free buddies were not joined")
        listed = [row for number, head in enumerate(self.heads.tolist()) for row in self._members(number, head)]
        if sorted(listed) != sorted(free):
            raise LayoutError("the lists do not hold just the free blocks")

    def _class_of(self, row: int) -> int:
        return int(self.rows[row, chain.SIZE]).bit_length() - 1

    def _make_room(self, takes: int) -> None:
        # A take may cut a block once for each order, but there are never more blocks than smallest ones.
        least = int(self.state[kernels.LEAST])
        most = int(self.rows[int(self.state[chain.LAST]), : chain.SIZE + 1].sum()) // least + len(self.heads)
        self.rows = grown(self.rows, min(int(self.state[chain.FRESH]) + takes * len(self.heads), most) + 4)
        self.asked = grown(self.asked, len(self.rows))
