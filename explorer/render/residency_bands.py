"""Bands of the timeline: where the bytes of some resources were, frame by frame, ready to be drawn; no Qt.

A band tells places apart three times: by colour, by pattern and by height. The nearer the bytes are to the GPU, the
higher the band, so that one pixel column can be read without its colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from explorer.core.events import EventKind
from explorer.core.kinds import ResidencyPlace
from explorer.render.tokens import Rgba, mix, pack
from explorer.sim.residency_history import (
    ALSO,
    CAUSE,
    CAUSE_KIND,
    COLUMNS,
    FRAME,
    HOLDER,
    KIND,
    KINDS,
    PLACE,
    RULE,
    SEGMENT,
    is_out,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.core.columns import Bytes8, Int32, Int64
    from explorer.render.tokens import Palette
    from explorer.sim.residency_history import ResidencyHistory

PLACE_WORDS: dict[ResidencyPlace, str] = {
    ResidencyPlace.LOCAL: "LOCAL",
    ResidencyPlace.NON_LOCAL: "NON_LOCAL",
    ResidencyPlace.SYSTEM: "system memory",
    ResidencyPlace.EVICTED: "evicted",
    ResidencyPlace.PAGE_FILE: "page file",
    ResidencyPlace.LOST: "lost",
    ResidencyPlace.NO_MEMORY: "no memory",
}
"""Place → its word, in the order of the legend; what does not live has no band."""

_PERIOD = 8
_SHARES = {
    ResidencyPlace.LOCAL: 1.0,
    ResidencyPlace.NON_LOCAL: 0.75,
    ResidencyPlace.SYSTEM: 0.45,
    ResidencyPlace.EVICTED: 0.45,
    ResidencyPlace.PAGE_FILE: 0.25,
    ResidencyPlace.LOST: 1.0,
    ResidencyPlace.NO_MEMORY: 0.25,
}
"""Share of the band's height."""

_PLACES = len(ResidencyPlace)
_CAUSES = {
    EventKind.OVER_BUDGET: "for the budget of {}",
    EventKind.BUDGET_CHANGED: "for the budget of {}",
    EventKind.DEVICE_LOST: "with the loss of {}",
    EventKind.RESET: "with the reset of {}",
}
_ROOM = "to make room for {}"
_FOLLOWED = "after {}: {}"
_GAINERS = frozenset({EventKind.ALLOCATED, EventKind.UPLOADED, EventKind.PAGED_IN, EventKind.REFUSED})


@dataclass(frozen=True, slots=True)
class BandRun:
    """Frames in which the bytes of a resource stayed where they were.

    Attributes:
        name: The resource.
        first: First frame; 0 is the state before the first frame.
        last: Last known one.
        place: Where its bytes were.
        segment: Index of the segment, −1 none.
        heap: Heap that it is placed in, or empty.
        why: What brought it there, or empty.
        rule: Id of the rule behind that, or empty.
        born: Whether it lived before ``first``.
        also: Where it was as well within each of the frames; ``ABSENT`` nowhere.
    """

    name: str
    first: int
    last: int
    place: ResidencyPlace
    segment: int
    heap: str
    why: str
    rule: str
    born: bool
    also: ResidencyPlace = ResidencyPlace.ABSENT

    @property
    def word(self) -> str:
        """Where it was, in a word or two."""
        if self.place is ResidencyPlace.ABSENT:
            return "released" if self.born else "not created yet"
        return PLACE_WORDS[self.place]


