"""The axes of the timeline: names of tracks, round frame counts, scales of bytes; no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.render.timeline import Buckets

_STEPS = (1, 2, 5)


def group_name(node: int, group: str, groups: Sequence[tuple[int, str]]) -> str:
    """Return ``LOCAL``, with the node where there are several."""
    return f"{group}, node {node}" if any(other != node for other, _ in groups) else group


def frame_ticks(first: float, end: float, most: int) -> tuple[int, ...]:
    """Return round frame counts inside a range, at most ``most`` + 1 of them."""
    span = max(end - first, 1.0)
    step = 1
    while span / step > max(most, 1):
        lead = int(str(step)[0])
        step = step // lead * (_STEPS[_STEPS.index(lead) + 1] if lead != _STEPS[-1] else 10)
    start = -(-int(np.ceil(first)) // step) * step
    return tuple(range(max(start, 0), int(end) + 1, step))


def nice_end(frames: int, total: int) -> int:
    """Return where the axis ends: a round count from the frames run on, so that it seldom moves.

    Args:
        frames: Frames that are known.
        total: Length of the scenario; 0 for an endless one.
    """
    end = 60
    while end < frames:
        lead = end // 10 ** (len(str(end)) - 1)
        end = end * 2 if lead != 2 else end // 2 * 5
    return min(end, max(total, frames, 1)) if total else end


@dataclass(frozen=True, slots=True)
class Scale:
    """The y axis of a memory track.

    Attributes:
        top: Bytes at the upper edge, > 0.
        told: Bytes that the label at the upper edge says: the budget, or the largest usage.
        limit_fits: False where the limit lies far above what is used; the text says how large it is.
        limit_text: ``budget 30.9 GiB``, ``size 64.0 MiB`` where there is no budget, or empty.
    """

    top: float
    told: int
    limit_fits: bool
    limit_text: str


_HEADROOM = 1.06
_FAR = 4
"""A limit beyond this many times the usage is told and not drawn: usage would be a flat line."""


def memory_scale(buckets: Buckets, column: int, size: int = 0) -> Scale:
    """Return the y axis for a group's column.

    Args:
        buckets: What is drawn.
        column: Column of the group.
        size: Bytes of the group's segments: the limit where there is no budget; 0 unknown.
    """
    used = float(buckets.used[:, column].max()) if len(buckets.used) else 0.0
    budgets = buckets.budget[:, column]
    known = budgets[~np.isnan(budgets)]
    limit, word = (float(known.max()), "budget") if len(known) else (float(size), "size")
    if not limit:
        return Scale(max(used * _HEADROOM, 1.0), int(used), False, "")
    text = f"{word} {format_bytes(int(known[-1]) if len(known) else size)}"
    if used and limit > _FAR * used:
        return Scale(used * _HEADROOM, int(used), False, text)
    return Scale(max(used, limit, 1.0) * _HEADROOM, int(max(used, limit)), True, text)
