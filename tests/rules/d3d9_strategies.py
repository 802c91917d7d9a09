"""Random Direct3D 9 descriptions."""

from __future__ import annotations

from hypothesis import strategies as st

from explorer.core import d3d9
from explorer.rules.d3d9 import Runtime

SIDES = st.one_of(st.integers(0, 70), st.sampled_from([128, 256, 257, 1024, 4096, 16384, 16385, 2**32 - 1]))
LEVELS = st.one_of(st.integers(0, 15), st.just(2**32 - 1))
FORMATS = st.one_of(st.sampled_from(d3d9.Format), st.integers(0, 2**32 - 1))
POOLS = st.one_of(st.sampled_from(d3d9.Pool), st.integers(0, 2**32 - 1))
USAGES = st.one_of(
    st.lists(st.sampled_from(list(d3d9.Usage)), max_size=3).map(lambda flags: d3d9.Usage(sum({int(f) for f in flags}))),
    st.integers(0, 2**32 - 1).map(d3d9.Usage),
)
HANDLES = st.sampled_from([None, None, None, "shared", "user_memory"])
SAMPLES = st.sampled_from(d3d9.MultisampleType)
QUALITY = st.integers(0, 3)

TEXTURES = st.builds(d3d9.CreateTexture, SIDES, SIDES, LEVELS, USAGES, FORMATS, POOLS, HANDLES)
CUBES = st.builds(d3d9.CreateCubeTexture, SIDES, LEVELS, USAGES, FORMATS, POOLS, HANDLES)
VOLUMES = st.builds(d3d9.CreateVolumeTexture, SIDES, SIDES, SIDES, LEVELS, USAGES, FORMATS, POOLS, HANDLES)
VERTEX_BUFFERS = st.builds(d3d9.CreateVertexBuffer, SIDES, USAGES, st.integers(0, 0x200), POOLS, HANDLES)
INDEX_BUFFERS = st.builds(d3d9.CreateIndexBuffer, SIDES, USAGES, FORMATS, POOLS, HANDLES)
TARGETS = st.builds(d3d9.CreateRenderTarget, SIDES, SIDES, FORMATS, SAMPLES, QUALITY, st.booleans(), HANDLES)
DEPTHS = st.builds(d3d9.CreateDepthStencilSurface, SIDES, SIDES, FORMATS, SAMPLES, QUALITY, st.booleans(), HANDLES)
PLAINS = st.builds(d3d9.CreateOffscreenPlainSurface, SIDES, SIDES, FORMATS, POOLS, HANDLES)
TARGETS_EX = st.builds(
    d3d9.CreateRenderTargetEx, SIDES, SIDES, FORMATS, SAMPLES, QUALITY, st.booleans(), HANDLES, USAGES
)
DEPTHS_EX = st.builds(
    d3d9.CreateDepthStencilSurfaceEx, SIDES, SIDES, FORMATS, SAMPLES, QUALITY, st.booleans(), HANDLES, USAGES
)
PLAINS_EX = st.builds(d3d9.CreateOffscreenPlainSurfaceEx, SIDES, SIDES, FORMATS, POOLS, HANDLES, USAGES)
PLAIN_CREATES = st.one_of(TEXTURES, CUBES, VOLUMES, VERTEX_BUFFERS, INDEX_BUFFERS, TARGETS, DEPTHS, PLAINS)
EX_CREATES = st.one_of(PLAIN_CREATES, TARGETS_EX, DEPTHS_EX, PLAINS_EX)

RUNTIMES = st.builds(
    Runtime,
    ex=st.booleans(),
    windows=st.sampled_from(["xp", "win7"]),
    debug=st.booleans(),
    vertex_processing=st.sampled_from(["hardware", "mixed", "software"]),
    pow2=st.booleans(),
    nonpow2_conditional=st.booleans(),
    cube_maps=st.booleans(),
    volume_maps=st.booleans(),
    mip_cube_maps=st.booleans(),
    dynamic_textures=st.booleans(),
    max_texture_width=st.sampled_from([2048, 16384]),
    max_aspect=st.sampled_from([None, 8192, 8]),
    multisample_types=st.sampled_from([frozenset({0}), frozenset({0, 1, 4})]),
)

SMALL = st.integers(1, 300)
LEGAL_FORMATS = st.sampled_from(
    [d3d9.Format[name] for name in ("A8R8G8B8", "R5G6B5", "L8", "R8G8B8", "DXT1", "DXT5", "UYVY", "A32B32G32R32F")]
)
LEGAL_TEXTURES = st.builds(
    d3d9.CreateTexture, SMALL, SMALL, st.just(0), st.just(d3d9.Usage(0)), LEGAL_FORMATS, st.sampled_from(d3d9.Pool)
)
