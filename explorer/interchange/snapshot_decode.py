"""Reading ``memory-layout-snapshot/1``: strictly, so that a damaged file is refused and never half believed."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec
import numpy as np

from explorer.core.calls import CallRecord
from explorer.core.columns import (
    NO_TILES,
    BlockColumns,
    DescriptorHeapPicture,
    HeapColumns,
    ResourceColumns,
    TileColumns,
    WasteColumns,
    column_dtypes,
)
from explorer.core.descriptor_uses import NO_USES, DescriptorUses, RootSignaturePicture
from explorer.core.events import Event, EventKind
from explorer.errors import ExplorerError, InputError
from explorer.interchange.snapshot_checks import check_links, check_uses
from explorer.interchange.snapshot_encode import DESCRIPTOR_TABLES, FLOAT_KEY, LARGE, SNAPSHOT_SCHEMA
from explorer.interchange.snapshot_tiles import check_tiles
from explorer.sim.snapshot import (
    FrameTimes,
    GroupPicture,
    MovedBytes,
    Note,
    Provenance,
    SegmentPicture,
    Snapshot,
    Totals,
)
from explorer.tables.adapters import Adapter, adapter_from_mapping

if TYPE_CHECKING:
    import numpy.typing as npt

T = TypeVar("T")

_EVENT_KINDS = frozenset(str(kind) for kind in EventKind)
_DESCRIPTOR_DTYPES = {"kind": np.uint8, "view": np.uint8, "stale": np.bool_, "resource": np.int32}


def read_snapshot(text: bytes, file: str) -> Snapshot:
    """Return the snapshot in a file's text.

    Args:
        text: UTF-8 JSON.
        file: How complaints name the file.

    Raises:
        InputError: Not a snapshot of this schema, or damaged; names the key and what is accepted.
    """
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}", file=file) from None
    if not isinstance(data, dict):
        raise InputError("not a snapshot", file=file, accepted=("an object",))
    try:
        return _snapshot(cast("dict[str, Any]", data))
    except ExplorerError as error:
        c = error.complaint
        raise InputError(c.message, file=file, where=c.where, found=c.found, accepted=c.accepted) from error


def _snapshot(data: dict[str, Any]) -> Snapshot:
    if data.get("schema") != SNAPSHOT_SCHEMA:
        raise InputError("unknown schema", where="schema", found=data.get("schema"), accepted=(SNAPSHOT_SCHEMA,))
    known = {field.name for field in dataclasses.fields(Snapshot)} - {"history", "generation", "moved"}
    for key in data:
        if key not in known | {"schema", "moved_bytes"}:
            raise InputError("unknown key", where=key, accepted=tuple(sorted(known)))
    resources = _object(data, "resources")
    count = len(_list(resources, "kind", "resources"))
    snapshot = Snapshot(
        origin=_word(data, "origin", ("simulated", "imported")),
        api=_part(data, "api", str),
        adapter=_adapter(data),
        adapter_name=_part(data, "adapter_name", str),
        provenance=_record(data, "provenance", Provenance),
        time_ns=_number(data.get("time_ns"), "time_ns"),
        segments=_records(data, "segments", SegmentPicture),
        groups=_records(data, "groups", GroupPicture),
        heaps=HeapColumns(**_columns(data, "heaps", HeapColumns)),
        blocks=BlockColumns(**_columns(data, "blocks", BlockColumns)),
        wastes=WasteColumns(**_columns(data, "wastes", WasteColumns)),
        resources=ResourceColumns(
            **_columns(data, "resources", ResourceColumns),
            records=_calls(_object(resources, "records", "resources"), count),
            dimensions=_texts(resources, "dimensions", "resources"),
            formats=_texts(resources, "formats", "resources"),
            places=_texts(resources, "places", "resources"),
        ),
        descriptor_heaps=_descriptor_heaps(data),
        totals=_record(data, "totals", Totals),
        events=_events(data),
        event_counts=_counts(data, "event_counts"),
        moved=_record(data, "moved_bytes", MovedBytes),
        times=_record(data, "times", FrameTimes),
        not_simulated=_counts(data, "not_simulated"),
        notes=_records(data, "notes", Note),
        # Files of earlier versions have no mappings and tell nothing of slots.
        tiles=TileColumns(**_columns(data, "tiles", TileColumns)) if "tiles" in data else NO_TILES,
        descriptor_uses=_descriptor_uses(_object(data, "descriptor_uses")) if "descriptor_uses" in data else NO_USES,
    )
    check_links(snapshot)
    check_uses(snapshot)
    check_tiles(snapshot)
    return snapshot


def _part(data: dict[str, Any], key: str, kind: type[T], where: str = "") -> T:
    path = f"{where}.{key}" if where else key
    if key not in data:
        raise InputError("missing key", where=path, accepted=(_WORDS[kind],))
    value = data[key]
    if not isinstance(value, kind):
        raise InputError("wrong type", where=path, found=value, accepted=(_WORDS[kind],))
    return value


def _list(data: dict[str, Any], key: str, where: str = "") -> list[Any]:
    return cast("list[Any]", _part(data, key, list, where))


def _object(data: dict[str, Any], key: str, where: str = "") -> dict[str, Any]:
    return cast("dict[str, Any]", _part(data, key, dict, where))


_WORDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "a whole number",
    bool: "true or false",
}


def _word(data: dict[str, Any], key: str, words: tuple[str, ...]) -> str:
    value = _part(data, key, str)
    if value not in words:
        raise InputError("unknown value", where=key, found=value, accepted=words)
    return value


def _number(value: object, where: str) -> int:
    if isinstance(value, str) and value.lstrip("-").isdecimal() and abs(int(value[:25])) >= LARGE:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError("wrong type", where=where, found=value, accepted=("a whole number",))
    if not -(2**63) <= value < 2**63:
        raise InputError("out of range", where=where, found=value, accepted=("below 2^63",))
    return value


def _adapter(data: dict[str, Any]) -> Adapter | None:
    if "adapter" in data and data["adapter"] is None:
        return None
    try:
        return adapter_from_mapping(inexact(_object(data, "adapter")))
    except ExplorerError as error:
        c = error.complaint
        where = f"adapter.{c.where}" if c.where and c.where != "adapter" else "adapter"
        raise InputError(c.message, where=where, found=c.found, accepted=c.accepted) from error


def _record(data: dict[str, Any], key: str, kind: type[T]) -> T:
    return _fill(_object(data, key), kind, key)


def _records(data: dict[str, Any], key: str, kind: type[T]) -> tuple[T, ...]:
    return tuple(_fill(row, kind, f"{key}[{index}]") for index, row in enumerate(_list(data, key)))


def _row(row: object, where: str) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise InputError("wrong type", where=where, found=row, accepted=("an object",))
    return cast("dict[str, Any]", row)


def _fill(row: object, kind: type[T], where: str) -> T:
    values = _row(row, where)
    fields = dataclasses.fields(cast("Any", kind))
    names = tuple(field.name for field in fields)
    for name in values:
        if name not in names:
            raise InputError("unknown key", where=f"{where}.{name}", accepted=names)
    made: dict[str, Any] = {}
    for field in fields:
        path = f"{where}.{field.name}"
        if field.name not in values:
            raise InputError("missing key", where=path)
        made[field.name] = _value(values[field.name], str(field.type), path)
    return kind(**made)


def _value(value: Any, type_name: str, where: str) -> Any:
    if type_name.startswith("int"):
        if value is None and "None" in type_name:
            return None
        return _number(value, where)
    if type_name.startswith("Mapping"):
        members = _object({"": value}, "")
        texts = "str]" in type_name
        return {k: (_text(v, where) if texts else _number(v, f"{where}.{k}")) for k, v in members.items()}
    return _text(value, where)


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise InputError("wrong type", where=where, found=value, accepted=("a text",))
    return value


def _texts(data: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    values = _list(data, key, where)
    for index, value in enumerate(values):
        if not isinstance(value, str):
            _text(value, f"{where}.{key}[{index}]")
    return tuple(values)


def _columns(data: dict[str, Any], key: str, table: type[Any], where: str = "") -> dict[str, Any]:
    body = _object(data, key, where)
    key = f"{where}.{key}" if where else key
    dtypes = column_dtypes(table)
    others = {"names"} if "names" in table.__dataclass_fields__ else set[str]()
    extra = {"records", "dimensions", "formats", "places"} if table is ResourceColumns else set[str]()
    for name in body:
        if name not in dtypes and name not in others | extra:
            raise InputError("unknown key", where=f"{key}.{name}", accepted=tuple(dtypes))
    made: dict[str, Any] = {name: _column(body, name, dtype, key) for name, dtype in dtypes.items()}
    if others:
        made["names"] = _texts(body, "names", key)
    lengths = {name: len(column) for name, column in made.items()}
    if len(set(lengths.values())) > 1:
        raise InputError("columns of unequal length", where=key, found=lengths)
    return made


def _column(body: dict[str, Any], name: str, dtype: type[np.generic], where: str) -> npt.NDArray[Any]:
    path = f"{where}.{name}"
    values = _list(body, name, where)
    try:
        wide = np.array(values, np.int64) if all(type(v) is int for v in values) else None
    except OverflowError:
        wide = None
    if wide is None:
        wide = np.array([_number(value, f"{path}[{index}]") for index, value in enumerate(values)], np.int64)
    array = wide.astype(dtype)
    low = 0 if dtype in (np.bool_, np.uint8) else None
    bad = np.flatnonzero((array.astype(np.int64) != wide) | ((wide < low) if low is not None else False))
    if len(bad):
        raise InputError("out of range", where=f"{path}[{int(bad[0])}]", found=int(wide[bad[0]]))
    if name in ("size", "asked", "alignment") and len(wide) and int(wide.min()) < 0:
        index = int(np.argmin(wide))
        raise InputError("negative", where=f"{path}[{index}]", found=int(wide[index]), accepted=("0 or more",))
    array.flags.writeable = False
    return array


def _calls(data: dict[str, Any], count: int) -> tuple[CallRecord | None, ...]:
    where = "resources.records"
    bodies = _list(data, "calls", where)
    which = _list(data, "call", where)
    outs = _list(data, "out", where) or [None] * len(which)
    if len(which) != count or len(outs) != count:
        raise InputError("columns of unequal length", where=where, found=len(which), accepted=(str(count),))
    calls = [_call(body, f"{where}.calls[{index}]") for index, body in enumerate(bodies)]
    records: list[CallRecord | None] = []
    for index, (number, out) in enumerate(zip(which, outs, strict=True)):
        at = _number(number, f"{where}.call[{index}]")
        if not -1 <= at < len(calls):
            raise InputError("no such call", where=f"{where}.call[{index}]", found=at)
        name = None if out is None else _text(out, f"{where}.out[{index}]")
        records.append(None if at < 0 else CallRecord(*calls[at], name))
    return tuple(records)


def _call(body: object, where: str) -> tuple[str, str, Any]:
    one = _row(body, where)
    return _part(one, "api", str, where), _part(one, "call", str, where), inexact(_object(one, "input", where))


def inexact(value: Any) -> Any:
    """Return plain data with the textual forms of ``snapshot_encode.exact`` undone."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        if len(members) == 1 and isinstance(text := members.get(FLOAT_KEY), str):
            return float(text)
        return {key: inexact(inner) for key, inner in members.items()}
    if isinstance(value, list):
        return [inexact(inner) for inner in cast("list[Any]", value)]
    if isinstance(value, str) and 16 <= len(value) <= 21 and value.lstrip("-").isdecimal() and abs(int(value)) >= LARGE:
        return int(value)
    return value


