"""Memory segments with real addresses: contiguous ones need a hole, paged ones only enough bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.kinds import Placement as Mode
from explorer.core.units import align_up, format_exact
from explorer.errors import LayoutError
from explorer.memory.allocators import make_allocator
from explorer.memory.allocators.protocol import Placement, Refusal

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from explorer.memory.allocators.protocol import Allocator, Operations

PAGE_BYTES = 4096
"""Granularity of paged segments. Source: reference rules d3d12 9.1 (4 KB or 64 KB pages; 4 KB in system memory)."""

CONTIGUOUS_UNIT_BYTES = 1
"""A contiguous segment hands out what is asked for; the resource's own alignment does the rounding."""

_ADDRESS_FACTOR = 8
"""A paged segment's address range is this often its size, so that addresses never run out before bytes do."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A range held in a segment.

    Attributes:
        address: First byte of what was asked for.
        size: Bytes asked for.
        padding_before: Bytes held in front of it.
        rounding: Bytes held behind it.
    """

    address: int
    size: int
    padding_before: int
    rounding: int

    @property
    def held(self) -> int:
        """All bytes that the segment gave."""
        return self.padding_before + self.size + self.rounding


class MemorySegment:
    """One segment: its address range, and how many of its bytes are given out.

    Args:
        name: As the adapter names it.
        group: ``LOCAL``, ``NON_LOCAL``, ``SYSTEM``, ``PAGE_FILE`` or ``RESERVED``.
        node: Node index.
        placement: ``contiguous``: a range must be unbroken; ``paged``: any free pages do, addresses are virtual.
        size: Bytes; 0 for a segment that exists only in name (a console has no system memory of its own).
        allocator: Allocator id.
        bandwidth: Bytes a second that the GPU reads from it.
    """

    def __init__(
        self, name: str, group: str, node: int, placement: str, size: int, allocator: str, bandwidth: int = 0
    ) -> None:
        self.name = name
        self.group = group
        self.node = node
        self.placement = Mode(placement)
        self.size = size
        self.bandwidth = bandwidth
        self.allocator_id = allocator
        self.held = 0
        # What is held by address; not what a slot names, whose holder knows its size.
        self._taken: dict[int, Taken] = {}
        self._slot_bytes = 0
        span = size if self.is_contiguous else size * _ADDRESS_FACTOR
        self._addresses: Allocator = make_allocator(allocator, max(span, 1))

    @property
    def is_contiguous(self) -> bool:
        """True when a range must be unbroken."""
        return self.placement is Mode.CONTIGUOUS

    @property
    def free_bytes(self) -> int:
        """Bytes that nobody holds."""
        return self.size - self.held

    @property
    def largest_free(self) -> int:
        """The largest range that could be given out: the largest hole, or all free bytes where paged."""
        if not self.is_contiguous or not self.size:
            return self.free_bytes
        return self._addresses.report().largest_free

    def plan(self, size: int, alignment: int = 1, kind: int = 0) -> Taken | Refusal:
        """Return what ``take`` would answer, without taking."""
        return self._try(size, alignment, kind, keep=False)

    def take(self, size: int, alignment: int = 1, kind: int = 0, slot: int = -1) -> Taken | Refusal:
        """Hold ``size`` bytes at a multiple of ``alignment``, or say why that is impossible.

        Args:
            size: Bytes.
            alignment: A power of two.
            kind: Kind of the block.
            slot: A number that names the range in a paged segment for ``release_slot`` and ``move``; −1 none.
        """
        taken = self._try(size, alignment, kind, keep=True)
        if isinstance(taken, Taken):
            self.held += taken.held
            if slot >= 0 and not self.is_contiguous:
                self._addresses.assign(taken.address, slot)
                self._slot_bytes += taken.held
            else:
                self._taken[taken.address] = taken
        return taken

    def release_slot(self, slot: int, address: int, size: int) -> None:
        """Give back a range that was taken with a slot.

        Args:
            slot: The slot; it counts in a paged segment.
            address: First byte; it counts in a contiguous segment.
            size: Bytes that were asked for.

        Raises:
            LayoutError: Nothing lives there.
        """
        if self.is_contiguous:
            self.release(address)
            return
        self._addresses.free_slot(slot)
        held = align_up(size, PAGE_BYTES)
        self.held -= held
        self._slot_bytes -= held

    def replay(self, operations: Operations, held: int) -> npt.NDArray[np.int64]:
        """Apply a batch of takes and frees of slots in a paged segment, whose bytes the caller has counted.

        Args:
            operations: Whole pages; what is taken and given back in their order.
            held: Bytes that are held afterwards.

        Returns:
            First byte of each take, −1 for frees; int64, shape (operations,).
        """
        self._slot_bytes += held - self.held
        self.held = held
        return self._addresses.replay(operations).offsets

    def release(self, address: int) -> Taken:
        """Give back the range whose first asked-for byte is at ``address``.

        Raises:
            LayoutError: Nothing lives there.
        """
        taken = self._taken.pop(address, None)
        if taken is None:
            raise LayoutError(f"nothing lives at {address} in {self.name}")
        self._addresses.free(address)
        self.held -= taken.held
        return taken

    def holes_for(self, size: int, alignment: int) -> int:
        """Return how many more blocks of this size and alignment would fit."""
        if self.is_contiguous:
            return self._addresses.would_fit(size, alignment)
        return self.free_bytes // align_up(size, PAGE_BYTES)

    def copy(self) -> MemorySegment:
        """Return an independent copy."""
        other = MemorySegment.__new__(MemorySegment)
        other.__dict__.update(self.__dict__)
        other._taken = dict(self._taken)
        other._addresses = self._addresses.copy()
        return other

    def validate(self) -> None:
        """Raise LayoutError naming the broken invariant, if one is broken."""
        self._addresses.validate()
        if (
            self.held != self._slot_bytes + sum(taken.held for taken in self._taken.values())
            or not 0 <= self.held <= self.size
        ):
            raise LayoutError(f"{self.name}: held bytes do not add up")

    def _try(self, size: int, alignment: int, kind: int, *, keep: bool) -> Taken | Refusal:
        if not self.size:
            return Refusal(size, alignment, 0, 0, 0, 0, "alloc.too-few-bytes")
        if self.is_contiguous:
            ask = self._addresses.take if keep else self._addresses.plan
            placed = ask(size, alignment, kind=kind)
            if isinstance(placed, Refusal):
                return placed
            return Taken(placed.offset, size, placed.padding_before, placed.rounding)
        rounded = align_up(size, PAGE_BYTES)
        if rounded > self.free_bytes:
            return Refusal(size, alignment, self.free_bytes, self.free_bytes, 0, 0, "alloc.too-few-bytes")
        ask = self._addresses.take if keep else self._addresses.plan
        placed = ask(rounded, max(alignment, PAGE_BYTES))
        if not isinstance(placed, Placement):
            raise LayoutError(f"{self.name}: the address range ran out before its {format_exact(self.size)} did")
        # Address gaps cost no page; only the rounding to whole pages does.
        return Taken(placed.offset, size, 0, rounded - size)


@dataclass(slots=True)
class SegmentGroup:
    """The segments of a node that share one budget.

    Attributes:
        node: Node index.
        group: ``LOCAL`` or ``NON_LOCAL``.
        budget: Bytes that the system grants; None: no such thing (before WDDM 2).
        usage: Bytes of resident heaps and committed resources.
        reservation: Bytes that the application reserved.
        available_for_reservation: Bytes that it may reserve.
        over: True while the usage is above the budget.
    """

    node: int
    group: str
    budget: int | None
    available_for_reservation: int = 0
    usage: int = 0
    reservation: int = 0
    over: bool = False

    @property
    def over_budget_bytes(self) -> int:
        """Bytes above the budget, 0 within it."""
        return 0 if self.budget is None else max(0, self.usage - self.budget)
