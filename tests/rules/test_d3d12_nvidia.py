"""The nvidia size model reproduces what a real driver answered, row by row."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from explorer.core.d3d12_enums import ResourceDimension
from explorer.core.d3d12_structs import ResourceDesc, SampleDesc
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.units import align_up
from explorer.rules.size_model_nvidia import (
    OPTIMAL_ALIGNMENT,
    Image,
    image_bytes,
    image_levels,
    layer_pitch,
    linear_bytes,
    modifier_bytes,
    planar_bytes,
    sparse_image,
    texel_offset,
)
from explorer.rules.size_models import MODELS, resource_bytes, resource_layout
from tests.shared_folder import SHARED

if TYPE_CHECKING:
    from collections.abc import Iterator

SUBSET = Path(__file__).parent / "data" / "nvidia_sizes.json"
SPARSE, DISJOINT = 1 | 2, 0x200
UNIFORM, INDEX, INDIRECT = 0x10, 0x40, 0x100
COLOUR, DEPTH, TRANSFER_DST = 0x10, 0x20, 2


def measured() -> dict[str, Any]:
    """Return the rows of the reference where it is, else the subset that the project keeps."""
    if SHARED is not None:
        return json.loads((SHARED / "reference" / "hardware" / "nvidia_h200_vulkan.json").read_bytes())
    return json.loads(SUBSET.read_bytes())


def rows(data: dict[str, Any], table: str) -> Iterator[dict[str, Any]]:
    columns = data[table]
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        row["format"] = data["formats"][row["format"]] if "format" in row else None
        row["usage"] = data["usages"][row["usage"]] if "usage" in row else 0
        row["flags"] = data["flags"][row["flags"]] if "flags" in row else 0
        row["class"] = data["classes"][row["class"]] if "class" in row else None
        yield row


def image(row: dict[str, Any]) -> Image:
    across, down = row["format"]["block"]
    return Image(
        row.get("dim", 2) == 3, row["width"], row["height"], row.get("depth", 1), row.get("mips", 1),
        row.get("layers", 1), row.get("samples", 1), row["format"]["bytes"], across, down, bool(row["usage"] & DEPTH),
    )  # fmt: skip


def planes(row: dict[str, Any]) -> list[Image]:
    def shifted(extent: int, shift: int) -> int:
        return max(1, (extent + (1 << shift) - 1) >> shift)

    return [
        Image(
            False, shifted(row["width"], plane["x_shift"]), shifted(row["height"], plane["y_shift"]), 1, 1,
            row["layers"], 1, plane["bytes"],
        )
        for plane in row["format"]["planes"]
    ]  # fmt: skip


def buffer_alignment(usage: int, flags: int) -> int:
    if flags & SPARSE:
        return 65536
    if usage & UNIFORM:
        return 64
    return 4 if usage and not usage & ~(INDEX | INDIRECT) else 16


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return measured()


@pytest.mark.parametrize("file", ["reference", "subset"])
def test_that_optimal_images_are_reproduced(file: str, data: dict[str, Any]) -> None:
    source = data if file == "reference" else json.loads(SUBSET.read_bytes())
    bad = [row for row in rows(source, "images") if image_bytes(image(row)) != row["size"]]
    assert bad == []
    assert {row["class"][0] for row in rows(source, "images")} == {OPTIMAL_ALIGNMENT}


def test_that_sparse_images_and_their_tails_are_reproduced(data: dict[str, Any]) -> None:
    bad: list[Any] = []
    for row in rows(data, "sparse"):
        one = image(row)
        found = sparse_image(one, sparse_shape(one))
        good = found.size_bytes == row["size"]
        if row["aspect"]:
            tail = [found.first_tail_mip, found.is_single_tail, found.tail_bytes, found.tail_offset, found.tail_stride]
            names = ("tail_first_lod", "single_tail", "tail_size", "tail_offset", "tail_stride")
            good = good and tail == [row[name] for name in names]
        if not good:
            bad.append((row, found))
    assert bad == []


def sparse_shape(one: Image) -> tuple[int, int, int]:
    """Return the shape of a tile in texels or blocks, from the measured table of bytes and rows."""
    size = one.block_bytes
    if one.is_3d:
        across, down, deep = (64, 32, 32) if size <= 2 else (128, 32, 16) if size == 4 else (256, 16, 16)
        return across // size, down, deep
    across, down = (256, 256) if size == 1 else (512, 128) if size <= 4 else (1024, 64)
    wide, high = {1: (1, 1), 2: (2, 1), 4: (2, 2), 8: (4, 2), 16: (4, 4)}[one.samples]
    return across // size // wide, down // high, 1


def test_that_linear_images_are_reproduced(data: dict[str, Any]) -> None:
    bad: list[Any] = []
    for row in rows(data, "linear"):
        across, down = row["format"]["block"]
        alignment = 128 if row["usage"] & (TRANSFER_DST | COLOUR | DEPTH) else 32
        width, height = -(-row["width"] // across), -(-row["height"] // down)
        size, pitch = linear_bytes(width, height, row["format"]["bytes"], alignment)
        # The 10 and 12 bit video formats stand in units of 64 KiB.
        size = align_up(size, 65536) if re.search(r"X[46]", row["format"]["name"]) else size
        if (size, pitch) != (row["size"], row["row_pitch"]):
            bad.append((row, size, pitch))
    assert bad == []


def test_that_multi_planar_images_are_reproduced(data: dict[str, Any]) -> None:
    bad: list[Any] = []
    for row in rows(data, "planar"):
        if row["tiling"] or row["flags"] & SPARSE:
            continue
        parts = planes(row)
        disjoint = row["flags"] & DISJOINT
        sizes = [image_bytes(part) for part in parts[:2]] if disjoint else [planar_bytes(parts), 0]
        if sizes != [row["size_plane0"], row["size_plane1"]]:
            bad.append((row, sizes))
    assert bad == []


def test_that_linear_multi_planar_images_are_reproduced(data: dict[str, Any]) -> None:
    bad: list[Any] = []
    for row in rows(data, "planar"):
        if not row["tiling"]:
            continue
        alignment = 128 if row["usage"] & (TRANSFER_DST | COLOUR | DEPTH) else 32
        sizes: list[int] = []
        pitch = 0
        for at, part in enumerate(planes(row)):
            size, own = linear_bytes(part.width, part.height, part.block_bytes, alignment)
            if at == 1 and "2PLANE_444" in row["format"]["name"]:
                # The second of two full-size planes takes twice the first one's pitch.
                size = 2 * pitch * part.height
            pitch = own
            sizes.append(align_up(size, 65536))
        found = sizes[:2] if row["flags"] & DISJOINT else [sum(sizes), 0]
        if found != [row["size_plane0"], row["size_plane1"]]:
            bad.append((row, found))
    assert bad == []


def test_that_sparse_multi_planar_images_are_reproduced(data: dict[str, Any]) -> None:
    bad: list[Any] = []
    for row in rows(data, "planar"):
        if not row["flags"] & SPARSE:
            continue
        parts = [sparse_image(part, sparse_shape(part)) for part in planes(row)]
        sizes = [part.size_bytes for part in parts]
        found = sizes[:2] if row["flags"] & DISJOINT else [sum(sizes), 0]
        if found != [row["size_plane0"], row["size_plane1"]]:
            bad.append((row, found))
    assert bad == []


def test_that_modifier_images_are_reproduced(data: dict[str, Any]) -> None:
    bad: list[Any] = []
    for row in rows(data, "drm_modifier"):
        low, size = row["modifier_low"], row["format"]["bytes"]
        found = (
            modifier_bytes(row["width"], row["height"], size, low - 0x10)
            if low
            else linear_bytes(row["width"], row["height"], size, 32)
        )
        if found != (row["size"], row["row_pitch"]):
            bad.append((row, found))
    assert bad == []


def test_that_buffers_are_reproduced(data: dict[str, Any]) -> None:
    bad = []
    for row in rows(data, "buffers"):
        alignment = buffer_alignment(row["usage"], row["flags"])
        if (align_up(row["asked"], alignment), alignment) != (row["size"], row["class"][0]):
            bad.append(row)
    assert bad == []


def test_that_levels_lie_where_the_driver_puts_them(data: dict[str, Any]) -> None:
    for row in rows(data, "levels"):
        asked = {**row, "mips": len(row["level_offsets"]), "usage": 0}
        one = image(asked)
        levels = image_levels(one)
        assert [level.offset for level in levels] == row["level_offsets"]
        assert [level.size_bytes for level in levels] == row["level_sizes"]
        assert layer_pitch(one, levels) == row["array_pitch"]


def test_that_texels_lie_where_the_driver_puts_them(data: dict[str, Any]) -> None:
    for size, width, height, x, y, offset in data["swizzle"]:
        one = Image(False, width, height, 1, 1, 1, 1, size)
        assert texel_offset(one, x, y) == offset


@pytest.mark.parametrize(
    ("desc", "size"),
    [
        (ResourceDesc(ResourceDimension.TEXTURE2D, 0, 1920, 1080, Format=DXGI_FORMAT.R8G8B8A8_UNORM), 8_847_360),
        (ResourceDesc(ResourceDimension.TEXTURE2D, 0, 1920, 1080, Format=DXGI_FORMAT.NV12), 3_473_408),
        (
            ResourceDesc(
                ResourceDimension.TEXTURE2D, 0, 1920, 1080, Format=DXGI_FORMAT.R16G16B16A16_FLOAT,
                SampleDesc=SampleDesc(4, 0),
            ),
            66_846_720,
        ),
        (ResourceDesc(ResourceDimension.TEXTURE3D, 0, 64, 64, 64, Format=DXGI_FORMAT.R8G8B8A8_UNORM), 1_048_576),
        (ResourceDesc(ResourceDimension.TEXTURE2D, 0, 4096, 16, 1, 0, DXGI_FORMAT.R8G8B8A8_UNORM), 394_752),
    ],
)  # fmt: skip
def test_that_d3d12_rounds_the_measured_size_up_to_its_alignment(desc: ResourceDesc, size: int) -> None:
    assert resource_bytes(desc, 65536, "nvidia") == align_up(size, 65536)
    layout = resource_layout(desc, 65536, "nvidia")
    assert (layout.model, layout.confidence) == ("nvidia", "typical")
    assert layout.steps


def test_that_there_are_three_models() -> None:
    assert [model.id for model in MODELS] == ["linear", "tiled", "nvidia"]
