"""The tiles of a resource or of a heap as one picture: zoom, pan, hover, pick and walk."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy

from explorer.render.tile_looks import paint_tiles
from explorer.render.tiles import PITCHES, TileMeasures, TilePicture, fitting_pitch
from explorer.render.tokens import load_tokens, palette
from explorer.ui.descriptors_tip import FactsTip
from explorer.ui.subresources_canvas import paint_mark
from explorer.ui.tiles_keys import key_target
from explorer.ui.tiles_paint import TEXT_FROM, cell_texts, paint_labels, paint_numbers

if TYPE_CHECKING:
    from explorer.render.looks import Pixels
    from explorer.render.tile_sheet import TileSheet
    from explorer.ui.theme import Theme

_EDGE = 12
_DRAG_FROM = 4


class TilesCanvas(QAbstractScrollArea):
    """Paints the tiles in view; a drag pans, the wheel zooms, arrows walk.

    Signals:
        picked: Tile that was clicked or entered.
        moved: Tile that the keyboard stands on.
        zoomed: The zoom changed.
    """

    picked = Signal(object)
    moved = Signal(object)
    zoomed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.sheet: TileSheet | None = None
        self.focus_tile = 0
        self.selected: int | None = None
        self.hover: int | None = None
        self.pitch = 12
        self._is_fitted = True
        self._picture: TilePicture | None = None
        self._image: tuple[tuple[object, ...], QImage, Pixels] | None = None
        self._press: QPoint | None = None
        self._last = QPoint()
        self._is_panning = False
        self.setObjectName("tiles_canvas")
        self.setAccessibleName("Tiles")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.tip = FactsTip(theme, self.viewport(), name="tile_tip")
        self._tip_timer = QTimer(self)
        self._tip_timer.setSingleShot(True)
        self._tip_timer.setInterval(load_tokens().motion_ms["tooltip_delay_ms"])
        self._tip_timer.timeout.connect(self._show_tip)
        theme.changed.connect(self._on_theme)

    # -- what the panel calls

    def show_sheet(self, sheet: TileSheet | None) -> None:
        """Show tiles; zoom and place stay while it is the same resource or heap."""
        is_same = sheet is not None and self.sheet is not None and sheet.key == self.sheet.key
        self.sheet, self._image = sheet, None
        if not is_same:
            self.focus_tile, self.selected, self.hover = 0, None, None
            self._is_fitted = True
            self.verticalScrollBar().setValue(0)
            self.horizontalScrollBar().setValue(0)
        self._lay_out()
        if not self.tip.isHidden():
            self._show_tip()

    def select(self, tile: int | None) -> None:
        """Mark a tile and put the keyboard there."""
        self.selected = tile
        if tile is not None:
            self.focus_tile = tile
        self.viewport().update()

    def reveal(self, tile: int) -> None:
        """Bring a tile into view."""
        rect = self.tile_rect(tile)
        window = QRectF(self.viewport().rect()).adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        for bar, low, high, first, end in (
            (self.horizontalScrollBar(), rect.left(), rect.right(), window.left(), window.right()),
            (self.verticalScrollBar(), rect.top(), rect.bottom(), window.top(), window.bottom()),
        ):
            if low < first or high > end:
                bar.setValue(bar.value() + round((low + high) / 2 - (first + end) / 2))

    def zoom(self, steps: int, about: QPointF | None = None) -> None:
        """Zoom about a point of the viewport; the tile there stays in place."""
        picture = self.picture()
        at = about if about is not None else QPointF(self.viewport().rect().center())
        if picture is None or not steps:
            return
        place = min(max(PITCHES.index(self.pitch) + steps, 0), len(PITCHES) - 1)
        if PITCHES[place] == self.pitch:
            return
        tile = self.tile_at(at)
        before = self.tile_rect(tile) if tile is not None else QRectF()
        self.pitch, self._is_fitted = PITCHES[place], False
        self._lay_out()
        if tile is not None:
            after = self.tile_rect(tile)
            share_x = (at.x() - before.left()) / max(before.width(), 1)
            share_y = (at.y() - before.top()) / max(before.height(), 1)
            self._scroll_by(after.left() + share_x * after.width() - at.x(),
                            after.top() + share_y * after.height() - at.y())  # fmt: skip
        self.zoomed.emit()

    def fit(self) -> None:
        """Show all tiles, or at least the whole width."""
        self._is_fitted = True
        self._lay_out()
        self.zoomed.emit()

    def picture(self) -> TilePicture | None:
        """Return where the tiles lie at the present zoom and width."""
        if self.sheet is None:
            return None
        if self._picture is None:
            measures, room = self._measures(), self._room()
            if self._is_fitted:
                self.pitch = fitting_pitch(
                    self.sheet.tiling, measures, room, self._ratio, is_row=self.sheet.is_row
                )  # fmt: skip
                measures = self._measures()
            self._picture = TilePicture(self.sheet.tiling, measures, room[0], is_row=self.sheet.is_row)
        return self._picture

    def tile_rect(self, tile: int) -> QRectF:
        """Return a tile in the viewport's coordinates, the gap to the next one left out."""
        picture = self.picture()
        if picture is None:
            return QRectF()
        x, y, width, height = picture.rect(tile)
        left, top = self._origin()
        gap = 1 if min(width, height) > 3 else 0
        ratio = self._ratio
        return QRectF((x - left) / ratio, (y - top) / ratio, (width - gap) / ratio, (height - gap) / ratio)

    def tile_at(self, at: QPointF) -> int | None:
        """Return the tile under a point of the viewport."""
        picture = self.picture()
        left, top = self._origin()
        ratio = self._ratio
        return picture.hit(math.floor(at.x() * ratio) + left, math.floor(at.y() * ratio) + top) if picture else None

    def go_to(self, tile: int) -> None:
        """Put the keyboard on a tile, in view, and say it."""
        if self.sheet is None or not 0 <= tile < self.sheet.tiling.total_tiles:
            return
        self.focus_tile = tile
        self.reveal(tile)
        self._say()
        self.moved.emit(tile)
        self.viewport().update()

    # -- geometry

    @property
    def _ratio(self) -> float:
        return self.devicePixelRatioF()

    def _measures(self) -> TileMeasures:
        metrics = QFontMetricsF(self._theme.font(self._theme.caption_px))
        ratio = self._ratio
        pitch = max(round(self.pitch * ratio), 1)
        label = math.ceil((metrics.height() + 4) * ratio)
        return TileMeasures(pitch, label, round(8 * ratio), metrics.horizontalAdvance("0") * ratio)

    def _room(self) -> tuple[int, int]:
        # The bars are counted in, so that their coming and going moves nothing.
        bar = self.verticalScrollBar().sizeHint().width()
        size = self.size()
        ratio = self._ratio
        return (
            max(round((size.width() - 2 * _EDGE - bar) * ratio), 1),
            max(round((size.height() - 2 * _EDGE) * ratio), 1),
        )

    def _origin(self) -> tuple[int, int]:
        """Return the point of the picture at the viewport's corner, in device pixels."""
        ratio = self._ratio
        left = self.horizontalScrollBar().value() - _EDGE
        top = self.verticalScrollBar().value() - _EDGE
        return round(left * ratio), round(top * ratio)

    def _lay_out(self) -> None:
        self._picture, self._image = None, None
        picture = self.picture()
        view = self.viewport().size()
        wide = high = 0
        if picture is not None:
            wide = math.ceil(picture.width / self._ratio) + 2 * _EDGE
            high = math.ceil(picture.height / self._ratio) + 2 * _EDGE
        for bar, whole, part in (
            (self.horizontalScrollBar(), wide, view.width()), (self.verticalScrollBar(), high, view.height()),
        ):  # fmt: skip
            bar.setRange(0, max(whole - part, 0))
            bar.setPageStep(part)
            bar.setSingleStep(max(self.pitch, 8))
        self.viewport().update()

    def _scroll_by(self, dx: float, dy: float) -> None:
        for bar, step in ((self.horizontalScrollBar(), dx), (self.verticalScrollBar(), dy)):
            bar.setValue(bar.value() + round(step))

    def sizeHint(self) -> QSize:
        """Room for a few hundred tiles."""
        return QSize(520, 320)

    def minimumSizeHint(self) -> QSize:
        """It scrolls."""
        return QSize(160, 120)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the tiles out anew."""
        super().resizeEvent(event)
        self._lay_out()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        """Paint anew: the picture is made for the window."""
        self._image = None
        self.viewport().update()

    # -- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the tiles in view, labels and marks."""
        painter = QPainter(self.viewport())
        theme, picture = self._theme, self.picture()
        painter.fillRect(self.viewport().rect(), theme.colour("base", "map"))
        if picture is None or self.sheet is None:
            return
        painter.drawImage(QPointF(0, 0), self._painted(picture, self.sheet))
        left, top = self._origin()
        ratio = self._ratio
        right = left + math.ceil(self.viewport().width() * ratio)
        bottom = top + math.ceil(self.viewport().height() * ratio)
        seen = list(picture.seen(left, top, right, bottom))
        paint_labels(painter, theme, picture, seen, (left, top), ratio)
        if self.pitch >= TEXT_FROM:
            numbers = cell_texts(picture, self.sheet, seen, (left, top, right, bottom))
            paint_numbers(painter, theme, [(self.tile_rect(tile), text) for tile, text in numbers])
        if self.selected is not None:
            paint_mark(painter, theme, self.tile_rect(self.selected))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.hover is not None:
            painter.setPen(QPen(theme.colour("select", "map"), 1))
            painter.drawRect(self.tile_rect(self.hover).adjusted(-0.5, -0.5, 0.5, 0.5))
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.drawRect(self.tile_rect(self.focus_tile).adjusted(-3, -3, 3, 3))

    def _painted(self, picture: TilePicture, sheet: TileSheet) -> QImage:
        ratio = self._ratio
        left, top = self._origin()
        width = max(math.ceil(self.viewport().width() * ratio), 1)
        height = max(math.ceil(self.viewport().height() * ratio), 1)
        key = (sheet, self._theme.name, left, top, width, height, self.pitch, ratio)
        if self._image is None or self._image[0] != key:
            stamps = sheet.stamps(palette(self._theme.name), picture.cell_width, picture.cell_height)
            pixels = paint_tiles(picture, stamps, sheet.states, (left, top, width, height))
            image = QImage(pixels.data, width, height, pixels.strides[0], QImage.Format.Format_RGB32)
            image.setDevicePixelRatio(ratio)
            self._image = (key, image, pixels)
        return self._image[1]

    @Slot()
    def _on_theme(self) -> None:
        self._lay_out()

    # -- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a pan."""
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._press = self._last = event.position().toPoint()
            self._is_panning = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan, or hover a tile."""
        at = event.position().toPoint()
        if self._press is None:
            self._hover_at(event.position())
            return
        if not self._is_panning and (at - self._press).manhattanLength() < _DRAG_FROM:
            return
        self._is_panning = True
        self.tip.hide()
        self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        self._scroll_by(self._last.x() - at.x(), self._last.y() - at.y())
        self._last = at

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Pick the tile under the cursor unless it was a pan."""
        if self._press is not None and not self._is_panning and event.button() == Qt.MouseButton.LeftButton:
            tile = self.tile_at(event.position())
            if tile is not None:
                self._pick(tile)
        self._press, self._is_panning = None, False
        self.viewport().unsetCursor()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom about the tile under the cursor; with Shift or Alt scroll."""
        delta = event.angleDelta().y() or event.angleDelta().x()
        modifiers = event.modifiers()
        if modifiers & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier):
            sideways = bool(modifiers & Qt.KeyboardModifier.AltModifier)
            self._scroll_by(-delta / 2 if sideways else 0, 0 if sideways else -delta / 2)
        elif delta:
            self.zoom(1 if delta > 0 else -1, event.position())
        self.tip.hide()
        event.accept()

    def leaveEvent(self, _event: QEvent) -> None:
        """Take hover and facts away."""
        self._forget_hover()

    def hideEvent(self, _event: object) -> None:
        """Leave no timer behind."""
        self._forget_hover()

    def _forget_hover(self) -> None:
        self.hover = None
        self._tip_timer.stop()
        self.tip.hide()
        self.viewport().update()

    def _hover_at(self, at: QPointF) -> None:
        tile = self.tile_at(at)
        if tile == self.hover:
            return
        self.hover = tile
        self.tip.hide()
        self.viewport().update()
        if tile is None:
            self._tip_timer.stop()
        else:
            self._tip_timer.start()

    @Slot()
    def _show_tip(self) -> None:
        sheet, tile = self.sheet, self.hover
        if sheet is None or tile is None:
            self.tip.hide()
            return
        told = sheet.tell(tile)
        cell = sheet.stamps(palette(self._theme.name), 20, 20)[told.look]
        swatch = QImage(cell.data, 20, 20, cell.strides[0], QImage.Format.Format_RGB32).copy()
        around: QRect = self.tile_rect(tile).toRect()
        self.tip.show_facts(told.title, told.rows, around, state=told.state, swatch=swatch)

    # -- keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk with arrows, pages and ends; Enter picks, brackets zoom, F fits, N and Shift+N find what changed."""
        picture, sheet = self.picture(), self.sheet
        if picture is None or sheet is None:
            super().keyPressEvent(event)
            return
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._pick(self.focus_tile)
        elif event.text() in ("[", "]"):
            self.zoom(1 if event.text() == "]" else -1, self.tile_rect(self.focus_tile).center())
        elif key == Qt.Key.Key_F:
            self.fit()
        elif key == Qt.Key.Key_N:
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._go(sheet.next_marked(self.focus_tile, -1 if back else 1))
        elif (target := key_target(picture, self.focus_tile, key)) is not None:
            self._go(target)
        else:
            super().keyPressEvent(event)

    def _go(self, tile: int | None) -> None:
        if tile is not None:
            self.go_to(tile)

    def _pick(self, tile: int) -> None:
        self.select(tile)
        self._say()
        self.picked.emit(tile)

    def _say(self) -> None:
        if self.sheet is None:
            return
        told = self.sheet.tell(self.focus_tile)
        text = ", ".join((told.title, told.state, *(f"{name} {value}" for name, value in told.rows)))
        self.setAccessibleDescription(text)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def focusInEvent(self, event: object) -> None:
        """Show and say the keyboard's place."""
        self._say()
        self.viewport().update()

    def focusOutEvent(self, event: object) -> None:
        """Take the ring away."""
        self.viewport().update()
