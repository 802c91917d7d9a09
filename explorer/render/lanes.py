"""What stands below what on the map: segments, and a lane for each heap or run of like heaps."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, replace

import numpy as np

from explorer.core.columns import Int32, Int64
from explorer.core.kinds import Placement
from explorer.core.units import format_bytes
from explorer.render.items import Items, Places, build_items, demoted, evicted_in_place
from explorer.render.lane_texts import flags_text, group_title, heap_name, name_stem, type_text
from explorer.sim.snapshot import Snapshot

LEAST_GROUP = 4
"""From this many like heaps on they share one lane."""

LEAST_FOLDED = 9
"""From this many on the lane starts folded."""

_AXIS_LIMIT = 1 << 61
"""The lanes of a damaged dump may claim more bytes than signed 64 bit hold; each is then cut to its share."""


class LaneKind(enum.IntEnum):
    """What a lane stands for."""

    SEGMENT = 0
    """A contiguous segment: offsets are those of the segment."""
    HEAP = 1
    GROUP = 2
    """A run of like heaps, end to end."""
    COMMITTED = 3
    """The implicit heaps of committed (dedicated) resources, end to end."""
    AWAY = 4
    """Heaps that belong in another segment, end to end."""
    DIRECT = 5
    """Blocks of a paged segment that lie in no heap, at their addresses."""
    UNKNOWN = 6
    """Blocks whose offsets the file does not tell, end to end."""


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """A range of the map axis with a header.

    Attributes:
        key: Names the lane as long as its segment and heaps keep their names.
        kind: What it stands for.
        segment: Index of the segment.
        title: Name.
        subtitle: Type and flags.
        base: First byte on the map axis.
        extent: Bytes.
        heaps: Indices of the heaps in it, in order.
        children: The lanes of the single heaps, which lie in the same range.
        folded: Whether it starts as one line with a strip.
    """

    key: str
    kind: LaneKind
    segment: int
    title: str
    subtitle: str
    base: int
    extent: int
    heaps: Int32
    children: tuple[Lane, ...] = ()
    folded: bool = False

    @property
    def end(self) -> int:
        """The byte after the last one, on the map axis."""
        return self.base + self.extent


@dataclass(frozen=True, slots=True, eq=False)
class MapScene:
    """A snapshot laid out for drawing.

    Attributes:
        snapshot: What is shown.
        lanes: In drawing order, segment after segment.
        places: Where heaps and segments begin on the map axis.
        items: What the rows hold.
        aliases: What lies over their owners.
        held_before: Bytes under live blocks before each item, and after the last; shape (items + 1,).
        shared_bytes: Bytes under at least two blocks, counted once.
    """

    snapshot: Snapshot
    lanes: tuple[Lane, ...]
    places: Places
    items: Items
    aliases: Items
    held_before: Int64
    shared_bytes: int

    @property
    def has_unknown_offsets(self) -> bool:
        """Whether some blocks are laid end to end because the file tells no offsets."""
        return any(lane.kind is LaneKind.UNKNOWN for lane in self.lanes)


@dataclass(slots=True, eq=False)
class _Axis:
    """The map axis while lanes are put on it."""

    snapshot: Snapshot
    home: Int64
    current: Int64
    direct: Int64
    direct_end: Int64
    unknown: Int64
    heap_bytes: Int64
    end: int = 0
    lanes: list[Lane] = field(default_factory=list["Lane"])

    def add(self, lane: Lane) -> Lane:
        self.lanes.append(lane)
        self.end = lane.end
        return lane

    def end_to_end(self, heaps: Int32, base: Int64) -> int:
        """Place heaps one after the other from the end of the axis on; return their bytes."""
        sizes = self.heap_bytes[heaps]
        stops = np.cumsum(sizes)
        base[heaps] = self.end + stops - sizes
        return int(stops[-1]) if len(stops) else 0


def build_scene(snapshot: Snapshot, before: MapScene | None = None) -> MapScene:
    """Return the lanes and sorted items of a snapshot.

    Args:
        snapshot: What to show.
        before: The scene shown until now; its sorted columns are kept where nothing came, went or moved.
    """
    if before is not None and _same_places(before.snapshot, snapshot):
        return _with_states(before, snapshot)
    count, segments = len(snapshot.heaps), len(snapshot.segments)
    axis = _Axis(
        snapshot,
        *(np.full(count, -1, np.int64) for _ in range(2)),
        *(np.full(segments, -1, np.int64) for _ in range(3)),
        heap_bytes=_drawn_heap_bytes(snapshot),
    )
    away = demoted(snapshot)
    for segment, picture in enumerate(snapshot.segments):
        contiguous = picture.placement == Placement.CONTIGUOUS
        here = snapshot.heaps.home == segment
        if contiguous:
            _add_contiguous(axis, segment)
            rest = np.flatnonzero(here & ~away & (snapshot.heaps.address < 0)).astype(np.int32)
            _add_runs(axis, segment, rest)
        else:
            explicit = np.flatnonzero(here & ~snapshot.heaps.committed).astype(np.int32)
            _add_runs(axis, segment, explicit)
            _add_committed(axis, segment, np.flatnonzero(here & snapshot.heaps.committed).astype(np.int32))
            _add_direct(axis, segment)
        placed_here = contiguous & (snapshot.heaps.address >= 0)
        _add_away(axis, segment, np.flatnonzero(away & (snapshot.heaps.segment == segment) & ~placed_here))
        _add_unknown(axis, segment)
    places = Places(axis.home, axis.current, axis.direct, axis.unknown, axis.direct_end, axis.heap_bytes)
    items, aliases, shared = build_items(snapshot, places)
    return MapScene(snapshot, tuple(axis.lanes), places, items, aliases, _held_before(items), shared)


def walk_lanes(scene: MapScene) -> list[Lane]:
    """Return every lane, the children of a run behind it."""
    return [one for lane in scene.lanes for one in (lane, *lane.children)]


def _held_before(items: Items) -> Int64:
    held = np.zeros(len(items) + 1, np.int64)
    counted = (items.block >= 0) & ~items.away
    np.cumsum(np.where(counted, items.end - items.start, 0), out=held[1:])
    return held


def _drawn_heap_bytes(snapshot: Snapshot) -> Int64:
    """Return the bytes that each heap takes on the axis: its size unless a damaged file claims too much."""
    sizes = np.maximum(snapshot.heaps.size, 0)
    if len(sizes) and float(sizes.sum(dtype=np.float64)) * 2 > _AXIS_LIMIT:
        return np.minimum(sizes, _AXIS_LIMIT // (2 * len(sizes)))
    return sizes.copy()


def _same_places(old: Snapshot, new: Snapshot) -> bool:
    if old.generation != new.generation or (old.segments != new.segments and len(old.segments) != len(new.segments)):
        return False
    if old.provenance.scenario != new.provenance.scenario or old.provenance.file != new.provenance.file:
        return False
    if old.heaps.names != new.heaps.names:
        return False
    pairs = [(getattr(old.blocks, name), getattr(new.blocks, name)) for name in ("offset", "size", "heap", "segment")]
    pairs += [(getattr(old.heaps, name), getattr(new.heaps, name)) for name in ("segment", "home", "address", "size")]
    pairs += [(getattr(old.wastes, name), getattr(new.wastes, name)) for name in ("offset", "size", "heap", "cause")]
    return all(a is b or np.array_equal(a, b) for a, b in pairs)


def _with_states(before: MapScene, snapshot: Snapshot) -> MapScene:
    if before.snapshot.blocks is snapshot.blocks and before.snapshot.heaps is snapshot.heaps:
        return replace(before, snapshot=snapshot)
    evicted = evicted_in_place(snapshot)

    def renewed(items: Items) -> Items:
        if not len(evicted):
            return items
        flags = np.where(items.block >= 0, evicted[items.block], False) | items.away
        flags.flags.writeable = False
        return replace(items, evicted=flags)

    return replace(before, snapshot=snapshot, items=renewed(before.items), aliases=renewed(before.aliases))


def _add_contiguous(axis: _Axis, segment: int) -> None:
    snapshot = axis.snapshot
    picture = snapshot.segments[segment]
    extent = max(1, min(picture.size_bytes, _AXIS_LIMIT // 64))
    base = axis.end
    axis.direct[segment], axis.direct_end[segment] = base, base + extent
    heaps = snapshot.heaps
    inside = np.flatnonzero((heaps.segment == segment) & (heaps.address >= 0)).astype(np.int32)
    # A heap that is only here for now has its lane of origin elsewhere: its place here is the current one.
    for index, table in ((inside[heaps.home[inside] == segment], axis.home),
                         (inside[heaps.home[inside] != segment], axis.current)):  # fmt: skip
        table[index] = base + heaps.address[index]
    title, subtitle = "All of the segment", f"contiguous, {len(inside)} heaps" if len(inside) else "contiguous"
    axis.add(Lane(f"{picture.name}/segment", LaneKind.SEGMENT, segment, title, subtitle, base, extent, inside))


def _add_runs(axis: _Axis, segment: int, heaps: Int32) -> None:
    """Add a lane for each heap, and one for each run of at least ``LEAST_GROUP`` like ones."""
    columns, name = axis.snapshot.heaps, axis.snapshot.segments[segment].name
    runs: dict[tuple[str, int, int], list[int]] = {}
    for heap in map(int, heaps):
        like = (name_stem(columns.names[heap]), int(columns.kind[heap]), int(columns.flags[heap]))
        runs.setdefault(like, []).append(heap)
    for (stem, kind, flags), members in runs.items():
        subtitle = " · ".join(part for part in (type_text(kind), flags_text(flags)) if part)
        chosen = np.array(members, np.int32)
        start = axis.end
        extent = axis.end_to_end(chosen, axis.home)
        singles: list[Lane] = []
        for heap, base in zip(members, axis.home[chosen].tolist(), strict=True):
            title = heap_name(columns.names[heap], heap)
            key = f"{name}/{title}"
            singles.append(Lane(key, LaneKind.HEAP, segment, title, subtitle, base, int(axis.heap_bytes[heap]),
                                np.array([heap], np.int32)))  # fmt: skip
        if len(members) < LEAST_GROUP:
            for lane in singles:
                axis.add(lane)
            continue
        title = group_title(stem, [lane.title for lane in singles])
        axis.add(Lane(f"{name}/run/{stem}/{kind}/{flags}", LaneKind.GROUP, segment, title, subtitle, start, extent,
                      chosen, tuple(singles), folded=len(members) >= LEAST_FOLDED))  # fmt: skip


def _add_committed(axis: _Axis, segment: int, heaps: Int32) -> None:
    if not len(heaps):
        return
    name, start = axis.snapshot.segments[segment].name, axis.end
    extent = axis.end_to_end(heaps, axis.home)
    axis.add(Lane(f"{name}/committed", LaneKind.COMMITTED, segment, f"Committed ({len(heaps):,})",
                  "each in a heap of its own, end to end", start, extent, heaps))  # fmt: skip


def _add_direct(axis: _Axis, segment: int) -> None:
    blocks = axis.snapshot.blocks
    direct = (blocks.segment == segment) & (blocks.heap < 0) & (blocks.offset >= 0)
    if not direct.any():
        return
    extent = min(int((blocks.offset[direct] + blocks.size[direct]).max()), _AXIS_LIMIT // 64)
    axis.direct[segment], axis.direct_end[segment] = axis.end, axis.end + extent
    name = axis.snapshot.segments[segment].name
    axis.add(Lane(f"{name}/direct", LaneKind.DIRECT, segment, "Outside heaps", "at their addresses", axis.end, extent,
                  np.zeros(0, np.int32)))  # fmt: skip


def _add_away(axis: _Axis, segment: int, found: Int64) -> None:
    if not len(found):
        return
    heaps, start = found.astype(np.int32), axis.end
    pictures = axis.snapshot.segments
    extent = axis.end_to_end(heaps, axis.current)
    homes = sorted({pictures[int(home)].name for home in np.unique(axis.snapshot.heaps.home[heaps])})
    subtitle = f"belongs in {', '.join(homes)}; end to end"
    axis.add(Lane(f"{pictures[segment].name}/away", LaneKind.AWAY, segment, f"Moved out ({len(heaps):,})", subtitle,
                  start, extent, heaps))  # fmt: skip


def _add_unknown(axis: _Axis, segment: int) -> None:
    blocks = axis.snapshot.blocks
    lost = (blocks.segment == segment) & (blocks.offset < 0)
    if not lost.any():
        return
    sizes = blocks.size[lost]
    extent = int(sizes.sum())
    axis.unknown[segment] = axis.end
    name = axis.snapshot.segments[segment].name
    axis.add(Lane(f"{name}/unknown", LaneKind.UNKNOWN, segment, f"Offsets unknown ({len(sizes):,})",
                  f"{format_bytes(extent)} end to end, in the order of the file", axis.end, extent,
                  np.zeros(0, np.int32)))  # fmt: skip
