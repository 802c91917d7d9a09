"""What a window does with adapters of one's own: reports, copies, switches, and what a switch changed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMainWindow, QWidget

from explorer.errors import ExplorerError

if TYPE_CHECKING:
    from explorer.interchange.opened import OpenedFile
    from explorer.interchange.session import Session
    from explorer.sim.commands import Answer
    from explorer.sim.snapshot import Snapshot
    from explorer.tables.adapters import Adapter
    from explorer.ui.adapter_report import AdapterReport
    from explorer.ui.workspace import Workspace

_SHOWN_LINES = 8


def desk_of(widget: QWidget) -> AdapterDesk | None:
    """Return the desk of the main window that a widget belongs to, made where it has none; None without a window."""
    at: QObject | None = widget
    while at is not None and not (isinstance(at, QMainWindow) and hasattr(at, "workspace")):
        at = at.parent()
    if at is None:
        return None
    return at.findChild(AdapterDesk) or AdapterDesk(at)


class AdapterDesk(QObject):
    """Opens reports and presets, and says what changed when the same scenario runs on another adapter.

    Args:
        window: The main window.

    Signals:
        changed: Lines of ``describe_change``, after the first snapshot on another adapter.
        presets_changed: The user's presets are others now.
        saved: Path of a session that was written.
    """

    changed = Signal(object)
    presets_changed = Signal()
    saved = Signal(str)

    def __init__(self, window: Any) -> None:
        super().__init__(window)
        self._window = window
        self.workspace: Workspace = window.workspace
        # The first snapshot of the scenario on its adapter: places change with time, so both are taken early.
        self._first: Snapshot | None = None
        self._remember(self.workspace.snapshot)
        self.workspace.snapshot_changed.connect(self._on_snapshot)
        self._to_select: tuple[str, ...] = ()
        # The session that is being saved: request number, path, and what the simulation's thread hands over.
        self._saving: tuple[int, str, list[Session]] | None = None
        window.work.done.connect(self._on_work)
        self.workspace.controller.answered.connect(self._on_answered)

    # -- switching

    def run_on(self, adapter: Adapter | str) -> None:
        """Run the open scenario on an adapter, by id or one that is not saved."""
        self._window.opener.reopen(adapter=adapter)

    def _remember(self, snapshot: Snapshot | None) -> None:
        self._first = snapshot if snapshot is not None and snapshot.adapter is not None else None

    @Slot(object)
    def _on_snapshot(self, snapshot: Snapshot) -> None:
        if self._to_select and snapshot.origin == "simulated":
            wanted, self._to_select = frozenset(self._to_select), ()
            self.workspace.select([i for i, name in enumerate(snapshot.resources.names) if name in wanted])
        first = self._first
        if first is not None and snapshot.adapter is first.adapter:
            return
        if snapshot.origin != "simulated" or snapshot.adapter is None:
            return
        same_run = first is not None and first.provenance.scenario == snapshot.provenance.scenario
        if first is None or not same_run:
            self._remember(snapshot)
            return
        if snapshot.adapter == first.adapter:
            return
        self._remember(snapshot)
        self._say_change(first, snapshot)

    def _say_change(self, before: Snapshot, after: Snapshot) -> None:
        from explorer.sim.adapter_change import describe_change

        lines = describe_change(before, after)
        head = f"{after.adapter_name} instead of {before.adapter_name}, with the same calls and seed."
        shown = list(lines[:_SHOWN_LINES])
        if len(lines) > len(shown):
            shown.append(f"and {len(lines) - len(shown)} more: copy the details")
        text = "\n".join([head, *(f"• {line}" for line in shown)]) if lines else f"{head} Nothing else changed."
        self.workspace.tell("info", text, detail="\n".join([head, *lines]))
        self.changed.emit(lines)

    # -- reports

    def ask_for_report(self) -> None:
        """Ask for a D3d12info report and open it."""
        folder = self.workspace.settings.last_folder()
        title = "Open a D3d12info report"
        path, _ = QFileDialog.getOpenFileName(self._window, title, folder, "Reports (*.json *.js *.txt);;All files (*)")
        if path:
            self._window.opener.open_path(path)

    @Slot(object)
    def _on_work(self, result: object) -> None:
        if getattr(result, "kind", "") == "adapter" and getattr(result, "adapters", ()):
            self.show_report(result)  # pyright: ignore[reportArgumentType] - an OpenedFile by its kind
        session = getattr(result, "session", None)
        if session is not None:
            self._resume(session, result)  # pyright: ignore[reportArgumentType] - an OpenedFile, it has a session

    def show_report(self, opened: OpenedFile) -> AdapterReport:
        """Show the adapters of a file."""
        from explorer.ui.adapter_report import AdapterReport

        count = len(opened.adapters)
        self.workspace.tell("info", f"{opened.file} describes {count} {'adapter' if count == 1 else 'adapters'}.")
        dialog = AdapterReport(opened, self.workspace.document.kind == "scenario", self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.run_wanted.connect(self.run_on)
        dialog.edit_wanted.connect(self.edit)
        dialog.save_wanted.connect(partial(self._save_from, dialog))
        dialog.open()
        return dialog

    def _save_from(self, dialog: AdapterReport, adapter: Adapter) -> None:
        from dataclasses import replace

        from explorer.ui.adapter_values import free_id, save_own

        try:
            path = save_own(replace(adapter, id=free_id(adapter.id)))
        except ExplorerError as error:
            dialog.say(f"Not saved: {error.complaint}")
            return
        dialog.say(f"{adapter.name} was saved as the preset {path.stem}: it is in the list of adapters.")
        self.presets_changed.emit()

    # -- sessions

    def _resume(self, session: Session, opened: OpenedFile) -> None:
        from explorer.ui.workspace import Document

        document = Document("scenario", opened.file, session.scenario_id, session.adapter, session.allocator)  # pyright: ignore[reportArgumentType] - a run takes an adapter that is not installed too
        self._to_select = tuple(str(name) for name in session.view.get("selected", ()))
        self.workspace.load(document, partial(self._window.opener.run.resume, session), play=False)
        for warning in opened.warnings[:1]:
            self.workspace.tell("warn", f"{opened.file}: {warning.message}.")

    def save_session(self, path: str) -> None:
        """Save the scenario with its edits and the selection; the run goes on."""
        snapshot = self.workspace.snapshot
        names = [snapshot.resources.names[i] for i in self.workspace.selection[:1000]] if snapshot is not None else []
        taken: list[Session] = []
        make = partial(
            self._window.opener.run.save, self.workspace.document.scenario, {"selected": names}, taken.append
        )
        self._saving = self.workspace.controller.load(make), path, taken

    @Slot(object)
    def _on_answered(self, answer: Answer) -> None:
        if self._saving is None or answer.request != self._saving[0]:
            return
        from pathlib import Path

        from explorer.interchange.files import write_atomically
        from explorer.interchange.session import session_bytes

        (_, path, taken), self._saving = self._saving, None
        if not taken:
            return
        try:
            write_atomically(path, session_bytes(taken[0]))
        except ExplorerError as error:
            self.workspace.complain(error.complaint, lead="Not saved: ", action="save_session")
            return
        edits = len(taken[0].journal)
        self.workspace.settings.add_recent(path)
        self.workspace.tell(
            "info", f"{Path(path).name} holds the scenario and its {edits} {'edit' if edits == 1 else 'edits'}."
        )
        self.saved.emit(path)

    # -- copies

    @Slot(object)
    def edit(self, adapter: Adapter) -> None:
        """Open the editor on a copy of an adapter, or on a preset of the user's own."""
        from explorer.ui.adapter_editor import AdapterEditor

        dialog = AdapterEditor(adapter, self.workspace.theme, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.saved.connect(self._on_saved)
        dialog.open()

    @Slot(str, bool)
    def _on_saved(self, adapter_id: str, run: bool) -> None:
        self.presets_changed.emit()
        if run and self.workspace.document.kind == "scenario":
            self.run_on(adapter_id)
            return
        self.workspace.tell("info", f"The preset {adapter_id} was saved: it is in the list of adapters.")
