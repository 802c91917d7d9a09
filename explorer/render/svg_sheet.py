"""A sheet that becomes an SVG document."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.units import format_exact
from explorer.render.fonts import Face, face
from explorer.render.frame import Paint, paint_frame
from explorer.render.map_texts import block_name
from explorer.render.raster import THIN, TRACK
from explorer.render.tokens import Palette, Rgba, css, load_tokens

if TYPE_CHECKING:
    from explorer.render.frame import Frame
    from explorer.render.items import Items
    from explorer.render.layout import MapLayout, Strip

_ANCHORS = {"l": "start", "m": "middle", "r": "end"}
_FAMILIES = {
    "text": "'DejaVu Sans', system-ui, sans-serif",
    "strong": "'DejaVu Sans', system-ui, sans-serif",
    "fixed": "'DejaVu Sans Mono', monospace",
}
_LEAST_SHAPE = 4.0
_BASELINE = 0.36


class SvgSheet:
    """Collects SVG elements.

    Args:
        size: Width and height.
        colours: Theme.
    """

    ratio: float = 1.0

    def __init__(self, size: tuple[int, int], colours: Palette) -> None:
        self.colours = colours
        self._size = size
        self._parts: list[str] = []
        self._patterns: dict[int, str] = {}
        self._styles: dict[int, tuple[str, int]] = {}

    def document(self) -> str:
        """Return the document."""
        width, height = self._size
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        )
        ground = f'<rect width="{width}" height="{height}" fill="{css(self.colours.map["base"])}"/>'
        patterns = "".join(self._patterns[look] for look in sorted(self._patterns))
        return "\n".join([head, f"<defs>{patterns}</defs>", ground, *self._parts, "</svg>", ""])

    def face(self, style: str, size: str) -> Face:
        """Return a font for measuring; the document names its family."""
        found = face(style, load_tokens().type_px[size], 1.0)
        pixels = load_tokens().type_px[size]
        weight = ' font-weight="600"' if style == "strong" else ""
        self._styles[id(found)] = (f'font-family="{_FAMILIES[style]}" font-size="{pixels}"{weight}', pixels)
        return found

    def text(self, x: float, y: float, text: str, used: Face, colour: Rgba, anchor: str = "lm") -> None:
        """Add a text."""
        style, pixels = self._styles[id(used)]
        # Half the height of capitals below the middle; not every viewer knows dominant-baseline.
        place = f'x="{_n(x)}" y="{_n(y + _BASELINE * pixels)}" text-anchor="{_ANCHORS[anchor[0]]}"'
        # XML 1.0 has no signs below the blank but these three.
        clean = "".join(sign if sign >= " " or sign in "\t\n\r" else " " for sign in text)
        self._parts.append(f'<text {place} {style} fill="{css(colour)}">{escape(clean)}</text>')

    def line(self, x0: float, x1: float, y: float, colour: Rgba) -> None:
        """Add a hairline."""
        self.box(x0, round(y), x1 - x0, 1, colour)

    def box(self, x: float, y: float, width: float, height: float, colour: Rgba) -> None:
        """Add a rectangle."""
        self._rect(x, y, width, height, css(colour))

    def rows(self, ready: Paint, layout: MapLayout, room: int, left: int, top: int) -> list[Strip]:
        """Add runs of equal pixels for what is narrow, then a shape for each wide item."""
        table = ready.table
        plain = replace(table, style=np.zeros_like(table.style), edge=table.fill)
        frame = paint_frame(replace(ready, table=plain), layout, 0, room, compiled=False)
        for strip in frame.strips:
            if strip.y1 <= room:
                self._runs(frame, strip, left, top)
                self._shapes(ready, strip, left, top)
        return frame.strips

    def swatch(self, ready: Paint, look: int, x: float, y: float, side: int) -> None:
        """Add a sample."""
        if look < 0:
            self.box(x, y, side, side, self.colours.map["free"])
            return
        self._shape(ready, look, (x, y, side, side), "", edged=True)

    def _runs(self, frame: Frame, strip: Strip, left: int, top: int) -> None:
        row = frame.pixels[frame.margin + strip.y0, : max(round(strip.x1), 1)]
        starts = np.append(0, np.flatnonzero(row[1:] != row[:-1]) + 1)
        ends = np.append(starts[1:], len(row))
        height = strip.y1 - strip.y0
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            self._rect(left + start, top + strip.y0, end - start, height, f"#{int(row[start]) & 0xFFFFFF:06X}")

    def _shapes(self, ready: Paint, strip: Strip, left: int, top: int) -> None:
        is_track = strip.kind == TRACK
        items: Items = ready.scene.aliases if is_track else ready.scene.items
        looks = ready.alias_looks if is_track else ready.looks
        part = items.between(strip.first, strip.end)
        x0 = np.round((np.maximum(items.start[part], strip.first) - strip.first) * strip.pixels_per_byte)
        x1 = np.round((np.minimum(items.end[part], strip.end) - strip.first) * strip.pixels_per_byte)
        for at in np.flatnonzero(x1 - x0 >= _LEAST_SHAPE):
            item = part.start + int(at)
            block = items.block.item(item)
            name = block_name(ready.scene, block) if block >= 0 else ""
            told = f"{name}, {format_exact(int(ready.scene.snapshot.blocks.size[block]))}" if block >= 0 else ""
            gap = 1 if block >= 0 and items.end[item] <= strip.end else 0
            place = (left + float(x0[at]), top + strip.y0, float(x1[at] - x0[at]) - gap, strip.y1 - strip.y0)
            self._shape(ready, int(looks[item]), place, told, edged=strip.kind != THIN)

    def _shape(
        self, ready: Paint, look: int, place: tuple[float, float, float, float], told: str, *, edged: bool
    ) -> None:
        table = ready.table
        x, y, width, height = place
        fill = f"#{int(table.fill[look]) & 0xFFFFFF:06X}"
        title = f"<title>{escape(told)}</title>" if told else ""
        if table.style[look]:
            self._add_pattern(ready, look)
            fill = f"url(#p{look})"
        stroke = ""
        if edged and table.edge[look] != table.fill[look]:
            stroke = f' stroke="#{int(table.edge[look]) & 0xFFFFFF:06X}"'
            x, y, width, height = x + 0.5, y + 0.5, width - 1, height - 1
        size = f'x="{_n(x)}" y="{_n(y)}" width="{_n(max(width, 0))}" height="{_n(max(height, 0))}"'
        self._parts.append(f'<rect {size} fill="{fill}"{stroke}>{title}</rect>')

    def _add_pattern(self, ready: Paint, look: int) -> None:
        if look in self._patterns:
            return
        table = ready.table
        mask = table.tiles[table.style[look]]
        side = mask.shape[0]
        dots: list[str] = []
        for y in range(side):
            line = np.append(np.append(0, mask[y].astype(np.int8)), 0)
            edges = np.flatnonzero(np.diff(line))
            dots += [
                f"M{int(a)} {y}h{int(b - a)}v1h-{int(b - a)}z" for a, b in zip(edges[::2], edges[1::2], strict=True)
            ]
        ground, stroke = (f"#{int(column[look]) & 0xFFFFFF:06X}" for column in (table.fill, table.line))
        self._patterns[look] = (
            f'<pattern id="p{look}" width="{side}" height="{side}" patternUnits="userSpaceOnUse">'
            f'<rect width="{side}" height="{side}" fill="{ground}"/>'
            f'<path d="{"".join(dots)}" fill="{stroke}"/></pattern>'
        )

    def _rect(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        size = f'x="{_n(x)}" y="{_n(y)}" width="{_n(max(width, 0))}" height="{_n(max(height, 0))}"'
        self._parts.append(f'<rect {size} fill="{fill}"/>')


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
