"""The Tiles tab of the Subresources view: the tiles of a resource, and of the heaps that it takes them from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QBoxLayout, QComboBox, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from explorer.core.tiles import TILE_BYTES
from explorer.render.tile_sheet import mapper_text, pool_sheet, resource_sheet
from explorer.sim.layout_steps import Step
from explorer.sim.tile_map import TileMap, TileState
from explorer.sim.tile_steps import event_rule, event_text, texel_range, tile_arithmetic
from explorer.ui.controls import EmptyState, Segmented, SidePanel, hairline, label
from explorer.ui.tiles_canvas import TilesCanvas
from explorer.ui.tiles_card import MOST_LINKS, TierCard, TileCard
from explorer.ui.tiles_legend import TilesLegend

if TYPE_CHECKING:
    from explorer.core.kinds import ResourceKind
    from explorer.render.tile_sheet import TileSheet
    from explorer.sim.snapshot import Snapshot
    from explorer.sim.tile_map import Mapper
    from explorer.sim.tilings import Tiled
    from explorer.ui.workspace import Workspace

RESOURCE, POOL = 0, 1
"""The two sides: tiles of the resource, tiles of a heap."""

_WIDE_PX, _SIDE_PX = 900, 380


class TilesPanel(QWidget):
    """Shows tiles with their mapping; a click shows the arithmetic and points to the bytes.

    Signals:
        bytes_wanted: (heap name, offset, bytes) of the selected tile or None, and whether to bring them into view.
    """

    bytes_wanted = Signal(object, bool)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("tiles_panel")
        self._workspace, theme = workspace, workspace.theme
        self._tiles: TileMap | None = None
        self._tiled: Tiled | None = None
        self._kind: ResourceKind | None = None
        self._pool = ""
        self._pointed: tuple[str, int, int] | None = None
        self._mappers: tuple[Mapper, ...] = ()
        self.sides = Segmented(theme, ("Resource", "Tile pool"), columns=2, name="tile_sides")
        self.sides.setFixedWidth(220)
        self.pools = QComboBox()
        self.pools.setObjectName("tile_pool_choice")
        self.pools.setAccessibleName("Heap used as a tile pool")
        self.buttons = tuple(
            self._button(*one) for one in (("−", "Zoom out  ["), ("Fit", "Show all tiles  F"), ("+", "Zoom in  ]"))
        )
        self.banner = label("", "second", name="tiles_banner", wrap=True)
        self.canvas = TilesCanvas(theme)
        self.card, self.tier = TileCard(), TierCard()
        self.hint = label("Select a tile to see its number, its bytes and the call that mapped it.", "second",
                          name="tiles_hint", wrap=True)  # fmt: skip
        self.legend = TilesLegend(theme)
        self.empty = EmptyState(theme, name="tiles_empty")
        self._middle = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._lay_out()
        self._connect(workspace)
        self.setFocusProxy(self.canvas)

    # -- what the view calls

    def show_tiles(self, snapshot: Snapshot, tiled: Tiled, kind: ResourceKind) -> None:
        """Show the tiles of a resource at the zoom and place of now."""
        if self._tiles is None or self._tiles.snapshot is not snapshot:
            self._tiles = TileMap(snapshot, self._tiles)
        self._tiled, self._kind = tiled, kind
        self.tier.show_limits(tiled.tier, tiled.limits)
        # Only Direct3D 12 maps tiles of heaps here.
        self.sides.setVisible(bool(tiled.limits))
        if not tiled.limits:
            self.sides.set_current(RESOURCE)
        self._fill_pools(self._tiles, tiled)
        self._show()

    def side(self) -> int:
        """Return which side is shown: ``RESOURCE`` or ``POOL``."""
        return self.sides.current

    def show_side(self, side: int) -> None:
        """Show the other side."""
        self.sides.set_current(side)
        self._show()

    def pick(self, tile: int) -> None:
        """Select a tile of the shown side and bring it into view."""
        sheet = self.canvas.sheet
        if sheet is not None and 0 <= tile < sheet.tiling.total_tiles:
            self.canvas.select(tile)
            self.canvas.reveal(tile)
            self._on_picked(tile)

    def forget(self) -> None:
        """Point to nothing any more: another view is shown."""
        self._point(None, reveal=False)

    def resizeEvent(self, _event: object) -> None:
        """Put the arithmetic beside the picture, or under it."""
        wide = self.width() >= _WIDE_PX
        directions = QBoxLayout.Direction
        self._middle.setDirection(directions.LeftToRight if wide else directions.TopToBottom)
        self._side.setMaximumWidth(_SIDE_PX if wide else (1 << 24) - 1)
        self._side.setMinimumWidth(_SIDE_PX if wide else 0)

    # -- parts

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(tip.split("  ")[0])
        button.setProperty("boxed", True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setMinimumHeight(self._workspace.theme.control_height)
        return button

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        tools.setContentsMargins(12, 6, 12, 6)
        tools.setSpacing(8)
        tools.addWidget(self.sides)
        tools.addWidget(self.pools)
        tools.addStretch(1)
        for button in self.buttons:
            tools.addWidget(button)
        around = QVBoxLayout()
        around.setContentsMargins(12, 0, 12, 6)
        around.addWidget(self.banner)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(10)
        column.addWidget(self.card)
        column.addWidget(self.hint)
        column.addWidget(self.tier)
        column.addStretch(1)
        self._side = SidePanel(content, 12)
        self._middle.setSpacing(0)
        self._middle.addWidget(self.canvas, 3)
        self._middle.addWidget(self.empty, 3)
        self._middle.addWidget(self._side, 2)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(tools)
        whole.addLayout(around)
        whole.addWidget(hairline())
        whole.addLayout(self._middle, 1)
        whole.addWidget(hairline())
        whole.addWidget(self.legend)

    def _connect(self, workspace: Workspace) -> None:
        self.sides.chosen.connect(self._on_side)
        self.pools.activated.connect(self._on_pool)
        self.canvas.picked.connect(self._on_picked)
        self.empty.acted.connect(self._on_empty_action)
        for button, react in zip(self.buttons, (self._on_out, self.canvas.fit, self._on_in), strict=True):
            button.clicked.connect(react)
        for card in (self.card, self.tier):
            card.rule_asked.connect(workspace.rule_requested)
        self.card.map_asked.connect(self._on_map)
        self.card.other_asked.connect(self._on_other)
        self.card.mapper_asked.connect(self._on_mapper)

    # -- showing

    def _fill_pools(self, tiles: TileMap, tiled: Tiled) -> None:
        own = tiles.pools_of(tiled.resource) if tiled.is_reserved else ()
        heaps = own + tuple(heap for heap in tiles.pools() if heap not in own)
        names = [tiles.snapshot.heaps.names[heap] for heap in heaps]
        with QSignalBlocker(self.pools):
            if names != [self.pools.itemText(at) for at in range(self.pools.count())]:
                self.pools.clear()
                self.pools.addItems(names)
            if self._pool not in names:
                self._pool = names[0] if names else ""
            self.pools.setCurrentIndex(names.index(self._pool) if names else -1)

    def _sheet(self, tiles: TileMap, tiled: Tiled, kind: ResourceKind) -> TileSheet | None:
        if self.side() == RESOURCE:
            return resource_sheet(tiles, tiled, kind)
        names = tiles.snapshot.heaps.names
        if self._pool not in names:
            return None
        return pool_sheet(tiles, names.index(self._pool), tiled.resource if tiled.is_reserved else -1, kind)

    def _show(self) -> None:
        tiles, tiled, kind = self._tiles, self._tiled, self._kind
        if tiles is None or tiled is None or kind is None:
            return
        sheet = self._sheet(tiles, tiled, kind)
        is_pool = self.side() == POOL
        self.pools.setVisible(is_pool and self.pools.count() > 0)
        self.banner.setText(f"{tiled.headline}. {tiled.why}" if tiled.headline else "")
        self.banner.setVisible(bool(tiled.headline) and sheet is not None and not is_pool)
        for part in (self.canvas, self.legend, *self.buttons):
            part.setVisible(sheet is not None)
        self.empty.setVisible(sheet is None)
        if sheet is None:
            self._say_empty(tiled, is_pool=is_pool)
        self._side.setVisible(sheet is not None or bool(tiled.limits))
        self.canvas.show_sheet(sheet)
        self.legend.show_sheet(sheet)
        self._show_card(reveal=False)

    def _say_empty(self, tiled: Tiled, *, is_pool: bool) -> None:
        if not is_pool:
            self.empty.say(tiled.headline or "The tiles are not known", tiled.why)
            return
        why = "UpdateTileMappings gives tiles memory out of a heap; no tile of any resource has memory now."
        self.empty.say("No heap is used as a tile pool", why, "Show the resource")

    def _show_card(self, *, reveal: bool) -> None:
        tiles, tiled, sheet, tile = self._tiles, self._tiled, self.canvas.sheet, self.canvas.selected
        shows = tiles is not None and tiled is not None and sheet is not None and tile is not None
        self.card.setVisible(shows)
        self.hint.setVisible(sheet is not None and not shows)
        if tiles is None or tiled is None or sheet is None or tile is None:
            self._point(None, reveal=False)
            return
        if self.side() == POOL:
            self._show_pool_tile(tiles, sheet, tile, reveal=reveal)
        elif tiled.is_reserved:
            self._show_mapped_tile(tiles, tiled, sheet, tile, reveal=reveal)
        else:
            self._show_would_be(tiled, sheet, tile)

    def _show_mapped_tile(self, tiles: TileMap, tiled: Tiled, sheet: TileSheet, tile: int, *, reveal: bool) -> None:
        facts, told, snapshot = tiles.facts(tiled.resource, tile), sheet.tell(tile), tiles.snapshot
        texels = texel_range(tiled, tile)
        covers = texels if tiled.is_buffer or "mip" in texels else f"texels {texels}"
        text = f"Covers {covers}. {event_text(snapshot, facts)[:1].upper()}{event_text(snapshot, facts)[1:]}"
        steps = tile_arithmetic(sheet.tiling, facts)
        place = None
        if facts.heap >= 0:
            place = (snapshot.heaps.names[facts.heap], facts.heap_tile * TILE_BYTES, TILE_BYTES)
        self.card.show_tile(
            told.title, told.state, steps, text, event_rule(snapshot, facts), has_bytes=place is not None, other=True
        )
        # Who else shows the bytes; the tile itself is no news.
        found, count = tiles.mappers(facts.heap, facts.heap_tile, MOST_LINKS + 1) if place is not None else ((), 0)
        others = facts.state is TileState.SHARED
        self._link(snapshot, found if others else (), count if others else 0)
        self._point(place, reveal=reveal)

    def _show_pool_tile(self, tiles: TileMap, sheet: TileSheet, tile: int, *, reveal: bool) -> None:
        snapshot = tiles.snapshot
        heap, told = snapshot.heaps.names.index(self._pool), sheet.tell(tile)
        found, count = tiles.mappers(heap, tile, MOST_LINKS)
        steps = (Step("Heap offset", f"{tile} × {TILE_BYTES}", tile * TILE_BYTES),)
        text = "Shown by:" if count else "Free: no tile and no placed resource shows it."
        self.card.show_tile(told.title, told.state, steps, text, "d3d12.6.6a", has_bytes=True, other=False)
        self._link(snapshot, found, count)
        self._point((self._pool, tile * TILE_BYTES, TILE_BYTES), reveal=reveal)

    def _show_would_be(self, tiled: Tiled, sheet: TileSheet, tile: int) -> None:
        told = sheet.tell(tile)
        where = dict(told.rows)
        text = f"It would cover {'bytes' if tiled.is_buffer else 'texels'} {where.get('Bytes') or where.get('Texels')}."
        rule = "d3d12.6.3" if tiled.limits else "d3d11.C2.21"
        self.card.show_tile(told.title, told.state, (), text, rule, has_bytes=False, other=False)
        self.card.show_mappers((), 0)
        self._point(None, reveal=False)

    def _link(self, snapshot: Snapshot, found: tuple[Mapper, ...], count: int) -> None:
        self._mappers = found[:MOST_LINKS]
        names = snapshot.resources.names
        texts = [
            f"{names[one.resource] if one.resource >= 0 else 'unknown'}, {mapper_text(snapshot, one)}"
            for one in self._mappers
        ]
        self.card.show_mappers(texts, count)

    def _point(self, place: tuple[str, int, int] | None, *, reveal: bool) -> None:
        if place != self._pointed or reveal:
            self._pointed = place
            self.bytes_wanted.emit(place, reveal)

    # -- reactions

    @Slot(object)
    def _on_picked(self, _tile: int) -> None:
        self._show_card(reveal=True)

    @Slot(int)
    def _on_side(self, _side: int) -> None:
        self._show()

    @Slot(int)
    def _on_pool(self, at: int) -> None:
        self._pool = self.pools.itemText(at)
        self._show()

    @Slot()
    def _on_empty_action(self) -> None:
        self.show_side(RESOURCE)

    @Slot()
    def _on_in(self) -> None:
        self.canvas.zoom(1)

    @Slot()
    def _on_out(self) -> None:
        self.canvas.zoom(-1)

    @Slot()
    def _on_map(self) -> None:
        self._show_card(reveal=True)
        self._workspace.goto("map")

    @Slot()
    def _on_other(self) -> None:
        """Go from a tile of the resource to the heap tile behind it."""
        if self._pointed is not None and self.side() == RESOURCE:
            heap, offset, _ = self._pointed
            self._pool = heap
            self.pools.setCurrentText(heap)
            self.show_side(POOL)
            self.pick(offset // TILE_BYTES)

    @Slot(int)
    def _on_mapper(self, at: int) -> None:
        """Go to the tile of the resource that shows the bytes."""
        if self._tiles is None or at >= len(self._mappers):
            return
        one, shown = self._mappers[at], self._workspace.snapshot
        name = self._tiles.snapshot.resources.names[one.resource] if one.resource >= 0 else ""
        if shown is None or name not in shown.resources.names:
            return
        self._workspace.select((shown.resources.names.index(name),))
        if one.tile >= 0:
            self.show_side(RESOURCE)
            self.pick(one.tile)
