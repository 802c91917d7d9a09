"""Which names are constants of the APIs, and which stand for a number."""

from __future__ import annotations

import enum
import functools
from typing import TYPE_CHECKING, cast

from explorer.core import d3d9_enums, d3d10_views, d3d11_enums, d3d12_enums, d3d12_view_enums, dxgi
from explorer.core.schema import ApiEnum, ApiFlags, constants_of
from explorer.tables.d3d12_tables import constant

if TYPE_CHECKING:
    from types import ModuleType


@functools.cache
def _constants() -> frozenset[str]:
    modules: tuple[ModuleType, ...] = (d3d9_enums, d3d10_views, d3d11_enums, d3d12_enums, d3d12_view_enums, dxgi)
    found: set[str] = set()
    for module in modules:
        for thing in list(vars(module).values()):
            if isinstance(thing, type) and issubclass(thing, enum.Enum) and thing not in (ApiEnum, ApiFlags):
                found.update(constants_of(cast("type[enum.IntEnum]", thing)))
    return frozenset(found)


@functools.cache
def prefixes() -> tuple[str, ...]:
    """Return what constants begin with."""
    return tuple(sorted({name[: name.rindex("_") + 1] for name in _constants() if "_" in name}))


def is_constant(name: str) -> bool:
    """Return whether a name is, or looks like, a constant of an API."""
    return name in _constants() or (name.startswith(("D3D", "DXGI_", "XG_")) and name.startswith(prefixes()))


def named_number(name: str) -> int | None:
    """Return the value of a ``D3D12_`` limit or alignment, or None."""
    if not name.startswith("D3D12_"):
        return None
    try:
        return constant(name.removeprefix("D3D12_"))
    except KeyError:
        return None
