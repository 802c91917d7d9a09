"""Answers to records about accounting, eviction and locks (kind ``memory_behaviour``), played on a device."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from explorer.core import d3d9 as api
from explorer.core.schema import constants_of
from explorer.rules.d3d9_phrases import NotUnderstoodError, parse_flags, parse_format, parse_object, truth, whole
from explorer.rules.d3d9_records_create import creation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from explorer.device.d3d9_rig import Rig
    from explorer.device.outcome import Outcome

_AROUND = re.compile(r"^GetAvailableTextureMem around \d+ x CreateTexture$")
_ANY_OF = re.compile(r"^any of (\d+)\.\.(\d+)(?: or above \d+(?: \(except \d+\))?)?$")
_SIBLING = re.compile(r"\bsibling level (\d+) locked\b")


def memory_behaviour(rig: Rig) -> None:
    """Answer memory_behaviour by its call.

    Raises:
        NotUnderstoodError: A word has no meaning here.
    """
    call = rig.record.call
    script = _memory_around if _AROUND.match(call) else _SCRIPTS.get(call, creation)
    script(rig)


def _lock_flags(rig: Rig) -> api.LockFlags:
    return api.LockFlags(parse_flags(rig.flags("lock_flags"), "lock_flags", api.LockFlags))


def _memory_around(rig: Rig) -> None:
    phrase = parse_object(rig.text("texture"), "texture")
    count = whole(rig.get("count"), "count")
    before = _texture_memory(rig)
    for index in range(count):
        rig.make(phrase, f"Texture {index}")
    after = _texture_memory(rig)
    rig.because("R4.9")
    rig.put("value_decreases", after < before)
    rig.put("difference_bytes", before - after)
    rig.words("allowed_create_failures", "R4.10")


def _texture_memory(rig: Rig) -> int:
    return cast("int", rig.call("GetAvailableTextureMem", api.Empty()).values["returns"])


def _evict(rig: Rig) -> None:
    bound, drawn = rig.get("bound", []), truth(rig.get("drawn_before", True), "drawn_before")
    if not isinstance(bound, list | tuple):
        raise NotUnderstoodError(f"bound {bound}")
    for index, item in enumerate(cast("Sequence[object]", bound)):
        phrase = parse_object(str(item))
        _bind(rig, phrase.resource.kind, rig.make(phrase, f"Bound {index}"), index)
    if drawn:
        _draw_bound(rig)
    rig.put("hr", rig.call("EvictManagedResources", api.Empty()).hr)
    if not _draw_bound(rig).succeeded:
        raise NotUnderstoodError("the draw after EvictManagedResources")
    rig.words("draw_after", "R5.9")


def _bind(rig: Rig, kind: str, name: str, index: int) -> None:
    if kind == "vertex_buffer":
        rig.quiet("SetStreamSource", api.SetStreamSource(index, name))
    elif kind == "index_buffer":
        rig.quiet("SetIndices", api.SetIndices(name))
    else:
        rig.quiet("SetTexture", api.SetTexture(index, name))


def _draw_bound(rig: Rig, call: str = "DrawPrimitive") -> Outcome:
    rig.quiet("BeginScene", api.Empty())
    outcome = rig.quiet(call, api.Draw())
    rig.quiet("EndScene", api.Empty())
    return outcome


def _buffer(rig: Rig) -> str:
    """Create the record's buffer, bind it and draw from it once."""
    phrase = parse_object(rig.text("buffer"))
    if not phrase.resource.is_buffer:
        raise NotUnderstoodError(f"buffer {rig.record.input.get('buffer')}")
    name = rig.make(phrase, "Buffer")
    _bind(rig, phrase.resource.kind, name, 0)
    return name


def _lock_twice(rig: Rig) -> None:
    flags, name = _lock_flags(rig), _buffer(rig)
    first = rig.call("Lock", api.Lock(name, Flags=flags))
    if first.succeeded:
        rig.quiet("Unlock", api.Unlock(name))
    _draw_bound(rig)
    second = rig.call("Lock", api.Lock(name, Flags=flags))
    rig.put("both_hr", second.hr if first.succeeded else first.hr)
    if first.succeeded and second.succeeded:
        places = [(one.values["segment"], one.values["address"]) for one in (first, second)]
        rig.put("same_pointer", places[0] == places[1])
        rig.put("contents_kept", not second.values.get("discarded", False))


