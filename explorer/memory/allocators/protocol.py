"""What every allocator answers: requests in, placements and refusals out, the same words for all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from explorer.core.units import MAX_BYTES, align_up, format_exact, is_power_of_two
from explorer.errors import InputError

if TYPE_CHECKING:
    from explorer.core.spans import Span

Column: TypeAlias = npt.NDArray[np.int64]
"""A column of operations or answers: shape (n,), int64."""

MAX_KINDS = 1 << 24

OP_TAKE = 0
OP_FREE = 1

EVENT_TAKEN = 0
EVENT_FREED = 1
EVENT_REFUSED = 2
EVENT_NOTHING = 3
"""A free of a slot that holds nothing (its allocation had been refused)."""

REFUSAL_RULES = {
    "alloc.too-few-bytes": "fewer bytes are free in total than were asked for",
    "alloc.fragmented": "enough bytes are free in total, but no single hole is large enough",
    "alloc.alignment": "a hole is large enough, but not at an address with the alignment asked for",
    "alloc.granularity": "a hole is large enough, but a neighbour of another kind shares its page",
    "alloc.rounding": "a hole would do, but this allocator rounds sizes up and looks only in larger classes",
    "alloc.locked": "free bytes lie between live blocks, where this allocator cannot reach them yet",
}
"""Rule id of a refusal → what it means. Modelling words of this product; no API defines them."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a block came to lie.

    Attributes:
        offset: First byte of the resource, a multiple of the alignment asked for.
        size: Bytes asked for.
        padding_before: Bytes held in front of the resource; 0 where an allocator gives them back as a hole.
        rounding: Bytes held behind the resource.
        kept: All bytes taken from the range: ``padding_before + size + rounding``.
    """

    offset: int
    size: int
    padding_before: int = 0
    rounding: int = 0
    kept: int = 0

    @property
    def start(self) -> int:
        """First byte taken from the range."""
        return self.offset - self.padding_before


@dataclass(frozen=True, slots=True)
class Block:
    """A live block: the resource and what is held around it, in bytes (fields as in ``Placement``)."""

    offset: int
    size: int
    padding_before: int = 0
    rounding: int = 0
    kind: int = 0

    @property
    def start(self) -> int:
        """First byte held."""
        return self.offset - self.padding_before

    @property
    def end(self) -> int:
        """The byte after the last one held."""
        return self.offset + self.size + self.rounding


@dataclass(frozen=True, slots=True)
class Gain:
    """What a change would bring for a refused request.

    Attributes:
        freed_bytes: Bytes that become free by it.
        largest_hole_bytes: The largest hole afterwards.
        fits: Whether the request could be placed afterwards.
    """

    freed_bytes: int
    largest_hole_bytes: int
    fits: bool


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a block could not be placed.

    Attributes:
        requested_bytes: Bytes asked for.
        alignment: Alignment asked for, in bytes.
        free_bytes: Bytes free in total.
        largest_hole_bytes: The largest hole.
        holes_too_small: Holes smaller than the request.
        lost_to_alignment_bytes: Bytes in holes that are large enough, but cannot hold the request at its alignment.
        reason: Rule id, a key of ``REFUSAL_RULES``.
        kind: Kind of the request, for the granularity between kinds.
    """

    requested_bytes: int
    alignment: int
    free_bytes: int
    largest_hole_bytes: int
    holes_too_small: int
    lost_to_alignment_bytes: int
    reason: str
    kind: int = 0

    def text(self) -> str:
        """Return one plain sentence: what was asked, what there is, and why that does not do."""
        holes = "1 hole" if self.holes_too_small == 1 else f"{self.holes_too_small:,} holes"
        return (
            f"{format_exact(self.requested_bytes)} aligned to {format_exact(self.alignment)} do not fit: "
            f"{REFUSAL_RULES[self.reason]} ({format_exact(self.free_bytes)} free, largest hole "
            f"{format_exact(self.largest_hole_bytes)}, {holes} too small, "
            f"{format_exact(self.lost_to_alignment_bytes)} lost to alignment)."
        )

    def gain(self, allocator: Allocator, offset: int | None = None) -> Gain:
        """Return what freeing one block, or a full defragmentation, would bring.

        The range is judged as holes that join their neighbours; nothing is changed.

        Args:
            allocator: The allocator that refused, unchanged since.
            offset: The block to free; None packs all blocks to the front of the range.

        Raises:
            LayoutError: Nothing lives at ``offset``.
        """
        if offset is None:
            blocks = allocator.spans()
            front = sum(block.end - block.start for block in blocks)
            free = allocator.report().free
            start = align_up(front, self.alignment)
            return Gain(0, free, start + self.requested_bytes <= front + free)
        trial = allocator.copy()
        before = trial.report().free
        trial.free(offset)
        after = trial.report()
        fits = isinstance(trial.plan(self.requested_bytes, self.alignment, kind=self.kind), Placement)
        return Gain(after.free - before, after.largest_free, fits)


