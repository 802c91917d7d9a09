"""What a Direct3D 10 or 11 device is: feature level, runtime, driver options and the adapter's class."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.core.d3d11_enums import LEVEL_10_0, LEVEL_10_1, LEVEL_11_0, LEVEL_11_1, LEVEL_12_1, FeatureLevel
from explorer.core.units import MIB
from explorer.errors import CommandError
from explorer.tables.d3d11_tables import version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.tables.adapters import Adapter

DEFAULT_DEDICATED_BYTES = 8192 * MIB
"""Dedicated video memory of the device without an adapter: enough for the largest resource that the API names."""

RUNTIMES: Mapping[str, tuple[int, int]] = {name: version(name) for name in ("11.0", "11.1", "11.2", "11.3")}
LEVELS: Mapping[str, FeatureLevel] = {level.name[1:]: level for level in FeatureLevel}
_WORDS: Mapping[str, bool] = {"true": True, "false": False, "1": True, "0": False, "on": True, "off": False}
_CLASSES = ("discrete", "uma")
_MODELS = ("linear", "tiled", "nvidia")

OPTION_KEYS: Mapping[str, tuple[str, ...]] = {
    "d3d11.feature_level": tuple(LEVELS),
    "d3d11.runtime": tuple(RUNTIMES),
    "architecture": _CLASSES,
    "cache_coherent": ("true", "false"),
    "size_model": _MODELS,
    "d3d11.map_no_overwrite_constants": ("true", "false"),
    "d3d11.map_no_overwrite_resources": ("true", "false"),
    "d3d11.map_default_buffers": ("true", "false"),
    "d3d11.map_default_textures": ("true", "false"),
    "d3d11.compute_10x": ("true", "false"),
    "d3d11.dedicated_video_memory_mb": ("a whole number of MB",),
}
"""Options of the device (``--option``), each with its accepted values; none but ``runtime`` needs the prefix."""
_PREFIX = "d3d11."


def option_key(key: str) -> str | None:
    """Return the full key that an option means for these APIs, or None if it is another API's."""
    if key in OPTION_KEYS:
        return key
    # D3D9 has an option of this name, too.
    full = _PREFIX + key
    return full if full in OPTION_KEYS and key != "runtime" else None


@dataclass(frozen=True, slots=True)
class Runtime11:
    """A Direct3D 10 or 11 device as its rules see it.

    Attributes:
        api: ``d3d10``, ``d3d10.1``, ``d3d11`` or ``xg``.
        feature_level: Of the device; D3D10 has 10_0, D3D10.1 has 10_1 at most.
        runtime: (11, 0) to (11, 3); the runtime that runs D3D10 devices too.
        adapter_class: ``discrete`` or ``uma``.
        cache_coherent: A UMA adapter whose GPU snoops the CPU caches.
        dedicated_bytes: Dedicated video memory in bytes.
        size_model: ``linear``, ``tiled`` or ``nvidia``: how big textures are taken to be.
        sample_levels: Sample count → quality levels that the device reports for multisampled formats.
        map_no_overwrite_constants: Driver option MapNoOverwriteOnDynamicConstantBuffer (11.1).
        map_no_overwrite_resources: Driver option MapNoOverwriteOnDynamicBufferSRV (11.1).
        map_default_buffers: Driver option MapOnDefaultBuffers (11.2).
        map_default_textures: Driver option MapOnDefaultTextures (11.3).
        constant_offsets: Driver option ConstantBufferOffsetting (11.1): large constant buffers.
        partial_constants: Driver option ConstantBufferPartialUpdate (11.1).
        copy_overlap: Driver option CopyWithOverlap (11.1).
        compute_10x: Compute shaders with raw and structured buffers at feature level 10_x.
    """

    api: str = "d3d11"
    feature_level: FeatureLevel = LEVEL_11_1
    runtime: tuple[int, int] = (11, 2)
    adapter_class: str = "discrete"
    cache_coherent: bool = False
    dedicated_bytes: int = DEFAULT_DEDICATED_BYTES
    size_model: str = "tiled"
    sample_levels: tuple[tuple[int, int], ...] = ((1, 1), (2, 1), (4, 1), (8, 1), (16, 1), (32, 1))
    map_no_overwrite_constants: bool = True
    map_no_overwrite_resources: bool = True
    map_default_buffers: bool = True
    map_default_textures: bool = True
    constant_offsets: bool = True
    partial_constants: bool = True
    copy_overlap: bool = True
    compute_10x: bool = True

    @property
    def level(self) -> str:
        """The feature level as the tables spell it: ``11_0``."""
        return self.feature_level.name[1:]

    @property
    def is_d3d10(self) -> bool:
        """Whether the API is D3D10 or D3D10.1."""
        return self.api.startswith("d3d10")

    @property
    def maps_default_buffers(self) -> bool:
        """Whether default buffers may have CPU access (rule d3d11.X3.3)."""
        return (
            not self.is_d3d10
            and self.map_default_buffers
            and self.runtime >= (11, 2)
            and self.feature_level >= LEVEL_11_0
        )

    @property
    def maps_default_textures(self) -> bool:
        """Whether default textures may have CPU access (rule d3d11.X3.4)."""
        return (
            not self.is_d3d10
            and self.map_default_textures
            and self.runtime >= (11, 3)
            and self.feature_level >= LEVEL_11_0
        )

    def quality_levels(self, samples: int) -> int:
        """Return the quality levels that the device reports for a sample count, 0 where it lacks it."""
        return dict(self.sample_levels).get(samples, 0)


