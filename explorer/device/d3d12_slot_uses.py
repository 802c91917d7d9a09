"""Who needs descriptor slots, and what happens to them meanwhile: ranges read by lists, hazards, copies, captures."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from explorer.core.descriptor_uses import HazardKind
from explorer.core.events import EventKind
from explorer.device.cost import FRAMES_IN_FLIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from explorer.core.d3d12_structs import DescriptorHandle
    from explorer.device.d3d12 import D3D12Device

HAZARDS_KEPT = 256
"""Different hazards that are remembered; the one longest ago goes. Modelling choice: the event log counts all."""

_NONE: npt.NDArray[np.int64] = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class RangeUse:
    """A range of slots that a list reads through one range of a descriptor table.

    Attributes:
        heap: Name of the descriptor heap.
        first: First slot.
        count: Slots.
        is_static: They stay as they are from the recording on.
        is_bounded: Every slot of the range may be read.
        list_name: The list; empty for a submission that names a table without one.
        signature: The root signature, or empty.
        parameter: Its parameter, −1 unknown.
        part: Index of the range in its table, −1 unknown.
    """

    heap: str
    first: int
    count: int
    is_static: bool
    is_bounded: bool
    list_name: str
    signature: str = ""
    parameter: int = -1
    part: int = -1

    def overlap(self, first: int, count: int) -> tuple[int, int]:
        """Return first slot and number of the slots that are shared with a range."""
        start = max(self.first, first)
        return start, max(0, min(self.first + self.count, first + count) - start)


@dataclass(frozen=True, slots=True)
class Reading:
    """Which submissions read a range.

    Attributes:
        submissions: Their numbers on the timeline; empty while it is only recorded.
        done_frame: Frame in which the GPU is done with the last of them if nothing holds it up; −1 while only recorded.
    """

    submissions: tuple[int, ...] = ()
    done_frame: int = -1


_RECORDED = Reading()


class RangeUses:
    """Different ranges and who reads each; finds those that a write touches.

    The same range again is the same entry: a list that draws a thousand times with one table holds one.
    """

    def __init__(self, uses: dict[RangeUse, Reading] | None = None) -> None:
        self._uses = {} if uses is None else uses
        self._index: dict[str, tuple[list[RangeUse], npt.NDArray[np.int64], npt.NDArray[np.int64]]] | None = None

    def __iter__(self) -> Iterator[RangeUse]:
        """Walk over the ranges in the order in which they came."""
        return iter(self._uses)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._uses)

    def reading(self, use: RangeUse) -> Reading:
        """Return who reads a range; nobody where it is not here."""
        return self._uses.get(use, _RECORDED)

    def add(self, use: RangeUse, submission: int = -1, done_frame: int = -1) -> None:
        """Add a range, or one more submission that reads it."""
        before = self._uses.get(use)
        if before is None:
            self._index = None
            before = _RECORDED
        if submission >= 0:
            before = Reading((*before.submissions, submission), done_frame)
        self._uses[use] = before

    def drop_done(self, running: AbstractSet[int]) -> None:
        """Forget what no submission on its way reads."""
        kept: dict[RangeUse, Reading] = {}
        for use, reading in self._uses.items():
            left = tuple(number for number in reading.submissions if number in running)
            if left:
                kept[use] = replace(reading, submissions=left)
        if len(kept) < len(self._uses):
            self._index = None
        self._uses = kept

    def touched(self, heap: str, first: int, count: int) -> Iterator[RangeUse]:
        """Walk over the ranges of a heap that share slots with a range, in the order in which they came."""
        if not self._uses:
            return
        uses, firsts, ends = self._indexed().get(heap, ([], _NONE, _NONE))
        for at in np.flatnonzero((firsts < first + count) & (ends > first) & (ends > firsts)).tolist():
            yield uses[at]

    def copy(self) -> RangeUses:
        """Return an independent copy."""
        return RangeUses(dict(self._uses))

    def _indexed(self) -> dict[str, tuple[list[RangeUse], npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Return the ranges of each heap with their bounds: one comparison instead of a walk for each write."""
        if self._index is None:
            by_heap: dict[str, list[RangeUse]] = {}
            for use in self._uses:
                by_heap.setdefault(use.heap, []).append(use)
            self._index = {
                heap: (
                    uses,
                    np.array([use.first for use in uses], np.int64),
                    np.array([use.first + use.count for use in uses], np.int64),
                )
                for heap, uses in by_heap.items()
            }
        return self._index


