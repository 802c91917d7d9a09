"""The memory map view: every segment and heap to scale, offset by offset."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QScrollBar, QVBoxLayout, QWidget

from explorer.core.units import format_bytes
from explorer.render.layout import Mode
from explorer.render.rows import default_measures
from explorer.render.tokens import css, palette
from explorer.render.walk import Focus, holes
from explorer.ui.map_canvas import MapCanvas
from explorer.ui.map_legend import MapLegend, MapMinimap
from explorer.ui.map_overlay import axis_range
from explorer.ui.map_screen import MapScreen
from explorer.ui.map_toolbar import MapToolbar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from explorer.device.outcome import Ghost
    from explorer.sim.snapshot import Snapshot

_SUMS_MS = 200
_NOTE_EDGES_PX = 30
_NOTE_ROWS = 16
"""Below so many lines of text a canvas is low: the words stand in the verdict too."""

_BAR_STEPS = 1 << 24
"""A scroll bar counts in 32 bit; a map of 64 GiB in rows of 16 bytes is 10^11 pixels high."""


class MemoryMapView(QWidget):
    """Draws snapshots; keeps zoom, folding and selection, and no simulation state.

    Signals:
        resources_selected: List of resource indices that the user selected here.
        block_hovered: Text for the status bar: place under the cursor and bytes for each pixel.
    """

    resources_selected = Signal(object)
    block_hovered = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("memory_map")
        self.screen_state = MapScreen(default_measures())
        self.toolbar = MapToolbar(self.screen_state)
        self.canvas = MapCanvas(self.screen_state)
        self.minimap = MapMinimap(self.screen_state)
        self.legend = MapLegend(self.screen_state)
        self.vertical = QScrollBar(Qt.Orientation.Vertical)
        self.horizontal = QScrollBar(Qt.Orientation.Horizontal)
        # It lies over the canvas: the map must not jump when it comes and goes.
        self.note = QLabel(self.canvas)
        self.note.setObjectName("map_note")
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setWordWrap(True)
        self.note.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.note.hide()
        self._ghost_note = self._words = ""
        # Sums are read, not watched: they follow the blocks a few times a second, in a slot of their own.
        self._sums = QTimer(self)
        self._sums.setSingleShot(True)
        self._sums.setInterval(_SUMS_MS)
        self.setFocusProxy(self.canvas)
        self._lay_out()
        self._connect()
        self._style_note()

    # -- what the window calls

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show a snapshot at the zoom and place of now."""
        self.screen_state.take(snapshot)
        if self.isVisible():
            self._show_state(sums_later=True)

    def set_theme(self, name: str) -> None:
        """Use the colours of ``light`` or ``dark``."""
        self.screen_state.set_look(palette=palette(name))
        self._style_note()
        for widget in (self.canvas, self.minimap, self.legend, self.toolbar.modes):
            widget.update()

    def select_resources(self, resources: Iterable[int]) -> None:
        """Outline resources, without a signal."""
        self.screen_state.set_marked(selected=(int(index) for index in resources))
        self.canvas.update()

    @property
    def selected(self) -> tuple[int, ...]:
        """Indices of the outlined resources, sorted."""
        return tuple(sorted(self.screen_state.selected))

    def set_ghost(
        self,
        ghost: Ghost | None,
        label: str = "",
        refusal: str = "",
        holes: Sequence[tuple[int, int, int, int]] = (),
    ) -> None:
        """Show where a block would lie, or why it has no place; scrolls there once.

        Args:
            ghost: The place, None for none.
            label: Name of the resource.
            refusal: Why it has no place; empty else.
            holes: Holes that are too small: (segment, heap, offset, size) as in ``BlockColumns``.
        """
        screen = self.screen_state
        before = screen.ghost
        screen.ghost = (ghost, label) if ghost is not None else None
        found = (axis_range(screen, *hole) for hole in holes)
        screen.refused = tuple(span for span in found if span is not None)
        span = self.canvas.overlay.ghost_range()
        if screen.camera is not None:
            screen.camera.keep_rows((span,) if span is not None else ())
            screen.scrolled()
        self._ghost_note = refusal
        if ghost is not None and span is None:
            size = format_bytes(ghost.size)
            self._ghost_note = f"{label} · {size} would get a place of its own in {self._segment_name(ghost.segment)}."
        if span is not None and screen.ghost != before and screen.camera is not None:
            screen.camera.reveal(span[0])
            screen.scrolled()
        self._show_state()

    def holes_of(self, segment: int, heap: int, below: int) -> list[tuple[int, int, int, int]]:
        """Return the holes of a heap (or of a contiguous segment, heap −1) that are smaller than a size.

        Args:
            segment: Index of the segment.
            heap: Index of the heap, −1 for the segment itself.
            below: Bytes.
        """
        scene = self.screen_state.scene
        if scene is None:
            return []
        size = int(scene.places.heap_bytes[heap]) if heap >= 0 else scene.snapshot.segments[segment].size_bytes
        span = axis_range(self.screen_state, segment, heap, 0, size)
        if span is None:
            return []
        first, end = holes(scene)
        inside = np.flatnonzero((first >= span[0]) & (end <= span[1]) & (end - first < below))
        return [(segment, heap, int(first[at]) - span[0], int(end[at] - first[at])) for at in inside]

    def set_search(self, text: str) -> None:
        """Outline the blocks whose names contain a text."""
        if self.toolbar.search.text() != text:
            self.toolbar.search.setText(text)

    def set_colour_by(self, mode_id: str) -> None:
        """Colour by another mode; zoom, selection and labels keep their places."""
        self.toolbar.colours.setCurrentIndex(max(self.toolbar.colours.findData(mode_id), 0))
        self.screen_state.set_look(mode_id=mode_id)
        self._show_state()

    def set_patterns(self, is_on: bool) -> None:
        """Draw kinds with patterns besides colours."""
        self.screen_state.set_look(patterns=is_on)
        self._show_state()

    def visible_range(self) -> tuple[str, int, int] | None:
        """Return title of the lane on top, first visible byte in it and the byte after the last one."""
        camera = self.screen_state.camera if self.screen_state.scene is not None else None
        seen = camera.seen() if camera is not None else None
        return (seen.lane.title, seen.first, seen.end) if seen is not None else None

    def visible_resources(self) -> list[int]:
        """Return the resources of which a part is in view, sorted."""
        frame, scene = self.screen_state.frame(), self.screen_state.scene
        if frame is None or scene is None:
            return []
        parts = [scene.items.block[scene.items.between(strip.first, strip.end)] for strip in frame.strips]
        parts += [scene.aliases.block[scene.aliases.between(strip.first, strip.end)] for strip in frame.strips]
        blocks = np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.int32)
        resources = np.unique(scene.snapshot.blocks.resource[blocks[blocks >= 0]])
        return [int(index) for index in resources if index >= 0]

    def scroll_to_resource(self, resource: int) -> None:
        """Bring a resource into view and put the keyboard there."""
        scene = self.screen_state.scene
        if scene is None:
            return
        for items in (scene.items, scene.aliases):
            of_resource = scene.snapshot.blocks.resource[items.block] == resource
            found = np.flatnonzero(of_resource & (items.block >= 0) & ~items.away)
            if len(found):
                at = int(found[0])
                self.canvas.set_focus(Focus(int(items.start[at]), int(items.end[at]), int(items.block[at])))
                return

    def show_bytes(self, place: tuple[str, int, int] | None, *, reveal: bool = True) -> None:
        """Outline a range of a heap.

        Args:
            place: Heap name, offset and bytes; None takes the outline away.
            reveal: Bring it into view and put the keyboard there.
        """
        self.screen_state.pointed = place
        scene, span = self.screen_state.scene, self.canvas.overlay.pointed_range()
        if reveal and scene is not None and span is not None:
            inside = (scene.items.start <= span[0]) & (span[0] < scene.items.end) & (scene.items.block >= 0)
            found = np.flatnonzero(inside)
            self.canvas.set_focus(Focus(*span, int(scene.items.block[found[0]]) if len(found) else -1))
        self.canvas.update()

    def zoom_to_fit(self) -> None:
        """Show everything."""
        self.screen_state.fit()
        self._show_state()

    def focus_search(self) -> None:
        """Put the cursor into the search."""
        self.toolbar.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.toolbar.search.selectAll()

    # -- inside

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(0)
        grid.addWidget(self.canvas, 0, 0)
        grid.addWidget(self.vertical, 0, 1)
        grid.addWidget(self.horizontal, 1, 0)
        grid.setRowStretch(0, 1)
        grid.setColumnStretch(0, 1)
        column.addWidget(self.toolbar)
        column.addLayout(grid, 1)
        around = QVBoxLayout()
        around.setContentsMargins(12, 6, 12, 0)
        around.addWidget(self.minimap)
        column.addLayout(around)
        column.addWidget(self.legend)
        keeps_room = self.vertical.sizePolicy()
        keeps_room.setRetainSizeWhenHidden(True)
        self.vertical.setSizePolicy(keeps_room)
        self.vertical.hide()
        self.horizontal.hide()
        self.canvas.setMinimumSize(320, 120)

    def _connect(self) -> None:
        self._sums.timeout.connect(self._show_sums)
        self.canvas.view_changed.connect(self._on_view)
        self.canvas.picked.connect(self.resources_selected)
        self.canvas.hover_told.connect(self.block_hovered)
        self.canvas.range_wanted.connect(self._on_range_wanted)
        self.vertical.valueChanged.connect(self._on_vertical)
        self.horizontal.valueChanged.connect(self._on_horizontal)
        self.toolbar.mode_chosen.connect(self._on_mode)
        self.toolbar.row_bytes_chosen.connect(self._on_row_bytes)
        self.toolbar.colour_chosen.connect(self.set_colour_by)
        self.toolbar.range_typed.connect(self._on_range)
        self.toolbar.search_typed.connect(self._on_search)
        self.toolbar.fit_asked.connect(self.zoom_to_fit)
        self.toolbar.zoom_asked.connect(self._on_zoom)
        self.minimap.byte_picked.connect(self._on_byte)

    def showEvent(self, event: object) -> None:
        """Show what came while the view was hidden."""
        super().showEvent(event)  # pyright: ignore[reportArgumentType] - always a QShowEvent
        self._show_state()

    def _show_state(self, *, sums_later: bool = False) -> None:
        scene = self.screen_state.scene
        lost = scene is not None and scene.has_unknown_offsets
        told = "The file does not tell all offsets: those blocks lie end to end, in its order." if lost else ""
        words = " ".join(part for part in (self._ghost_note, told) if part)
        if words != self._words:
            self._words = words
            self.note.setVisible(bool(words))
            self._place_note()
        self.canvas.renew()
        self._show_camera()
        if not sums_later:
            self._show_sums()
        elif not self._sums.isActive():
            self._sums.start()

    def _place_note(self) -> None:
        """Put the note into the lower left corner of the canvas; over a low one it takes a single line."""
        room, metrics = max(self.canvas.width() - 24, 80), self.note.fontMetrics()
        is_low = self.canvas.height() < _NOTE_ROWS * metrics.height()
        cut = metrics.elidedText(self._words, Qt.TextElideMode.ElideRight, room - _NOTE_EDGES_PX)
        self.note.setText(cut if is_low else self._words)
        width = min(room, metrics.horizontalAdvance(self.note.text()) + _NOTE_EDGES_PX)
        height = self.note.heightForWidth(max(width, 80))
        self.note.setGeometry(12, self.canvas.height() - height - 12, max(width, 80), height)

    @Slot()
    def _on_view(self) -> None:
        self._show_camera()
        self._place_note()
        self._show_sums()

    @Slot()
    def _show_sums(self) -> None:
        self._sums.stop()
        self.minimap.update()
        self.legend.update()

    def _show_camera(self) -> None:
        screen = self.screen_state
        camera = screen.camera if screen.scene is not None else None
        if camera is not None:
            self._show_bars()
            seen = camera.seen()
            first, end = (seen.first, seen.end) if seen is not None else (0, 0)
            self.toolbar.show_view(camera.view.mode, camera.view.row_bytes, first, end)

    def _show_bars(self) -> None:
        camera = self.screen_state.camera
        if camera is None:
            return
        with QSignalBlocker(self.vertical), QSignalBlocker(self.horizontal):
            most = camera.most_scroll
            whole = min(most, _BAR_STEPS)
            self.vertical.setVisible(most > 0)
            self.vertical.setRange(0, whole)
            share = whole / most if most else 1
            self.vertical.setPageStep(max(int(camera.height * share), 1))
            self.vertical.setSingleStep(max(int(camera.view.measures.pitch * share), 1))
            self.vertical.setValue(round(camera.scroll * share))
            is_linear = camera.view.mode is Mode.LINEAR and camera.view.span < camera.longest
            self.horizontal.setVisible(is_linear)
            if is_linear:
                rest = max(camera.longest - camera.view.span, 1)
                self.horizontal.setRange(0, _BAR_STEPS)
                self.horizontal.setPageStep(max(int(_BAR_STEPS * camera.view.span / rest), 1))
                self.horizontal.setSingleStep(max(int(_BAR_STEPS * camera.view.span / rest / 20), 1))
                self.horizontal.setValue(round(_BAR_STEPS * camera.view.origin / rest))

    @Slot(int)
    def _on_vertical(self, value: int) -> None:
        camera = self.screen_state.camera
        if camera is not None:
            whole = max(min(camera.most_scroll, _BAR_STEPS), 1)
            camera.scroll_to(camera.most_scroll * value / whole)
            self.screen_state.scrolled()
            self.canvas.refresh()

    @Slot(int)
    def _on_horizontal(self, value: int) -> None:
        camera = self.screen_state.camera
        if camera is not None:
            camera.set_origin((camera.longest - camera.view.span) * value // _BAR_STEPS)
            self.screen_state.scrolled()
            self.canvas.refresh()

    @Slot(object)
    def _on_mode(self, mode: Mode) -> None:
        if self.screen_state.scene is not None and self.screen_state.camera is not None:
            self.screen_state.camera.set_mode(mode)
            if self.screen_state.is_fitted:
                self.screen_state.fit()
            self.screen_state.moved(by_user=False)
            self.canvas.refresh()

    @Slot(object)
    def _on_row_bytes(self, row_bytes: int) -> None:
        if self.screen_state.scene is not None and self.screen_state.camera is not None:
            self.screen_state.camera.set_row_bytes(row_bytes)
            self.screen_state.moved()
            self.canvas.refresh()

    @Slot(object)
    def _on_range(self, span: tuple[int, int]) -> None:
        camera = self.screen_state.camera if self.screen_state.scene is not None else None
        seen = camera.seen() if camera is not None else None
        if camera is not None and seen is not None:
            first = min(span[0], max(seen.lane.extent - 1, 0))
            camera.show_range(seen.lane, first, min(span[1], max(seen.lane.extent, first + 1)))
            self.screen_state.moved()
            self.canvas.refresh()
            self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(str)
    def _on_search(self, text: str) -> None:
        self.screen_state.set_marked(search=text)
        self.canvas.update()

    @Slot(int)
    def _on_zoom(self, steps: int) -> None:
        camera = self.screen_state.camera
        if camera is not None:
            self.canvas.zoom(camera.view.width / 2, camera.height / 2, steps)

    @Slot(object)
    def _on_byte(self, byte: int) -> None:
        camera = self.screen_state.camera
        if camera is not None:
            camera.reveal(byte)
            self.screen_state.scrolled()
            self.canvas.refresh()

    @Slot()
    def _on_range_wanted(self) -> None:
        self.toolbar.range.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.toolbar.range.selectAll()

    def _segment_name(self, segment: int) -> str:
        scene = self.screen_state.scene
        if scene is None or not 0 <= segment < len(scene.snapshot.segments):
            return "memory"
        return scene.snapshot.segments[segment].name

    def _style_note(self) -> None:
        colours = self.screen_state.palette.colour
        ground, text, line = (css(colours[name]) for name in ("infobg", "text", "line2"))
        sheet = f"background: {ground}; color: {text}; border: 1px solid {line}; border-radius: 4px; padding: 4px 10px;"
        self.note.setStyleSheet(f"QLabel#map_note {{ {sheet} }}")
