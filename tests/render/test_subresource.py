"""The picture of subresources: places, compression, hits and the strip of bytes."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.footprints import ResourceShape, subresource_layouts
from explorer.core.layouts import ResourceLayout
from explorer.render.subresource import COLUMN_LEAST, GAP, SubresourcePicture, strip_of
from explorer.sim.layouts import Form
from explorer.tables.dxgi_formats import format_info


def form_of(width: int = 256, height: int = 256, mips: int = 5, slices: int = 3, texel: str = "R8G8B8A8_UNORM") -> Form:
    info = format_info(DXGI_FORMAT[texel])
    parts = subresource_layouts(ResourceShape(width, height, 1, slices, mips, info))
    size = parts[-1].offset + parts[-1].size_bytes
    texels = sum(part.size_bytes - part.padding_bytes for part in parts)
    layout = ResourceLayout("copy", size, 512, texels, parts)
    blocks = tuple((1, 1, plane.bytes_per_element) for plane in info.planes) or ((1, 1, info.bytes_per_block),)
    return Form("copy", "Copy footprints", layout, "", blocks, tuple(p.role for p in info.planes) or ("",))


@given(st.integers(1, 9), st.integers(1, 40), st.sampled_from(("R8_UNORM", "D24_UNORM_S8_UINT", "NV12")))
def test_that_every_subresource_has_a_box_of_its_own_and_is_hit_there(mips: int, slices: int, texel: str) -> None:
    form = form_of(256, 256, mips, slices, texel)
    picture = SubresourcePicture(form, 700)
    boxes = picture.boxes(0, picture.width)
    assert sorted(box.index for box in boxes) == [part.index for part in form.layout.subresources]
    for box in boxes:
        assert 0 < box.data <= box.width <= picture.column + 1e-9
        assert picture.hit(box.x + box.width / 2, box.y + box.height / 2) == box.index
    ordered = sorted(picture.rows, key=lambda row: row.y)
    assert all(one.y + one.height <= other.y for one, other in itertools.pairwise(ordered))


def test_that_only_columns_in_view_are_made() -> None:
    picture = SubresourcePicture(form_of(slices=2000), 800)
    assert picture.column == COLUMN_LEAST
    boxes = picture.boxes(1000 * (COLUMN_LEAST + GAP), 1000 * (COLUMN_LEAST + GAP) + 500)
    assert len(boxes) == 5 * 5
    assert picture.boxes(-100, -50) == ()


def test_that_padding_is_true_to_scale_inside_its_box() -> None:
    form = form_of(16, 16, 1, 1)
    box = SubresourcePicture(form, 500).box(0)
    # 16 texels of 4 bytes in a pitch of 256.
    assert box.data / box.width == pytest.approx(64 / 256)


def test_that_the_arrows_walk_mips_slices_and_planes() -> None:
    picture = SubresourcePicture(form_of(64, 64, 3, 2, "D24_UNORM_S8_UINT"), 500)
    assert picture.walk(0, 1, 0) == 3
    assert picture.walk(0, 0, 1) == 1
    assert picture.walk(2, 0, 1) == 6
    assert picture.walk(0, -1, 0) is None
    assert picture.walk(11, 0, 1) is None


def test_that_a_click_between_columns_hits_nothing() -> None:
    picture = SubresourcePicture(form_of(), 700)
    assert picture.hit(picture.column + GAP / 2, 5) is None
    assert picture.hit(-1, 5) is None
    assert picture.hit(5, picture.height + 50) is None


def test_that_the_strip_follows_the_bytes_and_names_gaps() -> None:
    form = form_of(20, 20, 3, 2)
    parts = form.layout.subresources
    strip = strip_of(parts, 1, form.layout.size_bytes)
    assert [part.index for part in strip if part.index >= 0] == [0, 1, 2]
    for one, other in itertools.pairwise(strip):
        assert one.end == other.first
    gaps = [part for part in strip if part.index < 0]
    assert all(part.end % 512 == 0 for part in gaps)
    last = strip_of(parts, len(parts) - 1, form.layout.size_bytes + 100)
    assert last[-1].index == -1
    assert last[-1].end == form.layout.size_bytes + 100
    assert strip_of((), 0, 0) == ()