def for_api(runtime: Runtime11, api: str) -> Runtime11:
    """Return the device for an API: D3D10 devices have at most their own feature level."""
    ceiling = {"d3d10": LEVEL_10_0, "d3d10.1": LEVEL_10_1}.get(api)
    level = runtime.feature_level if ceiling is None else min(runtime.feature_level, ceiling)
    return replace(runtime, api=api, feature_level=level)


def runtime_of(
    adapter: Adapter | None = None, options: Mapping[str, str] | None = None, api: str = "d3d11"
) -> Runtime11:
    """Return the device of an adapter with the user's options on top.

    Args:
        adapter: None for the default device: discrete, feature level 11_1, runtime 11.2, every driver option.
        options: Keys of ``OPTION_KEYS``; keys of other APIs are passed over.
        api: The API of the device.

    Raises:
        CommandError: The adapter does not serve the API, or an option's value is not accepted.
    """
    base = Runtime11(api=api) if adapter is None else _adapter_runtime(adapter, api)
    for key, text in (options or {}).items():
        base = _with_option(base, key, text)
    return for_api(base, api)


def _adapter_runtime(adapter: Adapter, api: str) -> Runtime11:
    served = adapter.apis.d3d10 if api.startswith("d3d10") else adapter.apis.d3d11
    # XG is the console's own library of the same resources.
    served = served or (api == "xg" and adapter.kind == "console")
    level = _highest_level(adapter.apis.max_feature_level)
    if not served or level is None:
        raise CommandError(f"the adapter does not serve {api}", where="adapter", found=adapter.id)
    return Runtime11(
        api=api,
        feature_level=min(level, LEVEL_12_1),
        adapter_class="uma" if adapter.memory_class == "uma" else "discrete",
        cache_coherent=adapter.is_cache_coherent,
        dedicated_bytes=adapter.dxgi.DedicatedVideoMemory if adapter.dxgi else adapter.group_bytes(0, "LOCAL"),
        size_model=adapter.size_model,
    )


def _highest_level(text: str) -> FeatureLevel | None:
    """Return the highest level that an adapter's text names, for example of ``9_3 / 10_0-class``."""
    # A Direct3D 11 device of a 12_2 adapter reports 12_1.
    named = [LEVELS.get(name, LEVEL_12_1) for name in re.findall(r"\d+_\d", text)]
    return max(named, default=None)


def _with_option(base: Runtime11, key: str, text: str) -> Runtime11:
    full = option_key(key)
    if full is None:
        return base
    name, accepted = full.removeprefix(_PREFIX), OPTION_KEYS[full]
    if name == "dedicated_video_memory_mb":
        if not text.isascii() or not text.isdigit():
            raise CommandError("not a whole number", where=f"--option {key}", found=text, accepted=accepted)
        return replace(base, dedicated_bytes=int(text) * MIB)
    value: object = text
    if name == "feature_level":
        value = LEVELS.get(text.removeprefix("D3D_FEATURE_LEVEL_"))
    elif name == "runtime":
        value = RUNTIMES.get(text)
    elif name == "architecture":
        name, value = "adapter_class", text if text in _CLASSES else None
    elif name == "size_model":
        value = text if text in _MODELS else None
    else:
        value = _WORDS.get(text.lower())
    if value is None:
        raise CommandError("unknown value", where=f"--option {key}", found=text, accepted=accepted)
    return replace(base, **{name: value})
