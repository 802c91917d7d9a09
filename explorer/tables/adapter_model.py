"""What an adapter is: identity, memory segments, budgets, caps, and where each value came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Literal, cast

from explorer.errors import CommandError
from explorer.tables.adapter_rules import RULES_BY_ID, VENDOR_NVIDIA, DescriptorSizes

Group = Literal["LOCAL", "NON_LOCAL", "SYSTEM", "PAGE_FILE", "RESERVED"]
Placement = Literal["contiguous", "paged"]
CpuCaching = Literal["WC", "WB", "none", "per heap type", "per page"]
Confidence = Literal["measured", "published", "typical", "assumed"]
MemoryClass = Literal["discrete_agp", "discrete_pcie", "uma"]
SizeModel = Literal["nvidia", "tiled", "linear"]
Kind = Literal["discrete", "integrated", "tile", "console", "software"]
Windows = Literal["xp", "win7"]

STRUCTURAL_KEYS = frozenset({"name", "node", "group"})
"""Keys of a segment or budget that say which one it is; they carry no source."""

UNSOURCED_KEYS = frozenset({"schema", "id", "checked", "quirks", "sources", "confidence", "assumed", "unknown"})
"""Top-level keys that are about the preset, not about the adapter."""


@dataclass(frozen=True, slots=True)
class Apis:
    """Direct3D generations that the adapter's driver serves.

    Attributes:
        max_feature_level: ``12_1``, or a class such as ``9_1-class`` where feature levels did not exist yet.
    """

    d3d9: bool
    d3d10: bool
    d3d11: bool
    d3d12: bool
    max_feature_level: str

    @property
    def names(self) -> tuple[str, ...]:
        """The generations served, oldest first."""
        return tuple(name for name in ("d3d9", "d3d10", "d3d11", "d3d12") if getattr(self, name))


@dataclass(frozen=True, slots=True)
class Bus:
    """How the adapter reaches system memory.

    Attributes:
        type: ``AGP 4x``, ``PCIe``, ``on-die``, ``chipset``, ``none``.
        pcie_gen: 1 to 5; None where the bus is not PCIe.
        lanes: PCIe lanes; None where the bus is not PCIe.
        to_gpu_bytes_per_s: Peak rate towards the GPU, after line coding.
        from_gpu_bytes_per_s: Peak rate from the GPU.
    """

    type: str
    pcie_gen: int | None
    lanes: int | None
    to_gpu_bytes_per_s: int
    from_gpu_bytes_per_s: int


@dataclass(frozen=True, slots=True)
class AdapterSegment:
    """One memory segment. No byte of RAM belongs to two segments of an adapter.

    Attributes:
        name: Shown name, unique in the adapter.
        group: Segment group; SYSTEM is the RAM that no other segment covers, PAGE_FILE the disk behind it.
        node: Node it belongs to; a NON_LOCAL, SYSTEM or PAGE_FILE segment of node 0 serves every node.
        size_bytes: What the system can allocate there.
        gpu_bandwidth_bytes_per_s: Peak rate at which the GPU reads it; for SYSTEM and PAGE_FILE, which the GPU
            cannot address, the rate at which their bytes are brought in.
        cpu_visible_bytes: How much of it the CPU can map.
        cpu_caching: ``per heap type`` = upload write-combined and readback cached; ``per page`` = the title chooses.
        placement: ``contiguous``: a block needs one hole; ``paged``: any free pages do.
        physical_bytes: What the chips hold; None where only one figure is known.
        carve_out_bytes: Part of the segment that firmware took out of RAM before Windows saw it.
    """

    name: str
    group: Group
    node: int
    size_bytes: int
    gpu_bandwidth_bytes_per_s: int
    cpu_visible_bytes: int
    cpu_caching: CpuCaching
    placement: Placement
    physical_bytes: int | None = None
    carve_out_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class GroupBudget:
    """Budget of one segment group of a node.

    Attributes:
        node: The node.
        group: LOCAL or NON_LOCAL.
        budget_bytes: What the system grants a foreground process on a quiet machine; None: no such thing (before
            WDDM 2).
        available_for_reservation_bytes: Bytes that can be reserved; None as above.
    """

    node: int
    group: Literal["LOCAL", "NON_LOCAL"]
    budget_bytes: int | None
    available_for_reservation_bytes: int | None

    @property
    def available_for_reservation(self) -> int | None:
        """The bytes under the API's own name."""
        return self.available_for_reservation_bytes


