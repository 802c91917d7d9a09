"""The two queues of the paging kernel: who leaves next, by level and age, and who goes on to the page file."""

from __future__ import annotations

from typing import Any, TypeAlias

from explorer.memory import paging as p
from explorer.memory.eviction import column_order as o
from explorer.memory.kernels import flat_kernel

Table: TypeAlias = Any
"""An int64 array; elements count as plain integers here."""

BUDGET_GROUP, RANK, NEXT = p.BUDGET_GROUP, p.RANK, p.NEXT
FRAME_NOW, TIME_NS, RENEWS, WITH_PRIORITY, FILE_ROWS = p.FRAME_NOW, p.TIME_NS, p.RENEWS, p.WITH_PRIORITY, p.FILE_ROWS
LEVEL, NEWER, OLDER, USE = o.LEVEL, o.NEWER, o.OLDER, o.USE
USED_IN, USED_AT, ORDER_SIZE, ORDER_PRIORITY = o.FRAME, o.TIME, o.SIZE, o.PRIORITY
LEVEL_PRIORITY, OLDEST, NEWEST = o.LEVEL_PRIORITY, o.OLDEST, o.NEWEST
USES, ORDER_BYTES, COUNT, LARGEST = o.USES, o.BYTES, o.COUNT, o.LARGEST


@flat_kernel
def unlink(order: Any, row: int) -> None:
    """Take a row out of its level's list."""
    table, levels = order[0], order[1]
    level, older, newer = table[row, LEVEL], table[row, OLDER], table[row, NEWER]
    if older < 0:
        levels[level, OLDEST] = newer
    else:
        table[older, NEWER] = newer
    if newer < 0:
        levels[level, NEWEST] = older
    else:
        table[newer, OLDER] = older


@flat_kernel
def append(order: Any, row: int, level: int) -> None:
    """Make a row the newest of a level."""
    table, levels = order[0], order[1]
    older = levels[level, NEWEST]
    table[row, LEVEL] = level
    table[row, OLDER] = older
    table[row, NEWER] = -1
    if older < 0:
        levels[level, OLDEST] = row
    else:
        table[older, NEWER] = row
    levels[level, NEWEST] = row


@flat_kernel
def insert(order: Any, cells: Table, row: int, size: int, priority: int) -> None:
    """Take a row into the order as the newest; the caller made sure that its level exists."""
    table, levels, sums = order[0], order[1], order[3]
    wanted = priority if cells[WITH_PRIORITY] else 0
    level = 0
    while levels[level, LEVEL_PRIORITY] != wanted:
        level += 1
    sums[USES] += 1
    sums[ORDER_BYTES] += size
    sums[COUNT] += 1
    sums[LARGEST] = max(sums[LARGEST], sums[ORDER_BYTES])
    table[row, USE] = sums[USES]
    table[row, ORDER_SIZE] = size
    table[row, USED_IN] = -1
    table[row, USED_AT] = 0
    table[row, ORDER_PRIORITY] = priority
    append(order, row, level)


@flat_kernel
def remove(order: Any, m: Any, row: int) -> None:
    """Take a row out of the order; searches that stand at it go on behind it."""
    groups = m[1]
    for group in range(groups.shape[0]):
        if groups[group, RANK] >= 0 and groups[group, NEXT] == row:
            groups[group, NEXT] = order[0][row, NEWER]
    unlink(order, row)
    order[0][row, LEVEL] = -1
    order[3][ORDER_BYTES] -= order[0][row, ORDER_SIZE]
    order[3][COUNT] -= 1


@flat_kernel
def touch(order: Any, cells: Table, row: int) -> None:
    """Note a use of a row in the order."""
    table = order[0]
    table[row, USED_IN] = cells[FRAME_NOW]
    table[row, USED_AT] = cells[TIME_NS]
    if cells[RENEWS]:
        order[3][USES] += 1
        table[row, USE] = order[3][USES]
        if table[row, NEWER] >= 0:
            level = table[row, LEVEL]
            unlink(order, row)
            append(order, row, level)


@flat_kernel
def next_victim(h: Any, order: Any, m: Any, group: int) -> int:
    """Return the next row of a budget group that was not used in this frame, in the order of leaving; −1 none."""
    table, levels, ranks = order[0], order[1], order[2]
    groups, segments, frame = m[1], m[0], m[2][FRAME_NOW]
    if groups[group, RANK] < 0:
        groups[group, RANK] = 0
        groups[group, NEXT] = levels[ranks[0], OLDEST] if ranks.shape[0] else -1
    while groups[group, RANK] < ranks.shape[0]:
        row = groups[group, NEXT]
        while row >= 0:
            if segments[h[1][row], BUDGET_GROUP] == group and h[6][row] < frame:
                groups[group, NEXT] = row
                return row
            row = table[row, NEWER]
        groups[group, RANK] += 1
        if groups[group, RANK] < ranks.shape[0]:
            groups[group, NEXT] = levels[ranks[groups[group, RANK]], OLDEST]
    return -1


@flat_kernel
def pass_over(order: Any, m: Any, group: int) -> None:
    """Let the search of a group go on behind the row that it stands at."""
    m[1][group, NEXT] = order[0][m[1][group, NEXT], NEWER]


@flat_kernel
def file_key(h: Any, row: int) -> int:
    """Return by what the queue for the page file is sorted: longest unused first, then the lowest row."""
    return (int(h[6][row]) + 1) << 32 | int(row)


@flat_kernel
def push_file(m: Any, key: int) -> None:
    """Put an evicted heap into the queue for the page file."""
    queue, cells = m[5], m[2]
    at = cells[FILE_ROWS]
    cells[FILE_ROWS] = at + 1
    while at > 0:
        above = (at - 1) >> 1
        if queue[above] <= key:
            break
        queue[at] = queue[above]
        at = above
    queue[at] = key


@flat_kernel
def pop_file(m: Any) -> int:
    """Take the first one out of the queue for the page file."""
    queue, cells = m[5], m[2]
    first = queue[0]
    count = cells[FILE_ROWS] - 1
    cells[FILE_ROWS] = count
    last, at = queue[count], 0
    while True:
        below = 2 * at + 1
        if below >= count:
            break
        if below + 1 < count and queue[below + 1] < queue[below]:
            below += 1
        if queue[below] >= last:
            break
        queue[at] = queue[below]
        at = below
    if count:
        queue[at] = last
    return first
