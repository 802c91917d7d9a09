"""The slot grid: looks, counts, pixels, places and words."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.columns import DescriptorHeapPicture
from explorer.errors import InputError
from explorer.render.slots import (
    ACROSS,
    EMPTY,
    LOOKS,
    NULL,
    STALE,
    SlotGrid,
    count_slots,
    describe_slot,
    look_label,
    paint_slots,
    parse_slot,
    slot_colours,
    slot_looks,
    strip,
)
from explorer.render.tokens import pack, palette
from explorer.sim.scenarios import load_simulation

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot


def heap_of(
    kinds: list[int], stale: set[int] | None = None, *, visible: bool = True, heap_type: str = "CBV_SRV_UAV"
) -> DescriptorHeapPicture:
    count = len(kinds)
    marks = np.zeros(count, np.bool_)
    marks[sorted(stale or ())] = True
    view = np.where(np.array(kinds) > 0, 2, 0).astype(np.uint8)
    return DescriptorHeapPicture(
        "Views", heap_type, visible, 32, 0x1_0000_0000, 0x2_0000_0000 if visible else 0,
        np.array(kinds, np.uint8), view, marks, np.full(count, -1, np.int32),
    )  # fmt: skip


@functools.cache
def bindless() -> Snapshot:
    simulation = load_simulation("d3d12-bindless-staging-descriptors")
    simulation.step(20)
    return simulation.snapshot()


def test_that_each_slot_has_the_look_of_what_it_holds() -> None:
    heap = heap_of([0, 1, 5, 255, 1, 0], {4, 5})
    # An empty slot is never stale: nothing is in it.
    assert slot_looks(heap).tolist() == [EMPTY, 1, 5, NULL, STALE, EMPTY]
    assert slot_looks(heap, 2, 4).tolist() == [5, NULL]


@given(st.lists(st.sampled_from((0, 0, 1, 4, 9, 255)), max_size=300), st.data())
def test_that_counts_add_up_to_the_slots_and_runs_are_the_longest(kinds: list[int], data: st.DataObject) -> None:
    stale = data.draw(st.sets(st.integers(0, max(len(kinds) - 1, 0)), max_size=len(kinds)))
    heap = heap_of(kinds, stale if kinds else set())
    counts = count_slots(heap)
    assert counts.slots == len(kinds)
    runs = "".join("." if kind == 0 else "x" for kind in kinds).split("x")
    assert counts.longest_empty == max(len(run) for run in runs)
    assert counts.used == sum(kind != 0 for kind in kinds)


@pytest.mark.parametrize(("theme", "cell", "gap"), [("light", 10, 1), ("dark", 15, 1), ("dark", 20, 2)])
def test_that_cells_have_the_colour_of_their_look_and_gaps_the_ground(theme: str, cell: int, gap: int) -> None:
    colours = slot_colours(palette(theme))
    looks = np.arange(LOOKS + 1, dtype=np.uint8)[None, :]
    pixels = paint_slots(looks, colours, cell, gap)
    assert pixels.shape == (cell + gap, (LOOKS + 1) * (cell + gap))
    for look in range(LOOKS + 1):
        x = look * (cell + gap)
        inside = pixels[1 : cell - 1, x + 1 : x + cell - 1]
        assert pixels[cell, x] == pixels[0, x + cell] == colours.base
        if look == STALE:
            assert pixels[0, x] == pack(palette(theme).descriptor["stale"])
        if look in (NULL, STALE):
            assert set(np.unique(inside)) == {colours.fill[look], colours.line[look]}
        else:
            assert set(np.unique(inside)) == {colours.fill[look]}


def test_that_a_filter_fades_all_but_stale_slots() -> None:
    plain, faded = slot_colours(palette("dark")), slot_colours(palette("dark"), faded=True)
    assert plain.fill[STALE] == faded.fill[STALE]
    assert all(plain.fill[look] != faded.fill[look] for look in range(1, NULL))


@given(st.integers(0, 400), st.integers(-70, 70))
def test_that_walking_over_the_whole_grid_is_arithmetic(slot: int, step: int) -> None:
    grid = SlotGrid(heap_of([1] * 401))
    expected = slot + step if 0 <= slot + step <= 400 else None
    assert grid.walk(slot, step) == expected
    assert grid.nearest(slot) == slot


def test_that_the_stale_filter_keeps_rows_with_stale_slots_only() -> None:
    heap = heap_of([1] * 700, {70, 75, 650})
    grid = SlotGrid(heap, stale_only=True)
    assert len(grid) == 2
    assert [grid.first_slot(row) for row in range(2)] == [64, 640]
    assert grid.slot_at(1, 59) == 699
    assert grid.slot_at(1, 60) is None
    assert grid.row_of(300) == 1
    assert grid.nearest(300) == 640 + 300 % ACROSS
    assert grid.walk(70, ACROSS) == 646
    assert grid.looks(0, 3)[1, 10] == STALE
    assert grid.looks(1, 1)[0, 63] == LOOKS
    assert grid.slots_of(0, 5).tolist() == [*range(64, 128), *range(640, 700)]


def test_that_the_next_stale_slot_goes_around() -> None:
    grid = SlotGrid(heap_of([1] * 200, {3, 90}))
    assert [grid.next_stale(slot, 1) for slot in (0, 3, 90)] == [3, 90, 3]
    assert [grid.next_stale(slot, -1) for slot in (0, 3, 91)] == [90, 90, 90]
    assert SlotGrid(heap_of([1, 0])).next_stale(0, 1) is None
    assert len(SlotGrid(heap_of([1, 0]), stale_only=True)) == 0


def test_that_the_strip_never_hides_a_stale_slot() -> None:
    colours = slot_colours(palette("dark"))
    line = strip(heap_of([1] * 100_000, {77_777}), colours, 500)
    assert (line == colours.line[STALE]).sum() == 1
    assert np.flatnonzero(line == colours.line[STALE])[0] == 77_777 * 500 // 100_000
    assert strip(heap_of([1, 0]), colours, 10).tolist() == [colours.fill[1]] * 5 + [colours.fill[EMPTY]] * 5
    assert len(strip(heap_of([]), colours, 10)) == 10


@pytest.mark.parametrize(
    ("text", "slot"),
    [("0", 0), ("99", 99), ("0099", 99), ("0x100000000", 0), ("0x1_0000_0020", 1), ("0x2_0000_0C60", 99), (" 7 ", 7)],
)
def test_that_a_slot_is_found_by_number_or_handle(text: str, slot: int) -> None:
    assert parse_slot(text, heap_of([1] * 100)) == slot


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("100", "last slot is 99"), ("-1", "neither"), ("table", "neither"), ("0x", "neither"), ("", "neither"),
        ("0x1_0000_0021", "1 B into slot 1"), ("0x1_0000_0C80", "no handle of this heap"), ("0x5", "no handle"),
    ],
)  # fmt: skip
def test_that_what_is_no_slot_is_refused_with_a_reason(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        parse_slot(text, heap_of([1] * 100))
    assert caught.value.complaint.accepted


def test_that_a_gpu_handle_is_none_of_an_invisible_heap() -> None:
    with pytest.raises(InputError, match="no handle"):
        parse_slot("0x2_0000_0000", heap_of([1] * 100, visible=False))


def test_that_a_slot_is_told_with_resource_view_and_handles() -> None:
    snapshot = bindless()
    heap = next(one for one in snapshot.descriptor_heaps if one.shader_visible and one.heap_type == "CBV_SRV_UAV")
    slot = int(np.flatnonzero(heap.resource >= 0)[5])
    told = describe_slot(snapshot, heap, slot)
    rows = dict(told.rows)
    name = snapshot.resources.names[int(heap.resource[slot])]
    assert told.title == f"SRV of {name}"
    assert rows["Resource"] == name
    table, row = snapshot.resources, int(heap.resource[slot])
    extent = f"{int(table.width[row]):,} × {int(table.height[row]):,}"
    assert rows["Description"] == f"BC7_UNORM, {extent}, {int(table.mips[row])} mips"
    assert int(rows["CPU handle"].replace("_", ""), 16) == heap.cpu_start + slot * heap.increment
    assert parse_slot(rows["GPU handle"], heap) == slot


def test_that_empty_null_stale_and_sampler_slots_say_what_they_are() -> None:
    snapshot = bindless()
    heap = heap_of([0, 255, 1], {2}, visible=False)
    titles = [describe_slot(snapshot, heap, slot).title for slot in range(3)]
    assert titles == ["Empty slot", "Null SRV", "SRV of a resource that is gone"]
    assert [describe_slot(snapshot, heap, slot).state for slot in range(3)] == ["empty", "null", "stale"]
    assert dict(describe_slot(snapshot, heap, 0).rows)["GPU handle"] == "none: not shader visible"
    assert look_label(9, "SAMPLER") == "Samplers"
    assert look_label(9, "CBV_SRV_UAV") == "Other"
    assert look_label(STALE, "RTV") == "Stale"


def test_that_the_scenario_has_stale_slots_where_resources_went() -> None:
    snapshot = bindless()
    stale = sum(count_slots(heap).by_look[STALE] for heap in snapshot.descriptor_heaps)
    assert stale > 0
