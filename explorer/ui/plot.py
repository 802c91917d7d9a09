"""Stacked plots over one x axis, drawn by pyqtgraph; the only module that imports it, after the first paint.

The plots draw series and nothing else: axes, names, cursor and flags are the overlay's, which asks here where a track
and an x value lie.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

# PyQt6 beside us must not be picked up.
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")

import numpy as np
import numpy.typing as npt
import pyqtgraph
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget


@dataclass(frozen=True, slots=True)
class Series:
    """One series of a track.

    Attributes:
        look: ``area`` (filled steps), ``bars`` (filled steps without an outline), ``steps`` (dashed) or ``line``.
        edges: x where each value begins, and where the last one ends; shape (n + 1,).
        values: y, shape (n,); NaN leaves a gap.
        colour: Of line or fill.
        alpha: Opacity of the fill, 0 to 1.
    """

    look: str
    edges: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    colour: QColor
    alpha: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """What one track shows.

    Attributes:
        series: Painted in order.
        low: y at the lower edge.
        high: y at the upper edge.
        share: Part of the height, against the shares of the others.
    """

    series: tuple[Series, ...]
    low: float
    high: float
    share: int = 2


class TrackPlots(pyqtgraph.GraphicsLayoutWidget):
    """Tracks one below the other.

    Args:
        margins: Left, top, right and bottom room around the tracks, logical pixels.
        spacing: Room between tracks, logical pixels.
    """

    def __init__(self, margins: tuple[int, int, int, int], spacing: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("track_plots")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # The view above it serves the mouse: scrubbing, hover and zoom are one axis only.
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFrameShape(self.Shape.NoFrame)
        # The stubs take the attribute for QGraphicsWidget.layout().
        self._layout: Any = self.ci.layout
        self._layout.setContentsMargins(*margins)
        self._layout.setSpacing(spacing)
        self._range = (0.0, 1.0)
        self._boxes: list[pyqtgraph.ViewBox] = []
        self._curves: list[list[pyqtgraph.PlotCurveItem]] = []

    def set_margins(self, left: int, top: int, right: int, bottom: int) -> None:
        """Set the room around the tracks, logical pixels."""
        self._layout.setContentsMargins(left, top, right, bottom)
        # Margins that were too large for the widget have made the layout larger than it: bring it back.
        self._layout.activate()
        self.ci.setGeometry(QRectF(self.rect()))

    def set_ground(self, colour: QColor) -> None:
        """Set the ground."""
        self.setBackground(colour)

    def show_tracks(self, tracks: Sequence[Track], first: float, end: float) -> None:
        """Show tracks over x from ``first`` to ``end``; items are used again."""
        self._range = (first, max(end, first + 1))
        if len(tracks) != len(self._boxes):
            self._make(len(tracks))
        for row, track in enumerate(tracks):
            self._layout.setRowStretchFactor(row, track.share)
            box, curves = self._boxes[row], self._curves[row]
            while len(curves) < len(track.series):
                curve = pyqtgraph.PlotCurveItem()
                box.addItem(curve, ignoreBounds=True)
                curves.append(curve)
            for curve in curves[len(track.series) :]:
                curve.clear()
            for curve, series in zip(curves, track.series, strict=False):
                _fill(curve, series)
            box.setRange(xRange=self._range, yRange=(track.low, track.high), padding=0, update=True)

    def track_rect(self, index: int) -> QRectF:
        """Return where a track lies, in the widget's coordinates."""
        return QRectF(self._boxes[index].sceneBoundingRect())

    @property
    def tracks(self) -> int:
        """How many tracks there are."""
        return len(self._boxes)

    def x_to_px(self, value: float) -> float:
        """Return the pixel of an x value, in the widget's coordinates."""
        if not self._boxes:
            return 0.0
        rect, (first, end) = self.track_rect(0), self._range
        return rect.left() + (value - first) / (end - first) * rect.width()

    def px_to_x(self, pixel: float) -> float:
        """Return the x value under a pixel."""
        if not self._boxes:
            return 0.0
        rect, (first, end) = self.track_rect(0), self._range
        return first + (pixel - rect.left()) / max(rect.width(), 1.0) * (end - first)

    def _make(self, count: int) -> None:
        self.ci.clear()
        self._boxes, self._curves = [], []
        for row in range(count):
            box = self.ci.addViewBox(row=row, col=0, enableMouse=False, enableMenu=False)
            box.setDefaultPadding(0)
            self._boxes.append(box)
            self._curves.append([])
        self._layout.activate()


def _fill(curve: pyqtgraph.PlotCurveItem, series: Series) -> None:
    """Put a series into a curve item."""
    values = series.values
    fill = QColor(series.colour)
    fill.setAlphaF(series.alpha)
    line = QPen(series.colour, 0)
    line.setCosmetic(True)
    if series.look == "steps":
        line.setDashPattern([4, 3])
        # Steps as a polyline: a gap may lie between any two of them.
        x = np.repeat(series.edges, 2)[1:-1].astype(np.float64)
        curve.setData(x, np.repeat(values, 2), pen=line, connect="finite", stepMode=None, fillLevel=None,
                      antialias=False)  # fmt: skip
        return
    if series.look == "line":
        x = (series.edges[:-1] + series.edges[1:]) / 2
        curve.setData(x, values, pen=line, connect="finite", stepMode=None, fillLevel=None, antialias=True)
        return
    pen = line if series.look == "area" else None
    curve.setData(series.edges.astype(np.float64), values, pen=pen, brush=fill, fillLevel=0.0, stepMode="center",
                  antialias=False)  # fmt: skip
