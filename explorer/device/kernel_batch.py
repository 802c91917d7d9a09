"""A submission of the kernel memory manager in one kernel call: columns in, addresses, events and times out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.kinds import Placement
from explorer.device import cost
from explorer.memory import paging as p
from explorer.memory.allocators.protocol import OP_FREE, OP_TAKE, Operations
from explorer.memory.eviction.column_order import LEVEL
from explorer.memory.kernels import kernels_ready

if TYPE_CHECKING:
    from collections.abc import Set

    import numpy.typing as npt

    from explorer.device.device import Device
    from explorer.device.memory_state import MemoryState
    from explorer.memory.eviction.column_order import ColumnOrder

FEWEST = 64
"""Heaps of a submission from which on a kernel call is quicker than plain Python (measured: 0.1 ms a call against 1.5
to 40 µs a heap)."""

MOST_LEVELS = 256
"""Priorities up to which the kernel looks for a level by going through all of them."""

_CODES = {"LOCAL": p.LOCAL, "NON_LOCAL": p.NON_LOCAL, "SYSTEM": p.SYSTEM, "PAGE_FILE": p.PAGE_FILE}


def suits(state: MemoryState, order: ColumnOrder) -> bool:
    """Return whether the kernel models this memory: paged segments, one budget for the memory that nodes share."""
    if len(order.levels) > MOST_LEVELS or not kernels_ready():
        return False
    shared = {segment.node for segment in state.segments if segment.group == "NON_LOCAL"}
    return len(shared) <= 1 and all(segment.placement is Placement.PAGED for segment in state.segments)


def use(device: Device, order: ColumnOrder, rows: npt.NDArray[np.int64]) -> int:
    """Use heaps in a submission; see ``KernelMemory.use``."""
    from explorer.memory import paging_kernels

    heaps = device.state.heaps
    order.reserve(len(heaps.live))
    # Whoever comes in needs its level; making one may give the others new numbers, so before the tables are taken.
    coming = rows[order.table[rows, LEVEL] < 0]
    for priority in np.unique(heaps["priority"][coming]).tolist():
        order.level_of(priority)
    call = _Call(device, order, len(rows), set())
    done = int(paging_kernels.use(*call.tables, rows))
    call.finish()
    return done


def trim(device: Device, order: ColumnOrder, frozen: set[tuple[int, str]]) -> None:
    """Take out what was not used in this frame while a group is above its budget; see ``KernelMemory.trim``."""
    from explorer.memory import paging_kernels

    call = _Call(device, order, 0, frozen)
    paging_kernels.trim(*call.tables)
    call.finish()
    for key, row in zip(device.state.groups, call.groups, strict=True):
        if row[p.FROZEN]:
            frozen.add(key)


class _Call:
    """The tables of one kernel call, and what is done with them afterwards."""

    def __init__(self, device: Device, order: ColumnOrder, references: int, frozen: Set[tuple[int, str]]) -> None:
        state = self._state = device.state
        self._device = device
        order.reserve(len(state.heaps.live))
        heaps, blocks = state.heaps, state.blocks
        # Everybody in the order may leave once, and every comer; what was evicted may go on to the page file once.
        most = 2 * (len(heaps) + references) + 16
        self._events = np.empty((4 * most, p.EVENT_COLUMNS), np.int64)
        self._moves = np.empty((most, p.MOVE_COLUMNS), np.int64)
        self.segments = _segments(state)
        self.groups = _groups(state, frozen)
        self.cells = _cells(device, order)
        columns = p.Heaps(
            heaps["home"], heaps["segment"], heaps["size"], heaps["rounding"], heaps["resident"],
            heaps["resident_count"], heaps["used_frame"], heaps["priority"], heaps["first"], heaps.live,
        )  # fmt: skip
        inside = p.Blocks(
            blocks["segment"], blocks["state"], blocks["resource"], blocks["after"], state.resources["resident"]
        )
        queue = np.empty(2 * len(heaps.live) + most, np.int64)
        memory = p.Memory(self.segments, self.groups, self.cells, self._events, self._moves, queue)
        tables = p.Order(order.table, order.levels, order.ranks, order.sums)
        self.tables = (tuple(columns), tuple(inside), tuple(tables), tuple(memory))

    def finish(self) -> None:
        """Write back what the kernel changed, find addresses for what moved, report the events."""
        state, cells = self._state, self.cells
        moves = self._moves[: int(cells[p.MOVE_ROWS])]
        self._place(moves)
        for group, row in zip(state.groups.values(), self.groups, strict=True):
            group.usage, group.over = int(row[p.USAGE]), bool(row[p.OVER])
        times = state.times
        times.transfer += int(cells[p.TRANSFER_NS])
        times.stall += int(cells[p.STALL_NS])
        state.log.time_ns = int(cells[p.TIME_NS])
        state.generation += len(moves)
        if cells[p.EVENT_ROWS]:
            self._report(self._events[: int(cells[p.EVENT_ROWS])].copy())

    def _place(self, moves: npt.NDArray[np.int64]) -> None:
        """Let each segment's allocator take and give back addresses in the order of the moves."""
        state, heaps = self._state, self._state.heaps
        rows = moves[:, p.MOVED_ROW]
        held = -(-heaps["size"][rows] // p.PAGE_BYTES) * p.PAGE_BYTES
        alignment = np.where(moves[:, p.AS_ASKED] > 0, heaps["alignment"][rows], 1)
        np.maximum(alignment, p.PAGE_BYTES, out=alignment)
        # The address of the last move counts: later ones overwrite earlier ones.
        places = np.zeros(len(moves), np.int64)
        for index, segment in enumerate(state.segments):
            comes = np.flatnonzero(moves[:, p.MOVED_TO] == index)
            goes = np.flatnonzero(moves[:, p.MOVED_FROM] == index)
            if not len(comes) + len(goes):
                continue
            # A move takes its new place before it gives back the old one.
            order = np.argsort(np.concatenate([2 * comes, 2 * goes + 1]))
            at = np.concatenate([comes, goes])[order]
            op = np.concatenate([np.full(len(comes), OP_TAKE), np.full(len(goes), OP_FREE)])[order]
            taken = segment.replay(
                Operations(op.astype(np.int64), rows[at], held[at], alignment[at]), int(self.segments[index, p.HELD])
            )
            is_take = op == OP_TAKE
            places[at[is_take]] = taken[is_take]
        heaps["address"][rows] = places

    def _report(self, table: npt.NDArray[np.int64]) -> None:
        table.flags.writeable = False
        state = self._state
        about_group = (table[:, p.WHAT] >= p.WENT_OVER) & (table[:, p.WHAT] <= p.FROZE)
        rows = np.where(about_group, 0, table[:, p.ROW])
        subjects = np.where(about_group, -1 - table[:, p.ROW], state.heaps["name"][rows]).astype(np.int32)
        segments = tuple(segment.name for segment in state.segments)
        state.log.add_rows(table, subjects, state.heap_names_ever, segments, tuple(state.groups))


def _segments(state: MemoryState) -> npt.NDArray[np.int64]:
    keys = list(state.groups)
    table = np.zeros((len(state.segments), p.SEGMENT_COLUMNS), np.int64)
    for row, segment in zip(table, state.segments, strict=True):
        key = (segment.node, segment.group)
        code = _CODES.get(segment.group, p.ELSEWHERE)
        group = keys.index(key) if key in state.groups else -1
        row[:] = (segment.size, segment.held, code, segment.node, group, segment.bandwidth)
    return table


def _groups(state: MemoryState, frozen: Set[tuple[int, str]]) -> npt.NDArray[np.int64]:
    table = np.zeros((len(state.groups), p.GROUP_COLUMNS), np.int64)
    for row, (key, group) in zip(table, state.groups.items(), strict=True):
        budget = -1 if group.budget is None else group.budget
        row[:] = (
            group.usage,
            budget,
            group.over,
            key in frozen,
            -1,
            -1,
        )
    return table


def _cells(device: Device, order: ColumnOrder) -> npt.NDArray[np.int64]:
    state, cells = device.state, np.zeros(p.CELLS, np.int64)
    cells[p.FRAME_NOW], cells[p.TIME_NS] = state.log.frame, state.log.time_ns
    bus = state.adapter.bus
    cells[p.TO_GPU], cells[p.FROM_GPU] = bus.to_gpu_bytes_per_s, bus.from_gpu_bytes_per_s
    cells[p.FILE_RATE] = cost.PAGE_FILE_BYTES_PER_S
    cells[p.RENEWS], cells[p.WITH_PRIORITY], cells[p.FILE_ROWS] = order.renews, order.obeys_priority, -1
    return cells
