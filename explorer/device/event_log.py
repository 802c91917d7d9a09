"""The events of a device: numbered without gaps, counted by kind, the last ones kept."""

from __future__ import annotations

from collections import Counter, deque
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.events import Event, EventKind
from explorer.device.event_rows import EventParts, EventRows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

TAIL = 1000


class EventLog:
    """Numbers and counts what happens.

    Attributes:
        frame: Frame that the next event belongs to.
        time_ns: Simulated time of the next event.
    """

    def __init__(self) -> None:
        self.frame = 0
        self.time_ns = 0
        self._number = 0
        self._counts: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()
        self._tail: deque[Event | tuple[EventRows, int]] = deque(maxlen=TAIL)
        self._open: list[Event] = []
        self._closed: list[list[Event] | EventRows] = []
        self._cause = -1

    def add(
        self,
        kind: EventKind,
        subject: str = "",
        segment: str = "",
        size: int = 0,
        *,
        rule: str = "",
        text: str = "",
        cause: int | None = None,
    ) -> Event:
        """Record an event and return it; without ``cause`` it is the one set by ``because``."""
        event = Event(
            self._number,
            self.frame,
            self.time_ns,
            kind,
            subject,
            segment,
            size,
            rule,
            text,
            self._cause if cause is None else cause,
        )
        self._number += 1
        self._counts[kind] += 1
        self._bytes[kind] += size
        self._tail.append(event)
        self._open.append(event)
        return event

    def add_rows(
        self,
        table: npt.NDArray[np.int64],
        subjects: npt.NDArray[np.int32],
        names: list[str],
        segments: tuple[str, ...],
        groups: tuple[tuple[int, str], ...],
    ) -> None:
        """Record the events that a kernel wrote down; see ``EventRows``."""
        numbers = np.arange(self._number, self._number + len(table))
        rows = EventRows(numbers, self.frame, self._cause, table, subjects, names, segments, groups)
        self._number += len(rows)
        for kind, count, size in rows.sums():
            self._counts[kind] += count
            self._bytes[kind] += size
        self._tail.extend(zip(repeat(rows), range(max(0, len(rows) - TAIL), len(rows)), strict=False))
        if self._open:
            self._closed.append(self._open)
            self._open = []
        self._closed.append(rows)

    def because(self, cause: int) -> int:
        """Name the event that the next ones follow from (−1 none); returns the one before."""
        before, self._cause = self._cause, cause
        return before

    def take(self) -> Sequence[Event]:
        """Return the events since the last ``take``: a tuple where none of them are rows."""
        if not self._closed:
            events, self._open = tuple(self._open), []
            return events
        parts, self._open, self._closed = [*self._closed, self._open], [], []
        return EventParts(parts)

    @property
    def tail(self) -> tuple[Event, ...]:
        """The last events, oldest first."""
        events = tuple(one if isinstance(one, Event) else one[0][one[1]] for one in self._tail)
        # What was made once is kept: the next snapshot shows most of it again.
        self._tail = deque(events, maxlen=TAIL)
        return events

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each kind happened; every kind is present."""
        return {kind.value: self._counts[kind] for kind in EventKind}

    def bytes_of(self, kind: EventKind) -> int:
        """Return the sum of the sizes of all events of a kind."""
        return self._bytes[kind]

    def copy(self) -> EventLog:
        """Return an independent copy."""
        other = EventLog.__new__(EventLog)
        other.__dict__.update(self.__dict__)
        other._counts = Counter(self._counts)
        other._bytes = Counter(self._bytes)
        other._tail = deque(self._tail, maxlen=TAIL)
        other._open = list(self._open)
        other._closed = list(self._closed)
        return other
