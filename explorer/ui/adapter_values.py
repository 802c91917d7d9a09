"""The values of an adapter preset as texts that can be edited; no widgets."""

from __future__ import annotations

import re
from dataclasses import dataclass, is_dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from explorer.core.units import format_bytes, parse_size, without_commas
from explorer.errors import InputError, PresetError
from explorer.tables.adapters import adapter_ids, duplicate, save_adapter, value_keys
from explorer.tables.locations import presets_folder, user_presets_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from explorer.tables.adapters import Adapter

USER_RULE = "user"
_ID = re.compile(r"[^a-z0-9._-]+")
_BYTES = ("_bytes", "DedicatedVideoMemory", "DedicatedSystemMemory", "SharedSystemMemory")
_HEXADECIMAL = ("vendor_id", "device_id")
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


@dataclass(frozen=True, slots=True)
class PresetValue:
    """A value of a preset.

    Attributes:
        key: Key path, ``segments.0.size_bytes``.
        text: The value as it is edited; empty where it is unknown.
        meaning: The value in larger units, or empty.
        source: Citation; for an assumed value what its rule rests on; for an unknown one why.
        confidence: ``measured``, ``published``, ``typical``, ``assumed`` or ``unknown``.
        rule: Rule id of an assumed value, or empty.
    """

    key: str
    text: str
    meaning: str
    source: str
    confidence: str
    rule: str = ""


def preset_values(adapter: Adapter) -> tuple[PresetValue, ...]:
    """Return every value of an adapter with where it came from, then what is unknown."""
    rows: list[PresetValue] = []
    for key in value_keys(adapter):
        value, origin = value_at(adapter, key), adapter.origin(key)
        rows.append(
            PresetValue(
                key, value_text(key, value), _meaning(key, value), origin.source, origin.confidence, origin.rule or ""
            )
        )
    rows += [PresetValue(key, "", "", why, "unknown") for key, why in sorted(adapter.unknown.items())]
    return tuple(rows)


def value_at(adapter: Adapter, key: str) -> object:
    """Return the value of a key path."""
    value: Any = adapter
    for part in key.split("."):
        value = value[int(part)] if isinstance(value, tuple) else getattr(value, part)
    return value


def value_text(key: str, value: object) -> str:
    """Return a value as it is edited."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"0x{value:04X}" if key in _HEXADECIMAL else str(value)
    return str(value)


def edited(original: Adapter, new_id: str, edits: Mapping[str, str]) -> Adapter:
    """Return a copy under another id with values replaced by what was typed; those become the user's own.

    Args:
        original: The preset.
        new_id: Id of the copy.
        edits: Key path → text. A size takes units.

    Raises:
        PresetError: A text is no value of its key, or the result is no valid adapter; ``where`` is the key path.
    """
    changed: Any = original
    for key, text in edits.items():
        changed = _replaced(changed, key.split("."), _read(key, text, value_at(original, key)))
    roots = {key.split(".")[0] for key in edits}
    try:
        return duplicate(original, new_id, **{name: getattr(changed, name) for name in sorted(roots)})
    except PresetError as error:
        c = error.complaint
        raise PresetError(c.message, where=key_path(c.where or ""), found=c.found, accepted=c.accepted) from error


def key_path(where: str) -> str:
    """Return the key path that a complaint's place means: ``segments[0].name`` is ``segments.0.name``."""
    return where.replace("[", ".").replace("]", "")


def free_id(wanted: str) -> str:
    """Return an id that no preset has, like the wanted one."""
    base = _ID.sub("-", wanted.lower()).strip("-._")[:56] or "adapter"
    taken = set(adapter_ids())
    number = 1
    while (name := base if number == 1 else f"{base}-{number}") in taken:
        number += 1
    return name


def is_own(adapter_id: str) -> bool:
    """Return whether the id is that of a preset of the user."""
    return own_path(adapter_id).is_file() and not (presets_folder() / "adapters" / f"{adapter_id}.toml").is_file()


def own_path(adapter_id: str) -> Path:
    """Return where the user's preset of an id lies."""
    return user_presets_folder() / "adapters" / f"{adapter_id}.toml"


def save_own(adapter: Adapter, *, replaces: str = "") -> Path:
    """Write an adapter as a preset of the user and return its file.

    Args:
        adapter: The adapter; its id names the file.
        replaces: Id of the user's preset that it may overwrite.

    Raises:
        PresetError: Another preset has the id, or the adapter is not valid.
        InputError: The file cannot be written.
    """
    if adapter.id in adapter_ids() and not (adapter.id == replaces and is_own(adapter.id)):
        kind = "a preset of yours" if is_own(adapter.id) else "a shipped preset"
        raise PresetError(f"{kind} has this id already", where="id", found=adapter.id,
                          accepted=(f"another one, for example {free_id(adapter.id)}",))  # fmt: skip
    path = own_path(adapter.id)
    save_adapter(adapter, path)
    return path


def _read(key: str, text: str, old: object) -> object:
    typed = text.strip()
    if isinstance(old, bool):
        word = typed.lower()
        if word not in _TRUE + _FALSE:
            raise PresetError("not true or false", where=key, found=text, accepted=("true", "false"))
        return word in _TRUE
    if not isinstance(old, int):
        if not typed:
            raise PresetError("must not be empty", where=key, found=text, accepted=("a text",))
        return typed
    if key.endswith(_BYTES):
        try:
            return parse_size(typed)
        except InputError as error:
            c = error.complaint
            raise PresetError(c.message, where=key, found=text, accepted=c.accepted) from error
    try:
        return int(without_commas(typed), 0)
    except (ValueError, InputError) as error:
        raise PresetError("not a whole number", where=key, found=text, accepted=("25", "0x10DE")) from error


def _replaced(value: Any, path: list[str], new: object) -> Any:
    if not path:
        return new
    head, rest = path[0], path[1:]
    if isinstance(value, tuple):
        items = list(cast("tuple[Any, ...]", value))
        items[int(head)] = _replaced(items[int(head)], rest, new)
        return tuple(items)
    assert is_dataclass(value)
    assert not isinstance(value, type)
    return replace(value, **{head: _replaced(getattr(value, head), rest, new)})


def _meaning(key: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        return ""
    if key.endswith("_bytes_per_s"):
        return f"{value / 1e9:,.2f} GB/s"
    return format_bytes(value, 2) if key.endswith(_BYTES) and value >= 1024 else ""
