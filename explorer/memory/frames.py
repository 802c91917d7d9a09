"""Frames of references against the residency of many resources: what they page in, evict, demote, and are refused.

Nothing here belongs to one API. A resource has a home segment; segments may demote to others below them. A frame is a
column of references, worked off by a compiled kernel or, with the same outcome, in plain Python. What is modelled, by
choice and not by documentation: a demoted resource is used where it is, and goes home when there is room without an
eviction; demotion evicts nobody in the segment below; a resource larger than every budget on its way is placed over
budget while the capacity allows it; evicting what was not written since it came in moves no bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from explorer.core.units import MAX_BYTES, is_power_of_two
from explorer.errors import InputError
from explorer.memory.eviction import EvictionPolicy, policy_by_id

if TYPE_CHECKING:
    from collections.abc import Sequence

READ, WRITE = range(2)

# Columns of a resource, and of the ends of lists behind them (which have size -1): 64 bytes, one line of the cache.
SIZE, NEWER, OLDER, SEGMENT, ENTERED, LAST_FRAME, NODE, BITS, COLUMNS = range(9)

# In BITS: three flags, and above them what seldom changes.
MARK, DIRTY, PINNED = 1, 2, 4
HOME_SHIFT, ALIGNMENT_SHIFT, LEVEL_SHIFT = 8, 16, 24
BYTE = 255
MAX_SEGMENTS = 64
MAX_LEVELS = 1 << 30

# Columns of a segment.
CAPACITY, BUDGET, USED, DEMOTE_TO, RANGE, LOWEST, HAND, THRASH, SEGMENT_COLUMNS = range(9)

# Numbers of the policies that the kernel knows.
LRU, MRU, LRU_MRU, PRIORITY_LRU, FIFO, CLOCK, SIEVE = range(7)
KERNEL_POLICIES = ("lru", "mru", "lru-mru", "priority-lru", "fifo", "clock", "sieve")
"""Policies that run in the kernel, by number; the others run in plain Python."""

_WITH_PRIORITIES = ("lru-mru", "priority-lru")

HIT, PAGE_IN, PROMOTE, EVICT, DEMOTE, REFUSE, FRAGMENTED, OVER_BUDGET, KINDS = range(9)

# Cells of the counts: events by kind, their bytes by kind, then these.
EVICTED_IN_USE, ROWS, COUNTS = 2 * KINDS, 2 * KINDS + 1, 2 * KINDS + 2

EVENT_COLUMNS = 6


class FrameEvent(IntEnum):
    """What happened; the bytes of an event are given in brackets."""

    HIT = HIT
    """A reference found its resource resident, at home or demoted [0]."""
    PAGE_IN = PAGE_IN
    """A resource became resident [its size]."""
    PROMOTE = PROMOTE
    """A demoted resource went home [its size]."""
    EVICT = EVICT
    """A resource lost residency [its size if it was written since it came in, else 0]."""
    DEMOTE = DEMOTE
    """A resource had to leave its segment for the one below [its size]."""
    REFUSE = REFUSE
    """A resource could not be made resident anywhere [its size]."""
    FRAGMENTED = FRAGMENTED
    """Enough bytes were free, but no hole was large enough; evictions follow [the size asked for]."""
    OVER_BUDGET = OVER_BUDGET
    """A segment is above its budget, and nobody may leave [bytes above]."""


@dataclass(frozen=True, slots=True)
class SegmentSpec:
    """One memory segment.

    Attributes:
        capacity_bytes: What is there, > 0.
        budget_bytes: What may be used before residents must leave, 0 … ``capacity_bytes``.
        demote_to: Index of the segment that takes what has to leave; -1: none, it is evicted.
        contiguous: True if a resource needs an unbroken range of addresses (two-level segregated fit); False: any free
            pages do.
    """

    capacity_bytes: int
    budget_bytes: int
    demote_to: int = -1
    contiguous: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class FrameSetup:
    """Checked input of a frame memory; see ``frame_memory``.

    Attributes:
        sizes: Bytes of each resource, > 0; shape (n,), int64.
        alignments: Powers of two; shape (n,), int64.
        homes: Segment where each resource wants to live; shape (n,), int64.
        priorities: The lowest leaves first; shape (n,), int64.
        levels: All priorities that may occur, rising; one level only where the policy does not ask for them.
        segments: The segments.
        policy: The policy.
    """

    sizes: npt.NDArray[np.int64]
    alignments: npt.NDArray[np.int64]
    homes: npt.NDArray[np.int64]
    priorities: npt.NDArray[np.int64]
    levels: tuple[int, ...]
    segments: tuple[SegmentSpec, ...]
    policy: EvictionPolicy

    def level_of(self, priority: int) -> int:
        """Return the level of a priority.

        Raises:
            InputError: The priority was not announced.
        """
        if not self.obeys_priority:
            return 0
        if priority not in self.levels:
            accepted = tuple(map(str, self.levels))
            raise InputError("a priority without a level", where="priority", found=priority, accepted=accepted)
        return self.levels.index(priority)

    @property
    def obeys_priority(self) -> bool:
        """Whether the policy looks at priorities."""
        return self.policy.id in _WITH_PRIORITIES


@dataclass(frozen=True, slots=True, eq=False)
class FrameOutcome:
    """What one frame did.

    Attributes:
        frame: Number of the frame.
        counts: Number of events of each kind, indexed by ``FrameEvent``.
        bytes: Bytes of these events, indexed by ``FrameEvent``.
        evicted_in_use: Residents that had to leave although this frame had used them already: thrashing.
        touched_bytes: Sizes of what references used, by segment: the GPU's reads and writes.
        events: One row each, in order, shape (n, 6), int64, read-only: kind, index of the reference that caused it (-1:
            a budget that was lowered), resource (-1: none), source segment or -1, target segment or -1, bytes. No rows
            where events were not wanted.
    """

    frame: int
    counts: tuple[int, ...]
    bytes: tuple[int, ...]
    evicted_in_use: int
    touched_bytes: tuple[int, ...]
    events: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Residency:
    """Where resources are: columns of shape (n,), int64, read-only, copied.

    Attributes:
        segment: Segment, or -1.
        address: First byte in a contiguous segment, else -1.
        last_frame: Frame of the latest reference, or -1.
        dirty: 1 for what was written since it came in.
        pinned: 1 for what may not leave.
    """

    segment: npt.NDArray[np.int64]
    address: npt.NDArray[np.int64]
    last_frame: npt.NDArray[np.int64]
    dirty: npt.NDArray[np.int64]
    pinned: npt.NDArray[np.int64]


class FrameMemory(Protocol):
    """Residency that frames run against, in a kernel or in plain Python."""

    @property
    def setup(self) -> FrameSetup:
        """What it was made from (budgets and priorities may have changed since)."""
        ...

    @property
    def used_bytes(self) -> tuple[int, ...]:
        """Bytes in use, by segment."""
        ...

    def run_frame(
        self, frame: int, ids: npt.ArrayLike, access: npt.ArrayLike | None = None, *, events: bool = True
    ) -> FrameOutcome:
        """Run the references of a frame.

        Args:
            frame: Number of the frame, >= 0.
            ids: Resource of each reference, shape (m,), integers.
            access: ``READ`` or ``WRITE`` of each reference, shape (m,), integers; None: all read.
            events: False only counts.

        Raises:
            InputError: A column has the wrong length or holds a value out of range.
        """
        ...

    def is_thrashing(self, segment: int) -> bool:
        """Return whether LRU→MRU switched to MRU in the latest frame; always False for other policies."""
        ...

    def set_budget(self, segment: int, budget_bytes: int) -> None:
        """Change a budget, 0 … capacity; who is too much leaves when the next frame begins."""
        ...

    def set_pinned(self, resource: int, pinned: bool) -> None:
        """Say whether a resource may leave; one that may again counts as the newest."""
        ...

    def set_priority(self, resource: int, priority: int) -> None:
        """Change a priority to one that was announced; the resource counts as the newest of its peers."""
        ...

    def release(self, resource: int) -> None:
        """Drop the residency of a resource at once, without an event."""
        ...

    def residency(self) -> Residency:
        """Return where all resources are."""
        ...


def frame_memory(
    sizes: npt.ArrayLike,
    homes: npt.ArrayLike,
    segments: Sequence[SegmentSpec],
    policy: str,
    *,
    alignments: npt.ArrayLike | None = None,
    priorities: npt.ArrayLike | None = None,
    levels: Sequence[int] = (),
    use_kernels: bool = True,
) -> FrameMemory:
    """Return a memory in which nothing is resident yet.

    Args:
        sizes: Bytes of each resource, > 0; shape (n,).
        homes: Segment where each resource wants to live; shape (n,).
        segments: The segments; ``demote_to`` must not lead in a circle.
        policy: Id of an eviction policy that a device can use.
        alignments: Powers of two, shape (n,); None: 1. Only contiguous segments ask.
        priorities: Shape (n,); None: all 0.
        levels: Further priorities that ``set_priority`` may use later.
        use_kernels: False runs in plain Python, with the same outcome; so do the policies beyond ``KERNEL_POLICIES``.

    Raises:
        CommandError: The policy is unknown, or cannot run without the future.
        InputError: A column or a segment is invalid.
    """
    setup = _checked_setup(sizes, homes, tuple(segments), policy, alignments, priorities, levels)
    if use_kernels and policy in KERNEL_POLICIES:
        from explorer.memory.frames_compiled import CompiledFrameMemory

        return CompiledFrameMemory(setup)
    from explorer.memory.frames_reference import PlainFrameMemory

    return PlainFrameMemory(setup)


def checked_references(
    ids: npt.ArrayLike, access: npt.ArrayLike | None, resources: int
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    """Return the columns of a frame, checked; InputError names the bad one."""
    id_column = _column("ids", ids, None, 0, resources - 1)
    if access is None:
        return id_column.astype(np.uint32), np.zeros(id_column.size, np.uint8)
    access_column = _column("access", access, id_column.size, READ, WRITE)
    return id_column.astype(np.uint32), access_column.astype(np.uint8)


def checked_budget(setup: FrameSetup, segment: int, budget_bytes: int) -> int:
    """Return a budget that a segment can have; InputError otherwise."""
    if not 0 <= segment < len(setup.segments):
        accepted = (f"0 to {len(setup.segments) - 1}",)
        raise InputError("no such segment", where="segment", found=segment, accepted=accepted)
    capacity = setup.segments[segment].capacity_bytes
    if not 0 <= budget_bytes <= capacity:
        accepted = (f"0 to {capacity}",)
        raise InputError("a budget is out of range", where="budget_bytes", found=budget_bytes, accepted=accepted)
    return budget_bytes


def _checked_setup(
    sizes: npt.ArrayLike,
    homes: npt.ArrayLike,
    segments: tuple[SegmentSpec, ...],
    policy_id: str,
    alignments: npt.ArrayLike | None,
    priorities: npt.ArrayLike | None,
    levels: Sequence[int],
) -> FrameSetup:
    from explorer.memory.eviction import make_order

    make_order(policy_id)
    _check_segments(segments)
    size_column = _column("sizes", sizes, None, 1, MAX_BYTES // 4)
    count = size_column.size
    home_column = _column("homes", homes, count, 0, len(segments) - 1)
    ones = np.ones(count, np.int64)
    alignment_column = ones if alignments is None else _column("alignments", alignments, count, 1, MAX_BYTES // 4)
    for alignment in np.unique(alignment_column).tolist():
        if not is_power_of_two(alignment):
            raise InputError("not a power of two", where="alignments", found=alignment, accepted=("1, 2, 4, …",))
    low, high = -(1 << 62), 1 << 62
    given = np.zeros(count, np.int64) if priorities is None else _column("priorities", priorities, count, low, high)
    policy = policy_by_id(policy_id)
    known = sorted({*given.tolist(), *levels}) if policy_id in _WITH_PRIORITIES else [0]
    return FrameSetup(size_column, alignment_column, home_column, given, tuple(known or [0]), segments, policy)


def _check_segments(segments: tuple[SegmentSpec, ...]) -> None:
    if not 1 <= len(segments) <= MAX_SEGMENTS:
        accepted = (f"1 to {MAX_SEGMENTS}",)
        raise InputError("a number of segments out of range", where="segments", found=len(segments), accepted=accepted)
    for index, segment in enumerate(segments):
        where = f"segments[{index}]"
        if not 0 < segment.capacity_bytes <= MAX_BYTES // 4:
            found = segment.capacity_bytes
            raise InputError("a capacity out of range", where=where, found=found, accepted=(f"1 to {MAX_BYTES // 4}",))
        if not 0 <= segment.budget_bytes <= segment.capacity_bytes:
            accepted = (f"0 to {segment.capacity_bytes}",)
            raise InputError("a budget out of range", where=where, found=segment.budget_bytes, accepted=accepted)
        if not -1 <= segment.demote_to < len(segments):
            accepted = (f"-1 to {len(segments) - 1}",)
            raise InputError("no such segment below", where=where, found=segment.demote_to, accepted=accepted)
        below, steps = segment.demote_to, 0
        while below >= 0 and steps <= len(segments):
            below, steps = segments[below].demote_to, steps + 1
        if below >= 0:
            raise InputError("segments that demote in a circle", where=where, found=segment.demote_to, accepted=("-1",))


def _column(name: str, values: npt.ArrayLike, length: int | None, lowest: int, highest: int) -> npt.NDArray[np.int64]:
    given = np.asarray(values)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise InputError("not a column of integers", where=name, found=f"{given.dtype} of shape {given.shape}")
    if length is not None and given.size != length:
        raise InputError("a column of another length", where=name, found=given.size, accepted=(str(length),))
    if given.size and not lowest <= int(given.min()) <= int(given.max()) <= highest:
        found = f"{int(given.min())} to {int(given.max())}"
        raise InputError("a value out of range", where=name, found=found, accepted=(f"{lowest} to {highest}",))
    return given.astype(np.int64)
