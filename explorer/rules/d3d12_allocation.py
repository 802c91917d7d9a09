"""Alignment, size, footprints and tiling of D3D12 resources: the queries that create nothing."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core import d3d12
from explorer.core.d3d12_enums import TextureLayout
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.footprints import CopyableFootprints, copyable_footprints
from explorer.core.tiles import ResourceTiling, buffer_tiling, small_tiles, texture_tiling
from explorer.core.units import align_up
from explorer.rules.d3d12_castable import check_castable
from explorer.rules.d3d12_desc import (
    CROSS_ADAPTER,
    DEFAULT_ALIGNMENT,
    MSAA_ALIGNMENT,
    SMALL_ALIGNMENT,
    SMALL_MSAA_ALIGNMENT,
    TIGHT,
    Desc,
    check_desc,
    is_3d,
    is_buffer,
    is_rt_or_ds,
    shape_of,
)
from explorer.rules.d3d12_findings import Findings
from explorer.rules.d3d12_runtime import DEFAULT, D3d12Runtime
from explorer.rules.size_models import resource_bytes, resource_layout, size_model
from explorer.tables.d3d12_tables import constant, tile_shape
from explorer.tables.dxgi_formats import format_info

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.core.d3d12_structs import ResourceDesc
    from explorer.core.layouts import ResourceLayout
    from explorer.core.verdicts import Verdict

UINT64_MAX = d3d12.UINT64_MAX
_SMALL_TILES = constant("SMALL_RESOURCE_TILES")
_SMALL_MSAA_TILES = constant("SMALL_MSAA_RESOURCE_TILES")
_TIGHT_PLACED = constant("TIGHT_BUFFER_PLACED_ALIGNMENT")
_TIGHT_COMMITTED = constant("TIGHT_ALIGNMENT_MIN_COMMITTED_RESOURCE_ALIGNMENT")


@dataclass(frozen=True, slots=True)
class Allocation:
    """What a description needs.

    Attributes:
        size_bytes: A multiple of ``alignment``; UINT64_MAX for an invalid description.
        alignment: Bytes.
        found: The rules that decided.
    """

    size_bytes: int
    alignment: int
    found: Findings

    @property
    def ok(self) -> bool:
        """Whether the description is valid."""
        return self.found.ok


def _tiles(desc: ResourceDesc, tile_bytes: int) -> int | None:
    """Return the tiles of the most detailed level, or None for a format without tiles."""
    info = format_info(desc.Format)
    shape = tile_shape(desc.Dimension, info, desc.SampleDesc.Count, tile_bytes)
    if shape is None:
        return None
    return small_tiles(desc.Width, desc.Height, desc.DepthOrArraySize if is_3d(desc) else 1, shape)


def is_small(desc: ResourceDesc) -> bool:
    """Return whether a one-sample texture may have 4 KiB alignment.

    Source: d3d12.4.3d.
    """
    tiles = _tiles(desc, SMALL_ALIGNMENT)
    plain = desc.Layout is TextureLayout.UNKNOWN and not is_rt_or_ds(desc) and desc.SampleDesc.Count == 1
    return plain and tiles is not None and tiles <= _SMALL_TILES


def is_small_msaa(desc: ResourceDesc) -> bool:
    """Return whether a multisampled texture may have 64 KiB alignment.

    Source: d3d12.4.4b.
    """
    tiles = _tiles(desc, DEFAULT_ALIGNMENT)
    return tiles is not None and tiles <= _SMALL_MSAA_TILES


def _texture_alignment(desc: ResourceDesc, found: Findings) -> int:
    auto = {"Alignment": 0}
    asked = desc.Alignment
    if desc.SampleDesc.Count > 1:
        if asked not in (0, SMALL_MSAA_ALIGNMENT, MSAA_ALIGNMENT):
            found.refuse("4.1d", "let the runtime choose the alignment", auto, f"{asked} was asked for")
        elif asked == SMALL_MSAA_ALIGNMENT:
            if not is_small_msaa(desc):
                found.refuse("4.4a", "let the runtime choose the alignment", auto, _tile_count(desc, asked))
            else:
                found.permit("4.4b")
        else:
            found.permit("4.1b")
        return asked or MSAA_ALIGNMENT
    if desc.Layout is not TextureLayout.UNKNOWN:
        if asked not in (0, DEFAULT_ALIGNMENT):
            found.refuse("4.1e", "let the runtime choose the alignment", auto, f"{asked} was asked for")
    elif asked not in (0, SMALL_ALIGNMENT, DEFAULT_ALIGNMENT):
        found.refuse("4.1c", "let the runtime choose the alignment", auto, f"{asked} was asked for")
    elif asked == SMALL_ALIGNMENT:
        _small_alignment(desc, found)
        return asked
    if not asked:
        found.permit("4.1a")
    return asked or DEFAULT_ALIGNMENT


def _small_alignment(desc: ResourceDesc, found: Findings) -> None:
    auto = {"Alignment": 0}
    if is_rt_or_ds(desc):
        found.refuse("4.3b", "let the runtime choose the alignment", auto)
    tiles = _tiles(desc, SMALL_ALIGNMENT)
    if tiles is None or tiles > _SMALL_TILES:
        found.refuse("4.3c", "let the runtime choose the alignment", auto, _tile_count(desc, SMALL_ALIGNMENT))
    elif not is_rt_or_ds(desc):
        found.permit("4.3d")


def _tile_count(desc: ResourceDesc, tile_bytes: int) -> str:
    tiles = _tiles(desc, tile_bytes)
    return "the format has no such tiles" if tiles is None else f"this one covers {tiles}"


def is_tight(desc: ResourceDesc) -> bool:
    """Return whether tight alignment is in force; with ALLOW_CROSS_ADAPTER the flag is ignored."""
    return bool(desc.Flags & TIGHT) and not desc.Flags & CROSS_ADAPTER


def _tight_alignment(desc: ResourceDesc, model: str, committed: bool) -> int:
    if is_buffer(desc):
        return _TIGHT_COMMITTED if committed else _TIGHT_PLACED
    if desc.SampleDesc.Count > 1:
        return SMALL_MSAA_ALIGNMENT if is_small_msaa(desc) else MSAA_ALIGNMENT
    # The specification names the small alignment for whatever fits 64 KiB; tiles count only without the flag.
    small = is_small(desc) or resource_bytes(desc, SMALL_ALIGNMENT, model) <= DEFAULT_ALIGNMENT
    return SMALL_ALIGNMENT if small else DEFAULT_ALIGNMENT


def check_allocation(
    desc: ResourceDesc,
    runtime: D3d12Runtime,
    *,
    castable: Sequence[DXGI_FORMAT] = (),
    prefix: str = "",
    castable_path: str = "",
    committed: bool = False,
    reserved: bool = False,
) -> Allocation:
    """Return size and alignment of a description, with the rules that decided.

    Args:
        desc: The description.
        runtime: The device; its size model sizes textures.
        castable: Formats that it may be cast to.
        prefix: Key path of the description in the call's input, with the dot.
        castable_path: Key path of the castable formats.
        committed: The resource gets its own heap, which matters with tight alignment only.
        reserved: It is for a reserved resource, whose address range decides instead of the process's.
    """
    found = Findings(prefix)
    check_desc(Desc(desc, format_info(desc.Format), tuple(castable), runtime, reserved), found)
    check_castable(desc, castable, runtime, found, castable_path)
    if not found.ok and not _may_align(desc):
        found.refuse("4.5")
        return Allocation(UINT64_MAX, DEFAULT_ALIGNMENT, found)
    alignment = desc.Alignment or DEFAULT_ALIGNMENT
    if is_tight(desc):
        if found.ok:
            alignment = _tight_alignment(desc, runtime.size_model, committed)
            found.permit("4.7d" if is_buffer(desc) else "4.7e", f"{alignment} bytes")
    elif not is_buffer(desc):
        alignment = _texture_alignment(desc, found)
    if not found.ok:
        found.refuse("4.5")
        return Allocation(UINT64_MAX, DEFAULT_ALIGNMENT, found)
    if not is_buffer(desc):
        found.permit(size_model(runtime.size_model).rule)
    elif not is_tight(desc):
        found.permit("4.2")
    return Allocation(resource_bytes(desc, alignment, runtime.size_model), alignment, found)


def _may_align(desc: ResourceDesc) -> bool:
    """Return whether the extents are sound enough to count tiles."""
    return is_buffer(desc) or bool(
        desc.Width and desc.Height and desc.DepthOrArraySize and desc.Dimension and desc.SampleDesc.Count
        and desc.Format is not DXGI_FORMAT.UNKNOWN
    )  # fmt: skip


def allocation_layout(
    desc: ResourceDesc,
    runtime: D3d12Runtime = DEFAULT,
    castable: Sequence[DXGI_FORMAT] = (),
    *,
    reserved: bool = False,
) -> ResourceLayout | None:
    """Return where every subresource of a description lies, or None if it is invalid; as for ``check_allocation``."""
    allocation = check_allocation(desc, runtime, castable=castable, reserved=reserved)
    if not allocation.ok:
        return None
    return resource_layout(desc, allocation.alignment, runtime.size_model)


def lay_out_elements(elements: Sequence[tuple[int, int]]) -> tuple[int, int, tuple[int, ...]]:
    """Return total size, alignment and offsets of consecutive (size, alignment) pairs.

    Source: d3d12.4.6a, d3d12.4.6b.
    """
    offset, largest = 0, 1
    offsets: list[int] = []
    for size, alignment in elements:
        offset = align_up(offset, alignment)
        offsets.append(offset)
        offset += size
        largest = max(largest, alignment)
    return align_up(offset, largest), largest, tuple(offsets)


def judge_allocation_info(
    arguments: d3d12.GetResourceAllocationInfo | d3d12.GetResourceAllocationInfo3, runtime: D3d12Runtime = DEFAULT
) -> Verdict:
    """Return SizeInBytes and Alignment of descriptions that share a heap; ``Resources`` lists each one's place."""
    castable: Sequence[Sequence[DXGI_FORMAT]] = ()
    if isinstance(arguments, d3d12.GetResourceAllocationInfo3) and arguments.ppCastableFormats is not None:
        castable = arguments.ppCastableFormats
    found = Findings()
    parts: list[Allocation] = []
    for index, desc in enumerate(arguments.pResourceDescs):
        prefix = f"pResourceDescs[{index}]."
        formats = castable[index] if index < len(castable) else ()
        path = f"ppCastableFormats[{index}]"
        part = check_allocation(desc, runtime, castable=formats, prefix=prefix, castable_path=path)
        parts.append(part)
        found.merge(part.found)
    if not found.ok:
        # The call itself has no HRESULT; the verdict's says whether the answer is of use.
        return found.verdict(refused_values={"SizeInBytes": UINT64_MAX, "Alignment": DEFAULT_ALIGNMENT})
    total, alignment, offsets = lay_out_elements([(part.size_bytes, part.alignment) for part in parts])
    if len(parts) != 1:
        found.permit("4.6a" if parts else "4.6b")
    each = [
        {"Offset": offset, "SizeInBytes": part.size_bytes, "Alignment": part.alignment}
        for offset, part in zip(offsets, parts, strict=True)
    ]
    return found.verdict({"SizeInBytes": total, "Alignment": alignment, "Resources": each})


