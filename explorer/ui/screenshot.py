"""Pictures of the window or of one view, without a display."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import CommandError
from explorer.ui.views import VIEWS, view_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from explorer.errors import Complaint
    from explorer.sim.simulation import Simulation
    from explorer.sim.snapshot import Snapshot

WINDOW = "window"
"""View id of the whole window."""

SCALES = (1.0, 1.5, 2.0)
THEMES = ("light", "dark")
SIZE_HINT_NOTICE = "This plugin does not support propagateSizeHints()"
_WAIT_MS = 20_000
_SETTLE_MS = 300


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture.

    Attributes:
        png: The file's bytes.
        width: Pixels: size × scale.
        height: Pixels.
        theme: ``light`` or ``dark``.
        empty: Whether the view had nothing to show.
    """

    png: bytes
    width: int
    height: int
    theme: str
    empty: bool


def take(
    source: str,
    *,
    view: str = WINDOW,
    size: tuple[int, int] = (1280, 720),
    scale: float = 1.0,
    theme: str = "light",
    frame: int | None = None,
    select: str | None = None,
) -> Shot:
    """Return a picture of a scenario or a file.

    Args:
        source: Scenario id, scenario file, or any file that ``open`` reads.
        view: Id of a view, or ``window``.
        size: Logical pixels.
        scale: Device pixels for each logical pixel, one of ``SCALES``.
        theme: ``light`` or ``dark``.
        frame: Frames to run a scenario for first.
        select: Name of the resource to select.

    Raises:
        CommandError: Unknown view, theme, scale, source or resource, or a size that is not accepted.
        InputError: The source cannot be read.
    """
    _check(view, size, scale, theme)
    _prepare(scale)
    # Imported after the platform and the scale are set.
    from explorer.ui.application import make_application
    from explorer.ui.settings import Settings

    application = make_application()
    with without_size_hint_notice(), tempfile.TemporaryDirectory() as folder:
        scene = _Scene(application, Settings(Path(folder) / "window.ini"), view, theme)
        try:
            scene.show(source, size, frame)
            if select is not None:
                scene.select(select)
            return scene.shoot(size, scale, theme)
        finally:
            scene.close()


