"""The keyboard on tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

if TYPE_CHECKING:
    from explorer.render.tiles import TilePicture

_STEPS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_PAGES = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}


def key_target(picture: TilePicture, tile: int, key: Qt.Key) -> int | None:
    """Return where a key leads from a tile: arrows walk, pages go to the next subresource, Home and End to the ends.

    At an end a key leads to the tile itself.

    Returns:
        None for a key without a meaning.
    """
    if key in _STEPS:
        found = picture.walk(tile, *_STEPS[key])
        return tile if found is None else found
    if key in _PAGES:
        found = picture.next_grid(tile, _PAGES[key])
        if found is not None:
            return found
        return 0 if _PAGES[key] < 0 else picture.tiling.total_tiles - 1
    if key in (Qt.Key.Key_Home, Qt.Key.Key_End):
        return 0 if key == Qt.Key.Key_Home else picture.tiling.total_tiles - 1
    return None
