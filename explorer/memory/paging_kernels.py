"""A submission in one kernel call: who comes in, who leaves for it, what each use renews, and the trim behind it.

Compiled twin of the plain rules in ``explorer.device.kernel_memory``: the same moves and events in the same order. Time
grows with the heaps that a submission names and with the moves it causes, not with the heaps there are: the search for
who may leave goes on where it stopped, because nobody who was passed over may leave within the same call.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from explorer.core.kinds import BlockState
from explorer.memory import paging as p
from explorer.memory.eviction import column_order as o
from explorer.memory.kernels import flat_kernel
from explorer.memory.paging_order_kernels import (
    file_key,
    insert,
    next_victim,
    pass_over,
    pop_file,
    push_file,
    remove,
    touch,
)

Table: TypeAlias = Any
"""An int64 array; elements count as plain integers here."""

LOCAL, NON_LOCAL, SYSTEM, PAGE_FILE, SHARED_FROM = p.LOCAL, p.NON_LOCAL, p.SYSTEM, p.PAGE_FILE, p.SHARED_FROM
SEGMENT_SIZE, HELD, CODE, NODE, BUDGET_GROUP, BANDWIDTH = (
    p.SEGMENT_SIZE, p.HELD, p.CODE, p.NODE, p.BUDGET_GROUP, p.BANDWIDTH,
)  # fmt: skip
USAGE, BUDGET, OVER, FROZEN, RANK = p.USAGE, p.BUDGET, p.OVER, p.FROZEN, p.RANK
FRAME_NOW, TIME_NS, TRANSFER_NS, STALL_NS = p.FRAME_NOW, p.TIME_NS, p.TRANSFER_NS, p.STALL_NS
TO_GPU, FROM_GPU, FILE_RATE, RENEWS, WITH_PRIORITY = p.TO_GPU, p.FROM_GPU, p.FILE_RATE, p.RENEWS, p.WITH_PRIORITY
EVENT_ROWS, MOVE_ROWS, FILE_ROWS = p.EVENT_ROWS, p.MOVE_ROWS, p.FILE_ROWS
EVICTED, PAGED_OUT, WENT_TO_FILE, PAGED_IN = p.EVICTED, p.PAGED_OUT, p.WENT_TO_FILE, p.PAGED_IN
CAME_BACK, CAME_BESIDE, DEMOTED = p.CAME_BACK, p.CAME_BESIDE, p.DEMOTED
WENT_OVER, CAME_WITHIN, FROZE = p.WENT_OVER, p.CAME_WITHIN, p.FROZE
PAGE_BYTES, NS = p.PAGE_BYTES, p.NS
LEVEL = o.LEVEL
RESIDENT, MOVED = int(BlockState.RESIDENT), int(BlockState.MOVED_THIS_FRAME)

SMALL = 9_000_000_000
"""Below it a number of bytes times 10^9 stays within signed 64 bit."""


@flat_kernel
def transfer_ns(size: int, rate: int) -> int:
    """Return ``size * 10^9 // rate``, digit group by digit group where the product would not fit; 0 for no rate."""
    if rate <= 0:
        return 0
    if size < SMALL:
        return size * NS // rate
    whole, rest = size // rate, size % rate
    for _ in range(3):
        rest *= 1000
        whole = whole * 1000 + rest // rate
        rest %= rate
    return whole


@flat_kernel
def spend(cells: Table, part: int, time: int) -> None:
    """Let time pass."""
    cells[part] += time
    cells[TIME_NS] += time


@flat_kernel
def tell(m: Any, what: int, row: int, source: int, target: int, size: int, asked: int, limit: int) -> None:
    """Write an event down."""
    at = m[2][EVENT_ROWS]
    event = m[3]
    event[at, 0] = what
    event[at, 1] = row
    event[at, 2] = source
    event[at, 3] = target
    event[at, 4] = size
    event[at, 5] = m[2][TIME_NS]
    event[at, 6] = asked
    event[at, 7] = limit
    m[2][EVENT_ROWS] = at + 1


