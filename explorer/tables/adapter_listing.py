"""Adapters as the command line's JSON shows them (CLI contract, section 2)."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from explorer.tables.adapter_file import adapter_to_mapping
from explorer.tables.adapter_model import Adapter, AdapterSystem, value_keys

if TYPE_CHECKING:
    from collections.abc import Iterable

_ABOUT_THE_FILE = ("schema", "sources", "confidence")


def adapters_json(adapters: Iterable[Adapter], systems: Iterable[AdapterSystem]) -> dict[str, Any]:
    """Return the object of ``adapters --json`` without ``schema`` and ``version``."""
    return {"adapters": [_entry(a) for a in adapters], "systems": [_system(s) for s in systems]}


def adapter_json(adapter: Adapter) -> dict[str, Any]:
    """Return the object of ``adapters ID --json`` without ``schema`` and ``version``.

    ``adapter`` holds the preset's own keys and what follows from them (``memory_class``, ``is_cache_coherent``,
    ``size_model``); ``sources`` and ``confidence`` have an entry for the key path of every value.
    """
    mapping = adapter_to_mapping(adapter)
    shown = {key: value for key, value in mapping.items() if key not in _ABOUT_THE_FILE}
    # A preset leaves out what is unknown; a script finds null there, never a missing key.
    shown["device_id"] = adapter.device_id
    for name in ("bus", "d3d9", "d3d12", "dxgi", "limits"):
        record = getattr(adapter, name)
        shown[name] = None if record is None else asdict(record)
    shown["segments"] = [asdict(segment) for segment in adapter.segments]
    shown["budgets"] = [asdict(budget) for budget in adapter.budgets]
    shown["memory_class"] = adapter.memory_class
    shown["is_cache_coherent"] = adapter.is_cache_coherent
    shown["size_model"] = adapter.size_model
    origins = {key: adapter.origin(key) for key in value_keys(adapter)}
    return {
        "adapter": shown,
        "sources": {key: origin.source for key, origin in origins.items()},
        "confidence": {key: origin.confidence for key, origin in origins.items()},
    }


def _entry(adapter: Adapter) -> dict[str, Any]:
    return {
        "id": adapter.id,
        "name": adapter.name,
        "year": adapter.year,
        "kind": adapter.kind,
        "apis": list(adapter.apis.names),
        "segments": [
            {"name": s.name, "node": s.node, "group": s.group, "size_bytes": s.size_bytes} for s in adapter.segments
        ],
        "budgets": [{"node": b.node, "group": b.group, "budget_bytes": b.budget_bytes} for b in adapter.budgets],
        "assumed": adapter.assumed,
    }


def _system(system: AdapterSystem) -> dict[str, Any]:
    return {"id": system.id, "name": system.name, "adapters": list(system.adapters)}
