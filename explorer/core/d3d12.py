"""The calls of D3D12 that are simulated: their inputs, with the API's own parameter names.

The object that a method belongs to is named ``pResource`` (Map, Unmap) or ``pObject`` (Release). A created
object's name is the record's ``out``.
"""

from __future__ import annotations

from dataclasses import dataclass

from explorer.core.calls import CallSpec
from explorer.core.d3d12_enums import (
    BarrierLayout,
    CommandListType,
    Feature,
    HeapFlags,
    HeapType,
    MemorySegmentGroup,
    ResidencyFlags,
    ResourceStates,
    TileMappingFlags,
    TileRangeFlags,
)
from explorer.core.d3d12_structs import (
    Barrier,
    ClearValue,
    DescriptorHandle,
    DescriptorHeapDesc,
    DescriptorTable,
    HeapDesc,
    HeapProperties,
    MemoryRange,
    ResourceDesc,
    RootSignatureDesc,
    TiledResourceCoordinate,
    TileRegionSize,
)
from explorer.core.d3d12_view_enums import DescriptorHeapType, RootSignatureVersion
from explorer.core.d3d12_views import CbvDesc, DsvDesc, RtvDesc, SamplerDesc, SrvDesc, UavDesc
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.schema import UINT, UINT64, ObjectName

UINT64_MAX = 2**64 - 1
APIS = ("d3d12",)


@dataclass(frozen=True, slots=True)
class CheckFeatureSupport:
    """``ID3D12Device::CheckFeatureSupport``: the feature and the input members of its structure."""

    Feature: Feature
    NodeIndex: UINT = 0
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    SampleCount: UINT = 1


@dataclass(frozen=True, slots=True)
class GetCustomHeapProperties:
    """``ID3D12Device::GetCustomHeapProperties``."""

    heapType: HeapType
    nodeMask: UINT = 0


@dataclass(frozen=True, slots=True)
class GetResourceAllocationInfo:
    """``GetResourceAllocationInfo``, ``1`` (per resource) and ``2`` (``D3D12_RESOURCE_DESC1``)."""

    pResourceDescs: tuple[ResourceDesc, ...]
    visibleMask: UINT = 0


@dataclass(frozen=True, slots=True)
class GetResourceAllocationInfo3:
    """``GetResourceAllocationInfo3``: with one list of castable formats per description, or null."""

    pResourceDescs: tuple[ResourceDesc, ...]
    ppCastableFormats: tuple[tuple[DXGI_FORMAT, ...], ...] | None = None
    visibleMask: UINT = 0


@dataclass(frozen=True, slots=True)
class GetCopyableFootprints:
    """``GetCopyableFootprints``: offsets in bytes."""

    pResourceDesc: ResourceDesc
    FirstSubresource: UINT = 0
    NumSubresources: UINT = 1
    BaseOffset: UINT64 = 0


@dataclass(frozen=True, slots=True)
class GetResourceTiling:
    """``GetResourceTiling`` of a live reserved resource."""

    pTiledResource: ObjectName
    pNumSubresourceTilings: UINT = 0xFFFFFFFF
    FirstSubresourceTilingToGet: UINT = 0


@dataclass(frozen=True, slots=True)
class CreateHeap:
    """``CreateHeap`` and ``CreateHeap1``; without ``ppvHeap`` it only asks whether it would work."""

    pDesc: HeapDesc
    ppvHeap: bool = True


@dataclass(frozen=True, slots=True)
class CreateCommittedResource:
    """``CreateCommittedResource``, ``1`` and ``2``; without ``ppvResource`` it only asks whether it would work."""

    pHeapProperties: HeapProperties
    pDesc: ResourceDesc
    InitialResourceState: ResourceStates = ResourceStates.COMMON
    HeapFlags: HeapFlags = HeapFlags.NONE
    pOptimizedClearValue: ClearValue | None = None
    ppvResource: bool = True


@dataclass(frozen=True, slots=True)
class CreateCommittedResource3:
    """``CreateCommittedResource3``: enhanced barriers and castable formats."""

    pHeapProperties: HeapProperties
    pDesc: ResourceDesc
    InitialLayout: BarrierLayout = BarrierLayout.UNDEFINED
    HeapFlags: HeapFlags = HeapFlags.NONE
    pOptimizedClearValue: ClearValue | None = None
    pCastableFormats: tuple[DXGI_FORMAT, ...] = ()
    ppvResource: bool = True


@dataclass(frozen=True, slots=True)
class CreatePlacedResource:
    """``CreatePlacedResource`` and ``1``; the offset in bytes from the start of the heap."""

    pHeap: ObjectName
    HeapOffset: UINT64
    pDesc: ResourceDesc
    InitialState: ResourceStates = ResourceStates.COMMON
    pOptimizedClearValue: ClearValue | None = None
    ppvResource: bool = True


