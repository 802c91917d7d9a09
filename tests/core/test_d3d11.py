from __future__ import annotations

from typing import Any

import pytest

from explorer.core import d3d11
from explorer.core.calls import call_spec, decode_record, encode_record, make_record
from explorer.core.d3d11_descs import D3D11_TEXTURE2D_DESC
from explorer.core.d3d11_enums import BindFlag, CpuAccessFlag, FeatureLevel, MapType, MiscFlag, MiscFlag10, Usage
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.schema import decode, encode, keys_of
from explorer.errors import CallError


@pytest.mark.parametrize(
    ("member", "constant", "value"),
    [
        (Usage.STAGING, "D3D11_USAGE_STAGING", 3),
        (MapType.WRITE_NO_OVERWRITE, "D3D11_MAP_WRITE_NO_OVERWRITE", 5),
        (FeatureLevel(0xB000), "D3D_FEATURE_LEVEL_11_0", 0xB000),
    ],
)
def test_that_constants_keep_their_spelling_and_value(member: Any, constant: str, value: int) -> None:
    assert (member.constant, int(member)) == (constant, value)


def test_that_flags_are_spelt_in_the_order_of_their_bits() -> None:
    assert (BindFlag.RENDER_TARGET | BindFlag.SHADER_RESOURCE).constants == [
        "D3D11_BIND_SHADER_RESOURCE",
        "D3D11_BIND_RENDER_TARGET",
    ]
    assert CpuAccessFlag(0x30000).constants == ["D3D11_CPU_ACCESS_WRITE", "D3D11_CPU_ACCESS_READ"]


def test_that_d3d10_and_d3d11_number_two_flags_differently() -> None:
    assert int(MiscFlag10.SHARED_KEYEDMUTEX) == int(MiscFlag.DRAWINDIRECT_ARGS)
    assert int(MiscFlag10.GDI_COMPATIBLE) == int(MiscFlag.BUFFER_ALLOW_RAW_VIEWS)


@pytest.mark.parametrize("spec", d3d11.CALLS, ids=lambda spec: f"{spec.apis[0]}.{spec.call}")
def test_that_every_call_has_its_own_input(spec: Any) -> None:
    assert keys_of(spec.input_type) is not None
    for api in spec.apis:
        assert call_spec(api, spec.call) is spec


def test_that_no_call_is_named_twice_for_an_api() -> None:
    named = [(api, spec.call) for spec in d3d11.CALLS for api in spec.apis]
    assert len(named) == len(set(named))


def test_that_a_record_is_read_as_it_was_written() -> None:
    desc = D3D11_TEXTURE2D_DESC(
        64, 32, 0, 6, DXGI_FORMAT.BC1_UNORM, Usage=Usage.IMMUTABLE, BindFlags=BindFlag.SHADER_RESOURCE,
        MiscFlags=MiscFlag.TEXTURECUBE,
    )  # fmt: skip
    record = make_record("d3d11", "CreateTexture2D", d3d11.CreateTexture2D(desc, True), out="sky")
    plain = encode_record(record)
    assert decode_record(plain) == record
    assert plain["input"] == {
        "pDesc": {
            "Width": 64, "Height": 32, "MipLevels": 0, "ArraySize": 6, "Format": "DXGI_FORMAT_BC1_UNORM",
            "Usage": "D3D11_USAGE_IMMUTABLE", "BindFlags": ["D3D11_BIND_SHADER_RESOURCE"],
            "MiscFlags": ["D3D11_RESOURCE_MISC_TEXTURECUBE"],
        },
        "pInitialData": True,
    }  # fmt: skip


def test_that_initial_data_takes_one_structure_or_several() -> None:
    for given in (None, True, {"pSysMem": False}, [{"SysMemPitch": 4}, {"SysMemPitch": 8}]):
        call = decode({"pDesc": {"ByteWidth": 4}, "pInitialData": given}, d3d11.CreateBuffer)
        assert decode(encode(call), d3d11.CreateBuffer) == call


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"pDesc": {"ByteWidth": -1}}, "pDesc.ByteWidth"),
        ({"pDesc": {"ByteWidth": 2**32}}, "pDesc.ByteWidth"),
        ({"pDesc": {"ByteWidth": 4, "Usage": "D3D11_USAGE_MANAGED"}}, "pDesc.Usage"),
        ({"pDesc": {"ByteWidth": 4, "BindFlags": ["D3D11_BIND_SHADOW"]}}, "pDesc.BindFlags[0]"),
        ({"pDesc": {"Bytes": 4}}, "pDesc.Bytes"),
        ({}, "pDesc"),
    ],
)
def test_that_a_wrong_input_is_named(given: Any, where: str) -> None:
    with pytest.raises(CallError) as caught:
        decode(given, d3d11.CreateBuffer)
    assert caught.value.complaint.where == where
