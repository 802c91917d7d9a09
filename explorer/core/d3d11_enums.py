"""Constants of Direct3D 10, 10.1, 11 to 11.2 and of the XG library, with the API's numeric values.

Source: the public headers as listed in Wine's ``include/d3d11.idl`` and ``d3d10.idl``; later flags from the pages of
``D3D11_RESOURCE_MISC_FLAG`` and ``D3D11_FEATURE`` in MicrosoftDocs/sdk-api.
"""

from __future__ import annotations

from explorer.core.schema import ApiEnum, ApiFlags


class Usage(ApiEnum):
    """D3D11_USAGE: which processor reads and writes, from which the runtime picks the memory."""

    DEFAULT = 0
    IMMUTABLE = 1
    DYNAMIC = 2
    STAGING = 3

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D11_USAGE_"


class Usage10(ApiEnum):
    """D3D10_USAGE: the same values as in D3D11."""

    DEFAULT = 0
    IMMUTABLE = 1
    DYNAMIC = 2
    STAGING = 3

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D10_USAGE_"


class XgUsage(ApiEnum):
    """XG_USAGE: the same values as in D3D11."""

    DEFAULT = 0
    IMMUTABLE = 1
    DYNAMIC = 2
    STAGING = 3

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "XG_USAGE_"


class BindFlag(ApiFlags):
    """D3D11_BIND_FLAG: the pipeline stages a resource can be bound to."""

    VERTEX_BUFFER = 0x1
    INDEX_BUFFER = 0x2
    CONSTANT_BUFFER = 0x4
    SHADER_RESOURCE = 0x8
    STREAM_OUTPUT = 0x10
    RENDER_TARGET = 0x20
    DEPTH_STENCIL = 0x40
    UNORDERED_ACCESS = 0x80
    DECODER = 0x200
    VIDEO_ENCODER = 0x400

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D11_BIND_"


class BindFlag10(ApiFlags):
    """D3D10_BIND_FLAG."""

    VERTEX_BUFFER = 0x1
    INDEX_BUFFER = 0x2
    CONSTANT_BUFFER = 0x4
    SHADER_RESOURCE = 0x8
    STREAM_OUTPUT = 0x10
    RENDER_TARGET = 0x20
    DEPTH_STENCIL = 0x40

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D10_BIND_"


class XgBindFlag(ApiFlags):
    """XG_BIND_FLAG: the same values as in D3D11."""

    VERTEX_BUFFER = 0x1
    INDEX_BUFFER = 0x2
    CONSTANT_BUFFER = 0x4
    SHADER_RESOURCE = 0x8
    STREAM_OUTPUT = 0x10
    RENDER_TARGET = 0x20
    DEPTH_STENCIL = 0x40
    UNORDERED_ACCESS = 0x80

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "XG_BIND_"


class CpuAccessFlag(ApiFlags):
    """D3D11_CPU_ACCESS_FLAG: what the CPU may do through Map."""

    WRITE = 0x10000
    READ = 0x20000

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D11_CPU_ACCESS_"


class CpuAccessFlag10(ApiFlags):
    """D3D10_CPU_ACCESS_FLAG: the same values as in D3D11."""

    WRITE = 0x10000
    READ = 0x20000

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D10_CPU_ACCESS_"


class XgCpuAccessFlag(ApiFlags):
    """XG_CPU_ACCESS_FLAG: the same values as in D3D11."""

    WRITE = 0x10000
    READ = 0x20000

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "XG_CPU_ACCESS_"


class MiscFlag(ApiFlags):
    """D3D11_RESOURCE_MISC_FLAG."""

    GENERATE_MIPS = 0x1
    SHARED = 0x2
    TEXTURECUBE = 0x4
    DRAWINDIRECT_ARGS = 0x10
    BUFFER_ALLOW_RAW_VIEWS = 0x20
    BUFFER_STRUCTURED = 0x40
    RESOURCE_CLAMP = 0x80
    SHARED_KEYEDMUTEX = 0x100
    GDI_COMPATIBLE = 0x200
    SHARED_NTHANDLE = 0x800
    RESTRICTED_CONTENT = 0x1000
    RESTRICT_SHARED_RESOURCE = 0x2000
    RESTRICT_SHARED_RESOURCE_DRIVER = 0x4000
    GUARDED = 0x8000
    TILE_POOL = 0x20000
    TILED = 0x40000
    HW_PROTECTED = 0x80000

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D11_RESOURCE_MISC_"


class MiscFlag10(ApiFlags):
    """D3D10_RESOURCE_MISC_FLAG: 0x10 and 0x20 mean other things than in D3D11."""

    GENERATE_MIPS = 0x1
    SHARED = 0x2
    TEXTURECUBE = 0x4
    SHARED_KEYEDMUTEX = 0x10
    GDI_COMPATIBLE = 0x20

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D10_RESOURCE_MISC_"


class XgMiscFlag(ApiFlags):
    """XG_RESOURCE_MISC_FLAG, as far as it equals the D3D11 flags (the rest is not published)."""

    TEXTURECUBE = 0x4
    DRAWINDIRECT_ARGS = 0x10
    BUFFER_ALLOW_RAW_VIEWS = 0x20
    BUFFER_STRUCTURED = 0x40

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "XG_RESOURCE_MISC_"


