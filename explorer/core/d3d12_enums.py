"""The enumerations of D3D12 heaps, resources and residency with their numeric values.

Source: d3d12.enums (DirectX-Headers ``d3d12.h``).
"""

from __future__ import annotations

from explorer.core.schema import ApiEnum, ApiFlags


class HeapType(ApiEnum):
    """``D3D12_HEAP_TYPE``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_HEAP_TYPE_"

    DEFAULT = 1
    UPLOAD = 2
    READBACK = 3
    CUSTOM = 4
    GPU_UPLOAD = 5


class CpuPageProperty(ApiEnum):
    """``D3D12_CPU_PAGE_PROPERTY``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_CPU_PAGE_PROPERTY_"

    UNKNOWN = 0
    NOT_AVAILABLE = 1
    WRITE_COMBINE = 2
    WRITE_BACK = 3


class MemoryPool(ApiEnum):
    """``D3D12_MEMORY_POOL``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_MEMORY_POOL_"

    UNKNOWN = 0
    L0 = 1
    L1 = 2


class HeapFlags(ApiFlags):
    """``D3D12_HEAP_FLAGS``; NONE equals ALLOW_ALL_BUFFERS_AND_TEXTURES."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_HEAP_FLAG_"

    NONE = 0
    SHARED = 1
    DENY_BUFFERS = 4
    ALLOW_DISPLAY = 8
    SHARED_CROSS_ADAPTER = 0x20
    DENY_RT_DS_TEXTURES = 0x40
    DENY_NON_RT_DS_TEXTURES = 0x80
    HARDWARE_PROTECTED = 0x100
    ALLOW_WRITE_WATCH = 0x200
    ALLOW_SHADER_ATOMICS = 0x400
    CREATE_NOT_RESIDENT = 0x800
    CREATE_NOT_ZEROED = 0x1000
    TOOLS_USE_MANUAL_WRITE_TRACKING = 0x2000
    ALLOW_ALL_BUFFERS_AND_TEXTURES = 0
    ALLOW_ONLY_BUFFERS = 0xC0
    ALLOW_ONLY_NON_RT_DS_TEXTURES = 0x44
    ALLOW_ONLY_RT_DS_TEXTURES = 0x84


class ResourceDimension(ApiEnum):
    """``D3D12_RESOURCE_DIMENSION``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_RESOURCE_DIMENSION_"

    UNKNOWN = 0
    BUFFER = 1
    TEXTURE1D = 2
    TEXTURE2D = 3
    TEXTURE3D = 4


class TextureLayout(ApiEnum):
    """``D3D12_TEXTURE_LAYOUT``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_TEXTURE_LAYOUT_"

    UNKNOWN = 0
    ROW_MAJOR = 1
    _64KB_UNDEFINED_SWIZZLE = 2
    _64KB_STANDARD_SWIZZLE = 3


class ResourceFlags(ApiFlags):
    """``D3D12_RESOURCE_FLAGS``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_RESOURCE_FLAG_"

    NONE = 0
    ALLOW_RENDER_TARGET = 1
    ALLOW_DEPTH_STENCIL = 2
    ALLOW_UNORDERED_ACCESS = 4
    DENY_SHADER_RESOURCE = 8
    ALLOW_CROSS_ADAPTER = 0x10
    ALLOW_SIMULTANEOUS_ACCESS = 0x20
    VIDEO_DECODE_REFERENCE_ONLY = 0x40
    VIDEO_ENCODE_REFERENCE_ONLY = 0x80
    RAYTRACING_ACCELERATION_STRUCTURE = 0x100
    USE_TIGHT_ALIGNMENT = 0x400


class ResourceStates(ApiFlags):
    """``D3D12_RESOURCE_STATES``; PRESENT equals COMMON, PREDICATION equals INDIRECT_ARGUMENT."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_RESOURCE_STATE_"

    COMMON = 0
    VERTEX_AND_CONSTANT_BUFFER = 1
    INDEX_BUFFER = 2
    RENDER_TARGET = 4
    UNORDERED_ACCESS = 8
    DEPTH_WRITE = 0x10
    DEPTH_READ = 0x20
    NON_PIXEL_SHADER_RESOURCE = 0x40
    PIXEL_SHADER_RESOURCE = 0x80
    STREAM_OUT = 0x100
    INDIRECT_ARGUMENT = 0x200
    COPY_DEST = 0x400
    COPY_SOURCE = 0x800
    RESOLVE_DEST = 0x1000
    RESOLVE_SOURCE = 0x2000
    RAYTRACING_ACCELERATION_STRUCTURE = 0x400000
    SHADING_RATE_SOURCE = 0x1000000
    GENERIC_READ = 0xAC3
    ALL_SHADER_RESOURCE = 0xC0
    PRESENT = 0
    PREDICATION = 0x200
    VIDEO_DECODE_READ = 0x10000
    VIDEO_DECODE_WRITE = 0x20000
    VIDEO_PROCESS_READ = 0x40000
    VIDEO_PROCESS_WRITE = 0x80000
    VIDEO_ENCODE_READ = 0x200000
    VIDEO_ENCODE_WRITE = 0x800000


