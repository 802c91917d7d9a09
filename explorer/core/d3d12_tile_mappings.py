"""What UpdateTileMappings and CopyTileMappings do to the tiles of reserved resources.

Source: d3d12.6.6a … d3d12.6.6e (rows of ``tables/``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.d3d12_enums import TileRangeFlags
from explorer.core.d3d12_structs import TiledResourceCoordinate, TileRegionSize
from explorer.core.tiles import PACKED_TILE, ResourceTiling

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from explorer.core.d3d12 import UpdateTileMappings


class RegionError(ValueError):
    """A region leaves its subresource or the resource, or an array is shorter than announced."""


def region_tiles(tiling: ResourceTiling, start: TiledResourceCoordinate, size: TileRegionSize | None) -> Sequence[int]:
    """Return the resource's tile numbers that a region covers, in the order of the call.

    Args:
        tiling: How the resource divides into tiles.
        start: First tile; in a packed level X counts within its slice's tail.
        size: The region; None is one tile.

    Raises:
        RegionError: The region leaves the box's subresource or the resource.
    """
    if start.Subresource >= len(tiling.mips) * tiling.slices:
        raise RegionError(f"subresource {start.Subresource} does not exist")
    if size is not None and size.UseBox:
        return _box(tiling, start, size)
    first = _tile_at(tiling, start)
    count = 1 if size is None else size.NumTiles
    if first + count > tiling.total_tiles:
        raise RegionError(f"tile {first + count - 1} of {tiling.total_tiles}")
    return range(first, first + count)


def _tile_at(tiling: ResourceTiling, at: TiledResourceCoordinate) -> int:
    part = tiling.subresource(at.Subresource)
    tiles = tiling.tiles_of(at.Subresource)
    if part.StartTileIndexInOverallResource == PACKED_TILE:
        offset = at.X
    else:
        inside = part.WidthInTiles > at.X and part.HeightInTiles > at.Y and part.DepthInTiles > at.Z
        if not inside:
            raise RegionError(f"({at.X}, {at.Y}, {at.Z}) in subresource {at.Subresource}")
        offset = (at.Z * part.HeightInTiles + at.Y) * part.WidthInTiles + at.X
    if offset >= len(tiles):
        raise RegionError(f"tile {offset} of the {len(tiles)} packed ones")
    return tiles[offset]


def _box(tiling: ResourceTiling, start: TiledResourceCoordinate, size: TileRegionSize) -> list[int]:
    part = tiling.subresource(start.Subresource)
    fits = (
        start.X + size.Width <= part.WidthInTiles
        and start.Y + size.Height <= part.HeightInTiles
        and start.Z + size.Depth <= part.DepthInTiles
    )
    if not fits:
        raise RegionError(f"a box of {size.Width} × {size.Height} × {size.Depth} in subresource {start.Subresource}")
    return [
        _tile_at(tiling, TiledResourceCoordinate(start.X + x, start.Y + y, start.Z + z, start.Subresource))
        for z in range(size.Depth)
        for y in range(size.Height)
        for x in range(size.Width)
    ]


def updated_tiles(tiling: ResourceTiling, call: UpdateTileMappings) -> dict[int, int | None]:
    """Return resource tile → heap tile (None: unmapped) for every tile that a call changes.

    Later regions win where a tile is named twice; tiles of ranges beyond the regions are ignored.

    Raises:
        RegionError: As ``region_tiles``.
    """
    targets = _targets(tiling, call)
    changed: dict[int, int | None] = {}
    for tile, (heap_tile, kept) in zip(targets, _sources(call, len(targets)), strict=False):
        if not kept:
            changed[tile] = heap_tile
    return changed


def _check_lengths(count: int, arrays: Sequence[Sequence[object] | None]) -> None:
    for array in arrays:
        if array is not None and len(array) < count:
            raise RegionError(f"{count} are announced, {len(array)} are given")


def _targets(tiling: ResourceTiling, call: UpdateTileMappings) -> list[int]:
    starts, sizes = call.pResourceRegionStartCoordinates, call.pResourceRegionSizes
    _check_lengths(call.NumResourceRegions, (starts, sizes))
    _check_lengths(call.NumRanges, (call.pRangeFlags, call.pHeapRangeStartOffsets, call.pRangeTileCounts))
    if starts is None and sizes is None:
        return list(range(tiling.total_tiles))
    tiles: list[int] = []
    for index in range(call.NumResourceRegions):
        start = starts[index] if starts is not None else TiledResourceCoordinate()
        tiles.extend(region_tiles(tiling, start, sizes[index] if sizes is not None else None))
    return tiles


def _sources(call: UpdateTileMappings, wanted: int) -> Iterator[tuple[int | None, bool]]:
    """Yield (heap tile or None, whether the old mapping is kept) along the ranges."""
    flags, offsets, counts = call.pRangeFlags, call.pHeapRangeStartOffsets, call.pRangeTileCounts
    for index in range(call.NumRanges):
        flag = flags[index] if flags is not None else TileRangeFlags.NONE
        offset = offsets[index] if offsets is not None else 0
        default = wanted if call.NumRanges == 1 else 1
        for step in range(counts[index] if counts is not None else default):
            if flag is TileRangeFlags.SKIP:
                yield None, True
            elif flag is TileRangeFlags.NULL:
                yield None, False
            else:
                yield offset if flag is TileRangeFlags.REUSE_SINGLE_TILE else offset + step, False
