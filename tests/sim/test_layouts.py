"""Layouts of the resources of real snapshots, and their arithmetic."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.calls import CallRecord
from explorer.sim.layout_steps import arithmetic
from explorer.sim.layouts import describe_line, lay_out
from explorer.sim.scenarios import load_simulation

if TYPE_CHECKING:
    from explorer.sim.layouts import Form, LaidOut
    from explorer.sim.snapshot import Snapshot

BINDLESS = "d3d12-bindless-staging-descriptors"
SHOOTER = "d3d9-shooter-2003-agp-64mb"
GAME11 = "d3d11-game-hd7970"


@functools.cache
def snapshot_of(scenario: str) -> Snapshot:
    return load_simulation(scenario).snapshot()


def made(scenario: str, call: str, arguments: dict[str, Any]) -> LaidOut:
    """Return the layout of a resource that a call makes, in the place of one of the scenario's textures."""
    snapshot = snapshot_of(scenario)
    record = CallRecord(snapshot.api, call, arguments, "made by a test")
    words = snapshot.resources.dimensions
    row = next(i for i, at in enumerate(snapshot.resources.dimension) if words[at].startswith("TEXTURE"))
    records = list(snapshot.resources.records)
    records[row] = record
    table = dataclasses.replace(snapshot.resources, records=tuple(records))
    return lay_out(dataclasses.replace(snapshot, resources=table), row)


