"""The row of a block and its links by address, shared by the compiled allocators that give padding back.

A node is one row of 64 bytes, so that a visit costs one cache line. The columns PREVIOUS, NEXT and those behind
belong to the search structure while a node is free, and hold kind and slot while it is live.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from explorer.memory.kernels import kernel

Table = npt.NDArray[np.int64]

OFFSET, SIZE, BEFORE, AFTER, PREVIOUS, NEXT, LIST, SLOT = range(8)
KIND = NEXT
"""A live node keeps its kind where a free one keeps the next node of its list."""
LIVE = -2
"""Value of PREVIOUS that marks a live node."""

UNUSED, FRESH, LIVE_COUNT, LAST, GRANULARITY, OPTION, ROOT, SMALL_STEP = range(8)
"""Cells of ``state``: chain of unused rows, first row never used, live nodes, last node by address, page that kinds
do not share, strategy or order, root of a tree, width of the small classes."""

@kernel
def place(nodes: Table, node: int, size: int, alignment: int, kind: int, page: int) -> int:
    """Return where the block would start in this free node, or -1."""
    room = nodes[node, SIZE]
    if room < size:
        return -1
    start = nodes[node, OFFSET]
    end = start + room
    offset = (start + alignment - 1) & -alignment
    if page > 1:
        before = nodes[node, BEFORE]
        if before >= 0 and nodes[before, KIND] != kind and (start - 1) // page == offset // page:
            step = max(alignment, page)
            offset = (offset + step - 1) & -step
        after = nodes[node, AFTER]
        if after >= 0 and nodes[after, PREVIOUS] == LIVE and nodes[after, KIND] != kind:
            end &= -page
    return offset if offset + size <= end else -1


@kernel
def new_row(nodes: Table, state: Table) -> int:
    """Return an unused row; the caller made sure that there is one."""
    row = state[UNUSED]
    if row >= 0:
        state[UNUSED] = nodes[row, NEXT]
        return row
    row = state[FRESH]
    state[FRESH] = row + 1
    return row


@kernel
def drop_row(nodes: Table, state: Table, row: int) -> None:
    """Give a row back."""
    nodes[row, NEXT] = state[UNUSED]
    state[UNUSED] = row


@kernel
def split_front(nodes: Table, state: Table, node: int, size: int) -> int:
    """Cut ``size`` bytes off the front of a node and return them as a node of their own."""
    front = new_row(nodes, state)
    before = nodes[node, BEFORE]
    nodes[front, OFFSET] = nodes[node, OFFSET]
    nodes[front, SIZE] = size
    nodes[front, BEFORE] = before
    nodes[front, AFTER] = node
    if before >= 0:
        nodes[before, AFTER] = front
    nodes[node, BEFORE] = front
    nodes[node, OFFSET] += size
    nodes[node, SIZE] -= size
    return front


@kernel
def absorb_front(nodes: Table, state: Table, node: int) -> None:
    """Join the node in front into this one."""
    front = nodes[node, BEFORE]
    before = nodes[front, BEFORE]
    nodes[node, OFFSET] = nodes[front, OFFSET]
    nodes[node, SIZE] += nodes[front, SIZE]
    nodes[node, BEFORE] = before
    if before >= 0:
        nodes[before, AFTER] = node
    drop_row(nodes, state, front)


@kernel
def collect(nodes: Table, last: int, live: Table) -> None:
    """Write node, offset, size, kind of the live nodes in offset order; ``live`` has one row for each."""
    row = len(live)
    node = last
    while node >= 0:
        if nodes[node, PREVIOUS] == LIVE:
            row -= 1
            live[row, 0] = node
            live[row, 1] = nodes[node, OFFSET]
            live[row, 2] = nodes[node, SIZE]
            live[row, 3] = nodes[node, KIND]
        node = nodes[node, BEFORE]
