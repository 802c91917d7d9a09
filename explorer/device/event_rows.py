"""Events that a kernel wrote down as rows of numbers; each becomes an ``Event`` when somebody looks at it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import overload

import numpy as np
import numpy.typing as npt

from explorer.core.events import Event, EventKind
from explorer.device import kernel_texts
from explorer.memory import paging as p

_ABOUT_GROUPS = (p.WENT_OVER, p.CAME_WITHIN, p.FROZE)

KIND_OF: tuple[EventKind, ...] = (
    EventKind.EVICTED,
    EventKind.PAGED_OUT,
    EventKind.PAGED_OUT,
    EventKind.PAGED_IN,
    EventKind.PAGED_IN,
    EventKind.PAGED_IN,
    EventKind.DEMOTED,
    EventKind.OVER_BUDGET,
    EventKind.WITHIN_BUDGET,
    EventKind.STALLED,
)
"""Kind of event by what the kernel tells."""

RULE_OF = (
    "kernel.over-budget", "kernel.paging", "kernel.page-file", "kernel.paging", "kernel.over-budget",
    "kernel.over-budget", "kernel.over-budget", "kernel.over-budget", "d3d12.8.5c", "kernel.freeze",
)  # fmt: skip
"""Rule by what the kernel tells."""

KIND_NUMBERS = {kind: number for number, kind in enumerate(EventKind)}
"""Kind of event → its number."""

_KIND_NUMBER_OF = np.array([KIND_NUMBERS[kind] for kind in KIND_OF], np.int64)
_SHOWS_SOURCE = (p.EVICTED,)
_NO_SEGMENT = -1


@dataclass(frozen=True, slots=True, eq=False)
class EventRows(Sequence[Event]):
    """The events of one kernel call, in order.

    Attributes:
        numbers: int64, shape (n,): their numbers, rising.
        frame: Frame in which they happened.
        cause: Number of the event that led to them, −1 none.
        table: int64, shape (n, ``paging.EVENT_COLUMNS``), read-only.
        subjects: int32, shape (n,): index into ``names``; for what is about a budget group −1 − its index.
        names: Names of all heaps that ever were, by index.
        segments: Names of the segments.
        groups: Node and name of the budget groups.
    """

    numbers: npt.NDArray[np.int64]
    frame: int
    cause: int
    table: npt.NDArray[np.int64]
    subjects: npt.NDArray[np.int32]
    names: list[str]
    segments: tuple[str, ...]
    groups: tuple[tuple[int, str], ...]

    def __len__(self) -> int:
        return len(self.table)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | Sequence[Event]:
        if isinstance(index, slice):
            return [self._event(at) for at in range(*index.indices(len(self.table)))]
        if not -len(self.table) <= index < len(self.table):
            raise IndexError(index)
        return self._event(index % len(self.table))

    def __iter__(self) -> Iterator[Event]:
        return map(self._event, range(len(self.table)))

    def subject(self, index: int) -> str:
        """Return the name that an event is about."""
        at = int(self.subjects[index])
        return self.names[at] if at >= 0 else self.groups[-1 - at][1]

    def kinds(self) -> npt.NDArray[np.int64]:
        """Return the kind of each event as a number of ``KIND_NUMBERS``, shape (n,)."""
        return _KIND_NUMBER_OF[self.table[:, p.WHAT]]

    def about_budgets(self) -> list[Event]:
        """Return the events that speak of a budget group."""
        return [self._event(at) for at in np.flatnonzero(self.subjects < 0).tolist()]

    def only(self, indices: npt.NDArray[np.int64]) -> EventRows:
        """Return some of the events, in order."""
        return replace(
            self, numbers=self.numbers[indices], table=self.table[indices], subjects=self.subjects[indices]
        )  # fmt: skip

    def sums(self) -> list[tuple[EventKind, int, int]]:
        """Return how many events of a kind there are, and their bytes; a kind may come more than once."""
        what = self.table[:, p.WHAT]
        counts = np.bincount(what, minlength=len(KIND_OF)).tolist()
        return [
            (KIND_OF[at], count, int(self.table[what == at, p.BYTES].sum())) for at, count in enumerate(counts) if count
        ]

    def _event(self, index: int) -> Event:
        row: list[int] = self.table[index].tolist()
        what, _, source, target, size, time_ns, asked, limit = row
        segment = source if what in _SHOWS_SOURCE else target
        group = self.groups[-1 - int(self.subjects[index])] if what in _ABOUT_GROUPS else (0, "")
        return Event(
            int(self.numbers[index]),
            self.frame,
            time_ns,
            KIND_OF[what],
            self.subject(index),
            self.segments[segment] if segment != _NO_SEGMENT else "",
            size,
            RULE_OF[what],
            self._text(what, index, source, target, size, asked, limit, group),
            self.cause,
        )

    def _text(
        self, what: int, index: int, source: int, target: int, size: int, asked: int, limit: int, group: tuple[int, str]
    ) -> str:
        node, group_name = group
        if what == p.WENT_OVER:
            return kernel_texts.over_budget(group_name, node, asked, limit)
        if what == p.CAME_WITHIN:
            return kernel_texts.within_budget(group_name, node)
        if what == p.FROZE:
            return kernel_texts.frozen(group_name, size)
        name, was, now = self.subject(index), self.segments[source], self.segments[target]
        why = kernel_texts.OVER_BUDGET if asked < 0 else kernel_texts.for_room(asked)
        if what == p.EVICTED:
            return kernel_texts.evicted(name, was, why)
        if what == p.PAGED_OUT:
            return kernel_texts.paged_out(name, size, now)
        if what == p.WENT_TO_FILE:
            return kernel_texts.went_to_file(name, size, now)
        if what == p.PAGED_IN:
            return kernel_texts.paged_in(name, size, was, now)
        if what == p.CAME_BACK:
            return kernel_texts.came_back(name, size, now)
        if what == p.CAME_BESIDE:
            return kernel_texts.came_beside(name, size, was, now)
        return kernel_texts.demoted(name, size, was, now, why)


class EventParts(Sequence[Event]):
    """Events of one call, some of them still rows.

    Args:
        parts: Events and rows of events, in order.
    """

    __slots__ = ("_length", "parts")

    def __init__(self, parts: list[list[Event] | EventRows]) -> None:
        self.parts = parts
        self._length = sum(map(len, parts))

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | Sequence[Event]:
        if isinstance(index, slice):
            return list(self)[index]
        at = index + self._length if index < 0 else index
        for part in self.parts:
            if 0 <= at < len(part):
                return part[at]
            at -= len(part)
        raise IndexError(index)

    def __iter__(self) -> Iterator[Event]:
        for part in self.parts:
            yield from part
