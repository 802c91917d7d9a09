"""One adapter of a D3d12info report as an adapter preset: measured values, and stated rules for the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, cast

from explorer.core.units import MAX_BYTES, MIB
from explorer.errors import PresetError
from explorer.tables.adapter_file import value_range
from explorer.tables.adapter_rules import (
    DEFAULT_BAR_BYTES,
    DEFAULT_SYSTEM_MEMORY_BYTES,
    UNREPORTED_DISCRETE_RATE,
    UNREPORTED_SYSTEM_RATE,
    assumed_budget,
    assumed_disk_rate,
    assumed_increments,
    assumed_options,
    assumed_reservation,
    pcie_rate,
    remainder_bytes,
)
from explorer.tables.adapters import (
    ADAPTER_SCHEMA,
    Adapter,
    Bus,
    ValueOrigin,
    adapter_from_mapping,
    shipped_adapter_with,
)

Warn = Callable[[str, str, str], None]
"""Takes a code, the place and a message."""

_NVAPI_MEMORY = "NvAPI_GPU_GetMemoryInfoEx - NV_GPU_MEMORY_INFO_EX::dedicatedVideoMemory"
_GROUP = "DXGI_QUERY_VIDEO_MEMORY_INFO[DXGI_MEMORY_SEGMENT_GROUP_{}]"
# Where each option stands in a report. A report has no node count: it describes node 0.
_OPTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "TileBasedRenderer": (("D3D12_FEATURE_DATA_ARCHITECTURE1", "D3D12_FEATURE_DATA_ARCHITECTURE"), "TileBasedRenderer"),
    "CacheCoherentUMA": (("D3D12_FEATURE_DATA_ARCHITECTURE1", "D3D12_FEATURE_DATA_ARCHITECTURE"), "CacheCoherentUMA"),
    "IsolatedMMU": (("D3D12_FEATURE_DATA_ARCHITECTURE1",), "IsolatedMMU"),
    "ResourceHeapTier": (("D3D12_FEATURE_DATA_D3D12_OPTIONS",), "ResourceHeapTier"),
    "ResourceBindingTier": (("D3D12_FEATURE_DATA_D3D12_OPTIONS",), "ResourceBindingTier"),
    "TiledResourcesTier": (("D3D12_FEATURE_DATA_D3D12_OPTIONS",), "TiledResourcesTier"),
    "MaxGPUVirtualAddressBitsPerResource": (
        ("D3D12_FEATURE_DATA_GPU_VIRTUAL_ADDRESS_SUPPORT", "D3D12_FEATURE_DATA_D3D12_OPTIONS"),
        "MaxGPUVirtualAddressBitsPerResource",
    ),
    "MaxGPUVirtualAddressBitsPerProcess": (
        ("D3D12_FEATURE_DATA_GPU_VIRTUAL_ADDRESS_SUPPORT",),
        "MaxGPUVirtualAddressBitsPerProcess",
    ),
    "StandardSwizzle64KBSupported": (("D3D12_FEATURE_DATA_D3D12_OPTIONS",), "StandardSwizzle64KBSupported"),
    "GPUUploadHeapSupported": (("D3D12_FEATURE_DATA_D3D12_OPTIONS16",), "GPUUploadHeapSupported"),
    "MSAA64KBAlignedTextureSupported": (("D3D12_FEATURE_DATA_D3D12_OPTIONS4",), "MSAA64KBAlignedTextureSupported"),
    "TightAlignmentSupportTier": (("D3D12_FEATURE_DATA_TIGHT_ALIGNMENT",), "SupportTier"),
    "CrossNodeSharingTier": (("D3D12_FEATURE_DATA_D3D12_OPTIONS",), "CrossNodeSharingTier"),
    "MaxViewDescriptorHeapSize": (("D3D12_FEATURE_DATA_D3D12_OPTIONS19",), "MaxViewDescriptorHeapSize"),
    "MaxSamplerDescriptorHeapSize": (("D3D12_FEATURE_DATA_D3D12_OPTIONS19",), "MaxSamplerDescriptorHeapSize"),
}
_DESCRIPTIONS = tuple(f"DXGI_ADAPTER_DESC{n}" for n in ("3", "2", "1", ""))
_FEATURE_LEVELS = {0xB000: "11_0", 0xB100: "11_1", 0xC000: "12_0", 0xC100: "12_1", 0xC200: "12_2"}
_SOFTWARE_FLAG = 2
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})(?:\s*\(.*\))?")
_LEVEL = re.compile(r"(?:D3D_FEATURE_LEVEL_)?(\d\d_\d)")


@dataclass(slots=True)
class Section:
    """One object of the report; answers None for what is missing and warns of what cannot be read."""

    values: Mapping[str, object]
    where: str
    warn: Warn

    def section(self, *names: str) -> Section:
        """Return the first sub-object that is there, else an empty one."""
        for name in names:
            value = self.values.get(name)
            if isinstance(value, dict):
                return Section(cast("dict[str, object]", value), f"{self.where}.{name}", self.warn)
            if value is not None:
                self.warn("not-an-object", f"{self.where}.{name}", "should hold named values and is left out")
        return Section({}, f"{self.where}.{names[0]}", self.warn)

    def number(self, name: str, high: int = MAX_BYTES, low: int = 0) -> int | None:
        """Return a number that may be written as a JSON number, a decimal or a 0x string."""
        value = self.values.get(name)
        if value is None:
            return None
        found: int | None = None
        if isinstance(value, int) and not isinstance(value, bool):
            found = value
        elif isinstance(value, str) and (match := _NUMBER.fullmatch(value.strip())):
            found = int(match[1], 0) if match[1][:2].lower() == "0x" else int(match[1])
        if found is None or not low <= found <= high:
            self.warn("bad-number", f"{self.where}.{name}", f"is not a number from {low} to {high} and is left out")
            return None
        return found

    def flag(self, name: str) -> bool | None:
        """Return a truth value that may be written as true, 1 or "TRUE"."""
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, bool | int) and value in (0, 1):
            return bool(value)
        if isinstance(value, str) and value.strip().lower() in ("true", "false", "1", "0"):
            return value.strip().lower() in ("true", "1")
        self.warn("bad-flag", f"{self.where}.{name}", "is not a truth value and is left out")
        return None

    def text(self, name: str) -> str | None:
        """Return a string without control characters, at most 120 characters."""
        value = self.values.get(name)
        if not isinstance(value, str):
            return None
        return "".join(c for c in value if c.isprintable()).strip()[:120] or None


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """What a report says about the machine.

    Attributes:
        source: Citation of the report.
        date: ``2024-06-10``, or None.
        system_memory_bytes: RAM that Windows sees, or None.
        system_rate: Bandwidth of the integrated adapter's memory in bytes per second, or None.
    """

    source: str
    date: str | None
    system_memory_bytes: int | None
    system_rate: int | None


@dataclass(slots=True)
class _Builder:
    """A preset mapping in the making, with an origin for each value that is set."""

    source: str
    mapping: dict[str, Any] = field(default_factory=dict[str, Any])
    sources: dict[str, str] = field(default_factory=dict[str, str])
    confidence: dict[str, str] = field(default_factory=dict[str, str])
    assumed: dict[str, str] = field(default_factory=dict[str, str])
    unknown: dict[str, str] = field(default_factory=dict[str, str])

    def cite(self, key: str, source: str | None = None, confidence: str = "measured") -> None:
        self.sources[key], self.confidence[key] = source or self.source, confidence

    def copy(self, key: str, origin: ValueOrigin) -> None:
        """Take over where a value of another preset came from."""
        self.assumed.pop(key, None)
        if origin.rule is not None:
            self.assumed[key] = origin.rule
        else:
            self.cite(key, origin.source, origin.confidence)

    def pick(self, key: str, measured: int | None, chosen: int, rule: str) -> int:
        """Return the measured value, or the chosen one with its rule noted."""
        if measured is None:
            self.assumed[key] = rule
            return chosen
        self.cite(key)
        return measured


def reported_bandwidth(adapter: Section) -> int | None:
    """Return the memory bandwidth in bytes per second that the vendor's interface reports, or None."""
    megabytes = adapter.section("AGSDeviceInfo").number("memoryBandwidth", 1 << 30)
    return megabytes * 10**6 if megabytes else None


