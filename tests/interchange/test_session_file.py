"""Sessions: saved, opened again and run to the same bytes."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from explorer.core.calls import CallRecord
from explorer.errors import ExplorerError, InputError
from explorer.interchange import open_file
from explorer.interchange.opened import ImportCancelledError
from explorer.interchange.session import read_session, scenario_text, session_bytes, session_of, start_session
from explorer.interchange.snapshot_encode import snapshot_bytes
from explorer.sim.scenarios import load_simulation
from explorer.tables.adapters import adapter, duplicate

if TYPE_CHECKING:
    from explorer.interchange.session import Session
    from explorer.sim.simulation import Simulation

SCENARIO = "d3d9-shooter-2003-agp-64mb"
TEXTURE = {
    "Width": 256, "Height": 256, "Levels": 1, "Usage": 0, "Format": "D3DFMT_A8R8G8B8", "Pool": "D3DPOOL_MANAGED",
}  # fmt: skip


def _create(name: str) -> CallRecord:
    return CallRecord("d3d9", "CreateTexture", TEXTURE, name)


def _edited(on: str | None = None, frames: int = 6) -> Simulation:
    """Return a run with edits between frames, in the middle of one, and one that was undone."""
    simulation = load_simulation(SCENARIO, on, seed=5, budget="48MiB" if on else None)
    simulation.apply(_create("Mine 0"))
    simulation.step(2)
    simulation.apply(_create("Mine 2"))
    simulation.apply(_create("Mine undone"))
    simulation.undo()
    simulation.step_call()
    simulation.apply(_create("Mine in a frame"))
    simulation.step(frames - 2)
    return simulation


@cache
def _session() -> Session:
    return session_of(_edited(), scenario_text(SCENARIO), {"selected": ["Mine 0"], "view": "map"})


def test_that_a_session_comes_back_equal_and_has_the_same_bytes() -> None:
    data = session_bytes(_session())
    again = read_session(data, "a.json")
    assert again == _session()
    assert session_bytes(again) == data


def test_that_a_session_runs_to_the_very_snapshot_in_which_it_was_saved() -> None:
    original = _edited()
    simulation, left_out = start_session(read_session(session_bytes(_session()), "a.json"))
    assert left_out == ()
    assert simulation.frame == 0
    assert simulation.journal == original.journal
    simulation.seek(original.frame)
    assert snapshot_bytes(simulation.snapshot()) == snapshot_bytes(original.snapshot())
    assert simulation.can_undo == original.can_undo


def test_that_an_opened_session_shows_what_it_came_to() -> None:
    opened = open_file(session_bytes(_session()), "a.json")
    assert (opened.kind, opened.format, opened.frames, opened.warnings) == ("session", "session", 6, ())
    assert opened.session == _session()
    assert opened.snapshot is not None
    assert snapshot_bytes(opened.snapshot) == snapshot_bytes(_edited().snapshot())
    assert {"Mine 0", "Mine 2", "Mine in a frame"} <= set(opened.snapshot.resources.names)
    assert opened.scenario is None


def test_that_a_session_carries_an_adapter_that_is_nowhere_installed() -> None:
    own = duplicate(adapter("hd7970"), "nowhere", year=2013)
    simulation = load_simulation("d3d11-game-hd7970", own)
    session = session_of(simulation, scenario_text("d3d11-game-hd7970"))
    again = read_session(session_bytes(session), "a.json")
    assert again.adapter == own
    assert isinstance(json.loads(session_bytes(session))["adapter"], dict)
    assert json.loads(session_bytes(_session()))["adapter"] == _session().adapter.id


def test_that_seed_allocator_options_and_budget_are_kept() -> None:
    simulation = load_simulation("d3d12-budget-drop", seed=77, allocator="best-fit", policy="lru", budget="1GiB")
    session = read_session(session_bytes(session_of(simulation, scenario_text("d3d12-budget-drop"))), "a.json")
    started, _ = start_session(session)
    assert started.options == simulation.options
    assert snapshot_bytes(started.snapshot()) == snapshot_bytes(simulation.snapshot())


def test_that_edits_run_on_another_adapter_too_and_refused_ones_are_named() -> None:
    simulation, left_out = start_session(_session(), adapter("gffx5900"))
    assert left_out == ()
    assert simulation.adapter.id == "gffx5900"
    assert len(simulation.journal) == 3
    twice = dataclasses.replace(_session(), journal=(_session().journal[0], _session().journal[0]))
    _, left_out = start_session(twice)
    assert [complaint.message for complaint in left_out] == ["an object of this name lives already"]
    opened = open_file(session_bytes(twice), "a.json")
    assert [(w.code, w.where) for w in opened.warnings] == [("edit-left-out", "out")]


def test_that_reading_a_session_can_be_cancelled() -> None:
    shares: list[float] = []
    with pytest.raises(ImportCancelledError):
        open_file(session_bytes(_session()), "a.json", progress=shares.append, cancelled=lambda: len(shares) > 2)


def _changed(path: str, value: Any) -> bytes:
    data = json.loads(session_bytes(_session()))
    at = data
    *parents, last = path.split(".")
    for part in parents:
        at = at[int(part)] if isinstance(at, list) else at[part]
    at[last] = value
    return json.dumps(data).encode()


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        ("schema", "memory-layout-session/2", "schema"),
        ("frame", -1, "frame"),
        ("seed", "x", "seed"),
        ("adapter", "no-such-card", "adapter"),
        ("adapter", 3, "adapter"),
        ("device", {"windows": 7}, "device.windows"),
        ("view", [], "view"),
        ("extra", 1, "extra"),
        ("journal.0.frame", 1.5, "journal[0].frame"),
        ("journal.0.call", None, "journal[0]"),
        ("journal.0.call.call", "CreateNothing", "journal[0].call.call"),
        ("journal.0.call.input.Width", "wide", "journal[0].call.input.Width"),
        ("scenario_text", "schema = 1", None),
    ],
)
def test_that_a_damaged_session_is_refused_with_its_key(path: str, value: Any, where: str | None) -> None:
    with pytest.raises(InputError) as caught:
        open_file(_changed(path, value), "a.json")
    assert caught.value.complaint.file == "a.json"
    if where is not None:
        assert caught.value.complaint.where == where


@pytest.mark.parametrize(("path", "value"), [("allocator", "none-such"), ("device", {"windows": "95"})])
def test_that_an_option_that_no_longer_exists_is_refused(path: str, value: Any) -> None:
    with pytest.raises(ExplorerError):
        open_file(_changed(path, value), "a.json")


def test_that_a_cut_off_session_is_refused() -> None:
    data = session_bytes(_session())
    for end in range(1, len(data) - 2, len(data) // 9):
        with pytest.raises(InputError):
            open_file(data[:end], "a.json")
