"""Which text fits into a block, after the rules of the visual language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Measure: TypeAlias = Callable[[str], float]
"""Width of a text in logical pixels."""

LEFT = 6
"""From the left edge of the block to the name."""

_APART = 20
_LEAST_WIDTH = 64
_LEAST_CHARACTERS = 8
_LEAST_SHARE = 0.55
_CONTINUED_FROM = 120


@dataclass(frozen=True, slots=True)
class Label:
    """What a block says.

    Attributes:
        name: At the left; may be shortened in the middle.
        size: At the right, or empty.
    """

    name: str
    size: str = ""


def fit_label(name: str, size: str, width: float, measure_name: Measure, measure_size: Measure) -> Label | None:
    """Return what fits into a block, or None for nothing.

    Args:
        name: Name of the resource.
        size: Its bytes as text.
        width: Logical pixels of the block.
        measure_name: Width of a text in the font of names.
        measure_size: Width of a text in the font of sizes.
    """
    room = width - 2 * LEFT
    if room <= 0 or not name:
        return None
    wide = measure_name(name)
    if size and wide + measure_size(size) + _APART <= width:
        return Label(name, size)
    if wide <= room:
        return Label(name)
    short = shorten(name, room, measure_name)
    return Label(short) if short and width >= _LEAST_WIDTH else None


def fit_continued(name: str, width: float, measure_name: Measure) -> Label | None:
    """Return ``… name`` for a further part of a block that is wide enough, else None."""
    if width <= _CONTINUED_FROM:
        return None
    text = f"… {name}"
    return Label(text) if measure_name(text) <= width - 2 * LEFT else None


def shorten(name: str, room: float, measure: Measure) -> str:
    """Return a name with its middle left out, as long as fits; empty where too little would survive.

    The end is kept longer than the start: numbered names differ there.
    """
    low, high = 0, len(name) - 1
    while low < high:
        kept = (low + high + 1) // 2
        if measure(_cut(name, kept)) <= room:
            low = kept
        else:
            high = kept - 1
    if low < _LEAST_CHARACTERS or low < _LEAST_SHARE * len(name):
        return ""
    return _cut(name, low)


def _cut(name: str, kept: int) -> str:
    head = kept // 2
    tail = kept - head
    return f"{name[:head]}…{name[len(name) - tail :]}"
