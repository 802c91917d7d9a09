"""What tours say is what runs show: every figure of a tour is computed from the run, never believed."""

from __future__ import annotations

import functools
import re

import pytest

from explorer.sim.scenarios import load_scenario, load_simulation, scenario_ids
from tests.sim.tour_claims import GIVEN, TOURS, Shot

_NUMBER = re.compile(r"(?<![\w-])\d[\d,.]*(?<![.,])(?!\w)")


@functools.cache
def shots(scenario: str) -> dict[int, Shot]:
    simulation = load_simulation(scenario)
    found: dict[int, Shot] = {}
    for frame in sorted({frame for of, frame in TOURS if of == scenario}):
        simulation.step(frame - simulation.frame)
        found[frame] = Shot(scenario, simulation.snapshot(), frame)
    return found


def text_at(scenario: str, frame: int) -> str:
    return " ".join(step.text for step in load_scenario(scenario).tour if step.frame == frame)


@pytest.mark.parametrize(("scenario", "frame"), sorted(TOURS), ids=[f"{of}-{at}" for of, at in sorted(TOURS)])
def test_that_a_step_says_what_the_run_shows(scenario: str, frame: int) -> None:
    text, shot = text_at(scenario, frame), shots(scenario)[frame]
    for part, claim in TOURS[scenario, frame]:
        found = claim(shot)
        if "{" in part:
            values = found if isinstance(found, (list, tuple)) else [found]
            part = part.format(*values)
            assert part in text
        else:
            assert part in text
            assert found, part


@pytest.mark.parametrize("scenario", scenario_ids())
def test_that_no_figure_of_a_tour_is_left_unchecked(scenario: str) -> None:
    for step in load_scenario(scenario).tour:
        numbers = set(_NUMBER.findall(step.text))
        given = set(GIVEN.get((scenario, step.frame), "").split())
        checked: set[str] = set()
        for part, claim in TOURS.get((scenario, step.frame), []):
            if "{" in part:
                found = claim(shots(scenario)[step.frame])
                part = part.format(*(found if isinstance(found, (list, tuple)) else [found]))
            checked |= set(_NUMBER.findall(part))
        names = set(_NUMBER.findall(step.select or ""))
        assert numbers <= checked | given | names, (step.frame, numbers - checked - given - names)


def test_that_every_claim_belongs_to_a_step() -> None:
    steps = {(name, step.frame) for name in scenario_ids() for step in load_scenario(name).tour}
    assert set(TOURS) <= steps
    assert set(GIVEN) <= steps
