"""Calls of D3D12 lists, queues, fences, copies and notifications: their inputs, with the API's own parameter names.

A method's object is named ``pCommandList``. A list records from its creation on until ``Close``;
``ExecuteCommandLists`` names it in ``ppCommandLists``.
"""

from __future__ import annotations

from dataclasses import dataclass

from explorer.core.calls import CallSpec
from explorer.core.d3d12_enums import (
    CommandListType,
    CommandQueueFlags,
    FenceFlags,
    MemorySegmentGroup,
    QueryHeapType,
)
from explorer.core.d3d12_structs import DescriptorHandle
from explorer.core.schema import INT, UINT, UINT64, ObjectName

APIS = ("d3d12",)


@dataclass(frozen=True, slots=True)
class CreateCommandList:
    """``CreateCommandList``: the list records at once."""

    type: CommandListType = CommandListType.DIRECT
    nodeMask: UINT = 0


@dataclass(frozen=True, slots=True)
class ListCall:
    """``Close`` and ``Reset`` of a command list."""

    pCommandList: ObjectName


@dataclass(frozen=True, slots=True)
class CommandQueueDesc:
    """``D3D12_COMMAND_QUEUE_DESC``."""

    Type: CommandListType = CommandListType.DIRECT
    Priority: INT = 0
    Flags: CommandQueueFlags = CommandQueueFlags.NONE
    NodeMask: UINT = 0


@dataclass(frozen=True, slots=True)
class CreateCommandQueue:
    """``CreateCommandQueue``."""

    pDesc: CommandQueueDesc = CommandQueueDesc()


@dataclass(frozen=True, slots=True)
class QueryHeapDesc:
    """``D3D12_QUERY_HEAP_DESC``."""

    Type: QueryHeapType
    Count: UINT
    NodeMask: UINT = 0


@dataclass(frozen=True, slots=True)
class CreateQueryHeap:
    """``CreateQueryHeap``."""

    pDesc: QueryHeapDesc


@dataclass(frozen=True, slots=True)
class CreateFence:
    """``CreateFence``."""

    InitialValue: UINT64 = 0
    Flags: FenceFlags = FenceFlags.NONE


@dataclass(frozen=True, slots=True)
class Signal:
    """``ID3D12CommandQueue::Signal``, and ``ID3D12Fence::Signal`` where no queue is named.

    Attributes:
        pFence: The fence.
        Value: What it is set to: by a queue when everything before is done, by the CPU at once.
        pCommandQueue: The queue; null for the CPU.
    """

    pFence: ObjectName
    Value: UINT64
    pCommandQueue: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """``ID3D12CommandQueue::Wait``: what the queue gets from now on begins when the fence has the value."""

    pCommandQueue: ObjectName
    pFence: ObjectName
    Value: UINT64


@dataclass(frozen=True, slots=True)
class SetEventOnCompletion:
    """``ID3D12Fence::SetEventOnCompletion`` with a null event: the CPU waits until the fence has the value."""

    pFence: ObjectName
    Value: UINT64


@dataclass(frozen=True, slots=True)
class GetCompletedValue:
    """``ID3D12Fence::GetCompletedValue``."""

    pFence: ObjectName


@dataclass(frozen=True, slots=True)
class SetDescriptorHeaps:
    """``SetDescriptorHeaps``: replaces the heaps that were set before."""

    pCommandList: ObjectName
    ppDescriptorHeaps: tuple[ObjectName, ...]


@dataclass(frozen=True, slots=True)
class SetRootSignature:
    """``SetGraphicsRootSignature`` and ``SetComputeRootSignature``."""

    pCommandList: ObjectName
    pRootSignature: ObjectName


@dataclass(frozen=True, slots=True)
class SetRootDescriptorTable:
    """``SetGraphicsRootDescriptorTable`` and ``SetComputeRootDescriptorTable``.

    Attributes:
        pCommandList: The list.
        RootParameterIndex: Which parameter of the root signature.
        BaseDescriptor: First descriptor.
        NumDescriptors: How many the shaders read where a range of the root signature has no end; no API parameter.
    """

    pCommandList: ObjectName
    RootParameterIndex: UINT
    BaseDescriptor: DescriptorHandle
    NumDescriptors: UINT = 1


@dataclass(frozen=True, slots=True)
class OMSetRenderTargets:
    """``OMSetRenderTargets``: the contents of the descriptors are recorded."""

    pCommandList: ObjectName
    pRenderTargetDescriptors: tuple[DescriptorHandle, ...] = ()
    pDepthStencilDescriptor: DescriptorHandle | None = None


@dataclass(frozen=True, slots=True)
class BufferView:
    """``D3D12_VERTEX_BUFFER_VIEW``, index buffer and stream-output views: the buffer (the API has its address)."""

    resource: ObjectName
    SizeInBytes: UINT = 0


