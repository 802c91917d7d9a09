"""The work of bench rows over whole runs: frames to go to, and frames to play. The clock is the caller's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core import random

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.sim.simulation import Simulation

SCENARIO = "d3d9-shooter-2003-agp-64mb"
FRAMES = 10_000
SEEKS = 40
LARGE = "d3d12-hundred-thousand"
"""The scenario whose frames are counted, and in which the window plays."""


def prepare_seek(scenario: str = SCENARIO, frames: int = FRAMES) -> Simulation:
    """Return a run of a scenario that stands behind its last frame.

    Args:
        scenario: Scenario id; it may be shorter, its passes go on.
        frames: Frames to run.
    """
    from explorer.sim.scenarios import load_simulation

    simulation = load_simulation(scenario)
    simulation.step(frames)
    return simulation


def prepare_frames(scenario: str = LARGE, frames: int = 20) -> Callable[[], None]:
    """Return a callable that plays frames of a scenario; it begins anew where the scenario ends.

    Args:
        scenario: Scenario id.
        frames: Frames of each call.
    """
    from explorer.sim.scenarios import load_simulation

    simulation = load_simulation(scenario)
    simulation.step(frames)

    def play() -> None:
        if simulation.frame + frames > simulation.frames:
            simulation.seek(frames)
        simulation.step(frames)

    return play


def seek_targets(frames: int = FRAMES, count: int = SEEKS) -> tuple[int, ...]:
    """Return frames all over the run, forwards and backwards; the same ones every time."""
    stream = random.stream(1, "bench/seek")
    return (frames, 0, *(random.below(stream, index, frames + 1) for index in range(count)), frames)


def worst_seek(simulation: Simulation, targets: tuple[int, ...], clock: Callable[[], float]) -> float:
    """Return the longest time that going to one of the frames took, in the clock's unit.

    Args:
        simulation: A run that ``prepare_seek`` made.
        targets: Frames to go to, one after the other.
        clock: For example ``time.perf_counter``.
    """
    worst = 0.0
    for frame in targets:
        began = clock()
        simulation.seek(frame)
        worst = max(worst, clock() - began)
    return worst
