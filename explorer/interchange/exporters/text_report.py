"""A report to read or to mail: segments, budgets, heaps, kinds and the largest resources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.kinds import ResourceKind
from explorer.core.units import format_bytes, format_exact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.interchange.exporters.protocol import ExportOptions
    from explorer.sim.snapshot import Snapshot

LARGEST = 20
"""Resources and heaps that are listed by size."""


class TextExporter:
    """Plain text, UTF-8."""

    id = "text"
    title = "Report (text)"
    ending = ".txt"
    views = ()

    def export(self, snapshot: Snapshot, options: ExportOptions) -> bytes:
        """Return the report."""
        del options
        return report(snapshot).encode("utf-8")

    def rows(self, snapshot: Snapshot, options: ExportOptions) -> int | None:
        """Return None: a report has no rows."""
        del snapshot, options
        return None


def report(snapshot: Snapshot) -> str:
    """Return the report as text with a line feed at the end."""
    p = snapshot.provenance
    source = f"scenario {p.scenario}, frame {p.frame}, seed {p.seed}" if p.scenario else f"{p.file} ({p.file_format})"
    lines = [f"Memory layout: {source}", f"Adapter: {snapshot.adapter_name or 'not stated'}", ""]
    lines += ["Segments"]
    lines += _table(
        ("name", "group", "size", "used", "padding", "free", "largest hole"),
        [
            (s.name, s.group, format_bytes(s.size_bytes), format_bytes(s.used_bytes),
             format_bytes(sum(s.padding_bytes.values())), format_bytes(s.free_bytes),
             format_bytes(s.largest_free_bytes))
            for s in snapshot.segments
        ],
    )  # fmt: skip
    lines += ["", "Budgets"]
    lines += _table(
        ("node", "group", "budget", "usage", "over"),
        [
            (str(g.node), g.group, "none" if g.budget_bytes is None else format_bytes(g.budget_bytes),
             format_bytes(g.usage_bytes), format_bytes(g.over_budget_bytes))
            for g in snapshot.groups
        ],
    )  # fmt: skip
    t = snapshot.totals
    lines += [
        "",
        f"Totals: {t.resources} resources, {t.heaps} heaps, {t.blocks} live ranges",
        f"  asked for {format_exact(t.asked_bytes)}, placed {format_exact(t.placed_bytes)}, "
        f"shared {format_exact(t.aliased_bytes)}, resident {format_exact(t.resident_bytes)}, "
        f"evicted {format_exact(t.evicted_bytes)}",
    ]
    lines += ["", "Live ranges by kind", *_kinds(snapshot)]
    lines += ["", f"Largest resources (of {t.resources})", *_largest(snapshot)]
    if snapshot.not_simulated:
        lines += [
            "",
            "Not simulated",
            *(f"  {call}: {count}" for call, count in sorted(snapshot.not_simulated.items())),
        ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _kinds(snapshot: Snapshot) -> list[str]:
    kind, size = snapshot.blocks.kind, snapshot.blocks.size
    rows = [
        (one.token.replace("_", " "), str(int((kind == one).sum())), format_bytes(int(size[kind == one].sum())))
        for one in ResourceKind
        if bool((kind == one).any())
    ]
    return _table(("kind", "ranges", "size"), rows)


def _largest(snapshot: Snapshot) -> list[str]:
    table = snapshot.resources
    order: list[int] = np.argsort(-table.size, kind="stable")[:LARGEST].tolist()
    rows = [
        (printable(table.names[i]) or "(no name)", ResourceKind(int(table.kind[i])).token.replace("_", " "),
         table.places[int(table.place[i])] if table.places else "", format_exact(int(table.size[i])))
        for i in order
    ]  # fmt: skip
    return _table(("name", "kind", "place", "size"), rows)


def printable(text: str) -> str:
    """Return a name on one line without control characters, so that it cannot steer a terminal."""
    return "".join(c if c.isprintable() else "�" for c in text)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return ["  none"]
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (head, *rows)
    ]
