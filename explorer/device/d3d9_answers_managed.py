"""Answers to documented facts about managed resources, dirty regions and residency, each played on a device.

Facts in words are answered by the rule that the device names for what it did; what it did is looked at first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from explorer.core import d3d9 as api
from explorer.core.d3d9 import Format, Pool, Usage
from explorer.core.events import Event, EventKind
from explorer.device.d3d9_things import all_dirty
from explorer.rules.d3d9_phrases import NotUnderstoodError, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.device.d3d9_rig import Rig
    from explorer.device.outcome import Outcome

_MOST_OBJECTS = 64
_MOST_PRIORITY = (1 << 32) - 1
_SIDE = 2048
_TEXTURE_BYTES = _SIDE * _SIDE * 4
_SPARE = 1 << 20


def _managed(rig: Rig, name: str, size: int) -> None:
    """Create a managed buffer of some bytes."""
    made = rig.quiet("CreateVertexBuffer", api.CreateVertexBuffer(size, api.NO_USAGE, 0, Pool.MANAGED), name)
    if not made.succeeded:
        raise NotUnderstoodError(f"a managed buffer of {size} B")


def _scene(rig: Rig, *names: str) -> tuple[Event, ...]:
    """Draw with resources in a frame of its own; return the events of the draw."""
    rig.quiet("BeginScene", api.Empty())
    events = rig.quiet("DrawPrimitive", api.Draw(names)).events
    rig.quiet("EndScene", api.Empty())
    rig.quiet("Present", api.Empty())
    return tuple(events)


def _share(rig: Rig, count: int) -> int:
    """Return the bytes of which ``count`` resources, and not one more, fit in local memory."""
    state = rig.device.state
    free = sum(state.segments[index].free_bytes for index in state.segments_in("LOCAL"))
    if free // count <= _SPARE:
        raise NotUnderstoodError(f"{count} resources in {free} B")
    return free // count - _SPARE


def _event(events: Sequence[Event], kind: EventKind) -> Event:
    found = next((event for event in events if event.kind is kind), None)
    if found is None:
        raise NotUnderstoodError(f"a device that reports no {kind.value}")
    return found


# Who leaves ----------------------------------------------------------------------------------------------------


def _objects(rig: Rig) -> list[tuple[int, int, str, int]]:
    """Return last use, number, name and priority of the objects of an ``evict choice``."""
    objects = rig.need("objects")
    found: list[tuple[int, int, str, int]] = []
    for item in cast("Sequence[object]", objects) if isinstance(objects, list | tuple) else ():
        if not isinstance(item, Mapping):
            raise NotUnderstoodError(f"objects {objects}")
        fields = cast("Mapping[str, object]", item)
        used, priority = whole(fields.get("last_use"), "last_use"), whole(fields.get("priority", 0), "priority")
        if priority > _MOST_PRIORITY:
            raise NotUnderstoodError(f"priority {priority}")
        found.append((used, len(found), str(fields.get("name")), priority))
    if not 0 < len(found) <= _MOST_OBJECTS:
        raise NotUnderstoodError(f"objects {objects}")
    return found


def _victim(rig: Rig) -> None:
    mode, objects = rig.get("mode", "LRU"), _objects(rig)
    if mode not in ("LRU", "MRU"):
        raise NotUnderstoodError(f"mode {mode}")
    size = _share(rig, len(objects))
    for _, _, name, priority in objects:
        _managed(rig, name, size)
        rig.quiet("SetPriority", api.SetPriority(name, priority))
    order = [name for _, _, name, _ in sorted(objects)]
    _managed(rig, "the one that needs room", size)
    if mode == "LRU":
        for name in order:
            _scene(rig, name)
        order = []
    # All in one scene for MRU: then the oldest is one that this very frame has used.
    event = _event(_scene(rig, *order, "the one that needs room"), EventKind.EVICTED)
    rig.because(event.rule, "R5.6", "R5.5" if mode == "LRU" else "R5.8")
    rig.put("victim", event.subject)


# What the manager does -----------------------------------------------------------------------------------------


def _policy(rig: Rig) -> None:
    situation = rig.text("situation")
    script = _SITUATIONS.get(situation)
    if script is None:
        raise NotUnderstoodError(f"situation {situation}")
    rig.words("behaviour", script(rig).rule)


def _default_does_not_fit(rig: Rig) -> Event:
    size = _full(rig)
    made = rig.quiet("CreateVertexBuffer", api.CreateVertexBuffer(size, api.NO_USAGE, 0, Pool.DEFAULT), "New")
    if not made.succeeded:
        raise NotUnderstoodError("a DEFAULT allocation that fails all the same")
    return _event(made.events, EventKind.EVICTED)


def _full(rig: Rig) -> int:
    """Fill local memory with four managed buffers; return their size."""
    size = _share(rig, 4)
    for number in range(4):
        _managed(rig, f"Managed {number}", size)
        _scene(rig, f"Managed {number}")
    return size


def _purge(rig: Rig) -> Event:
    _full(rig)
    outcome = rig.quiet("EvictManagedResources", api.Empty())
    managed = rig.device.managed
    if any(managed.copy_of(row) is not None for row in managed) or len(tuple(managed)) != 4:
        raise NotUnderstoodError("a device copy that stays")
    return _event(outcome.events, EventKind.EVICTED)


def _first_use(rig: Rig) -> Event:
    _managed(rig, "Managed", _SPARE)
    event = _event(_scene(rig, "Managed"), EventKind.UPLOADED)
    if event.size_bytes != _SPARE:
        raise NotUnderstoodError("an upload of a part")
    return event


def _second_use(rig: Rig) -> Event:
    _first_use(rig)
    rig.quiet("Lock", api.Lock("Managed", 0, 4096))
    rig.quiet("Unlock", api.Unlock("Managed"))
    event = _event(_scene(rig, "Managed"), EventKind.UPLOADED)
    if event.size_bytes != 4096:
        raise NotUnderstoodError("an upload of more than the part")
    return event


def _reset(rig: Rig) -> Event:
    rig.start()
    _first_use(rig)
    return _event(rig.quiet("Reset", api.Reset(api.PresentParameters())).events, EventKind.EVICTED)


def _thrash(rig: Rig) -> Event:
    size = _full(rig)
    _managed(rig, "One more", size)
    names = [f"Managed {number}" for number in range(4)]
    return _event(_scene(rig, *names, "One more"), EventKind.LRU_TO_MRU)


def _does_not_fit(rig: Rig) -> Event:
    _managed(rig, "New", _full(rig))
    return _event(_scene(rig, "New"), EventKind.EVICTED)


_SITUATIONS: Mapping[str, Callable[[Rig], Event]] = {
    "DEFAULT allocation does not fit, managed objects resident": _default_does_not_fit,
    "EvictManagedResources": _purge,
    "managed object first used": _first_use,
    "managed object used again, part of it written": _second_use,
    "Reset with managed objects": _reset,
    "frame needs more managed bytes than video memory": _thrash,
    "device copy does not fit": _does_not_fit,
}


def _preload(rig: Rig) -> None:
    words = rig.text("resource")
    if words not in ("managed resource", "managed resource while thrashing", "non-managed resource"):
        raise NotUnderstoodError(f"resource {words}")
    size = _share(rig, 4)
    if words == "non-managed resource":
        rig.quiet("CreateVertexBuffer", api.CreateVertexBuffer(_SPARE, api.NO_USAGE, 0, Pool.DEFAULT), "Asked")
    else:
        _managed(rig, "Asked", size)
    if words.endswith("thrashing"):
        names = [f"Managed {number}" for number in range(5)]
        for name in names:
            _managed(rig, name, size)
        rig.quiet("BeginScene", api.Empty())
        rig.quiet("DrawPrimitive", api.Draw(tuple(names)))
    outcome = rig.quiet("PreLoad", api.ObjectCall("Asked"))
    if any(event.kind is EventKind.UPLOADED for event in outcome.events) is not (words == "managed resource"):
        raise NotUnderstoodError(f"PreLoad of a {words}")
    rig.words("effect", outcome.reasons[0].rule)


# Dirty regions -------------------------------------------------------------------------------------------------

_PART = api.Rect(8, 8, 16, 16)
_LOCKS: Mapping[str, tuple[int, api.LockFlags]] = {
    "LockRect level 0": (0, api.NO_LOCK_FLAGS),
    "LockRect level 1": (1, api.NO_LOCK_FLAGS),
    "LockRect level 0 with NO_DIRTY_UPDATE": (0, api.LockFlags.NO_DIRTY_UPDATE),
    "LockRect level 0 with READONLY": (0, api.LockFlags.READONLY),
}
_GENERATES = ("GenerateMipSubLevels", "SetAutoGenFilterType")


def _dirty(rig: Rig) -> None:
    """Do the operation to a texture that was clean before, and look at its dirty region."""
    words = rig.text("operation")
    part = ((0, (8, 8, 0, 16, 16, 1)),)
    if words in _GENERATES:
        found, expected = _generated(rig, words)
        _look(rig, found == expected, words)
        return
    row = _pair(rig)
    if words == "create texture":
        rig.quiet("CreateTexture", _texture(Pool.SYSTEMMEM), "New")
        row = rig.device.state.objects["New"][1]
    elif words == "AddDirtyRect(rect)":
        rig.quiet("AddDirtyRect", api.AddDirtyRect("Source", pDirtyRect=_PART))
    elif words == "AddDirtyRect(NULL)":
        rig.quiet("AddDirtyRect", api.AddDirtyRect("Source"))
    elif words in _LOCKS:
        level, flags = _LOCKS[words]
        rig.quiet("LockRect", api.LockRect("Source", level, pRect=_PART, Flags=flags))
        rig.quiet("UnlockRect", api.UnlockRect("Source", level))
    elif words == "UpdateTexture as source":
        rig.quiet("AddDirtyRect", api.AddDirtyRect("Source"))
        rig.quiet("UpdateTexture", api.UpdateTexture("Source", "Target"))
    else:
        raise NotUnderstoodError(f"operation {words}")
    found = rig.device.things.dirty.get(row, ())
    everything = all_dirty(rig.device.things.of[row].resource)
    expected = {"create texture": everything, "AddDirtyRect(NULL)": everything, "AddDirtyRect(rect)": part,
                "LockRect level 0": part}.get(words, ())  # fmt: skip
    _look(rig, found == expected, words)


def _look(rig: Rig, is_so: bool, words: str) -> None:
    if not is_so:
        raise NotUnderstoodError(f"the dirty region after {words}")
    rig.words("dirty", "R7.11")


def _texture(pool: Pool) -> api.CreateTexture:
    return api.CreateTexture(64, 64, 2, api.NO_USAGE, Format.X8R8G8B8, pool)


def _pair(rig: Rig) -> int:
    """Create a clean SYSTEMMEM texture and a DEFAULT one; return the row of the first."""
    for name, pool in (("Source", Pool.SYSTEMMEM), ("Target", Pool.DEFAULT)):
        rig.quiet("CreateTexture", _texture(pool), name)
    rig.quiet("UpdateTexture", api.UpdateTexture("Source", "Target"))
    return rig.device.state.objects["Source"][1]


def _generated(rig: Rig, call: str) -> tuple[object, object]:
    arguments = api.CreateTexture(64, 64, 0, Usage.AUTOGENMIPMAP, Format.X8R8G8B8, Pool.MANAGED)
    rig.quiet("CreateTexture", arguments, "Managed")
    _scene(rig, "Managed")
    rig.quiet(call, api.ObjectCall("Managed") if call == _GENERATES[0] else api.SetAutoGenFilterType("Managed"))
    row = rig.device.state.objects["Managed"][1]
    return rig.device.things.dirty.get(row, ()), all_dirty(rig.device.things.of[row].resource)


# Residency -----------------------------------------------------------------------------------------------------

_PLACES: Mapping[str, str] = {
    "all in GPU-accessible memory": "device",
    "none on disk, at least one outside GPU-accessible memory": "shared",
    "at least one on disk": "disk",
}


def _residency(rig: Rig) -> None:
    words = rig.text("resources")
    if words not in _PLACES or not rig.runtime.ex:
        raise NotUnderstoodError(f"resources {words}")
    names: list[str] = []
    state = rig.device.state
    video = sum(state.segments[i].size for group in ("LOCAL", "NON_LOCAL") for i in state.segments_in(group))
    while not _reached(rig, names, _PLACES[words]):
        if len(names) * _TEXTURE_BYTES > 2 * video:
            raise NotUnderstoodError(f"an adapter that has {words}")
        names.append(f"Texture {len(names)}")
        arguments = api.CreateTexture(_SIDE, _SIDE, 1, api.NO_USAGE, Format.A8R8G8B8, Pool.DEFAULT)
        if not rig.quiet("CreateTexture", arguments, names[-1]).succeeded:
            raise NotUnderstoodError("a texture of 9Ex")
    outcome: Outcome = rig.call("CheckResourceResidency", api.CheckResourceResidency(tuple(names)))
    rig.put("hr", outcome.hr)


def _reached(rig: Rig, names: Sequence[str], place: str) -> bool:
    rows = [rig.device.state.objects[name][1] for name in names]
    return any(rig.device.virtual.place_of(rig.device, row) == place for row in rows)


DOCUMENTED: Mapping[str, Callable[[Rig], None]] = {
    "evict choice": _victim,
    "managed policy": _policy,
    "PreLoad": _preload,
    "dirty region": _dirty,
    "CheckResourceResidency": _residency,
}
"""Call of a documented fact → what plays it; the other calls are questions to the rules alone."""
