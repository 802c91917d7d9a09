"""CreateCommittedResource, CreatePlacedResource and CreateReservedResource in all their numbered forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core import d3d12
from explorer.core.d3d12_enums import (
    BarrierLayout,
    HeapFlags,
    HeapType,
    ResourceDimension,
    ResourceFlags,
    ResourceStates,
    TextureLayout,
)
from explorer.core.d3d12_structs import ClearValue, HeapDesc, HeapProperties, ResourceDesc
from explorer.core.dxgi import DXGI_FORMAT
from explorer.rules.d3d12_allocation import Allocation, check_allocation, is_tight, tiling_of
from explorer.rules.d3d12_desc import (
    CROSS_ADAPTER,
    DS,
    RT,
    SWIZZLED,
    TIGHT,
    UAV,
    UNDEFINED_SWIZZLE,
    is_3d,
    is_buffer,
    is_rt_or_ds,
    mips_of,
)
from explorer.rules.d3d12_findings import Findings
from explorer.rules.d3d12_heaps import (
    CROSS_ADAPTER_HEAP,
    DENY_ALL,
    check_category,
    check_heap_flags,
    check_heap_properties,
    heap_alignment,
    heap_place,
)
from explorer.rules.d3d12_runtime import DEFAULT, D3d12Runtime, is_cpu_visible, segment_group
from explorer.rules.d3d12_tiled_tiers import PACKED_ARRAY_TIER, RESERVED_TIER, VOLUME_TIER
from explorer.rules.size_models import size_model
from explorer.tables.dxgi_formats import format_info

if TYPE_CHECKING:
    from explorer.core.verdicts import Verdict

S = ResourceStates
_WRITES = (
    S.RENDER_TARGET | S.UNORDERED_ACCESS | S.DEPTH_WRITE | S.STREAM_OUT | S.COPY_DEST | S.RESOLVE_DEST
    | S.RAYTRACING_ACCELERATION_STRUCTURE | S.VIDEO_DECODE_WRITE | S.VIDEO_PROCESS_WRITE | S.VIDEO_ENCODE_WRITE
)  # fmt: skip
_DEPTH_STATES = S.DEPTH_READ | S.DEPTH_WRITE
_LAYOUT_NEEDS = {
    BarrierLayout.RENDER_TARGET: RT,
    BarrierLayout.UNORDERED_ACCESS: UAV,
    BarrierLayout.DEPTH_STENCIL_WRITE: DS,
    BarrierLayout.DEPTH_STENCIL_READ: DS,
}
_CPU_FORBIDDEN = RT | DS | UAV | ResourceFlags.ALLOW_SIMULTANEOUS_ACCESS
_UNTILED_FORMATS = frozenset(
    {DXGI_FORMAT.R1_UNORM, DXGI_FORMAT.R8G8_B8G8_UNORM, DXGI_FORMAT.G8R8_G8B8_UNORM}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Creation:
    """What the three ways of creation have in common, whatever the call's spelling of it.

    Attributes:
        desc: The description.
        state: The initial state, or None where a barrier layout is given.
        state_key: Key of the initial state.
        layout: The initial layout, or None where a state is given.
        clear: The optimized clear value.
        castable: The castable formats.
        wants_object: Whether there is an output pointer.
    """

    desc: ResourceDesc
    state: ResourceStates | None
    state_key: str
    layout: BarrierLayout | None
    clear: ClearValue | None
    castable: tuple[DXGI_FORMAT, ...]
    wants_object: bool


AnyCreate = (
    d3d12.CreateCommittedResource
    | d3d12.CreateCommittedResource3
    | d3d12.CreatePlacedResource
    | d3d12.CreatePlacedResource2
    | d3d12.CreateReservedResource
    | d3d12.CreateReservedResource2
)


def _creation(a: AnyCreate) -> _Creation:
    if isinstance(a, d3d12.CreateCommittedResource3 | d3d12.CreatePlacedResource2 | d3d12.CreateReservedResource2):
        clear, castable = a.pOptimizedClearValue, a.pCastableFormats
        return _Creation(a.pDesc, None, "", a.InitialLayout, clear, castable, a.ppvResource)
    if isinstance(a, d3d12.CreateCommittedResource):
        key, state = "InitialResourceState", a.InitialResourceState
    else:
        key, state = "InitialState", a.InitialState
    return _Creation(a.pDesc, state, key, None, a.pOptimizedClearValue, (), a.ppvResource)


def _check_state(c: _Creation, heap: HeapProperties | None, runtime: D3d12Runtime, found: Findings) -> None:
    if c.state is None:
        _check_layout(c, found)
        return
    common = {c.state_key: S.COMMON}
    if heap is not None and heap.Type in (HeapType.UPLOAD, HeapType.READBACK):
        _check_cpu_state(c, heap.Type, runtime, found)
        return
    if c.state & S.RENDER_TARGET and not c.desc.Flags & RT:
        found.refuse("3.6a", "start in COMMON", common)
    if c.state & _DEPTH_STATES and not c.desc.Flags & DS:
        found.refuse("3.6b", "start in COMMON", common)
    if c.state & S.UNORDERED_ACCESS and not c.desc.Flags & UAV:
        found.refuse("3.6c", "start in COMMON", common)
    if c.state & _WRITES and int(c.state).bit_count() > 1:
        found.refuse("3.6d", "start in COMMON", common)


def _check_cpu_state(c: _Creation, kind: HeapType, runtime: D3d12Runtime, found: Findings) -> None:
    assert c.state is not None
    if kind is HeapType.UPLOAD:
        rule, home = "3.5a" if runtime.states_relaxed else "3.5c", S.GENERIC_READ
        allowed = not c.state & ~S.GENERIC_READ if runtime.states_relaxed else c.state == S.GENERIC_READ
    else:
        rule, home = "3.5b" if runtime.states_relaxed else "3.5d", S.COPY_DEST
        allowed = c.state == S.COPY_DEST or (runtime.states_relaxed and c.state == S.COMMON)
    if allowed:
        found.permit(rule)
    else:
        found.refuse(rule, f"start in {home.name}", {c.state_key: home})


def _check_layout(c: _Creation, found: Findings) -> None:
    if is_buffer(c.desc):
        if c.layout is not BarrierLayout.UNDEFINED:
            found.refuse("3.6e", "use UNDEFINED", {"InitialLayout": BarrierLayout.UNDEFINED})
        return
    needed = _LAYOUT_NEEDS.get(c.layout) if c.layout is not None else None
    if needed is not None and not c.desc.Flags & needed:
        found.refuse("3.6f", "use UNDEFINED", {"InitialLayout": BarrierLayout.UNDEFINED})


def _check_clear(c: _Creation, found: Findings) -> None:
    if c.clear is None:
        return
    none = {"pOptimizedClearValue": None}
    if is_buffer(c.desc):
        found.refuse("3.3", "pass none", none)
    elif not is_rt_or_ds(c.desc):
        found.refuse("3.3b", "pass none", none)


def _check_cpu_heap(desc: ResourceDesc, heap: HeapProperties, found: Findings) -> None:
    """Note what a resource may not be in memory for uploads and read-backs."""
    if heap.Type not in (HeapType.UPLOAD, HeapType.READBACK):
        return
    if not is_buffer(desc):
        found.refuse("3.4a", "use a buffer", _as_buffer(desc))
    if desc.Flags & _CPU_FORBIDDEN:
        found.refuse("3.4b", "remove the flags", {"pDesc.Flags": desc.Flags & ~_CPU_FORBIDDEN})


def _as_buffer(desc: ResourceDesc) -> dict[str, object]:
    return {
        "pDesc.Dimension": ResourceDimension.BUFFER, "pDesc.Height": 1, "pDesc.DepthOrArraySize": 1,
        "pDesc.MipLevels": 1, "pDesc.Format": DXGI_FORMAT.UNKNOWN, "pDesc.Layout": TextureLayout.ROW_MAJOR,
        "pDesc.SampleDesc.Count": 1, "pDesc.SampleDesc.Quality": 0, "pDesc.Alignment": 0,
        "pDesc.Width": max(1, desc.Width),
    }  # fmt: skip


def _check_cross_adapter(desc: ResourceDesc, flags: HeapFlags, cpu_visible: bool, found: Findings) -> None:
    if desc.Flags & CROSS_ADAPTER and not flags & CROSS_ADAPTER_HEAP:
        found.refuse("3.7e", "remove ALLOW_CROSS_ADAPTER", {"pDesc.Flags": desc.Flags & ~CROSS_ADAPTER})
    row_major = desc.Layout is TextureLayout.ROW_MAJOR and not is_buffer(desc)
    if row_major and (cpu_visible or not flags & CROSS_ADAPTER_HEAP):
        found.refuse("3.12h", "use layout UNKNOWN", {"pDesc.Layout": TextureLayout.UNKNOWN})


def _allocate(c: _Creation, runtime: D3d12Runtime, *, committed: bool = False, reserved: bool = False) -> Allocation:
    return check_allocation(
        c.desc, runtime, castable=c.castable, prefix="pDesc.", castable_path="pCastableFormats",
        committed=committed, reserved=reserved,
    )  # fmt: skip


def _finish(
    c: _Creation, found: Findings, allocation: Allocation, runtime: D3d12Runtime, extra: dict[str, object]
) -> Verdict:
    if not found.ok:
        # The size is only a consequence; the decisive rule stands first.
        found.violated = [reason for reason in found.violated if reason.rule != "d3d12.4.5"]
        found.refuse("3.4c")
        return found.verdict(refused_values={"ppvResource": None})
    desc = c.desc
    found.permit("3.13a" if is_buffer(desc) else "3.13b")
    if not c.wants_object:
        found.permit("3.14")
    values: dict[str, object] = {
        "SizeInBytes": allocation.size_bytes,
        "Alignment": allocation.alignment,
        "MipLevels": mips_of(desc),
        "HasGPUVirtualAddress": is_buffer(desc),
        "SizeModel": "buffer" if is_buffer(desc) else size_model(runtime.size_model).id,
        **extra,
    }
    return found.verdict(values, success="S_OK" if c.wants_object else "S_FALSE")


def _place(heap: HeapProperties, flags: HeapFlags, runtime: D3d12Runtime) -> dict[str, object]:
    page, pool = heap_place(heap, flags, runtime)
    return {
        "CPUPageProperty": page.constant,
        "MemoryPoolPreference": pool.constant,
        "SegmentGroup": segment_group(pool, runtime),
    }


def judge_committed(
    arguments: d3d12.CreateCommittedResource | d3d12.CreateCommittedResource3, runtime: D3d12Runtime = DEFAULT
) -> Verdict:
    """Return whether a committed resource can be created, its size, alignment and memory."""
    c, heap, flags = _creation(arguments), arguments.pHeapProperties, arguments.HeapFlags
    found, own_heap = Findings(), Findings("pHeapProperties.")
    check_heap_properties(heap, runtime, own_heap)
    heap_known = own_heap.ok
    allocation = _allocate(c, runtime, committed=True)
    found.merge(allocation.found)
    found.merge(own_heap)
    if flags & DENY_ALL:
        found.refuse("2.10", "remove the DENY flags", {"HeapFlags": flags & ~DENY_ALL})
    check_heap_flags(heap, flags, runtime, found, "HeapFlags")
    _check_cpu_heap(c.desc, heap, found)
    _check_cross_adapter(c.desc, flags, heap_known and is_cpu_visible(heap, runtime), found)
    if flags & CROSS_ADAPTER_HEAP and not c.desc.Flags & CROSS_ADAPTER:
        found.refuse("2.7d", "add ALLOW_CROSS_ADAPTER", {"pDesc.Flags": c.desc.Flags | CROSS_ADAPTER})
    _check_state(c, heap, runtime, found)
    _check_clear(c, found)
    return _finish(c, found, allocation, runtime, _place(heap, flags, runtime) if found.ok else {})


@dataclass(frozen=True, slots=True)
class HeapState:
    """A live heap, as placed resources see it."""

    desc: HeapDesc


def judge_placed(
    arguments: d3d12.CreatePlacedResource | d3d12.CreatePlacedResource2,
    state: HeapState,
    runtime: D3d12Runtime = DEFAULT,
) -> Verdict:
    """Return whether a resource can be placed in a heap at an offset."""
    c, heap = _creation(arguments), state.desc
    found = Findings()
    allocation = _allocate(c, runtime)
    found.merge(allocation.found)
    category = Findings("pDesc.")
    check_category(c.desc, heap.Flags, category)
    found.merge(category)
    _check_cpu_heap(c.desc, heap.Properties, found)
    _check_cross_adapter(c.desc, heap.Flags, is_cpu_visible(heap.Properties, runtime), found)
    if allocation.ok:
        _check_offset(arguments.HeapOffset, allocation, heap, found)
    _check_state(c, heap.Properties, runtime, found)
    _check_clear(c, found)
    if found.ok:
        found.permit("3.18d")
    values = _place(heap.Properties, heap.Flags, runtime) if found.ok else {}
    return _finish(c, found, allocation, runtime, {"HeapOffset": arguments.HeapOffset, **values})


def _check_offset(offset: int, allocation: Allocation, heap: HeapDesc, found: Findings) -> None:
    size, alignment = allocation.size_bytes, allocation.alignment
    fits = size <= heap.SizeInBytes
    down = offset // alignment * alignment
    last = (heap.SizeInBytes - size) // alignment * alignment if fits else 0
    if offset % alignment:
        detail = f"{offset} is no multiple of {alignment}"
        found.refuse("3.18a", "move it", {"HeapOffset": min(down, last)}, detail)
    if offset + size > heap.SizeInBytes:
        detail = f"{offset} + {size} is beyond {heap.SizeInBytes}"
        if fits:
            found.refuse("3.18b", "move it", {"HeapOffset": last}, detail)
        else:
            found.refuse("3.18b", detail=detail)
    if alignment > heap_alignment(heap):
        found.refuse("3.18c", detail=f"{alignment} against {heap_alignment(heap)}")
    if found.ok:
        found.permit("3.18a")
        found.permit("3.18b")


def judge_reserved(
    arguments: d3d12.CreateReservedResource | d3d12.CreateReservedResource2, runtime: D3d12Runtime = DEFAULT
) -> Verdict:
    """Return whether a reserved resource can be created; its size is the tiles that it can map."""
    c, found = _creation(arguments), Findings()
    allocation = _allocate(c, runtime, reserved=True)
    found.merge(allocation.found)
    if runtime.tiled_tier < RESERVED_TIER:
        found.refuse("3.15a")
    if is_tight(c.desc) and not is_buffer(c.desc):
        found.refuse("3.15l", "remove USE_TIGHT_ALIGNMENT", {"pDesc.Flags": c.desc.Flags & ~TIGHT})
    if not is_buffer(c.desc) and c.desc.Dimension is not ResourceDimension.UNKNOWN:
        _check_reserved_texture(c.desc, runtime, found)
    _check_cross_adapter(c.desc, HeapFlags.NONE, False, found)
    _check_state(c, None, runtime, found)
    _check_clear(c, found)
    extra: dict[str, object] = {}
    if found.ok:
        found.permit("3.15k")
        found.permit("3.15f")
        found.permit("3.15g")
        tiling = tiling_of(c.desc)
        extra = {"NumTiles": tiling.total_tiles if tiling is not None else 0}
    return _finish(c, found, allocation, runtime, extra)


def _check_reserved_texture(desc: ResourceDesc, runtime: D3d12Runtime, found: Findings) -> None:
    info = format_info(desc.Format)
    if desc.Layout not in SWIZZLED:
        found.refuse("3.15b", "use 64KB_UNDEFINED_SWIZZLE", {"pDesc.Layout": UNDEFINED_SWIZZLE})
    if desc.Dimension is ResourceDimension.TEXTURE1D:
        found.refuse("3.15c", "use a 2D texture", {"pDesc.Dimension": ResourceDimension.TEXTURE2D})
    if info.has_stencil:
        found.refuse("3.15d", "use D32_FLOAT", {"pDesc.Format": DXGI_FORMAT.D32_FLOAT})
    if is_3d(desc) and runtime.tiled_tier < VOLUME_TIER:
        found.refuse("3.15h", "use a 2D texture", {"pDesc.Dimension": ResourceDimension.TEXTURE2D})
    colour = {"pDesc.Format": DXGI_FORMAT.R8G8B8A8_UNORM}
    if info.is_yuv or info.bits_per_unit == 96 or info.format in _UNTILED_FORMATS:
        found.refuse("3.15i", "use another format", colour)
    samples = desc.SampleDesc.Count
    if samples > 1 and (samples != 4 or info.bits_per_unit > 64):
        found.refuse("3.15j", "use one sample", {"pDesc.SampleDesc.Count": 1, "pDesc.SampleDesc.Quality": 0})
    elif not is_3d(desc) and desc.DepthOrArraySize > 1 and found.ok:
        # Tier 4 packs the levels of arrays in the undefined swizzle only.
        may_pack = runtime.tiled_tier >= PACKED_ARRAY_TIER and desc.Layout is UNDEFINED_SWIZZLE
        tiling = None if may_pack else tiling_of(desc)
        if tiling is not None and tiling.packed_mips:
            _refuse_packed_array(desc, tiling.standard_mips, runtime, found)


def _refuse_packed_array(desc: ResourceDesc, standard_mips: int, runtime: D3d12Runtime, found: Findings) -> None:
    if runtime.tiled_tier >= PACKED_ARRAY_TIER:
        found.refuse("3.15e", "use 64KB_UNDEFINED_SWIZZLE", {"pDesc.Layout": UNDEFINED_SWIZZLE})
    elif standard_mips:
        found.refuse("3.15e", f"use {standard_mips} mip levels", {"pDesc.MipLevels": standard_mips})
    else:
        found.refuse("3.15e", "use one slice", {"pDesc.DepthOrArraySize": 1})
