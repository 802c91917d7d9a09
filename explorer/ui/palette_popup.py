"""The command palette: actions, resources, scenarios and adapters by a few letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QHideEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QLineEdit, QListView, QVBoxLayout, QWidget

from explorer.errors import ExplorerError
from explorer.ui.controls import label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.ui.actions import ActionSet
    from explorer.ui.workspace import Workspace

_LIMIT = 60
_EACH = 12
_ROOT = QModelIndex()
_READ_AT_ONCE = 4
_titles: dict[str, str] = {}
"""Titles of scenarios by id, as far as they were read."""

_WIDTH_PX, _HEIGHT_PX = 560, 420


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the palette.

    Attributes:
        kind: ``action``, ``view``, ``resource``, ``scenario`` or ``adapter``.
        key: Id of the action, view, scenario or adapter; index of the resource.
        text: What the line says.
        note: Shortcut, or what it is.
        enabled: Whether it can be done now.
    """

    kind: str
    key: str
    text: str
    note: str = ""
    enabled: bool = True


class _Model(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.entries: Sequence[Entry] = ()

    def show(self, entries: Sequence[Entry]) -> None:
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.entries):
            return None
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{entry.text}   ·   {entry.note}" if entry.note else entry.text
        return None

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        flags = super().flags(index)
        if index.isValid() and not self.entries[index.row()].enabled:
            flags &= ~Qt.ItemFlag.ItemIsEnabled
        return flags


def find_entries(text: str, fixed: Sequence[Entry], names: Sequence[str], *, limit: int = _LIMIT) -> list[Entry]:
    """Return the lines for what was typed: all words must occur; starts of words come first.

    Args:
        text: What was typed.
        fixed: Actions, views, scenarios, adapters.
        names: Names of the resources by index.
        limit: Most lines.
    """
    words = text.lower().split()
    if not words:
        return [entry for entry in fixed if entry.kind in ("action", "view")][:limit]
    found: list[tuple[int, int, Entry]] = []
    for order, entry in enumerate(fixed):
        hay = f"{entry.text} {entry.key}".lower()
        if all(word in hay for word in words):
            found.append((0 if hay.startswith(words[0]) else 1, order, entry))
    found.sort(key=lambda item: item[:2])
    resources: list[Entry] = []
    for index, name in enumerate(names):
        lowered = name.lower()
        if all(word in lowered for word in words):
            resources.append(Entry("resource", str(index), name, "resource"))
            if len(resources) >= _EACH:
                break
    return ([entry for _, _, entry in found] + resources)[:limit]


class PalettePopup(QFrame):
    """Field and list over the window.

    Signals:
        entry_chosen: ``Entry``.
    """

    entry_chosen = Signal(object)

    def __init__(self, workspace: Workspace, actions: ActionSet, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popup")
        self._workspace, self._actions = workspace, actions
        self._model = _Model()
        self._fixed: list[Entry] = []
        # Titles stand in the files of the scenarios: read while the popup is open already, some in a turn.
        self._reading = QTimer(self)
        self._reading.timeout.connect(self._read_titles)
        self._search = QLineEdit()
        self._search.setObjectName("palette_search")
        self._search.setPlaceholderText("Commands, resources, scenarios, adapters")
        self._list = QListView()
        self._list.setObjectName("palette_list")
        self._list.setModel(self._model)
        self._list.setUniformItemSizes(True)
        self._none = label("Nothing has these words.", "second", name="palette_none")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.addWidget(self._search)
        layout.addWidget(self._list, 1)
        layout.addWidget(self._none)
        self._search.textChanged.connect(self._filter)
        self._search.installEventFilter(self)
        self._list.clicked.connect(self._choose)

    def open_over(self, window: QWidget, right_edge: int, text: str) -> None:
        """Open under the window's menu bar, right-aligned to a global x, with a text to begin with."""
        from explorer.ui.views import VIEWS

        self._fixed = [Entry("view", view.id, f"Show {view.title}", view.shortcut) for view in VIEWS]
        for spec, action in self._actions.all():
            if spec.id == "palette":
                continue
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            words = spec.text.replace("&", "").rstrip("…")
            self._fixed.append(Entry("action", spec.id, words, keys, action.isEnabled()))
        self._fixed += _presets()
        self._reading.start(0)
        width = min(_WIDTH_PX, window.width() - 40)
        corner = window.mapToGlobal(window.rect().topLeft())
        self.setGeometry(right_edge - width, corner.y() + 34, width, min(_HEIGHT_PX, window.height() - 60))
        self._search.setText(text)
        self._filter()
        self.show()
        self._search.setFocus(Qt.FocusReason.PopupFocusReason)

    def entries(self) -> Sequence[Entry]:
        """Return the shown lines."""
        return self._model.entries

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows and Return in the field act on the list."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key = Qt.Key(event.key())
            if key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                step = 1 if key == Qt.Key.Key_Down else -1
                row = min(max(self._list.currentIndex().row() + step, 0), len(self._model.entries) - 1)
                self._list.setCurrentIndex(self._model.index(row))
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self._list.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Leave no timer behind."""
        self._reading.stop()

    @Slot()
    def _read_titles(self) -> None:
        from explorer.sim.scenarios import load_scenario, scenario_ids

        unread = [name for name in scenario_ids() if name not in _titles]
        for name in unread[:_READ_AT_ONCE]:
            try:
                _titles[name] = load_scenario(name).title
            except ExplorerError:
                # Opening it says what is wrong with the file.
                _titles[name] = name
        if len(unread) <= _READ_AT_ONCE:
            self._reading.stop()
            self._fixed = [entry for entry in self._fixed if entry.kind not in ("scenario", "adapter")] + _presets()
            row = self._list.currentIndex().row()
            self._filter()
            self._list.setCurrentIndex(self._model.index(max(row, 0)))

    @Slot()
    def _filter(self) -> None:
        snapshot = self._workspace.snapshot
        names = snapshot.resources.names if snapshot is not None else ()
        self._model.show(find_entries(self._search.text(), self._fixed, names))
        self._list.setCurrentIndex(self._model.index(0))
        self._none.setVisible(not self._model.entries)

    @Slot(QModelIndex)
    def _choose(self, index: QModelIndex) -> None:
        if not 0 <= index.row() < len(self._model.entries):
            return
        entry = self._model.entries[index.row()]
        if entry.enabled:
            self.hide()
            self.entry_chosen.emit(entry)


def _presets() -> list[Entry]:
    from explorer.sim.scenarios import scenario_ids
    from explorer.tables.adapters import adapter_ids

    entries = [Entry("scenario", name, f"Open {_titles.get(name, name)}", name) for name in scenario_ids()]
    return entries + [Entry("adapter", name, f"Run on {name}", "adapter") for name in adapter_ids()]
