"""Views and samplers: what may be written into a descriptor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core import d3d12
from explorer.core.d3d12_enums import ResourceDimension
from explorer.core.d3d12_structs import DescriptorHandle, DescriptorHeapDesc, ResourceDesc
from explorer.core.d3d12_view_enums import (
    BufferSrvFlags,
    BufferUavFlags,
    DescriptorHeapType,
    SrvDimension,
)
from explorer.core.d3d12_views import ALL_LEVELS, BufferRange, DsvDesc, RtvDesc, SrvDesc, TextureRange, UavDesc
from explorer.core.dxgi import DXGI_FORMAT
from explorer.rules.d3d12_desc import DENY_SRV, DS, RT, UAV, is_3d, is_buffer, mips_of
from explorer.rules.d3d12_findings import Findings
from explorer.rules.d3d12_runtime import DEFAULT, D3d12Runtime
from explorer.tables.d3d12_tables import constant
from explorer.tables.dxgi_formats import format_info

if TYPE_CHECKING:
    from explorer.core.verdicts import Verdict

_CBV_ALIGNMENT = constant("CONSTANT_BUFFER_DATA_PLACEMENT_ALIGNMENT")
_MAX_CBV = constant("MAX_CBV_BYTES")
_COUNTER_ALIGNMENT = constant("UAV_COUNTER_PLACEMENT_ALIGNMENT")
_RAW_ALIGNMENT = constant("RAW_UAV_SRV_BYTE_ALIGNMENT")
_VIEWS = DescriptorHeapType.CBV_SRV_UAV

AnyView = (
    d3d12.CreateConstantBufferView
    | d3d12.CreateShaderResourceView
    | d3d12.CreateUnorderedAccessView
    | d3d12.CreateRenderTargetView
    | d3d12.CreateDepthStencilView
    | d3d12.CreateSampler
)
_RESOURCE_VIEWS = {
    d3d12.CreateShaderResourceView: (_VIEWS, DENY_SRV, "7.10f"),
    d3d12.CreateUnorderedAccessView: (_VIEWS, UAV, "7.10e"),
    d3d12.CreateRenderTargetView: (DescriptorHeapType.RTV, RT, "7.10c"),
    d3d12.CreateDepthStencilView: (DescriptorHeapType.DSV, DS, "7.10d"),
}
_DIMENSIONS = {
    "BUFFER": ResourceDimension.BUFFER,
    "RAYTRACING_ACCELERATION_STRUCTURE": ResourceDimension.BUFFER,
    "TEXTURE1D": ResourceDimension.TEXTURE1D,
    "TEXTURE1DARRAY": ResourceDimension.TEXTURE1D,
    "TEXTURE2D": ResourceDimension.TEXTURE2D,
    "TEXTURE2DARRAY": ResourceDimension.TEXTURE2D,
    "TEXTURE2DMS": ResourceDimension.TEXTURE2D,
    "TEXTURE2DMSARRAY": ResourceDimension.TEXTURE2D,
    "TEXTURECUBE": ResourceDimension.TEXTURE2D,
    "TEXTURECUBEARRAY": ResourceDimension.TEXTURE2D,
    "TEXTURE3D": ResourceDimension.TEXTURE3D,
}


@dataclass(frozen=True, slots=True)
class ViewState:
    """What a view refers to.

    Attributes:
        heap: The descriptor heap that it goes into.
        resource: The resource's description, or None for a null descriptor.
        counter: The counter resource's description, or None.
    """

    heap: DescriptorHeapDesc
    resource: ResourceDesc | None = None
    counter: ResourceDesc | None = None


def _check_slot(handle: DescriptorHandle, kind: DescriptorHeapType, heap: DescriptorHeapDesc, f: Findings) -> None:
    if heap.Type is not kind:
        f.refuse("7.10a", detail=f"{handle.heap} is of type {heap.Type.constant}")
    if handle.index >= heap.NumDescriptors:
        last = max(0, heap.NumDescriptors - 1)
        detail = f"{handle.heap} has {heap.NumDescriptors} slots"
        f.refuse("7.10b", "use an existing slot", {"DestDescriptor.index": last}, detail)


def judge_view(arguments: AnyView, state: ViewState, runtime: D3d12Runtime = DEFAULT) -> Verdict:
    """Return whether a view may be written into a slot."""
    del runtime
    found = Findings()
    if isinstance(arguments, d3d12.CreateConstantBufferView):
        _check_slot(arguments.DestDescriptor, _VIEWS, state.heap, found)
        _check_cbv(arguments, state, found)
    elif isinstance(arguments, d3d12.CreateSampler):
        _check_slot(arguments.DestDescriptor, DescriptorHeapType.SAMPLER, state.heap, found)
    else:
        kind, flag, rule = _RESOURCE_VIEWS[type(arguments)]
        _check_slot(arguments.DestDescriptor, kind, state.heap, found)
        if state.resource is None:
            if arguments.pDesc is None:
                found.refuse("7.10g")
        else:
            if bool(state.resource.Flags & flag) is (flag is DENY_SRV):
                found.refuse(rule)
            if arguments.pDesc is None:
                _check_default_format(state.resource, found)
            else:
                _check_desc(arguments.pDesc, state.resource, found)
        if isinstance(arguments, d3d12.CreateUnorderedAccessView):
            _check_counter(arguments, state, found)
    if found.ok:
        found.permit("7.10l")
    return found.verdict()


def _check_cbv(arguments: d3d12.CreateConstantBufferView, state: ViewState, f: Findings) -> None:
    desc = arguments.pDesc
    if desc is None:
        return
    if desc.offset % _CBV_ALIGNMENT:
        f.refuse("4.9a", "move it", {"pDesc.offset": desc.offset // _CBV_ALIGNMENT * _CBV_ALIGNMENT})
    if desc.SizeInBytes % _CBV_ALIGNMENT or desc.SizeInBytes > _MAX_CBV:
        size = min(_MAX_CBV, -(-desc.SizeInBytes // _CBV_ALIGNMENT) * _CBV_ALIGNMENT)
        f.refuse("4.9b", f"use {size}", {"pDesc.SizeInBytes": size})
    if state.resource is not None:
        if not is_buffer(state.resource):
            f.refuse("7.10h", detail="a constant buffer view shows a buffer")
        elif desc.offset + desc.SizeInBytes > -(-state.resource.Width // _CBV_ALIGNMENT) * _CBV_ALIGNMENT:
            f.refuse("7.10i", detail=f"the buffer has {state.resource.Width} bytes")


def _check_counter(arguments: d3d12.CreateUnorderedAccessView, state: ViewState, f: Findings) -> None:
    desc = arguments.pDesc
    if arguments.pCounterResource is None or desc is None or desc.Buffer is None:
        return
    offset = desc.Buffer.CounterOffsetInBytes
    if offset % _COUNTER_ALIGNMENT:
        down = offset // _COUNTER_ALIGNMENT * _COUNTER_ALIGNMENT
        f.refuse("4.9c", "move it", {"pDesc.Buffer.CounterOffsetInBytes": down})
    if state.counter is not None and offset + 4 > state.counter.Width:
        f.refuse("7.10i", detail=f"the counter buffer has {state.counter.Width} bytes")


def _check_default_format(resource: ResourceDesc, f: Findings) -> None:
    if format_info(resource.Format).is_typeless or is_buffer(resource):
        f.refuse("7.10k", detail="there is no description")


def _check_desc(desc: SrvDesc | UavDesc | RtvDesc | DsvDesc, resource: ResourceDesc, f: Findings) -> None:
    if _DIMENSIONS.get(desc.ViewDimension.name) is not resource.Dimension:
        f.refuse("7.10h", detail=f"{desc.ViewDimension.constant} against {resource.Dimension.constant}")
        return
    if is_buffer(resource):
        buffer = None if isinstance(desc, DsvDesc) else desc.Buffer
        if buffer is not None and desc.ViewDimension is not SrvDimension.RAYTRACING_ACCELERATION_STRUCTURE:
            _check_buffer(desc.Format, buffer, resource, f)
        return
    multisampled = "MS" in desc.ViewDimension.name
    if multisampled is (resource.SampleDesc.Count == 1):
        f.refuse("7.10h", detail=f"the texture has {resource.SampleDesc.Count} samples")
    _check_format(desc.Format, resource, f)
    if desc.Texture is not None:
        _check_part(desc, desc.Texture, resource, f)


def _check_format(view: DXGI_FORMAT, resource: ResourceDesc, f: Findings) -> None:
    of = format_info(resource.Format)
    if view is DXGI_FORMAT.UNKNOWN:
        if of.is_typeless:
            f.refuse("7.10k", detail=of.format.constant)
        return
    info = format_info(view)
    plane = any(info.family is format_info(part.copy_format).family for part in of.planes)
    if info.family is not of.family and not plane and not (of.is_depth and info.bits_per_unit == of.bits_per_unit):
        f.refuse("7.10j", "use the resource's format", {"pDesc.Format": resource.Format}, info.format.constant)


def _check_buffer(view: DXGI_FORMAT, part: BufferRange, resource: ResourceDesc, f: Findings) -> None:
    raw = bool(part.SrvFlags & BufferSrvFlags.RAW or part.UavFlags & BufferUavFlags.RAW)
    structured = part.StructureByteStride > 0
    typed = view is not DXGI_FORMAT.UNKNOWN
    if structured and typed:
        f.refuse("7.10m", "use format UNKNOWN", {"pDesc.Format": DXGI_FORMAT.UNKNOWN})
        return
    if not structured and not typed:
        f.refuse("7.10m", "name a format", {"pDesc.Format": DXGI_FORMAT.R32_UINT})
        return
    element = 4 if raw else part.StructureByteStride or format_info(view).bytes_per_block
    if raw and part.FirstElement * element % _RAW_ALIGNMENT:
        down = part.FirstElement // 4 * 4
        f.refuse("4.9d", "move it", {"pDesc.Buffer.FirstElement": down})
    if (part.FirstElement + part.NumElements) * element > resource.Width:
        f.refuse("7.10i", detail=f"the buffer has {resource.Width // element if element else 0} elements")


def _check_part(
    desc: SrvDesc | UavDesc | RtvDesc | DsvDesc, part: TextureRange, resource: ResourceDesc, f: Findings
) -> None:
    mips = mips_of(resource)
    slices = 1 if is_3d(resource) else resource.DepthOrArraySize
    if isinstance(desc, SrvDesc):
        count = 1 if part.MipLevels == ALL_LEVELS else part.MipLevels
        if part.MostDetailedMip + count > mips or count == 0:
            change = {"pDesc.Texture.MostDetailedMip": 0, "pDesc.Texture.MipLevels": ALL_LEVELS}
            f.refuse("7.10i", "show all levels", change, f"there are {mips} levels")
            return
    elif part.MipSlice >= mips:
        f.refuse("7.10i", "show level 0", {"pDesc.Texture.MipSlice": 0}, f"there are {mips} levels")
        return
    array = "ARRAY" in desc.ViewDimension.name
    count = part.NumCubes * 6 if desc.ViewDimension.name == "TEXTURECUBEARRAY" else part.ArraySize
    if desc.ViewDimension.name == "TEXTURECUBE":
        array, count = True, 6
    if array and part.FirstArraySlice + count > slices:
        f.refuse("7.10i", detail=f"there are {slices} slices")
    elif part.PlaneSlice >= format_info(resource.Format).plane_count:
        f.refuse("7.10i", "show plane 0", {"pDesc.Texture.PlaneSlice": 0})
