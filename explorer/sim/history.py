"""Figures of every frame, for the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.events import EventKind
from explorer.sim.snapshot import FrameHistory

if TYPE_CHECKING:
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


class HistoryRecorder:
    """Appends one row a frame. Rows that a snapshot has seen are never written again.

    Args:
        groups: ``(node, group)`` of the budget columns.
    """

    def __init__(self, groups: tuple[tuple[int, str], ...]) -> None:
        self._groups = groups
        self._rows = 0
        self._table = np.zeros((_FIRST, 2 * len(groups) + 3), np.int64)
        self._marks: tuple[tuple[int, str], ...] = ()
        self._seen: dict[str, int] = {}
        self._time = 0

    def __len__(self) -> int:
        """Return the number of frames."""
        return self._rows

    def add(self, state: MemoryState) -> None:
        """Append the row of the frame that just ended."""
        log, count = state.log, len(self._groups)
        if self._rows == len(self._table):
            longer = np.zeros((2 * len(self._table), self._table.shape[1]), np.int64)
            longer[: self._rows] = self._table
            self._table = longer
        row = self._table[self._rows]
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
                self._marks = (*self._marks, (self._rows, kind.value))
        self._rows += 1

    def show(self) -> FrameHistory:
        """Return the rows so far, read-only."""
        table = self._table[: self._rows]
        table.flags.writeable = False
        count = len(self._groups)
        return FrameHistory(
            groups=self._groups,
            used=table[:, :count],
            budget=table[:, count : 2 * count],
            evicted_bytes=table[:, 2 * count],
            uploaded_bytes=table[:, 2 * count + 1],
            frame_ns=table[:, 2 * count + 2],
            marks=self._marks,
        )

    def copy(self) -> HistoryRecorder:
        """Return an independent copy; the shown rows are shared, later ones are not."""
        other = HistoryRecorder.__new__(HistoryRecorder)
        other.__dict__.update(self.__dict__)
        other._table = self._table.copy()
        other._seen = dict(self._seen)
        return other

    def _gain(self, name: str, total: int) -> int:
        before = self._seen.get(name, 0)
        self._seen[name] = total
        return total - before
