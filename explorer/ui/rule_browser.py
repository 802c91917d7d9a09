"""The rule browser: every rule with its sentence, source and the vectors that prove it; a link from any verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QItemSelection, QModelIndex, QPersistentModelIndex, Qt, QTimer, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QListWidget,
    QPushButton,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from explorer.ui.controls import EmptyState, label
from explorer.ui.facts import Fact, FactsGrid
from explorer.ui.rule_browser_rows import API_WORDS, RuleEntry, as_text, every_rule, matching, rules_by_id, topics_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QFont

    from explorer.ui.workspace import Workspace

_TITLES = ("Rule", "Topic", "Vectors", "What it says")
_WIDTHS = (120, 120, 64)
_ROOT = QModelIndex()
_TYPING_MS = 60
_SIZE = (980, 620)


class RuleModel(QAbstractTableModel):
    """The rules that pass the filter."""

    def __init__(self, fixed: QFont) -> None:
        super().__init__()
        self._rows: list[int] = list(range(len(every_rule())))
        self._fixed = fixed

    @property
    def rows(self) -> Sequence[int]:
        """Indices of the shown rules in ``every_rule``."""
        return self._rows

    def set_rows(self, rows: list[int]) -> None:
        """Show these rules."""
        if rows == self._rows:
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def entry(self, row: int) -> RuleEntry:
        """Return the rule of a row."""
        return every_rule()[self._rows[row]]

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """Return the rules that pass."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """Return the columns."""
        return 0 if parent.isValid() else len(_TITLES)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says."""
        if not index.isValid() or not index.row() < len(self._rows):
            return None
        entry, column = self.entry(index.row()), index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                proofs = f"{len(entry.proofs):,}" if entry.proofs else "none"
                return (entry.id, entry.topic, proofs, entry.text)[column]
            case Qt.ItemDataRole.ToolTipRole:
                return f"{entry.id}\n{entry.text}\n{entry.source}"
            case Qt.ItemDataRole.FontRole if column == 0:
                return self._fixed
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if column == 2 else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
            case _:
                return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title."""
        if orientation == Qt.Orientation.Vertical or not 0 <= section < len(_TITLES):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section == 2 else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return _TITLES[section] if role == Qt.ItemDataRole.DisplayRole else None


class RuleBrowser(QDialog):
    """All rules; stays open beside the window.

    Args:
        workspace: State of the window.
        parent: The window.
    """

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rule_browser")
        self.setWindowTitle("Rules")
        self._workspace = workspace
        theme = workspace.theme
        fixed = theme.font(theme.small_px)
        fixed.setFamily(theme.fixed_family)
        self._fixed = fixed
        self.model = RuleModel(fixed)
        self.table = self._make_table()
        self._text = QLineEdit()
        self._text.setObjectName("rule_text")
        self._text.setAccessibleName("Search rules")
        self._text.setPlaceholderText("Words, rule, constant, source or vector")
        self._api, self._topic = QComboBox(), QComboBox()
        self._api.setObjectName("rule_api")
        self._api.setAccessibleName("API")
        self._api.addItem("All APIs", "")
        for group, words in API_WORDS.items():
            self._api.addItem(words, group)
        self._topic.setObjectName("rule_topic")
        self._topic.setAccessibleName("Topic")
        self._count = label("", "small", name="rule_count")
        self._empty = EmptyState(theme, name="rules_empty")
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._make_page()
        self._lay_out()
        self._fill_topics()
        self._typing.timeout.connect(self._filter)
        self._text.textEdited.connect(self._typing.start)
        self._api.currentIndexChanged.connect(self._on_api)
        self._topic.currentIndexChanged.connect(self._filter)
        self._empty.acted.connect(self.clear_filters)
        self._copy.clicked.connect(self._on_copy)
        self.table.selectionModel().selectionChanged.connect(self._on_selected)
        self.resize(*_SIZE)
        self._filter()

    def shown(self) -> RuleEntry | None:
        """Return the rule whose page is shown."""
        rows = self.table.selectionModel().selectedRows()
        return self.model.entry(rows[0].row()) if rows else None

    @Slot(str)
    def show_rule(self, rule: str) -> bool:
        """Show the page of a rule, whatever the filters say. Return whether there is such a rule."""
        index = rules_by_id().get(rule)
        if index is None:
            self.search(rule)
            return False
        if index not in self.model.rows:
            self.clear_filters()
        row = list(self.model.rows).index(index)
        self.table.selectRow(row)
        self.table.scrollTo(self.model.index(row, 0), QAbstractItemView.ScrollHint.PositionAtCenter)
        return True

    def search(self, text: str) -> None:
        """Show the rules that hold a text."""
        self._text.setText(text)
        self._filter()

    @Slot()
    def clear_filters(self) -> None:
        """Show all rules."""
        self._text.clear()
        self._api.setCurrentIndex(0)
        self._topic.setCurrentIndex(0)
        self._filter()

    # -- parts

    def _make_table(self) -> QTableView:
        theme = self._workspace.theme
        table = QTableView()
        table.setObjectName("rules_table")
        table.setAccessibleName("Rules")
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

    def _make_page(self) -> None:
        self._title = label("", "title", name="rule_title")
        self._sentence = label("", wrap=True, name="rule_sentence")
        self._sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._facts = FactsGrid(72)
        self._proofs = QListWidget()
        self._proofs.setObjectName("rule_proofs")
        self._proofs.setAccessibleName("Vectors that prove it")
        self._proofs.setFont(self._fixed)
        self._no_proof = label("", "small", wrap=True, name="rule_no_proof")
        self._copy = QPushButton("Copy")
        self._copy.setObjectName("rule_copy")
        self._copy.setToolTip("Copy the rule, its source and its vectors as text")

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        tools = QHBoxLayout()
        tools.setContentsMargins(10, 8, 10, 8)
        tools.setSpacing(8)
        tools.addWidget(self._text, 1)
        tools.addWidget(self._api)
        tools.addWidget(self._topic)
        tools.addWidget(self._count)
        layout.addLayout(tools)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table)
        column.addWidget(self._empty)
        page = QWidget()
        rows = QVBoxLayout(page)
        rows.setContentsMargins(12, 10, 12, 12)
        rows.setSpacing(8)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._copy)
        rows.addLayout(head)
        for part in (self._sentence, self._facts, self._no_proof):
            rows.addWidget(part)
        rows.addWidget(self._proofs, 1)
        rows.addStretch(0)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.addWidget(left)
        self._splitter.addWidget(page)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 2)
        self._splitter.setSizes([600, 380])
        self._splitter.setChildrenCollapsible(False)
        layout.addWidget(self._splitter, 1)

    def _fill_topics(self) -> None:
        before = str(self._topic.currentData() or "")
        self._topic.blockSignals(True)
        self._topic.clear()
        self._topic.addItem("All topics", "")
        for topic in topics_of(str(self._api.currentData() or "")):
            self._topic.addItem(topic, topic)
        self._topic.setCurrentIndex(max(self._topic.findData(before), 0))
        self._topic.blockSignals(False)

    # -- work

    @Slot()
    def _on_api(self) -> None:
        self._fill_topics()
        self._filter()

    @Slot()
    def _filter(self) -> None:
        kept = self.shown()
        group, topic = str(self._api.currentData() or ""), str(self._topic.currentData() or "")
        self.model.set_rows(matching(self._text.text(), group, topic))
        shown, total = len(self.model.rows), len(every_rule())
        self._count.setText(f"{total:,} rules" if shown == total else f"{shown:,} of {total:,} rules")
        self._empty.setVisible(shown == 0)
        self.table.setVisible(shown > 0)
        if not shown:
            self._empty.say("No rule passes the filters", f"{total:,} rules, none fits.", "Clear filters")
        rows = [every_rule()[index].id for index in self.model.rows]
        if rows and self.shown() is None:
            self.table.selectRow(rows.index(kept.id) if kept is not None and kept.id in rows else 0)
        self._show_page()

    @Slot(QItemSelection, QItemSelection)
    def _on_selected(self, _now: QItemSelection, _before: QItemSelection) -> None:
        self._show_page()

    def _show_page(self) -> None:
        entry = self.shown()
        self._copy.setEnabled(entry is not None)
        self._proofs.clear()
        if entry is None:
            self._title.setText("No rule")
            self._sentence.setText("")
            self._facts.show_facts(())
            self._no_proof.setText("")
            self._proofs.hide()
            return
        self._title.setText(entry.id)
        self._sentence.setText(entry.text)
        self._facts.show_facts(
            [
                Fact("API", API_WORDS.get(entry.group, entry.group)),
                Fact("Topic", entry.topic),
                Fact("Source", entry.source),
                Fact("Checked", entry.checked or "none"),
            ]
        )
        count = len(entry.proofs)
        self._no_proof.setText(
            f"Proved by {count:,} vector{'s' if count != 1 else ''}:" if count
            else "No vector proves it by itself: it rests on its source."
        )  # fmt: skip
        self._proofs.addItems(list(entry.proofs))
        self._proofs.setVisible(bool(entry.proofs))

    @Slot()
    def _on_copy(self) -> None:
        entry = self.shown()
        if entry is not None:
            QApplication.clipboard().setText(as_text(entry))
