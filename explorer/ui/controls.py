"""Small painted and composed controls that several views use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.ui.theme import Theme


_ICON_FROM_PX = 140


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet looks at, and have it looked at again if it changed."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def label(text: str = "", role: str = "", *, name: str = "", wrap: bool = False) -> QLabel:
    """Return a plain-text label.

    Args:
        text: What it says.
        role: A text role of the style sheet: ``second small third caption strong title mono mono2 error``.
        name: Object name.
        wrap: Whether it may take several lines.
    """
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setObjectName(name)
    made.setWordWrap(wrap)
    if role:
        made.setProperty("role", role)
    return made


def hairline() -> QFrame:
    """Return a line between sections."""
    line = QFrame()
    line.setProperty("hairline", True)
    return line


def boxed(layout_of: type[QHBoxLayout | QVBoxLayout], *, margin: int = 0, gap: int = 8) -> tuple[QWidget, QHBoxLayout]:
    """Return a bare widget and its box layout."""
    widget = QWidget()
    layout = layout_of(widget)
    layout.setContentsMargins(margin, margin, margin, margin)
    layout.setSpacing(gap)
    return widget, layout  # pyright: ignore[reportReturnType] - both box layouts have the calls that are used


class ElidedLabel(QLabel):
    """A label of one line that is cut where it does not fit; the whole text is in its tool tip."""

    def __init__(
        self, text: str = "", role: str = "", mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight, *, name: str = ""
    ) -> None:
        super().__init__(text)
        self._mode = mode
        self.setObjectName(name)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(24)
        self._tip = ""
        if role:
            self.setProperty("role", role)

    def set_tip(self, tip: str) -> None:
        """Say more on hover, behind the whole text where that is cut."""
        self._tip = tip
        self.setToolTip(tip)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the text with its ellipsis."""
        painter = QPainter(self)
        rect = self.contentsRect()
        text = QFontMetrics(self.font()).elidedText(self.text(), self._mode, rect.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(rect, int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), text)
        tip = "\n".join(part for part in (self.text() if text != self.text() else "", self._tip) if part)
        if tip != self.toolTip():
            self.setToolTip(tip)


class IconButton(QToolButton):
    """A tool button whose icon follows the theme.

    Args:
        theme: The theme.
        icon: Name of the icon.
        tip: What it does; also its accessible name.
    """

    def __init__(self, theme: Theme, icon: str, tip: str, *, name: str = "") -> None:
        super().__init__()
        self._theme, self._icon = theme, icon
        self.setProperty("tool", True)
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        self.setObjectName(name)
        self.setIconSize(QSize(16, 16))
        theme.changed.connect(self._retint)
        self._retint()

    def _retint(self) -> None:
        self.setIcon(self._theme.icon(self._icon))


class Segmented(QWidget):
    """A row (or rows) of segments of which one is chosen.

    Signals:
        chosen: The index of the segment that the user chose.
    """

    chosen = Signal(int)

    def __init__(self, theme: Theme, words: Sequence[str] = (), *, columns: int = 6, name: str = "") -> None:
        super().__init__()
        self._theme, self._columns = theme, columns
        self._words: tuple[str, ...] = ()
        self._current = 0
        self._hover = -1
        self.setObjectName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)
        self.set_words(words)

    @property
    def current(self) -> int:
        """Index of the chosen segment."""
        return self._current

    def words(self) -> tuple[str, ...]:
        """Return the segments."""
        return self._words

    def set_words(self, words: Sequence[str]) -> None:
        """Replace the segments; the first one is chosen."""
        self._words = tuple(words)
        self._current = 0
        self.updateGeometry()
        self._describe()

    def set_current(self, index: int) -> None:
        """Choose a segment without a signal."""
        self._current = index
        self._describe()

    def sizeHint(self) -> QSize:
        """Room for the longest word in each column."""
        metrics = QFontMetrics(self._theme.font(strong=True))
        widest = max((metrics.horizontalAdvance(word) for word in self._words), default=0)
        columns = min(self._columns, max(len(self._words), 1))
        return QSize(columns * (widest + 16), self._rows() * self._theme.control_height)

    def minimumSizeHint(self) -> QSize:
        """The words may be cut, the height not."""
        return QSize(40 * min(self._columns, max(len(self._words), 1)), self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the segments."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._theme
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(theme.colour("accent"), 2) if self.hasFocus() else QPen(theme.colour("line2"), 1))
        painter.setBrush(theme.colour("field"))
        painter.drawRoundedRect(frame, 4, 4)
        for index, word in enumerate(self._words):
            rect = self._rect(index)
            on = index == self._current
            if on or index == self._hover:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.colour("sel" if on else "hover"))
                painter.drawRoundedRect(rect.adjusted(1.5, 1.5, -1.5, -1.5), 3, 3)
            if index % self._columns:
                painter.setPen(QPen(theme.colour("line2"), 1))
                painter.drawLine(rect.topLeft(), rect.bottomLeft())
            if not self.isEnabled():
                painter.setPen(theme.colour("text3"))
            else:
                painter.setPen(theme.colour("text" if on else "text2"))
            painter.setFont(theme.font(strong=on))
            shown = QFontMetrics(painter.font()).elidedText(word, Qt.TextElideMode.ElideRight, int(rect.width()) - 6)
            painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), shown)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the segment under the mouse."""
        self._choose(self._at(event))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show which segment would be chosen."""
        self._hover = self._at(event)
        self.setToolTip(self._words[self._hover] if 0 <= self._hover < len(self._words) else "")
        self.update()

    def leaveEvent(self, event: object) -> None:
        """Take the hover look away."""
        self._hover = -1
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk with the arrows."""
        steps = {
            Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: -self._columns, Qt.Key.Key_Down: self._columns,
        }  # fmt: skip
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        self._choose(self._current + step)

    def _choose(self, index: int) -> None:
        if 0 <= index < len(self._words) and index != self._current:
            self._current = index
            self._describe()
            self.chosen.emit(index)

    def _describe(self) -> None:
        self.setAccessibleName(self._words[self._current] if self._words else "")
        self.update()

    def _rows(self) -> int:
        return max(1, -(-len(self._words) // self._columns))

    def _rect(self, index: int) -> QRectF:
        rows, columns = self._rows(), min(self._columns, max(len(self._words), 1))
        width, height = self.width() / columns, self.height() / rows
        return QRectF(index % self._columns * width, index // self._columns * height, width, height)

    def _at(self, event: QMouseEvent) -> int:
        for index in range(len(self._words)):
            if self._rect(index).contains(event.position()):
                return index
        return -1


class Pill(QWidget):
    """A word in a small coloured plate: ``resident``, ``evicted``, ``estimate``."""

    def __init__(self, theme: Theme, text: str = "", look: str = "plain") -> None:
        super().__init__()
        self._theme, self._text, self._look = theme, text, look
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_text(self, text: str, look: str = "plain") -> None:
        """Show a word in the look ``plain ok warn error info``."""
        self._text, self._look = text, look
        self.setAccessibleName(text)
        self.setVisible(bool(text))
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """Return the shown word."""
        return self._text

    def sizeHint(self) -> QSize:
        """The word and 5 px on each side."""
        metrics = QFontMetrics(self._theme.font(self._theme.caption_px, strong=True))
        return QSize(metrics.horizontalAdvance(self._text) + 12, metrics.height() + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint plate and word."""
        painter = QPainter(self)
        paint_pill(painter, self._theme, QRectF(self.rect()), self._text, self._look)


