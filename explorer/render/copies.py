"""Everywhere one resource lies on the map: its copies, and its slots in descriptor heaps. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.kinds import BlockState

if TYPE_CHECKING:
    from explorer.render.lanes import MapScene

MOST_SLOT_RUNS = 24
"""Of more runs of slots in one heap only the first are shown: the picture would be nothing but lines."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A place of a resource.

    Attributes:
        first: First byte on the map axis.
        end: Byte after the last one.
        what: ``master copy``, ``device copy``, ``page-file copy``, ``bytes``, or the slots: ``slot 12``.
        is_slots: Whether it is a range of descriptors in another resource's block.
    """

    first: int
    end: int
    what: str
    is_slots: bool = False


def copies_of(scene: MapScene, resource: int) -> tuple[Copy, ...]:
    """Return the places of a resource in the order of the map; empty where it lies nowhere on it.

    Args:
        scene: What is shown.
        resource: Index of the resource in the scene's snapshot.
    """
    found = [*_blocks_of(scene, resource), *_slots_of(scene, resource)]
    return tuple(sorted(found, key=lambda copy: copy.first))


def _blocks_of(scene: MapScene, resource: int) -> list[Copy]:
    blocks = scene.snapshot.blocks
    rows = {int(block) for block in np.flatnonzero(blocks.resource == resource)}
    if not rows:
        return []
    has_master = any(int(blocks.state[row]) & BlockState.MASTER_COPY for row in rows)
    found: dict[int, Copy] = {}
    for items in (scene.items, scene.aliases):
        for at in np.flatnonzero(np.isin(items.block, np.fromiter(rows, np.int32)) & ~items.away):
            row = int(items.block[at])
            first, end = int(items.start[at]), int(items.end[at])
            before = found.get(row)
            if before is not None:
                # A block whose bytes others share comes in parts.
                first, end = min(first, before.first), max(end, before.end)
            found[row] = Copy(first, end, _word(scene, row, has_master=has_master))
    return list(found.values())


def _word(scene: MapScene, block: int, *, has_master: bool) -> str:
    blocks = scene.snapshot.blocks
    if scene.snapshot.segments[int(blocks.segment[block])].group == "PAGE_FILE":
        return "page-file copy"
    if int(blocks.state[block]) & BlockState.MASTER_COPY:
        return "master copy"
    return "device copy" if has_master else "bytes"


def _slots_of(scene: MapScene, resource: int) -> list[Copy]:
    found: list[Copy] = []
    names = scene.snapshot.resources.names
    for heap in scene.snapshot.descriptor_heaps:
        slots = np.flatnonzero(heap.resource == resource)
        if not len(slots) or heap.name not in names:
            continue
        own = _blocks_of(scene, names.index(heap.name))
        if not own:
            continue
        cuts = np.flatnonzero(np.diff(slots) != 1)
        firsts = slots[np.concatenate(([0], cuts + 1))]
        lasts = slots[np.concatenate((cuts, [len(slots) - 1]))]
        base = own[0]
        for first, last in zip(firsts[:MOST_SLOT_RUNS].tolist(), lasts[:MOST_SLOT_RUNS].tolist(), strict=True):
            start = base.first + first * heap.increment
            what = f"slot {first:,}" if first == last else f"slots {first:,} – {last:,}"
            if start < base.end:
                found.append(Copy(start, min(base.first + (last + 1) * heap.increment, base.end), what, is_slots=True))
    return found
