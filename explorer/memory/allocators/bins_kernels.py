"""OffsetAllocator-style bins compiled: the placements of ``bins_reference`` over rows of 32 bytes.

Offsets and sizes are granules in 32 bits, as in the original, so that two rows share a cache line.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from explorer.memory.allocators.bits_kernels import clear_bit, highest_bit, next_bit, set_bit
from explorer.memory.kernels import flat_kernel

Table: TypeAlias = Any
"""An int64 array; elements count as plain integers here."""
Rows: TypeAlias = Any
"""A uint32 table; elements count as plain integers here."""

OFFSET, SIZE, BEFORE, AFTER, PREVIOUS, NEXT, MARKS, SLOT = range(8)
ROUNDING = NEXT
"""Live rows keep the bytes that rounding added where free ones keep the next row of the bin; in MARKS log2 of the
alignment and, from bit 6, the kind; and their slot + 1."""
NONE = 0xFFFFFFFF
LIVE = 0xFFFFFFFE

UNUSED, FRESH, LIVE_COUNT, GRANULE, GRANULARITY, LAST = range(6)
"""Cells of ``state``: chain of unused rows, first row never used, live rows, options in bytes, last row by address."""


@flat_kernel
def bin_below(size: int) -> int:
    """Return the bin of a free range of ``size`` granules."""
    if size < 8:
        return size
    shift = highest_bit(size) - 3
    return ((shift + 1) << 3) + (size >> shift) - 8


@flat_kernel
def bin_above(size: int) -> int:
    """Return the first bin whose ranges all hold ``size`` granules."""
    if size < 8:
        return size
    shift = highest_bit(size) - 3
    number = ((shift + 1) << 3) + (size >> shift) - 8
    return number + 1 if size & ((1 << shift) - 1) else number


@flat_kernel
def granules_wanted(size: int, alignment: int, state: Table) -> tuple[int, int]:
    """Return the granules that a request takes, and the alignment in force."""
    granule, page = state[GRANULE], state[GRANULARITY]
    if page > 1:
        size = (size + page - 1) & -page
        alignment = max(alignment, page)
    if alignment > granule:
        size += alignment - granule
    return (size + granule - 1) >> highest_bit(granule), alignment


@flat_kernel
def reserve(alignment: int, granule: int) -> int:
    """Return the bytes that are added to a request for its alignment."""
    return alignment - granule if alignment > granule else 0


@flat_kernel
def asked_bytes(rows: Rows, row: int, granule: int) -> int:
    """Return what was asked for by the block of a live row."""
    alignment = np.int64(1) << np.int64(rows[row, MARKS] & 63)
    return rows[row, SIZE] * granule - np.int64(rows[row, ROUNDING]) - reserve(alignment, granule)


@flat_kernel
def insert(rows: Rows, heads: Table, words: Table, row: int) -> None:
    """File a free row in front of its bin."""
    number = bin_below(np.int64(rows[row, SIZE]))
    head = heads[number]
    rows[row, PREVIOUS] = NONE
    if head >= 0:
        rows[row, NEXT] = head
        rows[head, PREVIOUS] = row
    else:
        rows[row, NEXT] = NONE
        set_bit(words, number)
    heads[number] = row


@flat_kernel
def remove(rows: Rows, heads: Table, words: Table, row: int) -> None:
    """Take a free row out of its bin."""
    previous, following = np.int64(rows[row, PREVIOUS]), np.int64(rows[row, NEXT])
    if following != NONE:
        rows[following, PREVIOUS] = previous
    if previous != NONE:
        rows[previous, NEXT] = following
        return
    number = bin_below(np.int64(rows[row, SIZE]))
    if following != NONE:
        heads[number] = following
    else:
        heads[number] = -1
        clear_bit(words, number)


@flat_kernel
def find(heads: Table, words: Table, granules: int) -> int:
    """Return the row that would be cut, or -1."""
    number = next_bit(words, bin_above(granules))
    return -1 if number < 0 else heads[number]


@flat_kernel
def take(rows: Rows, heads: Table, words: Table, state: Table, size: int, alignment: int, kind: int, slot: int) -> int:
    """Take a block and return its row, or -1."""
    granules, alignment = granules_wanted(size, alignment, state)
    row = find(heads, words, granules)
    if row < 0:
        return -1
    remove(rows, heads, words, row)
    rest = np.int64(rows[row, SIZE]) - granules
    if rest > 0:
        behind = state[UNUSED]
        if behind >= 0:
            following = np.int64(rows[behind, NEXT])
            state[UNUSED] = -1 if following == NONE else following
        else:
            behind = state[FRESH]
            state[FRESH] = behind + 1
        after = np.int64(rows[row, AFTER])
        rows[behind, OFFSET] = rows[row, OFFSET] + granules
        rows[behind, SIZE] = rest
        rows[behind, BEFORE] = row
        rows[behind, AFTER] = after
        if after != NONE:
            rows[after, BEFORE] = behind
        else:
            state[LAST] = behind
        rows[row, AFTER] = behind
        rows[row, SIZE] = granules
        insert(rows, heads, words, behind)
    rows[row, PREVIOUS] = LIVE
    rows[row, ROUNDING] = granules * state[GRANULE] - size - reserve(alignment, state[GRANULE])
    rows[row, MARKS] = highest_bit(alignment) + (kind << 6)
    rows[row, SLOT] = slot + 1
    state[LIVE_COUNT] += 1
    return row


@flat_kernel
def drop_row(rows: Rows, state: Table, row: int) -> None:
    """Give a row back."""
    rows[row, NEXT] = NONE if state[UNUSED] < 0 else state[UNUSED]
    state[UNUSED] = row


@flat_kernel
def free(rows: Rows, heads: Table, words: Table, state: Table, row: int) -> None:
    """Give a live row back and join it with its free neighbours."""
    state[LIVE_COUNT] -= 1
    before, after = np.int64(rows[row, BEFORE]), np.int64(rows[row, AFTER])
    if before != NONE and rows[before, PREVIOUS] != LIVE:
        remove(rows, heads, words, before)
        rows[row, OFFSET] = rows[before, OFFSET]
        rows[row, SIZE] += rows[before, SIZE]
        further = np.int64(rows[before, BEFORE])
        rows[row, BEFORE] = further
        if further != NONE:
            rows[further, AFTER] = row
        drop_row(rows, state, before)
    if after != NONE and rows[after, PREVIOUS] != LIVE:
        remove(rows, heads, words, after)
        rows[row, SIZE] += rows[after, SIZE]
        further = np.int64(rows[after, AFTER])
        rows[row, AFTER] = further
        if further != NONE:
            rows[further, BEFORE] = row
        else:
            state[LAST] = row
        drop_row(rows, state, after)
    insert(rows, heads, words, row)


@flat_kernel
def replay(
    rows: Rows,
    heads: Table,
    words: Table,
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
    """Apply operations; return how many takes were refused, or -1 - row where a slot was still in use.

    ``slots`` holds the row of each slot or -1; ``start`` comes filled with -1; the event columns (and ``kind_of``) have
    no rows where they are not wanted.
    """
    refused = 0
    want = len(event) > 0
    granule, page = state[GRANULE], state[GRANULARITY]
    for index in range(len(op)):
        slot = slot_of[index]
        row = slots[slot]
        offsets[index] = -1
        starts[index] = -1
        if op[index] == 0:
            if row >= 0:
                return -1 - index
            kind = kind_of[index] if len(kind_of) > 0 else 0
            alignment = alignment_of[index]
            row = take(rows, heads, words, state, size_of[index], alignment, kind, slot)
            if row < 0:
                refused += 1
                if want:
                    event[index] = 2
                continue
            slots[slot] = row
            first = rows[row, OFFSET] * granule
            step = max(alignment, page)
            starts[index] = first
            offsets[index] = (first + step - 1) & -step
            if want:
                event[index] = 0
                start[index] = first
                kept[index] = rows[row, SIZE] * granule
        elif row >= 0:
            slots[slot] = -1
            if want:
                event[index] = 1
                start[index] = rows[row, OFFSET] * granule
                kept[index] = rows[row, SIZE] * granule
            free(rows, heads, words, state, row)
    return refused


@flat_kernel
def collect(rows: Rows, state: Table, live: Table) -> None:
    """Write row, start, kept, offset, size, kind of the live rows in offset order, bytes."""
    granule = state[GRANULE]
    index = len(live)
    row = state[LAST]
    while row != NONE:
        if rows[row, PREVIOUS] == LIVE:
            index -= 1
            first = rows[row, OFFSET] * granule
            step = np.int64(1) << np.int64(rows[row, MARKS] & 63)
            live[index, 0] = row
            live[index, 1] = first
            live[index, 2] = rows[row, SIZE] * granule
            live[index, 3] = (first + step - 1) & -step
            live[index, 4] = asked_bytes(rows, row, granule)
            live[index, 5] = rows[row, MARKS] >> 6
        row = np.int64(rows[row, BEFORE])
