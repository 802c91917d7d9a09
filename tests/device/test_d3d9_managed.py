"""The manager of managed resources (CHECKLIST 81, 87 to 97, 105 to 108, 111, 115)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from explorer.core.calls import CallRecord
from explorer.sim.scenarios import load_simulation
from tests.device.d3d9_desk import MB, Desk, kinds, moved, rules

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot


def small(count: int = 20, size: int = 1024, **options: str) -> Desk:
    """Return a device of 64 MB with managed textures of 4 MiB, M0 and on."""
    desk = Desk("gf4mx440", **options)
    for index in range(count):
        assert desk.texture(f"M{index}", size=size).succeeded
    return desk


def resident(desk: Desk, count: int = 20) -> list[int]:
    return [i for i in range(count) if desk.device.managed.copy_of(desk.row(f"M{i}")) is not None]


def test_that_more_than_fits_may_be_managed() -> None:
    # CHECKLIST 81, 87, 89.
    desk = small(30)
    for first in range(0, 30, 10):
        assert desk.frame(*(f"M{i}" for i in range(first, first + 10))).succeeded
    assert desk.count("evicted") == 14
    desk.check()


def test_that_the_least_recently_used_leaves_first() -> None:
    # CHECKLIST 90.
    desk = small()
    for index in range(16):
        desk.frame(f"M{index}")
    desk.frame("M0")
    outcome = desk.frame("M16")
    assert [event.subject for event in outcome.events if event.kind == "evicted"] == ["M1"]
    assert {event.rule for event in outcome.events if event.kind == "evicted"} == {"d3d9.R5.5"}
    assert resident(desk) == [0, *range(2, 17)]


def test_that_priority_outranks_the_time_of_use() -> None:
    # CHECKLIST 91.
    desk = small()
    assert desk.ok("SetPriority", {"object": "M0", "PriorityNew": 7}).values["returns"] == 0
    for index in range(17):
        desk.frame(f"M{index}")
    assert resident(desk) == [0, *range(2, 17)], "M0 is the oldest, but stays"
    assert desk.ok("SetPriority", {"object": "M0", "PriorityNew": 0}).values["returns"] == 7
    desk.frame("M17")
    assert 0 not in resident(desk)


def test_that_one_hole_may_take_several_evictions() -> None:
    # CHECKLIST 92: the runtime evicts by age, not by place.
    desk = Desk("gf4mx440")
    order = [5, 60, 1, 33, 17, 48, 9, 25]
    for index in range(64):
        desk.texture(f"M{index}", size=512)
    desk.frame(*(f"M{index}" for index in range(64)))
    for index in sorted(set(range(64)) - set(order)):
        desk.frame(f"M{index}")
    desk.texture("big", size=1024)
    outcome = desk.frame("big")
    gone = [event for event in outcome.events if event.kind == "evicted"]
    assert len(gone) > 4, "four neighbours would have been enough"
    assert sum(event.size_bytes for event in gone) > 4 * MB


def test_that_evict_managed_resources_empties_video_memory() -> None:
    # CHECKLIST 93: what is bound goes too, the masters stay, the next frame pays.
    desk = small(10)
    desk.ok("SetTexture", {"Stage": 0, "pTexture": "M0"})
    names = [f"M{index}" for index in range(10)]
    desk.frame(*names)
    outcome = desk.ok("EvictManagedResources")
    assert kinds(outcome).count("evicted") == 10
    assert rules(outcome) == {"R5.9"}
    assert desk.free() == desk.largest() == 64 * MB
    assert all(desk.groups(name) == ["SYSTEM"] for name in names)
    assert moved(desk.draw(*names).events, "uploaded") == 40 * MB


def test_that_a_frame_that_needs_too_much_turns_to_mru() -> None:
    # CHECKLIST 94: the switch is marked once, and ends with the scene.
    desk = small(20)
    names = [f"M{index}" for index in range(20)]
    desk.ok("BeginScene")
    outcome = desk.draw(*names)
    marks = [event for event in outcome.events if event.kind == "lru_to_mru"]
    assert len(marks) == 1
    assert marks[0].rule == "d3d9.R5.8"
    assert desk.device.managed.is_thrashing
    assert resident(desk)[:15] == list(range(15)), "the most recently used left"
    desk.ok("EndScene")
    assert not desk.device.managed.is_thrashing
    assert desk.ok("PreLoad", {"object": "M0"}).values["uploads"]


def test_that_preload_does_nothing_while_thrashing() -> None:
    desk = small(20)
    desk.ok("BeginScene")
    desk.draw(*(f"M{index}" for index in range(20)))
    missing = next(i for i in range(20) if i not in resident(desk))
    outcome = desk.ok("PreLoad", {"object": f"M{missing}"})
    assert outcome.values["uploads"] is False
    assert kinds(outcome) == []


def test_that_the_frame_of_the_switch_runs_from_begin_to_end_of_the_scene() -> None:
    desk = small(20)
    for index in range(20):
        # One texture in each scene: nothing was used in the present one.
        desk.frame(f"M{index}")
    assert desk.count("lru_to_mru") == 0


def test_that_scenes_do_not_nest_and_have_a_beginning() -> None:
    # A second BeginScene would end the frame that LRU turned to MRU in.
    desk = small(20)
    assert desk.call("EndScene").hr == "D3DERR_INVALIDCALL"
    desk.ok("BeginScene")
    desk.draw(*(f"M{index}" for index in range(20)))
    outcome = desk.call("BeginScene")
    assert (outcome.hr, rules(outcome), kinds(outcome)) == ("D3DERR_INVALIDCALL", {"scene"}, ["refused"])
    assert desk.device.managed.is_thrashing
    desk.ok("EndScene")
    assert desk.call("EndScene").hr == "D3DERR_INVALIDCALL"
    desk.ok("BeginScene")
    assert desk.reset({"Windowed": True}).succeeded
    desk.ok("BeginScene")


def test_that_mru_saves_uploads_where_lru_has_none_left() -> None:
    uploads = {}
    for policy in ("lru", "lru-mru"):
        desk = small(20, policy=policy)
        for _ in range(10):
            desk.frame(*(f"M{index}" for index in range(20)))
        uploads[policy] = desk.count("uploaded")
    assert uploads["lru"] == 200
    assert uploads["lru-mru"] < 100


def test_that_a_copy_that_local_memory_cannot_hold_lies_in_non_local_memory() -> None:
    # Rule R4.7: it may, and the application is not told; the advisor is.
    desk = small(2)
    for index in range(13):
        desk.target(f"T{index}", 1024)
    desk.texture("big", size=2048)
    outcome = desk.frame("M0", "M1")
    assert "misplaced" not in kinds(outcome)
    outcome = desk.frame("big")
    assert outcome.succeeded
    told = [event for event in outcome.events if event.kind == "misplaced"]
    assert [(event.subject, event.rule, event.size_bytes) for event in told] == [("big", "d3d9.R4.7", 16 * MB)]
    assert desk.groups("big") == ["NON_LOCAL", "SYSTEM"]
    assert moved(desk.frame("big").events, "uploaded") == 0, "it stays"
    assert desk.cost_of(desk.draw, "big")["gpu"] > 4 * 5 * desk.cost_of(desk.draw, "M0")["gpu"]
    desk.check()


def test_that_a_copy_in_non_local_memory_is_no_victim_for_local_memory_but_leaves_in_a_purge() -> None:
    desk = small(3)
    for index in range(13):
        desk.target(f"T{index}", 1024)
    desk.texture("big", size=2048)
    desk.frame("big")
    desk.frames(1, "M0", "M1", "M2")
    twin = desk.device.copy()
    assert desk.target("T13", 1024).succeeded
    assert desk.groups("big") == ["NON_LOCAL", "SYSTEM"], "the oldest, but no hole in local memory would come of it"
    assert resident(desk, 3) == [1, 2]
    desk.ok("EvictManagedResources")
    assert desk.groups("big") == ["SYSTEM"]
    assert desk.free("NON_LOCAL") == 64 * MB
    assert twin.managed.copy_of(desk.row("big")) is not None
    # What happened to the one after the copy is nothing to the other: there big still is no victim.
    target = {"Width": 1024, "Height": 1024, "Format": "D3DFMT_X8R8G8B8"}
    assert twin.apply(CallRecord("d3d9", "CreateRenderTarget", target, "T14")).succeeded
    assert twin.managed.copy_of(desk.row("big")) is not None
    desk.check()


# Statistics ----------------------------------------------------------------------------------------------------

QUERY = {"Type": "D3DQUERYTYPE_RESOURCEMANAGER"}


def test_that_statistics_exist_in_the_debug_runtime_only() -> None:
    # CHECKLIST 95.
    assert Desk().call("CreateQuery", QUERY, "Q").hr == "D3DERR_NOTAVAILABLE"
    assert Desk(**{"d3d9.runtime": "debug"}).call("CreateQuery", QUERY, "Q").succeeded


def test_that_statistics_count_eleven_things_for_each_type() -> None:
    # CHECKLIST 95, 96: with the warning not to build on them.
    desk = small(20, 1024, **{"d3d9.runtime": "debug"})
    desk.ok("CreateQuery", QUERY, "Q")
    desk.buffer("B", "MANAGED")
    desk.ok("SetPriority", {"object": "M19", "PriorityNew": 2})
    desk.ok("BeginScene")
    desk.draw(*(f"M{index}" for index in range(20)), "B")
    desk.ok("Issue", {"object": "Q"})
    outcome = desk.ok("GetData", {"object": "Q"})
    assert {"R5.13", "R5.14"} <= rules(outcome)
    assert len(outcome.values) == 7
    textures = outcome.values["D3DRTYPE_TEXTURE"]
    assert isinstance(textures, dict)
    evicted, made = desk.count("evicted"), desk.count("uploaded")
    assert textures == {
        "bThrashing": 1,
        "ApproxBytesDownloaded": (made - 1) * 4 * MB,
        "NumEvicts": evicted,
        "NumVidCreates": made - 1,
        "LastPri": 0,
        "NumUsed": 20,
        "NumUsedInVidMem": len(resident(desk)),
        "WorkingSet": len(resident(desk)),
        "WorkingSetBytes": len(resident(desk)) * 4 * MB,
        "TotalManaged": 20,
        "TotalBytes": 80 * MB,
    }
    assert outcome.values["D3DRTYPE_VERTEXBUFFER"]["TotalBytes"] == MB  # type: ignore[index]
    desk.ok("EndScene")
    assert desk.ok("GetData", {"object": "Q"}).values["D3DRTYPE_TEXTURE"]["bThrashing"] == 0  # type: ignore[index]


def test_that_the_statistics_of_a_scenario_are_told_in_its_events() -> None:
    simulation = load_simulation("d3d9-thrash")
    simulation.step(50)
    told = [event.text for event in simulation.snapshot().events if event.rule == "d3d9.R5.13"]
    assert len(told) == 1
    assert "evicted" in told[0]


# The driver ----------------------------------------------------------------------------------------------------

CAP = {"d3d9.D3DCAPS2_CANMANAGERESOURCE": "true"}


def evictions_for_a_gap(*flags: str, **options: str) -> tuple[list[str], Desk]:
    desk = Desk("gf4mx440", **options)
    desk.start({"Windowed": True, "BackBufferWidth": 64, "BackBufferHeight": 64}, *flags)
    order = list(range(63))
    for index in order:
        desk.texture(f"M{index}", size=512)
    desk.frame(*(f"M{index}" for index in order))
    # Used again in an order that has nothing to do with the places.
    for index in sorted(order, key=lambda i: (i * 37) % 63):
        desk.frame(f"M{index}")
    desk.texture("big", size=1024)
    outcome = desk.frame("big")
    assert outcome.succeeded
    return [event.rule for event in outcome.events if event.kind == "evicted"], desk


def test_that_a_driver_with_the_cap_manages_unless_it_is_forbidden() -> None:
    # CHECKLIST 97.
    runtime, _ = evictions_for_a_gap()
    driver, desk = evictions_for_a_gap(**CAP)
    assert set(driver) == {"d3d9.R5.15"}
    assert len(driver) <= 5 < len(runtime)
    desk.check()
    for flag in ("DISABLE_DRIVER_MANAGEMENT", "DISABLE_DRIVER_MANAGEMENT_EX"):
        forced, _ = evictions_for_a_gap(flag, **CAP)
        assert forced == runtime


def test_that_disabled_driver_management_hides_errors_and_the_ex_flag_reports_them() -> None:
    answers = {}
    for flag in ("DISABLE_DRIVER_MANAGEMENT", "DISABLE_DRIVER_MANAGEMENT_EX"):
        desk = Desk("gf4mx440")
        desk.start({"Windowed": True}, flag)
        for index in range(15):
            desk.target(f"T{index}", 1024)
        assert desk.buffer("ring", length=60 * MB, usage="DYNAMIC").succeeded
        desk.texture("M", size=2048)
        answers[flag] = desk.frame("M").hr
        assert desk.count("refused") == 1
    assert list(answers.values()) == ["D3D_OK", "D3DERR_OUTOFVIDEOMEMORY"]


def test_that_the_runtime_counts_nothing_where_the_driver_manages() -> None:
    desk = Desk("gf4mx440", **CAP, **{"d3d9.runtime": "debug"})
    desk.texture("M")
    desk.ok("CreateQuery", QUERY, "Q")
    desk.frame("M")
    found = desk.ok("GetData", {"object": "Q"}).values["D3DRTYPE_TEXTURE"]
    assert isinstance(found, dict)
    assert (found["NumVidCreates"], found["TotalManaged"]) == (0, 1)


# Static and changing data --------------------------------------------------------------------------------------


def test_that_rare_changes_are_cheaper_managed_than_dynamic() -> None:
    # CHECKLIST 115 [fix]: an occasional upload beats constant bus traffic.
    costs: dict[tuple[str, int], int] = {}
    for every in (1, 20):
        for pool, usage, words in (("MANAGED", "WRITEONLY", ""), ("DEFAULT", "DYNAMIC WRITEONLY", "DISCARD")):
            desk = Desk()
            desk.buffer("B", pool, usage=usage)
            before = sum(desk.spent().values())
            for frame in range(40):
                if frame % every == 0:
                    desk.write("B", words)
                desk.frame("B")
            costs[pool, every] = sum(desk.spent().values()) - before
    assert costs["MANAGED", 20] < costs["DEFAULT", 20]
    advantage = {every: costs["DEFAULT", every] / costs["MANAGED", every] for every in (1, 20)}
    assert advantage[20] > 4 * advantage[1], "with a change in every frame both move the same bytes"


# Mixing pools --------------------------------------------------------------------------------------------------


def run(scenario: str, frames: int) -> Snapshot:
    simulation = load_simulation(scenario)
    simulation.step(frames)
    return simulation.snapshot()


def test_that_default_first_evicts_nothing_when_the_targets_are_needed() -> None:
    # CHECKLIST 106.
    def between(scenario: str) -> tuple[int, int]:
        simulation = load_simulation(scenario)
        simulation.step(100)
        before = simulation.snapshot().event_counts
        simulation.step(2)
        after = simulation.snapshot().event_counts
        return after["evicted"] - before["evicted"], after["uploaded"] - before["uploaded"]

    assert between("d3d9-default-first") == (0, 0)
    evicted, uploaded = between("d3d9-default-last")
    assert evicted > 60
    assert uploaded > 20
    assert 0 < between("d3d9-driver-managed")[0] < evicted


def test_that_evicting_before_a_default_allocation_leaves_one_hole() -> None:
    # CHECKLIST 106.
    holes = {}
    for first in (True, False):
        desk = small(64, 512)
        desk.frame(*(f"M{index}" for index in range(64)))
        for index in sorted(range(64), key=lambda i: (i * 37) % 64):
            desk.frame(f"M{index}")
        if first:
            desk.ok("EvictManagedResources")
        desk.target("T", 1024)
        desk.check()
        holes[first] = desk.free() - desk.largest()
    assert holes[True] == 0
    assert holes[False] > 0


def test_that_mixing_pools_fragments_video_memory() -> None:
    # CHECKLIST 105.
    local = run("d3d9-mixed-pools", 140).segments[0]
    assert local.largest_free_bytes * 4 < local.free_bytes


def test_that_a_static_texture_may_end_up_in_non_local_memory() -> None:
    # CHECKLIST 108.
    snapshot = run("d3d9-mixed-pools", 151)
    event = next(event for event in snapshot.events if event.kind == "misplaced")
    assert (event.subject, event.rule) == ("Back plate", "d3d9.R6.8")
    row = snapshot.resources.names.index("Back plate")
    block = snapshot.blocks.resource.tolist().index(row)
    assert snapshot.segments[int(snapshot.blocks.segment[block])].group == "NON_LOCAL"
    assert snapshot.event_counts["refused"] == 1, "the target must be in local memory"


def test_that_managed_copies_leave_before_a_default_allocation_fails() -> None:
    # CHECKLIST 108.
    desk = small(16)
    desk.frame(*(f"M{index}" for index in range(16)))
    outcome = desk.texture("D", "DEFAULT", 1024)
    assert outcome.succeeded
    assert kinds(outcome) == ["evicted", "created", "allocated"]
    assert desk.groups("D") == ["LOCAL"]


@pytest.mark.parametrize("scenario", ["d3d9-level-load", "d3d9-priorities"])
def test_that_a_scenario_teaches_what_it_says(scenario: str) -> None:
    simulation = load_simulation(scenario)
    if scenario == "d3d9-level-load":
        # CHECKLIST 93, 118: uploads spread over the loading screen, and all at once.
        simulation.step(60)
        spread = simulation.snapshot().times.slowest_frame_ns
        simulation.step(61)
        assert simulation.snapshot().times.slowest_frame_ns > 8 * spread
        return
    # CHECKLIST 91.
    counts: list[int] = []
    for frames in (100, 100, 100):
        seen = 0
        for _ in range(frames):
            before = simulation.snapshot().events[-1].number
            simulation.step()
            fresh = [e for e in simulation.snapshot().events if e.number > before]
            seen += sum(e.kind == "evicted" and e.subject.startswith("Hero") for e in fresh)
        counts.append(seen)
    assert counts[0] > 0
    assert counts[1] == 0
    assert counts[2] > 0
