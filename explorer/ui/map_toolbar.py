"""The row of controls above the memory map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QSizePolicy, QToolButton, QWidget

from explorer.core.units import format_bytes
from explorer.errors import InputError
from explorer.render.camera import LEAST_ROW_BYTES, RANGE_FORMS, format_range, parse_range, row_text
from explorer.render.colours import COLOUR_MODES
from explorer.render.layout import Mode
from explorer.render.tokens import load_tokens
from explorer.ui.cut_combo import CutCombo
from explorer.ui.map_screen import MapScreen, to_colour

if TYPE_CHECKING:
    from collections.abc import Sequence

_MODES = ((Mode.LINEAR, "Linear"), (Mode.ROWS, "Rows"))

_USUAL_RANGE = "0x0000_0000 … 0x0000_0000"


class MapToolbar(QWidget):
    """Linear or rows, row size, colour by, range, search, zoom.

    Signals:
        mode_chosen: ``Mode``.
        row_bytes_chosen: Bytes of a row.
        colour_chosen: Id of a colour mode.
        range_typed: (first, end) in the lane on top.
        search_typed: Text.
        fit_asked: Show everything.
        zoom_asked: Steps, > 0 in.
    """

    mode_chosen = Signal(object)
    row_bytes_chosen = Signal(object)
    colour_chosen = Signal(str)
    range_typed = Signal(object)
    search_typed = Signal(str)
    fit_asked = Signal()
    zoom_asked = Signal(int)

    def __init__(self, screen: MapScreen) -> None:
        super().__init__()
        self.setObjectName("map_toolbar")
        self._screen = screen
        self.modes = ModeSwitch(screen)
        self.modes.chosen.connect(self.mode_chosen)
        self.rows = QComboBox()
        self.rows.setObjectName("map_row_bytes")
        self.rows.setAccessibleName("Bytes of a row")
        self.rows.setToolTip("Bytes of a row")
        self.colours = CutCombo(Qt.TextElideMode.ElideRight, mono=False)
        self.colours.setObjectName("map_colour_by")
        self.colours.setAccessibleName("Colour by")
        self.colours.setToolTip("Colour by")
        self.range = RangeField()
        self.search = QLineEdit()
        self.search.setObjectName("map_search")
        self.search.setPlaceholderText("Find on the map")
        self.search.setAccessibleName("Find on the map")
        self.search.setClearButtonEnabled(True)
        self.buttons = [self._button("−", "Zoom out  ["), self._button("+", "Zoom in  ]"),
                        self._button("Fit", "Show everything")]  # fmt: skip
        self._fill()
        self._lay_out()
        self.rows.activated.connect(self._on_row)
        self.colours.activated.connect(self._on_colour)
        self.range.accepted.connect(self.range_typed)
        self.search.textChanged.connect(self.search_typed)
        self.buttons[0].clicked.connect(self._on_out)
        self.buttons[1].clicked.connect(self._on_in)
        self.buttons[2].clicked.connect(self.fit_asked)

    def show_view(self, mode: Mode, row_bytes: int, first: int, end: int) -> None:
        """Show the state of the map."""
        self.modes.set_current(mode)
        self.rows.setEnabled(mode is Mode.ROWS)
        self.rows.setToolTip("Bytes of a row" if mode is Mode.ROWS else "Linear has one row for each lane")
        with QSignalBlocker(self.rows):
            self._show_row(row_bytes)
        self.range.show_range(first, end)

    def _fill(self) -> None:
        for exponent in range(LEAST_ROW_BYTES.bit_length() - 1, 41):
            self.rows.addItem(f"Row {row_text(1 << exponent)}", 1 << exponent)
        for mode in COLOUR_MODES:
            self.colours.addItem(f"Colour {mode.title.lower()}", mode.id)

    def _show_row(self, row_bytes: int) -> None:
        at = self.rows.findData(row_bytes)
        if at < 0:
            self.rows.addItem(f"Row {row_text(row_bytes)}", row_bytes)
            at = self.rows.count() - 1
        self.rows.setCurrentIndex(at)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 12, 8)
        row.setSpacing(6)
        self.rows.setMinimumWidth(max(112, self.fontMetrics().horizontalAdvance("Row 256 MiB") + 36))
        # As wide as the usual choice: what a narrow map needs more is the whole range.
        self.colours.setMinimumWidth(max(120, self.fontMetrics().horizontalAdvance("Colour kind") + 36))
        self.colours.setMaximumWidth(170)
        self.search.setMinimumWidth(54)
        self.search.setMaximumWidth(260)
        for widget in (self.modes, self.rows, self.colours, self.range, self.search):
            row.addWidget(widget)
        row.setStretchFactor(self.search, 1)
        row.addStretch(0)
        for button in self.buttons:
            row.addWidget(button)

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(tip.split("  ")[0])
        button.setProperty("boxed", True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setMinimumHeight(load_tokens().size["control"])
        if len(text) == 1:
            button.setMaximumWidth(load_tokens().size["tool_button"] + 4)
        return button

    @Slot(int)
    def _on_row(self, index: int) -> None:
        self.row_bytes_chosen.emit(self.rows.itemData(index))

    @Slot(int)
    def _on_colour(self, index: int) -> None:
        self.colour_chosen.emit(self.colours.itemData(index))

    @Slot()
    def _on_in(self) -> None:
        self.zoom_asked.emit(1)

    @Slot()
    def _on_out(self) -> None:
        self.zoom_asked.emit(-1)


class RangeField(QLineEdit):
    """The visible range of the lane on top; takes another one.

    Signals:
        accepted: (first, end) in bytes.
    """

    accepted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("map_range")
        self.setAccessibleName("Range")
        self.setProperty("mono", True)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self._shown = (0, 0)
        self._tell("")
        self.returnPressed.connect(self._take)
        self.textEdited.connect(self._check)

    @property
    def is_refused(self) -> bool:
        """Whether the typed text is no range."""
        return self.property("state") == "refused"

    def sizeHint(self) -> QSize:
        """Room for the range, and for the usual one: the field must not jump while the map scrolls."""
        widest = max(self.fontMetrics().horizontalAdvance(text) for text in (_USUAL_RANGE, self.text()))
        return QSize(widest + 24, super().sizeHint().height())

    def show_range(self, first: int, end: int) -> None:
        """Show a range, unless the user is typing one."""
        self._shown = (first, end)
        if not (self.hasFocus() and self.isModified()):
            self._write()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape gives the shown range back."""
        if event.key() == Qt.Key.Key_Escape:
            self._write()
            return
        super().keyPressEvent(event)

    def _write(self) -> None:
        self.setText(format_range(*self._shown))
        self.updateGeometry()
        self.setCursorPosition(0)
        self.setModified(False)
        self._tell("")

    @Slot(str)
    def _check(self, text: str) -> None:
        try:
            parse_range(text)
        except InputError as error:
            self._tell(error.complaint.message)
        else:
            self._tell("")

    @Slot()
    def _take(self) -> None:
        try:
            found = parse_range(self.text())
        except InputError as error:
            self._tell(error.complaint.message)
            return
        self.setModified(False)
        self._tell("")
        self.accepted.emit(found)

    def _tell(self, complaint: str) -> None:
        state = "refused" if complaint else ""
        size = format_bytes(self._shown[1] - self._shown[0])
        forms = f"For example {RANGE_FORMS[0]}, {RANGE_FORMS[1]}"
        self.setToolTip(f"{complaint}. {forms}" if complaint else f"Visible range of the lane on top, {size}. {forms}")
        if self.property("state") != state:
            self.setProperty("state", state)
            self.style().unpolish(self)
            self.style().polish(self)


