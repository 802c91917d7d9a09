"""The "why" part of the Inspector: why it is here, why it was evicted, why a call for it failed, and its events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal, Slot

from explorer.core.units import format_bytes
from explorer.ui.facts import Fact, FactsGrid, Section

if TYPE_CHECKING:
    from explorer.sim.commands import Answer
    from explorer.sim.why import Why, WhyAnswer
    from explorer.ui.workspace import Workspace

_REQUEST = -3
"""Number of this module's questions; the controller's own numbers are above 0."""

_PACE_MS = 400
_EVENTS = 12


def why_facts(answer: WhyAnswer) -> list[Fact]:
    """Return the three answers as lines, each with its rule."""
    facts: list[Fact] = []
    for name, why in (("Why here", answer.here), ("Why evicted", answer.evicted), ("Why failed", answer.failed)):
        facts.append(Fact(name, why.text, tip=_tip(why)))
        number = f"event {why.event.number:,}" if why.event is not None else ""
        if why.reason is not None:
            tip = f"{why.reason.text}\n{why.reason.source}"
            facts.append(Fact("", why.reason.rule, mono=True, note=number, tip=tip, link=why.reason.rule))
        elif number:
            facts.append(Fact("", number))
    return facts


def event_facts(answer: WhyAnswer) -> list[Fact]:
    """Return the last kept events of the name, the newest first."""
    facts: list[Fact] = []
    for event in reversed(answer.events[-_EVENTS:]):
        size = format_bytes(event.size_bytes) if event.size_bytes else ""
        facts.append(Fact(f"Frame {event.frame:,}", event.kind.value.replace("_", " "), note=size, tip=event.text))
    return facts or [Fact("Events", "none")]


class WhySection(Section):
    """Asks the simulation about the selected resource and shows the answers.

    Signals:
        rule_wanted: Id of a rule.
    """

    rule_wanted = Signal(str)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__("Why")
        self._workspace = workspace
        self._asked: tuple[str, int] | None = None
        self._next: tuple[str, int] | None = None
        self.answer: WhyAnswer | None = None
        self.answers, self.events = FactsGrid(88), FactsGrid(88)
        for grid in (self.answers, self.events):
            self.body.addWidget(grid)
            grid.link_wanted.connect(self.rule_wanted)
        self._pace = QTimer(self)
        self._pace.setSingleShot(True)
        self._pace.setInterval(_PACE_MS)
        self._pace.timeout.connect(self._ask_next)
        workspace.answered.connect(self._on_answered)

    def show_name(self, name: str, frame: int) -> None:
        """Ask about a name in a frame; the last question is answered, at most a few times a second."""
        if not self._workspace.is_live:
            self._next = self._asked = None
            self._fill(None, "a file holds no events")
            return
        if self.answer is not None and self.answer.name != name:
            self.answer = None
            self._fill(None, "asking")
        if (name, frame) == self._asked:
            return
        self._next = (name, frame)
        if not self._pace.isActive():
            self._ask_next()

    def show_nothing(self, why: str) -> None:
        """Say why there is no answer."""
        self._next = self._asked = None
        self._fill(None, why)

    @Slot()
    def _ask_next(self) -> None:
        wanted, self._next = self._next, None
        if wanted is None or not self._workspace.is_live:
            return
        from explorer.sim.commands import AskWhy

        self._asked = wanted
        self._workspace.controller.post(AskWhy(wanted[0], _REQUEST))
        self._pace.start()

    @Slot(object)
    def _on_answered(self, answer: Answer) -> None:
        if answer.request != _REQUEST or answer.why is None or self._asked is None:
            return
        if answer.why.name == self._asked[0]:
            self._fill(answer.why, "")

    def _fill(self, answer: WhyAnswer | None, why_not: str) -> None:
        self.answer = answer
        if answer is None:
            self.answers.show_facts([Fact("Why", why_not)])
            self.events.show_facts([])
            self.right.setText("")
            return
        self.answers.show_facts(why_facts(answer))
        self.events.show_facts(event_facts(answer))
        shown = min(len(answer.events), _EVENTS)
        more = f", the last {shown:,} shown" if answer.count > shown else ""
        self.right.setText(f"{answer.count:,} {'event' if answer.count == 1 else 'events'}{more}")


def _tip(why: Why) -> str:
    return f"Event {why.event.number:,}" if why.event is not None else ""
