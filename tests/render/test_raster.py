from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.kinds import BlockState, Placement
from explorer.core.units import MIB
from explorer.memory.kernels import is_jit_disabled
from explorer.render.bench_scenes import bench_snapshot
from explorer.render.colours import colour_mode
from explorer.render.frame import Frame, mark_of, paint_frame, prepare
from explorer.render.hit import blocks_in_box, byte_at, crowd, hit_test, strip_at
from explorer.render.lanes import build_scene
from explorer.render.layout import MapLayout, Mode, View, build_layout, fitting_row_bytes
from explorer.render.raster import ROW
from explorer.render.tokens import THEMES, load_tokens, mix, pack, palette, parse_colour
from tests.render.builders import RESIDENT, Builder, city

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot


def lay_out(snapshot: Snapshot, *, mode: Mode = Mode.ROWS, row_bytes: int = 32 * MIB, width: int = 700,
            span: int = 256 * MIB, origin: int = 0) -> MapLayout:  # fmt: skip
    return build_layout(build_scene(snapshot), View(mode, row_bytes, origin, span, width))


def painted(layout: MapLayout, *, top: float = 0, height: int = 800, ratio: float = 1, patterns: bool = False,
            compiled: bool = False, theme: str = "dark") -> Frame:  # fmt: skip
    ready = prepare(layout.scene, colour_mode("kind"), palette(theme), ratio=ratio, patterns=patterns)
    return paint_frame(ready, layout, top, height, compiled=compiled)


def one_heap(blocks: list[tuple[int, int]], size: int = 1 << 20, state: int = RESIDENT) -> Snapshot:
    make = Builder()
    segment = make.segment("LOCAL", Placement.PAGED, 1 << 30)
    heap = make.heap(segment, "Heap", size)
    for index, (offset, length) in enumerate(blocks):
        make.block(segment, heap, offset, length, index % 9, state=state)
    return make.snapshot()


@pytest.mark.skipif(is_jit_disabled(), reason="compiling is forbidden here")
@pytest.mark.parametrize("ratio", [1, 1.5, 2])
@pytest.mark.parametrize("mode", list(Mode))
def test_that_the_kernel_and_numpy_paint_the_same_pixels(mode: Mode, ratio: float) -> None:
    for snapshot in (city(3), bench_snapshot(20_000)):
        layout = lay_out(snapshot, mode=mode, origin=MIB * 3 if mode is Mode.LINEAR else 0)
        for patterns in (False, True):
            slow = painted(layout, top=37, ratio=ratio, patterns=patterns)
            fast = painted(layout, top=37, ratio=ratio, patterns=patterns, compiled=True)
            assert np.array_equal(slow.pixels, fast.pixels)


@pytest.mark.skipif(is_jit_disabled(), reason="compiling is forbidden here")
@given(st.lists(st.tuples(st.integers(0, 4000), st.integers(1, 400)), min_size=1, max_size=60), st.integers(5, 400))
@settings(max_examples=40, deadline=None)
def test_that_kernel_and_numpy_agree_on_any_overlap_at_any_width(blocks: list[tuple[int, int]], width: int) -> None:
    layout = lay_out(one_heap(blocks, 1 << 13), row_bytes=1 << 12, width=width)
    slow, fast = painted(layout, height=120), painted(layout, height=120, compiled=True)
    assert np.array_equal(slow.pixels, fast.pixels)


@given(st.lists(st.tuples(st.integers(0, (1 << 20) - 64), st.integers(1, 64)), min_size=1, max_size=40))
@settings(max_examples=40)
def test_that_no_block_vanishes_however_far_out_the_view_is(blocks: list[tuple[int, int]]) -> None:
    layout = lay_out(one_heap(blocks), row_bytes=1 << 20, width=300)
    frame = painted(layout, height=100)
    strip = next(one for one in frame.strips if one.kind == ROW)
    row = frame.pixels[frame.margin + strip.y0 + 4]
    free = pack(palette("dark").map["free"])
    for offset, size in blocks:
        cells = row[offset * 300 >> 20 : ((offset + size - 1) * 300 >> 20) + 1]
        assert np.any(cells != free)


def test_that_a_tiny_block_colours_a_quarter_of_its_cell() -> None:
    frame = painted(lay_out(one_heap([(524_288, 1)]), row_bytes=1 << 20, width=256), height=100)
    strip = next(one for one in frame.strips if one.kind == ROW)
    theme = palette("dark")
    expected = mix(theme.kinds[0].fill, theme.map["free"], 0.25)
    pixel = int(frame.pixels[frame.margin + strip.y0 + 4, 128])
    for shift, channel in ((16, 0), (8, 1), (0, 2)):
        assert abs((pixel >> shift & 255) - expected[channel]) <= 1


