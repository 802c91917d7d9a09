"""What all views share: the shown snapshot, the selection, the document, and the way to the simulation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from explorer.errors import Complaint
    from explorer.sim.commands import Answer, RunState
    from explorer.sim.scenario import Scenario
    from explorer.sim.simulation import Simulation
    from explorer.sim.snapshot import Snapshot
    from explorer.ui.controller import Controller
    from explorer.ui.settings import Settings
    from explorer.ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Document:
    """What is open.

    Attributes:
        kind: ``scenario``, ``file`` or ``none``.
        name: Shown name.
        scenario: Scenario id or path, for a scenario.
        adapter: Adapter id that replaces the scenario's own, or None.
        allocator: Allocator id, or None for the product's default.
        path: Path of an imported file.
    """

    kind: str = "none"
    name: str = ""
    scenario: str = ""
    adapter: str | None = None
    allocator: str | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """A line for the message bar.

    Attributes:
        level: ``error``, ``warn`` or ``info``.
        text: What stands still and why.
        detail: Full text, for the clipboard.
        action: Id of the action that helps, or empty.
    """

    level: str
    text: str
    detail: str = ""
    action: str = ""


class Workspace(QObject):
    """State of the window. It never changes a heap: changes go to the controller as commands.

    Signals:
        snapshot_changed: ``Snapshot`` to show.
        selection_changed: tuple of resource indices of the shown snapshot.
        document_changed: ``Document``.
        run_state_changed: ``RunState`` or None.
        answered: ``Answer``.
        messaged: ``Message``.
        units_changed: One of ``settings.UNITS``.
        goto_requested: Id of a view to bring to the front.
        rule_requested: Id of a rule whose page is wanted.
        terms_requested: The table of Vulkan's terms is wanted.
    """

    snapshot_changed = Signal(object)
    selection_changed = Signal(object)
    document_changed = Signal(object)
    run_state_changed = Signal(object)
    answered = Signal(object)
    messaged = Signal(object)
    units_changed = Signal(str)
    goto_requested = Signal(str)
    rule_requested = Signal(str)
    terms_requested = Signal()

    def __init__(self, controller: Controller, theme: Theme, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.controller = controller
        self.theme = theme
        self.settings = settings
        self.units = settings.units()
        self._snapshot: Snapshot | None = None
        self._selection: tuple[int, ...] = ()
        self._selected_keys: tuple[tuple[str, int], ...] = ()
        self._document = Document()
        self._scenario: Scenario | None = None
        self._run_state: RunState | None = None
        self._loading = 0
        self._after_load: tuple[Document, bool] | None = None
        controller.snapshot_changed.connect(self._on_snapshot)
        controller.state_changed.connect(self._on_state)
        controller.answered.connect(self._on_answered)
        controller.failed.connect(self._on_failed)
        controller.refused.connect(self._on_refused)

    @property
    def snapshot(self) -> Snapshot | None:
        """The shown snapshot; None before the first."""
        return self._snapshot

    @property
    def selection(self) -> tuple[int, ...]:
        """Selected resources, as indices of the shown snapshot."""
        return self._selection

    @property
    def document(self) -> Document:
        """What is open."""
        return self._document

    @property
    def scenario(self) -> Scenario | None:
        """The open scenario as its file says; None where none is open, or its file cannot be read any more."""
        if self._scenario is None and self._document.kind == "scenario":
            from explorer.errors import ExplorerError
            from explorer.sim.scenarios import load_scenario

            try:
                self._scenario = load_scenario(self._document.scenario)
            except ExplorerError:
                # The file changed since it was opened; the simulation goes on without its words.
                return None
        return self._scenario

    @property
    def title(self) -> str:
        """What the open document is called: the title of a scenario, or the name of a file."""
        document, scenario = self._document, self.scenario
        # A session has a name of its own.
        is_plain = document.name in (document.scenario, Path(document.scenario).stem)
        return scenario.title if scenario is not None and is_plain else document.name

    @property
    def run_state(self) -> RunState | None:
        """How the simulation's loop stands; None while an imported file is shown."""
        return self._run_state if self._document.kind == "scenario" else None

    @property
    def is_live(self) -> bool:
        """True while a simulation is shown that takes commands."""
        return self._document.kind == "scenario" and self.controller.is_running

    @property
    def is_loading(self) -> bool:
        """True while a scenario is being loaded."""
        return self._loading != 0

    def load(self, document: Document, make: Callable[[], Simulation], *, play: bool) -> None:
        """Open a scenario; the shown document changes when it has loaded.

        Args:
            document: What it is.
            make: Makes the simulation, on its own thread.
            play: Whether it runs at once.
        """
        self._after_load = (document, play)
        self.controller.forget_previews()
        self._loading = self.controller.load(make)

    def show_file(self, document: Document, snapshot: Snapshot) -> None:
        """Show an imported layout; a simulation behind it pauses."""
        from explorer.sim.commands import Pause

        if self.controller.is_running:
            self.controller.post(Pause())
        self._loading, self._after_load = 0, None
        self._set_document(document)
        self.select(())
        self._show(snapshot)

    def select(self, resources: Sequence[int]) -> None:
        """Select resources of the shown snapshot everywhere."""
        chosen = tuple(map(int, resources))
        if chosen == self._selection:
            return
        self._selection = chosen
        self._selected_keys = self._keys(chosen)
        self.selection_changed.emit(chosen)

    def set_units(self, units: str) -> None:
        """Show sizes in other units."""
        if units != self.units:
            self.units = units
            self.settings.set_units(units)
            self.units_changed.emit(units)

    def tell(self, level: str, text: str, *, detail: str = "", action: str = "") -> None:
        """Put a message into the window."""
        self.messaged.emit(Message(level, text, detail, action))

    def complain(self, complaint: Complaint, *, lead: str = "", action: str = "") -> None:
        """Put an input error into the window: what, where, found, accepted."""
        self.tell("error", lead + str(complaint), action=action)

    def goto(self, view: str) -> None:
        """Bring a view to the front."""
        self.goto_requested.emit(view)

    def _keys(self, chosen: tuple[int, ...]) -> tuple[tuple[str, int], ...]:
        snapshot = self._snapshot
        if snapshot is None or len(chosen) > 1000:
            return ()
        table = snapshot.resources
        return tuple((table.names[i], int(table.created_frame[i])) for i in chosen)

    def _follow_selection(self, snapshot: Snapshot) -> bool:
        """Find the selected resources again: an index may mean another resource now. Return whether they changed."""
        names = snapshot.resources.names
        if not self._selection:
            return False
        found: list[int] = []
        if self._selected_keys:
            for index, (name, created) in zip(self._selection, self._selected_keys, strict=True):
                if index < len(names) and names[index] == name and snapshot.resources.created_frame[index] == created:
                    found.append(index)
                elif name in names:
                    found.append(names.index(name))
        elif max(self._selection) < len(names):
            return False
        if tuple(found) == self._selection:
            return False
        self._selection = tuple(found)
        self._selected_keys = self._keys(self._selection)
        return True

    def _show(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        changed = self._follow_selection(snapshot)
        self.snapshot_changed.emit(snapshot)
        if changed:
            self.selection_changed.emit(self._selection)

    def _set_document(self, document: Document) -> None:
        self._document, self._scenario = document, None
        self.document_changed.emit(document)
        self.run_state_changed.emit(self.run_state)

    @Slot(object)
    def _on_snapshot(self, snapshot: Snapshot) -> None:
        if self._document.kind == "scenario" and not self._loading:
            self._show(snapshot)

    @Slot(object)
    def _on_state(self, state: RunState) -> None:
        self._run_state = state
        if not self._loading:
            self.run_state_changed.emit(self.run_state)

    @Slot(object)
    def _on_answered(self, answer: Answer) -> None:
        if answer.request == self._loading and self._loading:
            self._finish_load(answer)
            return
        if answer.error is not None:
            self.complain(answer.error, lead="Nothing was done: ")
        bad = next((o for o in answer.outcomes if not o.succeeded and not o.record.call.startswith("Create")), None)
        if bad is not None:
            why = f" {bad.reasons[0].text} (rule {bad.reasons[0].rule})" if bad.reasons else ""
            self.tell("warn", f"{bad.record.call} was refused: {bad.hr}.{why}")
        self.answered.emit(answer)

    def _finish_load(self, answer: Answer) -> None:
        from explorer.sim.commands import Pause, Play

        self._loading = 0
        after, self._after_load = self._after_load, None
        if answer.error is not None or after is None:
            if answer.error is not None:
                self.complain(answer.error, lead="Not opened: ")
            # The simulation that was there before still stands.
            self.run_state_changed.emit(self.run_state)
            return
        document, play = after
        self.select(())
        self._set_document(document)
        self.controller.post(Play() if play else Pause())

    @Slot(str)
    def _on_failed(self, text: str) -> None:
        last = text.strip().splitlines()[-1] if text.strip() else "unknown error"
        self._loading, self._after_load = 0, None
        self.tell(
            "error",
            f"The simulation stopped: {last}. This is a bug of the product; what is shown stays. "
            "Copy the details for a report, then restart the scenario.",
            detail=text,
            action="restart",
        )
        self.run_state_changed.emit(None)

    @Slot(str)
    def _on_refused(self, text: str) -> None:
        self.tell("warn", text)
