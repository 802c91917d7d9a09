"""What the D3D12 scenarios show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from explorer.core.kinds import BlockState
from explorer.sim.scenarios import load_scenario, load_simulation, make_simulation, scenario_ids

if TYPE_CHECKING:
    from explorer.core.columns import DescriptorHeapPicture
    from explorer.sim.snapshot import Snapshot

OWN = tuple(name for name in scenario_ids() if name.startswith(("d3d12-", "d3d11-", "xg-")))


def heap(snapshot: Snapshot, name: str) -> DescriptorHeapPicture:
    return next(one for one in snapshot.descriptor_heaps if one.name == name)


def rules(snapshot: Snapshot) -> set[str]:
    return {event.rule for event in snapshot.events}


@pytest.mark.parametrize("name", OWN)
def test_that_a_scenario_teaches_and_tours_and_names_its_figures(name: str) -> None:
    scenario = load_scenario(name)
    assert scenario.teaches.endswith(".")
    assert "igures" in scenario.text
    assert all(group.source for group in scenario.objects)
    assert len(scenario.tour) >= 1 if name in ("d3d12-bindless-staging-descriptors",) else scenario.tour
    assert max(step.frame for step in scenario.tour) <= scenario.frames


def test_that_streaming_maps_and_unmaps_and_moves_no_byte() -> None:
    simulation = load_simulation("d3d12-streaming-reserved-resources")
    simulation.step(10)
    early = simulation.snapshot()
    simulation.step(390)
    late = simulation.snapshot()
    assert late.moved == early.moved
    assert early.segments[0].used_bytes < late.segments[0].used_bytes <= 256 << 20
    assert not late.blocks.state.__and__(int(BlockState.ALIASED)).any()
    simulation.step(2)
    shared = simulation.snapshot()
    assert shared.totals.aliased_bytes == 4 * 65536
    assert late.event_counts["refused"] == 0


def test_that_linked_nodes_draw_from_their_own_memory() -> None:
    simulation = load_simulation("d3d12-linked-nodes")
    simulation.step(310)
    snapshot = simulation.snapshot()
    usage = {group.node: group.usage_bytes for group in snapshot.groups if group.group == "LOCAL"}
    assert usage[0] > 2 << 30
    assert usage[1] > 2 << 30
    assert snapshot.event_counts["hazard"] == 1
    assert {"kernel.cross-node", "kernel.not-visible"} <= rules(snapshot)


def test_that_a_hybrid_laptop_shares_system_memory() -> None:
    usage = {}
    for adapter_id in ("rtx3060-laptop", "radeon680m"):
        simulation = load_simulation("d3d12-hybrid-laptop", adapter_id)
        simulation.step(5)
        groups = {group.group: group.usage_bytes for group in simulation.snapshot().groups}
        usage[adapter_id] = groups.get("NON_LOCAL", 0)
    assert usage == {"rtx3060-laptop": 64 << 20, "radeon680m": 0}


def test_that_the_second_level_of_a_console_is_misplaced() -> None:
    simulation = load_simulation("d3d12-console-two-speeds")
    simulation.step(199)
    assert simulation.snapshot().event_counts["misplaced"] == 0
    simulation.step(30)
    assert simulation.snapshot().event_counts["misplaced"] > 4


def test_that_one_slot_serves_four_targets_and_a_table_does_not_forgive() -> None:
    simulation = load_simulation("d3d12-rtv-slot-reuse")
    simulation.step(200)
    first = simulation.snapshot()
    assert first.event_counts["hazard"] == 0
    used = {first.resources.names[i] for i in np.flatnonzero(first.resources.used_frame == 199).tolist()}
    assert {f"Target {i}" for i in range(4)} <= used
    assert len(heap(first, "RTV").kind) == 1
    simulation.step(200)
    second = simulation.snapshot().event_counts["hazard"]
    assert second >= 199
    simulation.step(200)
    assert simulation.snapshot().event_counts["hazard"] <= second + 3


def test_that_a_million_descriptors_fill_by_copies() -> None:
    simulation = load_simulation("d3d12-bindless-million")
    simulation.step(100)
    picture = heap(simulation.snapshot(), "Bindless (visible)")
    assert len(picture.kind) == 1_000_000
    assert (picture.kind != 0).sum() > 30_000
    size = next(one for one in simulation.snapshot().groups if one.group == "LOCAL").usage_bytes
    assert size > 32_000_000


def test_that_a_ring_that_is_too_small_refuses_copies() -> None:
    simulation = load_simulation("d3d12-descriptor-ring")
    simulation.step(299)
    assert simulation.snapshot().event_counts["refused"] == 0
    simulation.step(100)
    snapshot = simulation.snapshot()
    assert snapshot.event_counts["refused"] > 40
    assert snapshot.event_counts["hazard"] == 0


def test_that_gpu_upload_halves_what_is_held() -> None:
    simulation = load_simulation("d3d12-gpu-upload-heaps")
    simulation.step(240)
    both = {group.group: group.usage_bytes for group in simulation.snapshot().groups}
    simulation.step(60)
    one = {group.group: group.usage_bytes for group in simulation.snapshot().groups}
    assert both["NON_LOCAL"] - one["NON_LOCAL"] == 7 * (128 << 20)
    simulation.step(160)
    assert "kernel.upload-fallback" in {e.rule for e in simulation.snapshot().events if e.kind == "misplaced"}


def test_that_zero_copy_copies_nothing_and_write_combining_costs() -> None:
    simulation = load_simulation("d3d12-uma-coherent-zero-copy")
    marks: list[tuple[int, int]] = []
    for _ in range(3):
        before = simulation.snapshot()
        simulation.step(200)
        after = simulation.snapshot()
        copies = after.event_counts["uploaded"] - before.event_counts["uploaded"]
        marks.append((copies, after.times.cpu_ns - before.times.cpu_ns))
    assert marks[0][0] == 200
    assert {"device.needless-copy", "device.zero-copy", "device.coherent-wc"} <= rules(simulation.snapshot())
    assert marks[2][1] > marks[1][1]


def test_that_warp_has_one_memory_for_everything() -> None:
    simulation = load_simulation("d3d12-warp")
    simulation.step(10)
    snapshot = simulation.snapshot()
    used = [segment.name for segment in snapshot.segments if segment.used_bytes]
    assert len(used) == 1
    assert heap(snapshot, "Samplers").increment == 64


@pytest.mark.parametrize("name", ["d3d12-streaming-reserved-resources", "d3d12-linked-nodes", "d3d12-rtv-slot-reuse"])
@pytest.mark.parametrize("budget", ["0", "1", "64MiB"])
def test_that_a_budget_of_nonsense_ends_in_events_and_no_crash(name: str, budget: str) -> None:
    simulation = make_simulation(load_scenario(name), budget=budget)
    simulation.step(30)
    snapshot = simulation.snapshot()
    assert snapshot.event_counts["over_budget"] > 0
    assert snapshot.provenance.frame == 30


def test_that_make_resident_holds_a_frame_up_and_a_call_ahead_does_not() -> None:
    simulation = load_simulation("d3d12-make-resident-ahead")
    took: list[int] = []
    for _ in range(420):
        before = simulation.snapshot().time_ns
        simulation.step(1)
        took.append(simulation.snapshot().time_ns - before)
    needed, ahead, neighbour = took[5], took[213], took[214]
    assert needed > neighbour + 500_000
    assert ahead == neighbour
    assert simulation.snapshot().event_counts["hazard"] == 0
    simulation.step(1)
    lost = simulation.snapshot()
    assert lost.event_counts["device_removed"] == 1
    assert "d3d12.8.3d" in rules(lost)
