"""The loop that owns a simulation: commands in, snapshots and answers out. No Qt, no thread of its own."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING

from explorer.errors import CommandError, ExplorerError, InputError
from explorer.sim.commands import (
    Answer,
    Apply,
    AskWhy,
    Command,
    Load,
    Pause,
    Play,
    PreviewCall,
    Redo,
    RunState,
    Seek,
    SetLoop,
    SetOption,
    SetSpeed,
    Step,
    StepCall,
    StepEvent,
    Undo,
)
from explorer.sim.interruption import interruptible
from explorer.sim.right_of_way import RightOfWay

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.sim.mailbox import SnapshotMailbox
    from explorer.sim.simulation import Simulation

QUEUE_LIMIT = 256
_BATCH_S = 0.008
_IDLE_S = 0.2
_PUBLISH_S = 0.016


class Runner:
    """Runs a simulation until asked to stop.

    ``post``, ``stop`` and what ``way`` has for the window may be called from any thread; everything else happens in
    the thread that calls ``run``.

    Args:
        mailbox: Where snapshots go.
        on_snapshot: Called after a snapshot was put.
        on_answer: Called with each ``Answer``.
        on_state: Called with a ``RunState`` whenever it changes, at most once per published snapshot.
    """

    def __init__(
        self,
        mailbox: SnapshotMailbox,
        on_snapshot: Callable[[], None],
        on_answer: Callable[[Answer], None],
        on_state: Callable[[RunState], None],
    ) -> None:
        self.way = RightOfWay()
        self._mailbox = mailbox
        self._on_snapshot = on_snapshot
        self._on_answer = on_answer
        self._on_state = on_state
        self._commands: queue.Queue[Command | None] = queue.Queue(QUEUE_LIMIT)
        self._stopping = threading.Event()
        self._simulation: Simulation | None = None
        self._playing = False
        self._loop = False
        self._frames_per_second: float | None = 60.0
        self._due_s = 0.0
        self._changed = False
        self._state: RunState | None = None
        self._measured_from = (0.0, 0)
        self._measured = 0.0

    def post(self, command: Command) -> bool:
        """Queue a command; False when the queue is full (nothing was queued)."""
        try:
            self._commands.put_nowait(command)
        except queue.Full:
            return False
        return True

    def stop(self) -> None:
        """Ask ``run`` to return soon."""
        self._stopping.set()
        self.way.release()
        # Wakes a loop that waits; a full queue wakes it by itself.
        try:
            self._commands.put_nowait(None)
        except queue.Full:
            return

    def run(self) -> None:
        """Serve until ``stop``, which also ends a load or a long seek; exceptions of the simulation (bugs) leave it."""
        with interruptible(lambda: not self._stopping.is_set()):
            self._serve_until_stopped()

    def _serve_until_stopped(self) -> None:
        published_s = 0.0
        while not self._stopping.is_set():
            self._serve(self._wait_s(published_s))
            if self._playing:
                self._run_batch()
            now = time.perf_counter()
            if self._changed and (not self._playing or now - published_s >= _PUBLISH_S) and self._mailbox.is_empty:
                self._publish()
                published_s = now

    def _wait_s(self, published_s: float) -> float:
        if self._changed and not self._playing:
            # The window has not yet taken the last snapshot: look again soon.
            return 0.0 if self._mailbox.is_empty else 0.002
        if not self._playing:
            return _IDLE_S
        if self._frames_per_second is None:
            return 0.0
        return min(max(self._due_s - time.perf_counter(), 0.0), _PUBLISH_S)

    def _serve(self, wait_s: float) -> None:
        try:
            command = self._commands.get(timeout=wait_s) if wait_s > 0 else self._commands.get_nowait()
            while True:
                if command is not None:
                    self._execute(command)
                command = self._commands.get_nowait()
        except queue.Empty:
            return

    def _run_batch(self) -> None:
        simulation = self._simulation
        if simulation is None:
            self._playing = False
            return
        end_s = time.perf_counter() + _BATCH_S
        while self._playing and time.perf_counter() < end_s:
            if self._frames_per_second is not None:
                now = time.perf_counter()
                if now < self._due_s:
                    return
                # After a pause or a slow frame the clock starts anew: no burst to catch up.
                self._due_s = max(self._due_s + 1.0 / self._frames_per_second, now)
            if simulation.at_end:
                if not self._loop:
                    self._playing = False
                    self._changed = True
                    return
                simulation.seek(0)
            self._changed = True
            try:
                self._run_frame(simulation)
            except (InputError, CommandError) as error:
                # A call or option of the scenario's file that cannot be: it names file and key, and time stands still.
                self._playing = False
                self._on_answer(Answer(0, error=error.complaint))
                return
            # Lets a window that waits for the interpreter in now, not after the switch interval of 5 ms.
            time.sleep(0)

    def _run_frame(self, simulation: Simulation) -> None:
        """Run a frame call by call, so that the window waits for one call at most."""
        frame = simulation.frame
        while simulation.frame == frame:
            self.way.wait()
            simulation.step_call()

    def _execute(self, command: Command) -> None:
        request = getattr(command, "request", 0)
        try:
            self._dispatch(command)
        except ExplorerError as error:
            self._on_answer(Answer(request, error=error.complaint))

    def _dispatch(self, command: Command) -> None:
        if isinstance(command, Load):
            made = command.make()
            # Another simulation waits at its frame until it is told to play, whatever ran before it.
            self._playing = self._playing and made is self._simulation
            self._simulation = made
            self._changed = True
            self._on_answer(Answer(command.request))
            return
        simulation = self._simulation
        if simulation is None:
            return
        match command:
            case PreviewCall(record, request):
                self._on_answer(Answer(request, preview=simulation.preview(record)))
                return
            case AskWhy(resource, request, record):
                self._on_answer(Answer(request, why=simulation.why(resource, record)))
                return
            case Apply(records, request):
                self._on_answer(Answer(request, outcomes=tuple(simulation.apply(record) for record in records)))
            case SetOption(name, value, request):
                simulation.set_option(name, value)
                self._on_answer(Answer(request))
            case _:
                self._steer(command, simulation)
        self._changed = True

    def _steer(self, command: Command, simulation: Simulation) -> None:
        match command:
            case Play():
                self._playing = True
                self._due_s = time.perf_counter()
                self._measured_from = (self._due_s, simulation.frame)
            case Pause():
                self._playing = False
            case Step(frames):
                self._playing = False
                if frames < 0:
                    simulation.seek(simulation.frame + frames)
                else:
                    simulation.step(frames)
            case StepCall():
                self._playing = False
                simulation.step_call()
            case StepEvent(kinds):
                self._playing = False
                simulation.step_event(kinds)
            case Seek(frame):
                simulation.seek(frame)
            case SetSpeed(frames_per_second):
                self._frames_per_second = frames_per_second
                self._due_s = time.perf_counter()
            case SetLoop(loop):
                self._loop = loop
            case Undo():
                simulation.undo()
            case Redo():
                simulation.redo()
            case _:
                raise TypeError(f"no such command: {command!r}")

    def _publish(self) -> None:
        simulation = self._simulation
        if simulation is None:
            return
        self._changed = False
        self._mailbox.put(simulation.snapshot())
        self._on_snapshot()
        state = self._run_state(simulation)
        if state != self._state:
            self._state = state
            self._on_state(state)

    def _run_state(self, simulation: Simulation) -> RunState:
        now = time.perf_counter()
        since, frame = self._measured_from
        if not self._playing:
            self._measured = 0.0
        elif now - since >= 0.5:
            self._measured = round(max(simulation.frame - frame, 0) / (now - since), 1)
            self._measured_from = (now, simulation.frame)
        return RunState(
            playing=self._playing,
            frame=simulation.frame,
            frames=simulation.frames,
            can_undo=simulation.can_undo,
            can_redo=simulation.can_redo,
            journal=simulation.journal_length,
            frames_per_second=self._measured,
        )
