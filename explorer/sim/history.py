"""Figures of every frame, for the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.events import EventKind
from explorer.sim.snapshot import FrameHistory

if TYPE_CHECKING:
    import numpy.typing as npt

    from explorer.device.memory_state import MemoryState

_MARKS = (
    EventKind.LRU_TO_MRU,
    EventKind.DEVICE_LOST,
    EventKind.DEVICE_REMOVED,
    EventKind.BUDGET_CHANGED,
    EventKind.OVER_BUDGET,
)
_EVICTED = (EventKind.EVICTED, EventKind.DEMOTED)
_UPLOADED = (EventKind.UPLOADED, EventKind.PAGED_IN)
_FIRST = 256


class _Rows:
    """A table of rows that only grow, shared by a recorder and its copies.

    Attributes:
        table: int64, shape (capacity, columns).
        filled: Rows that some recorder wrote.
        marks: Marks of those rows.
    """

    __slots__ = ("filled", "marks", "table")

    def __init__(self, table: npt.NDArray[np.int64], filled: int, marks: list[tuple[int, str]]) -> None:
        self.table = table
        self.filled = filled
        self.marks = marks


class HistoryRecorder:
    """Appends one row a frame. Rows that a snapshot has seen are never written again.

    A copy shares the rows so far and costs no more than a few words, so that every checkpoint can hold one. The first
    of two recorders that goes on from a row writes behind it in place; the other one then moves to a table of its own.

    Args:
        groups: ``(node, group)`` of the budget columns.
    """

    def __init__(self, groups: tuple[tuple[int, str], ...]) -> None:
        self._groups = groups
        self._rows = 0
        self._marked = 0
        self._shared = _Rows(np.zeros((_FIRST, 2 * len(groups) + 3), np.int64), 0, [])
        self._seen: dict[str, int] = {}

    def __len__(self) -> int:
        """Return the number of frames."""
        return self._rows

    def add(self, state: MemoryState) -> None:
        """Append the row of the frame that just ended."""
        log, count = state.log, len(self._groups)
        shared = self._own_end()
        row = shared.table[self._rows]
        for index, key in enumerate(self._groups):
            group = state.groups[key]
            row[index] = group.usage
            row[count + index] = -1 if group.budget is None else group.budget
        row[2 * count] = self._gain("evicted", sum(log.bytes_of(kind) for kind in _EVICTED))
        row[2 * count + 1] = self._gain("uploaded", sum(log.bytes_of(kind) for kind in _UPLOADED))
        row[2 * count + 2] = self._gain("time", log.time_ns)
        counts = log.counts
        for kind in _MARKS:
            if self._gain(kind.value, counts[kind.value]):
                shared.marks.append((self._rows, kind.value))
        self._rows += 1
        shared.filled, self._marked = self._rows, len(shared.marks)

    def show(self) -> FrameHistory:
        """Return the rows so far, read-only."""
        table = self._shared.table[: self._rows]
        table.flags.writeable = False
        count = len(self._groups)
        return FrameHistory(
            groups=self._groups,
            used=table[:, :count],
            budget=table[:, count : 2 * count],
            evicted_bytes=table[:, 2 * count],
            uploaded_bytes=table[:, 2 * count + 1],
            frame_ns=table[:, 2 * count + 2],
            marks=tuple(self._shared.marks[: self._marked]),
        )

    def copy(self) -> HistoryRecorder:
        """Return an independent copy; the rows so far are shared."""
        other = HistoryRecorder.__new__(HistoryRecorder)
        other.__dict__.update(self.__dict__)
        other._seen = dict(self._seen)
        return other

    def _own_end(self) -> _Rows:
        """Return rows whose next one is this recorder's to write."""
        shared, rows = self._shared, self._rows
        full = rows == len(shared.table)
        if shared.filled != rows or full:
            table = np.zeros((len(shared.table) * (2 if full else 1), shared.table.shape[1]), np.int64)
            table[:rows] = shared.table[:rows]
            self._shared = _Rows(table, rows, shared.marks[: self._marked])
        return self._shared

    def _gain(self, name: str, total: int) -> int:
        before = self._seen.get(name, 0)
        self._seen[name] = total
        return total - before
