"""Draws and dispatches of D3D10/11: what the pipeline may use, and what the GPU touches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from explorer.core.d3d11_enums import Usage
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState
from explorer.core.verdicts import Verdict
from explorer.device import cost, d3d11_deferred
from explorer.rules import d3d11 as rules
from explorer.rules.d3d11_resource import refusal

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.device.d3d11 import D3D11Device
    from explorer.device.d3d11_deferred import Recording

_USED = int(BlockState.USED_THIS_FRAME)
_DEFAULT, _STAGING = int(Usage.DEFAULT), int(Usage.STAGING)


def draw(device: D3D11Device, arguments: Any, record: CallRecord) -> Verdict:
    """Draw or Dispatch: the kernel makes what is referenced resident; on a deferred context it is recorded."""
    recording = d3d11_deferred.of(device, arguments.This)
    read_rows = [_row(device, name) for name in arguments.references]
    written_rows = [_row(device, name) for name in arguments.writes]
    wrong = _wrong_usage(device, read_rows, written_rows)
    if wrong is not None:
        return device.refuse(record, wrong)
    state = _state(device, arguments, recording, read_rows, written_rows)
    verdict = rules.judge(arguments, state, device.runtime)
    if not verdict.succeeded:
        return device.refuse(record, verdict)
    unbound = verdict.values.get("unbound")
    if unbound:
        names = cast("tuple[str, ...]", unbound)
        subject = device.state.resource_names[_row(device, names[0])]
        text = f"{record.call}: {', '.join(names)} is read and written at once and was unbound."
        device.state.log.add(EventKind.HAZARD, subject, rule="d3d11.U1.8", text=text)
    device.spend(cpu=cost.CPU_CALL_NS)
    if recording is not None:
        recording.jobs.append(d3d11_deferred.DrawJob(tuple(read_rows), tuple(written_rows)))
        return verdict
    draw_with(device, [*read_rows, *written_rows])
    device.kernel.trim(device)
    return verdict


def draw_with(device: D3D11Device, rows: list[int]) -> None:
    """Use the present versions of what a draw names: one pass over columns, a draw names hundreds."""
    state, live = device.state, device.live
    resident = state.heaps["resident"]
    for row in rows:
        if not resident[live[row].heap]:
            device.bring_in(row)
    used = [row for row in rows if resident[live[row].heap]]
    heaps = np.fromiter((live[row].heap for row in used), np.int64, len(used))
    blocks = np.fromiter((live[row].block for row in used), np.int64, len(used))
    # All of them are resident: what is left is to count the use, and to bring home what was demoted.
    device.kernel.use(device, heaps)
    frame = state.log.frame
    state.resources["used_frame"][used] = frame
    state.blocks["used_frame"][blocks] = frame
    state.blocks["state"][blocks] |= np.uint8(_USED)
    rates = np.array([segment.bandwidth for segment in state.segments], np.int64)[state.blocks["segment"][blocks]]
    device.spend(gpu=cost.touch_sum_ns(state.blocks["kind"][blocks], state.blocks["size"][blocks], rates))


def _row(device: D3D11Device, name: str) -> int:
    return device.state.find(name, "resource", "view", where="input.references")[1]


def _use(device: D3D11Device, name: str, row: int, recording: Recording | None, both: set[int]) -> rules.Use:
    """Return what a name of a draw touches; without a view it is all of the resource, which matters in ``both``."""
    view = device.views.get(name)
    touched: tuple[int, ...] = () if view is None else view[2]
    if view is None and row in both:
        touched = tuple(range(device.live[row].resource.subresources))
    return rules.Use(name, device.state.resource_names[row], touched, device.is_mapped(row, recording))


def _state(
    device: D3D11Device, arguments: Any, recording: Recording | None, reads: list[int], writes: list[int]
) -> rules.State11:
    """Return what the rules look at; a draw names hundreds, and most of them need no look."""
    both = set(reads).intersection(writes)
    mapped = bool(recording.mapped) if recording is not None else any(device.live[row].mapped for row in reads + writes)
    viewed = device.views.keys()
    if not both and not mapped and viewed.isdisjoint(arguments.references) and viewed.isdisjoint(arguments.writes):
        return rules.NO_STATE
    named = zip((*arguments.references, *arguments.writes), reads + writes, strict=True)
    uses = tuple(_use(device, name, row, recording, both) for name, row in named)
    return rules.State11(reads=uses[: len(reads)], writes=uses[len(reads) :])


def _wrong_usage(device: D3D11Device, reads: list[int], writes: list[int]) -> Verdict | None:
    """Return why the pipeline cannot use what a draw names: staging at all, or read-only usages as output."""
    live, names = device.live, device.state.resource_names
    for row in reads + writes:
        if live[row].resource.usage == _STAGING:
            return Verdict("E_INVALIDARG", (refusal("d3d11.U1.7", names[row]),))
    for row in writes:
        if live[row].resource.usage != _DEFAULT:
            return Verdict("E_INVALIDARG", (refusal("d3d11.U1.6", names[row]),))
    return None