@dataclass(frozen=True, slots=True)
class SlotHazard:
    """Which slots were not what a list needs, and why."""

    kind: HazardKind
    heap: str
    first: int
    count: int
    list_name: str
    rule: str


@dataclass(frozen=True, slots=True)
class HazardTimes:
    """When a hazard happened.

    Attributes:
        since: Frame of the first time.
        frame: Frame of the last time.
        times: How often.
        submission: The submission that reads the slots, −1 while none does.
    """

    since: int
    frame: int
    times: int
    submission: int


@dataclass(frozen=True, slots=True)
class SlotCopy:
    """Descriptors that were copied from one heap to another (or the same)."""

    source_heap: str
    source_first: int
    heap: str
    first: int
    count: int
    frame: int


@dataclass(frozen=True, slots=True)
class SlotCapture:
    """Descriptors whose contents a list holds; ``resource`` is the name behind the one slot, or empty."""

    heap: str
    first: int
    count: int
    list_name: str
    resource: str
    is_table: bool
    frame: int


@dataclass(slots=True)
class SlotLog:
    """What happened to slots.

    Attributes:
        in_flight: Ranges that the GPU reads.
        hazards: What went wrong, longest ago first.
        copies: Copies of the last frame that ended and of the one that runs.
        captures: Recorded contents of the same frames.
    """

    in_flight: RangeUses = field(default_factory=RangeUses)
    hazards: dict[SlotHazard, HazardTimes] = field(default_factory=dict[SlotHazard, HazardTimes])
    copies: list[SlotCopy] = field(default_factory=list[SlotCopy])
    captures: list[SlotCapture] = field(default_factory=list[SlotCapture])

    def copy(self) -> SlotLog:
        """Return an independent copy."""
        return SlotLog(self.in_flight.copy(), dict(self.hazards), list(self.copies), list(self.captures))

    def note_copy(self, one: SlotCopy) -> None:
        """Remember a copy; one that goes on where the last one ended is part of it."""
        last = self.copies[-1] if self.copies else None
        if last is not None and one == replace(
            last, source_first=last.source_first + last.count, first=last.first + last.count, count=one.count
        ):
            self.copies[-1] = replace(last, count=last.count + one.count)
        else:
            self.copies.append(one)

    def note_hazard(self, hazard: SlotHazard, frame: int, submission: int = -1) -> None:
        """Remember a hazard."""
        before = self.hazards.pop(hazard, None)
        since, times = (before.since, before.times) if before is not None else (frame, 0)
        self.hazards[hazard] = HazardTimes(since, frame, times + 1, submission)
        if len(self.hazards) > HAZARDS_KEPT:
            del self.hazards[next(iter(self.hazards))]

    def forget_heap(self, heap: str) -> None:
        """Forget what happened in a heap that is gone: another of its name is another heap."""
        self.hazards = {one: times for one, times in self.hazards.items() if one.heap != heap}
        self.copies = [one for one in self.copies if one.heap != heap]
        self.captures = [one for one in self.captures if one.heap != heap]

    def end_frame(self, frame: int, running: AbstractSet[int]) -> None:
        """Forget what is over when a frame begins; ``running`` are the submissions on their way."""
        self.in_flight.drop_done(running)
        self.copies = [one for one in self.copies if one.frame == frame - 1]
        self.captures = [one for one in self.captures if one.frame == frame - 1]


