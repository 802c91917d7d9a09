"""Where thousands of heaps are that one kernel call moved: the same answers as for single names, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from explorer.core.kinds import ResidencyPlace
from explorer.device.event_rows import RULE_OF
from explorer.memory import paging as p

if TYPE_CHECKING:
    from explorer.core.words import Words
    from explorer.device.event_rows import EventRows
    from explorer.device.memory_state import MemoryState

CAME, EVICTED, DEMOTED, PAGED_OUT = 1, 2, 4, 8
"""What events say about coming and going within a frame."""

_WAY_OF = np.zeros(p.FROZE + 1, np.int64)
_WAY_OF[[p.PAGED_IN, p.CAME_BACK, p.CAME_BESIDE]] = CAME
_WAY_OF[[p.EVICTED, p.DEMOTED]] = EVICTED, DEMOTED
_WAY_OF[[p.PAGED_OUT, p.WENT_TO_FILE]] = PAGED_OUT

_PLACE_OF = {
    "LOCAL": ResidencyPlace.LOCAL,
    "NON_LOCAL": ResidencyPlace.NON_LOCAL,
    "SYSTEM": ResidencyPlace.SYSTEM,
    "PAGE_FILE": ResidencyPlace.PAGE_FILE,
}


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """Heaps that moved in a frame, each once: columns of shape (n,), int64.

    Attributes:
        names: Index into the names of all heaps that ever were.
        places: ``ResidencyPlace`` now.
        segments: Segment now.
        usable: Whether the GPU can use it there.
        ways: Bits of ``CAME`` …: what happened within the frame.
        kinds: What the kernel told of it last, but for what says less than what came before.
    """

    names: npt.NDArray[np.int64]
    places: npt.NDArray[np.int64]
    segments: npt.NDArray[np.int64]
    usable: npt.NDArray[np.bool_]
    ways: npt.NDArray[np.int64]
    kinds: npt.NDArray[np.int64]


def find_moved(state: MemoryState, told: list[EventRows]) -> Moved:
    """Return where heaps are that kernel calls of this frame moved; those that are gone again are left out."""
    table = np.concatenate([rows.table for rows in told])
    names = np.concatenate([rows.subjects for rows in told]).astype(np.int64)
    about = names >= 0
    table, names = table[about], names[about]
    heaps = state.heaps
    rows = table[:, p.ROW]
    alive = (rows < len(heaps.live)) & (heaps["name"][np.minimum(rows, len(heaps.live) - 1)] == names)
    alive &= heaps.live[np.minimum(rows, len(heaps.live) - 1)]
    table, names, rows = table[alive], names[alive], rows[alive]
    highest = int(names.max(initial=-1)) + 1
    ways = np.zeros(highest, np.int64)
    np.bitwise_or.at(ways, names, _WAY_OF[table[:, p.WHAT]])
    last, row_of = np.full(highest, -1, np.int64), np.full(highest, -1, np.int64)
    row_of[names] = rows
    # Leaving comes before where to, and says more.
    says = np.flatnonzero(table[:, p.WHAT] != p.PAGED_OUT)
    last[names[says]] = table[says, p.WHAT]
    found = np.flatnonzero(row_of >= 0)
    at = row_of[found]
    segments, usable = heaps["segment"][at].astype(np.int64), heaps["resident"][at]
    codes = np.array([_PLACE_OF.get(segment.group, ResidencyPlace.LOCAL) for segment in state.segments], np.int64)
    places = codes[segments]
    in_reach = (places == ResidencyPlace.LOCAL) | (places == ResidencyPlace.NON_LOCAL)
    places[in_reach & ~usable] = ResidencyPlace.LOST
    sent_away = segments != heaps["home"][at]
    places[~usable & sent_away & (places == ResidencyPlace.SYSTEM)] = ResidencyPlace.EVICTED
    return Moved(found, places, segments, usable, ways[found], last[found])


def also_at(places: npt.NDArray[np.int64], ways: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return where each was as well in a frame in which it came and went; 0 where it did not."""
    also = np.zeros(len(places), np.int64)
    both = (ways & CAME > 0) & (ways & ~CAME > 0) & (places != ResidencyPlace.ABSENT)
    in_reach = np.isin(places, (ResidencyPlace.LOCAL, ResidencyPlace.NON_LOCAL, ResidencyPlace.LOST))
    also[both & ~in_reach] = ResidencyPlace.LOCAL
    also[both & in_reach & (ways & EVICTED > 0)] = ResidencyPlace.EVICTED
    rest = both & in_reach & (ways & EVICTED == 0)
    away = np.where(ways & DEMOTED > 0, int(ResidencyPlace.NON_LOCAL), int(ResidencyPlace.PAGE_FILE))
    also[rest] = np.where(away[rest] != places[rest], away[rest], int(ResidencyPlace.LOCAL))
    return also


def rule_words(words: Words) -> npt.NDArray[np.int64]:
    """Return the word of the rule behind each thing that a kernel tells, by its number."""
    return np.array([words.number(rule) for rule in RULE_OF], np.int64)
