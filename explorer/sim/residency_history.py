"""Where the bytes of each heap and resource were, frame by frame: only changes are kept, found through events.

A frame costs what happened in it: the names in its events are looked at once, when it ends. What happened to nobody is
not looked at. Rows are shared between a recorder and its copies, so that every checkpoint can hold one.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.columns import Bools, Int32
from explorer.core.events import Event, EventKind
from explorer.core.kinds import ResidencyPlace
from explorer.core.words import Words
from explorer.device.event_rows import KIND_OF, EventParts, EventRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from explorer.device.memory_state import MemoryState
    from explorer.sim.residency_places import Whereabouts
    from explorer.sim.resource_history import ResourceHistory

NAME, FRAME, PLACE, SEGMENT, HOLDER, ALSO, KIND, RULE, CAUSE, CAUSE_KIND = range(10)
"""Columns of a row: word; frames run when it had happened; ``ResidencyPlace`` at the end of each frame from then on;
segment or −1; word of the heap that holds it or −1; ``ResidencyPlace`` where it was as well within each of these
frames, 0 none; index into ``KINDS`` or −1; word of the rule or −1; word of the name that it made way for or followed
from or −1; index into ``KINDS`` of the event that speaks of that name, or −1."""

COLUMNS = 10

KINDS = tuple(EventKind)
"""Kinds of events by number."""

_KIND_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
_KINDS_TOLD = np.array([_KIND_NUMBERS[kind] for kind in KIND_OF], np.int64)

MOST_ROWS = 1 << 19
"""Rows that are kept, 20 MiB: beyond it the older half goes. More only where more lives than that."""

MANY = 256
"""Events of one kernel call from which on they are looked at as columns."""

_BY_ITSELF = -2
_PART = 4096
_PAGE = 4096
_MOVES = frozenset(
    {
        EventKind.CREATED, EventKind.RELEASED, EventKind.ALLOCATED, EventKind.FREED, EventKind.UPLOADED,
        EventKind.EVICTED, EventKind.PAGED_IN, EventKind.PAGED_OUT, EventKind.DEMOTED, EventKind.TRIMMED,
        EventKind.MADE_RESIDENT, EventKind.MISPLACED,
    }
)  # fmt: skip
"""Kinds after which something may be elsewhere."""

_CAME, _EVICTED, _DEMOTED, _PAGED_OUT = 1, 2, 4, 8
_WAYS = {
    EventKind.UPLOADED: _CAME, EventKind.PAGED_IN: _CAME, EventKind.MADE_RESIDENT: _CAME,
    EventKind.EVICTED: _EVICTED, EventKind.DEMOTED: _DEMOTED, EventKind.PAGED_OUT: _PAGED_OUT,
}  # fmt: skip
"""What an event says about coming and going within a frame."""

_SAYS_LESS = {
    EventKind.PAGED_OUT: EventKind.EVICTED, EventKind.FREED: EventKind.RELEASED, EventKind.CREATED: EventKind.ALLOCATED,
}  # fmt: skip
"""Kind → the kind that tells more about the same thing and came before it."""

_ALL_MOVE = frozenset({EventKind.DEVICE_LOST, EventKind.RESET})
_TILE_RULE = "d3d12.6.6a"
"""Rule of the event that reports another tile mapping."""

_GPU = (ResidencyPlace.LOCAL, ResidencyPlace.NON_LOCAL, ResidencyPlace.LOST)
_BEEN = 1 << 8
"""Set in a remembered place of what the GPU could read once in its life."""


@dataclass(frozen=True, slots=True, eq=False)
class ResidencyHistory:
    """One row for each change, oldest first. Not part of the saved snapshot.

    Attributes:
        parts: int32, shape (rows, 10) each, read-only; the columns are ``NAME`` and what follows it.
        words: Names and rules that the columns point to; it may know more of them than the rows do.
        since: Changes before this frame are forgotten; what lived then stands in the first rows.
    """

    parts: tuple[Int32, ...] = ()
    words: Words = field(default_factory=Words)
    since: int = 0

    def __len__(self) -> int:
        """Return the number of rows."""
        return sum(map(len, self.parts))

    def is_prefix_of(self, other: ResidencyHistory) -> bool:
        """Return whether another history begins with the same rows."""
        if self.words is not other.words or len(self) > len(other):
            return False
        theirs = itertools.chain(other.parts, itertools.repeat(np.zeros((0, COLUMNS), np.int32)))
        # Parts are cut at the same rows: only the last ones may differ in length.
        return all(
            mine is part or np.array_equal(mine, part[: len(mine)])
            for mine, part in zip(self.parts, theirs, strict=False)
        )

    def last_row(self, name: str) -> Int32 | None:
        """Return the last row of a name, that of its heap where it is placed in one; None where nothing is known."""
        rows = self.rows_of([name]).get(name)
        if rows is None:
            return None
        last = rows[-1]
        if last[PLACE] != ResidencyPlace.IN_HEAP:
            return last
        holder = self.words.words[int(last[HOLDER])]
        rows = self.rows_of([holder]).get(holder)
        return rows[-1] if rows is not None else None

    def movers(self) -> frozenset[str]:
        """Return the names of what once was out of the GPU's reach, or lay in a heap that was."""
        out: set[int] = set()
        for part in self.parts:
            names: Int32 = part[is_out(part), NAME]
            out.update(map(int, np.unique(names)))
        heaps = np.array(sorted(out), np.int32)
        for part in self.parts:
            out.update(map(int, np.unique(part[np.isin(part[:, HOLDER], heaps), NAME])))
        return frozenset(self.words.words[number] for number in out)

    def rows_of(self, names: Sequence[str]) -> dict[str, Int32]:
        """Return the rows of some names, shape (rows, 10) each; names that nothing is known of are left out."""
        numbers = {name: self.words.index[name] for name in names if name in self.words.index}
        if not numbers:
            return {}
        wanted = np.zeros(len(self.words.words) + 1, np.bool_)
        wanted[list(numbers.values())] = True
        found = [part[wanted[part[:, NAME]]] for part in self.parts]
        rows = np.concatenate(found) if found else np.zeros((0, COLUMNS), np.int32)
        split = {name: rows[rows[:, NAME] == number] for name, number in numbers.items()}
        return {name: mine for name, mine in split.items() if len(mine)}