def _layout_alignment(desc: ResourceDesc, found: Findings) -> None:
    """Note an alignment that no texture has; how many tiles there are does not matter to a copy."""
    multisampled = desc.SampleDesc.Count > 1
    smallest = DEFAULT_ALIGNMENT if multisampled or is_rt_or_ds(desc) else SMALL_ALIGNMENT
    largest = MSAA_ALIGNMENT if multisampled else DEFAULT_ALIGNMENT
    if desc.Alignment not in {0, smallest, DEFAULT_ALIGNMENT, largest}:
        rule = "4.1d" if multisampled else "4.3b" if desc.Alignment == SMALL_ALIGNMENT else "4.1c"
        found.refuse(rule, "let the runtime choose the alignment", {"Alignment": 0}, f"{desc.Alignment} was asked for")


def footprints_of(
    arguments: d3d12.GetCopyableFootprints, runtime: D3d12Runtime = DEFAULT
) -> tuple[CopyableFootprints | None, Findings]:
    """Return the footprints, or None where every output field would be all ones, with the rules that decided."""
    desc, found = arguments.pResourceDesc, Findings("pResourceDesc.")
    check_desc(Desc(desc, format_info(desc.Format), (), runtime, lays_out_only=True), found)
    if not is_buffer(desc):
        _layout_alignment(desc, found)
    if not found.ok:
        found.refuse("5.5b")
        return None, found
    shape = shape_of(desc)
    result = copyable_footprints(
        shape, arguments.FirstSubresource, arguments.NumSubresources, arguments.BaseOffset
    )  # fmt: skip
    if result is None:
        found.prefix = ""
        changes = {"FirstSubresource": 0, "NumSubresources": shape.subresources}
        found.refuse("5.5a", "ask for existing ones", changes, f"there are {shape.subresources}")
        return None, found
    found.permitting.clear()
    found.permit("5.2p" if shape.info.is_planar else "5.2")
    found.permit("5.3")
    if shape.info.has_stencil:
        found.permit("5.4")
    return result, found


