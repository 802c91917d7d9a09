"""The enumerations of D3D12 descriptors, views and root signatures with their numeric values.

Source: d3d12.enums (DirectX-Headers ``d3d12.h``).
"""

from __future__ import annotations

from explorer.core.schema import ApiEnum, ApiFlags


class DescriptorHeapType(ApiEnum):
    """``D3D12_DESCRIPTOR_HEAP_TYPE``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_DESCRIPTOR_HEAP_TYPE_"

    CBV_SRV_UAV = 0
    SAMPLER = 1
    RTV = 2
    DSV = 3


class DescriptorHeapFlags(ApiFlags):
    """``D3D12_DESCRIPTOR_HEAP_FLAGS``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_DESCRIPTOR_HEAP_FLAG_"

    NONE = 0
    SHADER_VISIBLE = 1


class DescriptorRangeType(ApiEnum):
    """``D3D12_DESCRIPTOR_RANGE_TYPE``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_DESCRIPTOR_RANGE_TYPE_"

    SRV = 0
    UAV = 1
    CBV = 2
    SAMPLER = 3


class DescriptorRangeFlags(ApiFlags):
    """``D3D12_DESCRIPTOR_RANGE_FLAGS``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_DESCRIPTOR_RANGE_FLAG_"

    NONE = 0
    DESCRIPTORS_VOLATILE = 1
    DATA_VOLATILE = 2
    DATA_STATIC_WHILE_SET_AT_EXECUTE = 4
    DATA_STATIC = 8
    DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS = 0x10000


class RootParameterType(ApiEnum):
    """``D3D12_ROOT_PARAMETER_TYPE``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_ROOT_PARAMETER_TYPE_"

    DESCRIPTOR_TABLE = 0
    _32BIT_CONSTANTS = 1
    CBV = 2
    SRV = 3
    UAV = 4


class RootDescriptorFlags(ApiFlags):
    """``D3D12_ROOT_DESCRIPTOR_FLAGS``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_ROOT_DESCRIPTOR_FLAG_"

    NONE = 0
    DATA_VOLATILE = 2
    DATA_STATIC_WHILE_SET_AT_EXECUTE = 4
    DATA_STATIC = 8


class ShaderVisibility(ApiEnum):
    """``D3D12_SHADER_VISIBILITY``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_SHADER_VISIBILITY_"

    ALL = 0
    VERTEX = 1
    HULL = 2
    DOMAIN = 3
    GEOMETRY = 4
    PIXEL = 5
    AMPLIFICATION = 6
    MESH = 7


class RootSignatureVersion(ApiEnum):
    """``D3D_ROOT_SIGNATURE_VERSION``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D_ROOT_SIGNATURE_VERSION_"

    _1_0 = 1
    _1_1 = 2
    _1_2 = 3


class RootSignatureFlags(ApiFlags):
    """``D3D12_ROOT_SIGNATURE_FLAGS``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_ROOT_SIGNATURE_FLAG_"

    NONE = 0
    ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT = 1
    DENY_VERTEX_SHADER_ROOT_ACCESS = 2
    DENY_HULL_SHADER_ROOT_ACCESS = 4
    DENY_DOMAIN_SHADER_ROOT_ACCESS = 8
    DENY_GEOMETRY_SHADER_ROOT_ACCESS = 0x10
    DENY_PIXEL_SHADER_ROOT_ACCESS = 0x20
    ALLOW_STREAM_OUTPUT = 0x40
    LOCAL_ROOT_SIGNATURE = 0x80
    DENY_AMPLIFICATION_SHADER_ROOT_ACCESS = 0x100
    DENY_MESH_SHADER_ROOT_ACCESS = 0x200
    CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED = 0x400
    SAMPLER_HEAP_DIRECTLY_INDEXED = 0x800


class SrvDimension(ApiEnum):
    """``D3D12_SRV_DIMENSION``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_SRV_DIMENSION_"

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
    RAYTRACING_ACCELERATION_STRUCTURE = 11


class UavDimension(ApiEnum):
    """``D3D12_UAV_DIMENSION``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_UAV_DIMENSION_"

    UNKNOWN = 0
    BUFFER = 1
    TEXTURE1D = 2
    TEXTURE1DARRAY = 3
    TEXTURE2D = 4
    TEXTURE2DARRAY = 5
    TEXTURE2DMS = 6
    TEXTURE2DMSARRAY = 7
    TEXTURE3D = 8


class RtvDimension(ApiEnum):
    """``D3D12_RTV_DIMENSION``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_RTV_DIMENSION_"

    UNKNOWN = 0
    BUFFER = 1
    TEXTURE1D = 2
    TEXTURE1DARRAY = 3
    TEXTURE2D = 4
    TEXTURE2DARRAY = 5
    TEXTURE2DMS = 6
    TEXTURE2DMSARRAY = 7
    TEXTURE3D = 8


class DsvDimension(ApiEnum):
    """``D3D12_DSV_DIMENSION``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_DSV_DIMENSION_"

    UNKNOWN = 0
    TEXTURE1D = 1
    TEXTURE1DARRAY = 2
    TEXTURE2D = 3
    TEXTURE2DARRAY = 4
    TEXTURE2DMS = 5
    TEXTURE2DMSARRAY = 6


class BufferSrvFlags(ApiFlags):
    """``D3D12_BUFFER_SRV_FLAGS``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_BUFFER_SRV_FLAG_"

    NONE = 0
    RAW = 1


class BufferUavFlags(ApiFlags):
    """``D3D12_BUFFER_UAV_FLAGS``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_BUFFER_UAV_FLAG_"

    NONE = 0
    RAW = 1


class DsvFlags(ApiFlags):
    """``D3D12_DSV_FLAGS``."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        return "D3D12_DSV_FLAG_"

    NONE = 0
    READ_ONLY_DEPTH = 1
    READ_ONLY_STENCIL = 2
