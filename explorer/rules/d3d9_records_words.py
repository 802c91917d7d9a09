"""Answers to records that are mostly words: memory_behaviour and documented."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from explorer.core.d3d9 import (
    CheckDeviceFormat,
    CheckResourceResidency,
    CreateQuery,
    CreateTexture,
    Draw,
    Empty,
    Format,
    Lock,
    LockFlags,
    LockRect,
    Pool,
    PresentFlags,
    QueryType,
    ResourceType,
    SetStreamSource,
    UpdateSurface,
    Usage,
)
from explorer.core.schema import constants_of
from explorer.rules.d3d9 import judge
from explorer.rules.d3d9_copies import CopyState
from explorer.rules.d3d9_create import judge_create
from explorer.rules.d3d9_device import DeviceState
from explorer.rules.d3d9_locks import BufferState
from explorer.rules.d3d9_phrases import (
    NotUnderstoodError,
    Phrase,
    parse_flags,
    parse_format,
    parse_object,
    parse_pool,
    truth,
    whole,
)
from explorer.rules.d3d9_question import Question
from explorer.rules.d3d9_records_create import creation
from explorer.rules.d3d9_resource import Surface, back_buffer
from explorer.rules.d3d9_sizes import device_layout
from explorer.rules.d3d9_verdicts import fault
from explorer.tables.d3d9_tables import copy_allowed, format_flags, lock_flag_objects

_Answerer = Callable[[Question], None]


def _lock_flags(q: Question) -> LockFlags:
    return LockFlags(parse_flags(q.flags("lock_flags"), "lock_flags", LockFlags))


def _buffer(q: Question) -> Phrase:
    phrase = parse_object(q.text("buffer"))
    if not phrase.resource.is_buffer:
        raise NotUnderstoodError(f"buffer {q.text('buffer')}")
    return phrase


def _memory_around(q: Question) -> None:
    phrase = parse_object(q.text("texture"), "texture")
    count = whole(q.get("count"), "count")
    taken = count * device_layout(phrase.resource, q.runtime).size_bytes
    if q.runtime.ex or phrase.resource.pool != Pool.DEFAULT:
        taken = 0
    q.because("R4.9")
    q.put("value_decreases", taken > 0)
    q.put("difference_bytes", taken)
    q.words("allowed_create_failures", "R4.10")


def _evict(q: Question) -> None:
    bound = q.get("bound", [])
    if not isinstance(bound, list | tuple):
        raise NotUnderstoodError(f"bound {bound}")
    for item in cast("Sequence[object]", bound):
        parse_object(str(item))
    truth(q.get("drawn_before", True), "drawn_before")
    q.put("hr", q.use(judge(Empty(), DeviceState(), q.runtime, "EvictManagedResources")).hr)
    q.words("draw_after", "R5.9")


def _renames(flags: LockFlags, resource_is_dynamic: bool) -> bool:
    return bool(flags & LockFlags.DISCARD) and not flags & LockFlags.NOOVERWRITE and resource_is_dynamic


def _lock_twice(q: Question) -> None:
    resource, flags = _buffer(q).resource, _lock_flags(q)
    verdict = q.use(judge(Lock("b", Flags=flags), BufferState(resource), q.runtime))
    fresh = _renames(flags, resource.is_dynamic) and resource.pool == Pool.DEFAULT
    q.because("R7.6" if fresh else "R5.12")
    q.put("both_hr", verdict.hr)
    if verdict.succeeded:
        q.put("same_pointer", not fresh)
        q.put("contents_kept", not fresh)


def _lock_after_draw(q: Question) -> None:
    resource, flags = _buffer(q).resource, _lock_flags(q)
    verdict = q.use(judge(Lock("b", Flags=flags), BufferState(resource), q.runtime))
    q.because("R3.6")
    q.put("hr", verdict.hr)
    if verdict.succeeded:
        q.put("old_data_readable", not _renames(flags, resource.is_dynamic))


def _lock_pending(q: Question) -> None:
    _buffer(q)
    flags = _lock_flags(q)
    q.because("R7.6")
    q.put("write_visible_to_pending_draw", bool(flags & LockFlags.NOOVERWRITE))


def _lock_surface(q: Question) -> None:
    phrase = parse_object(q.text("surface"))
    known = constants_of(PresentFlags)
    names = q.get("present_flags", [])
    present = 0
    for name in cast("Sequence[object]", names) if isinstance(names, list | tuple) else [names]:
        if not isinstance(name, str) or name not in known:
            raise NotUnderstoodError(f"present_flags {name}")
        present |= known[name]
    resource = back_buffer() if phrase.resource.kind == "back_buffer" else phrase.resource
    runtime = q.runtime
    if present & PresentFlags.LOCKABLE_BACKBUFFER:
        runtime = replace(runtime, lockable_back_buffer=True)
    arguments = LockRect("s", phrase.level, Flags=_lock_flags(q))
    q.put("hr", q.use(judge(arguments, Surface(resource, phrase.level), runtime)).hr)


def _update_surface(q: Question) -> None:
    ends = [parse_object(q.text(key)) for key in ("src", "dst")]
    source, destination = (Surface(end.resource, end.level, locked=end.locked) for end in ends)
    # The phrases name levels of textures of one size; a level of the same number has the same extent.
    verdict = judge(UpdateSurface("a", "b"), CopyState(source, destination), q.runtime)
    q.put("hr", q.use(verdict).hr)


def _draw(q: Question) -> None:
    phrase = parse_object(q.text("stream"))
    bound = q.use(judge(SetStreamSource(0, "b"), phrase.resource, q.runtime))
    drawn = q.use(judge(Draw(("b",)), DeviceState(), q.runtime, q.record.call))
    q.put("hr", drawn.hr if bound.succeeded else bound.hr)


_ANY_OF = re.compile(r"^any of (\d+)\.\.(\d+)(?: or above \d+(?: \(except \d+\))?)?$")


def _query(q: Question) -> None:
    value, name = q.get("type_value"), q.get("type")
    if isinstance(value, str):
        match = _ANY_OF.match(value)
        if match is None:
            raise NotUnderstoodError(f"type_value {value}")
        value = int(match[1])
    if value is None:
        known = constants_of(QueryType)
        if not isinstance(name, str) or name not in known:
            raise NotUnderstoodError(f"type {name}")
        value = known[name]
    verdict = q.use(judge(CreateQuery(whole(value, "type_value")), DeviceState(), q.runtime))
    q.put("hr", verdict.hr)
    if not verdict.succeeded:
        q.put("out_pointer", "untouched")


def _check_format(q: Question) -> None:
    name = q.text("rtype")
    known = constants_of(ResourceType)
    full = f"D3DRTYPE_{name.removeprefix('D3DRTYPE_')}"
    if full not in known:
        raise NotUnderstoodError(f"rtype {name}")
    arguments = CheckDeviceFormat(
        parse_format(q.get("adapter_format", "X8R8G8B8")),
        Usage(parse_flags(q.flags("usage"), "usage", Usage)),
        ResourceType(known[full]),
        parse_format(q.need("format")),
    )
    q.put("hr", q.use(judge(arguments, DeviceState(), q.runtime)).hr)


_MEMORY: Mapping[str, _Answerer] = {
    "GetAvailableTextureMem around 20 x CreateTexture": _memory_around,
    "EvictManagedResources": _evict,
    "Lock twice around a draw": _lock_twice,
    "Lock": _lock_after_draw,
    "Lock while the GPU still reads the buffer": _lock_pending,
    "LockRect": _lock_surface,
    "UpdateSurface": _update_surface,
    "DrawPrimitive": _draw,
    "DrawIndexedPrimitive": _draw,
    "CreateQuery": _query,
    "CheckDeviceFormat": _check_format,
}
_AROUND = re.compile(r"^GetAvailableTextureMem around \d+ x CreateTexture$")


def memory_behaviour(q: Question) -> None:
    """Answer memory_behaviour by its call."""
    call = q.record.call
    answerer = _memory_around if _AROUND.match(call) else _MEMORY.get(call, creation)
    answerer(q)


# --- documented


def _compatible(q: Question) -> None:
    usage = Usage(parse_flags(q.flags("usage"), "usage", Usage))
    value = Format.D24S8 if usage & Usage.DEPTHSTENCIL else Format.A8R8G8B8
    arguments = CreateTexture(64, 64, 1, usage, value, parse_pool(q.need("pool")))
    q.put("compatible", q.use(judge_create(arguments, q.runtime)).succeeded)


def _kinds(q: Question) -> tuple[str, str]:
    return q.text("src_kind"), q.text("dst_kind")


def _allowed(q: Question) -> None:
    source, destination = _kinds(q)
    stretch = q.record.call == "StretchRect"
    driver = q.text("driver") if stretch else None
    stretching = truth(q.get("stretching", False), "stretching") if stretch else None
    found = copy_allowed(q.record.call, source, destination, driver, stretching)
    if found is None:
        raise NotUnderstoodError(f"{driver or ''} {source} to {destination}".strip())
    rule = "R8.1" if not stretch else "R8.4" if driver == "Direct3D 9" else "copy.driver"
    q.because("ok.copy" if found else fault(rule).reason.rule)
    q.because(rule)
    q.put("allowed", found)


def _flag_valid(q: Question) -> None:
    kind, flag = q.text("object"), q.text("flag")
    objects = lock_flag_objects().get(flag)
    every = {name for kinds in lock_flag_objects().values() for name in kinds}
    if objects is None or kind not in every:
        raise NotUnderstoodError(f"{flag} on {kind}")
    q.because(
        "lock.nooverwrite" if flag == "D3DLOCK_NOOVERWRITE" else "R7.5" if flag == "D3DLOCK_DONOTWAIT" else "R7.3"
    )
    q.put("valid", kind in objects)


_RESIDENCY_WORDS: Mapping[str, tuple[str, ...]] = {
    "all in GPU-accessible memory": ("device",),
    "none on disk, at least one outside GPU-accessible memory": ("device", "shared"),
    "at least one on disk": ("device", "disk"),
}


def _residency(q: Question) -> None:
    words = q.text("resources")
    if words not in _RESIDENCY_WORDS:
        raise NotUnderstoodError(f"resources {words}")
    state = DeviceState(residency=_RESIDENCY_WORDS[words])
    q.put("hr", q.use(judge(CheckResourceResidency(("a",)), state, q.runtime)).hr)


_PRELOAD_WORDS: Mapping[str, str] = {
    "managed resource while thrashing": "R5.11",
    "non-managed resource": "R5.11",
    "managed resource": "R5.3",
}


def _preload(q: Question) -> None:
    q.words("effect", _rule_of(_PRELOAD_WORDS, q.text("resource"), "resource"))


def _victim(q: Question) -> None:
    mode = q.get("mode", "LRU")
    if mode not in ("LRU", "MRU"):
        raise NotUnderstoodError(f"mode {mode}")
    objects = q.need("objects")
    if not isinstance(objects, list | tuple) or not objects:
        raise NotUnderstoodError(f"objects {objects}")
    order: list[tuple[int, int, str]] = []
    for item in cast("Sequence[object]", objects):
        if not isinstance(item, Mapping):
            raise NotUnderstoodError(f"objects {objects}")
        fields = cast("Mapping[str, object]", item)
        used = whole(fields.get("last_use"), "last_use")
        name = str(fields.get("name"))
        order.append((whole(fields.get("priority", 0), "priority"), used if mode == "LRU" else -used, name))
    q.because("R5.6", "R5.5" if mode == "LRU" else "R5.8")
    q.put("victim", min(order)[2])


def _back_buffer_format(q: Question) -> None:
    q.because("swap.format")
    q.put("valid", "back_buffer" in format_flags(parse_format(q.need("format"))))


def _rule_of(table: Mapping[str, str], words: str, key: str) -> str:
    if words not in table:
        raise NotUnderstoodError(f"{key} {words}")
    return table[words]


_DIRTY_WORDS = frozenset((
    "create texture", "AddDirtyRect(rect)", "AddDirtyRect(NULL)", "LockRect level 0 with NO_DIRTY_UPDATE",
    "LockRect level 0 with READONLY", "LockRect level 0", "LockRect level 1", "UpdateSurface into a level",
    "UpdateTexture as source", "GenerateMipSubLevels", "SetAutoGenFilterType",
))  # fmt: skip
_POLICY_WORDS: Mapping[str, str] = {
    "DEFAULT allocation does not fit, managed objects resident": "R6.8",
    "EvictManagedResources": "R5.9",
    "managed object first used": "R5.3",
    "managed object used again, part of it written": "R5.3",
    "Reset with managed objects": "R5.4",
    "frame needs more managed bytes than video memory": "R5.8",
    "device copy does not fit": "R5.5",
}


def _dirty(q: Question) -> None:
    operation = q.text("operation")
    if operation not in _DIRTY_WORDS:
        raise NotUnderstoodError(f"operation {operation}")
    q.words("dirty", "R7.11")


def _policy(q: Question) -> None:
    q.words("behaviour", _rule_of(_POLICY_WORDS, q.text("situation"), "situation"))


def _texture_memory(q: Question) -> None:
    state = DeviceState(free_bytes=whole(q.need("free_bytes"), "free_bytes"))
    verdict = q.use(judge(Empty(), state, q.runtime, "GetAvailableTextureMem"))
    q.put("returns", verdict.values["returns"])
    q.words("rounding", "R4.8")


_DOCUMENTED: Mapping[str, _Answerer] = {
    "create texture": _compatible,
    "UpdateSurface": _allowed,
    "StretchRect": _allowed,
    "lock flag validity": _flag_valid,
    "CheckResourceResidency": _residency,
    "PreLoad": _preload,
    "evict choice": _victim,
    "dirty region": _dirty,
    "back buffer format": _back_buffer_format,
    "managed policy": _policy,
    "GetAvailableTextureMem": _texture_memory,
}


def documented(q: Question) -> None:
    """Answer documented by its call."""
    answerer = _DOCUMENTED.get(q.record.call)
    if answerer is None:
        raise NotUnderstoodError(f"call {q.record.call}")
    answerer(q)
