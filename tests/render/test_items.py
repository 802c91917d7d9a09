from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.kinds import BlockState, Placement, WasteCause
from explorer.core.spans import Span, union_bytes
from explorer.core.units import MIB
from explorer.render.bench_scenes import bench_snapshot
from explorer.render.colours import COLOUR_MODES, colour_mode
from explorer.render.lanes import LaneKind, build_scene, walk_lanes
from explorer.render.legend import FREE, legend_entries
from explorer.render.looks import ALIAS, EVICTED, WASTE
from explorer.render.overlaps import split_overlaps
from explorer.render.rows import default_measures, fold_rows
from tests.render.builders import RESIDENT, Builder, city


def one_heap(blocks: list[tuple[int, int]], size: int = 4096, inactive: tuple[int, ...] = ()):
    make = Builder()
    segment = make.segment("LOCAL", Placement.PAGED, 1 << 20)
    heap = make.heap(segment, "Heap", size)
    for index, (offset, length) in enumerate(blocks):
        state = RESIDENT | (BlockState.INACTIVE if index in inactive else 0)
        make.block(segment, heap, offset, length, state=state)
    return make


RANGES = st.lists(st.tuples(st.integers(0, 200), st.integers(1, 60), st.booleans()), min_size=1, max_size=30)


@given(RANGES)
def test_that_pieces_are_disjoint_and_cover_every_range(ranges: list[tuple[int, int, bool]]) -> None:
    ranges.sort()
    start = np.array([r[0] for r in ranges], np.int64)
    end = start + np.array([r[1] for r in ranges], np.int64)
    which, first, stop, alias = split_overlaps(start, end, np.array([r[2] for r in ranges], np.bool_))
    assert np.all(first < stop)
    assert np.all(stop[:-1] <= first[1:])
    assert int((stop - first).sum()) == union_bytes(Span(r[0], r[1]) for r in ranges)
    for index, a, b in zip(which, first, stop, strict=True):
        assert start[index] <= a
        assert b <= end[index]
    owned = np.bincount(which, stop - first, len(start))
    assert np.array_equal(owned != end - start, alias)


@given(RANGES)
def test_that_shared_bytes_are_those_under_two_blocks_or_more(ranges: list[tuple[int, int, bool]]) -> None:
    make = one_heap([(offset, size) for offset, size, _ in ranges])
    depth = np.zeros(4096, np.int64)
    for offset, size, _ in ranges:
        depth[offset : offset + size] += 1
    assert build_scene(make.snapshot()).shared_bytes == int((depth >= 2).sum())


def test_that_an_inactive_alias_lies_above_its_active_owners() -> None:
    scene = build_scene(one_heap([(0, 300), (0, 100), (100, 100), (200, 150)], inactive=(0,)).snapshot())
    assert scene.items.block.tolist() == [1, 2, 3]
    assert scene.aliases.block.tolist() == [0]


def test_that_waste_never_hides_a_block() -> None:
    make = one_heap([(100, 100)])
    make.waste(0, 0, 50, 120, WasteCause.ALIGNMENT)
    items = build_scene(make.snapshot()).items
    assert items.start.tolist() == [50, 100]
    assert items.end.tolist() == [100, 200]


def test_that_a_block_beyond_its_heap_is_cut_at_the_end_of_the_heap() -> None:
    scene = build_scene(one_heap([(4000, 1000), (5000, 10)]).snapshot())
    assert (scene.items.end - scene.items.start).tolist() == [96]


def test_that_like_heaps_share_a_folded_lane_and_unlike_ones_do_not() -> None:
    scene = build_scene(city())
    assert [(lane.title, lane.kind) for lane in scene.lanes] == [
        ("Targets 0", LaneKind.HEAP),
        ("Textures 0 – 12", LaneKind.GROUP),
        ("Texture pool", LaneKind.HEAP),
        ("Buffers 0", LaneKind.HEAP),
        ("Committed (41)", LaneKind.COMMITTED),
        ("Upload ring", LaneKind.HEAP),
        ("Moved out (5)", LaneKind.AWAY),
    ]
    assert len(scene.lanes[1].children) == 13


def test_that_lanes_follow_each_other_and_children_fill_their_run() -> None:
    scene = build_scene(city())
    end = 0
    for lane in scene.lanes:
        assert lane.base == end
        end = lane.end
        if lane.children:
            assert sum(child.extent for child in lane.children) == lane.extent
    assert len({lane.key for lane in walk_lanes(scene)}) == len(walk_lanes(scene))


def test_that_an_evicted_heap_is_drawn_at_home_but_counted_where_it_is() -> None:
    make = Builder()
    local = make.segment("LOCAL", Placement.PAGED, MIB)
    shared = make.segment("NON_LOCAL", Placement.PAGED, MIB)
    heap = make.heap(shared, "Textures", 8192, home=local)
    make.block(shared, heap, 4096, 4096)
    scene = build_scene(make.snapshot())
    assert scene.items.away.tolist() == [True, False]
    assert scene.items.evicted.tolist() == [True, False]
    assert int(scene.held_before[-1]) == 4096
    assert [lane.kind for lane in scene.lanes] == [LaneKind.HEAP, LaneKind.AWAY]


def test_that_blocks_without_offsets_lie_end_to_end_in_a_lane_that_says_so() -> None:
    make = Builder()
    segment = make.segment("Memory type 0", Placement.PAGED, MIB)
    for size in (100, 50, 25):
        make.block(segment, -1, -1, size)
    scene = build_scene(make.snapshot(origin="imported"))
    assert scene.has_unknown_offsets
    assert scene.lanes[0].title == "Offsets unknown (3)"
    assert (scene.items.start - scene.lanes[0].base).tolist() == [0, 100, 150]


