"""The map itself: one painted widget with mouse and keyboard."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QContextMenuEvent,
    QFocusEvent,
    QFontInfo,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from explorer.render.describe import focus_text, hover_text, tell
from explorer.render.hit import blocks_in_box, hit_test
from explorer.render.rows import default_measures
from explorer.render.tokens import load_tokens
from explorer.ui.map_keys import MapKeys
from explorer.ui.map_links import MapLinks
from explorer.ui.map_overlay import MapFonts, MapOverlay
from explorer.ui.map_tooltip import MapTooltip

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent

    from explorer.render.hit import Hit
    from explorer.render.lanes import Lane
    from explorer.render.walk import Focus
    from explorer.ui.map_screen import MapScreen

RIGHT = 12
"""Ground right of the rows, logical pixels."""

_DRAG_FROM = 4


class MapCanvas(QWidget):
    """Paints the screen and turns mouse and keyboard into zoom, pan and selection.

    Signals:
        view_changed: Zoom, scroll or folding changed.
        picked: List of resource indices that the user selected.
        hover_told: Text for the status bar; empty outside.
        range_wanted: F2 was pressed.
    """

    view_changed = Signal()
    picked = Signal(object)
    hover_told = Signal(object)
    range_wanted = Signal()

    def __init__(self, screen: MapScreen) -> None:
        super().__init__()
        self.setObjectName("map_canvas")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Memory map")
        self.state = screen
        self.fonts = MapFonts(self.font(), 12)
        self.overlay = MapOverlay(screen, self.fonts)
        self.links = MapLinks(self.overlay)
        # A frame round the whole map says where the keyboard went, not where the mouse is or a window begins.
        self._by_keyboard = False
        self.tooltip = MapTooltip(screen, self.fonts, self)
        self._keys = MapKeys(self)
        self._press: QPoint | None = None
        self._last = QPoint()
        self._box: QRect | None = None
        self._is_panning = False
        self._tip_timer = QTimer(self)
        self._tip_timer.setSingleShot(True)
        self._tip_timer.setInterval(load_tokens().motion_ms["tooltip_delay_ms"])
        self._tip_timer.timeout.connect(self._show_tooltip)
        self._apply_font()

    # -- geometry

    @property
    def gutter(self) -> int:
        """Logical pixels left of the rows."""
        return self.state.measures.gutter

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the rows the room that is left."""
        super().resizeEvent(event)
        self.state.set_look(ratio=self.devicePixelRatioF())
        self.state.resize(self.width() - self.gutter - RIGHT, self.height())
        self._changed()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font of the window."""
        super().changeEvent(event)
        if event.type() in (event.Type.FontChange, event.Type.ApplicationFontChange):
            self._apply_font()

    def _apply_font(self) -> None:
        body = max(QFontInfo(self.font()).pixelSize(), load_tokens().type_px["body"])
        self.fonts = MapFonts(self.font(), body)
        self.overlay.fonts = self.tooltip.fonts = self.fonts
        measures = default_measures()
        height = QFontMetrics(self.fonts.name).height() + 8
        offset = QFontMetrics(self.fonts.fixed).horizontalAdvance("0x0000_0000")
        measures = replace(default_measures(max(measures.row, height)), gutter=max(measures.gutter, offset + 18))
        self.state.set_measures(measures)
        self.state.resize(self.width() - measures.gutter - RIGHT, self.height())
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring where the keyboard brought the focus."""
        reasons = Qt.FocusReason
        by_key = (reasons.TabFocusReason, reasons.BacktabFocusReason, reasons.ShortcutFocusReason)
        self._by_keyboard = event.reason() in by_key
        self.update()

    def focusOutEvent(self, _event: QFocusEvent) -> None:
        """Take the ring away."""
        self.update()

    # -- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the frame, then words and marks."""
        painter = QPainter(self)
        if self.state.ratio != self.devicePixelRatioF():
            self.state.set_look(ratio=self.devicePixelRatioF())
        frame, image, camera = self.state.frame(), self.state.image(), self.state.camera
        painter.fillRect(self.rect(), self.overlay.colour("base"))
        if frame is None or image is None or camera is None:
            self._paint_empty(
                painter, "Nothing is open", "Open a scenario (Ctrl+Shift+O), or a dump or recording (Ctrl+O)."
            )
            return
        if not camera.scene.lanes:
            self._paint_empty(painter, "Nothing is in memory yet", "Step a frame, or create a resource.")
            return
        width, ratio = camera.view.width, self.state.ratio
        source = QRectF(0, frame.margin, image.width(), round(self.height() * ratio))
        painter.drawImage(QRectF(self.gutter, 0, image.width() / ratio, source.height() / ratio), image, source)
        painter.translate(self.gutter, 0)
        top = float(camera.scroll)
        self.overlay.begin()
        self.overlay.draw_grid(painter, frame.strips, top)
        self.overlay.draw_labels(painter, frame.strips, top)
        self.overlay.draw_gutter(painter, frame.strips, top)
        self.links.draw(painter, frame.strips, top)
        self.overlay.draw_marks(painter, frame.strips, top, has_focus=self.hasFocus())
        self.overlay.draw_headers(painter, top)
        painter.translate(-self.gutter, 0)
        if self._box is not None:
            painter.fillRect(self._box, self.overlay.colour("hoverfill"))
            painter.setPen(QPen(self.overlay.colour("select"), 1))
            painter.drawRect(self._box)
        if self.hasFocus() and self._by_keyboard and self.state.focus is None:
            painter.setPen(QPen(self.overlay.colour("accent"), 2))
            painter.drawRect(QRectF(1, 1, self.gutter + width + RIGHT - 2, self.height() - 2))

    def _paint_empty(self, painter: QPainter, what: str, why: str) -> None:
        middle = self.height() // 2
        painter.setFont(self.fonts.title)
        painter.setPen(self.overlay.colour("text"))
        painter.drawText(QRect(0, middle - 26, self.width(), 24), int(Qt.AlignmentFlag.AlignCenter), what)
        painter.setFont(self.fonts.body)
        painter.setPen(self.overlay.colour("text2"))
        painter.drawText(QRect(0, middle, self.width(), 24), int(Qt.AlignmentFlag.AlignCenter), why)

    def _changed(self) -> None:
        self.tooltip.hide()
        self.update()
        self.view_changed.emit()

    def renew(self) -> None:
        """Paint again after something new came; the view is as it was."""
        self.tooltip.hide()
        # In a turn of its own: what waits for the event loop comes between making the scene and painting it.
        QTimer.singleShot(0, self, self.update)

    def refresh(self) -> None:
        """Paint again after the screen changed."""
        self._changed()

    # -- mouse

    def hit_at(self, at: QPointF) -> Hit | None:
        """Return what is under a point of the widget."""
        scene, camera = self.state.scene, self.state.camera
        if scene is None or camera is None:
            return None
        if any(y <= at.y() < y + head.height for head, y in self.overlay.sticky_headers(camera.scroll)):
            return None
        return hit_test(camera.layout, at.x() - self.gutter, at.y() + camera.scroll)

    def header_lane_at(self, at: QPointF) -> Lane | None:
        """Return the lane whose header is under a point."""
        camera = self.state.camera
        if self.state.scene is None or camera is None:
            return None
        for head, y in reversed(self.overlay.sticky_headers(camera.scroll)):
            if y <= at.y() < y + head.height:
                return camera.layout.boxes[head.box].lane
        index = camera.layout.box_at(at.y() + camera.scroll)
        if index < 0:
            return None
        box = camera.layout.boxes[index]
        inside = at.y() + camera.scroll < box.y + camera.layout.header_height(box)
        return box.lane if inside or box.is_folded else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click, a pan, or with Shift a box."""
        if event.button() not in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            return
        self._press = self._last = event.position().toPoint()
        self._is_panning = False
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and event.button() == Qt.MouseButton.LeftButton:
            self._box = QRect(self._press, self._press)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan, stretch the box, or hover."""
        at = event.position().toPoint()
        if self._press is None:
            self._hover(event.position())
            return
        if self._box is not None:
            self._box = QRect(self._press, at).normalized()
            self.update()
            return
        if not self._is_panning and (at - self._press).manhattanLength() < _DRAG_FROM:
            return
        self._is_panning = True
        self.tooltip.hide()
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self.pan(at.x() - self._last.x(), at.y() - self._last.y())
        self._last = at

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End what the press began."""
        if self._press is None:
            return
        adds = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if self._box is not None:
            self._pick_box(self._box, adds=adds)
        elif not self._is_panning and event.button() == Qt.MouseButton.LeftButton:
            self._click(event.position(), adds=adds)
        self._press, self._box, self._is_panning = None, None, False
        self.unsetCursor()
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the block under the cursor as large as fits."""
        hit, camera = self.hit_at(event.position()), self.state.camera
        if hit is None or camera is None:
            return
        lane = camera.layout.boxes[hit.box].lane
        if lane is not None and hit.block >= 0:
            camera.show_range(lane, hit.first - lane.base, hit.end - lane.base)
            self.state.moved()
            self._changed()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom about the byte under the cursor; over headers and gutter, and with Shift, scroll."""
        camera = self.state.camera
        delta = event.angleDelta().y() or event.angleDelta().x()
        if camera is None or not delta:
            return
        over_rows = self.hit_at(event.position()) is not None
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if shift or not (over_rows or event.modifiers() & Qt.KeyboardModifier.ControlModifier):
            self.pan(0, delta * 3 * camera.view.measures.pitch // 240)
        else:
            self.zoom(event.position().x() - self.gutter, event.position().y(), 1 if delta > 0 else -1)
        event.accept()

    def leaveEvent(self, _event: QEvent) -> None:
        """Take hover and tooltip away."""
        self._tip_timer.stop()
        self.tooltip.hide()
        self.state.hover = None
        self.hover_told.emit("")
        self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Leave the context menu to the window."""
        event.ignore()

    def pan(self, dx: float, dy: float) -> None:
        """Move what is shown by logical pixels."""
        camera = self.state.camera
        if camera is not None:
            camera.pan(dx, dy)
            self.state.scrolled()
            self._changed()

    def zoom(self, x: float, y: float, steps: int) -> None:
        """Zoom about a point: x from the left end of the rows, y from the top of the widget."""
        camera = self.state.camera
        if camera is not None:
            camera.zoom(x, y, steps)
            self.state.moved()
            self._changed()

    def _hover(self, at: QPointF) -> None:
        camera, hit = self.state.camera, self.hit_at(at)
        before = self.state.hover
        same = hit is not None and before is not None and (hit.first, hit.end) == (before.first, before.end)
        self.state.hover = hit
        self._last = at.toPoint()
        if camera is not None:
            self.hover_told.emit(hover_text(camera.layout, hit))
        if not same:
            self.tooltip.hide()
            self.update()
        if hit is None:
            self._tip_timer.stop()
        elif not self.tooltip.isVisible():
            self._tip_timer.start()

    @Slot()
    def _show_tooltip(self) -> None:
        hit, camera, ready = self.state.hover, self.state.camera, self.state.ready()
        frame = self.state.frame()
        if hit is None or camera is None or ready is None or frame is None:
            return
        colour = int(ready.colouring.index[hit.block]) if hit.block >= 0 else -1
        told = tell(camera.layout, hit, self._last.x() - self.gutter, colour)
        rects = self.overlay.rects(frame.strips, hit.first, hit.end, camera.scroll, track=hit.alias)
        here = [rect for rect in rects if rect.top() <= self._last.y() <= rect.bottom()] or [QRectF(0, 0, 1, 1)]
        block = here[0].translated(self.gutter, 0).toRect()
        swatch = ready.categories[colour].fill if colour >= 0 else None
        self.tooltip.show_told(told, swatch, self._last, block)

    def _click(self, at: QPointF, *, adds: bool) -> None:
        camera, lane = self.state.camera, self.header_lane_at(at)
        if lane is not None and camera is not None:
            camera.toggle_fold(lane)
            self.state.scrolled()
            self._changed()
            return
        hit = self.hit_at(at)
        if hit is None:
            return
        if hit.block < 0:
            self._pick([], adds=adds)
            return
        self._pick(self._resources_of(np.array([hit.block], np.int64)), adds=adds)

    def _pick_box(self, box: QRect, *, adds: bool) -> None:
        camera = self.state.camera
        if camera is None:
            return
        left, top = box.left() - self.gutter, box.top() + camera.scroll
        blocks = blocks_in_box(camera.layout, left, top, left + box.width(), top + box.height())
        self._pick(self._resources_of(blocks), adds=adds)

    def _resources_of(self, blocks: np.ndarray) -> list[int]:
        scene = self.state.scene
        if scene is None or not len(blocks):
            return []
        resources = np.unique(scene.snapshot.blocks.resource[blocks])
        return [int(index) for index in resources if index >= 0]

    def _pick(self, resources: list[int], *, adds: bool) -> None:
        chosen = set(resources)
        if adds:
            chosen = set(self.state.selected) ^ chosen
        self.state.set_marked(selected=chosen)
        self.update()
        self.picked.emit(sorted(chosen))

    # -- keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk, zoom or select with the keyboard."""
        if not self._keys.press(event):
            super().keyPressEvent(event)

    def set_focus(self, focus: Focus | None) -> None:
        """Put the keyboard's place somewhere, in view, and say it."""
        scene, camera = self.state.scene, self.state.camera
        if focus is None or scene is None or camera is None:
            return
        self.state.focus = focus
        camera.reveal(focus.first)
        self.state.scrolled()
        text = focus_text(scene, focus)
        self.setAccessibleDescription(text)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))
        self._changed()
        self.hover_told.emit(text)

    def pick_focus(self, *, adds: bool) -> None:
        """Select what the keyboard stands on."""
        focus = self.state.focus
        if focus is not None and focus.block >= 0:
            self._pick(self._resources_of(np.array([focus.block], np.int64)), adds=adds)
