"""The command ``run``: a scenario for some frames, and what it came to."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from explorer.cli.arguments import one_of, whole_number
from explorer.cli.output import OK, note, print_json, print_text, table
from explorer.cli.progress import progress_of
from explorer.core.events import EventKind
from explorer.core.units import format_bytes

if TYPE_CHECKING:
    import argparse

    from explorer.interchange.session import Session
    from explorer.sim.simulation import Simulation
    from explorer.sim.snapshot import Snapshot

APP_POLICIES = ("none", "d3dx12", "translation-layer")
"""Policies of the application itself that are simulated (``device.app_residency.POLICIES``, loaded later)."""
_RUNTIME_POLICY, _KERNEL_POLICY = "lru-mru", "priority-lru"
"""Who is evicted where nothing else is chosen: by D3D9's own manager, by the kernel's memory manager."""
_NS_PER_MS = 1_000_000


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("run", help="run a scenario and print where the bytes are")
    parser.add_argument(
        "scenario", metavar="SCENARIO", help="scenario id, scenario or session, or - for standard input"
    )
    parser.add_argument("--adapter", metavar="ID", help="run it on another adapter")
    parser.add_argument("--frames", metavar="N",
                        help="frames to run (default: the scenario's length; those of a session)")  # fmt: skip
    parser.add_argument("--seed", metavar="S", help="seed of the random streams")
    parser.add_argument("--policy", metavar="P", help="eviction policy")
    parser.add_argument(
        "--app-policy", metavar="Q", help="residency policy of the application: " + ", ".join(APP_POLICIES)
    )
    parser.add_argument("--allocator", metavar="A", help="allocator")
    parser.add_argument("--budget", metavar="[GROUP=]SIZE", action="append",
                        help="budget of a segment group instead of the adapter's; once for each group")  # fmt: skip
    parser.add_argument("--out", metavar="FILE", nargs="+", action="extend", default=[],
                        help="write the result; the ending says how (.json .csv .png .svg .html .txt)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run and print.

    Raises:
        CommandError: Unknown id or option value.
        InputError: The scenario cannot be read, or an output not written.
    """
    frames = whole_number("--frames", args.frames, 0, 1_000_000)
    seed = whole_number("--seed", args.seed, 0, 2**63 - 1)
    app_policy = one_of("--app-policy", args.app_policy, APP_POLICIES)
    from explorer.interchange.exporters import ExportOptions, exporter_for_ending
    from explorer.interchange.files import write_atomically
    from explorer.interchange.snapshot_encode import snapshot_bytes

    targets = [(file, exporter_for_ending(file)) for file in args.out]
    simulation, length = _simulation(args, seed, app_policy)
    simulation.step(length if frames is None else frames)
    snapshot = simulation.snapshot()
    canonical = snapshot_bytes(snapshot)
    written: list[dict[str, Any]] = []
    for file, exporter in targets:
        data = canonical if exporter.id == "snapshot-json" else exporter.export(snapshot, ExportOptions())
        write_atomically(file, data)
        sha256 = hashlib.sha256(data).hexdigest()
        written.append({"file": file, "format": exporter.id, "bytes": len(data), "sha256": sha256})
    body = run_json(snapshot, hashlib.sha256(canonical).hexdigest(), written)
    if args.json:
        print_json("run", body)
    else:
        print_text(_lines(body))
    return OK


def _simulation(args: argparse.Namespace, seed: int | None, app_policy: str | None) -> tuple[Simulation, int]:
    """Return a run at frame 0 and the frames that it has by default."""
    from explorer.cli.loading import scenario_of
    from explorer.errors import InputError
    from explorer.sim.scenarios import make_simulation

    scenario = scenario_of(args.scenario)
    if scenario is None:
        from explorer.interchange.importers import open_file

        opened = open_file(args.scenario, progress=progress_of(f"Opening {args.scenario}"))
        if opened.session is not None:
            return _of_session(opened.session, args, seed, app_policy), opened.session.frame
        scenario = opened.scenario
        if scenario is None:
            raise InputError(
                f"a file of kind {opened.kind} cannot be run", file=args.scenario, accepted=("a scenario", "a session")
            )
    simulation = make_simulation(
        scenario, args.adapter, seed=seed, allocator=args.allocator, policy=args.policy, app_policy=app_policy,
        budget=args.budget,
    )  # fmt: skip
    return simulation, simulation.frames


