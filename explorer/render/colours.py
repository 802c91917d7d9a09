"""The "colour by" modes: functions from a snapshot to a colour of each block."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from explorer.core.columns import Bytes8, Int64
from explorer.core.kinds import BlockState, ResourceKind
from explorer.core.units import GIB, KIB, MIB
from explorer.render.items import evicted_blocks
from explorer.render.tokens import Category, Palette, Rgba
from explorer.sim.snapshot import Snapshot

KIND_LABELS: tuple[str, ...] = (
    "Textures",
    "Render targets",
    "Depth-stencil",
    "Buffers",
    "Upload / dynamic",
    "Readback / staging",
    "Descriptor heaps",
    "Acceleration str.",
    "Other",
)
"""In the order of ``ResourceKind``."""

_RAMP_STEPS = 9
_OTHERS = 8
"""Of the nine fills the last one is for all categories beyond the eight largest."""

_PRIORITY_STEPS: tuple[int, ...] = (0x28000001, 0x50000001, 0x78000001, 0xA0010001)
"""Between D3D12_RESIDENCY_PRIORITY_MINIMUM, LOW, NORMAL, HIGH and MAXIMUM. Source: d3d12.enums."""

_SIZE_STEPS: tuple[int, ...] = (64 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB, GIB)
_AGE_STEPS: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 128)
_STATE_LABELS = ("Used this frame", "Moved this frame", "Resident", "Evicted", "Inactive alias", "Dirty copy",
                 "Master copy")  # fmt: skip
_STATE_KINDS = (ResourceKind.BUFFER, ResourceKind.UPLOAD, ResourceKind.TEXTURE, ResourceKind.DEPTH_STENCIL,
                ResourceKind.DESCRIPTOR_HEAP, ResourceKind.RENDER_TARGET, ResourceKind.OTHER)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Colouring:
    """The colours of one mode for one snapshot.

    Attributes:
        index: Colour of each block, uint8, shape (blocks,).
        labels: What each colour means.
        ramp: Name of the ramp, or empty where colours are categories.
        scale: For a ramp: the texts at its low end, middle and high end.
    """

    index: Bytes8
    labels: tuple[str, ...]
    ramp: str = ""
    scale: tuple[str, str, str] = ("", "", "")

    def categories(self, palette: Palette) -> tuple[Category, ...]:
        """Return the colours for the labels in a theme."""
        if not self.ramp:
            return palette.kinds
        steps = palette.ramps[self.ramp]
        return tuple(Category(step, _ink(step, palette), step) for step in steps)


@dataclass(frozen=True, slots=True)
class ColourMode:
    """A way to colour blocks.

    Attributes:
        id: Short id.
        title: What the choice says.
        colour: The function.
    """

    id: str
    title: str
    colour: Callable[[Snapshot], Colouring]


def by_kind(snapshot: Snapshot) -> Colouring:
    """Colour by ``ResourceKind``."""
    return Colouring(np.minimum(snapshot.blocks.kind, len(KIND_LABELS) - 1), KIND_LABELS)


def by_heap(snapshot: Snapshot) -> Colouring:
    """Colour by heap; committed resources share a colour, and so do all beyond the eight largest."""
    heaps, blocks = snapshot.heaps, snapshot.blocks
    group = blocks.heap.astype(np.int64) + 1
    if len(heaps):
        group = np.where((blocks.heap >= 0) & heaps.committed[blocks.heap], len(heaps) + 1, group)
    names = ("Outside heaps", *(name or f"Heap {i}" for i, name in enumerate(heaps.names)), "Committed")
    return _largest_groups(group, blocks.size, names)


def by_usage(snapshot: Snapshot) -> Colouring:
    """Colour by pool, usage or heap type, in the API's words."""
    blocks, resources = snapshot.blocks, snapshot.resources
    group = np.zeros(len(blocks), np.int64)
    held = blocks.resource >= 0
    if len(resources):
        group[held] = resources.place[blocks.resource[held]] + 1
    return _largest_groups(group, blocks.size, ("Unknown", *(place or "none" for place in resources.places)))


def by_residency(snapshot: Snapshot) -> Colouring:
    """Colour resident blocks by kind; evicted ones are drawn as such in every mode."""
    return by_kind(snapshot)


def by_age(snapshot: Snapshot) -> Colouring:
    """Colour by frames since the last use: the last step is this frame, the first 128 frames or never."""
    frame = snapshot.provenance.frame
    used = snapshot.blocks.used_frame.astype(np.int64)
    age = np.where(used < 0, _AGE_STEPS[-1], np.maximum(frame - used, 0))
    return _ramp("age", _RAMP_STEPS - 1 - _steps(age, _AGE_STEPS), ("128 frames or never", "16 frames", "this frame"))


def by_size(snapshot: Snapshot) -> Colouring:
    """Colour by bytes, four times as many for each step."""
    return _ramp("size", _steps(snapshot.blocks.size, _SIZE_STEPS), ("64 KiB", "16 MiB", "1 GiB"))


