"""A slot grid with its marks as pixels: work is bounded by the pixels, however many slots and tables there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from explorer.core.columns import Bools, Bytes8, Int32
from explorer.render.slot_uses import (
    COPIED_OUT,
    EARLIER,
    FREE,
    GIVEN_OUT,
    NO_COPY,
    NO_HAZARD,
    PENDING,
    SlotCover,
)
from explorer.render.slots import ACROSS, EMPTY, LOOKS, NULL, SlotColours, paint_slots, slot_colours
from explorer.render.tokens import pack

if TYPE_CHECKING:
    from explorer.render.looks import Pixels
    from explorer.render.slot_uses import HeapUses
    from explorer.render.slots import SlotGrid
    from explorer.render.tokens import Palette

_PALE = 0.28
"""How much of the colour of a slot is left that its allocator has not given out."""

_LEAST_HAZARD = 5
"""Pixels of a hazard on the line of a whole heap."""

_DASH = 3
"""Device pixels of a dash and of the space behind it, at one device pixel for each logical one."""


@dataclass(frozen=True, slots=True, eq=False)
class MarkColours:
    """Pixels of the marks for one theme.

    Attributes:
        line: Outlines of tables.
        halo: Beside them.
        hazard: Hazards.
        copy: The ground between copied slots.
        staged: Frame of a descriptor that no shader sees.
        empty: Fill of an empty slot.
    """

    line: int
    halo: int
    hazard: int
    copy: int
    staged: int
    empty: int


def mark_colours(palette: Palette) -> MarkColours:
    """Return the colours of the marks of a theme."""
    return MarkColours(
        line=pack(palette.descriptor["referenced"]),
        halo=pack(palette.map["base"]),
        hazard=pack(palette.descriptor["hazard"]),
        copy=pack(palette.colour["accent"]),
        staged=pack(palette.descriptor["staged"]),
        empty=pack(palette.map["free"]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class GridCover:
    """What lies over the rows in view, each array of shape (rows, 64); ``above`` and ``below`` are the rows around.

    Attributes:
        cover: As ``SlotCover``, by rows.
        above: Range rows of the 64 slots before the first row, −1 none.
        below: Range rows of the 64 slots behind the last row.
    """

    cover: SlotCover
    above: Int32
    below: Int32


def cover_rows(uses: HeapUses, grid: SlotGrid, first_row: int, rows: int) -> GridCover:
    """Return what lies over rows of a grid."""
    starts = [grid.first_slot(row) for row in range(first_row, min(first_row + rows, len(grid)))]
    none = np.full(ACROSS, -1, np.int32)
    if not starts:
        return GridCover(_shaped(uses.cover(0, 0), 0), none, none)
    if grid.stale_only:
        parts = [uses.cover(start, start + ACROSS) for start in starts]
        names = SlotCover.__dataclass_fields__
        whole = SlotCover(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})
        # The rows around are other rows of the heap: every row is closed by itself.
        return GridCover(_shaped(whole, len(starts)), none, none)
    first, end = starts[0], starts[-1] + ACROSS
    whole = uses.cover(first, end)
    above = uses.cover(first - ACROSS, first).range_row if first else none
    return GridCover(_shaped(whole, len(starts)), above, uses.cover(end, end + ACROSS).range_row)


def _shaped(cover: SlotCover, rows: int) -> SlotCover:
    names = SlotCover.__dataclass_fields__
    return SlotCover(**{name: getattr(cover, name).reshape(rows, ACROSS) for name in names})


# The parts of a cell's code: what it looks like and which marks it has. Equal codes are equal pixels.
_BITS = {"look": 5, "pale": 1, "copy": 2, "edges": 4, "range": 2, "captured": 1, "hazard": 2}
_STATIC, _VOLATILE = 1, 2
_SIDES = ("top", "bottom", "left", "right")


class SlotStamps:
    """Paints rows of slots from the pictures of single cells, which are made once for each different look.

    Args:
        palette: Of the theme.
        cell: Side of a cell in device pixels, > 0.
        gap: Device pixels between cells.
        faded: Fade all but stale slots.
        staged: Descriptors of the heap are seen by no shader.
    """

    def __init__(self, palette: Palette, cell: int, gap: int, *, faded: bool = False, staged: bool = False) -> None:
        self._cell, self._gap, self._staged = cell, gap, staged
        self._marks = mark_colours(palette)
        self._plain = slot_colours(palette, faded=faded)
        self._pale = SlotColours(
            _mixed(self._plain.fill, self._marks.empty), _mixed(self._plain.line, self._marks.empty), self._plain.base
        )
        # Behind the end of the heap is nothing to fade.
        self._pale.fill[LOOKS] = self._plain.fill[LOOKS]
        self._made: dict[int, Pixels] = {}

    def __len__(self) -> int:
        """Return how many different cells were made."""
        return len(self._made)

    def paint(self, looks: Bytes8, grid_cover: GridCover) -> Pixels:
        """Paint rows of slots.

        Args:
            looks: Shape (rows, 64).
            grid_cover: What lies over them.

        Returns:
            uint32 pixels, shape (rows × (cell + gap), 64 × (cell + gap)).
        """
        pitch = self._cell + self._gap
        codes = _codes(looks, grid_cover)
        unique, which = np.unique(codes, return_inverse=True)
        stamps = np.stack([self._stamp(code) for code in unique.tolist()])
        which = which.reshape(codes.shape)
        rows, columns = codes.shape
        pixels = np.empty((rows, pitch, columns, pitch), np.uint32)
        for line in range(pitch):
            pixels[:, line] = stamps[:, line][which]
        return pixels.reshape(rows * pitch, columns * pitch)

    def _stamp(self, code: int) -> Pixels:
        made = self._made.get(code)
        if made is None:
            made = self._made[code] = self._make(code)
        return made

    def _make(self, code: int) -> Pixels:
        parts: dict[str, int] = {}
        for name, bits in _BITS.items():
            parts[name] = code & ((1 << bits) - 1)
            code >>= bits
        cell, gap, marks = self._cell, self._gap, self._marks
        look = parts["look"]
        colours = self._pale if parts["pale"] else self._plain
        stamp = paint_slots(np.full((1, 1), look, np.uint8), colours, cell, gap)
        thick = max(cell // 10, 1)
        inside = stamp[:cell, :cell]
        if self._staged and EMPTY < look < NULL:
            inside[_frame(cell, 2 * thick)] = marks.staged
        if parts["copy"]:
            stamp[_ground(cell, gap, dotted=parts["copy"] == COPIED_OUT)] = marks.copy
        if parts["range"]:
            _outline(inside, parts["edges"], marks, thick, is_static=parts["range"] == _STATIC)
        if parts["captured"]:
            inside[_corner(cell, "lower")] = marks.line
        if parts["hazard"] == PENDING:
            inside[_frame(cell, 3 * thick)] = marks.halo
            inside[_frame(cell, 2 * thick)] = marks.hazard
        if parts["hazard"]:
            inside[_corner(cell, "upper")] = marks.hazard
        return stamp


def _codes(looks: Bytes8, grid_cover: GridCover) -> Int32:
    """Return one number for each cell: everything that its pixels follow from."""
    cover = grid_cover.cover
    row = cover.range_row
    inside = row >= 0
    edge = np.ones((len(row), 1), np.bool_)
    across = row[:, 1:] != row[:, :-1]
    borders = (
        row != np.vstack((grid_cover.above[None, :], row))[:-1],
        row != np.vstack((row, grid_cover.below[None, :]))[1:],
        np.hstack((edge, across)),
        np.hstack((across, edge)),
    )
    edges = np.zeros(row.shape, np.int32)
    for at, border in enumerate(borders):
        edges |= (border & inside).astype(np.int32) << at
    is_slot = looks < LOOKS
    parts: dict[str, npt.NDArray[np.generic]] = {
        "look": looks,
        "pale": (cover.given == FREE) & is_slot,
        "copy": np.where(is_slot, cover.copy, NO_COPY),
        "edges": edges,
        "range": np.where(inside, np.where(cover.is_static, _STATIC, _VOLATILE), 0),
        "captured": cover.captured & is_slot,
        "hazard": cover.hazard,
    }
    codes, shift = np.zeros(row.shape, np.int32), 0
    for name, bits in _BITS.items():
        codes |= parts[name].astype(np.int32) << shift
        shift += bits
    return codes


def _outline(inside: Pixels, edges: int, marks: MarkColours, thick: int, *, is_static: bool) -> None:
    """Paint the borders of a range: solid where it is static, dashed where it is volatile, with a halo inside."""
    cell = len(inside)
    dashes = np.arange(cell) // (_DASH * thick) % 2 == 0
    line = 2 * thick
    for width, colour in ((line + thick, marks.halo), (line, marks.line)):
        for at, side in enumerate(_SIDES):
            if edges >> at & 1:
                mask = _side(cell, side, width)
                if not is_static and colour == marks.line:
                    mask &= dashes[None, :] if side in ("top", "bottom") else dashes[:, None]
                inside[mask] = colour


def _ground(cell: int, gap: int, *, dotted: bool) -> Bools:
    """Return the ground right of and below a cell, or every third of it."""
    mask = np.ones((cell + gap, cell + gap), np.bool_)
    mask[:cell, :cell] = False
    if dotted:
        down, across = np.indices(mask.shape)
        mask &= (down + across) // max(gap, 1) % 3 == 0
    return mask


def _side(cell: int, side: str, width: int) -> Bools:
    mask = np.zeros((cell, cell), np.bool_)
    if side in ("top", "bottom"):
        mask[slice(width) if side == "top" else slice(cell - width, cell)] = True
    else:
        mask[:, slice(width) if side == "left" else slice(cell - width, cell)] = True
    return mask


def _frame(cell: int, width: int) -> Bools:
    mask = np.ones((cell, cell), np.bool_)
    mask[width : cell - width, width : cell - width] = False
    return mask


def _corner(cell: int, which: str) -> Bools:
    """Return a filled triangle in the upper or lower right corner, half a cell wide."""
    down, across = np.indices((cell, cell))
    reach = max(cell // 2, 2)
    return (across - down >= cell - reach) if which == "upper" else (across + down >= 2 * cell - reach - 1)


def _mixed(colours: Pixels, ground: int) -> Pixels:
    """Return pixels laid over a ground at the strength of pale slots."""
    share = round(255 * _PALE)
    found = np.full(colours.shape, 0xFF000000, np.uint32)
    for shift in (16, 8, 0):
        over, under = colours >> shift & 255, np.uint32(ground >> shift & 255)
        found |= (over * share + under * (255 - share) + 127) // 255 << shift
    return found


@dataclass(frozen=True, slots=True, eq=False)
class StripMarks:
    """Where on the line of a whole heap something lies, bool, one element for each pixel.

    Attributes:
        tables: Read by a table.
        copies: Copied in or out.
        pending: A hazard that a list still suffers from, at least five pixels wide.
        earlier: A hazard that is over, at least five pixels wide.
        pale: Not one slot is given out.
    """

    tables: Bools
    copies: Bools
    pending: Bools
    earlier: Bools
    pale: Bools


def strip_marks(uses: HeapUses, width: int) -> StripMarks:
    """Return the marks on the line of a whole heap.

    Args:
        uses: What happens in the heap.
        width: Pixels, > 0.
    """
    told, slots = uses.snapshot.descriptor_uses, len(uses.heap.kind)
    is_pending = told.hazards.is_pending[uses.hazards]

    def line(first: Int32, count: Int32, rows: npt.NDArray[np.int64], least: int = 1) -> Bools:
        return _line(first[rows], count[rows], slots, width, least)

    copies = line(told.copies.first, told.copies.count, uses.copies_in)
    copies |= line(told.copies.source_first, told.copies.count, uses.copies_out)
    given = line(told.given_out.first, told.given_out.count, uses.given)
    return StripMarks(
        tables=line(told.ranges.first, told.ranges.count, uses.ranges),
        copies=copies,
        pending=line(told.hazards.first, told.hazards.count, uses.hazards[is_pending], _LEAST_HAZARD),
        earlier=line(told.hazards.first, told.hazards.count, uses.hazards[~is_pending], _LEAST_HAZARD),
        pale=~given if uses.allocator >= 0 else np.zeros(width, np.bool_),
    )


def _line(first: Int32, count: Int32, slots: int, width: int, least: int) -> Bools:
    begins = first.astype(np.int64) * width // max(slots, 1)
    ends = -(-(first.astype(np.int64) + count) * width // max(slots, 1))
    ends = np.minimum(np.maximum(ends, begins + least), width)
    begins = np.minimum(begins, np.maximum(ends - least, 0))
    steps = np.zeros(width + 1, np.int64)
    np.add.at(steps, begins, 1)
    np.add.at(steps, ends, -1)
    return np.cumsum(steps[:-1]) > 0


def mark_swatch(palette: Palette, mark: str, side: int) -> Pixels:
    """Return a cell of a texture with a mark, for legends.

    Args:
        palette: Of the theme.
        mark: ``static volatile hazard earlier captured copied staged pale``.
        side: Pixels.

    Returns:
        uint32, shape (side, side).
    """
    stamps = SlotStamps(palette, side, 0, staged=mark == "staged")
    one = np.zeros((1, 1), np.int32)
    cover = SlotCover(
        range_row=one if mark in ("static", "volatile") else one - 1,
        is_static=one == (0 if mark == "static" else 1),
        hazard=np.full((1, 1), {"hazard": PENDING, "earlier": EARLIER}.get(mark, NO_HAZARD), np.uint8),
        copy=np.full((1, 1), NO_COPY, np.uint8),
        given=np.full((1, 1), FREE if mark == "pale" else GIVEN_OUT, np.uint8),
        captured=one == (0 if mark == "captured" else 1),
    )
    none = np.full(1, -1, np.int32)
    pixels = stamps.paint(np.ones((1, 1), np.uint8), GridCover(cover, none, none))
    if mark == "copied":
        # There is no ground round a swatch: a frame stands for it.
        pixels[_frame(side, max(side // 10, 1))] = mark_colours(palette).copy
    return pixels
