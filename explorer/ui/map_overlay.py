"""What the map draws over its pixels: words, headers, gutter, ghost, hover and focus."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QPainter, QPen

from explorer.core.units import format_bytes
from explorer.render.labels import LEFT
from explorer.render.lane_texts import short_bytes
from explorer.render.map_texts import HeaderText, block_texts, gutter_texts, header_text, visible_headers
from explorer.render.raster import ROW, THIN
from explorer.ui.map_pictures import WordPictures
from explorer.ui.map_screen import MapScreen, to_colour

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.render.layout import Strip

# Flags of PySide6 are Python enums: to join them for every word costs more than the word.
_DONT_CLIP = Qt.TextFlag.TextDontClip.value
_LEFT = (Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter).value | _DONT_CLIP
_RIGHT = (Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter).value | _DONT_CLIP
_ARROW = 14
_GUTTER_GAP = 8
_BYTE_GRID_PX = 8
_PAGE_BYTES = 4096
_PAGE_GRID_PX = 4


class MapFonts:
    """The fonts of the map, after the font of the window.

    Attributes:
        name: Names of blocks.
        size: Sizes and aliases.
        strong: Titles of lanes.
        title: What is missing, where there is nothing to show.
        body: Why.
        fixed: Offsets.
    """

    def __init__(self, base: QFont, body_px: int) -> None:
        self.name = _font(base, body_px - 1)
        self.size = _font(base, body_px - 2)
        self.strong = _font(base, body_px - 1, QFont.Weight.DemiBold)
        self.title, self.body = _font(base, body_px + 2, QFont.Weight.DemiBold), _font(base, body_px)
        self.fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        self.fixed.setPixelSize(body_px - 2)
        self._widths: dict[tuple[int, str], float] = {}
        self._metrics = [QFontMetricsF(font) for font in (self.name, self.size, self.strong)]

    def measure(self, index: int) -> Callable[[str], float]:
        """Return a function for the width of a text in font 0 (names), 1 (sizes) or 2 (titles)."""
        metrics, widths = self._metrics[index], self._widths

        def width(text: str) -> float:
            key = (index, text)
            known = widths.get(key)
            if known is None:
                if len(widths) > 50_000:
                    widths.clear()
                known = widths[key] = metrics.horizontalAdvance(text)
            return known

        return width

    def elided(self, index: int, text: str, room: float) -> str:
        """Return a text cut at its right end."""
        if self.measure(index)(text) <= room:
            return text
        return self._metrics[index].elidedText(text, Qt.TextElideMode.ElideRight, max(room, 0))


def _font(base: QFont, px: int, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    font = QFont(base)
    font.setPixelSize(px)
    font.setWeight(weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


class MapOverlay:
    """Draws words and marks of a screen with a painter whose origin is the upper left corner of the rows."""

    def __init__(self, screen: MapScreen, fonts: MapFonts) -> None:
        self.screen = screen
        self.fonts = fonts
        self.pictures = WordPictures()

    def begin(self) -> None:
        """Begin a paint."""
        screen, camera = self.screen, self.screen.camera
        shape = (camera.view.measures, camera.view.width, camera.height) if camera is not None else ()
        self.pictures.begin((screen.palette.theme, self.fonts, screen.ratio, *shape))

    def colour(self, name: str) -> QColor:
        """Return a colour of the map or of the window by its token."""
        colours = self.screen.palette
        return to_colour(colours.map[name] if name in colours.map else colours.colour[name])

    def draw_grid(self, painter: QPainter, strips: list[Strip], top: float) -> None:
        """Draw the page grid, and the byte grid at the deepest zoom."""
        for strip in strips:
            if strip.kind != ROW:
                continue
            step = _PAGE_BYTES
            if strip.pixels_per_byte >= _BYTE_GRID_PX:
                step = 1
            elif strip.pixels_per_byte * _PAGE_BYTES < _PAGE_GRID_PX:
                continue
            lane = self._lane_base(strip)
            at = -(-(strip.first - lane) // step) * step + lane
            painter.setPen(QPen(self.colour("grid"), 0))
            while at < strip.end:
                x = (at - strip.first) * strip.pixels_per_byte
                painter.drawLine(QPointF(x, strip.y0 - top), QPointF(x, strip.y1 - top - 1))
                at += step

    def draw_labels(self, painter: QPainter, strips: list[Strip], top: float) -> None:
        """Draw the names and sizes that fit into blocks."""
        ready, camera = self.screen.ready(), self.screen.camera
        if ready is None or camera is None:
            return
        texts = block_texts(ready, camera.layout, strips, self.fonts.measure(0), self.fonts.measure(1))
        base = self.colour("base")
        plain = ready.table.fill
        for text in texts:
            rect = QRectF(text.x + LEFT, text.y - top, text.width - 2 * LEFT, text.height)
            painter.setFont(self.fonts.size if text.plate else self.fonts.name)
            if text.plate or self.screen.patterns:
                wide = self.fonts.measure(1 if text.plate else 0)(text.label.name)
                ground = base if text.plate else QColor.fromRgb(int(plain[int(ready.colouring.index[text.block])]))
                painter.fillRect(QRectF(text.x + 3, rect.y() + 2, wide + 6, text.height - 4), ground)
            painter.setPen(to_colour(text.ink))
            painter.drawText(rect, _LEFT, text.label.name)
            if text.label.size:
                painter.setFont(self.fonts.size)
                painter.drawText(rect, _RIGHT, text.label.size)

    def draw_gutter(self, painter: QPainter, strips: list[Strip], top: float) -> None:
        """Draw the offset of each row, left of it, and the lines that stand for empty rows."""
        camera = self.screen.camera
        if camera is None:
            return
        gutter = camera.view.measures.gutter
        texts = [(text.y - top, text.height, text.text) for text in gutter_texts(camera.layout, strips)]

        def offsets(inner: QPainter) -> None:
            inner.setFont(self.fonts.fixed)
            inner.setPen(self.colour("axis"))
            for y, height, text in texts:
                inner.drawText(QRectF(0, y, gutter - _GUTTER_GAP, height), _RIGHT, text)

        place = QRectF(-gutter, 0, gutter - _GUTTER_GAP, camera.height)
        self.pictures.draw(painter, ("gutter", tuple(texts)), place, self.colour("base"), offsets)
        for fold in camera.layout.folds(top, top + camera.height):
            middle = fold.y - top + (fold.height - camera.view.measures.gap) / 2
            words = f"{short_bytes(fold.size)} free"
            painter.setFont(self.fonts.size)
            painter.setPen(self.colour("axis"))
            painter.drawText(QRectF(0, middle - 10, 400, 20), _LEFT, words)
            for step in (-4, 0, 4):
                painter.fillRect(QRectF(-12, middle + step, 2, 2), self.colour("axis"))
            pen = QPen(self.colour("axis"), 1, Qt.PenStyle.CustomDashLine)
            pen.setDashPattern([4, 3])
            painter.setPen(pen)
            painter.drawLine(QPointF(self.fonts.measure(1)(words) + 8, middle), QPointF(camera.view.width, middle))

    def draw_headers(self, painter: QPainter, top: float) -> None:
        """Draw the headers in place, then those that stick to the upper end."""
        camera = self.screen.camera
        if camera is None:
            return
        layout = camera.layout
        for index in visible_headers(layout, top, top + camera.height):
            head = header_text(layout, index)
            self.draw_header(painter, head, head.y - top)
        for head, y in self.sticky_headers(top):
            self.draw_header(painter, head, y)

    def sticky_headers(self, top: float) -> list[tuple[HeaderText, float]]:
        """Return the headers of the lane and segment at the upper end with their heights, the lane's first."""
        camera = self.screen.camera
        if camera is None or not camera.layout.boxes:
            return []
        layout, measures = camera.layout, camera.view.measures
        found: list[tuple[HeaderText, float]] = []
        index = layout.box_at(top + measures.segment)
        segment = next((i for i in range(max(layout.box_at(top), 0), -1, -1) if layout.boxes[i].lane is None), 0)
        if index > segment and layout.boxes[index].lane is not None:
            following = layout.boxes[index + 1].y - top if index + 1 < len(layout.boxes) else layout.height
            y = min(float(measures.segment), following - measures.header)
            if layout.boxes[index].y - top < y:
                found.append((header_text(layout, index), y))
        if layout.boxes[segment].y < top:
            after = (i for i in range(segment + 1, len(layout.boxes)) if layout.boxes[i].lane is None)
            following = next((layout.boxes[i].y - top for i in after), float(layout.height))
            found.append((header_text(layout, segment), min(0.0, following - measures.segment)))
        return found

    def draw_header(self, painter: QPainter, head: HeaderText, y: float) -> None:
        """Draw one header at a height of the view."""
        camera = self.screen.camera
        if camera is None:
            return
        gutter, width = camera.view.measures.gutter, camera.view.width
        place = QRectF(-gutter, y, gutter + width + 40, head.height)
        # Its box and height on the map say nothing of how it looks.
        key = replace(head, box=0, y=0)
        self.pictures.draw(painter, key, place, self.colour("base"), lambda inner: self._write(inner, head))

    def _write(self, painter: QPainter, head: HeaderText) -> None:
        """Write a header with a painter whose origin is the left end of the gutter."""
        camera = self.screen.camera
        if camera is None:
            return
        gutter, width, y = camera.view.measures.gutter, camera.view.width, 0.0
        painter.translate(gutter, 0)
        left = -gutter + 12.0 if head.is_segment else -gutter + 26.0 + 16 * head.depth
        right_width = self.fonts.measure(0)(head.right)
        if head.is_segment:
            painter.setPen(QPen(self.colour("line"), 0))
            painter.drawLine(QPointF(-gutter, y + head.height - 2), QPointF(width, y + head.height - 2))
        else:
            self._draw_arrow(painter, left - _ARROW, y + head.height / 2, is_folded=head.is_folded)
        rect = QRectF(left, y, width - left, head.height)
        title = self.fonts.elided(2, head.title, width - left - right_width - 24)
        painter.setFont(self.fonts.strong)
        painter.setPen(self.colour("text"))
        painter.drawText(rect, _LEFT, title)
        painter.setFont(self.fonts.name)
        painter.setPen(self.colour("text2"))
        start = left + self.fonts.measure(2)(title) + 12
        painter.drawText(rect, _RIGHT, head.right)
        subtitle = self.fonts.elided(0, head.subtitle, width - right_width - 16 - start)
        painter.drawText(QRectF(start, y, width - start, head.height), _LEFT, subtitle)

    def draw_marks(self, painter: QPainter, strips: list[Strip], top: float, *, has_focus: bool) -> None:
        """Draw ghost, holes that are too small, hover and the ring of the keyboard's place."""
        screen = self.screen
        span = self.ghost_range()
        if span is not None and screen.ghost is not None:
            size = format_bytes(span[1] - span[0])
            self._draw_ghost(painter, strips, top, span, f"{screen.ghost[1]} · {size}")
        for first, end in screen.refused:
            for rect in self.rects(strips, first, end, top):
                painter.setPen(self._dashes("error"))
                painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))
                self._text_if_fits(painter, rect, format_bytes(end - first), self.colour("error"))
        if screen.hover is not None and screen.hover.block >= 0:
            for rect in self.rects(strips, screen.hover.first, screen.hover.end, top, track=screen.hover.alias):
                painter.fillRect(rect, self.colour("hoverfill"))
                painter.setPen(QPen(self.colour("select"), 1))
                painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))
        pointed = self.pointed_range()
        for rect in self.rects(strips, *pointed, top) if pointed is not None else ():
            for token, width in (("halo", 4), ("select", 2)):
                painter.setPen(QPen(self.colour(token), width))
                painter.drawRect(rect.adjusted(-1, -1, 1, 1))
        if has_focus and screen.focus is not None:
            rects = self.rects(strips, screen.focus.first, screen.focus.end, top)
            for rect in rects + self._fold_rects(screen.focus.first, screen.focus.end, top):
                painter.setPen(QPen(self.colour("accent"), 2))
                painter.drawRect(rect.adjusted(-1, -1, 1, 1))

    def ghost_range(self) -> tuple[int, int] | None:
        """Return where the ghost lies on the map axis, None where it has no place in a lane."""
        scene = self.screen.scene
        if scene is None or self.screen.ghost is None:
            return None
        ghost = self.screen.ghost[0]
        return axis_range(self.screen, ghost.segment, ghost.heap, ghost.offset, ghost.size)

    def pointed_range(self) -> tuple[int, int] | None:
        """Return where the range lies that another view points to, None where its heap is not shown."""
        scene, pointed = self.screen.scene, self.screen.pointed
        if scene is None or pointed is None:
            return None
        heap, offset, size = pointed
        names = scene.snapshot.heaps.names
        return axis_range(self.screen, -1, names.index(heap), offset, size) if heap in names else None

    def rects(self, strips: list[Strip], first: int, end: int, top: float, *, track: bool = False) -> list[QRectF]:
        """Return the rectangles of a range of the map axis in the visible rows, two pixels wide at least."""
        found: list[QRectF] = []
        for strip in strips:
            if strip.kind != THIN and (strip.kind == ROW) == track:
                continue
            low, high = max(first, strip.first), min(end, strip.end)
            if low >= high:
                continue
            x0 = round((low - strip.first) * strip.pixels_per_byte)
            x1 = max(round((high - strip.first) * strip.pixels_per_byte), x0 + 2)
            found.append(QRectF(x0, strip.y0 - top, x1 - x0, strip.y1 - strip.y0))
        return found

    def _fold_rects(self, first: int, end: int, top: float) -> list[QRectF]:
        """Return the rectangles of the lines that stand for empty rows of a range."""
        camera = self.screen.camera
        found: list[QRectF] = []
        for fold in camera.layout.folds(top, top + camera.height) if camera is not None else []:
            lane = camera.layout.boxes[fold.box].lane if camera is not None else None
            if camera is not None and lane is not None and first <= lane.base + fold.offset < end:
                height = fold.height - camera.view.measures.gap
                found.append(QRectF(0, fold.y - top, camera.view.width, height))
        return found

    def _draw_ghost(self, painter: QPainter, strips: list[Strip], top: float, span: tuple[int, int], text: str) -> None:
        for rect in self.rects(strips, *span, top):
            painter.fillRect(rect, self.colour("ghostfill"))
            painter.setPen(self._dashes("ghost"))
            painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))
            self._text_if_fits(painter, rect, text, self.colour("ghosttext"))

    def _text_if_fits(self, painter: QPainter, rect: QRectF, text: str, colour: QColor) -> None:
        shown = self.fonts.elided(2, text, rect.width() - 2 * LEFT)
        if rect.height() < 16 or len(shown) < min(len(text), 9):
            return
        painter.setFont(self.fonts.strong)
        painter.setPen(colour)
        painter.drawText(rect.adjusted(LEFT, 0, -LEFT, 0), _LEFT, shown)

    def _dashes(self, name: str) -> QPen:
        pen = QPen(self.colour(name), 1.5, Qt.PenStyle.CustomDashLine)
        pen.setDashPattern([4 / 1.5, 3 / 1.5])
        return pen

    def _draw_arrow(self, painter: QPainter, x: float, y: float, *, is_folded: bool) -> None:
        """Draw the triangle that folds a lane, eight pixels wide."""
        points = [(1, -4), (6, 0), (1, 4)] if is_folded else [(0, -2.5), (8, -2.5), (4, 3)]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.colour("text2"))
        painter.drawPolygon([QPointF(x + dx, y + dy) for dx, dy in points])
        painter.restore()

    def _lane_base(self, strip: Strip) -> int:
        camera = self.screen.camera
        lane = camera.layout.boxes[strip.box].lane if camera is not None else None
        return lane.base if lane is not None else 0


def axis_range(screen: MapScreen, segment: int, heap: int, offset: int, size: int) -> tuple[int, int] | None:
    """Return a range of a heap or segment on the map axis, None where no lane shows it."""
    scene = screen.scene
    if scene is None or offset < 0:
        return None
    places = scene.places
    base = -1
    if 0 <= heap < len(places.home):
        base = int(places.home[heap]) if places.home[heap] >= 0 else int(places.current[heap])
    elif heap < 0 <= segment < len(places.direct):
        base = int(places.direct[segment])
    return (base + offset, base + offset + size) if base >= 0 else None
