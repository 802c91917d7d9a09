"""The adapters and systems that can be chosen: shipped presets and the user's own."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from explorer.errors import CommandError, Complaint, InputError, PresetError
from explorer.tables.adapter_file import (
    ADAPTER_SCHEMA,
    BUS_TYPES,
    adapter_from_mapping,
    adapter_to_mapping,
    adapter_to_toml,
    left_out,
    load_adapter,
    load_system,
)
from explorer.tables.adapter_model import (
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
    MemoryClass,
    Placement,
    SizeModel,
    ValueOrigin,
    Windows,
    value_keys,
)
from explorer.tables.adapter_rules import ADAPTER_RULES, RULES_BY_ID, AdapterRule, DescriptorSizes
from explorer.tables.locations import presets_folder, user_presets_folder

__all__ = [
    "ADAPTER_RULES", "ADAPTER_SCHEMA", "BUS_TYPES", "RULES_BY_ID",
    "Adapter", "AdapterRule", "AdapterSegment", "AdapterSystem", "Apis", "Bus", "Confidence", "CpuCaching",
    "D3d9Caps", "D3d12Options", "DescriptorSizes", "Dxgi", "Group", "GroupBudget", "Kind", "Limits", "MemoryClass",
    "Placement", "SizeModel", "ValueOrigin", "Windows",
    "adapter", "adapter_from_mapping", "adapter_ids", "adapter_to_mapping", "adapter_to_toml", "adapters", "duplicate",
    "load_adapter", "load_system", "save_adapter", "shipped_adapter_with", "system", "system_ids", "systems",
    "user_preset_complaints", "value_keys",
]  # fmt: skip


def adapter_ids() -> tuple[str, ...]:
    """Return the ids of all adapters, sorted; reads no file."""
    return tuple(sorted(_files("adapters")))


def adapter(adapter_id: str) -> Adapter:
    """Return one adapter.

    Raises:
        CommandError: No such id; lists the accepted ones.
        PresetError: Its file is invalid.
    """
    files = _files("adapters")
    if adapter_id not in files:
        raise CommandError("no such adapter", where="adapter", found=adapter_id, accepted=tuple(sorted(files)))
    return _read_adapter(files[adapter_id])


def adapters() -> tuple[Adapter, ...]:
    """Return all adapters, by year and then id.

    A preset of the user that is broken is left out; ``user_preset_complaints`` says why.

    Raises:
        PresetError: A shipped preset is invalid.
    """
    own = user_presets_folder() / "adapters"
    found: list[Adapter] = []
    for path in _files("adapters").values():
        try:
            found.append(_read_adapter(path))
        except PresetError:
            if path.parent != own:
                raise
    return tuple(sorted(found, key=lambda a: (a.year, a.id)))


def shipped_adapter_with(vendor_id: int, device_id: int) -> Adapter | None:
    """Return the shipped adapter of this PCI id with the smallest number of nodes, or None."""
    folder = presets_folder() / "adapters"
    same = [a for a in map(_read_adapter, _toml_files(folder)) if (a.vendor_id, a.device_id) == (vendor_id, device_id)]
    return min(same, key=lambda a: (a.node_count, a.id), default=None)


def user_preset_complaints() -> tuple[Complaint, ...]:
    """Return what is wrong with the user's own adapter presets, one complaint for each broken file."""
    shipped = {path.stem for path in _toml_files(presets_folder() / "adapters")}
    complaints: list[Complaint] = []
    for path in _toml_files(user_presets_folder() / "adapters"):
        try:
            _read_adapter(path)
            if path.stem in shipped:
                raise PresetError("a shipped preset has this id, and it is used", file=str(path), where="id",
                                  found=path.stem, accepted=("an id of its own",))  # fmt: skip
        except PresetError as error:
            complaints.append(error.complaint)
    return tuple(complaints)


def system_ids() -> tuple[str, ...]:
    """Return the ids of the multi-adapter systems, sorted."""
    return tuple(sorted(_files("systems")))


def system(system_id: str) -> AdapterSystem:
    """Return one multi-adapter system.

    Raises:
        CommandError: No such id; lists the accepted ones.
        PresetError: Its file is invalid.
    """
    files = _files("systems")
    if system_id not in files:
        raise CommandError("no such system", where="system", found=system_id, accepted=tuple(sorted(files)))
    return _read_system(files[system_id])


