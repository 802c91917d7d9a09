"""Two-level segregated fit on kernels; imports numba, so it is imported only where kernels are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.errors import LayoutError
from explorer.memory.allocators import chain_kernels as chain
from explorer.memory.allocators import tlsf_kernels as kernels
from explorer.memory.allocators.compiled import BatchColumns, CompiledCore
from explorer.memory.allocators.tlsf_reference import TLSF_STRATEGIES, TlsfReference

if TYPE_CHECKING:
    import numpy.typing as npt


class TlsfCompiled(CompiledCore):
    """The state of a ``TlsfReference``, blocks and order of lists included, in tables."""

    def __init__(self, reference: TlsfReference) -> None:
        blocks = reference.nodes()
        row_of = {block: row for row, block in enumerate(blocks)}
        nodes = np.zeros((len(blocks) + 16, 8), dtype=np.int64)
        slots = np.full(max(reference.slots, default=-1) + 1, -1, dtype=np.int64)
        state = np.zeros(8, dtype=np.int64)
        state[chain.UNUSED] = -1
        state[chain.FRESH] = len(blocks)
        state[chain.LAST] = len(blocks) - 1
        state[chain.LIVE_COUNT] = len(reference.held)
        state[chain.SMALL_STEP] = reference.small_step
        state[chain.OPTION] = TLSF_STRATEGIES.index(reference.strategy)
        state[chain.GRANULARITY] = reference.granularity
        for block, row in row_of.items():
            after = row + 1 if row + 1 < len(blocks) else -1
            slot = reference.slot_of.get(block.offset, -1)
            nodes[row] = (block.offset, block.size, row - 1, after, -1, -1, -1, -1)
            if block.live:
                nodes[row, [chain.PREVIOUS, chain.KIND, chain.SLOT]] = (chain.LIVE, block.kind, slot)
                if slot >= 0:
                    slots[slot] = row
        super().__init__(nodes, state, slots)
        self.heads = np.full(kernels.LISTS, -1, dtype=np.int64)
        self.words = np.zeros(65, dtype=np.int64)
        for entries in reference.lists.values():
            for block in entries:
                kernels.insert(nodes, self.heads, self.words, reference.small_step, row_of[block])

    def _find(self, size: int, alignment: int, kind: int) -> tuple[int, int]:
        return kernels.find(self.nodes, self.heads, self.words, self.state, size, alignment, kind)

    def _take(self, size: int, alignment: int, kind: int) -> int:
        return kernels.take(self.nodes, self.heads, self.words, self.state, size, alignment, kind, -1)

    def _free(self, node: int) -> None:
        kernels.free(self.nodes, self.heads, self.words, self.state, node)

    def _collect(self, table: npt.NDArray[np.int64]) -> None:
        chain.collect(self.nodes, int(self.state[chain.LAST]), table)

    def _replay(self, batch: BatchColumns) -> int:
        return kernels.replay(
            self.nodes, self.heads, self.words, self.state, self.slots, *batch.inputs,
            batch.offsets, batch.event, batch.start, batch.kept,
        )  # fmt: skip

    def validate(self) -> None:
        """Raise LayoutError when blocks or lists contradict themselves."""
        super().validate()
        listed = 0
        for number, head in enumerate(self.heads.tolist()):
            before, node = -1, head
            while node >= 0:
                size = int(self.nodes[node, chain.SIZE])
                right_list = kernels.list_of(size, int(self.state[chain.SMALL_STEP])) == number
                if not right_list or int(self.nodes[node, chain.PREVIOUS]) != before:
                    raise LayoutError("a list holds a block of another class", where="list", found=number)
                before, node, listed = node, int(self.nodes[node, chain.NEXT]), listed + 1
            if (head >= 0) != (kernels.next_bit(self.words, number) == number):
                raise LayoutError("the bit map contradicts the lists", where="list", found=number)
        free = len(self._free_offsets())
        if listed != free:
            raise LayoutError("the lists do not hold just the free blocks", found=(listed, free))

    def _free_offsets(self) -> list[int]:
        """Return the offsets of the free blocks but the top."""
        found: list[int] = []
        node = int(self.nodes[int(self.state[chain.LAST]), chain.BEFORE])
        while node >= 0:
            if int(self.nodes[node, chain.PREVIOUS]) != chain.LIVE:
                found.append(int(self.nodes[node, chain.OFFSET]))
            node = int(self.nodes[node, chain.BEFORE])
        return found
