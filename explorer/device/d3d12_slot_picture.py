"""The use of descriptor slots as read-only columns for a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from explorer.core.columns import column_dtypes, make_columns
from explorer.core.descriptor_uses import (
    NO_USES,
    AllocatorColumns,
    AllocatorKind,
    CaptureColumns,
    CopyColumns,
    DescriptorUses,
    GivenOutColumns,
    HazardColumns,
    HazardKind,
    RangeColumns,
    RootSignaturePicture,
)
from explorer.device.cost import FRAMES_IN_FLIGHT
from explorer.rules.d3d12_descriptors import root_cost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.device.d3d12 import D3D12Device
    from explorer.device.d3d12_slot_uses import HazardTimes, RangeUse, SlotHazard
    from explorer.device.d3d12_slots import SlotAllocator

Row = tuple[int, ...]


def picture(device: D3D12Device, resource_at: npt.NDArray[np.int32]) -> DescriptorUses:
    """Return the use of the device's descriptor slots.

    Args:
        device: The device.
        resource_at: Resource row → index in the snapshot.
    """
    if not device.descriptors:
        return NO_USES
    maker = _Maker(device)
    ranges = maker.ranges()
    hazards, rules = maker.hazards()
    copies = maker.copies()
    captures = maker.captures(resource_at)
    allocators, given_out = maker.allocators()
    return DescriptorUses(
        lists=tuple(maker.lists),
        rules=rules,
        root_signatures=maker.root_signatures(),
        ranges=ranges,
        hazards=hazards,
        copies=copies,
        captures=captures,
        allocators=allocators,
        given_out=given_out,
    )


class _Maker:
    """Turns names into indices while it makes tables."""

    def __init__(self, device: D3D12Device) -> None:
        self._device = device
        self._heaps = {name: index for index, name in enumerate(device.descriptors)}
        self._signatures = {name: index for index, name in enumerate(device.root_signatures)}
        self.lists: dict[str, int] = {}

    def _list(self, name: str) -> int:
        return self.lists.setdefault(name, len(self.lists)) if name else -1

    def ranges(self) -> RangeColumns:
        """Return what lists read: recorded, or on its way."""
        flight, timeline = self._device.slot_log.in_flight, self._device.timeline
        rows: list[Row] = []
        recorded = dict.fromkeys(use for one in self._device.lists.values() for use in one.tables)
        for use in dict.fromkeys((*flight, *recorded)):
            reading = flight.reading(use)
            is_read = any(number in timeline.running for number in reading.submissions)
            heap = self._heaps.get(use.heap)
            if heap is not None and (is_read or use in recorded):
                # A queue that waits for a fence is later than planned.
                done = max(reading.done_frame, self._device.state.log.frame + 1) if is_read else -1
                rows.append(self._range(use, heap, done))
        rows.sort()
        return _table(RangeColumns, rows)

    def _range(self, use: RangeUse, heap: int, done: int) -> Row:
        signature = self._signatures.get(use.signature, -1)
        command_list = self._list(use.list_name)
        return (
            heap, use.first, use.count, command_list, signature, use.parameter, use.part, use.is_static,
            use.is_bounded, done,
        )  # fmt: skip

    def hazards(self) -> tuple[HazardColumns, tuple[str, ...]]:
        """Return what went wrong and the rules that were broken."""
        rules: dict[str, int] = {}
        rows: list[Row] = []
        for one, times in self._device.slot_log.hazards.items():
            heap = self._heaps.get(one.heap)
            if heap is None:
                continue
            rule = rules.setdefault(one.rule, len(rules))
            pending = self._is_pending(one, times)
            rows.append(
                (heap, one.first, one.count, int(one.kind), self._list(one.list_name), times.since, times.frame,
                 times.times, pending, rule)
            )  # fmt: skip
        return _table(HazardColumns, rows), tuple(rules)

    def _is_pending(self, one: SlotHazard, times: HazardTimes) -> bool:
        if times.submission >= 0:
            return times.submission in self._device.timeline.running
        if one.kind is HazardKind.STALE_READ:
            # Captured when it was recorded, and read whenever the list runs: about as long as it would be on its way.
            return self._device.state.log.frame < times.frame + FRAMES_IN_FLIGHT
        recorded = self._device.lists.get(one.list_name)
        needed = (*(recorded.tables if recorded is not None else ()), *self._device.slot_log.in_flight)
        return any(
            use.is_static and (use.heap, use.list_name) == (one.heap, one.list_name)
            and use.first <= one.first < use.first + use.count
            for use in needed
        )  # fmt: skip

    def copies(self) -> CopyColumns:
        """Return the copies of the frame."""
        return _table(
            CopyColumns,
            [
                (self._heaps.get(one.source_heap, -1), one.source_first, self._heaps[one.heap], one.first, one.count,
                 one.frame)
                for one in self._device.slot_log.copies
            ],
        )  # fmt: skip

    def captures(self, resource_at: npt.NDArray[np.int32]) -> CaptureColumns:
        """Return what lists hold copies of."""
        objects = self._device.state.objects
        rows: list[Row] = []
        for one in self._device.slot_log.captures:
            kind, row = objects.get(one.resource, ("", -1))
            resource = int(resource_at[row]) if kind == "resource" else -1
            command_list = self._list(one.list_name)
            rows.append((self._heaps[one.heap], one.first, one.count, command_list, resource, one.is_table, one.frame))
        return _table(CaptureColumns, rows)

    def allocators(self) -> tuple[AllocatorColumns, GivenOutColumns]:
        """Return how slots are given out, and which ones are."""
        frame = self._device.state.log.frame
        rows: list[Row] = []
        out: list[Row] = []
        for name, one in self._device.slot_allocators.items():
            if one.used:
                row, ranges = _free_list(one, frame)
            else:
                row, ranges = _ring(one, frame)
            heap = self._heaps[name]
            rows.append((heap, *row, one.refused))
            out.extend((heap, *run) for run in ranges)
        rows.sort()
        out.sort()
        return _table(AllocatorColumns, rows), _table(GivenOutColumns, out)

    def root_signatures(self) -> tuple[RootSignaturePicture, ...]:
        """Return the root signatures that live."""
        device = self._device
        used = {name for one in device.lists.values() for name in one.signatures.values()}
        used.update(use.signature for use in device.slot_log.in_flight)
        return tuple(
            RootSignaturePicture(
                name, device.signature_records[name], root_cost(one.pRootSignature.pParameters), name in used
            )
            for name, one in device.root_signatures.items()
        )


def _ring(one: SlotAllocator, frame: int) -> tuple[Row, list[Row]]:
    """Return kind, head, tail, given out and coming back, and the parts that are out.

    Every part of a ring comes back by itself, so none of them counts as given back.
    """
    parts = one.ring_parts(frame)
    tail = parts[0][0] if parts else one.head
    ranges = [(first, count, given + FRAMES_IN_FLIGHT) for first, count, given in parts]
    return (int(AllocatorKind.RING), one.head, tail, sum(count for _, count, _ in ranges), 0), ranges


def _free_list(one: SlotAllocator, frame: int) -> tuple[Row, list[Row]]:
    """Return the same as ``_ring``: runs of slots that come back in the same frame, or do not."""
    state = one.bytes_in(frame)
    back = np.where(state > 0, -1, -2).astype(np.int64)
    waiting = [(slot, given + FRAMES_IN_FLIGHT) for given, slot in one.freed if given + FRAMES_IN_FLIGHT > frame]
    for slot, when in waiting:
        back[slot] = when
    bounds = np.concatenate(([0], np.flatnonzero(np.diff(back)) + 1, [len(back)]))
    starts = bounds[:-1][back[bounds[:-1]] != -2]
    lengths = np.diff(bounds)[back[bounds[:-1]] != -2]
    free = np.flatnonzero(state == 0)
    head = int(free[0]) if len(free) else one.slots
    ranges: list[Row] = list(zip(starts.tolist(), lengths.tolist(), back[starts].tolist(), strict=True))
    return (int(AllocatorKind.FREE_LIST), head, head, int((state > 0).sum()), len(waiting)), ranges


def _table(table: type[Any], rows: Sequence[Row]) -> Any:
    """Return a table of rows in the order of its columns."""
    names = list(column_dtypes(table))
    cells = np.array(rows, np.int64).reshape(len(rows), len(names))
    return table(**make_columns(table, len(rows), {name: cells[:, at] for at, name in enumerate(names)}))
