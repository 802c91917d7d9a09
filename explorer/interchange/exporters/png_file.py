"""PNG pictures among the exporters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.interchange.exporters.protocol import ExportOptions
    from explorer.sim.snapshot import Snapshot


class PngExporter:
    """The memory map with its scale and legend."""

    id = "png"
    title = "Picture of the memory map (PNG)"
    ending = ".png"
    views = ("map",)

    def export(self, snapshot: Snapshot, options: ExportOptions) -> bytes:
        """Return the PNG; size × scale pixels."""
        # Imported here: Pillow and the map are not needed for any other format.
        from explorer.interchange.exporters.png import export_png

        view = options.view or self.views[0]
        return export_png(snapshot, size=options.size, scale=options.scale, theme=options.theme, view=view)

    def rows(self, snapshot: Snapshot, options: ExportOptions) -> int | None:
        """Return None: a picture has no rows."""
        del snapshot, options
        return None
