"""Where each byte of a segment is counted: used, padding by cause, free."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from explorer.core.kinds import BlockState, WasteCause

if TYPE_CHECKING:
    from explorer.device.memory_state import MemoryState

CAUSES = tuple(cause.token for cause in WasteCause)


@dataclass(slots=True)
class Waste:
    """Rows of a waste table that is being built, in row numbers of the device's tables."""

    segment: list[int] = field(default_factory=list[int])
    heap: list[int] = field(default_factory=list[int])
    offset: list[int] = field(default_factory=list[int])
    size: list[int] = field(default_factory=list[int])
    cause: list[int] = field(default_factory=list[int])

    def add(self, segment: int, heap: int, offset: int, size: int, cause: int) -> None:
        """Add a row."""
        self.segment.append(segment)
        self.heap.append(heap)
        self.offset.append(offset)
        self.size.append(size)
        self.cause.append(cause)


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
    for heap in shared_heaps.tolist():
        _sum_shared({name: column[columns["heap"] == heap] for name, column in columns.items()}, int(heap), sums)
    _sum_heaps(state, columns, sums)
    return sums


def _sum_plain(columns: dict[str, npt.NDArray[Any]], plain: npt.NDArray[np.bool_], sums: Sums) -> None:
    count = len(sums.used)
    segment = columns["segment"][plain]
    for index in range(count):
        here = segment == index
        sums.used[index] += int(columns["size"][plain][here].sum())
    for cause, name in ((WasteCause.ALIGNMENT, "pad_before"), (WasteCause.ROUNDING, "rounding")):
        for row in np.flatnonzero(plain & (columns[name] > 0)).tolist():
            at, size = int(columns["offset"][row]), int(columns[name][row])
            start = at - size if cause is WasteCause.ALIGNMENT else at + int(columns["size"][row])
            where = int(columns["segment"][row])
            sums.waste.add(where, int(columns["heap"][row]), start, size, cause)
            sums.padding[where][cause] += size


def _sum_shared(columns: dict[str, npt.NDArray[Any]], heap: int, sums: Sums) -> None:
    """Sweep over one heap in which resources share bytes: a used byte beats padding, padding beats free."""
    segment = int(columns["segment"][0])
    used = _union(columns["offset"], columns["offset"] + columns["size"])
    total = sum(end - start for start, end in used)
    sums.used[segment] += total
    sums.shared += int(columns["size"].sum()) - total
    tails = columns["offset"] + columns["size"]
    for start, end in _subtract(_union(tails, tails + columns["rounding"]), used):
        sums.waste.add(segment, heap, start, end - start, WasteCause.ROUNDING)
        sums.padding[segment][WasteCause.ROUNDING] += end - start


def _sum_heaps(state: MemoryState, columns: dict[str, npt.NDArray[Any]], sums: Sums) -> None:
    heaps = state.heaps
    if not len(heaps):
        return
    ends = np.zeros(len(heaps.live), np.int64)
    in_heap = columns["heap"] >= 0
    held = np.zeros(len(heaps.live), np.int64)
    np.maximum.at(ends, columns["heap"][in_heap], (columns["offset"] + columns["size"] + columns["rounding"])[in_heap])
    spans: dict[int, int] = {}
    for row, size in zip(sums.waste.heap, sums.waste.size, strict=True):
        if row >= 0:
            spans[row] = spans.get(row, 0) + size
    np.add.at(held, columns["heap"][in_heap], columns["size"][in_heap])
    for heap in np.unique(columns["heap"][in_heap & _shared_mask(state, columns)]).tolist():
        here = columns["heap"] == heap
        used = _union(columns["offset"][here], (columns["offset"] + columns["size"])[here])
        held[heap] = sum(end - start for start, end in used)
    for row in heaps:
        segment = int(heaps["segment"][row])
        size, unit = int(heaps["size"][row]), int(heaps["unit"][row])
        rounding = int(heaps["rounding"][row])
        if rounding:
            sums.padding[segment][WasteCause.ROUNDING] += rounding
            sums.waste.add(segment, -1, int(heaps["address"][row]) + size, rounding, WasteCause.ROUNDING)
        free = size - int(held[row]) - spans.get(row, 0)
        rest = size % unit if unit > 1 else 0
        if rest and int(ends[row]) <= size - rest:
            sums.padding[segment][WasteCause.TAIL] += rest
            sums.waste.add(segment, row, size - rest, rest, WasteCause.TAIL)
            free -= rest
        sums.free_in_heaps[segment] += free


def _shared_mask(state: MemoryState, columns: dict[str, npt.NDArray[Any]]) -> npt.NDArray[np.bool_]:
    aliased = (state.blocks["state"][state.blocks.live] & int(BlockState.ALIASED)) != 0
    return np.isin(columns["heap"], columns["heap"][aliased])


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
