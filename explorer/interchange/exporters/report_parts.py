"""The parts of a report, for text and HTML alike: segments, budgets, totals, kinds, largest resources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.kinds import ResourceKind
from explorer.core.units import format_bytes, format_exact

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot

LARGEST = 20
"""Resources that are listed by size."""


@dataclass(frozen=True, slots=True)
class ReportPart:
    """A table of a report.

    Attributes:
        title: Heading.
        head: Column titles.
        rows: Cells; names may hold anything, the writer makes them harmless.
        numbers: Index of the first column that holds figures.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: int = 1


def source_line(snapshot: Snapshot) -> str:
    """Return in words where a layout comes from."""
    p = snapshot.provenance
    if p.scenario:
        return f"scenario {p.scenario}, frame {p.frame}, seed {p.seed}"
    return f"{p.file} ({p.file_format})"


def report_parts(snapshot: Snapshot) -> tuple[ReportPart, ...]:
    """Return the tables of a report."""
    parts = [_segments(snapshot), _budgets(snapshot), _totals(snapshot), _kinds(snapshot), _largest(snapshot)]
    if snapshot.not_simulated:
        rows = tuple((call, str(count)) for call, count in sorted(snapshot.not_simulated.items()))
        parts.append(ReportPart("Not simulated", ("call", "times"), rows))
    return tuple(parts)


def _segments(snapshot: Snapshot) -> ReportPart:
    rows = tuple(
        (
            s.name, s.group, format_bytes(s.size_bytes), format_bytes(s.used_bytes),
            format_bytes(sum(s.padding_bytes.values())), format_bytes(s.free_bytes), format_bytes(s.largest_free_bytes),
        )
        for s in snapshot.segments
    )  # fmt: skip
    return ReportPart("Segments", ("name", "group", "size", "used", "padding", "free", "largest hole"), rows, 2)


def _budgets(snapshot: Snapshot) -> ReportPart:
    rows = tuple(
        (
            g.group, str(g.node), "none" if g.budget_bytes is None else format_bytes(g.budget_bytes),
            format_bytes(g.usage_bytes), format_bytes(g.over_budget_bytes),
        )
        for g in snapshot.groups
    )  # fmt: skip
    return ReportPart("Budgets", ("group", "node", "budget", "usage", "over"), rows)


def _totals(snapshot: Snapshot) -> ReportPart:
    t = snapshot.totals
    counts = (("resources", t.resources), ("heaps", t.heaps), ("live ranges", t.blocks))
    sizes = (
        ("asked for", t.asked_bytes), ("placed", t.placed_bytes), ("shared", t.aliased_bytes),
        ("resident", t.resident_bytes), ("evicted", t.evicted_bytes),
    )  # fmt: skip
    rows = [(name, f"{count:,}") for name, count in counts] + [(name, format_exact(size)) for name, size in sizes]
    return ReportPart("Totals", ("of", "sum"), tuple(rows))


def _kinds(snapshot: Snapshot) -> ReportPart:
    kind, size = snapshot.blocks.kind, snapshot.blocks.size
    rows = tuple(
        (_words(one), str(int((kind == one).sum())), format_bytes(int(size[kind == one].sum())))
        for one in ResourceKind
        if bool((kind == one).any())
    )
    return ReportPart("Live ranges by kind", ("kind", "ranges", "size"), rows)


def _largest(snapshot: Snapshot) -> ReportPart:
    table = snapshot.resources
    order: list[int] = np.argsort(-table.size, kind="stable")[:LARGEST].tolist()
    rows = tuple(
        (
            table.names[i] or "(no name)", _words(ResourceKind(int(table.kind[i]))),
            table.places[int(table.place[i])] if table.places else "", format_exact(int(table.size[i])),
        )
        for i in order
    )  # fmt: skip
    return ReportPart(f"Largest resources (of {len(table):,})", ("name", "kind", "place", "size"), rows, 3)


def _words(kind: ResourceKind) -> str:
    return kind.token.replace("_", " ")
