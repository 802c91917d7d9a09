"""One gauge for each segment group: used against budget against size, never hidden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from explorer.core.units import GIB, format_bytes, format_exact
from explorer.ui.resource_rows import group_word

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot
    from explorer.ui.theme import Theme

AMBER_FROM = 0.9
"""Share of the budget from which a gauge warns (VISUAL section 4)."""

_NARROW_PX = 150


@dataclass(frozen=True, slots=True)
class Reading:
    """What a gauge shows; bytes.

    Attributes:
        name: Segment group or segment.
        used: In use.
        budget: What the system grants; None where there is no such thing.
        size: Size of the segments.
        counts: What ``used`` counts, for the tool tip.
        gpu: Whether the GPU reaches it.
    """

    name: str
    used: int
    budget: int | None
    size: int
    counts: str
    gpu: bool = True

    @property
    def share(self) -> float:
        """Used against the budget, or against the size where there is none."""
        limit = self.size if self.budget is None else self.budget
        return self.used / limit if limit > 0 else 0.0

    @property
    def level(self) -> str:
        """``normal``, ``warn`` from 90 %, ``error`` over the budget."""
        if self.budget is not None and self.used > self.budget:
            return "error"
        # As shown: a gauge that says 90 % is amber.
        return "warn" if round(self.share * 100) >= AMBER_FROM * 100 else "normal"


def readings(snapshot: Snapshot) -> tuple[Reading, ...]:
    """Return one reading for each segment group of a node, and one for each segment outside of budgets."""
    nodes = {segment.node for segment in snapshot.segments}
    found: list[Reading] = []
    budgeted: set[tuple[int, str]] = set()
    for group in snapshot.groups:
        budgeted.add((group.node, group.group))
        segments = [s for s in snapshot.segments if s.group == group.group and s.node == group.node]
        name = group.group if len(nodes) < 2 else f"{group.group} {group.node}"
        counts = "whole resident heaps and committed resources"
        usage = group.usage_bytes
        if group.budget_bytes is None:
            usage, counts = sum(s.used_bytes for s in segments), "bytes under live resources"
        found.append(Reading(name, usage, group.budget_bytes, sum(s.size_bytes for s in segments), counts))
    words = [s.group for s in snapshot.segments]
    found.extend(
        Reading(
            group_word(s.group) if words.count(s.group) == 1 and s.group else s.name,
            s.used_bytes,
            None,
            s.size_bytes,
            "bytes under live resources",
            s.group not in ("SYSTEM", "PAGE_FILE"),
        )
        for s in snapshot.segments
        if (s.node, s.group) not in budgeted and s.size_bytes > 0
    )
    return tuple(found)


class Gauge(QWidget):
    """Name, used, limit and percent over a bar against the segment's size with a tick at the budget."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._reading = Reading("", 0, None, 0, "")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(72)
        theme.changed.connect(self.update)

    @property
    def reading(self) -> Reading:
        """What is shown."""
        return self._reading

    def show_reading(self, reading: Reading) -> None:
        """Show a reading."""
        if reading == self._reading:
            return
        self._reading = reading
        limit = "no budget" if reading.budget is None else f"budget {format_exact(reading.budget)}"
        text = f"{reading.name}: {format_exact(reading.used)} used ({reading.counts}), {limit}, "
        text += f"size {format_exact(reading.size)}, {self.percent()}"
        self.setToolTip(text)
        self.setAccessibleName(reading.name)
        self.setAccessibleDescription(text)
        self.update()

    def percent(self) -> str:
        """Return the percentage in words."""
        return f"{self._reading.share * 100:.0f} %"

    def sizeHint(self) -> QSize:
        """Two lines."""
        return QSize(210, self._theme.size("top_bar") - 8)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint text and bar."""
        painter = QPainter(self)
        theme, reading = self._theme, self._reading
        height = QFontMetrics(theme.font()).height()
        top = (self.height() - height - 6 - theme.size("gauge")) / 2
        line = QRectF(0, top, self.width(), height)
        self._paint_text(painter, line)
        bar = QRectF(0, line.bottom() + 6, self.width(), theme.size("gauge"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("track"))
        painter.drawRoundedRect(bar, 2, 2)
        if reading.size <= 0:
            return
        used = min(reading.used / reading.size, 1.0) * bar.width()
        colour = {"normal": theme.colour("text2"), "warn": theme.colour("warn"), "error": theme.colour("error")}
        if reading.gpu:
            colour["normal"] = theme.colour("used", "series")
        painter.setBrush(colour[reading.level])
        if reading.used:
            painter.drawRoundedRect(QRectF(bar.left(), bar.top(), max(used, 2.0), bar.height()), 2, 2)
        if reading.budget is None:
            return
        tick = min(reading.budget / reading.size, 1.0) * bar.width()
        if reading.level == "error" and used > tick:
            over = QRectF(tick, bar.top(), used - tick, bar.height())
            painter.fillRect(over, QBrush(theme.colour("panel"), Qt.BrushStyle.BDiagPattern))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(QRectF(min(tick, bar.width() - 2), bar.top() - 2, 2, bar.height() + 4), theme.colour("text"))

    def _paint_text(self, painter: QPainter, line: QRectF) -> None:
        theme, reading = self._theme, self._reading
        left = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        hot = reading.level != "normal"
        painter.setFont(theme.font(theme.small_px, strong=hot))
        painter.setPen(theme.colour({"normal": "text2", "warn": "warn", "error": "error"}[reading.level]))
        percent = self.percent()
        painter.drawText(line, right, percent)
        room = line.width() - painter.fontMetrics().horizontalAdvance(percent) - 8
        name_font, font = theme.font(theme.small_px, strong=True), theme.font(theme.small_px)
        painter.setFont(name_font)
        painter.setPen(theme.colour("text"))
        name = painter.fontMetrics().elidedText(reading.name, Qt.TextElideMode.ElideRight, int(room))
        painter.drawText(line, left, name)
        limit = reading.size if reading.budget is None else reading.budget
        used_text, limit_text = _short(reading.used), f" / {_short(limit)}"
        metrics = QFontMetrics(font)
        x = QFontMetrics(name_font).horizontalAdvance(name) + 8
        if x + metrics.horizontalAdvance(used_text + limit_text) > room or self.width() < _NARROW_PX:
            return
        painter.setFont(font)
        painter.drawText(line.adjusted(x, 0, 0, 0), left, used_text)
        painter.setPen(theme.colour("text2"))
        painter.drawText(line.adjusted(x + metrics.horizontalAdvance(used_text), 0, 0, 0), left, limit_text)


def _short(value: int) -> str:
    return format_bytes(value, 2 if value >= GIB else 0)


class GaugeRow(QWidget):
    """The gauges of a snapshot side by side; they stay in place while the data moves."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._gauges: list[Gauge] = []
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(16)
        self.setObjectName("gauges")

    def gauges(self) -> tuple[Gauge, ...]:
        """Return the gauges that are shown."""
        return tuple(gauge for gauge in self._gauges if not gauge.isHidden())

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the groups and segments of a snapshot."""
        shown = readings(snapshot)
        while len(self._gauges) < len(shown):
            gauge = Gauge(self._theme)
            self._gauges.append(gauge)
            self._layout.addWidget(gauge)
        for index, gauge in enumerate(self._gauges):
            if index < len(shown):
                gauge.show_reading(shown[index])
            gauge.setVisible(index < len(shown))
