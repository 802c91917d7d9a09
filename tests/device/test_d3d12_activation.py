"""Placed resources that share bytes, and targets that hold nothing yet (rules 3.18)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.sim.test_d3d12_device import MIB, Rig

if TYPE_CHECKING:
    from explorer.device.outcome import Outcome

RT, DS = "ALLOW_RENDER_TARGET", "ALLOW_DEPTH_STENCIL"


def place(rig: Rig, name: str, flag: str | None = RT, offset: int = 0, heap: str = "Heap") -> None:
    depth = flag == DS
    desc: dict[str, Any] = {
        "Dimension": "D3D12_RESOURCE_DIMENSION_TEXTURE2D", "Width": 256, "Height": 256,
        "Format": "DXGI_FORMAT_D32_FLOAT" if depth else "DXGI_FORMAT_R8G8B8A8_UNORM",
        "Flags": [f"D3D12_RESOURCE_FLAG_{flag}"] if flag else [],
    }  # fmt: skip
    inputs = {"pHeap": heap, "HeapOffset": offset, "pDesc": desc}
    assert rig.call("CreatePlacedResource", inputs, name).succeeded, name


def make() -> Rig:
    rig = Rig()
    rig.heap("Heap", 16 * MIB, flags=())
    for kind in ("RTV", "DSV"):
        desc = {"Type": f"D3D12_DESCRIPTOR_HEAP_TYPE_{kind}", "NumDescriptors": 4}
        rig.call("CreateDescriptorHeap", {"pDescriptorHeapDesc": desc}, kind)
    rig.call("CreateCommandList", {}, "List")
    return rig


def on(rig: Rig, call: str, **inputs: Any) -> Outcome:
    return rig.call(call, {"pCommandList": "List", **inputs})


def run(rig: Rig) -> list[str]:
    on(rig, "Close")
    outcome = rig.call("ExecuteCommandLists", {"ppCommandLists": ["List"]})
    on(rig, "Reset")
    return hazards(outcome)


def hazards(outcome: Outcome) -> list[str]:
    return [event.rule for event in outcome.events if event.kind == "hazard"]


def use(rig: Rig, *reads: str, writes: tuple[str, ...] = ()) -> list[str]:
    return hazards(rig.call("ExecuteCommandLists", {"references": list(reads), "writes": list(writes)}))


def activate(rig: Rig, name: str) -> None:
    barrier = {"Type": "D3D12_RESOURCE_BARRIER_TYPE_ALIASING", "Aliasing": {"pResourceAfter": name}}
    rig.call("ResourceBarrier", {"pBarriers": [barrier]})


@pytest.mark.parametrize(("flag", "found"), [(RT, ["d3d12.3.18d"]), (DS, ["d3d12.3.18d"]), (None, [])])
def test_that_a_placed_target_holds_nothing_at_first(flag: str | None, found: list[str]) -> None:
    rig = make()
    place(rig, "T", flag)
    assert use(rig, "T") == found


def test_that_a_committed_target_is_ready_at_once() -> None:
    rig = Rig()
    desc = {
        "Dimension": "D3D12_RESOURCE_DIMENSION_TEXTURE2D", "Width": 64, "Height": 64,
        "Format": "DXGI_FORMAT_R8G8B8A8_UNORM", "Flags": [f"D3D12_RESOURCE_FLAG_{RT}"],
    }  # fmt: skip
    rig.call("CreateCommittedResource", {"pHeapProperties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"}, "pDesc": desc}, "T")
    assert use(rig, "T") == []


@pytest.mark.parametrize("how", ["clear", "discard", "copy", "write"])
@pytest.mark.parametrize("flag", [RT, DS])
def test_that_a_clear_a_discard_or_a_full_copy_makes_a_target_ready(how: str, flag: str) -> None:
    rig = make()
    place(rig, "T", flag)
    place(rig, "Source", None, 8 * MIB)
    if how == "clear":
        kind, view = ("DSV", "DepthStencilView") if flag == DS else ("RTV", "RenderTargetView")
        rig.call(f"Create{view}", {"DestDescriptor": {"heap": kind, "index": 2}, "pResource": "T"})
        assert on(rig, f"Clear{view}", **{view: {"heap": kind, "index": 2}}).succeeded
        assert run(rig) == []
    elif how == "discard":
        assert on(rig, "DiscardResource", pResource="T").succeeded
        assert run(rig) == []
    elif how == "copy":
        copied = rig.call("CopyResource", {"pDstResource": "T", "pSrcResource": "Source"})
        assert hazards(copied) == []
    else:
        assert use(rig, writes=("T",)) == []
    assert use(rig, "T") == []


def test_that_drawing_into_a_target_makes_nothing_ready() -> None:
    rig = make()
    place(rig, "T")
    rig.call("CreateRenderTargetView", {"DestDescriptor": {"heap": "RTV"}, "pResource": "T"})
    on(rig, "OMSetRenderTargets", pRenderTargetDescriptors=[{"heap": "RTV"}])
    assert run(rig) == ["d3d12.3.18d"]


def test_that_a_recorded_clear_makes_ready_when_it_runs() -> None:
    rig = make()
    place(rig, "T")
    rig.call("CreateRenderTargetView", {"DestDescriptor": {"heap": "RTV"}, "pResource": "T"})
    on(rig, "ClearRenderTargetView", RenderTargetView={"heap": "RTV"})
    assert use(rig, "T") == ["d3d12.3.18d"]
    run(rig)
    assert use(rig, "T") == []


@pytest.mark.parametrize(
    ("call", "view", "heap", "rule"),
    [
        ("ClearRenderTargetView", "RenderTargetView", {"heap": "DSV"}, "d3d12.7.10a"),
        ("ClearDepthStencilView", "DepthStencilView", {"heap": "RTV"}, "d3d12.7.10a"),
        ("ClearRenderTargetView", "RenderTargetView", {"heap": "RTV", "index": 4}, "d3d12.7.10b"),
    ],
)
def test_that_a_clear_takes_a_view_of_its_kind(call: str, view: str, heap: dict[str, Any], rule: str) -> None:
    assert on(make(), call, **{view: heap}).reasons[0].rule == rule


def test_that_an_aliasing_barrier_gives_the_bytes_and_no_content() -> None:
    rig = make()
    place(rig, "First")
    place(rig, "Second")
    assert use(rig, writes=("First",)) == []
    assert use(rig, writes=("Second",)) == ["d3d12.3.18d"], "no barrier gave it the bytes"
    activate(rig, "Second")
    assert use(rig, "Second") == ["d3d12.3.18d"], "it owns the bytes and holds nothing"
    assert use(rig, writes=("Second",)) == []
    assert use(rig, "Second") == []
    assert use(rig, "First") == ["d3d12.3.18d"], "the other one lost them"
    activate(rig, "First")
    assert use(rig, "First") == ["d3d12.3.18d"], "and has to be written again"


def test_that_a_checkpoint_remembers_what_holds_nothing() -> None:
    rig = make()
    place(rig, "T")
    kept: Any = rig.device.copy()
    use(rig, writes=("T",))
    other = Rig.__new__(Rig)
    other.state, other.device = kept.state, kept
    assert use(other, "T") == ["d3d12.3.18d"]
    assert use(rig, "T") == []
