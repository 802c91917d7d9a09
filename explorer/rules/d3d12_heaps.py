"""Heap properties, heap flags and CreateHeap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.d3d12_enums import CpuPageProperty, HeapFlags, HeapType, MemoryPool
from explorer.rules.d3d12_desc import CROSS_ADAPTER, DEFAULT_ALIGNMENT, MSAA_ALIGNMENT, is_buffer, is_rt_or_ds
from explorer.rules.d3d12_findings import Findings
from explorer.rules.d3d12_runtime import DEFAULT, D3d12Runtime, is_cpu_visible, segment_group
from explorer.tables.d3d12_tables import custom_properties

if TYPE_CHECKING:
    from explorer.core import d3d12
    from explorer.core.d3d12_structs import HeapDesc, HeapProperties, ResourceDesc
    from explorer.core.verdicts import Verdict

DENY_ALL = HeapFlags.DENY_BUFFERS | HeapFlags.DENY_RT_DS_TEXTURES | HeapFlags.DENY_NON_RT_DS_TEXTURES
CROSS_ADAPTER_HEAP = HeapFlags.SHARED_CROSS_ADAPTER
_SHARED = HeapFlags.SHARED | HeapFlags.SHARED_CROSS_ADAPTER
_UNKNOWN_PAGE, _UNKNOWN_POOL = CpuPageProperty.UNKNOWN, MemoryPool.UNKNOWN


def check_node_masks(creation: int, visible: int, runtime: D3d12Runtime, found: Findings) -> None:
    """Note node masks that name no node, more than one to create on, or do not show the creation node."""
    existing = (1 << runtime.node_count) - 1
    if creation & (creation - 1) or creation & ~existing:
        found.refuse("1.6c", "use the first node", {"CreationNodeMask": 0})
    seen = visible or 1
    if seen & ~existing or not seen & (creation or 1):
        found.refuse("1.6d", "use the first node", {"CreationNodeMask": 0, "VisibleNodeMask": 0})


def check_heap_properties(p: HeapProperties, runtime: D3d12Runtime, found: Findings) -> None:
    """Note which heap properties are impossible on this device."""
    if p.Type is HeapType.CUSTOM:
        _check_custom(p, runtime, found)
    else:
        if p.CPUPageProperty is not _UNKNOWN_PAGE:
            found.refuse("1.6a", "use UNKNOWN", {"CPUPageProperty": _UNKNOWN_PAGE})
        if p.MemoryPoolPreference is not _UNKNOWN_POOL:
            found.refuse("1.6b", "use UNKNOWN", {"MemoryPoolPreference": _UNKNOWN_POOL})
        if p.Type is HeapType.GPU_UPLOAD and not runtime.gpu_upload_heaps:
            found.refuse("1.8a", "use an UPLOAD heap", {"Type": HeapType.UPLOAD})
    check_node_masks(p.CreationNodeMask, p.VisibleNodeMask, runtime, found)
    if found.ok:
        found.permit("1.5f" if p.Type is HeapType.CUSTOM else "1.4a")


def _check_custom(p: HeapProperties, runtime: D3d12Runtime, found: Findings) -> None:
    if p.CPUPageProperty is _UNKNOWN_PAGE:
        found.refuse("1.5a", "name one", {"CPUPageProperty": CpuPageProperty.NOT_AVAILABLE})
    if p.MemoryPoolPreference is _UNKNOWN_POOL:
        found.refuse("1.5b", "name one", {"MemoryPoolPreference": MemoryPool.L0})
    if p.MemoryPoolPreference is not MemoryPool.L1:
        return
    if runtime.uma:
        found.refuse("1.5c", "use pool L0", {"MemoryPoolPreference": MemoryPool.L0})
    elif p.CPUPageProperty is CpuPageProperty.WRITE_COMBINE and not runtime.gpu_upload_heaps:
        found.refuse("1.5d", "use pool L0", {"MemoryPoolPreference": MemoryPool.L0})
    elif p.CPUPageProperty is CpuPageProperty.WRITE_BACK:
        found.refuse("1.5e", "use pool L0", {"MemoryPoolPreference": MemoryPool.L0})


def check_heap_flags(p: HeapProperties, flags: HeapFlags, runtime: D3d12Runtime, found: Findings, key: str) -> None:
    """Note heap flags that contradict the heap's properties; what categories are denied is not looked at.

    Args:
        p: The heap's properties.
        flags: The heap's flags.
        runtime: The device.
        found: Where the findings go.
        key: Name of the flags' key.
    """

    def drop(bits: HeapFlags) -> dict[str, object]:
        return {key: flags & ~bits}

    if p.Type is HeapType.GPU_UPLOAD and flags & (_SHARED | HeapFlags.ALLOW_DISPLAY):
        found.refuse("1.8b", "remove the flags", drop(_SHARED | HeapFlags.ALLOW_DISPLAY))
    elif flags & _SHARED and is_cpu_visible(p, runtime):
        found.refuse("2.8", "remove the flags", drop(_SHARED))
    if flags & HeapFlags.ALLOW_WRITE_WATCH and not is_cpu_visible(p, runtime):
        found.refuse("2.4b", "remove ALLOW_WRITE_WATCH", drop(HeapFlags.ALLOW_WRITE_WATCH))
    if not flags & CROSS_ADAPTER_HEAP:
        return
    if not flags & HeapFlags.SHARED:
        found.refuse("2.7a", "add SHARED", {key: flags | HeapFlags.SHARED})
    if flags & DENY_ALL:
        found.refuse("2.7b", "remove the DENY flags", drop(DENY_ALL))
    in_l0 = p.MemoryPoolPreference is MemoryPool.L0 and p.CPUPageProperty is CpuPageProperty.NOT_AVAILABLE
    if p.Type is not HeapType.DEFAULT and not (p.Type is HeapType.CUSTOM and in_l0):
        found.refuse("2.7c", "remove SHARED_CROSS_ADAPTER", drop(CROSS_ADAPTER_HEAP))


def check_category(desc: ResourceDesc, flags: HeapFlags, found: Findings) -> None:
    """Note whether a heap denies a resource's category.

    Source: d3d12.2.6a … d3d12.2.6d, d3d12.2.7d.
    """
    if is_buffer(desc):
        bit, rule = HeapFlags.DENY_BUFFERS, "2.6a"
    elif is_rt_or_ds(desc):
        bit, rule = HeapFlags.DENY_RT_DS_TEXTURES, "2.6b"
    else:
        bit, rule = HeapFlags.DENY_NON_RT_DS_TEXTURES, "2.6c"
    if flags & bit:
        found.refuse(rule)
    else:
        found.permit("2.6d")
    if flags & CROSS_ADAPTER_HEAP and not desc.Flags & CROSS_ADAPTER:
        found.refuse("2.7d", "add ALLOW_CROSS_ADAPTER", {"Flags": desc.Flags | CROSS_ADAPTER})


def heap_alignment(desc: HeapDesc) -> int:
    """Return a heap's alignment in bytes, 0 expanded.

    Source: d3d12.2.2b.
    """
    return desc.Alignment or DEFAULT_ALIGNMENT


def check_heap(desc: HeapDesc, runtime: D3d12Runtime, found: Findings) -> None:
    """Note every rule that a heap breaks."""
    prefix = found.prefix
    properties = Findings(prefix + "Properties.")
    check_heap_properties(desc.Properties, runtime, properties)
    if desc.SizeInBytes == 0:
        found.refuse("2.1", "give it a size", {"SizeInBytes": DEFAULT_ALIGNMENT})
    if desc.Alignment not in (0, DEFAULT_ALIGNMENT, MSAA_ALIGNMENT):
        found.refuse("2.2a", "use 64 KiB", {"Alignment": DEFAULT_ALIGNMENT}, f"{desc.Alignment} was asked for")
    if desc.Flags & HeapFlags.ALLOW_DISPLAY:
        found.refuse("2.4a", "remove ALLOW_DISPLAY", {"Flags": desc.Flags & ~HeapFlags.ALLOW_DISPLAY})
    denied = desc.Flags & DENY_ALL
    # A cross-adapter heap takes cross-adapter resources only, and must not deny any category (2.7b).
    one_category = runtime.heap_tier < 2 and not desc.Flags & CROSS_ADAPTER_HEAP
    if one_category and int(denied).bit_count() != 2:
        buffers = (desc.Flags & ~DENY_ALL) | HeapFlags.ALLOW_ONLY_BUFFERS
        found.refuse("2.5a", "let it hold buffers only", {"Flags": buffers})
    elif denied == DENY_ALL:
        found.refuse("2.5b", "remove the DENY flags", {"Flags": desc.Flags & ~DENY_ALL})
    check_heap_flags(desc.Properties, desc.Flags, runtime, found, "Flags")
    found.merge(properties)
    if not desc.Alignment:
        found.permit("2.2b")
    if runtime.heap_tier >= 2 and int(denied).bit_count() < 2:
        found.permit("2.5c")


def judge_create_heap(arguments: d3d12.CreateHeap, runtime: D3d12Runtime = DEFAULT) -> Verdict:
    """Return whether a heap can be created; values are what GetDesc would answer and where it lies."""
    desc, found = arguments.pDesc, Findings("pDesc.")
    check_heap(desc, runtime, found)
    if not found.ok:
        return found.verdict()
    if desc.Flags & HeapFlags.CREATE_NOT_RESIDENT:
        found.permit("2.9")
    page, pool = heap_place(desc.Properties, desc.Flags, runtime)
    values = {
        "SizeInBytes": desc.SizeInBytes,
        "Alignment": heap_alignment(desc),
        "CPUPageProperty": page.constant,
        "MemoryPoolPreference": pool.constant,
        "SegmentGroup": segment_group(pool, runtime),
    }
    if not arguments.ppvHeap:
        found.permit("3.14")
    return found.verdict(values, success="S_OK" if arguments.ppvHeap else "S_FALSE")


def heap_place(p: HeapProperties, flags: HeapFlags, runtime: D3d12Runtime) -> tuple[CpuPageProperty, MemoryPool]:
    """Return the page property and the pool that a heap really has; cross-adapter memory is always in L0."""
    page, pool = (
        (p.CPUPageProperty, p.MemoryPoolPreference)
        if p.Type is HeapType.CUSTOM
        else custom_properties(p.Type, runtime.uma, runtime.cache_coherent_uma)
    )
    return page, MemoryPool.L0 if flags & CROSS_ADAPTER_HEAP else pool


def judge_custom_heap_properties(arguments: d3d12.GetCustomHeapProperties, runtime: D3d12Runtime = DEFAULT) -> Verdict:
    """Return the properties behind a heap type."""
    found = Findings()
    if arguments.heapType is HeapType.CUSTOM:
        found.refuse("1.4b", "ask for DEFAULT", {"heapType": HeapType.DEFAULT})
        return found.verdict()
    page, pool = custom_properties(arguments.heapType, runtime.uma, runtime.cache_coherent_uma)
    found.permit("1.4a")
    return found.verdict(
        {
            "Type": HeapType.CUSTOM.constant,
            "CPUPageProperty": page.constant,
            "MemoryPoolPreference": pool.constant,
            "CreationNodeMask": arguments.nodeMask or 1,
            "VisibleNodeMask": arguments.nodeMask or 1,
        }
    )
