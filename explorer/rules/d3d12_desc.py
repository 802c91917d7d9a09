"""Which resource descriptions D3D12 accepts: the rules that every creation and query shares.

Each rule is one short function over a ``Desc`` (the description with what follows from it); ``BUFFER_RULES`` and
``TEXTURE_RULES`` say in which order they are asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from explorer.core.d3d12_enums import ResourceDimension, ResourceFlags, TextureLayout
from explorer.core.d3d12_structs import ResourceDesc, SampleDesc
from explorer.core.dxgi import DXGI_FORMAT, DxgiFormatInfo, full_chain
from explorer.core.footprints import ResourceShape
from explorer.rules.d3d12_findings import Findings
from explorer.rules.d3d12_runtime import D3d12Runtime
from explorer.tables.d3d12_tables import constant
from explorer.tables.dxgi_formats import format_info

UNDEFINED_SWIZZLE = TextureLayout["_64KB_UNDEFINED_SWIZZLE"]
STANDARD_SWIZZLE = TextureLayout["_64KB_STANDARD_SWIZZLE"]
SWIZZLED = (UNDEFINED_SWIZZLE, STANDARD_SWIZZLE)
RT = ResourceFlags.ALLOW_RENDER_TARGET
DS = ResourceFlags.ALLOW_DEPTH_STENCIL
UAV = ResourceFlags.ALLOW_UNORDERED_ACCESS
DENY_SRV = ResourceFlags.DENY_SHADER_RESOURCE
CROSS_ADAPTER = ResourceFlags.ALLOW_CROSS_ADAPTER
SIMULTANEOUS = ResourceFlags.ALLOW_SIMULTANEOUS_ACCESS
TIGHT = ResourceFlags.USE_TIGHT_ALIGNMENT

_DEPTH_TYPELESS = frozenset(
    {
        DXGI_FORMAT.R32G8X24_TYPELESS, DXGI_FORMAT.R32_TYPELESS,
        DXGI_FORMAT.R24G8_TYPELESS, DXGI_FORMAT.R16_TYPELESS,
    }
)  # fmt: skip
_DEPTH_CASTABLE = frozenset({DXGI_FORMAT.R32_FLOAT, DXGI_FORMAT.R16_UNORM})
"""Colour formats whose texels a depth format can reinterpret, where formats are cast in the relaxed way."""
_STANDARD_QUALITIES = (0xFFFFFFFF, 0xFFFFFFFE)
"""``D3D12_STANDARD_MULTISAMPLE_PATTERN`` and ``D3D12_CENTER_MULTISAMPLE_PATTERN``."""

SMALL_ALIGNMENT = constant("SMALL_RESOURCE_PLACEMENT_ALIGNMENT")
DEFAULT_ALIGNMENT = constant("DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT")
MSAA_ALIGNMENT = constant("DEFAULT_MSAA_RESOURCE_PLACEMENT_ALIGNMENT")
SMALL_MSAA_ALIGNMENT = constant("SMALL_MSAA_RESOURCE_PLACEMENT_ALIGNMENT")
_MAX_MIPS = constant("REQ_MIP_LEVELS")
_MAX_1D = constant("REQ_TEXTURE1D_U_DIMENSION")
_MAX_2D = constant("REQ_TEXTURE2D_U_OR_V_DIMENSION")
_MAX_3D = constant("REQ_TEXTURE3D_U_V_OR_W_DIMENSION")
_MAX_SLICES = constant("REQ_TEXTURE2D_ARRAY_AXIS_DIMENSION")
_MAX_SUBRESOURCES = constant("REQ_SUBRESOURCES")
_MAX_SAMPLES = constant("MAX_MULTISAMPLE_SAMPLE_COUNT")


@dataclass(frozen=True, slots=True)
class Desc:
    """A description with what the rules ask of it.

    Attributes:
        d: The description as it was given.
        info: Facts of its format.
        castable: Formats it may be cast to.
        runtime: The device.
        is_reserved: It is for a reserved resource.
        lays_out_only: It is only laid out for a copy, so the rules of video creation do not count.
    """

    d: ResourceDesc
    info: DxgiFormatInfo
    castable: tuple[DXGI_FORMAT, ...]
    runtime: D3d12Runtime
    is_reserved: bool = False
    lays_out_only: bool = False

    @property
    def samples(self) -> int:
        """SampleDesc.Count."""
        return self.d.SampleDesc.Count

    def has(self, flags: ResourceFlags) -> bool:
        """Whether any of the flags is set."""
        return bool(self.d.Flags & flags)

    def without(self, flags: ResourceFlags) -> dict[str, object]:
        """Return the change that removes flags."""
        return {"Flags": self.d.Flags & ~flags}


def is_buffer(desc: ResourceDesc) -> bool:
    """Return whether a description is a buffer's."""
    return desc.Dimension is ResourceDimension.BUFFER