def systems() -> tuple[AdapterSystem, ...]:
    """Return the multi-adapter systems, by id.

    Raises:
        PresetError: A file is invalid or names an adapter that does not exist.
    """
    return tuple(_read_system(path) for _, path in sorted(_files("systems").items()))


def save_adapter(adapter: Adapter, path: Path) -> None:
    """Write a preset file; on failure an older file stays as it was.

    Raises:
        PresetError: The adapter is not valid, so it would not load again.
        InputError: The file cannot be written.
    """
    text = adapter_to_toml(adapter)
    # What was edited in memory is held to the rules of a file before anything is replaced.
    adapter_from_mapping(adapter_to_mapping(adapter), file=str(path))
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise InputError(f"cannot write the file: {error.strerror or error}", file=str(path)) from error


def duplicate(original: Adapter, new_id: str, **changes: object) -> Adapter:
    """Return a copy under another id with some fields changed; changed values become ``assumed`` by the user.

    Args:
        original: The adapter to copy.
        new_id: Id of the copy.
        **changes: Fields of ``Adapter`` and their new values.

    Raises:
        CommandError: A field that does not exist.
        PresetError: The result is not a valid adapter.
    """
    fixed = ("id", "sources", "confidence", "assumed_rules", "unknown")
    allowed = tuple(name for name in Adapter.__dataclass_fields__ if name not in fixed)
    for name in changes:
        if name not in allowed:
            raise CommandError("no such field", where=name, found=name, accepted=allowed)
    copy = replace(original, id=new_id, **changes)  # pyright: ignore[reportArgumentType] - checked by the reader below
    return adapter_from_mapping(adapter_to_mapping(_with_provenance(original, copy)))


def _with_provenance(original: Adapter, copy: Adapter) -> Adapter:
    old = {key: _at(original, key) for key in value_keys(original)}
    new = {key: _at(copy, key) for key in value_keys(copy)}
    edited = {key: "user" for key, value in new.items() if key not in old or old[key] != value}
    # A prefix that covers nothing any more would be refused by the reader.
    prefixes = {key[:i] for key in new for i in range(len(key) + 1) if i == len(key) or key[i] == "."}
    unknown = {key: original.unknown.get(key, "left out by the user") for key in left_out(copy)}
    rules = {key: rule for key, rule in original.assumed_rules.items() if key in prefixes and key not in edited}
    return replace(
        copy,
        sources={key: value for key, value in original.sources.items() if key in prefixes},
        confidence={key: value for key, value in original.confidence.items() if key in prefixes and key not in edited},
        assumed_rules={**rules, **edited},
        unknown=unknown,
    )


def _at(adapter: Adapter, key: str) -> object:
    value: Any = adapter
    for part in key.split("."):
        value = cast("tuple[Any, ...]", value)[int(part)] if isinstance(value, tuple) else getattr(value, part)
    return value


def _files(kind: str) -> dict[str, Path]:
    own = {path.stem: path for path in _toml_files(user_presets_folder() / kind)}
    return own | {path.stem: path for path in _toml_files(presets_folder() / kind)}


def _toml_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.toml")) if folder.is_dir() else []


def _read_adapter(path: Path) -> Adapter:
    return _adapter_at(path, *_stamp(path))


def _read_system(path: Path) -> AdapterSystem:
    found = load_system(path)
    known = _files("adapters")
    for i, name in enumerate(found.adapters):
        if name not in known:
            raise PresetError("no such adapter", file=str(path), where=f"adapters[{i}]", found=name,
                              accepted=tuple(sorted(known)))  # fmt: skip
    return found


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise PresetError(f"cannot read the file: {error.strerror or error}", file=str(path)) from error
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=512)
def _adapter_at(path: Path, _modified_ns: int, _size: int) -> Adapter:
    found = load_adapter(path)
    if found.id != path.stem:
        raise PresetError("the id must be the name of the file", file=str(path), where="id", found=found.id,
                          accepted=(path.stem,))  # fmt: skip
    return found
