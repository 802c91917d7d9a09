"""Frames against residency: the kernel against plain Python, the laws of bytes, and what single rules say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.errors import CommandError, InputError, LayoutError
from explorer.memory.frames import (
    KERNEL_POLICIES,
    READ,
    WRITE,
    FrameEvent,
    FrameMemory,
    FrameOutcome,
    SegmentSpec,
    frame_memory,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

POLICIES = [*KERNEL_POLICIES, "s3-fifo", "arc"]
both = pytest.mark.parametrize("use_kernels", [True, False], ids=["kernel", "plain"])


def kinds(outcome: FrameOutcome) -> list[tuple[str, int]]:
    """Return name of the kind and resource of each event."""
    return [(FrameEvent(row[0]).name, row[2]) for row in outcome.events.tolist()]


def simple(use_kernels: bool, sizes: Sequence[int], budget: int, policy: str = "lru", **options: Any) -> FrameMemory:
    segments = options.pop("segments", (SegmentSpec(budget, budget),))
    homes = options.pop("homes", [0] * len(sizes))
    return frame_memory(sizes, homes, segments, policy, use_kernels=use_kernels, **options)


@both
def test_that_a_first_use_pages_in_and_a_second_hits(use_kernels: bool) -> None:
    memory = simple(use_kernels, [10, 20], 100)
    outcome = memory.run_frame(0, [0, 1, 0])
    assert kinds(outcome) == [("PAGE_IN", 0), ("PAGE_IN", 1), ("HIT", 0)]
    assert outcome.counts[FrameEvent.PAGE_IN] == 2
    assert outcome.bytes[FrameEvent.PAGE_IN] == 30
    assert outcome.touched_bytes == (40,)
    assert memory.used_bytes == (30,)


@both
def test_that_only_what_was_written_moves_bytes_when_it_leaves(use_kernels: bool) -> None:
    memory = simple(use_kernels, [10, 10, 20], 20)
    memory.run_frame(0, [0, 1], [WRITE, READ])
    outcome = memory.run_frame(1, [2])
    assert kinds(outcome) == [("EVICT", 0), ("EVICT", 1), ("PAGE_IN", 2)]
    assert outcome.events[:2, 5].tolist() == [10, 0]
    assert outcome.evicted_in_use == 0


@both
def test_that_who_leaves_goes_down_while_there_is_room_and_home_when_there_is(use_kernels: bool) -> None:
    segments = (SegmentSpec(20, 20, demote_to=1), SegmentSpec(10, 10))
    memory = simple(use_kernels, [10, 10, 10, 10], 0, segments=segments)
    outcome = memory.run_frame(0, [0, 1, 2, 3])
    assert kinds(outcome)[2:] == [("DEMOTE", 0), ("PAGE_IN", 2), ("EVICT", 1), ("PAGE_IN", 3)]
    assert outcome.evicted_in_use == 2
    outcome = memory.run_frame(1, [0])
    assert kinds(outcome) == [("HIT", 0)]
    assert outcome.touched_bytes == (0, 10)
    memory.release(2)
    assert kinds(memory.run_frame(2, [0])) == [("PROMOTE", 0)]
    assert memory.residency().segment.tolist() == [0, -1, -1, 0]


@both
def test_that_what_no_budget_holds_is_placed_over_budget_or_refused(use_kernels: bool) -> None:
    memory = simple(use_kernels, [50, 90, 10], 0, segments=(SegmentSpec(80, 40),))
    outcome = memory.run_frame(0, [0, 1])
    assert kinds(outcome) == [("PAGE_IN", 0), ("OVER_BUDGET", 0), ("REFUSE", 1)]
    assert outcome.events[1].tolist() == [FrameEvent.OVER_BUDGET, 0, 0, -1, 0, 10]
    # The next frame brings the segment back under its budget.
    assert kinds(memory.run_frame(1, [2])) == [("EVICT", 0), ("PAGE_IN", 2)]


@both
def test_that_a_lowered_budget_evicts_when_the_next_frame_begins(use_kernels: bool) -> None:
    memory = simple(use_kernels, [10, 10, 10], 30)
    memory.run_frame(0, [0, 1, 2])
    memory.set_budget(0, 10)
    outcome = memory.run_frame(1, [])
    assert outcome.events[:, :3].tolist() == [[FrameEvent.EVICT, -1, 0], [FrameEvent.EVICT, -1, 1]]
    assert memory.used_bytes == (10,)


@both
def test_that_pinned_resources_stay_and_the_segment_says_that_it_is_over(use_kernels: bool) -> None:
    memory = simple(use_kernels, [10, 10], 20)
    memory.run_frame(0, [0, 1])
    memory.set_pinned(0, True)
    memory.set_budget(0, 5)
    outcome = memory.run_frame(1, [0])
    assert kinds(outcome) == [("EVICT", 1), ("OVER_BUDGET", -1), ("HIT", 0)]
    memory.set_pinned(0, False)
    assert kinds(memory.run_frame(2, [])) == [("EVICT", 0)]


@both
def test_that_a_contiguous_segment_can_fail_by_its_holes_alone(use_kernels: bool) -> None:
    segments = (SegmentSpec(4096, 4096, contiguous=True),)
    memory = simple(use_kernels, [1024, 1024, 1024, 1024, 2048], 0, segments=segments)
    memory.run_frame(0, [0, 1, 2, 3])
    memory.release(1)
    memory.release(3)
    outcome = memory.run_frame(1, [4])
    # 2048 bytes are free in two holes; the oldest has to leave to join them.
    assert kinds(outcome) == [("FRAGMENTED", 4), ("EVICT", 0), ("PAGE_IN", 4)]
    assert memory.residency().address.tolist() == [-1, -1, 2048, -1, 0]


@both
def test_that_lru_turns_to_mru_while_a_frame_needs_more_than_fits(use_kernels: bool) -> None:
    memory = simple(use_kernels, [10] * 5, 40, "lru-mru")
    memory.run_frame(0, [0, 1, 2, 3, 4])
    assert memory.is_thrashing(0)
    outcome = memory.run_frame(1, [0, 1, 2, 3, 4])
    assert outcome.counts[FrameEvent.HIT] == 3
    assert simple(use_kernels, [10], 40, "lru").is_thrashing(0) is False


@both
def test_that_the_lowest_priority_leaves_first(use_kernels: bool) -> None:
    memory = simple(use_kernels, [10] * 4, 30, "priority-lru", priorities=[5, 1, 5, 5], levels=[0])
    assert kinds(memory.run_frame(0, [0, 1, 2, 3]))[3:] == [("EVICT", 1), ("PAGE_IN", 3)]
    memory.set_priority(3, 0)
    assert kinds(memory.run_frame(1, [1])) == [("EVICT", 3), ("PAGE_IN", 1)]
    with pytest.raises(InputError, match="priority"):
        memory.set_priority(0, 99)


@both
def test_that_events_can_be_left_out_but_are_counted(use_kernels: bool) -> None:
    memory, same = simple(use_kernels, [10] * 5, 20), simple(use_kernels, [10] * 5, 20)
    silent = memory.run_frame(0, [0, 1, 2, 3, 0], events=False)
    told = same.run_frame(0, [0, 1, 2, 3, 0])
    assert silent.events.shape == (0, 6)
    assert (silent.counts, silent.bytes) == (told.counts, told.bytes)
    assert len(told.events) == sum(told.counts)
    with pytest.raises(ValueError, match="read-only"):
        told.events[0, 0] = 1


SIZES = st.integers(1, 60)
STEP = st.one_of(
    st.tuples(st.just("frame"), st.lists(st.tuples(st.integers(0, 9), st.integers(0, 1)), max_size=25)),
    st.tuples(st.just("budget"), st.tuples(st.integers(0, 2), st.integers(0, 60))),
    st.tuples(st.sampled_from(["pin", "unpin", "release"]), st.integers(0, 9)),
    st.tuples(st.just("priority"), st.tuples(st.integers(0, 9), st.integers(0, 3))),
)


def apply(memory: FrameMemory, step: tuple[str, Any], frame: int) -> object:
    """Do one step of a story, and return what it said."""
    what, value = step
    if what == "frame":
        outcome = memory.run_frame(frame, [i for i, _ in value], [a for _, a in value])
        return (
            outcome.events.tolist(), outcome.counts, outcome.bytes, outcome.evicted_in_use, outcome.touched_bytes,
            [memory.is_thrashing(segment) for segment in range(3)],
        )  # fmt: skip
    if what == "budget":
        memory.set_budget(*value)
    elif what == "priority":
        memory.set_priority(*value)
    elif what == "release":
        memory.release(value)
    else:
        memory.set_pinned(value, what == "pin")
    return None


def check_bytes(memory: FrameMemory) -> None:
    """Assert that residents and used bytes agree, and that ranges in contiguous segments do not overlap."""
    where = memory.residency()
    sizes = memory.setup.sizes
    for number, spec in enumerate(memory.setup.segments):
        here = np.flatnonzero(where.segment == number)
        assert memory.used_bytes[number] == int(sizes[here].sum()) <= spec.capacity_bytes
        if spec.contiguous:
            ranges = sorted(zip(where.address[here].tolist(), sizes[here].tolist(), strict=True))
            ends = [start + size for start, size in ranges]
            assert all(end <= start for end, (start, _) in zip(ends, ranges[1:], strict=False))
            assert all(start >= 0 and end <= spec.capacity_bytes for end, (start, _) in zip(ends, ranges, strict=True))
            assert (where.address[here] % memory.setup.alignments[here] == 0).all()


@pytest.mark.parametrize("policy", KERNEL_POLICIES)
@pytest.mark.parametrize("contiguous", [False, True], ids=["paged", "contiguous"])
@given(
    sizes=st.lists(SIZES, min_size=10, max_size=10),
    homes=st.lists(st.integers(0, 2), min_size=10, max_size=10),
    budgets=st.lists(st.integers(0, 150), min_size=3, max_size=3),
    alignments=st.lists(st.sampled_from([1, 2, 16]), min_size=10, max_size=10),
    priorities=st.lists(st.integers(0, 3), min_size=10, max_size=10),
    story=st.lists(STEP, max_size=12),
)
@settings(deadline=None, max_examples=40)
def test_that_kernel_and_plain_python_tell_the_same_story(
    policy: str,
    contiguous: bool,
    sizes: list[int],
    homes: list[int],
    budgets: list[int],
    alignments: list[int],
    priorities: list[int],
    story: list[tuple[str, Any]],
) -> None:
    segments = [
        SegmentSpec(150, budgets[0], demote_to=1, contiguous=contiguous),
        SegmentSpec(150, budgets[1], demote_to=2),
        SegmentSpec(150, budgets[2], contiguous=contiguous),
    ]
    fast, plain = (
        frame_memory(
            sizes, homes, segments, policy,
            alignments=alignments, priorities=priorities, levels=range(4), use_kernels=use_kernels,
        )
        for use_kernels in (True, False)
    )  # fmt: skip
    assert type(fast) is not type(plain)
    for frame, step in enumerate(story):
        assert apply(fast, step, frame) == apply(plain, step, frame)
        assert fast.used_bytes == plain.used_bytes
    check_bytes(fast)
    ours, theirs = fast.residency(), plain.residency()
    for name in ("segment", "address", "last_frame", "dirty", "pinned"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist()


@pytest.mark.parametrize("policy", POLICIES)
@given(
    references=st.lists(st.lists(st.integers(0, 9), max_size=20), max_size=5),
    budget=st.integers(0, 100),
    sizes=st.lists(SIZES, min_size=10, max_size=10),
)
@settings(deadline=None, max_examples=30)
def test_that_bytes_in_less_bytes_out_are_resident(
    policy: str, references: list[list[int]], budget: int, sizes: list[int]
) -> None:
    memory = frame_memory(sizes, [0] * 10, [SegmentSpec(120, budget)], policy)
    balance = 0
    for frame, ids in enumerate(references):
        outcome = memory.run_frame(frame, ids, [WRITE] * len(ids))
        balance += outcome.bytes[FrameEvent.PAGE_IN] - outcome.bytes[FrameEvent.EVICT]
        over = outcome.counts[FrameEvent.OVER_BUDGET]
        assert memory.used_bytes[0] <= budget or over
        served = sum(outcome.counts[kind] for kind in (FrameEvent.HIT, FrameEvent.PAGE_IN, FrameEvent.REFUSE))
        assert served == len(ids)
    assert memory.used_bytes == (balance,)
    check_bytes(memory)


def test_that_a_long_story_over_budget_keeps_its_books() -> None:
    random = np.random.default_rng(11)
    sizes = random.integers(1, 1 << 20, 3000)
    segments = [
        SegmentSpec(1 << 29, 1 << 28, demote_to=1, contiguous=True),
        SegmentSpec(1 << 28, 1 << 27),
    ]
    fast, plain = (
        frame_memory(sizes, [0] * 3000, segments, "sieve", alignments=[256] * 3000, use_kernels=use)
        for use in (True, False)
    )
    for frame in range(12):
        ids = (random.zipf(1.2, 1000) + frame * 40) % 3000
        access = random.integers(0, 2, 1000)
        one, two = fast.run_frame(frame, ids, access), plain.run_frame(frame, ids, access)
        assert np.array_equal(one.events, two.events)
        assert (one.counts, one.bytes) == (two.counts, two.bytes)
    check_bytes(fast)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"sizes": [0, 1]}, "sizes"),
        ({"sizes": [1.5, 1]}, "sizes"),
        ({"homes": [0]}, "homes"),
        ({"homes": [0, 2]}, "homes"),
        ({"alignments": [3, 1]}, "alignments"),
        ({"priorities": [1]}, "priorities"),
        ({"segments": []}, "segments"),
        ({"segments": [SegmentSpec(0, 0)]}, "segments[0]"),
        ({"segments": [SegmentSpec(10, 11)]}, "segments[0]"),
        ({"segments": [SegmentSpec(10, 10, demote_to=5)]}, "segments[0]"),
        ({"segments": [SegmentSpec(10, 10, demote_to=1), SegmentSpec(10, 10, demote_to=0)]}, "segments[0]"),
        ({"segments": [SegmentSpec(10, 10, demote_to=0)]}, "segments[0]"),
    ],
)
def test_that_bad_input_is_named(change: dict[str, Any], where: str) -> None:
    options: dict[str, Any] = {"sizes": [1, 1], "homes": [0, 0], "segments": [SegmentSpec(10, 10)], "policy": "lru"}
    with pytest.raises(InputError) as caught:
        frame_memory(**(options | change))
    assert caught.value.complaint.where == where


def test_that_the_warm_up_compiles_what_frames_need_whatever_the_segments() -> None:
    from explorer.memory import frame_kernels

    frame_kernels.warm_up()
    if not hasattr(frame_kernels.run_frame, "signatures"):
        pytest.skip("compiling is switched off")
    kernels = (frame_kernels.run_frame, frame_kernels.vacate, frame_kernels.set_pinned, frame_kernels.set_level)
    # A cold compile of one kernel may compile another for a call inside it: what counts is that nothing is added.
    compiled = [len(kernel.signatures) for kernel in kernels]
    assert all(compiled)
    for contiguous in range(3):
        segments = [SegmentSpec(64, 64, contiguous=number < contiguous) for number in range(3)]
        frame_memory([8] * 4, [0, 1, 2, 0], segments, "mru").run_frame(0, [0, 1, 2, 3], events=contiguous == 1)
    assert [len(kernel.signatures) for kernel in kernels] == compiled


def test_that_belady_cannot_run_frames() -> None:
    with pytest.raises(CommandError, match="future"):
        frame_memory([1], [0], [SegmentSpec(1, 1)], "belady")


@both
def test_that_wrong_use_is_told(use_kernels: bool) -> None:
    memory = simple(use_kernels, [1, 1], 5)
    for ids, access in (([2], None), ([-1], None), ([0], [2]), ([0], [0, 0])):
        with pytest.raises(InputError):
            memory.run_frame(0, ids, access)
    for budget in (-1, 6):
        with pytest.raises(InputError):
            memory.set_budget(0, budget)
    with pytest.raises(InputError):
        memory.set_budget(1, 1)
    with pytest.raises(LayoutError):
        memory.release(2)