@dataclass(frozen=True, slots=True)
class D3d9Caps:
    """Device capabilities of D3D9 under their own names; None is unknown."""

    CANMANAGERESOURCE: bool
    DYNAMICTEXTURES: bool
    HWTRANSFORMANDLIGHT: bool
    NPATCHES: bool
    RTPATCHES: bool
    MaxTextureWidth: int
    MaxTextureHeight: int
    MaxVolumeExtent: int
    NumSimultaneousRTs: int
    MaxTextureAspectRatio: int | None
    MaxAnisotropy: int | None
    MaxPointSize: int | None
    MaxPrimitiveCount: int | None
    MaxStreams: int | None


@dataclass(frozen=True, slots=True)
class D3d12Options:
    """Feature data of D3D12 under its own names; tiers are the raw enum values."""

    NodeCount: int
    TileBasedRenderer: bool
    UMA: bool
    CacheCoherentUMA: bool
    IsolatedMMU: bool
    ResourceHeapTier: int
    ResourceBindingTier: int
    TiledResourcesTier: int
    MaxGPUVirtualAddressBitsPerResource: int
    MaxGPUVirtualAddressBitsPerProcess: int
    StandardSwizzle64KBSupported: bool
    GPUUploadHeapSupported: bool
    MSAA64KBAlignedTextureSupported: bool
    TightAlignmentSupportTier: int
    CrossNodeSharingTier: int
    MaxViewDescriptorHeapSize: int
    MaxSamplerDescriptorHeapSize: int
    DescriptorIncrement: DescriptorSizes


@dataclass(frozen=True, slots=True)
class Dxgi:
    """Memory as DXGI_ADAPTER_DESC reports it, in bytes."""

    DedicatedVideoMemory: int
    DedicatedSystemMemory: int
    SharedSystemMemory: int


@dataclass(frozen=True, slots=True)
class Limits:
    """Largest texture extents in texels from D3D10 on; None is unknown."""

    MaxTexture2D: int
    MaxTexture3D: int | None
    MaxTextureCube: int | None


