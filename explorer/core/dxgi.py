"""DXGI formats: the enumeration and the arithmetic on a format's facts (the facts are rows of ``tables/``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from explorer.core.schema import ApiEnum
from explorer.core.units import ceil_div


class DXGI_FORMAT(ApiEnum):  # noqa: N801 - the API's own name, three device generations share it
    """``DXGI_FORMAT``; values 116-129 and 133-188 are not defined in the public enumeration."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "DXGI_FORMAT_"

    UNKNOWN = 0
    R32G32B32A32_TYPELESS = 1
    R32G32B32A32_FLOAT = 2
    R32G32B32A32_UINT = 3
    R32G32B32A32_SINT = 4
    R32G32B32_TYPELESS = 5
    R32G32B32_FLOAT = 6
    R32G32B32_UINT = 7
    R32G32B32_SINT = 8
    R16G16B16A16_TYPELESS = 9
    R16G16B16A16_FLOAT = 10
    R16G16B16A16_UNORM = 11
    R16G16B16A16_UINT = 12
    R16G16B16A16_SNORM = 13
    R16G16B16A16_SINT = 14
    R32G32_TYPELESS = 15
    R32G32_FLOAT = 16
    R32G32_UINT = 17
    R32G32_SINT = 18
    R32G8X24_TYPELESS = 19
    D32_FLOAT_S8X24_UINT = 20
    R32_FLOAT_X8X24_TYPELESS = 21
    X32_TYPELESS_G8X24_UINT = 22
    R10G10B10A2_TYPELESS = 23
    R10G10B10A2_UNORM = 24
    R10G10B10A2_UINT = 25
    R11G11B10_FLOAT = 26
    R8G8B8A8_TYPELESS = 27
    R8G8B8A8_UNORM = 28
    R8G8B8A8_UNORM_SRGB = 29
    R8G8B8A8_UINT = 30
    R8G8B8A8_SNORM = 31
    R8G8B8A8_SINT = 32
    R16G16_TYPELESS = 33
    R16G16_FLOAT = 34
    R16G16_UNORM = 35
    R16G16_UINT = 36
    R16G16_SNORM = 37
    R16G16_SINT = 38
    R32_TYPELESS = 39
    D32_FLOAT = 40
    R32_FLOAT = 41
    R32_UINT = 42
    R32_SINT = 43
    R24G8_TYPELESS = 44
    D24_UNORM_S8_UINT = 45
    R24_UNORM_X8_TYPELESS = 46
    X24_TYPELESS_G8_UINT = 47
    R8G8_TYPELESS = 48
    R8G8_UNORM = 49
    R8G8_UINT = 50
    R8G8_SNORM = 51
    R8G8_SINT = 52
    R16_TYPELESS = 53
    R16_FLOAT = 54
    D16_UNORM = 55
    R16_UNORM = 56
    R16_UINT = 57
    R16_SNORM = 58
    R16_SINT = 59
    R8_TYPELESS = 60
    R8_UNORM = 61
    R8_UINT = 62
    R8_SNORM = 63
    R8_SINT = 64
    A8_UNORM = 65
    R1_UNORM = 66
    R9G9B9E5_SHAREDEXP = 67
    R8G8_B8G8_UNORM = 68
    G8R8_G8B8_UNORM = 69
    BC1_TYPELESS = 70
    BC1_UNORM = 71
    BC1_UNORM_SRGB = 72
    BC2_TYPELESS = 73
    BC2_UNORM = 74
    BC2_UNORM_SRGB = 75
    BC3_TYPELESS = 76
    BC3_UNORM = 77
    BC3_UNORM_SRGB = 78
    BC4_TYPELESS = 79
    BC4_UNORM = 80
    BC4_SNORM = 81
    BC5_TYPELESS = 82
    BC5_UNORM = 83
    BC5_SNORM = 84
    B5G6R5_UNORM = 85
    B5G5R5A1_UNORM = 86
    B8G8R8A8_UNORM = 87
    B8G8R8X8_UNORM = 88
    R10G10B10_XR_BIAS_A2_UNORM = 89
    B8G8R8A8_TYPELESS = 90
    B8G8R8A8_UNORM_SRGB = 91
    B8G8R8X8_TYPELESS = 92
    B8G8R8X8_UNORM_SRGB = 93
    BC6H_TYPELESS = 94
    BC6H_UF16 = 95
    BC6H_SF16 = 96
    BC7_TYPELESS = 97
    BC7_UNORM = 98
    BC7_UNORM_SRGB = 99
    AYUV = 100
    Y410 = 101
    Y416 = 102
    NV12 = 103
    P010 = 104
    P016 = 105
    _420_OPAQUE = 106
    YUY2 = 107
    Y210 = 108
    Y216 = 109
    NV11 = 110
    AI44 = 111
    IA44 = 112
    P8 = 113
    A8P8 = 114
    B4G4R4A4_UNORM = 115
    P208 = 130
    V208 = 131
    V408 = 132
    SAMPLER_FEEDBACK_MIN_MIP_OPAQUE = 189
    SAMPLER_FEEDBACK_MIP_REGION_USED_OPAQUE = 190
    A4B4G4R4_UNORM = 191


