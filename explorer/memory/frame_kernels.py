"""One frame of references against residency, compiled: nothing is done per reference in Python.

The state is three tables of int64. ``table`` has one row for each resource and, behind them, one row for each pair of
segment and priority level: the end of a linked list of the residents that may leave, from oldest to newest. Pinned
residents are in no list, so that looking for a victim never walks over them. ``ranges`` holds the address ranges of the
contiguous segments (two-level segregated fit, by the allocator's own kernels). A frame costs time by its references and
evictions, never by the number of resources.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from explorer.memory.allocators import tlsf_kernels as tlsf
from explorer.memory.frames import (
    ALIGNMENT_SHIFT,
    BITS,
    BUDGET,
    BYTE,
    CAPACITY,
    CLOCK,
    DEMOTE,
    DEMOTE_TO,
    DIRTY,
    ENTERED,
    EVICT,
    EVICTED_IN_USE,
    FIFO,
    FRAGMENTED,
    HAND,
    HIT,
    HOME_SHIFT,
    KINDS,
    LAST_FRAME,
    LEVEL_SHIFT,
    LOWEST,
    LRU_MRU,
    MARK,
    MRU,
    NEWER,
    NODE,
    OLDER,
    OVER_BUDGET,
    PAGE_IN,
    PINNED,
    PROMOTE,
    RANGE,
    REFUSE,
    ROWS,
    SEGMENT,
    SIEVE,
    SIZE,
    THRASH,
    USED,
    WRITE,
)
from explorer.memory.kernels import flat_kernel

Table: TypeAlias = npt.NDArray[np.int64]
Ranges: TypeAlias = tuple[Table, Table, Table, Table, Table, Table]
"""The tables of two-level segregated fit, one layer for each contiguous segment: a tuple of tuples would be another
type, and compiled anew, for each number of them."""


@flat_kernel
def home_of(table: Table, resource: int) -> int:
    """Return the segment where a resource wants to live."""
    return table[resource, BITS] >> HOME_SHIFT & BYTE


@flat_kernel
def tell(
    events: Table, counts: Table, kind: int, cause: int, resource: int, source: int, target: int, size: int
) -> None:
    """Count an event, and write it down where events are wanted (``events`` has rows)."""
    counts[kind] += 1
    counts[KINDS + kind] += size
    row = counts[ROWS]
    if row < events.shape[0]:
        events[row, 0] = kind
        events[row, 1] = cause
        events[row, 2] = resource
        events[row, 3] = source
        events[row, 4] = target
        events[row, 5] = size
        counts[ROWS] = row + 1


@flat_kernel
def link(table: Table, segments: Table, resource: int, edge: int) -> None:
    """Put a resident in front of ``edge``: the newest of its list."""
    newest = table[edge, OLDER]
    table[newest, NEWER] = resource
    table[resource, OLDER] = newest
    table[resource, NEWER] = edge
    table[edge, OLDER] = resource


@flat_kernel
def unlink(table: Table, segments: Table, resource: int) -> None:
    """Take a resident out of its list; SIEVE's hand steps over it."""
    segment = table[resource, SEGMENT]
    newer, older = table[resource, NEWER], table[resource, OLDER]
    if segments[segment, HAND] == resource:
        segments[segment, HAND] = newer if table[newer, SIZE] >= 0 else -1
    table[newer, OLDER] = older
    table[older, NEWER] = newer


@flat_kernel
def enter(table: Table, segments: Table, ends: int, levels: int, resource: int, segment: int, frame: int) -> None:
    """Note that a resource lives in a segment, as the newest of its level there."""
    table[resource, SEGMENT] = segment
    table[resource, ENTERED] = frame
    table[resource, BITS] &= ~MARK
    if table[resource, BITS] & PINNED:
        return
    level = table[resource, BITS] >> LEVEL_SHIFT
    link(table, segments, resource, ends + segment * levels + level)
    if level < segments[segment, LOWEST]:
        segments[segment, LOWEST] = level


