"""A table of numpy columns that grows, with rows that keep their number while they live."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from explorer.errors import LayoutError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FIRST_CAPACITY = 64


class GrowingTable:
    """Columns of equal capacity, a mask of the live rows, and a list of free row numbers.

    A row's number stays the same until it is removed; the lowest free number is given out next, so that the same
    calls give the same numbers on every machine. A copy of the live rows in order of their numbers is what a
    snapshot shows.

    Args:
        dtypes: Column name → numpy type.
    """

    def __init__(self, dtypes: Mapping[str, type[np.generic]]) -> None:
        self._columns: dict[str, npt.NDArray[Any]] = {
            name: np.zeros(_FIRST_CAPACITY, dtype) for name, dtype in dtypes.items()
        }
        self._live = np.zeros(_FIRST_CAPACITY, np.bool_)
        self._free: list[int] = []
        self._end = 0
        self._count = 0

    def __len__(self) -> int:
        """Return the number of live rows."""
        return self._count

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """Return a column over all row numbers given out so far (a view: write through it)."""
        return self._columns[name][: self._end]

    @property
    def next_row(self) -> int:
        """The number that the next row will get."""
        return self._free[0] if self._free else self._end

    @property
    def live(self) -> npt.NDArray[np.bool_]:
        """Which row numbers are live."""
        return self._live[: self._end]

    def rows(self) -> npt.NDArray[np.int64]:
        """Return the live row numbers in order."""
        return np.flatnonzero(self.live)

    def __iter__(self) -> Iterator[int]:
        """Yield the live row numbers in order."""
        return iter(self.rows().tolist())

    def add(self, **values: int) -> int:
        """Add a row; columns that are not given are 0. Returns its number."""
        if self._free:
            row = heapq.heappop(self._free)
        else:
            row = self._end
            if row == len(self._live):
                self._grow()
            self._end += 1
        # Two short loops instead of a look for each column: most columns are given.
        for name, value in values.items():
            self._columns[name][row] = value
        for name in self._columns.keys() - values.keys():
            self._columns[name][row] = 0
        self._live[row] = True
        self._count += 1
        return row

    def remove(self, row: int) -> None:
        """Remove a live row.

        Raises:
            LayoutError: The row is not live.
        """
        if not 0 <= row < self._end or not self._live[row]:
            raise LayoutError(f"row {row} is not live")
        self._live[row] = False
        heapq.heappush(self._free, row)
        self._count -= 1

    def positions(self) -> npt.NDArray[np.int32]:
        """Return row number → position among the live rows, −1 for dead ones; shape (numbers + 1,).

        The last element is −1 too, so that the index −1 ("none") maps to −1.
        """
        positions = np.full(self._end + 1, -1, np.int32)
        positions[: self._end][self.live] = np.arange(self._count, dtype=np.int32)
        return positions

    def compact(self, name: str) -> npt.NDArray[Any]:
        """Return a copy of a column's live rows in order."""
        return self[name][self.live]

    def copy(self) -> GrowingTable:
        """Return an independent copy."""
        other = GrowingTable.__new__(GrowingTable)
        other._columns = {name: column.copy() for name, column in self._columns.items()}
        other._live = self._live.copy()
        other._free = list(self._free)
        other._end = self._end
        other._count = self._count
        return other

    def _grow(self) -> None:
        capacity = 2 * len(self._live)
        self._columns = {name: _longer(column, capacity) for name, column in self._columns.items()}
        self._live = _longer(self._live, capacity)


def _longer(array: npt.NDArray[Any], capacity: int) -> npt.NDArray[Any]:
    longer = np.zeros(capacity, array.dtype)
    longer[: len(array)] = array
    return longer
