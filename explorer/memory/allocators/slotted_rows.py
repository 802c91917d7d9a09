"""How compiled cores find a live row: by the offset of its resource, or by a slot that batches know it by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from explorer.memory.allocators.core import Held, nothing_lives, slot_is_empty, slot_is_taken

if TYPE_CHECKING:
    import numpy.typing as npt

    from explorer.memory.allocators.protocol import Column

_NOBODY = (-1, -1)


class SlottedRows(ABC):
    """Rows of a table that hold resources.

    Args:
        slots: Slot → row, −1 none.

    Attributes:
        offset_column: Where ``_table`` has the offset of a resource.
    """

    offset_column = 1

    def __init__(self, slots: Column) -> None:
        self.slots = slots
        # Made when somebody frees by offset; None after a batch, which changes too much of it.
        self._row_at: dict[int, int] | None = None
        # Offset and row of the latest take, so that naming it by a slot needs no table of all rows.
        self._latest = _NOBODY

    @abstractmethod
    def _table(self) -> Column:
        """Return the live rows: number of the row first, the offset in ``offset_column``."""

    @abstractmethod
    def _offset_of(self, row: int) -> int:
        """Return the offset of the resource in a live row."""

    @abstractmethod
    def _mark_slot(self, row: int, slot: int) -> None:
        """Note in a live row by which slot it is known."""

    @abstractmethod
    def _let_go(self, row: int, offset: int) -> Held:
        """Free a live row; its slot, if it has one, is empty then."""

    def assign(self, offset: int, slot: int) -> None:
        """Let later batches know the resource at ``offset`` by a slot."""
        row = self._latest[1] if self._latest[0] == offset else self._rows_by_offset().get(offset, -1)
        if row < 0:
            raise nothing_lives(offset)
        self.slots = grown(self.slots, slot + 1, fill=-1)
        if self.slots[slot] >= 0:
            raise slot_is_taken(slot)
        self.slots[slot] = row
        self._mark_slot(row, slot)

    def free(self, offset: int) -> Held:
        """Give back the resource at ``offset``; LayoutError when there is none."""
        row = self._rows_by_offset().get(offset)
        if row is None:
            raise nothing_lives(offset)
        return self._release(row, offset)

    def free_slot(self, slot: int) -> Held:
        """Give back the resource of a slot; LayoutError when it holds none."""
        row = int(self.slots[slot]) if slot < len(self.slots) else -1
        if row < 0:
            raise slot_is_empty(slot)
        return self._release(row, self._offset_of(row))

    def _note_take(self, offset: int, row: int) -> None:
        if self._row_at is not None:
            self._row_at[offset] = row
        self._latest = offset, row

    def _begin_batch(self, slots: int) -> None:
        self.slots = grown(self.slots, slots, fill=-1)
        self._row_at = None
        self._latest = _NOBODY

    def _rows_by_offset(self) -> dict[int, int]:
        if self._row_at is None:
            table = self._table()
            self._row_at = dict(zip(table[:, self.offset_column].tolist(), table[:, 0].tolist(), strict=True))
        return self._row_at

    def _release(self, row: int, offset: int) -> Held:
        if self._row_at is not None:
            del self._row_at[offset]
        self._latest = _NOBODY
        return self._let_go(row, offset)


def grown(table: npt.NDArray[np.int64], rows: int, fill: int = 0) -> npt.NDArray[np.int64]:
    """Return the table with at least so many rows; grows by half at least, so that growing stays linear."""
    if rows <= len(table):
        return table
    shape = (max(rows, len(table) * 3 // 2), *table.shape[1:])
    # Zeroed pages cost nothing until they are used.
    more = np.full(shape, fill, dtype=table.dtype) if fill else np.zeros(shape, dtype=table.dtype)
    more[: len(table)] = table
    return more
