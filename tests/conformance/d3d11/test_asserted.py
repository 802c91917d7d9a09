"""Answers of real Windows, as the conformance tests of the Wine project assert them: all agree."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from explorer.core.d3d11_enums import (
    DsvDimension,
    FeatureLevel,
    MapType,
    RtvDimension,
    SrvDimension,
    UavDimension,
)
from explorer.core.dxgi import DXGI_FORMAT
from explorer.rules.d3d11 import MapState, Resource, Runtime11, Side
from explorer.rules.d3d11_copy import formats_copy, judge_copy_region
from explorer.rules.d3d11_create import judge_create
from explorer.rules.d3d11_map import judge_map
from explorer.rules.d3d11_records import answer
from explorer.rules.d3d11_resource import GOOD_DATA, NO_DATA, NULL_DATA
from explorer.rules.d3d11_views import View, judge_view
from explorer.rules.records import CheckOptions, VectorRecord
from explorer.tables.d3d11_tables import DIMENSIONS, codes

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
DATA = {0: NO_DATA, 1: GOOD_DATA, 2: NULL_DATA, 3: GOOD_DATA}
LEVELS = {level.name[1:]: level for level in FeatureLevel}
VIEW_KINDS = {"srv": SrvDimension, "rtv": RtvDimension, "dsv": DsvDimension, "uav": UavDimension}
# The asserted devices lack the 11.2 option for default buffers, except where a row's resource has CPU access.
OLD = Runtime11(feature_level=FeatureLevel(0xB000), map_default_buffers=False)
NEW = Runtime11(feature_level=FeatureLevel(0xB000))


@functools.cache
def _load(name: str) -> Any:
    return json.loads((HERE / name).read_text(encoding="utf-8"))


def _hr(digits: str) -> str:
    value = int(digits, 16)
    return next(name for name, code in codes().items() if code == value)


def _device(name: str) -> Runtime11:
    if name == "d3d10":
        return Runtime11(api="d3d10", feature_level=LEVELS["10_0"], map_default_buffers=False)
    return Runtime11(feature_level=LEVELS[name], map_default_buffers=False)


def _resource(kind: str, row: dict[str, int], api: str) -> Resource:
    common = {"usage": row["usage"], "bind": row["bind"], "cpu": row["cpu"], "misc": row["misc"]}
    if kind == "buffer":
        return Resource(api, kind, row["width"], stride=row["stride"], **common)
    return Resource(
        api, kind, row["w"], row.get("h", 1), row.get("d", 1), row["mips"], row.get("array", 1),
        DXGI_FORMAT(row["format"]), row.get("samples", 1), row.get("quality", 0), **common,
    )  # fmt: skip


def _creations(kind: str) -> Iterator[tuple[str, dict[str, int], bool]]:
    data = _load("creations.json")
    table = data["tables"][kind]
    for accepting, refusing, rows in table["groups"]:
        for row in rows:
            named = dict(zip(table["columns"], row, strict=True))
            for bit, device in enumerate(data["devices"]):
                if (accepting | refusing) >> bit & 1:
                    yield device, named, bool(accepting >> bit & 1)


@pytest.mark.parametrize("kind", DIMENSIONS)
def test_that_creations_agree(kind: str) -> None:
    wrong: list[Any] = []
    count = 0
    for device, row, accepted in _creations(kind):
        api = "d3d10" if device == "d3d10" else "d3d11"
        verdict = judge_create(_resource(kind, row, api), DATA[row["init"]], True, _device(device))
        count += 1
        if verdict.succeeded is not accepted:
            wrong.append((device, row, [reason.rule for reason in verdict.reasons]))
    assert count
    assert wrong == []


def _view(kind: str, shown: DXGI_FORMAT, dimension: int, words: list[int], flags: int = 0) -> View:
    """Return the view of a structure whose union holds these words."""
    enum = VIEW_KINDS[kind]
    name = next((member.name for member in enum if member == dimension), f"UNKNOWN {dimension}")
    mip, second, third, fourth = [*words, 0, 0, 0, 0][:4]
    if name == "TEXTURE2DMS":
        return View(kind, shown, name, mips=1)
    if name == "TEXTURE2DMSARRAY":
        return View(kind, shown, name, mips=1, first=mip, count=second, flags=flags)
    if kind == "srv":
        if "ARRAY" in name:
            return View(kind, shown, name, mip, second, third, fourth)
        return View(kind, shown, name, mip, second)
    if "ARRAY" in name or name == "TEXTURE3D":
        return View(kind, shown, name, mip, 1, second, third, flags)
    return View(kind, shown, name, mip, 1, flags=flags)


@pytest.mark.parametrize("kind", tuple(VIEW_KINDS))
def test_that_view_ranges_agree(kind: str) -> None:
    data = _load("view_ranges.json")
    wrong: list[Any] = []
    words = data["views"][kind]["words"]
    for name, dimension, accepted, rows in data["views"][kind]["groups"]:
        axis, width, height, depth, mips, slices, shown, samples, bind, misc = data["resources"][name]
        resource = Resource(
            "d3d11", DIMENSIONS[axis], width, height, depth, mips, slices, DXGI_FORMAT(shown), samples, 0, 0, bind, 0,
            misc,
        )  # fmt: skip
        for row in rows:
            named = dict(zip(words, row, strict=True))
            numbers = [named[key] or 0 for key in words if key != "flags"]
            view = _view(kind, resource.format, dimension, numbers, named.get("flags") or 0)
            if judge_view(view, kind, resource, True, OLD).succeeded is not bool(accepted):
                wrong.append((name, dimension, row))
    assert wrong == []


def _behaving(name: str) -> Resource:
    values = _load("behaviour.json")["resources"][name]
    axis, width, height, depth, mips, slices, shown, samples, usage, bind, cpu, misc, stride = values
    return Resource(
        "d3d11", DIMENSIONS[axis], width, height, depth, mips, slices, DXGI_FORMAT(shown), samples, 0, usage, bind,
        cpu, misc, stride,
    )  # fmt: skip


def test_that_maps_agree() -> None:
    wrong: list[Any] = []
    for name, map_type, flags, hr, *pitches in _load("behaviour.json")["maps"]:
        resource = _behaving(name)
        device = NEW if resource.usage == 0 and resource.cpu else OLD
        verdict = judge_map(resource, 0, map_type, flags, MapState(), device)
        found = [verdict.values["RowPitch"], verdict.values["DepthPitch"]] if verdict.succeeded else []
        if verdict.hr != _hr(hr) or found != pitches:
            wrong.append((name, map_type, flags, hr, pitches, verdict))
    assert wrong == []


def test_that_maps_of_deferred_contexts_agree() -> None:
    for name, map_type, hr in _load("behaviour.json")["deferred_maps"]:
        verdict = judge_map(_behaving(name), 0, map_type, 0, MapState(deferred=True), OLD)
        assert verdict.hr == _hr(hr), (name, map_type)


def test_that_buffer_pitches_are_the_size() -> None:
    for kind, width, _, row, depth in _load("behaviour.json")["buffer_pitches"]:
        usage, bind, cpu = (3, 0, 0x30000) if kind == "staging" else (2, 1, 0x10000)
        resource = Resource("d3d11", "buffer", width, usage=usage, bind=bind, cpu=cpu)
        wanted = MapType.READ_WRITE if usage == 3 else MapType.WRITE_DISCARD
        values = judge_map(resource, 0, wanted, 0, MapState(), OLD).values
        assert (values["RowPitch"], values["DepthPitch"]) == (row, depth)


def test_that_views_without_a_description_agree() -> None:
    wrong = [
        (kind, name, accepted)
        for kind, name, accepted in _load("behaviour.json")["null_views"]
        if judge_view(None, kind, _behaving(name), True, OLD).succeeded is not bool(accepted)
    ]
    assert wrong == []


@pytest.mark.parametrize("outcome", ["copied", "ignored"])
def test_that_format_pairs_agree(outcome: str) -> None:
    pairs = _load("behaviour.json")[outcome]
    wrong = [(a, b) for a, b in pairs if formats_copy(DXGI_FORMAT(a), DXGI_FORMAT(b)) is not (outcome == "copied")]
    assert pairs
    assert wrong == []


def _asserted(family: str) -> Iterator[dict[str, Any]]:
    table = _load("windows_asserted.json")["families"][family]
    for row in table["rows"]:
        yield dict(zip(table["columns"], row, strict=True))


def test_that_asserted_buffers_agree() -> None:
    for row in _asserted("create_buffer"):
        resource = Resource("d3d11", "buffer", 1024, bind=row["bind"], misc=row["misc"], stride=row["stride"])
        assert judge_create(resource, NO_DATA, True, NEW).hr == _hr(row["hr"]), row


def test_that_asserted_textures_agree() -> None:
    for row in _asserted("create_texture2d"):
        resource = Resource(
            "d3d11", "texture2d", 512, 512, slices=row["array"], format=DXGI_FORMAT(row["format"]), bind=row["bind"],
            misc=row["misc"],
        )  # fmt: skip
        assert judge_create(resource, NO_DATA, True, NEW).hr == _hr(row["hr"]), row
    for row in _asserted("create_texture3d"):
        resource = Resource(
            "d3d11", "texture3d", 64, 64, 64, format=DXGI_FORMAT(row["format"]), bind=row["bind"]
        )  # fmt: skip
        assert judge_create(resource, NO_DATA, True, NEW).hr == _hr(row["hr"]), row


def test_that_asserted_initial_data_agrees() -> None:
    for row in _asserted("initial_data"):
        resource = Resource("d3d11", row["object"], 512, format=DXGI_FORMAT(28), bind=8)
        data = NULL_DATA if row["data"] == "null pSysMem" else NO_DATA
        assert judge_create(resource, data, True, NEW).hr == _hr(row["hr"]), row


def _mapped_hr(asserted: str) -> str:
    # "00000000 (11.1 runtime) or 80070057": the device here has the 11.2 runtime.
    return _hr(asserted.split(" ")[0])


def test_that_asserted_accesses_agree() -> None:
    for row in _asserted("resource_access"):
        is_buffer = row["resource"] == "buffer"
        shape = (1024, 1) if is_buffer else (4, 4)
        shown = DXGI_FORMAT.UNKNOWN if is_buffer else DXGI_FORMAT.R8G8B8A8_UNORM
        resource = Resource(
            "d3d11", row["resource"], *shape, format=shown, usage=row["usage"], bind=row["bind"], cpu=row["cpu"]
        )
        assert judge_create(resource, GOOD_DATA, True, OLD).hr == _hr(row["create_hr"]), row
        if is_buffer and row["except"]:
            assert judge_create(resource, GOOD_DATA, True, NEW).hr == _mapped_hr(row["except"]), row
        for name, hr in (row["map_hr_by_type"] or {}).items():
            verdict = judge_map(resource, 0, MapType[name], 0, MapState(), NEW)
            assert verdict.hr == _mapped_hr(hr), (row, name)


def test_that_asserted_copies_agree() -> None:
    for row in _asserted("copy_format"):
        source, destination = (
            Resource("d3d11", "texture2d", 4, 4, format=DXGI_FORMAT(row[f"{side}_format"]),
                     bind=64 if row[f"{side}_is_depth_stencil"] else 8)
            for side in ("src", "dst")
        )  # fmt: skip
        assert formats_copy(source.format, destination.format) is bool(row["copied"]), row
        part = judge_copy_region(Side(destination), Side(source), False, (1, 1, 0), (0, 0, 0, 3, 3, 1), NEW)
        depth = row["src_is_depth_stencil"] or row["dst_is_depth_stencil"]
        assert part.values["destination_changes"] is (bool(row["copied"]) and not depth), row


def _passed_view(kind: str, words: list[int], own: DXGI_FORMAT) -> View | None:
    if words == [0]:
        return None
    shown, dimension, *rest = [*words, 0, 0, 0, 0][:6]
    if dimension in (6, 7) and kind in ("srv", "rtv", "uav"):
        # These rows write mip (and mips) before the slices although the structure has no such words.
        rest = rest[2:] if kind == "srv" else rest[1:]
    if kind == "dsv" and dimension in (5, 6):
        rest = rest[1:]
    return _view(kind, own if shown == 0 and own.name.find("TYPELESS") < 0 else DXGI_FORMAT(shown), dimension, rest)


@pytest.mark.parametrize("kind", tuple(VIEW_KINDS))
def test_that_asserted_views_are_refused(kind: str) -> None:
    bind = {"srv": 8, "rtv": 32, "dsv": 64, "uav": 128}[kind]
    for row in _asserted(f"{kind}_desc_invalid"):
        texture = row[next(iter(row))]
        axis, mips, slices, shown = ([4] if kind == "dsv" else []) + texture
        cube = kind == "srv" and row["desc_passed"][1] in (9, 10)
        resource = Resource(
            "d3d11", "texture3d" if axis == 8 else "texture2d", 512, 512, slices if axis == 8 else 1, mips,
            1 if axis == 8 else slices, DXGI_FORMAT(shown), bind=bind, misc=4 if cube else 0,
        )  # fmt: skip
        view = _passed_view(kind, row["desc_passed"], resource.format)
        assert judge_view(view, kind, resource, True, NEW).hr == "E_INVALIDARG", row


@pytest.mark.parametrize("kind", tuple(VIEW_KINDS))
def test_that_asserted_views_are_made_as_described(kind: str) -> None:
    bind = {"srv": 8, "rtv": 32, "dsv": 64, "uav": 128}[kind]
    enum = VIEW_KINDS[kind]
    for row in _asserted(f"{kind}_desc_ok"):
        mips, layers, shown = row[next(iter(row))]
        dimension = row["desc_got"][1]
        is_3d, cube = dimension == 8, kind == "srv" and dimension in (9, 10)
        resource = Resource(
            "d3d11", "texture3d" if is_3d else "texture2d", 512, 512, layers if is_3d else 1, mips,
            1 if is_3d else layers, DXGI_FORMAT(shown), bind=bind, misc=4 if cube else 0,
        )  # fmt: skip
        verdict = judge_view(_passed_view(kind, row["desc_passed"], resource.format), kind, resource, True, NEW)
        assert verdict.hr == "S_OK", row
        assert verdict.values["Format"] == DXGI_FORMAT(row["desc_got"][0]).constant
        assert str(verdict.values["ViewDimension"]).endswith("_" + enum(dimension).name)
        _compare_ranges(kind, enum(dimension).name, row, verdict.values)


def _compare_ranges(kind: str, dimension: str, row: Any, values: Any) -> None:
    got = [*row["desc_got"][2:], 0, 0, 0, 0][:4]
    if "MS" in dimension:
        got = got[2:] if kind == "srv" else got[1:]
        if dimension.endswith("ARRAY"):
            assert [values["First"], values["Count"]] == got[:2], row
        return
    assert values["Mip"] == got[0], row
    if kind == "srv":
        assert values["MipLevels"] == got[1], row
        got = got[1:]
    if "ARRAY" in dimension or (dimension == "TEXTURE3D" and kind != "srv"):
        assert [values["First"], values["Count"]] == got[1:3], row


def test_that_asserted_interfaces_pitches_and_first_maps_agree() -> None:
    for row in _asserted("idxgisurface"):
        dimension = row["object"].removeprefix("texture")[0]
        given = {"width": 512, "height": 512, "depth": 64, "mip_levels": row["mips"], "array_size": row["array"],
                 "bind": ["SHADER_RESOURCE"]}  # fmt: skip
        given = {key: given[key] for key in _KEYS[dimension]}
        found = answer(VectorRecord("d3d11", None, f"CreateTexture{dimension}D", given), CheckOptions())
        assert found.result["implements_IDXGISurface"] is bool(row["has_IDXGISurface"]), row
    for row in _asserted("map_pitches"):
        phrase = row["resource"].split(" ")
        given = {"kind": phrase[0], "usage": "STAGING", "cpu_access": ["READ"], "map_type": "READ", "subresource": 0}
        sizes = [int(number) for number in phrase[1].split("x")]
        given |= dict(zip(("width", "height"), sizes, strict=True)) if len(sizes) > 1 else {"byte_width": sizes[0]}
        found = answer(VectorRecord("d3d11", None, "Map", given), CheckOptions())
        assert [found.result["row_pitch"], found.result["depth_pitch"]] == [row["row_pitch"], row["depth_pitch"]]
        beyond = answer(VectorRecord("d3d11", None, "Map", given | {"subresource": 1}), CheckOptions())
        assert beyond.result["hr"] == "E_INVALIDARG"
    vertices = Resource("d3d11", "buffer", 256, usage=2, bind=1, cpu=0x10000)
    for row in _asserted("deferred_map"):
        wanted = MapType[row["map_type_sequence"].split(" ")[0]]
        assert judge_map(vertices, 0, wanted, 0, MapState(deferred=True), NEW).hr == _hr(row["hr"]), row


_KEYS = {
    "1": ("width", "mip_levels", "array_size", "bind"),
    "2": ("width", "height", "mip_levels", "array_size", "bind"),
    "3": ("width", "height", "depth", "mip_levels", "bind"),
}
