"""The scan over visible items that paints rows, compiled. ``raster`` holds the same in numpy, pixel for pixel.

Every narrow item colours a quarter of each cell that it touches at least. Of a million items most are tiny and share a
cell with the one before: ``scan`` tells those by comparing bytes, and their colours are one sum in a register. Its
margins of a millionth of a pixel leave every close call to the exact arithmetic, so the shortcut changes no pixel.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from explorer.memory.kernels import kernel
from explorer.render.looks import WASTE


@kernel
def first_reaching(reach: Any, byte: int) -> int:
    """Return the first row whose reach lies beyond ``byte``."""
    low, high = 0, len(reach)
    while low < high:
        middle = (low + high) // 2
        if reach[middle] > byte:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def lay_wide(low: int, high: int, look: int, runs_on: int, kind: int, fill: Any, edge: Any, style: Any, base: int,
             line: Any, wide: Any, count: int) -> int:  # fmt: skip
    """Put an item of more than three pixels into the line; return the new number of rows in ``wide``."""
    if look < WASTE and runs_on == 0:
        line[high - 1] = base
        high -= 1
    colour = fill[look]
    for x in range(low, high):
        line[x] = colour
    edged = 1 if kind != 2 and high - low > 3 and edge[look] != colour else 0
    if edged:
        line[low] = edge[look]
        if runs_on == 0:
            line[high - 1] = edge[look]
    if edged or style[look]:
        wide[count, 0] = low
        wide[count, 1] = high
        wide[count, 2] = look
        wide[count, 3] = edged
        count += 1
    return count


@kernel
def flush(cells: Any, cell: int, tiny: int, colours: int, amount: int, red: int, green: int, blue: int) -> None:
    """Add to a cell what its items came to, in units of 1/256 of a cell.

    ``tiny`` of them count as a quarter of the cell each; ``colours`` is the sum of their colours, 21 bits each for
    red, green and blue.
    """
    if tiny:
        amount += tiny * 64
        red += (colours & 0x1FFFFF) * 64
        green += ((colours >> 21) & 0x1FFFFF) * 64
        blue += (colours >> 42) * 64
    cells[cell, 0] += amount
    cells[cell, 1] += red
    cells[cell, 2] += green
    cells[cell, 3] += blue


@kernel
def scan(strip: Any, scale: float, start: Any, end: Any, reach: Any, looks: Any, small: Any, packed: Any, fill: Any,
         edge: Any, style: Any, base: int, line: Any, cells: Any, wide: Any) -> int:  # fmt: skip
    """Fill one line of pixels; return how many rows of ``wide`` need a pattern or an edge."""
    g0, g1, x0, x1, kind = strip[0], strip[1], strip[2], strip[3], strip[6]
    per_byte = 1.0 / scale
    # Aliases overlap: the next one may begin before the cell of this one.
    tiny_bytes = -1 if kind == 1 else int((0.25 - 1e-6) * per_byte)
    cell, cell_end, tiny, colours = x0, -1, 0, 0
    amount, red, green, blue = 0, 0, 0, 0
    count = 0
    for index in range(first_reaching(reach, g0), len(start)):
        first, stop, look = start[index], end[index], looks[index]
        if stop <= cell_end and stop - first <= tiny_bytes and look < WASTE and tiny < 8000:
            tiny += 1
            colours += packed[look]
            continue
        if first >= g1:
            break
        if stop <= g0:
            continue
        left = x0 + (max(first, g0) - g0) * scale
        right = x0 + (min(stop, g1) - g0) * scale
        if right - left > 3.0:
            high = min(int(right + 0.5), x1)
            runs_on = 1 if stop > g1 else 0
            count = lay_wide(int(left + 0.5), high, look, runs_on, kind, fill, edge, style, base, line, wide, count)
            continue
        low = min(int(left), x1 - 1)
        high = int(right)
        if high == right:
            high -= 1
        high = max(min(high, x1 - 1), low)
        least = 0 if look >= WASTE else 64
        for x in range(low, high + 1):
            if x != cell:
                flush(cells, cell, tiny, colours, amount, red, green, blue)
                cell, tiny, colours, amount, red, green, blue = x, 0, 0, 0, 0, 0, 0
            part = max(int((min(right, x + 1.0) - max(left, float(x))) * 256.0), least)
            amount += part
            red += part * small[look, 0]
            green += part * small[look, 1]
            blue += part * small[look, 2]
        if tiny >= 8000:
            flush(cells, cell, tiny, colours, 0, 0, 0, 0)
            tiny, colours = 0, 0
        cell_end = min(g0 + int((cell + 1 - x0 - 1e-6) * per_byte), g1)
    flush(cells, cell, tiny, colours, amount, red, green, blue)
    return count


@kernel
def settle(line: Any, cells: Any, busy: Any) -> None:
    """Mix the cells of narrow items over the line, empty them, and note which ones they were.

    All three hold just the columns of the strip.
    """
    for x in range(len(line)):
        amount = cells[x, 0]
        busy[x] = amount != 0
        if amount:
            below = np.int64(line[x])
            rest = 256 - amount if amount < 256 else 0
            # One division for three channels; ``raster`` does the very same with doubles.
            share = 1.0 / (amount + rest)
            red = int((cells[x, 1] + rest * ((below >> 16) & 255)) * share + 0.001)
            green = int((cells[x, 2] + rest * ((below >> 8) & 255)) * share + 0.001)
            blue = int((cells[x, 3] + rest * (below & 255)) * share + 0.001)
            line[x] = 0xFF000000 | (red << 16) | (green << 8) | blue
            cells[x, 0] = 0
            cells[x, 1] = 0
            cells[x, 2] = 0
            cells[x, 3] = 0


@kernel
def dress(buffer: Any, strip: Any, wide: Any, count: int, busy: Any, fill: Any, second: Any, edge: Any, style: Any,
          tiles: Any) -> None:  # fmt: skip
    """Give the wide items of one strip their patterns and the edges above and below."""
    x0, y0, y1, phase = strip[2], strip[4], strip[5], strip[7]
    side = tiles.shape[1]
    for item in range(count):
        low, high, look, edged = wide[item, 0], wide[item, 1], wide[item, 2], wide[item, 3]
        mask = style[look]
        if mask:
            for y in range(y0, y1):
                row = (y - y0) % side
                for x in range(low + edged, high - edged):
                    if tiles[mask, row, (x - x0 + phase) % side] and not busy[x]:
                        buffer[y, x] = second[look]
        if edged:
            for x in range(low, high):
                if not busy[x]:
                    buffer[y0, x] = edge[look]
                    buffer[y1 - 1, x] = edge[look]


@kernel
def paint_strips(buffer: Any, strips: Any, scales: Any, start: Any, end: Any, reach: Any, looks: Any, fill: Any,
                 second: Any, edge: Any, small: Any, style: Any, tiles: Any, free: int, base: int,
                 capacity: int) -> None:  # fmt: skip
    """Paint the strips of one table of items into a pixel buffer.

    Args:
        buffer: uint32, shape (height, width).
        strips: int64, shape (strips, 8): first and end byte, x0, x1, y0, y1, kind, pattern phase.
        scales: float64, pixels for each byte of each strip.
        start: int64, sorted first bytes of the items.
        end: int64, their ends.
        reach: int64, sorted largest ends so far.
        looks: uint8, the look of each item.
        fill: uint32, ground of each look.
        second: uint32, pattern lines of each look.
        edge: uint32, outline of each look.
        small: int64, shape (looks, 3): colour of narrow items.
        style: uint8, pattern of each look.
        tiles: uint8, shape (styles, side, side).
        free: Pixel of free memory.
        base: Pixel of the ground of the map.
        capacity: Most items over three pixels wide that one strip can hold.
    """
    width = buffer.shape[1]
    line = np.empty(width, np.uint32)
    cells = np.zeros((width, 4), np.int64)
    busy = np.zeros(width, np.bool_)
    wide = np.empty((capacity, 4), np.int64)
    packed = small[:, 0] | (small[:, 1] << 21) | (small[:, 2] << 42)
    for index in range(len(strips)):
        strip = strips[index]
        x0, x1, y0, y1 = strip[2], strip[3], strip[4], strip[5]
        line[x0:x1] = base if strip[6] == 1 else free
        count = scan(strip, scales[index], start, end, reach, looks, small, packed, fill, edge, style, base, line,
                     cells, wide)  # fmt: skip
        settle(line[x0:x1], cells[x0:x1], busy[x0:x1])
        for y in range(y0, y1):
            buffer[y, x0:x1] = line[x0:x1]
        dress(buffer, strip, wide, count, busy, fill, second, edge, style, tiles)
