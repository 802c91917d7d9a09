"""UpdateTileMappings and CopyTileMappings: what they change, or why they must not be called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.d3d12_tile_mappings import RegionError, region_tiles, updated_tiles
from explorer.core.tiles import ResourceTiling
from explorer.rules.d3d12_findings import Findings

if TYPE_CHECKING:
    from explorer.core import d3d12
    from explorer.core.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class MappingState:
    """What a tile mapping refers to.

    Attributes:
        target: Tiling of the destination, None if it is no reserved resource.
        heap_tiles: Tiles of the heap; None where no heap is given.
        source: Tiling of the resource that mappings are copied from.
    """

    target: ResourceTiling | None
    heap_tiles: int | None = None
    source: ResourceTiling | None = None


def judge_update_mappings(arguments: d3d12.UpdateTileMappings, state: MappingState) -> Verdict:
    """Return ``Changed``: resource tile → heap tile, None for an unmapped one."""
    found = Findings()
    if state.target is None:
        found.refuse("6.6e")
        return found.verdict()
    changed: dict[int, int | None] = {}
    try:
        changed = updated_tiles(state.target, arguments)
    except RegionError as error:
        found.refuse("6.6d", detail=str(error))
    mapped = [tile for tile in changed.values() if tile is not None]
    if mapped and state.heap_tiles is None:
        found.refuse("6.6b")
    elif mapped and state.heap_tiles is not None and max(mapped) >= state.heap_tiles:
        found.refuse("6.6c", detail=f"tile {max(mapped)} of {state.heap_tiles}")
    if found.ok:
        found.permit("6.6a")
    return found.verdict({"Changed": changed})


def judge_copy_mappings(arguments: d3d12.CopyTileMappings, state: MappingState) -> Verdict:
    """Return ``Copied``: pairs of (destination tile, source tile)."""
    found = Findings()
    if state.target is None or state.source is None:
        found.refuse("6.6e")
        return found.verdict()
    pairs: list[tuple[int, int]] = []
    try:
        to = region_tiles(state.target, arguments.pDstRegionStartCoordinate, arguments.pRegionSize)
        of = region_tiles(state.source, arguments.pSrcRegionStartCoordinate, arguments.pRegionSize)
        pairs = list(zip(to, of, strict=True))
    except RegionError as error:
        found.refuse("6.6d", detail=str(error))
    if found.ok:
        found.permit("6.6a")
    return found.verdict({"Copied": pairs})
