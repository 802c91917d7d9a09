"""Fixtures of the window's tests: no display, no left-overs, a memory of its own for each test."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QThread, QTimer
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from explorer.ui.controller import Controller
    from explorer.ui.main_window import MainWindow
    from explorer.ui.settings import Settings
    from explorer.ui.theme import Theme
    from explorer.ui.workspace import Workspace


def _active() -> tuple[set[int], set[int]]:
    """Return the running threads and timers that Python knows."""
    threads: set[int] = set()
    timers: set[int] = set()
    for thing in gc.get_objects():
        if type(thing) is QThread and isValid(thing) and thing.isRunning():
            threads.add(id(thing))
        elif type(thing) is QTimer and isValid(thing) and thing.isActive():
            timers.add(id(thing))
    return threads, timers


@pytest.fixture(autouse=True)
def nothing_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a GUI test that leaves a top-level widget, a running thread or a timer behind."""
    if "qtbot" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("qapp")
    widgets = set(QApplication.topLevelWidgets())
    threads, timers = _active()
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    left = [widget for widget in QApplication.topLevelWidgets() if widget not in widgets]
    assert not left, f"left open: {left}"
    threads_now, timers_now = _active()
    assert not threads_now - threads, "a thread still runs"
    assert not timers_now - timers, "a timer still runs"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A memory in the test's own folder; user presets are there too."""
    from explorer.ui.settings import Settings

    monkeypatch.setenv("MEMORY_EXPLORER_HOME", str(tmp_path / "home"))
    return Settings(tmp_path / "window.ini")


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    from explorer.ui.theme import Theme

    made = Theme(qapp, "light")
    yield made
    made.detach()
    made.deleteLater()


@pytest.fixture
def controller(qtbot: QtBot) -> Iterator[Controller]:
    from explorer.ui.controller import Controller

    made = Controller()
    yield made
    made.close()


@pytest.fixture
def workspace(controller: Controller, theme: Theme, settings: Settings) -> Workspace:
    from explorer.ui.workspace import Workspace

    return Workspace(controller, theme, settings)


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, settings: Settings) -> MainWindow:
    """A shown window with nothing open; closing it ends its threads."""
    from explorer.ui.application import make_window

    made = make_window(qapp, settings, "light")
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    return made


SCENARIO = "d3d9-shooter-2003-agp-64mb"
"""Small, quick to load, and it pages."""


@pytest.fixture
def live(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """A window with a paused scenario at frame 0."""
    window.opener.open_scenario(SCENARIO, play=False)
    qtbot.waitUntil(
        lambda: window.workspace.snapshot is not None and window.workspace.run_state is not None, timeout=9000
    )
    return window
