"""Kept states of a run, so that going back starts near the wanted frame: spacing by work, memory bounded.

A checkpoint is a copy of the device. Columns and name tables that did not change since the one before are the same
object in both, so that a long run over a large, steady memory keeps few bytes for each. Spacing follows the work of
the frames between, counted in calls, references and events, and the bytes of a copy: the same run keeps the same
checkpoints on every machine.
"""

from __future__ import annotations

import functools
import operator
import sys
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.core.names import NameRuns
from explorer.device.device import Device
from explorer.device.event_rows import EventParts, EventRows
from explorer.sim.history import HistoryRecorder
from explorer.sim.resource_history import ResourceHistory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from explorer.core.events import Event

SPACING_WORK = 5_000
"""Work between two checkpoints while memory lasts. Measured on the presets: a unit takes 4 to 14 µs, so that the
frames between take at most about 0.07 s to run again."""

COPY_BYTES = 9_000
"""Bytes that are copied in the time of one unit of work (measured: 60 ms for 94 MB of columns and name tables; small
states take longer for each byte, but their spacing is that of the work)."""

_COPY_SHARE = 2
"""A checkpoint is due after this many times the work of its copy: a run over a large memory spends at most a third on
going back later, and what lies between two checkpoints takes 0.1 s to run again."""

MEMORY_BYTES = 768 << 20
"""Bytes that all checkpoints of a run may hold together, as ``own_bytes`` estimates them."""

_EVENT_BYTES = 450
"""What a checkpoint holds for each event since the one before: the event, its text, its place in a story."""

_CALL_WORK, _EVENT_WORK = 8, 2
_IN_COLUMNS = 32
"""References and events that stay columns, for each that is gone through by itself (measured: 1.5 ms for 10,000)."""

_WALKED, _SAMPLE = 64, 8
_DEPTH, _WALK_DEPTH = 5, 3
"""How deep parts are looked for: device, state, segment, its allocator, the core of that; and how deep containers are
gone through: the tables of the state, not the lists of an allocator, whose nodes are many and change all the time."""

_OURS = ("explorer.device", "explorer.memory", "explorer.sim")
_CONTAINERS = (dict, list, set, tuple, deque)


def frame_work(calls: int, references: int, events: int) -> int:
    """Return the work of calls in units of about one reference."""
    return _CALL_WORK * calls + references + _EVENT_WORK * events


def name_work(names: Sequence[str]) -> int:
    """Return the references that names of a call count for."""
    return len(names) // _IN_COLUMNS if isinstance(names, NameRuns) else len(names)


