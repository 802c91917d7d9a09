"""D3d12info reports as an opened file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.interchange.importers.d3d12info import looks_like_d3d12info, read_d3d12info
from explorer.interchange.opened import OpenedFile

if TYPE_CHECKING:
    from explorer.interchange.importers.source import Source


class D3d12Info:
    """Reports of the D3d12info tool: the adapters of a machine."""

    id = "d3d12info"
    title = "D3d12info report"

    def recognises(self, source: Source) -> bool:
        """Return whether the file begins like such a report."""
        return looks_like_d3d12info(source.data)

    def read(self, source: Source) -> OpenedFile:
        """Read all reports of the file; ``format_version`` is that of the first."""
        report = read_d3d12info(source.data, source.file)
        for warning in report.warnings:
            source.warn(warning.code, warning.where, warning.message, warning.count)
        return OpenedFile(
            file=source.file,
            format=self.id,
            format_version=next((run.version for run in report.reports), None),
            encoding=source.encoding,
            kind="adapter",
            adapters=tuple(report.adapters),
            repaired=source.repaired,
            warnings=source.warnings,
        )
