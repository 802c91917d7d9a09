"""Layouts for tests: small ones by hand-written ranges, and a seeded one that looks like a game's."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

from explorer.core.columns import BlockColumns, HeapColumns, ResourceColumns, WasteColumns, make_columns
from explorer.core.kinds import BlockState, HeapKind, Placement, ResourceKind, WasteCause
from explorer.core.spans import Span, gaps, union_bytes
from explorer.core.units import KIB, MIB, align_up
from explorer.sim.snapshot import (
    FrameTimes,
    GroupPicture,
    MovedBytes,
    Provenance,
    SegmentPicture,
    Snapshot,
    Totals,
)

RESIDENT = int(BlockState.RESIDENT)
CAUSES = [cause.token for cause in WasteCause]


@dataclass
class Builder:
    """Collects heaps, blocks and wasted ranges; ``snapshot`` adds up what they come to."""

    segments: list[tuple[str, str, int]] = field(default_factory=list)
    heaps: list[dict[str, object]] = field(default_factory=list)
    blocks: list[dict[str, int]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    wastes: list[dict[str, int]] = field(default_factory=list)
    frame: int = 0

    def segment(self, name: str, placement: str, size: int) -> int:
        self.segments.append((name, placement, size))
        return len(self.segments) - 1

    def heap(self, segment: int, name: str, size: int, **columns: object) -> int:
        row: dict[str, object] = {"segment": segment, "home": segment, "address": -1, "resident": True,
                                  "kind": HeapKind.DEFAULT, "alignment": 64 * KIB, "used_frame": -1, "flags": 0,
                                  "committed": False, "priority": 0}  # fmt: skip
        self.heaps.append(row | {"name": name, "size": size} | columns)
        return len(self.heaps) - 1

    def block(self, segment: int, heap: int, offset: int, size: int, kind: int = 0, name: str = "",
              **columns: int) -> int:  # fmt: skip
        row = {"segment": segment, "heap": heap, "offset": offset, "size": size, "asked": size, "alignment": 1,
               "kind": kind, "state": RESIDENT, "resource": len(self.names), "used_frame": -1}  # fmt: skip
        self.names.append(name or f"R{len(self.names)}")
        self.blocks.append(row | columns)
        return len(self.blocks) - 1

    def waste(self, segment: int, heap: int, offset: int, size: int, cause: int) -> None:
        self.wastes.append({"segment": segment, "heap": heap, "offset": offset, "size": size, "cause": cause})

    def snapshot(self, *, origin: str = "simulated", generation: int = 1) -> Snapshot:
        count = len(self.blocks)
        resources = {"kind": self._column("kind"), "size": self._column("size"), "asked": self._column("size"),
                     "width": self._column("size"), "resident": np.ones(count, np.bool_)}  # fmt: skip
        used = sum(self._used(index) for index in range(len(self.segments)))
        asked = sum(row["size"] for row in self.blocks)
        return Snapshot(
            origin=origin,
            api="d3d12",
            adapter=None,
            adapter_name="Test adapter",
            provenance=Provenance(scenario="test", frame=self.frame),
            time_ns=0,
            segments=tuple(self._picture(index) for index in range(len(self.segments))),
            groups=tuple(
                GroupPicture(0, name, size * 7 // 8, 0, 0) for name, _, size in self.segments if "LOCAL" in name
            ),
            heaps=HeapColumns(names=tuple(str(row["name"]) for row in self.heaps),
                              **make_columns(HeapColumns, len(self.heaps), _columns(self.heaps))),
            blocks=BlockColumns(**make_columns(BlockColumns, count, _columns(self.blocks))),
            wastes=WasteColumns(**make_columns(WasteColumns, len(self.wastes), _columns(self.wastes))),
            resources=ResourceColumns(names=tuple(self.names), records=(None,) * count, dimensions=("TEXTURE2D",),
                                      formats=("BC7_UNORM",), places=("DEFAULT",),
                                      **make_columns(ResourceColumns, count, resources)),
            descriptor_heaps=(),
            totals=Totals(count, len(self.heaps), count, asked, used, asked - used, used, 0),
            events=(),
            event_counts={},
            moved=MovedBytes(),
            times=FrameTimes(),
            generation=generation,
        )  # fmt: skip

    def _column(self, name: str) -> list[int]:
        return [row[name] for row in self.blocks]

    def _ranges(self, segment: int) -> dict[int, list[Span]]:
        found: dict[int, list[Span]] = {}
        for row in self.blocks:
            if row["segment"] == segment:
                found.setdefault(row["heap"], []).append(Span(row["offset"], row["size"]))
        return found

    def _used(self, segment: int) -> int:
        return sum(union_bytes(spans) for spans in self._ranges(segment).values())

    def _picture(self, segment: int) -> SegmentPicture:
        name, placement, size = self.segments[segment]
        used = self._used(segment)
        padding = {
            cause: sum(row["size"] for row in self.wastes if row["segment"] == segment and row["cause"] == index)
            for index, cause in enumerate(CAUSES)
        }
        held = sum(int(str(row["size"])) for row in self.heaps if row["segment"] == segment)
        free = size - used - sum(padding.values())
        in_heaps = held - sum(union_bytes(s) for h, s in self._ranges(segment).items() if h >= 0)
        in_heaps -= sum(row["size"] for row in self.wastes if row["segment"] == segment and row["heap"] >= 0)
        largest = free - in_heaps
        if placement == Placement.CONTIGUOUS:
            spans = [span for spans in self._ranges(segment).values() for span in spans]
            largest = max((hole.size for hole in gaps(spans, size)), default=0)
        group = name if name in ("LOCAL", "NON_LOCAL") else "SYSTEM"
        return SegmentPicture(name, group, 0, placement, size, used, padding, free, in_heaps, largest)


def _columns(rows: list[dict[str, int]] | list[dict[str, object]]) -> dict[str, list[object]]:
    keys = [key for key in (rows[0] if rows else {}) if key != "name"]
    return {key: [row[key] for row in rows] for key in keys}


FAMILIES = ("T_RoadAsphalt", "T_Roof_Tiles", "T_Facade_Brick", "T_Char_Face", "T_Metal_Rust", "T_Sign_Neon", "T_Tree")


def city(seed: int = 7) -> Snapshot:
    """Return a seeded layout with target, texture, buffer and upload heaps, committed resources and evicted ones."""
    rng = random.Random(seed)
    make = Builder(frame=1284)
    local = make.segment("LOCAL", Placement.PAGED, 6 << 30)
    shared = make.segment("NON_LOCAL", Placement.PAGED, 32 << 30)
    targets = make.heap(local, "Targets 0", 256 * MIB, flags=0x84)
    _targets(make, local, targets)
    for index in range(13):
        _textures(make, rng, local, make.heap(local, f"Textures {index}", 256 * MIB, flags=0x44), 6)
    _textures(make, rng, local, make.heap(local, "Texture pool", 256 * MIB, flags=0x44), 40)
    _buffers(make, rng, local, make.heap(local, "Buffers 0", 128 * MIB, flags=0xC0))
    for index in range(41):
        size = 65536 * rng.randrange(1, 80)
        gone = index % 9 == 4
        heap = make.heap(shared if gone else local, f"implicit {index}", size, committed=True, home=local)
        kind = rng.choice((ResourceKind.ACCELERATION, ResourceKind.OTHER, ResourceKind.DESCRIPTOR_HEAP))
        make.block(shared if gone else local, heap, 0, size, kind, f"Scene_BLAS_{index:02d}",
                   state=0 if gone else RESIDENT)  # fmt: skip
    ring = make.heap(shared, "Upload ring", 64 * MIB, kind=HeapKind.UPLOAD)
    at = 0
    for index in range(7):
        size = 65536 * rng.randrange(8, 150)
        make.block(shared, ring, at, size, ResourceKind.UPLOAD, f"texture staging {index}")
        at += size
    make.waste(shared, ring, at, 64 * MIB - at, WasteCause.GRANULARITY)
    return make.snapshot()


def _targets(make: Builder, segment: int, heap: int) -> None:
    at = 0
    for name, mib, kind in (("GBuffer.Albedo", 14.0625, 1), ("GBuffer.Normal", 14.0625, 1),
                            ("GBuffer.Material", 14.0625, 1), ("GBuffer.Motion", 14.0625, 1),
                            ("SceneColor", 28.125, 1), ("SceneDepth", 28.125, 2),
                            ("ShadowCascades[4]", 64, 2)):  # fmt: skip
        size = int(mib * MIB)
        start = align_up(at, 4 * MIB if kind == 2 else 65536)
        if start > at:
            make.waste(segment, heap, at, start - at, WasteCause.ALIGNMENT)
        make.block(segment, heap, start, size, kind, name)
        at = start + size
    make.block(segment, heap, 0, int(18.75 * MIB), 1, "BloomChain", state=RESIDENT | BlockState.INACTIVE)
    make.block(segment, heap, 30 * MIB, 7 * MIB, 0, "SSR.Resolve", state=RESIDENT | BlockState.INACTIVE)
    make.waste(segment, heap, at, 256 * MIB - at, WasteCause.TAIL)


def _textures(make: Builder, rng: random.Random, segment: int, heap: int, count: int) -> None:
    at = 0
    while True:
        size = 65536 * rng.choice((4, 9, 12, 43, 86, 171, 342))
        at += 65536 * rng.choice((0, 0, 0, 0, 0, 12, 60)) if count > 6 else 0
        if at + size > 250 * MIB:
            break
        name = f"{rng.choice(FAMILIES)}_{rng.randrange(30):02d}_{rng.choice(('BC', 'N', 'ORM'))}"
        gone = rng.random() < 0.04
        make.block(segment, heap, at, size, 0, name, state=0 if gone else RESIDENT, used_frame=rng.randrange(1284))
        at += size
    make.waste(segment, heap, at, 256 * MIB - at, WasteCause.TAIL)


def _buffers(make: Builder, rng: random.Random, segment: int, heap: int) -> None:
    at = 0
    for name, mib in (("VB_City_Static", 31.1875), ("IB_City_Static", 12.5), ("InstanceData", 8.0625),
                      ("VB_Foliage", 9.8125), ("MeshletTable", 14.1875), ("ParticlePool", 12)):  # fmt: skip
        start = align_up(at, 65536 if rng.random() < 0.5 else 4 * MIB)
        if start > at:
            make.waste(segment, heap, at, start - at, WasteCause.ALIGNMENT)
        make.block(segment, heap, start, int(mib * MIB), ResourceKind.BUFFER, name)
        at = start + int(mib * MIB)
    for index in range(60):
        make.block(segment, heap, at, 4096, ResourceKind.BUFFER, f"CB_{index:02d}")
        at += 65536
        make.waste(segment, heap, at - 61440, 61440, WasteCause.ROUNDING)