@dataclass(frozen=True, slots=True)
class SetBufferViews:
    """``IASetVertexBuffers`` and ``SOSetTargets``: the views themselves are recorded, there is no heap for them."""

    pCommandList: ObjectName
    pViews: tuple[BufferView, ...]
    StartSlot: UINT = 0


@dataclass(frozen=True, slots=True)
class IASetIndexBuffer:
    """``IASetIndexBuffer``."""

    pCommandList: ObjectName
    pView: BufferView | None = None


@dataclass(frozen=True, slots=True)
class ClearRenderTargetView:
    """``ClearRenderTargetView`` of the whole target; its colour changes no memory's place."""

    pCommandList: ObjectName
    RenderTargetView: DescriptorHandle


@dataclass(frozen=True, slots=True)
class ClearDepthStencilView:
    """``ClearDepthStencilView`` of the whole resource."""

    pCommandList: ObjectName
    DepthStencilView: DescriptorHandle


@dataclass(frozen=True, slots=True)
class DiscardResource:
    """``DiscardResource``."""

    pCommandList: ObjectName
    pResource: ObjectName


@dataclass(frozen=True, slots=True)
class DrawInstanced:
    """``DrawInstanced``, ``DrawIndexedInstanced`` and ``Dispatch``.

    Attributes:
        pCommandList: The list.
        references: What the shaders read through tables and root descriptors, said in place of the shaders themselves.
    """

    pCommandList: ObjectName
    references: tuple[ObjectName, ...] = ()


@dataclass(frozen=True, slots=True)
class CopyResource:
    """``CopyResource`` and ``CopyBufferRegion``: executed with the next submission.

    Attributes:
        pDstResource: What is written.
        pSrcResource: What is read.
        NumBytes: Bytes of a buffer region; 0 for all.
    """

    pDstResource: ObjectName
    pSrcResource: ObjectName
    NumBytes: UINT64 = 0


@dataclass(frozen=True, slots=True)
class RegisterNotification:
    """``IDXGIAdapter3::RegisterVideoMemoryBudgetChangeNotificationEvent``."""

    NodeIndex: UINT = 0
    MemorySegmentGroup: MemorySegmentGroup = MemorySegmentGroup.LOCAL


@dataclass(frozen=True, slots=True)
class GetDeviceRemovedReason:
    """``ID3D12Device::GetDeviceRemovedReason``: S_OK while the device works."""


CALLS = (
    CallSpec(APIS, "CreateCommandList", CreateCommandList, "command_list"),
    CallSpec(APIS, "CreateCommandQueue", CreateCommandQueue, "command_queue"),
    CallSpec(APIS, "CreateFence", CreateFence, "fence"),
    CallSpec(APIS, "CreateQueryHeap", CreateQueryHeap, "query_heap"),
    CallSpec(APIS, "Signal", Signal),
    CallSpec(APIS, "Wait", Wait),
    CallSpec(APIS, "SetEventOnCompletion", SetEventOnCompletion),
    CallSpec(APIS, "GetCompletedValue", GetCompletedValue),
    CallSpec(APIS, "Close", ListCall),
    CallSpec(APIS, "Reset", ListCall),
    CallSpec(APIS, "SetDescriptorHeaps", SetDescriptorHeaps),
    CallSpec(APIS, "SetGraphicsRootSignature", SetRootSignature),
    CallSpec(APIS, "SetComputeRootSignature", SetRootSignature),
    CallSpec(APIS, "SetGraphicsRootDescriptorTable", SetRootDescriptorTable),
    CallSpec(APIS, "SetComputeRootDescriptorTable", SetRootDescriptorTable),
    CallSpec(APIS, "OMSetRenderTargets", OMSetRenderTargets),
    CallSpec(APIS, "IASetVertexBuffers", SetBufferViews),
    CallSpec(APIS, "IASetIndexBuffer", IASetIndexBuffer),
    CallSpec(APIS, "SOSetTargets", SetBufferViews),
    CallSpec(APIS, "ClearRenderTargetView", ClearRenderTargetView),
    CallSpec(APIS, "ClearDepthStencilView", ClearDepthStencilView),
    CallSpec(APIS, "DiscardResource", DiscardResource),
    CallSpec(APIS, "DrawInstanced", DrawInstanced),
    CallSpec(APIS, "DrawIndexedInstanced", DrawInstanced),
    CallSpec(APIS, "Dispatch", DrawInstanced),
    CallSpec(APIS, "CopyResource", CopyResource),
    CallSpec(APIS, "CopyBufferRegion", CopyResource),
    CallSpec(APIS, "RegisterVideoMemoryBudgetChangeNotificationEvent", RegisterNotification, "notification"),
    CallSpec(APIS, "GetDeviceRemovedReason", GetDeviceRemovedReason),
)
