"""Long work on a thread of its own: opening and exporting, with cancel."""

from __future__ import annotations

import threading
import traceback
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QThread, Signal, Slot

from explorer.errors import ExplorerError

if TYPE_CHECKING:
    from collections.abc import Callable

    Work = Callable[[Callable[[], bool], Callable[[float], None]], Any]

_CLOSE_MS = 2000


class _Job(QObject):
    """Does one piece of work in the thread that it was moved to."""

    done = Signal(object)
    failed = Signal(object)
    progressed = Signal(float)

    def __init__(self, work: Work, cancelled: threading.Event) -> None:
        super().__init__()
        self._work, self._cancelled = work, cancelled

    @Slot()
    def run(self) -> None:
        try:
            self.done.emit(self._work(self._cancelled.is_set, self.progressed.emit))
        except ExplorerError as error:
            self.failed.emit(error.complaint)
        except Exception:
            self.failed.emit(traceback.format_exc())


class LongWork(QObject):
    """Runs one piece of work at a time.

    Signals:
        started: What is being done, for the progress line.
        done: What the work returned.
        failed: ``Complaint``, or the traceback text of a bug.
        progressed: 0.0 to 1.0, where the work knows.
        ended: Done, failed or cancelled: the progress line can go.
    """

    started = Signal(str)
    done = Signal(object)
    failed = Signal(object)
    progressed = Signal(float)
    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: QThread | None = None
        self._job: _Job | None = None
        self._cancelled = threading.Event()
        self._left: list[tuple[QThread, _Job]] = []

    @property
    def is_busy(self) -> bool:
        """True while work is under way."""
        return self._thread is not None

    def start(self, text: str, work: Work) -> bool:
        """Start work.

        Args:
            text: Verb, and what will be there after it.
            work: Called on its own thread with two functions: whether it was cancelled, and what takes its progress.

        Returns:
            False where other work is under way: nothing was started.
        """
        if self._thread is not None:
            return False
        self._forget_ended()
        self._cancelled = threading.Event()
        thread, job = QThread(), _Job(work, self._cancelled)
        thread.setObjectName("long work")
        job.moveToThread(thread)
        thread.started.connect(job.run)
        job.done.connect(self._on_done)
        job.failed.connect(self._on_failed)
        job.progressed.connect(self.progressed)
        self._thread, self._job = thread, job
        self.started.emit(text)
        thread.start()
        return True

    @Slot()
    def cancel(self) -> None:
        """Stop waiting for the work; it ends as soon as it looks, and its result is dropped."""
        if self._thread is None or self._job is None:
            return
        self._cancelled.set()
        self._job.done.disconnect()
        self._job.failed.disconnect()
        self._job.progressed.disconnect()
        self._thread.quit()
        self._left.append((self._thread, self._job))
        self._thread = self._job = None
        self.ended.emit()

    def close(self) -> None:
        """End all threads; waits at most two seconds for each.

        Raises:
            AssertionError: One did not end.
        """
        self.cancel()
        for thread, _ in self._left:
            ended = thread.wait(_CLOSE_MS)
            assert ended, "a thread of long work did not end"
        self._left.clear()

    def _forget_ended(self) -> None:
        self._left = [pair for pair in self._left if not pair[0].isFinished()]

    def _end(self) -> bool:
        """End the thread of finished work; False for a result that came after ``cancel``."""
        thread = self._thread
        if thread is None or self.sender() is not self._job:
            return False
        self._thread = self._job = None
        thread.quit()
        thread.wait(_CLOSE_MS)
        self.ended.emit()
        return True

    @Slot(object)
    def _on_done(self, result: object) -> None:
        if self._end():
            self.done.emit(result)

    @Slot(object)
    def _on_failed(self, why: object) -> None:
        if self._end():
            self.failed.emit(why)
