"""States of tiles, tile pools and would-be tilings, against what is found by going through every tile."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.calls import CallRecord
from explorer.core.tiles import PACKED_TILE, TILE_BYTES, TileShape, buffer_tiling
from explorer.rules.d3d12_allocation import tiling_of
from explorer.sim import tile_map
from explorer.sim.picture import PictureMaker
from explorer.sim.scenarios import load_simulation
from explorer.sim.tile_map import PoolState, TileMap, TileState
from explorer.sim.tile_steps import event_rule, event_text, texel_range, tile_arithmetic
from explorer.sim.tilings import shape_text, tiled_of, tiling_text
from tests.device.test_d3d12_tiles import TILE, map_tiles, reserve, rig_with, unmap
from tests.rules.test_d3d12_tiled_tiers import ARRAY, BUFFER, FLAT, VOLUME
from tests.sim.test_tile_mappings import REUSE, expanded, picture

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot

TILES = np.arange(16)


def index(snapshot: Snapshot, name: str) -> int:
    return snapshot.resources.names.index(name)


def shown(snapshot: Snapshot, heap: str) -> Counter[int]:
    """Return heap tile → how many tiles and placed resources show it, tile by tile."""
    found: Counter[int] = Counter()
    for name in ("R", "S"):
        for where, tile, _ in expanded(snapshot, name).values():
            found[tile] += where == heap
    blocks, names = snapshot.blocks, snapshot.resources.names
    for row in range(len(blocks)):
        if names[int(blocks.resource[row])] == "P" and snapshot.heaps.names[int(blocks.heap[row])] == heap:
            for at in range(0, int(blocks.size[row]), TILE):
                found[(int(blocks.offset[row]) + at) // TILE] += 1
    return +found


CALLS = st.lists(
    st.tuples(st.integers(0, 15), st.integers(1, 8), st.sampled_from(("map", "unmap", "fix", "reuse", "next", "drop")),
              st.integers(0, 24)),
    max_size=14,
)  # fmt: skip


@given(CALLS, st.booleans())
@settings(deadline=None, max_examples=80)
def test_that_states_and_counts_are_those_of_every_single_tile(calls: list[Any], place: bool) -> None:
    rig = rig_with()
    reserve(rig, "S", 16)
    rig.heap("Second", 32 * TILE)
    if place:
        rig.placed("P", "Pool", 3 * TILE, 4 * TILE)
    for at, (first, count, how, where) in enumerate(calls):
        name, count = "RS"[at % 2], min(count, 16 - first)
        heap = "Second" if where % 3 == 0 and "Second" in rig.state.objects else "Pool"
        if how == "next":
            rig.call("Present", {})
        elif how == "unmap":
            unmap(rig, first, count, name)
        elif how == "drop" and "Second" in rig.state.objects:
            rig.call("Release", {"pObject": "Second"})
        else:
            more: dict[str, Any] = {"pHeapRangeStartOffsets": [where]} if how in ("fix", "reuse") else {}
            map_tiles(rig, first, count, name, heap, **more, **({"pRangeFlags": [REUSE]} if how == "reuse" else {}))
    snapshot = picture(rig)
    tiles = TileMap(snapshot)
    frames = {event.number: event.frame for event in snapshot.events}
    for name in "RS":
        expect: list[TileState] = []
        found = expanded(snapshot, name)
        for tile in range(16):
            heap, behind, event = found.get(tile, ("none", 0, -1))
            if heap in ("none", "gone"):
                expect.append(TileState.NONE if heap == "none" else TileState.GONE)
            elif shown(snapshot, heap)[behind] > 1:
                expect.append(TileState.SHARED)
            else:
                fresh = frames[event] >= max(snapshot.provenance.frame - 1, 0)
                expect.append(TileState.FRESH if fresh else TileState.MAPPED)
        row = index(snapshot, name)
        assert tiles.states(row, TILES).tolist() == expect
        assert tiles.counts(row, 16) == tuple(expect.count(state) for state in TileState)
    for heap in snapshot.heaps.names:
        _check_pool(snapshot, tiles, heap)


def _check_pool(snapshot: Snapshot, tiles: TileMap, heap: str) -> None:
    at, depth = snapshot.heaps.names.index(heap), shown(snapshot, heap)
    mine = {tile for where, tile, _ in expanded(snapshot, "R").values() if where == heap}
    expect: list[PoolState] = []
    for tile in range(32):
        state = PoolState.OTHER if depth[tile] else PoolState.FREE
        state = PoolState.SHARED if depth[tile] > 1 else PoolState.OWN if tile in mine else state
        expect.append(state)
        found, count = tiles.mappers(at, tile)
        assert sum(one.tiles for one in found) == depth[tile]
        assert count == len(found)
    own = index(snapshot, "R")
    assert tiles.pool_states(at, np.arange(32), own).tolist() == expect
    assert tiles.pool_counts(at, own) == tuple(expect.count(state) for state in PoolState)
    assert tiles.pool_tiles(at) == 32
    nobody = [PoolState.OTHER if state is PoolState.OWN else state for state in expect]
    assert tiles.pool_states(at, np.arange(32), -1).tolist() == nobody
    assert tiles.pool_counts(at, -1) == tuple(nobody.count(state) for state in PoolState)


def test_that_a_heap_of_absurd_size_is_answered_about_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = rig_with()
    reserve(rig, "S", 16)
    map_tiles(rig, 0, 9, pHeapRangeStartOffsets=[4])
    map_tiles(rig, 3, 6, "S", pHeapRangeStartOffsets=[9])
    snapshot = picture(rig)
    found: list[Any] = []
    for most in (1 << 22, 0):
        monkeypatch.setattr(tile_map, "_LISTED", most)
        tiles = TileMap(snapshot)
        found.append((tiles.states(0, TILES).tolist(), tiles.counts(0, 16), tiles.pool_counts(0, 0),
                      tiles.pool_states(0, np.arange(32), 1).tolist()))  # fmt: skip
    assert found[0] == found[1]
    assert found[0][1] == (0, 5, 4, 7, 0)


def test_that_answers_are_taken_over_while_nothing_changed_and_not_longer() -> None:
    rig, maker = rig_with(), PictureMaker()
    reserve(rig, "S", 16)
    map_tiles(rig, 0, 4)
    first = TileMap(picture(rig, maker))
    assert first.counts(0, 16) == (0, 4, 0, 12, 0)
    for _ in range(2):
        rig.call("Present", {})
    second = TileMap(picture(rig, maker), first)
    assert second._depths is first._depths
    assert second.counts(0, 16) == (4, 0, 0, 12, 0), "the frame went on"
    rig.placed("P", "Pool", TILE, 0)
    third = TileMap(picture(rig, maker), second)
    assert third.counts(0, 16) == (3, 0, 1, 12, 0)


def test_that_facts_of_a_tile_name_heap_call_and_who_else_shows_it() -> None:
    rig = rig_with()
    reserve(rig, "S", 16)
    map_tiles(rig, 4, 4, pHeapRangeStartOffsets=[8])
    rig.call("Present", {})
    rig.call("Present", {})
    last = map_tiles(rig, 0, 8, "S", pRangeFlags=[REUSE], pHeapRangeStartOffsets=[9])
    snapshot = picture(rig)
    tiles = TileMap(snapshot)
    facts = tiles.facts(index(snapshot, "R"), 5)
    assert (facts.state, facts.heap_tile, facts.shown_by, facts.is_fresh) == (TileState.SHARED, 9, 9, False)
    assert tiles.facts(index(snapshot, "R"), 4).state is TileState.MAPPED
    assert tiles.facts(index(snapshot, "S"), 3).is_fresh
    who, count = tiles.mappers(facts.heap, 9)
    assert [(snapshot.resources.names[one.resource], one.tile, one.tiles) for one in who] == [("R", 5, 1), ("S", 0, 8)]
    assert count == 2
    assert event_text(snapshot, tiles.facts(index(snapshot, "S"), 3)) == last.events[-1].text
    assert event_rule(snapshot, facts) == "d3d12.6.6a"
    assert event_text(snapshot, tiles.facts(index(snapshot, "R"), 0)) == "no call named it yet"
    old = dataclasses.replace(snapshot, events=snapshot.events[-1:])
    assert "older than the log" in event_text(old, facts)
    assert tiles.next_fresh(index(snapshot, "S"), 3, 1) == 0
    assert tiles.next_fresh(index(snapshot, "R"), 3, 1) is None
    assert tiles.pools_of(index(snapshot, "R")) == tiles.pools() == (facts.heap,)


@pytest.mark.parametrize("desc", [FLAT, VOLUME, ARRAY, dataclasses.replace(ARRAY, MipLevels=3), BUFFER])
def test_that_place_and_number_of_a_tile_agree_and_the_arithmetic_gives_it(desc: Any) -> None:
    tiling = tiling_of(desc)
    assert tiling is not None
    seen: set[tuple[int, int, int, int]] = set()
    rig = rig_with()
    tiles, row = TileMap(picture(rig)), 0
    for tile in range(tiling.total_tiles):
        place = tiling.place_of(tile)
        part = tiling.subresource(place.subresource)
        assert tile in tiling.tiles_of(place.subresource)
        assert place.is_packed == (part.StartTileIndexInOverallResource == PACKED_TILE)
        seen.add((place.subresource, place.x, place.y, place.z))
        for step in tile_arithmetic(tiling, dataclasses.replace(tiles.facts(row, 0), tile=tile)):
            assert eval(step.formula.replace("×", "*")) == step.result
    assert len(seen) == tiling.total_tiles


def test_that_the_arithmetic_of_a_mapped_tile_ends_at_its_bytes() -> None:
    rig = rig_with()
    map_tiles(rig, 4, 4, pHeapRangeStartOffsets=[8])
    map_tiles(rig, 10, 2, pRangeFlags=[REUSE], pHeapRangeStartOffsets=[3])
    tiles = TileMap(picture(rig))
    tiling = buffer_tiling(16 * TILE, TileShape(TILE, 1, 1))
    for tile, behind in ((6, 10), (11, 3)):
        steps = {step.name: step for step in tile_arithmetic(tiling, tiles.facts(0, tile))}
        assert steps["Heap tile"].result == behind
        assert steps["Heap offset"].result == behind * TILE_BYTES
        for step in steps.values():
            assert eval(step.formula.replace("×", "*")) == step.result


def made(snapshot: Snapshot, call: str, **inputs: Any) -> Snapshot:
    """Return a snapshot whose first resource was created by another call."""
    records = list(snapshot.resources.records)
    records[0] = CallRecord(inputs.pop("api", "d3d12"), call, inputs)
    return dataclasses.replace(snapshot, resources=dataclasses.replace(snapshot.resources, records=tuple(records)))


TEXTURE = {
    "Dimension": "D3D12_RESOURCE_DIMENSION_TEXTURE2D", "Width": 1024, "Height": 512, "MipLevels": 0,
    "Format": "DXGI_FORMAT_R8G8B8A8_UNORM",
}  # fmt: skip
STENCIL = {"Format": "DXGI_FORMAT_D24_UNORM_S8_UINT", "Flags": ["D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL"]}
DEEP = {"Dimension": "D3D12_RESOURCE_DIMENSION_TEXTURE3D", "MipLevels": 1}
SAMPLED = {"BindFlags": ["D3D11_BIND_SHADER_RESOURCE"]}
DEFAULT_HEAP = {"pHeapProperties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"}}


def test_that_a_reserved_resource_has_the_tiling_that_the_device_answers() -> None:
    rig = rig_with()
    desc = {**TEXTURE, "Layout": "D3D12_TEXTURE_LAYOUT_64KB_UNDEFINED_SWIZZLE"}
    rig.call("CreateReservedResource", {"pDesc": desc}, "T")
    snapshot = picture(rig)
    tiled = tiled_of(snapshot, index(snapshot, "T"))
    assert tiled is not None
    assert tiled.tiling is not None
    answer = rig.call("GetResourceTiling", {"pTiledResource": "T"}).values
    assert tiled.is_reserved
    assert tiled.tiling.total_tiles == answer["pNumTilesForEntireResource"]
    assert list(tiled.tiling.shape) == answer["pStandardTileShapeForNonPackedMips"]
    assert (shape_text(tiled), tiling_text(tiled)) == (
        "128 × 128 texels of R8G8B8A8_UNORM",
        "3 standard mips, 8 packed into 1 tile",
    )
    assert texel_range(tiled, 9) == "128 – 255, 128 – 255"
    assert texel_range(tiled, tiled.tiling.total_tiles - 1) == "parts of mips 3 – 10"


def test_that_a_resource_in_one_piece_says_so_and_what_its_tiling_would_be() -> None:
    tiled = tiled_of(made(picture(rig_with()), "CreateCommittedResource", pDesc=TEXTURE, **DEFAULT_HEAP), 0)
    assert tiled is not None
    assert tiled.headline.startswith("Not a reserved resource")
    assert "GetResourceTiling would give 43 tiles (2.69 MiB) of 128 × 128 texels" in tiled.why
    assert not tiled.is_reserved


@pytest.mark.parametrize(
    ("change", "options", "rule"),
    [
        (STENCIL, {}, "d3d12.3.15d"),
        ({"DepthOrArraySize": 3}, {"tiled_resources_tier": "3"}, "d3d12.3.15e"),
        ({}, {"tiled_resources_tier": "0"}, "d3d12.3.15a"),
        (DEEP, {"tiled_resources_tier": "2"}, "d3d12.3.15h"),
    ],
)  # fmt: skip
def test_that_what_cannot_be_reserved_says_which_rule_forbids_it(change: Any, options: Any, rule: str) -> None:
    snapshot = made(picture(rig_with()), "CreateCommittedResource", pDesc={**TEXTURE, **change}, **DEFAULT_HEAP)
    tiled = tiled_of(
        dataclasses.replace(snapshot, provenance=dataclasses.replace(snapshot.provenance, options=options)), 0
    )
    assert tiled is not None
    assert tiled.tiling is None
    assert tiled.reasons[0].rule == rule
    assert tiled.reasons[0].text[:-1] in tiled.why
    assert f"(rule {rule})" in tiled.why
    assert [limit.is_there for limit in tiled.limits] == [tiled.tier >= limit.from_tier for limit in tiled.limits]


@pytest.mark.parametrize(
    ("desc", "words"),
    [
        (SAMPLED, "GetResourceTiling would give 1 tile"),
        ({"Usage": "D3D11_USAGE_STAGING", "CPUAccessFlags": ["D3D11_CPU_ACCESS_READ"]}, "would be refused"),
        ({**SAMPLED, "MiscFlags": ["D3D11_RESOURCE_MISC_TILED"]}, "is not simulated"),
    ],
)  # fmt: skip
def test_that_direct3d_11_tells_its_tiled_resources(desc: Any, words: str) -> None:
    full = {
        "Width": 256,
        "Height": 256,
        "MipLevels": 1,
        "Format": "DXGI_FORMAT_R8_UNORM",
        "Usage": "D3D11_USAGE_DEFAULT",
        **desc,
    }
    tiled = tiled_of(made(picture(rig_with()), "CreateTexture2D", api="d3d11", pDesc=full), 0)
    assert tiled is not None
    assert words in tiled.why
    assert "Not a tiled resource" in tiled.headline or "are not simulated" in tiled.headline
    assert not tiled.is_reserved


def test_that_direct3d_9_and_files_have_no_tiles() -> None:
    snapshot = load_simulation("d3d9-shooter-2003-agp-64mb").snapshot()
    assert tiled_of(snapshot, 0) is None
    bare = picture(rig_with())
    table = dataclasses.replace(bare.resources, records=(None,))
    assert tiled_of(dataclasses.replace(bare, resources=table), 0) is None
