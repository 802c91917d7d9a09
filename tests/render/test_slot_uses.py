"""What happens to slots: what lies over them, what is written beside them, and the pixels."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.columns import make_columns
from explorer.core.descriptor_uses import (
    NO_USES,
    AllocatorColumns,
    CopyColumns,
    DescriptorUses,
    GivenOutColumns,
    HazardColumns,
    RangeColumns,
)
from explorer.render.root_signature import tell_signature
from explorer.render.slot_marks import SlotStamps, cover_rows, mark_colours, mark_swatch, strip_marks
from explorer.render.slot_texts import (
    allocator_text,
    capture_rows,
    copy_rows,
    hazard_rows,
    reading_text,
    row_labels,
    slot_facts,
    table_rows,
)
from explorer.render.slot_uses import (
    COPIED_IN,
    COPIED_OUT,
    EARLIER,
    FREE,
    GIVEN_OUT,
    PENDING,
    HeapUses,
    union,
    uses_of,
)
from explorer.render.slots import ACROSS, SlotGrid, paint_slots, slot_colours
from explorer.render.tokens import palette
from explorer.sim.scenarios import load_simulation
from tests.render.test_slots import heap_of

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot


@functools.cache
def scenario(name: str, frames: int) -> Snapshot:
    simulation = load_simulation(name)
    simulation.step(frames)
    return simulation.snapshot()


def uses_in(name: str, frames: int, heap: str) -> HeapUses:
    snapshot = scenario(name, frames)
    return uses_of(snapshot, [one.name for one in snapshot.descriptor_heaps].index(heap))


def rows(table: type[Any], *filled: dict[str, int]) -> Any:
    names = {name for one in filled for name in one}
    columns = {name: [one.get(name, 0) for one in filled] for name in names}
    return table(**make_columns(table, len(filled), columns))


def uses_with(slots: int = 1000, **tables: Any) -> HeapUses:
    """Return the uses of a heap of empty slots with tables of one's own."""
    told: DescriptorUses = replace(NO_USES, lists=("List",), rules=("device.table-read",), **tables)
    plain = scenario("d3d12-rtv-slot-reuse", 210)
    return uses_of(replace(plain, descriptor_heaps=(heap_of([0] * slots),), descriptor_uses=told), 0)


spans = st.lists(st.tuples(st.integers(0, 299), st.integers(1, 70)), max_size=30)


@settings(deadline=None)
@given(spans, st.integers(0, 350), st.integers(0, 200))
def test_that_the_cover_of_any_run_is_that_of_its_slots(found: list[tuple[int, int]], first: int, length: int) -> None:
    many = [
        {"first": one, "count": count, "is_static": at % 2, "is_pending": at % 2, "source_heap": -1}
        for at, (one, count) in enumerate(sorted(found))
    ]

    def part(table: type[Any], *names: str) -> Any:
        return rows(table, *({name: row[name] for name in ("first", "count", *names)} for row in many))

    uses = uses_with(
        400,
        ranges=part(RangeColumns, "is_static"),
        hazards=part(HazardColumns, "is_pending"),
        copies=part(CopyColumns, "source_heap"),
    )
    cover = uses.cover(first, first + length)
    for at in range(length):
        over = [row for row, one in enumerate(many) if one["first"] <= first + at < one["first"] + one["count"]]
        assert cover.range_row[at] == (over[-1] if over else -1)
        assert cover.hazard[at] == max((PENDING if many[row]["is_pending"] else EARLIER for row in over), default=0)
        assert cover.copy[at] == (COPIED_IN if over else 0)
    assert uses.counts().in_tables == len({slot for one, count in found for slot in range(one, one + count)})


@given(spans)
def test_that_each_slot_of_overlapping_ranges_counts_once(found: list[tuple[int, int]]) -> None:
    first = np.array([one for one, _ in found], np.int32)
    count = np.array([many for _, many in found], np.int32)
    assert union(first, count, np.arange(len(found))) == len({s for one, many in found for s in range(one, one + many)})


