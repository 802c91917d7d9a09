"""What must fit together in a saved snapshot: indices point at rows that exist, bytes add up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.errors import InputError
from explorer.interchange.snapshot_encode import DESCRIPTOR_TABLES

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot

_LINKS = (
    ("blocks", "heap", "heaps"),
    ("blocks", "segment", "segments"),
    ("blocks", "resource", "resources"),
    ("heaps", "segment", "segments"),
    ("heaps", "home", "segments"),
    ("wastes", "heap", "heaps"),
    ("wastes", "segment", "segments"),
)
_MAY_BE_NONE = ("heap", "resource")


def check_links(snapshot: Snapshot) -> None:
    """Check the indices of the tables of memory, and the sums of the segments.

    Raises:
        InputError: An index names no row, or bytes do not add up.
    """
    for table, column, target in _LINKS:
        values = getattr(getattr(snapshot, table), column)
        low = -1 if column in _MAY_BE_NONE else 0
        bad = np.flatnonzero((values < low) | (values >= len(getattr(snapshot, target))))
        if len(bad):
            index = int(bad[0])
            raise InputError(f"no such row of {target}", where=f"{table}.{column}[{index}]", found=int(values[index]))
    r = snapshot.resources
    for column, words in (("dimension", r.dimensions), ("format", r.formats), ("place", r.places)):
        values = getattr(r, column)
        if len(values) and (int(values.min()) < 0 or int(values.max()) >= len(words)):
            raise InputError(f"no such word of {column}s", where=f"resources.{column}")
    for index, segment in enumerate(snapshot.segments):
        total = segment.used_bytes + sum(segment.padding_bytes.values()) + segment.free_bytes
        if total != segment.size_bytes:
            raise InputError("used, padding and free bytes do not add up to the size", where=f"segments[{index}]",
                             found=total, accepted=(str(segment.size_bytes),))  # fmt: skip


def check_uses(snapshot: Snapshot) -> None:
    """Check the indices and ranges of the tables of descriptor slots.

    Raises:
        InputError: An index names no row, or a range ends behind its heap.
    """
    uses = snapshot.descriptor_uses
    slots = np.array([len(heap.kind) for heap in snapshot.descriptor_heaps], np.int64)
    sizes = {
        "heap": len(slots),
        "source_heap": len(slots),
        "command_list": len(uses.lists),
        "signature": len(uses.root_signatures),
        "resource": len(snapshot.resources),
        "rule": len(uses.rules),
    }
    for name in DESCRIPTOR_TABLES:
        table = getattr(uses, name)
        for column, values in table.arrays().items():
            low = 0 if column in ("heap", "rule", "first", "count", "source_first") else -1
            bad = np.flatnonzero((values < low) | (values >= sizes.get(column, 1 << 62)))
            if len(bad):
                where = f"descriptor_uses.{name}.{column}[{int(bad[0])}]"
                raise InputError("no such row", where=where, found=int(values[bad[0]]))
        for heap, first in (("heap", "first"), ("source_heap", "source_first")):
            if not hasattr(table, first):
                continue
            ends = getattr(table, first).astype(np.int64) + table.count
            bad = np.flatnonzero((getattr(table, heap) >= 0) & (ends > np.append(slots, 0)[getattr(table, heap)]))
            if len(bad):
                where = f"descriptor_uses.{name}.{first}[{int(bad[0])}]"
                raise InputError("ends behind its heap", where=where, found=int(ends[bad[0]]))
