"""Linear allocation compiled: the placements of ``linear_reference``; each run is a list of rows, oldest first."""

from __future__ import annotations

from typing import Any, TypeAlias

from explorer.memory.kernels import flat_kernel

Table: TypeAlias = Any
"""An int64 array; elements count as plain integers here."""

START, KEPT, OFFSET, SIZE, KIND, SLOT, OLDER, NEWER = range(8)
FREED = -2
"""Value of SLOT for a block that is freed but locked; -1 is a live block without a slot."""

HEADS, TAILS = 0, 2
"""Cells of ``state``: oldest row of the first and of the second run; then the newest of each."""
UNUSED, FRESH, LIVE_COUNT, MODE, GRANULARITY, RANGE = range(4, 10)
STACK, DOUBLE_STACK, RING = range(3)


@flat_kernel
def try_above(rows: Table, below: int, start: int, limit: int, size: int, alignment: int, kind: int, page: int) -> int:
    """Return the offset of a block that grows upwards from ``start``, or -1."""
    if below >= 0 and rows[below, KIND] != kind:
        start = (start + page - 1) & -page
    offset = (start + alignment - 1) & -alignment
    return offset if offset + size <= limit else -1


@flat_kernel
def find(rows: Table, state: Table, size: int, alignment: int, kind: int) -> tuple[int, int, int, int]:
    """Return offset, first byte held, bytes held and run; offset -1 refuses."""
    mode, page, bytes_all = state[MODE], state[GRANULARITY], state[RANGE]
    first, second = state[TAILS], state[TAILS + 1]
    low = rows[first, START] + rows[first, KEPT] if first >= 0 else 0
    if mode == DOUBLE_STACK:
        high = rows[second, START] if second >= 0 else bytes_all
        limit = high
        if second >= 0 and rows[second, KIND] != kind:
            limit &= -page
        if kind & 1:
            start = low
            if first >= 0 and rows[first, KIND] != kind:
                start = (start + page - 1) & -page
            offset = (limit - size) & -alignment
            return (offset, offset, high - offset, 1) if offset >= start else (-1, 0, 0, 0)
        offset = try_above(rows, first, low, limit, size, alignment, kind, page)
        return offset, low, offset + size - low, 0
    oldest = state[HEADS]
    if second < 0:
        offset = try_above(rows, first, low, bytes_all, size, alignment, kind, page)
        if offset >= 0 or mode == STACK or first < 0:
            return offset, low, offset + size - low, 0
    start = rows[second, START] + rows[second, KEPT] if second >= 0 else 0
    limit = rows[oldest, START]
    if rows[oldest, KIND] != kind:
        limit &= -page
    offset = try_above(rows, second, start, limit, size, alignment, kind, page)
    return offset, start, offset + size - start, 1


@flat_kernel
def take(rows: Table, state: Table, size: int, alignment: int, kind: int, slot: int) -> int:
    """Take a block and return its row, or -1."""
    offset, start, kept, run = find(rows, state, size, alignment, kind)
    if offset < 0:
        return -1
    row = state[UNUSED]
    if row >= 0:
        state[UNUSED] = rows[row, NEWER]
    else:
        row = state[FRESH]
        state[FRESH] = row + 1
    newest = state[TAILS + run]
    rows[row, START] = start
    rows[row, KEPT] = kept
    rows[row, OFFSET] = offset
    rows[row, SIZE] = size
    rows[row, KIND] = kind
    rows[row, SLOT] = slot
    rows[row, OLDER] = newest
    rows[row, NEWER] = -1
    if newest >= 0:
        rows[newest, NEWER] = row
    else:
        state[HEADS + run] = row
    state[TAILS + run] = row
    state[LIVE_COUNT] += 1
    return row


@flat_kernel
def drop_end(rows: Table, state: Table, run: int, newest: bool) -> None:
    """Drop the newest or the oldest row of a run."""
    row = state[(TAILS if newest else HEADS) + run]
    neighbour = rows[row, OLDER if newest else NEWER]
    state[(TAILS if newest else HEADS) + run] = neighbour
    if neighbour >= 0:
        rows[neighbour, NEWER if newest else OLDER] = -1
    else:
        state[HEADS + run] = -1
        state[TAILS + run] = -1
    rows[row, NEWER] = state[UNUSED]
    state[UNUSED] = row


@flat_kernel
def free(rows: Table, state: Table, row: int) -> None:
    """Give a live block back, and unlock what nothing live stands behind."""
    state[LIVE_COUNT] -= 1
    rows[row, SLOT] = FREED
    for run in range(2):
        while state[TAILS + run] >= 0 and rows[state[TAILS + run], SLOT] == FREED:
            drop_end(rows, state, run, True)
        while state[MODE] == RING and state[HEADS + run] >= 0 and rows[state[HEADS + run], SLOT] == FREED:
            drop_end(rows, state, run, False)
    if state[MODE] == RING and state[HEADS] < 0:
        state[HEADS], state[TAILS] = state[HEADS + 1], state[TAILS + 1]
        state[HEADS + 1], state[TAILS + 1] = -1, -1


@flat_kernel
def collect(rows: Table, state: Table, live: Table) -> None:
    """Write row, start, kept, offset, size, kind of the live blocks, run by run."""
    at = 0
    for run in range(2):
        row = state[HEADS + run]
        while row >= 0:
            if rows[row, SLOT] != FREED:
                live[at, 0] = row
                for column in range(5):
                    live[at, 1 + column] = rows[row, column]
                at += 1
            row = rows[row, NEWER]


@flat_kernel
def replay(
    rows: Table,
    state: Table,
    slots: Table,
    op: Table,
    slot_of: Table,
    size_of: Table,
    alignment_of: Table,
    kind_of: Table,
    offsets: Table,
    starts: Table,
    event: Table,
    start: Table,
    kept: Table,
) -> int:
    """Apply operations; arguments and answer as in ``bins_kernels.replay``."""
    refused = 0
    want = len(event) > 0
    for index in range(len(op)):
        slot = slot_of[index]
        row = slots[slot]
        offsets[index] = -1
        starts[index] = -1
        if op[index] == 0:
            if row >= 0:
                return -1 - index
            kind = kind_of[index] if len(kind_of) > 0 else 0
            row = take(rows, state, size_of[index], alignment_of[index], kind, slot)
            if row < 0:
                refused += 1
                if want:
                    event[index] = 2
                continue
            slots[slot] = row
            offsets[index] = rows[row, OFFSET]
            starts[index] = rows[row, START]
            if want:
                event[index] = 0
        elif row >= 0:
            slots[slot] = -1
            if want:
                event[index] = 1
        if want and row >= 0:
            start[index] = rows[row, START]
            kept[index] = rows[row, KEPT]
        if op[index] != 0 and row >= 0:
            free(rows, state, row)
    return refused
