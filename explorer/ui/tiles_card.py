"""What is known about one tile: its arithmetic, how it was mapped, who else shows its bytes, and the tier's limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalMapper, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from explorer.ui.controls import ElidedLabel, hairline, label
from explorer.ui.steps_grid import StepsGrid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.rules.d3d12_tiled_tiers import TierLimit
    from explorer.sim.layout_steps import Step

MOST_LINKS = 12
_OFFSETS = ("Address", "Heap offset")


class LinkButton(QPushButton):
    """A button that looks like a link; text that does not fit is cut, all of it is in the tool tip."""

    def __init__(self, text: str = "", *, name: str, cuts: bool = False) -> None:
        super().__init__(text)
        self._whole, self._cuts = text, cuts
        self.setObjectName(name)
        self.setProperty("flat_link", True)
        if cuts:
            self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def say(self, text: str) -> None:
        """Say something else."""
        self._whole = text
        self.setAccessibleName(text)
        self._cut()

    def whole(self) -> str:
        """Return all of what it says."""
        return self._whole

    def resizeEvent(self, _event: object) -> None:
        """Cut the text where it does not fit."""
        self._cut()

    def _cut(self) -> None:
        if not self._cuts:
            self.setText(self._whole)
            return
        room = max(self.width() - 8, 40)
        self.setText(self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideMiddle, room))
        self.setToolTip(self._whole if self.text() != self._whole else "")


class TileCard(QFrame):
    """Facts of the selected tile.

    Signals:
        rule_asked: Id of the rule whose page is wanted.
        map_asked: The Memory map is wanted.
        other_asked: The other side is wanted: the tile in its heap.
        mapper_asked: Number of the link to a resource that shows the tile.
    """

    rule_asked = Signal(str)
    map_asked = Signal()
    other_asked = Signal()
    mapper_asked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", True)
        self.setObjectName("tile_card")
        self._rule = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 10)
        column.setSpacing(6)
        head = QHBoxLayout()
        head.setSpacing(8)
        self.title = ElidedLabel("", "strong", name="tile_title")
        self.state = label("", "small", name="tile_state")
        head.addWidget(self.title, 1)
        head.addWidget(self.state)
        column.addLayout(head)
        self.steps = StepsGrid(_OFFSETS)
        column.addLayout(self.steps)
        self.text = label("", "small", name="tile_text", wrap=True)
        column.addWidget(self.text)
        self._links = [LinkButton(name=f"tile_mapper_{at}", cuts=True) for at in range(MOST_LINKS)]
        numbers = QSignalMapper(self)
        numbers.mappedInt.connect(self.mapper_asked)
        for at, button in enumerate(self._links):
            button.clicked.connect(numbers.map)
            numbers.setMapping(button, at)
            column.addWidget(button)
        self.more = label("", "small", name="tile_more")
        column.addWidget(self.more)
        foot = QHBoxLayout()
        foot.setSpacing(14)
        self.rule = LinkButton(name="tile_rule", cuts=True)
        self.map = LinkButton("Show on the map", name="tile_map")
        self.other = LinkButton("Show in the tile pool", name="tile_other")
        for button in (self.map, self.other):
            foot.addWidget(button)
        foot.addStretch(1)
        column.addLayout(foot)
        column.addWidget(self.rule)
        self.rule.clicked.connect(self._on_rule)
        self.map.clicked.connect(self.map_asked)
        self.other.clicked.connect(self.other_asked)

    def show_tile(
        self, title: str, state: str, steps: Sequence[Step], text: str, rule: str, *, has_bytes: bool, other: bool
    ) -> None:
        """Show a tile.

        Args:
            title: What it is.
            state: Its state in a word.
            steps: Its arithmetic.
            text: How it came about.
            rule: Id of the rule behind it; empty for none.
            has_bytes: Whether it has bytes in a heap.
            other: Whether the heap's side can be shown.
        """
        self.title.setText(title)
        self.state.setText(state)
        self.steps.show_steps(steps)
        self.text.setText(text)
        self.text.setVisible(bool(text))
        self._rule = rule
        self.rule.say(f"Rule {rule}")
        self.rule.setVisible(bool(rule))
        self.map.setVisible(has_bytes)
        self.other.setVisible(has_bytes and other)

    def show_mappers(self, texts: Sequence[str], count: int) -> None:
        """Show links to those who show the tile's bytes.

        Args:
            texts: One line each.
            count: How many there are in all.
        """
        for at, button in enumerate(self._links):
            button.setVisible(at < len(texts))
            if at < len(texts):
                button.say(texts[at])
        rest = count - min(len(texts), MOST_LINKS)
        self.more.setText(f"and {rest:,} more")
        self.more.setVisible(rest > 0)

    def links(self) -> list[str]:
        """Return the shown links."""
        return [button.whole() for button in self._links if not button.isHidden()]

    @Slot()
    def _on_rule(self) -> None:
        self.rule_asked.emit(self._rule)


class TierCard(QWidget):
    """What the TiledResourcesTier of the device allows, each limit with the rule that it comes from.

    Signals:
        rule_asked: Id of the rule whose page is wanted.
    """

    rule_asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("tier_card")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(hairline())
        self.title = label("", "strong", name="tier_title")
        column.addWidget(self.title)
        self._column = column
        self._rows: list[LinkButton] = []
        self._rules: list[str] = []
        self._numbers = QSignalMapper(self)
        self._numbers.mappedInt.connect(self._on_row)

    def show_limits(self, tier: int, limits: Sequence[TierLimit]) -> None:
        """Show a tier; hidden where the API has none."""
        self.setVisible(bool(limits))
        self.title.setText(f"TiledResourcesTier {tier}")
        while len(self._rows) < len(limits):
            self._add_row()
        self._rules = [limit.rule for limit in limits]
        for button, limit in zip(self._rows, limits, strict=False):
            words = "yes" if limit.is_there else f"from tier {limit.from_tier} on"
            button.say(f"{limit.what}: {words}")
            button.setToolTip(f"{limit.text} (rule {limit.rule})")

    def texts(self) -> list[str]:
        """Return the shown lines."""
        return [button.whole() for button in self._rows]

    def _add_row(self) -> None:
        button = LinkButton(name=f"tier_limit_{len(self._rows)}", cuts=True)
        button.clicked.connect(self._numbers.map)
        self._numbers.setMapping(button, len(self._rows))
        self._column.addWidget(button)
        self._rows.append(button)

    @Slot(int)
    def _on_row(self, at: int) -> None:
        if at < len(self._rules):
            self.rule_asked.emit(self._rules[at])