class ResidencyBands:
    """The bands of some resources.

    Attributes:
        names: One for each band, in order.
    """

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self._history: ResidencyHistory | None = None
        self._rows: list[Int32] = []
        self._known = 0
        self._movers: tuple[ResidencyHistory | None, frozenset[str]] = (None, frozenset())

    def update(self, history: ResidencyHistory | None, names: Sequence[str], known: int) -> None:
        """Take the changes of some resources.

        Args:
            history: Changes of everything; None: nothing is known.
            names: Resources, one band each.
            known: Frames that are known.
        """
        self._known = known
        chosen = tuple(names)
        if history is self._history and chosen == self.names:
            return
        self.names, self._history = chosen, history
        self._rows = []
        own = history.rows_of(chosen) if history is not None else {}
        empty = np.zeros((0, COLUMNS), np.int32)
        heaps = {int(heap) for rows in own.values() for heap in np.unique(rows[:, HOLDER]) if heap >= 0}
        words = history.words.words if history is not None else []
        held = history.rows_of([words[heap] for heap in sorted(heaps)]) if history is not None else {}
        for name in chosen:
            rows = own.get(name, empty)
            self._rows.append(_through_heaps(rows, {heap: held.get(words[heap], empty) for heap in heaps}))

    def movers_of(self, history: ResidencyHistory | None) -> frozenset[str]:
        """Return what once was out of the GPU's reach; counted anew only for another history."""
        if history is not self._movers[0]:
            self._movers = (history, history.movers() if history is not None else frozenset())
        return self._movers[1]

    def columns(self, first: float, end: float, pixels: int) -> tuple[Bytes8, Bytes8]:
        """Return what each pixel column of each band shows.

        Args:
            first: Frame count at the left edge.
            end: Frame count at the right edge.
            pixels: Pixels between them, > 0.

        Returns:
            Two arrays of ``ResidencyPlace``, shape (bands, pixels): the best and the worst place in the frames of the
            column. They differ where it was in several, within one frame too: nothing short is left out.
        """
        edges = first + (end - first) * np.arange(pixels + 1) / pixels
        low = np.floor(edges[:-1]).astype(np.int64) + 1
        high = np.maximum(np.ceil(edges[1:]).astype(np.int64), low)
        outside = (low > self._known) | (high < 1)
        low, high = np.clip(low, 1, None), np.minimum(high, self._known)
        shape = (len(self._rows), pixels)
        best, worst = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
        for band, rows in enumerate(self._rows):
            if len(rows):
                _fill_band(rows, low, np.maximum(high, low), best[band], worst[band])
        best[:, outside] = worst[:, outside] = ResidencyPlace.ABSENT
        return best, worst

    def times_out(self, band: int) -> int:
        """Return how often a band's resource went out of the GPU's reach; unrest over several frames counts once."""
        rows = self._rows[band]
        out = is_out(rows)
        return int((out & ~np.concatenate(([False], out[:-1]))).sum())

    def run_at(self, band: int, frame: int) -> BandRun | None:
        """Return where a band's resource was at a frame, since when and until when; None for an unknown frame."""
        if not 0 <= band < len(self._rows) or not 0 <= frame <= self._known or self._history is None:
            return None
        rows, words = self._rows[band], self._history.words.words
        at = int(np.searchsorted(rows[:, FRAME], frame, side="right")) - 1
        last = int(rows[at + 1, FRAME]) - 1 if at + 1 < len(rows) else self._known
        if at < 0:
            return BandRun(self.names[band], 0, last, ResidencyPlace.ABSENT, -1, "", "", "", born=False)
        row = [int(value) for value in rows[at]]
        heap = words[row[HOLDER]] if row[HOLDER] >= 0 else ""
        return BandRun(
            name=self.names[band],
            first=row[FRAME],
            last=last,
            place=ResidencyPlace(row[PLACE]),
            segment=row[SEGMENT],
            heap=heap,
            why=_why(row, words),
            rule=words[row[RULE]] if row[RULE] >= 0 else "",
            born=at > 0,
            also=ResidencyPlace(row[ALSO]),
        )


