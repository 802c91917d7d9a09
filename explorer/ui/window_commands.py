"""What the actions of the window do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox

from explorer.core.calls import CallRecord, call_spec
from explorer.core.schema import keys_of
from explorer.ui.rule_browser_pages import RulePages

if TYPE_CHECKING:
    from explorer.sim.commands import Command
    from explorer.ui.main_window import MainWindow
    from explorer.ui.opening import Opener
    from explorer.ui.palette_popup import Entry
    from explorer.ui.workspace import Workspace

RELEASE_LIMIT = 250
"""How many resources one action releases: each is a command of the bounded queue's one batch."""


def _sim() -> Any:
    """Return the commands of the simulation; they bring all of it, which the first paint does not need."""
    from explorer.sim import commands

    return commands


class WindowCommands(QObject):
    """The handlers ``do_<id>`` of ``ACTIONS``.

    Args:
        window: The window that they act on.
        workspace: State of the window.
        opener: Opens documents.
    """

    def __init__(self, window: MainWindow, workspace: Workspace, opener: Opener) -> None:
        super().__init__(window)
        self._window = window
        self.workspace, self.opener = workspace, opener
        self.rule_pages = RulePages(workspace, window, lambda: window.views["create"].described())

    def _post(self, command: Command) -> None:
        self.workspace.controller.post(command)

    # -- file

    def do_open_file(self) -> None:
        """Ask for a file and open it."""
        folder = self.workspace.settings.last_folder()
        path, _ = QFileDialog.getOpenFileName(self._window, "Open", folder, "All files (*)")
        if path:
            self.opener.open_path(path)

    def do_open_scenario(self) -> None:
        """Open the picker of scenarios."""
        from explorer.ui.scenario_picker import ScenarioPicker

        document = self.workspace.document
        picker = ScenarioPicker(self.workspace.theme, document.scenario, self._window)
        picker.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        picker.scenario_chosen.connect(self.open_with_tour)
        picker.open()

    def open_with_tour(self, scenario: str) -> None:
        """Open a scenario with its tour in front: who picked it by its lesson wants to be told."""
        self.opener.open_scenario(scenario)
        self._window.show_view("tour")

    def do_save_session(self) -> None:
        """Ask for a file and save scenario, edits and selection in it."""
        document = self.workspace.document
        start = str(Path(self.workspace.settings.last_folder()) / f"{document.name}.session.json")
        path, _ = QFileDialog.getSaveFileName(self._window, "Save session", start, "Sessions (*.json)")
        if path:
            self._window.adapter_desk.save_session(path)

    def do_clear_recent(self) -> None:
        """Forget the recent files."""
        self.workspace.settings.clear_recent()

    def do_export(self) -> None:
        """Open the export dialog."""
        from explorer.ui.export_dialog import ExportDialog

        snapshot = self.workspace.snapshot
        if snapshot is None:
            return
        dialog = ExportDialog(self.workspace, self.opener, snapshot, self._window.shown_rows(), self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def do_quit(self) -> None:
        """Close the window."""
        self._window.close()

    # -- edit

    def do_undo(self) -> None:
        """Take back the last entry of the journal."""
        self._post(_sim().Undo())

    def do_redo(self) -> None:
        """Do the last undone entry again."""
        self._post(_sim().Redo())

    def do_select_all(self) -> None:
        """Select every resource."""
        snapshot = self.workspace.snapshot
        if snapshot is not None:
            self.workspace.select(range(len(snapshot.resources.names)))

    def do_select_none(self) -> None:
        """Select nothing."""
        self.workspace.select(())

    def do_copy_selection(self) -> None:
        """Copy the selected rows as a table."""
        self._window.copy_rows()

    def do_release_selection(self) -> None:
        """Release the selected resources; it enters the journal."""
        snapshot = self.workspace.snapshot
        if snapshot is None or not self.workspace.is_live:
            return
        chosen = self.workspace.selection
        if len(chosen) > RELEASE_LIMIT:
            self.workspace.tell("warn", f"At most {RELEASE_LIMIT} at once: {len(chosen):,} are selected.")
            return
        names = [snapshot.resources.names[i] for i in chosen]
        key = keys_of(call_spec(snapshot.api, "Release").input_type)[0]
        self.workspace.controller.apply(*(CallRecord(snapshot.api, "Release", {key: name}) for name in names))

    def do_find(self) -> None:
        """Put the cursor into the map's search."""
        self._window.show_view("map")
        self._window.focus_map_search()

    def do_palette(self) -> None:
        """Open the command palette."""
        self._window.open_palette("")

    # -- view

    def do_theme_system(self) -> None:
        """Follow the system."""
        self._window.choose_theme("system")

    def do_theme_light(self) -> None:
        """Be light."""
        self._window.choose_theme("light")

    def do_theme_dark(self) -> None:
        """Be dark."""
        self._window.choose_theme("dark")

    def do_switch_theme(self) -> None:
        """Be light instead of dark, or the other way round."""
        self._window.choose_theme("light" if self.workspace.theme.name == "dark" else "dark")

    def do_units_binary(self) -> None:
        """Show KiB, MiB, GiB."""
        self.workspace.set_units("binary")

    def do_units_bytes(self) -> None:
        """Show exact bytes."""
        self.workspace.set_units("bytes")

    def do_full_screen(self) -> None:
        """Fill the screen, or go back."""
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()

    def do_reset_layout(self) -> None:
        """Put every dock back where it was at first."""
        self._window.reset_layout()

    # -- simulation

    def do_restart(self) -> None:
        """Run the scenario again from frame 0; after a failure on a new thread."""
        self.opener.reopen()

    def do_step_back(self) -> None:
        """Go back by one frame from where the loop stands, which may be further back than what is shown."""
        self._post(_sim().Step(-1))

    def do_play(self) -> None:
        """Run, or stop after this frame."""
        state = self.workspace.run_state
        playing = state is not None and state.playing
        if not playing and state is not None and state.frames and state.frame >= state.frames:
            self._post(_sim().Seek(0))
        self._post(_sim().Pause() if playing else _sim().Play())
        # The check mark says what is, not what was clicked.
        self._window.actions_set["play"].setChecked(playing)

    def do_step_call(self) -> None:
        """Run one call."""
        self._post(_sim().StepCall())

    def do_step_event(self) -> None:
        """Run calls until one reports an event other than that of a frame's end."""
        from explorer.core.events import EventKind

        telling = frozenset(kind.value for kind in EventKind if kind is not EventKind.PRESENTED)
        self._post(_sim().StepEvent(telling))

    def do_step_frame(self) -> None:
        """Run one frame."""
        self._post(_sim().Step(1))

    def do_step_ten(self) -> None:
        """Run ten frames."""
        self._post(_sim().Step(10))

    def do_next_mark(self) -> None:
        """Go to the next mark of the Timeline."""
        self._go_to_mark(1, "behind")

    def do_previous_mark(self) -> None:
        """Go to the mark of the Timeline before this frame."""
        self._go_to_mark(-1, "before")

    def _go_to_mark(self, step: int, where: str) -> None:
        if not self._window.views["timeline"].go_to_mark(step):
            self._window.status.showMessage(f"No mark is known {where} this frame.", 4000)

    def do_loop(self) -> None:
        """Start again at the end, or stop there."""
        self._post(_sim().SetLoop(self._window.actions_set["loop"].isChecked()))

    def seek(self, frame: int) -> None:
        """Go to a frame."""
        if self.workspace.is_live:
            self._post(_sim().Seek(int(frame)))

    def set_speed(self, frames_per_second: float | None) -> None:
        """Run at so many frames a second; None flat out."""
        if self.workspace.is_live:
            self._post(_sim().SetSpeed(frames_per_second))

    # -- device

    def do_choose_adapter(self) -> None:
        """Open the adapter picker."""
        self._window.show_view("device")
        self._window.open_adapter_picker()

    def do_own_adapter(self) -> None:
        """Run on the scenario's own adapter again."""
        self.opener.reopen(adapter=None)

    def do_create(self) -> None:
        """Create what the form says."""
        self._window.show_view("create")
        self._window.create_from_form()

    # -- help

    def do_rules(self) -> None:
        """Open the rule browser."""
        self.rule_pages.browse()

    def do_vulkan_terms(self) -> None:
        """Say what the terms of the description are called in Vulkan."""
        self.rule_pages.show_terms()

    def do_shortcuts(self) -> None:
        """List every shortcut."""
        from explorer.ui.shortcuts_dialog import ShortcutsDialog

        dialog = ShortcutsDialog(self._window.actions_set, self.workspace.theme, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def do_about(self) -> None:
        """Say what this is."""
        from explorer import __version__

        text = (
            f"Memory-layout explorer {__version__}\n\nShows where every byte of GPU memory goes under Direct3D, on a "
            "simulated device.\nTimes are estimates. MIT licence."
        )
        self.show_text("About", text)

    def show_text(self, title: str, text: str) -> None:
        """Show a text in a dialog of its own."""
        box = QMessageBox(QMessageBox.Icon.NoIcon, title, text, QMessageBox.StandardButton.Close, self._window)
        box.setObjectName("text_dialog")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def choose_palette_entry(self, entry: Entry) -> None:
        """Do what a line of the palette says."""
        match entry.kind:
            case "action":
                self._window.actions_set[entry.key].trigger()
            case "view":
                self._window.show_view(entry.key)
            case "resource":
                self.workspace.select((int(entry.key),))
                self._window.scroll_map_to(int(entry.key))
            case "scenario":
                self.opener.open_scenario(entry.key)
            case _:
                self.opener.reopen(adapter=entry.key)
