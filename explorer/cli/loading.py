"""From an ``IN`` argument to a run or a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.cli.progress import progress_of
from explorer.errors import CommandError, InputError

if TYPE_CHECKING:
    from pathlib import Path

    from explorer.sim.scenario import Scenario
    from explorer.sim.snapshot import Snapshot

MAX_FRAMES = 1_000_000


def load_snapshot(source: str, frame: int | None) -> Snapshot:
    """Return the snapshot that a scenario reaches, or that a file holds.

    Args:
        source: Scenario id or file; ``-`` is standard input.
        frame: Frames that a scenario runs; None for its length.

    Raises:
        InputError: The file cannot be read or holds no layout.
        CommandError: Unknown scenario, or a frame for a file that has none.
    """
    from explorer.sim.scenarios import make_simulation

    scenario = scenario_of(source)
    if scenario is not None:
        simulation = make_simulation(scenario)
        simulation.step(scenario.frames if frame is None else frame)
        return simulation.snapshot()
    from explorer.interchange.importers import open_file

    opened = open_file(source, progress=progress_of(f"Opening {source}"))
    if opened.scenario is not None:
        simulation = make_simulation(opened.scenario)
        simulation.step(opened.scenario.frames if frame is None else frame)
        return simulation.snapshot()
    if opened.snapshot is None:
        what = "totals only" if opened.kind == "layout" else f"of kind {opened.kind}"
        raise InputError(f"the file is {what}: it holds no layout", file=source,
                         accepted=("a scenario", "a snapshot", "a dump with its detailed map"))  # fmt: skip
    if frame is not None:
        raise CommandError("a layout from a file has no frames to run", where="--frame", found=str(frame))
    return opened.snapshot


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        # A name that no file can have (too long, a loop of links).
        return False


def scenario_of(source: str) -> Scenario | None:
    """Return the scenario of an id, or None if the argument is a file.

    Raises:
        CommandError: Neither a scenario id nor a file.
        PresetError: The scenario's file is invalid.
    """
    from pathlib import Path

    from explorer.sim.scenarios import load_scenario, scenario_ids

    if source in scenario_ids():
        return load_scenario(source)
    if source != "-" and not _exists(Path(source)):
        accepted = scenario_ids()
        raise CommandError("neither a scenario nor a file that exists", where="IN", found=source, accepted=accepted)
    return None
