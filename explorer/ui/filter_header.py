"""A table header with a row of filter fields under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QHeaderView, QLineEdit, QTableView

from explorer.ui.controls import set_property

if TYPE_CHECKING:
    from explorer.ui.resource_rows import Column
    from explorer.ui.theme import Theme

_TYPING_MS = 150


class FilterHeader(QHeaderView):
    """Column titles over one field each.

    Signals:
        filters_changed: dict of column id → text.
    """

    filters_changed = Signal(object)

    def __init__(self, theme: Theme, columns: tuple[Column, ...], table: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self._theme, self._columns = theme, columns
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setSectionsMovable(False)
        self.setMinimumSectionSize(48)
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._fields: list[QLineEdit] = []
        for column in columns:
            field = QLineEdit(self)
            field.setObjectName(f"filter_{column.id}")
            field.setAccessibleName(f"Filter {column.title}")
            field.setPlaceholderText(column.hint)
            field.setProperty("small", True)
            field.textChanged.connect(self._on_typed)
            self._fields.append(field)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._typing.timeout.connect(self._emit)
        self.sectionResized.connect(self._place)
        self.sectionMoved.connect(self._place)
        table.horizontalScrollBar().valueChanged.connect(self._place)

    def texts(self) -> dict[str, str]:
        """Return column id → text of the filters."""
        pairs = zip(self._columns, self._fields, strict=True)
        return {column.id: field.text() for column, field in pairs if field.text().strip()}

    def set_text(self, column: str, text: str) -> None:
        """Fill a filter and use it at once."""
        for candidate, field in zip(self._columns, self._fields, strict=True):
            if candidate.id == column:
                field.setText(text)
        self._emit()

    def clear_texts(self) -> None:
        """Empty all filters and use them at once."""
        for field in self._fields:
            field.blockSignals(True)
            field.clear()
            field.blockSignals(False)
        self._emit()

    def show_error(self, message: str, column: str) -> None:
        """Mark the filter that cannot be read; an empty column clears all marks."""
        for candidate, field in zip(self._columns, self._fields, strict=True):
            bad = candidate.id == column
            set_property(field, "state", "refused" if bad else "")
            set_property(field, "active", bool(field.text().strip()) and not bad)
            field.setToolTip(message if bad else "")

    def sizeHint(self) -> QSize:
        """Titles and fields."""
        hint = super().sizeHint()
        return QSize(hint.width(), self._title_height() + self._field_height() + 6)

    def updateGeometries(self) -> None:
        """Keep the titles above the fields."""
        self.setViewportMargins(0, 0, 0, self._field_height() + 6)
        super().updateGeometries()
        self._place()

    def _title_height(self) -> int:
        return self._theme.row_height

    def _field_height(self) -> int:
        return self._theme.control_height - 4

    def _place(self) -> None:
        for index, field in enumerate(self._fields):
            left = self.sectionViewportPosition(index)
            field.setGeometry(left + 2, self._title_height() + 2, self.sectionSize(index) - 4, self._field_height())
            field.setVisible(not self.isSectionHidden(index))

    def _on_typed(self) -> None:
        self._typing.start()

    def _emit(self) -> None:
        self._typing.stop()
        self.filters_changed.emit(self.texts())
