"""When the interpreter looks for unreachable objects: briefly while a scenario plays, wholly while the window rests.

Left to itself it searches everything that lives, also in the middle of a run: checkpoints alone are hundreds of
thousands of objects, and for as long as that search takes no thread of the window runs.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot
from shiboken6 import isValid

if TYPE_CHECKING:
    from explorer.ui.workspace import Workspace

_YOUNG_MS = 250
_REST_S = 5.0
_FEW = 2000
"""Fewer new objects than this are not worth a search."""

_keepers: set[Housekeeping] = set()
"""Those of all open windows."""


class Housekeeping(QObject):
    """Runs the garbage collector of the process for as long as a window lives.

    Young objects are searched four times a second; all of them once in each pause of five seconds.
    """

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        # Its window lives in cycles of references: a search must not take an open one for garbage.
        self._window = parent
        _keepers.add(self)
        self._rested_s = 0.0
        self._is_tidy = True
        self._timer = QTimer(self)
        self._timer.setInterval(_YOUNG_MS)
        self._timer.timeout.connect(self._collect)
        gc.disable()
        self._timer.start()
        workspace.document_changed.connect(self._on_document)

    def close(self) -> None:
        """Leave it to the interpreter again."""
        self._timer.stop()
        # Now, while the window is held: the next object would set off a search in the middle of its end.
        gc.collect(1)
        # A window may also end without being closed.
        _keepers.intersection_update([keeper for keeper in _keepers if keeper is not self and isValid(keeper)])
        if not _keepers:
            gc.enable()

    @Slot()
    def _on_document(self) -> None:
        # Not at once: the load was a wait already.
        self._rested_s, self._is_tidy = 0.0, False

    @Slot()
    def _collect(self) -> None:
        state = self._workspace.run_state
        if state is not None and state.playing:
            self._rested_s, self._is_tidy = 0.0, False
        else:
            self._rested_s += _YOUNG_MS / 1000
        if not self._is_tidy and self._rested_s >= _REST_S:
            self._is_tidy = True
            gc.collect()
        elif gc.get_count()[0] >= _FEW:
            gc.collect(1)
