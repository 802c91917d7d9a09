"""The adapter picker: a popup with search and class filter over all presets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLineEdit, QListView, QVBoxLayout, QWidget

from explorer.core.units import format_bytes
from explorer.ui.controls import label

if TYPE_CHECKING:
    from explorer.tables.adapters import Adapter
    from explorer.ui.theme import Theme

CLASSES = ("All classes", "discrete", "integrated", "tile", "console", "software")
_ROOT = QModelIndex()
_WIDTH_PX, _HEIGHT_PX = 520, 420


def facts_line(adapter: Adapter) -> str:
    """Return one line of facts: architecture, year, APIs."""
    names = adapter.apis.names
    span = names[0].upper() if len(names) == 1 else f"{names[0].upper()} – {names[-1].upper()}" if names else "no API"
    return f"{adapter.architecture} · {adapter.year} · {span} · FL {adapter.apis.max_feature_level}"


class AdapterModel(QAbstractListModel):
    """The adapters that pass search and class."""

    def __init__(self) -> None:
        super().__init__()
        self._all: tuple[Adapter, ...] = ()
        self._shown: tuple[Adapter, ...] = ()

    @property
    def shown(self) -> tuple[Adapter, ...]:
        """The adapters that pass."""
        return self._shown

    def set_adapters(self, adapters: tuple[Adapter, ...]) -> None:
        """Offer these."""
        self.beginResetModel()
        self._all = self._shown = adapters
        self.endResetModel()

    def set_filter(self, text: str, kind: str) -> None:
        """Pass only adapters with all the words in name, id, architecture or year, of a class (empty: all)."""
        words = text.lower().split()
        self.beginResetModel()
        self._shown = tuple(
            a
            for a in self._all
            if (not kind or a.kind == kind)
            and all(word in f"{a.name} {a.id} {a.architecture} {a.year}".lower() for word in words)
        )
        self.endResetModel()

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
                return f"{adapter.name}   ·   {adapter.year}   ·   {format_bytes(local)} {adapter.kind}"
            case Qt.ItemDataRole.ToolTipRole:
                return facts_line(adapter)
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
        self._list = QListView()
        self._list.setObjectName("adapter_list")
        self._list.setModel(self.model)
        self._list.setUniformItemSizes(True)
        self._none = label("", "second", name="adapter_none", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        line = QHBoxLayout()
        line.addWidget(self._search, 1)
        line.addWidget(self._kind)
        layout.addLayout(line)
        layout.addWidget(self._list, 1)
        layout.addWidget(self._none)
        self._search.textChanged.connect(self._filter)
        self._kind.currentIndexChanged.connect(self._filter)
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
        # Reading all presets takes a moment: only now.
        from explorer.tables.adapters import adapters

        if not self.model.shown or not self.model.rowCount():
            self.model.set_adapters(adapters())
        self._search.clear()
        self._filter()
        corner = widget.mapToGlobal(widget.rect().bottomLeft())
        self.setGeometry(corner.x(), corner.y() + 2, max(_WIDTH_PX, widget.width()), _HEIGHT_PX)
        self.show()
        self._search.setFocus(Qt.FocusReason.PopupFocusReason)
        row = next((i for i, a in enumerate(self.model.shown) if a.id == current), 0)
        self._list.setCurrentIndex(self.model.index(row))

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

    @Slot()
    def _filter(self) -> None:
        kind = self._kind.currentText() if self._kind.currentIndex() > 0 else ""
        self.model.set_filter(self._search.text(), kind)
        self._list.setCurrentIndex(self.model.index(0))
        shown = self.model.rowCount()
        self._none.setText("" if shown else "No adapter has these words in its name, architecture or year.")
        self._none.setVisible(not shown)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if 0 <= index.row() < self.model.rowCount():
            chosen = self.model.shown[index.row()].id
            self.hide()
            self.adapter_chosen.emit(chosen)
