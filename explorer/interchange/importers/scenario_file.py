"""Scenario files as an opened file."""

from __future__ import annotations

from pathlib import PureWindowsPath
from typing import TYPE_CHECKING

from explorer.interchange.opened import OpenedFile
from explorer.sim.scenario import read_scenario
from explorer.tables.adapters import Adapter, adapter, adapter_ids

if TYPE_CHECKING:
    from explorer.interchange.importers.source import Source

_MARK = b"memory-explorer/scenario/"


class ScenarioFile:
    """A scenario in TOML."""

    id = "scenario"
    title = "scenario"

    def recognises(self, source: Source) -> bool:
        """Return whether the text names the schema, or, of a text that is no JSON, whether the file's name ends so."""
        return not source.is_json and (_MARK in source.text or source.file.lower().endswith(".toml"))

    def read(self, source: Source) -> OpenedFile:
        """Read the scenario without running it."""
        scenario = read_scenario(source.file, source.text, PureWindowsPath(source.file).stem)
        return OpenedFile(
            file=source.file,
            format=self.id,
            format_version=scenario.schema.rsplit("/", 1)[-1],
            encoding=source.encoding,
            kind="scenario",
            frames=scenario.frames,
            adapters=_adapters(scenario.adapter),
            scenario=scenario,
            repaired=source.repaired,
            warnings=source.warnings,
        )


def _adapters(adapter_id: str) -> tuple[Adapter, ...]:
    # A scenario for an adapter that is not installed can still be looked at.
    return (adapter(adapter_id),) if adapter_id in adapter_ids() else ()
