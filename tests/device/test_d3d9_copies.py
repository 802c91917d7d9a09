"""Copies that a D3D9 device makes (CHECKLIST 112, 114, 116): what moves, what waits, what becomes clean or dirty."""

from __future__ import annotations

import pytest

from explorer.sim.scenarios import load_simulation
from tests.device.d3d9_desk import MB, Desk, kinds, moved, rules


def pair(desk: Desk, size: int = 256) -> None:
    desk.texture("S", "SYSTEMMEM", size)
    desk.texture("D", "DEFAULT", size)


UPDATE = {"pSourceTexture": "S", "pDestinationTexture": "D"}


def test_that_an_ordinary_texture_changes_through_updates_alone() -> None:
    # CHECKLIST 112.
    desk = Desk()
    pair(desk)
    assert desk.lock_rect("D").hr == "D3DERR_INVALIDCALL"
    outcome = desk.ok("UpdateTexture", UPDATE)
    assert moved(outcome.events, "uploaded") == 256 * 256 * 4
    for name in "SD":
        desk.ok("GetSurfaceLevel", {"object": name}, f"{name}0")
    inputs = {"pSourceSurface": "S0", "pDestinationSurface": "D0"}
    part = {"left": 0, "top": 0, "right": 16, "bottom": 16}
    assert moved(desk.ok("UpdateSurface", inputs | {"pSourceRect": part}).events, "uploaded") == 1024


def test_that_update_texture_moves_the_dirty_part_and_leaves_a_clean_source() -> None:
    # CHECKLIST 114.
    desk = Desk()
    pair(desk)
    desk.ok("UpdateTexture", UPDATE)
    assert kinds(desk.ok("UpdateTexture", UPDATE)) == []
    desk.paint("S", rect=(0, 0, 32, 8))
    desk.paint("S", rect=(32, 8, 64, 16))
    assert moved(desk.ok("UpdateTexture", UPDATE).events, "uploaded") == 64 * 16 * 4
    desk.paint("S", "NO_DIRTY_UPDATE")
    assert kinds(desk.ok("UpdateTexture", UPDATE)) == []


def test_that_a_pending_update_makes_the_source_wait() -> None:
    # CHECKLIST 116: simple locks, which may stall.
    desk = Desk()
    pair(desk)
    assert desk.paint("S").values["waited"] is False
    desk.ok("UpdateTexture", UPDATE)
    outcome = desk.paint("S")
    assert outcome.values["waited"] is True
    assert "R2.4" in rules(outcome)


def test_that_a_video_costs_its_changed_part() -> None:
    # CHECKLIST 114: DEFAULT and SYSTEMMEM pair, also for frequent partial updates.
    simulation = load_simulation("d3d9-video-updatetexture")
    simulation.step(100)
    uploads = [e.size_bytes for e in simulation.snapshot().events if e.kind == "uploaded" and e.subject == "Video"]
    assert set(uploads) == {MB}
    simulation.step(20)
    late = [e for e in simulation.snapshot().events if e.kind == "uploaded" and e.subject == "Video" and e.frame >= 100]
    assert {e.size_bytes for e in late} == {512 * 64 * 4}


def test_that_reading_a_target_back_waits_and_is_slow() -> None:
    desk = Desk()
    desk.target("T")
    desk.plain("S", "SYSTEMMEM")
    desk.ok("ColorFill", {"pSurface": "T"})
    outcome = desk.ok("GetRenderTargetData", {"pRenderTarget": "T", "pDestSurface": "S"})
    assert kinds(outcome) == ["stalled", "stalled"]
    assert outcome.events[1].size_bytes == 512 * 512 * 4
    assert desk.call("GetRenderTargetData", {"pRenderTarget": "S", "pDestSurface": "S"}).hr == "D3DERR_INVALIDCALL"


