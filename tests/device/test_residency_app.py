"""The residency policies of applications, as lists and on a device."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.device.app_residency import SECOND_NS, Budgets, ResidencyManager, grace_ns
from explorer.errors import CommandError
from explorer.sim.scenarios import load_simulation, make_simulation
from tests.sim.test_d3d12_device import MIB, Rig

if TYPE_CHECKING:
    from explorer.memory.allocators.protocol import Refusal


@dataclass
class Bytes:
    """Memory that only counts."""

    budget: int = 100
    sizes: dict[int, int] = field(default_factory=dict)
    resident: set[int] = field(default_factory=set)
    waits: list[int] = field(default_factory=list)

    @property
    def usage(self) -> int:
        return sum(self.sizes[row] for row in self.resident)

    def budgets(self) -> Budgets:
        return Budgets(self.usage, self.budget, self.usage, self.budget)

    def size_of(self, row: int) -> int:
        return self.sizes[row]

    def evict(self, row: int, rule: str) -> None:
        assert rule.startswith("app.")
        self.resident.remove(row)

    def make_resident(self, row: int, rule: str) -> Refusal | None:
        assert rule.startswith("app.")
        assert row not in self.resident
        self.resident.add(row)
        return None

    def wait(self, generation: int) -> None:
        self.waits.append(generation)


def start(policy: str = "d3dx12", *sizes: int, budget: int = 100) -> tuple[ResidencyManager, Bytes]:
    manager, memory = ResidencyManager(policy), Bytes(budget)
    for row, size in enumerate(sizes):
        memory.sizes[row] = size
        memory.resident.add(row)
        manager.track(row)
    return manager, memory


@pytest.mark.parametrize(
    ("usage", "budget", "grace"),
    [(0, 100, None), (70, 100, None), (71, 100, 58.033), (85, 100, 30.5), (100, 100, 1), (130, 100, 1), (1, 0, 1)],
)
def test_that_the_grace_period_shrinks_with_pressure(usage: int, budget: int, grace: float | None) -> None:
    found = grace_ns(usage, budget)
    assert found is None if grace is None else found == pytest.approx(grace * SECOND_NS, rel=1e-4)


def grace_seconds(pressure: float) -> float | None:
    """The curve as the reference writes it (residency.json, libraries)."""
    pressure = min(pressure, 1.0)
    return None if pressure <= 0.7 else 1 + (60 - 1) * (1 - (pressure - 0.7) / 0.3)


@given(st.integers(0, 1 << 40), st.integers(1, 1 << 40))
def test_that_the_whole_number_curve_is_the_documented_one(usage: int, budget: int) -> None:
    found, wanted = grace_ns(usage, budget), grace_seconds(usage / budget)
    if found is None or wanted is None:
        # At exactly 70 % the float may fall on either side.
        assert found == wanted or abs(10 * usage - 7 * budget) <= budget // 1000
    else:
        assert found / SECOND_NS == pytest.approx(wanted, abs=1e-6)


STEP = st.tuples(st.sets(st.integers(0, 7), min_size=1), st.integers(0, 40 * SECOND_NS), st.integers(-1, 3))


@pytest.mark.parametrize("policy", ["d3dx12", "translation-layer"])
@given(st.lists(st.integers(1, 60), min_size=8, max_size=8), st.lists(STEP, max_size=14))
@settings(deadline=None, max_examples=80)
def test_that_what_a_submission_uses_is_resident_and_in_order(
    policy: str, sizes: list[int], steps: list[tuple[set[int], int, int]]
) -> None:
    manager, memory = start(policy, *sizes)
    now = 0
    for used, pause, done in steps:
        now += pause
        rows = sorted(used)
        found = manager.submit(memory, rows, now)
        assert set(rows) <= memory.resident
        assert set(manager.order) == memory.resident
        assert list(manager.order)[-len(rows) :] == rows
        assert not set(found.age_evicted) & used
        assert not set(found.pressure_evicted) & used
        if found.forced:
            assert memory.usage > memory.budget or not manager.in_flight[:-1]
        manager.complete(manager.generation - 1 - max(done, 0))


def test_that_pinned_objects_stay() -> None:
    manager, memory = start("translation-layer", 60, 60)
    manager.pinned.add(0)
    manager.submit(memory, [1], 100 * SECOND_NS)
    assert memory.resident == {0, 1}


def test_that_the_translation_layer_asks_for_budgets_once_a_second() -> None:
    manager, memory = start("translation-layer", 30, 30)
    manager.submit(memory, [0], 100 * SECOND_NS)
    manager.complete(0)
    memory.budget = 40
    manager.submit(memory, [0], 100 * SECOND_NS + SECOND_NS - 1)
    assert memory.resident == {0, 1}
    manager.submit(memory, [0], 101 * SECOND_NS)
    assert memory.resident == {0}


def test_that_an_unused_newcomer_goes_before_older_objects() -> None:
    manager, _ = start("d3dx12", 10, 10, 10)
    assert list(manager.order) == [2, 1, 0]


def heaps(rig: Rig, count: int, size: int = MIB) -> None:
    for i in range(count):
        assert rig.heap(f"H{i}", size).succeeded


def away(rig: Rig) -> set[str]:
    state = rig.state
    return {state.heap_names[row] for row in state.heaps if not state.heaps["resident"][row]}


def test_that_without_a_policy_nothing_is_evicted_by_the_application() -> None:
    rig = Rig()
    rig.device.set_option("budget", "LOCAL=10MiB")
    heaps(rig, 8)
    rig.call("ExecuteCommandLists", {"references": ["H0"]})
    assert away(rig) == set()


@pytest.mark.parametrize("policy", ["d3dx12", "translation-layer"])
def test_that_a_policy_evicts_the_unused_and_brings_them_back_on_use(policy: str) -> None:
    rig = Rig(app_policy=policy)
    for budget in ("LOCAL=10MiB", "NON_LOCAL=0x1000"):
        rig.device.set_option("budget", budget)
    heaps(rig, 8)
    rig.call("ExecuteCommandLists", {"references": ["H0", "H1"]})
    assert away(rig) == {f"H{i}" for i in range(2, 8)}
    back = rig.call("ExecuteCommandLists", {"references": ["H5"]})
    assert back.succeeded
    assert {event.kind for event in back.events} >= {"paged_in", "made_resident"}
    assert away(rig) == {"H2", "H3", "H4", "H6", "H7"}


def test_that_evictions_name_their_rule() -> None:
    rig = Rig(app_policy="d3dx12")
    rig.device.set_option("budget", "LOCAL=10MiB")
    heaps(rig, 8)
    outcome = rig.call("ExecuteCommandLists", {"references": ["H0"]})
    assert {event.rule for event in outcome.events if event.kind == "evicted"} == {"app.age-trim"}


def test_that_explicit_calls_of_the_application_are_noticed() -> None:
    rig = Rig(app_policy="d3dx12")
    heaps(rig, 2)
    rig.call("Evict", {"ppObjects": ["H1"]})
    assert rig.call("ExecuteCommandLists", {"references": ["H1"]}).succeeded
    assert away(rig) == set()
    rig.heap("Later", MIB, flags=("ALLOW_ONLY_BUFFERS", "CREATE_NOT_RESIDENT"))
    assert rig.call("ExecuteCommandLists", {"references": ["Later"]}).succeeded


@pytest.mark.parametrize(("mode", "gone"), [("library", False), ("simple", True), ("advanced", False)])
def test_that_the_mode_decides_whose_bytes_make_the_pressure(mode: str, gone: bool) -> None:
    rig = Rig(app_policy="d3dx12", residency_mode=mode)
    rig.device.set_option("budget", "LOCAL=10MiB")
    heaps(rig, 5)
    rig.heap("Upload", 5 * MIB, "UPLOAD")
    rig.call("ExecuteCommandLists", {"references": ["H0"]})
    assert bool(away(rig)) is gone
    assert "Upload" not in away(rig), "simple applications tolerate upload heaps"


def test_that_two_budgets_manage_upload_heaps_as_well() -> None:
    rig = Rig(app_policy="d3dx12", residency_mode="advanced")
    rig.device.set_option("budget", "NON_LOCAL=4MiB")
    for i in range(4):
        rig.heap(f"U{i}", MIB, "UPLOAD")
    heaps(rig, 2)
    rig.call("ExecuteCommandLists", {"references": ["U0", "H0"]})
    assert away(rig) == {"U1", "U2", "U3"}


def submitted(rig: Rig) -> int:
    device: Any = rig.device
    return device.timeline.submitted


def test_that_a_wait_of_the_library_is_known_to_the_device() -> None:
    rig = Rig(app_policy="d3dx12")
    rig.device.set_option("budget", "LOCAL=2MiB")
    rig.device.set_option("budget", "NON_LOCAL=0")
    heaps(rig, 2)
    rig.call("ExecuteCommandLists", {"references": ["H0", "H1"]})
    rig.heap("New", MIB, flags=("ALLOW_ONLY_BUFFERS", "CREATE_NOT_RESIDENT"))
    device: Any = rig.device
    assert device.timeline.running == {0}
    outcome = rig.call("ExecuteCommandLists", {"references": ["New"]})
    assert "app.pressure-trim" in {event.rule for event in outcome.events if event.kind == "stalled"}
    assert device.timeline.running == {1}, "the first submission was waited for"


def lists(rig: Rig, *used: tuple[str, ...]) -> list[str]:
    names = [f"List {i}" for i in range(len(used))]
    for name, references in zip(names, used, strict=True):
        rig.call("CreateCommandList", {}, name)
        rig.call("DrawInstanced", {"pCommandList": name, "references": list(references)})
        rig.call("Close", {"pCommandList": name})
    return names


@pytest.mark.parametrize(
    ("policy", "count", "parts"),
    [("d3dx12", 2, 1), ("d3dx12", 3, 2), ("d3dx12", 6, 4), ("translation-layer", 6, 1), ("none", 6, 1)],
)
def test_that_the_library_submits_lists_that_are_too_large_together_in_halves(
    policy: str, count: int, parts: int
) -> None:
    rig = Rig(app_policy=policy)
    rig.device.set_option("budget", "LOCAL=2MiB")
    rig.device.set_option("budget", "NON_LOCAL=0")
    heaps(rig, count)
    names = lists(rig, *((f"H{i}",) for i in range(count)))
    before = submitted(rig)
    outcome = rig.call("ExecuteCommandLists", {"ppCommandLists": names})
    assert outcome.succeeded
    assert submitted(rig) - before == parts
    assert ("d3d12.8.8f" in {event.rule for event in outcome.events}) == (parts > 1)


def test_that_objects_shared_by_lists_count_once_when_they_are_cut() -> None:
    rig = Rig(app_policy="d3dx12")
    rig.device.set_option("budget", "LOCAL=2MiB")
    rig.device.set_option("budget", "NON_LOCAL=0")
    heaps(rig, 2)
    names = lists(rig, ("H0", "H1"), ("H1", "H0"), ("H0",))
    before = submitted(rig)
    assert rig.call("ExecuteCommandLists", {"ppCommandLists": names}).succeeded
    assert submitted(rig) - before == 1


def test_that_a_half_that_fails_makes_the_whole_fail_and_the_other_half_runs() -> None:
    rig = Rig(app_policy="d3dx12")
    size = rig.state.segments[rig.state.segments_in("LOCAL")[0]].size
    rig.device.set_option("budget", "LOCAL=1MiB")
    rig.device.set_option("budget", "NON_LOCAL=0")
    heaps(rig, 1)
    rig.heap("Large", size + MIB, flags=("ALLOW_ONLY_BUFFERS", "CREATE_NOT_RESIDENT"))
    names = lists(rig, ("Large",), ("H0",))
    outcome = rig.call("ExecuteCommandLists", {"ppCommandLists": names})
    assert (outcome.hr, outcome.reasons[0].rule) == ("E_FAIL", "d3d12.8.8f")
    assert int(rig.state.heaps["used_frame"][rig.state.objects["H0"][1]]) == 0


@pytest.mark.parametrize(
    ("name", "value"), [("app_policy", "lru"), ("residency_mode", "double"), ("tables", "never"), ("trim", "all")]
)
def test_that_unknown_values_are_named(name: str, value: str) -> None:
    with pytest.raises(CommandError) as refused:
        Rig().device.set_option(name, value)
    assert refused.value.complaint.accepted


def test_that_a_policy_may_change_while_running() -> None:
    rig = Rig()
    rig.device.set_option("budget", "LOCAL=10MiB")
    heaps(rig, 8)
    rig.device.set_option("app_policy", "d3dx12")
    rig.call("ExecuteCommandLists", {"references": ["H3"]})
    assert away(rig) == {f"H{i}" for i in range(8)} - {"H3"}


def test_that_the_library_scenario_evicts_and_the_other_policy_does_not() -> None:
    simulation = load_simulation("d3d12-residency-library")
    simulation.step(390)
    first = simulation.snapshot().event_counts
    simulation.step(200)
    second = simulation.snapshot().event_counts
    assert first["evicted"] > 40
    assert second["evicted"] == first["evicted"]


def test_that_a_checkpoint_keeps_the_policys_memory() -> None:
    runs = [load_simulation("d3d12-residency-library") for _ in range(2)]
    runs[0].step(130)
    runs[1].step(160)
    runs[1].seek(55)
    runs[1].seek(130)
    states: list[Any] = [run.snapshot() for run in runs]
    assert states[0].event_counts == states[1].event_counts
    assert states[0].time_ns == states[1].time_ns


def test_that_oversubscription_costs_less_with_priorities() -> None:
    times = {}
    for name in ("plain", "priorities"):
        simulation = load_simulation(f"d3d12-oversubscribed-{name}")
        simulation.step(200)
        snapshot = simulation.snapshot()
        assert snapshot.event_counts["demoted"] > 0
        times[name] = snapshot.times.gpu_ns
        demoted = {event.subject for event in snapshot.events if event.kind == "demoted"}
        if name == "priorities":
            assert all(one.startswith("Far") for one in demoted)
    assert times["priorities"] < times["plain"]


def test_that_a_budget_of_nothing_ends_in_no_crash() -> None:
    from explorer.sim.scenarios import load_scenario

    simulation = make_simulation(load_scenario("d3d12-residency-library"), budget="0")
    simulation.step(3)
    assert simulation.snapshot().event_counts["over_budget"] > 0


def test_that_the_command_line_chooses_the_policy(capsys: pytest.CaptureFixture[str]) -> None:
    import json

    from explorer.cli import run_command
    from explorer.cli.main import main
    from explorer.device.app_residency import POLICIES

    assert run_command.APP_POLICIES == POLICIES
    found: dict[str, Any] = {}
    for policy in POLICIES:
        args = ["run", "d3d12-residency-library", "--frames", "3", "--app-policy", policy, "--json"]
        assert main(args) == 0
        found[policy] = json.loads(capsys.readouterr().out)
        assert found[policy]["options"]["app_policy"] == policy
    assert found["none"]["events"]["evicted"] == 0
    assert found["d3dx12"]["events"]["evicted"] > 0
    assert main(["run", "d3d9-level-change", "--frames", "1", "--app-policy", "d3dx12"]) == 2
