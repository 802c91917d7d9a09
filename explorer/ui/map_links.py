"""Lines between the copies of the selected resource, and round its slots in descriptor heaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from explorer.render.copies import Copy, copies_of

if TYPE_CHECKING:
    from explorer.render.lanes import MapScene
    from explorer.render.layout import Strip
    from explorer.ui.map_overlay import MapOverlay

_TRUNK_PX = -4.5
"""Between the offsets of the rows, which end at -8, and the rows."""

_POINT_PX = 4


class MapLinks:
    """Draws where else the selected resource lies: a trunk beside the rows, a branch below each copy.

    The branches lie in the space between rows. Where a copy is out of view, the trunk ends in a point that says where
    to scroll. Nothing is drawn for several resources at once, or for one that lies in one place only.
    """

    def __init__(self, overlay: MapOverlay) -> None:
        self._overlay = overlay
        self._known: tuple[MapScene, int] | None = None
        self._copies: tuple[Copy, ...] = ()

    def copies(self) -> tuple[Copy, ...]:
        """Return the places of the selected resource; empty unless one is selected that has several."""
        screen = self._overlay.screen
        scene = screen.scene
        if scene is None or len(screen.selected) != 1:
            return ()
        resource = next(iter(screen.selected))
        known = self._known
        if known is None or known[0] is not scene or known[1] != resource:
            inside = 0 <= resource < len(scene.snapshot.resources)
            self._known, self._copies = (scene, resource), copies_of(scene, resource) if inside else ()
        return self._copies if len(self._copies) > 1 else ()

    def draw(self, painter: QPainter, strips: list[Strip], top: float) -> None:
        """Draw with a painter whose origin is the upper left corner of the rows."""
        copies = self.copies()
        camera = self._overlay.screen.camera
        if not copies or camera is None:
            return
        ends: list[float] = []
        lines: list[QLineF] = []
        above = below = False
        for copy in copies:
            rects = self._overlay.rects(strips, copy.first, copy.end, top)
            place = rects[0] if rects else None
            if place is not None and 0 <= place.bottom() < camera.height:
                y = place.bottom() + 0.5
                ends.append(y)
                lines.append(QLineF(_TRUNK_PX, y, place.center().x(), y))
                if copy.is_slots:
                    self._outline(painter, place)
                continue
            found = camera.layout.locate(copy.first)
            if found is not None:
                above, below = above or found[1] - top < 0, below or found[1] - top >= 0
        if above:
            ends.append(_POINT_PX + 2.0)
        if below:
            ends.append(camera.height - _POINT_PX - 2.0)
        if len(ends) < 2:
            return
        lines.append(QLineF(_TRUNK_PX, min(ends), _TRUNK_PX, max(ends)))
        for colour, width in (("halo", 3), ("select", 1)):
            painter.setPen(QPen(self._overlay.colour(colour), width))
            painter.drawLines(lines)
        for is_there, y, way in ((above, min(ends), -1), (below, max(ends), 1)):
            if is_there:
                self._point(painter, y, way)

    def _outline(self, painter: QPainter, place: QRectF) -> None:
        for colour, grow in (("halo", 2), ("select", 1)):
            painter.setPen(QPen(self._overlay.colour(colour), 1))
            painter.drawRect(place.adjusted(-grow + 0.5, -grow + 0.5, grow - 0.5, grow - 0.5))

    def _point(self, painter: QPainter, y: float, way: int) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._overlay.colour("select"))
        corners = ((-_POINT_PX, 0), (_POINT_PX, 0), (0, way * _POINT_PX))
        painter.drawPolygon(QPolygonF([QPointF(_TRUNK_PX + dx, y + dy) for dx, dy in corners]))
        painter.restore()
