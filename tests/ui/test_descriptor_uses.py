"""The Descriptors view: tables, hazards, copies, allocators, what lists hold, and the root signature, on real runs."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from explorer.core.columns import make_columns
from explorer.core.descriptor_uses import NO_USES, HazardColumns
from explorer.render.slot_marks import mark_colours
from explorer.render.tokens import palette
from explorer.sim.scenarios import load_simulation
from explorer.ui.descriptors_view import DescriptorsView
from tests.ui.test_descriptors import million, move_to

if TYPE_CHECKING:
    import numpy as np
    from pytestqt.qtbot import QtBot

    from explorer.sim.snapshot import Snapshot
    from explorer.ui.descriptors_rows import UseList
    from explorer.ui.workspace import Workspace

RING, SLOTS, STAGING = "d3d12-descriptor-ring", "d3d12-rtv-slot-reuse", "d3d12-bindless-staging-descriptors"


@functools.cache
def scenario(name: str, frames: int) -> Snapshot:
    simulation = load_simulation(name)
    simulation.step(frames)
    return simulation.snapshot()


@pytest.fixture
def view(qtbot: QtBot, workspace: Workspace) -> DescriptorsView:
    made = DescriptorsView(workspace)
    qtbot.addWidget(made)
    made.resize(1280, 720)
    made.show()
    qtbot.waitExposed(made)
    return made


def put(view: DescriptorsView, snapshot: Snapshot, heap: str = "") -> None:
    view.hide()
    view.show_snapshot(snapshot)
    view.show()
    if heap:
        view.choose_heap(heap)
    # Layouts within layouts: what is clicked next lies where it is seen.
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    view.grab()


def click_row(qtbot: QtBot, rows: UseList, index: int) -> None:
    at = QPoint(20, int((index + 0.5) * rows.height() / len(rows.rows())))
    qtbot.mouseClick(rows, Qt.MouseButton.LeftButton, pos=at)


def facts(view: DescriptorsView) -> dict[str, str]:
    return {fact.name: fact.value for fact in view.facts.facts}


def test_that_the_heap_that_tables_read_is_shown_first(view: DescriptorsView) -> None:
    put(view, scenario(RING, 1))
    assert view.title.text() == "Scene views"
    put(view, scenario(RING, 20))
    assert view.title.text() == "Dynamic views"
    # Once somebody chose a heap it stays.
    view.choose_heap("Staging")
    put(view, scenario(RING, 21))
    assert view.title.text() == "Staging"


def test_that_hazards_are_counted_and_the_buttons_go_from_one_to_the_next(qtbot: QtBot, view: DescriptorsView) -> None:
    put(view, scenario(SLOTS, 210))
    assert view.hazards.text.text() == "1 hazard"
    assert view.hazards.text.property("role") == "error"
    qtbot.mouseClick(view.findChild(QPushButton, "hazard_next"), Qt.MouseButton.LeftButton)
    assert view.grid.canvas.focus == 3
    assert "overwritten in flight" in view.slot_line.text()
    assert facts(view)["Hazard"] == "overwritten in flight, frame 209"
    put(view, scenario(SLOTS, 410))
    assert view.hazards.text.text() == "Hazards: 1 over"
    assert view.hazards.text.property("role") == "second"
    put(view, scenario(RING, 20))
    assert view.hazards.text.text() == "No hazard"
    assert not view.findChild(QPushButton, "hazard_next").isEnabled()


def test_that_the_keyboard_finds_hazards_in_both_directions(qtbot: QtBot, view: DescriptorsView) -> None:
    rows = {"first": [90, 700, 701], "count": [2, 1, 1], "is_pending": [1, 1, 0]}
    hazards = HazardColumns(**make_columns(HazardColumns, 3, {"heap": [2, 2, 2], **rows}))
    plain = scenario(SLOTS, 210)
    put(view, replace(plain, descriptor_uses=replace(plain.descriptor_uses, hazards=hazards)), "Views")
    canvas = view.grid.canvas
    for modifier, slot in (
        (Qt.KeyboardModifier.NoModifier, 90), (Qt.KeyboardModifier.NoModifier, 700),
        (Qt.KeyboardModifier.NoModifier, 701), (Qt.KeyboardModifier.NoModifier, 90),
        (Qt.KeyboardModifier.ShiftModifier, 701),
    ):  # fmt: skip
        qtbot.keyClick(canvas, Qt.Key.Key_H, modifier)
        assert canvas.focus == slot


def test_that_one_hazard_in_a_million_slots_is_seen_and_reached(qtbot: QtBot, view: DescriptorsView) -> None:
    rows = {"first": [777_777], "count": [1], "is_pending": [1], "command_list": [0]}
    hazards = HazardColumns(**make_columns(HazardColumns, 1, rows))
    uses = replace(NO_USES, lists=("List",), rules=("device.table-read",), hazards=hazards)
    put(view, replace(scenario(SLOTS, 210), descriptor_heaps=(million(),), descriptor_uses=uses))
    assert view.strip.marks is not None
    assert view.strip.marks.pending.sum() == 5
    image = view.strip.grab().toImage()
    red = palette("light").descriptor["hazard"][:3]
    found = [x for x in range(image.width()) if image.pixelColor(x, 3).getRgb()[:3] == red]
    assert abs(found[0] / image.width() - 0.7777) < 0.02
    qtbot.mouseClick(view.findChild(QPushButton, "hazard_back"), Qt.MouseButton.LeftButton)
    canvas = view.grid.canvas
    assert canvas.focus == 777_777
    assert canvas.rect().contains(canvas.cell_rect(777_777).toRect())
    view.grab()
    assert [label.look for label in canvas.labels] == ["hazard"]


def test_that_static_and_volatile_ranges_are_drawn_and_named(view: DescriptorsView) -> None:
    put(view, scenario(RING, 20))
    canvas, line = view.grid.canvas, mark_colours(palette("light")).line
    pixels = canvas._image[2]
    pitch = round(canvas.pitch * canvas.devicePixelRatioF())

    def top_of(slot: int) -> np.ndarray:
        row, column = divmod(slot, 64)
        return pixels[row * pitch, column * pitch : column * pitch + canvas.cell] == line

    assert top_of(605).all()
    assert top_of(635).any()
    assert not top_of(635).all()
    assert not top_of(5).any()
    texts = {label.row: label.text for label in canvas.labels}
    assert texts[9].startswith("tail 600")
    assert "head 800" in texts[12]
    assert {name: count for _, name, count in view.legend.marks}["Static in a table"] == 160
    assert "Ring: tail 600 · head 800" in view.figures.text()
    assert "200 in tables" in view.figures.text()


def test_that_hovering_the_names_tells_all_that_begins_in_the_row(view: DescriptorsView) -> None:
    put(view, scenario(RING, 20))
    canvas = view.grid.canvas
    at, none = QPointF(canvas.width() - 30, canvas.cell_rect(9 * 64).center().y()), Qt.MouseButton.NoButton
    moved = QMouseEvent(QEvent.Type.MouseMove, at, at, none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(canvas, moved)
    assert "copy in, 200" in canvas.toolTip()


def test_that_a_table_in_the_list_leads_to_its_slots(qtbot: QtBot, view: DescriptorsView) -> None:
    put(view, scenario(SLOTS, 210))
    assert view.panel.tables.count == 4
    click_row(qtbot, view.panel.tables, 2)
    assert view.grid.canvas.focus == 16
    assert facts(view)["Read by"] == "List, table 0, t0–t7"
    qtbot.keyClick(view.panel.tables, Qt.Key.Key_Down)
    qtbot.keyClick(view.panel.tables, Qt.Key.Key_Return)
    assert view.grid.canvas.focus == 24


def test_that_more_rows_than_fit_are_walked_by_the_wheel(view: DescriptorsView) -> None:
    put(view, scenario(RING, 20))
    rows = view.panel.tables
    assert rows.count == 10
    assert len(rows.rows()) == 6
    first = rows.rows()[0]
    none, no_keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    for _ in range(20):
        event = QWheelEvent(
            QPointF(5, 5), QPointF(5, 5), QPoint(), QPoint(0, -120), none, no_keys, Qt.ScrollPhase.NoScrollPhase, False
        )
        QApplication.sendEvent(rows, event)
    assert rows.rows()[-1].right == "slots 792–799"
    assert first not in rows.rows()
    assert not event.isAccepted()


def test_that_a_copy_in_the_list_leads_to_its_destination(qtbot: QtBot, view: DescriptorsView) -> None:
    put(view, scenario(RING, 20), "Staging")
    marks = {name: count for _, name, count in view.legend.marks}
    assert marks == {"Staged": 200, "Copied": 200}
    assert [label.text for label in view.grid.canvas.labels] == ["copy out, 200"]
    click_row(qtbot, view.panel.copies, 0)
    assert view.title.text() == "Dynamic views"
    assert view.grid.canvas.focus == 600
    assert facts(view)["Copied from"] == "Staging, slot 0, frame 19"


def test_that_a_target_slot_shows_what_lists_hold_and_that_it_is_free(qtbot: QtBot, view: DescriptorsView) -> None:
    put(view, scenario(SLOTS, 210), "RTV")
    assert [label.text for label in view.grid.canvas.labels] == ["held by lists ×4, free"]
    assert view.panel.captures.count == 4
    assert facts(view)["As"] == "Target 0, Target 1, Target 2, Target 3"
    note = view.panel.findChild(QLabel, "tables_note")
    assert "do not see" in note.text()
    assert not note.isHidden()
    move_to(view, 0)
    qtbot.waitUntil(lambda: bool(view.grid.canvas.tip.title), timeout=1000)
    assert dict(view.grid.canvas.tip.rows)["Reuse"] == "the slot is free at once"


def test_that_the_hover_names_table_hazard_and_rule(qtbot: QtBot, view: DescriptorsView) -> None:
    put(view, scenario(SLOTS, 210))
    move_to(view, 3)
    qtbot.waitUntil(lambda: bool(view.grid.canvas.tip.title), timeout=1000)
    told = dict(view.grid.canvas.tip.rows)
    assert told["Hazard"] == "overwritten in flight, frame 209"
    assert told["Rule"] == "device.table-read"
    assert told["Read by"] == "List, table 0, t0–t7"
    assert told["Resource"] == "Texture 03"


def test_that_the_facts_of_a_slot_are_whole_in_a_low_view(qtbot: QtBot, view: DescriptorsView) -> None:
    put(view, scenario(SLOTS, 210))
    view.resize(760, 600)
    view.grab()
    move_to(view, 3)
    tip = view.grid.canvas.tip
    qtbot.waitUntil(lambda: bool(tip.title), timeout=1000)
    assert view.rect().contains(tip.geometry())
    assert tip.height() == tip.sizeHint().height() > view.grid.height()
    assert not tip.geometry().contains(view.grid.canvas.mapTo(view, view.grid.canvas.cell_rect(3).center().toPoint()))


def test_that_the_rule_of_a_slot_opens_its_page(qtbot: QtBot, view: DescriptorsView, workspace: Workspace) -> None:
    put(view, scenario(SLOTS, 210))
    view.grid.canvas.go_to(3)
    rule = next(fact for fact in view.facts.facts if fact.link)
    assert rule.value == "device.table-read"
    with qtbot.waitSignal(workspace.rule_requested, timeout=1000) as caught:
        view.facts.link_wanted.emit(rule.link)
    assert caught.args == ["device.table-read"]


def test_that_the_root_signature_is_drawn_to_scale_and_its_tables_lead_to_slots(
    qtbot: QtBot, view: DescriptorsView
) -> None:
    put(view, scenario(RING, 20))
    root = view.panel.root
    assert "19 of 64 DWORDs" in root.cost.text()
    assert "in force" in root.line.text()
    assert root.bar.accessibleName() == ("19 of 64 DWORDs: DESCRIPTOR_TABLE 1, 32BIT_CONSTANTS 16, CBV 2, 45 free")
    assert root.bar.part_rect(1, 16).width() == pytest.approx(16 * root.bar.part_rect(0, 1).width())
    assert [row.right for row in root.parameters.rows()] == ["1 DWORD", "16 DWORDs", "2 DWORDs"]
    assert "t0–t31 static, t32–t39 volatile" in root.parameters.rows()[0].second
    view.panel.ensureWidgetVisible(root.parameters)
    click_row(qtbot, root.parameters, 0)
    assert view.grid.canvas.focus == 600
    before = view.grid.canvas.focus
    click_row(qtbot, root.parameters, 1)
    assert view.grid.canvas.focus == before
    with qtbot.waitSignal(root.rule_wanted, timeout=1000) as caught:
        root.cost.linkActivated.emit("d3d12.7.8a")
    assert caught.args == ["d3d12.7.8a"]


def test_that_a_run_without_root_signatures_says_so(view: DescriptorsView) -> None:
    put(view, replace(scenario(RING, 20), descriptor_uses=NO_USES))
    assert view.panel.root.bar.isHidden()
    assert "No root signature" in view.panel.root.none.text()
    assert view.panel.tables.isHidden()


def test_that_a_selected_resource_is_counted_over_heaps_and_its_slots_are_visited(
    qtbot: QtBot, view: DescriptorsView
) -> None:
    snapshot = scenario(STAGING, 31)
    put(view, snapshot)
    index = snapshot.resources.names.index("Texture 0005")
    view.select_resources([index])
    assert view.selection.text() == "Selection: 3 slots in 2 heaps"
    visited = []
    for _ in range(4):
        qtbot.mouseClick(view.selection, Qt.MouseButton.LeftButton)
        visited.append((view.title.text(), view.grid.canvas.focus))
        assert view.heap().resource[view.grid.canvas.focus] == index
    assert visited == [
        ("Views (visible)", 5),
        ("Views (visible)", 2005),
        ("Views (staging)", 5),
        ("Views (visible)", 5),
    ]
    view.select_resources([])
    assert view.selection.isHidden()


def test_that_slots_a_ring_has_not_given_out_are_pale(view: DescriptorsView) -> None:
    put(view, scenario(RING, 20))
    canvas = view.grid.canvas
    pixels = canvas._image[2]
    pitch = round(canvas.pitch * canvas.devicePixelRatioF())
    middle = canvas.cell // 2

    def middle_of(slot: int) -> int:
        row, column = divmod(slot, 64)
        return int(pixels[row * pitch + middle, column * pitch + middle])

    assert middle_of(5) == middle_of(950)
    assert middle_of(645) == middle_of(700) != middle_of(5)


@pytest.mark.parametrize(
    ("size", "place"), [((1280, 720), "side"), ((700, 640), "under"), ((700, 400), "nowhere"), ((2560, 1440), "side")]
)
def test_that_the_facts_stand_beside_or_under_the_grid(
    qtbot: QtBot, view: DescriptorsView, size: tuple[int, int], place: str
) -> None:
    put(view, scenario(SLOTS, 210))
    view.resize(*size)
    view.grab()
    assert view.side.isVisible() == (place == "side")
    assert view.under.isVisible() == (place == "under")
    assert view.panel.isVisible() == (place != "nowhere")
    if place != "nowhere":
        # From the top on, in their order; the list of heaps is left to the box above the grid where room is short.
        shown = [section for section in view.panel.sections.values() if section.isVisible()]
        assert len(shown) == (7 if place == "side" else 6)
        qtbot.waitUntil(lambda: shown[0].y() < 20, timeout=1000)
        left = [section.y() for section in shown if section.x() < 20]
        assert left == sorted(left)
    if size[0] == 2560:
        # Two columns, and each section as high as what it says.
        sections = view.panel.sections
        qtbot.waitUntil(lambda: sections["root"].x() > sections["slot"].x(), timeout=1000)
        assert view.grid.canvas.cell == 20
        qtbot.waitUntil(lambda: view.facts.height() >= 10 * view.fontMetrics().height(), timeout=1000)
