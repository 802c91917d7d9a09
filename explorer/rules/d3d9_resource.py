"""What a Direct3D 9 create call made, as later calls and the size functions see it."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.core.d3d9 import (
    CreateCubeTexture,
    CreateDepthStencilSurface,
    CreateDepthStencilSurfaceEx,
    CreateIndexBuffer,
    CreateInput,
    CreateOffscreenPlainSurface,
    CreateOffscreenPlainSurfaceEx,
    CreateRenderTarget,
    CreateRenderTargetEx,
    CreateTexture,
    CreateVertexBuffer,
    CreateVolumeTexture,
    D3DFormatInfo,
    Format,
    Pool,
    ResourceType,
    Usage,
)
from explorer.rules.d3d9_runtime import DEFAULT, Runtime
from explorer.tables.d3d9_tables import formats

TEXTURES = ("texture", "cube_texture", "volume_texture")
BUFFERS = ("vertex_buffer", "index_buffer")
SURFACES = ("render_target", "depth_stencil_surface", "offscreen_plain_surface", "back_buffer")

_TYPES = {
    "texture": ResourceType.TEXTURE,
    "cube_texture": ResourceType.CUBETEXTURE,
    "volume_texture": ResourceType.VOLUMETEXTURE,
    "vertex_buffer": ResourceType.VERTEXBUFFER,
    "index_buffer": ResourceType.INDEXBUFFER,
}


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource of the device.

    Attributes:
        kind: One of ``TEXTURES``, ``BUFFERS`` and ``SURFACES``.
        width: Texels; bytes of a buffer.
        height: Texels; 1 for a buffer.
        depth: Slices of a volume texture, else 1.
        levels: Levels that the application sees.
        stored_levels: Levels that take memory: with AUTOGENMIPMAP the whole chain.
        usage: D3DUSAGE bits, the implied one included.
        format: D3DFORMAT value; VERTEXDATA for a vertex buffer.
        pool: D3DPOOL value.
        multisample: D3DMULTISAMPLE_TYPE value.
        lockable: For a render target: made lockable.
        discard: For a depth-stencil surface: made discardable.
        user_memory: It wraps memory of the application.
    """

    kind: str
    width: int
    height: int = 1
    depth: int = 1
    levels: int = 1
    stored_levels: int = 1
    usage: int = 0
    format: int = int(Format.X8R8G8B8)
    pool: int = int(Pool.DEFAULT)
    multisample: int = 0
    lockable: bool = False
    discard: bool = False
    user_memory: bool = False

    @property
    def info(self) -> D3DFormatInfo | None:
        """Facts about the format; None for a code that the table lacks."""
        return formats().get(self.format)

    @property
    def is_texture(self) -> bool:
        """Whether it is a texture of any kind."""
        return self.kind in TEXTURES

    @property
    def is_buffer(self) -> bool:
        """Whether it is a vertex or index buffer."""
        return self.kind in BUFFERS

    @property
    def faces(self) -> int:
        """6 for a cube texture, else 1."""
        return 6 if self.kind == "cube_texture" else 1

    @property
    def is_dynamic(self) -> bool:
        """Whether it has D3DUSAGE_DYNAMIC."""
        return bool(self.usage & Usage.DYNAMIC)

    @property
    def is_target(self) -> bool:
        """Whether it has D3DUSAGE_RENDERTARGET."""
        return bool(self.usage & Usage.RENDERTARGET)

    @property
    def is_depth(self) -> bool:
        """Whether it has D3DUSAGE_DEPTHSTENCIL."""
        return bool(self.usage & Usage.DEPTHSTENCIL)

    @property
    def type(self) -> ResourceType:
        """The D3DRESOURCETYPE that GetType answers."""
        return _TYPES.get(self.kind, ResourceType.SURFACE)

    def level_size(self, level: int) -> tuple[int, int, int]:
        """Return width, height and depth of a level in texels, each at least 1."""
        deep = self.depth >> level if self.kind == "volume_texture" else self.depth
        return max(1, self.width >> level), max(1, self.height >> level), max(1, deep)