def test_that_a_wide_block_leaves_one_pixel_of_ground_at_its_right_end() -> None:
    frame = painted(lay_out(one_heap([(0, 1 << 19)]), row_bytes=1 << 20, width=200), height=100, theme="light")
    strip = next(one for one in frame.strips if one.kind == ROW)
    row = frame.pixels[frame.margin + strip.y0 + 8]
    theme = palette("light")
    assert row[99] == pack(theme.map["base"])
    assert row[98] == row[0] == pack(theme.kinds[0].edge)
    assert row[50] == pack(theme.kinds[0].fill)
    assert row[100] == pack(theme.map["free"])


def test_that_an_evicted_block_keeps_its_outline_and_loses_its_fill() -> None:
    frame = painted(lay_out(one_heap([(0, 1 << 19)], state=0), row_bytes=1 << 20, width=200), height=100)
    strip = next(one for one in frame.strips if one.kind == ROW)
    top = frame.pixels[frame.margin + strip.y0]
    fill = pack(palette("dark").kinds[0].fill)
    assert top[50] == fill
    assert not np.any(frame.pixels[frame.margin + strip.y0 + 1 : frame.margin + strip.y1 - 1, 1:98] == fill)


def test_that_patterns_travel_with_their_blocks_while_panning() -> None:
    snapshot = one_heap([(0, 1 << 20)], state=0)
    row_of = []
    for pan in (0, 8192):
        layout = lay_out(snapshot, mode=Mode.LINEAR, span=1 << 19, width=512, origin=pan)
        frame = painted(layout, height=100)
        strip = next(one for one in frame.strips if one.kind == ROW)
        row_of.append(frame.pixels[frame.margin + strip.y0 + 5 : frame.margin + strip.y0 + 15])
    shift = 8192 * 512 >> 19
    assert np.array_equal(row_of[0][:, 100 + shift : 300 + shift], row_of[1][:, 100:300])


@pytest.mark.parametrize("theme", THEMES)
def test_that_marked_blocks_show_even_below_a_pixel(theme: str) -> None:
    layout = lay_out(one_heap([(1000 * i, 4) for i in range(1000)]), row_bytes=1 << 20, width=300)
    ready = prepare(layout.scene, colour_mode("kind"), palette(theme))
    chosen = np.zeros(1000, np.bool_)
    chosen[500] = True
    frame = paint_frame(ready, layout, 0, 100, [mark_of(layout.scene, chosen, "found")], compiled=False)
    found = np.argwhere(frame.pixels == pack(palette(theme).map["found"]))
    assert sorted({int(x) for x in found[:, 1]}) == [143, 144]


def test_that_the_mark_of_a_wide_block_is_an_outline_with_a_halo() -> None:
    layout = lay_out(one_heap([(1 << 18, 1 << 18)]), row_bytes=1 << 20, width=400)
    ready = prepare(layout.scene, colour_mode("kind"), palette("light"))
    mark = mark_of(layout.scene, np.ones(1, np.bool_), "select", halo=True)
    frame = paint_frame(ready, layout, 0, 100, [mark], compiled=False)
    strip = next(one for one in frame.strips if one.kind == ROW)
    middle = frame.pixels[frame.margin + strip.y0 + 12]
    halo, select = (pack(palette("light").map[name]) for name in ("halo", "select"))
    assert middle[98:104].tolist() == [halo, halo, select, select, *[pack(palette("light").kinds[0].fill)] * 2]


def test_that_a_hit_names_the_block_under_the_pixel() -> None:
    layout = lay_out(city())
    items, seen = layout.scene.items, set()
    for strip in layout.strips(0, 700):
        for x in range(0, int(strip.x1), 7):
            hit = hit_test(layout, x, strip.y0 + 1)
            if hit is None or hit.alias:
                continue
            assert hit.first < hit.end
            if hit.block >= 0:
                seen.add(hit.block)
            inside = (items.start <= hit.byte) & (items.end > hit.byte) & (items.block >= 0)
            if inside.any():
                assert hit.block == items.block[np.flatnonzero(inside)[0]]
    assert len(seen) > 100


def test_that_a_hole_is_hit_with_its_whole_range() -> None:
    layout = lay_out(one_heap([(0, 1000), (500_000, 1000)]), row_bytes=1 << 20, width=1000)
    strip = next(one for one in layout.strips(0, 500) if one.kind == ROW)
    hit = hit_test(layout, 200, strip.y0)
    assert hit is not None
    assert (hit.block, hit.waste, hit.first, hit.end) == (-1, -1, 1000, 500_000)


