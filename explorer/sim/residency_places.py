"""Where the bytes of named heaps and resources are now: asked for the few that something happened to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from explorer.core.kinds import BlockState, ResidencyPlace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.device.memory_state import MemoryState

_GROUPS = {
    "LOCAL": ResidencyPlace.LOCAL,
    "NON_LOCAL": ResidencyPlace.NON_LOCAL,
    "SYSTEM": ResidencyPlace.SYSTEM,
    "PAGE_FILE": ResidencyPlace.PAGE_FILE,
}
_OWNERS = frozenset({"resource", "descriptor_heap", "query_heap"})
"""Kinds of objects whose row is a row of the table of resources."""

_COPY, _RESIDENT = int(BlockState.DEVICE_COPY), int(BlockState.RESIDENT)
_VERSION = " (version "
"""In the names of the implicit heaps behind a renamed D3D11 resource."""


class Whereabouts(NamedTuple):
    """Where something is.

    Attributes:
        place: Where its bytes are.
        segment: Index of the segment that holds them, −1 none.
        holder: Name of the heap that it is placed in; empty where it has memory of its own.
        usable: Whether the GPU could use it there.
    """

    place: ResidencyPlace
    segment: int = -1
    holder: str = ""
    usable: bool = True


ABSENT = Whereabouts(ResidencyPlace.ABSENT)


def find_places(state: MemoryState, names: Iterable[str], holders: frozenset[str]) -> dict[str, Whereabouts]:
    """Return where named things are, in the order of the names; names of anything else are left out.

    Args:
        state: The device's memory.
        names: Names of heaps or resources, alive or not.
        holders: Names of heaps that something was placed in: one that is released lives on under what lies in it.
    """
    found: dict[str, Whereabouts] = {}
    owners: dict[int, str] = {}
    for name in names:
        kind, row = state.objects.get(name, ("", -1))
        if kind == "heap":
            found[name] = _heap(state, row)
        elif kind in _OWNERS:
            found[name] = ABSENT
            owners[row] = name
        elif kind:
            continue
        else:
            heap = _unnamed_heap(state, name) if name in holders or _VERSION in name else -1
            owner = _owner(state, heap) if heap >= 0 and name not in holders else -1
            if owner >= 0:
                # A version of a renamed resource: its owner is what people know.
                found.setdefault(state.resource_names[owner], ABSENT)
                owners[owner] = state.resource_names[owner]
            found[name] = _heap(state, heap) if heap >= 0 and owner < 0 else ABSENT
    if owners:
        _find_resources(state, owners, found)
    return found


def _find_resources(state: MemoryState, owners: dict[int, str], found: dict[str, Whereabouts]) -> None:
    """Fill in the places of resources: of several blocks the one counts that the GPU reaches best."""
    blocks = state.blocks
    wanted = np.zeros(len(state.resources.live) + 1, np.bool_)
    wanted[list(owners)] = True
    # Index −1 (no resource) picks the last element, which is never wanted.
    at = np.flatnonzero(wanted[blocks["resource"]] & blocks.live)
    columns = (blocks[name][at].tolist() for name in ("resource", "state", "heap", "segment"))
    best: dict[int, tuple[bool, bool, int, int, int, int]] = {}
    for block, row, marks, heap, segment in zip(at.tolist(), *columns, strict=True):
        order = _rank(state, row, block, marks, heap, segment)
        if row not in best or order < best[row]:
            best[row] = order
    for row, name in owners.items():
        found[name] = _block(state, best[row]) if row in best else Whereabouts(ResidencyPlace.NO_MEMORY)


def _rank(
    state: MemoryState, row: int, block: int, marks: int, heap: int, segment: int
) -> tuple[bool, bool, int, int, int, int]:
    """Return a block's order among those of a resource, then its heap and segment.

    Of the versions of a renamed resource those count that are as resident as the resource is.
    """
    if heap >= 0:
        segment = int(state.heaps["segment"][heap])
    group = _GROUPS.get(state.segments[segment].group, ResidencyPlace.PAGE_FILE)
    differs = bool(marks & _RESIDENT) != bool(state.resources["resident"][row])
    return not marks & _COPY, differs, group, block, heap, segment


def _block(state: MemoryState, best: tuple[bool, bool, int, int, int, int]) -> Whereabouts:
    _, _, _, block, heap, segment = best
    if heap >= 0 and not state.heaps["committed"][heap]:
        return Whereabouts(ResidencyPlace.IN_HEAP, -1, state.heap_names[heap])
    if heap >= 0:
        return _heap(state, heap)
    usable = bool(int(state.blocks["state"][block]) & _RESIDENT)
    return _place(state, segment, usable=usable, sent_away=False)


def _heap(state: MemoryState, heap: int) -> Whereabouts:
    segment, home = int(state.heaps["segment"][heap]), int(state.heaps["home"][heap])
    return _place(state, segment, usable=bool(state.heaps["resident"][heap]), sent_away=segment != home)


def _place(state: MemoryState, segment: int, *, usable: bool, sent_away: bool) -> Whereabouts:
    place = _GROUPS.get(state.segments[segment].group, ResidencyPlace.LOCAL)
    if not usable and place in (ResidencyPlace.LOCAL, ResidencyPlace.NON_LOCAL):
        place = ResidencyPlace.LOST
    if not usable and sent_away and place is ResidencyPlace.SYSTEM:
        place = ResidencyPlace.EVICTED
    return Whereabouts(place, segment, "", usable)


def _unnamed_heap(state: MemoryState, name: str) -> int:
    """Return the row of a heap that no object has as its name any more; −1 where there is none."""
    return next((row for row, known in state.heap_names.items() if known == name), -1)


def _owner(state: MemoryState, heap: int) -> int:
    """Return the only resource of an implicit heap, −1 for any other heap."""
    if not state.heaps["committed"][heap]:
        return -1
    inside = np.flatnonzero((state.blocks["heap"] == heap) & state.blocks.live)
    return int(state.blocks["resource"][inside[0]]) if len(inside) else -1
