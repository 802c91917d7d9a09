"""Direct3D 9Ex: no MANAGED pool, priorities on DEFAULT, virtual memory, a device that is not lost."""

from __future__ import annotations

import pytest

from explorer.errors import CommandError
from explorer.sim.scenarios import load_simulation
from tests.device.d3d9_desk import FULL_SCREEN, MB, Desk, kinds, rules

HIGH, LOW = 0xA0000000, 0x50000000


def ex(adapter_id: str = "hd4870") -> Desk:
    return Desk(adapter_id, "d3d9ex")


def crowded(count: int = 36) -> Desk:
    """Return a device of 512 MB with DEFAULT textures of 16 MiB, T0 and on."""
    desk = ex()
    for index in range(count):
        assert desk.texture(f"T{index}", "DEFAULT", 2048).succeeded
    return desk


def test_that_there_is_no_managed_pool() -> None:
    outcome = ex().texture("T", "MANAGED")
    assert outcome.hr == "D3DERR_INVALIDCALL"
    assert "R10.1" in rules(outcome)


def test_that_memory_is_virtual() -> None:
    # More than local memory is no failure: the oldest lie in non-local memory.
    desk = crowded()
    assert desk.count("refused") == 0
    assert desk.count("demoted") == 4
    assert [desk.groups(f"T{i}") for i in (0, 3, 4)] == [["NON_LOCAL"], ["NON_LOCAL"], ["LOCAL"]]
    before = desk.ok("GetAvailableTextureMem").values["returns"]
    desk.texture("more", "DEFAULT", 2048)
    assert desk.ok("GetAvailableTextureMem").values["returns"] == before
    desk.check()


def test_that_use_brings_a_resource_home() -> None:
    desk = crowded()
    outcome = desk.frame("T0")
    assert [kind for kind in kinds(outcome) if kind in ("demoted", "paged_in")] == ["demoted", "paged_in"]
    assert desk.groups("T0") == ["LOCAL"]
    assert desk.groups("T4") == ["NON_LOCAL"], "the next oldest left for it"


def test_that_priority_decides_who_leaves() -> None:
    desk = crowded(32)
    assert desk.ok("SetPriority", {"object": "T0", "PriorityNew": HIGH}).values["returns"] == 0
    assert desk.ok("SetPriority", {"object": "T31", "PriorityNew": LOW}).values["returns"] == 0
    desk.frames(1, "T31")
    for index in range(3):
        desk.texture(f"new{index}", "DEFAULT", 2048)
        desk.frame(f"new{index}")
    assert desk.groups("T31") == ["NON_LOCAL"], "used last, but of low priority"
    assert desk.groups("T0") == ["LOCAL"], "the oldest, but of high priority"
    assert desk.ok("GetPriority", {"object": "T0"}).values["returns"] == HIGH


def test_that_residency_is_told_in_three_words() -> None:
    desk = crowded()
    ask = lambda *names: desk.ok("CheckResourceResidency", {"pResourceArray": list(names)}).hr  # noqa: E731 - short
    assert ask("T20") == "S_OK"
    assert ask("T20", "T0") == "S_RESIDENT_IN_SHARED_MEMORY"
    count = 36
    while desk.count("paged_out") == 0:
        assert desk.texture(f"T{count}", "DEFAULT", 2048).succeeded
        count += 1
    paged = next(i for i in range(count) if desk.groups(f"T{i}") == ["PAGE_FILE"])
    assert ask("T20", f"T{paged}") == "S_NOT_RESIDENT"
    outcome = desk.frame(f"T{paged}")
    assert outcome.succeeded
    assert desk.groups(f"T{paged}") == ["LOCAL"]
    desk.check()


def test_that_memory_pressure_counts_what_lies_elsewhere() -> None:
    desk = crowded()
    desk.ok("CreateQuery", {"Type": "D3DQUERYTYPE_MEMORYPRESSURE"}, "Q")
    found = desk.ok("GetData", {"object": "Q"}).values
    assert found == {
        "BytesEvictedFromProcess": 64 * MB,
        "SizeOfInefficientAllocation": 64 * MB,
        "LevelOfEfficiency": 32 * 100 // 36,
    }


def test_that_memory_pressure_is_a_query_of_9ex_alone() -> None:
    outcome = Desk().call("CreateQuery", {"Type": "D3DQUERYTYPE_MEMORYPRESSURE"}, "Q")
    assert (outcome.hr, rules(outcome)) == ("D3DERR_NOTAVAILABLE", {"query.pressure"})
    desk = ex()
    desk.ok("CreateQuery", {"Type": "D3DQUERYTYPE_MEMORYPRESSURE"}, "Q")
    assert "query.pressure" in rules(desk.ok("GetData", {"object": "Q"}))


