"""The Tiles tab of the Subresources view, on resources of real devices."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel

from explorer.render.tiles import PITCHES
from explorer.sim.picture import PictureMaker
from explorer.sim.scenarios import load_simulation
from explorer.sim.snapshot import Provenance
from explorer.sim.tile_map import PoolState, TileState
from explorer.ui.memory_map import MemoryMapView
from explorer.ui.subresources_view import TILES, SubresourcesView
from explorer.ui.tiles_panel import POOL, RESOURCE
from explorer.ui.workspace import Document
from tests.device.test_d3d12_tiles import TILE
from tests.sim.test_d3d12_device import Rig

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from explorer.sim.snapshot import Snapshot
    from explorer.ui.main_window import MainWindow
    from explorer.ui.theme import Theme
    from explorer.ui.tiles_panel import TilesPanel
    from explorer.ui.workspace import Workspace

STREAMING = "d3d12-streaming-reserved-resources"
TEXTURE = {
    "Dimension": "D3D12_RESOURCE_DIMENSION_TEXTURE2D", "Width": 1024, "Height": 1024, "MipLevels": 0,
    "Format": "DXGI_FORMAT_R8G8B8A8_UNORM", "Layout": "D3D12_TEXTURE_LAYOUT_64KB_UNDEFINED_SWIZZLE",
}  # fmt: skip
PLAIN = {**TEXTURE, "Layout": "D3D12_TEXTURE_LAYOUT_UNKNOWN"}
REUSE = ["D3D12_TILE_RANGE_FLAG_REUSE_SINGLE_TILE"]


@functools.cache
def rig() -> Rig:
    """Return a device with two reserved textures: one tile shared, some mapped in this frame, some of a lost heap."""
    made = Rig()
    for name in ("Pool", "Lost"):
        made.heap(name, 64 * TILE, flags=("ALLOW_ONLY_NON_RT_DS_TEXTURES",))
    for name in ("Atlas", "Ground"):
        assert made.call("CreateReservedResource", {"pDesc": TEXTURE}, name).succeeded
    assert made.call("CreateCommittedResource", {
        "pHeapProperties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"}, "pDesc": PLAIN,
    }, "Plain").succeeded  # fmt: skip
    _map(made, "Atlas", "Pool", 0, 16, pHeapRangeStartOffsets=[8])
    _map(made, "Atlas", "Lost", 64, 4)
    made.call("Present", {})
    made.call("Present", {})
    _map(made, "Ground", "Pool", 0, 4, pHeapRangeStartOffsets=[10], pRangeFlags=REUSE)
    _map(made, "Ground", "Pool", 20, 3, pHeapRangeStartOffsets=[40])
    made.call("Release", {"pObject": "Lost"})
    return made


def _map(made: Rig, name: str, heap: str, first: int, count: int, **more: object) -> None:
    sub, x, y = (0, first % 8, first // 8) if first < 64 else (1, first - 64, 0)
    outcome = made.call("UpdateTileMappings", {
        "pResource": name, "pHeap": heap, "NumResourceRegions": 1,
        "pResourceRegionStartCoordinates": [{"X": x, "Y": y, "Subresource": sub}],
        "pResourceRegionSizes": [{"NumTiles": count}], **more,
    })  # fmt: skip
    assert outcome.succeeded


@functools.cache
def snapshot() -> Snapshot:
    return PictureMaker().make(rig().device, Provenance(frame=2), None)


@functools.cache
def streaming(frames: int) -> Snapshot:
    simulation = load_simulation(STREAMING)
    simulation.step(frames)
    return simulation.snapshot()


@pytest.fixture
def view(qtbot: QtBot, workspace: Workspace) -> SubresourcesView:
    made = SubresourcesView(workspace)
    qtbot.addWidget(made)
    made.resize(1200, 800)
    made.show()
    qtbot.waitExposed(made)
    workspace.snapshot_changed.connect(made.show_snapshot)
    workspace.show_file(Document("file", "test"), snapshot())
    return made


@pytest.fixture
def panel(qtbot: QtBot, view: SubresourcesView, workspace: Workspace) -> TilesPanel:
    choose(workspace, "Atlas")
    made = view.tiles
    assert made is not None
    qtbot.waitUntil(lambda: made.canvas.width() == 820, timeout=1000)
    return made


def choose(workspace: Workspace, name: str) -> None:
    shown = workspace.snapshot
    assert shown is not None
    workspace.select((shown.resources.names.index(name),))


def click(qtbot: QtBot, panel: TilesPanel, tile: int) -> None:
    panel.canvas.reveal(tile)
    at = panel.canvas.tile_rect(tile).center().toPoint()
    qtbot.mouseClick(panel.canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)


def counts(panel: TilesPanel) -> dict[str, int]:
    return {name: count for _, name, count in panel.legend.entries}


def test_that_a_reserved_resource_opens_on_its_tiles(view: SubresourcesView, panel: TilesPanel) -> None:
    assert view.tabs.words() == ("Copy footprints", "Tiles")
    assert view.shows_tiles()
    assert view.forms.isHidden()
    assert view.figures.text() == "86 tiles · 5.38 MiB of addresses · 1.00 MiB of memory"
    assert "128 × 128 texels of R8G8B8A8_UNORM" in view.model_line.text()
    assert "4 standard mips, 7 packed into 1 tile" in view.model_line.text()
    expect = {"Mapped": 15, "Mapped in this frame": 0, "Shared": 1, "NULL": 66, "Heap is gone": 4}
    assert counts(panel) == expect
    assert "Shared 1 tiles" in panel.legend.accessibleName()


def test_that_the_tab_is_made_with_the_first_tiles_and_leaves_with_them(
    view: SubresourcesView, workspace: Workspace
) -> None:
    assert view.tiles is None
    choose(workspace, "Atlas")
    assert view.tiles is not None
    view.show_tab("copy")
    assert not view.forms.isHidden()
    assert view.tiles.isHidden()
    choose(workspace, "Ground")
    assert view.tiles.isHidden(), "the tab that was chosen stays"
    view.show_tab(TILES)
    assert counts(view.tiles)["Mapped in this frame"] == 3
    assert view.figures.text().endswith("256.00 KiB of memory"), "one tile behind four counts once"


def test_that_a_click_shows_the_arithmetic_the_call_and_points_to_the_bytes(
    qtbot: QtBot, view: SubresourcesView, panel: TilesPanel
) -> None:
    with qtbot.waitSignal(view.bytes_wanted, timeout=1000) as pointed:
        click(qtbot, panel, 11)
    assert pointed.args == [("Pool", 19 * TILE, TILE), True]
    assert panel.card.title.text() == "Tile 11 · mip 0 (3, 1, 0)"
    assert panel.card.state.text() == "mapped"
    results = panel.card.steps.results()
    assert results["Tile"] == "11"
    assert results["Heap tile"] == "19"
    assert results["Heap offset"] == "0x0013_0000"
    assert "put memory behind 16 tiles" in panel.card.text.text()
    assert "Covers texels 384 – 511, 128 – 255." in panel.card.text.text()


def test_that_a_shared_tile_names_who_else_shows_it_and_leads_there(
    qtbot: QtBot, view: SubresourcesView, panel: TilesPanel, workspace: Workspace
) -> None:
    click(qtbot, panel, 2)
    assert panel.card.state.text() == "shared"
    assert panel.card.links() == ["Atlas, tile 2: mip 0 (2, 0, 0)", "Ground, tiles 0 – 3: mip 0 (0, 0, 0) and on"]
    panel.card._links[1].click()
    assert view.title.text() == "Ground"
    assert workspace.selection == (snapshot().resources.names.index("Ground"),)
    assert (panel.canvas.selected, panel.side()) == (0, RESOURCE)
    assert "mapped in this frame" in panel.card.state.text()


def test_that_a_tile_leads_to_its_pool_where_every_tile_says_who_shows_it(qtbot: QtBot, panel: TilesPanel) -> None:
    click(qtbot, panel, 2)
    panel.card.other.click()
    assert (panel.side(), panel.pools.currentText(), panel.canvas.selected) == (POOL, "Pool", 10)
    assert panel.card.title.text() == "Tile 10 of Pool"
    assert len(panel.card.links()) == 2
    assert counts(panel) == {"This resource": 15, "Other resources": 3, "Shared": 1, "Free": 45}
    click(qtbot, panel, 50)
    assert panel.card.text.text().startswith("Free")
    assert panel.card.links() == []
    states = panel.canvas.sheet.states
    assert states(np.array([10, 41, 50])).tolist() == [PoolState.SHARED, PoolState.OTHER, PoolState.FREE]


def test_that_a_lost_heap_and_a_null_tile_say_so_with_their_rule(
    qtbot: QtBot, view: SubresourcesView, panel: TilesPanel
) -> None:
    with qtbot.waitSignal(view.bytes_wanted, timeout=1000) as pointed:
        click(qtbot, panel, 3)
        click(qtbot, panel, 65)
    assert panel.card.state.text() == "heap is gone"
    assert panel.card.rule.whole() == "Rule device.dangling-tile"
    assert panel.card.map.isHidden()
    assert "point to Lost, which is gone" in panel.card.text.text()
    assert pointed.args[0] is not None
    click(qtbot, panel, 40)
    assert (panel.card.state.text(), panel.card.rule.whole()) == ("NULL", "Rule d3d12.6.5a")
    assert "Heap tile" not in panel.card.steps.results()


def test_that_hover_tells_coordinates_heap_bytes_and_call(qtbot: QtBot, panel: TilesPanel) -> None:
    at = panel.canvas.tile_rect(11).center().toPoint()
    qtbot.mouseMove(panel.canvas.viewport(), at)
    qtbot.waitUntil(lambda: panel.canvas.tip.title != "", timeout=1000)
    rows = dict(panel.canvas.tip.rows)
    assert panel.canvas.tip.title == "Tile 11 · mip 0 (3, 1, 0)"
    assert (rows["X, Y, Z"], rows["Subresource"], rows["Heap"], rows["Heap tile"]) == ("3, 1, 0", "0", "Pool", "19")
    assert rows["Heap offset"] == "0x0013_0000, 65,536 B"
    assert rows["Changed by"].endswith("frame 0")
    assert rows["Rule"] == "d3d12.6.6a"


def test_that_a_tile_of_an_evicted_heap_says_so(view: SubresourcesView, workspace: Workspace) -> None:
    made = Rig()
    made.heap("Pool", 64 * TILE, flags=("ALLOW_ONLY_NON_RT_DS_TEXTURES",))
    made.call("CreateReservedResource", {"pDesc": TEXTURE}, "Atlas")
    _map(made, "Atlas", "Pool", 0, 4)
    made.call("Evict", {"ppObjects": ["Pool"]})
    workspace.show_file(Document("file", "evicted"), PictureMaker().make(made.device, Provenance(), None))
    choose(workspace, "Atlas")
    assert view.tiles is not None
    rows = dict(view.tiles.canvas.sheet.tell(1).rows)
    assert rows["Heap"] == "Pool, not resident"


def test_that_keys_walk_all_tiles_with_accessible_words(qtbot: QtBot, panel: TilesPanel) -> None:
    canvas = panel.canvas
    canvas.setFocus()
    for key, tile in (
        (Qt.Key.Key_Right, 1), (Qt.Key.Key_Down, 9), (Qt.Key.Key_Left, 8), (Qt.Key.Key_Up, 0),
        (Qt.Key.Key_PageDown, 64), (Qt.Key.Key_End, 85), (Qt.Key.Key_Home, 0),
    ):  # fmt: skip
        qtbot.keyClick(canvas, key)
        assert canvas.focus_tile == tile
        assert canvas.accessibleDescription().startswith(f"Tile {tile} · ")
    pitch = canvas.pitch
    for key, changes in (("[", -1), ("]", 1), ("[", -1)):
        qtbot.keyClicks(canvas, key)
        assert (canvas.pitch - pitch) * changes > 0
        pitch = canvas.pitch
    qtbot.keyClick(canvas, Qt.Key.Key_F)
    assert canvas.pitch > pitch
    qtbot.keyClick(canvas, Qt.Key.Key_Return)
    assert panel.card.title.text() == "Tile 0 · mip 0 (0, 0, 0)"
    assert "Heap tile 8" in canvas.accessibleDescription()


def test_that_n_finds_what_was_mapped_in_this_frame(qtbot: QtBot, panel: TilesPanel, workspace: Workspace) -> None:
    choose(workspace, "Ground")
    panel.canvas.setFocus()
    qtbot.keyClick(panel.canvas, Qt.Key.Key_N)
    assert panel.canvas.focus_tile == 20
    qtbot.keyClick(panel.canvas, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    assert panel.canvas.focus_tile == 0


def wheel(
    canvas: object, at: QPointF, steps: int, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    port = canvas.viewport()
    event = QWheelEvent(
        at, QPointF(port.mapToGlobal(at.toPoint())), QPoint(), QPoint(0, 120 * steps), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(port, event)


def test_that_the_wheel_zooms_about_the_tile_under_it_and_a_drag_pans(
    qtbot: QtBot, panel: TilesPanel, workspace: Workspace
) -> None:
    workspace.show_file(Document("file", "run"), streaming(0))
    choose(workspace, "Reserved 00")
    canvas = panel.canvas
    canvas.zoom(len(PITCHES))
    # Where neither bar is at its end at any of the zooms.
    start, at = canvas.tile_rect(204).center(), QPointF(400, 480)
    for bar, shift in (
        (canvas.horizontalScrollBar(), start.x() - at.x()),
        (canvas.verticalScrollBar(), start.y() - at.y()),
    ):
        bar.setValue(bar.value() + round(shift))
    for steps in (-1, 1, -1, -1, 1, 1):
        before = canvas.pitch
        wheel(canvas, at, steps)
        assert (canvas.pitch > before) is (steps > 0)
        assert canvas.tile_at(at) == 204
    start = canvas.verticalScrollBar().value()
    assert canvas.verticalScrollBar().maximum() > 60
    port = canvas.viewport()
    qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=QPoint(200, 200))
    qtbot.mouseMove(port, QPoint(200, 190))
    qtbot.mouseMove(port, QPoint(200, 160))
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=QPoint(200, 160))
    assert canvas.verticalScrollBar().value() == min(start + 40, canvas.verticalScrollBar().maximum())
    assert canvas.selected is None, "a pan picks nothing"
    far, fit, near = panel.buttons
    far.click()
    assert canvas.pitch < PITCHES[-1]
    near.click()
    assert canvas.pitch == PITCHES[-1]
    fit.click()
    assert canvas.verticalScrollBar().maximum() == 0


def test_that_a_resource_in_one_piece_says_why_and_what_would_be(
    qtbot: QtBot, view: SubresourcesView, workspace: Workspace
) -> None:
    choose(workspace, "Plain")
    assert not view.shows_tiles()
    assert view.tabs.words() == ("Copy footprints", "In memory", "Tiles")
    view.show_tab(TILES)
    panel = view.tiles
    assert panel is not None
    assert panel.banner.text().startswith("Not a reserved resource: it has no tile mappings. It is committed")
    assert "GetResourceTiling would give 86 tiles" in panel.banner.text()
    click(qtbot, panel, 5)
    assert panel.card.state.text() == "would be"
    assert panel.card.map.isHidden()
    assert counts(panel) == {"Would be a tile": 86}
    panel.show_side(POOL)
    assert counts(panel)["This resource"] == 0


def test_that_what_cannot_be_reserved_is_an_empty_state_with_the_rule(
    view: SubresourcesView, workspace: Workspace
) -> None:
    made = Rig(tiled_resources_tier="0")
    made.call("CreateCommittedResource", {
        "pHeapProperties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"}, "pDesc": PLAIN,
    }, "Plain")  # fmt: skip
    provenance = Provenance(options={"tiled_resources_tier": "0"})
    workspace.show_file(Document("file", "other"), PictureMaker().make(made.device, provenance, None))
    choose(workspace, "Plain")
    view.show_tab(TILES)
    panel = view.tiles
    assert panel is not None
    assert "could not be one" in panel.empty.findChild(QLabel, "empty_title").text()
    assert "tiled resources tier 1" in panel.empty.findChild(QLabel, "empty_why").text()
    assert panel.canvas.isHidden()
    assert panel.tier.texts()[0] == "Reserved buffers and 2D textures: from tier 1 on"
    panel.show_side(POOL)
    assert panel.empty.findChild(QLabel, "empty_title").text() == "No heap is used as a tile pool"
    panel.empty.acted.emit()
    assert panel.side() == RESOURCE


def test_that_direct3d_11_has_no_side_with_pools(view: SubresourcesView, workspace: Workspace) -> None:
    workspace.show_file(Document("file", "run"), load_simulation("d3d11-game-hd7970").snapshot())
    choose(workspace, "G-buffer 0")
    view.show_tab(TILES)
    panel = view.tiles
    assert panel is not None
    assert panel.banner.text().startswith("Not a tiled resource: it has no tile mappings.")
    assert panel.sides.isHidden()
    assert panel.tier.isHidden()
    choose(workspace, "Luminance read-back")
    assert "could not be one" in panel.empty.findChild(QLabel, "empty_title").text()
    assert panel._side.isHidden()


def test_that_rules_are_asked_for_by_their_links(qtbot: QtBot, panel: TilesPanel, workspace: Workspace) -> None:
    click(qtbot, panel, 11)
    for button, rule in ((panel.card.rule, "d3d12.6.6a"), (panel.tier._rows[3], "d3d12.3.15e")):
        with qtbot.waitSignal(workspace.rule_requested, timeout=1000) as asked:
            button.click()
        assert asked.args == [rule]


def test_that_the_map_outlines_the_bytes_of_a_tile_and_comes_to_them(
    qtbot: QtBot, view: SubresourcesView, panel: TilesPanel, workspace: Workspace
) -> None:
    map_view = MemoryMapView()
    qtbot.addWidget(map_view)
    map_view.resize(800, 500)
    map_view.show()
    qtbot.waitExposed(map_view)
    map_view.show_snapshot(snapshot())
    view.bytes_wanted.connect(lambda place, reveal: map_view.show_bytes(place, reveal=reveal))
    click(qtbot, panel, 11)
    overlay, screen = map_view.canvas.overlay, map_view.screen_state
    span = overlay.pointed_range()
    assert span is not None
    assert span[1] - span[0] == TILE
    assert (screen.focus.first, screen.focus.end) == span
    block = screen.focus.block
    assert int(snapshot().blocks.resource[block]) == workspace.selection[0]
    assert int(snapshot().blocks.offset[block]) <= 19 * TILE
    panel.forget()
    assert overlay.pointed_range() is None


def test_that_a_resource_is_followed_when_others_before_it_go(view: SubresourcesView, workspace: Workspace) -> None:
    made = Rig()
    made.heap("Pool", 64 * TILE, flags=("ALLOW_ONLY_NON_RT_DS_TEXTURES",))
    for name in ("First", "Atlas"):
        made.call("CreateReservedResource", {"pDesc": TEXTURE}, name)
    _map(made, "Atlas", "Pool", 0, 4)
    workspace.show_file(Document("file", "run"), PictureMaker().make(made.device, Provenance(), None))
    choose(workspace, "Atlas")
    assert view.tiles is not None
    assert counts(view.tiles)["NULL"] == 82
    made.call("Release", {"pObject": "First"})
    _map(made, "Atlas", "Pool", 8, 4)
    workspace._show(PictureMaker().make(made.device, Provenance(), None))
    view._show()
    assert view.title.text() == "Atlas"
    assert counts(view.tiles)["NULL"] == 78


def test_that_in_the_window_a_tile_points_on_the_map_and_leads_there(window: MainWindow) -> None:
    workspace = window.workspace
    workspace.show_file(Document("file", "test"), snapshot())
    choose(workspace, "Atlas")
    workspace.goto("subresources")
    view = window.views["subresources"]
    assert view.isVisible()
    view.tiles.pick(11)
    assert window.views["map"].screen_state.pointed == ("Pool", 19 * TILE, TILE)
    view.tiles.card.map.click()
    assert window.views["map"].isVisible()
    choose(workspace, "Plain")
    assert not view.isVisible()
    assert window.views["map"].screen_state.pointed is None


def test_that_mappings_follow_a_playing_scenario_at_the_zoom_of_now(
    view: SubresourcesView, workspace: Workspace
) -> None:
    workspace.show_file(Document("file", "run"), streaming(3))
    choose(workspace, "Reserved 00")
    panel = view.tiles
    assert panel is not None
    assert counts(panel)["Mapped in this frame"] == 256
    panel.canvas.zoom(-2)
    pitch = panel.canvas.pitch
    panel.pick(7)
    workspace._show(streaming(29))
    view._show()
    assert panel.canvas.pitch == pitch
    assert panel.canvas.selected == 7
    assert panel.card.state.text() == "NULL"
    assert "took it from 256" in panel.card.text.text()
    assert panel.canvas.sheet.tell(7).look == TileState.NONE


@pytest.mark.parametrize("width", [420, 900, 2000])
@pytest.mark.parametrize("name", ["light", "dark"])
def test_that_it_paints_at_any_width_in_both_themes(
    view: SubresourcesView, panel: TilesPanel, theme: Theme, width: int, name: str
) -> None:
    theme.choose(name)
    view.resize(width, 700)
    assert view.width() == width
    image = view.grab().toImage()
    colours = {image.pixel(x, y) for x in range(0, width, 3) for y in range(0, 700, 3)}
    for wanted in (theme.kind_colour(panel._kind), theme.colour("free", "map"), theme.colour("hazard", "descriptor")):
        assert wanted.rgb() in colours
    assert panel._side.widget().minimumSizeHint().width() <= 380
