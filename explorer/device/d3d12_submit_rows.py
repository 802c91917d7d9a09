"""Submissions that name thousands: their references stay columns from the scenario to the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.kinds import HeapKind
from explorer.core.names import HEAP, RESOURCE, NameRows, NameRuns, first_of_each, last_of_each
from explorer.device import cost, d3d12_activation, d3d12_zero_copy

if TYPE_CHECKING:
    import numpy.typing as npt

    from explorer.core import d3d12 as api
    from explorer.device.d3d12 import D3D12Device

FOR_CPU = (int(HeapKind.UPLOAD), int(HeapKind.READBACK), int(HeapKind.CUSTOM), int(HeapKind.GPU_UPLOAD))
"""Heaps that the CPU reads or writes."""


def runs_of(device: D3D12Device, arguments: api.ExecuteCommandLists) -> NameRuns | None:
    """Return everything that a submission uses as columns; None where names have to be gone through one by one.

    That is where it says more than references, where an application's residency library or a paging queue looks at
    heaps, where nodes share memory, and where something named is reserved, gone, or no resource and no heap.
    """
    columns = isinstance(arguments.references, NameRuns) or isinstance(arguments.writes, NameRuns)
    more = arguments.ppCommandLists or arguments.tables or arguments.descriptor_heaps
    watched = device.app.is_active or device.timeline.paging or device.runtime.node_count > 1
    if not columns or more or watched:
        return None
    parts = [
        part
        for names in (arguments.references, arguments.writes)
        for part in (names.parts if isinstance(names, NameRuns) else [(NameRows(names), np.arange(len(names)))])
    ]
    runs = NameRuns(parts)
    kinds, rows = runs.look(device.state.objects)
    if not np.isin(kinds, (RESOURCE, HEAP)).all():
        return None
    reserved = np.fromiter(device.tiled, np.int64, len(device.tiled))
    return None if len(reserved) and np.isin(rows[kinds == RESOURCE], reserved).any() else runs


def use(device: D3D12Device, runs: NameRuns, where: tuple[str, int]) -> int:
    """Use what a submission names; see ``d3d12_submit``.

    Args:
        device: The device.
        runs: What ``runs_of`` returned.
        where: Name of the queue and its node.

    Returns:
        Row of a heap that the GPU cannot use; −1 when it could use everything.
    """
    state = device.state
    kinds, named = runs.look(state.objects)
    rows = first_of_each(named[kinds == RESOURCE])
    blocks = state.resources["block"][rows].astype(np.int64)
    inside = state.blocks["heap"][blocks]
    # In the order of the last use, as if each were touched in turn.
    heaps = last_of_each(np.concatenate([inside.astype(np.int64), first_of_each(named[kinds == HEAP])]))
    missing = device.kernel.use(device, heaps)
    if missing >= 0:
        return int(heaps[missing])
    device.timeline.begin(*where, state.log.frame, heaps)
    d3d12_activation.mark_used(device, rows, blocks)
    if device.runtime.uma:
        note_in_place(device, rows, inside)
    spend_touches(device, blocks)
    return -1


def note_in_place(device: D3D12Device, rows: npt.NDArray[np.int64], heaps: npt.NDArray[np.int32]) -> None:
    """Note the resources in heaps of the CPU that the GPU uses where they lie.

    Args:
        device: The device.
        rows: Resource rows, shape (n,).
        heaps: Their heaps, shape (n,).
    """
    for row in rows[np.isin(device.state.heaps["kind"][heaps], FOR_CPU)].tolist():
        d3d12_zero_copy.note_use(device, row)


def spend_touches(device: D3D12Device, blocks: npt.NDArray[np.int64]) -> None:
    """Let the GPU touch blocks once each."""
    table = device.state.blocks
    rates = np.array([segment.bandwidth for segment in device.state.segments], np.int64)
    touched = cost.touch_sum_ns(table["kind"][blocks], table["size"][blocks], rates[table["segment"][blocks]])
    device.spend(gpu=touched)
