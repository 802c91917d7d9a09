"""One description for all: D3D10, D3D11 and XG resources in the numbering of D3D11, and the way back for remedies."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from explorer.core.d3d11_descs import D3D11_SUBRESOURCE_DATA, AnyDesc, InitialData
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
from explorer.core.dxgi import DXGI_FORMAT, DxgiFormatInfo, full_chain
from explorer.core.verdicts import Reason, Remedy
from explorer.tables.d3d11_tables import misc_flags, rules
from explorer.tables.dxgi_formats import format_info

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.schema import ApiEnum, ApiFlags

NO_DATA, GOOD_DATA, NULL_DATA = "none", "data", "null pointer"
"""What ``pInitialData`` is: a null pointer, structures with bytes, or a structure without."""

UNKNOWN_MISC_BIT = 1 << 31
"""Stands for bits of a D3D10 or XG description that no flag of that API has."""


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource description; flags are bits in D3D11's numbering.

    Attributes:
        api: The API whose names a remedy uses.
        dimension: ``buffer``, ``texture1d``, ``texture2d`` or ``texture3d``.
        width: Texels, or bytes of a buffer.
        mips: As asked for; 0 is the full chain.
        slices: ArraySize; 1 for buffers and 3D textures.
        stride: StructureByteStride in bytes.
    """

    api: str
    dimension: str
    width: int
    height: int = 1
    depth: int = 1
    mips: int = 1
    slices: int = 1
    format: DXGI_FORMAT = DXGI_FORMAT.UNKNOWN
    samples: int = 1
    quality: int = 0
    usage: int = 0
    bind: int = 0
    cpu: int = 0
    misc: int = 0
    stride: int = 0

    @property
    def is_buffer(self) -> bool:
        """Whether it is a buffer."""
        return self.dimension == "buffer"

    @property
    def info(self) -> DxgiFormatInfo:
        """The facts about its format."""
        return format_info(self.format)

    @property
    def chain(self) -> int:
        """Levels of the full chain."""
        return 1 if self.is_buffer else full_chain(self.width, self.height, self.depth)

    @property
    def levels(self) -> int:
        """Levels that it has once created."""
        return self.mips or self.chain

    @property
    def subresources(self) -> int:
        """Mips × slices."""
        return self.levels * self.slices

    @property
    def is_cube(self) -> bool:
        """Whether it has the cube flag."""
        return bool(self.misc & MiscFlag.TEXTURECUBE)

    @property
    def is_structured(self) -> bool:
        """Whether it is a structured buffer."""
        return bool(self.misc & MiscFlag.BUFFER_STRUCTURED)


@functools.cache
def misc_from_d3d10() -> Mapping[int, int]:
    """Return D3D10's miscellaneous bits → D3D11's (rule d3d11.C2.17)."""
    return {row.d3d10_value: row.value for row in misc_flags() if row.d3d10_value is not None}


def misc_to_d3d11(value: int) -> int:
    """Return D3D10's miscellaneous flags in D3D11's numbering; other bits become UNKNOWN_MISC_BIT."""
    translated = 0
    for old, new in misc_from_d3d10().items():
        if value & old:
            translated |= new
            value &= ~old
    return translated | (UNKNOWN_MISC_BIT if value else 0)


def api_of(desc: AnyDesc) -> str:
    """Return ``d3d10``, ``d3d11`` or ``xg``: whose structure it is."""
    name = type(desc).__name__
    return "xg" if name.startswith("XG") else "d3d10" if name.startswith("D3D10") else "d3d11"


def resource_of(desc: AnyDesc) -> Resource:
    """Return the description of any of the three APIs in the common form."""
    api = api_of(desc)
    kind = type(desc).__name__.rsplit("_", 2)[1]
    misc = int(desc.MiscFlags)
    if api == "d3d10":
        misc = misc_to_d3d11(misc)
    get = functools.partial(getattr, desc)
    if kind == "BUFFER":
        return Resource(
            api, "buffer", get("ByteWidth"), usage=int(desc.Usage), bind=int(desc.BindFlags),
            cpu=int(desc.CPUAccessFlags), misc=misc, stride=get("StructureByteStride", 0),
        )  # fmt: skip
    sample = get("SampleDesc", None)
    return Resource(
        api, kind.lower(), get("Width"), get("Height", 1), get("Depth", 1), get("MipLevels"), get("ArraySize", 1),
        get("Format"), sample.Count if sample else 1, sample.Quality if sample else 0,
        int(desc.Usage), int(desc.BindFlags), int(desc.CPUAccessFlags), misc,
    )  # fmt: skip


def data_state(data: InitialData) -> str:
    """Return whether initial data is absent, given, or a structure without bytes."""
    if data is None or data is False:
        return NO_DATA
    if data is True:
        return GOOD_DATA
    parts = (data,) if isinstance(data, D3D11_SUBRESOURCE_DATA) else data
    if not parts:
        return NO_DATA
    return GOOD_DATA if all(part.pSysMem for part in parts) else NULL_DATA


_KINDS: Mapping[str, tuple[type[ApiEnum], type[ApiFlags], type[ApiFlags], type[ApiFlags]]] = {
    "d3d11": (Usage, BindFlag, CpuAccessFlag, MiscFlag),
    "d3d10": (Usage10, BindFlag10, CpuAccessFlag10, MiscFlag10),
    "d3d10.1": (Usage10, BindFlag10, CpuAccessFlag10, MiscFlag10),
    "xg": (XgUsage, XgBindFlag, XgCpuAccessFlag, XgMiscFlag),
}


def usage_name(api: str, usage: int) -> str:
    """Return the constant of a usage in the API's spelling."""
    return _KINDS[api][0](usage).constant


def bind_names(api: str, value: int) -> list[str | int]:
    """Return the constants of bind flags in the API's spelling."""
    return _KINDS[api][1](value).constants


def cpu_names(api: str, value: int) -> list[str | int]:
    """Return the constants of CPU access flags in the API's spelling."""
    return _KINDS[api][2](value).constants


def misc_names(api: str, value: int) -> list[str | int]:
    """Return the constants of miscellaneous flags (in D3D11's numbering) in the API's spelling."""
    value &= ~UNKNOWN_MISC_BIT
    if api.startswith("d3d10"):
        value = sum(old for old, new in misc_from_d3d10().items() if value & new)
    return _KINDS[api][3](value).constants


def words(names: list[str | int]) -> str:
    """Return constants as a phrase; ``nothing`` for none."""
    return " | ".join(str(name) for name in names) or "nothing"


@functools.cache
def permission(rule: str, detail: str = "") -> Reason:
    """Return a reason that permits or explains."""
    return refusal(rule, detail)


def refusal(rule: str, detail: str = "", remedy: str = "", changes: Mapping[str, object] | None = None) -> Reason:
    """Return a reason with the text of the rule's row.

    Args:
        rule: Id of the rule.
        detail: What of this call it is about; put behind the text in brackets.
        remedy: What helps, in the imperative; empty for nothing.
        changes: Input key path → new value.
    """
    row = rules()[rule]
    text = f"{row.text[:-1]} ({detail})." if detail else row.text
    return Reason(
        rule, text, row.source, Remedy(remedy, cast("Mapping[str, object]", changes or {})) if remedy else None
    )
