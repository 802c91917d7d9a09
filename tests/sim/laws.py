"""What must hold at the end of every frame: each byte is counted once, and nothing moves without an event."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.core.events import EventKind
from explorer.core.kinds import BlockState, WasteCause

if TYPE_CHECKING:
    import numpy.typing as npt

    from explorer.core.events import Event
    from explorer.sim.simulation import Simulation
    from explorer.sim.snapshot import Snapshot

ALIASED = int(BlockState.ALIASED)
MOVES = frozenset({
    EventKind.UPLOADED, EventKind.PAGED_IN, EventKind.PAGED_OUT, EventKind.DEMOTED, EventKind.EVICTED,
    EventKind.MADE_RESIDENT, EventKind.TRIMMED, EventKind.ALLOCATED, EventKind.RENAMED,
})  # fmt: skip
"""Events that say that bytes came to or left a place."""
_STRETCH_BITS = 43


class Ledger:
    """Follows a run event by event and holds each frame's snapshot against the laws.

    Args:
        simulation: At frame 0; only this ledger steps it.

    Attributes:
        snapshot: Of the last frame.
        shared: Pairs of ranges that shared bytes, over all frames.
        over: Groups that were above their budget at the end of a frame, over all frames.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.snapshot = simulation.snapshot()
        self.shared = 0
        self.over = 0
        self._next = sum(self.snapshot.event_counts.values())
        self._bytes: Counter[str] = Counter(_moved(self.snapshot))
        self._counts: Counter[str] = Counter(self.snapshot.event_counts)
        self._places = _places(self.snapshot)
        tail = self.snapshot.events
        if tail and tail[0].number == 0:
            assert _moved(self.snapshot) == _moved_by(tail), "bytes moved before the first frame"
        self._check()

    def step(self) -> None:
        """Run a frame and check it."""
        frame, events = self.simulation.frame, []
        while self.simulation.frame == frame:
            events.extend(self._call())
            self._check_budgets_now()
        self.snapshot = self.simulation.snapshot()
        self._check_events(frame, events)
        self._check_moves(events)
        self._check()

    def go_on(self, frames: int) -> None:
        """Run the last frames with a look at every 25th only; no ``step`` after it."""
        while self.simulation.frame < frames:
            self.simulation.step(min(25, frames - self.simulation.frame))
            self.snapshot = self.simulation.snapshot()
            self._check()

    def _call(self) -> tuple[Event, ...]:
        """Run a call and return its events; ``step_event`` would pass over frames without any (a lost device)."""
        simulation = self.simulation
        simulation._reported = ()  # pyright: ignore[reportPrivateUsage] - as step_event does
        simulation.step_call()
        return simulation._reported  # pyright: ignore[reportPrivateUsage]

    # One law each -----------------------------------------------------------------------------------------------

    def _check(self) -> None:
        self.shared += check_no_overlap(self.snapshot)
        check_sums(self.snapshot)
        self._check_segments()
        self.over += check_budgets(self.snapshot)

    def _check_budgets_now(self) -> None:
        """After every call that reported anything: a group is over its budget exactly if the last event says so."""
        for group in self.simulation._device.state.groups.values():  # pyright: ignore[reportPrivateUsage] - looked at
            assert group.over == (group.budget is not None and group.usage > group.budget), group

    def _check_segments(self) -> None:
        """What the snapshot calls free is what the allocator has not given out."""
        state = self.simulation._device.state  # pyright: ignore[reportPrivateUsage] - looked at, not changed
        for segment, shown in zip(state.segments, self.snapshot.segments, strict=True):
            segment.validate()
            assert shown.free_bytes - shown.free_in_heaps_bytes == segment.free_bytes, shown.name

    def _check_events(self, frame: int, events: list[Event]) -> None:
        """Events have no gaps, belong to their frame, and are all that was counted and moved."""
        assert [event.number for event in events] == list(range(self._next, self._next + len(events)))
        assert all(event.frame == frame for event in events)
        self._next += len(events)
        self._counts.update(event.kind.value for event in events)
        self._bytes.update(_moved_by(events))
        assert {kind: count for kind, count in self._counts.items() if count} == {
            kind: count for kind, count in self.snapshot.event_counts.items() if count
        }
        assert _moved(self.snapshot) == {kind: self._bytes[kind] for kind in _moved(self.snapshot)}
        history = self.snapshot.history
        assert history is not None
        assert len(history.uploaded_bytes) == frame + 1
        if frame:
            # Row 0 holds what came before the first frame too.
            assert history.uploaded_bytes[frame] == _sum(events, EventKind.UPLOADED, EventKind.PAGED_IN)
            assert history.evicted_bytes[frame] == _sum(events, EventKind.EVICTED, EventKind.DEMOTED)

    def _check_moves(self, events: list[Event]) -> None:
        """What lies in a segment where it did not lie a frame ago was reported with its bytes."""
        most = Counter[tuple[str, str]]()
        for event in events:
            if event.kind in MOVES:
                key = event.subject, event.segment
                most[key] = max(most[key], event.size_bytes)
        places = _places(self.snapshot)
        for name, segment, size in places - self._places:
            # A further version of a renamed DYNAMIC resource has a heap of its own.
            subject = name.partition(" (version ")[0]
            assert most[subject, segment] >= size, f"{name}: {size} B came to {segment} and no event says so"
        self._places = places


