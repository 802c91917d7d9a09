"""Best, worst and first fit compiled: the placements of ``holes_reference``.

Holes are filed in classes: by size for best and worst fit (up to 256 to each power of two, so that small sizes have a
class of their own), by address for first fit. A class is a treap in the order of the search; its shape follows from
the row numbers. The search goes through the classes that may have room, lowest key first, and stops at the first hole
that holds the block; the bounds of ``chain_kernels`` let it pass over classes whose holes all lose to alignment,
``peaks`` over such subtrees.
"""

from __future__ import annotations

from explorer.memory.allocators.bits_kernels import highest_bit, lowest_bit
from explorer.memory.allocators.chain_kernels import (
    AFTER,
    BEFORE,
    CLASS_COUNT,
    ENDLESS,
    GRANULARITY,
    LIVE,
    LIVE_COUNT,
    MANTISSA,
    NEXT,
    OFFSET,
    OPTION,
    PLAIN,
    PREVIOUS,
    SHIFT,
    SIZE,
    WIDE,
    WIDE_BYTES,
    WIDE_SEEN,
    Links,
    Table,
    absorb_front,
    bound_cell,
    mark_live,
    next_roomy,
    place,
    raise_bound,
    split_front,
    wide_room,
)
from explorer.memory.kernels import flat_kernel

LEFT, RIGHT = PREVIOUS, NEXT
BEST, WORST, FIRST, BEST_ONE_TREE = 1, -1, 0, 2
"""Orders, in cell OPTION; the last is best fit with a single treap, kept to be measured against."""
STACK_ROWS = 512


@flat_kernel
def size_class(size: int, mantissa: int) -> int:
    """Return the class of a size: itself while it fits in the mantissa, then 2^mantissa to each power of two."""
    if size >> mantissa == 0:
        return size
    shift = highest_bit(size) - mantissa
    return (shift << mantissa) + (size >> shift)


@flat_kernel
def class_of(offset: int, size: int, state: Table) -> int:
    """Return the class of a hole."""
    order = state[OPTION]
    if order == BEST:
        return size_class(size, state[MANTISSA])
    if order == WORST:
        return state[CLASS_COUNT] - 1 - size_class(size, state[MANTISSA])
    return offset >> state[SHIFT] if order == FIRST else 0


@flat_kernel
def set_flag(words: Table, number: int) -> None:
    """Mark a class as filled (the map has one level: there may be more than 4096 classes)."""
    words[1 + (number >> 6)] |= 1 << (number & 63)


@flat_kernel
def clear_flag(words: Table, number: int) -> None:
    """Mark a class as empty."""
    words[1 + (number >> 6)] &= ~(1 << (number & 63))


@flat_kernel
def next_flag(words: Table, number: int) -> int:
    """Return the first filled class that is at least ``number``, or -1."""
    word = number >> 6
    if word >= len(words) - 1:
        return -1
    found = (words[1 + word] >> (number & 63)) << (number & 63)
    while found == 0:
        word += 1
        if word >= len(words) - 1:
            return -1
        found = words[1 + word]
    return (word << 6) + lowest_bit(found)


@flat_kernel
def goes_first(rows: Table, one: int, other: int, order: int) -> bool:
    """Return whether a hole is tried before another."""
    if order != FIRST and rows[one, SIZE] != rows[other, SIZE]:
        return (rows[one, SIZE] < rows[other, SIZE]) == (order > 0)
    return rows[one, OFFSET] < rows[other, OFFSET]


@flat_kernel
def rank(row: int) -> int:
    """Return the heap key of a row: a scrambled number, equal for no two rows."""
    return (row * 0x9E3779B1) & 0xFFFFFFFF


@flat_kernel
def hang(links: Links, heads: Table, number: int, parent: int, side: int, row: int) -> None:
    """Make a row the child of another, or the root of its class."""
    if parent >= 0:
        links[parent, side] = row
    else:
        heads[number] = row


