"""View and sampler descriptions of D3D12, with the API's own member names."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.core.d3d12_view_enums import (
    BufferSrvFlags,
    BufferUavFlags,
    DsvDimension,
    DsvFlags,
    RtvDimension,
    SrvDimension,
    UavDimension,
)
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.schema import UINT, UINT64, ObjectName

ALL_LEVELS = 0xFFFFFFFF
"""``MipLevels`` of a shader resource view that takes all levels from the most detailed one."""
DEFAULT_MAPPING = 0x1688
"""``D3D12_DEFAULT_SHADER_4_COMPONENT_MAPPING``."""


@dataclass(frozen=True, slots=True)
class BufferRange:
    """``D3D12_BUFFER_SRV``, ``_UAV`` and ``_RTV``: in elements; stride in bytes for structured buffers."""

    FirstElement: UINT64 = 0
    NumElements: UINT = 0
    StructureByteStride: UINT = 0
    CounterOffsetInBytes: UINT64 = 0
    SrvFlags: BufferSrvFlags = BufferSrvFlags.NONE
    UavFlags: BufferUavFlags = BufferUavFlags.NONE


@dataclass(frozen=True, slots=True)
class TextureRange:
    """The parts of a texture that a view shows: the union of the texture members of all view structures.

    Attributes:
        MostDetailedMip: First level (SRV).
        MipLevels: Levels (SRV); ``ALL_LEVELS`` for all from the first.
        MipSlice: Level (UAV, RTV, DSV).
        FirstArraySlice: First slice of an array, first 2D face of a cube array.
        ArraySize: Slices.
        PlaneSlice: Plane.
        FirstWSlice: First depth slice of a 3D texture (UAV, RTV).
        WSize: Depth slices of a 3D texture.
        NumCubes: Cubes of a cube array.
        ResourceMinLODClamp: The lowest level that may be read.
    """

    MostDetailedMip: UINT = 0
    MipLevels: UINT = ALL_LEVELS
    MipSlice: UINT = 0
    FirstArraySlice: UINT = 0
    ArraySize: UINT = 1
    PlaneSlice: UINT = 0
    FirstWSlice: UINT = 0
    WSize: UINT = ALL_LEVELS
    NumCubes: UINT = 1
    ResourceMinLODClamp: float = 0.0


@dataclass(frozen=True, slots=True)
class CbvDesc:
    """``D3D12_CONSTANT_BUFFER_VIEW_DESC``: the address is written as resource plus offset in bytes."""

    resource: ObjectName
    SizeInBytes: UINT
    offset: UINT64 = 0


@dataclass(frozen=True, slots=True)
class SrvDesc:
    """``D3D12_SHADER_RESOURCE_VIEW_DESC``; ``Buffer`` or ``Texture`` as the dimension says."""

    ViewDimension: SrvDimension
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    Shader4ComponentMapping: UINT = DEFAULT_MAPPING
    Buffer: BufferRange | None = None
    Texture: TextureRange | None = None


@dataclass(frozen=True, slots=True)
class UavDesc:
    """``D3D12_UNORDERED_ACCESS_VIEW_DESC``."""

    ViewDimension: UavDimension
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    Buffer: BufferRange | None = None
    Texture: TextureRange | None = None


@dataclass(frozen=True, slots=True)
class RtvDesc:
    """``D3D12_RENDER_TARGET_VIEW_DESC``."""

    ViewDimension: RtvDimension
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    Buffer: BufferRange | None = None
    Texture: TextureRange | None = None


@dataclass(frozen=True, slots=True)
class DsvDesc:
    """``D3D12_DEPTH_STENCIL_VIEW_DESC``."""

    ViewDimension: DsvDimension
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    Flags: DsvFlags = DsvFlags.NONE
    Texture: TextureRange | None = None


@dataclass(frozen=True, slots=True)
class SamplerDesc:
    """``D3D12_SAMPLER_DESC``: what matters for memory is that a slot holds one; filter as its number."""

    Filter: UINT = 0x15
    MaxAnisotropy: UINT = 1
    MipLODBias: float = 0.0
    MinLOD: float = 0.0
    MaxLOD: float = 3.4028234663852886e38