def paint_pill(painter: QPainter, theme: Theme, rect: QRectF, text: str, look: str) -> None:
    """Paint a word in a plate; ``plain`` is outlined, the others are filled with their state's ground."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if look == "plain":
        painter.setPen(QPen(theme.colour("line2"), 1))
        painter.setBrush(theme.colour("raised"))
        ink = "text2"
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("errbg" if look == "error" else f"{look}bg"))
        ink = look
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    painter.setPen(theme.colour(ink))
    painter.setFont(theme.font(theme.caption_px, strong=True))
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), text)


class ConfidenceMark(QWidget):
    """How good a value is, as a shape: measured ●, published ◐, typical ○, assumed dashed in amber."""

    def __init__(self, theme: Theme, confidence: str = "measured") -> None:
        super().__init__()
        self._theme, self._confidence = theme, confidence
        self.setFixedSize(12, 14)
        self.setAccessibleName(confidence)
        self.setToolTip(confidence)
        theme.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the shape."""
        painter = QPainter(self)
        paint_confidence(painter, self._theme, QRectF(2, 3, 8, 8), self._confidence)


def paint_confidence(painter: QPainter, theme: Theme, rect: QRectF, confidence: str) -> None:
    """Paint the shape of a confidence into a square of about 8 px."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    colour = theme.colour("warn" if confidence == "assumed" else "text2")
    pen = QPen(colour, 1.2)
    if confidence == "assumed":
        pen.setDashPattern([1.5, 1.5])
    painter.setPen(pen)
    painter.setBrush(colour if confidence == "measured" else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(rect)
    if confidence == "published":
        painter.setBrush(colour)
        painter.drawPie(rect, 90 * 16, 180 * 16)


class SidePanel(QScrollArea):
    """A panel that scrolls downwards; its content keeps its right edge whether the bar is there or not."""

    def __init__(self, content: QWidget, margin: int = 10) -> None:
        super().__init__()
        self._content, self._margin = content, margin
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(content)
        self.verticalScrollBar().rangeChanged.connect(self._on_range)

    def _on_range(self, _low: int, high: int) -> None:
        layout = self._content.layout()
        if layout is None:
            return
        left, top, _, bottom = layout.getContentsMargins()  # pyright: ignore[reportGeneralTypeIssues] - four integers
        bar = self.verticalScrollBar().sizeHint().width()
        layout.setContentsMargins(left, top, max(self._margin - (bar if high > 0 else 0), 0), bottom)


class EmptyState(QWidget):
    """What a view shows when it has nothing: what is missing, why, and one action."""

    acted = Signal()

    def __init__(self, theme: Theme, *, name: str = "") -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName(name)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(6)
        layout.addStretch(1)
        self._icon = QLabel()
        self._title = label("", "title", name="empty_title", wrap=True)
        self._why = label("", "second", name="empty_why", wrap=True)
        self._button = QPushButton()
        self._button.setObjectName("empty_action")
        self._button.clicked.connect(self.acted)
        for part in (self._icon, self._title, self._why):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
            layout.addWidget(part)
        layout.addSpacing(6)
        layout.addWidget(self._button, 0, Qt.AlignmentFlag.AlignCenter)
        layout.addStretch(1)
        theme.changed.connect(self._retint)
        self._retint()

    def say(self, title: str, why: str, action: str = "") -> None:
        """Say what is missing, why, and the word of the one action."""
        self._title.setText(title)
        self._why.setText(why)
        self._button.setText(action)
        self._button.setVisible(bool(action))

    def resizeEvent(self, event: object) -> None:
        """In a low view the words come first."""
        self._icon.setVisible(self.height() >= _ICON_FROM_PX)

    def _retint(self) -> None:
        self._icon.setPixmap(self._theme.pixmap("empty", "text3", 24))
