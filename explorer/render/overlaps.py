"""Which of overlapping blocks own the bytes of their row, and which lie above as aliases."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from explorer.core.columns import Bools, Int64

Pieces: TypeAlias = list[tuple[int, int, int]]
"""(start, end, index of the range)."""


def split_overlaps(start: Int64, end: Int64, inactive: Bools) -> tuple[Int64, Int64, Int64, Bools]:
    """Return disjoint pieces that cover every range, and which ranges are aliases.

    Args:
        start: First bytes, sorted.
        end: Ends, > start.
        inactive: Ranges that own bytes only where no other one does.

    Returns:
        Index of the range of each piece, its start and its end, all int64 and sorted by start; bool, shape
        (ranges,): True for ranges that do not own all of their bytes.
    """
    reach = np.maximum.accumulate(end)
    opens = np.ones(len(start), np.bool_)
    opens[1:] = start[1:] >= reach[:-1]
    first = np.flatnonzero(opens)
    stop = np.append(first[1:], len(start))
    many = stop - first > 1
    alone = first[~many]
    alias = np.zeros(len(start), np.bool_)
    pieces: Pieces = []
    for low, high in zip(map(int, first[many]), map(int, stop[many]), strict=True):
        pieces += _split_cluster(start, end, inactive, low, high, alias)
    split = np.array(pieces, np.int64).reshape(-1, 3)
    which = np.concatenate([alone, split[:, 2]])
    piece_start = np.concatenate([start[alone], split[:, 0]])
    piece_end = np.concatenate([end[alone], split[:, 1]])
    order = np.argsort(piece_start, kind="stable")
    return which[order], piece_start[order], piece_end[order], alias


def _split_cluster(start: Int64, end: Int64, inactive: Bools, low: int, high: int, alias: Bools) -> Pieces:
    starts, ends = [int(value) for value in start[low:high]], [int(value) for value in end[low:high]]
    owners: Pieces = []
    rest: list[int] = []
    reach = 0
    for index in range(high - low):
        if starts[index] >= reach and not inactive[low + index]:
            owners.append((starts[index], ends[index], low + index))
            reach = ends[index]
        else:
            rest.append(index)
    fillers: Pieces = []
    filled = 0
    owner_starts = [owner[0] for owner in owners]
    for index in rest:
        parts = _uncovered(max(starts[index], filled), ends[index], owners, owner_starts)
        filled = max(filled, ends[index])
        fillers += [(first, stop, low + index) for first, stop in parts]
        alias[low + index] = parts != [(starts[index], ends[index])]
    return owners + fillers


def _uncovered(first: int, stop: int, owners: Pieces, owner_starts: list[int]) -> list[tuple[int, int]]:
    """Return the parts of ``[first, stop)`` under no owner, in order."""
    parts: list[tuple[int, int]] = []
    at = max(bisect.bisect_right(owner_starts, first) - 1, 0)
    while first < stop:
        while at < len(owners) and owners[at][1] <= first:
            at += 1
        if at == len(owners) or owners[at][0] >= stop:
            parts.append((first, stop))
            break
        if owners[at][0] > first:
            parts.append((first, owners[at][0]))
        first = owners[at][1]
    return parts
