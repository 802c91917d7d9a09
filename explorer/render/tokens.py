"""The design values of ``resources/tokens.json`` as typed palettes: the only place colours come from."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from explorer.core.kinds import ResourceKind
from explorer.errors import InputError
from explorer.tables.locations import resources_folder

Theme: TypeAlias = Literal["light", "dark"]
THEMES: tuple[str, ...] = get_args(Theme)
Rgba: TypeAlias = tuple[int, int, int, int]
"""Red, green, blue, alpha; 0 to 255 each, sRGB."""


@dataclass(frozen=True, slots=True)
class Category:
    """The colours of one kind of block.

    Attributes:
        fill: Ground of the block.
        ink: Text on the fill, at least 4.5:1.
        edge: Outline, at least 3:1 against free memory; equal to ``fill`` where none is needed.
    """

    fill: Rgba
    ink: Rgba
    edge: Rgba


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme.

    Attributes:
        theme: ``light`` or ``dark``.
        colour: Grounds, texts, lines and status colours by name.
        kinds: One for each ``ResourceKind``, in order.
        waste_ground: Ground of ``padding``, ``gap`` and ``tail``.
        waste_line: Pattern lines of the same.
        map: Colours of the map: base, free, select, halo, hoverfill, found, ghost, axis, grid and so on.
        ramps: ``age``, ``size``, ``priority`` and ``diverging``; the last step is "more".
        compare: Colours of the comparison by name.
        descriptor: Colours of descriptor slots by name.
        series: Colours of the timeline by name.
    """

    theme: Theme
    colour: Mapping[str, Rgba]
    kinds: tuple[Category, ...]
    waste_ground: Mapping[str, Rgba]
    waste_line: Mapping[str, Rgba]
    map: Mapping[str, Rgba]
    ramps: Mapping[str, tuple[Rgba, ...]]
    compare: Mapping[str, Rgba]
    descriptor: Mapping[str, Rgba]
    series: Mapping[str, Rgba]


@dataclass(frozen=True, slots=True)
class Tokens:
    """All design values.

    Attributes:
        size: Measures in logical pixels by name.
        type_px: Font sizes in logical pixels by name.
        motion_ms: Delays and durations in milliseconds by name.
        palettes: Theme → colours.
    """

    size: Mapping[str, int]
    type_px: Mapping[str, int]
    motion_ms: Mapping[str, int]
    palettes: Mapping[str, Palette]


def parse_colour(text: str) -> Rgba:
    """Return the colour that ``#RRGGBB`` or ``#RRGGBBAA`` says.

    Raises:
        InputError: Another form.
    """
    digits = text.removeprefix("#")
    try:
        parts = bytes.fromhex(digits)
    except ValueError:
        parts = b""
    if len(parts) not in (3, 4) or not text.startswith("#"):
        raise InputError("not a colour", found=text, accepted=("#RRGGBB", "#RRGGBBAA"))
    return parts[0], parts[1], parts[2], parts[3] if len(parts) == 4 else 255


def pack(colour: Rgba) -> int:
    """Return an opaque pixel ``0xFFRRGGBB`` (the 32 bit layout of a ``QImage``)."""
    return 0xFF000000 | colour[0] << 16 | colour[1] << 8 | colour[2]


def mix(over: Rgba, under: Rgba, share: float | None = None) -> Rgba:
    """Return ``over`` laid on an opaque ``under``.

    Args:
        over: The upper colour.
        under: The ground.
        share: How much of ``over``, 0 to 1; its own alpha where None.
    """
    part = round(255 * share) if share is not None else over[3]
    red, green, blue = ((over[i] * part + under[i] * (255 - part) + 127) // 255 for i in range(3))
    return red, green, blue, 255


def css(colour: Rgba) -> str:
    """Return ``#RRGGBB`` (the alpha is left out)."""
    return f"#{colour[0]:02X}{colour[1]:02X}{colour[2]:02X}"


@functools.cache
def load_tokens() -> Tokens:
    """Return the shipped design values.

    Raises:
        InputError: The file is missing or misses a value.
    """
    path = resources_folder() / "tokens.json"
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        palettes = {theme: _palette(theme, data["themes"][theme]) for theme in ("light", "dark")}
        return Tokens(data["size"], data["type"]["px"], data["motion"], palettes)
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"the design values cannot be read: {error}", file=path.name) from error


def palette(theme: str) -> Palette:
    """Return the palette of a theme.

    Raises:
        InputError: Not ``light`` or ``dark``.
    """
    found = load_tokens().palettes.get(theme)
    if found is None:
        raise InputError("unknown theme", found=theme, accepted=THEMES)
    return found


def _palette(theme: Theme, part: Mapping[str, Any]) -> Palette:
    def colours(table: Mapping[str, str]) -> dict[str, Rgba]:
        return {name: parse_colour(text) for name, text in table.items()}

    kinds = tuple(Category(**colours(part["category"][kind.token])) for kind in ResourceKind)
    waste: Mapping[str, Mapping[str, str]] = part["waste"]
    ramps: Mapping[str, list[str]] = part["ramp"]
    return Palette(
        theme=theme,
        colour=colours(part["colour"]),
        kinds=kinds,
        waste_ground={name: parse_colour(value["bg"]) for name, value in waste.items()},
        waste_line={name: parse_colour(value["line"]) for name, value in waste.items()},
        map=colours(part["map"]),
        ramps={name: tuple(parse_colour(text) for text in steps) for name, steps in ramps.items()},
        compare=colours(part["compare"]),
        descriptor=colours(part["descriptor"]),
        series=colours(part["series"]),
    )