def judge_footprints(arguments: d3d12.GetCopyableFootprints, runtime: D3d12Runtime = DEFAULT) -> Verdict:
    """Return ``pLayouts`` (with NumRows and RowSizeInBytes) and ``pTotalBytes``."""
    result, found = footprints_of(arguments, runtime)
    if result is None:
        return found.verdict(refused_values={"pLayouts": None, "pTotalBytes": UINT64_MAX})
    layouts = [
        {
            "Offset": part.offset, "Format": part.format.constant, "Width": part.width, "Height": part.height,
            "Depth": part.depth, "RowPitch": part.row_pitch, "NumRows": part.rows, "RowSizeInBytes": part.row_bytes,
        }
        for part in result.layouts
    ]  # fmt: skip
    return found.verdict({"pLayouts": layouts, "pTotalBytes": result.total_bytes})


@functools.lru_cache(maxsize=4096)
def tiling_of(desc: ResourceDesc) -> ResourceTiling | None:
    """Return how a reserved resource divides into 64 KiB tiles, or None for a format without tiles."""
    shape = shape_of(desc)
    tile = tile_shape(desc.Dimension, shape.info, desc.SampleDesc.Count)
    if tile is None:
        return None
    return buffer_tiling(desc.Width, tile) if is_buffer(desc) else texture_tiling(shape, tile, desc.SampleDesc.Count)


