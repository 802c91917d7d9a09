"""What a snapshot can be written as."""

from __future__ import annotations

from explorer.errors import CommandError
from explorer.interchange.exporters.csv_tables import CsvExporter
from explorer.interchange.exporters.dump_json import D3d12MaJsonExporter, VmaJsonExporter
from explorer.interchange.exporters.html_report import HtmlExporter
from explorer.interchange.exporters.png_file import PngExporter
from explorer.interchange.exporters.protocol import Exporter, ExportOptions
from explorer.interchange.exporters.snapshot_json import SnapshotJsonExporter
from explorer.interchange.exporters.svg_file import SvgExporter
from explorer.interchange.exporters.text_report import TextExporter
from explorer.interchange.exporters.trace_json import TraceJsonExporter

__all__ = ["EXPORTERS", "ExportOptions", "Exporter", "exporter_by_id", "exporter_for_ending"]

EXPORTERS: tuple[Exporter, ...] = (
    SnapshotJsonExporter(),
    D3d12MaJsonExporter(),
    VmaJsonExporter(),
    CsvExporter(),
    SvgExporter(),
    PngExporter(),
    TraceJsonExporter(),
    HtmlExporter(),
    TextExporter(),
)
"""Every format that a snapshot can be exported to; no two have one ending."""


def exporter_by_id(format_id: str) -> Exporter:
    """Return an exporter.

    Raises:
        CommandError: No such format; lists the accepted ones.
    """
    for exporter in EXPORTERS:
        if exporter.id == format_id:
            return exporter
    accepted = tuple(exporter.id for exporter in EXPORTERS)
    raise CommandError("no such export format", where="to", found=format_id, accepted=accepted)


def exporter_for_ending(file: str) -> Exporter:
    """Return the exporter that writes files of this name's ending.

    Raises:
        CommandError: No format has this ending; lists the accepted ones.
    """
    fitting = [exporter for exporter in EXPORTERS if file.lower().endswith(exporter.ending)]
    if fitting:
        return max(fitting, key=lambda exporter: len(exporter.ending))
    accepted = tuple(dict.fromkeys(exporter.ending for exporter in EXPORTERS))
    raise CommandError("no export format has this ending", where="out", found=file, accepted=accepted)
