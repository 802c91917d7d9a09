"""Opening scenarios and files, and exporting what is shown."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from explorer.errors import Complaint
from explorer.ui.adapter_run import HeldRun
from explorer.ui.workspace import Document

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.interchange.opened import OpenedFile
    from explorer.ui.long_work import LongWork, Work
    from explorer.ui.workspace import Workspace


class Opener(QObject):
    """Opens documents.

    Signals:
        opened: ``OpenedFile`` that was shown.
    """

    opened = Signal(object)

    def __init__(self, workspace: Workspace, work: LongWork) -> None:
        super().__init__(workspace)
        self._workspace, self._work = workspace, work
        self.run = HeldRun()
        self._path = ""
        self._then: Callable[[Any], None] | None = None
        work.done.connect(self._on_done)
        work.failed.connect(self._on_failed)

    def open_scenario(
        self,
        scenario: str,
        *,
        adapter: str | None = None,
        allocator: str | None = None,
        play: bool = True,
        keep_edits: bool = False,
    ) -> None:
        """Open a scenario by id or path, on its own adapter or another; with the edits of the last run or without."""
        name = Path(scenario).stem if scenario.endswith(".toml") else scenario
        document = Document("scenario", name, scenario, adapter, allocator, scenario if name != scenario else "")
        make = self.run.restart if keep_edits else self.run.start
        self._workspace.load(document, partial(make, scenario, adapter, allocator), play=play)

    def reopen(self, **changes: Any) -> None:
        """Open the current scenario again from frame 0, with some parts of its document changed."""
        document = self._workspace.document
        if document.kind != "scenario":
            return
        state = self._workspace.run_state
        options = {"adapter": document.adapter, "allocator": document.allocator, **changes}
        # Another adapter runs the same calls; a restart begins without the edits.
        keep = "adapter" in changes
        self.open_scenario(document.scenario, play=state is None or state.playing, keep_edits=keep, **options)

    def open_path(self, path: str) -> bool:
        """Open a file of any kind, on a thread of its own. Return whether it was started."""
        if path.endswith(".toml"):
            self._remember(path)
            self.open_scenario(path)
            return True
        name = Path(path).name

        def read(cancelled: Callable[[], bool], progress: Callable[[float], None]) -> object:
            from explorer.interchange.importers import open_file

            return open_file(path, name, progress=progress, cancelled=cancelled)

        if not self._work.start(f"Opening {name}: its layout comes on the map", read):
            self._workspace.tell("warn", "Other work is under way. Wait for it or cancel it, then open the file.")
            return False
        self._path = path
        self._then = self._show_file
        return True

    def export(self, path: str, make: Work, what: str) -> bool:
        """Write a file on a thread of its own.

        Args:
            path: Where to.
            make: Writes it and returns its bytes.
            what: Name of the format.
        """
        name = Path(path).name
        if not self._work.start(f"Exporting {what}: {name} will be there after it", make):
            self._workspace.tell("warn", "Other work is under way. Wait for it or cancel it, then export.")
            return False
        self._path = path
        self._then = self._show_exported
        return True

    def _remember(self, path: str) -> None:
        self._workspace.settings.add_recent(path)
        self._workspace.settings.set_last_folder(str(Path(path).parent))

    def _show_exported(self, size: object) -> None:
        self._workspace.settings.set_last_folder(str(Path(self._path).parent))
        self._workspace.tell("info", f"{Path(self._path).name} was written, {size:,} B.")

    def _show_file(self, opened: OpenedFile) -> None:
        self._remember(self._path)
        name = Path(self._path).name
        if opened.kind == "scenario":
            self.open_scenario(self._path)
            return
        if opened.kind in ("adapter", "session"):
            # The desk of adapters takes them.
            return
        if opened.snapshot is None:
            self._workspace.tell("warn", _no_map(name, opened))
            return
        self._workspace.show_file(Document("file", name, path=self._path), opened.snapshot)
        self.opened.emit(opened)
        lines = [f"{w.where}: {w.message}" if w.where else w.message for w in opened.warnings]
        if opened.agrees is False:
            lines.insert(0, f"the file states other sums: {', '.join(opened.disagreements or ())}")
        if lines:
            more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
            self._workspace.tell("warn", f"{name} was opened with warnings: {lines[0]}{more}.", detail="\n".join(lines))

    @Slot(object)
    def _on_done(self, result: object) -> None:
        then, self._then = self._then, None
        if then is not None:
            then(result)

    @Slot(object)
    def _on_failed(self, why: object) -> None:
        exporting = self._then == self._show_exported
        self._then = None
        lead = "Not exported: " if exporting else "Not opened: "
        action = "export" if exporting else "open_file"
        if isinstance(why, Complaint):
            self._workspace.complain(why, lead=lead, action=action)
            return
        last = str(why).strip().splitlines()[-1]
        text = f"{lead}{last}. This is a bug of the product; what is open stays. Copy the details for a report."
        self._workspace.tell("error", text, detail=str(why), action=action)


def _no_map(name: str, opened: OpenedFile) -> str:
    return f"{name} ({opened.format}) holds totals only: there is no layout to show on the map."