def is_integrated(adapter: Section) -> bool:
    """Return whether the report calls the adapter UMA hardware."""
    return _is_uma(adapter) is True and not _is_software(adapter)


def build_adapter(adapter: Section, adapter_id: str, facts: ReportFacts) -> Adapter:
    """Return the preset of one adapter of a report.

    Args:
        adapter: The adapter's object in the report.
        adapter_id: Id of the preset.
        facts: What the report says about the machine.

    Raises:
        PresetError: The report does not say how much memory the adapter has, or contradicts itself.
    """
    b = _Builder(facts.source)
    desc = adapter.section(*_DESCRIPTIONS)
    dedicated, shared = desc.number("DedicatedVideoMemory"), desc.number("SharedSystemMemory")
    if dedicated is None and shared is None:
        raise PresetError("the report does not say how much memory the adapter has", where=desc.where,
                          accepted=("DedicatedVideoMemory", "SharedSystemMemory"))  # fmt: skip
    dedicated, shared = dedicated or 0, shared or 0
    uma = _is_uma(adapter)
    is_uma = uma if uma is not None else dedicated < 1024 * MIB
    _identity(b, adapter, desc, adapter_id, is_uma, facts)
    level = _feature_level(b, adapter)
    chosen = (2 * shared, "system.shared") if shared else (DEFAULT_SYSTEM_MEMORY_BYTES, "system.default")
    system = b.pick("system_memory_bytes", facts.system_memory_bytes, *chosen)
    b.mapping["system_memory_bytes"] = system
    rate = reported_bandwidth(adapter)
    _bus(b, is_uma, rate or facts.system_rate or UNREPORTED_SYSTEM_RATE)
    visible = _segments(b, adapter, dedicated, shared, is_uma, rate, facts)
    _system_segments(b, system, shared)
    _budgets(b, adapter, dedicated, shared, is_uma)
    vendor = b.mapping["vendor_id"]
    options: dict[str, Any] = {"UMA": is_uma}
    if uma is None:
        b.assumed["d3d12.UMA"] = "uma.dedicated"
    else:
        b.cite("d3d12.UMA")
    for name, (chosen, rule) in assumed_options(vendor, is_uma, level, visible).items():
        options[name] = _option(b, adapter, name, chosen, rule)
    _increments(b, adapter, options, vendor)
    b.mapping["d3d12"] = options
    _caps(b, desc, dedicated, shared)
    _add_known_hardware(b)
    tables = {"sources": b.sources, "confidence": b.confidence, "assumed": b.assumed, "unknown": b.unknown}
    return adapter_from_mapping({**b.mapping, **tables})


