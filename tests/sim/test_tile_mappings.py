"""Tile mappings in snapshots: what a picture says of every tile is what the device holds."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.columns import HEAP_GONE, NO_HEAP, NO_TILES
from explorer.errors import InputError
from explorer.interchange.snapshot_decode import read_snapshot
from explorer.interchange.snapshot_encode import snapshot_bytes
from explorer.sim.picture import PictureMaker
from explorer.sim.scenarios import load_simulation
from explorer.sim.snapshot import Provenance
from explorer.tables.locations import resources_folder
from tests.device.test_d3d12_tiles import TILE, map_tiles, reserve, rig_with, tiled, unmap
from tests.interchange.snapshots import assert_equal

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot
    from tests.sim.test_d3d12_device import Rig

SCHEMA = json.loads((resources_folder() / "schemas/snapshot.json").read_text(encoding="utf-8"))
REUSE = "D3D12_TILE_RANGE_FLAG_REUSE_SINGLE_TILE"


def picture(rig: Rig, maker: PictureMaker | None = None) -> Snapshot:
    frame = rig.state.log.frame
    return (maker or PictureMaker()).make(rig.device, Provenance(frame=frame), None)


def expanded(snapshot: Snapshot, name: str) -> dict[int, tuple[str, int, int]]:
    """Return tile → (heap name or word, heap tile, event) of a resource."""
    found: dict[int, tuple[str, int, int]] = {}
    tiles = snapshot.tiles
    words = {NO_HEAP: "none", HEAP_GONE: "gone"}
    for row in np.flatnonzero(tiles.resource == snapshot.resources.names.index(name)).tolist():
        heap = int(tiles.heap[row])
        for at in range(int(tiles.count[row])):
            tile = int(tiles.first[row]) + at
            assert tile not in found
            behind = int(tiles.tile[row]) + at * int(tiles.step[row])
            found[tile] = (words.get(heap) or snapshot.heaps.names[heap], behind, int(tiles.event[row]))
    return found


def test_that_a_call_is_one_run_with_its_event_and_frame() -> None:
    rig = rig_with()
    rig.call("Present", {})
    outcome = map_tiles(rig, 4, 6, pHeapRangeStartOffsets=[8])
    tiles = picture(rig).tiles
    assert (len(tiles), tiles.first.tolist(), tiles.count.tolist(), tiles.tile.tolist()) == (1, [4], [6], [8])
    assert (tiles.step.tolist(), tiles.frame.tolist()) == ([1], [1])
    assert tiles.event.tolist() == [outcome.events[-1].number]
    assert "put memory behind 6 tiles and took it from 0" in outcome.events[-1].text


def test_that_a_reused_tile_is_one_run_however_many_tiles_show_it() -> None:
    rig = rig_with()
    map_tiles(rig, 0, 8, pRangeFlags=[REUSE], pHeapRangeStartOffsets=[5])
    tiles = picture(rig).tiles
    assert (tiles.count.tolist(), tiles.tile.tolist(), tiles.step.tolist()) == ([8], [5], [0])


def test_that_a_range_that_goes_on_from_a_repeated_tile_keeps_it() -> None:
    rig = rig_with()
    flags = [REUSE, "D3D12_TILE_RANGE_FLAG_NONE", REUSE]
    map_tiles(rig, 0, 9, NumRanges=3, pRangeFlags=flags, pHeapRangeStartOffsets=[5, 5, 7], pRangeTileCounts=[3, 3, 3])
    assert [behind for _, behind, _ in expanded(picture(rig), "R").values()] == [5, 5, 5, 5, 6, 7, 7, 7, 7]
    tiles = picture(rig).tiles
    runs = list(zip(tiles.count.tolist(), tiles.tile.tolist(), tiles.step.tolist(), strict=True))
    assert runs == [(3, 5, 0), (3, 5, 1), (3, 7, 0)]


def test_that_a_tile_that_was_unmapped_says_by_which_call() -> None:
    rig = rig_with()
    map_tiles(rig, 0, 4)
    outcome = unmap(rig, 1, 2)
    found = expanded(picture(rig), "R")
    assert {tile for tile, (heap, _, _) in found.items() if heap == "none"} == {1, 2}
    assert found[1][2] == outcome.events[-1].number


def test_that_tiles_of_a_released_heap_are_told_as_gone() -> None:
    rig = rig_with()
    map_tiles(rig, 2, 3)
    outcome = rig.call("Release", {"pObject": "Pool"})
    snapshot = picture(rig)
    assert {heap for heap, _, _ in expanded(snapshot, "R").values()} == {"gone"}
    lost = next(event for event in outcome.events if event.rule == "device.dangling-tile")
    assert (lost.subject, lost.segment, lost.size_bytes) == ("R", "Pool", 3 * TILE)
    assert snapshot.tiles.event.tolist() == [lost.number]


def test_that_copied_mappings_carry_the_event_of_the_copy() -> None:
    rig = rig_with()
    reserve(rig, "S", 16)
    map_tiles(rig, 0, 4, "S")
    at = {"Subresource": 0}
    outcome = rig.call("CopyTileMappings", {
        "pDstResource": "R", "pDstRegionStartCoordinate": {**at, "X": 8}, "pSrcResource": "S",
        "pSrcRegionStartCoordinate": at, "pRegionSize": {"NumTiles": 4},
    })  # fmt: skip
    found = expanded(picture(rig), "R")
    assert [found[tile][1] for tile in range(8, 12)] == [0, 1, 2, 3]
    assert {event for _, _, event in found.values()} == {outcome.events[-1].number}
    assert outcome.events[-1].rule == "d3d12.6.6g"


CALLS = st.lists(
    st.tuples(
        st.integers(0, 15), st.integers(1, 8), st.sampled_from(("map", "unmap", "fix", "reuse", "copy", "drop")),
        st.integers(0, 24),
    ),
    max_size=16,
)  # fmt: skip


@given(CALLS)
@settings(deadline=None, max_examples=60)
def test_that_runs_say_of_every_tile_what_the_device_holds_and_files_keep_it(calls: list[Any]) -> None:
    rig = rig_with()
    reserve(rig, "S", 16)
    rig.heap("Second", 32 * TILE)
    for index, (first, count, how, at) in enumerate(calls):
        name, count = "RS"[index % 2], min(count, 16 - first)
        heap = "Second" if at % 3 == 0 and "Second" in rig.state.objects else "Pool"
        if how == "unmap":
            unmap(rig, first, count, name)
        elif how == "drop" and "Second" in rig.state.objects:
            rig.call("Release", {"pObject": "Second"})
        elif how == "copy":
            inputs = {
                "pDstResource": name, "pDstRegionStartCoordinate": {"X": first}, "pSrcResource": "RS"[at % 2],
                "pSrcRegionStartCoordinate": {"X": min(at, 16 - count)}, "pRegionSize": {"NumTiles": count},
            }  # fmt: skip
            rig.call("CopyTileMappings", inputs)
        else:
            more = {"pHeapRangeStartOffsets": [at]} if how in ("fix", "reuse") else {}
            map_tiles(rig, first, count, name, heap, **more, **({"pRangeFlags": [REUSE]} if how == "reuse" else {}))
        rig.call("Present", {})
    snapshot = picture(rig)
    for name in "RS":
        found, one = expanded(snapshot, name), tiled(rig, name)
        heaps = {NO_HEAP: "none", HEAP_GONE: "gone", **rig.state.heap_names}
        told = {tile: (heap, behind) for tile, (heap, behind, _) in found.items()}
        for tile in range(16):
            assert told.get(tile, ("none", 0)) == (heaps[int(one.heap[tile])], int(one.tile[tile]))
    data = snapshot_bytes(snapshot)
    assert_equal(snapshot, read_snapshot(data, "x"))
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(data))


def test_that_columns_are_made_anew_only_after_a_change() -> None:
    rig, maker = rig_with(), PictureMaker()
    map_tiles(rig, 0, 4)
    first = picture(rig, maker).tiles
    rig.call("Present", {})
    assert picture(rig, maker).tiles is first
    kept = rig.device.copy()
    map_tiles(rig, 0, 4, pHeapRangeStartOffsets=[0])
    second = picture(rig, maker).tiles
    assert second is not first
    assert second.event.tolist() > first.event.tolist()
    assert maker.make(kept, Provenance(), None).tiles is first


def test_that_a_copy_shares_the_mapping_until_one_of_the_two_writes() -> None:
    rig = rig_with()
    map_tiles(rig, 0, 4)
    kept = rig.device.copy()
    row = rig.state.objects["R"][1]
    assert kept.tiled[row].heap is tiled(rig).heap
    rig.call("Release", {"pObject": "Pool"})
    assert kept.tiled[row].heap[:4].min() >= 0
    assert tiled(rig).heap[:4].tolist() == [HEAP_GONE] * 4
    assert kept.tiled[row].runs != tiled(rig).runs


def test_that_going_back_and_forth_ends_in_the_same_mappings() -> None:
    simulation = load_simulation("d3d12-streaming-reserved-resources")
    simulation.step(470)
    straight = simulation.snapshot()
    assert {HEAP_GONE, NO_HEAP} < set(straight.tiles.heap.tolist())
    for frame in (40, 431, 9, 470):
        simulation.seek(frame)
    assert snapshot_bytes(simulation.snapshot()) == snapshot_bytes(straight)


def test_that_a_hundred_thousand_tiles_of_two_calls_are_two_rows() -> None:
    rig = rig_with(pool=50_000)
    assert reserve(rig, "Big", 100_000).succeeded
    for first in (0, 50_000):
        assert map_tiles(rig, first, 50_000, "Big", pHeapRangeStartOffsets=[0]).succeeded
    snapshot = picture(rig)
    assert snapshot.tiles.count.tolist() == [50_000, 50_000]
    assert len(snapshot_bytes(dataclasses.replace(snapshot, adapter=None))) < 20_000


def test_that_a_snapshot_without_reserved_resources_or_of_an_older_file_has_no_tiles() -> None:
    snapshot = load_simulation("d3d9-shooter-2003-agp-64mb").snapshot()
    assert snapshot.tiles is NO_TILES
    older = json.loads(snapshot_bytes(snapshot))
    older.pop("tiles")
    assert read_snapshot(json.dumps(older).encode(), "old.json").tiles is NO_TILES


@pytest.mark.parametrize(
    ("column", "value", "where"),
    [
        ("resource", 99, "tiles.resource[0]"),
        ("heap", -3, "tiles.heap[0]"),
        ("heap", 99, "tiles.heap[0]"),
        ("count", 0, "tiles.count[0]"),
        ("count", 17, "tiles.first[0]"),
        ("count", 5, "tiles.first[1]"),
        ("first", -1, "tiles.first[0]"),
        ("tile", 30, "tiles.tile[0]"),
        ("tile", -1, "tiles.tile[0]"),
        ("step", 2, "tiles.step[0]"),
    ],
)
def test_that_mappings_that_no_device_makes_are_refused_by_their_column(column: str, value: int, where: str) -> None:
    rig = rig_with()
    map_tiles(rig, 0, 4)
    map_tiles(rig, 4, 4, pHeapRangeStartOffsets=[20])
    document = json.loads(snapshot_bytes(picture(rig)))
    document["tiles"][column][0] = value
    with pytest.raises(InputError) as caught:
        read_snapshot(json.dumps(document).encode(), "x.json")
    assert caught.value.complaint.where == where
