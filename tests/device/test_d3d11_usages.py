"""Usages: which memory, who may do what, and what it costs (CHECKLIST 1 to 20)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from explorer.core.calls import CallRecord, call_spec
from explorer.core.schema import keys_of
from explorer.device import cost
from explorer.sim.scenarios import load_simulation
from tests.sim.test_d3d11_device import Rig

if TYPE_CHECKING:
    from explorer.device.outcome import Outcome, Preview

USAGES = ("DEFAULT", "IMMUTABLE", "DYNAMIC", "STAGING")
MIB = 1 << 20


def buffer_desc(usage: str, size: int = 65536, api: str = "D3D11") -> dict[str, Any]:
    cpu = {"DYNAMIC": ["WRITE"], "STAGING": ["READ", "WRITE"]}.get(usage, [])
    return {
        "ByteWidth": size, "Usage": f"{api}_USAGE_{usage}",
        "BindFlags": [] if usage == "STAGING" else [f"{api}_BIND_VERTEX_BUFFER"],
        "CPUAccessFlags": [f"{api}_CPU_ACCESS_{one}" for one in cpu],
    }  # fmt: skip


def texture_desc(usage: str, *bind: str, **more: Any) -> dict[str, Any]:
    cpu = {"DYNAMIC": ["WRITE"], "STAGING": ["READ"]}.get(usage, [])
    return {
        "Width": 64, "Height": 64, "MipLevels": 1, "ArraySize": 1, "Format": "DXGI_FORMAT_R8G8B8A8_UNORM",
        "SampleDesc": {"Count": 1}, "Usage": f"D3D11_USAGE_{usage}",
        "BindFlags": [f"D3D11_BIND_{one}" for one in bind],
        "CPUAccessFlags": [f"D3D11_CPU_ACCESS_{one}" for one in cpu], **more,
    }  # fmt: skip


def preview(rig: Rig, usage: str) -> Preview:
    inputs = {"pDesc": buffer_desc(usage), "pInitialData": usage == "IMMUTABLE"}
    return rig.device.preview(CallRecord("d3d11", "CreateBuffer", inputs, "B"))


def texture(rig: Rig, name: str, usage: str, *bind: str, **more: Any) -> Outcome:
    data = usage == "IMMUTABLE"
    return rig.call("CreateTexture2D", {"pDesc": texture_desc(usage, *bind, **more), "pInitialData": data}, name)


def rules(outcome: Outcome, kind: str) -> list[str]:
    return [event.rule for event in outcome.events if event.kind == kind]


@pytest.mark.parametrize("call", ["CreateBuffer", "CreateTexture1D", "CreateTexture2D", "CreateTexture3D"])
@pytest.mark.parametrize("api", ["xg", "d3d11"])
def test_that_descriptions_have_a_usage_and_no_pool(api: str, call: str) -> None:
    spec = call_spec(api, call)
    hints = spec.input_type.__annotations__["pDesc"]
    import typing

    kind = typing.get_type_hints(spec.input_type)["pDesc"] if isinstance(hints, str) else hints
    keys = set(keys_of(kind))
    assert "Usage" in keys
    assert not {"Pool", "HeapType", "Type"} & keys


@pytest.mark.parametrize("usage", USAGES)
def test_that_the_pick_of_memory_is_shown_with_its_reason(usage: str) -> None:
    found = preview(Rig(), usage)
    assert found.verdict.succeeded
    assert found.segment
    assert usage in found.why
    assert found.verdict.reasons[-1].rule.startswith("d3d11.Q7.")
    assert {row.who for row in found.access} >= {"GPU", "CPU"}


def test_that_the_access_table_trades_cpu_against_gpu() -> None:
    rig = Rig()
    rows = {usage: {row.who: row for row in preview(rig, usage).access} for usage in USAGES}
    assert rows["DEFAULT"]["CPU"].read == rows["DEFAULT"]["CPU"].write == "no"
    assert rows["IMMUTABLE"]["GPU"].write == "no"
    assert "slow" in rows["DYNAMIC"]["CPU"].read
    assert rows["STAGING"]["CPU"].read == "fast"
    assert "copy" in rows["STAGING"]["GPU"].read
    assert rows["DEFAULT"]["GPU"].whole_ns < rows["DYNAMIC"]["GPU"].whole_ns


WC = {"hd7970": "very slow (write-combined)", "radeon680m": "slow (write-combined)",
      "uhd630": "cached, contents not promised"}  # fmt: skip
ACCESS = {
    "DEFAULT": ("fast", "fast", "no", "no"),
    "IMMUTABLE": ("fast", "no", "no", "no"),
    "DYNAMIC": (None, "no", WC, "fast"),
    "STAGING": ("copy only", "copy only", "fast", "fast"),
}
"""GPU read, GPU write, CPU read, CPU write; None: anything but no."""


@pytest.mark.parametrize("adapter_id", WC)
@pytest.mark.parametrize("bind", ["VERTEX_BUFFER", "CONSTANT_BUFFER"])
@pytest.mark.parametrize("usage", USAGES)
def test_that_the_chooser_shows_the_access_table(usage: str, bind: str, adapter_id: str) -> None:
    rig = Rig(adapter_id)
    desc = buffer_desc(usage)
    if usage != "STAGING":
        desc["BindFlags"] = [f"D3D11_BIND_{bind}"]
    inputs = {"pDesc": desc, "pInitialData": usage == "IMMUTABLE"}
    found = rig.device.preview(CallRecord("d3d11", "CreateBuffer", inputs, "B"))
    rows = {row.who: row for row in found.access}
    words = (rows["GPU"].read, rows["GPU"].write, rows["CPU"].read, rows["CPU"].write)
    for word, entry in zip(words, ACCESS[usage], strict=True):
        wanted = entry[adapter_id] if isinstance(entry, dict) else entry
        assert word == wanted if wanted else word not in ("no", "")


def test_that_dynamic_memory_favours_cpu_writes_and_hurts_cpu_reads() -> None:
    rig = Rig()
    written = next(row for row in preview(rig, "DYNAMIC").access if row.who == "CPU").whole_ns
    cached = next(row for row in preview(rig, "STAGING").access if row.who == "CPU").whole_ns
    assert cached <= written <= 4 * cached
    assert cost.cpu_ns(65536, "WC", reads=True) > 20 * written


@pytest.mark.parametrize("kind", ["READ", "WRITE", "READ_WRITE", "WRITE_DISCARD", "WRITE_NO_OVERWRITE"])
@pytest.mark.parametrize("usage", ["DEFAULT", "IMMUTABLE"])
def test_that_the_cpu_cannot_map_what_is_the_gpus(usage: str, kind: str) -> None:
    rig = Rig()
    rig.buffer("B", usage, data=usage == "IMMUTABLE")
    refused = rig.call("Map", {"pResource": "B", "MapType": f"D3D11_MAP_{kind}"})
    assert refused.hr == "E_INVALIDARG"
    assert all(reason.rule.startswith("d3d11.M4.2") for reason in refused.reasons)


def test_that_an_immutable_resource_is_filled_once() -> None:
    rig = Rig()
    rig.buffer("B", "IMMUTABLE", data=True)
    rig.buffer("S", "DEFAULT")
    assert not rig.call("UpdateSubresource", {"pDstResource": "B"}).succeeded
    assert not rig.call("CopyResource", {"pDstResource": "B", "pSrcResource": "S"}).succeeded


def test_that_staging_takes_part_in_copies_only() -> None:
    rig = Rig()
    rig.buffer("S", "STAGING")
    rig.buffer("D", "DEFAULT")
    for inputs in ({"references": ["S"]}, {"writes": ["S"]}):
        refused = rig.call("Draw", inputs)
        assert refused.reasons[0].rule == "d3d11.U1.7"
    assert rig.call("CopyResource", {"pDstResource": "S", "pSrcResource": "D"}).succeeded


@pytest.mark.parametrize("usage", ["DYNAMIC", "IMMUTABLE"])
def test_that_read_only_usages_are_no_output(usage: str) -> None:
    rig = Rig()
    rig.buffer("B", usage, data=usage == "IMMUTABLE")
    assert rig.call("Draw", {"references": ["B"]}).succeeded
    assert rig.call("Draw", {"writes": ["B"]}).reasons[0].rule == "d3d11.U1.6"


@pytest.mark.parametrize(
    ("bind", "more"),
    [(("DEPTH_STENCIL",), {"Format": "DXGI_FORMAT_D24_UNORM_S8_UINT"}), ((), {"SampleDesc": {"Count": 4}})],
)
def test_that_private_layouts_cannot_be_staging(bind: tuple[str, ...], more: dict[str, Any]) -> None:
    refused = texture(Rig(), "T", "STAGING", *bind, **more)
    assert refused.hr == "E_INVALIDARG"
    reason = next(reason for reason in refused.reasons if reason.rule == "d3d11.U1.7")
    assert "never a depth-stencil buffer or multisampled" in reason.text


@pytest.mark.parametrize("more", [{"MipLevels": 3}, {"ArraySize": 2}])
def test_that_a_dynamic_resource_has_one_subresource(more: dict[str, Any]) -> None:
    refused = texture(Rig(), "T", "DYNAMIC", "SHADER_RESOURCE", **more)
    assert "d3d11.U1.9" in {reason.rule for reason in refused.reasons}


def test_that_many_dynamic_resources_are_warned_of() -> None:
    rig = Rig()
    quiet = [rig.buffer(f"B{i}", "DYNAMIC", size=4 * MIB) for i in range(16)]
    assert not [rule for one in quiet for rule in rules(one, "hazard")]
    assert rules(rig.buffer("One more", "DYNAMIC", size=4 * MIB), "hazard") == ["device.dynamic-ring"]


def test_that_a_ring_that_is_full_makes_the_driver_wait() -> None:
    rig = Rig()
    for i in range(9):
        rig.buffer(f"B{i}", "DYNAMIC", size=16 * MIB)
    found: list[str] = []
    for _ in range(3):
        for i in range(9):
            rig.call("Draw", {"references": [f"B{i}"]})
            found += rules(rig.map(f"B{i}", "WRITE_DISCARD"), "stalled")
        rig.call("Present", {})
    assert "device.dynamic-ring" in found


def test_that_a_released_dynamic_resource_leaves_the_ring() -> None:
    rig = Rig()
    for i in range(40):
        made = rig.buffer(f"B{i}", "DYNAMIC", size=4 * MIB)
        assert not rules(made, "hazard")
        rig.call("Release", {"pObject": f"B{i}"})


@pytest.mark.parametrize("how", ["WRITE_DISCARD", "WRITE_NO_OVERWRITE"])
def test_that_reading_a_dynamic_resource_is_slow_and_may_be_stale(how: str) -> None:
    rig = Rig()
    rig.buffer("D", "DYNAMIC", size=MIB)
    rig.buffer("S", "STAGING", size=MIB)
    costs: dict[str, int] = {}
    for name, kind in (("D", how), ("S", "READ")):
        rig.call("Map", {"pResource": name, "MapType": f"D3D11_MAP_{kind}"})
        before = rig.state.times.cpu
        outcome = rig.call("Unmap", {"pResource": name, "read_bytes": MIB})
        costs[name] = rig.state.times.cpu - before
        stale = rules(outcome, "hazard")
        assert stale == (["device.stale-read"] if name == "D" else [])
        assert rules(outcome, "stalled") == (["device.wc-read"] if name == "D" else [])
    assert costs["D"] > 20 * costs["S"]


@pytest.mark.parametrize(("adapter_id", "combined"), [("hd7970", True), ("radeon680m", True), ("uhd630", False)])
def test_that_dynamic_memory_is_cached_where_caches_are_coherent(adapter_id: str, combined: bool) -> None:
    rig = Rig(adapter_id)
    rig.buffer("D", "DYNAMIC", size=MIB)
    before = rig.state.times.cpu
    rig.call("Map", {"pResource": "D", "MapType": "D3D11_MAP_WRITE_DISCARD"})
    written = rig.state.times.cpu - before
    outcome = rig.call("Unmap", {"pResource": "D", "read_bytes": MIB})
    assert ("device.wc-read" in rules(outcome, "stalled")) is combined
    read = rig.state.times.cpu - before - written
    assert (read > 10 * written) is combined


@pytest.mark.parametrize(("mip", "unbound"), [(0, ("In",)), (1, ())])
def test_that_input_and_output_need_different_subresources(mip: int, unbound: tuple[str, ...]) -> None:
    rig = Rig()
    assert texture(rig, "T", "DEFAULT", "RENDER_TARGET", "SHADER_RESOURCE", MipLevels=2).succeeded
    srv = {"ViewDimension": "D3D11_SRV_DIMENSION_TEXTURE2D", "Texture2D": {"MostDetailedMip": mip, "MipLevels": 1}}
    srv["Format"] = "DXGI_FORMAT_R8G8B8A8_UNORM"
    assert rig.call("CreateShaderResourceView", {"pResource": "T", "pDesc": srv}, "In").succeeded
    assert rig.call("CreateRenderTargetView", {"pResource": "T"}, "Out").succeeded
    outcome = rig.call("Draw", {"references": ["In"], "writes": ["Out"]})
    assert outcome.values["unbound"] == unbound
    assert bool(rules(outcome, "hazard")) == bool(unbound)


def test_that_residency_is_implicit_in_a_submission() -> None:
    rig = Rig("hd4000")
    rig.device.set_option("budget", "LOCAL=3MiB")
    for i in range(4):
        rig.buffer(f"B{i}", "DEFAULT", size=MIB)
        rig.call("Draw", {"references": [f"B{i}"]})
        rig.call("Present", {})
    assert rig.state.log.counts["paged_out"] > 0
    rig.device.set_option("budget", "LOCAL=64MiB")
    back = rig.call("Draw", {"references": [f"B{i}" for i in range(4)]})
    assert back.succeeded
    assert "paged_in" in {event.kind for event in back.events}
    assert all(bool(rig.state.heaps["resident"][row]) for row in rig.state.heaps)


def test_that_mips_and_resolves_are_gpu_work() -> None:
    rig = Rig()
    flags = {"MipLevels": 0, "MiscFlags": ["D3D11_RESOURCE_MISC_GENERATE_MIPS"]}
    assert texture(rig, "T", "DEFAULT", "RENDER_TARGET", "SHADER_RESOURCE", **flags).succeeded
    rig.call("CreateShaderResourceView", {"pResource": "T"}, "View")
    before = rig.state.times.gpu
    assert rig.call("GenerateMips", {"pShaderResourceView": "View"}).succeeded
    assert rig.state.times.gpu > before
    assert texture(rig, "Samples", "DEFAULT", "RENDER_TARGET", SampleDesc={"Count": 4}).succeeded
    assert texture(rig, "Plain", "DEFAULT", "RENDER_TARGET").succeeded
    inputs = {"pDstResource": "Plain", "pSrcResource": "Samples", "Format": "DXGI_FORMAT_R8G8B8A8_UNORM"}
    assert rig.call("ResolveSubresource", inputs).succeeded
    assert rig.call("Flush", {}).succeeded


def test_that_the_chooser_shows_all_usages_and_refuses_two() -> None:
    simulation = load_simulation("xg-usage-chooser")
    simulation.step(4)
    snapshot = simulation.snapshot()
    assert {f"XG_USAGE_{usage}" for usage in USAGES} == set(snapshot.resources.places)
    simulation.step(2)
    refused = [event for event in simulation.snapshot().events if event.kind == "refused"]
    assert {event.subject for event in refused} == {"Staging depth", "Dynamic chain"}
    simulation.step(300)
    assert simulation.snapshot().event_counts["hazard"] == 1


def test_that_read_back_waits_only_when_it_is_too_early() -> None:
    simulation = load_simulation("d3d11-staging-readback")
    counts: list[int] = []
    for _ in range(2):
        simulation.step(200)
        counts.append(simulation.snapshot().event_counts["stalled"])
    assert counts[0] == 0
    assert counts[1] > 60
    simulation.step(200)
    assert simulation.snapshot().event_counts["hazard"] == 100


def test_that_the_ring_scenario_warns_and_then_waits() -> None:
    simulation = load_simulation("d3d11-dynamic-ring")
    simulation.step(149)
    assert simulation.snapshot().event_counts["stalled"] == 0
    simulation.step(200)
    middle = simulation.snapshot().event_counts
    assert middle["hazard"] > 150
    assert middle["stalled"] == 0
    simulation.step(100)
    assert simulation.snapshot().event_counts["stalled"] > 20
