"""Who leaves, policy by policy, and the laws that hold for all of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.errors import CommandError, LayoutError
from explorer.memory.eviction import EVICTION_POLICIES, EvictionOrder, make_order, policy_by_id
from explorer.memory.eviction.column_order import COLUMN_POLICIES, MANY_LEVELS, ColumnOrder

ONLINE = [policy.id for policy in EVICTION_POLICIES if policy.order is not None]


def filled(policy: str, count: int = 4, size: int = 10) -> EvictionOrder:
    """Return an order that holds 0, 1, 2, … inserted in frame 0, which has ended."""
    order = make_order(policy)
    order.begin_frame(0)
    for object_id in range(count):
        order.insert(object_id, size)
    order.end_frame()
    return order


@pytest.mark.parametrize(
    ("policy", "used", "leave"),
    [
        ("lru", [], [0, 1, 2, 3]),
        ("lru", [0, 2], [1, 3, 0, 2]),
        ("fifo", [0, 2], [0, 1, 2, 3]),
        ("mru", [0, 2], [2, 0, 3, 1]),
        ("priority-lru", [0, 2], [1, 3, 0, 2]),
        ("lru-mru", [], [0, 1, 2, 3]),
    ],
)
def test_that_each_policy_has_its_own_order(policy: str, used: list[int], leave: list[int]) -> None:
    order = filled(policy)
    for object_id in used:
        order.touch(object_id, 1)
    order.end_frame()
    assert list(order.victims(None)) == leave


@pytest.mark.parametrize("policy", ["priority-lru", "lru-mru"])
def test_that_priority_outranks_age(policy: str) -> None:
    order = filled(policy)
    order.set_priority(0, 5)
    order.set_priority(3, -1)
    assert list(order.victims(None)) == [3, 1, 2, 0]


@pytest.mark.parametrize("policy", ["lru", "mru", "fifo"])
def test_that_plain_policies_ignore_priority(policy: str) -> None:
    order, same = filled(policy), filled(policy)
    order.set_priority(0, 5)
    assert list(order.victims(None)) == list(same.victims(None))
    assert order.priority_of(0) == 5


def test_that_an_object_keeps_its_age_when_its_priority_changes() -> None:
    order = filled("priority-lru", 6)
    for object_id in (3, 1, 5, 0, 4, 2):
        order.set_priority(object_id, 7)
    assert list(order.victims(None)) == [0, 1, 2, 3, 4, 5]


def test_that_lru_turns_to_mru_when_the_victim_was_used_in_this_frame() -> None:
    order = filled("lru-mru", 5)
    order.begin_frame(1)
    for object_id in (1, 2, 3):
        order.touch(object_id, 1)
    leave = order.victims(None)
    assert [next(leave), next(leave)] == [0, 4]
    assert not order.is_thrashing
    assert list(leave) == [3, 2, 1]
    assert order.is_thrashing


def test_that_thrashing_lasts_until_the_frame_ends() -> None:
    order = filled("lru-mru", 3)
    order.begin_frame(1)
    for object_id in (0, 1, 2):
        order.touch(object_id, 1)
    order.evict(next(order.victims(10)))
    order.insert(9, 10)
    assert next(order.victims(10)) == 9
    order.end_frame()
    assert not order.is_thrashing
    assert next(order.victims(10)) == 0


def test_that_a_touch_of_another_frame_begins_that_frame() -> None:
    order = filled("lru-mru", 3)
    for object_id in (0, 1, 2):
        order.touch(object_id, 1)
    assert next(order.victims(10)) == 2
    order.touch(0, 2)
    assert not order.is_thrashing
    assert next(order.victims(10)) == 1


def test_that_a_resource_uploaded_in_this_frame_counts_as_used_in_it() -> None:
    order = make_order("lru-mru")
    order.begin_frame(4)
    order.insert(1, 10)
    order.insert(2, 10)
    assert order.last_use(1) == (4, 0)
    assert list(order.victims(None)) == [2, 1]


def test_that_last_use_tells_frame_and_time() -> None:
    order = filled("lru")
    order.touch(2, 7, 1234)
    assert order.last_use(2) == (7, 1234)


@pytest.mark.parametrize("policy", ONLINE)
def test_that_pinned_objects_stay(policy: str) -> None:
    order = filled(policy, 6)
    assert set(order.victims(None, pinned={1, 2, 5})) == {0, 3, 4}


@pytest.mark.parametrize("policy", ONLINE)
def test_that_nobody_leaves_when_nothing_is_needed(policy: str) -> None:
    assert list(filled(policy).victims(0)) == []
    assert list(make_order(policy).victims(None)) == []


@pytest.mark.parametrize("policy", ONLINE)
def test_that_a_bug_of_the_caller_is_told(policy: str) -> None:
    order = filled(policy)
    with pytest.raises(LayoutError, match="already"):
        order.insert(1, 10)
    with pytest.raises(LayoutError, match="negative id"):
        order.insert(-1, 10)
    with pytest.raises(LayoutError, match="negative size"):
        order.insert(77, -10)
    for call in (order.remove, order.evict, order.last_use, order.priority_of):
        with pytest.raises(LayoutError, match="not in"):
            call(77)
    with pytest.raises(LayoutError, match="not in"):
        order.touch(77, 1)


def test_that_an_unknown_policy_is_refused_with_the_known_ones() -> None:
    with pytest.raises(CommandError) as caught:
        policy_by_id("random")
    assert "lru" in caught.value.complaint.accepted


calls = st.lists(
    st.tuples(
        st.sampled_from(["insert", "touch", "remove", "evict", "priority", "need", "frame", "end"]),
        st.integers(0, 11),
        st.integers(0, 30),
    ),
    max_size=80,
)


def play(order: EvictionOrder, steps: list[tuple[str, int, int]], frame: int = 0) -> list[object]:
    """Apply calls that make sense, evict as needed, and return everything that was decided."""
    seen: list[object] = []
    for call, object_id, number in steps:
        if call == "frame":
            frame += 1
            order.begin_frame(frame)
        elif call == "end":
            order.end_frame()
        elif call == "need":
            for victim in order.victims(number, pinned={object_id}):
                seen.append(victim)
                order.evict(victim)
        elif object_id not in order:
            if call == "insert":
                order.insert(object_id, number, number % 3)
        elif call == "touch":
            order.touch(object_id, frame, number)
        elif call == "priority":
            order.set_priority(object_id, number % 3)
        elif call != "insert":
            getattr(order, call)(object_id)
        seen.append((sorted(order), order.resident_bytes, order.is_thrashing))
    return seen


@pytest.mark.parametrize("policy", ONLINE)
@given(first=calls, then=calls)
@settings(deadline=None, max_examples=40)
def test_that_a_copy_has_the_same_future(
    policy: str, first: list[tuple[str, int, int]], then: list[tuple[str, int, int]]
) -> None:
    order = make_order(policy, 60)
    play(order, first)
    twin, untouched = order.copy(), order.copy()
    future = play(order, then, 5)
    assert play(twin, then, 5) == future
    assert play(untouched, then, 5) == future


@pytest.mark.parametrize("policy", ONLINE)
@given(steps=calls, needed=st.integers(1, 200), pinned=st.sets(st.integers(0, 11)))
@settings(deadline=None, max_examples=60)
def test_that_victims_are_resident_distinct_unpinned_and_just_enough(
    policy: str, steps: list[tuple[str, int, int]], needed: int, pinned: set[int]
) -> None:
    order = make_order(policy, 60)
    play(order, steps)
    sizes: list[int] = []
    seen: set[int] = set()
    free = [object_id for object_id in order if object_id not in pinned]
    for victim in order.victims(needed, pinned):
        assert victim in order
        assert victim not in seen | pinned
        assert sum(sizes) < needed
        seen.add(victim)
        before = order.resident_bytes
        order.evict(victim)
        sizes.append(before - order.resident_bytes)
    assert sum(sizes) >= needed or seen == set(free)


@pytest.mark.parametrize("policy", COLUMN_POLICIES)
@given(first=calls, then=calls)
@settings(deadline=None, max_examples=80)
def test_that_an_order_in_columns_decides_as_the_plain_one(
    policy: str, first: list[tuple[str, int, int]], then: list[tuple[str, int, int]]
) -> None:
    plain, columns = make_order(policy), ColumnOrder(policy)
    assert isinstance(columns, EvictionOrder)
    assert play(columns, first) == play(plain, first)
    twin = columns.copy()
    plain_future = play(plain, then, 5)
    assert play(columns, then, 5) == plain_future == play(twin, then, 5)
    assert list(columns.victims(None)) == list(plain.victims(None))
    assert [columns.priority_of(row) for row in sorted(columns)] == [plain.priority_of(row) for row in sorted(plain)]


def test_that_levels_that_nobody_uses_any_more_are_dropped() -> None:
    order = ColumnOrder("priority-lru")
    for row in range(4):
        order.insert(row, 1)
    for priority in range(10 * MANY_LEVELS):
        order.set_priority(priority % 4, priority)
    assert len(order.levels) <= 2 * MANY_LEVELS
    assert list(order.victims(None)) == [0, 1, 2, 3]


@pytest.mark.parametrize("call", ["touch", "remove", "last_use", "priority_of"])
def test_that_an_order_in_columns_tells_a_bug_of_the_caller(call: str) -> None:
    order = ColumnOrder("lru")
    order.insert(1, 5)
    with pytest.raises(LayoutError):
        getattr(order, call)(*((2, 0) if call == "touch" else (2,)))
    with pytest.raises(LayoutError):
        order.insert(1, 5)


@pytest.mark.parametrize("policy", COLUMN_POLICIES)
@given(first=calls, then=calls)
@settings(deadline=None, max_examples=60)
def test_that_a_packed_order_goes_on_as_the_one_that_was_packed(
    policy: str, first: list[tuple[str, int, int]], then: list[tuple[str, int, int]]
) -> None:
    order = ColumnOrder(policy)
    play(order, first)
    packed = order.packed()
    once, again = packed.copy(), packed.copy()
    assert list(once.victims(None)) == list(order.victims(None))
    assert [once.last_use(row) for row in sorted(once)] == [order.last_use(row) for row in sorted(order)]
    future = play(order, then, 5)
    assert play(once, then, 5) == future == play(again, then, 5)
    members = sorted(order)
    # What left keeps its last links, which nobody reads.
    assert (once.table[members] == order.table[members]).all()
    assert (once.levels == order.levels).all()
