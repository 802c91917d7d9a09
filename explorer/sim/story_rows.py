"""Events of kernels that no story has told yet: kept as rows, looked through when somebody asks for a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.events import Event, EventKind
from explorer.device.event_rows import KIND_NUMBERS, EventRows

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt


MOST_ROWS = 1 << 19
"""Rows that are kept, about 40 MB. Beyond it older ones are only counted, but for the last arrival and the last
departure of each name."""


@dataclass(frozen=True, slots=True)
class _Part:
    """The rows of one call, and what stood behind them.

    Attributes:
        rows: The events.
        pressure: The last event before them that speaks of a budget.
    """

    rows: EventRows
    pressure: Event | None


class StoryRows:
    """Rows of events by name. Copies share what was kept.

    Args:
        arrivals: Kinds after which a name is somewhere.
        departures: Kinds after which it had to leave.
        most_rows: Rows to keep.
    """

    def __init__(
        self, arrivals: Iterable[EventKind], departures: Iterable[EventKind], most_rows: int = MOST_ROWS
    ) -> None:
        self._flags = np.zeros((2, len(KIND_NUMBERS)), np.bool_)
        for flags, kinds in zip(self._flags, (arrivals, departures), strict=True):
            flags[[KIND_NUMBERS[kind] for kind in kinds]] = True
        self._most = most_rows
        self._parts: tuple[_Part, ...] = ()
        self._count = 0
        self._forgotten = np.zeros(0, np.int64)
        self._ids: dict[str, list[int]] = {}
        self._indexed: tuple[list[str], int] = ([], 0)

    def __len__(self) -> int:
        """Return the number of rows that are kept."""
        return self._count

    def add(self, rows: EventRows, pressure: Event | None) -> None:
        """Keep the events of a kernel call."""
        self._parts = (*self._parts, _Part(rows, pressure))
        self._count += len(rows)
        if self._count > self._most:
            self._thin()

    def events_of(self, name: str) -> tuple[int, list[tuple[Event, Event | None]]]:
        """Return how many events there were of a name, and those that are kept with what each made room for."""
        if not self._parts:
            return 0, []
        ids = self._ids_of(name)
        count = int(self._forgotten[ids[ids < len(self._forgotten)]].sum())
        found: list[tuple[Event, Event | None]] = []
        for part in self._parts:
            for index in np.flatnonzero(np.isin(part.rows.subjects, ids)).tolist():
                found.append((part.rows[index], self._because(part, index)))
        return count + len(found), found

    def copy(self) -> StoryRows:
        """Return an independent copy."""
        other = StoryRows.__new__(StoryRows)
        other.__dict__.update(self.__dict__)
        other._ids, other._indexed = {}, ([], 0)
        return other

    def _ids_of(self, name: str) -> npt.NDArray[np.int32]:
        names = self._parts[-1].rows.names
        if self._indexed[0] is not names:
            self._ids, self._indexed = {}, (names, 0)
        for at in range(self._indexed[1], len(names)):
            self._ids.setdefault(names[at], []).append(at)
        self._indexed = names, len(names)
        return np.array(self._ids.get(name, ()), np.int32)

    def _because(self, part: _Part, index: int) -> Event | None:
        """Return for whom something left: the next arrival, else the budget that pressed."""
        rows = part.rows
        kinds = rows.kinds()
        if not self._flags[1][kinds[index]]:
            return None
        after = np.flatnonzero(
            self._flags[0][kinds[index + 1 :]] & (rows.subjects[index + 1 :] != rows.subjects[index])
        )
        if len(after):
            return rows[index + 1 + int(after[0])]
        before = np.flatnonzero(kinds[:index] == KIND_NUMBERS[EventKind.OVER_BUDGET])
        return rows[int(before[-1])] if len(before) else part.pressure

    def _thin(self) -> None:
        """Keep the newer half whole, and of the older one what answers why a name is where it is."""
        names = len(self._parts[-1].rows.names)
        counts = np.zeros(names, np.int64)
        counts[: len(self._forgotten)] = self._forgotten
        known = np.zeros((2, names), np.bool_)
        kept: list[_Part] = []
        whole = 0
        for part in reversed(self._parts):
            rows, flags = part.rows, self._flags[:, part.rows.kinds()]
            about = rows.subjects >= 0
            wanted = np.ones(len(rows), np.bool_)
            if whole >= self._most // 2:
                wanted[:] = False
                for which in range(2):
                    candidates = np.flatnonzero(flags[which] & about)
                    # Written in order: what stays for a name is its last one.
                    last = np.full(names, -1, np.int64)
                    last[rows.subjects[candidates]] = candidates
                    last[known[which]] = -1
                    wanted[last[last >= 0]] = True
                gone = rows.subjects[~wanted & about]
                counts += np.bincount(gone, minlength=names)
            for which in range(2):
                known[which][rows.subjects[flags[which] & about]] = True
            whole += len(rows)
            if wanted.all():
                kept.append(part)
            elif wanted.any():
                kept.append(_Part(rows.only(np.flatnonzero(wanted)), part.pressure))
        self._parts = tuple(reversed(kept))
        self._count = sum(len(part.rows) for part in self._parts)
        self._forgotten = counts
