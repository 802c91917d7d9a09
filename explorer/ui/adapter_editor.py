"""The dialog in which a preset is duplicated and edited: key, value, confidence and source of everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSortFilterProxyModel, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from explorer.errors import ExplorerError
from explorer.ui.adapter_model import CONFIDENCE, KEY, MEANING, SOURCE, TEXT, AdapterValuesModel
from explorer.ui.adapter_values import free_id, is_own, save_own
from explorer.ui.controls import label, set_property

if TYPE_CHECKING:
    from explorer.tables.adapters import Adapter
    from explorer.ui.theme import Theme

_WIDTHS = {KEY: 260, TEXT: 170, MEANING: 90, CONFIDENCE: 110}
_SIZE = 980, 620


class AdapterEditor(QDialog):
    """Edits a copy of a preset, or a preset of the user's own.

    Args:
        original: What is edited.
        theme: The theme.
        parent: The window.

    Signals:
        saved: Id of the preset that was written, and whether the scenario should run on it.
    """

    saved = Signal(str, bool)

    def __init__(self, original: Adapter, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("adapter_editor")
        self._own = original.id if is_own(original.id) else ""
        self.setWindowTitle(f"{'Edit' if self._own else 'Copy of'} {original.name}")
        self._id = QLineEdit(original.id if self._own else free_id(original.id))
        self._id.setObjectName("editor_id")
        self._id.setAccessibleName("Id of the preset")
        self._id.setToolTip("Id of the preset and name of its file; another id makes another preset")
        self.model = AdapterValuesModel(original, self._id.text(), theme)
        self._shown = QSortFilterProxyModel(self)
        self._shown.setSourceModel(self.model)
        self._shown.setFilterKeyColumn(-1)
        self._shown.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._search = QLineEdit()
        self._search.setObjectName("editor_search")
        self._search.setAccessibleName("Search")
        self._search.setPlaceholderText("Key, value, source, or assumed")
        self._table = self._make_table()
        self._note = label("", "second", name="editor_note", wrap=True)
        self._save, self._run, self._cancel = (
            QPushButton("Save"),
            QPushButton("Save and run on it"),
            QPushButton("Cancel"),
        )
        for name, button in (("save", self._save), ("run", self._run), ("cancel", self._cancel)):
            button.setObjectName(f"editor_{name}")
        self._save.setProperty("primary", True)
        # Return in a cell ends the editing and must not save.
        for button in (self._save, self._run, self._cancel):
            button.setAutoDefault(False)
        self._lay_out()
        self._search.textChanged.connect(self._shown.setFilterFixedString)
        self._id.textChanged.connect(self.model.set_id)
        self.model.checked.connect(self._on_checked)
        self._save.clicked.connect(self._on_save)
        self._run.clicked.connect(self._on_run)
        self._cancel.clicked.connect(self.reject)
        self._on_checked(self.model.complaint)
        self.resize(*_SIZE)

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setObjectName("editor_table")
        table.setModel(self._shown)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        table.setEditTriggers(
            QTableView.EditTrigger.DoubleClicked | QTableView.EditTrigger.EditKeyPressed
            | QTableView.EditTrigger.AnyKeyPressed | QTableView.EditTrigger.SelectedClicked
        )  # fmt: skip
        for column, width in _WIDTHS.items():
            table.setColumnWidth(column, width)
        table.horizontalHeader().setSectionResizeMode(SOURCE, QHeaderView.ResizeMode.Stretch)
        return table

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(8)
        head = QHBoxLayout()
        head.addWidget(label("Id", "second"))
        head.addWidget(self._id, 1)
        head.addWidget(self._search, 1)
        layout.addLayout(head)
        layout.addWidget(self._table, 1)
        layout.addWidget(self._note)
        foot = QHBoxLayout()
        foot.addStretch(1)
        for button in (self._cancel, self._run, self._save):
            foot.addWidget(button)
        layout.addLayout(foot)

    @Slot(object)
    def _on_checked(self, _complaint: object) -> None:
        complaint = self.model.complaint
        wrong_id = complaint is not None and complaint.where == "id"
        set_property(self._id, "state", "refused" if wrong_id else "")
        set_property(self._note, "role", "second" if complaint is None else "error")
        for button in (self._save, self._run):
            button.setEnabled(complaint is None)
        if complaint is not None:
            self._note.setText(str(complaint))
            return
        changed = len(self.model.edits)
        result = self.model.result
        assumed = result.assumed if result is not None else 0
        said = (
            f"{changed} {'value is' if changed == 1 else 'values are'} yours" if changed else "Nothing is changed yet"
        )
        self._note.setText(f"{said}. {assumed} values are assumed: nobody measured or published them.")

    def save(self, *, run: bool) -> bool:
        """Write the preset and close. Return whether it was written; the note says why not."""
        result = self.model.result
        if result is None:
            return False
        try:
            save_own(result, replaces=self._own)
        except ExplorerError as error:
            set_property(self._note, "role", "error")
            set_property(self._id, "state", "refused" if error.complaint.where == "id" else "")
            self._note.setText(f"Not saved: {error.complaint}")
            return False
        self.accept()
        self.saved.emit(result.id, run)
        return True

    @Slot()
    def _on_save(self) -> None:
        self.save(run=False)

    @Slot()
    def _on_run(self) -> None:
        self.save(run=True)