class ModeSwitch(QWidget):
    """Two segments, of which one is chosen.

    Signals:
        chosen: ``Mode``.
    """

    chosen = Signal(object)

    def __init__(self, screen: MapScreen) -> None:
        super().__init__()
        self.setObjectName("map_mode")
        self.setAccessibleName("Shape of lanes")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._screen = screen
        self._current = Mode.ROWS

    @property
    def current(self) -> Mode:
        """The chosen mode."""
        return self._current

    def set_current(self, mode: Mode) -> None:
        """Choose without a signal."""
        if mode is not self._current:
            self._current = mode
            self.setAccessibleDescription(mode.value)
            self.update()

    def sizeHint(self) -> QSize:
        """Room for both words."""
        metrics = QFontMetrics(self.font())
        widest = max(metrics.horizontalAdvance(word) for _, word in _MODES)
        return QSize(len(_MODES) * (widest + 28), max(load_tokens().size["control"], metrics.height() + 8))

    def words(self) -> Sequence[str]:
        """Return the segments."""
        return [word for _, word in _MODES]

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the segment under the mouse."""
        self._choose(min(int(event.position().x() * len(_MODES) / self.width()), len(_MODES) - 1))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right choose."""
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._choose(int(event.key() == Qt.Key.Key_Right))
            return
        super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the segments."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = {name: to_colour(value) for name, value in self._screen.palette.colour.items()}
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(colours["line2"], 1))
        painter.setBrush(colours["field"])
        painter.drawRoundedRect(frame, 4, 4)
        width = self.width() / len(_MODES)
        for index, (mode, word) in enumerate(_MODES):
            rect = QRectF(index * width, 0, width, self.height())
            is_on = mode is self._current
            if is_on:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colours["sel"])
                painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 3, 3)
            font = self.font()
            font.setWeight(font.Weight.DemiBold if is_on else font.Weight.Normal)
            painter.setFont(font)
            painter.setPen(colours["text" if is_on else "text2"])
            painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), word)
        if self.hasFocus():
            painter.setPen(QPen(colours["accent"], 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)

    def _choose(self, index: int) -> None:
        mode = _MODES[index][0]
        if mode is not self._current:
            self.set_current(mode)
            self.chosen.emit(mode)
