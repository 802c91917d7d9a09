"""A scenario on an adapter that refuses its heaps goes on without what was to lie in them."""

from __future__ import annotations

import pytest

from explorer.core.events import EventKind
from explorer.sim.scenarios import load_scenario, make_simulation


@pytest.mark.parametrize(
    ("scenario", "adapter", "heaps"),
    [("d3d12-gpu-upload-heaps", "gtx970", "Direct heap"), ("d3d12-linked-nodes", "uhd630", "Node 1")],
)
def test_that_a_refused_heap_is_an_event_and_not_the_end_of_the_run(scenario: str, adapter: str, heaps: str) -> None:
    own = make_simulation(load_scenario(scenario)).snapshot()
    simulation = make_simulation(load_scenario(scenario), adapter)
    simulation.step(2)
    snapshot = simulation.snapshot()
    refused = sum(name.startswith(heaps) for name in own.heaps.names) - sum(
        name.startswith(heaps) for name in snapshot.heaps.names
    )
    assert snapshot.provenance.frame == 2
    assert refused > 0
    assert snapshot.event_counts[EventKind.REFUSED] >= refused
    assert not any(name.startswith(heaps) for name in snapshot.heaps.names)
    assert len(snapshot.resources.names) < len(own.resources.names)
