"""What happens to descriptor slots: who reads them, who copied them, what went wrong, how they are given out.

Columns as in ``explorer.core.columns``. ``heap`` is an index of the snapshot's descriptor heaps, ``command_list`` one
of ``DescriptorUses.lists``; −1 means none, or that it is gone.
"""

from __future__ import annotations

import dataclasses
import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.calls import CallRecord
from explorer.core.columns import Bools, Bytes8, Int16, Int32, Int64, Table, make_columns

if TYPE_CHECKING:
    from collections.abc import Mapping


class HazardKind(enum.IntEnum):
    """What was wrong with a descriptor."""

    OVERWRITTEN = 0
    """Written while the GPU may still read it for a list that was submitted."""
    STATIC_CHANGED = 1
    """Written although a list has recorded it as static."""
    STALE_READ = 2
    """Read by a submitted list although the resource is gone."""


class AllocatorKind(enum.IntEnum):
    """How an application gives out the slots of a heap."""

    RING = 0
    FREE_LIST = 1


@dataclass(frozen=True, slots=True, eq=False)
class RangeColumns(Table):
    """Ranges of slots that lists read through descriptor tables: one row for each range of a table.

    Attributes:
        heap: Index of the descriptor heap.
        first: First slot.
        count: Slots.
        command_list: Index of the list; −1 for tables that a submission names without a list.
        signature: Index of the root signature, −1 unknown.
        parameter: Root parameter, −1 unknown.
        part: Index of the range in its table, −1 unknown.
        is_static: The descriptors stay as they are from the recording on; else until the submission.
        is_bounded: Every slot of the range may be read.
        done_frame: Frame in which the GPU is done with it; −1 while it is recorded and not on its way.
    """

    heap: Int32
    first: Int32
    count: Int32
    command_list: Int32
    signature: Int32
    parameter: Int16
    part: Int16
    is_static: Bools
    is_bounded: Bools
    done_frame: Int32


@dataclass(frozen=True, slots=True, eq=False)
class HazardColumns(Table):
    """Slots that a list needed and that were not what it needs; the same fault again is the same row.

    Attributes:
        heap: Index of the descriptor heap.
        first: First slot.
        count: Slots.
        kind: ``HazardKind``.
        command_list: Index of the list, −1 none.
        since: Frame of the first time.
        frame: Frame of the last time.
        times: How often.
        is_pending: The list still needs the slots: what it reads is undefined. Else it happened earlier.
        rule: Index into ``DescriptorUses.rules``.
    """

    heap: Int32
    first: Int32
    count: Int32
    kind: Bytes8
    command_list: Int32
    since: Int32
    frame: Int32
    times: Int32
    is_pending: Bools
    rule: Int16


@dataclass(frozen=True, slots=True, eq=False)
class CopyColumns(Table):
    """Descriptors copied in the last frame that ended and in the one that runs.

    Attributes:
        source_heap: Index of the heap they came from, −1 gone.
        source_first: First slot there.
        heap: Index of the heap they went to.
        first: First slot there.
        count: Slots.
        frame: Frame of the copy.
    """

    source_heap: Int32
    source_first: Int32
    heap: Int32
    first: Int32
    count: Int32
    frame: Int32


@dataclass(frozen=True, slots=True, eq=False)
class CaptureColumns(Table):
    """Descriptors whose contents were copied into a list when it recorded, in the frames of ``CopyColumns``.

    The slots are free at once.

    Attributes:
        heap: Index of the descriptor heap.
        first: First slot.
        count: Slots.
        command_list: Index of the list.
        resource: Index of the resource that the one slot named, −1 none, gone, or several slots.
        is_table: A table whose contents this implementation captures; else a render-target or depth-stencil view.
        frame: Frame of the recording.
    """

    heap: Int32
    first: Int32
    count: Int32
    command_list: Int32
    resource: Int32
    is_table: Bools
    frame: Int32


