"""The window by keyboard alone: where it begins, where Tab goes, and that nothing is a trap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from explorer.ui.tab_order import next_stop, reading_order, stops_in

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from explorer.ui.main_window import MainWindow

_WAY = (
    "palette_field", "action_play", "scrubber", "adapter_card", "option_policy", "create_kind", "create_name",
    "field_Width", "field_Height", "field_Pool", "create_button", "create_ghost", "qt_tabwidget_tabbar", "map_mode",
    "map_search", "map_canvas", "event_kind", "events_table", "status_note",
)  # fmt: skip
"""Some stops of the first layout, in the order in which they lie."""


def _walk(qtbot: QtBot, window: MainWindow, key: Qt.Key, start: QWidget) -> list[QWidget]:
    """Press Tab until the start has the focus again, and return where it went."""
    start.setFocus()
    way: list[QWidget] = []
    for _ in range(400):
        now = window.focusWidget()
        assert now is not None, f"the focus was lost behind {way[-1:]}"
        if way and now is start:
            return way
        way.append(now)
        qtbot.keyClick(now, key)
    raise AssertionError(f"Tab never came round: {[part.objectName() for part in way[-20:]]}")


@pytest.mark.parametrize(
    ("places", "order"),
    [
        ([(0, 0)], [0]),
        ([], []),
        ([(100, 2), (0, 0), (0, 40)], [1, 0, 2]),
        ([(0, 40), (50, 44), (100, 38), (0, 80)], [0, 1, 2, 3]),
        ([(0, 10), (0, 17), (50, 12)], [0, 2, 1]),
    ],
)
def test_that_places_are_read_row_by_row(places: list[tuple[int, int]], order: list[int]) -> None:
    assert reading_order(places) == order


@hypothesis_settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 2000)), max_size=40))
def test_that_every_place_is_read_once(places: list[tuple[int, int]]) -> None:
    assert sorted(reading_order(places)) == list(range(len(places)))


def test_that_the_keyboard_begins_on_the_map(window: MainWindow) -> None:
    assert window.focusWidget() is window.views["map"].canvas


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900), (2560, 1440)])
def test_that_tab_goes_through_the_window_as_it_lies_and_comes_round(
    qtbot: QtBot, live: MainWindow, size: tuple[int, int]
) -> None:
    live.resize(*size)
    qtbot.waitUntil(lambda: (live.width(), live.height()) == size, timeout=3000)
    live.show_view("create")
    way = [part.objectName() for part in _walk(qtbot, live, Qt.Key.Key_Tab, live.views["map"].canvas)]
    turned = way[way.index("palette_field") :] + way[: way.index("palette_field")]
    passed = [name for name in turned if name in _WAY]
    shown = [name for name in _WAY if name in turned]
    assert passed == shown
    assert {"palette_field", "create_kind", "field_Width", "create_button", "map_canvas", "events_table"} <= set(shown)


def test_that_shift_tab_goes_the_same_way_back(qtbot: QtBot, live: MainWindow) -> None:
    start = live.views["map"].canvas
    there = [part.objectName() for part in _walk(qtbot, live, Qt.Key.Key_Tab, start)]
    back = [part.objectName() for part in _walk(qtbot, live, Qt.Key.Key_Backtab, start)]
    named = {name for name in _WAY if name in there}
    assert [name for name in reversed(back) if name in named] == [
        name for name in there[1:] + there[:1] if name in named
    ]


def test_that_fields_made_late_stand_where_they_are_read(qtbot: QtBot, live: MainWindow) -> None:
    live.show_view("create")
    create = live.views["create"]
    create.choose_kind("CreateVertexBuffer")
    names = [stop.objectName() for stop in stops_in(create)]
    assert names.index("create_name") < names.index("field_Length") < names.index("create_button")
    assert "field_Width" not in names, "the form of the other kind is hidden"


def test_that_the_focus_inside_a_control_counts_as_that_control(qtbot: QtBot, live: MainWindow) -> None:
    live.show_view("create")
    box = live.views["create"].form().field("Format").editor()
    inner = box.lineEdit()
    stops = stops_in(live.views["create"])
    assert next_stop([live.views["create"]], inner, forward=True) is stops[stops.index(box) + 1]
    assert next_stop([], inner, forward=True) is None


def test_that_a_hidden_dock_is_passed_by(qtbot: QtBot, live: MainWindow) -> None:
    live.docks["events"].close()
    live.docks["advisor"].close()
    way = _walk(qtbot, live, Qt.Key.Key_Tab, live.views["map"].canvas)
    assert not [part for part in way if live.views["events"].isAncestorOf(part)]
    assert all(isinstance(QApplication.focusWidget(), QWidget) and part.isVisible() for part in way)
