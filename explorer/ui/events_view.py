"""The Events view: the tail of the simulation's events, filtered by kind and text, following the newest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from explorer.core.events import Event, EventKind
from explorer.core.units import format_bytes, format_exact
from explorer.ui.controls import EmptyState, label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.sim.snapshot import Snapshot
    from explorer.ui.theme import Theme
    from explorer.ui.workspace import Workspace

_TITLES = ("Frame", "Event", "Subject", "Size", "What happened")
_WIDTHS = (52, 84, 116, 84, 360)
_ROOT = QModelIndex()
_REFRESH_MS = 100
_SIZE = _TITLES.index("Size")
_SUBJECT = _TITLES.index("Subject")
_TEXT = _TITLES.index("What happened")
_WIDE_PX, _NARROW_PX = 560, 480
BAD = frozenset(
    {EventKind.REFUSED, EventKind.HAZARD, EventKind.DEVICE_LOST, EventKind.DEVICE_REMOVED, EventKind.OVER_BUDGET}
)
COSTLY = frozenset(
    {
        EventKind.EVICTED, EventKind.PAGED_OUT, EventKind.DEMOTED, EventKind.STALLED, EventKind.LRU_TO_MRU,
        EventKind.MISPLACED, EventKind.TRIMMED, EventKind.NOT_SIMULATED,
    }
)  # fmt: skip


class EventModel(QAbstractTableModel):
    """The events of a snapshot that pass the filter, oldest first."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._all: Sequence[Event] = ()
        self._shown: list[Event] = []
        self._kind = ""
        self._text = ""
        self._tells_subject = False

    @property
    def shown(self) -> Sequence[Event]:
        """The events that pass."""
        return self._shown

    def set_events(self, events: Sequence[Event]) -> None:
        """Show another tail."""
        if events is self._all:
            return
        self._all = events
        self._refilter(same_filter=True)

    def set_filter(self, kind: str, text: str) -> None:
        """Pass only a kind (empty: all) and a text in subject, segment, rule or sentence."""
        self._kind, self._text = kind, text.strip().lower()
        self._refilter(same_filter=False)

    def _refilter(self, *, same_filter: bool) -> None:
        shown = [event for event in self._all if self._passes(event)]
        kept = self._shown
        grown = same_filter and bool(kept) and len(shown) >= len(kept)
        if grown and shown[0] == kept[0] and shown[len(kept) - 1] == kept[-1]:
            # The usual case while paused or slow: only new events at the end.
            if len(shown) > len(kept):
                self.beginInsertRows(_ROOT, len(kept), len(shown) - 1)
                self._shown = shown
                self.endInsertRows()
            return
        self.beginResetModel()
        self._shown = shown
        self.endResetModel()

    def _passes(self, event: Event) -> bool:
        if self._kind and event.kind.value != self._kind:
            return False
        if not self._text:
            return True
        return self._text in f"{event.subject}\n{event.segment}\n{event.rule}\n{event.text}".lower()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """Return the events that pass."""
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """Return the columns."""
        return 0 if parent.isValid() else len(_TITLES)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says and how."""
        if not index.isValid() or not index.row() < len(self._shown):
            return None
        event, column = self._shown[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._cell(event, column)
            case Qt.ItemDataRole.ToolTipRole:
                return describe_event(event)
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if column in (0, 3) else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.ForegroundRole if column == 1:
                if event.kind in BAD:
                    return self._theme.colour("error")
                return self._theme.colour("warn") if event.kind in COSTLY else None
            case _:
                return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title."""
        if orientation == Qt.Orientation.Vertical or not 0 <= section < len(_TITLES):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section in (0, 3) else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return _TITLES[section] if role == Qt.ItemDataRole.DisplayRole else None

    def tell_subject(self, on: bool) -> None:
        """Begin every sentence with its subject: the column that names it is hidden."""
        if on != self._tells_subject:
            self._tells_subject = on
            if self._shown:
                self.dataChanged.emit(self.index(0, _TEXT), self.index(len(self._shown) - 1, _TEXT))

    def _cell(self, event: Event, column: int) -> str:
        size = format_bytes(event.size_bytes) if event.size_bytes else "none"
        lead = f"{event.subject}: " if self._tells_subject and event.subject not in event.text else ""
        return (
            f"{event.frame:,}", event_word(event.kind), event.subject or "device", size, f"{lead}{event.text}",
        )[column]  # fmt: skip


def event_word(kind: EventKind) -> str:
    """Return a kind of event in words."""
    return kind.value.replace("_", " ")


def describe_event(event: Event) -> str:
    """Return all that is known about an event."""
    parts = [f"{event.number:,} · frame {event.frame:,} · {event_word(event.kind)}", event.text]
    if event.size_bytes:
        parts.append(format_exact(event.size_bytes))
    if event.rule:
        parts.append(f"rule {event.rule}")
    if event.cause >= 0:
        parts.append(f"caused by event {event.cause:,}")
    return "\n".join(part for part in parts if part)