@dataclass(frozen=True, slots=True)
class AllocatorReport:
    """How the bytes of a range are spent: ``used + free + padding = size``, always.

    Attributes:
        size: Bytes of the range.
        used: Bytes of live resources, as asked for.
        free: Bytes in holes.
        largest_free: The largest hole.
        alignment: Bytes held because of alignment.
        granularity: Bytes held to keep kinds apart.
        rounding: Bytes held because sizes are rounded up.
        tail: Bytes at the end of the range that the allocator can never hand out.
        locked: The part of ``free`` that cannot be handed out before a neighbour is freed (linear only).
        live: Live blocks.
        holes: Holes.
    """

    size: int
    used: int
    free: int
    largest_free: int
    alignment: int
    granularity: int
    rounding: int
    tail: int
    locked: int
    live: int
    holes: int

    @property
    def padding(self) -> int:
        """Bytes that are neither used nor free."""
        return self.alignment + self.granularity + self.rounding + self.tail


@dataclass(frozen=True, slots=True)
class Operations:
    """A batch of operations as columns of one length, shape (n,), int64.

    Attributes:
        op: ``OP_TAKE`` or ``OP_FREE``.
        slot: Which allocation, >= 0; a slot is taken again only after it was freed.
        size: Bytes, > 0 (ignored for a free).
        alignment: Power of two (ignored for a free).
        kind: Kind of the block; None means 0 for all.
    """

    op: Column
    slot: Column
    size: Column
    alignment: Column
    kind: Column | None = None

    def __len__(self) -> int:
        """Return the number of operations."""
        return len(self.op)

    def check(self) -> Survey:
        """Return what a batch needs to know; InputError when a column is malformed (before anything changes)."""
        self.check_columns()
        takes = self.op == OP_TAKE
        size, alignment = self.size[takes], self.alignment[takes]
        good = bool(np.all(takes | (self.op == OP_FREE))) and not bool(np.any(self.slot < 0))
        good = good and not bool(np.any(size <= 0)) and not bool(np.any(alignment <= 0))
        if not good or bool(np.any(alignment & (alignment - 1))):
            raise malformed_operation()
        slots = int(self.slot.max(initial=-1)) + 1
        return Survey(int(takes.sum()), slots, int(size.max(initial=0)), int(alignment.max(initial=1)))

    def check_columns(self) -> None:
        """Raise InputError unless the columns are int64 and of one length."""
        columns = [self.op, self.slot, self.size, self.alignment]
        columns += [] if self.kind is None else [self.kind]
        if len({len(column) for column in columns}) != 1 or any(c.dtype != np.int64 for c in columns):
            raise InputError("operation columns must be int64 and of one length")
        if self.kind is not None and len(self.kind):
            check_kind(int(self.kind.min()))
            check_kind(int(self.kind.max()))


class Survey(NamedTuple):
    """What a batch needs to know before it runs.

    Attributes:
        takes: How many operations take.
        slots: The largest slot + 1.
        largest_size: Bytes of the largest take.
        largest_alignment: The largest alignment of a take.
    """

    takes: int
    slots: int
    largest_size: int
    largest_alignment: int


def malformed_operation() -> InputError:
    """Return the error for columns with values that are no operation."""
    return InputError(
        "an operation must be 0 (take) or 1 (free) of a slot >= 0, with a positive size and a power of two as alignment"
    )


