"""The residency bands under the tracks of the Timeline: one for each resource, with its legend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPen

from explorer.render.residency_bands import PLACE_WORDS, band_image, band_tiles
from explorer.render.tokens import palette

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from explorer.core.columns import Bytes8
    from explorer.core.kinds import ResidencyPlace
    from explorer.ui.theme import Theme

MOST = 12
"""Bands at most, however high the view is."""

_SHARE = 0.45
"""Part of the height that bands take at most."""

_GAP = 10
_HEAD_GAP = 2
_SWATCH = 14


class TimelineBands:
    """Paints bands; the overlay owns it and says where.

    Attributes:
        names: Resources, one for each band.
        rects: Where each band lies.
        head: Where the legend lies.
    """

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self.names: tuple[str, ...] = ()
        self.chosen: frozenset[str] = frozenset()
        self.rects: list[QRectF] = []
        self.head = QRectF()
        self._columns: tuple[Bytes8, Bytes8] | None = None
        self._images: tuple[tuple[str, int, float], list[QImage]] | None = None
        self._tiles: dict[tuple[str, int, float], npt.NDArray[np.uint32]] = {}

    def pitch(self) -> int:
        """Return the height of a band with the room above it."""
        return int(QFontMetricsF(self._theme.font(self._theme.caption_px)).height()) + 1

    def fitting(self, height: float, least: float) -> int:
        """Return how many bands fit.

        Args:
            height: Logical pixels for tracks and bands.
            least: Logical pixels that the tracks need.
        """
        room = min(height - least, height * _SHARE) - self.pitch() - _HEAD_GAP
        return max(min(int(room // self.pitch()), MOST), 0)

    def height(self) -> int:
        """Return the logical pixels that legend and bands take; 0 without a band."""
        return self.pitch() * (len(self.names) + 1) + _HEAD_GAP if self.names else 0

    def show(self, names: tuple[str, ...], chosen: frozenset[str], columns: tuple[Bytes8, Bytes8]) -> None:
        """Show bands.

        Args:
            names: Resources.
            chosen: Which of them are selected.
            columns: From ``ResidencyBands.columns``.
        """
        self.names, self.chosen, self._columns = names, chosen, columns
        self._images = None
        # Those that are no more must not be found under the mouse before the next layout.
        self.rects = self.rects[: len(names)]

    def lay_out(self, area: QRectF) -> None:
        """Put legend and bands into an area, the legend first."""
        pitch = self.pitch()
        self.head = QRectF(area.left(), area.top(), area.width(), pitch)
        self.rects = [
            QRectF(area.left(), area.top() + _HEAD_GAP + pitch * (index + 1), area.width(), pitch)
            for index in range(len(self.names))
        ]

    def band_at(self, y: float) -> int:
        """Return which band lies at a height, −1 none."""
        return next((at for at, rect in enumerate(self.rects) if rect.top() <= y < rect.bottom()), -1)

    def paint(self, painter: QPainter, ratio: float) -> None:
        """Paint bands with their names, then the legend."""
        if not self.names or self._columns is None:
            return
        theme = self._theme
        tall = max(round((self.pitch() - 3) * ratio), 4)
        tiles = self._patterns(tall, ratio)
        images = self._pictures(self._columns, tall, ratio)
        font, strong = theme.font(theme.caption_px), theme.font(theme.caption_px, strong=True)
        for band, (name, rect) in enumerate(zip(self.names, self.rects, strict=True)):
            image = images[band]
            high = image.height() / ratio
            painter.setPen(QPen(theme.colour("linesoft"), 1))
            painter.drawLine(rect.bottomLeft(), rect.bottomRight())
            painter.drawImage(QRectF(rect.left(), rect.bottom() - high, rect.width(), high), image)
            is_chosen = name in self.chosen
            painter.setFont(strong if is_chosen else font)
            painter.setPen(theme.colour("text" if is_chosen else "text2"))
            side = QRectF(4, rect.top(), rect.left() - 12, rect.height())
            shown = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, int(side.width()))
            painter.drawText(side, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.setFont(font)
        self._paint_legend(painter, tiles, ratio)

    def _pictures(self, columns: tuple[Bytes8, Bytes8], tall: int, ratio: float) -> list[QImage]:
        """Return the pictures of the bands; a moving mouse paints the same ones again."""
        key = (self._theme.name, tall, ratio)
        if self._images is None or self._images[0] != key:
            made: list[QImage] = []
            for best, worst in zip(*columns, strict=True):
                pixels = band_image(best, worst, self._patterns(tall, ratio))
                rows, width = pixels.shape
                form = QImage.Format.Format_ARGB32_Premultiplied
                made.append(QImage(pixels.data, width, rows, pixels.strides[0], form).copy())
            self._images = (key, made)
        return self._images[1]

    def swatch(self, place: ResidencyPlace, ratio: float) -> QImage | None:
        """Return a sample of a place's pattern; None for what does not live."""
        if place not in PLACE_WORDS:
            return None
        tall = max(round(10 * ratio), 4)
        tile = self._patterns(tall, ratio)[place]
        wide = tile[:, [at % tile.shape[1] for at in range(tall)]].copy()
        image = QImage(wide.data, tall, tall, wide.strides[0], QImage.Format.Format_ARGB32_Premultiplied).copy()
        image.setDevicePixelRatio(ratio)
        return image

    def _paint_legend(self, painter: QPainter, tiles: npt.NDArray[np.uint32], ratio: float) -> None:
        theme, metrics = self._theme, QFontMetricsF(painter.font())
        painter.setPen(theme.colour("text3"))
        side = QRectF(4, self.head.top(), self.head.left() - 12, self.head.height())
        painter.drawText(side, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "bytes are in")
        x, tall = self.head.left(), tiles.shape[1] / ratio
        rooms = {place: _SWATCH + 4 + metrics.horizontalAdvance(word) for place, word in PLACE_WORDS.items()}
        if sum(rooms.values()) + _GAP * (len(rooms) - 1) > self.head.width():
            # Too narrow for all: what is in sight has to be told.
            rooms = {place: room for place, room in rooms.items() if self._shows(place)}
        for place, room in rooms.items():
            word = PLACE_WORDS[place]
            tile = tiles[place]
            wide = tile[:, [at % tile.shape[1] for at in range(round(_SWATCH * ratio))]].copy()
            image = QImage(
                wide.data, wide.shape[1], len(wide), wide.strides[0], QImage.Format.Format_ARGB32_Premultiplied
            )
            painter.drawImage(QRectF(x, self.head.center().y() - tall / 2, _SWATCH, tall), image)
            painter.setPen(theme.colour("text2"))
            text = QRectF(x + _SWATCH + 4, self.head.top(), room, self.head.height())
            painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, word)
            x += room + _GAP

    def _shows(self, place: ResidencyPlace) -> bool:
        return self._columns is not None and any(bool((part == place).any()) for part in self._columns)

    def _patterns(self, tall: int, ratio: float) -> npt.NDArray[np.uint32]:
        key = (self._theme.name, tall, ratio)
        if key not in self._tiles:
            self._tiles[key] = band_tiles(palette(self._theme.name), tall, ratio)
        return self._tiles[key]
