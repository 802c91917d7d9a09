"""The table of Vulkan's terms: what the shown description, or a whole API, is called there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from explorer.tables.vulkan_terms import RELATIONS, VulkanTerm, terms_in, vulkan_terms
from explorer.ui.controls import EmptyState, label
from explorer.ui.rule_browser_rows import API_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QFont

    from explorer.core.calls import CallRecord
    from explorer.ui.workspace import Workspace

_TITLES = ("Here", "In Vulkan", "How near", "What differs")
_WIDTHS = (260, 290, 112)
_ROOT = QModelIndex()
_SIZE = (1100, 560)
_SHOWN = "shown"


class TermModel(QAbstractTableModel):
    """Terms and their counterparts."""

    def __init__(self, fixed: QFont) -> None:
        super().__init__()
        self._rows: Sequence[VulkanTerm] = ()
        self._fixed = fixed

    @property
    def rows(self) -> Sequence[VulkanTerm]:
        """The shown terms."""
        return self._rows

    def set_rows(self, rows: Sequence[VulkanTerm]) -> None:
        """Show these terms."""
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """Return the shown terms."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """Return the columns."""
        return 0 if parent.isValid() else len(_TITLES)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says."""
        if not index.isValid() or not index.row() < len(self._rows):
            return None
        term, column = self._rows[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return (term.term, term.vulkan, RELATIONS[term.relation], term.note)[column]
            case Qt.ItemDataRole.ToolTipRole:
                return f"{term.term}\n{term.vulkan}\n{term.note}\nSource: {term.source}"
            case Qt.ItemDataRole.FontRole if column < 2:
                return self._fixed
            case _:
                return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title."""
        if orientation == Qt.Orientation.Vertical or not 0 <= section < len(_TITLES):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return _TITLES[section] if role == Qt.ItemDataRole.DisplayRole else None


class VulkanPanel(QDialog):
    """Terms of the description in the Create form, or of an API.

    Args:
        workspace: State of the window.
        parent: The window.
        described: Returns the call that the Create form shows; None where it shows none.
    """

    def __init__(
        self,
        workspace: Workspace,
        parent: QWidget | None = None,
        described: Callable[[], CallRecord | None] | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("vulkan_panel")
        self.setWindowTitle("Terms of Vulkan")
        self._workspace, self._described = workspace, described
        theme = workspace.theme
        fixed = theme.font(theme.small_px)
        fixed.setFamily(theme.fixed_family)
        self.model = TermModel(fixed)
        self._text, self._which = QLineEdit(), QComboBox()
        self._text.setObjectName("term_text")
        self._text.setAccessibleName("Search terms")
        self._text.setPlaceholderText("Term here or in Vulkan")
        self._which.setObjectName("term_api")
        self._which.setAccessibleName("Terms of")
        self._which.addItem("The description in Create", _SHOWN)
        for family in dict.fromkeys(term.family for term in vulkan_terms()):
            self._which.addItem(API_WORDS[family], family)
        self._count = label("", "small", name="term_count")
        self._source = label("", "small", wrap=True, name="term_source")
        self._empty = EmptyState(theme, name="terms_empty")
        self.table = self._make_table()
        self._lay_out()
        self._text.textChanged.connect(self._fill)
        self._which.currentIndexChanged.connect(self._fill)
        self._empty.acted.connect(self._show_all)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.resize(*_SIZE)
        self._fill()

    @Slot()
    def follow(self) -> None:
        """Show what the Create form describes now, or else the API that is open."""
        record = self._record()
        snapshot = self._workspace.snapshot
        if record is None:
            from explorer.tables.vulkan_terms import family_of

            family = family_of(snapshot.api) if snapshot is not None else ""
            index = self._which.findData(family) if family else 1
        else:
            index = 0
        self._which.setCurrentIndex(max(index, 0))
        self._fill()

    def _record(self) -> CallRecord | None:
        return self._described() if self._described is not None else None

    def _make_table(self) -> QTableView:
        theme = self._workspace.theme
        table = QTableView()
        table.setObjectName("terms_table")
        table.setAccessibleName("Terms")
        table.setModel(self.model)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(theme.row_height)
        table.horizontalHeader().setHighlightSections(False)
        table.horizontalHeader().setStretchLastSection(True)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for index, width in enumerate(_WIDTHS):
            table.setColumnWidth(index, theme.scaled(width))
        return table

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        tools = QHBoxLayout()
        tools.setContentsMargins(10, 8, 10, 8)
        tools.setSpacing(8)
        tools.addWidget(self._text, 1)
        tools.addWidget(self._which)
        tools.addWidget(self._count)
        layout.addLayout(tools)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._empty, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(10, 8, 10, 10)
        foot.addWidget(self._source, 1)
        layout.addLayout(foot)

    @Slot()
    def _fill(self) -> None:
        which = str(self._which.currentData())
        record = self._record()
        if which != _SHOWN:
            rows: tuple[VulkanTerm, ...] = tuple(term for term in vulkan_terms() if term.family == which)
        else:
            rows = terms_in(record.api, record.call, record.inputs) if record is not None else ()
        words = self._text.text().lower().split()
        shown = [
            term for term in rows if all(word in f"{term.term}\n{term.vulkan}\n{term.note}".lower() for word in words)
        ]
        self.model.set_rows(shown)
        total = len(rows)
        self._count.setText(f"{total:,} terms" if len(shown) == total else f"{len(shown):,} of {total:,} terms")
        self.table.setVisible(bool(shown))
        self._empty.setVisible(not shown)
        if not rows:
            why = "Open a scenario and fill in the Create form: its terms are listed here."
            self._empty.say("No description", why, "Show all of Direct3D 12")
        elif not shown:
            self._empty.say("No term fits", f"{total:,} terms, none holds these words.", "Clear the search")
        if shown:
            self.table.selectRow(0)
        else:
            self._source.setText("")

    @Slot()
    def _show_all(self) -> None:
        if self._text.text():
            self._text.clear()
        else:
            self._which.setCurrentIndex(self._which.findData("d3d12"))

    @Slot(QModelIndex, QModelIndex)
    def _on_row(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid():
            term = self.model.rows[now.row()]
            self._source.setText(f"{term.note}  Source: {term.source}")