@flat_kernel
def insert(
    rows: Table, links: Links, heads: Table, words: Table, bounds: Table, state: Table, peaks: Table, row: int
) -> None:
    """File a hole."""
    order = state[OPTION]
    number = class_of(rows[row, OFFSET], rows[row, SIZE], state)
    parent, side = -1, LEFT
    child = heads[number]
    with_peaks = state[WIDE_SEEN] != 0
    if child < 0:
        set_flag(words, number)
        if order != BEST:
            bounds[PLAIN, bound_cell(number)] = -1
        if with_peaks:
            bounds[WIDE, bound_cell(number)] = -1
    if order != BEST:
        raise_bound(bounds, PLAIN, number, rows[row, SIZE])
    room = 0
    if with_peaks:
        room = wide_room(rows, row)
        raise_bound(bounds, WIDE, number, room)
    mine = rank(row)
    while child >= 0 and rank(child) > mine:
        parent = child
        if with_peaks:
            peaks[child] = max(peaks[child], room)
        side = RIGHT if goes_first(rows, child, row, order) else LEFT
        child = int(links[child, side])
    hang(links, heads, number, parent, side, row)
    if with_peaks:
        peaks[row] = room if child < 0 else max(room, peaks[child])
    # What hung here is cut in two at the key of the new hole.
    low, low_side, high, high_side = row, LEFT, row, RIGHT
    while child >= 0:
        if goes_first(rows, child, row, order):
            links[low, low_side] = child
            low, low_side = child, RIGHT
            child = int(links[child, RIGHT])
        else:
            links[high, high_side] = child
            high, high_side = child, LEFT
            child = int(links[child, LEFT])
    links[low, low_side] = -1
    links[high, high_side] = -1


@flat_kernel
def remove(rows: Table, links: Links, heads: Table, words: Table, state: Table, peaks: Table, row: int) -> None:
    """Take a hole out of its class."""
    order = state[OPTION]
    number = class_of(rows[row, OFFSET], rows[row, SIZE], state)
    parent, side = -1, LEFT
    child = heads[number]
    while child != row:
        parent = child
        side = RIGHT if goes_first(rows, child, row, order) else LEFT
        child = int(links[child, side])
    left, right = int(links[row, LEFT]), int(links[row, RIGHT])
    while left >= 0 and right >= 0:
        if rank(left) > rank(right):
            hang(links, heads, number, parent, side, left)
            peaks[left] = max(peaks[left], peaks[right])
            parent, side = left, RIGHT
            left = int(links[left, RIGHT])
        else:
            hang(links, heads, number, parent, side, right)
            peaks[right] = max(peaks[left], peaks[right])
            parent, side = right, LEFT
            right = int(links[right, LEFT])
    hang(links, heads, number, parent, side, max(left, right))
    if heads[number] < 0:
        clear_flag(words, number)


@flat_kernel
def lowered_peak(rows: Table, links: Links, peaks: Table, row: int) -> int:
    """Return how much room at ``WIDE_BYTES`` there is at most in a subtree, as its children say now."""
    peak = wide_room(rows, row)
    left, right = int(links[row, LEFT]), int(links[row, RIGHT])
    if left >= 0:
        peak = max(peak, peaks[left])
    if right >= 0:
        peak = max(peak, peaks[right])
    peaks[row] = peak
    return peak


@flat_kernel
def search_class(
    rows: Table,
    links: Links,
    bounds: Table,
    state: Table,
    peaks: Table,
    stack: Table,
    root: int,
    number: int,
    size: int,
    alignment: int,
    kind: int,
) -> tuple[int, int]:
    """Return the first hole of a class that can hold the block, and where; (-1, -1) when none can."""
    order, page = state[OPTION], state[GRANULARITY]
    is_wide = alignment >= WIDE_BYTES
    # Holes that are passed over still have less room than asked for.
    highest = size - 1
    depth = 0
    row = root
    while row >= 0 or depth > 0:
        while row >= 0:
            if is_wide and (peaks[row] < size or lowered_peak(rows, links, peaks, row) < size):
                break
            if order > 0 and rows[row, SIZE] < size:
                row = int(links[row, RIGHT])
            else:
                stack[depth] = row
                depth += 1
                row = int(links[row, LEFT])
        if depth == 0:
            break
        depth -= 1
        row = stack[depth]
        room = wide_room(rows, row) if is_wide else rows[row, SIZE]
        if room >= size:
            offset = place(rows, links, row, size, alignment, kind, page)
            if offset >= 0:
                return row, offset
            highest = max(highest, room)
        elif order < 0 and rows[row, SIZE] < size:
            break
        row = int(links[row, RIGHT])
    if is_wide or order != BEST:
        bounds[WIDE if is_wide else PLAIN, bound_cell(number)] = highest
    return -1, -1


