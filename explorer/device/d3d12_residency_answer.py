"""Answers to D3D12 records about residency, budgets, residency libraries and removal: each is played on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from explorer.core.d3d12_enums import HeapFlags, ResourceFlags
from explorer.device.app_residency import SECOND_NS
from explorer.device.d3d12_answer_rig import Rig
from explorer.device.d3d12_common import reason
from explorer.memory.segments import PAGE_BYTES
from explorer.rules.d3d12_access import PRIORITY_NORMAL, default_priority
from explorer.rules.d3d12_record_input import NotSimulatedError, NotUnderstoodError, RecordInput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.device.d3d12_answer_rig import Answer
    from explorer.rules.records import CheckOptions

_SMALL = 65536
_TARGETS = ResourceFlags.ALLOW_RENDER_TARGET | ResourceFlags.ALLOW_DEPTH_STENCIL


def residency(call: str, source: RecordInput, runtime: Any, options: CheckOptions) -> Answer:
    """Ask a device about priorities, counts, budgets and reservations."""
    found = _RESIDENCY.get(call)
    if found is None:
        raise NotUnderstoodError(f"call: {call}")
    return found(source, runtime, options)


def _default_priority(source: RecordInput, runtime: Any, options: CheckOptions) -> Answer:
    """Create an object of the size and read the priority that it starts with."""
    flags, size = source.get("flags", ResourceFlags, ResourceFlags.NONE), source.uint("size_bytes")
    rig = Rig(runtime, options, has_room=True)
    uav = bool(flags & ResourceFlags.ALLOW_UNORDERED_ACCESS)
    try:
        if flags & _TARGETS or not uav:
            holds = "RT_DS_TEXTURES" if flags & _TARGETS else "NON_RT_DS_TEXTURES"
            rig.heap("object", size, holds=holds)
            heap = rig.row("object")
        elif size % _SMALL == 0:
            desc = {
                "Dimension": "D3D12_RESOURCE_DIMENSION_BUFFER", "Width": size,
                "Layout": "D3D12_TEXTURE_LAYOUT_ROW_MAJOR", "Flags": ["D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS"],
            }  # fmt: skip
            properties = {"Type": "D3D12_HEAP_TYPE_DEFAULT"}
            made = rig.call("CreateCommittedResource", {"pHeapProperties": properties, "pDesc": desc}, "object")
            if not made.succeeded:
                raise NotSimulatedError(made.reasons[0].text)
            heap = rig.device.heap_of(rig.row("object"))
        else:
            raise NotSimulatedError("no object has this size")
        priority = int(rig.state.heaps["priority"][heap])
    except NotSimulatedError:
        # No object of the size can exist on the device: what it would start with is still a rule.
        priority = default_priority(flags, size)
    rule = "d3d12.8.4b" if priority == PRIORITY_NORMAL else "d3d12.8.4a"
    return {"priority": f"0x{priority:08x}"}, (reason(rule),)


def _count(source: RecordInput, runtime: Any, options: CheckOptions) -> Answer:
    """Create a heap, call MakeResident and Evict, and read its count."""
    flags = source.get("create_flags", HeapFlags, HeapFlags.NONE)
    starts_evicted = bool(flags & HeapFlags.CREATE_NOT_RESIDENT)
    rig = Rig(runtime, options)
    rig.heap("heap", _SMALL, *(["CREATE_NOT_RESIDENT"] if starts_evicted else []))
    for at, name in enumerate(_list(source, "ops")):
        if name not in ("MakeResident", "Evict"):
            raise NotUnderstoodError(f"{source.path}.ops[{at}]: {name}")
        rig.call(str(name), {"ppObjects": ["heap"]})
    count = int(rig.state.heaps["resident_count"][rig.row("heap")])
    rules = (reason("d3d12.8.2b"), reason("d3d12.8.2a")) if starts_evicted else (reason("d3d12.8.2a"),)
    return {"count": count, "resident_required": count > 0}, rules


def _make_resident(source: RecordInput, runtime: Any, options: CheckOptions) -> Answer:
    """Enqueue a heap that is not resident while the group's budget and usage are as stated."""
    has_memory = source.get("physical_memory_left", bool, True)
    rig = Rig(runtime, options, has_room=has_memory)
    rig.heap("heap", max(source.uint("size"), 1), "CREATE_NOT_RESIDENT")
    usage, flags = source.uint("usage"), source.raw("flags", "NONE")
    if not has_memory:
        _fill(rig)
    elif usage:
        rig.heap("others", usage)
    rig.device.set_option("budget", f"LOCAL={source.uint('budget')}")
    rig.call("CreateFence", {}, "fence")
    inputs = {"ppObjects": ["heap"], "Flags": flags, "pFenceToSignal": "fence", "FenceValueToSignal": 1}
    outcome = rig.call("EnqueueMakeResident", inputs)
    return {"hr": outcome.hr}, outcome.reasons


def _fill(rig: Rig) -> None:
    """Create heaps until no byte is left anywhere: what does not fit pushes others out as far as the page file."""
    size, number = 1 << 44, 0
    while size >= PAGE_BYTES:
        try:
            rig.heap(f"filler {number}", size)
            number += 1
        except NotSimulatedError:
            size //= 2


