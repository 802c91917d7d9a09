"""What the rules accept, the device creates with exactly the predicted size; what they refuse changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.core.calls import CallRecord, decode_input
from explorer.device import make_device
from explorer.device.memory_state import MemoryState
from explorer.tables.adapters import adapter

if TYPE_CHECKING:
    from explorer.device.device import Device

ADAPTERS = {"d3d9": "r9700pro", "d3d11": "hd7970", "d3d12": "rtx3060-laptop"}


def fresh(api: str) -> Device:
    return make_device(api, MemoryState(adapter(ADAPTERS[api]), "tlsf"), {})


def state_of(device: Device) -> tuple[Any, ...]:
    state = device.state
    return (
        len(state.resources), len(state.heaps), len(state.blocks), state.generation, tuple(sorted(state.objects)),
        tuple(segment.held for segment in state.segments), tuple(group.usage for group in state.groups.values()),
    )  # fmt: skip


sizes = st.one_of(st.sampled_from([0, 1, 4, 16, 64, 100, 256, 1000, 1024, 4096]), st.integers(0, 5000))

d3d9_textures = st.fixed_dictionaries(
    {
        "Width": sizes,
        "Height": sizes,
        "Levels": st.integers(0, 14),
        "Usage": st.lists(
            st.sampled_from(["D3DUSAGE_DYNAMIC", "D3DUSAGE_RENDERTARGET", "D3DUSAGE_DEPTHSTENCIL",
                             "D3DUSAGE_AUTOGENMIPMAP", "D3DUSAGE_WRITEONLY"]), max_size=2, unique=True),
        "Format": st.sampled_from(["D3DFMT_A8R8G8B8", "D3DFMT_DXT1", "D3DFMT_DXT5", "D3DFMT_R5G6B5", "D3DFMT_D24S8",
                                   "D3DFMT_UNKNOWN"]),
        "Pool": st.sampled_from(["D3DPOOL_DEFAULT", "D3DPOOL_MANAGED", "D3DPOOL_SYSTEMMEM", "D3DPOOL_SCRATCH"]),
    }
)  # fmt: skip

d3d11_textures = st.fixed_dictionaries(
    {
        "pDesc": st.fixed_dictionaries(
            {
                "Width": sizes,
                "Height": sizes,
                "MipLevels": st.integers(0, 13),
                "ArraySize": st.integers(0, 7),
                "Format": st.sampled_from(["DXGI_FORMAT_R8G8B8A8_UNORM", "DXGI_FORMAT_BC7_UNORM",
                                           "DXGI_FORMAT_D32_FLOAT", "DXGI_FORMAT_R16_FLOAT"]),
                "SampleDesc": st.fixed_dictionaries({"Count": st.sampled_from([1, 1, 1, 4])}),
                "Usage": st.sampled_from(["D3D11_USAGE_DEFAULT", "D3D11_USAGE_IMMUTABLE", "D3D11_USAGE_DYNAMIC",
                                          "D3D11_USAGE_STAGING"]),
                "BindFlags": st.lists(st.sampled_from(["D3D11_BIND_SHADER_RESOURCE", "D3D11_BIND_RENDER_TARGET",
                                                       "D3D11_BIND_DEPTH_STENCIL"]), max_size=2, unique=True),
                "CPUAccessFlags": st.lists(st.sampled_from(["D3D11_CPU_ACCESS_READ", "D3D11_CPU_ACCESS_WRITE"]),
                                           max_size=2, unique=True),
            }
        ),
        "pInitialData": st.booleans(),
    }
)  # fmt: skip

d3d12_textures = st.fixed_dictionaries(
    {
        "pHeapProperties": st.fixed_dictionaries({"Type": st.sampled_from(
            ["D3D12_HEAP_TYPE_DEFAULT", "D3D12_HEAP_TYPE_UPLOAD", "D3D12_HEAP_TYPE_READBACK"])}),
        "pDesc": st.fixed_dictionaries(
            {
                "Dimension": st.sampled_from(["D3D12_RESOURCE_DIMENSION_TEXTURE2D", "D3D12_RESOURCE_DIMENSION_BUFFER",
                                              "D3D12_RESOURCE_DIMENSION_TEXTURE3D"]),
                "Width": sizes,
                "Height": st.one_of(st.just(1), sizes),
                "DepthOrArraySize": st.integers(0, 9),
                "MipLevels": st.integers(0, 13),
                "Alignment": st.sampled_from([0, 4096, 65536, 4194304]),
                "Format": st.sampled_from(["DXGI_FORMAT_R8G8B8A8_UNORM", "DXGI_FORMAT_BC1_UNORM",
                                           "DXGI_FORMAT_D32_FLOAT", "DXGI_FORMAT_UNKNOWN"]),
                "Layout": st.sampled_from(["D3D12_TEXTURE_LAYOUT_UNKNOWN", "D3D12_TEXTURE_LAYOUT_ROW_MAJOR"]),
                "Flags": st.lists(st.sampled_from(["D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET",
                                                   "D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL",
                                                   "D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS"]),
                                  max_size=2, unique=True),
            }
        ),
        "InitialResourceState": st.sampled_from(["D3D12_RESOURCE_STATE_COMMON", "D3D12_RESOURCE_STATE_GENERIC_READ",
                                                 "D3D12_RESOURCE_STATE_COPY_DEST"]),
    }
)  # fmt: skip

CASES = {
    "d3d9": ("CreateTexture", d3d9_textures),
    "d3d11": ("CreateTexture2D", d3d11_textures),
    "d3d12": ("CreateCommittedResource", d3d12_textures),
}


@pytest.mark.parametrize("api", sorted(CASES))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_that_preview_and_creation_agree(api: str, data: st.DataObject) -> None:
    call, strategy = CASES[api]
    record = CallRecord(api, call, data.draw(strategy), "Mine")
    decode_input(record)
    device = fresh(api)
    before = state_of(device)
    preview = device.preview(record)
    assert state_of(device) == before
    assert preview.verdict.reasons
    outcome = device.apply(record)
    assert outcome.reasons
    if not preview.verdict.succeeded:
        assert outcome.hr == preview.verdict.hr
        assert state_of(device) == before
        return
    assert preview.layout is not None
    if preview.ghost is None:
        assert not outcome.succeeded
        assert state_of(device) == before
        return
    assert outcome.succeeded, outcome
    state = device.state
    row = state.objects["Mine"][1]
    assert int(state.resources["size"][row]) == preview.layout.size_bytes
    blocks = np.flatnonzero(state.blocks.live & (state.blocks["resource"] == row))
    assert len(blocks) == 1
    assert int(state.blocks["offset"][blocks[0]]) % max(1, min(preview.layout.alignment, 4096)) in (0, 16, 0)
