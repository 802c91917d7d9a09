"""The command ``lab``: one stream of references under all eviction policies and a range of budgets."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

from explorer.cli.arguments import whole_number
from explorer.cli.output import OK, print_json, print_text, table
from explorer.core.units import format_bytes, parse_size
from explorer.errors import CommandError, InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from explorer.memory.eviction import ReferenceStream
    from explorer.memory.lab import LabResult, LabRow
    from explorer.sim.scenario import Scenario

ALL = "all"
DEFAULT_POINTS = 8
ENDLESS_FRAMES = 600
"""Frames that are recorded of a scenario without an end."""

_NS_PER_MS = 1_000_000
_CSV = "CSV with frame,resource,size"
_SCENARIO_MARK = b"memory-explorer/scenario/"
_PLAIN_STEPS, _PLAIN_STEPS_COLD = 50_000, 500_000
"""References × cells up to which plain Python is done before the kernels are loaded, or before they are compiled."""


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("lab", help="run references under eviction policies and budgets")
    parser.add_argument("source", metavar="IN", help="scenario id or file, or CSV frame,resource,size; - is stdin")
    parser.add_argument("--policies", metavar="P,P", default=ALL, help="policies, or all (default)")
    parser.add_argument("--budgets", metavar="SIZE,SIZE", help="bytes of memory, for example 64MiB,128MiB")
    parser.add_argument("--points", metavar="N", help=f"this many budgets, up to all bytes (default {DEFAULT_POINTS})")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the laboratory and print.

    Raises:
        CommandError: Wrong use, an unknown policy, or a number or size out of range.
        InputError: The input cannot be read, or holds no references.
    """
    from explorer.memory.lab import MAX_POINTS, lab_budgets, run_lab

    policies = chosen_policies(args.policies)
    if args.budgets is not None and args.points is not None:
        raise CommandError("budgets are given one by one or by their number", where="--points", found=args.points,
                           accepted=("--budgets", "--points"))  # fmt: skip
    budgets = None if args.budgets is None else chosen_budgets(args.budgets)
    points = whole_number("--points", args.points, 1, MAX_POINTS) or DEFAULT_POINTS
    progress = _Progress()
    try:
        stream, bus = load_references(args.source, progress)
        if budgets is None:
            budgets = lab_budgets(points, stream.unique_bytes)
        steps = stream.requests * len(budgets) * (len(policies) + 1)
        result = run_lab(
            stream, policies, budgets,
            bus_bytes_per_s=bus, progress=progress.cells, use_kernels=_kernels_pay(steps),
        )  # fmt: skip
    finally:
        progress.clear()
    if args.json:
        print_json("lab", lab_json(args.source, result))
    else:
        print_text(_lines(args.source, result))
    return OK


def chosen_policies(text: str) -> tuple[str, ...]:
    """Return the policies of ``P,P`` or ``all``.

    Raises:
        CommandError: An unknown one, or one named twice.
    """
    from explorer.memory.eviction import EVICTION_POLICIES

    known = tuple(policy.id for policy in EVICTION_POLICIES)
    if text.strip() == ALL:
        return known
    chosen = tuple(part.strip() for part in text.split(","))
    for part in chosen:
        if part not in known:
            raise CommandError("unknown eviction policy", where="--policies", found=part, accepted=(*known, ALL))
        if chosen.count(part) > 1:
            raise CommandError("a policy is named twice", where="--policies", found=part)
    return chosen


def chosen_budgets(text: str) -> tuple[int, ...]:
    """Return the bytes of ``SIZE,SIZE``.

    Raises:
        CommandError: Not a size, out of range, or given twice.
    """
    from explorer.memory.eviction.simulation import check_budget

    sizes: list[int] = []
    for part in text.split(","):
        try:
            size = parse_size(part)
            check_budget(size)
        except InputError as error:
            c = error.complaint
            raise CommandError(c.message, where="--budgets", found=part.strip(), accepted=c.accepted) from error
        if size in sizes:
            raise CommandError("a budget is given twice", where="--budgets", found=part.strip())
        sizes.append(size)
    return tuple(sizes)


