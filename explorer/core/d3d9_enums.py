"""Constants of Direct3D 9 with the API's numeric values.

Source: MicrosoftDocs/win32 desktop-src/direct3d9 (d3dformat.md, d3dpool.md, d3dusage.md, d3dlock.md); values as in
Wine include/d3d9types.h.
"""

from __future__ import annotations

from explorer.core.schema import ApiEnum, ApiFlags


class Pool(ApiEnum):
    """D3DPOOL: where a resource lives, fixed for its life."""

    DEFAULT = 0
    MANAGED = 1
    SYSTEMMEM = 2
    SCRATCH = 3

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the official constants."""
        return "D3DPOOL_"


class Usage(ApiFlags):
    """D3DUSAGE: what a resource is for; the QUERY flags belong to CheckDeviceFormat alone."""

    RENDERTARGET = 0x00000001
    DEPTHSTENCIL = 0x00000002
    WRITEONLY = 0x00000008
    SOFTWAREPROCESSING = 0x00000010
    DONOTCLIP = 0x00000020
    POINTS = 0x00000040
    RTPATCHES = 0x00000080
    NPATCHES = 0x00000100
    DYNAMIC = 0x00000200
    AUTOGENMIPMAP = 0x00000400
    RESTRICTED_CONTENT = 0x00000800
    RESTRICT_SHARED_RESOURCE_DRIVER = 0x00001000
    RESTRICT_SHARED_RESOURCE = 0x00002000
    DMAP = 0x00004000
    NONSECURE = 0x00800000
    TEXTAPI = 0x10000000
    QUERY_LEGACYBUMPMAP = 0x00008000
    QUERY_SRGBREAD = 0x00010000
    QUERY_FILTER = 0x00020000
    QUERY_SRGBWRITE = 0x00040000
    QUERY_POSTPIXELSHADER_BLENDING = 0x00080000
    QUERY_VERTEXTEXTURE = 0x00100000
    QUERY_WRAPANDMIP = 0x00200000

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the official constants."""
        return "D3DUSAGE_"


class LockFlags(ApiFlags):
    """D3DLOCK: how the CPU is going to use a locked range."""

    READONLY = 0x0010
    NOSYSLOCK = 0x0800
    NOOVERWRITE = 0x1000
    DISCARD = 0x2000
    DONOTWAIT = 0x4000
    NO_DIRTY_UPDATE = 0x8000

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the official constants."""
        return "D3DLOCK_"


class ResourceType(ApiEnum):
    """D3DRESOURCETYPE: the kind of object that a create call made."""

    SURFACE = 1
    VOLUME = 2
    TEXTURE = 3
    VOLUMETEXTURE = 4
    CUBETEXTURE = 5
    VERTEXBUFFER = 6
    INDEXBUFFER = 7

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the official constants."""
        return "D3DRTYPE_"


class Format(ApiEnum):
    """D3DFORMAT, and three vendor codes (ATI1, ATI2, NULL) that applications use like constants.

    Other FOURCC codes travel as plain numbers.
    """

    UNKNOWN = 0
    R8G8B8 = 20
    A8R8G8B8 = 21
    X8R8G8B8 = 22
    R5G6B5 = 23
    X1R5G5B5 = 24
    A1R5G5B5 = 25
    A4R4G4B4 = 26
    R3G3B2 = 27
    A8 = 28
    A8R3G3B2 = 29
    X4R4G4B4 = 30
    A2B10G10R10 = 31
    A8B8G8R8 = 32
    X8B8G8R8 = 33
    G16R16 = 34
    A2R10G10B10 = 35
    A16B16G16R16 = 36
    A8P8 = 40
    P8 = 41
    L8 = 50
    A8L8 = 51
    A4L4 = 52
    V8U8 = 60
    L6V5U5 = 61
    X8L8V8U8 = 62
    Q8W8V8U8 = 63
    V16U16 = 64
    A2W10V10U10 = 67
    D16_LOCKABLE = 70
    D32 = 71
    D15S1 = 73
    D24S8 = 75
    D24X8 = 77
    D24X4S4 = 79
    D16 = 80
    L16 = 81
    D32F_LOCKABLE = 82
    D24FS8 = 83
    D32_LOCKABLE = 84
    S8_LOCKABLE = 85
    VERTEXDATA = 100
    INDEX16 = 101
    INDEX32 = 102
    Q16W16V16U16 = 110
    R16F = 111
    G16R16F = 112
    A16B16G16R16F = 113
    R32F = 114
    G32R32F = 115
    A32B32G32R32F = 116
    CxV8U8 = 117
    A1 = 118
    A2B10G10R10_XR_BIAS = 119
    BINARYBUFFER = 199
    ATI1 = 0x31495441
    MULTI2_ARGB8 = 0x3154454D
    DXT1 = 0x31545844
    ATI2 = 0x32495441
    DXT2 = 0x32545844
    YUY2 = 0x32595559
    DXT3 = 0x33545844
    DXT4 = 0x34545844
    DXT5 = 0x35545844
    G8R8_G8B8 = 0x42475247
    R8G8_B8G8 = 0x47424752
    NULL = 0x4C4C554E
    UYVY = 0x59565955

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the official constants."""
        return "D3DFMT_"


class MultisampleType(ApiEnum):
    """D3DMULTISAMPLE_TYPE."""

    NONE = 0
    NONMASKABLE = 1
    _2_SAMPLES = 2
    _3_SAMPLES = 3
    _4_SAMPLES = 4
    _5_SAMPLES = 5
    _6_SAMPLES = 6
    _7_SAMPLES = 7
    _8_SAMPLES = 8
    _9_SAMPLES = 9
    _10_SAMPLES = 10
    _11_SAMPLES = 11
    _12_SAMPLES = 12
    _13_SAMPLES = 13
    _14_SAMPLES = 14
    _15_SAMPLES = 15
    _16_SAMPLES = 16

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the official constants."""
        return "D3DMULTISAMPLE_"


