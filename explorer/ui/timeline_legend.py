"""The head of the Timeline: each series with its sign and what it says at one frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

if TYPE_CHECKING:
    from explorer.ui.theme import Theme

_SIGN = 14
_GAP = 14
_LINES = 2
"""Lines that minor entries may be in."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One series.

    Attributes:
        sign: ``area``, ``dash``, ``bar`` or ``line``.
        token: Colour of the series.
        label: Name.
        value: What it says at the frame.
        look: ``plain`` or ``warn``.
        group: Token group of the colour.
        minor: Left out where the others already fill two lines.
    """

    sign: str
    token: str
    label: str
    value: str
    look: str = "plain"
    group: str = "series"
    minor: bool = False


class TimelineLegend(QWidget):
    """Entries in one or two lines; none moves with the data, because values have the room of their longest text."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._title = ""
        self._entries: tuple[Entry, ...] = ()
        self._room: dict[str, float] = {}
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setObjectName("timeline_legend")
        theme.changed.connect(self.update)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What is shown."""
        return self._entries

    @property
    def title(self) -> str:
        """The frame that the values are of."""
        return self._title

    def text(self) -> str:
        """Return all of it as a sentence."""
        return ", ".join((self._title, *(f"{entry.label} {entry.value}" for entry in self._entries)))

    def show_entries(self, title: str, entries: tuple[Entry, ...]) -> None:
        """Show what a frame says."""
        if (title, entries) == (self._title, self._entries):
            return
        if [entry.label for entry in entries] != [entry.label for entry in self._entries]:
            self._room = {}
        before = self.heightForWidth(self.width())
        self._title, self._entries = title, entries
        metrics = QFontMetricsF(self._theme.font(self._theme.small_px, strong=True))
        for entry in entries:
            width = metrics.horizontalAdvance(entry.value)
            self._room[entry.label] = max(self._room.get(entry.label, 0.0), width)
        if self.heightForWidth(self.width()) != before:
            self.updateGeometry()
        self.setAccessibleName(self.text())
        self.update()

    def sizeHint(self) -> QSize:
        """One line where it fits."""
        return QSize(480, self.heightForWidth(self.width() or 480))

    def minimumSizeHint(self) -> QSize:
        """It wraps."""
        return QSize(160, int(self._line()))

    def hasHeightForWidth(self) -> bool:
        """Entries wrap."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines."""
        return int((1 + max((line for _, line, _, _ in self._placed(width)), default=0)) * self._line()) + 4

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint title and entries."""
        painter, theme = QPainter(self), self._theme
        painter.setFont(theme.font(strong=True))
        painter.setPen(theme.colour("text"))
        line = self._line()
        painter.drawText(QRectF(0, 2, self._title_room(), line), Qt.AlignmentFlag.AlignVCenter, self._title)
        plain, strong = theme.font(theme.small_px), theme.font(theme.small_px, strong=True)
        label_metrics = QFontMetricsF(plain)
        for entry, at, x, room in self._placed(self.width()):
            rect = QRectF(x, 2 + at * line, room, line)
            self._paint_sign(painter, entry, QRectF(x, rect.center().y() - 5, _SIGN - 4, 10))
            painter.setFont(plain)
            painter.setPen(theme.colour("text2"))
            text = rect.adjusted(_SIGN, 0, 0, 0)
            painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, entry.label)
            painter.setFont(strong if entry.look == "warn" else plain)
            painter.setPen(theme.colour("warn" if entry.look == "warn" else "text"))
            shift = label_metrics.horizontalAdvance(entry.label) + 5
            painter.drawText(text.adjusted(shift, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, entry.value)

    def _paint_sign(self, painter: QPainter, entry: Entry, box: QRectF) -> None:
        colour = self._theme.colour(entry.token, entry.group)
        middle = QLineF(box.left(), box.center().y(), box.right(), box.center().y())
        if entry.sign == "area":
            painter.fillRect(QRectF(box.left(), box.center().y() - 1, box.width(), 6), _faint(colour))
            painter.setPen(QPen(colour, 2))
            painter.drawLine(middle)
        elif entry.sign == "bar":
            painter.fillRect(QRectF(box.left() + 3, box.top(), 4, 10), colour)
        else:
            pen = QPen(colour, 1.6)
            if entry.sign == "dash":
                pen.setDashPattern([2.2, 1.6])
            painter.setPen(pen)
            painter.drawLine(middle)

    def _placed(self, width: int) -> list[tuple[Entry, int, float, float]]:
        """Return each shown entry with its line, x and width."""
        placed = self._flow(self._entries, width)
        if placed and placed[-1][1] >= _LINES and any(entry.minor for entry in self._entries):
            return self._flow(tuple(entry for entry in self._entries if not entry.minor), width)
        return placed

    def _flow(self, entries: tuple[Entry, ...], width: int) -> list[tuple[Entry, int, float, float]]:
        metrics = QFontMetricsF(self._theme.font(self._theme.small_px))
        placed: list[tuple[Entry, int, float, float]] = []
        line, x = 0, self._title_room()
        for entry in entries:
            room = _SIGN + metrics.horizontalAdvance(entry.label) + 5 + self._room.get(entry.label, 0.0)
            if x > 0 and x + room > width:
                # The title stands in the first line only.
                line, x = line + 1, 0.0
            placed.append((entry, line, x, room))
            x += room + _GAP
        return placed

    def _title_room(self) -> float:
        return QFontMetricsF(self._theme.font(strong=True)).horizontalAdvance("Frame 10,000") + _GAP

    def _line(self) -> float:
        return QFontMetricsF(self._theme.font()).height() + 4


def _faint(colour: object) -> object:
    from PySide6.QtGui import QColor

    faint = QColor(colour)
    faint.setAlphaF(0.28)
    return faint
