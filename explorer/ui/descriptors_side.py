"""Beside the slot grid: heaps, the slot, hazards, root signature, tables, copies, and what lists hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from explorer.render.slot_texts import capture_rows, copy_rows, hazard_rows, reading_text, table_rows
from explorer.ui.controls import SidePanel, label
from explorer.ui.descriptors_list import HeapList
from explorer.ui.descriptors_root import RootPanel
from explorer.ui.descriptors_rows import UseList
from explorer.ui.facts import Fact, FactsGrid, Section

if TYPE_CHECKING:
    from explorer.render.slot_uses import HeapUses
    from explorer.render.slots import SlotTold
    from explorer.ui.theme import Theme

_TWO_COLUMNS_PX = 660


class DescriptorSide(SidePanel):
    """Sections in one column, or in two where there is room; a section without content says why.

    Signals:
        row_chosen: The ``UseRow`` that was clicked: go to its heap and slot.
        rule_wanted: Id of a rule.
    """

    row_chosen = Signal(object)
    rule_wanted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        body = QWidget()
        across = QHBoxLayout(body)
        across.setContentsMargins(12, 8, 12, 8)
        across.setSpacing(20)
        super().__init__(body, 12)
        self._across = across
        self.setObjectName("descriptors_side")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.heaps = HeapList(theme)
        self.facts = FactsGrid(96)
        self.root = RootPanel(theme)
        self.hazards = UseList(theme, name="hazard_list")
        self.tables = UseList(theme, name="table_list")
        self.copies = UseList(theme, name="copy_list")
        self.captures = UseList(theme, name="capture_list")
        self._columns = (QVBoxLayout(), QVBoxLayout())
        for column in self._columns:
            column.setSpacing(8)
            column.addStretch(1)
            across.addLayout(column, 1)
        self.sections: dict[str, Section] = {}
        self._notes = {name: label("", "small", name=f"{name}_note", wrap=True) for name in _WORDS}
        for name, parts in (
            ("heaps", (self.heaps,)), ("slot", (self.facts,)), ("hazards", (self.hazards,)), ("root", (self.root,)),
            ("tables", (self.tables,)), ("copies", (self.copies,)), ("captures", (self.captures,)),
        ):  # fmt: skip
            section = self.sections[name] = Section(_TITLES[name], first=name == "heaps")
            for part in (*parts, *((self._notes[name],) if name in self._notes else ())):
                section.body.addWidget(part)
        self._is_wide: bool | None = None
        self._arrange(is_wide=False)
        self.facts.link_wanted.connect(self.rule_wanted)
        self.root.rule_wanted.connect(self.rule_wanted)
        for part in (self.root, self.hazards, self.tables, self.copies, self.captures):
            part.row_chosen.connect(self.row_chosen)

    def show_uses(self, uses: HeapUses) -> None:
        """Show what happens in a heap."""
        hazards, copies, captures = hazard_rows(uses), copy_rows(uses.snapshot), capture_rows(uses)
        self.hazards.show_rows(len(hazards), hazards.__getitem__)
        self.tables.show_rows(len(uses.ranges), lambda at: table_rows(uses, at, 1)[0])
        self.copies.show_rows(len(copies), copies.__getitem__)
        self.captures.show_rows(len(captures), captures.__getitem__)
        self.root.show_uses(uses)
        pending = len(uses.pending)
        over = len(hazards) - pending
        self._say("hazards", len(hazards), f"{pending:,} now · {over:,} over" if hazards else "")
        ranges = len(uses.ranges)
        self._say("tables", ranges, f"{ranges:,} range{'s' * (ranges != 1)}", reading_text(uses))
        total = sum(int(count) for count in uses.snapshot.descriptor_uses.copies.count)
        self._say("copies", len(copies), f"{total:,} descriptors in {len(copies):,} copies" if copies else "")
        self._say("captures", len(captures), f"{len(captures):,}")
        # At once: what is clicked next lies where it is seen.
        self._across.activate()

    def show_slot(self, told: SlotTold | None) -> None:
        """Show a slot's facts; a rule is a link."""
        if told is None:
            self.facts.show_facts([])
            return
        self.sections["slot"].right.setText(told.state)
        facts = [Fact("Holds", told.title)]
        for name, value, rule in told.uses:
            facts.append(Fact(name, value))
            if rule and (not facts[-2].link or facts[-2].link != rule):
                facts.append(Fact("Rule", rule, mono=True, link=rule))
        facts += [Fact(name, value, mono=value.startswith("0x")) for name, value in told.rows]
        self.facts.show_facts(facts)

    def show_list(self, *, is_shown: bool) -> None:
        """Show the list of heaps, or leave it to the box above the grid."""
        self.sections["heaps"].setVisible(is_shown)

    def minimumSizeHint(self) -> QSize:
        """It scrolls."""
        return QSize(200, 80)

    def resizeEvent(self, event: object) -> None:
        """Stand in two columns where there is room."""
        super().resizeEvent(event)  # pyright: ignore[reportArgumentType] - Qt passes a resize event
        self._arrange(is_wide=self.width() >= _TWO_COLUMNS_PX)

    def _say(self, name: str, count: int, right: str, why: str = "") -> None:
        self.sections[name].right.setText(right if count else "")
        self._notes[name].setVisible(not count)
        if not count:
            self._notes[name].setText(why or _WORDS[name])

    def _arrange(self, *, is_wide: bool) -> None:
        if is_wide == self._is_wide:
            return
        self._is_wide = is_wide
        for name, section in self.sections.items():
            # Out first: else the place before the stretch is counted with it.
            for column in self._columns:
                column.removeWidget(section)
            column = self._columns[1 if is_wide and name in _SECOND else 0]
            column.insertWidget(column.count() - 1, section)
        self._across.setStretch(1, 1 if is_wide else 0)
        self._across.setSpacing(20 if is_wide else 0)


_TITLES = {
    "heaps": "Descriptor heaps",
    "slot": "Slot",
    "hazards": "Hazards",
    "root": "Root signature",
    "tables": "Tables",
    "copies": "Copies of the frame",
    "captures": "Held by lists",
}
_WORDS = {
    "hazards": "No list of this run needed a slot that was overwritten or stale.",
    "tables": "",
    "copies": "No descriptor was copied in this frame.",
    "captures": "No list has recorded a descriptor of this heap by content in this frame.",
}
"""Why a section is empty."""

_SECOND = ("root", "tables", "copies", "captures")
