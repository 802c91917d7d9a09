"""The arithmetic of one tile: from its coordinates to its number, and from there to bytes of a heap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.tiles import TILE_BYTES
from explorer.sim.layout_steps import Step
from explorer.sim.tile_map import TileState

if TYPE_CHECKING:
    from explorer.core.tiles import ResourceTiling
    from explorer.sim.snapshot import Snapshot
    from explorer.sim.tile_map import TileFacts
    from explorer.sim.tilings import Tiled

STATE_WORDS = ("mapped", "mapped in this frame", "shared", "NULL", "heap is gone")
"""In the order of ``TileState``."""


def tile_arithmetic(tiling: ResourceTiling, facts: TileFacts) -> tuple[Step, ...]:
    """Return how a tile's number and its bytes come about; every formula gives its result exactly.

    Args:
        tiling: Of the resource.
        facts: Of the tile.
    """
    tile = facts.tile
    steps = [
        *_number(tiling, tile),
        Step("Address", f"{tile} × {TILE_BYTES}", tile * TILE_BYTES, "from the start of the resource"),
    ]
    if facts.state in (TileState.NONE, TileState.GONE):
        return tuple(steps)
    if facts.step:
        formula, note = (
            f"{facts.run_tile} + ({tile} - {facts.run_first})",
            f"the call mapped from tile {facts.run_first} on",
        )
    else:
        formula, note = f"{facts.run_tile}", "D3D12_TILE_RANGE_FLAG_REUSE_SINGLE_TILE"
    steps.append(Step("Heap tile", formula, facts.heap_tile, note, ""))
    steps.append(Step("Heap offset", f"{facts.heap_tile} × {TILE_BYTES}", facts.heap_tile * TILE_BYTES))
    return tuple(steps)


def _number(tiling: ResourceTiling, tile: int) -> tuple[Step, ...]:
    place = tiling.place_of(tile)
    before = f"{place.slice} × {tiling.slice_tiles} + " if place.slice else ""
    if place.is_packed:
        note = f"the packed tail starts at tile {tiling.packed_start} of its slice"
        return (Step("Tile", f"{before}{tiling.packed_start} + {place.x}", tile, note, ""),)
    part = tiling.mips[place.mip]
    start = part.StartTileIndexInOverallResource
    inside = (place.z * part.HeightInTiles + place.y) * part.WidthInTiles + place.x
    if part.DepthInTiles > 1:
        row, what = f"({place.z} × {part.HeightInTiles} + {place.y})", "(z × height + y) × width + x"
    else:
        row, what = f"{place.y}", "y × width + x"
    formula = f"{row} × {part.WidthInTiles} + {place.x}"
    return (
        Step(f"In mip {place.mip}", formula, inside, what, ""),
        Step("Tile", f"{before}{start} + {inside}", tile, "starts at StartTileIndexInOverallResource", ""),
    )


def texel_range(tiled: Tiled, tile: int) -> str:
    """Return the texels (bytes of a buffer) that a tile covers: ``512 – 767, 256 – 511``; the levels of a tail."""
    tiling = tiled.tiling
    if tiling is None:
        return ""
    if tiled.is_buffer:
        first = tile * TILE_BYTES
        return f"{first:,} – {min(first + TILE_BYTES, tiled.extent[0]) - 1:,} B"
    place = tiling.place_of(tile)
    if place.is_packed:
        last = len(tiling.mips) - 1
        return f"all of mip {place.mip}" if place.mip == last else f"parts of mips {place.mip} – {last}"
    spans: list[str] = []
    for at, side, whole in zip((place.x, place.y, place.z), tiling.shape, tiled.extent, strict=True):
        extent = max(whole >> place.mip, 1)
        spans.append(f"{at * side:,} – {min((at + 1) * side, extent) - 1:,}")
    return ", ".join(spans if tiled.extent[2] > 1 else spans[:2])


def event_text(snapshot: Snapshot, facts: TileFacts) -> str:
    """Return which call put a tile into its state, as far as the snapshot still holds its event."""
    if facts.event < 0:
        return "no call named it yet"
    events = snapshot.events
    at = facts.event - events[0].number if events else -1
    if 0 <= at < len(events) and events[at].number == facts.event:
        return events[at].text
    return f"event {facts.event:,} of frame {facts.frame:,}, older than the log"


def event_rule(snapshot: Snapshot, facts: TileFacts) -> str:
    """Return the id of the rule behind a tile's state."""
    if facts.state is TileState.GONE:
        return "device.dangling-tile"
    if facts.event < 0 or facts.state is TileState.NONE:
        return "d3d12.6.5a"
    events = snapshot.events
    at = facts.event - events[0].number if events else -1
    return events[at].rule if 0 <= at < len(events) else "d3d12.6.6a"