class ResidencyFlags(ApiFlags):
    """``D3D12_RESIDENCY_FLAGS``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_RESIDENCY_FLAG_"

    NONE = 0
    DENY_OVERBUDGET = 1


class ResidencyPriority(ApiEnum):
    """``D3D12_RESIDENCY_PRIORITY``; values between the named ones are legal."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_RESIDENCY_PRIORITY_"

    MINIMUM = 0x28000000
    LOW = 0x50000000
    NORMAL = 0x78000000
    HIGH = 0xA0010000
    MAXIMUM = 0xC8000000


class TileRangeFlags(ApiEnum):
    """``D3D12_TILE_RANGE_FLAGS``: one of these, never combined."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_TILE_RANGE_FLAG_"

    NONE = 0
    NULL = 1
    SKIP = 2
    REUSE_SINGLE_TILE = 4


class TileMappingFlags(ApiFlags):
    """``D3D12_TILE_MAPPING_FLAGS``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_TILE_MAPPING_FLAG_"

    NONE = 0
    NO_HAZARD = 1


class CommandListType(ApiEnum):
    """``D3D12_COMMAND_LIST_TYPE``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_COMMAND_LIST_TYPE_"

    DIRECT = 0
    BUNDLE = 1
    COMPUTE = 2
    COPY = 3
    VIDEO_DECODE = 4
    VIDEO_PROCESS = 5
    VIDEO_ENCODE = 6
    NONE = -1


class QueryHeapType(ApiEnum):
    """``D3D12_QUERY_HEAP_TYPE``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_QUERY_HEAP_TYPE_"

    OCCLUSION = 0
    TIMESTAMP = 1
    PIPELINE_STATISTICS = 2
    SO_STATISTICS = 3
    VIDEO_DECODE_STATISTICS = 4
    COPY_QUEUE_TIMESTAMP = 5
    PIPELINE_STATISTICS1 = 7


class CommandQueueFlags(ApiFlags):
    """``D3D12_COMMAND_QUEUE_FLAGS``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_COMMAND_QUEUE_FLAG_"

    NONE = 0
    DISABLE_GPU_TIMEOUT = 1


class FenceFlags(ApiFlags):
    """``D3D12_FENCE_FLAGS``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_FENCE_FLAG_"

    NONE = 0
    SHARED = 1
    SHARED_CROSS_ADAPTER = 2
    NON_MONITORED = 4


class TrimNotificationFlags(ApiFlags):
    """``D3D12_TRIM_NOTIFICATION_FLAGS``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_TRIM_NOTIFICATION_FLAG_"

    NONE = 0
    PERIODIC_TRIM = 1
    RESTART_PERIODIC_TRIM = 2
    TRIM_TO_BUDGET = 4


class MemorySegmentGroup(ApiEnum):
    """``DXGI_MEMORY_SEGMENT_GROUP``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "DXGI_MEMORY_SEGMENT_GROUP_"

    LOCAL = 0
    NON_LOCAL = 1


class BarrierLayout(ApiEnum):
    """``D3D12_BARRIER_LAYOUT``; PRESENT equals COMMON."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_BARRIER_LAYOUT_"

    UNDEFINED = 0xFFFFFFFF
    COMMON = 0
    PRESENT = 0
    GENERIC_READ = 1
    RENDER_TARGET = 2
    UNORDERED_ACCESS = 3
    DEPTH_STENCIL_WRITE = 4
    DEPTH_STENCIL_READ = 5
    SHADER_RESOURCE = 6
    COPY_SOURCE = 7
    COPY_DEST = 8
    RESOLVE_SOURCE = 9
    RESOLVE_DEST = 10
    SHADING_RATE_SOURCE = 11


class ResourceBarrierType(ApiEnum):
    """``D3D12_RESOURCE_BARRIER_TYPE``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_RESOURCE_BARRIER_TYPE_"

    TRANSITION = 0
    ALIASING = 1
    UAV = 2


class ResourceBarrierFlags(ApiFlags):
    """``D3D12_RESOURCE_BARRIER_FLAGS``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_RESOURCE_BARRIER_FLAG_"

    NONE = 0
    BEGIN_ONLY = 1
    END_ONLY = 2


class Feature(ApiEnum):
    """``D3D12_FEATURE``: the queries that are answered here."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_FEATURE_"

    D3D12_OPTIONS = 0
    ARCHITECTURE = 1
    MULTISAMPLE_QUALITY_LEVELS = 4
    FORMAT_INFO = 5
    GPU_VIRTUAL_ADDRESS_SUPPORT = 6
    ARCHITECTURE1 = 16
    D3D12_OPTIONS12 = 41
    D3D12_OPTIONS14 = 43
    D3D12_OPTIONS16 = 45
    D3D12_OPTIONS19 = 48
    D3D12_TIGHT_ALIGNMENT = 54
