"""Painting strips of the map into a pixel buffer: the compiled scan, and the same in numpy."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from explorer.core.columns import Bytes8, Int64
from explorer.memory.kernels import kernels_ready
from explorer.render.looks import WASTE, LookTable, Pixels

if TYPE_CHECKING:
    from explorer.render.items import Items

Floats: TypeAlias = npt.NDArray[np.float64]

ROW, TRACK, THIN = range(3)
"""Kinds of strips: a row of a lane, the track of aliases above one, the strip of a folded lane (no edges)."""

_loading = threading.Lock()
_loaders: list[threading.Thread] = []
_loaded = threading.Event()

STRIP_COLUMNS = 8
"""First and end byte on the map axis, x0, x1, y0, y1 in device pixels, kind, phase of patterns in device pixels."""


def new_buffer(width: int, height: int, ground: int) -> Pixels:
    """Return a pixel buffer of one colour, uint32 0xFFRRGGBB, shape (height, width)."""
    return np.full((max(height, 1), max(width, 1)), ground, np.uint32)


def paint(
    buffer: Pixels,
    strips: Int64,
    scales: Floats,
    items: Items,
    looks: Bytes8,
    table: LookTable,
    *,
    compiled: bool | None = None,
) -> None:
    """Paint strips; rows above each other in the table do not overlap on the buffer.

    Args:
        buffer: uint32, shape (height, width); strips lie inside it.
        strips: int64, shape (strips, ``STRIP_COLUMNS``).
        scales: float64, device pixels for each byte of each strip.
        items: What lies on the map axis.
        looks: uint8, look of each item.
        table: How looks are painted.
        compiled: Whether to use the kernel; None uses it once it is loaded, and has it loaded in the background.
    """
    if not len(strips):
        return
    if compiled is None:
        compiled = is_compiled()
    if not compiled:
        for strip, scale in zip(strips, scales, strict=True):
            _paint_strip(buffer, [int(value) for value in strip], float(scale), items, looks, table)
        return
    # Loads numba: only where compiled kernels are wanted.
    from explorer.render.raster_kernels import paint_strips

    disjoint = bool(np.all(strips[:, 6] != TRACK))
    capacity = buffer.shape[1] // 3 + 2 if disjoint else len(items) + 1
    paint_strips(buffer, strips, scales, items.start, items.end, items.reach, looks, table.fill, table.line,
                 table.edge, table.small, table.style, table.tiles, table.free, table.base, capacity)  # fmt: skip


def is_compiled() -> bool:
    """Return whether the kernel can be called at once; if it only has to be loaded, a thread begins to.

    Loading numba and the cached kernel takes half a second: a window that paints its first frame must not wait for it.
    """
    with _loading:
        if not _loaders and kernels_ready():
            loader = threading.Thread(target=_load, name="raster kernels")
            _loaders.append(loader)
            loader.start()
    return _loaded.is_set()


def _load() -> None:
    warm_up_raster()
    _loaded.set()


def warm_up_raster() -> None:
    """Compile the kernel with the types that ``paint`` uses."""
    from explorer.render.items import Items
    from explorer.render.looks import build_looks
    from explorer.render.tokens import palette

    theme = palette("dark")
    start = np.array([0, 8], np.int64)
    flags = np.zeros(2, np.bool_)
    index = np.zeros(2, np.int32)
    for array in (start, flags, index):
        array.flags.writeable = False
    items = Items(start, start, start, index, index, flags, flags)
    buffer = new_buffer(8, 2, 0)
    strips = np.array([[0, 16, 0, 8, 0, 2, ROW, 0]], np.int64)
    paint(buffer, strips, np.ones(1), items, np.zeros(2, np.uint8), build_looks(theme, theme.kinds), compiled=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Wide:
    """Items of more than three pixels in one strip; columns count from the strip's left end."""

    low: Int64
    high: Int64
    body: Int64
    look: Bytes8
    edged: npt.NDArray[np.bool_]
    runs_on: npt.NDArray[np.bool_]

    def single(self, row: int) -> _Wide:
        one = slice(row, row + 1)
        return _Wide(self.low[one], self.high[one], self.body[one], self.look[one], self.edged[one], self.runs_on[one])


def _paint_strip(buffer: Pixels, strip: list[int], scale: float, items: Items, looks: Bytes8, table: LookTable) -> None:
    g0, g1, x0, x1, y0, y1, kind, phase = strip
    part = items.between(g0, g1)
    start, end = np.maximum(items.start[part], g0), np.minimum(items.end[part], g1)
    look, runs_on = looks[part], items.end[part] > g1
    seen = end > start
    if not seen.all():
        start, end, look, runs_on = start[seen], end[seen], look[seen], runs_on[seen]
    # The very operations of the kernel, in its order: the same doubles give the same pixels.
    left, right = x0 + (start - g0) * scale, x0 + (end - g0) * scale
    broad = right - left > 3.0
    wide = _wide(left[broad], right[broad], look[broad], runs_on[broad], (x0, x1, kind), table)
    # Only aliases overlap, and of two the later one lies above: one by one.
    parts = [wide.single(row) for row in range(len(wide.low))] if kind == TRACK else [wide]
    line = np.full(x1 - x0, table.base if kind == TRACK else table.free, np.uint32)
    for one in parts:
        _lay(line, one, table)
    narrow = ~broad
    cells = _cells(left[narrow], right[narrow], look[narrow], x0, x1, table)
    _settle(line, cells)
    target = buffer[y0:y1, x0:x1]
    target[:] = line
    for one in parts:
        _dress(target, one, cells[0] == 0, phase, table)


