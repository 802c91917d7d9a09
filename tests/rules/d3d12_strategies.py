"""Random D3D12 calls: mostly sound, so that single rules are met one at a time."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st

from explorer.core import d3d12
from explorer.core.d3d12_enums import (
    BarrierLayout,
    CpuPageProperty,
    HeapFlags,
    HeapType,
    MemoryPool,
    ResourceDimension,
    ResourceFlags,
    ResourceStates,
    TextureLayout,
)
from explorer.core.d3d12_structs import (
    ClearValue,
    DescriptorHeapDesc,
    DescriptorRange,
    HeapDesc,
    HeapProperties,
    ResourceDesc,
    RootConstants,
    RootDescriptor,
    RootDescriptorTable,
    RootParameter,
    RootSignatureDesc,
    SampleDesc,
)
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
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.schema import decode, encode
from explorer.rules.d3d12_runtime import D3d12Runtime

FORMATS = st.sampled_from(list(DXGI_FORMAT))
EXTENTS = st.one_of(st.integers(0, 70), st.sampled_from([128, 256, 1000, 1024, 2048, 4096, 16384, 16385, 2**20]))
ALIGNMENTS = st.sampled_from([0, 0, 0, 256, 4096, 65536, 4 << 20, 3])


def flags(kind: type, none: int = 2) -> st.SearchStrategy[Any]:
    members = list(kind.__members__.values())
    few = st.lists(st.sampled_from(members), max_size=2)
    combined = few.map(lambda parts: kind(sum({int(p) for p in parts if int(p)})))
    return st.one_of(*[st.just(kind(0))] * none, combined)


descs = st.one_of(
    st.builds(
        ResourceDesc,
        Dimension=st.just(ResourceDimension.BUFFER),
        Alignment=ALIGNMENTS,
        Width=st.integers(0, 2**50),
        Height=st.sampled_from([1, 1, 1, 2]),
        DepthOrArraySize=st.sampled_from([1, 1, 1, 0]),
        MipLevels=st.sampled_from([1, 1, 1, 0, 2]),
        Format=st.sampled_from([DXGI_FORMAT.UNKNOWN, DXGI_FORMAT.UNKNOWN, DXGI_FORMAT.R8_UNORM]),
        SampleDesc=st.sampled_from([SampleDesc(), SampleDesc(), SampleDesc(4, 0)]),
        Layout=st.sampled_from([TextureLayout.ROW_MAJOR, TextureLayout.ROW_MAJOR, TextureLayout.UNKNOWN]),
        Flags=flags(ResourceFlags),
    ),
    st.builds(
        ResourceDesc,
        Dimension=st.sampled_from([*ResourceDimension]),
        Alignment=ALIGNMENTS,
        Width=EXTENTS,
        Height=EXTENTS,
        DepthOrArraySize=st.one_of(st.integers(0, 8), st.sampled_from([1, 1, 2048, 2049])),
        MipLevels=st.one_of(st.integers(0, 4), st.sampled_from([1, 15, 16])),
        Format=FORMATS,
        SampleDesc=st.builds(SampleDesc, st.sampled_from([1, 1, 1, 0, 2, 3, 4, 32, 64]), st.sampled_from([0, 0, 1])),
        Layout=st.sampled_from([TextureLayout.UNKNOWN, *TextureLayout]),
        Flags=flags(ResourceFlags),
    ),
)
heap_properties = st.builds(
    HeapProperties,
    Type=st.sampled_from([*HeapType]),
    CPUPageProperty=st.sampled_from([CpuPageProperty.UNKNOWN, *CpuPageProperty]),
    MemoryPoolPreference=st.sampled_from([MemoryPool.UNKNOWN, *MemoryPool]),
    CreationNodeMask=st.sampled_from([0, 0, 1, 2, 3]),
    VisibleNodeMask=st.sampled_from([0, 0, 1, 2, 3]),
)
heap_descs = st.builds(
    HeapDesc,
    SizeInBytes=st.sampled_from([0, 1, 65536, 1 << 22, 1 << 30]),
    Properties=heap_properties,
    Alignment=st.sampled_from([0, 0, 4096, 65536, 4 << 20]),
    Flags=flags(HeapFlags),
)
clears = st.one_of(st.none(), st.none(), st.builds(ClearValue, FORMATS))
castable = st.one_of(st.just(()), st.lists(FORMATS, max_size=3).map(tuple))
runtimes = st.builds(
    D3d12Runtime,
    uma=st.booleans(),
    gpu_upload_heaps=st.booleans(),
    heap_tier=st.sampled_from([1, 2]),
    tiled_tier=st.integers(0, 4),
    tight_alignment_tier=st.sampled_from([0, 1]),
    standard_swizzle=st.booleans(),
    agility_sdk=st.sampled_from([4, 616]),
    relaxed_casting=st.booleans(),
    writeable_msaa=st.booleans(),
    node_count=st.sampled_from([1, 2]),
    size_model=st.sampled_from(["linear", "tiled", "nvidia"]),
)
ranges = st.builds(
    DescriptorRange,
    RangeType=st.sampled_from([*DescriptorRangeType]),
    NumDescriptors=st.sampled_from([1, 4, 0xFFFFFFFF]),
    BaseShaderRegister=st.integers(0, 6),
    RegisterSpace=st.integers(0, 1),
    Flags=flags(DescriptorRangeFlags),
)
parameters = st.builds(
    RootParameter,
    ParameterType=st.sampled_from([*RootParameterType]),
    DescriptorTable=st.one_of(st.none(), st.builds(RootDescriptorTable, st.lists(ranges, max_size=3).map(tuple))),
    Constants=st.one_of(st.none(), st.builds(RootConstants, st.integers(0, 9), st.just(0), st.integers(0, 70))),
    Descriptor=st.one_of(
        st.none(), st.builds(RootDescriptor, st.integers(0, 9), st.just(0), flags(RootDescriptorFlags))
    ),
    ShaderVisibility=st.sampled_from([*ShaderVisibility]),
)
states = flags(ResourceStates, 1)
layouts = st.sampled_from([*BarrierLayout])

stateless_calls = st.one_of(
    st.builds(d3d12.CreateHeap, heap_descs, st.booleans()),
    st.builds(d3d12.CreateCommittedResource, heap_properties, descs, states, flags(HeapFlags), clears, st.booleans()),
    st.builds(d3d12.CreateCommittedResource3, heap_properties, descs, layouts, flags(HeapFlags), clears, castable),
    st.builds(d3d12.CreateReservedResource, descs, states, clears),
    st.builds(d3d12.CreateReservedResource2, descs, layouts, clears, castable),
    st.builds(d3d12.GetResourceAllocationInfo, st.lists(descs, max_size=3).map(tuple)),
    st.builds(
        d3d12.GetCopyableFootprints, descs, st.integers(0, 40), st.integers(0, 40), st.sampled_from([0, 1, 2**64 - 1])
    ),
    st.builds(d3d12.GetCustomHeapProperties, st.sampled_from([*HeapType])),
    st.builds(
        d3d12.CreateDescriptorHeap,
        st.builds(
            DescriptorHeapDesc,
            st.sampled_from([*DescriptorHeapType]),
            st.sampled_from([0, 16, 2048, 2049, 1_000_001]),
            flags(DescriptorHeapFlags),
            st.integers(0, 3),
        ),
    ),
    st.builds(
        d3d12.CreateRootSignature,
        st.builds(RootSignatureDesc, st.lists(parameters, max_size=4).map(tuple)),
        st.sampled_from([*RootSignatureVersion]),
    ),
)
placed_calls = st.builds(
    d3d12.CreatePlacedResource,
    st.just("heap"),
    st.sampled_from([0, 0, 4096, 65536, 65537, 1 << 22, 1 << 40]),
    descs,
    states,
    clears,
)

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def with_changes(arguments: Any, changes: dict[str, Any]) -> Any:
    """Return a call's arguments with the changes of a remedy made in its record."""
    data: Any = encode(arguments)
    for path, value in changes.items():
        steps: list[Any] = [int(index) if index else name for name, index in _STEP.findall(path)]
        at = data
        for step in steps[:-1]:
            at = at[step] if isinstance(at, list) else at.setdefault(step, {})
        at[steps[-1]] = value
    return decode(data, type(arguments))
