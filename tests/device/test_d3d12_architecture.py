"""UMA, coherence, heap types, budgets, nodes and adapters (CHECKLIST 38 to 65)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from explorer.core.d3d12_enums import CpuPageProperty, HeapType, MemoryPool
from explorer.core.d3d12_structs import HeapProperties
from explorer.device import d3d12_zero_copy
from explorer.device.d3d12_zero_copy import Use
from explorer.errors import CommandError
from explorer.sim.scenarios import load_simulation
from explorer.tables.adapters import adapter, adapter_ids
from tests.sim.test_d3d12_device import MIB, Rig, buffer

if TYPE_CHECKING:
    from explorer.device.outcome import Outcome

DISCRETE, UMA, COHERENT = "rtx3060-laptop", "radeon680m", "uhd630"


def custom(rig: Rig, name: str, page: str, pool: str, width: int = 65536) -> Outcome:
    properties = {
        "Type": "D3D12_HEAP_TYPE_CUSTOM", "CPUPageProperty": f"D3D12_CPU_PAGE_PROPERTY_{page}",
        "MemoryPoolPreference": f"D3D12_MEMORY_POOL_{pool}",
    }  # fmt: skip
    return rig.call("CreateCommittedResource", {"pHeapProperties": properties, "pDesc": buffer(width)}, name)


def write(rig: Rig, name: str, size: int = 65536) -> int:
    before = rig.state.times.cpu
    assert rig.call("Unmap", {"pResource": name, "pWrittenRange": {"Begin": 0, "End": size}}).succeeded
    return rig.state.times.cpu - before


def read(rig: Rig, name: str, size: int = 65536) -> tuple[int, Outcome]:
    before = rig.state.times.cpu
    outcome = rig.call("Map", {"pResource": name, "pReadRange": {"Begin": 0, "End": size}})
    return rig.state.times.cpu - before, outcome


def memory(rig: Rig, group: str = "LOCAL", node: int = 0) -> Outcome:
    return rig.call("QueryVideoMemoryInfo", {"NodeIndex": node, "MemorySegmentGroup": group})


@pytest.mark.parametrize("feature", ["ARCHITECTURE", "ARCHITECTURE1"])
@pytest.mark.parametrize(
    ("adapter_id", "tiled", "uma", "coherent"),
    [
        (DISCRETE, False, False, False), (UMA, False, True, False), (COHERENT, False, True, True),
        ("warp", False, True, True), ("adreno-690", True, True, True),
    ],
)  # fmt: skip
def test_that_both_architecture_queries_answer(
    feature: str, adapter_id: str, tiled: bool, uma: bool, coherent: bool
) -> None:
    own = adapter(adapter_id).d3d12
    assert own is not None
    answer = Rig(adapter_id).call("CheckFeatureSupport", {"Feature": f"D3D12_FEATURE_{feature}", "NodeIndex": 0})
    assert (answer.values["TileBasedRenderer"], answer.values["UMA"]) == (tiled, uma)
    assert answer.values["CacheCoherentUMA"] == own.CacheCoherentUMA
    assert adapter_id == "adreno-690" or own.CacheCoherentUMA == coherent
    assert answer.values.get("IsolatedMMU") == (own.IsolatedMMU if feature.endswith("1") else None)


@pytest.mark.parametrize(
    ("adapter_id", "call", "bits"),
    [
        ("warp", "CreateReservedResource", 32), ("warp", "CreateCommittedResource", 47),
        ("rtx5090", "CreateReservedResource", 40), ("rtx5090", "CreateCommittedResource", 44),
    ],
)  # fmt: skip
def test_that_address_bits_bound_reserved_buffers_by_resource_and_others_by_process(
    adapter_id: str, call: str, bits: int
) -> None:
    rig = Rig(adapter_id)
    support = rig.call("CheckFeatureSupport", {"Feature": "D3D12_FEATURE_GPU_VIRTUAL_ADDRESS_SUPPORT"}).values
    assert bits in support.values()
    heap = {} if "Reserved" in call else {"pHeapProperties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"}}
    beyond = rig.call(call, {**heap, "pDesc": buffer((1 << bits) + 1)}, "Beyond")
    assert (beyond.hr, beyond.reasons[0].rule) == ("E_INVALIDARG", "d3d12.3.19e")
    whole = rig.call(call, {**heap, "pDesc": buffer(1 << bits)}, "Whole")
    assert whole.hr == ("S_OK" if "Reserved" in call else "E_OUTOFMEMORY")


def test_that_a_committed_buffer_of_warp_may_pass_4_gib() -> None:
    assert Rig("warp").committed("B", 8 << 30).succeeded


@pytest.mark.parametrize(("adapter_id", "nodes"), [(DISCRETE, 1), ("linked-gtx1080x2", 2)])
def test_that_the_node_index_is_an_input(adapter_id: str, nodes: int) -> None:
    rig = Rig(adapter_id)
    for node in range(3):
        asked = rig.call("CheckFeatureSupport", {"Feature": "D3D12_FEATURE_ARCHITECTURE1", "NodeIndex": node})
        assert asked.succeeded == (node < nodes)
        assert memory(rig, node=node).succeeded == (node < nodes)


def test_that_each_node_has_a_budget_of_its_own() -> None:
    rig = Rig("linked-gtx1080x2")
    properties = {"Type": "D3D12_HEAP_TYPE_DEFAULT", "CreationNodeMask": 2, "VisibleNodeMask": 2}
    rig.call("CreateCommittedResource", {"pHeapProperties": properties, "pDesc": buffer(MIB)}, "Far")
    assert memory(rig, node=0).values["CurrentUsage"] == 0
    assert memory(rig, node=1).values["CurrentUsage"] == MIB
    assert rig.call("ExecuteCommandLists", {"references": ["Far"], "NodeMask": 2}).succeeded
    hidden = rig.call("ExecuteCommandLists", {"references": ["Far"], "NodeMask": 1})
    assert [event.rule for event in hidden.events if event.kind == "hazard"] == ["kernel.not-visible"]


def test_that_another_nodes_memory_is_read_over_the_bus() -> None:
    rig = Rig("linked-gtx1080x2")
    properties = {"Type": "D3D12_HEAP_TYPE_DEFAULT", "CreationNodeMask": 1, "VisibleNodeMask": 3}
    rig.call("CreateCommittedResource", {"pHeapProperties": properties, "pDesc": buffer(64 * MIB)}, "Shared")
    times: list[int] = []
    for mask in (1, 2):
        before = rig.state.times.gpu
        rig.call("ExecuteCommandLists", {"references": ["Shared"], "NodeMask": mask})
        times.append(rig.state.times.gpu - before)
    assert times[1] > 10 * times[0]


def test_that_a_descriptor_heap_lies_on_its_node() -> None:
    rig = Rig("linked-gtx1080x2")
    desc = {
        "Type": "D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV", "NumDescriptors": 4096, "NodeMask": 2,
        "Flags": ["D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE"],
    }  # fmt: skip
    assert rig.call("CreateDescriptorHeap", {"pDescriptorHeapDesc": desc}, "Views").succeeded
    assert memory(rig, node=1).values["CurrentUsage"] == 4096 * 32


def test_that_two_budgets_or_one_tell_the_architecture() -> None:
    budgets = {name: memory(Rig(name), "NON_LOCAL").values["Budget"] for name in (DISCRETE, UMA, COHERENT)}
    assert budgets[DISCRETE] != 0
    assert budgets[UMA] == budgets[COHERENT] == 0


@pytest.mark.parametrize("adapter_id", [DISCRETE, UMA, COHERENT, "warp"])
def test_that_the_local_group_tells_its_budget_and_what_counts_to_it(adapter_id: str) -> None:
    rig = Rig(adapter_id)
    own = next(one for one in adapter(adapter_id).budgets if one.group == "LOCAL")
    rig.heap("H", MIB)
    rig.heap("U", 2 * MIB, "UPLOAD")
    answer = memory(rig).values
    assert own.budget_bytes
    assert answer["Budget"] == own.budget_bytes
    assert answer["CurrentUsage"] == (MIB if adapter_id == DISCRETE else 3 * MIB)
    other = memory(rig, "NON_LOCAL").values
    assert other["CurrentUsage"] == (2 * MIB if adapter_id == DISCRETE else 0)
    assert bool(other["Budget"]) == (adapter_id == DISCRETE)


def test_that_residency_is_the_applications_own_job() -> None:
    rig = Rig()
    rig.heap("H", MIB)
    rig.call("Evict", {"ppObjects": ["H"]})
    assert rig.call("ExecuteCommandLists", {"references": ["H"]}).hr == "DXGI_ERROR_DEVICE_REMOVED"


def test_that_uma_alone_gives_the_cpu_no_access() -> None:
    rig = Rig(UMA)
    rig.committed("B", 65536)
    refused = rig.call("Map", {"pResource": "B"})
    assert refused.reasons[0].rule == "d3d12.3.17a"
    rig.committed("U", 65536, "UPLOAD")
    assert rig.call("Map", {"pResource": "U"}).succeeded


@pytest.mark.parametrize(
    ("adapter_id", "rows"),
    [
        (DISCRETE, {"DEFAULT": ("NOT_AVAILABLE", "L1"), "UPLOAD": ("WRITE_COMBINE", "L0"),
                    "READBACK": ("WRITE_BACK", "L0")}),
        (UMA, {"DEFAULT": ("NOT_AVAILABLE", "L0"), "UPLOAD": ("WRITE_COMBINE", "L0"),
               "READBACK": ("WRITE_BACK", "L0")}),
        (COHERENT, {"DEFAULT": ("NOT_AVAILABLE", "L0"), "UPLOAD": ("WRITE_BACK", "L0"),
                    "READBACK": ("WRITE_BACK", "L0")}),
    ],
)  # fmt: skip
def test_that_heap_types_map_to_cache_properties(adapter_id: str, rows: dict[str, tuple[str, str]]) -> None:
    rig = Rig(adapter_id)
    for heap_type, (page, pool) in rows.items():
        answer = rig.call("GetCustomHeapProperties", {"heapType": f"D3D12_HEAP_TYPE_{heap_type}"})
        assert answer.values["CPUPageProperty"] == f"D3D12_CPU_PAGE_PROPERTY_{page}"
        assert answer.values["MemoryPoolPreference"] == f"D3D12_MEMORY_POOL_{pool}"


def test_that_upload_writes_cost_what_the_page_property_says() -> None:
    costs: dict[str, int] = {}
    for name in (UMA, COHERENT):
        rig = Rig(name)
        rig.committed("U", MIB, "UPLOAD")
        costs[name] = write(rig, "U", MIB)
    assert costs[UMA] > costs[COHERENT]


def test_that_write_combining_hurts_where_caches_are_coherent() -> None:
    rig = Rig(COHERENT)
    custom(rig, "WB", "WRITE_BACK", "L0", MIB)
    custom(rig, "WC", "WRITE_COMBINE", "L0", MIB)
    assert write(rig, "WC", MIB) > write(rig, "WB", MIB)
    outcome = rig.call("Unmap", {"pResource": "WC", "pWrittenRange": {"Begin": 0, "End": 8}})
    assert "device.coherent-wc" in {event.rule for event in outcome.events}
    assert read(rig, "WC", MIB)[0] > 10 * read(rig, "WB", MIB)[0]


def test_that_reading_back_from_an_upload_heap_is_slow_where_it_is_write_combined() -> None:
    found: dict[str, set[str]] = {}
    for name in (DISCRETE, COHERENT):
        rig = Rig(name)
        rig.committed("U", MIB, "UPLOAD")
        found[name] = {event.rule for event in read(rig, "U", MIB)[1].events}
    assert found == {DISCRETE: {"device.wc-read"}, COHERENT: set()}


@pytest.mark.parametrize(("adapter_id", "needless"), [(DISCRETE, False), (UMA, True), (COHERENT, True)])
def test_that_a_copy_between_heap_types_is_called_needless_on_uma(adapter_id: str, needless: bool) -> None:
    rig = Rig(adapter_id)
    rig.committed("U", 65536, "UPLOAD")
    rig.committed("D", 65536)
    outcome = rig.call("CopyBufferRegion", {"pDstResource": "D", "pSrcResource": "U", "NumBytes": 4096})
    assert [event.size_bytes for event in outcome.events if event.kind == "uploaded"] == [4096]
    assert ("device.needless-copy" in {event.rule for event in outcome.events}) == needless


def test_that_upload_heaps_as_large_as_textures_double_what_fits() -> None:
    """The same calls on a discrete card: one budget watched, then two."""
    simulation = load_simulation("d3d12-one-budget-and-two")
    simulation.step(300)
    simple = simulation.snapshot()
    assert simple.event_counts["evicted"] > 20
    simulation.step(300)
    both = simulation.snapshot()
    late = [event for event in both.events if event.kind == "evicted" and event.frame >= 320]
    assert not late
    local, other = both.groups[0], both.groups[1]
    assert local.budget_bytes is not None
    assert local.usage_bytes + other.usage_bytes > local.budget_bytes > local.usage_bytes


@pytest.mark.parametrize(("adapter_id", "suggests"), [(DISCRETE, False), (UMA, False), (COHERENT, True)])
def test_that_one_custom_heap_is_suggested_where_caches_are_coherent(adapter_id: str, suggests: bool) -> None:
    rig = Rig(adapter_id)
    found = d3d12_zero_copy.suggested_heap(rig.device)
    if not suggests:
        assert found is None
        return
    assert found is not None
    assert rig.call("CreateCommittedResource", {"pHeapProperties": found, "pDesc": buffer(65536)}, "B").succeeded
    assert rig.call("Map", {"pResource": "B"}).succeeded


WRITE_BACK = HeapProperties(HeapType.CUSTOM, CpuPageProperty.WRITE_BACK, MemoryPool.L0)
WRITE_COMBINE = HeapProperties(HeapType.CUSTOM, CpuPageProperty.WRITE_COMBINE, MemoryPool.L0)


@pytest.mark.parametrize(
    ("adapter_id", "use", "heap", "pays"),
    [
        (COHERENT, Use(MIB), WRITE_BACK, True),
        (DISCRETE, Use(MIB), WRITE_COMBINE, False),
        (UMA, Use(MIB, gpu_reads=1), WRITE_COMBINE, True),
        (UMA, Use(MIB, gpu_reads=40), WRITE_COMBINE, False),
        (COHERENT, Use(MIB, cpu_reads=4), WRITE_COMBINE, False),
        (UMA, Use(MIB, cpu_reads=4), WRITE_COMBINE, False),
        (UMA, Use(MIB, cpu_reads=4), WRITE_BACK, True),
        (COHERENT, Use(MIB, cpu_writes=0), WRITE_BACK, False),
        (UMA, Use(MIB, is_scattered=True), WRITE_COMBINE, True),
    ],
)
def test_that_frequency_size_and_locality_decide_about_zero_copy(
    adapter_id: str, use: Use, heap: HeapProperties, pays: bool
) -> None:
    found = d3d12_zero_copy.estimate(Rig(adapter_id).device, use, heap)
    assert found.pays is pays
    assert found.reasons
    assert found.in_place_ns > 0


def test_that_scattered_writes_cost_more_where_they_are_combined() -> None:
    device: Any = Rig(UMA).device
    ordered = d3d12_zero_copy.estimate(device, Use(MIB), WRITE_COMBINE)
    scattered = d3d12_zero_copy.estimate(device, Use(MIB, is_scattered=True), WRITE_COMBINE)
    assert scattered.in_place_ns > 4 * ordered.in_place_ns


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({}, "changed"),
        ({"zero_copy_deny": "1002:1681"}, "hazard"),
        ({"zero_copy_allow": "8086:3e92"}, "hazard"),
        ({"zero_copy_allow": "8086:3e92, 1002:1681"}, "changed"),
    ],
)
def test_that_lists_of_devices_decide_about_zero_copy(options: dict[str, str], kind: str) -> None:
    rig = Rig(UMA, **options)
    rig.committed("U", 65536, "UPLOAD")
    outcome = rig.call("ExecuteCommandLists", {"references": ["U"]})
    assert [event.kind for event in outcome.events if event.rule == "device.zero-copy"] == [kind]
    again = rig.call("ExecuteCommandLists", {"references": ["U"]})
    assert not [event for event in again.events if event.rule == "device.zero-copy"]


def test_that_a_list_of_nonsense_is_refused() -> None:
    with pytest.raises(CommandError, match="hexadecimal"):
        Rig(UMA, zero_copy_deny="intel")


@pytest.mark.parametrize(("adapter_id", "group"), [(DISCRETE, "NON_LOCAL"), (UMA, "LOCAL")])
def test_that_cross_adapter_memory_is_always_system_memory(adapter_id: str, group: str) -> None:
    rig = Rig(adapter_id)
    assert rig.heap("Shared", MIB, flags=("SHARED", "SHARED_CROSS_ADAPTER")).succeeded
    assert rig.usage(group) == MIB
    refused = rig.placed("B", "Shared", 65536)
    assert refused.reasons[0].rule == "d3d12.2.7d"


def test_that_a_gpu_upload_heap_is_written_without_a_copy() -> None:
    rig = Rig("rtx4090")
    rig.committed("G", MIB, "GPU_UPLOAD")
    assert rig.usage("LOCAL") == MIB
    outcome = rig.call("Unmap", {"pResource": "G", "pWrittenRange": {"Begin": 0, "End": MIB}})
    assert [event.size_bytes for event in outcome.events if event.kind == "uploaded"] == [MIB]


def test_that_a_gpu_upload_heap_over_the_budget_falls_back_to_system_memory() -> None:
    rig = Rig("rtx4090")
    rig.device.set_option("budget", "LOCAL=1MiB")
    made = rig.committed("G", 2 * MIB, "GPU_UPLOAD")
    assert made.succeeded
    assert "kernel.upload-fallback" in {event.rule for event in made.events if event.kind == "misplaced"}
    assert (rig.usage("LOCAL"), rig.usage("NON_LOCAL")) == (0, 2 * MIB)


@pytest.mark.parametrize(("adapter_id", "fast"), [("gtx970", 3758096384), ("xbox-series-x", 10737418240)])
def test_that_what_comes_last_lands_in_the_slow_segment(adapter_id: str, fast: int) -> None:
    rig = Rig(adapter_id)
    assert rig.heap("First", fast).succeeded
    last = rig.committed("Last", 16 * MIB)
    assert [event.rule for event in last.events if event.kind == "misplaced"] == ["kernel.slow-segment"]
    fields = rig.state.segments
    row = rig.state.heaps["segment"][rig.device.heap_of(rig.state.objects["Last"][1])]
    assert fields[int(row)].bandwidth < max(one.bandwidth for one in fields if one.group == "LOCAL")


@pytest.mark.parametrize("adapter_id", [name for name in adapter_ids() if adapter(name).d3d12 is not None])
def test_that_every_adapter_serves_the_heap_types(adapter_id: str) -> None:
    rig = Rig(adapter_id)
    for heap_type in ("DEFAULT", "UPLOAD", "READBACK"):
        assert rig.committed(heap_type, 65536, heap_type).succeeded, heap_type
    uploads = rig.committed("GPU_UPLOAD", 65536, "GPU_UPLOAD")
    caps = adapter(adapter_id).d3d12
    assert caps is not None
    assert uploads.succeeded == caps.GPUUploadHeapSupported
    assert rig.call("ExecuteCommandLists", {"references": ["DEFAULT", "UPLOAD", "READBACK"]}).succeeded
