"""LRU, FIFO and priority-LRU over one table of integers, so that a kernel can go through the same lists.

The order of a device with many heaps: a row for each heap, linked from oldest to newest within its level. Plain methods
change one row at a time; ``explorer.memory.paging_kernels`` works on the very same tables for a whole submission.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from explorer.errors import LayoutError
from explorer.memory.eviction.order import NOBODY

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    import numpy.typing as npt

COLUMN_POLICIES = ("lru", "fifo", "priority-lru")
"""Policies that one table can keep: a use renews or does not, and priorities count or do not."""

NEWER, OLDER, LEVEL, USE, SIZE, FRAME, TIME, PRIORITY, COLUMNS = range(9)
"""Columns of a row. ``LEVEL`` is −1 for who is not in the order; neighbours are rows, −1 at an end."""

LEVEL_PRIORITY, OLDEST, NEWEST, LEVEL_COLUMNS = range(4)
"""Columns of a level."""

MANY_LEVELS = 64
"""Levels from which on empty ones are dropped before another one is made."""

USES, BYTES, COUNT, LARGEST, CELLS = range(5)
"""Cells of the sums: number of uses so far, bytes and rows in the order, most bytes ever."""

_NONE = -1
_FIRST_ROWS = 64


class ColumnOrder:
    """The order in which heaps leave, by one of ``COLUMN_POLICIES``; an ``EvictionOrder``.

    Args:
        policy: Id of the policy.

    Attributes:
        table: int64, shape (rows, ``COLUMNS``).
        levels: int64, shape (levels, ``LEVEL_COLUMNS``), in the order in which they were made; some may be empty.
        ranks: int64, shape (levels,): the levels by rising priority.
        sums: int64, shape (``CELLS``,).
    """

    __slots__ = ("_cells", "_policy", "levels", "ranks", "sums", "table")

    def __init__(self, policy: str) -> None:
        if policy not in COLUMN_POLICIES:
            raise LayoutError("no policy of one table", where="policy", found=policy, accepted=COLUMN_POLICIES)
        self._policy = policy
        self.levels = np.zeros((0, LEVEL_COLUMNS), np.int64)
        self.ranks = np.zeros(0, np.int64)
        self.sums = np.zeros(CELLS, np.int64)
        self.take_table(np.full((_FIRST_ROWS, COLUMNS), _NONE, np.int64))

    @property
    def policy(self) -> str:
        """Id of the policy."""
        return self._policy

    @property
    def renews(self) -> bool:
        """Whether a use makes the newest."""
        return self._policy != "fifo"

    @property
    def obeys_priority(self) -> bool:
        """Whether the lowest priority leaves first."""
        return self._policy == "priority-lru"

    @property
    def resident_bytes(self) -> int:
        """Sum of the sizes in the order."""
        return int(self.sums[BYTES])

    @property
    def is_thrashing(self) -> bool:
        """Never: only LRU→MRU switches."""
        return False

    def __len__(self) -> int:
        return int(self.sums[COUNT])

    def __contains__(self, object_id: object) -> bool:
        return isinstance(object_id, int) and self._is_in(object_id)

    def __iter__(self) -> Iterator[int]:
        """Yield the rows level by level, from oldest to newest."""
        cells = self._cells
        for level in self.ranks.tolist():
            row = int(self.levels[level, OLDEST])
            while row != _NONE:
                following = cells[row * COLUMNS + NEWER]
                yield row
                row = following

    def set_capacity(self, capacity_bytes: int | None) -> None:
        """State the bytes that are shared: these policies do not ask."""
        del capacity_bytes

    def begin_frame(self, frame: int) -> None:
        """Say that a frame begins: these policies do not ask."""
        del frame

    def end_frame(self) -> None:
        """Say that the frame ends: these policies do not ask."""

    def insert(self, object_id: int, size: int, priority: int = 0) -> None:
        """Take in a row that just became resident, as the newest of its level.

        Raises:
            LayoutError: It is in the order already, or the size is negative.
        """
        if size < 0 or self._is_in(object_id):
            raise LayoutError("already resident, or a negative size", where="object_id", found=object_id)
        self._grow(object_id)
        sums, cells, at = self.sums, self._cells, object_id * COLUMNS
        level = self.level_of(priority)
        sums[USES] += 1
        cells[at + USE] = int(sums[USES])
        cells[at + SIZE], cells[at + FRAME], cells[at + TIME], cells[at + PRIORITY] = size, _NONE, 0, priority
        sums[BYTES] += size
        sums[COUNT] += 1
        sums[LARGEST] = max(int(sums[LARGEST]), int(sums[BYTES]))
        self._append(object_id, level)

    def touch(self, object_id: int, frame: int, time: int = 0) -> None:
        """Say that a resident row is used; see ``EvictionOrder``."""
        level = self._level_in(object_id)
        cells, at = self._cells, object_id * COLUMNS
        cells[at + FRAME], cells[at + TIME] = frame, time
        if not self.renews:
            return
        self.sums[USES] += 1
        cells[at + USE] = int(self.sums[USES])
        if cells[at + NEWER] != _NONE:
            self._unlink(object_id, level)
            self._append(object_id, level)

    def last_use(self, object_id: int) -> tuple[int, int]:
        """Return frame and time of the latest use."""
        self._level_in(object_id)
        at = object_id * COLUMNS
        return self._cells[at + FRAME], self._cells[at + TIME]

    def priority_of(self, object_id: int) -> int:
        """Return the priority of a resident row."""
        self._level_in(object_id)
        return self._cells[object_id * COLUMNS + PRIORITY]

    def set_priority(self, object_id: int, priority: int) -> None:
        """Change the priority; the row keeps its age among its new peers."""
        level = self._level_in(object_id)
        cells, at = self._cells, object_id * COLUMNS
        if cells[at + PRIORITY] == priority:
            return
        cells[at + PRIORITY] = priority
        if self.obeys_priority:
            self._unlink(object_id, level)
            # No member of any level while levels may get other numbers.
            cells[at + LEVEL] = _NONE
            self._place_by_age(object_id, self.level_of(priority))

    def victims(
        self, bytes_needed: int | None, pinned: Container[int] = NOBODY, *, incoming: int | None = None
    ) -> Iterator[int]:
        """Yield who leaves: the lowest level first, in it the oldest. Changes nothing; see ``EvictionOrder``."""
        del incoming
        left = self.resident_bytes if bytes_needed is None else bytes_needed
        cells = self._cells
        for level in self.ranks.tolist():
            row = int(self.levels[level, OLDEST])
            while row != _NONE and left > 0:
                # Looked up before the yield: the caller may take the yielded row out.
                following = cells[row * COLUMNS + NEWER]
                if row not in pinned:
                    left -= cells[row * COLUMNS + SIZE]
                    yield row
                row = following

    def evict(self, object_id: int) -> None:
        """Take out a row that had to leave."""
        self.remove(object_id)

    def remove(self, object_id: int) -> None:
        """Take out a row."""
        level = self._level_in(object_id)
        self._unlink(object_id, level)
        at = object_id * COLUMNS
        self._cells[at + LEVEL] = _NONE
        self.sums[BYTES] -= self._cells[at + SIZE]
        self.sums[COUNT] -= 1

    def forget(self, object_id: int) -> None:
        """Say that a row that is not resident was destroyed: nothing is remembered of it."""

    def copy(self) -> Self:
        """Return an independent copy with the same future."""
        twin = type(self).__new__(type(self))
        twin._policy = self._policy
        twin.levels, twin.ranks = self.levels.copy(), self.ranks.copy()
        twin.sums = self.sums.copy()
        twin.take_table(self.table.copy())
        return twin

    def packed(self) -> PackedOrder:
        """Return the same order as columns that take a third of the bytes, for checkpoints."""
        return PackedOrder(self)

    def reserve(self, rows: int) -> None:
        """Make sure that so many rows exist, for a kernel."""
        self._grow(rows - 1)

    def level_of(self, priority: int) -> int:
        """Return the level of a priority, made where there is none yet."""
        wanted = priority if self.obeys_priority else 0
        known = self.levels[self.ranks, LEVEL_PRIORITY]
        at = int(np.searchsorted(known, wanted))
        if at < len(known) and int(known[at]) == wanted:
            return int(self.ranks[at])
        if len(known) >= MANY_LEVELS and self._drop_empty_levels():
            return self.level_of(priority)
        level = len(self.levels)
        self.levels = np.append(self.levels, [(wanted, _NONE, _NONE)], axis=0)
        self.ranks = np.insert(self.ranks, at, level)
        return level

    # Inside ----------------------------------------------------------------------------------------------------

    def take_table(self, table: npt.NDArray[np.int64]) -> None:
        """Go on with another table; see ``PackedOrder``."""
        self.table = table
        # The same memory: one element of a memory view costs a third of one of an array.
        self._cells: Any = memoryview(cast("Any", table.reshape(-1)))

    def _drop_empty_levels(self) -> bool:
        """Forget levels without members where they are the half of all; return whether that was done."""
        filled = self.levels[:, OLDEST] != _NONE
        kept = int(filled.sum())
        if 2 * kept > len(filled):
            return False
        number = np.cumsum(filled) - 1
        members = self.table[:, LEVEL]
        inside = members != _NONE
        members[inside] = number[members[inside]]
        self.ranks = number[self.ranks[filled[self.ranks]]]
        self.levels = self.levels[filled]
        return True

    def _grow(self, row: int) -> None:
        rows = len(self.table)
        if row < rows:
            return
        table = np.full((max(row + 1, 2 * rows), COLUMNS), _NONE, np.int64)
        table[:rows] = self.table
        self.take_table(table)

    def _is_in(self, row: int) -> bool:
        return 0 <= row < len(self.table) and self._cells[row * COLUMNS + LEVEL] != _NONE

    def _level_in(self, row: int) -> int:
        if not self._is_in(row):
            raise LayoutError("not resident", where="object_id", found=row)
        return self._cells[row * COLUMNS + LEVEL]

    def _append(self, row: int, level: int) -> None:
        self._put(row, level, int(self.levels[level, NEWEST]), _NONE)

    def _put(self, row: int, level: int, older: int, newer: int) -> None:
        """Link a row between two neighbours; −1 is the end of the level."""
        cells, at = self._cells, row * COLUMNS
        cells[at + LEVEL], cells[at + OLDER], cells[at + NEWER] = level, older, newer
        if older == _NONE:
            self.levels[level, OLDEST] = row
        else:
            cells[older * COLUMNS + NEWER] = row
        if newer == _NONE:
            self.levels[level, NEWEST] = row
        else:
            cells[newer * COLUMNS + OLDER] = row

    def _unlink(self, row: int, level: int) -> None:
        cells, at = self._cells, row * COLUMNS
        older, newer = cells[at + OLDER], cells[at + NEWER]
        if older == _NONE:
            self.levels[level, OLDEST] = newer
        else:
            cells[older * COLUMNS + NEWER] = newer
        if newer == _NONE:
            self.levels[level, NEWEST] = older
        else:
            cells[newer * COLUMNS + OLDER] = older

    def _place_by_age(self, row: int, level: int) -> None:
        """Put a row between its older and newer peers, searching from both ends at once.

        Priorities are mostly set in the order of creation or of use, forwards or backwards: then one end is next to
        the place, and a level of 100,000 rows is not walked.
        """
        cells = self._cells
        number = cells[row * COLUMNS + USE]
        low, high = int(self.levels[level, OLDEST]), int(self.levels[level, NEWEST])
        while low != _NONE and cells[low * COLUMNS + USE] < number:
            if cells[high * COLUMNS + USE] < number:
                self._put(row, level, high, cells[high * COLUMNS + NEWER])
                return
            low, high = cells[low * COLUMNS + NEWER], cells[high * COLUMNS + OLDER]
        self._put(row, level, _NONE if low == _NONE else cells[low * COLUMNS + OLDER], low)


class PackedOrder:
    """An order at rest. Within a level its members follow each other by their use numbers, so no link is kept.

    Args:
        order: What is packed; it may go on.

    Attributes:
        policy: Id of the policy.
        columns: The columns of the table that are kept, by number: ``SIZE`` and ``PRIORITY`` seldom change, and stand
            apart so that checkpoints can share them.
        levels: Priorities of the levels, int64.
        ranks: The levels by rising priority, int64.
        sums: int64, shape (``CELLS``,).
    """

    __slots__ = ("columns", "levels", "policy", "ranks", "sums")

    def __init__(self, order: ColumnOrder) -> None:
        self.policy = order.policy
        self.columns = {at: order.table[:, at].astype(kind) for at, kind in _KEPT.items()}
        self.levels = order.levels[:, LEVEL_PRIORITY].copy()
        self.ranks, self.sums = order.ranks.copy(), order.sums.copy()

    def copy(self) -> ColumnOrder:
        """Return the order, ready to go on."""
        order = ColumnOrder(self.policy)
        table = np.full((len(self.columns[USE]), COLUMNS), _NONE, np.int64)
        for at, column in self.columns.items():
            table[:, at] = column
        order.levels = np.full((len(self.levels), LEVEL_COLUMNS), _NONE, np.int64)
        order.levels[:, LEVEL_PRIORITY] = self.levels
        order.ranks, order.sums = self.ranks.copy(), self.sums.copy()
        for level in range(len(self.levels)):
            members = np.flatnonzero(table[:, LEVEL] == level)
            members = members[np.argsort(table[members, USE], kind="stable")]
            if len(members):
                table[members[:-1], NEWER] = members[1:]
                table[members[1:], OLDER] = members[:-1]
                table[members[-1], NEWER] = table[members[0], OLDER] = _NONE
                order.levels[level, OLDEST], order.levels[level, NEWEST] = members[0], members[-1]
        order.take_table(table)
        return order


_KEPT = {LEVEL: np.int32, USE: np.int64, SIZE: np.int64, FRAME: np.int32, TIME: np.int64, PRIORITY: np.int64}
"""Columns that ``PackedOrder`` keeps, and how."""
