"""Where a texel lies."""

from __future__ import annotations

from explorer.core.calls import CallRecord
from explorer.sim.layouts import Form, lay_out
from explorer.sim.scenarios import load_simulation
from explorer.sim.texel_place import texel_place


def forms(scenario: str, call: str, inputs: dict[str, object], adapter: str | None = None) -> dict[str, Form]:
    simulation = load_simulation(scenario, adapter)
    api = "d3d9" if scenario.startswith("d3d9") else "d3d12"
    assert simulation.apply(CallRecord(api, call, inputs, "Mine")).succeeded
    snapshot = simulation.snapshot()
    return {form.id: form for form in lay_out(snapshot, snapshot.resources.names.index("Mine")).forms}


def texture(width: int, height: int) -> dict[str, object]:
    return {
        "pHeapProperties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"},
        "InitialResourceState": "D3D12_RESOURCE_STATE_COPY_DEST",
        "pDesc": {"Dimension": "D3D12_RESOURCE_DIMENSION_TEXTURE2D", "Width": width, "Height": height,
                  "Format": "DXGI_FORMAT_R8G8B8A8_UNORM"},
    }  # fmt: skip


def test_that_every_texel_of_a_block_linear_level_has_bytes_of_its_own() -> None:
    form = forms("d3d12-upload-heaps-discrete", "CreateCommittedResource", texture(64, 48))["memory"]
    places = [texel_place(form, 0, x, y).offset for y in range(48) for x in range(64)]
    assert None not in places
    assert len(set(places)) == 64 * 48
    assert all(place is not None and place % 4 == 0 and place < form.layout.size_bytes for place in places)


def test_that_rows_of_a_copy_lie_one_pitch_apart() -> None:
    form = forms("d3d12-upload-heaps-discrete", "CreateCommittedResource", texture(100, 8))["copy"]
    pitch = form.layout.subresources[0].row_pitch
    first, second = texel_place(form, 0, 3, 0).offset, texel_place(form, 0, 3, 1).offset
    assert (first, second) == (12, 12 + pitch)


def test_that_compressed_texels_of_one_block_share_a_place() -> None:
    inputs: dict[str, object] = {
        "Width": 64, "Height": 64, "Levels": 1, "Usage": [], "Format": "D3DFMT_DXT1", "Pool": "D3DPOOL_SYSTEMMEM",
    }  # fmt: skip
    form = forms("d3d9-shooter-2003-agp-128mb", "CreateTexture", inputs)["system"]
    assert texel_place(form, 0, 4, 4).offset == texel_place(form, 0, 7, 7).offset == 128 + 8


def test_that_an_unknown_order_is_said() -> None:
    form = forms("d3d12-upload-heaps-discrete", "CreateCommittedResource", texture(256, 256), "uhd630")["memory"]
    place = texel_place(form, 0, 1, 1)
    assert place.offset is None
    assert "tile" in place.text
