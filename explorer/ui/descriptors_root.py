"""The root signature panel: 64 DWORDs as one bar, and what each parameter binds, costs and reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from explorer.core.kinds import ResourceKind
from explorer.render.root_signature import RULE_COST, tell_signature
from explorer.render.slot_texts import UseRow
from explorer.render.slot_uses import is_captured
from explorer.rules.d3d12_descriptors import MAX_ROOT_COST
from explorer.ui.controls import ElidedLabel, label
from explorer.ui.descriptors_rows import UseList
from explorer.ui.facts import link_text, set_linked

if TYPE_CHECKING:
    from explorer.render.root_signature import ParameterTold, SignatureTold
    from explorer.render.slot_uses import HeapUses
    from explorer.ui.theme import Theme

_KINDS = {
    "DESCRIPTOR_TABLE": ResourceKind.TEXTURE,
    "32BIT_CONSTANTS": ResourceKind.UPLOAD,
}
"""Colours of parameters; root descriptors have that of buffers."""


class RootBar(QWidget):
    """64 equal parts: each parameter as wide as it costs, then what is free."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._told: SignatureTold | None = None
        self.setObjectName("root_bar")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_signature(self, told: SignatureTold) -> None:
        """Show a root signature."""
        self._told = told
        parts = ", ".join(f"{one.type} {one.dwords}" for one in told.parameters)
        self.setAccessibleName(f"{told.dwords} of {MAX_ROOT_COST} DWORDs: {parts or 'none'}, {told.free} free")
        self.update()

    def sizeHint(self) -> QSize:
        """A bar with its scale."""
        return QSize(256, self._bar() + self._scale())

    def minimumSizeHint(self) -> QSize:
        """The height does not shrink."""
        return QSize(128, self.sizeHint().height())

    def part_rect(self, first: int, dwords: int) -> QRectF:
        """Return where some DWORDs are drawn."""
        unit = self.width() / MAX_ROOT_COST
        return QRectF(first * unit, 0, dwords * unit, self._bar())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint parts, what is free, and the scale."""
        painter, theme, told = QPainter(self), self._theme, self._told
        painter.fillRect(QRectF(0, 0, self.width(), self._bar()), theme.colour("free", "map"))
        if told is None:
            return
        painter.setFont(theme.font(theme.small_px))
        for one in told.parameters:
            kind = _KINDS.get(one.type, ResourceKind.BUFFER)
            rect = self.part_rect(one.first, one.dwords)
            painter.fillRect(rect.adjusted(0, 0, -1, 0), theme.kind_colour(kind))
            painter.setPen(theme.kind_colour(kind, "ink"))
            self._text(painter, rect, (f"{one.registers}", f"{one.index}"))
        rest = self.part_rect(told.dwords, told.free)
        painter.setPen(theme.colour("text2"))
        self._text(painter, rest, (f"{told.free} of {MAX_ROOT_COST} DWORDs free", f"{told.free} free"))
        painter.setFont(theme.font(theme.caption_px))
        painter.setPen(theme.colour("text3"))
        for mark in range(0, MAX_ROOT_COST + 1, 8):
            x = mark * self.width() / MAX_ROOT_COST
            align = Qt.AlignmentFlag.AlignHCenter
            if mark in (0, MAX_ROOT_COST):
                align = Qt.AlignmentFlag.AlignRight if mark else Qt.AlignmentFlag.AlignLeft
            left = {0: x, MAX_ROOT_COST: x - 32}.get(mark, x - 16)
            painter.drawText(QRectF(left, self._bar() + 2, 32, self._scale() - 2), align, str(mark))

    def _text(self, painter: QPainter, rect: QRectF, words: tuple[str, ...]) -> None:
        """Draw the longest of some words that fits."""
        metrics = QFontMetricsF(painter.font())
        for word in words:
            if metrics.horizontalAdvance(word) + 6 <= rect.width():
                painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), word)
                return

    def _bar(self) -> int:
        return int(QFontMetricsF(self._theme.font(self._theme.small_px)).height()) + 8

    def _scale(self) -> int:
        return int(QFontMetricsF(self._theme.font(self._theme.caption_px)).height()) + 3


class RootPanel(QWidget):
    """The root signatures of a snapshot, one at a time.

    Signals:
        row_chosen: The ``UseRow`` of a parameter that was clicked.
        rule_wanted: Id of a rule.
    """

    row_chosen = Signal(object)
    rule_wanted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._uses: HeapUses | None = None
        self._name = ""
        self.choice = QComboBox()
        self.choice.setObjectName("root_signature")
        self.choice.setAccessibleName("Root signature")
        self.line = ElidedLabel("", "small", name="root_line")
        self.cost = label("", "small", name="root_cost")
        set_linked(self.cost, linked=True)
        self.bar = RootBar(theme)
        self.parameters = UseList(theme, name="root_parameters", most=8)
        self.none = label("", "small", name="root_none", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.choice)
        head.addWidget(self.line, 1)
        head.addWidget(self.cost)
        layout.addLayout(head)
        for part in (self.bar, self.parameters, self.none):
            layout.addWidget(part)
        self.choice.activated.connect(self._on_choice)
        self.parameters.row_chosen.connect(self.row_chosen)
        self.cost.linkActivated.connect(self.rule_wanted)

    def show_uses(self, uses: HeapUses) -> None:
        """Show the root signature that was chosen, else the first one in force."""
        self._uses = uses
        pictures = uses.snapshot.descriptor_uses.root_signatures
        names = [one.name for one in pictures]
        if self._name not in names:
            self._name = next((one.name for one in pictures if one.in_force), names[0] if names else "")
        for part in (self.line, self.cost, self.bar, self.parameters):
            part.setVisible(bool(names))
        self.choice.setVisible(len(names) > 1)
        self.none.setVisible(not names)
        if not names:
            self.none.setText("No root signature was created up to this frame.")
            return
        with QSignalBlocker(self.choice):
            if [self.choice.itemText(index) for index in range(self.choice.count())] != names:
                self.choice.clear()
                self.choice.addItems(names)
            self.choice.setCurrentIndex(names.index(self._name))
        told = tell_signature(pictures[names.index(self._name)], captured=is_captured(uses.snapshot))
        title = "" if len(names) > 1 else f"{told.name} · "
        state = "in force" if told.in_force else "no list needs it"
        samplers = f" · {told.samplers} static samplers (0)" if told.samplers else ""
        self.line.setText(f"{title}version {told.version} · {state}{samplers}")
        self.cost.setText(link_text(RULE_COST, f"{told.dwords} of {MAX_ROOT_COST} DWORDs"))
        self.bar.show_signature(told)
        index = names.index(self._name)
        self.parameters.show_rows(len(told.parameters), lambda at: self._row(told.parameters[at], index))

    def _row(self, one: ParameterTold, signature: int) -> UseRow:
        uses = self._uses
        assert uses is not None
        ranges = uses.snapshot.descriptor_uses.ranges
        rows = uses.ranges
        here = rows[(ranges.signature[rows] == signature) & (ranges.parameter[rows] == one.index)]
        first = int(ranges.first[here[0]]) if len(here) else -1
        cost = f"{one.dwords} DWORD" + "s" * (one.dwords != 1)
        kinds = {part.is_static for part in one.ranges}
        change = {frozenset({True}): " · static", frozenset({False}): " · volatile"}.get(frozenset(kinds), "")
        if len(kinds) == 2:
            change = " · " + ", ".join(
                f"{part.registers} {'static' if part.is_static else 'volatile'}" for part in one.ranges
            )
        place = f" · from slot {first:,}" if first >= 0 else ""
        flags = f" · {one.flags}" if one.flags != "none" else ""
        second = f"read {one.read}{change}{place}{flags}"
        return UseRow(f"{one.index}  {one.type}  {one.registers}", cost, second, "plain", uses.heap.name, first)

    @Slot(int)
    def _on_choice(self, index: int) -> None:
        self._name = self.choice.itemText(index)
        if self._uses is not None:
            self.show_uses(self._uses)
