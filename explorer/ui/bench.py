"""What the window measures of itself for ``bench``: figures, never asserted by a test."""

from __future__ import annotations

import atexit
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEventLoop, Qt, QTimer

from explorer.sim.commands import Pause, Play, Seek, SetLoop, SetSpeed

if TYPE_CHECKING:
    from explorer.sim.simulation import Simulation
    from explorer.sim.snapshot import Snapshot
    from explorer.ui.main_window import MainWindow
    from explorer.ui.resource_model import ResourceModel

Figures = tuple[Callable[[], float], "Callable[[], float] | None"]
"""What measures ours, and its yardstick where that is measured too."""

_ROWS = 1_000_000
_RUN_MS = 2000
_USUAL_FPS = 60.0
_TICK_MS = 16
_LATE_MS = 5
_WAIT_MS = 30_000

_OURS = """
import os, tempfile
from pathlib import Path
from explorer.ui.application import make_application, make_window
from explorer.ui.settings import Settings
application = make_application()
window = make_window(application, Settings(Path(tempfile.gettempdir()) / "memory-explorer-bench.ini"), "light")
window.resize(1200, 700)
window.show()
window.grab()
os._exit(0)
"""
_MINIMAL = """
import os
import numpy as np
from PySide6.QtWidgets import QApplication
import pyqtgraph as pg
application = QApplication([])
window = pg.GraphicsLayoutWidget()
window.addPlot().plot(np.arange(100))
window.resize(1200, 700)
window.show()
window.grab()
os._exit(0)
"""


class _Running:
    """A window on the first scenario, kept for all rows that need one."""

    def __init__(self, scenario: str = "") -> None:
        from explorer.sim.scenarios import DEFAULT_SCENARIO
        from explorer.ui.application import make_application, make_window
        from explorer.ui.settings import Settings

        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        settings = Settings(Path(self._folder.name) / "window.ini")
        self.window: MainWindow = make_window(make_application(), settings, "dark")
        self.window.resize(1440, 900)
        self.window.show()
        self.scenario = scenario or DEFAULT_SCENARIO
        self.window.opener.open_scenario(self.scenario, play=False)
        _wait(lambda: self.window.workspace.run_state is not None and not self.window.workspace.is_loading, _WAIT_MS)
        self.frames = 0
        self._last = 0
        self.window.workspace.run_state_changed.connect(self._count)
        self._post(SetLoop(True))
        # The rows share it, so the end of the program is the end of its thread.
        atexit.register(self.window.close)

    def _post(self, command: Any) -> None:
        self.window.workspace.controller.post(command)

    def _count(self, state: Any) -> None:
        if state is None:
            return
        step = state.frame - self._last
        # A smaller frame means that the scenario began again.
        self.frames += step if step >= 0 else state.frame
        self._last = state.frame

    def run(self, milliseconds: int, frames_per_second: float | None = None) -> None:
        """Run for a while, flat out by default, and pause."""
        self._post(SetSpeed(frames_per_second))
        self._post(Play())
        _spin(milliseconds)
        self._post(Pause())

    def paint_ms(self, *, running: bool) -> float:
        """Return the median time of painting the whole map anew, in ms."""
        spent: list[float] = []
        view = self.window.views["map"]

        def paint() -> None:
            # Without this a map at rest would only copy the frame that it painted before.
            view.screen_state.scrolled()
            began = time.perf_counter()
            view.repaint()
            spent.append((time.perf_counter() - began) * 1000)

        timer = QTimer()
        timer.timeout.connect(paint)
        timer.start(_TICK_MS * 3)
        if running:
            self.run(_RUN_MS)
        else:
            self._post(Pause())
            _spin(_RUN_MS)
        timer.stop()
        return statistics.median(spent)

    def tick_share(self, frames_per_second: float | None, late_ms: float | None) -> float:
        """Return the share of 16 ms ticks that came while a scenario ran.

        Args:
            frames_per_second: Speed of the scenario; None flat out.
            late_ms: Ticks that came later than this do not count; None counts all that came.
        """
        ticks: list[float] = []
        timer = QTimer()
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.timeout.connect(lambda: ticks.append(time.perf_counter()))
        timer.start(_TICK_MS)
        began = time.perf_counter()
        self.run(_RUN_MS, frames_per_second)
        expected = (time.perf_counter() - began) * 1000 / _TICK_MS
        timer.stop()
        late = 0
        if late_ms is not None:
            late = sum((end - start) * 1000 > _TICK_MS + late_ms for start, end in pairwise(ticks))
        return min((len(ticks) - late) / expected, 1.0)

    def frames_per_s(self) -> float:
        """Return the frames simulated beside the painting window, each second."""
        self._post(Seek(0))
        _spin(200)
        before, began = self.frames, time.perf_counter()
        self.run(_RUN_MS)
        return (self.frames - before) / (time.perf_counter() - began)


