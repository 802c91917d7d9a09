"""The snapshot itself, as canonical JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.interchange.snapshot_encode import snapshot_bytes

if TYPE_CHECKING:
    from explorer.interchange.exporters.protocol import ExportOptions
    from explorer.sim.snapshot import Snapshot


class SnapshotJsonExporter:
    """``memory-layout-snapshot/1``: opens again as the same snapshot."""

    id = "snapshot-json"
    title = "Snapshot (JSON)"
    ending = ".json"
    views = ()

    def export(self, snapshot: Snapshot, options: ExportOptions) -> bytes:
        """Return the canonical bytes."""
        del options
        return snapshot_bytes(snapshot)

    def rows(self, snapshot: Snapshot, options: ExportOptions) -> int | None:
        """Return None: a snapshot is no table."""
        del snapshot, options
        return None
