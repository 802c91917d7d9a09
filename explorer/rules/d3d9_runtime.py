"""What a Direct3D 9 device is to its rules: runtime variant, Windows version and capabilities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.core.d3d9 import MultisampleType
from explorer.errors import CommandError
from explorer.tables.d3d9_tables import format_uses, limit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.tables.adapters import Adapter

CAP_FIELDS: Mapping[str, str] = {
    "D3DPTEXTURECAPS_POW2": "pow2",
    "D3DPTEXTURECAPS_NONPOW2CONDITIONAL": "nonpow2_conditional",
    "D3DPTEXTURECAPS_CUBEMAP": "cube_maps",
    "D3DPTEXTURECAPS_VOLUMEMAP": "volume_maps",
    "D3DPTEXTURECAPS_CUBEMAP_POW2": "pow2",
    "D3DPTEXTURECAPS_VOLUMEMAP_POW2": "pow2",
    "D3DPTEXTURECAPS_MIPMAP": "mip_maps",
    "D3DPTEXTURECAPS_MIPCUBEMAP": "mip_cube_maps",
    "D3DPTEXTURECAPS_MIPVOLUMEMAP": "mip_volume_maps",
    "D3DCAPS2_DYNAMICTEXTURES": "dynamic_textures",
    "D3DCAPS2_CANAUTOGENMIPMAP": "autogen_mipmaps",
    "D3DCAPS2_CANMANAGERESOURCE": "driver_managed",
    "D3DCAPS2_CANSHARERESOURCE": "share_resources",
    "D3DDEVCAPS2_CAN_STRETCHRECT_FROM_TEXTURES": "stretch_from_textures",
    "D3DDEVCAPS_RTPATCHES": "rt_patches",
    "D3DDEVCAPS_NPATCHES": "n_patches",
}
"""Capability bits by official name, and the field of ``Runtime`` that holds each."""

_WINDOWS: Mapping[str, str] = {"xp": "xp", "winxp": "xp", "7": "win7", "win7": "win7", "windows7": "win7"}
_BOOLS: Mapping[str, bool] = {"true": True, "false": False, "1": True, "0": False, "on": True, "off": False}
_WORDS = ("true", "false")

OPTION_KEYS: Mapping[str, tuple[str, ...]] = {
    "windows": ("xp", "win7"),
    "d3d9.runtime": ("retail", "debug"),
    "d3d9.vertex_processing": ("hardware", "mixed", "software"),
    "d3d9.driver": ("Direct3D 9", "DirectX 8"),
    "d3d9.lockable_back_buffer": _WORDS,
    "d3d9.point_sprites": _WORDS,
    **{f"d3d9.{cap}": _WORDS for cap in CAP_FIELDS},
}
"""Options of the device (``--option``), each with its accepted values; caps need no prefix."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """A Direct3D 9 device as its rules see it.

    Attributes:
        ex: True for a 9Ex device.
        windows: ``xp`` or ``win7`` (7 and later).
        debug: True for the debug runtime, which also checks hints.
        vertex_processing: ``hardware``, ``mixed`` or ``software``.
        driver: ``Direct3D 9`` or ``DirectX 8``: the generation of the driver, for StretchRect.
        adapter_class: ``discrete_agp``, ``discrete_pcie`` or ``uma``.
        pow2: Textures need power-of-two sizes.
        nonpow2_conditional: 2D textures of one level are exempt from that.
        cube_maps: Cube textures exist.
        volume_maps: Volume textures exist.
        mip_maps: Textures may have levels.
        mip_cube_maps: Cube textures may have levels.
        mip_volume_maps: Volume textures may have levels.
        dynamic_textures: D3DCAPS2_DYNAMICTEXTURES.
        autogen_mipmaps: D3DCAPS2_CANAUTOGENMIPMAP.
        driver_managed: D3DCAPS2_CANMANAGERESOURCE.
        share_resources: D3DCAPS2_CANSHARERESOURCE.
        stretch_from_textures: D3DDEVCAPS2_CAN_STRETCHRECT_FROM_TEXTURES.
        rt_patches: Rectangle and triangle patches in hardware.
        n_patches: N-patches in hardware.
        point_sprites: Point sprites in hardware.
        max_texture_width: Texels.
        max_texture_height: Texels.
        max_volume_extent: Texels.
        max_aspect: Long side ÷ short side of a texture; None for no limit.
        render_targets: NumSimultaneousRTs.
        multisample_types: Supported D3DMULTISAMPLE_TYPE values.
        quality_levels: Quality levels of each supported multisample type.
        lockable_back_buffer: The swap chain was made with D3DPRESENTFLAG_LOCKABLE_BACKBUFFER.
        denied: (format value, letter of the format table) that this device lacks.
        granted: The same for what it has beyond the table.
    """

    ex: bool = False
    windows: str = "win7"
    debug: bool = False
    vertex_processing: str = "mixed"
    driver: str = "Direct3D 9"
    adapter_class: str = "discrete_pcie"
    pow2: bool = False
    nonpow2_conditional: bool = False
    cube_maps: bool = True
    volume_maps: bool = True
    mip_maps: bool = True
    mip_cube_maps: bool = True
    mip_volume_maps: bool = True
    dynamic_textures: bool = True
    autogen_mipmaps: bool = True
    driver_managed: bool = True
    share_resources: bool = True
    stretch_from_textures: bool = True
    rt_patches: bool = True
    n_patches: bool = True
    point_sprites: bool = True
    max_texture_width: int = limit("max_texture_width")
    max_texture_height: int = limit("max_texture_height")
    max_volume_extent: int = limit("max_volume_extent")
    max_aspect: int | None = None
    render_targets: int = 4
    multisample_types: frozenset[int] = frozenset(int(member) for member in MultisampleType)
    quality_levels: int = 1
    lockable_back_buffer: bool = False
    denied: frozenset[tuple[int, str]] = frozenset()
    granted: frozenset[tuple[int, str]] = frozenset()

    @property
    def xp(self) -> bool:
        """Whether the runtime is that of Windows XP."""
        return self.windows == "xp" and not self.ex

    def has_levels(self, kind: str) -> bool:
        """Return whether textures of a kind may have more than one level outside SCRATCH."""
        if kind == "cube_texture":
            return self.mip_cube_maps
        return self.mip_volume_maps if kind == "volume_texture" else self.mip_maps

    def supports(self, value: int, use: str) -> bool:
        """Return whether the device supports a format for a use (a letter of the format table)."""
        if (value, use) in self.granted:
            return True
        return use in format_uses(value) and (value, use) not in self.denied


OTHER_CAPS = (
    "D3DCAPS3_COPY_TO_VIDMEM", "D3DCAPS3_COPY_TO_SYSTEMMEM", "D3DDEVCAPS_TEXTURENONLOCALVIDMEM",
    "D3DDEVCAPS_TEXTURESYSTEMMEMORY", "D3DDEVCAPS_TEXTUREVIDEOMEMORY", "D3DDEVCAPS_SEPARATETEXTUREMEMORIES",
    "D3DDEVCAPS_CANBLTSYSTONONLOCAL",
)  # fmt: skip
"""Capability bits on which no answer depends."""

DEFAULT = Runtime()
DEFAULT_EX = Runtime(ex=True)


def runtime_of(adapter: Adapter | None = None, options: Mapping[str, str] | None = None, api: str = "d3d9") -> Runtime:
    """Return the device that an adapter and options make.

    Args:
        adapter: The adapter; None for the default device with every optional feature.
        options: Keys of ``OPTION_KEYS`` and text values; keys of other APIs are passed over.
        api: ``d3d9`` or ``d3d9ex``.

    Raises:
        CommandError: An option has a value that it does not take.
    """
    runtime = DEFAULT_EX if api == "d3d9ex" else DEFAULT
    if adapter is not None:
        runtime = _of_adapter(runtime, adapter)
    for key, value in (options or {}).items():
        runtime = with_option(runtime, key, value)
    return runtime


def _of_adapter(runtime: Runtime, adapter: Adapter) -> Runtime:
    runtime = replace(runtime, windows=adapter.windows, adapter_class=adapter.memory_class)
    caps = adapter.d3d9
    if caps is None:
        return runtime
    return replace(
        runtime,
        dynamic_textures=caps.DYNAMICTEXTURES,
        driver_managed=caps.CANMANAGERESOURCE,
        rt_patches=caps.RTPATCHES,
        n_patches=caps.NPATCHES,
        max_texture_width=caps.MaxTextureWidth,
        max_texture_height=caps.MaxTextureHeight,
        max_volume_extent=caps.MaxVolumeExtent,
        max_aspect=caps.MaxTextureAspectRatio,
        render_targets=caps.NumSimultaneousRTs,
    )


def with_option(runtime: Runtime, key: str, value: str) -> Runtime:
    """Return the device with one option set; an option of another API changes nothing.

    Raises:
        CommandError: The value is not among the accepted ones.
    """
    bare = key.removeprefix("d3d9.")
    full = key if key in OPTION_KEYS else f"d3d9.{bare}"
    if full not in OPTION_KEYS:
        return runtime
    text = value.strip()
    if full == "windows":
        windows = _WINDOWS.get(text.lower())
        if windows is not None:
            return replace(runtime, windows=windows)
    elif full == "d3d9.runtime" and text in OPTION_KEYS[full]:
        return replace(runtime, debug=text == "debug")
    elif full in ("d3d9.vertex_processing", "d3d9.driver") and text in OPTION_KEYS[full]:
        return replace(runtime, **{bare: text})  # pyright: ignore[reportArgumentType]  # both fields are text
    elif text.lower() in _BOOLS:
        field = CAP_FIELDS.get(bare, bare)
        return replace(runtime, **{field: _BOOLS[text.lower()]})  # pyright: ignore[reportArgumentType]  # all bool
    raise CommandError("not a value of this option", where=key, found=value, accepted=OPTION_KEYS[full])
