"""May this resource be created? One check for each rule, in the order in which they decide."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.d3d9 import (
    CreateInput,
    D3DFormatInfo,
    Format,
    Pool,
    Usage,
)
from explorer.core.units import align_up, is_power_of_two
from explorer.rules.d3d9_resource import Resource, describe, full_chain
from explorer.rules.d3d9_runtime import DEFAULT, Runtime
from explorer.rules.d3d9_verdicts import NOTAVAILABLE, Fault, fault, granted, refused
from explorer.tables.d3d9_tables import usage_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.core.verdicts import Verdict

DEFAULT_POOL, MANAGED, SYSTEMMEM, SCRATCH = (int(pool) for pool in Pool)
TARGETS = int(Usage.RENDERTARGET | Usage.DEPTHSTENCIL)
QUERY_BITS = sum(row.value for row in usage_rows() if not row.kinds)
KNOWN_BITS = sum(row.value for row in usage_rows())
EX_BITS = sum(row.value for row in usage_rows() if row.ex_only)
SURFACE_BITS = sum(row.value for row in usage_rows() if row.ex_only and "surface" in row.kinds)
MOST = 2**32 - 4
"""The largest multiple of 4 that a UINT holds."""
_DEPTH_DEFAULT, _COLOUR_DEFAULT = "D3DFMT_D24S8", "D3DFMT_A8R8G8B8"
_KIND_USE = {"texture": "t", "cube_texture": "c", "volume_texture": "v", "offscreen_plain_surface": "s"}


@dataclass(frozen=True, slots=True)
class Wish:
    """A create call, normalised over all kinds of resource.

    Attributes:
        resource: What it would make.
        runtime: The device.
        levels: As asked for, 0 for the whole chain.
        usage: As given, without the implied flag.
        quality: MultisampleQuality.
        handle: What pSharedHandle points to, or None.
        sizes: Parameter name → value of every extent.
        keys: Names of the call's parameters.
    """

    resource: Resource
    runtime: Runtime
    levels: int
    usage: int
    quality: int
    handle: str | None
    sizes: tuple[tuple[str, int], ...]
    keys: frozenset[str]

    @property
    def kind(self) -> str:
        """The kind of the resource."""
        return self.resource.kind

    @property
    def pool(self) -> int:
        """The D3DPOOL value."""
        return self.resource.pool

    @property
    def info(self) -> D3DFormatInfo | None:
        """Facts about the format; None for an unknown code."""
        return self.resource.info

    @property
    def is_depth(self) -> bool:
        """Whether the format is a depth format."""
        return self.info is not None and self.info.kind == "depth"

    def without(self, bits: int) -> dict[str, object]:
        """Return the change that takes flags out of the usage."""
        usage = Usage(self.usage & ~bits)
        return {"Usage": usage.constants}

    def in_pool(self, pool: Pool) -> dict[str, object]:
        """Return the change to another pool."""
        return {"Pool": pool.constant}


_EXTENTS = ("Width", "Height", "Depth", "EdgeLength", "Length")


def wish_of(arguments: CreateInput, runtime: Runtime) -> Wish:
    """Return a create call in the form that the checks share."""
    names = frozenset(arguments.__dataclass_fields__)
    return Wish(
        resource=describe(arguments, runtime),
        runtime=runtime,
        levels=int(getattr(arguments, "Levels", 1)),
        usage=int(getattr(arguments, "Usage", 0)),
        quality=int(getattr(arguments, "MultisampleQuality", 0)),
        handle=arguments.pSharedHandle,
        sizes=tuple((name, int(getattr(arguments, name))) for name in _EXTENTS if name in names),
        keys=names,
    )


def _flags(bits: int) -> str:
    return ", ".join(str(name) for name in Usage(bits).constants)


def _handle(w: Wish) -> Fault | None:
    if w.handle is None:
        return None
    drop = ("pass no shared handle", {"pSharedHandle": None})
    if not w.runtime.ex:
        if w.runtime.xp:
            return fault("R10.6", *drop, hr="E_NOTIMPL")
        unavailable = w.kind == "vertex_buffer" and w.pool == SYSTEMMEM
        return fault("R10.6", *drop, hr=NOTAVAILABLE if unavailable else "D3DERR_INVALIDCALL")
    if w.pool == SYSTEMMEM:
        if w.resource.is_buffer:
            return fault("R10.5", *drop, hr=NOTAVAILABLE)
        if w.kind == "texture" and w.levels != 1:
            return fault("R10.5", "ask for one level", {"Levels": 1})
        return None if w.kind in ("texture", "offscreen_plain_surface") else fault("R10.5", *drop)
    if w.handle == "user_memory":
        return fault("handle.user", *drop)
    return None if w.pool == DEFAULT_POOL else fault("R10.6", "use D3DPOOL_DEFAULT", w.in_pool(Pool.DEFAULT))


def _pool(w: Wish) -> Fault | None:
    if w.pool > SCRATCH:
        return fault("R2.1", "use D3DPOOL_DEFAULT", w.in_pool(Pool.DEFAULT))
    if w.kind == "offscreen_plain_surface" and w.pool == MANAGED:
        return fault("R2.13", "use D3DPOOL_SYSTEMMEM", w.in_pool(Pool.SYSTEMMEM))
    if w.resource.is_buffer and w.pool == SCRATCH:
        return fault("R2.6", "use D3DPOOL_SYSTEMMEM", w.in_pool(Pool.SYSTEMMEM))
    return None


def _no_managed(w: Wish) -> Fault | None:
    if w.runtime.ex and w.pool == MANAGED:
        return fault("R10.1", "use D3DPOOL_DEFAULT", w.in_pool(Pool.DEFAULT))
    return None


def _extent(w: Wish) -> Fault | None:
    zero = [name for name, value in w.sizes if value == 0]
    if not zero:
        return None
    step = w.info.block_width if w.info else 1
    rule = "buffer.length" if w.resource.is_buffer else "R2.20"
    return fault(rule, "give every side at least one block", dict.fromkeys(zero, step if rule == "R2.20" else 1))


def _legal_format(w: Wish) -> dict[str, object]:
    if w.kind == "index_buffer":
        return {"Format": Format.INDEX16.constant}
    wants_depth = w.kind == "depth_stencil_surface" or (w.usage & Usage.DEPTHSTENCIL and w.kind != "volume_texture")
    return {"Format": _DEPTH_DEFAULT if wants_depth else _COLOUR_DEFAULT}


def _unknown_format(w: Wish) -> Fault | None:
    if w.resource.is_buffer or w.resource.format != Format.UNKNOWN:
        return None
    return fault("R2.20", "name a format", _legal_format(w))


def _index_format(w: Wish) -> Fault | None:
    if w.kind != "index_buffer" or w.resource.format in (Format.INDEX16, Format.INDEX32):
        return None
    return fault("format.index", "use D3DFMT_INDEX16", _legal_format(w))


def _targets_in_default(w: Wish) -> Fault | None:
    if w.usage & TARGETS and w.pool != DEFAULT_POOL and "Levels" in w.keys:
        return fault("R2.7", "use D3DPOOL_DEFAULT", w.in_pool(Pool.DEFAULT))
    return None


def _dynamic_pool(w: Wish) -> Fault | None:
    if w.usage & Usage.DYNAMIC and w.pool in (MANAGED, SCRATCH) and w.kind != "offscreen_plain_surface":
        return fault("R2.8", "remove D3DUSAGE_DYNAMIC, or use D3DPOOL_DEFAULT", w.without(int(Usage.DYNAMIC)))
    return None


def _dynamic_target(w: Wish) -> Fault | None:
    if w.usage & Usage.DYNAMIC and w.usage & TARGETS and "Pool" in w.keys:
        return fault("R2.9", "remove D3DUSAGE_DYNAMIC", w.without(int(Usage.DYNAMIC)))
    return None


def _both_targets(w: Wish) -> Fault | None:
    if w.usage & TARGETS == TARGETS:
        return fault("usage.excludes", "remove D3DUSAGE_DEPTHSTENCIL", w.without(int(Usage.DEPTHSTENCIL)))
    return None


def _unknown_bits(w: Wish) -> Fault | None:
    bits = w.usage & ~KNOWN_BITS
    return fault("usage.unknown", f"remove 0x{bits:08X}", w.without(bits)) if bits else None


def _query_bits(w: Wish) -> Fault | None:
    bits = w.usage & QUERY_BITS
    return fault("usage.query", f"remove {_flags(bits)}", w.without(bits)) if bits else None


def _kind_bits(w: Wish) -> Fault | None:
    if w.kind.endswith("surface") or w.kind == "render_target":
        return None
    bits = 0
    for row in usage_rows():
        if w.usage & row.value and row.kinds and w.kind not in row.kinds:
            bits |= row.value
    if not bits:
        return None
    if bits & Usage.AUTOGENMIPMAP and not w.resource.is_buffer:
        rule = "R2.10"
    elif bits & TARGETS and w.kind == "volume_texture":
        rule = "R2.16"
    else:
        rule = "usage.kind" if w.resource.is_buffer else "R2.15"
    return fault(rule, f"remove {_flags(bits)}", w.without(bits))


def _ex_bits(w: Wish) -> Fault | None:
    bits = w.usage & EX_BITS
    if bits and (not w.runtime.ex or w.pool != DEFAULT_POOL):
        return fault("usage.ex", f"remove {_flags(bits)}", w.without(bits))
    return None


def _surface_bits(w: Wish) -> Fault | None:
    if "Usage" not in w.keys or "Levels" in w.keys or w.resource.is_buffer:
        return None
    bits = w.usage & ~SURFACE_BITS
    rule = "R2.13" if w.kind == "offscreen_plain_surface" else "R10.8"
    return fault(rule, f"remove {_flags(bits)}", w.without(bits)) if bits else None


def _processing(w: Wish) -> Fault | None:
    if w.resource.is_buffer and w.usage & Usage.SOFTWAREPROCESSING and w.runtime.vertex_processing == "hardware":
        return fault("R3.4", "remove D3DUSAGE_SOFTWAREPROCESSING", w.without(int(Usage.SOFTWAREPROCESSING)))
    return None


def _autogen(w: Wish) -> Fault | None:
    if not w.usage & Usage.AUTOGENMIPMAP or w.kind not in ("texture", "cube_texture"):
        return None
    if w.pool in (SYSTEMMEM, SCRATCH):
        return fault("R2.10", "remove D3DUSAGE_AUTOGENMIPMAP", w.without(int(Usage.AUTOGENMIPMAP)))
    return fault("R2.10", "ask for 0 levels", {"Levels": 0}) if w.levels > 1 else None


def _levels(w: Wish) -> Fault | None:
    # With generated levels the question is moot: the level rule of AUTOGENMIPMAP decides.
    if "Levels" not in w.keys or w.usage & Usage.AUTOGENMIPMAP:
        return None
    if w.levels > full_chain(*(value for _, value in w.sizes)):
        return fault("R11.1", "ask for 0 levels, which is the whole chain", {"Levels": 0})
    if w.levels > 1 and w.pool != SCRATCH and not w.runtime.has_levels(w.kind):
        return fault("caps.mipcube" if w.kind == "cube_texture" else "caps.mip", "ask for one level", {"Levels": 1})
    return None


def _target_format(w: Wish) -> Fault | None:
    if w.kind == "render_target":
        return fault("R2.14", "use a colour format", {"Format": _COLOUR_DEFAULT}) if w.is_depth else None
    if w.kind == "depth_stencil_surface":
        return None if w.is_depth else fault("R2.14", "use a depth format", {"Format": _DEPTH_DEFAULT})
    if not w.resource.is_texture or w.resource.format == Format.UNKNOWN:
        return None
    if w.usage & Usage.DEPTHSTENCIL and not w.is_depth:
        return fault("usage.depth", "remove D3DUSAGE_DEPTHSTENCIL", w.without(int(Usage.DEPTHSTENCIL)))
    if w.usage & Usage.RENDERTARGET and w.is_depth:
        return fault("usage.depth", "remove D3DUSAGE_RENDERTARGET", w.without(int(Usage.RENDERTARGET)))
    return None


def _depth_texture(w: Wish) -> Fault | None:
    if not w.is_depth or not w.resource.is_texture:
        return None
    if w.kind == "volume_texture":
        return fault("format.volume", "use a colour format", {"Format": _COLOUR_DEFAULT})
    return fault("R2.12", "use D3DPOOL_DEFAULT", w.in_pool(Pool.DEFAULT)) if w.pool != DEFAULT_POOL else None


def _blocks(w: Wish) -> Fault | None:
    info = w.info
    if info is None or info.kind != "block" or info.vendor:
        return None
    odd = {name: min(align_up(value, 4), MOST) for name, value in w.sizes if name != "Depth" and value % 4}
    return fault("R11.3", "round the sides up to multiples of 4", odd) if odd else None


def _pow2(w: Wish) -> Fault | None:
    if not w.runtime.pow2 or not w.resource.is_texture or w.pool == SCRATCH:
        return None
    if w.runtime.nonpow2_conditional and w.kind == "texture" and w.levels == 1:
        return None
    odd = {
        name: min(1 << value.bit_length(), 1 << 31) for name, value in w.sizes if value and not is_power_of_two(value)
    }
    return fault("R2.21", "round the sides up to powers of two", dict(odd)) if odd else None


def _caps(w: Wish) -> Fault | None:
    if w.pool == SCRATCH:
        return None
    scratch = ("use D3DPOOL_SCRATCH", w.in_pool(Pool.SCRATCH))
    if w.kind == "cube_texture" and not w.runtime.cube_maps:
        return fault("caps.cube", *scratch)
    if w.kind == "volume_texture" and not w.runtime.volume_maps:
        return fault("caps.volume", *scratch)
    return None


def _dynamic_caps(w: Wish) -> Fault | None:
    if w.resource.is_texture and w.usage & Usage.DYNAMIC and not w.runtime.dynamic_textures:
        return fault("R3.8", "remove D3DUSAGE_DYNAMIC", w.without(int(Usage.DYNAMIC)))
    return None


def _limits(w: Wish) -> Fault | None:
    if w.pool == SCRATCH or w.resource.is_buffer:
        return None
    runtime = w.runtime
    ceiling: dict[str, int] = {"Height": runtime.max_texture_height}
    if w.kind == "volume_texture":
        ceiling = {"Width": runtime.max_volume_extent, "Height": runtime.max_volume_extent}
        ceiling["Depth"] = runtime.max_volume_extent
    most = {name: ceiling.get(name, runtime.max_texture_width) for name, _ in w.sizes}
    changes = {name: most[name] for name, value in w.sizes if value > most[name]}
    return fault("limit.size", "keep to the largest size of the device", changes) if changes else None


def _aspect(w: Wish) -> Fault | None:
    ratio = w.runtime.max_aspect
    if ratio is None or w.kind != "texture" or w.pool == SCRATCH:
        return None
    long, short = max(w.resource.width, w.resource.height), min(w.resource.width, w.resource.height)
    if short == 0 or long <= short * ratio:
        return None
    name = "Width" if w.resource.width == long else "Height"
    return fault("limit.aspect", "shorten the long side", {name: short * ratio})


def _ex_format(w: Wish) -> Fault | None:
    if w.info is not None and w.info.ex_only and not w.runtime.ex:
        return fault("format.ex", "use another format", _legal_format(w))
    return None


def _supported(w: Wish) -> Fault | None:
    value = w.resource.format
    if w.resource.is_buffer or value == Format.UNKNOWN:
        return None
    if w.kind == "render_target":
        uses = "" if w.is_depth else "r"
    elif w.kind == "depth_stencil_surface":
        uses = "d" if w.is_depth else ""
    else:
        uses = _KIND_USE[w.kind]
        if w.kind != "volume_texture":
            uses += "r" if w.usage & Usage.RENDERTARGET and not w.is_depth else ""
            uses += "d" if w.usage & Usage.DEPTHSTENCIL and w.is_depth else ""
        if w.pool == SCRATCH and not w.is_depth:
            return _sized(w)
    if all(w.runtime.supports(value, use) for use in uses):
        return None
    return fault("format.support", "use a format that the device supports here", _legal_format(w))


def _sized(w: Wish) -> Fault | None:
    info = w.info
    if info is not None and info.block_bytes and info.kind != "buffer":
        return None
    return fault("format.known", "use a format that the runtime knows", _legal_format(w))


def _samples(w: Wish) -> Fault | None:
    if "MultiSample" not in w.keys:
        return None
    if w.resource.multisample not in w.runtime.multisample_types:
        return fault("multisample", "use no multisampling", {"MultiSample": "D3DMULTISAMPLE_NONE"})
    if w.quality >= w.runtime.quality_levels:
        return fault("multisample", "use quality 0", {"MultisampleQuality": 0})
    return None


CHECKS: tuple[Callable[[Wish], Fault | None], ...] = (
    _handle, _unknown_format, _extent, _pool, _no_managed, _unknown_bits, _query_bits, _surface_bits, _kind_bits,
    _ex_bits, _targets_in_default, _dynamic_target, _both_targets, _dynamic_pool, _target_format, _depth_texture,
    _autogen, _index_format, _levels, _blocks, _processing, _pow2, _caps, _dynamic_caps, _limits, _aspect, _ex_format,
    _supported, _samples,
)  # fmt: skip
"""Every rule of creation, the decisive ones first."""

_POOL_RULES = ("R2.2", "R2.3", "R2.4", "R2.5")


@functools.cache
def _permits(pool: int, usage: int, *, buffer: bool, chain: bool, depth: bool) -> tuple[str, ...]:
    names = ["ok.create", _POOL_RULES[pool]]
    if pool == DEFAULT_POOL:
        if usage & TARGETS:
            names.append("R4.1")
        else:
            names.append("R4.6" if usage & Usage.DYNAMIC else "R3.7" if buffer else "R4.1")
        names.append("layout.buffer" if buffer else "layout.device")
    else:
        names.append("layout.buffer" if buffer else "R11.2")
    if usage & Usage.AUTOGENMIPMAP:
        names.append("R2.11" if depth else "R2.10")
    elif chain:
        names.append("R11.1")
    return tuple(names)


def judge_create(arguments: CreateInput, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what a create call answers.

    Values: ``Type``, ``Levels`` (as GetLevelCount answers), ``Usage`` and ``Pool`` (as GetDesc does).
    """
    wish = wish_of(arguments, runtime)
    faults = [found for check in CHECKS if (found := check(wish)) is not None]
    if faults:
        return refused(faults)
    resource = wish.resource
    values: dict[str, object] = {
        "Type": resource.type.constant,
        "Levels": resource.levels,
        "Usage": resource.usage,
        "Pool": Pool(resource.pool).constant,
    }
    names = _permits(
        resource.pool, resource.usage, buffer=resource.is_buffer, chain=wish.levels == 0, depth=wish.is_depth
    )
    return granted(*names, values=values)
