"""What the tracks and the legend of the Timeline say: series, scales, numbers of one frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.units import format_bytes, format_ns
from explorer.render.timeline import PARTS
from explorer.render.timeline_axis import group_name, memory_scale
from explorer.ui.timeline_legend import Entry
from explorer.ui.timeline_overlay import TrackLabels

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.render.timeline import Buckets, FrameNumbers
    from explorer.ui.plot import Track
    from explorer.ui.theme import Theme

    Groups = tuple[tuple[int, str], ...]
    SizeOf = Callable[[int, str], int]

_USED_ALPHA = 0.28
TARGET_NS = 16_666_667
"""A frame of a 60 Hz display; longer frames are too late for it (VISUAL section 6)."""

PART_TOKENS = ("in_heaps", "page_in", "upload", "stall")
"""Colour of each part of a frame's time."""


def make_tracks(
    buckets: Buckets, groups: Groups, size_of: SizeOf, theme: Theme
) -> tuple[list[Track], tuple[TrackLabels, ...]]:
    """Return the tracks and what stands beside them: each group, bytes moved, frame time.

    Args:
        buckets: What is drawn.
        groups: ``(node, group)`` of each column of usage.
        size_of: Returns the bytes of a group's segments.
        theme: Colours.
    """
    tracks: list[Track] = []
    labels: list[TrackLabels] = []
    for column, (node, group) in enumerate(groups):
        track, label = _memory(buckets, column, size_of(node, group), group_name(node, group, groups), theme)
        tracks.append(track)
        labels.append(label)
    for track, label in (_moved(buckets, theme), _time(buckets, theme)):
        tracks.append(track)
        labels.append(label)
    return tracks, tuple(labels)


def _memory(buckets: Buckets, column: int, size: int, name: str, theme: Theme) -> tuple[Track, TrackLabels]:
    from explorer.ui.plot import Series, Track

    scale = memory_scale(buckets, column, size)
    used = buckets.used[:, column].astype(np.float64)
    series = [Series("area", buckets.edges, used, theme.colour("used", "series"), _USED_ALPHA)]
    if scale.limit_fits:
        budget = buckets.budget[:, column]
        budget = np.full(len(budget), float(size)) if np.isnan(budget).all() else budget
        series.append(Series("steps", buckets.edges, budget, theme.colour("budget", "series")))
    note = "" if scale.limit_fits or not scale.limit_text else f"{scale.limit_text}, beyond this scale"
    track = Track(tuple(series), 0.0, scale.top, 3 if column == 0 else 2)
    return track, TrackLabels(name, format_bytes(scale.told), "0 B", 1.0, note)


def _moved(buckets: Buckets, theme: Theme) -> tuple[Track, TrackLabels]:
    from explorer.ui.plot import Series, Track

    up, down = buckets.uploaded.astype(np.float64), -buckets.evicted.astype(np.float64)
    top, low = max(float(up.max(initial=0)), 1.0), min(float(down.min(initial=0)), -1.0)
    # One scale for both directions, or their bars could not be compared; the smaller side keeps a fifth.
    high, low = max(top, -low / 4), min(low, -top / 4)
    series = (
        Series("bars", buckets.edges, up, theme.colour("page_in", "series")),
        Series("bars", buckets.edges, down, theme.colour("evict", "series")),
    )
    label = TrackLabels("moved", f"in {format_bytes(int(up.max(initial=0)))}",
                        f"out {format_bytes(int(-down.min(initial=0)))}", high / (high - low))  # fmt: skip
    return Track(series, low, high), label


def _time(buckets: Buckets, theme: Theme) -> tuple[Track, TrackLabels]:
    from explorer.ui.plot import Series, Track

    time, stacked = buckets.frame_ns.astype(np.float64), buckets.stacked_ns.astype(np.float64)
    peak = max(float(time.max(initial=0)), 1.0)
    series = [Series("line", buckets.edges, time, theme.colour("text2"))]
    if stacked[:, :-1].any():
        # The whole first and its lower parts over it: what shows of each is its own share.
        parts = [
            Series("bars", buckets.edges, stacked[:, part], theme.colour(PART_TOKENS[part], "series"))
            for part in reversed(range(len(PARTS)))
        ]
        series = [*parts, *series]
    note = ""
    if peak >= TARGET_NS:
        target = np.full(len(time), float(TARGET_NS))
        series.append(Series("steps", buckets.edges, target, theme.colour("text3")))
        note = f"- - {format_ns(TARGET_NS)}, 60 frames/s"
    return Track(tuple(series), 0.0, peak * 1.06), TrackLabels("time", format_ns(peak), "0 ms", 1.0, note)


def make_entries(numbers: FrameNumbers | None, groups: Groups, size_of: SizeOf) -> tuple[Entry, ...]:
    """Return the legend with what a frame says.

    Args:
        numbers: The frame; None where none has run.
        groups: ``(node, group)`` of each column of usage.
        size_of: Returns the bytes of a group's segments.
    """
    entries: list[Entry] = []
    for column, (node, group) in enumerate(groups):
        value, look = "none yet", "plain"
        if numbers is not None:
            used, budget = numbers.used[column], numbers.budget[column]
            limit = budget if budget is not None else size_of(node, group)
            value = f"{format_bytes(used)} of {format_bytes(limit)}" if limit else format_bytes(used)
            look = "warn" if budget is not None and used > budget else "plain"
        entries.append(Entry("area", "used", group_name(node, group, groups), value, look))
    has_budget = numbers is None or any(budget is not None for budget in numbers.budget)
    entries.append(Entry("dash", "budget", "budget" if has_budget else "segment size", ""))
    moved = ("0 B", "0 B", "0 ms")
    if numbers is not None:
        moved = (format_bytes(numbers.uploaded), format_bytes(numbers.evicted), format_ns(numbers.frame_ns))
    entries.append(Entry("bar", "page_in", "moved in", moved[0]))
    entries.append(Entry("bar", "evict", "evicted", moved[1]))
    entries.append(Entry("line", "text2", "frame time", f"{moved[2]} est.", group="colour"))
    parts = numbers.parts_ns if numbers is not None else (0,) * len(PARTS)
    entries += [
        Entry("bar", token, name, format_ns(part), minor=True)
        for token, name, part in zip(PART_TOKENS, PARTS, parts, strict=True)
    ]
    return tuple(entries)


def time_facts(numbers: FrameNumbers) -> list[tuple[str, str]]:
    """Return the parts of a frame's time as lines; they add up to the last one."""
    lines = [(name, format_ns(part)) for name, part in zip(PARTS, numbers.parts_ns, strict=True)]
    return [*lines, ("Frame", f"{format_ns(numbers.frame_ns)} est.")]
