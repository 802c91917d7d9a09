"""Answers to D3D12 records about residency, feature queries and the device itself."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from explorer.core import d3d12
from explorer.core.d3d12_enums import Feature, HeapFlags, ResidencyFlags, ResourceFlags
from explorer.core.dxgi import DXGI_FORMAT
from explorer.rules.d3d12_access import (
    BudgetState,
    available_for_reservation,
    default_priority,
    grace_seconds,
    judge_feature,
    judge_make_resident,
)
from explorer.rules.d3d12_findings import reason
from explorer.rules.d3d12_record_input import Device, NotUnderstoodError, RecordInput
from explorer.rules.d3d12_residency_policy import ResidencyManager

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from explorer.rules.d3d12_record_kinds import Answer


def residency(call: str, source: RecordInput, device: Device, requires: Mapping[str, object]) -> Answer:
    """Answer the residency questions whose whole history stands in the record."""
    del device, requires
    if call == "default priority":
        flags = source.get("flags", ResourceFlags, ResourceFlags.NONE)
        priority = default_priority(flags, source.uint("size_bytes"))
        return {"priority": f"0x{priority:08x}"}, (reason("8.4b" if priority == 0x78000000 else "8.4a"),)
    if call == "MakeResident/Evict count":
        return _residency_count(source)
    if call == "AvailableForReservation":
        source.raw("CurrentReservation", None)
        available = available_for_reservation(source.uint("Budget"))
        return {"AvailableForReservation": available}, (reason("8.5a"),)
    if call == "EnqueueMakeResident":
        left = source.get("physical_memory_left", bool, True)
        state = BudgetState(source.uint("budget"), source.uint("usage"), source.uint("size"), left)
        flags = source.get("flags", ResidencyFlags, ResidencyFlags.NONE)
        verdict = judge_make_resident(d3d12.EnqueueMakeResident((), flags), state)
        return {"hr": verdict.hr}, verdict.reasons
    if call == "D3DX12Residency grace period":
        usage, budget = source.uint("local_usage"), source.uint("local_budget")
        grace = grace_seconds(usage / budget if budget else 1.0)
        rule = "8.8a" if grace is None else "8.8b"
        return {"age_trim": grace is not None, "grace_seconds": grace}, (reason(rule),)
    raise NotUnderstoodError(f"call: {call}")


def _words(source: RecordInput, key: str) -> Sequence[object]:
    value = source.raw(key, [])
    if not isinstance(value, list):
        raise NotUnderstoodError(f"{source.path}.{key} is no list")
    return cast("list[object]", value)


def _residency_count(source: RecordInput) -> Answer:
    flags = source.get("create_flags", HeapFlags, HeapFlags.NONE)
    starts_evicted = bool(flags & HeapFlags.CREATE_NOT_RESIDENT)
    count = 0 if starts_evicted else 1
    for at, name in enumerate(_words(source, "ops")):
        if name not in ("MakeResident", "Evict"):
            raise NotUnderstoodError(f"{source.path}.ops[{at}]: {name}")
        count = count + 1 if name == "MakeResident" else max(0, count - 1)
    rules = (reason("8.2b"), reason("8.2a")) if starts_evicted else (reason("8.2a"),)
    return {"count": count, "resident_required": count > 0}, rules


def residency_policy(call: str, source: RecordInput, device: Device, requires: Mapping[str, object]) -> Answer:
    """Answer what each submission makes the D3DX12Residency library do."""
    del call, device, requires
    manager = ResidencyManager(source.uint("local_budget"), source.uint("non_local_budget", 0))
    submissions: list[dict[str, object]] = []
    for step in source.items("steps"):
        name = step.raw("op")
        if name == "create":
            manager.create(step.get("object", str), step.uint("size"))
        elif name == "gpu_completed":
            manager.complete(step.uint("through_submission"))
        elif name == "submit":
            objects = _words(step, "objects")
            unknown = [one for one in objects if one not in manager.objects]
            if unknown:
                raise NotUnderstoodError(f"{step.path}.objects: {unknown[0]}")
            done = manager.submit([str(one) for one in objects], step.get("time_seconds", float))
            submissions.append(asdict(done))
        else:
            raise NotUnderstoodError(f"{step.path}.op: {name}")
        step.finish()
    rules = ("8.8a", "8.8b", "8.8c", "8.8d", "8.8e")
    return {"per_submission": submissions}, tuple(reason(rule) for rule in rules)


_FEATURE_LEVELS = ("9_1", "9_2", "9_3", "10_0", "10_1", "11_0", "11_1", "12_0", "12_1", "12_2")
_REMOVING = "ExecuteCommandLists with a list still recording"


def feature_queries(call: str, source: RecordInput, device: Device, requires: Mapping[str, object]) -> Answer:
    """Answer CheckFeatureSupport, device creation, and what a removed device says."""
    del requires
    if call.startswith("CheckFeatureSupport(") and call.endswith(")"):
        return _feature(call[len("CheckFeatureSupport(") : -1], source, device)
    if call == "D3D12CreateDevice":
        level = str(source.raw("minimum_feature_level")).removeprefix("D3D_FEATURE_LEVEL_")
        if level not in _FEATURE_LEVELS:
            raise NotUnderstoodError(f"{source.path}.minimum_feature_level: {level}")
        if _FEATURE_LEVELS.index(level) < _FEATURE_LEVELS.index("11_0"):
            return {"hr": "E_INVALIDARG"}, (reason("11.4"),)
        if "out_pointer" in source and source.raw("out_pointer") is None:
            return {"hr": "S_FALSE"}, (reason("11.5"),)
        return {"hr": "S_OK"}, (reason("11.4"),)
    if call not in ("GetDeviceRemovedReason", "CreateCommandQueue"):
        raise NotUnderstoodError(f"call: {call}")
    history = _words(source, "history")
    for at, event in enumerate(history):
        if event != _REMOVING:
            raise NotUnderstoodError(f"{source.path}.history[{at}]: {event}")
    if call == "GetDeviceRemovedReason":
        return (
            ({"hr": "DXGI_ERROR_INVALID_CALL"}, (reason("11.2"),)) if history else ({"hr": "S_OK"}, (reason("11.1"),))
        )
    return ({"hr": "DXGI_ERROR_DEVICE_REMOVED"}, (reason("11.3"),)) if history else ({"hr": "S_OK"}, (reason("11.1"),))


def _feature(name: str, source: RecordInput, device: Device) -> Answer:
    if name not in Feature.__members__:
        raise NotUnderstoodError(f"call: CheckFeatureSupport({name})")
    arguments = d3d12.CheckFeatureSupport(
        Feature[name],
        source.uint("NodeIndex", 0),
        source.get("Format", DXGI_FORMAT, DXGI_FORMAT.UNKNOWN),
        source.uint("SampleCount", 1),
    )
    verdict = judge_feature(arguments, device.runtime)
    result: dict[str, object] = {"hr": verdict.hr, **verdict.values}
    if verdict.succeeded and arguments.Feature in (Feature.ARCHITECTURE, Feature.ARCHITECTURE1):
        result["invariant"] = {"rule": "d3d12.1.1b"}
    return result, verdict.reasons