@dataclass(frozen=True, slots=True, eq=False)
class AllocatorColumns(Table):
    """The allocators that give out slots: one for each heap that has one.

    Attributes:
        heap: Index of the descriptor heap.
        kind: ``AllocatorKind``.
        head: Where a ring goes on, the lowest free slot of a free list; the size of the heap where there is none.
        tail: Oldest slot of a ring that is out; ``head`` where none is, and for a free list.
        given_out: Slots that are out, those that come back included.
        coming_back: Slots that were given back and that the GPU may still read.
        refused: How often there was no room.
    """

    heap: Int32
    kind: Bytes8
    head: Int32
    tail: Int32
    given_out: Int32
    coming_back: Int32
    refused: Int64


@dataclass(frozen=True, slots=True, eq=False)
class GivenOutColumns(Table):
    """Ranges of slots that allocators have given out.

    Attributes:
        heap: Index of the descriptor heap.
        first: First slot.
        count: Slots.
        back_frame: Frame in which they come back; −1 for as long as their resource lives.
    """

    heap: Int32
    first: Int32
    count: Int32
    back_frame: Int32


@dataclass(frozen=True, slots=True)
class RootSignaturePicture:
    """A root signature that lives.

    Attributes:
        name: Name.
        record: The call that made it.
        dwords: What its parameters cost, of 64.
        in_force: Set on a list, or needed by one that is on its way.
    """

    name: str
    record: CallRecord
    dwords: int
    in_force: bool


@dataclass(frozen=True, slots=True, eq=False)
class DescriptorUses:
    """Everything that is known about the use of descriptor slots.

    Attributes:
        lists: Names of command lists, gone ones too.
        rules: Ids of the rules that hazards break.
        root_signatures: Root signatures.
        ranges: What lists read, by heap and first slot.
        hazards: What went wrong, the newest last.
        copies: Copies of the frame, in order.
        captures: What lists hold copies of, in order.
        allocators: How slots are given out.
        given_out: Which ones are, by heap and first slot.
    """

    lists: tuple[str, ...]
    rules: tuple[str, ...]
    root_signatures: tuple[RootSignaturePicture, ...]
    ranges: RangeColumns
    hazards: HazardColumns
    copies: CopyColumns
    captures: CaptureColumns
    allocators: AllocatorColumns
    given_out: GivenOutColumns

    def tables(self) -> Mapping[str, Table]:
        """Return the tables by name."""
        return {name: table for name, table in _fields(self) if isinstance(table, Table)}

    def __eq__(self, other: object) -> bool:
        """Return whether everything has the same values."""
        if not isinstance(other, DescriptorUses):
            return NotImplemented
        return all(
            _same(one, two) if isinstance(one, Table) else one == two
            for (_, one), (_, two) in zip(_fields(self), _fields(other), strict=True)
        )

    def __hash__(self) -> int:
        """Return a hash of what is small."""
        return hash((self.lists, self.rules, *map(len, self.tables().values())))


def _fields(uses: DescriptorUses) -> list[tuple[str, object]]:
    return [(field.name, getattr(uses, field.name)) for field in dataclasses.fields(uses)]


def _same(one: Table, two: object) -> bool:
    return isinstance(two, Table) and all(
        np.array_equal(column, two.arrays()[name]) for name, column in one.arrays().items()
    )


NO_USES = DescriptorUses(
    (),
    (),
    (),
    RangeColumns(**make_columns(RangeColumns, 0, {})),
    HazardColumns(**make_columns(HazardColumns, 0, {})),
    CopyColumns(**make_columns(CopyColumns, 0, {})),
    CaptureColumns(**make_columns(CaptureColumns, 0, {})),
    AllocatorColumns(**make_columns(AllocatorColumns, 0, {})),
    GivenOutColumns(**make_columns(GivenOutColumns, 0, {})),
)
"""Of a layout without descriptor heaps."""
