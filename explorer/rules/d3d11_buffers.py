"""What only buffers are asked: sizes, constants, structures and raw views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.d3d11_enums import LEVEL_10_0, LEVEL_11_0, BindFlag, MiscFlag
from explorer.core.units import align_up
from explorer.rules.d3d11_resource import Resource, bind_names, misc_names, refusal, words
from explorer.tables.d3d11_tables import constant

if TYPE_CHECKING:
    from explorer.core.verdicts import Reason
    from explorer.rules.d3d11_runtime import Runtime11

CONSTANT_BYTES = 16
"""Bytes of one shader constant (four floats)."""

_NOT_STRUCTURED = (
    BindFlag.VERTEX_BUFFER
    | BindFlag.INDEX_BUFFER
    | BindFlag.CONSTANT_BUFFER
    | BindFlag.STREAM_OUTPUT
    | BindFlag.RENDER_TARGET
)
_VIEWED = BindFlag.SHADER_RESOURCE | BindFlag.UNORDERED_ACCESS


def _has_bytes(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if not resource.is_buffer or resource.width:
        return None
    if resource.misc & MiscFlag.TILE_POOL:
        return None
    size = CONSTANT_BYTES
    return refusal("d3d11.L6.1.buffer", "", f"use {size} bytes or more", {"pDesc.ByteWidth": size})


def _constants_are_alone(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    others = resource.bind & ~BindFlag.CONSTANT_BUFFER
    if not (resource.is_buffer and resource.bind & BindFlag.CONSTANT_BUFFER and others):
        return None
    names = bind_names(resource.api, BindFlag.CONSTANT_BUFFER)
    detail = f"with {words(bind_names(resource.api, others))}"
    return refusal("d3d11.C2.6", detail, f"bind it as {words(names)} alone", {"pDesc.BindFlags": names})


def _constants_are_whole(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if not (resource.is_buffer and resource.bind & BindFlag.CONSTANT_BUFFER):
        return None
    if resource.width and resource.width % CONSTANT_BYTES == 0:
        return None
    size = max(CONSTANT_BYTES, align_up(resource.width, CONSTANT_BYTES))
    # The next multiple above the largest UINT is no UINT.
    size = min(size, (1 << 32) - CONSTANT_BYTES)
    return refusal("d3d11.C2.6.size", f"{resource.width} bytes", f"use {size} bytes", {"pDesc.ByteWidth": size})


def _constants_are_visible(resource: Resource, _data: str, runtime: Runtime11) -> Reason | None:
    limit = constant("constant_buffer_bytes_visible")
    if not (resource.is_buffer and resource.bind & BindFlag.CONSTANT_BUFFER and resource.width > limit):
        return None
    if runtime.runtime >= (11, 1) and runtime.constant_offsets:
        return None
    detail = f"{resource.width} bytes, {limit} are visible"
    return refusal("d3d11.L6.3", detail, f"use at most {limit} bytes", {"pDesc.ByteWidth": limit})


def _flags_without(resource: Resource, flag: MiscFlag) -> dict[str, object]:
    return {"pDesc.MiscFlags": misc_names(resource.api, resource.misc & ~flag)}


def _raw_is_viewed(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    raw = resource.is_buffer and resource.misc & MiscFlag.BUFFER_ALLOW_RAW_VIEWS
    if not raw or resource.bind & _VIEWED:
        return None
    changes = _flags_without(resource, MiscFlag.BUFFER_ALLOW_RAW_VIEWS)
    return refusal("d3d11.C2.14", "", "remove the raw-view flag, or bind it as a shader resource", changes)


def _raw_or_structured(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    both = MiscFlag.BUFFER_ALLOW_RAW_VIEWS | MiscFlag.BUFFER_STRUCTURED
    if not resource.is_buffer or resource.misc & both != both:
        return None
    changes = _flags_without(resource, MiscFlag.BUFFER_ALLOW_RAW_VIEWS)
    return refusal("d3d11.C2.14.structured", "", "remove the raw-view flag", changes)


def stride_is_legal(stride: int) -> bool:
    """Return whether a structure stride (bytes) is one that the API takes (rule d3d11.C2.15)."""
    step = constant("structure_stride_multiple")
    return step <= stride <= constant("structure_stride_max") and stride % step == 0


def _stride(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if not (resource.is_buffer and resource.is_structured) or stride_is_legal(resource.stride):
        return None
    step, most = constant("structure_stride_multiple"), constant("structure_stride_max")
    better = min(most, max(step, align_up(resource.stride, step)))
    detail = f"{resource.stride} bytes"
    return refusal("d3d11.C2.15", detail, f"use a stride of {better} bytes", {"pDesc.StructureByteStride": better})


def _whole_structures(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if not (resource.is_buffer and resource.is_structured and resource.stride):
        return None
    if resource.width % resource.stride == 0:
        return None
    size = align_up(resource.width, resource.stride)
    if size >= 1 << 32:
        size -= resource.stride
    if size == 0:
        # A stride above every possible size: only another stride helps.
        step = constant("structure_stride_multiple")
        changes: dict[str, object] = {"pDesc.StructureByteStride": step, "pDesc.ByteWidth": step}
        return refusal("d3d11.C2.15.size", "", f"use a stride of {step} bytes", changes)
    detail = f"{resource.width} bytes in structures of {resource.stride}"
    return refusal("d3d11.C2.15.size", detail, f"use {size} bytes", {"pDesc.ByteWidth": size})


def _structured_binds(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    wrong = resource.bind & _NOT_STRUCTURED
    if not (resource.is_buffer and resource.is_structured and wrong):
        return None
    names = bind_names(resource.api, resource.bind & ~_NOT_STRUCTURED)
    detail = words(bind_names(resource.api, wrong))
    return refusal("d3d11.C2.15.bind", detail, f"bind it as {words(names)}", {"pDesc.BindFlags": names})


def _compute_flags_level(resource: Resource, _data: str, runtime: Runtime11) -> Reason | None:
    wrong = resource.misc & (MiscFlag.BUFFER_ALLOW_RAW_VIEWS | MiscFlag.BUFFER_STRUCTURED)
    compute = runtime.compute_10x and runtime.feature_level >= LEVEL_10_0
    if not (resource.is_buffer and wrong) or compute or runtime.feature_level >= LEVEL_11_0:
        return None
    detail = f"{words(misc_names(resource.api, wrong))} at feature level {runtime.level}"
    return refusal("d3d11.C2.29", detail, "remove it", _flags_without(resource, MiscFlag(wrong)))


BUFFER_RULES = (
    _has_bytes,
    _constants_are_alone,
    _constants_are_whole,
    _constants_are_visible,
    _raw_is_viewed,
    _raw_or_structured,
    _stride,
    _whole_structures,
    _structured_binds,
    _compute_flags_level,
)
"""Rules of buffers; each passes over textures."""
