"""The plots of the Timeline with their overlay: mouse and keyboard become intentions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QWidget

from explorer.ui.timeline_overlay import BANDS_GAP, GUTTER, RIGHT, TOP, TimelineOverlay

if TYPE_CHECKING:
    from explorer.ui.plot import TrackPlots
    from explorer.ui.theme import Theme

_SPACING = 6
_PAGE = 10


class TimelinePlot(QWidget):
    """The plots with their overlay, mouse and keyboard.

    Signals:
        scrubbed: Frame under a press or a drag.
        released: The mouse was released; the last frame stands.
        hovered: Frame under the mouse, −1 outside.
        pointed: Where the mouse is, None outside: what lies there is told.
        picked: Band that was clicked.
        stepped: Frames to go by, from the keyboard.
        mark_wanted: 1 or −1: the next or the previous mark.
        zoomed: Factor and frame count that stays in place.
        moved: Frames to move the axis by.
        end_wanted: 0 for the first frame, 1 for the last.
        fit_wanted: All frames are asked for.
        resized: There is another room for tracks and bands.
    """

    scrubbed = Signal(object)
    released = Signal()
    hovered = Signal(object)
    pointed = Signal(object)
    picked = Signal(int)
    stepped = Signal(int)
    mark_wanted = Signal(int)
    zoomed = Signal(float, float)
    moved = Signal(float)
    end_wanted = Signal(int)
    fit_wanted = Signal()
    resized = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        # Imported here: pyqtgraph takes half a second, and the window is painted before this widget is made.
        from explorer.ui.plot import TrackPlots

        self._theme = theme
        self._pan: QPointF | None = None
        self._room = -1
        self.setObjectName("timeline_plot")
        self.setAccessibleName("Timeline")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumHeight(96)
        self.plots: TrackPlots = TrackPlots((GUTTER, TOP, RIGHT, 20), _SPACING, self)
        self.overlay = TimelineOverlay(theme, self.plots, self)
        self.plots.set_ground(theme.colour("panel"))
        theme.changed.connect(self._on_theme)

    def resizeEvent(self, event: object) -> None:
        """Keep plots and overlay over one another."""
        self._set_margins()
        self.plots.setGeometry(self.rect())
        self.overlay.setGeometry(self.rect())
        self.overlay.raise_()
        self.resized.emit()

    def fitting_bands(self, tracks: int) -> int:
        """Return for how many bands there is room beside so many tracks."""
        inner = self.height() - TOP - self.overlay.bottom_room() - _SPACING * tracks
        # The first track is half as high again as the others, and each needs a line for its name.
        return self.overlay.bands.fitting(inner, (tracks + 0.5) * (self.overlay.bands.pitch() + 1))

    def make_room(self) -> None:
        """Leave the room under the tracks that the bands take now."""
        self._set_margins()

    def _set_margins(self) -> None:
        under = self.overlay.bands.height()
        room = self.overlay.bottom_room() + (under + BANDS_GAP if under else 0)
        if room != self._room:
            self._room = room
            self.plots.set_margins(GUTTER, TOP, RIGHT, room)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the focus ring; all else is above."""
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(QPen(self._theme.colour("accent"), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Scrub with the left button, pan with the middle one."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._press(event.position())
        elif event.button() == Qt.MouseButton.MiddleButton:
            self._pan = event.position()

    def _press(self, at: QPointF) -> None:
        """Go to the mark under the mouse, else to its frame; on a band its resource is meant as well."""
        marks = self.overlay.marks_at(at)
        frame = marks[0].first if marks else self.overlay.frame_at(at)
        band = self.overlay.bands.band_at(at.y())
        if band >= 0:
            self.picked.emit(band)
        if band < 0 or at.x() >= GUTTER:
            self.scrubbed.emit(frame)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Scrub, pan or hover."""
        if self._pan is not None:
            before, self._pan = self._pan, event.position()
            self.moved.emit(self.plots.px_to_x(before.x()) - self.plots.px_to_x(self._pan.x()))
        elif event.buttons() & Qt.MouseButton.LeftButton:
            self.scrubbed.emit(self.overlay.frame_at(event.position()))
        else:
            self.hovered.emit(self.overlay.frame_at(event.position()) if event.position().x() >= GUTTER else -1)
            self.pointed.emit(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End what the press began."""
        if event.button() == Qt.MouseButton.MiddleButton:
            self._pan = None
        else:
            self.released.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A double click is a press: it scrubs."""
        self.mousePressEvent(event)

    def leaveEvent(self, _event: object) -> None:
        """Show the cursor's numbers again."""
        self.hovered.emit(-1)
        self.pointed.emit(None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom about the frame under the mouse; with Shift, move."""
        delta = event.angleDelta().y() or event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            width = self.plots.px_to_x(self.width()) - self.plots.px_to_x(GUTTER)
            self.moved.emit(-delta / 120 * width / 10)
        elif delta:
            self.zoomed.emit(1.25 ** (-delta / 120), self.plots.px_to_x(event.position().x()))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows and pages walk frames, N finds marks, brackets zoom, F shows all."""
        steps = {
            Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: -_PAGE, Qt.Key.Key_PageDown: _PAGE,
        }  # fmt: skip
        key = Qt.Key(event.key())
        middle = self.overlay.state.cursor or 0
        if key in steps:
            self.stepped.emit(steps[key])
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.end_wanted.emit(int(key == Qt.Key.Key_End))
        elif key == Qt.Key.Key_N:
            self.mark_wanted.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif key in (Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight):
            self.zoomed.emit(1.5 if key == Qt.Key.Key_BracketLeft else 1 / 1.5, float(middle))
        elif key == Qt.Key.Key_F:
            self.fit_wanted.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, _event: object) -> None:
        """Show the ring."""
        self.update()

    def focusOutEvent(self, _event: object) -> None:
        """Take the ring away."""
        self.pointed.emit(None)
        self.update()

    @Slot()
    def _on_theme(self) -> None:
        self.plots.set_ground(self._theme.colour("panel"))
