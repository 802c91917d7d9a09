"""The SVG exporter against the picture it wraps."""

from __future__ import annotations

import pytest

from explorer.errors import CommandError
from explorer.interchange import ExportOptions
from explorer.interchange.exporters.svg import export_svg
from explorer.interchange.exporters.svg_file import SvgExporter
from tests.interchange import snapshots


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_that_the_exporter_writes_the_map_of_the_snapshot(theme: str) -> None:
    snapshot = snapshots.simulated()
    data = SvgExporter().export(snapshot, ExportOptions(size=(640, 400), theme=theme))
    assert data == export_svg(snapshot, size=(640, 400), theme=theme)
    assert SvgExporter().rows(snapshot, ExportOptions()) is None


def test_that_another_view_is_refused() -> None:
    with pytest.raises(CommandError, match="no SVG export"):
        SvgExporter().export(snapshots.simulated(), ExportOptions(view="device"))