@flat_kernel
def take(segments: Table, code: int, node: int, size: int) -> int:
    """Hold whole pages in the first segment of a group that has them; −1 when none has."""
    held = (size + PAGE_BYTES - 1) // PAGE_BYTES * PAGE_BYTES
    shared = SHARED_FROM <= code <= PAGE_FILE
    for at in range(segments.shape[0]):
        if segments[at, CODE] != code or not (shared or segments[at, NODE] == node) or segments[at, SEGMENT_SIZE] == 0:
            continue
        if held <= segments[at, SEGMENT_SIZE] - segments[at, HELD]:
            segments[at, HELD] += held
            return at
    return -1


@flat_kernel
def count_usage(m: Any, segment: int, delta: int) -> None:
    """Count bytes against the budget of a segment's group, and tell a crossing."""
    group = m[0][segment, BUDGET_GROUP]
    if group < 0:
        return
    groups = m[1]
    groups[group, USAGE] += delta
    usage, budget = groups[group, USAGE], groups[group, BUDGET]
    over = usage - budget if 0 <= budget < usage else 0
    if over and not groups[group, OVER]:
        groups[group, OVER] = 1
        tell(m, WENT_OVER, group, -1, -1, over, usage, budget)
    elif groups[group, OVER] and not over:
        groups[group, OVER] = 0
        tell(m, CAME_WITHIN, group, -1, -1, 0, usage, budget)


@flat_kernel
def move(h: Any, b: Any, m: Any, row: int, target: int, resident: bool, as_asked: int) -> None:
    """Put a heap and what lies in it into another segment."""
    source, size = h[1][row], h[2][row]
    held = (size + PAGE_BYTES - 1) // PAGE_BYTES * PAGE_BYTES
    m[0][source, HELD] -= held
    at = m[2][MOVE_ROWS]
    moves = m[4]
    moves[at, 0] = row
    moves[at, 1] = source
    moves[at, 2] = target
    moves[at, 3] = as_asked
    m[2][MOVE_ROWS] = at + 1
    h[1][row] = target
    h[3][row] = held - size
    h[4][row] = resident
    block = h[8][row]
    while block >= 0:
        b[0][block] = target
        b[1][block] = int(b[1][block]) & ~RESIDENT | MOVED | (RESIDENT if resident else 0)
        owner = b[2][block]
        if owner >= 0:
            b[4][owner] = resident
        block = b[3][block]


@flat_kernel
def page_to_file(h: Any, b: Any, m: Any) -> bool:
    """Move the longest unused evicted heap from system memory to the page file; False when that is impossible."""
    segments, cells = m[0], m[2]
    if cells[FILE_ROWS] < 0:
        cells[FILE_ROWS] = 0
        for row in range(h[9].shape[0]):
            if h[9][row] and not h[4][row] and segments[h[1][row], CODE] == SYSTEM:
                push_file(m, file_key(h, row))
    while cells[FILE_ROWS]:
        key = m[5][0]
        row = key & 0xFFFFFFFF
        if h[4][row] or segments[h[1][row], CODE] != SYSTEM or file_key(h, row) != key:
            pop_file(m)
            continue
        target = take(segments, PAGE_FILE, 0, h[2][row])
        if target < 0:
            return False
        pop_file(m)
        source = h[1][row]
        move(h, b, m, row, target, False, 0)
        tell(m, WENT_TO_FILE, row, source, target, h[2][row], -1, -1)
        rate = segments[target, BANDWIDTH]
        spend(cells, STALL_NS, transfer_ns(h[2][row], rate if rate else cells[FILE_RATE]))
        return True
    return False