@flat_kernel
def victim_of(table: Table, segments: Table, ends: int, levels: int, segment: int, policy: int, frame: int) -> int:
    """Return who leaves a segment next under the policy, or -1 when nobody may."""
    first = ends + segment * levels
    level = segments[segment, LOWEST]
    while level < levels and table[first + level, NEWER] == first + level:
        level += 1
    segments[segment, LOWEST] = level
    if level == levels:
        return -1
    edge = first + level
    oldest = table[edge, NEWER]
    if policy == MRU:
        return table[edge, OLDER]
    if policy == LRU_MRU:
        if table[oldest, ENTERED] == frame:
            segments[segment, THRASH] = 1
        return table[edge, OLDER] if segments[segment, THRASH] else oldest
    if policy == CLOCK:
        while table[oldest, BITS] & MARK:
            table[oldest, BITS] &= ~MARK
            unlink(table, segments, oldest)
            link(table, segments, oldest, edge)
            oldest = table[edge, NEWER]
        return oldest
    if policy == SIEVE:
        hand = segments[segment, HAND]
        hand = oldest if hand < 0 else hand
        while table[hand, BITS] & MARK:
            table[hand, BITS] &= ~MARK
            hand = table[hand, NEWER]
            hand = table[edge, NEWER] if hand == edge else hand
        segments[segment, HAND] = hand
        return hand
    return oldest


@flat_kernel
def occupy(table: Table, segments: Table, ranges: Ranges, resource: int, segment: int) -> bool:
    """Take the bytes of a resource in a segment; False when a contiguous one has no hole for it."""
    size = table[resource, SIZE]
    number = segments[segment, RANGE]
    if number >= 0:
        rows, links, heads, words, bounds, state = ranges
        alignment = 1 << (table[resource, BITS] >> ALIGNMENT_SHIFT & BYTE)
        node = tlsf.take(
            rows[number],
            links[number],
            heads[number],
            words[number],
            bounds[number],
            state[number],
            size,
            alignment,
            0,
            -1,
        )
        if node < 0:
            return False
        table[resource, NODE] = node
    segments[segment, USED] += size
    return True


@flat_kernel
def vacate(table: Table, segments: Table, ranges: Ranges, resource: int) -> None:
    """Give back the bytes of a resident and take it out of its list."""
    segment = table[resource, SEGMENT]
    number = segments[segment, RANGE]
    if number >= 0:
        rows, links, heads, words, bounds, state = ranges
        tlsf.free(
            rows[number],
            links[number],
            heads[number],
            words[number],
            bounds[number],
            state[number],
            table[resource, NODE],
        )
    segments[segment, USED] -= table[resource, SIZE]
    if not table[resource, BITS] & PINNED:
        unlink(table, segments, resource)
    table[resource, SEGMENT] = -1


@flat_kernel
def expel(
    table: Table, segments: Table, ranges: Ranges, ends: int, levels: int,
    resource: int, frame: int, cause: int, events: Table, counts: Table,
) -> None:  # fmt: skip
    """Demote a resident if there is room below, else evict it."""
    source = table[resource, SEGMENT]
    size = table[resource, SIZE]
    vacate(table, segments, ranges, resource)
    if table[resource, LAST_FRAME] == frame:
        counts[EVICTED_IN_USE] += 1
    target = segments[source, DEMOTE_TO]
    fits = target >= 0 and segments[target, USED] + size <= segments[target, BUDGET]
    if fits and occupy(table, segments, ranges, resource, target):
        enter(table, segments, ends, levels, resource, target, frame)
        tell(events, counts, DEMOTE, cause, resource, source, target, size)
        return
    # What was not written since it came in has its copy below already.
    tell(events, counts, EVICT, cause, resource, source, -1, size if table[resource, BITS] & DIRTY else 0)
    table[resource, BITS] &= ~DIRTY


