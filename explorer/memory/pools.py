"""Pools as engines use them: heaps grown by a block size policy, dedicated heaps above a threshold.

The policy is that of VMA and D3D12MA as their documentation describes it: the first blocks of a pool are up to three
halvings smaller than the preferred size, until one was needed that is larger than half of what went before; a request
larger than half of a block gets a heap of its own (default pool only); one empty block is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.core.units import GIB, MIB, align_up
from explorer.errors import InputError, LayoutError
from explorer.memory.allocators import Allocator, Placement, Refusal, make_allocator
from explorer.memory.allocators.protocol import check_request

if TYPE_CHECKING:
    from collections.abc import Callable

PREFERRED_BLOCK_BYTES = 256 * MIB
SMALL_HEAP_LIMIT_BYTES = 1 * GIB
MAX_HALVINGS = 3


def preferred_block_bytes(heap_bytes: int) -> int:
    """Return the preferred size of a block for a memory heap: 256 MiB, an eighth of heaps up to 1 GiB.

    Source: documentation of VulkanMemoryAllocator, "preferredLargeHeapBlockSize".
    """
    if heap_bytes <= SMALL_HEAP_LIMIT_BYTES:
        return align_up(max(heap_bytes // 8, 1), 32)
    return PREFERRED_BLOCK_BYTES


@dataclass(frozen=True, slots=True)
class PoolPolicy:
    """How a pool gets its heaps. All sizes are bytes.

    Attributes:
        block_bytes: Preferred size of a block.
        explicit_size: Whether blocks always have just that size (a custom pool with a stated size).
        min_blocks: Blocks that are made at once and never given back.
        max_blocks: Blocks at most; None for no limit.
        dedicated: Whether a request may get a heap of its own.
        dedicated_above_bytes: Requests above get one first; None takes half of ``block_bytes``.
        keep_empty_blocks: Empty blocks above ``min_blocks`` that are kept for the next request.
        min_alignment: Alignment that every request gets at least.
        allocator: Id of the allocator inside a block.
        granularity: Page that blocks of different kinds never share.
    """

    block_bytes: int = PREFERRED_BLOCK_BYTES
    explicit_size: bool = False
    min_blocks: int = 0
    max_blocks: int | None = None
    dedicated: bool = True
    dedicated_above_bytes: int | None = None
    keep_empty_blocks: int = 1
    min_alignment: int = 1
    allocator: str = "tlsf"
    granularity: int = 1

    def __post_init__(self) -> None:
        """Raise InputError for values that contradict each other."""
        check_request(self.block_bytes, self.min_alignment, where="block_bytes")
        most = self.min_blocks if self.max_blocks is None else self.max_blocks
        if self.min_blocks < 0 or self.keep_empty_blocks < 0 or most < self.min_blocks:
            raise InputError("a pool needs 0 <= min_blocks <= max_blocks", where="max_blocks", found=self.max_blocks)

    @property
    def dedicated_threshold(self) -> int:
        """Requests above this many bytes get a heap of their own first."""
        return self.block_bytes // 2 if self.dedicated_above_bytes is None else self.dedicated_above_bytes


@dataclass(frozen=True, slots=True)
class PoolPlacement:
    """Where a pool put a block.

    Attributes:
        block: Id of the heap; ids are never used again.
        placement: Place within the heap.
        dedicated: Whether the heap holds only this.
        created_bytes: Bytes of the heap that was made for it, 0 when none was.
    """

    block: int
    placement: Placement
    dedicated: bool
    created_bytes: int


@dataclass(frozen=True, slots=True)
class PoolReport:
    """How a pool's heaps are used; bytes.

    Attributes:
        blocks: Heaps that hold many blocks.
        dedicated: Heaps of one block.
        block_bytes: Bytes of all heaps.
        used: Bytes of live resources.
        free: Bytes in holes.
        padding: Bytes held and not used.
        largest_free: The largest hole of any heap.
        empty_blocks: Heaps that hold nothing.
    """

    blocks: int
    dedicated: int
    block_bytes: int
    used: int
    free: int
    padding: int
    largest_free: int
    empty_blocks: int


class Pool:
    """A growing set of heaps.

    Args:
        policy: How it grows.
        reserve: Asked with the bytes of each new heap before it is made; False refuses it (budget, no room).
        release: Told the bytes of each heap that is given back.
    """

    def __init__(
        self,
        policy: PoolPolicy,
        *,
        reserve: Callable[[int], bool] = lambda _: True,
        release: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.policy = policy
        self._reserve = reserve
        self._release = release
        self._blocks: dict[int, Allocator] = {}
        self._dedicated: dict[int, Allocator] = {}
        self._next_id = 0
        for _ in range(policy.min_blocks):
            if self._grow(policy.block_bytes) is None:
                break

    @property
    def blocks(self) -> dict[int, Allocator]:
        """Id → allocator of each heap that holds many blocks, in the order of search."""
        return self._blocks

    @property
    def dedicated(self) -> dict[int, Allocator]:
        """Id → allocator of each heap that holds one block."""
        return self._dedicated

    def take(self, size: int, alignment: int = 1, *, kind: int = 0) -> PoolPlacement | Refusal:
        """Place a block: in a heap with room, in a new one, or in one of its own.

        Heaps are tried fullest first, as the libraries do, so that empty ones can be given back.

        Raises:
            InputError: Size not positive, or alignment not a power of two.
        """
        check_request(size, alignment)
        policy = self.policy
        alignment = max(alignment, policy.min_alignment)
        if policy.dedicated and size > policy.dedicated_threshold:
            placed = self._take_dedicated(size, alignment, kind)
            if placed is not None:
                return placed
        for block in sorted(self._blocks, key=lambda block: (self._blocks[block].free_bytes, block)):
            placement = self._blocks[block].take(size, alignment, kind=kind)
            if isinstance(placement, Placement):
                return PoolPlacement(block, placement, False, 0)
        placed = self._take_in_new_block(size, alignment, kind)
        if placed is None and policy.dedicated:
            placed = self._take_dedicated(size, alignment, kind)
        return self._refusal(size, alignment, kind) if placed is None else placed

    def free(self, block: int, offset: int) -> int:
        """Give a block back, and heaps that are no longer needed.

        Returns:
            Bytes of heaps given back.

        Raises:
            LayoutError: No such heap, or nothing lives at the offset.
        """
        if block in self._dedicated:
            heap = self._dedicated[block]
            heap.free(offset)
            del self._dedicated[block]
            self._release(heap.size)
            return heap.size
        if block not in self._blocks:
            raise LayoutError("no such block", where="block", found=block)
        self._blocks[block].free(offset)
        return self._give_back_empty(block)

    def report(self) -> PoolReport:
        """Return how the heaps are used."""
        shared = [heap.report() for heap in self._blocks.values()]
        reports = shared + [heap.report() for heap in self._dedicated.values()]
        return PoolReport(
            blocks=len(self._blocks),
            dedicated=len(self._dedicated),
            block_bytes=sum(report.size for report in reports),
            used=sum(report.used for report in reports),
            free=sum(report.free for report in reports),
            padding=sum(report.padding for report in reports),
            largest_free=max((report.largest_free for report in reports), default=0),
            empty_blocks=sum(report.live == 0 for report in shared),
        )

    def validate(self) -> None:
        """Raise LayoutError when a heap is broken or the policy is not kept."""
        for heap in [*self._blocks.values(), *self._dedicated.values()]:
            heap.validate()
        if any(heap.live_count != 1 for heap in self._dedicated.values()):
            raise LayoutError("a dedicated heap does not hold just one block")
        most = self.policy.max_blocks
        if most is not None and len(self._blocks) > most:
            raise LayoutError("more blocks than the pool may have", found=len(self._blocks))

    def copy(self) -> Pool:
        """Return an independent copy (that asks and tells the same functions)."""
        twin = Pool(replace(self.policy, min_blocks=0), reserve=self._reserve, release=self._release)
        twin.policy = self.policy
        twin._blocks = {block: heap.copy() for block, heap in self._blocks.items()}
        twin._dedicated = {block: heap.copy() for block, heap in self._dedicated.items()}
        twin._next_id = self._next_id
        return twin

    def next_block_bytes(self, size: int) -> list[int]:
        """Return the sizes that are tried for a new block that must hold ``size``, in order.

        As long as all blocks are small, a new one is halved up to three times while the half is larger than every
        block so far and holds twice the request; when such a block is refused, smaller ones are tried the same way.
        """
        preferred = self.policy.block_bytes
        if self.policy.explicit_size:
            return [preferred] if size <= preferred else []
        if size > preferred:
            return []
        largest = max((heap.size for heap in self._blocks.values()), default=0)
        first, halvings = preferred, 0
        while halvings < MAX_HALVINGS and first // 2 > largest and first // 2 >= 2 * size:
            first //= 2
            halvings += 1
        tried = [first]
        while halvings < MAX_HALVINGS and tried[-1] // 2 >= size:
            tried.append(tried[-1] // 2)
            halvings += 1
        return tried

    def _grow(self, heap_bytes: int) -> int | None:
        if not self._reserve(heap_bytes):
            return None
        block = self._new_id()
        self._blocks[block] = self._heap(heap_bytes)
        return block

    def _heap(self, heap_bytes: int) -> Allocator:
        return make_allocator(self.policy.allocator, heap_bytes, granularity=self.policy.granularity)

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def _take_in_new_block(self, size: int, alignment: int, kind: int) -> PoolPlacement | None:
        if self.policy.max_blocks is not None and len(self._blocks) >= self.policy.max_blocks:
            return None
        for heap_bytes in self.next_block_bytes(size):
            # An allocator that pads or rounds may not fit even in an empty block: never make one in vain.
            if not isinstance(self._heap(heap_bytes).plan(size, alignment, kind=kind), Placement):
                continue
            block = self._grow(heap_bytes)
            if block is None:
                continue
            placement = self._blocks[block].take(size, alignment, kind=kind)
            assert isinstance(placement, Placement)
            return PoolPlacement(block, placement, False, heap_bytes)
        return None

    def _take_dedicated(self, size: int, alignment: int, kind: int) -> PoolPlacement | None:
        if not self._reserve(size):
            return None
        heap = make_allocator("first-fit", size)
        placement = heap.take(size, alignment, kind=kind)
        assert isinstance(placement, Placement)
        block = self._new_id()
        self._dedicated[block] = heap
        return PoolPlacement(block, placement, True, size)

    def _give_back_empty(self, emptied: int) -> int:
        empty = [block for block, heap in self._blocks.items() if heap.live_count == 0]
        spare = min(len(empty) - self.policy.keep_empty_blocks, len(self._blocks) - self.policy.min_blocks)
        released = 0
        # The one that was just emptied goes first, then the newest.
        for block in sorted(empty, key=lambda block: (block != emptied, -block))[: max(spare, 0)]:
            heap = self._blocks.pop(block)
            self._release(heap.size)
            released += heap.size
        return released

    def _refusal(self, size: int, alignment: int, kind: int) -> Refusal:
        """Return the refusals of all heaps taken together."""
        refusals = [heap.plan(size, alignment, kind=kind) for heap in self._blocks.values()]
        parts = [refusal for refusal in refusals if isinstance(refusal, Refusal)]
        free = sum(part.free_bytes for part in parts)
        largest = max((part.largest_hole_bytes for part in parts), default=0)
        closest = max(parts, key=lambda part: part.largest_hole_bytes, default=None)
        if size > free or closest is None:
            reason = "alloc.too-few-bytes"
        else:
            reason = "alloc.fragmented" if size > largest else closest.reason
        return Refusal(
            size,
            alignment,
            free,
            largest,
            sum(part.holes_too_small for part in parts),
            sum(part.lost_to_alignment_bytes for part in parts),
            reason,
            kind,
        )