def is_3d(desc: ResourceDesc) -> bool:
    """Return whether a description is a 3D texture's."""
    return desc.Dimension is ResourceDimension.TEXTURE3D


def is_rt_or_ds(desc: ResourceDesc) -> bool:
    """Return whether a resource is of the category of render targets and depth-stencils."""
    return bool(desc.Flags & (RT | DS))


def chain_of(desc: ResourceDesc) -> int:
    """Return the levels of the full chain."""
    return full_chain(desc.Width, desc.Height, desc.DepthOrArraySize if is_3d(desc) else 1)


def mips_of(desc: ResourceDesc) -> int:
    """Return the levels, 0 expanded to the full chain.

    Source: d3d12.3.9a.
    """
    return desc.MipLevels or (1 if is_buffer(desc) else chain_of(desc))


def shape_of(desc: ResourceDesc) -> ResourceShape:
    """Return the shape of a valid description."""
    volume = is_3d(desc)
    return ResourceShape(
        desc.Width,
        desc.Height,
        desc.DepthOrArraySize if volume else 1,
        1 if volume else desc.DepthOrArraySize,
        mips_of(desc),
        format_info(desc.Format),
    )


def _buffer_shape(x: Desc, f: Findings) -> None:
    d = x.d
    if d.Format is not DXGI_FORMAT.UNKNOWN:
        f.refuse("3.1a", "use format UNKNOWN", {"Format": DXGI_FORMAT.UNKNOWN})
    if d.Layout is not TextureLayout.ROW_MAJOR:
        f.refuse("3.1b", "use layout ROW_MAJOR", {"Layout": TextureLayout.ROW_MAJOR})
    if d.Height != 1:
        f.refuse("3.1c", "set Height to 1", {"Height": 1})
    if d.DepthOrArraySize != 1:
        f.refuse("3.1d", "set DepthOrArraySize to 1", {"DepthOrArraySize": 1})
    if d.MipLevels != 1:
        f.refuse("3.1e", "set MipLevels to 1", {"MipLevels": 1})
    if d.SampleDesc != SampleDesc(1, 0):
        f.refuse("3.1f", "use one sample of quality 0", {"SampleDesc.Count": 1, "SampleDesc.Quality": 0})
    if d.Width == 0:
        f.refuse("3.1h", "give it a size", {"Width": 1})


def _buffer_size(x: Desc, f: Findings) -> None:
    bits = x.runtime.va_bits_resource if x.is_reserved else x.runtime.va_bits_process
    if x.d.Width > 1 << bits:
        f.refuse("3.19e", f"make it at most 2^{bits} bytes", {"Width": 1 << bits})


def _buffer_flags(x: Desc, f: Findings) -> None:
    if x.has(DS):
        f.refuse("3.2a", "remove ALLOW_DEPTH_STENCIL", x.without(DS))
    if x.has(SIMULTANEOUS):
        f.refuse("3.2b", "remove ALLOW_SIMULTANEOUS_ACCESS", x.without(SIMULTANEOUS))
    if x.has(DENY_SRV):
        f.refuse("3.7d", "remove DENY_SHADER_RESOURCE", x.without(DENY_SRV))


def _buffer_alignment(x: Desc, f: Findings) -> None:
    if x.d.Alignment not in (0, DEFAULT_ALIGNMENT):
        f.refuse("3.1g", "let the runtime choose the alignment", {"Alignment": 0}, f"{x.d.Alignment} was asked for")


def _tight(x: Desc, f: Findings) -> None:
    if not x.has(TIGHT):
        return
    if x.d.Alignment:
        f.refuse("4.7a", "let the runtime choose the alignment", {"Alignment": 0})
    if x.runtime.tight_alignment_tier < 1:
        f.refuse("4.7b", "remove USE_TIGHT_ALIGNMENT", x.without(TIGHT))
    if x.d.Layout in SWIZZLED:
        f.refuse("4.7c", "remove USE_TIGHT_ALIGNMENT", x.without(TIGHT))


def _texture_extents(x: Desc, f: Findings) -> None:
    d = x.d
    if d.Format is DXGI_FORMAT.UNKNOWN:
        f.refuse("3.20b", "name a format", {"Format": DXGI_FORMAT.R8G8B8A8_UNORM})
    if d.Width == 0:
        f.refuse("3.20c", "give it a width", {"Width": 4})
    if d.Dimension is ResourceDimension.TEXTURE1D and d.Height != 1:
        f.refuse("3.20f", "set Height to 1", {"Height": 1})
    elif d.Height == 0:
        f.refuse("3.20d", "give it a height", {"Height": 4})
    if d.DepthOrArraySize == 0:
        f.refuse("3.20e", "set DepthOrArraySize to 1", {"DepthOrArraySize": 1})


