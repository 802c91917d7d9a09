"""Dirty regions of managed resources: what a change of the master makes the next use upload (CHECKLIST 87, 111)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.device.d3d9_desk import Desk, moved


def test_that_only_the_changed_part_is_uploaded_again() -> None:
    # CHECKLIST 87, 111.
    desk = Desk()
    desk.texture("M", size=512)
    desk.frame("M")
    desk.paint("M", rect=(0, 0, 64, 16))
    assert moved(desk.draw("M").events, "uploaded") == 64 * 16 * 4
    assert moved(desk.draw("M").events, "uploaded") == 0
    desk.paint("M", "NO_DIRTY_UPDATE")
    desk.paint("M", "READONLY")
    assert moved(desk.draw("M").events, "uploaded") == 0
    desk.ok("AddDirtyRect", {"object": "M", "pDirtyRect": {"left": 0, "top": 0, "right": 4, "bottom": 4}})
    assert moved(desk.draw("M").events, "uploaded") == 64


def test_that_a_change_of_level_0_counts_for_every_level_and_no_other_does() -> None:
    desk = Desk()
    desk.texture("M", size=64, levels=0)
    desk.frame("M")
    desk.paint("M", rect=(0, 0, 32, 32))
    expected = sum(max(32 >> level, 1) ** 2 * 4 for level in range(7))
    assert moved(desk.draw("M").events, "uploaded") == expected
    desk.paint("M", Level=1)
    assert moved(desk.draw("M").events, "uploaded") == 0


def test_that_a_managed_buffer_sends_the_written_range() -> None:
    # CHECKLIST 111: a managed change is written twice; a dynamic buffer needs no copy.
    desk = Desk()
    desk.buffer("M", "MANAGED")
    desk.buffer("D", "DEFAULT", usage="DYNAMIC WRITEONLY")
    desk.frame("M", "D")
    desk.write("M", size=4096)
    desk.write("D", "DISCARD")
    outcome = desk.draw("M", "D")
    assert [(event.subject, event.size_bytes) for event in outcome.events if event.kind == "uploaded"] == [("M", 4096)]


def test_that_block_formats_are_sent_in_whole_blocks() -> None:
    desk = Desk()
    desk.texture("M", size=64, form="DXT1")
    desk.frame("M")
    desk.paint("M", rect=(1, 1, 5, 5))
    assert moved(desk.draw("M").events, "uploaded") == 4 * 8


def test_that_setlod_leaves_out_the_upper_levels() -> None:
    desk = Desk()
    desk.texture("M", size=512, levels=0)
    whole = moved(desk.frame("M").events, "uploaded")
    outcome = desk.ok("SetLOD", {"object": "M", "LODNew": 1})
    assert outcome.values["returns"] == 0
    part = moved(desk.frame("M").events, "uploaded")
    assert 3 * part < whole < 5 * part
    assert desk.ok("GetLOD", {"object": "M"}).values["returns"] == 1
    desk.check()


@settings(max_examples=25, deadline=None)
@given(
    boxes=st.lists(
        st.tuples(st.integers(0, 120), st.integers(0, 120), st.integers(1, 64), st.integers(1, 64)), max_size=5
    )
)
def test_that_a_dirty_upload_covers_every_change_and_never_more_than_all(boxes: list[tuple[int, ...]]) -> None:
    desk = Desk()
    desk.texture("M", size=128, levels=0, form="DXT5")
    whole = moved(desk.frame("M").events, "uploaded")
    area = 0
    for left, top, width, height in boxes:
        right, bottom = min(left + width, 128), min(top + height, 128)
        desk.paint("M", rect=(left, top, right, bottom))
        area = max(area, (right - left) * (bottom - top))
    sent = moved(desk.draw("M").events, "uploaded")
    assert area <= sent <= whole
    assert (sent == 0) is (not boxes)
