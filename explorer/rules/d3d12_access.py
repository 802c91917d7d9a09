"""Map, residency and feature queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core import d3d12
from explorer.core.d3d12_enums import Feature, ResidencyFlags, ResourceFlags
from explorer.core.d3d12_structs import HeapProperties, ResourceDesc
from explorer.core.dxgi import DXGI_FORMAT
from explorer.rules.d3d12_desc import DS, RT, UAV, is_3d, is_buffer, mips_of, shape_of
from explorer.rules.d3d12_findings import Findings
from explorer.rules.d3d12_runtime import DEFAULT, D3d12Runtime, is_cpu_visible
from explorer.tables.d3d12_tables import constant
from explorer.tables.dxgi_formats import format_info

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.verdicts import Verdict

_PRIORITY_UNIT = constant("PRIORITY_UNIT_BYTES")
_PRIORITY_HIGH = 0xA0010000
PRIORITY_NORMAL = 0x78000000
_RESERVATION_EXTRA = constant("RESERVATION_EXTRA_BYTES")


@dataclass(frozen=True, slots=True)
class ResourceState:
    """A live resource.

    Attributes:
        desc: Its description as GetDesc answers it.
        heap: Properties of the heap that it lies in; None for a reserved resource.
    """

    desc: ResourceDesc
    heap: HeapProperties | None


def judge_map(arguments: d3d12.Map, state: ResourceState, runtime: D3d12Runtime = DEFAULT) -> Verdict:
    """Return whether a subresource can be mapped; ``ppData`` says whether a pointer comes out."""
    desc, found = state.desc, Findings()
    if state.heap is None:
        found.refuse("3.15g")
    elif not is_cpu_visible(state.heap, runtime):
        found.refuse("3.17a", detail=state.heap.Type.constant)
    count = 1 if is_buffer(desc) else shape_of(desc).subresources
    if arguments.Subresource >= count:
        found.refuse("3.17b", "map an existing one", {"Subresource": 0}, f"there are {count}")
    if not is_buffer(desc):
        if is_3d(desc) and mips_of(desc) > 1:
            found.refuse("3.17d")
        elif arguments.ppData:
            found.refuse("3.17c", "pass no pointer", {"ppData": False})
    if not found.ok:
        found.refuse("3.17e")
        return found.verdict()
    found.permit("3.17f")
    return found.verdict({"ppData": arguments.ppData})


def default_priority(flags: ResourceFlags, size_bytes: int) -> int:
    """Return the residency priority that an object starts with.

    Source: d3d12.8.4a, d3d12.8.4b.
    """
    if flags & (RT | DS | UAV):
        return _PRIORITY_HIGH | min(size_bytes // _PRIORITY_UNIT, 0xFFFF)
    return PRIORITY_NORMAL


def available_for_reservation(budget_bytes: int) -> int:
    """Return AvailableForReservation of a group with a budget.

    Source: d3d12.8.5a.
    """
    return (budget_bytes + _RESERVATION_EXTRA) // 2 if budget_bytes else 0


@dataclass(frozen=True, slots=True)
class BudgetState:
    """A segment group when residency is asked for.

    Attributes:
        budget_bytes: What the system grants.
        usage_bytes: What is used.
        wanted_bytes: What would become resident.
        memory_left: Whether there is physical memory at all.
    """

    budget_bytes: int
    usage_bytes: int
    wanted_bytes: int = 0
    memory_left: bool = True


def judge_make_resident(arguments: d3d12.MakeResident | d3d12.EnqueueMakeResident, state: BudgetState) -> Verdict:
    """Return whether objects can be made resident."""
    found = Findings()
    flags = arguments.Flags if isinstance(arguments, d3d12.EnqueueMakeResident) else ResidencyFlags.NONE
    over = state.usage_bytes + state.wanted_bytes > state.budget_bytes
    if not state.memory_left:
        found.refuse("8.3c")
    elif over and flags & ResidencyFlags.DENY_OVERBUDGET:
        found.refuse("8.3a", "do not deny it", {"Flags": ResidencyFlags.NONE})
    else:
        found.permit("8.3b")
    return found.verdict(hr="E_OUTOFMEMORY")


def quality_levels(info_format: DXGI_FORMAT, samples: int) -> int:
    """Return NumQualityLevels: 1 where the sample count can be used with the format.

    Source: d3d12.11.7.
    """
    if samples == 1:
        return 1
    info = format_info(info_format)
    plain = info_format is not DXGI_FORMAT.UNKNOWN and not info.is_compressed and not info.is_yuv
    usable = plain and not info.is_opaque and info.bits_per_unit != 96 and info.block_width == 1
    return 1 if usable and samples in (2, 4, 8) else 0


def judge_feature(arguments: d3d12.CheckFeatureSupport, runtime: D3d12Runtime = DEFAULT) -> Verdict:
    """Return the members of a feature's structure."""
    found, r = Findings(), runtime
    if arguments.Feature is Feature.FORMAT_INFO:
        if arguments.Format is DXGI_FORMAT.R1_UNORM:
            found.refuse("6.1b", "ask for R8_UNORM", {"Format": DXGI_FORMAT.R8_UNORM})
            return found.verdict()
        found.permit("6.1a")
        return found.verdict({"PlaneCount": format_info(arguments.Format).plane_count})
    if arguments.Feature is Feature.MULTISAMPLE_QUALITY_LEVELS:
        if arguments.SampleCount == 0:
            found.refuse("11.6", "ask for one sample", {"SampleCount": 1})
            return found.verdict(refused_values={"NumQualityLevels": 0}, hr="E_FAIL")
        found.permit("11.7")
        return found.verdict({"NumQualityLevels": quality_levels(arguments.Format, arguments.SampleCount)})
    if arguments.Feature in (Feature.ARCHITECTURE, Feature.ARCHITECTURE1):
        if arguments.NodeIndex >= r.node_count:
            found.refuse("1.1a", "ask for node 0", {"NodeIndex": 0}, f"there are {r.node_count}")
            return found.verdict()
        found.permit("1.1b")
    else:
        found.permit("11.8")
    return found.verdict(_feature_values(arguments.Feature, runtime))


