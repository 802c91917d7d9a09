"""The first compile of the kernels, in a process beside the window; plain Python serves meanwhile."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, QProcess, Signal, Slot

BUSY = "Kernels are being compiled for this machine, once; plain Python serves meanwhile."
DONE = "Kernels are ready."
FAILED = "The kernels could not be compiled; plain Python goes on serving. Large layouts will be slow."


class KernelCompiler(QObject):
    """Owns the process. The window is never held up: it only hears how the process stands.

    Args:
        parent: Whoever closes it.
    """

    told = Signal(str)
    """One of ``BUSY``, ``DONE``, ``FAILED``."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None

    @property
    def is_running(self) -> bool:
        """True while the process runs."""
        return self._process is not None and self._process.state() != QProcess.ProcessState.NotRunning

    def start(self) -> bool:
        """Start the process where kernels are missing; returns whether it was started."""
        # Loads package metadata: not before the first paint.
        from explorer.memory.kernels import is_jit_disabled, kernels_ready

        if is_jit_disabled() or kernels_ready() or self.is_running:
            return False
        process = QProcess(self)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._failed)
        self._process = process
        process.start(sys.executable, ["-m", "explorer.memory.compile_kernels"])
        self.told.emit(BUSY)
        return True

    def close(self) -> None:
        """End the process; what it compiled so far stays in the cache."""
        process, self._process = self._process, None
        if process is None:
            return
        process.finished.disconnect(self._finished)
        process.errorOccurred.disconnect(self._failed)
        if process.state() != QProcess.ProcessState.NotRunning:
            process.kill()
            process.waitForFinished(2000)
        process.deleteLater()

    @Slot(int, QProcess.ExitStatus)
    def _finished(self, code: int, status: QProcess.ExitStatus) -> None:
        from explorer.memory.kernels import kernels_ready

        succeeded = code == 0 and status is QProcess.ExitStatus.NormalExit and kernels_ready()
        self.told.emit(DONE if succeeded else FAILED)

    @Slot(QProcess.ProcessError)
    def _failed(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self.told.emit(FAILED)
