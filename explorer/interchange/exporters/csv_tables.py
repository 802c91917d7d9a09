"""CSV of the resources, or of the live ranges on the map; safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from explorer.core.kinds import BlockState, ResourceKind
from explorer.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from explorer.interchange.exporters.protocol import ExportOptions
    from explorer.sim.snapshot import Snapshot

Indices = npt.NDArray[np.int64]

RESOURCE_COLUMNS = (
    "name", "kind", "dimension", "format", "place", "segment", "heap", "offset_bytes", "size_bytes", "asked_bytes",
    "width", "height", "depth", "mips", "resident", "priority", "created_frame", "used_frame",
)  # fmt: skip
BLOCK_COLUMNS = (
    "segment", "heap", "offset_bytes", "size_bytes", "asked_bytes", "alignment_bytes", "name", "kind", "resident",
    "aliased", "copy", "created_frame", "used_frame",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_KINDS = tuple(kind.token for kind in ResourceKind)


class CsvExporter:
    """One row for each resource (view ``resources``) or each live range (view ``map``)."""

    id = "csv"
    title = "Table (CSV)"
    ending = ".csv"
    views = ("resources", "map")

    def export(self, snapshot: Snapshot, options: ExportOptions) -> bytes:
        """Return UTF-8 CSV with a header line; unknown values are empty cells.

        Raises:
            CommandError: A view that has no table here.
        """
        chosen = self._chosen(snapshot, options)
        is_map = self._view(options) == "map"
        columns = _block_columns(snapshot, chosen) if is_map else _resource_columns(snapshot, chosen)
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerow(BLOCK_COLUMNS if is_map else RESOURCE_COLUMNS)
        writer.writerows(zip(*columns, strict=True))
        return out.getvalue().encode("utf-8")

    def rows(self, snapshot: Snapshot, options: ExportOptions) -> int | None:
        """Return the rows without the header line."""
        return len(self._chosen(snapshot, options))

    def _view(self, options: ExportOptions) -> str:
        view = options.view or self.views[0]
        if view not in self.views:
            raise CommandError("this view has no table to export", where="view", found=view, accepted=self.views)
        return view

    def _chosen(self, snapshot: Snapshot, options: ExportOptions) -> Indices:
        table = snapshot.blocks if self._view(options) == "map" else snapshot.resources
        return np.arange(len(table), dtype=np.int64) if options.rows is None else options.rows


def safe_cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula: such ones get an apostrophe in front."""
    return "'" + text if text.startswith(_FORMULA) else text


def _resource_columns(snapshot: Snapshot, chosen: Indices) -> list[Iterable[Any]]:
    table, blocks = snapshot.resources, snapshot.blocks
    block = _block_of_each_resource(snapshot)[chosen]
    placed = block >= 0
    segment = np.where(placed, blocks.segment[block], -1) if len(blocks) else np.full(len(chosen), -1)
    heap = np.where(placed, blocks.heap[block], -1) if len(blocks) else np.full(len(chosen), -1)
    offset = np.where(placed, blocks.offset[block], -1) if len(blocks) else np.full(len(chosen), -1)
    numbers = (table.width, table.height, table.depth, table.mips)
    return [
        _words(table.names, chosen),
        _words(_KINDS, table.kind[chosen]),
        _words(table.dimensions, table.dimension[chosen]),
        _words(table.formats, table.format[chosen]),
        _words(table.places, table.place[chosen]),
        _words([s.name for s in snapshot.segments], segment),
        _words(snapshot.heaps.names, heap),
        _known(offset),
        table.size[chosen].tolist(),
        table.asked[chosen].tolist(),
        *(_nonzero(column[chosen]) for column in numbers),
        table.resident[chosen].astype(np.uint8).tolist(),
        table.priority[chosen].tolist(),
        table.created_frame[chosen].tolist(),
        _known(table.used_frame[chosen]),
    ]


def _block_columns(snapshot: Snapshot, chosen: Indices) -> list[Iterable[Any]]:
    blocks = snapshot.blocks
    state = blocks.state[chosen]
    copies = np.select([(state & BlockState.MASTER_COPY) != 0, (state & BlockState.DEVICE_COPY) != 0], [1, 2], 0)
    return [
        _words([s.name for s in snapshot.segments], blocks.segment[chosen]),
        _words(snapshot.heaps.names, blocks.heap[chosen]),
        _known(blocks.offset[chosen]),
        blocks.size[chosen].tolist(),
        blocks.asked[chosen].tolist(),
        blocks.alignment[chosen].tolist(),
        _words(snapshot.resources.names, blocks.resource[chosen]),
        _words(_KINDS, blocks.kind[chosen]),
        ((state & BlockState.RESIDENT) != 0).astype(np.uint8).tolist(),
        ((state & BlockState.ALIASED) != 0).astype(np.uint8).tolist(),
        _words(("", "master", "device"), copies),
        blocks.created_frame[chosen].tolist(),
        _known(blocks.used_frame[chosen]),
    ]


def _block_of_each_resource(snapshot: Snapshot) -> Indices:
    """Return the block of each resource, −1 none; of two copies the device's."""
    blocks = snapshot.blocks
    found = np.full(len(snapshot.resources), -1, np.int64)
    owned = np.flatnonzero(blocks.resource >= 0)
    device = (blocks.state[owned] & BlockState.MASTER_COPY) == 0
    for part in (owned[~device], owned[device]):
        found[blocks.resource[part]] = part
    return found


def _words(words: Sequence[str], numbers: npt.NDArray[Any]) -> list[str]:
    safe = [safe_cell(word) for word in words]
    rows: list[int] = numbers.tolist()
    return [safe[number] if number >= 0 else "" for number in rows]


def _known(numbers: npt.NDArray[Any]) -> list[int | str]:
    return [number if number >= 0 else "" for number in numbers.tolist()]


def _nonzero(numbers: npt.NDArray[Any]) -> list[int | str]:
    return [number or "" for number in numbers.tolist()]
