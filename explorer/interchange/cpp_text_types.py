"""What the reader and the writer of C++ know of the APIs: structures, helper constructors, parameter lists.

Members of the structures are the fields of the input dataclasses; only what C++ has beside them stands here.
Source: MicrosoftDocs/sdk-api d3d9, d3d10, d3d11, d3d12; DirectX-Headers ``d3dx12_core.h``; Windows SDK ``d3d11.h``.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from dataclasses import dataclass
from typing import Annotated, Any

from explorer.core import d3d9_create, d3d11_descs, d3d11_views, d3d12_commands, d3d12_structs
from explorer.core.calls import call_specs
from explorer.core.schema import Key

if typing.TYPE_CHECKING:
    from collections.abc import Mapping

_D3D12: Mapping[str, type] = {
    "D3D12_RESOURCE_DESC": d3d12_structs.ResourceDesc,
    "D3D12_RESOURCE_DESC1": d3d12_structs.ResourceDesc,
    "D3D12_HEAP_DESC": d3d12_structs.HeapDesc,
    "D3D12_HEAP_PROPERTIES": d3d12_structs.HeapProperties,
    "D3D12_CLEAR_VALUE": d3d12_structs.ClearValue,
    "D3D12_DEPTH_STENCIL_VALUE": d3d12_structs.DepthStencilValue,
    "D3D12_DESCRIPTOR_HEAP_DESC": d3d12_structs.DescriptorHeapDesc,
    "D3D12_QUERY_HEAP_DESC": d3d12_commands.QueryHeapDesc,
    "D3D12_MIP_REGION": d3d12_structs.MipRegion,
}


def _named(module: types.ModuleType) -> dict[str, type]:
    return {
        name: kind for name, kind in vars(module).items()
        if name.startswith(("D3D10_", "D3D11_", "XG_")) and isinstance(kind, type) and dataclasses.is_dataclass(kind)
    }  # fmt: skip


@functools.cache
def structures() -> Mapping[str, type]:
    """Return C++ name → dataclass of every structure that is read."""
    from explorer.core import d3d10_views

    found: dict[str, type] = {**_D3D12, "D3DPRESENT_PARAMETERS": d3d9_create.PresentParameters}
    for module in (d3d11_descs, d3d11_views, d3d10_views):
        found.update(_named(module))
    found["DXGI_SAMPLE_DESC"] = d3d11_descs.DXGI_SAMPLE_DESC
    found["D3D10_SUBRESOURCE_DATA"] = d3d11_descs.D3D11_SUBRESOURCE_DATA
    return found


BESIDES: Mapping[str, tuple[str, str]] = {"PresentParameters": ("hDeviceWindow", "Windowed")}
"""Dataclass → a member that only C++ has, and the one that it stands before."""

_ENDS: Mapping[str, tuple[str, str]] = {
    "ResourceDesc": ("SamplerFeedbackMipRegion", "D3D12_RESOURCE_DESC1"),
}


def lacks_member(structure: str, kind: type, member: str) -> bool:
    """Return whether the C++ structure of this name has not the dataclass's member."""
    ends = _ENDS.get(kind.__name__)
    return ends is not None and member == ends[0] and structure not in ("", ends[1])


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a structure.

    Attributes:
        name: Name in C++, also the key in a record.
        kind: Annotation, without the mark of a key.
        inner: The dataclass of a structure inside, or None.
        optional: Whether it may stay out of a record (a member of a union, a pointer).
    """

    name: str
    kind: Any
    inner: type | None
    optional: bool


def options_of(kind: Any) -> tuple[tuple[Any, ...], bool]:
    """Return the alternatives of an annotation without None, and whether None is one."""
    if typing.get_origin(kind) is Annotated:
        bare = typing.get_args(kind)[0]
        if typing.get_origin(bare) in (typing.Union, types.UnionType):
            kind = bare
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        parts = typing.get_args(kind)
        return tuple(part for part in parts if part is not type(None)), type(None) in parts
    return (kind,), False


def structure_in(kind: Any) -> type | None:
    """Return the one dataclass of an annotation, or None."""
    found = [part for part in options_of(kind)[0] if isinstance(part, type) and dataclasses.is_dataclass(part)]
    return found[0] if len(found) == 1 else None


@functools.cache
def members_of(kind: type) -> tuple[Member, ...]:
    """Return the members of a structure, or the parameters of a call, in the order of the dataclass."""
    hints = typing.get_type_hints(kind, include_extras=True)
    found: list[Member] = []
    for field in dataclasses.fields(kind):
        hint = hints[field.name]
        key = field.name
        if typing.get_origin(hint) is Annotated:
            key = next((mark.name for mark in typing.get_args(hint)[1:] if isinstance(mark, Key)), key)
        found.append(Member(key, hint, structure_in(hint), options_of(hint)[1]))
    return tuple(found)


NEEDED = object()
"""A parameter of a helper without default."""

_SAMPLES = (("SampleDesc.Count", 1), ("SampleDesc.Quality", 0))
_TAIL = (("Flags", 0), ("Layout", 0), ("Alignment", 0))
_SRV11 = "D3D11_BIND_SHADER_RESOURCE"
_DIMENSION = "D3D12_RESOURCE_DIMENSION_"


@dataclass(frozen=True, slots=True)
class Helper:
    """A constructor or static function that fills in a structure.

    Attributes:
        structure: C++ name of what it fills in.
        parameters: (member path, default or ``NEEDED``).
        fixed: Members that it sets itself: number or constant.
    """

    structure: str
    parameters: tuple[tuple[str, object], ...]
    fixed: tuple[tuple[str, int | str], ...] = ()


def _need(*names: str) -> tuple[tuple[str, object], ...]:
    return tuple((name, NEEDED) for name in names)


def _texture12(
    dimension: str, sizes: tuple[tuple[str, object], ...], fixed: tuple[tuple[str, int | str], ...]
) -> Helper:
    parameters = (("Format", NEEDED), *sizes)
    return Helper("D3D12_RESOURCE_DESC", parameters, (("Dimension", _DIMENSION + dimension), *fixed))


_ALL12 = (
    *_need("Dimension", "Alignment", "Width", "Height", "DepthOrArraySize", "MipLevels", "Format"),
    *_need("SampleDesc.Count", "SampleDesc.Quality", "Layout", "Flags"),
)
_TEX11 = (("BindFlags", _SRV11), ("Usage", 0), ("CPUAccessFlags", 0))
_NODES = (("CreationNodeMask", 1), ("VisibleNodeMask", 1))
_ONE_SAMPLE = (("SampleDesc.Count", 1),)

HELPERS: Mapping[str, tuple[Helper, ...]] = {
    "CD3DX12_HEAP_PROPERTIES": (
        Helper("D3D12_HEAP_PROPERTIES", (*_need("Type"), *_NODES)),
        Helper(
            "D3D12_HEAP_PROPERTIES", (*_need("CPUPageProperty", "MemoryPoolPreference"), *_NODES),
            (("Type", "D3D12_HEAP_TYPE_CUSTOM"),),
        ),
    ),
    "CD3DX12_HEAP_DESC": (
        Helper("D3D12_HEAP_DESC", (*_need("SizeInBytes", "Properties"), ("Alignment", 0), ("Flags", 0))),
        Helper(
            "D3D12_HEAP_DESC", (*_need("SizeInBytes", "Properties.Type"), ("Alignment", 0), ("Flags", 0)),
            (("Properties.CreationNodeMask", 1), ("Properties.VisibleNodeMask", 1)),
        ),
    ),
    "CD3DX12_RESOURCE_DESC": (Helper("D3D12_RESOURCE_DESC", _ALL12),),
    "CD3DX12_RESOURCE_DESC::Buffer": (
        Helper(
            "D3D12_RESOURCE_DESC", (*_need("Width"), ("Flags", 0), ("Alignment", 0)),
            (("Dimension", _DIMENSION + "BUFFER"), ("Height", 1), ("DepthOrArraySize", 1), ("MipLevels", 1),
             ("Layout", "D3D12_TEXTURE_LAYOUT_ROW_MAJOR"), *_ONE_SAMPLE),
        ),
    ),
    "CD3DX12_RESOURCE_DESC::Tex1D": (
        _texture12(
            "TEXTURE1D", (*_need("Width"), ("DepthOrArraySize", 1), ("MipLevels", 0), *_TAIL),
            (("Height", 1), *_ONE_SAMPLE),
        ),
    ),
    "CD3DX12_RESOURCE_DESC::Tex2D": (
        _texture12(
            "TEXTURE2D", (*_need("Width", "Height"), ("DepthOrArraySize", 1), ("MipLevels", 0), *_SAMPLES, *_TAIL), ()
        ),
    ),
    "CD3DX12_RESOURCE_DESC::Tex3D": (
        _texture12(
            "TEXTURE3D", (*_need("Width", "Height"), ("DepthOrArraySize", 1), ("MipLevels", 0), *_TAIL), _ONE_SAMPLE
        ),
    ),
    "CD3DX12_CLEAR_VALUE": (
        Helper("D3D12_CLEAR_VALUE", _need("Format", "Color")),
        Helper("D3D12_CLEAR_VALUE", _need("Format", "DepthStencil.Depth", "DepthStencil.Stencil")),
    ),
    "CD3D11_BUFFER_DESC": (
        Helper(
            "D3D11_BUFFER_DESC",
            (*_need("ByteWidth", "BindFlags"), ("Usage", 0), ("CPUAccessFlags", 0), ("MiscFlags", 0),
             ("StructureByteStride", 0)),
        ),
    ),
    "CD3D11_TEXTURE1D_DESC": (
        Helper(
            "D3D11_TEXTURE1D_DESC",
            (*_need("Format", "Width"), ("ArraySize", 1), ("MipLevels", 0), *_TEX11, ("MiscFlags", 0)),
        ),
    ),
    "CD3D11_TEXTURE2D_DESC": (
        Helper(
            "D3D11_TEXTURE2D_DESC",
            (*_need("Format", "Width", "Height"), ("ArraySize", 1), ("MipLevels", 0), *_TEX11, *_SAMPLES,
             ("MiscFlags", 0)),
        ),
    ),
    "CD3D11_TEXTURE3D_DESC": (
        Helper(
            "D3D11_TEXTURE3D_DESC",
            (*_need("Format", "Width", "Height", "Depth"), ("MipLevels", 0), *_TEX11, ("MiscFlags", 0)),
        ),
    ),
}  # fmt: skip
"""Helper → its overloads. ``CD3DX12_RESOURCE_DESC1`` has the same ones."""


def helpers_of(name: str) -> tuple[Helper, ...]:
    """Return the overloads of a helper; none where the name is none."""
    return HELPERS.get(name) or HELPERS.get(name.replace("_DESC1", "_DESC"), ())


_SIGNATURES: Mapping[str, str] = {
    # d3d9
    "CreateDevice": "Adapter DeviceType -hFocusWindow BehaviorFlags *pPresentationParameters >device",
    "CreateDeviceEx": "Adapter DeviceType -hFocusWindow BehaviorFlags *pPresentationParameters "
    "-pFullscreenDisplayMode >device",
    "CreateAdditionalSwapChain": "*pPresentationParameters >swapChain",
    "CreateStateBlock": "Type >stateBlock",
    "CreateQuery": "Type >query",
    "CreateTexture": "Width Height Levels Usage Format Pool >texture ~pSharedHandle",
    "CreateCubeTexture": "EdgeLength Levels Usage Format Pool >texture ~pSharedHandle",
    "CreateVolumeTexture": "Width Height Depth Levels Usage Format Pool >texture ~pSharedHandle",
    "CreateVertexBuffer": "Length Usage FVF Pool >buffer ~pSharedHandle",
    "CreateIndexBuffer": "Length Usage Format Pool >buffer ~pSharedHandle",
    "CreateRenderTarget": "Width Height Format MultiSample MultisampleQuality Lockable >surface ~pSharedHandle",
    "CreateRenderTargetEx": "Width Height Format MultiSample MultisampleQuality Lockable >surface ~pSharedHandle Usage",
    "CreateDepthStencilSurface": "Width Height Format MultiSample MultisampleQuality Discard >surface ~pSharedHandle",
    "CreateDepthStencilSurfaceEx": "Width Height Format MultiSample MultisampleQuality Discard >surface "
    "~pSharedHandle Usage",
    "CreateOffscreenPlainSurface": "Width Height Format Pool >surface ~pSharedHandle",
    "CreateOffscreenPlainSurfaceEx": "Width Height Format Pool >surface ~pSharedHandle Usage",
    # d3d10, d3d11, xg
    "CreateBuffer": "*pDesc =pInitialData >ppBuffer",
    "CreateTexture1D": "*pDesc =pInitialData >ppTexture1D",
    "CreateTexture2D": "*pDesc =pInitialData >ppTexture2D",
    "CreateTexture3D": "*pDesc =pInitialData >ppTexture3D",
    "CreateShaderResourceView": "@pResource *pDesc >ppSRView",
    "CreateRenderTargetView": "@pResource *pDesc >ppRTView",
    "CreateDepthStencilView": "@pResource *pDesc >ppDepthStencilView",
    "CreateUnorderedAccessView": "@pResource *pDesc >ppUAView",
    "CreateDeferredContext": "ContextFlags >context",
    # d3d12
    "CreateHeap": "*pDesc !ppvHeap",
    "CreateHeap1": "*pDesc -pProtectedSession !ppvHeap",
    "CreateCommittedResource": "*pHeapProperties HeapFlags *pDesc InitialResourceState *pOptimizedClearValue "
    "!ppvResource",
    "CreateCommittedResource1": "*pHeapProperties HeapFlags *pDesc InitialResourceState *pOptimizedClearValue "
    "-pProtectedSession !ppvResource",
    "CreateCommittedResource2": "*pHeapProperties HeapFlags *pDesc InitialResourceState *pOptimizedClearValue "
    "-pProtectedSession !ppvResource",
    "CreateCommittedResource3": "*pHeapProperties HeapFlags *pDesc InitialLayout *pOptimizedClearValue "
    "-pProtectedSession #NumCastableFormats [pCastableFormats !ppvResource",
    "CreatePlacedResource": "@pHeap HeapOffset *pDesc InitialState *pOptimizedClearValue !ppvResource",
    "CreatePlacedResource1": "@pHeap HeapOffset *pDesc InitialState *pOptimizedClearValue !ppvResource",
    "CreatePlacedResource2": "@pHeap HeapOffset *pDesc InitialLayout *pOptimizedClearValue #NumCastableFormats "
    "[pCastableFormats !ppvResource",
    "CreateReservedResource": "*pDesc InitialState *pOptimizedClearValue !ppvResource",
    "CreateReservedResource1": "*pDesc InitialState *pOptimizedClearValue -pProtectedSession !ppvResource",
    "CreateReservedResource2": "*pDesc InitialLayout *pOptimizedClearValue -pProtectedSession #NumCastableFormats "
    "[pCastableFormats !ppvResource",
    "CreateDescriptorHeap": "*pDescriptorHeapDesc !resource",
    "CreateQueryHeap": "*pDesc !ppvHeap",
}
_MARKS = {
    "*": "pointer", ">": "out", "~": "shared", "-": "ignored", "=": "data", "@": "object", "!": "iid", "#": "count",
    "[": "array",
}  # fmt: skip

DESC1_CALLS = frozenset(
    {"CreateCommittedResource2", "CreateCommittedResource3", "CreatePlacedResource1", "CreatePlacedResource2",
     "CreateReservedResource2"}
)  # fmt: skip
"""Calls that take a ``D3D12_RESOURCE_DESC1``."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a method.

    Attributes:
        name: Its name, also the key in a record where it has one.
        role: ``value``, ``pointer`` (to a structure), ``array`` and its ``count``, ``object``, ``data`` (initial
            data), ``shared`` (handle), ``out``, ``iid`` (an interface id and an out pointer), ``ignored``.
    """

    name: str
    role: str


@functools.cache
def signature(call: str) -> tuple[Parameter, ...]:
    """Return the parameters of a method in the order of C++; none where the method is not read."""
    words = _SIGNATURES.get(call, "").split()
    return tuple(
        Parameter(word[1:], _MARKS[word[0]]) if word[0] in _MARKS else Parameter(word, "value") for word in words
    )


@functools.cache
def cpp_calls() -> tuple[tuple[str, str], ...]:
    """Return (api, call) of every creation call that is written and read."""
    return tuple(
        (api, call) for (api, call), spec in call_specs().items() if spec.creates is not None and call in _SIGNATURES
    )


@functools.cache
def call_of_structure() -> Mapping[str, str]:
    """Return C++ name of a description → the call that it is for, where the text holds no call."""
    found: dict[str, str] = {}
    for name in structures():
        for part, call in (
            ("_BUFFER_DESC", "CreateBuffer"), ("_TEXTURE1D_DESC", "CreateTexture1D"),
            ("_TEXTURE2D_DESC", "CreateTexture2D"), ("_TEXTURE3D_DESC", "CreateTexture3D"),
        ):  # fmt: skip
            if name.endswith(part):
                found[name] = call
    found["D3D12_RESOURCE_DESC"] = "CreateCommittedResource"
    found["D3D12_RESOURCE_DESC1"] = "CreateCommittedResource2"
    found["D3D12_HEAP_DESC"] = "CreateHeap"
    found["D3D12_DESCRIPTOR_HEAP_DESC"] = "CreateDescriptorHeap"
    found["D3D12_QUERY_HEAP_DESC"] = "CreateQueryHeap"
    return found


def bare(kind: Any) -> Any:
    """Return an annotation without its marks."""
    return typing.get_args(kind)[0] if typing.get_origin(kind) is Annotated else kind
