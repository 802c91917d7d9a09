"""Saved snapshots as an opened file."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from explorer.interchange.importers.dump_model import sum_layouts
from explorer.interchange.layout_totals import heap_layouts
from explorer.interchange.opened import OpenedFile
from explorer.interchange.snapshot_decode import read_snapshot

if TYPE_CHECKING:
    from explorer.interchange.importers.source import Source


class SnapshotFile:
    """``memory-layout-snapshot/1``."""

    id = "snapshot"
    title = "snapshot"

    def recognises(self, source: Source) -> bool:
        """Return whether the file names the schema, of any version."""
        schema = (source.members or {}).get("schema")
        return schema is not None and bytes(schema).startswith(b'"memory-layout-snapshot/')

    def read(self, source: Source) -> OpenedFile:
        """Read the snapshot; its own sums are compared with its tables."""
        snapshot = read_snapshot(source.text, source.file)
        heaps = heap_layouts(snapshot)
        counted = {"resources": len(snapshot.resources), "heaps": len(snapshot.heaps), "blocks": len(snapshot.blocks)}
        said = dataclasses.asdict(snapshot.totals)
        differences = tuple(f"totals.{name}" for name, count in counted.items() if said[name] != count)
        if differences:
            source.warn(
                "totals-differ", "totals", "the file's own sums differ from its tables: " + ", ".join(differences)
            )
        source.at(1.0)
        return OpenedFile(
            file=source.file,
            format=self.id,
            format_version="1",
            encoding=source.encoding,
            kind="snapshot",
            detail=True,
            snapshot=snapshot,
            totals=sum_layouts([heap.layout for heap in heaps]),
            heaps=heaps,
            named=len(snapshot.resources) - snapshot.resources.names.count(""),
            events={name: count for name, count in snapshot.event_counts.items() if count},
            frames=snapshot.provenance.frame if snapshot.origin == "simulated" else None,
            adapters=() if snapshot.adapter is None else (snapshot.adapter,),
            repaired=source.repaired,
            warnings=source.warnings,
        )
