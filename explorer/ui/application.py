"""Starts the window."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QApplication

from explorer.ui.controller import Controller
from explorer.ui.kernel_compiler import BUSY, KernelCompiler
from explorer.ui.main_window import MainWindow
from explorer.ui.settings import Settings
from explorer.ui.theme import Theme
from explorer.ui.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence


_SWITCH_S = 0.00005


def make_application() -> QApplication:
    """Return the one application object, made where there is none."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    # Whenever Qt calls into our Python, the window waits until the simulation's Python gives way: by default after
    # 5 ms, and a table calls for every cell. While the window asks for nothing, the simulation is never interrupted.
    sys.setswitchinterval(_SWITCH_S)
    application = QApplication(sys.argv[:1])
    application.setApplicationName("memory-layout-explorer")
    application.setApplicationDisplayName("")
    return application


def make_window(application: QApplication, settings: Settings, theme: str | None = None) -> MainWindow:
    """Return a window with a workspace of its own; closing it ends its threads.

    Args:
        application: The application.
        settings: What the window remembers.
        theme: Theme instead of the remembered one.
    """
    look = Theme(application, theme or settings.theme())
    controller = Controller()
    workspace = Workspace(controller, look, settings)
    window = MainWindow(workspace)
    for part in (look, controller, workspace):
        part.setParent(window)
    return window


class _Start(QObject):
    """Opens the first document when the window has been painted."""

    def __init__(self, window: MainWindow, documents: Sequence[str]) -> None:
        super().__init__(window)
        self._window, self._documents = window, documents
        self.compiler = KernelCompiler(self)
        self.compiler.told.connect(self._tell)
        QTimer.singleShot(0, self, self.open_first)

    @Slot()
    def open_first(self) -> None:
        from explorer.sim.scenarios import DEFAULT_SCENARIO, scenario_ids

        opener = self._window.opener
        ids = scenario_ids()
        if not self._documents:
            first = DEFAULT_SCENARIO if DEFAULT_SCENARIO in ids else next(iter(ids), "")
            if first:
                opener.open_scenario(first)
            self.compiler.start()
            return
        name = self._documents[0]
        if name in ids and not Path(name).exists():
            opener.open_scenario(name)
        else:
            opener.open_path(name)
        self.compiler.start()
        if len(self._documents) > 1:
            self._window.workspace.tell("info", f"{len(self._documents)} files were named; the first was opened.")

    @Slot(str)
    def _tell(self, text: str) -> None:
        self._window.statusBar().showMessage(text, 0 if text == BUSY else 8000)


def run(arguments: Sequence[str]) -> int:
    """Open the window and return when it was closed.

    Args:
        arguments: Scenario ids or files to open; without one a scenario that already shows something alive.

    Returns:
        Exit code.
    """
    # PyQt6 beside us must not be picked up by pyqtgraph.
    os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")
    application = make_application()
    window = make_window(application, Settings())
    window.show()
    start = _Start(window, list(arguments))
    code = application.exec()
    start.compiler.close()
    window.close()
    window.deleteLater()
    return code
