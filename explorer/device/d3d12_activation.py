"""Which placed resources own the bytes they share, and which hold anything at all (rules 3.18)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.d3d12_enums import ResourceDimension, ResourceFlags
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from explorer.device.d3d12 import D3D12Device

_INACTIVE = int(BlockState.INACTIVE)
_USED = int(BlockState.USED_THIS_FRAME)
_TARGETS = ResourceFlags.ALLOW_RENDER_TARGET | ResourceFlags.ALLOW_DEPTH_STENCIL


def note_created(device: D3D12Device, row: int) -> None:
    """Note a placed resource that has just got its bytes: a target holds nothing before it is written as a whole."""
    desc = device.resource_descs[row]
    if desc.Flags & _TARGETS and desc.Dimension is not ResourceDimension.BUFFER:
        device.uninitialised.add(row)


def initialise(device: D3D12Device, names: Iterable[str]) -> None:
    """Note that resources are cleared, discarded or written as a whole."""
    if device.uninitialised:
        objects = device.state.objects
        device.uninitialised.difference_update(objects[name][1] for name in names if name in objects)


def activate(device: D3D12Device, name: str) -> None:
    """Make a placed resource the active one of the bytes it shares."""
    state = device.state
    _, row = state.find(name, "resource", where="input.pBarriers")
    block = device.block_of.get(row, -1)
    heap = device.heap_of(row)
    if heap not in device.places:
        return
    state.blocks["state"][block] &= 0xFF & ~_INACTIVE
    note_created(device, row)
    for other in device.places[heap].overlapping(row):
        state.blocks["state"][device.block_of[other]] |= _INACTIVE
    state.log.add(EventKind.ACTIVATED, name, state.heap_names[heap], int(state.blocks["size"][block]),
                  rule="d3d12.3.18d", text=f"{name} is the active resource of its bytes.")  # fmt: skip


def mark_used(device: D3D12Device, rows: list[int] | npt.NDArray[np.int64], blocks: npt.NDArray[np.int64]) -> None:
    """Note the use of placed and committed resources; using an inactive one is a hazard.

    Args:
        device: The device.
        rows: Resource rows, each once.
        blocks: Shape (rows,): their block rows.
    """
    state = device.state
    state.resources["used_frame"][rows] = state.log.frame
    state.blocks["used_frame"][blocks] = state.log.frame
    marks = state.blocks["state"][blocks]
    for at in np.flatnonzero(marks & _INACTIVE).tolist():
        name = state.resource_names[int(rows[at])]
        text = f"{name} was used without an aliasing barrier: another resource owns its bytes."
        state.log.add(EventKind.HAZARD, name, rule="d3d12.3.18d", text=text)
    state.blocks["state"][blocks] = marks | np.uint8(_USED)
    if not device.uninitialised:
        return
    for row in sorted(device.uninitialised.intersection(map(int, rows))):
        name = state.resource_names[row]
        text = f"{name} was used before a clear, a discard or a full copy: a placed target holds nothing at first."
        state.log.add(EventKind.HAZARD, name, rule="d3d12.3.18d", text=text)
