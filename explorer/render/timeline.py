"""The figures of every frame, ready to be drawn at any zoom: pyramids of maxima, runs of marks; no Qt.

A drawing of n pixels reads at most 2 n buckets, whatever the number of frames. Frames are counted as the window counts
them: frame f is the state after f frames, and row f − 1 of the history holds what that frame did (decision 100).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from explorer.core.columns import Int64
from explorer.core.events import EventKind

if TYPE_CHECKING:
    from explorer.sim.residency_history import ResidencyHistory
    from explorer.sim.snapshot import FrameHistory

_FIRST_ROWS = 256
_FIGURES = 6
"""Columns behind usage and budgets: evicted, uploaded, time, and the sums of its first three parts."""


PARTS = ("GPU", "transfer", "CPU", "stall")
"""The parts of a frame's time, in the order in which they are stacked."""

THRASH, LOSS, BUDGET, OVER, TRIM = "thrash", "loss", "budget", "over budget", "trim"
MARK_KINDS: dict[str, tuple[str, str]] = {
    EventKind.LRU_TO_MRU.value: (THRASH, "thrash"),
    EventKind.DEVICE_LOST.value: (LOSS, "device lost"),
    EventKind.DEVICE_REMOVED.value: (LOSS, "device removed"),
    EventKind.BUDGET_CHANGED.value: (BUDGET, "budget changed"),
    EventKind.OVER_BUDGET.value: (OVER, "over budget"),
    EventKind.TRIMMED.value: (TRIM, "trim"),
}
"""Event kind → (group of marks, words of its flag)."""