@flat_kernel
def make_room(
    table: Table, segments: Table, ranges: Ranges, ends: int, levels: int,
    resource: int, segment: int, policy: int, frame: int, cause: int, events: Table, counts: Table,
) -> bool:  # fmt: skip
    """Evict until a resource is in a segment within its budget; False when nobody is left who may leave."""
    size = table[resource, SIZE]
    fragmented = False
    while True:
        if segments[segment, USED] + size <= segments[segment, BUDGET]:
            if occupy(table, segments, ranges, resource, segment):
                return True
            if not fragmented:
                fragmented = True
                tell(events, counts, FRAGMENTED, cause, resource, -1, segment, size)
        victim = victim_of(table, segments, ends, levels, segment, policy, frame)
        if victim < 0:
            return False
        expel(table, segments, ranges, ends, levels, victim, frame, cause, events, counts)


@flat_kernel
def page_in(
    table: Table, segments: Table, ranges: Ranges, ends: int, levels: int,
    resource: int, policy: int, frame: int, cause: int, events: Table, counts: Table,
) -> bool:  # fmt: skip
    """Make a resource resident at home or, failing that, below; over a budget if nothing else is left."""
    size = table[resource, SIZE]
    segment = home_of(table, resource)
    over = False
    while segment >= 0:
        if size <= segments[segment, BUDGET] and make_room(
            table, segments, ranges, ends, levels, resource, segment, policy, frame, cause, events, counts
        ):
            break
        segment = segments[segment, DEMOTE_TO]
    if segment < 0:
        over = True
        segment = home_of(table, resource)
        while segment >= 0:
            fits = segments[segment, USED] + size <= segments[segment, CAPACITY]
            if fits and occupy(table, segments, ranges, resource, segment):
                break
            segment = segments[segment, DEMOTE_TO]
    if segment < 0:
        tell(events, counts, REFUSE, cause, resource, -1, home_of(table, resource), size)
        return False
    enter(table, segments, ends, levels, resource, segment, frame)
    tell(events, counts, PAGE_IN, cause, resource, -1, segment, size)
    if over:
        tell(
            events,
            counts,
            OVER_BUDGET,
            cause,
            resource,
            -1,
            segment,
            segments[segment, USED] - segments[segment, BUDGET],
        )
    return True


@flat_kernel
def promote(
    table: Table, segments: Table, ranges: Ranges, ends: int, levels: int,
    resource: int, frame: int, cause: int, events: Table, counts: Table,
) -> bool:  # fmt: skip
    """Move a demoted resident home if there is room without evicting anybody."""
    home = home_of(table, resource)
    source = table[resource, SEGMENT]
    size = table[resource, SIZE]
    if segments[home, USED] + size > segments[home, BUDGET]:
        return False
    node = table[resource, NODE]
    if not occupy(table, segments, ranges, resource, home):
        return False
    taken = table[resource, NODE]
    table[resource, NODE] = node
    vacate(table, segments, ranges, resource)
    table[resource, NODE] = taken
    enter(table, segments, ends, levels, resource, home, frame)
    tell(events, counts, PROMOTE, cause, resource, source, home, size)
    return True


@flat_kernel
def touch(table: Table, segments: Table, ends: int, levels: int, resource: int, policy: int, frame: int) -> None:
    """Note a use of a resident, as the policy counts it."""
    table[resource, ENTERED] = frame
    if policy in (CLOCK, SIEVE):
        table[resource, BITS] |= MARK
    elif policy != FIFO and not table[resource, BITS] & PINNED:
        segment = table[resource, SEGMENT]
        edge = ends + segment * levels + (table[resource, BITS] >> LEVEL_SHIFT)
        if table[edge, OLDER] != resource:
            unlink(table, segments, resource)
            link(table, segments, resource, edge)


