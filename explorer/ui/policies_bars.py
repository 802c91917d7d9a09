"""The bars of the Policies view: one scale for all, split at what no policy can avoid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.kinds import ResourceKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QColor

    from explorer.ui.theme import Theme

_MARGIN, _GAP, _BAR_PX = 10, 8, 12
_NAME_SHARE = 0.32
_LONGEST = 3
"""Bars end at this multiple of the reference: one policy that fails must not squeeze the others to nothing."""
_DASHES = (4.0, 3.0)


@dataclass(frozen=True, slots=True)
class BarRow:
    """One line of the bars.

    Attributes:
        policy: Id; empty for what the others are compared with.
        name: Shown name.
        value: Length of the bar.
        text: The value in words.
        ratio: How it compares.
        tip: More words on hover.
        can_switch: Whether a click may ask for it.
    """

    policy: str
    name: str
    value: int
    text: str
    ratio: str
    tip: str = ""
    can_switch: bool = True


class PolicyBars(QWidget):
    """Rows of name, bar, value and ratio; the part of a bar up to the reference is unavoidable.

    Signals:
        chosen: Id of the policy that was clicked, or entered with the keyboard.
        focused: Id of the policy under the keyboard's or mouse's focus; empty for none.
    """

    chosen = Signal(str)
    focused = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._heads = ("", "", "", "")
        self._rows: tuple[BarRow, ...] = ()
        self._reference = 0
        self._current = ""
        self._cursor, self._hover = 0, -1
        self.setObjectName("policy_bars")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.updateGeometry)
        theme.changed.connect(self.update)
        self._describe()

    @property
    def rows(self) -> tuple[BarRow, ...]:
        """What is shown."""
        return self._rows

    @property
    def current(self) -> str:
        """Id of the selected policy."""
        return self._current

    def show_rows(self, heads: tuple[str, str, str, str], rows: Sequence[BarRow], reference: int) -> None:
        """Show rows.

        Args:
            heads: Titles of the four columns.
            rows: The first one is what the others are compared with.
            reference: Its value.
        """
        self._heads, self._rows, self._reference = heads, tuple(rows), reference
        self._cursor = min(self._cursor, max(len(self._rows) - 1, 0))
        self.updateGeometry()
        self._describe()
        self.update()

    def set_current(self, policy: str) -> None:
        """Select the policy that the running scenario has."""
        if policy != self._current:
            self._current = policy
            self._describe()
            self.update()

    def row_rect(self, index: int) -> QRectF:
        """Return where a row lies."""
        height = self._theme.row_height
        return QRectF(0, height * (index + 1), self.width(), height)

    def bar_rect(self, index: int) -> QRectF:
        """Return where the bar of a row lies."""
        row, (left, right) = self.row_rect(index), self._bar_span()
        length = min((right - left) * self._rows[index].value / self._top(), right - left)
        return QRectF(
            left, row.center().y() - _BAR_PX / 2, max(length, 1.0 if self._rows[index].value else 0.0), _BAR_PX
        )

    def sizeHint(self) -> QSize:
        """A row for each policy and the titles."""
        return QSize(280, self._theme.row_height * (len(self._rows) + 1))

    def minimumSizeHint(self) -> QSize:
        """The height does not shrink."""
        return QSize(220, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint titles, rows and the line of the reference."""
        painter = QPainter(self)
        painter.setFont(self._theme.font(self._theme.small_px))
        self._paint_texts(painter, self.row_rect(-1), self._heads, ("text3",) * 4)
        for index in range(len(self._rows)):
            self._paint_row(painter, index)
        if self._reference and self._rows:
            left, right = self._bar_span()
            x = round(left + (right - left) * self._reference / self._top()) + 0.5
            pen = QPen(self._theme.colour("text"), 1)
            pen.setDashPattern(_DASHES)
            painter.setPen(pen)
            painter.drawLine(
                QPointF(x, self.row_rect(0).top() + 2), QPointF(x, self.row_rect(len(self._rows)).top() - 2)
            )

    def _paint_row(self, painter: QPainter, index: int) -> None:
        theme, row, rect = self._theme, self._rows[index], self.row_rect(index)
        is_current = bool(row.policy) and row.policy == self._current
        if is_current or index == self._hover:
            painter.fillRect(rect, theme.colour("sel" if is_current else "hover"))
        strong = is_current or not row.policy
        painter.setFont(theme.font(strong=strong))
        self._paint_texts(painter, rect, (row.name, "", "", ""), ("text",) * 4)
        painter.setFont(theme.font(theme.small_px, strong=strong))
        self._paint_texts(painter, rect, ("", "", row.text, row.ratio), ("text", "text", "text", "text2"))
        bar = self.bar_rect(index)
        if not row.policy:
            painter.fillRect(bar, theme.colour("text3"))
        else:
            left, right = self._bar_span()
            shared = min((right - left) * self._reference / self._top(), bar.width())
            painter.fillRect(QRectF(bar.left(), bar.top(), shared, bar.height()),
                             theme.kind_colour(ResourceKind.TEXTURE))  # fmt: skip
            rest = QRectF(bar.left() + shared, bar.top(), bar.width() - shared, bar.height())
            painter.fillRect(rest, theme.kind_colour(ResourceKind.RENDER_TARGET))
            if row.value > self._top():
                self._paint_cut(painter, bar, theme.colour("sel" if is_current else "panel"))
        if self.hasFocus() and index == self._cursor:
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.drawRect(rect.adjusted(1, 1, -1, -1))

    def _paint_cut(self, painter: QPainter, bar: QRectF, ground: QColor) -> None:
        """Paint a slanted gap near the end of a bar that is longer than its room."""
        painter.setPen(QPen(ground, 2))
        for x in (bar.right() - 12, bar.right() - 7):
            painter.drawLine(QPointF(x, bar.bottom()), QPointF(x + 4, bar.top()))

    def _top(self) -> int:
        """Return the value at the right end of the bars."""
        longest = max((row.value for row in self._rows), default=0)
        return max(min(longest, _LONGEST * self._reference) if self._reference else longest, 1)

    def _paint_texts(self, painter: QPainter, rect: QRectF, texts: Sequence[str], tokens: Sequence[str]) -> None:
        """Paint name, bar title, value and ratio into their columns."""
        left, right = self._bar_span()
        _, value_px, ratio_px = self._widths()
        spans = (
            (_MARGIN, left - _GAP - _MARGIN, Qt.AlignmentFlag.AlignLeft),
            (left, right - left, Qt.AlignmentFlag.AlignLeft),
            (right + _GAP, value_px, Qt.AlignmentFlag.AlignRight),
            (right + 2 * _GAP + value_px, ratio_px, Qt.AlignmentFlag.AlignRight),
        )
        metrics = QFontMetrics(painter.font())
        for text, token, (x, width, side) in zip(texts, tokens, spans, strict=True):
            if not text:
                continue
            painter.setPen(self._theme.colour(token))
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(width))
            painter.drawText(
                QRectF(x, rect.top(), width, rect.height()), int(side | Qt.AlignmentFlag.AlignVCenter), shown
            )

    def _widths(self) -> tuple[float, float, float]:
        """Return how wide names, values and ratios are."""
        metrics = QFontMetrics(self._theme.font(strong=True))
        columns = [
            [row.name for row in self._rows],
            [row.text for row in self._rows],
            [row.ratio for row in self._rows],
        ]
        small = QFontMetrics(self._theme.font(self._theme.small_px))
        heads = (self._heads[0], self._heads[2], self._heads[3])
        name, value, ratio = (
            max([small.horizontalAdvance(head), *map(metrics.horizontalAdvance, texts)]) + 1.0
            for head, texts in zip(heads, columns, strict=True)
        )
        return min(name, self.width() * _NAME_SHARE), value, ratio

    def _bar_span(self) -> tuple[float, float]:
        name, value, ratio = self._widths()
        left = _MARGIN + name + _GAP
        return left, max(self.width() - _MARGIN - ratio - value - 2 * _GAP, left + 20)

    # -- reactions

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show what lies under the mouse."""
        self._set_hover(self._at(event))

    def leaveEvent(self, _event: object) -> None:
        """Take the hover look away."""
        self._set_hover(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Ask for the policy under the mouse."""
        index = self._at(event)
        if event.button() == Qt.MouseButton.LeftButton and index >= 0:
            self._cursor = index
            self._choose(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk with the arrows, ask with Enter."""
        last = len(self._rows) - 1
        places = {
            Qt.Key.Key_Up: self._cursor - 1, Qt.Key.Key_Down: self._cursor + 1,
            Qt.Key.Key_Home: 0, Qt.Key.Key_End: last,
        }  # fmt: skip
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._rows:
            self._choose(self._cursor)
        elif key in places and self._rows:
            self._cursor = min(max(places[key], 0), last)
            self._describe()
            self.focused.emit(self._rows[self._cursor].policy)
            self.update()
        else:
            super().keyPressEvent(event)

    def _choose(self, index: int) -> None:
        self._describe()
        self.update()
        row = self._rows[index]
        if row.policy and row.can_switch:
            self.chosen.emit(row.policy)

    def _set_hover(self, index: int) -> None:
        if index == self._hover:
            return
        self._hover = index
        self.setToolTip(self._rows[index].tip if index >= 0 else "")
        self.focused.emit(self._rows[index].policy if index >= 0 else "")
        self.update()

    def _at(self, event: QMouseEvent) -> int:
        index = int(event.position().y() // self._theme.row_height) - 1
        return index if 0 <= index < len(self._rows) else -1

    def _describe(self) -> None:
        self.setAccessibleName("Policies, from best to worst")
        if self._rows:
            row = self._rows[self._cursor]
            state = ", current policy" if row.policy and row.policy == self._current else ""
            self.setAccessibleDescription(f"{row.name}, {row.text}, {row.ratio}{state}")
