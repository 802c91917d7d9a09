"""Two-level segregated fit compiled: the placements of ``tlsf_reference`` over rows of 64 bytes.

Free nodes carry their list; the last node by address (the "top") stands in none.
"""

from __future__ import annotations

from explorer.memory.allocators.bits_kernels import clear_bit, highest_bit, next_bit, set_bit
from explorer.memory.allocators.chain_kernels import (
    AFTER,
    BEFORE,
    GRANULARITY,
    KIND,
    LAST,
    LIST,
    LIVE,
    LIVE_COUNT,
    NEXT,
    OFFSET,
    OPTION,
    PREVIOUS,
    SIZE,
    SLOT,
    SMALL_STEP,
    Table,
    absorb_front,
    place,
    split_front,
)
from explorer.memory.kernels import kernel

BALANCED, MIN_MEMORY, MIN_TIME, MIN_OFFSET = range(4)
LISTS = 32 + 55 * 32


@kernel
def list_of(size: int, small_step: int) -> int:
    """Return the list for a free block of ``size`` bytes."""
    if size <= 256:
        return (size - 1) // small_step
    top = highest_bit(size)
    return 256 // small_step + ((top - 8) << 5) + (size >> (top - 5)) - 32


@kernel
def sure_size(size: int, small_step: int) -> int:
    """Return a size whose list holds only blocks of at least ``size`` bytes."""
    if size > 256:
        return size + (1 << (highest_bit(size) - 5))
    if size > 256 - small_step:
        return 257
    return size + small_step


@kernel
def walk(nodes: Table, node: int, size: int, alignment: int, kind: int, page: int) -> tuple[int, int]:
    """Return the first node of a list that can hold the block, and where; (-1, -1) when none can."""
    while node >= 0:
        offset = place(nodes, node, size, alignment, kind, page)
        if offset >= 0:
            return node, offset
        node = nodes[node, NEXT]
    return -1, -1


@kernel
def find_by_address(nodes: Table, top: int, size: int, alignment: int, kind: int, page: int) -> tuple[int, int]:
    """Return the free node at the lowest offset that can hold the block."""
    best, at = -1, -1
    node = top
    while node >= 0:
        if nodes[node, PREVIOUS] != LIVE:
            offset = place(nodes, node, size, alignment, kind, page)
            if offset >= 0:
                best, at = node, offset
        node = nodes[node, BEFORE]
    return best, at


@kernel
def find(
    nodes: Table, heads: Table, words: Table, state: Table, size: int, alignment: int, kind: int
) -> tuple[int, int]:
    """Return the node that the strategy finds, and where the block starts in it; (-1, -1) refuses."""
    strategy, small_step, page, top = state[OPTION], state[SMALL_STEP], state[GRANULARITY], state[LAST]
    if strategy == MIN_OFFSET:
        return find_by_address(nodes, top, size, alignment, kind, page)
    sure = next_bit(words, list_of(sure_size(size, small_step), small_step))
    if strategy == MIN_MEMORY:
        own = next_bit(words, list_of(size, small_step))
        if own >= 0:
            node, offset = walk(nodes, heads[own], size, alignment, kind, page)
            if node >= 0:
                return node, offset
    elif sure >= 0:
        node = heads[sure]
        if strategy == MIN_TIME:
            offset = place(nodes, node, size, alignment, kind, page)
            if offset >= 0:
                return node, offset
        else:
            node, offset = walk(nodes, node, size, alignment, kind, page)
            if node >= 0:
                return node, offset
    offset = place(nodes, top, size, alignment, kind, page)
    if offset >= 0:
        return top, offset
    if strategy != BALANCED and sure >= 0:
        node, offset = walk(nodes, heads[sure], size, alignment, kind, page)
        if node >= 0:
            return node, offset
    if strategy != MIN_MEMORY:
        own = next_bit(words, list_of(size, small_step))
        if own >= 0 and own != sure:
            node, offset = walk(nodes, heads[own], size, alignment, kind, page)
            if node >= 0:
                return node, offset
    while sure >= 0:
        sure = next_bit(words, sure + 1)
        if sure >= 0:
            node, offset = walk(nodes, heads[sure], size, alignment, kind, page)
            if node >= 0:
                return node, offset
    return -1, -1


