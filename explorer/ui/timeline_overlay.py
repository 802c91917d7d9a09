"""Over the plots of the Timeline: names and scales of the tracks, frames, marks, and the cursor with its plate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from explorer.render.timeline import BUDGET, LOSS, OVER, THRASH, TRIM, Run
from explorer.render.timeline_axis import frame_ticks
from explorer.ui.timeline_bands import TimelineBands

if TYPE_CHECKING:
    from explorer.ui.plot import TrackPlots
    from explorer.ui.theme import Theme

GUTTER, TOP, RIGHT = 124, 22, 12
"""Logical pixels around the tracks."""

_TICK_PX = 90
BANDS_GAP = 4
_BAND = 0.08
_SHIFT_PX = 40
"""A flag that the cursor's plate pushes further than this would stand at another frame."""

_TOKENS = {LOSS: "error", THRASH: "warn", OVER: "warn", TRIM: "info", BUDGET: "text3"}
"""Colour of each group of marks, the gravest first."""

_SIGNS = {
    LOSS: ((-1, -1), (1, 1), (0, 0), (1, -1), (-1, 1), (0, 0)),
    THRASH: ((-1, -1), (0, -1), (0, 1), (1, 1), (1, 0), (-1, 0)),
    OVER: ((0, -1), (1, 1), (-1, 1)),
    TRIM: ((-1, -1), (1, -1), (0, 1)),
    BUDGET: ((0, -1), (1, 0), (0, 1), (-1, 0)),
}
"""Outline of the sign on the line of each group, so that no colour is needed: cross, bolt, up, down, diamond."""

_SIGN_PX = 3.5
_NEAR_PX = 5
"""How near to the line of a mark the mouse means it."""
_VEIL = 0.6


@dataclass(frozen=True, slots=True)
class TrackLabels:
    """What stands beside a track.

    Attributes:
        name: At the left of the gutter.
        top: Text at the upper end of the scale.
        bottom: Text at the lower end.
        base: Share of the height at which the base line lies, from the top; 1 at the bottom.
        note: Grey text inside the track, at the right.
    """

    name: str
    top: str
    bottom: str
    base: float = 1.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class OverlayState:
    """What the overlay shows.

    Attributes:
        labels: One for each track.
        first: Frame count at the left edge.
        end: Frame count at the right edge.
        cursor: Frames run; None while there is nothing.
        hover: Frame under the mouse; None outside.
        known: Frames that are known; the part behind the cursor is veiled.
        runs: Marked frames in view.
    """

    labels: tuple[TrackLabels, ...] = ()
    first: float = 0.0
    end: float = 1.0
    cursor: int | None = None
    hover: int | None = None
    known: int = 0
    runs: tuple[Run, ...] = ()


