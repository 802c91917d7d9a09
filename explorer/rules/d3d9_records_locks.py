"""Answers to records about locks, pitches and layouts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from explorer.core.d3d9 import (
    Box,
    Format,
    Lock,
    LockBox,
    LockFlags,
    LockRect,
    Pool,
    Rect,
    UnlockBox,
    UnlockRect,
    Usage,
)
from explorer.rules.d3d9 import judge
from explorer.rules.d3d9_create import judge_create
from explorer.rules.d3d9_locks import BufferState
from explorer.rules.d3d9_phrases import (
    NotUnderstoodError,
    numbers,
    parse_flags,
    parse_format,
    parse_object,
    parse_pool,
    whole,
)
from explorer.rules.d3d9_question import RUNTIMES, Question
from explorer.rules.d3d9_records_create import creator_input
from explorer.rules.d3d9_resource import Resource, Surface, describe, full_chain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.core.verdicts import Verdict
    from explorer.rules.d3d9_runtime import Runtime

_LEVEL = re.compile(r"^(LockRect|LockBox)(?: level (\d+))?$")


def _rect(value: object) -> Rect:
    return Rect(*numbers(value, "rect", 4))


def _box(value: object, key: str) -> Box:
    """Return a box from left, top, right, bottom, front, back."""
    edges = numbers(value, key, 6)
    if min(edges) < 0:
        raise NotUnderstoodError(f"{key} {value}")
    return Box(*edges)


def _lock_flags(q: Question) -> LockFlags:
    return LockFlags(parse_flags(q.flags("lock_flags"), "lock_flags", LockFlags))


def _object_from_sizes(q: Question, pool: int) -> Resource:
    """Return the object of a lock record: ``surface``, ``texture``, ``cube`` or ``volume`` give its size."""
    usage = parse_flags(q.flags("usage"), "usage", Usage)
    value = parse_format(q.get("format"))
    levels = whole(q.get("levels", 1), "levels")
    made = q.get("created_as")
    keys = [key for key in ("surface", "texture", "cube", "volume") if q.has(key)]
    if len(keys) != 1:
        raise NotUnderstoodError("no single surface, texture, cube or volume")
    size = numbers(q.get(keys[0]), keys[0], 3 if keys[0] == "volume" else 2)
    if min(size) < 1:
        raise NotUnderstoodError(f"{keys[0]} {size}")
    kind = {"texture": "texture", "cube": "cube_texture", "volume": "volume_texture"}.get(keys[0])
    if kind is None:
        kind, usage = _created_as(made, pool, usage)
    depth = size[2] if len(size) == 3 else 1
    count = levels or full_chain(*size)
    if count > full_chain(*size):
        raise NotUnderstoodError(f"levels {levels}, more than the chain has")
    return Resource(kind, size[0], size[1], depth, count, count, usage, value, pool)


def _created_as(made: object, pool: int, usage: int) -> tuple[str, int]:
    """Return kind and usage of a surface; what is not said is something that can be locked in its pool."""
    if made is None:
        made = "dynamic texture" if pool == Pool.DEFAULT else "texture or plain surface"
    if not isinstance(made, str):
        raise NotUnderstoodError(f"created_as {made}")
    phrase = parse_object(made.split(" or ")[0])
    return phrase.resource.kind, usage | phrase.resource.usage


def _lock_surface(q: Question, surface: Surface, rect: object, flags: LockFlags, runtime: Runtime) -> Verdict:
    area = None if rect is None else _rect(rect)
    return q.use(judge(LockRect("o", surface.level, pRect=area, Flags=flags), surface, runtime))


def _half_block(resource: Resource) -> Box:
    info = resource.info
    _, height, _ = resource.level_size(0)
    if info is None or info.block_width < 2:
        raise NotUnderstoodError("half a block of a format without blocks")
    return Box(0, 0, info.block_width // 2, min(info.block_height, height), 0, 1)


def block_locks(q: Question) -> None:
    """Answer block_locks: ``succeeds`` and ``hr`` of one lock."""
    match = _LEVEL.match(q.record.call)
    if match is None:
        raise NotUnderstoodError(f"call {q.record.call}")
    resource = _object_from_sizes(q, parse_pool(q.need("pool")))
    level = int(match[2]) if match[2] else whole(q.get("level", 0), "level")
    surface = Surface(resource, level)
    flags = _lock_flags(q)
    if match[1] == "LockBox":
        box = q.get("box")
        if isinstance(box, str):
            if box != "half a block":
                raise NotUnderstoodError(f"box {box}")
            area = _half_block(resource)
        else:
            area = None if box is None else _box(box, "box")
        verdict = q.use(judge(LockBox("o", surface.level, area, flags), surface, q.runtime))
    else:
        verdict = _lock_surface(q, surface, q.get("rect"), flags, q.runtime)
    q.put("succeeds", verdict.succeeded)
    q.put("hr", verdict.hr)


def buffer_flags(q: Question) -> None:
    """Answer vb_lock_flags: one lock of a buffer under both versions of Windows."""
    interface, _, method = q.record.call.rpartition("::")
    kinds = {"IDirect3DVertexBuffer9": "CreateVertexBuffer", "IDirect3DIndexBuffer9": "CreateIndexBuffer"}
    if method != "Lock" or interface not in kinds:
        raise NotUnderstoodError(f"call {q.record.call}")
    flags = _lock_flags(q)
    arguments = creator_input(q, kinds[interface])
    made = judge_create(arguments, q.runtime)
    if not made.succeeded:
        q.use(made)
        q.why = "the buffer cannot be created, so nothing is locked"
        return
    state = BufferState(describe(arguments, q.runtime))
    for ending, windows in RUNTIMES:
        q.put(f"lock_hr{ending}", q.use(judge(Lock("b", Flags=flags), state, q.on(windows))).hr)


def lock_regions(q: Question) -> None:
    """Answer lock_regions: rectangles and boxes, second locks, second unlocks, sequences."""
    call = q.record.call
    if call == "LockRect":
        _rectangles(q)
    elif call == "LockBox":
        _boxes(q)
    elif call in ("LockRect twice", "LockBox twice"):
        _second_lock(q)
    elif call in ("UnlockRect twice", "UnlockBox twice"):
        _second_unlock(q)
    elif "," in call:
        _sequence(q)
    else:
        raise NotUnderstoodError(f"call {call}")


def _pools(q: Question) -> list[int]:
    pools = q.get("pools")
    if pools is None:
        return [parse_pool(q.get("pool"), Pool.SYSTEMMEM)]
    if not isinstance(pools, list | tuple) or not pools:
        raise NotUnderstoodError(f"pools {pools}")
    return [parse_pool(pool) for pool in cast("Sequence[object]", pools)]


def _same(answers: list[str]) -> str:
    if len(set(answers)) > 1:
        raise NotUnderstoodError("one answer for pools that answer differently")
    return answers[0]


def _rectangles(q: Question) -> None:
    rect, flags = q.get("rect"), _lock_flags(q)
    surfaces = [Surface(_object_from_sizes(q, pool)) for pool in _pools(q)]

    def hr(runtime: Runtime) -> str:
        return _same([_lock_surface(q, surface, rect, flags, runtime).hr for surface in surfaces])

    q.put("hr", hr(q.runtime))
    for ending, windows in RUNTIMES:
        q.put(f"hr{ending}", hr(q.on(windows)))


def _boxes(q: Question) -> None:
    key = "box_left_top_right_bottom_front_back"
    key = key if q.has(key) else "box"
    value, flags = q.get(key), _lock_flags(q)
    surfaces = [Surface(_object_from_sizes(q, pool)) for pool in _pools(q)]
    arguments = LockBox("v", pBox=None if value is None else _box(value, key), Flags=flags)

    def hr(runtime: Runtime) -> str:
        return _same([q.use(judge(arguments, surface, runtime)).hr for surface in surfaces])

    q.put("hr", hr(q.runtime))
    for ending, windows in RUNTIMES:
        q.put(f"hr{ending}", hr(q.on(windows)))


def _described(q: Question) -> Surface:
    """Return a surface of what ``object`` describes, lockable where the phrase leaves that open."""
    phrase = parse_object(q.text("object"))
    via = q.get("via")
    if via not in (None, "IDirect3DSurface9", "IDirect3DTexture9", "IDirect3DCubeTexture9", "IDirect3DVolume9"):
        raise NotUnderstoodError(f"via {via}")
    resource = phrase.resource
    if q.has("pool") or resource.is_texture:
        # A texture that is locked in DEFAULT is a dynamic one; without a pool it is taken from system memory.
        pool = parse_pool(q.get("pool"), Pool.SYSTEMMEM)
        usage = resource.usage | (int(Usage.DYNAMIC) if pool == Pool.DEFAULT and resource.is_texture else 0)
        resource = Resource(
            resource.kind, resource.width, resource.height, resource.depth, resource.levels, resource.stored_levels,
            usage, resource.format, pool,
        )  # fmt: skip
    return Surface(resource, phrase.level)


def _locked(surface: Surface, locked: bool) -> Surface:
    return Surface(surface.resource, surface.level, surface.face, locked)


def _lock(q: Question, surface: Surface) -> Verdict:
    lock = LockBox("o") if surface.resource.kind == "volume_texture" else LockRect("o")
    return q.use(judge(lock, surface, q.runtime))


def _unlock(q: Question, surface: Surface) -> Verdict:
    unlock = UnlockBox("o") if surface.resource.kind == "volume_texture" else UnlockRect("o")
    return q.use(judge(unlock, surface, q.runtime))


def _second_lock(q: Question) -> None:
    surface = _described(q)
    verdict = _lock(q, _locked(surface, True))
    q.put("second_lock_hr", verdict.hr)
    q.put("locked_rect_untouched", not verdict.succeeded)


def _second_unlock(q: Question) -> None:
    surface = _described(q)
    q.put("second_unlock_hr", _unlock(q, _locked(surface, False)).hr)


def _sequence(q: Question) -> None:
    surface = _described(q)
    locked = False
    steps: list[str] = []
    for word in q.record.call.lower().split(","):
        name = word.strip().removesuffix(" without lock").removesuffix("rect").removesuffix("box")
        if name not in ("lock", "unlock"):
            raise NotUnderstoodError(f"call {q.record.call}")
        verdict = (_lock if name == "lock" else _unlock)(q, _locked(surface, locked))
        if verdict.succeeded:
            locked = name == "lock"
        steps.append(verdict.hr)
    q.put("steps", steps)


def pitch_and_layout(q: Question) -> None:
    """Answer pitch_and_layout: pitch and offset of a lock, and how levels and faces follow each other."""
    if q.record.call not in ("LockRect", "LockRect per level", "LockRect per face and level"):
        raise NotUnderstoodError(f"call {q.record.call}")
    phrase = parse_object(q.text("object"))
    base = phrase.resource
    width = whole(q.get("width", base.width), "width", 1)
    height = whole(q.get("height", base.height), "height", 1)
    value, pool = parse_format(q.get("format"), Format(base.format)), parse_pool(q.get("pool"), Pool.SYSTEMMEM)
    rect = q.get("rect")
    if q.record.call != "LockRect":
        if pool == Pool.DEFAULT:
            raise NotUnderstoodError("the layout of D3DPOOL_DEFAULT, which is the driver's")
        q.words("layout", "R11.2")
        return
    if pool == Pool.DEFAULT:
        q.because("layout.device")
        q.why = "the pitch of D3DPOOL_DEFAULT is the driver's"
        return
    resource = Resource(base.kind, width, height, format=value, pool=pool, user_memory=base.user_memory)
    verdict = _lock_surface(q, Surface(resource), rect, LockFlags(0), q.runtime)
    if not verdict.succeeded:
        q.why = "the lock is refused"
        return
    q.put("pitch", verdict.values["Pitch"])
    q.put("offset_from_surface_start", verdict.values["offset"])
    if base.user_memory:
        q.words("pointer", "R10.5")
