"""Frames in plain Python: the oracle of the frame kernel, and the path before it is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from explorer.errors import LayoutError
from explorer.memory import frames as f
from explorer.memory.allocators.protocol import Placement
from explorer.memory.allocators.tlsf import TlsfAllocator
from explorer.memory.eviction import make_order

if TYPE_CHECKING:
    from explorer.memory.eviction import EvictionOrder


class PlainFrameMemory:
    """A frame memory over the eviction orders and allocators that devices use."""

    def __init__(self, setup: f.FrameSetup) -> None:
        self._setup = setup
        self._sizes: list[int] = setup.sizes.tolist()
        self._alignments: list[int] = setup.alignments.tolist()
        self._homes: list[int] = setup.homes.tolist()
        self._priorities: list[int] = setup.priorities.tolist()
        self._budgets = [spec.budget_bytes for spec in setup.segments]
        self._used = [0] * len(setup.segments)
        self._orders: list[EvictionOrder] = [make_order(setup.policy.id, spec.budget_bytes) for spec in setup.segments]
        self._ranges = [TlsfAllocator(spec.capacity_bytes) if spec.contiguous else None for spec in setup.segments]
        count = len(self._sizes)
        self._segment = [-1] * count
        self._address = [-1] * count
        self._last_frame = [-1] * count
        self._dirty = [0] * count
        self._pinned = [0] * count
        self._thrashed = [False] * len(setup.segments)
        self._frame = -1
        self._counts = [0] * f.COUNTS
        self._rows: list[tuple[int, ...]] = []

    @property
    def setup(self) -> f.FrameSetup:
        """What it was made from."""
        return self._setup

    @property
    def used_bytes(self) -> tuple[int, ...]:
        """Bytes in use, by segment."""
        return tuple(self._used)

    def run_frame(
        self, frame: int, ids: npt.ArrayLike, access: npt.ArrayLike | None = None, *, events: bool = True
    ) -> f.FrameOutcome:
        """Run the references of a frame; see ``FrameMemory``."""
        id_column, access_column = f.checked_references(ids, access, len(self._sizes))
        self._frame = frame
        self._counts = [0] * f.COUNTS
        self._rows = []
        touched = [0] * len(self._used)
        # All begin before any is trimmed: a trimmed segment may demote into one further on.
        for order in self._orders:
            order.begin_frame(frame)
        for segment in range(len(self._orders)):
            self._trim(segment)
        references = zip(id_column.tolist(), access_column.tolist(), strict=True)
        for cause, (resource, access_kind) in enumerate(references):
            if self._reference(resource, cause):
                self._last_frame[resource] = frame
                touched[self._segment[resource]] += self._sizes[resource]
                if access_kind == f.WRITE:
                    self._dirty[resource] = 1
        self._thrashed = [order.is_thrashing for order in self._orders]
        for order in self._orders:
            order.end_frame()
        self._frame = -1
        rows = np.array(self._rows if events else [], np.int64).reshape(-1, f.EVENT_COLUMNS)
        rows.flags.writeable = False
        counts = tuple(self._counts)
        return f.FrameOutcome(
            frame=frame,
            counts=counts[: f.KINDS],
            bytes=counts[f.KINDS : 2 * f.KINDS],
            evicted_in_use=counts[f.EVICTED_IN_USE],
            touched_bytes=tuple(touched),
            events=rows,
        )

    def is_thrashing(self, segment: int) -> bool:
        """Return whether LRU→MRU switched to MRU in the latest frame."""
        return self._thrashed[segment]

    def set_budget(self, segment: int, budget_bytes: int) -> None:
        """Change a budget."""
        self._budgets[segment] = f.checked_budget(self._setup, segment, budget_bytes)
        self._orders[segment].set_capacity(budget_bytes)

    def set_pinned(self, resource: int, pinned: bool) -> None:
        """Say whether a resource may leave."""
        if self._pinned[self._known(resource)] == int(pinned):
            return
        segment = self._segment[resource]
        if pinned and segment >= 0:
            self._orders[segment].remove(resource)
        self._pinned[resource] = int(pinned)
        if not pinned and segment >= 0:
            self._enter(resource, segment)

    def set_priority(self, resource: int, priority: int) -> None:
        """Change a priority."""
        self._setup.level_of(priority)
        self._priorities[self._known(resource)] = priority
        segment = self._segment[resource]
        if segment >= 0 and not self._pinned[resource]:
            self._orders[segment].remove(resource)
            self._enter(resource, segment)

    def release(self, resource: int) -> None:
        """Drop the residency of a resource."""
        if self._segment[self._known(resource)] >= 0:
            self._vacate(resource, evicted=False)
            self._dirty[resource] = 0

    def residency(self) -> f.Residency:
        """Return where all resources are."""
        columns = [
            np.array(column, np.int64)
            for column in (self._segment, self._address, self._last_frame, self._dirty, self._pinned)
        ]
        for column in columns:
            column.flags.writeable = False
        return f.Residency(*columns)

    def _known(self, resource: int) -> int:
        if not 0 <= resource < len(self._sizes):
            raise LayoutError(f"no resource {resource}", where="resource")
        return resource

    def _trim(self, segment: int) -> None:
        excess = self._used[segment] - self._budgets[segment]
        if excess > 0:
            for victim in self._orders[segment].victims(excess):
                self._expel(victim, -1)
        excess = self._used[segment] - self._budgets[segment]
        if excess > 0:
            self._tell(f.OVER_BUDGET, -1, -1, -1, segment, excess)

    def _reference(self, resource: int, cause: int) -> bool:
        segment = self._segment[resource]
        if segment < 0:
            return self._page_in(resource, cause)
        may_move = segment != self._homes[resource] and not self._pinned[resource]
        if not (may_move and self._promote(resource, cause)):
            if not self._pinned[resource]:
                self._orders[segment].touch(resource, self._frame)
            self._tell(f.HIT, cause, resource, segment, segment, 0)
        return True

    def _page_in(self, resource: int, cause: int) -> bool:
        size = self._sizes[resource]
        way = self._way_down(self._homes[resource])
        place = next((s for s in way if size <= self._budgets[s] and self._make_room(resource, s, cause)), None)
        over = place is None
        if place is None:
            place = next((s for s in way if self._fits_capacity(size, s) and self._occupy(resource, s)), None)
        if place is None:
            self._tell(f.REFUSE, cause, resource, -1, self._homes[resource], size)
            return False
        self._enter(resource, place)
        self._tell(f.PAGE_IN, cause, resource, -1, place, size)
        if over:
            self._tell(f.OVER_BUDGET, cause, resource, -1, place, self._used[place] - self._budgets[place])
        return True

    def _way_down(self, segment: int) -> list[int]:
        way: list[int] = []
        while segment >= 0:
            way.append(segment)
            segment = self._setup.segments[segment].demote_to
        return way

    def _fits_capacity(self, size: int, segment: int) -> bool:
        return self._used[segment] + size <= self._setup.segments[segment].capacity_bytes

    def _make_room(self, resource: int, segment: int, cause: int) -> bool:
        size = self._sizes[resource]
        fragmented = False
        victims = self._orders[segment].victims(None, incoming=resource)
        while True:
            if self._used[segment] + size <= self._budgets[segment]:
                if self._occupy(resource, segment):
                    return True
                if not fragmented:
                    fragmented = True
                    self._tell(f.FRAGMENTED, cause, resource, -1, segment, size)
            victim = next(victims, None)
            if victim is None:
                return False
            self._expel(victim, cause)

    def _expel(self, resource: int, cause: int) -> None:
        source, size = self._segment[resource], self._sizes[resource]
        self._vacate(resource, evicted=True)
        if self._last_frame[resource] == self._frame:
            self._counts[f.EVICTED_IN_USE] += 1
        target = self._setup.segments[source].demote_to
        fits = target >= 0 and self._used[target] + size <= self._budgets[target]
        if fits and self._occupy(resource, target):
            self._enter(resource, target)
            self._tell(f.DEMOTE, cause, resource, source, target, size)
            return
        self._tell(f.EVICT, cause, resource, source, -1, size if self._dirty[resource] else 0)
        self._dirty[resource] = 0

    def _promote(self, resource: int, cause: int) -> bool:
        home, source, size = self._homes[resource], self._segment[resource], self._sizes[resource]
        old_address = self._address[resource]
        if self._used[home] + size > self._budgets[home] or not self._occupy(resource, home):
            return False
        new_address = self._address[resource]
        self._address[resource] = old_address
        self._vacate(resource, evicted=False)
        self._address[resource] = new_address
        self._enter(resource, home)
        self._tell(f.PROMOTE, cause, resource, source, home, size)
        return True

    def _occupy(self, resource: int, segment: int) -> bool:
        allocator = self._ranges[segment]
        address = -1
        if allocator is not None:
            placed = allocator.take(self._sizes[resource], self._alignments[resource])
            if not isinstance(placed, Placement):
                return False
            address = placed.offset
        self._address[resource] = address
        self._used[segment] += self._sizes[resource]
        return True

    def _vacate(self, resource: int, *, evicted: bool) -> None:
        segment = self._segment[resource]
        allocator = self._ranges[segment]
        if allocator is not None:
            allocator.free(self._address[resource])
        self._address[resource] = -1
        self._used[segment] -= self._sizes[resource]
        if not self._pinned[resource]:
            order = self._orders[segment]
            (order.evict if evicted else order.remove)(resource)
        self._segment[resource] = -1

    def _enter(self, resource: int, segment: int) -> None:
        self._segment[resource] = segment
        if not self._pinned[resource]:
            priority = self._priorities[resource] if self._setup.obeys_priority else 0
            self._orders[segment].insert(resource, self._sizes[resource], priority)

    def _tell(self, kind: int, cause: int, resource: int, source: int, target: int, size: int) -> None:
        self._counts[kind] += 1
        self._counts[f.KINDS + kind] += size
        self._rows.append((kind, cause, resource, source, target, size))
