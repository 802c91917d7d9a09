"""Base of the compiled cores: rows of blocks in one int64 table, grown before a batch, never inside a kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

import numpy as np

from explorer.errors import LayoutError
from explorer.memory.allocators.core import Held, HeldColumns, nothing_lives, slot_is_taken
from explorer.memory.allocators.protocol import EVENT_NOTHING, Column, Operations, ReplayEvents, ReplayResult

if TYPE_CHECKING:
    import numpy.typing as npt

NO_ROWS = np.zeros(0, dtype=np.int64)
_OFFSET, _SIZE, _BEFORE, _AFTER, _PREVIOUS, _NEXT, _LIST, _SLOT = range(8)
_UNUSED, _FRESH, _LIVE_COUNT, _LAST = range(4)


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
        self.offsets = np.full(count, -1, dtype=np.int64)
        self.event = np.full(count, EVENT_NOTHING, dtype=np.int64) if events else NO_ROWS
        self.start = np.full(count, -1, dtype=np.int64) if events else NO_ROWS
        self.kept = np.zeros(count, dtype=np.int64) if events else NO_ROWS

    def result(self, answer: int, operations: Operations, starts: Column | None = None) -> ReplayResult:
        """Return what a kernel filled in; LayoutError where it stopped at a slot in use."""
        if answer < 0:
            raise slot_is_taken(int(operations.slot[-1 - answer]))
        events = ReplayEvents(self.event, self.start, self.kept) if len(self.event) else None
        return ReplayResult(self.offsets, self.offsets if starts is None else starts, answer, events)


def grown(table: npt.NDArray[np.int64], rows: int, fill: int = 0) -> npt.NDArray[np.int64]:
    """Return the table with at least so many rows; grows by half at least, so that growing stays linear."""
    if rows <= len(table):
        return table
    more = np.full((max(rows, len(table) * 3 // 2), *table.shape[1:]), fill, dtype=table.dtype)
    more[: len(table)] = table
    return more


class CompiledCore(ABC):
    """Blocks linked by address in ``nodes`` (shape (rows, 8)); a subclass adds the search structure."""

    compiled = True

    def __init__(self, nodes: npt.NDArray[np.int64], state: Column, slots: Column) -> None:
        self.nodes = nodes
        self.state = state
        self.slots = slots
        self._node_at: dict[int, int] | None = None

    @abstractmethod
    def _find(self, size: int, alignment: int, kind: int) -> tuple[int, int]: ...

    @abstractmethod
    def _take(self, size: int, alignment: int, kind: int) -> int: ...

    @abstractmethod
    def _free(self, node: int) -> None: ...

    @abstractmethod
    def _replay(self, batch: BatchColumns) -> int: ...

    @abstractmethod
    def _collect(self, table: npt.NDArray[np.int64]) -> None: ...

    def plan(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the place that ``take`` would choose; None refuses."""
        node, offset = self._find(size, alignment, kind)
        return None if node < 0 else Held(int(offset), size, int(offset), size, kind)

    def take(self, size: int, alignment: int, kind: int) -> Held | None:
        """Hold a place for a checked request; None refuses."""
        self._make_room(1)
        node = int(self._take(size, alignment, kind))
        if node < 0:
            return None
        offset = int(self.nodes[node, _OFFSET])
        if self._node_at is not None:
            self._node_at[offset] = node
        return Held(offset, size, offset, size, kind)

    def free(self, offset: int) -> Held:
        """Give back the resource at ``offset``; LayoutError when there is none."""
        node = self._nodes_by_offset().pop(offset, None)
        if node is None:
            raise nothing_lives(offset)
        size, kind, slot = (int(self.nodes[node, column]) for column in (_SIZE, _NEXT, _SLOT))
        if slot >= 0:
            self.slots[slot] = -1
        self._free(node)
        return Held(offset, size, offset, size, kind)

    def columns(self) -> HeldColumns:
        """Return what is held, in offset order."""
        table = self._table()
        offset, size, kind = (np.ascontiguousarray(table[:, column]) for column in (1, 2, 3))
        return HeldColumns(offset, size, offset, size, kind)

    def replay(self, operations: Operations, *, events: bool) -> ReplayResult:
        """Apply checked operations in one kernel call."""
        self._make_room(int((operations.op == 0).sum()))
        self.slots = grown(self.slots, int(operations.slot.max(initial=-1)) + 1, fill=-1)
        self._node_at = None
        batch = BatchColumns(operations, events)
        return batch.result(int(self._replay(batch)), operations)

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = object.__new__(type(self))
        for name, value in vars(self).items():
            setattr(twin, name, value.copy() if isinstance(value, np.ndarray | dict) else value)
        return twin

    def validate(self) -> None:
        """Raise LayoutError when blocks do not tile the range or free neighbours were not joined."""
        end = int(self.nodes[int(self.state[_LAST]), [_OFFSET, _SIZE]].sum())
        node, free_behind, live = int(self.state[_LAST]), False, 0
        while node >= 0:
            offset, size, before, after, mark = (int(value) for value in self.nodes[node, : _PREVIOUS + 1])
            if offset + size != end or (before >= 0 and int(self.nodes[before, _AFTER]) != node):
                raise LayoutError("blocks do not tile the range", where="offset", found=offset)
            is_free = mark != -2
            if is_free and free_behind:
                raise LayoutError("free neighbours were not joined", where="offset", found=offset)
            live += not is_free
            free_behind, end, node = is_free and after >= 0, offset, before
        if end != 0 or live != int(self.state[_LIVE_COUNT]):
            raise LayoutError("blocks do not reach the start of the range", where="offset", found=end)

    def _table(self) -> npt.NDArray[np.int64]:
        table = np.empty((int(self.state[_LIVE_COUNT]), 4), dtype=np.int64)
        self._collect(table)
        return table

    def _nodes_by_offset(self) -> dict[int, int]:
        if self._node_at is None:
            table = self._table()
            self._node_at = dict(zip(table[:, 1].tolist(), table[:, 0].tolist(), strict=True))
        return self._node_at

    def _make_room(self, takes: int) -> None:
        # There is never more than one hole in front of each block and one behind them all.
        self.nodes = grown(self.nodes, 2 * (int(self.state[_LIVE_COUNT]) + takes) + 4)