def test_that_the_next_hazard_goes_around_and_says_where_there_is_none() -> None:
    hazards = rows(HazardColumns, {"first": 900, "count": 3}, {"first": 40, "count": 1}, {"first": 40, "count": 9})
    uses = uses_with(hazards=hazards)
    assert [uses.next_hazard(slot, 1) for slot in (0, 40, 900)] == [40, 900, 40]
    assert [uses.next_hazard(slot, -1) for slot in (0, 900, 41)] == [900, 40, 40]
    assert uses_with().next_hazard(5, 1) is None


def test_that_what_an_allocator_did_not_give_out_is_free() -> None:
    uses = uses_with(
        allocators=rows(AllocatorColumns, {"heap": 0, "head": 20, "tail": 10, "given_out": 10}),
        given_out=rows(GivenOutColumns, {"first": 10, "count": 10, "back_frame": 7}),
    )
    assert uses.cover(8, 13).given.tolist() == [FREE, FREE, GIVEN_OUT, GIVEN_OUT, GIVEN_OUT]
    assert uses.counts().pale == 990
    assert uses_with().cover(0, 2).given.tolist() == [GIVEN_OUT, GIVEN_OUT]


def test_that_names_stand_in_the_rows_where_tables_hazards_and_copies_begin() -> None:
    uses = uses_in("d3d12-rtv-slot-reuse", 210, "Views")
    labels = row_labels(uses, SlotGrid(uses.heap), 0, 10)
    assert [(label.row, label.text, label.look) for label in labels] == [
        (0, "overwritten in flight, 1 · table 0, t0–t7 ×4", "hazard")
    ]
    assert row_labels(uses, SlotGrid(uses.heap), 1, 10) == []
    ring = uses_in("d3d12-descriptor-ring", 20, "Dynamic views")
    texts = {label.row: label.text for label in row_labels(ring, SlotGrid(ring.heap), 0, 16)}
    assert texts[9].startswith("tail 600 · copy in, 200 · table 0, t0–t31")
    assert texts[12] == "head 800 · table 0, t32–t39"
    staging = uses_in("d3d12-descriptor-ring", 20, "Staging")
    assert [(one.text, one.look) for one in row_labels(staging, SlotGrid(staging.heap), 0, 8)] == [
        ("copy out, 200", "copy")
    ]
    targets = uses_in("d3d12-rtv-slot-reuse", 210, "RTV")
    assert [label.text for label in row_labels(targets, SlotGrid(targets.heap), 0, 1)] == ["held by lists ×4, free"]
    lasting = uses_in("d3d12-descriptor-ring", 20, "Scene views")
    assert [label.text for label in row_labels(lasting, SlotGrid(lasting.heap), 0, 64)] == ["next free 76"]


def facts(uses: HeapUses, slot: int) -> dict[str, tuple[str, str]]:
    return {one.name: (one.value, one.rule) for one in slot_facts(uses, slot)}


def test_that_a_slot_tells_its_table_its_hazard_and_the_rules() -> None:
    uses = uses_in("d3d12-rtv-slot-reuse", 210, "Views")
    told = facts(uses, 3)
    assert told["Hazard"] == ("overwritten in flight, frame 209", "device.table-read")
    assert told["Repeated"][0] == "10 × since frame 200"
    assert told["Read by"] == ("List, table 0, t0–t7", "device.table-read")
    assert told["Range"][0] == "volatile, in flight until frame 211"
    assert facts(uses, 40) == {"Read by": ("no table", "device.table-read")}
    over = facts(uses_in("d3d12-rtv-slot-reuse", 410, "Views"), 3)
    assert "Hazard" not in over
    assert over["Hazard, over"][0] == "overwritten in flight, frame 401"
    assert over["Held by"] == ("List, frame 409", "device.table-captured")


