"""Copies, updates, resolves and mip generation: does the destination change? Rules ``d3d11.P5.x``.

These methods return nothing. The verdict's HRESULT says whether the runtime performs the call (``S_OK``) or drops it
(``E_INVALIDARG``); ``destination_changes`` is False for a call that is performed but copies nothing, too.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.d3d11_enums import LEVEL_10_1, BindFlag, MiscFlag, Usage
from explorer.core.dxgi import DXGI_FORMAT, mip_extent
from explorer.core.verdicts import Reason, Verdict
from explorer.rules.d3d11_resource import Resource, permission, refusal
from explorer.tables.d3d11_tables import constant
from explorer.tables.dxgi_formats import format_info

if TYPE_CHECKING:
    from explorer.rules.d3d11_runtime import Runtime11

Box = tuple[int, int, int, int, int, int]
"""left, top, front, right, bottom, back; the far edges are exclusive."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a copy.

    Attributes:
        resource: As it was created.
        subresource: Its number.
        mapped: Whether what takes part is mapped.
    """

    resource: Resource
    subresource: int = 0
    mapped: bool = False

    @property
    def extent(self) -> tuple[int, int, int]:
        """Texels of the level; bytes of a buffer."""
        mip = self.subresource % self.resource.levels
        r = self.resource
        return mip_extent(r.width, mip), mip_extent(r.height, mip), mip_extent(r.depth, mip)


def _done(changes: bool, reasons: tuple[Reason, ...], whole: bool = False) -> Verdict:
    return Verdict("S_OK", reasons, {"destination_changes": changes, "whole_subresource": whole})


def _dropped(reasons: list[Reason]) -> Verdict:
    return Verdict("E_INVALIDARG", tuple(reasons), {"destination_changes": False, "whole_subresource": False})


@functools.cache
def formats_copy(source: DXGI_FORMAT, destination: DXGI_FORMAT, has_block_exchange: bool = True) -> bool:
    """Return whether texels copy between two formats.

    Args:
        source: Format of the source.
        destination: Format of the destination.
        has_block_exchange: Feature level 10_1 and up: blocks copy to uncompressed texels of their size and back.

    Source: d3d11.P5.2.format.
    """
    one, other = format_info(source), format_info(destination)
    if one.family is other.family:
        return True
    shared = DXGI_FORMAT.R9G9B9E5_SHAREDEXP
    if shared in (source, destination):
        rest = other if source is shared else one
        return rest.family is DXGI_FORMAT.R32_TYPELESS
    if has_block_exchange and one.is_compressed != other.is_compressed:
        plain = other if one.is_compressed else one
        return one.bytes_per_block == other.bytes_per_block and plain.format in _BLOCK_TEXELS
    return False


_BLOCK_TEXELS = frozenset(
    {
        DXGI_FORMAT.R16G16B16A16_UINT, DXGI_FORMAT.R16G16B16A16_SINT, DXGI_FORMAT.R32G32_UINT,
        DXGI_FORMAT.R32G32_SINT, DXGI_FORMAT.R32G32B32A32_UINT, DXGI_FORMAT.R32G32B32A32_SINT,
    }
)  # fmt: skip
"""Formats whose texels stand for a whole block."""


def _pair_reasons(destination: Side, source: Side, runtime: Runtime11) -> list[Reason]:
    """Return what stands against any copy between two resources."""
    to, from_ = destination.resource, source.resource
    found: list[Reason] = []
    if to.usage == Usage.IMMUTABLE:
        found.append(refusal("d3d11.P5.1"))
    if destination.mapped or source.mapped:
        found.append(refusal("d3d11.P5.4"))
    if to.dimension != from_.dimension:
        found.append(refusal("d3d11.P5.2", f"{from_.dimension} to {to.dimension}"))
        return found
    if (to.samples, to.quality) != (from_.samples, from_.quality):
        found.append(refusal("d3d11.P5.2.samples"))
    exchange = runtime.feature_level >= LEVEL_10_1
    if not to.is_buffer and not formats_copy(from_.format, to.format, exchange):
        found.append(refusal("d3d11.P5.2.format", f"{from_.format.constant} to {to.format.constant}"))
    if to.bind & BindFlag.DEPTH_STENCIL and runtime.feature_level < LEVEL_10_1:
        found.append(refusal("d3d11.P5.3", f"feature level {runtime.level}"))
    if to.is_structured and from_.is_structured and to.stride != from_.stride:
        found.append(refusal("d3d11.P5.8", f"strides of {from_.stride} and {to.stride} bytes"))
    return found


def _block_scale(resource: Resource) -> tuple[int, int]:
    return (1, 1) if resource.is_buffer else (resource.info.block_width, resource.info.block_height)


def _shape(resource: Resource) -> tuple[int, ...]:
    across, down = _block_scale(resource)
    # Blocks and the texels that stand for them count alike.
    return -(-resource.width // across), -(-resource.height // down), resource.depth, resource.levels, resource.slices


def judge_copy_resource(destination: Side, source: Side, same: bool, runtime: Runtime11) -> Verdict:
    """Return what CopyResource does.

    Args:
        destination: Where to; ``mapped`` if any subresource is.
        source: Where from.
        same: Whether both are one resource.
        runtime: The device.
    """
    reasons = _pair_reasons(destination, source, runtime)
    if same:
        reasons.append(refusal("d3d11.P5.10"))
    if destination.resource.dimension == source.resource.dimension and _shape(destination.resource) != _shape(
        source.resource
    ):
        reasons.append(refusal("d3d11.P5.2.size"))
    if reasons:
        return _dropped(reasons)
    return _done(True, (permission("d3d11.P5.12"),), True)


def _is_empty(box: Box) -> bool:
    left, top, front, right, bottom, back = box
    return right <= left or bottom <= top or back <= front


def _outside(side: Side, box: Box) -> bool:
    width, height, depth = side.extent
    across, down = _block_scale(side.resource)
    # A level smaller than a block is still one block.
    width, height = -(-width // across) * across, -(-height // down) * down
    return box[3] > width or box[4] > height or box[5] > depth


def _off_blocks(side: Side, box: Box) -> bool:
    across, down = _block_scale(side.resource)
    width, height, _ = side.extent
    right, bottom = box[3], box[4]
    return bool(
        box[0] % across or box[1] % down or (right % across and right != width) or (bottom % down and bottom != height)
    )


def _subresource_reasons(sides: tuple[tuple[str, Side], ...]) -> list[Reason]:
    found: list[Reason] = []
    for name, side in sides:
        if side.subresource >= side.resource.subresources:
            detail = f"{name} {side.subresource} of {side.resource.subresources}"
            found.append(refusal("d3d11.P5.11", detail, "use subresource 0", {name: 0}))
            break
    return found


def judge_copy_region(
    destination: Side, source: Side, same: bool, at: tuple[int, int, int], box: Box | None, runtime: Runtime11
) -> Verdict:
    """Return what CopySubresourceRegion does.

    Args:
        destination: Where to.
        source: Where from.
        same: Whether both are one resource.
        at: Texel of the destination that takes the box's first corner (bytes in x for a buffer).
        box: Part of the source; None is all of the subresource.
        runtime: The device.
    """
    reasons = _pair_reasons(destination, source, runtime)
    reasons += _subresource_reasons((("DstSubresource", destination), ("SrcSubresource", source)))
    overlap = runtime.runtime >= (11, 1) and runtime.copy_overlap and not runtime.is_d3d10
    if same and destination.subresource == source.subresource and not overlap:
        reasons.append(refusal("d3d11.P5.10"))
    whole_only = (destination.resource.bind | source.resource.bind) & BindFlag.DEPTH_STENCIL
    if (whole_only or source.resource.samples > 1) and (box is not None or any(at)):
        changes: dict[str, object] = {"pSrcBox": None, "DstX": 0, "DstY": 0, "DstZ": 0}
        reasons.append(refusal("d3d11.P5.3.whole", "", "copy the whole subresource", changes))
    if any(reason.rule in ("d3d11.P5.2", "d3d11.P5.11") for reason in reasons):
        return _dropped(reasons)
    if box is not None and _is_empty(box):
        if reasons:
            return _dropped(reasons)
        return _done(False, (permission("d3d11.P5.5"),))
    reasons += _box_reasons(destination, source, at, box)
    if reasons:
        return _dropped(reasons)
    return _done(True, (permission("d3d11.P5.12"),), box is None)


def _box_reasons(destination: Side, source: Side, at: tuple[int, int, int], box: Box | None) -> list[Reason]:
    part: Box = (0, 0, 0, *source.extent) if box is None else box
    # Between blocks and texels a block is as wide as a texel of the other side.
    (from_x, from_y), (to_x, to_y) = _block_scale(source.resource), _block_scale(destination.resource)
    width = -(-(part[3] - part[0]) // from_x) * to_x
    height = -(-(part[4] - part[1]) // from_y) * to_y
    target: Box = (at[0], at[1], at[2], at[0] + width, at[1] + height, at[2] + part[5] - part[2])
    found: list[Reason] = []
    if (box is not None and _outside(source, part)) or _outside(destination, target):
        found.append(refusal("d3d11.P5.5.range"))
    if box is not None and _off_blocks(source, part):
        found.append(refusal("d3d11.P5.5.blocks", "", "copy the whole subresource", {"pSrcBox": None}))
    return found


def judge_update(destination: Side, box: Box | None, runtime: Runtime11) -> Verdict:
    """Return what UpdateSubresource does.

    Args:
        destination: What is written.
        box: Part of it; None is all of the subresource.
        runtime: The device.
    """
    resource = destination.resource
    reasons: list[Reason] = []
    if resource.usage != Usage.DEFAULT:
        reasons.append(refusal("d3d11.P5.6"))
    if resource.bind & BindFlag.DEPTH_STENCIL or resource.samples > 1:
        reasons.append(refusal("d3d11.P5.6.depth"))
    if destination.mapped:
        reasons.append(refusal("d3d11.P5.4"))
    reasons += _subresource_reasons((("DstSubresource", destination),))
    if reasons:
        return _dropped(reasons)
    if box is not None:
        if _is_empty(box):
            return _done(False, (permission("d3d11.P5.5"),))
        reasons = _update_box_reasons(destination, box, runtime)
    if reasons:
        return _dropped(reasons)
    return _done(True, (permission("d3d11.P5.12"), permission("d3d11.P5.7")), box is None)


def _update_box_reasons(destination: Side, box: Box, runtime: Runtime11) -> list[Reason]:
    resource = destination.resource
    found: list[Reason] = []
    if resource.bind & BindFlag.CONSTANT_BUFFER:
        whole = (0, 0, 0, resource.width, 1, 1)
        unit = constant("partial_cb_update_alignment")
        modern = runtime.runtime >= (11, 1) and runtime.partial_constants
        if not modern and box != whole:
            found.append(refusal("d3d11.P5.6.constants", "", "update all of it", {"pDstBox": None}))
        elif modern and (box[0] % unit or box[3] % unit):
            found.append(refusal("d3d11.X3.2.update", "", "update all of it", {"pDstBox": None}))
    if _outside(destination, box):
        found.append(refusal("d3d11.P5.5.range", "", "update all of it", {"pDstBox": None}))
    elif _off_blocks(destination, box):
        found.append(refusal("d3d11.P5.5.blocks", "", "update all of it", {"pDstBox": None}))
    return found


def judge_resolve(destination: Side, source: Side, view_format: DXGI_FORMAT, _runtime: Runtime11) -> Verdict:
    """Return what ResolveSubresource does."""
    reasons = _subresource_reasons((("DstSubresource", destination), ("SrcSubresource", source)))
    family = format_info(view_format).family
    to, from_ = destination.resource, source.resource
    fits = (
        from_.samples > 1
        and to.samples == 1
        and to.usage == Usage.DEFAULT
        and not format_info(view_format).is_typeless
        and to.info.family is family
        and from_.info.family is family
    )
    if not fits:
        reasons.append(refusal("d3d11.P5.13"))
    if destination.mapped or source.mapped:
        reasons.append(refusal("d3d11.P5.4"))
    return _dropped(reasons) if reasons else _done(True, (permission("d3d11.P5.12"),), True)


def judge_generate_mips(resource: Resource) -> Verdict:
    """Return what GenerateMips does to the resource of the given view."""
    if not resource.misc & MiscFlag.GENERATE_MIPS:
        return _dropped([refusal("d3d11.P5.14")])
    return _done(resource.levels > 1, (permission("d3d11.P5.12"),))
