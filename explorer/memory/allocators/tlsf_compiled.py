"""Two-level segregated fit on kernels; imports numba, so it is imported only where kernels are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.memory.allocators import chain_kernels as chain
from explorer.memory.allocators import tlsf_kernels as kernels
from explorer.memory.allocators.compiled import BatchColumns, CompiledCore
from explorer.memory.allocators.tlsf_reference import TLSF_STRATEGIES, TlsfReference

if TYPE_CHECKING:
    from explorer.memory.allocators.chain_reference import Node


class TlsfCompiled(CompiledCore):
    """The state of a ``TlsfReference``, blocks and order of lists included, in tables."""

    def __init__(self, reference: TlsfReference) -> None:
        nodes = reference.nodes()
        row_of: dict[Node, int] = {node: row for row, node in enumerate(nodes)}
        slot_of = reference.slot_of
        super().__init__(
            [(n.offset, n.size, n.kind if n.live else -1, slot_of.get(n.offset, -1) if n.live else -1) for n in nodes],
            reference.granularity,
            reference.list_of(reference.size) + 1,
        )
        self.state[chain.SMALL_STEP] = reference.small_step
        self.state[chain.OPTION] = TLSF_STRATEGIES.index(reference.strategy)
        for entries in reference.lists.values():
            for node in entries:
                kernels.insert(*self.tables, row_of[node])

    def _find(self, size: int, alignment: int, kind: int) -> tuple[int, int]:
        return kernels.find(*self.tables, size, alignment, kind)

    def _take(self, size: int, alignment: int, kind: int) -> int:
        return kernels.take(*self.tables, size, alignment, kind, -1)

    def _commit(self, row: int, offset: int, size: int, kind: int) -> int:
        return kernels.commit(*self.tables, row, offset, size, kind, -1)

    def _free(self, row: int) -> None:
        kernels.free(*self.tables, row)

    def _replay(self, batch: BatchColumns) -> int:
        return kernels.replay(*self.tables, self.slots, *batch.columns)

    def _class_of(self, row: int) -> int:
        return int(kernels.list_of(int(self.rows[row, chain.SIZE]), int(self.state[chain.SMALL_STEP])))

    def _listed(self, free: list[int]) -> int:
        # The top stands in no list.
        return len(free) - (int(self.state[chain.LAST]) in free)
