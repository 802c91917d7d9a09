"""Linear allocation on kernels; imports numba, so it is imported only where kernels are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.errors import LayoutError
from explorer.memory.allocators import linear_kernels as kernels
from explorer.memory.allocators.compiled import BatchColumns, survey_columns
from explorer.memory.allocators.core import Held, HeldColumns
from explorer.memory.allocators.linear_reference import LINEAR_MODES, LinearReference, Region
from explorer.memory.allocators.slotted_rows import SlottedRows, grown

if TYPE_CHECKING:
    from explorer.memory.allocators.protocol import Column, Operations, ReplayResult, Survey


class LinearCompiled(SlottedRows):
    """The state of a ``LinearReference`` in tables."""

    compiled = True
    offset_column = 3

    def __init__(self, reference: LinearReference) -> None:
        items = [(run, item) for run, run_items in enumerate(reference.runs()) for item in run_items]
        self.rows: Column = np.zeros((len(items) + 16, 8), dtype=np.int64)
        self.state: Column = np.array(
            [-1, -1, -1, -1, -1, len(items), len(reference.held), LINEAR_MODES.index(reference.mode),
             reference.granularity, reference.size],
            dtype=np.int64,
        )  # fmt: skip
        super().__init__(np.full(max(reference.slots, default=-1) + 1, -1, dtype=np.int64))
        for row, (run, item) in enumerate(items):
            slot = reference.slot_of.get(item.held.offset, -1) if item.live else kernels.FREED
            older = int(self.state[kernels.TAILS + run])
            self.rows[row] = (*item.held, slot, older, -1)
            if older >= 0:
                self.rows[older, kernels.NEWER] = row
            else:
                self.state[kernels.HEADS + run] = row
            self.state[kernels.TAILS + run] = row
            if slot >= 0:
                self.slots[slot] = row

    def plan(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the place that ``take`` would choose; None refuses."""
        offset, start, kept, _ = kernels.find(self.rows, self.state, size, alignment, kind)
        return None if offset < 0 else Held(int(start), int(kept), int(offset), size, kind)

    def take(self, size: int, alignment: int, kind: int) -> Held | None:
        """Hold a place for a checked request; None refuses."""
        self._make_room(1)
        row = int(kernels.take(self.rows, self.state, size, alignment, kind, -1))
        if row < 0:
            return None
        held = self._held(row)
        self._note_take(held.offset, row)
        return held

    def plan_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return what ``plan`` does: this allocator places only where it chooses."""
        return self.plan(size, alignment, kind)

    def take_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Hold what ``take`` does: this allocator places only where it chooses."""
        return self.take(size, alignment, kind)

    def _offset_of(self, row: int) -> int:
        return self._held(row).offset

    def _mark_slot(self, row: int, slot: int) -> None:
        self.rows[row, kernels.SLOT] = slot

    def _let_go(self, row: int, offset: int) -> Held:
        del offset
        held, slot = self._held(row), int(self.rows[row, kernels.SLOT])
        if slot >= 0:
            self.slots[slot] = -1
        kernels.free(self.rows, self.state, row)
        return held

    def regions(self, kind: int) -> list[Region]:
        """Return where a block of a kind can go, in the order of trying; see ``LinearReference``."""
        return self._ends().regions(kind)

    def bounded(self, region: Region, kind: int) -> Region:
        """Return the region without pages of other kinds at its ends."""
        return self._ends().bounded(region, kind)

    def columns(self) -> HeldColumns:
        """Return what is held, in offset order."""
        table = self._table()
        table = table[np.argsort(table[:, 1], kind="stable")]
        return HeldColumns(*(np.ascontiguousarray(table[:, column]) for column in range(1, 6)))

    def survey(self, operations: Operations) -> Survey:
        """Check the operations; InputError where they are malformed."""
        return survey_columns(operations)

    def replay(self, operations: Operations, survey: Survey, *, events: bool) -> ReplayResult:
        """Apply checked operations in one kernel call."""
        self._make_room(survey.takes)
        self._begin_batch(survey.slots)
        batch = BatchColumns(operations, events)
        starts = np.empty(len(operations), dtype=np.int64)
        answer = kernels.replay(
            self.rows, self.state, self.slots, *batch.inputs,
            batch.offsets, starts, batch.event, batch.start, batch.kept,
        )  # fmt: skip
        return batch.result(int(answer), operations, starts)

    def copy(self) -> LinearCompiled:
        """Return an independent copy."""
        twin = object.__new__(LinearCompiled)
        for name, value in vars(self).items():
            setattr(twin, name, value.copy() if isinstance(value, np.ndarray | dict) else value)
        return twin

    def validate(self) -> None:
        """Raise LayoutError when a run contradicts itself."""
        for run in range(2):
            newest = int(self.state[kernels.TAILS + run])
            if newest >= 0 and int(self.rows[newest, kernels.SLOT]) == kernels.FREED:
                raise LayoutError("a run ends with a freed block")
        self._as_reference().validate()

    def _held(self, row: int) -> Held:
        return Held(*self.rows[row, : kernels.SLOT].tolist())

    def _empty_reference(self) -> LinearReference:
        mode = LINEAR_MODES[int(self.state[kernels.MODE])]
        return LinearReference(int(self.state[kernels.RANGE]), mode, int(self.state[kernels.GRANULARITY]))

    def _ends(self) -> LinearReference:
        """Return a reference that holds only the oldest and the newest block of each run: enough to ask for room."""
        twin = self._empty_reference()
        for run in range(2):
            oldest, newest = int(self.state[kernels.HEADS + run]), int(self.state[kernels.TAILS + run])
            for row in dict.fromkeys((oldest, newest)):
                if row >= 0:
                    twin.append(run, self._held(row), live=True)
        return twin

    def _as_reference(self) -> LinearReference:
        """Return the runs as the reference keeps them."""
        twin = self._empty_reference()
        for run in range(2):
            row = int(self.state[kernels.HEADS + run])
            while row >= 0:
                twin.append(run, self._held(row), live=int(self.rows[row, kernels.SLOT]) != kernels.FREED)
                row = int(self.rows[row, kernels.NEWER])
        return twin

    def _table(self) -> Column:
        table = np.empty((int(self.state[kernels.LIVE_COUNT]), 6), dtype=np.int64)
        kernels.collect(self.rows, self.state, table)
        return table

    def _make_room(self, takes: int) -> None:
        self.rows = grown(self.rows, int(self.state[kernels.FRESH]) + takes)
