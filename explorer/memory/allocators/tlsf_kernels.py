"""Two-level segregated fit compiled: the placements of ``tlsf_reference`` over rows of 64 bytes.

Free nodes carry their list; the last node by address (the "top") stands in none.
"""

from __future__ import annotations

import numpy as np

from explorer.memory.allocators.bits_kernels import clear_bit, highest_bit, next_bit, set_bit
from explorer.memory.allocators.chain_kernels import (
    AFTER,
    BEFORE,
    ENDLESS,
    GRANULARITY,
    LAST,
    LIVE,
    LIVE_COUNT,
    NEXT,
    OFFSET,
    OPTION,
    PREVIOUS,
    SIZE,
    SMALL_STEP,
    WIDE,
    WIDE_BYTES,
    WIDE_SEEN,
    Links,
    Table,
    absorb_front,
    bound_cell,
    find_by_address,
    mark_live,
    next_roomy,
    place,
    raise_bound,
    split_front,
    wide_room,
)
from explorer.memory.kernels import flat_kernel

BALANCED, MIN_MEMORY, MIN_TIME, MIN_OFFSET = range(4)


@flat_kernel
def list_of(size: int, small_step: int) -> int:
    """Return the list for a free block of ``size`` bytes."""
    if size <= 256:
        return (size - 1) // small_step
    top = highest_bit(size)
    return 256 // small_step + ((top - 8) << 5) + (size >> (top - 5)) - 32


@flat_kernel
def sure_size(size: int, small_step: int) -> int:
    """Return a size whose list holds only blocks of at least ``size`` bytes."""
    if size > 256:
        return size + (1 << (highest_bit(size) - 5))
    if size > 256 - small_step:
        return 257
    return size + small_step


@flat_kernel
def walk(
    rows: Table, links: Links, bounds: Table, row: int, number: int, size: int, alignment: int, kind: int, page: int
) -> tuple[int, int]:
    """Return the first row of a list, from ``row``, that can hold the block, and where; (-1, -1) when none can."""
    if alignment < WIDE_BYTES:
        while row >= 0:
            offset = place(rows, links, row, size, alignment, kind, page)
            if offset >= 0:
                return row, offset
            row = int(links[row, NEXT])
        return -1, -1
    if bounds[WIDE, bound_cell(number)] < size:
        return -1, -1
    highest = -1
    while row >= 0:
        room = wide_room(rows, row)
        if room >= size:
            offset = place(rows, links, row, size, alignment, kind, page)
            if offset >= 0:
                return row, offset
        highest = max(highest, room)
        row = int(links[row, NEXT])
    bounds[WIDE, bound_cell(number)] = highest
    return -1, -1


@flat_kernel
def find_further(
    rows: Table,
    links: Links,
    heads: Table,
    words: Table,
    bounds: Table,
    page: int,
    number: int,
    size: int,
    alignment: int,
    kind: int,
) -> tuple[int, int]:
    """Return the first row that can hold the block in the lists behind ``number``, one list after the other."""
    while number >= 0:
        number += 1
        number = next_bit(words, number) if alignment < WIDE_BYTES else next_roomy(words, bounds, WIDE, number, size)
        if number >= 0:
            row, offset = walk(rows, links, bounds, heads[number], number, size, alignment, kind, page)
            if row >= 0:
                return row, offset
    return -1, -1


@flat_kernel
def find(
    rows: Table,
    links: Links,
    heads: Table,
    words: Table,
    bounds: Table,
    state: Table,
    size: int,
    alignment: int,
    kind: int,
) -> tuple[int, int]:
    """Return the row that the strategy finds, and where the block starts in it; (-1, -1) refuses."""
    strategy, small_step, page, last = state[OPTION], state[SMALL_STEP], state[GRANULARITY], state[LAST]
    if strategy == MIN_OFFSET:
        return find_by_address(rows, links, last, size, alignment, kind, page)
    if alignment >= WIDE_BYTES and state[WIDE_SEEN] == 0:
        # Whoever never asks for wide alignment does not pay for the bounds; they start too high and sink.
        state[WIDE_SEEN] = 1
        bounds[WIDE, :] = ENDLESS
    sure = next_bit(words, list_of(sure_size(size, small_step), small_step))
    own = -1
    if strategy == MIN_MEMORY:
        own = next_bit(words, list_of(size, small_step))
        if own >= 0:
            row, offset = walk(rows, links, bounds, heads[own], own, size, alignment, kind, page)
            if row >= 0:
                return row, offset
    elif sure >= 0:
        row = heads[sure]
        if strategy == MIN_TIME:
            offset = place(rows, links, row, size, alignment, kind, page)
            if offset >= 0:
                return row, offset
        else:
            row, offset = walk(rows, links, bounds, row, sure, size, alignment, kind, page)
            if row >= 0:
                return row, offset
    offset = place(rows, links, last, size, alignment, kind, page)
    if offset >= 0:
        return last, offset
    if strategy != BALANCED and sure >= 0 and sure != own:
        row, offset = walk(rows, links, bounds, heads[sure], sure, size, alignment, kind, page)
        if row >= 0:
            return row, offset
    if strategy != MIN_MEMORY:
        own = next_bit(words, list_of(size, small_step))
        if own >= 0 and own != sure:
            row, offset = walk(rows, links, bounds, heads[own], own, size, alignment, kind, page)
            if row >= 0:
                return row, offset
    return find_further(rows, links, heads, words, bounds, page, sure, size, alignment, kind)


