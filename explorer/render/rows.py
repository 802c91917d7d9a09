"""How a lane folds into rows: which rows there are, which are left out, and where each one stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.columns import Bools, Int64
from explorer.render.tokens import load_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.render.items import Items

LEAST_FOLD = 4
"""From this many empty rows in a row on they become one dashed line."""


@dataclass(frozen=True, slots=True)
class Measures:
    """Heights of the map's parts in logical pixels.

    Attributes:
        row: A row of a lane.
        gap: Between rows.
        track: The track of aliases above a row.
        fold: The line that stands for empty rows.
        header: The header of a lane.
        segment: The header of a segment.
        strip: The strip of a folded lane.
        lane_gap: Below a lane.
        gutter: Width left of the rows.
    """

    row: int
    gap: int
    track: int
    fold: int
    header: int
    segment: int
    strip: int
    lane_gap: int
    gutter: int

    @property
    def pitch(self) -> int:
        """From one row to the next, without a track."""
        return self.row + self.gap


def default_measures(row: int | None = None) -> Measures:
    """Return the measures of the design values; ``row`` replaces the row height, but not below the least one."""
    size = load_tokens().size
    height = size["map_row"] if row is None else max(size["map_row_min"], row)
    return Measures(height, size["map_row_gap"], size["alias_track"], 18, size["lane_header"], 28, size["gauge"], 8,
                    size["map_gutter"])  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of one lane as runs of equal ones.

    Attributes:
        row_bytes: Bytes of a row.
        count: Rows, folded ones included.
        first: First row of each run.
        y: Top of each run in logical pixels below the lane's header, one more entry for the bottom.
        pitch: From one row of the run to the next; the height of the whole run where it is folded.
        folded: Whether the run is one line for empty rows.
        track: Whether its rows have a track of aliases above them.
    """

    row_bytes: int
    count: int
    first: Int64
    y: Int64
    pitch: Int64
    folded: Bools
    track: Bools

    @property
    def height(self) -> int:
        """Logical pixels of all rows."""
        return int(self.y[-1])

    def run_of_row(self, row: int) -> int:
        """Return the run that holds a row."""
        return int(self.first.searchsorted(row, "right")) - 1

    def run_at(self, y: float) -> int:
        """Return the run at a height below the lane's header; the nearest one outside."""
        # Of one run there is no choice, and that is the usual case.
        if len(self.first) == 1:
            return 0
        return min(max(int(self.y.searchsorted(y, "right")) - 1, 0), len(self.first) - 1)

    def top_of(self, row: int) -> int:
        """Return where a row (with its track) begins below the lane's header; its fold where it is left out."""
        run = self.run_of_row(row)
        if self.folded[run]:
            return int(self.y[run])
        return int(self.y[run]) + (row - int(self.first[run])) * int(self.pitch[run])

    def row_at(self, y: float) -> int:
        """Return the row at a height below the lane's header (the first of a folded run)."""
        run = self.run_at(y)
        if self.folded[run]:
            return int(self.first[run])
        row = int(self.first[run]) + int(max(y - int(self.y[run]), 0) // int(self.pitch[run]))
        return min(row, self.last_of(run))

    def last_of(self, run: int) -> int:
        """Return the last row of a run."""
        return (int(self.first[run + 1]) if run + 1 < len(self.first) else self.count) - 1


def fold_rows(
    base: int,
    extent: int,
    row_bytes: int,
    items: Items,
    aliases: Items,
    measures: Measures,
    *,
    fold: bool = True,
    kept: Sequence[tuple[int, int]] = (),
) -> Rows:
    """Return the rows of the range ``[base, base + extent)`` of the map axis.

    Args:
        base: First byte.
        extent: Bytes, > 0.
        row_bytes: Bytes of a row, > 0.
        items: What lies on the axis.
        aliases: What lies over it.
        measures: Heights.
        fold: Whether runs of empty rows become one line.
        kept: Ranges of the map axis whose rows stay even if they are empty.
    """
    count = -(-extent // row_bytes)
    none = np.zeros(0, np.int64)
    empty_first, empty_end = (
        _empty_rows(base, extent, row_bytes, items, kept) if fold and count > LEAST_FOLD else (none, none)
    )
    track_first, track_end = _track_rows(base, extent, row_bytes, aliases)
    marks = np.unique(np.concatenate([[0], empty_first, empty_end, track_first, track_end]))
    first = marks[marks < count]
    folded = _inside(first, empty_first, empty_end)
    track = _inside(first, track_first, track_end)
    pitch = np.where(track, measures.pitch + measures.track, measures.pitch)
    rows = np.diff(np.append(first, count))
    height = np.where(folded, measures.fold, rows * pitch)
    y = np.zeros(len(first) + 1, np.int64)
    np.cumsum(height, out=y[1:])
    return Rows(row_bytes, count, first, y, np.where(folded, measures.fold, pitch), folded, track)


def _empty_rows(
    base: int, extent: int, row_bytes: int, items: Items, kept: Sequence[tuple[int, int]]
) -> tuple[Int64, Int64]:
    """Return first and end row of each run of at least ``LEAST_FOLD`` rows without an item."""
    part = items.between(base, base + extent)
    hole_start = np.append(0, items.reach[part] - base)
    hole_end = np.append(items.start[part] - base, extent)
    for low, high in kept:
        hole_start, hole_end = _cut(hole_start, hole_end, low - base, high - base)
    wide = hole_end - hole_start >= LEAST_FOLD * row_bytes
    hole_start, hole_end = hole_start[wide], hole_end[wide]
    first = -(-hole_start // row_bytes)
    # The last row may be short: it is empty if the hole reaches the end of the lane.
    end = np.where(hole_end >= extent, -(-extent // row_bytes), hole_end // row_bytes)
    keep = end - first >= LEAST_FOLD
    return first[keep], end[keep]


def _cut(start: Int64, end: Int64, low: int, high: int) -> tuple[Int64, Int64]:
    """Return sorted, disjoint ranges without ``[low, high)``."""
    left_end, right_start = np.minimum(end, max(low, 0)), np.maximum(start, high)
    starts, ends = np.concatenate([start, right_start]), np.concatenate([left_end, end])
    keep = ends > starts
    order = np.argsort(starts[keep], kind="stable")
    return starts[keep][order], ends[keep][order]


def _track_rows(base: int, extent: int, row_bytes: int, aliases: Items) -> tuple[Int64, Int64]:
    """Return first and end row of the merged ranges of rows that aliases touch."""
    part = aliases.between(base, base + extent)
    if part.start == part.stop:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    first = np.maximum(aliases.start[part] - base, 0) // row_bytes
    end = (np.minimum(aliases.reach[part] - base, extent) - 1) // row_bytes + 1
    opens = np.ones(len(first), np.bool_)
    opens[1:] = first[1:] > end[:-1]
    closes = np.append(opens[1:], True)
    return first[opens], end[closes]


def _inside(rows: Int64, first: Int64, end: Int64) -> Bools:
    if not len(first):
        return np.zeros(len(rows), np.bool_)
    index = np.searchsorted(first, rows, "right") - 1
    return (index >= 0) & (rows < end[index])
