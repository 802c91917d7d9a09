"""Sessions (``memory-layout-session/1``): a scenario with its adapter and options, the journal, and the view's state.

A session holds everything that its run needs: the scenario's text, and an adapter that is no shipped preset. The same
session gives the same snapshots on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, cast

import msgspec

from explorer import __version__
from explorer.core.calls import decode_record, encode_record
from explorer.core.schema import Length, Range, decode
from explorer.errors import CallError, ExplorerError, InputError
from explorer.interchange.snapshot_decode import inexact
from explorer.interchange.snapshot_encode import exact
from explorer.sim.journal import Entry, Moment
from explorer.sim.scenario import read_scenario
from explorer.tables.adapters import Adapter, adapter, adapter_from_mapping, adapter_ids, adapter_to_mapping
from explorer.tables.locations import presets_folder, user_presets_folder

if TYPE_CHECKING:
    from explorer.errors import Complaint
    from explorer.sim.simulation import Simulation

SESSION_SCHEMA = "memory-layout-session/1"
MAX_ENTRIES = 100_000

_Frame = Annotated[int, Range(0, 1_000_000)]
_Text = Annotated[str, Length(1, 260)]


@dataclass(frozen=True, slots=True)
class Session:
    """A run that can be taken up again.

    Attributes:
        scenario_id: Id of the scenario.
        scenario_text: Its TOML text.
        adapter: The adapter it runs on.
        seed: Seed of the random streams.
        allocator: Allocator id.
        device: Device options in force at the start.
        budget: (node, group) → bytes that replace the adapter's budget.
        frame: Frames run.
        journal: The edits in the order of their moments.
        view: What the window shows; plain data, of no meaning to the simulation.
    """

    scenario_id: str
    scenario_text: str
    adapter: Adapter
    seed: int
    allocator: str
    device: Mapping[str, str]
    budget: Mapping[tuple[int, str], int]
    frame: int
    journal: tuple[Entry, ...] = ()
    view: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class _BudgetRow:
    node: Annotated[int, Range(0, 63)]
    group: str
    bytes: Annotated[int, Range(0, (1 << 62) - 1)]


@dataclass(frozen=True, slots=True)
class _EntryRow:
    frame: _Frame
    step: Annotated[int, Range(0, 10_000_000)]
    call: Any = None
    option: tuple[_Text, ...] = ()


@dataclass(frozen=True, slots=True)
class _File:
    schema: str
    version: _Text
    scenario_id: _Text
    scenario_text: Annotated[str, Length(1, 4 << 20)]
    adapter: Any
    seed: Annotated[int, Range(0, (1 << 63) - 1)]
    allocator: _Text
    device: Any
    budget: tuple[_BudgetRow, ...]
    frame: _Frame
    journal: tuple[_EntryRow, ...]
    view: Any


def session_of(simulation: Simulation, scenario_text: str, view: Mapping[str, Any] | None = None) -> Session:
    """Return the session of a run as it stands; a frame that was begun counts as not run.

    Args:
        simulation: The run.
        scenario_text: The scenario's TOML text.
        view: What the window shows.
    """
    options = simulation.options
    return Session(
        simulation.scenario.id, scenario_text, simulation.adapter, options.seed, options.allocator,
        dict(options.device), dict(options.budget), simulation.frame, simulation.journal, dict(view or {}),
    )  # fmt: skip


def scenario_text(scenario_id_or_path: str) -> str:
    """Return the text of a scenario preset or file.

    Raises:
        InputError: It cannot be read.
    """
    from pathlib import Path

    places = [
        folder / "scenarios" / f"{scenario_id_or_path}.toml" for folder in (presets_folder(), user_presets_folder())
    ]
    path = next((place for place in places if place.is_file()), Path(scenario_id_or_path))
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise InputError(f"the scenario cannot be read: {error}", file=scenario_id_or_path) from error


def session_bytes(session: Session) -> bytes:
    """Return the file of a session: UTF-8 JSON, keys sorted; the same session gives the same bytes."""
    shipped = (presets_folder() / "adapters" / f"{session.adapter.id}.toml").is_file()
    plain: dict[str, Any] = {
        "schema": SESSION_SCHEMA,
        "version": __version__,
        "scenario_id": session.scenario_id,
        "scenario_text": session.scenario_text,
        "adapter": session.adapter.id if shipped else adapter_to_mapping(session.adapter),
        "seed": session.seed,
        "allocator": session.allocator,
        "device": dict(session.device),
        "budget": [{"node": node, "group": group, "bytes": size} for (node, group), size in session.budget.items()],
        "frame": session.frame,
        "journal": [_entry_row(entry) for entry in session.journal],
        "view": dict(session.view),
    }
    return msgspec.json.format(msgspec.json.encode(exact(plain), order="sorted"), indent=1) + b"\n"


def read_session(text: bytes, file: str) -> Session:
    """Return the session in a file's text.

    Args:
        text: UTF-8 JSON.
        file: How complaints name the file.

    Raises:
        InputError: Not a session of this schema, or damaged; names the key and what is accepted.
    """
    try:
        data = inexact(msgspec.json.decode(text))
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}", file=file) from None
    try:
        return _session(data)
    except ExplorerError as error:
        c = error.complaint
        raise InputError(
            c.message, file=file, line=c.line, where=c.where, found=c.found, accepted=c.accepted
        ) from error


def start_session(session: Session, on: Adapter | None = None) -> tuple[Simulation, tuple[Complaint, ...]]:
    """Return the run of a session at frame 0 with its edits in the journal, and the edits that were refused.

    Args:
        session: The session.
        on: Adapter instead of the session's.

    Raises:
        ExplorerError: The scenario, the allocator or an option is not accepted.
    """
    from explorer.memory.allocators import allocator_by_id
    from explorer.sim.simulation import RunOptions, Simulation

    allocator_by_id(session.allocator)
    scenario = read_scenario(f"{session.scenario_id}.toml", session.scenario_text.encode(), session.scenario_id)
    options = RunOptions(session.seed, session.allocator, dict(session.device), dict(session.budget))
    simulation = Simulation(scenario, on or session.adapter, options)
    return simulation, replay_edits(simulation, session.journal)


def replay_edits(simulation: Simulation, edits: tuple[Entry, ...]) -> tuple[Complaint, ...]:
    """Enter edits into the journal of a run, each at its moment, and go back to frame 0.

    Args:
        simulation: A run without edits, at frame 0.
        edits: In the order of their moments.

    Returns:
        Why edits were left out: another adapter may refuse what the first one took.
    """
    left_out: list[Complaint] = []
    at = Moment(0, 0)
    for entry in edits:
        at = _go(simulation, at, entry.at)
        try:
            if entry.record is not None:
                simulation.apply(entry.record)
            elif entry.option is not None:
                simulation.set_option(*entry.option)
        except ExplorerError as error:
            left_out.append(error.complaint)
    if edits:
        simulation.seek(0)
    return tuple(left_out)


def _go(simulation: Simulation, at: Moment, to: Moment) -> Moment:
    if to.frame != at.frame:
        simulation.seek(to.frame)
        at = Moment(to.frame, 0)
    while at.step < to.step and simulation.frame == to.frame:
        simulation.step_call()
        at = Moment(at.frame, at.step + 1)
    return Moment(simulation.frame, at.step if simulation.frame == at.frame else 0)


def _entry_row(entry: Entry) -> dict[str, Any]:
    row: dict[str, Any] = {"frame": entry.at.frame, "step": entry.at.step}
    if entry.record is not None:
        row["call"] = encode_record(entry.record)
    if entry.option is not None:
        row["option"] = list(entry.option)
    return row


def _session(data: object) -> Session:
    if not isinstance(data, dict):
        raise InputError("not a session", accepted=("an object",))
    members = cast("dict[str, Any]", data)
    if members.get("schema") != SESSION_SCHEMA:
        raise InputError("unknown schema", where="schema", found=members.get("schema"), accepted=(SESSION_SCHEMA,))
    read = decode(members, _File)
    if len(read.journal) > MAX_ENTRIES:
        raise InputError("too many entries", where="journal", found=len(read.journal),
                         accepted=(f"at most {MAX_ENTRIES}",))  # fmt: skip
    view = _members(read.view, "view")
    read_scenario(f"{read.scenario_id}.toml", read.scenario_text.encode(), read.scenario_id)
    return Session(
        read.scenario_id, read.scenario_text, _adapter(read.adapter), read.seed, read.allocator, _texts(read.device),
        {(row.node, row.group): row.bytes for row in read.budget}, read.frame,
        tuple(_entry(row, f"journal[{i}]") for i, row in enumerate(read.journal)), view,
    )  # fmt: skip


def _adapter(value: Any) -> Adapter:
    if isinstance(value, str):
        if value not in adapter_ids():
            raise InputError("no such adapter", where="adapter", found=value, accepted=adapter_ids())
        return adapter(value)
    return adapter_from_mapping(_members(value, "adapter"))


def _texts(value: Any) -> dict[str, str]:
    members = _members(value, "device")
    wrong = next((key for key, text in members.items() if not isinstance(text, str)), None)
    if wrong is not None:
        raise InputError("wrong type", where=f"device.{wrong}", found=members[wrong], accepted=("a text",))
    return members


def _members(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError("wrong type", where=where, found=cast("object", value), accepted=("an object",))
    return cast("dict[str, Any]", value)


def _entry(row: _EntryRow, where: str) -> Entry:
    at = Moment(row.frame, row.step)
    if (row.call is None) == (not row.option):
        raise InputError("an entry is either a call or an option", where=where, accepted=("call", "option"))
    if row.call is None:
        if len(row.option) != 2:
            raise InputError("wrong length", where=f"{where}.option", found=len(row.option),
                             accepted=("a name and a value",))  # fmt: skip
        return Entry(at, option=(row.option[0], row.option[1]))
    try:
        return Entry(at, decode_record(row.call))
    except CallError as error:
        c = error.complaint
        raise InputError(c.message, where=f"{where}.call.{c.where or ''}".rstrip("."), found=c.found,
                         accepted=c.accepted) from error  # fmt: skip