def test_that_memory_runs_out_with_the_one_code_of_9ex() -> None:
    desk = ex("gma-x3100")
    made = 0
    while (outcome := desk.texture(f"T{made}", "DEFAULT", 4096)).succeeded:
        made += 1
        desk.frame(f"T{made - 1}")
        assert made < 200
    assert outcome.hr == "E_OUTOFMEMORY"
    desk.check()


def test_that_the_device_is_occluded_and_not_lost() -> None:
    desk = ex()
    desk.start()
    desk.texture("T", "DEFAULT")
    desk.lose()
    assert desk.level() == "D3D_OK"
    assert desk.call("Present").hr == desk.call("PresentEx").hr == "S_PRESENT_OCCLUDED"
    assert desk.count("presented") == desk.count("device_lost") == 0
    assert desk.call("CheckDeviceState", {"hDestinationWindow": "D"}).hr == "S_PRESENT_OCCLUDED"
    desk.regain()
    assert desk.call("Present").hr == "D3D_OK"


def test_that_reset_keeps_everything() -> None:
    desk = ex()
    desk.start()
    desk.texture("T", "DEFAULT")
    place = desk.offsets("T")
    desk.ok("GetBackBuffer", {}, "B")
    desk.ok("CreateStateBlock", {}, "S")
    outcome = desk.call("ResetEx", {"pPresentationParameters": {**FULL_SCREEN, "BackBufferWidth": 1280,
                                                                 "BackBufferHeight": 720}})  # fmt: skip
    assert outcome.succeeded
    assert "R10.2" in rules(outcome)
    assert desk.offsets("T") == place
    assert desk.device.things.parts[desk.row("B")].row == desk.row("D: back buffer 0")
    desk.ok("Release", {"object": "B"})
    windowed = desk.call("ResetEx", {"pPresentationParameters": {"Windowed": True}})
    assert windowed.succeeded
    assert desk.call("PresentEx").hr == "S_PRESENT_MODE_CHANGED"
    desk.check()


def test_that_the_ex_creators_work() -> None:
    desk = ex()
    inputs = {"Width": 64, "Height": 64, "Format": "D3DFMT_X8R8G8B8"}
    desk.ok("CreateRenderTargetEx", inputs, "R")
    desk.ok("CreateOffscreenPlainSurfaceEx", {**inputs, "Pool": "D3DPOOL_DEFAULT"}, "P")
    desk.ok("CreateDepthStencilSurfaceEx", {**inputs, "Format": "D3DFMT_D24S8"}, "Z")
    priorities = desk.state.resources["priority"]
    assert [int(priorities[desk.row(name)]) for name in "RPZ"] == [HIGH, 0x78000000, HIGH]
    assert desk.ok("SetPriority", {"object": "R", "PriorityNew": 5}).values["returns"] == 0
    assert desk.ok("GetPriority", {"object": "R"}).values["returns"] == 0, "a surface takes no priority"


@pytest.mark.parametrize("frames", [240])
def test_that_the_scenario_shows_priority_and_occlusion(frames: int) -> None:
    simulation = load_simulation("d3d9-ex-virtual-memory")
    simulation.step(60)
    portraits = 0
    events = simulation.snapshot().events
    portraits = sum(event.kind == "paged_in" and event.subject.startswith("Portrait") for event in events)
    assert portraits > 0
    simulation.step(frames - 60)
    snapshot = simulation.snapshot()
    late = [e for e in snapshot.events if e.frame > 73 and e.subject.startswith("Portrait")]
    assert not [event for event in late if event.kind in ("paged_in", "demoted", "paged_out")]
    assert snapshot.event_counts["device_lost"] == 0
    assert snapshot.event_counts["reset"] == 1
    assert snapshot.event_counts["presented"] == frames - 30


# Hangs and removed adapters -----------------------------------------------------------------------------------


def hung() -> Desk:
    """Return a device that hangs, with a filled texture, its source and a locked buffer."""
    desk = ex()
    desk.start()
    desk.texture("S", "SYSTEMMEM")
    desk.texture("T", "DEFAULT")
    desk.buffer("B", usage="DYNAMIC")
    desk.ok("UpdateTexture", UPDATE)
    desk.frame("T", "B")
    desk.device.set_option("hardware", "hung")
    return desk


UPDATE = {"pSourceTexture": "S", "pDestinationTexture": "T"}
WHOLE = {"pPresentationParameters": FULL_SCREEN}


