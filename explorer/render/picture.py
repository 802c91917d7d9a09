"""The whole map as one picture without Qt: title, lanes with offsets and labels, scale, legend."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.core.units import format_bytes
from explorer.errors import CommandError
from explorer.render.colours import colour_mode
from explorer.render.frame import Paint, prepare
from explorer.render.labels import LEFT
from explorer.render.lane_texts import short_bytes
from explorer.render.lanes import build_scene
from explorer.render.layout import MapLayout, Mode, View, build_layout, fitting_row_bytes, longest_lane
from explorer.render.legend import LegendEntry, legend_entries
from explorer.render.map_texts import block_texts, gutter_texts, header_text, visible_headers
from explorer.render.raster import THIN
from explorer.render.rows import default_measures
from explorer.render.sheet import PixelSheet, Sheet, fitted
from explorer.render.tokens import Rgba, load_tokens, palette

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot

if TYPE_CHECKING:
    from PIL import Image

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
    _check_size(size, scale)
    sheet = PixelSheet(size, scale, palette(theme))
    compose(sheet, snapshot, size, options or PictureOptions())
    return sheet.image


def map_svg(
    snapshot: Snapshot,
    size: tuple[int, int] = (1280, 720),
    theme: str = "light",
    options: PictureOptions | None = None,
) -> str:
    """Return the map of a snapshot as an SVG document; the same input gives the same text.

    Blocks of at least four pixels are shapes of their own with their names as tooltips; smaller ones are mixed as in
    the pixel picture, so the document stays within what the picture can show however many blocks there are.

    Args:
        snapshot: What to draw.
        size: Width and height.
        theme: ``light`` or ``dark``.
        options: What it shows.

    Raises:
        CommandError: The size is too small or too large.
        InputError: Unknown theme.
    """
    from explorer.render.svg_sheet import SvgSheet

    _check_size(size, 1)
    sheet = SvgSheet(size, palette(theme))
    compose(sheet, snapshot, size, options or PictureOptions())
    return sheet.document()


def compose(sheet: Sheet, snapshot: Snapshot, size: tuple[int, int], options: PictureOptions) -> None:
    """Draw title, map, scale and legend of a snapshot on a sheet of the given logical size."""
    width, height = size
    scene = build_scene(snapshot)
    mode = colour_mode(options.colour_by)
    ready = prepare(scene, mode, sheet.colours, ratio=sheet.ratio, patterns=options.patterns)
    entries = legend_entries(scene, ready.colouring)
    legend_rows = max(3, -(-(len(entries) - _shades(ready)) // 2))
    foot = _SCALE + legend_rows * _LEGEND_ROW + _EDGE
    room = height - _TITLE - foot
    measures = default_measures()
    view = View(Mode(options.mode), 1, 0, 1, width - 2 * _EDGE - measures.gutter, measures=measures)
    layout = _fitted(ready, view, room, options)
    _draw_title(sheet, ready, options, width)
    _draw_map(sheet, ready, layout, room, width)
    _draw_scale(sheet, layout, width, _TITLE + room, room)
    _draw_legend(sheet, ready, entries, width, _TITLE + room + _SCALE, legend_rows)


def _check_size(size: tuple[int, int], scale: float) -> None:
    found = f"{size[0]}x{size[1]}"
    if size[0] < LEAST_SIZE[0] or size[1] < LEAST_SIZE[1]:
        raise CommandError("the picture is too small", where="size", found=found, accepted=("320x200 and more",))
    if size[0] * size[1] * scale * scale > MOST_PIXELS:
        raise CommandError("the picture is too large", where="size", found=f"{found} × {scale}")


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


def _draw_title(sheet: Sheet, ready: Paint, options: PictureOptions, width: int) -> None:
    snapshot, colours = ready.scene.snapshot, sheet.colours.colour
    origin = snapshot.provenance
    title = options.title or origin.scenario or origin.file or "Memory map"
    used, small = sheet.face("strong", "title"), sheet.face("text", "small")
    parts = [snapshot.adapter_name, f"frame {origin.frame:,}" if origin.scenario else "", snapshot.api.upper()]
    totals = snapshot.totals
    right = f"{totals.resources:,} resources · {totals.heaps:,} heaps · {format_bytes(totals.placed_bytes)} placed"
    right_width = small.width(right)
    middle = _TITLE / 2
    title = fitted(title, used, width - 3 * _EDGE - right_width)
    sheet.text(_EDGE, middle, title, used, colours["text"])
    start = _EDGE + used.width(title) + 12
    facts = " · ".join(part for part in parts if part)
    facts = fitted(facts, small, width - _EDGE - right_width - 16 - start)
    sheet.text(start, middle + 1, facts, small, colours["text2"])
    sheet.text(width - _EDGE, middle + 1, right, small, colours["text2"], "rm")
    sheet.line(0, width, _TITLE - 1, colours["line"])


def _draw_map(sheet: Sheet, ready: Paint, layout: MapLayout, room: int, width: int) -> None:
    gutter = layout.view.measures.gutter
    left = _EDGE + gutter
    strips = sheet.rows(ready, layout, room, left, _TITLE)
    colours, axis = sheet.colours.colour, sheet.colours.map["axis"]
    fixed, small, caption = sheet.face("fixed", "caption"), sheet.face("text", "small"), sheet.face("text", "caption")
    whole = [strip for strip in strips if strip.y1 <= room]
    for text in gutter_texts(layout, whole):
        sheet.text(left - 8, _TITLE + text.y + text.height / 2, text.text, fixed, axis, "rm")
    for fold in layout.folds(0, room):
        middle = _TITLE + fold.y + (fold.height - layout.view.measures.gap) / 2
        words = f"{short_bytes(fold.size)} free"
        sheet.text(left, middle, words, caption, axis)
        _dashes(sheet, left + caption.width(words) + 8, left + layout.view.width, middle, axis)
        for step in (-4, 0, 4):
            sheet.box(left - 12, middle + step, 2, 2, axis)
    for label in block_texts(ready, layout, whole, small.width, caption.width):
        middle = _TITLE + label.y + label.height / 2
        if label.plate:
            _plate(sheet, left + label.x + 3, middle, caption.width(label.label.name), label.height)
        used = caption if label.plate else small
        sheet.text(left + label.x + LEFT, middle, label.label.name, used, label.ink)
        if label.label.size:
            sheet.text(left + label.x + label.width - LEFT, middle, label.label.size, caption, label.ink, "rm")
    _draw_headers(sheet, layout, room, width)
    if not ready.scene.lanes:
        middle = _TITLE + room / 2
        centre = width / 2
        sheet.text(centre, middle, "Nothing is in memory yet", sheet.face("strong", "title"), colours["text"], "mm")


def _plate(sheet: Sheet, x: float, middle: float, width: float, height: float) -> None:
    sheet.box(x, middle - height / 2 + 2, width + 6, height - 4, sheet.colours.map["base"])


def _dashes(sheet: Sheet, x0: float, x1: float, y: float, colour: Rgba) -> None:
    x = x0
    while x < x1:
        sheet.line(x, min(x + 4, x1), y, colour)
        x += 7


def _draw_headers(sheet: Sheet, layout: MapLayout, room: int, width: int) -> None:
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
            sheet.line(0, width, _TITLE + head.y + head.height - 2, colours["linesoft"])
        else:
            sheet.text(start - 14, middle, "▸" if head.is_folded else "▾", small, colours["text2"])
        title = fitted(head.title, strong, right - start - small.width(head.right) - 24)
        sheet.text(start, middle, title, strong, colours["text"])
        at = start + strong.width(title) + 12
        subtitle = fitted(head.subtitle, small, right - small.width(head.right) - 16 - at)
        sheet.text(at, middle, subtitle, small, colours["text2"])
        sheet.text(right, middle, head.right, small, colours["text2"], "rm")


def _draw_scale(sheet: Sheet, layout: MapLayout, width: int, y: int, room: int) -> None:
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


def _draw_legend(sheet: Sheet, ready: Paint, entries: list[LegendEntry], width: int, y: int, rows: int) -> None:
    shades = _shades(ready)
    step = (width - 2 * _EDGE + _APART) / _COLUMNS
    if ready.colouring.ramp:
        _draw_ramp(sheet, ready, step * 3 - _APART, y)
    for index, entry in enumerate(entries):
        column, row = index % 3, index // 3
        if index >= shades:
            column, row = 3 + (index - shades) // rows, (index - shades) % rows
        _draw_entry(sheet, ready, entry, _EDGE + column * step, y + row * _LEGEND_ROW, step)


def _draw_entry(sheet: Sheet, ready: Paint, entry: LegendEntry, x: float, y: float, step: float) -> None:
    colours, small = sheet.colours.colour, sheet.face("text", "small")
    side = load_tokens().size["swatch"]
    middle = y + _LEGEND_ROW / 2
    sheet.swatch(ready, entry.look, x, middle - side / 2, side)
    size = format_bytes(entry.size)
    sheet.text(x + step - _APART, middle, size, small, colours["text"], "rm")
    label = fitted(entry.label, small, step - _APART - side - 14 - small.width(size))
    sheet.text(x + side + 6, middle, label, small, colours["text2"])


def _draw_ramp(sheet: Sheet, ready: Paint, width: float, y: int) -> None:
    steps, small = ready.categories, sheet.face("text", "small")
    for index, step in enumerate(steps):
        x0, x1 = (_EDGE + width * at / len(steps) for at in (index, index + 1))
        sheet.box(x0, y + 4, x1 - x0 - 2, 12, step.fill)
    colour = sheet.colours.colour["text2"]
    low, middle, high = ready.colouring.scale
    for text, at, anchor in ((low, 0.0, "lm"), (middle, 0.5, "mm"), (high, 1.0, "rm")):
        sheet.text(_EDGE + width * at, y + 27, text, small, colour, anchor)
