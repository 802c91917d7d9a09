"""The legend of a picture of tiles: what the colours mean, with tiles and bytes; the entries add up to all tiles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.tiles import TILE_BYTES
from explorer.core.units import format_bytes
from explorer.render.tokens import palette

if TYPE_CHECKING:
    from explorer.render.tile_sheet import TileSheet
    from explorer.ui.theme import Theme

_EDGE, _GAP = 12, 24
_DIMMED = 0.55


class TilesLegend(QWidget):
    """Entries keep their order; those without a tile are dimmed."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._sheet: TileSheet | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setObjectName("tiles_legend")
        theme.changed.connect(self.update)

    @property
    def entries(self) -> tuple[tuple[int, str, int], ...]:
        """Look, label and tiles of each entry."""
        return self._sheet.entries if self._sheet is not None else ()

    def show_sheet(self, sheet: TileSheet | None) -> None:
        """Show the entries of a sheet."""
        self._sheet = sheet
        told = ", ".join(f"{name} {count:,} tiles" for _, name, count in self.entries)
        self.setAccessibleName(f"Legend: {told}")
        self._fit()
        self.update()

    def resizeEvent(self, _event: object) -> None:
        """Take as many lines as the width asks for."""
        self._fit()

    def minimumSizeHint(self) -> QSize:
        """Entries wrap."""
        return QSize(120, 0)

    def _fit(self) -> None:
        lines = 1 + max((line for line, _, _ in self._placed(self.width())), default=0)
        # Fixed rather than asked for by width: a layout keeps an older answer when only the width changes.
        self.setFixedHeight(math.ceil(lines * self._line() + 10))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint swatch, label, tiles and bytes of each entry."""
        painter, theme, sheet = QPainter(self), self._theme, self._sheet
        if sheet is None:
            return
        painter.setFont(theme.font(theme.small_px))
        metrics = QFontMetricsF(painter.font())
        side, ratio = theme.size("swatch"), self.devicePixelRatioF()
        pixels = round(side * ratio) + 1
        stamps = sheet.stamps(palette(theme.name), pixels, pixels)
        for (line, x, _), (look, name, count) in zip(self._placed(self.width()), sheet.entries, strict=True):
            rect = QRectF(x, 5 + line * self._line(), self.width() - x, self._line())
            painter.setOpacity(1 if count else _DIMMED)
            cell = stamps[look]
            image = QImage(cell.data, pixels, pixels, cell.strides[0], QImage.Format.Format_RGB32)
            box = QRectF(x, rect.center().y() - side / 2, side, side)
            painter.drawImage(box, image, QRectF(0, 0, pixels - 1, pixels - 1))
            painter.setPen(QPen(theme.colour("line2"), 1))
            painter.drawRect(box.adjusted(-0.5, -0.5, 0.5, 0.5))
            painter.setPen(theme.colour("text2"))
            at = rect.adjusted(side + 6, 0, 0, 0)
            painter.drawText(at, Qt.AlignmentFlag.AlignVCenter, name)
            painter.setPen(theme.colour("text"))
            shift = metrics.horizontalAdvance(name) + 8
            painter.drawText(at.adjusted(shift, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, _figures(count))

    def _placed(self, width: int) -> list[tuple[int, float, float]]:
        """Return line, left edge and width of each entry."""
        metrics = QFontMetricsF(self._theme.font(self._theme.small_px))
        placed: list[tuple[int, float, float]] = []
        line, x = 0, float(_EDGE)
        for _, name, count in self.entries:
            need = self._theme.size("swatch") + 14 + metrics.horizontalAdvance(name + _figures(count))
            if x > _EDGE and x + need > width - _EDGE:
                line, x = line + 1, float(_EDGE)
            placed.append((line, x, need))
            x += need + _GAP
        return placed

    def _line(self) -> float:
        return QFontMetricsF(self._theme.font(self._theme.small_px)).height() + 4


def _figures(count: int) -> str:
    return f"{count:,} · {format_bytes(count * TILE_BYTES)}"
