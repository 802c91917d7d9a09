"""The scenario presets, and how a run is made from one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.core.units import parse_size
from explorer.errors import CommandError, InputError, PresetError
from explorer.sim.scenario import Scenario, read_scenario
from explorer.tables.adapters import adapter as adapter_by_id
from explorer.tables.locations import presets_folder, user_presets_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.sim.simulation import Simulation
    from explorer.tables.adapters import Adapter

DEFAULT_SCENARIO = "d3d12-game-rtx3060-laptop"
"""What the window opens when nothing is asked for."""
DEFAULT_ALLOCATOR = "tlsf"
MAX_SCENARIO_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class ScenarioInfo:
    """What a list of scenarios shows.

    Attributes:
        id: Id.
        title: One line.
        api: API.
        adapter: Adapter id.
        frames: Length.
        teaches: One sentence.
        text: What happens and where the figures come from.
        options: Device options of the file.
    """

    id: str
    title: str
    api: str
    adapter: str
    frames: int
    teaches: str
    text: str
    options: dict[str, str]


def scenario_ids() -> tuple[str, ...]:
    """Return the ids of all scenarios, sorted; reads no file."""
    return tuple(sorted(_files()))


def scenario_info(scenario_id: str) -> ScenarioInfo:
    """Return what a list shows of a scenario.

    Raises:
        CommandError: Unknown id.
        PresetError: The file is invalid.
    """
    s = load_scenario(scenario_id)
    return ScenarioInfo(s.id, s.title, s.api, s.adapter, s.frames, s.teaches, s.text, dict(s.options))


def load_scenario(scenario_id_or_path: str) -> Scenario:
    """Return a scenario by id or from a file.

    Raises:
        CommandError: No such id and no such file.
        PresetError: The file is invalid; names file, key, what was found and what is accepted.
    """
    path = _files().get(scenario_id_or_path)
    name = scenario_id_or_path
    if path is None:
        path = Path(scenario_id_or_path)
        if path.suffix != ".toml" and not path.is_file():
            raise CommandError("unknown scenario", where="scenario", found=name, accepted=scenario_ids())
    else:
        name = f"{scenario_id_or_path}.toml"
    try:
        if path.stat().st_size > MAX_SCENARIO_BYTES:
            raise PresetError("the file is too large", file=name, accepted=(f"at most {MAX_SCENARIO_BYTES} bytes",))
        data = path.read_bytes()
    except OSError as error:
        raise PresetError(f"cannot read the file: {error.strerror or error}", file=name) from error
    return read_scenario(name, data, path.stem)


def load_simulation(
    scenario_id_or_path: str,
    adapter: str | Adapter | None = None,
    *,
    seed: int | None = None,
    allocator: str | None = None,
    policy: str | None = None,
    app_policy: str | None = None,
    budget: str | Sequence[str] | None = None,
) -> Simulation:
    """Return a run of a scenario, at frame 0.

    Args:
        scenario_id_or_path: Id of a preset, or a TOML file.
        adapter: Adapter (id) to run on instead of the scenario's.
        seed: Seed instead of the scenario's.
        allocator: Allocator id; ``tlsf`` by default.
        policy: Eviction policy instead of the device's.
        app_policy: What a D3D12 application itself does about residency, instead of the scenario's.
        budget: ``[GROUP=]SIZE`` that replaces the adapter's budget; several for several groups.

    Raises:
        CommandError: Unknown id, or a value that is not accepted.
        PresetError: The file is invalid.
    """
    return make_simulation(
        load_scenario(scenario_id_or_path),
        adapter,
        seed=seed,
        allocator=allocator,
        policy=policy,
        app_policy=app_policy,
        budget=budget,
    )


def make_simulation(
    scenario: Scenario,
    adapter: str | Adapter | None = None,
    *,
    seed: int | None = None,
    allocator: str | None = None,
    policy: str | None = None,
    app_policy: str | None = None,
    budget: str | Sequence[str] | None = None,
) -> Simulation:
    """Return a run of a scenario that is already read; arguments and errors as in ``load_simulation``."""
    try:
        return _start(scenario, adapter, seed, allocator, policy, app_policy, budget)
    except CommandError as error:
        c = error.complaint
        given = {"adapter": adapter, "allocator": allocator, "policy": policy, "app_policy": app_policy}
        key = (c.where or "").removeprefix("--option ")
        if given.get(key) is not None or (key != "adapter" and key not in scenario.options):
            raise
        # Nobody asked for it: it stands in the scenario's file.
        where = "adapter" if key == "adapter" else f"options.{key}"
        raise PresetError(
            c.message, file=f"{scenario.id}.toml", where=where, found=c.found, accepted=c.accepted
        ) from error


def _start(
    scenario: Scenario,
    adapter: str | Adapter | None,
    seed: int | None,
    allocator: str | None,
    policy: str | None,
    app_policy: str | None,
    budget: str | Sequence[str] | None,
) -> Simulation:
    # numpy and the rules load here, so that listing scenarios stays quick.
    from explorer.memory.allocators import allocator_by_id
    from explorer.memory.eviction import policy_by_id
    from explorer.sim.simulation import RunOptions, Simulation

    chosen = adapter if adapter is not None else scenario.adapter
    found = adapter_by_id(chosen) if isinstance(chosen, str) else chosen
    _check_options(scenario)
    device = {str(key): str(value) for key, value in scenario.options.items()}
    device.setdefault("windows", found.windows)
    name = device.pop("allocator", DEFAULT_ALLOCATOR) if allocator is None else allocator
    device.pop("allocator", None)
    allocator_by_id(name)
    if policy is not None:
        policy_by_id(policy)
        device["policy"] = policy
    if app_policy is not None and scenario.api == "d3d12":
        device["app_policy"] = app_policy
    elif app_policy not in (None, "none"):
        raise CommandError(
            f"an application of {scenario.api} leaves residency to the system",
            where="app_policy",
            found=app_policy,
            accepted=("none",),
        )
    budgets = read_budgets((budget,) if isinstance(budget, str) else budget or ())
    options = RunOptions(scenario.seed if seed is None else seed, name, device, budgets)
    return Simulation(scenario, found, options)


def _check_options(scenario: Scenario) -> None:
    from explorer.device import option_keys

    accepted = ("allocator", "windows", *option_keys(scenario.api))
    for key in map(str, scenario.options):
        if not {key, f"d3d9.{key}", f"d3d11.{key}"} & set(accepted):
            where = f"options.{key}"
            raise PresetError("unknown option", file=f"{scenario.id}.toml", where=where, found=key, accepted=accepted)


def read_budgets(texts: Sequence[str]) -> dict[tuple[int, str], int]:
    """Return (node, group) → bytes of budgets in the form ``[GROUP=]SIZE``.

    Raises:
        CommandError: Not of this form, or two of one group.
    """
    found: dict[tuple[int, str], int] = {}
    for text in texts:
        for key, size in _budget(text).items():
            if key in found:
                raise CommandError("a second budget of the same group", where="budget", found=text,
                                   accepted=("one for each of LOCAL, NON_LOCAL",))  # fmt: skip
            found[key] = size
    return found


def _budget(text: str) -> dict[tuple[int, str], int]:
    group, equals, size = text.rpartition("=")
    name = group.upper() if equals else "LOCAL"
    if name not in ("LOCAL", "NON_LOCAL"):
        raise CommandError("unknown segment group", where="budget", found=text, accepted=("LOCAL", "NON_LOCAL"))
    try:
        return {(0, name): parse_size(size)}
    except InputError as error:
        c = error.complaint
        raise CommandError(c.message, where="budget", found=text, accepted=c.accepted) from error


def _files() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for folder in (user_presets_folder(), presets_folder()):
        place = folder / "scenarios"
        if place.is_dir():
            found.update({path.stem: path for path in sorted(place.glob("*.toml"))})
    return found
