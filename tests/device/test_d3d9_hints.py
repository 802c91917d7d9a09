"""Point sprites, N-patches and patches with and without the hardware (CHECKLIST 24 to 30)."""

from __future__ import annotations

import pytest

from explorer.sim.scenarios import load_simulation
from tests.device.d3d9_desk import MB, Desk, kinds

HINTS = [
    ("POINTS", "point_sprites", "point_sprites"),
    ("RTPATCHES", "rt_patches", "D3DDEVCAPS_RTPATCHES"),
    ("NPATCHES", "n_patches", "D3DDEVCAPS_NPATCHES"),
]


def desk_with(hint: str, able: bool) -> Desk:
    option = next(name for flag, _, name in HINTS if flag == hint)
    return Desk("gf4mx440", **{f"d3d9.{option}": "true" if able else "false"})


def draw_with(desk: Desk, hint: str, name: str = "B") -> dict[str, int]:
    """Draw with the operation of a hint and return what it cost."""
    if hint == "POINTS":
        desk.ok("SetRenderState", {"State": "D3DRS_POINTSPRITEENABLE", "Value": 1})
    elif hint == "NPATCHES":
        desk.ok("SetNPatchMode", {"nSegments": 4})
    call = "DrawRectPatch" if hint == "RTPATCHES" else "DrawPrimitive"
    desk.ok("BeginScene")
    cost = desk.cost_of(desk.ok, call, {"references": [name]})
    desk.ok("EndScene")
    desk.ok("Present")
    return cost


@pytest.mark.parametrize(("hint", "field", "option"), HINTS)
def test_that_a_hint_places_the_buffer(hint: str, field: str, option: str) -> None:
    # CHECKLIST 24, 25, 26, 27, 28.
    del option
    soft, hard = desk_with(hint, False), desk_with(hint, True)
    assert getattr(hard.device.runtime, field) is True
    assert getattr(soft.device.runtime, field) is False
    assert soft.buffer("B", usage=hint).reasons[-1].rule == "d3d9.R3.2"
    hard.buffer("B", usage=hint)
    hard.buffer("D", usage=f"{hint} DYNAMIC")
    assert soft.groups("B") == ["SYSTEM"]
    assert hard.groups("B") == ["LOCAL"], "no host copy"
    assert hard.groups("D") == ["NON_LOCAL"]
    assert soft.lock("B").values["pointer"] == "system"


@pytest.mark.parametrize("hint", [hint for hint, _, _ in HINTS])
@pytest.mark.parametrize("usage", ["", " DYNAMIC"])
def test_that_hardware_support_is_at_least_twice_as_fast(hint: str, usage: str) -> None:
    # CHECKLIST 29.
    times = {}
    for able in (False, True):
        desk = desk_with(hint, able)
        desk.buffer("B", usage=hint + usage)
        times[able] = sum(draw_with(desk, hint).values())
    assert times[False] > 2 * times[True]


@pytest.mark.parametrize("hint", [hint for hint, _, _ in HINTS])
@pytest.mark.parametrize(("pool", "usage"), [("DEFAULT", ""), ("DEFAULT", "DYNAMIC"), ("MANAGED", "")])
def test_that_the_driver_moves_a_buffer_without_the_hint(hint: str, pool: str, usage: str) -> None:
    # CHECKLIST 30: for later frames, and visibly.
    desk = desk_with(hint, False)
    desk.buffer("B", pool, usage=usage)
    desk.frame("B")
    first = draw_with(desk, hint)
    events = [event for event in desk.state.log.tail if event.rule == "d3d9.R3.3"]
    assert [str(event.kind) for event in events if event.kind == "demoted"] == ["demoted"]
    assert "later frames" in events[-1].text
    assert desk.groups("B") == ["SYSTEM"]
    second = draw_with(desk, hint)
    assert sum(second.values()) <= sum(first.values())
    assert desk.count("demoted") == 1
    desk.check()
    desk.ok("Release", {"object": "B"})
    assert desk.free() == desk.free("NON_LOCAL") == 64 * MB


def test_that_the_first_frame_fetches_the_vertices_out_of_video_memory() -> None:
    desk = desk_with("NPATCHES", False)
    desk.buffer("B")
    desk.ok("SetNPatchMode", {"nSegments": 2})
    desk.ok("BeginScene")
    assert kinds(desk.draw("B")) == ["stalled", "stalled"]
    assert desk.groups("B") == ["LOCAL"], "only later frames find it elsewhere"
    desk.ok("EndScene")
    assert desk.groups("B") == ["SYSTEM"]


def test_that_hints_are_optional_and_other_buffers_stay() -> None:
    desk = desk_with("NPATCHES", False)
    desk.buffer("B", usage="NPATCHES")
    inputs = {"Length": 1024, "Usage": [], "Format": "D3DFMT_INDEX16", "Pool": "D3DPOOL_DEFAULT"}
    desk.ok("CreateIndexBuffer", inputs, "I")
    assert desk.frame("B").succeeded, "drawn without patches all the same"
    draw_with(desk, "NPATCHES", "I")
    assert desk.groups("I") == ["LOCAL"]


def test_that_the_scenario_animates_the_move() -> None:
    # CHECKLIST 30.
    simulation = load_simulation("d3d9-hints-in-software")
    simulation.step(60)
    snapshot = simulation.snapshot()

    def group(name: str) -> str:
        blocks = snapshot.blocks
        block = blocks.resource.tolist().index(snapshot.resources.names.index(name))
        return snapshot.segments[int(blocks.segment[block])].group

    assert [group(name) for name in ("Character 0", "Prop 0", "Sparks")] == ["SYSTEM", "LOCAL", "LOCAL"]
    simulation.step(1)
    snapshot = simulation.snapshot()
    assert [group(name) for name in ("Character 0", "Prop 0", "Sparks")] == ["SYSTEM", "SYSTEM", "LOCAL"]
    assert snapshot.event_counts["demoted"] == 8
    moved = snapshot.blocks.state[snapshot.blocks.resource == snapshot.resources.names.index("Prop 0")]
    assert (moved & 128).all(), "marked as moved in this frame"
