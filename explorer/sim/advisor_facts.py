"""What the advisor's rules look at: a snapshot, its events by kind and rule, and what creation calls asked for."""

from __future__ import annotations

import bisect
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from explorer.core.events import EventKind
from explorer.core.kinds import BlockState, ResourceKind

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.core.events import Event
    from explorer.sim.snapshot import Snapshot

ITEMS = 200
"""How many resources one piece of advice points to at most."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule found.

    Attributes:
        claim: What is the case, one short sentence without a full stop.
        evidence: The numbers behind it and what to do, one or two short sentences.
        figures: The numbers that triggered it, by name.
        resources: Indices of the resources of the snapshot that it is about, the most telling first.
        rule: The rule that decided here, where it is not the one that the advisor's rule names; empty else.
    """

    claim: str
    evidence: str
    figures: Mapping[str, int] = field(default_factory=dict[str, int])
    resources: tuple[int, ...] = ()
    rule: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class RecordFacts:
    """What creation calls asked for, one row for each resource.

    Attributes:
        is_buffer: A D3D9 vertex or index buffer.
        is_index: A D3D9 index buffer.
        write_only: D3DUSAGE_WRITEONLY.
        dynamic: D3DUSAGE_DYNAMIC.
        hinted: D3DUSAGE_POINTS, RTPATCHES or NPATCHES: geometry that has no shared vertices.
        lockable: A D3D9 render target made with Lockable.
        samples: Samples of a texel, 1 where none are stated.
    """

    is_buffer: npt.NDArray[np.bool_]
    is_index: npt.NDArray[np.bool_]
    write_only: npt.NDArray[np.bool_]
    dynamic: npt.NDArray[np.bool_]
    hinted: npt.NDArray[np.bool_]
    lockable: npt.NDArray[np.bool_]
    samples: npt.NDArray[np.int32]


