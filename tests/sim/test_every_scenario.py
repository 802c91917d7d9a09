"""Every scenario, frame after frame: each byte adds up, and each way to a frame ends in the same bytes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from explorer.interchange.snapshot_encode import snapshot_sha256
from explorer.memory.allocators import ranges
from explorer.memory.allocators.protocol import REFUSAL_RULES
from explorer.sim.scenarios import load_simulation
from tests.cli.serve_runs import CommandLine
from tests.every_scenario import FRAMES, SCENARIOS, detour
from tests.sim.laws import Ledger
from tests.sim.test_simulation import facts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from explorer.sim.simulation import Simulation
    from explorer.sim.snapshot import Snapshot

SHOWS_REFUSALS = ("d3d9-properties",)
"""Presets that try what is forbidden; which rule refuses what is held in ``tests/device/test_d3d9_event_rules.py``."""


@pytest.fixture(scope="module")
def interpreted() -> Iterator[CommandLine]:
    """The command line where no kernel is compiled."""
    made = CommandLine(NUMBA_DISABLE_JIT="1", PYTHONHASHSEED="7")
    yield made
    made.close()


def compiled_run(scenario: str, monkeypatch: pytest.MonkeyPatch) -> Simulation:
    """Return a run whose allocators are kernels from their first operation on."""
    with monkeypatch.context() as patch:
        patch.setattr(ranges, "WORK_BEFORE_KERNELS", 0)
        patch.setattr(ranges, "kernels_ready", lambda: True)
        run = load_simulation(scenario)
    device: Any = run._device  # pyright: ignore[reportPrivateUsage] - asked, not changed
    assert any(segment._addresses._core.compiled for segment in device.state.segments), "no kernel took over"
    return run


def arrays_of(table: Any) -> dict[str, np.ndarray]:
    """Return the columns of a table."""
    columns = {field.name: getattr(table, field.name) for field in dataclasses.fields(table)}
    return {name: column for name, column in columns.items() if isinstance(column, np.ndarray)}


def same_history(one: Snapshot, other: Snapshot) -> bool:
    """Return whether two runs tell the timeline the same."""
    pairs = ((name, column, arrays_of(other.history)[name]) for name, column in arrays_of(one.history).items())
    marks = one.history is not None and other.history is not None and one.history.marks == other.history.marks
    return marks and all(np.array_equal(column, twin) for _, column, twin in pairs)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_that_every_frame_adds_up_and_every_way_ends_in_the_same_bytes(
    scenario: str, interpreted: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpreted.ask("run", scenario, "--frames", str(FRAMES), "--json")
    ledger = Ledger(compiled_run(scenario, monkeypatch))
    for _ in range(FRAMES):
        ledger.step()
    straight, seen = snapshot_sha256(ledger.snapshot), facts(ledger.snapshot)

    back_and_forth = load_simulation(scenario)
    for frame in detour(FRAMES):
        back_and_forth.seek(frame)
    there = back_and_forth.snapshot()
    assert snapshot_sha256(there) == straight
    assert facts(there) == seen
    assert same_history(there, ledger.snapshot)
    assert interpreted.answer()["snapshot_sha256"] == straight

    ledger.go_on(ledger.simulation.frames)
    snapshot = ledger.snapshot
    scenario_file = ledger.simulation.scenario
    aliases = any(group.aliases for group in scenario_file.objects)
    tiles = any(moment.call == "UpdateTileMappings" for moment in scenario_file.moments)
    assert aliases <= bool(ledger.shared) <= (aliases or tiles), "bytes are shared exactly where that is declared"
    assert snapshot.event_counts["not_simulated"] == 0
    refused = [event for event in snapshot.events if event.kind == "refused"]
    if scenario not in SHOWS_REFUSALS:
        assert all(event.rule in REFUSAL_RULES for event in refused), "only room may be missing in a preset"
    for table in (snapshot.heaps, snapshot.blocks, snapshot.wastes, snapshot.resources, snapshot.history):
        assert table is not None
        for name, array in arrays_of(table).items():
            assert not array.flags.writeable, name