@dataclass(frozen=True, slots=True)
class ValueOrigin:
    """Where one value came from.

    Attributes:
        source: Citation; for an assumed value what its rule rests on.
        confidence: How good it is.
        rule: Rule id for an assumed value, else None.
    """

    source: str
    confidence: Confidence
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Adapter:
    """A simulated adapter.

    Attributes:
        vendor_id: PCI vendor id.
        device_id: PCI device id; None where unknown.
        windows: Runtime that a scenario takes on it by default; ``win7`` stands for 7 and later.
        system_memory_bytes: RAM that Windows sees (consoles: all memory).
        d3d9: None where D3D9 is not served.
        d3d12: None where D3D12 is not served.
        dxgi: None where nothing is known.
        limits: None where only D3D9 caps exist.
        quirks: Facts worth knowing, one sentence each.
        checked: Date of the last check against the sources, ISO.
        sources: Key path or prefix → citation; the longest prefix counts.
        confidence: The same for the confidence.
        assumed: The same for the rule ids of assumed values.
        unknown: Key path → why the value is left out.
    """

    id: str
    name: str
    vendor_id: int
    device_id: int | None
    year: int
    architecture: str
    kind: Kind
    windows: Windows
    checked: str
    apis: Apis
    bus: Bus
    system_memory_bytes: int
    segments: tuple[AdapterSegment, ...]
    budgets: tuple[GroupBudget, ...]
    d3d9: D3d9Caps | None
    d3d12: D3d12Options | None
    dxgi: Dxgi | None
    limits: Limits | None
    quirks: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    confidence: Mapping[str, Confidence] = field(default_factory=dict[str, Confidence])
    assumed_rules: Mapping[str, str] = field(default_factory=dict[str, str])
    unknown: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def node_count(self) -> int:
        """Linked nodes, 1 for an ordinary adapter."""
        return self.d3d12.NodeCount if self.d3d12 else 1

    @property
    def memory_class(self) -> MemoryClass:
        """The class that placement tables use."""
        if self.kind != "discrete" or (self.d3d12 is not None and self.d3d12.UMA):
            return "uma"
        return "discrete_agp" if self.bus.type.startswith("AGP") else "discrete_pcie"

    @property
    def is_cache_coherent(self) -> bool:
        """Whether it is a UMA adapter whose GPU snoops the CPU caches."""
        return self.d3d12 is not None and self.d3d12.UMA and self.d3d12.CacheCoherentUMA

    @property
    def size_model(self) -> SizeModel:
        """How textures are laid out, and so how large they are."""
        if self.d3d12 is None:
            return "linear"
        return "nvidia" if self.vendor_id == VENDOR_NVIDIA else "tiled"

    @property
    def assumed(self) -> int:
        """How many values are assumed."""
        return sum(self.origin(key).confidence == "assumed" for key in value_keys(self))

    def segments_of(self, node: int, group: Group) -> tuple[AdapterSegment, ...]:
        """Return the segments of a group of a node; what lies in system memory is shared by all nodes."""
        shared = group in ("NON_LOCAL", "SYSTEM", "PAGE_FILE")
        return tuple(s for s in self.segments if s.group == group and (s.node == node or shared))

    def group_bytes(self, node: int, group: Group) -> int:
        """Return the size of a group of a node in bytes."""
        return sum(s.size_bytes for s in self.segments_of(node, group))

    def budget_of(self, node: int, group: Group) -> GroupBudget | None:
        """Return the budget of a group of a node; the NON_LOCAL one of node 0 serves every node."""
        for at in (node, 0) if group == "NON_LOCAL" else (node,):
            for budget in self.budgets:
                if (budget.node, budget.group) == (at, group):
                    return budget
        return None

    def origin(self, key: str) -> ValueOrigin:
        """Return where a value came from.

        Args:
            key: Key path of the preset, ``segments.0.size_bytes`` or ``segments[0].size_bytes``.

        Raises:
            CommandError: No source covers the key.
        """
        path = key.replace("[", ".").replace("]", "")
        at_assumed, at_source = prefix_of(path, self.assumed_rules), prefix_of(path, self.sources)
        if at_assumed is not None and len(at_assumed) >= len(prefix_of(path, self.confidence) or ""):
            rule = RULES_BY_ID[self.assumed_rules[at_assumed]]
            return ValueOrigin(rule.source, "assumed", rule.id)
        at_confidence = prefix_of(path, self.confidence)
        if at_source is None or at_confidence is None:
            raise CommandError("no source covers this key", where=key, accepted=tuple(sorted(self.sources)))
        return ValueOrigin(self.sources[at_source], self.confidence[at_confidence])


@dataclass(frozen=True, slots=True)
class AdapterSystem:
    """A machine with several adapters.

    Attributes:
        adapters: Adapter ids in the order that the machine reports them.
        system_memory_bytes: RAM that all of them share.
        windows: Version of Windows at the time; None where unknown.
        notes: What is particular about it; may be empty.
        source: Citation.
        confidence: How good it is.
        checked: Date of the last check, ISO.
    """

    id: str
    name: str
    adapters: tuple[str, ...]
    system_memory_bytes: int
    windows: str | None
    notes: str
    source: str
    confidence: Confidence
    checked: str


def prefix_of(path: str, table: Mapping[str, object]) -> str | None:
    """Return the longest dotted prefix of ``path`` (itself included) that is a key of ``table``."""
    while path not in table:
        cut = path.rfind(".")
        if cut < 0:
            return None
        path = path[:cut]
    return path


def value_keys(adapter: Adapter) -> list[str]:
    """Return the key path of every value that must have a source."""
    keys: list[str] = []
    for f in fields(Adapter):
        if f.name not in UNSOURCED_KEYS and f.name != "assumed_rules":
            _collect(getattr(adapter, f.name), f.name, keys)
    return keys


def _collect(value: object, path: str, keys: list[str]) -> None:
    if is_dataclass(value):
        for f in fields(value):
            if not (f.name in STRUCTURAL_KEYS and isinstance(value, AdapterSegment | GroupBudget)):
                _collect(getattr(value, f.name), f"{path}.{f.name}", keys)
    elif isinstance(value, tuple):
        for i, item in enumerate(cast("tuple[object, ...]", value)):
            _collect(item, f"{path}.{i}", keys)
    elif value is not None:
        keys.append(path)