def _add_known_hardware(b: _Builder) -> None:
    """Take what a report never states from the shipped preset of the same chip, with that preset's sources."""
    known = shipped_adapter_with(b.mapping["vendor_id"], b.mapping.get("device_id", -1))
    if known is None or b.mapping["kind"] == "software":
        return
    b.mapping["year"], b.mapping["architecture"] = known.year, known.architecture
    for key in ("year", "architecture"):
        b.copy(key, known.origin(key))
    # A preset of linked nodes or of another memory size says nothing about this board's bus.
    is_uma = b.mapping["d3d12"]["UMA"]
    if is_uma or known.memory_class == "uma":
        return
    b.assumed.pop("bus")
    b.mapping["bus"] = {f.name: value for f in fields(Bus) if (value := getattr(known.bus, f.name)) is not None}
    for name in b.mapping["bus"]:
        b.copy(f"bus.{name}", known.origin(f"bus.{name}"))
    rows = b.mapping["segments"]
    if "segments.0.gpu_bandwidth_bytes_per_s" in b.assumed:
        rows[0]["gpu_bandwidth_bytes_per_s"] = known.segments[0].gpu_bandwidth_bytes_per_s
        b.copy("segments.0.gpu_bandwidth_bytes_per_s", known.origin("segments.0.gpu_bandwidth_bytes_per_s"))
    for i, row in enumerate(rows):
        if row["group"] in ("NON_LOCAL", "SYSTEM"):
            row["gpu_bandwidth_bytes_per_s"] = known.bus.to_gpu_bytes_per_s
            b.assumed[f"segments.{i}.gpu_bandwidth_bytes_per_s"] = "system.rate"