@flat_kernel
def insert(rows: Table, links: Links, heads: Table, words: Table, bounds: Table, state: Table, row: int) -> None:
    """Put a free row at the head of its list."""
    number = list_of(rows[row, SIZE], state[SMALL_STEP])
    head = heads[number]
    links[row, PREVIOUS] = -1
    links[row, NEXT] = head
    heads[number] = row
    if head >= 0:
        links[head, PREVIOUS] = row
    else:
        set_bit(words, number)
    if state[WIDE_SEEN] != 0:
        if head < 0:
            bounds[WIDE, bound_cell(number)] = -1
        raise_bound(bounds, WIDE, number, wide_room(rows, row))


@flat_kernel
def remove(rows: Table, links: Links, heads: Table, words: Table, small_step: int, row: int) -> None:
    """Take a free row out of its list."""
    previous, following = int(links[row, PREVIOUS]), np.int64(links[row, NEXT])
    if following >= 0:
        links[following, PREVIOUS] = previous
    if previous >= 0:
        links[previous, NEXT] = following
    else:
        number = list_of(rows[row, SIZE], small_step)
        heads[number] = following
        if following < 0:
            clear_bit(words, number)


@flat_kernel
def commit(
    rows: Table,
    links: Links,
    heads: Table,
    words: Table,
    bounds: Table,
    state: Table,
    row: int,
    offset: int,
    size: int,
    kind: int,
    slot: int,
) -> int:
    """Take a block at ``offset`` out of a free row that holds it, and return its row."""
    small_step = state[SMALL_STEP]
    is_top = row == state[LAST]
    if not is_top:
        remove(rows, links, heads, words, small_step, row)
    gap = offset - rows[row, OFFSET]
    if gap > 0:
        insert(rows, links, heads, words, bounds, state, split_front(rows, links, state, row, gap))
    taken = row
    if is_top or rows[row, SIZE] > size:
        taken = split_front(rows, links, state, row, size)
        if not is_top:
            insert(rows, links, heads, words, bounds, state, row)
    mark_live(links, state, taken, kind, slot)
    return taken


@flat_kernel
def take(
    rows: Table,
    links: Links,
    heads: Table,
    words: Table,
    bounds: Table,
    state: Table,
    size: int,
    alignment: int,
    kind: int,
    slot: int,
) -> int:
    """Take a block and return its row, or -1."""
    row, offset = find(rows, links, heads, words, bounds, state, size, alignment, kind)
    if row < 0:
        return -1
    return commit(rows, links, heads, words, bounds, state, row, offset, size, kind, slot)


@flat_kernel
def free(rows: Table, links: Links, heads: Table, words: Table, bounds: Table, state: Table, row: int) -> None:
    """Give a live row back and join it with its free neighbours."""
    state[LIVE_COUNT] -= 1
    small_step = state[SMALL_STEP]
    links[row, PREVIOUS] = -1
    before, after = int(links[row, BEFORE]), np.int64(links[row, AFTER])
    if before >= 0 and links[before, PREVIOUS] > LIVE:
        remove(rows, links, heads, words, small_step, before)
        absorb_front(rows, links, state, row)
    if links[after, PREVIOUS] <= LIVE:
        insert(rows, links, heads, words, bounds, state, row)
        return
    if after == state[LAST]:
        absorb_front(rows, links, state, after)
        return
    remove(rows, links, heads, words, small_step, after)
    absorb_front(rows, links, state, after)
    insert(rows, links, heads, words, bounds, state, after)


@flat_kernel
def replay(
    rows: Table,
    links: Links,
    heads: Table,
    words: Table,
    bounds: Table,
    state: Table,
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
            row = take(rows, links, heads, words, bounds, state, size_of[index], alignment_of[index], kind, slot)
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
            free(rows, links, heads, words, bounds, state, row)
    return refused
