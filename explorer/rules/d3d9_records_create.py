"""Answers to records about the creation of resources."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    Format,
    Lock,
    LockBox,
    LockRect,
    MultisampleType,
    Pool,
    SetDepthStencilSurface,
    SetIndices,
    SetRenderTarget,
    SetStreamSource,
    SetTexture,
    UnlockRect,
    Usage,
)
from explorer.core.schema import constants_of
from explorer.rules.d3d9 import judge
from explorer.rules.d3d9_create import judge_create
from explorer.rules.d3d9_locks import BufferState
from explorer.rules.d3d9_phrases import (
    NotUnderstoodError,
    numbers,
    parse_flags,
    parse_format,
    parse_fvf,
    parse_pool,
    truth,
    whole,
)
from explorer.rules.d3d9_question import RUNTIMES, Question
from explorer.rules.d3d9_resource import Resource, Surface
from explorer.tables.d3d9_tables import limit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CLASSES: Mapping[str, Format] = {"colour": Format.X8R8G8B8, "depth": Format.D24S8, "vendor_fourcc": Format.ATI2}
_HANDLES: Mapping[str, str] = {"non-NULL": "shared", "pointer to application memory": "user_memory"}
_SIDE = 64
"""Texels of a side that a record leaves out: legal for every kind and format."""


def _format(q: Question, default: Format) -> int:
    if q.has("format_class"):
        q.get("format")
        name = q.text("format_class")
        if name not in CLASSES:
            raise NotUnderstoodError(f"format_class {name}")
        return int(CLASSES[name])
    return parse_format(q.get("format"), default)


def _sides(q: Question, count: int) -> tuple[int, ...]:
    """Return width, height and depth from ``width height depth``, ``size`` or ``edge``."""
    if q.has("edge"):
        return (whole(q.get("edge"), "edge"),) * count
    if q.has("size"):
        size = q.get("size")
        if isinstance(size, int):
            return (whole(size, "size"),) * count
        sides = numbers(size, "size")
        if len(sides) == 1 and count == 2:
            sides *= 2
        if len(sides) != count or min(sides) < 0:
            raise NotUnderstoodError(f"size {size}")
        return sides
    names = ("width", "height", "depth")[:count]
    default = (_SIDE, _SIDE, 1)
    return tuple(whole(q.get(name, default[i]), name) for i, name in enumerate(names))


def _handle(q: Question) -> str | None:
    value = q.get("shared_handle")
    if value is None:
        return None
    if isinstance(value, str) and value in _HANDLES:
        return _HANDLES[value]
    raise NotUnderstoodError(f"shared_handle {value}")


def _multisample(q: Question) -> MultisampleType:
    value = q.get("multisample", "NONE")
    known = constants_of(MultisampleType)
    if isinstance(value, int) and not isinstance(value, bool) and value in set(MultisampleType):
        return MultisampleType(value)
    name = f"D3DMULTISAMPLE_{str(value).removeprefix('D3DMULTISAMPLE_')}"
    if name not in known:
        raise NotUnderstoodError(f"multisample {value}")
    return MultisampleType(known[name])


def _texture(q: Question) -> CreateInput:
    width, height = _sides(q, 2)
    return CreateTexture(width, height, _levels(q), _usage(q), _format(q, Format.X8R8G8B8), _pool(q), _handle(q))


def _cube(q: Question) -> CreateInput:
    edge = _sides(q, 2)
    if edge[0] != edge[1]:
        raise NotUnderstoodError(f"edges {edge}")
    return CreateCubeTexture(edge[0], _levels(q), _usage(q), _format(q, Format.X8R8G8B8), _pool(q), _handle(q))


def _volume(q: Question) -> CreateInput:
    width, height, depth = _sides(q, 3)
    colour = Format.X8R8G8B8
    return CreateVolumeTexture(width, height, depth, _levels(q), _usage(q), _format(q, colour), _pool(q), _handle(q))


def _levels(q: Question) -> int:
    return whole(q.get("levels", 1), "levels")


def _usage(q: Question) -> Usage:
    return Usage(parse_flags(q.flags("usage"), "usage", Usage))


def _pool(q: Question) -> int:
    return parse_pool(q.get("pool"), Pool.DEFAULT)


def _default_pool(q: Question) -> None:
    if _pool(q) != Pool.DEFAULT:
        raise NotUnderstoodError("a pool for a call that takes none")


def _one_level(q: Question) -> None:
    if q.get("levels", 1) != 1:
        raise NotUnderstoodError("levels for a call that takes none")


def _bytes(q: Question) -> int:
    for key in ("size", "bytes", "length"):
        if q.has(key):
            return whole(q.get(key), key)
    return _SIDE


def _vertex_buffer(q: Question) -> CreateInput:
    q.get("format")
    return CreateVertexBuffer(_bytes(q), _usage(q), parse_fvf(q.get("fvf")), _pool(q), _handle(q))


def _index_buffer(q: Question) -> CreateInput:
    return CreateIndexBuffer(_bytes(q), _usage(q), parse_format(q.get("format"), Format.INDEX16), _pool(q), _handle(q))


def _render_target(q: Question) -> CreateInput:
    width, height = _sides(q, 2)
    _one_level(q)
    lockable = truth(q.get("lockable", False), "lockable")
    value, quality = _format(q, Format.X8R8G8B8), whole(q.get("quality", 0), "quality")
    _default_pool(q)
    if q.record.call.endswith("Ex"):
        return CreateRenderTargetEx(width, height, value, _multisample(q), quality, lockable, _handle(q), _usage(q))
    return CreateRenderTarget(width, height, value, _multisample(q), quality, lockable, _handle(q))


def _depth_surface(q: Question) -> CreateInput:
    width, height = _sides(q, 2)
    _one_level(q)
    discard = truth(q.get("discard", False), "discard")
    value, quality = _format(q, Format.D24S8), whole(q.get("quality", 0), "quality")
    _default_pool(q)
    if q.record.call.endswith("Ex"):
        return CreateDepthStencilSurfaceEx(
            width, height, value, _multisample(q), quality, discard, _handle(q), _usage(q)
        )
    return CreateDepthStencilSurface(width, height, value, _multisample(q), quality, discard, _handle(q))


def _plain_surface(q: Question) -> CreateInput:
    width, height = _sides(q, 2)
    _one_level(q)
    value, pool = _format(q, Format.X8R8G8B8), _pool(q)
    if q.record.call.endswith("Ex"):
        return CreateOffscreenPlainSurfaceEx(width, height, value, pool, _handle(q), _usage(q))
    return CreateOffscreenPlainSurface(width, height, value, pool, _handle(q))


_CREATORS: Mapping[str, Callable[[Question], CreateInput]] = {
    "CreateTexture": _texture,
    "CreateCubeTexture": _cube,
    "CreateVolumeTexture": _volume,
    "CreateVertexBuffer": _vertex_buffer,
    "CreateIndexBuffer": _index_buffer,
    "CreateRenderTarget": _render_target,
    "CreateDepthStencilSurface": _depth_surface,
    "CreateOffscreenPlainSurface": _plain_surface,
}
_EX_CREATORS = ("CreateRenderTarget", "CreateDepthStencilSurface", "CreateOffscreenPlainSurface")


def creator_input(q: Question, call: str | None = None) -> CreateInput:
    """Return the record's input as that of a create call.

    Raises:
        NotUnderstoodError: The API has no such call, or a value has no meaning here.
    """
    name = q.record.call if call is None else call
    plain = name.removesuffix("Ex")
    if plain not in _CREATORS or (name != plain and (plain not in _EX_CREATORS or not q.runtime.ex)):
        raise NotUnderstoodError(f"call {name}")
    return _CREATORS[plain](q)


def _described(q: Question, resource: Resource) -> None:
    q.put("desc_usage_value", resource.usage)
    q.put("desc_pool", Pool(resource.pool).constant)


def buffers(q: Question) -> None:
    """Answer create_buffer_*."""
    resource = q.create(creator_input(q))
    if resource is None:
        return
    _described(q, resource)
    q.put("lock_hr_no_flags", q.use(judge(Lock("b"), BufferState(resource), q.runtime)).hr)
    bind = SetStreamSource(0, "b") if resource.kind == "vertex_buffer" else SetIndices("b")
    q.put("bind_hr", q.use(judge(bind, resource, q.runtime)).hr)


def surfaces(q: Question) -> None:
    """Answer create_surface_*: the description, a lock and its end, and the bindings."""
    resource = q.create(creator_input(q))
    if resource is None:
        return
    _described(q, resource)
    surface = Surface(resource)
    lock = q.use(judge(LockRect("s"), surface, q.runtime))
    q.put("lock_rect_hr_no_flags", lock.hr)
    unlock = judge(UnlockRect("s"), Surface(resource, locked=lock.succeeded), q.runtime)
    q.put("unlock_after_hr", q.use(unlock).hr)
    if resource.is_texture:
        q.put("set_texture_hr", q.use(judge(SetTexture(0, "s"), resource, q.runtime)).hr)
    q.put("set_render_target_hr", q.use(judge(SetRenderTarget(0, "s"), surface, q.runtime)).hr)
    q.put("set_depth_stencil_hr", q.use(judge(SetDepthStencilSurface("s"), surface, q.runtime)).hr)


def volumes(q: Question) -> None:
    """Answer create_volume_*."""
    resource = q.create(creator_input(q))
    if resource is None:
        return
    _described(q, resource)
    q.put("lock_box_hr_no_flags", q.use(judge(LockBox("v"), Surface(resource), q.runtime)).hr)
    q.put("set_texture_hr", q.use(judge(SetTexture(0, "v"), resource, q.runtime)).hr)


def creation(q: Question) -> None:
    """Answer the kinds that ask for the creation alone, and memory_behaviour's create calls."""
    made = q.create(creator_input(q))
    if q.record.kind == "memory_behaviour" and made is None:
        q.because("R2.19")
        q.put("out_pointer", None)


