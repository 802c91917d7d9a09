"""The curves of the Policies view: what each policy costs under each budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.units import GIB, KIB, MIB, format_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QColor

    from explorer.ui.theme import Theme

_MARGIN = 10
_PLOT_PX, _TICK_PX = 132, 5
_DASHES = (4.0, 3.0)


@dataclass(frozen=True, slots=True)
class Curve:
    """One line over budgets.

    Attributes:
        name: For the legend.
        token: Colour of the group ``series``; empty for the dashed reference.
        points: (budget in bytes, value), by rising budget.
    """

    name: str
    token: str
    points: tuple[tuple[int, int], ...]


class BudgetCurves(QWidget):
    """What each policy costs under each budget, with a line at the chosen one.

    Signals:
        budget_picked: The budget next to where it was clicked, bytes.
    """

    budget_picked = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._curves: tuple[Curve, ...] = ()
        self._budget, self._mark = 0, ""
        self._say: Callable[[int], str] = str
        self.setObjectName("budget_curves")
        self.setAccessibleName("Curves over budgets")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.updateGeometry)
        theme.changed.connect(self.update)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """What is shown."""
        return self._curves

    def show_curves(self, curves: Sequence[Curve], budget: int, mark: str, say: Callable[[int], str]) -> None:
        """Show curves that share their budgets.

        Args:
            curves: Painted in order.
            budget: Where the line stands, bytes.
            mark: What stands at the line.
            say: Returns a value of the y axis as text.
        """
        self._curves, self._budget, self._mark, self._say = tuple(curves), budget, mark, say
        self.updateGeometry()
        self.update()

    def plot_rect(self) -> QRectF:
        """Return where the curves lie."""
        metrics = QFontMetrics(self._theme.font(self._theme.caption_px))
        left = max((metrics.horizontalAdvance(self._say(value)) for value in self._y_ticks()), default=0)
        line = metrics.height()
        return QRectF(_MARGIN + left + 8, line + 2, max(self.width() - 2 * _MARGIN - left - 8, 20), _PLOT_PX)

    def x_of(self, budget: int) -> float:
        """Return the pixel of a budget."""
        rect, (low, high) = self.plot_rect(), self._range()
        return rect.left() + rect.width() * (budget - low) / (high - low) if high > low else rect.center().x()

    def sizeHint(self) -> QSize:
        """The plot, its axis and the legend."""
        line = QFontMetrics(self._theme.font(self._theme.small_px)).height()
        return QSize(280, _PLOT_PX + 2 * line + 16 + (line + 4) * len(self._legend_lines()))

    def minimumSizeHint(self) -> QSize:
        """The height does not shrink."""
        return QSize(200, self.sizeHint().height())

    def resizeEvent(self, _event: object) -> None:
        """The legend may need other lines."""
        self.updateGeometry()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint grid, curves, the line at the budget, and the legend."""
        if not self._curves:
            return
        painter = QPainter(self)
        rect = self.plot_rect()
        self._paint_grid(painter, rect)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top = max(self._y_ticks()[-1], 1)
        for curve in reversed(self._curves):
            points = [
                QPointF(self.x_of(budget), rect.bottom() - rect.height() * value / top)
                for budget, value in curve.points
            ]
            painter.setPen(self._pen(curve))
            painter.drawPolyline(QPolygonF(points))
            if len(points) == 1:
                painter.drawEllipse(points[0], 2, 2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        self._paint_mark(painter, rect)
        self._paint_legend(painter, rect)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the nearest budget."""
        budgets = [budget for budget, _ in self._curves[0].points] if self._curves else []
        if budgets and event.button() == Qt.MouseButton.LeftButton:
            x = event.position().x()
            self.budget_picked.emit(min(budgets, key=lambda budget: abs(self.x_of(budget) - x)))

    def _paint_grid(self, painter: QPainter, rect: QRectF) -> None:
        theme = self._theme
        painter.setFont(theme.font(theme.caption_px))
        line = painter.fontMetrics().height()
        ticks = self._y_ticks()
        for value in ticks:
            y = round(rect.bottom() - rect.height() * value / max(ticks[-1], 1)) + 0.5
            painter.setPen(QPen(theme.colour("line2" if value == 0 else "linesoft"), 1))
            painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))
            painter.setPen(theme.colour("text3"))
            box = QRectF(0, y - line / 2, rect.left() - 6, line)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), self._say(value))
        for budget in self._x_ticks():
            text, x = format_bytes(budget, 0), self.x_of(budget)
            width = painter.fontMetrics().horizontalAdvance(text) + 2
            at = min(max(x - width / 2, 0), self.width() - width)
            painter.setPen(QPen(theme.colour("line2"), 1))
            painter.drawLine(QPointF(round(x) + 0.5, rect.bottom()), QPointF(round(x) + 0.5, rect.bottom() + _TICK_PX))
            painter.setPen(theme.colour("text3"))
            box = QRectF(at, rect.bottom() + _TICK_PX + 1, width, line)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)

    def _paint_mark(self, painter: QPainter, rect: QRectF) -> None:
        theme = self._theme
        x = round(self.x_of(self._budget)) + 0.5
        painter.setPen(QPen(theme.colour("text2"), 2))
        painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()))
        painter.setFont(theme.font(theme.caption_px))
        metrics = painter.fontMetrics()
        width = metrics.horizontalAdvance(self._mark) + 2
        left = min(max(x - width / 2, 0), self.width() - width)
        painter.setPen(theme.colour("text2"))
        painter.drawText(QRectF(left, 0, width, metrics.height()), int(Qt.AlignmentFlag.AlignCenter), self._mark)

    def _paint_legend(self, painter: QPainter, rect: QRectF) -> None:
        theme = self._theme
        painter.setFont(theme.font(theme.small_px))
        metrics = painter.fontMetrics()
        y = rect.bottom() + _TICK_PX + QFontMetrics(theme.font(theme.caption_px)).height() + 8
        for names in self._legend_lines():
            x = float(_MARGIN)
            for curve in names:
                painter.setPen(self._pen(curve))
                middle = y + metrics.height() / 2
                painter.drawLine(QPointF(x, middle), QPointF(x + 16, middle))
                painter.setPen(theme.colour("text2"))
                width = metrics.horizontalAdvance(curve.name) + 1
                side = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
                painter.drawText(QRectF(x + 22, y, width, metrics.height()), side, curve.name)
                x += 22 + width + 14
            y += metrics.height() + 4

    def _legend_lines(self) -> list[list[Curve]]:
        metrics = QFontMetrics(self._theme.font(self._theme.small_px))
        lines: list[list[Curve]] = []
        x = 0.0
        for curve in self._curves:
            width = 22 + metrics.horizontalAdvance(curve.name) + 15
            if not lines or x + width > self.width() - _MARGIN:
                lines.append([])
                x = _MARGIN
            lines[-1].append(curve)
            x += width
        return lines

    def _pen(self, curve: Curve) -> QPen:
        colour: QColor = self._theme.colour(curve.token, "series") if curve.token else self._theme.colour("text")
        pen = QPen(colour, 1.5)
        if not curve.token:
            pen.setDashPattern(_DASHES)
        return pen

    def _range(self) -> tuple[int, int]:
        points = self._curves[0].points if self._curves else ()
        return (points[0][0], points[-1][0]) if points else (0, 0)

    def _y_ticks(self) -> tuple[int, ...]:
        top = max((value for curve in self._curves for _, value in curve.points), default=0)
        return 0, -(-top // 2), 2 * -(-top // 2)

    def _x_ticks(self) -> tuple[int, ...]:
        low, high = self._range()
        return nice_ticks(low, high, max(int(self.plot_rect().width() // 64), 2))


def nice_ticks(low: int, high: int, count: int) -> tuple[int, ...]:
    """Return round byte counts within a range, at most ``count``; the ends where none is round."""
    if high <= low:
        return (low,)
    unit = next((factor for factor in (GIB, MIB, KIB) if high >= factor), 1)
    # Powers of two of a unit: 64 MiB, 128 MiB.
    step = max(unit // 1024, 1)
    while high // step - (low - 1) // step > count:
        step *= 2
    ticks = tuple(range(-(-low // step) * step, high + 1, step))
    return ticks or (low, high)
