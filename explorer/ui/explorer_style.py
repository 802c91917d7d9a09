"""The proxy style: what a style sheet cannot draw, in the theme's colours."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QProxyStyle, QStyle, QStyleOption, QWidget

RING_PX = 2
STAND_OFF_PX = 1
"""The focus ring stands off a round button by this much."""

_BOX_PX = 14


class ExplorerStyle(QProxyStyle):
    """Fusion with our focus ring, check boxes and arrows."""

    def __init__(self) -> None:
        super().__init__("fusion")
        names = ("accent", "field", "line", "ink", "text", "faint")
        self._colours: dict[str, QColor] = {name: QColor() for name in names}

    def set_colours(self, **colours: QColor) -> None:
        """Take the colours ``accent field line ink text faint`` of a theme."""
        self._colours.update(colours)

    def pixelMetric(
        self, metric: QStyle.PixelMetric, option: QStyleOption | None = None, widget: QWidget | None = None
    ) -> int:
        """Give the focus frame its margins and the check box its edge."""
        if metric in (QStyle.PixelMetric.PM_FocusFrameHMargin, QStyle.PixelMetric.PM_FocusFrameVMargin):
            return RING_PX + STAND_OFF_PX
        if metric in (QStyle.PixelMetric.PM_IndicatorWidth, QStyle.PixelMetric.PM_IndicatorHeight):
            return _BOX_PX
        if metric == QStyle.PixelMetric.PM_DockWidgetSeparatorExtent:
            return 5
        return super().pixelMetric(metric, option, widget)

    def drawControl(
        self, element: QStyle.ControlElement, option: QStyleOption, painter: QPainter, widget: QWidget | None = None
    ) -> None:
        """Draw the focus ring."""
        if element == QStyle.ControlElement.CE_FocusFrame:
            self._draw_ring(QRectF(option.rect), painter)
            return
        super().drawControl(element, option, painter, widget)

    def drawPrimitive(
        self, element: QStyle.PrimitiveElement, option: QStyleOption, painter: QPainter, widget: QWidget | None = None
    ) -> None:
        """Draw check boxes, arrows, and no dotted focus rectangle."""
        primitive = QStyle.PrimitiveElement
        if element == primitive.PE_FrameFocusRect:
            return
        if element in (primitive.PE_IndicatorCheckBox, primitive.PE_IndicatorItemViewItemCheck):
            self._draw_box(option, painter)
            return
        if element == primitive.PE_IndicatorArrowDown:
            self._draw_chevron(option, painter, down=True)
            return
        if element == primitive.PE_IndicatorArrowUp:
            self._draw_chevron(option, painter, down=False)
            return
        super().drawPrimitive(element, option, painter, widget)

    def _draw_ring(self, rect: QRectF, painter: QPainter) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._colours["accent"], RING_PX))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 6, 6)
        painter.restore()

    def _draw_box(self, option: QStyleOption, painter: QPainter) -> None:
        on = bool(option.state & QStyle.StateFlag.State_On)
        enabled = bool(option.state & QStyle.StateFlag.State_Enabled)
        box = QRectF(0, 0, _BOX_PX - 1, _BOX_PX - 1)
        box.moveCenter(QRectF(option.rect).center())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
        edge = self._colours["accent"] if (on or focused) and enabled else self._colours["line"]
        painter.setPen(QPen(edge, 2 if focused else 1))
        painter.setBrush(self._colours["accent"] if on and enabled else self._colours["field"])
        painter.drawRoundedRect(box, 3, 3)
        if on:
            painter.setPen(QPen(self._colours["ink"] if enabled else self._colours["faint"], 1.6))
            x, y = box.left(), box.top()
            painter.drawPolyline([QPointF(x + 3, y + 6.5), QPointF(x + 5.5, y + 9), QPointF(x + 10, y + 4)])
        painter.restore()

    def _draw_chevron(self, option: QStyleOption, painter: QPainter, *, down: bool) -> None:
        enabled = bool(option.state & QStyle.StateFlag.State_Enabled)
        centre = QRectF(option.rect).center()
        tip = 2.0 if down else -2.0
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._colours["text"] if enabled else self._colours["faint"], 1.4))
        x, y = centre.x(), centre.y()
        painter.drawPolyline([QPointF(x - 3.5, y - tip), QPointF(x, y + tip), QPointF(x + 3.5, y - tip)])
        painter.restore()
