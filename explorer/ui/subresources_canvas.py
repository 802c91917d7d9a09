"""The picture of the Subresources view and the strip of bytes under it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QBrush,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from explorer.core.units import format_address, format_bytes, format_exact
from explorer.render.subresource import SubresourcePicture, strip_of
from explorer.render.tokens import palette
from explorer.ui.theme import to_colour

if TYPE_CHECKING:
    from PySide6.QtGui import QColor

    from explorer.core.kinds import ResourceKind
    from explorer.render.subresource import Box
    from explorer.sim.layouts import Form
    from explorer.ui.theme import Theme

_EDGE, _HEAD = 12, 22
_LABEL = 104


def hatch(painter: QPainter, theme: Theme, rect: QRectF) -> None:
    """Fill a rectangle with the look of padding."""
    waste = palette(theme.name)
    painter.fillRect(rect, to_colour(waste.waste_ground["padding"]))
    painter.fillRect(rect, QBrush(to_colour(waste.waste_line["padding"]), Qt.BrushStyle.BDiagPattern))


class SubresourceCanvas(QWidget):
    """Mips down, slices across; a click picks a subresource.

    Signals:
        picked: Index of the subresource that was clicked or walked to.
    """

    picked = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.form: Form | None = None
        self.selected = 0
        self.kind: ResourceKind | None = None
        self._picture: SubresourcePicture | None = None
        self.setObjectName("subresource_canvas")
        self.setAccessibleName("Subresources")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        theme.changed.connect(self.update)

    def show_form(self, form: Form, kind: ResourceKind) -> None:
        """Show the subresources of a form."""
        if form is not self.form or kind is not self.kind:
            self.form, self.kind = form, kind
            self._picture = None
            self._fit()

    def select(self, index: int) -> None:
        """Mark a subresource."""
        self.selected = index
        self.update()

    def picture(self) -> SubresourcePicture | None:
        """Return the picture for the present width."""
        if self.form is None:
            return None
        if self._picture is None:
            parent = self.parentWidget()
            room = (parent.width() if parent is not None else self.width()) - _LABEL - 2 * _EDGE
            self._picture = SubresourcePicture(self.form, room)
        return self._picture

    def box_rect(self, box: Box) -> QRectF:
        """Return a box in the widget's coordinates."""
        return QRectF(_EDGE + _LABEL + box.x, _HEAD + box.y, box.width, box.height)

    def refit(self) -> None:
        """Choose the widths anew."""
        self._picture = None
        self._fit()

    def _fit(self) -> None:
        picture = self.picture()
        if picture is not None:
            self.setMinimumSize(
                math.ceil(picture.width) + _LABEL + 2 * _EDGE, math.ceil(picture.height) + _HEAD + _EDGE
            )
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the columns in view."""
        painter, theme, picture, form = QPainter(self), self._theme, self.picture(), self.form
        if picture is None or form is None or self.kind is None:
            return
        seen = QRectF(event.rect())
        left = _EDGE + _LABEL
        boxes = picture.boxes(seen.left() - left, seen.right() - left)
        painter.setFont(theme.font(theme.caption_px))
        line = QFontMetricsF(painter.font()).height()
        for box in boxes:
            part = form.layout.subresources[box.index]
            if part.mip == 0 and part.plane == 0:
                painter.setPen(theme.colour("text2"))
                word = "face" if form.id in ("device", "system") and form.slices == 6 else "slice"
                painter.drawText(QRectF(left + box.x, 2, picture.column, line), f"{word} {part.slice}")
            self._paint_box(painter, box, self.box_rect(box))
        for row in picture.rows:
            rect = QRectF(_EDGE, _HEAD + row.y, _LABEL - 10, row.height)
            plane = form.planes[min(row.plane, len(form.planes) - 1)]
            painter.setPen(theme.colour("text"))
            painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, f"{plane} mip {row.mip}".strip())
            painter.setPen(theme.colour("text3"))
            extent = f"{row.width_texels:,} × {row.height_texels:,}"
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            if row.height >= 2 * line and len(extent) > 9:
                painter.drawText(rect.adjusted(0, line, 0, line), flags, extent)
            else:
                painter.drawText(rect, flags, extent)
        if form.layout.subresources:
            self._paint_selected(painter, picture)

    def _paint_box(self, painter: QPainter, box: Box, rect: QRectF) -> None:
        theme, form = self._theme, self.form
        assert form is not None
        assert self.kind is not None
        part = form.layout.subresources[box.index]
        data = QRectF(rect.left(), rect.top(), box.data, rect.height())
        painter.fillRect(data, theme.kind_colour(self.kind))
        if box.data < box.width:
            hatch(painter, theme, QRectF(data.right(), rect.top(), box.width - box.data, rect.height()))
        text = format_bytes(part.size_bytes)
        metrics = QFontMetricsF(painter.font())
        if metrics.horizontalAdvance(text) + 10 <= box.data:
            painter.setPen(theme.kind_colour(self.kind, "ink"))
            painter.drawText(data.adjusted(5, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, text)
        else:
            painter.setPen(theme.colour("text2"))
            room = QRectF(rect.right() + 5, rect.top(), 90, rect.height())
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_selected(self, painter: QPainter, picture: SubresourcePicture) -> None:
        rect = self.box_rect(picture.box(self.selected))
        paint_mark(painter, self._theme, rect)
        if self.hasFocus():
            painter.setPen(QPen(self._theme.colour("accent"), 2))
            painter.drawRect(rect.adjusted(-3, -3, 3, 3))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the subresource under the cursor."""
        picture = self.picture()
        at = event.position()
        found = picture.hit(at.x() - _EDGE - _LABEL, at.y() - _HEAD) if picture is not None else None
        if found is not None:
            self._pick(found)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell the exact figures of the subresource under the cursor."""
        picture, form, at = self.picture(), self.form, event.position()
        found = picture.hit(at.x() - _EDGE - _LABEL, at.y() - _HEAD) if picture is not None else None
        if found is None or form is None:
            QToolTip.hideText()
            return
        QToolTip.showText(event.globalPosition().toPoint(), tell(form, found), self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk with the arrows."""
        steps = {
            Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1),
        }  # fmt: skip
        step, picture = steps.get(Qt.Key(event.key())), self.picture()
        if step is None or picture is None:
            super().keyPressEvent(event)
            return
        found = picture.walk(self.selected, *step)
        if found is not None:
            self._pick(found)

    def _pick(self, index: int) -> None:
        self.select(index)
        if self.form is not None:
            self.setAccessibleDescription(tell(self.form, index))
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))
        self.picked.emit(index)

    def focusInEvent(self, _event: object) -> None:
        """Show the ring."""
        self.update()

    def focusOutEvent(self, _event: object) -> None:
        """Take the ring away."""
        self.update()


