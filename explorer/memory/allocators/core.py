"""What stands behind an allocator: the narrow interface of the plain-Python references and of the compiled cores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from explorer.errors import LayoutError
from explorer.memory.allocators.protocol import (
    EVENT_FREED,
    EVENT_NOTHING,
    EVENT_REFUSED,
    EVENT_TAKEN,
    OP_TAKE,
    Column,
    Operations,
    ReplayEvents,
    ReplayResult,
    Survey,
)


class Held(NamedTuple):
    """A part of the range held for one resource, all in bytes.

    Attributes:
        start: First byte held.
        kept: Bytes held.
        offset: First byte of the resource, ``start <= offset``.
        size: Bytes asked for, ``offset + size <= start + kept``.
        kind: Kind of the resource.
    """

    start: int
    kept: int
    offset: int
    size: int
    kind: int = 0


@dataclass(frozen=True, slots=True)
class HeldColumns:
    """All of ``Held`` in offset order as columns, shape (live,), int64."""

    start: Column
    kept: Column
    offset: Column
    size: Column
    kind: Column

    @staticmethod
    def of(live: list[Held]) -> HeldColumns:
        """Return the columns of a list in offset order."""
        table = np.array(live, dtype=np.int64).reshape(len(live), 5)
        return HeldColumns(*(np.ascontiguousarray(table[:, i]) for i in range(5)))

    def rows(self) -> list[Held]:
        """Return the columns as a list."""
        columns = (self.start, self.kept, self.offset, self.size, self.kind)
        return [Held(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


class Core(Protocol):
    """One placement algorithm over one range."""

    @property
    def compiled(self) -> bool:
        """Whether kernels do the work."""
        ...

    def plan(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the place that ``take`` would choose; None refuses."""
        ...

    def take(self, size: int, alignment: int, kind: int) -> Held | None:
        """Hold a place for a checked request; None refuses."""
        ...

    def plan_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the lowest place that can hold a request, where the algorithm can place anywhere; else as ``plan``."""
        ...

    def take_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Hold the place of ``plan_lowest``."""
        ...

    def free(self, offset: int) -> Held:
        """Give back the resource at ``offset``; LayoutError when there is none."""
        ...

    def assign(self, offset: int, slot: int) -> None:
        """Let later batches know the resource at ``offset`` by a slot that holds nothing yet."""
        ...

    def free_slot(self, slot: int) -> Held:
        """Give back the resource of a slot; LayoutError when it holds none."""
        ...

    def columns(self) -> HeldColumns:
        """Return what is held, in offset order."""
        ...

    def validate(self) -> None:
        """Raise LayoutError when an inner structure contradicts itself."""
        ...

    def copy(self) -> Core:
        """Return an independent copy."""
        ...

    def replay(self, operations: Operations, survey: Survey, *, events: bool) -> ReplayResult:
        """Apply checked operations."""
        ...

    def survey(self, operations: Operations) -> Survey:
        """Check the operations; InputError where they are malformed."""
        ...