def by_priority(snapshot: Snapshot) -> Colouring:
    """Colour by residency priority; D3D9's small numbers are ranked among themselves."""
    blocks, resources, heaps = snapshot.blocks, snapshot.resources, snapshot.heaps
    value = np.zeros(len(blocks), np.int64)
    if len(heaps):
        value = np.where(blocks.heap >= 0, heaps.priority[blocks.heap], value)
    if len(resources):
        own = np.where(blocks.resource >= 0, resources.priority[blocks.resource], 0)
        value = np.where(own != 0, own, value)
    if len(value) and int(value.max()) >= _PRIORITY_STEPS[0] - 1:
        return _ramp("priority", _steps(value, _PRIORITY_STEPS), ("MINIMUM", "NORMAL", "MAXIMUM"))
    known = np.unique(value)
    rank = np.searchsorted(known, value)
    step = rank * 4 // max(len(known) - 1, 1) if len(known) > 1 else np.full(len(value), 2)
    low, high = (int(known[0]), int(known[-1])) if len(known) else (0, 0)
    middle = int(known[len(known) // 2]) if len(known) else 0
    return _ramp("priority", step, (str(low), str(middle), str(high)))


def by_name(snapshot: Snapshot) -> Colouring:
    """Colour by a hash of the name without its number, so that families of resources share a colour."""
    from explorer.render.lane_texts import name_stem

    stems: dict[str, int] = {}
    of_resource = np.zeros(len(snapshot.resources) + 1, np.uint8)
    for index, name in enumerate(snapshot.resources.names):
        stem = name_stem(name)
        found = stems.get(stem)
        if found is None:
            found = stems[stem] = zlib.crc32(stem.encode()) % len(KIND_LABELS)
        of_resource[index] = found
    labels = [""] * len(KIND_LABELS)
    for stem, colour in stems.items():
        labels[colour] = labels[colour] or stem or "unnamed"
    shown = tuple(f"{label} and others" if label else "unused" for label in labels)
    return Colouring(of_resource[snapshot.blocks.resource], shown)


def by_state(snapshot: Snapshot) -> Colouring:
    """Colour by what is true of the block at this moment; the most telling state wins."""
    state = snapshot.blocks.state
    index = np.full(len(state), 2, np.uint8)
    for bit, colour in (
        (BlockState.USED_THIS_FRAME, 0),
        (BlockState.MASTER_COPY, 6),
        (BlockState.DIRTY, 5),
        (BlockState.INACTIVE, 4),
        (BlockState.MOVED_THIS_FRAME, 1),
    ):
        index[(state & bit) != 0] = colour
    index[evicted_blocks(snapshot)] = 3
    # The fills are those of the kinds, put in an order that suits the words.
    fills = np.array([int(kind) for kind in _STATE_KINDS], np.uint8)
    labels = [""] * len(KIND_LABELS)
    for label, kind in zip(_STATE_LABELS, _STATE_KINDS, strict=True):
        labels[kind] = label
    return Colouring(fills[index], tuple(labels))


COLOUR_MODES: tuple[ColourMode, ...] = (
    ColourMode("kind", "Kind", by_kind),
    ColourMode("heap", "Heap", by_heap),
    ColourMode("usage", "Pool or usage", by_usage),
    ColourMode("residency", "Residency", by_residency),
    ColourMode("age", "Age", by_age),
    ColourMode("size", "Size", by_size),
    ColourMode("priority", "Priority", by_priority),
    ColourMode("name", "Name", by_name),
    ColourMode("state", "State", by_state),
)


def colour_mode(mode_id: str) -> ColourMode:
    """Return the mode of an id; the first one where it is unknown."""
    return next((mode for mode in COLOUR_MODES if mode.id == mode_id), COLOUR_MODES[0])


def _steps(value: Int64, limits: Sequence[int]) -> Int64:
    return np.searchsorted(np.asarray(limits, np.int64), value, "right").astype(np.int64)


def _ramp(name: str, step: npt.NDArray[np.int64], scale: tuple[str, str, str]) -> Colouring:
    return Colouring(step.astype(np.uint8), (), name, scale)


def _largest_groups(group: Int64, size: Int64, names: Sequence[str]) -> Colouring:
    """Give the eight groups with the most bytes a colour each, in the order of their numbers."""
    held = np.bincount(group, size, len(names))
    used = np.flatnonzero(held > 0)
    largest = np.sort(used[np.argsort(-held[used], kind="stable")[:_OTHERS]])
    colour = np.full(len(names), _OTHERS, np.uint8)
    colour[largest] = np.arange(len(largest), dtype=np.uint8)
    others = len(used) - len(largest)
    labels = [names[int(index)] for index in largest] + [""] * (_OTHERS - len(largest))
    return Colouring(colour[group], (*labels, f"{others:,} others" if others else ""))


def _ink(colour: Rgba, palette: Palette) -> Rgba:
    """Return the ink of the kinds that stands out more on a colour (WCAG 2.2 relative luminance)."""
    inks = {kind.ink for kind in palette.kinds}
    return max(sorted(inks), key=lambda ink: abs(_lightness(ink) - _lightness(colour)))


def _lightness(colour: Rgba) -> float:
    parts = [value / 255 for value in colour[:3]]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) ** 0.5
