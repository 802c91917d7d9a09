"""Rows of ``bench`` about the memory map."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING, Any

from explorer.cli.bench_model import BenchRow, Contenders, Target, timed

if TYPE_CHECKING:
    from collections.abc import Callable

WIDTH, HEIGHT = 3840, 2160
MILLION, THOUSAND = 1_000_000, 1_000
HITS = 2_000
_ZOOM = 20


class _Scene:
    """A map of many blocks, ready to be painted into one buffer again and again."""

    def __init__(self, blocks: int) -> None:
        from explorer.render.bench_scenes import bench_snapshot
        from explorer.render.colours import colour_mode
        from explorer.render.frame import prepare
        from explorer.render.lanes import build_scene
        from explorer.render.tokens import palette

        self.scene = build_scene(bench_snapshot(blocks))
        self.ready = prepare(self.scene, colour_mode("kind"), palette("light"))
        self.whole = self._layout(1)
        self.near = self._layout(_ZOOM)
        self.buffer: Any = None
        self.top = 0.0

    def _layout(self, zoom: int) -> Any:
        from explorer.render.layout import Mode, View, build_layout, fitting_row_bytes

        first = View(Mode.ROWS, 1 << 20, 0, 1 << 30, WIDTH)
        row_bytes = max(fitting_row_bytes(self.scene, first, HEIGHT) // zoom, 1)
        row_bytes = 1 << (row_bytes.bit_length() - 1)
        return build_layout(self.scene, View(Mode.ROWS, row_bytes, 0, 1 << 30, WIDTH))

    def paint(self, layout: Any, top: float) -> None:
        from explorer.render.frame import paint_frame

        self.buffer = paint_frame(self.ready, layout, top, HEIGHT, into=self.buffer, compiled=True).pixels

    def redraw(self) -> None:
        """Paint the whole map."""
        self.paint(self.whole, 0.0)

    def pan(self) -> None:
        """Paint one step further down at high zoom."""
        self.top = (self.top + 37.0) % max(self.near.height - HEIGHT, 1)
        self.paint(self.near, self.top)


@cache
def _scene(blocks: int) -> _Scene:
    return _Scene(blocks)


def _copy() -> Callable[[], float]:
    import numpy as np

    source = np.full((HEIGHT, WIDTH), 0xFF102030, np.uint32)
    target = np.empty_like(source)
    return timed(lambda: np.copyto(target, source), 1000.0)


def _full() -> Contenders:
    return Contenders(timed(_scene(MILLION).redraw, 1000.0), _copy())


def _pan() -> Contenders:
    return Contenders(timed(_scene(MILLION).pan, 1000.0), _copy())


def _scaling() -> Contenders:
    return Contenders(timed(_scene(MILLION).redraw, 1000.0), timed(_scene(THOUSAND).redraw, 1000.0))


def _hit() -> Contenders:
    from explorer.render.hit import hit_test

    layout = _scene(MILLION).whole
    points = [((i * 7919) % WIDTH, (i * 104_729) % max(int(layout.height), 1)) for i in range(HITS)]

    def ours() -> float:
        began = time.perf_counter_ns()
        for x, y in points:
            hit_test(layout, x, y)
        return (time.perf_counter_ns() - began) / HITS / 1000.0

    return Contenders(ours, fixed=10.0)


ROWS: tuple[BenchRow, ...] = (
    BenchRow("map.full", "full redraw of 1,000,000 blocks, folded rows, 3840 × 2160", "ms", _full,
             "copying the frame buffer once", Target("<=", 10.0)),
    BenchRow("map.pan", "redraw while panning at 20 × zoom, 1,000,000 blocks, 3840 × 2160", "ms", _pan,
             "copying the frame buffer once", Target("<=", 4.0)),
    BenchRow("map.scaling", "full redraw of 1,000,000 blocks, 3840 × 2160", "ms", _scaling,
             "full redraw of 1,000 blocks", Target("<=", 3.0)),
    BenchRow("hit", "finding the block under a point, 1,000,000 blocks", "us", _hit, "10 us", Target("<=", 1.0)),
)  # fmt: skip
