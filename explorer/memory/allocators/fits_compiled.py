"""Best, worst and first fit on kernels; imports numba, so it is imported only where kernels are used."""

from __future__ import annotations

import numpy as np

from explorer.memory.allocators import chain_kernels as chain
from explorer.memory.allocators import fits_kernels as kernels
from explorer.memory.allocators.compiled import BatchColumns, CompiledCore
from explorer.memory.allocators.holes_reference import HolesReference, by_address, smallest_first
from explorer.memory.allocators.slotted_rows import grown


class FitsCompiled(CompiledCore):
    """The state of a ``HolesReference`` in tables.

    Args:
        reference: What is held.
        one_tree: Best fit only: a single treap instead of classes (slower; to be measured against).
    """

    def __init__(self, reference: HolesReference, *, one_tree: bool = False) -> None:
        slot_of = reference.slot_of
        blocks = [(h.start, h.kept, h.kind, slot_of.get(h.offset, -1)) for h in reference.held.values()]
        blocks += [(offset, size, -1, -1) for offset, size in reference.holes]
        # Larger ranges hold more holes: classes grow with them, small heaps stay small.
        range_bits = reference.size.bit_length()
        mantissa = min(max(range_bits - 25, 3), 8)
        classes = int(kernels.size_class(reference.size, mantissa)) + 1
        super().__init__(sorted(blocks), reference.granularity, classes)
        self.peaks = np.full(len(self.rows), chain.ENDLESS, dtype=np.int64)
        self.stack = np.zeros(kernels.STACK_ROWS, dtype=np.int64)
        if reference.order is smallest_first:
            order = kernels.BEST_ONE_TREE if one_tree else kernels.BEST
        else:
            order = kernels.FIRST if reference.order is by_address else kernels.WORST
        self.state[chain.OPTION] = order
        self.state[chain.MANTISSA] = mantissa
        self.state[chain.SHIFT] = max(0, range_bits - (len(self.heads).bit_length() - 1))
        for row in range(int(self.state[chain.FRESH])):
            if int(self.links[row, chain.PREVIOUS]) > chain.LIVE:
                kernels.insert(*self.tables, self.peaks, row)

    def _find(self, size: int, alignment: int, kind: int) -> tuple[int, int]:
        return kernels.find(*self.tables, self.peaks, self.stack, size, alignment, kind)

    def _take(self, size: int, alignment: int, kind: int) -> int:
        return kernels.take(*self.tables, self.peaks, self.stack, size, alignment, kind, -1)

    def _commit(self, row: int, offset: int, size: int, kind: int) -> int:
        return kernels.commit(*self.tables, self.peaks, row, offset, size, kind, -1)

    def _free(self, row: int) -> None:
        kernels.free(*self.tables, self.peaks, row)

    def _replay(self, batch: BatchColumns) -> int:
        return kernels.replay(*self.tables, self.peaks, self.stack, self.slots, *batch.columns)

    def _make_room(self, takes: int) -> None:
        super()._make_room(takes)
        self.peaks = grown(self.peaks, len(self.rows), fill=chain.ENDLESS)

    def _class_of(self, row: int) -> int:
        offset, size = (int(value) for value in self.rows[row, : chain.SIZE + 1])
        return int(kernels.class_of(offset, size, self.state))

    def _members(self, number: int, head: int) -> list[int]:
        found: list[int] = []
        stack = [head] if head >= 0 else []
        while stack:
            row = stack.pop()
            found.append(row)
            stack += [child for child in self.links[row, [chain.PREVIOUS, chain.NEXT]].tolist() if child >= 0]
        return found
