from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from explorer.core.kinds import BlockState
from explorer.device.outcome import Ghost
from explorer.render.bench_scenes import bench_snapshot
from explorer.render.colours import COLOUR_MODES
from explorer.render.layout import Mode
from explorer.render.raster import ROW
from explorer.render.tokens import pack, palette
from explorer.ui.memory_map import MemoryMapView
from tests.render.builders import RESIDENT, Builder, city

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from explorer.sim.snapshot import Snapshot

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def view(qtbot: QtBot) -> MemoryMapView:
    made = MemoryMapView()
    qtbot.addWidget(made)
    made.resize(1000, 760)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.fixture
def shown(view: MemoryMapView) -> MemoryMapView:
    view.show_snapshot(city())
    view.grab()
    return view


def resource(view: MemoryMapView, name: str) -> int:
    scene = view.screen_state.scene
    assert scene is not None
    return scene.snapshot.resources.names.index(name)


def point_on(view: MemoryMapView, name: str) -> QPoint:
    """Return a point of the canvas on a block in view."""
    frame, scene, camera = view.screen_state.frame(), view.screen_state.scene, view.screen_state.camera
    assert frame is not None
    assert scene is not None
    assert camera is not None
    block = int(np.flatnonzero(scene.snapshot.blocks.resource == resource(view, name))[0])
    item = int(np.flatnonzero(scene.items.block == block)[0])
    for strip in frame.strips:
        if strip.kind == ROW and strip.first <= scene.items.start[item] < strip.end:
            x = (int(scene.items.start[item]) - strip.first) * strip.pixels_per_byte
            return QPoint(int(view.canvas.gutter + x + 8), int(strip.y0 - camera.scroll + 8))
    raise AssertionError(f"{name} is not in view")