def _is_uma(adapter: Section) -> bool | None:
    return adapter.section("D3D12_FEATURE_DATA_ARCHITECTURE1", "D3D12_FEATURE_DATA_ARCHITECTURE").flag("UMA")


def _is_software(adapter: Section) -> bool:
    desc = adapter.section(*_DESCRIPTIONS)
    return bool((desc.number("Flags") or 0) & _SOFTWARE_FLAG)


def _identity(b: _Builder, adapter: Section, desc: Section, adapter_id: str, is_uma: bool, facts: ReportFacts) -> None:
    tiled = adapter.section("D3D12_FEATURE_DATA_ARCHITECTURE1", "D3D12_FEATURE_DATA_ARCHITECTURE").flag(
        "TileBasedRenderer"
    )
    kind = "software" if _is_software(adapter) else "tile" if tiled else "integrated" if is_uma else "discrete"
    vendor, device = desc.number("VendorId", 0xFFFF_FFFF), desc.number("DeviceId", 0xFFFF_FFFF)
    low, high = value_range("Adapter", "year")
    year = int(facts.date[:4]) if facts.date else 0
    year = year if low <= year <= high else 2015
    name = desc.text("Description") or "adapter without name"
    b.mapping |= {
        "schema": ADAPTER_SCHEMA, "id": adapter_id, "name": name, "architecture": "not reported", "kind": kind,
        "windows": "win7", "vendor_id": vendor or 0, "year": year, "checked": facts.date or "unknown", "quirks": [],
    }  # fmt: skip
    for key in ("name", "architecture", "kind", "vendor_id"):
        b.cite(key)
    b.cite("windows", "D3D12 runs on Windows 10 and later", "typical")
    b.assumed["year"] = "year.report"
    if device is None:
        b.unknown["device_id"] = "the report has none"
    else:
        b.mapping["device_id"] = device
        b.cite("device_id")


def _feature_level(b: _Builder, adapter: Section) -> str:
    section = adapter.section("D3D12_FEATURE_DATA_FEATURE_LEVELS")
    text = section.text("MaxSupportedFeatureLevel")
    match = _LEVEL.fullmatch(text) if text else None
    number = None if match else section.number("MaxSupportedFeatureLevel")
    level = match[1] if match else _FEATURE_LEVELS.get(number or 0)
    if level is None and number:
        section.warn("unknown-level", f"{section.where}.MaxSupportedFeatureLevel", f"level {number:#x} is not known")
    software = b.mapping["kind"] == "software"
    b.mapping["apis"] = {"d3d9": not software, "d3d10": True, "d3d11": True, "d3d12": True,
                         "max_feature_level": level or "11_0"}  # fmt: skip
    b.cite("apis", "typical: drivers for D3D12 hardware serve the older generations too, WARP from D3D10 on", "typical")
    b.cite("apis.d3d12")
    if level is None:
        b.assumed["apis.max_feature_level"] = "d3d12.least-level"
    else:
        b.cite("apis.max_feature_level")
    return level or "11_0"


