"""The words in the headers of segments and lanes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.kinds import HeapKind, Placement
from explorer.core.units import format_bytes

if TYPE_CHECKING:
    from explorer.render.lanes import Lane, MapScene

_NUMBERED = re.compile(r"^(.*?)[\s_\-#\[]*([0-9]+)\]?$")
_SEGMENT_WORDS = {
    "LOCAL": "local video memory",
    "NON_LOCAL": "system memory that the GPU reads over the bus",
    "SYSTEM": "system memory",
    "PAGE_FILE": "page file",
    "RESERVED": "reserved for the system",
}
_EXACT_FLAGS = {
    0xC0: "ALLOW_ONLY_BUFFERS",
    0x44: "ALLOW_ONLY_NON_RT_DS_TEXTURES",
    0x84: "ALLOW_ONLY_RT_DS_TEXTURES",
}
"""Two or three D3D12_HEAP_FLAGS bits that have one name together. Source: d3d12.enums."""


def heap_name(name: str, index: int) -> str:
    """Return the name of a heap, or a number for one without."""
    return name or f"Heap {index}"


def name_stem(name: str) -> str:
    """Return a name without its number: ``Textures`` for ``Textures 13``."""
    match = _NUMBERED.match(name)
    return match[1] if match else name


def group_title(stem: str, names: list[str]) -> str:
    """Return ``Textures 0 – 12`` for an unbroken run of numbers, else ``Textures (13)``."""
    numbers: list[int] = []
    for name in names:
        match = _NUMBERED.match(name)
        if match:
            numbers.append(int(match[2]))
    stem = stem or "Heap"
    if len(numbers) == len(names) and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{stem} {numbers[0]} – {numbers[-1]}"
    return f"{stem} ({len(names):,})"


def type_text(kind: int) -> str:
    """Return the heap type in the API's word; empty where there is none."""
    known = kind in HeapKind.__members__.values()
    return HeapKind(kind).name if known and kind not in (HeapKind.NONE, HeapKind.OTHER) else ""


def flags_text(flags: int) -> str:
    """Return D3D12_HEAP_FLAGS without their prefix, joined by ``|``; empty for none."""
    if not flags:
        return ""
    # The enumerations are only needed here, and a dump without flags should not pay for them.
    from explorer.core.d3d12_enums import HeapFlags

    words: list[str] = []
    rest = flags
    allow = flags & 0xC4
    if allow in _EXACT_FLAGS:
        words.append(_EXACT_FLAGS[allow])
        rest &= ~allow
    prefix = HeapFlags.prefix()
    words += [str(word).removeprefix(prefix) for word in HeapFlags(rest).constants if rest]
    return " | ".join(word for word in words if word not in ("NONE", "ALLOW_ALL_BUFFERS_AND_TEXTURES"))


def lane_figures(scene: MapScene, lane: Lane) -> tuple[int, int, int]:
    """Return bytes under blocks (shared ones once), live blocks, and the largest hole of a lane."""
    items = scene.items
    part = items.between(lane.base, lane.end)
    if part.start == part.stop:
        return 0, 0, lane.extent
    held = int(scene.held_before[part.stop] - scene.held_before[part.start])
    over = scene.aliases.between(lane.base, lane.end)
    blocks = int(np.count_nonzero((items.block[part] >= 0) & ~items.away[part])) + (over.stop - over.start)
    between = items.start[part.start + 1 : part.stop] - items.end[part.start : part.stop - 1]
    largest = max(int(items.start[part.start]) - lane.base, lane.end - int(items.end[part.stop - 1]))
    if len(between):
        largest = max(largest, int(between.max()))
    return held, blocks, max(largest, 0)


def lane_right_text(scene: MapScene, lane: Lane) -> str:
    """Return ``86 % of 256 MiB · 11 resources · largest hole 32.0 MiB``."""
    from explorer.render.lanes import LaneKind

    held, blocks, largest = lane_figures(scene, lane)
    resources = f"{blocks:,} {'resource' if blocks == 1 else 'resources'}"
    if lane.kind in (LaneKind.UNKNOWN, LaneKind.AWAY):
        return f"{short_bytes(held)} · {resources}"
    if lane.kind is LaneKind.COMMITTED:
        part = scene.items.between(lane.base, lane.end)
        away = scene.items.away[part]
        gone = int((scene.items.end[part] - scene.items.start[part])[away].sum())
        text = f"{short_bytes(held)} · {resources}"
        return text + (f" · evicted {int(away.sum()):,} ({short_bytes(gone)})" if gone else "")
    share = f"{100 * held // max(lane.extent, 1)} % of {short_bytes(lane.extent)}"
    heaps = f" · {len(lane.heaps):,} heaps" if lane.kind is LaneKind.GROUP else ""
    hole = f"largest hole {format_bytes(largest)}" if largest else "no hole"
    return f"{share}{heaps} · {resources} · {hole}"


def segment_title(scene: MapScene, segment: int) -> str:
    """Return the group of a segment in the API's word, or its name where there is none."""
    picture = scene.snapshot.segments[segment]
    if picture.group not in _SEGMENT_WORDS or scene.snapshot.origin == "imported":
        return picture.name
    title = picture.group.replace("PAGE_FILE", "PAGE FILE")
    return f"{title}, node {picture.node}" if any(other.node for other in scene.snapshot.segments) else title


def segment_subtitle(scene: MapScene, segment: int) -> str:
    """Return what a segment is, in a few words."""
    picture = scene.snapshot.segments[segment]
    words = _SEGMENT_WORDS.get(picture.group, "")
    if scene.snapshot.origin == "imported":
        return "imported" if picture.group == picture.name else f"imported, {picture.group or 'no group'}"
    return words if picture.name == picture.group else picture.name


def segment_right_text(scene: MapScene, segment: int) -> str:
    """Return ``4.75 GiB in heaps · budget 5.11 GiB · 5.86 GiB``."""
    picture = scene.snapshot.segments[segment]
    held = picture.used_bytes + sum(picture.padding_bytes.values()) + picture.free_in_heaps_bytes
    if picture.placement == Placement.CONTIGUOUS:
        parts = [f"{_total(picture.used_bytes)} used", f"largest hole {_total(picture.largest_free_bytes)}"]
    else:
        parts = [f"{_total(held)} held"]
    for group in scene.snapshot.groups:
        if (group.node, group.group) == (picture.node, picture.group) and group.budget_bytes is not None:
            parts.append(f"budget {_total(group.budget_bytes)}")
    return " · ".join([*parts, _total(picture.size_bytes)])


def short_bytes(value: int) -> str:
    """Return ``256 MiB`` for a whole number of units, ``21.4 MiB`` else."""
    text = format_bytes(value)
    return text.replace(".0 ", " ")


def _total(value: int) -> str:
    return format_bytes(value, 2 if value >= 1 << 30 else 1).replace(".00 ", " ").replace(".0 ", " ")
