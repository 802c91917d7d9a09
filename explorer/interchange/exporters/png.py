"""PNG: the memory map with offsets, labels, scale and legend, made without Qt and without a display."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from PIL import PngImagePlugin

from explorer.errors import CommandError
from explorer.render.picture import PictureOptions, map_picture

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot

VIEWS: tuple[str, ...] = ("map",)
"""The views that have a picture without Qt."""

_LEVEL = 3
"""zlib level: a third of the time of the default for a tenth more bytes, measured on maps of 4K."""


def export_png(
    snapshot: Snapshot,
    *,
    size: tuple[int, int] = (1280, 720),
    scale: float = 1,
    theme: str = "light",
    view: str = "map",
    options: PictureOptions | None = None,
) -> bytes:
    """Return a PNG file; the same input gives the same bytes.

    Args:
        snapshot: What to draw.
        size: Width and height in logical pixels.
        scale: Device pixels for each logical one; the PNG has size × scale pixels.
        theme: ``light`` or ``dark``.
        view: ``map``.
        options: What the map shows.

    Raises:
        CommandError: Another view, or a senseless size.
        InputError: Unknown theme.
    """
    if view not in VIEWS:
        raise CommandError("this view has no PNG export", where="view", found=view, accepted=VIEWS)
    picture = map_picture(snapshot, size, scale, theme, options)
    told = PngImagePlugin.PngInfo()
    told.add_text("Software", "memory-layout-explorer")
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=_LEVEL, pnginfo=told)
    return out.getvalue()
