"""The keyboard on the map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from explorer.render.walk import block_beside, lane_end, next_block, next_changed, next_hole

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from explorer.render.camera import Camera
    from explorer.render.lanes import MapScene
    from explorer.render.walk import Focus
    from explorer.ui.map_canvas import MapCanvas

_ARROWS: dict[int, tuple[int, int]] = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class MapKeys:
    """Turns keys into steps of a canvas.

    Arrows walk blocks, with Shift holes; Enter selects; ``[`` and ``]`` zoom; Home and End go to the ends of the
    heap; Page up and down scroll; F2 goes to the range field; N to the next change; Escape selects nothing.
    """

    def __init__(self, canvas: MapCanvas) -> None:
        self._canvas = canvas

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key; return whether it meant something."""
        screen = self._canvas.state
        scene, camera = screen.scene, screen.camera
        if scene is None or camera is None:
            return False
        key = event.key()
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key in _ARROWS:
            self._canvas.set_focus(self._walk(scene, camera, *_ARROWS[key], holes=shift))
            return True
        if key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._canvas.set_focus(lane_end(scene, screen.focus, last=key == Qt.Key.Key_End))
            return True
        return self._act(key, event, scene, camera)

    def _act(self, key: int, event: QKeyEvent, scene: MapScene, camera: Camera) -> bool:
        canvas = self._canvas
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            canvas.pick_focus(adds=bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
        elif event.text() in ("[", "]"):
            x, y = self._middle(camera)
            canvas.zoom(x, y, 1 if event.text() == "]" else -1)
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            canvas.pan(0, camera.height * (0.9 if key == Qt.Key.Key_PageUp else -0.9))
        elif key == Qt.Key.Key_F2:
            canvas.range_wanted.emit()
        elif key == Qt.Key.Key_N and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            canvas.set_focus(next_changed(scene, canvas.state.focus))
        elif key == Qt.Key.Key_Escape and canvas.state.selected:
            canvas.state.set_marked(selected=())
            canvas.picked.emit([])
            canvas.update()
        else:
            return False
        return True

    def _walk(self, scene: MapScene, camera: Camera, across: int, down: int, *, holes: bool) -> Focus | None:
        focus = self._canvas.state.focus
        if holes:
            return next_hole(scene, focus, across or down)
        if across:
            return next_block(scene, focus, across)
        return block_beside(camera.layout, focus, down)

    def _middle(self, camera: Camera) -> tuple[float, float]:
        """Return where the keyboard zooms: at its place if that is in view, else in the middle."""
        focus = self._canvas.state.focus
        place = camera.layout.locate(focus.first) if focus is not None else None
        if place is not None and 0 <= place[1] - camera.scroll < camera.height:
            return min(max(place[2], 0), camera.view.width - 1), place[1] - camera.scroll + 4
        return camera.view.width / 2, camera.height / 2
