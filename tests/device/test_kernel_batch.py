"""A submission in one kernel call does what the plain rules of the kernel memory manager do."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.device import kernel_batch, make_device
from explorer.device.event_rows import EventParts
from explorer.device.memory_state import MemoryState
from explorer.memory.kernels import is_jit_disabled, warm_up
from explorer.tables.adapters import adapter
from tests.sim.test_d3d12_device import MIB, Rig

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from explorer.core.events import Event
    from explorer.device.d3d12 import D3D12Device

KIB64 = 65536


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    if is_jit_disabled():
        pytest.skip("kernels are switched off")
    warm_up()


@pytest.fixture(params=["tlsf", "best-fit", "buddy", "linear", "offset-bins"])
def allocator(request: pytest.FixtureRequest) -> str:
    return request.param


class Twins:
    """Two devices with little memory: kernels always, and never."""

    def __init__(self, policy: str, sizes: dict[str, int], budgets: dict[str, int], allocator: str = "tlsf") -> None:
        own = adapter("rtx3060-laptop")
        segments = tuple(
            dataclasses.replace(one, size_bytes=sizes.get(one.group, one.size_bytes)) for one in own.segments
        )
        self.rigs: list[Rig] = []
        for _ in range(2):
            rig = Rig()
            budget = {(0, group): size for group, size in budgets.items()}
            rig.state = MemoryState(dataclasses.replace(own, segments=segments), allocator, budget)
            rig.device = make_device("d3d12", rig.state, {"policy": policy})
            self.rigs.append(rig)

    def call(self, monkeypatch: pytest.MonkeyPatch, call: str, inputs: dict[str, object], out: str = "") -> bool:
        """Make a call on both devices and compare everything; return whether it succeeded."""
        answers: list[tuple[str, list[Event]]] = []
        for rig, fewest in zip(self.rigs, (1, 1 << 60), strict=True):
            monkeypatch.setattr(kernel_batch, "FEWEST", fewest)
            outcome = rig.call(call, inputs, out or None)
            answers.append((outcome.hr, list(outcome.events)))
        assert answers[0] == answers[1]
        first, second = (rig.state for rig in self.rigs)
        for name in ("heaps", "blocks", "resources"):
            one, other = getattr(first, name), getattr(second, name)
            for column in one._columns:
                assert np.array_equal(one[column][one.live], other[column][other.live]), (name, column)
        assert first.log.tail == second.log.tail
        assert dict(first.log.counts) == dict(second.log.counts)
        assert list(first.groups.values()) == list(second.groups.values())
        assert [segment.held for segment in first.segments] == [segment.held for segment in second.segments]
        assert first.times == second.times
        leaving = [list(cast("D3D12Device", rig.device).kernel._order.victims(None)) for rig in self.rigs]
        assert leaving[0] == leaving[1]
        for segment in first.segments:
            segment.validate()
        return answers[0][0] == "S_OK"


steps = st.lists(
    st.one_of(
        st.tuples(st.just("heap"), st.integers(0, 15), st.integers(1, 20), st.booleans()),
        st.tuples(st.just("use"), st.lists(st.integers(0, 15), min_size=1, max_size=10)),
        st.tuples(st.just("present")),
        st.tuples(st.just("evict"), st.integers(0, 15)),
        st.tuples(st.just("resident"), st.integers(0, 15)),
        st.tuples(st.just("release"), st.integers(0, 15)),
        st.tuples(st.just("priority"), st.integers(0, 15), st.integers(0, 3)),
        st.tuples(st.just("budget"), st.integers(0, 40)),
    ),
    min_size=4,
    max_size=40,
)


@pytest.mark.parametrize("policy", ["lru", "fifo", "priority-lru"])
@given(
    steps=steps,
    local=st.integers(8, 40),
    other=st.integers(0, 30),
    system=st.integers(1, 40),
    budget=st.integers(4, 40),
)
@settings(deadline=None, max_examples=60)
def test_that_kernel_and_plain_rules_tell_the_same_story(
    policy: str, steps: list[Any], local: int, other: int, system: int, budget: int
) -> None:
    sizes = {"LOCAL": local * KIB64, "NON_LOCAL": other * KIB64, "SYSTEM": system * KIB64, "PAGE_FILE": 30 * KIB64}
    twins = Twins(policy, sizes, {"LOCAL": budget * KIB64, "NON_LOCAL": max(other - 5, 0) * KIB64})
    with pytest.MonkeyPatch.context() as patch:
        play(twins, patch, steps)


def play(twins: Twins, patch: pytest.MonkeyPatch, steps: Sequence[Any]) -> None:
    """Make the calls that make sense."""
    alive: list[str] = []
    for step in steps:
        what = step[0]
        name = f"H{step[1]}" if len(step) > 1 else ""
        if what == "heap" and name not in alive:
            kind = "D3D12_HEAP_TYPE_UPLOAD" if step[3] else "D3D12_HEAP_TYPE_DEFAULT"
            desc = {"SizeInBytes": step[2] * KIB64, "Properties": {"Type": kind}}
            if twins.call(patch, "CreateHeap", {"pDesc": desc}, name):
                alive.append(name)
        elif what == "use":
            names = [f"H{i}" for i in dict.fromkeys(step[1]) if f"H{i}" in alive]
            twins.call(patch, "ExecuteCommandLists", {"references": names})
        elif what == "present":
            twins.call(patch, "Present", {})
        elif what == "budget":
            for rig in twins.rigs:
                rig.device.set_option("budget", f"LOCAL={step[1] * KIB64}")
                rig.state.log.take()
        elif name in alive:
            if what == "evict":
                twins.call(patch, "Evict", {"ppObjects": [name]})
            elif what == "resident":
                twins.call(patch, "MakeResident", {"ppObjects": [name]})
            elif what == "priority":
                levels = (0x28000000, 0x50000000, 0x78000000, 0xA0010000)
                twins.call(patch, "SetResidencyPriority", {"ppObjects": [name], "pPriorities": [levels[step[2]]]})
            elif what == "release":
                twins.call(patch, "Release", {"pObject": name})
                alive.remove(name)


def rounds(count: int) -> Iterator[Any]:
    """Yield a story of many heaps under pressure."""
    for index in range(16):
        yield ("heap", index, 1 + index % 5, False)
    for frame in range(count):
        yield ("use", [(frame * 3 + i) % 16 for i in range(8)])
        yield ("present",)
        if frame % 5 == 4:
            yield ("budget", 12 + frame % 9)
        if frame % 4 == 3:
            yield ("release", frame % 16)
            yield ("heap", frame % 16, 1 + frame % 7, False)


def test_that_every_allocator_gives_the_moved_heaps_the_addresses_of_single_calls(allocator: str) -> None:
    sizes = {"LOCAL": 30 * KIB64, "NON_LOCAL": 16 * KIB64, "SYSTEM": 10 * KIB64, "PAGE_FILE": 64 * KIB64}
    twins = Twins("lru", sizes, {"LOCAL": 20 * KIB64, "NON_LOCAL": 16 * KIB64}, allocator)
    with pytest.MonkeyPatch.context() as patch:
        play(twins, patch, list(rounds(40)))
    counts = twins.rigs[0].state.log.counts
    assert min(counts[kind] for kind in ("demoted", "paged_in", "over_budget")) > 0


def test_that_large_moves_take_the_time_that_plain_integers_say() -> None:
    from explorer.memory import paging_kernels

    for size in (1, 4096, 8_999_999_999, 9_000_000_000, (1 << 36) + 12345, 1 << 45):
        for rate in (0, 1, 60_000_000, 15_753_846_153, 1_008_000_000_000):
            expected = size * 10**9 // rate if rate else 0
            if expected < 1 << 62:
                assert paging_kernels.transfer_ns(size, rate) == expected


def test_that_rows_become_events_only_when_looked_at() -> None:
    twins = Twins("lru", {"LOCAL": 8 * MIB}, {"LOCAL": 4 * MIB})
    rig = twins.rigs[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_batch, "FEWEST", 1)
        for index in range(8):
            rig.heap(f"H{index}", MIB)
        outcome = rig.call("ExecuteCommandLists", {"references": ["H0"]})
    assert isinstance(outcome.events, EventParts)
    events = list(outcome.events)
    assert [outcome.events[at] for at in range(len(events))] == events
    assert outcome.events[-1] == events[-1]
    assert outcome.events[1:3] == events[1:3]
    assert [event.number for event in events] == list(range(events[0].number, events[0].number + len(events)))
    with pytest.raises(IndexError):
        outcome.events[len(events)]
