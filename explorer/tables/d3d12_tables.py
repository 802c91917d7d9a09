"""The rules and facts of D3D12 as rows, read from ``d3d12_rules.json`` and ``d3d12_facts.json``."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from explorer.core.d3d12_enums import CpuPageProperty, HeapType, MemoryPool, ResourceDimension
from explorer.core.tiles import TILE_BYTES, TileShape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.dxgi import DxgiFormatInfo

API = "d3d12"


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule.

    Attributes:
        id: For example ``d3d12.3.4a``: API, section and item of the rule collection, and a letter.
        api: ``d3d12``.
        topic: A word or two to browse by.
        text: One plain sentence.
        source: Citation.
        checked: Date of the last check against the sources, ISO.
    """

    id: str
    api: str
    topic: str
    text: str
    source: str
    checked: str


class _RuleFile(msgspec.Struct):
    schema: str
    checked: str
    sources: dict[str, str]
    columns: list[str]
    rows: list[tuple[str, str, str, str]]


class _FactFile(msgspec.Struct):
    schema: str
    checked: str
    sources: dict[str, str]
    constants: list[tuple[str, int | float, str]]
    heap_properties: list[tuple[str, str, str, str, str]]
    tile_shapes: list[tuple[int, str, int, bool, int, int, int, str]]
    sample_divisors: list[tuple[int, int, int, str]]


def _read(name: str) -> bytes:
    return resources.files("explorer.tables").joinpath(name).read_bytes()


@functools.cache
def _facts() -> _FactFile:
    return msgspec.json.decode(_read("d3d12_facts.json"), type=_FactFile)


@functools.cache
def rules() -> tuple[RuleRow, ...]:
    """Return every rule of D3D12, in the order of the collection."""
    file = msgspec.json.decode(_read("d3d12_rules.json"), type=_RuleFile)
    return tuple(
        RuleRow(id_, API, topic, text, "; ".join(file.sources[key] for key in keys.split()), file.checked)
        for id_, topic, keys, text in file.rows
    )


@functools.cache
def rules_by_id() -> Mapping[str, RuleRow]:
    """Return id → rule."""
    return {row.id: row for row in rules()}


@functools.cache
def _constants() -> Mapping[str, int | float]:
    return {name: value for name, value, _ in _facts().constants}


def constant(name: str) -> int:
    """Return a limit or alignment by its name without ``D3D12_``, for example ``REQ_MIP_LEVELS``."""
    return int(_constants()[name])


def constant_source(name: str) -> str:
    """Return where a constant comes from."""
    keys = next(keys for known, _, keys in _facts().constants if known == name)
    return "; ".join(_facts().sources[key] for key in keys.split())


def number(name: str) -> float:
    """Return a constant that need not be whole, for example ``TRIM_THRESHOLD``."""
    return float(_constants()[name])


@functools.cache
def _heap_properties() -> Mapping[tuple[str, HeapType], tuple[CpuPageProperty, MemoryPool]]:
    return {
        (architecture, HeapType[kind]): (CpuPageProperty[page], MemoryPool[pool])
        for architecture, kind, page, pool, _ in _facts().heap_properties
    }


def custom_properties(heap_type: HeapType, uma: bool, cache_coherent: bool) -> tuple[CpuPageProperty, MemoryPool]:
    """Return page property and pool behind a heap type (not CUSTOM) on an architecture.

    Source: d3d12.1.4a.
    """
    architecture = "discrete" if not uma else "cache_coherent_uma" if cache_coherent else "uma"
    return _heap_properties()[architecture, heap_type]


@functools.cache
def _tile_shapes() -> Mapping[tuple[int, str, int, bool], TileShape]:
    return {
        (size, dimension, bits, compressed): TileShape(width, height, depth)
        for size, dimension, bits, compressed, width, height, depth, _ in _facts().tile_shapes
    }


@functools.cache
def _divisors() -> Mapping[int, tuple[int, int]]:
    return {samples: (across, down) for samples, across, down, _ in _facts().sample_divisors}


def nvidia_sample_grid(samples: int) -> tuple[int, int]:
    """Return how many texels wide and high the samples of one texel are stored in the block-linear layout.

    Source: hardware/nvidia_sizes, section 4: the same grid by which tiles shrink.
    """
    return _divisors().get(samples, (samples, 1))


@functools.cache
def tile_shape(
    dimension: ResourceDimension, info: DxgiFormatInfo, samples: int = 1, tile_bytes: int = TILE_BYTES
) -> TileShape | None:
    """Return the texels of a tile, or None for a format or sample count that has no tiles.

    Args:
        dimension: What kind of resource; a 1D texture has 4 KiB tiles only, its 64 KiB shape is one row.
        info: The format; bits per texel or per block decide.
        samples: Samples of a texel, 1 to 16.
        tile_bytes: 65536 or 4096.

    Source: d3d12.6.2.
    """
    if dimension is ResourceDimension.BUFFER:
        return TileShape(tile_bytes, 1, 1)
    bits = info.bits_per_unit
    if dimension is ResourceDimension.TEXTURE1D and tile_bytes == TILE_BYTES:
        return TileShape(tile_bytes * 8 // bits, 1, 1) if bits and not info.is_compressed else None
    shape = _tile_shapes().get((tile_bytes, dimension.name, bits, info.is_compressed))
    if shape is None or samples == 1:
        return shape
    divisor = _divisors().get(samples)
    if divisor is None:
        return None
    return TileShape(max(1, shape.width // divisor[0]), max(1, shape.height // divisor[1]), shape.depth)
