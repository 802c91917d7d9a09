"""Where one resource lies on the map: master, device copy, page-file copy, and its slots in descriptor heaps."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest

from explorer.core.kinds import BlockState
from explorer.render.copies import MOST_SLOT_RUNS, Copy, copies_of
from explorer.render.lanes import MapScene, build_scene
from explorer.sim.scenarios import load_simulation


@functools.cache
def _scene(scenario: str, frames: int) -> MapScene:
    simulation = load_simulation(scenario)
    simulation.step(frames)
    return build_scene(simulation.snapshot(), None)


def _segment_of(scene: MapScene, copy: Copy) -> str:
    lane = next(lane for lane in scene.lanes if lane.base <= copy.first < lane.end)
    return scene.snapshot.segments[lane.segment].group


def test_that_a_managed_resource_lies_in_video_memory_and_in_system_memory() -> None:
    scene = _scene("d3d9-thrash", 10)
    blocks = scene.snapshot.blocks
    twice = np.flatnonzero(np.bincount(blocks.resource[blocks.resource >= 0]) == 2)
    assert len(twice)
    for resource in twice.tolist():
        copies = copies_of(scene, resource)
        assert [(copy.what, _segment_of(scene, copy)) for copy in copies] == [
            ("device copy", "LOCAL"), ("master copy", "SYSTEM"),
        ]  # fmt: skip


def test_that_an_evicted_managed_resource_has_its_master_only() -> None:
    scene = _scene("d3d9-thrash", 10)
    resident = scene.snapshot.resources.resident
    masters = scene.snapshot.blocks.state & BlockState.MASTER_COPY
    gone = next(int(r) for r in scene.snapshot.blocks.resource[masters != 0] if not resident[r])
    assert [copy.what for copy in copies_of(scene, gone)] == ["master copy"]


def test_that_a_master_in_the_page_file_is_called_so() -> None:
    simulation = load_simulation("d3d9-thrash")
    simulation.step(5)
    simulation.set_option("focus", "lost")
    scene = build_scene(simulation.snapshot(), None)
    words = {
        copy.what: _segment_of(scene, copy)
        for resource in range(len(scene.snapshot.resources))
        for copy in copies_of(scene, resource)
    }
    assert words["page-file copy"] == "PAGE_FILE"


@pytest.mark.parametrize("name", ["Texture 0003", "Texture 0005"])
def test_that_the_slots_of_a_resource_lie_in_the_blocks_of_their_heaps(name: str) -> None:
    scene = _scene("d3d12-bindless-staging-descriptors", 5)
    names = scene.snapshot.resources.names
    slots = [copy for copy in copies_of(scene, names.index(name)) if copy.is_slots]
    heaps = [heap for heap in scene.snapshot.descriptor_heaps if (heap.resource == names.index(name)).any()]
    assert len(heaps) >= 2, "staged and visible"
    told = sum(len(np.flatnonzero(heap.resource == names.index(name))) for heap in heaps)
    assert sum((copy.end - copy.first) // heaps[0].increment for copy in slots) == told
    for copy in slots:
        homes = [copies_of(scene, names.index(heap.name))[0] for heap in heaps]
        assert any(home.first <= copy.first < copy.end <= home.end for home in homes)
        assert copy.what.startswith("slot")


def test_that_of_very_many_slots_the_first_are_shown() -> None:
    snapshot = _scene("d3d12-bindless-staging-descriptors", 5).snapshot
    resource = snapshot.resources.names.index("Texture 0003")
    heap = max(snapshot.descriptor_heaps, key=lambda one: len(one.resource))
    # Every second slot: no two of them are neighbours.
    views = np.where(np.arange(len(heap.resource)) % 2, np.int32(resource), np.int32(-1))
    crowded = replace(snapshot, descriptor_heaps=(replace(heap, resource=views),))
    slots = [copy for copy in copies_of(build_scene(crowded, None), resource) if copy.is_slots]
    assert [copy.what for copy in slots[:2]] == ["slot 1", "slot 3"]
    assert len(slots) == MOST_SLOT_RUNS


def test_that_what_is_not_there_lies_nowhere() -> None:
    scene = _scene("d3d9-thrash", 10)
    assert copies_of(scene, len(scene.snapshot.resources)) == ()
