"""SVG pictures among the exporters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.interchange.exporters.protocol import ExportOptions
    from explorer.sim.snapshot import Snapshot


class SvgExporter:
    """The memory map with its scale and legend, to be scaled and edited."""

    id = "svg"
    title = "Drawing of the memory map (SVG)"
    ending = ".svg"
    views = ("map",)

    def export(self, snapshot: Snapshot, options: ExportOptions) -> bytes:
        """Return the SVG, UTF-8; ``size`` in its own units, ``scale`` does not matter."""
        # Imported here: the map is not needed for any other text format.
        from explorer.interchange.exporters.svg import export_svg

        return export_svg(snapshot, size=options.size, theme=options.theme, view=options.view or self.views[0])

    def rows(self, snapshot: Snapshot, options: ExportOptions) -> int | None:
        """Return None: a picture has no rows."""
        del snapshot, options
        return None
