"""What happens to the slots of one descriptor heap: which rows are about a slot, and what to write beside it; no Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from explorer.core.columns import Bools, Bytes8, Int32, Int64
from explorer.core.descriptor_uses import AllocatorKind
from explorer.render.root_signature import SignatureTold, tell_signature
from explorer.sim.snapshot import Snapshot

if TYPE_CHECKING:
    from explorer.core.columns import DescriptorHeapPicture

NO_HAZARD, EARLIER, PENDING = 0, 1, 2
"""Of a slot: nothing, a hazard that is over, one that a list still suffers from."""

NO_COPY, COPIED_IN, COPIED_OUT = 0, 1, 2
FREE, GIVEN_OUT, COMING_BACK = 0, 1, 2

HAZARD_WORDS = ("overwritten in flight", "static range changed", "stale slot read")
"""In the order of ``HazardKind``."""

NO_LIST = "a submission"


@dataclass(frozen=True, slots=True, eq=False)
class SlotCover:
    """What lies over a run of slots; every array has one element for each slot.

    Attributes:
        range_row: int32, the row of ``ranges`` that a table reads the slot by, −1 none; the last of several.
        is_static: bool, that range is static.
        hazard: uint8, ``NO_HAZARD``, ``EARLIER`` or ``PENDING``.
        copy: uint8, ``NO_COPY``, ``COPIED_IN`` or ``COPIED_OUT``.
        given: uint8, ``FREE``, ``GIVEN_OUT`` or ``COMING_BACK``; all given out where there is no allocator.
        captured: bool, a list holds a copy of it.
    """

    range_row: Int32
    is_static: Bools
    hazard: Bytes8
    copy: Bytes8
    given: Bytes8
    captured: Bools


@dataclass(frozen=True, slots=True)
class UseCounts:
    """How many slots of a heap are used how.

    Attributes:
        in_tables: Read by a table.
        pending: With a hazard that a list still suffers from.
        earlier: With a hazard that is over.
        copied: Copied in or out in the frame.
        captured: Held by lists.
        pale: Not given out by the heap's allocator.
    """

    in_tables: int = 0
    pending: int = 0
    earlier: int = 0
    copied: int = 0
    captured: int = 0
    pale: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class HeapUses:
    """The rows of a snapshot's ``descriptor_uses`` that are about one heap.

    Attributes:
        snapshot: The snapshot.
        index: Index of the heap.
        ranges: Rows of ranges, by first slot.
        hazards: Rows of hazards, by first slot.
        copies_in: Rows of copies that wrote to the heap, of the newest frame that has any.
        copies_out: Rows of copies that read from the heap, of the same frame.
        captures: Rows of captures, of the newest frame that has any.
        given: Rows of what is given out.
        allocator: Row of the heap's allocator, −1 none.
    """

    snapshot: Snapshot
    index: int
    ranges: Int64
    hazards: Int64
    copies_in: Int64
    copies_out: Int64
    captures: Int64
    given: Int64
    allocator: int
    signatures: dict[int, SignatureTold] = field(default_factory=dict[int, SignatureTold])

    @property
    def heap(self) -> DescriptorHeapPicture:
        """The heap."""
        return self.snapshot.descriptor_heaps[self.index]

    @property
    def pending(self) -> Int64:
        """Rows of the hazards that a list still suffers from."""
        return self.hazards[self.snapshot.descriptor_uses.hazards.is_pending[self.hazards]]

    def signature(self, index: int) -> SignatureTold | None:
        """Return a root signature in words; None where it is unknown."""
        if index < 0:
            return None
        if index not in self.signatures:
            picture = self.snapshot.descriptor_uses.root_signatures[index]
            self.signatures[index] = tell_signature(picture, captured=is_captured(self.snapshot))
        return self.signatures[index]

    def cover(self, first: int, end: int) -> SlotCover:
        """Return what lies over the slots from ``first`` up to ``end``; work grows with what lies there."""
        uses, length = self.snapshot.descriptor_uses, max(end - first, 0)
        range_row = np.full(length, -1, np.int32)
        is_static = np.zeros(length, np.bool_)
        for row, part in _parts(uses.ranges.first, uses.ranges.count, self.ranges, first, end):
            range_row[part] = row
            is_static[part] = uses.ranges.is_static[row]
        hazard = np.zeros(length, np.uint8)
        for row, part in _parts(uses.hazards.first, uses.hazards.count, self.hazards, first, end):
            hazard[part] = np.maximum(hazard[part], PENDING if uses.hazards.is_pending[row] else EARLIER)
        copied = np.zeros(length, np.uint8)
        for _, part in _parts(uses.copies.source_first, uses.copies.count, self.copies_out, first, end):
            copied[part] = COPIED_OUT
        for _, part in _parts(uses.copies.first, uses.copies.count, self.copies_in, first, end):
            copied[part] = COPIED_IN
        given = np.full(length, FREE if self.allocator >= 0 else GIVEN_OUT, np.uint8)
        for row, part in _parts(uses.given_out.first, uses.given_out.count, self.given, first, end):
            is_back = self.is_free_list and uses.given_out.back_frame[row] >= 0
            given[part] = COMING_BACK if is_back else GIVEN_OUT
        captured = np.zeros(length, np.bool_)
        for _, part in _parts(uses.captures.first, uses.captures.count, self.captures, first, end):
            captured[part] = True
        return SlotCover(range_row, is_static, hazard, copied, given, captured)

    @property
    def is_free_list(self) -> bool:
        """Whether slots come from a free list."""
        kinds = self.snapshot.descriptor_uses.allocators.kind
        return self.allocator >= 0 and kinds[self.allocator] == AllocatorKind.FREE_LIST

    def counts(self) -> UseCounts:
        """Return how many slots are used how: each slot once."""
        uses, slots = self.snapshot.descriptor_uses, len(self.heap.kind)
        is_pending = uses.hazards.is_pending[self.hazards]
        given = union(uses.given_out.first, uses.given_out.count, self.given)
        copied = np.concatenate((uses.copies.first[self.copies_in], uses.copies.source_first[self.copies_out]))
        lengths = np.concatenate((uses.copies.count[self.copies_in], uses.copies.count[self.copies_out]))
        return UseCounts(
            in_tables=union(uses.ranges.first, uses.ranges.count, self.ranges),
            pending=union(uses.hazards.first, uses.hazards.count, self.hazards[is_pending]),
            earlier=union(uses.hazards.first, uses.hazards.count, self.hazards[~is_pending]),
            copied=union(copied, lengths, np.arange(len(copied))),
            captured=union(uses.captures.first, uses.captures.count, self.captures),
            pale=slots - given if self.allocator >= 0 else 0,
        )

    def next_hazard(self, slot: int, step: int) -> int | None:
        """Return the first slot of the next hazard in a direction (1 or −1), around the ends; None without any."""
        firsts = np.unique(self.snapshot.descriptor_uses.hazards.first[self.hazards])
        if not len(firsts):
            return None
        at = int(np.searchsorted(firsts, slot, "right" if step > 0 else "left"))
        return int(firsts[(at if step > 0 else at - 1) % len(firsts)])

    def rows_at(self, table: str, slot: int) -> list[int]:
        """Return the rows that are about a slot, of ``ranges hazards copies_in copies_out captures given``."""
        uses = self.snapshot.descriptor_uses
        columns: dict[str, tuple[Int32, Int32]] = {
            "ranges": (uses.ranges.first, uses.ranges.count),
            "hazards": (uses.hazards.first, uses.hazards.count),
            "copies_in": (uses.copies.first, uses.copies.count),
            "copies_out": (uses.copies.source_first, uses.copies.count),
            "captures": (uses.captures.first, uses.captures.count),
            "given": (uses.given_out.first, uses.given_out.count),
        }
        first, count = columns[table]
        rows: Int64 = getattr(self, table)
        inside = (first[rows] <= slot) & (slot < first[rows].astype(np.int64) + count[rows])
        return rows[inside].tolist()


def uses_of(snapshot: Snapshot, index: int) -> HeapUses:
    """Return what happens to the slots of a heap.

    Args:
        snapshot: The snapshot.
        index: Index of the heap.
    """
    uses = snapshot.descriptor_uses

    def rows(heap: Int32, first: Int32) -> Int64:
        found = np.flatnonzero(heap == index)
        return found[np.argsort(first[found], kind="stable")]

    def newest(found: Int64, frames: Int32) -> Int64:
        return found[frames[found] == frames.max()] if len(frames) else found

    allocator = np.flatnonzero(uses.allocators.heap == index)
    return HeapUses(
        snapshot=snapshot,
        index=index,
        ranges=rows(uses.ranges.heap, uses.ranges.first),
        hazards=rows(uses.hazards.heap, uses.hazards.first),
        copies_in=newest(rows(uses.copies.heap, uses.copies.first), uses.copies.frame),
        copies_out=newest(rows(uses.copies.source_heap, uses.copies.source_first), uses.copies.frame),
        captures=newest(np.flatnonzero(uses.captures.heap == index), uses.captures.frame),
        given=rows(uses.given_out.heap, uses.given_out.first),
        allocator=int(allocator[0]) if len(allocator) else -1,
    )


def is_captured(snapshot: Snapshot) -> bool:
    """Return whether the implementation captures tables when they are recorded."""
    return snapshot.provenance.options.get("tables") == "recording"


def union(first: Int32, count: Int32, rows: npt.NDArray[np.int64]) -> int:
    """Return how many slots the ranges of some rows cover, each slot once."""
    if not len(rows):
        return 0
    order = rows[np.argsort(first[rows], kind="stable")]
    starts, ends = first[order].astype(np.int64), first[order].astype(np.int64) + count[order]
    reached = np.concatenate(([starts[0]], np.maximum.accumulate(ends)[:-1]))
    return int(np.maximum(ends - np.maximum(starts, reached), 0).sum())


def list_name(snapshot: Snapshot, command_list: int) -> str:
    """Return the name of a list, or who else reads."""
    return snapshot.descriptor_uses.lists[command_list] if command_list >= 0 else NO_LIST


def heap_name(snapshot: Snapshot, heap: int) -> str:
    """Return the name of a descriptor heap, or that it is gone."""
    heaps = snapshot.descriptor_heaps
    return heaps[heap].name if 0 <= heap < len(heaps) else "a heap that is gone"


def range_title(uses: HeapUses, row: int) -> str:
    """Return ``table 0, t0–t31``: the root parameter and its registers, as far as they are known."""
    ranges = uses.snapshot.descriptor_uses.ranges
    parameter, part = int(ranges.parameter[row]), int(ranges.part[row])
    if parameter < 0:
        return "table"
    told = uses.signature(int(ranges.signature[row]))
    if told is None or parameter >= len(told.parameters) or part >= len(told.parameters[parameter].ranges):
        return f"table {parameter}"
    return f"table {parameter}, {told.parameters[parameter].ranges[part].registers}"


def slots_text(first: int, count: int) -> str:
    """Return ``slot 3`` or ``slots 640–663``."""
    return f"slot {first:,}" if count == 1 else f"slots {first:,}–{first + count - 1:,}"


def _parts(first: Int32, count: Int32, rows: Int64, start: int, end: int) -> list[tuple[int, slice]]:
    """Return rows that share slots with a run, with the part of the run that they cover."""
    low = first[rows].astype(np.int64)
    high = low + count[rows]
    inside = np.flatnonzero((low < end) & (high > start))
    begins, ends = np.maximum(low[inside], start) - start, np.minimum(high[inside], end) - start
    return [
        (row, slice(begin, stop))
        for row, begin, stop in zip(rows[inside].tolist(), begins.tolist(), ends.tolist(), strict=True)
    ]
