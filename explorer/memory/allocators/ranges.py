"""An allocator over one range: turns what a core holds into placements, refusals and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.spans import Span
from explorer.core.units import align_up
from explorer.errors import InputError, LayoutError
from explorer.memory.allocators.core import HeldColumns
from explorer.memory.allocators.protocol import (
    AllocatorReport,
    Block,
    Column,
    Operations,
    Placement,
    Refusal,
    ReplayResult,
    check_kind,
    check_request,
)
from explorer.memory.kernels import kernels_ready

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.memory.allocators.core import Core, Held

MAX_RANGE_BYTES = 1 << 61
"""Largest range: aligning an offset up must stay within signed 64 bit."""

WORK_BEFORE_KERNELS = 4096
"""Operations that an allocator does in plain Python before it asks for kernels."""


class RangeAllocator:
    """Base of all allocators; a subclass says which core it runs and how its search is limited.

    Args:
        allocator_id: Id as on the command line.
        size: Bytes of the range, 1 … 2^61.
        core: The plain-Python reference.
        compile_core: Makes the compiled core in the state of the given one; None where there is none.
        granularity: Blocks of different kinds never share a page of so many bytes (a power of two; 1 = no rule).
        least: Bytes that every block holds at least.

    Attributes:
        may_compile: Whether kernels may take over by themselves once they are ready and there is enough to do.
    """

    own_reason = "alloc.rounding"

    def __init__(
        self,
        allocator_id: str,
        size: int,
        core: Core,
        *,
        compile_core: Callable[[Core], Core] | None = None,
        granularity: int = 1,
        least: int = 1,
    ) -> None:
        self.id = allocator_id
        self.size = size
        self.granularity = granularity
        self._core = core
        self._compile_core = compile_core
        check_request(least, 1, where="least")
        self._least_bytes = min(least, size + 1)
        # Cores know what is held; what was asked for is kept here where that is less. Entries of freed blocks may
        # stay until their offset is used again.
        self._asked: dict[int, int] = {}
        self.may_compile = True
        self._work = 0
        # Bytes and blocks held; None after a batch, until somebody asks.
        self._held: tuple[int, int] | None = (0, 0)

    @property
    def compiled(self) -> bool:
        """Whether kernels do the work (False until they are compiled)."""
        return self._core.compiled

    @property
    def free_bytes(self) -> int:
        """Bytes in holes, as in ``report``, without looking at the blocks."""
        return self.size - self.tail_bytes - self._totals()[0]

    @property
    def live_count(self) -> int:
        """Live blocks, as in ``report``, without looking at them."""
        return self._totals()[1]

    def use_kernels(self) -> None:
        """Go on with the compiled core, in the same state; compiles it now if need be."""
        if self._compile_core is not None and not self._core.compiled:
            self._core = self._compile_core(self._core)

    def plan(self, size: int, alignment: int = 1, *, kind: int = 0) -> Placement | Refusal:
        """Return what ``take`` would answer, without taking."""
        return self._answer(self._core.plan, size, alignment, kind)

    def take(self, size: int, alignment: int = 1, *, kind: int = 0) -> Placement | Refusal:
        """Take ``size`` bytes at a multiple of ``alignment``; InputError for a malformed request."""
        self._note_work(1)
        return self._counted(self._answer(self._core.take, size, alignment, kind))

    def plan_lowest(self, size: int, alignment: int = 1, *, kind: int = 0) -> Placement | Refusal:
        """Return the lowest place, where the algorithm can place anywhere in a hole; else as ``plan``."""
        return self._answer(self._core.plan_lowest, size, alignment, kind)

    def take_lowest(self, size: int, alignment: int = 1, *, kind: int = 0) -> Placement | Refusal:
        """Take the place of ``plan_lowest`` (defragmentation moves blocks down so)."""
        return self._counted(self._answer(self._core.take_lowest, size, alignment, kind))

    def free(self, offset: int) -> None:
        """Give back the block whose resource starts at ``offset``; LayoutError when nothing lives there."""
        self._note_work(1)
        self._uncount(self._core.free(offset))

    def assign(self, offset: int, slot: int) -> None:
        """Let batches know the block whose resource starts at ``offset`` by a slot.

        Raises:
            LayoutError: Nothing lives there, or the slot holds another block.
        """
        self._core.assign(offset, slot)

    def free_slot(self, slot: int) -> None:
        """Give back the block of a slot; LayoutError when it holds none."""
        self._note_work(1)
        self._uncount(self._core.free_slot(slot))

    def _uncount(self, held: Held) -> None:
        if self._held is not None:
            self._held = self._held[0] - held.kept, self._held[1] - 1

    def replay(self, operations: Operations, *, events: bool = False) -> ReplayResult:
        """Apply a batch; slots stay known to later batches. InputError for malformed columns."""
        self._note_work(len(operations))
        self._held = None
        survey = self._core.survey(operations)
        if survey.largest_size > self.size or survey.largest_alignment > self._clamp(MAX_RANGE_BYTES):
            operations = self._bounded(operations)
        if self._least_bytes == 1:
            return self._core.replay(operations, survey, events=events)
        size = np.maximum(operations.size, self._least_bytes)
        columns = (operations.op, operations.slot, size, operations.alignment, operations.kind)
        result = self._core.replay(Operations(*columns), survey, events=events)
        for row in np.flatnonzero(result.offsets >= 0).tolist():
            self._note_asked(int(result.offsets[row]), int(operations.size[row]))
        return result

    def columns(self) -> HeldColumns:
        """Return what is held as columns in offset order (for maps and figures over many blocks)."""
        live = self._core.columns()
        if not self._asked:
            return live
        offsets = np.fromiter(self._asked.keys(), dtype=np.int64, count=len(self._asked))
        asked = np.fromiter(self._asked.values(), dtype=np.int64, count=len(self._asked))
        rows = np.minimum(np.searchsorted(live.offset, offsets), max(len(live.offset) - 1, 0))
        known = live.offset[rows] == offsets if len(live.offset) else np.zeros(len(rows), dtype=np.bool_)
        size = live.size.copy()
        size[rows[known]] = asked[known]
        return HeldColumns(live.start, live.kept, live.offset, size, live.kind)

    def spans(self) -> list[Block]:
        """Return the live blocks in offset order."""
        return [
            Block(h.offset, h.size, h.offset - h.start, h.start + h.kept - h.offset - h.size, h.kind)
            for h in self.columns().rows()
        ]

    def holes(self) -> list[Span]:
        """Return the free ranges in offset order, neighbours joined."""
        starts, ends = self._hole_columns(self._core.columns())
        return [Span(start, end - start) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]

    def report(self) -> AllocatorReport:
        """Return how the bytes are spent."""
        live = self.columns()
        starts, ends = self._hole_columns(live)
        sizes = ends - starts
        alignment, granularity, rounding = self._padding(live)
        return AllocatorReport(
            size=self.size,
            used=int(live.size.sum()),
            free=int(sizes.sum()),
            largest_free=int(sizes.max(initial=0)),
            alignment=alignment,
            granularity=granularity,
            rounding=rounding,
            tail=self.tail_bytes,
            locked=self._locked(live),
            live=len(live.start),
            holes=len(sizes),
        )

    def would_fit(self, size: int, alignment: int = 1, *, kind: int = 0) -> int:
        """Return how many more such blocks could be taken one after the other."""
        check_request(size, alignment)
        check_kind(kind)
        if size > self.size:
            return 0
        return self._count(self._core.columns(), max(size, self._least_bytes), self._clamp(alignment), kind)

    def validate(self) -> None:
        """Raise LayoutError naming the broken invariant, if one is broken."""
        end = 0
        for held in self.columns().rows():
            if held.start < end:
                raise LayoutError("live blocks overlap", where="offset", found=held.start)
            end = held.start + held.kept
            if not held.start <= held.offset <= held.offset + held.size <= end:
                raise LayoutError("a resource leaves its block", where="offset", found=held.offset)
        if end > self.size - self.tail_bytes:
            raise LayoutError("a block ends behind the range", where="offset", found=end)
        report = self.report()
        if report.used + report.free + report.padding != self.size:
            raise LayoutError("used, free and padding do not add up to the size", found=report)
        if (report.free, report.live) != (self.free_bytes, self.live_count):
            raise LayoutError("the running totals are wrong", found=(self.free_bytes, self.live_count))
        self._core.validate()

    def copy(self) -> RangeAllocator:
        """Return an independent copy that will answer the same."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._core = self._core.copy()
        twin._asked = dict(self._asked)
        return twin

    @property
    def tail_bytes(self) -> int:
        """Bytes at the end of the range that can never be handed out."""
        return 0

    def _padding(self, live: HeldColumns) -> tuple[int, int, int]:
        """Return bytes held for alignment, granularity and rounding."""
        before = int((live.offset - live.start).sum())
        return before, 0, int((live.kept - live.size).sum()) - before

    def _locked(self, live: HeldColumns) -> int:
        """Return free bytes that cannot be handed out yet."""
        del live
        return 0

    def _count(self, live: HeldColumns, size: int, alignment: int, kind: int) -> int:
        """Return the ``would_fit`` of an allocator that finds every hole that fits.

        Each hole counts for itself: blocks of one size at the first aligned place, then at equal strides.
        """
        starts, ends = self._usable(live, alignment, kind)
        stride = align_up(size, alignment)
        room = ends - starts - size
        return int((room[room >= 0] // stride + 1).sum())

    def _totals(self) -> tuple[int, int]:
        if self._held is None:
            live = self._core.columns()
            self._held = int(live.kept.sum()), len(live.start)
        return self._held

    def _counted(self, answer: Placement | Refusal) -> Placement | Refusal:
        if not isinstance(answer, Placement):
            return answer
        if self._least_bytes > 1:
            self._note_asked(answer.offset, answer.size)
        if self._held is not None:
            self._held = self._held[0] + answer.kept, self._held[1] + 1
        return answer

    def _note_asked(self, offset: int, size: int) -> None:
        if size < self._least_bytes:
            self._asked[offset] = size
        else:
            self._asked.pop(offset, None)

    def _note_work(self, operations: int) -> None:
        """Change to the kernels once there is enough to do: loading them takes longer than a few thousand calls."""
        self._work += operations
        if self._work < WORK_BEFORE_KERNELS or self._core.compiled or not self.may_compile:
            return
        if kernels_ready():
            self.use_kernels()

    def _clamp(self, alignment: int) -> int:
        # 0 is the only multiple of a larger alignment, too; keeps the arithmetic within 64 bit.
        return min(alignment, 1 << (self.size - 1).bit_length())

    def _bounded(self, operations: Operations) -> Operations:
        """Return the operations with sizes and alignments beyond the range cut to what answers the same."""
        size = np.minimum(operations.size, self.size + 1)
        alignment = np.minimum(operations.alignment, self._clamp(MAX_RANGE_BYTES))
        return Operations(operations.op, operations.slot, size, alignment, operations.kind)

    def _answer(
        self, ask: Callable[[int, int, int], Held | None], size: int, alignment: int, kind: int
    ) -> Placement | Refusal:
        check_request(size, alignment)
        check_kind(kind)
        held = ask(max(size, self._least_bytes), self._clamp(alignment), kind) if size <= self.size else None
        if held is None:
            return self._refusal(size, alignment, kind)
        before = held.offset - held.start
        return Placement(held.offset, size, before, held.kept - before - size, held.kept)

    def _hole_columns(self, live: HeldColumns) -> tuple[Column, Column]:
        ends = np.append(live.start, self.size - self.tail_bytes)
        starts = np.append(0, live.start + live.kept)
        keep = ends > starts
        return starts[keep], ends[keep]

    def _usable(self, live: HeldColumns, alignment: int, kind: int) -> tuple[Column, Column]:
        """Return the first aligned byte and the last usable byte + 1 of each hole, granularity kept."""
        ends = np.append(live.start, self.size - self.tail_bytes)
        holes = np.append(0, live.start + live.kept)
        keep = ends > holes
        starts = (holes + (alignment - 1)) & -alignment
        page = self.granularity
        if page > 1:
            differs = live.kind != kind
            shares = np.append(False, differs) & ((holes - 1) // page == starts // page)
            step = max(page, alignment)
            starts = np.where(shares, (starts + (step - 1)) & -step, starts)
            ends = np.where(np.append(differs, False), ends & -page, ends)
        return starts[keep], ends[keep]

    def _refusal(self, size: int, alignment: int, kind: int) -> Refusal:
        live = self._core.columns()
        starts, ends = self._hole_columns(live)
        holes = ends - starts
        free, largest = int(holes.sum()), int(holes.max(initial=0))
        large = holes >= size
        clamped = self._clamp(alignment)
        aligned = ((starts + (clamped - 1)) & -clamped) + min(size, self.size) <= ends
        first, last = self._usable(live, clamped, kind)
        if size > free:
            reason = "alloc.too-few-bytes"
        elif size > largest:
            reason = "alloc.fragmented"
        elif not bool(np.any(large & aligned)):
            reason = "alloc.alignment"
        elif not bool(np.any(last - first >= size)):
            reason = "alloc.granularity"
        else:
            reason = self.own_reason
        lost = int(holes[large & ~aligned].sum())
        return Refusal(size, alignment, free, largest, int((~large).sum()), lost, reason, kind)


def check_range(size: int, granularity: int = 1) -> None:
    """Raise InputError unless a range of ``size`` bytes can be managed."""
    if not 0 < size <= MAX_RANGE_BYTES:
        raise InputError("a range must have 1 to 2^61 bytes", where="size", found=size)
    check_request(1, granularity, where="granularity")
