"""Where tiles are drawn, what a point and a key mean, and the pixels of a window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.kinds import ResourceKind
from explorer.core.tiles import TileShape, buffer_tiling
from explorer.render.tile_looks import WOULD, paint_tiles, pool_stamps, tile_stamps
from explorer.render.tiles import PITCHES, TileMeasures, TilePicture, fitting_pitch, heap_tiling
from explorer.render.tokens import pack, palette
from explorer.rules.d3d12_allocation import tiling_of
from explorer.sim.tile_map import PoolState, TileState
from tests.rules.test_d3d12_tiled_tiers import ARRAY, FLAT, VOLUME

if TYPE_CHECKING:
    from explorer.core.tiles import ResourceTiling

CASES: dict[str, tuple[Any, bool]] = {
    "texture": (tiling_of(FLAT), False), "volume": (tiling_of(VOLUME), False), "array": (tiling_of(ARRAY), False),
    "buffer": (buffer_tiling(100 << 16, TileShape(1 << 16, 1, 1)), True), "heap": (heap_tiling(1000), True),
}  # fmt: skip


def picture_of(case: str, pitch: int = 12, room: int = 500) -> TilePicture:
    tiling, is_row = CASES[case]
    return TilePicture(tiling, TileMeasures(pitch, 14, 6, 6.0), room, is_row=is_row)


@pytest.mark.parametrize("case", list(CASES))
@pytest.mark.parametrize("pitch", [1, 2, 5, 12, 33])
def test_that_every_tile_has_a_place_of_its_own_where_a_point_finds_it(case: str, pitch: int) -> None:
    picture = picture_of(case, pitch)
    seen: set[tuple[int, int]] = set()
    for tile in range(picture.tiling.total_tiles):
        x, y, width, height = picture.rect(tile)
        assert (width, height) == (picture.cell_width, picture.cell_height)
        assert 0 <= x <= picture.width - width
        assert 0 <= y <= picture.height - height
        assert picture.hit(x, y) == picture.hit(x + width - 1, y + height - 1) == tile
        seen.add((x, y))
    assert len(seen) == picture.tiling.total_tiles
    assert picture.hit(-5, -5) is None
    assert picture.hit(picture.width + 40, 3) is None


@pytest.mark.parametrize("case", list(CASES))
def test_that_keys_reach_every_tile_and_stop_at_the_ends(case: str) -> None:
    picture = picture_of(case)
    last = picture.tiling.total_tiles - 1
    assert picture.walk(0, -1, 0) is None
    assert picture.walk(last, 1, 0) is None
    assert picture.walk(0, 0, -1) is None
    down, steps = 0, 0
    while (found := picture.walk(down, 0, 1)) is not None:
        assert 0 <= found <= last
        assert found > down
        down, steps = found, steps + 1
    assert steps >= len(picture.grids) - 1
    up = down
    while (found := picture.walk(up, 0, -1)) is not None:
        assert found < up
        up = found
    assert up < picture.grids[0].across


def test_that_a_packed_tail_is_a_strip_of_its_own_in_every_slice() -> None:
    assert picture_of("texture").grids[-1].label == "packed mips 4 – 10 · 1 tile"
    picture = picture_of("array")
    packed = [grid for grid in picture.grids if grid.is_packed]
    assert [grid.label for grid in packed] == ["packed"]
    for array_slice in range(4):
        tile = array_slice * picture.tiling.slice_tiles + packed[0].first
        assert picture.tiling.is_packed_tile(tile)
        assert picture.grid_of(tile) == (array_slice, packed[0])


def test_that_a_layer_of_a_volume_is_a_grid_of_its_own() -> None:
    tiling = CASES["volume"][0]
    labels = [grid.label for grid in picture_of("volume").grids]
    part = tiling.mips[0]
    assert labels[0] == f"mip 0 · z 0 · {part.WidthInTiles} × {part.HeightInTiles}"
    assert sum(label.startswith("mip 0") for label in labels) == part.DepthInTiles > 1


@given(
    st.sampled_from(list(CASES)), st.sampled_from((1, 3, 4, 7, 16)), st.integers(-20, 300), st.integers(-20, 300),
    st.integers(1, 160), st.integers(1, 160),
)  # fmt: skip
@settings(deadline=None, max_examples=60)
def test_that_a_window_shows_each_tile_where_the_picture_says(
    case: str, pitch: int, left: int, top: int, width: int, height: int
) -> None:
    picture = picture_of(case, pitch)
    colours = palette("light")
    stamps = tile_stamps(colours, ResourceKind.TEXTURE, picture.cell_width, picture.cell_height)

    def states(tiles: np.ndarray) -> np.ndarray:
        return (tiles % len(TileState)).astype(np.uint8)

    pixels = paint_tiles(picture, stamps, states, (left, top, width, height))
    assert pixels.shape == (height, width)
    for x, y in ((0, 0), (width - 1, height - 1), (width // 2, height // 3)):
        tile = picture.hit(left + x, top + y)
        if tile is None:
            assert pixels[y, x] == stamps[-1, 0, 0]
        else:
            at_x, at_y, _, _ = picture.rect(tile)
            assert pixels[y, x] == stamps[tile % len(TileState), top + y - at_y, left + x - at_x]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("side", [1, 3, 5, 12, 32])
def test_that_looks_differ_from_each_other_and_from_the_ground_at_every_size(theme: str, side: int) -> None:
    colours = palette(theme)
    for stamps, looks in (
        (tile_stamps(colours, ResourceKind.TEXTURE, side, side), len(TileState) + 1),
        (pool_stamps(colours, ResourceKind.TEXTURE, side, side), len(PoolState)),
    ):
        assert stamps.shape == (looks + 1, side, side)
        assert len({stamp.tobytes() for stamp in stamps}) == looks + 1
        assert (stamps[-1] == pack(colours.map["base"])).all()
    assert len(TileState) == WOULD


def test_that_fitting_shows_all_where_it_can_and_else_the_whole_width() -> None:
    measures = TileMeasures(1, 14, 6, 6.0)
    flat, _ = CASES["texture"]
    pitch = fitting_pitch(flat, measures, (900, 400), 1.0, is_row=False)
    picture = TilePicture(flat, TileMeasures(pitch, 14, 6, 6.0), 900, is_row=False)
    assert (picture.width <= 900, picture.height <= 400) == (True, True)
    large = heap_tiling(1_000_000)
    assert fitting_pitch(large, measures, (900, 400), 1.0, is_row=True) in PITCHES[:6]


def big() -> ResourceTiling:
    return heap_tiling(100_000)


def test_that_a_window_on_a_hundred_thousand_tiles_costs_its_pixels() -> None:
    picture = TilePicture(big(), TileMeasures(16, 14, 6, 6.0), 1200, is_row=True)
    stamps = tile_stamps(palette("dark"), ResourceKind.BUFFER, 16, 16)
    asked: list[int] = []

    def states(tiles: np.ndarray) -> np.ndarray:
        asked.append(len(tiles))
        return np.zeros(len(tiles), np.uint8)

    paint_tiles(picture, stamps, states, (0, 4000, 1200, 700))
    # Rows and columns that the window cuts count too.
    assert asked[0] <= (1200 // 16 + 2) * (700 // 16 + 2)