def wheel(view: MemoryMapView, at: QPoint, delta: int, modifiers: Qt.KeyboardModifier = NONE) -> None:
    place = QPointF(at)
    event = QWheelEvent(place, view.canvas.mapToGlobal(place), QPoint(), QPoint(0, delta), Qt.MouseButton.NoButton,
                        modifiers, Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
    QApplication.sendEvent(view.canvas, event)


def hovered(view: MemoryMapView, qtbot: QtBot, at: QPoint) -> None:
    qtbot.mouseMove(view.canvas, at)
    view.canvas._hover(QPointF(at))


def test_that_a_click_selects_the_block_and_says_so(shown: MemoryMapView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(shown.resources_selected, timeout=1000) as told:
        qtbot.mouseClick(shown.canvas, LEFT, NONE, point_on(shown, "SceneColor"))
    assert told.args == [[resource(shown, "SceneColor")]]
    assert shown.selected == (resource(shown, "SceneColor"),)


def test_that_ctrl_click_adds_and_takes_away(shown: MemoryMapView, qtbot: QtBot) -> None:
    ctrl = Qt.KeyboardModifier.ControlModifier
    qtbot.mouseClick(shown.canvas, LEFT, NONE, point_on(shown, "SceneColor"))
    qtbot.mouseClick(shown.canvas, LEFT, ctrl, point_on(shown, "SceneDepth"))
    assert set(shown.selected) == {resource(shown, "SceneColor"), resource(shown, "SceneDepth")}
    qtbot.mouseClick(shown.canvas, LEFT, ctrl, point_on(shown, "SceneColor"))
    assert shown.selected == (resource(shown, "SceneDepth"),)


def test_that_a_selection_from_outside_is_drawn_without_a_signal(shown: MemoryMapView, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(shown.resources_selected):
        shown.select_resources([resource(shown, "SceneColor")])
    frame = shown.screen_state.frame()
    assert frame is not None
    assert np.any(frame.pixels == pack(palette("dark").map["select"]))


def test_that_a_box_with_shift_selects_what_it_touches(shown: MemoryMapView, qtbot: QtBot) -> None:
    shift = Qt.KeyboardModifier.ShiftModifier
    start = point_on(shown, "GBuffer.Albedo")
    end = point_on(shown, "SceneColor")
    qtbot.mousePress(shown.canvas, LEFT, shift, start)
    qtbot.mouseMove(shown.canvas, end)
    qtbot.mouseRelease(shown.canvas, LEFT, shift, end)
    assert {resource(shown, "GBuffer.Albedo"), resource(shown, "GBuffer.Normal"),
            resource(shown, "SceneColor")} <= set(shown.selected)  # fmt: skip


def test_that_hovering_tells_place_and_scale_and_shows_details(shown: MemoryMapView, qtbot: QtBot) -> None:
    at = point_on(shown, "SceneColor")
    with qtbot.waitSignal(shown.block_hovered, timeout=1000) as told:
        hovered(shown, qtbot, at)
    assert told.args is not None
    assert told.args[0].startswith("Targets 0 + 0x03")
    assert "1 px = " in told.args[0]
    qtbot.waitUntil(lambda: shown.canvas.tooltip.told is not None, timeout=1000)
    told_tip = shown.canvas.tooltip.told
    assert told_tip is not None
    assert told_tip.title == "SceneColor"
    assert ("Size", "28.1 MiB (29,491,200 B)") in told_tip.rows
    assert told_tip.pill == "resident"
    assert not shown.canvas.tooltip.grab().isNull()


def test_that_hovering_waste_names_its_cause(shown: MemoryMapView, qtbot: QtBot) -> None:
    at = point_on(shown, "SceneDepth")
    hovered(shown, qtbot, at - QPoint(14, 0))
    qtbot.waitUntil(lambda: shown.canvas.tooltip.told is not None, timeout=1000)
    told = shown.canvas.tooltip.told
    assert told is not None
    assert told.title == "Padding"
    assert told.rows[1][0] == "Why"
    assert told.rows[1][1].startswith("SceneDepth needs")


def test_that_the_wheel_zooms_about_the_byte_under_the_cursor(shown: MemoryMapView) -> None:
    shown.toolbar.modes._choose(0)
    at = point_on(shown, "SceneColor")
    before = shown.canvas.hit_at(QPointF(at))
    for _ in range(12):
        wheel(shown, at, 120)
    after = shown.canvas.hit_at(QPointF(at))
    assert before is not None
    assert after is not None
    assert abs(after.byte - before.byte) <= 1 / before.strip.pixels_per_byte
    for _ in range(30):
        wheel(shown, at, 120)
    camera = shown.screen_state.camera
    assert camera is not None
    assert camera.view.span == 1
    assert not shown.grab().isNull()
    for _ in range(60):
        wheel(shown, at, -120)
    assert camera.view.span == camera.longest


def test_that_rows_zoom_by_powers_of_two_and_keep_the_byte_at_its_height(shown: MemoryMapView) -> None:
    at = point_on(shown, "VB_City_Static")
    before, camera = shown.canvas.hit_at(QPointF(at)), shown.screen_state.camera
    assert camera is not None
    assert before is not None
    size = camera.view.row_bytes
    for _ in range(4):
        wheel(shown, at, 120)
    assert camera.view.row_bytes == size >> 4
    row = shown.canvas.hit_at(QPointF(at))
    assert row is not None
    assert row.strip.first <= before.byte < row.strip.end
    for _ in range(60):
        wheel(shown, at, 120)
    assert camera.view.row_bytes == 16
    assert not shown.grab().isNull()


def test_that_dragging_pans_and_selects_nothing(shown: MemoryMapView, qtbot: QtBot) -> None:
    camera = shown.screen_state.camera
    assert camera is not None
    shown.toolbar.row_bytes_chosen.emit(1 << 20)
    start = QPoint(400, 300)
    with qtbot.assertNotEmitted(shown.resources_selected):
        qtbot.mousePress(shown.canvas, LEFT, NONE, start)
        qtbot.mouseMove(shown.canvas, start - QPoint(0, 50))
        qtbot.mouseMove(shown.canvas, start - QPoint(0, 120))
        qtbot.mouseRelease(shown.canvas, LEFT, NONE, start - QPoint(0, 120))
    assert camera.scroll == 120
    assert shown.vertical.value() == 120


def test_that_a_typed_range_is_shown_and_a_wrong_one_is_refused(shown: MemoryMapView, qtbot: QtBot) -> None:
    field = shown.toolbar.range
    field.selectAll()
    qtbot.keyClicks(field, "64 MiB - 0x800_0000")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    seen = shown.visible_range()
    assert seen is not None
    assert seen[0] == "Targets 0"
    assert seen[1] <= 64 << 20
    assert seen[2] >= 128 << 20
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "12 parsecs")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.is_refused
    assert "not a size" in field.toolTip()
    assert shown.visible_range() == seen
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not field.is_refused


def test_that_the_keyboard_walks_blocks_and_holes_and_says_where_it_is(shown: MemoryMapView, qtbot: QtBot) -> None:
    canvas = shown.canvas
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert canvas.accessibleDescription() == (
        "GBuffer.Albedo, render target, 14.1 MiB at 0x0000_0000 in Targets 0, resident"
    )
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert canvas.accessibleDescription().startswith("GBuffer.Normal")
    with qtbot.waitSignal(shown.resources_selected, timeout=1000) as told:
        qtbot.keyClick(canvas, Qt.Key.Key_Return)
    assert told.args == [[resource(shown, "GBuffer.Normal")]]
    qtbot.keyClick(canvas, Qt.Key.Key_End)
    assert canvas.accessibleDescription().startswith("ShadowCascades[4]")
    qtbot.keyClick(canvas, Qt.Key.Key_Home)
    assert canvas.accessibleDescription().startswith("GBuffer.Albedo")
    qtbot.keyClick(canvas, Qt.Key.Key_Down)
    assert not canvas.accessibleDescription().startswith("GBuffer.Albedo")
    qtbot.keyClick(canvas, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert canvas.accessibleDescription().startswith("Free, ")
    assert not shown.grab().isNull()


def test_that_keys_zoom_and_reach_the_range_field(shown: MemoryMapView, qtbot: QtBot) -> None:
    camera = shown.screen_state.camera
    assert camera is not None
    size = camera.view.row_bytes
    shown.canvas.setFocus()
    qtbot.keyClicks(shown.canvas, "]")
    assert camera.view.row_bytes == size // 2
    qtbot.keyClicks(shown.canvas, "[")
    assert camera.view.row_bytes == size
    qtbot.keyClick(shown.canvas, Qt.Key.Key_F2)
    qtbot.waitUntil(shown.toolbar.range.hasFocus, timeout=1000)


def test_that_n_goes_to_the_next_block_that_moved(view: MemoryMapView, qtbot: QtBot) -> None:
    view.show_snapshot(heap_of(1000, changed=(3, 500)))
    view.canvas.setFocus()
    for expected in ("R3", "R500", "R3"):
        qtbot.keyClick(view.canvas, Qt.Key.Key_N)
        assert view.canvas.accessibleDescription().startswith(f"{expected},")


def heap_of(blocks: int, changed: tuple[int, ...] = (), generation: int = 1) -> Snapshot:
    make = Builder()
    segment = make.segment("LOCAL", "paged", 1 << 30)
    heap = make.heap(segment, "Heap", 1 << 26)
    for index in range(blocks):
        moved = BlockState.MOVED_THIS_FRAME if index in changed else 0
        make.block(segment, heap, index * 65536, 60000, index % 9, state=RESIDENT | moved)
    return make.snapshot(generation=generation)


def test_that_a_ghost_is_scrolled_into_view_once(view: MemoryMapView) -> None:
    view.show_snapshot(heap_of(900))
    view.toolbar.row_bytes_chosen.emit(1 << 16)
    camera = view.screen_state.camera
    assert camera is not None
    view.set_ghost(Ghost(0, 0, 900 * 65536, 65536, 0), "T_New")
    assert camera.scroll > 1000
    frame = view.screen_state.frame()
    assert frame is not None
    span = view.canvas.overlay.ghost_range()
    assert span is not None
    assert view.canvas.overlay.rects(frame.strips, *span, camera.scroll)
    camera.scroll_to(0)
    view.set_ghost(Ghost(0, 0, 900 * 65536, 65536, 0), "T_New")
    assert camera.scroll == 0
    assert not view.grab().isNull()
    view.set_ghost(None)
    assert view.canvas.overlay.ghost_range() is None


def test_that_a_refusal_outlines_the_holes_that_are_too_small(view: MemoryMapView) -> None:
    view.show_snapshot(heap_of(3))
    holes = view.holes_of(0, 0, 1 << 20)
    assert holes == [(0, 0, index * 65536 + 60000, 5536) for index in range(2)]
    view.set_ghost(None, "T_New", "No hole of 1.0 MiB", holes)
    assert len(view.screen_state.refused) == 2
    assert view.note.text() == "No hole of 1.0 MiB"
    assert not view.grab().isNull()


def test_that_a_ghost_without_a_lane_is_told_in_words(view: MemoryMapView) -> None:
    view.show_snapshot(heap_of(3))
    view.set_ghost(Ghost(0, -1, 0, 1 << 20, 0), "T_New")
    assert view.note.text() == "T_New · 1.0 MiB would get a place of its own in LOCAL."


def test_that_a_note_takes_one_line_where_the_map_is_low(view: MemoryMapView) -> None:
    view.show_snapshot(heap_of(4))
    told = "There is no hole for it, although enough bytes are free in total. " * 6
    view.resize(700, 700)
    view.set_ghost(None, refusal=told)
    high = view.note.height()
    assert view.note.text() == told
    view.resize(700, 320)
    view.set_ghost(None, refusal=told)
    assert view.note.text().endswith("…")
    assert view.note.height() < high / 2
    assert view.note.height() < view.canvas.height() / 3


def test_that_the_search_outlines_what_it_names_and_leaves_the_rest(shown: MemoryMapView, qtbot: QtBot) -> None:
    qtbot.keyClicks(shown.toolbar.search, "scenecolor")
    frame = shown.screen_state.frame()
    assert frame is not None
    assert np.any(frame.pixels == pack(palette("dark").map["found"]))
    shown.set_search("")
    frame = shown.screen_state.frame()
    assert frame is not None
    assert not np.any(frame.pixels == pack(palette("dark").map["found"]))


def test_that_a_run_of_heaps_unfolds_when_one_of_its_resources_is_wanted(shown: MemoryMapView) -> None:
    scene, camera = shown.screen_state.scene, shown.screen_state.camera
    assert scene is not None
    assert camera is not None
    heaps = scene.snapshot.heaps.names
    block = int(np.flatnonzero(scene.snapshot.blocks.heap == heaps.index("Textures 7"))[3])
    boxes = len(camera.layout.boxes)
    shown.scroll_to_resource(int(scene.snapshot.blocks.resource[block]))
    assert len(camera.layout.boxes) == boxes + 13
    assert int(scene.snapshot.blocks.resource[block]) in shown.visible_resources()


def test_that_a_click_on_a_header_folds_and_unfolds_the_lane(shown: MemoryMapView, qtbot: QtBot) -> None:
    camera = shown.screen_state.camera
    assert camera is not None
    box = camera.layout.boxes[1]
    at = QPoint(200, box.y + 10)
    height = camera.layout.height
    qtbot.mouseClick(shown.canvas, LEFT, NONE, at)
    assert camera.layout.boxes[1].is_folded
    assert camera.layout.height < height
    qtbot.mouseClick(shown.canvas, LEFT, NONE, at)
    assert camera.layout.height == height


@pytest.mark.parametrize("mode", COLOUR_MODES, ids=lambda mode: mode.id)
def test_that_switching_colours_keeps_zoom_and_selection(shown: MemoryMapView, mode) -> None:
    shown.toolbar.row_bytes_chosen.emit(1 << 22)
    shown.select_resources([3])
    camera = shown.screen_state.camera
    assert camera is not None
    camera.scroll_to(300)
    shown.set_colour_by(mode.id)
    assert (camera.view.row_bytes, camera.scroll, shown.selected) == (1 << 22, 300, (3,))
    assert not shown.grab().isNull()


def test_that_a_new_snapshot_keeps_zoom_and_a_new_document_is_fitted(shown: MemoryMapView) -> None:
    shown.toolbar.row_bytes_chosen.emit(1 << 20)
    shown.show_snapshot(city(8))
    camera = shown.screen_state.camera
    assert shown.screen_state.scene is not None
    assert camera is not None
    assert camera.view.row_bytes == 1 << 20
    shown.show_snapshot(bench_snapshot(500))
    assert shown.screen_state.scene is not None
    assert shown.screen_state.camera is not camera
    assert shown.screen_state.is_fitted


def test_that_a_hidden_map_costs_nothing_until_it_is_shown(qtbot: QtBot) -> None:
    view = MemoryMapView()
    qtbot.addWidget(view)
    view.show_snapshot(city())
    assert view.screen_state.camera is None
    assert view.visible_range() is not None


def test_that_an_empty_map_says_what_is_missing(view: MemoryMapView) -> None:
    assert not view.grab().isNull()
    make = Builder()
    make.segment("LOCAL", "paged", 1 << 30)
    view.show_snapshot(make.snapshot())
    assert not view.grab().isNull()
    assert view.visible_range() is None


def test_that_a_file_without_offsets_is_announced(view: MemoryMapView) -> None:
    make = Builder()
    segment = make.segment("Memory type 0", "paged", 1 << 30)
    for size in (1 << 20, 1 << 21):
        make.block(segment, -1, -1, size)
    view.show_snapshot(make.snapshot(origin="imported"))
    view.grab()
    assert "does not tell all offsets" in view.note.text()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_that_the_theme_reaches_ground_and_blocks(shown: MemoryMapView, theme: str) -> None:
    shown.set_theme(theme)
    picture = shown.canvas.grab().toImage()
    assert picture.pixelColor(5, picture.height() - 5).name().upper() == "#{:02X}{:02X}{:02X}".format(
        *palette(theme).map["base"][:3]
    )


def test_that_modes_and_scroll_bars_move_the_map(shown: MemoryMapView) -> None:
    camera = shown.screen_state.camera
    assert camera is not None
    shown.toolbar.modes._choose(0)
    assert camera.view.mode is Mode.LINEAR
    shown.canvas.zoom(300, 60, 3)
    assert shown.horizontal.isVisible()
    shown.horizontal.setValue(shown.horizontal.maximum())
    assert camera.view.origin + camera.view.span == camera.longest
    shown.zoom_to_fit()
    assert camera.view.origin == 0
    assert not shown.horizontal.isVisible()


def test_that_the_small_map_goes_where_it_is_clicked(shown: MemoryMapView, qtbot: QtBot) -> None:
    shown.toolbar.row_bytes_chosen.emit(1 << 18)
    camera = shown.screen_state.camera
    assert camera is not None
    before = camera.scroll
    qtbot.mouseClick(shown.minimap, LEFT, NONE, QPoint(shown.minimap.width() // 2, 8))
    assert camera.scroll > before


def test_that_the_legend_dims_what_is_out_of_view_and_keeps_its_entries(shown: MemoryMapView) -> None:
    labels = [entry.label for entry in shown.legend.entries()]
    shown.toolbar.row_bytes_chosen.emit(1 << 18)
    entries = shown.legend.entries()
    assert [entry.label for entry in entries] == labels
    assert [entry.label for entry in entries if not entry.in_view][:2] == ["Textures", "Depth-stencil"]
