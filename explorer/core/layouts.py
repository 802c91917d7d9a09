"""Where the parts of a resource lie: the common answer of all size and footprint arithmetic."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SubresourceLayout:
    """One mip level of one slice of one plane.

    Attributes:
        index: ``mip + slice × mips + plane × mips × slices``.
        mip: Level, 0 is the largest.
        slice: Array slice or cube face; 0 for a 3D texture.
        plane: Plane of a planar or depth-stencil format.
        width: Texels, rounded up to the format's block.
        height: Texels, rounded up to the format's block; 1 for a buffer.
        depth: Depth slices of a 3D texture, else 1.
        offset: Bytes from the start of the resource (or of the buffer that a copy uses).
        row_bytes: Bytes of texels in a row of blocks, without padding.
        row_pitch: Bytes from a row of blocks to the next.
        rows: Rows of blocks in one depth slice.
        size_bytes: Bytes from the first texel to the end of what belongs to this subresource.
        padding_bytes: Bytes of ``size_bytes`` that hold no texel.
        packed: True for a level of the packed mip tail.
    """

    index: int
    mip: int
    slice: int
    plane: int
    width: int
    height: int
    depth: int
    offset: int
    row_bytes: int
    row_pitch: int
    rows: int
    size_bytes: int
    padding_bytes: int = 0
    packed: bool = False


@dataclass(frozen=True, slots=True)
class ResourceLayout:
    """How big a resource is, and by which model.

    Attributes:
        model: ``linear``, ``tiled``, ``nvidia`` or ``buffer``.
        size_bytes: What the memory must hold, a multiple of ``alignment``.
        alignment: Bytes, a power of two.
        texel_bytes: What the texels alone take.
        subresources: In index order.
        steps: The arithmetic in words, one step each (``mip 0: 4 × 4 tiles of 64 KiB``).
        confidence: ``measured``, ``published``, ``typical`` or ``assumed``.
    """

    model: str
    size_bytes: int
    alignment: int
    texel_bytes: int
    subresources: tuple[SubresourceLayout, ...]
    steps: tuple[str, ...] = ()
    confidence: str = "published"
