"""Answers to the conformance records of Direct3D 9 and 9Ex.

An answer follows from api, kind, call, input, requires, preconditions and the options, and from nothing else. A word
that is not understood is named; nothing is made up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from explorer.core.calls import CallRecord, call_spec, decode_input
from explorer.errors import CallError
from explorer.rules.d3d9 import STATES, judge
from explorer.rules.d3d9_device import DeviceState
from explorer.rules.d3d9_phrases import NotUnderstoodError
from explorer.rules.d3d9_question import Question
from explorer.rules.d3d9_record_device import ContradictionError, device_of
from explorer.rules.d3d9_records_copies import color_fill, render_target_data, stretch_rect, update_texture
from explorer.rules.d3d9_records_create import (
    alignment,
    buffers,
    creation,
    handles,
    levels,
    surfaces,
    volume_locking,
    volumes,
)
from explorer.rules.d3d9_records_device import lost_device, priorities, reset_rules
from explorer.rules.d3d9_records_locks import block_locks, buffer_flags, lock_regions, pitch_and_layout
from explorer.rules.d3d9_records_words import documented, memory_behaviour
from explorer.rules.records import CheckOptions, RecordAnswer, VectorRecord

_Answerer = Callable[[Question], None]

_KINDS: Mapping[str, _Answerer] = {
    "create_buffer_d3d9": buffers,
    "create_buffer_d3d9ex": buffers,
    "create_surface_d3d9": surfaces,
    "create_surface_d3d9ex": surfaces,
    "create_volume_d3d9": volumes,
    "create_volume_d3d9ex": volumes,
    "dxt_block_sizes": creation,
    "non_power_of_two": creation,
    "mip_levels": levels,
    "vertex_buffer_alignment": alignment,
    "volume_locking": volume_locking,
    "shared_and_user_memory": handles,
    "block_locks": block_locks,
    "vb_lock_flags": buffer_flags,
    "lock_regions": lock_regions,
    "pitch_and_layout": pitch_and_layout,
    "color_fill": color_fill,
    "update_texture_shapes": update_texture,
    "update_texture_volume": update_texture,
    "stretch_rect": stretch_rect,
    "get_render_target_data": render_target_data,
    "reset_rules": reset_rules,
    "lost_device_sequences": lost_device,
    "resource_priority": priorities,
    "memory_behaviour": memory_behaviour,
    "documented": documented,
}
_STEMS: Mapping[str, _Answerer] = {
    "create_buffer_": buffers,
    "create_surface_": surfaces,
    "create_volume_": volumes,
}


_CREATORS: Mapping[str, _Answerer] = {
    "CreateVertexBuffer": buffers,
    "CreateIndexBuffer": buffers,
    "CreateVolumeTexture": volumes,
}
_CALLS: Mapping[str, tuple[_Answerer, ...]] = {
    "LockRect": (block_locks, lock_regions, pitch_and_layout, memory_behaviour),
    "LockBox": (block_locks, lock_regions),
    "ColorFill": (color_fill,),
    "UpdateTexture": (update_texture,),
    "UpdateSurface": (memory_behaviour, documented),
    "StretchRect": (stretch_rect, documented),
    "GetRenderTargetData": (render_target_data,),
    "Reset": (reset_rules,),
    "ResetEx": (reset_rules,),
    "CreateVolumeTexture+LockBox": (volume_locking,),
}
_OTHERS = (lock_regions, block_locks, buffer_flags, pitch_and_layout, memory_behaviour, documented)


def _any_creation(q: Question) -> None:
    """Answer a creation without a kind: all that a creation is asked for anywhere."""
    if q.has("shared_handle"):
        handles(q)
    else:
        _CREATORS.get(q.record.call, surfaces)(q)
    q.put("hr", q.result["create_hr"])
    if "Levels" in q.values:
        q.put("level_count", q.values["Levels"])


def _free(record: VectorRecord, options: CheckOptions) -> Question:
    """Answer a record without a kind: under the API's own parameter names, or as the kinds spell it."""
    runtime = device_of(record, options)
    own = all(key[:1].isupper() or key in ("pPresentationParameters", "pSharedHandle") for key in record.input)
    if record.call in STATES and own:
        q = Question(record, runtime)
        _call(q)
        return q
    creates = record.call.startswith("Create") and record.call != "CreateQuery" and "+" not in record.call
    candidates = (_any_creation,) if creates else _CALLS.get(record.call, _OTHERS)
    unknown: NotUnderstoodError | None = None
    for answerer in candidates:
        q = Question(record, runtime)
        try:
            answerer(q)
        except NotUnderstoodError as error:
            unknown = unknown or error
            continue
        if not q.unread():
            return q
        unknown = unknown or NotUnderstoodError(f"key {', '.join(q.unread())}")
    raise unknown or NotUnderstoodError(f"call {record.call}")


def _call(q: Question) -> None:
    record = q.record
    for key in record.input:
        q.get(key)
    if STATES[record.call] not in (type(None), DeviceState):
        q.why = f"{record.call} needs an object that an earlier call made"
        return
    try:
        arguments = decode_input(CallRecord(record.api, record.call, record.input))
    except CallError as error:
        raise NotUnderstoodError(str(error)) from error
    verdict = q.use(judge(arguments, DeviceState(), q.runtime, record.call))
    q.put("hr", verdict.hr)
    if call_spec(record.api, record.call).creates is None:
        return
    q.put("create_hr", verdict.hr)
    if verdict.succeeded and "Levels" in verdict.values:
        q.put("level_count", verdict.values["Levels"])
        q.put("desc_usage_value", verdict.values["Usage"])
        q.put("desc_pool", verdict.values["Pool"])


def _answerer(kind: str) -> _Answerer:
    found = _KINDS.get(kind)
    if found is None:
        found = next((answerer for stem, answerer in _STEMS.items() if kind.startswith(stem)), None)
    if found is None:
        raise NotUnderstoodError(f"kind {kind}")
    return found


def _answered(record: VectorRecord, options: CheckOptions) -> Question:
    if record.kind is None:
        return _free(record, options)
    answerer = _answerer(record.kind)
    q = Question(record, device_of(record, options))
    answerer(q)
    if q.unread():
        raise NotUnderstoodError(f"key {', '.join(q.unread())}")
    return q


def answer(record: VectorRecord, options: CheckOptions) -> RecordAnswer:
    """Return the answer to a record of api ``d3d9`` or ``d3d9ex``."""
    try:
        q = _answered(record, options)
    except NotUnderstoodError as unknown:
        return RecordAnswer("not_understood", {}, (), str(unknown))
    except ContradictionError as contradiction:
        return RecordAnswer("skipped", {}, (), f"not this device: {contradiction}")
    reasons = tuple(q.reasons.values())
    if q.why is None:
        return RecordAnswer("answered", q.result, reasons)
    status = "partial" if q.result else "not_simulated"
    return RecordAnswer(status, q.result, reasons if q.result else (), q.why)
