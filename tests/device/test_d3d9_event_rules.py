"""What the events of a D3D9 device say: each names the rule that decided and whom it was for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from explorer.sim.advisor import advise
from explorer.sim.scenarios import load_simulation
from tests.device.d3d9_desk import MB, Desk, rules

if TYPE_CHECKING:
    from explorer.core.events import Event
    from explorer.device.outcome import Outcome


def full(count: int = 16, size: int = 1024) -> Desk:
    """Return a device of 64 MB whose local memory is full of managed copies, M0 the oldest."""
    desk = Desk("gf4mx440")
    for index in range(count):
        desk.texture(f"M{index}", size=size)
        desk.frame(f"M{index}")
    assert desk.free() == 0
    return desk


def of_kind(outcome: Outcome, kind: str) -> list[Event]:
    return [event for event in outcome.events if event.kind == kind]


def evicted(outcome: Outcome) -> list[tuple[str, str]]:
    return [(event.subject, event.rule.removeprefix("d3d9.")) for event in of_kind(outcome, "evicted")]


def test_that_an_eviction_names_whom_it_was_for_and_when_it_was_last_used() -> None:
    desk = full()
    desk.texture("new", size=1024)
    event = of_kind(desk.frame("new"), "evicted")[0]
    assert f"to make room for {4 * MB:,} B of new" in event.text
    assert "last used in frame 0" in event.text
    text = of_kind(desk.texture("D", "DEFAULT", 1024), "evicted")[0].text
    assert "B of D" in text
    assert "priority" not in text


def test_that_the_least_recently_used_leaves_by_age_and_others_for_the_same_hole() -> None:
    # Rules R5.5 and R5.7: the first by its age, the next because the hole is still too small.
    desk = full(64, 512)
    desk.texture("big", size=1024)
    assert evicted(desk.frame("big")) == [("M0", "R5.5"), ("M1", "R5.7"), ("M2", "R5.7"), ("M3", "R5.7")]
    texts = [event.text for event in desk.state.log.tail if event.kind == "evicted"]
    assert ["no hole is large enough yet" in text for text in texts] == [False, True, True, True]


def test_that_a_copy_leaves_for_a_default_resource_before_that_fails() -> None:
    # Rule R6.8.
    desk = full()
    assert evicted(desk.texture("D", "DEFAULT", 1024)) == [("M0", "R6.8")]


def test_that_a_lower_priority_leaves_although_another_is_older() -> None:
    # Rule R5.6 outranks R5.5; where the oldest has the lowest priority as well, its age alone decides.
    desk = full()
    desk.ok("SetPriority", {"object": "M0", "PriorityNew": 3})
    desk.texture("new", size=1024)
    assert evicted(desk.frame("new")) == [("M1", "R5.6")]
    desk = full()
    desk.ok("SetPriority", {"object": "M9", "PriorityNew": 3})
    desk.texture("new", size=1024)
    assert evicted(desk.frame("new")) == [("M0", "R5.5")]
    for index in range(1, 16):
        desk.ok("SetPriority", {"object": f"M{index}", "PriorityNew": 7})
    desk.ok("SetPriority", {"object": "new", "PriorityNew": 2})
    outcome = desk.texture("D", "DEFAULT", 1024)
    assert evicted(outcome) == [("new", "R5.6")]
    assert of_kind(outcome, "evicted")[0].text.endswith("priority 2.")


def test_that_the_newest_leaves_while_the_frame_needs_too_much() -> None:
    # Rule R5.8; there too a priority outranks the time of use.
    desk = full()
    for index in (16, 17):
        desk.texture(f"M{index}", size=1024)
    desk.ok("BeginScene")
    desk.draw(*(f"M{index}" for index in range(16)))
    assert evicted(desk.draw("M16")) == [("M15", "R5.8")]
    desk.ok("SetPriority", {"object": "M16", "PriorityNew": 1})
    assert evicted(desk.draw("M17")) == [("M14", "R5.6")]
    desk.ok("EndScene")


@pytest.mark.parametrize(("call", "rule"), [("EvictManagedResources", "R5.9"), ("Reset", "R5.4")])
def test_that_a_purge_names_the_call(call: str, rule: str) -> None:
    desk = full()
    outcome = desk.reset() if call == "Reset" else desk.ok(call)
    assert {name for name, _ in evicted(outcome)} == {f"M{index}" for index in range(16)}
    assert {found for _, found in evicted(outcome)} == {rule}
    assert all(call in event.text for event in of_kind(outcome, "evicted"))


AGP, UMA = "r9700pro", "i865g"
PLACES = [
    ("texture", "DEFAULT", "", "LOCAL", "R2.2"), ("texture", "DEFAULT", "DYNAMIC", "NON_LOCAL", "R4.6"),
    ("texture", "DEFAULT", "RENDERTARGET", "LOCAL", "R4.1"), ("texture", "MANAGED", "", "SYSTEM", "R2.3"),
    ("texture", "SYSTEMMEM", "", "SYSTEM", "R2.4"), ("texture", "SCRATCH", "", "SYSTEM", "R2.5"),
    ("buffer", "DEFAULT", "", "LOCAL", "R3.7"), ("buffer", "DEFAULT", "DYNAMIC", "NON_LOCAL", "R4.6"),
    ("buffer", "DEFAULT", "POINTS", "LOCAL", "R3.2"), ("buffer", "DEFAULT", "NPATCHES", "SYSTEM", "R3.2"),
    ("buffer", "DEFAULT", "SOFTWAREPROCESSING", "SYSTEM", "R3.4"), ("plain", "DEFAULT", "", "LOCAL", "R2.2"),
    ("target", "DEFAULT", "", "LOCAL", "R4.1"),
]  # fmt: skip
UMA_PLACES = [
    ("texture", "DEFAULT", "", "LOCAL", "R4.5"), ("buffer", "DEFAULT", "", "LOCAL", "R4.5"),
    ("plain", "DEFAULT", "", "LOCAL", "R4.5"), ("buffer", "DEFAULT", "DYNAMIC", "LOCAL", "R4.6"),
    ("target", "DEFAULT", "", "LOCAL", "R4.5"), ("texture", "MANAGED", "", "SYSTEM", "R2.3"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("adapter_id", "kind", "pool", "usage", "group", "rule"),
    [*((AGP, *place) for place in PLACES), *((UMA, *place) for place in UMA_PLACES)],
)
def test_that_every_allocation_names_the_rule_that_put_it_there(
    adapter_id: str, kind: str, pool: str, usage: str, group: str, rule: str
) -> None:
    desk = Desk(adapter_id, **{"d3d9.point_sprites": "true", "d3d9.D3DDEVCAPS_NPATCHES": "false"})
    made = {
        "texture": lambda: desk.texture("X", pool, 64, usage=usage),
        "buffer": lambda: desk.buffer("X", pool, usage=usage),
        "plain": lambda: desk.plain("X", pool),
        "target": lambda: desk.target("X"),
    }
    outcome = made[kind]()
    assert desk.groups("X") == [group]
    event = of_kind(outcome, "allocated")[0]
    assert event.rule == f"d3d9.{rule}"
    assert outcome.reasons[-1].rule == event.rule
    assert outcome.reasons[-1].text in event.text


def test_that_a_creation_tells_the_four_properties_and_what_they_rest_on() -> None:
    # CHECKLIST 21, 80, 113.
    desk = Desk()
    outcome = desk.texture("T", "DEFAULT", 64, usage="DYNAMIC")
    assert of_kind(outcome, "created")[0].text == (
        "T was created: D3DRTYPE_TEXTURE, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, usage D3DUSAGE_DYNAMIC."
    )
    assert "R3.8" in rules(outcome)
    outcome = desk.buffer("B", "MANAGED", usage="WRITEONLY DONOTCLIP")
    text = of_kind(outcome, "created")[0].text
    assert text.startswith("B was created: D3DRTYPE_VERTEXBUFFER, D3DPOOL_MANAGED, usage D3DUSAGE_")
    assert "R5.1" in rules(outcome)
    assert "usage 0." in of_kind(desk.buffer("C", "SYSTEMMEM"), "created")[0].text
    desk.ok("GetSurfaceLevel", {"object": "T"}, "T0")
    assert "R1.3" in rules(desk.ok("GetSurfaceLevel", {"object": "T"}, "T0 again")), "one pool for all of it"


def test_that_a_loss_counts_what_it_took_in_each_segment() -> None:
    # CHECKLIST 85: rule R4.4 for AGP memory, R6.1 for what the application has to plan for.
    desk = Desk("gf4mx440")
    desk.start()
    desk.buffer("agp", usage="DYNAMIC", length=3 * MB)
    desk.lose()
    lost = next(event for event in desk.state.log.tail if event.kind == "device_lost")
    told = [event for event in desk.state.log.tail if event.cause == lost.number and event.kind == "changed"]
    assert [(event.rule, event.size_bytes) for event in told] == [("d3d9.R6.1", 12 * MB), ("d3d9.R4.4", 3 * MB)]


def test_that_memory_that_becomes_free_names_its_rule() -> None:
    desk = Desk("r9700pro")
    desk.buffer("D")
    desk.texture("M")
    desk.lock("D")
    ended = of_kind(desk.ok("Unlock", {"object": "D"}), "freed")
    assert [event.rule for event in ended] == ["d3d9.R6.3"], "the temporary copy"
    for name, rule in (("D", "d3d9.R6.7"), ("M", "d3d9.release")):
        outcome = desk.ok("Release", {"object": name})
        assert [event.rule for event in outcome.events] == [rule, "d3d9.release"]


LOCKS = [
    ("MANAGED", "", "", "R2.3", "system copy"), ("SYSTEMMEM", "", "", "R2.4", "system copy"),
    ("DEFAULT", "", "", "R6.3", f"{MB:,} B were read back"), ("DEFAULT", "WRITEONLY", "", "R6.3", "write-only"),
    ("DEFAULT", "DYNAMIC", "", "R6.2", "direct pointer to the block that the GPU uses"),
    ("DEFAULT", "DYNAMIC", "NOOVERWRITE", "R6.5", f"appends bytes 0 to {MB:,}"),
    ("DEFAULT", "DYNAMIC", "DISCARD", "R6.9", "DISCARD gives the block at 0x"),
    ("DEFAULT", "NPATCHES", "", "R3.2", "system copy"),
]  # fmt: skip


@pytest.mark.parametrize(("pool", "usage", "flags", "rule", "words"), LOCKS)
def test_that_every_lock_tells_its_pointer(pool: str, usage: str, flags: str, rule: str, words: str) -> None:
    desk = Desk("r9700pro", **{"d3d9.D3DDEVCAPS_NPATCHES": "false"})
    desk.buffer("B", pool, usage=usage)
    outcome = desk.ok("Lock", {"object": "B", "Flags": [f"D3DLOCK_{flags}"] if flags else []})
    event = outcome.events[-1]
    assert (event.kind, event.rule, event.size_bytes) == ("changed", f"d3d9.{rule}", MB)
    assert words in event.text
    assert event.segment == outcome.values["segment"]
    assert "wait" not in event.text


def test_that_a_lock_that_waited_or_met_a_lost_device_says_so() -> None:
    desk = Desk()
    desk.start()
    desk.buffer("B", usage="DYNAMIC")
    desk.frame("B")
    assert "after a wait for the GPU" in desk.write("B").events[-1].text
    desk.lose()
    event = desk.lock("B").events[-1]
    assert (event.rule, "lost" in event.text) == ("d3d9.R9.5", True)


def test_that_reading_through_a_write_combined_pointer_is_told_and_advised_against() -> None:
    desk = Desk()
    desk.buffer("B", usage="DYNAMIC WRITEONLY")
    outcome = desk.lock("B", "READONLY")
    assert outcome.events[-1].rule == "d3d9.R4.3", "the CPU reaches AGP memory"
    assert "R3.6" in rules(outcome), "the old data is read although the buffer is write-only"
    event = of_kind(desk.ok("Unlock", {"object": "B"}), "stalled")[0]
    assert (event.rule, event.size_bytes) == ("device.wc-read", MB)
    uma = Desk("i865g")
    uma.buffer("B", usage="DYNAMIC")
    uma.lock("B", "READONLY")
    assert of_kind(uma.ok("Unlock", {"object": "B"}), "stalled") == [], "a cache serves it"
    simulation = load_simulation("d3d9-agp-random-writes")
    simulation.step(300)
    found = [one for one in advise(simulation.snapshot()) if one.id == "write-combined-read"]
    assert [(one.figures["reads"], one.figures["bytes"]) for one in found] == [(10, 20 * MB)]


REFUSALS = [
    ("LockRect", {"object": "T"}, "R7.2"), ("Lock", {"object": "T"}, "bind.type"),
    ("UnlockRect", {"object": "P"}, "R7.8"), ("SetRenderTarget", {"pRenderTarget": "T"}, "bind.target"),
    ("SetStreamSource", {"StreamNumber": 0, "pStreamData": "T"}, "bind.type"),
    ("GetSurfaceLevel", {"object": "T", "Level": 12}, "sub.level"), ("ColorFill", {"pSurface": "T"}, "R8.6"),
    ("UpdateTexture", {"pSourceTexture": "M", "pDestinationTexture": "T"}, "R8.1"),
    ("UpdateSurface", {"pSourceSurface": "M", "pDestinationSurface": "T"}, "R8.1"),
    ("StretchRect", {"pSourceSurface": "P", "pDestSurface": "T"}, "R8.4"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "inputs", "rule"), REFUSALS)
def test_that_a_refused_call_is_told_of_the_object_that_it_was_made_on(
    call: str, inputs: dict[str, object], rule: str
) -> None:
    # So that "why did it fail" of a resource finds it.
    desk = Desk()
    desk.texture("T", "DEFAULT", 64)
    desk.texture("M", size=64)
    desk.plain("P", size=64)
    if call == "SetRenderTarget":
        inputs = {**inputs, "RenderTargetIndex": 0}
    outcome = desk.call(call, dict(inputs))
    event = of_kind(outcome, "refused")[0]
    assert event.subject == ("P" if call == "UnlockRect" else "T")
    assert event.rule == f"d3d9.{rule}"
    assert f"{call} answers {outcome.hr}" in event.text


def test_that_every_forbidden_thing_of_the_scenario_is_refused_by_its_rule() -> None:
    # CHECKLIST 22, 23, 31 to 33, 117.
    simulation = load_simulation("d3d9-properties")
    simulation.step(140)
    events = simulation.snapshot().events
    told = [(event.frame, event.rule.removeprefix("d3d9.")) for event in events if event.kind == "refused"]
    assert told == [
        (10, "R2.15"), (20, "R2.1"), (30, "usage.unknown"), (40, "R2.8"), (50, "R2.16"), (60, "R2.6"),
        (70, "format.support"), (80, "bind.target"), (90, "R7.2"), (100, "limit.size"),
    ]  # fmt: skip
    made = {event.subject for event in events if event.kind == "created"}
    assert "Texture, SCRATCH" in made
    assert {"R2.2", "R2.3", "R2.4", "R2.5", "R3.7", "R4.1", "R4.6"} <= {
        event.rule.removeprefix("d3d9.") for event in events if event.kind == "allocated"
    }


def test_that_a_copy_in_agp_memory_costs_its_frames_until_it_is_made_anew() -> None:
    simulation = load_simulation("d3d9-managed-in-agp")
    simulation.step(100)
    before = simulation.snapshot()
    told = [(event.subject, event.rule) for event in before.events if event.kind == "misplaced"]
    assert told == [("Sky", "d3d9.R4.7")]
    # The runtime cannot see that no eviction would make the hole: the walls left in vain once, and came back.
    assert (before.event_counts["evicted"], before.event_counts["uploaded"]) == (6, 13)
    assert [one.figures["resources"] for one in advise(before) if one.id == "misplaced"] == [1]
    simulation.step(10)
    assert simulation.snapshot().event_counts["uploaded"] == 13, "it stays where it is"
    simulation.step(1)
    middle = simulation.snapshot()
    assert middle.event_counts["misplaced"] == 1
    simulation.step(40)
    after = simulation.snapshot()
    slow = before.times.gpu_ns // 100
    fast = (after.times.gpu_ns - middle.times.gpu_ns) // 40
    assert slow > 2 * fast
