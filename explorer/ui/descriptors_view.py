"""The Descriptors view: the heaps, and the slots of one of them by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QSize, QTimer, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from explorer.errors import InputError
from explorer.render.slot_uses import uses_of
from explorer.render.slots import SlotGrid, count_slots, parse_slot
from explorer.ui.controls import ElidedLabel, EmptyState, Segmented, hairline, label, set_property
from explorer.ui.descriptors_grid import SlotGridView
from explorer.ui.descriptors_hazards import HazardSteps
from explorer.ui.descriptors_parts import HeapStrip, SlotLegend, mark_counts
from explorer.ui.descriptors_selection import SelectionSteps, next_place
from explorer.ui.descriptors_side import DescriptorSide
from explorer.ui.descriptors_words import empty_words, heap_figures, heap_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.core.columns import DescriptorHeapPicture
    from explorer.render.slot_texts import UseRow
    from explorer.render.slot_uses import HeapUses
    from explorer.render.slots import SlotCounts
    from explorer.sim.snapshot import Snapshot
    from explorer.ui.workspace import Workspace

_REFRESH_MS = 100
_SIDE_PX, _SIDE_MOST_PX = 330, 860

_ROOMY_PX = 1120
"""From this width on facts stand beside the grid; below it they stand under the grid where it is high enough."""

_TOOLS_PX = 760
"""Below this width there is no room to choose between numbers and handles."""

_HIGH_PX = 460
_UNDER_SHARE = 0.36


class DescriptorsView(QWidget):
    """Draws the descriptor heaps of snapshots; keeps heap, place and filter.

    Signals:
        resources_selected: List of resource indices that the user selected here.
    """

    resources_selected = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("descriptors_view")
        self._workspace, theme = workspace, workspace.theme
        self._waiting: Snapshot | None = None
        self._snapshot: Snapshot | None = None
        self._name, self._is_guess = "", True
        self._known: dict[int, tuple[DescriptorHeapPicture, SlotCounts]] = {}
        self.heap_choice = QComboBox()
        self.heap_choice.setObjectName("descriptor_heap")
        self.heap_choice.setAccessibleName("Descriptor heap")
        self.heap_choice.setMinimumWidth(110)
        self.heap_choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.heap_choice.setMinimumContentsLength(34)
        self.heap_choice.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.slot_field = QLineEdit()
        self.slot_field.setObjectName("slot_field")
        self.slot_field.setAccessibleName("Go to slot or handle")
        self.slot_field.setPlaceholderText("Slot or 0x handle")
        self.slot_field.setMinimumWidth(84)
        self.slot_field.setMaximumWidth(150)
        self.stale_button = QPushButton("Stale only")
        self.stale_button.setObjectName("stale_only")
        self.stale_button.setCheckable(True)
        self.stale_button.setToolTip("Show only rows that hold a descriptor of a released resource")
        self.numbers = Segmented(theme, ("Index", "Handle"), name="slot_numbers")
        self.numbers.setFixedWidth(140)
        self.title = label("", "strong", name="descriptor_title")
        self.line = ElidedLabel("", "small", name="descriptor_line")
        self.figures = ElidedLabel("", "small", name="descriptor_figures")
        self.figures.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.complaint = label("", "error", name="slot_complaint", wrap=True)
        self.complaint.hide()
        self.grid = SlotGridView(theme)
        self.strip = HeapStrip(theme)
        self.legend = SlotLegend(theme)
        self.panel = DescriptorSide(theme)
        self.list, self.facts = self.panel.heaps, self.panel.facts
        self.hazards = HazardSteps()
        self.selection = SelectionSteps()
        self.slot_line = ElidedLabel("", "small", name="slot_line")
        self.empty = EmptyState(theme, name="descriptors_empty")
        self.body = QWidget()
        self.left = QWidget()
        self.side, self.under = QWidget(), QWidget()
        self._uses: HeapUses | None = None
        self._refresh = QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(_REFRESH_MS)
        self._lay_out()
        self.grid.canvas.tip.float_over(self)
        self._connect(workspace)
        self._show()

    # -- what the window calls

    @Slot(object)
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show a snapshot at the place of now, several times a second at most."""
        self._waiting = snapshot
        if self.isVisible() and not self._refresh.isActive():
            self._show_waiting()
            self._refresh.start()

    @Slot(object)
    def select_resources(self, resources: Iterable[int]) -> None:
        """Outline the slots that view resources, without a signal."""
        self.grid.canvas.selected = frozenset(int(index) for index in resources)
        self.grid.canvas.update()
        self.selection.show_selection(self._snapshot, self.grid.canvas.selected)

    def heap(self) -> DescriptorHeapPicture | None:
        """Return the shown heap; None where there is none."""
        return self.grid.heap()

    def choose_heap(self, name: str) -> None:
        """Show the heap of a name."""
        self._name, self._is_guess = name, False
        self.grid.canvas.focus = self.grid.canvas.top = 0
        self._show()

    def showEvent(self, event: object) -> None:
        """Catch up with what came while hidden."""
        self._show_waiting()

    def hideEvent(self, event: object) -> None:
        """Leave no timer behind."""
        self._refresh.stop()

    def minimumSizeHint(self) -> QSize:
        """The side is not counted: it goes where it has no room."""
        return QSize(360, 240)

    def resizeEvent(self, event: object) -> None:
        """Put the list beside the grid where there is room."""
        roomy = self.width() >= _ROOMY_PX
        self.side.setVisible(roomy)
        self.numbers.setVisible(self.width() >= _TOOLS_PX)
        self.under.setVisible(not roomy and self.height() >= _HIGH_PX)
        home = self.side if roomy else self.under
        if self.panel.parentWidget() is not home:
            layout = home.layout()
            assert layout is not None
            layout.addWidget(self.panel)
            # A widget that changes its parent is hidden until somebody shows it.
            self.panel.show()
            self.panel.show_list(is_shown=roomy)
        # What the grid with the names beside it does not need is for the facts.
        wide = self.grid.canvas.roomy_width() + self.grid.bar.sizeHint().width()
        self.side.setFixedWidth(min(max((self.width() - wide) * 2 // 3, _SIDE_PX), _SIDE_MOST_PX))
        self.under.setFixedHeight(int(self.height() * _UNDER_SHARE))

    # -- parts

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        tools.setContentsMargins(10, 6, 10, 6)
        tools.setSpacing(8)
        for part in (self.heap_choice, self.slot_field, self.numbers, self.stale_button, self.hazards):
            tools.addWidget(part)
        tools.addWidget(self.complaint, 1)
        tools.addStretch(0)
        head = QHBoxLayout()
        head.setContentsMargins(12, 4, 12, 4)
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addWidget(self.line, 1)
        head.addWidget(self.figures)
        left = QVBoxLayout(self.left)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(0)
        left.addWidget(self.grid, 1)
        left.addWidget(self.strip)
        left.addWidget(self.legend)
        for holder in (self.side, self.under):
            inner = QVBoxLayout(holder)
            inner.setContentsMargins(0, 0, 0, 0)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.left, 1)
        middle.addWidget(self.side)
        foot = QHBoxLayout()
        foot.setContentsMargins(12, 3, 12, 3)
        foot.addWidget(self.slot_line, 1)
        foot.addWidget(self.selection)
        inside = QVBoxLayout(self.body)
        inside.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        inside.addLayout(tools)
        inside.addWidget(hairline())
        inside.addLayout(head)
        inside.addWidget(hairline())
        inside.addLayout(middle, 1)
        inside.addWidget(self.under)
        inside.addWidget(hairline())
        inside.addLayout(foot)
        outer = QVBoxLayout(self)
        outer.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.body)
        outer.addWidget(self.empty)
        self.setFocusProxy(self.grid)

    def _connect(self, workspace: Workspace) -> None:
        self._refresh.timeout.connect(self._show_waiting)
        self.heap_choice.activated.connect(self._on_choice)
        self.list.heap_chosen.connect(self.choose_heap)
        self.panel.row_chosen.connect(self._on_row)
        self.panel.rule_wanted.connect(workspace.rule_requested)
        self.hazards.wanted.connect(self._on_hazard)
        self.selection.clicked.connect(self._on_selection)
        self.slot_field.returnPressed.connect(self._on_slot)
        self.slot_field.textEdited.connect(self._forget_complaint)
        self.stale_button.toggled.connect(self._show)
        self.numbers.chosen.connect(self._on_numbers)
        self.grid.canvas.slot_picked.connect(self._on_picked)
        self.grid.canvas.slot_moved.connect(self._on_moved)
        self.grid.canvas.scrolled.connect(self._on_scrolled)
        self.strip.slot_picked.connect(self._on_strip)
        self.empty.acted.connect(self._on_empty_action)
        self.resources_selected.connect(workspace.select)
        workspace.selection_changed.connect(self.select_resources)
        workspace.theme.changed.connect(self._show)

    # -- showing

    @Slot()
    def _show_waiting(self) -> None:
        if self._waiting is None:
            return
        self._snapshot, self._waiting = self._waiting, None
        self._show()

    @Slot()
    def _show(self) -> None:
        snapshot = self._snapshot
        heaps = snapshot.descriptor_heaps if snapshot is not None else ()
        self.body.setVisible(bool(heaps))
        self.empty.setVisible(not heaps)
        if snapshot is None or not heaps:
            self.empty.say(*empty_words(snapshot))
            return
        names = [heap.name for heap in heaps]
        read = set(snapshot.descriptor_uses.ranges.heap.tolist())
        if self._name not in names or (self._is_guess and read and names.index(self._name) not in read):
            # Until somebody chooses: what tables read, and the largest of these. Before the first table it is a guess.
            best = max(range(len(heaps)), key=lambda at: (at in read, heaps[at].shader_visible, len(heaps[at].kind)))
            self._name, self._is_guess = names[best], best not in read
        heap = heaps[names.index(self._name)]
        self._known = {id(one): (one, self._count(one)) for one in heaps}
        self._fill_choice(heaps)
        self.list.show_heaps([(one, self._count(one)) for one in heaps], self._name)
        uses = self._uses
        if uses is None or uses.snapshot is not snapshot or uses.heap is not heap:
            uses = uses_of(snapshot, names.index(self._name))
        self._show_heap(uses, self._count(heap))

    def _count(self, heap: DescriptorHeapPicture) -> SlotCounts:
        known = self._known.get(id(heap))
        return known[1] if known is not None and known[0] is heap else count_slots(heap)

    def _show_heap(self, uses: HeapUses, counts: SlotCounts) -> None:
        heap, self._uses = uses.heap, uses
        stale_only = self.stale_button.isChecked()
        before = self.grid.canvas.grid
        grid = before
        if before is None or before.heap is not heap or before.stale_only != stale_only:
            grid = SlotGrid(heap, stale_only=stale_only)
        assert grid is not None
        used = uses.counts()
        self.grid.show_grid(uses.snapshot, grid, uses)
        self.strip.show_heap(heap, uses)
        self.legend.show_counts(counts, heap.heap_type, mark_counts(counts, used, uses))
        self.panel.show_uses(uses)
        self.hazards.show_counts(len(uses.pending), len(uses.hazards) - len(uses.pending))
        self.title.setText(heap.name)
        self.line.setText(heap_line(heap))
        stale = counts.by_look[-1]
        text = heap_figures(uses, counts, used)
        if stale_only:
            text = f"{len(grid):,} rows hold {stale:,} stale slots" if stale else "no slot is stale"
        self.figures.setText(text)
        self.stale_button.setText(f"Stale only  {stale:,}")
        self._on_moved(self.grid.canvas.focus)
        self._on_scrolled()
        self.selection.show_selection(self._snapshot, self.grid.canvas.selected)

    def _fill_choice(self, heaps: tuple[DescriptorHeapPicture, ...]) -> None:
        texts = [
            f"{heap.name}, {heap.heap_type}, {'visible' if heap.shader_visible else 'not visible'}" for heap in heaps
        ]
        names = [heap.name for heap in heaps]
        shown = [self.heap_choice.itemText(index) for index in range(self.heap_choice.count())]
        with QSignalBlocker(self.heap_choice):
            if shown != texts:
                self.heap_choice.clear()
                for text, name in zip(texts, names, strict=True):
                    self.heap_choice.addItem(text, name)
            self.heap_choice.setCurrentIndex(names.index(self._name))

    # -- reactions

    @Slot(int)
    def _on_choice(self, index: int) -> None:
        self.choose_heap(str(self.heap_choice.itemData(index)))

    @Slot()
    def _on_slot(self) -> None:
        heap = self.heap()
        if heap is None or not self.slot_field.text().strip():
            return
        try:
            slot = parse_slot(self.slot_field.text(), heap)
        except InputError as error:
            complaint = error.complaint
            accepted = f"; accepted: {', '.join(complaint.accepted)}" if complaint.accepted else ""
            self.complaint.setText(f"{complaint.message[:1].upper()}{complaint.message[1:]}{accepted}")
            self.complaint.show()
            set_property(self.slot_field, "state", "refused")
            return
        self._forget_complaint()
        if self.stale_button.isChecked() and not heap.stale[slot]:
            self.stale_button.setChecked(False)
        self.grid.canvas.go_to(slot)
        self.grid.canvas.setFocus()

    @Slot()
    def _forget_complaint(self) -> None:
        self.complaint.hide()
        set_property(self.slot_field, "state", "")

    @Slot(int)
    def _on_numbers(self, index: int) -> None:
        self.grid.canvas.by_handle = index == 1
        self.grid.canvas.updateGeometry()
        self.grid.canvas.update()

    @Slot(object)
    def _on_picked(self, slot: int) -> None:
        told = self.grid.canvas.told(slot)
        if told is not None:
            self.resources_selected.emit([told.resource] if told.resource >= 0 else [])

    @Slot(object)
    def _on_moved(self, slot: int) -> None:
        told = self.grid.canvas.told(slot)
        if told is None:
            self.slot_line.setText("")
            self.panel.show_slot(None)
            return
        rows = dict(told.rows)
        first = f" · {told.uses[0][0]}: {told.uses[0][1]}" if told.uses else ""
        self.slot_line.setText(
            f"Slot {told.slot:,} · {told.title}{first} · CPU {rows['CPU handle']} · GPU {rows['GPU handle']}"
        )
        self.panel.show_slot(told)

    @Slot(object)
    def _on_row(self, row: UseRow) -> None:
        """Go to the heap and the slot of a row; a copy's own destination leads back to where it came from."""
        if row.slot < 0:
            return
        if row.heap != self._name:
            self.choose_heap(row.heap)
        self.stale_button.setChecked(False)
        self.grid.canvas.go_to(row.slot)

    @Slot(int)
    def _on_hazard(self, step: int) -> None:
        self.stale_button.setChecked(False)
        self.grid.canvas.next_hazard(step)
        self.grid.canvas.setFocus()

    @Slot()
    def _on_selection(self) -> None:
        """Go to the next slot of the selection, in the next heap where this one has no more."""
        canvas, snapshot = self.grid.canvas, self._snapshot
        if snapshot is None:
            return
        self.stale_button.setChecked(False)
        names = [heap.name for heap in snapshot.descriptor_heaps]
        # The first click may find the slot where the keyboard's place is by accident.
        told = canvas.told(canvas.focus)
        here = canvas.focus if told is not None and told.resource in canvas.selected else canvas.focus - 1
        place = next_place(snapshot, canvas.selected, names.index(self._name), here)
        if place is not None:
            if names[place[0]] != self._name:
                self.choose_heap(names[place[0]])
            canvas.go_to(place[1])
        canvas.setFocus()

    @Slot()
    def _on_scrolled(self) -> None:
        canvas = self.grid.canvas
        if canvas.grid is None or canvas.grid.stale_only:
            self.strip.show_window(None)
        else:
            first = canvas.grid.first_slot(canvas.top)
            self.strip.show_window((first, min(first + 64 * canvas.whole_rows(), canvas.grid.slots)))

    @Slot(object)
    def _on_strip(self, slot: int) -> None:
        canvas = self.grid.canvas
        if canvas.grid is not None:
            canvas.set_top(canvas.grid.row_of(slot) - canvas.whole_rows() // 2)

    @Slot()
    def _on_empty_action(self) -> None:
        self._workspace.goto("create")