def test_that_a_target_slot_tells_what_lists_hold_and_that_it_is_free() -> None:
    told = facts(uses_in("d3d12-rtv-slot-reuse", 210, "RTV"), 0)
    assert told["Held by"] == ("List, 4 ×, frame 209", "device.captured")
    assert told["As"][0] == "Target 0, Target 1, Target 2, Target 3"
    assert told["Reuse"] == ("the slot is free at once", "device.captured")


def test_that_copied_slots_name_the_other_side_and_when_they_come_back() -> None:
    told = facts(uses_in("d3d12-descriptor-ring", 20, "Dynamic views"), 645)
    assert told["Copied from"] == ("Staging, slot 45, frame 19", "d3d12.7.5e")
    assert told["Allocator"] == ("given out, back in frame 21", "device.ring-full")
    assert told["Range"] == ("static, in flight until frame 21", "device.static-range")
    assert facts(uses_in("d3d12-descriptor-ring", 20, "Staging"), 45)["Copied to"][0] == (
        "Dynamic views, slot 645, frame 19"
    )
    free = facts(uses_in("d3d12-descriptor-ring", 20, "Dynamic views"), 5)
    assert free["Allocator"][0] == "free to be given out"
    lasting = facts(uses_in("d3d12-descriptor-ring", 20, "Scene views"), 5)
    assert lasting["Allocator"] == ("given out while its resource lives", "device.free-slot")


def test_that_lists_of_rows_say_who_what_where_and_lead_there() -> None:
    uses = uses_in("d3d12-rtv-slot-reuse", 210, "Views")
    (hazard,) = hazard_rows(uses)
    assert (hazard.title, hazard.right, hazard.look, hazard.slot) == ("Overwritten in flight", "slot 3", "hazard", 3)
    assert hazard.second == (
        "written while List may still read it · frame 209 · 10 × since frame 200 · device.table-read"
    )
    assert [row.right for row in table_rows(uses)] == ["slots 0–7", "slots 8–15", "slots 16–23", "slots 24–31"]
    assert table_rows(uses, 2, 1)[0].slot == 16
    (copy,) = copy_rows(scenario("d3d12-descriptor-ring", 20))
    assert (copy.title, copy.second) == ("Staging → Dynamic views", "slots 0–199 → slots 600–799")
    assert (copy.heap, copy.slot) == ("Dynamic views", 600)
    held = capture_rows(uses_in("d3d12-rtv-slot-reuse", 210, "RTV"))
    assert [row.title for row in held] == [f"List holds Target {index}" for index in range(4)]


def test_that_allocators_and_readers_are_told_in_a_line() -> None:
    assert allocator_text(uses_in("d3d12-descriptor-ring", 20, "Dynamic views")) == (
        "Ring: tail 600 · head 800 · 200 of 1,024 out"
    )
    assert allocator_text(uses_in("d3d12-descriptor-ring", 20, "Scene views")) == (
        "Free list: 76 given out · 4,020 free · next free 76"
    )
    assert "refused" in allocator_text(uses_in("d3d12-descriptor-ring", 304, "Dynamic views"))
    assert allocator_text(uses_in("d3d12-descriptor-ring", 20, "Staging")) == ""
    assert "do not see" in reading_text(uses_in("d3d12-rtv-slot-reuse", 210, "RTV"))
    assert "captured" in reading_text(uses_in("d3d12-rtv-slot-reuse", 410, "Views"))
    assert reading_text(uses_in("d3d12-rtv-slot-reuse", 210, "Views")) == "32 slots"


