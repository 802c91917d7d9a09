"""The Subresources view: mips, slices and planes of the selected resource, their offsets, pitches and padding."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QModelIndex, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QHBoxLayout,
    QScrollArea,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from explorer.core.kinds import ResourceKind
from explorer.core.tiles import TILE_BYTES
from explorer.core.units import format_bytes
from explorer.sim.layouts import LaidOut, lay_out
from explorer.ui.controls import ConfidenceMark, ElidedLabel, EmptyState, Segmented, SidePanel, hairline, label
from explorer.ui.subresources_canvas import ByteStrip, SubresourceCanvas
from explorer.ui.subresources_card import ArithmeticCard, WholeCard
from explorer.ui.subresources_legend import SubresourceLegend
from explorer.ui.subresources_table import WIDTHS, SubresourceModel

if TYPE_CHECKING:
    from explorer.sim.layouts import Form
    from explorer.sim.snapshot import Snapshot
    from explorer.sim.tilings import Tiled
    from explorer.ui.tiles_panel import TilesPanel
    from explorer.ui.workspace import Workspace

_REFRESH_MS = 150
_WIDE_PX = 900
"""From this width on the arithmetic stands beside the picture."""

_CARD_PX = 380
_TABLE_ROWS = 8


TILES = "tiles"
"""Id of the tab with the tiles, beside the ids of forms."""


class SubresourcesView(QWidget):
    """Shows where every subresource of the selected resource lies, and the tiles of a reserved one.

    Signals:
        bytes_wanted: (heap name, offset, bytes) that the selected tile shows or None, and whether to bring them into
            view on the map.
    """

    bytes_wanted = Signal(object, bool)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("subresources_view")
        self._workspace, theme = workspace, workspace.theme
        self._key: tuple[object, ...] = ()
        self._found: LaidOut | None = None
        self._tiled: Tiled | None = None
        self._form_id = ""
        self.tiles: TilesPanel | None = None
        self.selected = 0
        self.title = label("", "title", name="subresources_title")
        self.line = ElidedLabel("", "small", name="subresources_line")
        self.tabs = Segmented(theme, (), columns=4, name="subresource_forms")
        self.figures = ElidedLabel("", "small", name="subresources_figures")
        self.figures.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.model_line = ElidedLabel("", "small", name="subresources_model")
        self._mark_place = QHBoxLayout()
        self._mark: ConfidenceMark | None = None
        self.canvas = SubresourceCanvas(theme)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setWidget(self.canvas)
        self.strip = ByteStrip(theme)
        self.card = ArithmeticCard()
        self.whole = WholeCard()
        self.legend = SubresourceLegend(theme)
        self.model = SubresourceModel(theme)
        self.table = QTableView()
        self.empty = EmptyState(theme, name="subresources_empty")
        self.body, self.forms = QWidget(), QWidget()
        self._middle = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._refresh = QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(_REFRESH_MS)
        self._set_up_table()
        self._lay_out()
        self._refresh.timeout.connect(self._show)
        self.tabs.chosen.connect(self._on_tab)
        self.canvas.picked.connect(self._on_picked)
        self.strip.picked.connect(self._on_picked)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.empty.acted.connect(self._on_empty_action)
        workspace.selection_changed.connect(self._on_selection)
        self._show()

    # -- what the window calls

    @Slot(object)
    def show_snapshot(self, _snapshot: Snapshot) -> None:
        """Show the selection in a newer snapshot, a few times a second at most."""
        if self.isVisible() and not self._refresh.isActive():
            self._show()
            self._refresh.start()

    def form(self) -> Form | None:
        """Return the shown form; None while there is none."""
        forms = self._found.forms if self._found is not None else ()
        return next((form for form in forms if form.id == self._form_id), forms[0] if forms else None)

    def shows_tiles(self) -> bool:
        """Return whether the tiles are shown; of a reserved resource they are, unless another tab was chosen."""
        if self._tiled is None:
            return False
        has_forms = self._found is not None and bool(self._found.forms)
        return self._form_id == TILES or not has_forms or (not self._form_id and self._tiled.is_reserved)

    def show_tab(self, form_id: str) -> None:
        """Show a form by its id, or the tiles (``TILES``)."""
        self._form_id = form_id
        self._show_form()

    def pick(self, index: int) -> None:
        """Select a subresource of the shown form."""
        form = self.form()
        if form is None or not 0 <= index < len(form.layout.subresources):
            return
        self.selected = index
        self._show_part(form)

    def showEvent(self, _event: object) -> None:
        """Catch up with what came while hidden."""
        self._show()

    def hideEvent(self, _event: object) -> None:
        """Leave no timer behind."""
        self._refresh.stop()

    def resizeEvent(self, _event: object) -> None:
        """Put the arithmetic beside the picture, or under it."""
        wide = self.width() >= _WIDE_PX
        directions = QBoxLayout.Direction
        self._middle.setDirection(directions.LeftToRight if wide else directions.TopToBottom)
        self._side.setMaximumWidth(_CARD_PX if wide else (1 << 24) - 1)
        self._side.setMinimumWidth(_CARD_PX if wide else 0)
        QTimer.singleShot(0, self, self.canvas.refit)

    def minimumSizeHint(self) -> QSize:
        """Everything in it scrolls."""
        return QSize(320, 240)

    # -- parts

    def _set_up_table(self) -> None:
        self.table.setObjectName("subresource_table")
        self.table.setModel(self.model)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        row = self._workspace.theme.row_height
        self.table.verticalHeader().setDefaultSectionSize(row)
        self.table.horizontalHeader().setHighlightSections(False)
        self.table.setMinimumHeight(3 * row)
        self.table.setMaximumHeight((_TABLE_ROWS + 1) * row + 4)
        for index, width in enumerate(WIDTHS):
            self.table.setColumnWidth(index, width)

    def _lay_out(self) -> None:
        inside = QVBoxLayout(self.body)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        inside.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        head = QHBoxLayout()
        head.setContentsMargins(12, 8, 12, 4)
        head.setSpacing(10)
        head.addWidget(self.title)
        head.addWidget(self.line, 1)
        tools = QHBoxLayout()
        tools.setContentsMargins(12, 0, 12, 6)
        tools.setSpacing(10)
        tools.addWidget(self.tabs)
        tools.addWidget(self.figures, 1)
        about = QHBoxLayout()
        about.setContentsMargins(12, 0, 12, 6)
        about.setSpacing(6)
        about.addLayout(self._mark_place)
        about.addWidget(self.model_line, 1)
        self._side = self._make_side()
        self._middle.setSpacing(0)
        self._middle.addWidget(self.area, 3)
        self._middle.addWidget(self._side, 2)
        inside.addLayout(head)
        inside.addLayout(tools)
        inside.addLayout(about)
        inside.addWidget(hairline())
        inside.addWidget(self.forms, 1)
        self._lay_out_forms()
        self._inside = inside
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        outer.addWidget(self.body)
        outer.addWidget(self.empty)
        self.setFocusProxy(self.canvas)

    def _lay_out_forms(self) -> None:
        column = QVBoxLayout(self.forms)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        column.addLayout(self._middle, 1)
        column.addWidget(hairline())
        column.addWidget(self.strip)
        column.addWidget(self.table)
        column.addWidget(hairline())
        column.addWidget(self.legend)

    def _tiles_panel(self) -> TilesPanel:
        """Return the panel of the tiles; it is made when it is shown for the first time, not with the window."""
        if self.tiles is None:
            from explorer.ui.tiles_panel import TilesPanel

            self.tiles = TilesPanel(self._workspace)
            self.tiles.bytes_wanted.connect(self.bytes_wanted)
            self._inside.addWidget(self.tiles, 1)
        return self.tiles

    def _make_side(self) -> SidePanel:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(10)
        column.addWidget(self.card)
        column.addWidget(self.whole)
        column.addStretch(1)
        return SidePanel(content, 12)

    # -- showing

    @Slot(object)
    def _on_selection(self, _chosen: object) -> None:
        if self.isVisible():
            self._show()
        elif self.tiles is not None:
            # What the map still outlines would be a tile of something else.
            self.tiles.forget()

    @Slot()
    def _show(self) -> None:
        snapshot, chosen = self._workspace.snapshot, self._workspace.selection
        if snapshot is None or len(chosen) != 1 or chosen[0] >= len(snapshot.resources.names):
            self._forget()
            self._say_empty(snapshot, len(chosen))
            return
        from explorer.sim.tilings import tiled_of

        row = chosen[0]
        table = snapshot.resources
        options = tuple(snapshot.provenance.options.items())
        key = (id(table.records[row]), table.names[row], id(snapshot.adapter), options, snapshot.origin)
        self._kind = ResourceKind(min(int(table.kind[row]), len(ResourceKind) - 1))
        if key != self._key or self._found is None:
            found = lay_out(snapshot, row)
            if self._found is None or found.name != self._found.name:
                self.selected = 0
            # The record is kept alive by the snapshot that the workspace shows, so its id stays its own.
            self._key, self._found, self._tiled = key, found, tiled_of(snapshot, row)
            self._show_found(found)
        elif self._tiled is not None:
            # Its index and its mappings change while the resource stays what it is.
            self._tiled = dataclasses.replace(self._tiled, resource=row)
            if self.shows_tiles():
                self._show_tiles(self._tiled)

    def _show_found(self, found: LaidOut) -> None:
        known = bool(found.forms) or self._tiled is not None
        self.body.setVisible(known)
        self.empty.setVisible(not known)
        if not known:
            self.empty.say(f"The subresources of {found.name} are not known", found.reason)
            return
        self.title.setText(found.name)
        self.line.setText(found.line)
        titles = (*(form.title for form in found.forms), *(("Tiles",) if self._tiled is not None else ()))
        if titles != self.tabs.words():
            self.tabs.set_words(titles)
        self.tabs.setFixedWidth(max(len(titles), 1) * 130)
        self._show_form()

    def _show_form(self) -> None:
        form, tiled = self.form(), self._tiled
        is_tiles = self.shows_tiles()
        self.forms.setVisible(not is_tiles)
        if self.tiles is not None:
            self.tiles.setVisible(is_tiles)
        if is_tiles and tiled is not None:
            self._show_tiles(tiled)
            return
        if self.tiles is not None:
            self.tiles.forget()
        self.setFocusProxy(self.canvas)
        if form is None or self._found is None:
            return
        self.tabs.set_current(self._found.forms.index(form))
        self.selected = min(self.selected, len(form.layout.subresources) - 1)
        count = len(form.layout.subresources)
        size = format_bytes(form.layout.size_bytes, 2)
        padding = format_bytes(form.padding_bytes + form.gap_bytes, 2)
        self.figures.setText(f"{count:,} subresource{'s' * (count != 1)} · {size} · {padding} padding")
        model = "" if form.id == "copy" else f"Model {form.layout.model}, "
        self.model_line.setText(f"{model}{form.layout.confidence}: {form.model_text}")
        self._show_mark(form.layout.confidence)
        self.canvas.show_form(form, self._kind)
        self.model.show_form(form)
        self.whole.show_form(form)
        self.legend.show_form(form, self._kind)
        self._show_part(form)

    def _show_tiles(self, tiled: Tiled) -> None:
        from explorer.sim.tilings import shape_text, tiling_text

        snapshot = self._workspace.snapshot
        if snapshot is None:
            return
        self.tabs.set_current(len(self.tabs.words()) - 1)
        tiling = tiled.tiling
        total = tiling.total_tiles if tiling is not None else 0
        size = format_bytes(total * TILE_BYTES, 2)
        words = [f"{total:,} tile{'s' * (total != 1)}", f"{size} of addresses"] if total else []
        if tiled.is_reserved:
            behind = int(snapshot.blocks.size[snapshot.blocks.resource == tiled.resource].sum())
            words.append(f"{format_bytes(behind, 2)} of memory")
        self.figures.setText(" · ".join(words))
        told = f"64 KiB tile = {shape_text(tiled)} · {tiling_text(tiled)}" if tiling is not None else "No tiles"
        is_model = tiling is not None and tiling.packed_mips > 0
        self.model_line.setText(f"{told}, as this model packs: the adapter decides" if is_model else told)
        self._show_mark("assumed" if is_model else "published")
        panel = self._tiles_panel()
        self.setFocusProxy(panel)
        panel.show_tiles(snapshot, tiled, self._kind)

    def _show_mark(self, confidence: str) -> None:
        if self._mark is not None:
            if self._mark.accessibleName() == confidence:
                return
            self._mark_place.removeWidget(self._mark)
            self._mark.deleteLater()
        self._mark = ConfidenceMark(self._workspace.theme, confidence)
        self._mark_place.addWidget(self._mark)

    def _show_part(self, form: Form) -> None:
        self.canvas.select(self.selected)
        self.card.show_part(form, self.selected)
        self.strip.show_part(form, self.selected, self._kind)
        if self.table.currentIndex().row() != self.selected:
            self.table.setCurrentIndex(self.model.index(self.selected, 0))
        picture = self.canvas.picture()
        if picture is not None:
            at = self.canvas.box_rect(picture.box(self.selected)).center().toPoint()
            self.area.ensureVisible(at.x(), at.y(), 60, 40)

    def _forget(self) -> None:
        self._key, self._found, self._tiled = (), None, None
        if self.tiles is not None:
            self.tiles.forget()
        self.body.hide()
        self.empty.show()

    def _say_empty(self, snapshot: Snapshot | None, chosen: int) -> None:
        if snapshot is None:
            self.empty.say("Nothing is open", "Open a scenario, then select a resource.")
        elif chosen > 1:
            self.empty.say(f"{chosen:,} resources are selected", "Subresources are shown for one resource.")
        elif len(snapshot.resources.names):
            self.empty.say(
                "No resource is selected",
                "Select one on the map, in Resources or in Descriptors.",
                "Select the largest",
            )
        else:
            self.empty.say("No resource lives in this frame", "Step a frame, or create a resource.")

    # -- reactions

    @Slot(int)
    def _on_tab(self, index: int) -> None:
        if self._found is not None:
            ids = [form.id for form in self._found.forms]
            self.show_tab(ids[index] if index < len(ids) else TILES)

    @Slot(object)
    def _on_picked(self, index: int) -> None:
        self.pick(index)

    @Slot(QModelIndex, QModelIndex)
    def _on_row(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid() and current.row() != self.selected:
            self.pick(current.row())

    @Slot()
    def _on_empty_action(self) -> None:
        snapshot = self._workspace.snapshot
        if snapshot is None or not len(snapshot.resources.names):
            return
        table = snapshot.resources
        # One with levels or slices if there is any: a buffer has a single subresource.
        parts = table.mips.astype(np.int64) * np.maximum(table.depth, 1)
        score = np.where(parts > 1, table.size + int(table.size.max()) + 1, table.size)
        self._workspace.select((int(score.argmax()),))