def test_that_a_contiguous_segment_is_one_lane_with_its_heaps_at_their_addresses() -> None:
    make = Builder()
    segment = make.segment("LOCAL", Placement.CONTIGUOUS, MIB)
    heap = make.heap(segment, "Pool", 8192, address=65536)
    make.block(segment, heap, 4096, 100)
    make.block(segment, -1, 0, 50)
    scene = build_scene(make.snapshot())
    assert [lane.kind for lane in scene.lanes] == [LaneKind.SEGMENT]
    assert scene.items.start.tolist() == [0, 65536 + 4096]


def test_that_a_scene_is_kept_while_nothing_moves_but_states_are_renewed() -> None:
    make = one_heap([(0, 10), (10, 10)])
    before = build_scene(make.snapshot())
    make.blocks[1]["state"] = 0
    after = build_scene(make.snapshot(), before)
    assert after.items.start is before.items.start
    assert after.items.evicted.tolist() == [False, True]
    make.blocks[1]["offset"] = 20
    assert build_scene(make.snapshot(), before).items.start.tolist() == [0, 20]


def test_that_a_damaged_layout_of_giant_heaps_still_gets_an_axis() -> None:
    make = Builder()
    segment = make.segment("LOCAL", Placement.PAGED, (1 << 62) + 5)
    for index in range(3):
        heap = make.heap(segment, f"Heap {chr(97 + index)}", 1 << 62)
        make.block(segment, heap, 0, 4096)
    scene = build_scene(make.snapshot())
    assert len(scene.items) == 3
    assert scene.lanes[-1].end <= 1 << 62


@pytest.mark.parametrize("snapshot", [city(1), city(2), bench_snapshot(3000)], ids=["city 1", "city 2", "bench"])
def test_that_the_legend_adds_up_to_the_sums_of_the_segments(snapshot) -> None:
    scene = build_scene(snapshot)
    entries = legend_entries(scene, colour_mode("kind").colour(snapshot))
    assert sum(e.size for e in entries if 0 <= e.look < 9) == sum(s.used_bytes for s in snapshot.segments)
    for cause in WasteCause:
        told = sum(e.size for e in entries if e.look == WASTE + cause)
        assert told == sum(s.padding_bytes[cause.token] for s in snapshot.segments)
    assert [e.size for e in entries if e.look == FREE] == [sum(s.free_in_heaps_bytes for s in snapshot.segments)]
    assert [e.size for e in entries if e.look == ALIAS] == [snapshot.totals.aliased_bytes]
    gone = sum(
        int(size)
        for size, state, heap in zip(snapshot.blocks.size, snapshot.blocks.state, snapshot.blocks.heap, strict=True)
        if not state & BlockState.RESIDENT or snapshot.heaps.home[heap] != snapshot.heaps.segment[heap]
    )
    assert [e.size for e in entries if e.look == EVICTED] == [gone]


@pytest.mark.parametrize("mode", COLOUR_MODES, ids=lambda mode: mode.id)
def test_that_every_mode_colours_every_block_and_its_legend_adds_up(mode) -> None:
    snapshot = city()
    colouring = mode.colour(snapshot)
    assert colouring.index.dtype == np.uint8
    assert len(colouring.index) == len(snapshot.blocks)
    if colouring.ramp:
        assert all(colouring.scale)
        return
    entries = legend_entries(build_scene(snapshot), colouring)
    assert sum(e.size for e in entries if 0 <= e.look < 9) == sum(s.used_bytes for s in snapshot.segments)


def test_that_age_is_told_from_the_last_use() -> None:
    make = one_heap([(0, 1), (1, 1), (2, 1), (3, 1)])
    make.frame = 200
    for row, used in zip(make.blocks, (200, 199, 50, -1), strict=True):
        row["used_frame"] = used
    assert colour_mode("age").colour(make.snapshot()).index.tolist() == [8, 7, 0, 0]


ROWS = st.lists(st.tuples(st.integers(0, 100_000), st.integers(1, 900)), max_size=20)


@given(ROWS, st.sampled_from([16, 64, 1024, 4096]))
def test_that_rows_stand_below_each_other_and_folds_hold_no_item(blocks: list[tuple[int, int]], row_bytes: int) -> None:
    scene = build_scene(one_heap(blocks, 1 << 17).snapshot())
    rows = fold_rows(0, 1 << 17, row_bytes, scene.items, scene.aliases, default_measures())
    assert rows.count == (1 << 17) // row_bytes
    tops = [rows.top_of(int(first)) for first in rows.first]
    assert tops == sorted(tops)
    assert tops == rows.y[:-1].tolist()
    for run in np.flatnonzero(rows.folded):
        low, high = int(rows.first[run]) * row_bytes, (rows.last_of(int(run)) + 1) * row_bytes
        assert not np.any((scene.items.start < high) & (scene.items.end > low))
    for start, end in zip(scene.aliases.start, scene.aliases.end, strict=True):
        for row in {int(start) // row_bytes, (int(end) - 1) // row_bytes}:
            assert rows.track[rows.run_of_row(row)]
    for row in {0, rows.count // 2, rows.count - 1}:
        run = rows.run_of_row(row)
        if not rows.folded[run]:
            assert rows.row_at(rows.top_of(row) + 0.5) == row


def test_that_empty_rows_stay_where_something_is_to_be_shown_in_them() -> None:
    scene = build_scene(one_heap([(0, 16)], 1 << 17).snapshot())
    kept = [(50_000, 50_100)]
    rows = fold_rows(0, 1 << 17, 1024, scene.items, scene.aliases, default_measures(), kept=kept)
    assert rows.first.tolist() == [0, 1, 48, 49]
    assert rows.folded.tolist() == [False, True, False, True]
