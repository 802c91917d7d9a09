"""What a description means beyond its API: the values that survive a change from one generation to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.calls import CallRecord

_FORMATS = (
    ("A8R8G8B8", "B8G8R8A8_UNORM"), ("X8R8G8B8", "B8G8R8X8_UNORM"), ("A8B8G8R8", "R8G8B8A8_UNORM"),
    ("R5G6B5", "B5G6R5_UNORM"), ("A1R5G5B5", "B5G5R5A1_UNORM"), ("A2B10G10R10", "R10G10B10A2_UNORM"),
    ("L8", "R8_UNORM"), ("L16", "R16_UNORM"), ("A8", "A8_UNORM"), ("G16R16", "R16G16_UNORM"),
    ("A16B16G16R16", "R16G16B16A16_UNORM"), ("R16F", "R16_FLOAT"), ("G16R16F", "R16G16_FLOAT"),
    ("A16B16G16R16F", "R16G16B16A16_FLOAT"), ("R32F", "R32_FLOAT"), ("G32R32F", "R32G32_FLOAT"),
    ("A32B32G32R32F", "R32G32B32A32_FLOAT"), ("DXT1", "BC1_UNORM"), ("DXT3", "BC2_UNORM"), ("DXT5", "BC3_UNORM"),
    ("D16", "D16_UNORM"), ("D24S8", "D24_UNORM_S8_UINT"), ("D32F_LOCKABLE", "D32_FLOAT"),
)  # fmt: skip
"""D3DFORMAT → DXGI_FORMAT with the same texels. Source: MicrosoftDocs/win32 direct3d10 legacy format mapping."""
_TO_DXGI = {f"D3DFMT_{old}": f"DXGI_FORMAT_{new}" for old, new in _FORMATS}
_TO_D3D9 = {new: old for old, new in _TO_DXGI.items()}


@dataclass(frozen=True, slots=True)
class Meaning:
    """A resource in words that every generation knows.

    Attributes:
        kind: ``buffer``, ``1d``, ``2d`` or ``3d``.
        width: Texels, or bytes of a buffer.
        height: Texels.
        depth: Slices of a 3D texture, or array slices.
        mips: Levels; 0 the full chain.
        format: DXGI constant, or None where it has none.
    """

    kind: str
    width: int
    height: int = 1
    depth: int = 1
    mips: int = 1
    format: str | None = None


def meaning_of(record: CallRecord) -> Meaning | None:
    """Return what a creation call describes; None where it is not a buffer or texture."""
    inputs = cast("Mapping[str, Any]", record.inputs)
    if record.api.startswith("d3d9"):
        return _of_d3d9(record.call, inputs)
    desc = cast("Mapping[str, Any]", inputs.get("pDesc") or {})
    if record.api == "d3d12":
        return _of_d3d12(desc)
    kinds = {"CreateBuffer": "buffer", "CreateTexture1D": "1d", "CreateTexture2D": "2d", "CreateTexture3D": "3d"}
    kind = kinds.get(record.call)
    if kind is None:
        return None
    if kind == "buffer":
        return Meaning(kind, _number(desc, "ByteWidth"))
    depth = _number(desc, "Depth" if kind == "3d" else "ArraySize", 1)
    return Meaning(kind, _number(desc, "Width"), _number(desc, "Height", 1), depth,
                   _number(desc, "MipLevels", 1), desc.get("Format"))  # fmt: skip


def carried(meaning: Meaning, api: str, call: str) -> dict[str, object]:
    """Return the values of a call of another API that mean the same, by key path; empty where nothing does."""
    if api.startswith("d3d9"):
        return _to_d3d9(meaning, call)
    if api == "d3d12":
        return _to_d3d12(meaning, call)
    if call == "CreateBuffer":
        return {"pDesc.ByteWidth": meaning.width} if meaning.kind == "buffer" else {}
    if call != f"CreateTexture{meaning.kind.upper()}":
        return {}
    values: dict[str, object] = {"pDesc.Width": meaning.width, "pDesc.MipLevels": meaning.mips}
    if meaning.kind != "1d":
        values["pDesc.Height"] = meaning.height
    values["pDesc.Depth" if meaning.kind == "3d" else "pDesc.ArraySize"] = meaning.depth
    if meaning.format is not None:
        values["pDesc.Format"] = meaning.format
    return values


def call_for(meaning: Meaning, api: str) -> str:
    """Return the creation call of an API for what is meant."""
    if api == "d3d12":
        return "CreateCommittedResource"
    if api.startswith("d3d9"):
        return {"buffer": "CreateVertexBuffer", "3d": "CreateVolumeTexture"}.get(meaning.kind, "CreateTexture")
    return "CreateBuffer" if meaning.kind == "buffer" else f"CreateTexture{meaning.kind.upper()}"


def _number(table: Mapping[str, Any], key: str, default: int = 0) -> int:
    value = table.get(key, default)
    return value if isinstance(value, int) else default


def _of_d3d9(call: str, inputs: Mapping[str, Any]) -> Meaning | None:
    if call in ("CreateVertexBuffer", "CreateIndexBuffer"):
        return Meaning("buffer", _number(inputs, "Length"))
    name = inputs.get("Format")
    dxgi = _TO_DXGI.get(name) if isinstance(name, str) else None
    if call == "CreateCubeTexture":
        edge = _number(inputs, "EdgeLength")
        return Meaning("2d", edge, edge, 6, _number(inputs, "Levels"), dxgi)
    if "Width" not in inputs:
        return None
    kind = "3d" if call == "CreateVolumeTexture" else "2d"
    levels = _number(inputs, "Levels", 1)
    return Meaning(kind, _number(inputs, "Width"), _number(inputs, "Height"), _number(inputs, "Depth", 1), levels, dxgi)


def _of_d3d12(desc: Mapping[str, Any]) -> Meaning | None:
    kinds = {"BUFFER": "buffer", "TEXTURE1D": "1d", "TEXTURE2D": "2d", "TEXTURE3D": "3d"}
    kind = kinds.get(str(desc.get("Dimension", "")).removeprefix("D3D12_RESOURCE_DIMENSION_"))
    if kind is None:
        return None
    if kind == "buffer":
        return Meaning(kind, _number(desc, "Width", 1))
    return Meaning(kind, _number(desc, "Width", 1), _number(desc, "Height", 1), _number(desc, "DepthOrArraySize", 1),
                   _number(desc, "MipLevels", 1), desc.get("Format"))  # fmt: skip


def _to_d3d9(meaning: Meaning, call: str) -> dict[str, object]:
    if call in ("CreateVertexBuffer", "CreateIndexBuffer"):
        return {"Length": meaning.width} if meaning.kind == "buffer" else {}
    if meaning.kind == "buffer":
        return {}
    values: dict[str, object] = {"Width": meaning.width, "Height": meaning.height}
    if call == "CreateCubeTexture":
        values = {"EdgeLength": meaning.width}
    if call == "CreateVolumeTexture":
        values["Depth"] = meaning.depth
    if call in ("CreateTexture", "CreateCubeTexture", "CreateVolumeTexture"):
        values["Levels"] = meaning.mips
    name = _TO_D3D9.get(meaning.format or "")
    if name is not None:
        values["Format"] = name
    return values


def _to_d3d12(meaning: Meaning, call: str) -> dict[str, object]:
    if not call.endswith("Resource"):
        return {}
    word = "BUFFER" if meaning.kind == "buffer" else f"TEXTURE{meaning.kind.upper()}"
    values: dict[str, object] = {
        "pDesc.Dimension": f"D3D12_RESOURCE_DIMENSION_{word}",
        "pDesc.Width": meaning.width,
        "pDesc.Height": meaning.height,
        "pDesc.DepthOrArraySize": meaning.depth,
        "pDesc.MipLevels": meaning.mips,
        "pDesc.Layout": "D3D12_TEXTURE_LAYOUT_ROW_MAJOR" if word == "BUFFER" else "D3D12_TEXTURE_LAYOUT_UNKNOWN",
    }
    if word == "BUFFER":
        values["pDesc.Format"] = "DXGI_FORMAT_UNKNOWN"
    elif meaning.format is not None:
        values["pDesc.Format"] = meaning.format
    return values
