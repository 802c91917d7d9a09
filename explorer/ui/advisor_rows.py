"""One piece of advice as a row of two lines: pill, claim, link; evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from explorer.ui.controls import ElidedLabel, Pill, hairline, label, set_property
from explorer.ui.facts import link_text, set_linked

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent

    from explorer.sim.advisor import Advice
    from explorer.ui.theme import Theme


class AdviceRow(QWidget):
    """Shows advice; a click selects what it is about, the link opens its rule.

    Signals:
        picked: The row was clicked, or Return was pressed on it.
        rule_wanted: Id of the rule.
    """

    picked = Signal()
    rule_wanted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("advice_row")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.advice: Advice | None = None
        self._pill = Pill(theme)
        self._claim = ElidedLabel("", "strong", name="advice_claim")
        self._evidence = ElidedLabel("", "small", name="advice_evidence")
        self._link: QLabel = label("", "small", name="advice_link")
        self._link.linkActivated.connect(self.rule_wanted)
        first, second = QHBoxLayout(), QHBoxLayout()
        for line in (first, second):
            line.setSpacing(8)
        first.addWidget(self._pill)
        first.addWidget(self._claim, 1)
        second.addWidget(self._evidence, 1)
        second.addWidget(self._link)
        lines = QVBoxLayout(self)
        lines.setContentsMargins(10, 6, 10, 0)
        lines.setSpacing(3)
        lines.addLayout(first)
        lines.addLayout(second)
        lines.addSpacing(3)
        lines.addWidget(hairline())

    def show_advice(self, advice: Advice) -> None:
        """Show a piece of advice in place of the one before."""
        if advice == self.advice:
            return
        self.advice = advice
        self._pill.show_text(advice.topic, advice.look)
        self._claim.setText(advice.claim)
        self._evidence.setText(advice.evidence)
        set_linked(self._link, bool(advice.rule))
        self._link.setText(link_text(advice.rule, advice.rule) if advice.rule else "")
        self._link.setToolTip(f"{advice.text}\n{advice.source}".strip())
        self._link.setVisible(bool(advice.rule))
        tip = f"{advice.claim}. {advice.evidence}"
        self.setToolTip(f"{tip}\n{advice.source}" if advice.source else tip)
        self.setAccessibleName(f"{advice.topic}: {advice.claim}. {advice.evidence}")
        can_pick = bool(advice.resources) or advice.id == "refused"
        self.setCursor(Qt.CursorShape.PointingHandCursor if can_pick else Qt.CursorShape.ArrowCursor)
        set_property(self, "pickable", can_pick)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Pick the row."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.picked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pick the row with Return or space."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.picked.emit()
        else:
            super().keyPressEvent(event)