class ReferenceCore(ABC):
    """Base of the plain-Python cores: the oracle of the kernels, and what serves until they are compiled.

    ``held`` maps the offset of a resource to what is held for it, ``slots`` a slot of ``replay`` to that offset.
    """

    compiled = False

    def __init__(self) -> None:
        self.held: dict[int, Held] = {}
        self.slots: dict[int, int] = {}
        self.slot_of: dict[int, int] = {}

    @abstractmethod
    def plan(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return the place that ``take`` would choose; None refuses."""

    @abstractmethod
    def _take(self, size: int, alignment: int, kind: int) -> Held | None: ...

    @abstractmethod
    def _free(self, held: Held) -> None: ...

    @abstractmethod
    def validate(self) -> None:
        """Raise LayoutError when an inner structure contradicts itself."""

    def take(self, size: int, alignment: int, kind: int) -> Held | None:
        """Hold a place for a checked request; None refuses."""
        held = self._take(size, alignment, kind)
        if held is not None:
            self.held[held.offset] = held
        return held

    def plan_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Return what ``plan`` does: this allocator places only where it chooses."""
        return self.plan(size, alignment, kind)

    def take_lowest(self, size: int, alignment: int, kind: int) -> Held | None:
        """Hold what ``take`` does: this allocator places only where it chooses."""
        return self.take(size, alignment, kind)

    def free(self, offset: int) -> Held:
        """Give back the resource at ``offset``; LayoutError when there is none."""
        held = self.held.pop(offset, None)
        if held is None:
            raise nothing_lives(offset)
        slot = self.slot_of.pop(offset, None)
        if slot is not None:
            del self.slots[slot]
        self._free(held)
        return held

    def assign(self, offset: int, slot: int) -> None:
        """Let later batches know the resource at ``offset`` by a slot."""
        if offset not in self.held:
            raise nothing_lives(offset)
        if slot in self.slots:
            raise slot_is_taken(slot)
        self.slots[slot] = offset
        self.slot_of[offset] = slot

    def free_slot(self, slot: int) -> Held:
        """Give back the resource of a slot; LayoutError when it holds none."""
        offset = self.slots.get(slot)
        if offset is None:
            raise slot_is_empty(slot)
        return self.free(offset)

    def columns(self) -> HeldColumns:
        """Return what is held, in offset order."""
        return HeldColumns.of(sorted(self.held.values()))

    def survey(self, operations: Operations) -> Survey:
        """Check the operations; InputError where they are malformed."""
        return operations.check()

    def _copy_held_to(self, other: ReferenceCore) -> None:
        other.held = dict(self.held)
        other.slots = dict(self.slots)
        other.slot_of = dict(self.slot_of)

    def replay(self, operations: Operations, survey: Survey, *, events: bool) -> ReplayResult:
        """Apply checked operations, one after the other."""
        del survey
        count = len(operations)
        offsets = np.full(count, -1, dtype=np.int64)
        starts = np.full(count, -1, dtype=np.int64)
        event = np.full(count, EVENT_NOTHING, dtype=np.int64)
        event_start = np.full(count, -1, dtype=np.int64)
        event_kept = np.zeros(count, dtype=np.int64)
        refused = 0
        kinds = [0] * count if operations.kind is None else operations.kind.tolist()
        columns = (operations.op, operations.slot, operations.size, operations.alignment)
        rows = zip(*(column.tolist() for column in columns), kinds, strict=True)
        for row, (op, slot, size, alignment, kind) in enumerate(rows):
            if op == OP_TAKE:
                if slot in self.slots:
                    raise slot_is_taken(slot)
                held = self.take(size, alignment, kind)
                if held is None:
                    refused += 1
                    event[row] = EVENT_REFUSED
                    continue
                self.slots[slot] = held.offset
                self.slot_of[held.offset] = slot
                offsets[row], starts[row] = held.offset, held.start
                event[row] = EVENT_TAKEN
            else:
                offset = self.slots.get(slot)
                if offset is None:
                    continue
                held = self.free(offset)
                event[row] = EVENT_FREED
            event_start[row], event_kept[row] = held.start, held.kept
        answer = ReplayEvents(event, event_start, event_kept) if events else None
        return ReplayResult(offsets, starts, refused, answer)


def nothing_lives(offset: int) -> LayoutError:
    """Return the error of a free where nothing is."""
    return LayoutError("no live block starts here", where="offset", found=offset)


def slot_is_empty(slot: int) -> LayoutError:
    """Return the error of a free of a slot that holds no block."""
    return LayoutError("the slot holds no block", where="slot", found=slot)


def slot_is_taken(slot: int) -> LayoutError:
    """Return the error of a take into a slot that still holds a block."""
    return LayoutError("the slot still holds a block", where="slot", found=slot)
