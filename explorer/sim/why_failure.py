"""Why bytes found no place, in numbers: asked, free, holes, who stands in the way, what would help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from explorer.core.units import format_bytes, format_exact

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class FailureReport:
    """A request that found no place, against a range as it is now.

    Attributes:
        place: Name of the segment or heap.
        is_paged: True where any free pages do: there holes do not matter.
        requested_bytes: Bytes asked for.
        alignment: Alignment asked for, in bytes; 1 where unknown.
        size_bytes: Size of the range.
        free_bytes: Bytes that nobody holds.
        largest_hole_bytes: The largest hole; all free bytes where paged.
        holes: Number of holes; 0 where paged.
        holes_too_small: Holes smaller than the request.
        fits_now: Whether the range could hold the request now.
        blocker: Name of what lies behind the largest hole; empty where nothing does or where paged.
        blocker_resource: Index of that resource, −1 none.
        best: Name of the one thing whose leaving would help most: the smallest that makes the request fit, or, where
            none does, the one that leaves the largest hole. Empty where nothing can leave.
        best_resource: Index of that resource, −1 none.
        best_bytes: Bytes that its leaving frees.
        best_hole_bytes: The hole that it leaves, with its neighbours; all free bytes then where paged.
        best_fits: Whether the request fits then.
        packed_hole_bytes: The hole after a defragmentation: all free bytes in one.
        packed_fits: Whether the request fits then.
    """

    place: str
    is_paged: bool
    requested_bytes: int
    alignment: int
    size_bytes: int
    free_bytes: int
    largest_hole_bytes: int
    holes: int
    holes_too_small: int
    fits_now: bool
    blocker: str = ""
    blocker_resource: int = -1
    best: str = ""
    best_resource: int = -1
    best_bytes: int = 0
    best_hole_bytes: int = 0
    best_fits: bool = False
    packed_hole_bytes: int = 0
    packed_fits: bool = False

    def lines(self) -> tuple[str, ...]:
        """Return the report as plain sentences with numbers."""
        asked = f"{format_exact(self.requested_bytes)} were asked for in {self.place}"
        if self.alignment > 1:
            asked += f", aligned to {format_exact(self.alignment)}"
        lines = [f"{asked}; {format_exact(self.free_bytes)} of {format_exact(self.size_bytes)} are free."]
        if self.is_paged:
            lines.append("Any free pages would do here: only bytes are missing, not a hole.")
        else:
            lines.append(
                f"The largest of {self.holes:,} holes has {format_exact(self.largest_hole_bytes)}; "
                f"{self.holes_too_small:,} are too small."
            )
        if self.fits_now:
            lines.append("As things stand now it would fit.")
            return tuple(lines)
        if self.blocker:
            lines.append(f"{self.blocker} stands behind the largest hole.")
        lines.append(self._eviction())
        lines.append(self._defragmentation())
        return tuple(lines)

    def _eviction(self) -> str:
        if not self.best:
            return "Nothing in it can leave."
        hole = format_bytes(self.best_hole_bytes)
        if self.best_fits:
            return f"If {self.best} ({format_bytes(self.best_bytes)}) left, {hole} in one piece would hold it."
        return f"No single one does it: {self.best} ({format_bytes(self.best_bytes)}) would leave at most {hole}."

    def _defragmentation(self) -> str:
        if self.is_paged:
            return "A defragmentation would gain nothing: pages need not be neighbours."
        hole = format_bytes(self.packed_hole_bytes)
        if self.packed_fits:
            return f"A defragmentation would make one hole of {hole}, and it would fit."
        return f"A defragmentation would make one hole of {hole}, which is still too small."


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """What holds a range, sorted by address: first byte and end (padding included), owner, whether it may leave."""

    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    owner: npt.NDArray[np.int64]
    is_heap: npt.NDArray[np.bool_]


def failure_report(snapshot: Snapshot, place: str, size: int, alignment: int = 1) -> FailureReport | None:
    """Return what a range says to a request.

    Args:
        snapshot: The state to look at.
        place: Name of a segment or a heap, or a segment group.
        size: Bytes asked for.
        alignment: Alignment asked for, a power of two.

    Returns:
        None where no such range is known, or where its addresses are not.
    """
    if place in snapshot.heaps.names:
        heap = snapshot.heaps.names.index(place)
        return _contiguous(snapshot, place, int(snapshot.heaps.size[heap]), -1, heap, size, alignment)
    index = next((i for i, s in enumerate(snapshot.segments) if place in (s.name, s.group)), None)
    if index is None:
        return None
    segment = snapshot.segments[index]
    if segment.placement == "paged":
        return _paged(snapshot, index, size, alignment)
    return _contiguous(snapshot, segment.name, segment.size_bytes, index, -1, size, alignment)


def _paged(snapshot: Snapshot, index: int, size: int, alignment: int) -> FailureReport:
    segment = snapshot.segments[index]
    free = segment.free_bytes - segment.free_in_heaps_bytes
    group = next((g for g in snapshot.groups if (g.node, g.group) == (segment.node, segment.group)), None)
    if group is not None and group.budget_bytes is not None:
        free = min(free, max(group.budget_bytes - group.usage_bytes, 0))
    name, resource, gained = "", -1, 0
    inside = np.flatnonzero((snapshot.heaps.segment == index) & snapshot.heaps.resident)
    if len(inside):
        sizes = snapshot.heaps.size[inside]
        enough = inside[free + sizes >= size]
        best = int(enough[np.argmin(snapshot.heaps.size[enough])]) if len(enough) else int(inside[np.argmax(sizes)])
        name, gained = snapshot.heaps.names[best], int(snapshot.heaps.size[best])
        owners = np.flatnonzero(snapshot.blocks.heap == best)
        resource = int(snapshot.blocks.resource[owners[0]]) if len(owners) else -1
    return FailureReport(
        place=segment.name,
        is_paged=True,
        requested_bytes=size,
        alignment=alignment,
        size_bytes=segment.size_bytes,
        free_bytes=free,
        largest_hole_bytes=free,
        holes=0,
        holes_too_small=0,
        fits_now=free >= size,
        best=name,
        best_resource=resource,
        best_bytes=gained,
        best_hole_bytes=free + gained,
        best_fits=bool(name) and free + gained >= size,
        packed_hole_bytes=free,
        packed_fits=False,
    )


def _contiguous(
    snapshot: Snapshot, name: str, total: int, segment: int, heap: int, size: int, alignment: int
) -> FailureReport | None:
    held = _held(snapshot, segment, heap)
    if held is None:
        return None
    # Holes lie between what is held: before the first, between two, behind the last; aliases make negative ones.
    reach = np.maximum.accumulate(np.concatenate(([0], held.end)))
    holes_start = reach
    holes_end = np.concatenate((held.start, [total]))
    lengths = np.maximum(holes_end - holes_start, 0)
    real = lengths > 0
    largest = int(np.argmax(lengths))
    free = int(lengths.sum())
    blocker = int(held.owner[largest]) if largest < len(held.owner) and lengths[largest] > 0 else -1
    blocker_heap = largest < len(held.owner) and bool(held.is_heap[largest])
    best = _best_to_leave(held, holes_start, holes_end, size, alignment)
    packed_start = -(-(total - free) // alignment) * alignment
    gone = best[0] if best is not None else -1
    return FailureReport(
        place=name,
        is_paged=False,
        requested_bytes=size,
        alignment=alignment,
        size_bytes=total,
        free_bytes=free,
        largest_hole_bytes=int(lengths[largest]),
        holes=int(real.sum()),
        holes_too_small=int((real & (lengths < size)).sum()),
        fits_now=bool(_fits(holes_start, holes_end, size, alignment).any()),
        blocker=_name(snapshot, blocker, blocker_heap),
        blocker_resource=-1 if blocker_heap else blocker,
        best=_name(snapshot, int(held.owner[gone]), bool(held.is_heap[gone])) if gone >= 0 else "",
        best_resource=-1 if gone < 0 or held.is_heap[gone] else int(held.owner[gone]),
        best_bytes=int(held.end[gone] - held.start[gone]) if gone >= 0 else 0,
        best_hole_bytes=best[1] if best is not None else 0,
        best_fits=best is not None and best[2],
        packed_hole_bytes=free,
        packed_fits=packed_start + size <= total,
    )


def _held(snapshot: Snapshot, segment: int, heap: int) -> _Held | None:
    """Return what holds a segment (its heaps, its blocks outside heaps) or a heap, padding with its neighbour."""
    blocks, wastes = snapshot.blocks, snapshot.wastes
    inside = (blocks.heap == heap) & ((blocks.segment == segment) if heap < 0 else True)
    at = np.flatnonzero(inside)
    start, size, owner = blocks.offset[at], blocks.size[at], blocks.resource[at].astype(np.int64)
    is_heap = np.zeros(len(at), np.bool_)
    if heap < 0:
        heaps = np.flatnonzero(snapshot.heaps.segment == segment)
        start = np.concatenate((start, snapshot.heaps.address[heaps]))
        size = np.concatenate((size, snapshot.heaps.size[heaps]))
        owner = np.concatenate((owner, heaps.astype(np.int64)))
        is_heap = np.concatenate((is_heap, np.ones(len(heaps), np.bool_)))
    if len(start) and int(start.min()) < 0:
        return None
    order = np.lexsort((size, start))
    start, owner, is_heap = start[order].copy(), owner[order], is_heap[order]
    end = start + size[order]
    padding = np.flatnonzero((wastes.heap == heap) & ((wastes.segment == segment) if heap < 0 else True))
    if len(start) and len(padding):
        first, last = wastes.offset[padding], wastes.offset[padding] + wastes.size[padding]
        before = np.searchsorted(start, last)
        touches = (before < len(start)) & (start[np.minimum(before, len(start) - 1)] == last)
        np.minimum.at(start, before[touches], first[touches])
        ends = np.argsort(end, kind="stable")
        behind = np.searchsorted(end[ends], first)
        meets = ~touches & (behind < len(end)) & (end[ends][np.minimum(behind, len(end) - 1)] == first)
        np.maximum.at(end, ends[behind[meets]], last[meets])
    return _Held(start, end, owner, is_heap)


def _fits(start: npt.NDArray[np.int64], end: npt.NDArray[np.int64], size: int, alignment: int) -> npt.NDArray[np.bool_]:
    return -(-start // alignment) * alignment + size <= end


def _best_to_leave(
    held: _Held, holes_start: npt.NDArray[np.int64], holes_end: npt.NDArray[np.int64], size: int, alignment: int
) -> tuple[int, int, bool] | None:
    """Return who should leave, the hole it leaves with its neighbours, and whether the request fits there."""
    count = len(held.start)
    if not count:
        return None
    start = np.minimum(holes_start[:count], held.start)
    # Behind a block the hole goes on to the next one, unless another one still covers its end.
    covered = holes_start[1:] > held.end
    end = np.where(covered, held.end, np.maximum(holes_end[1:], held.end))
    lengths = end - start
    fits = _fits(start, end, size, alignment) & ~covered & (held.start >= holes_start[:count])
    if fits.any():
        candidates = np.flatnonzero(fits)
        best = int(candidates[np.argmin(lengths[candidates])])
        return best, int(lengths[best]), True
    best = int(np.argmax(np.where(covered, 0, lengths)))
    return best, int(lengths[best]), False


def _name(snapshot: Snapshot, index: int, is_heap: bool) -> str:
    if index < 0:
        return ""
    return snapshot.heaps.names[index] if is_heap else snapshot.resources.names[index]
