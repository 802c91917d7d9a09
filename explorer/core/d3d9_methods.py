"""Direct3D 9: the inputs of the calls on existing resources and on the device.

A created object is named by the ``out`` of its call record; later calls name it in ``object`` or in the parameter that
the API has for it. Surfaces of a texture are objects of their own (GetSurfaceLevel, GetCubeMapSurface), as in the API.

Source: MicrosoftDocs/sdk-api d3d9 and d3d9helper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from explorer.core.d3d9_create import FormatValue
from explorer.core.d3d9_enums import (
    NO_LOCK_FLAGS,
    CubeFace,
    DeviceType,
    LockFlags,
    RenderState,
    ResourceType,
    TextureFilter,
    Usage,
)
from explorer.core.schema import INT, UINT, ObjectName, OneOf

CPU_ACCESS = ("sequential write", "random write", "sequential read", "random read", "none")
CpuAccess = Annotated[str, OneOf(CPU_ACCESS)]
"""What the application does with the pointer of a lock, which no parameter of the API says."""


@dataclass(frozen=True, slots=True)
class Rect:
    """RECT: left and top inclusive, right and bottom exclusive; texels."""

    left: INT
    top: INT
    right: INT
    bottom: INT


@dataclass(frozen=True, slots=True)
class Box:
    """D3DBOX: left, top, front inclusive, right, bottom, back exclusive; texels."""

    Left: UINT
    Top: UINT
    Right: UINT
    Bottom: UINT
    Front: UINT = 0
    Back: UINT = 1


@dataclass(frozen=True, slots=True)
class Point:
    """POINT, in texels."""

    x: INT
    y: INT


@dataclass(frozen=True, slots=True)
class GetSurfaceLevel:
    """IDirect3DTexture9::GetSurfaceLevel: names a level of a texture as a surface."""

    object: ObjectName
    Level: UINT = 0


@dataclass(frozen=True, slots=True)
class GetCubeMapSurface:
    """IDirect3DCubeTexture9::GetCubeMapSurface."""

    object: ObjectName
    FaceType: CubeFace = CubeFace.POSITIVE_X
    Level: UINT = 0


@dataclass(frozen=True, slots=True)
class GetVolumeLevel:
    """IDirect3DVolumeTexture9::GetVolumeLevel."""

    object: ObjectName
    Level: UINT = 0


@dataclass(frozen=True, slots=True)
class GetBackBuffer:
    """IDirect3DDevice9::GetBackBuffer."""

    iBackBuffer: UINT = 0
    iSwapChain: UINT = 0


@dataclass(frozen=True, slots=True)
class LockRect:
    """LockRect of a surface, a texture (Level) or a cube texture (FaceType, Level); pRect None locks all of it.

    Attributes:
        access: What the application does with the pointer; None: it reads under READONLY and else writes in order.
    """

    object: ObjectName
    Level: UINT = 0
    FaceType: CubeFace = CubeFace.POSITIVE_X
    pRect: Rect | None = None
    Flags: LockFlags = NO_LOCK_FLAGS
    access: CpuAccess | None = None


@dataclass(frozen=True, slots=True)
class UnlockRect:
    """UnlockRect of a surface, a texture (Level) or a cube texture (FaceType, Level)."""

    object: ObjectName
    Level: UINT = 0
    FaceType: CubeFace = CubeFace.POSITIVE_X


@dataclass(frozen=True, slots=True)
class LockBox:
    """LockBox of a volume or a volume texture (Level); pBox None locks all of it; ``access`` as in LockRect."""

    object: ObjectName
    Level: UINT = 0
    pBox: Box | None = None
    Flags: LockFlags = NO_LOCK_FLAGS
    access: CpuAccess | None = None


@dataclass(frozen=True, slots=True)
class UnlockBox:
    """UnlockBox of a volume or a volume texture (Level)."""

    object: ObjectName
    Level: UINT = 0


@dataclass(frozen=True, slots=True)
class Lock:
    """Lock of a vertex or index buffer, in bytes; a size of 0 locks the whole buffer; ``access`` as in LockRect."""

    object: ObjectName
    OffsetToLock: UINT = 0
    SizeToLock: UINT = 0
    Flags: LockFlags = NO_LOCK_FLAGS
    access: CpuAccess | None = None


@dataclass(frozen=True, slots=True)
class Unlock:
    """Unlock of a vertex or index buffer."""

    object: ObjectName


@dataclass(frozen=True, slots=True)
class AddDirtyRect:
    """AddDirtyRect of a texture or cube texture; None marks the whole level 0."""

    object: ObjectName
    FaceType: CubeFace = CubeFace.POSITIVE_X
    pDirtyRect: Rect | None = None


@dataclass(frozen=True, slots=True)
class AddDirtyBox:
    """AddDirtyBox of a volume texture; None marks the whole level 0."""

    object: ObjectName
    pDirtyBox: Box | None = None


@dataclass(frozen=True, slots=True)
class UpdateSurface:
    """IDirect3DDevice9::UpdateSurface, between two surfaces; None copies all of the source to (0, 0)."""

    pSourceSurface: ObjectName
    pDestinationSurface: ObjectName
    pSourceRect: Rect | None = None
    pDestPoint: Point | None = None


@dataclass(frozen=True, slots=True)
class UpdateTexture:
    """IDirect3DDevice9::UpdateTexture, between two textures of one kind."""

    pSourceTexture: ObjectName
    pDestinationTexture: ObjectName


@dataclass(frozen=True, slots=True)
class StretchRect:
    """IDirect3DDevice9::StretchRect, between two surfaces."""

    pSourceSurface: ObjectName
    pDestSurface: ObjectName
    pSourceRect: Rect | None = None
    pDestRect: Rect | None = None
    Filter: TextureFilter = TextureFilter.NONE


@dataclass(frozen=True, slots=True)
class GetRenderTargetData:
    """IDirect3DDevice9::GetRenderTargetData: a target to a SYSTEMMEM surface."""

    pRenderTarget: ObjectName | None
    pDestSurface: ObjectName | None


@dataclass(frozen=True, slots=True)
class GetFrontBufferData:
    """IDirect3DDevice9::GetFrontBufferData."""

    pDestSurface: ObjectName
    iSwapChain: UINT = 0


@dataclass(frozen=True, slots=True)
class ColorFill:
    """IDirect3DDevice9::ColorFill; color is a D3DCOLOR."""

    pSurface: ObjectName
    pRect: Rect | None = None
    color: UINT = 0


@dataclass(frozen=True, slots=True)
class ObjectCall:
    """A call on an object without further parameters, such as PreLoad, GetPriority, GetLevelCount, Release."""

    object: ObjectName


@dataclass(frozen=True, slots=True)
class SetPriority:
    """IDirect3DResource9::SetPriority."""

    object: ObjectName
    PriorityNew: UINT


@dataclass(frozen=True, slots=True)
class SetLOD:
    """IDirect3DBaseTexture9::SetLOD."""

    object: ObjectName
    LODNew: UINT


@dataclass(frozen=True, slots=True)
class SetAutoGenFilterType:
    """IDirect3DBaseTexture9::SetAutoGenFilterType."""

    object: ObjectName
    FilterType: TextureFilter = TextureFilter.LINEAR


@dataclass(frozen=True, slots=True)
class Empty:
    """A call without parameters."""


@dataclass(frozen=True, slots=True)
class Draw:
    """DrawPrimitive, DrawIndexedPrimitive, or DrawRectPatch.

    Without ``references`` a draw reads what is bound, without ``writes`` it writes the bound targets.

    Attributes:
        references: Objects that the draw reads.
        writes: Objects that it writes (targets).
    """

    references: tuple[ObjectName, ...] = ()
    writes: tuple[ObjectName, ...] = ()


@dataclass(frozen=True, slots=True)
class Issue:
    """IDirect3DQuery9::Issue; 1 is D3DISSUE_END, 2 D3DISSUE_BEGIN."""

    object: ObjectName
    dwIssueFlags: UINT = 1


@dataclass(frozen=True, slots=True)
class GetData:
    """IDirect3DQuery9::GetData; 1 is D3DGETDATA_FLUSH."""

    object: ObjectName
    dwGetDataFlags: UINT = 0


@dataclass(frozen=True, slots=True)
class SetRenderState:
    """IDirect3DDevice9::SetRenderState; the states that concern memory have names, others are numbers."""

    State: RenderState | UINT
    Value: UINT


@dataclass(frozen=True, slots=True)
class SetNPatchMode:
    """IDirect3DDevice9::SetNPatchMode, in whole segments; below 1 N-patches are off."""

    nSegments: UINT


@dataclass(frozen=True, slots=True)
class SetTexture:
    """IDirect3DDevice9::SetTexture; None unbinds."""

    Stage: UINT
    pTexture: ObjectName | None


@dataclass(frozen=True, slots=True)
class SetStreamSource:
    """IDirect3DDevice9::SetStreamSource; None unbinds."""

    StreamNumber: UINT
    pStreamData: ObjectName | None
    OffsetInBytes: UINT = 0
    Stride: UINT = 0


@dataclass(frozen=True, slots=True)
class SetIndices:
    """IDirect3DDevice9::SetIndices; None unbinds."""

    pIndexData: ObjectName | None


@dataclass(frozen=True, slots=True)
class SetRenderTarget:
    """IDirect3DDevice9::SetRenderTarget; None unbinds (not slot 0)."""

    RenderTargetIndex: UINT
    pRenderTarget: ObjectName | None


@dataclass(frozen=True, slots=True)
class GetRenderTarget:
    """IDirect3DDevice9::GetRenderTarget."""

    RenderTargetIndex: UINT = 0


@dataclass(frozen=True, slots=True)
class SetDepthStencilSurface:
    """IDirect3DDevice9::SetDepthStencilSurface; None unbinds."""

    pNewZStencil: ObjectName | None


@dataclass(frozen=True, slots=True)
class CheckDeviceFormat:
    """IDirect3D9::CheckDeviceFormat."""

    AdapterFormat: FormatValue
    Usage: Usage
    RType: ResourceType
    CheckFormat: FormatValue
    DeviceType: DeviceType = DeviceType.HAL
    Adapter: UINT = 0


@dataclass(frozen=True, slots=True)
class CheckResourceResidency:
    """IDirect3DDevice9Ex::CheckResourceResidency."""

    pResourceArray: tuple[ObjectName, ...]


@dataclass(frozen=True, slots=True)
class CheckDeviceState:
    """IDirect3DDevice9Ex::CheckDeviceState; a window of the application, or None."""

    hDestinationWindow: ObjectName | None = None
