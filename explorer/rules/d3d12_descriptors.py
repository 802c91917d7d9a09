"""Descriptor heaps, descriptor copies and root signatures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core import d3d12
from explorer.core.d3d12_structs import DescriptorHandle, DescriptorHeapDesc, DescriptorRange, RootParameter
from explorer.core.d3d12_view_enums import (
    DescriptorHeapFlags,
    DescriptorHeapType,
    DescriptorRangeFlags,
    DescriptorRangeType,
    RootDescriptorFlags,
    RootParameterType,
    RootSignatureVersion,
    ShaderVisibility,
)
from explorer.rules.d3d12_findings import Findings
from explorer.rules.d3d12_runtime import DEFAULT, D3d12Runtime
from explorer.tables.d3d12_tables import constant

if TYPE_CHECKING:
    from explorer.core.verdicts import Verdict

MAX_ROOT_COST = constant("MAX_ROOT_COST")
_MAX_STATIC_SAMPLERS = constant("MAX_LIVE_STATIC_SAMPLERS")
_VISIBLE = DescriptorHeapFlags.SHADER_VISIBLE
_WITHOUT_SHADERS = (DescriptorHeapType.RTV, DescriptorHeapType.DSV)
_DATA = (
    DescriptorRangeFlags.DATA_VOLATILE
    | DescriptorRangeFlags.DATA_STATIC_WHILE_SET_AT_EXECUTE
    | DescriptorRangeFlags.DATA_STATIC
)


def increment_of(kind: DescriptorHeapType, runtime: D3d12Runtime = DEFAULT) -> int:
    """Return the bytes of a descriptor."""
    return runtime.increments[int(kind)]


def judge_descriptor_heap(arguments: d3d12.CreateDescriptorHeap, runtime: D3d12Runtime = DEFAULT) -> Verdict:
    """Return whether a descriptor heap can be created, and its size in bytes."""
    desc, found = arguments.pDescriptorHeapDesc, Findings("pDescriptorHeapDesc.")
    visible = bool(desc.Flags & _VISIBLE)
    hidden = {"Flags": desc.Flags & ~_VISIBLE}
    if visible and desc.Type in _WITHOUT_SHADERS:
        found.refuse("7.1a", "remove SHADER_VISIBLE", hidden)
    elif visible:
        sampler = desc.Type is DescriptorHeapType.SAMPLER
        limit = runtime.max_sampler_heap if sampler else runtime.max_view_heap
        if desc.NumDescriptors > limit:
            detail = f"{desc.NumDescriptors:,} against {limit:,}"
            rule = "7.4b" if sampler else "7.4a"
            found.refuse(rule, f"use at most {limit:,}", {"NumDescriptors": limit}, detail)
    mask = desc.NodeMask
    if mask & (mask - 1) or mask & ~((1 << runtime.node_count) - 1):
        found.refuse("7.1c", "use the first node", {"NodeMask": 0})
    if found.ok:
        found.permit("7.2" if visible else "7.1b")
        found.permit("7.7")
    increment = increment_of(desc.Type, runtime)
    return found.verdict({"DescriptorHandleIncrementSize": increment, "SizeInBytes": increment * desc.NumDescriptors})


def judge_increment(arguments: d3d12.GetDescriptorHandleIncrementSize, runtime: D3d12Runtime = DEFAULT) -> Verdict:
    """Return the bytes of a descriptor of a type."""
    found = Findings()
    found.permit("7.7")
    return found.verdict({"IncrementSize": increment_of(arguments.DescriptorHeapType, runtime)})


@dataclass(frozen=True, slots=True)
class CopyState:
    """The descriptor heaps that a copy names."""

    heaps: Mapping[str, DescriptorHeapDesc]


def _sizes(starts: Sequence[DescriptorHandle], sizes: Sequence[int] | None) -> Sequence[int]:
    return [1] * len(starts) if sizes is None else sizes


def copied_pairs(arguments: d3d12.CopyDescriptors) -> list[tuple[DescriptorHandle, DescriptorHandle]]:
    """Return (destination, source) for each descriptor that a legal copy writes, in order.

    Source: d3d12.7.5e.
    """
    targets = _handles(arguments.pDestDescriptorRangeStarts, arguments.pDestDescriptorRangeSizes)
    sources = _handles(arguments.pSrcDescriptorRangeStarts, arguments.pSrcDescriptorRangeSizes)
    return list(zip(targets, sources, strict=False))


def _handles(starts: Sequence[DescriptorHandle], sizes: Sequence[int] | None) -> list[DescriptorHandle]:
    return [
        DescriptorHandle(start.heap, start.index + i)
        for start, size in zip(starts, _sizes(starts, sizes), strict=False)
        for i in range(size)
    ]


def _check_ranges(
    starts: Sequence[DescriptorHandle], sizes: Sequence[int], kind: DescriptorHeapType, state: CopyState, f: Findings
) -> None:
    for start, size in zip(starts, sizes, strict=False):
        heap = state.heaps[start.heap]
        if heap.Type is not kind:
            f.refuse("7.5c", detail=f"{start.heap} holds {heap.Type.constant}")
        if start.index + size > heap.NumDescriptors:
            f.refuse("7.5d", detail=f"{start.heap} has {heap.NumDescriptors} slots")


def judge_copy_descriptors(arguments: d3d12.CopyDescriptors | d3d12.CopyDescriptorsSimple, state: CopyState) -> Verdict:
    """Return whether descriptors may be copied; ``Copied`` is how many."""
    a = arguments if isinstance(arguments, d3d12.CopyDescriptors) else _as_ranges(arguments)
    found = Findings()
    to = _sizes(a.pDestDescriptorRangeStarts, a.pDestDescriptorRangeSizes)
    of = _sizes(a.pSrcDescriptorRangeStarts, a.pSrcDescriptorRangeSizes)
    for start in a.pSrcDescriptorRangeStarts:
        if state.heaps[start.heap].Flags & _VISIBLE:
            found.refuse("7.5a", detail=f"{start.heap} is shader visible")
    if sum(to) != sum(of):
        found.permit("7.5b", f"{sum(to)} against {sum(of)}")
    _check_ranges(a.pDestDescriptorRangeStarts, to, a.DescriptorHeapsType, state, found)
    _check_ranges(a.pSrcDescriptorRangeStarts, of, a.DescriptorHeapsType, state, found)
    if found.ok:
        found.permit("7.5e")
    return found.verdict({"Copied": min(sum(to), sum(of))})


def _as_ranges(a: d3d12.CopyDescriptorsSimple) -> d3d12.CopyDescriptors:
    size = (a.NumDescriptors,)
    return d3d12.CopyDescriptors(
        (a.DestDescriptorRangeStart,), (a.SrcDescriptorRangeStart,), a.DescriptorHeapsType, size, size
    )  # fmt: skip


def root_cost(parameters: Sequence[RootParameter]) -> int:
    """Return the DWORDs that the parameters of a root signature take.

    Source: d3d12.7.8a.
    """
    return sum(parameter_cost(parameter) for parameter in parameters)


def parameter_cost(parameter: RootParameter) -> int:
    """Return the DWORDs of one root parameter."""
    if parameter.ParameterType is RootParameterType.DESCRIPTOR_TABLE:
        return 1
    if parameter.ParameterType is RootParameterType["_32BIT_CONSTANTS"]:
        return parameter.Constants.Num32BitValues if parameter.Constants is not None else 0
    return 2


def judge_root_signature(arguments: d3d12.CreateRootSignature, runtime: D3d12Runtime = DEFAULT) -> Verdict:
    """Return whether a root signature can be made, and its cost in DWORDs."""
    del runtime
    desc, found = arguments.pRootSignature, Findings("pRootSignature.")
    cost = root_cost(desc.pParameters)
    for index, parameter in enumerate(desc.pParameters):
        _check_parameter(index, parameter, arguments.Version, found)
    _check_registers(desc.pParameters, found)
    if len(desc.pStaticSamplers) > _MAX_STATIC_SAMPLERS:
        few = desc.pStaticSamplers[:_MAX_STATIC_SAMPLERS]
        found.refuse("7.8c", f"use at most {_MAX_STATIC_SAMPLERS}", {"pStaticSamplers": few})
    if cost > MAX_ROOT_COST:
        detail = f"this one costs {cost}"
        found.refuse("7.8a", "drop parameters", {"pParameters": _affordable(desc.pParameters)}, detail)
    else:
        found.permit("7.8a", f"this one costs {cost}")
    return found.verdict({"Cost": cost}, refused_values={"Cost": cost})


def _affordable(parameters: Sequence[RootParameter]) -> tuple[RootParameter, ...]:
    kept: list[RootParameter] = []
    cost = 0
    for parameter in parameters:
        more = parameter_cost(parameter)
        # A parameter without cost is malformed and has a reason of its own.
        if more and cost + more <= MAX_ROOT_COST:
            kept.append(parameter)
            cost += more
    return tuple(kept)


def _check_parameter(index: int, p: RootParameter, version: RootSignatureVersion, found: Findings) -> None:
    key = f"pParameters[{index}]"
    flags_exist = version is not RootSignatureVersion["_1_0"]
    if p.ParameterType is RootParameterType.DESCRIPTOR_TABLE:
        if p.DescriptorTable is None:
            found.refuse("7.8e", detail=f"{key} has no DescriptorTable")
            return
        ranges = p.DescriptorTable.pDescriptorRanges
        samplers = [one for one in ranges if one.RangeType is DescriptorRangeType.SAMPLER]
        if samplers and len(samplers) < len(ranges):
            views = tuple(one for one in ranges if one.RangeType is not DescriptorRangeType.SAMPLER)
            found.refuse("7.8b", "give them tables of their own", {f"{key}.DescriptorTable.pDescriptorRanges": views})
        for at, one in enumerate(ranges):
            _check_range(f"{key}.DescriptorTable.pDescriptorRanges[{at}].Flags", one, flags_exist, found)
    elif p.ParameterType is RootParameterType["_32BIT_CONSTANTS"]:
        if p.Constants is None:
            found.refuse("7.8e", detail=f"{key} has no Constants")
    elif p.Descriptor is None:
        found.refuse("7.8e", detail=f"{key} has no Descriptor")
    elif p.Descriptor.Flags and not flags_exist:
        found.refuse("7.9d", "use none", {f"{key}.Descriptor.Flags": RootDescriptorFlags.NONE})
    elif int(p.Descriptor.Flags).bit_count() > 1:
        found.refuse("7.9a", "use none", {f"{key}.Descriptor.Flags": RootDescriptorFlags.NONE})


def _check_range(key: str, one: DescriptorRange, flags_exist: bool, found: Findings) -> None:
    none = {key: DescriptorRangeFlags.NONE}
    if one.Flags and not flags_exist:
        found.refuse("7.9d", "use none", none)
        return
    data = one.Flags & _DATA
    if int(data).bit_count() > 1:
        found.refuse("7.9a", "use none", none)
    if one.Flags & DescriptorRangeFlags.DESCRIPTORS_VOLATILE and data & DescriptorRangeFlags.DATA_STATIC:
        found.refuse("7.9b", "use none", none)
    if one.RangeType is DescriptorRangeType.SAMPLER and data:
        found.refuse("7.9c", "use none", none)


_KINDS = {
    RootParameterType.CBV: "b",
    RootParameterType.SRV: "t",
    RootParameterType.UAV: "u",
    RootParameterType["_32BIT_CONSTANTS"]: "b",
}
_RANGE_KINDS = {
    DescriptorRangeType.CBV: "b",
    DescriptorRangeType.SRV: "t",
    DescriptorRangeType.UAV: "u",
    DescriptorRangeType.SAMPLER: "s",
}
_UNBOUNDED = 0xFFFFFFFF
_ALL = ShaderVisibility.ALL


def _bindings(p: RootParameter) -> list[tuple[str, int, int, int]]:
    """Return (kind, space, first register, count) for everything a parameter binds."""
    if p.ParameterType is RootParameterType.DESCRIPTOR_TABLE:
        ranges = p.DescriptorTable.pDescriptorRanges if p.DescriptorTable is not None else ()
        return [(_RANGE_KINDS[r.RangeType], r.RegisterSpace, r.BaseShaderRegister, r.NumDescriptors) for r in ranges]
    part = p.Constants if p.ParameterType is RootParameterType["_32BIT_CONSTANTS"] else p.Descriptor
    return [] if part is None else [(_KINDS[p.ParameterType], part.RegisterSpace, part.ShaderRegister, 1)]


def _check_registers(parameters: Sequence[RootParameter], found: Findings) -> None:
    """Note registers that two parameters (or ranges) bind for the same shader stage."""
    taken: dict[tuple[str, int], list[tuple[int, int, ShaderVisibility]]] = {}
    for parameter in parameters:
        for kind, space, first, count in _bindings(parameter):
            end = _UNBOUNDED if count == _UNBOUNDED else first + count
            taken.setdefault((kind, space), []).append((first, end, parameter.ShaderVisibility))
    for (kind, space), spans in taken.items():
        ends: dict[ShaderVisibility, int] = {}
        for first, end, sees in sorted(spans):
            others = ends.values() if sees is ShaderVisibility.ALL else (ends.get(sees, 0), ends.get(_ALL, 0))
            if end > first and max(others, default=0) > first:
                found.refuse("7.8d", detail=f"{kind}{first} of space {space} is bound twice")
                break
            ends[sees] = max(ends.get(sees, 0), end)
