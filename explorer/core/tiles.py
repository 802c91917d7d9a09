"""Tiles of 64 KiB: how a resource divides into them, and which levels share the packed tail.

The tail's start and size are the adapter's; the model here starts it at the first level below a tile in any axis and
gives it as many tiles as its texels fill, at least one.

Source: d3d12.6.2, d3d12.6.3, d3d12.6.4, d3d12.6.7 (rows of ``tables/``).
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from explorer.core.dxgi import mip_extent, texel_bytes
from explorer.core.units import align_up, ceil_div

if TYPE_CHECKING:
    from explorer.core.footprints import ResourceShape

TILE_BYTES = 65536
"""``D3D12_TILED_RESOURCE_TILE_SIZE_IN_BYTES``."""
PACKED_TILE = 0xFFFFFFFF
"""``D3D12_PACKED_TILE``: start index of a level that has no tiles of its own."""


class TileShape(NamedTuple):
    """Texels of one tile in each axis (bytes of a buffer)."""

    width: int
    height: int
    depth: int


@dataclass(frozen=True, slots=True)
class SubresourceTiling:
    """``D3D12_SUBRESOURCE_TILING``: in tiles; all zero for a packed level."""

    WidthInTiles: int
    HeightInTiles: int
    DepthInTiles: int
    StartTileIndexInOverallResource: int

    @property
    def tiles(self) -> int:
        """Width × height × depth."""
        return self.WidthInTiles * self.HeightInTiles * self.DepthInTiles


@dataclass(frozen=True, slots=True)
class TilePlace:
    """Where a tile of a resource lies, as ``D3D12_TILED_RESOURCE_COORDINATE`` says it.

    Attributes:
        subresource: Index of the subresource; for a packed tile that of its slice's first packed level.
        mip: Level, for a packed tile the first packed one.
        slice: Array slice.
        x: Tiles from the left; within the tail for a packed tile.
        y: Tiles from the top.
        z: Tiles from the front.
        is_packed: Whether it belongs to a packed tail.
    """

    subresource: int
    mip: int
    slice: int
    x: int
    y: int
    z: int
    is_packed: bool


@dataclass(frozen=True, slots=True)
class ResourceTiling:
    """How a resource divides into tiles.

    Attributes:
        shape: Texels of a tile.
        slices: Array slices, each with its own levels and tail.
        mips: The levels of slice 0; those from ``len(mips) - packed_mips`` on are packed.
        standard_mips: Levels with tiles of their own; 0 for a buffer.
        packed_mips: Levels in the tail.
        packed_tiles: Tiles of the tail of one slice.
        slice_tiles: Tiles of one slice, tail included.
    """

    shape: TileShape
    slices: int
    mips: tuple[SubresourceTiling, ...]
    standard_mips: int
    packed_mips: int
    packed_tiles: int
    slice_tiles: int

    @property
    def total_tiles(self) -> int:
        """Tiles of all slices."""
        return self.slice_tiles * self.slices

    @property
    def packed_start(self) -> int:
        """First tile of slice 0's tail; 0 when nothing is packed."""
        return self.slice_tiles - self.packed_tiles if self.packed_mips else 0

    def is_packed_tile(self, tile: int) -> bool:
        """Return whether a tile of the resource belongs to a slice's packed tail."""
        return tile % self.slice_tiles >= self.slice_tiles - self.packed_tiles

    def subresource(self, index: int) -> SubresourceTiling:
        """Return the tiling of a subresource (mip + slice × mips)."""
        array_slice, mip = divmod(index, len(self.mips))
        first = self.mips[mip]
        if first.StartTileIndexInOverallResource == PACKED_TILE or array_slice == 0:
            return first
        start = first.StartTileIndexInOverallResource + array_slice * self.slice_tiles
        return SubresourceTiling(first.WidthInTiles, first.HeightInTiles, first.DepthInTiles, start)

    def subresources(self, first: int, count: int) -> tuple[SubresourceTiling, ...]:
        """Return the tilings from ``first`` on, clamped to what exists (``GetResourceTiling``)."""
        end = min(first + count, len(self.mips) * self.slices)
        return tuple(self.subresource(index) for index in range(first, end))

    def place_of(self, tile: int) -> TilePlace:
        """Return where a tile of the resource lies.

        Args:
            tile: 0 to ``total_tiles`` − 1.
        """
        array_slice, inside = divmod(tile, self.slice_tiles)
        levels = len(self.mips)
        if self.is_packed_tile(tile):
            mip = levels - self.packed_mips
            return TilePlace(mip + array_slice * levels, mip, array_slice, inside - self.packed_start, 0, 0, True)
        starts = [part.StartTileIndexInOverallResource for part in self.mips[: levels - self.packed_mips]]
        mip = bisect_right(starts, inside) - 1
        part = self.mips[mip]
        row, x = divmod(inside - starts[mip], part.WidthInTiles)
        z, y = divmod(row, part.HeightInTiles)
        return TilePlace(mip + array_slice * levels, mip, array_slice, x, y, z, False)

    def tiles_of(self, index: int) -> range:
        """Return the overall tile numbers of a subresource; for a packed level those of its slice's whole tail."""
        part = self.subresource(index)
        if part.StartTileIndexInOverallResource != PACKED_TILE:
            start = part.StartTileIndexInOverallResource
            return range(start, start + part.tiles)
        start = index // len(self.mips) * self.slice_tiles + self.packed_start
        return range(start, start + self.packed_tiles)


