"""Defragmentation in bounded steps: each move copies one block to a lower place and then frees the old one.

A move never overlaps itself (old and new place are held at the same time), never touches a pinned range, and always
leads to an earlier heap or a lower offset; so every run ends.

- ``fast``: one pass, only into earlier heaps.
- ``balanced``: one pass, also within a heap, but only blocks that lie beside a hole (moving them joins holes).
- ``full``: every block, again and again until nothing can move.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from explorer.errors import CommandError, InputError
from explorer.memory.allocators.protocol import Allocator, Block, Placement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from explorer.core.spans import Span

DEFRAGMENTATION_MODES = ("fast", "balanced", "full")


@dataclass(frozen=True, slots=True)
class Move:
    """One block that changed its place.

    Attributes:
        from_heap: Id of the heap it left.
        from_offset: Offset of the resource there, in bytes.
        to_heap: Id of the heap it is in now.
        to_offset: Offset of the resource there, in bytes.
        size: Bytes of the resource, all of them copied.
    """

    from_heap: int
    from_offset: int
    to_heap: int
    to_offset: int
    size: int


@dataclass(frozen=True, slots=True)
class DefragmentationStep:
    """What one step did.

    Attributes:
        moves: In the order in which they were done.
        moved_bytes: Bytes copied.
        emptied: Heaps that hold nothing now and held something before.
        done: Whether nothing is left to do.
    """

    moves: tuple[Move, ...]
    moved_bytes: int
    emptied: tuple[int, ...]
    done: bool


class Defragmentation:
    """A run over one or more heaps, done step by step; allocations may come and go between steps.

    Args:
        heaps: Id → allocator, in the order in which they shall fill up.
        mode: One of ``DEFRAGMENTATION_MODES``.
        alignment_of: Alignment in bytes of the resource at (heap, offset), kept up to date between steps. None keeps
            the alignment that the offset happens to have, up to 64 KiB; who has larger alignments must say so.
        pinned: (heap, range): blocks that touch such a range stay, and nothing is moved into it.

    Raises:
        CommandError: No such mode.
    """

    def __init__(
        self,
        heaps: Mapping[int, Allocator],
        mode: str = "balanced",
        *,
        alignment_of: Callable[[int, int], int] | None = None,
        pinned: Iterable[tuple[int, Span]] = (),
    ) -> None:
        if mode not in DEFRAGMENTATION_MODES:
            raise CommandError("no such mode", where="mode", found=mode, accepted=DEFRAGMENTATION_MODES)
        self.heaps = heaps
        self.mode = mode
        self.pinned = tuple(pinned)
        self.done = False
        self._alignment_of = alignment_of or _natural_alignment
        self._order = list(heaps)
        # Alignments of what moved in this step: the caller cannot know the new places yet.
        self._moved_alignment: dict[tuple[int, int], int] = {}
        self._moved_in_pass = False
        # Where the run stands: position of the heap, and only blocks below the offset.
        self._position = len(self._order) - 1
        self._below: int | None = None
        # Blocks of the heap that are still to be tried in this pass, the highest last; made anew in each step.
        self._queue: list[Block] | None = None
        self._borders: set[int] = set()
        # Upper bounds that spare most searches: holes below what is still to be tried only shrink within a step.
        self._hole_starts: list[int] = []
        self._largest_up_to: list[int] = []
        self._largest_of: dict[int, int] = {}

    def step(self, max_bytes: int, max_moves: int) -> DefragmentationStep:
        """Do at most ``max_moves`` moves of at most ``max_bytes`` together.

        A block larger than ``max_bytes`` is passed over, for it could never move.

        Raises:
            InputError: A bound is not positive.
        """
        if max_bytes <= 0 or max_moves <= 0:
            raise InputError("a step must allow bytes and moves", where="step", found=(max_bytes, max_moves))
        moves: list[Move] = []
        left_bytes = max_bytes
        self._moved_alignment.clear()
        self._queue = None
        while not self.done and len(moves) < max_moves:
            found = self._next_move(max_bytes)
            if found is None:
                break
            move, block = found
            if move.size > left_bytes:
                break
            self._do(move, block)
            moves.append(move)
            left_bytes -= move.size
        left = dict.fromkeys(move.from_heap for move in moves)
        emptied = tuple(heap for heap in left if self.heaps[heap].live_count == 0)
        return DefragmentationStep(tuple(moves), max_bytes - left_bytes, emptied, self.done)

    def _next_move(self, max_bytes: int) -> tuple[Move, Block] | None:
        """Return the next possible move without doing it; None when the run is done."""
        while True:
            while self._position >= 0:
                heap = self._order[self._position]
                queue = self._queued(heap)
                while queue:
                    block = queue[-1]
                    beside = block.start in self._borders or block.end in self._borders
                    within = self.mode == "full" or (self.mode == "balanced" and beside)
                    move = self._planned(heap, block, within) if block.size <= max_bytes else None
                    if move is not None:
                        return move, block
                    queue.pop()
                    self._below = block.offset
                self._position -= 1
                self._below = self._queue = None
            if self.mode != "full" or not self._moved_in_pass:
                self.done = True
                return None
            self._moved_in_pass = False
            self._position = len(self._order) - 1

    def _queued(self, heap: int) -> list[Block]:
        if self._queue is None:
            self._queue = [
                block
                for block in self.heaps[heap].spans()
                if (self._below is None or block.offset < self._below)
                and not self._is_pinned(heap, block.start, block.end)
            ]
            self._look_at_holes(heap)
        return self._queue

    def _look_at_holes(self, heap: int) -> None:
        holes = self.heaps[heap].holes()
        self._hole_starts = [hole.offset for hole in holes]
        self._largest_up_to = list(accumulate((hole.size for hole in holes), max, initial=0))
        self._borders = {border for hole in holes for border in (hole.offset, hole.end)}
        earlier = self._order[: self._position]
        self._largest_of = {target: self.heaps[target].report().largest_free for target in earlier}

    def _may_hold(self, target: int, heap: int, block: Block) -> bool:
        if target != heap:
            return self._largest_of[target] >= block.size
        return self._largest_up_to[bisect_left(self._hole_starts, block.offset)] >= block.size

    def _is_pinned(self, heap: int, start: int, end: int) -> bool:
        return any(pinned == heap and span.offset < end and start < span.end for pinned, span in self.pinned)

    def _alignment(self, heap: int, offset: int) -> int:
        known = self._moved_alignment.get((heap, offset))
        return self._alignment_of(heap, offset) if known is None else known

    def _planned(self, heap: int, block: Block, within: bool) -> Move | None:
        """Return the move of a block into the first heap with room, or lower in its own if ``within``."""
        alignment = self._alignment(heap, block.offset)
        for target in self._order[: self._position + within]:
            if not self._may_hold(target, heap, block):
                continue
            planned = self.heaps[target].plan_lowest(block.size, alignment, kind=block.kind)
            if not isinstance(planned, Placement) or (target == heap and planned.offset >= block.offset):
                continue
            if not self._is_pinned(target, planned.start, planned.start + planned.kept):
                return Move(heap, block.offset, target, planned.offset, block.size)
        return None

    def _do(self, move: Move, block: Block) -> None:
        alignment = self._alignment(move.from_heap, move.from_offset)
        placed = self.heaps[move.to_heap].take_lowest(block.size, alignment, kind=block.kind)
        assert isinstance(placed, Placement)
        assert placed.offset == move.to_offset
        self.heaps[move.from_heap].free(move.from_offset)
        self._moved_alignment.pop((move.from_heap, move.from_offset), None)
        self._moved_alignment[move.to_heap, move.to_offset] = alignment
        self._moved_in_pass = True
        if self._queue is not None:
            self._queue.pop()
        self._below = block.offset


def _natural_alignment(heap: int, offset: int) -> int:
    del heap
    return min(offset & -offset, 65536) if offset else 65536