def event_work(events: Sequence[Event]) -> int:
    """Return the events that those of a call count for."""
    if not isinstance(events, EventParts):
        return len(events)
    return sum(len(part) // _IN_COLUMNS if isinstance(part, EventRows) else len(part) for part in events.parts)


@dataclass(slots=True)
class Checkpoint:
    """A kept state.

    Attributes:
        frame: Frames run.
        work: Work done since frame 0.
        device: A copy that nobody changes.
        history: The timeline's figures.
        events: The events of each resource.
        own_bytes: Estimated bytes that the one before does not hold too.
        whole_bytes: Estimated bytes of everything.
    """

    frame: int
    work: int
    device: Device
    history: HistoryRecorder
    events: ResourceHistory
    own_bytes: int
    whole_bytes: int


class Checkpoints:
    """The kept states of one run, in the order of their frames.

    Args:
        memory_bytes: Bound of what all of them hold together; the first and the newest stay whatever they hold.
        spacing: Work between two of them while memory lasts.
    """

    def __init__(self, memory_bytes: int = MEMORY_BYTES, spacing: int = SPACING_WORK) -> None:
        self._kept: list[Checkpoint] = []
        self._limit = memory_bytes
        self._spacing = spacing

    def __len__(self) -> int:
        """Return how many are kept."""
        return len(self._kept)

    @property
    def frames(self) -> tuple[int, ...]:
        """The frames that are kept."""
        return tuple(kept.frame for kept in self._kept)

    @property
    def own_bytes(self) -> int:
        """Estimated bytes of all of them, shared parts once."""
        return sum(kept.own_bytes for kept in self._kept)

    def is_due(self, frame: int, work: int) -> bool:
        """Return whether the state after a frame should be kept.

        Args:
            frame: Frames run.
            work: Work done since frame 0.
        """
        at = self._at(frame)
        if at < 0:
            return True
        before = self._kept[at]
        if before.frame == frame:
            return False
        gap = max(self._spacing, _COPY_SHARE * before.whole_bytes // COPY_BYTES)
        # Where later ones are kept, their spacing was found right when the run came by for the first time.
        return at + 1 == len(self._kept) and work - before.work >= gap

    def keep(self, frame: int, work: int, device: Device, history: HistoryRecorder, events: ResourceHistory) -> None:
        """Keep a state. The copies are this object's own from now on and share what is equal with the one before.

        Args:
            frame: Frames run.
            work: Work done since frame 0.
            device: A copy of the device.
            history: A copy of the timeline's figures.
            events: A copy of the resources' events.
        """
        at = self._at(frame)
        if at >= 0 and self._kept[at].frame == frame:
            return
        before = self._kept[at] if at >= 0 else None
        sharing = _Sharing()
        sharing.object(device, before.device if before is not None else None)
        sharing.object(events, before.events if before is not None else None)
        fresh = max(events.number - (before.events.number if before is not None else 0), 0)
        own = sharing.own_bytes + _EVENT_BYTES * fresh
        whole = sharing.whole_bytes + _EVENT_BYTES * fresh
        self._kept.insert(at + 1, Checkpoint(frame, work, device, history, events, own, whole))
        total = self.own_bytes
        while total > self._limit and len(self._kept) > 2:
            total -= self._thin()

    def nearest(self, frame: int) -> Checkpoint:
        """Return the last kept state that is not behind a frame; the one of frame 0 always is there."""
        return self._kept[max(self._at(frame), 0)]

    def drop_after(self, frame: int) -> None:
        """Forget the states behind a frame: an edit made them untrue."""
        del self._kept[self._at(frame) + 1 :]

    def _at(self, frame: int) -> int:
        return bisect_right(self._kept, frame, key=lambda kept: kept.frame) - 1

    def _thin(self) -> int:
        """Forget the one whose neighbours are nearest to each other; return the bytes that this frees."""
        kept = self._kept
        gaps = [kept[i + 1].work - kept[i - 1].work for i in range(1, len(kept) - 1)]
        at = 1 + gaps.index(min(gaps))
        gone, after = kept.pop(at), kept[at]
        # What changed before the one that goes and not again before the next is held by the next one on.
        freed = min(gone.own_bytes, after.own_bytes)
        after.own_bytes += gone.own_bytes - freed
        return freed


class _Sharing:
    """Replaces equal columns and tables in a copied state by those of an older copy, and adds up their bytes.

    Both copies are never written again, whoever goes on copies them anew; so a part may belong to both.
    """

    def __init__(self) -> None:
        self.own_bytes = 0
        self.whole_bytes = 0
        self._seen: set[int] = set()
        self._depth = 0

    def object(self, new: Any, old: Any) -> None:
        """Go through the attributes of an object."""
        if id(new) in self._seen or self._depth >= _DEPTH:
            return
        self._seen.add(id(new))
        self._depth += 1
        is_twin = type(old) is type(new)
        for name, value in _parts(new):
            known = getattr(old, name, None) if is_twin else None
            kept = self._part(value, known)
            if kept is not value:
                setattr(new, name, kept)
        self._depth -= 1

    def _part(self, value: Any, known: Any) -> Any:
        """Return what should stand for a part: the older copy's where the two are the same."""
        if _is_own(value):
            self.object(value, known)
            return value
        is_list = _is_container(value)
        if not is_list and not _is_array(value):
            return value
        walked = is_list and id(value) in self._seen
        if is_list and not walked and self._depth <= _WALK_DEPTH and len(value) <= _WALKED:
            walked = True
            self._seen.add(id(value))
            self._items(value, known)
        is_same = value is known or _is_same(value, known)
        size = int(value.nbytes) if not is_list else _container_bytes(value) if not walked else sys.getsizeof(value)
        self.whole_bytes += size
        self.own_bytes += 0 if is_same else size
        return known if is_same else value

    def _items(self, value: Any, known: Any) -> None:
        """Go through the items of a short container; a longer one is taken as a whole."""
        is_twin = type(known) is type(value)
        if _is_table(value):
            for key, item in list(value.items()):
                kept = self._part(item, known.get(key) if is_twin else None)
                if kept is not item:
                    value[key] = kept
            return
        olds: list[Any] = list(known) if is_twin else []
        for index, item in enumerate(list(value)):
            kept = self._part(item, olds[index] if index < len(olds) else None)
            if kept is not item and isinstance(value, list):
                value[index] = kept


def _parts(one: Any) -> Iterator[tuple[str, Any]]:
    yield from list(getattr(one, "__dict__", {}).items())
    for name in _slots(one.__class__):
        if hasattr(one, name):
            yield name, getattr(one, name)


@functools.cache
def _slots(kind: Any) -> tuple[str, ...]:
    found: list[str] = []
    for base in kind.__mro__:
        slots: Any = base.__dict__.get("__slots__", ())
        found.extend((slots,) if isinstance(slots, str) else tuple(slots))
    return tuple(name for name in found if name not in ("__dict__", "__weakref__"))


@functools.cache
def _changes(kind: Any) -> bool:
    """Return whether objects of a class are the simulation's own and change (frozen ones do not)."""
    if not kind.__module__.startswith(_OURS) or issubclass(kind, tuple):
        return False
    parameters = getattr(kind, "__dataclass_params__", None)
    return parameters is None or not parameters.frozen


def _is_own(value: Any) -> bool:
    return _changes(value.__class__)


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _is_container(value: Any) -> bool:
    return isinstance(value, _CONTAINERS)


def _is_same(value: Any, known: Any) -> bool:
    """Return whether two parts may be one; containers only if they hold the very same things in the same order."""
    if value.__class__ is not known.__class__:
        return False
    if _is_array(value):
        return value.dtype == known.dtype and value.shape == known.shape and bool(np.array_equal(value, known))
    if len(value) != len(known) or isinstance(value, set):
        return False
    if _is_table(value):
        return all(map(operator.is_, value, known)) and all(map(operator.is_, value.values(), known.values()))
    return all(map(operator.is_, value, known))


def _container_bytes(value: Any) -> int:
    """Return the bytes of a container, and by a sample of the containers in it that nobody walks through."""
    size = sys.getsizeof(value)
    if not value:
        return size
    sample: list[Any] = list(islice(value.values() if _is_table(value) else value, _SAMPLE))
    inner = sum(_inner_bytes(item) for item in sample)
    return size + inner * len(value) // len(sample)


def _inner_bytes(item: Any) -> int:
    if _is_container(item):
        return sys.getsizeof(item)
    if not _is_own(item):
        return 0
    return sys.getsizeof(item) + sum(sys.getsizeof(part) for _, part in _parts(item) if _is_container(part))
