"""What must be true of every run of every scenario."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from explorer.core.calls import CallRecord
from explorer.device import d3d9 as d3d9_device
from explorer.errors import CallError, CommandError
from explorer.sim.scenarios import load_simulation

if TYPE_CHECKING:
    from explorer.sim.simulation import Simulation
    from explorer.sim.snapshot import Snapshot


def facts(snapshot: Snapshot) -> dict[str, Any]:
    """Return everything of a snapshot that must repeat, comparable with ==."""
    found: dict[str, Any] = {}
    for field in dataclasses.fields(snapshot):
        value = getattr(snapshot, field.name)
        if field.name in ("history", "generation"):
            continue
        if hasattr(value, "arrays"):
            found.update({f"{field.name}.{k}": v.tolist() for k, v in value.arrays().items()})
            if hasattr(value, "names"):
                found[f"{field.name}.names"] = value.names
        elif field.name == "descriptor_heaps":
            found[field.name] = [(d.name, d.kind.tolist(), d.resource.tolist()) for d in value]
        else:
            found[field.name] = value
    return found


def test_that_call_steps_and_frame_steps_end_in_the_same_state() -> None:
    by_frame, by_call = (load_simulation("d3d9-shooter-2003-agp-64mb") for _ in range(2))
    by_frame.step(3)
    while by_call.frame < 3:
        by_call.step_call()
    assert facts(by_frame.snapshot()) == facts(by_call.snapshot())


def test_that_another_seed_draws_other_resources() -> None:
    runs = [load_simulation("d3d9-shooter-2003-agp-64mb", seed=seed) for seed in (1, 2)]
    for run in runs:
        run.step(5)
    assert facts(runs[0].snapshot()) != facts(runs[1].snapshot())


@pytest.mark.parametrize("scenario", ["d3d9-shooter-2003-agp-64mb", "d3d12-game-rtx3060-laptop"])
def test_that_another_allocator_places_differently(scenario: str) -> None:
    runs = [load_simulation(scenario, allocator=allocator) for allocator in ("tlsf", "worst-fit")]
    for run in runs:
        run.step(240)
    offsets = [run.snapshot().blocks.offset.tolist() for run in runs]
    assert offsets[0] != offsets[1]


def test_that_half_the_memory_pages() -> None:
    whole, half = (load_simulation(f"d3d9-shooter-2003-agp-{size}mb") for size in (128, 64))
    whole.step(300)
    half.step(300)
    assert whole.snapshot().event_counts["evicted"] == 0
    assert half.snapshot().event_counts["evicted"] > 100
    assert half.snapshot().moved.uploaded > 2 * whole.snapshot().moved.uploaded


def test_that_a_snapshot_stays_as_it_was() -> None:
    simulation = load_simulation("d3d9-shooter-2003-agp-64mb")
    simulation.step(10)
    snapshot = simulation.snapshot()
    before = facts(snapshot)
    history = snapshot.history.used.copy() if snapshot.history else None
    simulation.step(300)
    simulation.seek(3)
    simulation.step(20)
    assert facts(snapshot) == before
    assert snapshot.history is not None
    assert (snapshot.history.used == history).all()


TEXTURE = {
    "Width": 512, "Height": 512, "Levels": 1, "Usage": [], "Format": "D3DFMT_A8R8G8B8", "Pool": "D3DPOOL_DEFAULT",
}  # fmt: skip


def make_texture(name: str, **changes: object) -> CallRecord:
    return CallRecord("d3d9", "CreateTexture", {**TEXTURE, **changes}, name)


def d3d9() -> Simulation:
    simulation = load_simulation("d3d9-shooter-2003-agp-128mb")
    simulation.step(4)
    return simulation


def test_that_a_created_resource_lies_where_the_preview_said() -> None:
    simulation = d3d9()
    preview = simulation.preview(make_texture("Mine"))
    assert preview.ghost is not None
    assert preview.layout is not None
    outcome = simulation.apply(make_texture("Mine"))
    assert outcome.succeeded
    snapshot = simulation.snapshot()
    row = snapshot.resources.names.index("Mine")
    block = int(np.flatnonzero(snapshot.blocks.resource == row)[0])
    assert int(snapshot.blocks.offset[block]) == preview.ghost.offset
    assert int(snapshot.blocks.segment[block]) == preview.ghost.segment
    assert int(snapshot.resources.size[row]) == preview.layout.size_bytes


def test_that_a_preview_changes_nothing() -> None:
    simulation = d3d9()
    before = facts(simulation.snapshot())
    simulation.preview(make_texture("Mine"))
    simulation.preview(make_texture("Mine", Width=1 << 31))
    assert facts(simulation.snapshot()) == before


def test_that_a_refused_creation_has_a_reason_and_creates_nothing() -> None:
    simulation = d3d9()
    outcome = simulation.apply(make_texture("Mine", Pool="D3DPOOL_MANAGED", Usage=["D3DUSAGE_RENDERTARGET"]))
    assert not outcome.succeeded
    assert outcome.reasons
    assert outcome.reasons[0].source
    assert "Mine" not in simulation.snapshot().resources.names


def test_that_a_broken_record_names_the_field_and_changes_nothing() -> None:
    simulation = d3d9()
    before = facts(simulation.snapshot())
    with pytest.raises(CallError, match=r"input\.Width"):
        simulation.apply(make_texture("Mine", Width=-1))
    with pytest.raises(CallError, match=r"input\.Depth"):
        simulation.apply(make_texture("Mine", Depth=4))
    with pytest.raises(CallError, match="lives already"):
        simulation.apply(make_texture("Depth buffer"))
    assert facts(simulation.snapshot()) == before
    assert simulation.journal_length == 0


def test_that_undo_and_redo_are_exact() -> None:
    simulation = d3d9()
    plain = facts(simulation.snapshot())
    simulation.apply(make_texture("Mine"))
    simulation.step(3)
    edited = facts(simulation.snapshot())
    simulation.undo()
    assert simulation.frame == 7
    untouched = d3d9()
    untouched.step(3)
    assert facts(simulation.snapshot()) == facts(untouched.snapshot())
    simulation.redo()
    assert facts(simulation.snapshot()) == edited
    simulation.undo()
    simulation.seek(4)
    assert facts(simulation.snapshot()) == plain


def test_that_an_edit_survives_seeking() -> None:
    simulation = d3d9()
    simulation.apply(make_texture("Mine"))
    simulation.seek(1)
    assert "Mine" not in simulation.snapshot().resources.names
    simulation.seek(60)
    assert "Mine" in simulation.snapshot().resources.names


def test_that_an_unknown_option_is_refused() -> None:
    with pytest.raises(CommandError, match="policy"):
        d3d9().set_option("gravity", "9.81")


def test_that_a_policy_can_change_while_running() -> None:
    lru, mru = (load_simulation("d3d9-shooter-2003-agp-64mb") for _ in range(2))
    for run in (lru, mru):
        run.step(20)
    mru.set_option("policy", "mru")
    lru.step(40)
    mru.step(40)
    assert lru.snapshot().moved.uploaded != mru.snapshot().moved.uploaded
    assert mru.snapshot().provenance.options["policy"] == "mru"


def test_that_a_call_without_simulation_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    # Every call of D3D9 has a handler: one is taken away.
    monkeypatch.delitem(d3d9_device._HANDLERS, "SetAutoGenFilterType")  # pyright: ignore[reportPrivateUsage, reportArgumentType]
    simulation = d3d9()
    outcome = simulation.apply(CallRecord("d3d9", "SetAutoGenFilterType", {"object": "Wall 000"}))
    assert outcome.hr == "NOT_SIMULATED"
    assert "SetAutoGenFilterType" in outcome.reasons[0].text
    assert simulation.snapshot().not_simulated == {"SetAutoGenFilterType": 1}
