"""Where the subresources of a resource of a snapshot lie, by every way the runtime and the driver lay them out.

A resource has one ``Form`` for each place its texels can lie in: the system and the video-memory copy of Direct3D 9,
the memory of Direct3D 10, 11 and 12, and the buffer of a Direct3D 12 copy. The figures come from ``rules``; this module
only finds the right question for the call that created the resource.

Source: d3d9.R11.1, d3d9.layout.device, d3d11.M4.6, d3d12.4.8a, d3d12.4.8b, d3d12.5.2.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from explorer.core.calls import decode_input
from explorer.core.layouts import ResourceLayout
from explorer.core.tiles import TILE_BYTES
from explorer.errors import ExplorerError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.calls import CallRecord
    from explorer.core.dxgi import DxgiFormatInfo
    from explorer.sim.snapshot import Snapshot
    from explorer.tables.adapters import Adapter

_GOB_BYTES = 64
"""Bytes across of the smallest unit of NVIDIA's block-linear layout. Source: d3d12.4.8c."""

Block = tuple[int, int, int]
"""Texels across, texels down and bytes of the unit that a plane is stored in; no bytes where they are not whole."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way a resource lies.

    Attributes:
        id: ``system``, ``device``, ``memory`` or ``copy``.
        title: What a tab says.
        layout: Size, subresources, model, confidence and the arithmetic in words.
        model_text: What the model assumes, one sentence.
        blocks: The storage unit of each plane.
        planes: Word for each plane; empty words where there is one plane.
        formats: Format of each plane, as a copy sees it.
        pitch_alignment: Bytes that rows are rounded up to; 1 for none.
        pitch_reason: Name of the constant or limit behind it.
        offset_alignment: Bytes that a subresource starts at a multiple of; 1 for none.
        offset_reason: Name of the constant or limit behind it.
        level_alignment: Bytes that the size of a level is rounded up to; 1 for none.
        tile_bytes: Bytes of a tile; 0 for a form without tiles.
        samples: Samples of a texel.
        rules: Ids of the rules.
    """

    id: str
    title: str
    layout: ResourceLayout
    model_text: str
    blocks: tuple[Block, ...]
    planes: tuple[str, ...] = ("",)
    formats: tuple[str, ...] = ("",)
    pitch_alignment: int = 1
    pitch_reason: str = ""
    offset_alignment: int = 1
    offset_reason: str = ""
    level_alignment: int = 1
    tile_bytes: int = 0
    samples: int = 1
    rules: tuple[str, ...] = ()

    @property
    def mips(self) -> int:
        """Mip levels."""
        return 1 + max((part.mip for part in self.layout.subresources), default=0)

    @property
    def slices(self) -> int:
        """Array slices or faces."""
        return 1 + max((part.slice for part in self.layout.subresources), default=0)

    @property
    def padding_bytes(self) -> int:
        """Bytes inside subresources that hold no texel."""
        return sum(part.padding_bytes for part in self.layout.subresources)

    @property
    def gap_bytes(self) -> int:
        """Bytes between subresources and behind the last one."""
        return self.layout.size_bytes - sum(part.size_bytes for part in self.layout.subresources)


@dataclass(frozen=True, slots=True)
class LaidOut:
    """What is known about the subresources of a resource.

    Attributes:
        name: Name of the resource.
        line: Dimension, extents and format in words.
        forms: One for each way it lies; empty where nothing can be said.
        reason: Why there are none; empty where there are some.
    """

    name: str
    line: str
    forms: tuple[Form, ...]
    reason: str = ""


def lay_out(snapshot: Snapshot, resource: int) -> LaidOut:
    """Return the forms of a resource.

    Args:
        snapshot: Simulated or imported.
        resource: Index into ``snapshot.resources``.

    Raises:
        IndexError: There is no such resource.
    """
    table = snapshot.resources
    name, record = table.names[resource], table.records[resource]
    line = describe_line(snapshot, resource)
    if record is None:
        return LaidOut(name, line, (), "The file says how large it is, but not how it was created.")
    if table.dimensions[int(table.dimension[resource])] == "DESCRIPTOR_HEAP":
        return LaidOut(name, line, (), "A descriptor heap has slots instead; the Descriptors view shows them.")
    if table.dimensions[int(table.dimension[resource])] == "QUERY_HEAP":
        return LaidOut(name, line, (), "A query heap holds results, one after the other, and no texels.")
    options = tuple(sorted(snapshot.provenance.options.items()))
    try:
        forms = _forms(_Key(record, snapshot.adapter, options))
    except ExplorerError as error:
        return LaidOut(name, line, (), f"The call that created it cannot be read: {error}")
    reason = "" if forms else f"The layout of what {record.call} makes is not simulated."
    return LaidOut(name, line, forms, reason)


