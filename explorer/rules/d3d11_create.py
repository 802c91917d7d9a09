"""May this buffer or texture be created? One small function for each rule, all of them asked, the decisive one first.

The facts (which flag belongs where, what a usage permits, limits) are rows of ``explorer.tables``; here is only how
they are put together. Ids: ``d3d11.U1.x`` usage, ``C2.x`` creation, ``L6.x`` limits, ``X3.x`` relaxations.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from explorer.core.d3d11_enums import LEVEL_10_0, LEVEL_11_0, BindFlag, CpuAccessFlag, Usage
from explorer.core.verdicts import Reason, Verdict
from explorer.rules.d3d11_buffers import BUFFER_RULES
from explorer.rules.d3d11_misc import MISC_RULES
from explorer.rules.d3d11_resource import (
    GOOD_DATA,
    NO_DATA,
    NULL_DATA,
    Resource,
    bind_names,
    cpu_names,
    permission,
    refusal,
    usage_name,
    words,
)
from explorer.rules.d3d11_sizes import above_guarantee, placement_of
from explorer.rules.d3d11_textures import TEXTURE_RULES
from explorer.tables.d3d11_tables import bind_flags, usages

if TYPE_CHECKING:
    from explorer.rules.d3d11_runtime import Runtime11

Rule = Callable[[Resource, str, "Runtime11"], Reason | None]

_MAPPABLE_BINDS = BindFlag.SHADER_RESOURCE | BindFlag.UNORDERED_ACCESS
_ACCESS = CpuAccessFlag.READ | CpuAccessFlag.WRITE


@functools.cache
def _inputs(dimension: str) -> int:
    """Return the bind flags of a resource type that the pipeline only reads."""
    return sum(row.value for row in bind_flags() if row.direction == "input" and dimension in row.dimensions)


@functools.cache
def _outputs() -> int:
    """Return the bind flags that need DEFAULT usage: what the pipeline or a video engine writes."""
    return sum(row.value for row in bind_flags() if row.direction != "input")


@functools.cache
def _known_binds(is_d3d10: bool, runtime: tuple[int, int]) -> int:
    if is_d3d10:
        return sum(row.value for row in bind_flags() if row.d3d10_value is not None)
    return sum(row.value for row in bind_flags() if row.runtime <= runtime)


def relaxed_default(resource: Resource, runtime: Runtime11) -> str:
    """Return the rule that lets this default resource have CPU access, or an empty text.

    Source: d3d11.X3.3, d3d11.X3.4.
    """
    if not resource.is_buffer:
        return "d3d11.X3.4" if runtime.maps_default_textures and resource.samples == 1 else ""
    mappable = resource.bind & _MAPPABLE_BINDS and not resource.bind & ~_MAPPABLE_BINDS
    return "d3d11.X3.3" if runtime.maps_default_buffers and mappable else ""


def _usage_is_known(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if resource.usage in usages():
        return None
    name = usage_name(resource.api, Usage.DEFAULT)
    return refusal("d3d11.U1.14", f"usage {resource.usage}", f"use {name}", {"pDesc.Usage": name})


def _default(resource: Resource, _data: str, runtime: Runtime11) -> Reason | None:
    if resource.usage != Usage.DEFAULT or not resource.cpu or relaxed_default(resource, runtime):
        return None
    detail = f"CPUAccessFlags {words(cpu_names(resource.api, resource.cpu))}"
    return refusal("d3d11.C2.1", detail, "remove the CPU access flags", {"pDesc.CPUAccessFlags": []})


def _input_only(resource: Resource) -> tuple[int, bool]:
    """Return the bind flags that a resource without pipeline output may keep, and whether it has just those."""
    inputs = _inputs(resource.dimension)
    kept = resource.bind & inputs or int(BindFlag.SHADER_RESOURCE)
    return kept, bool(resource.bind & inputs) and not resource.bind & _outputs()


def _immutable(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if resource.usage != Usage.IMMUTABLE:
        return None
    kept, fits = _input_only(resource)
    if fits and not resource.cpu:
        return None
    names = bind_names(resource.api, kept)
    remedy = f"bind it as {words(names)} without CPU access"
    return refusal("d3d11.C2.2", "", remedy, {"pDesc.BindFlags": names, "pDesc.CPUAccessFlags": []})


def _dynamic(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if resource.usage != Usage.DYNAMIC:
        return None
    kept, fits = _input_only(resource)
    if fits and resource.cpu == CpuAccessFlag.WRITE:
        return None
    names, cpu = bind_names(resource.api, kept), cpu_names(resource.api, CpuAccessFlag.WRITE)
    remedy = f"bind it as {words(names)} with {words(cpu)} alone"
    return refusal("d3d11.C2.3", "", remedy, {"pDesc.BindFlags": names, "pDesc.CPUAccessFlags": cpu})


def _staging(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    if resource.usage != Usage.STAGING:
        return None
    if not resource.bind and resource.cpu and not resource.cpu & ~_ACCESS:
        return None
    cpu = cpu_names(resource.api, resource.cpu & _ACCESS or int(CpuAccessFlag.READ))
    remedy = f"remove the bind flags and use {words(cpu)}"
    return refusal("d3d11.C2.4", "", remedy, {"pDesc.BindFlags": [], "pDesc.CPUAccessFlags": cpu})


def _binds_are_known(resource: Resource, _data: str, runtime: Runtime11) -> Reason | None:
    known = _known_binds(runtime.is_d3d10, runtime.runtime)
    if not resource.bind & ~known:
        return None
    names = bind_names(resource.api, resource.bind & known)
    detail = f"{words(bind_names('d3d11', resource.bind & ~known))} is not available"
    return refusal("d3d11.C2.7.known", detail, f"bind it as {words(names)}", {"pDesc.BindFlags": names})


def _binds_fit_the_type(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    wrong = sum(
        row.value for row in bind_flags() if resource.bind & row.value and resource.dimension not in row.dimensions
    )
    if not wrong:
        return None
    names = bind_names(resource.api, resource.bind & ~wrong)
    detail = f"{words(bind_names(resource.api, wrong))} on a {resource.dimension}"
    return refusal("d3d11.C2.7", detail, f"bind it as {words(names)}", {"pDesc.BindFlags": names})


def _depth_is_alone(resource: Resource, _data: str, _runtime: Runtime11) -> Reason | None:
    others = BindFlag.RENDER_TARGET | BindFlag.UNORDERED_ACCESS
    if not (resource.bind & BindFlag.DEPTH_STENCIL and resource.bind & others):
        return None
    names = bind_names(resource.api, resource.bind & ~others)
    return refusal("d3d11.C2.8", "", f"bind it as {words(names)}", {"pDesc.BindFlags": names})


def _immutable_has_data(resource: Resource, data: str, _runtime: Runtime11) -> Reason | None:
    if resource.usage != Usage.IMMUTABLE or data != NO_DATA:
        return None
    return refusal("d3d11.U1.12", "", "give initial data", {"pInitialData": True})


def _data_points_somewhere(_resource: Resource, data: str, _runtime: Runtime11) -> Reason | None:
    if data != NULL_DATA:
        return None
    return refusal("d3d11.C2.12", "", "give the bytes", {"pInitialData": True})


def _unordered_access_level(resource: Resource, _data: str, runtime: Runtime11) -> Reason | None:
    if not resource.bind & BindFlag.UNORDERED_ACCESS or runtime.feature_level >= LEVEL_11_0:
        return None
    compute = runtime.feature_level >= LEVEL_10_0 and runtime.compute_10x
    if compute and resource.is_buffer:
        return None
    names = bind_names(resource.api, resource.bind & ~BindFlag.UNORDERED_ACCESS)
    return refusal("d3d11.C2.27", f"feature level {runtime.level}", "remove it", {"pDesc.BindFlags": names})


def _stream_output_level(resource: Resource, _data: str, runtime: Runtime11) -> Reason | None:
    if not resource.bind & BindFlag.STREAM_OUTPUT or runtime.feature_level >= LEVEL_10_0:
        return None
    names = bind_names(resource.api, resource.bind & ~BindFlag.STREAM_OUTPUT)
    return refusal("d3d11.C2.28", f"feature level {runtime.level}", "remove it", {"pDesc.BindFlags": names})


_COMMON: tuple[Rule, ...] = (
    _usage_is_known,
    _default,
    _immutable,
    _dynamic,
    _staging,
    _binds_are_known,
    _binds_fit_the_type,
    _depth_is_alone,
    _unordered_access_level,
    _stream_output_level,
    _data_points_somewhere,
    _immutable_has_data,
)

RULES: tuple[Rule, ...] = (*_COMMON, *BUFFER_RULES, *TEXTURE_RULES, *MISC_RULES)
"""Every rule of creation, the decisive ones first."""


@functools.lru_cache(maxsize=1 << 14)
def judge_create(resource: Resource, data: str, has_out: bool, runtime: Runtime11) -> Verdict:
    """Return what a create call answers.

    Args:
        resource: The description.
        data: ``NO_DATA``, ``GOOD_DATA`` or ``NULL_DATA``.
        has_out: Whether the caller gave a place for the object.
        runtime: The device.

    Returns:
        E_INVALIDARG with every violated rule; S_FALSE for a legal description without an out pointer; else S_OK with
        ``MipLevels`` or ``StructureByteStride`` as the object's description holds them.
    """
    reasons = tuple(reason for rule in RULES if (reason := rule(resource, data, runtime)) is not None)
    if reasons:
        return Verdict("E_INVALIDARG", reasons)
    permits = _permissions(resource, data, runtime)
    if not has_out:
        return Verdict("S_FALSE", (permission("d3d11.C2.18"), *permits))
    return Verdict("S_OK", permits, _described(resource))


def _described(resource: Resource) -> dict[str, object]:
    if resource.is_buffer:
        return {"StructureByteStride": resource.stride if resource.is_structured else 0}
    return {"MipLevels": resource.levels}


def _permissions(resource: Resource, data: str, runtime: Runtime11) -> tuple[Reason, ...]:
    found = [permission("d3d11.C2.30")]
    if resource.cpu and resource.usage == Usage.DEFAULT:
        found.append(permission(relaxed_default(resource, runtime)))
    found.append(permission("d3d11.U1.5"))
    row = placement_of(resource, runtime.adapter_class)
    found.append(permission(row.rule, f"here {row.memory}"))
    if data == GOOD_DATA and resource.usage in (Usage.DEFAULT, Usage.IMMUTABLE):
        found.append(permission("d3d11.Q7.5"))
    large = above_guarantee(resource, runtime)
    if large:
        found.append(permission("d3d11.L6.2", large))
    return tuple(found)
