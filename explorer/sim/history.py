"""Figures of every frame, for the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.events import EventKind
from explorer.device.event_rows import EventParts, EventRows
from explorer.sim.residency_history import ResidencyRecorder
from explorer.sim.snapshot import FrameHistory

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from explorer.core.events import Event
    from explorer.device.memory_state import MemoryState
    from explorer.sim.resource_history import ResourceHistory

_MARKS = (
    EventKind.LRU_TO_MRU,
    EventKind.DEVICE_LOST,
    EventKind.DEVICE_REMOVED,
    EventKind.BUDGET_CHANGED,
    EventKind.OVER_BUDGET,
    EventKind.TRIMMED,
)
_MARKED = frozenset(_MARKS)
_EVICTED = (EventKind.EVICTED, EventKind.DEMOTED)
_UPLOADED = (EventKind.UPLOADED, EventKind.PAGED_IN)
_FIRST = 256
_PARTS = ("gpu", "transfer", "cpu", "stall")
_FIGURES = 3 + len(_PARTS)
"""Columns behind usage and budgets: evicted, uploaded, frame time and its parts."""


class _Rows:
    """A table of rows that only grow, shared by a recorder and its copies.

    Attributes:
        table: int64, shape (capacity, columns).
        filled: Rows that some recorder wrote.
        marks: Marks of those rows.
        notes: Rule and text behind each mark.
    """

    __slots__ = ("filled", "marks", "notes", "table")

    def __init__(
        self,
        table: npt.NDArray[np.int64],
        filled: int,
        marks: list[tuple[int, str]],
        notes: list[tuple[str, str]],
    ) -> None:
        self.table = table
        self.filled = filled
        self.marks = marks
        self.notes = notes


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
        self._shared = _Rows(np.zeros((_FIRST, 2 * len(groups) + _FIGURES), np.int64), 0, [], [])
        self._seen: dict[str, int] = {}
        self._told: dict[str, Event] = {}
        self._residency = ResidencyRecorder()

    def __len__(self) -> int:
        """Return the number of frames."""
        return self._rows

    def note(self, events: Sequence[Event]) -> None:
        """Remember what the events of one call say, until the frame ends."""
        self._residency.note(events)
        if isinstance(events, EventParts):
            for part in events.parts:
                self._tell(part.about_budgets() if isinstance(part, EventRows) else part)
            return
        self._tell(events)

    def _tell(self, events: Sequence[Event]) -> None:
        for event in events:
            if event.kind in _MARKED:
                self._told.setdefault(event.kind.value, event)

    def begin(self, state: MemoryState, stories: ResourceHistory) -> None:
        """Take over what was made before the first frame."""
        self._residency.add(state, stories, 0)

    def add(self, state: MemoryState, stories: ResourceHistory) -> None:
        """Append the row of the frame that just ended.

        Args:
            state: The device's memory.
            stories: What happened to each name, the frame's events included.
        """
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
        for index, name in enumerate(_PARTS):
            row[2 * count + 3 + index] = self._gain(name, getattr(state.times, name))
        counts = log.counts
        for kind in _MARKS:
            if self._gain(kind.value, counts[kind.value]):
                event = self._told.get(kind.value)
                shared.marks.append((self._rows, kind.value))
                shared.notes.append((event.rule, event.text) if event is not None else ("", ""))
        self._told = {}
        self._rows += 1
        self._residency.add(state, stories, self._rows)
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
            mark_notes=tuple(self._shared.notes[: self._marked]),
            split_ns=table[:, 2 * count + 3 :],
            residency=self._residency.show(),
        )

    def copy(self) -> HistoryRecorder:
        """Return an independent copy; the rows so far are shared."""
        other = HistoryRecorder.__new__(HistoryRecorder)
        other.__dict__.update(self.__dict__)
        other._seen = dict(self._seen)
        other._told = dict(self._told)
        other._residency = self._residency.copy()
        return other

    def _own_end(self) -> _Rows:
        """Return rows whose next one is this recorder's to write."""
        shared, rows = self._shared, self._rows
        full = rows == len(shared.table)
        if shared.filled != rows or full:
            table = np.zeros((len(shared.table) * (2 if full else 1), shared.table.shape[1]), np.int64)
            table[:rows] = shared.table[:rows]
            marked = self._marked
            self._shared = _Rows(table, rows, shared.marks[:marked], shared.notes[:marked])
        return self._shared

    def _gain(self, name: str, total: int) -> int:
        before = self._seen.get(name, 0)
        self._seen[name] = total
        return total - before
