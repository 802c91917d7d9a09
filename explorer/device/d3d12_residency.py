"""Residency counts, priorities, budgets and reservations of the D3D12 device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.core.d3d12 import EnqueueMakeResident
from explorer.core.d3d12_enums import ResidencyFlags
from explorer.core.events import EventKind
from explorer.core.verdicts import Verdict
from explorer.device.d3d12_common import reason
from explorer.errors import InputError
from explorer.rules.d3d12_access import BudgetState, available_for_reservation, judge_make_resident

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.core import d3d12 as api
    from explorer.core import d3d12_commands as commands
    from explorer.core.calls import CallRecord
    from explorer.device.d3d12 import D3D12Device
    from explorer.device.memory_state import MemoryState
    from explorer.memory.segments import SegmentGroup

_SUCCESS = "S_OK"


def set_reservable(state: MemoryState) -> None:
    """Set what can be reserved where the adapter states no such figure, or one for another budget (rules 8.5)."""
    measured = {(one.node, one.group): one for one in state.adapter.budgets}
    for key, group in state.groups.items():
        own = measured.get(key)
        if own is None or own.available_for_reservation is None or own.budget_bytes != group.budget:
            group.available_for_reservation = available_for_reservation(group.budget or 0)


def evicted(device: D3D12Device, names: tuple[str, ...]) -> list[int]:
    """Return the heap rows of those objects whose bytes have to come in, each once."""
    rows = dict.fromkeys(_pageable(device, name) for name in names)
    return [row for row in rows if not device.state.heaps["resident"][row]]


def make_resident(
    device: D3D12Device, arguments: api.MakeResident | api.EnqueueMakeResident, record: CallRecord
) -> Verdict:
    """MakeResident: raises the count of objects; bytes come in where it was 0, all of them or, with an error, none."""
    state, names = device.state, arguments.ppObjects
    rows, coming = [_pageable(device, name) for name in names], evicted(device, names)
    denied = isinstance(arguments, EnqueueMakeResident) and bool(arguments.Flags & ResidencyFlags.DENY_OVERBUDGET)
    for budget in _budgets(device, coming):
        judged = judge_make_resident(arguments, budget)
        if not judged.succeeded:
            why = judged.reasons[0]
            text = f"{record.call} with DENY_OVERBUDGET: {why.text}"
            state.log.add(EventKind.REFUSED, names[0] if names else record.call, rule=why.rule, text=text)
            return judged
    came: list[int] = []
    for row in coming:
        # Room that is made by demoting others would take another group above its budget.
        refusal = device.kernel.page_in(device, row, "d3d12.8.2a", may_demote=not denied)
        if refusal is not None:
            for other in came:
                device.kernel.page_out(device, other, "d3d12.8.6b", "because the call that brought it in failed")
            why, segment = reason("d3d12.8.3c"), state.segments[int(state.heaps["home"][row])].name
            return device.no_room(record, "E_OUTOFMEMORY", segment, refusal, why.rule, why.source)
        came.append(row)
        name = state.heap_names[row]
        state.log.add(EventKind.MADE_RESIDENT, name, size=int(state.heaps["size"][row]),
                      rule="d3d12.8.2a", text=f"{name} is resident.")  # fmt: skip
    for row in rows:
        state.heaps["resident_count"][row] += 1
    return Verdict(_SUCCESS, (reason("d3d12.8.2a"), reason("d3d12.8.3b")))


def evict(device: D3D12Device, arguments: api.Evict, record: CallRecord) -> Verdict:
    """Evict: lowers the count of objects; at 0 their bytes leave. Evict on a count of 0 changes nothing."""
    del record
    state = device.state
    for name in arguments.ppObjects:
        row = _pageable(device, name)
        count = int(state.heaps["resident_count"][row])
        if count == 0:
            continue
        state.heaps["resident_count"][row] = count - 1
        if count == 1:
            user = device.timeline.uses(row)
            if user is not None:
                text = f"{name} was evicted while the GPU may still run submission {user:,}, which uses it."
                state.log.add(EventKind.HAZARD, name, rule="d3d12.8.7", text=text)
            device.timeline.forget(row)
            device.kernel.page_out(device, row, "d3d12.8.2a", "because its residency count is 0")
    return Verdict(_SUCCESS, (reason("d3d12.8.2a"),))


def set_priorities(device: D3D12Device, arguments: api.SetResidencyPriority, record: CallRecord) -> Verdict:
    """SetResidencyPriority: one for each object."""
    del record
    if len(arguments.ppObjects) != len(arguments.pPriorities):
        return Verdict("E_INVALIDARG", (reason("d3d12.8.4a"),))
    for name, priority in zip(arguments.ppObjects, arguments.pPriorities, strict=True):
        row = _pageable(device, name)
        device.kernel.set_priority(row, priority)
        text = f"{name}: residency priority 0x{priority:08x}."
        device.state.log.add(EventKind.CHANGED, name, rule="d3d12.8.4a", text=text)
    return Verdict(_SUCCESS, (reason("d3d12.8.4a"),))


def query(device: D3D12Device, arguments: api.QueryVideoMemoryInfo, record: CallRecord) -> Verdict:
    """QueryVideoMemoryInfo: budget, usage, reservation; a group that is not there has a budget of 0 (rules 1.3)."""
    del record
    if arguments.NodeIndex >= device.runtime.node_count:
        return Verdict("E_INVALIDARG", (reason("d3d12.1.1a"),))
    group = _group(device, arguments.NodeIndex, arguments.MemorySegmentGroup.name)
    values: dict[str, object] = {
        "Budget": group.budget or 0 if group else 0,
        "CurrentUsage": group.usage if group else 0,
        "AvailableForReservation": group.available_for_reservation if group else 0,
        "CurrentReservation": group.reservation if group else 0,
    }
    return Verdict(_SUCCESS, (reason("d3d12.8.5c"),), values)


def set_reservation(device: D3D12Device, arguments: api.SetVideoMemoryReservation, record: CallRecord) -> Verdict:
    """SetVideoMemoryReservation: more than is available is refused, and it never raises the budget (rules 8.5)."""
    del record
    group = _group(device, arguments.NodeIndex, arguments.MemorySegmentGroup.name)
    if arguments.NodeIndex >= device.runtime.node_count:
        return Verdict("E_INVALIDARG", (reason("d3d12.1.1a"),))
    if group is None or arguments.Reservation > group.available_for_reservation:
        return Verdict("E_INVALIDARG", (reason("d3d12.8.5b"),))
    group.reservation = arguments.Reservation
    return Verdict(_SUCCESS, (reason("d3d12.8.5b"),))


def register(device: D3D12Device, arguments: commands.RegisterNotification, record: CallRecord) -> Verdict:
    """RegisterVideoMemoryBudgetChangeNotificationEvent: the application hears of new budgets from now on."""
    name = record.out or record.call
    device.notifications[name] = (arguments.NodeIndex, arguments.MemorySegmentGroup.name)
    device.state.bind(name, "notification", -1)
    return Verdict(_SUCCESS, (reason("kernel.notification"),), {"pdwCookie": len(device.notifications)})


def notify(device: D3D12Device, node: int, name: str) -> None:
    """Tell whoever registered that a group's budget is another one."""
    group = device.state.groups[node, name]
    for subject, watched in device.notifications.items():
        if watched == (node, name):
            text = f"{subject}: the budget of {name} is now {group.budget or 0:,} B, {group.usage:,} B are in use."
            device.state.log.add(EventKind.NOTIFIED, subject, name, rule="kernel.notification", text=text)