def tiles_across(width: int, height: int, depth: int, tile: TileShape) -> tuple[int, int, int]:
    """Return the tiles that cover a box of texels, in each axis."""
    return ceil_div(width, tile.width), ceil_div(height, tile.height), ceil_div(depth, tile.depth)


def small_tiles(width: int, height: int, depth: int, tile: TileShape) -> int:
    """Return how many tiles the most detailed level covers, which decides about the small alignments.

    Source: d3d12.4.3d, d3d12.4.4b.
    """
    across, down, deep = tiles_across(width, height, depth, tile)
    return across * down * deep


def tail_bytes(shape: ResourceShape, first_mip: int, samples: int = 1) -> int:
    """Return the bytes of the texels of all levels of one slice from ``first_mip`` on, each in whole blocks."""
    return samples * sum(
        texel_bytes(
            shape.info,
            align_up(mip_extent(shape.width, mip), shape.info.width_multiple),
            align_up(mip_extent(shape.height, mip), shape.info.height_multiple),
            mip_extent(shape.depth, mip),
        )
        for mip in range(first_mip, shape.mips)
    )


def buffer_tiling(width: int, tile: TileShape) -> ResourceTiling:
    """Return the tiling of a buffer of ``width`` bytes: no levels, standard or packed."""
    tiles = ceil_div(width, tile.width)
    return ResourceTiling(tile, 1, (SubresourceTiling(tiles, 1, 1, 0),), 0, 0, 0, tiles)


def texture_tiling(shape: ResourceShape, tile: TileShape, samples: int = 1) -> ResourceTiling:
    """Return the tiling of a texture.

    Args:
        shape: The texture (one plane).
        tile: Texels of a tile at this sample count.
        samples: Samples of a texel.
    """
    mips: list[SubresourceTiling] = []
    start = standard = 0
    for mip in range(shape.mips):
        size = mip_extent(shape.width, mip), mip_extent(shape.height, mip), mip_extent(shape.depth, mip)
        if any(axis < full for axis, full in zip(size, tile, strict=True)):
            break
        across, down, deep = tiles_across(*size, tile)
        mips.append(SubresourceTiling(across, down, deep, start))
        start += across * down * deep
        standard += 1
    packed = shape.mips - standard
    packed_tiles = max(1, ceil_div(tail_bytes(shape, standard, samples), TILE_BYTES)) if packed else 0
    mips.extend([SubresourceTiling(0, 0, 0, PACKED_TILE)] * packed)
    return ResourceTiling(tile, shape.slices, tuple(mips), standard, packed, packed_tiles, start + packed_tiles)
