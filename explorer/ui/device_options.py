"""Options of the run in the Device view: what can be set while it runs, and what its scenario fixed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QVBoxLayout, QWidget

from explorer.core.units import format_bytes, parse_size
from explorer.errors import InputError
from explorer.ui.controls import label, set_property
from explorer.ui.facts import Fact, FactsGrid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from explorer.sim.snapshot import Snapshot

_NAME_PX = 96
_BUDGET_TIP = "[GROUP=]SIZE, for example 3.5GiB; Return sets it now, and it enters the journal"


@dataclass(frozen=True, slots=True)
class Choice:
    """An option with some values.

    Attributes:
        name: Its name in a scenario and on the command line.
        title: What the form calls it.
        values: Ids of the values with their words.
        default: What holds where nothing was said; empty shows the option only where it was said.
        tip: What it does.
    """

    name: str
    title: str
    values: tuple[tuple[str, str], ...]
    default: str
    tip: str


_D3D12: tuple[Choice, ...] = (
    Choice("app_policy", "App residency",
           (("none", "None"), ("d3dx12", "D3DX12Residency"), ("translation-layer", "D3D12TranslationLayer")), "none",
           "What the application itself does to stay within its budget; changes at once and enters the journal"),
    Choice("residency_mode", "App budgets",
           (("library", "As the library does"), ("simple", "One budget"), ("advanced", "Two budgets")), "library",
           "Which budgets the application's residency looks at; changes at once and enters the journal"),
    Choice("tables", "Tables read", (("execution", "At execution"), ("recording", "When recorded")), "execution",
           "When the contents of descriptor tables are read; changes at once and enters the journal"),
)  # fmt: skip

_D3D9: tuple[Choice, ...] = (
    Choice("focus", "Focus", (("regained", "This program"), ("lost", "Another program")), "regained",
           "A full-screen device is lost while another program has the focus; changes at once and enters the journal"),
)  # fmt: skip

_POWER: tuple[Choice, ...] = (
    Choice("hardware", "Hardware", (("works", "Works"), ("power_event", "Sleeps and wakes")), "works",
           "A machine that slept loses the device, in a window too; changes at once and enters the journal"),
)  # fmt: skip

_HANG: tuple[Choice, ...] = (
    Choice("hardware", "Hardware", (("works", "Works"), ("hung", "Hangs"), ("removed", "Is removed")), "works",
           "Only a hang or a removed adapter loses a 9Ex device; changes at once and enters the journal"),
)  # fmt: skip

_KERNEL_POLICY = "priority-lru"
"""What the kernel memory manager does where a scenario says nothing; D3D9 always says."""

_WINDOWS = {"xp": "XP", "win7": "7 or later"}


def choices(api: str, options: Mapping[str, str]) -> tuple[Choice, ...]:
    """Return what can be chosen for a run, in the order of the form."""
    from explorer.memory.allocators import ALLOCATORS
    from explorer.memory.eviction import EVICTION_POLICIES

    orders = tuple((policy.id, policy.name) for policy in EVICTION_POLICIES if policy.order is not None)
    found = [
        Choice("allocator", "Allocator", tuple((entry.id, entry.title) for entry in ALLOCATORS), "",
               "How places are chosen; restarts the scenario"),
        Choice("policy", "Eviction", orders, _KERNEL_POLICY,
               "Who leaves memory first; changes at once and enters the journal"),
        *(_D3D12 if api == "d3d12" else ()),
        *(_D3D9 if api in ("d3d9", "d3d9ex") else ()),
        *{"d3d9": _POWER, "d3d9ex": _HANG}.get(api, ()),
    ]  # fmt: skip
    return tuple(choice for choice in found if choice.name in options or choice.default)


def fixed_facts(options: Mapping[str, str], settable: Sequence[str]) -> list[Fact]:
    """Return what the scenario fixed, in words, with the option as a tool tip."""
    facts: list[Fact] = []
    for name, value in sorted(options.items()):
        if name in settable:
            continue
        tip = f"{name} = {value}: set by the scenario"
        last = name.rpartition(".")[2]
        if name == "windows":
            facts.append(Fact("Windows", _WINDOWS.get(value, value), tip=tip))
        elif last.isupper() or last.startswith("D3D"):
            facts.append(Fact(last, value.upper(), mono=True, tip=tip))
        elif name == "api":
            facts.append(Fact("API", value.upper(), tip=tip))
        else:
            facts.append(Fact(last.replace("_", " ").capitalize(), value, tip=tip))
    return facts


class RunOptions(QWidget):
    """The form.

    Signals:
        option_wanted: Name and value of an option that changes now.
        allocator_wanted: Allocator id; takes effect with a restart.
    """

    option_wanted = Signal(str, str)
    allocator_wanted = Signal(str)

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnMinimumWidth(0, _NAME_PX)
        grid.setColumnStretch(1, 1)
        column.addLayout(grid)
        options = dict(snapshot.provenance.options)
        offered = choices(snapshot.api, options)
        for row, choice in enumerate(offered):
            grid.addWidget(label(choice.title, "second"), row, 0)
            grid.addWidget(self._combo(choice, options.get(choice.name, choice.default)), row, 1)
        if any(group.budget_bytes is not None for group in snapshot.groups):
            grid.addWidget(label("Budget", "second"), len(offered), 0)
            grid.addWidget(self._budget(options.get("budget", ""), snapshot), len(offered), 1)
        fixed = fixed_facts(options, (*(choice.name for choice in offered), "budget"))
        if fixed:
            column.addWidget(label("Set by the scenario", "caption"))
            facts = FactsGrid(_NAME_PX)
            facts.setObjectName("fixed_options")
            facts.show_facts(fixed)
            column.addWidget(facts)

    def follow(self, snapshot: Snapshot) -> None:
        """Show the budget of now: it changes in the middle of a run."""
        edit = self.findChild(QLineEdit, "option_budget")
        if edit is not None:
            edit.setPlaceholderText(_budget_now(snapshot))

    def _combo(self, choice: Choice, value: str) -> QComboBox:
        combo = QComboBox()
        for key, words in choice.values:
            combo.addItem(words, key)
        combo.setToolTip(choice.tip)
        combo.setObjectName(f"option_{choice.name}")
        combo.setAccessibleName(choice.title)
        combo.setCurrentIndex(max(combo.findData(value), 0))
        combo.activated.connect(self._on_activated)
        return combo

    def _budget(self, value: str, snapshot: Snapshot) -> QLineEdit:
        edit = QLineEdit(value)
        edit.setObjectName("option_budget")
        edit.setAccessibleName("Budget")
        edit.setMaxLength(60)
        edit.setPlaceholderText(_budget_now(snapshot))
        edit.setToolTip(_BUDGET_TIP)
        edit.returnPressed.connect(self._on_budget)
        return edit

    @Slot()
    def _on_activated(self) -> None:
        combo = self.sender()
        if not isinstance(combo, QComboBox):
            return
        name, value = combo.objectName().removeprefix("option_"), str(combo.currentData())
        if name == "allocator":
            self.allocator_wanted.emit(value)
        else:
            self.option_wanted.emit(name, value)

    @Slot()
    def _on_budget(self) -> None:
        edit = self.sender()
        if not isinstance(edit, QLineEdit):
            return
        text = edit.text().strip()
        try:
            parse_size(text.rpartition("=")[2])
        except InputError as error:
            set_property(edit, "state", "refused")
            edit.setToolTip(str(error))
            return
        set_property(edit, "state", "")
        edit.setToolTip(_BUDGET_TIP)
        self.option_wanted.emit("budget", text)


def _budget_now(snapshot: Snapshot) -> str:
    now = next((group.budget_bytes for group in snapshot.groups if group.group == "LOCAL"), None)
    return f"LOCAL={format_bytes(now, 2)}" if now is not None else "[GROUP=]SIZE"
