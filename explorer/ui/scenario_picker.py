"""Choosing a scenario: all of them by API with what each teaches, the tour of the marked one step by step beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QListView, QPushButton, QVBoxLayout, QWidget

from explorer.sim.scenarios import load_scenario, scenario_ids
from explorer.tables.adapters import adapter
from explorer.ui.controls import SidePanel, hairline, label
from explorer.ui.scenario_rows import ScenarioDelegate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.sim.scenario import Scenario
    from explorer.ui.theme import Theme

SCENARIO_ROLE = int(Qt.ItemDataRole.UserRole) + 1
"""The scenario of a row; None for a heading."""

_GROUPS = (("d3d9", "Direct3D 9"), ("d3d9ex", "Direct3D 9Ex"), ("d3d10", "Direct3D 10"), ("d3d10.1", "Direct3D 10.1"),
           ("d3d11", "Direct3D 11"), ("xg", "Xbox XG"), ("d3d12", "Direct3D 12"))  # fmt: skip
_WIDTH_PX, _HEIGHT_PX, _LIST_PX = 960, 620, 400
_ROOT = QModelIndex()


class ScenarioModel(QAbstractListModel):
    """Scenarios that have all words of a filter, under a heading for each API."""

    def __init__(self, scenarios: Sequence[Scenario]) -> None:
        super().__init__()
        self._all = tuple(scenarios)
        self._rows: list[Scenario | str] = []
        self.set_filter("")

    def set_filter(self, text: str) -> None:
        """Pass the scenarios whose id, title, lesson, adapter and tour have all words of a text."""
        words = text.lower().split()
        self.beginResetModel()
        self._rows = []
        for api, title in _GROUPS:
            passed = [one for one in self._all if one.api == api and all(word in _words_of(one) for word in words)]
            if passed:
                self._rows += [title, *passed]
        self.endResetModel()

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """What is shown, in order."""
        return tuple(row for row in self._rows if not isinstance(row, str))

    def row_of(self, name: str) -> int:
        """Return the row of a scenario's id; of the first scenario where it is not shown, −1 where none is."""
        first = next((i for i, row in enumerate(self._rows) if not isinstance(row, str)), -1)
        return next((i for i, row in enumerate(self._rows) if not isinstance(row, str) and row.id == name), first)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """Return headings and scenarios."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the title, what is read aloud, or the scenario."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row if isinstance(row, str) else row.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return row if isinstance(row, str) else f"{row.title}. {row.teaches}"
            case int(value) if value == SCENARIO_ROLE:
                return None if isinstance(row, str) else row
            case _:
                return None

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        """Headings cannot be chosen."""
        flags = super().flags(index)
        if index.isValid() and isinstance(self._rows[index.row()], str):
            return flags & ~Qt.ItemFlag.ItemIsSelectable & ~Qt.ItemFlag.ItemIsEnabled
        return flags


def _words_of(scenario: Scenario) -> str:
    steps = " ".join(step.text for step in scenario.tour)
    return f"{scenario.id} {scenario.title} {scenario.teaches} {scenario.adapter} {scenario.text} {steps}".lower()


class ScenarioPicker(QDialog):
    """The dialog.

    Signals:
        scenario_chosen: Id of the scenario.
    """

    scenario_chosen = Signal(str)

    def __init__(self, theme: Theme, current: str, parent: QWidget) -> None:
        """Read every preset.

        Args:
            theme: The theme.
            current: Id of the open scenario, or empty.
            parent: The window.

        Raises:
            PresetError: A preset is broken.
        """
        super().__init__(parent)
        self._window = parent
        self.setObjectName("scenario_picker")
        self.setWindowTitle("Open a scenario")
        self.model = ScenarioModel([load_scenario(name) for name in scenario_ids()])
        self.search = QLineEdit()
        self.search.setObjectName("scenario_search")
        self.search.setPlaceholderText("Words of a title, a lesson, an adapter or a tour")
        self.search.setClearButtonEnabled(False)
        self.list = QListView()
        self.list.setObjectName("scenario_list")
        self.list.setAccessibleName("Scenarios")
        self.list.setModel(self.model)
        self.list.setItemDelegate(ScenarioDelegate(theme, SCENARIO_ROLE, current, self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.none = label("No scenario has these words.", "second", name="scenario_none")
        self.none.hide()
        self._about = QWidget()
        self._column = QVBoxLayout(self._about)
        self._column.setContentsMargins(16, 0, 12, 12)
        self._column.setSpacing(6)
        self._column.addStretch(1)
        self.open_button = QPushButton("Open")
        self.open_button.setObjectName("scenario_open")
        self.open_button.setProperty("primary", True)
        self._cancel = QPushButton("Cancel")
        self._cancel.setObjectName("scenario_cancel")
        self._lay_out(theme)
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.list.selectionModel().currentChanged.connect(self._show_marked)
        self.list.doubleClicked.connect(self._choose)
        self.open_button.clicked.connect(self._choose)
        self._cancel.clicked.connect(self.reject)
        self._mark(current)
        self.search.setFocus()

    def marked(self) -> Scenario | None:
        """Return the scenario whose tour is shown."""
        found: Scenario | None = self.list.currentIndex().data(SCENARIO_ROLE)
        return found

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows in the field walk the list; Return opens."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            match Qt.Key(event.key()):
                case Qt.Key.Key_Down:
                    self._step(1)
                    return True
                case Qt.Key.Key_Up:
                    self._step(-1)
                    return True
                case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                    self._choose()
                    return True
                case _:
                    pass
        return super().eventFilter(watched, event)

    def _lay_out(self, theme: Theme) -> None:
        left = QVBoxLayout()
        left.setSpacing(8)
        for part in (self.search, self.list, self.none):
            left.addWidget(part)
        left.setStretch(1, 1)
        middle = QHBoxLayout()
        middle.setSpacing(8)
        middle.addLayout(left, 2)
        middle.addWidget(SidePanel(self._about, 12), 3)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch(1)
        foot.addWidget(self._cancel)
        foot.addWidget(self.open_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(10)
        layout.addLayout(middle, 1)
        layout.addLayout(foot)
        self.list.setMinimumWidth(theme.scaled(_LIST_PX) * 3 // 4)
        room = self._window.size()
        self.resize(min(theme.scaled(_WIDTH_PX), room.width() - 40), min(theme.scaled(_HEIGHT_PX), room.height() - 40))

    def _mark(self, name: str) -> None:
        row = self.model.row_of(name)
        self.list.setCurrentIndex(self.model.index(row) if row >= 0 else QModelIndex())
        self.list.scrollTo(self.list.currentIndex(), QListView.ScrollHint.PositionAtCenter)
        self._show_marked()

    def _step(self, step: int) -> None:
        row = self.list.currentIndex().row() + step
        while 0 <= row < self.model.rowCount():
            index = self.model.index(row)
            if index.data(SCENARIO_ROLE) is not None:
                self.list.setCurrentIndex(index)
                return
            row += step

    @Slot()
    def _filter(self) -> None:
        marked = self.marked()
        self.model.set_filter(self.search.text())
        self.none.setVisible(not self.model.scenarios)
        self._mark(marked.id if marked is not None else "")

    @Slot()
    def _show_marked(self) -> None:
        while self._column.count() > 1:
            item = self._column.takeAt(0)
            old = item.widget() if item is not None else None
            if old is not None:
                old.hide()
                old.deleteLater()
        scenario = self.marked()
        self.open_button.setEnabled(scenario is not None)
        if scenario is None:
            return
        card = adapter(scenario.adapter)
        steps = "no tour" if not scenario.tour else f"{len(scenario.tour)} steps"
        parts: list[QWidget] = [
            label(scenario.title, "title", wrap=True, name="picked_title"),
            label(scenario.teaches, wrap=True, name="picked_teaches"),
            label(f"{card.name} · {scenario.frames:,} frames · {steps}", "small", wrap=True),
        ]
        for number, step in enumerate(scenario.tour, 1):
            parts += [hairline(), label(f"{number}   Frame {step.frame:,}", "strong"),
                      label(" ".join(step.text.split()), wrap=True, name=f"picked_step_{number}")]  # fmt: skip
            if step.question:
                parts.append(label(" ".join(step.question.split()), "second", wrap=True))
        parts += [hairline(), label(" ".join(scenario.text.split()), "small", wrap=True, name="picked_text")]
        for place, part in enumerate(parts):
            self._column.insertWidget(place, part)

    @Slot()
    def _choose(self) -> None:
        scenario = self.marked()
        if scenario is not None:
            self.accept()
            self.scenario_chosen.emit(scenario.id)
