"""The command ``bench``: the product's figures, each beside its yardstick."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from explorer.cli.arguments import whole_number
from explorer.cli.output import DIFFERS, OK, note, print_json, print_text, table
from explorer.errors import CommandError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Generator, Mapping

    from explorer.cli.bench_model import BenchRow, Contenders

MAX_ROUNDS = 1000
_NO_BYTECODE, _BYTECODE_FOLDER = "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"

Figures = tuple["Callable[[], float]", "Callable[[], float] | None"]
"""What measures a row that needs the window: ours, and its yardstick where that is measured too."""


@dataclass(frozen=True, slots=True)
class _WindowRow:
    """A row that needs the window: what it promises is said here, how it is measured by the layer above."""

    id: str
    what: str
    unit: str
    against: str
    op: str
    ratio: float
    fixed: float | None = None


_WINDOW_ROWS = (
    _WindowRow("window.paint", "painting the map while the simulation runs flat out, median", "ms",
               "the same while nothing runs", "<=", 1.1),
    _WindowRow("window.ticks", "share of 16 ms ticks kept while the simulation runs flat out", "ratio",
               "99 %", ">=", 1.0, 0.99),
    _WindowRow("window.ticks.playing", "share of 16 ms ticks kept while a scenario plays",
               "ratio", "99 %", ">=", 1.0, 0.99),
    _WindowRow("window.ticks.large", "share of 16 ms ticks kept while a scenario of 100,000 resources plays",
               "ratio", "99 %", ">=", 1.0, 0.99),
    _WindowRow("sim.beside", "simulated frames beside a painting window", "frames/s",
               "the simulation alone", ">=", 0.77),
    _WindowRow("table.sort", "sorting a table of 1,000,000 resources", "s", "0.5 s", "<=", 1.0, 0.5),
    _WindowRow("table.filter", "filtering a table of 1,000,000 resources", "s", "0.5 s", "<=", 1.0, 0.5),
    _WindowRow("seek", "going to any of 10,000 frames", "s", "0.25 s", "<=", 1.0, 0.25),
    _WindowRow("start.first-paint", "from the start to the first painted window", "s",
               "a minimal window with PySide6, numpy and pyqtgraph", "<=", 1.3),
    _WindowRow("soak", "resident memory after an hour of live updates against the first minute", "ratio",
               "5 % more", "<=", 1.0, 1.05),
)  # fmt: skip

_FIGURES: list[Callable[[], Mapping[str, Callable[[], Figures]]]] = []


def register(figures: Callable[[], Mapping[str, Callable[[], Figures]]]) -> None:
    """Add measurements from a layer that this package may not import.

    Args:
        figures: Returns row id → what sets the measurement up; called when ``bench`` runs.
    """
    _FIGURES.append(figures)


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("bench", help="measure the product against yardsticks on this machine")
    parser.add_argument("--only", metavar="ID,…", help="rows to measure; * stands for any letters (map.*)")
    parser.add_argument("--rounds", metavar="N", help="rounds of each row")
    parser.add_argument("--gate", action="store_true", help="exit with 1 if a row misses its target")
    parser.add_argument("--list", action="store_true", help="print the rows without measuring")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure and print.

    Raises:
        CommandError: An unknown row.
    """
    from explorer.cli.bench_model import measure

    rounds = whole_number("--rounds", args.rounds, 1, MAX_ROUNDS)
    chosen = _chosen(all_rows(), args.only)
    if args.list and not args.json:
        print_text(table(("id", "what", "against"), [(row.id, row.what, row.against) for row in chosen]))
        return OK
    measured: list[dict[str, Any]] = []
    with compiled_once():
        for row in [] if args.list else chosen:
            if sys.stderr.isatty():
                note(f"{len(measured) + 1}/{len(chosen)} {row.id}")
            measured.append(measure(row, rounds))
    if args.json:
        print_json("bench", {"machine": machine(), "rows": measured})
    else:
        print_text(_lines(measured))
    return DIFFERS if args.gate and any(row["met"] is False for row in measured) else OK


@contextlib.contextmanager
def compiled_once() -> Generator[None]:
    """Let the processes that rows start keep their bytecode in a folder of their own, as an installation does.

    Where the environment forbids bytecode files, each start would compile every module anew, of the product only:
    the libraries beside it were compiled when they were installed.
    """
    kept = {name: os.environ.get(name) for name in (_NO_BYTECODE, _BYTECODE_FOLDER)}
    with tempfile.TemporaryDirectory(prefix="memory-explorer-bench-", ignore_cleanup_errors=True) as folder:
        os.environ.pop(_NO_BYTECODE, None)
        os.environ[_BYTECODE_FOLDER] = folder
        try:
            yield
        finally:
            for name, value in kept.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


def all_rows() -> tuple[BenchRow, ...]:
    """Return every row: those of this package, of layers above, and the ones that need such a layer."""
    from explorer.cli import bench_files, bench_map, bench_memory
    from explorer.cli.bench_model import BenchRow, Target

    rows: dict[str, BenchRow] = {}
    for row in (*bench_memory.ROWS, *bench_map.ROWS, *bench_files.ROWS):
        rows[row.id] = row
    found: dict[str, Callable[[], Figures]] = {}
    for figures in _FIGURES:
        found.update(figures())
    for one in _WINDOW_ROWS:
        prepare = partial(_window_contenders, found.get(one.id), one.fixed)
        rows[one.id] = BenchRow(one.id, one.what, one.unit, prepare, one.against, Target(one.op, one.ratio))
    return tuple(rows.values())


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    import platform

    return {
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "python": platform.python_version(),
        "numpy": _version("numpy"),
        "numba": _version("numba"),
        "qt": _version("PySide6-Essentials") or _version("PySide6"),
    }


def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _window_contenders(prepare: Callable[[], Figures] | None, fixed: float | None) -> Contenders:
    from explorer.cli.bench_model import CannotRunError, Contenders

    if prepare is None:
        raise CannotRunError("it needs the window, and no measurement of it is built in")
    ours, yardstick = prepare()
    return Contenders(ours, yardstick, fixed)


def _chosen(rows: tuple[BenchRow, ...], only: str | None) -> list[BenchRow]:
    import fnmatch

    if only is None:
        return list(rows)
    wanted = [part.strip() for part in only.split(",") if part.strip()]
    ids = tuple(row.id for row in rows)
    for part in wanted:
        if not fnmatch.filter(ids, part):
            raise CommandError("no such row", where="--only", found=part, accepted=ids)
    if not wanted:
        raise CommandError("no row is named", where="--only", found=only, accepted=ids)
    return [row for row in rows if any(fnmatch.fnmatchcase(row.id, part) for part in wanted)]


def _lines(rows: list[dict[str, Any]]) -> list[str]:
    cells: list[tuple[str, ...]] = []
    for row in rows:
        if row["skipped"]:
            cells.append((row["id"], "-", row["unit"], "", "", "", f"skipped: {row['skipped']}"))
            continue
        against = row["yardstick"]
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.3g}"
        target = "" if row["target"] is None else f"{row['target']['op']} {row['target']['ratio']:g}"
        met = {True: "met", False: "MISSED", None: ""}[row["met"]]
        other = "" if against is None else f"against {against['value']:.4g} ({against['what']})"
        cells.append((row["id"], f"{row['value']:.4g}", row["unit"], ratio, target, met, other))
    return table(("id", "value", "unit", "ratio", "target", "", ""), cells)
