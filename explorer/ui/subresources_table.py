"""The table of the Subresources view: a thin shell over a form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from explorer.core.units import format_address, format_exact

if TYPE_CHECKING:
    from explorer.sim.layouts import Form
    from explorer.ui.theme import Theme

TITLES = ("Index", "Mip", "Slice", "Plane", "Size", "Offset", "Row bytes", "Row pitch", "Rows", "Padding", "Bytes")
WIDTHS = (56, 44, 48, 72, 120, 110, 84, 84, 64, 84, 96)
_SIZE, _OFFSET, _PLANE = 4, 5, 3
_ROOT = QModelIndex()


class SubresourceModel(QAbstractTableModel):
    """One row for each subresource, in index order."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._form: Form | None = None

    def show_form(self, form: Form | None) -> None:
        """Show the subresources of a form."""
        if form is not self._form:
            self.beginResetModel()
            self._form = form
            self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """Return the subresources."""
        return 0 if parent.isValid() or self._form is None else len(self._form.layout.subresources)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """Return the columns."""
        return 0 if parent.isValid() else len(TITLES)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says and how."""
        if not index.isValid() or index.row() >= self.rowCount():
            return None
        column = index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.cells(index.row())[column]
            case Qt.ItemDataRole.TextAlignmentRole:
                return _side(column)
            case Qt.ItemDataRole.FontRole if column == _OFFSET:
                return self._theme.fixed_font()
            case Qt.ItemDataRole.ForegroundRole if self.cells(index.row())[column] in ("0", "whole"):
                return self._theme.colour("text3")
            case Qt.ItemDataRole.ToolTipRole if column == _OFFSET and self._form is not None:
                return format_exact(self._form.layout.subresources[index.row()].offset)
            case _:
                return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title."""
        if orientation == Qt.Orientation.Vertical or not 0 <= section < len(TITLES):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(section)
        return TITLES[section] if role == Qt.ItemDataRole.DisplayRole else None

    def cells(self, row: int) -> tuple[str, ...]:
        """Return the texts of a row."""
        assert self._form is not None
        part = self._form.layout.subresources[row]
        planes = self._form.planes
        plane = planes[min(part.plane, len(planes) - 1)]
        depth = f" × {part.depth:,}" if part.depth > 1 else ""
        return (
            f"{part.index:,}", str(part.mip), f"{part.slice:,}", f"{part.plane} {plane}" if plane else "whole",
            f"{part.width:,} × {part.height:,}{depth}", format_address(part.offset), f"{part.row_bytes:,}",
            f"{part.row_pitch:,}", f"{part.rows:,}", f"{part.padding_bytes:,}", f"{part.size_bytes:,}",
        )  # fmt: skip


def _side(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column in (_PLANE, _SIZE) else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
