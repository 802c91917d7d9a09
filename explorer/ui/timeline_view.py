"""The Timeline: usage against budget, bytes moved and frame time over all frames; click or drag to go to a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from explorer.render.band_choice import BandChoice
from explorer.render.residency_bands import ResidencyBands
from explorer.render.timeline import Timeline
from explorer.render.timeline_axis import nice_end
from explorer.ui.controls import EmptyState
from explorer.ui.timeline_bands import MOST as MOST_BANDS
from explorer.ui.timeline_legend import TimelineLegend
from explorer.ui.timeline_overlay import GUTTER, RIGHT, OverlayState
from explorer.ui.timeline_plot import TimelinePlot
from explorer.ui.timeline_tip import TimelineTip
from explorer.ui.timeline_tracks import make_entries, make_tracks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent

    from explorer.sim.snapshot import FrameHistory, Snapshot
    from explorer.ui.workspace import Workspace

_REFRESH_MS = 60
_SEEK_MS = 40
"""While dragging, one frame is asked for in this time: seeking replays frames."""

_LEAST_FRAMES = 8


@dataclass(frozen=True, slots=True)
class _Span:
    """Frames on the x axis."""

    first: float
    end: float


class TimelineView(QWidget):
    """Draws the history of snapshots; keeps the zoom.

    Signals:
        seek_requested: Frames run in the state that the user wants to see.
        resources_selected: Indices of resources of the shown snapshot.
    """

    seek_requested = Signal(object)
    resources_selected = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("timeline_view")
        self._workspace = workspace
        self.data = Timeline()
        self.bands = ResidencyBands()
        self._choice = BandChoice()
        self._pinned: tuple[str, ...] = ()
        self._picked = ""
        self._opened = 0
        self.tip: TimelineTip | None = None
        self._waiting: Snapshot | None = None
        self._shown: Snapshot | None = None
        self._span: _Span | None = None
        self._hover = -1
        self._wanted: int | None = None
        self.plot: TimelinePlot | None = None
        self.legend = TimelineLegend(workspace.theme)
        self.fit_button = QPushButton("All frames")
        self.fit_button.setObjectName("timeline_fit")
        self.fit_button.setToolTip("Show every frame (F)")
        self.fit_button.hide()
        self.empty = EmptyState(workspace.theme, name="timeline_empty")
        self._head = QWidget()
        head = QHBoxLayout(self._head)
        head.setContentsMargins(10, 4, 8, 0)
        head.setSpacing(8)
        head.addWidget(self.legend, 1)
        head.addWidget(self.fit_button, 0, Qt.AlignmentFlag.AlignTop)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self._head)
        self._column.addWidget(self.empty, 1)
        self._refresh = QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(_REFRESH_MS)
        self._seek = QTimer(self)
        self._seek.setSingleShot(True)
        self._seek.setInterval(_SEEK_MS)
        self._is_asked = False
        self._refresh.timeout.connect(self._show_waiting)
        self._seek.timeout.connect(self._send_seek)
        self.fit_button.clicked.connect(self.fit)
        self.seek_requested.connect(self._post_seek)
        workspace.theme.changed.connect(self._draw)
        workspace.document_changed.connect(self._on_document)
        self._show_state()

    # -- what the window calls

    @Slot(object)
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the history up to a snapshot, several times a second at most."""
        self._waiting = snapshot
        if self.isVisible() and not self._refresh.isActive():
            self._show_waiting()
            self._refresh.start()

    def select_resources(self, chosen: Sequence[int]) -> None:
        """Show the bands of the selected resources; they stay where the selection ends because none of them lives."""
        snapshot = self._workspace.snapshot
        names = snapshot.resources.names if snapshot is not None else ()
        pinned = tuple(names[index] for index in chosen[:MOST_BANDS] if index < len(names))
        if not pinned and self._pinned and not set(self._pinned) & set(names):
            return
        if pinned != self._pinned:
            self._pinned = pinned
            self._draw()

    def go_to_mark(self, step: int) -> bool:
        """Go to the next (1) or previous (−1) mark, and say what it is. False where none is known."""
        self._show_waiting()
        found = self.data.next_mark(self._wanted if self._wanted is not None else self.data.cursor, step)
        if found is None:
            return False
        self._on_scrubbed(found)
        marks = tuple(run for run in self.data.runs(found, found, 0) if run.first == found)
        if self.plot is not None and self.tip is not None and self.isVisible():
            plots = self.plot.plots
            self.tip.show_reached(marks, QPointF(plots.x_to_px(found), plots.track_rect(0).top()))
        return True

    @Slot()
    def fit(self) -> None:
        """Show every frame."""
        self._span = None
        self._draw()

    def span(self) -> tuple[float, float]:
        """Return the frame counts at both ends of the axis."""
        span = self._span or _Span(0.0, float(nice_end(self.data.frames, self._total())))
        return span.first, span.end

    def minimumSizeHint(self) -> QSize:
        """Two tracks and the legend."""
        return QSize(320, 120)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ask for the plots once the window has been painted."""
        if not self._is_asked:
            self._is_asked = True
            QTimer.singleShot(0, self, self._make_plot)

    def showEvent(self, _event: object) -> None:
        """Catch up with what came while hidden."""
        self._show_waiting()

    def hideEvent(self, _event: object) -> None:
        """Leave no timer and no tool tip behind."""
        if self.tip is not None:
            self.tip.hide()
        self._refresh.stop()
        self._seek.stop()

    @Slot()
    def _on_resized(self) -> None:
        # In a turn of its own: the tracks get their places first.
        QTimer.singleShot(0, self, self._draw)

    # -- showing

    @Slot()
    def _make_plot(self) -> None:
        if self.plot is not None:
            return
        plot = TimelinePlot(self._workspace.theme)
        self.plot = plot
        self.tip = TimelineTip(self._workspace.theme, plot)
        plot.scrubbed.connect(self._on_scrubbed)
        plot.released.connect(self._on_released)
        plot.hovered.connect(self._on_hovered)
        plot.pointed.connect(self._on_pointed)
        plot.picked.connect(self._on_picked)
        plot.stepped.connect(self._on_stepped)
        plot.mark_wanted.connect(self._on_mark_wanted)
        plot.zoomed.connect(self._on_zoomed)
        plot.moved.connect(self._on_moved)
        plot.end_wanted.connect(self._on_end_wanted)
        plot.fit_wanted.connect(self.fit)
        plot.resized.connect(self._on_resized)
        self._column.addWidget(plot, 1)
        self.setFocusProxy(plot)
        self._show_state()
        # The layout gives the plot its size first.
        QTimer.singleShot(0, self, self._draw)

    @Slot()
    def _show_waiting(self) -> None:
        snapshot, self._waiting = self._waiting, None
        if snapshot is None:
            return
        self._shown = snapshot
        self._select_picked(snapshot)
        if snapshot.history is None:
            self.data.clear()
        else:
            before = self.data.frames
            self.data.update(snapshot.history, self._key(snapshot))
            if self.data.frames < before:
                self._span = None
        self._show_state()
        self._draw()

    def _key(self, snapshot: Snapshot) -> object:
        """Return what tells runs apart. Options are not part of it: a scenario changes them on its way."""
        provenance, state = snapshot.provenance, self._workspace.run_state
        edits = state.journal if state is not None else 0
        adapter = snapshot.adapter.id if snapshot.adapter is not None else ""
        return (self._opened, provenance.scenario, provenance.seed, adapter, edits)

    @Slot()
    def _on_document(self) -> None:
        self._opened += 1

    def _history(self) -> FrameHistory | None:
        return self._shown.history if self._shown is not None else None

    def _show_state(self) -> None:
        has_frames = self._history() is not None and self.data.frames > 0
        self._head.setVisible(has_frames)
        self.empty.setVisible(not has_frames or self.plot is None)
        if self.plot is not None:
            self.plot.setVisible(has_frames)
        if has_frames:
            self.empty.say("", "")
        elif self._shown is None:
            self.empty.say("Nothing is open", "Open a scenario to see its frames.")
        elif self._shown.history is None:
            self.empty.say("This layout has no frames", "A layout from a file is one moment: nothing ran before it.")
        else:
            self.empty.say("No frame has run yet", "Press play, or step a frame.")

    @Slot()
    def _draw(self) -> None:
        plot = self.plot
        if plot is None or not self.data.frames or self._history() is None:
            return
        first, end = self.span()
        ratio = self.devicePixelRatioF()
        pixels = max(int((plot.width() - GUTTER - RIGHT) * ratio), 16)
        buckets = self.data.buckets(first, end, pixels)
        tracks, labels = make_tracks(buckets, self.data.groups, self._size_of, self._workspace.theme)
        self._show_bands(plot, len(tracks), first, end, pixels)
        plot.plots.show_tracks(tracks, first, end)
        gap = 6 * (end - first) / pixels
        hover = self._hover if 0 < self._hover <= self.data.frames else None
        plot.overlay.show_state(
            OverlayState(labels, first, end, self.data.cursor, hover, self.data.frames, self.data.runs(first, end, gap))
        )
        plot.overlay.update()
        self.fit_button.setVisible(self._span is not None)
        self._show_numbers()

    def _show_bands(self, plot: TimelinePlot, tracks: int, first: float, end: float, pixels: int) -> None:
        assert self._shown is not None
        shown = self._shown.resources
        movers = self.bands.movers_of(self.data.residency)
        names = self._choice.choose(shown, self._pinned, plot.fitting_bands(tracks), movers)
        self.bands.update(self.data.residency, names, self.data.frames)
        plot.overlay.bands.show(names, frozenset(self._pinned), self.bands.columns(first, end, pixels))
        plot.make_room()

    def _size_of(self, node: int, group: str) -> int:
        """Return the bytes of a group's segments."""
        segments = self._shown.segments if self._shown is not None else ()
        return sum(one.size_bytes for one in segments if (one.node, one.group) == (node, group))

    def _show_numbers(self) -> None:
        frame = self._hover if 0 < self._hover <= self.data.frames else self.data.cursor
        numbers = self.data.numbers(frame)
        self.legend.show_entries(f"Frame {frame:,}", make_entries(numbers, self.data.groups, self._size_of))
        if self.plot is not None:
            self.plot.setAccessibleDescription(self.legend.text())

    # -- reactions

    def _total(self) -> int:
        state = self._workspace.run_state
        return state.frames if state is not None else 0

    @Slot(object)
    def _on_scrubbed(self, frame: int) -> None:
        last = self._total() or self.data.frames
        self._wanted = min(max(frame, 0), max(last, self.data.frames))
        if not self._seek.isActive():
            self._send_seek()
            self._seek.start()

    @Slot()
    def _on_released(self) -> None:
        self._seek.stop()
        self._send_seek()

    @Slot()
    def _send_seek(self) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            self.seek_requested.emit(wanted)
            self._seek.start()

    @Slot(object)
    def _post_seek(self, frame: int) -> None:
        if self._workspace.is_live:
            from explorer.sim.commands import Seek

            self._workspace.controller.post(Seek(frame))

    @Slot(object)
    def _on_hovered(self, frame: int) -> None:
        if frame != self._hover:
            self._hover = frame
            self._show_hover()

    def _show_hover(self) -> None:
        plot = self.plot
        if plot is None or not self.data.frames:
            return
        state = plot.overlay.state
        hover = self._hover if 0 < self._hover <= self.data.frames else None
        shown = OverlayState(state.labels, state.first, state.end, state.cursor, hover, state.known, state.runs)
        plot.overlay.show_state(shown)
        self._show_numbers()

    @Slot(object)
    def _on_pointed(self, at: QPointF | None) -> None:
        if self.tip is not None:
            self.tip.point(at, self.bands, self.data.numbers(self._hover), self._shown)

    @Slot(int)
    def _on_picked(self, band: int) -> None:
        """Select the resource of a band: at once if it lives, else when the frame is there that was clicked."""
        names = self.plot.overlay.bands.names if self.plot is not None else ()
        self._picked = names[band] if band < len(names) else ""
        newest = self._waiting or self._shown
        if newest is not None:
            self._select_picked(newest)

    def _select_picked(self, snapshot: Snapshot) -> None:
        if self._picked and self._picked in snapshot.resources.names:
            picked, self._picked = self._picked, ""
            self.resources_selected.emit([snapshot.resources.names.index(picked)])

    @Slot(int)
    def _on_stepped(self, frames: int) -> None:
        self._on_scrubbed((self._wanted if self._wanted is not None else self.data.cursor) + frames)

    @Slot(int)
    def _on_end_wanted(self, end: int) -> None:
        self._on_scrubbed(self.data.frames if end else 0)

    @Slot(int)
    def _on_mark_wanted(self, step: int) -> None:
        self.go_to_mark(step)

    @Slot(float, float)
    def _on_zoomed(self, factor: float, about: float) -> None:
        first, end = self.span()
        about = min(max(about, first), end)
        whole = float(nice_end(self.data.frames, self._total()))
        width = max((end - first) * factor, _LEAST_FRAMES)
        if width >= whole:
            self.fit()
            return
        low = about - (about - first) * width / max(end - first, 1e-9)
        low = min(max(low, 0.0), whole - width)
        self._span = _Span(low, low + width)
        self._draw()

    @Slot(float)
    def _on_moved(self, frames: float) -> None:
        if self._span is None:
            return
        whole = float(nice_end(self.data.frames, self._total()))
        width = self._span.end - self._span.first
        low = min(max(self._span.first + frames, 0.0), max(whole - width, 0.0))
        self._span = _Span(low, low + width)
        self._draw()
