"""What the Create view offers: the kinds of each API, and descriptions to start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CreateKind:
    """A segment of the kind chooser.

    Attributes:
        word: What the segment says.
        call: The call that it makes.
    """

    word: str
    call: str


@dataclass(frozen=True, slots=True)
class CreatePreset:
    """A description to start from; sizes and places are the device's answer, not part of it.

    Attributes:
        title: What the list says.
        call: The call.
        input: Its parameters.
    """

    title: str
    call: str
    input: Mapping[str, object] = field(default_factory=dict[str, object])


_D3D9 = (
    CreateKind("Texture", "CreateTexture"),
    CreateKind("Cube", "CreateCubeTexture"),
    CreateKind("Volume", "CreateVolumeTexture"),
    CreateKind("Vertex", "CreateVertexBuffer"),
    CreateKind("Index", "CreateIndexBuffer"),
    CreateKind("Target", "CreateRenderTarget"),
    CreateKind("Depth", "CreateDepthStencilSurface"),
    CreateKind("Plain", "CreateOffscreenPlainSurface"),
)
_D3D11 = (
    CreateKind("Buffer", "CreateBuffer"),
    CreateKind("1D", "CreateTexture1D"),
    CreateKind("2D", "CreateTexture2D"),
    CreateKind("3D", "CreateTexture3D"),
)
_D3D12 = (
    CreateKind("Committed", "CreateCommittedResource"),
    CreateKind("Placed", "CreatePlacedResource"),
    CreateKind("Reserved", "CreateReservedResource"),
    CreateKind("Heap", "CreateHeap"),
)

KINDS: Mapping[str, tuple[CreateKind, ...]] = {
    "d3d9": _D3D9,
    "d3d9ex": _D3D9,
    "d3d10": _D3D11,
    "d3d10.1": _D3D11,
    "d3d11": _D3D11,
    "xg": _D3D11,
    "d3d12": _D3D12,
}
"""API → the kinds in the order of the chooser."""


def _texture9(
    title: str, width: int, height: int, form: str, pool: str, usage: str = "", levels: int = 0
) -> CreatePreset:
    flags = [flag for flag in usage.split(" ") if flag]
    return CreatePreset(
        title,
        "CreateTexture",
        {
            "Width": width,
            "Height": height,
            "Levels": levels,
            "Usage": flags,
            "Format": form,
            "Pool": pool,
        },
    )


def _texture12(width: int, height: int, form: str, mips: int = 1, flags: str = "") -> dict[str, object]:
    return {
        "Dimension": "D3D12_RESOURCE_DIMENSION_TEXTURE2D",
        "Width": width,
        "Height": height,
        "MipLevels": mips,
        "Format": form,
        "Flags": [flags] if flags else [],
    }


def _buffer12(size: int, flags: str = "") -> dict[str, object]:
    return {
        "Dimension": "D3D12_RESOURCE_DIMENSION_BUFFER",
        "Width": size,
        "Height": 1,
        "Layout": "D3D12_TEXTURE_LAYOUT_ROW_MAJOR",
        "Flags": [flags] if flags else [],
    }


def _committed(title: str, heap: str, desc: Mapping[str, object], state: str = "") -> CreatePreset:
    return CreatePreset(
        title,
        "CreateCommittedResource",
        {
            "pHeapProperties": {"Type": f"D3D12_HEAP_TYPE_{heap}"},
            "pDesc": desc,
            "InitialResourceState": [f"D3D12_RESOURCE_STATE_{state}"] if state else [],
        },
    )


_PRESETS_9 = (
    _texture9("File texture, DXT1 with mips", 1024, 1024, "D3DFMT_DXT1", "D3DPOOL_MANAGED"),
    _texture9("Normal map, A8R8G8B8", 512, 512, "D3DFMT_A8R8G8B8", "D3DPOOL_MANAGED"),
    _texture9("Dynamic video texture", 640, 480, "D3DFMT_X8R8G8B8", "D3DPOOL_DEFAULT", "D3DUSAGE_DYNAMIC", 1),
    _texture9(
        "Render-target texture", 1024, 1024, "D3DFMT_A16B16G16R16F", "D3DPOOL_DEFAULT", "D3DUSAGE_RENDERTARGET", 1
    ),
    _texture9("Staging texture", 1024, 1024, "D3DFMT_DXT1", "D3DPOOL_SYSTEMMEM"),
    CreatePreset(
        "Static vertex buffer",
        "CreateVertexBuffer",
        {
            "Length": 2 << 20,
            "Usage": ["D3DUSAGE_WRITEONLY"],
            "FVF": 0,
            "Pool": "D3DPOOL_MANAGED",
        },
    ),
    CreatePreset(
        "Vertex ring, dynamic",
        "CreateVertexBuffer",
        {
            "Length": 1 << 20,
            "Usage": ["D3DUSAGE_WRITEONLY", "D3DUSAGE_DYNAMIC"],
            "FVF": 0,
            "Pool": "D3DPOOL_DEFAULT",
        },
    ),
    CreatePreset(
        "Index buffer, 16 bit",
        "CreateIndexBuffer",
        {
            "Length": 512 << 10,
            "Usage": ["D3DUSAGE_WRITEONLY"],
            "Format": "D3DFMT_INDEX16",
            "Pool": "D3DPOOL_MANAGED",
        },
    ),
    CreatePreset(
        "Shadow map, D24S8",
        "CreateDepthStencilSurface",
        {
            "Width": 1024,
            "Height": 1024,
            "Format": "D3DFMT_D24S8",
        },
    ),
    CreatePreset(
        "Environment cube",
        "CreateCubeTexture",
        {
            "EdgeLength": 256,
            "Levels": 0,
            "Usage": [],
            "Format": "D3DFMT_DXT1",
            "Pool": "D3DPOOL_MANAGED",
        },
    ),
)
_PRESETS_9_MORE = (
    CreatePreset(
        "Fog volume, 8 bit",
        "CreateVolumeTexture",
        {
            "Width": 64,
            "Height": 64,
            "Depth": 32,
            "Levels": 1,
            "Usage": [],
            "Format": "D3DFMT_L8",
            "Pool": "D3DPOOL_MANAGED",
        },
    ),
    CreatePreset(
        "Render target, 4 samples",
        "CreateRenderTarget",
        {"Width": 1024, "Height": 768, "Format": "D3DFMT_X8R8G8B8", "MultiSample": "D3DMULTISAMPLE_4_SAMPLES"},
    ),
    CreatePreset(
        "Screenshot surface",
        "CreateOffscreenPlainSurface",
        {"Width": 1024, "Height": 768, "Format": "D3DFMT_X8R8G8B8", "Pool": "D3DPOOL_SYSTEMMEM"},
    ),
)
_PRESETS_11_MORE = (
    CreatePreset(
        "Colour ramp, 1D",
        "CreateTexture1D",
        {"pDesc": {"Width": 256, "Format": "DXGI_FORMAT_R8G8B8A8_UNORM", "BindFlags": ["SHADER_RESOURCE"]}},
    ),
    CreatePreset(
        "Light volume, 3D",
        "CreateTexture3D",
        {
            "pDesc": {
                "Width": 64,
                "Height": 64,
                "Depth": 64,
                "Format": "DXGI_FORMAT_R16G16B16A16_FLOAT",
                "BindFlags": ["SHADER_RESOURCE"],
            }
        },
    ),
)
_PRESETS_11 = (
    CreatePreset(
        "Constant buffer, dynamic",
        "CreateBuffer",
        {
            "pDesc": {
                "ByteWidth": 256,
                "Usage": "DYNAMIC",
                "BindFlags": ["CONSTANT_BUFFER"],
                "CPUAccessFlags": ["WRITE"],
            },
        },
    ),
    CreatePreset(
        "Vertex ring, dynamic",
        "CreateBuffer",
        {
            "pDesc": {
                "ByteWidth": 4 << 20,
                "Usage": "DYNAMIC",
                "BindFlags": ["VERTEX_BUFFER"],
                "CPUAccessFlags": ["WRITE"],
            },
        },
    ),
    CreatePreset(
        "File texture, immutable BC7",
        "CreateTexture2D",
        {
            "pDesc": {
                "Width": 2048,
                "Height": 2048,
                "MipLevels": 12,
                "Format": "DXGI_FORMAT_BC7_UNORM_SRGB",
                "Usage": "IMMUTABLE",
                "BindFlags": ["SHADER_RESOURCE"],
            },
            "pInitialData": True,
        },
    ),
    CreatePreset(
        "G-buffer, R16G16B16A16_FLOAT",
        "CreateTexture2D",
        {
            "pDesc": {
                "Width": 1920,
                "Height": 1080,
                "Format": "DXGI_FORMAT_R16G16B16A16_FLOAT",
                "BindFlags": ["RENDER_TARGET", "SHADER_RESOURCE"],
            },
        },
    ),
    CreatePreset(
        "Depth buffer, D32",
        "CreateTexture2D",
        {
            "pDesc": {"Width": 1920, "Height": 1080, "Format": "DXGI_FORMAT_D32_FLOAT", "BindFlags": ["DEPTH_STENCIL"]},
        },
    ),
    CreatePreset(
        "Readback, staging",
        "CreateTexture2D",
        {
            "pDesc": {
                "Width": 1920,
                "Height": 1080,
                "Format": "DXGI_FORMAT_R8G8B8A8_UNORM",
                "Usage": "STAGING",
                "CPUAccessFlags": ["READ"],
            },
        },
    ),
)
_PRESETS_12 = (
    _committed("File texture, BC7", "DEFAULT", _texture12(4096, 4096, "DXGI_FORMAT_BC7_UNORM_SRGB", 13)),
    _committed(
        "G-buffer, R16G16B16A16_FLOAT",
        "DEFAULT",
        _texture12(2560, 1440, "DXGI_FORMAT_R16G16B16A16_FLOAT", 1, "D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET"),
        "RENDER_TARGET",
    ),
    _committed(
        "Depth buffer, D32",
        "DEFAULT",
        _texture12(2560, 1440, "DXGI_FORMAT_D32_FLOAT", 1, "D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL"),
        "DEPTH_WRITE",
    ),
    _committed("Static vertex buffer", "DEFAULT", _buffer12(32 << 20)),
    _committed("Vertex ring, upload", "UPLOAD", _buffer12(8 << 20), "GENERIC_READ"),
    _committed("Constant buffer, upload", "UPLOAD", _buffer12(64 << 10), "GENERIC_READ"),
    _committed("Readback buffer", "READBACK", _buffer12(4 << 20), "COPY_DEST"),
    _committed("Unordered buffer", "DEFAULT", _buffer12(16 << 20, "D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS")),
    CreatePreset(
        "Placed texture, BC7",
        "CreatePlacedResource",
        {
            "pDesc": _texture12(2048, 2048, "DXGI_FORMAT_BC7_UNORM_SRGB", 12),
        },
    ),
    CreatePreset(
        "Reserved texture, 16k × 8k BC3",
        "CreateReservedResource",
        {
            "pDesc": {
                **_texture12(16384, 8192, "DXGI_FORMAT_BC3_UNORM", 1),
                "Layout": "D3D12_TEXTURE_LAYOUT_64KB_UNDEFINED_SWIZZLE",
            },
        },
    ),
    CreatePreset(
        "Heap for textures, 256 MiB",
        "CreateHeap",
        {
            "pDesc": {
                "SizeInBytes": 256 << 20,
                "Properties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"},
                "Flags": ["D3D12_HEAP_FLAG_ALLOW_ONLY_NON_RT_DS_TEXTURES"],
            },
        },
    ),
    CreatePreset(
        "Heap for buffers, 64 MiB",
        "CreateHeap",
        {
            "pDesc": {
                "SizeInBytes": 64 << 20,
                "Properties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"},
                "Flags": ["D3D12_HEAP_FLAG_ALLOW_ONLY_BUFFERS"],
            },
        },
    ),
)

_D3D9_PRESETS = (*_PRESETS_9, *_PRESETS_9_MORE)
_D3D11_PRESETS = (*_PRESETS_11, *_PRESETS_11_MORE)

PRESETS: Mapping[str, tuple[CreatePreset, ...]] = {
    "d3d9": _D3D9_PRESETS,
    "d3d9ex": _D3D9_PRESETS,
    "d3d10": _D3D11_PRESETS,
    "d3d10.1": _D3D11_PRESETS,
    "d3d11": _D3D11_PRESETS,
    "xg": _D3D11_PRESETS,
    "d3d12": _PRESETS_12,
}
"""API → descriptions to start from."""


def first_input(api: str, call: str) -> Mapping[str, object]:
    """Return the first preset's input for a call; empty where there is none."""
    return next((preset.input for preset in PRESETS.get(api, ()) if preset.call == call), {})