def _texture_limits(x: Desc, f: Findings) -> None:
    d = x.d
    if d.Dimension is ResourceDimension.TEXTURE1D:
        rule, limit, axes = "3.19a", _MAX_1D, ("Width",)
    elif d.Dimension is ResourceDimension.TEXTURE2D:
        rule, limit, axes = "3.19b", _MAX_2D, ("Width", "Height")
    else:
        rule, limit, axes = "3.19c", _MAX_3D, ("Width", "Height", "DepthOrArraySize")
    over = [axis for axis in axes if getattr(d, axis) > limit]
    if over:
        f.refuse(rule, f"stay within {limit}", dict.fromkeys(over, limit), ", ".join(over) + " is larger")
    if not is_3d(d) and d.DepthOrArraySize > _MAX_SLICES:
        f.refuse("3.19d", f"use at most {_MAX_SLICES} slices", {"DepthOrArraySize": _MAX_SLICES})
    if d.MipLevels > _MAX_MIPS:
        f.refuse("3.9c", "use the full chain", {"MipLevels": 0}, f"{d.MipLevels} were asked for")


def _multisampling(x: Desc, f: Findings) -> None:
    d, one = x.d, {"SampleDesc.Count": 1, "SampleDesc.Quality": 0}
    if x.samples == 0:
        f.refuse("3.8", "use one sample", one)
        return
    if x.samples == 1:
        if d.SampleDesc.Quality:
            f.refuse("3.7j", "set the quality to 0", {"SampleDesc.Quality": 0})
        return
    if x.samples & (x.samples - 1) or x.samples > _MAX_SAMPLES:
        f.refuse("3.7i", "use 4 samples", {"SampleDesc.Count": 4})
    if d.SampleDesc.Quality and d.SampleDesc.Quality not in _STANDARD_QUALITIES:
        f.refuse("3.7p", "set the quality to 0", {"SampleDesc.Quality": 0})
    if d.Dimension is not ResourceDimension.TEXTURE2D:
        f.refuse("3.7g", "use one sample", one)
    if mips_of(d) != 1:
        f.refuse("3.7h", "use one mip level", {"MipLevels": 1})
    if not is_rt_or_ds(d):
        f.refuse("3.7f", "use one sample", one)
    if x.has(UAV) and not x.runtime.writeable_msaa:
        f.refuse("3.7b", "remove ALLOW_UNORDERED_ACCESS", x.without(UAV))
    if x.has(SIMULTANEOUS):
        f.refuse("3.7c", "remove ALLOW_SIMULTANEOUS_ACCESS", x.without(SIMULTANEOUS))
    if x.info.is_compressed or (x.info.is_yuv and not x.lays_out_only):
        f.refuse("3.7k", "use one sample", one)


def _flag_conflicts(x: Desc, f: Findings) -> None:
    other = RT | UAV | SIMULTANEOUS
    if x.has(DS) and x.has(other):
        f.refuse("3.7a", "remove the other flags", x.without(other))
    if x.has(DENY_SRV) and not x.has(DS):
        f.refuse("3.7d", "remove DENY_SHADER_RESOURCE", x.without(DENY_SRV))
    if x.has(CROSS_ADAPTER) and (x.has(DS) or x.samples > 1):
        f.refuse("3.7q", "remove ALLOW_CROSS_ADAPTER", x.without(CROSS_ADAPTER))


def _formats(x: Desc) -> list[DxgiFormatInfo]:
    return [x.info, *(format_info(cast) for cast in x.castable)]


def _format_flags(x: Desc, f: Findings) -> None:
    info = x.info
    if info.is_compressed and x.has(RT | UAV | DS):
        colours = x.has(RT | UAV) and not x.has(DS)
        if not (colours and any(not one.is_compressed for one in _formats(x))):
            f.refuse("3.7l", "remove the flags", x.without(RT | UAV | DS | DENY_SRV))
    elif x.has(DS) and info.format is not DXGI_FORMAT.UNKNOWN and not _may_be_depth(x):
        change = {"Format": DXGI_FORMAT.D32_FLOAT}
        f.refuse("3.7m", "use a depth format", change, f"{info.format.constant} is none")
    if info.is_depth and x.has(RT | UAV | SIMULTANEOUS):
        f.refuse("3.7n", "remove the flags", x.without(RT | UAV | SIMULTANEOUS))
    if is_3d(x.d) and (x.has(DS) or info.is_depth):
        flat = {"Dimension": ResourceDimension.TEXTURE2D}
        f.refuse("3.7o", "use a 2D texture", flat)


def _may_be_depth(x: Desc) -> bool:
    if x.info.is_depth or x.info.format in _DEPTH_TYPELESS:
        return True
    return x.runtime.relaxed_casting and x.info.format in _DEPTH_CASTABLE