def test_that_a_root_signature_is_told_with_registers_and_dwords_from_the_first_on() -> None:
    (picture,) = scenario("d3d12-descriptor-ring", 20).descriptor_uses.root_signatures
    told = tell_signature(picture)
    assert (told.version, told.dwords, told.free, told.samplers, told.in_force) == ("1.1", 19, 45, 2, True)
    parts = [(one.type, one.registers, one.first, one.dwords, one.read) for one in told.parameters]
    assert parts == [
        ("DESCRIPTOR_TABLE", "t0–t31, t32–t39", 0, 1, "at execution"),
        ("32BIT_CONSTANTS", "b0", 1, 16, "at record"),
        ("CBV", "b1", 17, 2, "at record"),
    ]
    assert [one.is_static for one in told.parameters[0].ranges] == [True, False]
    assert tell_signature(picture, captured=True).parameters[0].read == "at record"
    (bindless,) = scenario("d3d12-bindless-million", 4).descriptor_uses.root_signatures
    assert tell_signature(bindless).parameters[0].registers == "t0–∞"


def stamps_of(uses: HeapUses, cell: int = 10, gap: int = 1, **more: bool) -> tuple[SlotStamps, np.ndarray]:
    grid, count = SlotGrid(uses.heap), -(-len(uses.heap.kind) // ACROSS)
    stamps = SlotStamps(palette("dark"), cell, gap, **more)
    return stamps, stamps.paint(grid.looks(0, count), cover_rows(uses, grid, 0, count))


def cell_at(pixels: np.ndarray, slot: int, cell: int = 10, gap: int = 1) -> np.ndarray:
    row, column = divmod(slot, ACROSS)
    return pixels[row * (cell + gap) :, column * (cell + gap) :][: cell + gap, : cell + gap]


def test_that_slots_without_marks_have_the_pixels_of_the_plain_grid() -> None:
    snapshot = scenario("d3d12-bindless-staging-descriptors", 31)
    uses = uses_of(replace(snapshot, descriptor_uses=NO_USES), 0)
    grid = SlotGrid(uses.heap)
    for cell, gap in ((10, 1), (15, 1), (20, 2)):
        stamps = SlotStamps(palette("light"), cell, gap)
        painted = stamps.paint(grid.looks(0, 40), cover_rows(uses, grid, 0, 40))
        assert np.array_equal(painted, paint_slots(grid.looks(0, 40), slot_colours(palette("light")), cell, gap))


def test_that_static_ranges_have_solid_outlines_and_volatile_ones_dashed_in_the_same_colour() -> None:
    line = mark_colours(palette("dark")).line
    ranges = rows(RangeColumns, {"first": 3, "count": 4, "is_static": 1}, {"first": 20, "count": 4, "is_static": 0})
    _, pixels = stamps_of(uses_with(64, ranges=ranges))
    solid, dashed = cell_at(pixels, 4)[0, :10] == line, cell_at(pixels, 21)[0, :10] == line
    assert solid.all()
    assert dashed.any()
    assert not dashed.all()
    # Only the ends are closed: between two slots of a range is no line.
    assert (cell_at(pixels, 3)[2:8, 0] == line).all()
    assert not (cell_at(pixels, 4)[3:7, 0] == line).any()
    assert (cell_at(pixels, 6)[2:8, 9] == line).all()
    assert not (cell_at(pixels, 2) == line).any()


def test_that_a_range_over_rows_has_no_line_between_them() -> None:
    line = mark_colours(palette("dark")).line
    ranges = rows(RangeColumns, {"first": 0, "count": 192, "is_static": 1})
    uses = uses_with(256, ranges=ranges)
    _, pixels = stamps_of(uses)
    assert (cell_at(pixels, 5)[0, :10] == line).all()
    assert not (cell_at(pixels, 5)[8:10, 3:7] == line).any()
    assert not (cell_at(pixels, 69)[0, 3:7] == line).any()
    assert (cell_at(pixels, 133)[9, :10] == line).all()
    # A window that begins in the middle knows what stands above it.
    grid = SlotGrid(uses.heap)
    part = SlotStamps(palette("dark"), 10, 1).paint(grid.looks(1, 2), cover_rows(uses, grid, 1, 2))
    assert np.array_equal(part, pixels[11:33])


def test_that_hazards_are_framed_while_they_last_and_keep_a_corner_afterwards() -> None:
    hazard = mark_colours(palette("dark")).hazard
    hazards = rows(HazardColumns, {"first": 2, "count": 1, "is_pending": 1}, {"first": 9, "count": 1, "is_pending": 0})
    _, pixels = stamps_of(uses_with(64, hazards=hazards))
    now, over = cell_at(pixels, 2), cell_at(pixels, 9)
    assert (now[0, :10] == hazard).all()
    assert (now[:10, 0] == hazard).all()
    assert over[0, 9] == hazard
    assert not (over[:10, 0] == hazard).any()
    assert not (cell_at(pixels, 3) == hazard).any()


def test_that_copies_colour_the_ground_solid_where_they_arrive_and_dotted_where_they_come_from() -> None:
    copy = mark_colours(palette("dark")).copy
    copies = rows(CopyColumns, {"source_heap": 0, "source_first": 0, "heap": 0, "first": 30, "count": 5})
    uses = uses_with(64, copies=copies)
    assert uses.cover(0, 2).copy.tolist() == [COPIED_OUT, COPIED_OUT]
    _, pixels = stamps_of(uses)
    assert (cell_at(pixels, 31)[10] == copy).all()
    source = cell_at(pixels, 1)[10] == copy
    assert source.any()
    assert not source.all()
    assert not (cell_at(pixels, 40) == copy).any()


def test_that_only_as_many_cells_are_made_as_look_different() -> None:
    rng = np.random.default_rng(3)
    many = [{"first": int(first), "count": 3, "is_static": 1} for first in np.sort(rng.integers(0, 9_990, 5_000))]
    uses = uses_with(10_000, ranges=rows(RangeColumns, *many))
    stamps, _ = stamps_of(uses)
    assert len(stamps) <= 17
    before = len(stamps)
    grid = SlotGrid(uses.heap)
    stamps.paint(grid.looks(3, 20), cover_rows(uses, grid, 3, 20))
    assert len(stamps) <= before + 4


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_that_the_swatches_of_all_marks_differ_from_each_other_and_from_a_plain_slot(theme: str) -> None:
    marks = ("static", "volatile", "hazard", "earlier", "captured", "copied", "staged", "pale")
    swatches = [mark_swatch(palette(theme), mark, 10).tobytes() for mark in marks]
    plain = paint_slots(np.ones((1, 1), np.uint8), slot_colours(palette(theme)), 10, 0).tobytes()
    assert len({*swatches, plain}) == len(marks) + 1


def test_that_a_hazard_of_one_slot_in_a_million_is_seen_on_the_line_of_the_whole_heap() -> None:
    hazards = rows(
        HazardColumns, {"first": 999_999, "count": 1, "is_pending": 1}, {"first": 500_000, "count": 1, "is_pending": 0}
    )
    marks = strip_marks(uses_with(1_000_000, hazards=hazards), 700)
    assert np.flatnonzero(marks.pending).tolist() == [695, 696, 697, 698, 699]
    assert np.flatnonzero(marks.earlier).tolist() == [350, 351, 352, 353, 354]
    assert not marks.tables.any()


def test_that_the_line_shows_where_tables_copies_and_free_slots_lie() -> None:
    marks = strip_marks(uses_in("d3d12-descriptor-ring", 20, "Dynamic views"), 1024)
    assert np.flatnonzero(marks.tables).tolist() == list(range(600, 800))
    assert np.flatnonzero(marks.copies).tolist() == list(range(600, 800))
    assert np.flatnonzero(~marks.pale).tolist() == list(range(600, 800))


def test_that_a_filter_for_stale_rows_keeps_their_marks() -> None:
    snapshot = scenario("d3d12-bindless-staging-descriptors", 31)
    uses = uses_of(snapshot, 0)
    grid = SlotGrid(uses.heap, stale_only=True)
    cover = cover_rows(uses, grid, 0, 5)
    for row in range(5):
        first = grid.first_slot(row)
        assert cover.cover.range_row[row].tolist() == uses.cover(first, first + ACROSS).range_row.tolist()
