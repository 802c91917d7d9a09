"""The adapter picker: a popup with search, class and machine filter over all presets, and the way to one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLineEdit, QListView, QPushButton, QVBoxLayout, QWidget

from explorer.core.units import format_bytes
from explorer.ui.adapter_desk import desk_of
from explorer.ui.controls import label

if TYPE_CHECKING:
    from explorer.tables.adapters import Adapter, AdapterSystem
    from explorer.ui.adapter_desk import AdapterDesk
    from explorer.ui.theme import Theme

CLASSES = ("All classes", "discrete", "integrated", "tile", "console", "software")
_ROOT = QModelIndex()
_WIDTH_PX, _HEIGHT_PX = 560, 460
ANY_MACHINE = "Any machine"


def facts_line(adapter: Adapter) -> str:
    """Return one line of facts: architecture, year, APIs."""
    names = adapter.apis.names
    span = names[0].upper() if len(names) == 1 else f"{names[0].upper()} – {names[-1].upper()}" if names else "no API"
    return f"{adapter.architecture} · {adapter.year} · {span} · FL {adapter.apis.max_feature_level}"


def shared_line(system: AdapterSystem) -> str:
    """Return what the adapters of a machine share, in a sentence, and what is particular about it."""
    count = len(system.adapters)
    memory = format_bytes(system.system_memory_bytes, 2)
    text = f"One machine: its {count} adapters share {memory} of system memory; each has a budget of its own in it."
    windows = f" Windows {system.windows}." if system.windows else ""
    return f"{text}{windows} {system.notes}".rstrip()


class AdapterModel(QAbstractListModel):
    """The adapters that pass search, class and machine."""

    def __init__(self) -> None:
        super().__init__()
        self._all: tuple[Adapter, ...] = ()
        self._shown: tuple[Adapter, ...] = ()
        self._own: frozenset[str] = frozenset()

    @property
    def shown(self) -> tuple[Adapter, ...]:
        """The adapters that pass."""
        return self._shown

    def set_adapters(self, adapters: tuple[Adapter, ...], own: frozenset[str] = frozenset()) -> None:
        """Offer these; ``own`` are the ids of the user's presets."""
        self.beginResetModel()
        self._all = self._shown = adapters
        self._own = own
        self.endResetModel()

    def set_filter(self, text: str, kind: str, machine: tuple[str, ...] = ()) -> None:
        """Pass only some adapters.

        Args:
            text: Words that all stand in name, id, architecture or year; ``yours`` finds the user's presets.
            kind: Class; empty for all.
            machine: Ids of the adapters of one machine, in its order; empty for all adapters.
        """
        words = text.lower().split()
        self.beginResetModel()
        passed = [a for a in self._all if (not kind or a.kind == kind) and all(w in self._words(a) for w in words)]
        if machine:
            passed = sorted((a for a in passed if a.id in machine), key=lambda a: machine.index(a.id))
        self._shown = tuple(passed)
        self.endResetModel()

    def _words(self, adapter: Adapter) -> str:
        own = " yours" if adapter.id in self._own else ""
        return f"{adapter.name} {adapter.id} {adapter.architecture} {adapter.year}{own}".lower()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """Return the adapters that pass."""
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name and its facts."""
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        adapter = self._shown[index.row()]
        local = sum(adapter.group_bytes(node, "LOCAL") for node in range(adapter.node_count))
        match role:
            case Qt.ItemDataRole.DisplayRole:
                own = f"   ·   yours: {adapter.id}" if adapter.id in self._own else ""
                return f"{adapter.name}   ·   {adapter.year}   ·   {format_bytes(local)} {adapter.kind}{own}"
            case Qt.ItemDataRole.ToolTipRole:
                return f"{facts_line(adapter)}\n{adapter.assumed} values are assumed"
            case _:
                return None


class AdapterPicker(QFrame):
    """The popup.

    Signals:
        adapter_chosen: Adapter id.
    """

    adapter_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popup")
        self._row = theme.row_height
        self.model = AdapterModel()
        self._search = QLineEdit()
        self._search.setObjectName("adapter_search")
        self._search.setPlaceholderText("Name, architecture or year")
        self._kind = QComboBox()
        self._kind.setObjectName("adapter_class")
        self._kind.setAccessibleName("Class of adapter")
        self._kind.addItems(list(CLASSES))
        self._machine = QComboBox()
        self._machine.setObjectName("adapter_machine")
        self._machine.setAccessibleName("Machine with several adapters")
        self._machine.addItem(ANY_MACHINE)
        self._systems: tuple[AdapterSystem, ...] = ()
        self._desk: AdapterDesk | None = None
        self._list = QListView()
        self._list.setObjectName("adapter_list")
        self._list.setModel(self.model)
        self._list.setUniformItemSizes(True)
        self._none = label("", "second", name="adapter_none", wrap=True)
        self._left_out = label("", "small", name="adapter_left_out", wrap=True)
        self._report, self._edit = QPushButton("Open a report…"), QPushButton("Edit a copy…")
        self._report.setObjectName("adapter_report")
        self._report.setToolTip("A D3d12info report of a machine: its adapters can be run on, saved and edited")
        self._edit.setObjectName("adapter_edit")
        self._edit.setToolTip("Duplicate the marked preset and edit the copy; a preset of yours is edited itself")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        line = QHBoxLayout()
        line.addWidget(self._search, 1)
        line.addWidget(self._kind)
        layout.addLayout(line)
        layout.addWidget(self._machine)
        layout.addWidget(self._list, 1)
        layout.addWidget(self._none)
        layout.addWidget(self._left_out)
        foot = QHBoxLayout()
        foot.addWidget(self._report)
        foot.addWidget(self._edit)
        foot.addStretch(1)
        layout.addLayout(foot)
        self._search.textChanged.connect(self._filter)
        self._kind.currentIndexChanged.connect(self._filter)
        self._machine.currentIndexChanged.connect(self._filter)
        self._report.clicked.connect(self._on_report)
        self._edit.clicked.connect(self._on_edit)
        self._search.installEventFilter(self)
        self._list.clicked.connect(self._on_clicked)
        self._list.activated.connect(self._on_clicked)

    def open_below(self, widget: QWidget, current: str) -> None:
        """Open under a widget with the current adapter marked.

        Args:
            widget: What the popup belongs to.
            current: Adapter id, or empty.

        Raises:
            PresetError: A shipped preset is broken.
        """
        self._desk = desk_of(self)
        self._read_presets()
        self._search.clear()
        self._filter()
        corner = widget.mapToGlobal(widget.rect().bottomLeft())
        self.setGeometry(corner.x(), corner.y() + 2, max(_WIDTH_PX, widget.width()), _HEIGHT_PX)
        self.show()
        self._search.setFocus(Qt.FocusReason.PopupFocusReason)
        row = next((i for i, a in enumerate(self.model.shown) if a.id == current), 0)
        self._list.setCurrentIndex(self.model.index(row))

    def _read_presets(self) -> None:
        # Reading all presets takes a moment: only now, and again each time, since the user may have saved one.
        from explorer.tables.adapters import adapters, systems, user_preset_complaints
        from explorer.ui.adapter_values import is_own

        found = adapters()
        self.model.set_adapters(found, frozenset(a.id for a in found if is_own(a.id)))
        if not self._systems:
            self._systems = systems()
            for system in self._systems:
                self._machine.addItem(system.name, system.id)
        complaints = user_preset_complaints()
        self._left_out.setText("\n".join(f"Left out: {complaint}" for complaint in complaints))
        self._left_out.setVisible(bool(complaints))
        for button in (self._report, self._edit):
            button.setVisible(self._desk is not None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows and Return in the search field act on the list."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key = Qt.Key(event.key())
            if key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                step = 1 if key == Qt.Key.Key_Down else -1
                row = min(max(self._list.currentIndex().row() + step, 0), self.model.rowCount() - 1)
                self._list.setCurrentIndex(self.model.index(row))
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._on_clicked(self._list.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def machine(self) -> AdapterSystem | None:
        """Return the chosen machine; None for any."""
        return self._systems[self._machine.currentIndex() - 1] if self._machine.currentIndex() > 0 else None

    @Slot()
    def _filter(self) -> None:
        kind = self._kind.currentText() if self._kind.currentIndex() > 0 else ""
        machine = self.machine()
        self.model.set_filter(self._search.text(), kind, machine.adapters if machine is not None else ())
        self._list.setCurrentIndex(self.model.index(0))
        shown = self.model.rowCount()
        none = "" if shown else "No adapter has these words in its name, architecture or year."
        if shown and machine is not None:
            none = shared_line(machine)
        self._none.setText(none)
        self._none.setVisible(bool(none))
        self._edit.setEnabled(shown > 0)

    @Slot()
    def _on_report(self) -> None:
        self.hide()
        if self._desk is not None:
            self._desk.ask_for_report()

    @Slot()
    def _on_edit(self) -> None:
        row = self._list.currentIndex().row()
        if self._desk is not None and 0 <= row < self.model.rowCount():
            self.hide()
            self._desk.edit(self.model.shown[row])

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if 0 <= index.row() < self.model.rowCount():
            chosen = self.model.shown[index.row()].id
            self.hide()
            self.adapter_chosen.emit(chosen)