def _descriptor_heaps(data: dict[str, Any]) -> tuple[DescriptorHeapPicture, ...]:
    heaps: list[DescriptorHeapPicture] = []
    for index, row in enumerate(_list(data, "descriptor_heaps")):
        where = f"descriptor_heaps[{index}]"
        body = _row(row, where)
        columns = {name: _column(body, name, dtype, where) for name, dtype in _DESCRIPTOR_DTYPES.items()}
        heaps.append(
            DescriptorHeapPicture(
                name=_part(body, "name", str, where),
                heap_type=_part(body, "heap_type", str, where),
                shader_visible=_part(body, "shader_visible", bool, where),
                increment=_number(body.get("increment"), f"{where}.increment"),
                cpu_start=_number(body.get("cpu_start"), f"{where}.cpu_start"),
                gpu_start=_number(body.get("gpu_start"), f"{where}.gpu_start"),
                **columns,
            )
        )
    return tuple(heaps)


def _descriptor_uses(data: dict[str, Any]) -> DescriptorUses:
    key = "descriptor_uses"
    known = ("lists", "root_signatures", "rules", *DESCRIPTOR_TABLES)
    for name in data:
        if name not in known:
            raise InputError("unknown key", where=f"{key}.{name}", accepted=known)
    signatures: list[RootSignaturePicture] = []
    for index, row in enumerate(_list(data, "root_signatures", key)):
        where = f"{key}.root_signatures[{index}]"
        one = _row(row, where)
        record = _object(one, "record", where)
        out = _part(record, "out", str, f"{where}.record")
        call = CallRecord(*_call(record, f"{where}.record"), out)
        dwords = _number(one.get("dwords"), f"{where}.dwords")
        in_force = _part(one, "in_force", bool, where)
        signatures.append(RootSignaturePicture(_part(one, "name", str, where), call, dwords, in_force))
    tables = {name: table(**_columns(data, name, table, key)) for name, table in DESCRIPTOR_TABLES.items()}
    return DescriptorUses(
        lists=_texts(data, "lists", key), rules=_texts(data, "rules", key), root_signatures=tuple(signatures), **tables
    )


def _events(data: dict[str, Any]) -> tuple[Event, ...]:
    events: list[Event] = []
    for index, row in enumerate(_list(data, "events")):
        event = _fill(row, Event, f"events[{index}]")
        if event.kind not in _EVENT_KINDS:
            raise InputError("unknown value", where=f"events[{index}].kind", found=str(event.kind),
                             accepted=tuple(sorted(_EVENT_KINDS)))  # fmt: skip
        events.append(dataclasses.replace(event, kind=EventKind(event.kind)))
    return tuple(events)


def _counts(data: dict[str, Any], key: str) -> dict[str, int]:
    return {name: _number(value, f"{key}.{name}") for name, value in _object(data, key).items()}