def check_sums(snapshot: Snapshot) -> None:
    """Used + Σ padding + free = size of every segment, each counted here again from the ranges."""
    blocks, heaps, wastes = snapshot.blocks, snapshot.heaps, snapshot.wastes
    used, free = np.zeros(len(snapshot.segments), np.int64), np.zeros(len(snapshot.segments), np.int64)
    np.add.at(free, heaps.segment, heaps.size)
    order, start, end, before = _sorted_ranges(snapshot)
    new = np.maximum(end - np.maximum(start, before), 0)
    np.add.at(used, blocks.segment[order], new)
    np.subtract.at(free, blocks.segment[order], np.where(blocks.heap[order] >= 0, new, 0))
    inside = wastes.heap >= 0
    np.subtract.at(free, wastes.segment[inside], wastes.size[inside])
    for index, segment in enumerate(snapshot.segments):
        here = wastes.segment == index
        padding = {c.token: int(wastes.size[here & (wastes.cause == c)].sum()) for c in WasteCause}
        assert segment.used_bytes == used[index], segment.name
        assert segment.padding_bytes == padding, segment.name
        assert segment.free_in_heaps_bytes == free[index], segment.name
        assert segment.used_bytes + sum(padding.values()) + segment.free_bytes == segment.size_bytes, segment.name
        assert 0 <= segment.free_in_heaps_bytes <= segment.free_bytes, segment.name
        assert 0 <= segment.largest_free_bytes <= segment.free_bytes, segment.name


def check_budgets(snapshot: Snapshot) -> int:
    """Usage is what lies in the group's segments; above the budget an event is open. Return the groups above."""
    over = Counter[str]()
    for group in snapshot.groups:
        mine = [i for i, s in enumerate(snapshot.segments) if (s.node, s.group) == (group.node, group.group)]
        heaps, blocks = snapshot.heaps, snapshot.blocks
        lying = int(heaps.size[np.isin(heaps.segment, mine)].sum())
        lying += int(blocks.size[np.isin(blocks.segment, mine) & (blocks.heap < 0)].sum())
        assert group.usage_bytes == lying, group
        above = 0 if group.budget_bytes is None else max(0, group.usage_bytes - group.budget_bytes)
        assert group.over_budget_bytes == above, group
        over[group.group] += above > 0
    counts = snapshot.event_counts
    assert counts[EventKind.OVER_BUDGET] - counts[EventKind.WITHIN_BUDGET] == over.total()
    return over.total()


def check_no_overlap(snapshot: Snapshot) -> int:
    """No two ranges of a segment or heap share a byte, but resources that are declared to. Return how many do."""
    blocks, heaps = snapshot.blocks, snapshot.heaps
    order, start, end, before = _sorted_ranges(snapshot)
    late = np.flatnonzero(start < before)
    # The block that reaches farthest among those before it; a block that begins below its end shares bytes with it.
    farthest = np.maximum.accumulate(np.where(end > before, np.arange(len(end)), 0))[late - 1]
    for row in {*order[late].tolist(), *order[farthest].tolist()}:
        resource = int(blocks.resource[row])
        name = snapshot.resources.names[resource] if resource >= 0 else f"block {row}"
        assert blocks.state[row] & ALIASED, f"{name} shares bytes and is not marked so"
        assert resource >= 0, f"{name} shares bytes and is no resource's"
        assert _may_share(snapshot.resources.records[resource]), f"{name} shares bytes that nobody declared"
    inside = blocks.heap >= 0
    assert (blocks.offset >= 0).all()
    assert (blocks.offset[inside] + blocks.size[inside] <= heaps.size[blocks.heap[inside]]).all(), "beyond its heap"
    assert (snapshot.wastes.size > 0).all()
    _check_spaces_apart(snapshot)
    return len(late)