class EventsView(QWidget):
    """Log with filter.

    Signals:
        subject_picked: Name of the resource or heap of the event that was activated.
        refusal_picked: Name of what found no room, where such an event was activated.
        count_changed: Events since the start.
    """

    subject_picked = Signal(str)
    refusal_picked = Signal(str)
    count_changed = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("events_view")
        theme = workspace.theme
        self._workspace = workspace
        self._waiting: Snapshot | None = None
        self.model = EventModel(theme)
        self.table = self._make_table(theme)
        self._kind = self._make_kinds()
        self._text = QLineEdit()
        self._text.setObjectName("event_text")
        self._text.setPlaceholderText("Name, segment, rule or words")
        self._text.setClearButtonEnabled(False)
        self._follow = QPushButton("Follow")
        self._follow.setObjectName("event_follow")
        self._follow.setCheckable(True)
        self._follow.setChecked(True)
        self._follow.setToolTip("Keep the newest event in view")
        self._count = label("", "small", name="event_count")
        self._empty = EmptyState(theme, name="events_empty")
        self._empty.setParent(self.table.viewport())
        self._empty.say("Nothing is open", "Open a scenario: what happens in it is listed here.")
        self.table.viewport().installEventFilter(self)
        self._refresh = QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(_REFRESH_MS)
        self._lay_out()
        self._refresh.timeout.connect(self._show_waiting)
        self._kind.currentIndexChanged.connect(self._filter)
        self._text.textChanged.connect(self._filter)
        self._follow.toggled.connect(self._on_follow)
        self._empty.acted.connect(self._clear)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._rule = QAction("Show the rule", self)
        self._rule.setObjectName("event_rule")
        self._rule.setEnabled(False)
        self._rule.triggered.connect(self.show_rule)
        self.table.addAction(self._rule)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.table.activated.connect(self._on_activated)
        self.table.clicked.connect(self._on_activated)

    @Slot(object)
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the tail of a snapshot's events, several times a second at most."""
        self._waiting = snapshot
        self.count_changed.emit(sum(snapshot.event_counts.values()))
        if self.isVisible() and not self._refresh.isActive():
            self._show_waiting()
            self._refresh.start()

    def rule_of_selection(self) -> str:
        """Return the rule of the selected event; empty where it names none."""
        row = self.table.currentIndex().row()
        return self.model.shown[row].rule if 0 <= row < len(self.model.shown) else ""

    @Slot()
    def show_rule(self) -> None:
        """Open the page of the selected event's rule."""
        rule = self.rule_of_selection()
        if rule:
            self._workspace.rule_requested.emit(rule)

    @Slot(QModelIndex, QModelIndex)
    def _on_row(self, _now: QModelIndex, _before: QModelIndex) -> None:
        rule = self.rule_of_selection()
        self._rule.setEnabled(bool(rule))
        self._rule.setText(f"Show the rule {rule}" if rule else "Show the rule")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the empty state as large as the rows."""
        if event.type() == QEvent.Type.Resize:
            self._empty.setGeometry(self.table.viewport().rect())
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: object) -> None:
        """In a narrow dock the sentence comes first: it begins with the subject and holds the bytes too."""
        self.table.setColumnHidden(_SIZE, self.width() < self._workspace.theme.scaled(_WIDE_PX))
        self.table.setColumnHidden(_SUBJECT, self.width() < self._workspace.theme.scaled(_NARROW_PX))
        self.model.tell_subject(self.width() < self._workspace.theme.scaled(_NARROW_PX))

    def showEvent(self, event: object) -> None:
        """Catch up with what came while hidden."""
        self._show_waiting()

    def _make_table(self, theme: Theme) -> QTableView:
        table = QTableView()
        table.setObjectName("events_table")
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

    def _make_kinds(self) -> QComboBox:
        kinds = QComboBox()
        kinds.setObjectName("event_kind")
        kinds.setAccessibleName("Kind of event")
        kinds.addItem("All kinds", "")
        for kind in EventKind:
            kinds.addItem(event_word(kind), kind.value)
        return kinds

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        tools = QHBoxLayout()
        tools.setContentsMargins(8, 6, 8, 6)
        tools.setSpacing(8)
        tools.addWidget(self._kind)
        tools.addWidget(self._text, 1)
        tools.addWidget(self._follow)
        tools.addWidget(self._count)
        layout.addLayout(tools)
        layout.addWidget(self.table, 1)

    @Slot()
    def _show_waiting(self) -> None:
        snapshot, self._waiting = self._waiting, None
        if snapshot is None:
            return
        self.model.set_events(snapshot.events)
        self._after_change(snapshot)

    def _after_change(self, snapshot: Snapshot | None) -> None:
        if self._follow.isChecked():
            self.table.scrollToBottom()
        shown = len(self.model.shown)
        self._count.setText(f"{shown:,} shown")
        self._empty.setVisible(shown == 0)
        if shown or snapshot is None:
            return
        total = sum(snapshot.event_counts.values())
        if snapshot.origin == "imported":
            self._empty.say("No events", "A layout from a file is one moment: nothing happened in it.")
        elif total == 0:
            self._empty.say("No events yet", "Press play, or create something.")
        else:
            self._empty.say(
                "No event passes the filter", f"{len(snapshot.events):,} events are kept, none fits.", "Clear filter"
            )

    @Slot()
    def _filter(self) -> None:
        self.model.set_filter(str(self._kind.currentData()), self._text.text())
        self._after_change(self._workspace.snapshot)

    @Slot()
    def _clear(self) -> None:
        self._kind.setCurrentIndex(0)
        self._text.clear()

    @Slot(bool)
    def _on_follow(self, on: bool) -> None:
        if on:
            self.table.scrollToBottom()

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        event = self.model.shown[index.row()]
        if event.kind is EventKind.REFUSED and event.rule.startswith("alloc."):
            self.refusal_picked.emit(event.subject)
        elif event.subject:
            self.subject_picked.emit(event.subject)
