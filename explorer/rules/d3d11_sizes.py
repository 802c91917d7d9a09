"""How big a Direct3D 10 or 11 resource is, how it lies when mapped, and which memory the simulator picks.

Sizes of textures that are not mapped are the driver's own; the models ``linear`` (rows one after the other) and
``tiled`` (64 KiB standard tiles, small levels packed into a tail) are named in the answer, and so are measured models.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from explorer.core.d3d11_enums import LEVEL_10_0, BindFlag, CpuAccessFlag, Usage
from explorer.core.dxgi import mip_extent, texel_bytes
from explorer.core.footprints import ResourceShape
from explorer.core.layouts import ResourceLayout, SubresourceLayout
from explorer.core.tiles import TILE_BYTES, TileShape, texture_tiling
from explorer.core.units import KIB, MIB, align_up, ceil_div, is_power_of_two
from explorer.tables.d3d11_tables import PlacementRow, constant, placements

if TYPE_CHECKING:
    from explorer.core.dxgi import DxgiFormatInfo
    from explorer.rules.d3d11_resource import Resource
    from explorer.rules.d3d11_runtime import Runtime11

_BUFFER_ALIGNMENT = 256
"""Bytes; what drivers place buffers on (assumed: no document says it for D3D11)."""
_PAGE = 4 * KIB
_LARGEST_TEXEL = 16
"""Bytes."""


def resource_limit_mb(dedicated_mb: int) -> int:
    """Return the size in MB up to which a resource can be had.

    Source: d3d11.L6.2.
    """
    share = dedicated_mb // constant("resource_mb_divisor")
    return min(max(constant("resource_mb_floor"), share), constant("resource_mb_ceiling"))


@functools.lru_cache(maxsize=1 << 12)
def content_bytes(resource: Resource) -> int:
    """Return the bytes of all texels (all levels, slices and samples), or of a buffer."""
    if resource.is_buffer:
        return resource.width
    info = resource.info
    one = sum(
        texel_bytes(info, mip_extent(resource.width, mip), mip_extent(resource.height, mip),
                    mip_extent(resource.depth, mip))
        for mip in range(resource.levels)
    )  # fmt: skip
    return one * resource.slices * resource.samples


def above_guarantee(resource: Resource, runtime: Runtime11) -> str:
    """Return in words by how much a legal resource is larger than what every driver must make, or an empty text.

    Such a resource is no illegal description: whether it can be had is for the memory to say.
    """
    limit = resource_limit_mb(runtime.dedicated_bytes // MIB)
    # The chain adds at most the top level's size again, so most resources need no exact sum.
    rough = 2 * resource.width * resource.height * resource.depth * resource.slices * resource.samples
    if rough * _LARGEST_TEXEL <= limit * MIB:
        return ""
    size = content_bytes(resource)
    return f"{ceil_div(size, MIB)} MB, {limit} MB are sure on this adapter" if size > limit * MIB else ""


@functools.lru_cache(maxsize=1 << 12)
def mapped_subresource(resource: Resource, subresource: int) -> tuple[int, int]:
    """Return (row pitch, depth pitch) in bytes of a mapped subresource: the whole buffer, or packed rows.

    Source: d3d11.M4.6.
    """
    if resource.is_buffer:
        return resource.width, resource.width
    _, pitch, rows = _rows(resource, subresource % resource.levels)
    return pitch, pitch * rows


def _rows(resource: Resource, mip: int) -> tuple[int, int, int]:
    """Return (depth slices, bytes in a row of blocks, rows of blocks) of a level, all planes below one another."""
    info = resource.info
    width, height = mip_extent(resource.width, mip), mip_extent(resource.height, mip)
    depth = mip_extent(resource.depth, mip)
    if info.planes and info.is_yuv:
        luma = ceil_div(width, info.planes[0].subsample_x) * info.planes[0].bytes_per_element
        rows = sum(ceil_div(height, plane.subsample_y) for plane in info.planes)
        return depth, align_up(luma, info.planes[-1].bytes_per_element), rows
    pitch = ceil_div(width, info.block_width) * info.bytes_per_block
    if info.bits_per_unit < 8:
        pitch = ceil_div(width * info.bits_per_unit, 8)
    return depth, pitch, ceil_div(height, info.block_height)


def layout_of(resource: Resource, runtime: Runtime11) -> ResourceLayout:
    """Return the size of a resource and where its subresources lie.

    Resources that the CPU maps are linear whatever the adapter's model is, because Map shows rows.
    """
    if resource.is_buffer:
        return _buffer(resource)
    mapped = resource.usage in (Usage.STAGING, Usage.DYNAMIC) or resource.cpu
    has_tiles = is_power_of_two(resource.info.bytes_per_block) and not resource.info.is_yuv
    if runtime.size_model == "linear" or mapped or not has_tiles:
        return _linear(resource, runtime)
    driver = None if runtime.size_model == "tiled" else _by_driver(resource, runtime.size_model)
    return driver or _tiled(resource)


def _buffer(resource: Resource) -> ResourceLayout:
    size = align_up(resource.width, _BUFFER_ALIGNMENT)
    part = SubresourceLayout(
        0, 0, 0, 0, resource.width, 1, 1, 0, resource.width, resource.width, 1, resource.width
    )  # fmt: skip
    steps = (f"{resource.width} bytes rounded up to {_BUFFER_ALIGNMENT}: {size}",)
    return ResourceLayout("buffer", size, _BUFFER_ALIGNMENT, resource.width, (part,), steps, "assumed")


def _linear(resource: Resource, runtime: Runtime11) -> ResourceLayout:
    level = "level10" if runtime.feature_level >= LEVEL_10_0 else "level9"
    align = constant(f"pointer_alignment_{level}")
    parts: list[SubresourceLayout] = []
    offset = 0
    for index in range(resource.subresources):
        array_slice, mip = divmod(index, resource.levels)
        depth, pitch, rows = _rows(resource, mip)
        pitch *= resource.samples
        size = pitch * rows * depth
        parts.append(
            SubresourceLayout(
                index, mip, array_slice, 0, *_blocks(resource, mip), depth, offset, pitch, pitch, rows, size
            )
        )
        offset = align_up(offset + size, align)
    steps = (
        f"{len(parts)} subresources, rows packed, each on {align} bytes: {offset}",
        f"rounded up to a page of {_PAGE} bytes: {align_up(offset, _PAGE)}",
    )
    texels = sum(part.size_bytes for part in parts)
    return ResourceLayout("linear", align_up(offset, _PAGE), _PAGE, texels, tuple(parts), steps, "assumed")


def _blocks(resource: Resource, mip: int) -> tuple[int, int]:
    info = resource.info
    return (
        align_up(mip_extent(resource.width, mip), info.block_width),
        align_up(mip_extent(resource.height, mip), info.block_height),
    )


def tile_shape(info: DxgiFormatInfo, is_3d: bool, samples: int) -> TileShape:
    """Return the texels across, down and deep of a standard tile of 64 KiB.

    Args:
        info: A format whose texel or block is a power of two of up to 16 bytes.
        is_3d: For a 3D texture.
        samples: Samples of a texel, a power of two.

    Source: microsoft/DirectX-Specs d3d/archive/D3D11_3_FunctionalSpec.htm 5.9.4 (standard tile shapes).
    """
    bits = (TILE_BYTES // info.bytes_per_block).bit_length() - 1
    if is_3d:
        axes = ceil_div(bits, 3), ceil_div(bits - 1, 3), bits // 3
    else:
        halvings = samples.bit_length() - 1
        axes = ceil_div(bits, 2) - ceil_div(halvings, 2), bits // 2 - halvings // 2, 0
    return TileShape((1 << axes[0]) * info.block_width, (1 << axes[1]) * info.block_height, 1 << axes[2])


def _tiled(resource: Resource) -> ResourceLayout:
    info = resource.info
    shape = ResourceShape(resource.width, resource.height, resource.depth, resource.slices, resource.levels, info)
    tiling = texture_tiling(shape, tile_shape(info, resource.dimension == "texture3d", resource.samples),
                            resource.samples)  # fmt: skip
    sizes = [_level_bytes(resource, mip) for mip in range(resource.levels)]
    if tiling.total_tiles == 1 and tiling.packed_mips:
        # All of it is a tail below one tile: that many pages do.
        return _packed(resource, sizes)
    parts: list[SubresourceLayout] = []
    for array_slice in range(resource.slices):
        start = array_slice * tiling.slice_tiles
        tail = (start + tiling.packed_start) * TILE_BYTES
        for mip, size in enumerate(sizes):
            grid = tiling.mips[mip]
            packed = mip >= tiling.standard_mips
            offset = tail if packed else (start + grid.StartTileIndexInOverallResource) * TILE_BYTES
            tail += size if packed else 0
            taken = size if packed else grid.tiles * TILE_BYTES
            parts.append(_part(resource, mip, array_slice, offset, taken, taken - size, packed))
    steps = [
        f"mip {mip}: {grid.WidthInTiles} × {grid.HeightInTiles} × {grid.DepthInTiles} tiles of 64 KiB"
        for mip, grid in enumerate(tiling.mips[: tiling.standard_mips])
    ]
    if tiling.packed_mips:
        steps.append(f"packed tail of {tiling.packed_mips} levels: {tiling.packed_tiles} tiles")
    total = tiling.total_tiles * TILE_BYTES
    steps.append(f"{resource.slices} slices of {info.format.constant}: {total} bytes")
    texels = sum(sizes) * resource.slices
    return ResourceLayout("tiled", total, TILE_BYTES, texels, tuple(parts), tuple(steps), "assumed")


def _packed(resource: Resource, sizes: list[int]) -> ResourceLayout:
    parts: list[SubresourceLayout] = []
    offset = 0
    for mip, size in enumerate(sizes):
        parts.append(_part(resource, mip, 0, offset, size, 0, True))
        offset += size
    total = align_up(offset, _PAGE)
    steps = (f"{resource.levels} levels packed: {offset} bytes", f"rounded up to a page of {_PAGE} bytes: {total}")
    return ResourceLayout("tiled", total, _PAGE, offset, tuple(parts), steps, "assumed")


def _part(
    resource: Resource, mip: int, array_slice: int, offset: int, taken: int, padding: int, packed: bool
) -> SubresourceLayout:
    depth, pitch, rows = _rows(resource, mip)
    return SubresourceLayout(
        mip + array_slice * resource.levels, mip, array_slice, 0, *_blocks(resource, mip), depth, offset, pitch, pitch,
        rows, taken, padding, packed,
    )  # fmt: skip


def _level_bytes(resource: Resource, mip: int) -> int:
    depth, pitch, rows = _rows(resource, mip)
    return pitch * rows * depth * resource.samples


def _by_driver(resource: Resource, model: str) -> ResourceLayout | None:
    """Return the layout by a measured driver model, which D3D12 rules hold, or None if there is none of that name."""
    # Imported here: only such adapters need the D3D12 description.
    from explorer.core.d3d12_enums import ResourceDimension
    from explorer.core.d3d12_structs import ResourceDesc, SampleDesc
    from explorer.rules.size_models import resource_layout, size_model

    if size_model(model).id != model:
        return None
    layers = resource.depth if resource.dimension == "texture3d" else resource.slices
    desc = ResourceDesc(
        ResourceDimension[resource.dimension.upper()], 0, resource.width, resource.height, layers, resource.levels,
        resource.format, SampleDesc(resource.samples, resource.quality),
    )  # fmt: skip
    return resource_layout(desc, TILE_BYTES, model)


@functools.cache
def _placement_rows() -> dict[tuple[str, str], PlacementRow]:
    return {(row.adapter, row.usage): row for row in placements()}


def placement_of(resource: Resource, adapter_class: str) -> PlacementRow:
    """Return which memory the simulator picks for a resource, and why (rules d3d11.Q7.x).

    Args:
        resource: A legal description.
        adapter_class: ``discrete`` or ``uma``.
    """
    adapter = "uma" if adapter_class == "uma" else "discrete"
    usage = Usage(resource.usage)
    key = usage.name
    if adapter == "discrete":
        key = _discrete_kind(resource, usage)
    return _placement_rows()[adapter, key]


def _discrete_kind(resource: Resource, usage: Usage) -> str:
    if usage is Usage.DYNAMIC:
        return "DYNAMIC buffer" if resource.is_buffer else "DYNAMIC texture"
    if usage is Usage.STAGING:
        return "STAGING, CPU WRITE" if resource.cpu & CpuAccessFlag.WRITE else "STAGING, CPU READ only"
    if usage is Usage.DEFAULT and resource.cpu & CpuAccessFlag.READ:
        return "DEFAULT + CPU READ (11.2)"
    if usage is Usage.DEFAULT and resource.cpu & CpuAccessFlag.WRITE:
        return "DEFAULT + CPU WRITE (11.2)"
    if usage is Usage.DEFAULT and resource.bind & BindFlag.CONSTANT_BUFFER:
        return "DEFAULT + CONSTANT_BUFFER"
    return usage.name