def _feature_values(feature: Feature, r: D3d12Runtime) -> Mapping[str, object]:
    architecture = {"TileBasedRenderer": r.tile_based, "UMA": r.uma, "CacheCoherentUMA": r.cache_coherent_uma}
    known: Mapping[Feature, Mapping[str, object]] = {
        Feature.ARCHITECTURE: architecture,
        Feature.ARCHITECTURE1: {**architecture, "IsolatedMMU": r.isolated_mmu},
        Feature.D3D12_OPTIONS: {
            "ResourceHeapTier": r.heap_tier,
            "TiledResourcesTier": r.tiled_tier,
            "ResourceBindingTier": r.binding_tier,
            "StandardSwizzle64KBSupported": r.standard_swizzle,
            "MaxGPUVirtualAddressBitsPerResource": r.va_bits_resource,
        },
        Feature.GPU_VIRTUAL_ADDRESS_SUPPORT: {
            "MaxGPUVirtualAddressBitsPerResource": r.va_bits_resource,
            "MaxGPUVirtualAddressBitsPerProcess": r.va_bits_process,
        },
        Feature.D3D12_OPTIONS12: {"RelaxedFormatCastingSupported": r.relaxed_casting},
        Feature.D3D12_OPTIONS14: {"WriteableMSAATexturesSupported": r.writeable_msaa},
        Feature.D3D12_OPTIONS16: {"GPUUploadHeapSupported": r.gpu_upload_heaps},
        Feature.D3D12_OPTIONS19: {
            "MaxViewDescriptorHeapSize": r.max_view_heap,
            "MaxSamplerDescriptorHeapSize": r.max_sampler_heap,
        },
        Feature.D3D12_TIGHT_ALIGNMENT: {"SupportTier": r.tight_alignment_tier},
    }
    return known.get(feature, {})
