"""How big a Direct3D 9 resource is, how its levels lie, and where a driver would put it."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.core.d3d9 import CreateInput, MultisampleType, Usage
from explorer.core.layouts import ResourceLayout, SubresourceLayout
from explorer.core.units import align_up, ceil_div
from explorer.rules.d3d9_resource import Resource, describe
from explorer.rules.d3d9_runtime import DEFAULT, Runtime
from explorer.tables.d3d9_tables import Placement, limit, placements

NONMASKABLE_SAMPLES = 4
"""Samples that the model gives a NONMASKABLE target, whose count is the driver's (decision 040)."""


@dataclass(frozen=True, slots=True)
class Texels:
    """How texels lie in rows.

    Attributes:
        block_width: Texels of a block in a row.
        block_height: Rows of texels of a block.
        block_bytes: Bytes of a block; 1 where a byte holds several texels.
        exact: False where the format does not define its storage and the model assumes it.
    """

    block_width: int
    block_height: int
    block_bytes: int
    exact: bool = True

    def row_bytes(self, width: int) -> int:
        """Return the bytes of a row of blocks."""
        return ceil_div(width, self.block_width) * self.block_bytes

    def rows(self, height: int) -> int:
        """Return the rows of blocks."""
        return ceil_div(height, self.block_height)


_BYTE_TEXELS = Texels(1, 1, 1)


def texels(resource: Resource, *, cpu: bool) -> Texels:
    """Return how the texels of a resource lie.

    Args:
        resource: Any resource.
        cpu: For a copy that the CPU addresses: vendor codes then take one byte for each texel (rule d3d9.R11.5).
    """
    info = resource.info
    if resource.is_buffer or info is None or (cpu and info.vendor and info.kind == "block"):
        return _BYTE_TEXELS
    if info.block_bytes is not None:
        return Texels(info.block_width, info.block_height, info.block_bytes)
    if info.bits == 1:
        return Texels(8, 1, 1)
    # MULTI2_ARGB8 holds two elements of four bytes at each texel; where they lie is the driver's.
    return Texels(1, 1, 8, exact=False)


def row_pitch(resource: Resource, level: int = 0) -> int:
    """Return the pitch that a lock of a CPU-visible copy answers, in bytes (rules d3d9.R11.2, R10.5)."""
    width, _, _ = resource.level_size(level)
    row = texels(resource, cpu=True).row_bytes(width)
    return row if resource.user_memory else align_up(row, limit("pitch_alignment"))


def lock_offset(resource: Resource, level: int, left: int, top: int, front: int = 0) -> int:
    """Return the bytes from the start of a level to the block that holds a texel, in a CPU-visible copy."""
    form = texels(resource, cpu=True)
    pitch = row_pitch(resource, level)
    _, height, _ = resource.level_size(level)
    across = left // form.block_width * form.block_bytes
    return front * pitch * form.rows(height) + top // form.block_height * pitch + across


def device_row_pitch(resource: Resource, level: int = 0) -> int:
    """Return the pitch of a level in video memory by the model, in bytes (rule d3d9.layout.device)."""
    width, _, _ = resource.level_size(level)
    row = texels(resource, cpu=False).row_bytes(width) * _samples(resource)
    return align_up(row, limit("device_pitch_alignment"))


def _samples(resource: Resource) -> int:
    if resource.multisample == MultisampleType.NONMASKABLE:
        return NONMASKABLE_SAMPLES
    return max(1, resource.multisample)


@dataclass(frozen=True, slots=True)
class _Rule:
    pitch: int
    level: int
    total: int
    samples: int
    levels: int


def _subresources(resource: Resource, form: Texels, rule: _Rule) -> tuple[SubresourceLayout, ...]:
    found: list[SubresourceLayout] = []
    offset = 0
    for face in range(resource.faces):
        for level in range(rule.levels):
            width, height, depth = resource.level_size(level)
            row = form.row_bytes(width) * rule.samples
            pitch, rows = align_up(row, rule.pitch), form.rows(height)
            size = align_up(pitch * rows * depth, rule.level)
            found.append(
                SubresourceLayout(
                    index=len(found),
                    mip=level,
                    slice=face,
                    plane=0,
                    width=align_up(width, form.block_width),
                    height=align_up(height, form.block_height),
                    depth=depth,
                    offset=offset,
                    row_bytes=row,
                    row_pitch=pitch,
                    rows=rows,
                    size_bytes=size,
                    padding_bytes=size - row * rows * depth,
                )
            )
            offset += size
    return tuple(found)


def _steps(
    resource: Resource, form: Texels, rule: _Rule, parts: tuple[SubresourceLayout, ...], total: int
) -> tuple[str, ...]:
    steps = [f"block {form.block_width} × {form.block_height} texels, {form.block_bytes} B"]
    if rule.samples > 1:
        steps.append(f"× {rule.samples} samples")
    for part in parts[: rule.levels]:
        deep = f" × {part.depth} slices" if part.depth > 1 else ""
        steps.append(
            f"level {part.mip}: row {part.row_bytes} B → pitch {part.row_pitch} B × {part.rows} rows{deep}"
            f" = {part.size_bytes} B"
        )
    if resource.faces > 1:
        steps.append(f"× {resource.faces} faces")
    return (*steps, f"rounded up to {rule.total} B: {total} B")


