"""The row of a block, its links by address, and bounds by class: shared by the allocators that give padding back.

A row has 32 bytes, seen twice: as four int64 (``rows``: offset, size) and as eight int32 (``links``, columns 4 to 7),
so that two rows share a cache line and a visit costs one.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from explorer.memory.allocators.bits_kernels import lowest_bit
from explorer.memory.kernels import flat_kernel

Table: TypeAlias = Any
"""An int64 array; elements count as plain integers here."""
Links: TypeAlias = Any
"""An int32 table; elements count as plain integers here."""

OFFSET, SIZE = 0, 1
"""Columns of ``rows``."""
BEFORE, AFTER, PREVIOUS, NEXT = 4, 5, 6, 7
"""Columns of ``links``: neighbours by address; neighbours in a list, or children in a tree. -1 is none."""
SLOT = NEXT
LIVE = -2
"""A live row has ``LIVE - kind`` in PREVIOUS, and its slot (or -1) in SLOT."""

UNUSED, FRESH, LIVE_COUNT, LAST, GRANULARITY, OPTION, SMALL_STEP, SHIFT, CLASS_COUNT, MANTISSA, WIDE_SEEN = range(11)
"""Cells of ``state``: chain of unused rows, first row never used, live rows, last row by address, page that kinds do
not share, strategy or order, width of the small classes, shift from address to class, number of classes (a multiple
of 64), bits of a size class below its highest, whether ``WIDE_BYTES`` was ever asked for."""
STATE_CELLS = 11

WIDE_BYTES = 65536
"""Alignment whose room is bounded for each class: that of placed resources."""
ENDLESS = 1 << 62
"""A bound before anything is known."""
PLAIN, WIDE = 0, 1
"""Rows of ``bounds``: largest room of a class at any alignment, and at ``WIDE_BYTES``. Never too low; set right when
a search through the class was in vain. Each 64 classes have 65 cells: the largest of them, then one each."""


@flat_kernel
def place(rows: Table, links: Links, row: int, size: int, alignment: int, kind: int, page: int) -> int:
    """Return where the block would start in this free row, or -1."""
    room = rows[row, SIZE]
    if room < size:
        return -1
    start = rows[row, OFFSET]
    end = start + room
    offset = (start + alignment - 1) & -alignment
    if page > 1:
        before = links[row, BEFORE]
        if before >= 0 and LIVE - links[before, PREVIOUS] != kind and (start - 1) // page == offset // page:
            step = max(alignment, page)
            offset = (offset + step - 1) & -step
        after = links[row, AFTER]
        if after >= 0 and links[after, PREVIOUS] <= LIVE and LIVE - links[after, PREVIOUS] != kind:
            end &= -page
    return offset if offset + size <= end else -1


@flat_kernel
def wide_room(rows: Table, row: int) -> int:
    """Return the bytes behind the first multiple of ``WIDE_BYTES`` in a free row (negative when there is none)."""
    return rows[row, SIZE] - (-rows[row, OFFSET] & (WIDE_BYTES - 1))


@flat_kernel
def bound_cell(number: int) -> int:
    """Return the cell of a class in a row of ``bounds``."""
    return number + (number >> 6) + 1


@flat_kernel
def raise_bound(bounds: Table, track: int, number: int, room: int) -> None:
    """Note that a class holds a row with so much room."""
    cell = bound_cell(number)
    if room > bounds[track, cell]:
        bounds[track, cell] = room
        peak = (number >> 6) * 65
        bounds[track, peak] = max(bounds[track, peak], room)


@flat_kernel
def next_roomy(words: Table, bounds: Table, track: int, number: int, size: int) -> int:
    """Return the first filled class, at least ``number``, that may have room for ``size``; or -1."""
    word = number >> 6
    skip = number & 63
    while word < len(words) - 1:
        if words[1 + word] != 0 and bounds[track, word * 65] >= size:
            bits = (words[1 + word] >> skip) << skip
            highest = -1
            while bits != 0:
                found = lowest_bit(bits)
                bound = bounds[track, word * 65 + 1 + found]
                if bound >= size:
                    return (word << 6) + found
                highest = max(highest, bound)
                bits &= bits - 1
            if skip == 0:
                bounds[track, word * 65] = highest
        word += 1
        skip = 0
    return -1


@flat_kernel
def new_row(links: Links, state: Table) -> int:
    """Return an unused row; the caller made sure that there is one."""
    row = state[UNUSED]
    if row >= 0:
        state[UNUSED] = links[row, NEXT]
        return row
    row = state[FRESH]
    state[FRESH] = row + 1
    return row


@flat_kernel
def split_front(rows: Table, links: Links, state: Table, row: int, size: int) -> int:
    """Cut ``size`` bytes off the front of a row and return them as a row of their own."""
    front = new_row(links, state)
    before = links[row, BEFORE]
    rows[front, OFFSET] = rows[row, OFFSET]
    rows[front, SIZE] = size
    links[front, BEFORE] = before
    links[front, AFTER] = row
    if before >= 0:
        links[before, AFTER] = front
    links[row, BEFORE] = front
    rows[row, OFFSET] += size
    rows[row, SIZE] -= size
    return front


@flat_kernel
def absorb_front(rows: Table, links: Links, state: Table, row: int) -> None:
    """Join the row in front into this one."""
    front = links[row, BEFORE]
    before = links[front, BEFORE]
    rows[row, OFFSET] = rows[front, OFFSET]
    rows[row, SIZE] += rows[front, SIZE]
    links[row, BEFORE] = before
    if before >= 0:
        links[before, AFTER] = row
    links[front, NEXT] = state[UNUSED]
    state[UNUSED] = front


@flat_kernel
def mark_live(links: Links, state: Table, row: int, kind: int, slot: int) -> None:
    """Make a row that stands in no list live."""
    links[row, PREVIOUS] = LIVE - kind
    links[row, SLOT] = slot
    state[LIVE_COUNT] += 1


@flat_kernel
def collect(rows: Table, links: Links, last: int, live: Table) -> None:
    """Write row, offset, size, kind of the live rows in offset order; ``live`` has one row for each."""
    at = len(live)
    row = last
    while row >= 0:
        if links[row, PREVIOUS] <= LIVE:
            at -= 1
            live[at, 0] = row
            live[at, 1] = rows[row, OFFSET]
            live[at, 2] = rows[row, SIZE]
            live[at, 3] = LIVE - links[row, PREVIOUS]
        row = int(links[row, BEFORE])


@flat_kernel
def find_by_address(
    rows: Table, links: Links, last: int, size: int, alignment: int, kind: int, page: int
) -> tuple[int, int]:
    """Return the free row at the lowest offset that can hold the block."""
    best, at = -1, -1
    row = last
    while row >= 0:
        if links[row, PREVIOUS] > LIVE:
            offset = place(rows, links, row, size, alignment, kind, page)
            if offset >= 0:
                best, at = row, offset
        row = int(links[row, BEFORE])
    return best, at
