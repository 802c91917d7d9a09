"""The Resources view: histogram of sizes over a table that sorts, filters and selects with the map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QObject,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from explorer.core.units import format_bytes
from explorer.errors import InputError
from explorer.ui.controls import ElidedLabel, EmptyState, Segmented
from explorer.ui.filter_header import FilterHeader
from explorer.ui.resource_delegate import ResourceDelegate
from explorer.ui.resource_model import ResourceModel
from explorer.ui.resource_rows import COLUMNS, histogram, parse_range
from explorer.ui.size_histogram import SizeHistogram

if TYPE_CHECKING:
    import numpy.typing as npt

    from explorer.sim.snapshot import Snapshot
    from explorer.ui.theme import Theme
    from explorer.ui.workspace import Workspace

_ROOMY_PX = 280
"""From this height on the histogram stands over the rows."""

_COPY_LIMIT = 100_000


class ResourcesView(QWidget):
    """Table of the resources.

    Signals:
        resources_selected: list of resource indices that the user selected here.
        visible_only_wanted: True when only what the map shows should be listed.
        count_changed: ``(shown, total)``.
    """

    resources_selected = Signal(object)
    visible_only_wanted = Signal(bool)
    count_changed = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("resources_view")
        self._workspace = workspace
        theme = workspace.theme
        self._visible: npt.NDArray[np.bool_] | None = None
        self._waiting: Snapshot | None = None
        self._applying = False
        self.model = ResourceModel(theme)
        self.table = self._make_table(theme)
        self.header = FilterHeader(theme, COLUMNS, self.table)
        self.table.setHorizontalHeader(self.header)
        # A selection of its own, always empty: a header asks for every row whether it is selected, at every paint
        # (a million selected rows: 10 s).
        self.header.setSelectionModel(QItemSelectionModel(self.model, self.header))
        self._size_columns()
        self._map_only, self._resident_only, self._this_frame = self._make_toggles()
        self._clear = QPushButton("Clear filters")
        self._clear.setObjectName("clear_filters")
        self._clear.setProperty("flat_link", True)
        self._clear.hide()
        self._hidden = ElidedLabel("", "small", name="rows_hidden")
        self._hidden.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._measure = Segmented(theme, ("Count", "Bytes"), name="histogram_measure")
        self._measure.setFixedWidth(130)
        self.histogram = SizeHistogram(theme)
        self._empty = EmptyState(theme, name="resources_empty")
        # Over the rows only: the filter fields above them stay in reach.
        self._empty.setParent(self.table.viewport())
        self._empty.say("Nothing is open", "Open a scenario, or a layout from a file.")
        self.table.viewport().installEventFilter(self)
        self._lay_out()
        self._connect(theme)

    # -- what the window calls

    @Slot(object)
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show a snapshot; a hidden view keeps it until it is shown."""
        self._waiting = snapshot
        if self._applying:
            # Rows must not change in the middle of the click that selects one.
            QTimer.singleShot(0, self, self._show_waiting)
        else:
            self._show_waiting()

    @Slot(object)
    def select_resources(self, resources: tuple[int, ...]) -> None:
        """Select rows without a signal and scroll to the first."""
        if self._applying:
            return
        self._apply_selection(resources, scroll=True)

    def set_visible_on_map(self, mask: npt.NDArray[np.bool_] | None) -> None:
        """Say which resources the map shows, shape (n,); used while "Visible on the map" is on."""
        self._visible = mask
        if self._map_only.isChecked():
            self._filter()

    def is_map_only(self) -> bool:
        """Return whether only what the map shows is listed."""
        return self._map_only.isChecked()

    def is_current(self) -> bool:
        """Return whether the rows are those of the shown snapshot."""
        rows, shown = self.model.rows, self._workspace.snapshot
        if rows is None or shown is None:
            return False
        return rows.snapshot.generation == shown.generation and rows.snapshot.resources.names == shown.resources.names

    def copy_rows(self) -> str:
        """Put the selected rows, in their order, as tab-separated text on the clipboard, and return it."""
        rows = self.model.rows
        if rows is None:
            return ""
        exact = self._workspace.units == "bytes"
        lines = ["\t".join(column.title for column in COLUMNS)]
        for row in self.model.rows_of(self._workspace.selection)[:_COPY_LIMIT]:
            resource = int(self.model.order[row])
            lines.append("\t".join(rows.text(resource, column.id, exact=exact) for column in COLUMNS))
        text = "\n".join(lines)
        QGuiApplication.clipboard().setText(text)
        return text

    def resizeEvent(self, event: object) -> None:
        """In a low dock the rows come first."""
        roomy = self.height() >= _ROOMY_PX
        self.histogram.setVisible(roomy)
        self._measure.setVisible(roomy)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the empty state as large as the rows."""
        if event.type() == QEvent.Type.Resize:
            self._empty.setGeometry(self.table.viewport().rect())
        return super().eventFilter(watched, event)

    def showEvent(self, event: object) -> None:
        """Catch up with what came while hidden."""
        if self._waiting is not None:
            self._show_waiting()

    # -- parts

    def _make_table(self, theme: Theme) -> QTableView:
        table = QTableView()
        table.setObjectName("resources_table")
        table.setModel(self.model)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(theme.row_height)
        table.setItemDelegate(ResourceDelegate(theme, table))
        return table

    def _size_columns(self) -> None:
        widths = self._workspace.settings.column_widths("resources")
        for index, column in enumerate(COLUMNS):
            width = widths[index] if len(widths) == len(COLUMNS) else self._workspace.theme.scaled(column.width)
            self.table.setColumnWidth(index, width)

    def _make_toggles(self) -> tuple[QPushButton, QPushButton, QPushButton]:
        made: list[QPushButton] = []
        for text, name in (
            ("Visible on the map", "visible_on_map"), ("Resident", "resident_only"), ("Used in this frame", "used_now"),
        ):  # fmt: skip
            button = QPushButton(text)
            button.setObjectName(name)
            button.setCheckable(True)
            made.append(button)
        return made[0], made[1], made[2]

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        tools = QHBoxLayout()
        tools.setContentsMargins(8, 6, 8, 4)
        tools.setSpacing(8)
        for part in (self._map_only, self._resident_only, self._this_frame, self._clear):
            tools.addWidget(part)
        tools.addWidget(self._hidden, 1)
        tools.addWidget(self._measure)
        layout.addLayout(tools)
        bars = QHBoxLayout()
        bars.setContentsMargins(8, 0, 8, 2)
        bars.addWidget(self.histogram)
        layout.addLayout(bars)
        layout.addWidget(self.table, 1)

    def _connect(self, theme: Theme) -> None:
        self.header.filters_changed.connect(self._filter)
        self.header.sectionClicked.connect(self._on_header)
        self.header.sectionResized.connect(self._remember_widths)
        self.histogram.chosen.connect(self._on_bins)
        self._measure.chosen.connect(self._on_measure)
        self._map_only.toggled.connect(self._on_map_only)
        self._resident_only.toggled.connect(self._filter)
        self._this_frame.toggled.connect(self._filter)
        self._clear.clicked.connect(self.clear_filters)
        self._empty.acted.connect(self.clear_filters)
        self.table.selectionModel().selectionChanged.connect(self._on_selected)
        self._workspace.units_changed.connect(self._on_units)
        theme.changed.connect(self.table.viewport().update)
        self._on_units(self._workspace.units)

    # -- work

    def _show_waiting(self) -> None:
        snapshot, self._waiting = self._waiting, None
        if snapshot is None or not self.isVisible():
            self._waiting = snapshot
            return
        if self._visible is not None and len(self._visible) != len(snapshot.resources.names):
            self._visible = None
        self._show(snapshot)

    def _show(self, snapshot: Snapshot) -> None:
        bar = self.table.verticalScrollBar()
        place = bar.value()
        self._applying = True
        if self._needs_mask():
            self.model.set_snapshot(snapshot)
            changed = True
            self._filter()
        else:
            changed = self.model.set_snapshot(snapshot)
        self._applying = False
        if changed:
            bar.setValue(place)
            self._apply_selection(self._workspace.selection, scroll=False)
        self.histogram.show_histogram(histogram(snapshot.resources.size))
        self._show_counts()

    def _needs_mask(self) -> bool:
        return self._map_only.isChecked() or self._resident_only.isChecked() or self._this_frame.isChecked()

    def _mask(self) -> npt.NDArray[np.bool_] | None:
        rows = self.model.rows
        if rows is None or not self._needs_mask():
            return None
        table = rows.snapshot.resources
        mask = np.ones(len(rows), np.bool_)
        if self._map_only.isChecked() and self._visible is not None and len(self._visible) == len(mask):
            mask &= self._visible
        if self._resident_only.isChecked():
            mask &= table.resident
        if self._this_frame.isChecked():
            mask &= table.used_frame >= max(rows.snapshot.provenance.frame - 1, 0)
        return mask

    @Slot()
    def _filter(self) -> None:
        texts = self.header.texts()
        readable = dict(texts)
        problem, bad = "", ""
        for column, text in texts.items():
            kind = next(c.kind for c in COLUMNS if c.id == column)
            if kind in ("text", "word"):
                continue
            try:
                parse_range(text)
            except InputError as error:
                problem, bad = str(error), column
                del readable[column]
        self.header.show_error(problem, bad)
        applying, self._applying = self._applying, True
        self.model.set_filters(readable, self._mask())
        self._applying = applying
        if not applying:
            self._apply_selection(self._workspace.selection, scroll=False)
        if "size" not in texts:
            self.histogram.set_range(None)
        self._show_counts()

    @Slot()
    def clear_filters(self) -> None:
        """Show every row again."""
        for button in (self._map_only, self._resident_only, self._this_frame):
            button.setChecked(False)
        self.histogram.set_range(None)
        self.header.clear_texts()

    def _show_counts(self) -> None:
        rows = self.model.rows
        if rows is None:
            return
        total, shown = len(rows), len(self.model.order)
        hidden = total - shown
        if hidden:
            sizes = rows.snapshot.resources.size
            lost = int(sizes.sum()) - int(sizes[self.model.order].sum())
            self._hidden.setText(f"{hidden:,} rows hidden, {format_bytes(lost)}")
        else:
            self._hidden.setText("")
        self._clear.setVisible(bool(hidden) or bool(self.header.texts()))
        if total == 0:
            imported = rows.snapshot.origin == "imported"
            why = "The file holds no allocations." if imported else "Nothing was created yet in this run."
            self._empty.say("No resources", why)
        elif shown == 0:
            said = [f"{column.title} “{text}”" for column in COLUMNS if (text := self.header.texts().get(column.id))]
            said += [b.text() for b in (self._map_only, self._resident_only, self._this_frame) if b.isChecked()]
            why = f"{total:,} resources are loaded. {' and '.join(said)} exclude all of them."
            self._empty.say("No resource passes the filters", why, "Clear filters")
        self._empty.setVisible(shown == 0)
        self.count_changed.emit((shown, total))

    def _apply_selection(self, resources: tuple[int, ...], *, scroll: bool) -> None:
        rows = self.model.rows_of(resources)
        selection = QItemSelection()
        for first, last in _runs(rows):
            selection.select(self.model.index(first, 0), self.model.index(last, len(COLUMNS) - 1))
        self._applying = True
        self.table.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self._applying = False
        if scroll and len(rows):
            self.table.scrollTo(self.model.index(int(rows[0]), 0))

    @Slot()
    def _on_selected(self) -> None:
        if self._applying:
            return
        selection = self.table.selectionModel().selection()
        ranges = [selection.at(index) for index in range(selection.count())]
        parts = [self.model.order[part.top() : part.bottom() + 1] for part in ranges]
        chosen = np.unique(np.concatenate(parts)).tolist() if parts else []
        self._applying = True
        self.resources_selected.emit(chosen)
        self._applying = False

    @Slot(int)
    def _on_header(self, section: int) -> None:
        column, descending = self.model.sorted_by
        name = COLUMNS[section].id
        numeric = COLUMNS[section].kind in ("bytes", "number")
        # Large first for numbers, then small first, then as created.
        first, second = (True, False) if numeric else (False, True)
        if column != name:
            wanted: bool | None = first
        else:
            wanted = second if descending == first else None
        self._applying = True
        if wanted is None:
            self.model.sort(-1)
        else:
            order = Qt.SortOrder.DescendingOrder if wanted else Qt.SortOrder.AscendingOrder
            self.model.sort(section, order)
        self._applying = False
        self._apply_selection(self._workspace.selection, scroll=False)

    @Slot(object)
    def _on_bins(self, bounds: tuple[int, int] | None) -> None:
        chosen = self.histogram
        text = "" if bounds is None else f"{format_bytes(bounds[0], 0)} – <{format_bytes(bounds[1] + 1, 0)}"
        self.header.set_text("size", text)
        if bounds is not None:
            chosen.set_range((bounds[0].bit_length() - 1, bounds[1].bit_length() - 1))

    @Slot(int)
    def _on_measure(self, index: int) -> None:
        self.histogram.show_bytes(index == 1)

    @Slot(bool)
    def _on_map_only(self, on: bool) -> None:
        self.visible_only_wanted.emit(on)
        self._filter()

    @Slot(str)
    def _on_units(self, units: str) -> None:
        self.model.set_exact(units == "bytes")

    @Slot()
    def _remember_widths(self) -> None:
        if self.isVisible():
            widths = [self.table.columnWidth(index) for index in range(len(COLUMNS))]
            self._workspace.settings.set_column_widths("resources", widths)


def _runs(rows: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the unbroken runs of sorted row numbers as (first, last)."""
    if not len(rows):
        return []
    cuts = np.flatnonzero(np.diff(rows) != 1)
    firsts = rows[np.concatenate(([0], cuts + 1))]
    lasts = rows[np.concatenate((cuts, [len(rows) - 1]))]
    return [(int(first), int(last)) for first, last in zip(firsts, lasts, strict=True)]
