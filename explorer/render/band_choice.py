"""Which resources get a band in the timeline: what is asked for, then the largest; bounded work, and nothing jumps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.core.columns import ResourceColumns

_LOOK = 4096
"""Of equally large resources so many are looked at, the oldest ones: 100,000 may have one size."""


class BandChoice:
    """Remembers whose bands are shown, so that they stay where they are as long as they are among the largest.

    Attributes:
        names: The present choice, in order.
    """

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self._at: dict[str, int] = {}

    def choose(
        self, resources: ResourceColumns, pinned: Sequence[str], most: int, movers: frozenset[str] = frozenset()
    ) -> tuple[str, ...]:
        """Return whose bands to show: those that are asked for, then the largest ones that live.

        Args:
            resources: Those that live now.
            pinned: Names that are asked for; they need not live.
            most: Number of bands, >= 0.
            movers: Names that come first among equally large ones: their bands have something to say.
        """
        wanted = dict.fromkeys(pinned[:most])
        count = min(most, max(len(resources.names), len(wanted)))
        better, equal = self._rank(resources, count, movers)
        due = [*wanted, *(name for name in better if name not in wanted)][:count]
        stays = [name for name in self.names if name in due or name in equal]
        fresh = [name for name in due if name not in stays]
        # A place is left for every one that is due and not shown yet.
        while len(stays) > count - len(fresh):
            stays.remove(next(name for name in reversed(stays) if name not in due))
        chosen = dict.fromkeys((*(name for name in fresh if name in wanted), *stays, *fresh))
        for name in equal:
            if len(chosen) >= count:
                break
            chosen.setdefault(name)
        self.names = tuple(chosen)
        return self.names

    def _rank(
        self, resources: ResourceColumns, count: int, movers: frozenset[str]
    ) -> tuple[list[str], dict[str, None]]:
        """Return what is better than the last one that has a place, best first, and what is as good as that one."""
        names, sizes = resources.names, resources.size
        places = min(count, len(names))
        if not places:
            return [], {}
        at = len(names) - places
        least = int(np.partition(sizes, at)[at])
        large: list[int] = np.flatnonzero(sizes > least).tolist()
        large.sort(key=lambda row: (-int(sizes[row]), names[row] not in movers, row))
        equal: list[int] = np.flatnonzero(sizes == least)[:_LOOK].tolist()
        # What is shown counts wherever it stands.
        equal += [row for name in self.names if (row := self._find(name, names)) >= 0 and int(sizes[row]) == least]
        moved = dict.fromkeys(names[row] for row in equal if names[row] in movers)
        rest = dict.fromkeys(names[row] for row in equal if names[row] not in movers)
        better = [names[row] for row in large]
        if len(moved) >= places - len(better):
            return better, moved
        return [*better, *moved], rest

    def _find(self, name: str, names: Sequence[str]) -> int:
        """Return the row of a name, at first where it was the last time; −1 where it does not live."""
        known = self._at.get(name, -1)
        if not 0 <= known < len(names) or names[known] != name:
            known = names.index(name) if name in names else -1
            self._at = {shown: row for shown, row in self._at.items() if shown in self.names}
            self._at[name] = known
        return known