def paint_mark(painter: QPainter, theme: Theme, rect: QRectF) -> None:
    """Outline what is selected: halo outside, line inside."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.colour("halo", "map"), 4))
    painter.drawRect(rect)
    painter.setPen(QPen(theme.colour("select", "map"), 2))
    painter.drawRect(rect)


def tell(form: Form, index: int) -> str:
    """Return a subresource in words."""
    part = form.layout.subresources[index]
    plane = form.planes[min(part.plane, len(form.planes) - 1)] or f"plane {part.plane}"
    depth = f" × {part.depth:,}" if part.depth > 1 else ""
    return (
        f"Subresource {index:,}: mip {part.mip}, slice {part.slice}, {plane}\n"
        f"{part.width:,} × {part.height:,}{depth} at {format_address(part.offset)}\n"
        f"{format_exact(part.size_bytes)}, {format_exact(part.padding_bytes)} of it padding"
    )


class ByteStrip(QWidget):
    """The selected subresource and its neighbours by their bytes, to scale.

    Signals:
        picked: Index of the subresource that was clicked.
    """

    picked = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._form: Form | None = None
        self._kind: ResourceKind | None = None
        self._selected = 0
        self.setObjectName("subresource_strip")
        self.setAccessibleName("Bytes around the selected subresource")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """One line of text over a bar."""
        return QSize(300, int(QFontMetricsF(self._theme.font(self._theme.caption_px)).height()) + 34)

    def show_part(self, form: Form, index: int, kind: ResourceKind) -> None:
        """Show the bytes around a subresource."""
        self._form, self._selected, self._kind = form, index, kind
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the subresource under the cursor."""
        for index, rect in self._placed():
            if index >= 0 and rect.contains(event.position()):
                self.picked.emit(index)
                return

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint parts, gaps, offsets and the mark."""
        painter, theme, form = QPainter(self), self._theme, self._form
        if form is None or self._kind is None:
            return
        painter.setFont(theme.fixed_font(theme.caption_px))
        metrics = QFontMetricsF(painter.font())
        free, mark = -1.0, QRectF()
        for index, rect in self._placed():
            if index < 0:
                painter.fillRect(rect, theme.colour("free", "map"))
                continue
            part = form.layout.subresources[index]
            self._paint_part(painter, rect, part.padding_bytes / max(part.size_bytes, 1), self._kind)
            text = format_address(part.offset)
            if rect.left() > free and rect.left() + metrics.horizontalAdvance(text) <= self.width():
                painter.setPen(theme.colour("text3"))
                painter.drawText(QRectF(rect.left(), 2, 200, metrics.height()), text)
                painter.drawLine(QLineF(rect.left(), rect.top() - 3, rect.left(), rect.top()))
                free = rect.left() + metrics.horizontalAdvance(text) + 12
            name = f"mip {part.mip}"
            if metrics.horizontalAdvance(name) + 10 <= rect.width():
                painter.setPen(theme.kind_colour(self._kind, "ink"))
                painter.drawText(rect.adjusted(5, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, name)
            if index == self._selected:
                mark = rect
        if not mark.isNull():
            paint_mark(painter, theme, mark.adjusted(1, 0, -1, 0))

    def _paint_part(self, painter: QPainter, rect: QRectF, padding: float, kind: ResourceKind) -> None:
        colour: QColor = self._theme.kind_colour(kind)
        data = QRectF(rect)
        data.setWidth(rect.width() * (1 - padding))
        painter.fillRect(data.adjusted(0, 0, -1 if data.width() > 3 and not padding else 0, 0), colour)
        if padding:
            hatch(painter, self._theme, QRectF(data.right(), rect.top(), rect.right() - data.right(), rect.height()))

    def _placed(self) -> list[tuple[int, QRectF]]:
        form = self._form
        if form is None:
            return []
        parts = strip_of(form.layout.subresources, self._selected, form.layout.size_bytes)
        if not parts:
            return []
        first, whole = parts[0].first, max(parts[-1].end - parts[0].first, 1)
        scale = (self.width() - 2 * _EDGE) / whole
        top = QFontMetricsF(self._theme.fixed_font(self._theme.caption_px)).height() + 6
        return [
            (part.index, QRectF(_EDGE + (part.first - first) * scale, top, max((part.end - part.first) * scale, 1), 22))
            for part in parts
        ]

    @Slot()
    def refresh(self) -> None:
        """Paint anew."""
        self.update()
