"""The fonts of pictures made without Qt: DejaVu where the system has it, else the one inside Pillow."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from PIL import ImageFont

_FILES = {"text": "DejaVuSans.ttf", "strong": "DejaVuSans-Bold.ttf", "fixed": "DejaVuSansMono.ttf"}
_SUBSTITUTES = str.maketrans({"–": "-", "−": "-", "·": ",", "×": "x", "▸": ">", "▾": "v", "→": ">"})
"""Signs that the font inside Pillow lacks."""


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """A font at one size.

    Attributes:
        font: For Pillow's drawing.
        ratio: Device pixels for each logical one.
        is_substitute: Whether it is the font inside Pillow, which lacks some signs.
    """

    font: ImageFont.FreeTypeFont
    ratio: float
    is_substitute: bool
    widths: dict[str, float] = field(default_factory=dict[str, float])

    def text(self, text: str) -> str:
        """Return the text with the signs that the font has."""
        return text.translate(_SUBSTITUTES) if self.is_substitute else text

    def width(self, text: str) -> float:
        """Return the width of a text in logical pixels."""
        known = self.widths.get(text)
        if known is None:
            known = self.widths[text] = self.font.getlength(self.text(text)) / self.ratio
        return known


@functools.lru_cache(maxsize=32)
def face(style: str, pixels: int, ratio: float) -> Face:
    """Return a font.

    Args:
        style: ``text``, ``strong`` or ``fixed``.
        pixels: Height in logical pixels.
        ratio: Device pixels for each logical one.
    """
    height = max(round(pixels * ratio), 1)
    try:
        font = ImageFont.truetype(_FILES[style], height, layout_engine=ImageFont.Layout.BASIC)
    except OSError:
        inside = ImageFont.load_default(height)
        if not isinstance(inside, ImageFont.FreeTypeFont):
            raise
        return Face(inside, ratio, True)
    return Face(font, ratio, False)
