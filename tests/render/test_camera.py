from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.kinds import BlockState, WasteCause
from explorer.errors import InputError
from explorer.render.camera import Camera, format_range, parse_range, row_text
from explorer.render.describe import focus_text, hover_text, state_word, tell
from explorer.render.hit import hit_test
from explorer.render.lanes import build_scene
from explorer.render.layout import Mode, View
from explorer.render.map_texts import block_name
from explorer.render.raster import ROW
from explorer.render.walk import Focus, block_beside, holes, lane_end, next_block, next_changed, next_hole
from tests.render.builders import RESIDENT, Builder, city

MIB = 1 << 20


def camera_on(snapshot, *, mode: Mode = Mode.ROWS, height: int = 700) -> Camera:
    camera = Camera(build_scene(snapshot), View(mode, MIB, 0, MIB, 900), height)
    camera.fit()
    return camera


RANGES = [
    ("0x0 … 0x1000_0000", (0, 0x10000000)),
    ("64 MiB - 128 MiB", (64 * MIB, 128 * MIB)),
    ("64MiB..65 MiB", (64 * MIB, 65 * MIB)),
    ("0x400_0000 + 64 KiB", (0x4000000, 0x4000000 + 65536)),
    ("1 KiB – 2 KiB", (1024, 2048)),
    ("0 to 10", (0, 10)),
    ("0x1000", (4096, 8192)),
]


@pytest.mark.parametrize(("text", "span"), RANGES, ids=[case[0] for case in RANGES])
def test_that_a_range_is_read_in_every_form(text: str, span: tuple[int, int]) -> None:
    assert parse_range(text) == span


@pytest.mark.parametrize("text", ["", "x", "5 - 5", "10 - 5", "0x1G - 4", "-5 - 10", "1 - 2 - 3", "1 MiB + 0"])
def test_that_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_range(text)


@given(st.integers(0, 1 << 40), st.integers(1, 1 << 40))
def test_that_a_shown_range_reads_back(first: int, size: int) -> None:
    assert parse_range(format_range(first, first + size)) == (first, first + size)


def test_that_row_sizes_are_short() -> None:
    assert [row_text(size) for size in (16, 65536, 64 * MIB)] == ["16 B", "64 KiB", "64 MiB"]


@given(st.integers(0, 899), st.lists(st.integers(-3, 3), max_size=8))
def test_that_one_long_row_zooms_about_the_byte_under_the_point(x: int, steps: list[int]) -> None:
    camera = camera_on(city(), mode=Mode.LINEAR)
    for step in steps:
        before = camera.view.origin + x * camera.view.span / 900
        camera.zoom(x, 100, step)
        after = camera.view.origin + x * camera.view.span / 900
        at_edge = camera.view.origin in (0, camera.longest - camera.view.span)
        assert at_edge or abs(after - before) <= camera.view.span / 900 + 1
        assert 1 <= camera.view.span <= camera.longest


@pytest.mark.parametrize("mode", list(Mode))
def test_that_a_range_that_is_asked_for_is_in_view(mode: Mode) -> None:
    camera = camera_on(city(), mode=mode)
    lane = camera.scene.lanes[2]
    camera.show_range(lane, 40 * MIB, 44 * MIB)
    seen = camera.seen()
    assert seen is not None
    # One long row shows the same range of every lane, and without a scroll the first lane stays on top.
    assert seen.lane is (lane if mode is Mode.ROWS else camera.scene.lanes[0])
    assert seen.first <= 40 * MIB
    assert seen.end >= 44 * MIB


def test_that_scrolling_stays_within_the_map() -> None:
    camera = camera_on(city())
    camera.set_row_bytes(MIB)
    camera.scroll_to(1 << 50)
    assert camera.scroll == camera.most_scroll
    camera.pan(0, 1 << 50)
    assert camera.scroll == 0


def test_that_an_empty_map_has_nothing_in_view_and_does_not_fail() -> None:
    make = Builder()
    make.segment("LOCAL", "paged", 1 << 30)
    camera = camera_on(make.snapshot())
    camera.zoom(10, 10, 2)
    camera.pan(5, 5)
    camera.set_mode(Mode.LINEAR)
    assert camera.seen() is None
    assert next_block(camera.scene, None, 1) is None
    assert next_hole(camera.scene, None, 1) is None
    assert next_changed(camera.scene, None) is None


def test_that_walking_visits_every_block_once_in_order() -> None:
    scene = build_scene(city())
    focus, seen = next_block(scene, None, 1), []
    while focus is not None and (not seen or focus.first != seen[-1].first):
        seen.append(focus)
        focus = next_block(scene, focus, 1)
    assert [one.first for one in seen] == [int(s) for s, b in zip(scene.items.start, scene.items.block, strict=True)
                                          if b >= 0]  # fmt: skip
    assert next_block(scene, seen[5], -1) == seen[4]


