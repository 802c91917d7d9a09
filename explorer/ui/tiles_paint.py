"""The texts on a picture of tiles: a label over each grid, and numbers in large tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.render.tile_sheet import TileSheet
    from explorer.render.tiles import SeenGrid, TilePicture
    from explorer.ui.theme import Theme

TEXT_FROM = 40
"""Logical pixels of a tile from which on its number stands in it."""

_MOST_TEXTS = 2000
_LABEL_PX = 400


def paint_labels(
    painter: QPainter,
    theme: Theme,
    picture: TilePicture,
    seen: Sequence[SeenGrid],
    corner: tuple[int, int],
    ratio: float,
) -> None:
    """Paint the label of each grid, and once the heading of each slice.

    Args:
        painter: On the viewport.
        theme: The look.
        picture: Where the tiles lie.
        seen: The grids in view.
        corner: The point of the picture at the viewport's corner, device pixels.
        ratio: Device pixels for each logical one.
    """
    painter.setFont(theme.font(theme.caption_px))
    line = picture.measures.label / ratio
    flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
    slices: set[int] = set()
    for one in seen:
        painter.setPen(theme.colour("text2"))
        x, y = (one.x - corner[0]) / ratio, (one.y - corner[1]) / ratio
        painter.drawText(QRectF(x, y - line, _LABEL_PX, line), flags, one.grid.label)
        if picture.tiling.slices > 1 and one.slice not in slices:
            slices.add(one.slice)
            at_x, at_y = picture.corner(one.slice)
            painter.setPen(theme.colour("text"))
            rect = QRectF((at_x - corner[0]) / ratio, (at_y - corner[1]) / ratio, _LABEL_PX, line)
            painter.drawText(rect, flags, f"slice {one.slice:,}")


def cell_texts(
    picture: TilePicture, sheet: TileSheet, seen: Sequence[SeenGrid], window: tuple[int, int, int, int]
) -> list[tuple[int, str]]:
    """Return the tiles in view with the text that stands in each, as many as can be read."""
    found: list[tuple[int, str]] = []
    for one in seen:
        cells, _, _ = picture.cells(one, *window)
        tiles = cells.ravel()
        tiles = tiles[tiles >= 0][: _MOST_TEXTS - len(found)]
        numbers = sheet.numbers(tiles)
        found += [
            (tile, f"{number:,}") for tile, number in zip(tiles.tolist(), numbers.tolist(), strict=True) if number >= 0
        ]
    return found


def paint_numbers(painter: QPainter, theme: Theme, texts: Sequence[tuple[QRectF, str]]) -> None:
    """Paint texts on plates in the upper left corners of tiles; one that does not fit is left out."""
    painter.setFont(theme.fixed_font(theme.caption_px))
    metrics = QFontMetricsF(painter.font())
    painter.setPen(theme.colour("text"))
    for rect, text in texts:
        box = QRectF(rect.left() + 3, rect.top() + 3, metrics.horizontalAdvance(text) + 6, metrics.height())
        if box.right() <= rect.right() - 2:
            painter.fillRect(box, theme.colour("base", "map"))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