def _of_session(session: Session, args: argparse.Namespace, seed: int | None, app_policy: str | None) -> Simulation:
    """Return the run of a session at frame 0, its edits in the journal, with what was asked for instead of its own."""
    from explorer.interchange.session import start_session
    from explorer.memory.eviction import policy_by_id
    from explorer.sim.scenarios import read_budgets
    from explorer.tables.adapters import adapter

    chosen = {"policy": args.policy, "app_policy": app_policy}
    if args.policy is not None:
        policy_by_id(args.policy)
    changed = replace(
        session,
        seed=session.seed if seed is None else seed,
        allocator=args.allocator or session.allocator,
        device={**session.device, **{key: value for key, value in chosen.items() if value is not None}},
        budget={**session.budget, **read_budgets(args.budget or ())},
    )
    simulation, left_out = start_session(changed, None if args.adapter is None else adapter(args.adapter))
    for complaint in left_out:
        note(f"memory-explorer: an edit is left out: {complaint}")
    return simulation


def run_json(snapshot: Snapshot, sha256: str, written: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the object of ``run --json`` without ``schema`` and ``version``.

    Args:
        snapshot: The state at the end.
        sha256: Of the canonical snapshot.
        written: The ``out`` entries.
    """
    p, times = snapshot.provenance, snapshot.times
    frame_ns = snapshot.time_ns / p.frame if p.frame else 0.0
    return {
        "scenario": p.scenario,
        "adapter": snapshot.adapter.id if snapshot.adapter else None,
        "api": snapshot.api,
        "seed": p.seed,
        "frames": p.frame,
        "options": _options(snapshot),
        "snapshot_sha256": sha256,
        "segments": [_segment(segment) for segment in snapshot.segments],
        "groups": [asdict(group) for group in snapshot.groups],
        "totals": asdict(snapshot.totals),
        "events": {str(kind): snapshot.event_counts.get(kind, 0) for kind in EventKind},
        "moved_bytes": asdict(snapshot.moved),
        "time_ms": {
            "gpu": times.gpu_ns / _NS_PER_MS,
            "transfer": times.transfer_ns / _NS_PER_MS,
            "cpu": times.cpu_ns / _NS_PER_MS,
            "stall": times.stall_ns / _NS_PER_MS,
            "frame_mean": frame_ns / _NS_PER_MS,
            "frame_max": times.slowest_frame_ns / _NS_PER_MS,
        },
        "not_simulated": [{"call": call, "count": count} for call, count in sorted(snapshot.not_simulated.items())],
        "out": written,
    }


def _options(snapshot: Snapshot) -> dict[str, str | None]:
    """Return every option in force: a snapshot holds only those that were chosen."""
    policy = _RUNTIME_POLICY if snapshot.api == "d3d9" else _KERNEL_POLICY
    return {"app_policy": APP_POLICIES[0], "budget": None, "policy": policy, **snapshot.provenance.options}


def _segment(segment: Any) -> dict[str, Any]:
    shown = asdict(segment)
    del shown["gpu_bandwidth"]
    return shown


def _lines(body: dict[str, Any]) -> list[str]:
    lines = [f"{body['scenario']} on {body['adapter']}: {body['frames']} frames, seed {body['seed']}", "", "Segments"]
    lines += table(
        ("name", "group", "size", "used", "padding", "free", "largest hole"),
        [
            (s["name"], s["group"], format_bytes(s["size_bytes"]), format_bytes(s["used_bytes"]),
             format_bytes(sum(s["padding_bytes"].values())), format_bytes(s["free_bytes"]),
             format_bytes(s["largest_free_bytes"]))
            for s in body["segments"]
        ],
    )  # fmt: skip
    lines += ["", "Budgets"]
    lines += table(
        ("node", "group", "budget", "usage", "over"),
        [
            (str(g["node"]), g["group"], "none" if g["budget_bytes"] is None else format_bytes(g["budget_bytes"]),
             format_bytes(g["usage_bytes"]), format_bytes(g["over_budget_bytes"]))
            for g in body["groups"]
        ],
    )  # fmt: skip
    events = ", ".join(f"{count} {kind}" for kind, count in body["events"].items() if count)
    moved = ", ".join(f"{format_bytes(count)} {kind}" for kind, count in body["moved_bytes"].items())
    times = ", ".join(f"{value:.2f} {name}" for name, value in body["time_ms"].items())
    lines += ["", f"Events: {events or 'none'}", f"Moved: {moved}", f"Estimated ms: {times}"]
    lines += [f"Not simulated: {entry['call']} ({entry['count']} times)" for entry in body["not_simulated"]]
    lines += [f"Snapshot SHA-256: {body['snapshot_sha256']}"]
    lines += [f"Wrote {one['file']} ({one['format']}, {one['bytes']:,} bytes)" for one in body["out"]]
    return lines