@flat_kernel
def page_out(h: Any, b: Any, order: Any, m: Any, row: int, asked: int) -> bool:
    """Move a heap to system memory, else to the page file; False when both are full."""
    size, source = h[2][row], h[1][row]
    target = take(m[0], SYSTEM, 0, size)
    while target < 0 and page_to_file(h, b, m):
        target = take(m[0], SYSTEM, 0, size)
    if target < 0:
        target = take(m[0], PAGE_FILE, 0, size)
    if target < 0:
        return False
    if order[0][row, LEVEL] >= 0:
        remove(order, m, row)
    count_usage(m, source, -size)
    move(h, b, m, row, target, False, 0)
    if m[2][FILE_ROWS] >= 0 and m[0][target, CODE] == SYSTEM:
        push_file(m, file_key(h, row))
    tell(m, EVICTED, row, source, target, size, asked, -1)
    tell(m, PAGED_OUT, row, source, target, size, asked, -1)
    spend(m[2], TRANSFER_NS, transfer_ns(size, m[2][FROM_GPU]))
    return True


@flat_kernel
def demote(h: Any, b: Any, order: Any, m: Any, row: int, asked: int) -> bool:
    """Move a heap from LOCAL to NON_LOCAL memory; where there is none, page it out."""
    size, source = h[2][row], h[1][row]
    target = -1
    if m[0][source, CODE] == LOCAL:
        target = take(m[0], NON_LOCAL, m[0][source, NODE], size)
    if target < 0:
        return page_out(h, b, order, m, row, asked)
    remove(order, m, row)
    count_usage(m, source, -size)
    move(h, b, m, row, target, True, 0)
    count_usage(m, target, size)
    tell(m, DEMOTED, row, source, target, size, asked, -1)
    spend(m[2], TRANSFER_NS, transfer_ns(size, m[2][FROM_GPU]))
    return True


@flat_kernel
def make_room(h: Any, b: Any, order: Any, m: Any, segment: int, size: int) -> int:
    """Demote heaps of a segment's group until a range is free; −1 when nobody is left who may leave."""
    segments, group = m[0], m[0][segment, BUDGET_GROUP]
    largest = 0
    for at in range(segments.shape[0]):
        if segments[at, BUDGET_GROUP] == group:
            largest = max(largest, segments[at, SEGMENT_SIZE])
    if largest < size:
        return -1
    target, stuck = -1, False
    while target < 0:
        victim = next_victim(h, order, m, group)
        if victim < 0:
            break
        if demote(h, b, order, m, victim, size):
            target = take(segments, segments[segment, CODE], segments[segment, NODE], size)
        else:
            stuck = True
            pass_over(order, m, group)
    if stuck:
        # Who could go nowhere may find room the next time.
        m[1][group, RANK] = -1
    return target


@flat_kernel
def page_in(h: Any, b: Any, order: Any, m: Any, row: int) -> bool:
    """Bring an evicted heap home, or beside it when all that is there is needed by this frame."""
    size, home, source = h[2][row], h[0][row], h[1][row]
    code, node = m[0][home, CODE], m[0][home, NODE]
    target = take(m[0], code, node, size)
    if target < 0:
        target = make_room(h, b, order, m, home, size)
    beside = target < 0 and code == LOCAL
    if beside:
        target = take(m[0], NON_LOCAL, node, size)
    if target < 0:
        return False
    # Making room may have moved it from system memory to the page file.
    source = h[1][row]
    if m[0][source, CODE] == PAGE_FILE:
        rate = m[0][source, BANDWIDTH]
        spend(m[2], STALL_NS, transfer_ns(size, rate if rate else m[2][FILE_RATE]))
    move(h, b, m, row, target, True, 0 if beside else 1)
    if not beside:
        insert(order, m[2], row, size, h[7][row])
    count_usage(m, target, size)
    tell(m, CAME_BESIDE if beside else PAGED_IN, row, source, target, size, -1, -1)
    spend(m[2], TRANSFER_NS, transfer_ns(size, m[2][TO_GPU]))
    return True


@flat_kernel
def come_home(h: Any, b: Any, order: Any, m: Any, row: int) -> None:
    """Bring a demoted heap home on use, if the budget has room for it."""
    size, home, source = h[2][row], h[0][row], h[1][row]
    group = m[0][home, BUDGET_GROUP]
    if group >= 0 and 0 <= m[1][group, BUDGET] < m[1][group, USAGE] + size:
        return
    target = take(m[0], m[0][home, CODE], m[0][home, NODE], size)
    if target < 0:
        return
    count_usage(m, source, -size)
    move(h, b, m, row, target, True, 1)
    insert(order, m[2], row, size, h[7][row])
    count_usage(m, target, size)
    touch(order, m[2], row)
    tell(m, CAME_BACK, row, source, target, size, -1, -1)
    spend(m[2], TRANSFER_NS, transfer_ns(size, m[2][TO_GPU]))