def _block_compression(x: Desc, f: Findings) -> None:
    d, info = x.d, x.info
    if not info.is_compressed:
        return
    if d.Dimension is ResourceDimension.TEXTURE1D:
        f.refuse("3.10a", "use a 2D texture", {"Dimension": ResourceDimension.TEXTURE2D})
    ragged = d.Width % info.block_width or (
        d.Dimension is not ResourceDimension.TEXTURE1D and d.Height % info.block_height
    )
    if ragged and not x.runtime.bc_any_size:
        whole = {"Width": _whole(d.Width, info.block_width), "Height": _whole(d.Height, info.block_height)}
        f.refuse("3.10b", "use multiples of 4", whole)


def _whole(extent: int, block: int) -> int:
    return max(block, extent // block * block)


def _video(x: Desc, f: Findings) -> None:
    d, info = x.d, x.info
    if not info.is_yuv or x.lays_out_only:
        return
    if d.Dimension is not ResourceDimension.TEXTURE2D:
        f.refuse("3.11d", "use a 2D texture", {"Dimension": ResourceDimension.TEXTURE2D})
    if info.is_planar and d.MipLevels != 1:
        f.refuse("3.11a", "use one mip level", {"MipLevels": 1})
    if d.Width % info.chroma_x:
        f.refuse("3.11b", f"use a multiple of {info.chroma_x}", {"Width": _whole(d.Width, info.chroma_x)})
    if d.Height % info.chroma_y:
        f.refuse("3.11c", f"use a multiple of {info.chroma_y}", {"Height": _whole(d.Height, info.chroma_y)})


def _row_major(x: Desc, f: Findings) -> None:
    d, unknown = x.d, {"Layout": TextureLayout.UNKNOWN}
    if d.Layout is not TextureLayout.ROW_MAJOR:
        return
    if d.Dimension is not ResourceDimension.TEXTURE2D:
        f.refuse("3.12a", "use layout UNKNOWN", unknown)
    if mips_of(d) != 1:
        f.refuse("3.12b", "use layout UNKNOWN", unknown)
    if not is_3d(d) and d.DepthOrArraySize != 1:
        f.refuse("3.12c", "use layout UNKNOWN", unknown)
    if x.samples > 1:
        f.refuse("3.12d", "use layout UNKNOWN", unknown)
    if x.has(DS):
        f.refuse("3.12e", "use layout UNKNOWN", unknown)
    if x.info.is_yuv:
        f.refuse("3.12f", "use layout UNKNOWN", unknown)
    if not x.has(CROSS_ADAPTER):
        f.refuse("3.12g", "use layout UNKNOWN", unknown)


def _swizzled(x: Desc, f: Findings) -> None:
    if x.d.Layout is not STANDARD_SWIZZLE:
        return
    if not x.runtime.standard_swizzle:
        f.refuse("3.20g", "use layout UNKNOWN", {"Layout": TextureLayout.UNKNOWN})
    if x.d.Dimension is ResourceDimension.TEXTURE1D or x.samples > 1 or x.has(DS):
        f.refuse("3.20k", "use layout UNKNOWN", {"Layout": TextureLayout.UNKNOWN})


Rule = Callable[[Desc, Findings], None]
BUFFER_RULES: tuple[Rule, ...] = (_buffer_shape, _buffer_size, _buffer_flags, _buffer_alignment, _tight)
TEXTURE_RULES: tuple[Rule, ...] = (
    _texture_extents, _texture_limits, _multisampling, _flag_conflicts, _format_flags,
    _block_compression, _video, _row_major, _swizzled, _tight,
)  # fmt: skip


def check_desc(x: Desc, found: Findings) -> None:
    """Note every rule that a description breaks, alignments of textures apart.

    A valid description is noted as permitted.
    """
    if x.d.Dimension is ResourceDimension.UNKNOWN:
        found.refuse("3.20a", "make it a 2D texture", {"Dimension": ResourceDimension.TEXTURE2D})
        return
    for rule in BUFFER_RULES if is_buffer(x.d) else TEXTURE_RULES:
        rule(x, found)
    if found.ok:
        found.permit("3.1i" if is_buffer(x.d) else "3.20i")
        if not is_buffer(x.d):
            _check_subresources(x, found)


def _check_subresources(x: Desc, found: Findings) -> None:
    shape = shape_of(x.d)
    if shape.subresources > _MAX_SUBRESOURCES:
        found.refuse("3.19f", "use one mip level", {"MipLevels": 1}, f"{shape.subresources} were asked for")
    elif x.d.MipLevels == 0:
        found.permit("3.9a", f"{shape.mips} levels")
    elif shape.mips > chain_of(x.d):
        found.permit("3.9b")
