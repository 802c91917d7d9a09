"""Saved sessions as an opened file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.interchange.importers.dump_model import sum_layouts
from explorer.interchange.layout_totals import heap_layouts
from explorer.interchange.opened import OpenedFile

if TYPE_CHECKING:
    from explorer.interchange.importers.source import Source
    from explorer.sim.simulation import Simulation

_FRAMES_AT_ONCE = 20


class SessionFile:
    """``memory-layout-session/1``."""

    id = "session"
    title = "session"

    def recognises(self, source: Source) -> bool:
        """Return whether the file names the schema, of any version."""
        schema = (source.members or {}).get("schema")
        return schema is not None and bytes(schema).startswith(b'"memory-layout-session/')

    def read(self, source: Source) -> OpenedFile:
        """Read the session and run it as far as it stood; what it came to is the layout.

        Raises:
            InputError: Damaged, or its scenario cannot run on its adapter.
            ImportCancelledError: The caller cancelled.
        """
        # Imported here: other formats need no simulation.
        from explorer.interchange.session import read_session, start_session

        session = read_session(source.text, source.file)
        simulation, left_out = start_session(session)
        for complaint in left_out:
            source.warn("edit-left-out", complaint.where or "journal", f"an edit is left out: {complaint.message}")
        self._run(simulation, session.frame, source)
        snapshot = simulation.snapshot()
        heaps = heap_layouts(snapshot)
        source.at(1.0)
        return OpenedFile(
            file=source.file,
            format=self.id,
            format_version="1",
            encoding=source.encoding,
            kind="session",
            detail=True,
            snapshot=snapshot,
            totals=sum_layouts([heap.layout for heap in heaps]),
            heaps=heaps,
            named=len(snapshot.resources) - snapshot.resources.names.count(""),
            events={name: count for name, count in snapshot.event_counts.items() if count},
            frames=session.frame,
            adapters=(session.adapter,),
            session=session,
            repaired=source.repaired,
            warnings=source.warnings,
        )

    @staticmethod
    def _run(simulation: Simulation, frames: int, source: Source) -> None:
        while simulation.frame < frames:
            source.at(0.2 + 0.7 * simulation.frame / frames)
            simulation.step(min(_FRAMES_AT_ONCE, frames - simulation.frame))