@flat_kernel
def use(h: Any, b: Any, order: Any, m: Any, rows: Table) -> int:
    """Use heaps in a submission, in order.

    Args:
        h: ``paging.Heaps``.
        b: ``paging.Blocks``.
        order: ``paging.Order``, with a level for every row named.
        m: ``paging.Memory``.
        rows: Heaps, each once; shape (n,), int64.

    Returns:
        Index of the first one that is evicted and cannot come in; −1 when all could be used.
    """
    frame = m[2][FRAME_NOW]
    for at in range(rows.shape[0]):
        h[6][rows[at]] = frame
    for at in range(rows.shape[0]):
        row = rows[at]
        if not h[4][row] and (h[5][row] == 0 or not page_in(h, b, order, m, row)):
            return at
    for at in range(rows.shape[0]):
        row = rows[at]
        if order[0][row, LEVEL] >= 0:
            touch(order, m[2], row)
        else:
            come_home(h, b, order, m, row)
    return -1


@flat_kernel
def trim(h: Any, b: Any, order: Any, m: Any) -> None:
    """Take out what was not used in this frame while a group is above its budget; freeze when that is not enough."""
    groups, cells = m[1], m[2]
    for group in range(groups.shape[0]):
        if groups[group, BUDGET] < 0:
            continue
        while groups[group, USAGE] > groups[group, BUDGET]:
            victim = next_victim(h, order, m, group)
            if victim < 0:
                break
            if not demote(h, b, order, m, victim, -1):
                pass_over(order, m, group)
        excess = groups[group, USAGE] - groups[group, BUDGET]
        if excess > 0 and not groups[group, FROZEN]:
            groups[group, FROZEN] = 1
            tell(m, FROZE, group, -1, -1, excess, -1, -1)
            spend(cells, STALL_NS, transfer_ns(excess, cells[FROM_GPU]) + transfer_ns(excess, cells[TO_GPU]))


def warm_up() -> None:
    """Call both kernels once with the types that devices use."""
    order = o.ColumnOrder("priority-lru")
    order.insert(0, PAGE_BYTES)
    segments = np.array([[1 << 20, PAGE_BYTES, LOCAL, 0, 0, 1], [1 << 20, 0, SYSTEM, 0, -1, 1]], np.int64)
    groups = np.array([[PAGE_BYTES, 0, 1, 0, -1, -1]], np.int64)
    cells = np.zeros(p.CELLS, np.int64)
    cells[FRAME_NOW], cells[FILE_ROWS], cells[RENEWS], cells[WITH_PRIORITY] = 1, -1, 1, 1
    short, word, wide = np.zeros(1, np.int16), np.ones(1, np.int32), np.zeros(1, np.int64)
    byte, flag, nobody = np.zeros(1, np.uint8), np.ones(1, np.bool_), np.full(1, -1, np.int32)
    heaps = p.Heaps(
        short, short.copy(), wide + PAGE_BYTES, wide, flag, word, nobody, wide.copy(), nobody.copy(), flag.copy()
    )
    blocks = p.Blocks(short.copy(), byte, nobody.copy(), nobody.copy(), flag.copy())
    memory = p.Memory(
        segments, groups, cells, np.zeros((32, p.EVENT_COLUMNS), np.int64), np.zeros((32, p.MOVE_COLUMNS), np.int64),
        np.zeros(32, np.int64),
    )  # fmt: skip
    tables = tuple(heaps), tuple(blocks), (order.table, order.levels, order.ranks, order.sums), tuple(memory)
    trim(*tables)
    cells[FRAME_NOW] = 2
    use(*tables, np.zeros(1, np.int64))