def is_out(rows: Int32) -> Bools:
    """Return which rows say that something was out of the GPU's reach, or was so within each frame."""
    place = rows[:, PLACE]
    return ((place >= ResidencyPlace.EVICTED) & (place <= ResidencyPlace.LOST)) | (rows[:, ALSO] > 0)


class _Tail:
    """The rows that are being filled; recorders that write the same ones share them.

    Attributes:
        rows: int32, shape (capacity, 10).
        filled: Rows that some recorder wrote.
    """

    __slots__ = ("filled", "rows")

    def __init__(self, rows: Int32, filled: int) -> None:
        self.rows = rows
        self.filled = filled


class ResidencyRecorder:
    """Appends the changes of each frame. Rows that a snapshot has seen are never written again.

    Args:
        most_rows: Rows to keep.
    """

    def __init__(self, most_rows: int = MOST_ROWS) -> None:
        self._most = self._limit = max(most_rows, 2 * _PART)
        self._words = Words()
        self._full: tuple[Int32, ...] = ()
        self._tail = _Tail(np.zeros((_PART, COLUMNS), np.int32), 0)
        self._in_tail = 0
        self._since = 0
        self._holders: frozenset[str] = frozenset()
        # Word → place with ``_BEEN``, segment, holder, also, as in the last row. Copies share pages until they write.
        self._pages: list[Int32] = []
        self._own: list[bool] = []
        self._told: dict[str, Event] = {}
        self._ways: dict[str, int] = {}
        self._restless: dict[str, None] = {}
        self._all: Event | None = None
        self._moved: list[EventRows] = []
        # Name number of a heap → its word, −1 not looked up yet, −2 one that has to be looked at by itself.
        self._word_of = np.zeros(0, np.int64)
        self._shown: ResidencyHistory | None = None

    def note(self, events: Sequence[Event]) -> None:
        """Remember whom the events of one call speak of."""
        if isinstance(events, EventParts):
            for part in events.parts:
                if isinstance(part, EventRows) and len(part) >= MANY:
                    self._moved.append(part)
                else:
                    self.note(list(part))
            return
        told = self._told
        for event in events:
            kind, name = event.kind, event.subject
            if kind in _MOVES or event.rule == _TILE_RULE:
                before = told.get(name)
                if before is None or before.kind is not _SAYS_LESS.get(kind):
                    told[name] = event
                way = _WAYS.get(kind)
                if way is not None:
                    self._ways[name] = self._ways.get(name, 0) | way
            elif kind in _ALL_MOVE:
                self._all = event

    def add(self, state: MemoryState, stories: ResourceHistory, frame: int) -> None:
        """Append what changed since the last time.

        Args:
            state: The device's memory.
            stories: What happened to each name, and why.
            frame: Frames run.
        """
        restless = dict(self._restless)
        if self._moved:
            self._add_moved(state, frame)
        told, everybody, ways = self._told, self._all, self._ways
        if not told and everybody is None and not restless:
            return
        from explorer.sim.residency_places import find_places

        self._told, self._all, self._ways = {}, None, {}
        # What came and went within the frame before has to be looked at again: it may be at rest now.
        names = {**dict.fromkeys(told), **restless}
        if everybody is not None:
            names.update(dict.fromkeys(state.objects))
        places = find_places(state, names, self._holders)
        for name, where in places.items():
            self._append(name, where, ways.get(name, 0), told.get(name, everybody), stories, frame)
        holders = {where.holder for where in places.values()} - {""}
        if not holders <= self._holders:
            self._holders |= holders
        if len(self._full) * _PART > self._limit:
            self._forget_half()

    def show(self) -> ResidencyHistory:
        """Return the rows so far."""
        if self._shown is None:
            tail = self._tail.rows[: self._in_tail]
            tail.flags.writeable = False
            self._shown = ResidencyHistory((*self._full, tail), self._words, self._since)
        return self._shown

    def copy(self) -> ResidencyRecorder:
        """Return an independent copy; rows, words and pages are shared until one of the two goes on."""
        other = ResidencyRecorder.__new__(ResidencyRecorder)
        other.__dict__.update(self.__dict__)
        other._pages = list(self._pages)
        self._own = [False] * len(self._pages)
        other._own = list(self._own)
        other._told, other._ways = dict(self._told), dict(self._ways)
        other._restless = dict(self._restless)
        other._moved = list(self._moved)
        return other

    def _add_moved(self, state: MemoryState, frame: int) -> None:
        """Append what kernel calls moved; who else has a part in the frame is left to the look at single names."""
        from explorer.sim.residency_rows import also_at, find_moved, rule_words

        moved, told = find_moved(state, self._moved), self._moved
        self._moved = []
        word_of = self._words_of(state, moved.names)
        words = word_of[moved.names]
        lone: list[int] = moved.names[words == _BY_ITSELF].tolist()
        for name in (told[0].names[at] for at in lone):
            event = next(event for rows in reversed(told) for event in reversed(rows) if event.subject == name)
            self._told.setdefault(name, event)
        by_itself = {self._words.index[name] for name in (*self._told, *self._restless) if name in self._words.index}
        keep = np.flatnonzero((words >= 0) & ~np.isin(words, list(by_itself)))
        numbers, ways, kinds = words[keep], moved.ways[keep], moved.kinds[keep]
        places, segments, usable = moved.places[keep], moved.segments[keep], moved.usable[keep]
        before = self._remembered(numbers)
        been = before[:, 0] & _BEEN
        out = (places == ResidencyPlace.SYSTEM) & ~usable & ((been > 0) | (ways & _EVICTED > 0))
        places[out] = ResidencyPlace.EVICTED
        also = also_at(places, ways)
        both: list[int] = numbers[also > 0].tolist()
        self._restless.update(dict.fromkeys(self._words.words[at] for at in both))
        now = np.stack([places, segments, np.full(len(keep), -1), also], axis=1)
        changed = np.flatnonzero(((before[:, 0] & 0xFF) != places) | (before[:, 1:] != now[:, 1:]).any(axis=1))
        if not len(changed):
            return
        been |= np.where(np.isin(places, _GPU) | (also > 0), _BEEN, 0)
        now[:, 0] |= been
        self._remember(numbers[changed], now[changed])
        rows = np.full((len(changed), COLUMNS), -1, np.int64)
        rows[:, NAME], rows[:, FRAME], rows[:, PLACE] = numbers[changed], frame, places[changed]
        rows[:, SEGMENT], rows[:, ALSO] = segments[changed], also[changed]
        rows[:, KIND] = _KINDS_TOLD[kinds[changed]]
        rows[:, RULE] = rule_words(self._words)[kinds[changed]]
        self._write_many(rows.astype(np.int32))

    def _words_of(self, state: MemoryState, names: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the word of each heap name by its number, at least of those that are named."""
        ever = state.heap_names_ever
        if len(self._word_of) < len(ever):
            longer = np.full(len(ever), -1, np.int64)
            longer[: len(self._word_of)] = self._word_of
            self._word_of = longer
        fresh: list[int] = names[self._word_of[names] == -1].tolist()
        if fresh:
            self._word_of = self._word_of.copy()
        for at in fresh:
            # What is released, or is a version of something else, is not simply where its heap is.
            known = ever[at] in state.objects and ever[at] not in self._holders
            self._word_of[at] = self._words.number(ever[at]) if known else _BY_ITSELF
        return self._word_of

    def _remembered(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return place, segment, holder and also of words as in their last rows; shape (n, 4)."""
        found = np.empty((len(numbers), 4), np.int64)
        at = numbers // _PAGE
        for page in map(int, np.unique(at)):
            mine = at == page
            found[mine] = self._page(page * _PAGE)[numbers[mine] % _PAGE]
        return found

    def _remember(self, numbers: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]) -> None:
        at = numbers // _PAGE
        for page in map(int, np.unique(at)):
            mine = at == page
            self._own_page(page * _PAGE)[numbers[mine] % _PAGE] = rows[mine]

    def _write_many(self, rows: Int32) -> None:
        while len(rows):
            # The first one makes sure that the tail is this recorder's own and has room.
            self._write(tuple(map(int, rows[0])))
            room = min(_PART - self._in_tail, len(rows) - 1)
            self._tail.rows[self._in_tail : self._in_tail + room] = rows[1 : 1 + room]
            self._in_tail += room
            self._tail.filled = self._in_tail
            rows = rows[1 + room :]

    def _append(
        self, name: str, where: Whereabouts, ways: int, event: Event | None, stories: ResourceHistory, frame: int
    ) -> None:
        words = self._words
        if where.place is ResidencyPlace.ABSENT and not self._lives(name):
            return
        number = words.number(name)
        page, at = self._page(number), number % _PAGE
        before, been = int(page[at, 0]) & 0xFF, int(page[at, 0]) & _BEEN
        place = where.place
        if place is ResidencyPlace.SYSTEM and not where.usable and (been or ways & _EVICTED):
            place = ResidencyPlace.EVICTED
        also = _also(place, ways)
        self._restless.pop(name, None)
        if also:
            self._restless[name] = None
        holder = words.number(where.holder) if where.holder else -1
        if (before, *map(int, page[at, 1:])) == (place, where.segment, holder, also):
            return
        been = 0 if place is ResidencyPlace.ABSENT else been | (_BEEN if place in _GPU or also else 0)
        page = self._own_page(number)
        page[at] = (place | been, where.segment, holder, also)
        kind, rule, cause, cause_kind = -1, -1, -1, -1
        if event is not None:
            kind, rule = _KIND_NUMBERS[event.kind], words.number(event.rule) if event.rule else -1
            because = _cause(name, event, stories)
            if because is not None:
                cause, cause_kind = words.number(because.subject), _KIND_NUMBERS[because.kind]
        self._write((number, frame, place, where.segment, holder, also, kind, rule, cause, cause_kind))

    def _lives(self, name: str) -> bool:
        """Return whether the last row of a name says that it lives; another recorder may have met the name."""
        number = self._words.index.get(name)
        return number is not None and int(self._page(number)[number % _PAGE, 0]) & 0xFF != ResidencyPlace.ABSENT

    def _write(self, row: tuple[int, ...]) -> None:
        tail = self._tail
        if self._in_tail == _PART:
            full = tail.rows.view()
            full.flags.writeable = False
            self._full = (*self._full, full)
            self._tail = tail = _Tail(np.zeros((_PART, COLUMNS), np.int32), 0)
            self._in_tail = 0
        elif tail.filled != self._in_tail:
            # Another recorder went on from here: its rows stay its own.
            rows = np.zeros((_PART, COLUMNS), np.int32)
            rows[: self._in_tail] = tail.rows[: self._in_tail]
            self._tail = tail = _Tail(rows, self._in_tail)
        tail.rows[self._in_tail] = row
        self._in_tail += 1
        tail.filled = self._in_tail
        self._shown = None

    def _page(self, number: int) -> Int32:
        """Return the page of a word, to read."""
        while number // _PAGE >= len(self._pages):
            fresh = np.zeros((_PAGE, 4), np.int32)
            fresh[:, 1:3] = -1
            self._pages.append(fresh)
            self._own.append(True)
        return self._pages[number // _PAGE]

    def _own_page(self, number: int) -> Int32:
        """Return the page of a word, to write."""
        at = number // _PAGE
        if not self._own[at]:
            self._pages[at] = self._pages[at].copy()
            self._own[at] = True
        return self._pages[at]

    def _forget_half(self) -> None:
        """Keep the newer half of the rows, and of the older one what stands at its end; words are counted anew."""
        cut = len(self._full) // 2
        old = np.concatenate(self._full[:cut])
        kept = np.concatenate((*self._full[cut:], self._tail.rows[: self._in_tail]))
        _, last = np.unique(old[::-1, NAME], return_index=True)
        base = old[np.sort(len(old) - 1 - last)]
        base = base[base[:, PLACE] != ResidencyPlace.ABSENT]
        rows = np.concatenate((base, kept))
        self._since = int(kept[0, FRAME]) if len(kept) else self._since
        self._limit = max(self._most, 4 * len(base))
        self._renumber(rows)

    def _renumber(self, rows: Int32) -> None:
        """Take over rows with words that name only what they speak of."""
        words, old, known, fresh = self._words.words, self._words.index, self._pages, Words()
        number_of = np.full(len(words) + 1, -1, np.int32)
        for column in (NAME, HOLDER, RULE, CAUSE):
            for word in map(int, np.unique(rows[:, column])):
                if word >= 0 and number_of[word] < 0:
                    number_of[word] = fresh.number(words[word])
        rows = rows.copy()
        for column in (NAME, HOLDER, RULE, CAUSE):
            rows[:, column] = number_of[rows[:, column]]
        self._words, self._pages, self._own = fresh, [], []
        self._word_of = np.zeros(0, np.int64)
        for name, number in fresh.index.items():
            before = old[name]
            if before // _PAGE < len(known):
                self._page(number)[number % _PAGE] = known[before // _PAGE][before % _PAGE]
        parts = [rows[at : at + _PART] for at in range(0, len(rows), _PART)]
        tail = np.zeros((_PART, COLUMNS), np.int32)
        last = parts.pop() if parts else tail[:0]
        tail[: len(last)] = last
        for part in parts:
            part.flags.writeable = False
        self._full, self._tail, self._in_tail = tuple(parts), _Tail(tail, len(last)), len(last)
        self._shown = None


def _also(place: ResidencyPlace, ways: int) -> int:
    """Return where something was as well in a frame in which it came and went; 0 where it did not."""
    if not ways & _CAME or not ways & ~_CAME or place is ResidencyPlace.ABSENT:
        return 0
    if place not in _GPU:
        return int(ResidencyPlace.LOCAL)
    if ways & _EVICTED:
        return int(ResidencyPlace.EVICTED)
    away = ResidencyPlace.NON_LOCAL if ways & _DEMOTED else ResidencyPlace.PAGE_FILE
    return int(away) if away is not place else int(ResidencyPlace.LOCAL)


def _cause(name: str, event: Event, stories: ResourceHistory) -> Event | None:
    """Return the event about another name that led to one; None where nobody else is behind it."""
    because = stories.because_of(event) if event.subject == name else None
    return because if because is not None and because.subject not in ("", name) else None