@kernel
def insert(nodes: Table, heads: Table, words: Table, small_step: int, node: int) -> None:
    """Put a free node at the head of its list."""
    number = list_of(nodes[node, SIZE], small_step)
    head = heads[number]
    nodes[node, PREVIOUS] = -1
    nodes[node, NEXT] = head
    nodes[node, LIST] = number
    heads[number] = node
    if head >= 0:
        nodes[head, PREVIOUS] = node
    else:
        set_bit(words, number)


@kernel
def remove(nodes: Table, heads: Table, words: Table, node: int) -> None:
    """Take a free node out of its list."""
    previous, following = nodes[node, PREVIOUS], nodes[node, NEXT]
    if following >= 0:
        nodes[following, PREVIOUS] = previous
    if previous >= 0:
        nodes[previous, NEXT] = following
    else:
        number = nodes[node, LIST]
        heads[number] = following
        if following < 0:
            clear_bit(words, number)


@kernel
def take(
    nodes: Table, heads: Table, words: Table, state: Table, size: int, alignment: int, kind: int, slot: int
) -> int:
    """Take a block and return its node, or -1."""
    node, offset = find(nodes, heads, words, state, size, alignment, kind)
    if node < 0:
        return -1
    small_step = state[SMALL_STEP]
    is_top = node == state[LAST]
    if not is_top:
        remove(nodes, heads, words, node)
    gap = offset - nodes[node, OFFSET]
    if gap > 0:
        insert(nodes, heads, words, small_step, split_front(nodes, state, node, gap))
    if is_top or nodes[node, SIZE] > size:
        taken = split_front(nodes, state, node, size)
        if not is_top:
            insert(nodes, heads, words, small_step, node)
    else:
        taken = node
    nodes[taken, PREVIOUS] = LIVE
    nodes[taken, KIND] = kind
    nodes[taken, SLOT] = slot
    state[LIVE_COUNT] += 1
    return taken


@kernel
def free(nodes: Table, heads: Table, words: Table, state: Table, node: int) -> None:
    """Give a live node back and join it with its free neighbours."""
    state[LIVE_COUNT] -= 1
    nodes[node, PREVIOUS] = -1
    before, after = nodes[node, BEFORE], nodes[node, AFTER]
    if before >= 0 and nodes[before, PREVIOUS] != LIVE:
        remove(nodes, heads, words, before)
        absorb_front(nodes, state, node)
    if nodes[after, PREVIOUS] == LIVE:
        insert(nodes, heads, words, state[SMALL_STEP], node)
        return
    if after == state[LAST]:
        absorb_front(nodes, state, after)
        return
    remove(nodes, heads, words, after)
    absorb_front(nodes, state, after)
    insert(nodes, heads, words, state[SMALL_STEP], after)


@kernel
def replay(
    nodes: Table,
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
    event: Table,
    start: Table,
    kept: Table,
) -> int:
    """Apply operations; return how many takes were refused, or -1 - row where a slot was still in use.

    ``slots`` holds the node of each slot or -1; ``offsets`` and ``start`` come filled with -1; the event columns
    (and ``kind_of``) have no rows where they are not wanted.
    """
    refused = 0
    want = len(event) > 0
    for row in range(len(op)):
        slot = slot_of[row]
        node = slots[slot]
        if op[row] == 0:
            if node >= 0:
                return -1 - row
            kind = kind_of[row] if len(kind_of) > 0 else 0
            node = take(nodes, heads, words, state, size_of[row], alignment_of[row], kind, slot)
            if node < 0:
                refused += 1
                if want:
                    event[row] = 2
                continue
            slots[slot] = node
            offsets[row] = nodes[node, OFFSET]
            if want:
                event[row] = 0
                start[row] = nodes[node, OFFSET]
                kept[row] = nodes[node, SIZE]
        elif node >= 0:
            slots[slot] = -1
            if want:
                event[row] = 1
                start[row] = nodes[node, OFFSET]
                kept[row] = nodes[node, SIZE]
            free(nodes, heads, words, state, node)
    return refused
