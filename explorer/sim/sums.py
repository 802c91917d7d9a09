"""Where each byte of a segment is counted: used, padding by cause, free."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from explorer.core.kinds import BlockState, WasteCause

if TYPE_CHECKING:
    from explorer.device.memory_state import MemoryState

CAUSES = tuple(cause.token for cause in WasteCause)

Int64: TypeAlias = npt.NDArray[np.int64]
_Columns: TypeAlias = dict[str, npt.NDArray[Any]]


@dataclass(slots=True)
class Waste:
    """Rows of a waste table that is being built, in row numbers of the device's tables.

    Attributes:
        parts: Runs of rows, int64, shape (5, rows) each: segment, heap (−1 none), offset, size, cause.
    """

    parts: list[Int64] = field(default_factory=list["Int64"])

    def add(self, segment: Any, heap: Any, offset: Any, size: Any, cause: int | Int64) -> None:
        """Add rows; each argument is a number or an array of one length."""
        rows = np.broadcast_arrays(*np.atleast_1d(segment, heap, offset, size, np.asarray(cause, np.int64)))
        self.parts.append(np.stack([np.asarray(row, np.int64) for row in rows]))

    def table(self) -> Int64:
        """Return all rows, shape (5, rows)."""
        return np.concatenate([np.zeros((5, 0), np.int64), *self.parts], axis=1)


@dataclass(slots=True)
class Sums:
    """Bytes of each segment.

    Attributes:
        used: Under a live resource, shared bytes once; one int each segment.
        padding: Segment → cause → bytes.
        free_in_heaps: Free inside heaps.
        shared: Bytes that lie under more than one resource, counted once for each further one.
        waste: The ranges behind ``padding``.
    """

    used: list[int]
    padding: list[list[int]]
    free_in_heaps: list[int]
    shared: int = 0
    waste: Waste = field(default_factory=Waste)


def sum_bytes(state: MemoryState) -> Sums:
    """Count every byte of every segment once."""
    count = len(state.segments)
    sums = Sums([0] * count, [[0] * len(CAUSES) for _ in range(count)], [0] * count)
    blocks, live = state.blocks, state.blocks.live
    columns = {name: blocks[name][live] for name in ("segment", "heap", "offset", "size", "pad_before", "rounding")}
    aliased = (blocks["state"][live] & int(BlockState.ALIASED)) != 0
    shared_heaps = np.unique(columns["heap"][aliased])
    plain = ~np.isin(columns["heap"], shared_heaps) if len(shared_heaps) else np.ones(len(aliased), np.bool_)
    _sum_plain(columns, plain, sums)
    held = _held_in_heaps(state, columns)
    for heap in shared_heaps.tolist():
        used = _sum_shared({name: column[columns["heap"] == heap] for name, column in columns.items()}, heap, sums)
        if heap >= 0:
            held[heap] = used
    _sum_heaps(state, columns, held, sums)
    _sum_padding(sums)
    return sums


def _sum_plain(columns: _Columns, plain: npt.NDArray[np.bool_], sums: Sums) -> None:
    part = columns if plain.all() else {name: column[plain] for name, column in columns.items()}
    for index in range(len(sums.used)):
        sums.used[index] += int(part["size"][part["segment"] == index].sum())
    for cause, name in ((WasteCause.ALIGNMENT, "pad_before"), (WasteCause.ROUNDING, "rounding")):
        rows = np.flatnonzero(part[name] > 0)
        if len(rows):
            at, size = part["offset"][rows], part[name][rows]
            start = at - size if cause is WasteCause.ALIGNMENT else at + part["size"][rows]
            sums.waste.add(part["segment"][rows], part["heap"][rows], start, size, cause)


def _sum_shared(columns: _Columns, heap: int, sums: Sums) -> int:
    """Sweep over one heap in which resources share bytes: a used byte beats padding, padding beats free.

    Returns:
        Bytes under at least one resource.
    """
    segment = int(columns["segment"][0])
    used = _union(columns["offset"], columns["offset"] + columns["size"])
    total = sum(end - start for start, end in used)
    sums.used[segment] += total
    sums.shared += int(columns["size"].sum()) - total
    tails = columns["offset"] + columns["size"]
    for start, end in _subtract(_union(tails, tails + columns["rounding"]), used):
        sums.waste.add(segment, heap, start, end - start, WasteCause.ROUNDING)
    return total


def _held_in_heaps(state: MemoryState, columns: _Columns) -> Int64:
    """Return the bytes of the blocks in each heap, shape (heap row numbers,)."""
    held = np.zeros(len(state.heaps.live), np.int64)
    in_heap = columns["heap"] >= 0
    np.add.at(held, columns["heap"][in_heap], columns["size"][in_heap])
    return held


def _sum_heaps(state: MemoryState, columns: _Columns, held: Int64, sums: Sums) -> None:
    heaps, rows = state.heaps, state.heaps.rows()
    if not len(rows):
        return
    ends = np.zeros(len(held), np.int64)
    in_heap = columns["heap"] >= 0
    np.maximum.at(ends, columns["heap"][in_heap], (columns["offset"] + columns["size"] + columns["rounding"])[in_heap])
    wasted = np.zeros(len(held), np.int64)
    found = sums.waste.table()
    inside = found[1] >= 0
    np.add.at(wasted, found[1][inside], found[3][inside])
    segment, size, unit, rounding, address = (
        heaps[name][rows] for name in ("segment", "size", "unit", "rounding", "address")
    )
    rest = np.where(unit > 1, size % np.maximum(unit, 1), 0)
    tail = np.where(ends[rows] <= size - rest, rest, 0)
    free = size - held[rows] - wasted[rows] - tail
    for index in range(len(sums.free_in_heaps)):
        sums.free_in_heaps[index] += int(free[segment == index].sum())
    grown, ended = rounding > 0, tail > 0
    # Heap after heap: what rounding its size costs behind it, then what its end cannot hold.
    order = np.argsort(np.concatenate([np.flatnonzero(grown) * 2, np.flatnonzero(ended) * 2 + 1]), kind="stable")
    lost = Waste()
    lost.add(segment[grown], -1, (address + size)[grown], rounding[grown], WasteCause.ROUNDING)
    lost.add(segment[ended], rows[ended], (size - tail)[ended], tail[ended], WasteCause.TAIL)
    sums.waste.parts.append(lost.table()[:, order])


def _sum_padding(sums: Sums) -> None:
    segment, _, _, size, cause = sums.waste.table()
    for where, causes in enumerate(sums.padding):
        here = segment == where
        for index in range(len(causes)):
            causes[index] = int(size[here & (cause == index)].sum())


def _union(starts: npt.NDArray[Any], ends: npt.NDArray[Any]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(zip(starts.tolist(), ends.tolist(), strict=True)):
        if end <= start:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _subtract(ranges: list[tuple[int, int]], cover: list[tuple[int, int]]) -> list[tuple[int, int]]:
    left: list[tuple[int, int]] = []
    for start, end in ranges:
        for low, high in cover:
            if high <= start or low >= end:
                continue
            if low > start:
                left.append((start, low))
            start = max(start, high)
            if start >= end:
                break
        if start < end:
            left.append((start, end))
    return left
