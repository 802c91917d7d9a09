"""The kernel memory manager: paging, trims, freezes, notifications."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from explorer.device import make_device
from explorer.device.memory_state import MemoryState
from explorer.errors import CommandError
from explorer.sim.scenarios import load_simulation
from explorer.tables.adapters import adapter
from tests.sim.test_d3d12_device import MIB, Rig

if TYPE_CHECKING:
    from explorer.device.outcome import Outcome


def small_rig(system: int, file: int) -> Rig:
    """Return a device whose system memory and page file are small."""
    rig = Rig()
    own = adapter("rtx3060-laptop")
    sizes = {"SYSTEM": system, "PAGE_FILE": file}
    segments = tuple(dataclasses.replace(one, size_bytes=sizes.get(one.group, one.size_bytes)) for one in own.segments)
    rig.state = MemoryState(dataclasses.replace(own, segments=segments), "tlsf")
    rig.device = make_device("d3d12", rig.state, {})
    return rig


def group_of(rig: Rig, name: str) -> str:
    state = rig.state
    return state.segments[int(state.heaps["segment"][state.objects[name][1]])].group


def kinds(outcome: Outcome) -> list[str]:
    return [str(event.kind) for event in outcome.events]


def frame(rig: Rig, *names: str) -> Outcome:
    outcome = rig.call("ExecuteCommandLists", {"references": list(names)})
    rig.call("Present", {})
    return outcome


def test_that_evicted_bytes_go_to_system_memory_and_the_oldest_on_to_the_file() -> None:
    rig = small_rig(3 * MIB, 64 * MIB)
    for i in range(4):
        rig.heap(f"H{i}", MIB)
        frame(rig, f"H{i}")
    for i in range(3):
        rig.call("Evict", {"ppObjects": [f"H{i}"]})
    assert {group_of(rig, f"H{i}") for i in range(3)} == {"SYSTEM"}
    outcome = rig.call("Evict", {"ppObjects": ["H3"]})
    assert group_of(rig, "H0") == "PAGE_FILE"
    assert group_of(rig, "H3") == "SYSTEM"
    assert "kernel.page-file" in {event.rule for event in outcome.events}


def test_that_what_the_system_put_out_leaves_no_second_time() -> None:
    rig = Rig()
    rig.heap("H", MIB)
    rig.device.kernel.page_out(rig.device, rig.state.objects["H"][1], "kernel.periodic-trim", "for the test")
    rig.state.log.take()
    outcome = rig.call("Evict", {"ppObjects": ["H"]})
    assert outcome.succeeded
    assert not outcome.events
    assert rig.state.heaps["resident_count"][rig.state.objects["H"][1]] == 0


def test_that_coming_back_from_the_file_stalls_and_from_memory_does_not() -> None:
    stalls: list[int] = []
    for system in (64 * MIB, 4096):
        rig = small_rig(system, 64 * MIB)
        rig.heap("H", MIB)
        rig.call("Evict", {"ppObjects": ["H"]})
        before = rig.state.times.stall
        rig.call("MakeResident", {"ppObjects": ["H"]})
        stalls.append(rig.state.times.stall - before)
    assert stalls[0] == 0
    assert stalls[1] > 0


def test_that_moves_take_time_on_the_bus() -> None:
    rig = Rig()
    rig.heap("H", 64 * MIB)
    before = rig.state.times.transfer
    rig.call("Evict", {"ppObjects": ["H"]})
    bus = rig.state.adapter.bus
    assert rig.state.times.transfer - before == 64 * MIB * 10**9 // bus.from_gpu_bytes_per_s


def test_that_a_frame_that_needs_more_than_the_budget_is_frozen_once() -> None:
    rig = Rig()
    rig.device.set_option("budget", "LOCAL=1MiB")
    for i in range(3):
        rig.heap(f"H{i}", MIB)
    first = rig.call("ExecuteCommandLists", {"references": ["H0", "H1", "H2"]})
    assert "kernel.freeze" in {event.rule for event in first.events if event.kind == "stalled"}
    again = rig.call("ExecuteCommandLists", {"references": ["H0", "H1", "H2"]})
    assert "stalled" not in kinds(again)
    rig.call("Present", {})
    assert "stalled" in kinds(rig.call("ExecuteCommandLists", {"references": ["H0", "H1", "H2"]}))


def test_that_system_memory_over_its_budget_is_paged_out() -> None:
    rig = Rig()
    for i in range(4):
        rig.heap(f"U{i}", MIB, "UPLOAD")
    frame(rig, "U0")
    rig.device.set_option("budget", "NON_LOCAL=2MiB")
    frame(rig, "U0")
    assert rig.usage("NON_LOCAL") <= 2 * MIB
    assert group_of(rig, "U0") == "NON_LOCAL"
    assert {group_of(rig, f"U{i}") for i in range(1, 4)} == {"NON_LOCAL", "SYSTEM"}


def test_that_what_the_kernel_paged_out_comes_back_on_use() -> None:
    rig = Rig("radeon680m")
    for i in range(3):
        rig.heap(f"H{i}", MIB)
    frame(rig, "H0", "H1", "H2")
    rig.device.set_option("budget", "LOCAL=1MiB")
    frame(rig, "H0")
    assert group_of(rig, "H2") == "SYSTEM"
    rig.device.set_option("budget", "LOCAL=8MiB")
    outcome = frame(rig, "H2")
    assert outcome.succeeded
    assert "paged_in" in kinds(outcome)


def test_that_priorities_outrank_age_when_memory_is_taken_away() -> None:
    rig = Rig()
    for i in range(4):
        rig.heap(f"H{i}", MIB)
        frame(rig, f"H{i}")
    rig.call("SetResidencyPriority", {"ppObjects": ["H3"], "pPriorities": [0x28000000]})
    rig.call("SetResidencyPriority", {"ppObjects": ["H0"], "pPriorities": [0xC8000000]})
    rig.device.set_option("budget", "LOCAL=2MiB")
    frame(rig)
    assert {name for name in ("H0", "H1", "H2", "H3") if group_of(rig, name) == "NON_LOCAL"} == {"H3", "H1"}


def test_that_a_heap_of_targets_starts_at_a_high_priority() -> None:
    rig = Rig()
    rig.heap("Targets", 64 * MIB, flags=("ALLOW_ONLY_RT_DS_TEXTURES",))
    rig.heap("Textures", 64 * MIB, flags=("ALLOW_ONLY_NON_RT_DS_TEXTURES",))
    found = [int(rig.state.heaps["priority"][rig.state.objects[name][1]]) for name in ("Targets", "Textures")]
    assert found == [0xA0010000 + 6, 0x78000000]


def test_that_a_periodic_trim_takes_what_was_not_used_since_the_last() -> None:
    rig = Rig()
    for i in range(3):
        rig.heap(f"H{i}", MIB)
    for _ in range(2):
        frame(rig, "H0", "H1", "H2")
    rig.device.set_option("trim", "periodic")
    assert rig.usage() == 3 * MIB
    for _ in range(2):
        frame(rig, "H0")
    rig.device.set_option("trim", "periodic")
    assert rig.usage() == MIB
    assert rig.state.log.counts["trimmed"] == 2
    assert rig.state.log.counts["notified"] == 2


def test_that_a_restart_moves_the_starting_point() -> None:
    rig = Rig()
    rig.heap("H", MIB)
    frame(rig, "H")
    frame(rig)
    rig.device.set_option("trim", "restart")
    frame(rig, "H")
    frame(rig)
    rig.device.set_option("trim", "periodic")
    assert rig.usage() == MIB
    frame(rig)
    rig.device.set_option("trim", "periodic")
    assert rig.usage() == 0


@pytest.mark.parametrize(("size", "left"), [("1", 3), ("2MiB", 2), ("100MiB", 0)])
def test_that_a_trim_to_budget_takes_the_bytes_it_asks_for(size: str, left: int) -> None:
    rig = Rig()
    for i in range(4):
        rig.heap(f"H{i}", MIB)
        frame(rig, f"H{i}")
    rig.device.set_option("trim", f"to-budget={size}")
    assert rig.usage() == left * MIB


def test_that_a_trim_without_a_size_takes_what_is_over_the_budget() -> None:
    rig = Rig()
    for i in range(4):
        rig.heap(f"H{i}", MIB)
        frame(rig, f"H{i}")
    rig.device.set_option("budget", "LOCAL=3MiB")
    rig.device.set_option("trim", "to-budget")
    assert rig.usage() == 3 * MIB


def test_that_who_registered_hears_of_a_new_budget() -> None:
    rig = Rig()
    rig.device.set_option("budget", "LOCAL=8MiB")
    assert rig.state.log.counts["notified"] == 0
    rig.call("RegisterVideoMemoryBudgetChangeNotificationEvent", {}, "Event")
    rig.device.set_option("budget", "NON_LOCAL=8MiB")
    assert rig.state.log.counts["notified"] == 0
    rig.device.set_option("budget", "LOCAL=4MiB")
    assert [event.subject for event in rig.state.log.tail if event.kind == "notified"] == ["Event"]
    rig.call("Release", {"pObject": "Event"})
    rig.device.set_option("budget", "LOCAL=2MiB")
    assert rig.state.log.counts["notified"] == 1


def test_that_a_nodes_budget_changes_alone() -> None:
    rig = Rig("linked-gtx1080x2")
    rig.call("RegisterVideoMemoryBudgetChangeNotificationEvent", {"NodeIndex": 1}, "Event")
    rig.device.set_option("budget", "LOCAL@1=2GiB")
    assert rig.state.groups[1, "LOCAL"].budget == 2 << 30
    assert rig.state.groups[0, "LOCAL"].budget != 2 << 30
    assert rig.state.log.counts["notified"] == 1
    for wrong in ("LOCAL@7=1GiB", "LOCAL@x=1GiB", "VIDEO=1GiB", "LOCAL@1=much"):
        with pytest.raises(CommandError):
            rig.device.set_option("budget", wrong)


def test_that_a_program_in_the_background_is_trimmed_and_comes_back() -> None:
    simulation = load_simulation("d3d12-background-trim")
    simulation.step(200)
    foreground = simulation.snapshot()
    simulation.step(240)
    trimmed = simulation.snapshot()
    assert trimmed.event_counts["trimmed"] > 15
    assert trimmed.event_counts["paged_in"] == foreground.event_counts["paged_in"]
    simulation.step(160)
    back = simulation.snapshot()
    assert back.event_counts["paged_in"] > foreground.event_counts["paged_in"] + 15
    assert back.event_counts["device_removed"] == 0


def test_that_the_slow_half_gigabyte_costs_until_the_target_moves() -> None:
    simulation = load_simulation("d3d12-gtx970-slow-half-gigabyte")
    simulation.step(100)
    first = simulation.snapshot().times.gpu_ns
    simulation.step(100)
    slow = simulation.snapshot().times.gpu_ns - first
    simulation.step(200)
    before = simulation.snapshot().times.gpu_ns
    simulation.step(100)
    fast = simulation.snapshot().times.gpu_ns - before
    assert simulation.snapshot().event_counts["misplaced"] >= 1
    assert fast < slow
