"""Residency in tables, run by the frame kernel; imports numba, so it is imported only where kernels are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from explorer.errors import LayoutError
from explorer.memory import frame_kernels as kernels
from explorer.memory import frames as f
from explorer.memory.allocators import chain_kernels as chain
from explorer.memory.allocators.slotted_rows import grown
from explorer.memory.allocators.tlsf_compiled import TlsfCompiled
from explorer.memory.allocators.tlsf_reference import TlsfReference

if TYPE_CHECKING:
    from explorer.memory.frame_kernels import Ranges, Table


class CompiledFrameMemory:
    """A frame memory whose frames run in one kernel call each."""

    def __init__(self, setup: f.FrameSetup) -> None:
        self._setup = setup
        self._resources = setup.sizes.size
        self._levels = len(setup.levels)
        self._policy = f.KERNEL_POLICIES.index(setup.policy.id)
        self._table = _resource_table(setup)
        self._segments = _segment_table(setup, self._levels)
        self._ranges = _address_ranges(setup)
        self._buffer = np.empty((0, f.EVENT_COLUMNS), np.int64)
        self._residents = 0

    @property
    def setup(self) -> f.FrameSetup:
        """What it was made from."""
        return self._setup

    @property
    def used_bytes(self) -> tuple[int, ...]:
        """Bytes in use, by segment."""
        return tuple(self._segments[:, f.USED].tolist())

    def run_frame(
        self, frame: int, ids: npt.ArrayLike, access: npt.ArrayLike | None = None, *, events: bool = True
    ) -> f.FrameOutcome:
        """Run the references of a frame; see ``FrameMemory``."""
        id_column, access_column = f.checked_references(ids, access, self._resources)
        buffer = self._buffer_for(id_column.size) if events else np.empty((0, f.EVENT_COLUMNS), np.int64)
        counts = np.zeros(f.COUNTS, np.int64)
        touched = np.zeros(len(self._setup.segments), np.int64)
        kernels.run_frame(
            self._table, self._segments, self._ranges, self._levels, self._policy, frame,
            id_column, access_column, buffer, counts, touched,
        )  # fmt: skip
        total: list[int] = counts.tolist()
        self._residents += total[f.PAGE_IN] - total[f.EVICT]
        rows = buffer[: total[f.ROWS]].copy()
        rows.flags.writeable = False
        return f.FrameOutcome(
            frame=frame,
            counts=tuple(total[: f.KINDS]),
            bytes=tuple(total[f.KINDS : 2 * f.KINDS]),
            evicted_in_use=total[f.EVICTED_IN_USE],
            touched_bytes=tuple(touched.tolist()),
            events=rows,
        )

    def is_thrashing(self, segment: int) -> bool:
        """Return whether LRU→MRU switched to MRU in the latest frame."""
        return bool(self._segments[segment, f.THRASH])

    def set_budget(self, segment: int, budget_bytes: int) -> None:
        """Change a budget."""
        self._segments[segment, f.BUDGET] = f.checked_budget(self._setup, segment, budget_bytes)

    def set_pinned(self, resource: int, pinned: bool) -> None:
        """Say whether a resource may leave."""
        kernels.set_pinned(self._table, self._segments, self._resources, self._levels, self._known(resource), pinned)

    def set_priority(self, resource: int, priority: int) -> None:
        """Change a priority."""
        level = self._setup.level_of(priority)
        kernels.set_level(self._table, self._segments, self._resources, self._levels, self._known(resource), level)

    def release(self, resource: int) -> None:
        """Drop the residency of a resource."""
        if self._table[self._known(resource), f.SEGMENT] >= 0:
            kernels.vacate(self._table, self._segments, self._ranges, resource)
            self._table[resource, f.BITS] &= ~f.DIRTY
            self._residents -= 1

    def residency(self) -> f.Residency:
        """Return where all resources are."""
        table = self._table[: self._resources]
        address = np.full(self._resources, -1, np.int64)
        for segment, number in enumerate(self._segments[:, f.RANGE].tolist()):
            if number >= 0:
                here = np.flatnonzero(table[:, f.SEGMENT] == segment)
                address[here] = self._ranges[0][number, table[here, f.NODE], chain.OFFSET]
        columns = (
            table[:, f.SEGMENT].copy(),
            address,
            table[:, f.LAST_FRAME].copy(),
            (table[:, f.BITS] & f.DIRTY != 0).astype(np.int64),
            (table[:, f.BITS] & f.PINNED != 0).astype(np.int64),
        )
        for column in columns:
            column.flags.writeable = False
        return f.Residency(*columns)

    def _known(self, resource: int) -> int:
        if not 0 <= resource < self._resources:
            raise LayoutError(f"no resource {resource}", where="resource")
        return resource

    def _buffer_for(self, references: int) -> Table:
        """Return rows for the worst case: every resident, and every one that comes, is demoted all the way and evicted.

        The pages of the buffer that no event reaches are never touched, so a large worst case costs nothing.
        """
        segments = len(self._setup.segments)
        rows = references * (2 + segments) + (self._residents + 2 * references) * (segments + 1) + segments
        if rows > len(self._buffer):
            self._buffer = np.empty((rows * 5 // 4, f.EVENT_COLUMNS), np.int64)
        return self._buffer


def _resource_table(setup: f.FrameSetup) -> Table:
    resources, levels = setup.sizes.size, len(setup.levels)
    table = _on_cache_lines(resources + len(setup.segments) * levels)
    table[:] = -1
    table[:resources, f.SIZE] = setup.sizes
    level = np.searchsorted(setup.levels, setup.priorities) if setup.obeys_priority else np.zeros(resources, np.int64)
    exponents = np.frexp(setup.alignments)[1].astype(np.int64) - 1
    bits = setup.homes << f.HOME_SHIFT | exponents << f.ALIGNMENT_SHIFT | level << f.LEVEL_SHIFT
    table[:resources, f.BITS] = bits
    ends = np.arange(resources, len(table))
    table[ends, f.NEWER] = ends
    table[ends, f.OLDER] = ends
    return table


def _on_cache_lines(rows: int) -> Table:
    """Return rows of 64 bytes that begin at multiples of 64: a row then costs one line of the cache, not two."""
    memory = np.empty((rows + 1) * f.COLUMNS, np.int64)
    skip = -memory.ctypes.data % 64 // 8
    return memory[skip : skip + rows * f.COLUMNS].reshape(rows, f.COLUMNS)


def _segment_table(setup: f.FrameSetup, levels: int) -> Table:
    table = np.zeros((len(setup.segments), f.SEGMENT_COLUMNS), np.int64)
    contiguous = 0
    for row, spec in zip(table, setup.segments, strict=True):
        row[f.CAPACITY] = spec.capacity_bytes
        row[f.BUDGET] = spec.budget_bytes
        row[f.DEMOTE_TO] = spec.demote_to
        row[f.RANGE] = contiguous if spec.contiguous else -1
        row[f.LOWEST] = levels
        row[f.HAND] = -1
        contiguous += spec.contiguous
    return table


def _address_ranges(setup: f.FrameSetup) -> Ranges:
    """Return empty address ranges with room for every resource, one layer for each contiguous segment."""
    cores = [TlsfCompiled(TlsfReference(spec.capacity_bytes)) for spec in setup.segments if spec.contiguous]
    # Between two neighbours lies at most one hole; kernels cannot grow a table.
    rows = 2 * setup.sizes.size + 16 if cores else 0
    # Where no segment is contiguous the kernel still takes a layer, which it does not look into.
    cores = cores or [TlsfCompiled(TlsfReference(1))]
    for core in cores:
        core.rows = grown(core.rows, rows)
    blocks, _, heads, words, bounds, state = (
        np.stack(layers) for layers in zip(*(c.tables for c in cores), strict=True)
    )
    # The links are the blocks read as 32 bits: they must be so in the stacked copy, too.
    links = cast("Table", blocks.view(np.int32))
    return blocks, links, heads, words, bounds, state