def _reservation(source: RecordInput, runtime: Any, options: CheckOptions) -> Answer:
    """Give the group a budget and ask what may be reserved."""
    rig = Rig(runtime, options)
    rig.device.set_option("budget", f"LOCAL={source.uint('Budget')}")
    rig.call("SetVideoMemoryReservation", {"Reservation": source.uint("CurrentReservation", 0)})
    outcome = rig.call("QueryVideoMemoryInfo", {})
    return {"AvailableForReservation": outcome.values["AvailableForReservation"]}, (reason("d3d12.8.5a"),)


def _grace(source: RecordInput, runtime: Any, options: CheckOptions) -> Answer:
    """Ask the residency library of a device how old an object may become."""
    rig = Rig(runtime, options, has_room=True, app_policy="d3dx12")
    usage = source.uint("local_usage")
    if usage:
        rig.heap("others", usage)
    rig.device.set_option("budget", f"LOCAL={source.uint('local_budget')}")
    grace = rig.device.app.grace_ns(rig.device)
    seconds = None if grace is None else grace / SECOND_NS
    rule = "d3d12.8.8a" if grace is None else "d3d12.8.8b"
    return {"age_trim": grace is not None, "grace_seconds": seconds}, (reason(rule),)


_RESIDENCY: Mapping[str, Callable[[RecordInput, Any, CheckOptions], Answer]] = {
    "default priority": _default_priority,
    "MakeResident/Evict count": _count,
    "EnqueueMakeResident": _make_resident,
    "AvailableForReservation": _reservation,
    "D3DX12Residency grace period": _grace,
}

POLICIES = {
    "D3DX12Residency submissions": "d3dx12",
    "D3D12TranslationLayer submissions": "translation-layer",
}


def residency_policy(call: str, source: RecordInput, runtime: Any, options: CheckOptions) -> Answer:
    """Play creations, submissions and completions on a device whose application uses a residency library."""
    policy = POLICIES.get(call)
    if policy is None:
        raise NotUnderstoodError(f"call: {call}")
    rig = Rig(runtime, options, app_policy=policy)
    # The records tell of the library alone: nothing is demoted behind its back.
    rig.device.kernel.demotes = False
    rig.device.app.clock_ns = 0
    rig.call("CreateCommandQueue", {}, "queue")
    rig.call("CreateFence", {}, "fence")
    rig.device.set_option("budget", f"LOCAL={source.uint('local_budget')}")
    other = source.uint("non_local_budget", 0)
    if (0, "NON_LOCAL") in rig.state.groups:
        rig.device.set_option("budget", f"NON_LOCAL={other}")
    submissions: list[dict[str, object]] = []
    for step in source.items("steps"):
        op = step.raw("op")
        if op == "create":
            rig.heap(str(step.raw("object")), step.uint("size"))
        elif op == "submit":
            submissions.append(_submit(rig, step, len(submissions) + 1))
        elif op == "gpu_completed":
            # The fence shows how many submissions are done.
            done = min(step.uint("through_submission") + 1, len(submissions))
            rig.call("SetEventOnCompletion", {"pFence": "fence", "Value": done})
        else:
            raise NotUnderstoodError(f"{step.path}.op: {op}")
        step.finish()
    rules = ("d3d12.8.8a", "d3d12.8.8b", "d3d12.8.8c", "d3d12.8.8d", "d3d12.8.8e")
    return {"per_submission": submissions}, tuple(reason(rule) for rule in rules)


def _submit(rig: Rig, step: RecordInput, number: int) -> dict[str, object]:
    seconds = step.raw("time_seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise NotUnderstoodError(f"{step.path}.time_seconds: {seconds}")
    rig.state.log.time_ns = round(seconds * SECOND_NS)
    rig.call("ExecuteCommandLists", {"references": _list(step, "objects"), "pCommandQueue": "queue"})
    rig.call("Signal", {"pCommandQueue": "queue", "pFence": "fence", "Value": number})
    done, manager = rig.device.app.last[""], rig.device.app.managers[""]
    names = rig.state.heap_names
    return {
        **{key: [names[row] for row in getattr(done, key)] for key in _LISTS},
        "waited": list(done.waited),
        "usage_after": rig.state.groups[0, "LOCAL"].usage,
        "lru_after": [names[row] for row in manager.order],
    }


_LISTS = ("age_evicted", "pressure_evicted", "made_resident", "forced")
_REMOVING = "ExecuteCommandLists with a list still recording"


def removal(call: str, source: RecordInput, runtime: Any, options: CheckOptions) -> Answer:
    """Misuse a device as the history says, and call it again."""
    rig = Rig(runtime, options)
    for at, event in enumerate(_list(source, "history")):
        if event != _REMOVING:
            raise NotUnderstoodError(f"{source.path}.history[{at}]: {event}")
        rig.call("CreateCommandList", {}, "list")
        rig.call("ExecuteCommandLists", {"ppCommandLists": ["list"]})
    outcome = rig.call(call, {}, None if call.startswith("Get") else "object")
    return {"hr": outcome.hr}, outcome.reasons


def _list(source: RecordInput, key: str) -> list[object]:
    value = source.raw(key, [])
    if not isinstance(value, list):
        raise NotUnderstoodError(f"{source.path}.{key} is no list")
    return cast("list[object]", value)
