"""What an importer is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from explorer.interchange.importers.source import Source
    from explorer.interchange.opened import OpenedFile


class Importer(Protocol):
    """Reads one format. Nothing in a file is ever executed."""

    @property
    def id(self) -> str:
        """Format id (CLI contract, section 4)."""
        ...

    @property
    def title(self) -> str:
        """Name for people."""
        ...

    def recognises(self, source: Source) -> bool:
        """Return whether the content is of this format; cheap, never raises."""
        ...

    def read(self, source: Source) -> OpenedFile:
        """Return what the file holds.

        Raises:
            InputError: It cannot be read; names where and what is accepted.
            ImportCancelledError: The caller cancelled.
        """
        ...