def _check_spaces_apart(snapshot: Snapshot) -> None:
    """Heaps, blocks without heap and the padding around them lie side by side in their segment."""
    blocks, heaps, wastes = snapshot.blocks, snapshot.heaps, snapshot.wastes
    direct, outside = blocks.heap < 0, wastes.heap < 0
    segment = np.concatenate([heaps.segment, blocks.segment[direct], wastes.segment[outside]])
    start = np.concatenate([heaps.address, blocks.offset[direct], wastes.offset[outside]])
    size = np.concatenate([heaps.size, blocks.size[direct], wastes.size[outside]])
    order = np.lexsort((start, segment))
    segment, start, end = segment[order], start[order], (start + size)[order]
    together = segment[1:] == segment[:-1]
    assert (start[1:][together] >= end[:-1][together]).all(), "two ranges of a segment share a byte"
    for index, place in enumerate(snapshot.segments):
        here = segment == index
        if place.placement == "contiguous" and here.any():
            assert start[here].min() >= 0
            assert end[here].max() <= place.size_bytes, place.name


def _sorted_ranges(snapshot: Snapshot) -> tuple[npt.NDArray[np.int64], ...]:
    """Return block rows by heap (or segment) and offset, their starts and ends, and the farthest end before each.

    Starts and ends count on one line on which every heap has a stretch of its own.
    """
    blocks = snapshot.blocks
    key = np.where(blocks.heap >= 0, blocks.heap.astype(np.int64), -1 - blocks.segment.astype(np.int64))
    _, stretch = np.unique(key, return_inverse=True)
    assert not len(key) or int((blocks.offset + blocks.size).max()) < 1 << _STRETCH_BITS
    line = (stretch.astype(np.int64) << _STRETCH_BITS) + blocks.offset
    order = np.argsort(line, kind="stable")
    start, end = line[order], (line + blocks.size)[order]
    before = np.concatenate([np.full(min(len(end), 1), -1, np.int64), np.maximum.accumulate(end)[:-1]])
    return order, start, end, before


def _may_share(record: Any) -> bool:
    """Return whether a creation call states the place itself, or leaves it to tile mappings."""
    if record is None or record.api != "d3d12":
        return False
    placed = record.call.startswith("CreatePlacedResource") and "pHeap" in record.inputs
    return placed or record.call.startswith("CreateReservedResource")


def _places(snapshot: Snapshot) -> Counter[tuple[str, str, int]]:
    """Return how many ranges of a name and size lie in each segment: heaps, and blocks without heap."""
    heaps, blocks = snapshot.heaps, snapshot.blocks
    segments, owners = [segment.name for segment in snapshot.segments], snapshot.resources.names
    direct = np.flatnonzero((blocks.heap < 0) & (blocks.resource >= 0))
    found = Counter(
        zip(heaps.names, map(segments.__getitem__, heaps.segment.tolist()), heaps.size.tolist(), strict=True)
    )
    found.update(
        zip(
            map(owners.__getitem__, blocks.resource[direct].tolist()),
            map(segments.__getitem__, blocks.segment[direct].tolist()),
            blocks.size[direct].tolist(),
            strict=True,
        )
    )
    return found


def _moved(snapshot: Snapshot) -> dict[str, int]:
    moved = snapshot.moved
    return {
        EventKind.UPLOADED: moved.uploaded, EventKind.PAGED_IN: moved.paged_in,
        EventKind.PAGED_OUT: moved.paged_out, EventKind.DEMOTED: moved.demoted,
    }  # fmt: skip


def _moved_by(events: Any) -> dict[str, int]:
    kinds = (EventKind.UPLOADED, EventKind.PAGED_IN, EventKind.PAGED_OUT, EventKind.DEMOTED)
    return {kind: _sum(events, kind) for kind in kinds}


def _sum(events: Any, *kinds: EventKind) -> int:
    return sum(event.size_bytes for event in events if event.kind in kinds)
