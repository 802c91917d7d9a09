"""The legend of the Subresources view: texels, padding and gaps with their bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.units import format_bytes
from explorer.ui.subresources_canvas import hatch

if TYPE_CHECKING:
    from explorer.core.kinds import ResourceKind
    from explorer.sim.layouts import Form
    from explorer.ui.theme import Theme

_EDGE, _ENTRY_PX = 12, 150


class SubresourceLegend(QWidget):
    """Three entries that always stand at the same place; they add up to the size of the whole."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._kind: ResourceKind | None = None
        self.entries: tuple[tuple[str, int], ...] = ()
        self.setObjectName("subresource_legend")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_form(self, form: Form, kind: ResourceKind) -> None:
        """Show the sums of a form."""
        self._kind = kind
        data = sum(part.size_bytes - part.padding_bytes for part in form.layout.subresources)
        self.entries = (("Texel data", data), ("Padding in subresources", form.padding_bytes),
                        ("Gaps between and tail", form.gap_bytes))  # fmt: skip
        told = ", ".join(f"{name} {format_bytes(size)}" for name, size in self.entries)
        self.setAccessibleName(f"Legend: {told}")
        self.update()

    def sizeHint(self) -> QSize:
        """One line."""
        return QSize(3 * _ENTRY_PX, int(QFontMetricsF(self._theme.font(self._theme.small_px)).height()) + 12)

    def minimumSizeHint(self) -> QSize:
        """The height does not shrink."""
        return QSize(120, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint swatch, name and bytes of each entry."""
        painter, theme = QPainter(self), self._theme
        if self._kind is None:
            return
        painter.setFont(theme.font(theme.small_px))
        side = theme.size("swatch")
        metrics = QFontMetricsF(painter.font())
        x = float(_EDGE)
        for index, (name, size) in enumerate(self.entries):
            rect = QRectF(x, 0, self.width() - x, self.height())
            box = QRectF(x, rect.center().y() - side / 2, side, side)
            if index == 1:
                hatch(painter, theme, box)
            else:
                painter.fillRect(box, theme.kind_colour(self._kind) if index == 0 else theme.colour("free", "map"))
                if index == 2:
                    painter.setPen(QPen(theme.colour("line2"), 1))
                    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
            painter.setPen(theme.colour("text2"))
            text = rect.adjusted(side + 6, 0, 0, 0)
            painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, name)
            painter.setPen(theme.colour("text"))
            shift = metrics.horizontalAdvance(name) + 8
            bytes_text = format_bytes(size, 2)
            painter.drawText(text.adjusted(shift, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, bytes_text)
            x += max(side + shift + metrics.horizontalAdvance(bytes_text) + 24, _ENTRY_PX)