class Facts:
    """A snapshot as the rules see it; what takes time is found once, and only if a rule asks.

    Args:
        snapshot: What is looked at.
        memo: Facts of another snapshot; what holds for both is taken over.
    """

    def __init__(self, snapshot: Snapshot, memo: Facts | None = None) -> None:
        self.snapshot = snapshot
        if memo is not None:
            self._take_over(memo)

    def _take_over(self, memo: Facts) -> None:
        """Take over what holds for the resources of both; a moved block makes new tuples of the same things."""
        old, new = memo.snapshot.resources, self.snapshot.resources
        same = old.records is new.records or (
            len(old.records) == len(new.records) and all(map(operator.is_, old.records, new.records))
        )
        if "records" in memo.__dict__ and same:
            self.__dict__["records"] = memo.__dict__["records"]
        if "_index" in memo.__dict__ and old.names == new.names:
            self.__dict__["_index"] = memo.__dict__["_index"]
        if "_heap_index" in memo.__dict__ and memo.snapshot.heaps.names == self.snapshot.heaps.names:
            self.__dict__["_heap_index"] = memo.__dict__["_heap_index"]

    @property
    def api(self) -> str:
        """``d3d9``, ``d3d11`` (also 10 and XG), ``d3d12`` or empty."""
        api = self.snapshot.api
        if api.startswith("d3d9"):
            return "d3d9"
        return "d3d11" if api.startswith(("d3d10", "d3d11", "xg")) else api

    @property
    def frame(self) -> int:
        """Frames run."""
        return self.snapshot.provenance.frame

    @property
    def is_uma(self) -> bool:
        """Whether video memory is system memory; False where unknown."""
        adapter = self.snapshot.adapter
        return adapter is not None and adapter.memory_class == "uma"

    @property
    def is_coherent(self) -> bool:
        """Whether the GPU of a UMA adapter sees the CPU's caches."""
        adapter = self.snapshot.adapter
        return adapter is not None and adapter.is_cache_coherent

    @cached_property
    def events_by_kind(self) -> Mapping[EventKind, list[Event]]:
        """The kept events by kind, oldest first."""
        found: dict[EventKind, list[Event]] = {}
        for event in self.snapshot.events:
            found.setdefault(event.kind, []).append(event)
        return found

    @cached_property
    def events_by_rule(self) -> Mapping[str, list[Event]]:
        """The kept events by rule, oldest first."""
        found: dict[str, list[Event]] = {}
        for event in self.snapshot.events:
            found.setdefault(event.rule, []).append(event)
        return found

    def time_ns(self, since: int) -> int:
        """Return the simulated time from the begin of a frame on, at least 1."""
        history = self.snapshot.history
        if history is not None:
            return max(int(history.frame_ns[since:].sum()), 1)
        events = self.snapshot.events
        first = next((event for event in events if event.frame >= since), None)
        return max(events[-1].time_ns - first.time_ns, 1) if first is not None else 1

    @property
    def event_frames(self) -> int:
        """Frames that the kept events cover, at least 1."""
        events = self.snapshot.events
        return max(self.frame - events[0].frame, 1) if events else 1

    def of_kind(self, kind: EventKind) -> list[Event]:
        """Return the kept events of a kind."""
        return self.events_by_kind.get(kind, [])

    def of_rule(self, *rules: str) -> list[Event]:
        """Return the kept events of some rules, oldest first."""
        found = [event for rule in rules for event in self.events_by_rule.get(rule, [])]
        return found if len(rules) == 1 else sorted(found, key=lambda event: event.number)

    @cached_property
    def _index(self) -> Mapping[str, int]:
        return {name: index for index, name in enumerate(self.snapshot.resources.names)}

    def rows_of(self, events: Sequence[Event]) -> tuple[int, ...]:
        """Return the live resources that events speak of, the latest first, each once; of a heap, what lies in it."""
        index, rows = self._index, dict[int, None]()
        for subject in dict.fromkeys(event.subject for event in reversed(events)):
            if subject in index:
                rows[index[subject]] = None
            elif subject in self._heap_index:
                rows.update(dict.fromkeys(self._in_heap(self._heap_index[subject])))
            if len(rows) >= ITEMS:
                break
        return tuple(rows)[:ITEMS]

    def rows_named(self, names: Sequence[str]) -> tuple[int, ...]:
        """Return the live resources with some names (descriptor heaps are resources too), in their order."""
        return tuple(self._index[name] for name in dict.fromkeys(names) if name in self._index)[:ITEMS]

    @cached_property
    def _heap_index(self) -> Mapping[str, int]:
        return {name: index for index, name in enumerate(self.snapshot.heaps.names)}

    def _in_heap(self, heap: int) -> list[int]:
        blocks = self.snapshot.blocks
        return blocks.resource[(blocks.heap == heap) & (blocks.resource >= 0)].tolist()

    def came_back(self, leavers: Sequence[Event]) -> list[Event]:
        """Return those of some evictions whose subject was brought back later, or used from where it went.

        What comes back since the device was lost in between does not count: it would have left anyway.
        """
        returns: dict[str, list[int]] = {}
        for event in self.snapshot.events:
            if event.kind in (EventKind.UPLOADED, EventKind.PAGED_IN):
                returns.setdefault(event.subject, []).append(event.number)
        losses = [event.number for event in self.of_kind(EventKind.DEVICE_LOST)]
        heaps, index = self.snapshot.heaps, self._heap_index
        found: list[Event] = []
        for event in leavers:
            after = returns.get(event.subject, [])
            at = bisect.bisect(after, event.number)
            used = event.subject in index and int(heaps.used_frame[index[event.subject]]) > event.frame
            back = at < len(after) and not any(event.number < loss < after[at] for loss in losses)
            if used or back:
                found.append(event)
        return found

    def changes_often(self, times: int) -> npt.NDArray[np.bool_]:
        """Return which resources were uploaded in so many frames of the kept events without having been put out."""
        out = {event.subject for event in self.of_kind(EventKind.EVICTED)}
        frames: dict[str, set[int]] = {}
        for event in self.of_kind(EventKind.UPLOADED):
            if event.subject not in out:
                frames.setdefault(event.subject, set()).add(event.frame)
        mask = np.zeros(len(self.snapshot.resources.names), np.bool_)
        index = self._index
        mask[[index[name] for name, at in frames.items() if len(at) >= times and name in index]] = True
        return mask

    def place_bytes(self, *words: str) -> int:
        """Return the bytes of resources with one of some words in their pool, usage or heap type."""
        return int(self.snapshot.resources.size[self.has_place(*words)].sum())

    def has_place(self, *words: str) -> npt.NDArray[np.bool_]:
        """Return which resources have one of some words in their pool, usage or heap type."""
        table = self.snapshot.resources
        hits = np.array([any(word in place for word in words) for place in table.places] or [False])
        return hits[np.minimum(table.place, len(hits) - 1)] if len(table.names) else np.zeros(0, np.bool_)

    def has_format(self, *words: str) -> npt.NDArray[np.bool_]:
        """Return which resources have one of some words in their format."""
        table = self.snapshot.resources
        hits = np.array([any(word in name for word in words) for name in table.formats] or [False])
        return hits[np.minimum(table.format, len(hits) - 1)] if len(table.names) else np.zeros(0, np.bool_)

    def is_kind(self, *kinds: ResourceKind) -> npt.NDArray[np.bool_]:
        """Return which resources are of some kinds."""
        return np.isin(self.snapshot.resources.kind, [int(kind) for kind in kinds])

    def largest(self, mask: npt.NDArray[np.bool_]) -> tuple[int, ...]:
        """Return resources of a mask, the largest first, at most ``ITEMS``."""
        rows = np.flatnonzero(mask)
        order = np.argsort(-self.snapshot.resources.size[rows], kind="stable")[:ITEMS]
        return tuple(rows[order].tolist())

    @cached_property
    def copies(self) -> npt.NDArray[np.int64]:
        """Blocks of each resource, int64, without master copies."""
        blocks = self.snapshot.blocks
        chosen = (blocks.resource >= 0) & ((blocks.state & int(BlockState.MASTER_COPY)) == 0)
        return np.bincount(blocks.resource[chosen], minlength=len(self.snapshot.resources.names))

    @cached_property
    def records(self) -> RecordFacts:
        """What creation calls asked for."""
        records = self.snapshot.resources.records
        count = len(records)
        flags = [np.zeros(count, np.bool_) for _ in range(6)]
        facts = RecordFacts(flags[0], flags[1], flags[2], flags[3], flags[4], flags[5], np.ones(count, np.int32))
        for row, record in enumerate(records):
            if record is not None:
                _read_record(facts, row, record)
        return facts