@dataclass(frozen=True, slots=True)
class ReplayEvents:
    """One row for each operation, shape (n,), int64.

    Attributes:
        event: ``EVENT_TAKEN``, ``EVENT_FREED``, ``EVENT_REFUSED`` or ``EVENT_NOTHING``.
        start: First byte held, -1 where nothing was taken or freed.
        kept: Bytes held (taken or given back), 0 where nothing was.
    """

    event: Column
    start: Column
    kept: Column


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What a batch did.

    Attributes:
        offsets: Shape (n,), int64: offset of the resource for a take, -1 for a refusal and for a free.
        starts: Shape (n,), int64: first byte held for a take, -1 as above. Equal to ``offsets`` but for
            allocators that keep padding in front.
        refused: Refused takes.
        events: None unless they were asked for.
    """

    offsets: Column
    starts: Column
    refused: int
    events: ReplayEvents | None = field(default=None)


class Allocator(Protocol):
    """Hands out parts of the range ``[0, size)``. Plain integers in and out; all sizes are bytes."""

    @property
    def id(self) -> str:
        """Id as on the command line."""
        ...

    @property
    def size(self) -> int:
        """Bytes of the range."""
        ...

    @property
    def free_bytes(self) -> int:
        """Bytes in holes, as in ``report``; cheap."""
        ...

    @property
    def live_count(self) -> int:
        """Live blocks, as in ``report``; cheap."""
        ...

    def plan(self, size: int, alignment: int = 1, *, kind: int = 0) -> Placement | Refusal:
        """Return what ``take`` would answer, without taking."""
        ...

    def take(self, size: int, alignment: int = 1, *, kind: int = 0) -> Placement | Refusal:
        """Take ``size`` bytes at a multiple of ``alignment`` (a power of two).

        Raises:
            InputError: Size not positive, or alignment not a power of two.
        """
        ...

    def plan_lowest(self, size: int, alignment: int = 1, *, kind: int = 0) -> Placement | Refusal:
        """Return the lowest place, where the algorithm can place anywhere in a hole; else as ``plan``."""
        ...

    def take_lowest(self, size: int, alignment: int = 1, *, kind: int = 0) -> Placement | Refusal:
        """Take the place of ``plan_lowest``."""
        ...

    def free(self, offset: int) -> None:
        """Give the block back whose resource starts at ``offset``.

        Raises:
            LayoutError: Nothing lives there.
        """
        ...

    def assign(self, offset: int, slot: int) -> None:
        """Let batches know the block whose resource starts at ``offset`` by a slot.

        Raises:
            LayoutError: Nothing lives there, or the slot holds another block.
        """
        ...

    def free_slot(self, slot: int) -> None:
        """Give back the block of a slot; LayoutError when it holds none."""
        ...

    def spans(self) -> list[Block]:
        """Return the live blocks in offset order."""
        ...

    def holes(self) -> list[Span]:
        """Return the free ranges in offset order, neighbours joined."""
        ...

    def report(self) -> AllocatorReport:
        """Return how the bytes are spent."""
        ...

    def would_fit(self, size: int, alignment: int = 1, *, kind: int = 0) -> int:
        """Return how many more such blocks could be taken one after the other."""
        ...

    def validate(self) -> None:
        """Raise LayoutError naming the broken invariant, if one is broken."""
        ...

    def copy(self) -> Allocator:
        """Return an independent copy that will answer the same."""
        ...

    def replay(self, operations: Operations, *, events: bool = False) -> ReplayResult:
        """Apply a batch; slots stay known to later batches of the same allocator."""
        ...


def check_request(size: int, alignment: int, *, where: str | None = None) -> None:
    """Raise InputError unless ``size`` is 1 … 2^63 - 1 and ``alignment`` a power of two."""
    if not 0 < size <= MAX_BYTES:
        raise InputError("a block must have a positive size below 2^63", where=where, found=size)
    if not is_power_of_two(alignment):
        raise InputError("an alignment must be a power of two", where=where, found=alignment)


def check_kind(kind: int) -> None:
    """Raise InputError unless a kind is 0 … 2^24 - 1 (kernels keep it beside other marks)."""
    if not 0 <= kind < MAX_KINDS:
        raise InputError("a kind must be 0 to 2^24 - 1", where="kind", found=kind)