def test_that_device_copies_touch_both_ends() -> None:
    desk = Desk()
    desk.target("A")
    desk.target("B")
    inputs = {"pSourceSurface": "A", "pDestSurface": "B"}
    assert desk.cost_of(desk.ok, "StretchRect", inputs)["gpu"] > 0
    desk.plain("P", "SYSTEMMEM")
    assert desk.call("StretchRect", inputs | {"pSourceSurface": "P"}).hr == "D3DERR_INVALIDCALL"
    desk.ok("CreateTexture", {"Width": 64, "Height": 64, "Levels": 0, "Usage": ["D3DUSAGE_AUTOGENMIPMAP"],
                              "Format": "D3DFMT_X8R8G8B8", "Pool": "D3DPOOL_DEFAULT"}, "G")  # fmt: skip
    assert desk.cost_of(desk.ok, "GenerateMipSubLevels", {"object": "G"})["gpu"] > 0
    desk.start()
    desk.ok("CreateOffscreenPlainSurface", {"Width": 1024, "Height": 768, "Format": "D3DFMT_A8R8G8B8",
                                            "Pool": "D3DPOOL_SYSTEMMEM"}, "F")  # fmt: skip
    assert moved(desk.ok("GetFrontBufferData", {"pDestSurface": "F"}).events, "stalled") == 1024 * 768 * 4


def test_that_each_copy_of_the_gpu_is_told_under_its_rule() -> None:
    desk = Desk()
    desk.target("A", 256)
    desk.target("B", 512)
    filled = desk.ok("ColorFill", {"pSurface": "A", "pRect": {"left": 0, "top": 0, "right": 16, "bottom": 16}})
    assert [(event.kind, event.subject, event.rule, event.size_bytes) for event in filled.events] == [
        ("changed", "A", "d3d9.R8.6", 1024)
    ]
    part = {"left": 0, "top": 0, "right": 64, "bottom": 64}
    outcome = desk.ok("StretchRect", {"pSourceSurface": "A", "pDestSurface": "B", "pSourceRect": part})
    assert [(event.subject, event.rule, event.size_bytes) for event in outcome.events] == [("B", "d3d9.R8.4", MB)]
    assert f"read {64 * 64 * 4:,} B of A and wrote {MB:,} B" in outcome.events[0].text
    assert {"R8.4"} <= rules(outcome)


def test_that_a_lost_device_copies_nothing_and_tells_nothing() -> None:
    desk = Desk()
    desk.start()
    desk.target("A")
    desk.target("B")
    desk.lose()
    for call, inputs in (
        ("ColorFill", {"pSurface": "A"}), ("StretchRect", {"pSourceSurface": "A", "pDestSurface": "B"}),
    ):  # fmt: skip
        assert desk.level() == "D3DERR_DEVICELOST"
        before = desk.spent()
        assert kinds(desk.ok(call, inputs)) == []
        assert desk.spent() == before


AUTOGEN = {"Width": 64, "Height": 64, "Levels": 0, "Usage": ["D3DUSAGE_AUTOGENMIPMAP"], "Format": "D3DFMT_X8R8G8B8"}


def test_that_generated_levels_are_written_by_the_gpu() -> None:
    desk = Desk()
    desk.ok("CreateTexture", {**AUTOGEN, "Pool": "D3DPOOL_DEFAULT"}, "G")
    outcome = desk.ok("GenerateMipSubLevels", {"object": "G"})
    below = sum((64 >> level) ** 2 * 4 for level in range(1, 7))
    assert [(event.rule, event.size_bytes) for event in outcome.events] == [("d3d9.R2.10", below)]
    desk.texture("T", "DEFAULT", 64)
    assert desk.ok("GenerateMipSubLevels", {"object": "T"}).events == ()


@pytest.mark.parametrize("call", ["GenerateMipSubLevels", "SetAutoGenFilterType"])
def test_that_levels_to_be_made_anew_make_a_managed_texture_dirty_all_over(call: str) -> None:
    # Rule R7.11: the next use uploads all of it, not what a lock has changed.
    desk = Desk()
    desk.ok("CreateTexture", {**AUTOGEN, "Pool": "D3DPOOL_MANAGED"}, "G")
    desk.texture("M", size=64)
    desk.frame("G", "M")
    desk.paint("G", rect=(0, 0, 4, 4))
    desk.ok(call, {"object": "G"})
    desk.ok(call, {"object": "M"})
    sent = moved(desk.draw("G", "M").events, "uploaded")
    assert sent == 64 * 64 * 4
    assert kinds(desk.draw("G", "M")) == []