def _pageable(device: D3D12Device, name: str) -> int:
    """Return the heap row that owns an object's memory; placed resources have none of their own (rules 8.1)."""
    state = device.state
    kind, row = state.find(name, "heap", "resource", "descriptor_heap", "query_heap", where="input.ppObjects")
    if kind == "heap":
        return row
    if row in device.tiled:
        accepted = tuple(sorted({state.heap_names[run[0]] for run in device.tiled[row].runs}))
        raise InputError(
            "a reserved resource has no residency of its own: act on its heaps", where="input.ppObjects", found=name,
            accepted=accepted or ("(no tile has memory)",),
        )  # fmt: skip
    heap = device.heap_of(row)
    if heap < 0:
        raise InputError(
            "a descriptor heap that shaders do not see has no residency", where="input.ppObjects", found=name,
            accepted=("heaps", "committed resources", "query heaps", "shader-visible descriptor heaps"),
        )  # fmt: skip
    if not state.heaps["committed"][heap]:
        raise InputError(
            "a placed resource has no residency of its own: act on its heap",
            where="input.ppObjects",
            found=name,
            accepted=(state.heap_names[heap],),
        )
    return heap


def _budgets(device: D3D12Device, rows: list[int]) -> list[BudgetState]:
    """Return the groups that heaps come home to, each with what it would get."""
    heaps, segments = device.state.heaps, device.state.segments
    wanted: dict[tuple[int, str], int] = {}
    for row in rows:
        home = segments[int(heaps["home"][row])]
        key = (home.node, home.group)
        wanted[key] = wanted.get(key, 0) + int(heaps["size"][row])
    groups = device.state.groups
    return [
        BudgetState(budget, groups[key].usage, size)
        for key, size in wanted.items()
        if key in groups and (budget := groups[key].budget) is not None
    ]


def _group(device: D3D12Device, node: int, name: str) -> SegmentGroup | None:
    groups = device.state.groups
    return groups.get((node, name)) or (groups.get((0, name)) if name == "NON_LOCAL" else None)


HANDLERS: Mapping[str, Callable[[Any, Any, CallRecord], Verdict]] = {
    "MakeResident": make_resident,
    "Evict": evict,
    "SetResidencyPriority": set_priorities,
    "QueryVideoMemoryInfo": query,
    "SetVideoMemoryReservation": set_reservation,
    "RegisterVideoMemoryBudgetChangeNotificationEvent": register,
}
