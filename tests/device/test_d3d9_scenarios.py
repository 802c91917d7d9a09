"""The D3D9 scenarios as files, the keys they need, and what is refused or survives nonsense."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.core.calls import CallRecord
from explorer.errors import PresetError
from explorer.sim.scenario import Scenario, scenario_from_mapping
from explorer.sim.scenarios import load_scenario, load_simulation, make_simulation, scenario_ids
from explorer.tables.d3d9_tables import rules
from tests.device.d3d9_desk import MB, Desk

SCENARIOS = [name for name in scenario_ids() if name.startswith("d3d9")]
WANTED = {
    "d3d9-level-load", "d3d9-thrash", "d3d9-priorities", "d3d9-mixed-pools", "d3d9-default-first",
    "d3d9-default-last", "d3d9-device-loss", "d3d9-driver-managed", "d3d9-vertex-ring-discard",
    "d3d9-vertex-ring-plain", "d3d9-agp-random-writes", "d3d9-hints-in-software", "d3d9-video-updatetexture",
    "d3d9-ex-virtual-memory", "d3d9-ex-hang", "d3d9-copies", "d3d9-managed-in-agp", "d3d9-uma-chipset",
    "d3d9-write-only",
}  # fmt: skip


def test_that_every_wanted_scenario_is_there() -> None:
    assert set(SCENARIOS) >= WANTED


@pytest.mark.parametrize("name", SCENARIOS)
def test_that_a_scenario_says_what_it_teaches_and_where_figures_are_from(name: str) -> None:
    scenario = load_scenario(name)
    assert scenario.title
    assert scenario.teaches.endswith(".")
    assert "workloads" in scenario.text
    assert all(group.source for group in scenario.objects)
    assert len(scenario.tour) >= 2
    assert all(step.frame < scenario.frames for step in scenario.tour)


@pytest.mark.parametrize("name", sorted(WANTED))
def test_that_tour_steps_select_what_lives_then(name: str) -> None:
    scenario = load_scenario(name)
    simulation = load_simulation(name)
    for step in sorted(scenario.tour, key=lambda one: one.frame):
        simulation.step(step.frame - simulation.frame)
        if step.select is not None and step.select != "Statistics":
            assert step.select in simulation.snapshot().resources.names, step.select


@pytest.mark.parametrize("name", sorted(WANTED))
def test_that_nothing_in_a_scenario_is_refused_but_for_room(name: str) -> None:
    simulation = load_simulation(name)
    seen = 0
    while not simulation.at_end:
        simulation.step(20)
        events = [event for event in simulation.snapshot().events if event.number >= seen]
        seen = events[-1].number + 1 if events else seen
        assert all(event.rule.startswith("alloc.") for event in events if event.kind == "refused")
    assert simulation.snapshot().not_simulated == {}


def test_that_the_advice_of_the_documents_has_its_rules() -> None:
    # CHECKLIST 118, 96: texts for the advisor, each with a source.
    texts = " ".join(rules()[f"d3d9.R12.{number}"].text for number in range(1, 6))
    for word in ("Prepare", "spread", "Unbind", "DXT", "mipmaps", "atlases", "indexed", "tune"):
        assert word in texts
    assert "nothing should depend on it" in rules()["d3d9.R5.14"].text


# The keys ------------------------------------------------------------------------------------------------------


def small(**changes: Any) -> dict[str, Any]:
    texture = {"Width": 64, "Height": 64, "Levels": 1, "Usage": [], "Format": "D3DFMT_A8R8G8B8",
               "Pool": "D3DPOOL_MANAGED"}  # fmt: skip
    data: dict[str, Any] = {
        "schema": "memory-explorer/scenario/1", "title": "t", "teaches": "t", "text": "t", "api": "d3d9",
        "adapter": "gf4mx440", "frames": 20,
        "objects": [
            {"id": "a", "call": "CreateTexture", "name": "A", "source": "test", "input": texture},
            {"id": "b", "call": "CreateTexture", "name": "B {i}", "source": "test", "input": texture, "count": 2,
             "frame": 5},
        ],
        "pass": [{"name": "p", "draws": [{"group": "a"}, {"group": "b"}]}],
    }  # fmt: skip
    return data | changes


def read(data: dict[str, Any]) -> Scenario:
    return scenario_from_mapping(data, "small.toml", "small")


def test_that_a_group_comes_at_its_frame() -> None:
    simulation = make_simulation(read(small()))
    simulation.step(5)
    assert simulation.snapshot().resources.names == ("A",)
    simulation.step()
    assert simulation.snapshot().resources.names == ("A", "B 0", "B 1")
    simulation.step(2)
    assert simulation.snapshot().event_counts["uploaded"] == 3
    simulation.seek(3)
    assert simulation.snapshot().resources.names == ("A",)


@pytest.mark.parametrize("key", [{"total": "1MB"}, {"live": 1}])
def test_that_a_later_group_has_a_count_alone(key: dict[str, Any]) -> None:
    data = small()
    data["objects"][1] |= key
    with pytest.raises(PresetError, match=r"objects\[1\]\.frame"):
        read(data)


def test_that_a_repeated_moment_ends() -> None:
    moment = {"frame": 2, "call": "PreLoad", "input": {"object": "A"}, "every": 3, "last": 8}
    evict = {"frame": 0, "call": "EvictManagedResources", "every": 1}
    data = small(**{"at": [evict, moment], "pass": [{"name": "p", "draws": []}]})
    simulation = make_simulation(read(data))
    simulation.step(20)
    uploads = [event.frame for event in simulation.snapshot().events if event.kind == "uploaded"]
    assert uploads == [2, 5, 8]


def test_that_an_unknown_focus_names_the_known_ones() -> None:
    data = small(at=[{"frame": 1, "option": "focus", "value": "blurred"}])
    simulation = make_simulation(read(data))
    simulation.step()
    with pytest.raises(Exception, match="regained"):
        simulation.step()


# Edits and nonsense --------------------------------------------------------------------------------------------


def test_that_a_loss_by_hand_can_be_undone() -> None:
    simulation = load_simulation("d3d9-level-load")
    simulation.step(70)
    plain = simulation.snapshot().event_counts["presented"]
    simulation.set_option("focus", "lost")
    simulation.step(5)
    assert simulation.snapshot().event_counts["presented"] == plain
    simulation.undo()
    assert simulation.snapshot().event_counts["device_lost"] == 0
    assert simulation.snapshot().event_counts["presented"] == plain + 5


def test_that_a_preview_of_a_full_memory_says_what_helps() -> None:
    desk = Desk("gf4mx440")
    for index in range(15):
        desk.texture(f"M{index}", size=1024)
    desk.frame(*(f"M{index}" for index in range(15)))
    inputs = {"Width": 2048, "Height": 2048, "Levels": 1, "Usage": [], "Format": "D3DFMT_A8R8G8B8",
              "Pool": "D3DPOOL_DEFAULT"}  # fmt: skip
    preview = desk.device.preview(CallRecord("d3d9", "CreateTexture", inputs, "X"))
    assert "evicted first" in preview.after
    assert "non-local" in preview.after
    inputs["Pool"] = "D3DPOOL_MANAGED"
    preview = desk.device.preview(CallRecord("d3d9", "CreateTexture", inputs, "X"))
    assert "the device copy lies in non-local" in preview.after
    ex = Desk("hd4870", "d3d9ex")
    for index in range(32):
        ex.texture(f"T{index}", "DEFAULT", 2048)
    inputs["Pool"] = "D3DPOOL_DEFAULT"
    preview = ex.device.preview(CallRecord("d3d9ex", "CreateTexture", inputs, "X"))
    assert "priority" in preview.after


def test_that_the_preview_of_a_lost_device_shows_dummy_memory() -> None:
    desk = Desk()
    desk.start()
    desk.lose()
    inputs = {"Width": 64, "Height": 64, "Levels": 1, "Usage": [], "Format": "D3DFMT_A8R8G8B8",
              "Pool": "D3DPOOL_DEFAULT"}  # fmt: skip
    preview = desk.device.preview(CallRecord("d3d9", "CreateTexture", inputs, "X"))
    assert preview.ghost is not None
    assert desk.state.segments[preview.ghost.segment].group == "SYSTEM"
    desk.texture("X", "DEFAULT", 64)
    assert desk.offsets("X") == [(preview.ghost.segment, preview.ghost.offset)]


@pytest.mark.parametrize("pool", ["DEFAULT", "MANAGED", "SYSTEMMEM"])
def test_that_a_resource_larger_than_everything_ends_in_the_api_s_error(pool: str) -> None:
    desk = Desk("gf4mx440")
    outcome = desk.buffer("B", pool, 4000 * MB)
    assert outcome.hr == ("D3DERR_OUTOFVIDEOMEMORY" if pool == "DEFAULT" else "E_OUTOFMEMORY")
    assert outcome.values["requested_bytes"] == 4000 * MB
    desk.check()
    big = Desk("gf4mx440")
    assert big.buffer("B", "MANAGED", 100 * MB).succeeded
    assert big.frame("B").hr == "D3DERR_OUTOFVIDEOMEMORY"
    assert big.count("refused") == 1


def test_that_a_million_priorities_are_taken() -> None:
    desk = Desk()
    desk.texture("M")
    for value in range(0, 2**32, 2**27):
        desk.ok("SetPriority", {"object": "M", "PriorityNew": value})
        desk.frame("M")
    assert desk.ok("GetPriority", {"object": "M"}).values["returns"] == 2**32 - 2**27
