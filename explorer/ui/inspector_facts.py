"""What the Inspector says about a resource, as lines. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.kinds import BlockState, ResidencyPlace, WasteCause
from explorer.core.units import format_address, format_bytes, format_exact
from explorer.sim.residency_history import PLACE
from explorer.ui.facts import Fact
from explorer.ui.resource_rows import segment_words
from explorer.ui.verdict_card import format_time

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.device.outcome import Preview
    from explorer.sim.snapshot import Snapshot

OUT_WORDS = {
    ResidencyPlace.SYSTEM: "in system memory",
    ResidencyPlace.EVICTED: "evicted",
    ResidencyPlace.PAGE_FILE: "in the page file",
    ResidencyPlace.LOST: "lost",
    ResidencyPlace.NO_MEMORY: "no memory",
}
"""What a resource is that the GPU cannot use."""


def placement(snapshot: Snapshot, row: int) -> list[Fact]:
    """Return where a resource lies."""
    table = snapshot.resources
    blocks = np.flatnonzero(snapshot.blocks.resource == row).tolist()
    size, asked = int(table.size[row]), int(table.asked[row])
    facts: list[Fact] = [] if blocks else [Fact("Place", "not in memory")]
    for block in blocks:
        facts.extend(_block(snapshot, block))
    facts.append(Fact("Size", format_bytes(size), note=f"({format_exact(size)})" if size >= 1024 else ""))
    facts.append(Fact("Rounding", format_exact(size - asked) if size > asked else "none"))
    facts.extend(_neighbours(snapshot, blocks))
    if snapshot.origin == "imported":
        # Of a simulated one the section Why says it, from all its events.
        facts.append(Fact("Why here", "as the file says"))
    return facts


def _block(snapshot: Snapshot, block: int) -> list[Fact]:
    columns = snapshot.blocks
    at, heap, state = int(columns.segment[block]), int(columns.heap[block]), int(columns.state[block])
    title = "Segment"
    if state & BlockState.MASTER_COPY:
        title = "Master copy"
    elif state & BlockState.DEVICE_COPY:
        title = "Device copy"
    facts = [Fact(title, segment_words(snapshot)[at], tip=snapshot.segments[at].name)]
    if heap >= 0:
        facts.append(Fact("Heap", snapshot.heaps.names[heap]))
    offset, length, alignment = (int(getattr(columns, name)[block]) for name in ("offset", "size", "alignment"))
    if offset >= 0:
        facts.append(Fact("Offset", format_address(offset), mono=True))
        facts.append(Fact("End", format_address(offset + max(length, 1) - 1), mono=True))
    else:
        facts.append(Fact("Offset", "unknown"))
    facts.append(Fact("Alignment", f"{alignment:,}" if alignment > 0 else "unknown"))
    return facts


def _neighbours(snapshot: Snapshot, blocks: list[int]) -> list[Fact]:
    """Return the padding that touches the blocks, by cause."""
    wastes, columns = snapshot.wastes, snapshot.blocks
    facts: list[Fact] = []
    for block in blocks:
        same = (wastes.segment == columns.segment[block]) & (wastes.heap == columns.heap[block])
        start, end = int(columns.offset[block]), int(columns.offset[block] + columns.size[block])
        touching = np.flatnonzero(same & ((wastes.offset + wastes.size == start) | (wastes.offset == end)))
        for waste in touching.tolist():
            side = "before" if int(wastes.offset[waste]) < start else "behind"
            cause = WasteCause(int(wastes.cause[waste])).token
            facts.append(Fact("Padding", f"{format_exact(int(wastes.size[waste]))} {side}", note=cause))
    return facts


def description(snapshot: Snapshot, row: int) -> list[Fact]:
    """Return what a resource is."""
    table = snapshot.resources
    dimension = table.dimensions[int(table.dimension[row])] if len(table.dimensions) else ""
    width, height, depth = int(table.width[row]), int(table.height[row]), int(table.depth[row])
    facts = [Fact("Dimension", dimension or "unknown", mono=bool(dimension))]
    if height > 1 or "TEXTURE" in dimension.upper() or "SURFACE" in dimension.upper():
        facts.append(Fact("Width × Height", f"{width:,} × {height:,}" if width > 0 else "unknown"))
        facts.append(Fact("Depth, array", f"{depth:,}" if depth > 0 else "unknown"))
        mips = int(table.mips[row])
        facts.append(Fact("Mips", f"{mips:,}" if mips > 0 else "unknown"))
    elif width > 0:
        facts.append(Fact("Width", format_exact(width)))
    word = table.formats[int(table.format[row])] if len(table.formats) else ""
    facts.append(Fact("Format", word or "none", mono=bool(word)))
    place = table.places[int(table.place[row])] if len(table.places) else ""
    facts.append(Fact("Place", place or "unknown", mono=bool(place)))
    return facts


def access(preview: Preview | None, snapshot: Snapshot) -> list[Fact]:
    """Return who may touch it and at what cost; the preview is of a resource like it."""
    if preview is None or not preview.access:
        why = "a file names no device" if snapshot.origin == "imported" else "not known for a live resource"
        return [Fact("Access", "unknown"), Fact("Why", why)]
    return [
        Fact(
            row.who,
            " / ".join(word for word in (row.read, row.write) if word) or "transfer",
            note=f"{format_time(row.whole_ns)} est." if row.whole_ns >= 0 else "",
        )
        for row in preview.access
    ]


def residency_word(snapshot: Snapshot, row: int) -> str:
    """Return whether a resource is resident, and what else it is: what was never uploaded was not evicted."""
    table = snapshot.resources
    if table.resident[row]:
        return "resident"
    last = snapshot.history.residency.last_row(table.names[row]) if snapshot.history is not None else None
    return OUT_WORDS.get(ResidencyPlace(int(last[PLACE])), "evicted") if last is not None else "evicted"


def residency(snapshot: Snapshot, row: int) -> list[Fact]:
    """Return whether it is resident, its priority and its last use."""
    table = snapshot.resources
    used = int(table.used_frame[row])
    return [
        Fact("State", residency_word(snapshot, row)),
        Fact("Priority", f"{int(table.priority[row]):,}"),
        Fact(
            "Last use", f"frame {used:,}" if used >= 0 else "never" if snapshot.origin == "simulated" else "not tracked"
        ),
    ]


def call_facts(data: Mapping[str, object], prefix: str = "") -> list[Fact]:
    """Return the parameters of a call, structures flattened."""
    facts: list[Fact] = []
    for key, value in data.items():
        if isinstance(value, dict):
            facts.extend(call_facts(value, key))
        elif isinstance(value, list):
            facts.append(Fact(key, " | ".join(str(item) for item in value) or "0", mono=True, tip=prefix))
        elif isinstance(value, int) and not isinstance(value, bool):
            facts.append(Fact(key, f"{value:,}", tip=prefix))
        else:
            facts.append(Fact(key, str(value), mono=True, tip=prefix))
    return facts
