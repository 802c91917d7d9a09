"""Answers to records about Reset, priorities and the loss of the device."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from explorer.core.d3d9 import (
    CheckDeviceState,
    Empty,
    ObjectCall,
    Pool,
    PresentParameters,
    Reset,
    SetPriority,
)
from explorer.rules.d3d9 import judge
from explorer.rules.d3d9_device import LOST, NOT_RESET, DeviceState
from explorer.rules.d3d9_life import LifeState
from explorer.rules.d3d9_phrases import (
    NotUnderstoodError,
    device_events,
    numbers,
    parse_format,
    parse_object,
    parse_pool,
    whole,
)
from explorer.rules.d3d9_resource import Resource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.rules.d3d9_question import Question
    from explorer.rules.d3d9_runtime import Runtime

_MODE = re.compile(r"^(windowed|fullscreen) (\d+)x(\d+)( \(not an enumerated mode\))?$")
_LOCKED = re.compile(r", locked(?: with [A-Z_|]+)?$")
_NOTHING, _UNASKED = "nothing", ("vertex_buffer", "index_buffer", "shader")
_BOUND = "only device-bound references"


def _held(phrase: str) -> tuple[str, str | None]:
    """Return what a held thing is and, if it stands in the way of Reset on plain D3D9, as what."""
    if phrase == _NOTHING or phrase.startswith(_BOUND):
        return _NOTHING, None
    if phrase in ("vertex shader", "pixel shader"):
        return "shader", None
    if phrase.startswith("reference to the implicit "):
        return "implicit", "implicit_surface"
    if phrase in ("additional swap chain", "extra swap chain"):
        return "swap_chain", "swap_chain"
    if phrase == "state block":
        return "state_block", "state_block"
    resource = parse_object(_LOCKED.sub("", phrase)).resource
    return resource.kind, "default_resource" if resource.pool == Pool.DEFAULT else None


def _mode(q: Question) -> tuple[PresentParameters, bool]:
    text = q.get("mode", "same")
    if text == "same":
        return PresentParameters(), True
    match = _MODE.match(text) if isinstance(text, str) else None
    if match is None:
        raise NotUnderstoodError(f"mode {text}")
    windowed = match[1] == "windowed"
    parameters = PresentParameters(int(match[2]), int(match[3]), Windowed=windowed)
    return parameters, windowed or match[4] is None


def reset_rules(q: Question) -> None:
    """Answer reset_rules: Reset, the level afterwards, and a second Reset after releasing."""
    if q.record.call not in ("Reset", "ResetEx"):
        raise NotUnderstoodError(f"call {q.record.call}")
    held = q.text("held")
    what, obstacle = _held(held)
    parameters, listed = _mode(q)
    before = q.get("set_before")
    if before not in (None, "render state LIGHTING set to FALSE, viewport moved"):
        raise NotUnderstoodError(f"set_before {before}")
    state = DeviceState(held=(obstacle,) if obstacle else (), mode_listed=listed)
    verdict = q.use(judge(Reset(parameters), state, q.runtime))
    q.put("reset_hr", verdict.hr)
    after = replace(state, status=str(verdict.values["status"]))
    level = q.use(judge(Empty(), after, q.runtime, "TestCooperativeLevel"))
    # After a Reset past a buffer or shader nobody asks for the level (decision 043).
    q.put("test_cooperative_level_after", None if what in _UNASKED and verdict.succeeded else level.hr)
    if not verdict.succeeded and obstacle:
        again = judge(Reset(parameters), replace(after, held=()), q.runtime)
        q.put("after_release_reset_hr", q.use(again).hr)
    if verdict.succeeded:
        q.words("render_target_0_after", "R10.2" if q.runtime.ex else "R9.3")
        if held.startswith(_BOUND):
            q.because("R9.4", "bind.target")
            q.put("render_target_n_after_hr", "D3DERR_NOTFOUND")
        if before is not None:
            q.words("lighting_after", "R10.2" if q.runtime.ex else "R9.3")
            q.words("viewport_after", "R10.2" if q.runtime.ex else "R9.3")


def priorities(q: Question) -> None:
    """Answer resource_priority: what each GetPriority and SetPriority returns."""
    phrase = parse_object(q.text("object"))
    base = phrase.resource
    size = q.get("size")
    if size is not None and not isinstance(size, int):
        numbers(size, "size")
    q.get("levels")
    parse_format(q.get("format"))
    resource = Resource(base.kind, 16, 16, pool=parse_pool(q.get("pool"), Pool.DEFAULT))
    state = LifeState(resource, part=phrase.part or base.kind.endswith("surface") or base.kind == "render_target")
    if not q.record.steps:
        raise NotUnderstoodError("steps are missing")
    steps: list[dict[str, object]] = []
    for step in q.record.steps:
        call, argument = step.get("call"), step.get("arg")
        if call == "SetPriority":
            verdict = judge(SetPriority("o", whole(argument, "arg")), state, q.runtime)
            state = replace(state, priority=cast("int", verdict.values["priority"]))
        elif call == "GetPriority":
            verdict = judge(ObjectCall("o"), state, q.runtime, "GetPriority")
        else:
            raise NotUnderstoodError(f"steps: call {call}")
        steps.append({"returns": q.use(verdict).values["returns"]})
    q.put("steps", steps)


def _after(state: DeviceState, event: str, runtime: Runtime) -> tuple[DeviceState, str | None]:
    """Return the device after an event, and what Reset answered if the event was one."""
    if event == "lost":
        lost = not state.windowed and not runtime.ex
        return replace(state, focused=False, status=LOST if lost else state.status), None
    if event == "regained":
        back = NOT_RESET if state.status == LOST else state.status
        return replace(state, focused=True, status=back), None
    if event == "created":
        return state, None
    windowed = event == "windowed"
    verdict = judge(Reset(PresentParameters(Windowed=windowed)), state, runtime)
    state = replace(state, status=str(verdict.values["status"]))
    if verdict.succeeded:
        # A full-screen Reset takes the focus back; leaving full screen changes the display mode once.
        changed = windowed and not state.windowed and runtime.ex
        state = replace(state, windowed=windowed, focused=state.focused or not windowed, mode_changed=changed)
    return state, verdict.hr


def lost_device(q: Question) -> None:
    """Answer lost_device_sequences: every question after every event."""
    start = q.text("start")
    if start not in ("fullscreen device", "windowed device"):
        raise NotUnderstoodError(f"start {start}")
    state = DeviceState(windowed=start == "windowed device")
    if not q.record.steps:
        raise NotUnderstoodError("steps are missing")
    steps: list[Mapping[str, object]] = []
    for step in q.record.steps:
        event = step.get("event")
        if not isinstance(event, str):
            raise NotUnderstoodError(f"event {event}")
        reset: str | None = None
        for clause in device_events(event):
            state, hr = _after(state, clause, q.runtime)
            reset = hr or reset
        steps.append(_questions(q, state, reset))
    q.because("R10.3" if q.runtime.ex else "R9.1")
    q.put("steps", steps)


def _questions(q: Question, state: DeviceState, reset: str | None) -> Mapping[str, object]:
    runtime = q.runtime
    found: dict[str, object] = {} if reset is None else {"Reset": reset}

    def said(hr: str) -> object:
        # Leaving full screen is told once or not at all, as Windows pleases: both answers stand (decision 043).
        return [hr, "D3D_OK"] if hr == "S_PRESENT_MODE_CHANGED" else hr

    for call in ("TestCooperativeLevel", "Present", *(("PresentEx",) if runtime.ex else ())):
        found[call] = said(q.use(judge(Empty(), state, runtime, call)).hr)
    if runtime.ex:
        for key, window in (("CheckDeviceState_window", "w"), ("CheckDeviceState_null", None)):
            found[key] = said(q.use(judge(CheckDeviceState(window), state, runtime)).hr)
    return found
