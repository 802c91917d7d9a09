"""What a picture of the map is drawn on: in logical pixels, whatever comes out in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from PIL import Image, ImageDraw

from explorer.render.fonts import Face, face
from explorer.render.frame import Paint, paint_frame
from explorer.render.looks import swatch
from explorer.render.tokens import Palette, Rgba, load_tokens

if TYPE_CHECKING:
    from explorer.render.layout import MapLayout, Strip
    from explorer.render.looks import Pixels


class Sheet(Protocol):
    """A drawing surface.

    Attributes:
        colours: Theme.
        ratio: Device pixels for each logical one.
    """

    colours: Palette
    ratio: float

    def face(self, style: str, size: str) -> Face:
        """Return a font: ``text``, ``strong`` or ``fixed`` in a size of the design values."""
        ...

    def text(self, x: float, y: float, text: str, used: Face, colour: Rgba, anchor: str = "lm") -> None:
        """Write at a point: anchor ``lm``, ``mm`` or ``rm``, the height is the middle of the line."""
        ...

    def line(self, x0: float, x1: float, y: float, colour: Rgba) -> None:
        """Draw a horizontal hairline."""
        ...

    def box(self, x: float, y: float, width: float, height: float, colour: Rgba) -> None:
        """Fill a rectangle."""
        ...

    def rows(self, ready: Paint, layout: MapLayout, room: int, left: int, top: int) -> list[Strip]:
        """Draw the first ``room`` pixels of the map's rows at a place; return what was drawn."""
        ...

    def swatch(self, ready: Paint, look: int, x: float, y: float, side: int) -> None:
        """Draw a sample of a look."""
        ...


def fitted(text: str, used: Face, room: float) -> str:
    """Return a text cut at its right end to the room it has."""
    if used.width(text) <= room:
        return text
    while text and used.width(text + "…") > room:
        text = text[:-1]
    return text.rstrip(" ·") + "…" if text else ""


class PixelSheet:
    """A Pillow picture.

    Args:
        size: Width and height in logical pixels.
        ratio: Device pixels for each logical one.
        colours: Theme.
    """

    def __init__(self, size: tuple[int, int], ratio: float, colours: Palette) -> None:
        pixels = (round(size[0] * ratio), round(size[1] * ratio))
        self.image = Image.new("RGB", pixels, colours.map["base"][:3])
        self.ratio = ratio
        self.colours = colours
        self._draw = ImageDraw.Draw(self.image)
        self._draw.fontmode = "L"

    def face(self, style: str, size: str) -> Face:
        """Return a font at the device's size."""
        return face(style, load_tokens().type_px[size], self.ratio)

    def text(self, x: float, y: float, text: str, used: Face, colour: Rgba, anchor: str = "lm") -> None:
        """Write at a point."""
        place = (self._px(x), self._px(y))
        self._draw.text(place, used.text(text), font=used.font, fill=colour[:3], anchor=anchor)

    def line(self, x0: float, x1: float, y: float, colour: Rgba) -> None:
        """Draw a horizontal line of one device pixel."""
        self._draw.line([(self._px(x0), self._px(y)), (self._px(x1) - 1, self._px(y))], fill=colour[:3], width=1)

    def box(self, x: float, y: float, width: float, height: float, colour: Rgba) -> None:
        """Fill a rectangle of whole device pixels."""
        right, bottom = self._px(x + width) - 1, self._px(y + height) - 1
        self._draw.rectangle((self._px(x), self._px(y), right, bottom), fill=colour[:3])

    def rows(self, ready: Paint, layout: MapLayout, room: int, left: int, top: int) -> list[Strip]:
        """Paste the painted frame."""
        frame = paint_frame(ready, layout, 0, room, compiled=False)
        self._paste(frame.pixels[frame.margin : frame.margin + self._px(room)], self._px(left), self._px(top))
        return frame.strips

    def swatch(self, ready: Paint, look: int, x: float, y: float, side: int) -> None:
        """Paste a sample."""
        self._paste(swatch(ready.table, look, self._px(side), self._px(side)), self._px(x), self._px(y))

    def _px(self, value: float) -> int:
        return round(value * self.ratio)

    def _paste(self, pixels: Pixels, x: int, y: int) -> None:
        height, width = pixels.shape
        data = np.ascontiguousarray(pixels.astype("<u4", copy=False)).view(np.uint8)
        part = Image.frombuffer("RGB", (width, height), data.tobytes(), "raw", "BGRX", 0, 1)
        self.image.paste(part, (x, y))