def _wide(left: Floats, right: Floats, look: Bytes8, runs_on: npt.NDArray[np.bool_], span: tuple[int, int, int],
          table: LookTable) -> _Wide:  # fmt: skip
    x0, x1, kind = span
    low = (left + 0.5).astype(np.int64) - x0
    high = np.minimum((right + 0.5).astype(np.int64), x1) - x0
    body = high - ((look < WASTE) & ~runs_on)
    edged = (body - low > 3) & (table.edge[look] != table.fill[look]) & (kind != THIN)
    return _Wide(low, high, body, look, edged, runs_on)


def _lay(line: Pixels, wide: _Wide, table: LookTable) -> None:
    gap = wide.body < wide.high
    line[wide.high[gap] - 1] = table.base
    line[_columns(wide.low, wide.body)] = np.repeat(table.fill[wide.look], wide.body - wide.low)
    line[wide.low[wide.edged]] = table.edge[wide.look[wide.edged]]
    closed = wide.edged & ~wide.runs_on
    line[wide.body[closed] - 1] = table.edge[wide.look[closed]]


def _dress(target: Pixels, wide: _Wide, bare: npt.NDArray[np.bool_], phase: int, table: LookTable) -> None:
    patterned = np.flatnonzero(table.style[wide.look])
    if len(patterned):
        low = wide.low[patterned] + wide.edged[patterned]
        high = wide.body[patterned] - wide.edged[patterned]
        columns, owner = _columns(low, high), np.repeat(wide.look[patterned], high - low)
        columns, owner = columns[bare[columns]], owner[bare[columns]]
        side = table.tiles.shape[1]
        rows = (np.arange(len(target)) % side)[:, None]
        mask = table.tiles[table.style[owner][None, :], rows, ((columns + phase) % side)[None, :]] != 0
        target[:, columns] = np.where(mask, table.line[owner][None, :], target[:, columns])
    low, high, look = wide.low[wide.edged], wide.body[wide.edged], wide.look[wide.edged]
    if len(low):
        columns, owner = _columns(low, high), np.repeat(look, high - low)
        columns, owner = columns[bare[columns]], owner[bare[columns]]
        target[0, columns] = target[-1, columns] = table.edge[owner]


def _cells(left: Floats, right: Floats, look: Bytes8, x0: int, x1: int, table: LookTable) -> Int64:
    """Return amount, red, green and blue that narrow items add to each column, shape (4, x1 - x0)."""
    width = x1 - x0
    cells = np.zeros((4, width), np.int64)
    if not len(left):
        return cells
    low = np.minimum(left.astype(np.int64), x1 - 1)
    high = right.astype(np.int64)
    high -= high == right
    high = np.maximum(np.minimum(high, x1 - 1), low)
    least = np.where(look >= WASTE, 0, 64)
    for step in range(int((high - low).max()) + 1):
        x = low + step
        touched = x <= high
        at = x[touched]
        reach = np.minimum(right[touched], at + 1.0) - np.maximum(left[touched], at.astype(np.float64))
        amount = np.maximum((reach * 256.0).astype(np.int64), least[touched])
        # bincount adds doubles; the sums are whole numbers far below 2^53, so they are exact.
        cells[0] += np.bincount(at - x0, amount, width).astype(np.int64)
        for channel in range(3):
            weight = amount * table.small[look[touched], channel]
            cells[channel + 1] += np.bincount(at - x0, weight, width).astype(np.int64)
    return cells


def _settle(line: Pixels, cells: Int64) -> None:
    mixed = np.flatnonzero(cells[0])
    if not len(mixed):
        return
    amount, below = cells[0, mixed], line[mixed].astype(np.int64)
    rest = np.maximum(256 - amount, 0)
    share = 1.0 / (amount + rest)
    pixel: Int64 = np.full(len(mixed), 0xFF, np.int64)
    for channel, shift in ((1, 16), (2, 8), (3, 0)):
        total = cells[channel, mixed]
        under = (below >> shift) & 255
        value = ((total + rest * under) * share + 0.001).astype(np.int64)
        pixel = np.bitwise_or(np.left_shift(pixel, 8), value)
    line[mixed] = pixel.astype(np.uint32)


def _columns(low: Int64, high: Int64) -> Int64:
    """Return the whole numbers of all ranges ``[low, high)``, one range after the other."""
    counts = high - low
    stops = np.cumsum(counts)
    total = int(stops[-1]) if len(stops) else 0
    return np.arange(total) + np.repeat(low - (stops - counts), counts)
