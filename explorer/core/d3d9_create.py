"""Direct3D 9: the inputs of the calls that create devices and resources, under the API's own parameter names.

Source: MicrosoftDocs/sdk-api d3d9 and d3d9helper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from explorer.core.d3d9_enums import (
    NO_PRESENT_FLAGS,
    NO_USAGE,
    CreateFlags,
    DeviceType,
    Format,
    MultisampleType,
    Pool,
    PresentFlags,
    QueryType,
    SwapEffect,
    Usage,
)
from explorer.core.schema import UINT, OneOf

SHARED_WORDS = ("shared", "user_memory")
SharedHandle = Annotated[str, OneOf(SHARED_WORDS)]
"""What pSharedHandle points to: a HANDLE to share through, or (9Ex) a pointer to memory of the application."""

FormatValue = Format | UINT
"""A D3DFORMAT constant, or any number (a vendor's FOURCC)."""

PoolValue = Pool | UINT
"""A D3DPOOL constant, or any number: refusing one is a rule's job."""


@dataclass(frozen=True, slots=True)
class D3DFormatInfo:
    """How a format stores its texels.

    Attributes:
        name: Official spelling, or ``FOURCC`` and the code.
        value: Number of the D3DFORMAT.
        bits: Bits per texel; None where the format has no texels.
        block_width: Texels of a block in a row; 1 for plain formats.
        block_height: Rows of texels of a block.
        block_bytes: Bytes of a block; 0 for the format without storage, None where it is not defined.
        kind: ``colour``, ``depth``, ``block``, ``packed`` (two texels share a block), ``fourcc``, ``buffer``, ``none``.
        klass: Class of the channels as the table has it (``unsigned``, ``float16``, ``palette`` …).
        fourcc: The four characters, or None.
        stencil_bits: Bits of stencil of a depth format.
        lockable: True for a depth format that can be locked in the DEFAULT pool.
        ex_only: True where only 9Ex knows the format.
        vendor: True for a code outside the enumeration.
    """

    name: str
    value: int
    bits: int | None
    block_width: int
    block_height: int
    block_bytes: int | None
    kind: str
    klass: str
    fourcc: str | None = None
    stencil_bits: int = 0
    lockable: bool = False
    ex_only: bool = False
    vendor: bool = False


@dataclass(frozen=True, slots=True)
class PresentParameters:
    """D3DPRESENT_PARAMETERS."""

    BackBufferWidth: UINT = 640
    BackBufferHeight: UINT = 480
    BackBufferFormat: FormatValue = Format.X8R8G8B8
    BackBufferCount: UINT = 1
    MultiSampleType: MultisampleType = MultisampleType.NONE
    MultiSampleQuality: UINT = 0
    SwapEffect: SwapEffect | UINT = SwapEffect.DISCARD
    Windowed: bool = True
    EnableAutoDepthStencil: bool = False
    AutoDepthStencilFormat: FormatValue = Format.UNKNOWN
    Flags: PresentFlags = NO_PRESENT_FLAGS
    FullScreen_RefreshRateInHz: UINT = 0
    PresentationInterval: UINT = 0


@dataclass(frozen=True, slots=True)
class CreateDevice:
    """IDirect3D9::CreateDevice and IDirect3D9Ex::CreateDeviceEx."""

    pPresentationParameters: PresentParameters = PresentParameters()
    BehaviorFlags: CreateFlags = CreateFlags.HARDWARE_VERTEXPROCESSING
    DeviceType: DeviceType = DeviceType.HAL
    Adapter: UINT = 0


@dataclass(frozen=True, slots=True)
class CreateAdditionalSwapChain:
    """IDirect3DDevice9::CreateAdditionalSwapChain."""

    pPresentationParameters: PresentParameters = PresentParameters()


@dataclass(frozen=True, slots=True)
class CreateStateBlock:
    """IDirect3DDevice9::CreateStateBlock; Type 1 all, 2 pixel state, 3 vertex state."""

    Type: UINT = 1


@dataclass(frozen=True, slots=True)
class CreateQuery:
    """IDirect3DDevice9::CreateQuery."""

    Type: QueryType | UINT


@dataclass(frozen=True, slots=True)
class Reset:
    """IDirect3DDevice9::Reset and ResetEx."""

    pPresentationParameters: PresentParameters = PresentParameters()


@dataclass(frozen=True, slots=True)
class CreateTexture:
    """IDirect3DDevice9::CreateTexture."""

    Width: UINT
    Height: UINT
    Levels: UINT
    Usage: Usage
    Format: FormatValue
    Pool: PoolValue
    pSharedHandle: SharedHandle | None = None


@dataclass(frozen=True, slots=True)
class CreateCubeTexture:
    """IDirect3DDevice9::CreateCubeTexture."""

    EdgeLength: UINT
    Levels: UINT
    Usage: Usage
    Format: FormatValue
    Pool: PoolValue
    pSharedHandle: SharedHandle | None = None


@dataclass(frozen=True, slots=True)
class CreateVolumeTexture:
    """IDirect3DDevice9::CreateVolumeTexture."""

    Width: UINT
    Height: UINT
    Depth: UINT
    Levels: UINT
    Usage: Usage
    Format: FormatValue
    Pool: PoolValue
    pSharedHandle: SharedHandle | None = None


@dataclass(frozen=True, slots=True)
class CreateVertexBuffer:
    """IDirect3DDevice9::CreateVertexBuffer; Length in bytes, FVF 0 for a buffer without one."""

    Length: UINT
    Usage: Usage
    FVF: UINT
    Pool: PoolValue
    pSharedHandle: SharedHandle | None = None


@dataclass(frozen=True, slots=True)
class CreateIndexBuffer:
    """IDirect3DDevice9::CreateIndexBuffer; Length in bytes."""

    Length: UINT
    Usage: Usage
    Format: FormatValue
    Pool: PoolValue
    pSharedHandle: SharedHandle | None = None


@dataclass(frozen=True, slots=True)
class CreateRenderTarget:
    """IDirect3DDevice9::CreateRenderTarget; Usage is the last argument of CreateRenderTargetEx."""

    Width: UINT
    Height: UINT
    Format: FormatValue
    MultiSample: MultisampleType = MultisampleType.NONE
    MultisampleQuality: UINT = 0
    Lockable: bool = False
    pSharedHandle: SharedHandle | None = None


@dataclass(frozen=True, slots=True)
class CreateRenderTargetEx(CreateRenderTarget):
    """IDirect3DDevice9Ex::CreateRenderTargetEx."""

    Usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True)
