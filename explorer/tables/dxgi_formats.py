"""The facts about the 122 DXGI formats, read from ``dxgi_formats.json``."""

from __future__ import annotations

import functools
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from explorer.core.dxgi import DXGI_FORMAT, DxgiFormatInfo, PlaneInfo

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Row(msgspec.Struct, array_like=True):
    value: int
    name: str
    bits_per_unit: int
    bits_per_texel: int
    block_width: int
    block_height: int
    bytes_per_block: int
    width_multiple: int
    height_multiple: int
    flags: list[str]
    depth_bits: int
    stencil_bits: int
    plane_count: int
    planes: list[tuple[str, str, int, int, int]]
    chroma_x: int
    chroma_y: int
    family: str
    typeless_parent: str | None
    copy_pitch_alignment: int
    note: str


class _Table(msgspec.Struct):
    schema: str
    source: list[str]
    checked: str
    columns: list[str]
    rows: list[_Row]


def _format(name: str) -> DXGI_FORMAT:
    return DXGI_FORMAT[f"_{name}" if name[0].isdigit() else name]


def _info(row: _Row) -> DxgiFormatInfo:
    return DxgiFormatInfo(
        format=DXGI_FORMAT(row.value),
        bits_per_unit=row.bits_per_unit,
        bits_per_texel=row.bits_per_texel,
        block_width=row.block_width,
        block_height=row.block_height,
        bytes_per_block=row.bytes_per_block,
        width_multiple=row.width_multiple,
        height_multiple=row.height_multiple,
        is_compressed="compressed" in row.flags,
        is_typeless="typeless" in row.flags,
        is_srgb="srgb" in row.flags,
        is_depth="depth" in row.flags,
        depth_bits=row.depth_bits,
        stencil_bits=row.stencil_bits,
        is_depth_stencil_family="depth_stencil_family" in row.flags,
        is_planar="planar" in row.flags,
        is_yuv="yuv" in row.flags,
        is_opaque="opaque" in row.flags,
        plane_count=row.plane_count,
        planes=tuple(PlaneInfo(role, _format(copy), size, x, y) for role, copy, size, x, y in row.planes),
        chroma_x=row.chroma_x,
        chroma_y=row.chroma_y,
        family=_format(row.family),
        typeless_parent=_format(row.typeless_parent) if row.typeless_parent else None,
        copy_pitch_alignment=row.copy_pitch_alignment,
        note=row.note,
    )


@functools.cache
def _table() -> _Table:
    data = resources.files("explorer.tables").joinpath("dxgi_formats.json").read_bytes()
    return msgspec.json.decode(data, type=_Table)


@functools.cache
def all_formats() -> Mapping[DXGI_FORMAT, DxgiFormatInfo]:
    """Return the facts of every format, in the order of values."""
    return {info.format: info for info in map(_info, _table().rows)}


def format_info(value: DXGI_FORMAT) -> DxgiFormatInfo:
    """Return the facts about a format."""
    return all_formats()[value]


def format_sources() -> tuple[str, ...]:
    """Return where the facts come from."""
    return tuple(_table().source)
