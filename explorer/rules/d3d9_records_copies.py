"""Answers to records about copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.d3d9 import (
    ColorFill,
    Format,
    GetRenderTargetData,
    Pool,
    Rect,
    StretchRect,
    TextureFilter,
    UpdateTexture,
    Usage,
)
from explorer.core.schema import constants_of
from explorer.rules.d3d9 import judge
from explorer.rules.d3d9_copies import CopyState, TextureCopyState
from explorer.rules.d3d9_phrases import (
    NotUnderstoodError,
    numbers,
    parse_flags,
    parse_format,
    parse_formats,
    parse_object,
    parse_pool,
    whole,
)
from explorer.rules.d3d9_resource import Resource, Surface, full_chain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.rules.d3d9_question import Question

SURFACE_KINDS: Mapping[str, tuple[str, int]] = {
    "texture": ("texture", 0),
    "rt_texture": ("texture", int(Usage.RENDERTARGET)),
    "cube": ("cube_texture", 0),
    "rt_surface": ("render_target", int(Usage.RENDERTARGET)),
    "back_buffer": ("back_buffer", int(Usage.RENDERTARGET)),
    "ds_surface": ("depth_stencil_surface", int(Usage.DEPTHSTENCIL)),
    "plain_surface": ("offscreen_plain_surface", 0),
}
"""Kinds of surface as the records name them: kind of the resource and implied usage."""


def kind_of(name: object) -> tuple[str, int]:
    """Return kind and implied usage of a surface kind.

    Raises:
        NotUnderstoodError: No such kind.
    """
    if isinstance(name, str) and name in SURFACE_KINDS:
        return SURFACE_KINDS[name]
    raise NotUnderstoodError(f"kind {name}")


def _call(q: Question, name: str) -> None:
    if q.record.call != name:
        raise NotUnderstoodError(f"call {q.record.call}")


def _rect(q: Question, key: str) -> Rect | None:
    value = q.get(key)
    return None if value is None else Rect(*numbers(value, key, 4))


def _size(value: object, what: str) -> tuple[int, int]:
    if isinstance(value, int):
        return whole(value, what, 1), whole(value, what, 1)
    size = numbers(value, what)
    if len(size) == 1:
        size *= 2
    if len(size) != 2 or min(size) < 1:
        raise NotUnderstoodError(f"{what} {value}")
    return size[0], size[1]


def color_fill(q: Question) -> None:
    """Answer color_fill."""
    _call(q, "ColorFill")
    kind, implied = kind_of(q.need("kind"))
    width, height = _size(q.get("size", [32, 32]), "size")
    levels = whole(q.get("levels", 1), "levels") or full_chain(width, height)
    usage = implied | parse_flags(q.flags("usage"), "usage", Usage)
    value, pool = parse_format(q.get("format")), parse_pool(q.get("pool"), Pool.DEFAULT)
    resource = Resource(kind, width, height, 1, levels, levels, usage, value, pool)
    q.put("hr", q.use(judge(ColorFill("s", _rect(q, "rect")), Surface(resource), q.runtime)).hr)


_TYPES = {"texture": "texture", "cube": "cube_texture", "volume": "volume_texture"}


def update_texture(q: Question) -> None:
    """Answer update_texture_shapes and update_texture_volume."""
    _call(q, "UpdateTexture")
    source, destination = _end(q, "src"), _end(q, "dst")
    q.put("hr", q.use(judge(UpdateTexture("a", "b"), TextureCopyState(source, destination), q.runtime)).hr)


def _end(q: Question, side: str) -> Resource:
    name = q.get(f"{side}_type", q.get("type", "texture"))
    if not isinstance(name, str) or name not in _TYPES:
        raise NotUnderstoodError(f"type {name}")
    size = q.get(f"{side}_size", q.get("size", [8, 8]))
    sides = [whole(size, "size", 1)] if isinstance(size, int) else list(numbers(size, "size"))
    depth = q.get(f"{side}_depth")
    if depth is not None:
        sides = [*sides[:2], whole(depth, f"{side}_depth", 1)]
    if not 1 <= len(sides) <= 3 or min(sides) < 1:
        raise NotUnderstoodError(f"size {size}")
    width, height, deep = sides[0], sides[min(1, len(sides) - 1)], sides[2] if len(sides) == 3 else 1
    asked = whole(q.get(f"{side}_levels", q.get("levels", 1)), "levels")
    levels = asked or full_chain(width, height, deep)
    value = parse_format(q.get(f"{side}_format", q.get("format")), Format.A8R8G8B8)
    usage = parse_flags(q.flags(f"{side}_usage"), f"{side}_usage", Usage)
    pool = parse_pool(q.need(f"{side}_pool"))
    return Resource(_TYPES[name], width, height, deep, levels, levels, usage, value, pool)


def stretch_rect(q: Question) -> None:
    """Answer stretch_rect."""
    _call(q, "StretchRect")
    formats = _formats(q)
    ends: list[Surface] = []
    for side, value in (("src", formats[0]), ("dst", formats[-1])):
        kind, usage = kind_of(q.need(f"{side}_kind"))
        usage |= parse_flags(q.flags(f"{side}_usage"), f"{side}_usage", Usage)
        width, height = _size(q.get(f"{side}_size", q.get("size", [32, 32])), "size")
        pool = parse_pool(q.get(f"{side}_pool"), Pool.DEFAULT)
        ends.append(Surface(Resource(kind, width, height, usage=usage, format=value, pool=pool)))
    arguments = StretchRect("a", "b", _rect(q, "src_rect"), _rect(q, "dst_rect"), _filter(q))
    q.put("hr", q.use(judge(arguments, CopyState(ends[0], ends[1]), q.runtime)).hr)


def _formats(q: Question) -> tuple[int, ...]:
    if q.has("formats"):
        return parse_formats(q.text("formats"))
    one = q.get("format")
    return parse_format(q.get("src_format", one)), parse_format(q.get("dst_format", one))


def _filter(q: Question) -> TextureFilter:
    name = q.get("filter", "D3DTEXF_NONE")
    known = constants_of(TextureFilter)
    full = f"D3DTEXF_{str(name).removeprefix('D3DTEXF_')}"
    if full not in known:
        raise NotUnderstoodError(f"filter {name}")
    return TextureFilter(known[full])


def render_target_data(q: Question) -> None:
    """Answer get_render_target_data."""
    _call(q, "GetRenderTargetData")
    ends = [_phrase(q, "render_target"), _phrase(q, "dest")]
    arguments = GetRenderTargetData("a" if ends[0] else None, "b" if ends[1] else None)
    q.put("hr", q.use(judge(arguments, CopyState(ends[0], ends[1]), q.runtime)).hr)


def _phrase(q: Question, key: str) -> Surface | None:
    value = q.need(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise NotUnderstoodError(f"{key} {value}")
    phrase = parse_object(value)
    return Surface(phrase.resource, phrase.level, locked=phrase.locked)
