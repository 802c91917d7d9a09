"""Where Tab goes: through the parts of the window as they lie, and through each part as one reads it.

Qt's own order is that in which widgets were made. Views are made late, and their fields come and go with what is
described, so that order would jump from view to view.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ROW_PX = 6
"""Tops that differ by no more belong to one row: controls of 20, 24 and 28 px stand on one middle line."""


def reading_order(places: Sequence[tuple[int, int]]) -> list[int]:
    """Return indices of points, row by row from the top, each row from the left.

    Args:
        places: (x, y) of upper left corners.
    """
    by_top = sorted(range(len(places)), key=lambda index: (places[index][1], places[index][0]))
    rows: list[list[int]] = []
    for index in by_top:
        if rows and places[index][1] - places[rows[-1][0]][1] <= _ROW_PX:
            rows[-1].append(index)
        else:
            rows.append([index])
    return [index for row in rows for index in sorted(row, key=lambda one: places[one][0])]


def stops_in(part: QWidget) -> list[QWidget]:
    """Return the widgets of a shown part that Tab stops at, in reading order; also those that are scrolled away."""
    inside = [part, *part.findChildren(QWidget)]
    found = [widget for widget in inside if _is_stop(widget) and (widget is part or widget.isVisibleTo(part))]
    corners = [widget.mapTo(part, QPoint(0, 0)) for widget in found]
    return [found[index] for index in reading_order([(corner.x(), corner.y()) for corner in corners])]


def next_stop(parts: Iterable[QWidget], now: QWidget | None, *, forward: bool) -> QWidget | None:
    """Return where Tab goes from a widget, round the window; None where nothing takes the focus.

    Args:
        parts: Parts of the window in the order in which Tab goes through them; none lies in another.
        now: What has the focus.
        forward: False for Shift+Tab.
    """
    stops = [stop for part in parts for stop in stops_in(part)]
    if not stops:
        return None
    while now is not None and now not in stops:
        # The inner part of a control, or one that only a click gives the focus.
        now = now.parentWidget()
    if now is None:
        return stops[0] if forward else stops[-1]
    return stops[(stops.index(now) + (1 if forward else -1)) % len(stops)]


def _is_stop(widget: QWidget) -> bool:
    takes_tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return takes_tab and widget.isEnabled() and widget.focusProxy() is None and not widget.isWindow()
