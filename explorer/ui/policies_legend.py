"""The key of the Policies bars: the two parts of a bar, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.kinds import ResourceKind

if TYPE_CHECKING:
    from explorer.ui.theme import Theme

_SWATCH_PX, _GAP = 10, 6
_KINDS = (ResourceKind.TEXTURE, ResourceKind.RENDER_TARGET)
"""Whose colours the two parts have (VISUAL section 6)."""


class SplitLegend(QWidget):
    """Two swatches with a word each."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._words = ("", "")
        self.setObjectName("policies_legend")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def words(self) -> tuple[str, str]:
        """What is shown."""
        return self._words

    def show_words(self, words: tuple[str, str]) -> None:
        """Show other words."""
        self._words = words
        self.setAccessibleName(", ".join(words))
        self.update()

    def sizeHint(self) -> QSize:
        """One line."""
        return QSize(200, QFontMetrics(self._theme.font(self._theme.small_px)).height() + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint swatches and words."""
        painter = QPainter(self)
        painter.setFont(self._theme.font(self._theme.small_px))
        metrics, x = painter.fontMetrics(), 0.0
        for word, kind in zip(self._words, _KINDS, strict=True):
            swatch = QRectF(x, (self.height() - _SWATCH_PX) / 2, _SWATCH_PX, _SWATCH_PX)
            painter.fillRect(swatch, self._theme.kind_colour(kind))
            painter.setPen(self._theme.colour("text2"))
            width = metrics.horizontalAdvance(word) + 1
            box = QRectF(x + _SWATCH_PX + _GAP, 0, width, self.height())
            painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), word)
            x += _SWATCH_PX + _GAP + width + 2 * _GAP
