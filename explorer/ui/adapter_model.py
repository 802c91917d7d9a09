"""The table of an adapter's values while they are edited: a thin shell over ``adapter_values``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPixmap

from explorer.errors import PresetError
from explorer.ui.adapter_values import USER_RULE, edited, preset_values
from explorer.ui.controls import paint_confidence

if TYPE_CHECKING:
    from explorer.errors import Complaint
    from explorer.tables.adapters import Adapter
    from explorer.ui.adapter_values import PresetValue
    from explorer.ui.theme import Theme

HEADS = ("Value", "Is", "", "Confidence", "Source")
KEY, TEXT, MEANING, CONFIDENCE, SOURCE = range(5)
_ROOT = QModelIndex()
_MARK_PX = 14


class AdapterValuesModel(QAbstractTableModel):
    """Key, value, confidence and source of each value; the values can be edited.

    Signals:
        checked: ``Complaint`` about what was typed, or None where it is a valid preset.
    """

    checked = Signal(object)

    def __init__(self, original: Adapter, new_id: str, theme: Theme) -> None:
        super().__init__()
        self._original, self._id, self._theme = original, new_id, theme
        self._rows = preset_values(original)
        self._at = {row.key: i for i, row in enumerate(self._rows)}
        self._edits: dict[str, str] = {}
        self._complaint: Complaint | None = None
        self._result: Adapter | None = None
        self._marks: dict[str, QPixmap] = {}
        self._check()

    @property
    def edits(self) -> dict[str, str]:
        """Key path → what was typed, of the values that differ from the original."""
        return dict(self._edits)

    @property
    def complaint(self) -> Complaint | None:
        """What is wrong with what was typed; None where it is a valid preset."""
        return self._complaint

    @property
    def result(self) -> Adapter | None:
        """The edited adapter; None where it would not be valid."""
        return self._result

    def set_id(self, new_id: str) -> None:
        """Give the copy another id."""
        self._id = new_id
        self._check()

    def row_of(self, key: str) -> int:
        """Return the row of a key path or of the value nearest to it; −1 where there is none."""
        while key and key not in self._at:
            inside = next((row for known, row in self._at.items() if known.startswith(f"{key}.")), None)
            if inside is not None:
                return inside
            key = key.rpartition(".")[0]
        return self._at.get(key, -1)

    def value(self, row: int) -> PresetValue:
        """Return the original value of a row."""
        return self._rows[row]

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """Return the number of values."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(HEADS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the head of a column."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return HEADS[section]
        return None

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        """Let known values be edited."""
        flags = super().flags(index)
        if index.isValid() and index.column() == TEXT and self._rows[index.row()].confidence != "unknown":
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows; the row of a complaint says in its last column what is wrong."""
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        wrong = self._complaint is not None and self.row_of(self._complaint.where or "") == index.row()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(row, column, wrong)
            case Qt.ItemDataRole.EditRole:
                return self._text(row, column, wrong=False)
            case Qt.ItemDataRole.ToolTipRole:
                return str(self._complaint) if wrong else f"{row.key}\n{self._source(row)}"
            case Qt.ItemDataRole.ForegroundRole:
                if wrong and column in (TEXT, SOURCE):
                    return self._theme.colour("error")
                return self._theme.colour("warn") if self._is_assumed(row) and column == CONFIDENCE else None
            case Qt.ItemDataRole.DecorationRole:
                return self._mark(self._confidence(row)) if column == CONFIDENCE else None
            case _:
                return None

    def setData(
        self, index: QModelIndex | QPersistentModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        """Take what was typed; what is wrong stays and is said."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or index.column() != TEXT:
            return False
        row = self._rows[index.row()]
        if str(value) == row.text:
            self._edits.pop(row.key, None)
        else:
            self._edits[row.key] = str(value)
        self._check()
        return True

    def _check(self) -> None:
        try:
            self._result, self._complaint = edited(self._original, self._id, self._edits), None
        except PresetError as error:
            self._result, self._complaint = None, error.complaint
        self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(HEADS) - 1))
        self.checked.emit(self._complaint)

    def _text(self, row: PresetValue, column: int, wrong: bool) -> str:
        match column:
            case 0:
                return row.key
            case 1:
                return self._edits.get(row.key, row.text or "unknown")
            case 2:
                return "" if row.key in self._edits else row.meaning
            case 3:
                return self._confidence(row)
            case _:
                complaint = self._complaint
                if not wrong or complaint is None:
                    return self._source(row)
                accepted = f"; accepted: {', '.join(complaint.accepted[:4])}" if complaint.accepted else ""
                return f"{complaint.where}: {complaint.message}{accepted}"

    def _confidence(self, row: PresetValue) -> str:
        return "assumed" if row.key in self._edits else row.confidence

    def _is_assumed(self, row: PresetValue) -> bool:
        return self._confidence(row) == "assumed"

    def _source(self, row: PresetValue) -> str:
        if row.key in self._edits:
            return f"chosen by the user (rule {USER_RULE}); was {row.text}"
        return f"{row.source} (rule {row.rule})" if row.rule else row.source

    def _mark(self, confidence: str) -> QPixmap | None:
        if confidence == "unknown":
            return None
        if confidence not in self._marks:
            picture = QPixmap(_MARK_PX, _MARK_PX)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            paint_confidence(painter, self._theme, QRectF(3, 3, 8, 8), confidence)
            painter.end()
            self._marks[confidence] = picture
        return self._marks[confidence]
