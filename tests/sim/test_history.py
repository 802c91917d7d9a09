"""The figures of the timeline: appended once, shared by copies, never rewritten."""

from __future__ import annotations

import pytest

from explorer.sim.scenarios import load_simulation

SCENARIO = "d3d12-budget-drop"


def test_that_a_run_on_from_an_earlier_frame_leaves_shown_rows_alone() -> None:
    simulation = load_simulation(SCENARIO)
    simulation.step(30)
    shown = simulation.snapshot().history
    assert shown is not None
    times = shown.frame_ns.tolist()
    simulation.seek(10)
    simulation.set_option("budget", "LOCAL=256MiB")
    simulation.step(20)
    again = simulation.snapshot().history
    assert again is not None
    assert len(again.frame_ns) == 30
    assert again.frame_ns[:10].tolist() == times[:10]
    assert again.budget[12:].tolist() != shown.budget[12:].tolist()
    assert shown.frame_ns.tolist() == times


@pytest.mark.parametrize("back", [0, 1, 17, 255, 256, 257])
def test_that_the_figures_after_going_back_are_those_of_a_straight_run(back: int) -> None:
    straight, detour = load_simulation(SCENARIO), load_simulation(SCENARIO)
    straight.step(300)
    detour.step(300)
    detour.seek(back)
    detour.seek(300)
    first, second = straight.snapshot().history, detour.snapshot().history
    assert first is not None
    assert second is not None
    for name in ("used", "budget", "evicted_bytes", "uploaded_bytes", "frame_ns"):
        assert (getattr(first, name) == getattr(second, name)).all(), name
    assert first.marks == second.marks
    assert first.marks
