"""Advice that a layout gives: sizes, holes, heaps, budgets, descriptors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.events import EventKind
from explorer.core.kinds import BlockState, HeapKind, ResourceKind, WasteCause
from explorer.core.units import KIB, MIB, format_bytes
from explorer.sim.advisor_facts import ITEMS, Finding

if TYPE_CHECKING:
    from explorer.sim.advisor_facts import Facts

_HALF_PERCENT = 50
_NEAR_BUDGET_PERCENT = 90
_SMALL_PAGE, _LARGE_PAGE, _MSAA_PAGE = 4 * KIB, 64 * KIB, 4 * MIB
_FEW = 8
_MSAA_TILES = 64
"""Most tiles of a multisampled resource that may start on 64 KiB (d3d12.4.4b)."""
_UNUSED_FRAMES = 300
_OVER_FRAMES = 100
_OFTEN = 8
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
        if not late.any():
            # DEFAULT came first, as it should: holes come of managed copies alone, which fill them again.
            continue
        rows = snapshot.blocks.resource[late]
        percent = 100 - 100 * largest // free
        return Finding(
            f"{percent} % of free {segment.name} lies in small holes",
            f"{format_bytes(free)} free, largest hole {format_bytes(largest)}: {int(late.sum()):,} DEFAULT blocks were "
            f"made among {int(managed.sum()):,} managed copies. Create DEFAULT first, or evict managed copies before.",
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
    lately = any(event.frame >= facts.frame - _OVER_FRAMES for event in facts.of_kind(EventKind.OVER_BUDGET))
    if not found or lately:
        # What went over has its own advice.
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
    # Those that did read back have their own advice, with what it cost.
    mask[list(facts.rows_of(facts.of_rule("d3d9.R3.5")))] = False
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
    small = int((snapshot.resources.asked[rows] <= _MSAA_TILES * _LARGE_PAGE).sum())
    return Finding(
        f"{len(rows):,} multisampled resources at 4 MiB alignment waste {format_bytes(rounding + padding)}",
        f"{format_bytes(padding)} in front of them, {format_bytes(rounding)} behind. {small:,} of them hold at most 64 "
        "tiles and may ask for 64 KiB; place the others first in their heap.",
        {"resources": len(rows), "small": small, "padding_bytes": padding, "rounding_bytes": rounding},
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
    if not copies and (upload < MIB or 4 * upload < 3 * default):
        # A staging heap beside its textures is no copy yet.
        return None
    moved = sum(event.size_bytes for event in copies)
    done = f"{len(copies):,} copies moved {format_bytes(moved)} in {facts.event_frames:,} frames" if copies else (
        f"{format_bytes(upload)} in UPLOAD heaps wait to be copied to {format_bytes(default)} in DEFAULT heaps"
    )  # fmt: skip
    safe = "Use buffers where they are written." if facts.is_coherent else (
        "Doing without the copy is an experiment here: the adapter is not cache-coherent."
    )  # fmt: skip
    return Finding(
        "Copies between heap types stay within one memory on this UMA adapter",
        f"{done}. {safe}",
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
    """Slots that shaders can reach and whose resource is gone."""
    rows: list[str] = []
    names: list[str] = []
    total = hidden = 0
    for heap in facts.snapshot.descriptor_heaps:
        count = int(heap.stale.sum())
        if not heap.shader_visible:
            hidden += count
        elif count:
            total += count
            rows.append(f"{count:,} in {heap.name}")
            names.append(heap.name)
    if not total:
        return None
    more = f"; {hidden:,} more where no shader reads" if hidden else ""
    return Finding(
        f"{total:,} {'descriptor points' if total == 1 else 'descriptors point'} to resources that are gone",
        f"{', '.join(rows[:3])}{more}. Harmless until one is read: write null descriptors over them, at least in debug "
        "builds.",
        {"stale": total, "not_visible": hidden},
        facts.rows_named(names),
    )


def never_used(facts: Facts) -> Finding | None:
    """Resident resources that no frame used since they were created a while ago."""
    snapshot = facts.snapshot
    table = snapshot.resources
    if snapshot.origin != "simulated" or facts.frame < _UNUSED_FRAMES:
        return None
    staging = facts.has_place("STAGING", "SYSTEMMEM", "SCRATCH", "READBACK", "UPLOAD")
    mask = table.resident & (table.used_frame < 0) & (facts.frame - table.created_frame >= _UNUSED_FRAMES) & ~staging
    # Front and back buffers are shown, not referenced; mapped memory is used without a reference.
    shown = (ResourceKind.DESCRIPTOR_HEAP, ResourceKind.RENDER_TARGET, ResourceKind.DEPTH_STENCIL)
    mask &= ~facts.is_kind(*shown) & ~facts.has_place("DYNAMIC") & (facts.copies > 0)
    total, held = int(table.size[mask].sum()), int(table.size[table.resident].sum())
    squeezed = any(facts.of_kind(kind) for kind in (EventKind.EVICTED, EventKind.DEMOTED, EventKind.OVER_BUDGET))
    # Unused bytes cost nothing while there is room: then only a large share is worth a word.
    if total < MIB or total * (_UNUSED_SQUEEZED if squeezed else _UNUSED) < held:
        return None
    count = int(mask.sum())
    return Finding(
        f"{count:,} resident {'resource was' if count == 1 else 'resources were'} never used",
        f"{format_bytes(total)} of {format_bytes(held)} are held since their creation at least {_UNUSED_FRAMES} frames "
        "ago. Create them when they are needed, or evict them.",
        {"resources": count, "bytes": total, "resident_bytes": held},
        facts.largest(mask),
    )


_UNUSED, _UNUSED_SQUEEZED = 4, 16
"""Never used is worth a word from this part of the resident bytes on (1/4), and where something has to leave (1/16)."""


def uncompressed(facts: Facts) -> Finding | None:
    """Plain 32-bit textures where DXTn would do."""
    table = facts.snapshot.resources
    textures = facts.is_kind(ResourceKind.TEXTURE) & (facts.copies > 0) & ~facts.records.dynamic
    textures &= ~facts.changes_often(_OFTEN)
    plain = textures & facts.has_format("A8R8G8B8", "X8R8G8B8", "A8B8G8R8", "R8G8B8") & (table.width >= 64)
    total, all_bytes = int(table.size[plain].sum()), int(table.size[textures].sum())
    if total < MIB or 4 * total < all_bytes or int(plain.sum()) < _FEW:
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
    vertices = records.is_buffer & ~records.is_index & ~records.dynamic & ~records.hinted
    count = int(vertices.sum())
    if count < 4 or records.is_index.any():
        return None
    total = int(facts.snapshot.resources.size[vertices].sum())
    if total < 2 * MIB:
        return None
    return Finding(
        "No geometry is indexed",
        f"{count:,} vertex buffers ({format_bytes(total)}) and no index buffer: shared vertices are stored and "
        "transformed several times.",
        {"vertex_buffers": count, "bytes": total},
        facts.largest(vertices),
    )
