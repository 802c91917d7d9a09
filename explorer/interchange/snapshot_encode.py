"""A snapshot as canonical JSON (``memory-layout-snapshot/1``): the same state gives the same bytes everywhere.

UTF-8, keys sorted, no blanks, whole numbers only (those of 2^53 and more as decimal strings), tables as columns.
It holds state and provenance: history and generation are not part of it.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING, Any, cast

import msgspec
import numpy as np

from explorer.core.calls import encode_record
from explorer.core.descriptor_uses import (
    AllocatorColumns,
    CaptureColumns,
    CopyColumns,
    GivenOutColumns,
    HazardColumns,
    RangeColumns,
)
from explorer.errors import LayoutError
from explorer.tables.adapters import adapter_to_mapping

if TYPE_CHECKING:
    import numpy.typing as npt

    from explorer.core.calls import CallRecord
    from explorer.core.descriptor_uses import DescriptorUses
    from explorer.sim.snapshot import Snapshot

SNAPSHOT_SCHEMA = "memory-layout-snapshot/1"
LARGE = 1 << 53
"""From here on a JSON reader with doubles would lose digits."""
FLOAT_KEY = "float"
"""A fraction inside a call's input is ``{"float": "0.5"}``: the file holds whole numbers only."""


def snapshot_bytes(snapshot: Snapshot) -> bytes:
    """Return the canonical bytes of a snapshot.

    Raises:
        LayoutError: The snapshot holds something that has no form in the file.
    """
    return msgspec.json.encode(snapshot_mapping(snapshot), order="sorted")


def snapshot_sha256(snapshot: Snapshot) -> str:
    """Return the SHA-256 of the canonical bytes, in hexadecimal."""
    return hashlib.sha256(snapshot_bytes(snapshot)).hexdigest()


def snapshot_mapping(snapshot: Snapshot) -> dict[str, Any]:
    """Return a snapshot as plain data, large numbers already as strings."""
    provenance = dataclasses.asdict(snapshot.provenance)
    provenance["file"] = PureWindowsPath(snapshot.provenance.file).name
    resources = _table(snapshot.resources)
    resources |= {name: list(getattr(snapshot.resources, name)) for name in ("dimensions", "formats", "places")}
    resources["records"] = _records(snapshot.resources.records)
    plain = {
        "schema": SNAPSHOT_SCHEMA,
        "origin": snapshot.origin,
        "api": snapshot.api,
        "adapter": None if snapshot.adapter is None else adapter_to_mapping(snapshot.adapter),
        "adapter_name": snapshot.adapter_name,
        "provenance": provenance,
        "time_ns": snapshot.time_ns,
        "segments": [_fields(segment) for segment in snapshot.segments],
        "groups": [_fields(group) for group in snapshot.groups],
        "heaps": _table(snapshot.heaps),
        "blocks": _table(snapshot.blocks),
        "wastes": _table(snapshot.wastes),
        "resources": resources,
        "descriptor_heaps": [_fields(heap) for heap in snapshot.descriptor_heaps],
        "descriptor_uses": _descriptor_uses(snapshot.descriptor_uses),
        "totals": _fields(snapshot.totals),
        "events": [_fields(event) for event in snapshot.events],
        "event_counts": dict(snapshot.event_counts),
        "moved_bytes": _fields(snapshot.moved),
        "times": _fields(snapshot.times),
        "not_simulated": dict(snapshot.not_simulated),
        "notes": [_fields(note) for note in snapshot.notes],
        "tiles": _table(snapshot.tiles),
    }
    return {key: value if key in _TABLES else exact(value) for key, value in plain.items()}


DESCRIPTOR_TABLES: Mapping[str, type[Any]] = {
    "ranges": RangeColumns,
    "hazards": HazardColumns,
    "copies": CopyColumns,
    "captures": CaptureColumns,
    "allocators": AllocatorColumns,
    "given_out": GivenOutColumns,
}
"""The tables of ``DescriptorUses``, by their key in the file."""

_TABLES = ("heaps", "blocks", "wastes", "resources", "tiles", "descriptor_uses")


def exact(value: object) -> Any:
    """Return plain data with large whole numbers and fractions in their exact textual forms."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value) if -LARGE < value < LARGE else str(int(value))
    if isinstance(value, float):
        return {FLOAT_KEY: repr(value)}
    if isinstance(value, np.ndarray):
        return column_list(cast("npt.NDArray[Any]", value))
    if isinstance(value, Mapping):
        members = cast("Mapping[object, object]", value)
        return {str(key): exact(inner) for key, inner in members.items()}
    if isinstance(value, Sequence):
        return [exact(inner) for inner in cast("Sequence[object]", value)]
    raise LayoutError("a snapshot holds a value that cannot be written", found=value)


def column_list(column: npt.NDArray[Any]) -> list[int | str]:
    """Return a column as whole numbers (0 and 1 for bools); those of 2^53 and more as strings."""
    values: list[int | str] = (column.astype(np.uint8) if column.dtype == np.bool_ else column).tolist()
    if column.dtype.itemsize == 8 and len(column) and (column.max() >= LARGE or column.min() <= -LARGE):
        return [exact(value) for value in values]
    return values


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _table(table: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {name: column_list(array) for name, array in table.arrays().items()}
    if hasattr(table, "names"):
        columns["names"] = list(table.names)
    return columns


def _descriptor_uses(uses: DescriptorUses) -> dict[str, Any]:
    plain: dict[str, Any] = {name: list(getattr(uses, name)) for name in ("lists", "rules")}
    for name in DESCRIPTOR_TABLES:
        plain[name] = _table(getattr(uses, name))
    plain["root_signatures"] = [
        {"name": one.name, "dwords": one.dwords, "in_force": one.in_force, "record": exact(encode_record(one.record))}
        for one in uses.root_signatures
    ]
    return plain


def _records(records: tuple[CallRecord | None, ...]) -> dict[str, Any]:
    """Return the calls that made the resources: each distinct call once, and which one made which resource."""
    calls: dict[str, int] = {}
    bodies: list[Any] = []
    which: list[int] = []
    outs: list[str | None] = []
    for record in records:
        if record is None:
            which.append(-1)
            outs.append(None)
            continue
        body = encode_record(record)
        body.pop("out", None)
        body = exact(body)
        key = msgspec.json.encode(body, order="sorted").decode()
        if key not in calls:
            calls[key] = len(bodies)
            bodies.append(body)
        which.append(calls[key])
        outs.append(record.out)
    return {"calls": bodies, "call": which, "out": outs if any(out is not None for out in outs) else []}