def test_that_walking_holes_visits_free_ranges_only() -> None:
    scene = build_scene(city())
    first, end = holes(scene)
    focus = next_hole(scene, None, 1)
    assert focus == Focus(int(first[0]), int(end[0]))
    assert focus_text(scene, next_hole(scene, focus, 1) or focus).startswith("Free, ")


def test_that_down_goes_to_the_row_below_and_then_to_the_next_lane() -> None:
    camera = camera_on(city())
    camera.set_row_bytes(64 * MIB)
    first = next_block(camera.scene, None, 1)
    below = block_beside(camera.layout, first, 1)
    assert below is not None
    assert focus_text(camera.scene, below).startswith("SceneColor, render target")
    last = lane_end(camera.scene, below, last=True)
    beyond = block_beside(camera.layout, last, 1)
    assert beyond is not None
    assert "in Targets 0" not in focus_text(camera.scene, beyond)


def test_that_every_kind_of_place_has_a_text() -> None:
    camera = camera_on(city())
    titles = set()
    for strip in camera.layout.strips(0, camera.layout.height):
        for x in range(0, int(strip.x1), 5):
            hit = hit_test(camera.layout, x, strip.y0 + 1)
            if hit is not None:
                told = tell(camera.layout, hit, x)
                assert told.title
                assert told.rows
                assert hover_text(camera.layout, hit)
                titles.add(told.title.split(" ")[-1] if "blocks" in told.title else told.title)
    assert {"Free", "Padding", "Tail", "Gap", "BloomChain", "SceneColor"} <= titles


def test_that_a_tooltip_counts_the_blocks_of_a_crowded_pixel() -> None:
    make = Builder()
    segment = make.segment("LOCAL", "paged", 1 << 30)
    heap = make.heap(segment, "Heap", 1 << 20)
    for index in range(4096):
        make.block(segment, heap, index * 256, 200 + index % 50)
    camera = camera_on(make.snapshot())
    camera.set_row_bytes(1 << 20)
    strip = next(one for one in camera.layout.strips(0, 500) if one.kind == ROW)
    hit = hit_test(camera.layout, 450, strip.y0 + 2)
    assert hit is not None
    told = tell(camera.layout, hit, 450)
    assert told.title.endswith("blocks here")
    assert len(told.rows) == 4
    assert told.rows[-1][1] == f"{int(told.title.split()[0]) - 3} more"


STATES = [
    (RESIDENT, "resident"),
    (0, "evicted"),
    (RESIDENT | BlockState.INACTIVE, "inactive alias"),
    (BlockState.MASTER_COPY, "master copy"),
    (BlockState.MASTER_COPY | BlockState.DIRTY, "master copy, dirty"),
]


@pytest.mark.parametrize(("state", "word"), STATES, ids=[case[1] for case in STATES])
def test_that_a_state_has_a_word(state: int, word: str) -> None:
    make = Builder()
    segment = make.segment("LOCAL", "paged", 1 << 30)
    make.block(segment, make.heap(segment, "Heap", 4096), 0, 4096, state=state)
    assert state_word(build_scene(make.snapshot()), 0) == word


def test_that_waste_says_why_it_is_there() -> None:
    make = Builder()
    segment = make.segment("LOCAL", "paged", 1 << 30)
    heap = make.heap(segment, "Heap", 1 << 20)
    make.block(segment, heap, 0, 100_000, name="First")
    make.waste(segment, heap, 100_000, 31_072, WasteCause.ROUNDING)
    make.waste(segment, heap, 131_072, 65_536, WasteCause.ALIGNMENT)
    make.block(segment, heap, 196_608, 65_536, name="Second", alignment=4 << 20)
    camera = camera_on(make.snapshot())
    camera.set_row_bytes(1 << 20)
    strip = next(one for one in camera.layout.strips(0, 500) if one.kind == ROW)
    reasons = []
    for byte in (110_000, 150_000):
        hit = hit_test(camera.layout, byte * strip.pixels_per_byte, strip.y0 + 2)
        assert hit is not None
        reasons.append(tell(camera.layout, hit, 0).rows[1][1])
    assert reasons == ["behind First, up to what the memory hands out", "Second needs 4 MiB alignment"]


def test_that_a_name_with_line_feeds_stays_on_one_line() -> None:
    make = Builder()
    segment = make.segment("LOCAL", "paged", 1 << 30)
    heap = make.heap(segment, "Heap", 4096)
    make.block(segment, heap, 0, 16, name="a\nb\tc")
    assert block_name(build_scene(make.snapshot()), 0) == "a b c"
