"""What happened to each resource since the start: bounded for each, exact after every seek, not part of a snapshot."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.events import Event, EventKind
from explorer.device.event_rows import KIND_NUMBERS, EventParts, EventRows
from explorer.sim.story_rows import StoryRows

if TYPE_CHECKING:
    from collections.abc import Sequence

RECENT = 24
"""Last events that are kept of each name; older ones are counted."""

MAX_NAMES = 200_000
"""Names that are remembered; beyond it those of objects that were released go first."""

PLACED = frozenset(
    {
        EventKind.ALLOCATED, EventKind.UPLOADED, EventKind.PAGED_IN, EventKind.MISPLACED, EventKind.RENAMED,
        EventKind.ACTIVATED, EventKind.MADE_RESIDENT, EventKind.CREATED,
    }
)  # fmt: skip
"""Kinds that say why something is where it is."""

GONE = frozenset({EventKind.EVICTED, EventKind.DEMOTED, EventKind.TRIMMED, EventKind.PAGED_OUT})
"""Kinds that say why something had to leave."""

FAILED = frozenset({EventKind.REFUSED, EventKind.DEVICE_REMOVED, EventKind.HAZARD, EventKind.NOT_SIMULATED})
"""Kinds that say why something did not work."""

_GAINERS = frozenset({EventKind.ALLOCATED, EventKind.UPLOADED, EventKind.PAGED_IN, EventKind.REFUSED})
_PRESSURE = frozenset({EventKind.OVER_BUDGET, EventKind.BUDGET_CHANGED})
_POLICIES = ("kernel.", "app.")
_SHARDS = 64

MANY = 256
"""Events of one kernel call from which on they stay rows."""


@dataclass(frozen=True, slots=True)
class Noted:
    """An event and what it follows from.

    Attributes:
        event: What happened.
        because: The event that led to it, or that it made room for; None where nothing did.
    """

    event: Event
    because: Event | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """What happened to one name.

    Attributes:
        count: Events in all.
        first: The first one.
        placed: The last one of ``PLACED``.
        gone: The last one of ``GONE``.
        failed: The last one of ``FAILED``.
        recent: The last ``RECENT`` ones, oldest first.
    """

    count: int
    first: Noted
    placed: Noted | None
    gone: Noted | None
    failed: Noted | None
    recent: tuple[Noted, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """The kept events in the order of their numbers, each once."""
        kept = {
            noted.event.number: noted.event
            for noted in (self.first, self.placed, self.gone, self.failed, *self.recent)
            if noted is not None
        }
        return tuple(kept[number] for number in sorted(kept))


class ResourceHistory:
    """The stories of all names, in pieces that copies share until one of them writes."""

    def __init__(self) -> None:
        self._shards: list[dict[str, Story]] = [{} for _ in range(_SHARDS)]
        self._own = [True] * _SHARDS
        self._pressure: Event | None = None
        self._rows = StoryRows(_GAINERS, GONE)
        self.number = 0
        """Events that became part of a story; those that stayed rows are not among them."""

    def note(self, events: Sequence[Event]) -> None:
        """Add the events of one call, in order."""
        if isinstance(events, EventParts) and any(isinstance(p, EventRows) and len(p) >= MANY for p in events.parts):
            for part in events.parts:
                if isinstance(part, EventRows) and len(part) >= MANY:
                    self._note_rows(part)
                else:
                    self.note(list(part))
            return
        if not events:
            return
        self.number += len(events)
        gainers = _gainers(events) if any(event.kind in GONE for event in events) else {}
        known = {event.number: event for event in events} if any(event.cause >= 0 for event in events) else {}
        for event in events:
            if event.kind in _PRESSURE:
                self._pressure = event
            if event.subject:
                because = known.get(event.cause) or self._because(event, gainers)
                self._add(Noted(event, because))

    def story(self, name: str) -> Story | None:
        """Return what happened to a name; None where nothing ever did."""
        told = self._shards[_shard(name)].get(name)
        count, found = self._rows.events_of(name) if len(self._rows) else (0, [])
        if not found:
            return told
        noted = [Noted(event, because) for event, because in found]
        if told is not None:
            noted.extend(
                one for one in (told.first, told.placed, told.gone, told.failed, *told.recent) if one is not None
            )
        kept = {one.event.number: one for one in noted}
        return _story([kept[number] for number in sorted(kept)], count + (told.count if told is not None else 0))

    def because_of(self, event: Event) -> Event | None:
        """Return what one of the latest events of its name follows from, as far as it was told by itself."""
        told = self._shards[_shard(event.subject)].get(event.subject)
        recent = told.recent if told is not None else ()
        return next((one.because for one in reversed(recent) if one.event.number == event.number), None)

    def copy(self) -> ResourceHistory:
        """Return an independent copy; it shares what neither of the two changes."""
        other = ResourceHistory.__new__(ResourceHistory)
        other._shards = list(self._shards)
        self._own = [False] * _SHARDS
        other._own = [False] * _SHARDS
        other._pressure = self._pressure
        other._rows = self._rows.copy()
        other.number = self.number
        return other

    def _note_rows(self, rows: EventRows) -> None:
        self._rows.add(rows, self._pressure)
        over = np.flatnonzero(rows.kinds() == KIND_NUMBERS[EventKind.OVER_BUDGET])
        if len(over):
            self._pressure = rows[int(over[-1])]

    def _because(self, event: Event, gainers: dict[int, Event]) -> Event | None:
        if event.kind not in GONE:
            return None
        gainer = gainers.get(event.number)
        if gainer is not None:
            return gainer
        # Nobody came in its place: the system or the application's policy took it for the budget, or a call did.
        return self._pressure if event.rule.startswith(_POLICIES) else None

    def _add(self, noted: Noted) -> None:
        event = noted.event
        at = _shard(event.subject)
        if not self._own[at]:
            self._shards[at] = dict(self._shards[at])
            self._own[at] = True
        shard = self._shards[at]
        old = shard.get(event.subject)
        kind = event.kind
        if old is None:
            if len(shard) >= MAX_NAMES // _SHARDS:
                self._shards[at] = shard = _living(shard)
            shard[event.subject] = Story(
                1,
                noted,
                noted if kind in PLACED else None,
                noted if kind in GONE else None,
                noted if kind in FAILED else None,
                (noted,),
            )
            return
        shard[event.subject] = Story(
            old.count + 1,
            old.first,
            noted if kind in PLACED else old.placed,
            noted if kind in GONE else old.gone,
            noted if kind in FAILED else old.failed,
            (*old.recent[1 - RECENT :], noted),
        )


def _story(noted: list[Noted], count: int) -> Story:
    """Return the story of events in order, of which there were so many in all."""

    def last(kinds: frozenset[EventKind]) -> Noted | None:
        return next((one for one in reversed(noted) if one.event.kind in kinds), None)

    return Story(count, noted[0], last(PLACED), last(GONE), last(FAILED), tuple(noted[-RECENT:]))


def _gainers(events: Sequence[Event]) -> dict[int, Event]:
    """Return number of a leaving event → the event that took its place: the next arrival of another name."""
    found: dict[int, Event] = {}
    gainer: Event | None = None
    for event in reversed(events):
        if event.kind in GONE:
            if gainer is not None and gainer.subject != event.subject:
                found[event.number] = gainer
        elif event.kind in _GAINERS:
            gainer = event
    return found


def _living(shard: dict[str, Story]) -> dict[str, Story]:
    return {name: story for name, story in shard.items() if story.recent[-1].event.kind != EventKind.RELEASED}


def _shard(name: str) -> int:
    # Not hash(): it differs from run to run, and with it what is dropped first.
    return zlib.crc32(name.encode()) % _SHARDS
