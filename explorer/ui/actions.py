"""Every action of the window, declared once: menus, tool bar, palette and the list of shortcuts are built from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

    from explorer.ui.theme import Theme
    from explorer.ui.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """An action.

    Attributes:
        id: Its name; the handler is the window's method ``do_<id>``.
        text: What menus and the palette say, with its mnemonic.
        menu: Menu that holds it; empty for the palette only.
        shortcut: Key sequence, or empty.
        icon: Icon, or empty.
        enabled: ``always``, ``live`` (a simulation takes commands), ``snapshot``, ``selection``, ``undo``, ``redo``.
        why: What the tool tip says while it is disabled.
        checkable: Whether it has a state.
        separated: Whether a line stands in front of it in its menu.
    """

    id: str
    text: str
    menu: str
    shortcut: str = ""
    icon: str = ""
    enabled: str = "always"
    why: str = ""
    checkable: bool = False
    separated: bool = False


MENUS = ("&File", "&Edit", "&View", "&Simulation", "&Device", "&Help")

_FILE, _EDIT, _VIEW, _SIMULATION, _DEVICE, _HELP = MENUS
_NO_TIME = "An imported layout has no time: open a scenario to play"

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("open_file", "&Open…", _FILE, "Ctrl+O", "open"),
    ActionSpec("open_scenario", "Open &scenario…", _FILE, "Ctrl+Shift+O"),
    ActionSpec(
        "save_session", "&Save session…", _FILE, "Ctrl+S", "", "live", "Only a scenario can be saved as a session"
    ),
    ActionSpec("clear_recent", "&Clear recent files", _FILE),
    ActionSpec("export", "&Export…", _FILE, "Ctrl+E", "export", "snapshot", "Nothing is open", separated=True),
    ActionSpec("quit", "&Quit", _FILE, "Ctrl+Q", separated=True),
    ActionSpec("undo", "&Undo", _EDIT, "Ctrl+Z", "undo", "undo", "The journal holds nothing to take back"),
    ActionSpec("redo", "&Redo", _EDIT, "Ctrl+Shift+Z", "redo", "redo", "Nothing was undone"),
    ActionSpec("select_all", "Select &all resources", _EDIT, "", "", "snapshot", "Nothing is open", separated=True),
    ActionSpec("select_none", "Select &none", _EDIT, "Ctrl+Shift+A", "", "selection", "Nothing is selected"),
    ActionSpec("copy_selection", "&Copy selected rows", _EDIT, "Ctrl+C", "", "selection", "Nothing is selected"),
    ActionSpec(
        "release_selection",
        "&Release selected resources",
        _EDIT,
        "Ctrl+Backspace",
        "",
        "live_selection",
        "Select resources of a running scenario",
    ),
    ActionSpec("find", "&Find on the map", _EDIT, "Ctrl+F", "search", separated=True),
    ActionSpec("palette", "Command &palette…", _EDIT, "Ctrl+K", "search"),
    ActionSpec("theme_system", "Theme: as the &system", _VIEW, checkable=True, separated=True),
    ActionSpec("theme_light", "Theme: &light", _VIEW, checkable=True),
    ActionSpec("theme_dark", "Theme: &dark", _VIEW, checkable=True),
    ActionSpec("switch_theme", "S&witch light and dark", _VIEW, "Ctrl+Shift+L", "theme"),
    ActionSpec("units_binary", "Units: &KiB, MiB, GiB", _VIEW, checkable=True, separated=True),
    ActionSpec("units_bytes", "Units: exact &bytes", _VIEW, checkable=True),
    ActionSpec("full_screen", "&Full screen", _VIEW, "F11", checkable=True, separated=True),
    ActionSpec("reset_layout", "&Restore the layout", _VIEW),
    ActionSpec("restart", "&Restart", _SIMULATION, "Ctrl+R", "restart", "scenario", _NO_TIME),
    ActionSpec("step_back", "Step &back", _SIMULATION, "Alt+Left", "step_back", "live", _NO_TIME),
    ActionSpec("play", "&Play or pause", _SIMULATION, "Ctrl+Space", "play", "live", _NO_TIME, checkable=True),
    ActionSpec("step_call", "Step one &call", _SIMULATION, "Alt+Shift+Right", "step_call", "live", _NO_TIME),
    ActionSpec("step_event", "Step to the next &event", _SIMULATION, "Ctrl+Shift+Right", "", "live", _NO_TIME),
    ActionSpec("step_frame", "Step one &frame", _SIMULATION, "Alt+Right", "step_frame", "live", _NO_TIME),
    ActionSpec("step_ten", "Step &ten frames", _SIMULATION, "Ctrl+Alt+Right", "", "live", _NO_TIME),
    ActionSpec("next_mark", "Go to the &next mark", _SIMULATION, "Alt+N", "", "live", _NO_TIME, separated=True),
    ActionSpec("previous_mark", "Go to the pre&vious mark", _SIMULATION, "Alt+Shift+N", "", "live", _NO_TIME),
    ActionSpec("loop", "&Loop", _SIMULATION, "Ctrl+L", "loop", "live", _NO_TIME, checkable=True),
    ActionSpec(
        "choose_adapter",
        "Choose &adapter…",
        _DEVICE,
        "Ctrl+D",
        "device",
        "scenario",
        "An imported layout keeps its adapter: open a scenario to change it",
    ),
    ActionSpec("own_adapter", "Go back to the &scenario's adapter", _DEVICE, "", "", "scenario", _NO_TIME),
    ActionSpec("create", "&Create", _DEVICE, "Ctrl+Return", "create", "live", _NO_TIME, separated=True),
    ActionSpec("rules", "&Rules…", _HELP, "Ctrl+Shift+R"),
    ActionSpec("vulkan_terms", "&Terms of Vulkan…", _HELP),
    ActionSpec("shortcuts", "&Keyboard shortcuts", _HELP, "F1", separated=True),
    ActionSpec("about", "&About", _HELP),
)


class ActionSet(QObject):
    """The actions as ``QAction``s of a window.

    Args:
        window: Where the shortcuts work.
        commands: The object with the handlers ``do_<id>``.
        workspace: What decides which actions are enabled.
        theme: Tints the icons.
    """

    def __init__(self, window: QWidget, commands: QObject, workspace: Workspace, theme: Theme) -> None:
        super().__init__(window)
        self._workspace, self._theme = workspace, theme
        self._actions: dict[str, QAction] = {}
        self._enabled: dict[str, bool] = {}
        self._specs: Mapping[str, ActionSpec] = {spec.id: spec for spec in ACTIONS}
        for spec in ACTIONS:
            handler: Callable[[], None] = getattr(commands, f"do_{spec.id}")
            action = QAction(spec.text, window)
            action.setObjectName(f"action_{spec.id}")
            action.setCheckable(spec.checkable)
            if spec.shortcut:
                action.setShortcut(QKeySequence(spec.shortcut))
                action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            action.triggered.connect(handler)
            self._actions[spec.id] = action
            window.addAction(action)
        theme.changed.connect(self._retint)
        self._retint()
        self.refresh()

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def all(self) -> tuple[tuple[ActionSpec, QAction], ...]:
        """Return every action with its declaration."""
        return tuple((spec, self._actions[spec.id]) for spec in ACTIONS)

    def refresh(self) -> None:
        """Enable what can be done now; a disabled action's tool tip says why."""
        rules = {spec.enabled: self._is_enabled(spec.enabled) for spec in ACTIONS}
        if rules == self._enabled:
            # Called with every state of a running simulation: most change nothing.
            return
        self._enabled = rules
        for spec, action in self.all():
            enabled = rules[spec.enabled]
            action.setEnabled(enabled)
            plain = spec.text.replace("&", "").rstrip("…")
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            tip = f"{plain} ({keys})" if keys else plain
            action.setToolTip(tip if enabled or not spec.why else f"{tip}: {spec.why}")

    def fill(self, bar: QMenuBar, theme_menus: Mapping[str, Callable[[QMenu], None]]) -> None:
        """Build the menus; ``theme_menus`` adds to the top of the menus that it names."""
        for title in MENUS:
            menu = bar.addMenu(title)
            menu.setToolTipsVisible(True)
            extra = theme_menus.get(title)
            if extra is not None:
                extra(menu)
            for spec, action in self.all():
                if spec.menu != title:
                    continue
                if spec.separated:
                    menu.addSeparator()
                menu.addAction(action)

    def _is_enabled(self, rule: str) -> bool:
        workspace = self._workspace
        state = workspace.run_state
        live = workspace.is_live and not workspace.is_loading
        match rule:
            case "live":
                return live
            case "scenario":
                return workspace.document.kind == "scenario"
            case "snapshot":
                return workspace.snapshot is not None
            case "selection":
                return bool(workspace.selection)
            case "live_selection":
                return live and bool(workspace.selection)
            case "undo":
                return live and state is not None and state.can_undo > 0
            case "redo":
                return live and state is not None and state.can_redo > 0
            case _:
                return True

    def _retint(self) -> None:
        for spec, action in self.all():
            if spec.icon:
                action.setIcon(self._theme.icon(spec.icon))
                # Menus stay quiet: icons belong to the bars.
                action.setIconVisibleInMenu(False)