def judge_tiling(arguments: d3d12.GetResourceTiling, desc: ResourceDesc) -> Verdict:
    """Return the tiling of a live reserved resource with the given description."""
    found = Findings()
    tiling = tiling_of(desc)
    if tiling is None:
        found.refuse("3.15i")
        return found.verdict()
    found.permit("6.3")
    found.permit("6.2")
    first, count = arguments.FirstSubresourceTilingToGet, arguments.pNumSubresourceTilings
    parts = tiling.subresources(first, count)
    if len(parts) < count:
        found.permit("6.7")
    return found.verdict(
        {
            "pNumTilesForEntireResource": tiling.total_tiles,
            "pPackedMipDesc": {
                "NumStandardMips": tiling.standard_mips,
                "NumPackedMips": tiling.packed_mips,
                "NumTilesForPackedMips": tiling.packed_tiles,
                "StartTileIndexInOverallResource": tiling.packed_start,
            },
            "pStandardTileShapeForNonPackedMips": list(tiling.shape),
            "pNumSubresourceTilings": len(parts),
            "pSubresourceTilingsForNonPackedMips": [
                {
                    "WidthInTiles": part.WidthInTiles,
                    "HeightInTiles": part.HeightInTiles,
                    "DepthInTiles": part.DepthInTiles,
                    "StartTileIndexInOverallResource": part.StartTileIndexInOverallResource,
                }
                for part in parts
            ],
        }
    )
