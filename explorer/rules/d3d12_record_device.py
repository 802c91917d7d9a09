"""Answers to D3D12 records about features and the creation of a device, and what only a device answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core import d3d12
from explorer.core.d3d12_enums import Feature
from explorer.core.dxgi import DXGI_FORMAT
from explorer.rules.d3d12_access import judge_feature
from explorer.rules.d3d12_findings import reason
from explorer.rules.d3d12_record_input import Device, NotSimulatedError, NotUnderstoodError, RecordInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.rules.d3d12_record_kinds import Answer


def needs_device(call: str, source: RecordInput, device: Device, requires: Mapping[str, object]) -> Answer:
    """Leave a record to a device: rules alone have no past.

    Raises:
        NotSimulatedError: Always.
    """
    del source, device, requires
    raise NotSimulatedError(f"{call} is answered by a device")


_FEATURE_LEVELS = ("9_1", "9_2", "9_3", "10_0", "10_1", "11_0", "11_1", "12_0", "12_1", "12_2")


def feature_queries(call: str, source: RecordInput, device: Device, requires: Mapping[str, object]) -> Answer:
    """Answer CheckFeatureSupport and the creation of a device."""
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
    if call in ("GetDeviceRemovedReason", "CreateCommandQueue"):
        return needs_device(call, source, device, {})
    raise NotUnderstoodError(f"call: {call}")


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
