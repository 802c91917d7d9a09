"""Facts for comparing answers: HRESULT values, and which keys of a record a machine can check."""

from __future__ import annotations

import functools
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Codes(msgspec.Struct):
    rows: list[tuple[str, str]]


class _Keys(msgspec.Struct):
    d3d9: dict[str, tuple[list[str], list[str]]]
    d3d11: dict[str, tuple[list[str], list[str]]]
    d3d12: dict[str, tuple[list[str], list[str]]]


def _bytes(name: str) -> bytes:
    return resources.files("explorer.tables").joinpath(name).read_bytes()


@functools.cache
def hresults() -> Mapping[str, int]:
    """Return HRESULT name → unsigned 32-bit value, for the three generations."""
    return {name: int(value, 16) for name, value in msgspec.json.decode(_bytes("hresults.json"), type=_Codes).rows}


def table_of(api: str) -> str:
    """Return which table an API belongs to: ``d3d9``, ``d3d11`` or ``d3d12``."""
    if api.startswith("d3d9"):
        return "d3d9"
    return "d3d12" if api == "d3d12" else "d3d11"


@functools.cache
def _keys() -> _Keys:
    return msgspec.json.decode(_bytes("check_keys.json"), type=_Keys)


@functools.cache
def machine_keys(api: str, kind: str | None) -> frozenset[str]:
    """Return the keys that a machine compares in records of a kind; without a kind those of all kinds of the API."""
    kinds: Mapping[str, tuple[list[str], list[str]]] = getattr(_keys(), table_of(api))
    if kind is None:
        return frozenset(key for keys, _ in kinds.values() for key in keys)
    found = kinds.get(kind)
    if found is None:
        stem = [name for name in kinds if name.endswith("*") and kind.startswith(name[:-1])]
        found = kinds[stem[0]] if stem else None
    return frozenset(found[0]) if found else frozenset()


@functools.cache
def known_kind(api: str, kind: str | None) -> bool:
    """Return whether the table has a row for a kind of the API."""
    kinds: Mapping[str, tuple[list[str], list[str]]] = getattr(_keys(), table_of(api))
    return kind is not None and any(
        name == kind or (name.endswith("*") and kind.startswith(name[:-1])) for name in kinds
    )


@functools.cache
def word_keys(api: str, kind: str | None) -> frozenset[str]:
    """Return the keys of a kind that are answered in words, by the id of a rule."""
    kinds: Mapping[str, tuple[list[str], list[str]]] = getattr(_keys(), table_of(api))
    return frozenset(kinds[kind][1]) if kind is not None and kind in kinds else frozenset()
