"""The Tour: a scenario told in steps, with the frame that each one looks at, what to select, and questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from explorer.ui.controls import EmptyState, Segmented, SidePanel, label
from explorer.ui.facts import LINKED_TEXT
from explorer.ui.tour_glossary import SCHEME, glossary, linked
from explorer.ui.tour_scenarios import ScenarioList

if TYPE_CHECKING:
    from explorer.sim.scenario import Scenario, TourStep
    from explorer.sim.snapshot import Snapshot
    from explorer.ui.workspace import Document, Workspace

_TOUR, _SCENARIOS, _EMPTY = 0, 1, 2


class TourView(QWidget):
    """Steps through the tour of the open scenario."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("tour_view")
        self._workspace = workspace
        self._scenario: Scenario | None = None
        self._wanted: tuple[int, str] | None = None
        self._is_fresh = True
        self.step = 0
        theme = workspace.theme
        self.pages = Segmented(theme, ("Tour", "Scenarios"), columns=2, name="tour_pages")
        self.heading = label("", "title", wrap=True, name="tour_title")
        self.teaches = label("", "second", wrap=True, name="tour_teaches")
        self.count = label("", "small", name="tour_count")
        self.text = self._linked_label("tour_text")
        self.question = self._linked_label("tour_question")
        self.entry = label("", "small", wrap=True, name="tour_term")
        self.about = self._linked_label("tour_about")
        self.back, self.go, self.next = QPushButton("Back"), QPushButton("Show"), QPushButton("Next")
        for button, name in ((self.back, "tour_back"), (self.go, "tour_go"), (self.next, "tour_next")):
            button.setObjectName(name)
        self.entry.hide()
        self.back.setToolTip("Go to the step before")
        self.go.setToolTip("Go to the frame of this step and select what it speaks of")
        self.next.setToolTip("Go to the next step")
        self._empty = EmptyState(theme, name="tour_empty")
        self._empty.say("No tour", "Open a scenario: it is told here step by step.", "Choose a scenario")
        self.scenarios = ScenarioList(theme)
        self._lay_out()
        self.pages.chosen.connect(self._on_page)
        self._empty.acted.connect(self._choose_scenario)
        self.back.clicked.connect(self._go_back)
        self.next.clicked.connect(self._go_on)
        self.go.clicked.connect(self._go_there)
        self.scenarios.scenario_wanted.connect(self._open)
        workspace.document_changed.connect(self._on_document)
        self._on_document(workspace.document)

    @Slot(object)
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Select what the step speaks of once its frame is shown; begin where the run stands."""
        if self._is_fresh and snapshot.origin == "simulated":
            self._is_fresh = False
            passed = [i for i, step in enumerate(self.steps()) if step.frame <= snapshot.provenance.frame]
            self.show_step(passed[-1] if passed else 0, go=False)
        if self._wanted is None:
            return
        frame, name = self._wanted
        if snapshot.provenance.frame != frame:
            return
        self._wanted = None
        if not name:
            return
        if name in snapshot.resources.names:
            self._workspace.select((snapshot.resources.names.index(name),))

    def steps(self) -> tuple[TourStep, ...]:
        """Return the steps of the open scenario."""
        return self._scenario.tour if self._scenario is not None else ()

    def show_step(self, index: int, *, go: bool = True) -> None:
        """Show a step and, with ``go``, its frame and its selection."""
        steps = self.steps()
        if not 0 <= index < len(steps):
            return
        self.step = index
        step = steps[index]
        self.count.setText(f"Step {index + 1} of {len(steps)} · frame {step.frame:,}")
        self.text.setText(linked(step.text.strip()))
        self.question.setText(linked(step.question.strip()) if step.question else "")
        self.question.setVisible(bool(step.question))
        self._explain("")
        self.back.setEnabled(index > 0)
        self.next.setEnabled(index + 1 < len(steps))
        if go:
            self._go_there()

    def _linked_label(self, name: str) -> Any:
        made = label("", wrap=True, name=name)
        made.setTextFormat(Qt.TextFormat.RichText)
        made.setTextInteractionFlags(LINKED_TEXT)
        made.linkActivated.connect(self._on_term)
        return made

    def _lay_out(self) -> None:
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(12, 8, 12, 12)
        column.setSpacing(8)
        for part in (self.heading, self.teaches, self.count, self.text, self.question):
            column.addWidget(part)
        self.question.setProperty("role", "strong")
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.back, self.go, self.next):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column.addLayout(buttons)
        column.addWidget(self.entry)
        column.addSpacing(6)
        column.addWidget(self.about)
        column.addStretch(1)
        self._stack = QStackedLayout()
        for page in (SidePanel(body, 12), self.scenarios, self._empty):
            self._stack.addWidget(page)
        head = QHBoxLayout()
        head.setContentsMargins(12, 8, 12, 0)
        head.addWidget(self.pages)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addLayout(self._stack)

    @Slot(object)
    def _on_document(self, _document: Document) -> None:
        self._scenario, self._wanted, self._is_fresh = self._workspace.scenario, None, True
        scenario = self._scenario
        if scenario is not None:
            self.heading.setText(scenario.title)
            self.teaches.setText(scenario.teaches)
            self.about.setText(linked(" ".join(scenario.text.split())))
            has_steps = bool(scenario.tour)
            for part in (self.count, self.text, self.question, self.back, self.go, self.next):
                part.setVisible(has_steps)
            # The run begins at its own frame: nothing jumps because a scenario was opened.
            self.show_step(0, go=False)
        self._show_page()

    @Slot(int)
    def _on_page(self, _page: int) -> None:
        self._show_page()

    def _show_page(self) -> None:
        tour = _TOUR if self._scenario is not None else _EMPTY
        self._stack.setCurrentIndex(_SCENARIOS if self.pages.current == _SCENARIOS else tour)

    @Slot()
    def _choose_scenario(self) -> None:
        self.pages.set_current(_SCENARIOS)
        self._show_page()

    @Slot()
    def _go_back(self) -> None:
        self.show_step(self.step - 1)

    @Slot()
    def _go_on(self) -> None:
        self.show_step(self.step + 1)

    @Slot()
    def _go_there(self) -> None:
        steps = self.steps()
        if not steps or not self._workspace.is_live:
            return
        from explorer.sim.commands import Pause, Seek

        step = steps[self.step]
        self._wanted = (step.frame, step.select or "")
        self._workspace.controller.post(Pause())
        self._workspace.controller.post(Seek(step.frame))

    @Slot(str)
    def _on_term(self, link: str) -> None:
        term = glossary().get(link.removeprefix(SCHEME).lower())
        if term is not None:
            self._explain(f"{term.term}: {term.text}")

    def _explain(self, text: str) -> None:
        self.entry.setText(text)
        self.entry.setVisible(bool(text))

    @Slot(str)
    def _open(self, name: str) -> None:
        window: Any = self.window()
        if hasattr(window, "opener"):
            window.opener.open_scenario(name)
            self.pages.set_current(_TOUR)
            self._show_page()
