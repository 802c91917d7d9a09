"""Description structures of Direct3D 10, 11 and XG resources, under their own names and member names.

Sizes are texels, ``ByteWidth`` and ``StructureByteStride`` bytes. Counts and flags are what the API's structure holds:
whether they are legal is the business of ``explorer.rules``.
"""

from __future__ import annotations

from dataclasses import dataclass

from explorer.core.d3d11_enums import (
    BindFlag,
    BindFlag10,
    CpuAccessFlag,
    CpuAccessFlag10,
    MiscFlag,
    MiscFlag10,
    Usage,
    Usage10,
    XgBindFlag,
    XgCpuAccessFlag,
    XgMiscFlag,
    XgUsage,
)
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.schema import UINT

_NO_BIND_FLAG = BindFlag(0)
_NO_BIND_FLAG10 = BindFlag10(0)
_NO_CPU_ACCESS_FLAG = CpuAccessFlag(0)
_NO_CPU_ACCESS_FLAG10 = CpuAccessFlag10(0)
_NO_MISC_FLAG = MiscFlag(0)
_NO_MISC_FLAG10 = MiscFlag10(0)
_NO_XG_BIND_FLAG = XgBindFlag(0)
_NO_XG_CPU_ACCESS_FLAG = XgCpuAccessFlag(0)
_NO_XG_MISC_FLAG = XgMiscFlag(0)


@dataclass(frozen=True, slots=True)
class DXGI_SAMPLE_DESC:
    """Multisampling: samples of a texel and the quality level."""

    Count: UINT = 1
    Quality: UINT = 0


_ONE_SAMPLE = DXGI_SAMPLE_DESC()


@dataclass(frozen=True, slots=True)
class D3D11_SUBRESOURCE_DATA:
    """What a subresource is filled with.

    Attributes:
        pSysMem: True for a pointer to bytes of the application, False for a null pointer.
        SysMemPitch: Bytes from a row of blocks to the next.
        SysMemSlicePitch: Bytes from a depth slice to the next.
    """

    pSysMem: bool = True
    SysMemPitch: UINT = 0
    SysMemSlicePitch: UINT = 0


InitialData = bool | D3D11_SUBRESOURCE_DATA | tuple[D3D11_SUBRESOURCE_DATA, ...] | None
"""``pInitialData``: None or False is a null pointer; True stands for one valid structure per subresource."""


@dataclass(frozen=True, slots=True)
class D3D11_BUFFER_DESC:
    """A buffer; ``ByteWidth`` in bytes."""

    ByteWidth: UINT
    Usage: Usage = Usage.DEFAULT
    BindFlags: BindFlag = _NO_BIND_FLAG
    CPUAccessFlags: CpuAccessFlag = _NO_CPU_ACCESS_FLAG
    MiscFlags: MiscFlag = _NO_MISC_FLAG
    StructureByteStride: UINT = 0


@dataclass(frozen=True, slots=True)
class D3D11_TEXTURE1D_DESC:
    """A 1D texture or an array of them; ``MipLevels`` 0 asks for the full chain."""

    Width: UINT
    MipLevels: UINT = 1
    ArraySize: UINT = 1
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    Usage: Usage = Usage.DEFAULT
    BindFlags: BindFlag = _NO_BIND_FLAG
    CPUAccessFlags: CpuAccessFlag = _NO_CPU_ACCESS_FLAG
    MiscFlags: MiscFlag = _NO_MISC_FLAG


@dataclass(frozen=True, slots=True)
class D3D11_TEXTURE2D_DESC:
    """A 2D texture, an array of them or a cube; ``MipLevels`` 0 asks for the full chain."""

    Width: UINT
    Height: UINT
    MipLevels: UINT = 1
    ArraySize: UINT = 1
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    SampleDesc: DXGI_SAMPLE_DESC = _ONE_SAMPLE
    Usage: Usage = Usage.DEFAULT
    BindFlags: BindFlag = _NO_BIND_FLAG
    CPUAccessFlags: CpuAccessFlag = _NO_CPU_ACCESS_FLAG
    MiscFlags: MiscFlag = _NO_MISC_FLAG


@dataclass(frozen=True, slots=True)
class D3D11_TEXTURE3D_DESC:
    """A 3D texture; ``MipLevels`` 0 asks for the full chain."""

    Width: UINT
    Height: UINT
    Depth: UINT
    MipLevels: UINT = 1
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    Usage: Usage = Usage.DEFAULT
    BindFlags: BindFlag = _NO_BIND_FLAG
    CPUAccessFlags: CpuAccessFlag = _NO_CPU_ACCESS_FLAG
    MiscFlags: MiscFlag = _NO_MISC_FLAG


