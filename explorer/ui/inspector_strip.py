"""The residency of one resource over all frames, as a strip: the band of the Timeline in the width of the Inspector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.render.residency_bands import ResidencyBands, band_image, band_tiles
from explorer.render.tokens import palette

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot
    from explorer.ui.theme import Theme

_HEIGHT = 11


class ResidencyStrip(QWidget):
    """Shows where the bytes of a resource were from the first frame on; hidden where no frame has run."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("residency_strip")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._theme = theme
        self._frames = 0
        self.bands = ResidencyBands()
        theme.changed.connect(self.update)
        self.hide()

    def show_resource(self, snapshot: Snapshot, row: int) -> str:
        """Show a resource; return how often it had to leave, in words, empty where nothing is known."""
        history, name = snapshot.history, snapshot.resources.names[row]
        self._frames = len(history.frame_ns) if history is not None else 0
        self.setVisible(self._frames > 0)
        if history is None or not self._frames:
            return ""
        self.bands.update(history.residency, (name,), self._frames)
        now, out = self.bands.run_at(0, self._frames), self.bands.times_out(0)
        times = f"left {out:,} ×" if out else "never left"
        if now is not None:
            self.setAccessibleName(f"{name} over {self._frames:,} frames: {times}, {now.word} since {now.first:,}")
            self.setToolTip(f"Frames 1 to {self._frames:,}; the Timeline has the same band with its reasons")
        self.update()
        return times

    def sizeHint(self) -> QSize:
        """Any width, one band high."""
        return QSize(120, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the band over its ground."""
        if not self._frames:
            return
        ratio = self.devicePixelRatioF()
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.colour("raised"))
        best, worst = self.bands.columns(0, self._frames, max(round(self.width() * ratio), 1))
        pixels = band_image(best[0], worst[0], band_tiles(palette(self._theme.name), round(_HEIGHT * ratio), ratio))
        tall, wide = pixels.shape
        image = QImage(pixels.data, wide, tall, pixels.strides[0], QImage.Format.Format_ARGB32_Premultiplied)
        painter.drawImage(QRectF(self.rect()), image)
