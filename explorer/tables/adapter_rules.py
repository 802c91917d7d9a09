"""How a value of an adapter is chosen when nobody measured or published it.

Each rule has an id that preset files name, one sentence, and what it rests on. The functions compute the values; the
shipped presets and the import of D3d12info reports both use them.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from explorer.core.units import GIB, MIB

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class AdapterRule:
    """A stated rule for a value without support.

    Attributes:
        id: Name that ``[assumed]`` of a preset uses.
        text: What is chosen.
        source: What the choice rests on.
    """

    id: str
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class DescriptorSizes:
    """Bytes per descriptor for each heap type."""

    CBV_SRV_UAV: int
    SAMPLER: int
    RTV: int
    DSV: int


_REPORTS = "adapter notes: published D3d12info reports of 2023 to 2026"
_SPECS = "DirectX-Specs"
_CHOICE = "a choice of this simulation"

ADAPTER_RULES: tuple[AdapterRule, ...] = (
    AdapterRule("budget.large", "group total less 768 MiB, for groups of 6 GB and more", _REPORTS + ", rule 2"),
    AdapterRule("budget.small", "seven eighths of the group, for groups below 6 GB", "design section 4"),
    AdapterRule("budget.uma-non-local", "no NON_LOCAL memory on a UMA adapter: 0", _REPORTS + ", rule 4"),
    AdapterRule("budget.reservation", "half of what the group holds above 512 MiB", _REPORTS + ", rule 3"),
    AdapterRule("dxgi.dedicated", "dedicated memory equals the LOCAL segments", _REPORTS + ", rule 5 gives 1-2 % less"),
    AdapterRule("system.remainder", "installed memory less what the adapter's own segments already take of it",
                _CHOICE + ": no byte of RAM belongs to two segments"),
    AdapterRule("system.console", "the title and reserved shares are all the memory there is, and nothing pages: 0",
                "published memory layouts of the consoles"),
    AdapterRule("system.rate", "at the rate of the bus to the GPU", _CHOICE),
    AdapterRule("system.shared", "twice the shared memory that DXGI reports", _REPORTS + ", rule 1"),
    AdapterRule("system.default", "16 GiB where a report names no memory at all", _CHOICE),
    AdapterRule("year.report", "year of the report, 2015 where it has no date", _CHOICE),
    AdapterRule("page-file.size", "as large as the system memory", _CHOICE),
    AdapterRule("page-file.rate", "disk of the year: 60 MB/s before 2011, 500 MB/s before 2018, then 3 GB/s", _CHOICE),
    AdapterRule("bus.on-die", "no bus: a copy reads and writes the same memory, so half of its bandwidth", _CHOICE),
    AdapterRule("bus.pcie", "PCIe 3.0 with 16 lanes where a report names no bus", _REPORTS + ", rule 9"),
    AdapterRule("bandwidth.same-machine", "memory bandwidth of the integrated adapter in the same report", _REPORTS),
    AdapterRule("bandwidth.unreported", "320 GB/s for discrete memory, 51.2 GB/s for dual-channel system memory",
                _CHOICE + ": a report states no bandwidth"),
    AdapterRule("bar.default", "256 MiB of video memory is CPU-visible unless all of it is", _REPORTS + ", rule 6"),
    AdapterRule("uma.not-coherent", "CacheCoherentUMA false: the slower reads, so no false promise", _CHOICE),
    AdapterRule("caching.heap-type", "upload write-combined, readback cached", _SPECS + ": heap properties, rule 8"),
    AdapterRule("d3d12.feature-level", "what the feature level guarantees, nothing above", "adapter notes, rule 14"),
    AdapterRule("d3d12.least-level", "11_0, the least level on which D3D12 runs", "Microsoft: hardware feature levels"),
    AdapterRule("d3d12.one-node", "one node, none shared", _CHOICE + ": most adapters are not linked"),
    AdapterRule("d3d12.not-tiled", "TileBasedRenderer false unless reported", "adapter notes, table of classes"),
    AdapterRule("uma.dedicated", "UMA if less than 1 GiB is dedicated", _CHOICE),
    AdapterRule("d3d12.heap-tier", "tier 2 for AMD and integrated Intel as in their reports, else tier 1", _REPORTS),
    AdapterRule("d3d12.va-bits", "40 bits, the FL 12_2 guarantee and the least reported by hardware", _REPORTS),
    AdapterRule("d3d12.isolated-mmu", "true, as on all hardware in the reports", _REPORTS),
    AdapterRule("d3d12.absent", "an optional feature that nobody reported is taken as absent", _CHOICE),
    AdapterRule("d3d12.gpu-upload", "true on UMA; on discrete adapters if all video memory is CPU-visible",
                "adapter notes, rule 7"),
    AdapterRule("d3d12.increment", "increments of the vendor's reports; 32 bytes for every type elsewhere", _REPORTS),
    AdapterRule("d3d12.descriptor-maxima",
                "largest descriptor heaps of the vendor's reports; 1,000,000 views, 2,048 samplers else", _REPORTS),
    AdapterRule("d3d9.runtime-managed", "the runtime manages resources: CANMANAGERESOURCE false", _CHOICE),
    AdapterRule("d3d9.absent", "a capability that no caps dump shows is taken as absent", _CHOICE),
    AdapterRule("d3d9.volume", "256 texels before shader model 2, 512 before D3D10, then 2,048",
                _CHOICE + ", after the neighbours of the generation"),
    AdapterRule("d3d9.targets", "1 simultaneous render target before D3D10, then 4", _CHOICE),
    AdapterRule("d3d9.modern", "the limits that current Windows drivers list", "d8vk issue #164 as in other presets"),
    AdapterRule("user", "chosen by the user", "this preset file"),
)  # fmt: skip

RULES_BY_ID: Mapping[str, AdapterRule] = MappingProxyType({rule.id: rule for rule in ADAPTER_RULES})

RESERVE_BYTES = 768 * MIB
SMALL_GROUP_BYTES = 6 * 10**9

VENDOR_NVIDIA, VENDOR_AMD, VENDOR_INTEL, VENDOR_MICROSOFT = 0x10DE, 0x1002, 0x8086, 0x1414

_INCREMENTS = {
    VENDOR_NVIDIA: DescriptorSizes(32, 32, 32, 8),
    VENDOR_AMD: DescriptorSizes(32, 16, 32, 224),
    VENDOR_INTEL: DescriptorSizes(64, 16, 32, 144),
    VENDOR_MICROSOFT: DescriptorSizes(64, 64, 32, 8),
}
_MAXIMA = {
    VENDOR_NVIDIA: (1_000_000, 4_080),
    VENDOR_AMD: (33_554_432, 4_096),
    VENDOR_INTEL: (1_000_000, 4_000),
    VENDOR_MICROSOFT: (2_097_152, 2_097_152),
}


def assumed_budget(group_bytes: int) -> tuple[int, str]:
    """Return the budget of a segment group in bytes, and the rule id."""
    if group_bytes >= SMALL_GROUP_BYTES:
        return group_bytes - RESERVE_BYTES, "budget.large"
    return group_bytes * 7 // 8, "budget.small"


def assumed_reservation(group_bytes: int) -> int:
    """Return what of a group can be reserved, in bytes."""
    return max(0, group_bytes - 512 * MIB) // 2


def assumed_disk_rate(year: int) -> int:
    """Return bytes per second of the disk under the page file."""
    return 60_000_000 if year < 2011 else 500_000_000 if year < 2018 else 3_000_000_000


def assumed_increments(vendor_id: int) -> DescriptorSizes:
    """Return the descriptor increments in bytes."""
    return _INCREMENTS.get(vendor_id, DescriptorSizes(32, 32, 32, 32))


def assumed_descriptor_maxima(vendor_id: int) -> tuple[int, int]:
    """Return the largest shader-visible view heap and sampler heap, in descriptors."""
    return _MAXIMA.get(vendor_id, (1_000_000, 2_048))


def assumed_heap_tier(vendor_id: int, uma: bool) -> int:
    """Return the resource heap tier."""
    return 2 if vendor_id == VENDOR_AMD or (vendor_id == VENDOR_INTEL and uma) else 1


def guaranteed_tiers(max_feature_level: str) -> tuple[int, int]:
    """Return the binding tier and tiled-resources tier that a feature level guarantees."""
    return {"12_0": (2, 2), "12_1": (2, 2), "12_2": (3, 3)}.get(max_feature_level, (1, 0))


def assumed_options(
    vendor_id: int, uma: bool, max_feature_level: str, all_visible: bool
) -> dict[str, tuple[int | bool, str]]:
    """Return what D3D12 options are taken to be where nobody reported them.

    Args:
        vendor_id: PCI vendor id.
        uma: Whether the adapter is UMA.
        max_feature_level: ``12_1`` and so on.
        all_visible: Whether the CPU can map all video memory.

    Returns:
        Option → (value, rule id).
    """
    binding, tiled = guaranteed_tiers(max_feature_level)
    views, samplers = assumed_descriptor_maxima(vendor_id)
    return {
        "NodeCount": (1, "d3d12.one-node"),
        "TileBasedRenderer": (False, "d3d12.not-tiled"),
        "CacheCoherentUMA": (False, "uma.not-coherent"),
        "IsolatedMMU": (True, "d3d12.isolated-mmu"),
        "ResourceHeapTier": (assumed_heap_tier(vendor_id, uma), "d3d12.heap-tier"),
        "ResourceBindingTier": (binding, "d3d12.feature-level"),
        "TiledResourcesTier": (tiled, "d3d12.feature-level"),
        "MaxGPUVirtualAddressBitsPerResource": (40, "d3d12.va-bits"),
        "MaxGPUVirtualAddressBitsPerProcess": (40, "d3d12.va-bits"),
        "StandardSwizzle64KBSupported": (False, "d3d12.absent"),
        "GPUUploadHeapSupported": (uma or all_visible, "d3d12.gpu-upload"),
        "MSAA64KBAlignedTextureSupported": (False, "d3d12.absent"),
        "TightAlignmentSupportTier": (0, "d3d12.absent"),
        "CrossNodeSharingTier": (0, "d3d12.one-node"),
        "MaxViewDescriptorHeapSize": (views, "d3d12.descriptor-maxima"),
        "MaxSamplerDescriptorHeapSize": (samplers, "d3d12.descriptor-maxima"),
    }


def remainder_bytes(system_memory_bytes: int, taken_bytes: int) -> int:
    """Return the system memory that no segment of the adapter covers, in bytes."""
    return max(0, system_memory_bytes - taken_bytes)


def pcie_rate(generation: int, lanes: int) -> int:
    """Return bytes per second each way, after line coding.

    Raises:
        KeyError: A generation outside 1 to 5.

    Source: adapter notes, rule 9.
    """
    per_lane = {1: 250_000_000, 2: 500_000_000, 3: 985_000_000, 4: 1_969_000_000, 5: 3_938_000_000}
    return per_lane[generation] * lanes


DEFAULT_BAR_BYTES = 256 * MIB
UNREPORTED_DISCRETE_RATE = 320 * 10**9
UNREPORTED_SYSTEM_RATE = 51_200_000_000
DEFAULT_SYSTEM_MEMORY_BYTES = 16 * GIB
