"""The Descriptors view on real snapshots."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from explorer.core.columns import DescriptorHeapPicture
from explorer.render.slots import STALE, count_slots
from explorer.sim.scenarios import load_simulation
from explorer.ui.descriptors_view import DescriptorsView

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from explorer.sim.snapshot import Snapshot
    from explorer.ui.theme import Theme
    from explorer.ui.workspace import Workspace


@functools.cache
def bindless() -> Snapshot:
    simulation = load_simulation("d3d12-bindless-staging-descriptors")
    simulation.step(30)
    return simulation.snapshot()


@pytest.fixture
def view(qtbot: QtBot, workspace: Workspace) -> DescriptorsView:
    made = DescriptorsView(workspace)
    qtbot.addWidget(made)
    made.resize(1280, 720)
    made.show()
    qtbot.waitExposed(made)
    made.show_snapshot(bindless())
    return made


def move_to(view: DescriptorsView, slot: int) -> None:
    canvas = view.grid.canvas
    at = QPointF(canvas.cell_rect(slot).center())
    none = Qt.MouseButton.NoButton
    event = QMouseEvent(QEvent.Type.MouseMove, at, canvas.mapToGlobal(at), none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(canvas, event)


def click(qtbot: QtBot, view: DescriptorsView, slot: int) -> None:
    canvas = view.grid.canvas
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.cell_rect(slot).center().toPoint())


def used_slot(view: DescriptorsView) -> int:
    heap = view.heap()
    assert heap is not None
    return int(np.flatnonzero(heap.resource >= 0)[3])


def stale_slots(view: DescriptorsView) -> list[int]:
    heap = view.heap()
    assert heap is not None
    return np.flatnonzero(heap.stale).tolist()


def test_that_the_largest_visible_heap_is_shown_first_with_its_figures(view: DescriptorsView) -> None:
    assert view.title.text() == "Views (visible)"
    counts = count_slots(view.heap())
    assert f"{counts.used:,} of 4,096 used" in view.figures.text()
    assert "increment 32 B" in view.line.text()
    assert "shader visible" in view.line.text()
    assert sum(count for _, _, count in view.legend.entries) == 4096
    assert [line[0] for line in view.list.lines()] == [heap.name for heap in bindless().descriptor_heaps]


def test_that_a_click_selects_the_resource_everywhere(
    qtbot: QtBot, view: DescriptorsView, workspace: Workspace
) -> None:
    slot = used_slot(view)
    with qtbot.waitSignal(view.resources_selected, timeout=1000) as caught:
        click(qtbot, view, slot)
    wanted = int(view.heap().resource[slot])
    assert caught.args == [[wanted]]
    assert workspace.selection == (wanted,)
    assert view.grid.canvas.selected == frozenset({wanted})
    assert bindless().resources.names[wanted] in view.slot_line.text()


def test_that_a_click_on_an_empty_slot_selects_nothing(
    qtbot: QtBot, view: DescriptorsView, workspace: Workspace
) -> None:
    workspace.select((3,))
    click(qtbot, view, int(np.flatnonzero(view.heap().kind == 0)[0]))
    assert workspace.selection == ()


def test_that_hover_names_the_resource_and_its_handles(qtbot: QtBot, view: DescriptorsView) -> None:
    slot = used_slot(view)
    move_to(view, slot)
    qtbot.waitUntil(lambda: bool(view.grid.canvas.tip.title), timeout=1000)
    tip = view.grid.canvas.tip
    name = bindless().resources.names[int(view.heap().resource[slot])]
    assert tip.title == f"SRV of {name}"
    assert {row[0] for row in tip.rows} >= {"Slot", "View", "Resource", "CPU handle", "GPU handle"}
    assert not tip.geometry().contains(view.grid.canvas.cell_rect(slot).center().toPoint())
    QApplication.sendEvent(view.grid.canvas, QEvent(QEvent.Type.Leave))
    assert tip.title == ""


@pytest.mark.parametrize("text", ["3000", "3,000", "0x1_0001_7700"])
def test_that_the_field_jumps_to_a_slot_or_a_handle(qtbot: QtBot, view: DescriptorsView, text: str) -> None:
    view.slot_field.setFocus()
    qtbot.keyClicks(view.slot_field, text)
    qtbot.keyClick(view.slot_field, Qt.Key.Key_Return)
    canvas = view.grid.canvas
    assert canvas.focus == 3000
    assert canvas.rect().contains(canvas.cell_rect(3000).toRect())
    assert view.slot_line.text().startswith("Slot 3,000")


def test_that_the_field_refuses_what_is_no_slot_and_says_why(qtbot: QtBot, view: DescriptorsView) -> None:
    before = view.grid.canvas.focus
    qtbot.keyClicks(view.slot_field, "9999")
    qtbot.keyClick(view.slot_field, Qt.Key.Key_Return)
    assert view.slot_field.property("state") == "refused"
    assert "last slot is 4,095" in view.complaint.text()
    assert view.grid.canvas.focus == before
    qtbot.keyClick(view.slot_field, Qt.Key.Key_Backspace)
    assert view.slot_field.property("state") == ""
    assert view.complaint.isHidden()


def test_that_the_stale_filter_shows_their_rows_and_keys_find_them(qtbot: QtBot, view: DescriptorsView) -> None:
    stale = stale_slots(view)
    assert stale
    qtbot.mouseClick(view.stale_button, Qt.MouseButton.LeftButton)
    canvas = view.grid.canvas
    assert len(canvas.grid) == len({slot // 64 for slot in stale})
    assert f"{len(stale):,} stale slots" in view.figures.text()
    canvas.setFocus()
    canvas.go_to(0)
    qtbot.keyClick(canvas, Qt.Key.Key_N)
    assert canvas.focus == next((slot for slot in stale if slot > canvas.grid.nearest(0)), stale[0])
    qtbot.mouseClick(view.stale_button, Qt.MouseButton.LeftButton)
    assert len(canvas.grid) == 64


def test_that_the_keyboard_walks_and_says_where_it_stands(qtbot: QtBot, view: DescriptorsView) -> None:
    canvas = view.grid.canvas
    canvas.setFocus()
    for key, slot in (
        (Qt.Key.Key_Right, 1), (Qt.Key.Key_Down, 65), (Qt.Key.Key_Left, 64), (Qt.Key.Key_Up, 0), (Qt.Key.Key_Up, 0),
        (Qt.Key.Key_End, 4095), (Qt.Key.Key_Down, 4095), (Qt.Key.Key_PageDown, 4095), (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_PageUp, 0),
    ):  # fmt: skip
        qtbot.keyClick(canvas, key)
        assert canvas.focus == slot
    canvas.go_to(used_slot(view))
    assert "Texture" in canvas.accessibleDescription()
    with qtbot.waitSignal(view.resources_selected, timeout=1000):
        qtbot.keyClick(canvas, Qt.Key.Key_Return)


def test_that_another_heap_can_be_chosen_in_the_list_and_the_box(qtbot: QtBot, view: DescriptorsView) -> None:
    row = view.list.height() // len(bindless().descriptor_heaps)
    # A null point would be the middle of the list.
    qtbot.mouseClick(view.list, Qt.MouseButton.LeftButton, pos=QPoint(10, 10))
    qtbot.keyClick(view.list, Qt.Key.Key_Down)
    assert view.title.text() == "Views (staging)"
    assert row > 0
    view.heap_choice.setCurrentIndex(3)
    view.heap_choice.activated.emit(3)
    assert view.title.text() == "Render target views"
    assert "not shader visible" in view.line.text()
    assert [name for _, name, _ in view.legend.entries] == ["Render targets", "Null", "Stale", "Empty"]


def test_that_handles_can_stand_beside_the_rows(view: DescriptorsView) -> None:
    by_index = view.grid.canvas.gutter
    view.numbers.chosen.emit(1)
    assert view.grid.canvas.by_handle
    assert view.grid.canvas.gutter > by_index


def test_that_the_strip_scrolls_the_grid(qtbot: QtBot, view: DescriptorsView) -> None:
    view.resize(1280, 420)
    qtbot.mouseClick(view.strip, Qt.MouseButton.LeftButton, pos=view.strip.rect().bottomRight())
    canvas = view.grid.canvas
    assert canvas.top == len(canvas.grid) - canvas.whole_rows()
    assert view.grid.bar.value() == canvas.top


def test_that_an_empty_view_says_why(view: DescriptorsView) -> None:
    snapshot = bindless()
    title = view.empty.findChild(type(view.title), "empty_title")
    for change, words in (
        ({"descriptor_heaps": ()}, "No descriptor heap exists"),
        ({"descriptor_heaps": (), "api": "d3d9"}, "This API has no descriptor heaps"),
        ({"descriptor_heaps": (), "origin": "imported", "api": ""}, "No descriptor heap is known"),
    ):
        view.hide()
        view.show_snapshot(replace(snapshot, **change))
        view.show()
        assert title.text() == words
        assert view.body.isHidden()
    view.hide()
    view.show_snapshot(snapshot)
    view.show()
    assert not view.body.isHidden()


def million() -> DescriptorHeapPicture:
    rng = np.random.default_rng(1)
    count = 1_000_000
    kind = rng.integers(0, 10, count).astype(np.uint8)
    return DescriptorHeapPicture(
        "A million", "CBV_SRV_UAV", True, 32, 1 << 32, 1 << 32, kind, np.full(count, 2, np.uint8),
        rng.random(count) < 0.001, np.full(count, -1, np.int32),
    )  # fmt: skip


def test_that_a_million_slots_are_painted_by_the_rows_in_view(qtbot: QtBot, view: DescriptorsView) -> None:
    view.hide()
    view.show_snapshot(replace(bindless(), descriptor_heaps=(million(),)))
    view.show()
    canvas = view.grid.canvas
    assert len(canvas.grid) == 15_625
    canvas.go_to(777_777)
    view.grab()
    image = canvas._image[1]
    assert image.height() <= (canvas.visible_rows() + 1) * 11
    assert canvas.rect().contains(canvas.cell_rect(777_777).toRect())
    assert view.legend.entries[-2][2] == count_slots(view.heap()).by_look[STALE]


def test_that_another_theme_paints_other_colours(view: DescriptorsView, theme: Theme) -> None:
    light = view.grab().toImage()
    theme.choose("dark")
    dark = view.grab().toImage()
    assert light.pixelColor(640, 300) != dark.pixelColor(640, 300)
    theme.choose("light")
    assert view.grab().toImage() == light


@pytest.mark.parametrize("width", [500, 800, 1280, 2560])
def test_that_the_view_fits_any_width(view: DescriptorsView, width: int) -> None:
    view.resize(width, 600)
    assert view.side.isVisible() == (width >= 1120)
    assert view.width() == width
    assert view.grid.canvas.width() >= view.grid.canvas.minimumSizeHint().width()
