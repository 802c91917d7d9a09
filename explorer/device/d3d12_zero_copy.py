"""Copy elimination on UMA adapters: when it pays, on which devices it is allowed, and which heap serves it.

The documents call it possible and not well defined, so it is marked as experimental everywhere, and lists of devices
decide where an application does it.

Source: MicrosoftDocs/sdk-api D3D12_FEATURE_DATA_ARCHITECTURE (reference rules d3d12 1.1, 1.4).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.core.d3d12_enums import CpuPageProperty, HeapType, MemoryPool
from explorer.core.events import EventKind
from explorer.core.verdicts import Reason
from explorer.device import cost
from explorer.errors import CommandError
from explorer.rules.d3d12_runtime import effective_properties
from explorer.tables.kernel_rules import kernel_reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.d3d12_structs import HeapProperties
    from explorer.device.d3d12 import D3D12Device
    from explorer.tables.adapters import Adapter

RULE = "device.zero-copy"
LISTS = ("zero_copy_allow", "zero_copy_deny")
"""Device options: comma-separated ``vendor:device`` ids in hexadecimal, such as ``8086:3e92``."""


@dataclass(frozen=True, slots=True)
class Use:
    """What happens to one buffer in a frame.

    Attributes:
        size: Bytes.
        cpu_writes: How often the CPU writes all of it.
        cpu_reads: How often the CPU reads all of it.
        gpu_reads: How often the GPU reads all of it.
        is_scattered: The CPU goes through it in no order.
    """

    size: int
    cpu_writes: int = 1
    cpu_reads: int = 0
    gpu_reads: int = 1
    is_scattered: bool = False


@dataclass(frozen=True, slots=True)
class Estimate:
    """What copying and working in place would cost in a frame; estimates.

    Attributes:
        copied_ns: CPU writes into an upload heap, a copy, GPU reads of a default heap; CPU reads of a read-back heap.
        in_place_ns: CPU and GPU work in one heap.
        pays: Whether working in place is cheaper and the adapter is UMA.
        reasons: What decided, the decisive one first.
    """

    copied_ns: int
    in_place_ns: int
    pays: bool
    reasons: tuple[Reason, ...]


def estimate(device: D3D12Device, use: Use, properties: HeapProperties) -> Estimate:
    """Return what a use would cost with a copy and without, in a heap with the given properties."""
    state, runtime = device.state, device.runtime
    bandwidth = state.segments[state.segments_in("LOCAL")[0]].bandwidth
    bus = state.adapter.bus
    upload, _ = effective_properties(_properties(HeapType.UPLOAD), runtime)
    local = state.segments[state.segments_in("LOCAL")[0]]
    beside = local if runtime.uma else state.segments[state.segments_in("NON_LOCAL")[0]]
    # A copy has two sides: in one memory on UMA, across the bus else.
    up, down = (
        sum(cost.side_ns(use.size, local, rate)) + sum(cost.side_ns(use.size, beside, rate))
        for rate in (bus.to_gpu_bytes_per_s, bus.from_gpu_bytes_per_s)
    )
    written = _cpu_ns(replace(use, cpu_reads=0), upload) + use.cpu_writes * up
    # What the CPU reads comes through a read-back heap, which is cached everywhere.
    read = use.cpu_reads * (cost.cpu_ns(use.size, "WB", reads=True) + down)
    copied = written + read + use.gpu_reads * cost.transfer_ns(use.size, bandwidth)
    page, pool = effective_properties(properties, runtime)
    in_local = runtime.uma or pool is MemoryPool.L1
    rate = bandwidth if in_local else bus.to_gpu_bytes_per_s
    cached = runtime.cache_coherent_uma and page is CpuPageProperty.WRITE_BACK
    in_place = _cpu_ns(use, page) + cost.in_place_ns(use.size, use.gpu_reads, rate, cached=cached)
    pays = runtime.uma and page is not CpuPageProperty.NOT_AVAILABLE and in_place < copied
    rules = ["device.needless-copy" if pays else "device.copy", RULE]
    if page is CpuPageProperty.WRITE_COMBINE and runtime.cache_coherent_uma:
        rules.insert(0, "device.coherent-wc")
    if page is CpuPageProperty.WRITE_COMBINE and use.cpu_reads:
        rules.insert(0, "device.wc-read")
    return Estimate(copied, in_place, pays, tuple(kernel_reason(rule) for rule in rules))


def suggested_heap(device: D3D12Device) -> Mapping[str, str] | None:
    """Return the custom heap that equals UPLOAD and serves every use, where the adapter is cache-coherent UMA."""
    if not device.runtime.cache_coherent_uma:
        return None
    page, pool = effective_properties(_properties(HeapType.UPLOAD), device.runtime)
    return {
        "Type": HeapType.CUSTOM.constant,
        "CPUPageProperty": page.constant,
        "MemoryPoolPreference": pool.constant,
    }


def is_allowed(adapter: Adapter, options: Mapping[str, str]) -> bool:
    """Return whether the lists let an application do without copies on this adapter.

    Raises:
        CommandError: A list holds what is no pair of ids.
    """
    allowed, denied = (_ids(name, options.get(name, "")) for name in LISTS)
    own = (adapter.vendor_id or 0, adapter.device_id or 0)
    return own not in denied and (not allowed or own in allowed)


def note_use(device: D3D12Device, row: int) -> None:
    """Report once that the GPU uses a resource where the CPU writes or reads it, as an experiment or against a list."""
    if row in device.in_place or not device.caching_of(row):
        return
    device.in_place.add(row)
    name = device.state.resource_names[row]
    text = kernel_reason(RULE).text
    if is_allowed(device.state.adapter, device.options):
        device.state.log.add(EventKind.CHANGED, name, rule=RULE, text=f"{name} is used in place. {text}")
    else:
        text = f"{name} is used in place on a device that the lists rule out. {text}"
        device.state.log.add(EventKind.HAZARD, name, rule=RULE, text=text)


def _properties(kind: HeapType) -> HeapProperties:
    from explorer.core.d3d12_structs import HeapProperties

    return HeapProperties(kind)


def _cpu_ns(use: Use, page: CpuPageProperty) -> int:
    caching = "WC" if page is CpuPageProperty.WRITE_COMBINE else "WB"
    writes = use.cpu_writes * cost.cpu_ns(use.size, caching, reads=False)
    if use.is_scattered and caching == "WC":
        writes *= cost.random_factor(caching, reads=False)
    return writes + use.cpu_reads * cost.cpu_ns(use.size, caching, reads=True)


def _ids(name: str, text: str) -> frozenset[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    for part in filter(None, (one.strip() for one in text.split(","))):
        vendor, _, of = part.partition(":")
        try:
            found.add((int(vendor, 16), int(of, 16)))
        except ValueError:
            accepted = ("vendor:device in hexadecimal, for example 8086:3e92",)
            raise CommandError("no pair of ids", where=name, found=part, accepted=accepted) from None
    return frozenset(found)