def test_that_a_hang_loses_a_9ex_device_and_resetex_lets_it_go_on() -> None:
    desk = hung()
    assert desk.level() == "D3D_OK", "always, in the tests of the runtime"
    for call in ("Present", "PresentEx"):
        outcome = desk.call(call)
        assert (outcome.hr, rules(outcome)) == ("D3DERR_DEVICEHUNG", {"ex.lost"})
    assert desk.call("CheckDeviceState", {"hDestinationWindow": "D"}).hr == "D3DERR_DEVICEHUNG"
    made = desk.texture("late", "DEFAULT")
    assert made.hr == "D3DERR_DEVICEHUNG"
    assert desk.device.preview(made.record).verdict.hr == "D3DERR_DEVICEHUNG"
    assert desk.texture("cpu", "SYSTEMMEM").succeeded
    assert desk.cost_of(desk.draw, "T")["gpu"] == 0
    place = desk.offsets("T")
    assert desk.device.options["hardware"] == "hung"
    outcome = desk.call("ResetEx", WHOLE)
    assert "hardware" not in desk.device.options, "it works again"
    assert outcome.succeeded
    assert rules(outcome) == {"ex.lost"}
    told = next(event for event in outcome.events if event.kind == "reset")
    assert (told.rule, "written anew" in told.text) == ("d3d9.ex.lost", True)
    assert desk.call("PresentEx").hr == "D3D_OK"
    assert desk.offsets("T") == place, "nothing had to be released"
    assert desk.count("device_lost") == 1
    desk.check()


def test_that_the_contents_of_video_memory_are_gone_after_a_hang() -> None:
    # lost_device.json, d3d9ex.on_hang: what is drawn before it is filled again is a hazard, once in a frame.
    desk = hung()
    desk.ok("ResetEx", WHOLE)
    desk.ok("BeginScene")
    seen = [event for event in (*desk.draw("T", "B").events, *desk.draw("T").events) if event.kind == "hazard"]
    assert [(event.subject, event.rule) for event in seen] == [("T", "d3d9.ex.lost"), ("B", "d3d9.ex.lost")]
    desk.ok("EndScene")
    desk.ok("PresentEx")
    desk.write("B", "DISCARD")
    assert "hazard" in kinds(desk.draw("T", "B"))
    desk.ok("AddDirtyRect", {"object": "S"})
    desk.ok("UpdateTexture", UPDATE)
    desk.ok("PresentEx")
    assert "hazard" not in kinds(desk.frame("T", "B"))
    assert desk.state.resources["resident"][desk.row("T")]


def test_that_targets_are_written_by_the_draw_and_filled_surfaces_count() -> None:
    desk = hung()
    desk.ok("ResetEx", WHOLE)
    desk.plain("P")
    assert "hazard" not in kinds(desk.frame(writes=("D",)))
    desk.device.set_option("hardware", "hung")
    desk.ok("ResetEx", WHOLE)
    assert desk.row("P") in desk.device.things.lost
    desk.ok("ColorFill", {"pSurface": "P"})
    assert desk.row("P") not in desk.device.things.lost


def test_that_a_removed_adapter_needs_a_new_device() -> None:
    desk = ex()
    desk.start()
    desk.texture("T", "DEFAULT")
    desk.device.set_option("hardware", "removed")
    assert desk.count("device_removed") == 1
    assert desk.call("PresentEx").hr == "D3DERR_DEVICEREMOVED"
    assert desk.call("ResetEx", WHOLE).hr == "D3DERR_DEVICEREMOVED"
    desk.device.set_option("hardware", "hung")
    assert desk.call("PresentEx").hr == "D3DERR_DEVICEREMOVED", "it is lost already"
    for name in ("T", "D"):
        desk.ok("Release", {"object": name})
    desk.start()
    assert desk.call("PresentEx").hr == "D3D_OK"
    assert desk.texture("T", "DEFAULT").succeeded
    desk.check()


def test_that_each_runtime_names_what_may_happen_to_its_hardware() -> None:
    for desk, accepted in ((ex(), "removed"), (Desk(), "power_event")):
        with pytest.raises(CommandError, match=accepted):
            desk.device.set_option("hardware", "melted")


def test_that_the_scenario_of_the_hang_refills_one_texture_a_frame() -> None:
    simulation = load_simulation("d3d9-ex-hang")
    simulation.step(60)
    assert simulation.snapshot().event_counts["hazard"] == 0
    simulation.step(2)
    assert simulation.snapshot().event_counts["presented"] == 60
    simulation.step(58)
    snapshot = simulation.snapshot()
    assert snapshot.event_counts["presented"] == 118
    assert snapshot.event_counts["released"] == 0
    # Twelve in the frame of the Reset, eleven in the next, and so on.
    assert snapshot.event_counts["hazard"] == sum(range(13))
