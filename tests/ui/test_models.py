"""Item models: thin shells that keep Qt's contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QModelIndex, Qt

from explorer.ui.adapter_picker import AdapterModel
from explorer.ui.events_view import EventModel
from explorer.ui.resource_model import ResourceModel
from explorer.ui.resource_rows import COLUMNS
from explorer.ui.resources_view import ResourcesView
from explorer.ui.workspace import Document
from tests.ui.builders import make_events, make_snapshot

if TYPE_CHECKING:
    import pytest
    from pytestqt.qtbot import QtBot

    from explorer.ui.theme import Theme
    from explorer.ui.workspace import Workspace

_ROOT = QModelIndex()


def test_that_the_resource_model_passes_qts_tester_through_sorts_and_filters(theme: Theme, qtmodeltester: Any) -> None:
    model = ResourceModel(theme)
    qtmodeltester.check(model)
    model.set_snapshot(make_snapshot(40))
    qtmodeltester.check(model)
    model.sort(6, Qt.SortOrder.DescendingOrder)
    model.set_filters({"size": ">= 64KiB"})
    qtmodeltester.check(model)
    model.set_snapshot(make_snapshot(55, generation=1))
    qtmodeltester.check(model)
    model.set_filters({"name": "nothing has this name"})
    assert model.rowCount() == 0
    qtmodeltester.check(model)


def test_that_the_event_model_passes_qts_tester_while_it_grows(theme: Theme, qtmodeltester: Any) -> None:
    model = EventModel(theme)
    model.set_events(make_events(10))
    qtmodeltester.check(model)
    model.set_events(make_events(14))
    assert model.rowCount() == 14
    model.set_events(make_events(14, first=3))
    model.set_filter("evicted", "thing")
    assert all(event.kind == "evicted" for event in model.shown)
    qtmodeltester.check(model)


def test_that_new_events_at_the_end_are_inserted_without_a_reset(qtbot: QtBot, theme: Theme) -> None:
    model = EventModel(theme)
    model.set_events(make_events(10))
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.rowsInserted, timeout=500):
        model.set_events(make_events(12))


def test_that_the_adapter_model_finds_words_and_classes(qtmodeltester: Any) -> None:
    from explorer.tables.adapters import adapters

    model = AdapterModel()
    model.set_adapters(adapters())
    everything = model.rowCount()
    model.set_filter("rtx laptop", "discrete")
    assert model.shown
    assert all("laptop" in f"{a.name} {a.id}".lower() for a in model.shown)
    model.set_filter("no such card at all", "")
    assert model.rowCount() == 0
    model.set_filter("", "")
    assert model.rowCount() == everything
    qtmodeltester.check(model)


def test_that_rows_sort_as_one_array_without_an_object_for_each(theme: Theme) -> None:
    model = ResourceModel(theme)
    snapshot = make_snapshot(20_000)
    model.set_snapshot(snapshot)
    model.sort(6, Qt.SortOrder.DescendingOrder)
    assert isinstance(model.order, np.ndarray)
    assert model.order.dtype == np.int64
    sizes = snapshot.resources.size[model.order]
    assert (np.diff(sizes) <= 0).all()


def test_that_rows_of_resources_are_found_in_any_order(theme: Theme) -> None:
    model = ResourceModel(theme)
    model.set_snapshot(make_snapshot(100))
    model.sort(0, Qt.SortOrder.DescendingOrder)
    rows = model.rows_of([5, 90, 17])
    assert sorted(model.order[rows].tolist()) == [5, 17, 90]
    model.set_filters({"size": ">= 1MiB"})
    hidden = [i for i in range(100) if i not in set(model.order.tolist())]
    assert len(model.rows_of(hidden)) == 0


def test_that_sizes_are_shown_in_the_users_units(theme: Theme) -> None:
    model = ResourceModel(theme)
    model.set_snapshot(make_snapshot(3))
    size = [column.id for column in COLUMNS].index("size")
    assert "iB" in model.index(0, size).data() or model.index(0, size).data().endswith(" B")
    model.set_exact(True)
    assert model.index(0, size).data().endswith(" B")
    assert "iB" not in model.index(0, size).data()


def test_that_painting_a_selection_of_everything_does_not_walk_over_its_rows(
    qtbot: QtBot, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, original = 0, ResourceModel.rowCount

    def count(self: ResourceModel, parent: QModelIndex = _ROOT) -> int:
        nonlocal asked
        asked += 1
        return original(self, parent)

    # Before the view is made: PySide looks overrides up once.
    monkeypatch.setattr(ResourceModel, "rowCount", count)
    view = ResourcesView(workspace)
    qtbot.addWidget(view)
    view.resize(900, 400)
    view.show()
    snapshot = make_snapshot(20_000)
    workspace.show_file(Document("file", "test"), snapshot)
    view.show_snapshot(snapshot)
    workspace.select(range(20_000))
    view.select_resources(workspace.selection)
    assert len(view.table.selectionModel().selection()) == 1
    asked = 0
    view.grab()
    assert asked < 2_000
