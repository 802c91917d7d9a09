"""What survives a change of the API, as a table: one description said in each generation's words."""

from __future__ import annotations

import pytest

from explorer.core.calls import CallRecord
from explorer.core.same_meaning import Meaning, call_for, carried, meaning_of

DXT1 = {"Width": 512, "Height": 256, "Levels": 4, "Usage": 0, "Format": "D3DFMT_DXT1", "Pool": "D3DPOOL_DEFAULT"}


def _nested(values: dict[str, object]) -> dict[str, object]:
    top: dict[str, object] = {}
    for path, value in values.items():
        *above, last = path.split(".")
        place = top
        for key in above:
            place = place.setdefault(key, {})  # type: ignore[assignment]
        place[last] = value
    return top


@pytest.mark.parametrize(
    ("call", "inputs", "meaning"),
    [
        ("CreateTexture", DXT1, Meaning("2d", 512, 256, 1, 4, "DXGI_FORMAT_BC1_UNORM")),
        ("CreateTexture", DXT1 | {"Format": "D3DFMT_R8G8B8"}, Meaning("2d", 512, 256, 1, 4, None)),
        ("CreateCubeTexture", {"EdgeLength": 64, "Levels": 0, "Format": "D3DFMT_R16F"},
         Meaning("2d", 64, 64, 6, 0, "DXGI_FORMAT_R16_FLOAT")),
        ("CreateVolumeTexture", DXT1 | {"Depth": 8}, Meaning("3d", 512, 256, 8, 4, "DXGI_FORMAT_BC1_UNORM")),
        ("CreateVertexBuffer", {"Length": 4096}, Meaning("buffer", 4096)),
        ("Present", {}, None),
    ],
)  # fmt: skip
def test_that_a_d3d9_description_has_its_meaning(call: str, inputs: dict[str, object], meaning: Meaning | None) -> None:
    assert meaning_of(CallRecord("d3d9", call, inputs)) == meaning


@pytest.mark.parametrize("api", ["d3d9", "d3d11", "d3d12"])
@pytest.mark.parametrize(
    "meaning",
    [
        Meaning("buffer", 65536),
        Meaning("2d", 512, 256, 1, 4, "DXGI_FORMAT_BC1_UNORM"),
        Meaning("3d", 64, 32, 16, 1, "DXGI_FORMAT_B8G8R8A8_UNORM"),
    ],
)
def test_that_what_is_carried_means_the_same_again(api: str, meaning: Meaning) -> None:
    call = call_for(meaning, api)
    assert meaning_of(CallRecord(api, call, _nested(carried(meaning, api, call)))) == meaning


@pytest.mark.parametrize("name", ["DXGI_FORMAT_BC7_UNORM", "DXGI_FORMAT_R11G11B10_FLOAT"])
def test_that_a_format_that_d3d9_lacks_is_not_invented(name: str) -> None:
    meaning = Meaning("2d", 8, 8, 1, 1, name)
    assert "Format" not in carried(meaning, "d3d9", "CreateTexture")


def test_that_a_texture_says_nothing_to_a_buffer() -> None:
    texture = Meaning("2d", 8, 8)
    assert carried(texture, "d3d9", "CreateVertexBuffer") == {}
    assert carried(texture, "d3d11", "CreateBuffer") == {}
