"""View descriptions of Direct3D 10 and 10.1, which spell their dimensions in their own way.

Source: Wine include/d3d10.idl, include/d3d10_1.idl (values as in Direct3D 11, without extended buffers).
"""

from __future__ import annotations

from dataclasses import dataclass

from explorer.core.d3d11_views import (
    BufferRange,
    CubeArrayRange,
    MipArrayRange,
    MipDepthRange,
    MipRange,
    MipSlice,
    MipSliceArray,
    Nothing,
    SliceRange,
)
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.schema import ApiEnum


class SrvDimension10(ApiEnum):
    """D3D10_SRV_DIMENSION."""

    UNKNOWN = 0
    BUFFER = 1
    TEXTURE1D = 2
    TEXTURE1DARRAY = 3
    TEXTURE2D = 4
    TEXTURE2DARRAY = 5
    TEXTURE2DMS = 6
    TEXTURE2DMSARRAY = 7
    TEXTURE3D = 8
    TEXTURECUBE = 9

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D10_SRV_DIMENSION_"


class SrvDimension101(ApiEnum):
    """D3D10_SRV_DIMENSION1: of Direct3D 10.1, with cube arrays."""

    UNKNOWN = 0
    BUFFER = 1
    TEXTURE1D = 2
    TEXTURE1DARRAY = 3
    TEXTURE2D = 4
    TEXTURE2DARRAY = 5
    TEXTURE2DMS = 6
    TEXTURE2DMSARRAY = 7
    TEXTURE3D = 8
    TEXTURECUBE = 9
    TEXTURECUBEARRAY = 10

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D10_1_SRV_DIMENSION_"


class RtvDimension10(ApiEnum):
    """D3D10_RTV_DIMENSION."""

    UNKNOWN = 0
    BUFFER = 1
    TEXTURE1D = 2
    TEXTURE1DARRAY = 3
    TEXTURE2D = 4
    TEXTURE2DARRAY = 5
    TEXTURE2DMS = 6
    TEXTURE2DMSARRAY = 7
    TEXTURE3D = 8

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D10_RTV_DIMENSION_"


class DsvDimension10(ApiEnum):
    """D3D10_DSV_DIMENSION."""

    UNKNOWN = 0
    TEXTURE1D = 1
    TEXTURE1DARRAY = 2
    TEXTURE2D = 3
    TEXTURE2DARRAY = 4
    TEXTURE2DMS = 5
    TEXTURE2DMSARRAY = 6

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D10_DSV_DIMENSION_"


@dataclass(frozen=True, slots=True)
class D3D10_SHADER_RESOURCE_VIEW_DESC:
    """A shader resource view; the member named by ``ViewDimension`` holds the range, absent means all of it."""

    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    ViewDimension: SrvDimension10 = SrvDimension10.UNKNOWN
    Buffer: BufferRange | None = None
    Texture1D: MipRange | None = None
    Texture1DArray: MipArrayRange | None = None
    Texture2D: MipRange | None = None
    Texture2DArray: MipArrayRange | None = None
    Texture2DMS: Nothing | None = None
    Texture2DMSArray: SliceRange | None = None
    Texture3D: MipRange | None = None
    TextureCube: MipRange | None = None


@dataclass(frozen=True, slots=True)
class D3D10_SHADER_RESOURCE_VIEW_DESC1:
    """The same with cube arrays (Direct3D 10.1)."""

    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    ViewDimension: SrvDimension101 = SrvDimension101.UNKNOWN
    Buffer: BufferRange | None = None
    Texture1D: MipRange | None = None
    Texture1DArray: MipArrayRange | None = None
    Texture2D: MipRange | None = None
    Texture2DArray: MipArrayRange | None = None
    Texture2DMS: Nothing | None = None
    Texture2DMSArray: SliceRange | None = None
    Texture3D: MipRange | None = None
    TextureCube: MipRange | None = None
    TextureCubeArray: CubeArrayRange | None = None


@dataclass(frozen=True, slots=True)
class D3D10_RENDER_TARGET_VIEW_DESC:
    """A render target view."""

    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    ViewDimension: RtvDimension10 = RtvDimension10.UNKNOWN
    Buffer: BufferRange | None = None
    Texture1D: MipSlice | None = None
    Texture1DArray: MipSliceArray | None = None
    Texture2D: MipSlice | None = None
    Texture2DArray: MipSliceArray | None = None
    Texture2DMS: Nothing | None = None
    Texture2DMSArray: SliceRange | None = None
    Texture3D: MipDepthRange | None = None


@dataclass(frozen=True, slots=True)
class D3D10_DEPTH_STENCIL_VIEW_DESC:
    """A depth-stencil view; Direct3D 10 has no read-only flags."""

    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    ViewDimension: DsvDimension10 = DsvDimension10.UNKNOWN
    Texture1D: MipSlice | None = None
    Texture1DArray: MipSliceArray | None = None
    Texture2D: MipSlice | None = None
    Texture2DArray: MipSliceArray | None = None
    Texture2DMS: Nothing | None = None
    Texture2DMSArray: SliceRange | None = None
