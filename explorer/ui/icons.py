"""The icon set: one SVG each, tinted from the theme."""

from __future__ import annotations

import functools

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from explorer.tables.locations import resources_folder

_PX = 16
_RATIOS = (1.0, 1.5, 2.0)


@functools.cache
def icon_source(name: str) -> str:
    """Return the SVG text of an icon; its strokes are in ``currentColor``.

    Raises:
        OSError: No such icon.
    """
    return (resources_folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8")


def tinted_pixmap(name: str, colour: QColor, px: int = _PX, ratio: float = 1.0) -> QPixmap:
    """Return an icon in one colour.

    Args:
        name: File name without its ending.
        colour: What the strokes are drawn in.
        px: Edge in logical pixels.
        ratio: Device pixels for each logical pixel.
    """
    renderer = QSvgRenderer(QByteArray(icon_source(name).replace("currentColor", colour.name()).encode()))
    pixmap = QPixmap(round(px * ratio), round(px * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, px, px))
    painter.end()
    return pixmap


def tinted_icon(name: str, normal: QColor, hover: QColor, disabled: QColor, checked: QColor) -> QIcon:
    """Return an icon with its four looks at the usual pixel ratios."""
    icon = QIcon()
    looks = (
        (QIcon.Mode.Normal, QIcon.State.Off, normal),
        (QIcon.Mode.Active, QIcon.State.Off, hover),
        (QIcon.Mode.Disabled, QIcon.State.Off, disabled),
        (QIcon.Mode.Normal, QIcon.State.On, checked),
        (QIcon.Mode.Active, QIcon.State.On, checked),
    )
    for mode, state, colour in looks:
        for ratio in _RATIOS:
            icon.addPixmap(tinted_pixmap(name, colour, _PX, ratio), mode, state)
    return icon