@dataclass(frozen=True, slots=True)
class D3D10_BUFFER_DESC:
    """A buffer of D3D10: as in D3D11 without a structure stride."""

    ByteWidth: UINT
    Usage: Usage10 = Usage10.DEFAULT
    BindFlags: BindFlag10 = _NO_BIND_FLAG10
    CPUAccessFlags: CpuAccessFlag10 = _NO_CPU_ACCESS_FLAG10
    MiscFlags: MiscFlag10 = _NO_MISC_FLAG10


@dataclass(frozen=True, slots=True)
class D3D10_TEXTURE1D_DESC:
    """A 1D texture of D3D10."""

    Width: UINT
    MipLevels: UINT = 1
    ArraySize: UINT = 1
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    Usage: Usage10 = Usage10.DEFAULT
    BindFlags: BindFlag10 = _NO_BIND_FLAG10
    CPUAccessFlags: CpuAccessFlag10 = _NO_CPU_ACCESS_FLAG10
    MiscFlags: MiscFlag10 = _NO_MISC_FLAG10


@dataclass(frozen=True, slots=True)
class D3D10_TEXTURE2D_DESC:
    """A 2D texture of D3D10."""

    Width: UINT
    Height: UINT
    MipLevels: UINT = 1
    ArraySize: UINT = 1
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    SampleDesc: DXGI_SAMPLE_DESC = _ONE_SAMPLE
    Usage: Usage10 = Usage10.DEFAULT
    BindFlags: BindFlag10 = _NO_BIND_FLAG10
    CPUAccessFlags: CpuAccessFlag10 = _NO_CPU_ACCESS_FLAG10
    MiscFlags: MiscFlag10 = _NO_MISC_FLAG10


@dataclass(frozen=True, slots=True)
class D3D10_TEXTURE3D_DESC:
    """A 3D texture of D3D10."""

    Width: UINT
    Height: UINT
    Depth: UINT
    MipLevels: UINT = 1
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    Usage: Usage10 = Usage10.DEFAULT
    BindFlags: BindFlag10 = _NO_BIND_FLAG10
    CPUAccessFlags: CpuAccessFlag10 = _NO_CPU_ACCESS_FLAG10
    MiscFlags: MiscFlag10 = _NO_MISC_FLAG10


@dataclass(frozen=True, slots=True)
class XG_BUFFER_DESC:
    """A buffer of the XG library."""

    ByteWidth: UINT
    Usage: XgUsage = XgUsage.DEFAULT
    BindFlags: XgBindFlag = _NO_XG_BIND_FLAG
    CPUAccessFlags: XgCpuAccessFlag = _NO_XG_CPU_ACCESS_FLAG
    MiscFlags: XgMiscFlag = _NO_XG_MISC_FLAG
    StructureByteStride: UINT = 0


@dataclass(frozen=True, slots=True)
class XG_TEXTURE1D_DESC:
    """A 1D texture of the XG library."""

    Width: UINT
    MipLevels: UINT = 1
    ArraySize: UINT = 1
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    Usage: XgUsage = XgUsage.DEFAULT
    BindFlags: XgBindFlag = _NO_XG_BIND_FLAG
    CPUAccessFlags: XgCpuAccessFlag = _NO_XG_CPU_ACCESS_FLAG
    MiscFlags: XgMiscFlag = _NO_XG_MISC_FLAG


@dataclass(frozen=True, slots=True)
class XG_TEXTURE2D_DESC:
    """A 2D texture of the XG library."""

    Width: UINT
    Height: UINT
    MipLevels: UINT = 1
    ArraySize: UINT = 1
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    SampleDesc: DXGI_SAMPLE_DESC = _ONE_SAMPLE
    Usage: XgUsage = XgUsage.DEFAULT
    BindFlags: XgBindFlag = _NO_XG_BIND_FLAG
    CPUAccessFlags: XgCpuAccessFlag = _NO_XG_CPU_ACCESS_FLAG
    MiscFlags: XgMiscFlag = _NO_XG_MISC_FLAG


@dataclass(frozen=True, slots=True)
class XG_TEXTURE3D_DESC:
    """A 3D texture of the XG library."""

    Width: UINT
    Height: UINT
    Depth: UINT
    MipLevels: UINT = 1
    Format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    Usage: XgUsage = XgUsage.DEFAULT
    BindFlags: XgBindFlag = _NO_XG_BIND_FLAG
    CPUAccessFlags: XgCpuAccessFlag = _NO_XG_CPU_ACCESS_FLAG
    MiscFlags: XgMiscFlag = _NO_XG_MISC_FLAG


AnyDesc = (
    D3D11_BUFFER_DESC
    | D3D11_TEXTURE1D_DESC
    | D3D11_TEXTURE2D_DESC
    | D3D11_TEXTURE3D_DESC
    | D3D10_BUFFER_DESC
    | D3D10_TEXTURE1D_DESC
    | D3D10_TEXTURE2D_DESC
    | D3D10_TEXTURE3D_DESC
    | XG_BUFFER_DESC
    | XG_TEXTURE1D_DESC
    | XG_TEXTURE2D_DESC
    | XG_TEXTURE3D_DESC
)
