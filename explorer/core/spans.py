"""Byte ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of bytes ``[offset, offset + size)``.

    Attributes:
        offset: First byte, >= 0.
        size: Length in bytes, >= 0.
    """

    offset: int
    size: int

    @property
    def end(self) -> int:
        """The byte after the last one."""
        return self.offset + self.size

    def overlaps(self, other: Span) -> bool:
        """Return whether the two share at least one byte."""
        return self.offset < other.end and other.offset < self.end

    def contains(self, offset: int) -> bool:
        """Return whether the byte at ``offset`` lies in the span."""
        return self.offset <= offset < self.end


def union_bytes(spans: Iterable[Span]) -> int:
    """Return how many bytes lie under at least one span: shared bytes count once."""
    total = 0
    end = 0
    for span in sorted(spans):
        if span.end > end:
            total += span.end - max(span.offset, end)
            end = span.end
    return total


def gaps(spans: Iterable[Span], size: int) -> list[Span]:
    """Return the ranges of ``[0, size)`` under no span, in order."""
    holes: list[Span] = []
    end = 0
    for span in sorted(spans):
        if span.offset > end:
            holes.append(Span(end, min(span.offset, size) - end))
        end = max(end, span.end)
        if end >= size:
            break
    if end < size:
        holes.append(Span(end, size - end))
    return holes
