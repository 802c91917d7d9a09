"""The calls of Direct3D 10, 10.1, 11 and XG: their inputs, under the API's own parameter names.

Objects are named by the ``out`` of the record that made them. ``This`` is the context a call is recorded on: absent
for the immediate context, else the name of a deferred one (D3D10 devices have no other). Calls that draw name what
they touch (``references`` is read, ``writes`` is written), since pipeline state itself is not simulated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from explorer.core.calls import CallSpec
from explorer.core.d3d10_views import (
    D3D10_DEPTH_STENCIL_VIEW_DESC,
    D3D10_RENDER_TARGET_VIEW_DESC,
    D3D10_SHADER_RESOURCE_VIEW_DESC,
    D3D10_SHADER_RESOURCE_VIEW_DESC1,
)
from explorer.core.d3d11_descs import (
    D3D10_BUFFER_DESC,
    D3D10_TEXTURE1D_DESC,
    D3D10_TEXTURE2D_DESC,
    D3D10_TEXTURE3D_DESC,
    D3D11_BUFFER_DESC,
    D3D11_TEXTURE1D_DESC,
    D3D11_TEXTURE2D_DESC,
    D3D11_TEXTURE3D_DESC,
    XG_BUFFER_DESC,
    XG_TEXTURE1D_DESC,
    XG_TEXTURE2D_DESC,
    XG_TEXTURE3D_DESC,
    InitialData,
)
from explorer.core.d3d11_enums import CopyFlag, Feature, MapFlag, MapFlag10, MapType, MapType10
from explorer.core.d3d11_views import (
    D3D11_DEPTH_STENCIL_VIEW_DESC,
    D3D11_RENDER_TARGET_VIEW_DESC,
    D3D11_SHADER_RESOURCE_VIEW_DESC,
    D3D11_UNORDERED_ACCESS_VIEW_DESC,
)
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.schema import INT, UINT, ObjectName, Range

BYTE_COUNT = Annotated[int, Range(0, 2**32 - 1)]

_NO_COPY_FLAG = CopyFlag(0)
_NO_MAP_FLAG = MapFlag(0)
_NO_MAP_FLAG10 = MapFlag10(0)


@dataclass(frozen=True, slots=True)
class D3D11_BOX:
    """A box of texels, or of bytes in ``left``/``right`` for a buffer; the far edges are exclusive."""

    left: UINT
    top: UINT
    front: UINT
    right: UINT
    bottom: UINT
    back: UINT


@dataclass(frozen=True, slots=True)
class CreateBuffer:
    """ID3D11Device::CreateBuffer; ``ppBuffer`` False stands for a null pointer, which only validates."""

    pDesc: D3D11_BUFFER_DESC
    pInitialData: InitialData = None
    ppBuffer: bool = True


@dataclass(frozen=True, slots=True)
class CreateTexture1D:
    """ID3D11Device::CreateTexture1D."""

    pDesc: D3D11_TEXTURE1D_DESC
    pInitialData: InitialData = None
    ppTexture1D: bool = True


@dataclass(frozen=True, slots=True)
class CreateTexture2D:
    """ID3D11Device::CreateTexture2D."""

    pDesc: D3D11_TEXTURE2D_DESC
    pInitialData: InitialData = None
    ppTexture2D: bool = True


@dataclass(frozen=True, slots=True)
class CreateTexture3D:
    """ID3D11Device::CreateTexture3D."""

    pDesc: D3D11_TEXTURE3D_DESC
    pInitialData: InitialData = None
    ppTexture3D: bool = True


@dataclass(frozen=True, slots=True)
class CreateBuffer10:
    """ID3D10Device::CreateBuffer."""

    pDesc: D3D10_BUFFER_DESC
    pInitialData: InitialData = None
    ppBuffer: bool = True


@dataclass(frozen=True, slots=True)
class CreateTexture1D10:
    """ID3D10Device::CreateTexture1D."""

    pDesc: D3D10_TEXTURE1D_DESC
    pInitialData: InitialData = None
    ppTexture1D: bool = True


@dataclass(frozen=True, slots=True)
class CreateTexture2D10:
    """ID3D10Device::CreateTexture2D."""

    pDesc: D3D10_TEXTURE2D_DESC
    pInitialData: InitialData = None
    ppTexture2D: bool = True


@dataclass(frozen=True, slots=True)
class CreateTexture3D10:
    """ID3D10Device::CreateTexture3D."""

    pDesc: D3D10_TEXTURE3D_DESC
    pInitialData: InitialData = None
    ppTexture3D: bool = True


@dataclass(frozen=True, slots=True)
class CreateBufferXg:
    """A buffer described for the XG library."""

    pDesc: XG_BUFFER_DESC
    pInitialData: InitialData = None
    ppBuffer: bool = True


@dataclass(frozen=True, slots=True)
class CreateTexture1DXg:
    """A 1D texture described for the XG library."""

    pDesc: XG_TEXTURE1D_DESC
    pInitialData: InitialData = None
    ppTexture1D: bool = True


@dataclass(frozen=True, slots=True)
class CreateTexture2DXg:
    """A 2D texture described for the XG library."""

    pDesc: XG_TEXTURE2D_DESC
    pInitialData: InitialData = None
    ppTexture2D: bool = True


@dataclass(frozen=True, slots=True)
class CreateTexture3DXg:
    """A 3D texture described for the XG library."""

    pDesc: XG_TEXTURE3D_DESC
    pInitialData: InitialData = None
    ppTexture3D: bool = True


@dataclass(frozen=True, slots=True)
class CreateShaderResourceView:
    """CreateShaderResourceView of all generations; without ``pDesc`` the view shows the whole resource."""

    pResource: ObjectName
    pDesc: (
        D3D11_SHADER_RESOURCE_VIEW_DESC | D3D10_SHADER_RESOURCE_VIEW_DESC | D3D10_SHADER_RESOURCE_VIEW_DESC1 | None
    ) = None
    ppSRView: bool = True


@dataclass(frozen=True, slots=True)
class CreateRenderTargetView:
    """CreateRenderTargetView of all generations; without ``pDesc`` level 0 of all slices."""

    pResource: ObjectName
    pDesc: D3D11_RENDER_TARGET_VIEW_DESC | D3D10_RENDER_TARGET_VIEW_DESC | None = None
    ppRTView: bool = True


@dataclass(frozen=True, slots=True)
class CreateDepthStencilView:
    """CreateDepthStencilView of all generations; without ``pDesc`` level 0 of all slices."""

    pResource: ObjectName
    pDesc: D3D11_DEPTH_STENCIL_VIEW_DESC | D3D10_DEPTH_STENCIL_VIEW_DESC | None = None
    ppDepthStencilView: bool = True


@dataclass(frozen=True, slots=True)
class CreateUnorderedAccessView:
    """ID3D11Device::CreateUnorderedAccessView; without ``pDesc`` level 0 of all slices."""

    pResource: ObjectName
    pDesc: D3D11_UNORDERED_ACCESS_VIEW_DESC | None = None
    ppUAView: bool = True


@dataclass(frozen=True, slots=True)
class CreateDeferredContext:
    """ID3D11Device::CreateDeferredContext."""

    ContextFlags: UINT = 0


@dataclass(frozen=True, slots=True)
class FinishCommandList:
    """ID3D11DeviceContext::FinishCommandList of the deferred context ``This``."""

    This: ObjectName
    RestoreDeferredContextState: bool = False


@dataclass(frozen=True, slots=True)
class ExecuteCommandList:
    """ID3D11DeviceContext::ExecuteCommandList on the immediate context."""

    pCommandList: ObjectName
    RestoreContextState: bool = False


@dataclass(frozen=True, slots=True)
class Map:
    """ID3D11DeviceContext::Map."""

    pResource: ObjectName
    Subresource: UINT = 0
    MapType: MapType = MapType.READ
    MapFlags: MapFlag = _NO_MAP_FLAG
    This: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class Map10:
    """ID3D10Buffer::Map and ID3D10Texture…::Map; ``pResource`` is the object whose method it is."""

    pResource: ObjectName
    Subresource: UINT = 0
    MapType: MapType10 = MapType10.READ
    MapFlags: MapFlag10 = _NO_MAP_FLAG10


@dataclass(frozen=True, slots=True)
class Unmap:
    """ID3D11DeviceContext::Unmap.

    Attributes:
        pResource: The resource.
        Subresource: Its subresource.
        This: The context.
        read_bytes: What the application read through the pointer since Map; no API parameter.
    """

    pResource: ObjectName
    Subresource: UINT = 0
    This: ObjectName | None = None
    read_bytes: UINT = 0


@dataclass(frozen=True, slots=True)
class UpdateSubresource:
    """ID3D11DeviceContext::UpdateSubresource, and with ``CopyFlags`` UpdateSubresource1; pitches in bytes."""

    pDstResource: ObjectName
    DstSubresource: UINT = 0
    pDstBox: D3D11_BOX | None = None
    SrcRowPitch: BYTE_COUNT = 0
    SrcDepthPitch: BYTE_COUNT = 0
    CopyFlags: CopyFlag = _NO_COPY_FLAG
    This: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class CopyResource:
    """ID3D11DeviceContext::CopyResource."""

    pDstResource: ObjectName
    pSrcResource: ObjectName
    This: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class CopySubresourceRegion:
    """ID3D11DeviceContext::CopySubresourceRegion, and with ``CopyFlags`` CopySubresourceRegion1."""

    pDstResource: ObjectName
    pSrcResource: ObjectName
    DstSubresource: UINT = 0
    DstX: UINT = 0
    DstY: UINT = 0
    DstZ: UINT = 0
    SrcSubresource: UINT = 0
    pSrcBox: D3D11_BOX | None = None
    CopyFlags: CopyFlag = _NO_COPY_FLAG
    This: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class ResolveSubresource:
    """ID3D11DeviceContext::ResolveSubresource."""

    pDstResource: ObjectName
    pSrcResource: ObjectName
    Format: DXGI_FORMAT
    DstSubresource: UINT = 0
    SrcSubresource: UINT = 0
    This: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class GenerateMips:
    """ID3D11DeviceContext::GenerateMips of the resource that the shader resource view shows."""

    pShaderResourceView: ObjectName
    This: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class Draw:
    """ID3D11DeviceContext::Draw; resources or views read and written by the pipeline."""

    VertexCount: UINT = 3
    StartVertexLocation: UINT = 0
    references: tuple[ObjectName, ...] = field(default=())
    writes: tuple[ObjectName, ...] = field(default=())
    This: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class DrawIndexed:
    """ID3D11DeviceContext::DrawIndexed."""

    IndexCount: UINT = 3
    StartIndexLocation: UINT = 0
    BaseVertexLocation: INT = 0
    references: tuple[ObjectName, ...] = field(default=())
    writes: tuple[ObjectName, ...] = field(default=())
    This: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class Dispatch:
    """ID3D11DeviceContext::Dispatch."""

    ThreadGroupCountX: UINT = 1
    ThreadGroupCountY: UINT = 1
    ThreadGroupCountZ: UINT = 1
    references: tuple[ObjectName, ...] = field(default=())
    writes: tuple[ObjectName, ...] = field(default=())
    This: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class Flush:
    """ID3D11DeviceContext::Flush."""


@dataclass(frozen=True, slots=True)
class Present:
    """IDXGISwapChain::Present: the end of a frame."""

    SyncInterval: UINT = 0
    Flags: UINT = 0


@dataclass(frozen=True, slots=True)
class Release:
    """IUnknown::Release of the last reference that the application holds."""

    pObject: ObjectName


@dataclass(frozen=True, slots=True)
class SetEvictionPriority:
    """ID3D11Resource::SetEvictionPriority; a DXGI_RESOURCE_PRIORITY value."""

    pResource: ObjectName
    EvictionPriority: UINT


@dataclass(frozen=True, slots=True)
class GetEvictionPriority:
    """ID3D11Resource::GetEvictionPriority."""

    pResource: ObjectName


@dataclass(frozen=True, slots=True)
class CheckFeatureSupport:
    """ID3D11Device::CheckFeatureSupport; the size in bytes that the caller states, None for the right one."""

    Feature: Feature
    FeatureSupportDataSize: UINT | None = None
    pFeatureSupportData: bool = True
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN


@dataclass(frozen=True, slots=True)
class CheckFormatSupport:
    """ID3D11Device::CheckFormatSupport."""

    Format: DXGI_FORMAT


@dataclass(frozen=True, slots=True)
class CheckMultisampleQualityLevels:
    """ID3D11Device::CheckMultisampleQualityLevels."""

    Format: DXGI_FORMAT
    SampleCount: UINT


_D3D10 = ("d3d10", "d3d10.1")
_D3D11 = ("d3d11",)
_BOTH = ("d3d10", "d3d10.1", "d3d11")
_PLAYED = (*_BOTH, "xg")
"""XG itself only describes resources; a simulated console uses them through the same calls as Direct3D 11."""

CALLS: tuple[CallSpec, ...] = (
    CallSpec(_D3D11, "CreateBuffer", CreateBuffer, "buffer"),
    CallSpec(_D3D11, "CreateTexture1D", CreateTexture1D, "texture"),
    CallSpec(_D3D11, "CreateTexture2D", CreateTexture2D, "texture"),
    CallSpec(_D3D11, "CreateTexture3D", CreateTexture3D, "texture"),
    CallSpec(_D3D10, "CreateBuffer", CreateBuffer10, "buffer"),
    CallSpec(_D3D10, "CreateTexture1D", CreateTexture1D10, "texture"),
    CallSpec(_D3D10, "CreateTexture2D", CreateTexture2D10, "texture"),
    CallSpec(_D3D10, "CreateTexture3D", CreateTexture3D10, "texture"),
    CallSpec(("xg",), "CreateBuffer", CreateBufferXg, "buffer"),
    CallSpec(("xg",), "CreateTexture1D", CreateTexture1DXg, "texture"),
    CallSpec(("xg",), "CreateTexture2D", CreateTexture2DXg, "texture"),
    CallSpec(("xg",), "CreateTexture3D", CreateTexture3DXg, "texture"),
    CallSpec(_BOTH, "CreateShaderResourceView", CreateShaderResourceView, "view"),
    CallSpec(_BOTH, "CreateRenderTargetView", CreateRenderTargetView, "view"),
    CallSpec(_BOTH, "CreateDepthStencilView", CreateDepthStencilView, "view"),
    CallSpec(_D3D11, "CreateUnorderedAccessView", CreateUnorderedAccessView, "view"),
    CallSpec(_D3D11, "CreateDeferredContext", CreateDeferredContext, "context"),
    CallSpec(_D3D11, "FinishCommandList", FinishCommandList, "command list"),
    CallSpec(_D3D11, "ExecuteCommandList", ExecuteCommandList),
    CallSpec((*_D3D11, "xg"), "Map", Map),
    CallSpec(_D3D10, "Map", Map10),
    CallSpec(_PLAYED, "Unmap", Unmap),
    CallSpec(_PLAYED, "UpdateSubresource", UpdateSubresource),
    CallSpec(_PLAYED, "CopyResource", CopyResource),
    CallSpec(_BOTH, "CopySubresourceRegion", CopySubresourceRegion),
    CallSpec(_BOTH, "ResolveSubresource", ResolveSubresource),
    CallSpec(_BOTH, "GenerateMips", GenerateMips),
    CallSpec(_PLAYED, "Draw", Draw),
    CallSpec(_PLAYED, "DrawIndexed", DrawIndexed),
    CallSpec(_D3D11, "Dispatch", Dispatch),
    CallSpec(_BOTH, "Flush", Flush),
    CallSpec(_PLAYED, "Present", Present),
    CallSpec(_PLAYED, "Release", Release),
    CallSpec(_BOTH, "SetEvictionPriority", SetEvictionPriority),
    CallSpec(_BOTH, "GetEvictionPriority", GetEvictionPriority),
    CallSpec(_D3D11, "CheckFeatureSupport", CheckFeatureSupport),
    CallSpec(_BOTH, "CheckFormatSupport", CheckFormatSupport),
    CallSpec(_BOTH, "CheckMultisampleQualityLevels", CheckMultisampleQualityLevels),
)
