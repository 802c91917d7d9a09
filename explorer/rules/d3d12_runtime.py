"""What of an adapter and a runtime decides about the rules of D3D12."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from explorer.core.d3d12_enums import CpuPageProperty, HeapType, MemoryPool
from explorer.errors import CommandError
from explorer.tables.d3d12_tables import constant, custom_properties

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.core.d3d12_structs import HeapProperties
    from explorer.tables.adapters import Adapter

STATES_RELAXED_SINCE = 606
"""Agility SDK from which initial states of UPLOAD and READBACK and unaligned block compression are free."""
SIZE_MODELS = ("linear", "tiled", "nvidia")


@dataclass(frozen=True, slots=True)
class D3d12Runtime:
    """A device's capabilities under the meaning of D3D12's own feature data.

    The defaults are the device of a record (a discrete adapter with every optional feature).

    Attributes:
        uma: One memory for CPU and GPU.
        cache_coherent_uma: The GPU sees the CPU's caches; implies ``uma``.
        tile_based: The GPU renders in tiles.
        isolated_mmu: IsolatedMMU of ARCHITECTURE1: the GPU maps its memory for itself.
        node_count: Linked nodes, 1 to 32.
        gpu_upload_heaps: GPUUploadHeapSupported.
        heap_tier: ResourceHeapTier, 1 or 2.
        tiled_tier: TiledResourcesTier, 0 (none) to 4.
        tight_alignment_tier: 0 (none) or 1.
        standard_swizzle: StandardSwizzle64KBSupported.
        agility_sdk: Runtime version; 606 changed initial states and unaligned block compression.
        unaligned_bc: UnalignedBlockTexturesSupported; None follows ``agility_sdk``.
        relaxed_casting: RelaxedFormatCastingSupported.
        writeable_msaa: WriteableMSAATexturesSupported.
        msaa_64kb: MSAA64KBAlignedTextureSupported.
        binding_tier: ResourceBindingTier, 1 to 3.
        max_view_heap: Descriptors of a shader-visible view heap.
        max_sampler_heap: Descriptors of a shader-visible sampler heap.
        va_bits_resource: GPU address bits of one resource.
        va_bits_process: GPU address bits of a process.
        size_model: How textures are sized: one of ``SIZE_MODELS``.
        increments: Bytes of a CBV_SRV_UAV, sampler, RTV and DSV descriptor.
    """

    uma: bool = False
    cache_coherent_uma: bool = False
    tile_based: bool = False
    isolated_mmu: bool = True
    node_count: int = 1
    gpu_upload_heaps: bool = True
    heap_tier: int = 2
    tiled_tier: int = 4
    tight_alignment_tier: int = 1
    standard_swizzle: bool = True
    agility_sdk: int = 616
    unaligned_bc: bool | None = None
    relaxed_casting: bool = True
    writeable_msaa: bool = True
    msaa_64kb: bool = True
    binding_tier: int = 3
    max_view_heap: int = constant("MAX_SHADER_VISIBLE_DESCRIPTOR_HEAP_SIZE_TIER_2")
    max_sampler_heap: int = constant("MAX_SHADER_VISIBLE_SAMPLER_HEAP_SIZE")
    va_bits_resource: int = 40
    va_bits_process: int = 48
    size_model: str = "linear"
    increments: tuple[int, int, int, int] = (32, 32, 32, 32)

    @property
    def states_relaxed(self) -> bool:
        """Whether UPLOAD and READBACK take more than one initial state."""
        return self.agility_sdk >= STATES_RELAXED_SINCE

    @property
    def bc_any_size(self) -> bool:
        """Whether block-compressed textures may have sizes that are no multiples of the block."""
        return self.states_relaxed if self.unaligned_bc is None else self.unaligned_bc

    @property
    def has_l1(self) -> bool:
        """Whether there is video memory besides system memory."""
        return not self.uma


DEFAULT = D3d12Runtime()


def _whole(text: str) -> int:
    return int(text, 0)


def _truth(text: str) -> bool:
    return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[text.lower()]


def _model(text: str) -> str:
    if text not in SIZE_MODELS:
        raise ValueError(text)
    return text


_OPTIONS: Mapping[str, tuple[str, Callable[[str], object], tuple[str, ...]]] = {
    "UMA": ("uma", _truth, ("true", "false")),
    "CacheCoherentUMA": ("cache_coherent_uma", _truth, ("true", "false")),
    "gpu_upload_heap_supported": ("gpu_upload_heaps", _truth, ("true", "false")),
    "resource_heap_tier": ("heap_tier", _whole, ("1", "2")),
    "tiled_resources_tier": ("tiled_tier", _whole, ("0", "1", "2", "3", "4")),
    "tight_alignment_tier": ("tight_alignment_tier", _whole, ("0", "1")),
    "standard_swizzle_64kb_supported": ("standard_swizzle", _truth, ("true", "false")),
    "agility_sdk": ("agility_sdk", _whole, ("a whole number such as 606",)),
    "unaligned_block_textures_supported": ("unaligned_bc", _truth, ("true", "false")),
    "relaxed_format_casting": ("relaxed_casting", _truth, ("true", "false")),
    "writeable_msaa_textures_supported": ("writeable_msaa", _truth, ("true", "false")),
    "resource_binding_tier": ("binding_tier", _whole, ("1", "2", "3")),
    "node_count": ("node_count", _whole, ("1 … 32",)),
    "size_model": ("size_model", _model, SIZE_MODELS),
}
OPTION_KEYS = tuple(_OPTIONS)
"""What ``--option KEY=VALUE`` accepts for D3D12."""


def runtime_of(adapter: Adapter | None, options: Mapping[str, str] | None = None) -> D3d12Runtime:
    """Return the runtime of a device: defaults, then the adapter, then the options.

    Args:
        adapter: The adapter, or None for the default device.
        options: Keys of ``OPTION_KEYS`` with values as text; other keys belong to other APIs.

    Raises:
        CommandError: An option's value is not accepted, or the adapter does not serve D3D12.
    """
    return fixed_runtime(adapter, options or {})[0]


def fixed_runtime(adapter: Adapter | None, options: Mapping[str, str]) -> tuple[D3d12Runtime, frozenset[str]]:
    """Return the runtime, and which of its fields adapter or options fixed."""
    values = _adapter_values(adapter) if adapter is not None else {}
    for key, text in options.items():
        if key not in _OPTIONS:
            continue
        field, parse, accepted = _OPTIONS[key]
        try:
            values[field] = parse(text)
        except (ValueError, KeyError):
            raise CommandError("not a value of this option", where=key, found=text, accepted=accepted) from None
    return replace(DEFAULT, **values), frozenset(values)


def _adapter_values(adapter: Adapter) -> dict[str, Any]:
    caps = adapter.d3d12
    if caps is None:
        raise CommandError("the adapter does not serve D3D12", where="adapter", found=adapter.id)
    increments = caps.DescriptorIncrement
    return {
        "uma": caps.UMA,
        "cache_coherent_uma": caps.CacheCoherentUMA,
        "tile_based": caps.TileBasedRenderer,
        "isolated_mmu": caps.IsolatedMMU,
        "node_count": caps.NodeCount,
        "gpu_upload_heaps": caps.GPUUploadHeapSupported,
        "heap_tier": caps.ResourceHeapTier,
        "tiled_tier": caps.TiledResourcesTier,
        "tight_alignment_tier": caps.TightAlignmentSupportTier,
        "standard_swizzle": caps.StandardSwizzle64KBSupported,
        "msaa_64kb": caps.MSAA64KBAlignedTextureSupported,
        "binding_tier": caps.ResourceBindingTier,
        "max_view_heap": caps.MaxViewDescriptorHeapSize,
        "max_sampler_heap": caps.MaxSamplerDescriptorHeapSize,
        "va_bits_resource": caps.MaxGPUVirtualAddressBitsPerResource,
        "va_bits_process": caps.MaxGPUVirtualAddressBitsPerProcess,
        "size_model": adapter.size_model,
        "increments": (increments.CBV_SRV_UAV, increments.SAMPLER, increments.RTV, increments.DSV),
    }


def effective_properties(properties: HeapProperties, runtime: D3d12Runtime) -> tuple[CpuPageProperty, MemoryPool]:
    """Return page property and pool of a heap; those of an abstract type are the architecture's.

    Source: d3d12.1.4a.
    """
    if properties.Type is HeapType.CUSTOM:
        return properties.CPUPageProperty, properties.MemoryPoolPreference
    return custom_properties(properties.Type, runtime.uma, runtime.cache_coherent_uma)


def is_cpu_visible(properties: HeapProperties, runtime: D3d12Runtime) -> bool:
    """Return whether the CPU can access the heap."""
    return effective_properties(properties, runtime)[0] in (CpuPageProperty.WRITE_COMBINE, CpuPageProperty.WRITE_BACK)


def segment_group(pool: MemoryPool, runtime: D3d12Runtime) -> str:
    """Return ``LOCAL`` or ``NON_LOCAL``: which budget a pool counts to.

    Source: d3d12.1.3b.
    """
    return "LOCAL" if runtime.uma or pool is MemoryPool.L1 else "NON_LOCAL"
