"""SVG: the memory map with offsets, labels, scale and legend as a vector picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.errors import CommandError
from explorer.render.picture import PictureOptions, map_svg

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot

VIEWS: tuple[str, ...] = ("map",)
"""The views that have an SVG picture."""


def export_svg(
    snapshot: Snapshot,
    *,
    size: tuple[int, int] = (1280, 720),
    theme: str = "light",
    view: str = "map",
    options: PictureOptions | None = None,
) -> bytes:
    """Return an SVG file in UTF-8; the same input gives the same bytes.

    Args:
        snapshot: What to draw.
        size: Width and height.
        theme: ``light`` or ``dark``.
        view: ``map``.
        options: What the map shows.

    Raises:
        CommandError: Another view, or a senseless size.
        InputError: Unknown theme.
    """
    if view not in VIEWS:
        raise CommandError("this view has no SVG export", where="view", found=view, accepted=VIEWS)
    return map_svg(snapshot, size, theme, options).encode("utf-8", "replace")