class TimelineOverlay(QWidget):
    """Painted over the plots; the mouse goes through."""

    def __init__(self, theme: Theme, plots: TrackPlots, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._plots = theme, plots
        self.state = OverlayState()
        self.bands = TimelineBands(theme)
        self.flags: list[tuple[str, QRectF]] = []
        self._flag_runs: list[Run] = []
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        theme.changed.connect(self.update)

    def show_state(self, state: OverlayState) -> None:
        """Show another state."""
        if state != self.state:
            self.state = state
            self.update()

    def bottom_room(self) -> int:
        """Return the height of the frame numbers under the tracks."""
        return int(QFontMetricsF(self._theme.font(self._theme.caption_px)).height()) + 6

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint everything but the series."""
        state, plots = self.state, self._plots
        if not plots.tracks or len(state.labels) != plots.tracks:
            return
        painter = QPainter(self)
        rects = [plots.track_rect(index) for index in range(plots.tracks)]
        area = self.area()
        painter.setFont(self._theme.font(self._theme.caption_px))
        for labels, rect in zip(state.labels, rects, strict=True):
            self._paint_track(painter, labels, rect)
        self.bands.paint(painter, self.devicePixelRatioF())
        painter.setFont(self._theme.font(self._theme.caption_px))
        self._paint_frames(painter, area)
        self._paint_runs(painter, area)
        if state.cursor is not None:
            self._paint_veil(painter, area, state.cursor)
            if state.hover is not None and state.hover != state.cursor:
                self._paint_line(painter, area, state.hover, strong=False)
            self._paint_line(painter, area, state.cursor, strong=True)

    def area(self) -> QRectF:
        """Return where the frames lie: tracks and bands."""
        plots, bands = self._plots, self.bands
        last = plots.track_rect(plots.tracks - 1)
        area = QRectF(plots.track_rect(0).topLeft(), last.bottomRight())
        if bands.names:
            bands.lay_out(QRectF(last.left(), last.bottom() + BANDS_GAP, last.width(), bands.height()))
            area.setBottom(bands.rects[-1].bottom())
        return area

    def marks_at(self, at: QPointF) -> tuple[Run, ...]:
        """Return the marks whose flag, or whose line above the tracks, lies under a point: the meant one first."""
        meant = next((r for r, (_, plate) in zip(self._flag_runs, self.flags, strict=True) if plate.contains(at)), None)
        if meant is None:
            if not self._plots.tracks or at.y() > self._plots.track_rect(0).top() + _SIGN_PX:
                return ()
            area = self.area()
            near = [(abs(self._run_px(run, area)[0] - at.x()), index) for index, run in enumerate(self.state.runs)]
            found = min(near, default=(_NEAR_PX + 1, 0))
            if found[0] > _NEAR_PX:
                return ()
            meant = self.state.runs[found[1]]
        return (meant, *(run for run in self.state.runs if run.first == meant.first and run is not meant))

    def _paint_track(self, painter: QPainter, labels: TrackLabels, rect: QRectF) -> None:
        theme = self._theme
        line = QFontMetricsF(painter.font()).height()
        painter.setPen(QPen(theme.colour("linesoft"), 1))
        base = rect.top() + rect.height() * labels.base
        painter.drawLine(QLineF(rect.left(), round(base) - 0.5, rect.right(), round(base) - 0.5))
        side = QRectF(0, rect.top() - 1, rect.left() - 8, line)
        least = 3 * line - 4 if labels.base >= 1 else 2 * line - 4
        if rect.height() < least:
            # Too low for a line each: name and scale share one.
            side.moveTop(rect.center().y() - line / 2)
            painter.setPen(theme.colour("text2"))
            painter.drawText(side, Qt.AlignmentFlag.AlignRight, f"{labels.name} {labels.top}")
        else:
            painter.setPen(theme.colour("text3"))
            painter.drawText(side, Qt.AlignmentFlag.AlignRight, labels.top)
            side.moveBottom(rect.bottom() + 1)
            painter.drawText(side, Qt.AlignmentFlag.AlignRight, labels.bottom)
            if rect.height() >= 3 * line - 4:
                side.moveTop(rect.center().y() - line / 2)
                painter.setPen(theme.colour("text2"))
                painter.drawText(side, Qt.AlignmentFlag.AlignRight, labels.name)
        if labels.note:
            painter.setPen(theme.colour("text2"))
            painter.drawText(rect.adjusted(0, 1, -4, 0), Qt.AlignmentFlag.AlignRight, labels.note)

    def _paint_frames(self, painter: QPainter, area: QRectF) -> None:
        state, theme = self.state, self._theme
        painter.setPen(theme.colour("text3"))
        line = QFontMetricsF(painter.font()).height()
        for frame in frame_ticks(state.first, state.end, max(int(area.width() / _TICK_PX), 1)):
            x = self._plots.x_to_px(frame)
            box = QRectF(x - 40, area.bottom() + 3, 80, line)
            if x - 40 < area.left():
                painter.drawText(box.translated(40, 0), Qt.AlignmentFlag.AlignLeft, f"{frame:,}")
            elif x + 40 > self.width():
                painter.drawText(box.translated(-40, 0), Qt.AlignmentFlag.AlignRight, f"{frame:,}")
            else:
                painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, f"{frame:,}")

    def _paint_runs(self, painter: QPainter, area: QRectF) -> None:
        """Paint bands and lines of marks, then the flags."""
        for run in self.state.runs:
            colour = self._theme.colour(_TOKENS[run.group])
            left, right = self._run_px(run, area)
            if run.group not in (LOSS, BUDGET):
                band = QColor(colour)
                band.setAlphaF(_BAND)
                painter.fillRect(QRectF(left, area.top(), max(right - left, 1.0), area.height()), band)
            pen = QPen(colour, 1)
            pen.setDashPattern([2, 2])
            painter.setPen(pen)
            painter.drawLine(QLineF(round(left) + 0.5, area.top() - 4, round(left) + 0.5, area.bottom()))
            self._paint_sign(painter, run.group, QPointF(round(left) + 0.5, area.top()), colour)
        self._paint_flags(painter, area)

    def _paint_sign(self, painter: QPainter, group: str, at: QPointF, colour: QColor) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour, 1.5 if group == LOSS else 1))
        painter.setBrush(colour)
        painter.drawPolygon(QPolygonF([at + QPointF(x, y) * _SIGN_PX for x, y in _SIGNS[group]]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _run_px(self, run: Run, area: QRectF) -> tuple[float, float]:
        left = max(self._plots.x_to_px(run.first - 1), area.left())
        return left, min(self._plots.x_to_px(run.last), area.right())

    def _paint_flags(self, painter: QPainter, area: QRectF) -> None:
        """Paint the words of marks, the gravest first; one without room beside the cursor's plate is left out."""
        theme, metrics = self._theme, QFontMetricsF(painter.font())
        self.flags, self._flag_runs = [], []
        cursor = self.state.cursor
        taken = [self._plate(area, cursor)] if cursor is not None else []
        for run in sorted(self.state.runs, key=lambda run: list(_TOKENS).index(run.group)):
            width = metrics.horizontalAdvance(run.text) + 8
            left = min(self._run_px(run, area)[0], area.right() - width)
            plate = QRectF(left, area.top() - TOP + 2, width, metrics.height() + 2)
            if cursor is not None and plate.intersects(taken[0]):
                aside = taken[0].left() - 4 - width
                beyond = taken[0].right() + 4
                plate.moveLeft(aside if left - aside <= beyond - left else beyond)
            is_far = abs(plate.left() - left) > _SHIFT_PX or plate.right() > area.right() + 1
            if is_far or any(plate.adjusted(-3, 0, 3, 0).intersects(one) for one in taken):
                continue
            taken.append(plate)
            self.flags.append((run.text, plate))
            self._flag_runs.append(run)
            token = _TOKENS[run.group]
            painter.fillRect(plate, theme.colour({"error": "errbg", "warn": "warnbg"}.get(token, "raised")))
            painter.setPen(theme.colour(token))
            painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, run.text)

    def _plate(self, area: QRectF, frame: int) -> QRectF:
        """Return where the number of a frame stands over its line."""
        metrics = QFontMetricsF(self._theme.font(self._theme.small_px, strong=True))
        width = metrics.horizontalAdvance(f"{frame:,}") + 12
        left = min(max(self._plots.x_to_px(frame) - width / 2, 0.0), self.width() - width)
        return QRectF(left, area.top() - metrics.height() - 3, width, metrics.height() + 2)

    def _paint_veil(self, painter: QPainter, area: QRectF, cursor: int) -> None:
        """Fade what a run that was sought back has already shown."""
        if self.state.known <= cursor:
            return
        ground = QColor(self._theme.colour("panel"))
        ground.setAlphaF(_VEIL)
        x = max(self._plots.x_to_px(cursor), area.left())
        if x < area.right():
            painter.fillRect(QRectF(x, area.top(), area.right() - x, area.height()), ground)

    def _paint_line(self, painter: QPainter, area: QRectF, frame: int, *, strong: bool) -> None:
        theme = self._theme
        x = self._plots.x_to_px(frame)
        if not area.left() - 1 <= x <= area.right() + 1:
            return
        painter.setPen(QPen(theme.colour("select" if strong else "axis", "map"), 2 if strong else 1))
        painter.drawLine(QLineF(x, area.top(), x, area.bottom()))
        font, plate = theme.font(theme.small_px, strong=True), self._plate(area, frame)
        if not strong and any(plate.intersects(flag) for _, flag in self.flags):
            # The legend says the number as well, and nothing else says what the flag does.
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("text") if strong else theme.colour("raised"))
        painter.drawRoundedRect(plate, 3, 3)
        painter.setPen(theme.colour("window") if strong else theme.colour("text2"))
        saved = painter.font()
        painter.setFont(font)
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, f"{frame:,}")
        painter.setFont(saved)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def frame_at(self, at: QPointF) -> int:
        """Return the frame count under a point: the end of the frame that lies there."""
        return int(self._plots.px_to_x(at.x())) + 1