@contextlib.contextmanager
def without_size_hint_notice() -> Iterator[None]:
    """Keep one line of Qt off standard error: every other message goes where it went before."""
    from PySide6.QtCore import QMessageLogContext, QtMsgType, qFormatLogMessage, qInstallMessageHandler

    def handle(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        # The platform without a display says so of each top-level widget, and it means nothing for a picture.
        if text == SIZE_HINT_NOTICE:
            return
        if before is not None:
            before(kind, context, text)
        elif kind != QtMsgType.QtDebugMsg:
            sys.stderr.write(qFormatLogMessage(kind, context, text) + "\n")

    before: Callable[..., None] | None = qInstallMessageHandler(handle)
    try:
        yield
    finally:
        qInstallMessageHandler(before)


def _check(view: str, size: tuple[int, int], scale: float, theme: str) -> None:
    accepted = (WINDOW, *view_ids())
    if view not in accepted:
        raise CommandError("unknown view", where="view", found=view, accepted=accepted)
    if theme not in THEMES:
        raise CommandError("unknown theme", where="theme", found=theme, accepted=THEMES)
    if scale not in SCALES:
        raise CommandError("unknown scale", where="scale", found=scale, accepted=tuple(f"{s:g}" for s in SCALES))
    if not (160 <= size[0] <= 8192 and 120 <= size[1] <= 8192):
        raise CommandError(
            "no such size", where="size", found=f"{size[0]}x{size[1]}", accepted=("160x120 … 8192x8192",)
        )


def _prepare(scale: float) -> None:
    from PySide6.QtWidgets import QApplication

    if QApplication.instance() is None:
        # A picture must not depend on the screen of the machine.
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        os.environ["QT_SCALE_FACTOR"] = f"{scale:g}"


class _Scene:
    """A window or a view with a workspace of its own."""

    def __init__(self, application: Any, settings: Any, view: str, theme: str) -> None:
        from explorer.ui.application import make_window
        from explorer.ui.controller import Controller
        from explorer.ui.theme import Theme
        from explorer.ui.workspace import Workspace

        self.widget: Any
        if view == WINDOW:
            self.widget = make_window(application, settings, theme)
            self.workspace = self.widget.workspace
            return
        look = Theme(application, theme)
        self.workspace = Workspace(Controller(), look, settings)
        spec = next(spec for spec in VIEWS if spec.id == view)
        self.widget = spec.make(self.workspace)
        self.workspace.snapshot_changed.connect(self.widget.show_snapshot)
        if hasattr(self.widget, "select_resources"):
            self.workspace.selection_changed.connect(self._select_in_view)
        for part in (look, self.workspace.controller, self.workspace):
            part.setParent(self.widget)

    def _select_in_view(self, chosen: tuple[int, ...]) -> None:
        self.widget.select_resources(list(chosen))

    def show(self, source: str, size: tuple[int, int], frame: int | None) -> None:
        """Show a scenario or a file and wait until it is there."""
        from explorer.sim.scenarios import load_scenario, scenario_ids

        self.widget.resize(*size)
        self.widget.show()
        if source in scenario_ids() or source.endswith(".toml"):
            # Read here first: an error must reach the caller, not the message bar.
            load_scenario(source)
            self._load(source, frame)
            return
        from explorer.interchange.importers import open_file
        from explorer.ui.workspace import Document

        opened = open_file(source)
        if opened.scenario is not None:
            self._load(source, frame)
        elif opened.snapshot is None:
            raise CommandError("the file holds no layout to show", where="in", found=source)
        elif frame is not None:
            raise CommandError("a layout from a file has no frames", where="frame", found=frame, accepted=("none",))
        else:
            self.workspace.show_file(Document("file", Path(source).name, path=source), opened.snapshot)

    def select(self, name: str) -> None:
        """Select a resource by its name."""
        snapshot: Snapshot | None = self.workspace.snapshot
        names = snapshot.resources.names if snapshot is not None else ()
        if name not in names:
            raise CommandError("no such resource", where="select", found=name, accepted=tuple(names[:12]))
        index = names.index(name)
        self.workspace.select((index,))
        shown = self.widget.views["map"] if hasattr(self.widget, "views") else self.widget
        if hasattr(shown, "scroll_to_resource"):
            shown.scroll_to_resource(index)

    def shoot(self, size: tuple[int, int], scale: float, theme: str) -> Shot:
        """Return the picture."""
        from PySide6.QtCore import QBuffer, QByteArray, QCoreApplication, QEvent, QIODevice, QPoint
        from PySide6.QtGui import QPixmap

        if hasattr(self.widget, "finish_for_picture"):
            self.widget.finish_for_picture(partial(self._wait, limit_ms=_WAIT_MS))
        self._wait(lambda: False, _SETTLE_MS)
        # On a busy machine an answer may come later, and a panel that was just filled may still wait for its place.
        self._wait(lambda: not self.workspace.controller.is_asking, _WAIT_MS)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        picture = QPixmap(round(size[0] * scale), round(size[1] * scale))
        picture.setDevicePixelRatio(scale)
        self.widget.render(picture, QPoint(0, 0))
        data = QByteArray()
        buffer = QBuffer(data)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        picture.save(buffer, "PNG")
        buffer.close()
        snapshot = self.workspace.snapshot
        empty = snapshot is None or (len(snapshot.blocks) == 0 and len(snapshot.resources.names) == 0)
        return Shot(bytes(data.data()), picture.width(), picture.height(), theme, empty)

    def close(self) -> None:
        """End the threads and the widget."""
        self.widget.close()
        self.workspace.controller.close()
        self.widget.deleteLater()
        from PySide6.QtCore import QCoreApplication, QEvent

        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def _load(self, source: str, frame: int | None) -> None:
        from explorer.sim.scenarios import load_simulation
        from explorer.ui.workspace import Document

        complaints: list[Complaint] = []

        def make() -> Simulation:
            simulation = load_simulation(source)
            if frame:
                simulation.step(min(frame, simulation.frames) if simulation.frames else frame)
            return simulation

        name = Path(source).stem if source.endswith(".toml") else source
        self.workspace.messaged.connect(complaints.append)
        self.workspace.load(Document("scenario", name, source), make, play=False)
        if not self._wait(lambda: self.workspace.snapshot is not None or bool(complaints), _WAIT_MS):
            raise CommandError("the scenario did not load in time", where="in", found=source)
        if self.workspace.snapshot is None:
            raise CommandError(complaints[0].text, where="in", found=source)  # pyright: ignore[reportAttributeAccessIssue] - a Message

    def _wait(self, is_there: Callable[[], bool], limit_ms: int) -> bool:
        """Run the event loop until something is there, at most so long."""
        from PySide6.QtCore import QEventLoop, QTimer

        loop = QEventLoop()
        look, end = QTimer(), QTimer()
        end.setSingleShot(True)
        look.timeout.connect(lambda: loop.quit() if is_there() else None)
        end.timeout.connect(loop.quit)
        look.start(5)
        end.start(limit_ms)
        loop.exec()
        look.stop()
        end.stop()
        return is_there()