@dataclass(frozen=True, slots=True)
class CreatePlacedResource2:
    """``CreatePlacedResource2``: enhanced barriers and castable formats."""

    pHeap: ObjectName
    HeapOffset: UINT64
    pDesc: ResourceDesc
    InitialLayout: BarrierLayout = BarrierLayout.UNDEFINED
    pOptimizedClearValue: ClearValue | None = None
    pCastableFormats: tuple[DXGI_FORMAT, ...] = ()
    ppvResource: bool = True


@dataclass(frozen=True, slots=True)
class CreateReservedResource:
    """``CreateReservedResource`` and ``1``."""

    pDesc: ResourceDesc
    InitialState: ResourceStates = ResourceStates.COMMON
    pOptimizedClearValue: ClearValue | None = None
    ppvResource: bool = True


@dataclass(frozen=True, slots=True)
class CreateReservedResource2:
    """``CreateReservedResource2``: enhanced barriers and castable formats."""

    pDesc: ResourceDesc
    InitialLayout: BarrierLayout = BarrierLayout.UNDEFINED
    pOptimizedClearValue: ClearValue | None = None
    pCastableFormats: tuple[DXGI_FORMAT, ...] = ()
    ppvResource: bool = True


@dataclass(frozen=True, slots=True)
class UpdateTileMappings:
    """``UpdateTileMappings``; null arrays have the API's meaning, offsets and counts are in tiles of 64 KiB."""

    pResource: ObjectName
    pHeap: ObjectName | None = None
    NumResourceRegions: UINT = 1
    pResourceRegionStartCoordinates: tuple[TiledResourceCoordinate, ...] | None = None
    pResourceRegionSizes: tuple[TileRegionSize, ...] | None = None
    NumRanges: UINT = 1
    pRangeFlags: tuple[TileRangeFlags, ...] | None = None
    pHeapRangeStartOffsets: tuple[UINT, ...] | None = None
    pRangeTileCounts: tuple[UINT, ...] | None = None
    Flags: TileMappingFlags = TileMappingFlags.NONE


@dataclass(frozen=True, slots=True)
class CopyTileMappings:
    """``CopyTileMappings``: the mapping is copied, not the data."""

    pDstResource: ObjectName
    pDstRegionStartCoordinate: TiledResourceCoordinate
    pSrcResource: ObjectName
    pSrcRegionStartCoordinate: TiledResourceCoordinate
    pRegionSize: TileRegionSize
    Flags: TileMappingFlags = TileMappingFlags.NONE


@dataclass(frozen=True, slots=True)
class Map:
    """``ID3D12Resource::Map``; a null read range means that all may be read."""

    pResource: ObjectName
    Subresource: UINT = 0
    pReadRange: MemoryRange | None = None
    ppData: bool = True


@dataclass(frozen=True, slots=True)
class Unmap:
    """``ID3D12Resource::Unmap``; a null written range means that all may have been written."""

    pResource: ObjectName
    Subresource: UINT = 0
    pWrittenRange: MemoryRange | None = None


@dataclass(frozen=True, slots=True)
class CreateDescriptorHeap:
    """``CreateDescriptorHeap``."""

    pDescriptorHeapDesc: DescriptorHeapDesc


@dataclass(frozen=True, slots=True)
class GetDescriptorHandleIncrementSize:
    """``GetDescriptorHandleIncrementSize``."""

    DescriptorHeapType: DescriptorHeapType


@dataclass(frozen=True, slots=True)
class CreateConstantBufferView:
    """``CreateConstantBufferView``; a null description makes a null descriptor."""

    DestDescriptor: DescriptorHandle
    pDesc: CbvDesc | None = None


@dataclass(frozen=True, slots=True)
class CreateShaderResourceView:
    """``CreateShaderResourceView``; a null resource with a description makes a null descriptor."""

    DestDescriptor: DescriptorHandle
    pResource: ObjectName | None = None
    pDesc: SrvDesc | None = None


@dataclass(frozen=True, slots=True)
class CreateUnorderedAccessView:
    """``CreateUnorderedAccessView``."""

    DestDescriptor: DescriptorHandle
    pResource: ObjectName | None = None
    pCounterResource: ObjectName | None = None
    pDesc: UavDesc | None = None


@dataclass(frozen=True, slots=True)
class CreateRenderTargetView:
    """``CreateRenderTargetView``."""

    DestDescriptor: DescriptorHandle
    pResource: ObjectName | None = None
    pDesc: RtvDesc | None = None


