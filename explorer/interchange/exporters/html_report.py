"""The report as one HTML page with a picture of the map: no script, no other file, nothing loaded from anywhere."""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING

from explorer.interchange.exporters.png_file import PngExporter
from explorer.interchange.exporters.report_parts import ReportPart, report_parts, source_line

if TYPE_CHECKING:
    from explorer.interchange.exporters.protocol import ExportOptions
    from explorer.sim.snapshot import Snapshot

_INK = {"light": ("#16181d", "#ffffff", "#c9ccd3"), "dark": ("#e6e8ec", "#16181d", "#3b3f48")}


class HtmlExporter:
    """A page to keep or to send."""

    id = "html"
    title = "Report (HTML)"
    ending = ".html"
    views = ("map",)

    def export(self, snapshot: Snapshot, options: ExportOptions) -> bytes:
        """Return the page, UTF-8; names are escaped.

        Raises:
            CommandError: Another view than the map.
            InputError: Unknown theme.
        """
        picture = base64.b64encode(PngExporter().export(snapshot, options)).decode("ascii")
        title = f"Memory layout: {source_line(snapshot)}"
        lines = [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            """<meta http-equiv="Content-Security-Policy" """
            """content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">""",
            f"<title>{escape(title)}</title>",
            f"<style>{_style(options.theme)}</style>",
            "</head>",
            "<body>",
            f"<h1>{escape(title)}</h1>",
            f"<p>Adapter: {escape(snapshot.adapter_name or 'not stated')}</p>",
            f'<img width="{options.size[0]}" height="{options.size[1]}" alt="The memory map; the tables below '
            f'hold its sums" src="data:image/png;base64,{picture}">',
        ]
        for part in report_parts(snapshot):
            lines += _table(part)
        lines += ["</body>", "</html>"]
        return ("\n".join(lines) + "\n").encode("utf-8")

    def rows(self, snapshot: Snapshot, options: ExportOptions) -> int | None:
        """Return None: a report has no rows."""
        del snapshot, options
        return None


def _style(theme: str) -> str:
    ink, ground, line = _INK.get(theme, _INK["light"])
    return (
        f"body{{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:80em;color:{ink};background:{ground}}}"
        "img{max-width:100%;height:auto}table{border-collapse:collapse}"
        f"th,td{{text-align:left;padding:.2em 1.5em .2em 0;border-bottom:1px solid {line}}}"
        "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    )


def _table(part: ReportPart) -> list[str]:
    lines = [f"<h2>{escape(part.title)}</h2>"]
    if not part.rows:
        return [*lines, "<p>none</p>"]
    lines += ["<table>", _row("th", part.head, part.numbers)]
    lines += [_row("td", row, part.numbers) for row in part.rows]
    return [*lines, "</table>"]


def _row(tag: str, cells: tuple[str, ...], numbers: int) -> str:
    marked = (f'<{tag} class="n">' if index >= numbers else f"<{tag}>" for index in range(len(cells)))
    return (
        "<tr>" + "".join(f"{open_}{escape(cell)}</{tag}>" for open_, cell in zip(marked, cells, strict=True)) + "</tr>"
    )