def _bus(b: _Builder, is_uma: bool, system_rate: int) -> None:
    if not is_uma:
        rate = pcie_rate(3, 16)
        b.mapping["bus"] = {"type": "PCIe", "pcie_gen": 3, "lanes": 16, "to_gpu_bytes_per_s": rate,
                            "from_gpu_bytes_per_s": rate}  # fmt: skip
        b.assumed["bus"] = "bus.pcie"
        return
    kind = "none" if b.mapping["kind"] == "software" else "on-die"
    b.mapping["bus"] = {"type": kind, "to_gpu_bytes_per_s": system_rate // 2, "from_gpu_bytes_per_s": system_rate // 2}
    b.cite("bus.type")
    b.assumed["bus.to_gpu_bytes_per_s"] = b.assumed["bus.from_gpu_bytes_per_s"] = "bus.on-die"


def _segments(
    b: _Builder, adapter: Section, dedicated: int, shared: int, is_uma: bool, rate: int | None, facts: ReportFacts
) -> bool:
    """Add the LOCAL and NON_LOCAL segments; return whether the CPU can map all video memory."""
    rows: list[dict[str, Any]] = []
    local_bytes = dedicated + shared if is_uma else dedicated
    coherent = bool(adapter.section("D3D12_FEATURE_DATA_ARCHITECTURE1", "D3D12_FEATURE_DATA_ARCHITECTURE").flag(
        "CacheCoherentUMA"))  # fmt: skip
    local: dict[str, Any] = {"name": "unified memory (L0)" if is_uma else "local video memory (L1)", "group": "LOCAL",
                             "node": 0, "size_bytes": local_bytes, "placement": "paged"}  # fmt: skip
    if is_uma:
        rule = "bandwidth.same-machine" if facts.system_rate else "bandwidth.unreported"
        local["gpu_bandwidth_bytes_per_s"] = b.pick("segments.0.gpu_bandwidth_bytes_per_s", rate,
                                                    facts.system_rate or UNREPORTED_SYSTEM_RATE, rule)  # fmt: skip
        local |= {"cpu_visible_bytes": local_bytes, "cpu_caching": "WB" if coherent else "per heap type",
                  "carve_out_bytes": dedicated}  # fmt: skip
        b.cite("segments.0.cpu_visible_bytes")
        b.cite("segments.0.carve_out_bytes")
    else:
        local["gpu_bandwidth_bytes_per_s"] = b.pick("segments.0.gpu_bandwidth_bytes_per_s", rate,
                                                    UNREPORTED_DISCRETE_RATE, "bandwidth.unreported")  # fmt: skip
        local |= {"cpu_visible_bytes": _visible(b, adapter, local_bytes), "cpu_caching": "WC"}
        physical = adapter.section("NvPhysicalGpuHandle").number(_NVAPI_MEMORY)
        if physical:
            local["physical_bytes"] = physical
            b.cite("segments.0.physical_bytes")
    b.cite("segments.0.size_bytes")
    rows.append(local)
    if not is_uma and shared:
        rows.append({"name": "shared system memory over the bus (L0)", "group": "NON_LOCAL", "node": 0,
                     "size_bytes": shared, "gpu_bandwidth_bytes_per_s": b.mapping["bus"]["to_gpu_bytes_per_s"],
                     "cpu_visible_bytes": shared, "cpu_caching": "per heap type", "placement": "paged"})  # fmt: skip
        b.cite("segments.1.size_bytes")
        b.cite("segments.1.cpu_visible_bytes")
        b.assumed["segments.1.gpu_bandwidth_bytes_per_s"] = "system.rate"
    for i in range(len(rows)):
        b.assumed[f"segments.{i}.cpu_caching"] = "caching.heap-type"
        b.cite(f"segments.{i}.placement", "WDDM 2 drivers give the GPU virtual addresses", "typical")
    b.mapping["segments"] = rows
    return local["cpu_visible_bytes"] >= local_bytes


def _visible(b: _Builder, adapter: Section, local_bytes: int) -> int:
    key = "segments.0.cpu_visible_bytes"
    window = adapter.section("NvAPI_D3D12_QueryCpuVisibleVidmem").number("pTotalBytes")
    if window is None and adapter.section("D3D12_FEATURE_DATA_D3D12_OPTIONS16").flag("GPUUploadHeapSupported"):
        window = local_bytes
    return min(local_bytes, b.pick(key, window, DEFAULT_BAR_BYTES, "bar.default"))


def _system_segments(b: _Builder, system: int, shared: int) -> None:
    n = len(b.mapping["segments"])
    rest = remainder_bytes(system, shared)
    b.mapping["segments"] += [
        {"name": "system memory outside the segments", "group": "SYSTEM", "node": 0, "size_bytes": rest,
         "gpu_bandwidth_bytes_per_s": b.mapping["bus"]["to_gpu_bytes_per_s"], "cpu_visible_bytes": rest,
         "cpu_caching": "WB", "placement": "paged"},
        {"name": "page file", "group": "PAGE_FILE", "node": 0, "size_bytes": system,
         "gpu_bandwidth_bytes_per_s": assumed_disk_rate(b.mapping["year"]), "cpu_visible_bytes": 0,
         "cpu_caching": "none", "placement": "paged"},
    ]  # fmt: skip
    for i, size_rule, rate_rule in (
        (n, "system.remainder", "system.rate"),
        (n + 1, "page-file.size", "page-file.rate"),
    ):
        b.cite(f"segments.{i}", "RAM and page file as Windows manages them", "typical")
        b.assumed[f"segments.{i}.size_bytes"] = size_rule
        b.assumed[f"segments.{i}.gpu_bandwidth_bytes_per_s"] = rate_rule
    b.assumed[f"segments.{n}.cpu_visible_bytes"] = "system.remainder"


def _budgets(b: _Builder, adapter: Section, dedicated: int, shared: int, is_uma: bool) -> None:
    rows: list[dict[str, Any]] = []
    for i, (group, total) in enumerate((("LOCAL", dedicated + shared if is_uma else dedicated),
                                        ("NON_LOCAL", 0 if is_uma else shared))):  # fmt: skip
        section = adapter.section(_GROUP.format(group))
        budget = section.number("Budget")
        if budget is not None and budget > total:
            section.warn("budget-too-large", f"{section.where}.Budget", "is more than the group holds and is left out")
            budget = None
        chosen, rule = assumed_budget(total) if total else (0, "budget.uma-non-local")
        reserve_rule = "budget.reservation" if total else "budget.uma-non-local"
        rows.append({
            "node": 0,
            "group": group,
            "budget_bytes": b.pick(f"budgets.{i}.budget_bytes", budget, chosen, rule),
            "available_for_reservation_bytes": b.pick(f"budgets.{i}.available_for_reservation_bytes",
                                                section.number("AvailableForReservation"),
                                                assumed_reservation(total), reserve_rule),
        })  # fmt: skip
    b.mapping["budgets"] = rows


def _option(b: _Builder, adapter: Section, name: str, chosen: int | bool, rule: str) -> int | bool:
    sections, key = _OPTIONS.get(name, ((), name))
    for at in sections:
        section = adapter.section(at)
        found = (
            section.flag(key) if isinstance(chosen, bool) else _tier(section, key, *value_range("D3d12Options", name))
        )
        if found is not None:
            b.cite(f"d3d12.{name}")
            return found
    b.assumed[f"d3d12.{name}"] = rule
    return chosen


def _tier(section: Section, key: str, low: int, high: int) -> int | None:
    # Later versions can print the constant instead of its value; a tier then ends in its number.
    text = section.text(key)
    match = re.fullmatch(r"D3D12_[A-Z0-9_]*TIER_(\d)", text) if text else None
    return int(match[1]) if match else section.number(key, high, low)


def _increments(b: _Builder, adapter: Section, options: dict[str, Any], vendor: int) -> None:
    section = adapter.section("GetDescriptorHandleIncrementSize")
    chosen = assumed_increments(vendor)
    options["DescriptorIncrement"] = {
        name: b.pick(
            f"d3d12.DescriptorIncrement.{name}",
            section.number(f"D3D12_DESCRIPTOR_HEAP_TYPE_{name}", 1 << 16, 1),
            getattr(chosen, name),
            "d3d12.increment",
        )
        for name in ("CBV_SRV_UAV", "SAMPLER", "RTV", "DSV")
    }


def _caps(b: _Builder, desc: Section, dedicated: int, shared: int) -> None:
    if b.mapping["apis"]["d3d9"]:
        b.mapping["d3d9"] = {"CANMANAGERESOURCE": False, "DYNAMICTEXTURES": True, "HWTRANSFORMANDLIGHT": True,
                             "NPATCHES": False, "RTPATCHES": False, "MaxTextureWidth": 16384, "MaxTextureHeight": 16384,
                             "MaxVolumeExtent": 2048, "NumSimultaneousRTs": 4}  # fmt: skip
        b.assumed["d3d9"] = "d3d9.modern"
        for name in ("MaxTextureAspectRatio", "MaxAnisotropy", "MaxPointSize", "MaxPrimitiveCount", "MaxStreams"):
            b.unknown[f"d3d9.{name}"] = "a D3d12info report has no D3D9 capabilities"
    b.mapping["dxgi"] = {"DedicatedVideoMemory": dedicated,
                         "DedicatedSystemMemory": desc.number("DedicatedSystemMemory") or 0,
                         "SharedSystemMemory": shared}  # fmt: skip
    b.cite("dxgi")
    b.mapping["limits"] = {"MaxTexture2D": 16384, "MaxTexture3D": 2048, "MaxTextureCube": 16384}
    b.cite("limits", "Microsoft win32 docs: direct3d12/hardware-feature-levels, from 11_0 on", "published")
