"""Advice that a layout gives: sizes, holes, heaps, budgets, descriptors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.kinds import BlockState, HeapKind, ResourceKind, WasteCause
from explorer.core.units import KIB, MIB, format_bytes
from explorer.sim.advisor_facts import ITEMS, Finding

if TYPE_CHECKING:
    from explorer.sim.advisor_facts import Facts

_HALF_PERCENT = 50
_NEAR_BUDGET_PERCENT = 90
_SMALL_PAGE, _LARGE_PAGE, _MSAA_PAGE = 4 * KIB, 64 * KIB, 4 * MIB
_FEW = 8
_LATELY = 10
"""Frames that count as now: what is used in them is in use."""


def fragmented(facts: Facts) -> Finding | None:
    """Video memory of a contiguous segment lies in holes while pools are mixed in it."""
    snapshot = facts.snapshot
    for index, segment in enumerate(snapshot.segments):
        if segment.placement != "contiguous" or segment.group != "LOCAL":
            continue
        free, largest = segment.free_bytes, segment.largest_free_bytes
        if free < MIB or 100 * (free - largest) < _HALF_PERCENT * free:
            continue
        here = snapshot.blocks.segment == index
        managed = here & ((snapshot.blocks.state & int(BlockState.DEVICE_COPY)) != 0)
        fixed = here & ~managed
        if not managed.any() or not fixed.any():
            continue
        first = int(snapshot.blocks.created_frame[managed].min())
        late = fixed & (snapshot.blocks.created_frame > first)
        rows = snapshot.blocks.resource[late if late.any() else fixed]
        percent = 100 - 100 * largest // free
        return Finding(
            f"{percent} % of free {segment.name} lies in small holes",
            f"{format_bytes(free)} free, largest hole {format_bytes(largest)}: {int(managed.sum()):,} managed copies "
            f"and {int(fixed.sum()):,} DEFAULT blocks are mixed. Create DEFAULT first, or evict managed copies before.",
            {"free_bytes": free, "largest_hole_bytes": largest, "managed": int(managed.sum()),
             "default": int(fixed.sum()), "default_later": int(late.sum())},
            tuple(dict.fromkeys(rows[rows >= 0].tolist()))[:ITEMS],
        )  # fmt: skip
    return None


def near_budget(facts: Facts) -> Finding | None:
    """A segment group uses nine tenths of its budget or more."""
    found: list[tuple[int, str, int, int]] = []
    for group in facts.snapshot.groups:
        if group.budget_bytes and 100 * group.usage_bytes >= _NEAR_BUDGET_PERCENT * group.budget_bytes:
            node = f" of node {group.node}" if group.node else ""
            percent = 100 * group.usage_bytes // group.budget_bytes
            found.append((percent, f"{group.group}{node}", group.usage_bytes, group.budget_bytes))
    if not found:
        return None
    percent, name, used, budget = max(found)
    over = max(used - budget, 0)
    rest = f"{format_bytes(over)} over" if over else f"{format_bytes(budget - used)} left"
    return Finding(
        f"{name} uses {percent} % of its budget",
        f"{format_bytes(used)} of {format_bytes(budget)}, {rest}: one more program or one large allocation and the "
        "system demotes. Trim what is not used, or lower the quality.",
        {"percent": percent, "usage_bytes": used, "budget_bytes": budget},
        facts.largest(facts.snapshot.resources.resident),
    )


def demoted_in_use(facts: Facts) -> Finding | None:
    """Heaps that belong in video memory are used from across the bus."""
    snapshot = facts.snapshot
    heaps = snapshot.heaps
    if not len(heaps.names) or not snapshot.segments:
        return None
    groups = np.array([segment.group for segment in snapshot.segments])
    away = heaps.resident & (groups[heaps.home] == "LOCAL") & (groups[heaps.segment] != "LOCAL")
    used = away & (heaps.used_frame >= 0) & (heaps.used_frame >= facts.frame - _LATELY)
    if not used.any():
        return None
    total = int(heaps.size[used].sum())
    inside = used[np.maximum(snapshot.blocks.heap, 0)] & (snapshot.blocks.heap >= 0)
    rows = snapshot.blocks.resource[inside]
    return Finding(
        f"{int(used.sum()):,} {'heap' if used.sum() == 1 else 'heaps'} in use left video memory by demotion",
        f"{format_bytes(total)} were read over the bus within {_LATELY} frames. Give what every frame needs a "
        "higher residency priority, and make room by evicting what it does not.",
        {"heaps": int(used.sum()), "bytes": total},
        tuple(dict.fromkeys(rows[rows >= 0].tolist()))[:ITEMS],
    )


def missing_write_only(facts: Facts) -> Finding | None:
    """DEFAULT vertex and index buffers without WRITEONLY: every lock reads back first."""
    records = facts.records
    mask = records.is_buffer & ~records.write_only & facts.has_place("DEFAULT")
    count = int(mask.sum())
    if not count:
        return None
    total = int(facts.snapshot.resources.size[mask].sum())
    return Finding(
        f"{count:,} DEFAULT {'buffer lacks' if count == 1 else 'buffers lack'} D3DUSAGE_WRITEONLY",
        f"{format_bytes(total)} would be read back before each lock. Add WRITEONLY to what the CPU never reads.",
        {"buffers": count, "bytes": total},
        facts.largest(mask),
    )


def small_in_pages(facts: Facts) -> Finding | None:
    """Small resources that take a 64 KiB page each."""
    table = facts.snapshot.resources
    targets = facts.is_kind(ResourceKind.RENDER_TARGET, ResourceKind.DEPTH_STENCIL, ResourceKind.DESCRIPTOR_HEAP)
    mask = (table.size == _LARGE_PAGE) & (table.asked <= _LARGE_PAGE // 2) & ~targets & (facts.copies > 0)
    count = int(mask.sum())
    waste = int((table.size[mask] - table.asked[mask]).sum())
    if count < _FEW:
        return None
    buffers = int((mask & facts.is_kind(ResourceKind.BUFFER, ResourceKind.UPLOAD, ResourceKind.READBACK)).sum())
    kinds = f"{count - buffers:,} textures and {buffers:,} buffers" if buffers and buffers < count else ""
    what = kinds or (f"{count:,} buffers" if buffers else f"{count:,} textures")
    return Finding(
        f"{what} sit alone in 64 KiB",
        f"{format_bytes(waste)} of {format_bytes(count * _LARGE_PAGE)} are rounding. Ask for 4 KiB alignment for small "
        "textures, and let buffers share one.",
        {"resources": count, "buffers": buffers, "waste_bytes": waste},
        facts.largest(mask),
    )


def msaa_alignment(facts: Facts) -> Finding | None:
    """Multisampled resources at 4 MiB alignment: rounding behind, padding in front."""
    snapshot = facts.snapshot
    blocks, wastes = snapshot.blocks, snapshot.wastes
    owner = np.maximum(blocks.resource, 0)
    if not len(snapshot.resources.names):
        return None
    mask = (blocks.resource >= 0) & (blocks.alignment == _MSAA_PAGE) & (facts.records.samples[owner] > 1)
    if not mask.any():
        return None
    rows = blocks.resource[mask]
    rounding = int((snapshot.resources.size[rows] - snapshot.resources.asked[rows]).sum())
    aligned = wastes.cause == int(WasteCause.ALIGNMENT)
    starts = set(zip(blocks.segment[mask].tolist(), blocks.heap[mask].tolist(), blocks.offset[mask].tolist(),
                     strict=True))  # fmt: skip
    padding = 0
    for at in np.flatnonzero(aligned).tolist():
        end = int(wastes.offset[at] + wastes.size[at])
        if (int(wastes.segment[at]), int(wastes.heap[at]), end) in starts:
            padding += int(wastes.size[at])
    if rounding + padding < MIB:
        return None
    return Finding(
        f"{len(rows):,} multisampled resources at 4 MiB alignment waste {format_bytes(rounding + padding)}",
        f"{format_bytes(padding)} in front of them, {format_bytes(rounding)} behind. Those of at most 64 tiles may ask "
        "for 64 KiB; place the others first in their heap.",
        {"resources": len(rows), "padding_bytes": padding, "rounding_bytes": rounding},
        tuple(dict.fromkeys(rows.tolist()))[:ITEMS],
    )


def upload_doubles(facts: Facts) -> Finding | None:
    """On UMA=false upload heaps rival default textures: memory is nearly doubled, and two budgets are worth it."""
    snapshot = facts.snapshot
    if facts.is_uma or snapshot.adapter is None:
        return None
    heaps = snapshot.heaps
    upload = int(heaps.size[heaps.kind == int(HeapKind.UPLOAD)].sum())
    textures = int(snapshot.resources.size[facts.is_kind(ResourceKind.TEXTURE) & facts.has_place("DEFAULT")].sum())
    if textures < MIB or 4 * upload < 3 * textures:
        return None
    mask = facts.has_place("UPLOAD")
    return Finding(
        "Upload heaps are as large as the default textures",
        f"{format_bytes(upload)} in UPLOAD heaps beside {format_bytes(textures)} of DEFAULT textures: they count to "
        "the NON_LOCAL budget. Managing both budgets nearly doubles what can be used.",
        {"upload_bytes": upload, "texture_bytes": textures},
        facts.largest(mask),
    )


def needless_copies(facts: Facts) -> Finding | None:
    """On UMA copies between heap types move bytes within one memory."""
    snapshot = facts.snapshot
    if not facts.is_uma:
        return None
    heaps = snapshot.heaps
    upload = int(heaps.size[heaps.kind == int(HeapKind.UPLOAD)].sum())
    default = int(heaps.size[heaps.kind == int(HeapKind.DEFAULT)].sum())
    copies = facts.of_rule("device.needless-copy")
    if not copies and (upload < MIB or default < MIB):
        return None
    moved = sum(event.size_bytes for event in copies)
    done = f"{len(copies):,} copies moved {format_bytes(moved)} in {facts.event_frames:,} frames" if copies else (
        f"{format_bytes(upload)} in UPLOAD heaps wait to be copied to {format_bytes(default)} in DEFAULT heaps"
    )  # fmt: skip
    return Finding(
        "Copies between heap types are needless on this UMA adapter",
        f"{done}: both lie in one memory. Use the bytes where they are written; experimental where the adapter is not "
        "cache-coherent.",
        {"copies": len(copies), "copied_bytes": moved, "upload_bytes": upload, "default_bytes": default},
        facts.rows_of(copies) or facts.largest(facts.has_place("UPLOAD")),
    )


def coherent_heap_type(facts: Facts) -> Finding | None:
    """On cache-coherent UMA one custom heap equal to UPLOAD serves everything; write-combining hurts."""
    heaps = facts.snapshot.heaps
    if not facts.is_coherent or not len(heaps.names):
        return None
    combined = facts.of_rule("device.coherent-wc")
    default = int((heaps.kind == int(HeapKind.DEFAULT)).sum())
    upload = int((heaps.kind == int(HeapKind.UPLOAD)).sum())
    if not combined and (not default or not upload):
        return None
    wc = f"{len(combined):,} uses of write-combined heaps gave the shared caches up. " if combined else ""
    return Finding(
        "One custom heap equal to UPLOAD would do everywhere",
        f"{wc}CPU and GPU share their caches here: {default:,} DEFAULT and {upload:,} UPLOAD heaps have no different "
        "memory. Write-back pages, no copies.",
        {"default_heaps": default, "upload_heaps": upload, "write_combined_uses": len(combined)},
        facts.rows_of(combined) or facts.largest(facts.has_place("UPLOAD")),
    )


def stale_descriptors(facts: Facts) -> Finding | None:
    """Slots whose resource is gone."""
    rows: list[str] = []
    total = visible = 0
    for heap in facts.snapshot.descriptor_heaps:
        count = int(heap.stale.sum())
        total += count
        visible += count if heap.shader_visible else 0
        if count:
            rows.append(f"{count:,} in {heap.name}")
    if not total:
        return None
    return Finding(
        f"{total:,} {'descriptor points' if total == 1 else 'descriptors point'} to resources that are gone",
        f"{', '.join(rows[:3])}; {visible:,} in shader-visible heaps. Overwrite them with null descriptors, or free "
        "the slots with their resource.",
        {"stale": total, "shader_visible": visible},
    )


def never_used(facts: Facts) -> Finding | None:
    """Resident resources that no frame used since they were created a while ago."""
    snapshot = facts.snapshot
    table = snapshot.resources
    if snapshot.origin != "simulated" or facts.frame < 100:
        return None
    staging = facts.has_place("STAGING", "SYSTEMMEM", "SCRATCH", "READBACK", "UPLOAD")
    mask = table.resident & (table.used_frame < 0) & (facts.frame - table.created_frame >= 100) & ~staging
    # Front and back buffers are shown, not referenced; mapped memory is used without a reference.
    shown = (ResourceKind.DESCRIPTOR_HEAP, ResourceKind.RENDER_TARGET, ResourceKind.DEPTH_STENCIL)
    mask &= ~facts.is_kind(*shown) & ~facts.has_place("DYNAMIC") & (facts.copies > 0)
    total = int(table.size[mask].sum())
    if total < MIB:
        return None
    return Finding(
        f"{int(mask.sum()):,} resident resources were never used",
        f"{format_bytes(total)} are held since their creation at least 100 frames ago. Create them when they are "
        "needed, or evict them.",
        {"resources": int(mask.sum()), "bytes": total},
        facts.largest(mask),
    )


def uncompressed(facts: Facts) -> Finding | None:
    """Plain 32-bit textures where DXTn would do."""
    table = facts.snapshot.resources
    textures = facts.is_kind(ResourceKind.TEXTURE) & (facts.copies > 0) & ~facts.records.dynamic
    plain = textures & facts.has_format("A8R8G8B8", "X8R8G8B8", "A8B8G8R8", "R8G8B8") & (table.width >= 64)
    total, all_bytes = int(table.size[plain].sum()), int(table.size[textures].sum())
    if total < MIB or 4 * total < all_bytes:
        return None
    return Finding(
        f"{int(plain.sum()):,} textures are not compressed",
        f"{format_bytes(total)} of {format_bytes(all_bytes)} of textures: DXT1 takes an eighth, DXT5 a quarter.",
        {"textures": int(plain.sum()), "bytes": total, "texture_bytes": all_bytes},
        facts.largest(plain),
    )


def no_mipmaps(facts: Facts) -> Finding | None:
    """Large textures of one level."""
    table = facts.snapshot.resources
    textures = facts.is_kind(ResourceKind.TEXTURE) & ~facts.records.dynamic
    mask = textures & (table.mips == 1) & (table.width >= 256) & (table.height >= 256)
    count, total = int(mask.sum()), int(table.size[mask].sum())
    if count < 4 or 4 * count < int(textures.sum()):
        return None
    return Finding(
        f"{count:,} large textures have no mipmaps",
        f"{format_bytes(total)} are read whole even where they cover few pixels. A chain costs a third more and is "
        "read at a fraction.",
        {"textures": count, "bytes": total},
        facts.largest(mask),
    )


def no_atlas(facts: Facts) -> Finding | None:
    """Many tiny textures: each is a state change and rounds up."""
    table = facts.snapshot.resources
    mask = facts.is_kind(ResourceKind.TEXTURE) & (table.width <= 64) & (table.height <= 64) & (table.height > 0)
    count = int(mask.sum())
    if count < 64:
        return None
    return Finding(
        f"{count:,} textures are 64 × 64 or smaller",
        f"{format_bytes(int(table.size[mask].sum()))} in {count:,} objects. An atlas saves the changes between them.",
        {"textures": count, "bytes": int(table.size[mask].sum())},
        facts.largest(mask),
    )


def not_indexed(facts: Facts) -> Finding | None:
    """Vertex buffers without any index buffer."""
    records = facts.records
    vertices = records.is_buffer & ~records.is_index & ~records.dynamic
    count = int(vertices.sum())
    if count < 4 or records.is_index.any():
        return None
    total = int(facts.snapshot.resources.size[vertices].sum())
    return Finding(
        "No geometry is indexed",
        f"{count:,} vertex buffers ({format_bytes(total)}) and no index buffer: shared vertices are stored and "
        "transformed several times.",
        {"vertex_buffers": count, "bytes": total},
        facts.largest(vertices),
    )
