"""Laws of every allocator over long runs: hypothesis chooses batches, 10,000 operations and more in one run."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from explorer.core.random import below, stream
from explorer.memory.allocators import ALLOCATORS, make_allocator
from explorer.memory.allocators.protocol import Allocator, Placement

SIZE = 1 << 20
BATCH = 420
STEPS = 26
"""Batches of a run: 10,920 operations."""


class Machine(RuleBasedStateMachine):
    """One allocator, filled and emptied by batches that a seed describes."""

    allocator_id = ""
    longest = 0

    def __init__(self) -> None:
        super().__init__()
        self.allocator: Allocator = make_allocator(self.allocator_id, SIZE)
        self.live: list[int] = []
        self.operations = 0

    @initialize()
    def begin(self) -> None:
        assert self.allocator.report().free + self.allocator.report().padding == SIZE

    @rule(
        seed=st.integers(0, 1 << 30),
        share=st.integers(1, 9),
        most=st.sampled_from([64, 900, 20_000]),
        end=st.integers(0, 9),
    )
    def batch(self, seed: int, share: int, most: int, end: int) -> None:
        key = stream(seed, "batch")
        for i in range(BATCH):
            self.operations += 1
            if self.live and below(key, 3 * i, 10) >= share:
                self.allocator.free(self.live.pop(self._victim(key, i)))
                continue
            size = 1 + below(key, 3 * i + 1, most)
            alignment = 1 << below(key, 3 * i + 2, 9)
            planned = self.allocator.plan(size, alignment)
            taken = self.allocator.take(size, alignment)
            assert planned == taken
            if isinstance(taken, Placement):
                assert taken.offset % alignment == 0
                self.live.append(taken.offset)
        if not end:
            self.empty()

    def teardown(self) -> None:
        kind = type(self)
        kind.longest = max(kind.longest, self.operations)

    def _victim(self, key: int, i: int) -> int:
        # A stack gives back in reverse order only; a ring in order. Both are legal everywhere else.
        return 0 if self.allocator_id == "linear" else below(key, 3 * i + 1, len(self.live))

    def empty(self) -> None:
        for offset in list(self.live):
            self.allocator.free(offset)
            self.operations += 1
        self.live.clear()
        report = self.allocator.report()
        assert report.used == 0
        assert len(self.allocator.holes()) == 1

    @invariant()
    def the_bytes_add_up(self) -> None:
        report = self.allocator.report()
        assert report.used + report.free + report.padding == report.size
        blocks = self.allocator.spans()
        assert len(blocks) == len(self.live)
        assert all(first.end <= second.start for first, second in pairwise(blocks))
        self.allocator.validate()


@pytest.mark.parametrize("allocator_id", [entry.id for entry in ALLOCATORS])
def test_that_ten_thousand_operations_keep_the_laws(allocator_id: str) -> None:
    machine = type("Chosen", (Machine,), {"allocator_id": allocator_id})
    calm = settings(max_examples=4, stateful_step_count=STEPS, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(machine, settings=calm)
    assert machine.longest >= 10_000, "a long run is the point"
