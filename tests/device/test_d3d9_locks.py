"""Locks of D3D9 resources (CHECKLIST 84, 99 to 104, 110, 112 to 114, 116)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.device.cost import RANDOM_COMBINED, access_ns
from explorer.errors import CallError
from explorer.sim.scenarios import load_simulation
from tests.device.d3d9_desk import FULL_SCREEN, MB, Desk, kinds, moved, rules

POINTERS = [
    ("r9700pro", "buffer", "DEFAULT", "", "temporary"), ("r9700pro", "buffer", "DEFAULT", "WRITEONLY", "temporary"),
    ("r9700pro", "buffer", "DEFAULT", "DYNAMIC", "direct"), ("r9700pro", "buffer", "MANAGED", "", "system"),
    ("r9700pro", "buffer", "SYSTEMMEM", "", "system"), ("r9700pro", "texture", "DEFAULT", "DYNAMIC", "direct"),
    ("r9700pro", "texture", "MANAGED", "", "system"), ("r9700pro", "texture", "SCRATCH", "", "system"),
    ("r9700pro", "plain", "DEFAULT", "", "temporary"), ("r9700pro", "target", "DEFAULT", "", "temporary"),
    ("i865g", "buffer", "DEFAULT", "DYNAMIC", "direct"), ("gf7800gtx", "buffer", "DEFAULT", "DYNAMIC", "direct"),
]  # fmt: skip


@pytest.mark.parametrize(("adapter_id", "kind", "pool", "usage", "pointer"), POINTERS)
def test_that_pool_and_usage_decide_the_pointer(
    adapter_id: str, kind: str, pool: str, usage: str, pointer: str
) -> None:
    # CHECKLIST 101.
    desk = Desk(adapter_id)
    if kind == "buffer":
        desk.buffer("X", pool, usage=usage)
        outcome = desk.lock("X")
    else:
        made = {"texture": lambda: desk.texture("X", pool, usage=usage), "plain": lambda: desk.plain("X", pool),
                "target": lambda: desk.target("X", lockable=True)}  # fmt: skip
        assert made[kind]().succeeded
        outcome = desk.lock_rect("X")
    assert outcome.values["pointer"] == pointer
    groups = desk.groups("X")
    assert groups.count("SYSTEM") == (1 if pointer in ("temporary", "system") else 0)
    desk.ok("Unlock" if kind == "buffer" else "UnlockRect", {"object": "X"})
    assert len(desk.groups("X")) == 1, "the temporary copy is gone"
    desk.check()


def test_that_a_lock_without_writeonly_reads_back() -> None:
    # CHECKLIST 99 [fix]: omitting WRITEONLY is the mistake.
    desk = Desk()
    desk.buffer("W", usage="WRITEONLY")
    desk.buffer("R")
    written, read = desk.lock("W"), desk.lock("R")
    assert (written.values["read_back_bytes"], read.values["read_back_bytes"]) == (0, MB)
    assert "R3.5" in rules(read)
    assert [event.size_bytes for event in read.events if event.rule == "d3d9.R3.5"] == [MB]
    for name in "WR":
        assert moved(desk.ok("Unlock", {"object": name}).events, "uploaded") == MB
    costs = [sum(desk.cost_of(desk.write, name).values()) for name in "WR"]
    assert costs[1] > 3 * costs[0], "the bus is slower towards the CPU"


@settings(max_examples=20, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 5000), min_size=1, max_size=6),
    pool=st.sampled_from(["DEFAULT", "MANAGED", "SYSTEMMEM"]),
    usage=st.sampled_from(["", "WRITEONLY", "DYNAMIC"]),
)
def test_that_every_buffer_pointer_is_aligned_to_16_bytes(sizes: list[int], pool: str, usage: str) -> None:
    # Rule R7.12, whatever lies before it.
    desk = Desk()
    for number, size in enumerate(sizes):
        if desk.buffer(f"B{number}", pool, size, usage).succeeded:
            assert int(str(desk.lock(f"B{number}").values["address"])) % 16 == 0


def test_that_a_read_only_lock_sends_nothing_up() -> None:
    desk = Desk()
    desk.buffer("R")
    desk.lock("R", "READONLY")
    assert moved(desk.ok("Unlock", {"object": "R"}).events, "uploaded") == 0


def test_that_a_lockable_target_costs_the_gpu() -> None:
    # CHECKLIST 99.
    desk = Desk()
    desk.target("plain")
    desk.target("lockable", lockable=True)
    assert desk.lock_rect("plain").hr == "D3DERR_INVALIDCALL"
    costs = [desk.cost_of(desk.draw, writes=(name,))["gpu"] for name in ("plain", "lockable")]
    assert costs[1] > costs[0]


def test_that_a_default_lock_waits_unless_flags_help() -> None:
    # CHECKLIST 100, 104, 110.
    waits = {}
    for words in ("", "NOOVERWRITE", "DISCARD", "NOOVERWRITE DISCARD"):
        desk = Desk()
        desk.buffer("B", usage="DYNAMIC WRITEONLY")
        desk.frame("B")
        outcome = desk.lock("B", words)
        waits[words] = (outcome.values["waited"], kinds(outcome))
        assert outcome.values["write_visible_to_pending_draw"] is ("NOOVERWRITE" in words)
    assert waits[""] == (True, ["stalled", "changed"])
    assert waits["NOOVERWRITE"] == (False, ["changed"])
    assert waits["DISCARD"] == (False, ["allocated", "renamed", "changed"])
    assert waits["NOOVERWRITE DISCARD"] == (False, ["changed"]), "NOOVERWRITE wins"


def test_that_managed_locks_never_wait() -> None:
    # CHECKLIST 100: locks touch the master alone.
    desk = Desk()
    desk.buffer("M", "MANAGED")
    desk.frame("M")
    assert desk.lock("M").values["waited"] is False


def test_that_a_block_is_free_when_the_frames_in_flight_are_done() -> None:
    desk = Desk()
    desk.buffer("B", usage="DYNAMIC WRITEONLY")
    desk.buffer("other")
    desk.frame("B")
    assert desk.write("B", "READONLY").values["waited"] is False
    desk.frames(2, "other")
    assert desk.write("B").values["waited"] is False


def test_that_a_wait_drains_what_came_before() -> None:
    desk = Desk()
    desk.buffer("A", usage="DYNAMIC WRITEONLY")
    desk.buffer("B", usage="DYNAMIC WRITEONLY")
    desk.frame("A", "B")
    assert desk.write("B").values["waited"] is True
    assert desk.write("A").values["waited"] is False, "it was drawn before B"
    assert desk.write("B").values["waited"] is False


def test_that_discard_gives_another_block_and_uses_old_ones_again() -> None:
    # CHECKLIST 110.
    desk = Desk()
    desk.buffer("B", usage="DYNAMIC WRITEONLY")
    places = []
    for _ in range(8):
        places.append(desk.write("B", "DISCARD").values["address"])
        desk.frame("B")
    assert len(set(places)) == 2, "one to write, one in flight"
    assert places[:2] == places[2:4] == places[4:6]
    assert len(desk.groups("B")) == 2
    assert set(desk.groups("B")) == {"NON_LOCAL"}
    desk.ok("Release", {"object": "B"})
    assert desk.free("NON_LOCAL") == 128 * MB


def test_that_discard_waits_when_there_is_no_room_for_another_block() -> None:
    desk = Desk("gf4mx440")
    assert desk.buffer("B", length=48 * MB, usage="DYNAMIC WRITEONLY").succeeded
    desk.frame("B")
    outcome = desk.lock("B", "DISCARD")
    assert outcome.succeeded
    assert outcome.values["waited"] is True


def test_that_the_two_rings_differ_in_stalls_alone() -> None:
    # CHECKLIST 104, 110.
    totals = {}
    for name in ("plain", "discard"):
        simulation = load_simulation(f"d3d9-vertex-ring-{name}")
        simulation.step(120)
        snapshot = simulation.snapshot()
        totals[name] = (snapshot.event_counts["stalled"], snapshot.event_counts["renamed"], snapshot.time_ns)
    assert totals["plain"][:2] == (119, 0)
    assert totals["discard"][:2] == (0, 29)
    assert totals["discard"][2] < totals["plain"][2]


def append(desk: Desk, offset: int, words: str = "NOOVERWRITE") -> list[str]:
    inputs = {"object": "B", "OffsetToLock": offset, "SizeToLock": 4096, "Flags": [f"D3DLOCK_{words}"] if words else []}
    outcome = desk.ok("Lock", inputs)
    desk.ok("Unlock", {"object": "B"})
    found = kinds(outcome)
    assert found.pop() == "changed", "where the pointer goes is told last"
    return found


def test_that_overwriting_what_a_pending_draw_reads_is_a_hazard() -> None:
    # CHECKLIST 104: NOOVERWRITE is a promise.
    desk = Desk()
    desk.buffer("B", usage="DYNAMIC WRITEONLY")
    assert append(desk, 0) == []
    assert append(desk, 0) == [], "nothing was drawn yet"
    desk.frame("B")
    assert append(desk, 4096) == [], "the next bytes"
    outcome = desk.lock("B", "NOOVERWRITE", size=16)
    desk.ok("Unlock", {"object": "B"})
    assert kinds(outcome) == ["hazard", "changed"]
    assert (outcome.events[0].rule, outcome.events[0].size_bytes) == ("d3d9.R7.6", 16)
    desk.frames(2, "B")
    assert append(desk, 4096) == [], "the frames in flight are done"
    append(desk, 8192)
    desk.frame("B")
    assert append(desk, 0, "DISCARD") == ["allocated", "renamed"]
    assert append(desk, 8192) == [], "it is another block"


def test_that_the_ring_scenario_never_overwrites() -> None:
    simulation = load_simulation("d3d9-vertex-ring-discard")
    simulation.step(100)
    assert simulation.snapshot().event_counts["hazard"] == 0


def test_that_order_counts_in_write_combined_memory() -> None:
    # CHECKLIST 102, 103.
    desk = Desk()
    desk.buffer("B", usage="DYNAMIC WRITEONLY")
    desk.buffer("S", "SYSTEMMEM")
    random = desk.cost_of(desk.write, "B", access="random write")["cpu"]
    ordered = desk.cost_of(desk.write, "B", access="sequential write")["cpu"]
    prepared = desk.cost_of(desk.write, "S", access="random write")["cpu"] + ordered
    assert ordered < prepared < random / 3
    assert desk.cost_of(desk.write, "B", access="none")["cpu"] < ordered
    told = [event for event in desk.state.log.tail if event.rule == "d3d9.R6.4"]
    assert [event.size_bytes for event in told] == [MB], "one event for the one scattered write to AGP memory"


@given(size=st.integers(0, 1 << 30))
@settings(max_examples=30, deadline=None)
def test_that_a_partly_written_line_is_read_and_written_whole(size: int) -> None:
    ordered = access_ns(size, "WC", "sequential write")
    assert access_ns(size, "WC", "random write") == ordered * RANDOM_COMBINED
    assert access_ns(size, "WB", "random write") <= 2 * access_ns(size, "WB", "sequential write")


def test_that_the_scenario_shows_the_three_ways_to_write() -> None:
    # CHECKLIST 102, 103.
    simulation = load_simulation("d3d9-agp-random-writes")
    spent = [0]
    for frame in (100, 200, 290, 300):
        simulation.step(frame - simulation.frame)
        spent.append(simulation.snapshot().times.cpu_ns)
    random, ordered, prepared = spent[1] / 100, (spent[2] - spent[1]) / 100, (spent[3] - spent[2]) / 90
    assert ordered < prepared < random / 3
    assert (spent[4] - spent[3]) / 10 > random, "reading back through the AGP pointer is the slowest"


def test_that_every_pair_of_calls_costs() -> None:
    # CHECKLIST 104.
    desk = Desk()
    desk.buffer("B", usage="DYNAMIC WRITEONLY")
    once = desk.cost_of(desk.write, "B", "NOOVERWRITE", size=65536)["cpu"]
    pieces = sum(desk.cost_of(desk.write, "B", "NOOVERWRITE", size=4096)["cpu"] for _ in range(16))
    assert pieces > once + 15 * 1_000


def test_that_locks_of_buffers_nest_and_those_of_surfaces_do_not() -> None:
    desk = Desk()
    desk.buffer("B")
    desk.plain("P")
    assert desk.lock("B").succeeded
    assert desk.lock("B").succeeded
    assert desk.groups("B") == ["LOCAL", "SYSTEM", "SYSTEM"]
    desk.ok("Unlock", {"object": "B"})
    desk.ok("Unlock", {"object": "B"})
    assert desk.ok("Unlock", {"object": "B"}).values == {}
    assert desk.groups("B") == ["LOCAL"]
    assert desk.lock_rect("P", rect=(0, 0, 8, 8)).succeeded
    assert desk.lock_rect("P", rect=(8, 8, 16, 16)).hr == "D3DERR_INVALIDCALL"
    desk.ok("UnlockRect", {"object": "P"})
    assert desk.call("UnlockRect", {"object": "P"}).hr == "D3DERR_INVALIDCALL"
    desk.check()


def test_that_levels_and_parts_lock_apart() -> None:
    desk = Desk()
    desk.texture("T", levels=0)
    desk.ok("GetSurfaceLevel", {"object": "T", "Level": 1}, "T1")
    assert desk.lock_rect("T", Level=0).succeeded
    assert desk.lock_rect("T1").succeeded
    assert desk.lock_rect("T", Level=1).hr == "D3DERR_INVALIDCALL", "the part is locked already"
    desk.ok("UnlockRect", {"object": "T", "Level": 1})
    assert desk.lock_rect("T1").succeeded


def test_that_donotwait_says_so_instead_of_waiting() -> None:
    desk = Desk()
    desk.plain("P")
    desk.ok("BeginScene")
    desk.ok("ColorFill", {"pSurface": "P"})
    outcome = desk.lock_rect("P", "DONOTWAIT")
    assert outcome.hr == "D3DERR_WASSTILLDRAWING"
    assert rules(outcome) == {"R7.5"}
    assert desk.lock_rect("P").values["waited"] is True


def test_that_donotwait_is_for_surfaces_of_every_pool_and_for_nothing_else() -> None:
    # Rule R7.5: a plain surface in system memory whose copy is pending, and a back buffer; a buffer waits all the same.
    desk = Desk()
    desk.start({**FULL_SCREEN, "Flags": ["D3DPRESENTFLAG_LOCKABLE_BACKBUFFER"]})
    desk.plain("S", "SYSTEMMEM")
    desk.plain("D")
    desk.ok("UpdateSurface", {"pSourceSurface": "S", "pDestinationSurface": "D"})
    desk.ok("GetBackBuffer", {}, "back")
    desk.frame()
    for name in ("S", "D", "back"):
        assert desk.lock_rect(name, "DONOTWAIT").hr == "D3DERR_WASSTILLDRAWING", name
        assert desk.device.things.held == {}
    assert desk.lock_rect("S").values["waited"] is True
    desk.buffer("B")
    desk.frame("B")
    assert desk.lock("B", "DONOTWAIT").values["waited"] is True


def test_that_a_boxed_volume_locks() -> None:
    desk = Desk()
    inputs = {"Width": 32, "Height": 32, "Depth": 8, "Levels": 1, "Usage": [], "Format": "D3DFMT_L8"}
    desk.ok("CreateVolumeTexture", {**inputs, "Pool": "D3DPOOL_MANAGED"}, "V")
    desk.frame("V")
    box = {"Left": 0, "Top": 0, "Right": 16, "Bottom": 16, "Front": 2, "Back": 4}
    desk.ok("LockBox", {"object": "V", "pBox": box})
    desk.ok("UnlockBox", {"object": "V"})
    assert moved(desk.draw("V").events, "uploaded") == 16 * 16 * 2


def test_that_releasing_a_locked_resource_frees_its_temporary_copy() -> None:
    desk = Desk()
    desk.buffer("B")
    desk.lock("B")
    desk.ok("Release", {"object": "B"})
    assert desk.free("SYSTEM") == sum(desk.state.segments[i].size for i in desk.state.segments_in("SYSTEM"))


def test_that_a_lock_of_the_wrong_kind_is_refused() -> None:
    desk = Desk()
    desk.texture("T")
    assert desk.lock("T").hr == "D3DERR_INVALIDCALL"
    with pytest.raises(CallError, match="no live"):
        desk.lock("ghost")


def test_that_the_write_only_scenario_shows_the_difference() -> None:
    # CHECKLIST 99, 101.
    simulation = load_simulation("d3d9-write-only")
    simulation.step(10)
    events = simulation.snapshot().events
    read = {event.subject for event in events if event.rule == "d3d9.R3.5"}
    assert read == {"Terrain, readable"}
    sent = {event.subject for event in events if event.kind == "uploaded"}
    assert sent == {"Terrain, readable", "Terrain, write-only"}
