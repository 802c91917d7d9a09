"""OffsetAllocator-style bins on kernels; imports numba, so it is imported only where kernels are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.units import align_up
from explorer.errors import LayoutError
from explorer.memory.allocators import bins_kernels as kernels
from explorer.memory.allocators.bins_reference import BinsReference, granules_wanted
from explorer.memory.allocators.compiled import BatchColumns, survey_columns
from explorer.memory.allocators.core import Held, HeldColumns
from explorer.memory.allocators.slotted_rows import SlottedRows

if TYPE_CHECKING:
    from explorer.memory.allocators.protocol import Column, Operations, ReplayResult, Survey

_NONE = kernels.NONE


class BinsCompiled(SlottedRows):
    """The state of a ``BinsReference``, blocks and order of bins included, in tables."""

    compiled = True
    offset_column = 3

    def __init__(self, reference: BinsReference) -> None:
        blocks = reference.nodes()
        row_of = {block: row for row, block in enumerate(blocks)}
        self.rows = np.zeros((len(blocks) + 16, 8), dtype=np.uint32)
        self.heads = np.full(256, -1, dtype=np.int64)
        self.words = np.zeros(65, dtype=np.int64)
        super().__init__(np.full(max(reference.slots, default=-1) + 1, -1, dtype=np.int64))
        self.state = np.array(
            [-1, len(blocks), len(reference.held), reference.granule, reference.granularity, len(blocks) - 1],
            dtype=np.int64,
        )
        held_at = {held.start // reference.granule: held for held in reference.held.values()}
        for block, row in row_of.items():
            before = row - 1 if row else _NONE
            after = row + 1 if row + 1 < len(blocks) else _NONE
            self.rows[row] = (block.offset, block.size, before, after, _NONE, _NONE, 0, 0)
            if block.live:
                held = held_at[block.offset]
                slot = reference.slot_of.get(held.offset, -1)
                alignment = _alignment_of(held, reference.granule)
                rounding = held.kept - held.size - (alignment - reference.granule)
                marks = alignment.bit_length() - 1 + (block.kind << 6)
                self.rows[row, kernels.PREVIOUS :] = (kernels.LIVE, rounding, marks, slot + 1)
                if slot >= 0:
                    self.slots[slot] = row
        for entries in reference.lists.values():
            for block in entries:
                kernels.insert(self.rows, self.heads, self.words, row_of[block])

    def plan(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the place that ``take`` would choose; None refuses."""
        granule, page = int(self.state[kernels.GRANULE]), int(self.state[kernels.GRANULARITY])
        granules, alignment = granules_wanted(size, alignment, granule, page)
        row = int(kernels.find(self.heads, self.words, granules))
        if row < 0:
            return None
        start = int(self.rows[row, kernels.OFFSET]) * granule
        return Held(start, granules * granule, align_up(start, alignment), size, kind)

    def take(self, size: int, alignment: int, kind: int) -> Held | None:
        """Hold a place for a checked request; None refuses."""
        planned = self.plan(size, alignment, kind)
        if planned is None:
            return None
        self._make_room(1)
        row = int(kernels.take(self.rows, self.heads, self.words, self.state, size, alignment, kind, -1))
        self._note_take(planned.offset, row)
        return planned

    def plan_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return what ``plan`` does: this allocator places only where it chooses."""
        return self.plan(size, alignment, kind)

    def take_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Hold what ``take`` does: this allocator places only where it chooses."""
        return self.take(size, alignment, kind)

    def _offset_of(self, row: int) -> int:
        start = int(self.rows[row, kernels.OFFSET]) * int(self.state[kernels.GRANULE])
        return align_up(start, 1 << (int(self.rows[row, kernels.MARKS]) & 63))

    def _mark_slot(self, row: int, slot: int) -> None:
        self.rows[row, kernels.SLOT] = slot + 1

    def _let_go(self, row: int, offset: int) -> Held:
        granule = int(self.state[kernels.GRANULE])
        start, kept, marks, slot = (
            int(self.rows[row, column]) for column in (kernels.OFFSET, kernels.SIZE, kernels.MARKS, kernels.SLOT)
        )
        asked = int(kernels.asked_bytes(self.rows, row, granule))
        held = Held(start * granule, kept * granule, offset, asked, marks >> 6)
        if slot:
            self.slots[slot - 1] = -1
        kernels.free(self.rows, self.heads, self.words, self.state, row)
        return held

    def columns(self) -> HeldColumns:
        """Return what is held, in offset order."""
        table = self._table()
        return HeldColumns(*(np.ascontiguousarray(table[:, column]) for column in range(1, 6)))

    def replay(self, operations: Operations, survey: Survey, *, events: bool) -> ReplayResult:
        """Apply checked operations in one kernel call."""
        self._make_room(survey.takes)
        self._begin_batch(survey.slots)
        batch = BatchColumns(operations, events)
        starts = np.empty(len(operations), dtype=np.int64)
        answer = kernels.replay(
            self.rows, self.heads, self.words, self.state, self.slots, *batch.inputs,
            batch.offsets, starts, batch.event, batch.start, batch.kept,
        )  # fmt: skip
        return batch.result(int(answer), operations, starts)

    def survey(self, operations: Operations) -> Survey:
        """Check the operations; InputError where they are malformed."""
        return survey_columns(operations)

    def copy(self) -> BinsCompiled:
        """Return an independent copy."""
        twin = object.__new__(BinsCompiled)
        for name, value in vars(self).items():
            setattr(twin, name, value.copy() if isinstance(value, np.ndarray | dict) else value)
        return twin

    def validate(self) -> None:
        """Raise LayoutError when blocks or bins contradict themselves."""
        free, end, row = 0, -1, int(self.state[kernels.LAST])
        was_free = False
        while row != _NONE:
            offset, size, before = (int(value) for value in self.rows[row, :3])
            if end not in (-1, offset + size):
                raise LayoutError("blocks do not tile the range", where="granule", found=offset)
            is_free = int(self.rows[row, kernels.PREVIOUS]) != kernels.LIVE
            if is_free and was_free:
                raise LayoutError("free neighbours were not joined", where="granule", found=offset)
            free, was_free, end, row = free + is_free, is_free, offset, before
        if end != 0:
            raise LayoutError("blocks do not reach the start of the range", where="granule", found=end)
        listed = 0
        for number, head in enumerate(self.heads.tolist()):
            row = head if head >= 0 else _NONE
            while row != _NONE:
                if kernels.bin_below(int(self.rows[row, kernels.SIZE])) != number:
                    raise LayoutError("a bin holds a range of another size", where="bin", found=number)
                row, listed = int(self.rows[row, kernels.NEXT]), listed + 1
        if listed != free:
            raise LayoutError("the bins do not hold just the free ranges", found=(listed, free))

    def _table(self) -> Column:
        table = np.empty((int(self.state[kernels.LIVE_COUNT]), 6), dtype=np.int64)
        kernels.collect(self.rows, self.state, table)
        return table

    def _make_room(self, takes: int) -> None:
        wanted = 2 * (int(self.state[kernels.LIVE_COUNT]) + takes) + 4
        if wanted > len(self.rows):
            rows = np.zeros((max(wanted, len(self.rows) * 3 // 2), 8), dtype=np.uint32)
            rows[: len(self.rows)] = self.rows
            self.rows = rows


def _alignment_of(held: Held, granule: int) -> int:
    """Return an alignment, at least a granule, that explains where a block starts and how much it holds."""
    alignment = 1 << (held.kept - held.size + granule).bit_length() - 1
    while align_up(held.start, alignment) != held.offset:
        alignment >>= 1
    return alignment