def describe_line(snapshot: Snapshot, resource: int) -> str:
    """Return ``TEXTURE2D · 2,048 × 2,048 × 4 · 8 mips · BC7_UNORM_SRGB``."""
    table = snapshot.resources
    dimension = table.dimensions[int(table.dimension[resource])]
    width, height, depth = (int(column[resource]) for column in (table.width, table.height, table.depth))
    mips, texel_format = int(table.mips[resource]), table.formats[int(table.format[resource])]
    if dimension == "DESCRIPTOR_HEAP":
        return f"{dimension} · {width:,} slots"
    if dimension == "QUERY_HEAP":
        return f"{dimension} · {width:,} queries"
    if height <= 1 and mips <= 1 and not texel_format:
        return f"{dimension or 'unknown dimension'} · {width:,} B"
    extent = f"{width:,} × {height:,}" + (f" × {depth:,}" if depth > 1 else "")
    words = (dimension or "unknown dimension", extent, f"{mips} mip" + "s" * (mips != 1), texel_format or "no format")
    return " · ".join(words)


class _Key:
    """What a layout depends on, hashed by identity where the value is a mapping."""

    __slots__ = ("adapter", "options", "record")

    def __init__(self, record: CallRecord, adapter: Adapter | None, options: tuple[tuple[str, str], ...]) -> None:
        self.record, self.adapter, self.options = record, adapter, options

    def __hash__(self) -> int:
        return hash((id(self.record), id(self.adapter), self.options))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Key)
            and self.record is other.record
            and self.adapter is other.adapter
            and self.options == other.options
        )


@functools.lru_cache(maxsize=64)
def _forms(key: _Key) -> tuple[Form, ...]:
    api = key.record.api
    arguments = decode_input(key.record)
    options = dict(key.options)
    if api.startswith("d3d9"):
        return _d3d9(arguments, key.adapter, options, api)
    if api == "d3d12":
        return _d3d12(arguments, key.adapter, options)
    return _d3d11(arguments, key.adapter, options, api)


