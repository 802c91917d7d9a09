"""The dialog that shows the adapters of an opened D3d12info file: run on one, save it, or edit a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from explorer.core.units import format_bytes
from explorer.errors import CommandError
from explorer.ui.controls import label

if TYPE_CHECKING:
    from explorer.interchange.opened import OpenedFile
    from explorer.tables.adapters import Adapter
_HEADS = ("Adapter", "Kind", "Local memory", "Feature level", "Assumed", "Report")
_SIZE = 1020, 380


class AdapterReport(QDialog):
    """Lists the adapters of a file; several reports (retail and preview) stand one after the other.

    Args:
        opened: The file; its kind is ``adapter``.
        can_run: Whether a scenario is there that can run on one of them.
        parent: The window.

    Signals:
        run_wanted: ``Adapter`` to run the scenario on.
        save_wanted: ``Adapter`` to save as the user's preset.
        edit_wanted: ``Adapter`` to edit a copy of.
    """

    run_wanted = Signal(object)
    save_wanted = Signal(object)
    edit_wanted = Signal(object)

    def __init__(self, opened: OpenedFile, can_run: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("adapter_report")
        self.setWindowTitle(f"Adapters in {opened.file}")
        self._adapters = opened.adapters
        self.table = self._make_table()
        self._note = label(_note(opened), "second", name="report_note", wrap=True)
        self._run, self._save = QPushButton("Run the scenario on it"), QPushButton("Save as a preset")
        self._edit, self._close = QPushButton("Edit a copy…"), QPushButton("Close")
        for name, button in (("run", self._run), ("save", self._save), ("edit", self._edit), ("close", self._close)):
            button.setObjectName(f"report_{name}")
        self._run.setProperty("primary", True)
        self._run.setEnabled(can_run)
        self._run.setToolTip("" if can_run else "Open a scenario first: nothing runs")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(8)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._note)
        foot = QHBoxLayout()
        foot.addStretch(1)
        for button in (self._close, self._edit, self._save, self._run):
            foot.addWidget(button)
        layout.addLayout(foot)
        self._run.clicked.connect(self._on_run)
        self._save.clicked.connect(self._on_save)
        self._edit.clicked.connect(self._on_edit)
        self._close.clicked.connect(self.reject)
        self.table.selectRow(0)
        self.resize(*_SIZE)

    def say(self, text: str) -> None:
        """Show a line under the table."""
        self._note.setText(text)

    def chosen(self) -> Adapter:
        """Return the adapter of the selected row."""
        return self._adapters[max(self.table.currentRow(), 0)]

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(len(self._adapters), len(_HEADS))
        table.setObjectName("report_table")
        table.setHorizontalHeaderLabels(list(_HEADS))
        table.verticalHeader().hide()
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        for row, adapter in enumerate(self._adapters):
            for column, text in enumerate(_cells(adapter)):
                item = QTableWidgetItem(text)
                item.setToolTip(f"{adapter.id}\n{text}")
                table.setItem(row, column, item)
        table.resizeColumnsToContents()
        table.horizontalHeader().setSectionResizeMode(len(_HEADS) - 1, QHeaderView.ResizeMode.Stretch)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        return table

    @Slot()
    def _on_run(self) -> None:
        self.accept()
        self.run_wanted.emit(self.chosen())

    @Slot()
    def _on_save(self) -> None:
        self.save_wanted.emit(self.chosen())

    @Slot()
    def _on_edit(self) -> None:
        self.accept()
        self.edit_wanted.emit(self.chosen())


def _cells(adapter: Adapter) -> tuple[str, ...]:
    local = sum(adapter.group_bytes(node, "LOCAL") for node in range(adapter.node_count))
    return (
        adapter.name, adapter.kind, format_bytes(local, 2), adapter.apis.max_feature_level,
        f"{adapter.assumed} values", report_of(adapter),
    )  # fmt: skip


def report_of(adapter: Adapter) -> str:
    """Return which run an imported adapter comes from: version, date, retail or preview."""
    try:
        return adapter.origin("dxgi").source
    except CommandError:
        return adapter.origin("name").source


def _note(opened: OpenedFile) -> str:
    count = len(opened.adapters)
    text = f"{count} {'adapter' if count == 1 else 'adapters'}. What the report does not tell is assumed by a rule; "
    text += "a copy shows every value with its source."
    if opened.warnings:
        first = opened.warnings[0]
        where = f"{first.where}: " if first.where else ""
        more = f" and {len(opened.warnings) - 1} more" if len(opened.warnings) > 1 else ""
        text += f" Left out or doubtful: {where}{first.message}{more}."
    return text