def load_references(source: str, progress: _Progress | None = None) -> tuple[ReferenceStream, int | None]:
    """Return the references of a scenario or a CSV file, and the bus's bytes a second where one is known.

    Args:
        source: Scenario id or file, or CSV; ``-`` is standard input. What a file is, is decided by its content.
        progress: Told of recorded frames.

    Raises:
        CommandError: Neither a scenario nor a file.
        InputError: The file cannot be read, is invalid, or holds no references.
    """
    from explorer.cli.loading import scenario_of
    from explorer.interchange.files import read_bytes, unpack

    scenario = scenario_of(source)
    if scenario is not None:
        return _recorded(scenario, progress)
    data = unpack(read_bytes(source), source)
    if data.lstrip()[:1] not in (b"{", b"[") and _SCENARIO_MARK not in data and not source.lower().endswith(".toml"):
        from explorer.memory.lab import read_stream_csv

        text = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")
        return read_stream_csv(text, source).stream, None
    from explorer.interchange.importers import open_file

    opened = open_file(data, source)
    if opened.scenario is None:
        raise InputError(f"a file of kind {opened.kind} holds no references", file=source,
                         accepted=("a scenario", _CSV))  # fmt: skip
    return _recorded(opened.scenario, progress)


def lab_json(source: str, result: LabResult) -> dict[str, Any]:
    """Return the object of ``lab --json`` without ``schema`` and ``version``.

    Args:
        source: The input as it was given.
        result: What the laboratory found.
    """
    return {
        "source": source,
        "requests": result.requests,
        "objects": result.objects,
        "unique_bytes": result.unique_bytes,
        "requested_bytes": result.requested_bytes,
        "grid": [
            {
                "policy": row.policy,
                "budget_bytes": row.budget_bytes,
                "misses": row.misses,
                "miss_ratio": row.miss_ratio,
                "fetched_bytes": row.fetched_bytes,
                "evictions": row.evictions,
                "stall_ms": None if row.stall_ns is None else row.stall_ns / _NS_PER_MS,
            }
            for row in result.grid
        ],
        "bound": [{"budget_bytes": row.budget_bytes, "fetched_bytes": row.fetched_bytes} for row in result.bound],
    }


def _recorded(scenario: Scenario, progress: _Progress | None) -> tuple[ReferenceStream, int | None]:
    from explorer.sim.reference_recording import record_references
    from explorer.sim.scenarios import make_simulation

    simulation = make_simulation(scenario)
    frames = simulation.frames or ENDLESS_FRAMES
    recording = record_references(simulation, frames, progress=None if progress is None else progress.frames)
    return recording.stream.stream, simulation.adapter.bus.to_gpu_bytes_per_s or None


def _kernels_pay(steps: int) -> bool:
    from explorer.memory.kernels import is_jit_disabled, kernels_ready

    if is_jit_disabled():
        return False
    return steps > (_PLAIN_STEPS if kernels_ready() else _PLAIN_STEPS_COLD)


def _lines(source: str, result: LabResult) -> list[str]:
    lines = [
        f"{source}: {result.requests:,} references to {result.objects:,} objects of "
        f"{format_bytes(result.unique_bytes)}, {format_bytes(result.requested_bytes)} in all"
    ]
    for bound in result.bound:
        lines += ["", f"Budget {format_bytes(bound.budget_bytes)}: no policy fetches less than "
                      f"{format_bytes(bound.fetched_bytes)}"]  # fmt: skip
        rows = [row for row in result.grid if row.budget_bytes == bound.budget_bytes]
        lines += _budget_table(rows, bound.fetched_bytes)
    if any(row.stall_ns is not None for row in result.grid):
        lines += ["", "Stalls are estimates: the time of the fetched bytes on the bus, nothing overlaps."]
    return lines


def _budget_table(rows: Sequence[LabRow], bound: int) -> list[str]:
    cells = [
        (
            row.policy, f"{row.misses:,}", f"{row.miss_ratio:.4f}", format_bytes(row.fetched_bytes),
            f"{row.fetched_bytes / bound:.2f} ×" if bound else "none", f"{row.evictions:,}",
            "unknown" if row.stall_ns is None else f"{row.stall_ns / _NS_PER_MS:,.1f} ms",
        )
        for row in rows
    ]  # fmt: skip
    return table(("policy", "misses", "miss ratio", "fetched", "to bound", "evictions", "stall est."), cells)


class _Progress:
    """One line on standard error that is written over, on a terminal only."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._text = ""

    def frames(self, done: int, total: int) -> None:
        """Say how many frames are recorded."""
        if done % 10 == 0 or done == total:
            self._say(f"Recording: frame {done:,} of {total:,}")

    def cells(self, done: int, total: int) -> None:
        """Say how many cells are run."""
        self._say(f"Running: {done:,} of {total:,}")

    def clear(self) -> None:
        """Take the line away."""
        if self._text:
            self._write("")

    def _say(self, text: str) -> None:
        if self._shown:
            self._write(text)

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(len(self._text)) + ("" if text else "\r"))
        sys.stderr.flush()
        self._text = text
