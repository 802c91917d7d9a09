"""Which view gets the newest snapshot when: one view in a slot while a scenario plays, all at once while it stands.

A snapshot that reached every view in one slot kept the window for as long as all of them take together. In slots of
their own they leave the event loop free in between, and each keeps the rhythm that its reader needs.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from explorer.sim.snapshot import Snapshot
    from explorer.ui.workspace import Workspace

USUAL_MS = 250
"""Rhythm of a view that asks for no other one."""

_HIDDEN_MS = 500
_SLOT_MS = 8
_PARK_MS = 1
_PAINTED_MS = 1
_CHEAP_MS = 1.5
_LONGEST_SLOT_MS = 250


class _Paced:
    """A view, its rhythm, the snapshot that it got last and when."""

    def __init__(self, view: Any, every_ms: int) -> None:
        self.view = view
        self.every_ms = every_ms
        self.shown: Snapshot | None = None
        self.shown_s = 0.0
        self.cost_ms = float("inf")

    def waits(self, newest: Snapshot) -> bool:
        return self.shown is not newest

    def overdue(self, now_s: float) -> float:
        """Return the share of its rhythm that went by since it was served; it is due from 1 on."""
        every_ms = self.every_ms if self.view.isVisible() else max(self.every_ms, _HIDDEN_MS)
        return (now_s - self.shown_s) * 1000 / every_ms


class ViewPacer(QObject):
    """Hands snapshots of a workspace to views.

    While nothing plays (paused, stepped, imported) every view gets every snapshot at once. While a scenario plays each
    view gets the newest one in its own rhythm, never two views in one slot; a hidden view twice a second.
    """

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._paced: list[_Paced] = []
        self._began_s = 0.0
        self._latest: _Paced | None = None
        self._slot = QTimer(self)
        self._slot.setSingleShot(True)
        self._slot.setTimerType(Qt.TimerType.PreciseTimer)
        self._slot.timeout.connect(self._open_slot)
        # The simulation has ended its call by then, and shares no moment of the slot.
        self._work = QTimer(self)
        self._work.setSingleShot(True)
        self._work.setTimerType(Qt.TimerType.PreciseTimer)
        self._work.setInterval(_PARK_MS)
        self._work.timeout.connect(self._serve_one)
        # Runs after the paint that the view asked for, also if it asks in its next turn.
        self._painted = QTimer(self)
        self._painted.setSingleShot(True)
        self._painted.setInterval(_PAINTED_MS)
        self._painted.timeout.connect(self._end_slot)
        workspace.snapshot_changed.connect(self._on_snapshot)
        workspace.run_state_changed.connect(self._on_state)
        workspace.selection_changed.connect(self.flush)

    def add(self, view: QWidget, every_ms: int = USUAL_MS) -> None:
        """Serve a view, also one that comes late: it gets the newest snapshot now.

        Args:
            view: It has ``show_snapshot(snapshot)``.
            every_ms: Its rhythm while a scenario plays.
        """
        paced = _Paced(view, every_ms)
        self._paced.append(paced)
        newest = self._workspace.snapshot
        if newest is not None:
            self._show(paced, newest)

    def shown_by(self, view: QWidget) -> Snapshot | None:
        """Return the snapshot that a view got last: its indices count in that one."""
        return next((paced.shown for paced in self._paced if paced.view is view), None)

    @Slot()
    def flush(self) -> None:
        """Give the newest snapshot to every view that lacks it, now."""
        self._slot.stop()
        newest = self._workspace.snapshot
        if newest is None:
            return
        for paced in self._paced:
            if paced.waits(newest):
                self._show(paced, newest)

    def close(self) -> None:
        """Serve no one any more."""
        for timer in (self._slot, self._work, self._painted):
            timer.stop()
        self._latest = None
        self._paced.clear()

    def found_again(self, view: QWidget, resources: Sequence[int]) -> list[int]:
        """Return what a view means by resource indices, which count in the snapshot that it shows, in the newest one.

        Args:
            view: The view.
            resources: Indices; those of resources that were released since are left out.
        """
        shown, newest = self.shown_by(view), self._workspace.snapshot
        if shown is None or newest is None or shown.resources.names is newest.resources.names:
            return [int(index) for index in resources]
        place = {name: index for index, name in enumerate(newest.resources.names)}
        known = ((int(index), place.get(shown.resources.names[index], -1)) for index in resources)
        born, born_now = shown.resources.created_frame, newest.resources.created_frame
        # A name may have been given again.
        return [now for index, now in known if now >= 0 and born[index] == born_now[now]]

    @property
    def _is_playing(self) -> bool:
        state = self._workspace.run_state
        return state is not None and state.playing

    @Slot()
    def _on_snapshot(self) -> None:
        if not self._is_playing:
            self.flush()
        elif not any(timer.isActive() for timer in (self._slot, self._work, self._painted)):
            self._plan()

    @Slot()
    def _on_state(self) -> None:
        if not self._is_playing:
            self.flush()

    @Slot()
    def _end_slot(self) -> None:
        self._workspace.controller.release_way()
        if self._latest is not None:
            self._latest.cost_ms = (time.perf_counter() - self._began_s) * 1000 - _PAINTED_MS
        self._plan()

    def _plan(self) -> None:
        """Set the time of the next slot: when the next view is due, and never without a rest as long as the last."""
        newest = self._workspace.snapshot
        waiting = [paced for paced in self._paced if newest is not None and paced.waits(newest)]
        if not waiting:
            return
        now_s = time.perf_counter()
        rest_ms = min(max(_SLOT_MS, (now_s - self._began_s) * 1000), _LONGEST_SLOT_MS)
        due_ms = min(paced.every_ms * (1 - paced.overdue(now_s)) for paced in waiting)
        self._slot.start(round(max(due_ms, rest_ms)))

    @Slot()
    def _open_slot(self) -> None:
        newest, now_s = self._workspace.snapshot, time.perf_counter()
        waiting = [paced for paced in self._paced if newest is not None and paced.waits(newest)]
        self._latest = max(waiting, key=lambda paced: paced.overdue(now_s), default=None)
        if self._latest is None:
            return
        if self._latest.cost_ms < _CHEAP_MS:
            # To stop the simulation for it would cost more than it does.
            self._serve_one()
            return
        self._workspace.controller.claim_way()
        self._work.start()

    @Slot()
    def _serve_one(self) -> None:
        newest, latest = self._workspace.snapshot, self._latest
        self._began_s = time.perf_counter()
        if newest is not None and latest is not None and latest.waits(newest):
            self._show(latest, newest)
        self._painted.start()

    def _show(self, paced: _Paced, snapshot: Snapshot) -> None:
        # First, so that a view which makes the pacer flush is not served twice.
        paced.shown, paced.shown_s = snapshot, time.perf_counter()
        paced.view.show_snapshot(snapshot)
