"""Subresource numbering and the layout of texture data in buffers (``GetCopyableFootprints``).

Source: d3d12.5.1 … d3d12.5.7 (rows of ``tables/``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from explorer.core.dxgi import DXGI_FORMAT, DxgiFormatInfo, mip_extent
from explorer.core.layouts import SubresourceLayout
from explorer.core.units import align_up, ceil_div

PLACEMENT_ALIGNMENT = 512
"""Bytes; ``D3D12_TEXTURE_DATA_PLACEMENT_ALIGNMENT``."""
_WRAP = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class ResourceShape:
    """What decides how many subresources there are and how large each is.

    Attributes:
        width: Texels, or bytes of a buffer.
        height: Texels.
        depth: Depth slices of a 3D texture, else 1.
        slices: Array slices; 1 for a 3D texture.
        mips: Levels, > 0.
        info: The format; UNKNOWN for a buffer.
    """

    width: int
    height: int
    depth: int
    slices: int
    mips: int
    info: DxgiFormatInfo

    @property
    def subresources(self) -> int:
        """Mips × slices × planes."""
        return self.mips * self.slices * self.info.plane_count


@dataclass(frozen=True, slots=True)
class Footprint:
    """``D3D12_PLACED_SUBRESOURCE_FOOTPRINT`` with its row count and row size.

    Attributes:
        offset: Bytes, base offset included.
        format: Format of the plane.
        width: Texels, rounded up to the block.
        height: Texels, rounded up to the block.
        depth: Depth slices.
        row_pitch: Bytes from a row of blocks to the next.
        rows: Rows of blocks in one depth slice.
        row_bytes: Bytes of texels in a row.
        size_bytes: Bytes from the first texel to the last: the last row is not padded.
    """

    offset: int
    format: DXGI_FORMAT
    width: int
    height: int
    depth: int
    row_pitch: int
    rows: int
    row_bytes: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class CopyableFootprints:
    """Footprints of consecutive subresources in one buffer.

    Attributes:
        layouts: One for each subresource asked for.
        total_bytes: From the base offset to the end of the last row, modulo 2^64.
    """

    layouts: tuple[Footprint, ...]
    total_bytes: int


def subresource_index(mip: int, array_slice: int, plane: int, mips: int, slices: int) -> int:
    """Return ``mip + slice × mips + plane × mips × slices`` (``D3D12CalcSubresource``)."""
    return mip + array_slice * mips + plane * mips * slices


def subresource_parts(index: int, mips: int, slices: int) -> tuple[int, int, int]:
    """Return (mip, slice, plane) of a subresource."""
    rest, mip = divmod(index, mips)
    plane, array_slice = divmod(rest, slices)
    return mip, array_slice, plane


def footprint(shape: ResourceShape, mip: int, plane: int, offset: int = 0) -> Footprint:
    """Return how one subresource lies in a buffer."""
    info = shape.info
    width = align_up(mip_extent(shape.width, mip), info.width_multiple)
    height = align_up(mip_extent(shape.height, mip), info.height_multiple)
    depth = mip_extent(shape.depth, mip)
    plane_format, block_width, block_height = info.format, info.block_width, info.block_height
    block_bytes, pitch_width = info.bytes_per_block, width
    if info.planes:
        part = info.planes[plane]
        plane_format, block_bytes, block_width, block_height = part.copy_format, part.bytes_per_element, 1, 1
        pitch_width = ceil_div(width, part.subsample_x)
        if info.format is DXGI_FORMAT.NV11 and plane:
            # Pitch and total size come from half the width, although the plane has a quarter of it.
            pitch_width = ceil_div(width, 2)
        width, height = ceil_div(width, part.subsample_x), ceil_div(height, part.subsample_y)
    elif info.is_opaque and info.is_yuv:
        # An opaque video format copies as one block of rows: luma, then the interleaved chroma rows.
        height = height + ceil_div(height, info.chroma_y)
    if info.format is DXGI_FORMAT.UNKNOWN:
        block_bytes = 1
    rows = ceil_div(height, block_height)
    copied_row = ceil_div(pitch_width, block_width) * block_bytes
    pitch = align_up(copied_row, info.copy_pitch_alignment)
    row_bytes = ceil_div(width, block_width) * block_bytes
    size = (rows * depth - 1) * pitch + copied_row
    return Footprint(offset, plane_format, width, height, depth, pitch, rows, row_bytes, size)


def copyable_footprints(shape: ResourceShape, first: int, count: int, base_offset: int) -> CopyableFootprints | None:
    """Return where consecutive subresources lie in a buffer, or None if there are not so many.

    Args:
        shape: The resource; sample count and layout do not matter.
        first: Number of the first subresource.
        count: How many, from the first on.
        base_offset: Bytes before the first; it is not aligned, and sums wrap at 64 bits.

    Source: d3d12.5.2, d3d12.5.3, d3d12.5.5a, d3d12.5.6.
    """
    if first >= shape.subresources or count > shape.subresources - first:
        return None
    layouts: list[Footprint] = []
    total = 0
    cached: dict[tuple[int, int], Footprint] = {}
    for index in range(first, first + count):
        mip, _, plane = subresource_parts(index, shape.mips, shape.slices)
        part = cached.get((mip, plane))
        if part is None:
            part = cached[mip, plane] = footprint(shape, mip, plane)
        start = align_up(total, PLACEMENT_ALIGNMENT)
        layouts.append(replace(part, offset=(base_offset + start) & _WRAP))
        total = start + part.size_bytes
    return CopyableFootprints(tuple(layouts), total & _WRAP)


def subresource_layouts(shape: ResourceShape, base_offset: int = 0) -> tuple[SubresourceLayout, ...]:
    """Return all subresources as they lie one after the other in a buffer, in index order."""
    copied = copyable_footprints(shape, 0, shape.subresources, base_offset)
    assert copied is not None
    layouts: list[SubresourceLayout] = []
    for index, part in enumerate(copied.layouts):
        mip, array_slice, plane = subresource_parts(index, shape.mips, shape.slices)
        texels = part.rows * part.depth * part.row_bytes
        layouts.append(
            SubresourceLayout(
                index=index, mip=mip, slice=array_slice, plane=plane,
                width=part.width, height=part.height, depth=part.depth, offset=part.offset,
                row_bytes=part.row_bytes, row_pitch=part.row_pitch, rows=part.rows,
                size_bytes=part.size_bytes, padding_bytes=part.size_bytes - texels,
            )
        )  # fmt: skip
    return tuple(layouts)
