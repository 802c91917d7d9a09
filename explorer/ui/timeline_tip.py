"""What the mouse points at in the Timeline, told beside it: a mark, a band, the parts of a frame's time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QPointF, QRect, QRectF, QTimer, Slot
from PySide6.QtGui import QFontMetricsF

from explorer.core.units import format_exact
from explorer.render.residency_bands import PLACE_WORDS
from explorer.ui.descriptors_tip import VALUES_PX, FactsTip
from explorer.ui.timeline_tracks import time_facts

if TYPE_CHECKING:
    from PySide6.QtGui import QFont, QImage

    from explorer.render.residency_bands import BandRun, ResidencyBands
    from explorer.render.timeline import FrameNumbers, Run
    from explorer.sim.snapshot import Snapshot
    from explorer.ui.theme import Theme
    from explorer.ui.timeline_plot import TimelinePlot

_LINES = 4
_BESIDE = 12
_STAYS_MS = 6000


class TimelineTip(QObject):
    """Shows one tool tip over the window, so that a low view does not cut it."""

    def __init__(self, theme: Theme, plot: TimelinePlot) -> None:
        super().__init__(plot)
        self._theme, self._plot = theme, plot
        self._tip: FactsTip | None = None
        self._end = QTimer(self)
        self._end.setSingleShot(True)
        self._end.setInterval(_STAYS_MS)
        self._end.timeout.connect(self.hide)

    @property
    def title(self) -> str:
        """What is told about; empty while nothing is."""
        return self._tip.title if self._tip is not None else ""

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """What is told; empty while nothing is."""
        return self._tip.rows if self._tip is not None and self.title else ()

    @Slot()
    def hide(self) -> None:
        """Tell nothing."""
        self._end.stop()
        if self._tip is not None:
            self._tip.hide()

    def show_reached(self, marks: tuple[Run, ...], at: QPointF) -> None:
        """Tell about marks that a key led to, for a while: no mouse will leave them."""
        self.show_marks(marks, at)
        self._end.start()

    def show_marks(self, marks: tuple[Run, ...], at: QPointF) -> None:
        """Tell about marks that begin at one frame."""
        rows: list[tuple[str, str]] = []
        font = self._theme.font()
        for run in marks:
            frames = f"{run.first:,}" if run.first == run.last else f"{run.first:,} – {run.last:,}"
            rows.append(("Frame" if run.first == run.last else "Frames", frames))
            rows += wrapped("What", run.note, font)
            rows += rule_rows(run.rule, font)
        self._show(", ".join(run.text for run in marks), rows, at, "")

    def show_band(self, run: BandRun, frame: int, snapshot: Snapshot, at: QPointF) -> None:
        """Tell where a resource was at a frame, since when, and why."""
        rows = [("Frame", f"{frame:,}, so from {max(run.first, 0):,} to {run.last:,}")]
        if 0 <= run.segment < len(snapshot.segments):
            rows.append(("Segment", snapshot.segments[run.segment].name))
        if run.also:
            rows.append(("Each frame", f"{PLACE_WORDS[run.also]} as well, not at its end"))
        if run.heap:
            rows.append(("Heap", run.heap))
        if run.name in snapshot.resources.names:
            size = int(snapshot.resources.size[snapshot.resources.names.index(run.name)])
            rows.append(("Size", format_exact(size)))
        rows += wrapped("Why", run.why[:1].upper() + run.why[1:], self._theme.font()) if run.why else []
        swatch = self._plot.overlay.bands.swatch(run.place, self._plot.devicePixelRatioF())
        self._show(run.name, [*rows, *rule_rows(run.rule, self._theme.font())], at, run.word, swatch)

    def show_time(self, numbers: FrameNumbers, at: QPointF) -> None:
        """Tell the parts of a frame's time."""
        self._show(f"Frame {numbers.frame:,}", time_facts(numbers), at, "")

    def point(
        self, at: QPointF | None, bands: ResidencyBands, numbers: FrameNumbers | None, snapshot: Snapshot | None
    ) -> None:
        """Tell what lies under the mouse.

        Args:
            at: In the plot's coordinates; None outside.
            bands: What the bands show.
            numbers: The frame under the mouse; None for an unknown one.
            snapshot: What is shown.
        """
        overlay = self._plot.overlay
        marks = overlay.marks_at(at) if at is not None else ()
        if at is None or snapshot is None:
            self.hide()
        elif marks:
            self.show_marks(marks, at)
        elif (band := overlay.bands.band_at(at.y())) >= 0:
            frame = numbers.frame if numbers is not None else overlay.state.cursor or 0
            told = bands.run_at(band, frame)
            if told is None:
                self.hide()
            else:
                self.show_band(told, frame, snapshot, at)
        elif numbers is not None and self._time_rect().contains(at) and any(numbers.parts_ns):
            self.show_time(numbers, at)
        else:
            self.hide()

    def _time_rect(self) -> QRectF:
        plots = self._plot.plots
        return plots.track_rect(plots.tracks - 1) if plots.tracks else QRectF()

    def _show(
        self, title: str, rows: list[tuple[str, str]], at: QPointF, state: str, swatch: QImage | None = None
    ) -> None:
        self._end.stop()
        window = self._plot.window()
        if self._tip is None or self._tip.parent() is not window:
            # The dock was floated or put back.
            if self._tip is not None:
                self._tip.deleteLater()
            self._tip = FactsTip(self._theme, window, name="timeline_tip")
        centre = self._plot.mapTo(window, at.toPoint())
        around = QRect(centre - QPoint(_BESIDE, _BESIDE), centre + QPoint(_BESIDE, _BESIDE))
        self._tip.show_facts(title, rows, around, state=state, swatch=swatch)


def rule_rows(rule: str, font: QFont) -> list[tuple[str, str]]:
    """Return a rule's id and text as lines that fit; none for no rule."""
    if not rule:
        return []
    from explorer.sim.why_rules import rule_reason

    reason = rule_reason(rule)
    return [("Rule", rule), *wrapped("", reason.text if reason is not None else "", font)]


def wrapped(name: str, text: str, font: QFont) -> list[tuple[str, str]]:
    """Return a text as lines that fit beside their name; what is too long ends with an ellipsis."""
    metrics, lines = QFontMetricsF(font), [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if metrics.horizontalAdvance(longer) <= VALUES_PX or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 1], f"{lines[_LINES - 1].rsplit(' ', 1)[0]} …"]
    return [(name if at == 0 else "", line) for at, line in enumerate(lines) if line]