class MaxPyramid:
    """Maxima of 1, 2, 4, 8 … rows of a growing table; rows are appended, never changed.

    Args:
        columns: Columns of the table.
    """

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._rows = 0
        self._levels: list[Int64] = [np.zeros((_FIRST_ROWS, columns), np.int64)]

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._rows

    @property
    def levels(self) -> int:
        """How many levels there are; level k holds maxima of 2^k rows."""
        return len(self._levels)

    def append(self, rows: Int64) -> None:
        """Append rows, shape (n, columns), in O(n + log(rows)).

        Args:
            rows: int64 figures.
        """
        first, end = self._rows, self._rows + len(rows)
        if first == end:
            return
        self._store(0, first, rows)
        level, low, count = 0, first, end
        while count > 1:
            low, high = low >> 1, (count + 1) >> 1
            below = self._levels[level]
            pairs = below[2 * low : min(2 * high, count)]
            made = pairs[::2].copy()
            np.maximum(made[: len(pairs) // 2], pairs[1::2], out=made[: len(pairs) // 2])
            level += 1
            self._store(level, low, made)
            count = high
        self._rows = end

    def read(self, level: int, first: int, end: int) -> Int64:
        """Return the buckets of a level that cover rows ``first`` to ``end``, shape (n, columns); read-only."""
        end = min(end, self._rows)
        low, high = first >> level, ((end - 1) >> level) + 1 if end > 0 else 0
        part = self._levels[min(level, len(self._levels) - 1)][low:high].view()
        part.flags.writeable = False
        return part

    def row(self, index: int) -> Int64:
        """Return one row."""
        return self._levels[0][index]

    def _store(self, level: int, first: int, rows: Int64) -> None:
        if level == len(self._levels):
            self._levels.append(np.zeros((_FIRST_ROWS, self._columns), np.int64))
        held, need = self._levels[level], first + len(rows)
        if need > len(held):
            longer = np.zeros((max(2 * len(held), need), self._columns), np.int64)
            longer[:first] = held[:first]
            self._levels[level] = held = longer
        held[first:need] = rows


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """Maxima of equal runs of frames.

    Attributes:
        edges: int64, shape (n + 1,): frame counts where a bucket begins and the last one ends.
        used: int64, shape (n, groups): largest usage.
        budget: float64, shape (n, groups): smallest budget; NaN where a frame has none.
        evicted: int64, shape (n,).
        uploaded: int64, shape (n,).
        frame_ns: int64, shape (n,).
        stacked_ns: int64, shape (n, 4): the sum of ``PARTS`` up to each; the last one is ``frame_ns``. The largest sums
            of a bucket nest, so that the stack never passes the longest frame.
    """

    edges: Int64
    used: Int64
    budget: npt.NDArray[np.float64]
    evicted: Int64
    uploaded: Int64
    frame_ns: Int64
    stacked_ns: Int64


@dataclass(frozen=True, slots=True)
class FrameNumbers:
    """What one frame did.

    Attributes:
        frame: Frames run when it had ended.
        used: Usage of each group.
        budget: Budget of each group; None where there is none.
        evicted: Bytes evicted or demoted.
        uploaded: Bytes uploaded or paged in.
        frame_ns: Estimated time of the frame.
        marks: Words of what is marked at this frame.
        parts_ns: Estimated time of each of ``PARTS``.
    """

    frame: int
    used: tuple[int, ...]
    budget: tuple[int | None, ...]
    evicted: int
    uploaded: int
    frame_ns: int
    marks: tuple[str, ...]
    parts_ns: tuple[int, ...] = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Run:
    """Marked frames without a gap.

    Attributes:
        group: ``THRASH``, ``LOSS``, ``BUDGET``, ``OVER`` or ``TRIM``.
        text: Words of the flag.
        first: Frame count of the first marked frame.
        last: Frame count of the last one.
        rule: Id of the rule behind the first mark, or empty.
        note: What the event of the first mark says, or empty.
    """

    group: str
    text: str
    first: int
    last: int
    rule: str = ""
    note: str = ""


@dataclass(slots=True)
class _Marks:
    """Marked frames without a gap, of one kind; the last one moves on."""

    first: int
    last: int
    rule: str
    note: str


class Timeline:
    """The history of a run as it is drawn. It keeps what was seen when the run is sought back.

    Attributes:
        groups: ``(node, group)`` of each column of usage.
        cursor: Frames run in the newest snapshot.
        residency: Where the bytes of each heap and resource were, over all known frames; None before the first history.
    """

    def __init__(self) -> None:
        self.groups: tuple[tuple[int, str], ...] = ()
        self.cursor = 0
        self._key: object = None
        self._base: object = None
        self._marks_seen = 0
        self._pyramid = MaxPyramid(0)
        self._runs: dict[str, list[_Marks]] = {}
        self.residency: ResidencyHistory | None = None

    @property
    def frames(self) -> int:
        """Frames that are known: at least ``cursor``, more after seeking back."""
        return len(self._pyramid)

    def clear(self) -> None:
        """Forget everything."""
        self._reset((), None)
        self.cursor = 0
        self.residency = None

    def update(self, history: FrameHistory, key: object) -> None:
        """Take the history of a newer snapshot; only new rows are read where it continues the last one.

        Args:
            history: Rows up to the present frame.
            key: Changes with whatever makes another run of it: document, seed, options, edits.
        """
        rows = len(history.frame_ns)
        base = history.used.base if history.used.base is not None else history.used
        same_run = key == self._key and history.groups == self.groups
        self._keep_residency(history.residency, same_run=same_run)
        if same_run and base is self._base and rows >= self.cursor:
            self._extend(history, min(self.frames, rows))
        elif same_run and self._is_prefix(history, min(rows, self.frames)):
            self._base = base
            self._extend(history, min(self.frames, rows))
        else:
            self._reset(history.groups, key)
            self._base = base
            self._extend(history, 0)
        self.cursor = rows

    def numbers(self, frame: int) -> FrameNumbers | None:
        """Return what the frame did after which ``frame`` frames had run; None for 0 and unknown frames."""
        if not 0 < frame <= self.frames:
            return None
        row = [int(value) for value in self._pyramid.row(frame - 1)]
        count = len(self.groups)
        marks = [
            MARK_KINDS[kind][1]
            for kind, runs in self._runs.items()
            if any(run.first <= frame <= run.last for run in runs)
        ]
        budgets = tuple(None if value == 1 else -value for value in row[count : 2 * count])
        evicted, uploaded, time, *sums = row[2 * count :]
        parts = tuple(high - low for low, high in itertools.pairwise((0, *sums, time))) if any(sums) else (0, 0, 0, 0)
        return FrameNumbers(frame, tuple(row[:count]), budgets, evicted, uploaded, time, tuple(marks), parts)

    def buckets(self, first: float, end: float, pixels: int) -> Buckets:
        """Return maxima for a drawing.

        Args:
            first: Frame count at the left edge.
            end: Frame count at the right edge.
            pixels: Pixels between them, > 0; there are at most as many whole buckets as that.
        """
        level = self.level_for(end - first, pixels)
        count = len(self.groups)
        low = min(max(int(first), 0), self.frames)
        high = min(max(int(end) + 1, low), self.frames)
        part = self._pyramid.read(level, low, high) if high > low else np.zeros((0, 2 * count + _FIGURES), np.int64)
        start = low >> level
        edges = np.arange(start, start + len(part) + 1, dtype=np.int64) << level
        edges[-1] = min(int(edges[-1]), self.frames)
        budget = -part[:, count : 2 * count].astype(np.float64)
        budget[budget < 0] = np.nan
        evicted, uploaded, time = (part[:, 2 * count + at] for at in range(3))
        stacked = np.column_stack((part[:, 2 * count + 3 :], time))
        return Buckets(edges, part[:, :count], budget, evicted, uploaded, time, stacked)

    def level_for(self, frames: float, pixels: int) -> int:
        """Return the level whose buckets are at most as many as the pixels."""
        level = 0
        while frames / (1 << level) > pixels and level < self._pyramid.levels - 1:
            level += 1
        return level

    def runs(self, first: float, end: float, gap: float) -> tuple[Run, ...]:
        """Return the marked runs that touch a range, in order of their first frame.

        Args:
            first: Frame count at the left edge.
            end: Frame count at the right edge.
            gap: Runs of a kind that are so near are one: frames, the width of a few pixels.
        """
        found: list[Run] = []
        for kind, runs in self._runs.items():
            group, text = MARK_KINDS[kind]
            shown: list[Run] = []
            for one in runs:
                if one.last < first or one.first - 1 > end:
                    continue
                if shown and one.first - shown[-1].last <= max(gap, 1):
                    shown[-1] = replace(shown[-1], last=one.last)
                else:
                    shown.append(Run(group, text, one.first, one.last, one.rule, one.note))
            found += shown
        return tuple(sorted(found, key=lambda run: (run.first, run.group)))

    def next_mark(self, frame: int, step: int) -> int | None:
        """Return the frame where the next marked run begins in a direction (1 or −1); None beyond the last."""
        starts = sorted({run.first for runs in self._runs.values() for run in runs})
        if step > 0:
            return next((start for start in starts if start > frame), None)
        return next((start for start in reversed(starts) if start < frame), None)

    def _reset(self, groups: tuple[tuple[int, str], ...], key: object) -> None:
        self.groups, self._key = groups, key
        self._base, self._marks_seen = None, 0
        self._pyramid = MaxPyramid(2 * len(groups) + _FIGURES)
        self._runs = {}

    def _extend(self, history: FrameHistory, known: int) -> None:
        self._pyramid.append(_rows(history, known))
        if len(history.marks) < self._marks_seen:
            # Sought back: the later marks are known already.
            return
        notes = history.mark_notes or (("", ""),) * len(history.marks)
        for (row, kind), (rule, note) in zip(history.marks[self._marks_seen :], notes[self._marks_seen :], strict=True):
            if kind not in MARK_KINDS:
                continue
            frame, runs = row + 1, self._runs.setdefault(kind, [])
            if runs and frame - runs[-1].last <= 1:
                runs[-1].last = max(runs[-1].last, frame)
            else:
                runs.append(_Marks(frame, frame, rule, note))
        self._marks_seen = len(history.marks)

    def _is_prefix(self, history: FrameHistory, rows: int) -> bool:
        known = self._pyramid.read(0, 0, rows)
        return bool(np.array_equal(known, _rows(history, 0)[:rows]))

    def _keep_residency(self, history: ResidencyHistory, *, same_run: bool) -> None:
        """Take the changes of a newer snapshot, or keep those that reach on where the same run was sought back."""
        held = self.residency
        if held is None or not same_run or len(history) >= len(held) or not history.is_prefix_of(held):
            self.residency = history


def _rows(history: FrameHistory, first: int) -> Int64:
    """Return rows of the pyramid; budgets are negated, so that the largest of a bucket is its smallest budget."""
    rows = len(history.frame_ns)
    split = history.split_ns if len(history.split_ns) == rows else np.zeros((rows, len(PARTS)), np.int64)
    return np.column_stack(
        (
            history.used[first:],
            -history.budget[first:],
            history.evicted_bytes[first:],
            history.uploaded_bytes[first:],
            history.frame_ns[first:],
            np.cumsum(split[first:, :-1], axis=1),
        )
    ).astype(np.int64, copy=False)
