"""What the window says after a switch of adapters."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import TYPE_CHECKING

import pytest

from explorer.core.units import format_bytes
from explorer.sim.adapter_change import describe_change
from explorer.sim.scenarios import load_simulation
from explorer.tables.adapters import adapter, duplicate

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot

D3D12, D3D11, D3D9 = "d3d12-upload-heaps-discrete", "d3d11-game-hd7970", "d3d9-shooter-2003-agp-64mb"


@cache
def _start(scenario: str, on: str | None = None, frames: int = 0) -> Snapshot:
    simulation = load_simulation(scenario, on)
    simulation.step(frames)
    return simulation.snapshot()


def _topics(lines: tuple[str, ...]) -> list[str]:
    return [line.split(":")[0] for line in lines]


def test_that_the_same_adapter_changes_nothing() -> None:
    assert describe_change(_start(D3D12), _start(D3D12)) == ()


def test_that_a_uma_adapter_instead_of_a_discrete_one_changes_class_heaps_sizes_and_places() -> None:
    lines = describe_change(_start(D3D12), _start(D3D12, "radeon680m"))
    assert lines[0] == (
        "Memory class: UMA (one memory for CPU and GPU), not cache-coherent instead of discrete on PCIe."
    )
    topics = _topics(lines)
    for topic in ("LOCAL segments", "NON_LOCAL segments", "LOCAL budget", "Heap properties", "Placement"):
        assert topic in topics
    heaps = next(line for line in lines if line.startswith("Heap properties"))
    assert "DEFAULT NOT_AVAILABLE in L0 instead of NOT_AVAILABLE in L1" in heaps
    assert "UPLOAD" not in heaps
    place = next(line for line in lines if line.startswith("Placement"))
    assert "lie in LOCAL instead of NON_LOCAL" in place


def test_that_cache_coherence_alone_shows_in_the_class_and_in_the_upload_and_readback_heaps() -> None:
    plain = adapter("radeon680m")
    assert plain.d3d12 is not None
    coherent = duplicate(plain, "coherent", d3d12=dataclasses.replace(plain.d3d12, CacheCoherentUMA=True))
    after = load_simulation(D3D12, coherent).snapshot()
    lines = describe_change(_start(D3D12, "radeon680m"), after)
    assert _topics(lines) == ["Memory class", "Heap properties"]
    assert "UPLOAD WRITE_BACK in L0 instead of WRITE_COMBINE in L0" in lines[1]


def test_that_segments_and_budgets_say_both_figures() -> None:
    before, after = _start(D3D11), _start(D3D11, "rtx3080")
    lines = describe_change(before, after)
    figures = [format_bytes(s.groups[0].budget_bytes or 0, 2) for s in (after, before)]
    assert f"LOCAL budget: {figures[0]} instead of {figures[1]}." in lines
    sizes = [format_bytes(s.segments[0].size_bytes, 2) for s in (after, before)]
    assert f"LOCAL segments: {sizes[0]} instead of {sizes[1]}." in lines
    assert "Memory class" not in _topics(lines)


def test_that_the_age_of_an_adapter_shows_in_placement_of_segments_and_the_runtime() -> None:
    lines = describe_change(_start(D3D9), _start(D3D9, "hd7970"))
    assert any("paged instead of contiguous" in line for line in lines)
    assert "Option windows: win7 instead of xp." in lines
    assert "Size model" not in _topics(lines)


def test_that_a_linked_adapter_adds_the_segments_of_its_second_node() -> None:
    lines = describe_change(_start("d3d12-budget-drop"), _start("d3d12-budget-drop", "linked-gtx1080x2"))
    assert any(line.startswith("LOCAL of node 1 segments") and line.endswith("there were none.") for line in lines)


@pytest.mark.parametrize("other", ["radeon680m", "rtx3080", "warp", "arc-a770"])
def test_that_going_back_names_the_same_topics(other: str) -> None:
    there = describe_change(_start(D3D12), _start(D3D12, other))
    back = describe_change(_start(D3D12, other), _start(D3D12))
    # Two groups that both lie elsewhere may change places in the list.
    assert sorted(set(_topics(there))) == sorted(set(_topics(back)))


def test_that_resources_of_unlike_frames_are_said_to_be_so() -> None:
    lines = describe_change(_start(D3D12, None, 3), _start(D3D12, "radeon680m"))
    assert "Resources are compared in frame 0 with frame 3." in lines
    assert not any("frame" in line for line in describe_change(_start(D3D12), _start(D3D12, "radeon680m")))
