"""Reserved resources: address space, tile mappings, the tile pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.calls import CallRecord
from explorer.core.kinds import BlockState
from explorer.errors import InputError
from explorer.memory.allocators.protocol import REFUSAL_RULES
from explorer.sim.sums import sum_bytes
from tests.sim.test_d3d12_device import MIB, Rig

if TYPE_CHECKING:
    from explorer.device.d3d12 import D3D12Device
    from explorer.device.d3d12_tiles import TiledResource
    from explorer.device.outcome import Outcome

TILE = 65536
BUFFER = {"Dimension": "D3D12_RESOURCE_DIMENSION_BUFFER", "Layout": "D3D12_TEXTURE_LAYOUT_ROW_MAJOR"}


def rig_with(tiles: int = 16, pool: int = 32, **options: str) -> Rig:
    rig = Rig(**options)
    assert rig.heap("Pool", pool * TILE).succeeded
    assert reserve(rig, "R", tiles).succeeded
    return rig


def reserve(rig: Rig, name: str, tiles: int) -> Outcome:
    return rig.call("CreateReservedResource", {"pDesc": {**BUFFER, "Width": tiles * TILE}}, name)


def tiled(rig: Rig, name: str = "R") -> TiledResource:
    device: D3D12Device = rig.device
    return device.tiled[rig.state.objects[name][1]]


def map_tiles(rig: Rig, first: int, count: int, name: str = "R", heap: str | None = "Pool", **more: Any) -> Outcome:
    inputs: dict[str, Any] = {
        "pResource": name, "NumResourceRegions": 1, "pResourceRegionStartCoordinates": [{"X": first}],
        "pResourceRegionSizes": [{"NumTiles": count}], **more,
    }  # fmt: skip
    if heap is not None:
        inputs["pHeap"] = heap
    return rig.call("UpdateTileMappings", inputs)


def unmap(rig: Rig, first: int, count: int, name: str = "R") -> Outcome:
    return map_tiles(rig, first, count, name, None, pRangeFlags=["D3D12_TILE_RANGE_FLAG_NULL"])


def used(rig: Rig) -> int:
    return sum(sum_bytes(rig.state).used)


def test_that_a_reserved_resource_has_address_space_and_no_memory() -> None:
    rig = rig_with()
    assert rig.usage() == 32 * TILE
    assert used(rig) == 0
    assert tiled(rig).mapped_tiles == 0
    assert not rig.state.resources["resident"][rig.state.objects["R"][1]]


def test_that_the_pool_gives_the_lowest_free_tiles_and_takes_them_back() -> None:
    rig = rig_with()
    map_tiles(rig, 0, 4)
    map_tiles(rig, 8, 2)
    assert tiled(rig).tile[[0, 1, 2, 3, 8, 9]].tolist() == [0, 1, 2, 3, 4, 5]
    unmap(rig, 1, 2)
    map_tiles(rig, 10, 3)
    assert tiled(rig).tile[[10, 11, 12]].tolist() == [1, 2, 6]
    assert used(rig) == 7 * TILE


def test_that_tiles_of_a_pool_that_is_full_are_refused_with_the_figures() -> None:
    rig = rig_with(tiles=16, pool=4)
    map_tiles(rig, 0, 3)
    outcome = map_tiles(rig, 8, 2)
    assert outcome.hr == "E_OUTOFMEMORY"
    assert outcome.values["requested_bytes"] == 2 * TILE
    assert outcome.values["free_bytes"] == TILE
    assert next(event.rule for event in outcome.events if event.kind == "refused") in REFUSAL_RULES
    assert tiled(rig).mapped_tiles == 3


def test_that_two_resources_on_one_tile_are_marked_and_counted_once() -> None:
    rig = rig_with()
    reserve(rig, "S", 4)
    map_tiles(rig, 0, 4)
    map_tiles(rig, 0, 2, "S", pHeapRangeStartOffsets=[2])
    assert used(rig) == 4 * TILE
    assert rig.marks("R") & BlockState.ALIASED
    assert rig.marks("S") & BlockState.ALIASED
    unmap(rig, 0, 2, "S")
    assert not rig.marks("R") & BlockState.ALIASED


def test_that_copied_mappings_share_memory_and_move_no_byte() -> None:
    rig = rig_with()
    map_tiles(rig, 0, 2)
    copied = rig.call("CopyTileMappings", {
        "pDstResource": "R", "pDstRegionStartCoordinate": {"X": 4}, "pSrcResource": "R",
        "pSrcRegionStartCoordinate": {"X": 0}, "pRegionSize": {"NumTiles": 2},
    })  # fmt: skip
    assert copied.succeeded
    assert tiled(rig).tile[[4, 5]].tolist() == tiled(rig).tile[[0, 1]].tolist()
    assert used(rig) == 2 * TILE
    assert not {"uploaded", "paged_in", "demoted"} & {event.kind for event in copied.events}


def test_that_one_tile_may_stand_behind_many() -> None:
    rig = rig_with()
    map_tiles(rig, 0, 8, pRangeFlags=["D3D12_TILE_RANGE_FLAG_REUSE_SINGLE_TILE"], pHeapRangeStartOffsets=[5])
    assert set(tiled(rig).tile[:8].tolist()) == {5}
    assert used(rig) == TILE


def test_that_release_gives_the_tiles_back() -> None:
    rig = rig_with()
    map_tiles(rig, 0, 9)
    rig.call("Release", {"pObject": "R"})
    assert used(rig) == 0
    rig.call("Release", {"pObject": "Pool"})
    assert all(segment.held == 0 for segment in rig.state.segments)


def test_that_use_of_a_tile_whose_heap_is_gone_removes_the_device() -> None:
    rig = rig_with()
    map_tiles(rig, 0, 2)
    rig.call("Release", {"pObject": "Pool"})
    outcome = rig.call("ExecuteCommandLists", {"references": ["R"]})
    assert outcome.hr == "DXGI_ERROR_DEVICE_REMOVED"
    assert "hazard" in {event.kind for event in outcome.events}


def test_that_an_evicted_tile_pool_removes_the_device_on_use() -> None:
    rig = rig_with()
    map_tiles(rig, 0, 2)
    rig.call("Evict", {"ppObjects": ["Pool"]})
    assert rig.call("ExecuteCommandLists", {"references": ["R"]}).hr == "DXGI_ERROR_DEVICE_REMOVED"


def test_that_an_unmapped_tile_is_a_hazard_on_tier_1_only() -> None:
    hazards: dict[str, set[str]] = {}
    for tier in ("1", "2"):
        rig = rig_with(tiled_resources_tier=tier)
        map_tiles(rig, 0, 2)
        outcome = rig.call("ExecuteCommandLists", {"references": ["R"]})
        assert outcome.succeeded
        hazards[tier] = {event.rule for event in outcome.events if event.kind == "hazard"}
    assert hazards == {"1": {"device.null-tile"}, "2": set()}


def test_that_a_reserved_resource_is_not_mapped_nor_evicted_by_itself() -> None:
    rig = rig_with()
    assert rig.call("Map", {"pResource": "R"}).reasons[0].rule == "d3d12.3.15g"
    with pytest.raises(InputError, match="act on its heaps"):
        rig.call("Evict", {"ppObjects": ["R"]})


def test_that_tilings_are_told_of_live_resources() -> None:
    rig = Rig()
    desc = {
        "Dimension": "D3D12_RESOURCE_DIMENSION_TEXTURE2D", "Width": 1024, "Height": 1024, "MipLevels": 0,
        "Format": "DXGI_FORMAT_R8G8B8A8_UNORM", "Layout": "D3D12_TEXTURE_LAYOUT_64KB_UNDEFINED_SWIZZLE",
    }  # fmt: skip
    assert rig.call("CreateReservedResource", {"pDesc": desc}, "T").succeeded
    answer = rig.call("GetResourceTiling", {"pTiledResource": "T"})
    assert answer.values["pPackedMipDesc"]["NumStandardMips"] == 4
    assert answer.values["pNumTilesForEntireResource"] == 64 + 16 + 4 + 1 + 1


def test_that_placed_resources_keep_clear_of_mapped_tiles() -> None:
    rig = rig_with(pool=8)
    map_tiles(rig, 0, 3)
    rig.placed("P", "Pool", 2 * TILE)
    assert rig.offset_of("P") == 3 * TILE
    assert not rig.marks("P") & BlockState.ALIASED
    map_tiles(rig, 8, 2)
    assert tiled(rig).tile[[8, 9]].tolist() == [5, 6]


RANGES = st.tuples(st.integers(0, 15), st.integers(1, 8), st.sampled_from(("map", "unmap", "fix")), st.integers(0, 24))


@given(st.lists(RANGES, max_size=24))
@settings(deadline=None, max_examples=60)
def test_that_mapped_bytes_are_counted_once_whatever_is_mapped(calls: list[tuple[int, int, str, int]]) -> None:
    rig = rig_with()
    reserve(rig, "S", 16)
    for index, (first, count, how, at) in enumerate(calls):
        name, count = "RS"[index % 2], min(count, 16 - first)
        if how == "unmap":
            unmap(rig, first, count, name)
        else:
            more = {"pHeapRangeStartOffsets": [at]} if how == "fix" else {}
            map_tiles(rig, first, count, name, **more)
    behind: set[int] = set()
    for name in "RS":
        one = tiled(rig, name)
        behind |= set(one.tile[one.heap >= 0].tolist())
    assert used(rig) == len(behind) * TILE
    blocks = rig.state.blocks
    rows = np.flatnonzero(blocks.live)
    for row in rows.tolist():
        start, end = int(blocks["offset"][row]), int(blocks["offset"][row] + blocks["size"][row])
        others = [r for r in rows.tolist() if r != row]
        shares = any(blocks["offset"][r] < end and start < blocks["offset"][r] + blocks["size"][r] for r in others)
        assert shares == bool(blocks["state"][row] & int(BlockState.ALIASED))
    for name in "RS":
        rig.call("Release", {"pObject": name})
    assert used(rig) == 0


def test_that_a_preview_tells_the_tiles_and_changes_nothing() -> None:
    rig = Rig()
    record = CallRecord("d3d12", "CreateReservedResource", {"pDesc": {**BUFFER, "Width": 9 * TILE}}, "R")
    found = rig.device.preview(record)
    assert found.verdict.succeeded
    assert "9 tiles" in found.why
    assert "R" not in rig.state.objects
    committed = {"pHeapProperties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"}, "pDesc": {**BUFFER, "Width": 65536}}
    newer = rig.device.preview(CallRecord("d3d12", "CreateCommittedResource3", committed, "C"))
    assert newer.ghost is not None


@pytest.mark.parametrize("version", ["", "1", "2"])
def test_that_every_form_of_creation_is_simulated(version: str) -> None:
    rig = Rig()
    rig.heap("H", 4 * MIB)
    desc = {**BUFFER, "Width": 65536}
    assert rig.call(f"CreateReservedResource{version}", {"pDesc": desc}, "R").succeeded
    assert rig.call(f"CreatePlacedResource{version}", {"pHeap": "H", "pDesc": desc}, "P").succeeded
    properties = {"pHeapProperties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"}, "pDesc": desc}
    newest = "3" if version == "2" else version
    assert rig.call(f"CreateCommittedResource{newest}", properties, "C").succeeded
    assert rig.call("ExecuteCommandLists", {"references": ["R", "P", "C"]}).succeeded


def test_that_a_checkpoint_keeps_its_own_mapping() -> None:
    rig = rig_with()
    map_tiles(rig, 0, 2)
    kept = rig.device.copy()
    map_tiles(rig, 4, 4)
    row = rig.state.objects["R"][1]
    assert kept.tiled[row].mapped_tiles == 2
    assert tiled(rig).mapped_tiles == 6
    assert rig.usage() == 32 * TILE < 4 * MIB
