"""C++ text: what is written is read back, what people paste is read, what is refused names its line."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import types
import typing
from typing import Annotated, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.core.calls import CallRecord, call_spec, call_specs, decode_input, make_record
from explorer.core.schema import Length, OneOf, Range
from explorer.errors import CallError, InputError
from explorer.interchange.cpp_text import cpp_calls, from_cpp, to_cpp

NAMES = st.one_of(
    st.sampled_from(
        ["New 1", "albedo", "desc", "unnamed", "device", "ring 0", "D3D12_X", "a b", "a-b", "nullptr", "7"]
    ),
    st.text(min_size=1, max_size=12).filter(lambda text: text.isprintable()),
)


def _values(kind: Any) -> st.SearchStrategy[Any]:
    origin = typing.get_origin(kind)
    if origin is Annotated:
        inner, *marks = typing.get_args(kind)
        for mark in marks:
            if isinstance(mark, Range):
                return st.one_of(st.sampled_from([mark.low, mark.high, 1]), st.integers(mark.low, mark.high))
            if isinstance(mark, OneOf):
                return st.sampled_from(mark.words)
            if isinstance(mark, Length) and inner is str:
                return NAMES
        return _values(inner)
    if origin is typing.Union or origin is types.UnionType:
        return st.one_of(*(st.none() if part is type(None) else _values(part) for part in typing.get_args(kind)))
    if origin is tuple:
        parts = typing.get_args(kind)
        if parts[-1] is Ellipsis:
            return st.lists(_values(parts[0]), max_size=3).map(tuple)
        return st.tuples(*(_values(part) for part in parts))
    if isinstance(kind, type) and issubclass(kind, enum.IntFlag):
        return st.integers(0, 2**32 - 1).map(kind) | st.sampled_from(list(kind))
    if isinstance(kind, type) and issubclass(kind, enum.IntEnum):
        return st.sampled_from(list(kind))
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind, include_extras=True)
        return st.builds(kind, **{field.name: _values(hints[field.name]) for field in dataclasses.fields(kind)})
    return {bool: st.booleans(), float: st.floats(allow_nan=False), int: st.integers(0, 9)}[kind]


@pytest.mark.parametrize(("api", "call"), cpp_calls())
def test_that_what_is_written_is_read_back(api: str, call: str) -> None:
    kind = call_spec(api, call).input_type

    @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
    @given(_values(kind), st.none() | NAMES)
    def law(arguments: Any, out: str | None) -> None:
        # Twice, since a number of an enumeration is written as its constant.
        record = make_record(api, call, decode_input(make_record(api, call, arguments, out)), out)
        text = to_cpp(record)
        assert from_cpp(text) == record, text

    law()


def test_that_every_creation_of_memory_can_be_written() -> None:
    lacking = {
        call
        for (api, call), spec in call_specs().items()
        if spec.creates is not None and (api, call) not in cpp_calls()
    }
    assert lacking == {
        "GetSurfaceLevel", "GetCubeMapSurface", "GetVolumeLevel", "GetBackBuffer", "GetRenderTarget",
        "FinishCommandList", "CreateRootSignature", "CreateCommandList", "CreateCommandQueue", "CreateFence",
        "RegisterVideoMemoryBudgetChangeNotificationEvent", "CreateVertexShader", "CreatePixelShader",
    }  # fmt: skip


def test_that_a_call_without_a_text_is_refused() -> None:
    with pytest.raises(CallError, match="CreateHeap"):
        to_cpp(CallRecord("d3d12", "Map", {"pResource": "x"}))


def test_that_an_offset_which_the_allocator_chooses_stays_out() -> None:
    record = CallRecord("d3d12", "CreatePlacedResource", {"pHeap": "Heap 0", "pDesc": {"Dimension": BUFFER}}, "x")
    text = to_cpp(record)
    assert from_cpp(text) == record
    assert "HeapOffset" not in from_cpp(text.replace("heapOffset,", "allocation.GetOffset(),")).inputs


BUFFER = "D3D12_RESOURCE_DIMENSION_BUFFER"
PASTED: dict[str, tuple[str, str, str, dict[str, object], str | None]] = {
    "d3dx12 helpers": (
        """
        ComPtr<ID3D12Resource> m_vertices;
        const UINT64 size = 64 * 1024ull;
        ThrowIfFailed(m_device->CreateCommittedResource(
            &CD3DX12_HEAP_PROPERTIES(D3D12_HEAP_TYPE_UPLOAD), D3D12_HEAP_FLAG_NONE,
            &CD3DX12_RESOURCE_DESC::Buffer(size), D3D12_RESOURCE_STATE_GENERIC_READ, nullptr,
            IID_PPV_ARGS(&m_vertices)));
        """,
        "d3d12", "CreateCommittedResource",
        {"pHeapProperties": {"Type": "D3D12_HEAP_TYPE_UPLOAD", "CreationNodeMask": 1, "VisibleNodeMask": 1},
         "pDesc": {"Dimension": BUFFER, "Width": 65536, "Layout": "D3D12_TEXTURE_LAYOUT_ROW_MAJOR"},
         "InitialResourceState": 0xAC3},
        "m_vertices",
    ),
    "a texture of named helpers": (
        """
        auto props = CD3DX12_HEAP_PROPERTIES(D3D12_CPU_PAGE_PROPERTY_WRITE_COMBINE, D3D12_MEMORY_POOL_L0);
        CD3DX12_RESOURCE_DESC desc = CD3DX12_RESOURCE_DESC::Tex2D(DXGI_FORMAT_D32_FLOAT, 1920, 1080, 1, 1);
        desc.Flags |= D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL;
        CD3DX12_CLEAR_VALUE clear(DXGI_FORMAT_D32_FLOAT, 1.0f, 0);
        HRESULT hr = device->CreateCommittedResource(&props, D3D12_HEAP_FLAG_NONE, &desc,
            D3D12_RESOURCE_STATE_DEPTH_WRITE, &clear, __uuidof(ID3D12Resource), (void**)depth.GetAddressOf());
        """,
        "d3d12", "CreateCommittedResource",
        {"pHeapProperties": {"Type": "CUSTOM", "CPUPageProperty": "WRITE_COMBINE",
                             "MemoryPoolPreference": "D3D12_MEMORY_POOL_L0", "CreationNodeMask": 1,
                             "VisibleNodeMask": 1},
         "pDesc": {"Dimension": "TEXTURE2D", "Width": 1920, "Height": 1080, "Format": "D32_FLOAT",
                   "Flags": ["ALLOW_DEPTH_STENCIL"]},
         "InitialResourceState": ["DEPTH_WRITE"],
         "pOptimizedClearValue": {"Format": "D32_FLOAT", "DepthStencil": {"Depth": 1.0}}},
        "depth",
    ),
    "a heap in braces": (
        """
        D3D12_HEAP_DESC heapDesc = { 16 << 20, { D3D12_HEAP_TYPE_DEFAULT }, D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT,
                                     D3D12_HEAP_FLAG_ALLOW_ONLY_BUFFERS };
        if (FAILED(device->CreateHeap(&heapDesc, IID_PPV_ARGS(heap.ReleaseAndGetAddressOf())))) return;
        """,
        "d3d12", "CreateHeap",
        {"pDesc": {"SizeInBytes": 16 << 20, "Properties": {"Type": "DEFAULT"}, "Alignment": 65536, "Flags": 0xC0}},
        "heap",
    ),
    "a heap by helper": (
        "CD3DX12_HEAP_DESC d(1024 * 1024, D3D12_HEAP_TYPE_READBACK); device->CreateHeap(&d, IID_PPV_ARGS(&h));",
        "d3d12", "CreateHeap",
        {"pDesc": {"SizeInBytes": 1 << 20,
                   "Properties": {"Type": "READBACK", "CreationNodeMask": 1, "VisibleNodeMask": 1}}},
        "h",
    ),
    "a lone description": (
        "D3D12_RESOURCE_DESC d = {}; d.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER; d.Width = 0x100; d.Height = 1;"
        "d.DepthOrArraySize = d.MipLevels = 1;" "d.DepthOrArraySize = 1; d.MipLevels = 1; d.SampleDesc = { 1, 0 };",
        "d3d12", "CreateCommittedResource",
        {"pHeapProperties": {"Type": "DEFAULT"}, "pDesc": {"Dimension": BUFFER, "Width": 256}}, None,
    ),
    "types and casts in front of the values": (
        """
        auto heapProps = CD3DX12_HEAP_PROPERTIES{ D3D12_HEAP_TYPE_DEFAULT };
        D3D12_RESOURCE_DESC desc{};
        desc.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D;
        desc.Width = UINT64{ 256 }; desc.Height = (UINT)256;
        desc.DepthOrArraySize = static_cast<UINT16>(1);
        desc.MipLevels = (UINT16)1; desc.Format = DXGI_FORMAT::DXGI_FORMAT_R8G8B8A8_UNORM;
        desc.SampleDesc = DXGI_SAMPLE_DESC{ 1, 0 };
        desc.Flags = D3D12_RESOURCE_FLAGS(D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET
            | D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS);
        DX::ThrowIfFailed(device->CreateCommittedResource(&heapProps, D3D12_HEAP_FLAG_NONE, &desc,
            D3D12_RESOURCE_STATE_COMMON, nullptr, IID_PPV_ARGS(&this->m_target)));
        """,
        "d3d12", "CreateCommittedResource",
        {"pHeapProperties": {"Type": "DEFAULT", "CreationNodeMask": 1, "VisibleNodeMask": 1},
         "pDesc": {"Dimension": "TEXTURE2D", "Width": 256, "Height": 256, "Format": "R8G8B8A8_UNORM", "Flags": 5}},
        "m_target",
    ),
    "member by member after ZeroMemory": (
        """
        D3D11_BUFFER_DESC bd;
        ZeroMemory( &bd, sizeof(bd) );
        bd.Usage = D3D11_USAGE_DYNAMIC;
        bd.ByteWidth = 3 * 16;
        bd.BindFlags = D3D11_BIND_VERTEX_BUFFER;
        bd.CPUAccessFlags = D3D11_CPU_ACCESS_WRITE;
        D3D11_SUBRESOURCE_DATA init = { vertices };
        hr = g_pd3dDevice->CreateBuffer( &bd, &init, &g_pVertexBuffer );
        if( FAILED( hr ) ) return hr;
        """,
        "d3d11", "CreateBuffer",
        {"pDesc": {"ByteWidth": 48, "Usage": "DYNAMIC", "BindFlags": ["VERTEX_BUFFER"], "CPUAccessFlags": ["WRITE"]},
         "pInitialData": {}},
        "g_pVertexBuffer",
    ),
    "inner braces left out": (
        "D3D11_TEXTURE2D_DESC d = { 256, 128, 0, 1, DXGI_FORMAT_R8G8B8A8_UNORM, 4, 2, D3D11_USAGE_DEFAULT,"
        " D3D11_BIND_SHADER_RESOURCE | D3D11_BIND_RENDER_TARGET, 0, D3D11_RESOURCE_MISC_GENERATE_MIPS };"
        " device->CreateTexture2D(&d, NULL, &tex);".replace("NULL", "nullptr"),
        "d3d11", "CreateTexture2D",
        {"pDesc": {"Width": 256, "Height": 128, "MipLevels": 0, "Format": "R8G8B8A8_UNORM",
                   "SampleDesc": {"Count": 4, "Quality": 2}, "BindFlags": ["SHADER_RESOURCE", "RENDER_TARGET"],
                   "MiscFlags": ["GENERATE_MIPS"]}},
        "tex",
    ),
    "designators": (
        "const D3D11_TEXTURE3D_DESC d{ .Width = 8, .Height = 8, .Depth = 8, .MipLevels = 1,"
        " .Format = DXGI_FORMAT_R8_UNORM, .Usage = D3D11_USAGE_STAGING, .CPUAccessFlags = D3D11_CPU_ACCESS_READ };",
        "d3d11", "CreateTexture3D",
        {"pDesc": {"Width": 8, "Height": 8, "Depth": 8, "Format": "R8_UNORM", "Usage": "STAGING",
                   "CPUAccessFlags": ["READ"]}},
        None,
    ),
    "a D3D11 helper": (
        "CD3D11_TEXTURE2D_DESC d(DXGI_FORMAT_R16_FLOAT, 64u, 64u, 6, 1); d.MiscFlags = D3D11_RESOURCE_MISC_TEXTURECUBE;"
        "dev->CreateTexture2D(&d, nullptr, m_cube.put());",
        "d3d11", "CreateTexture2D",
        {"pDesc": {"Width": 64, "Height": 64, "ArraySize": 6, "Format": "R16_FLOAT", "BindFlags": ["SHADER_RESOURCE"],
                   "MiscFlags": ["TEXTURECUBE"]}},
        "m_cube",
    ),
    "a shader resource view": (
        "D3D11_SHADER_RESOURCE_VIEW_DESC v = {}; v.ViewDimension = D3D11_SRV_DIMENSION_TEXTURE2D;"
        "v.Texture2D.MipLevels = -1; device->CreateShaderResourceView(tex.Get(), &v, &view);",
        "d3d11", "CreateShaderResourceView",
        {"pResource": "tex", "pDesc": {"ViewDimension": "TEXTURE2D", "Texture2D": {}}}, "view",
    ),
    "D3D10": (
        "D3D10_BUFFER_DESC b = { 256, D3D10_USAGE_DEFAULT, D3D10_BIND_CONSTANT_BUFFER, 0, 0 };",
        "d3d10", "CreateBuffer", {"pDesc": {"ByteWidth": 256, "BindFlags": ["D3D10_BIND_CONSTANT_BUFFER"]}}, None,
    ),
    "XG": (
        "XG_BUFFER_DESC b = {}; b.ByteWidth = 16;",
        "xg", "CreateBuffer", {"pDesc": {"ByteWidth": 16}}, None,
    ),
    "a function around the call": (
        """
        struct Vertex { XMFLOAT3 position; };
        void Sample::Load(const Settings& settings, ID3D12Device* device) const
        {
            UINT8* begin;
            const UINT size = std::max(4096u, 64u) * sizeof(XMFLOAT3);
            for (UINT i = 0; i < count; ++i) { Touch(i); }
            auto buffer = CD3DX12_RESOURCE_DESC::Buffer(size);
            ThrowIfFailed(device->CreatePlacedResource(m_heap.Get(), AlignUp(used, 65536), &buffer,
                D3D12_RESOURCE_STATE_COPY_DEST, nullptr, IID_PPV_ARGS(m_rings[0].ReleaseAndGetAddressOf())));
            memcpy(begin, vertices.data(), sizeof(Vertex) * vertices.size());
            return;
        }
        """,
        "d3d12", "CreatePlacedResource",
        {"pHeap": "m_heap", "InitialState": ["COPY_DEST"],
         "pDesc": {"Dimension": BUFFER, "Width": 49152, "Layout": "D3D12_TEXTURE_LAYOUT_ROW_MAJOR"}},
        "m_rings[0]",
    ),
    "D3D9 arguments": (
        "HR(pd3dDevice->CreateVertexBuffer(4 * sizeof_vertex, D3DUSAGE_WRITEONLY, D3DFVF_XYZ | D3DFVF_TEX1,"
        " D3DPOOL_MANAGED, &g_vb, NULL));".replace("4 * sizeof_vertex", "4 * 20"),
        "d3d9", "CreateVertexBuffer",
        {"Length": 80, "Usage": ["WRITEONLY"], "FVF": 0x102, "Pool": "MANAGED"}, "g_vb",
    ),
    "D3D9Ex with a vendor's format": (
        "IDirect3DDevice9Ex* device; HANDLE h = NULL;"
        "device->CreateTexture(64, 64, 1, 0, (D3DFORMAT)MAKEFOURCC('A','T','I','2'), D3DPOOL_DEFAULT, &t, &h);",
        "d3d9ex", "CreateTexture",
        {"Width": 64, "Height": 64, "Levels": 1, "Usage": 0, "Format": 0x32495441, "Pool": "DEFAULT",
         "pSharedHandle": "shared"},
        "t",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PASTED)
def test_that_what_people_write_is_read(name: str) -> None:
    text, api, call, inputs, out = PASTED[name]
    record = from_cpp(text)
    assert (record.api, record.call, record.out) == (api, call, out)
    automatic = {"HeapOffset": 0} if call == "CreatePlacedResource" else {}
    read, wanted = ({**automatic, **one} for one in (record.inputs, inputs))
    assert decode_input(CallRecord(api, call, read)) == decode_input(CallRecord(api, call, wanted))
    assert from_cpp(to_cpp(record)) == record


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", None, ("no creation call", "CreateTexture2D")),
        ("D3D11_BUFFER_DESC d;\nd.Usage = D3D11_USAGE_DEFAULT;\n", 1, ("ByteWidth", "nothing sets", "= {}")),
        ("D3D11_BUFFER_DESC d = {};\nd.ByteLength = 4;", 2, ("ByteLength", "ByteWidth")),
        ("D3D11_BUFFER_DESC d = {};\nd.Usage = D3D11_USAGE_NONSENSE;", 2, ("NONSENSE", "D3D11_USAGE_DYNAMIC")),
        ("D3D11_BUFFER_DESC d = {};\n\nd.ByteWidth = bytes;", 3, ("ByteWidth", "bytes", "whole number")),
        ("D3D11_BUFFER_DESC d = { 1, 2, 3, 4, 5, 6,\n 7 };", 2, ("too many", "StructureByteStride")),
        ("d.ByteWidth = 4;", 1, ("not declared", "d.ByteWidth")),
        ("D3D11_BUFFER_DESC a = {};\nD3D11_BUFFER_DESC b = {};", 2, ("more than one description",)),
        ("x->CreateHeap(&a, IID_PPV_ARGS(&h));\nx->CreateHeap(&a, IID_PPV_ARGS(&i));", 2, ("more than one object",)),
        ("\ndevice->CreateHeap(&desc, IID_PPV_ARGS(&h));", 2, ("pDesc", "not in the text")),
        ("device->CreateTexture(1, 2, 3);", 1, ("takes 8 arguments", "found 3", "Levels")),
        ("D3D11_BUFFER_DESC d = { 1 / 0 };", 1, ("division",)),
        ("D3D11_BUFFER_DESC d = { 1 << 70 };", 1, ("shift",)),
        ("D3D11_BUFFER_DESC d = { 0xFFFFFFFFFFFFFFFFF };", 1, ("64 bits",)),
        ("D3D11_BUFFER_DESC d = { 5000000000 };", 1, ("out of range", "4294967295")),
        ("D3D11_BUFFER_DESC d = { 4,\n", 2, ("the end of the text",)),
        ("\n@", 2, ("not C++",)),
        ("CD3D11_BUFFER_DESC d(4);", 1, ("takes 2 to 6 arguments", "BindFlags")),
        ("f(" * 2000, 1, ("nested too deep",)),
        ("D3D12_RESOURCE_DESC d = {};\nd.SamplerFeedbackMipRegion.Width = 4;", 2, ("SamplerFeedback", "SampleDesc")),
    ],
)
def test_that_a_refusal_names_line_and_what_is_accepted(text: str, line: int | None, words: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as caught:
        from_cpp(text)
    complaint = caught.value.complaint
    assert complaint.line == line, complaint
    assert complaint.found is not None
    assert complaint.accepted
    for word in words:
        assert word in str(complaint)


@given(st.text(max_size=200) | st.text("{}()[]=;,.&*|<>-+ \n\"'/D3d1x_desc", max_size=120))
@settings(max_examples=150, deadline=None)
def test_that_no_text_breaks_the_reader(text: str) -> None:
    with contextlib.suppress(InputError):
        assert from_cpp(text).call


def test_that_a_text_which_leaves_the_api_open_takes_the_one_of_the_device() -> None:
    text = "device->CreateTexture(8, 8, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &t, nullptr);"
    assert from_cpp(text).api == "d3d9"
    assert from_cpp(text, api="d3d9ex").api == "d3d9ex"
    assert from_cpp("D3D10_BUFFER_DESC d = { 4 };", api="d3d10.1").api == "d3d10.1"
    description = "D3D12_RESOURCE_DESC d = CD3DX12_RESOURCE_DESC::Buffer(256);"
    assert from_cpp(description, call="CreateReservedResource").call == "CreateReservedResource"
    placed = from_cpp(description, call="CreatePlacedResource")
    assert (placed.call, "HeapOffset" in placed.inputs) == ("CreatePlacedResource", False)