class CubeFace(ApiEnum):
    """D3DCUBEMAP_FACES."""

    POSITIVE_X = 0
    NEGATIVE_X = 1
    POSITIVE_Y = 2
    NEGATIVE_Y = 3
    POSITIVE_Z = 4
    NEGATIVE_Z = 5

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the official constants."""
        return "D3DCUBEMAP_FACE_"


class TextureFilter(ApiEnum):
    """D3DTEXTUREFILTERTYPE."""

    NONE = 0
    POINT = 1
    LINEAR = 2
    ANISOTROPIC = 3
    PYRAMIDALQUAD = 6
    GAUSSIANQUAD = 7
    CONVOLUTIONMONO = 8

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the official constants."""
        return "D3DTEXF_"


class CreateFlags(ApiFlags):
    """D3DCREATE: the behaviour flags of a device."""

    FPU_PRESERVE = 0x00000002
    MULTITHREADED = 0x00000004
    PUREDEVICE = 0x00000010
    SOFTWARE_VERTEXPROCESSING = 0x00000020
    HARDWARE_VERTEXPROCESSING = 0x00000040
    MIXED_VERTEXPROCESSING = 0x00000080
    DISABLE_DRIVER_MANAGEMENT = 0x00000100
    DISABLE_DRIVER_MANAGEMENT_EX = 0x00000400

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the official constants."""
        return "D3DCREATE_"


class DeviceType(ApiEnum):
    """D3DDEVTYPE."""

    HAL = 1
    REF = 2
    SW = 3
    NULLREF = 4

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the official constants."""
        return "D3DDEVTYPE_"


class SwapEffect(ApiEnum):
    """D3DSWAPEFFECT; OVERLAY and FLIPEX exist on 9Ex only."""

    DISCARD = 1
    FLIP = 2
    COPY = 3
    OVERLAY = 4
    FLIPEX = 5

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the official constants."""
        return "D3DSWAPEFFECT_"


class PresentFlags(ApiFlags):
    """D3DPRESENTFLAG."""

    LOCKABLE_BACKBUFFER = 0x00000001
    DISCARD_DEPTHSTENCIL = 0x00000002
    DEVICECLIP = 0x00000004
    VIDEO = 0x00000010

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the official constants."""
        return "D3DPRESENTFLAG_"


class RenderState(ApiEnum):
    """D3DRENDERSTATETYPE, the members that a simulation of memory looks at."""

    LIGHTING = 137
    POINTSPRITEENABLE = 156

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the official constants."""
        return "D3DRS_"


class QueryType(ApiEnum):
    """D3DQUERYTYPE."""

    VCACHE = 4
    RESOURCEMANAGER = 5
    VERTEXSTATS = 6
    EVENT = 8
    OCCLUSION = 9
    TIMESTAMP = 10
    TIMESTAMPDISJOINT = 11
    TIMESTAMPFREQ = 12
    PIPELINETIMINGS = 13
    INTERFACETIMINGS = 14
    VERTEXTIMINGS = 15
    PIXELTIMINGS = 16
    BANDWIDTHTIMINGS = 17
    CACHEUTILIZATION = 18
    MEMORYPRESSURE = 19

    @classmethod
    def prefix(cls) -> str:
        """Return the prefix of the official constants."""
        return "D3DQUERYTYPE_"


NO_USAGE = Usage(0)
NO_LOCK_FLAGS = LockFlags(0)
NO_PRESENT_FLAGS = PresentFlags(0)
