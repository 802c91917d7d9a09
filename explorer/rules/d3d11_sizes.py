"""How big a Direct3D 10 or 11 resource is, how it lies when mapped, and which memory the simulator picks.

Sizes of textures that are not mapped are the driver's own; the models ``linear`` (rows one after the other) and
``tiled`` (64 KiB standard tiles, small levels packed into a tail) are named in the answer.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from explorer.core.d3d11_enums import BindFlag, CpuAccessFlag, Usage
from explorer.core.dxgi import mip_extent, texel_bytes
from explorer.core.layouts import ResourceLayout, SubresourceLayout
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
    size = resource.info.bytes_per_block
    tiled = runtime.size_model != "linear" and not mapped and is_power_of_two(size) and not resource.info.is_yuv
    return _tiled(resource) if tiled else _linear(resource, runtime)


def _buffer(resource: Resource) -> ResourceLayout:
    size = align_up(resource.width, _BUFFER_ALIGNMENT)
    part = SubresourceLayout(
        0, 0, 0, 0, resource.width, 1, 1, 0, resource.width, resource.width, 1, resource.width
    )  # fmt: skip
    steps = (f"{resource.width} bytes rounded up to {_BUFFER_ALIGNMENT}: {size}",)
    return ResourceLayout("buffer", size, _BUFFER_ALIGNMENT, resource.width, (part,), steps, "assumed")


def _linear(resource: Resource, runtime: Runtime11) -> ResourceLayout:
    align = constant(
        "pointer_alignment_level10" if int(runtime.feature_level) >= 0xA000 else "pointer_alignment_level9"
    )
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


def tile_shape(element_bytes: int, is_3d: bool, samples: int) -> tuple[int, int, int]:
    """Return the elements (texels or blocks) across, down and deep of a standard tile of 64 KiB.

    Args:
        element_bytes: Bytes of a texel or block, a power of two up to 16.
        is_3d: For a 3D texture.
        samples: Samples of a texel, a power of two.

    Source: microsoft/DirectX-Specs d3d/archive/D3D11_3_FunctionalSpec.htm 5.9.4 (standard tile shapes).
    """
    bits = (constant("tile_bytes") // element_bytes).bit_length() - 1
    if is_3d:
        return 1 << ceil_div(bits, 3), 1 << ceil_div(bits - 1, 3), 1 << (bits // 3)
    halvings = samples.bit_length() - 1
    return 1 << (ceil_div(bits, 2) - ceil_div(halvings, 2)), 1 << (bits // 2 - halvings // 2), 1


def _tiled(resource: Resource) -> ResourceLayout:
    info, tile = resource.info, constant("tile_bytes")
    across, down, deep = tile_shape(info.bytes_per_block, resource.dimension == "texture3d", resource.samples)
    grids: list[tuple[int, int, int, int]] = []
    for mip in range(resource.levels):
        depth, pitch, rows = _rows(resource, mip)
        columns = pitch // info.bytes_per_block
        # A level that fills no tile in some direction goes to the packed tail, and so do all below it.
        if columns < across or rows < down or depth < deep:
            break
        grids.append((mip, ceil_div(columns, across), ceil_div(rows, down), ceil_div(depth, deep)))
    return _place_tiles(resource, info, tile, grids)


def _place_tiles(
    resource: Resource, info: DxgiFormatInfo, tile: int, grids: list[tuple[int, int, int, int]]
) -> ResourceLayout:
    sizes = [(mip, _level_bytes(resource, mip)) for mip in range(resource.levels)]
    tail_bytes = sum(size for _, size in sizes[len(grids) :])
    parts: list[SubresourceLayout] = []
    offset = texels = 0
    for array_slice in range(resource.slices):
        for mip, size in sizes:
            packed = mip >= len(grids)
            taken = size if packed else tile * grids[mip][1] * grids[mip][2] * grids[mip][3]
            depth, pitch, rows = _rows(resource, mip)
            parts.append(
                SubresourceLayout(
                    mip + array_slice * resource.levels, mip, array_slice, 0, *_blocks(resource, mip), depth, offset,
                    pitch, pitch, rows, taken, taken - size, packed,
                )
            )  # fmt: skip
            offset += taken
            texels += size
        if tail_bytes:
            offset = align_up(offset, tile)
    small = not grids and offset <= tile and resource.slices == 1
    total = align_up(tail_bytes, _PAGE) if small else offset
    steps = [f"mip {mip}: {x} × {y} × {z} tiles of 64 KiB" for mip, x, y, z in grids]
    if tail_bytes:
        unit = _PAGE if small else tile
        steps.append(f"packed tail of {resource.levels - len(grids)} levels: {align_up(tail_bytes, unit)} bytes")
    steps.append(f"{resource.slices} slices of {info.format.constant}: {total} bytes")
    alignment = _PAGE if small else tile
    return ResourceLayout("tiled", total, alignment, texels, tuple(parts), tuple(steps), "assumed")


def _level_bytes(resource: Resource, mip: int) -> int:
    depth, pitch, rows = _rows(resource, mip)
    return pitch * rows * depth * resource.samples


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
