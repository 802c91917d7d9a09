"""The export dialog: format, what of it, size and theme of pictures, then a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from explorer.interchange.exporters import EXPORTERS, ExportOptions
from explorer.interchange.files import write_atomically
from explorer.ui.controls import label, set_property
from explorer.ui.create_fields import read_number

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from explorer.interchange.exporters import Exporter
    from explorer.sim.snapshot import Snapshot
    from explorer.ui.opening import Opener
    from explorer.ui.workspace import Workspace

_SCALES = ("1", "1.5", "2")
_SIZES = (160, 16_384)


class ExportDialog(QDialog):
    """Asks how a snapshot is written.

    Args:
        workspace: State of the window.
        opener: Writes on a thread of its own.
        snapshot: What is exported: the one that was shown when the dialog opened.
        rows: The rows of Resources as they are shown, resource indices in order; None where there is no such table.
        parent: The window.
    """

    def __init__(
        self,
        workspace: Workspace,
        opener: Opener,
        snapshot: Snapshot,
        rows: npt.NDArray[np.int64] | None,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("export_dialog")
        self.setWindowTitle("Export")
        self._workspace, self._opener, self._snapshot, self._rows = workspace, opener, snapshot, rows
        self._format, self._view, self._scale, self._theme = QComboBox(), QComboBox(), QComboBox(), QComboBox()
        for exporter in EXPORTERS:
            self._format.addItem(f"{exporter.title} ({exporter.ending})", exporter.id)
        self._scale.addItems(list(_SCALES))
        self._theme.addItems(["light", "dark"])
        self._theme.setCurrentText(workspace.theme.name)
        self._width, self._height = QLineEdit("1,920"), QLineEdit("1,080")
        self._shown = QCheckBox("Only the rows that Resources shows, in its order")
        self._shown.setChecked(rows is not None)
        self._save, self._cancel = QPushButton("Export…"), QPushButton("Cancel")
        self._save.setProperty("primary", True)
        self._save.setDefault(True)
        self._note = label("", "small", wrap=True, name="export_note")
        names = ("format", "view", "scale", "theme", "width", "height", "shown", "save", "cancel")
        parts = (
            self._format, self._view, self._scale, self._theme, self._width, self._height, self._shown, self._save,
            self._cancel,
        )  # fmt: skip
        for name, part in zip(names, parts, strict=True):
            part.setObjectName(f"export_{name}")
            part.setAccessibleName(name.capitalize())
        self._lay_out()
        self._format.currentIndexChanged.connect(self._on_format)
        self._view.currentIndexChanged.connect(self._on_view)
        self._save.clicked.connect(self._on_save)
        self._cancel.clicked.connect(self.reject)
        self._on_format()

    def exporter(self) -> Exporter:
        """Return the chosen exporter."""
        return EXPORTERS[self._format.currentIndex()]

    def choose_format(self, format_id: str) -> None:
        """Choose a format by its id."""
        self._format.setCurrentIndex(self._format.findData(format_id))

    def export_to(self, path: str) -> bool:
        """Write the file and close. Return whether the writing was started."""
        size = self._size()
        if size is None:
            return False
        exporter = self.exporter()
        if not Path(path).suffix:
            path += exporter.ending
        view = self._view.currentText() or None
        options = ExportOptions(
            view=view,
            size=size,
            scale=float(self._scale.currentText()),
            theme=self._theme.currentText(),
            rows=self._rows if view == "resources" and self._shown.isChecked() else None,
        )
        snapshot = self._snapshot

        def write(cancelled: Callable[[], bool], _progress: Callable[[float], None]) -> int:
            data = exporter.export(snapshot, options)
            # What was cancelled must not appear on the disk.
            if not cancelled():
                write_atomically(path, data)
            return len(data)

        started = self._opener.export(path, write, exporter.title)
        if started:
            self.accept()
        return started

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(10)
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        self._picture = QWidget()
        line = QHBoxLayout(self._picture)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        for part in (self._width, label("×", "second"), self._height, label("at", "second"), self._scale, self._theme):
            line.addWidget(part)
        self._view_word, self._picture_word = label("What", "second"), label("Picture", "second")
        rows = ((label("Format", "second"), self._format), (self._view_word, self._view),
                (self._picture_word, self._picture))  # fmt: skip
        for row, (word, part) in enumerate(rows):
            grid.addWidget(word, row, 0)
            grid.addWidget(part, row, 1)
        grid.setColumnStretch(1, 1)
        layout.addLayout(grid)
        layout.addWidget(self._shown)
        layout.addWidget(self._note)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._save)
        layout.addLayout(buttons)
        self.setMinimumWidth(440)

    @Slot()
    def _on_format(self) -> None:
        exporter = self.exporter()
        self._view.blockSignals(True)
        self._view.clear()
        self._view.addItems(list(exporter.views))
        self._view.blockSignals(False)
        for part in (self._view, self._view_word):
            part.setVisible(len(exporter.views) > 1)
        for part in (self._picture, self._picture_word):
            part.setVisible(exporter.ending in (".png", ".svg"))
        self._on_view()

    @Slot()
    def _on_view(self) -> None:
        table = self._view.currentText() == "resources" and self._rows is not None
        self._shown.setVisible(table)
        frame = self._snapshot.provenance.frame
        moment = f"frame {frame:,}" if self._snapshot.origin == "simulated" else "the imported layout"
        self._note.setText(f"Writes {moment}, {self._snapshot.totals.resources:,} resources.")

    def _size(self) -> tuple[int, int] | None:
        found: list[int] = []
        for edit in (self._width, self._height):
            value = read_number(edit.text())
            good = isinstance(value, int) and _SIZES[0] <= value <= _SIZES[1]
            set_property(edit, "state", "" if good else "refused")
            edit.setToolTip("" if good else f"A whole number {_SIZES[0]:,} … {_SIZES[1]:,}")
            if good and isinstance(value, int):
                found.append(value)
        return (found[0], found[1]) if len(found) == 2 else None

    @Slot()
    def _on_save(self) -> None:
        if self._size() is None:
            return
        exporter = self.exporter()
        name = self._workspace.document.name.rsplit(".", 1)[0] or "layout"
        folder = self._workspace.settings.last_folder()
        start = str(Path(folder) / f"{name}{exporter.ending}") if folder else f"{name}{exporter.ending}"
        path, _ = QFileDialog.getSaveFileName(self, "Export", start, f"{exporter.title} (*{exporter.ending})")
        if path:
            self.export_to(path)
