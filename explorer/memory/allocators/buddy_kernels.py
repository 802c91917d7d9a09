"""Buddy system compiled: the placements of ``buddy_reference``. A buddy is always a neighbour by address."""

from __future__ import annotations

from explorer.memory.allocators.bits_kernels import clear_bit, highest_bit, next_bit, set_bit
from explorer.memory.allocators.chain_kernels import (
    AFTER,
    BEFORE,
    LIVE,
    LIVE_COUNT,
    NEXT,
    OFFSET,
    PREVIOUS,
    SIZE,
    SMALL_STEP,
    Links,
    Table,
    absorb_front,
    mark_live,
    split_front,
)
from explorer.memory.kernels import flat_kernel

LEAST = SMALL_STEP
"""The cell of ``state`` that holds the bytes of the smallest block."""


@flat_kernel
def order_for(size: int, alignment: int, least: int) -> int:
    """Return log2 of the block that holds a request."""
    wanted = max(size, alignment, least)
    return highest_bit(wanted) + (1 if wanted & (wanted - 1) else 0)


@flat_kernel
def insert(rows: Table, links: Links, heads: Table, words: Table, row: int) -> None:
    """Put a free block in front of its list."""
    order = highest_bit(rows[row, SIZE])
    head = heads[order]
    links[row, PREVIOUS] = -1
    links[row, NEXT] = head
    heads[order] = row
    if head >= 0:
        links[head, PREVIOUS] = row
    else:
        set_bit(words, order)


@flat_kernel
def remove(rows: Table, links: Links, heads: Table, words: Table, row: int) -> None:
    """Take a free block out of its list."""
    previous, following = int(links[row, PREVIOUS]), int(links[row, NEXT])
    if following >= 0:
        links[following, PREVIOUS] = previous
    if previous >= 0:
        links[previous, NEXT] = following
    else:
        order = highest_bit(rows[row, SIZE])
        heads[order] = following
        if following < 0:
            clear_bit(words, order)


@flat_kernel
def find(heads: Table, words: Table, state: Table, size: int, alignment: int) -> int:
    """Return the block that would be cut, or -1."""
    order = next_bit(words, order_for(size, alignment, state[LEAST]))
    return -1 if order < 0 else heads[order]


@flat_kernel
def take(
    rows: Table,
    links: Links,
    heads: Table,
    words: Table,
    state: Table,
    asked: Table,
    size: int,
    alignment: int,
    kind: int,
    slot: int,
) -> int:
    """Take a block and return its row, or -1."""
    row = find(heads, words, state, size, alignment)
    if row < 0:
        return -1
    remove(rows, links, heads, words, row)
    wanted = 1 << order_for(size, alignment, state[LEAST])
    while rows[row, SIZE] > wanted:
        front = split_front(rows, links, state, row, rows[row, SIZE] >> 1)
        insert(rows, links, heads, words, row)
        row = front
    asked[row] = size
    mark_live(links, state, row, kind, slot)
    return row


@flat_kernel
def free(rows: Table, links: Links, heads: Table, words: Table, state: Table, row: int) -> None:
    """Give a live block back and join it with its buddy, as long as that is free."""
    state[LIVE_COUNT] -= 1
    links[row, PREVIOUS] = -1
    while True:
        size = rows[row, SIZE]
        is_upper = rows[row, OFFSET] & size
        buddy = int(links[row, BEFORE if is_upper else AFTER])
        if buddy < 0 or links[buddy, PREVIOUS] <= LIVE or rows[buddy, SIZE] != size:
            break
        remove(rows, links, heads, words, buddy)
        if not is_upper:
            row = buddy
        absorb_front(rows, links, state, row)
    insert(rows, links, heads, words, row)


@flat_kernel
def replay(
    rows: Table,
    links: Links,
    heads: Table,
    words: Table,
    state: Table,
    asked: Table,
    slots: Table,
    op: Table,
    slot_of: Table,
    size_of: Table,
    alignment_of: Table,
    kind_of: Table,
    offsets: Table,
    event: Table,
    start: Table,
    kept: Table,
) -> int:
    """Apply operations; return how many takes were refused, or -1 - index where a slot was still in use.

    ``slots`` holds the row of each slot or -1; ``start`` comes filled with -1; the event columns
    (and ``kind_of``) have no rows where they are not wanted.
    """
    refused = 0
    want = len(event) > 0
    for index in range(len(op)):
        slot = slot_of[index]
        row = slots[slot]
        offsets[index] = -1
        if op[index] == 0:
            if row >= 0:
                return -1 - index
            kind = kind_of[index] if len(kind_of) > 0 else 0
            row = take(rows, links, heads, words, state, asked, size_of[index], alignment_of[index], kind, slot)
            if row < 0:
                refused += 1
                if want:
                    event[index] = 2
                continue
            slots[slot] = row
            offsets[index] = rows[row, OFFSET]
            if want:
                event[index] = 0
                start[index] = rows[row, OFFSET]
                kept[index] = rows[row, SIZE]
        elif row >= 0:
            slots[slot] = -1
            if want:
                event[index] = 1
                start[index] = rows[row, OFFSET]
                kept[index] = rows[row, SIZE]
            free(rows, links, heads, words, state, row)
    return refused
