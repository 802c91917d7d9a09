"""Docks whose titles are tabs: movable, closable, restorable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QMainWindow, QSizePolicy, QTabBar, QWidget

from explorer.ui.controls import IconButton

if TYPE_CHECKING:
    from explorer.ui.theme import Theme
    from explorer.ui.view_shelf import ViewPlace


class _TitleText(QWidget):
    """The title of a lone dock, drawn as a current tab, with its count as a badge."""

    def __init__(self, theme: Theme, text: str) -> None:
        super().__init__()
        self._theme, self.text, self.badge = theme, text, ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def sizeHint(self) -> QSize:
        return QSize(60, max(self._theme.size("dock_title"), QFontMetrics(self._theme.font()).height() + 12))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = self._theme
        painter.setFont(theme.font(strong=True))
        width = painter.fontMetrics().horizontalAdvance(self.text)
        painter.setPen(theme.colour("text"))
        box = QRectF(10, 0, self.width() - 10, self.height() - 2)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), self.text)
        painter.fillRect(QRectF(0, self.height() - 2, width + 20, 2), theme.colour("accent"))
        if self.badge:
            painter.setFont(theme.font(theme.caption_px))
            room = painter.fontMetrics().horizontalAdvance(self.badge) + 10
            plate = QRectF(10 + width + 8, self.height() / 2 - 8, room, 15)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("track"))
            painter.drawRoundedRect(plate, 3, 3)
            painter.setPen(QPen(theme.colour("text2")))
            painter.drawText(plate, int(Qt.AlignmentFlag.AlignCenter), self.badge)


class DockTitle(QWidget):
    """The title bar of a lone dock."""

    def __init__(self, theme: Theme, dock: QDockWidget, text: str) -> None:
        super().__init__(dock)
        self.setObjectName("dock_title")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 4, 0)
        layout.setSpacing(0)
        self.label = _TitleText(theme, text)
        layout.addWidget(self.label, 1)
        for icon, tip, call in (("float", f"Float {text}", self._float), ("close", f"Hide {text}", dock.close)):
            button = IconButton(theme, icon, tip)
            button.setProperty("tool", False)
            button.setFixedSize(22, 22)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(call)
            layout.addWidget(button)
        self._dock = dock
        theme.changed.connect(self.update)

    @Slot()
    def _float(self) -> None:
        self._dock.setFloating(not self._dock.isFloating())


class ViewDock(QDockWidget):
    """A dock around a view. In a tab group the tab bar is its title, alone it has one that looks the same."""

    def __init__(self, theme: Theme, name: str, title: str, place: ViewPlace, window: QMainWindow) -> None:
        super().__init__(title, window)
        self._window, self._title, self._place = window, title, place
        self.setObjectName(f"dock_{name}")
        self.setWidget(place)
        self._alone = DockTitle(theme, self, title)
        self._in_tabs = QWidget(self)
        self._in_tabs.setFixedHeight(0)
        self.setTitleBarWidget(self._alone)
        self.visibilityChanged.connect(self._on_visible)
        self.visibilityChanged.connect(self.refresh_title)
        self.topLevelChanged.connect(self.refresh_title)
        self.dockLocationChanged.connect(self.refresh_title)

    @Slot(bool)
    def _on_visible(self, visible: bool) -> None:
        # A dock behind others in a tab group is told False, although it is shown to Qt.
        if visible:
            self._place.fill()

    @Slot()
    def refresh_title(self) -> None:
        """Show or hide the own title bar, as the dock shares a tab bar or not."""
        neighbours = [dock for dock in self._window.tabifiedDockWidgets(self) if not dock.isHidden()]
        wanted = self._in_tabs if neighbours and not self.isFloating() else self._alone
        if self.titleBarWidget() is not wanted:
            self.titleBarWidget().hide()
            self.setTitleBarWidget(wanted)
            wanted.setVisible(True)

    def set_badge(self, text: str) -> None:
        """Show a count beside the title."""
        if text == self._alone.label.badge:
            return
        self._alone.label.badge = text
        self._alone.label.update()
        self.setWindowTitle(f"{self._title}  {text}" if text else self._title)


class TabBarTuner(QObject):
    """Makes the tab bars of docks, which Qt creates when it likes, behave as the others."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tune new tab bars."""
        if event.type() == QEvent.Type.ChildPolished:
            for bar in watched.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
                if not bar.property("tuned"):
                    bar.setProperty("tuned", True)
                    bar.setDrawBase(False)
                    bar.setExpanding(False)
                    bar.setElideMode(Qt.TextElideMode.ElideNone)
                    bar.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return super().eventFilter(watched, event)
