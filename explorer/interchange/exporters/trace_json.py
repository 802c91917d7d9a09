"""Trace-event JSON: one track for each heap, where time is the offset in bytes; opens in Perfetto."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

from explorer.core.kinds import ResourceKind, WasteCause

if TYPE_CHECKING:
    from explorer.interchange.exporters.protocol import ExportOptions
    from explorer.sim.snapshot import Snapshot


class TraceJsonExporter:
    """Trace events: process = segment, thread = heap, timestamp = offset, duration = size (1 µs is 1 byte)."""

    id = "trace-json"
    title = "Trace events (JSON)"
    ending = ".trace.json"
    views = ()

    def export(self, snapshot: Snapshot, options: ExportOptions) -> bytes:
        """Return the trace; ranges whose offset is unknown are left out."""
        del options
        events = [*_tracks(snapshot), *_blocks(snapshot), *_wastes(snapshot)]
        document = {"displayTimeUnit": "ns", "traceEvents": events}
        return msgspec.json.encode(document, order="sorted") + b"\n"

    def rows(self, snapshot: Snapshot, options: ExportOptions) -> int | None:
        """Return the ranges that are written."""
        del options
        return int((snapshot.blocks.offset >= 0).sum() + (snapshot.wastes.offset >= 0).sum())


def _tracks(snapshot: Snapshot) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    for pid, segment in enumerate(snapshot.segments):
        events.append({"ph": "M", "pid": pid, "tid": 0, "name": "process_name", "args": {"name": segment.name}})
        events.append({"ph": "M", "pid": pid, "tid": 0, "name": "thread_name", "args": {"name": "in no heap"}})
    for heap, name in enumerate(snapshot.heaps.names):
        pid = int(snapshot.heaps.segment[heap])
        events.append({"ph": "M", "pid": pid, "tid": heap + 1, "name": "thread_name", "args": {"name": name}})
    return events


def _blocks(snapshot: Snapshot) -> list[dict[str, Any]]:
    blocks, names = snapshot.blocks, snapshot.resources.names
    kinds = [kind.token for kind in ResourceKind]
    columns = (blocks.segment, blocks.heap, blocks.offset, blocks.size, blocks.kind, blocks.resource)
    return [
        _range(segment, heap, offset, size, (names[resource] if resource >= 0 else "") or "(no name)", kinds[kind])
        for segment, heap, offset, size, kind, resource in _rows(columns)
        if offset >= 0
    ]


def _wastes(snapshot: Snapshot) -> list[dict[str, Any]]:
    wastes = snapshot.wastes
    causes = [cause.token for cause in WasteCause]
    columns = (wastes.segment, wastes.heap, wastes.offset, wastes.size, wastes.cause)
    return [
        _range(segment, heap, offset, size, causes[cause], "padding")
        for segment, heap, offset, size, cause in _rows(columns)
        if offset >= 0
    ]


def _rows(columns: tuple[npt.NDArray[Any], ...]) -> list[list[int]]:
    return np.column_stack([column.astype(np.int64) for column in columns]).tolist()


def _range(segment: int, heap: int, offset: int, size: int, name: str, kind: str) -> dict[str, Any]:
    return {
        "ph": "X", "pid": segment, "tid": heap + 1, "ts": offset, "dur": size, "name": name, "cat": kind,
        "args": {"offset_bytes": offset, "size_bytes": size},
    }  # fmt: skip