def test_that_an_alias_is_hit_in_its_track_and_its_owner_below() -> None:
    layout = lay_out(city())
    names = layout.scene.snapshot.resources.names
    track = next(one for one in layout.strips(0, 500) if one.kind == 1)
    above, below = hit_test(layout, 30, track.y0 + 3), hit_test(layout, 30, track.y1 + 3)
    assert above is not None
    assert below is not None
    assert names[above.block] == "BloomChain"
    assert names[below.block] == "GBuffer.Albedo"


def test_that_a_crowded_pixel_tells_all_its_blocks_the_largest_first() -> None:
    layout = lay_out(one_heap([(i * 64, 16 + i % 7) for i in range(16_000)]), row_bytes=1 << 20, width=256)
    strip = next(one for one in layout.strips(0, 500) if one.kind == ROW)
    blocks = crowd(layout, strip, 10.5)
    assert 60 <= len(blocks) <= 70
    sizes = layout.scene.snapshot.blocks.size[blocks]
    assert np.all(sizes[:-1] >= sizes[1:])


def test_that_a_box_selects_what_it_touches() -> None:
    layout = lay_out(one_heap([(i * 1024, 1024) for i in range(1024)]), row_bytes=1 << 18, width=256)
    strips = [one for one in layout.strips(0, 500) if one.kind == ROW]
    found = blocks_in_box(layout, 10, strips[1].y0 + 1, 19.5, strips[2].y1 - 1)
    assert found.tolist() == [*range(256 + 10, 256 + 20), *range(512 + 10, 512 + 20)]


@given(st.integers(0, (1 << 20) - 1), st.sampled_from([1 << 12, 1 << 16, 1 << 20]))
def test_that_a_byte_is_found_where_it_is_drawn(byte: int, row_bytes: int) -> None:
    layout = lay_out(one_heap([(0, 1 << 20)]), row_bytes=row_bytes, width=512)
    place = layout.locate(byte)
    assert place is not None
    strip = strip_at(layout, min(place[2], 511.9), place[1] + 1)
    assert strip is not None
    assert abs(byte_at(strip, place[2]) - byte) <= max(row_bytes // 512, 1)


def test_that_a_map_fits_the_height_it_was_asked_to_fit() -> None:
    scene = build_scene(city())
    view = View(Mode.ROWS, 1, 0, 1, 900)
    for height in (600, 900, 1400):
        row_bytes = fitting_row_bytes(scene, view, height)
        assert build_layout(scene, replace(view, row_bytes=row_bytes)).height <= height


def test_that_the_deepest_rows_of_64_gib_have_places_beyond_32_bits() -> None:
    make = Builder()
    segment = make.segment("LOCAL", Placement.PAGED, 1 << 36)
    heap = make.heap(segment, "Heap", 1 << 36)
    for index in range(4):
        make.block(segment, heap, index << 34, 1 << 34)
    layout = lay_out(make.snapshot(), row_bytes=16, width=900)
    assert layout.height > 1 << 36
    place = layout.locate((1 << 36) - 1)
    assert place is not None
    frame = painted(layout, top=place[1] - 20, height=60)
    assert any(strip.first <= (1 << 36) - 1 < strip.end for strip in frame.strips)


def test_that_painting_never_touches_items_outside_the_view() -> None:
    layout = lay_out(bench_snapshot(5000), row_bytes=MIB)
    strips = layout.strips(500, 600)
    assert len(strips) <= 100 // 26 + 2


def test_that_plain_painting_loads_neither_numba_nor_qt() -> None:
    code = (
        "import sys; from explorer.render.bench_scenes import bench_snapshot\n"
        "from explorer.render.picture import map_picture\n"
        "map_picture(bench_snapshot(1000), (640, 400))\n"
        "print(sorted(m for m in ('numba', 'PySide6', 'pyqtgraph') if m in sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


@pytest.mark.parametrize("theme", THEMES)
def test_that_every_colour_of_the_design_values_is_read(theme: str) -> None:
    colours = palette(theme)
    assert len(colours.kinds) == 9
    assert {name: len(steps) for name, steps in colours.ramps.items()} == {
        "age": 9, "size": 9, "priority": 5, "diverging": 7}  # fmt: skip
    assert load_tokens().size["map_gutter"] == 84
    assert parse_colour("#FFFFFF22") == (255, 255, 255, 34)


def test_that_used_states_do_not_change_a_picture_by_kind() -> None:
    still = painted(lay_out(one_heap([(0, 4096), (8192, 4096)]), row_bytes=1 << 16))
    used = RESIDENT | BlockState.USED_THIS_FRAME
    moving = painted(lay_out(one_heap([(0, 4096), (8192, 4096)], state=used), row_bytes=1 << 16))
    assert np.array_equal(still.pixels, moving.pixels)