def band_tiles(palette: Palette, height: int, scale: float) -> npt.NDArray[np.uint32]:
    """Return the pattern of each place: premultiplied ARGB, shape (places, height, period); 0 is see-through.

    Args:
        palette: Colours.
        height: Pixels of a band, > 0.
        scale: Pixels for each logical pixel.
    """
    period = max(round(_PERIOD * scale), 4)
    y, x = np.mgrid[0:height, 0:period]
    thin = max(round(scale), 1)
    rising, falling = (x + y) % (period // 2) < thin, (x - y) % (period // 2) < thin
    ground = palette.colour["panel"]
    tiles = np.zeros((_PLACES, height, period), np.uint32)
    for place, share in _SHARES.items():
        colour = place_colour(palette, place)
        top = height - max(round(height * share), 2 * thin)
        inside = y >= top
        edge = inside & ((y < top + thin) | (y >= height - thin))
        solid, faint = pack(colour), pack(mix(colour, ground, 0.25))
        lines = {
            ResidencyPlace.NON_LOCAL: rising,
            ResidencyPlace.EVICTED: falling | edge,
            ResidencyPlace.LOST: rising | falling | edge,
            ResidencyPlace.NO_MEMORY: (x < period // 2) & (y >= height - thin),
        }.get(place)
        tiles[place][inside] = solid if lines is None else faint
        if lines is not None:
            tiles[place][lines & inside] = solid
    tiles[ResidencyPlace.NON_LOCAL][(y >= height - round(height * 0.75)) & ~rising] = pack(
        mix(place_colour(palette, ResidencyPlace.NON_LOCAL), ground, 0.55)
    )
    tiles[ResidencyPlace.NO_MEMORY][tiles[ResidencyPlace.NO_MEMORY] != pack(palette.colour["text3"])] = 0
    return tiles


def place_colour(palette: Palette, place: ResidencyPlace) -> Rgba:
    """Return the colour of a place: blue where the GPU reads, orange and red where it does not, grey elsewhere."""
    return {
        ResidencyPlace.LOCAL: palette.series["used"],
        ResidencyPlace.NON_LOCAL: palette.series["used"],
        ResidencyPlace.SYSTEM: palette.colour["text3"],
        ResidencyPlace.EVICTED: palette.series["evict"],
        ResidencyPlace.PAGE_FILE: palette.series["stall"],
        ResidencyPlace.LOST: palette.colour["error"],
    }.get(place, palette.colour["text3"])


def band_image(best: Bytes8, worst: Bytes8, tiles: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Return the picture of one band, premultiplied ARGB, shape (height, pixels).

    Args:
        best: Place of each column, shape (pixels,).
        worst: The other place in the same frames; it is drawn over the lower half.
        tiles: From ``band_tiles``.
    """
    height, period = tiles.shape[1:]
    y: Int64 = np.arange(height, dtype=np.int64)[:, np.newaxis]
    x = np.arange(len(best), dtype=np.int64) % period
    image = tiles[best[None, :], y, x[None, :]]
    mixed = np.flatnonzero(best != worst)
    if len(mixed):
        lower = y[height // 2 :]
        image[lower, mixed[None, :]] = tiles[worst[mixed][None, :], lower, (mixed % period)[None, :]]
    return np.ascontiguousarray(image)


def _fill_band(rows: Int32, low: Int64, high: Int64, best: Bytes8, worst: Bytes8) -> None:
    starts = rows[:, FRAME]
    also = np.where(rows[:, ALSO] == ResidencyPlace.ABSENT, rows[:, PLACE], rows[:, ALSO])
    # One more in front for the time before the first change, and one behind to end the last run of reduceat.
    places = np.concatenate(([0], np.maximum(rows[:, PLACE], also), [0])).astype(np.uint8)
    goods = np.concatenate(([0], np.minimum(rows[:, PLACE], also), [0])).astype(np.uint8)
    # What does not live counts only where nothing else is in the column.
    goods[goods == ResidencyPlace.ABSENT] = _PLACES
    runs = np.searchsorted(starts, low, side="right")
    ends = np.searchsorted(starts, high, side="right") + 1
    pairs = np.column_stack((runs, ends)).ravel()
    worst[:] = np.maximum.reduceat(places, pairs)[::2]
    found = np.minimum.reduceat(goods, pairs)[::2]
    best[:] = np.where(found == _PLACES, ResidencyPlace.ABSENT, found)


def _through_heaps(rows: Int32, heaps: dict[int, Int32]) -> Int32:
    """Return the rows of a resource with the moves of the heaps that it is placed in put in between."""
    inside = np.flatnonzero(rows[:, PLACE] == ResidencyPlace.IN_HEAP)
    if not len(inside):
        return rows
    made: list[Int32] = []
    for at in range(len(rows)):
        row = rows[at : at + 1]
        if row[0, PLACE] != ResidencyPlace.IN_HEAP:
            made.append(row)
            continue
        moves = heaps[int(row[0, HOLDER])]
        start = int(row[0, FRAME])
        end = int(rows[at + 1, FRAME]) if at + 1 < len(rows) else np.iinfo(np.int32).max
        low = int(np.searchsorted(moves[:, FRAME], start, side="right"))
        high = int(np.searchsorted(moves[:, FRAME], end, side="left"))
        placed = row.copy()
        placed[0, PLACE] = moves[low - 1, PLACE] if low else ResidencyPlace.NO_MEMORY
        placed[0, SEGMENT] = moves[low - 1, SEGMENT] if low else -1
        placed[0, ALSO] = moves[low - 1, ALSO] if low else ResidencyPlace.ABSENT
        later = moves[low:high].copy()
        later[:, HOLDER] = row[0, HOLDER]
        made += [placed, later]
    return np.concatenate(made)


def _why(row: list[int], words: Sequence[str]) -> str:
    """Return what brought the bytes there: the event, and what it made way for or followed from."""
    if row[KIND] < 0:
        return ""
    kind = KINDS[row[KIND]].value.replace("_", " ")
    if row[CAUSE] < 0:
        return kind
    cause, name = KINDS[row[CAUSE_KIND]], words[row[CAUSE]]
    if cause in _CAUSES:
        return f"{kind} {_CAUSES[cause].format(name)}"
    if cause in _GAINERS:
        return f"{kind} {_ROOM.format(name)}"
    return f"{kind} {_FOLLOWED.format(name, cause.value.replace('_', ' '))}"
