"""The words of conformance records in the terms of the rules: objects, formats, flags, rectangles.

A phrase is taken apart word by word; a word that means nothing here makes the whole phrase not understood.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from explorer.core.d3d9 import Format, LockFlags, Pool, Usage
from explorer.core.schema import constants_of
from explorer.rules.d3d9_resource import Resource, full_chain
from explorer.tables.d3d9_tables import format_named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class NotUnderstoodError(Exception):
    """A record says something that the rules have no word for; the text names it."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """An object that a phrase describes.

    Attributes:
        resource: The object.
        level: The level that the phrase names.
        face: True where it speaks of a face of a cube texture.
        part: True where it speaks of a surface or volume inside a texture.
        locked: Whether the phrase says that it is locked.
    """

    resource: Resource
    level: int = 0
    face: bool = False
    part: bool = False
    locked: bool = False


_KINDS: Sequence[tuple[str, str, bool]] = (
    ("surface level", "texture", True),
    ("cube texture face surface", "cube_texture", True),
    ("cube texture face", "cube_texture", True),
    ("offscreen plain surface", "offscreen_plain_surface", False),
    ("depth-stencil surface", "depth_stencil_surface", False),
    ("depth stencil surface", "depth_stencil_surface", False),
    ("depth surface", "depth_stencil_surface", False),
    ("render target surface", "render_target", False),
    ("plain surface", "offscreen_plain_surface", False),
    ("lockable surface", "offscreen_plain_surface", False),
    ("render target", "render_target", False),
    ("cube texture", "cube_texture", False),
    ("volume texture", "volume_texture", False),
    ("volume level", "volume_texture", True),
    ("volume", "volume_texture", False),
    ("vertex buffer", "vertex_buffer", False),
    ("index buffer", "index_buffer", False),
    ("back buffer", "back_buffer", False),
    ("texture level", "texture", False),
    ("texture", "texture", False),
    ("plain", "offscreen_plain_surface", False),
    ("rt", "render_target", False),
)
_FILLERS = frozenset(
    [
        "a",
        "an",
        "the",
        "any",
        "of",
        "in",
        "with",
        "on",
        "its",
        "level",
        "levels",
        "usage",
        "edge",
        "mipmapped",
        "application",
        "reference",
        "first",
        "lock",
        "null",
        "rect",
        "sibling",
        "after",
        "draw",
        "unlocked",
        "pool",
        "static",
    ]
)
_POOLS = {pool.name: int(pool) for pool in Pool}
_USAGES = {str(flag.name): int(flag) for flag in Usage}
_SIZE = re.compile(r"^(\d+)x(\d+)(?:x(\d+))?$")
_SIBLING = re.compile(r"\bsibling level \d+ (?:un)?locked\b")


@functools.lru_cache(maxsize=4096)
def parse_object(text: str, default: str | None = None) -> Phrase:
    """Return the object that a phrase describes, such as ``lockable RT 32x32 A8R8G8B8``.

    Args:
        text: The phrase.
        default: What kind of object it is where the phrase does not say.

    Raises:
        NotUnderstoodError: It names no kind of object, or has a word without meaning here.
    """
    rest = " " + _SIBLING.sub(" ", text.lower()).replace(",", " ").replace(";", " ") + " "
    user = "user-memory" in rest
    rest = rest.replace("user-memory", " ")
    chain = "full chain" in rest
    rest = rest.replace("full chain", " ")
    found = next((entry for entry in _KINDS if f" {entry[0]} " in rest), None)
    if found is None and default is None:
        raise NotUnderstoodError(f"object {text!r}")
    words, kind, part = found or ("", str(default), False)
    lockable = " lockable " in rest
    rest = (
        (rest.replace(f" {words} ", " ", 1) if words else rest)
        .replace(" of texture ", " ")
        .replace(" of a texture ", " ")
    )
    seen = _Words(text, kind)
    for word in rest.split():
        seen.take(word)
    resource = seen.resource(user=user, chain=chain, lockable=lockable)
    return Phrase(resource, seen.level, kind == "cube_texture" and part, part, seen.locked)


class _Words:
    def __init__(self, text: str, kind: str) -> None:
        self.text, self.kind = text, kind
        self.size: tuple[int, ...] = ()
        self.levels = 1
        self.level = 0
        self.usage = 0
        self.pool = int(Pool.DEFAULT)
        self.format: int | None = None
        self.locked = False
        self._number: int | None = None

    def take(self, word: str) -> None:
        size = _SIZE.match(word)
        if size:
            self.size = tuple(int(part) for part in size.groups() if part)
        elif word.isdigit():
            self._number = int(word)
            self.level = self._number
        elif word.removeprefix("d3dpool_").upper() in _POOLS:
            self.pool = _POOLS[word.removeprefix("d3dpool_").upper()]
        elif all(part.removeprefix("d3dusage_").upper() in _USAGES for part in word.split("|")):
            for part in word.split("|"):
                self.usage |= _USAGES[part.removeprefix("d3dusage_").upper()]
        elif word == "dynamic":
            self.usage |= int(Usage.DYNAMIC)
        elif word == "locked":
            self.locked = True
        elif word in ("level", "levels", "edge", "usage", "lockable") or word in _FILLERS or word == "discard":
            pass
        else:
            info = format_named(word.upper())
            if info is None:
                raise NotUnderstoodError(f"{word} in {self.text!r}")
            self.format = info.value

    def resource(self, *, user: bool, chain: bool, lockable: bool) -> Resource:
        usage, value = self.usage, self.format
        if self.kind == "render_target" or self.kind == "back_buffer":
            usage |= int(Usage.RENDERTARGET)
        if self.kind == "depth_stencil_surface":
            usage |= int(Usage.DEPTHSTENCIL)
            value = int(Format.D24S8) if value is None else value
        width, height, depth = (*self.size, 16, 16, 1)[:3] if len(self.size) != 2 else (*self.size, 1)
        if self.kind == "cube_texture" and chain and not self.size and self._number:
            width = height = self._number
        # A level that the phrase names exists.
        levels = full_chain(width, height, depth) if chain else max(1, self.level + 1)
        if self.kind in ("vertex_buffer", "index_buffer"):
            width, height, depth, levels = 1024, 1, 1, 1
        if value is None:
            value = int(Format.VERTEXDATA if self.kind == "vertex_buffer" else Format.INDEX16
                        if self.kind == "index_buffer" else Format.X8R8G8B8)  # fmt: skip
        return Resource(
            self.kind, width, height, depth, levels, levels, usage, value, self.pool,
            lockable=lockable, user_memory=user,
        )  # fmt: skip


_FORMAT_WORDS = re.compile(r"^(?:any pair of )?([A-Z0-9_]+(?:, [A-Z0-9_]+)*)$", re.IGNORECASE)


@functools.lru_cache(maxsize=4096)
def _format_text(text: str) -> int:
    info = format_named(text)
    if info is not None:
        return info.value
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,8}", text):
        return int(text, 16)
    fourcc = re.fullmatch(r"FOURCC ([ -~]{4})", text)
    if fourcc:
        return int.from_bytes(fourcc[1].encode(), "little")
    if " or " in text:
        return _format_text(text.split(" or ")[0])
    raise NotUnderstoodError(f"format {text}")


def parse_format(value: object, default: Format = Format.X8R8G8B8) -> int:
    """Return a D3DFORMAT value: a name with or without prefix, ``FOURCC abcd``, a number, or None for the default."""
    if value is None:
        return int(default)
    if isinstance(value, bool):
        raise NotUnderstoodError(f"format {value}")
    if isinstance(value, int) and 0 <= value < 2**32:
        return value
    if not isinstance(value, str):
        raise NotUnderstoodError(f"format {value}")
    return _format_text(value)


@functools.lru_cache(maxsize=256)
def parse_formats(text: str) -> tuple[int, ...]:
    """Return the formats of a phrase such as ``any pair of A8R8G8B8, R5G6B5``."""
    match = _FORMAT_WORDS.match(text)
    if match is None:
        raise NotUnderstoodError(f"formats {text}")
    return tuple(_format_text(part.strip()) for part in match[1].split(","))


def parse_pool(value: object, default: Pool | None = None) -> int:
    """Return a D3DPOOL value: a constant with or without prefix, or a number."""
    if value is None and default is not None:
        return int(default)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**32:
        return value
    if isinstance(value, str):
        known = _POOLS.get(value.removeprefix("D3DPOOL_"))
        if known is not None:
            return known
    raise NotUnderstoodError(f"pool {value}")


def _bits(value: object, kind: type[Usage] | type[LockFlags], what: str) -> int:
    known: Mapping[str, int] = constants_of(kind)
    prefix = kind.prefix()
    items: Sequence[object] = cast("Sequence[object]", value) if isinstance(value, list | tuple) else (value,)
    bits = 0
    for item in items:
        if isinstance(item, int) and not isinstance(item, bool):
            bits |= item
        elif isinstance(item, str) and re.fullmatch(r"0[xX][0-9a-fA-F]+|\d+", item):
            bits |= int(item, 0)
        elif isinstance(item, str) and (item in known or prefix + item in known):
            bits |= known[item if item in known else prefix + item]
        else:
            raise NotUnderstoodError(f"{what} {item}")
    if not 0 <= bits < 2**32:
        raise NotUnderstoodError(f"{what} {value}")
    return bits


def parse_flags(inputs: Mapping[str, object], key: str, kind: type[Usage] | type[LockFlags]) -> int:
    """Return the flags under ``key`` or ``key_value``.

    Raises:
        NotUnderstoodError: A flag is unknown, or names and number contradict each other.
    """
    named, number = inputs.get(key), inputs.get(f"{key}_value")
    bits = None if named is None else _bits(named, kind, key)
    if number is None:
        return bits or 0
    value = _bits(number, kind, f"{key}_value")
    if bits is not None and bits != value:
        raise NotUnderstoodError(f"{key} and {key}_value contradict each other")
    return value


def whole(value: object, what: str, low: int = 0) -> int:
    """Return a whole number."""
    if isinstance(value, int) and not isinstance(value, bool) and low <= value < 2**32:
        return value
    raise NotUnderstoodError(f"{what} {value}")


def numbers(value: object, what: str, count: int | None = None) -> tuple[int, ...]:
    """Return a list of whole numbers, negative ones included."""
    if isinstance(value, list | tuple):
        items = cast("Sequence[object]", value)
        if count in (None, len(items)) and all(isinstance(i, int) and not isinstance(i, bool) for i in items):
            return tuple(cast("Sequence[int]", items))
    raise NotUnderstoodError(f"{what} {value}")


def truth(value: object, what: str) -> bool:
    """Return a truth value."""
    if isinstance(value, bool):
        return value
    raise NotUnderstoodError(f"{what} {value}")


_FVF = {
    "XYZ": 0x2, "XYZRHW": 0x4, "XYZB1": 0x6, "XYZB2": 0x8, "XYZB3": 0xA, "XYZB4": 0xC, "XYZB5": 0xE, "NORMAL": 0x10,
    "PSIZE": 0x20, "DIFFUSE": 0x40, "SPECULAR": 0x80, "TEX1": 0x100, "TEX2": 0x200, "TEX3": 0x300, "TEX4": 0x400,
}  # fmt: skip


def parse_fvf(value: object) -> int:
    """Return a vertex format: a number, or names of D3DFVF bits joined by ``|``."""
    if value is None:
        return 0
    if isinstance(value, str):
        try:
            return sum(_FVF[part.strip().removeprefix("D3DFVF_")] for part in value.split("|"))
        except KeyError:
            raise NotUnderstoodError(f"fvf {value}") from None
    return whole(value, "fvf")


_CLAUSES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^created$"), "created"),
    (re.compile(r"^focus lost to desktop(?: \(windowed\))?$"), "lost"),
    (re.compile(r"^window restored and focused(?: \(windowed\))?$"), "regained"),
    (re.compile(r"^window focused again$"), "regained"),
    (re.compile(r"^(?:second )?reset (?:to )?fullscreen(?: while unfocused)?$"), "fullscreen"),
    (re.compile(r"^reset to another fullscreen size$"), "another size"),
    (re.compile(r"^(?:second )?reset (?:to )?windowed$"), "windowed"),
)


def device_events(text: str) -> list[str]:
    """Return the events that a step of a device's life tells, in order.

    Each is ``created``, ``lost``, ``regained``, ``fullscreen``, ``another size`` or ``windowed``.

    Raises:
        NotUnderstoodError: A clause is none of them.
    """
    found: list[str] = []
    for clause in re.split(r", (?:then )?", text):
        event = next((name for pattern, name in _CLAUSES if pattern.match(clause.strip().lower())), None)
        if event is None:
            raise NotUnderstoodError(f"event {text}")
        found.append(event)
    return found
