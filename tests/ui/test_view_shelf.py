"""Views are made when they are first looked at, and know then what they would have known all along."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from explorer.ui.application import make_window
from explorer.ui.views import VIEWS, view_ids

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

    from explorer.ui.main_window import MainWindow
    from explorer.ui.settings import Settings

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support grabbing the keyboard", extend=True)

_BEHIND = {"resources", "advisor", "tour", "policies", "descriptors", "subresources"}
"""In the first layout these lie behind others, however large the window is."""


def _made(window: MainWindow) -> set[str]:
    return {name for name, _ in window.views.existing()}


@pytest.mark.parametrize("size", [(1200, 700), (1440, 900), (2560, 1440)])
def test_that_the_first_paint_waits_for_no_view_behind_another(
    qtbot: QtBot, qapp: QApplication, settings: Settings, size: tuple[int, int]
) -> None:
    window = make_window(qapp, settings, "light")
    qtbot.addWidget(window)
    window.resize(*size)
    window.show()
    window.grab()
    assert {"map", "timeline", "events"} <= _made(window)
    assert not _made(window) & _BEHIND


def test_that_tabs_that_count_do_so_before_anyone_looks(qtbot: QtBot, live: MainWindow) -> None:
    qtbot.waitUntil(lambda: {"resources", "events", "advisor"} <= _made(live), timeout=9000)
    total = len(live.workspace.snapshot.resources.names)
    assert live.docks["resources"].windowTitle().endswith(f"{total:,}")
    # Nobody asked for these.
    assert not _made(live) & {"policies", "descriptors", "subresources"}


@pytest.mark.parametrize("name", view_ids())
def test_that_the_palette_brings_every_view_to_the_front_with_all_it_must_know(
    qtbot: QtBot, live: MainWindow, name: str
) -> None:
    live.workspace.select((2,))
    live.actions_set["palette"].trigger()
    palette = live.palette_popup()
    title = next(spec.title for spec in VIEWS if spec.id == name)
    entry = next(entry for entry in palette.entries() if (entry.kind, entry.key) == ("view", name))
    assert title in entry.text
    palette.entry_chosen.emit(entry)
    palette.hide()
    view = live.views[name]
    qtbot.waitUntil(lambda: view.isVisible() and not view.visibleRegion().isEmpty(), timeout=3000)
    assert live.pacer.shown_by(view) is live.workspace.snapshot
    if name == "inspector":
        assert view.title_text() == live.workspace.snapshot.resources.names[2]
    if name in ("map", "resources"):
        assert live.workspace.selection == (2,)


def test_that_a_tab_of_the_centre_makes_its_view(qtbot: QtBot, live: MainWindow) -> None:
    assert "descriptors" not in _made(live)
    live.centre_tabs.setCurrentWidget(live.views.place("descriptors"))
    assert "descriptors" in _made(live)
    assert live.views["descriptors"].isVisible()


def test_that_a_restored_layout_makes_the_view_that_it_shows(
    qtbot: QtBot, qapp: QApplication, settings: Settings
) -> None:
    first = make_window(qapp, settings, "light")
    qtbot.addWidget(first)
    first.show()
    first.show_view("policies")
    first.close()
    second = make_window(qapp, settings, "light")
    qtbot.addWidget(second)
    second.show()
    second.grab()
    assert "policies" in _made(second)
    assert "inspector" not in _made(second)


def test_that_a_late_view_hears_of_a_selection_made_before_it(qtbot: QtBot, live: MainWindow) -> None:
    live.workspace.select((1,))
    live.show_view("resources")
    table = live.views["resources"]
    qtbot.waitUntil(lambda: len(table.table.selectionModel().selectedRows()) == 1, timeout=3000)
    row = table.table.selectionModel().selectedRows()[0].row()
    assert int(table.model.order[row]) == 1


def test_that_a_window_closed_at_once_makes_nothing_afterwards(
    qtbot: QtBot, qapp: QApplication, settings: Settings
) -> None:
    window = make_window(qapp, settings, "light")
    qtbot.addWidget(window)
    window.show()
    window.grab()
    qtbot.waitExposed(window)
    window.close()
    with qtbot.assertNotEmitted(window.views.made, wait=150):
        qapp.sendPostedEvents()


_LATE = (
    "numba", "pyqtgraph", "importlib.metadata", "explorer.sim.commands", "explorer.sim.simulation",
    "explorer.device.d3d12", "explorer.ui.resources_view", "explorer.ui.policies_view",
    "explorer.ui.descriptors_view", "explorer.ui.subresources_view", "explorer.ui.tour_view",
)  # fmt: skip


def test_that_the_first_paint_imports_nothing_that_it_does_not_show(tmp_path: Path) -> None:
    code = f"""
import sys
from pathlib import Path
from explorer.ui.application import make_application, make_window
from explorer.ui.settings import Settings
window = make_window(make_application(), Settings(Path({str(tmp_path / "window.ini")!r})), "light")
window.show()
window.grab()
print(*[name for name in {_LATE!r} if name in sys.modules], sep=",")
sys.stdout.flush()
import os
os._exit(0)
"""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "MEMORY_EXPLORER_HOME": str(tmp_path)}
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment)
    assert told.stdout.strip() == ""
