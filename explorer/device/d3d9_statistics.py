"""Questions to a D3D9 device about its memory: queries, free texture memory, residency (rules R4.8, R5.13, R10.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core import d3d9 as api
from explorer.core.events import EventKind
from explorer.core.verdicts import Verdict
from explorer.device.d3d9_managed import TypeCounts
from explorer.device.d3d9_presentation import device_state
from explorer.rules.d3d9 import judge
from explorer.rules.d3d9_device import RESIDENCY
from explorer.rules.d3d9_verdicts import reason

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.device.d3d9 import D3D9Device

PERCENT = 100


def create_query(device: D3D9Device, arguments: api.CreateQuery, record: CallRecord) -> Verdict:
    """CreateQuery; RESOURCEMANAGER exists in the debug runtime only."""
    verdict = judge(arguments, device_state(device), device.runtime, record.call)
    if not verdict.succeeded:
        return device.refuse(record, verdict)
    number = device.things.number()
    device.things.others[number] = ("query", int(arguments.Type))
    device.state.bind(record.out or record.call, "query", number)
    return verdict


def issue(device: D3D9Device, arguments: api.Issue, record: CallRecord) -> Verdict:
    """Issue: the query's answer is that of the moment of GetData."""
    device.state.find(arguments.object, "query", where="input.object")
    return judge(arguments, device_state(device), device.runtime, record.call)


def get_data(device: D3D9Device, arguments: api.GetData, record: CallRecord) -> Verdict:
    """GetData: the statistics of the resource manager, or the memory pressure of 9Ex."""
    _, number = device.state.find(arguments.object, "query", where="input.object")
    verdict = judge(arguments, device_state(device), device.runtime, record.call)
    if not verdict.succeeded:
        return verdict
    kind = device.things.others[number][1]
    if kind == api.QueryType.RESOURCEMANAGER:
        values: dict[str, object] = dict(resource_manager(device))
        rule = reason("R5.13")
        _report(device, arguments.object, values)
    elif kind == api.QueryType.MEMORYPRESSURE:
        values, rule = memory_pressure(device), reason("query.pressure")
        text = (
            f"MEMORYPRESSURE: {values['BytesEvictedFromProcess']:,} B have left video memory, "
            f"{values['SizeOfInefficientAllocation']:,} B lie where they should not, {values['LevelOfEfficiency']} %."
        )
        device.state.log.add(EventKind.CHANGED, arguments.object, rule="d3d9.query.pressure", text=text)
    elif kind == api.QueryType.EVENT:
        values = dict[str, object](returns=not device.gpu.is_pending)
        rule = reason("ok.call")
    else:
        return device.answer_not_simulated(record, "GetData of this query type")
    # What the manager does may change, and nothing should be built on it: the numbers come with that warning.
    warning = (reason("R5.14"),) if kind == api.QueryType.RESOURCEMANAGER else ()
    return Verdict(verdict.hr, (rule, *warning, *verdict.reasons), values)


def resource_manager(device: D3D9Device) -> dict[str, dict[str, int]]:
    """Return a D3DRESOURCESTATS for each type, by the rules of ``resource_manager_stats.json``.

    Where the driver manages, the runtime has evicted, created and uploaded nothing.
    """
    managed, things = device.managed, device.things
    used = set(things.bound.values())
    found: dict[str, dict[str, int]] = {}
    rows: dict[int, list[int]] = {int(kind): [] for kind in api.ResourceType}
    for row in managed:
        rows[int(things.of[row].resource.type)].append(row)
    for kind in api.ResourceType:
        here = rows[int(kind)]
        counts = managed.counts.get(int(kind), TypeCounts())
        resident = [row for row in here if managed.copy_of(row) is not None]
        # A draw names what it reads: what the present scene used counts as set, beside what is bound.
        active = [row for row in here if row in used or (row in device.used_in_scene)]
        found[kind.constant] = {
            "bThrashing": int(device.in_scene and counts.thrashed_scene == managed.scene),
            "ApproxBytesDownloaded": counts.downloaded,
            "NumEvicts": counts.evicts,
            "NumVidCreates": counts.creates,
            "LastPri": counts.last_priority,
            "NumUsed": len(active),
            "NumUsedInVidMem": sum(managed.copy_of(row) is not None for row in active),
            "WorkingSet": len(resident),
            "WorkingSetBytes": sum(managed.bytes_of(row) for row in resident),
            "TotalManaged": len(here),
            "TotalBytes": sum(int(device.state.blocks["size"][managed.master_of(row)]) for row in here),
        }
    return found


def _report(device: D3D9Device, name: str, values: dict[str, object]) -> None:
    told: list[str] = []
    for kind, fields in values.items():
        assert isinstance(fields, dict)
        if fields["TotalManaged"]:
            told.append(
                f"{kind}: {fields['WorkingSet']:,} of {fields['TotalManaged']:,} in video memory, "
                f"{fields['NumEvicts']:,} evicted, {fields['ApproxBytesDownloaded']:,} B sent"
            )
    text = f"RESOURCEMANAGER: {'; '.join(told) or 'nothing is managed'}."
    device.state.log.add(EventKind.CHANGED, name, rule="d3d9.R5.13", text=text)


def memory_pressure(device: D3D9Device) -> dict[str, object]:
    """Return D3DMEMORYPRESSURE: what left video memory, and how much of the rest lies where it should."""
    at_home, away = device.virtual.at_home(device)
    total = at_home + away
    return {
        "BytesEvictedFromProcess": device.virtual.evicted_bytes,
        "SizeOfInefficientAllocation": away,
        "LevelOfEfficiency": at_home * PERCENT // total if total else PERCENT,
    }


def texture_memory(device: D3D9Device, arguments: api.Empty, record: CallRecord) -> Verdict:
    """GetAvailableTextureMem: what DEFAULT resources leave free; on 9Ex memory is virtual and it barely moves."""
    state = device.state
    free = 0
    for index in (*state.segments_in("LOCAL"), *state.segments_in("NON_LOCAL")):
        segment = state.segments[index]
        free += segment.size if device.runtime.ex else segment.free_bytes
    if not device.runtime.ex:
        # Managed copies give way to whatever needs their place.
        free += device.managed.resident_bytes
    return judge(arguments, device_state(device, free_bytes=free), device.runtime, record.call)


def check_residency(device: D3D9Device, arguments: api.CheckResourceResidency, record: CallRecord) -> Verdict:
    """CheckResourceResidency: the worst place of the resources asked for."""
    rows = [device.state.find(name, "resource", where="input.pResourceArray")[1] for name in arguments.pResourceArray]
    places = tuple(device.virtual.place_of(device, row) for row in rows)
    assert all(place in RESIDENCY for place in places)
    verdict = judge(arguments, device_state(device, residency=places), device.runtime, record.call)
    text = f"CheckResourceResidency: {verdict.hr} for {', '.join(arguments.pResourceArray)}."
    device.state.log.add(EventKind.CHANGED, record.call, rule="d3d9.R10.7", text=text)
    return verdict
