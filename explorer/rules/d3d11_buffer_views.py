"""Views of buffers: which elements, in which format, raw or structured. Rules ``d3d11.V8.7`` and ``V8.8``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.d3d11_enums import BufferUavFlag, MiscFlag
from explorer.core.d3d11_views import ALL_MIPS
from explorer.core.dxgi import DXGI_FORMAT
from explorer.rules.d3d11_resource import Resource, refusal
from explorer.tables.d3d11_tables import constant, format_classes
from explorer.tables.dxgi_formats import format_info

if TYPE_CHECKING:
    from explorer.core.verdicts import Reason

RAW = 1
"""Bit of both flag sets: the view addresses 4-byte words."""
_RAW_BYTES = 4
_MEMBER = {"BUFFER": "pDesc.Buffer", "BUFFEREX": "pDesc.BufferEx"}


def buffer_reasons(
    kind: str,
    shown: DXGI_FORMAT,
    first: int,
    count: int,
    flags: int,
    dimension: str,
    has_desc: bool,
    resource: Resource,
) -> list[Reason]:
    """Return what stands against a view of a buffer.

    Args:
        kind: ``srv``, ``rtv`` or ``uav``.
        shown: The view's format.
        first: First element.
        count: Elements; ALL_MIPS where none were stated.
        flags: Of the description; 0 where it has none.
        dimension: ``BUFFER`` or ``BUFFEREX``.
        has_desc: Whether there is a description at all.
        resource: The buffer.
    """
    structured = resource.is_structured
    if not has_desc:
        return [] if structured else [refusal("d3d11.V8.7.desc")]
    found = _flag_reasons(kind, shown, flags, resource)
    size = _element_bytes(kind, shown, flags, resource)
    if size is None:
        found.append(refusal("d3d11.V8.3.kind", shown.constant, "", None))
        return found
    most = resource.width // size
    wanted = most - first if count == ALL_MIPS else count
    if not (wanted > 0 and first + wanted <= most) or (not structured and wanted > constant("buffer_elements")):
        member = _MEMBER[dimension]
        detail = f"elements {first} to {first + wanted - 1} of {most}"
        limit = most if structured else min(most, constant("buffer_elements"))
        changes: dict[str, object] = {f"{member}.FirstElement": 0, f"{member}.NumElements": limit}
        rule = "d3d11.V8.7" if wanted <= constant("buffer_elements") else "d3d11.L6.4"
        helps = limit > 0
        found.append(refusal(rule, detail, f"show {limit} elements" if helps else "", changes if helps else None))
    return found


def _flag_reasons(kind: str, shown: DXGI_FORMAT, flags: int, resource: Resource) -> list[Reason]:
    raw_allowed = resource.misc & MiscFlag.BUFFER_ALLOW_RAW_VIEWS
    wrong = bool(flags & RAW and not (raw_allowed and shown is DXGI_FORMAT.R32_TYPELESS))
    if kind == "uav":
        counters = flags & (BufferUavFlag.APPEND | BufferUavFlag.COUNTER)
        both = counters == BufferUavFlag.APPEND | BufferUavFlag.COUNTER
        wrong = wrong or both or bool(counters and not resource.is_structured)
    if not wrong:
        return []
    member = "Buffer" if kind == "uav" else "BufferEx"
    return [refusal("d3d11.V8.8", "", "remove the flags", {f"pDesc.{member}.Flags": []})]


def _element_bytes(kind: str, shown: DXGI_FORMAT, flags: int, resource: Resource) -> int | None:
    """Return the bytes of one element, or None if the format does not serve."""
    if flags & RAW:
        return _RAW_BYTES
    if resource.is_structured and shown is DXGI_FORMAT.UNKNOWN:
        return resource.stride
    info, row = format_info(shown), format_classes().get(shown)
    if row is None or info.is_typeless or info.is_compressed or info.is_depth or resource.is_structured:
        return None
    if kind in ("rtv", "uav") and info.is_srgb and kind == "uav":
        return None
    return info.bytes_per_block if info.bits_per_unit >= 8 else None
