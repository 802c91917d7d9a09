"""Owns the simulation's thread: commands go down through a bounded queue, snapshots come up through a mailbox."""

from __future__ import annotations

import time
import traceback
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, QTimer, Signal, Slot

from explorer.sim.mailbox import SnapshotMailbox

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.core.calls import CallRecord
    from explorer.sim.commands import Answer, Command, RunState
    from explorer.sim.runner import Runner
    from explorer.sim.simulation import Simulation

FRAME_MS = 16
"""The window takes at most one snapshot in this time."""

PLAYING_MS = 48
"""While a scenario plays: every snapshot costs the simulation too, and no view shows more of them."""

_SLOWEST_MS = 250
_CLOSE_MS = 2000
QUEUE_FULL = "The simulation is behind: 256 commands wait. Nothing was sent; try again when it has caught up."


class _Worker(QObject):
    """Hosts the runner's loop in the thread that it was moved to."""

    snapshot_ready = Signal()
    answered = Signal(object)
    state_changed = Signal(object)
    failed = Signal(str)

    def __init__(self, mailbox: SnapshotMailbox) -> None:
        super().__init__()
        # Imported here: everything below the runner is loaded when a window has a simulation, not before.
        from explorer.sim.runner import Runner

        self.runner: Runner = Runner(mailbox, self.snapshot_ready.emit, self.answered.emit, self.state_changed.emit)

    @Slot()
    def run(self) -> None:
        """Serve until stopped; an exception ends the loop with one ``failed``."""
        try:
            self.runner.run()
        except Exception:
            self.failed.emit(traceback.format_exc())


