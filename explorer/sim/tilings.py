"""How a resource of a snapshot divides into tiles, or why it does not and what it would give.

The figures are those of GetResourceTiling; ``rules`` has them, this module finds the right question for the call that
created the resource.

Source: d3d12.6.2, d3d12.6.3, d3d12.3.15a … d3d12.3.15l, d3d11.C2.21.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from explorer.core.calls import decode_input
from explorer.core.tiles import ResourceTiling
from explorer.core.units import format_bytes
from explorer.core.verdicts import Reason
from explorer.errors import ExplorerError
from explorer.rules.d3d12_tiled_tiers import TierLimit

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.core.d3d12_structs import ResourceDesc
    from explorer.sim.snapshot import Snapshot

_APIS = ("d3d12", "d3d11")
_NEEDED = {"d3d12": "CreateReservedResource", "d3d11": "D3D11_RESOURCE_MISC_TILED"}
_NOUNS = {"d3d12": "reserved", "d3d11": "tiled"}


@dataclass(frozen=True, slots=True)
class Tiled:
    """The tiles of a resource.

    Attributes:
        resource: Index of the resource.
        is_reserved: Whether it is a reserved resource with mappings; else the tiling is what it would have.
        tiling: How it divides; None where it cannot.
        extent: Texels of level 0 in each axis; bytes, 1 and 1 for a buffer.
        is_buffer: Whether it is a buffer.
        format: Format of its texels, empty for a buffer.
        headline: What it is not, in one line; empty for a reserved resource.
        why: Why, and what it would give.
        reasons: The rules that decided.
        tier: TiledResourcesTier of the device; −1 where the API has another scale.
        limits: What that tier allows.
    """

    resource: int
    is_reserved: bool
    tiling: ResourceTiling | None
    extent: tuple[int, int, int]
    is_buffer: bool
    format: str
    headline: str = ""
    why: str = ""
    reasons: tuple[Reason, ...] = ()
    tier: int = -1
    limits: tuple[TierLimit, ...] = ()


def tiled_of(snapshot: Snapshot, resource: int) -> Tiled | None:
    """Return the tiles of a resource, or None where the API has none or the call is not known.

    Args:
        snapshot: Simulated or opened.
        resource: Index into ``snapshot.resources``.
    """
    record = snapshot.resources.records[resource]
    if record is None or record.api not in _APIS:
        return None
    try:
        arguments = decode_input(record)
    except ExplorerError:
        return None
    if record.api == "d3d12":
        return _d3d12(snapshot, resource, record, arguments)
    return _d3d11(resource, arguments)


def shape_text(tiled: Tiled) -> str:
    """Return the shape of a tile in words: ``256 × 256 texels of BC7_UNORM``."""
    if tiled.tiling is None:
        return ""
    shape = tiled.tiling.shape
    if tiled.is_buffer:
        return f"{shape.width:,} B"
    axes = (shape.width, shape.height, shape.depth) if shape.depth > 1 else (shape.width, shape.height)
    return f"{' × '.join(f'{axis:,}' for axis in axes)} texels of {tiled.format}"


def tiling_text(tiled: Tiled) -> str:
    """Return how the levels divide: ``5 standard mips, 8 packed into 1 tile``."""
    tiling = tiled.tiling
    if tiling is None:
        return ""
    if tiled.is_buffer:
        return f"{tiling.total_tiles:,} tiles in a row"
    words: list[str] = []
    if tiling.standard_mips:
        words.append(f"{tiling.standard_mips} standard mip" + "s" * (tiling.standard_mips != 1))
    if tiling.packed_mips:
        tail = f"{tiling.packed_tiles:,} tile" + "s" * (tiling.packed_tiles != 1)
        each = " of each slice" if tiling.slices > 1 else ""
        words.append(f"{tiling.packed_mips} packed into {tail}{each}")
    return ", ".join(words)


def _d3d12(snapshot: Snapshot, resource: int, record: CallRecord, arguments: Any) -> Tiled | None:
    from explorer.core import d3d12
    from explorer.core.d3d12_structs import ResourceDesc
    from explorer.rules.d3d12_allocation import tiling_of
    from explorer.rules.d3d12_create import judge_reserved
    from explorer.rules.d3d12_desc import UNDEFINED_SWIZZLE, is_buffer
    from explorer.rules.d3d12_runtime import runtime_of
    from explorer.rules.d3d12_tiled_tiers import tier_limits

    desc: ResourceDesc | None = getattr(arguments, "pDesc", None)
    if not isinstance(desc, ResourceDesc):
        return None
    runtime = runtime_of(snapshot.adapter, dict(snapshot.provenance.options))
    is_reserved = record.call.startswith("CreateReservedResource")
    asked = desc if is_reserved or is_buffer(desc) else dataclasses.replace(desc, Layout=UNDEFINED_SWIZZLE)
    asked = asked if is_reserved else dataclasses.replace(asked, Alignment=0)
    verdict = judge_reserved(d3d12.CreateReservedResource(asked), runtime)
    tiling = tiling_of(asked) if verdict.succeeded else None
    made = Tiled(
        resource, is_reserved, tiling, _extent(desc), is_buffer(desc),
        "" if is_buffer(desc) else desc.Format.name.lstrip("_"), reasons=verdict.reasons, tier=runtime.tiled_tier,
        limits=tier_limits(runtime.tiled_tier),
    )  # fmt: skip
    if is_reserved:
        return made
    place = "placed in a heap" if record.call.startswith("CreatePlaced") else "committed, with a heap of its own"
    return _told(made, f"It is {place}: its bytes lie in one piece.", "d3d12")


def _extent(desc: ResourceDesc) -> tuple[int, int, int]:
    from explorer.rules.d3d12_desc import is_3d

    return desc.Width, desc.Height, desc.DepthOrArraySize if is_3d(desc) else 1


def _told(tiled: Tiled, what_it_is: str, api: str) -> Tiled:
    needed, noun = _NEEDED[api], _NOUNS[api]
    if tiled.tiling is None:
        why = f"{what_it_is} Its format has no tiles."
        if tiled.reasons:
            first = tiled.reasons[0]
            why = f"{what_it_is} With {needed} it would be refused: {first.text.rstrip('.')} (rule {first.rule})."
        return dataclasses.replace(tiled, headline=f"Not a {noun} resource, and it could not be one", why=why)
    total = tiled.tiling.total_tiles
    size = format_bytes(total << 16, 2)
    why = (
        f"{what_it_is} With {needed}, GetResourceTiling would give {total:,} tile{'s' * (total != 1)} ({size}) of "
        f"{shape_text(tiled)}: {tiling_text(tiled)}."
    )
    return dataclasses.replace(tiled, headline=f"Not a {noun} resource: it has no tile mappings", why=why)


def _d3d11(resource: int, arguments: Any) -> Tiled | None:
    from explorer.core.d3d11_enums import MiscFlag
    from explorer.core.d3d12_enums import ResourceDimension
    from explorer.core.d3d12_structs import ResourceDesc, SampleDesc
    from explorer.rules import d3d11
    from explorer.rules.d3d11_misc import tiled_refusal
    from explorer.rules.d3d12_allocation import tiling_of

    if not isinstance(arguments, d3d11.CreateCall):
        return None
    found = d3d11.resource_of(arguments.pDesc)
    # The shapes and the counting are those of Direct3D 12: both follow the same tables.
    deep = found.depth if found.dimension == "texture3d" else found.slices
    desc = ResourceDesc(
        ResourceDimension[found.dimension.upper()], 0, found.width, found.height, deep, found.mips, found.format,
        SampleDesc(found.samples, 0),
    )  # fmt: skip
    refused = tiled_refusal(found)
    made = Tiled(
        resource, False, tiling_of(desc) if refused is None else None, _extent(desc), found.is_buffer,
        "" if found.is_buffer else found.format.name.lstrip("_"), reasons=() if refused is None else (refused,),
    )  # fmt: skip
    if found.misc & MiscFlag.TILED:
        told = _told(made, "UpdateTileMappings of Direct3D 11.2 is not simulated.", "d3d11")
        return dataclasses.replace(told, headline="Tile mappings of Direct3D 11.2 are not simulated")
    return _told(made, "The runtime gives it memory in one piece.", "d3d11")
