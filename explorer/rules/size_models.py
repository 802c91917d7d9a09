"""How big a D3D12 resource is: texture sizes are the driver's, so there are models, and the answer names its model.

``linear`` packs the texels, ``tiled`` gives each level whole tiles and packs the smallest levels of a slice together,
``nvidia`` is measured (``size_model_nvidia``). Buffers are the same in every model.

Source: d3d12.4.2, d3d12.4.7d, d3d12.4.8a, d3d12.4.8b.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.d3d12_structs import ResourceDesc
from explorer.core.dxgi import DxgiFormatInfo, mip_extent, texel_bytes
from explorer.core.layouts import ResourceLayout, SubresourceLayout
from explorer.core.tiles import TILE_BYTES, ResourceTiling, TileShape, tail_bytes, texture_tiling
from explorer.core.units import align_up, ceil_div
from explorer.rules.d3d12_desc import SMALL_ALIGNMENT, is_buffer, shape_of
from explorer.rules.size_model_nvidia import nvidia_layout, nvidia_size
from explorer.tables.d3d12_tables import tile_shape

if TYPE_CHECKING:
    from explorer.core.footprints import ResourceShape


@dataclass(frozen=True, slots=True)
class SizeModel:
    """One way to size textures.

    Attributes:
        id: ``linear``, ``tiled`` …
        text: What it assumes, one sentence.
        confidence: How well it is known.
        rule: Id of its rule.
        size: Bytes of a texture before the alignment of the whole is applied.
        layout: Its subresources in index order, and the steps in words.
    """

    id: str
    text: str
    confidence: str
    rule: str
    size: Callable[[ResourceDesc, int], int]
    layout: Callable[[ResourceDesc, int], tuple[tuple[SubresourceLayout, ...], tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class _Level:
    """Extents of one mip level, in texels and blocks."""

    width: int
    height: int
    depth: int
    rows: int
    row_bytes: int
    texels: int


def _level(shape: ResourceShape, mip: int, samples: int) -> _Level:
    info = shape.info
    width = align_up(mip_extent(shape.width, mip), info.width_multiple)
    height = align_up(mip_extent(shape.height, mip), info.height_multiple)
    depth = mip_extent(shape.depth, mip)
    rows = ceil_div(height, info.block_height)
    row_bytes = ceil_div(width, info.block_width) * info.bytes_per_block * samples
    return _Level(width, height, depth, rows, row_bytes, texel_bytes(info, width, height, depth) * samples)


def _subresource(
    shape: ResourceShape, level: _Level, mip: int, array_slice: int, offset: int, size: int, packed: bool
) -> SubresourceLayout:
    return SubresourceLayout(
        index=mip + array_slice * shape.mips, mip=mip, slice=array_slice, plane=0,
        width=level.width, height=level.height, depth=level.depth, offset=offset,
        row_bytes=level.row_bytes, row_pitch=level.row_bytes, rows=level.rows,
        size_bytes=size, padding_bytes=size - level.texels, packed=packed,
    )  # fmt: skip


def _linear_size(desc: ResourceDesc, alignment: int) -> int:
    del alignment
    shape = shape_of(desc)
    return tail_bytes(shape, 0, max(1, desc.SampleDesc.Count)) * shape.slices


def _linear_layout(desc: ResourceDesc, alignment: int) -> tuple[tuple[SubresourceLayout, ...], tuple[str, ...]]:
    del alignment
    shape, samples = shape_of(desc), max(1, desc.SampleDesc.Count)
    levels = [_level(shape, mip, samples) for mip in range(shape.mips)]
    parts: list[SubresourceLayout] = []
    offset = 0
    for array_slice in range(shape.slices):
        for mip, level in enumerate(levels):
            parts.append(_subresource(shape, level, mip, array_slice, offset, level.texels, False))
            offset += level.texels
    steps = [f"mip {mip}: {_extent(level)} = {level.texels:,} bytes" for mip, level in enumerate(levels)]
    return tuple(parts), tuple(_with_slices(steps, shape))


def _extent(level: _Level) -> str:
    text = f"{level.width} × {level.height}"
    return text if level.depth == 1 else f"{text} × {level.depth}"


def _with_slices(steps: list[str], shape: ResourceShape) -> list[str]:
    return [*steps, f"{shape.slices} slices of this"] if shape.slices > 1 else steps


def tile_bytes_of(alignment: int) -> int:
    """Return the bytes of the tiles that a texture of an alignment is made of: 4 KiB or 64 KiB."""
    return SMALL_ALIGNMENT if alignment <= SMALL_ALIGNMENT else TILE_BYTES


def _tiling(desc: ResourceDesc, alignment: int) -> tuple[ResourceTiling, int] | None:
    """Return the tiling and the bytes of a tile; None for a format without tiles."""
    tile_bytes = tile_bytes_of(alignment)
    shape, samples = shape_of(desc), max(1, desc.SampleDesc.Count)
    tile = tile_shape(desc.Dimension, shape.info, samples, tile_bytes)
    if tile is None or not _has_tiles(shape.info):
        return None
    return _tiling_in(shape, tile, samples, tile_bytes), tile_bytes


def _has_tiles(info: DxgiFormatInfo) -> bool:
    return not info.is_yuv and info.block_width in (1, 4)


def _tiling_in(shape: ResourceShape, tile: TileShape, samples: int, tile_bytes: int) -> ResourceTiling:
    tiling = texture_tiling(shape, tile, samples)
    if tile_bytes == TILE_BYTES or not tiling.packed_mips:
        return tiling
    packed = max(1, ceil_div(tail_bytes(shape, tiling.standard_mips, samples), tile_bytes))
    slice_tiles = tiling.slice_tiles - tiling.packed_tiles + packed
    return ResourceTiling(
        tiling.shape, tiling.slices, tiling.mips, tiling.standard_mips, tiling.packed_mips, packed, slice_tiles
    )


def _tiled_size(desc: ResourceDesc, alignment: int) -> int:
    found = _tiling(desc, alignment)
    if found is None:
        shape = shape_of(desc)
        return shape.slices * align_up(tail_bytes(shape, 0, max(1, desc.SampleDesc.Count)), tile_bytes_of(alignment))
    return found[0].total_tiles * found[1]


def _tiled_layout(desc: ResourceDesc, alignment: int) -> tuple[tuple[SubresourceLayout, ...], tuple[str, ...]]:
    found = _tiling(desc, alignment)
    if found is None:
        return _linear_layout(desc, alignment)
    tiling, tile_bytes = found
    shape, samples = shape_of(desc), max(1, desc.SampleDesc.Count)
    levels = [_level(shape, mip, samples) for mip in range(shape.mips)]
    parts: list[SubresourceLayout] = []
    for array_slice in range(shape.slices):
        start = array_slice * tiling.slice_tiles
        tail = (start + tiling.slice_tiles - tiling.packed_tiles) * tile_bytes
        for mip, level in enumerate(levels):
            if mip < tiling.standard_mips:
                part = tiling.mips[mip]
                offset = (start + part.StartTileIndexInOverallResource) * tile_bytes
                parts.append(
                    _subresource(shape, level, mip, array_slice, offset, part.tiles * tile_bytes, False)
                )  # fmt: skip
            else:
                parts.append(_subresource(shape, level, mip, array_slice, tail, level.texels, True))
                tail += level.texels
    return tuple(parts), _tiled_steps(shape, levels, tiling, tile_bytes)


def _tiled_steps(
    shape: ResourceShape, levels: list[_Level], tiling: ResourceTiling, tile_bytes: int
) -> tuple[str, ...]:
    kib = tile_bytes >> 10
    steps: list[str] = []
    for mip in range(tiling.standard_mips):
        part = tiling.mips[mip]
        across = f"{part.WidthInTiles} × {part.HeightInTiles}"
        if part.DepthInTiles > 1:
            across += f" × {part.DepthInTiles}"
        steps.append(f"mip {mip}: {_extent(levels[mip])} in {across} tiles of {kib} KiB")
    if tiling.packed_mips:
        last = shape.mips - 1
        span = f"mip {last}" if tiling.packed_mips == 1 else f"mips {tiling.standard_mips} to {last}"
        steps.append(f"{span}: packed into {tiling.packed_tiles} tiles of {kib} KiB")
    return tuple(_with_slices(steps, shape))


MODELS: tuple[SizeModel, ...] = (
    SizeModel(
        "linear", "Texels lie one after the other, the whole is rounded up to the alignment.", "assumed",
        "4.8a", _linear_size, _linear_layout,
    ),
    SizeModel(
        "tiled", "Levels take whole tiles of 64 KiB, the smallest levels of a slice share the tail.", "assumed",
        "4.8b", _tiled_size, _tiled_layout,
    ),
    SizeModel(
        "nvidia", "Levels of blocks of 64 bytes by 8 rows, as measured on one card; D3D12 may pad further.", "typical",
        "4.8c", nvidia_size, nvidia_layout,
    ),
)  # fmt: skip
"""Every model, in the order that menus show them."""
_BY_ID = {model.id: model for model in MODELS}


def size_model(name: str) -> SizeModel:
    """Return a model by its id."""
    return _BY_ID[name]


def resource_bytes(desc: ResourceDesc, alignment: int, model: str = "linear") -> int:
    """Return what a valid resource takes, a multiple of ``alignment``.

    Args:
        desc: A description that the rules accept.
        alignment: Bytes, as the rules resolved it.
        model: Id of a size model.
    """
    if is_buffer(desc):
        return align_up(desc.Width, alignment)
    return align_up(size_model(model).size(desc, alignment), alignment)


def resource_layout(desc: ResourceDesc, alignment: int, model: str = "linear") -> ResourceLayout:
    """Return the same with every subresource and the arithmetic in words."""
    size = resource_bytes(desc, alignment, model)
    if is_buffer(desc):
        whole = SubresourceLayout(0, 0, 0, 0, desc.Width, 1, 1, 0, desc.Width, desc.Width, 1, desc.Width)
        step = f"{desc.Width:,} bytes, rounded up to {alignment:,}"
        return ResourceLayout("buffer", size, alignment, desc.Width, (whole,), (step,), "published")
    chosen = size_model(model)
    parts, steps = chosen.layout(desc, alignment)
    texels = sum(part.size_bytes - part.padding_bytes for part in parts)
    steps = (*steps, f"rounded up to {alignment:,}: {size:,} bytes")
    return ResourceLayout(chosen.id, size, alignment, texels, parts, steps, chosen.confidence)
