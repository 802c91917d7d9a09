"""The Timeline: usage against budget, bytes moved and frame time over all frames; click or drag to go to a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from explorer.core.units import format_bytes
from explorer.render.timeline import Timeline, format_ns, group_name, memory_scale, nice_end
from explorer.ui.controls import EmptyState
from explorer.ui.timeline_legend import Entry, TimelineLegend
from explorer.ui.timeline_overlay import GUTTER, RIGHT, OverlayState, TrackLabels
from explorer.ui.timeline_plot import TimelinePlot

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from explorer.render.timeline import Buckets, FrameNumbers
    from explorer.sim.snapshot import FrameHistory, Snapshot
    from explorer.ui.plot import Track
    from explorer.ui.workspace import Workspace

_REFRESH_MS = 60
_SEEK_MS = 40
"""While dragging, one frame is asked for in this time: seeking replays frames."""

_LEAST_FRAMES = 8
_USED_ALPHA = 0.28


@dataclass(frozen=True, slots=True)
class _Span:
    """Frames on the x axis."""

    first: float
    end: float


class TimelineView(QWidget):
    """Draws the history of snapshots; keeps the zoom.

    Signals:
        seek_requested: Frames run in the state that the user wants to see.
    """

    seek_requested = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("timeline_view")
        self._workspace = workspace
        self.data = Timeline()
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
        self._show_state()

    # -- what the window calls

    @Slot(object)
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the history up to a snapshot, several times a second at most."""
        self._waiting = snapshot
        if self.isVisible() and not self._refresh.isActive():
            self._show_waiting()
            self._refresh.start()

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
        """Leave no timer behind."""
        self._refresh.stop()
        self._seek.stop()

    def resizeEvent(self, _event: object) -> None:
        """Choose other buckets for another width."""
        if self.plot is not None:
            QTimer.singleShot(0, self, self._draw)

    # -- showing

    @Slot()
    def _make_plot(self) -> None:
        if self.plot is not None:
            return
        plot = TimelinePlot(self._workspace.theme)
        self.plot = plot
        plot.scrubbed.connect(self._on_scrubbed)
        plot.released.connect(self._on_released)
        plot.hovered.connect(self._on_hovered)
        plot.stepped.connect(self._on_stepped)
        plot.mark_wanted.connect(self._on_mark_wanted)
        plot.zoomed.connect(self._on_zoomed)
        plot.moved.connect(self._on_moved)
        plot.end_wanted.connect(self._on_end_wanted)
        plot.fit_wanted.connect(self.fit)
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
        provenance, state = snapshot.provenance, self._workspace.run_state
        edits = state.journal if state is not None else 0
        adapter = snapshot.adapter.id if snapshot.adapter is not None else ""
        return (provenance.scenario, provenance.seed, adapter, tuple(provenance.options.items()), edits)

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
        tracks, labels = self._tracks(buckets)
        plot.plots.show_tracks(tracks, first, end)
        gap = 6 * (end - first) / pixels
        hover = self._hover if 0 < self._hover <= self.data.frames else None
        plot.overlay.show_state(
            OverlayState(labels, first, end, self.data.cursor, hover, self.data.frames, self.data.runs(first, end, gap))
        )
        plot.overlay.update()
        self.fit_button.setVisible(self._span is not None)
        self._show_numbers()

    def _tracks(self, buckets: Buckets) -> tuple[list[Track], tuple[TrackLabels, ...]]:
        from explorer.ui.plot import Series, Track

        theme = self._workspace.theme
        tracks: list[Track] = []
        labels: list[TrackLabels] = []
        for column, (node, group) in enumerate(self.data.groups):
            size = self._size_of(node, group)
            scale = memory_scale(buckets, column, size)
            used = buckets.used[:, column].astype(np.float64)
            series = [Series("area", buckets.edges, used, theme.colour("used", "series"), _USED_ALPHA)]
            if scale.limit_fits:
                budget = buckets.budget[:, column]
                budget = np.full(len(budget), float(size)) if np.isnan(budget).all() else budget
                series.append(Series("steps", buckets.edges, budget, theme.colour("budget", "series")))
            tracks.append(Track(tuple(series), 0.0, scale.top, 3 if column == 0 else 2))
            note = "" if scale.limit_fits or not scale.limit_text else f"{scale.limit_text}, beyond this scale"
            name = group_name(node, group, self.data.groups)
            labels.append(TrackLabels(name, format_bytes(scale.told), "0 B", 1.0, note))
        up, down = buckets.uploaded.astype(np.float64), -buckets.evicted.astype(np.float64)
        top, low = max(float(up.max(initial=0)), 1.0), min(float(down.min(initial=0)), -1.0)
        # One scale for both directions, or their bars could not be compared; the smaller side keeps a fifth.
        high, low = max(top, -low / 4), min(low, -top / 4)
        moved = (
            Series("bars", buckets.edges, up, theme.colour("page_in", "series")),
            Series("bars", buckets.edges, down, theme.colour("evict", "series")),
        )
        tracks.append(Track(moved, low, high))
        labels.append(
            TrackLabels("moved", f"in {format_bytes(int(up.max(initial=0)))}",
                        f"out {format_bytes(int(-down.min(initial=0)))}", high / (high - low))
        )  # fmt: skip
        time = buckets.frame_ns.astype(np.float64)
        peak = max(float(time.max(initial=0)), 1.0)
        tracks.append(Track((Series("line", buckets.edges, time, theme.colour("text2")),), 0.0, peak * 1.06))
        labels.append(TrackLabels("time", format_ns(peak), "0 ms"))
        return tracks, tuple(labels)

    def _size_of(self, node: int, group: str) -> int:
        """Return the bytes of a group's segments."""
        segments = self._shown.segments if self._shown is not None else ()
        return sum(one.size_bytes for one in segments if (one.node, one.group) == (node, group))

    def _show_numbers(self) -> None:
        frame = self._hover if 0 < self._hover <= self.data.frames else self.data.cursor
        numbers = self.data.numbers(frame)
        self.legend.show_entries(f"Frame {frame:,}", self._entries(numbers))
        if self.plot is not None:
            self.plot.setAccessibleDescription(self.legend.text())

    def _entries(self, numbers: FrameNumbers | None) -> tuple[Entry, ...]:
        entries: list[Entry] = []
        for column, (node, group) in enumerate(self.data.groups):
            name = group_name(node, group, self.data.groups)
            value, look = "none yet", "plain"
            if numbers is not None:
                used, budget = numbers.used[column], numbers.budget[column]
                limit = budget if budget is not None else self._size_of(node, group)
                value = f"{format_bytes(used)} of {format_bytes(limit)}" if limit else format_bytes(used)
                look = "warn" if budget is not None and used > budget else "plain"
            entries.append(Entry("area", "used", name, value, look))
        has_budget = numbers is None or any(budget is not None for budget in numbers.budget)
        entries.append(Entry("dash", "budget", "budget" if has_budget else "segment size", ""))
        moved = ("0 B", "0 B", "0 ms")
        if numbers is not None:
            moved = (format_bytes(numbers.uploaded), format_bytes(numbers.evicted), format_ns(numbers.frame_ns))
        entries.append(Entry("bar", "page_in", "moved in", moved[0]))
        entries.append(Entry("bar", "evict", "evicted", moved[1]))
        entries.append(Entry("line", "text2", "frame time", f"{moved[2]} est.", group="colour"))
        return tuple(entries)

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

    @Slot(int)
    def _on_stepped(self, frames: int) -> None:
        self._on_scrubbed((self._wanted if self._wanted is not None else self.data.cursor) + frames)

    @Slot(int)
    def _on_end_wanted(self, end: int) -> None:
        self._on_scrubbed(self.data.frames if end else 0)

    @Slot(int)
    def _on_mark_wanted(self, step: int) -> None:
        found = self.data.next_mark(self.data.cursor, step)
        if found is not None:
            self._on_scrubbed(found)

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
