"""The whole map as one picture without Qt: title, lanes with offsets and labels, scale, legend."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw

from explorer.core.units import format_bytes
from explorer.errors import CommandError
from explorer.render.colours import colour_mode
from explorer.render.fonts import Face, face
from explorer.render.frame import Paint, paint_frame, prepare
from explorer.render.labels import LEFT
from explorer.render.lane_texts import short_bytes
from explorer.render.lanes import build_scene
from explorer.render.layout import MapLayout, Mode, View, build_layout, fitting_row_bytes, longest_lane
from explorer.render.legend import LegendEntry, legend_entries
from explorer.render.looks import Pixels, swatch
from explorer.render.map_texts import block_texts, gutter_texts, header_text, visible_headers
from explorer.render.raster import THIN
from explorer.render.rows import default_measures
from explorer.render.tokens import Palette, Rgba, load_tokens, palette

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot

SCALES: tuple[float, ...] = (1, 1.5, 2)
LEAST_SIZE = (320, 200)
"""Smallest picture that still holds a title, a lane and a legend, in logical pixels."""

MOST_PIXELS = 1 << 28
"""A picture above this many device pixels is a mistyped size."""

_EDGE = 12
_TITLE = 40
_SCALE = 24
_LEGEND_ROW = 18
_COLUMNS = 5
_APART = 24


@dataclass(frozen=True, slots=True)
class PictureOptions:
    """What a picture shows.

    Attributes:
        mode: ``linear`` or ``rows``.
        row_bytes: Bytes of a row; None takes the smallest with which everything fits.
        colour_by: Id of a colour mode.
        patterns: Whether kinds have patterns besides colours.
        title: Left in the head; None takes the scenario or file.
    """

    mode: str = "rows"
    row_bytes: int | None = None
    colour_by: str = "kind"
    patterns: bool = False
    title: str | None = None


def map_picture(
    snapshot: Snapshot,
    size: tuple[int, int] = (1280, 720),
    scale: float = 1,
    theme: str = "light",
    options: PictureOptions | None = None,
) -> Image.Image:
    """Return the map of a snapshot as an RGB picture; the same input gives the same pixels.

    Args:
        snapshot: What to draw.
        size: Width and height in logical pixels.
        scale: Device pixels for each logical one.
        theme: ``light`` or ``dark``.
        options: What it shows.

    Raises:
        CommandError: The size is too small or too large.
        InputError: Unknown theme.
    """
    width, height = size
    if width < LEAST_SIZE[0] or height < LEAST_SIZE[1]:
        raise CommandError(
            "the picture is too small", where="size", found=f"{width}x{height}", accepted=("320x200 up",)
        )
    if width * height * scale * scale > MOST_PIXELS:
        raise CommandError("the picture is too large", where="size", found=f"{width}x{height} × {scale}")
    chosen = options or PictureOptions()
    colours = palette(theme)
    scene = build_scene(snapshot)
    ready = prepare(scene, colour_mode(chosen.colour_by), colours, ratio=scale, patterns=chosen.patterns)
    sheet = _Sheet(
        Image.new("RGB", (round(width * scale), round(height * scale)), colours.map["base"][:3]), scale, colours
    )
    entries = legend_entries(scene, ready.colouring)
    legend_rows = max(3, -(-(len(entries) - _shades(ready)) // 2))
    foot = _SCALE + legend_rows * _LEGEND_ROW + _EDGE
    room = height - _TITLE - foot
    measures = default_measures()
    view = View(Mode(chosen.mode), 1, 0, 1, width - 2 * _EDGE - measures.gutter, measures=measures)
    layout = _fitted(ready, view, room, chosen)
    _draw_title(sheet, ready, chosen, width)
    _draw_map(sheet, ready, layout, room)
    _draw_scale(sheet, layout, width, _TITLE + room, room)
    _draw_legend(sheet, ready, entries, width, _TITLE + room + _SCALE, legend_rows)
    return sheet.image


class _Sheet:
    """A picture with text functions in logical pixels."""

    def __init__(self, image: Image.Image, ratio: float, colours: Palette) -> None:
        self.image = image
        self.ratio = ratio
        self.colours = colours
        self.draw = ImageDraw.Draw(image)
        self.draw.fontmode = "L"

    def px(self, value: float) -> int:
        return round(value * self.ratio)

    def face(self, style: str, size: str) -> Face:
        return face(style, load_tokens().type_px[size], self.ratio)

    def text(self, x: float, y: float, text: str, used: Face, colour: Rgba, anchor: str = "lm") -> None:
        place = (self.px(x), self.px(y))
        self.draw.text(place, used.text(text), font=used.font, fill=colour[:3], anchor=anchor)

    def line(self, x0: float, x1: float, y: float, colour: Rgba) -> None:
        self.draw.line([(self.px(x0), self.px(y)), (self.px(x1) - 1, self.px(y))], fill=colour[:3], width=1)

    def paste(self, pixels: Pixels, x: int, y: int) -> None:
        height, width = pixels.shape
        data = np.ascontiguousarray(pixels.astype("<u4", copy=False)).view(np.uint8)
        part = Image.frombuffer("RGB", (width, height), data.tobytes(), "raw", "BGRX", 0, 1)
        self.image.paste(part, (x, y))

    def fitted(self, text: str, used: Face, room: float) -> str:
        """Return a text cut at its right end to the room it has."""
        if used.width(text) <= room:
            return text
        while text and used.width(text + "…") > room:
            text = text[:-1]
        return text.rstrip(" ·") + "…" if text else ""


def _fitted(ready: Paint, view: View, room: int, options: PictureOptions) -> MapLayout:
    """Return the layout that shows most: everything if it fits, else every lane folded."""
    scene = ready.scene
    span = longest_lane(scene)
    row_bytes = options.row_bytes or fitting_row_bytes(scene, view, room)
    layout = build_layout(scene, replace(view, row_bytes=row_bytes, span=span))
    if layout.height > room and options.row_bytes is None:
        folded = {lane.key: True for lane in scene.lanes}
        layout = build_layout(scene, replace(layout.view, folded=folded))
    return layout


def _shades(ready: Paint) -> int:
    return sum(1 for label in ready.colouring.labels if label)


def _draw_title(sheet: _Sheet, ready: Paint, options: PictureOptions, width: int) -> None:
    snapshot, colours = ready.scene.snapshot, sheet.colours.colour
    origin = snapshot.provenance
    title = options.title or origin.scenario or origin.file or "Memory map"
    used, small = sheet.face("strong", "title"), sheet.face("text", "small")
    parts = [snapshot.adapter_name, f"frame {origin.frame:,}" if origin.scenario else "", snapshot.api.upper()]
    totals = snapshot.totals
    right = f"{totals.resources:,} resources · {totals.heaps:,} heaps · {format_bytes(totals.placed_bytes)} placed"
    right_width = small.width(right)
    middle = _TITLE / 2
    title = sheet.fitted(title, used, width - 3 * _EDGE - right_width)
    sheet.text(_EDGE, middle, title, used, colours["text"])
    start = _EDGE + used.width(title) + 12
    facts = " · ".join(part for part in parts if part)
    facts = sheet.fitted(facts, small, width - _EDGE - right_width - 16 - start)
    sheet.text(start, middle + 1, facts, small, colours["text2"])
    sheet.text(width - _EDGE, middle + 1, right, small, colours["text2"], "rm")
    sheet.line(0, width, _TITLE - 1, colours["line"])


def _draw_map(sheet: _Sheet, ready: Paint, layout: MapLayout, room: int) -> None:
    frame = paint_frame(ready, layout, 0, room, compiled=False)
    gutter = layout.view.measures.gutter
    left = _EDGE + gutter
    visible = frame.pixels[frame.margin : frame.margin + sheet.px(room)]
    sheet.paste(visible, sheet.px(left), sheet.px(_TITLE))
    colours, axis = sheet.colours.colour, sheet.colours.map["axis"]
    fixed, small, caption = sheet.face("fixed", "caption"), sheet.face("text", "small"), sheet.face("text", "caption")
    for text in gutter_texts(layout, [strip for strip in frame.strips if strip.y1 <= room]):
        sheet.text(left - 8, _TITLE + text.y + text.height / 2, text.text, fixed, axis, "rm")
    for fold in layout.folds(0, room):
        middle = _TITLE + fold.y + (fold.height - layout.view.measures.gap) / 2
        words = f"{short_bytes(fold.size)} free"
        sheet.text(left, middle, words, caption, axis)
        _dashes(sheet, left + caption.width(words) + 8, left + layout.view.width, middle, axis)
        for step in (-4, 0, 4):
            box = [sheet.px(left - 12), sheet.px(middle + step), sheet.px(left - 10), sheet.px(middle + step + 2)]
            sheet.draw.rectangle((box[0], box[1], box[2] - 1, box[3] - 1), fill=axis[:3])
    whole = [strip for strip in frame.strips if strip.y1 <= room]
    for label in block_texts(ready, layout, whole, small.width, caption.width):
        middle = _TITLE + label.y + label.height / 2
        if label.plate:
            _plate(sheet, left + label.x + 3, middle, caption.width(label.label.name), label.height)
        used = caption if label.plate else small
        sheet.text(left + label.x + LEFT, middle, label.label.name, used, label.ink)
        if label.label.size:
            sheet.text(left + label.x + label.width - LEFT, middle, label.label.size, caption, label.ink, "rm")
    _draw_headers(sheet, layout, room)
    if not ready.scene.lanes:
        middle = _TITLE + room / 2
        centre = sheet.image.width / sheet.ratio / 2
        sheet.text(centre, middle, "Nothing is in memory yet", sheet.face("strong", "title"), colours["text"], "mm")


def _plate(sheet: _Sheet, x: float, middle: float, width: float, height: float) -> None:
    box = (
        sheet.px(x),
        sheet.px(middle - height / 2 + 2),
        sheet.px(x + width + 6),
        sheet.px(middle + height / 2 - 2) - 1,
    )
    sheet.draw.rectangle(box, fill=sheet.colours.map["base"][:3])


def _dashes(sheet: _Sheet, x0: float, x1: float, y: float, colour: Rgba) -> None:
    x = x0
    while x < x1:
        sheet.line(x, min(x + 4, x1), y, colour)
        x += 7


def _draw_headers(sheet: _Sheet, layout: MapLayout, room: int) -> None:
    colours = sheet.colours.colour
    strong, small = sheet.face("strong", "small"), sheet.face("text", "small")
    left, right = _EDGE + layout.view.measures.gutter, _EDGE + layout.view.measures.gutter + layout.view.width
    for index in visible_headers(layout, 0, room):
        head = header_text(layout, index)
        if head.y + head.height > room:
            continue
        middle = _TITLE + head.y + head.height / 2
        start = _EDGE if head.is_segment else left - 60 + 16 * head.depth
        if head.is_segment:
            sheet.line(0, sheet.image.width / sheet.ratio, _TITLE + head.y + head.height - 2, colours["linesoft"])
        else:
            sheet.text(start - 14, middle, "▸" if head.is_folded else "▾", small, colours["text2"])
        title = sheet.fitted(head.title, strong, right - start - small.width(head.right) - 24)
        sheet.text(start, middle, title, strong, colours["text"])
        at = start + strong.width(title) + 12
        subtitle = sheet.fitted(head.subtitle, small, right - small.width(head.right) - 16 - at)
        sheet.text(at, middle, subtitle, small, colours["text2"])
        sheet.text(right, middle, head.right, small, colours["text2"], "rm")


def _draw_scale(sheet: _Sheet, layout: MapLayout, width: int, y: int, room: int) -> None:
    colours = sheet.colours
    caption = sheet.face("text", "caption")
    view = layout.view
    shown = view.row_bytes if view.mode is Mode.ROWS else view.span
    left, right = _EDGE + view.measures.gutter, _EDGE + view.measures.gutter + view.width
    sheet.line(0, width, y, colours.colour["line"])
    words = "A row is" if view.mode is Mode.ROWS else "The width is"
    per_pixel = max(shown / view.width, 0)
    text = f"{words} {short_bytes(shown)} · 1 px = {format_bytes(round(per_pixel)) if per_pixel >= 1 else '< 1 B'}"
    middle = y + _SCALE / 2
    sheet.text(right, middle, text, caption, colours.map["axis"], "rm")
    hidden = sum(1 for box in layout.boxes if box.y + layout.header_height(box) > room)
    thin = any(strip.kind == THIN for strip in layout.strips(0, room))
    notes = [f"{hidden:,} lanes below do not fit in this picture" if hidden else "",
             "strips of folded lanes have a scale of their own" if thin else ""]  # fmt: skip
    sheet.text(left, middle, " · ".join(note for note in notes if note), caption, colours.map["axis"])


def _draw_legend(sheet: _Sheet, ready: Paint, entries: list[LegendEntry], width: int, y: int, rows: int) -> None:
    shades = _shades(ready)
    step = (width - 2 * _EDGE + _APART) / _COLUMNS
    if ready.colouring.ramp:
        _draw_ramp(sheet, ready, step * 3 - _APART, y)
    for index, entry in enumerate(entries):
        column, row = index % 3, index // 3
        if index >= shades:
            column, row = 3 + (index - shades) // rows, (index - shades) % rows
        _draw_entry(sheet, ready, entry, _EDGE + column * step, y + row * _LEGEND_ROW, step)


def _draw_entry(sheet: _Sheet, ready: Paint, entry: LegendEntry, x: float, y: float, step: float) -> None:
    colours, small = sheet.colours.colour, sheet.face("text", "small")
    side = load_tokens().size["swatch"]
    middle = y + _LEGEND_ROW / 2
    pixels = swatch(ready.table, entry.look, sheet.px(side), sheet.px(side))
    sheet.paste(pixels, sheet.px(x), sheet.px(middle - side / 2))
    size = format_bytes(entry.size)
    sheet.text(x + step - _APART, middle, size, small, colours["text"], "rm")
    label = sheet.fitted(entry.label, small, step - _APART - side - 14 - small.width(size))
    sheet.text(x + side + 6, middle, label, small, colours["text2"])


def _draw_ramp(sheet: _Sheet, ready: Paint, width: float, y: int) -> None:
    steps, small = ready.categories, sheet.face("text", "small")
    for index, step in enumerate(steps):
        x0, x1 = (_EDGE + width * at / len(steps) for at in (index, index + 1))
        sheet.draw.rectangle((sheet.px(x0), sheet.px(y + 4), sheet.px(x1) - 2, sheet.px(y + 16)), fill=step.fill[:3])
    colour = sheet.colours.colour["text2"]
    low, middle, high = ready.colouring.scale
    for text, at, anchor in ((low, 0.0, "lm"), (middle, 0.5, "mm"), (high, 1.0, "rm")):
        sheet.text(_EDGE + width * at, y + 27, text, small, colour, anchor)
