"""Sizes, pitches, offsets and places of Direct3D 9 resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core import d3d9
from explorer.core.d3d9 import Format, Pool, Usage
from explorer.rules.d3d9 import Resource, Runtime, device_layout, judge, layout, overflow_placement, placement
from explorer.rules.d3d9_sizes import lock_offset, row_pitch
from tests.rules.d3d9_strategies import LEGAL_FORMATS, LEGAL_TEXTURES, PLAIN_CREATES

if TYPE_CHECKING:
    from explorer.core.layouts import ResourceLayout

BLOCKS = {"DXT1": (4, 8), "DXT5": (4, 16)}


def texture(**changes: Any) -> d3d9.CreateTexture:
    usage = Usage(0)
    given = {"Width": 64, "Height": 64, "Levels": 1, "Usage": usage, "Format": 21, "Pool": Pool.DEFAULT, **changes}
    return d3d9.CreateTexture(**given)


def slow_chain(width: int, height: int, value: Format) -> int:
    """Add up a mip chain texel row by texel row, as the pages describe it."""
    total = 0
    while True:
        if value.name in BLOCKS:
            side, block = BLOCKS[value.name]
            across, rows = 0, 0
            while across * side < width:
                across += 1
            while rows * side < height:
                rows += 1
            row = across * block
        elif value is Format.UYVY:
            row, rows = (width + 1) // 2 * 4, height
        else:
            row = width * {"A8R8G8B8": 4, "R5G6B5": 2, "L8": 1, "R8G8B8": 3, "A32B32G32R32F": 16}[value.name]
            rows = height
        while row % 4:
            row += 1
        total += row * rows
        if width == height == 1:
            return total
        width, height = max(1, width // 2), max(1, height // 2)


@given(arguments=LEGAL_TEXTURES)
@settings(max_examples=120, deadline=None)
def test_that_a_system_copy_is_as_long_as_its_rows(arguments: d3d9.CreateTexture) -> None:
    found = layout(arguments)
    last = found.subresources[-1]
    assert last.offset + last.size_bytes == slow_chain(arguments.Width, arguments.Height, Format(arguments.Format))


def is_sound(found: ResourceLayout) -> bool:
    end = 0
    for index, part in enumerate(found.subresources):
        if part.index != index or part.offset != end or part.size_bytes < part.rows * part.row_pitch:
            return False
        end += part.size_bytes
    texels = sum(part.size_bytes - part.padding_bytes for part in found.subresources)
    return end <= found.size_bytes and found.size_bytes % found.alignment == 0 and texels == found.texel_bytes


@given(arguments=PLAIN_CREATES)
@settings(max_examples=150, deadline=None)
def test_that_whatever_can_be_created_has_sound_layouts(arguments: d3d9.CreateInput) -> None:
    if judge(arguments).succeeded:
        assert is_sound(layout(arguments))
        assert is_sound(device_layout(arguments))
        for adapter in ("discrete_agp", "discrete_pcie", "uma"):
            assert placement(arguments, adapter).source


@given(
    width=st.integers(1, 300), height=st.integers(1, 300), more=st.integers(0, 40), value=LEGAL_FORMATS,
    usage=st.sampled_from([0, 512, 1024]),
)  # fmt: skip
@settings(max_examples=120, deadline=None)
def test_that_sizes_grow_with_each_extent(width: int, height: int, more: int, value: Format, usage: int) -> None:
    base = Resource("texture", width, height, usage=usage, format=int(value))
    for changed in (
        Resource("texture", width + more, height, usage=usage, format=int(value)),
        Resource("texture", width, height + more, usage=usage, format=int(value)),
        Resource("texture", width, height, levels=1, stored_levels=1 + more % 4, usage=usage, format=int(value)),
        Resource("cube_texture", width, height, usage=usage, format=int(value)),
    ):
        assert layout(changed).size_bytes >= layout(base).size_bytes
        assert device_layout(changed).size_bytes >= device_layout(base).size_bytes


@pytest.mark.parametrize(
    ("resource", "pitch"),
    [
        (Resource("texture", 5, 5, format=int(Format.R5G6B5), pool=2), 12),
        (Resource("texture", 2, 2, format=int(Format.DXT1), pool=1), 8),
        (Resource("texture", 31, 1, format=int(Format.R8G8B8), pool=3), 96),
        (Resource("texture", 5, 1, format=int(Format.UYVY), pool=3), 12),
        (Resource("texture", 128, 128, format=int(Format.ATI2), pool=3), 128),
        (Resource("texture", 128, 128, format=int(Format.ATI1), pool=3), 128),
        (Resource("texture", 7, 1, format=int(Format.R8G8B8), pool=2, user_memory=True), 21),
        (Resource("offscreen_plain_surface", 9, 1, format=int(Format.A1), pool=2), 4),
    ],
    ids=str,
)
def test_that_rows_are_rounded_up_to_four_bytes(resource: Resource, pitch: int) -> None:
    assert row_pitch(resource) == pitch


def test_that_a_lock_points_at_its_texel() -> None:
    volume = Resource("volume_texture", 32, 32, 8, pool=3)
    assert lock_offset(volume, 0, 4, 4, 2) == 2 * 4096 + 4 * 128 + 16


def test_that_a_cube_goes_face_by_face() -> None:
    cube = layout(d3d9.CreateCubeTexture(4, 0, Usage(0), Format.A8R8G8B8, Pool.SYSTEMMEM))
    assert [part.slice for part in cube.subresources] == [face for face in range(6) for _ in range(3)]
    assert cube.subresources[3].offset == (16 + 4 + 1) * 4


def test_that_generated_levels_take_video_memory_but_no_master() -> None:
    arguments = texture(Usage=Usage.AUTOGENMIPMAP, Levels=0, Pool=Pool.MANAGED)
    assert len(layout(arguments).subresources) == 1
    assert len(device_layout(arguments).subresources) == 7


def test_that_each_sample_takes_a_texel() -> None:
    plain = device_layout(d3d9.CreateRenderTarget(64, 64, Format.A8R8G8B8))
    four = device_layout(d3d9.CreateRenderTarget(64, 64, Format.A8R8G8B8, d3d9.MultisampleType._4_SAMPLES))
    assert four.texel_bytes == 4 * plain.texel_bytes == 4 * 64 * 64 * 4


def test_that_the_steps_show_the_arithmetic() -> None:
    assert device_layout(texture(Width=10, Height=10)).steps == (
        "block 1 × 1 texels, 4 B",
        "level 0: row 40 B → pitch 64 B × 10 rows = 768 B",
        "rounded up to 4096 B: 4096 B",
    )


def test_that_a_target_without_storage_is_an_object_all_the_same() -> None:
    found = device_layout(d3d9.CreateRenderTarget(64, 64, Format.NULL))
    assert (found.texel_bytes, found.size_bytes) == (0, found.alignment)


def test_that_a_buffer_takes_its_length_rounded_up() -> None:
    arguments = d3d9.CreateVertexBuffer(1000, Usage(0), 0, Pool.DEFAULT)
    assert device_layout(arguments).size_bytes == 1024
    assert layout(arguments).size_bytes == 1008


BUFFER = d3d9.CreateVertexBuffer(64, Usage(0), 0, Pool.DEFAULT)
PLACES = [
    (texture(), "discrete_agp", "local_video", None),
    (texture(Usage=Usage.DYNAMIC), "discrete_agp", "agp_aperture", None),
    (texture(Usage=Usage.DYNAMIC), "discrete_pcie", "system_gpu_visible", None),
    (texture(Usage=Usage.RENDERTARGET), "uma", "uma_system", None),
    (texture(Pool=Pool.MANAGED), "discrete_pcie", "system", "local_video"),
    (texture(Pool=Pool.SYSTEMMEM), "discrete_pcie", "system", None),
    (texture(Pool=Pool.SCRATCH), "uma", "system", None),
    (BUFFER, "discrete_agp", "local_video", None),
    (d3d9.CreateVertexBuffer(64, Usage.DYNAMIC, 0, Pool.DEFAULT), "discrete_agp", "agp_aperture", None),
    (d3d9.CreateVertexBuffer(64, Usage.SOFTWAREPROCESSING, 0, Pool.DEFAULT), "discrete_agp", "system", None),
    (d3d9.CreateVertexBuffer(64, Usage.POINTS, 0, Pool.DEFAULT), "discrete_agp", "local_video", None),
    (d3d9.CreateOffscreenPlainSurface(8, 8, Format.A8R8G8B8, Pool.DEFAULT), "uma", "uma_system", None),
    (d3d9.CreateDepthStencilSurface(8, 8, Format.D24S8), "discrete_agp", "local_video", None),
]


@pytest.mark.parametrize(("arguments", "adapter", "segment", "copy"), PLACES, ids=lambda value: str(value)[:40])
def test_that_the_usage_decides_the_place(
    arguments: d3d9.CreateInput, adapter: str, segment: str, copy: str | None
) -> None:
    found = placement(arguments, adapter)
    assert (found.segment, found.copy_segment) == (segment, copy)


def test_that_what_the_hardware_cannot_do_goes_to_system_memory() -> None:
    points = d3d9.CreateVertexBuffer(64, Usage.NPATCHES, 0, Pool.DEFAULT)
    assert placement(points, "discrete_pcie", Runtime(n_patches=False)).segment == "system"
    assert overflow_placement("discrete_agp").segment == "agp_aperture"
    assert overflow_placement("uma").segment == "fails"
