"""What the paging kernel reads and fills: heaps that move between segments under budgets, by submissions.

The plain rules are those of ``explorer.device.kernel_memory``; here are the tables in which a kernel goes through a
whole submission. Bytes decide, not addresses: only paged segments take part, whose ranges always find a place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Int64 = npt.NDArray[np.int64]

LOCAL, NON_LOCAL, SYSTEM, PAGE_FILE, ELSEWHERE = range(5)
"""Codes of segment groups."""

SHARED_FROM = NON_LOCAL
"""Groups from this code to ``PAGE_FILE`` serve every node."""

SEGMENT_SIZE, HELD, CODE, NODE, BUDGET_GROUP, BANDWIDTH, SEGMENT_COLUMNS = range(7)
"""Columns of a segment. ``BUDGET_GROUP`` is a row of the budget groups, −1 none."""

USAGE, BUDGET, OVER, FROZEN, RANK, NEXT, GROUP_COLUMNS = range(7)
"""Columns of a budget group. ``BUDGET`` −1: none. ``RANK`` and ``NEXT``: where the search for who may leave stands,
rank of the level (−1: not begun) and row (−1: the level ends)."""

(
    FRAME_NOW, TIME_NS, TRANSFER_NS, STALL_NS, TO_GPU, FROM_GPU, FILE_RATE, RENEWS, WITH_PRIORITY, EVENT_ROWS,
    MOVE_ROWS, FILE_ROWS, CELLS,
) = range(13)  # fmt: skip
"""Cells. ``FILE_ROWS``: rows in the queue for the page file, −1 not made yet."""

(
    EVICTED, PAGED_OUT, WENT_TO_FILE, PAGED_IN, CAME_BACK, CAME_BESIDE, DEMOTED, WENT_OVER, CAME_WITHIN, FROZE,
) = range(10)  # fmt: skip
"""What happened."""

WHAT, ROW, FROM, TO, BYTES, TIME, ASKED, LIMIT, EVENT_COLUMNS = range(9)
"""Columns of an event: what; heap row, or the budget group of the last three; segments or −1; bytes; time in ns; bytes
that asked for the room, −1 where a budget did, or the usage of a group; its budget."""

MOVED_ROW, MOVED_FROM, MOVED_TO, AS_ASKED, MOVE_COLUMNS = range(5)
"""Columns of a move: heap row, segments, whether the heap's own alignment counts at the new place."""

PAGE_BYTES = 4096
NS = 1_000_000_000


class Heaps(NamedTuple):
    """Columns of the heaps, by row."""

    home: npt.NDArray[np.int16]
    segment: npt.NDArray[np.int16]
    size: Int64
    rounding: Int64
    resident: npt.NDArray[np.bool_]
    counts: npt.NDArray[np.int32]
    used: npt.NDArray[np.int32]
    priority: Int64
    first: npt.NDArray[np.int32]
    live: npt.NDArray[np.bool_]


class Blocks(NamedTuple):
    """Columns of the blocks in heaps, by row, and whether each resource is resident."""

    segment: npt.NDArray[np.int16]
    state: npt.NDArray[np.uint8]
    resource: npt.NDArray[np.int32]
    after: npt.NDArray[np.int32]
    resident: npt.NDArray[np.bool_]


class Order(NamedTuple):
    """The tables of ``explorer.memory.eviction.column_order``."""

    table: Int64
    levels: Int64
    ranks: Int64
    sums: Int64


class Memory(NamedTuple):
    """Segments, budget groups, cells, and what a call writes down.

    Attributes:
        segments: Shape (segments, ``SEGMENT_COLUMNS``).
        groups: Shape (groups, ``GROUP_COLUMNS``).
        cells: Shape (``CELLS``,).
        events: Rows to fill, enough for the worst case.
        moves: Rows to fill, enough for the worst case.
        file: Queue of evicted heaps for the page file, room for every heap.
    """

    segments: Int64
    groups: Int64
    cells: Int64
    events: Int64
    moves: Int64
    file: Int64
