"""Which heaps and resources a call lets the GPU use, by API: what references of the laboratory are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from explorer.core.calls import CallRecord
    from explorer.device.d3d9 import D3D9Device
    from explorer.device.d3d11 import D3D11Device
    from explorer.device.d3d12 import D3D12Device
    from explorer.device.device import Device

READ, WRITE = 0, 1

Use = tuple[str, int, int]
"""``heap`` or ``resource``, its row, and READ or WRITE."""

_COPIES = ("CopyResource", "CopySubresourceRegion", "CopyBufferRegion")


def uses_of(device: Device, record: CallRecord, arguments: Any) -> Iterator[Use]:
    """Yield what a call that succeeded lets the GPU use; most calls use nothing.

    Submissions: draws, dispatches, the execution of command lists (with what was recorded in them), and copies that
    the GPU makes in D3D10 and later. Views and surfaces stand for their resource; what is released already is left out.

    Args:
        device: The device, as the call left it.
        record: The call.
        arguments: Its decoded input.
    """
    if device.api.startswith("d3d9"):
        yield from _uses_in_d3d9(device, arguments)
        return
    if record.call == "ExecuteCommandList":
        yield from _d3d11(device).recordings.of[arguments.pCommandList].uses()
        return
    if hasattr(arguments, "pCommandList") or getattr(arguments, "This", None) is not None:
        # Recorded, not run.
        return
    reads: list[str] = [*getattr(arguments, "references", ())]
    writes: list[str] = [*getattr(arguments, "writes", ())]
    if device.api == "d3d12":
        for name in getattr(arguments, "ppCommandLists", ()):
            recorded = _d3d12(device).lists[name]
            reads += recorded.reads
            writes += recorded.writes
    if record.call in _COPIES:
        reads.append(arguments.pSrcResource)
        writes.append(arguments.pDstResource)
    yield from _named(device, reads, READ)
    yield from _named(device, writes, WRITE)


def priority_of(device: Device, kind: str, row: int) -> int:
    """Return the priority that residency of a heap or resource goes by: in D3D12 it is the heap's."""
    state = device.state
    if kind == "resource" and device.api == "d3d12":
        block = _d3d12(device).block_of.get(row)
        if block is None:
            return 0
        kind, row = "heap", int(state.blocks["heap"][block])
    table = state.heaps if kind == "heap" else state.resources
    return int(table["priority"][row])


def _named(device: Device, names: Iterable[str], access: int) -> Iterator[Use]:
    for name in names:
        kind, row = device.state.objects.get(name, ("", -1))
        if kind in ("heap", "resource"):
            yield kind, row, access
        elif kind == "view" and row >= 0:
            yield "resource", row, access


def _uses_in_d3d9(device: Device, arguments: Any) -> Iterator[Use]:
    # Imported here and below: a run of one API needs nothing of the others.
    from explorer.core.d3d9 import Draw
    from explorer.device.d3d9 import D3D9Device

    if not isinstance(arguments, Draw):
        return
    assert isinstance(device, D3D9Device)
    bound = device.things.bound
    reads, writes = list(arguments.references), list(arguments.writes)
    for names, access in ((reads, READ), (writes, WRITE)):
        for name in names:
            yield from (("resource", row, access) for row in _rows_in_d3d9(device, name))
    # What a draw leaves open is what is set on the device.
    for slot, row in bound.items():
        is_target = slot == "depth" or slot.startswith("target")
        if row >= 0 and not (writes if is_target else reads):
            yield "resource", row, WRITE if is_target else READ


def _rows_in_d3d9(device: D3D9Device, name: str) -> Iterator[int]:
    kind, number = device.state.objects.get(name, ("", -1))
    if kind == "resource":
        yield number
    elif kind == "surface":
        yield device.things.parts[number].row
    elif kind == "device":
        yield from (row for row in (*device.shown.back[:1], device.shown.depth) if row >= 0)


def _d3d11(device: Device) -> D3D11Device:
    from explorer.device.d3d11 import D3D11Device

    assert isinstance(device, D3D11Device)
    return device


def _d3d12(device: Device) -> D3D12Device:
    from explorer.device.d3d12 import D3D12Device

    assert isinstance(device, D3D12Device)
    return device
