"""Answers to D3D12 records that only ask, or whose whole history stands in the record."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from explorer.core import d3d12
from explorer.core.d3d12_structs import (
    DescriptorRange,
    ResourceDesc,
    RootConstants,
    RootDescriptor,
    RootDescriptorTable,
    RootParameter,
    RootSignatureDesc,
    StaticSampler,
)
from explorer.core.d3d12_view_enums import (
    DescriptorRangeFlags,
    DescriptorRangeType,
    RootParameterType,
    ShaderVisibility,
)
from explorer.core.footprints import subresource_index
from explorer.core.tiles import PACKED_TILE
from explorer.core.units import is_power_of_two
from explorer.rules.d3d12_allocation import (
    footprints_of,
    judge_allocation_info,
    lay_out_elements,
)
from explorer.rules.d3d12_descriptors import judge_root_signature
from explorer.rules.d3d12_findings import reason
from explorer.rules.d3d12_record_input import (
    Device,
    NotSimulatedError,
    NotUnderstoodError,
    RecordInput,
    decode_cached,
    description,
)
from explorer.rules.d3d12_record_kinds import Answer, formats

if TYPE_CHECKING:
    from collections.abc import Mapping

_UINT64_MAX = 2**64 - 1
_MOST = 1 << 16
"""Tiles, slots and parameters that an answer lists; more of them are not simulated."""


def _limited(count: int, where: str) -> int:
    if not 0 <= count <= _MOST:
        raise NotSimulatedError(f"{where}: {count} are too many to list")
    return count


def number(value: int) -> int | str:
    """Return a number as answers write it: 2^64 − 1 is ``UINT64_MAX``."""
    return "UINT64_MAX" if value == _UINT64_MAX else value


def allocation_info(call: str, source: RecordInput, device: Device, requires: Mapping[str, object]) -> Answer:
    """Answer GetResourceAllocationInfo for descriptions, or for elements of given size and alignment."""
    del requires
    if "elements" in source:
        pairs = [_element(one) for one in source.items("elements")]
        size, alignment, offsets = lay_out_elements(pairs)
        each = [{"Offset": o, "SizeInBytes": s, "Alignment": a} for o, (s, a) in zip(offsets, pairs, strict=True)]
        reasons = (reason("4.6a" if pairs else "4.6b"),)
        return _allocation(size, alignment, each), reasons
    descs = source.raw("descs")
    if not isinstance(descs, list):
        raise NotUnderstoodError("input.descs is no list")
    path = f"{source.path}.descs"
    read = tuple(
        decode_cached(item, ResourceDesc, f"{path}[{i}]") for i, item in enumerate(cast("list[object]", descs))
    )
    castable = tuple(formats(source, "castable_formats") for _ in read) if "castable_formats" in source else None
    verdict = judge_allocation_info(d3d12.GetResourceAllocationInfo3(read, castable), device.runtime)
    size, alignment = cast("int", verdict.values["SizeInBytes"]), cast("int", verdict.values["Alignment"])
    if not verdict.succeeded:
        return {"SizeInBytes": number(size), "Alignment": alignment, "valid": False}, verdict.reasons
    each = cast("list[dict[str, int]]", verdict.values["Resources"])
    return _allocation(size, alignment, each if call != "GetResourceAllocationInfo" else None), verdict.reasons


def _element(one: RecordInput) -> tuple[int, int]:
    size, alignment = one.uint("SizeInBytes"), one.uint("Alignment")
    one.finish()
    if not is_power_of_two(alignment) or size < 0:
        raise NotUnderstoodError(f"{one.path}: size {size}, alignment {alignment}")
    return size, alignment


def _allocation(size: int, alignment: int, each: object) -> dict[str, object]:
    result: dict[str, object] = {
        "SizeInBytes": size,
        "Alignment": alignment,
        "valid": True,
        "size_multiple_of_alignment": size % alignment == 0,
    }
    if each is not None:
        result["per_resource"] = each
    return result


def copyable_footprints(call: str, source: RecordInput, device: Device, requires: Mapping[str, object]) -> Answer:
    """Answer GetCopyableFootprints and D3D12CalcSubresource."""
    del requires
    if call == "D3D12CalcSubresource":
        parts = [source.uint(key) for key in ("mip", "array", "plane", "mip_levels", "array_size")]
        return {"index": subresource_index(*parts)}, (reason("5.1"),)
    first, base = source.uint("first_subresource", 0), source.uint("base_offset", 0)
    count = source.uint("num_subresources", 1)
    arguments = d3d12.GetCopyableFootprints(description(source), first, count, base)
    found, findings = footprints_of(arguments, device.runtime)
    if found is None:
        ones: dict[str, object] = {"error": True, "every_field_all_ones": True, "total_bytes": number(_UINT64_MAX)}
        return ones, findings.violated
    layouts = [
        {
            "Offset": number(part.offset), "Format": part.format.constant, "Width": part.width,
            "Height": part.height, "Depth": part.depth, "RowPitch": part.row_pitch, "NumRows": part.rows,
            "RowSizeInBytes": part.row_bytes,
        }
        for part in found.layouts
    ]  # fmt: skip
    return {
        "layouts": layouts, "total_bytes": number(found.total_bytes), "error": False, "every_field_all_ones": False,
    }, findings.permitting  # fmt: skip


def _counted(counts: RecordInput) -> list[RootParameter]:
    parameters: list[RootParameter] = []
    for name in counts.data:
        kind = counts_kind(name, counts.path)
        value = counts.raw(name)
        if kind is RootParameterType["_32BIT_CONSTANTS"]:
            many = cast("list[object]", value) if isinstance(value, list) else [value]
            for at, n in enumerate(many):
                if not isinstance(n, int):
                    raise NotUnderstoodError(f"{counts.path}.{name}[{at}]")
                parameters.append(_constants(len(parameters), n, ShaderVisibility.ALL, 1))
            continue
        if not isinstance(value, int):
            raise NotUnderstoodError(f"{counts.path}.{name}")
        for at in range(_limited(value, f"{counts.path}.{name}")):
            if kind is RootParameterType.DESCRIPTOR_TABLE:
                parameters.append(RootParameter(kind, DescriptorTable=RootDescriptorTable()))
            else:
                parameters.append(RootParameter(kind, Descriptor=RootDescriptor(at)))
    return parameters


def counts_kind(name: str, path: str) -> RootParameterType:
    """Return the parameter type that a count is for."""
    key = f"_{name}" if name[:1].isdigit() else name
    if key not in RootParameterType.__members__:
        raise NotUnderstoodError(f"{path}.{name}")
    return RootParameterType[key]


def _constants(register: int, n: int, sees: ShaderVisibility, space: int = 0) -> RootParameter:
    part = RootConstants(register, space, n)
    return RootParameter(RootParameterType["_32BIT_CONSTANTS"], Constants=part, ShaderVisibility=sees)


def _range(one: RecordInput, register: int) -> DescriptorRange:
    made = DescriptorRange(
        one.get("RangeType", DescriptorRangeType),
        one.uint("NumDescriptors"),
        one.uint("register", register),
        one.uint("space", 0),
        one.get("Flags", DescriptorRangeFlags, DescriptorRangeFlags.NONE),
        one.uint("Offset", PACKED_TILE),
    )
    one.finish()
    return made


def _tables(source: RecordInput) -> list[RootParameter]:
    parameters: list[RootParameter] = []
    value = source.raw("tables")
    if not isinstance(value, list):
        raise NotUnderstoodError("input.tables is no list")
    register = 0
    for index, table in enumerate(cast("list[object]", value)):
        ranges: list[DescriptorRange] = []
        for one in RecordInput({"ranges": table}, f"{source.path}.tables[{index}]").items("ranges"):
            ranges.append(_range(one, register))
            register += min(ranges[-1].NumDescriptors, 1 << 20)
        part = RootDescriptorTable(tuple(ranges))
        parameters.append(RootParameter(RootParameterType.DESCRIPTOR_TABLE, DescriptorTable=part))
    return parameters


def root_signature(call: str, source: RecordInput, device: Device, requires: Mapping[str, object]) -> Answer:
    """Answer CreateRootSignature; registers that a record leaves out are taken to be different ones."""
    del call, requires
    parameters: list[RootParameter] = []
    samplers: list[StaticSampler] = []
    if "parameter_counts" in source:
        parameters += _counted(source.part("parameter_counts"))
    if "tables" in source:
        parameters += _tables(source)
    for one in source.items("constants") if "constants" in source else ():
        sees = one.get("visibility", ShaderVisibility, ShaderVisibility.ALL)
        parameters.append(_constants(one.uint("register", 0), one.uint("n"), sees, one.uint("space", 0)))
        one.finish()
    for one in source.items("descriptors") if "descriptors" in source else ():
        kind = counts_kind(str(one.raw("type")), one.path)
        sees = one.get("visibility", ShaderVisibility, ShaderVisibility.ALL)
        part = RootDescriptor(one.uint("register", 0), one.uint("space", 0))
        parameters.append(RootParameter(kind, Descriptor=part, ShaderVisibility=sees))
        one.finish()
    if "static_samplers" in source:
        samplers = [StaticSampler(at) for at in range(_limited(source.uint("static_samplers"), "static_samplers"))]
    desc = RootSignatureDesc(tuple(parameters), tuple(samplers))
    verdict = judge_root_signature(d3d12.CreateRootSignature(desc), device.runtime)
    return {"hr": verdict.hr, "cost_dwords": verdict.values["Cost"]}, verdict.reasons
