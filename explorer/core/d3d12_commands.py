"""Calls of D3D12 command lists, copies and notifications: their inputs, with the API's own parameter names.

A method's object is named ``pCommandList``. A list records from its creation on until ``Close``;
``ExecuteCommandLists`` names it in ``ppCommandLists``.
"""

from __future__ import annotations

from dataclasses import dataclass

from explorer.core.calls import CallSpec
from explorer.core.d3d12_enums import CommandListType, MemorySegmentGroup
from explorer.core.d3d12_structs import DescriptorHandle
from explorer.core.schema import UINT, UINT64, ObjectName

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
    CallSpec(APIS, "DrawInstanced", DrawInstanced),
    CallSpec(APIS, "DrawIndexedInstanced", DrawInstanced),
    CallSpec(APIS, "Dispatch", DrawInstanced),
    CallSpec(APIS, "CopyResource", CopyResource),
    CallSpec(APIS, "CopyBufferRegion", CopyResource),
    CallSpec(APIS, "RegisterVideoMemoryBudgetChangeNotificationEvent", RegisterNotification, "notification"),
    CallSpec(APIS, "GetDeviceRemovedReason", GetDeviceRemovedReason),
)
