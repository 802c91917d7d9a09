"""The Device view: adapter, memory segments, capabilities with their confidence, options of the run."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from explorer.core.units import GIB, format_bytes, format_exact
from explorer.errors import CommandError
from explorer.ui.adapter_picker import AdapterPicker, facts_line
from explorer.ui.controls import ConfidenceMark, ElidedLabel, EmptyState, SidePanel, label
from explorer.ui.device_options import RunOptions
from explorer.ui.facts import Section
from explorer.ui.resource_rows import group_word

if TYPE_CHECKING:
    from explorer.sim.snapshot import GroupPicture, SegmentPicture, Snapshot
    from explorer.tables.adapters import Adapter
    from explorer.ui.workspace import Workspace

_HEADS = ("Segment", "Size", "Budget", "GB/s")
_API_CAPS = {"d3d9": "d3d9", "d3d9ex": "d3d9", "d3d12": "d3d12"}
_CONFIDENCES = ("measured", "published", "typical", "assumed")


class DeviceView(QWidget):
    """What the scenario runs on.

    Signals:
        adapter_chosen: Adapter id to run the scenario on.
        allocator_chosen: Allocator id; takes effect with a restart.
    """

    adapter_chosen = Signal(str)
    allocator_chosen = Signal(str)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("device_view")
        self._workspace = workspace
        theme = workspace.theme
        self._shown: dict[str, tuple[object, ...]] = {}
        self._adapter: Adapter | None = None
        self._is_live = False
        self._picker: AdapterPicker | None = None
        self._empty = EmptyState(theme, name="device_empty")
        body = QWidget()
        self._body = QVBoxLayout(body)
        self._body.setContentsMargins(10, 10, 10, 10)
        self._body.setSpacing(10)
        self._card = self._make_card()
        self._body.addWidget(self._card)
        self._segments, self._caps, self._options = QWidget(), QWidget(), QWidget()
        for part in (self._segments, self._options, self._caps):
            self._body.addWidget(part)
        self._key = self._make_key()
        self._body.addWidget(self._key)
        self._body.addStretch(1)
        self._area = SidePanel(body)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._empty)
        outer.addWidget(self._area)
        self._area.hide()
        self._empty.say("No device", "Open a scenario, or a layout from a file.")

    @Slot(object)
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show what the snapshot runs on; no part is built again while what it says stays the same."""
        self._is_live = self._workspace.document.kind == "scenario"
        what = (self._is_live, snapshot.api, snapshot.adapter_name, snapshot.adapter)
        budgets = tuple(group.budget_bytes for group in snapshot.groups)
        if self._is_new("card", what):
            self._adapter = snapshot.adapter
            self._empty.hide()
            self._area.show()
            self._show_card(snapshot)
            self._key.setVisible(snapshot.adapter is not None)
        if self._is_new("segments", (what, budgets, tuple((s.name, s.size_bytes) for s in snapshot.segments))):
            self._segments = self._replace(self._segments, self._make_segments(snapshot))
        provenance = snapshot.provenance
        if self._is_new("options", (what, provenance.seed, tuple(provenance.options.items()))):
            self._options = self._replace(self._options, self._make_options(snapshot))
        elif (options := self._options.findChild(RunOptions)) is not None:
            options.follow(snapshot)
        # Budgets change in the middle of a run, capabilities never; they are nine tenths of the work.
        if self._is_new("caps", what):
            self._caps = self._replace(self._caps, self._make_caps(snapshot))

    def _is_new(self, part: str, says: tuple[object, ...]) -> bool:
        if self._shown.get(part) == says:
            return False
        self._shown[part] = says
        return True

    def open_picker(self) -> None:
        """Open the adapter picker."""
        if not self._card.isEnabled():
            return
        if self._picker is None:
            self._picker = AdapterPicker(self._workspace.theme, self)
            self._picker.adapter_chosen.connect(self.adapter_chosen)
        self._picker.open_below(self._card, self._adapter.id if self._adapter is not None else "")

    def picker(self) -> AdapterPicker | None:
        """Return the picker; None before it was opened."""
        return self._picker

    def _replace(self, old: QWidget, new: QWidget) -> QWidget:
        self._body.replaceWidget(old, new)
        old.hide()
        old.deleteLater()
        return new

    def _make_card(self) -> QPushButton:
        card = QPushButton()
        card.setObjectName("adapter_card")
        card.setProperty("card", True)
        card.setAccessibleName("Adapter")
        inner = QHBoxLayout(card)
        inner.setContentsMargins(10, 4, 8, 4)
        texts = QVBoxLayout()
        texts.setSpacing(0)
        self._name, self._facts = ElidedLabel("", "strong", name="adapter_name"), ElidedLabel("", "small")
        texts.addWidget(self._name)
        texts.addWidget(self._facts)
        inner.addLayout(texts, 1)
        self._chevron = label("")
        self._chevron.setPixmap(self._workspace.theme.pixmap("chevron_down", "text2"))
        inner.addWidget(self._chevron)
        for part in (self._name, self._facts, self._chevron):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        card.clicked.connect(self.open_picker)
        self._workspace.theme.changed.connect(self._retint)
        return card

    def _retint(self) -> None:
        self._chevron.setPixmap(self._workspace.theme.pixmap("chevron_down", "text2"))

    def _show_card(self, snapshot: Snapshot) -> None:
        adapter = snapshot.adapter
        self._card.setEnabled(self._is_live)
        self._name.setText(snapshot.adapter_name or (adapter.name if adapter is not None else "Adapter unknown"))
        if adapter is not None:
            self._facts.setText(facts_line(adapter))
            self._card.setToolTip("Choose another adapter for the scenario")
        else:
            self._facts.setText("imported layout")
            self._card.setToolTip("A layout from a file keeps its adapter: open a scenario to change it")

    def _make_segments(self, snapshot: Snapshot) -> QWidget:
        box = QWidget()
        grid = QGridLayout(box)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(0, 1)
        for column, head in enumerate(_HEADS):
            text = label(head, "small")
            if column:
                text.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(text, 0, column * 2 - 1 if column else 0, 1, 2 if column > 1 else 1)
        groups = {(group.node, group.group): group for group in snapshot.groups}
        for row, segment in enumerate(snapshot.segments, 1):
            self._add_segment(grid, row, segment, groups.get((segment.node, segment.group)), snapshot.adapter)
        return box

    def _add_segment(
        self, grid: QGridLayout, row: int, segment: SegmentPicture, group: GroupPicture | None, adapter: Adapter | None
    ) -> None:
        name = ElidedLabel(group_word(segment.group) or segment.name)
        name.setToolTip(f"{segment.name}, {segment.placement}")
        size = label(format_bytes(segment.size_bytes, 2 if segment.size_bytes >= GIB else 0))
        size.setToolTip(format_exact(segment.size_bytes))
        budget_bytes = group.budget_bytes if group is not None else None
        if budget_bytes is None:
            budget = label("none", "third")
            budget.setToolTip("No budget: the system grants what fits")
        else:
            budget = label(format_bytes(budget_bytes, 2 if budget_bytes >= GIB else 0))
            budget.setToolTip(format_exact(budget_bytes))
        rate = segment.gpu_bandwidth
        speed = label(f"{rate / 1e9:,.1f}" if rate else "unknown", "" if rate else "third")
        grid.addWidget(name, row, 0)
        for column, text in ((1, size), (3, budget), (5, speed)):
            text.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(text, row, column)
        if adapter is None:
            return
        index = next((i for i, s in enumerate(adapter.segments) if s.name == segment.name), -1)
        if index >= 0:
            self._add_mark(grid, row, 2, adapter, f"segments.{index}.size_bytes")
            self._add_mark(grid, row, 6, adapter, f"segments.{index}.gpu_bandwidth_bytes_per_s")
        at = next((i for i, b in enumerate(adapter.budgets) if (b.node, b.group) == (segment.node, segment.group)), -1)
        if at >= 0 and budget_bytes is not None:
            self._add_mark(grid, row, 4, adapter, f"budgets.{at}.budget_bytes")

    def _add_mark(self, grid: QGridLayout, row: int, column: int, adapter: Adapter, key: str) -> None:
        try:
            origin = adapter.origin(key)
        except CommandError:
            return
        mark = ConfidenceMark(self._workspace.theme, origin.confidence)
        rule = f"\nrule {origin.rule}" if origin.rule else ""
        mark.setToolTip(f"{origin.confidence}: {origin.source}{rule}")
        grid.addWidget(mark, row, column)

    def _make_caps(self, snapshot: Snapshot) -> QWidget:
        adapter = snapshot.adapter
        if adapter is None:
            return label("The file names no capabilities.", "second", wrap=True)
        part = _API_CAPS.get(snapshot.api, "limits")
        caps = getattr(adapter, part)
        title = {"d3d9": "D3D9 capabilities", "d3d12": "D3D12 feature data", "limits": "Limits"}[part]
        section = Section(title)
        if caps is None or not is_dataclass(caps):
            section.body.addWidget(label("unknown for this adapter", "third"))
            return section
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)
        row = 0
        for field in fields(caps):
            value = getattr(caps, field.name)
            if is_dataclass(value):
                for inner in fields(value):
                    self._add_cap(grid, row, adapter, f"{part}.{field.name}.{inner.name}", getattr(value, inner.name))
                    row += 1
                continue
            self._add_cap(grid, row, adapter, f"{part}.{field.name}", value)
            row += 1
        section.body.addLayout(grid)
        for quirk in adapter.quirks:
            section.body.addWidget(label(quirk, "small", wrap=True))
        return section

    def _add_cap(self, grid: QGridLayout, row: int, adapter: Adapter, key: str, value: object) -> None:
        name = ElidedLabel(key.split(".", 1)[1], "second", Qt.TextElideMode.ElideMiddle)
        shown = _cap_text(value)
        text = label(shown, "third" if value is None else "mono")
        grid.addWidget(name, row, 0)
        grid.addWidget(text, row, 1)
        if value is not None:
            self._add_mark(grid, row, 2, adapter, key)
        else:
            text.setToolTip(adapter.unknown.get(key, ""))

    def _make_options(self, snapshot: Snapshot) -> QWidget:
        section = Section("Options of the run")
        section.right.setText(f"seed {snapshot.provenance.seed}" if self._is_live else "")
        if not self._is_live:
            section.body.addWidget(
                label("A layout from a file is one moment: there is nothing to set.", "second", wrap=True)
            )
            return section
        options = RunOptions(snapshot)
        options.option_wanted.connect(self._on_option)
        options.allocator_wanted.connect(self.allocator_chosen)
        section.body.addWidget(options)
        return section

    def _make_key(self) -> QWidget:
        box = QFrame()
        line = QHBoxLayout(box)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(3)
        for word in _CONFIDENCES:
            line.addWidget(ConfidenceMark(self._workspace.theme, word))
            line.addWidget(label(word, "small"))
            line.addSpacing(6)
        line.addStretch(1)
        box.hide()
        return box

    @Slot(str, str)
    def _on_option(self, name: str, value: str) -> None:
        self._workspace.controller.set_option(name, value)


def _cap_text(value: object) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return f"{value:,}" if isinstance(value, int) else str(value)
