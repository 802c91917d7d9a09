"""A report to read or to mail: segments, budgets, totals, kinds and the largest resources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.interchange.exporters.report_parts import report_parts, source_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.interchange.exporters.protocol import ExportOptions
    from explorer.sim.snapshot import Snapshot


class TextExporter:
    """Plain text, UTF-8."""

    id = "text"
    title = "Report (text)"
    ending = ".txt"
    views = ()

    def export(self, snapshot: Snapshot, options: ExportOptions) -> bytes:
        """Return the report."""
        del options
        lines = [f"Memory layout: {source_line(snapshot)}", f"Adapter: {snapshot.adapter_name or 'not stated'}"]
        for part in report_parts(snapshot):
            lines += ["", part.title, *_table(part.head, part.rows)]
        return "".join(printable(line).rstrip() + "\n" for line in lines).encode("utf-8")

    def rows(self, snapshot: Snapshot, options: ExportOptions) -> int | None:
        """Return None: a report has no rows."""
        del snapshot, options
        return None


def printable(text: str) -> str:
    """Return a text on one line without control characters, so that it cannot steer a terminal."""
    return "".join(c if c.isprintable() else "�" for c in text)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return ["  none"]
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (head, *rows)
    ]
