"""The block-linear size model of NVIDIA: measured on one card through Vulkan, typical under D3D12.

The unit is the GOB, 64 bytes by 8 rows. GOBs stack into blocks one GOB wide, ``block_height`` GOBs high and
``block_depth`` slices deep; every level is padded to whole blocks.

Source: hardware/nvidia_sizes, sections 3 to 9 (rows in ``hardware/nvidia_h200_vulkan``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.core.d3d12_enums import ResourceDimension, ResourceFlags
from explorer.core.dxgi import full_chain, mip_extent
from explorer.core.layouts import SubresourceLayout
from explorer.core.tiles import TILE_BYTES
from explorer.core.units import align_up, ceil_div
from explorer.rules.d3d12_desc import is_3d, mips_of, shape_of
from explorer.tables.d3d12_tables import nvidia_sample_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.core.d3d12_structs import ResourceDesc

GOB_WIDTH_BYTES = 64
GOB_ROWS = 8
GOB_BYTES = GOB_WIDTH_BYTES * GOB_ROWS
MAX_BLOCK_GOBS = 16
"""GOBs of a block in one axis."""
OPTIMAL_ALIGNMENT = 1024
"""Bytes; alignment of an ordinary image under Vulkan. D3D12 places at 4 KiB and more."""


@dataclass(frozen=True, slots=True)
class Image:
    """What decides about an image's size.

    Attributes:
        is_3d: A 3D texture.
        width: Texels.
        height: Texels.
        depth: Slices of a 3D texture, else 1.
        mips: Levels asked for.
        layers: Array slices.
        samples: 1 to 16.
        block_bytes: Bytes of a texel or of a compressed block.
        block_width: Texels of a block.
        block_height: Rows of a block.
        is_depth_target: May be bound as depth-stencil; matters for 3D images only.
    """

    is_3d: bool
    width: int
    height: int
    depth: int
    mips: int
    layers: int
    samples: int
    block_bytes: int
    block_width: int = 1
    block_height: int = 1
    is_depth_target: bool = False

    @property
    def chain(self) -> int:
        """Levels that take memory: one, or the full chain whatever was asked (a driver's policy)."""
        return 1 if self.mips == 1 else max(self.mips, full_chain(self.width, self.height, self.depth))


@dataclass(frozen=True, slots=True)
class Level:
    """One level of one layer.

    Attributes:
        offset: Bytes from the start of the layer.
        size_bytes: Whole blocks.
        row_pitch: Bytes of a padded row.
        rows: Padded rows.
        slices: Padded slices.
        block_height: GOBs.
        block_depth: Slices.
    """

    offset: int
    size_bytes: int
    row_pitch: int
    rows: int
    slices: int
    block_height: int
    block_depth: int


@dataclass(frozen=True, slots=True)
class SparseImage:
    """A sparse (reserved) image.

    Attributes:
        size_bytes: A multiple of 64 KiB.
        first_tail_mip: First level of the tail; the number of levels where there is none.
        is_single_tail: One tail for all layers.
        tail_bytes: A multiple of 64 KiB.
        tail_offset: Bytes from the start.
        tail_stride: Bytes from a layer's tail to the next layer's.
    """

    size_bytes: int
    first_tail_mip: int
    is_single_tail: bool
    tail_bytes: int
    tail_offset: int
    tail_stride: int


def _first(n: int, unit: int) -> int:
    """Return the largest block that one and a half times the extent still fills."""
    block = 1
    while block < MAX_BLOCK_GOBS and n + n // 2 >= 2 * block * unit:
        block *= 2
    return block


def _shrink(block: int, n: int, unit: int) -> int:
    """Return a block that is not half empty."""
    while block > 1 and n <= block * unit // 2:
        block //= 2
    return block


def _blocks(image: Image, mip: int) -> tuple[int, int, int]:
    return (
        ceil_div(mip_extent(image.width, mip), image.block_width),
        ceil_div(mip_extent(image.height, mip), image.block_height),
        mip_extent(image.depth, mip),
    )


def _block_of(image: Image) -> tuple[int, int]:
    """Return height in GOBs and depth in slices of the blocks of level 0."""
    if image.is_3d:
        return 1, 1 if image.is_depth_target else _first(image.depth, 1)
    return _shrink(_first(image.height, GOB_ROWS), _blocks(image, 0)[1], GOB_ROWS), 1


def image_levels(image: Image) -> tuple[Level, ...]:
    """Return the levels of one layer, the unasked rest of the chain included."""
    across, down = nvidia_sample_grid(image.samples)
    start_height, start_depth = _block_of(image)
    levels: list[Level] = []
    offset = 0
    for mip in range(image.chain):
        width, height, depth = _blocks(image, mip)
        block_height = _shrink(start_height, height, GOB_ROWS)
        block_depth = _shrink(start_depth, depth, 1)
        pitch = align_up(width * across * image.block_bytes, GOB_WIDTH_BYTES)
        rows = align_up(height * down, GOB_ROWS * block_height)
        slices = align_up(depth, block_depth)
        size = pitch * rows * slices
        levels.append(Level(offset, size, pitch, rows, slices, block_height, block_depth))
        offset += size
    return tuple(levels)


def layer_pitch(image: Image, levels: Sequence[Level]) -> int:
    """Return the bytes from a layer to the next; a single layer is not padded to a block."""
    total = levels[-1].offset + levels[-1].size_bytes
    if image.layers == 1:
        return total
    block_height, block_depth = _block_of(image)
    return align_up(total, GOB_BYTES * block_height * block_depth)


def image_bytes(image: Image) -> int:
    """Return what an image with optimal tiling takes, before any placement alignment."""
    return layer_pitch(image, image_levels(image)) * image.layers


def planar_bytes(planes: Sequence[Image]) -> int:
    """Return what a multi-planar image takes: each plane is an image of its own in units of 64 KiB."""
    return sum(align_up(image_bytes(plane), TILE_BYTES) for plane in planes)


def linear_bytes(width: int, height: int, block_bytes: int, alignment: int) -> tuple[int, int]:
    """Return (size, row pitch) of a linear 2D image with one level.

    Args:
        width: Texels or blocks.
        height: Rows.
        block_bytes: Bytes of a texel or block.
        alignment: 128 for copy targets and attachments, else 32.
    """
    pitch = align_up(width * block_bytes, alignment)
    return pitch * height, pitch


def modifier_bytes(width: int, height: int, block_bytes: int, exponent: int) -> tuple[int, int]:
    """Return (size, row pitch) of a 2D image whose blocks are given: 2^``exponent`` GOBs high, 32 at most.

    Source: hardware/nvidia_sizes, section 5.
    """
    block = _shrink(1 << exponent, height, GOB_ROWS)
    pitch = align_up(width * block_bytes, GOB_WIDTH_BYTES)
    return pitch * align_up(height, GOB_ROWS * block), pitch


def sparse_image(image: Image, shape: tuple[int, int, int]) -> SparseImage:
    """Return the size and the mip tail of a sparse image.

    Args:
        image: The image.
        shape: Texels (or blocks) of a tile at the image's sample count, in each axis.

    Source: hardware/nvidia_sizes, section 6.
    """
    across, down = nvidia_sample_grid(image.samples)
    # Multisampled tiles of the memory are as low as the shape, and so wider than it.
    tile_rows, tile_slices = shape[1], shape[2]
    tile_row_bytes = TILE_BYTES // (tile_rows * tile_slices)
    tail = next((mip for mip in range(image.mips) if _below(image, mip, shape)), image.mips)

    def is_tiled(width: int, height: int, depth: int) -> bool:
        return (
            width * across * image.block_bytes >= tile_row_bytes and height * down >= tile_rows and depth >= tile_slices
        )

    start_height, start_depth = tile_rows // GOB_ROWS, tile_slices
    if tail == 0:
        start_height = _shrink(start_height, _blocks(image, 0)[1], GOB_ROWS)
        start_depth = _shrink(start_depth, image.depth, 1)
    sizes: list[int] = []
    for mip in range(image.chain):
        width, height, depth = _blocks(image, mip)
        row = width * across * image.block_bytes
        if is_tiled(width, height, depth):
            size = align_up(row, tile_row_bytes) * align_up(height * down, tile_rows) * align_up(depth, tile_slices)
        else:
            block_height = _shrink(start_height, height * down, GOB_ROWS)
            block_depth = _shrink(start_depth, depth, 1)
            size = align_up(row, GOB_WIDTH_BYTES) * align_up(height * down, GOB_ROWS * block_height)
            size *= align_up(depth, block_depth)
        sizes.append(size)
    total, body = sum(sizes), sum(sizes[:tail])
    # The driver holds texels, not blocks, against the tile when it decides about the layer's unit.
    whole = is_tiled(image.width, image.height, image.depth)
    unit = TILE_BYTES if whole else GOB_BYTES * start_height * start_depth
    pitch = total if image.layers == 1 else align_up(total, unit)
    size = align_up(pitch * image.layers, TILE_BYTES)
    if tail == 0:
        return SparseImage(size, 0, True, size, 0, 0)
    return SparseImage(size, tail, False, align_up(total - body, TILE_BYTES), body, pitch)


def _below(image: Image, mip: int, shape: tuple[int, int, int]) -> bool:
    return any(extent < tile for extent, tile in zip(_blocks(image, mip), shape, strict=True))


def texel_offset(image: Image, x: int, y: int) -> int:
    """Return the byte offset of a texel (or block) in level 0 of a 2D image with one layer and one sample.

    Source: hardware/nvidia_sizes, section 5.
    """
    level = image_levels(image)[0]
    left = x * image.block_bytes
    block_rows = GOB_ROWS * level.block_height
    block = y // block_rows * (level.row_pitch // GOB_WIDTH_BYTES) + left // GOB_WIDTH_BYTES
    gob = y // GOB_ROWS % level.block_height
    # From low to high: X0 X1 X2 X3  Y0 Y1  X4  Y2  X5.
    inside = left & 15 | (y & 3) << 4 | (left >> 4 & 1) << 6 | (y >> 2 & 1) << 7 | (left >> 5 & 1) << 8
    return block * GOB_BYTES * level.block_height + gob * GOB_BYTES + inside


def images_of(desc: ResourceDesc) -> tuple[Image, ...]:
    """Return the images that a texture consists of: one, or one for each plane of a video format."""
    shape = shape_of(desc)
    info = shape.info
    whole = Image(
        is_3d(desc), shape.width, 1 if desc.Dimension is ResourceDimension.TEXTURE1D else shape.height, shape.depth,
        mips_of(desc), shape.slices, max(1, desc.SampleDesc.Count), info.bytes_per_block,
        info.block_width, info.block_height, bool(desc.Flags & ResourceFlags.ALLOW_DEPTH_STENCIL),
    )  # fmt: skip
    if not info.is_yuv or not info.planes:
        return (whole,)
    return tuple(
        replace(
            whole, width=ceil_div(whole.width, plane.subsample_x), height=ceil_div(whole.height, plane.subsample_y),
            block_bytes=plane.bytes_per_element, block_width=1, block_height=1,
        )
        for plane in info.planes
    )  # fmt: skip


def nvidia_size(desc: ResourceDesc, alignment: int) -> int:
    """Return the bytes of a D3D12 texture before its placement alignment."""
    del alignment
    images = images_of(desc)
    return image_bytes(images[0]) if len(images) == 1 else planar_bytes(images)


def nvidia_layout(desc: ResourceDesc, alignment: int) -> tuple[tuple[SubresourceLayout, ...], tuple[str, ...]]:
    """Return the subresources of a D3D12 texture and the arithmetic in words."""
    del alignment
    shape, parts, steps = shape_of(desc), list[SubresourceLayout](), list[str]()
    start = 0
    for plane, image in enumerate(images_of(desc)):
        levels = image_levels(image)
        pitch = layer_pitch(image, levels)
        for layer in range(image.layers):
            for mip in range(shape.mips):
                level = levels[mip]
                index = mip + (layer + plane * shape.slices) * shape.mips
                parts.append(_part(image, level, index, mip, layer, plane, start + layer * pitch))
        steps.extend(_steps(image, levels, plane))
        start += align_up(pitch * image.layers, TILE_BYTES)
    return tuple(parts), tuple(steps)


def _part(image: Image, level: Level, index: int, mip: int, layer: int, plane: int, start: int) -> SubresourceLayout:
    across, down = nvidia_sample_grid(image.samples)
    width, height, depth = _blocks(image, mip)
    row = width * across * image.block_bytes
    texels = row * height * down * depth
    return SubresourceLayout(
        index=index, mip=mip, slice=layer, plane=plane,
        width=width * image.block_width, height=height * image.block_height, depth=depth,
        offset=start + level.offset, row_bytes=row, row_pitch=level.row_pitch, rows=height * down,
        size_bytes=level.size_bytes, padding_bytes=level.size_bytes - texels,
    )  # fmt: skip


def _steps(image: Image, levels: Sequence[Level], plane: int) -> list[str]:
    name = f"plane {plane}, " if plane else ""
    steps = [
        f"{name}mip {mip}: {level.row_pitch:,} bytes × {level.rows} rows × {level.slices} slices, "
        f"blocks {level.block_height} GOBs high and {level.block_depth} slices deep"
        for mip, level in enumerate(levels[: image.mips])
    ]
    if len(levels) > image.mips:
        rest = sum(level.size_bytes for level in levels[image.mips :])
        steps.append(f"{name}the rest of the chain: {rest:,} bytes, asked for or not (as measured under Vulkan)")
    if image.layers > 1:
        steps.append(f"{name}{image.layers} layers of {layer_pitch(image, levels):,} bytes")
    return steps