@dataclass(frozen=True, slots=True)
class Surface:
    """A surface: one of its own, or a level (and face) of a texture.

    Attributes:
        resource: What it belongs to.
        level: Mip level.
        face: Cube face, 0 otherwise.
        locked: Whether it is locked now.
    """

    resource: Resource
    level: int = 0
    face: int = 0
    locked: bool = False

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in texels."""
        width, height, _ = self.resource.level_size(self.level)
        return width, height

    @property
    def role(self) -> str:
        """The kind that the copy tables know (``texture``, ``rt_texture``, ``plain_surface`` …), ``ds`` for depth."""
        resource = self.resource
        if resource.is_depth or (resource.info is not None and resource.info.kind == "depth"):
            return "ds"
        if resource.is_texture:
            return "rt_texture" if resource.is_target else "texture"
        return "plain_surface" if resource.kind == "offscreen_plain_surface" else "rt_surface"


def full_chain(*sides: int) -> int:
    """Return how many levels a chain of these sides has, down to 1 texel (rule d3d9.R11.1)."""
    return max(1, *sides).bit_length()


def back_buffer(
    width: int = 640, height: int = 480, value: int = int(Format.X8R8G8B8), multisample: int = 0
) -> Resource:
    """Return the implicit back buffer of a swap chain."""
    return Resource("back_buffer", width, height, usage=int(Usage.RENDERTARGET), format=value, multisample=multisample)


def _levels(asked: int, sides: tuple[int, ...], usage: int) -> tuple[int, int]:
    chain = full_chain(*sides)
    if usage & Usage.AUTOGENMIPMAP:
        return 1, chain
    levels = chain if asked == 0 else asked
    return levels, levels


def describe(arguments: CreateInput, runtime: Runtime = DEFAULT) -> Resource:
    """Return the resource that a create call makes, provided that the rules permit it."""
    user = arguments.pSharedHandle is not None and getattr(arguments, "Pool", Pool.DEFAULT) == Pool.SYSTEMMEM
    if isinstance(arguments, CreateVertexBuffer | CreateIndexBuffer):
        return _describe_buffer(arguments)
    if isinstance(arguments, CreateTexture | CreateCubeTexture | CreateVolumeTexture):
        return _describe_texture(arguments, runtime, user)
    return _describe_surface(arguments, user)


def _describe_buffer(arguments: CreateVertexBuffer | CreateIndexBuffer) -> Resource:
    vertex = isinstance(arguments, CreateVertexBuffer)
    return Resource(
        kind="vertex_buffer" if vertex else "index_buffer",
        width=arguments.Length,
        usage=int(arguments.Usage),
        format=int(Format.VERTEXDATA if isinstance(arguments, CreateVertexBuffer) else arguments.Format),
        pool=int(arguments.Pool),
    )


def _describe_texture(
    arguments: CreateTexture | CreateCubeTexture | CreateVolumeTexture, runtime: Runtime, user: bool
) -> Resource:
    usage = int(arguments.Usage)
    depth = 1
    if isinstance(arguments, CreateCubeTexture):
        kind, width, height = "cube_texture", arguments.EdgeLength, arguments.EdgeLength
    elif isinstance(arguments, CreateVolumeTexture):
        kind, width, height, depth = "volume_texture", arguments.Width, arguments.Height, arguments.Depth
    else:
        kind, width, height = "texture", arguments.Width, arguments.Height
    levels, stored = _levels(arguments.Levels, (width, height, depth), usage)
    if arguments.Levels == 0 and arguments.Pool != Pool.SCRATCH and not runtime.has_levels(kind):
        levels, stored = 1, 1
    return Resource(
        kind, width, height, depth, levels, stored, usage, int(arguments.Format), int(arguments.Pool), user_memory=user
    )


def _describe_surface(
    arguments: CreateRenderTarget | CreateDepthStencilSurface | CreateOffscreenPlainSurface, user: bool
) -> Resource:
    usage = 0
    if isinstance(arguments, CreateRenderTargetEx | CreateDepthStencilSurfaceEx | CreateOffscreenPlainSurfaceEx):
        usage = int(arguments.Usage)
    if isinstance(arguments, CreateOffscreenPlainSurface):
        return Resource(
            "offscreen_plain_surface",
            arguments.Width,
            arguments.Height,
            usage=usage,
            format=int(arguments.Format),
            pool=int(arguments.Pool),
            user_memory=user,
        )
    target = isinstance(arguments, CreateRenderTarget)
    return Resource(
        "render_target" if target else "depth_stencil_surface",
        arguments.Width,
        arguments.Height,
        usage=usage | int(Usage.RENDERTARGET if target else Usage.DEPTHSTENCIL),
        format=int(arguments.Format),
        multisample=int(arguments.MultiSample),
        lockable=isinstance(arguments, CreateRenderTarget) and arguments.Lockable,
        discard=isinstance(arguments, CreateDepthStencilSurface) and arguments.Discard,
    )
