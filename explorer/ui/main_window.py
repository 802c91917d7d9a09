"""The main window: menus, top bar, message line, map in the centre, docks around it, status bar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QEvent, QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFocusFrame,
    QLayout,
    QMainWindow,
    QMenu,
    QTabBar,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from explorer.ui.actions import ActionSet
from explorer.ui.adapter_desk import AdapterDesk
from explorer.ui.controller import PLAYING_MS
from explorer.ui.dock_layout import DockLayout
from explorer.ui.docks import TabBarTuner, ViewDock
from explorer.ui.housekeeping import Housekeeping
from explorer.ui.long_work import LongWork
from explorer.ui.menu_row import MenuRow
from explorer.ui.message_bar import MessageBar, WorkBar
from explorer.ui.opening import Opener
from explorer.ui.pacing import USUAL_MS, ViewPacer
from explorer.ui.palette_popup import PalettePopup
from explorer.ui.status import StatusLine
from explorer.ui.tab_order import next_stop
from explorer.ui.top_bar import TopBar
from explorer.ui.view_links import ViewLinks
from explorer.ui.view_shelf import ViewPlace, ViewShelf
from explorer.ui.views import VIEWS
from explorer.ui.window_commands import WindowCommands

if TYPE_CHECKING:
    from explorer.ui.workspace import Document, Workspace

_RHYTHM_MS = {"map": PLAYING_MS}
"""What must look alive; other views follow a few times a second (``pacing.USUAL_MS``)."""

_BAR_MS = 100
_LEAST_PX, _LEAST_HIGH_PX = 1152, 560


class MainWindow(QMainWindow):
    """The window of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("main_window")
        self.setWindowTitle("Memory-layout explorer")
        # The docks of a wide window must not keep it wide: in a narrow one they are arranged anew.
        frame = self.layout()
        if frame is not None:
            frame.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self.setMinimumSize(_LEAST_PX, _LEAST_HIGH_PX)
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        self.setDockOptions(
            # Not animated: nothing moves by itself.
            QMainWindow.DockOption.AllowNestedDocks | QMainWindow.DockOption.AllowTabbedDocks
        )
        for area in (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea,
                     Qt.DockWidgetArea.BottomDockWidgetArea):  # fmt: skip
            self.setTabPosition(area, QTabWidget.TabPosition.North)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.BottomDockWidgetArea)
        self.workspace = workspace
        self.work = LongWork(self)
        self.opener = Opener(workspace, self.work)
        self.adapter_desk = AdapterDesk(self)
        self.commands = WindowCommands(self, workspace, self.opener)
        self.actions_set = ActionSet(self, self.commands, workspace, workspace.theme)
        self.views = ViewShelf(workspace, self)
        self.docks: dict[str, ViewDock] = {}
        self._tuner = TabBarTuner(self)
        self._palette: PalettePopup | None = None
        self._is_closed = self._is_painted = False
        self.pacer = ViewPacer(workspace, self)
        self.housekeeping = Housekeeping(workspace, self)
        self._build_bars()
        self._build_views()
        self.links = ViewLinks(self, workspace)
        # After the links: the first snapshot makes a view tell what its tab counts.
        self.views.made.connect(self._on_made)
        self._connect(workspace)
        self.resize(1440, 900)
        self.dock_layout = DockLayout(self, self.docks, workspace.theme.scaled)
        self.dock_layout.arrange()
        self._mark_choices()
        self.dock_layout.restore(workspace.settings.layout())

    # -- parts

    def _connect(self, workspace: Workspace) -> None:
        self._ring = QFocusFrame(self)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus)
        workspace.document_changed.connect(self._on_document)
        workspace.run_state_changed.connect(self._on_state)
        workspace.selection_changed.connect(self._on_state)
        workspace.messaged.connect(self.messages.show_message)
        workspace.goto_requested.connect(self.show_view)
        workspace.theme.changed.connect(self._on_theme)
        workspace.units_changed.connect(self._mark_choices)
        self.messages.acted.connect(self._on_message_action)
        self.work.started.connect(self.working.show_work)
        self.work.progressed.connect(self.working.show_progress)
        self.work.ended.connect(self.working.finish)
        self.working.cancelled.connect(self.work.cancel)

    def _build_bars(self) -> None:
        # Not menuBar(): that one would be deleted when the whole head becomes the menu widget.
        self.menu_row = MenuRow(self.workspace)
        self.menu_row.palette_wanted.connect(self.commands.do_palette)
        self.recent_menu = QMenu("Open &recent", self)
        self.recent_menu.aboutToShow.connect(self._fill_recent)
        self.actions_set.fill(self.menu_row.bar, {"&File": self._add_recent_menu, "&View": self._add_view_menu})
        self.top_bar = TopBar(self.workspace, self.actions_set)
        self.top_bar.sought.connect(self.commands.seek)
        self.top_bar.speed_chosen.connect(self.commands.set_speed)
        self.messages = MessageBar(self.workspace.theme)
        self.working = WorkBar()

    def _build_views(self) -> None:
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.centre_tabs = QTabWidget()
        self.centre_tabs.setObjectName("centre_tabs")
        self.centre_tabs.setDocumentMode(True)
        self.centre_tabs.tabBar().setExpanding(False)
        self.centre_tabs.tabBar().setDrawBase(False)
        column.addWidget(self.centre_tabs)
        self.setCentralWidget(centre)
        head = QWidget()
        rows = QVBoxLayout(head)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        for part in (self.menu_row, self.top_bar, self.working, self.messages):
            rows.addWidget(part)
        # The menu widget spans the whole width above the docks, so the top bar does too.
        self.setMenuWidget(head)
        for spec in VIEWS:
            place = self.views.place(spec.id)
            if spec.area == "centre":
                self.centre_tabs.addTab(place, spec.title)
            else:
                self.docks[spec.id] = ViewDock(self.workspace.theme, spec.id, spec.title, place, self)
        self.centre_tabs.currentChanged.connect(self._fill_centre)
        # Behind the views, so that Tab comes there last.
        self.status = StatusLine(self.workspace)
        self.setStatusBar(self.status)
        self.pacer.add(self.top_bar, _BAR_MS)
        self.pacer.add(self.status)

    @Slot(str)
    def _on_made(self, name: str) -> None:
        self.pacer.add(self.views[name], _RHYTHM_MS.get(name, USUAL_MS))

    @Slot()
    def _fill_centre(self) -> None:
        place = self.centre_tabs.currentWidget()
        if isinstance(place, ViewPlace):
            place.fill()

    def _add_recent_menu(self, menu: QMenu) -> None:
        menu.addMenu(self.recent_menu)

    def _add_view_menu(self, menu: QMenu) -> None:
        for spec in VIEWS:
            action = QAction(spec.title, self)
            action.setObjectName(f"show_{spec.id}")
            action.setShortcut(QKeySequence(spec.shortcut))
            action.setData(spec.id)
            action.triggered.connect(self._on_show_view)
            menu.addAction(action)

    # -- what commands use

    @Slot(str)
    def show_view(self, name: str) -> None:
        """Bring a view to the front."""
        if name not in self.views:
            return
        view, dock = self.views[name], self.docks.get(name)
        if dock is None:
            self.centre_tabs.setCurrentWidget(self.views.place(name))
        else:
            dock.show()
            dock.raise_()
        view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def open_palette(self, text: str) -> None:
        """Open the command palette with a text."""
        if self._palette is None:
            self._palette = PalettePopup(self.workspace, self.actions_set, self)
            self._palette.entry_chosen.connect(self.commands.choose_palette_entry)
        field = self.menu_row.palette_field
        right = field.mapToGlobal(field.rect().topRight()).x()
        self._palette.open_over(self, right, text)

    def palette_popup(self) -> PalettePopup | None:
        """Return the command palette; None before it was opened."""
        return self._palette

    def shown_rows(self) -> Any:
        """Return the rows of Resources as they are shown: resource indices, int64; None before the first snapshot."""
        model = self.views["resources"].model
        return model.order if model.rows is not None and self.views["resources"].is_current() else None

    def copy_rows(self) -> None:
        """Copy the selected rows as a table."""
        self.views["resources"].copy_rows()

    def scroll_map_to(self, resource: int) -> None:
        """Show a resource on the map."""
        self.views["map"].scroll_to_resource(resource)

    def focus_map_search(self) -> None:
        """Put the cursor into the map's search."""
        self.views["map"].focus_search()

    def open_adapter_picker(self) -> None:
        """Open the adapter picker."""
        self.views["device"].open_picker()

    def create_from_form(self) -> None:
        """Create what the form says."""
        self.views["create"].create()

    def choose_theme(self, choice: str) -> None:
        """Switch the theme and remember it."""
        self.workspace.theme.choose(choice)
        self.workspace.settings.set_theme(choice)
        self._mark_choices()

    def reset_layout(self) -> None:
        """Put every dock back where it was at first."""
        self.workspace.settings.forget_layout()
        self.dock_layout.arrange()

    # -- reactions

    @Slot(object)
    def _on_document(self, document: Document) -> None:
        self.menu_row.show_document()
        # A new simulation knows neither speed nor loop.
        self.commands.set_speed(self.top_bar.frames_per_second)
        if self.workspace.is_live:
            self.commands.do_loop()
        self._say_document()
        self.actions_set.refresh()

    @Slot()
    def _on_state(self) -> None:
        self.actions_set.refresh()
        self.status.show_state()
        self._say_document()

    def _say_document(self) -> None:
        self.menu_row.show_state()
        name = self.workspace.title
        title = f"{name} – Memory-layout explorer" if name else "Memory-layout explorer"
        if title != self.windowTitle():
            self.setWindowTitle(title)

    @Slot()
    def _on_theme(self) -> None:
        for _, view in self.views.existing():
            if hasattr(view, "set_theme"):
                view.set_theme(self.workspace.theme.name)
        self._mark_choices()

    @Slot()
    def _mark_choices(self) -> None:
        for choice in ("system", "light", "dark"):
            self.actions_set[f"theme_{choice}"].setChecked(self.workspace.theme.choice == choice)
        for units in ("binary", "bytes"):
            self.actions_set[f"units_{units}"].setChecked(self.workspace.units == units)

    @Slot()
    def _on_show_view(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.show_view(str(action.data()))

    @Slot(str)
    def _on_message_action(self, name: str) -> None:
        self.actions_set[name].trigger()

    @Slot()
    def _fill_recent(self) -> None:
        self.recent_menu.clear()
        for path in self.workspace.settings.recent_files():
            action = self.recent_menu.addAction(path)
            action.setData(path)
            action.triggered.connect(self._on_recent)
        if self.recent_menu.isEmpty():
            self.recent_menu.addAction("No file was opened yet").setEnabled(False)

    @Slot()
    def _on_recent(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.opener.open_path(str(action.data()))

    @Slot(QWidget, QWidget)
    def _on_focus(self, _old: QWidget | None, new: QWidget | None) -> None:
        # Fields show the ring as their own border; buttons get it around them.
        if not isValid(self._ring):
            self._ring = QFocusFrame(self)
        round_button = isinstance(new, QAbstractButton) and new.window() is self and new.property("field") is not True
        self._ring.setWidget(new if round_button else None)  # pyright: ignore[reportArgumentType] - None hides it

    # -- events

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Go to the next or the last control as they lie: views are made late, which is the order of Qt."""
        stop = next_stop(self._parts(), self.focusWidget(), forward=forward)
        if stop is None:
            return False
        reasons = Qt.FocusReason
        stop.setFocus(reasons.TabFocusReason if forward else reasons.BacktabFocusReason)
        return True

    def _parts(self) -> list[QWidget]:
        """Return the parts that are shown: the head, docks with their tabs and the centre by columns, the foot."""
        bars = list(self.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly))
        docks = [dock for dock in self.docks.values() if not dock.isFloating()]
        middle = [part for part in (*bars, *docks, self.centre_tabs) if not part.visibleRegion().isEmpty()]
        places = [part.mapTo(self, QPoint(0, 0)) for part in middle]
        order = sorted(range(len(middle)), key=lambda index: (places[index].x(), places[index].y()))
        head = [part for part in (self.menu_row, self.top_bar, self.working, self.messages) if part.isVisible()]
        return [*head, *(middle[index] for index in order), self.status]

    def event(self, event: QEvent) -> bool:
        """Paint in one go: the simulation waits meanwhile, and Python is entered once instead of for every cell."""
        if event.type() != QEvent.Type.UpdateRequest:
            return super().event(event)
        self.workspace.controller.claim_way()
        done = super().event(event)
        self.workspace.controller.release_way()
        if not self._is_painted and not self._is_closed:
            self._is_painted = True
            self.views.make_early_soon()
        return done

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take one file."""
        if _local_files(event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the file; several at once open the first and say so."""
        paths = _local_files(event.mimeData().urls())
        if not paths:
            return
        event.acceptProposedAction()
        self.opener.open_path(paths[0])
        if len(paths) > 1:
            self.workspace.tell("info", f"{len(paths)} files were dropped; the first was opened.")

    def showEvent(self, event: object) -> None:
        """Give the menus their room, and the map the keyboard."""
        self.menu_row.give_menus_room()
        self._fill_centre()
        if self.focusWidget() is None:
            # The keyboard begins on what the window is about.
            self.views["map"].setFocus()

    def resizeEvent(self, event: object) -> None:
        """Arrange anew when the window becomes narrow, wide, low or high, unless the user did it his way."""
        self.dock_layout.follow_size()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember the layout and end every thread, once."""
        event.accept()
        if self._is_closed:
            return
        self._is_closed = True
        settings = self.workspace.settings
        settings.set_layout(QByteArray(self.saveGeometry()), QByteArray(self.saveState()))
        settings.flush()
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.disconnect(self._on_focus)
        self.work.close()
        self.views.close()
        # Parts of a window get no closing of their own; this view has a thread.
        policies = dict(self.views.existing()).get("policies")
        if policies is not None:
            policies.close()
        self.workspace.controller.close()


def _local_files(urls: list[QUrl]) -> list[str]:
    return [url.toLocalFile() for url in urls if url.isLocalFile()]
