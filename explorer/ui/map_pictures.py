"""Pictures of the map's words: headers and offsets seldom change, and a picture of them costs a twentieth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPixmap

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable


class WordPictures:
    """Keeps what one paint drew until the next one; what that one does not use is dropped."""

    def __init__(self) -> None:
        self._look: Hashable = None
        self._kept: dict[Hashable, QPixmap] = {}
        self._used: dict[Hashable, QPixmap] = {}
        self.drawn = 0

    def begin(self, look: Hashable) -> None:
        """Begin a paint.

        Args:
            look: All that changes every picture: theme, fonts, pixel ratio, measures.
        """
        self._kept = self._used if look == self._look else {}
        self._look, self._used = look, {}

    def draw(
        self, painter: QPainter, key: Hashable, place: QRectF, ground: QColor, paint: Callable[[QPainter], None]
    ) -> None:
        """Draw an opaque rectangle of words.

        Args:
            painter: Draws on the map.
            key: All that this picture shows.
            place: Where it stands; between pixels it is drawn anew, a picture would blur there.
            ground: Colour under the words.
            paint: Draws the words with a painter whose origin is the upper left corner of the place.
        """
        ratio = painter.device().devicePixelRatioF()
        corner = (place.x() * ratio, place.y() * ratio, place.width() * ratio, place.height() * ratio)
        if ratio != round(ratio) or any(value != round(value) for value in corner):
            painter.save()
            painter.fillRect(place, ground)
            painter.translate(place.topLeft())
            paint(painter)
            painter.restore()
            return
        picture = self._used.get(key) or self._kept.get(key)
        if picture is None:
            picture = QPixmap(max(round(corner[2]), 1), max(round(corner[3]), 1))
            picture.setDevicePixelRatio(ratio)
            picture.fill(ground)
            inner = QPainter(picture)
            paint(inner)
            inner.end()
            self.drawn += 1
        self._used[key] = picture
        painter.drawPixmap(QPointF(place.topLeft()), picture)
