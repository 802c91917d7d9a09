"""View descriptions of Direct3D 10 and 11: the structures and the member of the union that the dimension selects."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.core.d3d11_enums import (
    BufferExSrvFlag,
    BufferUavFlag,
    DsvDimension,
    DsvFlag,
    RtvDimension,
    SrvDimension,
    UavDimension,
)
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.schema import UINT

ALL_MIPS = 2**32 - 1
"""``MipLevels``, ``ArraySize`` or ``WSize`` of −1: everything from the first one on."""

_NO_BUFFER_EX_SRV_FLAG = BufferExSrvFlag(0)
_NO_BUFFER_UAV_FLAG = BufferUavFlag(0)
_NO_DSV_FLAG = DsvFlag(0)


@dataclass(frozen=True, slots=True)
class BufferRange:
    """Elements of a buffer (SRV and RTV); counted in elements of the view's format or in structures."""

    FirstElement: UINT = 0
    NumElements: UINT = 0


@dataclass(frozen=True, slots=True)
class BufferExRange:
    """Elements of a buffer with flags (SRV)."""

    FirstElement: UINT = 0
    NumElements: UINT = 0
    Flags: BufferExSrvFlag = _NO_BUFFER_EX_SRV_FLAG


@dataclass(frozen=True, slots=True)
class BufferUavRange:
    """Elements of a buffer with flags (UAV)."""

    FirstElement: UINT = 0
    NumElements: UINT = 0
    Flags: BufferUavFlag = _NO_BUFFER_UAV_FLAG


@dataclass(frozen=True, slots=True)
class MipRange:
    """Levels of a texture (SRV of 1D, 2D, 3D and cube)."""

    MostDetailedMip: UINT = 0
    MipLevels: UINT = ALL_MIPS


@dataclass(frozen=True, slots=True)
class MipArrayRange:
    """Levels and slices of a texture array (SRV)."""

    MostDetailedMip: UINT = 0
    MipLevels: UINT = ALL_MIPS
    FirstArraySlice: UINT = 0
    ArraySize: UINT = ALL_MIPS


@dataclass(frozen=True, slots=True)
class CubeArrayRange:
    """Levels and cubes of a cube array (SRV)."""

    MostDetailedMip: UINT = 0
    MipLevels: UINT = ALL_MIPS
    First2DArrayFace: UINT = 0
    NumCubes: UINT = ALL_MIPS


@dataclass(frozen=True, slots=True)
class SliceRange:
    """Slices of a multisampled array."""

    FirstArraySlice: UINT = 0
    ArraySize: UINT = ALL_MIPS


@dataclass(frozen=True, slots=True)
class MipSlice:
    """One level (RTV, DSV, UAV)."""

    MipSlice: UINT = 0


@dataclass(frozen=True, slots=True)
class MipSliceArray:
    """One level of some slices (RTV, DSV, UAV)."""

    MipSlice: UINT = 0
    FirstArraySlice: UINT = 0
    ArraySize: UINT = ALL_MIPS


@dataclass(frozen=True, slots=True)
class MipDepthRange:
    """One level and some depth slices of a 3D texture (RTV, UAV)."""

    MipSlice: UINT = 0
    FirstWSlice: UINT = 0
    WSize: UINT = ALL_MIPS


@dataclass(frozen=True, slots=True)
class Nothing:
    """The member of a multisampled 2D view, which has no choice."""


@dataclass(frozen=True, slots=True)
class D3D11_SHADER_RESOURCE_VIEW_DESC:
    """A shader resource view; the member named by ``ViewDimension`` holds the range, absent means all of it."""

    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    ViewDimension: SrvDimension = SrvDimension.UNKNOWN
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
    BufferEx: BufferExRange | None = None


@dataclass(frozen=True, slots=True)
class D3D11_RENDER_TARGET_VIEW_DESC:
    """A render target view; see D3D11_SHADER_RESOURCE_VIEW_DESC."""

    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    ViewDimension: RtvDimension = RtvDimension.UNKNOWN
    Buffer: BufferRange | None = None
    Texture1D: MipSlice | None = None
    Texture1DArray: MipSliceArray | None = None
    Texture2D: MipSlice | None = None
    Texture2DArray: MipSliceArray | None = None
    Texture2DMS: Nothing | None = None
    Texture2DMSArray: SliceRange | None = None
    Texture3D: MipDepthRange | None = None


@dataclass(frozen=True, slots=True)
class D3D11_DEPTH_STENCIL_VIEW_DESC:
    """A depth-stencil view; see D3D11_SHADER_RESOURCE_VIEW_DESC."""

    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    ViewDimension: DsvDimension = DsvDimension.UNKNOWN
    Flags: DsvFlag = _NO_DSV_FLAG
    Texture1D: MipSlice | None = None
    Texture1DArray: MipSliceArray | None = None
    Texture2D: MipSlice | None = None
    Texture2DArray: MipSliceArray | None = None
    Texture2DMS: Nothing | None = None
    Texture2DMSArray: SliceRange | None = None


@dataclass(frozen=True, slots=True)
class D3D11_UNORDERED_ACCESS_VIEW_DESC:
    """An unordered access view; see D3D11_SHADER_RESOURCE_VIEW_DESC."""

    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    ViewDimension: UavDimension = UavDimension.UNKNOWN
    Buffer: BufferUavRange | None = None
    Texture1D: MipSlice | None = None
    Texture1DArray: MipSliceArray | None = None
    Texture2D: MipSlice | None = None
    Texture2DArray: MipSliceArray | None = None
    Texture3D: MipDepthRange | None = None
