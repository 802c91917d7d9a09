"""The picture of a resource's subresources: mips down, slices across, planes below one another; no Qt.

Widths follow the square root of the row pitch and heights that of the rows, so that mip 0 and mip 10 fit one picture;
inside a box the share of padding is true to scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.core.layouts import SubresourceLayout
    from explorer.sim.layouts import Form

COLUMN_LEAST, COLUMN_MOST = 96, 220
"""Logical pixels of a slice's column."""

GAP = 8
_WIDTH_LEAST = 10
_HEIGHT_LEAST, _HEIGHT_MOST = 16, 52


@dataclass(frozen=True, slots=True)
class Box:
    """Where a subresource is drawn, logical pixels from the first box.

    Attributes:
        index: Index of the subresource.
        x: Left edge.
        y: Upper edge.
        width: Row pitch, compressed.
        height: Rows, compressed.
        data: Pixels of ``width`` that hold texels; the rest is pitch padding.
    """

    index: int
    x: float
    y: float
    width: float
    height: float
    data: float


@dataclass(frozen=True, slots=True)
class MipRow:
    """A row of boxes.

    Attributes:
        mip: Level.
        plane: Plane.
        y: Upper edge.
        height: Height.
        width_texels: Texels across.
        height_texels: Texels down.
    """

    mip: int
    plane: int
    y: float
    height: float
    width_texels: int
    height_texels: int


class SubresourcePicture:
    """Boxes of a form for a width.

    Args:
        form: The form.
        width: Logical pixels that the columns may take.
    """

    def __init__(self, form: Form, width: float) -> None:
        self.form = form
        parts = form.layout.subresources
        self.mips, self.slices = form.mips, form.slices
        self._parts = parts
        share = (width + GAP) / max(self.slices, 1) - GAP
        self.column = min(max(share, COLUMN_LEAST), COLUMN_MOST)
        self._widest = max((part.row_pitch for part in parts), default=1) or 1
        self._tallest = max((part.rows for part in parts), default=1) or 1
        self.rows: tuple[MipRow, ...] = tuple(self._rows())

    @property
    def width(self) -> float:
        """Pixels of all columns."""
        return self.slices * (self.column + GAP) - GAP

    @property
    def height(self) -> float:
        """Pixels of all rows."""
        return self.rows[-1].y + self.rows[-1].height if self.rows else 0.0

    def index_of(self, row: MipRow, column: int) -> int:
        """Return the index of a subresource."""
        return row.mip + column * self.mips + row.plane * self.mips * self.slices

    def boxes(self, left: float, right: float) -> tuple[Box, ...]:
        """Return the boxes of the columns that touch a range of x: what is drawn, however many slices there are."""
        pitch = self.column + GAP
        first = max(int(left // pitch), 0)
        last = min(int(right // pitch), self.slices - 1)
        return tuple(self.box(self.index_of(row, column)) for column in range(first, last + 1) for row in self.rows)

    def box(self, index: int) -> Box:
        """Return where a subresource is drawn."""
        part = self._parts[index]
        row = self.rows[part.mip + part.plane * self.mips]
        width = max(math.sqrt(part.row_pitch / self._widest) * self.column, _WIDTH_LEAST)
        data = width * part.row_bytes / part.row_pitch if part.row_pitch else width
        return Box(index, part.slice * (self.column + GAP), row.y, width, row.height, min(data, width))

    def hit(self, x: float, y: float) -> int | None:
        """Return the subresource at a point; the whole cell of its column counts."""
        column = int(x // (self.column + GAP))
        if not 0 <= column < self.slices or x - column * (self.column + GAP) > self.column:
            return None
        for row in self.rows:
            if row.y - 2 <= y < row.y + row.height + 2:
                return self.index_of(row, column)
        return None

    def walk(self, index: int, across: int, down: int) -> int | None:
        """Return the neighbour in a direction, or None at the edge."""
        part = self._parts[index]
        column, row = part.slice + across, part.mip + part.plane * self.mips + down
        if not (0 <= column < self.slices and 0 <= row < len(self.rows)):
            return None
        return self.index_of(self.rows[row], column)

    def _rows(self) -> list[MipRow]:
        rows: list[MipRow] = []
        y = 0.0
        planes = 1 + max((part.plane for part in self._parts), default=-1)
        for plane in range(planes):
            for mip in range(self.mips):
                part = self._parts[mip + plane * self.mips * self.slices]
                height = max(math.sqrt(part.rows / self._tallest) * _HEIGHT_MOST, _HEIGHT_LEAST)
                rows.append(MipRow(mip, plane, y, height, part.width, part.height))
                y += height + 4
            y += GAP
        return rows


@dataclass(frozen=True, slots=True)
class StripPart:
    """A part of the strip.

    Attributes:
        index: Subresource; −1 for a gap.
        first: First byte.
        end: Byte behind the last.
        padding: Bytes of it that hold no texel.
    """

    index: int
    first: int
    end: int
    padding: int = 0


def strip_of(parts: Sequence[SubresourceLayout], selected: int, size: int, most: int = 40) -> tuple[StripPart, ...]:
    """Return the subresources that lie around a selected one, in the order of their bytes, with the gaps between.

    Levels of the same slice and plane are shown from the selected one's mip − 1 on: larger ones would hide it.

    Args:
        parts: All subresources in index order.
        selected: Index of the selected one.
        size: Bytes of the whole.
        most: Most subresources.
    """
    if not parts:
        return ()
    chosen = parts[selected]
    near = [part for part in parts if (part.slice, part.plane) == (chosen.slice, chosen.plane)]
    near = sorted(near, key=lambda part: part.offset)
    at = next(i for i, part in enumerate(near) if part.index == selected)
    shown = near[max(at - 1, 0) : max(at - 1, 0) + most]
    found: list[StripPart] = []
    for part in shown:
        if found and found[-1].end < part.offset:
            found.append(StripPart(-1, found[-1].end, part.offset))
        found.append(StripPart(part.index, part.offset, part.offset + part.size_bytes, part.padding_bytes))
    if shown[-1].index == parts[-1].index and found[-1].end < size:
        found.append(StripPart(-1, found[-1].end, size))
    return tuple(found)