@flat_kernel
def find(
    rows: Table,
    links: Links,
    heads: Table,
    words: Table,
    bounds: Table,
    state: Table,
    peaks: Table,
    stack: Table,
    size: int,
    alignment: int,
    kind: int,
) -> tuple[int, int]:
    """Return the hole that the order finds first, and where the block starts in it; (-1, -1) refuses."""
    track = WIDE if alignment >= WIDE_BYTES else PLAIN
    if track == WIDE and state[WIDE_SEEN] == 0:
        # Whoever never asks for wide alignment does not pay for the peaks; they start too high and sink.
        state[WIDE_SEEN] = 1
        peaks[:] = ENDLESS
        bounds[WIDE, :] = ENDLESS
    number = size_class(size, state[MANTISSA]) if state[OPTION] == BEST else 0
    while True:
        if track == PLAIN and state[OPTION] == BEST:
            # Every larger class has room: bounds would tell nothing.
            number = next_flag(words, number)
        else:
            number = next_roomy(words, bounds, track, number, size)
        if number < 0:
            return -1, -1
        row, offset = search_class(
            rows, links, bounds, state, peaks, stack, heads[number], number, size, alignment, kind
        )
        if row >= 0:
            return row, offset
        number += 1


@flat_kernel
def commit(
    rows: Table,
    links: Links,
    heads: Table,
    words: Table,
    bounds: Table,
    state: Table,
    peaks: Table,
    row: int,
    offset: int,
    size: int,
    kind: int,
    slot: int,
) -> int:
    """Take a block at ``offset`` out of a hole that holds it, and return its row."""
    remove(rows, links, heads, words, state, peaks, row)
    gap = offset - rows[row, OFFSET]
    if gap > 0:
        insert(rows, links, heads, words, bounds, state, peaks, split_front(rows, links, state, row, gap))
    taken = row
    if rows[row, SIZE] > size:
        taken = split_front(rows, links, state, row, size)
        insert(rows, links, heads, words, bounds, state, peaks, row)
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
    peaks: Table,
    stack: Table,
    size: int,
    alignment: int,
    kind: int,
    slot: int,
) -> int:
    """Take a block and return its row, or -1."""
    row, offset = find(rows, links, heads, words, bounds, state, peaks, stack, size, alignment, kind)
    if row < 0:
        return -1
    return commit(rows, links, heads, words, bounds, state, peaks, row, offset, size, kind, slot)


@flat_kernel
def free(
    rows: Table, links: Links, heads: Table, words: Table, bounds: Table, state: Table, peaks: Table, row: int
) -> None:
    """Give a live row back and join it with its free neighbours."""
    state[LIVE_COUNT] -= 1
    links[row, PREVIOUS] = -1
    before, after = int(links[row, BEFORE]), int(links[row, AFTER])
    if before >= 0 and links[before, PREVIOUS] > LIVE:
        remove(rows, links, heads, words, state, peaks, before)
        absorb_front(rows, links, state, row)
    if after >= 0 and links[after, PREVIOUS] > LIVE:
        remove(rows, links, heads, words, state, peaks, after)
        absorb_front(rows, links, state, after)
        row = after
    insert(rows, links, heads, words, bounds, state, peaks, row)


@flat_kernel
def replay(
    rows: Table,
    links: Links,
    heads: Table,
    words: Table,
    bounds: Table,
    state: Table,
    peaks: Table,
    stack: Table,
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
            row = take(
                rows, links, heads, words, bounds, state, peaks, stack, size_of[index], alignment_of[index], kind, slot
            )
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
            free(rows, links, heads, words, bounds, state, peaks, row)
    return refused
