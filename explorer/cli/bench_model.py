"""What a row of ``bench`` is, and how it is measured: contenders alternate, the value is the median."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from explorer.errors import ExplorerError

DEFAULT_ROUNDS = 5


class CannotRunError(ExplorerError):
    """A row cannot be measured here; the message says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """A promise about the ratio of a row to its yardstick.

    Attributes:
        op: ``<=`` or ``>=``.
        ratio: Bound of value ÷ yardstick.
    """

    op: str
    ratio: float

    def met(self, ratio: float) -> bool:
        """Return whether a ratio keeps the promise."""
        return ratio <= self.ratio if self.op == "<=" else ratio >= self.ratio


@dataclass(frozen=True, slots=True)
class Contenders:
    """What a row measures.

    Attributes:
        ours: Does the work once and returns the figure.
        yardstick: The same for what it is compared with; None where there is none.
        fixed: A fixed figure to compare with instead.
    """

    ours: Callable[[], float]
    yardstick: Callable[[], float] | None = None
    fixed: float | None = None


@dataclass(frozen=True, slots=True)
class BenchRow:
    """A row of the table.

    Attributes:
        id: Id (CLI contract, section 8).
        what: What is measured.
        unit: Unit of the figures.
        prepare: Sets up and returns the contenders; raises ``CannotRunError`` where it cannot run.
        against: What the yardstick is; empty for none.
        target: What is promised, or None.
        rounds: Rounds instead of the default, where one takes long; 0 for the default.
    """

    id: str
    what: str
    unit: str
    prepare: Callable[[], Contenders]
    against: str = ""
    target: Target | None = None
    rounds: int = 0


def measure(row: BenchRow, rounds: int | None) -> dict[str, Any]:
    """Return a row of ``bench --json``.

    Args:
        row: What to measure.
        rounds: Rounds; None for the row's own number.
    """
    count = rounds or row.rounds or DEFAULT_ROUNDS
    target = None if row.target is None else {"op": row.target.op, "ratio": row.target.ratio}
    body: dict[str, Any] = {
        "id": row.id, "what": row.what, "value": None, "unit": row.unit, "yardstick": None, "ratio": None,
        "target": target, "met": None, "rounds": 0, "min": None, "max": None, "skipped": None,
    }  # fmt: skip
    try:
        contenders = row.prepare()
        ours, theirs = _alternate(contenders, count)
    except CannotRunError as error:
        return body | {"skipped": error.complaint.message}
    value = statistics.median(ours)
    body |= {"value": value, "rounds": count, "min": min(ours), "max": max(ours)}
    yardstick = statistics.median(theirs) if theirs else contenders.fixed
    if yardstick is not None:
        body["yardstick"] = {"what": row.against, "value": yardstick, "unit": row.unit}
        if yardstick:
            body["ratio"] = value / yardstick
            body["met"] = None if row.target is None else row.target.met(value / yardstick)
    return body


def timed(work: Callable[[], object], scale: float) -> Callable[[], float]:
    """Return a callable that does the work once and returns its wall time in seconds × ``scale``."""

    def run() -> float:
        began = time.perf_counter_ns()
        work()
        return (time.perf_counter_ns() - began) / 1e9 * scale

    return run


def _alternate(contenders: Contenders, rounds: int) -> tuple[list[float], list[float]]:
    ours: list[float] = []
    theirs: list[float] = []
    # One round for compiled kernels, caches and imports, then the ones that count.
    contenders.ours()
    if contenders.yardstick is not None:
        contenders.yardstick()
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            ours.append(contenders.ours())
            if contenders.yardstick is not None:
                theirs.append(contenders.yardstick())
    finally:
        if was_on:
            gc.enable()
    return ours, theirs
