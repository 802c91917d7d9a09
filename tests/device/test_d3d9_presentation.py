"""The device as it presents: loss, Reset, what survives (CHECKLIST 81, 85, 88, 89, 98)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.errors import CommandError
from explorer.sim.scenarios import load_simulation
from tests.device.d3d9_desk import FULL_SCREEN, MB, WINDOW, Desk, kinds, moved, rules


def full(adapter_id: str = "gf4mx440") -> Desk:
    desk = Desk(adapter_id)
    desk.start()
    return desk


def test_that_a_device_has_its_swap_chain_in_local_memory() -> None:
    desk = full()
    assert desk.free() == 64 * MB - 4 * 3 * MB, "front, two back buffers and depth of 1024 x 768"
    assert desk.groups("D: back buffer 0") == ["LOCAL"]
    window = Desk("gf4mx440")
    window.start(WINDOW)
    assert "D: front buffer" not in window.state.objects
    assert desk.call("CreateDevice", {}, "E").hr == "NOT_SIMULATED"


def test_that_a_chain_without_room_is_refused_and_leaves_nothing() -> None:
    desk = Desk("gf4mx440")
    parameters = {**FULL_SCREEN, "BackBufferWidth": 1600, "BackBufferHeight": 1200,
                  "MultiSampleType": "D3DMULTISAMPLE_4_SAMPLES"}  # fmt: skip
    outcome = desk.call("CreateDevice", {"pPresentationParameters": parameters}, "D")
    assert outcome.hr == "D3DERR_OUTOFVIDEOMEMORY"
    assert desk.free() == 64 * MB
    assert "D" not in desk.state.objects


def test_that_a_draw_without_names_uses_what_is_bound() -> None:
    desk = full()
    desk.texture("T")
    desk.ok("SetTexture", {"Stage": 0, "pTexture": "T"})
    outcome = desk.frame()
    assert moved(outcome.events, "uploaded") == MB
    used = desk.state.resources["used_frame"]
    assert used[desk.row("D: back buffer 0")] == 0
    assert used[desk.row("D: depth buffer")] == 0
    desk.ok("SetTexture", {"Stage": 0, "pTexture": None})
    desk.frame()
    assert used[desk.row("T")] == 0


def test_that_losing_the_focus_loses_a_full_screen_device_alone() -> None:
    # CHECKLIST 81, 98.
    desk = full()
    assert desk.level() == "D3D_OK"
    desk.lose()
    assert desk.level() == "D3DERR_DEVICELOST"
    assert desk.count("device_lost") == 1
    assert desk.reset().hr == "D3DERR_DEVICELOST"
    desk.regain()
    assert desk.level() == "D3DERR_DEVICENOTRESET"
    assert desk.call("Present").hr == "D3DERR_DEVICELOST"
    assert desk.reset().succeeded
    assert desk.level() == "D3D_OK"
    window = Desk()
    window.start(WINDOW)
    window.lose()
    assert window.level() == "D3D_OK"
    assert window.count("device_lost") == 0


def test_that_agp_memory_is_lost_like_local_memory() -> None:
    # CHECKLIST 85.
    desk = full()
    desk.texture("local", "DEFAULT")
    desk.buffer("agp", usage="DYNAMIC")
    desk.texture("managed")
    desk.texture("system", "SYSTEMMEM")
    desk.frame("local", "agp", "managed")
    desk.lose()
    lost = desk.device.things.lost
    assert {desk.row("local"), desk.row("agp")} <= lost
    assert not {desk.row("managed"), desk.row("system")} & lost
    for name in ("local", "agp"):
        assert not desk.state.resources["resident"][desk.row(name)]
    assert "LOCAL" not in desk.groups("managed"), "its copy is gone, its master is not"
    desk.check()


def test_that_calls_go_on_without_effect_while_the_device_is_lost() -> None:
    desk = full()
    desk.texture("M")
    desk.texture("S", "SYSTEMMEM")
    desk.texture("D", "DEFAULT")
    desk.lose()
    made = desk.texture("late", "DEFAULT", 256)
    assert made.succeeded
    assert "R9.5" in rules(made)
    assert desk.groups("late") == ["SYSTEM"], "dummy memory"
    desk.buffer("B", usage="DYNAMIC")
    assert desk.lock("B", "DISCARD").values["pointer"] == "dummy"
    assert desk.frame("M", "D", "late").succeeded
    assert desk.count("uploaded") == 0
    assert kinds(desk.ok("PreLoad", {"object": "M"})) == []
    assert kinds(desk.ok("UpdateTexture", {"pSourceTexture": "S", "pDestinationTexture": "D"})) == []
    desk.plain("P", "SYSTEMMEM")
    data = {"pRenderTarget": "D: back buffer 0", "pDestSurface": "P"}
    assert desk.call("GetRenderTargetData", data).hr == "D3DERR_DEVICELOST"
    assert desk.call("CreateAdditionalSwapChain", {}, "C").hr == "D3DERR_DEVICELOST"
    assert desk.call("ValidateDevice").hr == "D3DERR_DEVICELOST"
    desk.plain("F", "SYSTEMMEM")
    assert desk.call("GetFrontBufferData", {"pDestSurface": "F"}).hr == "D3DERR_DEVICELOST"
    desk.ok("CreateQuery", {"Type": "D3DQUERYTYPE_EVENT"}, "Q")
    assert desk.ok("GetData", {"object": "Q"}).succeeded
    assert desk.call("GetData", {"object": "Q", "dwGetDataFlags": 1}).hr == "D3DERR_DEVICELOST"
    desk.check()


def test_that_a_loss_in_the_middle_of_a_lock_sends_nothing() -> None:
    desk = full()
    desk.buffer("B")
    desk.texture("M")
    desk.lock("B")
    desk.lock_rect("M")
    desk.lose()
    outcome = desk.ok("Unlock", {"object": "B"})
    assert kinds(outcome) == ["device_lost", "changed", "freed"], "the temporary copy goes, and nothing is sent"
    desk.ok("UnlockRect", {"object": "M"})
    desk.ok("Release", {"object": "B"})
    desk.regain()
    assert desk.reset().succeeded
    desk.check()


def test_that_a_power_event_loses_a_windowed_device_too() -> None:
    # lost_device.json: a power event; the window keeps the focus, so only Reset is wanted, and no RAM is taken.
    desk = Desk("gf4mx440")
    desk.start(WINDOW)
    desk.texture("M")
    desk.buffer("B", usage="DYNAMIC")
    desk.frame("M", "B")
    desk.device.set_option("hardware", "works")
    assert desk.level() == "D3D_OK", "that is how it is anyway"
    desk.device.set_option("hardware", "power_event")
    assert desk.level() == "D3DERR_DEVICENOTRESET"
    assert (desk.count("device_lost"), desk.count("paged_out")) == (1, 0)
    assert desk.groups("M") == ["SYSTEM"]
    assert desk.row("B") in desk.device.things.lost
    assert desk.reset(WINDOW).hr == "D3DERR_INVALIDCALL", "the buffer is still held"
    desk.ok("Release", {"object": "B"})
    assert desk.reset(WINDOW).succeeded
    behind = full()
    behind.lose()
    behind.device.set_option("hardware", "power_event")
    assert behind.level() == "D3DERR_DEVICELOST", "lost already, and without the focus"
    assert behind.count("device_lost") == 1


def test_that_a_released_device_can_be_made_again_after_a_loss() -> None:
    desk = full()
    desk.lose()
    desk.ok("Release", {"object": "D"})
    desk.start()
    assert desk.level() == "D3D_OK"
    assert desk.call("Present").succeeded


HELD = [
    ("texture", "D3DERR_INVALIDCALL"), ("managed", "D3D_OK"), ("system", "D3D_OK"), ("scratch", "D3D_OK"),
    ("back buffer", "D3DERR_INVALIDCALL"), ("swap chain", "D3DERR_INVALIDCALL"),
    ("state block", "D3DERR_INVALIDCALL"), ("vertex shader", "D3D_OK"), ("pixel shader", "D3D_OK"),
    ("bound", "D3D_OK"), ("part", "D3DERR_INVALIDCALL"),
]  # fmt: skip


@pytest.mark.parametrize(("held", "hr"), HELD)
def test_that_reset_minds_what_is_held(held: str, hr: str) -> None:
    # CHECKLIST 98.
    desk = full("r9700pro")
    match held:
        case "texture":
            desk.texture("X", "DEFAULT")
        case "managed" | "system" | "scratch":
            desk.texture("X", {"managed": "MANAGED", "system": "SYSTEMMEM", "scratch": "SCRATCH"}[held])
            desk.lock_rect("X")
        case "back buffer":
            desk.ok("GetBackBuffer", {}, "X")
        case "swap chain":
            desk.ok("CreateAdditionalSwapChain", {}, "X")
        case "state block":
            desk.ok("CreateStateBlock", {}, "X")
        case "vertex shader" | "pixel shader":
            desk.ok("CreateVertexShader" if held == "vertex shader" else "CreatePixelShader", {}, "X")
        case "bound":
            desk.texture("Y", "DEFAULT")
            desk.ok("SetTexture", {"Stage": 3, "pTexture": "Y"})
            desk.ok("Release", {"object": "Y"})
            assert "Y" not in desk.state.objects
        case _:
            desk.texture("Y", "DEFAULT")
            desk.ok("GetSurfaceLevel", {"object": "Y"}, "X")
            desk.ok("Release", {"object": "Y"})
    outcome = desk.reset()
    assert outcome.hr == hr
    if hr == "D3D_OK":
        assert desk.level() == "D3D_OK"
        assert desk.ok("ValidateDevice").succeeded
        assert "shader" not in held or desk.ok("Release", {"object": "X"}).succeeded, "it survived"
        assert desk.free("NON_LOCAL") == 128 * MB
        return
    assert desk.level() == "D3DERR_DEVICENOTRESET"
    assert "R9.2" in rules(outcome)
    desk.ok("Release", {"object": "X"})
    assert desk.reset().succeeded
    desk.check()


def test_that_reset_changes_the_chain_and_unbinds() -> None:
    desk = full()
    desk.texture("T")
    desk.ok("SetTexture", {"Stage": 0, "pTexture": "T"})
    desk.ok("SetRenderState", {"State": "D3DRS_LIGHTING", "Value": 0})
    desk.frame()
    assert desk.reset({**FULL_SCREEN, "BackBufferWidth": 640, "BackBufferHeight": 480}).succeeded
    assert desk.free() > 58 * MB, "smaller buffers, and no managed copy"
    assert desk.device.things.bound == {
        "target 0": desk.row("D: back buffer 0"), "depth": desk.row("D: depth buffer")
    }  # fmt: skip
    assert desk.device.render_states == {}
    assert desk.call("GetRenderTarget", {"RenderTargetIndex": 1}, "R").hr == "D3DERR_NOTFOUND"
    assert desk.reset({**FULL_SCREEN, "BackBufferWidth": 801}).hr == "D3DERR_INVALIDCALL"
    assert desk.level() == "D3DERR_DEVICENOTRESET"


def test_that_managed_resources_come_back_by_themselves() -> None:
    # CHECKLIST 88, 81.
    desk = full("r9700pro")
    desk.texture("M")
    desk.buffer("V", "MANAGED")
    desk.frame("M", "V")
    desk.lose()
    desk.regain()
    desk.reset()
    outcome = desk.frame("M", "V")
    assert moved(outcome.events, "uploaded") == 2 * MB
    assert desk.groups("M") == ["LOCAL", "SYSTEM"]


def test_that_too_many_masters_go_to_the_page_file() -> None:
    # CHECKLIST 89 [fix]: it is the system copies that are paged.
    desk = Desk("gf4mx440")
    for index in range(60):
        assert desk.texture(f"M{index}", size=1024).succeeded
    assert desk.count("paged_out") == 60 - 192 // 4
    assert desk.groups("M0") == ["PAGE_FILE"]
    cost = desk.cost_of(desk.frame, "M0")
    assert cost["stall"] > 10 * cost["transfer"], "the disk is slow"
    assert desk.groups("M0") == ["LOCAL", "SYSTEM"]
    desk.check()


def test_that_reset_is_slow_where_the_masters_were_paged_out() -> None:
    # CHECKLIST 89.
    simulation = load_simulation("d3d9-device-loss")
    simulation.step(100)
    before = simulation.snapshot()
    simulation.step(32)
    lost = simulation.snapshot()
    simulation.step(1)
    after = simulation.snapshot()
    assert before.event_counts["paged_out"] == 0
    assert lost.event_counts["paged_out"] > 100
    assert after.event_counts["paged_in"] == after.event_counts["uploaded"] - lost.event_counts["uploaded"] == 20
    assert after.times.slowest_frame_ns > 10 * before.times.slowest_frame_ns
    assert after.event_counts["device_lost"] == after.event_counts["reset"] == 1


def test_that_the_loss_scenario_shows_nothing_while_it_is_lost() -> None:
    simulation = load_simulation("d3d9-device-loss")
    simulation.step(101)
    first = simulation.snapshot()
    lost = [event for event in first.events if event.kind == "device_lost"]
    assert len(lost) == 1
    caused = {event.kind for event in first.events if event.cause == lost[0].number}
    assert caused == {"changed", "evicted", "paged_out"}
    simulation.step(31)
    second = simulation.snapshot()
    assert second.event_counts["presented"] == first.event_counts["presented"]
    assert second.times.gpu_ns == first.times.gpu_ns
    simulation.step(60)
    assert simulation.snapshot().event_counts["presented"] == 100 + 60
    assert "Particle ring" in simulation.snapshot().resources.names


def test_that_the_focus_is_an_option_with_two_values() -> None:
    desk = full()
    with pytest.raises(CommandError, match="regained"):
        desk.device.set_option("focus", "blurred")
    with pytest.raises(CommandError, match="policy"):
        desk.device.set_option("gravity", "9.81")


def test_that_a_copy_of_the_device_has_its_own_future() -> None:
    desk = full()
    desk.texture("M")
    desk.buffer("B", usage="DYNAMIC")
    desk.frame("M", "B")
    desk.lock("B", "DISCARD")
    twin = desk.device.copy()
    desk.ok("Unlock", {"object": "B"})
    desk.ok("Release", {"object": "B"})
    desk.lose()
    assert twin.shown.status == "operational"
    assert twin.things.held
    assert "B" in twin.state.objects
    assert len(twin.blocks_of[twin.state.objects["B"][1]]) == 2


ACTIONS = st.lists(
    st.sampled_from([
        "create", "dynamic", "managed", "release", "draw", "lock", "unlock", "lose", "regain", "reset", "evict",
        "bind", "part", "drop part", "update",
    ]),
    max_size=40,
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(actions=ACTIONS, picks=st.lists(st.integers(0, 7), min_size=40, max_size=40))
def test_that_any_order_of_calls_keeps_the_books(actions: list[str], picks: list[int]) -> None:
    desk = full()
    for action, pick in zip(actions, picks, strict=False):
        name, alive = f"X{pick}", f"X{pick}" in desk.state.objects
        if action in ("create", "dynamic", "managed") and not alive:
            pool = "MANAGED" if action == "managed" else "DEFAULT"
            desk.buffer(name, pool, (pick + 1) * MB, "DYNAMIC" if action == "dynamic" else "")
        elif action == "lose":
            desk.lose()
        elif action == "regain":
            desk.regain()
        elif action == "reset":
            desk.reset()
        elif action == "evict":
            desk.ok("EvictManagedResources")
        elif alive:
            match action:
                case "release":
                    desk.ok("Release", {"object": name})
                case "draw":
                    desk.frame(name)
                case "lock":
                    desk.lock(name, ("", "DISCARD", "NOOVERWRITE")[pick % 3])
                case "unlock":
                    desk.ok("Unlock", {"object": name})
                case "bind":
                    desk.ok("SetStreamSource", {"StreamNumber": pick % 2, "pStreamData": name})
        desk.check()
    for name in [n for n, (kind, _) in desk.state.objects.items() if kind == "resource" and n.startswith("X")]:
        if name in desk.state.objects and "still in use" not in name:
            desk.ok("Release", {"object": name})
    for stream in (0, 1):
        desk.ok("SetStreamSource", {"StreamNumber": stream, "pStreamData": None})
    chain = 4 * 3 * MB
    assert desk.free() == 64 * MB - chain
    assert desk.free("NON_LOCAL") == 64 * MB
    desk.check()