def _layout(resource: Resource, form: Texels, rule: _Rule, confidence: str) -> ResourceLayout:
    parts = _subresources(resource, form, rule)
    end = parts[-1].offset + parts[-1].size_bytes
    # A target without storage (FOURCC NULL) is an object of the driver all the same.
    total = align_up(max(end, 1), rule.total)
    texel_bytes = sum(part.size_bytes - part.padding_bytes for part in parts)
    steps = _steps(resource, form, rule, parts, total)
    return ResourceLayout("linear", total, rule.total, texel_bytes, parts, steps, confidence)


def _buffer(resource: Resource, alignment: int, confidence: str) -> ResourceLayout:
    length = resource.width
    total = align_up(max(length, 1), alignment)
    part = SubresourceLayout(0, 0, 0, 0, length, 1, 1, 0, length, length, 1, length)
    steps = (f"{length} B rounded up to {alignment} B: {total} B",)
    return ResourceLayout("buffer", total, alignment, length, (part,), steps, confidence)


def _resource(what: CreateInput | Resource, runtime: Runtime) -> Resource:
    return what if isinstance(what, Resource) else describe(what, runtime)


def layout(what: CreateInput | Resource, runtime: Runtime = DEFAULT) -> ResourceLayout:
    """Return how the copy in system memory lies: master, SYSTEMMEM, SCRATCH or staging copy.

    Rows are rounded up to 4 bytes, levels follow without gaps, cubes go face by face; memory of the application has
    rows of exactly the texel bytes.

    Source: d3d9.R11.1, d3d9.R11.2, d3d9.R10.5.
    """
    resource = _resource(what, runtime)
    if resource.is_buffer:
        return _buffer(resource, limit("system_resource_alignment"), "published")
    form = texels(resource, cpu=True)
    pitch = 1 if resource.user_memory else limit("pitch_alignment")
    total = 1 if resource.user_memory else limit("system_resource_alignment")
    rule = _Rule(pitch, 1, total, 1, resource.levels)
    return _layout(resource, form, rule, "measured" if form.exact else "assumed")


def device_layout(what: CreateInput | Resource, runtime: Runtime = DEFAULT) -> ResourceLayout:
    """Return how the copy in video memory lies, by the model ``linear``.

    The true layout is the driver's. Here a row is rounded up to 64 bytes, a level to 256 and a resource to 4,096
    (a buffer to 256); each sample of a multisampled target takes a texel; generated levels count.

    Source: d3d9.layout.device (decision 040).
    """
    resource = _resource(what, runtime)
    if resource.is_buffer:
        return _buffer(resource, limit("device_buffer_alignment"), "assumed")
    rule = _Rule(
        pitch=limit("device_pitch_alignment"),
        level=limit("device_level_alignment"),
        total=limit("device_resource_alignment"),
        samples=_samples(resource),
        levels=resource.stored_levels,
    )
    return _layout(resource, texels(resource, cpu=False), rule, "assumed")


def placement_key(resource: Resource, runtime: Runtime = DEFAULT) -> str:
    """Return which row of the placement table a resource falls under."""
    pool = ("default", "managed", "systemmem", "scratch")[resource.pool]
    if pool != "default":
        return pool
    if resource.is_target or resource.is_depth:
        return "target"
    if resource.is_buffer:
        return _buffer_key(resource, runtime)
    if resource.kind == "offscreen_plain_surface":
        return "plain_surface"
    return "dynamic_texture" if resource.is_dynamic else "static_texture"


def _buffer_key(resource: Resource, runtime: Runtime) -> str:
    usage = Usage(resource.usage)
    hints = {
        Usage.POINTS: runtime.point_sprites,
        Usage.RTPATCHES: runtime.rt_patches,
        Usage.NPATCHES: runtime.n_patches,
    }
    if usage & Usage.SOFTWAREPROCESSING or any(usage & flag and not able for flag, able in hints.items()):
        return "cpu_buffer"
    if resource.is_dynamic:
        return "dynamic_buffer"
    return "hinted_buffer" if any(usage & flag for flag in hints) else "static_buffer"


def placement(what: CreateInput | Resource, adapter_class: str, runtime: Runtime = DEFAULT) -> Placement:
    """Return where a driver puts a resource and what a lock of it hands out.

    Args:
        what: A legal description, or a resource.
        adapter_class: ``discrete_agp``, ``discrete_pcie`` or ``uma``.
        runtime: The device.

    Source: rules d3d9.R3.2 … R4.7 and the table ``d3d9_placement.json``.
    """
    return placements()[adapter_class, placement_key(_resource(what, runtime), runtime)]


def overflow_placement(adapter_class: str) -> Placement:
    """Return where a DEFAULT resource goes that does not fit after managed copies were evicted (rule d3d9.R6.8)."""
    return placements()[adapter_class, "overflow"]
