"""The structures that D3D12 calls take, with the API's own member names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from explorer.core.d3d12_enums import (
    CpuPageProperty,
    HeapFlags,
    HeapType,
    MemoryPool,
    ResourceBarrierFlags,
    ResourceBarrierType,
    ResourceDimension,
    ResourceFlags,
    ResourceStates,
    TextureLayout,
)
from explorer.core.d3d12_view_enums import (
    DescriptorHeapFlags,
    DescriptorHeapType,
    DescriptorRangeFlags,
    DescriptorRangeType,
    RootDescriptorFlags,
    RootParameterType,
    RootSignatureFlags,
    ShaderVisibility,
)
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.schema import UINT, UINT16, UINT64, ObjectName, Range

ALL_SUBRESOURCES = 0xFFFFFFFF
"""``D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES``; the same number marks packed tiles."""


@dataclass(frozen=True, slots=True)
class SampleDesc:
    """``DXGI_SAMPLE_DESC``."""

    Count: UINT = 1
    Quality: UINT = 0


@dataclass(frozen=True, slots=True)
class MipRegion:
    """``D3D12_MIP_REGION``: only sampler feedback maps have one."""

    Width: UINT = 0
    Height: UINT = 0
    Depth: UINT = 0


@dataclass(frozen=True, slots=True)
class ResourceDesc:
    """``D3D12_RESOURCE_DESC`` and ``D3D12_RESOURCE_DESC1``.

    Attributes:
        Dimension: Buffer or texture, and of how many axes.
        Alignment: Bytes; 0 lets the runtime choose.
        Width: Bytes of a buffer, texels of a texture.
        Height: Texels; 1 for buffers and 1D textures.
        DepthOrArraySize: Depth slices of a 3D texture, else array slices.
        MipLevels: 0 means the full chain (textures only).
        Format: UNKNOWN for buffers.
        SampleDesc: Count 1 without multisampling.
        Layout: ROW_MAJOR for buffers.
        Flags: What the resource may be used for.
        SamplerFeedbackMipRegion: Zero unless the format is a sampler feedback format.
    """

    Dimension: ResourceDimension
    Alignment: UINT64 = 0
    Width: UINT64 = 1
    Height: UINT = 1
    DepthOrArraySize: UINT16 = 1
    MipLevels: UINT16 = 1
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    SampleDesc: SampleDesc = SampleDesc()  # noqa: RUF009 - frozen, so one shared default is safe
    Layout: TextureLayout = TextureLayout.UNKNOWN
    Flags: ResourceFlags = ResourceFlags.NONE
    SamplerFeedbackMipRegion: MipRegion = MipRegion()


@dataclass(frozen=True, slots=True)
class HeapProperties:
    """``D3D12_HEAP_PROPERTIES``; a node mask of 0 means node 1."""

    Type: HeapType
    CPUPageProperty: CpuPageProperty = CpuPageProperty.UNKNOWN
    MemoryPoolPreference: MemoryPool = MemoryPool.UNKNOWN
    CreationNodeMask: UINT = 0
    VisibleNodeMask: UINT = 0


@dataclass(frozen=True, slots=True)
class HeapDesc:
    """``D3D12_HEAP_DESC``; sizes and alignment in bytes, an alignment of 0 means 64 KiB."""

    SizeInBytes: UINT64
    Properties: HeapProperties
    Alignment: UINT64 = 0
    Flags: HeapFlags = HeapFlags.NONE


@dataclass(frozen=True, slots=True)
class DepthStencilValue:
    """``D3D12_DEPTH_STENCIL_VALUE``."""

    Depth: float = 0.0
    Stencil: Annotated[int, Range(0, 255)] = 0


@dataclass(frozen=True, slots=True)
class ClearValue:
    """``D3D12_CLEAR_VALUE``: a colour or a depth-stencil value."""

    Format: DXGI_FORMAT
    Color: tuple[float, float, float, float] | None = None
    DepthStencil: DepthStencilValue | None = None


@dataclass(frozen=True, slots=True)
class MemoryRange:
    """``D3D12_RANGE``: bytes, ``End`` exclusive; an empty range means that nothing is read or written."""

    Begin: UINT64
    End: UINT64


@dataclass(frozen=True, slots=True)
class TiledResourceCoordinate:
    """``D3D12_TILED_RESOURCE_COORDINATE``, in tiles."""

    X: UINT = 0
    Y: UINT = 0
    Z: UINT = 0
    Subresource: UINT = 0


@dataclass(frozen=True, slots=True)
class TileRegionSize:
    """``D3D12_TILE_REGION_SIZE``, in tiles; the box counts only with ``UseBox``."""

    NumTiles: UINT
    UseBox: bool = False
    Width: UINT = 0
    Height: UINT16 = 0
    Depth: UINT16 = 0


@dataclass(frozen=True, slots=True)
class DescriptorHeapDesc:
    """``D3D12_DESCRIPTOR_HEAP_DESC``."""

    Type: DescriptorHeapType
    NumDescriptors: UINT
    Flags: DescriptorHeapFlags = DescriptorHeapFlags.NONE
    NodeMask: UINT = 0


@dataclass(frozen=True, slots=True)
class DescriptorHandle:
    """A descriptor: the heap's name and the slot's number (the API has an address: start + slot × increment)."""

    heap: ObjectName
    index: UINT = 0


@dataclass(frozen=True, slots=True)
class DescriptorTable:
    """A range of descriptors that a root table parameter points to."""

    heap: ObjectName
    first: UINT
    count: UINT


@dataclass(frozen=True, slots=True)
class DescriptorRange:
    """``D3D12_DESCRIPTOR_RANGE1``; the flags exist from root signature 1.1 on."""

    RangeType: DescriptorRangeType
    NumDescriptors: UINT
    BaseShaderRegister: UINT = 0
    RegisterSpace: UINT = 0
    Flags: DescriptorRangeFlags = DescriptorRangeFlags.NONE
    OffsetInDescriptorsFromTableStart: UINT = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class RootDescriptorTable:
    """``D3D12_ROOT_DESCRIPTOR_TABLE1``."""

    pDescriptorRanges: tuple[DescriptorRange, ...] = ()


@dataclass(frozen=True, slots=True)
class RootConstants:
    """``D3D12_ROOT_CONSTANTS``."""

    ShaderRegister: UINT = 0
    RegisterSpace: UINT = 0
    Num32BitValues: UINT = 1


@dataclass(frozen=True, slots=True)
class RootDescriptor:
    """``D3D12_ROOT_DESCRIPTOR1``."""

    ShaderRegister: UINT = 0
    RegisterSpace: UINT = 0
    Flags: RootDescriptorFlags = RootDescriptorFlags.NONE


@dataclass(frozen=True, slots=True)
class RootParameter:
    """``D3D12_ROOT_PARAMETER1``: one of table, constants, descriptor, as ``ParameterType`` says."""

    ParameterType: RootParameterType
    DescriptorTable: RootDescriptorTable | None = None
    Constants: RootConstants | None = None
    Descriptor: RootDescriptor | None = None
    ShaderVisibility: ShaderVisibility = ShaderVisibility.ALL


@dataclass(frozen=True, slots=True)
class StaticSampler:
    """``D3D12_STATIC_SAMPLER_DESC``: what decides about conflicts and limits."""

    ShaderRegister: UINT = 0
    RegisterSpace: UINT = 0
    ShaderVisibility: ShaderVisibility = ShaderVisibility.ALL


@dataclass(frozen=True, slots=True)
class RootSignatureDesc:
    """``D3D12_ROOT_SIGNATURE_DESC1``."""

    pParameters: tuple[RootParameter, ...] = ()
    pStaticSamplers: tuple[StaticSampler, ...] = ()
    Flags: RootSignatureFlags = RootSignatureFlags.NONE


@dataclass(frozen=True, slots=True)
class TransitionBarrier:
    """``D3D12_RESOURCE_TRANSITION_BARRIER``."""

    pResource: ObjectName
    StateBefore: ResourceStates
    StateAfter: ResourceStates
    Subresource: UINT = ALL_SUBRESOURCES


@dataclass(frozen=True, slots=True)
class AliasingBarrier:
    """``D3D12_RESOURCE_ALIASING_BARRIER``; null means any resource of the heap."""

    pResourceBefore: ObjectName | None = None
    pResourceAfter: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class UavBarrier:
    """``D3D12_RESOURCE_UAV_BARRIER``; null means any unordered access."""

    pResource: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class Barrier:
    """``D3D12_RESOURCE_BARRIER``: one of the three parts, as ``Type`` says."""

    Type: ResourceBarrierType
    Flags: ResourceBarrierFlags = ResourceBarrierFlags.NONE
    Transition: TransitionBarrier | None = None
    Aliasing: AliasingBarrier | None = None
    UAV: UavBarrier | None = None
