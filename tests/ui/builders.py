"""Seeded snapshots for tests of the window: laid end to end by the builder, no offset is typed."""

from __future__ import annotations

import random

import numpy as np

from explorer.core.columns import BlockColumns, HeapColumns, ResourceColumns, WasteColumns, make_columns
from explorer.core.events import Event, EventKind
from explorer.core.kinds import BlockState
from explorer.core.units import MIB
from explorer.sim.snapshot import (
    FrameTimes,
    GroupPicture,
    MovedBytes,
    Provenance,
    SegmentPicture,
    Snapshot,
    Totals,
)


def make_snapshot(
    count: int, *, seed: int = 1, events: int = 0, generation: int = 0, budget: int | None = None, frame: int = 0
) -> Snapshot:
    """Return an imported-looking layout of ``count`` resources in one contiguous segment."""
    rng = np.random.default_rng(seed)
    size = (1 << rng.integers(8, 24, count)).astype(np.int64)
    offset = np.cumsum(size) - size
    used = int(size.sum())
    resident = rng.random(count) < 0.8
    names = tuple(f"{word}_{i:05}" for i, word in enumerate(random.Random(seed).choices(_WORDS, k=count)))
    resources = ResourceColumns(
        names=names,
        records=(None,) * count,
        dimensions=("BUFFER", "TEXTURE2D"),
        formats=("", "BC7_UNORM", "R8G8B8A8_UNORM"),
        places=("DEFAULT", "UPLOAD"),
        **make_columns(
            ResourceColumns,
            count,
            {
                "kind": rng.integers(0, 9, count),
                "dimension": rng.integers(0, 2, count),
                "format": rng.integers(0, 3, count),
                "place": rng.integers(0, 2, count),
                "width": size,
                "size": size,
                "asked": size - (size > 4096) * 100,
                "resident": resident,
                "priority": rng.integers(0, 5, count),
                "used_frame": rng.integers(-1, 100, count),
            },
        ),
    )
    blocks = BlockColumns(
        **make_columns(
            BlockColumns,
            count,
            {
                "heap": np.full(count, -1),
                "offset": offset,
                "size": size,
                "asked": resources.asked,
                "alignment": np.full(count, 256),
                "kind": resources.kind,
                "state": resident * int(BlockState.RESIDENT),
                "resource": np.arange(count),
            },
        )
    )
    total = used + 64 * MIB
    return Snapshot(
        origin="imported",
        api="",
        adapter=None,
        adapter_name="Test adapter",
        provenance=Provenance(file="test.json", file_format="snapshot", frame=frame),
        time_ns=0,
        segments=(SegmentPicture("local", "LOCAL", 0, "contiguous", total, used, {}, total - used, 0, total - used),),
        groups=(GroupPicture(0, "LOCAL", budget, used, max(used - (budget or used), 0)),),
        heaps=HeapColumns(names=(), **make_columns(HeapColumns, 0, {})),
        blocks=blocks,
        wastes=WasteColumns(**make_columns(WasteColumns, 0, {})),
        resources=resources,
        descriptor_heaps=(),
        totals=Totals(count, 0, count, int(resources.asked.sum()), used, 0, used, 0),
        events=make_events(events),
        event_counts={"created": events},
        moved=MovedBytes(),
        times=FrameTimes(),
        generation=generation,
    )


def make_events(count: int, first: int = 0) -> tuple[Event, ...]:
    """Return events with running numbers."""
    kinds = (EventKind.CREATED, EventKind.UPLOADED, EventKind.EVICTED, EventKind.REFUSED)
    return tuple(
        Event(n, n // 4, n * 1000, kinds[n % 4], f"Thing {n}", "local", n * 100, "d3d9.R5.3", f"Thing {n} moved.")
        for n in range(first, first + count)
    )


_WORDS = ("T_Road", "T_Brick", "Mesh", "Shadow", "Ring", "Ünlit")
