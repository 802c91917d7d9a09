"""Managed resources in the hands of a driver (D3DCAPS2_CANMANAGERESOURCE): it sees how its own heap lies.

What a driver does is not documented beyond that it may manage for itself (rule d3d9.R5.15). Modelling choice: it frees
the one run of neighbours that makes the gap at the lowest price, where the runtime, which cannot see addresses, evicts
one resource after the other until a gap happens to be there. The price of a run is, in this order: its highest
priority, its bytes that the last or the present scene used, the time of its latest use, and how many leave.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.kinds import BlockState
from explorer.core.units import align_up

if TYPE_CHECKING:
    from explorer.device.d3d9 import D3D9Device


_Price = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Place:
    """A block in the order of addresses: what it occupies, and what its loss would mean."""

    start: int
    end: int
    row: int
    movable: bool
    priority: int
    used: int
    hot: int


def manages(device: D3D9Device) -> bool:
    """Return whether the driver manages: it can, and the application did not forbid it (rule d3d9.R5.15)."""
    return device.runtime.driver_managed and not device.no_driver_management


def cheapest_run(device: D3D9Device, size: int, alignment: int) -> list[int]:
    """Return the managed resources to evict for a gap of LOCAL memory; empty where no run makes one."""
    best: tuple[_Price, list[int]] | None = None
    for index in device.state.segments_in("LOCAL"):
        segment = device.state.segments[index]
        if not segment.is_contiguous:
            continue
        found = _best_run(_places(device, index), segment.size, size, alignment)
        if found is not None and (best is None or found[0] < best[0]):
            best = found
    return best[1] if best is not None else []


def _places(device: D3D9Device, segment: int) -> list[_Place]:
    state = device.state
    blocks = state.blocks
    here = np.flatnonzero(blocks.live & (blocks["segment"] == segment))
    copies = (blocks["state"][here] & int(BlockState.DEVICE_COPY)) != 0
    places: list[_Place] = []
    for block, is_copy in zip(here.tolist(), copies.tolist(), strict=True):
        start = int(blocks["offset"][block])
        row = int(blocks["resource"][block])
        used = device.managed.last_scene(row) if is_copy else 0
        places.append(
            _Place(
                start - int(blocks["pad_before"][block]),
                start + int(blocks["size"][block]) + int(blocks["rounding"][block]),
                row,
                is_copy,
                int(state.resources["priority"][row]),
                used,
                int(blocks["size"][block]) if used >= device.managed.scene - 1 else 0,
            )
        )
    return sorted(places, key=lambda place: place.start)


def _best_run(places: list[_Place], end: int, size: int, alignment: int) -> tuple[_Price, list[int]] | None:
    """Return the cheapest run and its price; the lower address where two cost the same."""
    best: tuple[_Price, list[int]] | None = None
    for first, place in enumerate(places):
        if not place.movable:
            continue
        low = align_up(places[first - 1].end if first else 0, alignment)
        last, priority, hot, used = first, place.priority, place.hot, place.used
        while True:
            high = places[last + 1].start if last + 1 < len(places) else end
            if low + size <= high:
                price = (priority, hot, used, last - first, first)
                if best is None or price < best[0]:
                    best = price, [one.row for one in places[first : last + 1]]
                break
            last += 1
            if last == len(places) or not places[last].movable:
                break
            priority, used = max(priority, places[last].priority), max(used, places[last].used)
            hot += places[last].hot
    return best
