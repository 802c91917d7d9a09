"""Answers to D3D9 conformance records that ask what a device does: each is played on a device of its own.

The words of a record are read as ``rules.d3d9_phrases`` reads them; what they stand for is done by calls, and the
answer is what the device says. A record for which this module has no words is left to the rules, which name the word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from explorer.core import d3d9 as api
from explorer.core.d3d9 import Pool, PresentParameters
from explorer.device import d3d9_answers_managed, d3d9_answers_memory
from explorer.device.d3d9_rig import DEVICE, Rig, creation_of
from explorer.errors import CallError
from explorer.rules.d3d9_phrases import (
    NotUnderstoodError,
    device_events,
    numbers,
    parse_format,
    parse_object,
    parse_pool,
    whole,
)
from explorer.rules.d3d9_record_device import ContradictionError, device_of
from explorer.rules.records import CheckOptions, RecordAnswer, VectorRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_MODE = re.compile(r"^(windowed|fullscreen) (\d+)x(\d+)( \(not an enumerated mode\))?$")
_LOCKED = re.compile(r", locked(?: with ([A-Z_|]+))?$")
_BOUND = "only device-bound references"
_UNASKED = ("vertex_buffer", "index_buffer", "shader")
_LIGHTING = "render state LIGHTING set to FALSE, viewport moved"


def answer(record: VectorRecord, options: CheckOptions) -> RecordAnswer | None:
    """Return the device's answer to a record, or None where the rules alone answer."""
    documented = d3d9_answers_managed.DOCUMENTED.get(record.call) if record.kind == "documented" else None
    script = documented or _SCRIPTS.get(record.kind or "")
    if script is None:
        return None
    try:
        rig = Rig(record, device_of(record, options), options)
        script(rig)
    except (NotUnderstoodError, ContradictionError, CallError):
        return None
    if rig.unread():
        return None
    return RecordAnswer("answered", rig.result, tuple(rig.reasons.values()))


# Reset ---------------------------------------------------------------------------------------------------------


def _reset_rules(rig: Rig) -> None:
    if rig.record.call not in ("Reset", "ResetEx"):
        raise NotUnderstoodError(f"call {rig.record.call}")
    held, before = rig.text("held"), rig.get("set_before")
    parameters, listed = _mode(rig)
    if before not in (None, _LIGHTING):
        raise NotUnderstoodError(f"set_before {before}")
    rig.start()
    if listed:
        rig.device.modes |= {(parameters.BackBufferWidth, parameters.BackBufferHeight)}
    what, names = _hold(rig, held)
    if before is not None:
        rig.quiet("SetRenderState", api.SetRenderState(api.RenderState.LIGHTING, 0))
    call = "ResetEx" if rig.record.call == "ResetEx" else "Reset"
    outcome = rig.call(call, api.Reset(parameters))
    rig.put("reset_hr", outcome.hr)
    level = rig.call("TestCooperativeLevel", api.Empty())
    # After a Reset past a buffer or shader nobody asks for the level (decision 043).
    rig.put("test_cooperative_level_after", None if what in _UNASKED and outcome.succeeded else level.hr)
    if outcome.succeeded:
        _after_reset(rig, held.startswith(_BOUND), before is not None)
    elif names:
        for name in names:
            rig.quiet("Release", api.ObjectCall(name))
        rig.put("after_release_reset_hr", rig.call(call, api.Reset(parameters)).hr)


def _after_reset(rig: Rig, was_bound: bool, had_state: bool) -> None:
    rule = "R10.2" if rig.runtime.ex else "R9.3"
    rig.words("render_target_0_after", rule)
    if was_bound:
        rig.because("R9.4")
        rig.put("render_target_n_after_hr", rig.call("GetRenderTarget", api.GetRenderTarget(1), "Target 1").hr)
    if had_state:
        rig.words("lighting_after", rule)
        rig.words("viewport_after", rule)


def _mode(rig: Rig) -> tuple[PresentParameters, bool]:
    """Return the parameters of Reset, and whether the record takes their mode for one of the adapter's."""
    text = rig.get("mode", "same")
    if text == "same":
        return PresentParameters(), True
    match = _MODE.match(text) if isinstance(text, str) else None
    if match is None:
        raise NotUnderstoodError(f"mode {text}")
    parameters = PresentParameters(int(match[2]), int(match[3]), Windowed=match[1] == "windowed")
    return parameters, match[4] is None


def _hold(rig: Rig, phrase: str) -> tuple[str, tuple[str, ...]]:
    """Create what the application holds; what it is, and the names of what can be released again."""
    if phrase == "nothing":
        return phrase, ()
    if phrase.startswith(_BOUND):
        _bind_everything(rig)
        return "bound", ()
    if phrase in ("vertex shader", "pixel shader"):
        rig.quiet("CreateVertexShader" if phrase.startswith("vertex") else "CreatePixelShader", api.Empty(), "Held")
        return "shader", ()
    if phrase.startswith("reference to the implicit "):
        if "depth" in phrase:
            raise NotUnderstoodError(phrase)
        rig.quiet("GetBackBuffer", api.GetBackBuffer(), "Held")
        return "implicit", ("Held",)
    if phrase in ("additional swap chain", "extra swap chain"):
        rig.quiet("CreateAdditionalSwapChain", api.CreateAdditionalSwapChain(), "Held")
        return "swap_chain", ("Held",)
    if phrase == "state block":
        rig.quiet("CreateStateBlock", api.CreateStateBlock(), "Held")
        return "state_block", ("Held",)
    object_phrase = parse_object(_LOCKED.sub("", phrase))
    name = rig.make(object_phrase, "Held")
    locked = _LOCKED.search(phrase)
    if locked is not None:
        _lock(rig, name, object_phrase.resource.kind, locked[1] or "")
    names = ("Held",) if name == "Held" else (name, "Held")
    return object_phrase.resource.kind, names if object_phrase.resource.pool == Pool.DEFAULT else ()


