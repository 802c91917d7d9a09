"""Every scenario, frame after frame: each byte adds up, and each way to a frame ends in the same bytes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from explorer.core.kinds import ResidencyPlace
from explorer.interchange.snapshot_encode import snapshot_sha256
from explorer.memory.allocators import ranges
from explorer.memory.allocators.protocol import REFUSAL_RULES
from explorer.sim.residency_history import PLACE
from explorer.sim.scenarios import load_simulation
from tests.cli.serve_runs import CommandLine
from tests.every_scenario import FRAMES, SCENARIOS, detour
from tests.sim.laws import Ledger
from tests.sim.test_simulation import facts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from explorer.sim.simulation import Simulation
    from explorer.sim.snapshot import Snapshot

SHOWS_REFUSALS = ("d3d9-properties", "d3d11-staging-readback")
"""Presets that try what is forbidden; which rule refuses what is held in ``tests/device/test_d3d9_event_rules.py`` and,
for staging textures, by lines 6 and 13 of ``docs/coverage.md``."""


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
    return (
        marks and all(np.array_equal(column, twin) for _, column, twin in pairs) and residency(one) == residency(other)
    )


def residency(snapshot: Snapshot) -> list[list[int | str]]:
    """Return the changes of residency with names for words, whose numbers depend on the way."""
    assert snapshot.history is not None
    history = snapshot.history.residency
    words = [*history.words.words, ""]
    rows = [row for part in history.parts for row in part.tolist()]
    return [
        [words[row[0]], *row[1:4], words[row[4]], *row[5:7], *(words[at] for at in row[7:9]), row[9]] for row in rows
    ]


def answers_why(simulation: Simulation, refused: set[str]) -> None:
    """Ask about resident, not resident and refused things; every answer rests on an event and has figures."""
    snapshot = simulation.snapshot()
    names, resident = snapshot.resources.names, snapshot.resources.resident
    kinds = {
        "resident": [name for name, here in zip(names, resident, strict=True) if here],
        "out": [name for name, here in zip(names, resident, strict=True) if not here],
        "refused": sorted(refused),
    }
    for kind, asked in kinds.items():
        for name in asked[:: max(len(asked) // 3, 1)][:3]:
            answer = simulation.why(name)
            if kind == "refused":
                assert answer.failed.reason is not None, name
                whys = [answer.failed]
            else:
                whys = [answer.here, *([answer.evicted] if answer.evicted.happened else [])]
            for why in whys:
                assert why.happened, name
                assert why.event is not None, name
                assert any(letter.isdigit() for letter in why.text), name
            last = snapshot.history.residency.last_row(name) if snapshot.history is not None else None
            if kind == "out" and last is not None and last[PLACE] in (ResidencyPlace.EVICTED, ResidencyPlace.PAGE_FILE):
                assert answer.evicted.happened, f"{name} was evicted by the history, and not by its events"


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
    answers_why(ledger.simulation, {event.subject for event in refused})
    if scenario not in SHOWS_REFUSALS:
        assert all(event.rule in REFUSAL_RULES for event in refused), "only room may be missing in a preset"
    for table in (snapshot.heaps, snapshot.blocks, snapshot.wastes, snapshot.resources, snapshot.history):
        assert table is not None
        for name, array in arrays_of(table).items():
            assert not array.flags.writeable, name