def _d3d9(arguments: Any, adapter: Adapter | None, options: Mapping[str, str], api: str) -> tuple[Form, ...]:
    from explorer.core.d3d9 import CreateInput
    from explorer.core.d3d9_enums import Pool
    from explorer.rules import d3d9_sizes
    from explorer.rules.d3d9_resource import describe
    from explorer.rules.d3d9_runtime import runtime_of
    from explorer.tables.d3d9_tables import limit

    if not isinstance(arguments, CreateInput):
        return ()
    runtime = runtime_of(adapter, options, api)
    resource = describe(arguments, runtime)
    pool = Pool(resource.pool)
    place = d3d9_sizes.placement(resource, adapter.memory_class if adapter else runtime.adapter_class, runtime)
    in_system = pool is not Pool.DEFAULT or place.segment == "system"
    forms: list[Form] = []
    if pool is Pool.MANAGED or not in_system:
        form = d3d9_sizes.texels(resource, cpu=False)
        layout = d3d9_sizes.device_layout(resource, runtime)
        samples = 1
        if layout.subresources and not resource.is_buffer:
            first = layout.subresources[0]
            samples = max(1, first.row_bytes // max(form.row_bytes(resource.width), 1))
        forms.append(
            Form(
                "device", "Video memory", layout,
                "Rows, levels and the whole are rounded up as this model assumes; the true layout is the driver's.",
                ((form.block_width, form.block_height, form.block_bytes),), ("",), (_d3d9_format(resource),),
                limit("device_pitch_alignment"), "pitch of the model", 1, "", limit("device_level_alignment"),
                samples=samples, rules=("d3d9.layout.device",),
            )
        )  # fmt: skip
    if in_system:
        form = d3d9_sizes.texels(resource, cpu=True)
        pitch = 1 if resource.user_memory else limit("pitch_alignment")
        forms.append(
            Form(
                "system", "System copy", d3d9_sizes.layout(resource, runtime),
                "Rows are rounded up to whole double words, levels follow one another, face by face.",
                ((form.block_width, form.block_height, form.block_bytes),), ("",), (_d3d9_format(resource),),
                pitch, "pitch of a lock", rules=("d3d9.R11.1", "d3d9.R11.2"),
            )
        )  # fmt: skip
    return tuple(forms)


def _d3d9_format(resource: Any) -> str:
    if resource.is_buffer:
        return ""
    return resource.info.name if resource.info else f"0x{resource.format:08X}"


_MODEL_TEXTS: Mapping[str, str] = {
    "linear": "Texels lie row after row, level after level; the true layout is the driver's.",
    "tiled": "Levels take whole tiles, the smallest levels of a slice share the tail; the true layout is the driver's.",
    "buffer": "A buffer is its bytes, rounded up to the alignment.",
}


def _d3d11(arguments: Any, adapter: Adapter | None, options: Mapping[str, str], api: str) -> tuple[Form, ...]:
    from explorer.core.d3d11_enums import LEVEL_10_0
    from explorer.rules import d3d11
    from explorer.tables.d3d11_tables import constant

    if not isinstance(arguments, d3d11.CreateCall):
        return ()
    runtime = d3d11.runtime_of(adapter, options, api)
    resource = d3d11.resource_of(arguments.pDesc)
    layout = d3d11.layout_of(resource, runtime)
    level = "level10" if runtime.feature_level >= LEVEL_10_0 else "level9"
    linear = layout.model == "linear"
    form = Form(
        "memory", "In memory", layout, _MODEL_TEXTS.get(layout.model, _measured(layout.model)),
        (_block(resource.info, is_buffer=resource.is_buffer),), ("",),
        ("" if resource.is_buffer else resource.format.name.lstrip("_"),),
        offset_alignment=constant(f"pointer_alignment_{level}") if linear else 1,
        offset_reason="pointer alignment of Map" if linear else "",
        pitch_alignment=_GOB_BYTES if layout.model == "nvidia" else 1,
        pitch_reason="a GOB is 64 B wide" if layout.model == "nvidia" else "",
        tile_bytes=TILE_BYTES if layout.model == "tiled" else 0,
        samples=resource.samples,
        rules=("d3d11.M4.6",) if linear else (),
    )  # fmt: skip
    return (form,)


def _measured(model: str) -> str:
    return f"Sizes as they were measured with drivers of the model {model}."


def _d3d12(arguments: Any, adapter: Adapter | None, options: Mapping[str, str]) -> tuple[Form, ...]:
    from explorer.core import d3d12
    from explorer.core.d3d12_structs import ResourceDesc
    from explorer.rules.d3d12_allocation import allocation_layout
    from explorer.rules.d3d12_desc import is_buffer, shape_of
    from explorer.rules.d3d12_runtime import runtime_of
    from explorer.rules.size_models import size_model, tile_bytes_of

    desc = getattr(arguments, "pDesc", None)
    if not isinstance(desc, ResourceDesc):
        return ()
    runtime = runtime_of(adapter, options)
    castable = getattr(arguments, "pCastableFormats", ())
    reserved = isinstance(arguments, d3d12.CreateReservedResource | d3d12.CreateReservedResource2)
    layout = allocation_layout(desc, runtime, castable, reserved=reserved)
    if layout is None:
        return ()
    info = shape_of(desc).info
    model = None if layout.model == "buffer" else size_model(layout.model)
    memory = Form(
        "memory", "In memory", layout, model.text if model else _MODEL_TEXTS["buffer"],
        (_block(info, is_buffer=is_buffer(desc)),), ("",), ("" if is_buffer(desc) else info.format.name.lstrip("_"),),
        pitch_alignment=_GOB_BYTES if layout.model == "nvidia" else 1,
        pitch_reason="a GOB is 64 B wide" if layout.model == "nvidia" else "",
        tile_bytes=tile_bytes_of(layout.alignment) if layout.model == "tiled" else 0,
        samples=max(1, desc.SampleDesc.Count),
        rules=(f"d3d12.{model.rule}" if model else "d3d12.4.2",),
    )  # fmt: skip
    copied = _footprints(desc, runtime)
    if isinstance(arguments, d3d12.CreateReservedResource | d3d12.CreateReservedResource2):
        # It has no memory of its own: its tiles say what lies where.
        return () if copied is None else (copied,)
    return (memory,) if copied is None else (copied, memory)


def _footprints(desc: Any, runtime: Any) -> Form | None:
    """Return the buffer of a copy of every subresource; None where no footprint exists."""
    from explorer.core import d3d12
    from explorer.core.footprints import PLACEMENT_ALIGNMENT, subresource_layouts
    from explorer.rules.d3d12_allocation import footprints_of
    from explorer.rules.d3d12_desc import is_buffer, shape_of

    shape = shape_of(desc)
    question = d3d12.GetCopyableFootprints(desc, 0, shape.subresources, 0)
    answer, found = footprints_of(question, runtime)
    if answer is None:
        return None
    verdict = found.verdict()
    info = shape.info
    parts = subresource_layouts(shape)
    steps = tuple(reason.text for reason in verdict.reasons)
    texels = sum(part.size_bytes - part.padding_bytes for part in parts)
    layout = ResourceLayout("copy", answer.total_bytes, PLACEMENT_ALIGNMENT, texels, parts, steps, "published")
    blocks = tuple((1, 1, plane.bytes_per_element) for plane in info.planes) or (
        _block(info, is_buffer=is_buffer(desc)),
    )
    formats = tuple(plane.copy_format.name.lstrip("_") for plane in info.planes) or (info.format.name.lstrip("_"),)
    return Form(
        "copy", "Copy footprints", layout,
        "What GetCopyableFootprints answers for all of it: a buffer with every subresource, as copies need it.",
        blocks, tuple(plane.role for plane in info.planes) or ("",), formats,
        info.copy_pitch_alignment, "D3D12_TEXTURE_DATA_PITCH_ALIGNMENT",
        PLACEMENT_ALIGNMENT, "D3D12_TEXTURE_DATA_PLACEMENT_ALIGNMENT",
        rules=tuple(reason.rule for reason in verdict.reasons),
    )  # fmt: skip


def _block(info: DxgiFormatInfo, *, is_buffer: bool) -> Block:
    if is_buffer:
        return 1, 1, 1
    if info.bits_per_unit % 8:
        return info.block_width, info.block_height, 0
    return info.block_width, info.block_height, info.bytes_per_block
