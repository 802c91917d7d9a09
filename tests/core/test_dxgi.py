"""DXGI formats: the enumeration agrees with the facts, and the facts with each other."""

from __future__ import annotations

import pytest

from explorer.core.dxgi import DXGI_FORMAT, full_chain, mip_extent, texel_bytes
from explorer.tables.dxgi_formats import all_formats, format_info, format_sources


def test_that_every_format_has_its_facts() -> None:
    assert list(all_formats()) == list(DXGI_FORMAT)
    assert len(all_formats()) == 122
    assert all("DirectX-Headers" in source or "vkd3d" in source for source in format_sources())


@pytest.mark.parametrize("info", all_formats().values(), ids=lambda info: info.format.name)
def test_that_the_facts_of_a_format_agree(info) -> None:
    assert info.width_multiple % info.block_width == 0
    assert (len(info.planes) or 1) == info.plane_count
    assert info.is_planar >= bool(info.planes)
    assert info.copy_pitch_alignment == (512 if info.is_planar else 256)
    if info.is_compressed:
        assert (info.block_width, info.block_height) == (4, 4)
        assert info.bytes_per_block * 8 == info.bits_per_unit
    assert info.has_stencil is (info.plane_count == 2 and not info.is_yuv)


@pytest.mark.parametrize(
    ("form", "width", "height", "bytes_"),
    [
        (DXGI_FORMAT.R8G8B8A8_UNORM, 3, 5, 60), (DXGI_FORMAT.BC1_UNORM, 5, 4, 16), (DXGI_FORMAT.BC7_UNORM, 1, 1, 16),
        (DXGI_FORMAT.NV12, 8, 6, 72), (DXGI_FORMAT.P010, 8, 6, 144), (DXGI_FORMAT.YUY2, 3, 2, 16),
        (DXGI_FORMAT.R1_UNORM, 9, 1, 2), (DXGI_FORMAT.D24_UNORM_S8_UINT, 2, 2, 16),
        (DXGI_FORMAT.D32_FLOAT_S8X24_UINT, 2, 2, 32), (DXGI_FORMAT["_420_OPAQUE"], 4, 4, 24),
    ],
)  # fmt: skip
def test_that_texels_take_their_bytes(form, width: int, height: int, bytes_: int) -> None:
    assert texel_bytes(format_info(form), width, height) == bytes_


def test_that_a_chain_ends_at_one_texel() -> None:
    assert [full_chain(32, 32), full_chain(1, 1), full_chain(5, 1, 64)] == [6, 1, 7]
    assert [mip_extent(5, mip) for mip in range(4)] == [5, 2, 1, 1]
