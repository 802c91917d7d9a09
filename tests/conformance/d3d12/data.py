"""Reads the compact conformance data of D3D12."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.core.d3d12_enums import (
    CpuPageProperty,
    HeapFlags,
    HeapType,
    MemoryPool,
    ResourceDimension,
    ResourceFlags,
    TextureLayout,
)
from explorer.core.d3d12_structs import HeapDesc, HeapProperties, ResourceDesc, SampleDesc
from explorer.core.dxgi import DXGI_FORMAT
from explorer.rules.check import CheckRecord
from explorer.rules.d3d12_runtime import DEFAULT
from explorer.rules.records import VectorRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
VECTOR_FILES = tuple(sorted(HERE.joinpath("vectors").glob("*.json")))
ENVIRONMENTS = ("uma", "numa", "numa_rebar")
_ADAPTER = replace(DEFAULT, tiled_tier=1, standard_swizzle=False, writeable_msaa=False)
RUNTIMES = {
    "uma": replace(_ADAPTER, uma=True, cache_coherent_uma=True),
    "numa": replace(_ADAPTER, gpu_upload_heaps=False),
    "numa_rebar": _ADAPTER,
}
"""The three adapter shapes that the recorded implementation ran on."""


def load(name: str) -> dict[str, Any]:
    return json.loads(HERE.joinpath("oracle", f"{name}.json").read_bytes())


def _description(columns: list[str], row: list[Any]) -> dict[str, Any]:
    named = dict(zip(columns, row, strict=True))
    named["Format"] = "DXGI_FORMAT_" + named["Format"]
    named["SampleDesc"] = {"Count": named.pop("SampleCount"), "Quality": named.pop("SampleQuality")}
    return named


def vectors(path: Path) -> Iterator[CheckRecord]:
    file = json.loads(path.read_bytes())
    for number, call, given, expect, _source, *more in file["rows"]:
        extra = more[0] if more else {}
        inputs = dict(given)
        if "desc" in inputs:
            inputs["desc"] = _description(file["desc_columns"], inputs["desc"])
        if "descs" in inputs:
            inputs["descs"] = [_description(file["desc_columns"], row) for row in inputs["descs"]]
        record = VectorRecord("d3d12", file["kind"], call, inputs, extra.get("requires", {}))
        yield CheckRecord(f"{file['kind']}-{number}", record, expect, bool(extra.get("disputed")), None)


def desc(row: list[int]) -> ResourceDesc:
    """Return a description; ValueError for a number outside its enumeration."""
    dimension, alignment, width, height, slices, mips, form, count, quality, layout, flags = row
    return ResourceDesc(
        ResourceDimension(dimension), alignment, width, height, slices, mips, DXGI_FORMAT(form),
        SampleDesc(count, quality), TextureLayout(layout), ResourceFlags(flags),
    )  # fmt: skip


def props(row: list[int]) -> HeapProperties:
    return HeapProperties(HeapType(row[0]), CpuPageProperty(row[1]), MemoryPool(row[2]), row[3], row[4])


def heap(row: list[Any]) -> HeapDesc:
    return HeapDesc(row[0], props(row[2]), row[1], HeapFlags(row[3]))