def _lock_after_draw(rig: Rig) -> None:
    flags, name = _lock_flags(rig), _buffer(rig)
    _draw_bound(rig)
    outcome = rig.call("Lock", api.Lock(name, Flags=flags))
    rig.because("R3.6")
    rig.put("hr", outcome.hr)
    if outcome.succeeded:
        rig.put("old_data_readable", not outcome.values.get("discarded", False))


def _lock_pending(rig: Rig) -> None:
    flags, name = _lock_flags(rig), _buffer(rig)
    _draw_bound(rig)
    outcome = rig.call("Lock", api.Lock(name, Flags=flags))
    if not outcome.succeeded:
        raise NotUnderstoodError(f"a lock that answers {outcome.hr}")
    rig.because("R7.6")
    rig.put("write_visible_to_pending_draw", bool(outcome.values.get("write_visible_to_pending_draw", False)))


def _lock_surface(rig: Rig) -> None:
    phrase = parse_object(rig.text("surface"))
    known, present = constants_of(api.PresentFlags), 0
    names = rig.get("present_flags", [])
    for name in cast("Sequence[object]", names) if isinstance(names, list | tuple) else [names]:
        if not isinstance(name, str) or name not in known:
            raise NotUnderstoodError(f"present_flags {name}")
        present |= known[name]
    rig.start(api.PresentParameters(Flags=api.PresentFlags(present)))
    surface = rig.make(phrase, "Surface")
    rig.put("hr", rig.call("LockRect", api.LockRect(surface, phrase.level, Flags=_lock_flags(rig))).hr)


def _update_surface(rig: Rig) -> None:
    ends: list[str] = []
    for key in ("src", "dst"):
        text = rig.text(key)
        phrase, sibling = parse_object(text), _SIBLING.search(text)
        name = rig.make(phrase, key)
        if not phrase.part and phrase.resource.kind == "texture":
            name = f"{key}, level {phrase.level}"
            rig.quiet("GetSurfaceLevel", api.GetSurfaceLevel(key, phrase.level), name)
        if sibling is not None:
            rig.quiet("LockRect", api.LockRect(key, int(sibling[1])))
        if phrase.locked:
            rig.quiet("LockRect", api.LockRect(name))
        ends.append(name)
    rig.put("hr", rig.call("UpdateSurface", api.UpdateSurface(ends[0], ends[1])).hr)


def _draw(rig: Rig) -> None:
    phrase = parse_object(rig.text("stream"))
    bound = rig.call("SetStreamSource", api.SetStreamSource(0, rig.make(phrase, "Stream")))
    if not bound.succeeded:
        rig.put("hr", bound.hr)
        return
    rig.quiet("BeginScene", api.Empty())
    rig.put("hr", rig.call(rig.record.call, api.Draw()).hr)


def _query(rig: Rig) -> None:
    value, name = rig.get("type_value"), rig.get("type")
    if isinstance(value, str):
        match = _ANY_OF.match(value)
        if match is None:
            raise NotUnderstoodError(f"type_value {value}")
        value = int(match[1])
    if value is None:
        known = constants_of(api.QueryType)
        if not isinstance(name, str) or name not in known:
            raise NotUnderstoodError(f"type {name}")
        value = known[name]
    outcome = rig.call("CreateQuery", api.CreateQuery(whole(value, "type_value")), "Query")
    rig.put("hr", outcome.hr)
    if not outcome.succeeded:
        rig.put("out_pointer", "untouched")


def _check_format(rig: Rig) -> None:
    name = rig.text("rtype")
    known = constants_of(api.ResourceType)
    full = f"D3DRTYPE_{name.removeprefix('D3DRTYPE_')}"
    if full not in known:
        raise NotUnderstoodError(f"rtype {name}")
    arguments = api.CheckDeviceFormat(
        parse_format(rig.get("adapter_format", "X8R8G8B8")),
        api.Usage(parse_flags(rig.flags("usage"), "usage", api.Usage)),
        api.ResourceType(known[full]),
        parse_format(rig.need("format")),
    )
    rig.put("hr", rig.call("CheckDeviceFormat", arguments).hr)


_SCRIPTS: Mapping[str, Callable[[Rig], None]] = {
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
