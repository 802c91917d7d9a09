"""Footprints against a second, slow way to get them: laying out every row of every subresource."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.footprints import (
    ResourceShape,
    copyable_footprints,
    subresource_index,
    subresource_layouts,
    subresource_parts,
)
from explorer.tables.dxgi_formats import all_formats, format_info

UNKNOWN = DXGI_FORMAT.UNKNOWN
# NV11's second plane has a pitch that its width does not explain: it has a test of its own.
SIZED = [info for info in all_formats().values() if info.format not in (UNKNOWN, DXGI_FORMAT.NV11)]
PLANE_ROWS = {
    # format: (elements across, elements down, bytes) of each plane for a luma size that is a multiple of both.
    "NV12": lambda w, h: [(w, h, 1), (w // 2, h // 2, 2)],
    "P010": lambda w, h: [(w, h, 2), (w // 2, h // 2, 4)],
    "P016": lambda w, h: [(w, h, 2), (w // 2, h // 2, 4)],
    "P208": lambda w, h: [(w, h, 1), (w // 2, h, 2)],
    "V208": lambda w, h: [(w, h, 1), (w, h // 2, 1), (w, h // 2, 1)],
    "V408": lambda w, h: [(w, h, 1), (w, h, 1), (w, h, 1)],
}


def rows_of(info, width: int, height: int, plane: int) -> tuple[int, int]:
    """Return (row bytes, rows) of a level whose texels were rounded up to whole blocks, by counting blocks."""
    if info.format.name in PLANE_ROWS:
        across, down, size = PLANE_ROWS[info.format.name](width, height)[plane]
        return across * size, down
    if info.has_stencil:
        return width * (4, 1)[plane], height
    if info.format.name == "_420_OPAQUE":
        return width, height + height // 2
    blocks_across = len(range(0, width, info.block_width))
    blocks_down = len(range(0, height, info.block_height))
    return blocks_across * info.bytes_per_block, blocks_down


def slow(info, width: int, height: int, depth: int, slices: int, mips: int) -> list[tuple[int, int, int, int]]:
    """Return (offset, pitch, rows, end of the last row) of every subresource, row by row."""
    pitch_unit = 512 if info.is_planar else 256
    at = 0
    found = []
    for plane in range(info.plane_count):
        for _ in range(slices):
            w, h, d = width, height, depth
            for _ in range(mips):
                full_w = -(-w // info.width_multiple) * info.width_multiple
                full_h = -(-h // info.height_multiple) * info.height_multiple
                row_bytes, rows = rows_of(info, full_w, full_h, plane)
                pitch = pitch_unit
                while pitch < row_bytes:
                    pitch += pitch_unit
                while at % 512:
                    at += 1
                end = start = at
                for _ in range(rows * d):
                    end = at + row_bytes
                    at += pitch
                at = end
                found.append((start, pitch, rows, end))
                w, h, d = max(1, w // 2), max(1, h // 2), max(1, d // 2)
    return found


@pytest.mark.parametrize("info", SIZED, ids=lambda info: info.format.name)
def test_that_footprints_agree_with_laying_out_every_row(info) -> None:
    for width, height in ((1, 1), (3, 5), (4, 4), (64, 16), (130, 9), (257, 2)):
        for depth, slices, mips in ((1, 1, 1), (1, 3, 4), (5, 1, 3)):
            shape = ResourceShape(width, height, depth, slices, mips, info)
            found = copyable_footprints(shape, 0, shape.subresources, 0)
            assert found is not None
            wanted = slow(info, width, height, depth, slices, mips)
            assert [(p.offset, p.row_pitch, p.rows, p.offset + p.size_bytes) for p in found.layouts] == wanted
            assert found.total_bytes == wanted[-1][-1]


def test_that_nv11_takes_its_second_pitch_from_half_the_width() -> None:
    found = copyable_footprints(ResourceShape(1024, 2, 1, 1, 1, format_info(DXGI_FORMAT.NV11)), 0, 2, 0)
    assert found is not None
    assert [(p.width, p.row_pitch, p.row_bytes) for p in found.layouts] == [(1024, 1024, 1024), (256, 1024, 512)]


def test_that_the_base_offset_is_not_aligned_and_wraps() -> None:
    shape = ResourceShape(4, 4, 1, 1, 2, format_info(DXGI_FORMAT.R8G8B8A8_UNORM))
    found = copyable_footprints(shape, 0, 2, 2**64 - 1)
    assert found is not None
    assert [part.offset for part in found.layouts] == [2**64 - 1, 1023]


@pytest.mark.parametrize(("first", "count"), [(0, 13), (12, 1), (12, 0), (5, 8)])
def test_that_subresources_that_do_not_exist_have_no_footprint(first: int, count: int) -> None:
    shape = ResourceShape(8, 8, 1, 3, 4, format_info(DXGI_FORMAT.R8_UNORM))
    assert copyable_footprints(shape, first, count, 0) is None


@given(st.integers(1, 15), st.integers(1, 9), st.integers(0, 500))
@settings(deadline=None)
def test_that_a_subresource_number_and_its_parts_are_one_to_one(mips: int, slices: int, index: int) -> None:
    mip, array_slice, plane = subresource_parts(index, mips, slices)
    assert 0 <= mip < mips
    assert 0 <= array_slice < slices
    assert subresource_index(mip, array_slice, plane, mips, slices) == index


def test_that_layouts_say_how_much_of_them_is_padding() -> None:
    shape = ResourceShape(3, 3, 1, 2, 1, format_info(DXGI_FORMAT.R8G8B8A8_UNORM))
    first, second = subresource_layouts(shape)
    assert (first.row_bytes, first.row_pitch, first.size_bytes, first.padding_bytes) == (12, 256, 524, 488)
    assert second.offset == 1024
