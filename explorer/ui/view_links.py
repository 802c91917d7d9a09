"""How the views talk to each other: selection both ways, the ghost, badges, what the map shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, QTimer, Slot

if TYPE_CHECKING:
    from explorer.device.outcome import Preview
    from explorer.ui.main_window import MainWindow
    from explorer.ui.workspace import Workspace

_VISIBLE_MS = 120


class ViewLinks(QObject):
    """Connects the views of a window."""

    def __init__(self, window: MainWindow, workspace: Workspace) -> None:
        super().__init__(window)
        self._window, self._workspace = window, workspace
        self._is_map_only = False
        workspace.selection_changed.connect(self._on_selection)
        window.views.made.connect(self._link)
        for name, _ in window.views.existing():
            self._link(name)
        self._visible = QTimer(self)
        self._visible.setSingleShot(True)
        self._visible.setInterval(_VISIBLE_MS)
        self._visible.timeout.connect(self._send_visible)
        workspace.snapshot_changed.connect(self._on_map_moved)

    @property
    def _map(self) -> Any:
        return self._window.views["map"]

    @property
    def _table(self) -> Any:
        return self._window.views["resources"]

    @Slot(str)
    def _link(self, name: str) -> None:
        """Connect a view that was made."""
        view: Any = self._window.views[name]
        if name != "resources" and hasattr(view, "resources_selected"):
            # The table's own selection scrolls the map besides.
            view.resources_selected.connect(self._on_picked)
        match name:
            case "map":
                view.block_hovered.connect(self._window.status.show_hover)
                view.block_hovered.connect(self._on_map_moved)
            case "resources":
                view.resources_selected.connect(self._on_row_picked)
                view.count_changed.connect(self._on_rows)
                view.visible_only_wanted.connect(self._on_visible_wanted)
            case "events":
                view.count_changed.connect(self._on_events)
                view.subject_picked.connect(self._on_subject)
                view.refusal_picked.connect(self._on_refusal)
            case "advisor":
                view.count_changed.connect(self._on_advice)
            case "subresources":
                view.bytes_wanted.connect(self._on_bytes)
            case "create":
                view.ghost_changed.connect(self._on_ghost)
            case "device":
                view.adapter_chosen.connect(self._on_adapter)
                view.allocator_chosen.connect(self._on_allocator)
            case _:
                pass
        if self._workspace.selection and hasattr(view, "select_resources"):
            view.select_resources(self._workspace.selection)

    @Slot(object)
    def _on_selection(self, chosen: tuple[int, ...]) -> None:
        for _, view in self._window.views.existing():
            if hasattr(view, "select_resources"):
                view.select_resources(chosen)

    @Slot(object)
    def _on_picked(self, chosen: object) -> None:
        # The view may show an older snapshot than the newest one.
        self._workspace.select(self._window.pacer.found_again(self.sender(), chosen) if chosen is not None else ())  # pyright: ignore[reportArgumentType] - a view sends a list of indices

    @Slot(object)
    def _on_row_picked(self, chosen: list[int]) -> None:
        self._workspace.select(self._window.pacer.found_again(self._table, chosen))
        if len(self._workspace.selection) == 1:
            self._map.scroll_to_resource(self._workspace.selection[0])

    @Slot(object, bool)
    def _on_bytes(self, place: tuple[str, int, int] | None, reveal: bool) -> None:
        # The map is not made to be told that nothing is pointed to.
        if place is not None or "map" in dict(self._window.views.existing()):
            self._map.show_bytes(place, reveal=reveal)

    @Slot(object)
    def _on_rows(self, counts: tuple[int, int]) -> None:
        shown, total = counts
        text = f"{total:,}" if shown == total else f"{shown:,} of {total:,}"
        self._window.docks["resources"].set_badge(text)

    @Slot(object)
    def _on_events(self, count: int) -> None:
        self._window.docks["events"].set_badge(f"{count:,}")

    @Slot(object)
    def _on_advice(self, count: int) -> None:
        self._window.docks["advisor"].set_badge(f"{count:,}" if count else "")

    @Slot(str)
    def _on_refusal(self, name: str) -> None:
        self._window.views["advisor"].reporter.report(name)

    @Slot(str)
    def _on_subject(self, name: str) -> None:
        snapshot = self._workspace.snapshot
        if snapshot is None:
            return
        if name in snapshot.resources.names:
            index = snapshot.resources.names.index(name)
            self._workspace.select((index,))
            self._map.scroll_to_resource(index)
        else:
            self._window.status.showMessage(f"{name} does not live in this frame.", 4000)

    @Slot(object)
    def _on_ghost(self, shown: tuple[Preview, str, str] | None) -> None:
        if shown is None:
            self._map.set_ghost(None)
            return
        preview, name, heap = shown
        ghost, snapshot = preview.ghost, self._workspace.snapshot
        place = snapshot.segments[ghost.segment] if snapshot is not None and ghost is not None else None
        if place is not None and ghost is not None and ghost.heap < 0 and place.placement == "paged":
            # A heap of its own in paged memory has no place among the others: the verdict says so already.
            self._map.set_ghost(None)
            return
        self._map.set_ghost(preview.ghost, name, preview.refusal, self._small_holes(preview, heap))

    def _small_holes(self, preview: Preview, heap: str) -> list[tuple[int, int, int, int]]:
        """Return the holes that are too small, where a resource has no place."""
        snapshot, layout = self._workspace.snapshot, preview.layout
        if preview.ghost is not None or not preview.refusal or layout is None or snapshot is None:
            return []
        if heap in snapshot.heaps.names:
            index = snapshot.heaps.names.index(heap)
            return self._map.holes_of(int(snapshot.heaps.segment[index]), index, layout.size_bytes)
        names = [segment.name for segment in snapshot.segments]
        if preview.segment not in names or snapshot.segments[names.index(preview.segment)].placement != "contiguous":
            return []
        return self._map.holes_of(names.index(preview.segment), -1, layout.size_bytes)

    @Slot(str)
    def _on_adapter(self, name: str) -> None:
        self._window.opener.reopen(adapter=name)

    @Slot(str)
    def _on_allocator(self, name: str) -> None:
        self._window.opener.reopen(allocator=name)

    @Slot()
    def _on_map_moved(self) -> None:
        if self._is_map_only and not self._visible.isActive():
            self._visible.start()

    @Slot(bool)
    def _on_visible_wanted(self, on: bool) -> None:
        self._is_map_only = on
        if on:
            self._send_visible()

    @Slot()
    def _send_visible(self) -> None:
        """Tell the table which resources the map shows."""
        snapshot = self._workspace.snapshot
        if snapshot is None or not hasattr(self._map, "visible_resources"):
            return
        mask = np.zeros(len(snapshot.resources.names), np.bool_)
        mask[np.asarray(self._map.visible_resources(), np.int64)] = True
        self._table.set_visible_on_map(mask)
