"""The Descriptors view: the heaps, and the slots of one of them by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QSize, QTimer, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from explorer.core.units import format_address, format_bytes
from explorer.errors import InputError
from explorer.render.slots import SlotGrid, count_slots, parse_slot
from explorer.ui.controls import ElidedLabel, EmptyState, Segmented, hairline, label, set_property
from explorer.ui.descriptors_grid import SlotGridView
from explorer.ui.descriptors_list import HeapList
from explorer.ui.descriptors_parts import HeapStrip, SlotLegend
from explorer.ui.facts import Fact, FactsGrid, Section

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.core.columns import DescriptorHeapPicture
    from explorer.render.slots import SlotCounts
    from explorer.sim.snapshot import Snapshot
    from explorer.ui.workspace import Workspace

_REFRESH_MS = 100
_SIDE_PX, _SIDE_MOST_PX = 320, 480
_NO_LIMIT = (1 << 24) - 1
"""QWIDGETSIZE_MAX."""

_ROOMY_PX = 1120
"""From this width on the list of heaps and the facts of the slot stand beside the grid."""


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
        self._name = ""
        self._known: dict[int, tuple[DescriptorHeapPicture, SlotCounts]] = {}
        self.heap_choice = QComboBox()
        self.heap_choice.setObjectName("descriptor_heap")
        self.heap_choice.setAccessibleName("Descriptor heap")
        self.heap_choice.setMinimumWidth(200)
        self.slot_field = QLineEdit()
        self.slot_field.setObjectName("slot_field")
        self.slot_field.setAccessibleName("Go to slot or handle")
        self.slot_field.setPlaceholderText("Slot or 0x handle")
        self.slot_field.setFixedWidth(150)
        self.stale_button = QPushButton("Stale only")
        self.stale_button.setObjectName("stale_only")
        self.stale_button.setCheckable(True)
        self.stale_button.setToolTip("Show only rows that hold a descriptor of a released resource")
        self.numbers = Segmented(theme, ("Index", "Handle"), name="slot_numbers")
        self.numbers.setFixedWidth(140)
        self.title = label("", "strong", name="descriptor_title")
        self.line = ElidedLabel("", "small", name="descriptor_line")
        self.figures = label("", "small", name="descriptor_figures")
        self.complaint = label("", "error", name="slot_complaint", wrap=True)
        self.complaint.hide()
        self.grid = SlotGridView(theme)
        self.strip = HeapStrip(theme)
        self.legend = SlotLegend(theme)
        self.list = HeapList(theme)
        self.facts = FactsGrid(96)
        self.slot_line = ElidedLabel("", "small", name="slot_line")
        self.empty = EmptyState(theme, name="descriptors_empty")
        self.body = QWidget()
        self.left = QWidget()
        self.side = QWidget()
        self._refresh = QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(_REFRESH_MS)
        self._lay_out()
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

    def heap(self) -> DescriptorHeapPicture | None:
        """Return the shown heap; None where there is none."""
        return self.grid.heap()

    def choose_heap(self, name: str) -> None:
        """Show the heap of a name."""
        self._name = name
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
        # 64 slots have one width; what is left beside them is for the facts.
        wide = self.grid.canvas.minimumSizeHint().width() + self.grid.bar.sizeHint().width()
        self.left.setMaximumWidth(wide if roomy else _NO_LIMIT)
        self.side.setFixedWidth(min(max(self.width() - wide, _SIDE_PX), _SIDE_MOST_PX))

    # -- parts

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        tools.setContentsMargins(10, 6, 10, 6)
        tools.setSpacing(8)
        for part in (self.heap_choice, self.slot_field, self.numbers, self.stale_button):
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
        self._lay_out_side()
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.left, 100)
        middle.addWidget(self.side)
        middle.addStretch(1)
        foot = QHBoxLayout()
        foot.setContentsMargins(12, 3, 12, 3)
        foot.addWidget(self.slot_line, 1)
        inside = QVBoxLayout(self.body)
        inside.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        inside.addLayout(tools)
        inside.addWidget(hairline())
        inside.addLayout(head)
        inside.addWidget(hairline())
        inside.addLayout(middle, 1)
        inside.addWidget(hairline())
        inside.addLayout(foot)
        outer = QVBoxLayout(self)
        outer.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.body)
        outer.addWidget(self.empty)
        self.setFocusProxy(self.grid)

    def _lay_out_side(self) -> None:
        column = QVBoxLayout(self.side)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(8)
        heaps = Section("Descriptor heaps", first=True)
        heaps.body.addWidget(self.list)
        self._slot_section = Section("Slot")
        self._slot_section.body.addWidget(self.facts)
        column.addWidget(heaps)
        column.addWidget(self._slot_section)
        column.addStretch(1)

    def _connect(self, workspace: Workspace) -> None:
        self._refresh.timeout.connect(self._show_waiting)
        self.heap_choice.activated.connect(self._on_choice)
        self.list.heap_chosen.connect(self.choose_heap)
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
            self._say_empty(snapshot)
            return
        names = [heap.name for heap in heaps]
        if self._name not in names:
            self._name = max(heaps, key=lambda heap: (heap.shader_visible, len(heap.kind))).name
        heap = heaps[names.index(self._name)]
        self._known = {id(one): (one, self._count(one)) for one in heaps}
        self._fill_choice(heaps)
        self.list.show_heaps([(one, self._count(one)) for one in heaps], self._name)
        self._show_heap(snapshot, heap, self._count(heap))

    def _count(self, heap: DescriptorHeapPicture) -> SlotCounts:
        known = self._known.get(id(heap))
        return known[1] if known is not None and known[0] is heap else count_slots(heap)

    def _show_heap(self, snapshot: Snapshot, heap: DescriptorHeapPicture, counts: SlotCounts) -> None:
        stale_only = self.stale_button.isChecked()
        before = self.grid.canvas.grid
        grid = before
        if before is None or before.heap is not heap or before.stale_only != stale_only:
            grid = SlotGrid(heap, stale_only=stale_only)
        assert grid is not None
        self.grid.show_grid(snapshot, grid)
        self.strip.show_heap(heap)
        self.legend.show_counts(counts, heap.heap_type)
        self.title.setText(heap.name)
        visible = "shader visible" if heap.shader_visible else "not shader visible"
        handles = f"CPU {format_address(heap.cpu_start)}"
        if heap.shader_visible:
            handles += f", GPU {format_address(heap.gpu_start)}"
        size = format_bytes(len(heap.kind) * heap.increment)
        self.line.setText(f"{heap.heap_type} · {visible} · increment {heap.increment} B · {size} · {handles}")
        stale = counts.by_look[-1]
        figures = f"{counts.used:,} of {counts.slots:,} used · longest empty run {counts.longest_empty:,}"
        if stale_only:
            figures = f"{len(grid):,} rows hold {stale:,} stale slots" if stale else "no slot is stale"
        self.figures.setText(figures)
        self.stale_button.setText(f"Stale only  {stale:,}")
        self._on_moved(self.grid.canvas.focus)
        self._on_scrolled()

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

    def _say_empty(self, snapshot: Snapshot | None) -> None:
        if snapshot is None:
            self.empty.say("Nothing is open", "Open a Direct3D 12 scenario to see its descriptor heaps.")
        elif snapshot.origin == "imported":
            self.empty.say(
                "No descriptor heap is known", "The file lists memory, not the descriptors that point to it."
            )
        elif snapshot.api != "d3d12":
            api = snapshot.api.upper().replace("D3D", "Direct3D ")
            self.empty.say(
                "This API has no descriptor heaps",
                f"{api} binds resources and views one by one; descriptor heaps came with Direct3D 12.",
            )
        else:
            self.empty.say(
                "No descriptor heap exists", "Nothing has called CreateDescriptorHeap up to this frame.", "Show Create"
            )

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
            self.facts.show_facts([])
            return
        rows = dict(told.rows)
        self.slot_line.setText(
            f"Slot {told.slot:,} · {told.title} · CPU {rows['CPU handle']} · GPU {rows['GPU handle']}"
        )
        self._slot_section.right.setText(told.state)
        first = Fact("Holds", told.title)
        self.facts.show_facts([first, *(Fact(name, value, mono=value.startswith("0x")) for name, value in told.rows)])

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