def _lock(rig: Rig, name: str, kind: str, words: str) -> None:
    flags = api.NO_LOCK_FLAGS
    for word in filter(None, words.split("|")):
        flag = api.LockFlags.__members__.get(word.removeprefix("D3DLOCK_"))
        if flag is None:
            raise NotUnderstoodError(f"locked with {word}")
        flags |= flag
    if kind.endswith("buffer"):
        rig.quiet("Lock", api.Lock(name, Flags=flags))
    elif kind == "volume_texture":
        rig.quiet("LockBox", api.LockBox(name, Flags=flags))
    else:
        rig.quiet("LockRect", api.LockRect(name, Flags=flags))


def _bind_everything(rig: Rig) -> None:
    """Set a depth surface and a target on each slot, and release them: only the device holds them then."""
    depth = creation_of(parse_object("depth surface 640x480 D24S8").resource)
    rig.quiet("CreateDepthStencilSurface", depth, "Depth")
    rig.quiet("SetDepthStencilSurface", api.SetDepthStencilSurface("Depth"))
    rig.quiet("Release", api.ObjectCall("Depth"))
    target = api.CreateTexture(640, 480, 1, api.Usage.RENDERTARGET, api.Format.A8R8G8B8, Pool.DEFAULT)
    for slot in range(rig.runtime.render_targets):
        texture, surface = f"Texture {slot}", f"Target surface {slot}"
        rig.quiet("CreateTexture", target, texture)
        rig.quiet("GetSurfaceLevel", api.GetSurfaceLevel(texture), surface)
        rig.quiet("SetRenderTarget", api.SetRenderTarget(slot, surface))
        rig.quiet("Release", api.ObjectCall(surface))
        rig.quiet("Release", api.ObjectCall(texture))


# Loss ----------------------------------------------------------------------------------------------------------

_PARAMETERS: Mapping[str, PresentParameters] = {
    "fullscreen": PresentParameters(Windowed=False),
    "another size": PresentParameters(800, 600, Windowed=False),
    "windowed": PresentParameters(),
}


def _lost_device(rig: Rig) -> None:
    start = rig.text("start")
    if start not in ("fullscreen device", "windowed device") or not rig.record.steps:
        raise NotUnderstoodError(f"start {start}")
    rig.start(_PARAMETERS[start.removesuffix(" device")])
    steps: list[Mapping[str, object]] = []
    for step in rig.record.steps:
        event = step.get("event")
        if not isinstance(event, str):
            raise NotUnderstoodError(f"event {event}")
        found: dict[str, object] = {}
        for clause in device_events(event):
            if clause in ("lost", "regained"):
                rig.device.set_option("focus", clause)
            elif clause != "created":
                found["Reset"] = rig.call("Reset", api.Reset(_PARAMETERS[clause])).hr
        steps.append({**found, **_questions(rig)})
    rig.because("R10.3" if rig.runtime.ex else "R9.1")
    rig.put("steps", steps)


def _questions(rig: Rig) -> Mapping[str, object]:
    found: dict[str, object] = {}
    for call in ("TestCooperativeLevel", "Present", *(("PresentEx",) if rig.runtime.ex else ())):
        found[call] = _said(rig.call(call, api.Empty()).hr)
    if rig.runtime.ex:
        for key, window in (("CheckDeviceState_window", DEVICE), ("CheckDeviceState_null", None)):
            found[key] = _said(rig.call("CheckDeviceState", api.CheckDeviceState(window)).hr)
    return found


def _said(hr: str) -> object:
    # Leaving full screen is told once or not at all, as Windows pleases: both answers stand (decision 043).
    return [hr, "D3D_OK"] if hr == "S_PRESENT_MODE_CHANGED" else hr


# Priorities ----------------------------------------------------------------------------------------------------


def _priorities(rig: Rig) -> None:
    words = f"{rig.text('object')} {rig.get('pool', 'D3DPOOL_DEFAULT')}"
    parse_pool(rig.get("pool"), Pool.DEFAULT)
    phrase = parse_object(words)
    size = rig.get("size")
    if size is not None and not isinstance(size, int):
        numbers(size, "size")
    rig.get("levels")
    parse_format(rig.get("format"))
    name = rig.make(phrase, "Object")
    if not rig.record.steps:
        raise NotUnderstoodError("steps are missing")
    steps: list[Mapping[str, object]] = []
    for step in rig.record.steps:
        call, argument = step.get("call"), step.get("arg")
        if call == "SetPriority":
            outcome = rig.call("SetPriority", api.SetPriority(name, whole(argument, "arg")))
        elif call == "GetPriority":
            outcome = rig.call("GetPriority", api.ObjectCall(name))
        else:
            raise NotUnderstoodError(f"steps: call {call}")
        steps.append({"returns": outcome.values["returns"]})
    rig.put("steps", steps)


_SCRIPTS: Mapping[str, Callable[[Rig], None]] = {
    "reset_rules": _reset_rules,
    "lost_device_sequences": _lost_device,
    "resource_priority": _priorities,
    "memory_behaviour": d3d9_answers_memory.memory_behaviour,
}
