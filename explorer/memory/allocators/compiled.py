"""Base of the compiled cores: rows of blocks in one table, grown before a batch, never inside a kernel."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Self, cast

import numpy as np

from explorer.errors import LayoutError
from explorer.memory.allocators import batch_kernels
from explorer.memory.allocators import chain_kernels as chain
from explorer.memory.allocators.core import Held, HeldColumns, slot_is_taken
from explorer.memory.allocators.protocol import (
    EVENT_NOTHING,
    Column,
    Operations,
    ReplayEvents,
    ReplayResult,
    Survey,
    malformed_operation,
)
from explorer.memory.allocators.slotted_rows import SlottedRows, grown

if TYPE_CHECKING:
    import numpy.typing as npt

NO_ROWS = np.zeros(0, dtype=np.int64)


class BatchColumns:
    """The columns that a batch reads and fills."""

    def __init__(self, operations: Operations, events: bool) -> None:
        count = len(operations)
        self.inputs = tuple(
            np.ascontiguousarray(column)
            for column in (
                operations.op,
                operations.slot,
                operations.size,
                operations.alignment,
                NO_ROWS if operations.kind is None else operations.kind,
            )
        )
        self.offsets = np.empty(count, dtype=np.int64)
        self.event = np.full(count, EVENT_NOTHING, dtype=np.int64) if events else NO_ROWS
        self.start = np.full(count, -1, dtype=np.int64) if events else NO_ROWS
        self.kept = np.zeros(count, dtype=np.int64) if events else NO_ROWS

    @property
    def columns(self) -> tuple[Column, ...]:
        """All of them, as kernels want them behind their tables."""
        return *self.inputs, self.offsets, self.event, self.start, self.kept

    def result(self, answer: int, operations: Operations, starts: Column | None = None) -> ReplayResult:
        """Return what a kernel filled in; LayoutError where it stopped at a slot in use."""
        if answer < 0:
            raise slot_is_taken(int(operations.slot[-1 - answer]))
        events = ReplayEvents(self.event, self.start, self.kept) if len(self.event) else None
        return ReplayResult(self.offsets, self.offsets if starts is None else starts, answer, events)


def survey_columns(operations: Operations) -> Survey:
    """Return what a batch needs to know, in one pass; InputError where an operation is malformed."""
    operations.check_columns()
    good, takes, slots, size, alignment = batch_kernels.survey(
        operations.op, operations.slot, operations.size, operations.alignment
    )
    if not good:
        raise malformed_operation()
    return Survey(int(takes), int(slots), int(size), int(alignment))


class CompiledCore(SlottedRows):
    """Blocks linked by address in rows of 32 bytes; a subclass adds the search structure.

    Args:
        blocks: Offset, size, kind and slot of each block in offset order; kind -1 is free, slot -1 is none.
        granularity: Page that kinds do not share.
        classes: How many classes of free blocks the search structure has at least.
    """

    compiled = True

    def __init__(self, blocks: list[tuple[int, int, int, int]], granularity: int, classes: int) -> None:
        words = (classes + 63) // 64
        count = len(blocks)
        self.rows = np.zeros((count + 16, 4), dtype=np.int64)
        self.state = np.zeros(chain.STATE_CELLS, dtype=np.int64)
        super().__init__(np.full(max((block[3] for block in blocks), default=-1) + 1, -1, dtype=np.int64))
        self.words = np.zeros(words + 1, dtype=np.int64)
        self.heads = np.full(64 * words, -1, dtype=np.int64)
        self.bounds = np.full((2, 65 * words), -1, dtype=np.int64)
        # Kept only from the first wide request on.
        self.bounds[chain.WIDE] = chain.ENDLESS
        self.state[chain.UNUSED] = -1
        self.state[chain.FRESH] = count
        self.state[chain.LAST] = count - 1
        self.state[chain.LIVE_COUNT] = sum(block[2] >= 0 for block in blocks)
        self.state[chain.GRANULARITY] = granularity
        self.state[chain.CLASS_COUNT] = 64 * words
        links = self.links
        for row, (offset, size, kind, slot) in enumerate(blocks):
            self.rows[row, :2] = (offset, size)
            after = row + 1 if row + 1 < count else -1
            mark = chain.LIVE - kind if kind >= 0 else -1
            links[row, chain.BEFORE :] = (row - 1, after, mark, slot)
            if slot >= 0:
                self.slots[slot] = row

    @property
    def links(self) -> npt.NDArray[np.int32]:
        """The same rows as eight int32; columns 4 to 7 are links."""
        return self.rows.view(np.int32)

    @property
    def tables(self) -> tuple[npt.NDArray[np.int64], ...]:
        """What every kernel wants first."""
        links = cast("npt.NDArray[np.int64]", self.links)
        return self.rows, links, self.heads, self.words, self.bounds, self.state

    @abstractmethod
    def _find(self, size: int, alignment: int, kind: int) -> tuple[int, int]: ...

    @abstractmethod
    def _take(self, size: int, alignment: int, kind: int) -> int: ...

    @abstractmethod
    def _free(self, row: int) -> None: ...

    @abstractmethod
    def _replay(self, batch: BatchColumns) -> int: ...

    def plan(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the place that ``take`` would choose; None refuses."""
        row, offset = self._find(size, alignment, kind)
        return None if row < 0 else Held(int(offset), size, int(offset), size, kind)

    def take(self, size: int, alignment: int, kind: int) -> Held | None:
        """Hold a place for a checked request; None refuses."""
        self._make_room(1)
        row = int(self._take(size, alignment, kind))
        return None if row < 0 else self._taken(row, size, kind)

    def plan_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the lowest place that can hold the request, whatever the order of the search; None refuses."""
        _, offset = self._lowest(size, alignment, kind)
        return None if offset < 0 else Held(int(offset), size, int(offset), size, kind)

    def take_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Hold the lowest place that can hold the request; None refuses."""
        self._make_room(1)
        row, offset = self._lowest(size, alignment, kind)
        return None if offset < 0 else self._taken(int(self._commit(row, offset, size, kind)), size, kind)

    def _lowest(self, size: int, alignment: int, kind: int) -> tuple[int, int]:
        last, page = int(self.state[chain.LAST]), int(self.state[chain.GRANULARITY])
        return chain.find_by_address(self.rows, self.links, last, size, alignment, kind, page)

    def _commit(self, row: int, offset: int, size: int, kind: int) -> int:
        """Take a block at a place that was found; only for cores that place anywhere in a hole."""
        raise LayoutError("this allocator places only where it chooses", found=(row, offset, size, kind))

    def _taken(self, row: int, size: int, kind: int) -> Held:
        offset = int(self.rows[row, chain.OFFSET])
        self._note_take(offset, row)
        return Held(offset, size, offset, size, kind)

    def _offset_of(self, row: int) -> int:
        return int(self.rows[row, chain.OFFSET])

    def _mark_slot(self, row: int, slot: int) -> None:
        self.links[row, chain.SLOT] = slot

    def _let_go(self, row: int, offset: int) -> Held:
        size, links = int(self.rows[row, chain.SIZE]), self.links
        kind, slot = chain.LIVE - int(links[row, chain.PREVIOUS]), int(links[row, chain.SLOT])
        if slot >= 0:
            self.slots[slot] = -1
        self._free(row)
        return Held(offset, size, offset, size, kind)

    def columns(self) -> HeldColumns:
        """Return what is held, in offset order."""
        table = self._table()
        offset, size, kind = (np.ascontiguousarray(table[:, column]) for column in (1, 2, 3))
        return HeldColumns(offset, size, offset, size, kind)

    def replay(self, operations: Operations, survey: Survey, *, events: bool) -> ReplayResult:
        """Apply checked operations in one kernel call."""
        self._make_room(survey.takes)
        self._begin_batch(survey.slots)
        batch = BatchColumns(operations, events)
        return batch.result(int(self._replay(batch)), operations)

    def survey(self, operations: Operations) -> Survey:
        """Check the operations; InputError where they are malformed."""
        return survey_columns(operations)

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = object.__new__(type(self))
        for name, value in vars(self).items():
            setattr(twin, name, value.copy() if isinstance(value, np.ndarray | dict) else value)
        return twin

    def free_rows(self, *, joined: bool = True) -> list[int]:
        """Return the free rows by falling offset; LayoutError when blocks do not tile the range.

        Args:
            joined: Whether free neighbours must have been joined.
        """
        links, found, live = self.links, list[int](), 0
        row = int(self.state[chain.LAST])
        end = int(self.rows[row, : chain.SIZE + 1].sum())
        free_behind = False
        while row >= 0:
            offset, size = (int(value) for value in self.rows[row, : chain.SIZE + 1])
            before = int(links[row, chain.BEFORE])
            if offset + size != end or (before >= 0 and int(links[before, chain.AFTER]) != row):
                raise LayoutError("blocks do not tile the range", where="offset", found=offset)
            is_free = int(links[row, chain.PREVIOUS]) > chain.LIVE
            if joined and is_free and free_behind:
                raise LayoutError("free neighbours were not joined", where="offset", found=offset)
            if is_free:
                found.append(row)
            live += not is_free
            free_behind, end, row = is_free and size > 0, offset, before
        if end != 0 or live != int(self.state[chain.LIVE_COUNT]):
            raise LayoutError("blocks do not reach the start of the range", where="offset", found=end)
        return found

    def validate(self) -> None:
        """Raise LayoutError when blocks or classes contradict themselves."""
        free = self.free_rows()
        listed = 0
        for number, head in enumerate(self.heads.tolist()):
            for row in self._members(number, head):
                listed += 1
                if self._class_of(row) != number:
                    raise LayoutError("a class holds a block of another", where="class", found=number)
                if int(self.bounds[chain.WIDE, chain.bound_cell(number)]) < int(chain.wide_room(self.rows, row)):
                    raise LayoutError("the bound of a class is too low", where="class", found=number)
            if (head >= 0) != bool(int(self.words[1 + (number >> 6)]) >> (number & 63) & 1):
                raise LayoutError("the bit map contradicts the classes", where="class", found=number)
        if listed != self._listed(free):
            raise LayoutError("the classes do not hold just the free blocks", found=listed)

    @abstractmethod
    def _class_of(self, row: int) -> int: ...

    def _members(self, number: int, head: int) -> list[int]:
        """Return the free rows of a class whose rows are a list."""
        found: list[int] = []
        while head >= 0:
            found.append(head)
            head = int(self.links[head, chain.NEXT])
        return found

    def _listed(self, free: list[int]) -> int:
        """Return how many of the free rows stand in classes."""
        return len(free)

    def _table(self) -> npt.NDArray[np.int64]:
        table = np.empty((int(self.state[chain.LIVE_COUNT]), 4), dtype=np.int64)
        chain.collect(self.rows, self.links, int(self.state[chain.LAST]), table)
        return table

    def _make_room(self, takes: int) -> None:
        # There is never more than one hole in front of each block and one behind them all.
        self.rows = grown(self.rows, 2 * (int(self.state[chain.LIVE_COUNT]) + takes) + 4)