def check_overwrite(device: D3D12Device, heap: str, first: int, count: int) -> None:
    """Report a hazard when slots are overwritten that a list still needs."""
    frame, slots = device.state.log.frame, device.slot_log
    said = False
    for use in slots.in_flight.touched(heap, first, count):
        reads = [one for one in slots.in_flight.reading(use).submissions if one in device.timeline.running]
        if not reads:
            continue
        start, shared = use.overlap(first, count)
        what = SlotHazard(HazardKind.OVERWRITTEN, heap, start, shared, use.list_name, "device.table-read")
        slots.note_hazard(what, frame, reads[-1])
        if not said:
            text = (
                f"{shared:,} slots of {heap} from {start:,} on were overwritten while the GPU may "
                f"still read them for {reader(use)}."
            )
            device.state.log.add(EventKind.HAZARD, heap, rule=what.rule, text=text)
            said = True
    if said:
        return
    for name, recorded in device.lists.items():
        for use in recorded.tables.touched(heap, first, count):
            if not use.is_static:
                continue
            start, shared = use.overlap(first, count)
            what = SlotHazard(HazardKind.STATIC_CHANGED, heap, start, shared, name, "device.static-range")
            slots.note_hazard(what, frame)
            if not said:
                text = f"{heap}: slots of a static range that {name} has recorded were overwritten."
                device.state.log.add(EventKind.HAZARD, heap, rule=what.rule, text=text)
                said = True


def read(device: D3D12Device, uses: Iterable[RangeUse]) -> None:
    """Note that the last submission reads ranges of slots, and look at what stands in them."""
    submission, done = device.timeline.submitted - 1, device.state.log.frame + FRAMES_IN_FLIGHT
    for use in uses:
        check_contents(device, use, submission)
        device.slot_log.in_flight.add(use, submission, done)


def check_contents(device: D3D12Device, use: RangeUse, submission: int = -1) -> None:
    """Report slots of a bounded range that name a resource which is gone."""
    if not use.is_bounded:
        return
    gone = np.flatnonzero(device.descriptors[use.heap].stale[use.first : use.first + use.count]) + use.first
    if not len(gone):
        return
    rule, frame = "device.table-read", device.state.log.frame
    for run in np.split(gone, np.flatnonzero(np.diff(gone) > 1) + 1):
        what = SlotHazard(HazardKind.STALE_READ, use.heap, int(run[0]), len(run), use.list_name, rule)
        device.slot_log.note_hazard(what, frame, submission)
    text = f"{len(gone):,} slots of {use.heap} that {reader(use)} reads name a resource that is gone."
    device.state.log.add(EventKind.HAZARD, use.heap, rule=rule, text=text)


def note_copies(
    device: D3D12Device,
    destinations: list[tuple[DescriptorHandle, int]],
    sources: list[tuple[DescriptorHandle, int]],
) -> None:
    """Remember which ranges a copy read and wrote: both sides are cut where a range of either side ends."""
    frame, slots = device.state.log.frame, device.slot_log
    to, of = iter(destinations), iter(sources)
    left_to = left_of = at_to = at_of = 0
    heap_to = heap_of = ""
    while True:
        while not left_to:
            handle, left_to = next(to, (None, 0))
            if handle is None:
                return
            heap_to, at_to = handle.heap, handle.index
        while not left_of:
            handle, left_of = next(of, (None, 0))
            if handle is None:
                return
            heap_of, at_of = handle.heap, handle.index
        count = min(left_to, left_of)
        slots.note_copy(SlotCopy(heap_of, at_of, heap_to, at_to, count, frame))
        left_to, left_of, at_to, at_of = left_to - count, left_of - count, at_to + count, at_of + count


def reader(use: RangeUse) -> str:
    """Return who reads a range, for sentences."""
    return use.list_name or "the submission"
