"""The calls of D3D12: inputs decode strictly and come back as they were."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from explorer.core import d3d12
from explorer.core.calls import decode_input, decode_record, make_record
from explorer.core.d3d12_enums import ResourceFlags, ResourceStates, TextureLayout
from explorer.core.schema import keys_of
from explorer.errors import CallError
from tests.rules.d3d12_strategies import placed_calls, stateless_calls

TEXTURE = {
    "pHeapProperties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"},
    "pDesc": {
        "Dimension": "D3D12_RESOURCE_DIMENSION_TEXTURE2D", "Width": 64, "Height": 64,
        "Format": "DXGI_FORMAT_R8G8B8A8_UNORM", "Layout": "D3D12_TEXTURE_LAYOUT_64KB_UNDEFINED_SWIZZLE",
        "Flags": ["D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET"],
    },
    "InitialResourceState": ["D3D12_RESOURCE_STATE_RENDER_TARGET"],
}  # fmt: skip


def record(call: str, inputs: dict[str, Any]) -> dict[str, Any]:
    return {"api": "d3d12", "call": call, "input": inputs, "out": "a"}


def test_that_official_constants_are_read() -> None:
    decoded = decode_input(decode_record(record("CreateCommittedResource", TEXTURE)))
    assert decoded.pDesc.Layout is TextureLayout["_64KB_UNDEFINED_SWIZZLE"]
    assert decoded.pDesc.Flags == ResourceFlags.ALLOW_RENDER_TARGET
    assert decoded.InitialResourceState == ResourceStates.RENDER_TARGET
    assert decoded.pDesc.MipLevels == 1


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"pDesc": {"Dimension": "TEXTURE4D"}}, "input.pDesc.Dimension"),
        ({"HeapFlag": 0}, "input.HeapFlag"),
        ({"pDesc": {"Dimension": "BUFFER", "Width": -1}}, "input.pDesc.Width"),
        ({"pDesc": {"Dimension": "BUFFER", "MipLevels": 65536}}, "input.pDesc.MipLevels"),
    ],
)
def test_that_a_wrong_value_is_named(change: dict[str, Any], where: str) -> None:
    with pytest.raises(CallError) as refused:
        decode_record(record("CreateCommittedResource", {**TEXTURE, **change}))
    assert refused.value.complaint.where == where


@given(stateless_calls | placed_calls)
@settings(deadline=None)
def test_that_arguments_survive_their_record(arguments: Any) -> None:
    name = type(arguments).__name__
    assert decode_input(make_record("d3d12", name, arguments)) == arguments


def test_that_every_call_has_readable_keys() -> None:
    assert len({spec.call for spec in d3d12.CALLS}) == len(d3d12.CALLS)
    for spec in d3d12.CALLS:
        assert keys_of(spec.input_type) is not None
