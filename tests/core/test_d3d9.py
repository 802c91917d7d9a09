"""The inputs of Direct3D 9 calls."""

from __future__ import annotations

import pytest

from explorer.core import d3d9
from explorer.core.schema import constants_of, decode, encode, keys_of
from explorer.errors import CallError


def test_that_every_call_has_a_distinct_name_and_a_decodable_input() -> None:
    names = [spec.call for spec in d3d9.CALLS]
    assert len(names) == len(set(names))
    for spec in d3d9.CALLS:
        keys_of(spec.input_type)


def test_that_a_texture_keeps_the_official_spelling() -> None:
    data = {
        "Width": 4,
        "Height": 4,
        "Levels": 0,
        "Usage": ["D3DUSAGE_DYNAMIC"],
        "Format": "D3DFMT_A8R8G8B8",
        "Pool": "D3DPOOL_DEFAULT",
    }
    texture = decode(data, d3d9.CreateTexture)
    assert texture == d3d9.CreateTexture(4, 4, 0, d3d9.Usage.DYNAMIC, d3d9.Format.A8R8G8B8, d3d9.Pool.DEFAULT)
    assert encode(texture) == data


def test_that_unknown_pools_and_vendor_codes_travel_as_numbers() -> None:
    data = {"Width": 4, "Height": 4, "Format": 0x5A544E49, "Pool": 7}
    surface = decode(data, d3d9.CreateOffscreenPlainSurface)
    assert (surface.Format, surface.Pool) == (0x5A544E49, 7)
    assert encode(surface) == data


def test_that_a_misspelt_constant_names_the_accepted_ones() -> None:
    with pytest.raises(CallError) as caught:
        decode({"Length": 4, "Usage": [], "FVF": 0, "Pool": "D3DPOOL_DEFUALT"}, d3d9.CreateVertexBuffer)
    assert caught.value.complaint.where == "Pool"
    assert "D3DPOOL_DEFAULT" in caught.value.complaint.accepted


@pytest.mark.parametrize(
    ("kind", "constant", "value"),
    [
        (d3d9.Format, "D3DFMT_DXT1", 0x31545844),
        (d3d9.Format, "D3DFMT_A2B10G10R10_XR_BIAS", 119),
        (d3d9.Pool, "D3DPOOL_SCRATCH", 3),
        (d3d9.Usage, "D3DUSAGE_AUTOGENMIPMAP", 0x400),
        (d3d9.LockFlags, "D3DLOCK_NO_DIRTY_UPDATE", 0x8000),
        (d3d9.MultisampleType, "D3DMULTISAMPLE_16_SAMPLES", 16),
        (d3d9.CubeFace, "D3DCUBEMAP_FACE_NEGATIVE_Z", 5),
    ],
)
def test_that_constants_have_the_values_of_the_api(kind: type, constant: str, value: int) -> None:
    assert constants_of(kind)[constant] == value
