"""Where the docks of the window are: their first places by the size of the window, until the user moves one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject, QSize, Qt, QTimer, Slot

from explorer.ui.views import VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtWidgets import QMainWindow

    from explorer.ui.docks import ViewDock

LEFT_PX, RIGHT_PX, BOTTOM_PX, EVENTS_PX = 340, 300, 220, 380
_LOW_PX = 800
_NARROW_PX = 1400
"""Below this width the Inspector is a tab behind Create (VISUAL section 4)."""

_AREAS = {
    "left_top": Qt.DockWidgetArea.LeftDockWidgetArea, "left_bottom": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea, "bottom_left": Qt.DockWidgetArea.BottomDockWidgetArea,
    "bottom_right": Qt.DockWidgetArea.BottomDockWidgetArea,
}  # fmt: skip


class DockLayout(QObject):
    """Arranges the docks of a window.

    Args:
        window: The window.
        docks: Its docks by the id of their view.
        scaled: Returns a length for the font of the system: a larger one needs more room.
    """

    def __init__(self, window: QMainWindow, docks: Mapping[str, ViewDock], scaled: Callable[[int], int]) -> None:
        super().__init__(window)
        self._window, self._docks, self._scaled = window, docks, scaled
        self._is_narrow: bool | None = None
        self._is_low = False
        self._asked_size: QSize | None = None
        # Until the user moves a dock, the first layout follows the size of the window.
        self._is_automatic, self._arranging = True, False
        for dock in docks.values():
            dock.dockLocationChanged.connect(self._on_moved)

    def arrange(self) -> None:
        """Put every dock where it is at first."""
        window = self._window
        self._arranging = True
        # In a low window one tab group has more room than three thin docks.
        self._is_low = window.height() < self._scaled(_LOW_PX)
        first: dict[str, ViewDock] = {}
        for spec in VIEWS:
            dock = self._docks.get(spec.id)
            if dock is None:
                continue
            dock.setFloating(False)
            if self._is_low and spec.area == "left_bottom" and "left_top" in first:
                window.tabifyDockWidget(first["left_top"], dock)
                first[spec.area] = dock
            elif spec.area in first:
                window.tabifyDockWidget(first[spec.area], dock)
            else:
                orientation = Qt.Orientation.Vertical if spec.area.startswith("left") else Qt.Orientation.Horizontal
                window.addDockWidget(_AREAS[spec.area], dock, orientation)
                first[spec.area] = dock
            dock.show()
        for dock in first.values():
            dock.raise_()
        self._place_inspector(window.width() < self._scaled(_NARROW_PX))
        self._set_sizes()
        self._finish(automatic=True)

    def restore(self, layout: tuple[QByteArray, QByteArray] | None) -> None:
        """Put the docks where the user left them (geometry of the window, state of its docks); None changes nothing."""
        if layout is None:
            return
        self._arranging = True
        self._window.restoreGeometry(layout[0])
        self._window.restoreState(layout[1])
        self._finish(automatic=False)

    def follow_size(self) -> None:
        """Arrange anew where the window became narrow, wide, low or high, unless the user did it his way."""
        window = self._window
        shape = (window.width() < self._scaled(_NARROW_PX), window.height() < self._scaled(_LOW_PX))
        if self._is_automatic and shape != (self._is_narrow, self._is_low):
            self._asked_size = window.size()
            self.arrange()
            QTimer.singleShot(0, self, self._settle_size)

    def _finish(self, *, automatic: bool) -> None:
        for dock in self._docks.values():
            dock.refresh_title()
        self._arranging = False
        self._is_automatic = automatic

    @Slot()
    def _on_moved(self) -> None:
        if not self._arranging:
            self._is_automatic = False

    def _place_inspector(self, narrow: bool) -> None:
        self._is_narrow = narrow
        window = self._window
        inspector, create = self._docks["inspector"], self._docks["create"]
        if narrow:
            window.tabifyDockWidget(create, inspector)
        else:
            window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, inspector)
        # Where the Inspector is there is room for what is looked at now and then.
        window.tabifyDockWidget(inspector, self._docks["policies"])
        (create if narrow else inspector).raise_()

    def _set_sizes(self) -> None:
        window, docks = self._window, self._docks
        scaled = self._scaled
        left = scaled(LEFT_PX if not self._is_narrow else LEFT_PX - 20)
        window.resizeDocks([docks["device"]], [left], Qt.Orientation.Horizontal)
        if not self._is_narrow:
            window.resizeDocks([docks["inspector"]], [scaled(RIGHT_PX)], Qt.Orientation.Horizontal)
        bottom = scaled(BOTTOM_PX) + max(window.height() - scaled(_LOW_PX), 0) // 6
        window.resizeDocks([docks["resources"]], [bottom], Qt.Orientation.Vertical)
        wide = max(window.width() - scaled(LEFT_PX) - scaled(EVENTS_PX), 400)
        window.resizeDocks([docks["resources"], docks["events"]], [wide, scaled(EVENTS_PX)], Qt.Orientation.Horizontal)
        low = window.height() * 2 // 5
        window.resizeDocks([docks["device"], docks["create"]], [low, window.height() - low], Qt.Orientation.Vertical)

    @Slot()
    def _settle_size(self) -> None:
        """Go back to the size that was asked for: docks on their way to a place may have pushed the window wider."""
        if self._asked_size is not None and self._asked_size != self._window.size():
            self._window.resize(self._asked_size)
        self._asked_size = None
        self._set_sizes()