class Controller(QObject):
    """The window's side of the simulation.

    Signals:
        snapshot_changed: ``Snapshot``, at most one per ``FRAME_MS``.
        state_changed: ``RunState``.
        answered: ``Answer`` to everything but previews.
        previewed: Asker and ``Preview``; answers that a newer question overtook are dropped.
        failed: Traceback text; the simulation stopped.
        refused: Sentence for the user: a command was not taken.
        preview_refused: Asker and ``Complaint``: its question cannot be answered.
    """

    snapshot_changed = Signal(object)
    state_changed = Signal(object)
    answered = Signal(object)
    failed = Signal(str)
    refused = Signal(str)
    previewed = Signal(str, object)
    preview_refused = Signal(str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mailbox = SnapshotMailbox()
        self._thread: QThread | None = None
        self._worker: _Worker | None = None
        self._request = 0
        # One question under way for each asker; the newest of the others waits.
        self._asked: dict[str, int] = {}
        self._waiting: dict[str, CallRecord] = {}
        self._state: RunState | None = None
        self._failed = False
        self._taken_s = 0.0
        self._pace_ms = float(FRAME_MS)
        self._cost = QTimer(self)
        self._cost.setSingleShot(True)
        self._cost.setInterval(0)
        self._cost.timeout.connect(self._note_cost)
        self._poll = QTimer(self)
        self._poll.setSingleShot(True)
        self._poll.timeout.connect(self._take)

    @property
    def state(self) -> RunState | None:
        """How the loop stood last; None before the first snapshot."""
        return self._state

    @property
    def is_running(self) -> bool:
        """True while the thread serves commands."""
        return self._thread is not None and not self._failed

    @property
    def is_asking(self) -> bool:
        """True while the answer to a preview is still to come."""
        return any(self._asked.values())

    def start(self) -> None:
        """Start the thread; after a failure a new one."""
        if self._failed:
            self.close()
        if self._thread is not None:
            return
        self._failed = False
        self._mailbox = SnapshotMailbox()
        self._worker = _Worker(self._mailbox)
        self._thread = QThread()
        self._thread.setObjectName("simulation")
        self._worker.moveToThread(self._thread)
        self._thread.started.connect(self._worker.run)
        self._worker.snapshot_ready.connect(self._on_snapshot_ready)
        self._worker.answered.connect(self._on_answered)
        self._worker.state_changed.connect(self._on_state)
        self._worker.failed.connect(self._on_failed)
        self._thread.start()

    def close(self) -> None:
        """End the thread; waits at most two seconds.

        Raises:
            AssertionError: It did not end.
        """
        thread, worker = self._thread, self._worker
        self._thread = self._worker = None
        self._poll.stop()
        self._cost.stop()
        self.forget_previews()
        if thread is None or worker is None:
            return
        for signal in (worker.snapshot_ready, worker.answered, worker.state_changed, worker.failed):
            signal.disconnect()
        thread.requestInterruption()
        worker.runner.stop()
        thread.quit()
        ended = thread.wait(_CLOSE_MS)
        assert ended, "the simulation's thread did not end"

    def post(self, command: Command) -> bool:
        """Send a command; False (and ``refused``) where it was not taken."""
        if self._worker is None or self._failed:
            self.refused.emit("The simulation does not run. Restart the scenario to go on.")
            return False
        if not self._worker.runner.post(command):
            self.refused.emit(QUEUE_FULL)
            return False
        return True

    def claim_way(self) -> None:
        """Have the simulation wait before its next call, until ``release_way`` or for 20 ms: the window works."""
        if self._worker is not None:
            self._worker.runner.way.claim()

    def release_way(self) -> None:
        """Let the simulation go on."""
        if self._worker is not None:
            self._worker.runner.way.release()

    def load(self, make: Callable[[], Simulation]) -> int:
        """Replace the simulation; ``make`` runs on its thread. Returns the request number, 0 if refused."""
        # Imported here and below: the commands bring the whole simulation, which the first paint does not need.
        from explorer.sim.commands import Load

        self.start()
        return self._numbered(lambda number: Load(make, number))

    def apply(self, *records: CallRecord) -> int:
        """Apply calls. Returns the request number, 0 if refused."""
        from explorer.sim.commands import Apply

        return self._numbered(lambda number: Apply(records, number))

    def set_option(self, name: str, value: str) -> int:
        """Change a running parameter. Returns the request number, 0 if refused."""
        from explorer.sim.commands import SetOption

        return self._numbered(lambda number: SetOption(name, value, number))

    def preview(self, record: CallRecord, asker: str = "create") -> None:
        """Ask what a call would do.

        Args:
            record: The call.
            asker: Who asks. Of each asker one question is under way and only the newest is answered.
        """
        from explorer.sim.commands import PreviewCall

        if not self.is_running:
            return
        if self._asked.get(asker):
            self._waiting[asker] = record
            return
        self._asked[asker] = self._numbered(lambda number: PreviewCall(record, number))

    def forget_previews(self, asker: str | None = None) -> None:
        """Drop the answers to the questions of an asker, or of all."""
        for name in list(self._asked) if asker is None else [asker]:
            self._asked.pop(name, None)
            self._waiting.pop(name, None)

    def _numbered(self, make: Callable[[int], Command]) -> int:
        self._request += 1
        return self._request if self.post(make(self._request)) else 0

    @Slot()
    def _on_snapshot_ready(self) -> None:
        rest_ms = self._pace_ms - (time.perf_counter() - self._taken_s) * 1000
        if rest_ms <= 0:
            self._take()
        elif not self._poll.isActive():
            self._poll.start(max(1, round(rest_ms)))

    @Slot()
    def _take(self) -> None:
        # Calls that were queued before close() still arrive.
        snapshot = self._mailbox.take() if self._thread is not None else None
        if snapshot is not None:
            self._taken_s = time.perf_counter()
            self.snapshot_changed.emit(snapshot)
            # Runs after the paints that the snapshot caused.
            self._cost.start()

    @Slot()
    def _note_cost(self) -> None:
        """Leave the window half of its time: a snapshot that is dear to show is followed by a longer pause."""
        cost_ms = (time.perf_counter() - self._taken_s) * 1000
        least_ms = PLAYING_MS if self._state is not None and self._state.playing else FRAME_MS
        self._pace_ms = min(max(least_ms, 2 * cost_ms), _SLOWEST_MS)

    @Slot(object)
    def _on_answered(self, answer: Answer) -> None:
        if self._worker is None:
            return
        asker = next((name for name, number in self._asked.items() if number == answer.request), None)
        if asker is None:
            # A forgotten preview is old news; everything else is for the window.
            if answer.preview is None:
                self.answered.emit(answer)
            return
        del self._asked[asker]
        waiting = self._waiting.pop(asker, None)
        if waiting is not None:
            self.preview(waiting, asker)
            return
        if answer.error is not None:
            self.preview_refused.emit(asker, answer.error)
            return
        self.previewed.emit(asker, answer.preview)

    @Slot(object)
    def _on_state(self, state: RunState) -> None:
        if self._worker is None:
            return
        self._state = state
        self.state_changed.emit(state)

    @Slot(str)
    def _on_failed(self, text: str) -> None:
        if self._worker is None:
            return
        self._failed = True
        self.forget_previews()
        self.failed.emit(text)
