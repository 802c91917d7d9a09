"""The table of ``docs/advice.md``: each piece of advice is a rule that a scenario triggers, or a habit in words."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from explorer.sim.advisor import ADVICE, Advice, advise
from explorer.sim.advisor_habits import habits
from explorer.sim.scenarios import load_simulation, scenario_ids
from explorer.sim.why_rules import rule_reason

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot

TABLE = Path(__file__).resolve().parents[2] / "docs" / "advice.md"
_ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| [`*]([\w-]+)[`*] \| `?([\w-]+)`? \| (\d+|-) \|$", re.MULTILINE)
ROWS = _ROW.findall(TABLE.read_text("utf-8"))
SEEN = [(rule, scenario, int(frame)) for _, _, rule, scenario, frame in ROWS if frame != "-"]


@functools.cache
def _at(scenario: str) -> dict[int, Snapshot]:
    simulation = load_simulation(scenario)
    shots: dict[int, Snapshot] = {}
    for frame in sorted({frame for _, of, frame in SEEN if of == scenario}):
        simulation.step(frame - simulation.frame)
        shots[frame] = simulation.snapshot()
    return shots


@functools.cache
def given(scenario: str, frame: int) -> dict[str, Advice]:
    return {advice.id: advice for advice in advise(_at(scenario)[frame])}


@pytest.mark.parametrize(("rule", "scenario", "frame"), SEEN, ids=[f"{rule}-{of}" for rule, of, _ in SEEN])
def test_that_a_scenario_triggers_the_advice(rule: str, scenario: str, frame: int) -> None:
    assert scenario in scenario_ids()
    advice = given(scenario, frame).get(rule)
    assert advice is not None, sorted(given(scenario, frame))
    assert advice.figures
    assert any(character.isdigit() for character in advice.claim + advice.evidence)
    assert advice.source


def test_that_the_table_names_every_rule_of_the_advisor_and_no_other() -> None:
    named = {rule for _, _, rule, _, _ in ROWS}
    assert len(ROWS) == TABLE.read_text("utf-8").count("\n| ") - 1
    assert named - {"habit"} == {rule.id for rule in ADVICE}


def test_that_what_no_snapshot_can_check_is_said_in_words() -> None:
    listed = sum(rule == "habit" for _, _, rule, _, _ in ROWS)
    every = [habit for api in ("d3d9", "d3d11", "d3d12") for habit in habits(api)]
    assert len(every) == listed
    for habit in every:
        assert habit.claim
        assert habit.evidence.endswith(".")
        assert habit.source
        assert rule_reason(habit.rule) is not None


@pytest.mark.parametrize(
    ("rule", "scenario", "frame", "places"),
    [
        ("lockable-targets", "d3d9-write-only", 40, "Lockable target"),
        ("not-drawable", "d3d9-ignored-advice", 210, "Forgotten copy"),
        ("unbound", "d3d11-command-lists", 205, "Bloom"),
        ("many-locks", "d3d9-ignored-advice", 200, "Score"),
        ("never-used", "d3d9-ignored-advice", 310, "Next room 00"),
        ("map-stalls", "d3d11-staging-readback", 300, "Staging 0"),
        ("ring-full", "d3d12-descriptor-ring", 310, "Dynamic views"),
        ("stale-descriptors", "d3d12-descriptor-ring", 310, "Scene views"),
    ],
)
def test_that_advice_selects_the_items_that_it_is_about(rule: str, scenario: str, frame: int, places: str) -> None:
    names = _at(scenario)[frame].resources.names
    assert places in [names[row] for row in given(scenario, frame)[rule].resources]


QUIET: list[tuple[str, int]] = [
    ("d3d9-shooter-2003-agp-128mb", 300), ("d3d9-uma-chipset", 200), ("d3d9-vertex-ring-discard", 200),
    ("d3d9-ex-virtual-memory", 200), ("d3d12-aliasing-render-graph", 250), ("d3d12-hybrid-laptop", 100),
]  # fmt: skip


@pytest.mark.parametrize(("scenario", "frame"), QUIET)
def test_that_who_does_right_gets_no_advice(scenario: str, frame: int) -> None:
    simulation = load_simulation(scenario)
    simulation.step(frame)
    assert [advice.id for advice in advise(simulation.snapshot())] == []


def test_that_evictions_of_a_lost_device_do_not_ask_for_priorities() -> None:
    simulation = load_simulation("d3d9-device-loss")
    simulation.step(134)
    snapshot = simulation.snapshot()
    assert snapshot.event_counts["evicted"] > 8
    assert "no-priorities" not in {advice.id for advice in advise(snapshot)}


def test_that_default_made_first_is_not_blamed_for_holes() -> None:
    simulation = load_simulation("d3d9-shooter-2003-agp-64mb")
    simulation.step(200)
    assert "fragmented" not in {advice.id for advice in advise(simulation.snapshot())}


def test_that_a_trim_in_the_background_does_not_ask_for_priorities() -> None:
    simulation = load_simulation("d3d12-background-trim")
    simulation.step(520)
    snapshot = simulation.snapshot()
    assert snapshot.event_counts["trimmed"] > 3
    assert "no-residency-priorities" not in {advice.id for advice in advise(snapshot)}


@pytest.mark.parametrize(
    ("scenario", "frame", "rule", "help_"),
    [
        ("d3d9-vertex-ring-plain", 40, "d3d9.R6.2", "DISCARD"),
        ("d3d9-write-only", 60, "d3d9.R6.2", "DYNAMIC"),
        ("d3d9-video-updatetexture", 60, "d3d9.R2.4", "another SYSTEMMEM"),
        ("d3d9-copies", 100, "d3d9.R8.5", "some frames after"),
        ("d3d11-staging-readback", 300, "d3d11.P5.9", "staging resources in turn"),
    ],
)
def test_that_a_wait_gets_the_help_that_spares_it(scenario: str, frame: int, rule: str, help_: str) -> None:
    simulation = load_simulation(scenario)
    simulation.step(frame)
    found = {advice.id: advice for advice in advise(simulation.snapshot())}
    advice = found.get("stalls") or found["map-stalls"]
    assert advice.rule == rule
    assert help_ in advice.evidence


def test_that_one_slow_read_counts_once() -> None:
    simulation = load_simulation("d3d11-staging-readback")
    simulation.step(411)
    advice = {advice.id: advice for advice in advise(simulation.snapshot())}["write-combined-read"]
    assert advice.figures == {"reads": 6, "bytes": 6 * 8294400, "stale": 6}


SILENT: list[tuple[str, str, int]] = [
    ("never-used", "d3d12-rtv-slot-reuse", 310),
    ("not-indexed", "d3d9-hints-in-software", 100),
    ("no-priorities", "d3d9-thrash", 60),
    ("near-budget", "d3d12-oversubscribed-plain", 60),
    ("refused", "d3d12-descriptor-ring", 310),
    ("write-only", "d3d9-write-only", 40),
    ("many-locks", "d3d9-write-only", 40),
    ("needless-copies", "d3d12-game-radeon680m-uma", 2),
]
"""What would repeat another piece of advice, count what costs nothing, or blame what is right."""


@pytest.mark.parametrize(("rule", "scenario", "frame"), SILENT, ids=[f"{rule}-{of}" for rule, of, _ in SILENT])
def test_that_advice_is_silent_where_it_is_not_due(rule: str, scenario: str, frame: int) -> None:
    if (scenario, frame) in {(of, at) for _, of, at in SEEN}:
        assert rule not in given(scenario, frame)
        return
    simulation = load_simulation(scenario)
    simulation.step(frame)
    assert rule not in {advice.id for advice in advise(simulation.snapshot())}


def test_that_advice_about_heaps_selects_what_lies_in_them() -> None:
    for rule in ("over-budget", "demoted-in-use", "no-residency-priorities"):
        assert given("d3d12-oversubscribed-plain", 60)[rule].resources, rule