@dataclass(frozen=True, slots=True)
class CreateDepthStencilView:
    """``CreateDepthStencilView``."""

    DestDescriptor: DescriptorHandle
    pResource: ObjectName | None = None
    pDesc: DsvDesc | None = None


@dataclass(frozen=True, slots=True)
class CreateSampler:
    """``CreateSampler``."""

    DestDescriptor: DescriptorHandle
    pDesc: SamplerDesc = SamplerDesc()  # noqa: RUF009 - frozen, so one shared default is safe


@dataclass(frozen=True, slots=True)
class CopyDescriptors:
    """``CopyDescriptors``; null sizes mean one descriptor for each range."""

    pDestDescriptorRangeStarts: tuple[DescriptorHandle, ...]
    pSrcDescriptorRangeStarts: tuple[DescriptorHandle, ...]
    DescriptorHeapsType: DescriptorHeapType
    pDestDescriptorRangeSizes: tuple[UINT, ...] | None = None
    pSrcDescriptorRangeSizes: tuple[UINT, ...] | None = None


@dataclass(frozen=True, slots=True)
class CopyDescriptorsSimple:
    """``CopyDescriptorsSimple``."""

    NumDescriptors: UINT
    DestDescriptorRangeStart: DescriptorHandle
    SrcDescriptorRangeStart: DescriptorHandle
    DescriptorHeapsType: DescriptorHeapType


@dataclass(frozen=True, slots=True)
class CreateRootSignature:
    """``D3D12SerializeVersionedRootSignature`` and ``CreateRootSignature`` in one."""

    pRootSignature: RootSignatureDesc
    Version: RootSignatureVersion = RootSignatureVersion["_1_1"]
    nodeMask: UINT = 0


@dataclass(frozen=True, slots=True)
class MakeResident:
    """``MakeResident``: heaps, committed resources, descriptor and query heaps."""

    ppObjects: tuple[ObjectName, ...]


@dataclass(frozen=True, slots=True)
class Evict:
    """``Evict``."""

    ppObjects: tuple[ObjectName, ...]


@dataclass(frozen=True, slots=True)
class EnqueueMakeResident:
    """``EnqueueMakeResident``: returns at once; the fence has the value when the bytes are there.

    Attributes:
        ppObjects: As for ``MakeResident``.
        Flags: Whether going over the budget is denied.
        pFenceToSignal: The fence. The API takes no null; here it means that the call waits, as MakeResident does.
        FenceValueToSignal: Its value.
    """

    ppObjects: tuple[ObjectName, ...]
    Flags: ResidencyFlags = ResidencyFlags.NONE
    pFenceToSignal: ObjectName | None = None
    FenceValueToSignal: UINT64 = 0


@dataclass(frozen=True, slots=True)
class SetResidencyPriority:
    """``SetResidencyPriority``: one 32-bit priority per object."""

    ppObjects: tuple[ObjectName, ...]
    pPriorities: tuple[UINT, ...]


@dataclass(frozen=True, slots=True)
class QueryVideoMemoryInfo:
    """``IDXGIAdapter3::QueryVideoMemoryInfo``."""

    NodeIndex: UINT = 0
    MemorySegmentGroup: MemorySegmentGroup = MemorySegmentGroup.LOCAL


@dataclass(frozen=True, slots=True)
class SetVideoMemoryReservation:
    """``IDXGIAdapter3::SetVideoMemoryReservation``: bytes."""

    Reservation: UINT64
    NodeIndex: UINT = 0
    MemorySegmentGroup: MemorySegmentGroup = MemorySegmentGroup.LOCAL


@dataclass(frozen=True, slots=True)
class ExecuteCommandLists:
    """``ExecuteCommandLists``: what the lists use, said in place of the commands themselves.

    Attributes:
        references: Objects that must be resident (heaps or resources).
        writes: Those of them that are written as a whole, as a pass clears and fills its targets.
        descriptor_heaps: The heaps set on the list, at most one of each type.
        tables: Descriptor ranges that the shaders read at execution.
        root_signature: The root signature in use.
        queue: The queue's type, where no queue is named.
        ppCommandLists: Lists that were recorded call by call and closed.
        NodeMask: The queue's node, where no queue is named; 0 means the first.
        pCommandQueue: The queue; null for one of the type ``queue`` that is always there.
    """

    references: tuple[ObjectName, ...] = ()
    writes: tuple[ObjectName, ...] = ()
    descriptor_heaps: tuple[ObjectName, ...] = ()
    tables: tuple[DescriptorTable, ...] = ()
    root_signature: ObjectName | None = None
    queue: CommandListType = CommandListType.DIRECT
    ppCommandLists: tuple[ObjectName, ...] = ()
    NodeMask: UINT = 0
    pCommandQueue: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class ResourceBarrier:
    """``ID3D12GraphicsCommandList::ResourceBarrier``, executed with the next submission."""

    pBarriers: tuple[Barrier, ...]


