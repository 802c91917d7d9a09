"""The D3D11 device through calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from explorer.core.calls import CallRecord
from explorer.device import make_device
from explorer.device.memory_state import MemoryState
from explorer.sim.scenarios import load_simulation
from explorer.tables.adapters import adapter

if TYPE_CHECKING:
    from explorer.device.device import Device
    from explorer.device.outcome import Outcome


class Rig:
    """A device and short ways to call it."""

    def __init__(self, adapter_id: str = "hd7970", api: str = "d3d11") -> None:
        self.state = MemoryState(adapter(adapter_id), "tlsf")
        self.device: Device = make_device(api, self.state, {})
        self.api = api

    def call(self, name: str, inputs: dict[str, Any], out: str | None = None) -> Outcome:
        return self.device.apply(CallRecord(self.api, name, inputs, out))

    def buffer(self, name: str, usage: str, *, size: int = 4096, data: bool = False) -> Outcome:
        desc: dict[str, Any] = {"ByteWidth": size, "Usage": f"D3D11_USAGE_{usage}", "BindFlags": []}
        if usage != "STAGING":
            desc["BindFlags"] = ["D3D11_BIND_VERTEX_BUFFER"]
        if usage == "DYNAMIC":
            desc["CPUAccessFlags"] = ["D3D11_CPU_ACCESS_WRITE"]
        if usage == "STAGING":
            desc["CPUAccessFlags"] = ["D3D11_CPU_ACCESS_READ", "D3D11_CPU_ACCESS_WRITE"]
        return self.call("CreateBuffer", {"pDesc": desc, "pInitialData": data}, name)

    def group_of(self, name: str) -> str:
        row = self.state.objects[name][1]
        blocks = self.state.blocks
        block = np.flatnonzero(blocks.live & (blocks["resource"] == row))[0]
        return self.state.segments[int(blocks["segment"][block])].group

    def versions(self, name: str) -> int:
        row = self.state.objects[name][1]
        return int((self.state.blocks.live & (self.state.blocks["resource"] == row)).sum())

    def map(self, name: str, kind: str) -> Outcome:
        outcome = self.call("Map", {"pResource": name, "MapType": f"D3D11_MAP_{kind}"})
        if outcome.succeeded:
            self.call("Unmap", {"pResource": name})
        return outcome


@pytest.mark.parametrize(
    ("adapter_id", "usage", "group"),
    [
        ("hd7970", "DEFAULT", "LOCAL"), ("hd7970", "IMMUTABLE", "LOCAL"), ("hd7970", "DYNAMIC", "NON_LOCAL"),
        ("hd7970", "STAGING", "NON_LOCAL"), ("hd4000", "DEFAULT", "LOCAL"), ("hd4000", "DYNAMIC", "LOCAL"),
        ("hd4000", "STAGING", "LOCAL"),
    ],
)  # fmt: skip
def test_that_the_usage_picks_the_memory(adapter_id: str, usage: str, group: str) -> None:
    rig = Rig(adapter_id)
    outcome = rig.buffer("B", usage, data=usage == "IMMUTABLE")
    assert outcome.succeeded
    assert rig.group_of("B") == group
    assert outcome.reasons[-1].source


def test_that_an_immutable_buffer_needs_its_data_and_never_changes() -> None:
    rig = Rig()
    assert rig.buffer("A", "IMMUTABLE").hr == "E_INVALIDARG"
    made = rig.buffer("B", "IMMUTABLE", data=True)
    assert [event.size_bytes for event in made.events if event.kind == "uploaded"] == [4096]
    assert not rig.call("UpdateSubresource", {"pDstResource": "B"}).succeeded


def test_that_discard_renames_only_while_the_gpu_reads_the_old_contents() -> None:
    rig = Rig()
    rig.buffer("B", "DYNAMIC")
    rig.map("B", "WRITE_DISCARD")
    assert rig.versions("B") == 1
    rig.call("Draw", {"references": ["B"]})
    renamed = rig.map("B", "WRITE_DISCARD")
    assert [event.kind for event in renamed.events if event.kind in ("renamed", "stalled")] == ["renamed"]
    assert rig.versions("B") == 2
    for _ in range(6):
        rig.call("Draw", {"references": ["B"]})
        rig.call("Present", {})
        rig.map("B", "WRITE_DISCARD")
    assert rig.versions("B") <= 3


def test_that_no_overwrite_appends_without_waiting_and_without_other_memory() -> None:
    rig = Rig()
    rig.buffer("B", "DYNAMIC")
    rig.map("B", "WRITE_DISCARD")
    rig.call("Draw", {"references": ["B"]})
    appended = rig.map("B", "WRITE_NO_OVERWRITE")
    assert not {"renamed", "stalled"} & {event.kind for event in appended.events}
    assert rig.versions("B") == 1


def test_that_reading_back_too_early_stalls_and_later_does_not() -> None:
    rig = Rig()
    rig.buffer("Target", "DEFAULT")
    rig.buffer("Back", "STAGING")
    rig.call("CopyResource", {"pDstResource": "Back", "pSrcResource": "Target"})
    early = rig.map("Back", "READ")
    assert "stalled" in {event.kind for event in early.events}
    rig.call("CopyResource", {"pDstResource": "Back", "pSrcResource": "Target"})
    for _ in range(2):
        rig.call("Present", {})
    late = rig.map("Back", "READ")
    assert "stalled" not in {event.kind for event in late.events}


def test_that_a_mapped_resource_cannot_be_mapped_again_nor_drawn() -> None:
    rig = Rig()
    rig.buffer("B", "DYNAMIC")
    rig.call("Map", {"pResource": "B", "MapType": "D3D11_MAP_WRITE_DISCARD"})
    assert not rig.call("Map", {"pResource": "B", "MapType": "D3D11_MAP_WRITE_DISCARD"}).succeeded
    assert not rig.call("Draw", {"references": ["B"]}).succeeded


def test_that_an_output_unbinds_the_same_subresource_as_input() -> None:
    rig = Rig()
    desc = {
        "Width": 64, "Height": 64, "MipLevels": 2, "ArraySize": 1, "Format": "DXGI_FORMAT_R8G8B8A8_UNORM",
        "SampleDesc": {"Count": 1}, "Usage": "D3D11_USAGE_DEFAULT",
        "BindFlags": ["D3D11_BIND_RENDER_TARGET", "D3D11_BIND_SHADER_RESOURCE"],
    }  # fmt: skip
    assert rig.call("CreateTexture2D", {"pDesc": desc}, "T").succeeded
    assert rig.call("CreateShaderResourceView", {"pResource": "T"}, "In").succeeded
    assert rig.call("CreateRenderTargetView", {"pResource": "T"}, "Out").succeeded
    outcome = rig.call("Draw", {"references": ["In"], "writes": ["Out"]})
    assert outcome.values["unbound"] == ("In",)
    assert "hazard" in {event.kind for event in outcome.events}


def test_that_a_whole_resource_is_not_input_and_output_at_once() -> None:
    rig = Rig()
    rig.buffer("B", "DEFAULT")
    rig.buffer("C", "DEFAULT")
    outcome = rig.call("Draw", {"references": ["B", "C"], "writes": ["B"]})
    assert outcome.values["unbound"] == ("B",)
    assert [event.rule for event in outcome.events if event.kind == "hazard"] == ["d3d11.U1.8"]
    assert not rig.call("Draw", {"references": ["C"], "writes": ["B"]}).values["unbound"]


def test_that_release_gives_back_every_version() -> None:
    rig = Rig()
    rig.buffer("B", "DYNAMIC")
    rig.call("Draw", {"references": ["B"]})
    rig.map("B", "WRITE_DISCARD")
    rig.call("Release", {"pObject": "B"})
    assert all(segment.held == 0 for segment in rig.state.segments)
    assert all(group.usage == 0 for group in rig.state.groups.values())


@pytest.mark.parametrize("adapter_id", ["xbox-one-x", "hd7970"])
def test_that_xg_names_describe_the_same_resources(adapter_id: str) -> None:
    rig = Rig(adapter_id, "xg")
    desc = {"ByteWidth": 4096, "Usage": "XG_USAGE_DYNAMIC", "BindFlags": ["XG_BIND_VERTEX_BUFFER"],
            "CPUAccessFlags": ["XG_CPU_ACCESS_WRITE"]}  # fmt: skip
    assert rig.call("CreateBuffer", {"pDesc": desc}, "B").succeeded


def test_that_the_same_calls_differ_by_class_exactly_in_memory() -> None:
    """DESIGN section 5: discrete, UMA and cache-coherent UMA, the same D3D12 calls."""
    names = ("rtx3060-laptop", "radeon680m", "uhd630")
    runs = {name: load_simulation("d3d12-upload-heaps-discrete", name) for name in names}
    rows: dict[str, tuple[int, int]] = {}
    for name, run in runs.items():
        run.step(3)
        usage = {group.group: group.usage_bytes for group in run.snapshot().groups}
        rows[name] = (usage["LOCAL"], usage.get("NON_LOCAL", 0))
    half = 28 * 33554432
    assert rows == {"rtx3060-laptop": (half, half), "radeon680m": (2 * half, 0), "uhd630": (2 * half, 0)}
    pages = {}
    for name, run in runs.items():
        answer = run.apply(CallRecord("d3d12", "GetCustomHeapProperties", {"heapType": "D3D12_HEAP_TYPE_UPLOAD"}))
        pages[name] = (answer.values["CPUPageProperty"], answer.values["MemoryPoolPreference"])
    assert pages == {
        "rtx3060-laptop": ("D3D12_CPU_PAGE_PROPERTY_WRITE_COMBINE", "D3D12_MEMORY_POOL_L0"),
        "radeon680m": ("D3D12_CPU_PAGE_PROPERTY_WRITE_COMBINE", "D3D12_MEMORY_POOL_L0"),
        "uhd630": ("D3D12_CPU_PAGE_PROPERTY_WRITE_BACK", "D3D12_MEMORY_POOL_L0"),
    }
