"""What a picture of tiles shows: those of a resource, or those of a heap that is used as a tile pool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.columns import Bytes8, Int64
from explorer.core.tiles import TILE_BYTES, ResourceTiling
from explorer.core.units import format_address
from explorer.render.looks import Pixels
from explorer.render.tile_looks import WOULD, pool_stamps, tile_stamps
from explorer.render.tiles import heap_tiling
from explorer.render.tokens import Palette
from explorer.sim.tile_map import PoolState, TileState
from explorer.sim.tile_steps import STATE_WORDS, event_rule, texel_range
from explorer.sim.tilings import tiled_of

if TYPE_CHECKING:
    from explorer.core.kinds import ResourceKind
    from explorer.sim.snapshot import Snapshot
    from explorer.sim.tile_map import Mapper, TileMap
    from explorer.sim.tilings import Tiled

TILE_LABELS = ("Mapped", "Mapped in this frame", "Shared", "NULL", "Heap is gone")
"""In the order of ``TileState``."""

POOL_LABELS = ("This resource", "Other resources", "Shared", "Free")
"""In the order of ``PoolState``."""

_POOL_WORDS = ("this resource", "in use", "shared", "free")
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class TileTold:
    """A tile in words.

    Attributes:
        title: What it is.
        state: Its state in a word.
        rows: Names and values.
        look: Its look, for the swatch.
    """

    title: str
    state: str
    rows: tuple[tuple[str, str], ...]
    look: int


@dataclass(frozen=True, slots=True, eq=False)
class TileSheet:
    """Tiles to be drawn and told about.

    Attributes:
        key: What it is of; another key starts at the fitting zoom.
        tiling: Of a resource or a heap.
        is_row: Whether the tiles lie in a row.
        stamps: (palette, cell width, cell height) → one cell for each look, and the ground.
        states: Tiles → looks.
        tell: Tile → words.
        numbers: Tiles → the number that stands in each when it is large; −1 for none.
        next_marked: (tile, 1 or −1) → the next tile that changed in this frame.
        entries: Look, label and count of each entry of the legend.
    """

    key: tuple[object, ...]
    tiling: ResourceTiling
    is_row: bool
    stamps: Callable[[Palette, int, int], Pixels]
    states: Callable[[Int64], Bytes8]
    tell: Callable[[int], TileTold]
    numbers: Callable[[Int64], Int64]
    next_marked: Callable[[int, int], int | None]
    entries: tuple[tuple[int, str, int], ...]


def resource_sheet(tiles: TileMap, tiled: Tiled, kind: ResourceKind) -> TileSheet | None:
    """Return the tiles of a resource; those it would have where it is no reserved one; None without a tiling."""
    tiling = tiled.tiling
    if tiling is None:
        return None
    resource, total = tiled.resource, tiling.total_tiles
    key = ("resource", tiles.snapshot.resources.names[resource], tiling)
    stamps = partial(_tile_stamps, kind)
    if not tiled.is_reserved:
        return TileSheet(
            key, tiling, tiled.is_buffer, stamps, _would, partial(_tell_would, tiled), _no_numbers, _nowhere,
            ((WOULD, "Would be a tile", total),),
        )  # fmt: skip
    counts = tiles.counts(resource, total)
    return TileSheet(
        key, tiling, tiled.is_buffer, stamps, partial(tiles.states, resource), partial(_tell_tile, tiles, tiled),
        partial(tiles.behind, resource), partial(tiles.next_fresh, resource),
        tuple((look, TILE_LABELS[look], counts[look]) for look in range(len(TileState))),
    )  # fmt: skip


def pool_sheet(tiles: TileMap, heap: int, resource: int, kind: ResourceKind) -> TileSheet:
    """Return the tiles of a heap.

    Args:
        tiles: Of a snapshot.
        heap: Index of the heap.
        resource: Index of the selected resource, −1 for none.
        kind: Of that resource.
    """
    counts = tiles.pool_counts(heap, resource)
    return TileSheet(
        ("heap", tiles.snapshot.heaps.names[heap], tiles.pool_tiles(heap)),
        heap_tiling(tiles.pool_tiles(heap)), True, partial(_pool_stamps, kind),
        partial(_pool_states, tiles, heap, resource), partial(_tell_pool, tiles, heap, resource), _as_they_are,
        partial(tiles.next_fresh_in_pool, heap),
        tuple((look, POOL_LABELS[look], counts[look]) for look in range(len(PoolState))),
    )  # fmt: skip


def place_text(tiled: Tiled, tile: int) -> str:
    """Return ``mip 0 (3, 1, 0)``, with the slice where there are several."""
    tiling = tiled.tiling
    if tiling is None:
        return f"tile {tile:,}"
    place = tiling.place_of(tile)
    array_slice = f", slice {place.slice:,}" if tiling.slices > 1 else ""
    if tiled.is_buffer:
        return f"({place.x:,}, 0, 0)"
    if place.is_packed:
        return f"packed tail, tile {place.x:,}{array_slice}"
    return f"mip {place.mip} ({place.x}, {place.y}, {place.z}){array_slice}"


def heap_text(snapshot: Snapshot, heap: int) -> str:
    """Return the name of a heap, and that it is not resident where it is not: use of its tiles removes the device."""
    name = snapshot.heaps.names[heap] or f"heap {heap}"
    return name if bool(snapshot.heaps.resident[heap]) else f"{name}, not resident"


def mapper_text(snapshot: Snapshot, one: Mapper) -> str:
    """Return which tile of a resource shows a tile of a heap."""
    if one.tile < 0:
        return "placed in the heap"
    tiled = tiled_of(snapshot, one.resource)
    place = f": {place_text(tiled, one.tile)}" if tiled is not None and tiled.tiling is not None else ""
    if one.tiles > 1:
        return f"tiles {one.tile:,} – {one.tile + one.tiles - 1:,}{place} and on"
    return f"tile {one.tile:,}{place}"


def _tell_tile(tiles: TileMap, tiled: Tiled, tile: int) -> TileTold:
    facts, snapshot = tiles.facts(tiled.resource, tile), tiles.snapshot
    rows = _where(tiled, tile)
    if facts.heap >= 0:
        rows += [
            ("Heap", heap_text(snapshot, facts.heap)),
            ("Heap tile", f"{facts.heap_tile:,}"),
            ("Heap offset", f"{format_address(facts.heap_tile * TILE_BYTES)}, {TILE_BYTES:,} B"),
        ]
    else:
        gone = facts.state is TileState.GONE
        rows.append(("Heap", f"gone; it was its tile {facts.heap_tile:,}" if gone else "none: NULL"))
    if facts.shown_by > 1:
        rows.append(("Shown by", f"{facts.shown_by:,} tiles or resources"))
    if facts.event >= 0:
        rows.append(("Changed by", f"event {facts.event:,}, frame {facts.frame:,}"))
    rows.append(("Rule", event_rule(snapshot, facts)))
    word = STATE_WORDS[facts.state]
    if facts.state is TileState.SHARED and facts.is_fresh:
        word = "shared, mapped in this frame"
    return TileTold(_title(tiled, tile), word, tuple(rows), int(facts.state))


def _tell_would(tiled: Tiled, tile: int) -> TileTold:
    return TileTold(_title(tiled, tile), "would be", tuple(_where(tiled, tile)), WOULD)


def _title(tiled: Tiled, tile: int) -> str:
    return f"Tile {tile:,} · {place_text(tiled, tile)}"


def _where(tiled: Tiled, tile: int) -> list[tuple[str, str]]:
    if tiled.tiling is None:
        return []
    place = tiled.tiling.place_of(tile)
    told = [("Subresource", f"{place.subresource:,}"), ("X, Y, Z", f"{place.x}, {place.y}, {place.z}")]
    told.append(("Bytes" if tiled.is_buffer else "Texels", texel_range(tiled, tile)))
    return [*told, ("Address", format_address(tile * TILE_BYTES))]


def _tell_pool(tiles: TileMap, heap: int, resource: int, tile: int) -> TileTold:
    snapshot = tiles.snapshot
    state = PoolState(int(tiles.pool_states(heap, np.array([tile], np.int64), resource)[0]))
    rows = [("Heap offset", f"{format_address(tile * TILE_BYTES)}, {TILE_BYTES:,} B")]
    found, count = tiles.mappers(heap, tile, _MOST_NAMED)
    for one in found:
        name = snapshot.resources.names[one.resource] if one.resource >= 0 else "unknown"
        rows.append((name, mapper_text(snapshot, one)))
    if count > len(found):
        rows.append(("and", f"{count - len(found):,} more"))
    if not count:
        rows.append(("Shown by", "nothing: UpdateTileMappings can give it out"))
    name = snapshot.heaps.names[heap] or f"heap {heap}"
    return TileTold(f"Tile {tile:,} of {name}", _POOL_WORDS[state], tuple(rows), int(state))


def _tile_stamps(kind: ResourceKind, colours: Palette, width: int, height: int) -> Pixels:
    return tile_stamps(colours, kind, width, height)


def _pool_stamps(kind: ResourceKind, colours: Palette, width: int, height: int) -> Pixels:
    return pool_stamps(colours, kind, width, height)


def _pool_states(tiles: TileMap, heap: int, resource: int, asked: Int64) -> Bytes8:
    return tiles.pool_states(heap, asked, resource)


def _would(asked: Int64) -> Bytes8:
    return np.full(len(asked), WOULD, np.uint8)


def _no_numbers(asked: Int64) -> Int64:
    return np.full(len(asked), -1, np.int64)


def _as_they_are(asked: Int64) -> Int64:
    return asked


def _nowhere(_tile: int, _step: int) -> int | None:
    return None
