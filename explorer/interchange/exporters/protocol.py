"""What an exporter is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class ExportOptions:
    """What an export may choose.

    Attributes:
        view: Id of the view that is exported; None for the exporter's first one.
        size: Width and height of a picture in logical pixels.
        scale: Device pixels for each logical one.
        theme: ``light`` or ``dark``.
        rows: Indices of the rows of a table in the order in which they are shown; None for all.
    """

    view: str | None = None
    size: tuple[int, int] = (1280, 720)
    scale: float = 1.0
    theme: str = "light"
    rows: npt.NDArray[np.int64] | None = None


class Exporter(Protocol):
    """Writes a snapshot in one format; the same snapshot and options give the same bytes."""

    @property
    def id(self) -> str:
        """Format id (CLI contract, ``--to``)."""
        ...

    @property
    def title(self) -> str:
        """Name for people."""
        ...

    @property
    def ending(self) -> str:
        """Ending of its files, with the dot."""
        ...

    @property
    def views(self) -> tuple[str, ...]:
        """Ids of the views that it can export, the default first; empty where it exports the whole snapshot."""
        ...

    def export(self, snapshot: Snapshot, options: ExportOptions) -> bytes:
        """Return the bytes of the file.

        Raises:
            CommandError: An option that the format has not.
        """
        ...

    def rows(self, snapshot: Snapshot, options: ExportOptions) -> int | None:
        """Return how many rows ``export`` writes; None where the format has no rows."""
        ...