def test_that_what_was_read_back_into_a_texture_can_be_sent_on() -> None:
    # GetRenderTargetData into a level of a SYSTEMMEM texture: UpdateTexture then moves it.
    desk = Desk()
    desk.target("T", 256)
    desk.texture("S", "SYSTEMMEM", 256, "X8R8G8B8")
    desk.texture("D", "DEFAULT", 256, "X8R8G8B8")
    desk.ok("GetSurfaceLevel", {"object": "S"}, "S0")
    desk.ok("UpdateTexture", UPDATE)
    assert kinds(desk.ok("UpdateTexture", UPDATE)) == []
    desk.ok("GetRenderTargetData", {"pRenderTarget": "T", "pDestSurface": "S0"})
    assert moved(desk.ok("UpdateTexture", UPDATE).events, "uploaded") == 256 * 256 * 4


def test_that_an_update_waits_for_nobody_and_its_target_is_busy_until_it_is_done() -> None:
    # CHECKLIST 114: the pair lets the CPU go on; a read-back behind it has to wait.
    desk = Desk()
    desk.texture("S", "SYSTEMMEM", 256, "X8R8G8B8")
    desk.texture("D", "DEFAULT", 256, "X8R8G8B8", usage="RENDERTARGET")
    outcome = desk.ok("UpdateTexture", UPDATE)
    assert kinds(outcome) == ["uploaded"]
    desk.ok("GetSurfaceLevel", {"object": "D"}, "D0")
    desk.plain("P", "SYSTEMMEM", 256)
    waited = desk.ok("GetRenderTargetData", {"pRenderTarget": "D0", "pDestSurface": "P"})
    assert [event.rule for event in waited.events] == ["d3d9.R8.5", "d3d9.R8.5"]
    assert desk.paint("S").values["waited"] is False, "the wait drained the update too"


def test_that_a_draw_names_what_it_could_not_take_from_video_memory() -> None:
    desk = Desk("r9700pro", **{"d3d9.point_sprites": "false"})
    desk.buffer("V", "SYSTEMMEM")
    desk.texture("S", "SYSTEMMEM")
    desk.buffer("B")
    assert rules(desk.draw("B")) == {"R5.3"}
    assert rules(desk.draw("V")) == {"R5.3", "R2.18"}
    assert rules(desk.draw("S")) == {"R5.3", "R2.17"}
    desk.ok("SetRenderState", {"State": "D3DRS_POINTSPRITEENABLE", "Value": 1})
    assert rules(desk.draw("B")) == {"R5.3", "R3.2"}


def test_that_a_buffer_in_system_memory_comes_back_from_the_page_file_to_be_drawn() -> None:
    desk = Desk("gf4mx440")
    desk.buffer("V", "SYSTEMMEM")
    index = 0
    while desk.count("paged_out") == 0:
        desk.frames(1)
        desk.texture(f"S{index}", "SYSTEMMEM", 1024)
        index += 1
    assert desk.groups("V") == ["PAGE_FILE"]
    assert "paged_in" in kinds(desk.draw("V"))
    assert desk.groups("V") == ["SYSTEM"]


def test_that_the_scenario_of_the_copies_waits_for_draws_only_when_it_reads_at_once() -> None:
    simulation = load_simulation("d3d9-copies")
    waits: list[int] = []
    reads: list[int] = []
    seen = 0
    for frames in (100, 100):
        told = []
        for _ in range(frames):
            simulation.step()
            told += [event for event in simulation.snapshot().events if event.number >= seen]
            seen = told[-1].number + 1
        stalls = [event for event in told if event.kind == "stalled" and event.rule == "d3d9.R8.5"]
        waits.append(sum("waited" in event.text for event in stalls))
        reads.append(sum("read back" in event.text for event in stalls))
        assert {"d3d9.R8.1", "d3d9.R8.4", "d3d9.R8.6"} <= {event.rule for event in told}
    assert reads == [50, 25]
    assert waits == [50, 0]