@flat_kernel
def run_frame(
    table: Table, segments: Table, ranges: Ranges, levels: int, policy: int, frame: int,
    ids: npt.NDArray[np.uint32], access: npt.NDArray[np.uint8], events: Table, counts: Table, touched: Table,
) -> None:  # fmt: skip
    """Run the references of one frame.

    Args:
        table: Resources and ends of lists, shape (resources + segments * levels, columns).
        segments: Shape (segments, columns).
        ranges: The address ranges of the contiguous segments, at least one layer (a stand-in where there is none).
        levels: Number of priority levels.
        policy: Number of the policy.
        frame: Number of the frame.
        ids: Resource of each reference, shape (n,).
        access: READ or WRITE of each reference, shape (n,).
        events: Rows to fill, enough for the worst case; no rows: events are only counted.
        counts: Zeros, shape (COUNTS,); filled with the number of events by kind, their bytes by kind, and the rest.
        touched: Zeros, shape (segments,); filled with the bytes that references read or wrote in each segment.
    """
    ends = table.shape[0] - segments.shape[0] * levels
    for segment in range(segments.shape[0]):
        segments[segment, THRASH] = 0
        while segments[segment, USED] > segments[segment, BUDGET]:
            victim = victim_of(table, segments, ends, levels, segment, policy, frame)
            if victim < 0:
                over = segments[segment, USED] - segments[segment, BUDGET]
                tell(events, counts, OVER_BUDGET, -1, -1, -1, segment, over)
                break
            expel(table, segments, ranges, ends, levels, victim, frame, -1, events, counts)
    for cause in range(ids.size):
        resource = int(ids[cause])
        segment = table[resource, SEGMENT]
        if segment < 0:
            if not page_in(table, segments, ranges, ends, levels, resource, policy, frame, cause, events, counts):
                continue
        elif (
            segment == home_of(table, resource)
            or table[resource, BITS] & PINNED
            or not promote(table, segments, ranges, ends, levels, resource, frame, cause, events, counts)
        ):
            touch(table, segments, ends, levels, resource, policy, frame)
            tell(events, counts, HIT, cause, resource, segment, segment, 0)
        table[resource, LAST_FRAME] = frame
        touched[table[resource, SEGMENT]] += table[resource, SIZE]
        if access[cause] == WRITE:
            table[resource, BITS] |= DIRTY


@flat_kernel
def set_pinned(table: Table, segments: Table, ends: int, levels: int, resource: int, pinned: bool) -> None:
    """Take a resource out of its list for good, or put it back as the newest."""
    if (table[resource, BITS] & PINNED != 0) == pinned:
        return
    resident = table[resource, SEGMENT] >= 0
    if pinned and resident:
        unlink(table, segments, resource)
    table[resource, BITS] ^= PINNED
    if not pinned and resident:
        enter(table, segments, ends, levels, resource, table[resource, SEGMENT], -1)


@flat_kernel
def set_level(table: Table, segments: Table, ends: int, levels: int, resource: int, level: int) -> None:
    """Move a resource to another priority level, where it is the newest."""
    bits = table[resource, BITS]
    listed = table[resource, SEGMENT] >= 0 and not bits & PINNED
    if listed:
        unlink(table, segments, resource)
    table[resource, BITS] = bits & ((1 << LEVEL_SHIFT) - 1) | level << LEVEL_SHIFT
    if listed:
        enter(table, segments, ends, levels, resource, table[resource, SEGMENT], -1)


def warm_up() -> None:
    """Call every frame kernel once, so that it is compiled and in the cache."""
    from explorer.memory.frames import SegmentSpec, frame_memory

    segments = (SegmentSpec(100, 60, demote_to=1, contiguous=True), SegmentSpec(50, 50))
    memory = frame_memory([40, 30, 20], [0, 0, 0], segments, "lru", use_kernels=True)
    memory.run_frame(0, [0, 1, 2, 0], [0, 1, 0, 0])
    memory.set_pinned(0, True)
    memory.set_priority(1, 0)
    memory.release(1)
