"""Adapters as mappings and TOML: strict reading, and writing that reads back equal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast, get_args, get_type_hints

from explorer.core.units import MAX_BYTES
from explorer.errors import ExplorerError
from explorer.tables.adapter_model import (
    UNSOURCED_KEYS,
    Adapter,
    AdapterSegment,
    AdapterSystem,
    Apis,
    Bus,
    Confidence,
    CpuCaching,
    D3d9Caps,
    D3d12Options,
    Dxgi,
    Group,
    GroupBudget,
    Kind,
    Limits,
    Placement,
    Windows,
    value_keys,
)
from explorer.tables.adapter_rules import RULES_BY_ID
from explorer.tables.toml_reader import TableReader, read_toml

if TYPE_CHECKING:
    from pathlib import Path

ADAPTER_SCHEMA = "memory-explorer/adapter-preset/1"
SYSTEM_SCHEMA = "memory-explorer/system-preset/1"
ID_PATTERN = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
BUS_TYPES = ("AGP 1x", "AGP 2x", "AGP 4x", "AGP 8x", "PCIe", "chipset", "on-die", "none")

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|unknown")
_MAX_SEGMENTS = 64
_CHOICES: dict[str, tuple[str, ...]] = {
    "AdapterSegment.group": get_args(Group),
    "AdapterSegment.cpu_caching": get_args(CpuCaching),
    "AdapterSegment.placement": get_args(Placement),
    "GroupBudget.group": ("LOCAL", "NON_LOCAL"),
    "Bus.type": BUS_TYPES,
    "Adapter.kind": get_args(Kind),
    "Adapter.windows": get_args(Windows),
}
_RANGES: dict[str, tuple[int, int]] = {
    "Adapter.vendor_id": (0, 0xFFFF_FFFF),
    "Adapter.device_id": (0, 0xFFFF_FFFF),
    "Adapter.year": (1995, 2100),
    "Bus.pcie_gen": (1, 9),
    "Bus.lanes": (1, 64),
    "Bus.to_gpu_bytes_per_s": (1, 1 << 50),
    "Bus.from_gpu_bytes_per_s": (1, 1 << 50),
    "AdapterSegment.node": (0, 63),
    "AdapterSegment.gpu_bandwidth_bytes_per_s": (1, 1 << 50),
    "GroupBudget.node": (0, 63),
    "D3d12Options.NodeCount": (1, 64),
    "D3d12Options.ResourceHeapTier": (1, 2),
    "D3d12Options.ResourceBindingTier": (1, 3),
    "D3d12Options.TiledResourcesTier": (0, 4),
    "D3d12Options.MaxGPUVirtualAddressBitsPerResource": (1, 64),
    "D3d12Options.MaxGPUVirtualAddressBitsPerProcess": (1, 64),
    "D3d12Options.TightAlignmentSupportTier": (0, 1),
    "D3d12Options.CrossNodeSharingTier": (0, 4),
    "D3d12Options.MaxViewDescriptorHeapSize": (1, 1 << 32),
    "D3d12Options.MaxSamplerDescriptorHeapSize": (1, 1 << 32),
    "DescriptorSizes.CBV_SRV_UAV": (1, 1 << 16),
    "DescriptorSizes.SAMPLER": (1, 1 << 16),
    "DescriptorSizes.RTV": (1, 1 << 16),
    "DescriptorSizes.DSV": (1, 1 << 16),
    "D3d9Caps.MaxTextureWidth": (1, 1 << 20),
    "D3d9Caps.MaxTextureHeight": (1, 1 << 20),
    "D3d9Caps.MaxVolumeExtent": (0, 1 << 20),
    "D3d9Caps.NumSimultaneousRTs": (1, 8),
    "Limits.MaxTexture2D": (1, 1 << 20),
    "Limits.MaxTexture3D": (1, 1 << 20),
    "Limits.MaxTextureCube": (1, 1 << 20),
}


def load_adapter(path: Path) -> Adapter:
    """Return the adapter of a preset file.

    Raises:
        PresetError: Unreadable or invalid; names file, key, what was found and what is accepted.
    """
    return adapter_from_mapping(read_toml(path), file=str(path))


def adapter_from_mapping(mapping: Mapping[str, object], file: str | None = None) -> Adapter:
    """Return the adapter that a preset's mapping says.

    Args:
        mapping: Keys as in a preset file.
        file: File for complaints.

    Raises:
        PresetError: An unknown, missing or wrong key; a value without a source; segments that contradict each other.
    """
    reader = TableReader(mapping, "", file)
    reader.text("schema", (ADAPTER_SCHEMA,))
    unknown = reader.text_map("unknown")
    used: set[str] = set()
    values: dict[str, Any] = {
        "id": reader.text("id", pattern=ID_PATTERN),
        "checked": reader.text("checked", pattern=_DATE),
        "quirks": reader.texts("quirks"),
        "sources": reader.text_map("sources"),
        "confidence": reader.text_map("confidence", ("measured", "published", "typical")),
        "assumed_rules": reader.text_map("assumed", tuple(RULES_BY_ID)),
        "unknown": unknown,
    }
    for name in ("name", "vendor_id", "device_id", "year", "architecture", "kind", "windows", "system_memory_bytes"):
        values[name] = _value(reader, Adapter, name, unknown, used)
    values["apis"] = _record(reader.table("apis"), Apis, "apis", unknown, used)
    values["bus"] = _record(reader.table("bus"), Bus, "bus", unknown, used)
    for name, cls in (("segments", AdapterSegment), ("budgets", GroupBudget)):
        rows = reader.tables(name)
        if len(rows) > _MAX_SEGMENTS:
            raise reader.fail("too many entries", name, len(rows), (f"at most {_MAX_SEGMENTS}",))
        values[name] = tuple(_record(row, cls, f"{name}.{i}", unknown, used) for i, row in enumerate(rows))
    for name, cls in (("d3d9", D3d9Caps), ("d3d12", D3d12Options), ("dxgi", Dxgi), ("limits", Limits)):
        needed = bool(getattr(values["apis"], name, False))
        values[name] = _optional_table(reader, name, cls, needed, unknown, used)
    reader.finish()
    adapter = Adapter(**values)
    _check_provenance(adapter, reader, used)
    _check_segments(adapter, reader)
    return adapter


def adapter_to_mapping(adapter: Adapter) -> dict[str, object]:
    """Return the mapping that ``adapter_from_mapping`` reads back to an equal adapter."""
    plain = cast("dict[str, object]", _plain(adapter))
    plain["assumed"] = plain.pop("assumed_rules")
    order = [f.name for f in fields(Adapter) if f.name not in UNSOURCED_KEYS and f.name != "assumed_rules"]
    scalars = [name for name in order if not isinstance(plain.get(name), dict | list)]
    tables = [name for name in order if name not in scalars]
    head = ["id", *scalars, "checked", "quirks", *tables, "sources", "confidence", "assumed", "unknown"]
    return {"schema": ADAPTER_SCHEMA, **{name: plain[name] for name in head if name in plain}}


def adapter_to_toml(adapter: Adapter) -> str:
    """Return the preset file of an adapter."""
    import tomlkit
    from tomlkit.items import Integer as TomlInteger
    from tomlkit.items import Trivia

    document = tomlkit.document()
    for key, value in adapter_to_mapping(adapter).items():
        if key in ("vendor_id", "device_id"):
            number = cast("int", value)
            document.add(key, TomlInteger(number, Trivia(), f"0x{number:04X}"))
        elif key == "quirks":
            lines = tomlkit.array()
            for quirk in adapter.quirks:
                lines.append(quirk)  # pyright: ignore[reportUnknownMemberType] - tomlkit's Array is an untyped list
            document.add(key, lines.multiline(True))
        else:
            document.add(key, tomlkit.item(value))
    return tomlkit.dumps(document)


def left_out(adapter: Adapter) -> list[str]:
    """Return the key paths that a preset of this adapter must name in ``[unknown]``."""
    paths = [name for name in ("device_id", "dxgi", "limits") if getattr(adapter, name) is None]
    records = [("d3d9", adapter.d3d9), ("limits", adapter.limits)]
    for at, record in [*records, *((f"budgets.{i}", b) for i, b in enumerate(adapter.budgets))]:
        if record is not None:
            names = (name for name, (_, optional) in _hints(type(record)).items() if optional)
            paths += [f"{at}.{name}" for name in names if getattr(record, name) is None]
    return paths


def value_range(record: str, name: str) -> tuple[int, int]:
    """Return the least and the greatest integer that a preset takes.

    Args:
        record: Class of the record, for example ``D3d12Options``.
        name: Its field.
    """
    return _RANGES.get(f"{record}.{name}", (0, MAX_BYTES))


def load_system(path: Path) -> AdapterSystem:
    """Return the multi-adapter system of a preset file.

    Raises:
        PresetError: Unreadable or invalid.
    """
    reader = TableReader(read_toml(path), "", str(path))
    reader.text("schema", (SYSTEM_SCHEMA,))
    system = AdapterSystem(
        id=reader.text("id", pattern=ID_PATTERN),
        name=reader.text("name"),
        adapters=reader.texts("adapters"),
        system_memory_bytes=reader.integer("system_memory_bytes", 1),
        windows=reader.text("windows") if reader.has("windows") else None,
        notes=reader.text("notes") if reader.has("notes") else "",
        source=reader.text("source"),
        confidence=cast("Confidence", reader.text("confidence", get_args(Confidence))),
        checked=reader.text("checked", pattern=_DATE),
    )
    reader.finish()
    if not system.adapters:
        raise reader.fail("a system needs an adapter", "adapters", [], ("adapter ids",))
    return system


@cache
def _hints(cls: type) -> dict[str, tuple[type, bool]]:
    """Return field → (plain type, may be left out)."""
    hints: dict[str, tuple[type, bool]] = {}
    for name, hint in get_type_hints(cls).items():
        arguments = get_args(hint)
        optional = type(None) in arguments
        plain = next((a for a in arguments if a is not type(None)), hint) if optional else hint
        hints[name] = (plain if isinstance(plain, type) else str, optional)
    return hints


def _value(reader: TableReader, cls: type, name: str, unknown: Mapping[str, str], used: set[str], at: str = "") -> Any:
    plain, optional = _hints(cls)[name]
    path = f"{at}.{name}" if at else name
    if optional and not reader.has(name):
        if name in ("physical_bytes", "carve_out_bytes", "pcie_gen", "lanes"):
            return None
        if path in unknown:
            used.add(path)
            return None
        raise reader.fail("the key is missing", name, None, ("the value", f'an entry "{path}" in [unknown] saying why'))
    rule = f"{cls.__name__}.{name}"
    if plain is bool:
        return reader.boolean(name)
    if plain is int:
        return reader.integer(name, *value_range(cls.__name__, name))
    if is_dataclass(plain):
        return _record(reader.table(name), cast("type", plain), path, unknown, used)
    return reader.text(name, _CHOICES.get(rule, ()))


def _record(reader: TableReader, cls: type, at: str, unknown: Mapping[str, str], used: set[str]) -> Any:
    record = cls(**{name: _value(reader, cls, name, unknown, used, at) for name in _hints(cls)})
    reader.finish()
    return record


def _optional_table(
    reader: TableReader, name: str, cls: type, needed: bool, unknown: Mapping[str, str], used: set[str]
) -> Any:
    served = name in ("d3d9", "d3d12")
    if reader.has(name):
        if served and not needed:
            raise reader.fail(f"the adapter does not serve {name}", name, "a table", (f"apis.{name} = true",))
        return _record(reader.table(name), cls, name, unknown, used)
    if needed:
        raise reader.fail("the table is missing", name, None, ("a table",))
    if not served:
        if name not in unknown:
            raise reader.fail("the table is missing", name, None, ("a table", f'an entry "{name}" in [unknown]'))
        used.add(name)
    return None


def _check_provenance(adapter: Adapter, reader: TableReader, used: set[str]) -> None:
    keys = value_keys(adapter)
    for key in keys:
        try:
            adapter.origin(key)
        except ExplorerError as error:
            raise reader.fail("the value has no source or no confidence", key, None,
                              ("an entry in [sources] and [confidence], or in [assumed]",)) from error  # fmt: skip
    prefixes = {key[:i] for key in keys for i in range(len(key) + 1) if i == len(key) or key[i] == "."}
    for table in ("sources", "confidence", "assumed_rules"):
        for key in getattr(adapter, table):
            if key not in prefixes:
                raise reader.fail("names no value of this preset", f'{table.removesuffix("_rules")}."{key}"', key,
                                  ("a key path such as segments.0.size_bytes",))  # fmt: skip
    for key in adapter.unknown:
        if key not in used:
            raise reader.fail("is marked unknown but has a value, or cannot be left out", f'unknown."{key}"', key,
                              ("a key path of a value that is left out",))  # fmt: skip


def _check_segments(adapter: Adapter, reader: TableReader) -> None:
    names: set[str] = set()
    for i, s in enumerate(adapter.segments):
        at = f"segments[{i}]"
        if s.name in names:
            raise reader.fail("two segments of the same name", f"{at}.name", s.name, ("a unique name",))
        names.add(s.name)
        if s.node >= adapter.node_count:
            raise reader.fail("no such node", f"{at}.node", s.node, (f"0 to {adapter.node_count - 1}",))
        if s.size_bytes == 0 and s.group not in ("SYSTEM", "PAGE_FILE"):
            raise reader.fail("must not be empty", f"{at}.size_bytes", 0, ("a size above 0",))
        if s.cpu_visible_bytes > s.size_bytes:
            raise reader.fail("more than the segment", f"{at}.cpu_visible_bytes", s.cpu_visible_bytes,
                              (f"at most {s.size_bytes}",))  # fmt: skip
    for group in ("SYSTEM", "PAGE_FILE"):
        count = sum(s.group == group for s in adapter.segments)
        if count != 1:
            raise reader.fail(f"an adapter has one {group} segment", "segments", count, ("1",))
    for node in range(adapter.node_count):
        if not adapter.segments_of(node, "LOCAL"):
            raise reader.fail(f"node {node} has no LOCAL segment", "segments", 0, ("1 or more",))
    seen: set[tuple[int, str]] = set()
    for i, b in enumerate(adapter.budgets):
        if (b.node, b.group) in seen or b.node >= adapter.node_count:
            raise reader.fail("no such node, or a second budget of the group", f"budgets[{i}]", f"{b.node} {b.group}",
                              ("one budget for each group of a node",))  # fmt: skip
        seen.add((b.node, b.group))
        if b.budget_bytes is not None and b.budget_bytes > adapter.group_bytes(b.node, b.group):
            raise reader.fail("more than the segments of the group", f"budgets[{i}].budget_bytes", b.budget_bytes,
                              (f"at most {adapter.group_bytes(b.node, b.group)}",))  # fmt: skip
    for s in adapter.segments:
        if s.group in ("LOCAL", "NON_LOCAL") and adapter.budget_of(s.node, s.group) is None:
            raise reader.fail("a segment group has no budget entry", "budgets", None, (f"node {s.node} {s.group}",))


def _plain(value: object) -> object:
    if is_dataclass(value):
        pairs = ((f.name, getattr(value, f.name)) for f in fields(value))
        return {name: _plain(item) for name, item in pairs if item is not None}
    if isinstance(value, tuple):
        return [_plain(item) for item in cast("tuple[object, ...]", value)]
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, object]", value))
    return value