class PlaneInfo(NamedTuple):
    """One plane of a planar or depth-stencil format.

    Attributes:
        role: ``depth``, ``stencil``, ``Y``, ``CbCr`` …
        copy_format: The format a copy sees.
        bytes_per_element: Bytes of one element of this plane.
        subsample_x: Texels of the resource in a row for one element.
        subsample_y: Texels of the resource in a column for one element.
    """

    role: str
    copy_format: DXGI_FORMAT
    bytes_per_element: int
    subsample_x: int
    subsample_y: int


@dataclass(frozen=True, slots=True)
class DxgiFormatInfo:
    """The facts about one format.

    Attributes:
        format: The format itself.
        bits_per_unit: Bits of a texel, of a 4×4 block (BC), or of an element of the first plane.
        bits_per_texel: Average over all planes.
        block_width: Texels; 4 for BC, 2 for packed 4:2:2, else 1.
        block_height: Texels; 4 for BC, else 1.
        bytes_per_block: Bytes of ``block_width`` × ``block_height`` texels (first plane).
        width_multiple: What a mip's width is rounded up to in copies; for YUV also a creation requirement.
        height_multiple: The same for the height.
        is_compressed: BC1 … BC7.
        is_typeless: A fully typeless format.
        is_srgb: Converts from sRGB.
        is_depth: Can be a depth-stencil view.
        depth_bits: Bits of depth.
        stencil_bits: Bits of stencil.
        is_depth_stencil_family: Depth formats and the typeless and view formats of their families.
        is_planar: Copies see planes, so their row pitch is a multiple of 512 bytes.
        is_yuv: A video format.
        is_opaque: Its planes cannot be addressed.
        plane_count: As ``D3D12_FEATURE_DATA_FORMAT_INFO`` reports it.
        planes: Empty for a format with one plane.
        chroma_x: Horizontal chroma subsampling.
        chroma_y: Vertical chroma subsampling.
        family: The format that stands for the cast family.
        typeless_parent: Typeless format of the family, or None.
        copy_pitch_alignment: Bytes; row pitch alignment of a buffer copy: 256, or 512 for planar formats.
        note: What is special, or an empty text.
    """

    format: DXGI_FORMAT
    bits_per_unit: int
    bits_per_texel: int
    block_width: int
    block_height: int
    bytes_per_block: int
    width_multiple: int
    height_multiple: int
    is_compressed: bool
    is_typeless: bool
    is_srgb: bool
    is_depth: bool
    depth_bits: int
    stencil_bits: int
    is_depth_stencil_family: bool
    is_planar: bool
    is_yuv: bool
    is_opaque: bool
    plane_count: int
    planes: tuple[PlaneInfo, ...]
    chroma_x: int
    chroma_y: int
    family: DXGI_FORMAT
    typeless_parent: DXGI_FORMAT | None
    copy_pitch_alignment: int
    note: str = ""

    @property
    def has_stencil(self) -> bool:
        """Whether a resource of the format has a stencil plane, typeless and view formats of the family included."""
        return any(plane.role == "stencil" for plane in self.planes)


def mip_extent(extent: int, mip: int) -> int:
    """Return the texels of a level in one axis: halved per level, at least 1."""
    return max(1, extent >> mip)


def full_chain(width: int, height: int, depth: int = 1) -> int:
    """Return the levels from the full size down to 1 × 1 × 1 (each ≥ 1 texel)."""
    return max(width, height, depth, 1).bit_length()


def texel_bytes(info: DxgiFormatInfo, width: int, height: int, depth: int = 1) -> int:
    """Return the bytes that the texels of one subresource set (all planes) take without padding.

    Width and height are rounded up to whole blocks, and to whole chroma elements for planar formats.
    """
    if info.planes and info.is_yuv:
        return depth * sum(
            ceil_div(width, plane.subsample_x) * ceil_div(height, plane.subsample_y) * plane.bytes_per_element
            for plane in info.planes
        )
    if info.is_yuv and info.plane_count == 1 and info.is_planar:
        return depth * ceil_div(width * height * info.bits_per_texel, 8)
    return depth * ceil_div(width, info.block_width) * ceil_div(height, info.block_height) * info.bytes_per_block
