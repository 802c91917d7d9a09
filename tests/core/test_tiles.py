"""Tiles: counts, order and the packed tail."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.d3d12_enums import ResourceDimension
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.footprints import ResourceShape
from explorer.core.tiles import PACKED_TILE, TILE_BYTES, TileShape, buffer_tiling, texture_tiling
from explorer.tables.d3d12_tables import tile_shape
from explorer.tables.dxgi_formats import all_formats, format_info

TWO, THREE = ResourceDimension.TEXTURE2D, ResourceDimension.TEXTURE3D


@pytest.mark.parametrize("samples", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("dimension", [TWO, THREE])
@pytest.mark.parametrize("tile_bytes", [TILE_BYTES, 4096])
def test_that_a_tile_holds_as_many_bytes_as_it_says(dimension, samples: int, tile_bytes: int) -> None:
    if samples > 1 and (dimension is THREE or tile_bytes == 4096):
        return
    for info in all_formats().values():
        shape = tile_shape(dimension, info, samples, tile_bytes)
        if shape is None or info.is_yuv or info.block_width == 2:
            continue
        blocks = shape.width // info.block_width * (shape.height // info.block_height) * shape.depth
        assert blocks * info.bytes_per_block * samples == tile_bytes, (info.format.name, shape)


@pytest.mark.parametrize(
    ("size", "slices", "mips", "form", "tiles", "standard", "packed"),
    [
        ((512, 512, 1), 1, 10, DXGI_FORMAT.R8G8B8A8_UNORM, 22, 3, 1),
        ((512, 512, 1), 4, 10, DXGI_FORMAT.R8G8B8A8_UNORM, 88, 3, 1),
        ((1, 1, 1), 1, 1, DXGI_FORMAT.R8_UNORM, 1, 0, 1),
        ((256, 2048, 1), 1, 9, DXGI_FORMAT.BC7_UNORM, 11, 1, 3),
        ((64, 32, 32), 1, 2, DXGI_FORMAT.R8_UNORM, 2, 1, 1),
    ],
)
def test_that_tiles_are_counted(size, slices, mips, form, tiles, standard, packed) -> None:
    shape = ResourceShape(*size, slices, mips, format_info(form))
    found = texture_tiling(shape, tile_shape(THREE if size[2] > 1 else TWO, shape.info))
    assert (found.total_tiles, found.standard_mips, found.packed_tiles) == (tiles, standard, packed)
    assert found.standard_mips + found.packed_mips == mips


def test_that_a_buffer_has_tiles_but_no_levels() -> None:
    found = buffer_tiling(65537, TileShape(TILE_BYTES, 1, 1))
    assert (found.total_tiles, found.standard_mips, found.packed_mips, found.packed_start) == (2, 0, 0, 0)


SHAPES = st.builds(
    ResourceShape,
    st.integers(1, 2000), st.integers(1, 2000), st.just(1), st.integers(1, 5), st.integers(1, 12),
    st.sampled_from([format_info(f) for f in (DXGI_FORMAT.R8_UNORM, DXGI_FORMAT.R16G16_UINT, DXGI_FORMAT.BC3_UNORM)]),
)  # fmt: skip


@given(SHAPES)
@settings(deadline=None)
def test_that_every_tile_belongs_to_one_level_or_to_a_tail(shape: ResourceShape) -> None:
    found = texture_tiling(shape, tile_shape(TWO, shape.info))
    seen: dict[int, int] = {}
    for index in range(shape.mips * shape.slices):
        part = found.subresource(index)
        for tile in found.tiles_of(index):
            assert 0 <= tile < found.total_tiles
            assert found.is_packed_tile(tile) is (part.StartTileIndexInOverallResource == PACKED_TILE)
            seen[tile] = seen.get(tile, 0) + (0 if found.is_packed_tile(tile) else 1)
    assert set(seen) == set(range(found.total_tiles))
    assert max(seen.values()) <= 1


@given(SHAPES, st.integers(0, 70), st.integers(0, 100))
@settings(deadline=None)
def test_that_the_number_of_tilings_is_clamped(shape: ResourceShape, first: int, count: int) -> None:
    found = texture_tiling(shape, tile_shape(TWO, shape.info))
    assert len(found.subresources(first, count)) == max(0, min(count, shape.mips * shape.slices - first))
