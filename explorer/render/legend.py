"""The legend of the map: what each colour and pattern means, and how many bytes it stands for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.kinds import Placement, WasteCause
from explorer.render.items import evicted_blocks
from explorer.render.looks import ALIAS, EVICTED, WASTE

if TYPE_CHECKING:
    from explorer.render.colours import Colouring
    from explorer.render.lanes import MapScene
    from explorer.render.layout import Strip

_EXACT_DOUBLE = float(1 << 52)

FREE = -1
"""The look of free memory in a legend entry."""

_WASTE_LABELS = {
    WasteCause.ALIGNMENT: "Padding",
    WasteCause.GRANULARITY: "Gap",
    WasteCause.ROUNDING: "Rounding",
    WasteCause.TAIL: "Tail",
}


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One line of a legend.

    Attributes:
        label: What it is.
        size: Bytes in the whole snapshot.
        look: How it is painted (``looks``), ``FREE`` for free memory.
        in_view: Whether any of it is visible now.
    """

    label: str
    size: int
    look: int
    in_view: bool = True


def legend_entries(scene: MapScene, colouring: Colouring) -> list[LegendEntry]:
    """Return the colours with their bytes, then waste by cause, then states.

    The bytes of the colours (shared bytes once) add up to the used bytes of the segments, those of the causes to their
    padding. Free counts what the map shows: all of a contiguous segment, in a paged one what is free inside heaps.

    Args:
        scene: What is shown.
        colouring: The colours.
    """
    items = scene.items
    held = (items.block >= 0) & ~items.away
    size = items.end - items.start
    shades = max(len(colouring.labels), 9)
    by_colour = _sums(colouring.index[items.block[held]], size[held], shades)
    wasted = items.waste >= 0
    causes = scene.snapshot.wastes.cause[items.waste[wasted]]
    by_cause = _sums(causes, size[wasted], len(WasteCause))
    entries = [
        LegendEntry(label, int(by_colour[index]), index) for index, label in enumerate(colouring.labels) if label
    ]
    free = sum(
        segment.free_bytes if segment.placement == Placement.CONTIGUOUS else segment.free_in_heaps_bytes
        for segment in scene.snapshot.segments
    )
    gone = evicted_blocks(scene.snapshot)
    entries.append(LegendEntry("Free", free, FREE))
    entries += [LegendEntry(label, int(by_cause[cause]), WASTE + cause) for cause, label in _WASTE_LABELS.items()]
    entries.append(LegendEntry("Aliased, once", scene.shared_bytes, ALIAS))
    entries.append(LegendEntry("Evicted", int(scene.snapshot.blocks.size[gone].sum()), EVICTED))
    return entries


def _sums(group: np.ndarray, size: np.ndarray, count: int) -> np.ndarray:
    """Return the bytes of each group, exact in 64 bit."""
    if float(size.sum(dtype=np.float64)) < _EXACT_DOUBLE:
        # Six times as fast; sums of whole numbers below 2^53 are exact in doubles.
        return np.bincount(group, size, count).astype(np.int64)
    sums = np.zeros(count, np.int64)
    np.add.at(sums, group, size)
    return sums


def entries_in_view(
    entries: list[LegendEntry], scene: MapScene, colouring: Colouring, strips: list[Strip]
) -> list[LegendEntry]:
    """Return the entries with ``in_view`` set for the colours that the visible strips hold."""
    seen = np.zeros(256, np.bool_)
    for strip in strips:
        block = scene.items.block[scene.items.between(strip.first, strip.end)]
        seen |= np.bincount(colouring.index[block[block >= 0]], minlength=256) > 0
    return [replace(one, in_view=bool(seen[one.look])) if 0 <= one.look < EVICTED else one for one in entries]