def result_of(formula: str) -> int:
    """Return what a formula on screen gives."""
    functions = {"ceil": math.ceil, "align": lambda value, step: -(-value // step) * step}
    return int(eval(formula.replace("×", "*"), {"__builtins__": {}}, functions))


def check_arithmetic(form: Form) -> None:
    for part in form.layout.subresources:
        steps = arithmetic(form, part.index)
        for step in steps:
            assert result_of(step.formula) == step.result, (form.id, part, step)
        if form.layout.model != "buffer":
            by_name = {step.name: step.result for step in steps}
            assert by_name["Row bytes"] == part.row_bytes
            assert by_name["Row pitch"] == part.row_pitch
            assert by_name["Rows"] == part.rows
            assert by_name["Offset"] == part.offset
            assert by_name["Bytes"] == part.size_bytes


@pytest.mark.parametrize("scenario", [BINDLESS, SHOOTER, GAME11, "d3d12-upload-heaps-uma"])
def test_that_the_layout_of_every_resource_is_as_large_as_the_simulated_one(scenario: str) -> None:
    snapshot = snapshot_of(scenario)
    seen: set[str] = set()
    for index in range(len(snapshot.resources.names)):
        found = lay_out(snapshot, index)
        if not found.forms:
            assert "Descriptors view" in found.reason
            continue
        sizes = {form.layout.size_bytes for form in found.forms if form.id != "copy"}
        assert int(snapshot.resources.size[index]) in sizes
        if found.line not in seen:
            seen.add(found.line)
            for form in found.forms:
                check_arithmetic(form)


def test_that_a_managed_texture_lies_twice() -> None:
    snapshot = snapshot_of(SHOOTER)
    places = snapshot.resources.places
    managed = [i for i, place in enumerate(snapshot.resources.place) if places[place] == "D3DPOOL_MANAGED"]
    found = lay_out(snapshot, managed[0])
    assert [form.id for form in found.forms] == ["device", "system"]
    device_form, system = found.forms
    assert device_form.layout.confidence == "assumed"
    assert system.layout.confidence in ("measured", "published")
    assert device_form.pitch_alignment > system.pitch_alignment


def test_that_copy_footprints_follow_the_buffer_alignments() -> None:
    found = made(BINDLESS, "CreateCommittedResource", texture12(64, 64, 4, 2, "DXGI_FORMAT_R8G8B8A8_UNORM"))
    copy = found.forms[0]
    assert (copy.id, copy.mips, copy.slices) == ("copy", 4, 2)
    assert all(part.row_pitch % 256 == 0 and part.offset % 512 == 0 for part in copy.layout.subresources)
    # 8 × 8 texels: the last row is not padded.
    assert copy.layout.subresources[3].size_bytes == 256 * 7 + 32
    assert copy.padding_bytes + copy.gap_bytes + copy.layout.texel_bytes == copy.layout.size_bytes
    assert "d3d12.5.2" in copy.rules


def test_that_depth_and_stencil_are_two_planes_of_a_copy() -> None:
    arguments = texture12(256, 256, 1, 1, "DXGI_FORMAT_D24_UNORM_S8_UINT", "D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL")
    arguments["InitialResourceState"] = "D3D12_RESOURCE_STATE_DEPTH_WRITE"
    found = made(BINDLESS, "CreateCommittedResource", arguments)
    copy = found.forms[0]
    assert copy.planes == ("depth", "stencil")
    assert [part.plane for part in copy.layout.subresources] == [0, 1]
    assert [part.row_bytes for part in copy.layout.subresources] == [1024, 256]
    check_arithmetic(copy)


def test_that_a_cube_and_a_volume_have_faces_and_depth() -> None:
    common = {"Levels": 3, "Usage": [], "Format": "D3DFMT_A8R8G8B8", "Pool": "D3DPOOL_MANAGED"}
    cube = made(SHOOTER, "CreateCubeTexture", {"EdgeLength": 64, **common})
    assert cube.forms, cube.reason
    assert cube.forms[0].slices == 6
    volume = made(SHOOTER, "CreateVolumeTexture", {"Width": 32, "Height": 32, "Depth": 8, **common})
    assert [part.depth for part in volume.forms[0].layout.subresources] == [8, 4, 2]
    for found in (cube, volume):
        for form in found.forms:
            check_arithmetic(form)


def texture12(
    width: int,
    height: int,
    mips: int,
    slices: int,
    texel: str,
    flag: str = "",
    *,
    samples: int = 1,
    deep: bool = False,
) -> dict[str, Any]:
    dimension = "D3D12_RESOURCE_DIMENSION_TEXTURE3D" if deep else "D3D12_RESOURCE_DIMENSION_TEXTURE2D"
    return {
        "pHeapProperties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"},
        "pDesc": {
            "Dimension": dimension, "Width": width, "Height": height, "DepthOrArraySize": slices, "MipLevels": mips,
            "Format": texel, "SampleDesc": {"Count": samples, "Quality": 0}, "Flags": [flag] if flag else [],
        },
        "InitialResourceState": "D3D12_RESOURCE_STATE_COMMON",
    }  # fmt: skip


TEXELS = ("R8_UNORM", "R8G8B8A8_UNORM", "R32G32B32_FLOAT", "BC1_UNORM", "BC7_UNORM", "NV12", "R1_UNORM")


@settings(max_examples=60, deadline=None)
@given(
    width=st.integers(1, 300),
    height=st.integers(1, 300),
    mips=st.integers(0, 9),
    slices=st.integers(1, 7),
    texel=st.sampled_from(
        ("R8_UNORM", "R8G8B8A8_UNORM", "R32G32B32_FLOAT", "BC1_UNORM", "BC7_UNORM", "NV12", "R1_UNORM")
    ),
    samples=st.sampled_from((1, 1, 4)),
    volume=st.booleans(),
)
def test_that_every_formula_gives_its_result(
    width: int, height: int, mips: int, slices: int, texel: str, samples: int, volume: bool
) -> None:
    flag = "D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET" if samples > 1 else ""
    arguments = texture12(width, height, mips, slices, f"DXGI_FORMAT_{texel}", flag, samples=samples, deep=volume)
    found = made(BINDLESS, "CreateCommittedResource", arguments)
    for form in found.forms:
        check_arithmetic(form)
    # Copies exist of whatever may be created.
    assert not found.forms or "memory" in {form.id for form in found.forms}


def test_that_an_import_says_what_it_does_not_know() -> None:
    snapshot = snapshot_of(BINDLESS)
    bare = dataclasses.replace(snapshot.resources, records=(None,) * len(snapshot.resources.names))
    found = lay_out(dataclasses.replace(snapshot, origin="imported", resources=bare, adapter=None), 10)
    assert found.forms == ()
    assert found.reason == "The file says how large it is, but not how it was created."


@pytest.mark.parametrize(
    ("call", "arguments", "words"),
    [
        (
            "CreateHeap",
            {"pDesc": {"SizeInBytes": 65536, "Properties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"}}},
            "not simulated",
        ),
        ("CreateNothing", {}, "cannot be read"),
        ("CreateCommittedResource", {"pDesc": 1}, "cannot be read"),
    ],
)
def test_that_a_call_without_a_layout_says_so(call: str, arguments: dict[str, Any], words: str) -> None:
    found = made(BINDLESS, call, arguments)
    assert found.forms == ()
    assert words in found.reason


def test_that_the_line_says_extents_mips_and_format() -> None:
    snapshot = snapshot_of(BINDLESS)
    lines = {describe_line(snapshot, i) for i in range(len(snapshot.resources.names))}
    assert "TEXTURE2D · 512 × 512 · 10 mips · BC7_UNORM" in lines
    assert "DESCRIPTOR_HEAP · 4,096 slots" in lines