def _spin(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def _wait(is_there: Callable[[], bool], limit_ms: int) -> None:
    end = time.perf_counter() + limit_ms / 1000
    while not is_there() and time.perf_counter() < end:
        _spin(10)


@cache
def _running() -> _Running:
    return _Running()


def _paint() -> Figures:
    scene = _running()
    return partial(scene.paint_ms, running=True), partial(scene.paint_ms, running=False)


def _ticks() -> Figures:
    return partial(_running().tick_share, None, None), None


def _ticks_playing() -> Figures:
    return partial(_running().tick_share, _USUAL_FPS, None), None


def _ticks_large() -> Figures:
    from explorer.sim.bench_seek import LARGE

    return partial(_Running(LARGE).tick_share, _USUAL_FPS, None), None


def _beside() -> Figures:
    from explorer.sim.scenarios import load_simulation

    scene = _running()
    alone = load_simulation(scene.scenario)
    return scene.frames_per_s, partial(_alone, alone)


def _alone(simulation: Simulation) -> float:
    simulation.seek(0)
    frames, began = 0, time.perf_counter()
    while time.perf_counter() - began < _RUN_MS / 1000:
        if simulation.at_end:
            simulation.seek(0)
        simulation.step(1)
        frames += 1
    return frames / (time.perf_counter() - began)


@cache
def _many() -> Snapshot:
    from explorer.render.bench_scenes import bench_snapshot

    return bench_snapshot(_ROWS)


def _model() -> ResourceModel:
    from explorer.ui.application import make_application
    from explorer.ui.resource_model import ResourceModel
    from explorer.ui.theme import Theme

    theme = Theme(make_application(), "light")
    model = ResourceModel(theme)
    model.set_snapshot(_many())
    return model


def _sort_once() -> float:
    # A new model each time: names are the dearest column, and their order is kept.
    model = _model()
    began = time.perf_counter()
    model.sort(0)
    return time.perf_counter() - began


def _filter_once() -> float:
    model = _model()
    began = time.perf_counter()
    model.set_filters({"name": "1", "size": ">= 64KiB"})
    return time.perf_counter() - began


def _start_once(code: str) -> float:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYQTGRAPH_QT_LIB": "PySide6"}
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment)
    return time.perf_counter() - began


def _start() -> Figures:
    return partial(_start_once, _OURS), partial(_start_once, _MINIMAL)


def _seek() -> Figures:
    from explorer.sim.bench_seek import prepare_seek, seek_targets, worst_seek

    simulation, targets = prepare_seek(), seek_targets()
    return (lambda: worst_seek(simulation, targets, time.perf_counter)), None


WINDOW_FIGURES: Mapping[str, Callable[[], Figures]] = {
    "window.paint": _paint,
    "window.ticks": _ticks,
    "window.ticks.playing": _ticks_playing,
    "window.ticks.large": _ticks_large,
    "sim.beside": _beside,
    "table.sort": lambda: (_sort_once, None),
    "table.filter": lambda: (_filter_once, None),
    "seek": _seek,
    "start.first-paint": _start,
}
"""Row id → what prepares its measurement."""
