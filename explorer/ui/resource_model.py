"""The resources as an item model: a thin shell over ``ResourceRows``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from explorer.ui.resource_rows import COLUMNS, VOLATILE, ResourceRows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from explorer.sim.snapshot import Snapshot
    from explorer.ui.resource_rows import Order
    from explorer.ui.theme import Theme

KIND_ROLE = Qt.ItemDataRole.UserRole
"""Role with the ``ResourceKind`` of a row, as an integer."""

_ROOT = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NUMBERS = frozenset(c.id for c in COLUMNS if c.kind in ("bytes", "number", "address"))
_FIXED = frozenset({"offset", "format", "place"})
_QUIET = frozenset({"none", "unknown", "not in memory", "never"})


class ResourceModel(QAbstractTableModel):
    """Rows are resources in the chosen order; columns are ``COLUMNS``."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: ResourceRows | None = None
        self._order: Order = np.zeros(0, np.int64)
        self._filters: dict[str, str] = {}
        self._only: npt.NDArray[np.bool_] | None = None
        self._sort: tuple[str, bool] = ("", False)
        self._exact = False
        self._fixed = theme.fixed_font()

    @property
    def rows(self) -> ResourceRows | None:
        """The shown columns; None before the first snapshot."""
        return self._rows

    @property
    def order(self) -> Order:
        """Resource index of each shown row."""
        return self._order

    @property
    def sorted_by(self) -> tuple[str, bool]:
        """Column id (empty: as created) and whether descending."""
        return self._sort

    def set_snapshot(self, snapshot: Snapshot) -> bool:
        """Show a snapshot. Return whether rows came, went or moved (selection and scroll need care then)."""
        before = self._rows
        rows = ResourceRows(snapshot, before)
        same = (
            before is not None
            and before.snapshot.generation == snapshot.generation
            and before.snapshot.provenance.scenario == snapshot.provenance.scenario
            and before.snapshot.provenance.file == snapshot.provenance.file
            and len(before) == len(rows)
            and self._sort[0] not in VOLATILE
            and not any(self._filters.get(column) for column in VOLATILE)
        )
        if same:
            self._rows = rows
            if len(self._order):
                self.dataChanged.emit(self.index(0, 0), self.index(len(self._order) - 1, len(COLUMNS) - 1))
            return False
        self._only = self._only if self._only is not None and len(self._only) == len(rows) else None
        return self._replace(rows)

    def set_filters(self, texts: Mapping[str, str], only: npt.NDArray[np.bool_] | None = None) -> None:
        """Filter the rows.

        Args:
            texts: Column id → text.
            only: Mask of resources that may be shown, shape (n,), or None.

        Raises:
            InputError: A filter is no number, size or range.
        """
        if self._rows is not None:
            self._rows.filter(texts, only)
        self._filters, self._only = dict(texts), only
        if self._rows is not None:
            self._replace(self._rows)

    def set_exact(self, exact: bool) -> None:
        """Show sizes as exact bytes, or in KiB and so on."""
        self._exact = exact
        if len(self._order):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._order) - 1, len(COLUMNS) - 1))

    def rows_of(self, resources: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return the shown rows of resources, ascending; hidden ones are left out."""
        if not len(self._order) or not len(resources):
            return np.zeros(0, np.int64)
        place = np.full(int(self._order.max()) + 1, -1, np.int64)
        place[self._order] = np.arange(len(self._order))
        wanted = np.asarray(resources, np.int64)
        found = place[wanted[wanted < len(place)]]
        return np.sort(found[found >= 0])

    def _replace(self, rows: ResourceRows) -> bool:
        order = rows.filter(self._filters, self._only)
        column, descending = self._sort
        if column:
            order = rows.order(order, column, descending=descending)
        if len(order) == len(self._order) and np.array_equal(order, self._order):
            self._rows = rows
            if len(order):
                self.dataChanged.emit(self.index(0, 0), self.index(len(order) - 1, len(COLUMNS) - 1))
            return False
        self.beginResetModel()
        self._rows, self._order = rows, order
        self.endResetModel()
        return True

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """Return the shown rows."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """Return the columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says and how."""
        rows = self._rows
        if rows is None or not index.isValid():
            return None
        column, row = COLUMNS[index.column()].id, int(self._order[index.row()])
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return rows.text(row, column, exact=self._exact)
            case Qt.ItemDataRole.ToolTipRole:
                return rows.text(row, column, exact=True)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if column in _NUMBERS else _LEFT
            case Qt.ItemDataRole.FontRole:
                return self._fixed if column in _FIXED else None
            case Qt.ItemDataRole.ForegroundRole:
                return self._theme.colour("text3") if rows.text(row, column) in _QUIET else None
            case role if role == KIND_ROLE:
                return int(rows.snapshot.resources.kind[row])
            case _:
                return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title; the sorted one has an arrow."""
        if orientation == Qt.Orientation.Vertical or not 0 <= section < len(COLUMNS):
            return None
        column = COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.id in _NUMBERS else _LEFT
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        sorted_by, descending = self._sort
        return column.title + ((" ▾" if descending else " ▴") if column.id == sorted_by else "")

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; −1 goes back to the order of creation."""
        name = COLUMNS[column].id if 0 <= column < len(COLUMNS) else ""
        self._sort = (name, order == Qt.SortOrder.DescendingOrder)
        if self._rows is not None:
            self._replace(self._rows)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)
