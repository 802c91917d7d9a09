"""What a D3D9 resource is, and where its pool and usage put it (CHECKLIST 21 to 37, 80 to 87, 107 to 117)."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.core import d3d9 as api
from explorer.core.schema import constants_of
from explorer.sim.scenarios import load_simulation
from explorer.tables.d3d9_tables import formats
from tests.device.d3d9_desk import MB, Desk, kinds, moved, rules

CREATORS: list[tuple[str, dict[str, Any], str]] = [
    ("CreateTexture", {"Width": 64, "Height": 64, "Levels": 0}, "TEXTURE"),
    ("CreateCubeTexture", {"EdgeLength": 64, "Levels": 0}, "CUBETEXTURE"),
    ("CreateVolumeTexture", {"Width": 16, "Height": 16, "Depth": 4, "Levels": 0}, "VOLUMETEXTURE"),
    ("CreateVertexBuffer", {"Length": 1024, "FVF": 0}, "VERTEXBUFFER"),
    ("CreateIndexBuffer", {"Length": 1024}, "INDEXBUFFER"),
    ("CreateRenderTarget", {"Width": 64, "Height": 64}, "SURFACE"),
    ("CreateDepthStencilSurface", {"Width": 64, "Height": 64}, "SURFACE"),
    ("CreateOffscreenPlainSurface", {"Width": 64, "Height": 64}, "SURFACE"),
]
SURFACES = ("CreateRenderTarget", "CreateDepthStencilSurface", "CreateOffscreenPlainSurface")


def create(desk: Desk, call: str, inputs: dict[str, Any], pool: str = "DEFAULT", usage: str = "") -> Any:
    inputs = dict(inputs)
    if call in ("CreateRenderTarget", "CreateDepthStencilSurface"):
        pool = ""
    if pool:
        inputs["Pool"] = f"D3DPOOL_{pool}"
    if call not in SURFACES:
        inputs["Usage"] = [f"D3DUSAGE_{word}" for word in usage.split()]
    form = {"CreateIndexBuffer": "INDEX16", "CreateDepthStencilSurface": "D24S8"}.get(call, "X8R8G8B8")
    if call != "CreateVertexBuffer":
        inputs["Format"] = f"D3DFMT_{form}"
    return desk.call(call, inputs, "X")


@pytest.mark.parametrize(("call", "inputs", "kind"), CREATORS)
def test_that_every_resource_shows_usage_format_pool_and_type(call: str, inputs: dict[str, Any], kind: str) -> None:
    # CHECKLIST 21, 36, 37: the type follows from the create call, and can be asked for.
    desk = Desk()
    assert create(desk, call, inputs).succeeded
    row = desk.row("X")
    state = desk.state
    assert state.dimensions.words[int(state.resources["dimension"][row])] == kind
    assert state.places.words[int(state.resources["place"][row])] == "D3DPOOL_DEFAULT"
    form = state.formats.words[int(state.resources["format"][row])]
    assert form == ("" if kind.endswith("BUFFER") else "D3DFMT_D24S8" if "Depth" in call else "D3DFMT_X8R8G8B8")
    record = state.records[row]
    assert record is not None
    assert record.call == call
    assert desk.ok("GetType", {"object": "X"}).values["returns"] == f"D3DRTYPE_{kind}"


def test_that_a_snapshot_holds_the_four_properties() -> None:
    resources = load_simulation("d3d9-shooter-2003-agp-128mb").snapshot().resources
    index = resources.names.index("Wall 000")
    assert resources.dimensions[resources.dimension[index]] == "TEXTURE"
    assert resources.formats[resources.format[index]].startswith("D3DFMT_DXT")
    assert resources.places[resources.place[index]] == "D3DPOOL_MANAGED"
    record = resources.records[index]
    assert record is not None
    assert record.inputs["Usage"] == []


def test_that_a_part_has_its_own_type_and_the_pool_of_the_whole() -> None:
    # CHECKLIST 34: one pool for all levels.
    desk = Desk()
    desk.texture("T", "SYSTEMMEM", 64, levels=0)
    desk.ok("GetSurfaceLevel", {"object": "T", "Level": 3}, "T3")
    assert desk.ok("GetType", {"object": "T3"}).values["returns"] == "D3DRTYPE_SURFACE"
    assert desk.device.things.of[desk.device.things.parts[desk.row("T3")].row].resource.pool == api.Pool.SYSTEMMEM
    assert desk.groups("T") == ["SYSTEM"]
    volume = dict(CREATORS[2][1])
    create(desk, "CreateVolumeTexture", volume, "SYSTEMMEM")
    desk.ok("GetVolumeLevel", {"object": "X", "Level": 0}, "V0")
    assert desk.ok("GetType", {"object": "V0"}).values["returns"] == "D3DRTYPE_VOLUME"


def test_that_nothing_changes_a_pool() -> None:
    # CHECKLIST 35.
    desk = Desk()
    desk.texture("T", "MANAGED")
    desk.texture("S", "SYSTEMMEM")
    desk.texture("D", "DEFAULT")
    for _ in range(2):
        desk.frame("T", "D")
        desk.paint("T")
        desk.paint("S")
        desk.ok("UpdateTexture", {"pSourceTexture": "S", "pDestinationTexture": "D"})
        desk.ok("SetPriority", {"object": "T", "PriorityNew": 3})
        desk.ok("EvictManagedResources")
    places = [desk.state.places.words[int(desk.state.resources["place"][desk.row(name)])] for name in "TSD"]
    assert places == ["D3DPOOL_MANAGED", "D3DPOOL_SYSTEMMEM", "D3DPOOL_DEFAULT"]


def test_that_the_declared_usage_is_enforced() -> None:
    # CHECKLIST 22.
    desk = Desk()
    desk.texture("T", "DEFAULT")
    desk.texture("R", "DEFAULT", usage="RENDERTARGET")
    desk.plain("P")
    assert desk.lock_rect("T").hr == "D3DERR_INVALIDCALL"
    desk.ok("GetSurfaceLevel", {"object": "T"}, "T0")
    desk.ok("GetSurfaceLevel", {"object": "R"}, "R0")
    assert desk.call("SetRenderTarget", {"RenderTargetIndex": 0, "pRenderTarget": "T0"}).hr == "D3DERR_INVALIDCALL"
    assert desk.call("SetRenderTarget", {"RenderTargetIndex": 0, "pRenderTarget": "R0"}).succeeded
    assert desk.call("SetDepthStencilSurface", {"pNewZStencil": "R0"}).hr == "D3DERR_INVALIDCALL"
    assert desk.call("SetStreamSource", {"StreamNumber": 0, "pStreamData": "T"}).hr == "D3DERR_INVALIDCALL"
    refused = desk.call("ColorFill", {"pSurface": "T0"})
    assert refused.reasons[0].source


def test_that_the_list_of_usage_flags_and_formats_is_whole() -> None:
    # CHECKLIST 23, 32, 33, 37.
    usage = constants_of(api.Usage)
    for name, value in {
        "RENDERTARGET": 1, "DEPTHSTENCIL": 2, "WRITEONLY": 8, "SOFTWAREPROCESSING": 0x10, "DONOTCLIP": 0x20,
        "POINTS": 0x40, "RTPATCHES": 0x80, "NPATCHES": 0x100, "DYNAMIC": 0x200, "AUTOGENMIPMAP": 0x400,
        "RESTRICTED_CONTENT": 0x800, "RESTRICT_SHARED_RESOURCE_DRIVER": 0x1000, "RESTRICT_SHARED_RESOURCE": 0x2000,
        "DMAP": 0x4000, "NONSECURE": 0x800000, "TEXTAPI": 0x10000000,
    }.items():  # fmt: skip
        assert usage[f"D3DUSAGE_{name}"] == value
    values = set(constants_of(api.Format).values()) - {int(api.Format.UNKNOWN)}
    assert values <= set(formats())
    assert {p.name: int(p) for p in api.Pool} == {"DEFAULT": 0, "MANAGED": 1, "SYSTEMMEM": 2, "SCRATCH": 3}
    assert {t.name: int(t) for t in api.ResourceType} == {
        "SURFACE": 1, "VOLUME": 2, "TEXTURE": 3, "VOLUMETEXTURE": 4, "CUBETEXTURE": 5, "VERTEXBUFFER": 6,
        "INDEXBUFFER": 7,
    }  # fmt: skip


ALLOWED = [
    ("CreateTexture", "RENDERTARGET", True), ("CreateTexture", "DYNAMIC", True),
    ("CreateTexture", "AUTOGENMIPMAP", True), ("CreateTexture", "WRITEONLY", False),
    ("CreateTexture", "POINTS", False), ("CreateCubeTexture", "RENDERTARGET", True),
    ("CreateVolumeTexture", "RENDERTARGET", False), ("CreateVolumeTexture", "DYNAMIC", True),
    ("CreateVolumeTexture", "AUTOGENMIPMAP", False), ("CreateVertexBuffer", "POINTS", True),
    ("CreateVertexBuffer", "NPATCHES", True), ("CreateVertexBuffer", "RTPATCHES", True),
    ("CreateVertexBuffer", "RENDERTARGET", False), ("CreateVertexBuffer", "AUTOGENMIPMAP", False),
    ("CreateIndexBuffer", "WRITEONLY", True), ("CreateIndexBuffer", "DEPTHSTENCIL", False),
]  # fmt: skip


@pytest.mark.parametrize(("call", "usage", "allowed"), ALLOWED)
def test_that_each_creator_takes_its_usage_flags(call: str, usage: str, allowed: bool) -> None:
    # CHECKLIST 31; the whole matrix is in tests/conformance/d3d9.
    inputs = next(inputs for name, inputs, _ in CREATORS if name == call)
    outcome = create(Desk(), call, {**inputs, **({"Levels": 1} if "Levels" in inputs else {})}, usage=usage)
    assert outcome.succeeded is allowed
    assert allowed or outcome.hr == "D3DERR_INVALIDCALL"


POOLS = [
    ("r9700pro", "DEFAULT", "", "LOCAL"), ("r9700pro", "DEFAULT", "DYNAMIC", "NON_LOCAL"),
    ("r9700pro", "MANAGED", "", "SYSTEM"), ("r9700pro", "SYSTEMMEM", "", "SYSTEM"),
    ("r9700pro", "SCRATCH", "", "SYSTEM"), ("gf7800gtx", "DEFAULT", "", "LOCAL"),
    ("gf7800gtx", "DEFAULT", "DYNAMIC", "NON_LOCAL"), ("i865g", "DEFAULT", "", "LOCAL"),
    ("i865g", "DEFAULT", "DYNAMIC", "LOCAL"), ("i865g", "MANAGED", "", "SYSTEM"),
]  # fmt: skip


@pytest.mark.parametrize(("adapter_id", "pool", "usage", "group"), POOLS)
def test_that_pool_and_usage_pick_the_memory(adapter_id: str, pool: str, usage: str, group: str) -> None:
    # CHECKLIST 33, 87, 98, 109, 116, 117.
    desk = Desk(adapter_id)
    outcome = desk.texture("T", pool, 256, usage=usage)
    assert outcome.succeeded
    assert desk.groups("T") == [group]
    assert outcome.reasons[-1].source
    desk.check()


@pytest.mark.parametrize("call", [name for name, _, _ in CREATORS[:5]])
def test_that_textures_and_buffers_are_managed_through_one_interface(call: str) -> None:
    # CHECKLIST 80, 87: a master in system memory, a copy on demand.
    desk = Desk()
    create(desk, call, next(inputs for name, inputs, _ in CREATORS if name == call), "MANAGED")
    assert desk.groups("X") == ["SYSTEM"]
    desk.frame("X")
    assert desk.groups("X") == ["LOCAL", "SYSTEM"]
    assert desk.ok("SetPriority", {"object": "X", "PriorityNew": 4}).values["returns"] == 0
    assert desk.ok("GetPriority", {"object": "X"}).values["returns"] == 4


def test_that_preload_uploads_at_once_and_only_managed_resources() -> None:
    # CHECKLIST 87, 118.
    desk = Desk()
    desk.texture("M", "MANAGED")
    desk.texture("D", "DEFAULT")
    assert kinds(desk.ok("PreLoad", {"object": "M"})) == ["uploaded"]
    assert kinds(desk.ok("PreLoad", {"object": "M"})) == []
    outcome = desk.ok("PreLoad", {"object": "D"})
    assert outcome.values["uploads"] is False
    assert rules(outcome) == {"R5.11"}


def test_that_targets_lie_in_local_memory_or_nowhere() -> None:
    # CHECKLIST 82.
    desk = Desk("gf4mx440")
    made = 0
    while desk.target(f"T{made}", 1024).succeeded:
        assert desk.groups(f"T{made}") == ["LOCAL"]
        made += 1
    assert made == 64 * MB // (4 * MB)
    assert desk.free("NON_LOCAL") == 64 * MB
    assert desk.target("more", 1024).hr == "D3DERR_OUTOFVIDEOMEMORY"


def test_that_the_gpu_is_slower_in_non_local_memory_which_is_a_part_of_ram() -> None:
    # CHECKLIST 82, 83.
    desk = Desk("gf4mx440")
    desk.texture("near", "DEFAULT")
    desk.texture("far", "DEFAULT", usage="DYNAMIC")
    near, far = desk.cost_of(desk.draw, "near")["gpu"], desk.cost_of(desk.draw, "far")["gpu"]
    assert far > 5 * near
    adapter = desk.state.adapter
    in_ram = sum(adapter.group_bytes(0, group) for group in ("NON_LOCAL", "SYSTEM"))
    assert in_ram == adapter.system_memory_bytes


def test_that_the_cpu_reads_and_writes_agp_memory() -> None:
    # CHECKLIST 84, 102: it can, and reading is slow.
    desk = Desk()
    desk.buffer("B", usage="DYNAMIC")
    read, write = (desk.cost_of(desk.write, "B", words)["cpu"] for words in ("READONLY", ""))
    assert desk.lock("B", "READONLY").values["pointer"] == "direct"
    assert read > 10 * write


def test_that_uma_keeps_the_ways_of_a_card() -> None:
    # CHECKLIST 86: the same calls, the same copies, all of it main memory.
    for adapter_id in ("r9700pro", "i865g"):
        desk = Desk(adapter_id)
        desk.start()
        desk.texture("M")
        desk.buffer("R", usage="DYNAMIC WRITEONLY")
        desk.buffer("S", usage="WRITEONLY")
        assert desk.write("R", "DISCARD").values["pointer"] == "direct"
        assert desk.write("S").values["pointer"] == "temporary"
        assert desk.frame("M", "R", "S").succeeded
        assert desk.groups("M") == ["LOCAL", "SYSTEM"]
        assert desk.groups("S") == ["LOCAL"]
        assert desk.groups("R") == ["LOCAL" if adapter_id == "i865g" else "NON_LOCAL"]
    adapter = desk.state.adapter
    shared = adapter.group_bytes(0, "LOCAL") + adapter.group_bytes(0, "SYSTEM")
    assert shared <= adapter.system_memory_bytes, "local memory is a part of main memory"
    assert desk.device.segment_of(desk.device.managed.copy_of(desk.row("M")) or 0).group == "LOCAL"
    cached = desk.cost_of(desk.write, "R", "NOOVERWRITE")["cpu"]
    card = Desk("r9700pro")
    card.buffer("R", usage="DYNAMIC WRITEONLY")
    assert cached < card.cost_of(card.write, "R", "NOOVERWRITE")["cpu"]


def test_that_default_memory_is_held_until_release() -> None:
    # CHECKLIST 107.
    desk = Desk("gf4mx440")
    desk.texture("D", "DEFAULT", 1024)
    place = desk.offsets("D")
    for index in range(30):
        desk.texture(f"M{index}", size=1024)
    for _ in range(3):
        desk.frame(*(f"M{index}" for index in range(30)))
    desk.ok("EvictManagedResources")
    assert desk.count("evicted") > 30
    assert desk.offsets("D") == place
    free = desk.free()
    assert kinds(desk.ok("Release", {"object": "D"})) == ["freed", "released"]
    assert desk.free() == free + 4 * MB


def test_that_dynamic_textures_need_the_cap() -> None:
    # CHECKLIST 113.
    desk = Desk(**{"d3d9.D3DCAPS2_DYNAMICTEXTURES": "false"})
    assert desk.texture("T", "DEFAULT", usage="DYNAMIC").hr == "D3DERR_INVALIDCALL"
    able = Desk()
    assert able.texture("T", "DEFAULT", usage="DYNAMIC").succeeded
    assert able.paint("T", "DISCARD").values["pointer"] == "direct"
    assert able.lock_rect("T", "DISCARD", (0, 0, 8, 8)).hr == "D3DERR_INVALIDCALL"


def test_that_systemmem_keeps_to_the_device_and_scratch_does_not() -> None:
    # CHECKLIST 116, 117.
    desk = Desk("gf4mx440")
    assert desk.texture("S", "SYSTEMMEM", 4096).hr == "D3DERR_INVALIDCALL"
    assert desk.texture("C", "SCRATCH", 4096).succeeded
    desk.texture("A", "SYSTEMMEM", 64)
    desk.texture("D", "DEFAULT", 64)
    desk.texture("E", "SCRATCH", 64)
    update = {"pDestinationTexture": "D"}
    assert desk.call("UpdateTexture", {"pSourceTexture": "A", **update}).succeeded
    assert desk.call("UpdateTexture", {"pSourceTexture": "E", **update}).hr == "D3DERR_INVALIDCALL"
    assert "hazard" in kinds(desk.draw("A")), "SetTexture takes it, but it cannot be sampled"
    assert "hazard" in kinds(desk.draw("E"))
    bound = desk.ok("SetTexture", {"Stage": 0, "pTexture": "A"})
    assert bound.values["drawable"] is False


def test_that_system_memory_buffers_are_copied_for_every_draw() -> None:
    desk = Desk()
    desk.buffer("S", "SYSTEMMEM")
    assert desk.cost_of(desk.draw, "S")["transfer"] > 0
    assert moved(desk.draw("S").events, "uploaded") == 0


def test_that_available_texture_memory_counts_whole_megabytes() -> None:
    desk = Desk("gf4mx440")
    before = int(str(desk.ok("GetAvailableTextureMem").values["returns"]))
    assert before == 128 * MB
    desk.target("T", 1024)
    desk.texture("M", "MANAGED", 1024)
    desk.frame("M")
    desk.buffer("B", length=100)
    after = int(str(desk.ok("GetAvailableTextureMem").values["returns"]))
    assert after == before - 5 * MB, "the managed copy would give way; a started megabyte is not counted"