def levels(q: Question) -> None:
    """Answer mip_levels."""
    resource = q.create(creator_input(q))
    if resource is not None:
        q.put("level_count", resource.levels)
        q.put("desc_usage_value", resource.usage)


def alignment(q: Question) -> None:
    """Answer vertex_buffer_alignment."""
    resource = q.create(creator_input(q))
    if resource is not None:
        q.because("R7.12")
        q.put("lock_pointer_alignment", limit("vertex_pointer_alignment"))


def volume_locking(q: Question) -> None:
    """Answer volume_locking: creation, then a lock of level 0."""
    if q.record.call not in ("CreateVolumeTexture+LockBox", "CreateVolumeTexture"):
        raise NotUnderstoodError(f"call {q.record.call}")
    resource = q.create(creator_input(q, "CreateVolumeTexture"))
    if resource is None:
        return
    lock = q.use(judge(LockBox("v"), Surface(resource), q.runtime))
    q.put("lock_box_hr", lock.hr)
    if not lock.succeeded:
        q.put("pBits_after_failed_lock", None)


def handles(q: Question) -> None:
    """Answer shared_and_user_memory, under both versions of Windows."""
    arguments = creator_input(q)
    resource = q.create(arguments)
    for ending, windows in RUNTIMES:
        q.put(f"create_hr{ending}", q.use(judge_create(arguments, q.on(windows))).hr)
    if resource is not None:
        _described(q, resource)