class MapType(ApiEnum):
    """D3D11_MAP."""

    READ = 1
    WRITE = 2
    READ_WRITE = 3
    WRITE_DISCARD = 4
    WRITE_NO_OVERWRITE = 5

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D11_MAP_"


class MapType10(ApiEnum):
    """D3D10_MAP: the same values as in D3D11."""

    READ = 1
    WRITE = 2
    READ_WRITE = 3
    WRITE_DISCARD = 4
    WRITE_NO_OVERWRITE = 5

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D10_MAP_"


class MapFlag(ApiFlags):
    """D3D11_MAP_FLAG."""

    DO_NOT_WAIT = 0x100000

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D11_MAP_FLAG_"


class MapFlag10(ApiFlags):
    """D3D10_MAP_FLAG."""

    DO_NOT_WAIT = 0x100000

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D10_MAP_FLAG_"


class CopyFlag(ApiFlags):
    """D3D11_COPY_FLAGS (11.1)."""

    NO_OVERWRITE = 0x1
    DISCARD = 0x2

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D11_COPY_"


class SrvDimension(ApiEnum):
    """D3D11_SRV_DIMENSION."""

    UNKNOWN = 0
    BUFFER = 1
    TEXTURE1D = 2
    TEXTURE1DARRAY = 3
    TEXTURE2D = 4
    TEXTURE2DARRAY = 5
    TEXTURE2DMS = 6
    TEXTURE2DMSARRAY = 7
    TEXTURE3D = 8
    TEXTURECUBE = 9
    TEXTURECUBEARRAY = 10
    BUFFEREX = 11

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D11_SRV_DIMENSION_"


class RtvDimension(ApiEnum):
    """D3D11_RTV_DIMENSION."""

    UNKNOWN = 0
    BUFFER = 1
    TEXTURE1D = 2
    TEXTURE1DARRAY = 3
    TEXTURE2D = 4
    TEXTURE2DARRAY = 5
    TEXTURE2DMS = 6
    TEXTURE2DMSARRAY = 7
    TEXTURE3D = 8

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D11_RTV_DIMENSION_"


class DsvDimension(ApiEnum):
    """D3D11_DSV_DIMENSION."""

    UNKNOWN = 0
    TEXTURE1D = 1
    TEXTURE1DARRAY = 2
    TEXTURE2D = 3
    TEXTURE2DARRAY = 4
    TEXTURE2DMS = 5
    TEXTURE2DMSARRAY = 6

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D11_DSV_DIMENSION_"


class UavDimension(ApiEnum):
    """D3D11_UAV_DIMENSION."""

    UNKNOWN = 0
    BUFFER = 1
    TEXTURE1D = 2
    TEXTURE1DARRAY = 3
    TEXTURE2D = 4
    TEXTURE2DARRAY = 5
    TEXTURE3D = 8

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D11_UAV_DIMENSION_"


class DsvFlag(ApiFlags):
    """D3D11_DSV_FLAG."""

    READ_ONLY_DEPTH = 0x1
    READ_ONLY_STENCIL = 0x2

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D11_DSV_"


class BufferExSrvFlag(ApiFlags):
    """D3D11_BUFFEREX_SRV_FLAG."""

    RAW = 0x1

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D11_BUFFEREX_SRV_FLAG_"


class BufferUavFlag(ApiFlags):
    """D3D11_BUFFER_UAV_FLAG."""

    RAW = 0x1
    APPEND = 0x2
    COUNTER = 0x4

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D11_BUFFER_UAV_FLAG_"


class Feature(ApiEnum):
    """D3D11_FEATURE: the queries of CheckFeatureSupport."""

    THREADING = 0
    DOUBLES = 1
    FORMAT_SUPPORT = 2
    FORMAT_SUPPORT2 = 3
    D3D10_X_HARDWARE_OPTIONS = 4
    D3D11_OPTIONS = 5
    ARCHITECTURE_INFO = 6
    D3D9_OPTIONS = 7
    SHADER_MIN_PRECISION_SUPPORT = 8
    D3D9_SHADOW_SUPPORT = 9
    D3D11_OPTIONS1 = 10
    D3D9_SIMPLE_INSTANCING_SUPPORT = 11
    MARKER_SUPPORT = 12
    D3D9_OPTIONS1 = 13

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D11_FEATURE_"


class FeatureLevel(ApiEnum):
    """D3D_FEATURE_LEVEL."""

    _9_1 = 0x9100
    _9_2 = 0x9200
    _9_3 = 0x9300
    _10_0 = 0xA000
    _10_1 = 0xA100
    _11_0 = 0xB000
    _11_1 = 0xB100
    _12_0 = 0xC000
    _12_1 = 0xC100

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "D3D_FEATURE_LEVEL_"


LEVEL_10_0 = FeatureLevel(0xA000)
LEVEL_10_1 = FeatureLevel(0xA100)
LEVEL_11_0 = FeatureLevel(0xB000)
LEVEL_11_1 = FeatureLevel(0xB100)
LEVEL_12_1 = FeatureLevel(0xC100)


class EvictionPriority(ApiEnum):
    """DXGI_RESOURCE_PRIORITY."""

    MINIMUM = 0x28000000
    LOW = 0x50000000
    NORMAL = 0x78000000
    HIGH = 0xA0000000
    MAXIMUM = 0xC8000000

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the constants."""
        return "DXGI_RESOURCE_PRIORITY_"