@dataclass(frozen=True, slots=True)
class Present:
    """``IDXGISwapChain::Present``: ends a frame."""

    SyncInterval: UINT = 0
    Flags: UINT = 0


@dataclass(frozen=True, slots=True)
class Release:
    """``IUnknown::Release`` of the last reference."""

    pObject: ObjectName


CALLS = (
    CallSpec(APIS, "CheckFeatureSupport", CheckFeatureSupport),
    CallSpec(APIS, "GetCustomHeapProperties", GetCustomHeapProperties),
    CallSpec(APIS, "GetResourceAllocationInfo", GetResourceAllocationInfo),
    CallSpec(APIS, "GetResourceAllocationInfo1", GetResourceAllocationInfo),
    CallSpec(APIS, "GetResourceAllocationInfo2", GetResourceAllocationInfo),
    CallSpec(APIS, "GetResourceAllocationInfo3", GetResourceAllocationInfo3),
    CallSpec(APIS, "GetCopyableFootprints", GetCopyableFootprints),
    CallSpec(APIS, "GetCopyableFootprints1", GetCopyableFootprints),
    CallSpec(APIS, "GetResourceTiling", GetResourceTiling),
    CallSpec(APIS, "CreateHeap", CreateHeap, "heap"),
    CallSpec(APIS, "CreateHeap1", CreateHeap, "heap"),
    CallSpec(APIS, "CreateCommittedResource", CreateCommittedResource, "committed"),
    CallSpec(APIS, "CreateCommittedResource1", CreateCommittedResource, "committed"),
    CallSpec(APIS, "CreateCommittedResource2", CreateCommittedResource, "committed"),
    CallSpec(APIS, "CreateCommittedResource3", CreateCommittedResource3, "committed"),
    CallSpec(APIS, "CreatePlacedResource", CreatePlacedResource, "placed"),
    CallSpec(APIS, "CreatePlacedResource1", CreatePlacedResource, "placed"),
    CallSpec(APIS, "CreatePlacedResource2", CreatePlacedResource2, "placed"),
    CallSpec(APIS, "CreateReservedResource", CreateReservedResource, "reserved"),
    CallSpec(APIS, "CreateReservedResource1", CreateReservedResource, "reserved"),
    CallSpec(APIS, "CreateReservedResource2", CreateReservedResource2, "reserved"),
    CallSpec(APIS, "UpdateTileMappings", UpdateTileMappings),
    CallSpec(APIS, "CopyTileMappings", CopyTileMappings),
    CallSpec(APIS, "Map", Map),
    CallSpec(APIS, "Unmap", Unmap),
    CallSpec(APIS, "CreateDescriptorHeap", CreateDescriptorHeap, "descriptor_heap"),
    CallSpec(APIS, "GetDescriptorHandleIncrementSize", GetDescriptorHandleIncrementSize),
    CallSpec(APIS, "CreateConstantBufferView", CreateConstantBufferView),
    CallSpec(APIS, "CreateShaderResourceView", CreateShaderResourceView),
    CallSpec(APIS, "CreateUnorderedAccessView", CreateUnorderedAccessView),
    CallSpec(APIS, "CreateRenderTargetView", CreateRenderTargetView),
    CallSpec(APIS, "CreateDepthStencilView", CreateDepthStencilView),
    CallSpec(APIS, "CreateSampler", CreateSampler),
    CallSpec(APIS, "CopyDescriptors", CopyDescriptors),
    CallSpec(APIS, "CopyDescriptorsSimple", CopyDescriptorsSimple),
    CallSpec(APIS, "CreateRootSignature", CreateRootSignature, "root_signature"),
    CallSpec(APIS, "MakeResident", MakeResident),
    CallSpec(APIS, "Evict", Evict),
    CallSpec(APIS, "EnqueueMakeResident", EnqueueMakeResident),
    CallSpec(APIS, "SetResidencyPriority", SetResidencyPriority),
    CallSpec(APIS, "QueryVideoMemoryInfo", QueryVideoMemoryInfo),
    CallSpec(APIS, "SetVideoMemoryReservation", SetVideoMemoryReservation),
    CallSpec(APIS, "ExecuteCommandLists", ExecuteCommandLists),
    CallSpec(APIS, "ResourceBarrier", ResourceBarrier),
    CallSpec(APIS, "Present", Present),
    CallSpec(APIS, "Release", Release),
)
