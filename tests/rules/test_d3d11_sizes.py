"""Pitches and layouts against arithmetic written a second time, from the formats' names alone."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.d3d11_enums import Usage
from explorer.core.dxgi import DXGI_FORMAT
from explorer.rules.d3d11 import Resource, Runtime11, layout_of, mapped_subresource, placement_of
from explorer.rules.d3d11_sizes import tile_shape
from explorer.tables.d3d11_tables import format_classes
from explorer.tables.dxgi_formats import format_info

_BLOCK_BYTES = {"BC1": 8, "BC2": 16, "BC3": 16, "BC4": 8, "BC5": 16, "BC6H": 16, "BC7": 16}
_SPECIAL = {"R9G9B9E5_SHAREDEXP": 32}


def bits_by_name(name: str) -> int:
    """Return bits of a texel: the digits behind the channel letters of the format's name."""
    if name in _SPECIAL:
        return _SPECIAL[name]
    bare = re.sub(r"_(TYPELESS|UNORM|FLOAT)_", "_", name)
    channels = re.match(r"(?:[RGBADXSE]\d+)+(?:_?(?:[GSXB]\d+)+)?", bare)
    assert channels, name
    return sum(int(digits) for digits in re.findall(r"[RGBADXSE](\d+)", channels[0]))


PLAIN = [value for value, row in format_classes().items() if row.name not in ("video", "display only", "packed 4:2:2")]


def slow_rows(value: DXGI_FORMAT, width: int, height: int) -> tuple[int, int]:
    """Return (bytes in a row, rows)."""
    block = value.name.split("_")[0]
    if block in _BLOCK_BYTES:
        return (width + 3) // 4 * _BLOCK_BYTES[block], (height + 3) // 4
    return width * bits_by_name(value.name) // 8, height


@pytest.mark.parametrize("value", PLAIN, ids=lambda value: value.name)
def test_that_mapped_pitches_are_those_of_a_second_calculation(value: DXGI_FORMAT) -> None:
    for width, height in ((1, 1), (4, 4), (5, 7), (64, 3), (100, 61), (513, 2)):
        resource = Resource("d3d11", "texture2d", width, height, mips=0, slices=3, format=value, usage=3, cpu=0x20000)
        at = 0
        for array_slice in range(3):
            for mip in range(resource.levels):
                row, rows = slow_rows(value, max(1, width >> mip), max(1, height >> mip))
                index = mip + array_slice * resource.levels
                assert mapped_subresource(resource, index) == (row, row * rows)
                part = layout_of(resource, Runtime11()).subresources[index]
                assert (part.offset, part.size_bytes) == (at, row * rows)
                at = (at + row * rows + 15) // 16 * 16


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 700), st.integers(1, 700), st.integers(0, 10), st.integers(1, 5), st.sampled_from((1, 2, 4, 8)),
    st.sampled_from((DXGI_FORMAT.R8_UNORM, DXGI_FORMAT.R16_FLOAT, DXGI_FORMAT.R8G8B8A8_UNORM, DXGI_FORMAT.BC7_UNORM,
                     DXGI_FORMAT.R32G32_UINT)),
)  # fmt: skip
def test_that_tiled_sizes_are_those_of_a_second_calculation(
    width: int, height: int, mips: int, slices: int, samples: int, value: DXGI_FORMAT
) -> None:
    blocks = value is DXGI_FORMAT.BC7_UNORM
    samples = 1 if blocks else samples
    levels = 1 if samples > 1 else min(max(mips, 1), max(width, height).bit_length())
    resource = Resource("d3d11", "texture2d", width, height, 1, levels, slices, value, samples, bind=8)
    tile_width, tile_height, _ = tile_shape(format_info(value), False, samples)
    tiles, tail = 0, 0
    for mip in range(levels):
        across, down = max(1, width >> mip), max(1, height >> mip)
        row, rows = slow_rows(value, across, down)
        if tail or across < tile_width or down < tile_height:
            tail += row * rows * samples
        else:
            tiles += -(-across // tile_width) * -(-down // tile_height)
    whole = (tiles + -(-tail // 65536)) * slices
    expected = whole * 65536 if whole > 1 or not tail else -(-tail // 4096) * 4096
    assert layout_of(resource, Runtime11()).size_bytes == expected


@pytest.mark.parametrize(
    ("value", "samples", "shape"),
    [
        (DXGI_FORMAT.R8_UNORM, 1, (256, 256, 1)),
        (DXGI_FORMAT.R16_UNORM, 1, (256, 128, 1)),
        (DXGI_FORMAT.R32_FLOAT, 1, (128, 128, 1)),
        (DXGI_FORMAT.R32G32_FLOAT, 1, (128, 64, 1)),
        (DXGI_FORMAT.R32G32B32A32_FLOAT, 1, (64, 64, 1)),
        (DXGI_FORMAT.BC1_UNORM, 1, (512, 256, 1)),
        (DXGI_FORMAT.BC7_UNORM, 1, (256, 256, 1)),
        (DXGI_FORMAT.R32_FLOAT, 2, (64, 128, 1)),
        (DXGI_FORMAT.R32_FLOAT, 4, (64, 64, 1)),
        (DXGI_FORMAT.R32_FLOAT, 8, (32, 64, 1)),
        (DXGI_FORMAT.R32_FLOAT, 16, (32, 32, 1)),
    ],
)
def test_that_tiles_have_the_standard_shape(value: DXGI_FORMAT, samples: int, shape: tuple[int, int, int]) -> None:
    assert tile_shape(format_info(value), False, samples) == shape


@pytest.mark.parametrize(
    ("bits", "shape"),
    [(8, (64, 32, 32)), (16, (32, 32, 32)), (32, (32, 32, 16)), (64, (32, 16, 16)), (128, (16, 16, 16))],
)
def test_that_tiles_of_volumes_have_the_standard_shape(bits: int, shape: tuple[int, int, int]) -> None:
    named = {8: "R8_UNORM", 16: "R16_UNORM", 32: "R32_FLOAT", 64: "R32G32_FLOAT", 128: "R32G32B32A32_FLOAT"}
    assert tile_shape(format_info(DXGI_FORMAT[named[bits]]), True, 1) == shape


@pytest.mark.parametrize("adapter", ["discrete", "uma", "discrete_agp"])
@pytest.mark.parametrize("usage", list(Usage))
@pytest.mark.parametrize("is_buffer", [True, False])
def test_that_every_legal_resource_has_a_place(adapter: str, usage: Usage, is_buffer: bool) -> None:
    cpu = {Usage.DYNAMIC: 0x10000, Usage.STAGING: 0x30000}.get(usage, 0)
    dimension = "buffer" if is_buffer else "texture2d"
    row = placement_of(Resource("d3d11", dimension, 64, usage=usage, cpu=cpu), adapter)
    assert row.segment in ("LOCAL", "NON_LOCAL")
    assert (row.caching == "none") == (cpu == 0)
    assert row.source