class CreateDepthStencilSurface:
    """IDirect3DDevice9::CreateDepthStencilSurface."""

    Width: UINT
    Height: UINT
    Format: FormatValue
    MultiSample: MultisampleType = MultisampleType.NONE
    MultisampleQuality: UINT = 0
    Discard: bool = False
    pSharedHandle: SharedHandle | None = None


@dataclass(frozen=True, slots=True)
class CreateDepthStencilSurfaceEx(CreateDepthStencilSurface):
    """IDirect3DDevice9Ex::CreateDepthStencilSurfaceEx."""

    Usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True)
class CreateOffscreenPlainSurface:
    """IDirect3DDevice9::CreateOffscreenPlainSurface."""

    Width: UINT
    Height: UINT
    Format: FormatValue
    Pool: PoolValue
    pSharedHandle: SharedHandle | None = None


@dataclass(frozen=True, slots=True)
class CreateOffscreenPlainSurfaceEx(CreateOffscreenPlainSurface):
    """IDirect3DDevice9Ex::CreateOffscreenPlainSurfaceEx."""

    Usage: Usage = NO_USAGE


CreateInput = (
    CreateTexture
    | CreateCubeTexture
    | CreateVolumeTexture
    | CreateVertexBuffer
    | CreateIndexBuffer
    | CreateRenderTarget
    | CreateDepthStencilSurface
    | CreateOffscreenPlainSurface
)
"""The input of any call that creates a resource."""