_HINTS = ("D3DUSAGE_POINTS", "D3DUSAGE_RTPATCHES", "D3DUSAGE_NPATCHES")


def _read_record(facts: RecordFacts, row: int, record: CallRecord) -> None:
    inputs: Mapping[str, Any] = record.inputs
    facts.is_index[row] = record.call == "CreateIndexBuffer"
    facts.is_buffer[row] = facts.is_index[row] or record.call == "CreateVertexBuffer"
    usage = inputs.get("Usage")
    if isinstance(usage, (list, tuple)):
        facts.write_only[row] = "D3DUSAGE_WRITEONLY" in usage
        facts.dynamic[row] = "D3DUSAGE_DYNAMIC" in usage
        facts.hinted[row] = any(hint in usage for hint in _HINTS)
    facts.lockable[row] = record.call == "CreateRenderTarget" and inputs.get("Lockable") is True
    facts.samples[row] = _count(inputs.get("pDesc", inputs))
    kind: Any = inputs.get("MultiSample", "")
    if isinstance(kind, str) and kind.endswith("_SAMPLES"):
        facts.samples[row] = int(kind.split("_")[-2])


def _count(desc: Any) -> int:
    """Return ``SampleDesc.Count`` of a description; 1 where there is none."""
    try:
        return max(int(desc["SampleDesc"]["Count"]), 1)
    except (KeyError, TypeError, ValueError):
        return 1
