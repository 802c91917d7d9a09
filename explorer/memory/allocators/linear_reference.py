"""Linear allocation in plain Python: a stack, two stacks that grow towards each other, or a ring.

Blocks are placed behind the newest one. Freed blocks become usable again once nothing newer (or, at the front of a
ring, nothing older) is live; in between they are locked. ``ring``: when the end is reached, new blocks go to the
freed front, and only there until the old run is gone. ``double-stack``: odd kinds come from the upper end.

Source: the linear algorithm as the documentation of VulkanMemoryAllocator describes it.
"""

from __future__ import annotations

from dataclasses import dataclass

from explorer.core.units import align_down, align_up
from explorer.errors import LayoutError
from explorer.memory.allocators.core import Held, ReferenceCore

LINEAR_MODES = ("stack", "double-stack", "ring")
"""Order of the mode numbers of the kernel."""


@dataclass(slots=True)
class Item:
    """A block of a run; freed ones stay as long as they are locked."""

    held: Held
    live: bool = True


@dataclass(frozen=True, slots=True)
class Region:
    """Where the next block can go.

    Attributes:
        start: First byte.
        limit: The byte after the last one.
        upper: Whether blocks are placed from the upper end.
        second: Whether blocks join the second run.
    """

    start: int
    limit: int
    upper: bool = False
    second: bool = False

    def place(self, size: int, alignment: int, at: int | None = None) -> int | None:
        """Return the offset of a block, or None; ``at`` is the first byte beyond the gap to another kind."""
        start = self.start if at is None else at
        if self.upper:
            offset = align_down(self.limit - size, alignment)
            return offset if offset >= start and size <= self.limit else None
        offset = align_up(start, alignment)
        return offset if offset + size <= self.limit else None


class LinearReference(ReferenceCore):
    """Two runs of blocks, each in the order of placing.

    Args:
        size: Bytes of the range.
        mode: One of ``LINEAR_MODES``.
        granularity: Page that kinds do not share.
    """

    def __init__(self, size: int, mode: str, granularity: int) -> None:
        super().__init__()
        self.size = size
        self.mode = mode
        self.granularity = granularity
        self.first: list[Item] = []
        self.second: list[Item] = []

    def runs(self) -> tuple[list[Item], list[Item]]:
        """Return both runs, locked blocks included."""
        return self.first, self.second

    def append(self, run: int, held: Held, *, live: bool) -> None:
        """Put a block behind the newest of a run (to rebuild a state)."""
        self.runs()[run].append(Item(held, live))
        if live:
            self.held[held.offset] = held

    def regions(self, kind: int) -> list[Region]:
        """Return where a block of a kind can go, in the order of trying, without the gaps between kinds."""
        low = _end(self.first)
        if self.mode == "double-stack":
            high = self.second[-1].held.start if self.second else self.size
            return [Region(low, high, upper=kind % 2 == 1, second=kind % 2 == 1)]
        if self.second:
            return [Region(_end(self.second), self.first[0].held.start, second=True)]
        found = [Region(low, self.size)]
        if self.mode == "ring" and self.first:
            found.append(Region(0, self.first[0].held.start, second=True))
        return found

    def bounded(self, region: Region, kind: int) -> Region:
        """Return the region without the pages that blocks of another kind use at its ends."""
        below, above = self._neighbours(region)
        start, limit, page = region.start, region.limit, self.granularity
        if below is not None and below.kind != kind:
            start = align_up(start, page)
        if above is not None and above.kind != kind:
            limit = align_down(limit, page)
        return Region(start, limit, region.upper, region.second)

    def _neighbours(self, region: Region) -> tuple[Held | None, Held | None]:
        if self.mode == "double-stack":
            return _last(self.first), _last(self.second)
        below = _last(self.second if region.second else self.first)
        return below, self.first[0].held if region.second else None

    def _find(self, size: int, alignment: int, kind: int) -> tuple[Region, Held] | None:
        for region in self.regions(kind):
            inner = self.bounded(region, kind)
            offset = inner.place(size, alignment)
            if offset is None:
                continue
            if region.upper:
                return region, Held(offset, region.limit - offset, offset, size, kind)
            return region, Held(region.start, offset + size - region.start, offset, size, kind)
        return None

    def plan(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the place behind the newest block."""
        found = self._find(size, alignment, kind)
        return None if found is None else found[1]

    def _take(self, size: int, alignment: int, kind: int) -> Held | None:
        found = self._find(size, alignment, kind)
        if found is None:
            return None
        (self.second if found[0].second else self.first).append(Item(found[1]))
        return found[1]

    def _free(self, held: Held) -> None:
        for run in (self.first, self.second):
            for item in run:
                if item.held is held:
                    item.live = False
            while run and not run[-1].live:
                run.pop()
        if self.mode == "ring":
            for run in (self.first, self.second):
                while run and not run[0].live:
                    del run[0]
            if not self.first:
                self.first, self.second = self.second, []

    def validate(self) -> None:
        """Raise LayoutError unless the runs hold just the live blocks and locked ones between them."""
        live = sorted(item.held for run in (self.first, self.second) for item in run if item.live)
        if live != sorted(self.held.values()):
            raise LayoutError("the runs do not hold just the live blocks")
        if any(run and not run[-1].live for run in (self.first, self.second)):
            raise LayoutError("a run ends with a freed block")

    def copy(self) -> LinearReference:
        """Return an independent copy."""
        twin = LinearReference(self.size, self.mode, self.granularity)
        self._copy_held_to(twin)
        twin.first = [Item(item.held, item.live) for item in self.first]
        twin.second = [Item(item.held, item.live) for item in self.second]
        return twin


def _end(run: list[Item]) -> int:
    return run[-1].held.start + run[-1].held.kept if run else 0


def _last(run: list[Item]) -> Held | None:
    return run[-1].held if run else None
