"""What the map shows at this moment: scene, camera, colours, marks and the painted frame. No widget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QColor, QImage

from explorer.core.kinds import BlockState
from explorer.render.camera import Camera
from explorer.render.colours import colour_mode
from explorer.render.frame import Frame, Mark, Paint, mark_of, paint_frame, prepare
from explorer.render.lanes import MapScene, build_scene
from explorer.render.layout import Mode, View
from explorer.render.tokens import Palette, Rgba, palette

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.core.columns import Bools
    from explorer.device.outcome import Ghost
    from explorer.render.hit import Hit
    from explorer.render.looks import Pixels
    from explorer.render.rows import Measures
    from explorer.render.walk import Focus
    from explorer.sim.snapshot import Snapshot


def to_colour(value: Rgba) -> QColor:
    """Return a token's colour for Qt."""
    return QColor(*value)


class MapScreen:
    """State of a map view.

    Attributes:
        camera: What part is shown; None before the first snapshot.
        palette: Colours.
        mode_id: Colour mode.
        patterns: Whether kinds have patterns.
        ratio: Device pixels for each logical one.
        selected: Resource indices.
        search: Text that names must contain to be outlined.
        ghost: Where a block would lie, and its label.
        refused: (first, end) on the map axis of holes that are too small.
        focus: Where the keyboard stands.
        hover: What is under the cursor.
        pointed: Heap name, offset and bytes of the range that another view points to; None for none.
        is_fitted: True until the user chooses a zoom: then the map is fitted to the window by itself.
    """

    def __init__(self, measures: Measures) -> None:
        self.camera: Camera | None = None
        self.palette: Palette = palette("dark")
        self.mode_id = "kind"
        self.patterns = False
        self.ratio = 1.0
        self.selected: frozenset[int] = frozenset()
        self.search = ""
        self.ghost: tuple[Ghost, str] | None = None
        self.refused: tuple[tuple[int, int], ...] = ()
        self.focus: Focus | None = None
        self.hover: Hit | None = None
        self.pointed: tuple[str, int, int] | None = None
        self.is_fitted = True
        self._measures = measures
        self._pending: Snapshot | None = None
        self._size = (1, 1)
        self._ready: Paint | None = None
        self._marks: list[Mark] | None = None
        self._frame: Frame | None = None
        self._image: QImage | None = None
        self._pixels: Pixels | None = None
        self._fitted_bytes = 0

    @property
    def scene(self) -> MapScene | None:
        """The scene of the newest snapshot; None before the first one."""
        self._settle()
        return self.camera.scene if self.camera is not None else None

    @property
    def measures(self) -> Measures:
        """Heights, and the width of the gutter, in logical pixels."""
        return self._measures

    def take(self, snapshot: Snapshot) -> None:
        """Show a snapshot from the next use on; one that is never looked at costs nothing."""
        self._pending = snapshot
        self._frame = None

    def resize(self, width: int, height: int) -> None:
        """Set the size of the rows' area in logical pixels."""
        if self._size == (width, height):
            return
        self._size = (max(width, 1), max(height, 1))
        if self.camera is not None:
            self.camera.resize(*self._size)
            if self.is_fitted:
                self.camera.fit()
        self._frame = None

    def set_measures(self, measures: Measures) -> None:
        """Set the heights, after a change of font."""
        if measures == self._measures:
            return
        self._measures = measures
        if self.camera is not None:
            view = replace(self.camera.view, measures=measures)
            self.camera = Camera(self.camera.scene, view, self.camera.height)
        self._frame = None

    def set_look(self, **changes: object) -> None:
        """Change theme palette, colour mode, patterns or pixel ratio."""
        for name, value in changes.items():
            setattr(self, name, value)
        self._ready = None
        self._frame = None

    def set_marked(self, *, selected: Iterable[int] | None = None, search: str | None = None) -> None:
        """Change what stands out."""
        if selected is not None:
            self.selected = frozenset(selected)
        if search is not None:
            self.search = search
        self._marks = None
        self._frame = None

    def fit(self) -> None:
        """Show everything, and keep it so when the window changes."""
        self.is_fitted = True
        if self.camera is not None:
            self.camera.fit()
            self._fitted_bytes = _axis_bytes(self.camera.scene)
        self._frame = None

    def moved(self, *, by_user: bool = True) -> None:
        """Note that the camera was changed."""
        if by_user:
            self.is_fitted = False
        self._frame = None

    def scrolled(self) -> None:
        """Note that the camera was scrolled: the zoom is as it was."""
        self._frame = None

    def ready(self) -> Paint | None:
        """Return what painting needs, made again only after a change."""
        scene = self.scene
        if scene is None:
            return None
        if self._ready is None or self._ready.scene is not scene:
            mode = colour_mode(self.mode_id)
            self._ready = prepare(
                scene, mode, self.palette, ratio=self.ratio, patterns=self.patterns, before=self._ready
            )
        return self._ready

    def frame(self) -> Frame | None:
        """Return the painted frame, painted again only after a change."""
        ready = self.ready()
        if ready is None or self.camera is None:
            return None
        if self._frame is None:
            camera = self.camera
            self._frame = paint_frame(
                ready, camera.layout, camera.scroll, camera.height, self.marks(), into=self._pixels
            )
            pixels = self._frame.pixels
            height, width = pixels.shape
            self._image = QImage(pixels.data, width, height, pixels.strides[0], QImage.Format.Format_RGB32)
            self._pixels = pixels
        return self._frame

    def image(self) -> QImage | None:
        """Return the frame as a picture over the same memory."""
        return self._image if self.frame() is not None else None

    def marks(self) -> list[Mark]:
        """Return what stands out: found, just moved, selected."""
        scene = self.scene
        if scene is None:
            return []
        if self._marks is None:
            self._marks = [
                mark_of(scene, flags, colour, halo=halo)
                for flags, colour, halo in (
                    (self.found_blocks(), "found", False),
                    ((scene.snapshot.blocks.state & BlockState.MOVED_THIS_FRAME) != 0, "found", False),
                    (self.selected_blocks(), "select", True),
                )
                if flags.any()
            ]
        return self._marks

    def selected_blocks(self) -> Bools:
        """Return which blocks belong to the selected resources, shape (blocks,)."""
        return self._blocks_of(sorted(self.selected))

    def found_blocks(self) -> Bools:
        """Return which blocks the search names, shape (blocks,)."""
        scene = self.scene
        wanted = self.search.strip().casefold()
        if scene is None or not wanted:
            return self._blocks_of(())
        names = scene.snapshot.resources.names
        return self._blocks_of([index for index, name in enumerate(names) if wanted in name.casefold()])

    def _blocks_of(self, resources: Iterable[int]) -> Bools:
        scene = self.scene
        if scene is None:
            return np.zeros(0, np.bool_)
        count = len(scene.snapshot.resources)
        flags = np.zeros(count + 1, np.bool_)
        chosen = [index for index in resources if 0 <= index < count]
        flags[chosen] = True
        # Blocks without a resource have index −1: the last flag, which stays False.
        return flags[scene.snapshot.blocks.resource]

    def _settle(self) -> None:
        if self._pending is None:
            return
        snapshot, self._pending = self._pending, None
        before = self.camera.scene if self.camera is not None else None
        scene = build_scene(snapshot, before)
        self._marks = None
        self.hover = None
        if self.camera is None or before is None or _document(before) != _document(scene):
            mode = self.camera.view.mode if self.camera is not None else Mode.ROWS
            view = View(mode, 1 << 20, 0, 1 << 20, self._size[0], measures=self._measures)
            self.camera = Camera(scene, view, self._size[1])
            self.focus = None
            self.fit()
            return
        self.camera.set_scene(scene)
        if self.focus is not None and scene.items.start is not before.items.start:
            self.focus = None
        held = _axis_bytes(scene)
        # Heaps come while a scenario runs: refitting at each doubling keeps them in view and the picture calm.
        if self.is_fitted and not self._fitted_bytes / 2 < held < self._fitted_bytes * 2:
            self.fit()


def _document(scene: MapScene) -> tuple[str, str, str]:
    origin = scene.snapshot.provenance
    return origin.scenario, origin.file, scene.snapshot.adapter_name


def _axis_bytes(scene: MapScene) -> int:
    return max((lane.end for lane in scene.lanes), default=0)
