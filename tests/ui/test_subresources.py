"""The Subresources view on resources of real snapshots."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from explorer.core.calls import CallRecord
from explorer.core.units import format_exact
from explorer.sim.layouts import lay_out
from explorer.sim.scenarios import load_simulation
from explorer.ui.subresources_table import TITLES, SubresourceModel
from explorer.ui.subresources_view import SubresourcesView
from explorer.ui.workspace import Document

if TYPE_CHECKING:
    from pytestqt.modeltest import ModelTester
    from pytestqt.qtbot import QtBot

    from explorer.sim.snapshot import Snapshot
    from explorer.ui.theme import Theme
    from explorer.ui.workspace import Workspace

BINDLESS = "d3d12-bindless-staging-descriptors"
SHOOTER = "d3d9-shooter-2003-agp-64mb"


@functools.cache
def snapshot_of(scenario: str) -> Snapshot:
    return load_simulation(scenario).snapshot()


@functools.cache
def with_array() -> Snapshot:
    """Return the bindless scenario with a texture of four slices in the place of Texture 0007."""
    snapshot = snapshot_of(BINDLESS)
    desc = {
        "Dimension": "D3D12_RESOURCE_DIMENSION_TEXTURE2D", "Width": 256, "Height": 256, "DepthOrArraySize": 4,
        "MipLevels": 6, "Format": "DXGI_FORMAT_BC7_UNORM",
    }  # fmt: skip
    record = CallRecord("d3d12", "CreateCommittedResource", {
        "pHeapProperties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"}, "pDesc": desc,
        "InitialResourceState": "D3D12_RESOURCE_STATE_COMMON",
    })  # fmt: skip
    records = list(snapshot.resources.records)
    records[snapshot.resources.names.index("Texture 0007")] = record
    table = dataclasses.replace(snapshot.resources, records=tuple(records))
    return dataclasses.replace(snapshot, resources=table)


@pytest.fixture
def view(qtbot: QtBot, workspace: Workspace) -> SubresourcesView:
    made = SubresourcesView(workspace)
    qtbot.addWidget(made)
    made.resize(1200, 800)
    made.show()
    qtbot.waitExposed(made)
    workspace.snapshot_changed.connect(made.show_snapshot)
    return made


def show(view: SubresourcesView, workspace: Workspace, snapshot: Snapshot, name: str | None) -> None:
    workspace.show_file(Document("file", "test"), snapshot)
    if name is not None:
        workspace.select((snapshot.resources.names.index(name),))
    view.hide()
    view.show()


def empty_title(view: SubresourcesView) -> str:
    return view.empty.findChild(QLabel, "empty_title").text()


def test_that_a_texture_array_shows_mips_slices_and_its_sums(view: SubresourcesView, workspace: Workspace) -> None:
    show(view, workspace, with_array(), "Texture 0007")
    form = view.form()
    assert (form.id, form.mips, form.slices) == ("copy", 6, 4)
    assert view.title.text() == "Texture 0007"
    assert view.figures.text().startswith("24 subresources")
    assert view.tabs.words() == ("Copy footprints", "In memory", "Tiles")
    assert sum(size for _, size in view.legend.entries) == form.layout.size_bytes
    assert view.model.rowCount() == 24


def test_that_a_click_shows_the_arithmetic_and_selects_the_row(
    qtbot: QtBot, view: SubresourcesView, workspace: Workspace
) -> None:
    show(view, workspace, with_array(), "Texture 0007")
    qtbot.waitUntil(lambda: view.canvas.width() > 300, timeout=1000)
    canvas, index = view.canvas, 6 + 3
    box = canvas.box_rect(canvas.picture().box(index))
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    part = view.form().layout.subresources[index]
    assert view.selected == index
    assert view.table.currentIndex().row() == index
    assert view.card.title.text() == "Subresource 9"
    assert view.card.formula.text() == "3 + 1 × 6"
    results = view.card.results()
    assert results["Bytes"] == format_exact(part.size_bytes)
    assert results["Row pitch"] == format_exact(part.row_pitch)
    assert results["Rows"] == f"{part.rows:,}"
    assert "d3d12.5.2" in view.card.rules.text()


def test_that_table_keys_and_strip_share_the_selection(
    qtbot: QtBot, view: SubresourcesView, workspace: Workspace
) -> None:
    show(view, workspace, with_array(), "Texture 0007")
    view.table.setCurrentIndex(view.model.index(7, 0))
    assert view.selected == view.canvas.selected == 7
    view.canvas.setFocus()
    qtbot.keyClick(view.canvas, Qt.Key.Key_Right)
    assert view.selected == 13
    assert view.table.currentIndex().row() == 13
    assert "mip 1, slice 2" in view.canvas.accessibleDescription()
    qtbot.keyClick(view.canvas, Qt.Key.Key_Up)
    assert view.selected == 12
    placed = [(index, rect) for index, rect in view.strip._placed() if index == 13]
    qtbot.mouseClick(view.strip, Qt.MouseButton.LeftButton, pos=placed[0][1].center().toPoint())
    assert view.selected == 13


def test_that_tabs_switch_between_copy_and_memory(qtbot: QtBot, view: SubresourcesView, workspace: Workspace) -> None:
    show(view, workspace, with_array(), "Texture 0007")
    view.pick(5)
    view.tabs.setFocus()
    qtbot.keyClick(view.tabs, Qt.Key.Key_Right)
    form = view.form()
    assert form.id == "memory"
    assert view.selected == 5
    assert view.model_line.text().startswith(f"Model {form.layout.model}, {form.layout.confidence}")
    assert format_exact(form.layout.size_bytes) in view.whole.figures.text()
    assert all(step in view.whole.steps.text() for step in form.layout.steps)


def test_that_a_managed_texture_shows_both_copies(view: SubresourcesView, workspace: Workspace) -> None:
    snapshot = snapshot_of(SHOOTER)
    table = snapshot.resources
    row = next(i for i, p in enumerate(table.place) if table.places[p] == "D3DPOOL_MANAGED" and table.mips[i] > 1)
    show(view, workspace, snapshot, table.names[row])
    assert view.tabs.words() == ("Video memory", "System copy")
    assert view.model_line.text().startswith("Model linear, assumed")


def test_that_a_buffer_is_one_subresource(view: SubresourcesView, workspace: Workspace) -> None:
    snapshot = snapshot_of(SHOOTER)
    table = snapshot.resources
    row = next(i for i, d in enumerate(table.dimension) if table.dimensions[d] == "VERTEXBUFFER")
    show(view, workspace, snapshot, table.names[row])
    assert view.model.rowCount() == 1
    assert view.figures.text().startswith("1 subresource ·")


def test_that_the_view_follows_the_selection_and_keeps_its_place_in_the_same_resource(
    view: SubresourcesView, workspace: Workspace
) -> None:
    snapshot = with_array()
    show(view, workspace, snapshot, "Texture 0007")
    view.pick(11)
    view.show_snapshot(snapshot)
    assert view.selected == 11
    workspace.select((snapshot.resources.names.index("Texture 0003"),))
    assert view.title.text() == "Texture 0003"
    assert view.selected == 0


def test_that_an_empty_view_says_why(view: SubresourcesView, workspace: Workspace) -> None:
    assert empty_title(view) == "Nothing is open"
    snapshot = snapshot_of(BINDLESS)
    show(view, workspace, snapshot, None)
    assert empty_title(view) == "No resource is selected"
    workspace.select((10, 11))
    assert empty_title(view) == "2 resources are selected"
    heap = snapshot.resources.names.index("Views (staging)")
    workspace.select((heap,))
    assert empty_title(view) == "The subresources of Views (staging) are not known"
    workspace.select(())
    view.empty.acted.emit()
    assert len(workspace.selection) == 1
    assert not view.body.isHidden()


def test_that_an_imported_resource_says_what_the_file_lacks(view: SubresourcesView, workspace: Workspace) -> None:
    snapshot = snapshot_of(BINDLESS)
    bare = dataclasses.replace(snapshot.resources, records=(None,) * len(snapshot.resources.names))
    imported = dataclasses.replace(snapshot, origin="imported", resources=bare, adapter=None)
    show(view, workspace, imported, "Texture 0003")
    assert "not how it was created" in view.empty.findChild(QLabel, "empty_why").text()


def test_that_the_table_is_a_sound_model(qtmodeltester: ModelTester, theme: Theme) -> None:
    model = SubresourceModel(theme)
    snapshot = with_array()
    found = lay_out(snapshot, snapshot.resources.names.index("Texture 0007"))
    model.show_form(found.forms[0])
    qtmodeltester.check(model)
    assert len(model.cells(0)) == len(TITLES)
    assert model.cells(6)[:3] == ("6", "0", "1")


@pytest.mark.parametrize("width", [420, 900, 2000])
@pytest.mark.parametrize("name", ["light", "dark"])
def test_that_it_paints_at_any_width_in_both_themes(
    view: SubresourcesView, workspace: Workspace, theme: Theme, width: int, name: str
) -> None:
    theme.choose(name)
    view.resize(width, 700)
    show(view, workspace, with_array(), "Texture 0007")
    assert view.width() == width
    image = view.grab().toImage()
    colours = {image.pixel(x, y) for x in range(0, width, 7) for y in range(0, 700, 7)}
    assert theme.kind_colour(view.canvas.kind).rgb() in colours
