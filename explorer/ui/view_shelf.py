"""The views of a window, each made when it is first looked at: what nobody sees does not hold up the first paint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.ui.views import VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from explorer.ui.views import ViewSpec
    from explorer.ui.workspace import Workspace

_FIRST_MS, _NEXT_MS = 60, 20
"""Between the first paint and the views behind others, and between two of these: the window answers in between."""


class ViewPlace(QWidget):
    """Where a view lies in its dock or tab; empty until the view is made.

    Args:
        make: Makes the view and puts it here.
    """

    def __init__(self, make: Callable[[], object]) -> None:
        super().__init__()
        self._make = make
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)

    @Slot()
    def fill(self) -> None:
        """Make the view, if it is not there yet."""
        if self._column.isEmpty():
            self._make()

    def hold(self, view: QWidget) -> None:
        """Show a view here."""
        self._column.addWidget(view)
        if self.isVisible():
            # Not in a later turn: a picture may be taken before it.
            view.show()


class ViewShelf(QObject):
    """All views by id: ``shelf["map"]`` makes the map where it does not exist yet.

    Signals:
        made: Id of a view that exists from now on.
    """

    made = Signal(str)

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._specs: dict[str, ViewSpec] = {spec.id: spec for spec in VIEWS}
        self._views: dict[str, Any] = {}
        self._places: dict[str, ViewPlace] = {}
        self._early = QTimer(self)
        self._early.setSingleShot(True)
        self._early.timeout.connect(self._make_early)

    def __contains__(self, name: str) -> bool:
        return name in self._specs

    def __getitem__(self, name: str) -> Any:
        """Return a view; it is made now if it was not needed before.

        Raises:
            KeyError: There is no such view.
        """
        view = self._views.get(name)
        return view if view is not None else self._put(self._specs[name])

    def place(self, name: str) -> ViewPlace:
        """Return where a view lies, or will lie."""
        place = self._places.get(name)
        if place is None:
            place = self._places[name] = ViewPlace(lambda: self[name])
        return place

    def existing(self) -> Iterator[tuple[str, Any]]:
        """Return id and view of those that were made."""
        return iter(tuple(self._views.items()))

    def make_early_soon(self) -> None:
        """Make what must follow a run unseen, one view in a turn of the event loop."""
        if any(spec.early and spec.id not in self._views for spec in VIEWS):
            self._early.start(_FIRST_MS)

    def close(self) -> None:
        """Make no more by itself."""
        self._early.stop()

    def _put(self, spec: ViewSpec) -> Any:
        view: Any = spec.make(self._workspace)
        # First, so that whoever hears of it finds it.
        self._views[spec.id] = view
        self.place(spec.id).hold(view)
        self.made.emit(spec.id)
        return view

    @Slot()
    def _make_early(self) -> None:
        waiting = [spec for spec in VIEWS if spec.early and spec.id not in self._views]
        for spec in waiting[:1]:
            self._put(spec)
        if waiting[1:]:
            self._early.start(_NEXT_MS)
